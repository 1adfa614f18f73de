/* Parts of HED_CLOTH_NATIVE: figures of four particles, bands of the mesh, packs of figures, and
 * the functions that do them in SIMD registers.
 *
 * A figure is what is done with its particles in registers: a complete graph of four particles and
 * six constraints, a ring of four, or a pair. Figures of one step have no free particle in common,
 * so that their order is free. The mesh is cut into bands whose figures reach no farther than the
 * next band; so step s of a band may be done as soon as step s - 1 of the bands around it is, long
 * before the step is finished elsewhere: a few bands at a time go through all steps while they are
 * in the cache. */
#ifndef CLOTH_NATIVE_H
#define CLOTH_NATIVE_H

#include "solver/solver.h"

enum {
    CLOTH_NATIVE_NONE = 0xffffffffu,
    CLOTH_LANES = 8 /* of a pack */
};

typedef enum cloth_shape {
    CLOTH_SHAPE_RING,
    CLOTH_SHAPE_PAIR,
    CLOTH_SHAPE_COMPLETE,
    CLOTH_SHAPE_COUNT
} cloth_shape;

static inline uint32_t cloth_shape_particles(cloth_shape shape)
{
    return shape == CLOTH_SHAPE_PAIR ? 2 : 4;
}
static inline uint32_t cloth_shape_constraints(cloth_shape shape)
{
    if (shape == CLOTH_SHAPE_PAIR) return 1;
    return shape == CLOTH_SHAPE_RING ? 4 : 6;
}

/* Constraints of a complete figure, done in this order: three matchings. A ring has the first four,
 * a pair the first.
 */
static const uint8_t cloth_figure_ends[6][2]
    __attribute__((unused)) = {{0, 1}, {2, 3}, {0, 2}, {1, 3}, {0, 3}, {1, 2}};

typedef struct cloth_shaped {
    uint32_t particle[4];
    uint32_t constraint[6];
    cloth_shape shape;
    uint32_t step; /* among those of its shape */
} cloth_shaped;

/* A garment as figures. Rings come first in a substep, then pairs, then complete figures, which end
 * on the shortest constraints. */
typedef struct cloth_figures {
    hed_allocator allocator;
    uint32_t particle_count;
    uint32_t *level; /* (particle_count) particles of one figure are at most one level apart */
    uint32_t level_count;
    cloth_shaped *figures; /* (count), by shape and step */
    uint32_t count, capacity;
    uint32_t steps[CLOTH_SHAPE_COUNT];
} cloth_figures;

hed_status cloth_figures_create(
    const cloth_garment *garment, cloth_figures **figures, hed_error *error);
void cloth_figures_destroy(cloth_figures *figures);
/* The sweep as constraint numbers, for the reference: `order` (constraint_count). Gives how many;
 * those between locked ones are left out. */
uint32_t cloth_figures_order(const cloth_figures *figures, uint32_t *order);

/* native_levels.c: level of each particle, rows of a grid in twos, else breadth-first from a far
 * end. Errors: MEMORY.
 */
hed_status cloth_levels_create(
    const cloth_garment *garment, uint32_t *level, uint32_t *level_count, hed_error *error);

/* Eight figures that are done at once, one in each lane. `words` holds packs one behind another,
 * rows of eight words: a header (the constraints' materials; CLOTH_LOCKED: 1 where a locked
 * particle is among them; CLOTH_EVEN: the bits of the particles' weight where all have the same and
 * all constraints are rigid, else 0), for each of its particles byte offsets into the positions,
 * for each constraint rest lengths. */
typedef struct cloth_packs {
    const uint32_t *words;
    uint32_t count;
    cloth_shape shape;
} cloth_packs;

enum { CLOTH_LOCKED = 6, CLOTH_EVEN = 7 };

static inline uint32_t cloth_pack_words(cloth_shape shape)
{
    return CLOTH_LANES * (1 + cloth_shape_particles(shape) + cloth_shape_constraints(shape));
}

/* A material in a substep: low and high as shares of the rest length, and compliance / dt^2. */
typedef struct cloth_limits {
    float low, high, give, unused;
} cloth_limits;

/* Particles that lie behind each other and are of one garment. */
typedef struct cloth_particles {
    uint32_t first, count, garment;
} cloth_particles;

/* All garments of a cloth with their copies, as packs for each step and band. */
typedef struct cloth_native_tables {
    hed_allocator allocator;
    uint32_t band_count, step_count;
    cloth_shape *shape; /* (step_count) */
    cloth_packs *packs; /* (step_count x band_count) */
    uint32_t *words;    /* (word_count) of all packs, 32-byte aligned */
    uint64_t word_count;
    uint32_t *particles_at;     /* (band_count + 1) */
    cloth_particles *particles; /* (particle_runs) of each band */
    uint32_t particle_runs;
} cloth_native_tables;

/* native_tables.c. Errors: MEMORY. */
hed_status cloth_native_tables_create(
    const hed_cloth *cloth, cloth_native_tables **tables, hed_error *error);
void cloth_native_tables_destroy(cloth_native_tables *tables);

/* Arrays of the device, in place. */
typedef struct cloth_arrays {
    float4 *position, *previous;
    uint2 *carry;
    const float4 *garments, *air;
    const uint2 *tether;
    const uint *anchors;
    const float4 *driver_from, *driver_to, *driver_map;
    const float4 *colliders, *contact;
    uint2 *debug;
} cloth_arrays;

/* native_particles.c: particles [begin, end) with all that may be around them. */
void cloth_native_integrate(
    const cloth_arrays *arrays, const cloth_step *step, uint32_t begin, uint32_t end);
void cloth_native_act(
    const cloth_arrays *arrays, const cloth_step *step, uint32_t begin, uint32_t end);

/* A step of a garment's particles without driver and air. */
typedef struct cloth_verlet {
    /* share of the velocity kept, times the ratio of steps; m by gravity; 0 last */
    float keep[4], fall[4];
    float longest; /* m along an axis */
    bool tethers;
} cloth_verlet;

/* native_packs.c: one version of what takes the time. */
typedef struct cloth_native_functions {
    const char *name;
    void (*packs)(void *positions, const cloth_packs *packs, const cloth_limits *limits);
    /* From `begin` on, up to `end` or a particle that it leaves to cloth_native_integrate(): gives
     * where it stopped. NULL: leaves all. */
    uint32_t (*integrate)(
        const cloth_arrays *arrays, const cloth_verlet *verlet, uint32_t begin, uint32_t end);
} cloth_native_functions;
/* Those that this processor has, the fastest first; NULL beyond them. */
const cloth_native_functions *cloth_native_functions_at(uint32_t index);

#endif
