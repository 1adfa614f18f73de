/* Tuning of a cloth's solver by measurement: a pipeline of the tuner (heddle/tune.h) whose
 * parameters are the solver and the options of its construction. The result is stored in the tuning
 * database, where hed_cloth_create() with HED_CLOTH_SOLVER_AUTO finds it. Value 0 of each parameter
 * leaves the choice to the rules below, so the default configuration is the one of an untuned
 * device, for every size of cloth. */
#include "solver/patches.h"
#include "kernels/kernels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STRUCTURE, KIND, SPARE, THREADS, EARLY, LIMIT, QUEUE, HELD, GROUPS, PARAMETERS };
enum { BY_RULE, JOINT, FIGURES };                 /* KIND */
enum { LIMIT_NONE = 1, LIMIT_EVEN, LIMIT_TIGHT }; /* LIMIT */
enum { FRAMES_A_RUN = 10, CHECKED_FRAMES = 20 };

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

static hed_pipeline_def tune_pipeline_of(void)
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

static hed_problem tune_problem_of(const hed_cloth *cloth)
{
    return (hed_problem){3, {cloth->particles, cloth_copies(cloth), cloth->def.substeps}};
}

hed_cloth_solver cloth_tuned_solver(const hed_config *tuned)
{
    return tuned->count ? (hed_cloth_solver)tuned->values[STRUCTURE] : HED_CLOTH_SOLVER_AUTO;
}

cloth_patch_choice cloth_tuned_choice(
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

hed_status cloth_tuned_resolve(
    const hed_cloth *cloth, hed_config *tuned, hed_config_origin *configured, hed_error *error)
{
    hed_pipeline_def pipeline = tune_pipeline_of();
    hed_problem problem = tune_problem_of(cloth);
    return hed_pipeline_resolve(cloth->device, &pipeline, &problem, tuned, configured, error);
}

/* ---- the pipeline's work ---- */

typedef struct tuning {
    hed_device *device;
    hed_cloth_def def;
    hed_cloth *cloth; /* cloth with the current configuration */
    float *
        expected; /* (vertices x 3) positions of HED_CLOTH_SOLVER_COLOURS after CHECKED_FRAMES, m */
    float *found;
    double way;     /* largest change of a coordinate in these frames, m */
    double stretch; /* worst stretch after these frames, fraction of the rest length */
    uint32_t vertices;
} tuning;

static hed_status tune_prepare(void *user, const hed_config *config, hed_error *error)
{
    tuning *t = user;
    hed_cloth_destroy(t->cloth);
    t->cloth = NULL;
    return cloth_create_tuned(t->device, &t->def, config, &t->cloth, error);
}

static hed_status tune_run(void *user, double *value, hed_error *error)
{
    tuning *t = user;
    (void)value; /* the tuner measures the time of this call */
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.frames = FRAMES_A_RUN;
    hed_cloth_step(t->cloth, &frame, error);
    return hed_stream_wait(t->cloth->stream, error);
}

/* Checks a candidate against the solver of colours. Another order of the sweep gives another
 * approximation of the same cloth. By CHECKED_FRAMES the locked particles have pulled at the
 * others: a candidate without constraints then has an error of 0.7 to 0.9 of the motion `way`, and
 * many times the stretch; the orders of figures and of colours differ by 0.15 of the motion at 255
 * x 255 and by 0.27 at 1,024 x 1,024, and by a factor of 1.4 in stretch. */
static hed_status tune_check(void *user, hed_error *error)
{
    tuning *t = user;
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth_metrics quality;
    frame.frames = CHECKED_FRAMES;
    hed_cloth_reset(t->cloth, error);
    hed_cloth_step(t->cloth, &frame, error);
    hed_cloth_read(t->cloth, t->found, NULL, NULL, error);
    if (hed_cloth_evaluate(t->cloth, &quality, error)) return error->status;
    double worst = 0;
    for (uint64_t i = 0; i < 3 * (uint64_t)t->vertices; i++)
        worst = fmax(worst, fabsf(t->found[i] - t->expected[i]));
    if (worst > 0.5 * t->way + 1e-5)
        return hed_fail(error, HED_ERROR_FORMAT,
            "a vertex is %.3g m from where the colours' order puts it, after a way of %.3g m",
            worst, t->way);
    if (quality.worst_stretch > 3 * t->stretch + 0.05)
        return hed_fail(error, HED_ERROR_FORMAT,
            "the worst stretch is %.3g %%, in the colours' order %.3g %%",
            100 * quality.worst_stretch, 100 * t->stretch);
    return HED_OK;
}

static hed_status tune_make_expected(tuning *t, hed_error *error)
{
    hed_cloth_def def = t->def;
    def.solver = HED_CLOTH_SOLVER_COLOURS;
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.frames = CHECKED_FRAMES;
    if (hed_cloth_create(t->device, &def, &t->cloth, error)) return error->status;
    const hed_allocator *a = &t->cloth->allocator;
    t->vertices = t->cloth->vertices;
    t->expected = hed_new(a, 3 * (uint64_t)t->vertices, sizeof(float), error);
    t->found = hed_new(a, 3 * (uint64_t)t->vertices, sizeof(float), error);
    if (!t->expected || !t->found) return HED_ERROR_MEMORY;
    hed_cloth_metrics quality = {0};
    hed_cloth_read(t->cloth, t->found, NULL, NULL, error);
    hed_cloth_step(t->cloth, &frame, error);
    hed_cloth_read(t->cloth, t->expected, NULL, NULL, error);
    if (hed_cloth_evaluate(t->cloth, &quality, error)) return error->status;
    t->stretch = quality.worst_stretch;
    for (uint64_t i = 0; i < 3 * (uint64_t)t->vertices; i++)
        t->way = fmax(t->way, fabsf(t->expected[i] - t->found[i]));
    return HED_OK;
}

hed_status hed_cloth_tune(hed_device *device, const hed_cloth_def *def, const hed_tune_def *tune,
    hed_tune_result **result, hed_error *error)
{
    HED_REQUIRE(device, def, result);
    hed_error local = {0};
    if (!error) error = &local;
    *result = NULL;
    if (strcmp(hed_device_describe(device)->backend, "host") == 0)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "host has one solver of its own, \"cpu\": there is nothing to choose");
    if (def->math == HED_MATH_STRICT)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "strict mode has one order, that of the colours: there is nothing to choose");
    hed_allocator allocator = hed_context_describe(hed_device_context(device)).allocator;
    tuning t = {.device = device, .def = *def};
    t.def.solver = HED_CLOTH_SOLVER_AUTO;
    /* measurements have no colliders, so no kernels for them are created */
    t.def.max_colliders = t.def.max_collider_triangles = 0;
    hed_tune_def request = tune ? *tune : hed_default_tune_def();
    hed_status status = tune_make_expected(&t, error);
    if (!status) {
        hed_problem problem = tune_problem_of(t.cloth);
        hed_pipeline_def pipeline = tune_pipeline_of();
        pipeline.prepare = tune_prepare;
        pipeline.run = tune_run;
        pipeline.check = tune_check;
        pipeline.user = &t;
        request.problem = &problem;
        status = hed_tune_pipeline(device, &pipeline, &request, result, error);
        if (!status) (*result)->reference = HED_REFERENCE_KERNEL; /* HED_CLOTH_SOLVER_COLOURS */
    }
    hed_cloth_destroy(t.cloth);
    hed_delete(&allocator, t.expected, 3 * (uint64_t)t.vertices, sizeof(float));
    hed_delete(&allocator, t.found, 3 * (uint64_t)t.vertices, sizeof(float));
    return status;
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

cloth_patch_choice cloth_patch_default(const hed_cloth *cloth, hed_cloth_solver id)
{
    const hed_device_info *info = hed_device_describe(cloth->device);
    if (id == HED_CLOTH_SOLVER_GARMENTS)
        return cloth_tuned_choice(
            &cloth->tuned, largest_garment(cloth), 0, default_whole(cloth, info));
    cloth_patch_choice rule = default_patches(cloth, info);
    return cloth_tuned_choice(
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
