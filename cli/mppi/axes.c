/* Frames with axes: ranges, ticks at steps of 1, 2 or 5, logarithms. */
#include "axes.h"

#include <math.h>

double frame_x(const frame *f, double x)
{
    return f->left + (x - f->x0) / (f->x1 - f->x0) * f->width;
}

double frame_y(const frame *f, double y)
{
    if (f->log) y = y > 0 ? log10(y) : f->y0;
    return f->top + f->height - (y - f->y0) / (f->y1 - f->y0) * f->height;
}

/* Returns the step, 1, 2 or 5 times a power of ten, that divides `range` into about `count`
 * parts. */
static double nice_step(double range, double count)
{
    double raw = range / count, power = pow(10, floor(log10(raw)));
    return raw <= power       ? power
           : raw <= 2 * power ? 2 * power
           : raw <= 5 * power ? 5 * power
                              : 10 * power;
}

void frame_range_y(frame *f, double low, double high)
{
    if (!(low <= high)) low = 0, high = 1;
    f->log = f->log && low > 0;
    if (f->log) low = log10(low), high = log10(high);
    double air =
        high - low > 1e-9 * (fabs(low) + 1e-9) ? 0.06 * (high - low) : 0.5 * fabs(high) + 0.5;
    f->y0 = low - air;
    f->y1 = high + air;
}

void frame_ticks_y(const frame *f, svg *picture)
{
    double step = nice_step(f->y1 - f->y0, fmax(4, f->height / 38));
    if (f->log && step < 1) step = 1;
    /* less than a whole decade: ticks at the ends */
    bool is_short = f->log && floor(f->y1) - ceil(f->y0) < 1;
    for (double v = ceil(f->y0 / step) * step; v <= f->y1 && !is_short; v += step) {
        double y = f->top + f->height - (v - f->y0) / (f->y1 - f->y0) * f->height;
        svg_line(picture, "grid", f->left, y, f->left + f->width, y);
        svg_text(picture, "tick", f->left - 6, y + 4, "%.4g",
            f->log                  ? pow(10, v)
            : fabs(v) < 1e-9 * step ? 0
                                    : v);
    }
    for (int end = 0; is_short && end < 2; end++) {
        double v = f->y0 + (end ? 0.94 : 0.06) * (f->y1 - f->y0), y = frame_y(f, pow(10, v));
        svg_line(picture, "grid", f->left, y, f->left + f->width, y);
        svg_text(picture, "tick", f->left - 6, y + 4, "%.3g", pow(10, v));
    }
}

void frame_ticks_x(const frame *f, svg *picture, const char *unit, bool labels)
{
    double step = nice_step(f->x1 - f->x0, fmax(2, f->width / 75));
    for (double v = ceil(f->x0 / step - 1e-9) * step; v <= f->x1 + 1e-9 * step; v += step) {
        double x = frame_x(f, v);
        svg_line(picture, "grid", x, f->top, x, f->top + f->height);
        if (labels)
            svg_text(picture, "tickx", x, f->top + f->height + 15, "%.4g%s",
                fabs(v) < 1e-9 * step ? 0 : v, unit);
    }
}

void frame_box(const frame *f, svg *picture)
{
    svg_box(picture, "frame", f->left, f->top, f->width, f->height);
}

/* ---- maps ---- */

enum { GRID_HEAD = 8 }; /* same value in engines/mppi/kernels/words.h */

void frame_map_bounds(const float *grid, double low[2], double high[2])
{
    for (int axis = 0; axis < 2; axis++) {
        low[axis] = grid[2 + axis] - 0.5 / (double)grid[4];
        high[axis] = low[axis] + (double)grid[axis] / (double)grid[4];
    }
}

void frame_map(const frame *f, svg *picture, const float *grid, bool distance)
{
    uint32_t width = (uint32_t)grid[0], height = (uint32_t)grid[1];
    double low[2], high[2];
    hed_image image;
    hed_error error = {0};
    if (hed_image_create(width, height, 1, &image, &error) != HED_OK) return;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            double value = grid[GRID_HEAD + (size_t)y * width + x];
            double dark = distance ? (value <= 0 ? 1 : fmax(0.35 - 0.35 * value / 0.6, 0))
                                   : fmin(fmax(value, 0), 1);
            image.pixels[(size_t)(height - 1 - y) * width + x] = (uint8_t)lround(255 - 165 * dark);
        }
    frame_map_bounds(grid, low, high);
    svg_image(picture, frame_x(f, low[0]), frame_y(f, high[1]),
        frame_x(f, high[0]) - frame_x(f, low[0]), frame_y(f, low[1]) - frame_y(f, high[1]), &image,
        &error);
    hed_image_free(&image);
}
