/* Motions of bodies in a frame, and which of these bodies are near cloth. */
#include "object/motions.h"

#include <math.h>
#include <string.h>

void cloth_motions_add_box(cloth_motions *motions, const double *low, const double *high)
{
    if (motions->box_count < CLOTH_NEAR_BOXES) {
        memcpy(motions->low[motions->box_count], low, sizeof motions->low[0]);
        memcpy(motions->high[motions->box_count++], high, sizeof motions->high[0]);
        return;
    }
    for (int k = 0; k < 3; k++) {
        double *last_low = &motions->low[CLOTH_NEAR_BOXES - 1][k],
               *last_high = &motions->high[CLOTH_NEAR_BOXES - 1][k];
        *last_low = fmin(*last_low, low[k]);
        *last_high = fmax(*last_high, high[k]);
    }
}

cloth_sweep cloth_sweep_start(void)
{
    return (cloth_sweep){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0.0};
}

void cloth_sweep_add(cloth_sweep *sweep, const cloth_motions *motions, const float *from,
    const float *to, double radius)
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double motion = (double)to[k] - from[k] - motions->reference[k],
               begin = to[k] - motions->swept * motion;
        double low = (begin < to[k] ? begin : to[k]) - radius,
               high = (begin > to[k] ? begin : to[k]) + radius;
        if (low < sweep->low[k]) sweep->low[k] = low;
        if (high > sweep->high[k]) sweep->high[k] = high;
        square += motion * motion;
    }
    if (square > sweep->longest * sweep->longest) sweep->longest = sqrt(square);
}

bool cloth_sweep_counts(const cloth_sweep *sweep, const cloth_motions *motions)
{
    bool meets = false;
    if (sweep->longest <= motions->longest) return false;
    for (uint32_t b = 0; b < motions->box_count && !meets; b++) {
        meets = true;
        for (int k = 0; k < 3; k++)
            meets &= sweep->low[k] <= motions->high[b][k] && sweep->high[k] >= motions->low[b][k];
    }
    return meets;
}

void cloth_motions_add_plane(
    cloth_motions *motions, const float *from, const float *to, const float *normal)
{
    double rise = 0;
    for (int k = 0; k < 3; k++)
        rise += ((double)to[k] - from[k] - motions->reference[k]) * normal[k];
    bool meets = false;
    for (uint32_t b = 0; b < motions->box_count && !meets; b++) {
        double lowest = 0; /* height of the box's lowest corner over the plane */
        for (int k = 0; k < 3; k++)
            if (normal[k] != 0) /* boxes may be infinite */
                lowest += ((normal[k] > 0 ? motions->low[b][k] : motions->high[b][k]) - to[k]) *
                          normal[k];
        meets = lowest <= fmax(0, -motions->swept * rise);
    }
    if (meets) motions->longest = fmax(motions->longest, fabs(rise));
}
