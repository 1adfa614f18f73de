/* Images of shaders: textures, filled from the buffers that are the arguments, and copied back. */
#include "backends/gl/gl.h"

#include <string.h>

#include "shader/image_format.h"

enum { CUBE_FACES = 6 };

static unsigned image_target(hed_image_shape shape)
{
    static const unsigned targets[HED_IMAGE_SHAPES] = {GL_TEXTURE_1D, GL_TEXTURE_2D,
        GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_CUBE_MAP_ARRAY};
    return targets[shape];
}

/* ---- creating ---- */

static void image_create(const gl_device *of, gl_image *image)
{
    const hed_gl_api *api = &of->api;
    const hed_texels *texels = &image->content.of;
    const hed_image_properties *format = hed_image_properties_of(texels->format);
    int width = (int)texels->width, height = (int)texels->height;
    bool is_whole = strstr(format->name, "int") != NULL; /* whole numbers are not filtered */
    image->target = image_target(texels->shape);
    api->GenTextures(1, &image->texture);
    api->BindTexture(image->target, image->texture);
    if (texels->shape == HED_IMAGE_1D)
        api->TexStorage1D(image->target, 1, format->gl_inside, width);
    else if (texels->shape == HED_IMAGE_2D || texels->shape == HED_IMAGE_CUBE)
        api->TexStorage2D(image->target, 1, format->gl_inside, width, height);
    else api->TexStorage3D(image->target, 1, format->gl_inside, width, height, (int)texels->layers);
    api->TexParameteri(image->target, GL_TEXTURE_MIN_FILTER, is_whole ? GL_NEAREST : GL_LINEAR);
    api->TexParameteri(image->target, GL_TEXTURE_MAG_FILTER, is_whole ? GL_NEAREST : GL_LINEAR);
    api->TexParameteri(image->target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    api->TexParameteri(image->target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    api->TexParameteri(image->target, GL_TEXTURE_WRAP_R, GL_CLAMP_TO_EDGE);
}

static hed_status image_make(
    gl_device *of, const hed_step *step, const hed_shader_bound *bound, hed_error *error)
{
    const hed_argument_def *argument = &step->program->def->arguments[bound->argument];
    if (hed_image_find(of->images, step, bound)) return HED_OK;
    if (of->es)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s: \"%s\" is an image, which OpenGL ES cannot read back; expected a buffer, or a "
            "device of OpenGL or Vulkan",
            step->program->def->name, argument->name);
    hed_status status = hed_image_check(step, bound, true, error);
    if (status) return status;
    gl_image *image = hed_allocate(&of->driver->allocator, sizeof *image);
    if (!image) return HED_OUT_OF_MEMORY(error, "an image");
    *image = (gl_image){.content = {.owner = step->arguments[bound->argument].value.buffer,
                            .size = hed_texels_bytes(&argument->image)}};
    memcpy(&image->content.of, &argument->image, sizeof argument->image);
    image_create(of, image);
    image->content.next = of->images;
    of->images = &image->content;
    return hed_gl_check(of, true, "glTexStorage", argument->name, error);
}

void hed_gl_free_images(gl_device *of, const hed_buffer *buffer)
{
    for (hed_image_content *removed; (removed = hed_image_remove(&of->images, buffer));) {
        gl_image *image = (gl_image *)removed;
        of->api.DeleteTextures(1, &image->texture);
        hed_release(&of->driver->allocator, image, sizeof *image);
    }
}

/* ---- contents ---- */

/* Copies one face of a cube, or a whole image, from the buffer's offset into the texture. */
static void image_upload(const hed_gl_api *api, const gl_image *image, uint64_t offset, int face)
{
    const hed_texels *texels = &image->content.of;
    const hed_image_properties *format = hed_image_properties_of(texels->format);
    const void *from = (const void *)(uintptr_t)offset; /* offset in the bound buffer */
    int width = (int)texels->width, height = (int)texels->height;
    if (texels->shape == HED_IMAGE_1D)
        api->TexSubImage1D(image->target, 0, 0, width, format->gl_parts, format->gl_type, from);
    else if (texels->shape == HED_IMAGE_2D || texels->shape == HED_IMAGE_CUBE)
        api->TexSubImage2D(texels->shape == HED_IMAGE_2D
                               ? image->target
                               : (unsigned)(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face),
            0, 0, 0, width, height, format->gl_parts, format->gl_type, from);
    else
        api->TexSubImage3D(image->target, 0, 0, 0, 0, width, height, (int)texels->layers,
            format->gl_parts, format->gl_type, from);
}

static hed_status image_copy(
    const gl_device *of, const gl_image *image, bool to_image, hed_error *error)
{
    const hed_gl_api *api = &of->api;
    const hed_texels *texels = &image->content.of;
    const hed_image_properties *format = hed_image_properties_of(texels->format);
    unsigned buffer = to_image ? GL_PIXEL_UNPACK_BUFFER : GL_PIXEL_PACK_BUFFER;
    bool is_cube = texels->shape == HED_IMAGE_CUBE;
    api->BindBuffer(buffer, hed_gl_name(image->content.owner));
    api->PixelStorei(to_image ? GL_UNPACK_ALIGNMENT : GL_PACK_ALIGNMENT, 1);
    api->PixelStorei(to_image ? GL_UNPACK_ROW_LENGTH : GL_PACK_ROW_LENGTH,
        (int)(texels->row_bytes / format->bytes));
    api->BindTexture(image->target, image->texture);
    for (int face = 0; face < (is_cube ? CUBE_FACES : 1); face++) {
        uint64_t at =
            image->content.owner->offset + (uint64_t)face * texels->row_bytes * texels->height;
        unsigned side = is_cube ? (unsigned)(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face) : image->target;
        if (to_image) image_upload(api, image, at, face);
        else api->GetTexImage(side, 0, format->gl_parts, format->gl_type, (void *)(uintptr_t)at);
    }
    api->BindBuffer(buffer, 0);
    api->MemoryBarrier(GL_ALL_BARRIER_BITS);
    return hed_gl_check(of, true, to_image ? "glTexSubImage" : "glGetTexImage", "an image", error);
}

hed_status hed_gl_settle_images(gl_device *of, const hed_step *step, hed_error *error)
{
    const gl_program *program =
        step->kind == HED_STEP_LAUNCH ? step->program->impl : &(const gl_program){0};
    const hed_image_step about = {step, program->bindings, program->binding_count};
    hed_image_content *image = NULL;
    hed_status status = HED_OK;
    bool to_image;
    for (uint32_t i = 0; i < program->binding_count && !status; i++)
        if (program->bindings[i].resource)
            status = image_make(of, step, &program->bindings[i], error);
    while (!status && (image = hed_image_next_copy(of->images, &about, &to_image)))
        status = image_copy(of, (gl_image *)image, to_image, error);
    if (!status) hed_image_mark(of->images, &about);
    return status;
}

void hed_gl_bind_image(const gl_device *of, const hed_step *step, const hed_shader_bound *bound)
{
    static const unsigned accesses[] = {GL_READ_ONLY, GL_WRITE_ONLY, GL_READ_WRITE, GL_READ_WRITE};
    const hed_argument_def *argument = &step->program->def->arguments[bound->argument];
    const gl_image *image = (gl_image *)hed_image_find(of->images, step, bound);
    if (bound->resource == HED_SHADER_STORAGE_IMAGE) {
        of->api.BindImageTexture(bound->binding, image->texture, 0, 1, 0,
            accesses[argument->access], hed_image_properties_of(argument->image.format)->gl_inside);
        return;
    }
    of->api.ActiveTexture(GL_TEXTURE0 + bound->binding);
    of->api.BindTexture(image->target, image->texture);
    of->api.ActiveTexture(GL_TEXTURE0);
}
