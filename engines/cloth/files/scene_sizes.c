/* Sizes of meshes that hint at a wrong unit: a shirt in metres that is read in centimetres is 7 mm
 * wide, and its simulation takes long and means nothing. */
#include "files/cloth_scene_parts.h"
#include "support/digits.h"

#include <math.h>

#define THICKNESSES 10   /* minimum size of a garment / its thickness */
#define EDGES 4          /* maximum thickness / mean edge of a garment */
#define BODY_TALL 10     /* m: maximum height of a body */
#define BODY_SMALL 0.05  /* m: minimum size of a body */
#define GARMENT_SIZE 0.5 /* m: size of a garment for which a unit is proposed */
#define BODY_SIZE 1.7    /* m: likewise of a body */

enum { ADVICE = 128 };

/* Writes the remedy: the unit in which a mesh would have nearly the expected size. All in m. */
static const char *unit_advice(double unit, double size, double expected, char text[ADVICE])
{
    static const char *const names[] = {"m", "cm", "mm"};
    static const double metres[] = {1, 0.01, 0.001};
    int best = 0;
    double least = INFINITY; /* larger of size / expected and its inverse */
    for (int i = 0; i < 3; i++) {
        double ratio = size / unit * metres[i] / expected, off = fmax(ratio, 1 / ratio);
        if (off < least) least = off, best = i;
    }
    double factor = metres[best] / unit;
    if (size > 0 && fabs(factor - 1) > 0.01)
        snprintf(text, ADVICE, "with \"unit\": \"%s\" (drape: --unit %s) it would be %s m large",
            names[best], names[best], hed_digits(size * factor, 2).text);
    else snprintf(text, ADVICE, "\"transform\" scales a mesh of another unit");
    return text;
}

/* Computes the sides of the box around points, m; returns the longest side. */
static double box_of(const float *points, uint32_t count, double sides[3])
{
    for (int k = 0; k < 3; k++) {
        float low = points[k], high = points[k];
        for (uint32_t i = 1; i < count; i++) {
            low = fminf(low, points[3 * (size_t)i + (size_t)k]);
            high = fmaxf(high, points[3 * (size_t)i + (size_t)k]);
        }
        sides[k] = (double)high - low;
    }
    return fmax(sides[0], fmax(sides[1], sides[2]));
}

/* Sums the lengths of the sides of `count` faces of `corners` corners, m. */
static double sum_sides(
    const float *points, const uint32_t *faces, uint32_t count, uint32_t corners)
{
    double sum = 0;
    for (size_t i = 0; i < (size_t)count * corners; i++) {
        size_t next = (i + 1) % corners ? i + 1 : i + 1 - corners;
        const float *a = points + 3 * (size_t)faces[i], *b = points + 3 * (size_t)faces[next];
        double x = (double)a[0] - b[0], y = (double)a[1] - b[1], z = (double)a[2] - b[2];
        sum += sqrt(x * x + y * y + z * z);
    }
    return sum;
}

void cloth_scene_warn_of_garment_size(
    const cloth_scene_reader *reader, const cloth_scene_garment *garment)
{
    const hed_cloth_garment_def *def = &garment->def;
    double thickness = def->thickness, unit = reader->scene->unit, sides[3];
    size_t edges = 3 * (size_t)def->triangle_count + 4 * (size_t)def->quad_count;
    char advice[ADVICE];
    if (!reader->options->warn || !def->particle_count || !edges) return;
    double size = box_of(def->positions, def->particle_count, sides);
    double edge = (sum_sides(def->positions, def->triangles, def->triangle_count, 3) +
                      sum_sides(def->positions, def->quads, def->quad_count, 4)) /
                  (double)edges;
    unit_advice(unit, size, GARMENT_SIZE, advice);
    if (size < THICKNESSES * thickness)
        cloth_scene_warn(reader,
            "garment \"%s\": %s is %s m large in a unit of %s m, less than %d times its thickness "
            "of %s m: %s; a garment of this size needs a smaller \"thickness\"",
            garment->name, garment->file, hed_digits(size, 2).text, hed_digits(unit, 2).text,
            THICKNESSES, hed_digits(thickness, 2).text, advice);
    else if (edge * EDGES < thickness)
        cloth_scene_warn(reader,
            "garment \"%s\": the edges of %s are %s m long on average in a unit of %s m, less than "
            "a quarter of its thickness of %s m: %s; edges of this length need a smaller "
            "\"thickness\"",
            garment->name, garment->file, hed_digits(edge, 2).text, hed_digits(unit, 2).text,
            hed_digits(thickness, 2).text, advice);
}

void cloth_scene_warn_of_body_size(
    const cloth_scene_reader *reader, const cloth_obstacle *obstacle, const char *file)
{
    double sides[3], unit = reader->scene->unit;
    if (!reader->options->warn || !obstacle->body->vertex_count) return;
    double size = box_of(obstacle->body->rest, obstacle->body->vertex_count, sides),
           height = sides[reader->scene->def.up];
    bool is_tall = height > BODY_TALL;
    char advice[ADVICE];
    if (!is_tall && size >= BODY_SMALL) return;
    unit_advice(unit, is_tall ? height : size, BODY_SIZE, advice);
    cloth_scene_warn(reader, "%s: %s is %s m %s in a unit of %s m: %s", obstacle->name, file,
        hed_digits(is_tall ? height : size, 2).text, is_tall ? "tall" : "large",
        hed_digits(unit, 2).text, advice);
}
