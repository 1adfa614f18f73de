/* Constraints: given by the definition, of a grid in closed form, or made from faces.
 *
 * From faces: structural constraints along the edges, shear constraints along the diagonals of
 * quads, and bend constraints over each edge of two faces: at either end of the edge, between
 * the end's other neighbours in the two faces. For two triangles that is the pair of opposite
 * corners (the hinge), for quads the second neighbours along the rows, for any valence. A pair
 * has one constraint, the first of these.
 *
 * The order is bend, shear, structural, because a sweep should end on the edges: the constraints
 * done last are satisfied best. Inside a family the order is mesh order (by the first face that
 * shows a particle), which needs far fewer colours than a random order. */
#include "model/garment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float constraints_distance(const float *a, const float *b)
{
    double x = (double)b[0] - a[0], y = (double)b[1] - a[1], z = (double)b[2] - a[2];
    return (float)sqrt(x * x + y * y + z * z);
}

static hed_status allocate_constraints(
    cloth_garment *garment, uint64_t count, uint32_t number, hed_error *error)
{
    if (count > UINT32_MAX / 2)
        return hed_fail(error, HED_ERROR_LIMIT,
            "Garment %u (%s): %llu constraints are more than 32-bit indices reach", number,
            garment->name, (unsigned long long)count);
    garment->constraint_count = (uint32_t)count;
    garment->constraints =
        hed_arena_new(&garment->arena, count, sizeof *garment->constraints, error);
    garment->families = hed_arena_new(&garment->arena, count, sizeof *garment->families, error);
    return garment->constraints && garment->families ? HED_OK : HED_ERROR_MEMORY;
}

static hed_status check_rests(const cloth_garment *garment, uint32_t number, hed_error *error)
{
    for (uint32_t k = 0; k < garment->constraint_count; k++) {
        const hed_cloth_constraint *c = garment->constraints + k;
        if (!(c->rest >= 1e-9f))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "Garment %u (%s): particles %u and %u are %g m apart at rest and a constraint would "
                "keep them so; expected at least "
                "1e-9 (weld the mesh, or mend its rest positions)",
                number, garment->name, c->a, c->b, c->rest);
    }
    return HED_OK;
}

/* ---- grids ---- */

/* One of the six families of a grid: from (x, y) to (x + dx, y + dy), or for `mirrored` from (x
 * + dx, y) to (x, y + dy). One bit of x or of y, `mask`, distinguishes its two colours. */
typedef struct grid_family {
    hed_cloth_family family;
    uint32_t dx, dy;
    bool mirrored, by_rows;
    uint32_t mask;
} grid_family;

static const grid_family grid_families[] = {
    {HED_CLOTH_BEND, 2, 0, false, false, 2},
    {HED_CLOTH_BEND, 0, 2, false, true, 2},
    {HED_CLOTH_SHEAR, 1, 1, false, false, 1},
    {HED_CLOTH_SHEAR, 1, 1, true, false, 1},
    {HED_CLOTH_STRUCTURAL, 1, 0, false, false, 1},
    {HED_CLOTH_STRUCTURAL, 0, 1, false, true, 1},
};
enum { GRID_FAMILIES = sizeof grid_families / sizeof *grid_families };

static void make_grid_colour(
    cloth_garment *garment, const grid_family *f, uint32_t colour, uint32_t *next)
{
    uint32_t width = garment->grid_width, height = garment->grid_height, at = *next;
    const float(*rest)[3] = (const float(*)[3])garment->rest;
    for (uint32_t y = 0; y + f->dy < height; y++) {
        if (f->by_rows && ((y & f->mask) != 0) != colour) continue;
        for (uint32_t x = 0; x + f->dx < width; x++) {
            if (!f->by_rows && ((x & f->mask) != 0) != colour) continue;
            uint32_t a = y * width + x, b = (y + f->dy) * width + x;
            if (f->mirrored) a += f->dx;
            else b += f->dx;
            garment->constraints[at] = (hed_cloth_constraint){
                a, b, constraints_distance(rest[a], rest[b]), (uint32_t)f->family};
            garment->families[at++] = (uint8_t)f->family;
        }
    }
    *next = at;
}

/* Makes two colours for each family, as many as an inner particle has constraints: no fewer are
 * possible. */
static hed_status make_grid(
    cloth_garment *garment, const hed_cloth_garment_def *def, uint32_t number, hed_error *error)
{
    uint64_t count = 0;
    for (const grid_family *f = grid_families; f < grid_families + GRID_FAMILIES; f++)
        if (def->family[f->family] && garment->grid_width > f->dx && garment->grid_height > f->dy)
            count += (uint64_t)(garment->grid_width - f->dx) * (garment->grid_height - f->dy);
    hed_status status = allocate_constraints(garment, count, number, error);
    if (status) return status;
    uint32_t ends[2 * GRID_FAMILIES + 1] = {0}, colours = 0, next = 0,
                                      first = def->fabric
                                                  ? GRID_FAMILIES - 2
                                                  : 0; /* diagonals of a fabric are loose: last */
    for (uint32_t i = 0; i < GRID_FAMILIES; i++) {
        const grid_family *f = grid_families + (first + i) % GRID_FAMILIES;
        for (uint32_t colour = 0; def->family[f->family] && colour < 2; colour++) {
            make_grid_colour(garment, f, colour, &next);
            if (next > ends[colours]) ends[++colours] = next;
        }
    }
    garment->colour_at =
        hed_arena_new(&garment->arena, (uint64_t)colours + 1, sizeof *garment->colour_at, error);
    if (!garment->colour_at) return HED_ERROR_MEMORY;
    garment->colour_count = colours;
    memcpy(garment->colour_at, ends, ((size_t)colours + 1) * sizeof *ends);
    return HED_OK;
}

/* ---- meshes ---- */

/* Side of a face, or a pair that becomes a constraint. Particles are ranks here: their positions
 * in mesh order. */
typedef struct side {
    uint32_t low, high; /* ends, low < high */
    /* side: the ends' other neighbours in the face; pair: its family, in the first */
    uint32_t beside_low, beside_high;
} side;

typedef struct sides {
    side *sides, *sorted;
    uint64_t count, capacity;
    uint32_t *at; /* (ranks + 1) */
} sides;

typedef struct mesh_work {
    const hed_allocator *allocator;
    uint32_t particles;
    uint32_t *rank, *particle; /* each other's inverse */
    sides edges, pairs;
} mesh_work;

static void add_side(sides *list, uint32_t a, uint32_t b, uint32_t beside_a, uint32_t beside_b)
{
    list->sides[list->count++] =
        a < b ? (side){a, b, beside_a, beside_b} : (side){b, a, beside_b, beside_a};
}

static int constraints_compare_sides(const void *left, const void *right)
{
    const side *a = left, *b = right;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    if (a->beside_low != b->beside_low) return a->beside_low < b->beside_low ? -1 : 1;
    return a->beside_high < b->beside_high ? -1 : a->beside_high > b->beside_high;
}

/* Sorts into list->sorted by low, high and the remaining members: a bucket for each low end,
 * with few sides each. */
static void sort_sides(sides *list, uint32_t ranks)
{
    uint32_t *at = list->at;
    memset(at, 0, ((size_t)ranks + 1) * sizeof *at);
    for (uint64_t k = 0; k < list->count; k++) at[list->sides[k].low + 1]++;
    for (uint32_t i = 0; i < ranks; i++) at[i + 1] += at[i];
    for (uint64_t k = 0; k < list->count; k++)
        list->sorted[at[list->sides[k].low]++] = list->sides[k];
    for (uint32_t i = 0, begin = 0; i < ranks; begin = at[i++]) {
        uint32_t count = at[i] - begin;
        side *bucket = list->sorted + begin;
        if (count > 32) {
            qsort(bucket, count, sizeof *bucket, constraints_compare_sides);
            continue;
        }
        for (uint32_t k = 1; k < count; k++) {
            side moved = bucket[k];
            uint32_t j = k;
            for (; j && constraints_compare_sides(&moved, bucket + j - 1) < 0; j--)
                bucket[j] = bucket[j - 1];
            bucket[j] = moved;
        }
    }
}

static hed_status sides_create(
    sides *list, const mesh_work *work, uint64_t capacity, hed_error *error)
{
    list->capacity = capacity;
    list->sides = hed_new(work->allocator, capacity, sizeof *list->sides, error);
    list->sorted = hed_new(work->allocator, capacity, sizeof *list->sorted, error);
    list->at = hed_new(work->allocator, (uint64_t)work->particles + 1, sizeof *list->at, error);
    return list->sides && list->sorted && list->at ? HED_OK : HED_ERROR_MEMORY;
}

static void sides_destroy(sides *list, const mesh_work *work)
{
    hed_delete(work->allocator, list->sides, list->capacity, sizeof *list->sides);
    hed_delete(work->allocator, list->sorted, list->capacity, sizeof *list->sorted);
    hed_delete(work->allocator, list->at, (uint64_t)work->particles + 1, sizeof *list->at);
}

static void add_faces(
    mesh_work *work, const uint32_t *corners, uint32_t faces, uint32_t sides_each, uint32_t *ranked)
{
    for (uint32_t f = 0; f < faces; f++, corners += sides_each) {
        uint32_t v[4];
        for (uint32_t k = 0; k < sides_each; k++) {
            uint32_t particle = corners[k];
            if (work->rank[particle] == UINT32_MAX) {
                work->rank[particle] = *ranked;
                work->particle[(*ranked)++] = particle;
            }
            v[k] = work->rank[particle];
        }
        for (uint32_t k = 0; k < sides_each; k++)
            add_side(&work->edges, v[k], v[(k + 1) % sides_each],
                v[(k + sides_each - 1) % sides_each], v[(k + 2) % sides_each]);
    }
}

static void add_pair(mesh_work *work, uint32_t a, uint32_t b, hed_cloth_family family)
{
    if (a != b) add_side(&work->pairs, a, b, (uint32_t)family, (uint32_t)family);
}

static bool same_ends(const side *a, const side *b)
{
    return a->low == b->low && a->high == b->high;
}

/* Adds all pairs that the faces require, with repetitions. */
static void constraints_add_pairs(
    mesh_work *work, const cloth_faces *faces, const bool family[HED_CLOTH_FAMILY_COUNT])
{
    const side *edge = work->edges.sorted;
    for (uint64_t k = 0; k < work->edges.count; k++) {
        bool is_repeat = k && same_ends(edge + k, edge + k - 1);
        if (!is_repeat) add_pair(work, edge[k].low, edge[k].high, HED_CLOTH_STRUCTURAL);
        if (!is_repeat || !family[HED_CLOTH_BEND]) continue;
        add_pair(work, edge[k - 1].beside_low, edge[k].beside_low, HED_CLOTH_BEND);
        add_pair(work, edge[k - 1].beside_high, edge[k].beside_high, HED_CLOTH_BEND);
    }
    for (uint32_t q = 0; q < faces->quad_count; q++) {
        const uint32_t *v = faces->quads[q];
        add_pair(work, work->rank[v[0]], work->rank[v[2]], HED_CLOTH_SHEAR);
        add_pair(work, work->rank[v[1]], work->rank[v[3]], HED_CLOTH_SHEAR);
    }
}

/* Keeps each pair once, with the first of its families; a pair whose first family is not
 * requested is dropped. */
static uint64_t drop_repeated(mesh_work *work, const bool family[HED_CLOTH_FAMILY_COUNT])
{
    sides *pairs = &work->pairs;
    uint64_t count = 0;
    const side *last = NULL;
    for (uint64_t k = 0; k < pairs->count; k++) {
        const side *pair = pairs->sorted + k;
        bool is_repeat = last && same_ends(pair, last);
        last = pair;
        if (!is_repeat && family[pair->beside_low]) pairs->sides[count++] = *pair;
    }
    return pairs->count = count;
}

static void take_pairs(cloth_garment *garment, const mesh_work *work)
{
    uint32_t next = 0;
    const float(*rest)[3] = (const float(*)[3])garment->rest;
    for (uint32_t family = HED_CLOTH_FAMILY_COUNT; family-- > 0;)
        for (uint64_t k = 0; k < work->pairs.count; k++) {
            const side *pair = work->pairs.sides + k;
            if (pair->beside_low != family) continue;
            uint32_t a = work->particle[pair->low], b = work->particle[pair->high];
            garment->constraints[next] =
                (hed_cloth_constraint){a, b, constraints_distance(rest[a], rest[b]), family};
            garment->families[next++] = (uint8_t)family;
        }
}

static hed_status constraints_make_pairs(cloth_garment *garment, mesh_work *work,
    const hed_cloth_garment_def *def, const cloth_faces *faces, uint32_t number, hed_error *error)
{
    uint64_t edges = 3 * (uint64_t)faces->triangle_count + 4 * (uint64_t)faces->quad_count;
    work->rank = hed_new(work->allocator, work->particles, sizeof *work->rank, error);
    work->particle = hed_new(work->allocator, work->particles, sizeof *work->particle, error);
    if (!work->rank || !work->particle) return HED_ERROR_MEMORY;
    hed_status status = sides_create(&work->edges, work, edges, error);
    if (status) return status;
    memset(work->rank, 0xff, work->particles * sizeof *work->rank);
    uint32_t ranked = 0;
    add_faces(work, (const uint32_t *)faces->triangles, faces->triangle_count, 3, &ranked);
    add_faces(work, (const uint32_t *)faces->quads, faces->quad_count, 4, &ranked);
    sort_sides(&work->edges, work->particles);

    /* upper bound of the pairs that the faces require */
    uint64_t pairs = work->edges.count + 2 * (uint64_t)faces->quad_count;
    for (uint64_t k = 1; k < work->edges.count; k++)
        pairs += same_ends(work->edges.sorted + k, work->edges.sorted + k - 1);
    status = sides_create(&work->pairs, work, pairs, error);
    if (status) return status;
    constraints_add_pairs(work, faces, def->family);
    sort_sides(&work->pairs, work->particles);
    status = allocate_constraints(garment, drop_repeated(work, def->family), number, error);
    if (!status) take_pairs(garment, work);
    return status;
}

static hed_status make_from_faces(cloth_garment *garment, const hed_cloth_garment_def *def,
    const cloth_faces *faces, uint32_t number, hed_error *error)
{
    mesh_work work = {.allocator = &garment->arena.allocator, .particles = garment->particle_count};
    hed_status status = constraints_make_pairs(garment, &work, def, faces, number, error);
    sides_destroy(&work.edges, &work);
    sides_destroy(&work.pairs, &work);
    hed_delete(work.allocator, work.rank, work.particles, sizeof *work.rank);
    hed_delete(work.allocator, work.particle, work.particles, sizeof *work.particle);
    return status;
}

/* Takes the constraints of the definition. Without materials the material is the family, so that
 * measurements know the edges; else all count as structural. */
static hed_status take_given(
    cloth_garment *garment, const hed_cloth_garment_def *def, uint32_t number, hed_error *error)
{
    hed_status status = allocate_constraints(garment, def->constraint_count, number, error);
    if (status) return status;
    memcpy(garment->constraints, def->constraints,
        def->constraint_count * sizeof *garment->constraints);
    for (uint32_t k = 0; k < def->constraint_count; k++)
        garment->families[k] =
            def->materials ? (uint8_t)HED_CLOTH_STRUCTURAL : (uint8_t)def->constraints[k].material;
    return HED_OK;
}

hed_status cloth_make_constraints(cloth_garment *garment, const hed_cloth_garment_def *def,
    const cloth_faces *faces, uint32_t number, hed_error *error)
{
    if (def->constraints) return take_given(garment, def, number, error);
    bool grid = garment->grid_width > 0;
    hed_status status = grid ? make_grid(garment, def, number, error)
                             : make_from_faces(garment, def, faces, number, error);
    return status ? status : check_rests(garment, number, error);
}

/* ---- seams ---- */

hed_status cloth_add_seams(
    cloth_garment *garment, const hed_cloth_garment_def *def, uint32_t number, hed_error *error)
{
    /* m: a seam that is closed at the start has a length, too */
    static const double nearest = 1e-3;
    if (!def->seam_count) return HED_OK;
    const hed_cloth_constraint *constraints = garment->constraints;
    const uint8_t *families = garment->families;
    uint32_t count = garment->constraint_count;
    hed_status status =
        allocate_constraints(garment, (uint64_t)count + def->seam_count, number, error);
    if (status) return status;
    /* before loose edges, which come last */
    uint32_t kept_count = cloth_kept_constraints(garment) - def->seam_count,
             loose = count - kept_count;
    memcpy(garment->constraints, constraints, kept_count * sizeof *constraints);
    memcpy(garment->families, families, kept_count * sizeof *families);
    memcpy(garment->constraints + kept_count + def->seam_count, constraints + kept_count,
        loose * sizeof *constraints);
    memcpy(garment->families + kept_count + def->seam_count, families + kept_count,
        loose * sizeof *families);
    for (uint32_t s = 0; s < def->seam_count; s++) {
        uint32_t a = def->seams[2 * (size_t)s], b = def->seams[2 * (size_t)s + 1];
        double square = 0;
        for (int k = 0; k < 3; k++) {
            double difference = (double)garment->positions[a][k] - garment->positions[b][k];
            square += difference * difference;
        }
        garment->constraints[kept_count + s] = (hed_cloth_constraint){
            a, b, (float)fmax(sqrt(square), nearest), garment->material_count - 1};
        garment->families[kept_count + s] = HED_CLOTH_BEND; /* not an edge: measurements skip it */
    }
    garment->colour_at = NULL; /* a grid's colours in closed form do not include seams */
    garment->colour_count = 0;
    return HED_OK;
}

void cloth_set_seams(cloth_garment *garment, double time)
{
    double left = garment->seam_seconds > 0 ? 1 - time / garment->seam_seconds : 0;
    if (garment->seam_count)
        garment->materials[garment->material_count - 1].stretch = (float)fmin(fmax(left, 0), 1);
}
