/* Shared declarations of the canonical kernels: their list, tiles, the limits that valid() checks,
 * and vectors of eight floats. */
#ifndef HED_CANONICAL_KERNELS_H
#define HED_CANONICAL_KERNELS_H

#include "heddle/author.h"
#include "heddle/canonical.h"

/* X(name) in the order of hed_canonical_at(). To add a kernel, add its name here, kernels/NAME.cl,
 * and kernels/NAME.c, which defines hed_NAME_def. */
#define HED_CANONICAL_KERNELS(X) \
    X(copy) \
    X(saxpy) \
    X(transpose) \
    X(reduction) \
    X(scan_tree) \
    X(scan) \
    X(scan_single) \
    X(convolution) \
    X(nbody) \
    X(matmul)

#define HED_CANONICAL_DECLARE(name) \
    extern const char hed_canonical_##name##_cl[]; \
    extern const hed_kernel_def hed_##name##_def;
HED_CANONICAL_KERNELS(HED_CANONICAL_DECLARE)

/* The text of a kernel, for its description. */
#define HED_CANONICAL_TEXT(name) HED_SOURCES({#name ".cl", hed_canonical_##name##_cl, 0})

/* The same kernel as shaders, with the same parameters: kernels/NAME.comp and kernels/NAME.wgsl. */
#define HED_CANONICAL_SHADERS(name) \
    HED_LIST(const hed_kernel_text, texts, text_count, \
        {HED_GLSL, NULL, (const hed_source[]){{#name ".comp", hed_canonical_##name##_comp, 0}}, \
            1}, \
        {HED_WGSL, NULL, (const hed_source[]){{#name ".wgsl", hed_canonical_##name##_wgsl, 0}}, \
            1})
#define HED_CANONICAL_DECLARE_SHADERS(name) \
    extern const char hed_canonical_##name##_comp[], hed_canonical_##name##_wgsl[];
HED_CANONICAL_DECLARE_SHADERS(copy)
HED_CANONICAL_DECLARE_SHADERS(transpose)
HED_CANONICAL_DECLARE_SHADERS(reduction)
HED_CANONICAL_DECLARE_SHADERS(convolution)
HED_CANONICAL_DECLARE_SHADERS(matmul)

/* ---- tiles ---- */

/* Elements of a tile of `reduction` and `scan`: TILE in their texts. */
enum { HED_CANONICAL_TILE = 4096 };

/* Lays out a group of WG items (the first parameter) for each tile of the first dimension. */
void hed_canonical_tiles_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry);

/* Returns the bytes of `scan_single`'s workspace for n elements, in any configuration. */
uint64_t hed_canonical_scan_workspace(uint64_t n);

/* ---- limits ---- */

/* True if local arrays of constant size fit: CUDA limits them to 48 KiB, whatever the device
 * has. */
static inline bool hed_static_local_fits(const hed_device_info *device, uint64_t bytes)
{
    return bytes <= 48u << 10 && bytes <= device->local_bytes;
}

/* True if groups of `items`, each with about `registers` registers, fit a compute unit, or if the
 * device does not report its registers. */
static inline bool hed_registers_fit(
    const hed_device_info *device, uint64_t items, uint64_t registers)
{
    return device->registers == 0 || items * registers <= device->registers;
}

/* True if the device has warps of 32, for which variants with lane exchanges are written. */
static inline bool hed_has_lanes_of_32(const hed_device_info *device)
{
    return (device->capabilities & HED_CAN_LANES) && device->lane_width == 32;
}

/* ---- vectors ---- */

/* Eight floats that the compiler keeps in one register (two on processors with 128 bits). The
 * operation is a macro because a vector as a function's argument would tie the function to one
 * instruction set. */
enum { HED_LANES = 8 };
typedef float hed_lanes __attribute__((vector_size(4 * HED_LANES)));

/* sum += a * from[0 .. HED_LANES), fused; `from` at any address. */
#define HED_LANES_FMA(sum, a, from) \
    do { \
        hed_lanes lanes_from; \
        memcpy(&lanes_from, from, sizeof lanes_from); \
        for (int lane = 0; lane < HED_LANES; lane++) \
            (sum)[lane] = __builtin_fmaf(a, lanes_from[lane], (sum)[lane]); \
    } while (0)

#endif
