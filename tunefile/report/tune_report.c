/* The reports of a tuning: a page (report.html, whose script draws the JSON inside it), T4 as
 * Kernel Tuner 1.4 writes it, and CSV by RFC 4180. */
#include "heddle/author.h"
#include "heddle/tune_file.h"
#include "support/file.h"
#include "tunefile/report/report_numbers.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const hed_source hed_report_files[]; /* embedded: report.html */

enum {
    REPORT_TOP = 10,  /* number of configurations in the table of the best */
    REPORT_FRONT = 32 /* maximum number of configurations in the front of time and energy */
};

/* ---- JSON ---- */

/* The functions below that make JSON return NULL when memory runs out. They take over the values
 * that they receive; if one of these is NULL, the result is NULL. */

static json_t *number_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Returns the bytes of the UTF-8 character at `text`; 0 if it is invalid. */
static size_t character_bytes(const unsigned char *text)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (text[0] < 0x80) return 1;
    size_t bytes = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    uint32_t code = text[0] & (0x7fu >> bytes);
    if (text[0] < 0xc2 || text[0] > 0xf4) return 0;
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (text[i] & 0x3fu);
    }
    return code < smallest[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0
                                                                                          : bytes;
}

/* Converts text from outside, such as a driver's message: bytes that are not UTF-8 become '?'. NULL
 * becomes null. */
static json_t *text_json(const char *text)
{
    if (!text) return json_null();
    json_t *value = json_string(text);
    if (value) return value;
    char *copy = strdup(text);
    for (char *at = copy; at && *at;) {
        size_t bytes = character_bytes((const unsigned char *)at);
        if (!bytes) *at = '?';
        at += bytes ? bytes : 1;
    }
    value = copy ? json_string(copy) : NULL;
    free(copy);
    return value;
}

/* Appends to `list`, which becomes NULL when memory runs out. */
static void list_append(json_t **list, json_t *value)
{
    if (*list && json_array_append_new(*list, value) == 0) return;
    if (!*list) json_decref(value);
    json_decref(*list);
    *list = NULL;
}

/* Writes JSON. "<" is escaped, so that no text ends the page's element that contains it. */
static int write_json(const char *bytes, size_t size, void *writer)
{
    for (size_t begin = 0, end; begin < size; begin = end + 1) {
        const char *escape = memchr(bytes + begin, '<', size - begin);
        end = escape ? (size_t)(escape - bytes) : size;
        if (hed_file_writer_put(writer, bytes + begin, end - begin) != HED_OK ||
            (escape && hed_file_writer_put(writer, "\\u003c", 6) != HED_OK))
            return -1;
    }
    return 0;
}

/* Writes a document between two texts, `before` (before_size bytes) and `after`; takes over the
 * document. */
static hed_status write_document(const char *path, const char *before, size_t before_size,
    json_t *document, size_t flags, const char *after, hed_error *error)
{
    hed_file_writer *writer = NULL;
    hed_status status = document ? hed_file_writer_open(path, &writer, error) : HED_ERROR_MEMORY;
    bool whole = false;
    if (writer) {
        hed_file_writer_put(writer, before, before_size);
        whole = json_dump_callback(document, write_json, writer, flags) == 0;
        /* If the file has failed, commit reports it. */
        status = hed_file_writer_put(writer, after, strlen(after));
        if (whole || status) status = hed_file_writer_commit(writer, error);
        else hed_file_writer_abort(writer);
    }
    json_decref(document);
    if (!document || (writer && !whole && !status))
        status = HED_OUT_OF_MEMORY(error, "the report %s", path);
    return status;
}

/* ---- the page ---- */

/* Lists the names of each parameter and of its values. */
static json_t *parameters_json(const hed_kernel_def *kernel)
{
    json_t *list = json_array();
    for (uint32_t p = 0; p < kernel->parameter_count; p++) {
        json_t *names = json_array();
        list_append(&names, text_json(kernel->parameters[p].name));
        for (uint32_t v = 0; v < kernel->parameters[p].count; v++) {
            char number[24];
            snprintf(number, sizeof number, "%" PRId64, kernel->parameters[p].values[v]);
            const char *const *labels = kernel->parameters[p].labels;
            list_append(&names, text_json(labels ? labels[v] : number));
        }
        list_append(&list, names);
    }
    return list;
}

static json_t *problem_json(const hed_kernel_def *kernel, const hed_problem *problem)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < problem->count && i < kernel->dimension_count; i++)
        list_append(&list,
            json_pack("[o,I]", text_json(kernel->dimensions[i]), (json_int_t)problem->sizes[i]));
    return list;
}

static json_t *device_json(const hed_device_info *device)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "id",
        text_json(device->id), "name", text_json(device->name), "platform",
        text_json(device->platform), "driver", text_json(device->driver), "compute_units",
        (json_int_t)device->compute_units, "lane_width", (json_int_t)device->lane_width,
        "max_group", (json_int_t)device->max_group, "local_bytes", (json_int_t)device->local_bytes,
        "cache_bytes", (json_int_t)device->cache_bytes, "memory_bytes",
        (json_int_t)device->memory_bytes);
}

/* Describes the kernel and the settings of the tuning. */
static json_t *conditions_json(const hed_tune_report_def *def)
{
    static const char *const bounds[] = {NULL, "memory", "arithmetic"}, *const objectives[] = {
                                                                            "time", "energy",
                                                                            "metric"};
    const hed_tune_result *r = def->result;
    char counted[256], reference[512];
    hed_report_counted(r, counted, sizeof counted);
    hed_report_reference(def->kernel, r, reference, sizeof reference);
    json_t *metrics = json_array();
    for (uint32_t i = 0; i < def->metric_count; i++)
        if (&def->metrics[i] != def->metric) list_append(&metrics, text_json(def->metrics[i].name));
    return json_pack(
        "{s:o, s:o, s:b, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:b, s:b, s:b, "
        "s:s, s:b, s:s, s:b, s:b, s:s, s:s, s:s, s:s?, s:s}",
        "metrics", metrics, "metric", text_json(def->metric ? def->metric->name : NULL),
        "maximized", def->metric && def->metric->maximized, "heddle", hed_version_text(), "kernel",
        text_json(def->kernel->name), "summary", text_json(def->kernel->summary), "problem",
        problem_json(def->kernel, &r->problem), "device", device_json(def->device), "date",
        text_json(def->date), "origin", text_json(def->origin), "settings",
        text_json(def->settings), "database", text_json(def->database), "math",
        def->math == HED_MATH_STRICT ? "strict" : "fast", "objective", objectives[def->objective],
        "cold_cache", def->cold_cache, "kept", r->kept, "kept_stored", r->kept_stored,
        "not_kept_reason", r->not_kept_reason ? r->not_kept_reason : "", "in_process",
        r->in_process, "in_process_reason", r->in_process_reason ? r->in_process_reason : "",
        "checked", r->reference != HED_REFERENCE_NONE, "device_time", r->device_time, "compared",
        hed_report_compared(def->kernel, def->arguments, r), "reference", reference, "counted",
        counted, "bound", bounds[hed_report_bound(r)], "end", hed_tune_end_name(r->end));
}

/* Lists the winner's resources; null: unknown. */
static json_t *resources_json(const hed_tune_resources *r)
{
    if (!r) return json_pack("{s:n}", "resources");
    return json_pack("{s:{s:I, s:I, s:I, s:I, s:I}}", "resources", "registers",
        (json_int_t)r->kernel.registers, "spilled", (json_int_t)r->kernel.spill_bytes, "local",
        (json_int_t)r->local_bytes, "groups", (json_int_t)r->resident_groups, "items",
        (json_int_t)r->group_items);
}

/* Lists the hardware counters in words: label, winner's and default's; and the reason if they were
 * not read. */
static json_t *counters_json(const hed_tune_result *r)
{
    hed_report_counter_row rows[HED_REPORT_COUNTERS];
    uint32_t count = hed_report_counters(r, rows);
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        list_append(&list, json_pack("[s, s, s]", rows[i].label, rows[i].winner, rows[i].standard));
    return json_pack(
        "{s:o, s:o}", "counters", list, "counters_reason", text_json(r->counters_reason));
}

/* Lists the results of each device; NULL when memory runs out. */
static json_t *devices_json(const hed_tune_result *r)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < r->device_count; i++) {
        const hed_tune_on *on = &r->devices[i];
        list_append(&list,
            json_pack("{s:o, s:I, s:I, s:o, s:o, s:b, s:I, s:o}", "id", text_json(on->device),
                "tried", (json_int_t)on->done, "failed", (json_int_t)on->failed, "drift",
                number_json(on->drift), "seconds", number_json(on->seconds), "lost", on->lost,
                "losses", (json_int_t)on->losses, "why", text_json(on->why)));
    }
    return json_pack("{s:o}", "devices", list);
}

/* Lists the figures of the whole tuning; indices of evaluations that do not exist are null. */
static json_t *figures_json(const hed_kernel_def *kernel, const hed_tune_result *r)
{
    const uint32_t indices[] = {r->best, r->default_index, r->stored_index};
    uint32_t axes[2], ranked[HED_MAX_PARAMETERS];
    hed_report_choose_axes(kernel, r, axes);
    hed_report_rank(kernel, r, ranked);
    json_t *named[3], *pair = json_array(), *rank = json_array(), *importance = json_array();
    for (int i = 0; i < 3; i++)
        named[i] = indices[i] < r->count ? json_integer(indices[i]) : json_null();
    for (int i = 0; i < 2; i++)
        list_append(&pair, axes[i] < kernel->parameter_count ? json_integer(axes[i]) : json_null());
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        list_append(&rank, json_integer(ranked[i]));
        list_append(&importance, number_json(r->importance[i]));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, "
                     "s:I}",
        "best", named[0], "default", named[1], "stored", named[2], "axes", pair, "rank", rank,
        "importance", importance, "gain", number_json(r->gain), "share", number_json(r->share),
        "bandwidth", number_json(r->bandwidth), "arithmetic", number_json(r->arithmetic), "bytes",
        number_json(r->work.bytes), "operations", number_json(r->work.operations), "drift",
        number_json(r->drift), "seconds", number_json(r->seconds), "space", (json_int_t)r->space,
        "ties", (json_int_t)r->ties);
}

/* Lists every evaluation: in `configs` `digits` hexadecimal digits for the index of each
 * parameter's value, and one for the outcome; in `values` the time, or null. Then the best, and an
 * example of each failure. */
static json_t *evaluations_json(const hed_tune_report_def *def)
{
    const hed_kernel_def *kernel = def->kernel;
    const hed_tune_result *r = def->result;
    json_t *names = json_array(), *values = json_array(), *second_values = json_array(),
           *front_indices = json_array(), *top = json_array(), *failures = json_array();
    int digits = 2; /* hexadecimal digits of the largest index, and of the count of values */
    for (uint32_t p = 0; p < kernel->parameter_count; p++)
        while (kernel->parameters[p].count >> 4 * digits) digits++;
    size_t width = (size_t)digits * kernel->parameter_count + 1;
    bool has_both = hed_report_both_count(r) > 0;
    char *configs = malloc(r->count * width + 2), *at = configs;
    for (uint32_t i = 0; i < r->count && configs; i++) {
        const hed_evaluation *e = &r->evaluations[i];
        for (uint32_t p = 0; p < kernel->parameter_count; p++)
            at += snprintf(
                at, (size_t)digits + 1, "%0*x", digits, hed_report_place(kernel, &e->config, p));
        at += snprintf(at, 2, "%x", (unsigned)e->outcome);
        list_append(&values, number_json(hed_report_value(r, i)));
        if (has_both)
            list_append(&second_values, e->second > 0 ? json_real(e->second) : json_null());
    }
    uint32_t order[REPORT_TOP], counts[HED_OUTCOME_COUNT], examples[HED_OUTCOME_COUNT];
    uint32_t count = hed_report_top(r, order, REPORT_TOP);
    for (uint32_t i = 0; i < count; i++) {
        const hed_evaluation *e = &r->evaluations[order[i]];
        /* converts to the drift of the best evaluation */
        double scale = hed_report_value(r, order[i]) / e->seconds;
        json_t *metrics = json_array();
        for (uint32_t m = 0; m < def->metric_count; m++)
            if (&def->metrics[m] != def->metric)
                list_append(&metrics,
                    number_json(hed_report_metric(&def->metrics[m], def->objective, r, order[i])));
        list_append(
            &top, json_pack("{s:I, s:o, s:o, s:I, s:b, s:o}", "index", (json_int_t)order[i], "low",
                      number_json(e->low * scale), "high", number_json(e->high * scale), "runs",
                      (json_int_t)e->runs, "tied", e->tied, "metrics", metrics));
    }
    uint32_t front[REPORT_FRONT], front_count = hed_report_both(r, front, REPORT_FRONT);
    for (uint32_t i = 0; i < front_count; i++) list_append(&front_indices, json_integer(front[i]));
    hed_report_count(r, counts, examples);
    for (int outcome = 0; outcome < HED_OUTCOME_COUNT; outcome++) {
        list_append(&names, json_string(hed_outcome_name((hed_outcome)outcome)));
        if (outcome < HED_OUTCOME_INVALID || !counts[outcome]) continue;
        list_append(&failures, json_pack("{s:I, s:I, s:o}", "count", (json_int_t)counts[outcome],
                                   "example", (json_int_t)examples[outcome], "text",
                                   text_json(r->evaluations[examples[outcome]].text)));
    }
    json_t *document = json_pack("{s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "parameters",
        parameters_json(kernel), "outcomes", names, "digits", digits, "configs",
        configs ? json_stringn(configs, (size_t)(at - configs)) : NULL, "values", values, "others",
        second_values, "both", front_indices, "top", top, "failures", failures);
    free(configs);
    return document;
}

static hed_status write_page(const char *path, const hed_tune_report_def *def, hed_error *error)
{
    static const char mark[] = "@DATA@";
    const char *template = hed_report_files[0].text, *data = strstr(template, mark);
    json_t *document = conditions_json(def),
           *parts[] = {figures_json(def->kernel, def->result), evaluations_json(def),
               devices_json(def->result), resources_json(def->resources),
               counters_json(def->result)};
    for (size_t i = 0; i < HED_COUNT(parts); i++) {
        if (document && (!parts[i] || json_object_update(document, parts[i]) != 0)) {
            json_decref(document);
            document = NULL;
        }
        json_decref(parts[i]);
    }
    return write_document(path, template, (size_t)(data - template), document,
        JSON_COMPACT | JSON_REAL_PRECISION(6), data + strlen(mark), error);
}

/* ---- T4 ---- */

static const char *parameter_label(const hed_parameter_def *parameter, int64_t value)
{
    for (uint32_t i = 0; parameter->labels && i < parameter->count; i++)
        if (parameter->values[i] == value) return parameter->labels[i];
    return NULL;
}

static json_t *t4_result(
    const hed_tune_report_def *def, uint32_t index, const hed_evaluation *evaluation)
{
    static const char *const units[] = {"ms", "J", ""};
    const hed_kernel_def *kernel = def->kernel;
    hed_objective objective = def->objective;
    const char *name = hed_report_objective_name(objective, def->metric);
    /* T4's names of failures */
    static const char *const invalidities[HED_OUTCOME_COUNT] = {
        [HED_OUTCOME_MEASURED] = "correct",
        [HED_OUTCOME_DROPPED] = "correct",
        [HED_OUTCOME_INVALID] = "constraints",
        [HED_OUTCOME_BUILD] = "compile",
        [HED_OUTCOME_LAUNCH] = "runtime",
        [HED_OUTCOME_WRONG] = "correctness",
        [HED_OUTCOME_CRASHED] = "runtime",
        [HED_OUTCOME_HUNG] = "timeout",
        [HED_OUTCOME_IMPOSSIBLE] = "runtime",
    };
    json_t *configuration = json_object();
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const hed_parameter_def *parameter = &kernel->parameters[i];
        int64_t value = evaluation->config.values[i];
        const char *label = parameter_label(parameter, value);
        if (json_object_set_new(configuration, parameter->name,
                label ? json_string(label) : json_integer(value)) != 0) {
            json_decref(configuration);
            configuration = NULL;
        }
    }
    bool works = evaluation->outcome <= HED_OUTCOME_DROPPED;
    double seconds = evaluation->seconds, scale = objective == HED_OBJECTIVE_TIME ? 1e3 : 1;
    json_t *runs = isfinite(seconds) ? json_pack("[f]", seconds * scale) : json_array();
    json_t *times =
        json_pack("{s:f, s:i, s:i, s:i, s:o}", "compilation_time", evaluation->build_seconds * 1e3,
            "framework", 0, "search_algorithm", 0, "validation", 0, "runtimes", runs);
    json_t *measurements = json_array();
    list_append(&measurements,
        json_pack("{s:s, s:o, s:s}", "name", name, "value",
            works && isfinite(seconds) ? json_real(seconds * scale) : json_string("failed"), "unit",
            units[objective]));
    if (evaluation->second > 0) {
        hed_objective second = !objective ? HED_OBJECTIVE_ENERGY : HED_OBJECTIVE_TIME;
        list_append(&measurements,
            json_pack("{s:s, s:f, s:s}", "name", hed_report_objective_name(second, NULL), "value",
                evaluation->second * (second == HED_OBJECTIVE_TIME ? 1e3 : 1), "unit", units[second]));
    }
    for (uint32_t i = 0; i < def->metric_count; i++) {
        double value = hed_report_metric(&def->metrics[i], objective, def->result, index);
        if (&def->metrics[i] != def->metric && isfinite(value))
            list_append(&measurements, json_pack("{s:s, s:f, s:s}", "name", def->metrics[i].name,
                                           "value", value, "unit", ""));
    }
    return json_pack("{s:o, s:o, s:s, s:i, s:o, s:[s]}", "configuration", configuration, "times",
        times, "invalidity", invalidities[evaluation->outcome], "correctness", works,
        "measurements", measurements, "objectives", name);
}

/* An evaluation with its times as the device would have taken when the winner was measured, or with
 * the metric that is the objective. */
static hed_evaluation at_one_pace(const hed_tune_report_def *def, uint32_t index)
{
    hed_evaluation evaluation = def->result->evaluations[index];
    double value = hed_report_value(def->result, index), scale = value / evaluation.seconds;
    bool turns = def->metric && def->metric->maximized;
    double low = evaluation.low * scale, high = evaluation.high * scale;
    if (!isfinite(value)) return evaluation;
    evaluation.seconds = hed_report_objective(def->metric, value);
    evaluation.low = hed_report_objective(def->metric, turns ? high : low);
    evaluation.high = hed_report_objective(def->metric, turns ? low : high);
    return evaluation;
}

static hed_status write_t4(const char *path, const hed_tune_report_def *def, hed_error *error)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < def->result->count; i++) {
        const hed_evaluation evaluation = at_one_pace(def, i);
        list_append(&list, t4_result(def, i, &evaluation));
    }
    json_t *document = json_pack("{s:o, s:s}", "results", list, "schema_version", "1.0.0");
    return write_document(
        path, "", 0, document, JSON_INDENT(1) | JSON_REAL_PRECISION(9), "\n", error);
}

/* ---- CSV ---- */

/* Writes a field of text, in quotes if necessary, and the separator after it. */
static void csv_put(hed_file_writer *writer, const char *text, const char *end)
{
    bool quotes = strpbrk(text, ",\"\r\n") != NULL;
    if (quotes) hed_file_writer_put(writer, "\"", 1);
    for (const char *at = text; *at; at++) {
        hed_file_writer_put(writer, at, 1);
        if (*at == '"') hed_file_writer_put(writer, at, 1);
    }
    if (quotes) hed_file_writer_put(writer, "\"", 1);
    hed_file_writer_put(writer, end, strlen(end));
}

/* Writes a number, or nothing where it is unknown. */
static void csv_put_number(hed_file_writer *writer, double number)
{
    char digits[40] = "";
    if (isfinite(number)) snprintf(digits, sizeof digits, "%.9g", number);
    csv_put(writer, digits, ",");
}

static hed_status write_csv(const char *path, const hed_tune_report_def *def, hed_error *error)
{
    static const char *const columns[] = {"outcome", "value", "low", "high", "runs",
        "build_seconds", "at", "error", "recalled", "winner"};
    const hed_kernel_def *kernel = def->kernel;
    hed_file_writer *writer;
    hed_status status = hed_file_writer_open(path, &writer, error);
    if (status) return status;
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        csv_put(writer, kernel->parameters[i].name, ",");
    for (size_t i = 0; i < HED_COUNT(columns); i++) csv_put(writer, columns[i], ",");
    bool has_both = hed_report_both_count(def->result) > 0;
    if (has_both) csv_put(writer, def->objective == HED_OBJECTIVE_TIME ? "joules" : "seconds", ",");
    for (uint32_t i = 0; i < def->metric_count; i++)
        if (&def->metrics[i] != def->metric) csv_put(writer, def->metrics[i].name, ",");
    csv_put(writer, "text", "\n");
    for (uint32_t i = 0; i < def->result->count; i++) {
        const hed_evaluation evaluation = at_one_pace(def, i), *e = &evaluation;
        char digits[40];
        for (uint32_t p = 0; p < kernel->parameter_count; p++) {
            const char *label = parameter_label(&kernel->parameters[p], e->config.values[p]);
            snprintf(digits, sizeof digits, "%" PRId64, e->config.values[p]);
            csv_put(writer, label ? label : digits, ",");
        }
        csv_put(writer, hed_outcome_name(e->outcome), ",");
        const double numbers[] = {e->seconds, e->low, e->high, e->runs, e->build_seconds, e->at,
            e->error, e->recalled, i == def->result->best, e->second > 0 ? e->second : NAN};
        for (size_t n = 0; n < HED_COUNT(numbers) - !has_both; n++)
            csv_put_number(writer, numbers[n]);
        for (uint32_t m = 0; m < def->metric_count; m++)
            if (&def->metrics[m] != def->metric)
                csv_put_number(
                    writer, hed_report_metric(&def->metrics[m], def->objective, def->result, i));
        csv_put(writer, e->text, "\n");
    }
    return hed_file_writer_commit(writer, error);
}

hed_status hed_tune_report_save(
    const hed_tune_report_def *def, const char *path, hed_report_format format, hed_error *error)
{
    HED_REQUIRE(path, def);
    switch (format) {
    case HED_REPORT_T4: return write_t4(path, def, error);
    case HED_REPORT_CSV: return write_csv(path, def, error);
    default: return write_page(path, def, error);
    }
}
