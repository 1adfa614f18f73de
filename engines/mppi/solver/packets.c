/* Solvers packets and resident: a round is one kernel whose groups pass their sums on as packets
 * (kernels/packets.cl). The host writes the inputs as {bits, epoch} into mapped memory, replays
 * a constant graph (or, with a resident kernel, does nothing more), and polls the results. */
#include <stdatomic.h>
#include <stdio.h>

#include "solver/mppi_layout.h"

extern const char hed_mppi_packets_cl[];

enum { MAIL_IS_RUNNING, MAIL_HAS_LEFT, MAIL_HAS_FAILED }; /* values of packets.cl */
/* Longest wait for the device. */
static const uint64_t PACKETS_LIMIT_NS = 5000000000;

enum {
    PACKETS_STATE,
    PACKETS_INPUTS,
    PACKETS_FORWARD,
    PACKETS_PACKETS,
    PACKETS_ANSWERS,
    PACKETS_MAIL,
    PACKETS_STORE,
    PACKETS_TABLES,
    PACKETS_NOISE,
    PACKETS_BUFFERS,
    PACKETS_FIXED = PACKETS_BUFFERS,
    PACKETS_BLOCK,
    PACKETS_ARGUMENTS
};

static const hed_argument_def packets_arguments[] = {
    [PACKETS_STATE] = HED_INOUT(uint, state),
    [PACKETS_INPUTS] = HED_IN(uint, inputs),
    [PACKETS_FORWARD] = HED_INOUT(uint, forward),
    [PACKETS_PACKETS] = HED_INOUT(uint, packets),
    [PACKETS_ANSWERS] = HED_INOUT(uint, answers),
    [PACKETS_MAIL] = HED_INOUT(uint, mail),
    [PACKETS_STORE] = HED_INOUT(float, store),
    [PACKETS_TABLES] = HED_IN(float, tables),
    [PACKETS_NOISE] = HED_IN(float, noise),
    [PACKETS_FIXED] = HED_VALUE_STRUCT(mppi_fixed, fixed),
    [PACKETS_BLOCK] = HED_ARRAY(float, block),
};

typedef struct packets_solver {
    mppi_layout layout;
    hed_kernel_def def;
    mppi_fixed fixed;
    hed_kernel *kernel;
    hed_stream *stream;
    hed_graph *graph; /* launched */
    hed_geometry geometry;
    hed_buffer *buffers[PACKETS_BUFFERS];
    hed_argument arguments[PACKETS_ARGUMENTS];
    _Atomic uint64_t *inputs, *answers; /* mapped: a float's bits, the epoch in the high half */
    _Atomic uint32_t *mail;
    uint32_t epoch; /* epoch of the last round */
    uint32_t groups;
    bool resident, running; /* running: the resident kernel is on the device */
    bool pending;           /* the last round exceeded its deadline */
    uint64_t look_ns,
        gap_ns; /* last look at the clock; longest time between two looks of a round */
    mppi_noise noise;
    mppi_along along;
    mppi_trace samples; /* trajectories for display */
    uint64_t state_words, forward_bytes;
} packets_solver;

/* ---- creation ---- */

static bool packets_fits(const hed_mppi *c)
{
    bool is_supported = c->def.kind != HED_MPPI_ROBUST && c->def.update == HED_MPPI_EXPONENTIAL;
    return is_supported && mppi_device_fits(c) && mppi_packets_room(c) >= 2;
}

/* True if the resident solver fits: a resident kernel does not see arrays that are written while
 * it runs. */
static bool resident_fits(const hed_mppi *c) { return packets_fits(c) && !mppi_noise_is_array(c); }

static hed_status packets_buffer(hed_mppi *c, packets_solver *s, uint32_t index, hed_memory memory,
    uint64_t bytes, hed_error *error)
{
    const uint32_t zero = 0;
    hed_buffer_def def = hed_default_buffer_def(bytes < 16 ? 16 : (bytes + 3) / 4 * 4);
    def.memory = memory;
    hed_buffer_create(c->device, &def, &s->buffers[index], error);
    if (hed_failed(error)) return error->status;
    if (memory == HED_MEMORY_MAPPED)
        memset(hed_buffer_describe(s->buffers[index]).host, 0, def.size);
    else hed_fill(s->stream, s->buffers[index], 0, def.size, &zero, sizeof zero, error);
    s->arguments[index] = hed_buffer_argument(s->buffers[index]);
    return hed_failed(error) ? error->status : HED_OK;
}

/* Uploads the content of all tables, followed by the factors of sigma. */
static hed_status packets_upload(hed_mppi *c, packets_solver *s, hed_error *error)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < c->def.table_count; i++) {
        hed_write(s->stream, s->buffers[PACKETS_TABLES], 4 * at, c->tables[i],
            4 * mppi_table_floats(c, i), error);
        at += mppi_table_floats(c, i);
    }
    if (c->def.sigma_steps)
        hed_write(s->stream, s->buffers[PACKETS_TABLES], 4 * at, c->def.sigma_steps,
            4ull * s->layout.scalars, error);
    return hed_stream_wait(s->stream, error);
}

static hed_status packets_memory(hed_mppi *c, packets_solver *s, hed_error *error)
{
    const mppi_layout *l = &s->layout;
    uint64_t n = c->shares, packets = l->scalars / 3 + 2, floats = l->scalars + MPPI_TABLE_SLACK;
    for (uint32_t i = 0; i < c->def.table_count; i++) floats += mppi_table_floats(c, i);
    s->forward_bytes = 16 * n * ((l->inputs + 2) / 3);
    s->state_words = 2ull * s->groups;
    packets_buffer(c, s, PACKETS_STATE, HED_MEMORY_DEVICE, 4 * s->state_words, error);
    packets_buffer(c, s, PACKETS_INPUTS, HED_MEMORY_MAPPED, 8 * n * l->inputs, error);
    packets_buffer(c, s, PACKETS_FORWARD, HED_MEMORY_DEVICE, s->forward_bytes, error);
    packets_buffer(c, s, PACKETS_PACKETS, HED_MEMORY_DEVICE, 16 * n * l->chains * packets, error);
    packets_buffer(c, s, PACKETS_ANSWERS, HED_MEMORY_MAPPED, 8 * n * (l->scalars + 4), error);
    packets_buffer(c, s, PACKETS_MAIL, HED_MEMORY_MAPPED, 64, error);
    packets_buffer(c, s, PACKETS_STORE, HED_MEMORY_DEVICE, 4 * l->stored * s->groups, error);
    packets_buffer(c, s, PACKETS_TABLES, HED_MEMORY_DEVICE, 4 * floats, error);
    mppi_noise_create(c, l, s->stream, &s->noise, error);
    s->buffers[PACKETS_NOISE] = s->noise.array;
    s->arguments[PACKETS_NOISE] = hed_buffer_argument(s->noise.array);
    if (hed_failed(error)) return error->status;
    s->inputs = hed_buffer_describe(s->buffers[PACKETS_INPUTS]).host;
    s->answers = hed_buffer_describe(s->buffers[PACKETS_ANSWERS]).host;
    s->mail = hed_buffer_describe(s->buffers[PACKETS_MAIL]).host;
    return packets_upload(c, s, error);
}

/* Checks that all groups fit on the device at once. */
static hed_status packets_check(packets_solver *s, hed_error *error)
{
    int64_t resident = -1;
    hed_kernel_resident_groups(
        s->kernel, s->geometry.group[0], s->layout.local_bytes, &resident, error);
    if (hed_failed(error) || resident < 0 || resident >= (int64_t)s->groups)
        return hed_failed(error) ? error->status : HED_OK;
    return hed_fail(error, HED_ERROR_LIMIT,
        "mppi: %u groups of %u items with %llu bytes of local memory; the device holds %lld at once",
        s->groups, s->geometry.group[0], (unsigned long long)s->layout.local_bytes,
        (long long)resident);
}

/* Initialises all groups to expect the round after the last one. */
static hed_status packets_begin(packets_solver *s, uint32_t number, hed_error *error)
{
    const uint32_t first[2] = {s->epoch + 1, number}, zero = 0;
    hed_fill(
        s->stream, s->buffers[PACKETS_STATE], 0, 4 * s->state_words, first, sizeof first, error);
    hed_fill(
        s->stream, s->buffers[PACKETS_FORWARD], 0, s->forward_bytes, &zero, sizeof zero, error);
    return hed_stream_wait(s->stream, error);
}

static hed_status packets_create(hed_mppi *c, bool resident, hed_error *error)
{
    packets_solver *s = hed_arena_new(&c->structure.arena, 1, sizeof *s, error);
    if (!s) return error->status;
    c->structure.data = s;
    s->resident = resident;
    hed_mppi_solver kind = resident ? HED_MPPI_SOLVER_RESIDENT : HED_MPPI_SOLVER_PACKETS;
    if (mppi_layout_make(c, kind, &s->layout, error)) return error->status;
    s->groups = c->shares * (s->layout.workers + (uint32_t)s->layout.config.values[TILE_MERGERS]);
    s->def = (hed_kernel_def){.name = "mppi_packets",
        .summary = "a round of sampling, with packets between groups",
        .arguments = packets_arguments,
        .argument_count = PACKETS_ARGUMENTS,
        .parameters = mppi_tile_parameters,
        .parameter_count = TILE_PARAMETERS,
        .max_threads = "GROUP",
        .min_groups = 1,
        .may_spill = true,
        .needs = HED_CAN_MAPPED | HED_CAN_LANES};
    mppi_sources(c, &c->structure.arena, &s->layout, true,
        (hed_source){"packets.cl", hed_mppi_packets_cl, 0}, &s->def, error);
    hed_kernel_options options = hed_default_kernel_options();
    options.math = c->def.math;
    options.config = &s->layout.config;
    hed_kernel_create(c->device, &s->def, &options, &s->kernel, error);
    hed_stream_create(c->device, NULL, &s->stream, error);
    if (hed_failed(error)) return error->status;
    uint32_t group = (uint32_t)s->layout.config.values[TILE_GROUP];
    hed_geometry_1d(&s->geometry, s->groups, group, 0, 0);
    s->geometry.local_bytes[PACKETS_BLOCK] = s->layout.local_bytes;
    s->fixed = mppi_fixed_of(c, c->def.samples);
    s->arguments[PACKETS_FIXED] = hed_struct_argument(&s->fixed, sizeof s->fixed);
    s->arguments[PACKETS_BLOCK] = hed_local_argument();
    packets_memory(c, s, error);
    mppi_along_create(c, &s->layout, s->buffers[PACKETS_TABLES], &s->along, error);
    packets_check(s, error);
    packets_begin(s, 0, error);
    if (resident || hed_failed(error)) return hed_failed(error) ? error->status : HED_OK;
    hed_graph_begin(s->stream, error);
    hed_launch_over(s->stream, s->kernel, &s->geometry, s->arguments, PACKETS_ARGUMENTS, error);
    return hed_graph_end(s->stream, &s->graph, error);
}

static hed_status packets_create_launched(hed_mppi *c, hed_error *error)
{
    return packets_create(c, false, error);
}

static hed_status packets_create_resident(hed_mppi *c, hed_error *error)
{
    return packets_create(c, true, error);
}

/* ---- a round ---- */

static void packets_put(_Atomic uint64_t *at, uint32_t bits, uint32_t epoch)
{
    atomic_store_explicit(at, (uint64_t)epoch << 32 | bits, memory_order_relaxed);
}

/* Writes the inputs of all systems; a resident kernel begins as they arrive. */
static void packets_ring(const hed_mppi *c, packets_solver *s, const mppi_sampling *round)
{
    for (uint32_t system = 0; system < c->shares; system++) {
        _Atomic uint64_t *at = s->inputs + (size_t)system * s->layout.inputs;
        mppi_section sections[MPPI_SECTIONS];
        uint32_t count = mppi_list_inputs(c, &s->layout, round, system, sections);
        packets_put(at, round->number, s->epoch);
        packets_put(at + 1, hed_as_uint(1.0f / round->lambda[system % c->def.count]), s->epoch);
        for (uint32_t n = 0; n < count; n++)
            for (uint32_t i = 0; i < sections[n].count; i++)
                packets_put(at + sections[n].at + i, hed_as_uint(sections[n].from[i]), s->epoch);
    }
}

static hed_status packets_start(packets_solver *s, hed_error *error)
{
    const uint32_t zero = 0;
    if (!s->resident) return hed_graph_replay(s->graph, s->stream, error);
    if (s->running) return HED_OK;
    atomic_store(s->mail, MAIL_IS_RUNNING);
    hed_fill(
        s->stream, s->buffers[PACKETS_FORWARD], 0, s->forward_bytes, &zero, sizeof zero, error);
    hed_launch_over(s->stream, s->kernel, &s->geometry, s->arguments, PACKETS_ARGUMENTS, error);
    hed_stream_flush(s->stream, error);
    s->running = !hed_failed(error);
    return hed_failed(error) ? error->status : HED_OK;
}

/* Checks the kernel and the deadline; called now and then while waiting for results. */
static hed_status packets_look(
    packets_solver *s, uint64_t begin, uint64_t deadline, hed_error *error)
{
    uint32_t mail = atomic_load_explicit(s->mail, memory_order_relaxed);
    uint64_t now = hed_now();
    s->gap_ns = now - s->look_ns > s->gap_ns ? now - s->look_ns : s->gap_ns;
    s->look_ns = now;
    if (mail == MAIL_HAS_LEFT && s->running) { /* idle kernel left just as this round came */
        s->running = false;
        return packets_start(s, error);
    }
    if (mail == MAIL_HAS_FAILED || now - begin > PACKETS_LIMIT_NS) {
        hed_stream_wait_for(s->stream, PACKETS_LIMIT_NS, error);
        s->running = false;
        atomic_store(s->mail, MAIL_IS_RUNNING);
        packets_begin(s, 0, error);
        return hed_fail(error, HED_ERROR_LOST,
            "mppi: a group on the device waited for a packet that did not come");
    }
    if (!deadline || now < deadline) return HED_OK;
    s->pending = true;
    return hed_fail(error, HED_ERROR_TIMEOUT, "mppi: the deadline passed during a round");
}

/* Reads `count` results from `at` on, as they arrive. */
static hed_status packets_take(packets_solver *s, uint64_t at, uint32_t count, float *to,
    uint64_t begin, uint64_t deadline, hed_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t word;
        for (uint32_t polls = 1;; polls++) {
            word = atomic_load_explicit(&s->answers[at + i], memory_order_relaxed);
            if ((uint32_t)(word >> 32) == s->epoch) break;
            if (polls % 256 == 0 && packets_look(s, begin, deadline, error)) return error->status;
        }
        if (to) to[i] = hed_as_float((uint32_t)word);
    }
    return HED_OK;
}

static hed_status packets_answers(
    hed_mppi *c, packets_solver *s, const mppi_sampling *round, uint64_t deadline, hed_error *error)
{
    uint32_t scalars = s->layout.scalars;
    uint64_t begin = hed_now();
    hed_status status = HED_OK;
    s->look_ns = begin;
    s->gap_ns = 0;
    for (uint32_t n = 0; n < c->shares && !status; n++) {
        uint64_t at = (uint64_t)n * (scalars + 4);
        status = packets_take(s, at, scalars, round ? round->mean + (uint64_t)n * scalars : NULL,
            begin, deadline, error);
        if (!status)
            status = packets_take(s, at + scalars, 4, round ? round->sums + 4 * (uint64_t)n : NULL,
                begin, deadline, error);
    }
    return status;
}

static hed_status packets_begin_round(hed_mppi *c, const mppi_sampling *round, hed_error *error)
{
    packets_solver *s = c->structure.data;
    if (hed_failed(error)) return error->status;
    if (s->pending) { /* a round after its deadline may still read its inputs */
        if (packets_answers(c, s, NULL, 0, error)) return error->status;
        s->pending = false;
    }
    s->epoch++;
    packets_ring(c, s, round);
    mppi_noise_round(c, &s->layout, s->stream, &s->noise, round->number,
        c->blocks == 1 ? mppi_counted(c, &s->layout, round) : UINT32_MAX, error);
    return packets_start(s, error);
}

static hed_status packets_end_round(hed_mppi *c, const mppi_sampling *round, hed_error *error)
{
    packets_solver *s = c->structure.data;
    if (hed_failed(error)) return error->status;
    hed_status status = packets_answers(c, s, round, round->deadline, error);
    uint64_t last_gap = hed_now() - s->look_ns;
    s->gap_ns = last_gap > s->gap_ns ? last_gap : s->gap_ns;
    c->stages.gap_ns = s->gap_ns > c->stages.gap_ns ? s->gap_ns : c->stages.gap_ns;
    for (uint32_t n = 0; !status && round->counted && c->blocks == 1 && n < c->systems; n++)
        round->counted[n] = mppi_counted(c, &s->layout, round);
    return status;
}

/* ---- the rest ---- */

/* Makes a resident kernel leave. */
static void packets_stop(const hed_mppi *c, packets_solver *s, hed_error *error)
{
    if (s->pending && !packets_answers((hed_mppi *)c, s, NULL, 0, error)) s->pending = false;
    if (!s->running) return;
    for (uint64_t i = 0; i < (uint64_t)c->shares * s->layout.inputs; i++)
        packets_put(&s->inputs[i], 0, ~(s->epoch + 1));
    hed_stream_wait_for(s->stream, PACKETS_LIMIT_NS, error);
    s->running = false;
}

/* Uploads a table. A resident kernel may have cached the previous content: it leaves, and the
 * next round restarts it. */
static hed_status packets_table(hed_mppi *c, uint32_t table, hed_error *error)
{
    packets_solver *s = c->structure.data;
    uint64_t at = 0;
    if (hed_failed(error)) return error->status;
    packets_stop(c, s, error);
    for (uint32_t i = 0; i < table; i++) at += mppi_table_floats(c, i);
    hed_write(s->stream, s->buffers[PACKETS_TABLES], 4 * at, c->tables[table],
        4 * mppi_table_floats(c, table), error);
    return hed_stream_wait(s->stream, error);
}

static hed_status packets_trace(hed_mppi *c, const mppi_sampling *round, uint32_t system,
    uint32_t count, bool best, float *states, float *costs, hed_error *error)
{
    packets_solver *s = c->structure.data;
    packets_stop(c, s, error);
    mppi_noise_round(c, &s->layout, s->stream, &s->noise, round->number, UINT32_MAX, error);
    return mppi_trace_device(c, &s->samples, &s->layout, s->stream, s->buffers[PACKETS_TABLES],
        s->noise.array, round, system, count, best, states, costs, error);
}

/* Runs the kernel along the plan. A resident kernel may occupy the whole device: it leaves
 * first. */
static hed_status packets_along(hed_mppi *c, hed_error *error)
{
    packets_solver *s = c->structure.data;
    packets_stop(c, s, error);
    return mppi_along_run(c, &s->along, error);
}

static void packets_destroy(hed_mppi *c)
{
    packets_solver *s = c->structure.data;
    if (!s) return;
    packets_stop(c, s, NULL);
    hed_graph_destroy(s->graph);
    hed_stream_destroy(s->stream);
    hed_kernel_destroy(s->kernel);
    for (uint32_t i = 0; i < PACKETS_NOISE; i++) hed_buffer_destroy(s->buffers[i]);
    mppi_noise_destroy(&s->noise);
    mppi_along_destroy(&s->along);
    mppi_trace_destroy(&s->samples);
}

const mppi_solver mppi_solver_packets = {.kind = HED_MPPI_SOLVER_PACKETS,
    .fits = packets_fits,
    .create = packets_create_launched,
    .begin = packets_begin_round,
    .end = packets_end_round,
    .table = packets_table,
    .trace = packets_trace,
    .along = packets_along,
    .destroy = packets_destroy};

const mppi_solver mppi_solver_resident = {.kind = HED_MPPI_SOLVER_RESIDENT,
    .fits = resident_fits,
    .create = packets_create_resident,
    .begin = packets_begin_round,
    .end = packets_end_round,
    .table = packets_table,
    .trace = packets_trace,
    .along = packets_along,
    .destroy = packets_destroy};
