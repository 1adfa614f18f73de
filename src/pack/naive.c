/* Packing as the entities come: types interleaved in turn (one of each, then the second of each,
 * ...), rows to warps in turn. It is what the other methods are compared with. */
#include "pack/plan.h"

/* A place in that order. In a round each type that still has entities comes once; which these are
 * changes where the smallest has ended: rounds of the same types are one stretch, so that any place
 * is found without counting up to it. */
typedef struct turn {
    uint32_t place;
    uint32_t round, end; /* `end`: of the stretch */
    uint32_t index;      /* among the types of the round */
    uint32_t count;
    uint32_t types[HED_PACK_MAX_TYPES];
} turn;

static void begin_stretch(const pack_problem *p, uint32_t round, turn *t)
{
    t->round = round;
    t->index = t->count = 0;
    t->end = UINT32_MAX;
    for (uint32_t type = 0; type < p->types; type++) {
        if (p->count[type] <= round) continue;
        t->types[t->count++] = type;
        t->end = p->count[type] < t->end ? p->count[type] : t->end;
    }
}

static void go_to(const pack_problem *p, uint32_t place, turn *t)
{
    if (t->place == place) return; /* the next row, as it is where each warp has one */
    t->place = place;
    begin_stretch(p, 0, t);
    for (uint64_t size; place >= (size = (uint64_t)(t->end - t->round) * t->count);
         place -= (uint32_t)size)
        begin_stretch(p, t->end, t);
    t->round += place / t->count;
    t->index = place % t->count;
}

/* One row: as many entities as it has. Gives a mask of their types. */
static uint32_t write_row(
    const pack_problem *p, uint32_t warp, uint32_t row, turn *t, pack_output *output)
{
    uint32_t place = (row * p->warps + warp) * p->lanes, mask = 0;
    uint32_t size = p->total - place < p->lanes ? p->total - place : p->lanes;
    go_to(p, place, t);
    for (uint32_t lane = 0; lane < size;) {
        if (t->count == 1) { /* nobody is left to take turns with */
            uint32_t type = t->types[0], count = t->end - t->round;
            if (count > size - lane) count = size - lane;
            pack_write(output, (hed_pack_piece){p->type[type], t->round, count, warp, row, lane});
            mask |= 1u << type;
            lane += count;
            t->round += count;
        } else {
            for (; t->index < t->count && lane < size; t->index++, lane++) {
                pack_write(output,
                    (hed_pack_piece){p->type[t->types[t->index]], t->round, 1, warp, row, lane});
                mask |= 1u << t->types[t->index];
            }
            if (t->index < t->count) break;
            t->index = 0;
            t->round++;
        }
        if (t->round == t->end) begin_stretch(p, t->end, t);
    }
    t->place += size;
    return mask;
}

static void account(const pack_problem *p, uint32_t mask, double *cost, uint32_t *occupancy)
{
    uint32_t types = 0;
    for (uint32_t type = 0; type < p->types; type++) {
        if (!(mask >> type & 1)) continue;
        types++;
        *cost += p->cost[type];
    }
    *occupancy = types > *occupancy ? types : *occupancy;
}

void pack_naive(const pack_problem *p, pack_output *output, hed_pack_layout *layout)
{
    uint32_t rows = (p->total + p->lanes - 1) / p->lanes; /* of all warps */
    turn t = {0};
    begin_stretch(p, 0, &t);
    for (uint32_t warp = 0; warp < p->warps && warp < rows; warp++) {
        double cost = 0;
        uint32_t row = 0;
        for (; row * p->warps + warp < rows; row++)
            account(p, write_row(p, warp, row, &t, output), &cost, &layout->max_occupancy);
        if (cost > layout->max_cost) layout->max_cost = cost;
        if (row > layout->rows) layout->rows = row;
    }
    layout->warps_used = rows < p->warps ? rows : p->warps;
}
