/* Assignment of rows to warps. Rows are independent, so this is scheduling on identical machines:
 * the longest-processing-time rule (Graham, SIAM Journal on Applied Mathematics 17, 1969) assigns
 * each row, longest first, to the least loaded warp; the result is within 4/3 - 1/(3 warps) of the
 * optimum. */
#include "pack/plan.h"

#include <string.h>

/* Warp w issues through scheduler w % 4 of its multiprocessor. Of equally loaded warps the one with
 * the least loaded scheduler is chosen. */
enum { SCHEDULERS = 4 };

static void pack_clear(const pack_problem *p, const pack_plan *plan, pack_placing *placing)
{
    for (uint32_t w = 0; w < p->warps; w++) {
        memset(placing->rows[w], 0, plan->kinds * sizeof placing->rows[w][0]);
        placing->load[w] = 0;
    }
}

static void pack_place_in_order(const pack_problem *p, const pack_plan *plan, pack_placing *placing)
{
    uint32_t w = 0;
    pack_clear(p, plan, placing);
    for (uint32_t k = 0; k < plan->kinds; k++) {
        for (uint32_t i = 0; i < plan->kind[k].repeat; i++, w++) {
            placing->rows[w][k] = 1;
            placing->load[w] = plan->kind[k].cost;
        }
    }
}

/* Warps of one scheduler, least loaded first; equal ones by index. */
typedef struct scheduler {
    uint32_t count;
    uint8_t warp[HED_PACK_MAX_WARPS / SCHEDULERS];
    double load; /* total load of its warps */
} scheduler;

/* Assigns a row to the first warp. Returns the warp's new load. */
static double pack_add_row(pack_placing *placing, scheduler *s, uint32_t kind, double cost)
{
    uint8_t warp = s->warp[0];
    double load = placing->load[warp] += cost;
    uint32_t i = 0;
    for (; i + 1 < s->count; i++) {
        uint8_t next = s->warp[i + 1];
        if (placing->load[next] > load || (placing->load[next] == load && next > warp)) break;
        s->warp[i] = next;
    }
    s->warp[i] = warp;
    s->load += cost;
    placing->rows[warp][kind]++;
    return load;
}

static scheduler *pack_least_loaded(
    const pack_placing *placing, scheduler *schedulers, uint32_t count)
{
    scheduler *best = schedulers;
    for (uint32_t i = 1; i < count; i++) {
        scheduler *s = &schedulers[i];
        double a = placing->load[s->warp[0]], b = placing->load[best->warp[0]];
        if (a < b || (a == b && s->load < best->load)) best = s;
    }
    return best;
}

static void pack_place_balanced(const pack_problem *p, const pack_plan *plan, pack_placing *placing)
{
    scheduler schedulers[SCHEDULERS] = {0};
    uint32_t used = p->warps < SCHEDULERS ? p->warps : SCHEDULERS;
    double highest = 0;
    pack_clear(p, plan, placing);
    for (uint32_t w = 0; w < p->warps; w++) {
        scheduler *s = &schedulers[w % SCHEDULERS];
        s->warp[s->count++] = (uint8_t)w;
    }
    for (uint32_t o = 0; o < plan->kinds; o++) {
        uint32_t k = plan->order[o], left = plan->kind[k].repeat;
        double cost = plan->kind[k].cost;
        while (left > 0) {
            scheduler *s = pack_least_loaded(placing, schedulers, used);
            /* while loads differ by at most one row, each warp gets a row before any gets a second:
             * assign whole rounds at once */
            if (left >= p->warps && highest - placing->load[s->warp[0]] <= cost) {
                uint32_t rounds = left / p->warps;
                for (uint32_t w = 0; w < p->warps; w++) {
                    placing->rows[w][k] += rounds;
                    placing->load[w] += rounds * cost;
                    schedulers[w % SCHEDULERS].load += rounds * cost;
                }
                highest += rounds * cost;
                left %= p->warps;
                continue;
            }
            double load = pack_add_row(placing, s, k, cost);
            highest = load > highest ? load : highest;
            left--;
        }
    }
}

void pack_place(const pack_problem *p, const pack_plan *plan, pack_placing *placing)
{
    if (plan->rows <= p->warps) pack_place_in_order(p, plan, placing);
    else pack_place_balanced(p, plan, placing);
}

double pack_highest_load(const pack_problem *p, const pack_placing *placing)
{
    double highest = 0;
    for (uint32_t w = 0; w < p->warps; w++)
        highest = placing->load[w] > highest ? placing->load[w] : highest;
    return highest;
}

/* ---- row lists ---- */

/* Lower bound on the highest load of row lists: the most expensive row; the mean load; and the cost
 * of the mean number of rows, if all were the cheapest. */
static double pack_lowest_load(const pack_problem *p, const pack_plan *plan)
{
    uint32_t left = (plan->rows + p->warps - 1) / p->warps;
    double sum = 0, crowd = 0;
    for (uint32_t o = plan->kinds; o-- > 0;) {
        const pack_kind *kind = &plan->kind[plan->order[o]];
        uint32_t count = left < kind->repeat ? left : kind->repeat;
        sum += kind->repeat * kind->cost;
        crowd += count * kind->cost;
        left -= count;
    }
    double bound = plan->kind[plan->order[0]].cost;
    bound = crowd > bound ? crowd : bound;
    return sum / p->warps > bound ? sum / p->warps : bound;
}

/* Replaces a warp's mixed rows by one row per type, which is the same work. */
static void pack_unmix(const pack_problem *p, const pack_plan *mixed, const pack_placing *from,
    const pack_plan *plan, pack_placing *to)
{
    uint32_t left[PACK_KINDS];
    for (uint32_t k = 0; k < plan->kinds; k++) left[k] = plan->kind[k].repeat;
    pack_clear(p, plan, to);
    for (uint32_t w = 0; w < p->warps; w++) {
        uint32_t touched[HED_PACK_MAX_TYPES] = {0}; /* rows of the warp with this type */
        for (uint32_t k = 0; k < mixed->kinds; k++)
            for (uint32_t i = 0; i < mixed->kind[k].parts; i++)
                touched[mixed->part[mixed->kind[k].first_part + i].type] += from->rows[w][k];
        for (uint32_t k = 0; k < plan->kinds; k++) {
            uint32_t type = plan->part[plan->kind[k].first_part].type;
            uint32_t count = left[k] < touched[type] ? left[k] : touched[type];
            touched[type] -= count;
            left[k] -= count;
            to->rows[w][k] = count;
            to->load[w] += count * plan->kind[k].cost;
        }
    }
}

void pack_place_lists(const pack_problem *p, const pack_plan *plan, pack_placing *placing)
{
    pack_place_balanced(p, plan, placing);
    double load = pack_highest_load(p, placing);
    if (load <= pack_lowest_load(p, plan)) return;
    pack_plan mixed;
    pack_placing exact;
    pack_start(&mixed);
    if (!pack_exact_cost(p, load, &mixed)) return;
    pack_finish(&mixed);
    pack_place(p, &mixed, &exact);
    if (pack_highest_load(p, &exact) < load) pack_unmix(p, &mixed, &exact, plan, placing);
}
