/* Picture of a fleet's run: a plane for each robot, with its map, its path and its goal. */
#include "axes.h"
#include "subcommands.h"

#include "heddle/author.h"

#include <math.h>
#include <string.h>

static const char STYLE[] =
    "text{font-family:Helvetica,Arial,'DejaVu Sans',sans-serif;font-size:13px;fill:#374151}"
    ".title{font-size:22px;font-weight:bold;fill:#111827}.end{text-anchor:end}"
    ".small{font-size:11px;fill:#6b7280}path{fill:none}rect.frame{fill:none;stroke:#d1d5db}"
    ".went{stroke:#111827;stroke-width:1.6;stroke-linejoin:round}.last{fill:#fff;stroke:#111827;stroke-width:1.6}"
    ".goal{fill:none;stroke:#15803d;stroke-width:2}";

enum { MARGIN = 24, HEAD = 76, GAP = 10, LABEL = 18, INNER = 1180 - 2 * MARGIN, MOST_SHOWN = 256 };

/* Returns a parameter of a term before the run: the robot's, else the scene's, else the term's; NAN:
 * no such parameter. */
static double fleet_value(
    const cli_mppi_subject *subject, uint32_t robot, const char *term, const char *parameter)
{
    const hed_mppi_robot own = hed_mppi_scene_robot(subject->scene, robot);
    const hed_mppi_def *def = &subject->def;
    const struct {
        const hed_mppi_setting *settings;
        uint32_t count;
    } lists[] = {{own.settings, own.setting_count}, {def->settings, def->setting_count}};
    size_t length = strlen(term);
    for (uint32_t n = 0; n < HED_COUNT(lists); n++)
        for (uint32_t i = lists[n].count; i-- > 0;) {
            const char *name = lists[n].settings[i].name;
            if (!strncmp(name, term, length) && name[length] == '.' &&
                !strcmp(name + length + 1, parameter))
                return (double)lists[n].settings[i].value;
        }
    for (uint32_t k = 0; k < def->term_count; k++)
        for (uint32_t i = 0; i < def->terms[k].parameter_count; i++)
            if (!strcmp(def->terms[k].name, term) &&
                !strcmp(def->terms[k].parameters[i].name, parameter))
                return (double)def->terms[k].parameters[i].value;
    return NAN;
}

/* Returns the content of a robot's table of this name: its own, else the scene's; NULL: no such table. */
static const float *fleet_table(const cli_mppi_subject *subject, uint32_t robot, const char *name)
{
    const hed_mppi_robot own = hed_mppi_scene_robot(subject->scene, robot);
    for (uint32_t i = 0; i < own.table_count; i++)
        if (!strcmp(own.tables[i].name, name)) return own.tables[i].values;
    for (uint32_t i = 0; i < subject->def.table_count; i++)
        if (!strcmp(subject->def.tables[i].name, name)) return subject->def.tables[i].values;
    return NULL;
}

static const float *fleet_state(const cli_mppi_record *record, uint32_t step, uint32_t robot)
{
    return record->states + ((size_t)step * record->robots + robot) * record->def->model->states;
}

/* Sets the range of a robot's plane: its map, else its path and its goal; square. */
static void fleet_range(
    frame *f, const cli_mppi_record *record, uint32_t robot, const float *map, const double goal[2])
{
    const int32_t at[2] = {record->def->model->pose_x, record->def->model->pose_y};
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, side = 1e-3;
    if (map) frame_map_bounds(map, low, high);
    for (int axis = 0; axis < 2; axis++) {
        for (uint32_t k = 0; k <= record->done && !map; k++) {
            double value = (double)fleet_state(record, k, robot)[at[axis]];
            low[axis] = fmin(low[axis], value);
            high[axis] = fmax(high[axis], value);
        }
        if (!map && isfinite(goal[axis])) {
            low[axis] = fmin(low[axis], goal[axis]);
            high[axis] = fmax(high[axis], goal[axis]);
        }
        side = fmax(side, (high[axis] - low[axis]) * (map ? 1 : 1.2));
    }
    f->x0 = (low[0] + high[0] - side) / 2;
    f->x1 = f->x0 + side;
    f->y0 = (low[1] + high[1] - side) / 2;
    f->y1 = f->y0 + side;
}

static void fleet_draw(const cli_mppi_subject *subject, const cli_mppi_record *record,
    uint32_t robot, frame *f, svg *picture)
{
    const hed_mppi_model *model = record->def->model;
    const float *costs = fleet_table(subject, robot, "costmap"), *map = costs;
    if (!map) map = fleet_table(subject, robot, "distance");
    const double goal[2] = {
        fleet_value(subject, robot, "goal", "x"), fleet_value(subject, robot, "goal", "y")};
    fleet_range(f, record, robot, map, goal);
    svg_clip_begin(picture, f->left, f->top, f->width, f->height);
    if (map) frame_map(f, picture, map, !costs);
    svg_circle(picture, "goal", frame_x(f, goal[0]), frame_y(f, goal[1]), 5);
    svg_curve_begin(picture, "went", NULL, 0.5);
    for (uint32_t k = 0; k <= record->done; k++) {
        const float *x = fleet_state(record, k, robot);
        svg_curve_point(
            picture, frame_x(f, (double)x[model->pose_x]), frame_y(f, (double)x[model->pose_y]));
    }
    svg_curve_end(picture);
    const float *x = fleet_state(record, record->done, robot);
    svg_circle(picture, "last", frame_x(f, (double)x[model->pose_x]),
        frame_y(f, (double)x[model->pose_y]), 3.5);
    svg_clip_end(picture);
    frame_box(f, picture);
    if (record->done)
        svg_text(picture, "small", f->left, f->top + f->height + 13, "%u: cost %.3g", robot,
            (double)record->stats[(size_t)(record->done - 1) * record->robots + robot].baseline);
}

hed_status cli_mppi_fleet_picture_write(const cli_mppi_subject *subject,
    const cli_mppi_record *record, const cli_mppi_figures *figures, const hed_mppi *controller,
    const char *path, hed_error *error)
{
    const hed_mppi_def *def = record->def;
    if (def->model->pose_x < 0 || def->model->pose_y < 0)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "--plot: a picture of a fleet shows places; model %s has no pose", def->model->name);
    uint32_t shown = record->robots < MOST_SHOWN ? record->robots : MOST_SHOWN;
    uint32_t columns = (uint32_t)ceil(sqrt(shown)), rows = (shown + columns - 1) / columns;
    double side = (INNER - GAP * (columns - 1.0)) / columns;
    svg *picture = svg_open(INNER + 2 * MARGIN, HEAD + rows * (side + GAP + LABEL), STYLE);
    const char *slash = strrchr(subject->name, '/');
    svg_text(picture, "title", MARGIN, 38, "%s", slash ? slash + 1 : subject->name);
    svg_text(picture, "small", MARGIN, 60, "%u robots%s, %g s; ring: goal, circle: last place",
        record->robots, shown < record->robots ? ", of which the first 256 are shown" : "",
        record->done * (double)def->dt);
    svg_text(picture, "end", MARGIN + INNER, 28, "%u samples of %u steps of %g s for each robot",
        def->samples, def->steps, (double)def->dt);
    svg_text(picture, "end", MARGIN + INNER, 46, "a solve of all on %s: p50 %.3g ms, p99 %.3g ms",
        hed_device_describe(hed_mppi_describe(controller).device).name, figures->solve_ms.p50,
        figures->solve_ms.p99);
    for (uint32_t i = 0; i < shown; i++) {
        frame f = {.left = MARGIN + (i % columns) * (side + GAP),
            .top = HEAD + i / columns * (side + GAP + LABEL),
            .width = side,
            .height = side};
        fleet_draw(subject, record, i, &f, picture);
    }
    return svg_save(picture, path, error);
}
