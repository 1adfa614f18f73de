/* A plan: patches, schedule, exchange; see plan.h. */
#include "solver/plan.h"

#include "solver/solver.h"

hed_status cloth_plan_create(const cloth_garment *garment, const cloth_plan_def *def, cloth_plan **plan, hed_error *error)
{
    (void)garment;
    (void)def;
    *plan = NULL;
    return cloth_fail(error, HED_ERROR_UNSUPPORTED, "plans are not there yet");
}

void cloth_plan_destroy(cloth_plan *plan) { (void)plan; }

double cloth_plan_pack_banks(cloth_plan *plan)
{
    (void)plan;
    return 1.0;
}
