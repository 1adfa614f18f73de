/* Vectors, 4 x 4 matrices (column by column, as OpenGL has them) and boxes for the view. */
#ifndef CLOTH_SPACE_H
#define CLOTH_SPACE_H

#include "heddle/base.h"

typedef struct cloth_box {
    float low[3], high[3]; /* low above high: nothing in it */
} cloth_box;

cloth_box cloth_box_nothing(void);
/* Takes in `count` points (count x 3); those that are not finite are left out. */
void cloth_box_add(cloth_box *box, const float *points, uint32_t count);
void cloth_box_join(cloth_box *box, const cloth_box *other);
bool cloth_box_empty(const cloth_box *box);
void cloth_box_centre(const cloth_box *box, float centre[3]);
float cloth_box_radius(const cloth_box *box); /* half of the diagonal */

float cloth_dot(const float a[3], const float b[3]);
void cloth_cross(const float a[3], const float b[3], float out[3]);
/* To length 1; a zero vector stays. */
void cloth_normalize(float a[3]);
/* a + s b */
void cloth_along(const float a[3], float s, const float b[3], float out[3]);

void cloth_multiply(const float a[16], const float b[16], float out[16]);
void cloth_look_at(const float eye[3], const float target[3], const float up[3], float out[16]);
void cloth_perspective(float degrees, float aspect, float near, float far, float out[16]);
/* A cube of half the size `radius` around the origin of view space, `depth` behind and before
 * it. */
void cloth_orthographic(float radius, float depth, float out[16]);

#endif
