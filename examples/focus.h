/* A camera's depth of field: rows near the plane of focus stay sharp, and distant ones go through
 * more passes of a 17 x 17 Gaussian. Passes run on a device, on linear light. */
#ifndef HED_EXAMPLES_FOCUS_H
#define HED_EXAMPLES_FOCUS_H

#include <heddle/heddle.h>

#include "support/png.h"

enum { FOCUS_CHANNELS = 3, FOCUS_LEVELS = 4, FOCUS_PASSES = 4 };

/* Writes level 0, (FOCUS_CHANNELS x height x width): linear light from 0 to 1, a plane for each
 * channel, from 8-bit sRGB. */
void focus_linear(const hed_image *image, float *light);

/* Computes the other levels of `light` (FOCUS_LEVELS x FOCUS_CHANNELS x height x width) on the
 * device: uploads level 0, and downloads each level when its passes are done. */
hed_status focus_blur(const hed_session *on, hed_math math, uint32_t width, uint32_t height,
    float *light, hed_error *error);

/* Mixes the levels into a picture of FOCUS_CHANNELS. */
void focus_mix(const float *light, hed_image *image);

#endif
