/* Choice of a cloth's solver and of its patches: the tuned ones if a measurement of such a cloth is
 * in the database, else by rule. Value 0 of each tuned parameter leaves the choice to the rules, so
 * the default configuration is the one of an untuned device, for every size of cloth. */
#include "solver/patches.h"
#include "solver/strict_order.h"

#include <stdio.h>
#include <string.h>

enum { STRUCTURE, KIND, SPARE, THREADS, EARLY, LIMIT, QUEUE, HELD, GROUPS, PARAMETERS };
enum { BY_RULE, JOINT, FIGURES };                 /* KIND */
enum { LIMIT_NONE = 1, LIMIT_EVEN, LIMIT_TIGHT }; /* LIMIT */
/* particles of a sheet in one launch: at least; in contact with itself at most, since more are
 * not measured */
enum { LARGE_SHEET = 64 * 64, MOST_IN_CONTACT = 128 * 128 };
/* Requested substeps for Newton's method, whose substep takes 70 us or more where one of sweeps
 * takes 77; minimum of its particles */
enum { MOST_NEWTON = 16, SMALLEST_NEWTON = 1024 };

/* ---- the space ---- */

static const int64_t solvers[] = {HED_CLOTH_SOLVER_AUTO, HED_CLOTH_SOLVER_COLOURS,
    HED_CLOTH_SOLVER_PATCHES, HED_CLOTH_SOLVER_GARMENTS};
static const char *const solver_labels[] = {"rule", "colours", "patches", "whole"};
static const hed_parameter_def parameters[PARAMETERS] = {
    [STRUCTURE] = {"STRUCTURE", solvers, HED_COUNT(solvers), 0, solver_labels},
    [KIND] = HED_CHOICE(KIND, 0, "rule", "joint", "figures"),
    /* compute units without a patch, because another number of patches changes the cuts */
    [SPARE] = HED_PARAMETER(SPARE, 0, 0, 1, 4, 12),
    [THREADS] =
        HED_PARAMETER(THREADS, 0, 0, 96, 128, 160, 192, 224, 256, 320, 384, 512, 640, 768, 1024),
    [EARLY] = HED_PARAMETER(EARLY, 0, 0, 1, 2, 3, 4), /* 1 + early steps */
    [LIMIT] = HED_CHOICE(LIMIT, 0, "rule", "none", "even", "tight"),
    [QUEUE] = HED_PARAMETER(QUEUE, 0, 0, 1, 2, 3),
    /* 1 + percentage of the previous positions that are in registers */
    [HELD] = HED_PARAMETER(HELD, 0, 0, 1, 26, 51, 76, 101),
    [GROUPS] = HED_PARAMETER(GROUPS, 0, 0, 1, 2, 4, 8),
};
static const hed_condition conditions[] = {
    {"KIND", "STRUCTURE == \"patches\" or STRUCTURE == \"whole\""},
    {"SPARE", "STRUCTURE == \"patches\""},
    {"THREADS", "KIND != 0"},
    {"EARLY", "KIND == \"joint\" and STRUCTURE == \"patches\""},
    {"LIMIT", "KIND == \"joint\""},
    {"QUEUE", "KIND == \"figures\""},
    {"HELD", "KIND == \"figures\""},
    {"GROUPS", "KIND == \"figures\" and STRUCTURE == \"whole\""},
};
static const char *const dimensions[] = {"particles", "garments", "substeps"};

hed_pipeline_def cloth_tune_pipeline(void)
{
    return (hed_pipeline_def){
        .name = "cloth",
        .version = "1",
        .parameters = parameters,
        .parameter_count = PARAMETERS,
        .conditions = conditions,
        .condition_count = HED_COUNT(conditions),
        .dimensions = dimensions,
        .dimension_count = HED_COUNT(dimensions),
    };
}

const hed_kernel_def *hed_cloth_tune_description(void)
{
    static const hed_kernel_def description = {
        .name = "cloth",
        .summary = "the solver of a cloth",
        .parameters = parameters,
        .parameter_count = PARAMETERS,
        .dimensions = dimensions,
        .dimension_count = HED_COUNT(dimensions),
    };
    return &description;
}

hed_problem cloth_tune_problem(const hed_cloth *cloth)
{
    return (hed_problem){3, {cloth->particles, cloth_copies(cloth), cloth->def.substeps}};
}

/* Returns `rule` with the values of the configuration. `particles` of a patch, `even_step`: as
 * in the rules. */
static cloth_patch_choice tuned_choice(
    const hed_config *tuned, uint32_t particles, uint32_t even_step, cloth_patch_choice rule)
{
    if (!tuned->count) return rule;
    const int64_t *value = tuned->values;
    cloth_patch_choice choice = rule;
    if (value[KIND]) {
        choice.kind = value[KIND] == JOINT ? CLOTH_PLAN_JOINT : CLOTH_PLAN_FIGURES;
        if (choice.kind != rule.kind) choice.threads = choice.kind == CLOTH_PLAN_JOINT ? 0 : 256;
    }
    if (value[SPARE] && choice.patches > 2 * value[SPARE]) choice.patches -= (uint32_t)value[SPARE];
    if (value[THREADS]) choice.threads = (uint32_t)value[THREADS];
    if (value[EARLY]) choice.early_steps = (uint32_t)value[EARLY] - 1;
    const uint32_t step_limits[] = {choice.step_limit, 0, even_step, even_step - even_step / 14};
    choice.step_limit = step_limits[value[LIMIT]];
    if (value[QUEUE]) choice.queue = (uint32_t)value[QUEUE];
    if (value[GROUPS]) choice.groups = (uint32_t)value[GROUPS];
    if (value[HELD] && choice.threads) {
        uint32_t each = (particles + choice.threads - 1) / choice.threads;
        choice.held =
            value[HELD] > 100 ? UINT32_MAX : (uint32_t)(each * (uint64_t)(value[HELD] - 1) / 100);
    }
    return choice;
}

/* Reads the configuration of such a cloth on its device from the database. `*configured` is
 * HED_ORIGIN_DEFAULT if there is none. */
static hed_status tuned_resolve(
    const hed_cloth *cloth, hed_config *tuned, hed_config_origin *configured, hed_error *error)
{
    hed_pipeline_def pipeline = cloth_tune_pipeline();
    hed_problem problem = cloth_tune_problem(cloth);
    return hed_pipeline_resolve(cloth->device, &pipeline, &problem, tuned, configured, error);
}

/* ---- the solver ---- */

bool cloth_has_fabric_sums(const hed_cloth *cloth)
{
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        if (cloth_sums_of(cloth->garments[g]).count) return true;
    return false;
}

static bool has_lattices(const hed_cloth *cloth)
{
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        if (cloth->garments[g]->lattice_count) return true;
    return false;
}

static bool is_valid(
    const hed_cloth *cloth, const cloth_solver_ops *const *solver_table, hed_cloth_solver solver)
{
    char reason[256];
    return solver_table[solver]->valid(cloth, reason, sizeof reason);
}

/* True for a sheet that all groups of a GPU do in one launch sooner than by launches in a graph:
 * one grid or mesh of a fabric of some size with lattices. On an H200 64 x 64 takes 0.21 ms a
 * frame for 0.25, over a ball 0.63 for 0.67, and 2.15 for 2.23 folded on a ball in contact with
 * itself, which is a launch of its own after each substep; a mesh of 29,929 particles takes 157
 * us a substep for 224. */
static bool is_one_sheet(const hed_cloth *cloth, const hed_device_info *info)
{
    const cloth_garment *garment = cloth->garments[0];
    bool is_measured = cloth->has_self
                           ? cloth_is_grid(garment) && cloth->particles <= MOST_IN_CONTACT
                           : cloth_is_grid(garment) || garment->element_count > 0;
    return (info->capabilities & HED_CAN_GRID_BARRIER) && cloth_copies(cloth) == 1 &&
           cloth->particles >= LARGE_SHEET && has_lattices(cloth) && is_measured;
}

/* True if mesh bodies, or drivers of free particles, may act on the cloth. */
static bool is_led(const hed_cloth *cloth)
{
    bool led = cloth->def.max_collider_triangles > 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        for (uint32_t i = 0; i < garment->particle_count && garment->driven && !led; i++) {
            const float *map = garment->driver_map[i];
            led = garment->positions[i][3] > 0.0f &&
                  (map[0] >= 0.0f || map[2] >= 0.0f || map[3] > 0.0f);
        }
    }
    return led;
}

/* True for meshes of a fabric that few substeps of Newton's method move sooner than many sweeps.
 * On an H200, hung by two corners from flat, 29,929 particles take 0.41 ms a frame for 1.94 at
 * equal quality, 1,089 take 0.32 for 1.5; over a ball 29,929 take 1.19 for 2.13, 4,096 0.9 for 1.8.
 * Cloth between mesh bodies, whose edges it crosses with few substeps, is not measured, nor is cloth
 * whose free particles drivers move. */
static bool is_newton_mesh(const hed_cloth *cloth, const hed_device_info *info)
{
    bool are_few = cloth->is_chosen ? cloth_choose_newton_substeps(cloth) < cloth->def.substeps
                                    : cloth->def.substeps <= MOST_NEWTON;
    return (info->capabilities & HED_CAN_GRID_BARRIER) && !cloth->whole && are_few &&
           cloth->particles >= SMALLEST_NEWTON && !is_led(cloth);
}

/* Chooses a solver by rules. If there are at least as many garments as compute units, one garment
 * for each group fills the device; else garments are cut into patches. Exceptions: on processors
 * `colours` is as fast because of their caches, and their compilers are slow with patches; for
 * fabrics that bend `colours` solves a grid's bending line by line, and elements in patches are not
 * measured, nor are lattices in garments. */
static hed_cloth_solver choose_fast(
    const hed_cloth *cloth, const cloth_solver_ops *const *solver_table, bool tries_newton)
{
    const hed_device_info info = hed_device_describe(cloth->device);
    if (is_valid(cloth, solver_table, HED_CLOTH_SOLVER_CPU)) return HED_CLOTH_SOLVER_CPU;
    if (tries_newton && is_newton_mesh(cloth, &info) &&
        is_valid(cloth, solver_table, HED_CLOTH_SOLVER_NEWTON))
        return HED_CLOTH_SOLVER_NEWTON;
    if (is_one_sheet(cloth, &info) && is_valid(cloth, solver_table, HED_CLOTH_SOLVER_COOPERATIVE))
        return HED_CLOTH_SOLVER_COOPERATIVE;
    if (info.type == HED_DEVICE_CPU || has_lattices(cloth)) return HED_CLOTH_SOLVER_COLOURS;
    bool fills_device = cloth_copies(cloth) >= info.compute_units;
    if (!fills_device && cloth_has_fabric_sums(cloth)) return HED_CLOTH_SOLVER_COLOURS;
    hed_cloth_solver order[] = {fills_device ? HED_CLOTH_SOLVER_GARMENTS : HED_CLOTH_SOLVER_PATCHES,
        fills_device ? HED_CLOTH_SOLVER_PATCHES : HED_CLOTH_SOLVER_GARMENTS};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (is_valid(cloth, solver_table, order[i])) return order[i];
    return HED_CLOTH_SOLVER_COLOURS;
}

/* Chooses among the solvers with the same bits everywhere. On processors the kernel of patches
 * takes long to compile, as in choose_fast(); meshes and contact between cloth after one launch
 * are measured in fast mode alone. */
static hed_cloth_solver choose_strict(
    const hed_cloth *cloth, const cloth_solver_ops *const *solver_table)
{
    const hed_device_info info = hed_device_describe(cloth->device);
    if (!cloth->has_self && is_one_sheet(cloth, &info) && cloth_is_grid(cloth->garments[0]) &&
        is_valid(cloth, solver_table, HED_CLOTH_SOLVER_COOPERATIVE))
        return HED_CLOTH_SOLVER_COOPERATIVE;
    if (info.type == HED_DEVICE_CPU) return HED_CLOTH_SOLVER_COLOURS;
    if (is_valid(cloth, solver_table, HED_CLOTH_SOLVER_GARMENTS)) return HED_CLOTH_SOLVER_GARMENTS;
    return is_valid(cloth, solver_table, HED_CLOTH_SOLVER_PATCHES) ? HED_CLOTH_SOLVER_PATCHES
                                                                   : HED_CLOTH_SOLVER_COLOURS;
}

/* Chooses the measured solver if it is valid for this cloth, else a solver by the rules. Fabrics
 * that bend use the rules, because measurements differ by size only and ignore bending. */
static hed_cloth_solver choose_auto(
    hed_cloth *cloth, const cloth_solver_ops *const *solver_table, bool tries_newton)
{
    if (cloth->def.math == HED_MATH_STRICT) return choose_strict(cloth, solver_table);
    if (cloth->tuned.count == 0 && (cloth_has_fabric_sums(cloth) || has_lattices(cloth)))
        return choose_fast(cloth, solver_table, tries_newton);
    if (cloth->tuned.count == 0 && !tuned_resolve(cloth, &cloth->tuned, &cloth->configured, NULL) &&
        cloth->configured == HED_ORIGIN_DEFAULT)
        cloth->tuned.count = 0;
    hed_cloth_solver tuned = cloth->tuned.count ? (hed_cloth_solver)cloth->tuned.values[STRUCTURE]
                                                : HED_CLOTH_SOLVER_AUTO;
    return tuned != HED_CLOTH_SOLVER_AUTO && is_valid(cloth, solver_table, tuned)
               ? tuned
               : choose_fast(cloth, solver_table, tries_newton);
}

hed_status cloth_choose_structure(hed_cloth *cloth, const cloth_solver_ops *const *solver_table,
    bool tries_newton, hed_error *error)
{
    char reason[256] = "";
    hed_cloth_solver request = cloth->def.solver;
    cloth->configured = request == HED_CLOTH_SOLVER_AUTO ? HED_ORIGIN_DEFAULT : HED_ORIGIN_GIVEN;
    if (request == HED_CLOTH_SOLVER_AUTO) request = choose_auto(cloth, solver_table, tries_newton);
    if (!solver_table[request]->valid(cloth, reason, sizeof reason))
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "solver %s is not valid for this cloth on %s: %s", hed_cloth_solver_name(request),
            hed_device_describe(cloth->device).id, reason);
    cloth->ops = solver_table[request];
    return HED_OK;
}

/* ---- rules without measurements ---- */

/* Limits of the rules for patches and whole garments, from a prototype's measurements on an H200
 * (docs/cloth.md). */
enum {
    REGISTER_TABLE = 1024, /* maximum number of particles of a patch with a table in registers */
    STREAM_THREADS = 512,
    SMALL_THREADS = 96, /* group size with several groups on a compute unit */
    SMALL_GROUPS = 8,
    SMALL_HELD = 9, /* previous positions that fit into 80 registers */
    CPU_THREADS = 32,
    SURROUNDED_THREADS = 768, /* group size with driver or air: more loads in flight */
    FABRIC_THREADS = 384      /* group size with fabrics: an element needs many registers */
};

/* ---- sizes of a cloth ---- */

static uint32_t largest_garment(const hed_cloth *cloth)
{
    uint32_t largest = 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        if (cloth->garments[g]->particle_count > largest)
            largest = cloth->garments[g]->particle_count;
    return largest;
}

/* ---- the default ---- */

/* Number of interior constraints in a step with which all steps are about equally full; the number
 * of steps is the degree + 2. */
static uint32_t even_step(const hed_cloth *cloth, uint32_t patches)
{
    uint64_t constraints = 0;
    uint32_t degree = 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        constraints += (uint64_t)garment->constraint_count * garment->copies;
        if (garment->degree > degree) degree = garment->degree;
    }
    uint64_t each = constraints / patches / (degree + 2u);
    return (uint32_t)(each + each / 40 + 1);
}

static cloth_patch_choice default_whole(const hed_cloth *cloth, const hed_device_info *info)
{
    cloth_patch_choice choice = {
        .kind = CLOTH_PLAN_FIGURES, .queue = 2, .held = UINT32_MAX, .threads = STREAM_THREADS};
    uint32_t units = info->compute_units ? info->compute_units : 1, copies = cloth_copies(cloth),
             largest = largest_garment(cloth);
    if (info->type == HED_DEVICE_CPU) {
        choice.threads = CPU_THREADS;
        choice.held = 0;
    } else if (copies >= 4 * units && largest <= SMALL_THREADS * CLOTH_PATCH_MOST_OWN_EACH / 2) {
        choice.threads = SMALL_THREADS;
        choice.groups = SMALL_GROUPS;
        choice.queue = 1; /* a queue of two would spill */
        choice.held = SMALL_HELD;
    } else if (largest <= 256) {
        choice.threads = 64;
    } else if (largest < 2 * STREAM_THREADS) {
        choice.threads = STREAM_THREADS / 2;
    }
    return choice;
}

static cloth_patch_choice default_patches(const hed_cloth *cloth, const hed_device_info *info)
{
    cloth_patch_choice choice = {.kind = CLOTH_PLAN_JOINT, .queue = 2, .held = UINT32_MAX};
    uint32_t copies = cloth_copies(cloth), units = info->compute_units ? info->compute_units : 1;
    choice.patches = cloth->def.patches ? cloth->def.patches : units > copies ? units : copies;
    uint32_t each = cloth->particles / choice.patches;
    if (info->type == HED_DEVICE_CPU) {
        choice.kind = CLOTH_PLAN_FIGURES;
        choice.threads = CPU_THREADS;
        choice.held = 0;
    } else if (each > REGISTER_TABLE) {
        choice.kind = CLOTH_PLAN_FIGURES;
        bool fabric = cloth_has_fabric_sums(cloth);
        choice.threads = fabric                                ? FABRIC_THREADS
                         : cloth->has_driver || cloth->has_air ? SURROUNDED_THREADS
                                                               : STREAM_THREADS;
        choice.queue = fabric ? 2 : 3;
    }
    return choice;
}

/* Strict mode, whose patches depend on garments alone. */
static cloth_patch_choice strict_choice(const hed_cloth *cloth, const hed_device_info *info)
{
    const bool is_cpu = info->type == HED_DEVICE_CPU;
    cloth_patch_choice choice = {.kind = CLOTH_PLAN_JOINT,
        .queue = 2,
        .threads = is_cpu ? CPU_THREADS : STREAM_THREADS,
        .held = is_cpu ? 0 : UINT32_MAX};
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        choice.patches +=
            cloth->garments[g]->copies * cloth_strict_plan(cloth->garments[g]).patches;
    return choice;
}

cloth_patch_choice cloth_patch_default(const hed_cloth *cloth, hed_cloth_solver id)
{
    const hed_device_info info = hed_device_describe(cloth->device);
    if (cloth->def.math == HED_MATH_STRICT) return strict_choice(cloth, &info);
    if (id == HED_CLOTH_SOLVER_GARMENTS)
        return tuned_choice(&cloth->tuned, largest_garment(cloth), 0, default_whole(cloth, &info));
    cloth_patch_choice rule = default_patches(cloth, &info);
    return tuned_choice(
        &cloth->tuned, cloth->particles / rule.patches, even_step(cloth, rule.patches), rule);
}

void cloth_patch_format(const cloth_patch_choice *choice, char *text, size_t size)
{
    char width[32] = "threads as needed", kept_text[48] = "", more[96] = "";
    if (choice->threads) snprintf(width, sizeof width, "%u threads", choice->threads);
    if (choice->held != UINT32_MAX)
        snprintf(kept_text, sizeof kept_text, ", %u previous positions held", choice->held);
    if (choice->kind == CLOTH_PLAN_JOINT)
        snprintf(more, sizeof more, ", %u early steps, step limit %u", choice->early_steps,
            choice->step_limit);
    else
        snprintf(more, sizeof more, ", queue %u, %u groups a unit", choice->queue,
            choice->groups ? choice->groups : 1);
    snprintf(text, size, "%s, %s", choice->kind == CLOTH_PLAN_JOINT ? "joint" : "figures", width);
    size_t used = 0;
    while (used < size && text[used]) used++;
    if (choice->patches)
        used += (size_t)snprintf(text + used, size - used, ", %u patches", choice->patches);
    if (used < size) snprintf(text + used, size - used, "%s%s", more, kept_text);
}
