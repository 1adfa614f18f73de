/* Pairs of a contact iteration in C, taken from the list in blocks: loops over lanes as in
 * broad_phase_cpu.h. */
#ifndef CLOTH_PAIR_TAKE_CPU_H
#define CLOTH_PAIR_TAKE_CPU_H

#include "contact/broad_phase_cpu.h"

/* Listed pairs of one kind, until there is a block of them. */
typedef struct block_queue {
    uint count, listed[BLOCK_QUEUE];
} block_queue;

/* Takes the last pairs of a queue. */
HED_NATIVE_BODY block_pop(
    block *b, block_queue *queue, contact_pair_view view, contact_margins margins)
{
    uint at[BLOCK_LANES], edges[BLOCK_LANES];
    b->count = block_leave(&queue->count, at);
    for (uint lane = 0; lane < BLOCK_LANES; lane++) {
        at[lane] = queue->listed[queue->count + at[lane]];
        b->reach[lane] = view.bounds[at[lane]].reach;
        b->limit[lane] = contact_near_gap(b->reach[lane], margins);
    }
    block_gather_ends(b->ends, edges, view.list, at);
    b->edges = edges[0];
    block_load(b, view.start, view.position);
}

/* Computes the gap of each pair, and `meets`: true if the pair may meet. */
HED_NATIVE_BODY block_meet(block *b, float4 shift, uint edges)
{
    for (int lane = 0; lane < BLOCK_LANES; lane++) {
        contact_ends x = block_ends(b->x, lane), y = block_ends(b->y, lane);
        contact_gap gap = contact_gap_of(x, y, shift, edges);
        b->normal[0][lane] = gap.normal.x;
        b->normal[1][lane] = gap.normal.y;
        b->normal[2][lane] = gap.normal.z;
        b->gap[lane] = gap.normal.w;
        b->p[lane] = gap.p;
        b->q[lane] = gap.q;
        b->min_gap[lane] = gap.min_gap;
    }
    for (int lane = 0; lane < BLOCK_LANES; lane++) {
        contact_ends x = block_ends(b->x, lane), y = block_ends(b->y, lane);
        b->meets[lane] = !contact_sides_apart(x, y, shift, edges, b->limit[lane]) &&
                         !(b->min_gap[lane] >= b->limit[lane]);
    }
}
HED_NATIVE_BODY block_meet_edges_body(block *b, float4 shift)
{
    block_meet(b, shift, CONTACT_EDGES);
}
BLOCK_CLONES(block_meet_edges, (block * b, float4 shift), (b, shift))
HED_NATIVE_BODY block_meet_vertices_body(block *b, float4 shift) { block_meet(b, shift, 0u); }
BLOCK_CLONES(block_meet_vertices, (block * b, float4 shift), (b, shift))

/* Listed pairs in lanes, with their bounds. */
typedef struct block_listed {
    uint ends[4 * BLOCK_LANES], edges[BLOCK_LANES]; /* particles, [end][lane] */
    contact_bound bounds[BLOCK_LANES];
    uint meets[BLOCK_LANES]; /* true if contact_is_far() is not */
} block_listed;

HED_NATIVE_BODY block_near_body(
    block_listed *l, const float *deviations, contact_margins margins)
{
    const int *ends = (const int *)l->ends;
    for (int lane = 0; lane < BLOCK_LANES; lane++) {
        float a = deviations[ends[lane]], b = deviations[ends[BLOCK_LANES + lane]],
              c = deviations[ends[2 * BLOCK_LANES + lane]],
              d = deviations[ends[3 * BLOCK_LANES + lane]];
        float larger = hed_max(c, d), edge = hed_max(a, b) + larger, face = a + hed_max(b, larger);
        float deviation = l->edges[lane] ? edge : face;
        l->meets[lane] = !(l->bounds[lane].gap - deviation >=
                           contact_near_gap(l->bounds[lane].reach, margins));
    }
}
BLOCK_CLONES(block_near, (block_listed * l, const float *deviations, contact_margins margins),
    (l, deviations, margins))

/* Adds the pairs [k, k + count) of the list that are near to the queues of their kinds. */
HED_NATIVE_BODY block_sift(block_queue queues[2], uint k, uint count, contact_pair_view view,
    uint is_fresh, contact_margins margins)
{
    block_listed l;
    uint at[BLOCK_LANES];
    for (uint lane = 0; lane < BLOCK_LANES; lane++) at[lane] = k + (lane < count ? lane : 0u);
    block_gather_ends(l.ends, l.edges, view.list, at);
    if (count == BLOCK_LANES) memcpy(l.bounds, view.bounds + k, sizeof l.bounds);
    else
        for (uint lane = 0; lane < BLOCK_LANES; lane++) l.bounds[lane] = view.bounds[at[lane]];
    if (is_fresh)
        for (uint lane = 0; lane < BLOCK_LANES; lane++)
            l.meets[lane] =
                !(l.bounds[lane].gap >= contact_near_gap(l.bounds[lane].reach, margins));
    else block_near(&l, view.deviations, margins);
    for (uint lane = 0; lane < count; lane++) {
        /* no branch, which would be predicted wrongly for half of the pairs */
        block_queue *queue = &queues[l.edges[lane] != 0];
        queue->listed[queue->count] = k + lane;
        queue->count += l.meets[lane];
    }
}

typedef struct block_pair_stage {
    uint count;
    contact_pair pairs[BLOCK_STAGE + BLOCK_LANES];
    contact_plane planes[BLOCK_STAGE + BLOCK_LANES];
} block_pair_stage;

static inline void block_pairs_write(
    block_pair_stage *stage, contact_pair_view view, int *counter, uint capacity)
{
    const block_column columns[] = {{view.pairs, stage->pairs, sizeof *stage->pairs},
        {view.planes, stage->planes, sizeof *stage->planes}};
    block_append(&stage->count, counter, capacity, columns, 2);
}

/* Takes listed pairs [first, last). */
HED_NATIVE_BODY block_take(uint first, uint last, contact_pair_view view,
    contact_counters *counters, contact_params params)
{
    block_queue queues[2];
    block b;
    contact_iteration *current = &counters->iteration[params.slot];
    const contact_margins margins = contact_taken_margins(counters, params);
    uint is_fresh = (uint)current->list_needed;
    float4 shift = contact_shift(counters, params);
    block_pair_stage stage;
    contact_pair_view staged = view;
    contact_params room = params;
    staged.pairs = stage.pairs;
    staged.planes = stage.planes;
    room.capacity = BLOCK_STAGE + BLOCK_LANES;
    stage.count = queues[0].count = queues[1].count = 0;
    for (uint k = first; k < last; k += BLOCK_LANES) {
        uint count = last - k < BLOCK_LANES ? last - k : BLOCK_LANES;
        block_sift(queues, k, count, view, is_fresh, margins);
        for (uint edges = 0; edges < 2; edges++)
            while (queues[edges].count >= (k + count < last ? BLOCK_LANES : 1)) {
                block_pop(&b, &queues[edges], view, margins);
                (edges ? block_meet_edges : block_meet_vertices)(&b, shift);
                for (uint lane = 0; lane < b.count; lane++) {
                    if (!b.meets[lane]) continue;
                    contact_gap gap = {.normal = {b.normal[0][lane], b.normal[1][lane],
                                           b.normal[2][lane], b.gap[lane]},
                        .p = b.p[lane],
                        .q = b.q[lane]};
                    contact_pair_write(
                        stage.count++, block_pair(&b, lane), b.reach[lane], gap, staged, room);
                }
                if (stage.count >= BLOCK_STAGE)
                    block_pairs_write(&stage, view, &current->pairs, params.capacity);
            }
    }
    if (stage.count > 0) block_pairs_write(&stage, view, &current->pairs, params.capacity);
}

#endif
