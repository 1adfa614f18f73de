/* A hed_cloth's life: made from garments, laid over a device by one of the structures, destroyed. */
#include "solver/solver.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

hed_status cloth_fail(hed_error *error, hed_status status, const char *format, ...)
{
    if (!error) return status;
    error->status = status;
    error->log[0] = '\0';
    va_list values;
    va_start(values, format);
    vsnprintf(error->text, sizeof error->text, format, values);
    va_end(values);
    return status;
}

void *cloth_allocate(const hed_allocator *allocator, uint64_t count, size_t size, hed_error *error)
{
    uint64_t bytes = (count ? count : 1) * size;
    void *made = count > SIZE_MAX / size ? NULL : allocator->allocate(allocator->user, (size_t)bytes, 64);
    if (made) return memset(made, 0, (size_t)bytes);
    cloth_fail(error, HED_ERROR_MEMORY, "no memory for %llu elements of %zu bytes of a cloth", (unsigned long long)count, size);
    return NULL;
}

void cloth_release(const hed_allocator *allocator, void *pointer, uint64_t count, size_t size)
{
    if (pointer) allocator->release(allocator->user, pointer, (size_t)(count ? count : 1) * size);
}

#define NOT_THERE return cloth_fail(error, HED_ERROR_UNSUPPORTED, "not there yet")

hed_status cloth_upload(hed_cloth *cloth, const void *content, uint64_t size, hed_buffer **buffer, hed_error *error)
{
    hed_buffer_def def = hed_default_buffer_def(size ? size : 1);
    hed_status status = hed_buffer_create(cloth->device, &def, buffer, error);
    if (status) return status;
    if (content && size) status = hed_write(cloth->stream, *buffer, 0, content, size, error);
    else status = hed_fill(cloth->stream, *buffer, 0, def.size, "", 1, error);
    if (!status) status = hed_stream_wait(cloth->stream, error);
    return status;
}

hed_cloth_def hed_default_cloth_def(void)
{
    return (hed_cloth_def){.substeps = 5, .iterations = 1, .up = 1, .max_colliders = 64};
}

hed_cloth_frame hed_default_cloth_frame(void)
{
    return (hed_cloth_frame){.seconds = 1.0 / 60.0, .frames = 1, .gravity = {0.0f, -9.81f, 0.0f}};
}

const char *hed_cloth_structure_name(hed_cloth_structure structure)
{
    static const char *const names[] = {"auto", "colours", "sets", "patches", "whole", "native"};
    return (unsigned)structure < HED_CLOTH_STRUCTURE_COUNT ? names[structure] : "unknown";
}

hed_status hed_cloth_create(hed_device *device, const hed_cloth_def *def, hed_cloth **cloth, hed_error *error)
{
    (void)device, (void)def;
    *cloth = NULL;
    NOT_THERE;
}
void hed_cloth_destroy(hed_cloth *cloth) { (void)cloth; }
hed_status hed_cloth_step(hed_cloth *cloth, const hed_cloth_frame *frame, hed_error *error)
{
    (void)cloth, (void)frame;
    NOT_THERE;
}
hed_status hed_cloth_wait(hed_cloth *cloth, hed_error *error)
{
    (void)cloth;
    NOT_THERE;
}
uint32_t hed_cloth_particle_count(const hed_cloth *cloth) { return cloth->particles; }
uint32_t hed_cloth_vertex_count(const hed_cloth *cloth) { return cloth->vertices; }
void hed_cloth_garment_range(const hed_cloth *cloth, uint32_t garment, uint32_t *first_particle, uint32_t *first_vertex)
{
    *first_particle = cloth->first_particle[garment];
    *first_vertex = cloth->first_vertex[garment];
}
hed_status hed_cloth_read(hed_cloth *cloth, float *positions, float *normals, uint8_t *colours, hed_error *error)
{
    (void)cloth, (void)positions, (void)normals, (void)colours;
    NOT_THERE;
}
hed_buffer *hed_cloth_vertex_buffer(const hed_cloth *cloth) { return cloth->buffers.vertices[0]; }
hed_buffer *hed_cloth_normal_buffer(const hed_cloth *cloth) { return cloth->buffers.normals[0]; }
hed_status hed_cloth_want_normals(hed_cloth *cloth, hed_error *error)
{
    (void)cloth;
    NOT_THERE;
}
hed_status hed_cloth_write_into(hed_cloth *cloth, hed_buffer *even, hed_buffer *odd, hed_error *error)
{
    (void)cloth, (void)even, (void)odd;
    NOT_THERE;
}
hed_stream *hed_cloth_stream(const hed_cloth *cloth) { return cloth->stream; }
hed_status hed_cloth_reset(hed_cloth *cloth, hed_error *error)
{
    (void)cloth;
    NOT_THERE;
}
hed_status hed_cloth_teleport(hed_cloth *cloth, uint32_t garment, const float *matrix, hed_error *error)
{
    (void)cloth, (void)garment, (void)matrix;
    NOT_THERE;
}
uint64_t hed_cloth_state_size(const hed_cloth *cloth)
{
    (void)cloth;
    return 0;
}
hed_status hed_cloth_state(hed_cloth *cloth, void *state, hed_error *error)
{
    (void)cloth, (void)state;
    NOT_THERE;
}
hed_status hed_cloth_set_state(hed_cloth *cloth, const void *state, uint64_t size, hed_error *error)
{
    (void)cloth, (void)state, (void)size;
    NOT_THERE;
}
hed_status hed_cloth_use_native(hed_cloth *cloth, hed_cloth_algorithm algorithm, bool native, hed_error *error)
{
    (void)cloth, (void)algorithm, (void)native;
    NOT_THERE;
}
void hed_cloth_get_report(const hed_cloth *cloth, hed_cloth_report *report)
{
    (void)cloth;
    *report = (hed_cloth_report){0};
}
hed_status hed_cloth_measure(hed_cloth *cloth, hed_cloth_quality *quality, hed_error *error)
{
    (void)cloth, (void)quality;
    NOT_THERE;
}
static bool never(const hed_cloth *cloth, char *reason, size_t size)
{
    (void)cloth;
    snprintf(reason, size, "not there yet");
    return false;
}
const cloth_structure_ops cloth_colours_ops = {.id = HED_CLOTH_COLOURS, .valid = never};
const cloth_structure_ops cloth_sets_ops = {.id = HED_CLOTH_SETS, .valid = never};
