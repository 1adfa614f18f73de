/* OpenGL: its functions, framebuffers, and contexts without a window. */
#include "view_gl.h"
#include "heddle/author.h"
#include "support/optional_libraries.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

hed_status cloth_gl_load(cloth_gl *gl, cloth_gl_get_function *get, hed_error *error)
{
    /* Pointers to functions and to data have one size wherever OpenGL is; memcpy keeps the compiler
     * from guessing. */
#define CLOTH_GL_LOAD(type, name) \
    { \
        void *found = get("gl" #name); \
        if (!found) \
            return hed_fail(error, HED_ERROR_UNSUPPORTED, "this OpenGL has no function gl" #name); \
        memcpy(&gl->name, &found, sizeof found); \
    }
    CLOTH_GL_FUNCTIONS(CLOTH_GL_LOAD)
#undef CLOTH_GL_LOAD
    GLint major = 0, minor = 0;
    gl->GetIntegerv(GL_MAJOR_VERSION, &major);
    gl->GetIntegerv(GL_MINOR_VERSION, &minor);
    if (major * 10 + minor < 33)
        return hed_fail(
            error, HED_ERROR_UNSUPPORTED, "OpenGL %d.%d is here, and 3.3 is needed", major, minor);
    return HED_OK;
}

/* Framebuffers whose pixels are read back. */

hed_status cloth_target_create(
    const cloth_gl *gl, uint32_t width, uint32_t height, cloth_target *target, hed_error *error)
{
    *target = (cloth_target){.width = width, .height = height};
    gl->GenRenderbuffers(1, &target->pixels);
    gl->BindRenderbuffer(GL_RENDERBUFFER, target->pixels);
    gl->RenderbufferStorageMultisample(
        GL_RENDERBUFFER, 0, GL_RGBA8, (GLsizei)width, (GLsizei)height);
    gl->GenFramebuffers(1, &target->framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
    gl->FramebufferRenderbuffer(
        GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target->pixels);
    if (gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE &&
        gl->GetError() == GL_NO_ERROR)
        return HED_OK;
    cloth_target_destroy(gl, target);
    return hed_fail(error, HED_ERROR_DEVICE_MEMORY, "OpenGL has no memory for a picture of %u x %u",
        width, height);
}

void cloth_target_destroy(const cloth_gl *gl, cloth_target *target)
{
    gl->DeleteFramebuffers(1, &target->framebuffer);
    gl->DeleteRenderbuffers(1, &target->pixels);
    *target = (cloth_target){0};
}

/* Copies RGBA, lowest row first, to RGB, top row first; returns the number of pixels without the
 * stamp. */
static size_t target_unpack(const uint8_t *pixels, uint8_t stamp, hed_image *image)
{
    size_t strangers = 0;
    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *from = pixels + 4 * (size_t)image->width * (image->height - 1 - y);
        uint8_t *to = image->pixels + 3 * (size_t)image->width * y;
        for (uint32_t x = 0; x < image->width; x++) {
            memcpy(to + 3 * (size_t)x, from + 4 * (size_t)x, 3);
            strangers += from[4 * (size_t)x + 3] != stamp;
        }
    }
    return strangers;
}

hed_status cloth_target_read(const cloth_gl *gl, const cloth_target *target, uint8_t stamp,
    hed_image *image, hed_error *error)
{
    size_t count = (size_t)target->width * target->height, strangers;
    hed_status status = hed_image_create(target->width, target->height, 3, image, error);
    uint8_t *pixels = malloc(4 * count);
    if (!status && !pixels)
        status = HED_OUT_OF_MEMORY(error, "a picture of %u x %u", target->width, target->height);
    if (!status) {
        gl->BindFramebuffer(GL_READ_FRAMEBUFFER, target->framebuffer);
        gl->PixelStorei(GL_PACK_ALIGNMENT, 1);
        gl->ReadPixels(0, 0, (GLsizei)target->width, (GLsizei)target->height, GL_RGBA,
            GL_UNSIGNED_BYTE, pixels);
        GLenum code = gl->GetError();
        if (code != GL_NO_ERROR && code != GL_CONTEXT_LOST)
            status = hed_fail(error, HED_ERROR_DRIVER, "OpenGL did not return the picture (%#x)", code);
        /* NVIDIA's driver reports no error if another process has made it reset the device */
        else if ((strangers = target_unpack(pixels, stamp, image)) > 0 || code)
            status = hed_fail(error, HED_ERROR_LOST,
                "OpenGL lost its context: %zu of %zu pixels are not of this picture", strangers, count);
    }
    free(pixels);
    if (status) hed_image_free(image);
    return status;
}

/* ---- contexts without a window ----
 *
 * EGL_EXT_platform_device finds GPUs without any display server, EGL_MESA_platform_surfaceless
 * finds Mesa's software. */

enum { MOST_DEVICES = 64 };

/* names of the functions, ordered as in cloth_headless */
static const char *const egl_names[] = {"eglBindAPI", "eglChooseConfig", "eglCreateContext",
    "eglCreatePbufferSurface", "eglDestroyContext", "eglDestroySurface", "eglGetDisplay",
    "eglInitialize", "eglMakeCurrent", "eglGetProcAddress"};
enum { EGL_FUNCTIONS = sizeof egl_names / sizeof *egl_names };
_Static_assert(offsetof(cloth_headless, display) == EGL_FUNCTIONS * sizeof(void *),
    "a name for each function");

/* Makes a context on a display, step by step; `failure` names the first step that fails. */
static bool try_display(cloth_headless *egl, EGLDisplay display, const char **failure)
{
    static const EGLint pbuffer_surface[] = {
        EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    static const EGLint any_surface[] = {
        EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    static const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
        EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    static const EGLint small[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    *failure = "no display";
    if (display == EGL_NO_DISPLAY) return false;
    *failure = "eglInitialize failed";
    if (!egl->Initialize(display, NULL, NULL)) return false;
    *failure = "no OpenGL behind it";
    if (!egl->BindAPI(EGL_OPENGL_API)) return false;
    *failure = "no configuration";
    bool pbuffer = egl->ChooseConfig(display, pbuffer_surface, &config, 1, &count) && count;
    if (!pbuffer && (!egl->ChooseConfig(display, any_surface, &config, 1, &count) || !count))
        return false;
    *failure = "no OpenGL 3.3 core context";
    EGLContext context = egl->CreateContext(display, config, EGL_NO_CONTEXT, version);
    if (context == EGL_NO_CONTEXT) return false;
    EGLSurface surface = EGL_NO_SURFACE;
    if (!egl->MakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
        *failure = "the context cannot be made current, with a surface or without";
        surface = pbuffer ? egl->CreatePbufferSurface(display, config, small) : EGL_NO_SURFACE;
        if (surface == EGL_NO_SURFACE || !egl->MakeCurrent(display, surface, surface, context)) {
            if (surface != EGL_NO_SURFACE) egl->DestroySurface(display, surface);
            egl->DestroyContext(display, context);
            return false;
        }
    }
    egl->display = display;
    egl->context = context;
    egl->surface = surface;
    return true;
}

/* An extension's function; a pointer to one fits into a pointer to data wherever libraries are
 * loaded at run time. */
#define FIND(egl, type, name) \
    type name = NULL; \
    memcpy(&name, &(void *){(egl)->GetProcAddress("egl" #name)}, sizeof name)

hed_status cloth_headless_create(cloth_headless *egl, hed_error *error)
{
    void *functions[EGL_FUNCTIONS];
    *egl = (cloth_headless){0};
    hed_status status = hed_library_load(NULL, &hed_optional_libraries[HED_LIBRARY_EGL], egl_names,
        functions, EGL_FUNCTIONS, NULL, error);
    if (status) return status;
    memcpy(egl, functions, sizeof functions);
    FIND(egl, PFNEGLGETPLATFORMDISPLAYEXTPROC, GetPlatformDisplayEXT);
    FIND(egl, PFNEGLQUERYDEVICESEXTPROC, QueryDevicesEXT);
    const char *why_device = "none listed", *why_surfaceless = "not offered", *why_default;
    EGLDeviceEXT devices[MOST_DEVICES];
    EGLint count = 0;
    if (GetPlatformDisplayEXT && QueryDevicesEXT && QueryDevicesEXT(MOST_DEVICES, devices, &count))
        for (EGLint i = 0; i < count; i++)
            if (try_display(egl, GetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL),
                    &why_device))
                return HED_OK;
    if (GetPlatformDisplayEXT &&
        try_display(egl,
            GetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL),
            &why_surfaceless))
        return HED_OK;
    if (try_display(egl, egl->GetDisplay(EGL_DEFAULT_DISPLAY), &why_default)) return HED_OK;
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "no OpenGL without a window here: EGL's devices: %s; surfaceless: %s; default display: %s. A driver in software is in "
        "Debian's libgl1-mesa-dri",
        why_device, why_surfaceless, why_default);
}

bool cloth_headless_bind(cloth_headless *egl, bool current)
{
    if (!current)
        return egl->MakeCurrent(egl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    return egl->BindAPI(EGL_OPENGL_API) &&
           egl->MakeCurrent(egl->display, egl->surface, egl->surface, egl->context);
}

void cloth_headless_destroy(cloth_headless *egl)
{
    if (egl->display) {
        cloth_headless_bind(egl, false);
        if (egl->surface != EGL_NO_SURFACE) egl->DestroySurface(egl->display, egl->surface);
        egl->DestroyContext(egl->display, egl->context);
        /* No eglTerminate(): the display belongs to the process, and the program may use it too. */
    }
    *egl = (cloth_headless){0};
}
