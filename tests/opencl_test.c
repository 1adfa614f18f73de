/* ctest: drivers */
/* What is special to the OpenCL backend: a program's own context, queue and buffers; handles and
 * functions read out; signal handlers; steps that wait, hang or fail. */
#include <signal.h>
#include <time.h>

#include "opencl_testing.h"

enum {
    CL_CONTEXT_REFERENCE_COUNT = 0x1080,
    CL_QUEUE_REFERENCE_COUNT = 0x1092,
    CL_MEM_REFERENCE_COUNT = 0x1105,
    CL_KERNEL_FUNCTION_NAME = 0x1190
};

/* ---- a program that has a context, a queue and a buffer ---- */

typedef struct own {
    hed_driver_handles native;
    cl_context context;
    cl_command_queue queue;
    cl_mem memory;
} own;

static own make_own(const opencl_test *t, cl_bitfield queue_properties)
{
    own o = {0};
    cl_int code = CL_SUCCESS;
    int32_t zeros[N] = {0};
    OK(hed_device_handles(t->device, &o.native, &error));
    CHECK(o.native.platform && o.native.device && o.native.context);
    cl_device_id id = o.native.device;
    o.native.context = o.context = t->cl.clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    o.queue = t->cl.clCreateCommandQueue(o.context, id, queue_properties, &code);
    o.memory = t->cl.clCreateBuffer(o.context, CL_MEM_READ_WRITE, sizeof zeros, NULL, &code);
    CHECK(o.context && o.queue && o.memory);
    CHECK_EQ(t->cl.clEnqueueWriteBuffer(
                 o.queue, o.memory, CL_TRUE, 0, sizeof zeros, zeros, 0, NULL, NULL),
        CL_SUCCESS);
    return o;
}

typedef struct references {
    cl_uint context, queue, memory;
} references;

static references count_references(const opencl_test *t, const own *o)
{
    references r = {0};
    t->cl.clGetContextInfo(
        o->context, CL_CONTEXT_REFERENCE_COUNT, sizeof r.context, &r.context, NULL);
    t->cl.clGetCommandQueueInfo(o->queue, CL_QUEUE_REFERENCE_COUNT, sizeof r.queue, &r.queue, NULL);
    t->cl.clGetMemObjectInfo(o->memory, CL_MEM_REFERENCE_COUNT, sizeof r.memory, &r.memory, NULL);
    return r;
}

/* The counts are as before, at the latest in a minute: PoCL's own thread lets go of a queue
 * after it has said that the queue's last command is complete. */
static void assert_references(const opencl_test *t, const own *o, references before)
{
    references after = count_references(t, o);
    for (int i = 0; i < 60000 && memcmp(&after, &before, sizeof after) != 0; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        after = count_references(t, o);
    }
    CHECK_EQ(after.context, before.context);
    CHECK_EQ(after.queue, before.queue);
    CHECK_EQ(after.memory, before.memory);
}

static void free_own(const opencl_test *t, own *o)
{
    t->cl.clReleaseMemObject(o->memory);
    t->cl.clReleaseCommandQueue(o->queue);
    t->cl.clReleaseContext(o->context);
}

static hed_stream *adopt_queue(hed_device *device, cl_command_queue queue)
{
    const hed_stream_def def = {.handle = queue, .use_handle = true};
    hed_stream *stream;
    OK(hed_stream_create(device, &def, &stream, &error));
    return stream;
}

Test(opencl, adopted_context_queue_and_buffer_stay_the_programs)
{
    opencl_test t = open_test(NULL);
    own o = make_own(&t, 0);
    references before = count_references(&t, &o);
    hed_device *device;
    hed_buffer *x;
    OK(hed_device_adopt(t.context, "opencl", &o.native, &device, &error));
    CHECK_TEXT(hed_device_describe(device).id, hed_device_describe(t.device).id);
    CHECK_EQ(
        hed_context_describe(t.context).devices > 0 && hed_device_at(t.context, 0) != device, 1);
    hed_stream *stream = adopt_queue(device, o.queue);
    const hed_buffer_def def = {
        .memory = HED_MEMORY_ADOPTED, .size = N * sizeof(int32_t), .handle = (uintptr_t)o.memory};
    OK(hed_buffer_create(device, &def, &x, &error));
    CHECK_EQ(hed_buffer_describe(x).handle, (uintptr_t)o.memory);
    CHECK_EQ(hed_stream_handle(stream), (void *)o.queue);
    hed_kernel *kernel = make_kernel(device, &twice);
    launch_twice(stream, kernel, x, 5);
    launch_twice(stream, kernel, x, 1);
    OK(hed_device_wait(device, &error));

    int32_t values[N];
    CHECK_EQ(t.cl.clEnqueueReadBuffer(
                 o.queue, o.memory, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL),
        CL_SUCCESS);
    for (int i = 0; i < N; i++) CHECK_EQ(values[i], 11);

    hed_kernel_destroy(kernel);
    hed_buffer_destroy(x);
    hed_stream_destroy(stream);
    hed_device_release(device);
    assert_references(&t, &o, before);
    free_own(&t, &o);
    close_test(&t);
}

Test(opencl, what_cannot_be_adopted_is_refused)
{
    opencl_test t = open_test(NULL);
    own o = make_own(&t, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), plain = make_own(&t, 0);
    references before = count_references(&t, &o);
    hed_driver_handles without = o.native;
    hed_device *device, *other;
    hed_stream *stream;
    hed_buffer *buffer;
    without.device = NULL;
    FAILS(HED_ERROR_ARGUMENT, hed_device_adopt(t.context, "opencl", &without, &device, &error));
    OK(hed_device_adopt(t.context, "opencl", &o.native, &device, &error));
    OK(hed_device_adopt(t.context, "opencl", &plain.native, &other, &error));
    hed_stream_def def = {.handle = o.queue, .use_handle = true};
    FAILS(HED_ERROR_ARGUMENT, hed_stream_create(device, &def, &stream, &error)); /* out of order */
    def.handle = plain.queue;
    /* of another context */
    FAILS(HED_ERROR_ARGUMENT, hed_stream_create(device, &def, &stream, &error));
    def.handle = NULL;
    FAILS(HED_ERROR_ARGUMENT, hed_stream_create(device, &def, &stream, &error));
    def = (hed_stream_def){.handle = plain.queue, .use_handle = true, .timed_steps = 4};
    /* keeps no times */
    FAILS(HED_ERROR_UNSUPPORTED, hed_stream_create(other, &def, &stream, &error));
    hed_buffer_def memory = {
        .memory = HED_MEMORY_ADOPTED, .size = 16, .handle = (uintptr_t)plain.memory};
    /* of another context */
    FAILS(HED_ERROR_ARGUMENT, hed_buffer_create(device, &memory, &buffer, &error));
    memory.handle = (uintptr_t)o.memory;
    memory.size = N * sizeof(int32_t) + 1;
    FAILS(HED_ERROR_BOUNDS, hed_buffer_create(device, &memory, &buffer, &error));
    hed_device_release(device);
    hed_device_release(other);
    assert_references(&t, &o, before);
    free_own(&t, &o);
    free_own(&t, &plain);
    close_test(&t);
}

Test(opencl, handles_and_functions_can_be_read_out)
{
    opencl_test t = open_test(NULL);
    hed_buffer *x = make_buffer(t.device, 777);
    hed_kernel *kernel = make_kernel(t.device, &twice);
    size_t size = 0;
    char name[64] = "";
    CHECK_EQ(t.cl.clGetMemObjectInfo(
                 (cl_mem)hed_buffer_describe(x).handle, CL_MEM_SIZE, sizeof size, &size, NULL),
        CL_SUCCESS);
    CHECK_EQ(size, 777);
    CHECK_EQ(t.cl.clGetKernelInfo(hed_kernel_describe(kernel).handle, CL_KERNEL_FUNCTION_NAME,
                 sizeof name, name, NULL),
        CL_SUCCESS);
    CHECK_TEXT(name, "twice");
    CHECK_EQ(t.cl.clFinish(hed_stream_handle(t.stream)), CL_SUCCESS);
    CHECK_NOT_NULL(hed_device_symbol(t.device, "clEnqueueNDRangeKernel"));
    CHECK_NULL(hed_device_symbol(t.device, "clNoSuchFunction"));
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(x);
    close_test(&t);
}

/* ---- the library ---- */

static hed_backend_info report_with(const char *library, hed_context **context)
{
    hed_context_def def = hed_default_context_def();
    def.opencl_library = library;
    OK(hed_context_create(&def, context, &error));
    for (uint32_t i = 0; i < hed_context_describe(*context).backends; i++)
        if (!strcmp(hed_backend_at(*context, i).name, "opencl")) return hed_backend_at(*context, i);
    FAIL("no backend \"opencl\"");
    return (hed_backend_info){0};
}

Test(opencl, a_library_that_is_missing_or_wrong_is_said_and_no_failure)
{
    static const struct {
        const char *library, *reason;
        hed_backend_state state;
    } cases[] = {{"", "not wanted", HED_BACKEND_ABSENT},
        {"libno-such-library.so.1", "libno-such-library.so.1", HED_BACKEND_ABSENT},
        {"libm.so.6", "clGetPlatformIDs", HED_BACKEND_FAILED}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hed_context *context;
        hed_backend_info report = report_with(cases[i].library, &context);
        CHECK_EQ(report.state, cases[i].state);
        CHECK_EQ(report.devices, 0);
        CHECK(strstr(report.reason, cases[i].reason), "\"%s\" does not say \"%s\"", report.reason,
            cases[i].reason);
        CHECK(report.remedy[0]);
        hed_context_destroy(context);
    }
}

/* ---- signals ---- */

static void own_handler(int number) { (void)number; }

Test(opencl, the_programs_signal_handlers_stay)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS,
        SIGUSR1, SIGSEGV, SIGUSR2, SIGTERM, SIGPIPE, SIGXCPU, SIGXFSZ, SIGSYS, SIGCHLD, SIGALRM};
    enum { COUNT = sizeof numbers / sizeof numbers[0] };
    struct sigaction before[COUNT], now;
    hed_context_def def = hed_default_context_def();
    def.cache_dir = ""; /* so that the compiler runs */
    for (int i = 0; i < COUNT; i += 2) signal(numbers[i], own_handler);
    for (int i = 0; i < COUNT; i++) sigaction(numbers[i], NULL, &before[i]);
    opencl_test t = open_test(&def);
    hed_kernel *kernel = make_kernel(t.device, &twice);
    hed_buffer *x = make_buffer(t.device, N * sizeof(int32_t));
    launch_twice(t.stream, kernel, x, 0);
    OK(hed_stream_wait(t.stream, &error));
    for (int i = 0; i < COUNT; i++) {
        sigaction(numbers[i], NULL, &now);
        CHECK(now.sa_handler == before[i].sa_handler,
            "the driver's handler of signal %d was left in place", numbers[i]);
    }
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(x);
    close_test(&t);
}

Test(opencl, division_of_integers_by_zero_in_a_kernel_is_harmless)
{
    static const hed_source source = {"divide.cl",
        "__kernel void divide_all(__global int *x, int by) { x[get_global_id(0)] /= by; }\n", 0};
    struct sigaction now;
    sigaction(SIGFPE, NULL, &now);
    if (now.sa_handler != SIG_DFL)
        test_skip("the program has its own handler of SIGFPE, which stays (a sanitizer's?)");
    const hed_kernel_def divide = {.name = "divide_all",
        .sources = &source,
        .source_count = 1,
        .arguments = twice_arguments,
        .argument_count = 2};
    opencl_test t = open_test(NULL);
    hed_kernel *kernel = make_kernel(t.device, &divide);
    hed_buffer *x = make_buffer(t.device, N * sizeof(int32_t));
    int32_t values[N];
    for (int i = 0; i < N; i++) values[i] = 6;
    OK(hed_write(t.stream, x, 0, values, sizeof values, &error));
    launch_twice(t.stream, kernel, x, 0);
    OK(hed_write(t.stream, x, 0, values, sizeof values, &error));
    launch_twice(t.stream, kernel, x, 2);
    check_all(t.stream, x, 3);
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(x);
    close_test(&t);
}

/* ---- steps ---- */

typedef struct call_log {
    _Atomic int begun, ended;
    _Atomic bool released; /* lets slow_call() end */
} call_log;

/* Takes 20 ms, and until it is released. */
static void slow_call(void *user)
{
    call_log *log = user;
    log->begun++;
    do nanosleep(&(struct timespec){0, 20000000}, NULL);
    while (!log->released);
    log->ended++;
}

static void copy_count(void *user)
{
    call_log *log = user;
    log->begun = log->ended;
}

Test(opencl, a_host_function_holds_what_comes_after_it)
{
    opencl_test t = open_test(NULL);
    const hed_stream_def timed = {.timed_steps = 8};
    hed_stream *stream;
    hed_step_time times[8];
    uint32_t count;
    call_log first = {0}, second = {.released = true};
    first.released = is_threadless(&t);
    hed_kernel *kernel = make_kernel(t.device, &twice);
    hed_buffer *x = make_buffer(t.device, N * sizeof(int32_t));
    int32_t zero = 0;
    OK(hed_stream_create(t.device, &timed, &stream, &error));
    OK(hed_fill(stream, x, 0, N * sizeof(int32_t), &zero, 4, &error));
    launch_twice(stream, kernel, x, 1);
    OK(hed_call(stream, slow_call, &first, &error));
    OK(hed_call(stream, copy_count, &first, &error)); /* sees the first one ended */
    launch_twice(stream, kernel, x, 1);
    if (!first.released)
        ANSWERS(HED_ERROR_TIMEOUT,
            hed_stream_wait_for(stream, 50000000, &error)); /* the launch waits too */
    if (!first.released) CHECK_EQ(first.ended, 0);
    first.released = true;
    OK(hed_stream_read_times(stream, times, 8, &count, &error));
    CHECK_EQ(first.begun, 1);
    CHECK_EQ(first.ended, 1);
    CHECK_EQ(count, 5);
    CHECK_EQ(times[2].kind, HED_STEP_CALL);
    CHECK_GE(
        times[2].seconds, 0.019, "a sleep of 20 ms took %g s, by another clock", times[2].seconds);
    check_all(stream, x, 3);
    OK(hed_call(stream, slow_call, &second, &error));
    hed_stream_destroy(stream); /* waits for it and leaves nothing behind */
    CHECK_EQ(second.ended, 1);
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(x);
    close_test(&t);
}

Test(opencl, many_host_functions_and_streams_end)
{
    opencl_test t = open_test(NULL);
    call_log log = {.ended = 7};
    for (int i = 0; i < 100; i++) {
        hed_stream *stream;
        OK(hed_stream_create(t.device, NULL, &stream, &error));
        OK(hed_call(stream, copy_count, &log, &error));
        OK(hed_call(stream, copy_count, &log, &error));
        if (i & 1) OK(hed_stream_wait(stream, &error));
        hed_stream_destroy(stream);
        CHECK_EQ(log.begun, 7);
        log.begun = 0;
    }
    close_test(&t);
}

/* A queue of the program's in which a user event holds everything up. */
typedef struct held {
    opencl_test t;
    own o;
    hed_device *device;
    hed_stream *stream, *other;
    cl_event gate;
} held;

static held make_held(void)
{
    held h = {.t = open_test(NULL)};
    if (is_threadless(&h.t))
        test_skip("this driver runs everything in the calling thread, which would wait for itself");
    cl_int code = CL_SUCCESS;
    h.o = make_own(&h.t, 0);
    OK(hed_device_adopt(h.t.context, "opencl", &h.o.native, &h.device, &error));
    h.stream = adopt_queue(h.device, h.o.queue);
    OK(hed_stream_create(h.device, NULL, &h.other, &error));
    h.gate = h.t.cl.clCreateUserEvent(h.o.context, &code);
    CHECK_EQ(h.t.cl.clEnqueueBarrierWithWaitList(h.o.queue, 1, &h.gate, NULL), CL_SUCCESS);
    return h;
}

static void close_held(held *h)
{
    hed_stream_destroy(h->stream);
    hed_stream_destroy(h->other);
    h->t.cl.clReleaseEvent(h->gate);
    hed_device_release(h->device);
    free_own(&h->t, &h->o);
    close_test(&h->t);
}

Test(opencl, a_stream_that_hangs_is_a_time_out_and_can_be_waited_for_again)
{
    held h = make_held();
    hed_event *event;
    bool done = true;
    OK(hed_event_create(h.device, true, &event, &error));
    OK(hed_event_record(event, h.stream, &error));
    OK(hed_stream_wait_event(h.other, event, &error));
    ANSWERS(HED_ERROR_TIMEOUT, hed_stream_wait_for(h.stream, 20000000, &error));
    ANSWERS(HED_ERROR_TIMEOUT, hed_stream_wait_for(h.other, 5000000, &error));
    ANSWERS(HED_ERROR_TIMEOUT, hed_event_wait(event, 5000000, &error));
    OK(h.device->backend->stream_done(h.stream, &done, &error));
    CHECK_NOT(done);
    CHECK_EQ(h.t.cl.clSetUserEventStatus(h.gate, CL_COMPLETE), CL_SUCCESS);
    OK(hed_stream_wait_for(h.stream, 10000000000, &error));
    OK(hed_stream_wait_for(h.other, 10000000000, &error));
    OK(hed_event_wait(event, 10000000000, &error));
    hed_event_destroy(event);
    close_held(&h);
}

Test(opencl, work_that_failed_is_a_lost_device)
{
    held h = make_held();
    if (is_pocl(&h.t)) test_skip("PoCL aborts the process when a user event fails");
    hed_event *event;
    OK(hed_event_create(h.device, true, &event, &error));
    OK(hed_event_record(event, h.stream, &error));
    CHECK_EQ(h.t.cl.clSetUserEventStatus(h.gate, -5), CL_SUCCESS);
    FAILS(HED_ERROR_LOST, hed_event_wait(event, 10000000000, &error));
    FAILS(HED_ERROR_LOST, hed_event_wait(event, UINT64_MAX, &error));
    hed_event_destroy(event);
    close_held(&h);
}

/* ---- memory ---- */

Test(opencl, mapped_memory_is_the_same_memory_or_unsupported)
{
    opencl_test t = open_test(NULL);
    const hed_buffer_def def = {.memory = HED_MEMORY_MAPPED, .size = N * sizeof(int32_t)};
    hed_kernel *kernel = make_kernel(t.device, &twice);
    hed_buffer *x;
    hed_status status = hed_buffer_create(t.device, &def, &x, &error);
    if (status == HED_ERROR_UNSUPPORTED) {
        CHECK(
            strstr(error.text, "mapped"), "the error does not name the capability: %s", error.text);
    } else {
        OK(status);
        int32_t *seen = hed_buffer_describe(x).host;
        void *mapped;
        for (int i = 0; i < N; i++) seen[i] = i;
        launch_twice(t.stream, kernel, x, 1);
        OK(hed_stream_wait(t.stream, &error));
        for (int i = 0; i < N; i++) CHECK_EQ(seen[i], 2 * i + 1);
        OK(hed_map(t.stream, x, 16, 32, &mapped, &error));
        CHECK_EQ(mapped, (void *)(seen + 4));
        OK(hed_unmap(t.stream, x, mapped, &error));
        hed_buffer_destroy(x);
    }
    hed_kernel_destroy(kernel);
    close_test(&t);
}

Test(opencl, unmapping_what_is_not_mapped_is_refused)
{
    opencl_test t = open_test(NULL);
    hed_buffer *x = make_buffer(t.device, 4096);
    void *pointer;
    int elsewhere;
    OK(hed_map(t.stream, x, 64, 128, &pointer, &error));
    if (hed_opencl_platform_of(t.device) != OPENCL_OCLGRIND) /* which does not look */
        FAILS(HED_ERROR_ARGUMENT, hed_unmap(t.stream, x, &elsewhere, &error));
    OK(hed_unmap(t.stream, x, pointer, &error));
    OK(hed_stream_wait(t.stream, &error));
    hed_buffer_destroy(x);
    close_test(&t);
}
