/* Waiting and reading. A position that is no longer a finite number is found here, told, and undone: the cloth goes
 * back to the last state that was found good. */
#include "solver/host.h"

#include <string.h>

/* A state is kept at the first successful wait after so many frames: a copy on the device, which nobody waits for. */
enum { KEPT_EVERY = 30 };

hed_status cloth_keep_state(hed_cloth *cloth, hed_error *error)
{
    cloth_host *host = cloth->host;
    cloth_buffers *b = &cloth->buffers;
    hed_status status = hed_copy(cloth->stream, host->good_position, 0, b->position, 0, hed_buffer_size(b->position),
                                 error);
    if (!status)
        status = hed_copy(cloth->stream, host->good_previous, 0, b->previous, 0, hed_buffer_size(b->previous), error);
    if (!status) status = hed_copy(cloth->stream, host->good_carry, 0, b->carry, 0, hed_buffer_size(b->carry), error);
    if (status) return status;
    host->good_dt = cloth->last_dt;
    host->good_time = cloth->time;
    host->good_frame = cloth->frame;
    memcpy(host->good_origin, cloth->origin, sizeof host->good_origin);
    return HED_OK;
}

static hed_status go_back(hed_cloth *cloth, hed_error *error)
{
    cloth_host *host = cloth->host;
    cloth_buffers *b = &cloth->buffers;
    static const uint32_t zero = 0;
    hed_status status = hed_copy(cloth->stream, b->position, 0, host->good_position, 0, hed_buffer_size(b->position),
                                 error);
    if (!status)
        status = hed_copy(cloth->stream, b->previous, 0, host->good_previous, 0, hed_buffer_size(b->previous), error);
    if (!status) status = hed_copy(cloth->stream, b->carry, 0, host->good_carry, 0, hed_buffer_size(b->carry), error);
    if (!status) status = cloth_origin_go_back(cloth, host->good_origin, error);
    if (!status) status = hed_fill(cloth->stream, b->flags, 0, 16, &zero, sizeof zero, error);
    if (status) return status;
    cloth->last_dt = host->good_dt;
    cloth->time = host->good_time;
    cloth->frame = host->good_frame;
    host->air_fresh = false;
    status = cloth_show(cloth, error);
    return status ? status : hed_stream_wait(cloth->stream, error);
}

/* Reads a whole array of float4 into memory of the cloth's allocator. */
static hed_status read_array(hed_cloth *cloth, hed_buffer *buffer, float4 **array, hed_error *error)
{
    uint64_t count = hed_buffer_size(buffer) / sizeof **array;
    *array = cloth_allocate(&cloth->allocator, count, sizeof **array, error);
    if (!*array) return HED_ERROR_MEMORY;
    hed_status status = hed_read(cloth->stream, *array, buffer, 0, count * sizeof **array, error);
    if (!status) status = hed_stream_wait(cloth->stream, error);
    if (!status) return HED_OK;
    cloth_release(&cloth->allocator, *array, count, sizeof **array);
    *array = NULL;
    return status;
}

static void free_array(hed_cloth *cloth, const hed_buffer *buffer, float4 *array)
{
    cloth_release(&cloth->allocator, array, hed_buffer_size(buffer) / sizeof *array, sizeof *array);
}

/* Says which particle it is, then goes back. */
static hed_status tell_broken(hed_cloth *cloth, hed_error *error)
{
    float4 *positions;
    uint32_t first = 0, garment = 0;
    hed_status status = read_array(cloth, cloth->buffers.position, &positions, error);
    if (status) return status;
    while (first + 1 < cloth->particles && cloth_finite(positions[first])) first++;
    while (garment + 1 < cloth->garment_count && cloth->first_particle[garment + 1] <= first) garment++;
    float4 at = positions[first];
    free_array(cloth, cloth->buffers.position, positions);
    uint32_t frame = cloth->frame;
    const double origin[3] = {cloth->origin[0], cloth->origin[1], cloth->origin[2]};
    status = go_back(cloth, error);
    if (status) return status;
    return cloth_fail(error, HED_ERROR_FORMAT,
                      "at frame %u particle %u of garment %u (\"%s\") is at %g %g %g: no longer a place; the cloth "
                      "went back to frame %u",
                      frame, first - cloth->first_particle[garment], garment, cloth->garments[garment]->name, at.x + origin[0],
                      at.y + origin[1], at.z + origin[2], cloth->frame);
}

/* Groups that exchange by packets gave up waiting: their positions are of no use. */
static hed_status tell_lost(hed_cloth *cloth, hed_error *error)
{
    uint32_t frame = cloth->frame;
    hed_status status = go_back(cloth, error);
    if (status) return status;
    return cloth_fail(error, HED_ERROR_DRIVER,
                      "at frame %u a patch waited for its neighbours in vain; the cloth went back to frame %u", frame,
                      cloth->frame);
}

hed_status hed_cloth_wait(hed_cloth *cloth, hed_error *error)
{
    cloth_host *host = cloth->host;
    uint32_t flags[4] = {0};
    if (!host->stirred) return hed_stream_wait(cloth->stream, error);
    hed_status status = hed_read(cloth->stream, flags, cloth->buffers.flags, 0, sizeof flags, error);
    if (!status) status = hed_stream_wait(cloth->stream, error);
    if (status) return status;
    host->stirred = false;
    if (flags[1]) return tell_lost(cloth, error);
    if (flags[0]) return tell_broken(cloth, error);
    return cloth->frame - host->good_frame >= KEPT_EVERY ? cloth_keep_state(cloth, error) : HED_OK;
}

/* ---- reading ---- */

/* What the device has, and write-back by the native version: it does not depend on who holds the vertex buffers. */
typedef struct read_arrays {
    float4 *positions, *air;
    uint2 *debug;
    uint32_t *vertex_particle;
} read_arrays;

static hed_status fetch(hed_cloth *cloth, hed_buffer *buffer, void **array, hed_error *error)
{
    uint64_t bytes = hed_buffer_size(buffer);
    *array = cloth_allocate(&cloth->allocator, bytes, 1, error);
    return *array ? hed_read(cloth->stream, *array, buffer, 0, bytes, error) : HED_ERROR_MEMORY;
}

static void drop(hed_cloth *cloth, const hed_buffer *buffer, void *array)
{
    if (array) cloth_release(&cloth->allocator, array, hed_buffer_size(buffer), 1);
}

static hed_status fetch_arrays(hed_cloth *cloth, bool normals, bool colours, read_arrays *r, hed_error *error)
{
    cloth_buffers *b = &cloth->buffers;
    hed_status status = fetch(cloth, b->position, (void **)&r->positions, error);
    if (!status && normals) status = cloth_upload_surface(cloth, error);
    if (!status && normals) status = cloth_find_surface(cloth, error);
    if (!status && normals) status = fetch(cloth, b->air, (void **)&r->air, error);
    if (!status && colours && b->debug) status = fetch(cloth, b->debug, (void **)&r->debug, error);
    if (!status && b->vertex_particle) status = fetch(cloth, b->vertex_particle, (void **)&r->vertex_particle, error);
    hed_status waited = hed_stream_wait(cloth->stream, status ? NULL : error);
    return status ? status : waited;
}

static void show_vertex(const hed_cloth *cloth, const read_arrays *r, uint32_t i, float *position, float *normal,
                        uint8_t *colour)
{
    float4 vertex, turned;
    uint broken = 0;
    cloth_view view = cloth->host->view;
    uint particle = r->vertex_particle ? r->vertex_particle[i] : i;
    view.flags = (r->debug ? CLOTH_VIEW_COLOURS : 0) | (r->air ? CLOTH_VIEW_NORMALS : 0);
    cloth_write_back_one(0, r->positions + particle, r->debug ? r->debug + particle : NULL, NULL,
                         r->air ? r->air + particle : NULL, &vertex, &turned, &broken, view);
    if (position) memcpy(position, &vertex, 3 * sizeof(float));
    if (normal) memcpy(normal, &turned, 3 * sizeof(float));
    if (colour) memcpy(colour, &vertex.w, 4);
}

hed_status hed_cloth_read(hed_cloth *cloth, float *positions, float *normals, uint8_t *colours, hed_error *error)
{
    cloth_buffers *b = &cloth->buffers;
    read_arrays r = {0};
    hed_status status = hed_cloth_wait(cloth, error);
    if (status) return status;
    status = fetch_arrays(cloth, normals, colours, &r, error);
    for (uint32_t i = 0; i < cloth->vertices && !status; i++)
        show_vertex(cloth, &r, i, positions ? positions + 3 * (uint64_t)i : NULL,
                    normals ? normals + 3 * (uint64_t)i : NULL, colours ? colours + 4 * (uint64_t)i : NULL);
    drop(cloth, b->position, r.positions);
    drop(cloth, b->air, r.air);
    drop(cloth, b->debug, r.debug);
    drop(cloth, b->vertex_particle, r.vertex_particle);
    return status;
}
