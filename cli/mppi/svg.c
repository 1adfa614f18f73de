/* SVG 1.1, written as text in memory. */
#include "svg.h"

#include "cli/common/base64.h"
#include "heddle/author.h"
#include "support/file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct svg {
    FILE *stream;
    char *text;
    size_t size;
    uint32_t clips;
    /* the curve */
    uint32_t points; /* since the curve's beginning or interruption */
    double last[2], min_distance;
};

svg *svg_open(double width, double height, const char *style)
{
    svg *picture = calloc(1, sizeof *picture);
    if (!picture) return NULL;
    picture->stream = open_memstream(&picture->text, &picture->size);
    if (!picture->stream) {
        free(picture);
        return NULL;
    }
    fprintf(picture->stream,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
        "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<style>%s</style>\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
        width, height, width, height, style);
    return picture;
}

hed_status svg_save(svg *picture, const char *path, hed_error *error)
{
    if (!picture) return HED_OUT_OF_MEMORY(error, "%s", path);
    fputs("</svg>\n", picture->stream);
    bool whole = !ferror(picture->stream);
    whole = fclose(picture->stream) == 0 && whole;
    hed_status status = whole ? hed_file_write(path, picture->text, picture->size, error)
                              : HED_OUT_OF_MEMORY(error, "%s", path);
    free(picture->text);
    free(picture);
    return status;
}

/* ---- shapes ---- */

void svg_line(svg *picture, const char *kind, double x1, double y1, double x2, double y2)
{
    if (picture)
        fprintf(picture->stream,
            "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", kind, x1, y1,
            x2, y2);
}

void svg_box(svg *picture, const char *kind, double x, double y, double width, double height)
{
    if (picture)
        fprintf(picture->stream,
            "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", kind, x,
            y, width, height);
}

void svg_circle(svg *picture, const char *kind, double x, double y, double radius)
{
    if (picture && isfinite(x) && isfinite(y) && isfinite(radius))
        fprintf(picture->stream, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n",
            kind, x, y, radius);
}

void svg_text(svg *picture, const char *kind, double x, double y, const char *format, ...)
{
    if (!picture) return;
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fprintf(picture->stream, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", kind, x, y);
    for (const char *c = text; *c; c++) switch (*c) {
        case '&': fputs("&amp;", picture->stream); break;
        case '<': fputs("&lt;", picture->stream); break;
        case '>': fputs("&gt;", picture->stream); break;
        default:
            if ((unsigned char)*c >= ' ') fputc(*c, picture->stream);
        }
    fputs("</text>\n", picture->stream);
}

void svg_image(svg *picture, double x, double y, double width, double height,
    const hed_image *image, hed_error *error)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (!picture || hed_png_encode(image, &bytes, &size, error) != HED_OK) return;
    fprintf(picture->stream,
        "<image x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" preserveAspectRatio=\"none\" "
        "style=\"image-rendering:pixelated\" xlink:href=\"data:image/png;base64,",
        x, y, width, height);
    cli_base64_put(picture->stream, bytes, size);
    fputs("\"/>\n", picture->stream);
    free(bytes);
}

/* ---- curves ---- */

void svg_curve_begin(svg *picture, const char *kind, const char *colour, double min_distance)
{
    if (!picture) return;
    picture->points = 0;
    picture->min_distance = min_distance;
    fprintf(picture->stream, "<path class=\"%s\"", kind);
    if (colour) fprintf(picture->stream, " style=\"stroke:%s\"", colour);
    fputs(" d=\"", picture->stream);
}

void svg_curve_point(svg *picture, double x, double y)
{
    if (!picture) return;
    bool is_finite = isfinite(x) && isfinite(y) && fabs(x) < 1e5 && fabs(y) < 1e5;
    if (!is_finite) picture->points = 0;
    double dx = x - picture->last[0], dy = y - picture->last[1]; /* hypot() would need glibc 2.35 */
    if (!is_finite || (picture->points && sqrt(dx * dx + dy * dy) < picture->min_distance)) return;
    fprintf(picture->stream, picture->points++ ? " %.1f,%.1f" : "M%.1f,%.1f", x, y);
    picture->last[0] = x;
    picture->last[1] = y;
}

void svg_curve_end(svg *picture)
{
    if (picture) fputs("\"/>\n", picture->stream);
}

/* ---- clipping ---- */

void svg_clip_begin(svg *picture, double x, double y, double width, double height)
{
    if (!picture) return;
    fprintf(picture->stream,
        "<clipPath id=\"c%u\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/></clipPath>"
        "<g clip-path=\"url(#c%u)\">\n",
        picture->clips, x, y, width, height, picture->clips);
    picture->clips++;
}

void svg_clip_end(svg *picture)
{
    if (picture) fputs("</g>\n", picture->stream);
}
