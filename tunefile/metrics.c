/* Metrics of a tune file, quantities that are computed from a launch's time and energy, and the
 * objective. */
#include "tunefile/objective.h"
#include "tunefile/spec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Names of a launch; the names of the kernel come first. */
enum { OF_TIME, OF_ENERGY, OF_OPERATIONS, OF_BYTES, OF_LAUNCH };
static const char *const OF_LAUNCH_NAMES[OF_LAUNCH] = {"time", "energy", "operations", "bytes"};
enum { MOST_NAMES = HED_MAX_PARAMETERS + HED_MAX_DIMENSIONS + HED_DEVICE_CONSTANTS + OF_LAUNCH };

static uint32_t metrics_own_names(const hed_tune_file *file)
{
    return file->kernel.def.parameter_count + file->problem.count + HED_DEVICE_CONSTANTS;
}

/* ---- values ---- */

static double metrics_value(
    const hed_tune_metric *metric, const hed_config *config, double seconds, double joules)
{
    const hed_spec_metric *measure = metric->user;
    const hed_kernel_def *def = &measure->file->kernel.def;
    double values[MOST_NAMES], *of_launch = values + metrics_own_names(measure->file);
    hed_work work = {0};
    hed_spec_values(&measure->file->kernel, config, &measure->file->problem, values);
    if (def->work) def->work(def, config, &measure->file->problem, &work);
    of_launch[OF_TIME] = seconds;
    of_launch[OF_ENERGY] = joules;
    of_launch[OF_OPERATIONS] = work.operations;
    of_launch[OF_BYTES] = work.bytes;
    return hed_expression_value(measure->expression, values);
}

/* ---- reading ---- */

static void metrics_read(hed_spec_reader *reader, hed_json_node node,
    const hed_expression_names *names, const hed_allocator *allocator)
{
    hed_tune_file *file = reader->spec;
    const hed_json_node place = node;
    if (file->metric_count == HED_SPEC_METRICS) {
        hed_json_reject(node, "expected at most %d metrics", HED_SPEC_METRICS);
        return;
    }
    static const char *const words[] = {"time", "energy", "time,energy", "energy,time"};
    for (size_t i = 0; i < HED_COUNT(words); i++)
        if (strcmp(node.key, words[i]) == 0)
            hed_json_reject(node, "a metric has another name than the objective \"%s\"", words[i]);
    const char *text = hed_json_string(node);
    hed_spec_metric *measure = &file->measures[file->metric_count];
    hed_tune_metric *metric = &file->metrics[file->metric_count];
    if (!hed_spec_fine(reader)) return;
    measure->file = file;
    measure->expression = hed_spec_compile(reader, allocator, names, node, text);
    if (!measure->expression) return;
    uint32_t first = metrics_own_names(file);
    bool uses_work =
        hed_expression_uses(measure->expression, first + OF_OPERATIONS) && !file->kernel.operations;
    uses_work = uses_work ||
                (hed_expression_uses(measure->expression, first + OF_BYTES) && !file->kernel.bytes);
    if (uses_work)
        hed_json_reject(place, "\"%s\" uses the work of a launch, and \"work\" does not have it", text);
    *metric = (hed_tune_metric){.name = node.key,
        .text = text,
        .value = metrics_value,
        .uses_energy = hed_expression_uses(measure->expression, first + OF_ENERGY),
        .user = measure};
    file->metric_count++;
    hed_config config = {.count = file->kernel.def.parameter_count};
    for (uint32_t i = 0; i < config.count; i++) config.values[i] = file->kernel.parameters[i].value;
    /* better if it is higher: it falls if a launch takes more time, or, without the time, more energy */
    double usual = metrics_value(metric, &config, 1e-3, 1),
           slower = metrics_value(metric, &config, 2e-3, 1),
           costlier = metrics_value(metric, &config, 1e-3, 2);
    metric->maximized = slower != usual ? slower < usual : costlier < usual;
    if (!isfinite(usual))
        hed_json_reject(place,
            "\"%s\" has no value for a launch of 1 ms: it divides by zero, or is too large", text);
}

void hed_spec_read_metrics(hed_spec_reader *reader, hed_json_node root)
{
    hed_tune_file *file = reader->spec;
    const char *texts[MOST_NAMES];
    uint32_t measure = metrics_own_names(file);
    memcpy(texts, file->kernel.names, measure * sizeof *texts);
    memcpy(texts + measure, OF_LAUNCH_NAMES, sizeof OF_LAUNCH_NAMES);
    const hed_expression_names names = {
        texts, measure + OF_LAUNCH, file->kernel.parameters, file->kernel.def.parameter_count};
    hed_allocator allocator = hed_spec_allocator(reader);
    if (hed_json_has(root, "metrics")) HED_SPEC_EACH(at, hed_json_member(root, "metrics"))
    metrics_read(reader, at, &names, &allocator);
    if (!hed_json_has(root, "objective") || !hed_spec_fine(reader)) return;
    hed_json_node node = hed_json_member(root, "objective");
    hed_tune_def def = {.metrics = file->metrics, .metric_count = file->metric_count};
    hed_error error = {0};
    file->objective = hed_json_string(node);
    if (hed_spec_fine(reader) && hed_objective_set(&def, file->objective, &error))
        hed_json_reject(node, "%s", error.text);
}
