/* Motions of bodies in a frame, and which of these bodies are near cloth. */
#ifndef CLOTH_MOTIONS_H
#define CLOTH_MOTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum { CLOTH_NEAR_BOXES = 16 };

/* Motions of points, m, relative to `reference`. Boxes around garments: more than CLOTH_NEAR_BOXES
 * share the last one. */
typedef struct cloth_motions {
    double reference[3];
    double sum[3]; /* motions of all points, near or far */
    uint64_t count;
    double longest; /* m, motion of the bodies that are near a box */
    /* A body is swept over this many times its motion, up to its end: cloth that it carried along
     * before may be seen late. */
    double swept;
    uint32_t box_count;
    double low[CLOTH_NEAR_BOXES][3], high[CLOTH_NEAR_BOXES][3];
} cloth_motions;

/* Box of the swept points of a body or a part of it, and their longest motion. */
typedef struct cloth_sweep {
    double low[3], high[3], longest;
} cloth_sweep;

/* Adds a box around a garment. */
void cloth_motions_add_box(cloth_motions *motions, const double *low, const double *high);
/* Starts a sweep without points. */
cloth_sweep cloth_sweep_start(void);
/* Adds a point with a radius, m, to a sweep. */
void cloth_sweep_add(cloth_sweep *sweep, const cloth_motions *motions, const float *from,
    const float *to, double radius);
/* True if a sweep has longer motions than all counted ones, and meets a box. */
bool cloth_sweep_counts(const cloth_sweep *sweep, const cloth_motions *motions);
/* Counts a plane, which may be near each box that it does not face from farther than its motion. A
 * motion of it along itself moves nothing. */
void cloth_motions_add_plane(
    cloth_motions *motions, const float *from, const float *to, const float *normal);
/* Adds the motion of a point to the sum. */
static inline void cloth_motions_sum(cloth_motions *motions, const float *from, const float *to)
{
    for (int k = 0; k < 3; k++) motions->sum[k] += (double)to[k] - from[k];
    motions->count++;
}

#endif
