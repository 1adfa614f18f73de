/* The reference: plain sequential sweeps. */
#include "model/garment.h"

void cloth_reference_frames(const cloth_garment *garment, const cloth_reference_def *def, uint32_t frames, double *positions,
                            double *previous, double *last_dt)
{
    (void)garment, (void)def, (void)frames, (void)positions, (void)previous, (void)last_dt;
}

void cloth_reference_frames_float(const cloth_garment *garment, const cloth_reference_def *def, uint32_t frames, float *positions,
                                  float *previous, float *last_dt)
{
    (void)garment, (void)def, (void)frames, (void)positions, (void)previous, (void)last_dt;
}
