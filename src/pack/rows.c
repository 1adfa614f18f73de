/* Packing by row lists: a row holds entities of one type. Nothing diverges, and no order is better
 * than another. */
#include "pack/plan.h"

void pack_rows(const pack_problem *p, pack_plan *plan)
{
    for (uint32_t type = 0; type < p->types; type++) {
        if (p->full[type] > 0) {
            pack_begin_kind(plan, p->full[type]);
            pack_add_part(plan, p, type, p->lanes);
        }
        if (p->rest[type] > 0) {
            pack_begin_kind(plan, 1);
            pack_add_part(plan, p, type, p->rest[type]);
        }
    }
}
