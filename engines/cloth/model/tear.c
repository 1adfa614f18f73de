/* Splits of vertices (tear.h).
 *
 * An edge strains a vertex by (length / rest - 1) / (limit x strength of the vertex). Above 1 the
 * vertex may split, by the plane through it across the edge: faces on the far side get a spare
 * particle. Vertices at the end of a crack come first, as the force that a crack no longer carries
 * is there; only if these are not strained does the vertex with the largest strain begin a new
 * crack. So a strip under an even tension tears at one place, its weakest. Neighbours never split
 * at once, since the first split relieves the other. Held vertices stay whole. */
#include "model/tear.h"

#include "model/mesh.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define NO_INDEX UINT32_MAX
/* m, distance of the two sides of a new crack, of cloth with contact: more than the least gap of
 * contact, which would hold both sides together */
static const double lips_apart = 1e-4;

/* ---- the copy of a definition ---- */

/* Arrays of a garment with a row for each particle. */
static const struct particle_array {
    size_t at;       /* offset of the pointer */
    uint32_t floats; /* numbers of a row */
} particle_arrays[] = {
    {offsetof(hed_cloth_garment_def, positions), 3},
    {offsetof(hed_cloth_garment_def, rest_positions), 3},
    {offsetof(hed_cloth_garment_def, inverse_masses), 1},
    {offsetof(hed_cloth_garment_def, stretch_scale), 1},
    {offsetof(hed_cloth_garment_def, bend_scale), 1},
    {offsetof(hed_cloth_garment_def, max_distance), 1},
    {offsetof(hed_cloth_garment_def, backstop_distance), 1},
    {offsetof(hed_cloth_garment_def, backstop_radius), 1},
    {offsetof(hed_cloth_garment_def, drive), 1},
    {offsetof(hed_cloth_garment_def, drive_stiffness), 1},
    {offsetof(hed_cloth_garment_def, tear_strength), 1},
};

/* Copies an array; NULL stays NULL. */
static const void *copied(
    cloth_tear *tear, const void *from, uint64_t count, size_t size, hed_error *error)
{
    if (!from || !count || error->status) return NULL;
    void *to = hed_arena_new(&tear->arena, count, size, error);
    if (to) memcpy(to, from, count * size);
    return to;
}

/* Copies the arrays of particles, with the rows of their own particles for spares. */
static void copy_particles(cloth_tear *tear, hed_cloth_garment_def *def, uint32_t count,
    const uint32_t *owner, hed_error *error)
{
    for (size_t k = 0; k < sizeof particle_arrays / sizeof *particle_arrays; k++) {
        const float *from;
        char *slot = (char *)def + particle_arrays[k].at;
        uint32_t floats = particle_arrays[k].floats;
        memcpy(&from, slot, sizeof from);
        if (!from || error->status) continue;
        float *to = hed_arena_new(&tear->arena, count, floats * sizeof *to, error);
        for (uint32_t i = 0; to && i < count; i++)
            memcpy(to + (size_t)floats * i, from + (size_t)floats * (owner ? owner[i] : i),
                floats * sizeof *to);
        memcpy(slot, &to, sizeof to);
    }
}

static void copy_rest(cloth_tear *tear, hed_cloth_garment_def *def, hed_error *error)
{
    if (def->name) def->name = copied(tear, def->name, strlen(def->name) + 1, 1, error);
    def->triangles =
        copied(tear, def->triangles, def->triangle_count, 3 * sizeof *def->triangles, error);
    def->quads = copied(tear, def->quads, def->quad_count, 4 * sizeof *def->quads, error);
    def->constraints =
        copied(tear, def->constraints, def->constraint_count, sizeof *def->constraints, error);
    def->materials =
        copied(tear, def->materials, def->material_count, sizeof *def->materials, error);
    def->fabric = copied(tear, def->fabric, 1, sizeof *def->fabric, error);
    def->seams = copied(tear, def->seams, def->seam_count, 2 * sizeof *def->seams, error);
    def->vertex_particle =
        copied(tear, def->vertex_particle, def->vertex_count, sizeof *def->vertex_particle, error);
}

static hed_status refuse_property(
    const hed_cloth_garment_def *def, uint32_t number, hed_error *error)
{
    const char *property = def->copies != 1                              ? "copies"
                           : def->lattices                               ? "lattices"
                           : def->driven                                 ? "a driver"
                           : def->constraints                            ? "constraints of its own"
                           : def->pressure != 0.0f                       ? "pressure"
                           : def->self_collision == HED_CLOTH_SELF_BALLS ? "balls as self-collision"
                                                                         : NULL;
    if (error->status || !property) return error->status;
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "Garment %u (%.63s): it tears and has %s; expected one of the two", number,
        def->name ? def->name : "garment", property);
}

/* ---- corners ---- */

static uint32_t next_corner(const cloth_tear_garment *g, uint32_t face, uint32_t corner)
{
    return corner + 1 < g->face_at[face + 1] ? corner + 1 : g->face_at[face];
}

/* Edge of a face, by its original particles. */
typedef struct half_edge {
    uint32_t low, high, corner;
} half_edge;

static int compare_halves(const void *left, const void *right)
{
    const half_edge *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->corner < b->corner ? -1 : a->corner > b->corner;
}

static hed_status find_mates(
    cloth_tear_garment *g, const hed_allocator *allocator, hed_error *error)
{
    half_edge *halves = hed_new(allocator, g->corner_count, sizeof *halves, error);
    if (!halves) return HED_ERROR_MEMORY;
    for (uint32_t f = 0; f < g->face_count; f++)
        for (uint32_t c = g->face_at[f]; c < g->face_at[f + 1]; c++) {
            uint32_t a = g->original[c], b = g->original[next_corner(g, f, c)];
            halves[c] = (half_edge){a < b ? a : b, a < b ? b : a, c};
            g->mate[c] = NO_INDEX;
        }
    qsort(halves, g->corner_count, sizeof *halves, compare_halves);
    for (uint32_t i = 1; i < g->corner_count; i++) {
        half_edge a = halves[i - 1], b = halves[i];
        bool is_pair =
            a.low == b.low && a.high == b.high && g->original[a.corner] != g->original[b.corner];
        if (!is_pair || g->mate[a.corner] != NO_INDEX) continue;
        g->mate[a.corner] = b.corner;
        g->mate[b.corner] = a.corner;
    }
    hed_delete(allocator, halves, g->corner_count, sizeof *halves);
    return HED_OK;
}

/* Computes the parts of areas, and the inverse masses of the garment's own particles. */
static void weigh_corners(cloth_tear_garment *g, const hed_cloth_garment_def *def)
{
    const float *rest = def->rest_positions ? def->rest_positions : def->positions;
    double density = def->fabric && def->fabric->density > 0 ? (double)def->fabric->density
                                                             : (double)def->density;
    for (uint32_t f = 0; f < g->face_count; f++) {
        uint32_t first = g->face_at[f], count = g->face_at[f + 1] - first;
        const uint32_t *v = g->original + first;
        double e[3], d[3], square = 0;
        for (int k = 0; k < 3; k++) {
            e[k] = (double)rest[3 * (size_t)v[2] + k] - rest[3 * (size_t)v[0] + k];
            d[k] = (double)rest[3 * (size_t)v[count == 4 ? 3 : 0] + k] - rest[3 * (size_t)v[1] + k];
        }
        for (int k = 0; k < 3; k++) {
            double x = e[(k + 1) % 3] * d[(k + 2) % 3] - e[(k + 2) % 3] * d[(k + 1) % 3];
            square += x * x;
        }
        for (uint32_t c = 0; c < count; c++) {
            g->parts[first + c] = (float)(sqrt(square) / 2 / count);
            g->whole[v[c]] += g->parts[first + c];
        }
    }
    for (uint32_t i = 0; i < g->initial_count; i++)
        g->inverse[i] = def->inverse_masses ? def->inverse_masses[i]
                        : g->whole[i] > 0   ? (float)(1 / (density * g->whole[i]))
                                            : 0.0f;
}

/* Fills corners and spares of a garment that tears. */
static hed_status make_corners(
    cloth_tear *tear, uint32_t number, const cloth_faces *faces, hed_error *error)
{
    hed_cloth_garment_def *def = tear->defs + number;
    cloth_tear_garment *g = tear->garments + number;
    uint32_t triangles = faces->triangle_count, quads = faces->quad_count,
             corners = 3 * triangles + 4 * quads;
    if (def->vertex_count && def->vertex_count != corners)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "Garment %u (%.63s): it tears and has %u vertices; expected %u, one for each corner of its "
            "triangles and quads, or 0",
            number, def->name ? def->name : "garment", def->vertex_count, corners);
    g->initial_count = def->particle_count;
    g->corner_count = corners;
    g->face_count = triangles + quads;
    g->face_at =
        hed_arena_new(&tear->arena, (uint64_t)g->face_count + 1, sizeof *g->face_at, error);
    g->original = hed_arena_new(&tear->arena, corners, sizeof *g->original, error);
    g->present = hed_arena_new(&tear->arena, corners, sizeof *g->present, error);
    g->mate = hed_arena_new(&tear->arena, corners, sizeof *g->mate, error);
    g->parts = hed_arena_new(&tear->arena, corners, sizeof *g->parts, error);
    g->inverse = hed_arena_new(&tear->arena, g->initial_count, sizeof *g->inverse, error);
    g->whole = hed_arena_new(&tear->arena, g->initial_count, sizeof *g->whole, error);
    if (tear->arena.failed) return HED_ERROR_MEMORY;
    for (uint32_t f = 0; f <= g->face_count; f++)
        g->face_at[f] = f < triangles ? 3 * f : 3 * triangles + 4 * (f - triangles);
    if (triangles) memcpy(g->original, faces->triangles, 12 * (size_t)triangles);
    if (quads) memcpy(g->original + 3 * (size_t)triangles, faces->quads, 16 * (size_t)quads);
    memcpy(g->present, g->original, corners * sizeof *g->present);
    if (find_mates(g, &tear->arena.allocator, error)) return error->status;
    weigh_corners(g, def);
    return HED_OK;
}

/* Adds a spare particle for each corner but the first of a particle. */
static hed_status add_spares(
    cloth_tear *tear, hed_cloth_garment_def *def, cloth_tear_garment *g, hed_error *error)
{
    uint32_t count = g->initial_count;
    uint8_t *has_corner = hed_arena_new(&tear->arena, count, sizeof *has_corner, error);
    g->owner =
        hed_arena_new(&tear->arena, (uint64_t)count + g->corner_count, sizeof *g->owner, error);
    if (tear->arena.failed) return HED_ERROR_MEMORY;
    for (uint32_t i = 0; i < count; i++) g->owner[i] = i;
    for (uint32_t c = 0; c < g->corner_count; c++)
        if (has_corner[g->original[c]]) g->owner[count++] = g->original[c];
        else has_corner[g->original[c]] = 1;
    def->inverse_masses = NULL;
    copy_particles(tear, def, count, g->owner, error);
    def->inverse_masses = hed_arena_new(&tear->arena, count, sizeof *def->inverse_masses, error);
    g->areas = hed_arena_new(&tear->arena, count, sizeof *g->areas, error);
    def->particle_count = count;
    g->used = g->initial_count;
    return error->status;
}

static hed_status copy_garment(
    cloth_tear *tear, uint32_t number, const hed_cloth_garment_def *from, hed_error *error)
{
    hed_cloth_garment_def *def = tear->defs + number;
    cloth_tear_garment *g = tear->garments + number;
    *def = *from;
    def->lattices |=
        !tear->def.substeps && tear->def.iterations == 1 && def->grid_width > 0 && !(def->tear > 0);
    if (cloth_check_garment(def, number, error)) return error->status;
    if (!(def->tear > 0)) {
        copy_particles(tear, def, def->particle_count, NULL, error);
        copy_rest(tear, def, error);
        return error->status;
    }
    cloth_faces faces;
    if (refuse_property(def, number, error) ||
        cloth_faces_create(&tear->arena.allocator, def, &faces, error))
        return error->status;
    if (!make_corners(tear, number, &faces, error) && !add_spares(tear, def, g, error)) {
        def->triangle_count = faces.triangle_count;
        def->quad_count = faces.quad_count;
        def->triangles = (const uint32_t *)faces.triangles;
        def->quads = (const uint32_t *)faces.quads;
        def->grid_width = def->grid_height = 0;
        def->vertex_count = 0;
        copy_rest(tear, def, error);
        def->vertex_count = g->corner_count;
        def->vertex_particle = g->present;
        if (!error->status) cloth_tear_update(tear, number);
    }
    cloth_faces_destroy(&tear->arena.allocator, &faces);
    return error->status;
}

hed_status cloth_tear_create(
    const hed_allocator *allocator, const hed_cloth_def *def, cloth_tear **tear, hed_error *error)
{
    hed_arena arena = {.allocator = *allocator, .owner = "tears of a cloth"};
    cloth_tear *copy = hed_arena_new(&arena, 1, sizeof *copy, error);
    if (!copy) return HED_ERROR_MEMORY;
    copy->arena = arena;
    copy->def = *def;
    copy->defs = hed_arena_new(&copy->arena, def->garment_count, sizeof *copy->defs, error);
    copy->garments = hed_arena_new(&copy->arena, def->garment_count, sizeof *copy->garments, error);
    if (def->wind_grid) {
        hed_cloth_wind_grid grid = *def->wind_grid;
        uint64_t nodes = (uint64_t)grid.size[0] * grid.size[1] * grid.size[2];
        grid.velocities = copied(copy, grid.velocities, nodes, 3 * sizeof *grid.velocities, error);
        copy->def.wind_grid = copied(copy, &grid, 1, sizeof grid, error);
    }
    for (uint32_t i = 0; i < def->garment_count && !error->status; i++)
        copy_garment(copy, i, def->garments + i, error);
    copy->def.garments = copy->defs;
    if (error->status) cloth_tear_destroy(copy);
    else *tear = copy;
    return error->status;
}

void cloth_tear_destroy(cloth_tear *tear)
{
    if (tear) hed_arena_free(&tear->arena);
}

/* ---- the present form ---- */

/* Gives a spare particle the rows of the particle at whose corners it is. */
static void take_owner_rows(const hed_cloth_garment_def *def, uint32_t particle, uint32_t owner)
{
    for (size_t k = 0; k < sizeof particle_arrays / sizeof *particle_arrays; k++) {
        float *rows;
        size_t floats = particle_arrays[k].floats;
        memcpy(&rows, (const char *)def + particle_arrays[k].at, sizeof rows);
        if (rows) memcpy(rows + floats * particle, rows + floats * owner, floats * sizeof *rows);
    }
}

void cloth_tear_update(cloth_tear *tear, uint32_t garment)
{
    hed_cloth_garment_def *def = tear->defs + garment;
    cloth_tear_garment *g = tear->garments + garment;
    float *inverse = (float *)def->inverse_masses;
    size_t triangles = def->triangle_count, quads = def->quad_count;
    if (triangles) memcpy((uint32_t *)def->triangles, g->present, 12 * triangles);
    if (quads) memcpy((uint32_t *)def->quads, g->present + 3 * triangles, 16 * quads);
    memset(g->areas, 0, def->particle_count * sizeof *g->areas);
    for (uint32_t c = 0; c < g->corner_count; c++) {
        g->areas[g->present[c]] += g->parts[c];
        g->owner[g->present[c]] = g->original[c];
    }
    for (uint32_t i = 0; i < def->particle_count; i++) {
        uint32_t owner = g->owner[i];
        if (i >= g->initial_count && i < g->used) take_owner_rows(def, i, owner);
        double part = g->areas[i], whole = part > 0 ? g->whole[owner] : 0;
        bool is_whole = i < g->initial_count && part == whole;
        inverse[i] = is_whole   ? g->inverse[i]
                     : part > 0 ? (float)(g->inverse[owner] * (whole / part))
                                : 0.0f;
    }
}

/* ---- splits ---- */

/* Strain of a particle: the largest of its edges', relative to its limit. */
typedef struct strain {
    double value;
    uint32_t neighbour; /* the edge's other end */
} strain;

/* A round of splits. */
typedef struct splitting {
    cloth_tear_garment *g;
    const hed_cloth_garment_def *def;
    float (*positions)[4];
    strain *strains;      /* (used) */
    uint8_t *is_tip;      /* (used) at the end of a crack */
    uint8_t *is_blocked;  /* (used) a neighbour splits, or the particle cannot */
    uint32_t *first, *at; /* corners of each particle: (used + 1), (corner_count) */
    cloth_tear_split *splits;
    uint32_t count;
} splitting;

static uint32_t face_of(const cloth_tear_garment *g, const hed_cloth_garment_def *def, uint32_t c)
{
    uint32_t triangles = def->triangle_count;
    return c < 3 * triangles ? c / 3 : triangles + (c - 3 * triangles) / 4;
}

static void strain_end(splitting *r, uint32_t end, uint32_t neighbour, double stretch)
{
    const float *strength = r->def->tear_strength;
    double limit = (double)r->def->tear * (strength ? (double)strength[end] : 1.0);
    if (!(r->positions[end][3] > 0)) return; /* held */
    if (stretch / limit > r->strains[end].value)
        r->strains[end] = (strain){stretch / limit, neighbour};
}

/* Lists the corners of particles, measures all edges, and marks the ends of cracks: the edge is
 * torn there, and both sides still show the same particle. */
static void measure(splitting *r)
{
    const cloth_tear_garment *g = r->g;
    const float *rest = r->def->rest_positions ? r->def->rest_positions : r->def->positions;
    for (uint32_t f = 0; f < g->face_count; f++)
        for (uint32_t c = g->face_at[f]; c < g->face_at[f + 1]; c++) {
            uint32_t next = next_corner(g, f, c), a = g->present[c], b = g->present[next],
                     mate = g->mate[c];
            double square = 0, rest_square = 0;
            for (int k = 0; k < 3; k++) {
                double x = (double)r->positions[b][k] - r->positions[a][k],
                       y = (double)rest[3 * (size_t)b + k] - rest[3 * (size_t)a + k];
                square += x * x;
                rest_square += y * y;
            }
            double stretch = sqrt(square / rest_square) - 1;
            strain_end(r, a, b, stretch);
            strain_end(r, b, a, stretch);
            if (mate == NO_INDEX) continue;
            uint32_t mate_end = next_corner(g, face_of(g, r->def, mate), mate);
            bool joined_a = g->present[mate_end] == a, joined_b = g->present[mate] == b;
            if (joined_a && !joined_b) r->is_tip[a] = 1;
            if (joined_b && !joined_a) r->is_tip[b] = 1;
        }
    for (uint32_t c = 0; c < g->corner_count; c++) r->first[g->present[c] + 1]++;
    for (uint32_t i = 0; i < g->used; i++) r->first[i + 1] += r->first[i];
    for (uint32_t c = 0; c < g->corner_count; c++) r->at[r->first[g->present[c]]++] = c;
    memmove(r->first + 1, r->first, g->used * sizeof *r->first);
    r->first[0] = 0;
}

/* True if two corners of one particle are of faces with a common edge at it that is not torn. */
static bool are_joined(const splitting *r, uint32_t a, uint32_t b)
{
    const cloth_tear_garment *g = r->g;
    const uint32_t corner[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        uint32_t mate = g->mate[corner[k]], face;
        if (mate == NO_INDEX) continue;
        face = face_of(g, r->def, mate);
        if (next_corner(g, face, mate) != corner[1 - k]) continue;
        uint32_t end = next_corner(g, face_of(g, r->def, corner[k]), corner[k]);
        if (g->present[end] == g->present[mate]) return true;
    }
    return false;
}

enum { MOST_AROUND = 64 }; /* faces around a particle that may split */

/* Numbers the pieces into which a plane cuts the faces around a particle: faces on one side that
 * are joined. Returns the number of pieces. */
static uint32_t cut_fan(
    const splitting *r, uint32_t particle, const double normal[3], uint32_t *piece)
{
    const cloth_tear_garment *g = r->g;
    uint32_t begin = r->first[particle], count = r->first[particle + 1] - begin, pieces = 0;
    bool side[MOST_AROUND];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t face = face_of(g, r->def, r->at[begin + i]);
        double height = 0;
        for (uint32_t c = g->face_at[face]; c < g->face_at[face + 1]; c++)
            for (int k = 0; k < 3; k++)
                height += normal[k] *
                          ((double)r->positions[g->present[c]][k] - r->positions[particle][k]);
        side[i] = height > 0;
        piece[i] = NO_INDEX;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (piece[i] != NO_INDEX) continue;
        piece[i] = pieces;
        for (bool grows = true; grows;) {
            grows = false;
            for (uint32_t a = 0; a < count; a++)
                for (uint32_t b = 0; b < count && piece[a] == pieces; b++)
                    if (piece[b] == NO_INDEX && side[a] == side[b] &&
                        are_joined(r, r->at[begin + a], r->at[begin + b])) {
                        piece[b] = pieces;
                        grows = true;
                    }
        }
        pieces++;
    }
    return pieces;
}

/* Gives a piece of the faces around a particle a spare particle. */
static void add_split(splitting *r, uint32_t from, const uint32_t *piece, uint32_t number)
{
    cloth_tear_garment *g = r->g;
    const uint32_t *corners = r->at + r->first[from];
    cloth_tear_split *spare = r->splits + r->count++;
    double towards[3] = {0}, square = 0;
    *spare = (cloth_tear_split){.particle = g->used++, .from = from};
    for (uint32_t i = 0; i < r->first[from + 1] - r->first[from]; i++) {
        uint32_t face = face_of(g, r->def, corners[i]);
        if (piece[i] != number) continue;
        for (uint32_t c = g->face_at[face]; c < g->face_at[face + 1]; c++)
            for (int k = 0; k < 3; k++)
                towards[k] += (double)r->positions[g->present[c]][k] - r->positions[from][k];
        g->present[corners[i]] = spare->particle;
    }
    memcpy(r->positions[spare->particle], r->positions[from], sizeof *r->positions);
    for (int k = 0; k < 3; k++) square += towards[k] * towards[k];
    if (r->def->self_collision == HED_CLOTH_SELF_NONE || !(square > 0)) return;
    for (int k = 0; k < 3; k++) spare->shift[k] = (float)(lips_apart * towards[k] / sqrt(square));
}

/* Splits a particle across its longest edge, if its faces are on both sides, and blocks its
 * neighbours. */
static void split(splitting *r, uint32_t particle)
{
    cloth_tear_garment *g = r->g;
    uint32_t begin = r->first[particle], count = r->first[particle + 1] - begin, piece[MOST_AROUND],
             neighbour = r->strains[particle].neighbour;
    double normal[3];
    if (count > MOST_AROUND) return;
    for (int k = 0; k < 3; k++)
        normal[k] = (double)r->positions[neighbour][k] - r->positions[particle][k];
    uint32_t pieces = cut_fan(r, particle, normal, piece);
    for (uint32_t p = 1; p < pieces; p++) add_split(r, particle, piece, p);
    for (uint32_t i = 0; i < count && pieces > 1; i++) {
        uint32_t face = face_of(g, r->def, r->at[begin + i]);
        for (uint32_t c = g->face_at[face]; c < g->face_at[face + 1]; c++)
            r->is_blocked[g->present[c]] = 1;
    }
}

/* Splits strained particles, the most strained first: the ends of cracks, else a single one. */
static void split_strained(splitting *r, uint32_t count)
{
    for (int tips = 1; tips >= 0 && r->count == 0; tips--)
        for (;;) {
            uint32_t candidate = NO_INDEX;
            for (uint32_t i = 0; i < count; i++)
                if (!r->is_blocked[i] && r->is_tip[i] >= tips && r->strains[i].value > 1 &&
                    (candidate == NO_INDEX || r->strains[i].value > r->strains[candidate].value))
                    candidate = i;
            if (candidate == NO_INDEX) break;
            r->is_blocked[candidate] = 1;
            split(r, candidate);
            if (!tips && r->count) break;
        }
}

uint32_t cloth_tear_split_all(cloth_tear *tear, uint32_t garment, float (*positions)[4],
    cloth_tear_split *splits, hed_error *error)
{
    cloth_tear_garment *g = tear->garments + garment;
    const hed_cloth_garment_def *def = tear->defs + garment;
    hed_arena arena = {.allocator = tear->arena.allocator, .owner = "tears"};
    uint32_t count = g->used, particles = def->particle_count;
    splitting r = {.g = g, .def = def, .positions = positions, .splits = splits};
    r.strains = hed_arena_new(&arena, particles, sizeof *r.strains, error);
    r.is_tip = hed_arena_new(&arena, particles, sizeof *r.is_tip, error);
    r.is_blocked = hed_arena_new(&arena, particles, sizeof *r.is_blocked, error);
    r.first = hed_arena_new(&arena, (uint64_t)particles + 1, sizeof *r.first, error);
    r.at = hed_arena_new(&arena, g->corner_count, sizeof *r.at, error);
    if (!arena.failed) {
        measure(&r);
        split_strained(&r, count);
    }
    hed_arena_free(&arena);
    return r.count;
}

/* ---- saved tears ---- */

uint64_t cloth_tear_words(const cloth_tear *tear)
{
    uint64_t words = 0;
    for (uint32_t i = 0; tear && i < tear->def.garment_count; i++)
        words += tear->garments[i].corner_count;
    return words;
}

void cloth_tear_write(const cloth_tear *tear, uint32_t *words)
{
    for (uint32_t i = 0; i < tear->def.garment_count; i++) {
        const cloth_tear_garment *g = tear->garments + i;
        if (g->corner_count) memcpy(words, g->present, g->corner_count * sizeof *words);
        words += g->corner_count;
    }
}

/* Counts the particles in use of a garment with these corners; 0: a corner has the particle of
 * another place, or a spare has no corner. */
static uint32_t count_used(
    const cloth_tear_garment *g, uint32_t count, const uint32_t *present, uint32_t *owner)
{
    uint32_t used = g->initial_count;
    for (uint32_t i = 0; i < count; i++) owner[i] = i < g->initial_count ? i : NO_INDEX;
    for (uint32_t c = 0; c < g->corner_count; c++) {
        uint32_t particle = present[c];
        if (particle >= count) return 0;
        if (owner[particle] == NO_INDEX) owner[particle] = g->original[c];
        if (owner[particle] != g->original[c]) return 0;
        if (particle >= used) used = particle + 1;
    }
    for (uint32_t i = 0; i < used; i++)
        if (owner[i] == NO_INDEX) return 0;
    return used;
}

bool cloth_tear_read(cloth_tear *tear, const uint32_t *words, bool *changed, hed_error *error)
{
    const uint32_t *from = words;
    bool sound = true;
    for (uint32_t i = 0; i < tear->def.garment_count && sound; i++) {
        const cloth_tear_garment *g = tear->garments + i;
        uint32_t count = tear->defs[i].particle_count;
        uint32_t *owner = hed_new(&tear->arena.allocator, count, sizeof *owner, error);
        sound = owner && (!g->corner_count || count_used(g, count, from, owner));
        hed_delete(&tear->arena.allocator, owner, count, sizeof *owner);
        from += g->corner_count;
    }
    *changed = false;
    for (uint32_t i = 0; i < tear->def.garment_count && sound; i++) {
        cloth_tear_garment *g = tear->garments + i;
        size_t bytes = g->corner_count * sizeof *words;
        if (bytes && memcmp(g->present, words, bytes) != 0) {
            *changed = true;
            memcpy(g->present, words, bytes);
            g->used = count_used(g, tear->defs[i].particle_count, words, g->owner);
            cloth_tear_update(tear, i);
        }
        words += g->corner_count;
    }
    return sound;
}

bool cloth_tear_mend(cloth_tear *tear)
{
    bool torn = false;
    for (uint32_t i = 0; i < tear->def.garment_count; i++) {
        cloth_tear_garment *g = tear->garments + i;
        if (g->used == g->initial_count) continue;
        torn = true;
        memcpy(g->present, g->original, g->corner_count * sizeof *g->present);
        g->used = g->initial_count;
        cloth_tear_update(tear, i);
    }
    return torn;
}
