/* What leaves a cloth: normals, and write-back into two buffers in turn. */
#include "solver/host.h"

#include <math.h>
#include <string.h>

static hed_buffer *or_none(const hed_cloth *cloth, hed_buffer *buffer)
{
    return buffer ? buffer : cloth->buffers.none;
}

/* Normals turn by the matrix of cofactors (the inverse transposed, times the determinant), columns
 * of four. */
static void cofactors(const float *m, float *normals)
{
    double determinant = 0.0, out[3][3];
    for (int a = 0; a < 3; a++) {
        const float *u = m + 4 * ((a + 1) % 3), *v = m + 4 * ((a + 2) % 3);
        for (int k = 0; k < 3; k++)
            out[a][k] =
                (double)u[(k + 1) % 3] * v[(k + 2) % 3] - (double)u[(k + 2) % 3] * v[(k + 1) % 3];
    }
    for (int k = 0; k < 3; k++) determinant += out[0][k] * m[k];
    for (int a = 0; a < 3; a++) {
        for (int k = 0; k < 3; k++)
            normals[4 * a + k] = (float)(determinant < 0.0 ? -out[a][k] : out[a][k]);
        normals[4 * a + 3] = 0.0f;
    }
}

void cloth_set_view(hed_cloth *cloth, const float *transform)
{
    static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    memcpy(cloth->host->transform, transform ? transform : identity, sizeof cloth->host->transform);
    cloth_fold_view(cloth);
}

void cloth_fold_view(hed_cloth *cloth)
{
    const float *m = cloth->host->transform;
    cloth_view *view = &cloth->host->view;
    memcpy(view->matrix, m, sizeof view->matrix);
    for (int k = 0; k < 3; k++)
        view->matrix[12 + k] = (float)(m[12 + k] + m[k] * cloth->origin[0] +
                                       m[4 + k] * cloth->origin[1] + m[8 + k] * cloth->origin[2]);
    cofactors(view->matrix, view->normals);
}

hed_status cloth_find_surface(hed_cloth *cloth, hed_error *error)
{
    cloth_buffers *b = &cloth->buffers;
    if (cloth->host->air_fresh) return HED_OK;
    hed_argument arguments[] = {hed_buffer_argument(b->position),
        hed_buffer_argument(b->incident_at), hed_buffer_argument(b->incident),
        hed_buffer_argument(b->triangles), hed_buffer_argument(b->air),
        hed_uint_argument(cloth->particles)};
    hed_status status =
        cloth_run(cloth, CLOTH_KERNEL_SURFACE, cloth->particles, arguments, 6, error);
    cloth->host->air_fresh = !status;
    return status;
}

static hed_status write_back(
    hed_cloth *cloth, hed_buffer *vertices, hed_buffer *normals, hed_error *error)
{
    cloth_buffers *b = &cloth->buffers;
    cloth_view view = cloth->host->view;
    if (cloth->wants_normals) view.flags |= CLOTH_VIEW_NORMALS;
    hed_argument arguments[] = {hed_buffer_argument(b->position),
        hed_buffer_argument(or_none(cloth, b->debug)),
        hed_buffer_argument(or_none(cloth, b->vertex_particle)),
        hed_buffer_argument(or_none(cloth, b->air)), hed_buffer_argument(vertices),
        hed_buffer_argument(or_none(cloth, normals)), hed_buffer_argument(b->flags),
        hed_struct_argument(&view, sizeof view)};
    return cloth_run(cloth, CLOTH_KERNEL_WRITE_BACK, cloth->vertices, arguments, 8, error);
}

hed_status cloth_show(hed_cloth *cloth, hed_error *error)
{
    cloth_host *host = cloth->host;
    uint32_t turn = host->turn;
    hed_buffer *vertices = host->into[turn] ? host->into[turn] : cloth->buffers.vertices[turn];
    bool shared = host->into[turn] && host->into_gl;
    hed_status status = cloth->wants_normals ? cloth_find_surface(cloth, error) : HED_OK;
    if (!status && shared) status = hed_buffer_gl_acquire(cloth->stream, vertices, error);
    if (!status) status = write_back(cloth, vertices, cloth->buffers.normals[turn], error);
    if (!status && shared) status = hed_buffer_gl_release(cloth->stream, vertices, error);
    if (!status) host->turn = 1 - turn;
    return status ? status : hed_stream_flush(cloth->stream, error);
}

hed_status hed_cloth_enable_normals(hed_cloth *cloth, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    cloth_buffers *b = &cloth->buffers;
    hed_status status = cloth_upload_surface(cloth, error);
    for (int i = 0; i < 2 && !status; i++)
        if (!b->normals[i])
            status =
                cloth_upload(cloth, NULL, cloth->vertices * sizeof(float4), &b->normals[i], error);
    if (!status) status = cloth_kernel_ensure(cloth, CLOTH_KERNEL_SURFACE, cloth->particles, error);
    if (!status) cloth->wants_normals = true;
    return status;
}

static hed_status check_into(const hed_cloth *cloth, const hed_buffer *buffer, hed_error *error)
{
    uint64_t wanted = cloth->vertices * sizeof(float4);
    if (!buffer)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "one of two vertex buffers is NULL: both or none");
    if (hed_buffer_device(buffer) != cloth->device)
        return hed_fail(error, HED_ERROR_ARGUMENT, "a vertex buffer belongs to another device");
    if (hed_buffer_size(buffer) >= wanted) return HED_OK;
    return hed_fail(error, HED_ERROR_BOUNDS,
        "a vertex buffer of %llu bytes: %u vertices of 16 bytes are %llu",
        (unsigned long long)hed_buffer_size(buffer), cloth->vertices, (unsigned long long)wanted);
}

/* Whether OpenGL has a share in a buffer, which only taking it tells. */
static bool is_gl(hed_cloth *cloth, hed_buffer *buffer)
{
    return hed_buffer_gl_acquire(cloth->stream, buffer, NULL) == HED_OK &&
           hed_buffer_gl_release(cloth->stream, buffer, NULL) == HED_OK;
}

hed_status hed_cloth_set_vertex_buffers(
    hed_cloth *cloth, hed_buffer *even, hed_buffer *odd, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    cloth_host *host = cloth->host;
    if (even || odd) {
        hed_status status = check_into(cloth, even, error);
        if (!status) status = check_into(cloth, odd, error);
        if (status) return status;
        host->into_gl = is_gl(cloth, even);
        if (host->into_gl != is_gl(cloth, odd))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "one of two vertex buffers is shared with OpenGL: both or none");
    }
    host->into[0] = even;
    host->into[1] = odd;
    host->turn = 0;
    return HED_OK;
}

hed_buffer *hed_cloth_vertex_buffer(const hed_cloth *cloth)
{
    uint32_t last = 1 - cloth->host->turn;
    return cloth->host->into[last] ? cloth->host->into[last] : cloth->buffers.vertices[last];
}

hed_buffer *hed_cloth_normal_buffer(const hed_cloth *cloth)
{
    return cloth->buffers.normals[1 - cloth->host->turn];
}
