/* Functions of OpenGL 3.3 core that the renderer calls, loaded from the library that made the
 * context (EGL, GLFW). */
#ifndef CLOTH_GL_H
#define CLOTH_GL_H

#include "heddle/base.h"
#include "support/png.h"
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>

#define CLOTH_GL_FUNCTIONS(X) \
    X(PFNGLACTIVETEXTUREPROC, ActiveTexture) \
    X(PFNGLATTACHSHADERPROC, AttachShader) \
    X(PFNGLBINDBUFFERPROC, BindBuffer) \
    X(PFNGLBINDFRAMEBUFFERPROC, BindFramebuffer) \
    X(PFNGLBINDRENDERBUFFERPROC, BindRenderbuffer) \
    X(PFNGLBINDTEXTUREPROC, BindTexture) \
    X(PFNGLBINDVERTEXARRAYPROC, BindVertexArray) \
    X(PFNGLBLENDFUNCPROC, BlendFunc) \
    X(PFNGLBLITFRAMEBUFFERPROC, BlitFramebuffer) \
    X(PFNGLBUFFERDATAPROC, BufferData) \
    X(PFNGLBUFFERSUBDATAPROC, BufferSubData) \
    X(PFNGLCHECKFRAMEBUFFERSTATUSPROC, CheckFramebufferStatus) \
    X(PFNGLCLEARPROC, Clear) \
    X(PFNGLCOLORMASKPROC, ColorMask) \
    X(PFNGLCOMPILESHADERPROC, CompileShader) \
    X(PFNGLCREATEPROGRAMPROC, CreateProgram) \
    X(PFNGLCREATESHADERPROC, CreateShader) \
    X(PFNGLDELETEBUFFERSPROC, DeleteBuffers) \
    X(PFNGLDELETEFRAMEBUFFERSPROC, DeleteFramebuffers) \
    X(PFNGLDELETEPROGRAMPROC, DeleteProgram) \
    X(PFNGLDELETERENDERBUFFERSPROC, DeleteRenderbuffers) \
    X(PFNGLDELETESHADERPROC, DeleteShader) \
    X(PFNGLDELETETEXTURESPROC, DeleteTextures) \
    X(PFNGLDELETEVERTEXARRAYSPROC, DeleteVertexArrays) \
    X(PFNGLDEPTHMASKPROC, DepthMask) \
    X(PFNGLDISABLEPROC, Disable) \
    X(PFNGLDISABLEVERTEXATTRIBARRAYPROC, DisableVertexAttribArray) \
    X(PFNGLDRAWARRAYSPROC, DrawArrays) \
    X(PFNGLDRAWBUFFERPROC, DrawBuffer) \
    X(PFNGLDRAWELEMENTSPROC, DrawElements) \
    X(PFNGLENABLEPROC, Enable) \
    X(PFNGLENABLEVERTEXATTRIBARRAYPROC, EnableVertexAttribArray) \
    X(PFNGLFINISHPROC, Finish) \
    X(PFNGLFRAMEBUFFERRENDERBUFFERPROC, FramebufferRenderbuffer) \
    X(PFNGLFRAMEBUFFERTEXTURE2DPROC, FramebufferTexture2D) \
    X(PFNGLGENBUFFERSPROC, GenBuffers) \
    X(PFNGLGENFRAMEBUFFERSPROC, GenFramebuffers) \
    X(PFNGLGENRENDERBUFFERSPROC, GenRenderbuffers) \
    X(PFNGLGENTEXTURESPROC, GenTextures) \
    X(PFNGLGENVERTEXARRAYSPROC, GenVertexArrays) \
    X(PFNGLGETERRORPROC, GetError) \
    X(PFNGLGETINTEGERVPROC, GetIntegerv) \
    X(PFNGLGETPROGRAMINFOLOGPROC, GetProgramInfoLog) \
    X(PFNGLGETPROGRAMIVPROC, GetProgramiv) \
    X(PFNGLGETSHADERINFOLOGPROC, GetShaderInfoLog) \
    X(PFNGLGETSHADERIVPROC, GetShaderiv) \
    X(PFNGLGETSTRINGPROC, GetString) \
    X(PFNGLGETUNIFORMLOCATIONPROC, GetUniformLocation) \
    X(PFNGLLINKPROGRAMPROC, LinkProgram) \
    X(PFNGLPIXELSTOREIPROC, PixelStorei) \
    X(PFNGLPOLYGONOFFSETPROC, PolygonOffset) \
    X(PFNGLREADBUFFERPROC, ReadBuffer) \
    X(PFNGLREADPIXELSPROC, ReadPixels) \
    X(PFNGLRENDERBUFFERSTORAGEMULTISAMPLEPROC, RenderbufferStorageMultisample) \
    X(PFNGLSHADERSOURCEPROC, ShaderSource) \
    X(PFNGLTEXIMAGE2DPROC, TexImage2D) \
    X(PFNGLTEXPARAMETERIPROC, TexParameteri) \
    X(PFNGLUNIFORM1FPROC, Uniform1f) \
    X(PFNGLUNIFORM1IPROC, Uniform1i) \
    X(PFNGLUNIFORM3FVPROC, Uniform3fv) \
    X(PFNGLUNIFORMMATRIX4FVPROC, UniformMatrix4fv) \
    X(PFNGLUSEPROGRAMPROC, UseProgram) \
    X(PFNGLVERTEXATTRIB4FPROC, VertexAttrib4f) \
    X(PFNGLVERTEXATTRIBPOINTERPROC, VertexAttribPointer) \
    X(PFNGLVIEWPORTPROC, Viewport)

typedef struct cloth_gl {
#define CLOTH_GL_MEMBER(type, name) type name;
    CLOTH_GL_FUNCTIONS(CLOTH_GL_MEMBER)
#undef CLOTH_GL_MEMBER
} cloth_gl;

typedef void *cloth_gl_get_function(const char *name);

/* Loads all functions through `get`; a context must be current. Errors: UNSUPPORTED (names the
 * missing function, or the version is below 3.3). */
hed_status cloth_gl_load(cloth_gl *gl, cloth_gl_get_function *get, hed_error *error);

/* A framebuffer of 8 bits a channel whose pixels can be read as an image. */

typedef struct cloth_target {
    GLuint framebuffer, pixels;
    uint32_t width, height;
} cloth_target;

/* Creates a framebuffer. Errors: DEVICE_MEMORY; then destroying it is allowed but not needed. */
hed_status cloth_target_create(
    const cloth_gl *gl, uint32_t width, uint32_t height, cloth_target *target, hed_error *error);
void cloth_target_destroy(const cloth_gl *gl, cloth_target *target);
/* Reads the picture that has this stamp in the alpha of each pixel, as RGB, top row first. Errors:
 * MEMORY, DRIVER, LOST (the pixels are not of this picture: the driver has reset the device). */
hed_status cloth_target_read(const cloth_gl *gl, const cloth_target *target, uint8_t stamp,
    hed_image *image, hed_error *error);

/* An OpenGL context without a window, through EGL, which is loaded at run time: on a GPU, else on
 * Mesa's software. */
typedef struct cloth_headless {
    PFNEGLBINDAPIPROC BindAPI;
    PFNEGLCHOOSECONFIGPROC ChooseConfig;
    PFNEGLCREATECONTEXTPROC CreateContext;
    PFNEGLCREATEPBUFFERSURFACEPROC CreatePbufferSurface;
    PFNEGLDESTROYCONTEXTPROC DestroyContext;
    PFNEGLDESTROYSURFACEPROC DestroySurface;
    PFNEGLGETDISPLAYPROC GetDisplay;
    PFNEGLINITIALIZEPROC Initialize;
    PFNEGLMAKECURRENTPROC MakeCurrent;
    cloth_gl_get_function *GetProcAddress; /* OpenGL's functions, and EGL's own extensions */
    EGLDisplay display;
    EGLContext context;
    EGLSurface surface;
} cloth_headless;

/* Makes the context and makes it current; `headless` must not move in memory. Errors:
 * UNSUPPORTED (lists each attempt and its failure), MEMORY. */
hed_status cloth_headless_create(cloth_headless *headless, hed_error *error);
/* Makes the context current in the calling thread, or (false) makes no context current. */
bool cloth_headless_bind(cloth_headless *headless, bool current);
void cloth_headless_destroy(cloth_headless *headless);

#endif
