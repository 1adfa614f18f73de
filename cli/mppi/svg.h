/* A small writer of SVG pictures: shapes in pixels from the top left corner, with classes that a
 * style sheet at the picture's head gives their colours. */
#ifndef HED_CLI_MPPI_SVG_H
#define HED_CLI_MPPI_SVG_H

#include "support/png.h"

typedef struct svg svg;

/* A picture on white. `style`: CSS. NULL: out of memory, which every function here allows and
 * svg_save() reports. */
svg *svg_open(double width, double height, const char *style);
/* Writes the file and frees the picture; it appears whole or not at all. Errors: MEMORY, IO. */
hed_status svg_save(svg *picture, const char *path, hed_error *error);

void svg_line(svg *picture, const char *kind, double x1, double y1, double x2, double y2);
void svg_box(svg *picture, const char *kind, double x, double y, double width, double height);
void svg_circle(svg *picture, const char *kind, double x, double y, double radius);
/* Text at its base line; the class says how it is anchored. */
void svg_text(svg *picture, const char *kind, double x, double y, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* An image, stretched over a box without smoothing. */
void svg_image(svg *picture, double x, double y, double width, double height,
    const hed_image *image, hed_error *error);

/* A curve: begin, points, end. Points less than `near` pixels from the one before are left out; a
 * point that is not finite interrupts the curve. `colour` NULL: the class's. */
void svg_curve_begin(svg *picture, const char *kind, const char *colour, double near);
void svg_curve_point(svg *picture, double x, double y);
void svg_curve_end(svg *picture);

/* What follows is drawn inside this box alone, until svg_clip_end(). */
void svg_clip_begin(svg *picture, double x, double y, double width, double height);
void svg_clip_end(svg *picture);

#endif
