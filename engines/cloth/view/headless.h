/* An OpenGL context without a window, through EGL, which is loaded at run time: on a GPU, else on
 * Mesa's software. */
#ifndef CLOTH_HEADLESS_H
#define CLOTH_HEADLESS_H

#include "gl.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>

typedef struct cloth_headless {
    PFNEGLBINDAPIPROC BindAPI;
    PFNEGLCHOOSECONFIGPROC ChooseConfig;
    PFNEGLCREATECONTEXTPROC CreateContext;
    PFNEGLCREATEPBUFFERSURFACEPROC CreatePbufferSurface;
    PFNEGLDESTROYCONTEXTPROC DestroyContext;
    PFNEGLDESTROYSURFACEPROC DestroySurface;
    PFNEGLGETDISPLAYPROC GetDisplay;
    PFNEGLINITIALIZEPROC Initialize;
    PFNEGLMAKECURRENTPROC MakeCurrent;
    cloth_gl_get_function *GetProcAddress; /* OpenGL's functions, and EGL's own extensions */
    EGLDisplay display;
    EGLContext context;
    EGLSurface surface;
} cloth_headless;

/* Makes it and makes it current. It stays where it is. Errors: UNSUPPORTED (what was tried, and
 * what each answered), MEMORY. */
hed_status cloth_headless_create(cloth_headless *headless, hed_error *error);
/* Makes it current in the calling thread, or (false) nothing. */
bool cloth_headless_bind(cloth_headless *headless, bool current);
void cloth_headless_destroy(cloth_headless *headless);

#endif
