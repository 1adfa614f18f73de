/* Light, ground and cameras of a picture. */
#include "studio.h"
#include "pictures.h"
#include "heddle/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int up_axis(const float up[3])
{
    int axis = 1;
    for (int k = 0; k < 3; k++)
        if (fabsf(up[k]) > fabsf(up[axis])) axis = k;
    return axis;
}

void cloth_studio_fit(cloth_studio *studio, const hed_cloth_camera *camera, const cloth_box *box,
    const cloth_box *whole)
{
    int axis = up_axis(camera->up);
    float sign = camera->up[axis] < 0 ? -1.0f : 1.0f;
    float low = sign > 0 ? whole->low[axis] : -whole->high[axis]; /* height: along `up` */
    if (!studio->set) {
        float forward[3], right[3];
        studio->up[axis] = sign;
        cloth_along(camera->target, -1, camera->eye, forward);
        cloth_along(forward, -cloth_dot(forward, studio->up), studio->up, forward);
        if (cloth_dot(forward, forward) < 1e-6f) forward[(axis + 1) % 3] = 1; /* seen from above */
        cloth_normalize(forward);
        cloth_cross(forward, studio->up, right);
        cloth_along(studio->up, -0.80f, right, studio->key_direction);
        cloth_along(studio->key_direction, -0.50f, forward, studio->key_direction);
        cloth_normalize(studio->key_direction);
        studio->size = fmaxf(cloth_box_radius(box), 1e-4f);
        studio->ground = low < 0 ? low - 0.05f * studio->size : 0;
        studio->set = true;
    } else if (low < studio->ground) {
        studio->ground = low;
    }
}

/* Rounds to 1, 2 or 5 times a power of ten, near `size`. */
static float round_length(float size)
{
    float power = 1;
    while (power * 10 <= size && power < 1e30f) power *= 10;
    while (power > size && power > 1e-30f) power /= 10;
    float share = size / power;
    return power * (share < 2 ? 1.0f : share < 5 ? 2.0f : 5.0f);
}

cloth_shot cloth_shot_begin(
    const cloth_studio *studio, const hed_cloth_camera *camera, const cloth_box *box, float aspect)
{
    cloth_shot shot = {.studio = studio, .camera = camera};
    float projection[16], light[16], offset[3];
    cloth_box_centre(box, shot.centre);
    shot.radius = fmaxf(cloth_box_radius(box), 1e-4f) * 1.05f;
    cloth_along(camera->eye, -1, shot.centre, offset);
    float distance = sqrtf(cloth_dot(offset, offset)), reach = fmaxf(studio->size, shot.radius);
    /* not nearer to the cloth, as the ground in front of it is visible, too */
    float near_plane = 0.02f * fmaxf(reach, distance);
    cloth_look_at(camera->eye, camera->target, camera->up, shot.view);
    cloth_perspective(camera->field_of_view, aspect, near_plane, distance + 80 * reach, projection);
    cloth_multiply(projection, shot.view, shot.view_projection);

    float from[3];
    cloth_along(shot.centre, 1, studio->key_direction, from);
    cloth_look_at(from, shot.centre, studio->up, light);
    /* The origin of the light's view is at `from`, one metre from the centre. */
    light[14] += 1;
    /* deep enough for the shadow on the ground */
    float height = cloth_dot(shot.centre, studio->up) - studio->ground;
    float depth = 2 * shot.radius + fmaxf(height, 0) / cloth_dot(studio->key_direction, studio->up);
    cloth_orthographic(shot.radius, depth, projection);
    cloth_multiply(projection, light, shot.shadow_matrix);
    shot.shadow_texel = 2 * shot.radius / CLOTH_SHADOW_SIZE;

    shot.up_axis = up_axis(studio->up);
    shot.ground_seen = cloth_dot(camera->eye, studio->up) > studio->ground;
    memcpy(shot.ground_centre, shot.centre, sizeof shot.ground_centre);
    shot.ground_centre[shot.up_axis] = studio->ground * studio->up[shot.up_axis];
    shot.ground_reach = 12 * studio->size;
    shot.ground_spacing = round_length(0.25f * studio->size);
    return shot;
}

/* Arithmetic of the view. */

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

void cloth_box_join(cloth_box *box, const cloth_box *added)
{
    for (int k = 0; k < 3; k++) {
        box->low[k] = fminf(box->low[k], added->low[k]);
        box->high[k] = fmaxf(box->high[k], added->high[k]);
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
    float back[3], right[3], upward[3];
    cloth_along(eye, -1, target, back);
    cloth_normalize(back);
    cloth_cross(up, back, right);
    if (cloth_dot(right, right) < 1e-8f) { /* the direction is along `up` */
        float sideways[3] = {up[1], up[2], up[0]};
        cloth_cross(sideways, back, right);
    }
    cloth_normalize(right);
    cloth_cross(back, right, upward);
    const float *rows[3] = {right, upward, back};
    memset(out, 0, 16 * sizeof *out);
    for (int row = 0; row < 3; row++) {
        for (int k = 0; k < 3; k++) out[4 * k + row] = rows[row][k];
        out[12 + row] = -cloth_dot(rows[row], eye);
    }
    out[15] = 1;
}

void cloth_perspective(
    float degrees, float aspect, float near_plane, float far_plane, float out[16])
{
    float scale = 1 / hed_tan(degrees * 0.5f * 3.14159265f / 180);
    memset(out, 0, 16 * sizeof *out);
    out[0] = scale / aspect;
    out[5] = scale;
    out[10] = (far_plane + near_plane) / (near_plane - far_plane);
    out[11] = -1;
    out[14] = 2 * far_plane * near_plane / (near_plane - far_plane);
}

void cloth_orthographic(float radius, float depth, float out[16])
{
    memset(out, 0, 16 * sizeof *out);
    out[0] = out[5] = 1 / radius;
    out[10] = -1 / depth;
    out[15] = 1;
}

/* Normals of vertices. */

void cloth_make_normals(const float *positions, uint32_t vertex_count, const uint32_t *triangles,
    uint32_t triangle_count, float *normals)
{
    memset(normals, 0, 3 * (size_t)vertex_count * sizeof *normals);
    for (size_t t = 0; t < triangle_count; t++) {
        const uint32_t *corners = triangles + 3 * t;
        const float *a = positions + 3 * (size_t)corners[0];
        float ab[3], ac[3], cross[3];
        cloth_along(positions + 3 * (size_t)corners[1], -1, a, ab);
        cloth_along(positions + 3 * (size_t)corners[2], -1, a, ac);
        cloth_cross(ab, ac, cross);
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) normals[3 * (size_t)corners[c] + (size_t)k] += cross[k];
    }
}

uint32_t *cloth_mesh_triangles(
    const hed_cloth_mesh *mesh, uint32_t first, uint32_t copies, uint32_t *count)
{
    uint64_t triangle_count = 0;
    for (uint32_t f = 0; f < mesh->face_count; f++) {
        uint32_t corners = mesh->face_at[f + 1] - mesh->face_at[f];
        triangle_count += corners > 2 ? corners - 2 : 0;
    }
    *count = (uint32_t)(triangle_count * copies);
    uint32_t *out = malloc(3 * triangle_count * copies * sizeof *out + 1), *next = out;
    for (uint32_t copy = 0; copy < copies && out; copy++)
        for (uint32_t f = 0; f < mesh->face_count; f++)
            for (uint32_t c = mesh->face_at[f] + 1; c + 1 < mesh->face_at[f + 1]; c++) {
                uint32_t base = first + copy * mesh->vertex_count;
                *next++ = base + mesh->corners[mesh->face_at[f]];
                *next++ = base + mesh->corners[c];
                *next++ = base + mesh->corners[c + 1];
            }
    return out;
}
