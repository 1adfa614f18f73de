/* Contents of arrays: by a rule and a seed in place of a file, or from NumPy's files. Of a rule,
 * each element depends on the rule, the seed and its own place alone, and is the same on every
 * machine. */
#ifndef HED_TUNEFILE_DATA_H
#define HED_TUNEFILE_DATA_H

#include "heddle/kernel.h"

typedef enum hed_generator_kind {
    HED_GENERATE_CONSTANT, /* `first` everywhere */
    HED_GENERATE_SEQUENCE, /* first, first + second, first + 2 * second, ... */
    HED_GENERATE_UNIFORM,  /* numbers from `first` to `second`: of floating-point types */
    HED_GENERATE_NORMAL,   /* mean `first`, standard deviation `second`: of floating-point types */
    HED_GENERATE_INTEGERS  /* whole numbers from `first` to `second`, both among them */
} hed_generator_kind;

typedef struct hed_generator {
    hed_generator_kind kind;
    double first, second;
    uint64_t seed;
} hed_generator;

/* Why a rule cannot fill arrays of this type: "uniform numbers are no ..."; NULL if it can.
 * HED_BYTES stands for 0 to 255. */
const char *hed_generator_wrong(const hed_generator *rule, hed_type type);
/* Fills `count` elements with a rule that is not wrong for the type. */
void hed_generate(const hed_generator *rule, hed_type type, void *data, uint64_t count);

/* Arrays in NumPy's file format (NEP 1), versions 1.0 and 2.0: little-endian float32, float64,
 * int32, uint32, int64 and uint64 in C order. Everything else is refused in words. */
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
