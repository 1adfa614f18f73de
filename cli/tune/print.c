/* Final output of `heddle tune`: for people, and as JSON. */
#include "cli/common/report.h"
#include "tunefile/report/report_numbers.h"
#include "tune_command.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Time of an evaluation / the winner's time; NAN if either has no time. */
static double times_winner(const hed_tune_result *result, uint32_t index)
{
    return hed_report_value(result, index) / hed_report_value(result, result->best);
}

char *cli_config_text(const hed_kernel_def *kernel, const hed_config *config)
{
    for (size_t size = 512;; size *= 2) { /* grow until the text fits */
        char *text = malloc(size);
        if (text) hed_config_format(kernel, config, text, size);
        if (!text || strlen(text) + 1 < size) return text;
        free(text);
    }
}

/* relative drift of the device's clock above which its times are unusable */
static const double RUNAWAY = 1;

/* ---- for people ---- */

static void print_value(const cli_tuned *t, double value, char *text, size_t size)
{
    hed_report_value_text(t->def->objective, t->def->metric, value, text, size);
}

static void print_winner(const cli_tuned *t, FILE *out)
{
    const hed_tune_result *r = t->result;
    const hed_evaluation *winner = &r->evaluations[r->best];
    char value[48], low[48], high[48];
    char *config = cli_config_text(t->kernel, &winner->config);
    print_value(t, winner->seconds, value, sizeof value);
    bool turns =
        t->def->metric && t->def->metric->maximized; /* the reciprocal turns the interval */
    print_value(t, turns ? winner->high : winner->low, low, sizeof low);
    print_value(t, turns ? winner->low : winner->high, high, sizeof high);
    fprintf(out, "  winner     %s\n  %-10s %s", config ? config : "",
        t->def->metric ? "reaches" : "takes", value);
    free(config);
    if (isfinite(winner->low) && isfinite(winner->high))
        fprintf(out, ", %s to %s with 95 %% confidence, %u runs", low, high, winner->runs);
    fprintf(out, ", %s\n", r->device_time ? "by the device's clock" : "by the host's clock");
}

static void print_gain(const cli_tuned *t, FILE *out)
{
    const char *good = hed_report_good(t->def->objective, t->def->metric);
    const hed_tune_result *r = t->result;
    char value[48];
    if (r->default_index >= r->count) fputs("  default    does not run here\n", out);
    else if (r->default_index == r->best) fputs("  default    is the winner\n", out);
    else if (isfinite(r->gain)) {
        print_value(t, hed_report_value(r, r->default_index), value, sizeof value);
        fprintf(out, "  default    %s; %sthe winner is %.2f times as %s\n", value,
            r->end == HED_TUNE_STOPPED || t->def->objective == HED_OBJECTIVE_ENERGY
                ? ""
                : "measured in turns ",
            r->gain, good);
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

/* Prints the resources of the winner. */
static void print_resources(const cli_tuned *t, FILE *out)
{
    const hed_tune_resources *r = t->resources;
    if (!r) return;
    fprintf(out, "  resources  %lld registers", (long long)r->kernel.registers);
    if (r->kernel.spill_bytes > 0)
        fprintf(out, " and %lld bytes of spills", (long long)r->kernel.spill_bytes);
    fprintf(out, ", %.4g KiB of local memory a group; %lld groups of %u items at once",
        (double)r->local_bytes / 1024, (long long)r->resident_groups, r->group_items);
    if (t->device.compute_units)
        fprintf(out, ", %.4g items on a unit",
            (double)r->resident_groups * r->group_items / t->device.compute_units);
    fputs("\n", out);
}

/* Prints the hardware counters of the winner, and the default's below them. */
static void print_counters(const cli_tuned *t, FILE *out)
{
    hed_report_counter_row rows[HED_REPORT_COUNTERS];
    uint32_t count = hed_report_counters(t->result, rows);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "  %-10s %-18s %s\n", i ? "" : "counters", rows[i].label, rows[i].winner);
        if (rows[i].standard[0])
            fprintf(out, "  %-10s %-18s %s\n", "", "  default", rows[i].standard);
    }
    if (t->result->counters_reason[0])
        fprintf(out, "  counters   not read%s: %s\n", count ? " of the default" : "",
            t->result->counters_reason);
}

/* Prints the metrics of the winner that are not the objective. */
static void print_metrics(const cli_tuned *t, FILE *out)
{
    for (uint32_t i = 0; i < t->def->metric_count; i++) {
        const hed_tune_metric *metric = &t->def->metrics[i];
        double value = hed_report_metric(metric, t->def->objective, t->result, t->result->best);
        if (metric == t->def->metric || !isfinite(value)) continue;
        fprintf(out, "  %-10s %.4g\n", metric->name, value);
    }
}

enum { MOST_FRONT = 16 }; /* maximum number of configurations of a front */

/* Prints the price of more accurate results. */
static void print_front(const cli_tuned *t, FILE *out)
{
    const hed_tune_result *r = t->result;
    uint32_t front[MOST_FRONT], count = hed_report_front(r, front, MOST_FRONT);
    if (count < 2 || t->def->metric) return;
    fprintf(out, "  accuracy   the winner's results differ by up to %.2g\n",
        r->evaluations[front[0]].error);
    for (uint32_t i = 1; i < count; i++) {
        char *config = cli_config_text(t->kernel, &r->evaluations[front[i]].config);
        fprintf(out, "             by up to %.2g at %.2f times its %s: %s\n",
            r->evaluations[front[i]].error, times_winner(r, front[i]),
            t->def->objective == HED_OBJECTIVE_ENERGY ? "energy" : "time", config ? config : "");
        free(config);
    }
}

static hed_objective other_objective(const cli_tuned *t)
{
    return t->def->objective == HED_OBJECTIVE_TIME ? HED_OBJECTIVE_ENERGY : HED_OBJECTIVE_TIME;
}

/* Prints the front of time and energy. */
static void print_both(const cli_tuned *t, FILE *out)
{
    const hed_tune_result *r = t->result;
    bool is_energy = other_objective(t) == HED_OBJECTIVE_ENERGY;
    uint32_t front[MOST_FRONT], count = hed_report_both(r, front, MOST_FRONT), worked = 0;
    if (!t->def->two_objectives) return;
    for (uint32_t i = 0; i < r->count; i++) worked += hed_report_has_value(&r->evaluations[i]);
    for (uint32_t i = 0; i < count; i++) {
        char value[48], *config = cli_config_text(t->kernel, &r->evaluations[front[i]].config);
        hed_report_text(other_objective(t), r->evaluations[front[i]].second, value, sizeof value);
        if (i == 0)
            fprintf(out, "  %-10s the winner takes %s\n", is_energy ? "energy" : "time", value);
        else
            fprintf(out, "             %s at %.2f times its %s: %s\n", value,
                times_winner(r, front[i]), is_energy ? "time" : "energy", config ? config : "");
        free(config);
    }
    fprintf(out, "  %-10s measured of %u of the %u configurations that work%s\n",
        count       ? ""
        : is_energy ? "energy"
                    : "time",
        hed_report_both_count(r), worked, count == 1 ? "; none is better than the winner" : "");
}

/* Prints the number of failures of each kind, with an example. */
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

/* Prints the work of each device, and the spread of their times for one configuration. */
static void print_devices(const cli_tuned *t, FILE *out)
{
    const hed_tune_result *r = t->result;
    double minimum = INFINITY, maximum = 0;
    uint32_t timed = 0;
    for (uint32_t i = 0; i < r->device_count; i++) {
        const hed_tune_on *on = &r->devices[i];
        char value[48] = "";
        if (isfinite(on->seconds)) print_value(t, on->seconds, value, sizeof value);
        fprintf(out, "  %s %-12s %u tried, %u failed, drift %.3f%s%s%s\n",
            i ? "          " : "devices   ", on->device, on->done, on->failed, on->drift,
            value[0] ? ", winner " : "", value,
            on->lost     ? ", lost"
            : on->losses ? ", started again"
                         : "");
        if (on->losses) fprintf(out, "             lost because %s\n", on->why);
        timed += isfinite(on->seconds);
        minimum = fmin(minimum, isfinite(on->seconds) ? on->seconds : INFINITY);
        maximum = fmax(maximum, isfinite(on->seconds) ? on->seconds : 0);
    }
    if (timed > 1)
        fprintf(out, "  spread     %.1f %% between the devices, for the winner\n",
            100 * (maximum / minimum - 1));
}

static const char *compared_with(const cli_tuned *t)
{
    return hed_report_compared(t->kernel, t->def->arguments, t->result);
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
        [HED_TUNE_LOST] = "a candidate has hung or broken the device",
    };
    const hed_tune_result *r = t->result;
    fprintf(out, "  tried      %u of %" PRIu64 " valid configurations in %.1f s; ended since %s\n",
        r->count, r->space, r->seconds, ends[r->end]);
    if (r->space == 1) {
        bool ignores = strcmp(t->device.backend, "host") == 0 && t->kernel->native_ignores;
        fprintf(out, "             there is nothing to tune: %s has one configuration here%s\n",
            t->kernel->name, ignores ? "; its native code does not read its parameters" : "");
    }
    print_failures(t, out);
    if (r->in_process) fprintf(out, "  isolation  none, %s\n", r->in_process_reason);
    else
        fprintf(out, "  isolation  candidates ran in %s\n",
            t->def->open_runner ? "the browser" : "a worker process");
    char counted[256], reference[512];
    hed_report_counted(r, counted, sizeof counted);
    hed_report_reference(t->kernel, r, reference, sizeof reference);
    fprintf(out, "  compared   with %s\n", compared_with(t));
    if (reference[0]) fprintf(out, "             %s\n", reference);
    if (counted[0]) fprintf(out, "             %s\n", counted);
    cli_tune_print_race(t->kernel, r, out);
    cli_tune_print_groups(t->kernel, r, out);
    if (r->drift > RUNAWAY)
        fprintf(out,
            "  clocks     moved by a factor of %.1f meanwhile: these times are not to be trusted; fix the "
            "device's clock, or wait until nothing else uses it\n",
            1 + r->drift);
    else if (r->drift > 0.03)
        fprintf(out,
            "  clocks     moved by %.0f %% meanwhile: keep the machine quiet, and times are worth more\n",
            100 * r->drift);
}

void cli_tuned_print(const cli_tuned *t, FILE *out)
{
    char problem[256];
    cli_format_problem(t->kernel, &t->result->problem, problem, sizeof problem);
    fprintf(out, "%s on %s (%s), %s%s\n", t->kernel->name, t->device.id, t->device.name, problem,
        t->def->math == HED_MATH_STRICT ? ", strict" : "");
    if (t->result->best < t->result->count) {
        print_winner(t, out);
        print_gain(t, out);
        print_resources(t, out);
        print_counters(t, out);
        print_metrics(t, out);
        print_front(t, out);
        print_both(t, out);
    } else {
        fprintf(out, "  winner     none: %s\n",
            t->result->count ? "nothing that was tried works" : "nothing was tried");
    }
    print_conditions(t, out);
    print_devices(t, out);
    const hed_tune_result *r = t->result;
    if (r->kept)
        fprintf(out,
            t->def->objective == HED_OBJECTIVE_TIME
                ? "  kept       %s\n             %s of %s on this device now use it\n"
                : "  kept       %s\n             for this objective; %s of %s take the choice for time\n",
            t->database, t->def->open_runner ? "tunings and exports" : "launches", t->kernel->name);
    else if (t->database)
        fprintf(out, "  kept       not as a choice: %s\n             measurements are in %s\n",
            r->not_kept_reason, t->database);
    else
        fprintf(out, "  kept       nowhere: %s\n", t->def->keep ? r->not_kept_reason : "--no-keep");
    if (t->report) fprintf(out, "  report     %s\n", t->report);
}

/* ---- JSON ---- */

static void tuned_add_winner(cli_report *report, const cli_tuned *t)
{
    const hed_tune_result *r = t->result;
    const hed_evaluation *winner = &r->evaluations[r->best];
    char *text = cli_config_text(t->kernel, &winner->config);
    cli_report_more(report, CLI_TEXT("winner", text ? text : ""));
    free(text);
    cli_report_open(report, "config");
    for (uint32_t p = 0; p < t->kernel->parameter_count; p++) {
        const hed_parameter_def *parameter = &t->kernel->parameters[p];
        uint32_t place = hed_report_place(t->kernel, &winner->config, p);
        if (parameter->labels && place < parameter->count)
            cli_report_more(report, CLI_TEXT(parameter->name, parameter->labels[place]));
        else cli_report_more(report, CLI_WHOLE(parameter->name, winner->config.values[p]));
    }
    cli_report_close(report);
    const hed_tune_metric *metric = t->def->metric;
    bool energy = t->def->objective == HED_OBJECTIVE_ENERGY, turns = metric && metric->maximized;
    double low = hed_report_objective(metric, turns ? winner->high : winner->low),
           high = hed_report_objective(metric, turns ? winner->low : winner->high);
    cli_report_more(report,
        CLI_NUMBER(metric   ? "value"
                   : energy ? "joules"
                            : "seconds",
            hed_report_objective(metric, winner->seconds)),
        CLI_NUMBER("low", low), CLI_NUMBER("high", high), CLI_WHOLE("runs", winner->runs),
        CLI_NUMBER("gain", r->gain),
        CLI_NUMBER("gain_over_stored", times_winner(r, r->stored_index)),
        CLI_FLAG("kept_stored", r->kept_stored), CLI_WHOLE("ties", r->ties),
        CLI_NUMBER("share", r->share));
    const hed_tune_resources *used = t->resources;
    if (used) {
        cli_report_open(report, "resources");
        cli_report_more(report, CLI_WHOLE("registers", used->kernel.registers),
            CLI_WHOLE("spill_bytes", used->kernel.spill_bytes),
            CLI_WHOLE("local_bytes", used->local_bytes),
            CLI_WHOLE("group_items", used->group_items),
            CLI_WHOLE("resident_groups", used->resident_groups));
        cli_report_close(report);
    }
    if (!t->def->metric_count) return;
    cli_report_open(report, "metrics");
    for (uint32_t i = 0; i < t->def->metric_count; i++)
        cli_report_more(report, CLI_NUMBER(t->def->metrics[i].name,
                                    hed_report_metric(&t->def->metrics[i], t->def->objective,
                                        t->result, t->result->best)));
    cli_report_close(report);
}

static void tuned_add_counters(cli_report *report, const char *key, const hed_counters *c)
{
    hed_wait order[HED_WAIT_COUNT];
    uint32_t count = hed_report_waits(c, order);
    cli_report_open(report, key);
    cli_report_more(report, CLI_NUMBER("occupancy", c->occupancy),
        CLI_NUMBER("bytes_read", c->bytes_read), CLI_NUMBER("bytes_written", c->bytes_written),
        CLI_NUMBER("cache_hits", c->cache_hits), CLI_NUMBER("memory_busy", c->memory_busy),
        CLI_NUMBER("units_busy", c->units_busy), CLI_NUMBER("conflicts", c->conflicts),
        CLI_NUMBER("issues", c->issues));
    cli_report_open_list(report, "waits");
    for (uint32_t i = 0; i < count; i++)
        cli_report_row(report, CLI_TEXT("for", hed_wait_name(order[i])),
            CLI_NUMBER("share", c->waits[order[i]]));
    cli_report_close(report);
    cli_report_close(report);
}

/* Adds the hardware counters that were requested. */
static void tuned_add_all_counters(cli_report *report, const cli_tuned *t)
{
    const hed_tune_result *r = t->result;
    if (r->has_counters) {
        cli_report_open(report, "counters");
        tuned_add_counters(report, "winner", &r->counters);
        if (isfinite(r->default_counters.occupancy))
            tuned_add_counters(report, "default", &r->default_counters);
        cli_report_close(report);
    }
    if (r->counters_reason[0])
        cli_report_more(report, CLI_TEXT("counters_reason", r->counters_reason));
}

static void tuned_add_front(cli_report *report, const cli_tuned *t)
{
    uint32_t front[MOST_FRONT], count = hed_report_front(t->result, front, MOST_FRONT);
    if (!count) return;
    cli_report_open_list(report, "front");
    for (uint32_t i = 0; i < count; i++) {
        char *config = cli_config_text(t->kernel, &t->result->evaluations[front[i]].config);
        cli_report_row(report, CLI_TEXT("configuration", config ? config : ""),
            CLI_NUMBER("times_winner", times_winner(t->result, front[i])),
            CLI_NUMBER("error", t->result->evaluations[front[i]].error));
        free(config);
    }
    cli_report_close(report);
}

/* Adds the front of time and energy. */
static void tuned_add_both(cli_report *report, const cli_tuned *t)
{
    uint32_t front[MOST_FRONT], count = hed_report_both(t->result, front, MOST_FRONT);
    bool is_energy = other_objective(t) == HED_OBJECTIVE_ENERGY;
    if (!t->def->two_objectives) return;
    cli_report_more(report, CLI_WHOLE("both_measured", hed_report_both_count(t->result)));
    cli_report_open_list(report, "front_of_time_and_energy");
    for (uint32_t i = 0; i < count; i++) {
        char *config = cli_config_text(t->kernel, &t->result->evaluations[front[i]].config);
        double value = hed_report_value(t->result, front[i]),
               other = t->result->evaluations[front[i]].second;
        cli_report_row(report, CLI_TEXT("configuration", config ? config : ""),
            CLI_NUMBER("seconds", is_energy ? value : other),
            CLI_NUMBER("joules", is_energy ? other : value));
        free(config);
    }
    cli_report_close(report);
}

hed_status cli_tuned_print_json(const cli_tuned *t, FILE *out, hed_error *error)
{
    const hed_tune_result *r = t->result;
    uint32_t counts[HED_OUTCOME_COUNT], examples[HED_OUTCOME_COUNT];
    cli_report *report = cli_report_create(true);
    cli_report_row(report, CLI_TEXT("kernel", t->kernel->name), CLI_TEXT("from", t->origin),
        CLI_TEXT("device", t->device.id), CLI_TEXT("device_name", t->device.name));
    cli_report_open(report, "problem");
    for (uint32_t i = 0; i < r->problem.count && i < t->kernel->dimension_count; i++)
        cli_report_more(report, CLI_WHOLE(t->kernel->dimensions[i], r->problem.sizes[i]));
    cli_report_close(report);
    cli_report_more(report, CLI_TEXT("math", t->def->math == HED_MATH_STRICT ? "strict" : "fast"),
        CLI_TEXT("objective", hed_report_objective_name(t->def->objective, t->def->metric)));
    if (r->best < r->count) tuned_add_winner(report, t);
    tuned_add_all_counters(report, t);
    tuned_add_front(report, t);
    tuned_add_both(report, t);
    hed_report_count(r, counts, examples);
    cli_report_open(report, "evaluations");
    for (int outcome = 0; outcome < HED_OUTCOME_COUNT; outcome++)
        cli_report_more(report, CLI_WHOLE(hed_outcome_name((hed_outcome)outcome), counts[outcome]));
    cli_report_close(report);
    cli_report_more(report, CLI_WHOLE("space", r->space),
        CLI_TEXT("end", hed_tune_end_name(r->end)), CLI_FLAG("isolated", !r->in_process));
    if (r->in_process)
        cli_report_more(report, CLI_TEXT("not_isolated_since", r->in_process_reason));
    cli_report_more(report, CLI_FLAG("checked", r->reference != HED_REFERENCE_NONE),
        CLI_TEXT("compared_with", compared_with(t)));
    if (r->reference_config.count) {
        char *text = cli_config_text(t->kernel, &r->reference_config);
        cli_report_more(report, CLI_TEXT("reference", text ? text : ""),
            CLI_TEXT("reference_reason", r->reference_reason));
        free(text);
    }
    cli_report_more(report,
        CLI_WHOLE("compared_elements", r->elements - r->unwritten - r->unsteady),
        CLI_WHOLE("unwritten_elements", r->unwritten), CLI_WHOLE("unsteady_elements", r->unsteady),
        CLI_FLAG("device_time", r->device_time), CLI_NUMBER("drift", r->drift),
        CLI_NUMBER("tuning_seconds", r->seconds));
    if (r->device_count) cli_report_open_list(report, "devices");
    for (uint32_t i = 0; i < r->device_count; i++) {
        const hed_tune_on *on = &r->devices[i];
        cli_report_row(report, CLI_TEXT("id", on->device), CLI_WHOLE("tried", on->done),
            CLI_WHOLE("failed", on->failed), CLI_NUMBER("drift", on->drift),
            CLI_NUMBER("seconds", on->seconds), CLI_FLAG("lost", on->lost),
            CLI_WHOLE("losses", on->losses), CLI_TEXT("why", on->why));
    }
    if (r->device_count) cli_report_close(report);
    if (r->kept) cli_report_more(report, CLI_TEXT("kept", t->database));
    else cli_report_more(report, CLI_TEXT("not_kept_reason", r->not_kept_reason));
    if (t->report) cli_report_more(report, CLI_TEXT("report", t->report));
    hed_status status = cli_report_print_one(report, out, error);
    cli_report_free(report);
    return status;
}
