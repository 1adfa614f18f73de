/* Parameters of terms that change with time: timelines, evaluated after each step of the plan from the
 * controller's clock on. The processor gets a row of all parameters for each step; devices get the
 * parameters in slots alone. */
#include <math.h>
#include <string.h>

#include "model/controller.h"

/* ---- creation ---- */

/* Checks moments and values. Errors: ARGUMENT. */
static hed_status check_line(
    const char *name, const double *times, const float *values, uint32_t count, hed_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!isfinite(times[i]) || !isfinite(values[i]))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "mppi: moment %u of timeline %s is %g at %g s; expected finite numbers", i, name,
                (double)values[i], times[i]);
        if (i && !(times[i] > times[i - 1]))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "mppi: moment %u of timeline %s is at %g s, after %g s; expected times that ascend",
                i, name, times[i], times[i - 1]);
    }
    return HED_OK;
}

/* Assigns a slot to a parameter; one of an array brings the whole array. `terms`: parameters of the
 * terms from the text's own `first` on. */
static void take_slot(hed_mppi *c, uint32_t parameter)
{
    uint32_t first = parameter, count = 1;
    for (uint32_t k = 0; k < c->def.term_count; k++) {
        const hed_mppi_term *term = &c->def.terms[k];
        uint32_t at = c->texts[1 + k].first;
        for (uint32_t i = 0; i < term->parameter_count; i++) {
            int32_t length = term->parameters[i].length;
            uint32_t size = length == HED_MPPI_EACH_STATE     ? c->model.states
                            : length == HED_MPPI_EACH_CONTROL ? c->model.controls
                            : length > 0                      ? (uint32_t)length
                                                              : 1;
            if (parameter >= at && parameter < at + size) first = at, count = size;
            at += size;
        }
    }
    for (uint32_t i = first; i < first + count; i++)
        if (!c->timed.slot[i]) c->timed.slot[i] = (uint8_t)++c->timed.slots;
}

static hed_status make_line(
    hed_mppi *c, mppi_timeline *line, const hed_mppi_timeline *from, hed_error *error)
{
    uint64_t count = c->def.count;
    line->parameter = hed_mppi_parameter_find(c, from->name);
    line->capacity = from->capacity > from->count ? from->capacity : from->count;
    line->angle = from->angle;
    if (line->parameter == UINT32_MAX || line->parameter < c->texts[0].count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: timeline %s: no term has this parameter; expected one as \"goal.x\" or "
            "\"goal.weight\"",
            from->name ? from->name : "NULL");
    if (!from->count || !from->times || !from->values)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: timeline %s has no moment; expected at least 1", from->name);
    if (check_line(from->name, from->times, from->values, from->count, error)) return error->status;
    line->times = hed_arena_new(&c->arena, count * line->capacity, sizeof *line->times, error);
    line->values = hed_arena_new(&c->arena, count * line->capacity, sizeof *line->values, error);
    line->counts = hed_arena_new(&c->arena, count, sizeof *line->counts, error);
    if (hed_failed(error)) return error->status;
    for (uint64_t i = 0; i < count; i++) {
        memcpy(line->times + i * line->capacity, from->times, from->count * sizeof *line->times);
        memcpy(line->values + i * line->capacity, from->values, from->count * sizeof(float));
        line->counts[i] = from->count;
    }
    take_slot(c, line->parameter);
    return HED_OK;
}

hed_status mppi_make_timed(hed_mppi *c, hed_error *error)
{
    mppi_timed *timed = &c->timed;
    uint64_t rows = (uint64_t)c->def.count * c->def.steps;
    if (hed_failed(error)) return error->status;
    if (!c->def.timeline_count) return HED_OK;
    if (c->def.timeline_count > HED_MPPI_MAX_TIMELINES)
        return hed_fail(error, HED_ERROR_LIMIT, "mppi: %u timelines; expected at most %d",
            c->def.timeline_count, HED_MPPI_MAX_TIMELINES);
    timed->count = c->def.timeline_count;
    timed->lines = hed_arena_new(&c->arena, timed->count, sizeof *timed->lines, error);
    for (uint32_t i = 0; i < timed->count && !hed_failed(error); i++)
        make_line(c, &timed->lines[i], &c->def.timelines[i], error);
    c->def.timelines = NULL; /* copied above */
    timed->rows = hed_arena_new(&c->arena, rows * c->parameter_count, sizeof(float), error);
    timed->slot_rows = hed_arena_new(&c->arena, rows * timed->slots, sizeof(float), error);
    if (!hed_failed(error)) mppi_fill_timed(c);
    return hed_failed(error) ? error->status : HED_OK;
}

/* ---- evaluation ---- */

/* Returns a timeline's value at a time. `at`: first moment after the last time; times ascend. */
static float line_at(const mppi_timeline *line, uint32_t controller, double time, uint32_t *at)
{
    const double *times = line->times + (uint64_t)controller * line->capacity;
    const float *values = line->values + (uint64_t)controller * line->capacity;
    uint32_t count = line->counts[controller];
    while (*at < count && times[*at] <= time) (*at)++;
    if (*at == 0) return values[0];
    if (*at == count) return values[count - 1];
    double share = (time - times[*at - 1]) / (times[*at] - times[*at - 1]);
    double change = (double)values[*at] - values[*at - 1];
    if (line->angle) change = remainder(change, 6.283185307179586);
    return (float)(values[*at - 1] + share * change);
}

void mppi_fill_timed(hed_mppi *c)
{
    mppi_timed *timed = &c->timed;
    uint64_t count = c->parameter_count, steps = c->def.steps;
    if (!timed->count) return;
    for (uint32_t i = 0; i < c->def.count; i++) {
        float *rows = timed->rows + i * steps * count,
              *slots = timed->slot_rows + i * steps * timed->slots;
        for (uint64_t t = 0; t < steps; t++)
            memcpy(rows + t * count, c->parameters + i * count, count * sizeof *rows);
        for (uint32_t n = 0; n < timed->count; n++) {
            uint32_t at = 0;
            for (uint64_t t = 0; t < steps; t++)
                rows[t * count + timed->lines[n].parameter] = line_at(
                    &timed->lines[n], i, timed->time + (double)(t + 1) * (double)c->def.dt, &at);
        }
        for (uint64_t t = 0; t < steps; t++)
            for (uint64_t p = 0; p < count; p++)
                if (timed->slot[p])
                    slots[t * timed->slots + timed->slot[p] - 1] = rows[t * count + p];
    }
}

/* ---- changes ---- */

hed_status hed_mppi_set_timeline(hed_mppi *controller, uint32_t index, const char *name,
    const double *times, const float *values, uint32_t count, hed_error *error)
{
    HED_REQUIRE(controller, name, times, values);
    const hed_mppi *c = controller;
    uint32_t parameter = hed_mppi_parameter_find(c, name), n = 0;
    while (n < c->timed.count && c->timed.lines[n].parameter != parameter) n++;
    if (n == c->timed.count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: %s has no timeline; expected a parameter with one of the %u timelines of the definition",
            name, c->timed.count);
    if (index != HED_MPPI_ALL && index >= c->def.count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: timeline %s of controller %u; expected a controller below %u, or HED_MPPI_ALL",
            name, index, c->def.count);
    const mppi_timeline *line = &c->timed.lines[n];
    if (!count || count > line->capacity)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: timeline %s has %u moments; expected 1 to %u, for which it was made", name,
            count, line->capacity);
    hed_error local = {0};
    if (check_line(name, times, values, count, error ? error : &local)) return HED_ERROR_ARGUMENT;
    for (uint64_t i = 0; i < c->def.count; i++) {
        if (index != HED_MPPI_ALL && index != i) continue;
        memcpy(line->times + i * line->capacity, times, count * sizeof *times);
        memcpy(line->values + i * line->capacity, values, count * sizeof *values);
        line->counts[i] = count;
    }
    return HED_OK;
}

void hed_mppi_set_time(hed_mppi *c, double seconds)
{
    if (c && isfinite(seconds)) c->timed.time = seconds;
}

double hed_mppi_time(const hed_mppi *c) { return c ? c->timed.time : 0; }
