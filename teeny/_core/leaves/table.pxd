"""The table of leaf pointers that every module of leaves hands out.

Indexed [operation][storage][size]: storage 0 is float32, 1 is float64; size is
that of all axes of a cell alike, and 0 stands for a leaf that reads them from the
run, each at most 8. A family fills in what it has.
"""

from teeny._core.run cimport leaf_t

cdef extern from *:
    """
    #include "teeny/run.h"

    #define TEENY_LEAVES "teeny.leaves"

    enum {
        TEENY_OP_INV, TEENY_OP_DET, TEENY_OP_SLOGDET, TEENY_OP_SOLVE, TEENY_OP_SOLVEVEC,
        TEENY_OP_CHOLESKY, TEENY_OP_CHO_SOLVE, TEENY_OP_QR,
        TEENY_OP_EIGH, TEENY_OP_EIGVALSH, TEENY_OP_SVD, TEENY_OP_SVDVALS, TEENY_OP_PINV, TEENY_OP_LSTSQ,
        TEENY_OP_MATMUL, TEENY_OP_MATVEC, TEENY_OP_VECMAT, TEENY_OP_OUTER, TEENY_OP_TRACE, TEENY_OP_EXPM,
        TEENY_OP_SYM_PACK, TEENY_OP_SYM_UNPACK, TEENY_OP_SYM_MATVEC, TEENY_OP_SYM_SOLVE, TEENY_OP_SYM_INV,
        TEENY_OP_SYM_DET,
        TEENY_OPS
    };

    typedef struct {
        teeny_leaf_t leaf[TEENY_OPS][2][9];
    } teeny_leaves_t;
    """
    const char *LEAVES "TEENY_LEAVES"

    enum:
        OP_INV "TEENY_OP_INV"
        OP_DET "TEENY_OP_DET"
        OP_SLOGDET "TEENY_OP_SLOGDET"
        OP_SOLVE "TEENY_OP_SOLVE"
        OP_SOLVEVEC "TEENY_OP_SOLVEVEC"
        OP_CHOLESKY "TEENY_OP_CHOLESKY"
        OP_CHO_SOLVE "TEENY_OP_CHO_SOLVE"
        OP_QR "TEENY_OP_QR"
        OP_EIGH "TEENY_OP_EIGH"
        OP_EIGVALSH "TEENY_OP_EIGVALSH"
        OP_SVD "TEENY_OP_SVD"
        OP_SVDVALS "TEENY_OP_SVDVALS"
        OP_PINV "TEENY_OP_PINV"
        OP_LSTSQ "TEENY_OP_LSTSQ"
        OP_MATMUL "TEENY_OP_MATMUL"
        OP_MATVEC "TEENY_OP_MATVEC"
        OP_VECMAT "TEENY_OP_VECMAT"
        OP_OUTER "TEENY_OP_OUTER"
        OP_TRACE "TEENY_OP_TRACE"
        OP_EXPM "TEENY_OP_EXPM"
        OP_SYM_PACK "TEENY_OP_SYM_PACK"
        OP_SYM_UNPACK "TEENY_OP_SYM_UNPACK"
        OP_SYM_MATVEC "TEENY_OP_SYM_MATVEC"
        OP_SYM_SOLVE "TEENY_OP_SYM_SOLVE"
        OP_SYM_INV "TEENY_OP_SYM_INV"
        OP_SYM_DET "TEENY_OP_SYM_DET"
        OPS "TEENY_OPS"

    ctypedef struct leaves_t "teeny_leaves_t":
        leaf_t leaf[26][2][9]
