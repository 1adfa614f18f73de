/* Keys and mouse. */
#include "control.h"

#include "studio.h"

#include <math.h>
#include <string.h>

/* m/s^2, the mouse moved over the window's whole height */
static const float GRAVITY_A_HEIGHT = 20;
static const float WIND_A_HEIGHT = 20; /* m/s */
/* Maximum angle above or below the target, radians: less than a right angle, at which the view
 * would tip over. */
static const float STEEPEST = 1.5f;

cloth_control cloth_control_begin(const hed_cloth_camera *camera)
{
    cloth_control control = {.camera = *camera};
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (fabsf(camera->up[k]) > fabsf(camera->up[axis])) axis = k;
    control.up[axis] = camera->up[axis] < 0 ? -1 : 1;
    return control;
}

void cloth_control_key(cloth_control *control, int key)
{
    switch (key) {
    case 'd': control->colours = !control->colours; break;
    case ' ': control->paused = !control->paused; break;
    case 's': control->paused = control->step = true; break;
    case 'p': control->picture = true; break;
    case 'r':
        control->reset = true;
        control->gravity = 0;
        memset(control->wind, 0, sizeof control->wind);
        break;
    case CLOTH_KEY_ESCAPE: control->close = true; break;
    default: break;
    }
}

/* Turns `v` about a unit axis (Rodrigues). */
static void control_turn(float v[3], const float axis[3], float angle)
{
    float across[3], result[3], projection = cloth_dot(axis, v) * (1 - cosf(angle));
    cloth_cross(axis, v, across);
    for (int k = 0; k < 3; k++)
        result[k] = v[k] * cosf(angle) + across[k] * sinf(angle) + axis[k] * projection;
    memcpy(v, result, sizeof result);
}

/* Computes the direction that points right on the screen. */
static void right_of(const cloth_control *control, float right[3])
{
    float forward[3];
    cloth_along(control->camera.target, -1, control->camera.eye, forward);
    cloth_cross(forward, control->up, right);
    if (cloth_dot(right, right) < 1e-12f) cloth_cross(forward, control->camera.up, right);
    cloth_normalize(right);
}

void cloth_control_orbit(cloth_control *control, double right, double down, uint32_t height)
{
    hed_cloth_camera *camera = &control->camera;
    float offset[3], axis[3], a_pixel = 3.14159265f / (float)(height ? height : 1);
    cloth_along(camera->eye, -1, camera->target, offset);
    float distance = sqrtf(cloth_dot(offset, offset));
    if (!(distance > 0)) return;
    float sine = cloth_dot(offset, control->up) / distance,
          steep = asinf(fmaxf(-1, fminf(1, sine)));
    float target_angle = fmaxf(-STEEPEST, fminf(STEEPEST, steep + (float)down * a_pixel));
    right_of(control, axis);
    control_turn(offset, axis, steep - target_angle);
    control_turn(offset, control->up, -(float)right * a_pixel);
    cloth_along(camera->target, 1, offset, camera->eye);
    memcpy(camera->up, control->up, sizeof camera->up);
}

void cloth_control_zoom(cloth_control *control, double notches)
{
    hed_cloth_camera *camera = &control->camera;
    float offset[3];
    cloth_along(camera->eye, -1, camera->target, offset);
    cloth_along(camera->target, powf(0.88f, (float)notches), offset, camera->eye);
}

void cloth_control_pull(cloth_control *control, double right, double down, uint32_t height)
{
    float axis[3], share = 1 / (float)(height ? height : 1);
    right_of(control, axis);
    control->gravity += (float)down * share * GRAVITY_A_HEIGHT;
    cloth_along(control->wind, (float)right * share * WIND_A_HEIGHT, axis, control->wind);
}

void cloth_control_apply(const cloth_control *control, hed_cloth_frame *frame)
{
    cloth_along(frame->gravity, -control->gravity, control->up, frame->gravity);
    cloth_along(frame->wind, 1, control->wind, frame->wind);
}
