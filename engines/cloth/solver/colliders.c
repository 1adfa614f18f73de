/* Simple colliders: their numbers checked, and their way over a frame packed as kernels/collide.h reads it. */
#include "solver/colliders.h"

#include <math.h>
#include <string.h>

#define FARTHEST 1e6f /* m: beyond it a float has no millimetres */

static bool within(const float *values, uint32_t count, float low)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(values[i] >= low && values[i] <= FARTHEST)) return false;
    return true;
}

static hed_status check_one(const hed_cloth_collider *collider, uint32_t number, hed_error *error)
{
    const char *wrong = NULL;
    const float *a = collider->a, *b = collider->b;
    if ((unsigned)collider->shape > HED_CLOTH_CAPSULE) {
        return cloth_fail(error, HED_ERROR_ARGUMENT, "collider %u: shape %d is none of plane, sphere, capsule", number,
                          (int)collider->shape);
    }
    if (!within(a, 3, -FARTHEST)) wrong = "a: a point within 1e6 m is expected";
    else if (collider->shape == HED_CLOTH_CAPSULE && !within(b, 3, -FARTHEST)) wrong = "b: a point within 1e6 m is expected";
    else if (collider->shape == HED_CLOTH_PLANE && !(fabsf(b[0] * b[0] + b[1] * b[1] + b[2] * b[2] - 1.0f) <= 1e-3f))
        wrong = "b: the plane's normal must have length 1";
    else if (collider->shape != HED_CLOTH_PLANE && !within(collider->radius, collider->shape == HED_CLOTH_CAPSULE ? 2 : 1, 0.0f))
        wrong = "radius: 0 to 1e6 m is expected";
    else if (!within(&collider->friction, 1, 0.0f)) wrong = "friction: a finite number of at least 0 is expected";
    if (wrong) return cloth_fail(error, HED_ERROR_ARGUMENT, "collider %u: %s", number, wrong);
    return HED_OK;
}

hed_status cloth_colliders_check(const hed_cloth_collider *colliders, uint32_t count, uint32_t most, hed_error *error)
{
    if (count > most) {
        return cloth_fail(error, HED_ERROR_LIMIT, "%u colliders, where this cloth was made for %u: raise hed_cloth_def.max_colliders",
                          count, most);
    }
    if (count > 0 && colliders == NULL) {
        return cloth_fail(error, HED_ERROR_ARGUMENT, "collider_count is %u, but colliders is NULL", count);
    }
    for (uint32_t i = 0; i < count; i++) {
        hed_status status = check_one(&colliders[i], i, error);
        if (status != HED_OK) return status;
    }
    return HED_OK;
}

static void pack_pose(const hed_cloth_collider *collider, float packed[2][4])
{
    bool sphere = collider->shape == HED_CLOTH_SPHERE, plane = collider->shape == HED_CLOTH_PLANE;
    memcpy(packed[0], collider->a, sizeof collider->a);
    memcpy(packed[1], sphere ? collider->a : collider->b, sizeof collider->b);
    packed[0][3] = plane ? 0.0f : collider->radius[0];
    packed[1][3] = plane ? 0.0f : collider->radius[sphere ? 0 : 1];
}

void cloth_colliders_pack(const hed_cloth_collider *previous, uint32_t previous_count, const hed_cloth_collider *present, uint32_t count,
                          float (*packed)[4])
{
    for (uint32_t i = 0; i < count; i++, packed += CLOTH_COLLIDER_WORDS) {
        bool known = i < previous_count && previous[i].shape == present[i].shape;
        pack_pose(known ? &previous[i] : &present[i], packed);
        pack_pose(&present[i], packed + 2);
        packed[4][0] = (float)present[i].shape;
        packed[4][1] = present[i].friction;
        packed[4][2] = packed[4][3] = 0.0f;
    }
}
