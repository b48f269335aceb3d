"""The tables of leaf pointers that the modules of leaves hand out.

Indexed [storage][size - 1]: storage 0 is float32, 1 is float64.
"""

from teeny._core.run cimport leaf_t

cdef extern from *:
    """
    #include "teeny/run.h"

    #define TEENY_SMALL_TABLE "teeny.small_table"

    typedef struct {
        teeny_leaf_t inv[2][8], det[2][8], solve[2][8];
    } teeny_small_table_t;
    """
    const char *SMALL_TABLE "TEENY_SMALL_TABLE"

    ctypedef struct small_table_t "teeny_small_table_t":
        leaf_t inv[2][8]
        leaf_t det[2][8]
        leaf_t solve[2][8]
