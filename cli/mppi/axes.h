/* A frame with axes in a picture. */
#ifndef HED_CLI_MPPI_AXES_H
#define HED_CLI_MPPI_AXES_H

#include "svg.h"

/* Maps [x0, x1] x [y0, y1] onto a box of pixels; with `log`, y is the logarithm. */
typedef struct frame {
    double left, top, width, height;
    double x0, x1, y0, y1;
    bool log;
} frame;

double frame_x(const frame *f, double x);
double frame_y(const frame *f, double y);
/* Sets the range of y to [low, high] with a margin; not logarithmic unless `low` is above 0. */
void frame_range_y(frame *f, double low, double high);
/* Draw grid lines, with numbers to the left or, with `labels`, below; each label is followed by
 * `unit`. */
void frame_ticks_y(const frame *f, svg *picture);
void frame_ticks_x(const frame *f, svg *picture, const char *unit, bool labels);
void frame_box(const frame *f, svg *picture);

/* Computes the minimum and maximum x and y of a map's table, including the outermost cells. */
void frame_map_bounds(const float *grid, double low[2], double high[2]);
/* Draws a map in greys: dark for high costs, or for small distances from an obstacle. */
void frame_map(const frame *f, svg *picture, const float *grid, bool distance);

#endif
