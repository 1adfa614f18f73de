/* Assignment of entities to lanes: checks the definition, calls the method, and writes its plan as
 * pieces. */
#include "pack/plan.h"

#include <math.h>

/* ---- the problem ---- */

static bool pack_make_problem(const hed_pack_def *def, pack_problem *p)
{
    if (!def || !def->counts || def->types < 1 || def->types > HED_PACK_MAX_TYPES ||
        def->warps < 1 || def->warps > HED_PACK_MAX_WARPS || def->lanes < 1 ||
        def->lanes > HED_PACK_MAX_LANES || (uint32_t)def->method >= HED_PACK_METHOD_COUNT)
        return false;
    uint64_t total = 0;
    p->types = 0;
    p->lanes = def->lanes;
    p->warps = def->warps;
    for (uint32_t type = 0; type < def->types; type++) {
        float cost = def->costs ? def->costs[type] : 1;
        if (!(cost > 0) || isinf(cost)) return false;
        if (def->counts[type] == 0) continue;
        p->type[p->types] = type;
        p->count[p->types] = def->counts[type];
        p->full[p->types] = def->counts[type] / def->lanes;
        p->rest[p->types] = def->counts[type] % def->lanes;
        p->cost[p->types++] = (double)cost;
        total += def->counts[type];
    }
    if (total > HED_PACK_MAX_ENTITIES) return false;
    p->total = (uint32_t)total;
    uint32_t round = def->warps * def->lanes;
    p->rows = def->warps * ((p->total + round - 1) / round);
    return true;
}

uint32_t hed_pack_capacity(const hed_pack_def *def)
{
    if (!def) return 0;
    pack_problem p;
    if (!pack_make_problem(def, &p)) return 0;
    if (def->method == HED_PACK_NAIVE) return p.total;
    /* Each piece ends with its type or its row. There are at most as many rows as if each type had
     * its own, plus one round. */
    uint32_t pieces = p.types + p.warps;
    for (uint32_t type = 0; type < p.types; type++) pieces += p.full[type] + (p.rest[type] > 0);
    return pieces < p.total ? pieces : p.total;
}

/* ---- writing ---- */

/* Writes the rows of a warp. Returns their number. */
static uint32_t pack_write_warp(const pack_problem *p, const pack_plan *plan,
    const pack_placing *placing, uint32_t warp, uint32_t *written, pack_output *output)
{
    uint32_t row = 0;
    for (uint32_t o = 0; o < plan->kinds; o++) {
        uint32_t k = plan->order[o];
        const pack_kind *kind = &plan->kind[k];
        for (uint32_t end = row + placing->rows[warp][k]; row < end; row++, written[k]++) {
            uint32_t lane = 0;
            for (uint32_t i = kind->first_part; i < kind->first_part + kind->parts; i++) {
                const pack_part *part = &plan->part[i];
                uint32_t first = part->first + written[k] * part->count;
                pack_write(output,
                    (hed_pack_piece){p->type[part->type], first, part->count, warp, row, lane});
                lane += part->count;
            }
        }
    }
    return row;
}

/* Maximum number of types in a warp's list of one-type rows. */
static uint32_t pack_occupancy_of_lists(
    const pack_problem *p, const pack_plan *plan, const pack_placing *placing)
{
    uint32_t maximum = 0;
    for (uint32_t warp = 0; warp < p->warps; warp++) {
        uint32_t mask = 0, count = 0;
        for (uint32_t k = 0; k < plan->kinds; k++)
            if (placing->rows[warp][k] > 0) mask |= 1u << plan->part[plan->kind[k].first_part].type;
        for (; mask > 0; mask &= mask - 1) count++;
        maximum = count > maximum ? count : maximum;
    }
    return maximum;
}

static void pack_make_plan(
    const pack_problem *p, hed_pack_method method, pack_plan *plan, hed_pack_layout *layout)
{
    switch (method) {
    case HED_PACK_GREEDY: pack_greedy(p, plan, &layout->iterations); break;
    case HED_PACK_EXACT: pack_exact(p, plan); break;
    case HED_PACK_EXACT_COST: pack_exact_cost(p, INFINITY, plan); break;
    case HED_PACK_SPREAD: pack_spread(p, plan); break;
    default: pack_rows(p, plan); break;
    }
    pack_finish(plan);
}

hed_status hed_pack(
    const hed_pack_def *def, hed_pack_piece *pieces, uint32_t capacity, hed_pack_layout *layout)
{
    if (!def || (!pieces && capacity) || !layout) return HED_ERROR_ARGUMENT;
    pack_problem p;
    *layout = (hed_pack_layout){0};
    if (!pack_make_problem(def, &p) || (!pieces && capacity > 0)) return HED_ERROR_ARGUMENT;
    pack_output output = {.pieces = pieces, .capacity = capacity};
    if (p.types > 0 && def->method == HED_PACK_NAIVE) {
        pack_naive(&p, &output, layout);
    } else if (p.types > 0) {
        pack_plan plan;
        pack_placing placing;
        pack_start(&plan);
        pack_make_plan(&p, def->method, &plan, layout);
        if (def->method == HED_PACK_ROWS) {
            pack_place_lists(&p, &plan, &placing);
            layout->max_occupancy = pack_occupancy_of_lists(&p, &plan, &placing);
        } else {
            pack_place(&p, &plan, &placing);
            layout->max_occupancy = pack_occupancy(&plan);
        }
        layout->max_cost = pack_highest_load(&p, &placing);
        uint32_t written[PACK_KINDS] = {0}; /* rows written of each kind */
        for (uint32_t warp = 0; warp < p.warps; warp++) {
            uint32_t rows = pack_write_warp(&p, &plan, &placing, warp, written, &output);
            layout->warps_used += rows > 0;
            if (rows > layout->rows) layout->rows = rows;
        }
    }
    layout->piece_count = output.count;
    return output.count <= capacity ? HED_OK : HED_ERROR_BOUNDS;
}

/* ---- naive ---- */

/* Baseline for the other methods: types interleaved (one entity of each, then the second of each,
 * ...), rows assigned to warps in turn. */

/* Position in that order. A round has one entity of each type that is not used up. Consecutive
 * rounds of the same types form a stretch, so that any position is found without counting up to
 * it. */
typedef struct turn {
    uint32_t place;
    uint32_t round, end; /* `end`: last round of the stretch, exclusive */
    uint32_t index;      /* index in `types` */
    uint32_t count;
    uint32_t types[HED_PACK_MAX_TYPES];
} turn;

static void pack_begin_stretch(const pack_problem *p, uint32_t round, turn *t)
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

static void pack_go_to(const pack_problem *p, uint32_t place, turn *t)
{
    if (t->place == place) return; /* the next row, which is the case if each warp has one */
    t->place = place;
    pack_begin_stretch(p, 0, t);
    for (uint64_t size; place >= (size = (uint64_t)(t->end - t->round) * t->count);
         place -= (uint32_t)size)
        pack_begin_stretch(p, t->end, t);
    t->round += place / t->count;
    t->index = place % t->count;
}

/* Writes one row. Returns a mask of its types. */
static uint32_t pack_write_row(
    const pack_problem *p, uint32_t warp, uint32_t row, turn *t, pack_output *output)
{
    uint32_t place = (row * p->warps + warp) * p->lanes, mask = 0;
    uint32_t size = p->total - place < p->lanes ? p->total - place : p->lanes;
    pack_go_to(p, place, t);
    for (uint32_t lane = 0; lane < size;) {
        if (t->count == 1) { /* a single type remains */
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
        if (t->round == t->end) pack_begin_stretch(p, t->end, t);
    }
    t->place += size;
    return mask;
}

static void pack_account(const pack_problem *p, uint32_t mask, double *cost, uint32_t *occupancy)
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
    uint32_t rows = (p->total + p->lanes - 1) / p->lanes; /* rows of all warps */
    turn t = {0};
    pack_begin_stretch(p, 0, &t);
    for (uint32_t warp = 0; warp < p->warps && warp < rows; warp++) {
        double cost = 0;
        uint32_t row = 0;
        for (; row * p->warps + warp < rows; row++)
            pack_account(
                p, pack_write_row(p, warp, row, &t, output), &cost, &layout->max_occupancy);
        if (cost > layout->max_cost) layout->max_cost = cost;
        if (row > layout->rows) layout->rows = row;
    }
    layout->warps_used = rows < p->warps ? rows : p->warps;
}
