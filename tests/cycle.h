/* One life of the runtime: create, use and destroy one of everything. The tests of faults break it
 * at each of its calls and allocations; the soak test repeats it. It ends at the first failure,
 * with its status, and leaves nothing behind. */
#ifndef HED_TESTS_CYCLE_H
#define HED_TESTS_CYCLE_H

#include <unistd.h>

#include "testing.h"

enum { CYCLE_N = 333, CYCLE_BYTES = CYCLE_N * 4, CYCLE_WHOLE = 8192, CYCLE_GL = 7 };

typedef struct cycle_shift {
    float x, y;
    int32_t extra[2];
} cycle_shift;

/* The fake drivers know this kernel by its name and do its work: tests/fake/fake.c. */
static const char cycle_types[] = "typedef struct { float x, y; int extra[2]; } shift;\n";
static const char cycle_text[] =
    "__kernel void cycle(__global float *restrict out, __global const float *restrict in, float a, uint n, "
    "shift s,\n"
    "                    HED_LOCAL(float, row))\n"
    "{\n"
    "    HED_LOCAL_USE(float, row);\n"
    "    uint i = (uint)get_global_id(0), l = (uint)get_local_id(0);\n"
    "    row[l] = (float)s.extra[1];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (i < n) out[i] = a * in[i] + s.x * (float)i + s.y + row[l] + OFFSET;\n"
    "}\n";
static const char cycle_glsl[] =
    "#version 450\n"
    "layout(local_size_x_id = 0) in;\n"
    "layout(constant_id = 0) const uint WG = 64;\n"
    "struct shift { float x, y; int extra[2]; };\n"
    "layout(std430, binding = 0) writeonly buffer Out { float values[]; } result;\n"
    "layout(std430, binding = 1) readonly buffer In { float values[]; } source;\n"
    "layout(push_constant) uniform Values { float a; uint n; layout(offset = 8) shift s; };\n"
    "shared float row[WG];\n"
    "void main()\n"
    "{\n"
    "    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;\n"
    "    row[l] = float(s.extra[1]);\n"
    "    barrier();\n"
    "    if (i < n) result.values[i] = a * source.values[i] + s.x * float(i) + s.y + row[l] + OFFSET;\n"
    "}\n";
/* a test that lives often puts the compiled module there */
static hed_source cycle_shader = {"cycle.comp", cycle_glsl, 0};
static hed_kernel_text cycle_texts[] = {{HED_GLSL, NULL, &cycle_shader, 1}};
static const hed_source cycle_sources[] = {
    {"cycle_types.cl", cycle_types, 0}, {"cycle.cl", cycle_text, 0}};

static void cycle_range(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    float *out = call->arguments[0];
    const float *in = call->arguments[1], a = *(const float *)call->arguments[2];
    const cycle_shift *s = call->arguments[4];
    for (uint64_t i = begin; i < end; i++)
        out[i] = a * in[i] + s->x * (float)i + s->y + (float)s->extra[1] + 0.5f;
}

static void cycle_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *g)
{
    uint32_t group = (uint32_t)hed_config_get(def, config, "WG");
    g->dimensions = 1;
    g->global[0] = (uint64_t)problem->sizes[0];
    g->group[0] = group;
    g->local_bytes[5] = group * sizeof(float);
    g->native_items = (uint64_t)problem->sizes[0];
    g->native_grain = 64;
}

static const hed_argument_def cycle_arguments[] = {
    {.name = "out", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE},
    {.name = "in", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "a", .kind = HED_SCALAR, .type = HED_FLOAT},
    {.name = "n", .kind = HED_SCALAR, .type = HED_UINT32},
    {.name = "s", .kind = HED_STRUCT, .size = sizeof(cycle_shift)},
    {.name = "row", .kind = HED_LOCAL, .type = HED_FLOAT},
};
static const int64_t cycle_groups[] = {32, 64};
static const hed_parameter_def cycle_parameters[] = {
    {.name = "WG", .values = cycle_groups, .count = 2, .value = 64}};
static const hed_define cycle_defines[] = {{"OFFSET", "123.0f"}},
                        cycle_own_defines[] = {{"OFFSET", "0.5f"}};
static const char *const cycle_dimensions[] = {"n"};
static const hed_kernel_def cycle_def = {
    .name = "cycle",
    .sources = cycle_sources,
    .source_count = 2,
    .texts = cycle_texts,
    .text_count = 1,
    .arguments = cycle_arguments,
    .argument_count = 6,
    .parameters = cycle_parameters,
    .parameter_count = 1,
    .defines = cycle_defines,
    .define_count = 1,
    .dimensions = cycle_dimensions,
    .dimension_count = 1,
    .max_threads = "WG",
    .geometry = cycle_geometry,
    .range = cycle_range,
};

typedef struct cycle {
    const hed_context_def *def;
    const char *selector;
    hed_context *context;
    hed_device *device, *host, *neighbour,
        *adopted; /* neighbour: another device of the same driver, or NULL */
    hed_stream *stream, *timed, *shared;
    hed_buffer *in, *out, *part, *pinned, *mapped, *caller, *imported, *gl, *there, *beside;
    hed_event *begin, *end;
    hed_kernel *kernel;
    hed_graph *graph;
    int calls;
    float input[CYCLE_N], output[CYCLE_N];
    _Alignas(4096) unsigned char own[4096];
} cycle;

#define TRY(call) \
    do { \
        hed_status try_status = (call); \
        if (try_status) return try_status; \
    } while (0)

/* What this device cannot do is left out. */
#define TRY_IF_SUPPORTED(call) \
    do { \
        hed_status try_status = (call); \
        if (try_status && try_status != HED_ERROR_UNSUPPORTED) return try_status; \
        hed_error_clear(error); \
    } while (0)

static const cycle_shift cycle_moved = {0.25f, -3.0f, {7, 9}};

static void cycle_pack(const cycle *c, hed_buffer *out, float a, hed_argument arguments[6])
{
    arguments[0] = hed_buffer_argument(out);
    arguments[1] = hed_buffer_argument(c->in);
    arguments[2] = hed_float_argument(a);
    arguments[3] = hed_uint_argument(CYCLE_N);
    arguments[4] = hed_struct_argument(&cycle_moved, sizeof cycle_moved);
    arguments[5] = hed_local_argument();
}

/* Whatever was made to fail: a step that says it succeeded has the right result. */
static void cycle_check(const cycle *c, float a, const char *what)
{
    for (int i = 0; i < CYCLE_N; i++) {
        float want = a * c->input[i] + cycle_moved.x * (float)i + cycle_moved.y + 9.0f + 0.5f;
        CHECK(c->output[i] > want - 1e-3f && c->output[i] < want + 1e-3f,
            "%s: element %d is %g instead of %g", what, i, (double)c->output[i], (double)want);
    }
}

static hed_status cycle_read(
    cycle *c, hed_buffer *from, float a, const char *what, hed_error *error)
{
    memset(c->output, 0, sizeof c->output);
    TRY(hed_read(c->stream, c->output, from, 0, CYCLE_BYTES, error));
    TRY(hed_stream_wait(c->stream, error));
    cycle_check(c, a, what);
    return HED_OK;
}

/* ---- the steps of a life ---- */

static hed_status cycle_open(cycle *c, hed_error *error)
{
    uint64_t free_bytes, total;
    TRY(hed_context_create(c->def, &c->context, error));
    TRY(hed_device_find(c->context, c->selector, &c->device, error));
    TRY(hed_device_find(c->context, "host", &c->host, error));
    for (uint32_t i = 0; i < hed_context_describe(c->context).devices; i++) {
        hed_device *other = hed_device_at(c->context, i);
        if (other != c->device &&
            !strcmp(hed_device_describe(other).platform, hed_device_describe(c->device).platform))
            c->neighbour = other;
    }
    TRY(hed_device_memory(c->device, &free_bytes, &total, error));
    return hed_device_wait(c->device, error);
}

static hed_status cycle_streams(cycle *c, hed_error *error)
{
    hed_stream_def def = hed_default_stream_def();
    TRY(hed_stream_create(c->device, NULL, &c->stream, error));
    def.timed_steps = 3;
    def.priority = 1;
    TRY(hed_stream_create(c->device, &def, &c->timed, error));
    TRY(hed_event_create(c->device, true, &c->begin, error));
    return hed_event_create(c->device, true, &c->end, error);
}

static hed_status cycle_buffer(hed_device *device, hed_memory memory, uint64_t size, void *host,
    hed_buffer **buffer, hed_error *error)
{
    hed_buffer_def def = hed_default_buffer_def(size);
    def.memory = memory;
    def.host = host;
    return hed_buffer_create(device, &def, buffer, error);
}

static hed_status cycle_buffers(cycle *c, hed_error *error)
{
    TRY(cycle_buffer(c->device, HED_MEMORY_DEVICE, CYCLE_BYTES, NULL, &c->in, error));
    TRY(cycle_buffer(c->device, HED_MEMORY_DEVICE, CYCLE_WHOLE, NULL, &c->out, error));
    TRY(hed_buffer_create_sub(c->out, 4096, CYCLE_BYTES, &c->part, error));
    TRY(cycle_buffer(c->device, HED_MEMORY_PINNED, CYCLE_BYTES, NULL, &c->pinned, error));
    TRY_IF_SUPPORTED(
        cycle_buffer(c->device, HED_MEMORY_MAPPED, CYCLE_BYTES, NULL, &c->mapped, error));
    TRY_IF_SUPPORTED(
        cycle_buffer(c->device, HED_MEMORY_CALLER, sizeof c->own, c->own, &c->caller, error));
    hed_buffer_def def = {.memory = HED_MEMORY_ADOPTED,
        .size = CYCLE_BYTES,
        .handle = hed_buffer_describe(c->out).handle};
    return hed_buffer_create(c->device, &def, &c->imported, error);
}

static hed_status cycle_copies(cycle *c, hed_error *error)
{
    static const unsigned char pattern[16] = {
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    hed_buffer *kinds[] = {c->pinned, c->mapped, c->caller};
    TRY(hed_write(c->stream, c->in, 0, c->input, CYCLE_BYTES, error));
    for (uint32_t size = 1; size <= 16; size *= 2)
        TRY(hed_fill(c->stream, c->out, 0, 4096, pattern, size, error));
    for (int i = 0; i < 3; i++) {
        if (!kinds[i]) continue;
        TRY(hed_copy(c->stream, kinds[i], 0, c->in, 0, CYCLE_BYTES, error));
        TRY(hed_copy(c->stream, c->out, 0, kinds[i], 0, CYCLE_BYTES, error));
        TRY(hed_fill(c->stream, kinds[i], 0, CYCLE_BYTES, "\7", 1, error));
    }
    TRY(hed_copy(c->stream, c->out, 4096, c->out, 0, CYCLE_BYTES, error));
    TRY(hed_read(c->stream, c->output, c->part, 0, CYCLE_BYTES, error));
    TRY(hed_stream_wait(c->stream, error));
    CHECK_BYTES(c->output, c->input, CYCLE_BYTES, "the copies changed the data");
    return HED_OK;
}

static hed_status cycle_kernel(cycle *c, hed_error *error)
{
    hed_kernel_options options = hed_default_kernel_options();
    hed_kernel_resources resources;
    hed_problem problem = hed_problem_1d(CYCLE_N);
    hed_argument arguments[6];
    int64_t groups;
    options.defines = cycle_own_defines;
    options.define_count = 1;
    TRY(hed_kernel_create(c->device, &cycle_def, &options, &c->kernel, error));
    TRY(hed_kernel_measure_resources(c->kernel, &resources, error));
    TRY(hed_kernel_resident_groups(c->kernel, 64, 256, &groups, error));
    cycle_pack(c, c->part, 2.0f, arguments);
    TRY(hed_launch(c->stream, c->kernel, &problem, arguments, 6, error));
    return cycle_read(c, c->part, 2.0f, "a launch", error);
}

/* A build in the background, which later launches take up. */
static hed_status cycle_background(cycle *c, hed_error *error)
{
    const hed_config config = {1, {32}};
    hed_kernel_options options = hed_default_kernel_options();
    hed_problem problem = hed_problem_1d(CYCLE_N);
    hed_argument arguments[6];
    hed_status status;
    options.config = &config;
    options.background = true;
    TRY(hed_kernel_reconfigure(c->kernel, &options, error));
    while ((status = hed_kernel_ready(c->kernel, error)) == HED_ERROR_NOT_READY) usleep(50);
    if (status) return status;
    CHECK_EQ(hed_kernel_config(c->kernel, NULL).values[0], 32);
    cycle_pack(c, c->out, 3.0f, arguments);
    TRY(hed_launch(c->stream, c->kernel, &problem, arguments, 6, error));
    return cycle_read(
        c, c->out, 3.0f, "a launch of the configuration built in the background", error);
}

static void cycle_count(void *user) { ++*(int *)user; }

static hed_status cycle_graph(cycle *c, hed_error *error)
{
    hed_problem problem = hed_problem_1d(CYCLE_N);
    hed_argument arguments[6];
    cycle_pack(c, c->part, 4.0f, arguments);
    c->calls = 0;
    TRY(hed_graph_begin(c->stream, error));
    TRY(hed_write(c->stream, c->in, 0, c->input, CYCLE_BYTES, error));
    TRY(hed_fill(c->stream, c->out, 0, 64, "abcdefgh", 8, error));
    TRY(hed_launch(c->stream, c->kernel, &problem, arguments, 6, error));
    TRY(hed_call(c->stream, cycle_count, &c->calls, error));
    TRY(hed_copy(c->stream, c->out, 0, c->part, 0, CYCLE_BYTES, error));
    for (int i = 0; i < 20; i++)
        TRY(hed_fill(c->stream, c->part, 0, 64, "\0", 1, error)); /* the list of steps grows */
    TRY(hed_graph_end(c->stream, &c->graph, error));
    TRY(hed_graph_replay(c->graph, c->stream, error));
    TRY(cycle_read(c, c->out, 4.0f, "a replay", error));
    cycle_pack(c, c->part, 5.0f, arguments);
    TRY(hed_graph_update(c->graph, 2, arguments, 6, error));
    TRY(hed_graph_replay(c->graph, c->stream, error));
    TRY(cycle_read(c, c->out, 5.0f, "a replay with new arguments", error));
    CHECK_EQ(c->calls, 2, "%d calls in two replays", c->calls);
    return HED_OK;
}

static hed_status cycle_map(cycle *c, hed_error *error)
{
    hed_buffer *kinds[] = {c->out, c->pinned, c->mapped, c->caller};
    for (int i = 0; i < 4; i++) {
        void *pointer, *again;
        if (!kinds[i]) continue;
        TRY(hed_map(c->stream, kinds[i], 64, 512, &pointer, error));
        memset(pointer, 0x17, 512);
        TRY(hed_unmap(c->stream, kinds[i], pointer, error));
        TRY(hed_map(c->stream, kinds[i], 0, 1024, &again, error)); /* more than the first time */
        bool seen = ((unsigned char *)again)[64] == 0x17 && ((unsigned char *)again)[575] == 0x17;
        TRY(hed_unmap(c->stream, kinds[i], again, error));
        CHECK(seen, "what was written through a map is not there");
    }
    return HED_OK;
}

static hed_status cycle_times(cycle *c, hed_error *error)
{
    hed_step_time times[8];
    hed_problem problem = hed_problem_1d(CYCLE_N);
    hed_argument arguments[6];
    uint32_t count;
    double seconds;
    cycle_pack(c, c->out, 6.0f, arguments);
    TRY(hed_event_record(c->begin, c->stream, error));
    TRY(hed_stream_wait_event(c->timed, c->begin, error));
    TRY(hed_fill(c->timed, c->out, 0, 64, "\0", 1, error));
    TRY(hed_call(c->timed, cycle_count, &c->calls, error));
    TRY(hed_launch(c->timed, c->kernel, &problem, arguments, 6, error));
    TRY(hed_read(c->timed, c->output, c->out, 0, CYCLE_BYTES, error));
    TRY(hed_event_record(c->end, c->timed, error));
    TRY(hed_stream_flush(c->timed, error));
    TRY(hed_event_wait(c->begin, 10000000000u, error));
    TRY(hed_event_wait(c->end, UINT64_MAX, error));
    cycle_check(c, 6.0f, "a timed launch");
    TRY(hed_event_elapsed(c->begin, c->end, &seconds, error));
    TRY(hed_stream_wait_for(c->timed, 10000000000u, error));
    TRY(hed_stream_read_times(c->timed, times, 8, &count, error));
    CHECK_EQ(count, 3, "%u times kept", count);
    return HED_OK;
}

/* Through the host, to the host, and to another device of the same driver. */
static hed_status cycle_across(cycle *c, hed_error *error)
{
    TRY(cycle_buffer(c->host, HED_MEMORY_DEVICE, CYCLE_BYTES, NULL, &c->there, error));
    TRY(hed_copy(c->stream, c->there, 0, c->in, 0, CYCLE_BYTES, error));
    TRY(hed_fill(c->stream, c->in, 0, CYCLE_BYTES, "\0", 1, error));
    TRY(hed_copy(c->stream, c->in, 0, c->there, 0, CYCLE_BYTES, error));
    if (c->neighbour) {
        TRY(cycle_buffer(c->neighbour, HED_MEMORY_DEVICE, CYCLE_BYTES, NULL, &c->beside, error));
        TRY(hed_copy(c->stream, c->beside, 0, c->in, 0, CYCLE_BYTES, error));
        TRY(hed_fill(c->stream, c->in, 0, CYCLE_BYTES, "\0", 1, error));
        TRY(hed_copy(c->stream, c->in, 0, c->beside, 0, CYCLE_BYTES, error));
    }
    TRY(hed_read(c->stream, c->output, c->in, 0, CYCLE_BYTES, error));
    TRY(hed_stream_wait(c->stream, error));
    CHECK_BYTES(c->output, c->input, CYCLE_BYTES, "the copies across devices changed the data");
    return HED_OK;
}

/* The driver's own handles, given back to Heddle as a program's. */
static hed_status cycle_adopt(cycle *c, hed_error *error)
{
    hed_driver_handles native;
    hed_stream_def def = hed_default_stream_def();
    TRY_IF_SUPPORTED(hed_device_handles(c->device, &native, error));
    if (!native.context) return HED_OK;
    TRY(hed_device_adopt(
        c->context, hed_device_describe(c->device).backend, &native, &c->adopted, error));
    def.use_handle = true;
    def.handle = hed_stream_handle(c->stream);
    TRY(hed_stream_create(c->adopted, &def, &c->shared, error));
    TRY(hed_call(c->shared, cycle_count, &c->calls, error));
    return hed_stream_wait(c->shared, error);
}

/* ---- an OpenGL with one buffer ---- */

static unsigned char cycle_gl_bytes[CYCLE_BYTES];
static unsigned cycle_gl_bound;

static void cycle_gl_bind(unsigned target, unsigned buffer)
{
    (void)target;
    cycle_gl_bound = buffer;
}

static void cycle_gl_get(unsigned target, intptr_t offset, intptr_t size, void *data)
{
    (void)target;
    CHECK(cycle_gl_bound == CYCLE_GL && offset + size <= CYCLE_BYTES);
    memcpy(data, cycle_gl_bytes + offset, (size_t)size);
}

static void cycle_gl_put(unsigned target, intptr_t offset, intptr_t size, const void *data)
{
    (void)target;
    CHECK(cycle_gl_bound == CYCLE_GL && offset + size <= CYCLE_BYTES);
    memcpy(cycle_gl_bytes + offset, data, (size_t)size);
}

static void *cycle_gl_find(const char *name)
{
    if (!strcmp(name, "glBindBuffer")) return (void *)cycle_gl_bind;
    if (!strcmp(name, "glGetBufferSubData")) return (void *)cycle_gl_get;
    return strcmp(name, "glBufferSubData") ? NULL : (void *)cycle_gl_put;
}

static hed_status cycle_share(cycle *c, hed_error *error)
{
    const hed_gl gl = {.get_proc_address = cycle_gl_find};
    bool copied;
    TRY(hed_buffer_from_gl(c->device, &gl, CYCLE_GL, CYCLE_BYTES, &copied, &c->gl, error));
    memcpy(cycle_gl_bytes, c->input, CYCLE_BYTES);
    TRY(hed_buffer_gl_acquire(c->stream, c->gl, error));
    TRY(hed_fill(c->stream, c->gl, 0, 4, "\x2a", 1, error));
    TRY(hed_buffer_gl_release(c->stream, c->gl, error));
    CHECK(cycle_gl_bytes[0] == 0x2a &&
              memcmp(cycle_gl_bytes + 4, (char *)c->input + 4, CYCLE_BYTES - 4) == 0,
        "OpenGL sees other data");
    return HED_OK;
}

/* ---- the whole ---- */

static void cycle_close(cycle *c)
{
    hed_buffer *buffers[] = {c->gl, c->beside, c->there, c->imported, c->caller, c->mapped,
        c->pinned, c->part, c->out, c->in};
    hed_graph_destroy(c->graph);
    hed_kernel_destroy(c->kernel);
    hed_stream_destroy(c->shared);
    hed_device_release(c->adopted);
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) hed_buffer_destroy(buffers[i]);
    hed_event_destroy(c->end);
    hed_event_destroy(c->begin);
    hed_stream_destroy(c->timed);
    hed_stream_destroy(c->stream);
    hed_context_destroy(c->context);
}

/* `at_end` (nullable) sees the context before everything is destroyed. */
static inline hed_status cycle_run(const hed_context_def *def, const char *selector,
    void (*at_end)(const hed_context *context), hed_error *error)
{
    static hed_status (*const steps[])(cycle * c, hed_error * error) = {cycle_open, cycle_streams,
        cycle_buffers, cycle_copies, cycle_kernel, cycle_background, cycle_graph, cycle_map,
        cycle_times, cycle_across, cycle_adopt, cycle_share};
    static cycle c; /* large, and aligned to a page */
    hed_status status = HED_OK;
    c = (cycle){.def = def, .selector = selector};
    for (int i = 0; i < CYCLE_N; i++) c.input[i] = (float)((i * 37) % 101) * 0.125f - 3.0f;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && !status; i++)
        status = steps[i](&c, error);
    if (at_end && c.context) at_end(c.context);
    cycle_close(&c);
    return status;
}

#endif
