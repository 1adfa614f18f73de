/* Surfaces in OpenGL's memory, from frame to frame. */
#include "vertices.h"

#include "studio.h"
#include "pictures.h"

#include "heddle/author.h"

#include <stdlib.h>
#include <string.h>

/* Prop, as last uploaded. */
typedef struct prop {
    GLuint positions, normals, triangles;
    float *was; /* (vertex_count x 3) positions, then (vertex_count x 3) normals */
    uint32_t vertex_count;
} prop;

struct cloth_vertices {
    const cloth_gl *gl;
    hed_cloth_scene *scene;
    hed_cloth *cloth;
    uint32_t count; /* vertices of the cloth */
    bool shared;
    /* shared: used in turn; else only the first ones, with separate colours */
    GLuint positions[2], normals[2], colours;
    hed_buffer *device_positions[2], *device_normals[2];
    /* not shared: (count x 3) positions, then (count x 3) normals, then (count x 4) bytes */
    float *host;
    uint32_t garment_count, prop_count;
    GLuint *triangles;         /* (garment_count) */
    prop *props;               /* (prop_count) */
    cloth_drawable *drawables; /* drawables of garments, then of props */
    cloth_box box;             /* bounds of the cloth */
};

static hed_status vertices_no_memory(hed_error *error, const char *what)
{
    return HED_OUT_OF_MEMORY(error, "%s of the view", what);
}

/* ---- the cloth ---- */

static hed_status vertices_add_garment(
    cloth_vertices *v, uint32_t garment, uint32_t copies, hed_error *error)
{
    const cloth_gl *gl = v->gl;
    cloth_drawable *drawable = &v->drawables[garment];
    uint32_t first_particle, first_vertex, count;
    hed_cloth_garment_range(v->cloth, garment, &first_particle, &first_vertex);
    uint32_t *triangles =
        cloth_mesh_triangles(hed_cloth_scene_mesh(v->scene, garment), first_vertex, copies, &count);
    if (!triangles) return vertices_no_memory(error, "the triangles");
    drawable->index_count = 3 * count;
    hed_cloth_scene_colour(v->scene, garment, drawable->colour);
    drawable->two_sided = true;
    gl->GenVertexArrays(1, &drawable->vertex_array);
    gl->BindVertexArray(drawable->vertex_array);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, v->triangles[garment]);
    gl->BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(drawable->index_count * sizeof *triangles),
        triangles, GL_STATIC_DRAW);
    gl->BindVertexArray(0);
    free(triangles);
    return HED_OK;
}

/* Points every garment's vertex array to the buffers of the last frame. */
static void point_arrays(cloth_vertices *v, int turn, bool colours)
{
    const cloth_gl *gl = v->gl;
    GLsizei stride = v->shared ? 16 : 0;
    for (uint32_t g = 0; g < v->garment_count; g++) {
        gl->BindVertexArray(v->drawables[g].vertex_array);
        gl->BindBuffer(GL_ARRAY_BUFFER, v->positions[turn]);
        gl->EnableVertexAttribArray(0);
        gl->VertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, stride, NULL);
        if (!v->shared) gl->BindBuffer(GL_ARRAY_BUFFER, v->colours);
        gl->VertexAttribPointer(
            2, 4, GL_UNSIGNED_BYTE, GL_TRUE, stride, (const void *)(uintptr_t)(v->shared ? 12 : 0));
        v->drawables[g].marks = colours;
        if (colours) gl->EnableVertexAttribArray(2);
        else gl->DisableVertexAttribArray(2);
        gl->BindBuffer(GL_ARRAY_BUFFER, v->normals[turn]);
        gl->EnableVertexAttribArray(1);
        gl->VertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, stride, NULL);
    }
    gl->BindVertexArray(0);
}

/* ---- sharing ---- */

static void unshare(cloth_vertices *v)
{
    for (int i = 0; i < 2; i++) {
        hed_buffer_destroy(v->device_positions[i]);
        hed_buffer_destroy(v->device_normals[i]);
        v->device_positions[i] = v->device_normals[i] = NULL;
    }
}

/* Makes two pairs of buffers and shares them with the device; false: the device can only copy,
 * and then reading is cheaper. */
static bool vertices_share(cloth_vertices *v, cloth_gl_get_function *get)
{
    const hed_gl shared = {.get_proc_address = get};
    hed_device *device = hed_stream_device(hed_cloth_stream(v->cloth));
    uint64_t size = 16 * (uint64_t)v->count;
    bool good = hed_device_describe(device).capabilities & HED_CAN_GL_SHARING;
    for (int i = 0; i < 4 && good; i++) {
        bool copied = true;
        GLuint name = i < 2 ? v->positions[i] : v->normals[i - 2];
        v->gl->BindBuffer(GL_ARRAY_BUFFER, name);
        v->gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, NULL, GL_DYNAMIC_DRAW);
        good = hed_buffer_from_gl(device, &shared, name, size, &copied,
                   i < 2 ? &v->device_positions[i] : &v->device_normals[i - 2], NULL) == HED_OK &&
               !copied;
    }
    good = good && hed_cloth_set_vertex_buffers(
                       v->cloth, v->device_positions[0], v->device_positions[1], NULL) == HED_OK;
    if (!good) unshare(v);
    return good;
}

hed_status cloth_vertices_follow(cloth_vertices *v, hed_error *error)
{
    if (!v->shared) return HED_OK;
    hed_stream *stream = hed_cloth_stream(v->cloth);
    hed_buffer *to = v->device_normals[hed_cloth_vertex_buffer(v->cloth) == v->device_positions[1]];
    hed_buffer_gl_acquire(stream, to, error);
    hed_copy(stream, to, 0, hed_cloth_normal_buffer(v->cloth), 0, 16 * (uint64_t)v->count, error);
    return hed_buffer_gl_release(stream, to, error);
}

/* ---- from frame to frame ---- */

static void vertices_put(const cloth_gl *gl, GLuint buffer, const void *content, size_t size)
{
    gl->BindBuffer(GL_ARRAY_BUFFER, buffer);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, content, GL_STREAM_DRAW);
}

hed_status cloth_vertices_take(cloth_vertices *v, bool colours, hed_error *error)
{
    if (v->shared) {
        hed_status status = hed_cloth_wait(v->cloth, error);
        if (!status)
            point_arrays(v, hed_cloth_vertex_buffer(v->cloth) == v->device_positions[1], colours);
        return status;
    }
    size_t size = 3 * (size_t)v->count;
    float *normals = v->host + size;
    uint8_t *bytes = (uint8_t *)(normals + size);
    hed_status status = hed_cloth_read(v->cloth, v->host, normals, bytes, error);
    if (status) return status;
    vertices_put(v->gl, v->positions[0], v->host, size * sizeof(float));
    vertices_put(v->gl, v->normals[0], normals, size * sizeof(float));
    vertices_put(v->gl, v->colours, bytes, 4 * (size_t)v->count);
    v->box = cloth_box_nothing();
    cloth_box_add(&v->box, v->host, v->count);
    point_arrays(v, 0, colours);
    return HED_OK;
}

/* ---- props ---- */

/* Makes the vertex array of a prop that is new or has another number of vertices. */
static hed_status start_prop(cloth_vertices *v, prop *p, cloth_drawable *drawable,
    const hed_cloth_prop *current, hed_error *error)
{
    const cloth_gl *gl = v->gl;
    float *was = calloc(6 * (size_t)current->vertex_count + 1, sizeof *was);
    if (!was) return vertices_no_memory(error, "the props");
    free(p->was);
    p->was = was;
    p->vertex_count = current->vertex_count;
    drawable->index_count = 3 * current->triangle_count;
    memcpy(drawable->colour, current->colour, sizeof drawable->colour);
    gl->BindVertexArray(drawable->vertex_array);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, p->triangles);
    gl->BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(drawable->index_count * sizeof(uint32_t)),
        current->triangles, GL_STATIC_DRAW);
    gl->BindBuffer(GL_ARRAY_BUFFER, p->positions);
    gl->EnableVertexAttribArray(0);
    gl->VertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
    gl->BindBuffer(GL_ARRAY_BUFFER, p->normals);
    gl->EnableVertexAttribArray(1);
    gl->VertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, 0, NULL);
    gl->BindVertexArray(0);
    return HED_OK;
}

hed_status cloth_vertices_take_props(cloth_vertices *v, hed_error *error)
{
    for (uint32_t i = 0; i < v->prop_count; i++) {
        prop *p = &v->props[i];
        hed_cloth_prop current = hed_cloth_scene_prop(v->scene, i);
        size_t size = 3 * (size_t)current.vertex_count * sizeof(float);
        bool first = !p->was || p->vertex_count != current.vertex_count;
        hed_status status =
            first ? start_prop(v, p, &v->drawables[v->garment_count + i], &current, error) : HED_OK;
        if (status) return status;
        if (!first && memcmp(p->was, current.positions, size) == 0) continue;
        float *normals = p->was + 3 * (size_t)current.vertex_count;
        memcpy(p->was, current.positions, size);
        cloth_make_normals(current.positions, current.vertex_count, current.triangles,
            current.triangle_count, normals);
        vertices_put(v->gl, p->positions, current.positions, size);
        vertices_put(v->gl, p->normals, normals, size);
    }
    return HED_OK;
}

/* ---- drawables ---- */

const cloth_drawable *cloth_vertices_drawables(const cloth_vertices *v, uint32_t *count)
{
    *count = v->garment_count + v->prop_count;
    return v->drawables;
}

cloth_box cloth_vertices_box(const cloth_vertices *v, cloth_box *whole)
{
    cloth_box box = v->box;
    *whole = v->box;
    float radius_limit = 3 * cloth_box_radius(&v->box);
    for (uint32_t i = 0; i < v->prop_count; i++) {
        cloth_box prop_box = cloth_box_nothing();
        cloth_box_add(&prop_box, v->props[i].was, v->props[i].was ? v->props[i].vertex_count : 0);
        if (cloth_box_empty(&prop_box)) continue;
        if (hed_cloth_scene_prop(v->scene, i).triangle_count) cloth_box_join(whole, &prop_box);
        if (cloth_box_radius(&prop_box) <= radius_limit) cloth_box_join(&box, &prop_box);
    }
    return box;
}

void cloth_vertices_measured(
    cloth_vertices *v, const hed_cloth_metrics *quality, const float *transform)
{
    if (!v->shared || quality->not_finite) return;
    cloth_box box = cloth_box_nothing();
    for (int corner = 0; corner < 8; corner++) {
        float p[3], moved[3];
        for (int k = 0; k < 3; k++) {
            /* margin for the motion until the next measurement */
            double margin = 0.1 * (quality->high[k] - quality->low[k]);
            p[k] = (float)(corner >> k & 1 ? quality->high[k] + margin : quality->low[k] - margin);
        }
        for (int k = 0; k < 3 && transform; k++)
            moved[k] = transform[k] * p[0] + transform[4 + k] * p[1] + transform[8 + k] * p[2] +
                       transform[12 + k];
        cloth_box_add(&box, transform ? moved : p, 1);
    }
    v->box = box;
}

/* ---- life ---- */

static hed_status vertices_allocate(cloth_vertices *v, hed_error *error)
{
    v->garment_count = hed_cloth_scene_garment_count(v->scene);
    v->prop_count = hed_cloth_scene_prop_count(v->scene);
    v->count = hed_cloth_vertex_count(v->cloth);
    v->triangles = calloc(v->garment_count + 1, sizeof *v->triangles);
    v->props = calloc(v->prop_count + 1, sizeof *v->props);
    v->drawables = calloc((size_t)v->garment_count + v->prop_count + 1, sizeof *v->drawables);
    v->host = malloc(28 * (size_t)v->count + 1);
    if (!v->triangles || !v->props || !v->drawables || !v->host)
        return vertices_no_memory(error, "the surfaces");
    const cloth_gl *gl = v->gl;
    gl->GenBuffers(2, v->positions);
    gl->GenBuffers(2, v->normals);
    gl->GenBuffers(1, &v->colours);
    gl->GenBuffers((GLsizei)v->garment_count, v->triangles);
    for (uint32_t i = 0; i < v->prop_count; i++) {
        gl->GenBuffers(1, &v->props[i].positions);
        gl->GenBuffers(1, &v->props[i].normals);
        gl->GenBuffers(1, &v->props[i].triangles);
        gl->GenVertexArrays(1, &v->drawables[v->garment_count + i].vertex_array);
    }
    return HED_OK;
}

hed_status cloth_vertices_create(const cloth_gl *gl, cloth_gl_get_function *get,
    hed_cloth_scene *scene, hed_cloth *cloth, cloth_vertices **vertices, hed_error *error)
{
    hed_cloth_def def = hed_cloth_scene_def(scene);
    cloth_vertices *v = *vertices = calloc(1, sizeof *v);
    if (!v) return vertices_no_memory(error, "the surfaces");
    *v = (cloth_vertices){.gl = gl, .scene = scene, .cloth = cloth, .box = cloth_box_nothing()};
    vertices_allocate(v, error);
    for (uint32_t g = 0; g < v->garment_count && !error->status; g++)
        vertices_add_garment(v, g, def.garments[g].copies, error);
    if (!hed_cloth_enable_normals(cloth, error)) {
        v->shared = vertices_share(v, get);
        if (gl->GetError() == GL_NO_ERROR) return HED_OK;
        hed_fail(error, HED_ERROR_DEVICE_MEMORY, "OpenGL has no memory for %u vertices", v->count);
    }
    cloth_vertices_destroy(v);
    *vertices = NULL;
    return error->status;
}

void cloth_vertices_destroy(cloth_vertices *v)
{
    if (!v) return;
    const cloth_gl *gl = v->gl;
    if (v->shared) hed_cloth_set_vertex_buffers(v->cloth, NULL, NULL, NULL);
    unshare(v);
    gl->DeleteBuffers(2, v->positions);
    gl->DeleteBuffers(2, v->normals);
    gl->DeleteBuffers(1, &v->colours);
    if (v->triangles) gl->DeleteBuffers((GLsizei)v->garment_count, v->triangles);
    for (uint32_t i = 0; v->drawables && i < v->garment_count + v->prop_count; i++)
        gl->DeleteVertexArrays(1, &v->drawables[i].vertex_array);
    for (uint32_t i = 0; v->props && i < v->prop_count; i++) {
        gl->DeleteBuffers(
            3, (GLuint[]){v->props[i].positions, v->props[i].normals, v->props[i].triangles});
        free(v->props[i].was);
    }
    free(v->triangles);
    free(v->props);
    free(v->drawables);
    free(v->host);
    free(v);
}

bool cloth_vertices_shared(const cloth_vertices *v) { return v->shared; }
