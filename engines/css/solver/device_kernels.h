/* The kernels of matching, compiled for a device, and the geometry of their launches. */
#ifndef HED_CSS_DEVICE_KERNELS_H
#define HED_CSS_DEVICE_KERNELS_H

#include "tables/device_tables.h"

typedef enum css_kernel {
    CSS_PRESENCE,
    CSS_PRUNE,
    CSS_ACTS,
    CSS_KINDS,
    CSS_BITS,
    CSS_PATHS,
    CSS_CLASSES,
    CSS_KERNELS
} css_kernel;

enum { CSS_MOST_ARGUMENTS = 15 };

typedef struct css_kernels {
    hed_kernel *kernel[CSS_KERNELS];
    uint32_t group[CSS_KERNELS]; /* work items of a group */
} css_kernels;

extern const hed_kernel_def css_kernel_defs[CSS_KERNELS];

/* `wide`: groups as wide as a GPU's on a processor, too. */
hed_status css_kernels_create(
    css_kernels *kernels, hed_device *device, bool wide, hed_error *error);
void css_kernels_destroy(css_kernels *kernels);
/* Number of a kernel's own scalar arguments, after the common ones. */
uint32_t css_kernel_numbers(css_kernel kernel);
/* True if a kernel has a local array, its last argument. */
bool css_kernel_local(css_kernel kernel);
/* True if the local memory suffices for all kernels. */
bool css_kernels_fit(
    const css_kernels *kernels, const css_fixed *fixed, const hed_device_info *info);
/* Sets fixed->list_groups and fixed->check_groups. */
void css_kernels_groups(const css_kernels *kernels, css_fixed *fixed, const hed_device_info *info);
/* Geometry of a launch over `count` elements, or slots of classes. */
void css_kernel_layout(const css_kernels *kernels, const css_fixed *fixed,
    const hed_device_info *info, css_kernel kernel, uint32_t count, hed_geometry *geometry);

#endif
