/* Conformance: runs every problem, configuration and math mode of a kernel and compares it with the
 * native version. */
#include "cli/verify/conformance.h"

#include "cli/common/sample.h"
#include "heddle/author.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const hed_math MODES[] = {HED_MATH_FAST, HED_MATH_STRICT};

enum { MODE_COUNT = 2, SEARCH_LIMIT = 1 << 17 };

/* ---- running over poisoned buffers ---- */

enum { GUARD_BYTES = 256, POISON_FIRST = 0x5a, POISON_SECOND = 0xa5, POISON_DEVICE = 0x5a };

/* Results of a run: bytes of each buffer including its guard. */
typedef struct outcome {
    unsigned char *data[HED_MAX_ARGUMENTS]; /* NULL if the argument is not a buffer */
} outcome;

/* Results of the native version over two poisons: an element that is equal in both was written. */
typedef struct expected_outcome {
    outcome first, second;
} expected_outcome;

static void outcome_free(outcome *result)
{
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++) free(result->data[i]);
    *result = (outcome){0};
}

static hed_status outcome_read(const hed_sample *sample, hed_stream *stream,
    const hed_placed *placed, outcome *result, hed_error *error)
{
    hed_status status = error->status;
    for (uint32_t i = 0; i < sample->def->argument_count && !status; i++) {
        if (!placed->buffers[i]) continue;
        uint64_t size = sample->bytes[i] + GUARD_BYTES;
        result->data[i] = malloc(size);
        if (!result->data[i])
            status = HED_OUT_OF_MEMORY(error, "%" PRIu64 " bytes of results", size);
        else status = hed_read(stream, result->data[i], placed->buffers[i], 0, size, error);
    }
    return status;
}

static hed_status outcome_run(const hed_sample *sample, hed_stream *stream, hed_kernel *kernel,
    unsigned char poison, outcome *result, hed_error *error)
{
    *result = (outcome){0};
    hed_placed placed;
    hed_status status = hed_sample_place(sample, stream, GUARD_BYTES, poison, &placed, error);
    if (status) return status;
    hed_launch(
        stream, kernel, &sample->problem, placed.arguments, sample->def->argument_count, error);
    status = outcome_read(sample, stream, &placed, result, error);
    /* wait even after a failure: enqueued work still uses the buffers */
    hed_status waited = hed_stream_wait(stream, status ? NULL : error);
    hed_placed_free(&placed);
    if (status || waited) outcome_free(result);
    return status ? status : waited;
}

/* ---- elements ---- */

/* An element as a number; exact except for 64-bit integers, which are compared by their bytes. */
static double element_number(hed_type type, const unsigned char *at)
{
    union {
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } value = {0};
    memcpy(&value, at, hed_type_bytes(type));
    switch (type) {
    case HED_INT32: return value.i32;
    case HED_UINT32: return value.u32;
    case HED_INT64: return (double)value.i64;
    case HED_UINT64: return (double)value.u64;
    case HED_FLOAT: return (double)value.f32;
    case HED_DOUBLE: return value.f64;
    default: return at[0];
    }
}

static bool element_is_float(hed_type type) { return type == HED_FLOAT || type == HED_DOUBLE; }

static bool element_is_poison(const unsigned char *at, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        if (at[i] != POISON_DEVICE) return false;
    return true;
}

static void element_print(hed_type type, const unsigned char *at, char *text, size_t size)
{
    int64_t integer;
    if (type == HED_INT64 || type == HED_UINT64) {
        memcpy(&integer, at, sizeof integer);
        snprintf(text, size, type == HED_INT64 ? "%" PRId64 : "%" PRIu64, integer);
    } else {
        snprintf(text, size, "%.9g", element_number(type, at));
    }
}

/* ---- comparing ---- */

typedef struct comparison {
    const hed_sample *sample;
    hed_conformance_run *run;
    uint64_t wrong; /* number of wrong elements */
} comparison;

/* Counts a wrong element; the first one is reported. */
static void comparison_complain(comparison *c, const hed_argument_def *argument, uint64_t element,
    const unsigned char *actual, const unsigned char *expected, const char *problem)
{
    if (c->wrong++ > 0) return;
    char a[64] = "", b[64] = "";
    element_print(argument->type, actual, a, sizeof a);
    if (expected) element_print(argument->type, expected, b, sizeof b);
    snprintf(c->run->text, sizeof c->run->text, "%s[%" PRIu64 "]: %s%s%s%s%s", argument->name,
        element, problem, expected ? ", expected " : "", b, expected ? ", found " : "",
        expected ? a : "");
}

static void comparison_element(comparison *c, const hed_argument_def *argument, uint64_t element,
    const unsigned char *actual, const unsigned char *expected, bool written)
{
    hed_conformance_run *run = c->run;
    if (!written) {
        if (!element_is_poison(actual, hed_type_bytes(argument->type)))
            comparison_complain(c, argument, element, actual, NULL,
                "written, though the native version leaves it alone");
        return;
    }
    double a = element_number(argument->type, actual), b = element_number(argument->type, expected);
    bool both_nan = isnan(a) && isnan(b);
    bool is_same = memcmp(actual, expected, hed_type_bytes(argument->type)) == 0 ||
                   (element_is_float(argument->type) && both_nan);
    /* |a - b| / max(1, |b|); infinite if only one of them is a number */
    double error = a == b || both_nan ? 0 : fabs(a - b) / fmax(1, fabs(b));
    if (isnan(error)) error = INFINITY;
    /* 64-bit integers beyond 2^53 may differ and be equal as numbers; -0 and 0 are equal in fast
     * mode */
    if (!is_same && error == 0 && !element_is_float(argument->type)) error = DBL_TRUE_MIN;
    if (error > run->error) run->error = error;
    /* hash with every NaN made equal (FNV-1a; Fowler, Noll and Vo) */
    if (run->math == HED_MATH_STRICT) {
        static const float quiet_float = NAN;
        static const double quiet_double = NAN;
        const unsigned char *at = actual;
        if (element_is_float(argument->type) && isnan(a))
            at = argument->type == HED_FLOAT ? (const unsigned char *)&quiet_float
                                             : (const unsigned char *)&quiet_double;
        for (uint32_t i = 0; i < hed_type_bytes(argument->type); i++)
            run->hash = (run->hash ^ at[i]) * 0x100000001b3u;
    }
    bool good = run->math == HED_MATH_STRICT ? is_same : is_same || error <= argument->tolerance;
    if (good) {
        run->written++;
    } else if (element_is_poison(actual, hed_type_bytes(argument->type))) {
        comparison_complain(c, argument, element, actual, NULL, "not written");
    } else {
        run->written++;
        char text[96];
        if (run->math == HED_MATH_STRICT) snprintf(text, sizeof text, "other bits (strict)");
        else snprintf(text, sizeof text, "error %.3g, tolerance %.3g", error, argument->tolerance);
        comparison_complain(c, argument, element, actual, expected, text);
    }
}

static void comparison_output(
    comparison *c, const expected_outcome *expected, const outcome *actual, uint32_t index)
{
    const hed_argument_def *argument = &c->sample->def->arguments[index];
    uint32_t size = hed_type_bytes(argument->type);
    for (uint64_t at = 0; at + size <= c->sample->bytes[index]; at += size) {
        const unsigned char *first = expected->first.data[index] + at;
        bool written = memcmp(first, expected->second.data[index] + at, size) == 0;
        comparison_element(c, argument, at / size, actual->data[index] + at, first, written);
    }
}

static void comparison_unchanged(comparison *c, const outcome *actual, uint32_t index)
{
    const hed_argument_def *argument = &c->sample->def->arguments[index];
    uint64_t bytes = c->sample->bytes[index];
    const unsigned char *data = actual->data[index];
    if (argument->access == HED_READ && memcmp(data, c->sample->data[index], bytes) != 0 &&
        c->wrong++ == 0)
        snprintf(c->run->text, sizeof c->run->text, "%s: an input was changed", argument->name);
    for (uint64_t i = 0; i < GUARD_BYTES; i++) {
        if (data[bytes + i] == POISON_DEVICE) continue;
        if (c->wrong++ == 0)
            snprintf(c->run->text, sizeof c->run->text,
                "%s: written %" PRIu64 " bytes past its end", argument->name, i);
        break;
    }
}

static void outcome_compare(const hed_sample *sample, const expected_outcome *expected,
    const outcome *actual, hed_conformance_run *run)
{
    comparison c = {.sample = sample, .run = run};
    run->hash = run->math == HED_MATH_STRICT ? 0xcbf29ce484222325u : 0;
    for (uint32_t i = 0; i < sample->def->argument_count; i++) {
        if (sample->def->arguments[i].kind != HED_BUFFER) continue;
        if (sample->def->arguments[i].access == HED_WRITE ||
            sample->def->arguments[i].access == HED_READ_WRITE)
            comparison_output(&c, expected, actual, i);
        comparison_unchanged(&c, actual, i);
    }
    if (run->written == 0 && c.wrong++ == 0)
        snprintf(run->text, sizeof run->text,
            "the native version writes nothing, so nothing was checked");
    run->verdict = c.wrong ? HED_VERDICT_FAILED : HED_VERDICT_PASSED;
    size_t used = strlen(run->text);
    if (c.wrong > 1)
        snprintf(
            run->text + used, sizeof run->text - used, "; %" PRIu64 " elements are wrong", c.wrong);
}

/* ---- configurations ---- */

/* Selection of configurations to run. */
typedef struct selection {
    uint64_t *indices; /* indices in the full product; NULL: all that differ on the device */
    uint64_t count;
    hed_config usual; /* values of parameters that the device ignores */
} selection;

static uint64_t selection_index(const hed_kernel_def *def, const hed_config *config)
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

/* True if the configuration is valid on the device for any sample problem, in fast mode; strict
 * mode is a subset of it. */
static bool selection_runs(const hed_conformance_def *def, const hed_config *config)
{
    const hed_sample_def *sample = &def->kernel->sample;
    for (uint32_t i = 0; i < sample->count; i++)
        if (hed_kernel_valid(
                def->kernel, config, &sample->problems[i], def->device, HED_MATH_FAST, NULL, 0))
            return true;
    return false;
}

/* Finds a valid configuration with this value, close to the default: the default with that value,
 * or with one further value changed, or else the first of the product. Returns false if there is no
 * such configuration. */
static bool selection_find(
    const hed_conformance_def *def, uint32_t parameter, int64_t value, uint64_t *index)
{
    const hed_kernel_def *kernel = def->kernel;
    hed_config candidate = hed_config_default(kernel), config;
    candidate.values[parameter] = value;
    *index = selection_index(kernel, &candidate);
    if (selection_runs(def, &candidate)) return true;
    for (uint32_t p = 0; p < kernel->parameter_count; p++) {
        for (uint32_t v = 0; v < kernel->parameters[p].count && p != parameter; v++) {
            config = candidate;
            config.values[p] = kernel->parameters[p].values[v];
            *index = selection_index(kernel, &config);
            if (selection_runs(def, &config)) return true;
        }
    }
    uint64_t count = hed_config_count(kernel);
    for (uint64_t i = 0; i < count && i < SEARCH_LIMIT; i++) {
        config = hed_config_at(kernel, i);
        *index = i;
        if (config.values[parameter] == value && selection_runs(def, &config)) return true;
    }
    return false;
}

enum { ALL_MODES = (1 << MODE_COUNT) - 1 };

/* Number of problems and of the modes in `modes`, a bit each, in which a configuration is valid. */
static uint32_t selection_breadth(
    const hed_conformance_def *def, const hed_config *config, uint32_t modes)
{
    const hed_sample_def *sample = &def->kernel->sample;
    uint32_t breadth = 0;
    for (uint32_t i = 0; i < sample->count; i++)
        for (uint32_t mode = 0; mode < MODE_COUNT; mode++)
            breadth +=
                modes >> mode & 1 && hed_kernel_valid(def->kernel, config, &sample->problems[i],
                                         def->device, MODES[mode], NULL, 0);
    return breadth;
}

/* True if a chosen configuration has this value. */
static bool selection_has(
    const hed_kernel_def *kernel, const selection *chosen, uint32_t parameter, int64_t value)
{
    for (uint64_t i = 0; i < chosen->count; i++)
        if (hed_config_at(kernel, chosen->indices[i]).values[parameter] == value) return true;
    return false;
}

/* Adds a configuration with each value that no chosen one has. Fewer configurations compile sooner: a
 * value that is not covered yet replaces a covered one of the same configuration where that stays valid
 * for all its problems and modes. */
static void selection_cover(const hed_conformance_def *def, uint32_t parameter, int64_t value,
    uint32_t ignored, selection *chosen)
{
    const hed_kernel_def *kernel = def->kernel;
    uint64_t index;
    if (selection_has(kernel, chosen, parameter, value) ||
        !selection_find(def, parameter, value, &index))
        return;
    hed_config config = hed_config_at(kernel, index);
    uint32_t breadth = selection_breadth(def, &config, ALL_MODES),
             usual = selection_breadth(def, &chosen->usual, ALL_MODES);
    for (uint32_t p = parameter + 1; p < kernel->parameter_count && breadth >= usual; p++) {
        hed_config next = config;
        bool has_value = ignored >> p & 1 || !selection_has(kernel, chosen, p, config.values[p]);
        for (uint32_t v = 0; v < kernel->parameters[p].count && !has_value; v++) {
            next.values[p] = kernel->parameters[p].values[v];
            has_value = !selection_has(kernel, chosen, p, next.values[p]) &&
                        selection_breadth(def, &next, ALL_MODES) >= breadth;
            if (has_value) config = next;
        }
    }
    chosen->indices[chosen->count++] = selection_index(kernel, &config);
}

/* Index of the configuration that a user gets by default: the description's, or the first valid
 * one. */
static uint64_t selection_default(const hed_conformance_def *def)
{
    hed_config config = hed_config_default(def->kernel);
    uint64_t preferred = selection_index(def->kernel, &config),
             count = hed_config_count(def->kernel);
    if (selection_runs(def, &config)) return preferred;
    for (uint64_t i = 0; i < count && i < SEARCH_LIMIT; i++) {
        config = hed_config_at(def->kernel, i);
        if (selection_runs(def, &config)) return i;
    }
    return preferred;
}

static hed_config selection_config(
    const hed_conformance_def *def, const selection *chosen, uint64_t index)
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

static hed_status selection_make(
    const hed_conformance_def *def, selection *chosen, hed_error *error)
{
    *chosen = (selection){0};
    const hed_kernel_def *kernel = def->kernel;
    if (hed_failed(error)) return error->status;
    if (kernel->sample.count == 0 || !kernel->sample.bytes || !kernel->sample.fill)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "kernel %s describes no sample problems", kernel->name);
    uint32_t ignored = hed_kernel_ignores(kernel, def->device);
    uint64_t preferred = selection_default(def);
    chosen->usual = hed_config_at(kernel, preferred);
    if (def->coverage == HED_COVER_ALL) {
        chosen->count = 1;
        for (uint32_t p = 0; p < kernel->parameter_count; p++)
            if (!(ignored >> p & 1) && __builtin_mul_overflow(chosen->count,
                                           kernel->parameters[p].count, &chosen->count)) {
                chosen->count = UINT64_MAX;
                break;
            }
        return HED_OK;
    }
    size_t limit = 1;
    for (uint32_t p = 0; p < kernel->parameter_count; p++) limit += kernel->parameters[p].count;
    chosen->indices = malloc(limit * sizeof *chosen->indices);
    if (!chosen->indices) return HED_OUT_OF_MEMORY(error, "the configurations of %s", kernel->name);
    chosen->indices[chosen->count++] = preferred;
    for (uint32_t p = 0; def->coverage == HED_COVER_VALUES && p < kernel->parameter_count; p++) {
        for (uint32_t v = 0; v < kernel->parameters[p].count && !(ignored >> p & 1); v++)
            selection_cover(def, p, kernel->parameters[p].values[v], ignored, chosen);
    }
    return HED_OK;
}

hed_status hed_conformance_count(const hed_conformance_def *def, uint64_t *count, hed_error *error)
{
    selection chosen;
    hed_status status = selection_make(def, &chosen, error);
    *count = chosen.count * MODE_COUNT * def->kernel->sample.count;
    free(chosen.indices);
    return status;
}

/* ---- results of the native version ---- */

typedef struct problem_data {
    hed_sample sample;
    expected_outcome expected[MODE_COUNT];
    bool has_expected[MODE_COUNT];
} problem_data;

typedef struct session {
    const hed_conformance_def *def;
    hed_conformance_report *report;
    hed_stream *stream, *reference;
    problem_data *problems; /* (def->kernel->sample.count) */
} session;

static hed_status session_expect(
    const session *s, uint32_t problem, uint32_t mode, hed_error *error)
{
    problem_data *data = &s->problems[problem];
    if (data->has_expected[mode]) return HED_OK;
    hed_kernel_options options = hed_default_kernel_options();
    options.math = MODES[mode];
    options.problem = &data->sample.problem;
    hed_kernel *kernel;
    expected_outcome *expected = &data->expected[mode];
    hed_kernel_create(s->def->reference, s->def->kernel, &options, &kernel, error);
    outcome_run(&data->sample, s->reference, kernel, POISON_FIRST, &expected->first, error);
    hed_status status =
        outcome_run(&data->sample, s->reference, kernel, POISON_SECOND, &expected->second, error);
    data->has_expected[mode] = !status;
    hed_kernel_destroy(kernel);
    return status;
}

/* ---- one run on the device ---- */

/* Runs one configuration. The kernel is created at its first valid problem, since most
 * configurations of a large space are invalid. */
static hed_status session_run_one(const session *s, uint32_t problem, uint32_t mode,
    hed_kernel **kernel, hed_conformance_run *run, hed_error *error)
{
    hed_error local_error = {0};
    hed_status status = HED_OK;
    problem_data *data = &s->problems[problem];
    if (!hed_kernel_valid(run->def, run->config, run->problem, s->def->device, run->math, run->text,
            sizeof run->text)) {
        run->verdict = HED_VERDICT_INVALID;
        return HED_OK;
    }
    hed_status expected_status = session_expect(s, problem, mode, error);
    if (expected_status) return expected_status;
    if (!*kernel) {
        hed_kernel_options options = hed_default_kernel_options();
        options.math = run->math;
        options.config = run->config;
        options.problem = run->problem;
        status = hed_kernel_create(s->def->device, run->def, &options, kernel, &local_error);
    }
    outcome actual;
    if (!status)
        status =
            outcome_run(&data->sample, s->stream, *kernel, POISON_DEVICE, &actual, &local_error);
    if (status == HED_ERROR_MEMORY) return hed_fail(error, status, "%s", local_error.text);
    if (status) {
        /* a limit that only the compiled kernel reveals (such as registers) makes a configuration
         * invalid, as its valid() would */
        bool invalid = status == HED_ERROR_LIMIT || status == HED_ERROR_UNSUPPORTED;
        run->verdict = invalid ? HED_VERDICT_INVALID : HED_VERDICT_FAILED;
        size_t log = strcspn(local_error.log, "\n");
        snprintf(run->text, sizeof run->text, "%s: %.300s%s%.*s", hed_status_name(status),
            local_error.text, log ? ": " : "", (int)(log < 160 ? log : 160), local_error.log);
        return HED_OK;
    }
    outcome_compare(&data->sample, &data->expected[mode], &actual, run);
    outcome_free(&actual);
    return HED_OK;
}

static hed_status session_run(
    const session *s, const hed_config *config, uint32_t mode, hed_error *error)
{
    const hed_conformance_def *def = s->def;
    hed_kernel *kernel = NULL;
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < def->kernel->sample.count && !status; i++) {
        if (def->stop && def->stop(def->user)) {
            s->report->stopped = true;
            break;
        }
        hed_conformance_run run = {.def = def->kernel,
            .config = config,
            .problem = &def->kernel->sample.problems[i],
            .math = MODES[mode]};
        status = session_run_one(s, i, mode, &kernel, &run, error);
        if (status) break;
        s->report->passed += run.verdict == HED_VERDICT_PASSED;
        s->report->invalid += run.verdict == HED_VERDICT_INVALID;
        s->report->failed += run.verdict == HED_VERDICT_FAILED;
        s->report->written += run.written;
        s->report->error = fmax(s->report->error, run.error);
        if (def->each) def->each(def->user, &run);
    }
    hed_kernel_destroy(kernel);
    return status;
}

/* ---- all runs ---- */

static hed_status session_open(session *s, hed_error *error)
{
    const hed_conformance_def *def = s->def;
    const hed_kernel_def *kernel = def->kernel;
    hed_config config = hed_config_default(kernel);
    s->problems = calloc(kernel->sample.count, sizeof *s->problems);
    if (!s->problems) return HED_OUT_OF_MEMORY(error, "the sample problems of %s", kernel->name);
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < kernel->sample.count && !status; i++)
        status = hed_sample_create(
            kernel, &config, &kernel->sample.problems[i], def->seed, &s->problems[i].sample, error);
    if (status) return status;
    hed_stream_create(def->device, NULL, &s->stream, error);
    return hed_stream_create(def->reference, NULL, &s->reference, error);
}

static void session_close(session *s)
{
    hed_stream_destroy(s->stream);
    hed_stream_destroy(s->reference);
    for (uint32_t i = 0; s->problems && i < s->def->kernel->sample.count; i++) {
        hed_sample_free(&s->problems[i].sample);
        for (uint32_t mode = 0; mode < MODE_COUNT; mode++) {
            outcome_free(&s->problems[i].expected[mode].first);
            outcome_free(&s->problems[i].expected[mode].second);
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
    hed_status status = selection_make(def, &chosen, error);
    if (status) return status;
    status = session_open(&s, error);
    for (uint64_t i = 0; i < chosen.count && !status && !report->stopped; i++) {
        hed_config config = selection_config(def, &chosen, i);
        /* the only mode of a configuration but the default, if it is valid in that */
        uint32_t turn = (uint32_t)(i % MODE_COUNT);
        bool alone = def->modes_in_turn && i && selection_breadth(def, &config, 1u << turn);
        for (uint32_t mode = 0; mode < MODE_COUNT && !status && !report->stopped; mode++)
            if (!alone || mode == turn) status = session_run(&s, &config, mode, error);
    }
    session_close(&s);
    free(chosen.indices);
    return status;
}
