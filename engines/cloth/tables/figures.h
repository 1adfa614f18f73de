/* Figures of a garment, and a garment as figures only, for HED_CLOTH_SOLVER_CPU.
 *
 * The constraints of a figure are done with its particles in registers: a complete graph of four
 * particles and six constraints, a ring of four, or a pair. Figures of one step have no free
 * particle in common, so that their order does not matter. */
#ifndef CLOTH_FIGURES_H
#define CLOTH_FIGURES_H

#include "model/garment.h"

#define CLOTH_NONE 0xffffffffu

typedef enum cloth_shape {
    CLOTH_SHAPE_ELEMENT, /* a triangle of a fabric (model/element.c), not a figure of distances */
    CLOTH_SHAPE_CELL,    /* diagonals of a fabric's cell, as one constraint (model/cell.c) */
    CLOTH_SHAPE_RING,
    CLOTH_SHAPE_PAIR,
    CLOTH_SHAPE_COMPLETE,
    CLOTH_SHAPE_COUNT
} cloth_shape;

static inline uint32_t cloth_shape_particles(cloth_shape shape)
{
    if (shape == CLOTH_SHAPE_ELEMENT) return CLOTH_ELEMENT_PARTICLES;
    return shape == CLOTH_SHAPE_PAIR ? 2 : 4;
}
static inline uint32_t cloth_shape_constraints(cloth_shape shape)
{
    if (shape < CLOTH_SHAPE_RING) return 0;
    if (shape == CLOTH_SHAPE_PAIR) return 1;
    return shape == CLOTH_SHAPE_RING ? 4 : 6;
}

/* Constraints of a complete figure, done in this order: three matchings. A ring has the first four,
 * a pair the first.
 */
static const uint8_t cloth_figure_ends[6][2]
    __attribute__((unused)) = {{0, 1}, {2, 3}, {0, 2}, {1, 3}, {0, 3}, {1, 2}};

/* Figure with the particles and constraints of the garment. */
typedef struct cloth_found {
    uint32_t particle[CLOTH_ELEMENT_PARTICLES];
    uint32_t
        constraint[6]; /* constraints; of a cell or an element: its number, in the first entry */
    cloth_shape shape;
    uint32_t step; /* step of the sweep, counted within the shape */
} cloth_found;

/* Garment as figures, without the bending constraints along lines of a grid. Elements and
 * cells come first in a substep, then rings, then pairs, then complete figures, which end on the shortest
 * constraints. */
typedef struct cloth_figures {
    hed_arena arena;
    uint32_t *level; /* (particle_count) levels of a figure's particles differ by at most one */
    uint32_t level_count;
    cloth_found *figures; /* (count), by shape and step */
    uint32_t count;
    uint32_t steps[CLOTH_SHAPE_COUNT];
} cloth_figures;

hed_status cloth_figures_create(
    const cloth_garment *garment, cloth_figures **figures, hed_error *error);
void cloth_figures_destroy(cloth_figures *figures);
/* Writes the sweep as constraint numbers, for the reference, into `order` (constraint_count).
 * Returns their count; constraints between locked particles are skipped. */
uint32_t cloth_figures_order(const cloth_figures *figures, uint32_t *order);

#endif
