/* What keys and mouse do to the view: the camera's orbit, and what is added to the scene's gravity
 * and wind. */
#ifndef CLOTH_CONTROL_H
#define CLOTH_CONTROL_H

#include "heddle/cloth_scene.h"

typedef struct cloth_control {
    hed_cloth_camera camera;
    float up[3];   /* of the scene, the axis that the camera turns around */
    float gravity; /* m/s^2, added downwards */
    float wind[3]; /* m/s, added */
    bool colours;  /* the debug colours are shown */
    bool paused;
    /* asked for, and cleared when it is done */
    bool step, reset, picture, close;
} cloth_control;

enum { CLOTH_KEY_ESCAPE = 27 };

/* The scene's own camera, gravity and wind. */
cloth_control cloth_control_begin(const hed_cloth_camera *camera);
/* A key: d, space, r, s, p or CLOTH_KEY_ESCAPE; others do nothing. */
void cloth_control_key(cloth_control *control, int key);
/* The left button: around the target. The way of the mouse in pixels, to the right and down;
 * `height` is the window's. */
void cloth_control_orbit(cloth_control *control, double right, double down, uint32_t height);
/* The wheel: towards the target. */
void cloth_control_zoom(cloth_control *control, double notches);
/* The right button: up and down is gravity, left and right the wind across the view. */
void cloth_control_pull(cloth_control *control, double right, double down, uint32_t height);
/* Adds what was asked for to a frame. */
void cloth_control_apply(const cloth_control *control, hed_cloth_frame *frame);

#endif
