/* Drawings of the demo's page, as inline SVG. */
#include "cli/demo/demo.h"

#include "heddle/synth_file.h"

#include <math.h>
#include <string.h>

/* ---- an instrument: seen from the front, depth slanted to the right and upwards ---- */

typedef struct view {
    const hed_synth_instrument *instrument;
    double low[2], high[2], scale;
} view;

enum { INSTRUMENT_WIDTH = 560, INSTRUMENT_HEIGHT = 420, MARGIN = 12 };

static void view_place(const view *v, hed_synth_entity body, double at[2])
{
    const double slant = 0.35;
    hed_synth_entity_def def = {0};
    hed_error error = {0};
    hed_synth_instrument_get(v->instrument, body, &def, &error);
    const float *p = def.as.body.position;
    at[0] = p[0] + slant * p[2];
    at[1] = p[1] + slant * p[2];
}

static void view_fit(view *v)
{
    uint32_t count = hed_synth_instrument_count(v->instrument, HED_SYNTH_BODY);
    for (int k = 0; k < 2; k++) {
        v->low[k] = INFINITY;
        v->high[k] = -INFINITY;
    }
    for (uint32_t i = 0; i < count; i++) {
        double at[2];
        view_place(v, hed_synth_instrument_at(v->instrument, HED_SYNTH_BODY, i), at);
        for (int k = 0; k < 2; k++) {
            v->low[k] = fmin(v->low[k], at[k]);
            v->high[k] = fmax(v->high[k], at[k]);
        }
    }
    v->scale = fmin((INSTRUMENT_WIDTH - 2 * MARGIN) / fmax(1e-9, v->high[0] - v->low[0]),
        (INSTRUMENT_HEIGHT - 2 * MARGIN) / fmax(1e-9, v->high[1] - v->low[1]));
}

static void view_put(FILE *page, const view *v, char letter, hed_synth_entity body)
{
    double at[2];
    view_place(v, body, at);
    fprintf(page, "%c%.1f %.1f", letter, MARGIN + (at[0] - v->low[0]) * v->scale,
        MARGIN + (v->high[1] - at[1]) * v->scale);
}

hed_status demo_draw_instrument(FILE *page, const char *path, hed_error *error)
{
    hed_synth_instrument *instrument = NULL;
    hed_synth_entity_def spring = {0};
    if (hed_synth_instrument_read(path, &instrument, error)) return error->status;
    view v = {.instrument = instrument};
    view_fit(&v);
    fprintf(page,
        "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"the instrument\">"
        "<path class=\"springs\" d=\"",
        2 * MARGIN + (v.high[0] - v.low[0]) * v.scale,
        2 * MARGIN + (v.high[1] - v.low[1]) * v.scale);
    uint32_t springs = hed_synth_instrument_count(instrument, HED_SYNTH_SPRING);
    for (uint32_t i = 0; i < springs; i++) {
        hed_synth_instrument_get(
            instrument, hed_synth_instrument_at(instrument, HED_SYNTH_SPRING, i), &spring, error);
        view_put(page, &v, 'M', spring.as.spring.from);
        view_put(page, &v, 'L', spring.as.spring.to);
    }
    fputs("\"/><path class=\"bodies\" d=\"", page);
    uint32_t bodies = hed_synth_instrument_count(instrument, HED_SYNTH_BODY);
    for (uint32_t i = 0; i < bodies; i++) {
        view_put(page, &v, 'M', hed_synth_instrument_at(instrument, HED_SYNTH_BODY, i));
        fputs("h0", page);
    }
    fputs("\"/></svg>", page);
    hed_synth_instrument_destroy(instrument);
    return error->status;
}

/* ---- a tuning: a dot for each configuration that worked, the shortest time at the bottom ---- */

enum { TUNING_WIDTH = 560, TUNING_HEIGHT = 260 };

/* The time of a result, ms; NaN: the configuration does not work. */
static double time_of(hed_json_node result)
{
    hed_json_node works = hed_json_member(result, "correctness");
    hed_json_node value =
        hed_json_member(hed_json_item(hed_json_member(result, "measurements"), 0), "value");
    return hed_json_integer(works, 0, 1) && hed_json_kind_of(value) == HED_JSON_NUMBER
               ? hed_json_number(value, 0, 1e300)
               : NAN;
}

void demo_draw_tuning(FILE *page, hed_json_node results)
{
    size_t count = hed_json_count(results), best = 0;
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < count; i++) {
        double time = time_of(hed_json_item(results, i));
        if (time < low) best = i;
        low = fmin(low, time);
        high = fmax(high, time);
    }
    double width = (TUNING_WIDTH - 2.0 * MARGIN) / fmax(1, (double)count - 1);
    double height = (TUNING_HEIGHT - 2 * MARGIN) / fmax(1e-9, log(high / low));
    fprintf(page, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"times of all configurations that were "
                  "tried\"><path class=\"tried\" d=\"",
        TUNING_WIDTH, TUNING_HEIGHT);
    for (size_t i = 0; i < count; i++) {
        double time = time_of(hed_json_item(results, i));
        if (isfinite(time))
            fprintf(page, "M%.1f %.1fh0", MARGIN + (double)i * width,
                TUNING_HEIGHT - MARGIN - height * log(time / low));
    }
    fprintf(page, "\"/><path class=\"winner\" d=\"M%.1f %dh0\"/></svg>",
        MARGIN + (double)best * width, TUNING_HEIGHT - MARGIN);
}
