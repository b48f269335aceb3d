"""The table of leaf pointers that every module of kernels for elements hands out.

Indexed [operation][NumPy's type number of the inputs]. A family fills in what it has.
"""

from teeny._core.run cimport leaf_t

cdef extern from *:
    """
    #include "teeny/run.h"

    #define TEENY_KERNELS "teeny.kernels"

    enum {
        TEENY_OP_ADD, TEENY_OP_SUB, TEENY_OP_MUL, TEENY_OP_DIV, TEENY_OP_MINIMUM, TEENY_OP_MAXIMUM,
        TEENY_OP_EQUAL, TEENY_OP_NOT_EQUAL, TEENY_OP_LESS, TEENY_OP_LESS_EQUAL, TEENY_OP_GREATER,
        TEENY_OP_GREATER_EQUAL,
        TEENY_OP_NEG, TEENY_OP_ABS, TEENY_OP_SIGN, TEENY_OP_SQRT, TEENY_OP_FLOOR, TEENY_OP_CEIL, TEENY_OP_TRUNC,
        TEENY_OP_ROUND,
        TEENY_OP_CLAMP, TEENY_OP_FMA, TEENY_OP_AXPY,
        TEENY_OP_EXP, TEENY_OP_LOG, TEENY_OP_SIN, TEENY_OP_COS, TEENY_OP_TANH, TEENY_OP_POW,
        TEENY_KERNEL_OPS
    };

    typedef struct {
        teeny_leaf_t leaf[TEENY_KERNEL_OPS][16];
    } teeny_kernels_t;
    """
    const char *KERNELS "TEENY_KERNELS"

    enum:
        OP_ADD "TEENY_OP_ADD"
        OP_SUB "TEENY_OP_SUB"
        OP_MUL "TEENY_OP_MUL"
        OP_DIV "TEENY_OP_DIV"
        OP_MINIMUM "TEENY_OP_MINIMUM"
        OP_MAXIMUM "TEENY_OP_MAXIMUM"
        OP_EQUAL "TEENY_OP_EQUAL"
        OP_NOT_EQUAL "TEENY_OP_NOT_EQUAL"
        OP_LESS "TEENY_OP_LESS"
        OP_LESS_EQUAL "TEENY_OP_LESS_EQUAL"
        OP_GREATER "TEENY_OP_GREATER"
        OP_GREATER_EQUAL "TEENY_OP_GREATER_EQUAL"
        OP_NEG "TEENY_OP_NEG"
        OP_ABS "TEENY_OP_ABS"
        OP_SIGN "TEENY_OP_SIGN"
        OP_SQRT "TEENY_OP_SQRT"
        OP_FLOOR "TEENY_OP_FLOOR"
        OP_CEIL "TEENY_OP_CEIL"
        OP_TRUNC "TEENY_OP_TRUNC"
        OP_ROUND "TEENY_OP_ROUND"
        OP_CLAMP "TEENY_OP_CLAMP"
        OP_FMA "TEENY_OP_FMA"
        OP_AXPY "TEENY_OP_AXPY"
        OP_EXP "TEENY_OP_EXP"
        OP_LOG "TEENY_OP_LOG"
        OP_SIN "TEENY_OP_SIN"
        OP_COS "TEENY_OP_COS"
        OP_TANH "TEENY_OP_TANH"
        OP_POW "TEENY_OP_POW"
        KERNEL_OPS "TEENY_KERNEL_OPS"

    ctypedef struct kernels_t "teeny_kernels_t":
        leaf_t leaf[29][16]
