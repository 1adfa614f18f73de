/* Pictures by OpenGL without a window: surfaces are uploaded to OpenGL, the renderer draws them,
 * the pixels are read back. */
#include "gl_picture.h"

#include "view_gl.h"
#include "studio.h"
#include "renderer.h"

#include "heddle/author.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BUFFER_POSITIONS, BUFFER_NORMALS, BUFFER_COLOURS, BUFFER_TRIANGLES, BUFFER_COUNT };
enum { MAX_ATTEMPTS = 5 }; /* attempts at one picture, each but the first in a new context */

/* Buffers of a surface in OpenGL; used again for the next picture. */
typedef struct slot {
    GLuint vertex_array, buffers[BUFFER_COUNT];
} slot;

struct cloth_gl_picture {
    uint32_t width, height;
    cloth_headless headless;
    cloth_renderer *renderer;
    cloth_target target;
    slot *slots;
    uint32_t slot_count;
    char words[160];
};

static hed_status gl_picture_start(cloth_gl_picture *p, hed_error *error)
{
    hed_status status;
    if ((status = cloth_headless_create(&p->headless, error)) ||
        (status = cloth_renderer_create(p->headless.GetProcAddress, &p->renderer, error)) ||
        (status = cloth_renderer_resize(p->renderer, p->width, p->height, error)))
        return status;
    const cloth_gl *gl = cloth_renderer_gl(p->renderer);
    snprintf(p->words, sizeof p->words, "OpenGL, %.120s", (const char *)gl->GetString(GL_RENDERER));
    status = cloth_target_create(gl, p->width, p->height, &p->target, error);
    cloth_headless_bind(&p->headless, false);
    return status;
}

hed_status cloth_gl_picture_create(
    uint32_t width, uint32_t height, cloth_gl_picture **picture, hed_error *error)
{
    cloth_gl_picture *p = *picture = calloc(1, sizeof *p);
    if (!p) return HED_OUT_OF_MEMORY(error, "the renderer");
    p->width = width;
    p->height = height;
    hed_status status = gl_picture_start(p, error);
    if (status) {
        cloth_gl_picture_destroy(p);
        *picture = NULL;
    }
    return status;
}

static void gl_picture_stop(cloth_gl_picture *p)
{
    if (p->renderer && cloth_headless_bind(&p->headless, true)) {
        const cloth_gl *gl = cloth_renderer_gl(p->renderer);
        for (uint32_t i = 0; i < p->slot_count; i++) {
            gl->DeleteVertexArrays(1, &p->slots[i].vertex_array);
            gl->DeleteBuffers(BUFFER_COUNT, p->slots[i].buffers);
        }
        cloth_target_destroy(gl, &p->target);
        cloth_renderer_destroy(p->renderer);
    }
    cloth_headless_destroy(&p->headless);
    free(p->slots);
    p->renderer = NULL;
    p->slots = NULL;
    p->slot_count = 0;
}

void cloth_gl_picture_destroy(cloth_gl_picture *p)
{
    if (!p) return;
    gl_picture_stop(p);
    free(p);
}

const char *cloth_gl_picture_renderer(const cloth_gl_picture *picture) { return picture->words; }

bool cloth_gl_picture_in_software(const cloth_gl_picture *picture)
{
    /* drivers of Mesa */
    static const char *const names[] = {"llvmpipe", "softpipe", "SWR", "Software", "swrast"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(picture->words, names[i])) return true;
    return false;
}

/* ---- surfaces ---- */

static hed_status need_slots(cloth_gl_picture *p, uint32_t count, hed_error *error)
{
    if (count <= p->slot_count) return HED_OK;
    slot *slots = realloc(p->slots, count * sizeof *slots);
    if (!slots) return HED_OUT_OF_MEMORY(error, "%u surfaces", count);
    p->slots = slots;
    const cloth_gl *gl = cloth_renderer_gl(p->renderer);
    for (; p->slot_count < count; p->slot_count++) {
        gl->GenVertexArrays(1, &slots[p->slot_count].vertex_array);
        gl->GenBuffers(BUFFER_COUNT, slots[p->slot_count].buffers);
    }
    return HED_OK;
}

static void gl_picture_put(const cloth_gl *gl, GLuint buffer, GLuint attribute, GLint components,
    GLenum type, GLboolean normalized, const void *content, size_t size)
{
    gl->BindBuffer(GL_ARRAY_BUFFER, buffer);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, content, GL_STREAM_DRAW);
    gl->EnableVertexAttribArray(attribute);
    gl->VertexAttribPointer(attribute, components, type, normalized, 0, NULL);
}

/* Puts a surface into OpenGL's memory. */
static hed_status gl_picture_upload(cloth_gl_picture *p, const cloth_surface *surface,
    const slot *s, cloth_drawable *drawable, hed_error *error)
{
    const cloth_gl *gl = cloth_renderer_gl(p->renderer);
    size_t size = 3 * (size_t)surface->vertex_count * sizeof(float);
    float *normals = NULL;
    if (!surface->normals) {
        normals = malloc(size + 1);
        if (!normals)
            return HED_OUT_OF_MEMORY(error, "the normals of %u vertices", surface->vertex_count);
        cloth_make_normals(surface->positions, surface->vertex_count, surface->triangles,
            surface->triangle_count, normals);
    }
    gl->BindVertexArray(s->vertex_array);
    gl_picture_put(
        gl, s->buffers[BUFFER_POSITIONS], 0, 3, GL_FLOAT, GL_FALSE, surface->positions, size);
    gl_picture_put(gl, s->buffers[BUFFER_NORMALS], 1, 3, GL_FLOAT, GL_FALSE,
        normals ? normals : surface->normals, size);
    if (surface->colours)
        gl_picture_put(gl, s->buffers[BUFFER_COLOURS], 2, 4, GL_UNSIGNED_BYTE, GL_TRUE,
            surface->colours, 4 * (size_t)surface->vertex_count);
    else gl->DisableVertexAttribArray(2);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, s->buffers[BUFFER_TRIANGLES]);
    gl->BufferData(GL_ELEMENT_ARRAY_BUFFER,
        (GLsizeiptr)(3 * (size_t)surface->triangle_count * sizeof(uint32_t)), surface->triangles,
        GL_STREAM_DRAW);
    gl->BindVertexArray(0);
    free(normals);
    *drawable = (cloth_drawable){.vertex_array = s->vertex_array,
        .index_count = 3 * surface->triangle_count,
        .two_sided = surface->two_sided};
    memcpy(drawable->colour, surface->colour, sizeof drawable->colour);
    if (gl->GetError() == GL_NO_ERROR) return HED_OK;
    return hed_fail(error, HED_ERROR_DEVICE_MEMORY,
        "OpenGL has no memory for a surface of %u vertices", surface->vertex_count);
}

static hed_status gl_picture_draw_once(cloth_gl_picture *p, const cloth_studio *studio,
    const hed_cloth_camera *camera, const cloth_box *box, const cloth_surface *surfaces,
    uint32_t count, hed_image *image, hed_error *error)
{
    if (!cloth_headless_bind(&p->headless, true))
        return hed_fail(error, HED_ERROR_DRIVER, "EGL does not take its context in this thread");
    cloth_drawable *drawables = calloc(count + 1, sizeof *drawables);
    hed_status status =
        drawables ? need_slots(p, count, error) : HED_OUT_OF_MEMORY(error, "%u surfaces", count);
    for (uint32_t i = 0; i < count && !status; i++)
        status = gl_picture_upload(p, &surfaces[i], &p->slots[i], &drawables[i], error);
    if (!status) {
        uint8_t stamp = cloth_renderer_draw(
            p->renderer, p->target.framebuffer, studio, camera, box, drawables, count);
        status = cloth_target_read(cloth_renderer_gl(p->renderer), &p->target, stamp, image, error);
    }
    free(drawables);
    cloth_headless_bind(&p->headless, false);
    return status;
}

hed_status cloth_gl_picture_draw(cloth_gl_picture *p, const cloth_studio *studio,
    const hed_cloth_camera *camera, const cloth_box *box, const cloth_surface *surfaces,
    uint32_t count, hed_image *image, hed_error *error)
{
    hed_status status = HED_OK;
    long pause_ns = 100000000; /* a process that hangs the device may take seconds to end */
    for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        /* a new context is good again once the device has been reset */
        if (attempt > 1 || !p->renderer) {
            if (attempt > 1) nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
            pause_ns *= 2;
            hed_error_clear(error);
            gl_picture_stop(p);
            status = gl_picture_start(p, error);
            if (status) break;
        }
        status = gl_picture_draw_once(p, studio, camera, box, surfaces, count, image, error);
        if (status != HED_ERROR_LOST) break;
    }
    return status;
}
