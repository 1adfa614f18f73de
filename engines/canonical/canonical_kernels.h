/* What the files of the canonical kernels share: the table of embedded texts, the descriptions,
 * sample data, and the way a native function is compiled for more than one instruction set. */
#ifndef HED_CANONICAL_KERNELS_H
#define HED_CANONICAL_KERNELS_H

#include "heddle/canonical.h"

/* Order of the texts in hed_canonical_files, as CMakeLists.txt lists them. */
enum {
    HED_CANONICAL_CONVOLUTION_CL,
    HED_CANONICAL_COPY_CL,
    HED_CANONICAL_MATMUL_CL,
    HED_CANONICAL_NBODY_CL,
    HED_CANONICAL_REDUCTION_CL,
    HED_CANONICAL_SAXPY_CL,
    HED_CANONICAL_SCAN_CL,
    HED_CANONICAL_SCAN_SINGLE_CL,
    HED_CANONICAL_SCAN_TREE_CL,
    HED_CANONICAL_TRANSPOSE_CL
};
extern const hed_source hed_canonical_files[];

extern const hed_kernel_def hed_convolution_def;
extern const hed_kernel_def hed_copy_def;
extern const hed_kernel_def hed_matmul_def;
extern const hed_kernel_def hed_nbody_def;
extern const hed_kernel_def hed_reduction_def;
extern const hed_kernel_def hed_saxpy_def;
extern const hed_kernel_def hed_scan_def;
extern const hed_kernel_def hed_scan_single_def;
extern const hed_kernel_def hed_scan_tree_def;
extern const hed_kernel_def hed_transpose_def;

/* Words of a repeatable random sequence; its own one for each seed and argument. */
void hed_canonical_fill_words(uint32_t *words, uint64_t count, uint64_t seed, uint32_t argument);
/* Likewise floats in (-1, 1), none of them zero. */
void hed_canonical_fill_floats(float *values, uint64_t count, uint64_t seed, uint32_t argument);

static inline uint64_t hed_ceil_divide(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

/* Elements of a tile of `reduction` and `scan`: TILE in their texts. */
enum { HED_CANONICAL_TILE = 4096 };

/* Bytes of `scan_single`'s workspace for n elements, in whatever configuration. */
uint64_t hed_canonical_scan_workspace(uint64_t n);

/* Local arrays whose size stands in the text: CUDA gives them 48 KiB whatever the device has. */
static inline bool hed_static_local_fits(const hed_device_info *device, uint64_t bytes)
{
    return bytes <= 48u << 10 && bytes <= device->local_bytes;
}

/* Whether groups of `items`, each with about `registers` registers, fit a compute unit; true where
 * the device does not tell. */
static inline bool hed_registers_fit(
    const hed_device_info *device, uint64_t items, uint64_t registers)
{
    return device->registers == 0 || items * registers <= device->registers;
}

/* Variants with lane exchanges are written for warps of 32. */
static inline bool hed_has_lanes_of_32(const hed_device_info *device)
{
    return (device->capabilities & HED_CAN_LANES) && device->lane_width == 32;
}

#define HED_COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Makes `name`, a hed_native_range_function, from `body`, a HED_NATIVE_BODY function of the same
 * type: compiled once for the baseline and, on x86-64, once more for AVX2 with fused multiply-add.
 * Same bits: fma() is fma() in both. */
#define HED_NATIVE_BODY static inline __attribute__((always_inline)) void
#if defined(__x86_64__)
#define HED_NATIVE_CLONES(name, body) \
    __attribute__((target("avx2,fma"))) static void name##_avx2( \
        const hed_native_call *call, uint64_t begin, uint64_t end) \
    { \
        body(call, begin, end); \
    } \
    static void name(const hed_native_call *call, uint64_t begin, uint64_t end) \
    { \
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) \
            name##_avx2(call, begin, end); \
        else body(call, begin, end); \
    }
#else
#define HED_NATIVE_CLONES(name, body) \
    static void name(const hed_native_call *call, uint64_t begin, uint64_t end) \
    { \
        body(call, begin, end); \
    }
#endif

#endif
