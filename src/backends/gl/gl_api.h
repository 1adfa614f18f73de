/* The parts of EGL 1.5, OpenGL 4.3 and OpenGL ES 3.1 that the backend calls, declared here so that
 * no headers are needed to build. Names and values are from Khronos' egl.xml and gl.xml. */
#ifndef HED_BACKENDS_GL_API_H
#define HED_BACKENDS_GL_API_H

#include <stdint.h>

typedef struct gl_sync_object *GLsync;

enum {
    EGL_BAD_ALLOC = 0x3003,
    EGL_NONE = 0x3038,
    EGL_DRAW = 0x3059,
    EGL_READ = 0x305a,
    EGL_CONTEXT_MAJOR_VERSION = 0x3098,
    EGL_OPENGL_ES_API = 0x30a0,
    EGL_OPENGL_API = 0x30a2,
    EGL_CONTEXT_MINOR_VERSION = 0x30fb,
    EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY = 0x31bd,
    EGL_LOSE_CONTEXT_ON_RESET = 0x31bf,
    EGL_PLATFORM_DEVICE = 0x313f,
    EGL_PLATFORM_SURFACELESS = 0x31dd
};

enum {
    GL_NO_ERROR = 0,
    GL_INVALID_ENUM = 0x0500,
    GL_INVALID_VALUE = 0x0501,
    GL_INVALID_OPERATION = 0x0502,
    GL_OUT_OF_MEMORY = 0x0505,
    GL_CONTEXT_LOST = 0x0507,
    GL_INT = 0x1404,
    GL_UNSIGNED_INT = 0x1405,
    GL_FLOAT = 0x1406,
    GL_DOUBLE = 0x140a,
    GL_UNPACK_ROW_LENGTH = 0x0cf2,
    GL_UNPACK_ALIGNMENT = 0x0cf5,
    GL_PACK_ROW_LENGTH = 0x0d02,
    GL_PACK_ALIGNMENT = 0x0d05,
    GL_TEXTURE_1D = 0x0de0,
    GL_TEXTURE_2D = 0x0de1,
    GL_NEAREST = 0x2600,
    GL_LINEAR = 0x2601,
    GL_TEXTURE_MAG_FILTER = 0x2800,
    GL_TEXTURE_MIN_FILTER = 0x2801,
    GL_TEXTURE_WRAP_S = 0x2802,
    GL_TEXTURE_WRAP_T = 0x2803,
    GL_TEXTURE_WRAP_R = 0x8072,
    GL_CLAMP_TO_EDGE = 0x812f,
    GL_TEXTURE_3D = 0x806f,
    GL_TEXTURE0 = 0x84c0,
    GL_TEXTURE_CUBE_MAP = 0x8513,
    GL_TEXTURE_CUBE_MAP_POSITIVE_X = 0x8515,
    GL_READ_ONLY = 0x88b8,
    GL_WRITE_ONLY = 0x88b9,
    GL_READ_WRITE = 0x88ba,
    GL_PIXEL_PACK_BUFFER = 0x88eb,
    GL_PIXEL_UNPACK_BUFFER = 0x88ec,
    GL_TEXTURE_2D_ARRAY = 0x8c1a,
    GL_TEXTURE_CUBE_MAP_ARRAY = 0x9009,
    GL_VENDOR = 0x1f00,
    GL_RENDERER = 0x1f01,
    GL_VERSION = 0x1f02,
    GL_MAJOR_VERSION = 0x821b,
    GL_MINOR_VERSION = 0x821c,
    GL_COMPUTE_WORK_GROUP_SIZE = 0x8267,
    GL_MAX_COMPUTE_SHARED_MEMORY_SIZE = 0x8262,
    GL_SM_COUNT_NV = 0x933b, /* GL_NV_shader_thread_group */
    GL_QUERY_COUNTER_BITS = 0x8864,
    GL_QUERY_RESULT = 0x8866,
    GL_STREAM_READ = 0x88e1,
    GL_DYNAMIC_COPY = 0x88ea,
    GL_UNIFORM_BUFFER = 0x8a11,
    GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT = 0x8a34,
    GL_FLOAT_VEC2 = 0x8b50,
    GL_INT_VEC2 = 0x8b53,
    GL_BOOL = 0x8b56,
    GL_COMPILE_STATUS = 0x8b81,
    GL_LINK_STATUS = 0x8b82,
    GL_INFO_LOG_LENGTH = 0x8b84,
    GL_UNSIGNED_INT_VEC2 = 0x8dc6,
    GL_TIMESTAMP = 0x8e28,
    GL_COPY_READ_BUFFER = 0x8f36,
    GL_COPY_WRITE_BUFFER = 0x8f37,
    GL_SHADER_STORAGE_BUFFER = 0x90d2,
    GL_MAX_SHADER_STORAGE_BLOCK_SIZE = 0x90de,
    GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT = 0x90df,
    GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS = 0x90eb,
    GL_SYNC_GPU_COMMANDS_COMPLETE = 0x9117,
    GL_TIMEOUT_EXPIRED = 0x911b,
    GL_WAIT_FAILED = 0x911d,
    GL_COMPUTE_SHADER = 0x91b9,
    GL_MAX_COMPUTE_WORK_GROUP_COUNT = 0x91be,
    GL_MAX_COMPUTE_WORK_GROUP_SIZE = 0x91bf,
    GL_UNIFORM = 0x92e1,
    GL_UNIFORM_BLOCK = 0x92e2,
    GL_ACTIVE_RESOURCES = 0x92f5,
    GL_TYPE = 0x92fa,
    GL_ARRAY_SIZE = 0x92fb,
    GL_OFFSET = 0x92fc,
    GL_BLOCK_INDEX = 0x92fd,
    GL_ARRAY_STRIDE = 0x92fe,
    GL_BUFFER_BINDING = 0x9302,
    GL_BUFFER_DATA_SIZE = 0x9303,
    GL_LOCATION = 0x930e
};
enum { GL_MAP_READ_BIT = 1, GL_SYNC_FLUSH_COMMANDS_BIT = 1 };
#define GL_ALL_BARRIER_BITS 0xffffffffu

/* X(result, name, parameters): `int` is EGLBoolean, EGLint and GLint, `unsigned` GLenum and
 * GLuint */
#define HED_EGL_FUNCTIONS(X) \
    X(int, Initialize, (void *display, int *major, int *minor)) \
    X(int, BindAPI, (unsigned api)) \
    X(unsigned, QueryAPI, (void)) \
    X(void *, CreateContext, (void *display, void *config, void *shared, const int *attributes)) \
    X(int, DestroyContext, (void *display, void *context)) \
    X(int, MakeCurrent, (void *display, void *draw, void *read, void *context)) \
    X(void *, GetCurrentDisplay, (void)) \
    X(void *, GetCurrentContext, (void)) \
    X(void *, GetCurrentSurface, (int which)) \
    X(int, GetError, (void)) \
    X(void *, GetPlatformDisplay, (unsigned platform, void *native, const intptr_t *attributes))

#define HED_GL_FUNCTIONS(X) \
    X(unsigned, GetError, (void)) \
    X(const char *, GetString, (unsigned name)) \
    X(void, GetIntegerv, (unsigned name, int *values)) \
    X(void, GetIntegeri_v, (unsigned name, unsigned index, int *values)) \
    X(void, GetInteger64v, (unsigned name, int64_t *values)) \
    X(void, GenBuffers, (int count, unsigned *names)) \
    X(void, DeleteBuffers, (int count, const unsigned *names)) \
    X(void, BindBuffer, (unsigned target, unsigned name)) \
    X(void, BufferData, (unsigned target, intptr_t size, const void *data, unsigned usage)) \
    X(void, BufferSubData, (unsigned target, intptr_t offset, intptr_t size, const void *data)) \
    X(void, CopyBufferSubData, \
        (unsigned from, unsigned to, intptr_t from_offset, intptr_t to_offset, intptr_t size)) \
    X(void *, MapBufferRange, (unsigned target, intptr_t offset, intptr_t size, unsigned access)) \
    X(unsigned char, UnmapBuffer, (unsigned target)) \
    X(void, BindBufferRange, \
        (unsigned target, unsigned index, unsigned name, intptr_t offset, intptr_t size)) \
    X(unsigned, CreateShader, (unsigned type)) \
    X(void, ShaderSource, \
        (unsigned shader, int count, const char *const *texts, const int *sizes)) \
    X(void, CompileShader, (unsigned shader)) \
    X(void, GetShaderiv, (unsigned shader, unsigned name, int *value)) \
    X(void, GetShaderInfoLog, (unsigned shader, int size, int *length, char *log)) \
    X(void, DeleteShader, (unsigned shader)) \
    X(unsigned, CreateProgram, (void)) \
    X(void, AttachShader, (unsigned program, unsigned shader)) \
    X(void, LinkProgram, (unsigned program)) \
    X(void, GetProgramiv, (unsigned program, unsigned name, int *values)) \
    X(void, GetProgramInfoLog, (unsigned program, int size, int *length, char *log)) \
    X(void, DeleteProgram, (unsigned program)) \
    X(void, UseProgram, (unsigned program)) \
    X(void, GetProgramInterfaceiv, \
        (unsigned program, unsigned interface, unsigned name, int *value)) \
    X(void, GetProgramResourceiv, \
        (unsigned program, unsigned interface, unsigned index, int count, const unsigned *names, \
            int size, int *length, int *values)) \
    X(void, GetProgramResourceName, \
        (unsigned program, unsigned interface, unsigned index, int size, int *length, char *name)) \
    X(void, Uniform1iv, (int location, int count, const void *values)) \
    X(void, Uniform1uiv, (int location, int count, const void *values)) \
    X(void, Uniform1fv, (int location, int count, const void *values)) \
    X(void, DispatchCompute, (unsigned x, unsigned y, unsigned z)) \
    X(void, MemoryBarrier, (unsigned bits)) \
    X(GLsync, FenceSync, (unsigned condition, unsigned flags)) \
    X(unsigned, ClientWaitSync, (GLsync sync, unsigned flags, uint64_t timeout)) \
    X(void, DeleteSync, (GLsync sync)) \
    X(void, Flush, (void)) \
    X(void, GenTextures, (int count, unsigned *names)) \
    X(void, DeleteTextures, (int count, const unsigned *names)) \
    X(void, ActiveTexture, (unsigned unit)) \
    X(void, BindTexture, (unsigned target, unsigned name)) \
    X(void, TexParameteri, (unsigned target, unsigned name, int value)) \
    X(void, PixelStorei, (unsigned name, int value)) \
    X(void, TexStorage2D, (unsigned target, int levels, unsigned format, int width, int height)) \
    X(void, TexStorage3D, \
        (unsigned target, int levels, unsigned format, int width, int height, int depth)) \
    X(void, TexSubImage2D, \
        (unsigned target, int level, int x, int y, int width, int height, unsigned format, \
            unsigned type, const void *from)) \
    X(void, TexSubImage3D, \
        (unsigned target, int level, int x, int y, int z, int width, int height, int depth, \
            unsigned format, unsigned type, const void *from)) \
    X(void, BindImageTexture, \
        (unsigned unit, unsigned name, int level, unsigned char layered, int layer, \
            unsigned access, unsigned format)) \
    X(void, GenQueries, (int count, unsigned *names)) \
    X(void, DeleteQueries, (int count, const unsigned *names))

/* X(result, name, parameters) of functions that only OpenGL has: ES lacks time stamps, lines of
 * texels, and reading of textures. */
#define HED_GL_DESKTOP_FUNCTIONS(X) \
    X(void, TexStorage1D, (unsigned target, int levels, unsigned format, int width)) \
    X(void, TexSubImage1D, \
        (unsigned target, int level, int x, int width, unsigned format, unsigned type, \
            const void *from)) \
    X(void, GetTexImage, (unsigned target, int level, unsigned format, unsigned type, void *to)) \
    X(void, GetQueryiv, (unsigned target, unsigned name, int *value)) \
    X(void, QueryCounter, (unsigned query, unsigned target)) \
    X(void, GetQueryObjectui64v, (unsigned query, unsigned name, uint64_t *value))

#define MEMBER(result, name, parameters) result(*name) parameters;
typedef struct hed_egl_api {
    HED_EGL_FUNCTIONS(MEMBER)
} hed_egl_api;
typedef struct hed_gl_api {
    HED_GL_FUNCTIONS(MEMBER)
    HED_GL_DESKTOP_FUNCTIONS(MEMBER)
} hed_gl_api;
#undef MEMBER

#endif
