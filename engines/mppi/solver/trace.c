/* Trajectories of samples for display, on devices (kernels/trace.cl). */
#include <stdlib.h>

#include "solver/cpu.h"
#include "solver/mppi_layout.h"

extern const char hed_mppi_trace_cl[];

enum { TRACE_AT_ONCE = 16384, TRACE_BLOCK = 12 /* argument */ };
enum { TRACE_INPUTS, TRACE_WHICH, TRACE_COSTS, TRACE_STATES, TRACE_STORE, TRACE_BUFFERS };

static const hed_argument_def trace_arguments[] = {HED_IN(uint, inputs), HED_IN(uint, which),
    HED_OUT(float, costs), HED_OUT(float, states), HED_OUT(float, store), HED_IN(float, tables),
    HED_IN(float, noise), HED_VALUE_STRUCT(mppi_fixed, fixed), HED_VALUE(uint, stream),
    HED_VALUE(uint, begin), HED_VALUE(uint, count),
    HED_VALUE(uint, all), [TRACE_BLOCK] = HED_ARRAY(float, block)};

typedef struct trace_run {
    hed_arena arena;
    mppi_trace *kept;
    hed_stream *stream;
    hed_buffer *buffers[TRACE_BUFFERS], *tables, *noise;
    mppi_fixed fixed;
    uint32_t group, stream_number;
} trace_run;

/* Rolls out the samples in `which`; with `all` every sample, for its cost. */
static hed_status trace_launch(trace_run *run, uint32_t count, bool all, hed_error *error)
{
    hed_buffer **b = run->buffers;
    for (uint32_t begin = 0; begin < count; begin += TRACE_AT_ONCE) {
        uint32_t part = count - begin < TRACE_AT_ONCE ? count - begin : TRACE_AT_ONCE;
        hed_geometry geometry = {0};
        hed_geometry_1d(&geometry, hed_ceil_divide(part, run->group), run->group, 0, 0);
        geometry.local_bytes[TRACE_BLOCK] = run->kept->layout.local_bytes;
        hed_launch_over(run->stream, run->kept->kernel, &geometry,
            HED_ARGS(b[TRACE_INPUTS], b[TRACE_WHICH], b[TRACE_COSTS], b[TRACE_STATES],
                b[TRACE_STORE], run->tables, run->noise,
                hed_struct_argument(&run->fixed, sizeof run->fixed), run->stream_number, begin,
                part, (uint32_t)all, hed_local_argument()),
            error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}

/* Prepares the kernel's data: inputs of one system. */
static hed_status trace_prepare(hed_mppi *c, trace_run *run, const mppi_sampling *round,
    uint32_t system, uint32_t count, bool best, hed_error *error)
{
    const mppi_layout *l = &run->kept->layout;
    uint32_t samples = best ? mppi_own_samples(c) : count, part = samples;
    if (part > TRACE_AT_ONCE) part = TRACE_AT_ONCE;
    uint64_t groups = hed_ceil_divide(part, run->group);
    const uint64_t floats[TRACE_BUFFERS] = {l->inputs, count, samples,
        (uint64_t)count * (c->def.steps + 1) * c->model.states, groups * l->stored};
    for (uint32_t i = 0; i < TRACE_BUFFERS; i++) {
        hed_buffer_def def = hed_default_buffer_def(4 * floats[i]);
        hed_buffer_create(c->device, &def, &run->buffers[i], error);
    }
    uint32_t *words = hed_arena_new(&run->arena, l->inputs, sizeof *words, error);
    if (!words || hed_failed(error)) return error->status;
    mppi_section sections[MPPI_SECTIONS];
    uint32_t parts = mppi_list_inputs(c, l, round, system, sections);
    words[0] = round->number;
    words[1] = hed_as_uint(1.0f / round->lambda[system % c->def.count]);
    for (uint32_t n = 0; n < parts; n++)
        memcpy(words + sections[n].at, sections[n].from, sections[n].count * sizeof *words);
    hed_write(run->stream, run->buffers[TRACE_INPUTS], 0, words, 4ull * l->inputs, error);
    return hed_stream_wait(run->stream, error);
}

static hed_status trace_build(
    hed_mppi *c, mppi_trace *trace, const mppi_layout *layout, hed_error *error)
{
    bool lanes = hed_device_describe(c->device).capabilities & HED_CAN_LANES;
    if (trace->kernel || hed_failed(error)) return hed_failed(error) ? error->status : HED_OK;
    hed_arena_free(&trace->arena); /* free memory of an earlier failure */
    trace->arena = (hed_arena){.allocator = c->arena.allocator, .owner = "the kernel of traces"};
    trace->layout = *layout;
    mppi_layout_trace(c, &trace->layout);
    trace->def = (hed_kernel_def){.name = "mppi_trace",
        .summary = "samples, rolled out once more",
        .arguments = trace_arguments,
        .argument_count = HED_COUNT(trace_arguments),
        .parameters = mppi_tile_parameters,
        .parameter_count = TILE_PARAMETERS,
        .max_threads = "GROUP",
        .may_spill = true,
        .needs = lanes ? HED_CAN_LANES : 0};
    mppi_sources(c, &trace->arena, &trace->layout, true,
        (hed_source){"trace.cl", hed_mppi_trace_cl, 0}, &trace->def, error);
    hed_kernel_options options = hed_default_kernel_options();
    options.math = c->def.math;
    options.config = &trace->layout.config;
    return hed_kernel_create(c->device, &trace->def, &options, &trace->kernel, error);
}

void mppi_trace_destroy(mppi_trace *trace)
{
    hed_kernel_destroy(trace->kernel);
    hed_arena_free(&trace->arena);
}

static hed_status trace_samples(
    hed_mppi *c, trace_run *run, uint32_t count, bool best, hed_error *error)
{
    uint32_t own = mppi_own_samples(c);
    uint32_t *which = hed_arena_new(&run->arena, count, sizeof *which, error);
    float *all = hed_arena_new(&run->arena, best ? own : 1, sizeof *all, error);
    if (hed_failed(error)) return error->status;
    for (uint32_t i = 0; i < count; i++) which[i] = i;
    if (best) {
        trace_launch(run, own, true, error);
        hed_read(run->stream, all, run->buffers[TRACE_COSTS], 0, 4ull * own, error);
        if (hed_stream_wait(run->stream, error)) return error->status;
        for (uint32_t k = 0; k < own; k++)
            if (!(all[k] < 3e38f)) all[k] = 3e38f;
        mppi_lowest(all, own, count, which);
    }
    for (uint32_t i = 0; i < count; i++) which[i] += run->fixed.begin;
    hed_write(run->stream, run->buffers[TRACE_WHICH], 0, which, 4ull * count, error);
    return trace_launch(run, count, false, error);
}

hed_status mppi_trace_device(hed_mppi *c, mppi_trace *trace, const mppi_layout *layout,
    hed_stream *stream, hed_buffer *tables, hed_buffer *noise, const mppi_sampling *round,
    uint32_t system, uint32_t count, bool best, float *states, float *costs, hed_error *error)
{
    trace_run run = {.arena = {.allocator = c->arena.allocator, .owner = "a trace"},
        .kept = trace,
        .stream = stream,
        .tables = tables,
        .noise = noise,
        .fixed = mppi_fixed_of(c, c->def.samples),
        .stream_number = system % c->def.count};
    if (trace_build(c, trace, layout, error)) return error->status;
    run.group = (uint32_t)trace->layout.config.values[TILE_GROUP];
    trace_prepare(c, &run, round, system, count, best, error);
    if (!hed_failed(error)) trace_samples(c, &run, count, best, error);
    uint64_t floats = (uint64_t)count * (c->def.steps + 1) * c->model.states;
    if (states) hed_read(stream, states, run.buffers[TRACE_STATES], 0, 4 * floats, error);
    if (costs) hed_read(stream, costs, run.buffers[TRACE_COSTS], 0, 4ull * count, error);
    hed_stream_wait(stream, hed_failed(error) ? NULL : error);
    for (uint32_t i = 0; i < TRACE_BUFFERS; i++) hed_buffer_destroy(run.buffers[i]);
    hed_arena_free(&run.arena);
    return hed_failed(error) ? error->status : HED_OK;
}
