/* Contexts without a window. EGL_EXT_platform_device finds GPUs without any display server,
 * EGL_MESA_platform_surfaceless Mesa's software. */
#include "headless.h"

#include "support/errors.h"

#include <stdio.h>
#include <string.h>

#ifdef CLOTH_EGL
#include <EGL/egl.h>
#include <EGL/eglext.h>

enum { MOST_DEVICES = 16 };

static void *egl_function(const char *name)
{
    void *pointer;
    __eglMustCastToProperFunctionPointerType function = eglGetProcAddress(name);
    memcpy(&pointer, &function, sizeof pointer);
    return pointer;
}

/* What EGL is asked for, step by step; the first step that fails is named in `why`. */
static bool try_display(cloth_headless *headless, EGLDisplay display, const char **why)
{
    static const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    static const EGLint any_surface[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    static const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
                                     EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    static const EGLint small[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    *why = "no display";
    if (display == EGL_NO_DISPLAY) return false;
    *why = "eglInitialize failed";
    if (!eglInitialize(display, NULL, NULL)) return false;
    *why = "no OpenGL behind it";
    if (!eglBindAPI(EGL_OPENGL_API)) return false;
    *why = "no configuration";
    bool pbuffer = eglChooseConfig(display, wanted, &config, 1, &count) && count;
    if (!pbuffer && (!eglChooseConfig(display, any_surface, &config, 1, &count) || !count)) return false;
    *why = "no OpenGL 3.3 core context";
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
    if (context == EGL_NO_CONTEXT) return false;
    EGLSurface surface = EGL_NO_SURFACE;
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
        *why = "the context cannot be made current, with a surface or without";
        surface = pbuffer ? eglCreatePbufferSurface(display, config, small) : EGL_NO_SURFACE;
        if (surface == EGL_NO_SURFACE || !eglMakeCurrent(display, surface, surface, context)) {
            if (surface != EGL_NO_SURFACE) eglDestroySurface(display, surface);
            eglDestroyContext(display, context);
            return false;
        }
    }
    headless->display = display;
    headless->context = context;
    headless->surface = surface;
    headless->get = egl_function;
    headless->library = "EGL";
    return true;
}

static bool create_egl(cloth_headless *headless, char *tried, size_t size)
{
    PFNEGLGETPLATFORMDISPLAYEXTPROC get =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    PFNEGLQUERYDEVICESEXTPROC query = (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
    const char *why_device = "none listed", *why_surfaceless = "not offered", *why_default;
    EGLDeviceEXT devices[MOST_DEVICES];
    EGLint count = 0;
    if (get && query && query(MOST_DEVICES, devices, &count))
        for (EGLint i = 0; i < count; i++)
            if (try_display(headless, get(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL), &why_device)) return true;
    if (get && try_display(headless, get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL), &why_surfaceless))
        return true;
    if (try_display(headless, eglGetDisplay(EGL_DEFAULT_DISPLAY), &why_default)) return true;
    snprintf(tried, size, "EGL (devices: %s; surfaceless: %s; default display: %s)", why_device, why_surfaceless,
             why_default);
    return false;
}

static bool bind_egl(cloth_headless *headless, bool current)
{
    if (!current) return eglMakeCurrent(headless->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    return eglBindAPI(EGL_OPENGL_API) &&
           eglMakeCurrent(headless->display, headless->surface, headless->surface, headless->context);
}

static void destroy_egl(cloth_headless *headless)
{
    bind_egl(headless, false);
    if (headless->surface != EGL_NO_SURFACE) eglDestroySurface(headless->display, headless->surface);
    eglDestroyContext(headless->display, headless->context);
    /* No eglTerminate(): the display belongs to the process, and the program may use it too. */
}
#else
static bool create_egl(cloth_headless *headless, char *tried, size_t size)
{
    (void)headless;
    snprintf(tried, size, "EGL (not in this build; Debian: libegl-dev)");
    return false;
}

static bool bind_egl(cloth_headless *headless, bool current)
{
    (void)headless, (void)current;
    return false;
}

static void destroy_egl(cloth_headless *headless) { (void)headless; }
#endif

#ifdef CLOTH_OSMESA
#include <GL/osmesa.h>

static void *osmesa_function(const char *name)
{
    void *pointer;
    OSMESAproc function = OSMesaGetProcAddress(name);
    memcpy(&pointer, &function, sizeof pointer);
    return pointer;
}

static bool bind_osmesa(cloth_headless *headless, bool current)
{
    if (!current) return OSMesaMakeCurrent(NULL, NULL, GL_UNSIGNED_BYTE, 0, 0);
    return OSMesaMakeCurrent(headless->context, headless->pixels, GL_UNSIGNED_BYTE, 16, 16);
}

static bool create_osmesa(cloth_headless *headless, char *tried, size_t size)
{
    static const int wanted[] = {OSMESA_FORMAT, OSMESA_RGBA, OSMESA_PROFILE, OSMESA_CORE_PROFILE,
                                 OSMESA_CONTEXT_MAJOR_VERSION, 3, OSMESA_CONTEXT_MINOR_VERSION, 3, 0};
    headless->context = OSMesaCreateContextAttribs(wanted, NULL);
    headless->get = osmesa_function;
    headless->library = "OSMesa";
    if (headless->context && bind_osmesa(headless, true)) return true;
    if (headless->context) OSMesaDestroyContext(headless->context);
    headless->context = NULL;
    snprintf(tried, size, "OSMesa (no OpenGL 3.3 core context)");
    return false;
}

static void destroy_osmesa(cloth_headless *headless)
{
    bind_osmesa(headless, false);
    OSMesaDestroyContext(headless->context);
}
#else
static bool create_osmesa(cloth_headless *headless, char *tried, size_t size)
{
    (void)headless;
    snprintf(tried, size, "OSMesa (not in this build; Debian: libosmesa6-dev)");
    return false;
}

static bool bind_osmesa(cloth_headless *headless, bool current)
{
    (void)headless, (void)current;
    return false;
}

static void destroy_osmesa(cloth_headless *headless) { (void)headless; }
#endif

hed_status cloth_headless_create(cloth_headless *headless, hed_error *error)
{
    char egl[320], osmesa[128];
    *headless = (cloth_headless){0};
    if (create_egl(headless, egl, sizeof egl) || create_osmesa(headless, osmesa, sizeof osmesa)) return HED_OK;
    return hed_error_set(error, HED_ERROR_UNSUPPORTED,
                         "no OpenGL without a window here. Tried: %s, %s. Software drivers are in Debian's "
                         "libgl1-mesa-dri (EGL) and libosmesa6 (OSMesa)",
                         egl, osmesa);
}

bool cloth_headless_bind(cloth_headless *headless, bool current)
{
    return headless->display ? bind_egl(headless, current) : bind_osmesa(headless, current);
}

void cloth_headless_destroy(cloth_headless *headless)
{
    if (headless->display)
        destroy_egl(headless);
    else if (headless->context)
        destroy_osmesa(headless);
    *headless = (cloth_headless){0};
}
