/* The context of a device, made current around each use and put back; codes of OpenGL as statuses
 * and messages. */
#include "backends/gl/gl.h"

/* ---- codes ---- */

static const char *gl_code_name(unsigned code)
{
    switch (code) {
    case GL_INVALID_ENUM: return "GL_INVALID_ENUM";
    case GL_INVALID_VALUE: return "GL_INVALID_VALUE";
    case GL_INVALID_OPERATION: return "GL_INVALID_OPERATION";
    case GL_OUT_OF_MEMORY: return "GL_OUT_OF_MEMORY";
    case GL_CONTEXT_LOST: return "GL_CONTEXT_LOST";
    default: return "no code that is known";
    }
}

hed_status hed_gl_check(
    const gl_device *of, bool fine, const char *call, const char *purpose, hed_error *error)
{
    unsigned code = of->api.GetError();
    if (code == GL_NO_ERROR && fine) return HED_OK;
    for (int i = 0; i < 8 && of->api.GetError() != GL_NO_ERROR; i++) continue;
    hed_status status = code == GL_OUT_OF_MEMORY  ? HED_ERROR_DEVICE_MEMORY
                        : code == GL_CONTEXT_LOST ? HED_ERROR_LOST
                                                  : HED_ERROR_DRIVER;
    return hed_fail(error, status, "%s failed with %s (%#x): %s on %s (%s)%s", call,
        gl_code_name(code), code, purpose, of->info->id, of->info->name,
        status == HED_ERROR_LOST
            ? "; the device is lost to this context: a kernel that reads or writes outside its "
              "buffers, or runs longer than the driver allows, does that"
            : "");
}

/* ---- the current context ---- */

hed_status hed_gl_begin(gl_device *of, hed_error *error)
{
    const hed_egl_api *egl = &of->driver->egl;
    pthread_mutex_lock(&of->lock);
    of->before.display = egl->GetCurrentDisplay();
    of->before.draw = egl->GetCurrentSurface(EGL_DRAW);
    of->before.read = egl->GetCurrentSurface(EGL_READ);
    of->before.context = egl->GetCurrentContext();
    if (egl->MakeCurrent(of->display, NULL, NULL, of->context)) return HED_OK;
    pthread_mutex_unlock(&of->lock);
    int code = egl->GetError();
    return hed_fail(error, code == EGL_BAD_ALLOC ? HED_ERROR_MEMORY : HED_ERROR_DRIVER,
        "eglMakeCurrent failed with %#x: the context of %s", (unsigned)code, of->info->id);
}

void hed_gl_end(gl_device *of)
{
    const hed_egl_api *egl = &of->driver->egl;
    if (of->before.context)
        egl->MakeCurrent(of->before.display, of->before.draw, of->before.read, of->before.context);
    else egl->MakeCurrent(of->display, NULL, NULL, NULL);
    pthread_mutex_unlock(&of->lock);
}
