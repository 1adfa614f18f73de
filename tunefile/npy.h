/* Arrays in NumPy's file format (NEP 1), versions 1.0 and 2.0: little-endian float32, float64,
 * int32, uint32, int64 and uint64 in C order. Everything else is refused in words. */
#ifndef HED_TUNEFILE_NPY_H
#define HED_TUNEFILE_NPY_H

#include "heddle/kernel.h"

enum { HED_NPY_DIMENSIONS = 32 };

typedef struct hed_npy {
    hed_type type;
    uint32_t dimensions; /* 0: one number */
    uint64_t shape[HED_NPY_DIMENSIONS];
    uint64_t count; /* elements: the product of the shape */
    size_t offset;  /* of the first element in the file */
} hed_npy;

/* Understands a file's bytes; the elements are `npy->count` from bytes + npy->offset on, and
 * nothing follows them. `name` goes into messages. Errors: FORMAT. */
hed_status hed_npy_parse(
    const char *name, const void *bytes, size_t size, hed_npy *npy, hed_error *error);

#endif
