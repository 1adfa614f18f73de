/* Edges of a graph into steps: no vertex twice in a step, each edge within its window of steps, no
 * more edges in a step than there is room for. Edge colouring with release times and deadlines: the
 * inside of both schedules of a plan (plan_schedule.c). */
#ifndef CLOTH_PLAN_MATCHINGS_H
#define CLOTH_PLAN_MATCHINGS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cloth_edge {
    uint32_t a, b;       /* vertices; UINT32_MAX: an end that makes no conflict */
    uint16_t first, end; /* it may be in steps [first, end) */
    uint16_t step;       /* where it is; UINT16_MAX: nowhere yet */
    uint16_t thrown;     /* how often it was thrown out again */
} cloth_edge;

typedef struct cloth_matchings {
    uint32_t vertex_count, edge_count, steps;
    cloth_edge *edges;  /* (edge_count) */
    uint32_t *at;       /* (vertex_count x steps) edge of each vertex in each step, or UINT32_MAX */
    uint16_t *left;     /* (vertex_count) its edges that are nowhere yet */
    uint16_t *deadline; /* (vertex_count) its edges have to be in steps before this one */
    uint32_t *room;     /* (steps) how many edges it may still take */
    uint32_t *waiting;  /* (edge_count) scratch */
    uint32_t *sorted;   /* (edge_count) scratch */
    uint64_t random;    /* not 0 */
} cloth_matchings;

/* Gives the number of edges that found no place: 0 is success. `effort`: how long it tries, in
 * tries for each edge that the first pass leaves over. The same input gives the same output. */
uint32_t cloth_match(cloth_matchings *matchings, uint32_t effort);

#endif
