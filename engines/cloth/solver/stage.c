/* Staging: what a frame uploads is copied into pinned memory of its own, so that hed_cloth_step()
 * returns while the device works and the program's arrays are free at once. */
#include "solver/host.h"

#include <string.h>

/* Steps on `host` are done when they are enqueued. */
static bool needs_none(const hed_cloth *cloth) { return cloth->host->slot_bytes == 0; }

hed_status cloth_stage_begin(hed_cloth *cloth, hed_error *error)
{
    if (needs_none(cloth)) return HED_OK;
    cloth_host *host = cloth->host;
    host->slot = (host->slot + 1) % CLOTH_SLOTS;
    cloth_slot *slot = &host->slots[host->slot];
    hed_status status = HED_OK;
    if (!slot->pinned) {
        hed_buffer_def def = {.memory = HED_MEMORY_PINNED, .size = host->slot_bytes};
        status = hed_buffer_create(cloth->device, &def, &slot->pinned, error);
        if (!status) status = hed_event_create(cloth->device, false, &slot->done, error);
    }
    if (!status && slot->busy) status = hed_event_wait(slot->done, UINT64_MAX, error);
    slot->busy = false;
    slot->used = 0;
    return status;
}

hed_status cloth_stage_end(hed_cloth *cloth, hed_error *error)
{
    if (needs_none(cloth)) return HED_OK;
    cloth_slot *slot = &cloth->host->slots[cloth->host->slot];
    if (slot->used == 0) return HED_OK;
    hed_status status = hed_event_record(slot->done, cloth->stream, error);
    slot->busy = !status;
    return status;
}

hed_status cloth_send(hed_cloth *cloth, hed_buffer *to, uint64_t offset, const void *data,
    uint64_t size, hed_error *error)
{
    if (needs_none(cloth)) return hed_write(cloth->stream, to, offset, data, size, error);
    cloth_slot *slot = &cloth->host->slots[cloth->host->slot];
    if (!slot->pinned || size > cloth->host->slot_bytes - slot->used) {
        hed_status status = hed_write(cloth->stream, to, offset, data, size, error);
        return status ? status : hed_stream_wait(cloth->stream, error);
    }
    unsigned char *copy = (unsigned char *)hed_buffer_host(slot->pinned) + slot->used;
    memcpy(copy, data, size);
    slot->used += (size + 63) / 64 * 64;
    if (slot->used > cloth->host->slot_bytes) slot->used = cloth->host->slot_bytes;
    return hed_write(cloth->stream, to, offset, copy, size, error);
}
