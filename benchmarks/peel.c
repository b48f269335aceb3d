/* A walk over the first elements of all cells of a batch: by teeny's cursor, by decoding each number, by hand.
 *
 * As in a kernel of one's own, `teeny/peel.h` is compiled in. float64; strides are in elements.
 */
#include <teeny/peel.h>

enum way { CURSOR, DECODED, BY_HAND };

static double by_cursor(const teeny_anyrank_t *array, int keep, int64_t cells)
{
    double sum = 0;
    teeny_cursor_t cursor;
    teeny_peel_begin(&cursor, array, keep, 0, cells);
    while (teeny_peel_next(&cursor))
        sum += *(const double *)cursor.cell;
    return sum;
}

static double decoded(const teeny_anyrank_t *array, int keep, int64_t cells)
{
    double sum = 0;
    int64_t i;
    for (i = 0; i < cells; ++i)
        sum += *(const double *)teeny_peel_at(array, keep, i);
    return sum;
}

/* What one writes who knows that the batch has three axes. */
static double by_hand(const teeny_anyrank_t *array)
{
    double sum = 0;
    const double *data = array->data;
    const int64_t *shape = array->shape, *strides = array->strides;
    int64_t i, j, k;
    for (i = 0; i < shape[0]; ++i)
        for (j = 0; j < shape[1]; ++j)
            for (k = 0; k < shape[2]; ++k)
                sum += data[i * strides[0] + j * strides[1] + k * strides[2]];
    return sum;
}

double walk(int way, int64_t loops, void *data, int ndim, const int64_t *shape, const int64_t *strides, int keep)
{
    teeny_anyrank_t array = {0};
    double sum = 0;
    int64_t cells;
    array.data = data;
    array.ndim = ndim;
    array.shape = shape;
    array.strides = strides;
    array.dtype.code = TEENY_FLOAT;
    array.dtype.bits = 64;
    array.dtype.lanes = 1;
    cells = teeny_size_front(&array, keep);
    for (; loops > 0; --loops) {
        sum = way == CURSOR ? by_cursor(&array, keep, cells) : way == DECODED ? decoded(&array, keep, cells) : by_hand(&array);
        __asm__ volatile("" : : "g"(&sum) : "memory"); /* every loop is done, not only the last */
    }
    return sum;
}
