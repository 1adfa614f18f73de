/* Lattices of meshes: over each connected part whose rest shape is flat, such as the panels of a
 * pattern, along warp and weft. A place is a point in a triangle. A place outside of the cloth has
 * no motion of its own: points there follow the nearest place on the cloth. An edge that leaves the
 * cloth, at a hole or a concave border, is left out, as its length is no bound for the cloth. */
#include "model/cloth_lattice.h"
#include "model/plane.h"

#include <math.h>
#include <string.h>

/* Edges of the mesh between two places are STRIDE or more in the coarse lattices, and one in the
 * finest, which sees the folds that chords of coarse lattices do not. */
enum { STRIDE = 8, SWEEPS = 2 };
/* Give of an edge of a coarse lattice / give of the fabric along it. Elements are swept several times and
 * hold the requested force by themselves: a lattice with the fabric's give would double it. The finest
 * lattice has the fabric's, or edges at pins become too long. */
static const double COARSE_GIVE = 2;
static const double FLATNESS = 1e-3; /* distance from the plane / extent */

/* A connected part in its plane. */
typedef struct flat_part {
    double low[2], size[2]; /* m, along warp and weft */
    uint32_t first_place, count[2];
} flat_part;

typedef struct mesh_maker {
    cloth_garment *garment;
    const hed_cloth_garment_def *def;
    hed_arena *scratch;
    uint32_t *part_of; /* (particles) UINT32_MAX: not in a flat part */
    double (*at)[2];   /* (particles) along warp and weft, m */
    uint32_t part_count;
    flat_part *parts,
        *finer;           /* (part_count) at the lattice's stride, and at the next finer one's */
    double edge;          /* mean edge, m */
    double (*covered)[2]; /* (places) length of the edge from a place that is on cloth */
    bool *is_cloth;       /* (places) */
} mesh_maker;

/* ---- parts ---- */

static uint32_t part_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* Finds warp, weft and normal of a triangle's plane, of length 1; false: it has no area. */
static bool find_axes(const mesh_maker *make, const uint32_t *v, double axes[3][3])
{
    double side[2][3],
        requested[3] = {make->def->warp_axis[0], make->def->warp_axis[1], make->def->warp_axis[2]};
    const float(*rest)[3] = (const float(*)[3])make->garment->rest;
    cloth_between(rest[v[1]], rest[v[0]], side[0]);
    cloth_between(rest[v[2]], rest[v[0]], side[1]);
    cloth_cross(side[0], side[1], axes[2]);
    double size = sqrt(cloth_dot(axes[2], axes[2]));
    if (!(size > 0)) return false;
    for (int k = 0; k < 3; k++) axes[2][k] /= size;
    for (int choice = 0; choice < 4; choice++) {
        /* the choice of elements: the requested axis, else y, x, z */
        double warp[3] = {choice == 2, choice == 1, choice == 3};
        if (choice == 0) memcpy(warp, requested, sizeof warp);
        double dot = cloth_dot(warp, axes[2]), length = cloth_dot(warp, warp);
        for (int k = 0; k < 3; k++) warp[k] -= dot * axes[2][k];
        size = sqrt(cloth_dot(warp, warp));
        if (!(size > 0.1 * sqrt(length))) continue;
        for (int k = 0; k < 3; k++) axes[0][k] = warp[k] / size;
        cloth_cross(axes[2], axes[0], axes[1]);
        return true;
    }
    return false;
}

/* Puts the particles of the part with root `root` into the plane of one of its triangles; false:
 * the part is not flat. */
static bool lay_flat(
    mesh_maker *make, uint32_t *parent, uint32_t root, double axes[3][3], flat_part *part)
{
    const cloth_garment *garment = make->garment;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < garment->particle_count; i++) {
        double way[3], place[3];
        if (part_root(parent, i) != root) continue;
        cloth_between(garment->rest[i], garment->rest[root], way);
        for (int k = 0; k < 3; k++) {
            place[k] = cloth_dot(way, axes[k]);
            low[k] = fmin(low[k], place[k]);
            high[k] = fmax(high[k], place[k]);
        }
        make->at[i][0] = place[0];
        make->at[i][1] = place[1];
    }
    for (int k = 0; k < 2; k++) {
        part->low[k] = low[k];
        part->size[k] = high[k] - low[k];
    }
    return high[2] - low[2] <= FLATNESS * fmax(part->size[0], part->size[1]) &&
           part->size[0] > make->edge && part->size[1] > make->edge;
}

static hed_status find_parts(mesh_maker *make, hed_error *error)
{
    cloth_garment *garment = make->garment;
    uint32_t particles = garment->particle_count,
             *parent = hed_arena_new(make->scratch, particles, sizeof *parent, error);
    bool *is_done = hed_arena_new(make->scratch, particles, sizeof *is_done, error);
    make->part_of = hed_arena_new(make->scratch, particles, sizeof *make->part_of, error);
    make->at = hed_arena_new(make->scratch, particles, sizeof *make->at, error);
    make->parts = hed_arena_new(make->scratch, garment->triangle_count, sizeof *make->parts, error);
    make->finer = hed_arena_new(make->scratch, garment->triangle_count, sizeof *make->finer, error);
    if (make->scratch->failed) return HED_ERROR_MEMORY;
    for (uint32_t i = 0; i < particles; i++) parent[i] = i, make->part_of[i] = UINT32_MAX;
    for (uint32_t t = 0; t < garment->triangle_count; t++)
        for (int k = 1; k < 3; k++)
            parent[part_root(parent, garment->triangles[t][k])] =
                part_root(parent, garment->triangles[t][0]);
    for (uint32_t t = 0; t < garment->triangle_count; t++) {
        double axes[3][3];
        uint32_t root = part_root(parent, garment->triangles[t][0]);
        if (is_done[root] || !find_axes(make, garment->triangles[t], axes)) continue;
        is_done[root] = true;
        if (!lay_flat(make, parent, root, axes, make->parts + make->part_count)) continue;
        for (uint32_t i = 0; i < particles; i++)
            if (part_root(parent, i) == root) make->part_of[i] = make->part_count;
        make->part_count++;
    }
    return HED_OK;
}

/* ---- places ---- */

/* Sets the places of all parts for a stride. Returns their number. */
static uint32_t divide(const mesh_maker *make, flat_part *parts, uint32_t stride)
{
    uint32_t places = 0;
    for (uint32_t p = 0; p < make->part_count; p++) {
        for (int k = 0; k < 2; k++) {
            double cells = floor(parts[p].size[k] / (stride * make->edge) + 0.5);
            parts[p].count[k] = 1 + (cells > 1 ? (uint32_t)cells : 1);
        }
        parts[p].first_place = places;
        places += parts[p].count[0] * parts[p].count[1];
    }
    return places;
}

static double spacing(const flat_part *part, int axis)
{
    return part->size[axis] / (part->count[axis] - 1);
}

/* Adds the cloth of a triangle to the edges along `axis` of line `line`, on which it covers
 * [begin, end], in cells. */
static void cover(
    mesh_maker *make, const flat_part *part, int axis, uint32_t line, double begin, double end)
{
    uint32_t first = begin > 0 ? (uint32_t)begin : 0;
    for (uint32_t e = first; e + 1 < part->count[axis] && e < end; e++) {
        uint32_t x = axis ? line : e, y = axis ? e : line;
        make->covered[part->first_place + y * part->count[0] + x][axis] +=
            fmin(end, e + 1.0) - fmax(begin, e);
    }
}

/* Adds a triangle with corners `at`, in cells, to the edges along an axis. */
static void cover_lines(mesh_maker *make, const flat_part *part, int axis, double at[3][2])
{
    const double slack = 1e-6;
    double low = fmin(at[0][!axis], fmin(at[1][!axis], at[2][!axis])),
           high = fmax(at[0][!axis], fmax(at[1][!axis], at[2][!axis]));
    for (double line = fmax(0, ceil(low - slack));
         line <= high + slack && line < part->count[!axis]; line++) {
        double begin = INFINITY, end = -INFINITY, cut = fmin(fmax(line, low), high);
        for (int k = 0; k < 3; k++) {
            const double *a = at[k], *b = at[(k + 1) % 3];
            double from = a[!axis] - cut, to = b[!axis] - cut;
            if (from * to > 0) continue;
            double fraction = from == to ? 0 : from / (from - to),
                   position = a[axis] + fraction * (b[axis] - a[axis]);
            begin = fmin(begin, fmin(position, from == to ? b[axis] : position));
            end = fmax(end, fmax(position, from == to ? b[axis] : position));
        }
        if (begin < end) cover(make, part, axis, (uint32_t)line, begin, end);
    }
}

/* Makes the places in a triangle with corners `at`, in cells. */
static void place_in_triangle(mesh_maker *make, const flat_part *part, const uint32_t *v,
    double at[3][2], cloth_place *places)
{
    const double slack = 1e-4;
    double low[2], high[2], area = (at[1][0] - at[0][0]) * (at[2][1] - at[0][1]) -
                                   (at[2][0] - at[0][0]) * (at[1][1] - at[0][1]);
    for (int k = 0; k < 2; k++) {
        low[k] = fmax(0, ceil(fmin(at[0][k], fmin(at[1][k], at[2][k])) - slack));
        high[k] =
            fmin(part->count[k] - 1.0, floor(fmax(at[0][k], fmax(at[1][k], at[2][k])) + slack));
    }
    for (double y = low[1]; y <= high[1] && area != 0; y++)
        for (double x = low[0]; x <= high[0]; x++) {
            uint32_t p = part->first_place + (uint32_t)y * part->count[0] + (uint32_t)x;
            double weight[3], lowest = INFINITY;
            for (int k = 0; k < 3; k++) {
                const double *b = at[(k + 1) % 3], *c = at[(k + 2) % 3];
                weight[k] = ((b[0] - x) * (c[1] - y) - (c[0] - x) * (b[1] - y)) / area;
                lowest = fmin(lowest, weight[k]);
            }
            if (make->is_cloth[p] || lowest < -slack) continue;
            make->is_cloth[p] = true;
            for (int k = 0; k < 3; k++) {
                places[p].particle[k] = v[k];
                places[p].part[k] = (float)weight[k];
            }
        }
}

static void find_places(mesh_maker *make, cloth_lattice *lattice)
{
    const cloth_garment *garment = make->garment;
    for (uint32_t t = 0; t < garment->triangle_count; t++) {
        const uint32_t *v = garment->triangles[t];
        if (make->part_of[v[0]] == UINT32_MAX) continue;
        const flat_part *part = make->parts + make->part_of[v[0]];
        double at[3][2];
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 2; k++)
                at[c][k] = (make->at[v[c]][k] - part->low[k]) / spacing(part, k);
        place_in_triangle(make, part, v, at, lattice->places);
        for (int axis = 0; axis < 2; axis++) cover_lines(make, part, axis, at);
    }
}

/* Finds the place on the cloth nearest to place (x, y) of a part: itself, or on a ring around it;
 * itself if all near places are outside. */
static uint32_t nearest_cloth(const mesh_maker *make, const flat_part *part, uint32_t x, uint32_t y)
{
    enum { RINGS = 4 };
    for (int ring = 0; ring <= RINGS; ring++)
        for (int j = -ring; j <= ring; j++)
            for (int i = -ring; i <= ring; i++) {
                int64_t column = (int64_t)x + i, row = (int64_t)y + j;
                bool outside =
                    column < 0 || row < 0 || column >= part->count[0] || row >= part->count[1];
                if (outside || (i > -ring && i < ring && j > -ring && j < ring)) continue;
                uint32_t p = part->first_place + (uint32_t)row * part->count[0] + (uint32_t)column;
                if (make->is_cloth[p]) return p;
            }
    return part->first_place + y * part->count[0] + x;
}

/* Computes the parts of four places at a point. */
static cloth_share share_at(
    const mesh_maker *make, const flat_part *part, uint32_t point, const double at[2])
{
    uint32_t cell[2];
    float u[2];
    cloth_share share = {.point = point};
    for (int k = 0; k < 2; k++) {
        double place =
            fmin(fmax((at[k] - part->low[k]) / spacing(part, k), 0), part->count[k] - 1.0);
        cell[k] = (uint32_t)fmin(place, part->count[k] - 2.0);
        u[k] = (float)(place - cell[k]);
    }
    for (uint32_t v = 0; v < 4; v++) {
        share.place[v] = nearest_cloth(make, part, cell[0] + (v & 1), cell[1] + (v >> 1));
        share.part[v] = ((v & 1) ? u[0] : 1 - u[0]) * ((v >> 1) ? u[1] : 1 - u[1]);
    }
    return share;
}

/* ---- chains ---- */

/* Mean factor of the painted stiffness at a place. */
static double painted_at(const mesh_maker *make, const cloth_place *place)
{
    const float *map = make->def->stretch_scale;
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += place->part[k] * (map ? (double)map[place->particle[k]] : 1);
    return sum;
}

/* Edge along `axis` from a place to the next one. */
static cloth_edge mesh_edge(const mesh_maker *make, const cloth_lattice *lattice,
    const flat_part *part, int axis, uint32_t a, uint32_t b)
{
    const hed_cloth_fabric *fabric = &make->garment->fabric;
    double length = spacing(part, axis), compliance = 0;
    if (!make->is_cloth[a] || !make->is_cloth[b] || make->covered[a][axis] < 0.99)
        return (cloth_edge){CLOTH_NO_EDGE, 0};
    if (make->garment->has_fabric)
        compliance =
            (lattice->is_inner ? COARSE_GIVE : 1) * length / spacing(part, !axis) /
            (axis ? fabric->weft : fabric->warp) /
            (0.5 * (painted_at(make, lattice->places + a) + painted_at(make, lattice->places + b)));
    return (cloth_edge){(float)length, (float)compliance};
}

static hed_status make_mesh_chains(const mesh_maker *make, cloth_lattice *lattice, hed_error *error)
{
    cloth_chains *chains = &lattice->chains;
    uint32_t count = 0;
    for (uint32_t p = 0; p < make->part_count; p++) {
        const uint32_t *n = make->parts[p].count;
        count += n[0] + n[1];
        chains->edge_count += n[1] * (n[0] - 1) + n[0] * (n[1] - 1);
    }
    chains->chains = hed_arena_new(&make->garment->arena, count, sizeof *chains->chains, error);
    chains->edges =
        hed_arena_new(&make->garment->arena, chains->edge_count, sizeof *chains->edges, error);
    if (make->garment->arena.failed) return HED_ERROR_MEMORY;
    uint32_t edge = 0;
    for (int axis = 0; axis < 2; axis++) {
        chains->at[axis + 1] = chains->at[axis];
        for (uint32_t p = 0; p < make->part_count; p++) {
            const flat_part *part = make->parts + p;
            uint32_t step = axis ? part->count[0] : 1;
            for (uint32_t line = 0; line < part->count[!axis]; line++) {
                uint32_t first = part->first_place + line * (axis ? 1 : part->count[0]);
                chains->chains[chains->at[axis + 1]++] =
                    (cloth_chain){first, part->count[axis] - 1, step, edge};
                for (uint32_t e = 0; e + 1 < part->count[axis]; e++, first += step)
                    chains->edges[edge++] =
                        mesh_edge(make, lattice, part, axis, first, first + step);
            }
        }
    }
    chains->high =
        make->garment->has_fabric ? 1.0f : make->def->family_material[HED_CLOTH_STRUCTURAL].stretch;
    chains->soften = CLOTH_LATTICE_SOFTEN;
    return HED_OK;
}

/* ---- lattices ---- */

/* Makes the shares of all particles of flat parts. Returns their number. */
static uint32_t share_particles(const mesh_maker *make, cloth_share *shares)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < make->garment->particle_count; i++)
        if (make->part_of[i] != UINT32_MAX)
            shares[count++] = share_at(make, make->parts + make->part_of[i], i, make->at[i]);
    return count;
}

static void share_finer_places(const mesh_maker *make, cloth_share *shares)
{
    for (uint32_t p = 0; p < make->part_count; p++) {
        const flat_part *finer = make->finer + p;
        for (uint32_t k = 0; k < finer->count[0] * finer->count[1]; k++) {
            const double at[2] = {finer->low[0] + k % finer->count[0] * spacing(finer, 0),
                finer->low[1] + k / finer->count[0] * spacing(finer, 1)};
            shares[finer->first_place + k] =
                share_at(make, make->parts + p, finer->first_place + k, at);
        }
    }
}

/* Makes a lattice. `finer`: stride of the places that follow it; 0: particles follow it. */
static hed_status make_mesh_lattice(
    mesh_maker *make, uint32_t stride, uint32_t finer, cloth_lattice *lattice, hed_error *error)
{
    hed_arena *arena = &make->garment->arena;
    uint32_t particles = make->garment->particle_count;
    lattice->sweeps = lattice->touched_sweeps = SWEEPS;
    lattice->is_inner = finer > 0;
    lattice->place_count = divide(make, make->parts, stride);
    memcpy(make->finer, make->parts, make->part_count * sizeof *make->parts);
    uint32_t finer_places = finer ? divide(make, make->finer, finer) : 0;
    lattice->places = hed_arena_new(arena, lattice->place_count, sizeof *lattice->places, error);
    make->is_cloth =
        hed_arena_new(make->scratch, lattice->place_count, sizeof *make->is_cloth, error);
    make->covered =
        hed_arena_new(make->scratch, lattice->place_count, sizeof *make->covered, error);
    cloth_share *shares = hed_arena_new(make->scratch, particles, sizeof *shares, error);
    lattice->shares =
        hed_arena_new(arena, finer ? finer_places : particles, sizeof *lattice->shares, error);
    if (arena->failed || make->scratch->failed) return HED_ERROR_MEMORY;
    find_places(make, lattice);
    if (make_mesh_chains(make, lattice, error)) return error->status;
    uint32_t count = share_particles(make, shares);
    if (finer) share_finer_places(make, lattice->shares);
    else memcpy(lattice->shares, shares, count * sizeof *shares);
    lattice->share_count = finer ? finer_places : count;
    if (cloth_lattice_weigh(make->garment, lattice, shares, count, make->scratch, error))
        return error->status;
    for (uint32_t p = 0; p < lattice->place_count; p++)
        if (!make->is_cloth[p]) lattice->places[p].inverse_mass = 0.0f;
    return HED_OK;
}

double cloth_mean_edge(const cloth_garment *garment)
{
    double sum = 0, count = 0;
    for (uint32_t k = 0; k < garment->constraint_count; k++) {
        if (garment->families[k] != HED_CLOTH_STRUCTURAL) continue;
        sum += garment->constraints[k].rest;
        count++;
    }
    return count > 0 ? sum / count : 0;
}

static hed_status make_all(mesh_maker *make, hed_error *error)
{
    cloth_garment *garment = make->garment;
    double longest = 0;
    uint32_t count = 2, stride = STRIDE;
    if (find_parts(make, error) || !make->part_count) return error->status;
    for (uint32_t p = 0; p < make->part_count; p++)
        for (int k = 0; k < 2; k++) longest = fmax(longest, make->parts[p].size[k]);
    for (; longest > stride * make->edge * CLOTH_LATTICE_CELLS; count++)
        stride *= CLOTH_LATTICE_COARSER;
    garment->lattices = hed_arena_new(&garment->arena, count, sizeof *garment->lattices, error);
    if (!garment->lattices) return HED_ERROR_MEMORY;
    garment->lattice_count = count;
    for (uint32_t l = 0; l < count && !error->status; l++) {
        uint32_t finer = stride > STRIDE ? stride / CLOTH_LATTICE_COARSER : stride > 1;
        make_mesh_lattice(make, stride, finer, garment->lattices + l, error);
        stride = finer;
    }
    return error->status;
}

hed_status cloth_make_mesh_lattices(
    cloth_garment *garment, const hed_cloth_garment_def *def, hed_error *error)
{
    hed_arena scratch = {.allocator = garment->arena.allocator, .owner = "lattices of cloth"};
    mesh_maker make = {.garment = garment, .def = def, .scratch = &scratch};
    make.edge = cloth_mean_edge(garment);
    bool rigid =
        garment->has_fabric || def->family_material[HED_CLOTH_STRUCTURAL].compliance == 0.0f;
    if (def->constraints || def->materials || !rigid || !(make.edge > 0)) return HED_OK;
    hed_status status = make_all(&make, error);
    hed_arena_free(&scratch);
    return status;
}
