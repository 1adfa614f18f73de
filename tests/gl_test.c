/* ctest: devices shaders */
/* OpenGL buffers as kernels' memory: a context without a window (EGL, surfaceless), a buffer object
 * filled by OpenGL, doubled by a kernel, read by OpenGL. Where driver and device cannot share, the
 * copy must give the same answer. */
#include <dlfcn.h>

#include "testing.h"

static hed_error error;

enum {
    EGL_SURFACELESS = 0x31DD, /* EGL_PLATFORM_SURFACELESS_MESA */
    EGL_DEVICE_PLATFORM = 0x313F,
    EGL_OPENGL = 0x30A2,
    EGL_NONE_ = 0x3038,
    GL_ARRAY = 0x8892,
    GL_DYNAMIC = 0x88E8,
    COUNT = 1000
};

typedef struct gl_context {
    void *library, *display, *context;
    void *(*get_proc)(const char *name);
    int (*make_current)(void *display, void *draw, void *read, void *context);
    unsigned (*destroy_context)(void *display, void *context);
} gl_context;

/* The first display that gives a current OpenGL context: the GPU's own (EGL_EXT_platform_device),
 * else Mesa's surfaceless. */
static bool try_display(gl_context *gl, void *display)
{
    unsigned (*initialize)(void *, int *, int *) =
        (unsigned (*)(void *, int *, int *))dlsym(gl->library, "eglInitialize");
    unsigned (*bind_api)(unsigned) = (unsigned (*)(unsigned))dlsym(gl->library, "eglBindAPI");
    unsigned (*choose)(void *, const int *, void **, int, int *) = (unsigned (*)(
        void *, const int *, void **, int, int *))dlsym(gl->library, "eglChooseConfig");
    void *(*create)(void *, void *, void *, const int *) =
        (void *(*)(void *, void *, void *, const int *))dlsym(gl->library, "eglCreateContext");
    static const int any[] = {0x3033 /* EGL_SURFACE_TYPE */, 0, EGL_NONE_};
    void *config = NULL;
    int count = 0;
    if (!display || !initialize(display, NULL, NULL) || !bind_api(EGL_OPENGL)) return false;
    if (!choose(display, any, &config, 1, &count) || count < 1) return false;
    gl->display = display;
    gl->context = create(display, config, NULL, NULL);
    return gl->context && gl->make_current(display, NULL, NULL, gl->context);
}

static bool open_gl(gl_context *gl)
{
    *gl = (gl_context){.library = dlopen("libEGL.so.1", RTLD_NOW)};
    if (!gl->library) return false;
    gl->get_proc = (void *(*)(const char *))dlsym(gl->library, "eglGetProcAddress");
    gl->make_current =
        (int (*)(void *, void *, void *, void *))dlsym(gl->library, "eglMakeCurrent");
    gl->destroy_context = (unsigned (*)(void *, void *))dlsym(gl->library, "eglDestroyContext");
    void *(*get_platform)(unsigned, void *, const int *) =
        (void *(*)(unsigned, void *, const int *))gl->get_proc("eglGetPlatformDisplayEXT");
    unsigned (*query_devices)(int, void **, int *) =
        (unsigned (*)(int, void **, int *))gl->get_proc("eglQueryDevicesEXT");
    void *devices[8];
    int count = 0;
    if (query_devices && get_platform && query_devices(8, devices, &count))
        for (int i = 0; i < count; i++)
            if (try_display(gl, get_platform(EGL_DEVICE_PLATFORM, devices[i], NULL))) return true;
    return get_platform && try_display(gl, get_platform(EGL_SURFACELESS, NULL, NULL));
}

static const char twice_text[] =
    "__kernel void twice(__global float *x, uint n) { uint i = (uint)get_global_id(0); "
    "if (i < n) x[i] = 2.0f * x[i]; }\n";
static const char twice_glsl[] =
    "#version 450\n"
    "layout(local_size_x = 1) in;\n"
    "layout(set = 0, binding = 0) buffer X { float x[]; };\n"
    "layout(push_constant) uniform Scalars { uint n; };\n"
    "void main() { uint i = gl_GlobalInvocationID.x; if (i < n) x[i] = 2.0 * x[i]; }\n";
static const hed_source twice_source = {"twice.cl", twice_text, 0},
                        twice_shader = {"twice.comp", twice_glsl, 0};
static const hed_kernel_text twice_texts[] = {{HED_GLSL, NULL, &twice_shader, 1}};
static const hed_argument_def twice_arguments[] = {
    {.name = "x", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ_WRITE},
    {.name = "n", .kind = HED_SCALAR, .type = HED_UINT32}};

static void twice_native(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    float *x = call->arguments[0];
    uint32_t n = *(const uint32_t *)call->arguments[1];
    for (uint64_t i = begin; i < end && i < n; i++) x[i] *= 2.0f;
}

static const hed_kernel_def twice = {.name = "twice",
    .sources = &twice_source,
    .source_count = 1,
    .texts = twice_texts,
    .text_count = 1,
    .arguments = twice_arguments,
    .argument_count = 2,
    .range = twice_native};

Test(gl, a_buffer_of_opengl_is_doubled_by_a_kernel)
{
    gl_context gl;
    if (!open_gl(&gl))
        test_skip("no OpenGL without a window here (libEGL with a surfaceless or device platform)");
    void (*generate)(int, unsigned *) = (void (*)(int, unsigned *))gl.get_proc("glGenBuffers");
    void (*bind)(unsigned, unsigned) = (void (*)(unsigned, unsigned))gl.get_proc("glBindBuffer");
    void (*data)(unsigned, intptr_t, const void *, unsigned) =
        (void (*)(unsigned, intptr_t, const void *, unsigned))gl.get_proc("glBufferData");
    void (*get)(unsigned, intptr_t, intptr_t, void *) =
        (void (*)(unsigned, intptr_t, intptr_t, void *))gl.get_proc("glGetBufferSubData");
    void (*finish)(void) = (void (*)(void))gl.get_proc("glFinish");
    const unsigned char *(*get_string)(unsigned) =
        (const unsigned char *(*)(unsigned))gl.get_proc("glGetString");
    float values[COUNT], back[COUNT] = {0};
    unsigned name = 0;
    for (int i = 0; i < COUNT; i++) values[i] = (float)i * 0.5f;
    generate(1, &name);
    bind(GL_ARRAY, name);
    data(GL_ARRAY, sizeof values, values, GL_DYNAMIC);
    finish();

    test_device t = test_open(NULL);
    hed_gl shared = {gl.get_proc, gl.display, gl.context};
    hed_kernel *kernel;
    hed_buffer *buffer;
    bool copied = false;
    OK(hed_kernel_create(t.device, &twice, NULL, &kernel, &error));
    FAILS(HED_ERROR_ARGUMENT,
        hed_buffer_from_gl(t.device, &shared, 0, sizeof values, NULL, &buffer, &error));
    OK(hed_buffer_from_gl(t.device, &shared, name, sizeof values, &copied, &buffer, &error));
    for (int turn = 0; turn < 2; turn++) {
        OK(hed_buffer_gl_acquire(t.stream, buffer, &error));
        hed_geometry g = {.dimensions = 1, .global = {COUNT}};
        OK(hed_launch_over(t.stream, kernel, &g,
            (hed_argument[]){hed_buffer_argument(buffer), hed_uint_argument(COUNT)}, 2, &error));
        if (turn) OK(hed_buffer_gl_release(t.stream, buffer, &error));
        else { /* acts with an error set, once */ error.status = HED_ERROR_LIMIT;
            for (int i = 0; i < 2; i++)
                CHECK_EQ(hed_buffer_gl_release(t.stream, buffer, &error), HED_ERROR_LIMIT);
        }
        OK(hed_stream_wait(t.stream, &error));
    }
    bind(GL_ARRAY, name);
    get(GL_ARRAY, 0, sizeof back, back);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(back[i], 4 * values[i], "element %d is %g", i, (double)back[i]);
    test_note("%s: %s through %s", hed_device_describe(t.device).id, copied ? "copied" : "shared",
        get_string(0x1F01));
    hed_buffer_destroy(buffer);
    hed_kernel_destroy(kernel);
    test_close(&t);
    gl.make_current(gl.display, NULL, NULL, NULL);
    gl.destroy_context(gl.display, gl.context);
}
