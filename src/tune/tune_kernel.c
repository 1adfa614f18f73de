/* Tuning of a kernel: checks its definition, prepares it, and starts the loop. */
#include <string.h>

#include "base/error.h"
#include "core/program.h"
#include "measure/check.h"
#include "workers/remote_device.h"
#include "tune/kernel_tuning.h"

/* ---- checks of the definition ---- */

static hed_status kernel_tuning_check(
    hed_device *device, const hed_kernel_def *kernel, const hed_tune_def *def, hed_error *error)
{
    if ((def->objective == HED_OBJECTIVE_METRIC) != (def->metric != NULL))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: hed_tune_def.metric is %s; expected one if the objective is a metric, else none",
            kernel->name, def->metric ? def->metric->name : "not set");
    if (def->metric && def->metric->uses_energy)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s: metric %s uses the energy; expected one of the time alone as the objective, or time and energy",
            kernel->name, def->metric->name);
    if (def->two_objectives && def->objective == HED_OBJECTIVE_METRIC)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: a metric is minimized; expected time or energy to measure both", kernel->name);
    if (def->open_runner && def->isolation != HED_ISOLATION_AUTO)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: a runner of the caller excludes isolation",
            kernel->name);
    if (def->other_device_count && (def->open_runner || def->isolation == HED_ISOLATION_NONE))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: on several devices candidates run in worker processes alone", kernel->name);
    if (def->other_device_count >= HED_TUNE_DEVICES)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: %u devices; expected at most %d at once",
            kernel->name, def->other_device_count + 1, HED_TUNE_DEVICES);
    if (!kernel->geometry)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s has no geometry(), which defines the launch of a configuration", kernel->name);
    if (def->arguments && !def->problem && kernel->dimension_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: arguments are given, but not the problem that they belong to", kernel->name);
    if (def->problem && def->problem->count != kernel->dimension_count)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: problem has %u sizes; expected %u",
            kernel->name, def->problem->count, kernel->dimension_count);
    if (!def->problem && kernel->sample.benchmark.count != kernel->dimension_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s describes no benchmark problem: give hed_tune_def.problem", kernel->name);
    if (def->reference == HED_REFERENCE_KERNEL && !def->reference_kernel)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: results are to be compared with another kernel's, but none is given",
            kernel->name);
    if (def->reference_kernel && def->reference_kernel->argument_count != kernel->argument_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: reference kernel %s has %u arguments instead of %u", kernel->name,
            def->reference_kernel->name, def->reference_kernel->argument_count,
            kernel->argument_count);
    if (def->reference_kernel && def->reference_kernel->dimension_count != kernel->dimension_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: reference kernel %s has %u dimensions instead of %u", kernel->name,
            def->reference_kernel->name, def->reference_kernel->dimension_count,
            kernel->dimension_count);
    /* a remote device refuses when its runner opens, and a runner of the caller has its own
     * meter */
    hed_energy *energy = NULL;
    bool is_energy = def->two_objectives || def->objective == HED_OBJECTIVE_ENERGY;
    if (is_energy && !def->open_runner && !hed_device_is_remote(device))
        hed_energy_open(device, NULL, &energy, error);
    hed_energy_close(energy);
    return error->status;
}

/* ---- the whole tuning ---- */

/* True if the tuning's runner spans devices, or one that may be lost and restarted, such as a
 * remote one. */
static bool needs_fleet(const hed_kernel_tuning *k)
{
    return k->def.other_device_count ||
           (!k->def.open_runner && hed_device_can_restart(k->tuning.device));
}

static void make_key(hed_kernel_tuning *k)
{
    hed_tuning *t = &k->tuning;
    hed_tune_key_of_kernel(t->device, k->kernel, k->def.math, k->def.defines, k->def.define_count,
        &k->problem, k->def.objective, &t->key);
    if (k->def.metric) hed_tune_key_add(&t->key, k->def.metric);
}

/* Lets the builders begin with the first candidates, while the device's limits and the expected
 * outputs are not known yet; builders that open the device begin once the reference has it. Where
 * that fails, open_tuning() finds the cause. */
static hed_status begin_building(hed_kernel_tuning *k, hed_error *error)
{
    hed_tuning *t = &k->tuning;
    hed_runner_def def = hed_kernel_tuning_runner_def(k, &k->problem, &k->inputs);
    if (k->def.open_runner || needs_fleet(k) || k->def.resume || !t->device->backend->build ||
        k->def.isolation == HED_ISOLATION_NONE ||
        hed_runner_create_builders(&def, &t->runner, &(hed_error){0}))
        return HED_OK;
    t->builders = t->runner->builders;
    t->quiet = hed_device_describe(t->device).type == HED_DEVICE_CPU;
    make_key(k);
    k->holds_builders = hed_runner_builders_open(t->device);
    return k->holds_builders ? HED_OK : hed_tuning_build_ahead(t, error);
}

static hed_status kernel_tuning_set_up(hed_kernel_tuning *k, hed_error *error)
{
    hed_tuning *t = &k->tuning;
    const hed_kernel_def *kernel = k->kernel;
    char reason[HED_REASON];
    if (k->def.problem) k->problem = *k->def.problem;
    else if (kernel->dimension_count && hed_kernel_tuning_choose_problem(k, error))
        return error->status;
    t->result->problem = k->problem;
    if (hed_kernel_tuning_usual_config(t->device, kernel, &k->problem, k->def.math,
            &t->default_config, &t->has_default, reason, error) ||
        hed_space_create_for_kernel(t->device, kernel, &k->problem, k->def.math, &k->space, error))
        return error->status;
    t->space = k->space;
    hed_tune_inputs_source source = {.kernel = kernel,
        .problem = &k->problem,
        .math = k->def.math,
        .space = k->space,
        .seed = k->def.seed};
    if (hed_tune_inputs_create(&k->inputs, &t->allocator, &source, k->def.arguments, error) ||
        begin_building(k, error))
        return error->status;
    if (kernel->work) kernel->work(kernel, &t->default_config, &k->problem, &t->result->work);
    hed_tuning_find_limits(t);
    k->is_expecting = true;
    if (!hed_kernel_tuning_make_expected(k, error)) hed_kernel_tuning_release_builders(k, error);
    k->is_expecting = false;
    return hed_failed(error) ? error->status : hed_kernel_tuning_count_expected(k, error);
}

/* True if measurements of the two devices are comparable: they have one key. */
static bool same_kind(const hed_device *a, const hed_device *b)
{
    return strcmp(a->info.backend, b->info.backend) == 0 &&
           strcmp(a->info.name, b->info.name) == 0 && strcmp(a->info.driver, b->info.driver) == 0 &&
           a->info.architecture == b->info.architecture;
}

static hed_status open_fleet(hed_kernel_tuning *k, const hed_runner_def *def, hed_error *error)
{
    hed_device *devices[HED_TUNE_DEVICES] = {k->tuning.device};
    const hed_device_info first = hed_device_describe(k->tuning.device);
    for (uint32_t i = 0; i < k->def.other_device_count && i + 1 < HED_TUNE_DEVICES; i++) {
        const hed_device_info device = hed_device_describe(k->def.other_devices[i]);
        devices[i + 1] = k->def.other_devices[i];
        if (!same_kind(k->tuning.device, k->def.other_devices[i]))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: %s (%s, driver %s) and %s (%s, driver %s) are not of one kind; tune them separately",
                k->kernel->name, first.id, first.name, first.driver, device.id, device.name,
                device.driver);
    }
    k->tuning.result->in_process = false;
    k->tuning.warm = true; /* each device warms up in its own thread */
    static const hed_fleet_kind kind = {
        hed_runner_create_worker, hed_device_can_restart, hed_device_restart};
    if (!hed_fleet_create(
            def, devices, k->def.other_device_count + 1, &kind, &k->tuning.runner, error))
        k->tuning.fleet = true;
    return error->status;
}

/* Repeats the default in a browser, as the search does, and compares it with its own earlier
 * results. Items that race with each other seldom differ in the few runs of the reference: then it
 * runs again, more often, and the elements that differ are not compared. */
static hed_status confirm_reference(
    hed_kernel_tuning *k, const hed_runner_def *def, hed_error *error)
{
    enum { CHECKS = 4, RENEWALS = 2 };
    static const double quick = 0.5; /* s */
    hed_tuning *t = &k->tuning;
    double start = hed_tuning_elapsed(t);
    bool is_own = k->def.open_runner && t->result->reference == HED_REFERENCE_DEFAULT &&
                  hed_config_equal(&t->result->reference_config, &t->default_config);
    uint32_t renewals = 0;
    for (uint32_t i = 0; is_own && i < CHECKS && !hed_tuning_stop(t); i++) {
        hed_trial trial = {0};
        if (i && hed_tuning_elapsed(t) - start > quick) break;
        if (t->runner->kind->prepare(t->runner, 0, &t->default_config, &trial, error))
            return error->status;
        if (trial.outcome != HED_OUTCOME_WRONG) continue;
        if (renewals++ == RENEWALS) break;
        hed_runner_destroy(t->runner);
        t->runner = NULL;
        hed_tune_inputs_unexpect(&k->inputs);
        k->inputs.is_racing = true;
        if (hed_kernel_tuning_make_expected(k, error) ||
            hed_kernel_tuning_count_expected(k, error) ||
            hed_kernel_tuning_open_runner(k, def, &t->runner, error))
            return error->status;
        start = hed_tuning_elapsed(t);
        i = 0;
    }
    return HED_OK;
}

/* Opens a runner of the first device for the energy. */
static hed_status open_other(void *user, hed_runner **runner, hed_error *error)
{
    hed_kernel_tuning *k = user;
    hed_runner_def def = hed_kernel_tuning_runner_def(k, &k->problem, &k->inputs);
    def.objective = HED_OBJECTIVE_ENERGY;
    def.floor_seconds = 0;
    def.builders = 1;
    return hed_kernel_tuning_open_runner(k, &def, runner, error);
}

/* Opens a runner of the first device for its hardware counters. */
static hed_status open_counters(void *user, hed_runner **runner, hed_error *error)
{
    hed_kernel_tuning *k = user;
    hed_runner_def def = hed_kernel_tuning_runner_def(k, &k->problem, &k->inputs);
    def.objective = HED_OBJECTIVE_TIME;
    def.counters = true;
    def.builders = 1;
    return k->tuning.result->in_process ? hed_runner_create_local(&def, runner, error)
                                        : hed_runner_create_worker(&def, runner, error);
}

/* Opens the measuring worker of the runner whose builders have begun; without it the runner is
 * opened anew, which reports the cause. */
static bool open_begun(hed_kernel_tuning *k, const hed_runner_def *def)
{
    hed_tuning *t = &k->tuning;
    if (!t->runner) return false;
    if (!hed_runner_open_measurer(t->runner, def, &(hed_error){0})) return true;
    hed_runner_destroy(t->runner);
    t->runner = NULL;
    hed_tuning_forget_ahead(t);
    return false;
}

static hed_status open_tuning(hed_kernel_tuning *k, hed_error *error)
{
    hed_tuning *t = &k->tuning;
    uint32_t builders = k->def.builders ? k->def.builders : hed_processor_count();
    hed_runner_def def = hed_kernel_tuning_runner_def(k, &k->problem, &k->inputs);
    hed_status status = needs_fleet(k) ? open_fleet(k, &def, error)
                        : open_begun(k, &def)
                            ? HED_OK
                            : hed_kernel_tuning_open_runner(k, &def, &t->runner, error);
    if (status || confirm_reference(k, &def, error)) return error->status;
    bool runner_decides =
        k->def.open_runner || t->fleet; /* the runner determines the number of builders */
    t->result->device_time = t->runner->device_time;
    t->builders = runner_decides ? t->runner->builders : t->result->in_process ? 0 : builders;
    t->quiet = !t->fleet && hed_device_describe(t->device).type == HED_DEVICE_CPU;
    make_key(k);
    hed_check_judge(k->kernel, k->inputs.arguments, t->key.judge);
    return HED_OK;
}

hed_status hed_tune_kernel(hed_device *device, const hed_kernel_def *kernel,
    const hed_tune_def *def, hed_tune_result **result, hed_error *error)
{
    HED_REQUIRE(device, kernel, result);
    error = error ? error : &(hed_error){0};
    if (hed_failed(error)) return error->status;
    hed_kernel_tuning k = {.def = def ? *def : hed_default_tune_def(), .kernel = kernel};
    k.tuning.device = device;
    k.tuning.def = &k.def;
    *result = NULL;
    if (kernel_tuning_check(device, kernel, &k.def, error)) return error->status;
    k.tuning.energy_decides = k.def.objective == HED_OBJECTIVE_ENERGY;
    k.tuning.open_other = k.def.two_objectives || k.tuning.energy_decides ? open_other : NULL;
    if (k.tuning.energy_decides) k.def.objective = HED_OBJECTIVE_TIME; /* the search is by time */
    k.tuning.open_counters = k.def.open_runner ? NULL : open_counters;
    k.tuning.user = &k;
    if (!hed_tuning_open(&k.tuning, error) && !kernel_tuning_set_up(&k, error))
        open_tuning(&k, error);
    if (k.tuning.stopped) hed_error_clear(error); /* errors of work cut short by a stop */
    if (!hed_failed(error)) hed_tuning_run(&k.tuning, result, error);
    hed_tuning_close(&k.tuning);
    hed_runner_destroy(k.tuning.runner);
    hed_tune_inputs_free(&k.inputs);
    hed_space_destroy(k.space);
    return error->status;
}
