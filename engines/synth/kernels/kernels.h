/* The synth's kernels: their texts (embedded by CMakeLists.txt) and descriptions. */
#ifndef SYNTH_KERNELS_H
#define SYNTH_KERNELS_H

#include "heddle/synth.h"

#define SYNTH_COUNT(array) (sizeof(array) / sizeof(array)[0])

/* The texts in front of a kernel that steps entities; before them one that defines SYNTH_SPACE. */
#define SYNTH_PHYSICS_SOURCES \
    {"layout.h", hed_synth_layout_h, 0}, {"physics_store.h", hed_synth_physics_store_h, 0}, {"physics_body.h", hed_synth_physics_body_h, 0}, \
    {"physics_exciters.h", hed_synth_physics_exciters_h, 0}, {"physics_modulators.h", hed_synth_physics_modulators_h, 0}, \
    { \
        "physics.h", hed_synth_physics_h, 0 \
    }
extern const char hed_synth_layout_h[], hed_synth_physics_store_h[], hed_synth_physics_body_h[], hed_synth_physics_exciters_h[],
    hed_synth_physics_modulators_h[], hed_synth_physics_h[];

#endif
