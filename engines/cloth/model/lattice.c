/* Lattices: tension over a whole garment at once.
 *
 * A sweep over the constraints moves tension by one edge, so the stretch that it leaves grows with
 * the square of the number of particles along a load. A lattice is a coarse grid of places on the
 * cloth. Two neighbouring places are at most as far apart as the cloth between them is long, along
 * warp or weft; that holds for every fold, so a lattice stiffens no fold. Diagonals are not part of
 * it, because shear may lengthen them. Each line of places is one system, solved directly, one
 * direction after the other; then particles move with the places around them.
 *
 * On a grid each line of particles is such a system, too (`tension`), in place of the structural
 * constraints: it removes the stretch between the places of the finest lattice. Around a pin, where the
 * load of the cloth meets in a particle, the last lattice has the particles themselves as places
 * and a border that is held. */
#include "model/cloth_lattice.h"

#include <math.h>
#include <string.h>

enum {
    STRIDE = 4,       /* minimum cells between two places of a lattice */
    FINER_STRIDE = 8, /* minimum below another lattice: lines do the rest */
    FINER_SWEEPS = 2, /* sweeps of a finer lattice */
    HUNG_SWEEPS = 8,  /* sweeps of the coarsest lattice of a sheet that remembers (CLOTH_RECALL) */
    PIN_REACH = 15,   /* cells around a pin */
    PIN_SWEEPS = 4,
    MOST_PINS = 64 /* pins that have a lattice of their own */
};

/* Lines of a grid on which places are, along both axes. */
typedef struct lattice_lines {
    uint32_t count[2];
    uint32_t *at[2]; /* (count) column, row */
} lattice_lines;

static uint32_t intervals(uint32_t cells, uint32_t stride)
{
    uint32_t count = (cells + stride / 2) / stride;
    return count ? count : 1;
}

/* Edge of the garment's tension from particle (x, y) along an axis. */
static const cloth_edge *fine_edge(
    const cloth_garment *garment, uint32_t axis, uint32_t x, uint32_t y)
{
    const cloth_chains *tension = &garment->tension;
    const cloth_chain *chain = tension->chains + tension->at[axis] + (axis ? x : y);
    return tension->edges + chain->edges + (axis ? y : x);
}

/* ---- tension along the lines of a grid ---- */

static void add_chains(
    cloth_chains *chains, uint32_t axis, uint32_t count, cloth_chain chain, uint32_t first_step)
{
    chains->at[axis + 1] = chains->at[axis] + count;
    for (uint32_t k = 0; k < count; k++) {
        chains->chains[chains->at[axis] + k] = chain;
        chain.first += first_step;
        chain.edges += chain.count;
    }
}

/* Makes the chains of a grid of points, row by row, without lengths. */
static hed_status make_grid_chains(
    cloth_chains *chains, hed_arena *arena, uint32_t width, uint32_t height, hed_error *error)
{
    uint32_t warp = height * (width - 1), weft = width * (height - 1);
    chains->edge_count = warp + weft;
    chains->chains = hed_arena_new(arena, (uint64_t)width + height, sizeof *chains->chains, error);
    chains->edges = hed_arena_new(arena, chains->edge_count, sizeof *chains->edges, error);
    if (arena->failed) return HED_ERROR_MEMORY;
    add_chains(chains, 0, height, (cloth_chain){0, width - 1, 1, 0}, width);
    add_chains(chains, 1, width, (cloth_chain){0, height - 1, width, warp}, 1);
    return HED_OK;
}

/* Replaces the structural constraints of a grid, which come last in closed form before the
 * loose ones, by chains. */
static hed_status make_tension(cloth_garment *garment, hed_error *error)
{
    uint32_t width = garment->grid_width, end = cloth_kept_constraints(garment), first = end;
    cloth_chains *tension = &garment->tension;
    while (first && garment->families[first - 1] == HED_CLOTH_STRUCTURAL) first--;
    if (make_grid_chains(tension, &garment->arena, width, garment->grid_height, error))
        return error->status;
    for (uint32_t k = first; k < end; k++) {
        const hed_cloth_constraint *c = garment->constraints + k;
        const hed_cloth_material *material = garment->materials + c->material;
        cloth_edge *edge =
            (cloth_edge *)fine_edge(garment, c->b != c->a + 1, c->a % width, c->a / width);
        *edge = (cloth_edge){c->rest, material->compliance};
        tension->low = material->compress;
        tension->high = material->stretch;
    }
    garment->loose_count = garment->constraint_count - first;
    while (garment->colour_count && garment->colour_at[garment->colour_count - 1] >= first)
        garment->colour_count--;
    garment->softening[CLOTH_WARP] = garment->softening[CLOTH_WEFT] = 0;
    return HED_OK;
}

/* ---- lattices ---- */

/* Length and compliance of the cloth between two places: fine edges in series along the lattice's
 * edge, their lines in parallel over half the distance to the neighbouring places on both sides. */
static cloth_edge coarse_edge(const cloth_garment *garment, const lattice_lines *lines,
    uint32_t axis, uint32_t column, uint32_t row)
{
    const uint32_t *from = lines->at[axis] + column, *side = lines->at[!axis] + row;
    uint32_t low = row ? (side[-1] + side[0]) / 2 : side[0],
             high = row + 1 < lines->count[!axis] ? (side[0] + side[1]) / 2 : side[0];
    double rest = 0, stiffness = 0, compliance = 0;
    for (uint32_t line = low; line <= high; line++) {
        compliance = 0;
        for (uint32_t k = from[0]; k < from[1]; k++) {
            const cloth_edge *edge =
                axis ? fine_edge(garment, 1, line, k) : fine_edge(garment, 0, k, line);
            compliance += edge->compliance;
            rest += line == side[0] ? edge->rest : 0;
        }
        stiffness += compliance > 0 ? 1 / compliance : INFINITY;
    }
    return (cloth_edge){(float)rest, (float)(1 / stiffness)};
}

static void make_lattice_edges(
    const cloth_garment *garment, const lattice_lines *lines, cloth_lattice *lattice)
{
    for (uint32_t axis = 0; axis < 2; axis++)
        for (uint32_t row = 0; row < lines->count[!axis]; row++)
            for (uint32_t column = 0; column + 1 < lines->count[axis]; column++) {
                const cloth_chain *chain = lattice->chains.chains + lattice->chains.at[axis] + row;
                lattice->chains.edges[chain->edges + column] =
                    coarse_edge(garment, lines, axis, column, row);
            }
    lattice->chains.high = garment->tension.high;
    lattice->chains.soften = CLOTH_LATTICE_SOFTEN;
}

/* Finds the cell of each fine line between two coarse lines, and its part of the cell. */
static void find_cells(const lattice_lines *coarse, const lattice_lines *fine, uint32_t axis,
    uint32_t *cell, float *part)
{
    const uint32_t *at = coarse->at[axis], *line = fine->at[axis];
    for (uint32_t i = 0, c = 0; i < fine->count[axis]; i++) {
        while (c + 2 < coarse->count[axis] && at[c + 1] <= line[i]) c++;
        cell[i] = c;
        part[i] = (float)(line[i] - at[c]) / (float)(at[c + 1] - at[c]);
    }
}

/* Makes the shares of the points where `fine` lines cross, in the cells of `coarse` lines. */
static hed_status make_shares(const lattice_lines *coarse, const lattice_lines *fine,
    cloth_share *shares, hed_arena *scratch, hed_error *error)
{
    uint32_t *cell[2], width = coarse->count[0];
    float *part[2];
    for (uint32_t axis = 0; axis < 2; axis++) {
        cell[axis] = hed_arena_new(scratch, fine->count[axis], sizeof *cell[axis], error);
        part[axis] = hed_arena_new(scratch, fine->count[axis], sizeof *part[axis], error);
        if (scratch->failed) return HED_ERROR_MEMORY;
        find_cells(coarse, fine, axis, cell[axis], part[axis]);
    }
    for (uint32_t i = 0; i < fine->count[0] * fine->count[1]; i++) {
        uint32_t x = i % fine->count[0], y = i / fine->count[0],
                 first = cell[1][y] * width + cell[0][x];
        float u = part[0][x], v = part[1][y];
        shares[i] = (cloth_share){i, {first, first + 1, first + width, first + width + 1},
            {(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v}};
    }
    return HED_OK;
}

hed_status cloth_lattice_weigh(const cloth_garment *garment, cloth_lattice *lattice,
    const cloth_share *shares, uint32_t share_count, hed_arena *scratch, hed_error *error)
{
    double *mass = hed_arena_new(scratch, lattice->place_count, sizeof *mass, error);
    bool *is_held = hed_arena_new(scratch, lattice->place_count, sizeof *is_held, error);
    if (scratch->failed) return HED_ERROR_MEMORY;
    for (uint32_t k = 0; k < share_count; k++) {
        const cloth_share *share = shares + k;
        float inverse_mass = garment->positions[share->point][3];
        uint32_t nearest = 0;
        for (uint32_t v = 0; v < 4; v++) {
            if (share->part[v] > share->part[nearest]) nearest = v;
            if (inverse_mass > 0.0f) mass[share->place[v]] += share->part[v] / inverse_mass;
        }
        is_held[share->place[nearest]] |= !(inverse_mass > 0.0f);
    }
    for (uint32_t p = 0; p < lattice->place_count; p++)
        lattice->places[p].inverse_mass =
            is_held[p] || !(mass[p] > 0) ? 0.0f : (float)(1 / mass[p]);
    return HED_OK;
}

/* Chooses the lines of a lattice, evenly, or all lines of the grid. */
static hed_status choose_lines(const cloth_garment *garment, uint32_t stride, lattice_lines *lines,
    hed_arena *scratch, hed_error *error)
{
    uint32_t size[2] = {garment->grid_width, garment->grid_height};
    for (uint32_t axis = 0; axis < 2; axis++) {
        uint32_t cells = size[axis] - 1, count = intervals(cells, stride);
        lines->count[axis] = count + 1;
        lines->at[axis] =
            hed_arena_new(scratch, (uint64_t)count + 1, sizeof *lines->at[axis], error);
        for (uint32_t i = 0; i <= count && lines->at[axis]; i++)
            lines->at[axis][i] = (uint32_t)((2 * (uint64_t)i * cells + count) / (2 * count));
    }
    return scratch->failed ? HED_ERROR_MEMORY : HED_OK;
}

/* Makes a lattice of stride `stride`. `finer`: stride of the points that follow it; 1: particles. */
static hed_status make_lattice(cloth_garment *garment, uint32_t stride, uint32_t finer,
    cloth_lattice *lattice, hed_arena *scratch, hed_error *error)
{
    lattice_lines lines, points, grid;
    if (choose_lines(garment, stride, &lines, scratch, error) ||
        choose_lines(garment, finer, &points, scratch, error) ||
        choose_lines(garment, 1, &grid, scratch, error))
        return error->status;
    lattice->sweeps = lattice > garment->lattices ? FINER_SWEEPS : CLOTH_LATTICE_SWEEPS;
    lattice->touched_sweeps = lattice->sweeps / 2; /* lines and limits solve tension again */
    lattice->hung_sweeps = lattice > garment->lattices ? FINER_SWEEPS : HUNG_SWEEPS;
    lattice->is_inner = finer > 1;
    lattice->place_count = lines.count[0] * lines.count[1];
    lattice->share_count = points.count[0] * points.count[1];
    lattice->places =
        hed_arena_new(&garment->arena, lattice->place_count, sizeof *lattice->places, error);
    lattice->shares =
        hed_arena_new(&garment->arena, lattice->share_count, sizeof *lattice->shares, error);
    cloth_share *shares = hed_arena_new(scratch, garment->particle_count, sizeof *shares, error);
    if (scratch->failed || garment->arena.failed) return HED_ERROR_MEMORY;
    for (uint32_t p = 0; p < lattice->place_count; p++) {
        uint32_t i =
            lines.at[1][p / lines.count[0]] * garment->grid_width + lines.at[0][p % lines.count[0]];
        lattice->places[p] = (cloth_place){{i, i, i}, {1, 0, 0}, 0};
    }
    if (make_grid_chains(&lattice->chains, &garment->arena, lines.count[0], lines.count[1], error))
        return error->status;
    make_lattice_edges(garment, &lines, lattice);
    if (make_shares(&lines, &points, lattice->shares, scratch, error) ||
        make_shares(&lines, &grid, shares, scratch, error))
        return error->status;
    return cloth_lattice_weigh(garment, lattice, shares, garment->particle_count, scratch, error);
}

/* ---- pins ---- */

/* True if a particle is locked and its neighbours are free. */
static bool is_pin(const cloth_garment *garment, uint32_t x, uint32_t y)
{
    uint32_t width = garment->grid_width;
    for (uint32_t j = y ? y - 1 : 0; j <= y + 1 && j < garment->grid_height; j++)
        for (uint32_t i = x ? x - 1 : 0; i <= x + 1 && i < width; i++)
            if ((garment->positions[j * width + i][3] > 0.0f) == (i == x && j == y)) return false;
    return true;
}

static uint32_t window_begin(uint32_t at) { return at > PIN_REACH ? at - PIN_REACH : 0; }

static uint32_t window_end(uint32_t at, uint32_t size)
{
    return at + PIN_REACH < size ? at + PIN_REACH + 1 : size;
}

/* Makes the lattice of a pin: its places are the particles around it, held at the edge. */
static hed_status make_pin_lattice(
    cloth_garment *garment, uint32_t x, uint32_t y, cloth_lattice *lattice, hed_error *error)
{
    uint32_t width = garment->grid_width, height = garment->grid_height, x0 = window_begin(x),
             y0 = window_begin(y), w = window_end(x, width) - x0, h = window_end(y, height) - y0;
    lattice->sweeps = lattice->touched_sweeps = PIN_SWEEPS;
    lattice->place_count = lattice->share_count = w * h;
    lattice->places = hed_arena_new(&garment->arena, w * h, sizeof *lattice->places, error);
    lattice->shares = hed_arena_new(&garment->arena, w * h, sizeof *lattice->shares, error);
    if (garment->arena.failed || make_grid_chains(&lattice->chains, &garment->arena, w, h, error))
        return HED_ERROR_MEMORY;
    lattice->chains.high = garment->tension.high;
    lattice->chains.soften = CLOTH_LATTICE_SOFTEN;
    for (uint32_t p = 0; p < w * h; p++) {
        uint32_t i = p % w, j = p / w, particle = (y0 + j) * width + x0 + i;
        bool edge = (i == 0 && x0 > 0) || (i + 1 == w && x0 + w < width) || (j == 0 && y0 > 0) ||
                    (j + 1 == h && y0 + h < height);
        lattice->places[p] = (cloth_place){{particle, particle, particle}, {1, 0, 0},
            edge ? 0.0f : garment->positions[particle][3]};
        lattice->shares[p] = (cloth_share){particle, {p, p, p, p}, {1, 0, 0, 0}};
        if (i + 1 < w)
            lattice->chains.edges[j * (w - 1) + i] = *fine_edge(garment, 0, x0 + i, y0 + j);
        if (j + 1 < h)
            lattice->chains.edges[h * (w - 1) + i * (h - 1) + j] =
                *fine_edge(garment, 1, x0 + i, y0 + j);
    }
    return HED_OK;
}

static hed_status make_pin_lattices(cloth_garment *garment, hed_error *error)
{
    uint32_t width = garment->grid_width, pins[MOST_PINS][2], count = 0;
    for (uint32_t i = 0; i < garment->particle_count && count <= MOST_PINS; i++) {
        if (!is_pin(garment, i % width, i / width)) continue;
        if (count < MOST_PINS) pins[count][0] = i % width, pins[count][1] = i / width;
        count++;
    }
    if (!count || count > MOST_PINS) return HED_OK;
    garment->pin_lattices =
        hed_arena_new(&garment->arena, count, sizeof *garment->pin_lattices, error);
    if (!garment->pin_lattices) return HED_ERROR_MEMORY;
    garment->pin_lattice_count = count;
    for (uint32_t k = 0; k < count; k++)
        if (make_pin_lattice(garment, pins[k][0], pins[k][1], garment->pin_lattices + k, error))
            return error->status;
    return HED_OK;
}

hed_status cloth_make_lattices(cloth_garment *garment, hed_error *error)
{
    uint32_t longest =
        garment->grid_width > garment->grid_height ? garment->grid_width : garment->grid_height;
    uint32_t kept_count = cloth_kept_constraints(garment);
    bool closed_form = garment->colour_at && kept_count &&
                       garment->families[kept_count - 1] == HED_CLOTH_STRUCTURAL;
    if (!cloth_is_grid(garment) || !closed_form) return HED_OK;
    if (make_tension(garment, error)) return error->status;
    uint32_t count = 1, stride = STRIDE;
    while (intervals(longest - 1, stride) > CLOTH_LATTICE_CELLS) {
        count += stride >= FINER_STRIDE;
        stride *= CLOTH_LATTICE_COARSER;
    }
    garment->lattices = hed_arena_new(&garment->arena, count, sizeof *garment->lattices, error);
    if (!garment->lattices) return HED_ERROR_MEMORY;
    garment->lattice_count = count;
    hed_arena scratch = {.allocator = garment->arena.allocator, .owner = "lattices of cloth"};
    hed_status status = HED_OK;
    for (uint32_t l = 0; l < count && !status; l++, stride /= CLOTH_LATTICE_COARSER)
        status = make_lattice(garment, stride, l + 1 < count ? stride / CLOTH_LATTICE_COARSER : 1,
            garment->lattices + l, &scratch, error);
    hed_arena_free(&scratch);
    return status ? status : make_pin_lattices(garment, error);
}
