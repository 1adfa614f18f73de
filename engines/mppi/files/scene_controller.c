/* Controller of a scene file: options of hed_mppi_def, one row each. */
#include "files/mppi_scene_parts.h"

#include "model/controller.h"

static const char *const words_kind[] = {"mppi", "tube", "rmppi", NULL};
static const char *const words_scale[] = {"mean", "sum", NULL};
static const char *const words_sampler[] = {
    "gaussian", "coloured", "log_normal", "spline", "support_points", NULL};
static const char *const words_update[] = {"exponential", "elite", "tsallis", NULL};
static const char *const words_tail[] = {"hold", "zero", NULL};
static const char *const words_solver[] = {"auto", "cpu", "launches", "packets", "resident", NULL};
static const char *const words_risk[] = {
    "expected", "value_at_risk", "conditional_value_at_risk", NULL};

/* Elements of a list of numbers. */
enum { CONTROLLER_CONTROLS, CONTROLLER_STATES, CONTROLLER_MATRIX };

static void controller_read_milliseconds(
    const hed_field *field, hed_json_node node, void *at, void *user)
{
    *(uint64_t *)at = (uint64_t)(1e6 * hed_json_number(node, field->low, field->high));
}

static void controller_read_choice(const hed_field *field, hed_json_node node, void *at, void *user)
{
    *(const char **)at = mppi_scene_text(user, hed_json_string(node));
}

/* Reads a number for each state or control, or a matrix over the controls. */
static void controller_read_floats(const hed_field *field, hed_json_node node, void *at, void *user)
{
    const hed_mppi_model *m = &((mppi_scene_reader *)user)->scene->model;
    uint32_t count = field->tag == CONTROLLER_STATES ? m->states : m->controls;
    double numbers[HED_MPPI_MAX_CONTROLS * HED_MPPI_MAX_CONTROLS] = {0};
    float *values = at;
    if (field->tag == CONTROLLER_MATRIX) {
        count *= m->controls;
        values = mppi_scene_new(user, count, sizeof *values);
        *(const float **)at = values;
    }
    hed_json_numbers(node, numbers, count, field->low, field->high);
    for (uint32_t i = 0; values && i < count; i++) values[i] = (float)numbers[i];
}

#define WHOLE(member, least, most) HED_AS_INTEGER(hed_mppi_def, member, least, most)
#define REAL(member, least, most, unit) HED_AS_NUMBER(hed_mppi_def, member, least, most, unit)
#define SWITCH(member) HED_AS_BOOLEAN(hed_mppi_def, member)
#define WORD(member) HED_AS_CHOICE(hed_mppi_def, member, words_##member)
#define EACH(member, least, range) \
    HED_AS_VECTOR(hed_mppi_def, member, 0, least, HED_FIELD_ANY, NULL), \
        .tag = (range), .read = controller_read_floats
#define WITH(member, words) .with = #member, .with_values = (words)
#define IF_COLOURED WITH(sampler, 1u << HED_MPPI_COLOURED)
#define IF_TSALLIS WITH(update, 1u << HED_MPPI_TSALLIS)
static const hed_field controller_rows[] = {
    {"kind", "controller", WORD(kind)},
    {"samples", "number of futures in a solve", WHOLE(samples, 1, 1 << 24)},
    {"steps", "number of steps of each future", WHOLE(steps, 1, HED_MPPI_MAX_STEPS)},
    {"dt", "length of a step; the model's by default", REAL(dt, 1e-9, 1e9, "s")},
    {"iterations", "rounds of sampling and updating in a solve", WHOLE(iterations, 1, 1000)},
    {"blocks", "blocks of samples that are summed separately, of which each of several devices takes whole ones; 8 with several devices, otherwise 1 by default", WHOLE(blocks, 1, 64)},
    {"seed", "seed of the noise", WHOLE(seed, 0, INT64_MAX)},
    {"scale", "cost of a future: mean or sum over its steps; lambda has the same unit", WORD(scale)},
    {"lambda", "temperature, in the unit of the cost", REAL(lambda, 1e-30, 1e30, NULL)},
    {"alpha", "0: full importance correction; 1: none", REAL(alpha, 0, 1, NULL)},
    {"update", "weights of the samples from their costs", WORD(update)},
    {"elite", "fraction of the samples with a weight", REAL(elite, 1e-9, 1, NULL), WITH(update, 1u << HED_MPPI_ELITE)},
    {"tsallis_r", "exponent r of the weights", REAL(tsallis_r, 1.0001, 1e6, NULL), IF_TSALLIS},
    {"tsallis_threshold", "cost above the best at which the weight is 0", REAL(tsallis_threshold, 1e-30, 1e30, NULL), IF_TSALLIS},
    {"ess_target", "effective sample size towards which lambda is adapted; 0: lambda is fixed", REAL(ess_target, 0, 1e9, NULL)},
    {"crash_cost", "minimum cost of a crashed sample", REAL(crash_cost, 0, HED_FIELD_ANY, NULL)},
    {"sampler", "source of the noise", WORD(sampler)},
    {"exponent", "spectrum of the noise of each control: 0 white, 1 pink, 2 red",
        EACH(exponent, 0, CONTROLLER_CONTROLS), IF_COLOURED},
    {"offset_decay",
        "decay for each step of the offset that keeps the first free step without noise",
        REAL(offset_decay, 0, 1, NULL), IF_COLOURED},
    {"log_sigma", "standard deviation of the logarithm", REAL(log_sigma, 0, 10, NULL),
        WITH(sampler, 1u << HED_MPPI_LOG_NORMAL)},
    {"knots", "number of knots over the horizon", WHOLE(knots, 2, HED_MPPI_MAX_STEPS),
        WITH(sampler, 1u << HED_MPPI_SPLINE | 1u << HED_MPPI_SUPPORT_POINTS)},
    {"kernel_width", "width of the radial basis functions, in knots",
        REAL(kernel_width, 1e-6, 1e6, NULL), WITH(sampler, 1u << HED_MPPI_SUPPORT_POINTS)},
    {"covariance", "covariance of the controls, row by row, in place of the squares of sigma",
        EACH(covariance, -HED_FIELD_ANY, CONTROLLER_MATRIX)},
    {"pure_noise", "fraction of the samples whose mean is 0 instead of the plan",
        REAL(pure_noise, 0, 1, NULL)},
    {"keep_plan", "sample 0 is the plan itself, without noise", SWITCH(keep_plan)},
    {"committed", "number of first steps without noise", WHOLE(committed, 0, HED_MPPI_MAX_STEPS)},
    {"delay", "steps until a control reaches the actuator", WHOLE(delay, 0, HED_MPPI_MAX_DELAY)},
    {"tail", "last control of the shifted plan: the one before it, or 0", WORD(tail)},
    {"smooth", "Savitzky-Golay filter of the plan", SWITCH(smooth)},
    {"smooth_weight", "Smooth MPPI: weight of squared differences of controls; 0: plain MPPI",
        REAL(smooth_weight, 0, 1e30, NULL)},
    {"rollouts", "number of disturbed rollouts of each sample",
        WHOLE(rollouts, 1, HED_MPPI_MAX_ROLLOUTS)},
    {"disturbance", "standard deviation added to each state in a second, in the rollouts",
        EACH(disturbance, 0, CONTROLLER_STATES)},
    {"risk", "cost of a sample from the costs of its rollouts, if there are several", WORD(risk),
        WITH(rollouts, ~3u)},
    {"risk_level", "quantile", REAL(risk_level, 0, 1, NULL),
        WITH(risk, 1u << HED_MPPI_VALUE_AT_RISK | 1u << HED_MPPI_CONDITIONAL_VALUE_AT_RISK)},
    {"track_state", "tube, rmppi: weights of the tracking controller on states",
        EACH(track_state, 0, CONTROLLER_STATES)},
    {"track_control", "tube, rmppi: weights of the tracking controller on controls",
        EACH(track_control, 0, CONTROLLER_CONTROLS)},
    {"track_final", "tube, rmppi: weights of the tracking controller on the last states",
        EACH(track_final, 0, CONTROLLER_STATES)},
    {"nominal_threshold",
        "tube: difference of costs below which the nominal state becomes the real one",
        REAL(nominal_threshold, -1e30, 1e30, NULL)},
    {"value_threshold", "rmppi: bound on the free energy of a candidate",
        REAL(value_threshold, -1e30, 1e30, NULL)},
    {"candidates", "rmppi: number of candidate states, odd", WHOLE(candidates, 3, 1024)},
    {"candidate_samples", "rmppi: samples of each candidate", WHOLE(candidate_samples, 1, 1 << 20)},
    {"deadline_ms", "limit of a solve, which then returns the best plan so far; 0: no limit", REAL(deadline_ns, 0, 1e6, "ms"), .read = controller_read_milliseconds},
    {"solver", "solver of a device; the tuned one, else by rule", WORD(solver)},
    {"choice", "fixed structure of a solve, such as \"GROUP=256 SAMPLES=16\" or, on host, \"THREADS=4 SPLIT=yes\"", HED_AS_TEXT(hed_mppi_def, choice), .read = controller_read_choice},
    {"measure", "structures of a solve are timed when the controller is created, and the fastest is taken", SWITCH(measure)},
    {"measure_ms", "limit of the time for that; 100 by default", REAL(measure_ns, 0, 1e6, "ms"), .read = controller_read_milliseconds},
    {0},
};
const hed_fields mppi_controller_fields = {
    "controller", "options of the solves", .rows = controller_rows, .defaults = &mppi_default_def};
