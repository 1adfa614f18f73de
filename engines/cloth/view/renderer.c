/* The renderer: framebuffers, programs and the passes. */
#include "renderer.h"

#include "heddle/author.h"

#include "heddle/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 4 };

extern const hed_source hed_cloth_view_files[]; /* sources, ordered as in CMakeLists.txt */
enum {
    TEXT_SURFACE_VERTEX,
    TEXT_SURFACE,
    TEXT_SHADOW,
    TEXT_GROUND,
    TEXT_SCREEN_VERTEX,
    TEXT_BACKGROUND,
    TEXT_FINISH,
    TEXT_LIGHT
};

enum {
    PROGRAM_SURFACE,
    PROGRAM_SHADOW,
    PROGRAM_GROUND,
    PROGRAM_BACKGROUND,
    PROGRAM_FINISH,
    PROGRAM_COUNT
};
static const int VERTEX_TEXT[PROGRAM_COUNT] = {TEXT_SURFACE_VERTEX, TEXT_SURFACE_VERTEX,
    TEXT_SURFACE_VERTEX, TEXT_SCREEN_VERTEX, TEXT_SCREEN_VERTEX};
static const int FRAGMENT_TEXT[PROGRAM_COUNT] = {
    TEXT_SURFACE, TEXT_SHADOW, TEXT_GROUND, TEXT_BACKGROUND, TEXT_FINISH};

struct cloth_renderer {
    cloth_gl gl;
    uint32_t width, height, scale; /* scale 2: drawn at twice the size */
    GLint samples, most;
    GLuint programs[PROGRAM_COUNT];
    GLuint shadow_map, shadow_target;
    GLuint colour_samples, depth, scene_target;    /* targets of drawing */
    GLuint scene, resolved_target;                 /* result with one sample a pixel, a texture */
    GLuint nothing, ground_array, ground_vertices; /* vertex arrays */
    uint8_t picture; /* stamp of the last picture; 0: no picture yet */
};

/* ---- programs ---- */

static hed_status renderer_compile(
    const cloth_gl *gl, GLenum kind, int text, GLuint *shader, hed_error *error)
{
    const hed_source *file = &hed_cloth_view_files[text],
                     *light = &hed_cloth_view_files[TEXT_LIGHT];
    bool lit = text == TEXT_SURFACE || text == TEXT_GROUND;
    const char *parts[] = {"#version 330 core\n", lit ? light->text : "", "#line 1\n", file->text};
    const GLint sizes[] = {-1, lit ? (GLint)light->size : 0, -1, (GLint)file->size};
    GLint good = 0;
    *shader = gl->CreateShader(kind);
    gl->ShaderSource(*shader, 4, parts, sizes);
    gl->CompileShader(*shader);
    gl->GetShaderiv(*shader, GL_COMPILE_STATUS, &good);
    if (good) return HED_OK;
    hed_fail(error, HED_ERROR_UNSUPPORTED, "this OpenGL (%s) does not compile %s",
        (const char *)gl->GetString(GL_RENDERER), file->name);
    if (error) gl->GetShaderInfoLog(*shader, sizeof error->log, NULL, error->log);
    return HED_ERROR_UNSUPPORTED;
}

static hed_status make_program(cloth_renderer *r, int program, hed_error *error)
{
    const cloth_gl *gl = &r->gl;
    GLuint vertex = 0, fragment = 0;
    GLint good = 0;
    hed_status status =
        renderer_compile(gl, GL_VERTEX_SHADER, VERTEX_TEXT[program], &vertex, error);
    if (!status)
        status = renderer_compile(gl, GL_FRAGMENT_SHADER, FRAGMENT_TEXT[program], &fragment, error);
    if (!status) {
        r->programs[program] = gl->CreateProgram();
        gl->AttachShader(r->programs[program], vertex);
        gl->AttachShader(r->programs[program], fragment);
        gl->LinkProgram(r->programs[program]);
        gl->GetProgramiv(r->programs[program], GL_LINK_STATUS, &good);
        if (!good) {
            status = hed_fail(error, HED_ERROR_UNSUPPORTED, "this OpenGL (%s) does not link %s",
                (const char *)gl->GetString(GL_RENDERER),
                hed_cloth_view_files[FRAGMENT_TEXT[program]].name);
            if (error)
                gl->GetProgramInfoLog(r->programs[program], sizeof error->log, NULL, error->log);
        }
    }
    gl->DeleteShader(vertex);
    gl->DeleteShader(fragment);
    return status;
}

static void set_matrix(cloth_renderer *r, int program, const char *name, const float value[16])
{
    r->gl.UniformMatrix4fv(
        r->gl.GetUniformLocation(r->programs[program], name), 1, GL_FALSE, value);
}

static void renderer_set_vector(
    cloth_renderer *r, int program, const char *name, const float value[3])
{
    r->gl.Uniform3fv(r->gl.GetUniformLocation(r->programs[program], name), 1, value);
}

static void set_float(cloth_renderer *r, int program, const char *name, float value)
{
    r->gl.Uniform1f(r->gl.GetUniformLocation(r->programs[program], name), value);
}

static void set_integer(cloth_renderer *r, int program, const char *name, int value)
{
    r->gl.Uniform1i(r->gl.GetUniformLocation(r->programs[program], name), value);
}

/* ---- framebuffers ---- */

static hed_status make_shadow_map(cloth_renderer *r, hed_error *error)
{
    const cloth_gl *gl = &r->gl;
    gl->GenTextures(1, &r->shadow_map);
    gl->BindTexture(GL_TEXTURE_2D, r->shadow_map);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, CLOTH_SHADOW_SIZE, CLOTH_SHADOW_SIZE, 0,
        GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, NULL);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    gl->GenFramebuffers(1, &r->shadow_target);
    gl->BindFramebuffer(GL_FRAMEBUFFER, r->shadow_target);
    gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, r->shadow_map, 0);
    gl->DrawBuffer(GL_NONE);
    gl->ReadBuffer(GL_NONE);
    if (gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE &&
        gl->GetError() == GL_NO_ERROR)
        return HED_OK;
    return hed_fail(error, HED_ERROR_DEVICE_MEMORY,
        "OpenGL has no memory for a shadow map of %d x %d", CLOTH_SHADOW_SIZE, CLOTH_SHADOW_SIZE);
}

/* Makes the framebuffers that depend on r->samples; false: OpenGL cannot make them with this
 * many samples. */
static bool make_targets(cloth_renderer *r)
{
    const cloth_gl *gl = &r->gl;
    GLsizei width = (GLsizei)(r->width * r->scale), height = (GLsizei)(r->height * r->scale);
    gl->BindTexture(GL_TEXTURE_2D, r->scene);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA16F, width, height, 0, GL_RGBA, GL_FLOAT, NULL);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->BindRenderbuffer(GL_RENDERBUFFER, r->depth);
    gl->RenderbufferStorageMultisample(
        GL_RENDERBUFFER, r->samples, GL_DEPTH_COMPONENT24, width, height);
    gl->BindFramebuffer(GL_FRAMEBUFFER, r->resolved_target);
    gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, r->scene, 0);
    if (r->samples == 0)
        gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, r->depth);
    if (gl->CheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) return false;
    if (r->samples == 0) return true;
    gl->BindRenderbuffer(GL_RENDERBUFFER, r->colour_samples);
    gl->RenderbufferStorageMultisample(GL_RENDERBUFFER, r->samples, GL_RGBA16F, width, height);
    gl->BindFramebuffer(GL_FRAMEBUFFER, r->scene_target);
    gl->FramebufferRenderbuffer(
        GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, r->colour_samples);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, r->depth);
    return gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

hed_status cloth_renderer_resize(
    cloth_renderer *r, uint32_t width, uint32_t height, hed_error *error)
{
    if (r->width == width && r->height == height) return HED_OK;
    if (width == 0 || height == 0)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "a picture of %u x %u has no pixels", width, height);
    if (width > cloth_renderer_most(r) || height > cloth_renderer_most(r))
        return hed_fail(error, HED_ERROR_LIMIT,
            "a picture of %u x %u is larger than this OpenGL draws, %u x %u", width, height,
            cloth_renderer_most(r), cloth_renderer_most(r));
    r->width = width;
    r->height = height;
    /* errors of the calls before; a lost context may report them for ever */
    for (int i = 0; i < 16 && r->gl.GetError() != GL_NO_ERROR; i++) continue;
    bool good = make_targets(r);
    if (!good && r->samples) { /* no such multisampled format */
        r->samples = 0;
        r->scale = 2;
        good = make_targets(r);
    }
    if (good && r->gl.GetError() == GL_NO_ERROR) return HED_OK;
    r->width = r->height = 0;
    return hed_fail(error, HED_ERROR_DEVICE_MEMORY, "OpenGL has no memory for a picture of %u x %u",
        width, height);
}

/* ---- life ---- */

static void make_ground(cloth_renderer *r)
{
    const cloth_gl *gl = &r->gl;
    gl->GenVertexArrays(1, &r->nothing);
    gl->GenVertexArrays(1, &r->ground_array);
    gl->GenBuffers(1, &r->ground_vertices);
    gl->BindVertexArray(r->ground_array);
    gl->BindBuffer(GL_ARRAY_BUFFER, r->ground_vertices);
    gl->EnableVertexAttribArray(0);
    gl->VertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
    gl->BindVertexArray(0);
}

hed_status cloth_renderer_create(
    cloth_gl_get_function *get, cloth_renderer **renderer, hed_error *error)
{
    cloth_renderer *r = *renderer = calloc(1, sizeof *r);
    if (!r) return HED_OUT_OF_MEMORY(error, "the renderer");
    hed_status status = cloth_gl_load(&r->gl, get, error);
    if (status) {
        free(r);
        *renderer = NULL;
        return status;
    }
    GLint texture = 0, buffer = 0, samples = 0;
    r->gl.GetIntegerv(GL_MAX_TEXTURE_SIZE, &texture);
    r->gl.GetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &buffer);
    r->gl.GetIntegerv(GL_MAX_SAMPLES, &samples);
    r->most = texture < buffer ? texture : buffer;
    r->samples = samples >= SAMPLES ? SAMPLES : 0;
    r->scale = r->samples ? 1 : 2;
    status = make_shadow_map(r, error);
    r->gl.GenTextures(1, &r->scene);
    r->gl.GenRenderbuffers(1, &r->depth);
    r->gl.GenRenderbuffers(1, &r->colour_samples);
    r->gl.GenFramebuffers(1, &r->scene_target);
    r->gl.GenFramebuffers(1, &r->resolved_target);
    make_ground(r);
    for (int i = 0; i < PROGRAM_COUNT && !status; i++) status = make_program(r, i, error);
    if (status) {
        cloth_renderer_destroy(r);
        *renderer = NULL;
    }
    return status;
}

void cloth_renderer_destroy(cloth_renderer *r)
{
    if (!r) return;
    const cloth_gl *gl = &r->gl;
    for (int i = 0; i < PROGRAM_COUNT; i++) gl->DeleteProgram(r->programs[i]);
    gl->DeleteTextures(2, (GLuint[]){r->shadow_map, r->scene});
    gl->DeleteRenderbuffers(2, (GLuint[]){r->depth, r->colour_samples});
    gl->DeleteFramebuffers(3, (GLuint[]){r->shadow_target, r->scene_target, r->resolved_target});
    gl->DeleteVertexArrays(2, (GLuint[]){r->nothing, r->ground_array});
    gl->DeleteBuffers(1, &r->ground_vertices);
    free(r);
}

const cloth_gl *cloth_renderer_gl(const cloth_renderer *r) { return &r->gl; }
uint32_t cloth_renderer_most(const cloth_renderer *r) { return (uint32_t)r->most / r->scale; }

/* ---- the passes ---- */

static void draw_surfaces(
    cloth_renderer *r, int program, const cloth_drawable *drawables, uint32_t count)
{
    const cloth_gl *gl = &r->gl;
    for (uint32_t i = 0; i < count; i++) {
        if (program == PROGRAM_SURFACE) {
            renderer_set_vector(r, program, "colour", drawables[i].colour);
            set_integer(r, program, "two_sided", drawables[i].two_sided);
            set_integer(r, program, "marks", drawables[i].marks);
        }
        gl->BindVertexArray(drawables[i].vertex_array);
        gl->DrawElements(GL_TRIANGLES, (GLsizei)drawables[i].index_count, GL_UNSIGNED_INT, NULL);
    }
    gl->BindVertexArray(0);
}

static void draw_shadow_map(
    cloth_renderer *r, const cloth_shot *p, const cloth_drawable *drawables, uint32_t count)
{
    const cloth_gl *gl = &r->gl;
    gl->BindFramebuffer(GL_FRAMEBUFFER, r->shadow_target);
    gl->Viewport(0, 0, CLOTH_SHADOW_SIZE, CLOTH_SHADOW_SIZE);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthMask(GL_TRUE);
    gl->Clear(GL_DEPTH_BUFFER_BIT);
    /* a surface between the light and the box casts a shadow into it, too */
    gl->Enable(GL_DEPTH_CLAMP);
    gl->Enable(GL_POLYGON_OFFSET_FILL);
    gl->PolygonOffset(1.5f, 2);
    gl->UseProgram(r->programs[PROGRAM_SHADOW]);
    set_matrix(r, PROGRAM_SHADOW, "view_projection", p->shadow_matrix);
    draw_surfaces(r, PROGRAM_SHADOW, drawables, count);
    gl->Disable(GL_POLYGON_OFFSET_FILL);
    gl->Disable(GL_DEPTH_CLAMP);
}

static void use_light(cloth_renderer *r, int program, const cloth_shot *p)
{
    r->gl.UseProgram(r->programs[program]);
    set_matrix(r, program, "view_projection", p->view_projection);
    set_matrix(r, program, "shadow_matrix", p->shadow_matrix);
    renderer_set_vector(r, program, "up", p->studio->up);
    renderer_set_vector(r, program, "key_direction", p->studio->key_direction);
    set_float(r, program, "shadow_texel", p->shadow_texel);
    set_float(r, program, "penumbra", CLOTH_PENUMBRA);
    set_integer(r, program, "shadow_map", 0);
}

static void draw_ground(cloth_renderer *r, const cloth_shot *p)
{
    const cloth_gl *gl = &r->gl;
    if (!p->ground_seen) return;
    int axis = p->up_axis;
    float reach = p->ground_reach;
    const float *centre = p->ground_centre;
    float corners[4][3];
    for (int i = 0; i < 4; i++) {
        corners[i][axis] = centre[axis];
        corners[i][(axis + 1) % 3] = centre[(axis + 1) % 3] + (i & 1 ? reach : -reach);
        corners[i][(axis + 2) % 3] = centre[(axis + 2) % 3] + (i & 2 ? reach : -reach);
    }
    use_light(r, PROGRAM_GROUND, p);
    renderer_set_vector(r, PROGRAM_GROUND, "centre", centre);
    set_float(r, PROGRAM_GROUND, "reach", reach);
    set_float(r, PROGRAM_GROUND, "spacing", p->ground_spacing);
    gl->BindBuffer(GL_ARRAY_BUFFER, r->ground_vertices);
    gl->BufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STREAM_DRAW);
    gl->BindVertexArray(r->ground_array);
    gl->Enable(GL_BLEND);
    gl->BlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    gl->Enable(GL_POLYGON_OFFSET_FILL); /* a prop at the same height is in front of the ground */
    gl->PolygonOffset(2, 8);
    gl->DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    gl->Disable(GL_POLYGON_OFFSET_FILL);
    gl->Disable(GL_BLEND);
    gl->BindVertexArray(0);
}

static void draw_scene(
    cloth_renderer *r, const cloth_shot *p, const cloth_drawable *drawables, uint32_t count)
{
    const cloth_gl *gl = &r->gl;
    gl->BindFramebuffer(GL_FRAMEBUFFER, r->samples ? r->scene_target : r->resolved_target);
    gl->Viewport(0, 0, (GLsizei)(r->width * r->scale), (GLsizei)(r->height * r->scale));
    gl->Clear(GL_DEPTH_BUFFER_BIT);
    gl->Disable(GL_DEPTH_TEST);
    gl->UseProgram(r->programs[PROGRAM_BACKGROUND]);
    gl->BindVertexArray(r->nothing);
    gl->DrawArrays(GL_TRIANGLES, 0, 3);
    gl->Enable(GL_DEPTH_TEST);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, r->shadow_map);
    draw_ground(r, p);
    use_light(r, PROGRAM_SURFACE, p);
    renderer_set_vector(r, PROGRAM_SURFACE, "eye", p->camera->eye);
    gl->VertexAttrib4f(2, 1, 1, 1, 1);
    draw_surfaces(r, PROGRAM_SURFACE, drawables, count);
}

static void renderer_finish(cloth_renderer *r, GLuint target, uint8_t stamp)
{
    const cloth_gl *gl = &r->gl;
    GLint width = (GLint)r->width, height = (GLint)r->height;
    if (r->samples) {
        gl->BindFramebuffer(GL_READ_FRAMEBUFFER, r->scene_target);
        gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, r->resolved_target);
        gl->BlitFramebuffer(
            0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
    gl->BindFramebuffer(GL_FRAMEBUFFER, target);
    gl->Viewport(0, 0, width, height);
    gl->Disable(GL_DEPTH_TEST);
    gl->UseProgram(r->programs[PROGRAM_FINISH]);
    gl->BindTexture(GL_TEXTURE_2D, r->scene);
    set_integer(r, PROGRAM_FINISH, "scene", 0);
    set_float(r, PROGRAM_FINISH, "stamp", (float)stamp / 255);
    gl->BindVertexArray(r->nothing);
    gl->DrawArrays(GL_TRIANGLES, 0, 3);
    gl->BindVertexArray(0);
    gl->BindTexture(GL_TEXTURE_2D, 0);
}

uint8_t cloth_renderer_draw(cloth_renderer *r, GLuint target, const cloth_studio *studio,
    const hed_cloth_camera *camera, const cloth_box *box, const cloth_drawable *drawables,
    uint32_t count)
{
    cloth_shot p = cloth_shot_begin(studio, camera, box, (float)r->width / (float)r->height);
    r->gl.ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    draw_shadow_map(r, &p, drawables, count);
    draw_scene(r, &p, drawables, count);
    r->picture = (uint8_t)(r->picture % 254 + 1);
    uint8_t stamp = target ? r->picture : 255;
    renderer_finish(r, target, stamp);
    return stamp;
}
