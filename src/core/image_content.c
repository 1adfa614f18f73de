/* Contents of buffers that shaders access as images: which of the two is the later one. */
#include "core/image_content.h"

#include <string.h>

#include "shader/image_format.h"

hed_status hed_image_check(
    const hed_step *step, const hed_shader_bound *bound, bool has_format, hed_error *error)
{
    const hed_kernel_def *def = step->program->def;
    const hed_argument_def *argument = &def->arguments[bound->argument];
    const hed_buffer *buffer = step->arguments[bound->argument].value.buffer;
    const hed_device *device = step->program->device;
    uint64_t bytes = hed_texels_bytes(&argument->image);
    if (!has_format)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s: \"%s\" is %s of %s, which %s (%s) does not have", def->name, argument->name,
            bound->resource == HED_SHADER_STORAGE_IMAGE ? "a storage image" : "a texture",
            hed_image_properties_of(argument->image.format)->name, device->info.id,
            device->info.name);
    if (buffer->host)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s: image \"%s\" is memory that the host sees; expected a buffer of "
            "HED_MEMORY_DEVICE",
            def->name, argument->name);
    if (buffer->size < bytes)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: the buffer of image \"%s\" has %llu bytes; expected at least %llu", def->name,
            argument->name, (unsigned long long)buffer->size, (unsigned long long)bytes);
    return HED_OK;
}

static bool is_image_of(
    const hed_image_content *image, const hed_step *step, const hed_shader_bound *bound)
{
    const hed_argument_def *argument = &step->program->def->arguments[bound->argument];
    return image->owner == step->arguments[bound->argument].value.buffer &&
           memcmp(&image->of, &argument->image, sizeof image->of) == 0;
}

hed_image_content *hed_image_find(
    hed_image_content *list, const hed_step *step, const hed_shader_bound *bound)
{
    while (list && !is_image_of(list, step, bound)) list = list->next;
    return list;
}

/* A range of memory that a step accesses. */
typedef struct image_span {
    const hed_buffer *buffer; /* NULL: no memory */
    uint64_t offset, size;
    bool writes;
    const hed_shader_bound *bound; /* the binding of a launch that is an image; NULL: the buffer */
} image_span;

/* Returns the ranges that a step accesses, one for each index; false: there is no such index. */
static bool span_of(const hed_image_step *of, uint32_t index, image_span *span)
{
    const hed_step *step = of->step;
    *span = (image_span){.size = step->size};
    if (step->kind == HED_STEP_LAUNCH) {
        if (index >= of->binding_count) return false;
        const hed_shader_bound *bound = &of->bindings[index];
        if (bound->resource == HED_SHADER_SAMPLER) return true;
        span->buffer = step->arguments[bound->argument].value.buffer;
        span->size = span->buffer->size;
        span->writes = step->program->def->arguments[bound->argument].access != HED_READ;
        if (bound->resource) span->bound = bound;
        return true;
    }
    span->buffer = index ? step->to : step->from;
    span->offset = index ? step->to_offset : step->from_offset;
    span->writes = index > 0;
    return index < 2;
}

static bool overlaps(const hed_image_content *image, const image_span *span)
{
    uint64_t begin = span->buffer->offset + span->offset;
    return image->owner->handle == span->buffer->handle &&
           begin < image->owner->offset + image->size && image->owner->offset < begin + span->size;
}

hed_image_content *hed_image_next_copy(
    hed_image_content *list, const hed_image_step *of, bool *to_image)
{
    image_span span;
    for (uint32_t i = 0; list && span_of(of, i, &span); i++)
        for (hed_image_content *image = list; span.buffer && image; image = image->next) {
            *to_image = span.bound && is_image_of(image, of->step, span.bound);
            if (image->state != (*to_image ? HED_IMAGE_OLDER : HED_IMAGE_NEWER) ||
                !overlaps(image, &span))
                continue;
            image->state = HED_IMAGE_EQUAL;
            return image;
        }
    return NULL;
}

void hed_image_mark(hed_image_content *list, const hed_image_step *of)
{
    image_span span;
    for (uint32_t i = 0; list && span_of(of, i, &span); i++)
        for (hed_image_content *image = list; span.buffer && span.writes && image;
             image = image->next) {
            bool is_own = span.bound && is_image_of(image, of->step, span.bound);
            if (overlaps(image, &span)) image->state = is_own ? HED_IMAGE_NEWER : HED_IMAGE_OLDER;
        }
}

hed_image_content *hed_image_remove(hed_image_content **list, const hed_buffer *owner)
{
    while (*list && (*list)->owner != owner) list = &(*list)->next;
    hed_image_content *removed = *list;
    if (removed) *list = removed->next;
    return removed;
}
