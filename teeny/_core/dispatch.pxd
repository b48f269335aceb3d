"""Static tags and fused types: the axes along which kernels are instantiated.

A kernel fused over ``real`` and ``static_int`` takes one pointer of each as its
trailing parameters and is called with NULL for both; indexing it by types,
``kernel[float, Int3]``, names one specialisation, and ``sizeof(static_int)`` is
the size it was compiled for.
"""

cdef extern from "teeny/static_int.h" nogil:
    ctypedef struct Int1 "teeny_int1":
        pass
    ctypedef struct Int2 "teeny_int2":
        pass
    ctypedef struct Int3 "teeny_int3":
        pass
    ctypedef struct Int4 "teeny_int4":
        pass
    ctypedef struct Int5 "teeny_int5":
        pass
    ctypedef struct Int6 "teeny_int6":
        pass
    ctypedef struct Int7 "teeny_int7":
        pass
    ctypedef struct Int8 "teeny_int8":
        pass

ctypedef fused static_int:
    Int1
    Int2
    Int3
    Int4
    Int5
    Int6
    Int7
    Int8

ctypedef fused real:
    float
    double

ctypedef fused number:
    float
    double
    float complex
    double complex
