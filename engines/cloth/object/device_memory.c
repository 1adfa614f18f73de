/* Device memory of a cloth: buffers, staged uploads, and positions of the world relative to the
 * origins. */
#include "object/cloth_object.h"

#include <string.h>

/* ---- buffers ---- */

hed_status cloth_upload(
    hed_cloth *cloth, const void *content, uint64_t size, hed_buffer **buffer, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    hed_buffer_def def = hed_default_buffer_def(size ? size : 1);
    hed_buffer_create(cloth->device, &def, buffer, error);
    if (content && size) hed_write(cloth->stream, *buffer, 0, content, size, error);
    else hed_fill(cloth->stream, *buffer, 0, def.size, "", 1, error);
    return hed_stream_wait(cloth->stream, error);
}

void cloth_buffers_destroy(hed_buffer **buffers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hed_buffer_destroy(buffers[i]);
        buffers[i] = NULL;
    }
}

uint64_t cloth_buffers_bytes(hed_buffer **buffers, size_t count)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        if (buffers[i]) bytes += hed_buffer_describe(buffers[i]).size;
    return bytes;
}

/* ---- staging ---- */

static bool needs_none(const hed_cloth *cloth) { return cloth->staging.bytes == 0; }

hed_status cloth_stage_begin(hed_cloth *cloth, hed_error *error)
{
    if (needs_none(cloth)) return HED_OK;
    cloth_staging *staging = &cloth->staging;
    staging->current = (staging->current + 1) % CLOTH_SLOTS;
    cloth_slot *slot = &staging->slots[staging->current];
    if (!slot->done) hed_event_create(cloth->device, false, &slot->done, error);
    if (!slot->pinned && !hed_failed(error)) {
        hed_buffer_def def = {.memory = HED_MEMORY_PINNED, .size = staging->bytes};
        hed_buffer_create(cloth->device, &def, &slot->pinned, error);
    }
    if (slot->busy) hed_event_wait(slot->done, UINT64_MAX, error);
    slot->busy = false;
    slot->used = 0;
    return error->status;
}

hed_status cloth_stage_end(hed_cloth *cloth, hed_error *error)
{
    if (needs_none(cloth)) return HED_OK;
    cloth_slot *slot = &cloth->staging.slots[cloth->staging.current];
    if (slot->used == 0) return HED_OK;
    hed_status status = hed_event_record(slot->done, cloth->stream, error);
    slot->busy = !status;
    return status;
}

hed_status cloth_send(hed_cloth *cloth, hed_buffer *to, uint64_t offset, const void *data,
    uint64_t size, hed_error *error)
{
    if (needs_none(cloth)) return hed_write(cloth->stream, to, offset, data, size, error);
    cloth_slot *slot = &cloth->staging.slots[cloth->staging.current];
    if (hed_failed(error)) return error->status;
    if (!slot->pinned || size > cloth->staging.bytes - slot->used) {
        hed_write(cloth->stream, to, offset, data, size, error);
        return hed_stream_wait(cloth->stream, error);
    }
    unsigned char *copy = (unsigned char *)hed_buffer_describe(slot->pinned).host + slot->used;
    memcpy(copy, data, size);
    slot->used += (size + 63) / 64 * 64;
    if (slot->used > cloth->staging.bytes) slot->used = cloth->staging.bytes;
    return hed_write(cloth->stream, to, offset, copy, size, error);
}

void cloth_staging_destroy(cloth_staging *staging)
{
    for (int i = 0; i < CLOTH_SLOTS; i++) {
        hed_event_destroy(staging->slots[i].done);
        hed_buffer_destroy(staging->slots[i].pinned);
    }
}

/* ---- positions of the world ---- */

void cloth_point_through(const float *matrix, const float *from, float *to)
{
    for (int k = 0; k < 3; k++) {
        double sum = matrix[12 + k];
        for (int column = 0; column < 3; column++)
            sum += (double)matrix[4 * column + k] * from[column];
        to[k] = (float)sum;
    }
}

static float4 place_from(const double *origin, const float *place, float w)
{
    return (float4){(float)(place[0] - origin[0]), (float)(place[1] - origin[1]),
        (float)(place[2] - origin[2]), w};
}

float4 cloth_from_world(const hed_cloth *cloth, const float *place, float w)
{
    return place_from(cloth->origin, place, w);
}

float4 cloth_from_home(const hed_cloth *cloth, uint32_t garment, const float *place, float w)
{
    return place_from(cloth->homes[cloth->base_garment + garment].origin, place, w);
}
