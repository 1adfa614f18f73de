/* Timelines of a scene: values of terms' parameters over time. */
#include "files/mppi_scene_parts.h"

#include <string.h>

typedef struct timeline_options {
    const double *times;
    const float *values;
    uint32_t moments, count;
    bool angle;
} timeline_options;

/* Reads ascending times; the second member is their number. */
void mppi_scene_read_times(const hed_field *field, hed_json_node array, void *at, void *user)
{
    size_t count = hed_json_count(array);
    double *times = mppi_scene_new(user, count, sizeof *times);
    for (size_t i = 0; times && i < count; i++) {
        times[i] = hed_json_number(hed_json_item(array, i), field->low, field->high);
        if (i && mppi_scene_fine(user) && !(times[i] > times[i - 1]))
            hed_json_reject(hed_json_item(array, i),
                "found %g s after %g s, expected times that ascend", times[i], times[i - 1]);
    }
    *(const double **)at = times;
    *(uint32_t *)hed_field_second(field, at) = (uint32_t)count;
}

static void timeline_read_values(const hed_field *field, hed_json_node array, void *at, void *user)
{
    size_t count = hed_json_count(array);
    float *values = mppi_scene_new(user, count, sizeof *values);
    for (size_t i = 0; values && i < count; i++)
        values[i] = (float)hed_json_number(hed_json_item(array, i), field->low, field->high);
    *(const float **)at = values;
    *(uint32_t *)hed_field_second(field, at) = (uint32_t)count;
}

static const hed_field timeline_rows[] = {
    {"times", "moments in ascending order, from the start of the run on",
        HED_AS_VECTOR(timeline_options, times, 0, -1e9, 1e9, "s"), .read = mppi_scene_read_times,
        .second = offsetof(timeline_options, moments), .required = true},
    {"values",
        "value at each moment; linear between two, constant before the first and after the last",
        HED_AS_VECTOR(timeline_options, values, 0, -HED_FIELD_ANY, HED_FIELD_ANY, NULL),
        .read = timeline_read_values, .second = offsetof(timeline_options, count),
        .required = true},
    {"angle", "between two moments by the shorter turn", HED_AS_BOOLEAN(timeline_options, angle)},
    {0},
};
static const timeline_options timeline_defaults = {0};
const hed_fields mppi_timeline_fields = {"timeline", "parameter of a term that changes with time",
    .rows = timeline_rows, .defaults = &timeline_defaults};

void mppi_scene_read_timelines(const hed_field *field, hed_json_node object, void *at, void *user)
{
    mppi_scene_reader *reader = user;
    hed_mppi_scene *scene = at;
    for (hed_json_node node = hed_json_next(object, NULL);
         mppi_scene_fine(reader) && hed_json_kind_of(node) != HED_JSON_NOTHING;
         node = hed_json_next(object, node.key)) {
        timeline_options options = timeline_defaults;
        hed_fields_read(&mppi_timeline_fields, node, &options, reader);
        if (!mppi_scene_fine(reader)) return;
        if (!options.count || options.count != options.moments)
            hed_json_reject(node, "found %u times and %u values, expected as many of each, at least 1",
                options.moments, options.count);
        else if (scene->def.timeline_count == HED_MPPI_MAX_TIMELINES)
            hed_json_reject(node, "expected at most %d timelines", HED_MPPI_MAX_TIMELINES);
        else
            scene->timelines[scene->def.timeline_count++] =
                (hed_mppi_timeline){.name = mppi_scene_text(reader, node.key),
                    .times = options.times,
                    .values = options.values,
                    .count = options.count,
                    .angle = options.angle};
    }
}
