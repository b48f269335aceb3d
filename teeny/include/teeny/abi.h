/* What two separately compiled modules must agree on to work together.
 *
 * A module that cimports teeny carries this from the teeny it was compiled with and
 * shows it at import to the teeny it meets (`import_teeny`).
 */
#ifndef TEENY_ABI_H
#define TEENY_ABI_H

#include <stddef.h>

#include "dlpack.h"
#include "peel.h"
#include "run.h"
#include "sample.h"
#include "view.h"

/* Raised when something that `tests/abi.json` lists is removed or changed. */
#define TEENY_ABI_VERSION 1

/* This struct never changes: it is how a disagreement about any other is told. */
typedef struct {
    const char *name;
    size_t size;
} teeny_abi_struct_t;

#define TEENY_ABI_STRUCT(type) { #type, sizeof(type) }

/* Every public struct; ends with an empty name. */
static const teeny_abi_struct_t teeny_abi_structs[] = {
    TEENY_ABI_STRUCT(teeny_dtype_t),
    TEENY_ABI_STRUCT(teeny_device_t),
    TEENY_ABI_STRUCT(teeny_anyrank_t),
    TEENY_ABI_STRUCT(teeny_anyrank64_t),
    TEENY_ABI_STRUCT(teeny_anyrank32_t),
    TEENY_ABI_STRUCT(teeny_cursor_t),
    TEENY_ABI_STRUCT(teeny_together_t),
    TEENY_ABI_STRUCT(teeny_view_t),
    TEENY_ABI_STRUCT(teeny_view32_t),
    TEENY_ABI_STRUCT(teeny_static_view_t),
    TEENY_ABI_STRUCT(teeny_cells_t),
    TEENY_ABI_STRUCT(teeny_run_t),
    TEENY_ABI_STRUCT(teeny_sample_t),
    TEENY_ABI_STRUCT(teeny_bundle_t),
    TEENY_ABI_STRUCT(teeny_mask_t),
    TEENY_ABI_STRUCT(teeny_dltensor_t),
    TEENY_ABI_STRUCT(teeny_dlmanaged_t),
    TEENY_ABI_STRUCT(teeny_dlversion_t),
    TEENY_ABI_STRUCT(teeny_dlversioned_t),
    TEENY_ABI_STRUCT(teeny_abi_struct_t),
    { NULL, 0 }
};

#endif
