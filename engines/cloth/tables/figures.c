/* Figures of four particles whose constraints are done in registers, so that four loads and four
 * stores serve six constraints, or four: complete graphs (a grid's cell with its diagonals, a
 * hinge with its bend) and rings of one family (bends round a square). One finder serves the
 * patches of a device and the sweep of HED_CLOTH_SOLVER_CPU, which choose different figures.
 *
 * Patches: a figure is inside one patch. Complete figures are taken along the edges of the mesh
 * first, and only where no shorter figure contains the same edge: these figures tile a grid like
 * the black fields of a chessboard. Figures are then put in steps, no free particle twice in
 * one; a figure without a step stays pairs.
 *
 * Sweep: on a grid in closed form. The cells of one colour of a chessboard are complete figures
 * (rings in a fabric, whose diagonals are cells of their own) and cover all edges; on each of the
 * four grids of every second particle, the black cells are rings of bends. On any mesh greedily:
 * the shortest complete figure through each constraint that is still free, then rings of one
 * family. The remaining constraints are pairs. */
#include "tables/parts.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COMMON = 32, WINDOW = 64 /* steps in a mask */, RARE = 16, FEW = 256 };

typedef struct finder {
    const cloth_garment *garment;
    const cloth_graph *graph;
    const uint32_t *part;  /* (particle_count) patches; NULL: a sweep */
    const uint32_t *level; /* (particle_count) levels of a sweep; NULL: patches */
    uint8_t *used;         /* (constraint_count) 1: in a figure */
    cloth_found *found;
    uint32_t count;
    uint64_t *taken; /* (particle_count) steps in which each particle occurs, as bits */
} finder;

static float rest_of(const finder *f, uint32_t constraint)
{
    return f->garment->constraints[constraint].rest;
}

static void exchange(uint32_t *a, uint32_t *b)
{
    uint32_t first = *a;
    *a = *b;
    *b = first;
}

/* True if a figure may contain the constraint. For patches this includes used constraints,
 * because the shortest figure may contain one. */
static bool is_candidate(const finder *f, uint32_t k)
{
    const hed_cloth_constraint *c = &f->garment->constraints[k];
    return f->part ? f->part[c->a] == f->part[c->b] : !f->used[k];
}

static bool may_be_in_ring(const finder *f, uint32_t k, uint32_t family)
{
    return !f->used[k] && f->garment->families[k] == family && is_candidate(f, k);
}

/* Finds the first candidate between two particles; CLOTH_NONE: no candidate. A `family` below
 * HED_CLOTH_FAMILY_COUNT: a candidate for a ring of that family. */
static uint32_t find_edge(const finder *f, uint32_t a, uint32_t b, uint32_t family)
{
    const cloth_graph *graph = f->graph;
    if (graph->at[b + 1] - graph->at[b] < graph->at[a + 1] - graph->at[a]) exchange(&a, &b);
    for (uint32_t q = graph->at[a]; q < graph->at[a + 1]; q++) {
        uint32_t k = graph->constraint[q];
        if (graph->neighbour[q] == b &&
            (family < HED_CLOTH_FAMILY_COUNT ? may_be_in_ring(f, k, family) : is_candidate(f, k)))
            return k;
    }
    return CLOTH_NONE;
}

static void add_figure(finder *f, const cloth_found *figure)
{
    f->found[f->count] = *figure;
    f->found[f->count++].step = CLOTH_NONE;
    for (uint32_t e = 0; e < cloth_shape_constraints(figure->shape); e++)
        f->used[figure->constraint[e]] = 1;
}

/* Sorts the matchings of a complete figure, the longest first: the sweep then ends on the
 * shortest constraints (a grid's edges), which are the stiffest. That stretches least. */
static void sort_matchings(const finder *f, cloth_found *figure)
{
    for (uint32_t i = 0; i < 3; i++) { /* three exchanges sort three */
        uint32_t *partner = figure->particle + 1 + i % 2, *k = figure->constraint + 2 * (i % 2);
        if (rest_of(f, k[0]) + rest_of(f, k[1]) >= rest_of(f, k[2]) + rest_of(f, k[3])) continue;
        exchange(partner, partner + 1);
        exchange(k, k + 2);
        exchange(k + 1, k + 3);
    }
}

/* Finds the shortest complete figure through a constraint; false if the shortest has a
 * constraint in another figure already. */
static bool find_complete(const finder *f, uint32_t ab, cloth_found *figure)
{
    const cloth_graph *graph = f->graph;
    uint32_t a = f->garment->constraints[ab].a, b = f->garment->constraints[ab].b, count = 0;
    struct common {
        uint32_t particle, to_a, to_b; /* joined to both ends by these constraints */
    } common[MOST_COMMON];
    for (uint32_t q = graph->at[a]; q < graph->at[a + 1] && count < MOST_COMMON; q++) {
        uint32_t to_a = graph->constraint[q], particle = graph->neighbour[q];
        if (particle == b || !is_candidate(f, to_a)) continue;
        uint32_t to_b = find_edge(f, b, particle, HED_CLOTH_FAMILY_COUNT);
        if (to_b != CLOTH_NONE) common[count++] = (struct common){particle, to_a, to_b};
    }
    float shortest = FLT_MAX, shortest_free = FLT_MAX;
    for (uint32_t p = 0; p < count; p++) {
        for (uint32_t q = p + 1; q < count; q++) {
            struct common c = common[p], d = common[q];
            uint32_t cd = c.particle == d.particle
                              ? CLOTH_NONE
                              : find_edge(f, c.particle, d.particle, HED_CLOTH_FAMILY_COUNT);
            if (cd == CLOTH_NONE) continue;
            /* a sweep chooses by the four constraints at the ends of this one */
            float length = (f->part ? rest_of(f, cd) : 0.0f) + rest_of(f, c.to_a) +
                           rest_of(f, c.to_b) + rest_of(f, d.to_a) + rest_of(f, d.to_b);
            bool is_taken = f->used[cd] || f->used[c.to_a] || f->used[c.to_b] || f->used[d.to_a] ||
                            f->used[d.to_b];
            if (length < shortest) shortest = length;
            if (is_taken || length >= shortest_free) continue;
            shortest_free = length;
            *figure = (cloth_found){{a, b, c.particle, d.particle},
                {ab, cd, c.to_a, d.to_b, d.to_a, c.to_b}, CLOTH_SHAPE_COMPLETE, 0};
        }
    }
    if (!(shortest_free < FLT_MAX && shortest_free <= shortest * 1.001f)) return false;
    sort_matchings(f, figure);
    return true;
}

/* True if two opposite corners of a ring are at most one level apart. They have no constraint
 * between them, so a sweep compares their levels. */
static bool is_near(const finder *f, uint32_t a, uint32_t b)
{
    return !f->level || (f->level[a] <= f->level[b] + 1 && f->level[b] <= f->level[a] + 1);
}

static bool find_ring(const finder *f, uint32_t ab, cloth_found *figure)
{
    const cloth_graph *graph = f->graph;
    uint32_t a = f->garment->constraints[ab].a, b = f->garment->constraints[ab].b,
             family = f->garment->families[ab];
    bool has_ring = false;
    for (uint32_t p = graph->at[a]; p < graph->at[a + 1] && !has_ring; p++) {
        uint32_t ac = graph->constraint[p], c = graph->neighbour[p];
        if (c == b || !may_be_in_ring(f, ac, family) || !is_near(f, b, c)) continue;
        for (uint32_t q = graph->at[b]; q < graph->at[b + 1]; q++) {
            uint32_t bd = graph->constraint[q], d = graph->neighbour[q];
            if (d == a || d == c || !may_be_in_ring(f, bd, family) || !is_near(f, a, d)) continue;
            uint32_t cd = find_edge(f, c, d, family);
            if (cd == CLOTH_NONE || (has_ring && cd > figure->constraint[1])) continue;
            *figure = (cloth_found){
                {a, b, c, d}, {ab, cd, ac, bd, CLOTH_NONE, CLOTH_NONE}, CLOTH_SHAPE_RING, 0};
            has_ring = true;
            /* the first found; patches take the ring with the first cd */
            if (!f->part) return true;
        }
    }
    return has_ring;
}

/* Assigns steps from `first` on to the figures of one shape: each figure gets the first step in
 * which no free particle of it occurs yet. If a window of steps is not enough, a sweep continues
 * with another window; patches leave the remaining figures without a step. Returns the end of
 * the steps. */
static uint32_t put_in_steps(finder *f, cloth_shape shape, uint32_t first)
{
    uint32_t end = first;
    bool left = true;
    for (; left; first += WINDOW) {
        left = false;
        memset(f->taken, 0, f->garment->particle_count * sizeof *f->taken);
        for (uint32_t k = 0; k < f->count; k++) {
            cloth_found *figure = &f->found[k];
            if (figure->shape != shape || figure->step != CLOTH_NONE) continue;
            uint64_t steps_taken = 0;
            for (uint32_t v = 0; v < cloth_shape_particles(shape); v++)
                steps_taken |= f->taken[figure->particle[v]];
            left |= steps_taken == UINT64_MAX && !f->part;
            if (steps_taken == UINT64_MAX) continue;
            uint32_t step = (uint32_t)__builtin_ctzll(~steps_taken);
            figure->step = first + step;
            for (uint32_t v = 0; v < cloth_shape_particles(shape); v++)
                if (!cloth_is_locked(f->garment, figure->particle[v]))
                    f->taken[figure->particle[v]] |= (uint64_t)1 << step;
            if (figure->step >= end) end = figure->step + 1;
        }
    }
    return end;
}

/* ---- patches: steps that are not worth a barrier ---- */

typedef struct dissolver {
    finder *f;
    uint32_t *pairs;     /* (particle_count) constraints of each particle outside figures */
    uint32_t most_pairs; /* maximum of `pairs` */
} dissolver;

/* Turns a figure back into pairs if its particles then have at most one pair more than the
 * maximum of all particles. */
static bool dissolve(dissolver *d, cloth_found *figure)
{
    uint32_t constraints = cloth_shape_constraints(figure->shape), added = constraints / 2;
    for (uint32_t v = 0; v < 4; v++) {
        uint32_t particle = figure->particle[v];
        if (!cloth_is_locked(d->f->garment, particle) &&
            d->pairs[particle] + added > d->most_pairs + 1)
            return false;
    }
    for (uint32_t v = 0; v < 4; v++) d->pairs[figure->particle[v]] += added;
    for (uint32_t e = 0; e < constraints; e++) d->f->used[figure->constraint[e]] = 0;
    figure->step = CLOTH_NONE;
    return true;
}

/* Moves a figure to a step if all figures there that have a free particle in common with it can
 * be dissolved. */
static void move_to_step(dissolver *d, cloth_found *figure, uint32_t step)
{
    for (uint32_t k = 0; k < d->f->count; k++) {
        cloth_found *rival = &d->f->found[k];
        bool shared = false;
        for (uint32_t v = 0; v < 4 && rival->step == step; v++)
            for (uint32_t w = 0; w < 4; w++)
                shared |= figure->particle[v] == rival->particle[w] &&
                          !cloth_is_locked(d->f->garment, figure->particle[v]);
        if (shared && !dissolve(d, rival)) return;
    }
    figure->step = step;
}

/* Dissolves steps with few figures. If the tilings from two corners of a patch do not fit
 * together, a few figures get steps of their own. These are dissolved; if few of them cannot be,
 * figures that block their move to another step are dissolved instead. */
static void dissolve_rare_steps(dissolver *d, uint32_t steps)
{
    finder *f = d->f;
    uint32_t count[2 * WINDOW] = {0}, fullest = 0, left = 0;
    cloth_shape shape[2 * WINDOW];
    for (uint32_t i = 0; i < f->garment->particle_count; i++) {
        if (cloth_is_locked(f->garment, i)) continue;
        for (uint32_t q = f->graph->at[i]; q < f->graph->at[i + 1]; q++)
            d->pairs[i] += !f->used[f->graph->constraint[q]];
        if (d->pairs[i] > d->most_pairs) d->most_pairs = d->pairs[i];
    }
    for (uint32_t k = 0; k < f->count; k++) {
        uint32_t step = f->found[k].step;
        if (step == CLOTH_NONE) continue;
        shape[step] = f->found[k].shape;
        if (++count[step] > fullest) fullest = count[step];
    }
    for (uint32_t k = 0; k < f->count; k++) {
        cloth_found *figure = &f->found[k];
        if (figure->step != CLOTH_NONE && count[figure->step] * RARE < fullest)
            left += !dissolve(d, figure);
    }
    for (uint32_t k = 0; k < f->count && left <= FEW; k++) {
        cloth_found *figure = &f->found[k];
        for (uint32_t s = 0;
             s < steps && figure->step != CLOTH_NONE && count[figure->step] * RARE < fullest; s++)
            if (shape[s] == figure->shape && count[s] * RARE >= fullest) move_to_step(d, figure, s);
    }
}

/* Removes dissolved figures and their steps. Returns the number of steps; the first *rings of
 * them are rings. */
static uint32_t renumber_steps(finder *f, uint32_t *rings)
{
    uint32_t number[2 * WINDOW] = {0}, count = 0, steps = 0, ring_steps = 0;
    for (uint32_t k = 0; k < f->count; k++)
        if (f->found[k].step != CLOTH_NONE) f->found[count++] = f->found[k];
    f->count = count;
    for (uint32_t k = 0; k < count; k++) number[f->found[k].step] = 1;
    for (uint32_t s = 0; s < 2 * WINDOW; s++) {
        if (!number[s]) continue;
        if (s < *rings) ring_steps++;
        number[s] = steps++;
    }
    for (uint32_t k = 0; k < count; k++) f->found[k].step = number[f->found[k].step];
    *rings = ring_steps;
    return steps;
}

/* ---- patches ---- */

hed_status cloth_plan_find_figures(cloth_planner *planner)
{
    const cloth_garment *garment = planner->garment;
    const cloth_graph *graph = &planner->graph;
    uint32_t particles = garment->particle_count, constraints = garment->constraint_count;
    hed_arena *arena = &planner->arena;
    finder f = {
        .garment = garment, .graph = graph, .part = planner->part, .used = planner->in_figure};
    dissolver d = {.f = &f};
    uint8_t *corner = hed_arena_new(arena, particles, sizeof *corner, planner->error);
    d.pairs = hed_arena_new(arena, particles, sizeof *d.pairs, planner->error);
    f.taken = hed_arena_new(arena, particles, sizeof *f.taken, planner->error);
    f.found = hed_arena_new(arena, constraints / 4 + 1, sizeof *f.found, planner->error);
    if (arena->failed) return HED_ERROR_MEMORY;
    for (uint32_t k = constraints; k < planner->edges->constraint_count; k++) f.used[k] = 1;
    /* start from corners: particles with at least half of their constraints to other patches */
    for (uint32_t i = 0; i < particles; i++) {
        uint32_t begin = graph->at[i], end = graph->at[i + 1], inside = 0;
        for (uint32_t q = begin; q < end; q++) inside += is_candidate(&f, graph->constraint[q]);
        corner[i] = 2 * inside <= end - begin;
    }
    cloth_found figure;
    for (int corners = 1; corners >= 0; corners--)
        for (uint32_t family = 0; family < HED_CLOTH_FAMILY_COUNT; family++)
            for (uint32_t k = 0; k < constraints; k++) {
                const hed_cloth_constraint *c = &garment->constraints[k];
                if (may_be_in_ring(&f, k, family) && (!corners || corner[c->a] || corner[c->b]) &&
                    find_complete(&f, k, &figure))
                    add_figure(&f, &figure);
            }
    for (int corners = 1; corners >= 0; corners--)
        for (uint32_t k = 0; k < constraints; k++) {
            const hed_cloth_constraint *c = &garment->constraints[k];
            if (may_be_in_ring(&f, k, garment->families[k]) &&
                (!corners || corner[c->a] || corner[c->b]) && find_ring(&f, k, &figure))
                add_figure(&f, &figure);
        }
    uint32_t rings = put_in_steps(&f, CLOTH_SHAPE_RING, 0),
             steps = put_in_steps(&f, CLOTH_SHAPE_COMPLETE, rings);
    for (uint32_t k = 0; k < f.count; k++)
        for (uint32_t e = 0; e < cloth_shape_constraints(f.found[k].shape); e++)
            f.used[f.found[k].constraint[e]] = f.found[k].step != CLOTH_NONE;
    dissolve_rare_steps(&d, steps);
    steps = renumber_steps(&f, &rings);
    planner->found = f.found;
    planner->found_count = f.count;
    cloth_plan *plan = planner->plan;
    plan->figure_steps = steps;
    plan->figure_shape =
        hed_arena_new(&plan->arena, steps, sizeof *plan->figure_shape, planner->error);
    if (!plan->figure_shape) return HED_ERROR_MEMORY;
    for (uint32_t s = 0; s < steps; s++)
        plan->figure_shape[s] = s < rings ? CLOTH_SHAPE_RING : CLOTH_SHAPE_COMPLETE;
    return HED_OK;
}

/* ---- a sweep of a grid ---- */

enum { RIGHT, DOWN, ACROSS, BACK, FAR_RIGHT, FAR_DOWN, DIRECTIONS };

/* Sorts constraints by their direction on the grid; false if a constraint has no such direction.
 * BACK is from (x + 1, y) to (x, y + 1), stored at (x, y). */
static bool sort_edges(const finder *f, uint32_t *const *edge)
{
    uint32_t width = f->garment->grid_width;
    for (uint32_t k = 0; k < f->garment->constraint_count; k++) {
        const hed_cloth_constraint *c = f->garment->constraints + k;
        uint32_t low = c->a < c->b ? c->a : c->b, high = c->a < c->b ? c->b : c->a,
                 y = high / width - low / width;
        int32_t x = (int32_t)(high % width) - (int32_t)(low % width);
        int direction = y == 0 && x == 1    ? RIGHT
                        : y == 1 && x == 0  ? DOWN
                        : y == 1 && x == 1  ? ACROSS
                        : y == 1 && x == -1 ? BACK
                        : y == 0 && x == 2  ? FAR_RIGHT
                        : y == 2 && x == 0  ? FAR_DOWN
                                            : -1;
        if (direction < 0) return false;
        uint32_t *at = edge[direction] + (direction == BACK ? low - 1 : low);
        if (*at != CLOTH_NONE) return false;
        *at = k;
    }
    return true;
}

static bool is_whole(const finder *f, const cloth_found *figure)
{
    for (uint32_t e = 0; e < cloth_shape_constraints(figure->shape); e++)
        if (figure->constraint[e] == CLOTH_NONE || f->used[figure->constraint[e]]) return false;
    return true;
}

static void find_on_grid(finder *f, uint32_t *const *edge)
{
    uint32_t width = f->garment->grid_width, height = f->garment->grid_height;
    for (uint32_t y = 0; y + 2 < height; y++)
        for (uint32_t x = 0; x + 2 < width; x++) {
            uint32_t a = y * width + x, b = a + 2, c = a + 2 * width, d = c + 2;
            const cloth_found ring = {{a, b, c, d},
                {edge[FAR_RIGHT][a], edge[FAR_RIGHT][c], edge[FAR_DOWN][a], edge[FAR_DOWN][b]},
                CLOTH_SHAPE_RING, 0};
            if ((((x >> 1) + (y >> 1)) & 1) == 0 && is_whole(f, &ring)) add_figure(f, &ring);
        }
    for (uint32_t y = 0; y + 1 < height; y++)
        for (uint32_t x = y & 1; x + 1 < width; x += 2) {
            uint32_t a = y * width + x, b = a + 1, c = a + width, d = c + 1;
            cloth_found complete = {{a, d, c, b},
                {edge[ACROSS][a], edge[BACK][a], edge[DOWN][a], edge[DOWN][b], edge[RIGHT][a],
                    edge[RIGHT][c]},
                CLOTH_SHAPE_COMPLETE, 0};
            const cloth_found ring = {{a, b, c, d},
                {edge[RIGHT][a], edge[RIGHT][c], edge[DOWN][a], edge[DOWN][b]}, CLOTH_SHAPE_RING,
                0};
            if (is_whole(f, &complete)) {
                sort_matchings(f, &complete);
                add_figure(f, &complete);
            } else if (is_whole(f, &ring)) {
                add_figure(f, &ring);
            }
        }
}

/* ---- a sweep of any mesh ---- */

static void find_on_mesh(finder *f)
{
    const cloth_garment *garment = f->garment;
    const uint32_t *at = f->graph->at;
    cloth_found figure;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t k = garment->constraint_count; k-- > 0;) {
            uint32_t a = garment->constraints[k].a, b = garment->constraints[k].b;
            /* The search around a hub costs the square of its degree: its constraints stay
             * pairs. */
            bool hub = at[a + 1] - at[a] > WINDOW || at[b + 1] - at[b] > WINDOW;
            if (f->used[k] || hub) continue;
            if (pass ? find_ring(f, k, &figure) : find_complete(f, k, &figure))
                add_figure(f, &figure);
        }
}

/* ---- levels of a mesh ----
 *
 * Any two particles with a constraint between them are at most one level apart. */

/* Assigns levels to one connected component, breadth-first from `start`, counted from `first`.
 * Returns the number of its particles: they are in `queue`, the farthest last. */
static uint32_t walk(
    const cloth_graph *g, uint32_t start, uint32_t first, uint32_t *level, uint32_t *queue)
{
    uint32_t head = 0, tail = 0;
    queue[tail++] = start;
    level[start] = first;
    while (head < tail) {
        uint32_t from = queue[head++];
        for (uint32_t q = g->at[from]; q < g->at[from + 1]; q++) {
            uint32_t to = g->neighbour[q];
            if (level[to] != CLOTH_NONE) continue;
            level[to] = level[from] + 1;
            queue[tail++] = to;
        }
    }
    return tail;
}

/* Assigns levels to all components, each from the particle farthest from a first walk's start,
 * so that levels are many and small. Returns the number of levels. */
static uint32_t walk_all(const cloth_graph *g, uint32_t particles, uint32_t *level, uint32_t *queue)
{
    uint32_t next = 0;
    memset(level, 0xff, particles * sizeof *level);
    for (uint32_t i = 0; i < particles; i++) {
        if (level[i] != CLOTH_NONE) continue;
        uint32_t reached = walk(g, i, next, level, queue), farthest = queue[reached - 1];
        for (uint32_t k = 0; k < reached; k++) level[queue[k]] = CLOTH_NONE;
        walk(g, farthest, next, level, queue);
        next = level[queue[reached - 1]] + 1;
    }
    return next;
}

/* Makes levels of two rows of a grid each; false if a constraint spans more than one level.
 * Second neighbours, the farthest particles with a constraint between them, are in the next
 * level. */
static bool take_rows(const cloth_garment *garment, uint32_t *level, uint32_t *level_count)
{
    uint32_t width = garment->grid_width;
    if (!width) return false;
    for (uint32_t i = 0; i < garment->particle_count; i++) level[i] = i / width / 2;
    for (uint32_t k = 0; k < garment->constraint_count; k++) {
        uint32_t a = level[garment->constraints[k].a], b = level[garment->constraints[k].b];
        if (a > b + 1 || b > a + 1) return false;
    }
    *level_count = level[garment->particle_count - 1] + 1;
    return true;
}

/* ---- a sweep ---- */

/* Takes elements or cells, whose steps are their colours. */
static void take_sums(finder *f, cloth_figures *result, cloth_sums sums, cloth_shape shape)
{
    result->steps[shape] = sums.colours;
    for (uint32_t colour = 0; colour < sums.colours; colour++)
        for (uint32_t k = sums.at[colour]; k < sums.at[colour + 1]; k++) {
            cloth_found *figure = f->found + f->count++;
            *figure = (cloth_found){{0}, {k}, shape, colour};
            memcpy(figure->particle, sums.items + (size_t)sums.words * k,
                sums.particles * sizeof *figure->particle);
        }
}

static hed_status find_all(
    cloth_figures *result, const cloth_garment *garment, hed_arena *scratch, hed_error *error)
{
    uint32_t particles = garment->particle_count, constraints = garment->constraint_count;
    bool grid = garment->grid_width > 0;
    /* edge: constraint of each particle in each direction of a grid */
    uint32_t *edge[DIRECTIONS], *queue;
    cloth_graph graph;
    finder f = {.garment = garment, .graph = &graph};
    f.used = hed_arena_new(scratch, constraints, sizeof *f.used, error);
    f.taken = hed_arena_new(scratch, particles, sizeof *f.taken, error);
    queue = hed_arena_new(scratch, particles, sizeof *queue, error);
    for (int d = 0; grid && d < DIRECTIONS; d++) {
        edge[d] = hed_arena_new(scratch, particles, sizeof *edge[d], error);
        if (edge[d]) memset(edge[d], 0xff, particles * sizeof *edge[d]);
    }
    f.level = result->level =
        hed_arena_new(&result->arena, particles, sizeof *result->level, error);
    f.found = result->figures = hed_arena_new(&result->arena,
        (uint64_t)constraints + garment->element_count + garment->cell_count,
        sizeof *result->figures, error);
    if (scratch->failed || result->arena.failed) return HED_ERROR_MEMORY;
    bool rows = take_rows(garment, result->level, &result->level_count);
    grid = grid && sort_edges(&f, edge);
    if (!rows || !grid) {
        hed_status status = cloth_graph_create(&graph, garment, scratch, error);
        if (status) return status;
    }
    if (!rows) result->level_count = walk_all(&graph, particles, result->level, queue);
    /* elements and cells span two levels of the walk */
    if (!rows && (garment->element_count || garment->cell_count)) {
        for (uint32_t i = 0; i < particles; i++) result->level[i] /= 2;
        result->level_count = (result->level_count + 1) / 2;
    }
    take_sums(&f, result, cloth_elements_of(garment), CLOTH_SHAPE_ELEMENT);
    take_sums(&f, result, cloth_cells_of(garment), CLOTH_SHAPE_CELL);
    for (uint32_t k = cloth_kept_constraints(garment); k < constraints; k++) f.used[k] = 1;
    if (grid) find_on_grid(&f, edge);
    else find_on_mesh(&f);
    for (uint32_t k = 0; k < constraints; k++) {
        uint32_t a = garment->constraints[k].a, b = garment->constraints[k].b;
        const cloth_found pair = {{a, b}, {k}, CLOTH_SHAPE_PAIR, 0};
        if (!f.used[k] && !(cloth_is_locked(garment, a) && cloth_is_locked(garment, b)))
            add_figure(&f, &pair);
    }
    result->count = f.count;
    for (int shape = CLOTH_SHAPE_RING; shape < CLOTH_SHAPE_COUNT; shape++)
        result->steps[shape] = put_in_steps(&f, (cloth_shape)shape, 0);
    return HED_OK;
}

hed_status cloth_figures_create(
    const cloth_garment *garment, cloth_figures **figures, hed_error *error)
{
    *figures = NULL;
    hed_arena arena = {.allocator = garment->arena.allocator, .owner = "figures of cloth"};
    cloth_figures *result = hed_arena_new(&arena, 1, sizeof *result, error);
    if (!result) return HED_ERROR_MEMORY;
    result->arena = arena;
    hed_arena scratch = {.allocator = garment->arena.allocator, .owner = "figures of cloth"};
    hed_status status = find_all(result, garment, &scratch, error);
    hed_arena_free(&scratch);
    if (status) cloth_figures_destroy(result);
    else *figures = result;
    return status;
}

void cloth_figures_destroy(cloth_figures *figures)
{
    if (figures) hed_arena_free(&figures->arena);
}

uint32_t cloth_figures_order(const cloth_figures *figures, uint32_t *order)
{
    uint32_t count = 0;
    for (uint32_t shape = 0; shape < CLOTH_SHAPE_COUNT; shape++)
        for (uint32_t step = 0; step < figures->steps[shape]; step++)
            for (uint32_t k = 0; k < figures->count; k++) {
                const cloth_found *figure = figures->figures + k;
                if (figure->shape != (cloth_shape)shape || figure->step != step) continue;
                for (uint32_t e = 0; e < cloth_shape_constraints(figure->shape); e++)
                    order[count++] = figure->constraint[e];
            }
    return count;
}
