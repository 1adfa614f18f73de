/* Choice of a kernel's problem unless the caller supplies one: a part of the benchmark problem that the
 * default configuration completes in milliseconds. */
#include <math.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "tune/kernel_tuning.h"

/* bytes plus operations of the first run: milliseconds on any device */
enum { SMALL_EFFORT = 1 << 27 };

static const double long_run =
    25e-3; /* s, of the default configuration: larger problems take too long to tune */

static hed_problem halved(const hed_problem *problem, uint32_t times)
{
    hed_problem smaller = *problem;
    for (uint32_t i = 0; i < smaller.count; i++) {
        smaller.sizes[i] >>= times;
        if (smaller.sizes[i] < 1) smaller.sizes[i] = 1;
    }
    return smaller;
}

static double effort(
    const hed_kernel_def *kernel, const hed_config *config, const hed_problem *problem)
{
    hed_work work = {0};
    double product = 1;
    if (kernel->work) kernel->work(kernel, config, problem, &work);
    for (uint32_t i = 0; i < problem->count; i++) product *= (double)problem->sizes[i];
    return fmax(1, kernel->work ? work.bytes + work.operations : product);
}

/* Time of the default configuration for a problem, s; NAN if it fails. */
static hed_status time_default(hed_kernel_tuning *k, const hed_problem *problem,
    const hed_config *config, double *seconds, hed_error *error)
{
    enum { RUNS = 3 };
    double values[RUNS];
    hed_trial trial = {0};
    hed_tune_inputs inputs = {0};
    hed_runner *runner = NULL;
    hed_tune_inputs_source source = {
        .kernel = k->kernel, .problem = problem, .config = config, .seed = k->def.seed};
    *seconds = NAN;
    hed_tune_inputs_create(&inputs, &k->tuning.allocator, &source, NULL, error);
    hed_runner_def def = hed_kernel_tuning_runner_def(k, problem, &inputs);
    def.objective = HED_OBJECTIVE_TIME;
    if (!hed_failed(error) && !hed_kernel_tuning_open_runner(k, &def, &runner, error) &&
        !runner->kind->prepare(runner, 0, config, &trial, error) && !trial.outcome &&
        !runner->kind->time(runner, 0, RUNS, values, &trial, error) && !trial.outcome)
        for (uint32_t i = 0; i < RUNS; i++)
            if (values[i] > 0) *seconds = fmin(*seconds, values[i]);
    hed_runner_destroy(runner);
    hed_tune_inputs_free(&inputs);
    return error->status;
}

enum { MOST_HALVINGS = 62 };

/* Halves all sizes of the benchmark problem until the default configuration takes milliseconds.
 * Times a small problem and predicts the times of larger ones from their work; then times the
 * predicted problem, and repeats if it is far from the limit. `*halvings` is MOST_HALVINGS + 1 if
 * the default fails, which the tuning itself reports. */
static hed_status find_problem(hed_kernel_tuning *k, uint32_t *halvings, hed_error *error)
{
    enum { TRIES = 4, ROOM = 8 };
    const hed_problem *whole = &k->kernel->sample.benchmark;
    double efforts[MOST_HALVINGS + 1];
    uint32_t halving = 0;
    *halvings = MOST_HALVINGS + 1;
    hed_config config = hed_config_default(k->kernel);
    for (uint32_t i = 0; i <= MOST_HALVINGS; i++) {
        hed_problem smaller = halved(whole, i);
        efforts[i] = effort(k->kernel, &config, &smaller);
    }
    while (halving < MOST_HALVINGS && efforts[halving] > SMALL_EFFORT) halving++;
    hed_problem small = halved(whole, halving);
    bool is_default;
    char reason[HED_REASON];
    hed_status status = hed_kernel_tuning_usual_config(
        k->tuning.device, k->kernel, &small, k->def.math, &config, &is_default, reason, error);
    if (status) return status;
    for (uint32_t tries = 0; tries < TRIES; tries++) {
        double seconds;
        uint32_t next = MOST_HALVINGS;
        k->problem = halved(whole, halving);
        status = time_default(k, &k->problem, &config, &seconds, error);
        if (status || !(seconds > 0)) return status;
        while (next > 0 && seconds * efforts[next - 1] / efforts[halving] <= long_run) next--;
        k->problem = halved(whole, next);
        *halvings = next;
        if (next >= halving || seconds * efforts[next] / efforts[halving] * ROOM <= long_run)
            return HED_OK;
        halving = next;
    }
    return HED_OK;
}

hed_status hed_kernel_tuning_choose_problem(hed_kernel_tuning *k, hed_error *error)
{
    double stored_halvings;
    uint32_t halvings;
    hed_error failure = {0};
    hed_device *device = k->tuning.device;
    const hed_device_info info = hed_device_describe(device);
    hed_logger logger = hed_context_describe(hed_device_context(device)).logger;
    hed_database *database =
        k->def.database ? k->def.database : hed_context_database(hed_device_context(device));
    hed_text name = {.allocator = hed_allocator_of(device)};
    hed_text_add(&name, "halvings of %s", k->kernel->name);
    if (name.failed) HED_OUT_OF_MEMORY(error, "the size of %s", k->kernel->name);
    else if (database && hed_database_get_fact(database, &info, name.bytes, &stored_halvings) &&
             stored_halvings >= 0 && stored_halvings <= MOST_HALVINGS)
        k->problem = halved(&k->kernel->sample.benchmark, (uint32_t)stored_halvings);
    else if (!find_problem(k, &halvings, error) && database && k->def.keep &&
             halvings <= MOST_HALVINGS &&
             hed_database_put_fact(database, &info, name.bytes, halvings, &failure))
        hed_log_message(&logger, HED_LOG_WARNING, "%s: the size is not kept: %s", k->kernel->name,
            failure.text);
    hed_text_free(&name);
    return error->status;
}
