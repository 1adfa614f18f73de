/* Who sits in which lane: the definition checked, the method called, and its plan written out as
 * pieces. */
#include "pack/plan.h"

#include <math.h>

const char *hed_pack_method_name(hed_pack_method method)
{
    static const char *const names[] = {"naive", "greedy", "exact", "exact-cost", "spread", "rows"};
    return (uint32_t)method < HED_PACK_METHOD_COUNT ? names[method] : "unknown";
}

/* ---- the problem ---- */

static bool make_problem(const hed_pack_def *def, pack_problem *p)
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
    pack_problem p;
    if (!make_problem(def, &p)) return 0;
    if (def->method == HED_PACK_NAIVE) return p.total;
    /* A piece ends with its type or with its row. Rows are never more than types need that have
     * rows of their own, plus a round. */
    uint32_t pieces = p.types + p.warps;
    for (uint32_t type = 0; type < p.types; type++) pieces += p.full[type] + (p.rest[type] > 0);
    return pieces < p.total ? pieces : p.total;
}

/* ---- writing ---- */

/* The rows of one warp; gives how many. */
static uint32_t write_warp(const pack_problem *p, const pack_plan *plan,
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

static void write_plan(const pack_problem *p, const pack_plan *plan, const pack_placing *placing,
    pack_output *output, hed_pack_layout *layout)
{
    uint32_t written[PACK_KINDS] = {0}; /* rows of each kind */
    for (uint32_t warp = 0; warp < p->warps; warp++) {
        uint32_t rows = write_warp(p, plan, placing, warp, written, output);
        layout->warps_used += rows > 0;
        if (rows > layout->rows) layout->rows = rows;
    }
}

/* Most types in a warp's list of rows of one type. */
static uint32_t occupancy_of_lists(
    const pack_problem *p, const pack_plan *plan, const pack_placing *placing)
{
    uint32_t most = 0;
    for (uint32_t warp = 0; warp < p->warps; warp++) {
        uint32_t mask = 0, count = 0;
        for (uint32_t k = 0; k < plan->kinds; k++)
            if (placing->rows[warp][k] > 0) mask |= 1u << plan->part[plan->kind[k].first_part].type;
        for (; mask > 0; mask &= mask - 1) count++;
        most = count > most ? count : most;
    }
    return most;
}

static void make_plan(
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
    pack_problem p;
    *layout = (hed_pack_layout){0};
    if (!make_problem(def, &p) || (!pieces && capacity > 0)) return HED_ERROR_ARGUMENT;
    pack_output output = {.pieces = pieces, .capacity = capacity};
    if (p.types > 0 && def->method == HED_PACK_NAIVE) {
        pack_naive(&p, &output, layout);
    } else if (p.types > 0) {
        pack_plan plan;
        pack_placing placing;
        pack_start(&plan);
        make_plan(&p, def->method, &plan, layout);
        if (def->method == HED_PACK_ROWS) {
            pack_place_lists(&p, &plan, &placing);
            layout->max_occupancy = occupancy_of_lists(&p, &plan, &placing);
        } else {
            pack_place(&p, &plan, &placing);
            layout->max_occupancy = pack_occupancy(&plan);
        }
        layout->max_cost = pack_highest_load(&p, &placing);
        write_plan(&p, &plan, &placing, &output, layout);
    }
    layout->piece_count = output.count;
    return output.count <= capacity ? HED_OK : HED_ERROR_BOUNDS;
}
