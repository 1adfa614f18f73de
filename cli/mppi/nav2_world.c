/* Worlds of Nav2's controller: parameter file, map, obstacles, start, goal and path. */
#include "nav2_world.h"

#include "heddle/author.h"
#include "support/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cli_nav2_is_file(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

/* Reads `count` numbers that commas separate; false if the text is something else. */
static bool world_numbers(const char *text, double *values, int count)
{
    for (int i = 0; i < count; i++) {
        char *end;
        values[i] = strtod(text, &end);
        if (end == text || !isfinite(values[i]) || *end != (i + 1 < count ? ',' : 0)) return false;
        text = end + 1;
    }
    return true;
}

static hed_status world_pose(
    const hed_arguments *a, const char *option, hed_nav2_pose *pose, hed_error *error)
{
    double values[3];
    const char *text = hed_text_of(a, option);
    if (!text) return HED_OK;
    if (!world_numbers(text, values, 3))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--%s %s: expected X,Y,YAW in metres and radians, such as 6.3,3.7,0", option, text);
    *pose = (hed_nav2_pose){values[0], values[1], values[2]};
    return HED_OK;
}

hed_status cli_nav2_world_add_discs(const hed_arguments *a, cli_nav2_world *w, hed_error *error)
{
    const char *text;
    for (uint32_t i = 0; (text = hed_text_at(a, "disc", i)); i++) {
        double disc[3];
        if (!world_numbers(text, disc, 3) || disc[2] < 0)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "--disc %s: expected X,Y,RADIUS in metres, such as 3.68,1.73,0.2", text);
        for (uint32_t y = 0; y < w->map.height; y++)
            for (uint32_t x = 0; x < w->map.width; x++) {
                double dx = w->map.x + (x + 0.5) * w->map.resolution - disc[0];
                double dy = w->map.y + (y + 0.5) * w->map.resolution - disc[1];
                if (world_length(dx, dy) <= disc[2])
                    w->map.values[(size_t)y * w->map.width + x] = 1;
            }
    }
    return hed_nav2_inflate(w->config, &w->map, w->cells, error);
}

hed_status cli_nav2_world_open(
    const hed_arguments *a, const char *file, cli_nav2_world *w, hed_error *error)
{
    const char *map = hed_text_of(a, "map");
    if (hed_nav2_config_read(file, &w->config, error) != HED_OK) return error->status;
    w->info = hed_nav2_config_describe(w->config);
    if (!map) return HED_OK;
    if (hed_mppi_map_read(map, &w->map, error) != HED_OK) return error->status;
    w->cells = malloc((size_t)w->map.width * w->map.height);
    if (!w->cells) return HED_OUT_OF_MEMORY(error, "the costs of %s", map);
    w->grid = (hed_nav2_grid){
        w->map.width, w->map.height, w->map.resolution, w->map.x, w->map.y, w->cells};
    return hed_nav2_inflate(w->config, &w->map, w->cells, error);
}

/* Reads a path: a pose in each line, "x,y" or "x,y,yaw"; a first line of names is skipped. */
static hed_status world_read_path(const char *file, cli_nav2_world *w, hed_error *error)
{
    char *text;
    size_t size, capacity = 0;
    if (hed_file_read(file, 1 << 26, &text, &size, error) != HED_OK) return error->status;
    for (size_t i = 0; i < size; i++) capacity += text[i] == '\n';
    w->path = malloc((capacity + 1) * sizeof *w->path);
    bool turns = true;
    uint32_t number = 0;
    for (char *line = text, *next; w->path && line && !hed_failed(error); line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        line[strcspn(line, "\r#")] = 0;
        double v[3] = {0};
        number++;
        if (!line[strspn(line, " \t")]) continue;
        bool has_yaw = world_numbers(line, v, 3);
        if (!has_yaw && !world_numbers(line, v, 2)) {
            if (number > 1)
                hed_fail(error, HED_ERROR_FORMAT,
                    "%s:%u: expected \"x,y,yaw\" or \"x,y\", found \"%.40s\"", file, number, line);
            continue;
        }
        turns = turns && has_yaw;
        w->path[w->path_count++] = (hed_nav2_pose){v[0], v[1], v[2]};
    }
    free(text);
    if (!w->path) return HED_OUT_OF_MEMORY(error, "the path %s", file);
    if (!hed_failed(error) && w->path_count < 2)
        hed_fail(error, HED_ERROR_FORMAT, "%s: %u poses; expected at least 2", file, w->path_count);
    for (uint32_t i = 0; !turns && i + 1 < w->path_count; i++)
        w->path[i].yaw = atan2(w->path[i + 1].y - w->path[i].y, w->path[i + 1].x - w->path[i].x);
    if (!turns && w->path_count > 1)
        w->path[w->path_count - 1].yaw = w->path[w->path_count - 2].yaw;
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status cli_nav2_world_route(const hed_arguments *a, cli_nav2_world *w, hed_error *error)
{
    const char *file = hed_text_of(a, "path");
    if (file && world_read_path(file, w, error) != HED_OK) return error->status;
    if (!file && !hed_given(a, "goal"))
        return hed_fail(error, HED_ERROR_ARGUMENT, "nowhere to go: give --goal X,Y,YAW or --path FILE");
    if (file) w->start = w->path[0];
    else w->start = (hed_nav2_pose){w->info.start[0], w->info.start[1], w->info.start[2]};
    if (world_pose(a, "start", &w->start, error) != HED_OK) return error->status;
    if (file) {
        w->goal = w->path[w->path_count - 1];
        if (hed_given(a, "goal"))
            return hed_fail(error, HED_ERROR_ARGUMENT, "--path and --goal: the path ends at its goal; give one");
        return HED_OK;
    }
    if (world_pose(a, "goal", &w->goal, error) != HED_OK) return error->status;
    if (hed_nav2_find_path(&w->grid, w->start, w->goal, &w->path, &w->path_count, error) != HED_OK)
        return error->status;
    if (w->path_count) return HED_OK;
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "no path from %g,%g to %g,%g on the map; cells nearer to an obstacle than the robot's inscribed radius are closed%s", w->start.x, w->start.y, w->goal.x, w->goal.y,
        hed_given(a, "start") || w->info.has_start ? "" : "; --start X,Y,YAW sets where the robot is");
}

void cli_nav2_world_close(cli_nav2_world *w)
{
    free(w->path);
    free(w->cells);
    hed_mppi_map_free(&w->map);
    hed_nav2_config_free(w->config);
}
