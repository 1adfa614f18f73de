/* The view's arithmetic. */
#include "space.h"

#include "heddle/math.h"

#include <math.h>
#include <string.h>

cloth_box cloth_box_nothing(void)
{
    return (cloth_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

void cloth_box_add(cloth_box *box, const float *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const float *p = points + 3 * (size_t)i;
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) continue;
        for (int k = 0; k < 3; k++) {
            box->low[k] = fminf(box->low[k], p[k]);
            box->high[k] = fmaxf(box->high[k], p[k]);
        }
    }
}

void cloth_box_join(cloth_box *box, const cloth_box *other)
{
    for (int k = 0; k < 3; k++) {
        box->low[k] = fminf(box->low[k], other->low[k]);
        box->high[k] = fmaxf(box->high[k], other->high[k]);
    }
}

bool cloth_box_empty(const cloth_box *box) { return !(box->low[0] <= box->high[0]); }

void cloth_box_centre(const cloth_box *box, float centre[3])
{
    for (int k = 0; k < 3; k++) centre[k] = 0.5f * (box->low[k] + box->high[k]);
}

float cloth_box_radius(const cloth_box *box)
{
    float size[3];
    cloth_along(box->high, -1, box->low, size);
    return 0.5f * sqrtf(cloth_dot(size, size));
}

float cloth_dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void cloth_cross(const float a[3], const float b[3], float out[3])
{
    float result[3] = {
        a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    memcpy(out, result, sizeof result);
}

void cloth_normalize(float a[3])
{
    float length = sqrtf(cloth_dot(a, a));
    for (int k = 0; k < 3 && length > 0; k++) a[k] /= length;
}

void cloth_along(const float a[3], float s, const float b[3], float out[3])
{
    for (int k = 0; k < 3; k++) out[k] = a[k] + s * b[k];
}

void cloth_multiply(const float a[16], const float b[16], float out[16])
{
    float result[16] = {0};
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++)
            for (int k = 0; k < 4; k++)
                result[4 * column + row] += a[4 * k + row] * b[4 * column + k];
    memcpy(out, result, sizeof result);
}

void cloth_look_at(const float eye[3], const float target[3], const float up[3], float out[16])
{
    float back[3], right[3], above[3];
    cloth_along(eye, -1, target, back);
    cloth_normalize(back);
    cloth_cross(up, back, right);
    if (cloth_dot(right, right) < 1e-8f) { /* looking straight along `up` */
        float other[3] = {up[1], up[2], up[0]};
        cloth_cross(other, back, right);
    }
    cloth_normalize(right);
    cloth_cross(back, right, above);
    const float *rows[3] = {right, above, back};
    memset(out, 0, 16 * sizeof *out);
    for (int row = 0; row < 3; row++) {
        for (int k = 0; k < 3; k++) out[4 * k + row] = rows[row][k];
        out[12 + row] = -cloth_dot(rows[row], eye);
    }
    out[15] = 1;
}

void cloth_perspective(float degrees, float aspect, float near, float far, float out[16])
{
    float scale = 1 / hed_tan(degrees * 0.5f * 3.14159265f / 180);
    memset(out, 0, 16 * sizeof *out);
    out[0] = scale / aspect;
    out[5] = scale;
    out[10] = (far + near) / (near - far);
    out[11] = -1;
    out[14] = 2 * far * near / (near - far);
}

void cloth_orthographic(float radius, float depth, float out[16])
{
    memset(out, 0, 16 * sizeof *out);
    out[0] = out[5] = 1 / radius;
    out[10] = -1 / depth;
    out[15] = 1;
}
