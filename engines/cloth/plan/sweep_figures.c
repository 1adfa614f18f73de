/* Figures of a garment. On a grid in closed form: the cells of one colour of a chessboard are
 * complete figures and cover all edges; on each of the four grids of every second particle, the
 * black cells are rings of bends. On any mesh greedily: shortest complete figure through each
 * constraint that is still free, then rings of one family. What is left are pairs. */
#include "plan/figures.h"

#include <float.h>
#include <string.h>

enum {
    MOST_COMMON = 32,
    WINDOW = 64, /* neighbours of both ends that are looked at; steps that a mask holds */
};

typedef struct finder {
    const cloth_garment *garment;
    cloth_figures *made;
    uint8_t *used;   /* (constraints) in a figure */
    uint64_t *masks; /* (particles) steps that a free particle is in */
    uint32_t *at;    /* (particles + 1) constraints at each particle; NULL on a grid */
    uint32_t *list;  /* (2 x constraints) */
    /* (particles) on a grid: the constraint from each particle in each of its directions */
    uint32_t *edge[6];
} finder;

static bool sweep_is_free(const finder *f, uint32_t particle)
{
    return f->garment->positions[particle][3] > 0.0f;
}

static void sweep_add(
    finder *f, cloth_shape shape, const uint32_t particle[4], const uint32_t constraint[6])
{
    cloth_shaped *figure = f->made->figures + f->made->count++;
    *figure = (cloth_shaped){.shape = shape};
    memcpy(figure->particle, particle, cloth_shape_particles(shape) * sizeof *particle);
    memcpy(figure->constraint, constraint, cloth_shape_constraints(shape) * sizeof *constraint);
    for (uint32_t e = 0; e < cloth_shape_constraints(shape); e++) f->used[constraint[e]] = 1;
}

/* Lengths of the three matchings decide on the order: the longest first, the shortest (a grid's
 * edges) last. */
static void add_complete(finder *f, const uint32_t particle[4], const uint32_t constraint[6])
{
    const hed_cloth_constraint *c = f->garment->constraints;
    float length[3];
    uint32_t order[3] = {0, 1, 2};
    for (int m = 0; m < 3; m++)
        length[m] = c[constraint[2 * m]].rest + c[constraint[2 * m + 1]].rest;
    for (int m = 1; m < 3; m++)
        for (int j = m; j && length[order[j - 1]] < length[order[j]]; j--) {
            uint32_t kept = order[j];
            order[j] = order[j - 1];
            order[j - 1] = kept;
        }
    /* Whom particle 0 meets first, second and last. */
    const uint32_t partner[3] = {1, 2, 3};
    uint32_t p[4] = {particle[0], particle[partner[order[0]]], particle[partner[order[1]]],
        particle[partner[order[2]]]},
             k[6];
    for (int m = 0; m < 3; m++) {
        k[2 * m] = constraint[2 * order[m]];
        k[2 * m + 1] = constraint[2 * order[m] + 1];
    }
    sweep_add(f, CLOTH_SHAPE_COMPLETE, p, k);
}

/* ---- grids ---- */

enum { RIGHT, DOWN, ACROSS, BACK, FAR_RIGHT, FAR_DOWN };

/* Sorts constraints by their direction on the grid; false if one has none. BACK is from (x + 1, y)
 * to (x, y + 1), kept at (x, y). */
static bool sort_edges(finder *f)
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
        uint32_t *at = f->edge[direction] + (direction == BACK ? low - 1 : low);
        if (*at != CLOTH_NATIVE_NONE) return false;
        *at = k;
    }
    return true;
}

static bool all_there(const uint32_t *constraint, uint32_t count)
{
    for (uint32_t e = 0; e < count; e++)
        if (constraint[e] == CLOTH_NATIVE_NONE) return false;
    return true;
}

static void find_on_grid(finder *f)
{
    uint32_t width = f->garment->grid_width, height = f->garment->grid_height;
    uint32_t *const *edge = f->edge;
    for (uint32_t y = 0; y + 2 < height; y++)
        for (uint32_t x = 0; x + 2 < width; x++) {
            uint32_t a = y * width + x, b = a + 2, c = a + 2 * width, d = c + 2;
            const uint32_t particle[4] = {a, b, c, d};
            const uint32_t constraint[6] = {
                edge[FAR_RIGHT][a], edge[FAR_RIGHT][c], edge[FAR_DOWN][a], edge[FAR_DOWN][b]};
            if ((((x >> 1) + (y >> 1)) & 1) == 0 && all_there(constraint, 4))
                sweep_add(f, CLOTH_SHAPE_RING, particle, constraint);
        }
    for (uint32_t y = 0; y + 1 < height; y++)
        for (uint32_t x = y & 1; x + 1 < width; x += 2) {
            uint32_t a = y * width + x, b = a + 1, c = a + width, d = c + 1;
            const uint32_t particle[4] = {a, d, c, b};
            const uint32_t constraint[6] = {edge[ACROSS][a], edge[BACK][a], edge[DOWN][a],
                edge[DOWN][b], edge[RIGHT][a], edge[RIGHT][c]};
            if (all_there(constraint, 6)) add_complete(f, particle, constraint);
        }
}

/* ---- any mesh ---- */

static uint32_t other_end(const finder *f, uint32_t constraint, uint32_t particle)
{
    const hed_cloth_constraint *c = f->garment->constraints + constraint;
    return c->a == particle ? c->b : c->a;
}

/* A free constraint between two particles; of one family where that is below
 * HED_CLOTH_FAMILY_COUNT. */
static uint32_t sweep_find_edge(const finder *f, uint32_t a, uint32_t b, uint32_t family)
{
    if (f->at[b + 1] - f->at[b] < f->at[a + 1] - f->at[a]) {
        uint32_t kept = a;
        a = b;
        b = kept;
    }
    for (uint32_t q = f->at[a]; q < f->at[a + 1]; q++) {
        uint32_t k = f->list[q];
        if (!f->used[k] && other_end(f, k, a) == b &&
            (family == HED_CLOTH_FAMILY_COUNT || f->garment->families[k] == family))
            return k;
    }
    return CLOTH_NATIVE_NONE;
}

static void sweep_find_complete(finder *f, uint32_t ab)
{
    const hed_cloth_constraint *constraints = f->garment->constraints;
    uint32_t a = constraints[ab].a, b = constraints[ab].b, common[MOST_COMMON][3], count = 0;
    for (uint32_t q = f->at[a]; q < f->at[a + 1] && count < MOST_COMMON; q++) {
        uint32_t ac = f->list[q], c = other_end(f, ac, a);
        uint32_t bc = f->used[ac] || c == b ? CLOTH_NATIVE_NONE
                                            : sweep_find_edge(f, b, c, HED_CLOTH_FAMILY_COUNT);
        if (bc == CLOTH_NATIVE_NONE) continue;
        common[count][0] = c, common[count][1] = ac, common[count++][2] = bc;
    }
    float shortest = FLT_MAX;
    uint32_t particle[4] = {a, b}, constraint[6] = {ab};
    for (uint32_t p = 0; p < count; p++)
        for (uint32_t q = p + 1; q < count; q++) {
            const uint32_t *c = common[p], *d = common[q];
            float length = constraints[c[1]].rest + constraints[c[2]].rest +
                           constraints[d[1]].rest + constraints[d[2]].rest;
            uint32_t cd = c[0] != d[0] && length < shortest
                              ? sweep_find_edge(f, c[0], d[0], HED_CLOTH_FAMILY_COUNT)
                              : CLOTH_NATIVE_NONE;
            if (cd == CLOTH_NATIVE_NONE) continue;
            shortest = length;
            particle[2] = c[0], particle[3] = d[0];
            constraint[1] = cd, constraint[2] = c[1], constraint[3] = d[2], constraint[4] = d[1],
            constraint[5] = c[2];
        }
    if (shortest < FLT_MAX) add_complete(f, particle, constraint);
}

/* Opposite corners of a ring have no constraint between them, so their levels are looked at. */
static bool is_near(const finder *f, uint32_t a, uint32_t b)
{
    uint32_t la = f->made->level[a], lb = f->made->level[b];
    return la <= lb + 1 && lb <= la + 1;
}

static void sweep_find_ring(finder *f, uint32_t ab)
{
    uint32_t a = f->garment->constraints[ab].a, b = f->garment->constraints[ab].b,
             family = f->garment->families[ab];
    for (uint32_t p = f->at[a]; p < f->at[a + 1]; p++) {
        uint32_t ac = f->list[p], c = other_end(f, ac, a);
        if (ac == ab || c == b || f->used[ac] || f->garment->families[ac] != family ||
            !is_near(f, b, c))
            continue;
        for (uint32_t q = f->at[b]; q < f->at[b + 1]; q++) {
            uint32_t bd = f->list[q], d = other_end(f, bd, b);
            if (bd == ab || d == a || d == c || f->used[bd] || f->garment->families[bd] != family ||
                !is_near(f, a, d))
                continue;
            uint32_t cd = sweep_find_edge(f, c, d, family);
            if (cd == CLOTH_NATIVE_NONE) continue;
            const uint32_t particle[4] = {a, b, c, d}, constraint[6] = {ab, cd, ac, bd};
            sweep_add(f, CLOTH_SHAPE_RING, particle, constraint);
            return;
        }
    }
}

/* The search through a hub's constraints costs the square of their number: they stay pairs. */
static bool is_hub(const finder *f, uint32_t particle)
{
    return f->at[particle + 1] - f->at[particle] > WINDOW;
}

static void find_on_mesh(finder *f)
{
    const cloth_garment *garment = f->garment;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t k = garment->constraint_count; k-- > 0;) {
            if (f->used[k] || is_hub(f, garment->constraints[k].a) ||
                is_hub(f, garment->constraints[k].b))
                continue;
            if (pass) sweep_find_ring(f, k);
            else sweep_find_complete(f, k);
        }
}

static void list_constraints(finder *f)
{
    const cloth_garment *garment = f->garment;
    for (uint32_t k = 0; k < garment->constraint_count; k++) {
        f->at[garment->constraints[k].a + 1]++;
        f->at[garment->constraints[k].b + 1]++;
    }
    for (uint32_t i = 0; i < garment->particle_count; i++) f->at[i + 1] += f->at[i];
    for (uint32_t k = 0; k < garment->constraint_count; k++) {
        f->list[f->at[garment->constraints[k].a]++] = k;
        f->list[f->at[garment->constraints[k].b]++] = k;
    }
    memmove(f->at + 1, f->at, garment->particle_count * sizeof *f->at);
    f->at[0] = 0;
}

/* Steps of one shape: the first in which no free particle is yet. Where WINDOW of them are not
 * enough, those left begin anew behind them. */
static void sweep_put_in_steps(finder *f, cloth_shape shape)
{
    cloth_figures *made = f->made;
    bool left = true;
    for (uint32_t first = 0; left; first += WINDOW) {
        left = false;
        memset(f->masks, 0, made->particle_count * sizeof *f->masks);
        for (uint32_t k = 0; k < made->count; k++) {
            cloth_shaped *figure = made->figures + k;
            if (figure->shape != shape || figure->step < first) continue;
            uint64_t taken = 0;
            for (uint32_t v = 0; v < cloth_shape_particles(shape); v++)
                taken |= f->masks[figure->particle[v]];
            left |= taken == UINT64_MAX;
            uint32_t step = taken == UINT64_MAX ? WINDOW : (uint32_t)__builtin_ctzll(~taken);
            figure->step = first + step;
            if (step == WINDOW) continue;
            for (uint32_t v = 0; v < cloth_shape_particles(shape); v++)
                if (sweep_is_free(f, figure->particle[v]))
                    f->masks[figure->particle[v]] |= (uint64_t)1 << step;
            if (figure->step >= made->steps[shape]) made->steps[shape] = figure->step + 1;
        }
    }
}

static hed_status find_all(cloth_figures *made, const cloth_garment *garment, hed_error *error)
{
    hed_arena scratch = {.allocator = garment->arena.allocator, .owner = "figures of cloth"};
    uint32_t particles = garment->particle_count, constraints = garment->constraint_count;
    bool grid = garment->grid_width > 0;
    finder f = {.garment = garment, .made = made};
    f.used = hed_arena_new(&scratch, constraints, sizeof *f.used, error);
    f.masks = hed_arena_new(&scratch, particles, sizeof *f.masks, error);
    f.at = hed_arena_new(&scratch, (uint64_t)particles + 1, sizeof *f.at, error);
    f.list = hed_arena_new(&scratch, 2 * (uint64_t)constraints, sizeof *f.list, error);
    for (int d = 0; grid && d < 6; d++) {
        f.edge[d] = hed_arena_new(&scratch, particles, sizeof *f.edge[d], error);
        if (f.edge[d]) memset(f.edge[d], 0xff, particles * sizeof *f.edge[d]);
    }
    made->level = hed_arena_new(&made->arena, particles, sizeof *made->level, error);
    made->figures = hed_arena_new(&made->arena, constraints, sizeof *made->figures, error);
    hed_status status = scratch.failed || made->arena.failed
                            ? HED_ERROR_MEMORY
                            : cloth_levels_create(garment, made->level, &made->level_count, error);
    if (!status) {
        if (grid && sort_edges(&f)) find_on_grid(&f);
        else {
            list_constraints(&f);
            find_on_mesh(&f);
        }
        for (uint32_t k = 0; k < f.garment->constraint_count; k++) {
            const hed_cloth_constraint *c = f.garment->constraints + k;
            const uint32_t particle[4] = {c->a, c->b}, constraint[6] = {k};
            if (!f.used[k] && (sweep_is_free(&f, c->a) || sweep_is_free(&f, c->b)))
                sweep_add(&f, CLOTH_SHAPE_PAIR, particle, constraint);
        }
        for (int shape = 0; shape < CLOTH_SHAPE_COUNT; shape++)
            sweep_put_in_steps(&f, (cloth_shape)shape);
    }
    hed_arena_free(&scratch);
    return status;
}

hed_status cloth_figures_create(
    const cloth_garment *garment, cloth_figures **figures, hed_error *error)
{
    *figures = NULL;
    hed_arena arena = {.allocator = garment->arena.allocator, .owner = "figures of cloth"};
    cloth_figures *made = hed_arena_new(&arena, 1, sizeof *made, error);
    if (!made) return HED_ERROR_MEMORY;
    made->arena = arena;
    made->particle_count = garment->particle_count;
    hed_status status = find_all(made, garment, error);
    if (status) cloth_figures_destroy(made);
    else *figures = made;
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
                const cloth_shaped *figure = figures->figures + k;
                if (figure->shape != (cloth_shape)shape || figure->step != step) continue;
                for (uint32_t e = 0; e < cloth_shape_constraints(figure->shape); e++)
                    order[count++] = figure->constraint[e];
            }
    return count;
}

/* Levels of a mesh: any two particles with a constraint between them are at most one level
 * apart. */

typedef struct graph {
    const cloth_garment *garment;
    uint32_t *at;    /* (particles + 1) constraints at each particle */
    uint32_t *list;  /* (2 x constraints) the other ends */
    uint32_t *queue; /* (particles) */
} graph;

static hed_status make_graph(graph *g, hed_arena *arena, hed_error *error)
{
    const cloth_garment *garment = g->garment;
    uint32_t particles = garment->particle_count, constraints = garment->constraint_count;
    g->at = hed_arena_new(arena, (uint64_t)particles + 1, sizeof *g->at, error);
    g->list = hed_arena_new(arena, 2 * (uint64_t)constraints, sizeof *g->list, error);
    g->queue = hed_arena_new(arena, particles, sizeof *g->queue, error);
    if (arena->failed) return HED_ERROR_MEMORY;
    for (uint32_t k = 0; k < constraints; k++) {
        g->at[garment->constraints[k].a + 1]++;
        g->at[garment->constraints[k].b + 1]++;
    }
    for (uint32_t i = 0; i < particles; i++) g->at[i + 1] += g->at[i];
    for (uint32_t k = 0; k < constraints; k++) {
        g->list[g->at[garment->constraints[k].a]++] = garment->constraints[k].b;
        g->list[g->at[garment->constraints[k].b]++] = garment->constraints[k].a;
    }
    memmove(g->at + 1, g->at, particles * sizeof *g->at);
    g->at[0] = 0;
    return HED_OK;
}

/* Levels of one connected part, breadth-first from `start`, counted from `first`. Gives how many
 * particles it has: they are in g->queue, the farthest last. */
static uint32_t walk(const graph *g, uint32_t start, uint32_t first, uint32_t *level)
{
    uint32_t head = 0, tail = 0;
    g->queue[tail++] = start;
    level[start] = first;
    while (head < tail) {
        uint32_t from = g->queue[head++];
        for (uint32_t q = g->at[from]; q < g->at[from + 1]; q++) {
            uint32_t to = g->list[q];
            if (level[to] != CLOTH_NATIVE_NONE) continue;
            level[to] = level[from] + 1;
            g->queue[tail++] = to;
        }
    }
    return tail;
}

/* From an end that is far from where a first walk began, so that levels are many and small. */
static void walk_all(const graph *g, uint32_t *level, uint32_t *level_count)
{
    uint32_t particles = g->garment->particle_count, next = 0;
    memset(level, 0xff, particles * sizeof *level);
    for (uint32_t i = 0; i < particles; i++) {
        if (level[i] != CLOTH_NATIVE_NONE) continue;
        uint32_t reached = walk(g, i, next, level), far = g->queue[reached - 1];
        for (uint32_t k = 0; k < reached; k++) level[g->queue[k]] = CLOTH_NATIVE_NONE;
        walk(g, far, next, level);
        next = level[g->queue[reached - 1]] + 1;
    }
    *level_count = next;
}

/* Second neighbours, the farthest with a constraint between them, are in the next pair of rows. */
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

hed_status cloth_levels_create(
    const cloth_garment *garment, uint32_t *level, uint32_t *level_count, hed_error *error)
{
    if (take_rows(garment, level, level_count)) return HED_OK;
    graph g = {.garment = garment};
    hed_arena scratch = {.allocator = garment->arena.allocator, .owner = "levels of cloth"};
    hed_status status = make_graph(&g, &scratch, error);
    if (!status) walk_all(&g, level, level_count);
    hed_arena_free(&scratch);
    return status;
}
