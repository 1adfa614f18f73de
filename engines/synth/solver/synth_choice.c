/* Choice of an instrument's solver, packing and work-group: the tuned ones if a measurement of such
 * an instrument is in the database, else by rule. Value 0 of each tuned parameter selects the
 * rules, so the default is the behaviour of an untuned device. */
#include "solver/solver.h"

#include <string.h>

#include "heddle/tune.h"

enum { STRUCTURE, PACK, ITEMS, PARAMETERS };

/* ---- the space ---- */

static const int64_t solvers[] = {
    HED_SYNTH_SOLVER_AUTO, HED_SYNTH_SOLVER_GROUP, HED_SYNTH_SOLVER_GLOBAL, HED_SYNTH_SOLVER_GRID};
static const char *const solver_labels[] = {"rule", "group", "global", "grid"};
static const int64_t packs[] = {0, 1 + HED_PACK_ROWS, 1 + HED_PACK_EXACT_COST, 1 + HED_PACK_EXACT,
    1 + HED_PACK_GREEDY, 1 + HED_PACK_SPREAD};
static const char *const pack_labels[] = {
    "rule", "rows", "exact_cost", "exact", "greedy", "spread"};
static const int64_t group_items[] = {0, 32, 64, 128, 256, 512, 1024};

#define CHOICES(values) values, HED_COUNT(values), 0
static const hed_parameter_def parameters[PARAMETERS] = {
    [STRUCTURE] = {"STRUCTURE", CHOICES(solvers), solver_labels},
    [PACK] = {"PACK", CHOICES(packs), pack_labels},
    [ITEMS] = {"ITEMS", CHOICES(group_items), NULL},
};
static const hed_condition conditions[] = {
    {"PACK", "STRUCTURE == \"group\" or STRUCTURE == \"global\""},
    {"ITEMS", "STRUCTURE == \"group\" or STRUCTURE == \"global\""},
};
static const char *const dimensions[] = {"bodies", "springs", "others", "voices"};

hed_pipeline_def synth_tune_pipeline(void)
{
    return (hed_pipeline_def){
        .name = "synth", .version = "1", .parameters = parameters, .parameter_count = PARAMETERS,
        .conditions = conditions, .condition_count = HED_COUNT(conditions),
        .dimensions = dimensions, .dimension_count = HED_COUNT(dimensions),
    };
}

const hed_kernel_def *hed_synth_tune_description(void)
{
    static const hed_kernel_def description = {
        .name = "synth", .summary = "the solver of an instrument", .parameters = parameters,
        .parameter_count = PARAMETERS, .dimensions = dimensions,
        .dimension_count = HED_COUNT(dimensions),
    };
    return &description;
}

hed_problem synth_tune_problem(const hed_synth_instrument *instrument)
{
    const hed_synth_instrument_def *def = hed_synth_instrument_definition(instrument);
    int64_t others = 0;
    for (int type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
        if (type != HED_SYNTH_BODY && type != HED_SYNTH_SPRING)
            others += hed_synth_instrument_count(instrument, (hed_synth_entity_type)type);
    return (hed_problem){4, {hed_synth_instrument_count(instrument, HED_SYNTH_BODY),
                                hed_synth_instrument_count(instrument, HED_SYNTH_SPRING) + 1,
                                others + 1, def->mode == HED_SYNTH_SINGLETON ? 1 : def->voices}};
}

hed_status synth_tuned_resolve(hed_device *device, const hed_synth_instrument *instrument,
    hed_config *tuned, hed_config_origin *configured)
{
    *configured = HED_ORIGIN_DEFAULT;
    if (strcmp(hed_device_describe(device).backend, "host") == 0) return HED_OK;
    hed_pipeline_def pipeline = synth_tune_pipeline();
    hed_problem problem = synth_tune_problem(instrument);
    return hed_pipeline_resolve(device, &pipeline, &problem, tuned, configured, NULL);
}

void synth_tuned_apply(const hed_config *tuned, hed_synth_def *def, uint32_t *items)
{
    if (tuned->values[STRUCTURE]) def->solver = (hed_synth_solver)tuned->values[STRUCTURE];
    if (tuned->values[PACK]) def->pack = (hed_pack_method)(tuned->values[PACK] - 1);
    *items = (uint32_t)tuned->values[ITEMS];
}

/* ---- rules ---- */

void synth_choose_shape(
    const hed_device_info *info, uint32_t requested, uint32_t *warps, uint32_t *lanes)
{
    bool gpu = info->type == HED_DEVICE_GPU;
    uint32_t width = gpu && info->lane_width ? info->lane_width : 32;
    *lanes = width < 128 ? width : 128;
    uint32_t items = gpu && info->max_group < 1024 ? info->max_group : 1024;
    if (requested && requested < items) items = requested;
    *warps = gpu ? items / *lanes : 1;
    if (*warps < 1) *warps = 1;
    if (*warps > 32) *warps = 32;
}

/* Solvers in the order in which AUTO tries them: the first valid one is used. */
static const synth_solver_ops *const all_ops[] = {
    &synth_cpu_ops, &synth_group_ops, &synth_grid_ops, &synth_global_ops};
enum { OPS_COUNT = sizeof all_ops / sizeof *all_ops, LARGE = 8192, LARGE_WITH_PACKETS = 1024 };

bool synth_is_sensible(const hed_synth *synth, hed_synth_solver id)
{
    const hed_device_info info = hed_device_describe(synth->device);
    bool host = strcmp(info.backend, "host") == 0;
    if (host || id == HED_SYNTH_SOLVER_CPU) return host && id == HED_SYNTH_SOLVER_CPU;
    if (id != HED_SYNTH_SOLVER_GRID) return true;
    uint32_t large = synth_grid_has_packets(&info) ? LARGE_WITH_PACKETS : LARGE;
    return synth->def.math == HED_MATH_FAST && !synth->def.resident &&
           hed_synth_instrument_count(synth->def.instrument, HED_SYNTH_BODY) >= large;
}

hed_status synth_choose_solver(hed_synth *synth, bool grid, hed_error *error)
{
    hed_synth_solver requested = synth->def.solver;
    char reason[256] = "none runs on this device";
    for (uint32_t i = 0; i < OPS_COUNT; i++) {
        hed_synth_solver id = all_ops[i]->id;
        if (requested == HED_SYNTH_SOLVER_AUTO
                ? !synth_is_sensible(synth, id) || (id == HED_SYNTH_SOLVER_GRID && !grid)
                : id != requested)
            continue;
        if (!all_ops[i]->valid(synth, reason, sizeof reason)) continue;
        synth->ops = all_ops[i];
        synth->def.solver = synth->ops->id;
        return HED_OK;
    }
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "solver %s on %s: %s",
        hed_synth_solver_name(requested), hed_device_describe(synth->device).id, reason);
}
