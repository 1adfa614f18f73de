/* Drivers that are missing, broken, or fail: with the fake libraries of tests/fake in their place.
 * Whatever a driver's call returns, the runtime answers with a status that names the call, gives
 * everything back, and goes on. */
#include "backends/cuda/cuda_api.h"
#include "backends/gl/gl_api.h"
#include "backends/opencl/opencl_api.h"
#include "backends/vulkan/vulkan_api.h"
#include "cycle.h"
#include "fakes.h"
#include "heddle/shader.h"

static hed_error error;

typedef struct fake_device {
    const char *backend, *selector;
    const char *libraries[2]; /* whose calls fail in turn */
} fake_device;

static const fake_device fake_devices[] = {
    {"cuda", "cuda:0", {"cuda", "nvrtc"}},
    {"opencl", "opencl:0:0", {"opencl", NULL}}, /* memory shared with the host */
    {"opencl", "opencl:0:1", {"opencl", NULL}}, /* memory of its own */
    {"hip", "hip:0", {"hip", NULL}},
};
enum { FAKE_DEVICES = 4, FAKE_HIP = 3 };

static hed_backend_info report_of(const hed_context *context, const char *backend)
{
    for (uint32_t i = 0; i < hed_context_describe(context).backends; i++)
        if (!strcmp(hed_backend_at(context, i).name, backend)) return hed_backend_at(context, i);
    FAIL("no backend %s", backend);
    return (hed_backend_info){0};
}

/* ---- a whole life ---- */

Test(fake_driver, a_life_on_the_fakes_leaves_nothing)
{
    for (int d = 0; d < FAKE_DEVICES; d++) {
        const fake_device *device = &fake_devices[d];
        test_allocator state = {0};
        hed_context_def def = fakes_def(device->backend);
        def.allocator = test_allocator_of(&state);
        for (int i = 0; i < 2 && device->libraries[i]; i++) {
            fake_control *f = fakes_load(fakes_path(device->libraries[i]));
            fakes_reset(f);
            OK(cycle_run(&def, device->selector, NULL, &error));
            CHECK(f->calls > 10);
            CHECK_EQ(fakes_alive(f), 0, "%lld objects of %s are left", (long long)fakes_alive(f),
                device->libraries[i]);
            CHECK_EQ(f->bytes, 0);
            CHECK_EQ(f->misuses, 0, "%s was given nonsense", f->misused);
        }
        CHECK(state.live == 0 && state.bytes == 0, "%lld allocations of ours are left",
            (long long)state.live);
    }
}

/* ---- what is watched in each run ---- */

/* One run of a life with faults: the fakes it uses, what was alive in them before, and what the
 * context said at its end. */
typedef struct run {
    const fake_device *device;
    fake_control *fakes[2];
    int64_t before[2];
    test_allocator allocations;
    hed_status status;
} run;

static struct {
    const char *backend;
    hed_backend_state state;
    char reason[512], remedy[256];
} said; /* what became of the backend, kept before the context goes */

static void keep_report(const hed_context *context)
{
    hed_backend_info report = report_of(context, said.backend);
    said.state = report.state;
    snprintf(said.reason, sizeof said.reason, "%s", report.reason);
    snprintf(said.remedy, sizeof said.remedy, "%s", report.remedy);
}

static run run_of(const fake_device *device)
{
    run r = {.device = device};
    for (int i = 0; i < 2 && device->libraries[i]; i++) {
        r.fakes[i] = fakes_load(fakes_path(device->libraries[i]));
        fakes_reset(r.fakes[i]);
    }
    return r;
}

/* Runs a life with the faults that were set, and checks what must hold whatever fails. */
static void run_life(run *r, const char *what, const hed_context_def *given)
{
    hed_context_def def = given ? *given : fakes_def(r->device->backend);
    int64_t fail_at = r->allocations.fail_at;
    r->allocations = (test_allocator){.fail_at = fail_at};
    def.allocator = test_allocator_of(&r->allocations);
    for (int i = 0; i < 2 && r->fakes[i]; i++) r->before[i] = fakes_alive(r->fakes[i]);
    error = (hed_error){0};
    memset(&said, 0, sizeof said);
    said.backend = r->device->backend;
    r->status = cycle_run(&def, r->device->selector, keep_report, &error);
    if (r->status)
        CHECK(error.status == r->status && error.text[0], "%s: the error does not say why: %s",
            what, hed_status_name(r->status));
    CHECK(r->allocations.live == 0 && r->allocations.bytes == 0,
        "%s: %lld allocations of ours are left (%s)", what, (long long)r->allocations.live,
        error.text);
    for (int i = 0; i < 2 && r->fakes[i]; i++)
        CHECK_EQ(r->fakes[i]->misuses, 0, "%s: %s was given nonsense", what, r->fakes[i]->misused);
}

static int64_t left_in(const run *r, int library)
{
    return r->fakes[library] ? fakes_alive(r->fakes[library]) - r->before[library] : 0;
}

/* ---- allocations of ours ---- */

Test(fake_driver, every_allocation_failing_leaves_nothing)
{
    for (int d = 0; d < FAKE_DEVICES; d++) {
        run r = run_of(&fake_devices[d]);
        int64_t n = 0, refused = 0;
        do {
            char what[64];
            snprintf(what, sizeof what, "%s, allocation %lld failing", r.device->selector,
                (long long)++n);
            r.allocations.fail_at = n;
            run_life(&r, what, NULL);
            bool memory = r.status == HED_ERROR_MEMORY || r.status == HED_ERROR_DEVICE_MEMORY;
            CHECK(memory || r.status == HED_OK, "%s: %s: %s", what, hed_status_name(r.status),
                error.text); /* OK: what can be done without */
            for (int i = 0; i < 2; i++)
                CHECK_EQ(left_in(&r, i), 0, "%s: %lld objects of %s are left", what,
                    (long long)left_in(&r, i), r.device->libraries[i]);
            refused += memory;
        } while (r.allocations.calls >= n);
        CHECK(refused > 20, "only %lld of %lld allocations were refused", (long long)refused,
            (long long)n);
        CHECK_EQ(r.status, HED_OK);
    }
}

/* ---- calls of the driver ---- */

static bool is_among(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (!strcmp(name, *names)) return true;
    return false;
}

/* What gives something back, and what a destroy function does first: its failure is not told, and
 * what it was for may stay. */
static const char *const endings[] = {"cuDevicePrimaryCtxRelease", "cuCtxGetCurrent",
    "cuCtxSetCurrent", "cuEventDestroy", "cuGraphDestroy", "cuGraphExecDestroy", "cuMemFree",
    "cuMemFreeHost", "cuMemHostUnregister", "cuModuleUnload", "cuStreamDestroy",
    "cuStreamSynchronize", "nvrtcDestroyProgram", "clReleaseContext", "clReleaseCommandQueue",
    "clReleaseMemObject", "clReleaseProgram", "clReleaseKernel", "clReleaseEvent", "clFinish",
    "clEnqueueUnmapMemObject", "vkDeviceWaitIdle", "hipDevicePrimaryCtxRelease", "hipCtxGetCurrent",
    "hipCtxSetCurrent", "hipEventDestroy", "hipFree", "hipHostFree", "hipHostUnregister",
    "hipModuleUnload", "hipStreamDestroy", "hipStreamSynchronize", "hiprtcDestroyProgram", NULL};

/* What a driver does not tell of a device, a kernel or a build is unknown, or keeps the device from
 * being used. */
static const char *const questions[] = {"cuDeviceGetAttribute", "cuDeviceGetName", "cuDeviceGet",
    "cuDeviceTotalMem", "cuCtxGetStreamPriorityRange", "nvrtcGetProgramLogSize",
    "nvrtcGetProgramLog", "clGetDeviceInfo", "clGetPlatformInfo", "clGetKernelInfo",
    "clGetKernelWorkGroupInfo", "clGetProgramBuildInfo", "clGetContextInfo",
    "hipDeviceGetAttribute", "hipDeviceGetName", "hipDeviceGet", "hipDeviceTotalMem",
    "hipDeviceGetStreamPriorityRange", "hipGetDeviceProperties", "hiprtcGetProgramLogSize",
    "hiprtcGetProgramLog", NULL};

/* What is done without where it fails. */
static const char *const optional[] = {"cuMemHostRegister", "cuMemHostGetDevicePointer",
    "cuMemcpyPeerAsync", "cuDeviceCanAccessPeer", "cuCtxEnablePeerAccess", "cuStreamWaitEvent",
    "cuGraphicsGLRegisterBuffer", "vkGetPipelineCacheData", "clGetKernelArgInfo", "hipHostRegister",
    "hipHostGetDevicePointer", "hipMemcpyPeerAsync", "hipDeviceCanAccessPeer",
    "hipCtxEnablePeerAccess", "hipStreamWaitEvent", NULL};

/* `library` of the device has just failed in one call or more. */
static void check_failure(const run *r, int library, const char *what)
{
    const char *failed = r->fakes[library]->failed;
    bool ending = is_among(failed, endings), question = is_among(failed, questions);
    int64_t left = left_in(r, library);
    CHECK(left == 0 || (ending && left <= 3), "%s: %lld objects are left (%s)", what,
        (long long)left, error.text);
    if (r->status == HED_OK) {
        bool limited = said.state == HED_BACKEND_LIMITED && said.reason[0] && said.remedy[0];
        CHECK(ending || question || limited || is_among(failed, optional), "%s: nobody says so",
            what);
    } else if (!question && r->status != HED_ERROR_MEMORY &&
               r->status != HED_ERROR_DEVICE_MEMORY) { /* those name the size */
        bool told = strstr(error.text, failed) || strstr(error.log, failed);
        bool reported =
            said.state != HED_BACKEND_WORKS && strstr(said.reason, failed) && said.remedy[0];
        CHECK(told || reported, "%s: the call is not named: %s (%s: %s)", what, error.text,
            said.backend, said.reason);
    }
}

static void fail_each_call(const fake_device *device, int library, int code)
{
    run r = run_of(device);
    fake_control *f = r.fakes[library];
    for (int64_t n = 1;; n++) {
        char what[128];
        run_of(device);
        f->fail_call = n;
        f->code = code;
        snprintf(what, sizeof what, "%s, call %lld of %s gives %d", device->selector, (long long)n,
            device->libraries[library], code);
        run_life(&r, what, NULL);
        if (!f->failures) break;
        snprintf(what, sizeof what, "%s: %s (call %lld of %s) gives %d", device->selector,
            f->failed, (long long)n, device->libraries[library], code);
        check_failure(&r, library, what);
    }
    CHECK(r.status == HED_OK && f->calls > 10, "the process does not go on: %s", error.text);
}

/* 999 and -5: of no kind of their own. */
Test(fake_driver, each_call_of_cuda_failing) { fail_each_call(&fake_devices[0], 0, 999); }
Test(fake_driver, each_call_of_nvrtc_failing) { fail_each_call(&fake_devices[0], 1, 8); }
Test(fake_driver, each_call_of_hip_failing) { fail_each_call(&fake_devices[FAKE_HIP], 0, 999); }
Test(fake_driver, each_call_of_opencl_failing) { fail_each_call(&fake_devices[1], 0, -5); }
Test(fake_driver, each_call_of_opencl_failing_with_memory_of_its_own)
{
    fail_each_call(&fake_devices[2], 0, -5);
}

/* ---- functions that always fail, and devices that are lost ---- */

#define CUDA_NAME(member, symbol, hip, parameters) #member,
#define OPENCL_NAME(result, name, parameters) #name,
static const char *const cuda_names[] = {
    HED_CUDA_REQUIRED(CUDA_NAME) HED_CUDA_OPTIONAL(CUDA_NAME) NULL};
static const char *const opencl_names[] = {HED_CL_FUNCTIONS(OPENCL_NAME) NULL};

/* `expected`: what an error of this code is to be, where the device is there at all. */
static void fail_each_function(
    const fake_device *device, const char *const *names, int code, unsigned expected)
{
    run r = run_of(device);
    fake_control *f = r.fakes[0];
    int failures = 0;
    for (; *names; names++) {
        char what[128];
        run_of(device);
        f->fail_name = *names;
        f->code = code;
        snprintf(what, sizeof what, "%s: every %s gives %d", device->selector, *names, code);
        run_life(&r, what, NULL);
        if (f->failures) failures++;
        if (!f->failures || is_among(*names, endings)) continue;
        check_failure(&r, 0, what);
        bool as_expected = r.status == HED_OK || r.status == HED_ERROR_NO_DEVICE ||
                           is_among(*names, questions) || (1u << r.status & expected);
        CHECK(as_expected, "%s: %s: %s", what, hed_status_name(r.status), error.text);
    }
    CHECK(failures > 30, "only %d functions are used in a life", failures);
    run_of(device);
    run_life(&r, "after the faults", NULL);
    CHECK_EQ(r.status, HED_OK, "the process does not go on: %s", error.text);
}

enum { OUT_OF_MEMORY = 1 << HED_ERROR_MEMORY | 1 << HED_ERROR_DEVICE_MEMORY };

Test(fake_driver, each_function_of_cuda_always_failing)
{
    /* out of memory, not supported, a kernel that failed */
    fail_each_function(&fake_devices[0], cuda_names, 2, OUT_OF_MEMORY);
    fail_each_function(&fake_devices[0], cuda_names, 801, 1u << HED_ERROR_UNSUPPORTED);
    fail_each_function(&fake_devices[0], cuda_names, 719, 1u << HED_ERROR_LOST);
}

Test(fake_driver, each_function_of_opencl_always_failing)
{
    for (int d = 1; d < FAKE_HIP; d++) {
        /* CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, NVIDIA's word for a kernel that
         * ran wild */
        fail_each_function(&fake_devices[d], opencl_names, -4, OUT_OF_MEMORY);
        fail_each_function(&fake_devices[d], opencl_names, -6, OUT_OF_MEMORY);
        fail_each_function(&fake_devices[d], opencl_names, -9999, 1u << HED_ERROR_LOST);
    }
}

/* From call n on every call fails, as after a kernel that ran wild: LOST wherever work is
 * concerned, and no destroy function waits for what never ends. */
static void lose_at_each_call(const fake_device *device, int code)
{
    const int64_t stride = getenv("HEDDLE_TEST_FULL") ? 1 : 5;
    run r = run_of(device);
    fake_control *f = r.fakes[0];
    int64_t lost = 0;
    for (int64_t n = 1; n == 1 || f->failures; n += stride) {
        char what[128];
        run_of(device);
        f->fail_from = n;
        f->code = code;
        snprintf(
            what, sizeof what, "%s: lost at call %lld (%d)", device->selector, (long long)n, code);
        run_life(&r, what, NULL);
        bool opening = r.status == HED_ERROR_NO_DEVICE &&
                       (said.state != HED_BACKEND_WORKS || is_among(f->failed, questions));
        bool ended = r.status == HED_OK && (is_among(f->failed, endings) ||
                                               is_among(f->failed, optional) || !f->failures);
        bool asked = is_among(f->failed, questions) || strstr(error.text, "does not describe");
        CHECK(r.status == HED_ERROR_LOST || opening || ended || asked, "%s: %s: %s: %s", what,
            f->failed, hed_status_name(r.status), error.text);
        lost += r.status == HED_ERROR_LOST;
    }
    CHECK(lost > 20, "only %lld lives ended in LOST", (long long)lost);
}

Test(fake_driver, a_lost_cuda_device)
{
    lose_at_each_call(&fake_devices[0], 700);
    lose_at_each_call(&fake_devices[0], 719);
}

Test(fake_driver, a_lost_opencl_device) { lose_at_each_call(&fake_devices[1], -9999); }

/* ---- Vulkan: the real loader with faults, over lavapipe ---- */

static const fake_device vulkan_device = {"vulkan", "vulkan:0", {"vulkan", NULL}};

/* Compiles the one kernel, once for all lives; skips where there is no device or no compiler. */
static void vulkan_prepare(void)
{
    const hed_define macro = {"OFFSET", "0.5"};
    const hed_glsl_def glsl = {.name = "cycle",
        .sources = &cycle_shader,
        .source_count = 1,
        .defines = &macro,
        .define_count = 1,
        .allocator = hed_default_allocator()};
    static void *words;
    size_t size = 0;
    hed_context *context;
    hed_device *device;
    const hed_context_def def = fakes_def("vulkan");
    OK(hed_context_create(&def, &context, &error));
    bool found = !hed_device_find(context, "vulkan:0", &device, &error);
    hed_context_destroy(context);
    hed_error_clear(&error);
    if (!found || hed_shader_compile_glsl(&glsl, &words, &size, &error))
        test_skip("%s", found ? error.text : "no Vulkan device");
    cycle_shader = (hed_source){"cycle.spv", words, size};
    cycle_texts[0].language = HED_SPIRV;
}

#define VULKAN_NAME(result, name, parameters) (#result)[0] == 'V' ? "vk" #name : "vkCreateInstance",
static const char *vulkan_names[] = {HED_VK_FUNCTIONS(VULKAN_NAME) NULL};

Test(fake_driver, a_life_on_vulkan_leaves_nothing, .timeout = 120)
{
    vulkan_prepare();
    run r = run_of(&vulkan_device);
    run_life(&r, "vulkan", NULL);
    CHECK_EQ(r.status, HED_OK, "%s", error.text);
    CHECK_EQ(left_in(&r, 0), 0, "%lld objects are left", (long long)left_in(&r, 0));
    CHECK(r.fakes[0]->calls > 300);
}

/* VK_ERROR_UNKNOWN, VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_DEVICE_LOST */
Test(fake_driver, each_function_of_vulkan_always_failing, .timeout = 300)
{
    vulkan_prepare();
    fail_each_function(&vulkan_device, vulkan_names, -13, 1u << HED_ERROR_DRIVER);
    fail_each_function(&vulkan_device, vulkan_names, -2, OUT_OF_MEMORY | 1u << HED_ERROR_DRIVER);
    fail_each_function(&vulkan_device, vulkan_names, -4, 1u << HED_ERROR_LOST);
}

/* Not each: a life on lavapipe takes a tenth of a second. */
Test(fake_driver, calls_of_vulkan_failing, .timeout = 300)
{
    const int64_t stride = getenv("HEDDLE_TEST_FULL") ? 1 : 41;
    vulkan_prepare();
    run r = run_of(&vulkan_device);
    fake_control *f = r.fakes[0];
    for (int64_t n = 1; n == 1 || f->failures; n += stride) {
        char what[128];
        run_of(&vulkan_device);
        f->fail_call = n;
        f->code = -13;
        run_life(&r, "vulkan", NULL);
        snprintf(what, sizeof what, "%s (call %lld) gives -13", f->failed, (long long)n);
        if (f->failures) check_failure(&r, 0, what);
    }
    CHECK_EQ(r.status, HED_OK, "the process does not go on: %s", error.text);
}

/* ---- OpenGL: the real EGL with faults, over llvmpipe ---- */

static const fake_device gl_device = {"gl", "gl:0", {"gl", NULL}};

static void gl_prepare(void)
{
    hed_context *context;
    hed_device *device;
    const hed_context_def def = fakes_def("gl");
    OK(hed_context_create(&def, &context, &error));
    bool found = !hed_device_find(context, "gl:0", &device, &error);
    hed_context_destroy(context);
    hed_error_clear(&error);
    if (!found) test_skip("no OpenGL device");
}

/* OpenGL, then OpenGL ES. */
Test(fake_driver, a_life_on_gl_leaves_nothing, .timeout = 120)
{
    gl_prepare();
    run r = run_of(&gl_device);
    for (int es = 0; es < 2; es++) {
        r.fakes[0]->platform = es ? "ES" : NULL;
        run_life(&r, es ? "gl es" : "gl", NULL);
        CHECK_EQ(r.status, HED_OK, "%s: %s %s", es ? "ES" : "OpenGL", error.text, error.log);
        CHECK_EQ(left_in(&r, 0), 0, "%lld objects are left", (long long)left_in(&r, 0));
    }
    CHECK(r.fakes[0]->calls > 600);
}

/* Time stamps that do not agree with the host's clock are not used, and steps are timed all the
 * same. */
Test(fake_driver, a_clock_of_gl_that_lies, .timeout = 120)
{
    hed_context *context;
    hed_device *device;
    hed_stream *stream;
    hed_buffer *buffer;
    hed_step_time times[2];
    uint32_t count = 0;
    hed_stream_def timed = hed_default_stream_def();
    const hed_context_def def = fakes_def("gl");
    gl_prepare();
    run_of(&gl_device).fakes[0]->silent = true;
    timed.timed_steps = 2;
    OK(hed_context_create(&def, &context, &error));
    OK(hed_device_find(context, "gl:0", &device, &error));
    OK(hed_device_wait(device, &error)); /* which opens it */
    CHECK(!(hed_device_describe(device).capabilities & HED_CAN_DEVICE_TIME));
    OK(hed_stream_create(device, &timed, &stream, &error));
    OK(cycle_buffer(device, HED_MEMORY_DEVICE, 1 << 20, NULL, &buffer, &error));
    OK(hed_fill(stream, buffer, 0, 1 << 20, "\7", 1, &error));
    OK(hed_stream_wait(stream, &error));
    OK(hed_stream_read_times(stream, times, 2, &count, &error));
    CHECK(count == 1 && times[0].seconds > 0, "%u, %g", count, times[0].seconds);
    hed_buffer_destroy(buffer);
    hed_stream_destroy(stream);
    hed_context_destroy(context);
}

#define GL_NAME(result, name, parameters) "gl" #name,
#define EGL_NAME(result, name, parameters) "egl" #name,
static const char *const gl_names[] = {
    HED_EGL_FUNCTIONS(EGL_NAME) HED_GL_FUNCTIONS(GL_NAME) HED_GL_DESKTOP_FUNCTIONS(GL_NAME)};

/* A function of OpenGL tells of an error when it is asked, and by then another was called: the call
 * that is named is the last of a few. Not each: a life on llvmpipe takes a fifth of a second. */
Test(fake_driver, functions_of_gl_always_failing, .timeout = 300)
{
    static const int codes[] = {0x502, 0x505, 0x507};
    const size_t stride = getenv("HEDDLE_TEST_FULL") ? 1 : 9;
    gl_prepare();
    run r = run_of(&gl_device);
    fake_control *f = r.fakes[0];
    for (size_t i = 0; i < sizeof gl_names / sizeof *gl_names; i += stride) {
        char what[128];
        run_of(&gl_device);
        f->fail_name = gl_names[i];
        f->code = codes[i % 3];
        snprintf(what, sizeof what, "every %s gives %#x", gl_names[i], (unsigned)f->code);
        run_life(&r, what, NULL);
        bool ending = strstr(gl_names[i], "Delete") || strstr(gl_names[i], "Destroy") ||
                      strstr(gl_names[i], "MakeCurrent");
        CHECK(left_in(&r, 0) == 0 || ending, "%s: %lld objects are left", what,
            (long long)left_in(&r, 0));
    }
    run_of(&gl_device);
    run_life(&r, "gl", NULL);
    CHECK_EQ(r.status, HED_OK, "the process does not go on: %s", error.text);
}

Test(fake_driver, allocations_on_gl_failing, .timeout = 300)
{
    const int64_t stride = getenv("HEDDLE_TEST_FULL") ? 1 : 23;
    gl_prepare();
    run r = run_of(&gl_device);
    int64_t refused = 0, n = 1;
    for (bool more = true; more; n += stride) {
        char what[64];
        snprintf(what, sizeof what, "gl, allocation %lld failing", (long long)n);
        r.allocations.fail_at = n;
        run_life(&r, what, NULL);
        CHECK(r.status == HED_ERROR_MEMORY || r.status == HED_ERROR_DEVICE_MEMORY ||
                  r.status == HED_OK,
            "%s: %s", what, error.text);
        CHECK_EQ(left_in(&r, 0), 0, "%s: %lld objects are left", what, (long long)left_in(&r, 0));
        refused += r.status != HED_OK;
        more = r.allocations.calls >= n;
    }
    CHECK(refused > 1 && r.status == HED_OK, "%lld of %lld were refused", (long long)refused,
        (long long)n);
}

/* ---- single faults ---- */

typedef struct scene {
    test_allocator allocations;
    fake_control *f;
    hed_context *context;
    hed_device *device;
    hed_stream *stream;
    hed_buffer *buffer;
    hed_event *event;
} scene;

static void open_scene(scene *s, const fake_device *device)
{
    memset(s, 0, sizeof *s);
    s->f = run_of(device).fakes[0];
    s->f->memory_bytes = 1 << 20;
    hed_context_def def = fakes_def(device->backend);
    def.allocator = test_allocator_of(&s->allocations);
    OK(hed_context_create(&def, &s->context, &error));
    OK(hed_device_find(s->context, device->selector, &s->device, &error));
    OK(hed_stream_create(s->device, NULL, &s->stream, &error));
    OK(cycle_buffer(s->device, HED_MEMORY_DEVICE, 4096, NULL, &s->buffer, &error));
    OK(hed_event_create(s->device, true, &s->event, &error));
}

static void close_scene(scene *s)
{
    hed_event_destroy(s->event);
    hed_buffer_destroy(s->buffer);
    hed_stream_destroy(s->stream);
    hed_context_destroy(s->context);
    CHECK(s->allocations.live == 0 && s->allocations.bytes == 0);
    CHECK(fakes_alive(s->f) == 0 && s->f->misuses == 0, "%lld objects are left, %lld misuses (%s)",
        (long long)fakes_alive(s->f), (long long)s->f->misuses, s->f->misused);
}

Test(fake_driver, a_hung_device_is_a_time_out)
{
    for (int d = 0; d < FAKE_DEVICES; d++) {
        scene s;
        open_scene(&s, &fake_devices[d]);
        OK(hed_fill(s.stream, s.buffer, 0, 64, "\0", 1, &error));
        OK(hed_event_record(s.event, s.stream, &error));
        OK(hed_stream_wait_for(s.stream, 1000000, &error));
        s.f->hangs = true;
        ANSWERS(HED_ERROR_TIMEOUT, hed_stream_wait_for(s.stream, 3000000, &error));
        ANSWERS(HED_ERROR_TIMEOUT, hed_stream_wait_for(s.stream, 0, &error));
        ANSWERS(HED_ERROR_TIMEOUT, hed_event_wait(s.event, 3000000, &error));
        double seconds = 0;
        ANSWERS(HED_ERROR_NOT_READY, hed_event_elapsed(s.event, s.event, &seconds, &error));
        CHECK(isnan(seconds));
        s.f->hangs = false;
        OK(hed_stream_wait_for(s.stream, 1000000, &error));
        OK(hed_event_wait(s.event, 1000000, &error));
        close_scene(&s);
    }
}

/* OpenCL's fake counts a buffer that goes while it is mapped as a misuse. */
Test(fake_driver, a_map_ends_with_an_error_set)
{
    for (int d = 0; d < FAKE_DEVICES; d++) {
        scene s;
        void *pointer;
        open_scene(&s, &fake_devices[d]);
        OK(hed_map(s.stream, s.buffer, 0, 64, &pointer, &error));
        error = (hed_error){HED_ERROR_LIMIT, "the first error", ""};
        CHECK_EQ(hed_unmap(s.stream, s.buffer, pointer, &error), HED_ERROR_LIMIT);
        CHECK_EQ(hed_unmap(s.stream, s.buffer, NULL, &error), HED_ERROR_LIMIT);
        CHECK_TEXT(error.text, "the first error");
        FAILS(HED_ERROR_ARGUMENT, hed_unmap(s.stream, s.buffer, pointer, &error));
        close_scene(&s);
    }
}

Test(fake_driver, device_memory_that_runs_out_names_the_size_and_comes_back)
{
    for (int d = 0; d < FAKE_DEVICES; d++) {
        scene s;
        hed_buffer *kept[8] = {NULL};
        int count = 0;
        hed_status status = HED_OK;
        open_scene(&s, &fake_devices[d]);
        while (count < 8 && !(status = cycle_buffer(
                                  s.device, HED_MEMORY_DEVICE, 300007, NULL, &kept[count], &error)))
            count++;
        CHECK(status == HED_ERROR_DEVICE_MEMORY && count == 3, "%s after %d buffers",
            hed_status_name(status), count);
        CHECK(strstr(error.text, "300007"), "the error does not name the size: %s", error.text);
        hed_buffer_destroy(kept[--count]);
        OK(cycle_buffer(s.device, HED_MEMORY_DEVICE, 300007, NULL, &kept[count++], &error));
        FAILS(HED_ERROR_LIMIT,
            cycle_buffer(s.device, HED_MEMORY_DEVICE, 2 << 20, NULL, &kept[7], &error));
        while (count > 0) hed_buffer_destroy(kept[--count]);
        close_scene(&s);
    }
}

/* ---- symbols ---- */

static void one_item(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *g)
{
    (void)def;
    (void)config;
    (void)problem;
    g->dimensions = 1;
    g->global[0] = g->group[0] = 1;
}

static void expect_weights(
    scene *s, hed_graph *graph, hed_buffer *const out[2], float first, float second)
{
    float got[2] = {0, 0};
    OK(hed_graph_replay(graph, s->stream, &error));
    for (int i = 0; i < 2; i++) OK(hed_read(s->stream, &got[i], out[i], 0, sizeof got[i], &error));
    OK(hed_stream_wait(s->stream, &error));
    EXPECT(got[0] == first && got[1] == second, "%g and %g instead of %g and %g", got[0], got[1],
        first, second);
}

Test(fake_driver, each_recorded_launch_sees_its_own_symbol)
{
    static const hed_source source = {"put.cu",
        "__constant__ float weight;\n__global__ void put(float *out) { *out = weight; }\n", 0};
    static const hed_argument_def parts[] = {
        {.name = "out", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE},
        {.name = "weight", .kind = HED_STRUCT, .size = sizeof(float), .symbol = true}};
    const hed_kernel_def put = {.name = "put",
        .language = HED_CUDA_C,
        .sources = &source,
        .source_count = 1,
        .arguments = parts,
        .argument_count = 2,
        .dimensions = cycle_dimensions,
        .dimension_count = 1,
        .geometry = one_item};
    const float weights[3] = {3, 5, 7};
    const hed_problem problem = hed_problem_1d(1);
    scene s;
    hed_kernel *kernel;
    hed_graph *graph;
    open_scene(&s, &fake_devices[0]);
    hed_buffer *out[2] = {s.buffer, NULL};
    OK(cycle_buffer(s.device, HED_MEMORY_DEVICE, 64, NULL, &out[1], &error));
    OK(hed_kernel_create(s.device, &put, NULL, &kernel, &error));
    OK(hed_graph_begin(s.stream, &error));
    for (int i = 0; i < 2; i++) {
        hed_argument arguments[] = {
            hed_buffer_argument(out[i]), hed_struct_argument(&weights[i], sizeof weights[i])};
        OK(hed_launch(s.stream, kernel, &problem, arguments, 2, &error));
    }
    OK(hed_graph_end(s.stream, &graph, &error));
    expect_weights(&s, graph, out, 3, 5);
    expect_weights(&s, graph, out, 3, 5);
    hed_argument changed[] = {
        hed_buffer_argument(out[0]), hed_struct_argument(&weights[2], sizeof weights[2])};
    OK(hed_graph_update(graph, 0, changed, 2, &error));
    expect_weights(&s, graph, out, 7, 5);
    hed_graph_destroy(graph);
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(out[1]);
    close_scene(&s);
}

static const hed_source broken_source = {
    "broken.cl", "__kernel void cycle(NO_SUCH_THING x)\n{\n}\n", 0};

/* The error comes from hed_kernel_ready(), once; the former configuration goes on. */
Test(fake_driver, a_build_that_fails)
{
    for (int d = 0; d < FAKE_DEVICES; d++) {
        scene s;
        hed_kernel *kernel, *none;
        hed_kernel_def broken = cycle_def;
        hed_kernel_options options = hed_default_kernel_options();
        hed_status status;
        broken.sources = &broken_source;
        broken.source_count = 1;
        open_scene(&s, &fake_devices[d]);
        FAILS(HED_ERROR_BUILD, hed_kernel_create(s.device, &broken, NULL, &none, &error));
        CHECK(strstr(error.log, "NO_SUCH_THING"), "no log: %s", error.log);
        options.background = true;
        OK(hed_kernel_create(s.device, &broken, &options, &none, &error));
        while ((status = hed_kernel_ready(none, &error)) == HED_ERROR_NOT_READY) usleep(50);
        CHECK_EQ(status, HED_ERROR_BUILD);
        CHECK(strstr(error.log, "NO_SUCH_THING"), "no log: %s", error.log);
        hed_kernel_destroy(none);
        OK(hed_kernel_create(s.device, &cycle_def, NULL, &kernel, &error));
        bool opencl = fake_devices[d].backend[0] == 'o';
        s.f->fail_name = opencl          ? "clBuildProgram"
                         : d == FAKE_HIP ? "hipModuleLoadDataEx"
                                         : "cuModuleLoadDataEx";
        s.f->code = opencl ? -5 : 999;
        OK(hed_kernel_reconfigure(kernel, &options, &error));
        while ((status = hed_kernel_ready(kernel, &error)) == HED_ERROR_NOT_READY) usleep(50);
        CHECK_EQ(status, HED_ERROR_DRIVER, "%s", hed_status_name(status));
        s.f->fail_name = NULL;
        CHECK_EQ(hed_kernel_config(kernel, NULL).values[0], 64);
        OK(hed_kernel_ready(kernel, &error));
        hed_kernel_destroy(kernel);
        close_scene(&s);
    }
}

Test(fake_driver, strict_mode_needs_its_capability)
{
    for (int plain = 0; plain < 2; plain++) {
        hed_kernel_options options = hed_default_kernel_options();
        hed_kernel *kernel;
        scene s;
        fakes_load(fakes_path("opencl"))->plain_floats = plain;
        hed_context_def def = fakes_def("opencl");
        memset(&s, 0, sizeof s);
        OK(hed_context_create(&def, &s.context, &error));
        OK(hed_device_find(s.context, "opencl", &s.device, &error));
        options.math = HED_MATH_STRICT;
        if (plain) {
            FAILS(HED_ERROR_UNSUPPORTED,
                hed_kernel_create(s.device, &cycle_def, &options, &kernel, &error));
            CHECK(strstr(error.text, "strict"), "%s", error.text);
            options.math = HED_MATH_FAST;
        }
        OK(hed_kernel_create(s.device, &cycle_def, &options, &kernel, &error));
        hed_kernel_destroy(kernel);
        hed_context_destroy(s.context);
    }
}

/* ---- more devices than the backend takes ---- */

static char warnings[1024];

static void keep_warning(void *user, hed_log_level level, const char *text)
{
    (void)user;
    size_t used = strlen(warnings);
    if (level == HED_LOG_WARNING) snprintf(warnings + used, sizeof warnings - used, "%s\n", text);
}

/* 64 of OpenCL's are the limit of the backend and of a context: then host has no place. */
Test(fake_driver, devices_beyond_the_limit_are_left_out_with_a_warning)
{
    fake_control *f = fakes_load(fakes_path("opencl"));
    for (int devices = 63; devices <= 66; devices++) {
        fakes_reset(f);
        f->devices = devices;
        warnings[0] = 0;
        hed_context_def def = fakes_def("opencl");
        def.logger = (hed_logger){.log = keep_warning, .level = HED_LOG_WARNING};
        hed_context *context;
        hed_device *last;
        OK(hed_context_create(&def, &context, &error));
        int used = devices < 64 ? devices : 64;
        CHECK_EQ(report_of(context, "opencl").devices, used);
        OK(hed_device_find(context, used == 63 ? "opencl:0:62" : "opencl:0:63", &last, &error));
        FAILS(HED_ERROR_NO_DEVICE, hed_device_find(context, "opencl:0:64", &last, &error));
        char expected[64];
        snprintf(expected, sizeof expected, "lists %d devices; 64 are used", devices);
        CHECK(!strstr(warnings, expected) == (devices <= 64), "%d: %s", devices, warnings);
        CHECK(!strstr(warnings, "host lists 1 devices; 0 are used") == (devices < 64), "%d: %s",
            devices, warnings);
        hed_context_destroy(context);
    }
    fakes_reset(f);
}

/* ---- many lives ---- */

Test(fake_driver, many_lives_leave_nothing)
{
    const int lives = getenv("HEDDLE_TEST_FULL") ? 1000 : 100;
    for (int d = 0; d < FAKE_DEVICES; d++) {
        run r = run_of(&fake_devices[d]);
        for (int i = 0; i < lives; i++) {
            run_life(&r, "one of many lives", NULL);
            CHECK_EQ(r.status, HED_OK, "life %d: %s", i, error.text);
            for (int l = 0; l < 2 && r.fakes[l]; l++)
                CHECK(left_in(&r, l) == 0 && r.fakes[l]->bytes == 0,
                    "life %d: %lld objects of %s and %llu bytes are left", i,
                    (long long)left_in(&r, l), r.device->libraries[l],
                    (unsigned long long)r.fakes[l]->bytes);
        }
    }
}
