/* Contact of a robot with lethal cells: cells are squares, the robot is a disc or a polygon, both exact.
 * Nav2 looks at the cell below the robot's centre instead, and inflation measures from the centre of
 * one cell to the centre of another: a disc that Nav2 takes for clear can overlap a cell by as much
 * as the diagonal of a cell, less the padding. */
#include "nav2/nav2_cycle.h"

#include <math.h>

/* The robot at a pose. */
typedef struct contact_robot {
    double x, y, radius; /* disc, or circle around the polygon */
    bool is_disc;
    uint32_t count;
    const double (*corners)[2]; /* (count) */
} contact_robot;

/* A cell: the square between two corners, m. */
typedef struct contact_cell {
    double left, low, right, high;
} contact_cell;

static double contact_outside(double value, double low, double high)
{
    return value < low ? low - value : value > high ? value - high : 0;
}

/* Narrows the part [begin, end] of a segment to low <= from + t delta <= high. */
static bool contact_clip(
    double from, double delta, double low, double high, double *begin, double *end)
{
    if (delta == 0) return from > low && from < high;
    double a = (low - from) / delta, b = (high - from) / delta;
    *begin = fmax(*begin, fmin(a, b));
    *end = fmin(*end, fmax(a, b));
    return *begin < *end;
}

/* True if an edge passes through the cell, or the cell is within the outline. */
static bool contact_polygon(const contact_robot *r, const contact_cell *c)
{
    double x = 0.5 * (c->left + c->right), y = 0.5 * (c->low + c->high);
    bool inside = false;
    for (uint32_t i = 0, k = r->count - 1; i < r->count; k = i++) {
        const double *a = r->corners[k], *b = r->corners[i];
        double begin = 0, end = 1;
        if (contact_clip(a[0], b[0] - a[0], c->left, c->right, &begin, &end) &&
            contact_clip(a[1], b[1] - a[1], c->low, c->high, &begin, &end))
            return true;
        if ((a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) * (b[0] - a[0]) / (b[1] - a[1]))
            inside = !inside;
    }
    return inside;
}

/* Returns the cell of a coordinate, within 0..count - 1. */
static uint32_t contact_index(double cells, uint32_t count)
{
    return cells < 0 ? 0 : cells < count ? (uint32_t)cells : count - 1;
}

static bool contact_search(const contact_robot *r, const hed_nav2_grid *g)
{
    double x = (r->x - g->x) / g->resolution, y = (r->y - g->y) / g->resolution;
    double reach = r->radius / g->resolution;
    if (!(x + reach >= 0 && y + reach >= 0 && x - reach < g->width && y - reach < g->height))
        return false;
    uint32_t left = contact_index(x - reach, g->width), right = contact_index(x + reach, g->width);
    uint32_t low = contact_index(y - reach, g->height), high = contact_index(y + reach, g->height);
    for (uint32_t j = low; j <= high; j++) {
        const uint8_t *row = g->cells + (size_t)j * g->width, *end = row + right + 1, *cell;
        for (cell = row + left; (cell = memchr(cell, 254, (size_t)(end - cell))); cell++) {
            contact_cell c = {.left = g->x + (double)(cell - row) * g->resolution,
                .low = g->y + j * g->resolution};
            c.right = c.left + g->resolution;
            c.high = c.low + g->resolution;
            double dx = contact_outside(r->x, c.left, c.right);
            double dy = contact_outside(r->y, c.low, c.high);
            if (r->is_disc ? dx * dx + dy * dy < r->radius * r->radius : contact_polygon(r, &c))
                return true;
        }
    }
    return false;
}

bool nav2_overlaps(const nav2_settings *s, const hed_nav2_grid *grid, hed_nav2_pose pose)
{
    double corners[NAV2_MOST_VERTICES][2];
    const contact_robot r = {.x = pose.x, .y = pose.y, .radius = s->outline_radius,
        .is_disc = s->is_circle, .count = s->vertices, .corners = corners};
    double c = r.is_disc ? 1 : cos(pose.yaw), n = r.is_disc ? 0 : sin(pose.yaw);
    for (uint32_t i = 0; !r.is_disc && i < r.count; i++) {
        corners[i][0] = pose.x + s->outline[i][0] * c - s->outline[i][1] * n;
        corners[i][1] = pose.y + s->outline[i][0] * n + s->outline[i][1] * c;
    }
    return contact_search(&r, grid);
}

bool nav2_disc_overlaps(const hed_nav2_grid *grid, double x, double y, double radius)
{
    const contact_robot r = {.x = x, .y = y, .radius = radius, .is_disc = true};
    return contact_search(&r, grid);
}

uint32_t hed_nav2_corner(const hed_nav2_config *config, uint32_t index, double corner[2])
{
    if (!config || !corner) return 0;
    const nav2_settings *s = &config->settings;
    if (index < s->vertices) memcpy(corner, s->outline[index], sizeof s->outline[index]);
    return s->vertices;
}

bool hed_nav2_touches(const hed_nav2_config *config, const hed_nav2_grid *grid, hed_nav2_pose pose)
{
    if (!config || !grid) return false;
    double x = (pose.x - grid->x) / grid->resolution, y = (pose.y - grid->y) / grid->resolution;
    bool on_map = x >= 0 && y >= 0 && x < grid->width && y < grid->height;
    return !on_map || nav2_overlaps(&config->settings, grid, pose);
}
