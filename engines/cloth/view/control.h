/* Control of the view by keys and mouse: the camera's orbit, and changes to the scene's gravity
 * and wind. */
#ifndef CLOTH_CONTROL_H
#define CLOTH_CONTROL_H

#include "heddle/cloth_scene.h"

typedef struct cloth_control {
    hed_cloth_camera camera;
    float up[3];   /* axis of the scene that points up, around which the camera turns */
    float gravity; /* m/s^2, added downwards */
    float wind[3]; /* m/s, added */
    bool colours;  /* true: debug colours are shown */
    bool paused;
    /* requests, cleared when done */
    bool step, reset, picture, close;
} cloth_control;

enum { CLOTH_KEY_ESCAPE = 27 };

/* Starts with the scene's own camera, gravity and wind. */
cloth_control cloth_control_begin(const hed_cloth_camera *camera);
/* Handles a key: d, space, r, s, p or CLOTH_KEY_ESCAPE; other keys do nothing. */
void cloth_control_key(cloth_control *control, int key);
/* Left button: turns the camera around the target. `right`, `down`: motion of the mouse, pixels;
 * `height`: of the window, pixels. */
void cloth_control_orbit(cloth_control *control, double right, double down, uint32_t height);
/* Wheel: moves the camera towards the target. */
void cloth_control_zoom(cloth_control *control, double notches);
/* Right button: up and down changes gravity, left and right the wind across the view. */
void cloth_control_pull(cloth_control *control, double right, double down, uint32_t height);
/* Adds the changes of gravity and wind to a frame. */
void cloth_control_apply(const cloth_control *control, hed_cloth_frame *frame);

#endif
