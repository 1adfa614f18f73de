/* A small writer of SVG pictures: shapes in pixels from the top left corner; a style sheet in
 * the picture's head defines the colours of their classes. */
#ifndef HED_CLI_MPPI_SVG_H
#define HED_CLI_MPPI_SVG_H

#include "support/png.h"

typedef struct svg svg;

/* Begins a picture on white. `style`: CSS. NULL: out of memory; every function here accepts
 * NULL, and svg_save() reports it. */
svg *svg_open(double width, double height, const char *style);
/* Writes the file and frees the picture; the file appears complete or not at all. Errors:
 * MEMORY, IO. */
hed_status svg_save(svg *picture, const char *path, hed_error *error);

void svg_line(svg *picture, const char *kind, double x1, double y1, double x2, double y2);
void svg_box(svg *picture, const char *kind, double x, double y, double width, double height);
void svg_circle(svg *picture, const char *kind, double x, double y, double radius);
/* Writes text at its base line; the class defines its anchor. */
void svg_text(svg *picture, const char *kind, double x, double y, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Draws an image, stretched over a box without smoothing. */
void svg_image(svg *picture, double x, double y, double width, double height,
    const hed_image *image, hed_error *error);

/* Draw a curve: begin, points, end. Points less than `min_distance` pixels from their predecessor
 * are skipped; a point that is not finite interrupts the curve. `colour` NULL: the class's. */
void svg_curve_begin(svg *picture, const char *kind, const char *colour, double min_distance);
void svg_curve_point(svg *picture, double x, double y);
void svg_curve_end(svg *picture);

/* Restricts drawing to this box until svg_clip_end(). */
void svg_clip_begin(svg *picture, double x, double y, double width, double height);
void svg_clip_end(svg *picture);

#endif
