/* Prepared garment: checked, with its constraints in independent sets, its tethers and the
 * triangles around each particle. Plain C; no device. One for each hed_cloth_garment_def; its
 * copies use the same one. */
#ifndef CLOTH_GARMENT_H
#define CLOTH_GARMENT_H

#include "heddle/author.h"
#include "heddle/cloth.h"

/* Initialiser of hed_default_cloth_garment_def(): rigid constraints of all families. */
#define CLOTH_GARMENT_DEFAULTS \
    { \
        .density = 0.2f, .tether_slack = 1, .damping = 0.1f, .friction = 0.3f, \
        .thickness = 0.005f, .copies = 1, .family = {true, true, true}, .family_material = { \
            {1, 1, 0}, \
            {1, 1, 0}, \
            {1, 1, 0} \
        } \
    }

/* Bending constraint: the sum of weight x position, which is 0 where the cloth is flat, is
 * pulled to 0 as by a spring of 1 N/m. The weights add up to 0. A constraint of three particles
 * repeats one of them as its first, with weight 0. */
typedef struct cloth_bend {
    uint32_t particle[4];
    float weight[4];
} cloth_bend;

/* Constraint of both diagonals of a cell of a fabric's grid (cell.c). The struct has the size
 * of a cloth_bend, whose weights are never all above 0: a list of sums may have both. */
typedef struct cloth_diagonals {
    uint32_t particle[4]; /* ends of a diagonal, then ends of the other one */
    float rest[2];        /* lengths, m */
    float compliance[2];  /* compliance of the sum and of the difference of their excesses, m/N */
} cloth_diagonals;

/* Bending constraints of a grid that are solved as one system, each with its neighbours in the
 * line. Row j has the particles first + j step, + step, + 2 step of a line of the grid or, with
 * `across` above 0, first + j step, + step, + step + across, first + j step + across: the
 * corners of a cell of a strip. */
typedef struct cloth_line {
    uint32_t first, count, step, across; /* `count` rows */
    uint32_t weights;                    /* first row in the garment's line_weights */
} cloth_line;

/* Sets of lines: no particle is in two lines of a set. Along the warp, along the weft, strips of
 * cells. */
enum { CLOTH_LINES_WARP, CLOTH_LINES_WEFT, CLOTH_STRIPS_EVEN, CLOTH_STRIPS_ODD, CLOTH_LINE_SETS };

/* Triangle of a fabric with the three triangles across its sides: its own strain, and its
 * bending together with them (element.c). 32 words, in the order that devices use. */
enum { CLOTH_ELEMENT_PARTICLES = 6, CLOTH_ELEMENT_WORDS = 32 };
typedef struct cloth_element {
    /* particle across the side that faces each corner (if there is no triangle across, a corner
     * again), then the corners */
    uint32_t particle[CLOTH_ELEMENT_PARTICLES];
    /* coefficients of the displacements from the first corner to the second and third: their
     * sums are the images of a metre of warp and of weft */
    float warp[2], weft[2];
    float compliance[3]; /* m/N: warp, weft with the coupled warp, angle between them */
    float coupling;      /* strain of the warp that counts as strain of the weft */
    /* weights of three bending constraints, each as in cloth_bend */
    float bend[3][CLOTH_ELEMENT_PARTICLES];
} cloth_element;

/* Edge of a chain: rest length, m (CLOTH_NO_EDGE: no edge), and compliance, m/N. */
typedef struct cloth_edge {
    float rest, compliance;
} cloth_edge;
#define CLOTH_NO_EDGE 1e30f
/* Factor of the diagonal of a chain's system: a straight chain between two pins is singular. */
#define CLOTH_CHAIN_DIAGONAL 1.001f

/* Points in a row, first + j step, whose distances are solved as one system of three diagonals. */
typedef struct cloth_chain {
    uint32_t first, count, step; /* `count` edges between count + 1 points */
    uint32_t edges;              /* first edge in cloth_chains.edges */
} cloth_chain;

/* Chains of two directions: along the warp, then along the weft. No point is in two chains of a
 * direction. Limits of their stretch in contact: CLOTH_LIMIT (kernels/chain.h). */
typedef struct cloth_chains {
    uint32_t at[3]; /* first chain of each direction; at[2]: number of chains */
    cloth_chain *chains;
    uint32_t edge_count;
    cloth_edge *edges;
    /* minimum and maximum length / rest length. An edge between the two, with `low` below `high`,
     * is not part of the system */
    float low, high;
    /* factor of give^2 / (sum of inverse masses), which is added to an edge's give, compliance /
     * dt^2. The sweep holds the requested force of cloth that gives by itself; a lattice takes part
     * as far as one substep of the sweep is not enough */
    float soften;
} cloth_chains;

/* Place of a lattice: a weighted mean of particles. */
typedef struct cloth_place {
    uint32_t particle[3];
    float part[3];
    float inverse_mass; /* inverse mass of the cloth around it, 1/kg; 0: held */
} cloth_place;

/* Motion of a particle, or of a place of the next finer lattice: the weighted sum of the motions of
 * four places. */
typedef struct cloth_share {
    uint32_t point;
    uint32_t place[4];
    float part[4];
} cloth_share;

/* Grid of places over a garment (lattice.c). Its chains are solved `sweeps` times, `touched_sweeps`
 * times if cloth may touch anything, one direction after the other, then the points of its shares
 * follow. */
typedef struct cloth_lattice {
    uint32_t sweeps, touched_sweeps, hung_sweeps, place_count, share_count;
    cloth_place *places;
    cloth_share *shares; /* motions of particles, or of places of the next finer lattice */
    bool is_inner;       /* shares are of places */
    cloth_chains chains; /* points: places */
} cloth_lattice;

/* Kinds of stiffness of a fabric, in the order of hed_cloth_fabric. */
enum { CLOTH_WARP, CLOTH_WEFT, CLOTH_SHEARED, CLOTH_BENT_WARP, CLOTH_BENT_WEFT, CLOTH_STIFF_COUNT };

typedef struct cloth_garment {
    hed_arena arena; /* memory of the garment and of all its arrays */
    char name[64];
    uint32_t particle_count;
    uint32_t spare_count;  /* number of the last particles, which no face has (tear.h) */
    float (*positions)[4]; /* (particle_count) x y z m, inverse mass 1/kg */
    float (*rest)[3];      /* (particle_count) m */
    uint32_t grid_width, grid_height;

    uint32_t constraint_count;
    /* (constraint_count) sorted by colour: no free particle twice in a colour; then the
     * `loose_count` edges that elements, cells and chains replace: no solver uses these, but
     * lengths are measured on them and tethers run along them */
    uint32_t loose_count;
    hed_cloth_constraint *constraints;
    uint8_t *families; /* (constraint_count) hed_cloth_family */
    uint32_t material_count;
    /* (material_count) the last one is for seams, if the garment has seams */
    hed_cloth_material *materials;
    uint32_t seam_count;
    float seam_seconds;
    uint32_t colour_count;
    uint32_t *colour_at; /* (colour_count + 1) first constraint of each colour */
    uint32_t degree;     /* maximum of constraints at one free particle */

    bool has_fabric;
    hed_cloth_fabric fabric;
    uint32_t bend_count;
    cloth_bend *bends; /* (bend_count) sorted by colour, like the constraints */
    uint32_t bend_colours;
    uint32_t *bend_at; /* (bend_colours + 1) first bending constraint of each colour */
    /* first line of each set: the constraints in `bends` again, as lines */
    uint32_t line_at[CLOTH_LINE_SETS + 1];
    cloth_line *lines;
    uint32_t cell_count;
    cloth_diagonals *cells; /* (cell_count) of a grid, sorted by colour, directly after `bends` */
    uint32_t cell_colours;
    uint32_t *cell_at; /* (cell_colours + 1) first cell of each colour */
    /* (bend_colours + cell_colours + 1) colours of `bends` and `cells` as one list */
    uint32_t *sum_at;
    uint32_t line_rows;
    float (*line_weights)[4]; /* (line_rows) in a row's order of particles; all 0: no constraint */
    uint32_t element_count;
    cloth_element *elements; /* (element_count) sorted by colour */
    uint32_t element_colours;
    uint32_t *element_at; /* (element_colours + 1) first element of each colour */
    /* tension along the lines of a grid, in place of its structural constraints, which are loose;
     * empty: edges are constraints */
    cloth_chains tension;
    /* lattices before each sweep, coarse first; lattices of pins after the chains of tension */
    uint32_t lattice_count, pin_lattice_count;
    cloth_lattice *lattices, *pin_lattices;
    /* mean over the constraints of each kind: (sum of inverse mass x weight^2) / 2 / compliance,
     * 1/s^2 */
    double softening[CLOTH_STIFF_COUNT];

    uint32_t anchor_count;   /* 0: no tethers */
    uint32_t *anchors;       /* (anchor_count) locked particles that tethers lead to */
    uint32_t *tether_anchor; /* (particle_count) index in `anchors`, UINT32_MAX: no tether */
    float *tether_length;    /* (particle_count) m */

    uint32_t triangle_count;
    uint32_t (*triangles)[3]; /* (triangle_count) a quad makes two */
    uint32_t *incident_at;    /* (particle_count + 1) */
    uint32_t *incident;       /* triangles around each particle, ascending */

    bool driven;
    /* (particle_count) R b r s k 0 0 0, as cloth_drive() takes them; NULL: not driven */
    float (*driver_map)[8];
    float velocity[3], angular_velocity[3]; /* m/s, rad/s around `middle` */
    double middle[3];                       /* centre of the free particles' masses, m */
    /* m, farthest that a particle may be from the middle of the start positions' box, while the
     * garment's middle particle is where it was */
    double reach;
    float linear_inertia, angular_inertia;
    float pressure; /* Pa */
    float gas;      /* Pa m^3, pressure x volume; 0: pressure does not depend on the volume */
    float damping, vertical_damping, drag, lift, friction, thickness;
    hed_cloth_self_collision self_collision;
    uint32_t vertex_count;
    uint32_t *vertex_particle; /* (vertex_count) */
    uint32_t copies;
} cloth_garment;

/* True if the garment is a grid: its fabric is springs and bending constraints, not elements. */
static inline bool cloth_is_grid(const cloth_garment *garment)
{
    return garment->grid_width > 1 && garment->grid_height > 1;
}

/* Sums of a fabric, in addition to its springs: bending constraints and cells, or elements. */
typedef struct cloth_sums {
    uint32_t count, colours;
    /* words of 32 bits in a sum; the first `particles` words are particles */
    uint32_t words, particles;
    const uint32_t *items; /* (count x words) by colour */
    const uint32_t *at;    /* (colours + 1) first sum of each colour */
} cloth_sums;

static inline cloth_sums cloth_elements_of(const cloth_garment *garment)
{
    return (cloth_sums){garment->element_count, garment->element_colours, CLOTH_ELEMENT_WORDS,
        CLOTH_ELEMENT_PARTICLES, (const uint32_t *)garment->elements, garment->element_at};
}

static inline cloth_sums cloth_cells_of(const cloth_garment *garment)
{
    return (cloth_sums){garment->cell_count, garment->cell_colours, sizeof(cloth_diagonals) / 4, 4,
        (const uint32_t *)garment->cells, garment->cell_at};
}

static inline cloth_sums cloth_sums_of(const cloth_garment *garment)
{
    if (garment->element_count) return cloth_elements_of(garment);
    return (cloth_sums){garment->bend_count + garment->cell_count,
        garment->bend_colours + garment->cell_colours, sizeof(cloth_bend) / 4, 4,
        (const uint32_t *)garment->bends, garment->sum_at};
}

/* Counts the constraints that have colours. */
static inline uint32_t cloth_kept_constraints(const cloth_garment *garment)
{
    return garment->constraint_count - garment->loose_count;
}

/* Checks a definition (counts, indices, numbers, maps) and makes the garment. `number` is for
 * messages. Errors: ARGUMENT (names garment, array and element), MEMORY. */
hed_status cloth_garment_create(const hed_allocator *allocator, const hed_cloth_garment_def *def,
    uint32_t number, cloth_garment **garment, hed_error *error);
void cloth_garment_destroy(cloth_garment *garment);

/* ---- the reference: plain sequential double, the meaning of every solver ---- */

/* Order of a sweep: `count` constraint numbers of the garment. NULL: the colours in order.
 * Bending constraints and elements come before all constraints; with `sums`, number
 * constraint_count + k in the order is sum k. */
typedef struct cloth_order {
    const uint32_t *constraints;
    uint32_t count;
    bool sums;
} cloth_order;

typedef struct cloth_reference_def {
    uint32_t substeps, iterations;
    double seconds;    /* seconds of a frame */
    double gravity[3]; /* m/s^2 */
    bool slides_form;
    bool lines; /* bending of grids line by line, not constraint by constraint */
    uint32_t up;
    cloth_order order;
} cloth_reference_def;

/* Moves a garment without surroundings (no driver, air, colliders) by `frames` frames. In and
 * out: `positions`, `previous` (particle_count x 3); `carry` (particle_count x 3), zeros at the
 * start, NULL: no carry; `last_dt`, 0 at the start. Errors: MEMORY (several iterations keep a
 * multiplier for each constraint). */
hed_status cloth_reference_frames(const cloth_garment *garment, const cloth_reference_def *def,
    uint32_t frames, double *positions, double *previous, double *carry, double *last_dt);
/* Moves a garment in float arithmetic, to measure the effect of rounding alone. */
hed_status cloth_reference_frames_float(const cloth_garment *garment,
    const cloth_reference_def *def, uint32_t frames, float *positions, float *previous,
    float *carry, float *last_dt);

/* ---- steps of cloth_garment_create(), one file each ----
 *
 * Each step fills a part of the garment; cloth_garment_destroy() frees an unfinished garment. */

enum {
    CLOTH_DEGREE_LIMIT =
        16384 /* constraints at one free particle: each needs a colour of its own */
};

/* Faces of the definition; a grid without quads gets its cells as quads here. */
typedef struct cloth_faces {
    uint32_t triangle_count, quad_count;
    const uint32_t (*triangles)[3];
    const uint32_t (*quads)[4];
    uint32_t (*made)[4]; /* quads of a grid's cells, or NULL */
} cloth_faces;

/* garment.c: checks counts, pointers, indices, numbers and maps. Errors: ARGUMENT, LIMIT. */
hed_status cloth_check_garment(const hed_cloth_garment_def *def, uint32_t number, hed_error *error);

/* constraints.c: takes or makes the faces. */
hed_status cloth_faces_create(const hed_allocator *allocator, const hed_cloth_garment_def *def,
    cloth_faces *faces, hed_error *error);
void cloth_faces_destroy(const hed_allocator *allocator, cloth_faces *faces);
/* Makes the triangles, and the list of triangles around each particle. */
hed_status cloth_make_triangles(cloth_garment *garment, const cloth_faces *faces, hed_error *error);
/* Computes inverse masses from density and areas at rest. A particle without a face is locked. */
hed_status cloth_make_masses(cloth_garment *garment, const cloth_faces *faces, float density,
    uint32_t number, hed_error *error);

/* constraints.c: makes the constraints: from the definition, of a grid in closed form, or from
 * faces. Constraints of a grid in closed form are sorted by colour. */
hed_status cloth_make_constraints(cloth_garment *garment, const hed_cloth_garment_def *def,
    const cloth_faces *faces, uint32_t number, hed_error *error);

/* constraints.c: adds the constraints of seams. */
hed_status cloth_add_seams(
    cloth_garment *garment, const hed_cloth_garment_def *def, uint32_t number, hed_error *error);
/* Sets the maximum distance of the ends of seams, as a fraction of their distance at the start. */
void cloth_set_seams(cloth_garment *garment, double time);

/* colouring.c: sorts garment->constraints by colour, coloured in their given order. Errors:
 * LIMIT, MEMORY. */
hed_status cloth_colour_constraints(cloth_garment *garment, uint32_t number, hed_error *error);
/* Colours `count` items of `size` bytes, which begin with `width` particles, in their given
 * order (no free particle twice in a colour) and sorts them by colour into `*sorted`. `*at`:
 * (colours + 1) first item of each colour. Both arrays are in the garment's memory. Errors:
 * MEMORY. */
hed_status cloth_colour_items(cloth_garment *garment, const void *items, uint32_t count,
    size_t size, uint32_t width, void **sorted, uint32_t *colours, uint32_t **at, hed_error *error);
/* Lists the constraints around each particle (with `free_only`, around free particles only),
 * ascending, in memory of `arena`: `*at` (particles + 1) first entry of each particle in
 * `*around`. Errors: MEMORY. */
hed_status cloth_garment_around(const cloth_garment *garment, bool free_only, hed_arena *arena,
    uint32_t **at, uint32_t **around, hed_error *error);
/* Counts the maximum of constraints at one free particle. */
hed_status cloth_count_degree(cloth_garment *garment, uint32_t number, hed_error *error);

/* Stiffness of a fabric in its plane, N/m: the energy of strains e of the warp, f of the weft and
 * an angle g is (warp e^2 + weft f^2 + 2 coupling e f + shear g^2) / 2 for each square metre. */
typedef struct cloth_plane {
    double warp, weft, coupling, shear;
} cloth_plane;
/* fabric.c */
cloth_plane cloth_plane_of(const hed_cloth_fabric *fabric);
/* fabric.c: makes a material for each stiffness of the constraints, and computes the stiffness
 * that a substep loses. Errors: MEMORY. */
hed_status cloth_make_fabric(
    cloth_garment *garment, const hed_cloth_garment_def *def, hed_error *error);
/* Computes the stiffness that a garment's fabric reaches in frames of `seconds`: PATCHES and
 * GARMENTS do not solve bending of grids line by line, NEWTON gives strains their whole
 * stiffness. */
hed_cloth_stiffness cloth_garment_stiffness(const cloth_garment *garment, double seconds,
    uint32_t substeps, uint32_t iterations, hed_cloth_solver solver);
/* element.c: makes the elements of a mesh, whose edges become loose; a grid gets no elements.
 * Errors: MEMORY. */
hed_status cloth_make_elements(
    cloth_garment *garment, const hed_cloth_garment_def *def, hed_error *error);
/* bend.c: makes the bending constraints of a grid, and the same as lines. Errors: MEMORY. */
hed_status cloth_make_bends(
    cloth_garment *garment, const hed_cloth_garment_def *def, hed_error *error);
/* cell.c: makes the cells of a grid, after its bending constraints; its diagonals become loose.
 * Errors: MEMORY. */
hed_status cloth_make_cells(
    cloth_garment *garment, const hed_cloth_garment_def *def, hed_error *error);

/* Distance of two particles at rest, m. */
double cloth_rest_distance(const cloth_garment *garment, uint32_t a, uint32_t b);

/* Averages a painted map over particles; 1 without a map. */
double cloth_painted(const float *map, const uint32_t *particles, uint32_t count);

/* lattice.c: makes the lattices of a garment and, on a grid, the chains of tension, which replace
 * the structural constraints. Only for grids in closed form. Errors: MEMORY. */
hed_status cloth_make_lattices(cloth_garment *garment, hed_error *error);

/* tether.c: makes tethers to the nearest locked particle along the cloth at rest. */
hed_status cloth_make_tethers(cloth_garment *garment, float slack, hed_error *error);

#endif
