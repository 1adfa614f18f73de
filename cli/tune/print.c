/* What `heddle tune` says at its end: for people, and as JSON. */
#include "support/json.h"
#include "tunefile/report_numbers.h"
#include "tune.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* How many times the winner's time another evaluation takes; NAN where either has none. */
static double times_winner(const hed_tune_result *result, uint32_t index)
{
    return hed_report_value(result, index) / hed_report_value(result, result->best);
}

/* ---- for people ---- */

static void print_winner(const cli_tuned *t, FILE *out)
{
    const hed_tune_result *r = t->result;
    const hed_evaluation *winner = &r->evaluations[r->best];
    char config[512], value[48], low[48], high[48];
    hed_config_format(t->kernel, &winner->config, config, sizeof config);
    hed_report_text(t->def->objective, winner->seconds, value, sizeof value);
    hed_report_text(t->def->objective, winner->low, low, sizeof low);
    hed_report_text(t->def->objective, winner->high, high, sizeof high);
    fprintf(out, "  winner     %s\n  takes      %s", config, value);
    if (isfinite(winner->low) && isfinite(winner->high))
        fprintf(out, ", %s to %s with 95 %% confidence, %u runs", low, high, winner->runs);
    fprintf(out, ", %s\n", r->device_time ? "by the device's clock" : "by the host's clock");
}

static void print_gain(const cli_tuned *t, FILE *out)
{
    const char *good = t->def->objective == HED_OBJECTIVE_TIME ? "fast" : "sparing";
    const hed_tune_result *r = t->result;
    char value[48];
    if (r->default_index >= r->count) fputs("  default    does not run here\n", out);
    else if (r->default_index == r->best) fputs("  default    is the winner\n", out);
    else if (isfinite(r->gain)) {
        hed_report_text(
            t->def->objective, hed_report_value(r, r->default_index), value, sizeof value);
        fprintf(out, "  default    %s; %sthe winner is %.2f times as %s\n", value,
            r->end == HED_TUNE_STOPPED ? "" : "measured in turns ", r->gain, good);
    }
    double before = times_winner(r, r->stored_index);
    if (r->kept_stored)
        fputs("  stored     the former choice stays: nothing beat it clearly\n", out);
    else if (isfinite(before))
        fprintf(out, "  stored     the winner is %.2f times as %s as the former choice\n", before,
            good);
    if (r->ties)
        fprintf(out, "  ties       %u other%s cannot be told from it\n", r->ties,
            r->ties == 1 ? "" : "s");
    if (isfinite(r->share))
        fprintf(out, "  roofline   %.0f %%, limited by %s%s\n", 100 * r->share,
            hed_report_bound(r) == HED_BOUND_MEMORY ? "memory" : "arithmetic",
            r->share > 1
                ? " (over 100 %: the data stay in a cache, or the device was busy when its rates were measured)"
                : "");
}

/* What there was of each failure, with one example. */
static void print_failures(const cli_tuned *t, FILE *out)
{
    uint32_t counts[HED_OUTCOME_COUNT], examples[HED_OUTCOME_COUNT];
    hed_report_count(t->result, counts, examples);
    uint32_t failed = hed_report_failed(counts);
    if (failed) fprintf(out, "  failed     %u\n", failed);
    for (int outcome = HED_OUTCOME_INVALID; outcome < HED_OUTCOME_COUNT; outcome++) {
        if (!counts[outcome]) continue;
        const hed_evaluation *example = &t->result->evaluations[examples[outcome]];
        char config[256];
        hed_config_format(t->kernel, &example->config, config, sizeof config);
        fprintf(out, "%7u %s, such as %s%s%s\n", counts[outcome],
            hed_outcome_name((hed_outcome)outcome), config, example->text[0] ? ": " : "",
            example->text);
    }
}

static const char *compared_with(const cli_tuned *t)
{
    return hed_report_compared(t->kernel, t->def->arguments, t->result->reference);
}

static void print_conditions(const cli_tuned *t, FILE *out)
{
    static const char *const ends[] = {
        [HED_TUNE_EVALUATIONS] = "the number of evaluations is reached",
        [HED_TUNE_SECONDS] = "the time is up",
        [HED_TUNE_GOOD_ENOUGH] = "it is good enough",
        [HED_TUNE_NO_GAIN] = "nothing better came for long",
        [HED_TUNE_EXHAUSTED] = "every configuration is known",
        [HED_TUNE_STOPPED] = "it was stopped",
        [HED_TUNE_LOST] = "a candidate in this process has hung or broken the device",
    };
    const hed_tune_result *r = t->result;
    fprintf(out, "  tried      %u of %" PRIu64 " valid configurations in %.1f s; ended since %s\n",
        r->count, r->space, r->seconds, ends[r->end]);
    if (r->space == 1) {
        bool ignores = strcmp(t->device->backend, "host") == 0 && t->kernel->native_ignores;
        fprintf(out, "             there is nothing to tune: %s has one configuration here%s\n",
            t->kernel->name, ignores ? "; its native code does not read its parameters" : "");
    }
    print_failures(t, out);
    if (r->in_process) fprintf(out, "  isolation  none, %s\n", r->in_process_reason);
    else fputs("  isolation  candidates ran in a worker process\n", out);
    fprintf(out, "  compared   with %s\n", compared_with(t));
    if (fabs(r->drift) > 0.03)
        fprintf(out,
            "  clocks     moved by %.0f %% meanwhile: keep the machine quiet, and times are worth more\n",
            100 * r->drift);
}

static void print_kept(const cli_tuned *t, FILE *out)
{
    const hed_tune_result *r = t->result;
    if (r->kept)
        fprintf(out, "  kept       %s\n             launches of %s on this device now use it\n",
            t->database, t->kernel->name);
    else if (t->database)
        fprintf(out, "  kept       not as a choice: %s\n             measurements are in %s\n",
            r->not_kept_reason, t->database);
    else
        fprintf(out, "  kept       nowhere: %s\n", t->def->keep ? r->not_kept_reason : "--no-keep");
}

void cli_tuned_print(const cli_tuned *t, FILE *out)
{
    char problem[256];
    cli_format_problem(t->kernel, &t->result->problem, problem, sizeof problem);
    fprintf(out, "%s on %s (%s), %s%s\n", t->kernel->name, t->device->id, t->device->name, problem,
        t->def->math == HED_MATH_STRICT ? ", strict" : "");
    if (t->result->best < t->result->count) {
        print_winner(t, out);
        print_gain(t, out);
    } else {
        fprintf(out, "  winner     none: %s\n",
            t->result->count ? "nothing that was tried works" : "nothing was tried");
    }
    print_conditions(t, out);
    print_kept(t, out);
    if (t->report) fprintf(out, "  report     %s\n", t->report);
}

/* ---- JSON ---- */

static void add_whole(hed_records *records, const char *key, int64_t value)
{
    if (value >= 0) hed_records_integer(records, key, (uint64_t)value);
    else hed_records_number(records, key, (double)value);
}

static void add_config(hed_records *records, const hed_kernel_def *kernel, const hed_config *config)
{
    hed_records_open(records, "config");
    for (uint32_t p = 0; p < kernel->parameter_count; p++) {
        const hed_parameter_def *parameter = &kernel->parameters[p];
        uint32_t place = hed_report_place(kernel, config, p);
        if (parameter->labels && place < parameter->count)
            hed_records_text(records, parameter->name, parameter->labels[place]);
        else add_whole(records, parameter->name, config->values[p]);
    }
    hed_records_close(records);
}

static void add_winner(hed_records *records, const cli_tuned *t)
{
    const hed_tune_result *r = t->result;
    const hed_evaluation *winner = &r->evaluations[r->best];
    char text[512];
    hed_config_format(t->kernel, &winner->config, text, sizeof text);
    hed_records_text(records, "winner", text);
    add_config(records, t->kernel, &winner->config);
    hed_records_number(
        records, t->def->objective == HED_OBJECTIVE_ENERGY ? "joules" : "seconds", winner->seconds);
    hed_records_number(records, "low", winner->low);
    hed_records_number(records, "high", winner->high);
    hed_records_integer(records, "runs", winner->runs);
    hed_records_number(records, "gain", r->gain);
    hed_records_number(records, "gain_over_stored", times_winner(r, r->stored_index));
    hed_records_boolean(records, "kept_stored", r->kept_stored);
    hed_records_integer(records, "ties", r->ties);
    hed_records_number(records, "share", r->share);
}

static void add_conditions(hed_records *records, const cli_tuned *t)
{
    const hed_tune_result *r = t->result;
    uint32_t counts[HED_OUTCOME_COUNT], examples[HED_OUTCOME_COUNT];
    hed_report_count(r, counts, examples);
    hed_records_open(records, "evaluations");
    for (int outcome = 0; outcome < HED_OUTCOME_COUNT; outcome++)
        hed_records_integer(records, hed_outcome_name((hed_outcome)outcome), counts[outcome]);
    hed_records_close(records);
    hed_records_integer(records, "space", r->space);
    hed_records_text(records, "end", hed_tune_end_name(r->end));
    hed_records_boolean(records, "isolated", !r->in_process);
    if (r->in_process) hed_records_text(records, "not_isolated_since", r->in_process_reason);
    hed_records_boolean(records, "checked", r->reference != HED_REFERENCE_NONE);
    hed_records_text(records, "compared_with", compared_with(t));
    hed_records_boolean(records, "device_time", r->device_time);
    hed_records_number(records, "drift", r->drift);
    hed_records_number(records, "tuning_seconds", r->seconds);
}

hed_status cli_tuned_print_json(const cli_tuned *t, FILE *out, hed_error *error)
{
    static const char *const objectives[] = {"time", "energy", "metric"};
    hed_records *records = hed_records_create();
    hed_records_next(records);
    hed_records_text(records, "kernel", t->kernel->name);
    hed_records_text(records, "from", t->origin);
    hed_records_text(records, "device", t->device->id);
    hed_records_text(records, "device_name", t->device->name);
    hed_records_open(records, "problem");
    for (uint32_t i = 0; i < t->result->problem.count && i < t->kernel->dimension_count; i++)
        add_whole(records, t->kernel->dimensions[i], t->result->problem.sizes[i]);
    hed_records_close(records);
    hed_records_text(records, "math", t->def->math == HED_MATH_STRICT ? "strict" : "fast");
    hed_records_text(records, "objective", objectives[t->def->objective]);
    if (t->result->best < t->result->count) add_winner(records, t);
    add_conditions(records, t);
    if (t->result->kept) hed_records_text(records, "kept", t->database);
    else hed_records_text(records, "not_kept_reason", t->result->not_kept_reason);
    if (t->report) hed_records_text(records, "report", t->report);
    hed_status status = hed_records_print_one(records, out, error);
    hed_records_free(records);
    return status;
}
