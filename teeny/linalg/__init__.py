"""Linear algebra on batches of small matrices.

Arrays are ``(*batch, C, C)``: any number of leading axes, any strides. Float32
and float64 up to 8 x 8 run on this package's kernels (factorisations in float64,
rounded once; products in the type itself); float16 and bfloat16 are computed in
float64 and rounded once; larger, complex and integer matrices go to LAPACK. Inputs
are read where they lie; only byte-swapped and unaligned ones, and ones of another
dtype than the computation, are copied. ``numpy.matrix`` is taken as the array it
is; masked arrays are refused.
"""

from teeny.linalg import sym
from teeny.linalg.factors import cho_solve, cholesky
from teeny.linalg.leastsquares import QRResult, SVDResult, lstsq, pinv, qr, svd, svdvals
from teeny.linalg.powers import expm
from teeny.linalg.products import matmul, matrix_power, matvec, outer, trace, vecmat
from teeny.linalg.spectra import EighResult, eigh, eigvalsh
from teeny.linalg.systems import SlogdetResult, det, inv, slogdet, solve, solvevec

__all__ = [
    "EighResult",
    "QRResult",
    "SVDResult",
    "SlogdetResult",
    "cho_solve",
    "cholesky",
    "det",
    "eigh",
    "eigvalsh",
    "expm",
    "inv",
    "lstsq",
    "matmul",
    "matrix_power",
    "matvec",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solvevec",
    "svd",
    "svdvals",
    "sym",
    "trace",
    "vecmat",
]
