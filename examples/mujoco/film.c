/* A film strip: MuJoCo's renderer draws into a frame buffer of an EGL context without a window, and
 * the pictures are put next to each other. */
#include "film.h"

#include "heddle/author.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 240, HEIGHT = 240, GAP = 4 };

struct film {
    EGLDisplay display;
    EGLContext egl;
    mjvScene scene;
    mjvCamera camera;
    mjvOption option;
    mjrContext renderer;
    hed_image strip;
    uint32_t count, taken;
};

/* Opens OpenGL on a display without a screen. */
static bool open_egl(film *reel)
{
    PFNEGLGETPLATFORMDISPLAYEXTPROC platform =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    if (!platform) return false;
    reel->display = platform(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    const EGLint wanted[] = {
        EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig config;
    EGLint found = 0;
    if (!reel->display || !eglInitialize(reel->display, NULL, NULL) ||
        !eglBindAPI(EGL_OPENGL_API) ||
        !eglChooseConfig(reel->display, wanted, &config, 1, &found) || found < 1)
        return false;
    reel->egl = eglCreateContext(reel->display, config, EGL_NO_CONTEXT, NULL);
    return reel->egl && eglMakeCurrent(reel->display, EGL_NO_SURFACE, EGL_NO_SURFACE, reel->egl);
}

film *film_open(const mjModel *model, uint32_t count, hed_error *error)
{
    if (hed_failed(error)) return NULL;
    film *reel = calloc(1, sizeof *reel);
    if (!reel) {
        hed_fail(error, HED_ERROR_MEMORY, "out of memory for a film");
        return NULL;
    }
    if (!open_egl(reel)) {
        hed_fail(error, HED_ERROR_NO_DEVICE,
            "no OpenGL without a window: EGL on a surfaceless platform is expected (Mesa's "
            "libegl1 and libgl1-mesa-dri)");
        film_close(reel);
        return NULL;
    }
    mjv_defaultScene(&reel->scene);
    mjv_defaultCamera(&reel->camera);
    mjv_defaultOption(&reel->option);
    mjr_defaultContext(&reel->renderer);
    mjv_makeScene(model, &reel->scene, 2000);
    mjr_makeContext(model, &reel->renderer, mjFONTSCALE_100);
    mjr_setBuffer(mjFB_OFFSCREEN, &reel->renderer);
    reel->camera.type = mjCAMERA_FIXED;
    reel->camera.fixedcamid = mj_name2id(model, mjOBJ_CAMERA, "film");
    reel->count = count;
    if (hed_image_create(count * (WIDTH + GAP) - GAP, HEIGHT, 3, &reel->strip, error)) {
        film_close(reel);
        return NULL;
    }
    memset(reel->strip.pixels, 255, (size_t)reel->strip.width * HEIGHT * 3);
    return reel;
}

static void add_points(mjvScene *scene, const float *points, uint32_t count, uint32_t marks)
{
    for (uint32_t i = 0; i < count && scene->ngeom < scene->maxgeom; i++) {
        const float fade = i < marks ? 0 : (float)(i - marks) / (float)(count - marks);
        const float colour[4] = {i < marks ? 0.8f : 0.1f, 0.15f, i < marks ? 0.15f : 0.8f,
            i < marks ? 0.5f : 0.9f - 0.8f * fade};
        const mjtNum radius = i < marks ? 0.09 : 0.022;
        const mjtNum size[3] = {radius, radius, radius};
        const mjtNum at[3] = {points[3 * i], points[3 * i + 1], points[3 * i + 2]};
        mjv_initGeom(&scene->geoms[scene->ngeom++], mjGEOM_SPHERE, size, at, NULL, colour);
    }
}

void film_take(film *reel, const mjModel *model, mjData *data, const char *words,
    const float *points, uint32_t count, uint32_t marks)
{
    static unsigned char pixels[HEIGHT][WIDTH][3];
    const mjrRect view = {0, 0, WIDTH, HEIGHT};
    if (!reel || reel->taken == reel->count) return;
    mjv_updateScene(model, data, &reel->option, NULL, &reel->camera, mjCAT_ALL, &reel->scene);
    add_points(&reel->scene, points, count, marks);
    mjr_render(view, &reel->scene, &reel->renderer);
    mjr_overlay(mjFONT_NORMAL, mjGRID_BOTTOMLEFT, view, words, NULL, &reel->renderer);
    mjr_readPixels(pixels[0][0], NULL, view, &reel->renderer);
    for (uint32_t y = 0; y < HEIGHT; y++) /* OpenGL's rows begin at the bottom */
        memcpy(
            reel->strip.pixels + 3 * ((size_t)y * reel->strip.width + reel->taken * (WIDTH + GAP)),
            pixels[HEIGHT - 1 - y], sizeof pixels[0]);
    reel->taken++;
}

hed_status film_save(const film *reel, const char *path, hed_error *error)
{
    return hed_png_write(path, &reel->strip, error);
}

void film_close(film *reel)
{
    if (!reel) return;
    if (reel->scene.maxgeom) {
        mjv_freeScene(&reel->scene);
        mjr_freeContext(&reel->renderer);
    }
    if (reel->display) eglTerminate(reel->display);
    hed_image_free(&reel->strip);
    free(reel);
}
