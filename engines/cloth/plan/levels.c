/* Levels of a mesh: any two particles with a constraint between them are at most one level
 * apart. */
#include "plan/figures.h"

#include <string.h>

typedef struct graph {
    const cloth_garment *garment;
    uint32_t *at;    /* (particles + 1) constraints at each particle */
    uint32_t *list;  /* (2 x constraints) the other ends */
    uint32_t *queue; /* (particles) */
} graph;

static hed_status make_graph(graph *g, hed_error *error)
{
    const cloth_garment *garment = g->garment;
    uint32_t particles = garment->particle_count, constraints = garment->constraint_count;
    g->at = hed_new(&garment->allocator, (uint64_t)particles + 1, sizeof *g->at, error);
    g->list =
        hed_new(&garment->allocator, 2 * (uint64_t)constraints, sizeof *g->list, error);
    g->queue = hed_new(&garment->allocator, particles, sizeof *g->queue, error);
    if (!g->at || !g->list || !g->queue) return HED_ERROR_MEMORY;
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
    hed_status status = make_graph(&g, error);
    if (!status) walk_all(&g, level, level_count);
    hed_delete(&garment->allocator, g.at, (uint64_t)garment->particle_count + 1, sizeof *g.at);
    hed_delete(
        &garment->allocator, g.list, 2 * (uint64_t)garment->constraint_count, sizeof *g.list);
    hed_delete(&garment->allocator, g.queue, garment->particle_count, sizeof *g.queue);
    return status;
}
