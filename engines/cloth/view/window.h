/* The window, with a way in for tests. */
#ifndef CLOTH_WINDOW_H
#define CLOTH_WINDOW_H

#include "control.h"
#include "view.h"

/* What a test sees after each picture, and may change as keys and mouse would. */
typedef struct cloth_window_probe {
    void (*drawn)(
        void *user, uint64_t pictures, uint64_t frames, bool shared, cloth_control *control);
    void *user;
} cloth_window_probe;

/* cloth_view_run() with a probe; NULL: none. */
hed_status cloth_window_run(hed_cloth_scene *scene, hed_cloth *cloth, double rate,
    const cloth_window_probe *probe, hed_error *error);

#endif
