/* Triangles to samples: clipping (Sutherland and Hodgman 1974), then edge functions. */
#include "raster.h"

#include "heddle/author.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SUBPIXELS = 256, /* a pixel's width */
    /* what reaches out of the picture by more than this times its size is cut off: 2^24
        * subpixels at most */
    GUARD = 2,
    MOST_CORNERS = 3 + 6
};

/* A rotated grid: no two samples in a row or a column. In subpixels. */
static const int SAMPLE_X[CLOTH_RASTER_SAMPLES] = {96, 224, 32, 160},
                 SAMPLE_Y[CLOTH_RASTER_SAMPLES] = {32, 96, 160, 224};
static const int MIDDLE = SUBPIXELS / 2;

hed_status cloth_raster_create(
    uint32_t width, uint32_t height, bool depth_alone, cloth_raster *raster, hed_error *error)
{
    *raster = (cloth_raster){
        .width = width, .height = height, .samples = depth_alone ? 1 : CLOTH_RASTER_SAMPLES};
    size_t count = (size_t)width * height * raster->samples;
    raster->depth = malloc(count * sizeof *raster->depth);
    raster->nearest = depth_alone ? NULL : malloc(count * sizeof *raster->nearest);
    if (raster->depth && (depth_alone || raster->nearest)) return HED_OK;
    cloth_raster_destroy(raster);
    return hed_fail(
        error, HED_ERROR_MEMORY, "memory ran out for a picture of %u x %u", width, height);
}

void cloth_raster_destroy(cloth_raster *raster)
{
    free(raster->depth);
    free(raster->nearest);
    *raster = (cloth_raster){0};
}

void cloth_raster_clear(cloth_raster *raster)
{
    size_t count = (size_t)raster->width * raster->height * raster->samples;
    for (size_t i = 0; i < count; i++) raster->depth[i] = 1;
    if (raster->nearest) memset(raster->nearest, 0xff, count * sizeof *raster->nearest);
}

/* ---- clipping ---- */

typedef struct corner {
    double x, y, z, w; /* clip space */
} corner;

/* How far a corner lies inside plane `plane`; below 0: outside. */
static double inside(const corner *c, int plane)
{
    switch (plane) {
    case 0: return GUARD * c->w - c->x;
    case 1: return GUARD * c->w + c->x;
    case 2: return GUARD * c->w - c->y;
    case 3: return GUARD * c->w + c->y;
    case 4: return c->w + c->z; /* near */
    default: return c->w - c->z;
    }
}

/* Cuts off what lies outside of a plane. Returns the number of corners that are left. */
static int clip(const corner *in, int count, int plane, corner *out)
{
    int made = 0;
    for (int i = 0; i < count; i++) {
        const corner *a = &in[i], *b = &in[(i + 1) % count];
        double from = inside(a, plane), to = inside(b, plane);
        if (from >= 0) out[made++] = *a;
        if ((from >= 0) == (to >= 0)) continue;
        double s = from / (from - to);
        out[made++] = (corner){a->x + s * (b->x - a->x), a->y + s * (b->y - a->y),
            a->z + s * (b->z - a->z), a->w + s * (b->w - a->w)};
    }
    return made;
}

/* ---- samples ---- */

typedef struct point {
    int64_t x, y; /* subpixels */
    double z;     /* 0 near to 1 far */
} point;

static point project(const cloth_raster *r, const corner *c)
{
    double x = (c->x / c->w + 1) * 0.5 * r->width, y = (c->y / c->w + 1) * 0.5 * r->height,
           z = (c->z / c->w + 1) * 0.5;
    return (point){(int64_t)floor(x * SUBPIXELS + 0.5), (int64_t)floor(y * SUBPIXELS + 0.5), z};
}

/* An edge from a to b: x_step x + y_step y + constant is above 0 to its left, and on it for one of
 * the two triangles that share it. */
typedef struct edge {
    int64_t x_step, y_step, constant;
} edge;

static edge edge_between(const point *a, const point *b)
{
    edge e = {a->y - b->y, b->x - a->x, 0};
    bool owns = e.x_step > 0 || (e.x_step == 0 && e.y_step < 0); /* a left edge, or a top one */
    e.constant = -(e.x_step * a->x + e.y_step * a->y) - !owns;
    return e;
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* The pixels from *low to *high that hold what lies between subpixels `least` and `most`. */
static void pixels_between(int64_t least, int64_t most, uint32_t size, int64_t *low, int64_t *high)
{
    *low = larger(least >> 8, 0);
    *high = smaller(most >> 8, (int64_t)size - 1);
}

static void fill(cloth_raster *r, const point *a, const point *b, const point *c, uint32_t number)
{
    int64_t area = (b->x - a->x) * (c->y - a->y) - (c->x - a->x) * (b->y - a->y);
    if (area == 0) return;
    if (area < 0) {
        const point *swap = b;
        b = c;
        c = swap;
        area = -area;
    }
    int64_t left, right, bottom, top;
    pixels_between(smaller(a->x, smaller(b->x, c->x)), larger(a->x, larger(b->x, c->x)), r->width,
        &left, &right);
    pixels_between(smaller(a->y, smaller(b->y, c->y)), larger(a->y, larger(b->y, c->y)), r->height,
        &bottom, &top);
    const edge edges[3] = {edge_between(a, b), edge_between(b, c), edge_between(c, a)};
    double z_x = ((b->z - a->z) * (double)(c->y - a->y) - (c->z - a->z) * (double)(b->y - a->y)) /
                 (double)area;
    double z_y = ((c->z - a->z) * (double)(b->x - a->x) - (b->z - a->z) * (double)(c->x - a->x)) /
                 (double)area;
    double bias = r->slope_bias * SUBPIXELS * fmax(fabs(z_x), fabs(z_y));
    for (int64_t y = bottom; y <= top; y++)
        for (int64_t x = left; x <= right; x++) {
            size_t at = ((size_t)y * r->width + (size_t)x) * r->samples;
            for (uint32_t s = 0; s < r->samples; s++, at++) {
                int64_t sx = x * SUBPIXELS + (r->samples == 1 ? MIDDLE : SAMPLE_X[s]),
                        sy = y * SUBPIXELS + (r->samples == 1 ? MIDDLE : SAMPLE_Y[s]);
                int64_t outside = 0;
                for (int k = 0; k < 3; k++)
                    outside |= edges[k].x_step * sx + edges[k].y_step * sy + edges[k].constant;
                if (outside < 0) continue;
                double z = a->z + z_x * (double)(sx - a->x) + z_y * (double)(sy - a->y) + bias;
                float depth = (float)(z < 0 ? 0 : z > 1 ? 1 : z);
                if (depth >= r->depth[at]) continue; /* the first of equals stays */
                r->depth[at] = depth;
                if (r->nearest) r->nearest[at] = number;
            }
        }
}

void cloth_raster_draw(cloth_raster *raster, const float m[16], const float *positions,
    const uint32_t *triangles, uint32_t triangle_count, uint32_t first)
{
    int planes = raster->clamp ? 4 : 6;
    for (uint32_t t = 0; t < triangle_count; t++) {
        corner corners[2][MOST_CORNERS];
        bool finite = true, whole = true;
        for (int c = 0; c < 3; c++) {
            const float *p = positions + 3 * (size_t)triangles[3 * (size_t)t + (size_t)c];
            double x = p[0], y = p[1], z = p[2];
            corner *out = &corners[0][c];
            *out = (corner){m[0] * x + m[4] * y + m[8] * z + m[12],
                m[1] * x + m[5] * y + m[9] * z + m[13], m[2] * x + m[6] * y + m[10] * z + m[14],
                m[3] * x + m[7] * y + m[11] * z + m[15]};
            finite = finite && isfinite(x) && isfinite(y) && isfinite(z);
            for (int plane = 0; plane < planes; plane++) whole = whole && inside(out, plane) >= 0;
        }
        if (!finite) continue;
        int count = 3, now = 0;
        for (int plane = 0; plane < planes && !whole && count; plane++, now = !now)
            count = clip(corners[now], count, plane, corners[!now]);
        point points[MOST_CORNERS];
        for (int c = 0; c < count; c++) points[c] = project(raster, &corners[now][c]);
        for (int c = 2; c < count; c++)
            fill(raster, &points[0], &points[c - 1], &points[c], first + t);
    }
}
