/* Waiting and reading. A wait finds positions that are not finite numbers, reports them, and
 * restores the last good state of the cloth. */
#include "object/division.h"
#include "solver/host.h"

#include <string.h>

/* Frames between two good states. The first successful wait after this many frames stores a copy on
 * the device, without another wait. */
enum { KEPT_EVERY = 30 };

static void copy_whole(hed_cloth *cloth, hed_buffer *to, hed_buffer *from, hed_error *error)
{
    hed_copy(cloth->stream, to, 0, from, 0, hed_buffer_describe(from).size, error);
}

hed_status cloth_keep_state(hed_cloth *cloth, hed_error *error)
{
    cloth_host *host = cloth->host;
    cloth_buffers *b = &cloth->buffers;
    copy_whole(cloth, b->good_position, b->position, error);
    copy_whole(cloth, b->good_previous, b->previous, error);
    copy_whole(cloth, b->good_carry, b->carry, error);
    if (error->status) return error->status;
    host->good_dt = cloth->last_dt;
    host->good_time = cloth->time;
    host->good_frame = cloth->frame;
    host->good_apart = cloth->is_apart;
    memcpy(host->good_homes, cloth->homes, cloth_home_count(cloth) * sizeof *cloth->homes);
    return HED_OK;
}

static hed_status go_back_part(hed_cloth *cloth, hed_error *error)
{
    cloth_host *host = cloth->host;
    cloth_buffers *b = &cloth->buffers;
    copy_whole(cloth, b->position, b->good_position, error);
    copy_whole(cloth, b->previous, b->good_previous, error);
    copy_whole(cloth, b->carry, b->good_carry, error);
    cloth_contacts_grip(cloth, error);
    if (error->status || cloth_origin_go_back(cloth, host->good_homes, host->good_apart, error))
        return error->status;
    if (hed_fill(cloth->stream, b->flags, 0, 16, &(uint32_t){0}, 4, error)) return error->status;
    cloth->last_dt = host->good_dt;
    host->pace_seconds = 0.0;
    cloth->time = host->good_time;
    cloth->frame = host->good_frame;
    host->air_fresh = false;
    cloth_show(cloth, error);
    return hed_stream_wait(cloth->stream, error);
}

static hed_status go_back(hed_cloth *cloth, hed_error *error)
{
    for (uint32_t part = 0; part < cloth_part_count(cloth) && !error->status; part++)
        go_back_part(cloth_part(cloth, part), error);
    return error->status;
}

/* Reads a whole array of float4 into new memory of the cloth's allocator. */
static hed_status results_read_array(
    hed_cloth *cloth, hed_buffer *buffer, float4 **array, hed_error *error)
{
    uint64_t count = hed_buffer_describe(buffer).size / sizeof **array;
    *array = hed_new(&cloth->allocator, count, sizeof **array, error);
    if (!*array) return HED_ERROR_MEMORY;
    hed_read(cloth->stream, *array, buffer, 0, count * sizeof **array, error);
    if (!hed_stream_wait(cloth->stream, error)) return HED_OK;
    hed_delete(&cloth->allocator, *array, count, sizeof **array);
    *array = NULL;
    return error->status;
}

/* Reports the first such particle of a part, then restores the good state of all. */
static hed_status tell_broken(hed_cloth *cloth, hed_cloth *part, hed_error *error)
{
    float4 *positions;
    uint32_t first = 0, garment = 0;
    hed_status status = results_read_array(part, part->buffers.position, &positions, error);
    if (status) return status;
    while (first + 1 < part->particles && cloth_finite(positions[first])) first++;
    float4 at = positions[first];
    hed_delete(&part->allocator, positions,
        hed_buffer_describe(part->buffers.position).size / sizeof *positions, sizeof *positions);
    first += part->base_particle;
    while (garment + 1 < cloth->garment_count && cloth->first_particle[garment + 1] <= first)
        garment++;
    uint32_t frame = part->frame;
    const double *home = part->homes[garment].origin, origin[3] = {home[0], home[1], home[2]};
    status = go_back(cloth, error);
    if (status) return status;
    return hed_fail(error, HED_ERROR_FORMAT,
        "at frame %u particle %u of garment %u (\"%s\") is at %g %g %g: no longer a place; the cloth "
        "went back to frame %u",
        frame, first - cloth->first_particle[garment], garment, cloth->garments[garment]->name,
        at.x + origin[0], at.y + origin[1], at.z + origin[2], part->frame);
}

/* Reports that groups timed out in an exchange of packets, so that the positions are invalid. */
static hed_status tell_silent(hed_cloth *cloth, hed_error *error)
{
    uint32_t frame = cloth_lead(cloth)->frame;
    if (go_back(cloth, error)) return error->status;
    return hed_fail(error, HED_ERROR_DRIVER,
        "at frame %u a patch waited for its neighbours in vain; the cloth went back to frame %u",
        frame, cloth_lead(cloth)->frame);
}

hed_status hed_cloth_wait(hed_cloth *cloth, hed_error *error)
{
    HED_REQUIRE(cloth);
    hed_error unreported = {0};
    if (!error) error = &unreported;
    const uint32_t count = cloth_part_count(cloth);
    uint32_t flags[CLOTH_MAX_PARTS][4] = {{0}};
    bool was_dirty = false, keeps;
    for (uint32_t i = 0; i < count; i++) {
        hed_cloth *part = cloth_part(cloth, i);
        was_dirty |= part->host->dirty;
        if (part->host->dirty)
            hed_read(part->stream, flags[i], part->buffers.flags, 0, sizeof flags[i], error);
    }
    if (cloth_wait_parts(cloth, error) || !was_dirty) return error->status;
    for (uint32_t i = 0; i < count; i++) cloth_part(cloth, i)->host->dirty = false;
    for (uint32_t i = 0; i < count; i++) {
        if (flags[i][1]) return tell_silent(cloth, error);
        if (flags[i][0]) return tell_broken(cloth, cloth_part(cloth, i), error);
    }
    const hed_cloth *lead = cloth_lead(cloth);
    keeps =
        lead->frame - lead->host->good_frame >= KEPT_EVERY && !cloth_check_together(cloth, NULL);
    for (uint32_t i = 0; i < count && keeps; i++) cloth_keep_state(cloth_part(cloth, i), error);
    return error->status;
}

/* ---- reading ---- */

/* A chunk of data for the program in pinned memory: whole rows of 12 bytes. The host copies a chunk
 * while the next one is transferred. */
enum { CHUNK = 12 * 65536 };

typedef struct read_slot {
    void *to;       /* the program's memory */
    uint64_t bytes; /* 0: the slot is empty */
} read_slot;

static const uint32_t row_bytes[CLOTH_READ_PARTS] = {12, 12, 4};

static hed_status make_reading(hed_cloth *cloth, void *const *to, hed_error *error)
{
    cloth_reading *r = &cloth->host->reading;
    uint64_t most = row_bytes[0] * (uint64_t)cloth->vertices;
    for (uint32_t part = 0; part < CLOTH_READ_PARTS; part++)
        if (to[part] && !r->rows[part])
            cloth_upload(
                cloth, NULL, row_bytes[part] * (uint64_t)cloth->vertices, &r->rows[part], error);
    for (uint32_t slot = 0; slot < CLOTH_READ_SLOTS; slot++) {
        hed_buffer_def def = {.memory = HED_MEMORY_PINNED, .size = most < CHUNK ? most : CHUNK};
        if (!r->pinned[slot]) hed_buffer_create(cloth->device, &def, &r->pinned[slot], error);
        if (!r->arrived[slot]) hed_event_create(cloth->device, false, &r->arrived[slot], error);
    }
    return error->status;
}

HED_VIEW_LAUNCH(cloth_read_launch, CLOTH_READ)

static hed_status make_rows(hed_cloth *cloth, uint32_t parts, hed_error *error)
{
    const cloth_buffers *b = &cloth->buffers;
    hed_buffer *const *rows = cloth->host->reading.rows;
    return cloth_run(cloth, CLOTH_KERNEL_READ, cloth->vertices,
        HED_VIEW_ARGS(cloth_read_launch, .position = b->position, .previous = b->previous,
            .garments = b->garments, .debug = cloth_or_none(cloth, b->debug),
            .vertex_particle = cloth_or_none(cloth, b->vertex_particle),
            .air = cloth_or_none(cloth, b->air), .positions = cloth_or_none(cloth, rows[0]),
            .normals = cloth_or_none(cloth, rows[1]), .colours = cloth_or_none(cloth, rows[2]),
            .show = cloth->host->view, .parts = parts),
        error);
}

/* Copies a slot to the program. */
static hed_status results_hand_over(
    hed_cloth *cloth, read_slot *slots, uint32_t slot, hed_error *error)
{
    cloth_reading *r = &cloth->host->reading;
    if (!slots[slot].bytes) return error->status;
    if (hed_event_wait(r->arrived[slot], UINT64_MAX, error)) return error->status;
    memcpy(slots[slot].to, hed_buffer_describe(r->pinned[slot]).host, slots[slot].bytes);
    slots[slot].bytes = 0;
    return HED_OK;
}

static hed_status fetch_rows(hed_cloth *cloth, void *const *to, hed_error *error)
{
    cloth_reading *r = &cloth->host->reading;
    read_slot slots[CLOTH_READ_SLOTS] = {{0}};
    uint32_t next = 0;
    for (uint32_t part = 0; part < CLOTH_READ_PARTS; part++) {
        uint64_t size = to[part] ? row_bytes[part] * (uint64_t)cloth->vertices : 0;
        for (uint64_t at = 0; at < size; at += CHUNK, next = (next + 1) % CLOTH_READ_SLOTS) {
            uint64_t bytes = size - at < CHUNK ? size - at : CHUNK;
            if (results_hand_over(cloth, slots, next, error)) return error->status;
            hed_read(cloth->stream, hed_buffer_describe(r->pinned[next]).host, r->rows[part], at,
                bytes, error);
            if (hed_event_record(r->arrived[next], cloth->stream, error)) return error->status;
            slots[next] = (read_slot){(char *)to[part] + at, bytes};
        }
    }
    for (uint32_t k = 0; k < CLOTH_READ_SLOTS; k++)
        results_hand_over(cloth, slots, (next + k) % CLOTH_READ_SLOTS, error);
    return error->status;
}

/* Reads the vertices of a part; `wanted`: CLOTH_READ_POSITIONS and others. */
static hed_status read_part(hed_cloth *cloth, void *const *to, uint32_t wanted, hed_error *error)
{
    if (to[1]) cloth_upload_surface(cloth, error);
    if (to[1]) cloth_find_surface(cloth, error);
    if (error->status || !wanted) return error->status;
    if (strcmp(hed_device_describe(cloth->device).backend, "host") == 0) {
        /* directly into the program's arrays, without the team: memory bandwidth bounds one
         * thread */
        const cloth_buffers *b = &cloth->buffers;
        cloth_view view = cloth->host->view;
        void *const arguments[] = {cloth_host_of(b->position), cloth_host_of(b->previous),
            cloth_host_of(b->garments), cloth_host_of(b->debug), cloth_host_of(b->vertex_particle),
            cloth_host_of(b->air), to[0], to[1], to[2], &view, &wanted};
        hed_native_call call = {.def = &cloth_read_def, .arguments = arguments};
        cloth_read_def.range(&call, 0, cloth->vertices);
        return HED_OK;
    }
    if (make_reading(cloth, to, error) || make_rows(cloth, wanted, error)) return error->status;
    return fetch_rows(cloth, to, error);
}

hed_status hed_cloth_read(
    hed_cloth *cloth, float *positions, float *normals, uint8_t *colours, hed_error *error)
{
    HED_REQUIRE(cloth);
    hed_error unreported = {0};
    if (!error) error = &unreported;
    uint32_t wanted = (positions ? CLOTH_READ_POSITIONS : 0) | (normals ? CLOTH_READ_NORMALS : 0) |
                      (colours ? CLOTH_READ_COLOURS : 0);
    hed_cloth_wait(cloth, error);
    for (uint32_t i = 0; i < cloth_part_count(cloth) && !error->status; i++) {
        hed_cloth *part = cloth_part(cloth, i);
        const size_t first = part->base_vertex;
        void *const to[CLOTH_READ_PARTS] = {positions ? positions + 3 * first : NULL,
            normals ? normals + 3 * first : NULL, colours ? colours + 4 * first : NULL};
        read_part(part, to, wanted, error);
    }
    return error->status;
}

/* ---- results: normals, and write-back into two alternating buffers ---- */

HED_VIEW_LAUNCH(cloth_surface_launch, CLOTH_SURFACE)
HED_VIEW_LAUNCH(cloth_write_back_launch, CLOTH_WRITE_BACK)

hed_status cloth_find_surface(hed_cloth *cloth, hed_error *error)
{
    cloth_buffers *b = &cloth->buffers;
    if (hed_failed(error)) return error->status;
    if (cloth->host->air_fresh) return HED_OK;
    hed_status status = cloth_run(cloth, CLOTH_KERNEL_SURFACE, cloth->particles,
        HED_VIEW_ARGS(cloth_surface_launch, .position = b->position, .incident_at = b->incident_at,
            .incident = b->incident, .triangles = b->triangles, .air = b->air,
            .particles = cloth->particles, .closed = cloth->has_pressure),
        error);
    cloth->host->air_fresh = !status;
    return status;
}

static hed_status write_back(
    hed_cloth *cloth, hed_buffer *vertices, hed_buffer *normals, hed_error *error)
{
    cloth_buffers *b = &cloth->buffers;
    cloth_view show = cloth->host->view;
    if (cloth->wants_normals) show.flags |= CLOTH_VIEW_NORMALS;
    return cloth_run(cloth, CLOTH_KERNEL_WRITE_BACK, cloth->vertices,
        HED_VIEW_ARGS(cloth_write_back_launch, .position = b->position, .previous = b->previous,
            .garments = b->garments, .debug = cloth_or_none(cloth, b->debug),
            .vertex_particle = cloth_or_none(cloth, b->vertex_particle),
            .air = cloth_or_none(cloth, b->air), .vertices = vertices,
            .normals = cloth_or_none(cloth, normals), .broken = b->flags, .show = show),
        error);
}

hed_status cloth_show(hed_cloth *cloth, hed_error *error)
{
    cloth_host *host = cloth->host;
    uint32_t turn = host->turn;
    hed_buffer *vertices = host->into[turn] ? host->into[turn] : cloth->buffers.vertices[turn];
    bool shared = host->into[turn] && host->into_gl;
    if (cloth_renew_garments(cloth, error)) return error->status;
    if (cloth->wants_normals) cloth_find_surface(cloth, error);
    if (shared) hed_buffer_gl_acquire(cloth->stream, vertices, error);
    write_back(cloth, vertices, cloth->buffers.normals[turn], error);
    if (shared) hed_buffer_gl_release(cloth->stream, vertices, error);
    if (error->status) return error->status;
    host->turn = 1 - turn;
    return hed_stream_flush(cloth->stream, error);
}

static hed_status enable_normals(hed_cloth *cloth, hed_error *error)
{
    cloth_buffers *b = &cloth->buffers;
    cloth_upload_surface(cloth, error);
    for (int i = 0; i < 2; i++)
        if (!b->normals[i])
            cloth_upload(cloth, NULL, cloth->vertices * sizeof(float4), &b->normals[i], error);
    cloth_kernel_ensure(cloth, CLOTH_KERNEL_SURFACE, cloth->particles, error);
    cloth->wants_normals = cloth->wants_normals || !error->status;
    return error->status;
}

hed_status hed_cloth_enable_normals(hed_cloth *cloth, hed_error *error)
{
    HED_REQUIRE(cloth);
    hed_error unreported = {0};
    if (!error) error = &unreported;
    for (uint32_t i = 0; i < cloth_part_count(cloth) && !error->status; i++)
        enable_normals(cloth_part(cloth, i), error);
    return error->status;
}

static hed_status check_into(const hed_cloth *cloth, const hed_buffer *buffer, hed_error *error)
{
    uint64_t wanted = cloth->vertices * sizeof(float4);
    if (!buffer)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "one of two vertex buffers is NULL: both or none");
    if (hed_buffer_describe(buffer).device != cloth->device)
        return hed_fail(error, HED_ERROR_ARGUMENT, "a vertex buffer belongs to another device");
    if (hed_buffer_describe(buffer).size >= wanted) return HED_OK;
    return hed_fail(error, HED_ERROR_BOUNDS,
        "a vertex buffer of %llu bytes: %u vertices of 16 bytes are %llu",
        (unsigned long long)hed_buffer_describe(buffer).size, cloth->vertices,
        (unsigned long long)wanted);
}

/* True if a buffer is shared with OpenGL, which only acquiring it shows. */
static bool is_gl(hed_cloth *cloth, hed_buffer *buffer)
{
    return hed_buffer_gl_acquire(cloth->stream, buffer, NULL) == HED_OK &&
           hed_buffer_gl_release(cloth->stream, buffer, NULL) == HED_OK;
}

hed_status hed_cloth_set_vertex_buffers(
    hed_cloth *cloth, hed_buffer *even, hed_buffer *odd, hed_error *error)
{
    HED_REQUIRE(cloth);
    if (cloth->parts) return cloth_needs_one_device(cloth, "hed_cloth_set_vertex_buffers()", error);
    cloth_host *host = cloth->host;
    if (even || odd) {
        hed_status status = check_into(cloth, even, error);
        if (status || (status = check_into(cloth, odd, error))) return status;
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
    if (!cloth || cloth->parts) return NULL;
    uint32_t last = 1 - cloth->host->turn;
    return cloth->host->into[last] ? cloth->host->into[last] : cloth->buffers.vertices[last];
}

hed_buffer *hed_cloth_normal_buffer(const hed_cloth *cloth)
{
    if (!cloth || cloth->parts) return NULL;
    return cloth->buffers.normals[1 - cloth->host->turn];
}
