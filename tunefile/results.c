/* Writing what a tuning gave: T4 as Kernel Tuner 1.4 writes it, and CSV by RFC 4180. */
#include "tunefile/report_page.h"

#include "support/errors.h"
#include "support/file.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *label_of(const hed_parameter_def *parameter, int64_t value)
{
    for (uint32_t i = 0; parameter->labels && i < parameter->count; i++)
        if (parameter->values[i] == value) return parameter->labels[i];
    return NULL;
}

/* ---- T4 ---- */

/* What T4 calls the ways in which a configuration can be no good. */
static const char *invalidity_of(hed_outcome outcome)
{
    switch (outcome) {
    case HED_OUTCOME_MEASURED:
    case HED_OUTCOME_DROPPED: return "correct";
    case HED_OUTCOME_INVALID: return "constraints";
    case HED_OUTCOME_BUILD: return "compile";
    case HED_OUTCOME_WRONG: return "correctness";
    case HED_OUTCOME_HUNG: return "timeout";
    default: return "runtime";
    }
}

/* Each of these takes its values over; a NULL among them is memory that ran out, and so is the
 * answer then. */

static json_t *make_configuration(const hed_kernel_def *kernel, const hed_config *config)
{
    json_t *object = json_object();
    for (uint32_t i = 0; object && i < kernel->parameter_count; i++) {
        const hed_parameter_def *parameter = &kernel->parameters[i];
        const char *label = label_of(parameter, config->values[i]);
        if (json_object_set_new(object, parameter->name,
                label ? json_string(label) : json_integer(config->values[i])) != 0) {
            json_decref(object);
            object = NULL;
        }
    }
    return object;
}

static json_t *make_times(const hed_evaluation *evaluation, double scale)
{
    json_t *runs = isfinite(evaluation->seconds) ? json_pack("[f]", evaluation->seconds * scale)
                                                 : json_array();
    return json_pack("{s:f, s:i, s:i, s:i, s:o}", "compilation_time",
        evaluation->build_seconds * 1e3, "framework", 0, "search_algorithm", 0, "validation", 0,
        "runtimes", runs);
}

static json_t *make_measurement(const char *name, double value, const char *unit)
{
    return json_pack("{s:s, s:o, s:s}", "name", name, "value",
        isfinite(value) ? json_real(value) : json_string("failed"), "unit", unit);
}

static json_t *make_result(
    const hed_kernel_def *kernel, const hed_evaluation *evaluation, hed_objective objective)
{
    static const char *const names[] = {"time", "energy", "metric"}, *const units[] = {
                                                                         "ms", "J", ""};
    bool works =
        evaluation->outcome == HED_OUTCOME_MEASURED || evaluation->outcome == HED_OUTCOME_DROPPED;
    double scale = objective == HED_OBJECTIVE_TIME ? 1e3 : 1,
           value = works ? evaluation->seconds * scale : NAN;
    return json_pack("{s:o, s:o, s:s, s:i, s:[o], s:[s]}", "configuration",
        make_configuration(kernel, &evaluation->config), "times", make_times(evaluation, scale),
        "invalidity", invalidity_of(evaluation->outcome), "correctness", works ? 1 : 0,
        "measurements", make_measurement(names[objective], value, units[objective]), "objectives",
        names[objective]);
}

static json_t *make_document(
    const hed_kernel_def *kernel, const hed_tune_result *result, hed_objective objective)
{
    json_t *list = json_array();
    for (uint32_t i = 0; list && i < result->count; i++) {
        if (json_array_append_new(list, make_result(kernel, &result->evaluations[i], objective)) !=
            0) {
            json_decref(list);
            list = NULL;
        }
    }
    return json_pack("{s:o, s:s}", "results", list, "schema_version", "1.0.0");
}

/* ---- CSV ---- */

static void put(hed_file_writer *writer, const char *text)
{
    hed_file_writer_put(writer, text, strlen(text));
}

/* A field of text, in quotes where it needs them. */
static void put_text(hed_file_writer *writer, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        put(writer, text);
        return;
    }
    put(writer, "\"");
    for (const char *at = text; *at; at++) {
        hed_file_writer_put(writer, at, 1);
        if (*at == '"') put(writer, "\"");
    }
    put(writer, "\"");
}

static void put_number(hed_file_writer *writer, double value)
{
    char digits[40] = "";
    if (isfinite(value)) snprintf(digits, sizeof digits, "%.9g", value);
    put(writer, ",");
    put(writer, digits);
}

static void put_evaluation(
    hed_file_writer *writer, const hed_kernel_def *kernel, const hed_evaluation *e, bool winner)
{
    char digits[40];
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const char *label = label_of(&kernel->parameters[i], e->config.values[i]);
        snprintf(digits, sizeof digits, "%" PRId64, e->config.values[i]);
        put_text(writer, label ? label : digits);
        put(writer, ",");
    }
    put(writer, hed_outcome_name(e->outcome));
    const double numbers[] = {e->seconds, e->low, e->high, e->runs, e->build_seconds, e->at,
        e->error, e->recalled, winner};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) put_number(writer, numbers[i]);
    put(writer, ",");
    put_text(writer, e->text);
    put(writer, "\n");
}

/* ---- files ---- */

static int put_json(const char *bytes, size_t size, void *writer)
{
    return hed_file_writer_put(writer, bytes, size) == HED_OK ? 0 : -1;
}

hed_status hed_report_write_t4(const char *path, const hed_tune_report_def *def, hed_error *error)
{
    json_t *document = make_document(def->kernel, def->result, def->objective);
    hed_file_writer *writer;
    if (!document)
        return hed_error_set(error, HED_ERROR_MEMORY, "out of memory for the results in %s", path);
    hed_status status = hed_file_writer_open(path, &writer, error);
    if (status == HED_OK && json_dump_callback(document, put_json, writer,
                                JSON_INDENT(1) | JSON_REAL_PRECISION(9)) == 0) {
        hed_file_writer_put(writer, "\n", 1);
        status = hed_file_writer_commit(writer, error);
    } else if (status == HED_OK && hed_file_writer_put(writer, "", 0) != HED_OK) {
        status = hed_file_writer_commit(writer, error); /* it explains the failure */
    } else if (status == HED_OK) {
        hed_file_writer_abort(writer);
        status =
            hed_error_set(error, HED_ERROR_MEMORY, "out of memory for the results in %s", path);
    }
    json_decref(document);
    return status;
}

hed_status hed_report_write_csv(const char *path, const hed_tune_report_def *def, hed_error *error)
{
    const hed_kernel_def *kernel = def->kernel;
    const hed_tune_result *result = def->result;
    hed_file_writer *writer;
    hed_status status = hed_file_writer_open(path, &writer, error);
    if (status != HED_OK) return status;
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        put_text(writer, kernel->parameters[i].name);
        put(writer, ",");
    }
    put(writer, "outcome,value,low,high,runs,build_seconds,at,error,recalled,winner,text\n");
    for (uint32_t i = 0; i < result->count; i++)
        put_evaluation(writer, kernel, &result->evaluations[i], i == result->best);
    return hed_file_writer_commit(writer, error);
}
