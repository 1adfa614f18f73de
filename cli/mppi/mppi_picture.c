/* Picture of a run. At the top the trajectory, in the plane if the model has a pose, else each
 * state over time, with sampled futures at some moments, coloured by cost. Below, over time:
 * controls with their limits, cost, effective samples, durations of solves. */
#include "axes.h"
#include "subcommands.h"

#include "heddle/author.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char STYLE[] =
    "text{font-family:Helvetica,Arial,'DejaVu Sans',sans-serif;font-size:13px;fill:#374151}"
    ".title{font-size:22px;font-weight:bold;fill:#111827}.mid{text-anchor:middle}.end{text-anchor:end}"
    ".small{font-size:11px;fill:#6b7280}.tick{font-size:11px;fill:#6b7280;text-anchor:end}"
    ".tickx{font-size:11px;fill:#6b7280;text-anchor:middle}.name{font-size:12px;font-weight:bold;fill:#111827}"
    ".mark{font-size:11px;font-weight:bold;fill:#fff;text-anchor:middle}"
    "path,line{fill:none}rect.frame{fill:none;stroke:#d1d5db}line.grid{stroke:#9ca3af;stroke-opacity:.25}"
    "line.moment{stroke:#c7cdd6;stroke-dasharray:2 3}"
    ".went{stroke:#111827;stroke-width:2.2;stroke-linejoin:round}"
    ".series{stroke:#111827;stroke-width:1.3;stroke-linejoin:round}"
    ".second{stroke:#0d9488;stroke-width:1.1;stroke-linejoin:round}"
    ".future{stroke-width:.9;stroke-opacity:.75}.crash{stroke:#e11d48;stroke-width:.8;stroke-opacity:.55}"
    ".plan{stroke:#7c3aed;stroke-width:1.8;stroke-dasharray:5 3}.best{stroke:#1d4ed8;stroke-width:2}"
    ".goal{stroke:#15803d;stroke-width:1.6;stroke-dasharray:7 4}.goalmark{fill:none;stroke:#15803d;stroke-width:2.4}"
    ".limit{stroke:#e11d48;stroke-width:1.2;stroke-dasharray:4 3}"
    ".path{stroke:#15803d;stroke-width:5;stroke-opacity:.25}"
    ".obstacle{fill:#ea580c;fill-opacity:.22;stroke:#c2410c;stroke-width:1.2}"
    ".obstacleway{stroke:#c2410c;stroke-width:1;stroke-dasharray:2 3}"
    ".obstacleletter{font-size:11px;font-weight:bold;fill:#9a3412;text-anchor:middle}"
    ".track{fill:none;stroke:#e11d48;stroke-width:1.4}"
    ".miss{stroke:#e11d48;stroke-width:1.4}.dot{fill:#111827}.start{fill:#fff;stroke:#111827;stroke-width:2}";

enum { WIDTH = 1180, LEFT = 64, RIGHT = 24, INNER = WIDTH - LEFT - RIGHT };

/* ---- elements of the picture ---- */

typedef struct picture {
    const cli_mppi_subject *subject;
    const cli_mppi_record *record;
    const cli_mppi_figures *figures;
    const hed_mppi *controller;
    const hed_mppi_model *model;
    svg *svg;
    double seconds;                                     /* duration of the run */
    uint32_t shown[CLI_MPPI_MOST_MOMENTS], shown_count; /* moments */
    bool crashes;                                       /* true: a shown future has crashed */
} picture;

static bool is_crash(const picture *p, float cost) { return !(cost < p->record->def->crash_cost); }

static float run_state(const picture *p, uint32_t step, uint32_t state)
{
    return p->record->states[(size_t)step * p->model->states + state];
}

/* Returns state `state` at step `t` in row `row` of a moment. */
static float future_of(
    const picture *p, const cli_mppi_moment *moment, uint32_t row, uint32_t t, uint32_t state)
{
    size_t steps = p->record->def->steps + (size_t)1;
    return moment->states[((size_t)row * steps + t) * p->model->states + state];
}

static const cli_mppi_moment *moment_of(const picture *p, uint32_t i)
{
    return &p->record->moments[p->shown[i]];
}

/* Chooses up to `most` moments at even distances in the run. */
static void choose_moments(picture *p, uint32_t max_count)
{
    uint32_t count = p->record->moment_count, stride = (count + max_count - 1) / max_count;
    for (uint32_t i = 0; i < count; i += stride) p->shown[p->shown_count++] = i;
    for (uint32_t i = 0; i < p->shown_count; i++)
        for (uint32_t k = 0; k < CLI_MPPI_FUTURES && k < p->record->def->samples; k++)
            p->crashes = p->crashes || is_crash(p, p->record->moments[p->shown[i]].costs[k + 2]);
}

/* Returns the colour of a cost from 0 (cheap) to 1: blue, green, yellow, pale. */
static const char *future_colour(double share, char text[8])
{
    static const double stops[][3] = {
        {29, 78, 216}, {14, 165, 160}, {132, 190, 70}, {250, 204, 21}, {253, 224, 160}};
    double at = fmin(fmax(share, 0), 1) * (HED_COUNT(stops) - 1);
    uint32_t i = at >= HED_COUNT(stops) - 1 ? HED_COUNT(stops) - 2 : (uint32_t)at;
    int rgb[3];
    for (uint32_t c = 0; c < 3; c++)
        rgb[c] = (int)lround(stops[i][c] + (at - i) * (stops[i + 1][c] - stops[i][c]));
    snprintf(text, 8, "#%02x%02x%02x", rgb[0] & 255, rgb[1] & 255, rgb[2] & 255);
    return text;
}

typedef struct ranked {
    float cost;
    uint32_t row;
} ranked;

static int by_cost(const void *a, const void *b)
{
    float x = ((const ranked *)a)->cost, y = ((const ranked *)b)->cost;
    return (x > y) - (x < y);
}

/* Draws one future: `axis` is the vertical state; `across` is the horizontal one, or time if it
 * is negative. */
static void draw_future(const picture *p, const frame *f, const cli_mppi_moment *moment,
    uint32_t row, int across, uint32_t axis, const char *kind, const char *colour)
{
    const hed_mppi_def *def = p->record->def;
    svg_curve_begin(p->svg, kind, colour, 1.5);
    for (uint32_t t = 0; t <= def->steps; t++) {
        double x = across < 0 ? (moment->step + t) * (double)def->dt
                              : future_of(p, moment, row, t, (uint32_t)across);
        svg_curve_point(p->svg, frame_x(f, x), frame_y(f, future_of(p, moment, row, t, axis)));
    }
    svg_curve_end(p->svg);
}

/* Draws the futures of a moment, the most expensive first, so that the cheapest are on top; then
 * the best, then the plan. */
static void draw_moment(
    const picture *p, const frame *f, const cli_mppi_moment *moment, int across, uint32_t axis)
{
    ranked order[CLI_MPPI_FUTURES];
    uint32_t count = 0, finite = 0;
    char colour[8];
    for (uint32_t i = 0; i < CLI_MPPI_FUTURES && i < p->record->def->samples; i++) {
        float cost = moment->costs[i + 2];
        order[count++] = (ranked){is_crash(p, cost) ? FLT_MAX : cost, i + 2};
        finite += !is_crash(p, cost);
    }
    qsort(order, count, sizeof *order, by_cost);
    /* a strip is lower than the plane, so it shows every third only */
    for (uint32_t i = count; i-- > 0;) {
        if (across < 0 && i % 3) continue;
        bool crashed = order[i].cost == FLT_MAX;
        draw_future(p, f, moment, order[i].row, across, axis, crashed ? "crash" : "future",
            crashed ? NULL : future_colour((double)i / fmax(1, finite - 1.0), colour));
    }
    draw_future(p, f, moment, 1, across, axis, "best", NULL);
    draw_future(p, f, moment, 0, across, axis, "plan", NULL);
}

static void draw_moment_lines(const picture *p, const frame *f, bool letters)
{
    for (uint32_t i = 0; i < p->shown_count; i++) {
        double x = frame_x(f, moment_of(p, i)->step * (double)p->record->def->dt);
        svg_line(p->svg, "moment", x, f->top, x, f->top + f->height);
        if (letters) svg_text(p->svg, "tickx", x, f->top + f->height + 28, "%c", (char)('a' + i));
    }
}

/* ---- a strip: values over time ---- */

typedef struct strip {
    char name[96];
    const float *values; /* every `stride`-th, one for each step */
    size_t stride;
    uint32_t count;
    const float *second; /* another series; NULL: none */
    double limits[2];    /* dashed lines; NAN: none */
    double goal;         /* NAN: none */
    double most;         /* larger values are cut off; 0: no limit */
    bool log;
    int state; /* state whose futures are drawn; -1: no futures */
} strip;

static void range_widen(double value, double *low, double *high)
{
    if (!isfinite(value) || fabs(value) > 1e30) return;
    *low = fmin(*low, value);
    *high = fmax(*high, value);
}

/* Draws a series; with more points than pixels, the minimum and maximum of each pixel. */
static void draw_series(
    const picture *p, const frame *f, const char *kind, const strip *s, const float *values)
{
    uint32_t points_each = (uint32_t)(s->count / (2 * f->width)) + 1;
    svg_curve_begin(p->svg, kind, NULL, 0.5);
    for (uint32_t k = 0; k < s->count; k += points_each) {
        double low = INFINITY, high = -INFINITY, x;
        for (uint32_t i = k; i < k + points_each && i < s->count; i++)
            range_widen(values[i * s->stride], &low, &high);
        x = frame_x(f, k * (double)p->record->def->dt);
        svg_curve_point(p->svg, x, frame_y(f, low));
        if (high > low) svg_curve_point(p->svg, x, frame_y(f, high));
    }
    svg_curve_end(p->svg);
}

static void draw_strip(const picture *p, const strip *s, frame f, bool labels)
{
    double low = INFINITY, high = -INFINITY;
    for (uint32_t k = 0; k < s->count; k++) {
        double value = s->values[k * s->stride];
        range_widen(s->most > 0 ? fmin(value, s->most) : value, &low, &high);
        if (s->second) range_widen(s->second[k * s->stride], &low, &high);
    }
    for (int i = 0; i < 2; i++) range_widen(s->limits[i], &low, &high);
    range_widen(s->goal, &low, &high);
    /* futures widen a strip, but within limits, so that the series does not become flat */
    double most = 0.75 * (high - low) + 1e-6, least = low - most, largest = high + most;
    for (uint32_t i = 0; i < p->shown_count && s->state >= 0; i++)
        for (uint32_t t = 0; t <= p->record->def->steps; t++)
            for (uint32_t row = 0; row < 2; row++) {
                double v = future_of(p, moment_of(p, i), row, t, (uint32_t)s->state);
                range_widen(fmin(fmax(v, least), largest), &low, &high);
            }
    f.x0 = 0;
    f.x1 = p->seconds;
    f.log = s->log && low > 0 && high > 30 * low;
    frame_range_y(&f, low, high);
    frame_ticks_x(&f, p->svg, " s", labels);
    frame_ticks_y(&f, p->svg);
    draw_moment_lines(p, &f, labels);
    svg_clip_begin(p->svg, f.left, f.top, f.width, f.height);
    for (uint32_t i = 0; i < p->shown_count && s->state >= 0; i++)
        draw_moment(p, &f, moment_of(p, i), -1, (uint32_t)s->state);
    for (int i = 0; i < 2; i++)
        if (isfinite(s->limits[i]))
            svg_line(p->svg, "limit", f.left, frame_y(&f, s->limits[i]), f.left + f.width,
                frame_y(&f, s->limits[i]));
    if (isfinite(s->goal))
        svg_line(
            p->svg, "goal", f.left, frame_y(&f, s->goal), f.left + f.width, frame_y(&f, s->goal));
    if (s->second) draw_series(p, &f, "second", s, s->second);
    draw_series(p, &f, s->state >= 0 ? "went" : "series", s, s->values);
    svg_clip_end(p->svg);
    frame_box(&f, p->svg);
    svg_text(p->svg, "name", f.left + 2, f.top - 5, "%s", s->name);
}

/* Draws a column of strips with a common time axis. */
static void draw_strips(const picture *p, const strip *strips, uint32_t count, double left,
    double top, double width, double height)
{
    enum { GAP = 26 };
    double strip_height = (height - GAP * count) / count;
    for (uint32_t i = 0; i < count; i++)
        draw_strip(p, &strips[i],
            (frame){.left = left,
                .top = top + GAP + i * (strip_height + GAP),
                .width = width,
                .height = strip_height},
            i + 1 == count);
}

/* ---- strips ---- */

/* Returns the value of the controller's parameter "FIRST.SECOND"; NAN: no such parameter. */
static double value_of(const picture *p, const char *first, const char *second)
{
    char name[160];
    float value;
    snprintf(name, sizeof name, "%s.%s", first, second);
    uint32_t index = hed_mppi_parameter_find(p->controller, name);
    return index != UINT32_MAX && hed_mppi_parameter_at(p->controller, index, &value) ? value : NAN;
}

/* Returns the goal of a state in the quadratic term; NAN: none. */
static double goal_of(const picture *p, uint32_t state)
{
    char name[16], element[64];
    const char *word = cli_mppi_state_name(p->model, state, name);
    if (!p->model->state_names) snprintf(name, sizeof name, "%u", state), word = name;
    snprintf(element, sizeof element, "state.%s", word);
    if (!(value_of(p, "quadratic", element) > 0)) return NAN;
    snprintf(element, sizeof element, "goal.%s", word);
    return value_of(p, "quadratic", element);
}

static strip strip_of_state(const picture *p, uint32_t state)
{
    strip s = {.values = p->record->states + state,
        .stride = p->model->states,
        .count = p->record->done + 1,
        .limits = {NAN, NAN},
        .goal = goal_of(p, state),
        .state = (int)state};
    char name[16];
    snprintf(s.name, sizeof s.name, "%s", cli_mppi_state_name(p->model, state, name));
    return s;
}

static strip strip_of_control(const picture *p, uint32_t control)
{
    const hed_mppi_def *def = p->record->def;
    strip s = {.values = p->record->controls + control,
        .stride = p->model->controls,
        .count = p->record->done,
        .limits = {def->minimum[control] > -1e30f ? def->minimum[control] : NAN,
            def->maximum[control] < 1e30f ? def->maximum[control] : NAN},
        .goal = NAN,
        .state = -1};
    char name[16];
    snprintf(s.name, sizeof s.name, "control %s%s", cli_mppi_control_name(p->model, control, name),
        isfinite(s.limits[0]) || isfinite(s.limits[1]) ? ", with its limits" : "");
    return s;
}

/* Makes the strips of the controller's statistics. `times`: (done) durations of solves, ms. */
static uint32_t strips_of_stats(const picture *p, strip *strips, const float *times)
{
    const hed_mppi_stats *stats = p->record->stats;
    const strip plain = {.stride = sizeof *stats / sizeof(float),
        .count = p->record->done,
        .limits = {NAN, NAN},
        .goal = NAN,
        .state = -1};
    double deadline = 1e-6 * (double)p->record->meter.deadline_ns;
    uint32_t count = 0;
    float crashed = 0;
    for (uint32_t k = 0; k < p->record->done; k++) crashed = fmaxf(crashed, stats[k].crashed);
    strip *s = &strips[count++];
    *s = plain;
    snprintf(s->name, sizeof s->name, "cost: best sample (black), free energy (teal)");
    s->values = &stats->baseline;
    s->second = &stats->free_energy;
    s->log = true;
    s = &strips[count++];
    *s = plain;
    snprintf(s->name, sizeof s->name, "effective samples, of %u", p->record->def->samples);
    s->values = &stats->ess;
    s->log = true;
    s = &strips[count++];
    *s = plain;
    s->most = 5 * fmax(p->figures->solve_ms.p99, deadline);
    snprintf(s->name, sizeof s->name, "time of a solve, ms%s; at most %.3g",
        deadline > 0 ? ", and the deadline" : "", p->figures->solve_ms.maximum);
    s->values = times;
    s->stride = 1;
    s->limits[1] = deadline > 0 ? deadline : NAN;
    if (crashed > 0) {
        s = &strips[count++];
        *s = plain;
        snprintf(s->name, sizeof s->name, "share of samples that crashed");
        s->values = &stats->crashed;
    }
    return count;
}

/* ---- the plane ---- */

/* Returns the content of a table at moment `i` of the picture, or at the start if i < 0; NULL:
 * no such table. */
static const float *table_of(const picture *p, const char *name, int i, uint32_t *count)
{
    const hed_mppi_def *def = p->record->def;
    for (uint32_t t = 0; t < def->table_count; t++)
        if (!strcmp(def->tables[t].name, name)) {
            const cli_mppi_moment *moment = i < 0 ? NULL : moment_of(p, (uint32_t)i);
            bool changed = moment && moment->tables[t];
            *count = changed ? moment->table_counts[t] : def->tables[t].count;
            return changed ? moment->tables[t] : def->tables[t].values;
        }
    *count = 0;
    return NULL;
}

enum { SEGMENT = 8 }; /* same value in engines/mppi/kernels/words.h */

static void draw_path(const picture *p, const frame *f, const float *path, uint32_t count)
{
    svg_curve_begin(p->svg, "path", NULL, 0.5);
    for (const float *s = path; s + SEGMENT <= path + count; s += SEGMENT) {
        svg_curve_point(p->svg, frame_x(f, s[0]), frame_y(f, s[1]));
        svg_curve_point(p->svg, frame_x(f, s[0] + s[2]), frame_y(f, s[1] + s[3]));
    }
    svg_curve_end(p->svg);
}

/* Draws the discs at the moments of the picture, and the predicted path of each. */
static void draw_obstacles(const picture *p, const frame *f)
{
    uint32_t count;
    for (uint32_t i = 0; i < p->shown_count; i++) {
        const float *table = table_of(p, "obstacles", (int)i, &count);
        if (!table || count < 8) return;
        uint32_t discs = (uint32_t)table[0], moments = (uint32_t)table[1];
        for (uint32_t d = 0; d < discs; d++) {
            const float *disc = table + 4 + 4 * (size_t)d;
            double x = frame_x(f, disc[0]), y = frame_y(f, disc[1]);
            const float *last = disc + 4 * (size_t)discs * (moments - 1);
            bool stands = disc[0] == last[0] && disc[1] == last[1];
            if (stands && i > 0) continue;
            svg_circle(p->svg, "obstacle", x, y, (double)disc[2] * f->width / (f->x1 - f->x0));
            if (!stands) svg_text(p->svg, "obstacleletter", x, y + 4, "%c", (char)('a' + i));
            svg_curve_begin(p->svg, "obstacleway", NULL, 1);
            for (uint32_t m = 0; m < moments; m++, disc += 4 * (size_t)discs)
                svg_curve_point(p->svg, frame_x(f, disc[0]), frame_y(f, disc[1]));
            svg_curve_end(p->svg);
        }
    }
}

/* Returns the value of a parameter of the goal at a time of the run: its timeline's, else `value`. */
static double goal_at(const picture *p, const char *name, double value, double time)
{
    const hed_mppi_def *def = &p->subject->def;
    for (uint32_t i = 0; i < def->timeline_count; i++) {
        const hed_mppi_timeline *line = &def->timelines[i];
        uint32_t k = 0;
        if (strcmp(line->name, name)) continue;
        while (k < line->count && line->times[k] <= time) k++;
        if (k == 0 || k == line->count) return (double)line->values[k ? k - 1 : 0];
        double share = (time - line->times[k - 1]) / (line->times[k] - line->times[k - 1]);
        return line->values[k - 1] + share * ((double)line->values[k] - line->values[k - 1]);
    }
    return value;
}

/* Draws the way of a goal that moves during the run; returns its end. */
static void draw_moving_goal(const picture *p, const frame *f, double *x, double *y)
{
    enum { POINTS = 100 };
    double first[2] = {*x, *y};
    if (!p->subject->def.timeline_count) return;
    svg_curve_begin(p->svg, "goal", NULL, 1);
    for (int k = 0; k <= POINTS; k++) {
        *x = goal_at(p, "goal.x", first[0], k * p->seconds / POINTS);
        *y = goal_at(p, "goal.y", first[1], k * p->seconds / POINTS);
        if (isfinite(*x) && isfinite(*y)) svg_curve_point(p->svg, frame_x(f, *x), frame_y(f, *y));
    }
    svg_curve_end(p->svg);
}

static void draw_goals(const picture *p, const frame *f)
{
    double scale = f->width / (f->x1 - f->x0);
    double x = value_of(p, "goal", "x"), y = value_of(p, "goal", "y");
    double radius = value_of(p, "circle", "radius"), half = value_of(p, "circle", "half_width");
    if (!isfinite(x)) x = goal_of(p, (uint32_t)p->model->pose_x);
    if (!isfinite(y)) y = goal_of(p, (uint32_t)p->model->pose_y);
    if (!isfinite(radius)) {
        radius = value_of(p, "circle_robust", "radius");
        half = value_of(p, "circle_robust", "half_width");
    }
    for (int side = -1; side < 2; side += 2)
        svg_circle(p->svg, "track", frame_x(f, 0), frame_y(f, 0), (radius + side * half) * scale);
    draw_moving_goal(p, f, &x, &y);
    svg_circle(p->svg, "goalmark", frame_x(f, x), frame_y(f, y), 9);
    svg_circle(p->svg, "goalmark", frame_x(f, x), frame_y(f, y), 3);
}

static void plane_range(const picture *p, frame *f)
{
    uint32_t x = (uint32_t)p->model->pose_x, y = (uint32_t)p->model->pose_y;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (uint32_t k = 0; k <= p->record->done; k++) {
        range_widen(run_state(p, k, x), &low[0], &high[0]);
        range_widen(run_state(p, k, y), &low[1], &high[1]);
    }
    for (uint32_t i = 0; i < p->shown_count; i++)
        for (uint32_t t = 0; t <= p->record->def->steps; t++) {
            range_widen(future_of(p, moment_of(p, i), 1, t, x), &low[0], &high[0]);
            range_widen(future_of(p, moment_of(p, i), 1, t, y), &low[1], &high[1]);
        }
    double air = 0.06 * fmax(fmax(high[0] - low[0], high[1] - low[1]), 0.1);
    uint32_t count;
    const float *grid = table_of(p, "costmap", -1, &count);
    if (!grid) grid = table_of(p, "distance", -1, &count);
    if (grid) {
        double lowest[2], highest[2];
        frame_map_bounds(grid, lowest, highest);
        for (int axis = 0; axis < 2; axis++) {
            low[axis] = fmin(low[axis], lowest[axis]);
            high[axis] = fmax(high[axis], highest[axis]);
        }
        air = 0;
    }
    f->x0 = low[0] - air;
    f->x1 = high[0] + air;
    f->y0 = low[1] - air;
    f->y1 = high[1] + air;
}

static void draw_plane(const picture *p, const frame *f)
{
    uint32_t x = (uint32_t)p->model->pose_x, y = (uint32_t)p->model->pose_y;
    uint32_t count;
    const float *costmap = table_of(p, "costmap", -1, &count);
    const float *distance = table_of(p, "distance", -1, &count);
    if (costmap || distance) frame_map(f, p->svg, costmap ? costmap : distance, !costmap);
    frame_ticks_x(f, p->svg, "", true);
    frame_ticks_y(f, p->svg);
    svg_clip_begin(p->svg, f->left, f->top, f->width, f->height);
    const float *path = table_of(p, "path", -1, &count);
    if (path) draw_path(p, f, path, count);
    draw_goals(p, f);
    draw_obstacles(p, f);
    for (uint32_t i = 0; i < p->shown_count; i++) draw_moment(p, f, moment_of(p, i), (int)x, y);
    svg_curve_begin(p->svg, "went", NULL, 0.5);
    for (uint32_t k = 0; k <= p->record->done; k++)
        svg_curve_point(p->svg, frame_x(f, run_state(p, k, x)), frame_y(f, run_state(p, k, y)));
    svg_curve_end(p->svg);
    for (uint32_t i = 0; i < p->shown_count; i++) {
        uint32_t step = moment_of(p, i)->step;
        double mark_x = frame_x(f, run_state(p, step, x)),
               mark_y = frame_y(f, run_state(p, step, y));
        svg_circle(p->svg, "dot", mark_x, mark_y, 8);
        svg_text(p->svg, "mark", mark_x, mark_y + 4, "%c", (char)('a' + i));
    }
    uint32_t last = p->record->done;
    svg_circle(p->svg, "start", frame_x(f, run_state(p, last, x)), frame_y(f, run_state(p, last, y)), 6);
    svg_clip_end(p->svg);
    frame_box(f, p->svg);
}

/* ---- the whole ---- */

static void draw_head(const picture *p)
{
    const hed_mppi_def *def = p->record->def;
    const hed_mppi_info info = hed_mppi_describe(p->controller);
    static const char *const kinds[] = {"MPPI", "Tube-MPPI", "RMPPI"};
    const char *slash = strrchr(p->subject->name, '/');
    svg_text(p->svg, "title", LEFT, 38, "%s", slash ? slash + 1 : p->subject->name);
    svg_text(p->svg, "end", WIDTH - RIGHT, 28, "%s, %u samples of %u steps of %g s, lambda %.3g",
        kinds[def->kind], def->samples, def->steps, def->dt, def->lambda);
    svg_text(p->svg, "end", WIDTH - RIGHT, 46, "%u solves on %s: p50 %.3g ms, p99 %.3g ms",
        p->record->done, hed_device_describe(info.device).name, p->figures->solve_ms.p50,
        p->figures->solve_ms.p99);
}

static double legend_line(const picture *p, double x, double y, const char *kind, const char *text)
{
    svg_line(p->svg, kind, x, y - 4, x + 26, y - 4);
    svg_text(p->svg, "small", x + 32, y, "%s", text);
    return x + 32 + 6.2 * (double)strlen(text) + 18;
}

static void draw_legend(const picture *p, double y)
{
    double x = legend_line(p, LEFT, y, "went", "travelled");
    if (p->shown_count) {
        x = legend_line(p, x, y, "best", "best sample");
        x = legend_line(p, x, y, "plan", "plan (weighted mean)");
        char colour[8];
        for (uint32_t i = 0; i < 8; i++) {
            svg_curve_begin(p->svg, "went", future_colour(i / 7.0, colour), 0);
            svg_curve_point(p->svg, x + 5 * i, y - 4);
            svg_curve_point(p->svg, x + 5 * i + 5, y - 4);
            svg_curve_end(p->svg);
        }
        svg_text(p->svg, "small", x + 46, y, "sampled futures, cheap to expensive");
        x += 46 + 6.2 * 34 + 18;
    }
    if (p->crashes) x = legend_line(p, x, y, "crash", "crashed");
    legend_line(p, x, y, "goal", "goal, path");
}

static void draw_all(picture *p, const float *times, double top, double main, double bottom_height)
{
    uint32_t nx = p->model->states, nu = p->model->controls, count = 0;
    strip strips[HED_MPPI_MAX_STATES];
    enum { MOST_STATES = 6, MIDDLE = 70 };
    draw_head(p);
    draw_legend(p, top - 2);
    if (p->model->pose_x >= 0 && p->model->pose_y >= 0) {
        frame f = {.left = LEFT, .top = top + 20, .height = main - 50};
        plane_range(p, &f);
        double aspect = (f.x1 - f.x0) / (f.y1 - f.y0), wide = f.height * aspect;
        f.width = fmin(wide, INNER);
        f.height = f.width / aspect;
        draw_plane(p, &f);
        double left = LEFT + f.width + MIDDLE, room = WIDTH - RIGHT - left;
        for (uint32_t i = 0; i < nx && count < MOST_STATES; i++)
            if ((int32_t)i != p->model->pose_x && (int32_t)i != p->model->pose_y)
                strips[count++] = strip_of_state(p, i);
        if (room > 220 && count) draw_strips(p, strips, count, left, top, room, main - 46);
    } else {
        for (uint32_t i = 0; i < nx && count < MOST_STATES; i++)
            strips[count++] = strip_of_state(p, i);
        draw_strips(p, strips, count, LEFT, top, INNER, main - 46);
    }
    double half = (INNER - MIDDLE) / 2.0, y = top + main;
    for (count = 0; count < nu; count++) strips[count] = strip_of_control(p, count);
    draw_strips(p, strips, count, LEFT, y, half, bottom_height - 46);
    count = strips_of_stats(p, strips, times);
    draw_strips(p, strips, count, LEFT + half + MIDDLE, y, half, bottom_height - 46);
}

hed_status cli_mppi_picture_write(const cli_mppi_subject *subject, const cli_mppi_record *record,
    const cli_mppi_figures *figures, const hed_mppi *controller, const char *path, hed_error *error)
{
    picture p = {.subject = subject,
        .record = record,
        .figures = figures,
        .controller = controller,
        .model = record->def->model,
        .seconds = fmax(record->done, 1) * (double)record->def->dt};
    float *times = malloc(((size_t)record->done + 1) * sizeof *times);
    if (!times) return HED_OUT_OF_MEMORY(error, "%s", path);
    for (uint32_t k = 0; k < record->done; k++) times[k] = 1e-6f * (float)record->stats[k].solve_ns;
    choose_moments(&p, 9);
    double top = 84, main = 620, bottom_height = p.model->controls > 4 ? 540 : 440;
    p.svg = svg_open(WIDTH, top + main + bottom_height, STYLE);
    draw_all(&p, times, top, main, bottom_height);
    free(times);
    return svg_save(p.svg, path, error);
}
