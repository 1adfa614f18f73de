/* Kernels of the synth: their texts (embedded by CMakeLists.txt) and descriptions. */
#ifndef SYNTH_KERNELS_H
#define SYNTH_KERNELS_H

#include "heddle/author.h"
#include "heddle/launch.h"
#include "heddle/synth.h"
#include "heddle/view.h"
#include "support/words.h"

#include "kernels/layout.h"

extern const char hed_synth_layout_h[], hed_synth_physics_store_h[], hed_synth_physics_spring_h[],
    hed_synth_physics_body_h[], hed_synth_physics_exciters_h[], hed_synth_physics_h[],
    hed_synth_store_cl[];

/* First texts of each kernel that steps entities. The kernel defines SYNTH_SPACE. */
#define SYNTH_PHYSICS_SOURCES \
    {"layout.h", hed_synth_layout_h, 0}, {"physics_store.h", hed_synth_physics_store_h, 0}, \
        {"physics_spring.h", hed_synth_physics_spring_h, 0}, \
        {"physics_body.h", hed_synth_physics_body_h, 0}, \
        {"physics_exciters.h", hed_synth_physics_exciters_h, 0}, \
    { \
        "physics.h", hed_synth_physics_h, 0 \
    }

/* Solvers group and global: store.c. */
HED_VIEW(synth_store_view, SYNTH_STORE_IN_LOCAL)
enum {
    SYNTH_STORE_INSTANCES,
    SYNTH_STORE_WORDS,
    SYNTH_STORE_ITEMS,
    SYNTH_STORE_BLOCK,
    SYNTH_STORE_DIMENSIONS
};
extern const hed_kernel_def synth_group_def, synth_global_def;

/* Solver group as a resident kernel. A request is a head followed by pokes as in the other
 * kernels. */
HED_VIEW(synth_resident_view, SYNTH_RESIDENT)
enum { SYNTH_REQUEST_PLAY, SYNTH_REQUEST_REST, SYNTH_REQUEST_SAVE, SYNTH_REQUEST_LOAD };
typedef struct synth_request_head {
    uint32_t command, sample, frames, channels;
} synth_request_head;
extern const hed_kernel_def synth_resident_def;

/* Sample problems of the kernels that run programs: an instrument with all types of entities and
 * modulation between them. */

/* Makes a string of `bodies` bodies with every kind of exciter and microphone. Errors: MEMORY. */
hed_status synth_sample_instrument(
    uint32_t bodies, hed_synth_instrument **instrument, hed_error *error);

/* Return the size, bytes, and write the first content of an argument of synth_group for that
 * instrument. */
uint64_t synth_sample_bytes(
    uint32_t bodies, uint32_t instances, uint32_t frames, uint32_t argument);
void synth_sample_fill(uint32_t bodies, uint32_t instances, uint32_t frames, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed);

#endif
