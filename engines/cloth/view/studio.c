/* Light, ground and cameras of a picture. */
#include "studio.h"

#include <math.h>
#include <string.h>

static int up_axis(const float up[3])
{
    int axis = 1;
    for (int k = 0; k < 3; k++)
        if (fabsf(up[k]) > fabsf(up[axis])) axis = k;
    return axis;
}

void cloth_studio_fit(cloth_studio *studio, const hed_cloth_camera *camera, const cloth_box *box)
{
    int axis = up_axis(camera->up);
    float sign = camera->up[axis] < 0 ? -1.0f : 1.0f;
    float low = sign > 0 ? box->low[axis] : -box->high[axis]; /* height: along `up` */
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

/* 1, 2 or 5 times a power of ten, near `size`. */
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
    /* not nearer to the cloth: the ground in front is seen too */
    float near = 0.02f * fmaxf(reach, distance);
    cloth_look_at(camera->eye, camera->target, camera->up, shot.view);
    cloth_perspective(camera->field_of_view, aspect, near, distance + 80 * reach, projection);
    cloth_multiply(projection, shot.view, shot.view_projection);

    float from[3];
    cloth_along(shot.centre, 1, studio->key_direction, from);
    cloth_look_at(from, shot.centre, studio->up, light);
    /* The origin of the light's view is at `from`, one metre from the centre. */
    light[14] += 1;
    /* Deep enough for the shadow on the ground. */
    float above = cloth_dot(shot.centre, studio->up) - studio->ground;
    float depth = 2 * shot.radius + fmaxf(above, 0) / cloth_dot(studio->key_direction, studio->up);
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
