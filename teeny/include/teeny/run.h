/* What the driver hands to a leaf: one run of cells of every operand.
 *
 * Operands come inputs first, then outputs. Cell i of operand k starts at
 * element `op[k].data + i * op[k].step`; its own axes have `shape` and `strides`.
 * A leaf returns the number of cells that failed, and never touches the
 * interpreter. Where an operation reports the status of each cell, that is an int32
 * output: 0, or failed, or undefined because the input is not finite. An output may
 * be the very array an input is (same cells, same places), so a leaf loads a cell
 * before it stores it.
 */
#ifndef TEENY_RUN_H
#define TEENY_RUN_H

#include "vocabulary.h"

#define TEENY_MAX_OPERANDS 8

enum {
    TEENY_CELL_FAILED = 1,
    TEENY_CELL_UNDEFINED = 2,
};

typedef struct {
    void *data;              /* first cell of the run */
    int64_t step;            /* elements from one cell to the next */
    const int64_t *shape;    /* of a cell */
    const int64_t *strides;  /* of a cell, in elements */
} teeny_cells_t;

typedef struct {
    int64_t n;               /* cells in the run, at least 1 */
    void *context;           /* what the caller of the driver passed */
    teeny_cells_t op[TEENY_MAX_OPERANDS];
} teeny_run_t;

typedef int64_t (*teeny_leaf_t)(const teeny_run_t *run);

#endif
