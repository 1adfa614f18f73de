/* Conformance: every problem, configuration and math mode of a kernel against its native
 * version. */
#include "cli/verify/conformance.h"

#include "cli/verify/compare.h"
#include "support/errors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const hed_math MODES[] = {HED_MATH_FAST, HED_MATH_STRICT};

enum { MODE_COUNT = 2, SEARCH_LIMIT = 1 << 17 };

/* ---- configurations ---- */

/* Which configurations are run. */
typedef struct selection {
    uint64_t *indices; /* their numbers in the product; NULL: all that the device tells apart */
    uint64_t count;
    hed_config usual; /* with the values of parameters that the device does not read */
} selection;

static uint64_t index_of(const hed_kernel_def *def, const hed_config *config)
{
    uint64_t index = 0;
    for (uint32_t p = 0; p < def->parameter_count; p++) {
        uint32_t v = 0;
        while (
            v + 1 < def->parameters[p].count && def->parameters[p].values[v] != config->values[p])
            v++;
        index = index * def->parameters[p].count + v;
    }
    return index;
}

/* Valid on the device for any sample problem, in fast mode, which everything that is valid in
 * strict mode is too. */
static bool runs_at_all(const hed_conformance_def *def, const hed_config *config)
{
    const hed_sample_def *sample = &def->kernel->sample;
    for (uint32_t i = 0; i < sample->count; i++)
        if (hed_kernel_valid(
                def->kernel, config, &sample->problems[i], def->device, HED_MATH_FAST, NULL, 0))
            return true;
    return false;
}

/* A valid configuration with this value, as near to the default as can be: the default with that
 * one value, or with one more value changed, or else the first one of the product. False: there is
 * none. */
static bool find_with_value(
    const hed_conformance_def *def, uint32_t parameter, int64_t value, uint64_t *index)
{
    const hed_kernel_def *kernel = def->kernel;
    hed_config near = hed_config_default(kernel), config;
    near.values[parameter] = value;
    *index = index_of(kernel, &near);
    if (runs_at_all(def, &near)) return true;
    for (uint32_t p = 0; p < kernel->parameter_count; p++) {
        for (uint32_t v = 0; v < kernel->parameters[p].count && p != parameter; v++) {
            config = near;
            config.values[p] = kernel->parameters[p].values[v];
            *index = index_of(kernel, &config);
            if (runs_at_all(def, &config)) return true;
        }
    }
    uint64_t count = hed_config_count(kernel);
    for (uint64_t i = 0; i < count && i < SEARCH_LIMIT; i++) {
        config = hed_config_at(kernel, i);
        *index = i;
        if (config.values[parameter] == value && runs_at_all(def, &config)) return true;
    }
    return false;
}

static void add_once(selection *chosen, uint64_t index)
{
    for (uint64_t i = 0; i < chosen->count; i++)
        if (chosen->indices[i] == index) return;
    chosen->indices[chosen->count++] = index;
}

/* What a user gets without asking: the default, or the first valid one. */
static uint64_t default_index(const hed_conformance_def *def)
{
    hed_config config = hed_config_default(def->kernel);
    uint64_t preferred = index_of(def->kernel, &config), count = hed_config_count(def->kernel);
    if (runs_at_all(def, &config)) return preferred;
    for (uint64_t i = 0; i < count && i < SEARCH_LIMIT; i++) {
        config = hed_config_at(def->kernel, i);
        if (runs_at_all(def, &config)) return i;
    }
    return preferred;
}

/* The product of the parameters that are read. */
static uint64_t count_all(const hed_kernel_def *kernel, uint32_t ignored)
{
    uint64_t count = 1;
    for (uint32_t p = 0; p < kernel->parameter_count; p++)
        if (!(ignored >> p & 1) &&
            __builtin_mul_overflow(count, kernel->parameters[p].count, &count))
            return UINT64_MAX;
    return count;
}

static hed_config config_of(const hed_conformance_def *def, const selection *chosen, uint64_t index)
{
    if (chosen->indices) return hed_config_at(def->kernel, chosen->indices[index]);
    uint32_t ignored = hed_kernel_ignores(def->kernel, def->device);
    hed_config config = chosen->usual;
    for (uint32_t p = def->kernel->parameter_count; p-- > 0;) {
        const hed_parameter_def *parameter = &def->kernel->parameters[p];
        if (ignored >> p & 1) continue;
        config.values[p] = parameter->values[index % parameter->count];
        index /= parameter->count;
    }
    return config;
}

static hed_status select_configs(
    const hed_conformance_def *def, selection *chosen, hed_error *error)
{
    *chosen = (selection){0};
    const hed_kernel_def *kernel = def->kernel;
    if (kernel->sample.count == 0 || !kernel->sample.bytes || !kernel->sample.fill)
        return hed_error_set(
            error, HED_ERROR_ARGUMENT, "kernel %s describes no sample problems", kernel->name);
    uint32_t ignored = hed_kernel_ignores(kernel, def->device);
    uint64_t preferred = default_index(def);
    chosen->usual = hed_config_at(kernel, preferred);
    if (def->coverage == HED_COVER_ALL) {
        chosen->count = count_all(kernel, ignored);
        return HED_OK;
    }
    size_t most = 1;
    for (uint32_t p = 0; p < kernel->parameter_count; p++) most += kernel->parameters[p].count;
    chosen->indices = malloc(most * sizeof *chosen->indices);
    if (!chosen->indices)
        return hed_error_set(
            error, HED_ERROR_MEMORY, "out of memory for the configurations of %s", kernel->name);
    add_once(chosen, preferred);
    for (uint32_t p = 0; def->coverage == HED_COVER_VALUES && p < kernel->parameter_count; p++) {
        for (uint32_t v = 0; v < kernel->parameters[p].count && !(ignored >> p & 1); v++) {
            uint64_t index;
            if (find_with_value(def, p, kernel->parameters[p].values[v], &index))
                add_once(chosen, index);
        }
    }
    return HED_OK;
}

hed_status hed_conformance_count(const hed_conformance_def *def, uint64_t *count, hed_error *error)
{
    selection chosen;
    hed_status status = select_configs(def, &chosen, error);
    *count = chosen.count * MODE_COUNT * def->kernel->sample.count;
    free(chosen.indices);
    return status;
}

/* ---- what the native version gives ---- */

typedef struct problem_data {
    hed_sample sample;
    hed_expected expected[MODE_COUNT];
    bool has_expected[MODE_COUNT];
} problem_data;

typedef struct session {
    const hed_conformance_def *def;
    hed_conformance_report *report;
    hed_stream *stream, *reference;
    problem_data *problems; /* (def->kernel->sample.count) */
} session;

static hed_status make_expected(const session *s, uint32_t problem, uint32_t mode, hed_error *error)
{
    problem_data *data = &s->problems[problem];
    if (data->has_expected[mode]) return HED_OK;
    hed_kernel_options options = hed_default_kernel_options();
    options.math = MODES[mode];
    options.problem = &data->sample.problem;
    hed_kernel *kernel;
    hed_status status =
        hed_kernel_create(s->def->reference, s->def->kernel, &options, &kernel, error);
    if (status != HED_OK) return status;
    hed_expected *expected = &data->expected[mode];
    status = hed_outcome_run(
        &data->sample, s->reference, kernel, HED_POISON_FIRST, &expected->first, error);
    if (status == HED_OK)
        status = hed_outcome_run(
            &data->sample, s->reference, kernel, HED_POISON_SECOND, &expected->second, error);
    data->has_expected[mode] = status == HED_OK;
    hed_kernel_destroy(kernel);
    return status;
}

/* ---- one run on the device ---- */

/* Limits that only the compiled kernel shows (registers, say) make a configuration invalid, as its
 * valid() would. */
static bool means_invalid(hed_status status)
{
    return status == HED_ERROR_LIMIT || status == HED_ERROR_UNSUPPORTED;
}

static void explain(hed_conformance_run *run, hed_status status, const hed_error *error)
{
    run->verdict = means_invalid(status) ? HED_VERDICT_INVALID : HED_VERDICT_FAILED;
    size_t log = strcspn(error->log, "\n");
    snprintf(run->text, sizeof run->text, "%s: %.300s%s%.*s", hed_status_name(status), error->text,
        log ? ": " : "", (int)(log < 160 ? log : 160), error->log);
}

/* Makes the kernel when it is first needed: most configurations of a large space are not valid. */
static hed_status run_on_device(const session *s, uint32_t problem, uint32_t mode,
    hed_kernel **kernel, hed_conformance_run *run, hed_error *error)
{
    hed_error own = {0};
    hed_status status = HED_OK;
    problem_data *data = &s->problems[problem];
    if (!hed_kernel_valid(run->def, run->config, run->problem, s->def->device, run->math, run->text,
            sizeof run->text)) {
        run->verdict = HED_VERDICT_INVALID;
        return HED_OK;
    }
    hed_status made = make_expected(s, problem, mode, error);
    if (made != HED_OK) return made;
    if (!*kernel) {
        hed_kernel_options options = hed_default_kernel_options();
        options.math = run->math;
        options.config = run->config;
        options.problem = run->problem;
        status = hed_kernel_create(s->def->device, run->def, &options, kernel, &own);
    }
    hed_outcome outcome;
    if (status == HED_OK)
        status =
            hed_outcome_run(&data->sample, s->stream, *kernel, HED_POISON_DEVICE, &outcome, &own);
    if (status == HED_ERROR_MEMORY) return hed_error_set(error, status, "%s", own.text);
    if (status != HED_OK) {
        explain(run, status, &own);
        return HED_OK;
    }
    hed_outcome_compare(&data->sample, &data->expected[mode], &outcome, run);
    hed_outcome_free(&outcome);
    return HED_OK;
}

static void count_run(hed_conformance_report *report, const hed_conformance_run *run)
{
    report->passed += run->verdict == HED_VERDICT_PASSED;
    report->invalid += run->verdict == HED_VERDICT_INVALID;
    report->failed += run->verdict == HED_VERDICT_FAILED;
    report->written += run->written;
    if (run->error > report->error) report->error = run->error;
}

static hed_status run_config(
    const session *s, const hed_config *config, uint32_t mode, hed_error *error)
{
    const hed_conformance_def *def = s->def;
    hed_kernel *kernel = NULL;
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < def->kernel->sample.count && status == HED_OK; i++) {
        if (def->stop && def->stop(def->user)) {
            s->report->stopped = true;
            break;
        }
        hed_conformance_run run = {.def = def->kernel, .config = config,
            .problem = &def->kernel->sample.problems[i], .math = MODES[mode]};
        status = run_on_device(s, i, mode, &kernel, &run, error);
        if (status != HED_OK) break;
        count_run(s->report, &run);
        if (def->each) def->each(def->user, &run);
    }
    hed_kernel_destroy(kernel);
    return status;
}

/* ---- all of them ---- */

static hed_status open_session(session *s, hed_error *error)
{
    const hed_conformance_def *def = s->def;
    const hed_kernel_def *kernel = def->kernel;
    hed_config config = hed_config_default(kernel);
    s->problems = calloc(kernel->sample.count, sizeof *s->problems);
    if (!s->problems)
        return hed_error_set(
            error, HED_ERROR_MEMORY, "out of memory for the sample problems of %s", kernel->name);
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < kernel->sample.count && status == HED_OK; i++)
        status = hed_sample_create(
            kernel, &config, &kernel->sample.problems[i], def->seed, &s->problems[i].sample, error);
    if (status == HED_OK) status = hed_stream_create(def->device, NULL, &s->stream, error);
    if (status == HED_OK) status = hed_stream_create(def->reference, NULL, &s->reference, error);
    return status;
}

static void close_session(session *s)
{
    hed_stream_destroy(s->stream);
    hed_stream_destroy(s->reference);
    for (uint32_t i = 0; s->problems && i < s->def->kernel->sample.count; i++) {
        hed_sample_free(&s->problems[i].sample);
        for (uint32_t mode = 0; mode < MODE_COUNT; mode++) {
            hed_outcome_free(&s->problems[i].expected[mode].first);
            hed_outcome_free(&s->problems[i].expected[mode].second);
        }
    }
    free(s->problems);
}

hed_status hed_conformance(
    const hed_conformance_def *def, hed_conformance_report *report, hed_error *error)
{
    *report = (hed_conformance_report){0};
    session s = {.def = def, .report = report};
    selection chosen;
    hed_status status = select_configs(def, &chosen, error);
    if (status == HED_OK) status = open_session(&s, error);
    for (uint64_t i = 0; i < chosen.count && status == HED_OK && !report->stopped; i++) {
        hed_config config = config_of(def, &chosen, i);
        for (uint32_t mode = 0; mode < MODE_COUNT && status == HED_OK && !report->stopped; mode++)
            status = run_config(&s, &config, mode, error);
    }
    close_session(&s);
    free(chosen.indices);
    return status;
}
