/* Construction of a plan, kind by kind. */
#include "pack/plan.h"

#include <string.h>

void pack_start(pack_plan *plan)
{
    plan->kinds = plan->parts = plan->rows = 0;
    memset(plan->next, 0, sizeof plan->next);
}

void pack_begin_kind(pack_plan *plan, uint32_t repeat)
{
    plan->kind[plan->kinds++] = (pack_kind){.first_part = plan->parts, .repeat = repeat};
    plan->rows += repeat;
}

void pack_add_part(pack_plan *plan, const pack_problem *p, uint32_t type, uint32_t count)
{
    pack_kind *kind = &plan->kind[plan->kinds - 1];
    plan->part[plan->parts++] =
        (pack_part){.type = type, .first = plan->next[type], .count = count};
    plan->next[type] += count * kind->repeat;
    kind->parts++;
    kind->cost += p->cost[type];
}

uint32_t pack_occupancy(const pack_plan *plan)
{
    uint32_t maximum = 0;
    for (uint32_t k = 0; k < plan->kinds; k++)
        maximum = plan->kind[k].parts > maximum ? plan->kind[k].parts : maximum;
    return maximum;
}

void pack_finish(pack_plan *plan)
{
    for (uint32_t i = 0; i < plan->kinds; i++) {
        uint32_t j = i;
        for (; j > 0 && plan->kind[plan->order[j - 1]].cost < plan->kind[i].cost; j--)
            plan->order[j] = plan->order[j - 1];
        plan->order[j] = (uint8_t)i;
    }
}
