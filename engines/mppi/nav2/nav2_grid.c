/* Costs of a grid: inflation as Nav2's layer computes it, and the outline of a footprint. */
#include "nav2/nav2_cycle.h"

#include "heddle/author.h"

#include <math.h>
#include <stdlib.h>

int nav2_inflated_cost(const nav2_settings *s, double distance)
{
    if (distance <= s->inscribed) return 253;
    return (int)(252.0 * exp(-s->inflation.cost_scaling_factor * (distance - s->inscribed)));
}

/* Costs by offset from a lethal cell, ((reach + 1) x (reach + 1)); 0 beyond the radius. */
static void grid_kernel(const nav2_settings *s, double resolution, uint32_t reach, uint8_t *costs)
{
    for (uint32_t y = 0; y <= reach; y++)
        for (uint32_t x = 0; x <= reach; x++) {
            double cells = nav2_length(x, y), distance = cells;
            if (cells > reach) {
                costs[y * (reach + 1) + x] = 0;
                continue;
            }
            if (s->release == HED_NAV2_LYRICAL) distance = round(100 * cells) / 100;
            int cost = x + y == 0 ? 254 : nav2_inflated_cost(s, distance * resolution);
            costs[y * (reach + 1) + x] = (uint8_t)cost;
        }
}

typedef struct grid_inflation {
    uint8_t *cells;
    const uint8_t *costs; /* kernel */
    uint32_t width, height, reach;
    uint8_t unknown_from; /* smallest cost that replaces an unknown cell */
} grid_inflation;

/* Raises the costs around one lethal cell. */
static void grid_stamp(const grid_inflation *g, uint32_t x, uint32_t y)
{
    uint32_t left = x > g->reach ? x - g->reach : 0, low = y > g->reach ? y - g->reach : 0;
    for (uint32_t j = low; j < g->height && j <= y + g->reach; j++)
        for (uint32_t i = left; i < g->width && i <= x + g->reach; i++) {
            uint32_t dx = i > x ? i - x : x - i, dy = j > y ? j - y : y - j;
            uint8_t cost = g->costs[dy * (g->reach + 1) + dx],
                    *cell = &g->cells[(size_t)j * g->width + i];
            if (*cell == 255 ? cost >= g->unknown_from : cost > *cell) *cell = cost;
        }
}

/* True if all neighbours of a lethal cell are lethal: the costs around them cover its own. */
static bool grid_is_inner(const grid_inflation *g, uint32_t x, uint32_t y)
{
    if (x == 0 || y == 0 || x + 1 == g->width || y + 1 == g->height) return false;
    const uint8_t *cell = g->cells + (size_t)y * g->width + x;
    return cell[-1] == 254 && cell[1] == 254 && cell[g->width] == 254 &&
           cell[-(ptrdiff_t)g->width] == 254;
}

hed_status hed_nav2_inflate(
    const hed_nav2_config *config, const hed_mppi_map *map, uint8_t *cells, hed_error *error)
{
    HED_REQUIRE(config, map, cells);
    const nav2_settings *s = &config->settings;
    size_t count = (size_t)map->width * map->height;
    uint8_t unknown = s->costmap.track_unknown_space != 0 ? 255 : 0;
    for (size_t i = 0; i < count; i++)
        cells[i] = map->values[i] >= 1 ? 254 : map->values[i] < 0 ? unknown : 0;
    double reach = ceil(s->inflation.inflation_radius / map->resolution);
    if (s->inflation.enabled == 0 || !(reach >= 1)) return HED_OK;
    if (reach > 4096)
        return hed_fail(error, HED_ERROR_LIMIT,
            "inflation_radius is %g cells of the map; expected at largest 4096", reach);
    grid_inflation g = {.cells = cells, .width = map->width, .height = map->height,
        .reach = (uint32_t)reach, .unknown_from = s->inflation.inflate_unknown != 0 ? 1 : 253};
    size_t size = (size_t)(g.reach + 1) * (g.reach + 1);
    uint8_t *costs = hed_new(NULL, size, 1, error);
    if (!costs) return HED_OUT_OF_MEMORY(error, "the costs of a map");
    grid_kernel(s, map->resolution, g.reach, costs);
    g.costs = costs;
    for (uint32_t y = 0; y < g.height; y++)
        for (uint32_t x = 0; x < g.width; x++)
            if (cells[(size_t)y * g.width + x] == 254 && !grid_is_inner(&g, x, y))
                grid_stamp(&g, x, y);
    hed_delete(NULL, costs, size, 1);
    return HED_OK;
}

/* ---- the outline ---- */

/* Largest cost along the cells of a line (Bresenham 1965: the error term begins at half the longer
 * side, both ends belong to it); 254 ends the search. 255 stays the largest. */
static int grid_line_cost(const hed_nav2_grid *grid, int x, int y, int end_x, int end_y)
{
    int dx = abs(end_x - x), dy = abs(end_y - y), step_x = end_x >= x ? 1 : -1;
    int step_y = end_y >= y ? 1 : -1, longer = dx >= dy ? dx : dy, shorter = dx >= dy ? dy : dx;
    int largest = 0;
    for (int n = 0, error = longer / 2; n <= longer; n++) {
        int cost = grid->cells[(size_t)y * grid->width + (size_t)x];
        if (cost == 254) return 254;
        if (cost > largest) largest = cost;
        error += shorter;
        bool diagonal = error >= longer;
        if (diagonal) error -= longer;
        if (dx >= dy || diagonal) x += step_x;
        if (dx < dy || diagonal) y += step_y;
    }
    return largest;
}

int nav2_outline_cost(
    const nav2_settings *s, const hed_nav2_grid *grid, double x, double y, double yaw)
{
    double c = cos(yaw), n = sin(yaw);
    int cells[NAV2_MOST_VERTICES][2], largest = 0;
    for (uint32_t i = 0; i < s->vertices; i++) {
        double px = s->footprint[i][0], py = s->footprint[i][1];
        double column = (x + px * c - py * n - grid->x) / grid->resolution;
        double row = (y + px * n + py * c - grid->y) / grid->resolution;
        if (!(column >= 0 && row >= 0 && column < grid->width && row < grid->height)) return 254;
        cells[i][0] = (int)column;
        cells[i][1] = (int)row;
    }
    for (uint32_t i = 0; i < s->vertices; i++) {
        bool closes =
            i + 1 == s->vertices; /* the closing edge begins at the first vertex as well */
        const int *from = cells[closes ? 0 : i], *to = cells[closes ? i : i + 1];
        int cost = grid_line_cost(grid, from[0], from[1], to[0], to[1]);
        if (cost == 254) return 254;
        if (cost > largest) largest = cost;
    }
    return largest;
}
