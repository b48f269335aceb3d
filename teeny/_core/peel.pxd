"""Cursors over the batch of an array (see ``teeny/peel.h``).

`keep` is minus the number of trailing axes that make a cell. A cursor points into
the carrier, which must outlive it; none of this needs the GIL.

    cdef cursor_t cur
    raise_status(peel_begin(&cur, &at.c, -2, lo, hi), "my_function")
    with nogil:
        while peel_next(&cur):
            cell_move(cell, cur.cell)   # `cell` is a typed memoryview of a cell
"""

from libc.stdint cimport int32_t, int64_t

from teeny._core.view cimport Strided, View
from teeny._core.vocabulary cimport anyrank_t

cdef extern from "teeny/peel.h" nogil:
    ctypedef struct cursor_t "teeny_cursor_t":
        void *cell         # the current cell, once peel_next was true
        int64_t linear     # which cell of the whole batch it is
        int64_t end
        int32_t rank       # batch axes
        int64_t index[64]  # along each of them

    # Number of cells, or a negative status.
    int64_t size_front "teeny_size_front"(const anyrank_t *array, int keep) noexcept

    # Places the cursor before cell `lo`, to stop before cell `hi`; a negative status is a refusal.
    int peel_begin "teeny_peel_begin"(cursor_t *cur, const anyrank_t *array, int keep,
                                      int64_t lo, int64_t hi) noexcept

    # Moves to the next cell; false if there is none.
    bint peel_next "teeny_peel_next"(cursor_t *cur) noexcept

    # Cell i, which must lie in the batch: for random access.
    void *peel_at "teeny_peel_at"(const anyrank_t *array, int keep, int64_t i) noexcept

    const int MAX_TOGETHER "TEENY_MAX_TOGETHER"

    # Cells of up to MAX_TOGETHER arrays, whose batches are broadcast against each other.
    ctypedef struct together_t "teeny_together_t":
        void *cell[8]      # the current one of each, once together_next was true
        int64_t linear     # which cell of the whole batch it is
        int64_t end
        int64_t cells      # in the whole batch
        int32_t rank       # batch axes
        int64_t shape[64]  # of the batch
        int64_t index[64]

    # Places the cursor before the first of all cells and returns their number, or a negative status.
    int64_t together_begin "teeny_together_begin"(together_t *cur, const anyrank_t *const *arrays, const int *keep,
                                                  int count) noexcept

    # Only cells lo to hi of the whole batch: for a cursor that has begun, one per worker.
    int together_subrange "teeny_together_subrange"(together_t *cur, int64_t lo, int64_t hi) noexcept

    # Moves to the next cells; false if there are none.
    bint together_next "teeny_together_next"(together_t *cur) noexcept

    # cell_move(slice, pointer): a typed memoryview of one cell now shows the cell at `pointer`.
    void cell_move "TEENY_CELL_MOVE"(...) noexcept

# The methods of AnyRank; `what` names the method in errors.
cdef int64_t count_cells(Strided source, object keep, int *kept, str what) except -1
cdef View cell_at(Strided source, object i, object keep, object layout)
cdef object cells_of(Strided source, object keep)
