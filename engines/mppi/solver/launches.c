/* Solver launches: the tiles of kernels/launches.cl, then kernels/merge.cl, on any device; in a
 * graph with the copies, on devices with graphs. ELITE and TSALLIS need the costs of all samples
 * before the first weight: a first pass of tiles writes costs, kernels/bounds.cl computes the
 * reference of the weights, and a second pass samples the controls again. ROBUST has a second
 * kind of round, for its candidates. */
#include "solver/mppi_layout.h"

extern const char hed_mppi_launches_cl[], hed_mppi_bounds_cl[], hed_mppi_merge_cl[];

enum {
    LAUNCHES_INPUTS,
    LAUNCHES_SUMS,
    LAUNCHES_STORE,
    LAUNCHES_TABLES,
    LAUNCHES_NOISE,
    LAUNCHES_COSTS,
    LAUNCHES_FIXED,
    LAUNCHES_BLOCK,
    LAUNCHES_ARGUMENTS
};
/* values of tile.h's PASS */
enum { PASS_WHOLE, PASS_COSTS, PASS_WEIGHTS, PASS_BOTH, PASSES };

static const hed_argument_def tile_arguments[] = {
    [LAUNCHES_INPUTS] = HED_IN(uint, inputs),
    [LAUNCHES_SUMS] = HED_OUT(float, sums),
    [LAUNCHES_STORE] = HED_INOUT(float, store),
    [LAUNCHES_TABLES] = HED_IN(float, tables),
    [LAUNCHES_NOISE] = HED_IN(float, noise),
    [LAUNCHES_COSTS] = HED_INOUT(float, costs),
    [LAUNCHES_FIXED] = HED_VALUE_STRUCT(mppi_fixed, fixed),
    [LAUNCHES_BLOCK] = HED_ARRAY(float, block),
};

static const hed_argument_def bounds_arguments[] = {
    HED_IN(uint, inputs), HED_INOUT(float, costs), HED_VALUE(uint, samples)};

static const hed_argument_def merge_arguments[] = {
    HED_IN(uint, inputs), HED_IN(float, sums), HED_OUT(float, answers)};

enum { ROUND_INPUTS, ROUND_SUMS, ROUND_STORE, ROUND_COSTS, ROUND_ANSWERS, ROUND_BUFFERS };

/* Resources of one kind of round: its kernels, in a graph with the copies. */
typedef struct launches_kind {
    mppi_layout layout;
    mppi_fixed fixed;
    hed_kernel_def tile_def[PASSES], bounds_def, merge_def;
    hed_kernel *tile[PASSES], *bounds, *merge; /* NULL: no such pass */
    hed_geometry tile_geometry, bounds_geometry, merge_geometry;
    hed_graph *graph;
    hed_buffer *buffers[ROUND_BUFFERS];
    hed_buffer *staging[2]; /* host memory, source and destination of the copies */
    uint64_t input_words;
    uint32_t *inputs; /* (systems x inputs); with `both` followed by gains (count x scalars x nx) */
    float *answers;   /* (systems x scalars + 4) */
} launches_kind;

typedef struct launches_solver {
    launches_kind whole, candidates; /* `candidates` only for ROBUST */
    hed_stream *stream;
    hed_buffer *tables;
    mppi_noise noise;
    mppi_along along;
    mppi_trace samples; /* trajectories for display */
} launches_solver;

/* ---- creation ---- */

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
    for (uint32_t i = 0; i < table; i++) at += mppi_table_floats(c, i);
    return at;
}

static hed_status launches_table(hed_mppi *c, uint32_t table, hed_error *error)
{
    launches_solver *s = c->structure.data;
    hed_write(s->stream, s->tables, 4 * launches_table_at(c, table), c->tables[table],
        4 * mppi_table_floats(c, table), error);
    return hed_stream_wait(s->stream, error);
}

/* Creates tables, and noise as an array, for all kinds of rounds. */
static hed_status launches_shared(hed_mppi *c, launches_solver *s, hed_error *error)
{
    uint64_t tables = launches_table_at(c, c->def.table_count), scalars = s->whole.layout.scalars;
    launches_buffer(
        c, &s->tables, HED_MEMORY_DEVICE, 4 * (tables + scalars + MPPI_TABLE_SLACK), error);
    mppi_noise_create(c, &s->whole.layout, s->stream, &s->noise, error);
    for (uint32_t i = 0; i < c->def.table_count && !hed_failed(error); i++)
        launches_table(c, i, error);
    if (c->def.sigma_steps)
        hed_write(s->stream, s->tables, 4 * tables, c->def.sigma_steps, 4 * scalars, error);
    return hed_stream_wait(s->stream, error);
}

static hed_status launches_memory(hed_mppi *c, launches_kind *k, hed_error *error)
{
    const mppi_layout *l = &k->layout;
    uint64_t n = l->systems, groups = n * l->chains;
    uint64_t gains = l->both ? (uint64_t)c->def.count * l->scalars * c->model.states : 0;
    k->input_words = n * l->inputs + gains;
    const uint64_t floats[ROUND_BUFFERS] = {[ROUND_INPUTS] = k->input_words,
        [ROUND_SUMS] = groups * (l->scalars + 4),
        [ROUND_STORE] = groups * l->stored,
        [ROUND_COSTS] = k->bounds ? n * (l->samples + 2) : 0,
        [ROUND_ANSWERS] = n * (l->scalars + 4)};
    for (uint32_t i = 0; i < ROUND_BUFFERS; i++)
        launches_buffer(c, &k->buffers[i], HED_MEMORY_DEVICE, 4 * floats[i], error);
    launches_buffer(c, &k->staging[0], HED_MEMORY_PINNED, 4 * floats[ROUND_INPUTS], error);
    launches_buffer(c, &k->staging[1], HED_MEMORY_PINNED, 4 * floats[ROUND_ANSWERS], error);
    if (hed_failed(error)) return error->status;
    k->inputs = hed_buffer_describe(k->staging[0]).host;
    k->answers = hed_buffer_describe(k->staging[1]).host;
    return HED_OK;
}

static hed_status launches_tile_kernel(
    hed_mppi *c, launches_kind *k, uint32_t pass, hed_error *error)
{
    bool lanes = hed_device_describe(c->device).capabilities & HED_CAN_LANES;
    char text[2] = {(char)('0' + pass), 0};
    k->tile_def[pass] = (hed_kernel_def){.name = "mppi_launches",
        .summary = "tiles of samples: drawn, rolled out, weighed, summed up",
        .arguments = tile_arguments,
        .argument_count = LAUNCHES_ARGUMENTS,
        .parameters = mppi_tile_parameters,
        .parameter_count = TILE_PARAMETERS,
        .max_threads = "GROUP",
        .min_groups = lanes,
        .may_spill = true,
        .needs = lanes ? HED_CAN_LANES : 0};
    mppi_sources(c, &c->structure.arena, &k->layout, true,
        (hed_source){"launches.cl", hed_mppi_launches_cl, 0}, &k->tile_def[pass], error);
    hed_kernel_options options = hed_default_kernel_options();
    options.math = c->def.math;
    options.config = &k->layout.config;
    options.defines = &(hed_define){"PASS", text};
    options.define_count = 1;
    return hed_kernel_create(c->device, &k->tile_def[pass], &options, &k->tile[pass], error);
}

static hed_status launches_kernels(hed_mppi *c, launches_kind *k, hed_error *error)
{
    bool bounds = c->def.update != HED_MPPI_EXPONENTIAL && !k->layout.candidates;
    k->bounds_def = (hed_kernel_def){.name = "mppi_bounds",
        .summary = "least cost and the bound of the elite",
        .arguments = bounds_arguments,
        .argument_count = HED_COUNT(bounds_arguments)};
    k->merge_def = (hed_kernel_def){.name = "mppi_merge",
        .summary = "the sums of all chains",
        .arguments = merge_arguments,
        .argument_count = HED_COUNT(merge_arguments)};
    hed_kernel_options options = hed_default_kernel_options();
    options.math = c->def.math;
    mppi_sources(c, &c->structure.arena, &k->layout, false,
        (hed_source){"merge.cl", hed_mppi_merge_cl, 0}, &k->merge_def, error);
    hed_kernel_create(c->device, &k->merge_def, &options, &k->merge, error);
    if (!bounds) return launches_tile_kernel(c, k, k->layout.both ? PASS_BOTH : PASS_WHOLE, error);
    mppi_sources(c, &c->structure.arena, &k->layout, false,
        (hed_source){"bounds.cl", hed_mppi_bounds_cl, 0}, &k->bounds_def, error);
    hed_kernel_create(c->device, &k->bounds_def, &options, &k->bounds, error);
    launches_tile_kernel(c, k, PASS_COSTS, error);
    return launches_tile_kernel(c, k, PASS_WEIGHTS, error);
}

/* Enqueues the steps of a round, for recording or execution. */
static hed_status launches_enqueue(launches_solver *s, launches_kind *k, hed_error *error)
{
    hed_buffer **b = k->buffers;
    hed_write(s->stream, b[ROUND_INPUTS], 0, k->inputs, 4 * k->input_words, error);
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        if (!k->tile[pass]) continue;
        hed_launch_over(s->stream, k->tile[pass], &k->tile_geometry,
            HED_ARGS(b[ROUND_INPUTS], b[ROUND_SUMS], b[ROUND_STORE], s->tables, s->noise.array,
                b[ROUND_COSTS], hed_struct_argument(&k->fixed, sizeof k->fixed),
                hed_local_argument()),
            error);
        if (pass == PASS_COSTS)
            hed_launch_over(s->stream, k->bounds, &k->bounds_geometry,
                HED_ARGS(b[ROUND_INPUTS], b[ROUND_COSTS], k->layout.samples), error);
    }
    hed_launch_over(s->stream, k->merge, &k->merge_geometry,
        HED_ARGS(b[ROUND_INPUTS], b[ROUND_SUMS], b[ROUND_ANSWERS]), error);
    return hed_read(s->stream, k->answers, b[ROUND_ANSWERS], 0,
        4ull * k->layout.systems * (k->layout.scalars + 4), error);
}

/* Creates the resources of a kind of round from its layout. */
static hed_status launches_kind_create(
    hed_mppi *c, launches_solver *s, launches_kind *k, hed_error *error)
{
    const mppi_layout *l = &k->layout;
    uint32_t most = hed_device_describe(c->device).max_group;
    uint64_t sampled = l->both ? c->def.count : l->systems;
    k->fixed = mppi_fixed_of(c, l->candidates ? l->samples : c->def.samples);
    launches_kernels(c, k, error);
    launches_memory(c, k, error);
    if (hed_failed(error)) return error->status;
    hed_geometry_1d(
        &k->tile_geometry, sampled * l->chains, (uint32_t)l->config.values[TILE_GROUP], 0, 0);
    k->tile_geometry.local_bytes[LAUNCHES_BLOCK] = l->local_bytes;
    hed_geometry_1d(&k->bounds_geometry, l->systems, most < 1024 ? most : 1024, 0, 0);
    hed_geometry_1d(
        &k->merge_geometry, (uint64_t)l->systems * l->slices, most < 256 ? most : 256, 0, 0);
    hed_graph_begin(s->stream, error);
    launches_enqueue(s, k, error);
    return hed_graph_end(s->stream, &k->graph, error);
}

static hed_status launches_create(hed_mppi *c, hed_error *error)
{
    launches_solver *s = hed_arena_new(&c->structure.arena, 1, sizeof *s, error);
    if (!s) return error->status;
    c->structure.data = s;
    if (mppi_layout_make(c, HED_MPPI_SOLVER_LAUNCHES, &s->whole.layout, error))
        return error->status;
    hed_stream_create(c->device, NULL, &s->stream, error);
    if (launches_shared(c, s, error)) return error->status;
    launches_kind_create(c, s, &s->whole, error);
    mppi_along_create(c, &s->whole.layout, s->tables, &s->along, error);
    if (c->def.kind != HED_MPPI_ROBUST || hed_failed(error))
        return hed_failed(error) ? error->status : HED_OK;
    s->candidates.layout = s->whole.layout;
    mppi_layout_candidates(c, &s->candidates.layout);
    return launches_kind_create(c, s, &s->candidates, error);
}

/* ---- a round ---- */

static void launches_fill(const hed_mppi *c, launches_kind *k, const mppi_sampling *round)
{
    const mppi_layout *l = &k->layout;
    uint32_t counted = mppi_counted(c, l, round);
    float elite = c->def.elite * (float)counted;
    for (uint32_t system = 0; system < l->systems; system++) {
        uint32_t *at = k->inputs + (size_t)system * l->inputs;
        mppi_section sections[MPPI_SECTIONS];
        uint32_t count = mppi_list_inputs(c, l, round, system, sections);
        float lambda = round->lambda[system % c->def.count];
        at[0] = round->number;
        at[1] = hed_as_uint(1.0f / lambda);
        if (k->bounds) {
            at[l->rank] =
                elite >= 1 ? (uint32_t)elite - 1 : 0; /* rank of the last sample of the elite */
            at[l->rank + 1] = counted;
        }
        if (l->both) at[l->half] = hed_as_uint(0.5f * lambda * (1 - c->def.alpha));
        for (uint32_t n = 0; n < count; n++)
            memcpy(at + sections[n].at, sections[n].from, sections[n].count * sizeof *at);
    }
    uint64_t rows = (uint64_t)l->systems * l->inputs;
    if (l->both) memcpy(k->inputs + rows, round->gains, 4 * (k->input_words - rows));
}

static hed_status launches_begin(hed_mppi *c, const mppi_sampling *round, hed_error *error)
{
    launches_solver *s = c->structure.data;
    launches_kind *k = round->mean ? &s->whole : &s->candidates;
    const mppi_layout *l = &k->layout;
    if (hed_failed(error)) return error->status;
    /* a round after its deadline still reads and writes these buffers */
    if (hed_stream_wait(s->stream, error)) return error->status;
    launches_fill(c, k, round);
    uint32_t noisy = c->blocks == 1 ? mppi_counted(c, l, round) : UINT32_MAX;
    mppi_noise_round(c, l, s->stream, &s->noise, round->number, noisy, error);
    hed_graph_replay(k->graph, s->stream, error);
    return hed_stream_flush(s->stream, error);
}

static hed_status launches_end(hed_mppi *c, const mppi_sampling *round, hed_error *error)
{
    launches_solver *s = c->structure.data;
    launches_kind *k = round->mean ? &s->whole : &s->candidates;
    const mppi_layout *l = &k->layout;
    uint64_t now = hed_now(), wait = UINT64_MAX;
    if (round->deadline) wait = round->deadline > now ? round->deadline - now : 0;
    hed_status status = hed_stream_wait_for(s->stream, wait, error); /* TIMEOUT sets no error */
    if (status) return status;
    for (uint32_t n = 0; n < l->systems; n++) {
        const float *at = k->answers + (size_t)n * (l->scalars + 4);
        if (round->mean) memcpy(round->mean + (size_t)n * l->scalars, at, l->scalars * sizeof *at);
        memcpy(round->sums + 4 * (size_t)n, at + l->scalars, 4 * sizeof *at);
    }
    if (round->counted && c->blocks == 1)
        for (uint32_t n = 0; n < l->systems; n++) round->counted[n] = mppi_counted(c, l, round);
    return HED_OK;
}

static hed_status launches_trace(hed_mppi *c, const mppi_sampling *round, uint32_t system,
    uint32_t count, bool best, float *states, float *costs, hed_error *error)
{
    launches_solver *s = c->structure.data;
    const mppi_layout *l = &s->whole.layout;
    mppi_noise_round(c, l, s->stream, &s->noise, round->number, UINT32_MAX, error);
    return mppi_trace_device(c, &s->samples, l, s->stream, s->tables, s->noise.array, round, system,
        count, best, states, costs, error);
}

static hed_status launches_along(hed_mppi *c, hed_error *error)
{
    return mppi_along_run(c, &((launches_solver *)c->structure.data)->along, error);
}

static void launches_kind_destroy(launches_kind *k)
{
    hed_graph_destroy(k->graph);
    for (uint32_t pass = 0; pass < PASSES; pass++) hed_kernel_destroy(k->tile[pass]);
    hed_kernel_destroy(k->bounds);
    hed_kernel_destroy(k->merge);
    for (uint32_t i = 0; i < ROUND_BUFFERS; i++) hed_buffer_destroy(k->buffers[i]);
    for (uint32_t i = 0; i < 2; i++) hed_buffer_destroy(k->staging[i]);
}

static void launches_destroy(hed_mppi *c)
{
    launches_solver *s = c->structure.data;
    if (!s) return;
    /* a round after its deadline may still run */
    if (s->stream) hed_stream_wait(s->stream, NULL);
    launches_kind_destroy(&s->whole);
    launches_kind_destroy(&s->candidates);
    hed_stream_destroy(s->stream);
    hed_buffer_destroy(s->tables);
    mppi_noise_destroy(&s->noise);
    mppi_along_destroy(&s->along);
    mppi_trace_destroy(&s->samples);
}

const mppi_solver mppi_solver_launches = {.kind = HED_MPPI_SOLVER_LAUNCHES,
    .fits = mppi_device_fits,
    .create = launches_create,
    .begin = launches_begin,
    .end = launches_end,
    .table = launches_table,
    .trace = launches_trace,
    .along = launches_along,
    .destroy = launches_destroy};
