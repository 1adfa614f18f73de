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
    ".robot{stroke:#7c3aed;stroke-width:1.2}.goal{fill:none;stroke:#15803d;stroke-width:2.4}.frame{fill:none;stroke:#9ca3af}"
    ".critic{stroke-width:1.6;stroke-linejoin:round}.label{font-size:12px}.end{font-size:12px;text-anchor:end}.tick{stroke:#e5e7eb}";

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

static int view_by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* 98 % quantile of a critic's costs over the cycles; 0 if its gate is always shut. */
static double view_quantile(const cli_nav2_drive *d, uint32_t critic)
{
    double *costs = malloc((d->count + 1) * sizeof *costs), result = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; costs && i < d->count; i++) {
        double cost = d->critics[i * CLI_NAV2_CRITICS + critic];
        if (cost >= 0) costs[count++] = cost;
    }
    if (count) {
        qsort(costs, count, sizeof *costs, view_by_size);
        result = costs[(uint32_t)(0.98 * (count - 1))];
    }
    free(costs);
    return result;
}

/* Height of a cost in its box, 0 to 1: logarithmic above 0.05. */
static double view_height(double cost, double largest)
{
    return 0.95 * log1p(20 * cost) / log1p(20 * largest);
}

/* Draws the critics' mean costs over time into a box, and a legend at its right. Costs above the
 * largest of the 98 % quantile, as where futures collide, are cut. */
static void view_critics(const nav2_view *v, const cli_nav2_world *w, const cli_nav2_drive *d,
    double left, double top, double width, double height)
{
    static const char *const colours[CLI_NAV2_CRITICS] = {"#1d4ed8", "#e11d48", "#15803d", "#a16207",
        "#7c3aed", "#0891b2", "#f97316", "#4b5563", "#65a30d", "#ec4899", "#0f172a", "#0d9488"};
    double largest = 1e-6, duration = d->count * w->info.period;
    for (uint32_t k = 0; k < CLI_NAV2_CRITICS && d->critic_names[k]; k++)
        largest = fmax(largest, view_quantile(d, k));
    svg_box(v->svg, "frame", left, top, width, height);
    svg_text(v->svg, "label", left, top - 8, "mean cost of each critic over the futures, logarithmic; gaps: its gate is shut");
    for (double tick = 0.1; tick < largest; tick *= 10) {
        double y = top + height * (1 - view_height(tick, largest));
        svg_line(v->svg, "tick", left, y, left + width, y);
        svg_text(v->svg, "label", left + 4, y - 3, "%g", tick);
    }
    svg_text(v->svg, "end", left + width, top + height + 16, "%.1f s", duration);
    svg_text(v->svg, "label", left, top + height + 16, "0");
    for (uint32_t k = 0; k < CLI_NAV2_CRITICS && d->critic_names[k]; k++) {
        double at = top + 12 + 19 * k;
        svg_curve_begin(v->svg, "critic", colours[k], 0);
        svg_curve_point(v->svg, left + width + 14, at);
        svg_curve_point(v->svg, left + width + 38, at);
        svg_curve_end(v->svg);
        svg_text(v->svg, "label", left + width + 44, at + 4, "%s", d->critic_names[k]);
        svg_clip_begin(v->svg, left, top, width, height);
        svg_curve_begin(v->svg, "critic", colours[k], 0);
        for (uint32_t i = 0; i < d->count; i++) {
            double cost = d->critics[i * CLI_NAV2_CRITICS + k];
            svg_curve_point(v->svg, left + width * (i + 1) / d->count,
                top + height * (1 - view_height(cost, largest)));
        }
        svg_curve_end(v->svg);
        svg_clip_end(v->svg);
    }
}

hed_status cli_nav2_picture(
    const cli_nav2_world *w, const cli_nav2_drive *d, const char *path, hed_error *error)
{
    enum { SIDE = 1100, MARGIN = 24, HEAD = 40, PANEL = 220, GAP = 40, LEGEND = 190 };
    double wide = w->grid.width * w->grid.resolution, high = w->grid.height * w->grid.resolution;
    double scale = SIDE / fmax(wide, high);
    nav2_view v = {
        svg_open(wide * scale + 2 * MARGIN, high * scale + HEAD + GAP + PANEL + MARGIN, NAV2_STYLE),
        &w->grid, scale, MARGIN, HEAD};
    svg_text(v.svg, "title", MARGIN, 26, "%s: %s after %.2f s", w->info.controller,
        d->arrived ? "arrived" : "not arrived", d->count * w->info.period);
    svg_text(v.svg, "end", v.left + wide * scale, 26, "black lethal, red within the inscribed radius, orange inflated; green the path, "
        "violet the footprint each second, blue futures");
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
    view_critics(&v, w, d, MARGIN, HEAD + high * scale + GAP, wide * scale - LEGEND, PANEL);
    return svg_save(v.svg, path, error);
}
