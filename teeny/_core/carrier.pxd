"""The boundary: any array as an `AnyRank`.

``at.c`` is the C struct (``teeny/anyrank.h``), valid while `at` lives.
"""

from teeny._core.view cimport Strided

cdef class AnyRank(Strided):
    cdef object store              # the inline metadata of copy_meta, or None

# as_anyrank with its defaults: no copy, host memory.
cdef AnyRank carry(object x, str what)
