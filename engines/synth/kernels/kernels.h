/* The synth's kernels: their texts (embedded by CMakeLists.txt) and descriptions. */
#ifndef SYNTH_KERNELS_H
#define SYNTH_KERNELS_H

#include "heddle/synth.h"

#define SYNTH_COUNT(array) (sizeof(array) / sizeof(array)[0])

extern const char hed_synth_layout_h[], hed_synth_physics_store_h[], hed_synth_physics_body_h[], hed_synth_physics_exciters_h[],
    hed_synth_physics_modulators_h[], hed_synth_physics_h[], hed_synth_store_cl[];

/* The first texts of each kernel that steps entities. It defines SYNTH_SPACE. */
#define SYNTH_PHYSICS_SOURCES \
    {"layout.h", hed_synth_layout_h, 0}, {"physics_store.h", hed_synth_physics_store_h, 0}, {"physics_body.h", hed_synth_physics_body_h, 0}, \
        {"physics_exciters.h", hed_synth_physics_exciters_h, 0}, {"physics_modulators.h", hed_synth_physics_modulators_h, 0}, \
    { \
        "physics.h", hed_synth_physics_h, 0 \
    }

/* Structures group and global: store.c. */
enum { SYNTH_STORE_STORES, SYNTH_STORE_DELAYS, SYNTH_STORE_INPUTS, SYNTH_STORE_STEMS, SYNTH_STORE_POKES, SYNTH_STORE_LAYOUT, SYNTH_STORE_SAMPLE,
       SYNTH_STORE_FRAMES, SYNTH_STORE_LOCAL, SYNTH_STORE_ARGUMENTS };
enum { SYNTH_STORE_INSTANCES, SYNTH_STORE_WORDS, SYNTH_STORE_ITEMS, SYNTH_STORE_BLOCK, SYNTH_STORE_DIMENSIONS };
extern const hed_kernel_def synth_group_def, synth_global_def;

#endif
