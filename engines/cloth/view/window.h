/* Window, with a probe for tests. */
#ifndef CLOTH_WINDOW_H
#define CLOTH_WINDOW_H

#include "control.h"
#include "pictures.h"

/* Probe of a test: called after each picture; it may change `control` as keys and mouse do. */
typedef struct cloth_window_probe {
    void (*drawn)(
        void *user, uint64_t pictures, uint64_t frames, bool shared, cloth_control *control);
    void *user;
} cloth_window_probe;

/* Does the work of cloth_view_run() with a probe; NULL: no probe. */
hed_status cloth_window_run(hed_cloth_scene *scene, hed_cloth *cloth, double rate,
    const cloth_window_probe *probe, hed_error *error);

#endif
