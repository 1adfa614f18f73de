/* HED_CLOTH_SOLVER_CPU: bands of the mesh, packs of figures (tables/figures.h), and the functions
 * that solve packs in SIMD registers.
 *
 * The mesh is cut into bands whose figures reach no farther than the next band. So step s of a
 * band can begin as soon as step s - 1 of the neighbouring bands is done, long before the step
 * is finished elsewhere: a few bands at a time pass all steps while they are in the cache. */
#ifndef CLOTH_NATIVE_H
#define CLOTH_NATIVE_H

#include "tables/figures.h"
#include "kernels/chain_kernels.h"
#include "kernels/element_patch_kernel.h"
#include "solver/host.h"

enum { CLOTH_LANES = 8 }; /* lanes of a pack */

/* Packs of eight figures that are solved at once, one in each lane. `words`: packs in order, in
 * rows of eight words: a header (materials of the constraints; CLOTH_LOCKED: 1 if a particle is
 * locked; CLOTH_EVEN: bits of the particles' weight if all weights are equal and all constraints
 * rigid, else 0), a row of byte offsets into the positions for each particle, a row of rest
 * lengths for each constraint; for an element or a cell the words after its particles. */
typedef struct cloth_packs {
    const uint32_t *words;
    float *pulled; /* (count x 3 rows) multipliers of elements that are swept; else NULL */
    uint32_t count;
    cloth_shape shape;
} cloth_packs;

enum { CLOTH_LOCKED = 6, CLOTH_EVEN = 7 };

static inline uint32_t cloth_pack_words(cloth_shape shape)
{
    uint32_t numbers = shape == CLOTH_SHAPE_ELEMENT ? CLOTH_ELEMENT_WORDS - CLOTH_ELEMENT_PARTICLES
                       : shape == CLOTH_SHAPE_CELL  ? 4
                                                    : cloth_shape_constraints(shape);
    return CLOTH_LANES * (1 + cloth_shape_particles(shape) + numbers);
}

/* Eight lines of a garment (cloth_line) that are solved at once, one in each lane; unused lanes
 * repeat the first line. */
typedef struct cloth_line_pack {
    const uint32_t *
        words; /* a row of byte offsets of the first particles, then four of weights for each row */
    uint32_t count;        /* rows of a line */
    uint32_t step, across; /* bytes */
} cloth_line_pack;

/* Eight chains of one direction that are solved at once, one in each lane; unused lanes repeat the
 * first chain. */
typedef struct cloth_chain_pack {
    /* a row of byte offsets of the first points, then for each edge rest lengths and compliances */
    const uint32_t *words;
    uint32_t count, step;    /* edges of a chain; bytes */
    float low, high, soften; /* limits of cloth_chains */
    uint32_t
        limits; /* pass of limits, whose maximum lengths are from `high` and `pulled`; else 0 */
} cloth_chain_pack;

/* Packs of a set of chains: of a garment's tension with all copies, or of a lattice. */
typedef struct cloth_chain_packs {
    uint32_t at[3]; /* first pack of each direction */
    cloth_chain_pack *packs;
    bool gives; /* an edge has compliance */
} cloth_chain_packs;

/* A lattice in each of a garment's copies. */
typedef struct cloth_native_lattice {
    const cloth_lattice *lattice;
    uint32_t at;  /* first of its places in a copy */
    bool follows; /* true if places start with the motions of the lattice before */
    cloth_chain_packs chains;
} cloth_native_lattice;

/* Lattices of a garment: coarse ones, then lattices of pins. */
typedef struct cloth_native_garment {
    cloth_native_lattice *lattices;      /* (lattice_count) */
    uint32_t level_count, lattice_count; /* coarse lattices; all lattices */
    cloth_chain_packs tension, limits;   /* the same lines; limits after contacts */
    float *pulled; /* multipliers of the lines, a row of lanes for each edge; NULL: rigid */
} cloth_native_garment;

/* One copy of a garment with the places of all its lattices. */
typedef struct cloth_native_copy {
    uint32_t garment, first; /* first particle */
    float4 *places, *motions, *before;
} cloth_native_copy;

/* Lattices and tension of all garments (native_lattices.c). */
typedef struct cloth_native_lattices {
    hed_arena arena;
    uint32_t garment_count, copy_count;
    bool remembers;                 /* cloth_remembers() */
    cloth_native_garment *garments; /* (garment_count) */
    cloth_native_copy *copies;
    uint32_t longest;     /* edges of the longest chain */
    uint32_t most_pulled; /* multipliers of the largest lattice, in rows of lanes */
} cloth_native_lattices;

/* Scratch of a row between the passes, floats: L, twice, and the correction. */
enum { CLOTH_LINE_SCRATCH = 5 * CLOTH_LANES };

/* A material in a substep: low and high as factors of the rest length, compliance / dt^2, 1 / dt^2,
 * and `relaxation` of cloth_project_cell(). */
typedef struct cloth_limits {
    float low, high, give, stiffness, over;
} cloth_limits;

/* Consecutive particles of one garment. */
typedef struct cloth_particles {
    uint32_t first, count, garment;
} cloth_particles;

/* All garments of a cloth with their copies, as packs for each step and band. */
typedef struct cloth_native_tables {
    hed_arena arena;
    uint32_t band_count, step_count;
    cloth_shape *shape; /* (step_count) */
    cloth_packs *packs; /* (step_count x band_count) */
    uint32_t *words;    /* (word_count) words of all packs, 32-byte aligned */
    uint64_t word_count;
    uint32_t line_pack_at[CLOTH_LINE_SETS + 1]; /* first of each set */
    cloth_line_pack *line_packs;
    uint32_t *line_words; /* (line_word_count) of all of them, 32-byte aligned */
    uint64_t line_word_count;
    uint32_t longest_line;      /* rows */
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
    cloth_integrate_view integrate;
    cloth_drive_view drive;
} cloth_arrays;

/* native_particles.c: integrate particles [begin, end); then collide, touch and drive them. */
void cloth_native_integrate(
    const cloth_arrays *arrays, const cloth_step *step, uint32_t begin, uint32_t end);
void cloth_native_act(
    const cloth_arrays *arrays, const cloth_step *step, uint32_t begin, uint32_t end);

/* Parameters of a substep of a garment's particles without driver and air. */
typedef struct cloth_verlet {
    /* kept fraction of the velocity times the ratio of steps; motion by gravity, m; the fourth
     * is 0 */
    float keep[4], fall[4];
    float longest; /* m along an axis */
    bool tethers;
    float recalled, part, more, thrown[4]; /* factors of cloth_remember(); the fourth is 0 */
} cloth_verlet;

/* native_packs.c: the functions that take the time, for one instruction set. */
typedef struct cloth_native_functions {
    const char *name;
    void (*packs)(void *positions, const cloth_packs *packs, const cloth_limits *limits);
    /* sweeps over strains again: number `sweep` of CLOTH_STRAIN_SWEEPS */
    void (*sweep)(void *positions, const cloth_packs *packs, float stiffness, uint32_t sweep);
    /* `scratch`: CLOTH_LINE_SCRATCH for each row */
    void (*line)(void *positions, const cloth_line_pack *pack, float stiffness, float *scratch);
    /* Integrates from `begin` up to `end` or a particle for cloth_native_integrate(). Returns
     * where it stopped. NULL: all particles are for cloth_native_integrate(). */
    /* `before`: points at the substep's start; NULL: edges pull along themselves */
    void (*chain)(void *points, const void *before, const cloth_chain_pack *pack, float stiffness,
        float *scratch, float *pulled);
    /* shortens edges after the limits; `pulled`: as of `chain` */
    void (*shorten)(
        void *points, const cloth_chain_pack *pack, float stiffness, const float *pulled);
    /* moves free points by the motions of places, m */
    void (*follow)(
        float4 *points, const cloth_share *shares, uint32_t count, const float4 *motions);
    uint32_t (*integrate)(const cloth_integrate_view *arrays, const cloth_verlet *verlet,
        uint32_t begin, uint32_t end);
} cloth_native_functions;
/* native_lattices.c. `*lattices` is NULL if no garment has any. Errors: MEMORY. */
hed_status cloth_native_lattices_create(
    const hed_cloth *cloth, cloth_native_lattices **lattices, hed_error *error);
void cloth_native_lattices_destroy(cloth_native_lattices *lattices);
/* Scratch of a thread, floats. */
uint64_t cloth_native_lattices_scratch(const cloth_native_lattices *lattices);

/* Threads of a substep: `team` NULL: one. */
typedef struct cloth_crew {
    hed_team *team;
    uint32_t threads, member; /* members from `threads` on only take part in barriers */
    const cloth_native_functions *functions;
    float4 *positions;
    const float4 *previous;    /* positions at the substep's start; NULL: as `before` of chain() */
    float stiffness, *scratch; /* scratch of the member */
} cloth_crew;
/* Solves the lattices before a sweep; tension and the lattices of pins after it. */
void cloth_native_coarse(const cloth_native_lattices *lattices, const cloth_crew *crew);
void cloth_native_tension(
    const cloth_native_lattices *lattices, uint32_t passes, const cloth_crew *crew);
/* Shortens edges that contacts have left too long (CLOTH_LIMIT). */
void cloth_native_limit(const cloth_native_lattices *lattices, const cloth_crew *crew);

/* Returns the versions that this processor runs, the fastest first; NULL after the last. */
const cloth_native_functions *cloth_native_functions_at(uint32_t index);

#endif
