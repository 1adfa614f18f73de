/* Picture of a run of Nav2's controller: costs of the map, path, drive, footprints, futures. */
#include "nav2_world.h"
#include "svg.h"

#include "heddle/author.h"

#include <math.h>
#include <stdlib.h>

static const char NAV2_STYLE[] =
    "text{font-family:Helvetica,Arial,'DejaVu Sans',sans-serif;font-size:13px;fill:#374151}path,line{fill:none}"
    ".path{stroke:#15803d;stroke-width:4;stroke-opacity:.35}.went{stroke:#111827;stroke-width:2.2;stroke-linejoin:round}"
    ".future{stroke:#1d4ed8;stroke-width:.8;stroke-opacity:.5}.crash{stroke:#e11d48;stroke-width:.8;stroke-opacity:.5}"
    ".robot{stroke:#7c3aed;stroke-width:1.2}.goal{fill:none;stroke:#15803d;stroke-width:2.4}.frame{fill:none;stroke:#9ca3af}";

typedef struct nav2_view {
    svg *svg;
    const hed_nav2_grid *grid;
    double scale, left, top; /* pixels of a metre; the map's corner in the picture */
} nav2_view;

static double view_x(const nav2_view *v, double x) { return v->left + (x - v->grid->x) * v->scale; }
static double view_y(const nav2_view *v, double y)
{
    return v->top + (v->grid->height * v->grid->resolution - (y - v->grid->y)) * v->scale;
}

/* Draws costs: white free, orange inflated, red within the inscribed radius, black lethal, grey
 * unknown. */
static void view_costs(const nav2_view *v, hed_error *error)
{
    const hed_nav2_grid *g = v->grid;
    hed_image image;
    if (hed_image_create(g->width, g->height, 3, &image, error) != HED_OK) return;
    for (uint32_t y = 0; y < g->height; y++)
        for (uint32_t x = 0; x < g->width; x++) {
            uint8_t cost = g->cells[(size_t)(g->height - 1 - y) * g->width + x],
                    *p = image.pixels + 3 * ((size_t)y * g->width + x);
            double share = cost / 252.0;
            const uint8_t fixed[3][3] = {{253, 186, 172}, {31, 41, 55}, {209, 213, 219}};
            for (int k = 0; k < 3; k++) {
                static const double lowest[3] = {0, 40, 110}; /* taken from white at cost 252 */
                p[k] = cost >= 253 ? fixed[cost - 253][k] : (uint8_t)(255 - lowest[k] * share);
            }
        }
    svg_image(v->svg, v->left, v->top, g->width * g->resolution * v->scale,
        g->height * g->resolution * v->scale, &image, error);
    hed_image_free(&image);
}

static void view_curve(
    const nav2_view *v, const char *kind, const hed_nav2_pose *poses, size_t stride, uint32_t count)
{
    svg_curve_begin(v->svg, kind, NULL, 1);
    for (uint32_t i = 0; i < count; i++) {
        const hed_nav2_pose *p =
            (const hed_nav2_pose *)(const void *)((const char *)poses + i * stride);
        svg_curve_point(v->svg, view_x(v, p->x), view_y(v, p->y));
    }
    svg_curve_end(v->svg);
}

static void view_robot(const nav2_view *v, const cli_nav2_world *w, hed_nav2_pose pose)
{
    double corner[2], first[2] = {0};
    double c = cos(pose.yaw), s = sin(pose.yaw);
    uint32_t count = hed_nav2_corner(w->config, 0, corner);
    svg_curve_begin(v->svg, "robot", NULL, 0);
    for (uint32_t i = 0; i <= count; i++) {
        hed_nav2_corner(w->config, i % count, corner);
        double x = pose.x + corner[0] * c - corner[1] * s,
               y = pose.y + corner[0] * s + corner[1] * c;
        if (i == 0) first[0] = x, first[1] = y;
        svg_curve_point(
            v->svg, view_x(v, i == count ? first[0] : x), view_y(v, i == count ? first[1] : y));
    }
    svg_curve_end(v->svg);
    svg_line(v->svg, "robot", view_x(v, pose.x), view_y(v, pose.y), view_x(v, pose.x + 0.2 * c),
        view_y(v, pose.y + 0.2 * s));
}

static void view_futures(const nav2_view *v, const cli_nav2_world *w, const cli_nav2_drive *d)
{
    for (uint32_t row = 0; row < d->moment_count * CLI_NAV2_FUTURES; row++) {
        const float *points = d->futures + (size_t)row * 2 * w->info.steps;
        svg_curve_begin(v->svg, d->costs[row] > 100 ? "crash" : "future", NULL, 1);
        for (uint32_t t = 0; t < w->info.steps; t++)
            svg_curve_point(
                v->svg, view_x(v, (double)points[2 * t]), view_y(v, (double)points[2 * t + 1]));
        svg_curve_end(v->svg);
    }
}

hed_status cli_nav2_picture(
    const cli_nav2_world *w, const cli_nav2_drive *d, const char *path, hed_error *error)
{
    enum { SIDE = 1100, MARGIN = 24, HEAD = 40 };
    double wide = w->grid.width * w->grid.resolution, high = w->grid.height * w->grid.resolution;
    double scale = SIDE / fmax(wide, high);
    nav2_view v = {svg_open(wide * scale + 2 * MARGIN, high * scale + HEAD + MARGIN, NAV2_STYLE),
        &w->grid, scale, MARGIN, HEAD};
    svg_text(v.svg, "title", MARGIN, 26, "%s: %s after %.2f s", w->info.controller,
        d->arrived ? "arrived" : "not arrived", d->count * w->info.period);
    view_costs(&v, error);
    svg_box(v.svg, "frame", v.left, v.top, wide * scale, high * scale);
    svg_clip_begin(v.svg, v.left, v.top, wide * scale, high * scale);
    view_curve(&v, "path", w->path, sizeof *w->path, w->path_count);
    view_futures(&v, w, d);
    view_robot(&v, w, w->start);
    for (uint32_t i = 20; i < d->count; i += 20) view_robot(&v, w, d->steps[i].pose);
    if (d->count) view_curve(&v, "went", &d->steps[0].pose, sizeof *d->steps, d->count);
    svg_circle(v.svg, "goal", view_x(&v, w->goal.x), view_y(&v, w->goal.y), 8);
    svg_clip_end(v.svg);
    return svg_save(v.svg, path, error);
}
