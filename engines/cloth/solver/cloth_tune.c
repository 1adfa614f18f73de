/* Measurement of the fastest solver for a cloth: a pipeline of the tuner (heddle/tune.h) with the
 * parameters of cloth_choice.c. The result is stored in the tuning database, where
 * hed_cloth_create() with HED_CLOTH_SOLVER_AUTO finds it. */
#include "solver/patches.h"
#include "kernels/kernels.h"
#include "support/digits.h"

#include <math.h>
#include <string.h>

enum { FRAMES_A_RUN = 10, CHECKED_FRAMES = 20 };

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
            "a vertex is %s m from where the colours' order puts it, after a way of %s m",
            hed_digits(worst, 3).text, hed_digits(t->way, 3).text);
    if (quality.worst_stretch > 3 * t->stretch + 0.05)
        return hed_fail(error, HED_ERROR_FORMAT,
            "the worst stretch is %s %%, in the colours' order %s %%",
            hed_digits(100 * quality.worst_stretch, 3).text, hed_digits(100 * t->stretch, 3).text);
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
    if (def->other_device_count)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "hed_cloth_def.other_device_count is %u; expected 0, since a solver is tuned on one device",
            def->other_device_count);
    if (strcmp(hed_device_describe(device).backend, "host") == 0)
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
        hed_problem problem = cloth_tune_problem(t.cloth);
        hed_pipeline_def pipeline = cloth_tune_pipeline();
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
