"""The cimport face: names only. The contracts stand where the names are declared."""

from teeny._core.abi cimport import_teeny
from teeny._core.bundle cimport (bundle, bundle_lane, bundle_mask, bundle_t, mask_full, mask_lane, mask_t, sample,
                                 sample_t)
from teeny._core.carrier cimport AnyRank, carry as as_anyrank
from teeny._core.dispatch cimport Int1, Int2, Int3, Int4, Int5, Int6, Int7, Int8, number, real, static_int
from teeny._core.driver cimport batch_apply
from teeny._core.peel cimport (MAX_TOGETHER, cell_move, cursor_t, peel_at, peel_begin, peel_next, size_front,
                               together_begin, together_next, together_subrange, together_t)
from teeny._core.run cimport MAX_OPERANDS, cells_t, leaf_t, run_t
from teeny._core.view cimport view32_fill, view32_t, view_fill, view_t
from teeny._core.vocabulary cimport anyrank_t, device_t, dtype_t, raise_status
