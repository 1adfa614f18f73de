/* An OpenGL context without a window: EGL on a GPU, EGL on Mesa's software, or OSMesa, the first that works. */
#ifndef CLOTH_HEADLESS_H
#define CLOTH_HEADLESS_H

#include "gl.h"

typedef struct cloth_headless {
    void *display, *context, *surface; /* EGL; display NULL: OSMesa */
    cloth_gl_get_function *get;
    const char *library;               /* "EGL" or "OSMesa" */
    unsigned char pixels[16 * 16 * 4]; /* OSMesa wants a framebuffer, though nothing is drawn into it */
} cloth_headless;

/* Makes it and makes it current. It stays where it is. Errors: UNSUPPORTED (what was tried, and what each
 * answered). */
hed_status cloth_headless_create(cloth_headless *headless, hed_error *error);
/* Makes it current in the calling thread, or (false) nothing. */
bool cloth_headless_bind(cloth_headless *headless, bool current);
void cloth_headless_destroy(cloth_headless *headless);

#endif
