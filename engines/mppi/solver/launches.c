/* Solver launches: the tiles of kernels/launches.cl, then kernels/merge.cl, on any device; in a graph
 * with the copies, where the device has graphs. */
#include <stdio.h>

#include "solver/device.h"

extern const char hed_mppi_launches_cl[], hed_mppi_merge_cl[];

enum {
    LAUNCHES_INPUTS,
    LAUNCHES_SUMS,
    LAUNCHES_STORE,
    LAUNCHES_TABLES,
    LAUNCHES_NOISE,
    LAUNCHES_FIXED,
    LAUNCHES_BLOCK,
    LAUNCHES_ARGUMENTS
};
enum { LAUNCHES_ANSWERS = LAUNCHES_FIXED, LAUNCHES_BUFFERS };

static const hed_argument_def tile_arguments[] = {
    [LAUNCHES_INPUTS] = HED_IN(uint, inputs),
    [LAUNCHES_SUMS] = HED_OUT(float, sums),
    [LAUNCHES_STORE] = HED_INOUT(float, store),
    [LAUNCHES_TABLES] = HED_IN(float, tables),
    [LAUNCHES_NOISE] = HED_IN(float, noise),
    [LAUNCHES_FIXED] = HED_VALUE_STRUCT(mppi_fixed, fixed),
    [LAUNCHES_BLOCK] = HED_ARRAY(float, block),
};

static const hed_argument_def merge_arguments[] = {
    HED_IN(uint, inputs), HED_IN(float, sums), HED_OUT(float, answers)};

typedef struct launches_solver {
    mppi_layout layout;
    hed_kernel_def tile_def, merge_def;
    hed_kernel *tile, *merge;
    hed_geometry tile_geometry, merge_geometry;
    mppi_fixed fixed;
    hed_stream *stream;
    hed_graph *graph;
    hed_buffer *buffers[LAUNCHES_BUFFERS];
    hed_buffer *staging[2]; /* host memory that copies begin and end in */
    uint32_t *inputs;       /* (systems x inputs) */
    float *answers;         /* (systems x scalars + 4) */
    mppi_noise noise;
} launches_solver;

/* ---- making ---- */

static hed_status launches_buffer(
    hed_mppi *c, hed_buffer **buffer, hed_memory memory, uint64_t bytes, hed_error *error)
{
    hed_buffer_def def = hed_default_buffer_def(bytes < 16 ? 16 : bytes);
    def.memory = memory;
    return hed_buffer_create(c->device, &def, buffer, error);
}

static uint64_t launches_table_at(const hed_mppi *c, uint32_t table)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < table; i++)
        at += c->def.tables[i].capacity ? c->def.tables[i].capacity : c->def.tables[i].count;
    return at;
}

static hed_status launches_table(hed_mppi *c, uint32_t table, hed_error *error)
{
    launches_solver *s = c->solver_data;
    hed_write(s->stream, s->buffers[LAUNCHES_TABLES], 4 * launches_table_at(c, table),
        c->tables[table], 4ull * c->table_counts[table], error);
    return hed_stream_wait(s->stream, error);
}

static hed_status launches_memory(hed_mppi *c, launches_solver *s, hed_error *error)
{
    const mppi_layout *l = &s->layout;
    uint64_t n = c->systems, groups = n * l->chains,
             tables = launches_table_at(c, c->def.table_count);
    const uint64_t sizes[LAUNCHES_BUFFERS] = {[LAUNCHES_INPUTS] = 4 * n * l->inputs,
        [LAUNCHES_SUMS] = 4 * groups * (l->scalars + 4),
        [LAUNCHES_STORE] = 4 * groups * l->stored,
        [LAUNCHES_TABLES] = 4 * (tables + l->scalars),
        [LAUNCHES_ANSWERS] = 4 * n * (l->scalars + 4)};
    for (uint32_t i = 0; i < LAUNCHES_BUFFERS; i++)
        if (i != LAUNCHES_NOISE)
            launches_buffer(c, &s->buffers[i], HED_MEMORY_DEVICE, sizes[i], error);
    mppi_noise_create(c, l, s->stream, &s->noise, error);
    s->buffers[LAUNCHES_NOISE] = s->noise.array;
    launches_buffer(c, &s->staging[0], HED_MEMORY_PINNED, sizes[LAUNCHES_INPUTS], error);
    launches_buffer(c, &s->staging[1], HED_MEMORY_PINNED, sizes[LAUNCHES_ANSWERS], error);
    if (hed_failed(error)) return error->status;
    s->inputs = hed_buffer_describe(s->staging[0]).host;
    s->answers = hed_buffer_describe(s->staging[1]).host;
    for (uint32_t i = 0; i < c->def.table_count; i++) launches_table(c, i, error);
    if (c->def.sigma_steps)
        hed_write(s->stream, s->buffers[LAUNCHES_TABLES], 4 * tables, c->def.sigma_steps,
            4ull * l->scalars, error);
    return hed_stream_wait(s->stream, error);
}

static hed_status launches_kernels(hed_mppi *c, launches_solver *s, hed_error *error)
{
    bool lanes = hed_device_describe(c->device)->capabilities & HED_CAN_LANES;
    s->tile_def = (hed_kernel_def){.name = "mppi_launches",
        .summary = "tiles of samples: drawn, rolled out, weighed, summed up",
        .arguments = tile_arguments,
        .argument_count = LAUNCHES_ARGUMENTS,
        .parameters = mppi_tile_parameters,
        .parameter_count = TILE_PARAMETERS,
        .max_threads = "GROUP",
        .min_groups = lanes,
        .may_spill = true,
        .needs = lanes ? HED_CAN_LANES : 0};
    s->merge_def = (hed_kernel_def){.name = "mppi_merge",
        .summary = "the sums of all chains",
        .arguments = merge_arguments,
        .argument_count = HED_COUNT(merge_arguments)};
    mppi_sources(c, &c->arena, &s->layout, true,
        (hed_source){"launches.cl", hed_mppi_launches_cl, 0}, &s->tile_def, error);
    mppi_sources(c, &c->arena, &s->layout, false, (hed_source){"merge.cl", hed_mppi_merge_cl, 0},
        &s->merge_def, error);
    hed_kernel_options options = hed_default_kernel_options();
    options.math = c->def.math;
    hed_kernel_create(c->device, &s->merge_def, &options, &s->merge, error);
    options.config = &s->layout.config;
    return hed_kernel_create(c->device, &s->tile_def, &options, &s->tile, error);
}

/* The steps of a round, recorded or run. */
static hed_status launches_enqueue(hed_mppi *c, launches_solver *s, hed_error *error)
{
    uint64_t n = c->systems;
    hed_buffer **b = s->buffers;
    hed_write(s->stream, b[LAUNCHES_INPUTS], 0, s->inputs, 4 * n * s->layout.inputs, error);
    hed_launch_over(s->stream, s->tile, &s->tile_geometry,
        HED_ARGS(b[LAUNCHES_INPUTS], b[LAUNCHES_SUMS], b[LAUNCHES_STORE], b[LAUNCHES_TABLES],
            b[LAUNCHES_NOISE], hed_struct_argument(&s->fixed, sizeof s->fixed),
            hed_local_argument()),
        error);
    hed_launch_over(s->stream, s->merge, &s->merge_geometry,
        HED_ARGS(b[LAUNCHES_INPUTS], b[LAUNCHES_SUMS], b[LAUNCHES_ANSWERS]), error);
    return hed_read(
        s->stream, s->answers, b[LAUNCHES_ANSWERS], 0, 4 * n * (s->layout.scalars + 4), error);
}

static hed_status launches_create(hed_mppi *c, hed_error *error)
{
    const hed_device_info *info = hed_device_describe(c->device);
    launches_solver *s = hed_arena_new(&c->arena, 1, sizeof *s, error);
    if (!s) return error->status;
    c->solver_data = s;
    if (mppi_layout_make(c, HED_MPPI_LAUNCHES, &s->layout, error)) return error->status;
    hed_stream_create(c->device, NULL, &s->stream, error);
    launches_kernels(c, s, error);
    if (hed_failed(error)) return error->status;
    const mppi_layout *l = &s->layout;
    uint32_t group = (uint32_t)l->config.values[TILE_GROUP];
    hed_geometry_1d(&s->tile_geometry, (uint64_t)c->systems * l->chains, group, 0, 0);
    s->tile_geometry.local_bytes[LAUNCHES_BLOCK] = l->local_bytes;
    hed_geometry_1d(&s->merge_geometry, (uint64_t)c->systems * l->slices,
        info->max_group < 256 ? info->max_group : 256, 0, 0);
    s->fixed = mppi_fixed_of(c);
    launches_memory(c, s, error);
    hed_graph_begin(s->stream, error);
    launches_enqueue(c, s, error);
    return hed_graph_end(s->stream, &s->graph, error);
}

/* ---- a round ---- */

static hed_status launches_round(hed_mppi *c, const mppi_sampling *round, hed_error *error)
{
    launches_solver *s = c->solver_data;
    const mppi_layout *l = &s->layout;
    if (hed_failed(error)) return error->status;
    /* one that went over its deadline still reads and writes what lies here */
    if (hed_stream_wait(s->stream, error)) return error->status;
    for (uint32_t system = 0; system < c->systems; system++) {
        uint32_t *at = s->inputs + (size_t)system * l->inputs;
        mppi_section sections[MPPI_SECTIONS];
        uint32_t count = mppi_list_inputs(c, l, round, system, sections);
        at[0] = round->number;
        at[1] = hed_as_uint(1.0f / round->lambda[system % c->def.count]);
        for (uint32_t n = 0; n < count; n++)
            memcpy(at + sections[n].at, sections[n].from, sections[n].count * sizeof *at);
    }
    mppi_noise_round(c, l, s->stream, &s->noise, round->number, error);
    hed_graph_replay(s->graph, s->stream, error);
    uint64_t now = hed_now(), wait = UINT64_MAX;
    if (round->deadline) wait = round->deadline > now ? round->deadline - now : 0;
    if (hed_stream_wait_for(s->stream, wait, error)) return error->status;
    for (uint32_t n = 0; n < c->systems; n++) {
        const float *at = s->answers + (size_t)n * (l->scalars + 4);
        memcpy(round->mean + (size_t)n * l->scalars, at, l->scalars * sizeof *at);
        memcpy(round->sums + 4 * (size_t)n, at + l->scalars, 4 * sizeof *at);
    }
    return HED_OK;
}

static hed_status launches_trace(hed_mppi *c, const mppi_sampling *round, uint32_t system,
    uint32_t count, bool best, float *states, float *costs, hed_error *error)
{
    launches_solver *s = c->solver_data;
    mppi_noise_round(c, &s->layout, s->stream, &s->noise, round->number, error);
    return mppi_trace_device(c, &s->layout, s->stream, s->buffers[LAUNCHES_TABLES], s->noise.array,
        round, system, count, best, states, costs, error);
}

static void launches_destroy(hed_mppi *c)
{
    launches_solver *s = c->solver_data;
    if (!s) return;
    hed_graph_destroy(s->graph);
    hed_stream_destroy(s->stream);
    hed_kernel_destroy(s->tile);
    hed_kernel_destroy(s->merge);
    for (uint32_t i = 0; i < LAUNCHES_BUFFERS; i++)
        if (i != LAUNCHES_NOISE) hed_buffer_destroy(s->buffers[i]);
    mppi_noise_destroy(&s->noise);
    for (uint32_t i = 0; i < 2; i++) hed_buffer_destroy(s->staging[i]);
}

const mppi_solver mppi_solver_launches = {.kind = HED_MPPI_LAUNCHES,
    .fits = mppi_device_fits,
    .create = launches_create,
    .round = launches_round,
    .table = launches_table,
    .trace = launches_trace,
    .destroy = launches_destroy};
