/* Solvers group and global: a work-group for each instance runs the program, with its store in
 * local or in global memory (kernels/store.cl). A launch computes a block; a resident kernel
 * stays on the device and receives blocks through a mailbox. */
#include "heddle/resident.h"
#include "solver/group/group_kernels.h"
#include "solver/solver.h"

#include <stdio.h>

enum { SYNTH_POKE_WORDS = sizeof(synth_poke) / 4 };
_Static_assert(sizeof(synth_poke) == 12, "kernels read pokes as three words");

struct synth_solver {
    hed_arena arena; /* memory of the solver and its arrays */
    hed_device *device;
    hed_stream *stream;
    const synth_program *program;
    hed_kernel *kernel;
    hed_buffer *stores, *delays, *inputs, *stems;
    uint32_t block, channels;
    uint32_t poke_room; /* maximum pokes of a launch or request */
    /* (instances + 1 + SYNTH_POKE_WORDS poke_room) pokes in the kernels' form */
    uint32_t *staged;
    uint64_t bytes;
    /* true: the host reads stems from mapped memory as the device writes them; false: they are
     * copied, because not every device maps memory */
    bool stems_seen;
    /* launched */
    hed_buffer *pokes;
    bool has_pokes, has_inputs; /* the buffers are not empty; empty buffers need no further write */
    /* resident */
    hed_resident *resident;
    hed_stream *own; /* the kernel's */
    hed_buffer *image, *mapped_inputs;
    hed_buffer *
        /* pinned, for all stores and delay memories: other copies would wait for the kernel's
         * end */
        transfer;
    uint32_t *request; /* (request_words) a head, and `staged` */
    uint32_t request_words;
};

/* A part of a run with at most poke_room pokes; `inputs` and `stems` begin at its first frame. */
typedef struct synth_part {
    uint32_t sample, first, frames;
    uint32_t pokes; /* staged */
} synth_part;

/* ---- supported devices ---- */

static hed_problem group_problem(const synth_program *program, uint32_t block, uint32_t more_words)
{
    const synth_layout *layout = &program->layout;
    /* other lists are empty */
    int64_t lists = program->packing.warps_used ? program->packing.warps_used : 1;
    int64_t items = lists * layout->lanes;
    return (hed_problem){SYNTH_STORE_DIMENSIONS,
        {program->instances, (int64_t)layout->words + more_words, items, block}};
}

/* Chooses the smallest group with a lane for each item, or the largest that the device supports;
 * false, with the reason, if there is none. */
static bool group_config(const hed_synth *synth, const hed_kernel_def *def, uint32_t more_words,
    hed_config *config, char *reason, size_t size)
{
    hed_problem problem = group_problem(synth->program, synth->def.block, more_words);
    bool found = false;
    for (uint32_t i = 0; i < def->parameters[0].count; i++) {
        hed_config tried = {1, {def->parameters[0].values[i]}};
        if (tried.values[0] < synth->program->layout.lanes) continue;
        if (!hed_kernel_valid(def, &tried, &problem, synth->device, synth->def.math, reason, size))
            continue;
        *config = tried;
        found = true;
        if (tried.values[0] >= problem.sizes[SYNTH_STORE_ITEMS]) break;
    }
    return found;
}

enum { RESIDENT_POKES = 64, LAUNCHED_POKES = 4096 };

/* Returns the kernel, and the words of local memory that a request takes. */
static const hed_kernel_def *def_of(
    const hed_synth *synth, hed_synth_solver id, uint32_t *more_words)
{
    bool resident = id == HED_SYNTH_SOLVER_GROUP && synth->def.resident;
    *more_words = resident ? sizeof(synth_request_head) / 4 + synth->program->instances + 1 +
                                 SYNTH_POKE_WORDS * RESIDENT_POKES
                           : 0;
    return resident                       ? &synth_resident_def
           : id == HED_SYNTH_SOLVER_GROUP ? &synth_group_def
                                          : &synth_global_def;
}

static bool group_valid(const hed_synth *synth, char *reason, size_t size)
{
    hed_config config;
    uint32_t more_words;
    const hed_kernel_def *def = def_of(synth, HED_SYNTH_SOLVER_GROUP, &more_words);
    return group_config(synth, def, more_words, &config, reason, size);
}

static bool global_valid(const hed_synth *synth, char *reason, size_t size)
{
    hed_config config;
    if (synth->def.resident) {
        snprintf(reason, size,
            "a resident kernel keeps the store in local memory, as solver group does");
        return false;
    }
    return group_config(synth, &synth_global_def, 0, &config, reason, size);
}

/* Creates a buffer of at least one word, since empty buffers are not allowed. */
static hed_status group_buffer(
    synth_solver *s, hed_memory memory, uint64_t words, hed_buffer **buffer, hed_error *error)
{
    hed_buffer_def def = hed_default_buffer_def(4 * (words ? words : 1));
    def.memory = memory;
    s->bytes += def.size;
    return hed_buffer_create(s->device, &def, buffer, error);
}

/* ---- the resident kernel ---- */

HED_VIEW_LAUNCH(store_launch, SYNTH_STORE_IN_LOCAL)
HED_VIEW_LAUNCH(resident_launch, SYNTH_RESIDENT)

/* Starts the resident kernel: blocks go through its mailbox, the stores stay in local memory.
 * While it runs, nothing may make the driver wait for the device (heddle/resident.h), so
 * everything else is created before. */
enum { STEP_TIMEOUT_NS = 1000000000, ANSWER_TIMEOUT_NS = 2000000000 };

static hed_status group_start(
    synth_solver *s, const hed_kernel_def *def, const hed_config *config, hed_error *error)
{
    const synth_layout *layout = &s->program->layout;
    hed_problem problem = group_problem(s->program, s->block, s->request_words);
    hed_argument arguments[HED_MAX_ARGUMENTS];
    const resident_launch with = {.stores = s->stores,
        .delays = s->delays,
        .image = s->image,
        .mapped_inputs = s->mapped_inputs,
        .inputs = s->inputs,
        .stems = s->stems,
        .layout = *layout,
        .request_words = s->request_words,
        .input_words = s->channels * s->block};
    hed_resident_def resident = hed_default_resident_def();
    def->geometry(def, config, &problem, &resident.geometry);
    resident.kernel = s->kernel;
    /* the first two rows are Heddle's own */
    resident.arguments =
        resident_launch_arguments(&with, arguments) + HED_ROW(synth_resident_view, stores);
    resident.argument_count = def->argument_count - HED_ROW(synth_resident_view, stores);
    resident.request_bytes = 4 * s->request_words;
    resident.reply_bytes = 4;
    resident.step_timeout_ns = STEP_TIMEOUT_NS;
    return hed_resident_create(s->own, &resident, &s->resident, error);
}

static hed_status resident_create(synth_solver *s, const hed_kernel_def *def,
    const hed_config *config, uint32_t request_words, hed_error *error)
{
    uint64_t words = s->program->layout.words, all = words + s->program->layout.delay_words;
    s->request_words = request_words;
    s->request = hed_arena_new(&s->arena, request_words, sizeof *s->request, error);
    hed_stream_create(s->device, NULL, &s->own, error);
    group_buffer(s, HED_MEMORY_DEVICE, words, &s->image, error);
    group_buffer(s, HED_MEMORY_MAPPED, (uint64_t)s->channels * s->block, &s->mapped_inputs, error);
    group_buffer(s, HED_MEMORY_PINNED, s->program->instances * all, &s->transfer, error);
    hed_write(s->own, s->image, 0, s->program->image, 4 * words, error);
    hed_stream_wait(s->own, error);
    return group_start(s, def, config, error);
}

/* Posts `request` and waits for its reply, which only confirms completion. */
static hed_status ask(synth_solver *s, hed_error *error)
{
    uint32_t reply;
    if (error->status) return error->status;
    hed_status status = hed_resident_post(s->resident, s->request, NULL);
    if (!status) status = hed_resident_wait(s->resident, &reply, ANSWER_TIMEOUT_NS);
    if (!status) return HED_OK;
    if (status == HED_ERROR_NOT_READY) status = HED_ERROR_TIMEOUT;
    return hed_fail(
        error, status, "the resident kernel did not answer: %s", hed_status_name(status));
}

static hed_status resident_run(
    synth_solver *s, const synth_run *run, const synth_part *part, hed_error *error)
{
    synth_request_head head = {SYNTH_REQUEST_PLAY, part->sample, part->frames, s->channels};
    uint64_t staged = s->program->instances + 1 + (uint64_t)SYNTH_POKE_WORDS * part->pokes;
    float *mapped_inputs = hed_buffer_describe(s->mapped_inputs).host;
    memcpy(s->request, &head, sizeof head);
    memcpy(s->request + sizeof head / 4, s->staged, staged * sizeof *s->staged);
    for (uint32_t i = 0; i < s->channels; i++) {
        if (run->inputs)
            memcpy(mapped_inputs + (size_t)i * part->frames, run->inputs[i] + part->first,
                part->frames * sizeof *mapped_inputs);
        else
            memset(
                mapped_inputs + (size_t)i * part->frames, 0, part->frames * sizeof *mapped_inputs);
    }
    return ask(s, error);
}

static hed_status resident_ask(synth_solver *s, uint32_t command, hed_error *error)
{
    synth_request_head head = {command, 0, 0, 0};
    memcpy(s->request, &head, sizeof head);
    return ask(s, error);
}

/* ---- life ---- */

static uint64_t staged_words(const synth_solver *s)
{
    return s->program->instances + 1 + (uint64_t)SYNTH_POKE_WORDS * s->poke_room;
}

static void group_destroy(synth_solver *s)
{
    hed_resident_destroy(s->resident);
    hed_buffer_destroy(s->image);
    hed_buffer_destroy(s->mapped_inputs);
    hed_buffer_destroy(s->transfer);
    hed_stream_destroy(s->own);
    hed_kernel_destroy(s->kernel);
    hed_buffer_destroy(s->stores);
    hed_buffer_destroy(s->delays);
    hed_buffer_destroy(s->inputs);
    hed_buffer_destroy(s->pokes);
    hed_buffer_destroy(s->stems);
    hed_arena_free(&s->arena);
}

/* Writes stores and delay memories in `stream`, and waits; NULL: resets them. */
static hed_status group_upload(synth_solver *s, hed_stream *stream, const uint32_t *stores,
    const float *delays, hed_error *error)
{
    const synth_layout *layout = &s->program->layout;
    uint64_t words = 4 * (uint64_t)layout->words, floats = 4 * (uint64_t)layout->delay_words,
             instances = s->program->instances;
    const uint32_t zero = 0;
    if (stores) hed_write(stream, s->stores, 0, stores, instances * words, error);
    for (uint64_t i = 0; !stores && i < instances; i++)
        hed_write(stream, s->stores, i * words, s->program->image, words, error);
    if (floats && delays) hed_write(stream, s->delays, 0, delays, instances * floats, error);
    if (floats && !delays)
        hed_fill(stream, s->delays, 0, instances * floats, &zero, sizeof zero, error);
    return hed_stream_wait(stream, error);
}

static hed_status group_fill(
    const hed_synth *synth, hed_synth_solver id, synth_solver *s, hed_error *error)
{
    const synth_layout *layout = &s->program->layout;
    char reason[256];
    hed_config config;
    uint32_t more_words;
    const hed_kernel_def *def = def_of(synth, id, &more_words);
    bool resident = def == &synth_resident_def;
    uint64_t instances = s->program->instances,
             input_words = (uint64_t)s->channels * s->block * (resident ? instances : 1);
    hed_problem problem = group_problem(s->program, synth->def.block, more_words);
    hed_kernel_options options = hed_default_kernel_options();
    if (!group_config(synth, def, more_words, &config, reason, sizeof reason))
        return hed_fail(
            error, HED_ERROR_UNSUPPORTED, "solver %s: %s", hed_synth_solver_name(id), reason);
    options.math = synth->def.math;
    options.config = &config;
    options.problem = &problem;
    s->poke_room = resident ? RESIDENT_POKES : LAUNCHED_POKES;
    s->staged = hed_arena_new(&s->arena, staged_words(s), sizeof *s->staged, error);
    hed_kernel_create(s->device, def, &options, &s->kernel, error);
    group_buffer(s, HED_MEMORY_DEVICE, instances * layout->words, &s->stores, error);
    group_buffer(s, HED_MEMORY_DEVICE, instances * layout->delay_words, &s->delays, error);
    group_buffer(s, HED_MEMORY_DEVICE, input_words, &s->inputs, error);
    group_buffer(s, s->stems_seen ? HED_MEMORY_MAPPED : HED_MEMORY_DEVICE,
        instances * layout->stems * 2 * s->block, &s->stems, error);
    group_buffer(s, HED_MEMORY_DEVICE, staged_words(s), &s->pokes, error);
    hed_stream *stream = NULL; /* another thread may be playing in the synth's stream */
    hed_stream_create(s->device, NULL, &stream, error);
    group_upload(s, stream, NULL, NULL, error);
    hed_stream_destroy(stream);
    s->has_pokes = s->has_inputs = true;
    return resident ? resident_create(s, def, &config, more_words, error) : error->status;
}

static hed_status group_create_solver(const hed_synth *synth, hed_synth_solver id,
    const synth_program *program, synth_solver **solver, hed_error *error)
{
    hed_arena arena = {.allocator = synth->allocator, .owner = "a solver"};
    synth_solver *s = hed_arena_new(&arena, 1, sizeof *s, error);
    if (!s) return HED_ERROR_MEMORY;
    s->arena = arena;
    s->device = synth->device;
    s->stream = synth->stream;
    s->program = program;
    s->block = synth->def.block;
    s->channels = synth->def.inputs;
    s->stems_seen = hed_device_describe(synth->device).capabilities & HED_CAN_MAPPED;
    hed_status status = group_fill(synth, id, s, error);
    if (status) group_destroy(s);
    else *solver = s;
    return status;
}

static hed_status group_create(
    const hed_synth *synth, const synth_program *program, synth_solver **solver, hed_error *error)
{
    return group_create_solver(synth, HED_SYNTH_SOLVER_GROUP, program, solver, error);
}

static hed_status global_create(
    const hed_synth *synth, const synth_program *program, synth_solver **solver, hed_error *error)
{
    return group_create_solver(synth, HED_SYNTH_SOLVER_GLOBAL, program, solver, error);
}

/* ---- parts of a run ---- */

/* Counts the pokes from `at` on that are due before `frame` of the run. */
static uint32_t due_before(const synth_run *run, uint32_t at, uint32_t end, uint32_t frame)
{
    uint32_t count = 0;
    while (at + count < end && run->pokes[at + count].frame < frame) count++;
    return count;
}

static uint32_t all_due_before(
    const synth_solver *s, const synth_run *run, const uint32_t *at, uint32_t frame)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->program->instances; i++)
        count += due_before(run, at[i], run->poke_begin[i + 1], frame);
    return count;
}

/* Stages the pokes that are due before `frame`, as many as fit, and advances `at`. Their frames
 * count from `first`. */
static uint32_t stage(
    synth_solver *s, const synth_run *run, uint32_t *at, uint32_t first, uint32_t frame)
{
    uint32_t instances = s->program->instances, count = 0;
    synth_poke *to = (synth_poke *)(s->staged + instances + 1);
    for (uint32_t i = 0; i < instances; i++) {
        uint32_t due = due_before(run, at[i], run->poke_begin[i + 1], frame),
                 room = s->poke_room - count;
        s->staged[i] = count;
        for (uint32_t k = 0; k < due && k < room; k++) {
            to[count] = run->pokes[at[i]++];
            to[count++].frame -= first;
        }
    }
    s->staged[instances] = count;
    return count;
}

/* Returns the number of floats of a frame. */
static uint64_t stem_floats(const synth_solver *s)
{
    return 2 * (uint64_t)s->program->instances * s->program->layout.stems;
}

/* ---- a launch ---- */

/* Writes the inputs: channels one after the other, each as long as this part; missing channels
 * are silent. */
static void send_inputs(
    synth_solver *s, const synth_run *run, const synth_part *part, hed_error *error)
{
    const uint32_t zero = 0;
    uint64_t bytes = 4 * (uint64_t)part->frames;
    if (s->channels == 0 || part->frames == 0 || (!run->inputs && !s->has_inputs)) return;
    s->has_inputs = run->inputs != NULL;
    if (!run->inputs)
        hed_fill(s->stream, s->inputs, 0, 4 * (uint64_t)s->channels * s->block, &zero, sizeof zero,
            error);
    for (uint32_t i = 0; run->inputs && i < s->channels; i++)
        hed_write(s->stream, s->inputs, i * bytes, run->inputs[i] + part->first, bytes, error);
}

static hed_status group_launch(
    synth_solver *s, const synth_run *run, const synth_part *part, hed_error *error)
{
    if (part->pokes > 0 || s->has_pokes)
        hed_write(s->stream, s->pokes, 0, s->staged,
            4 * (s->program->instances + 1 + (uint64_t)SYNTH_POKE_WORDS * part->pokes), error);
    s->has_pokes = part->pokes > 0;
    send_inputs(s, run, part, error);
    hed_argument arguments[HED_MAX_ARGUMENTS];
    const store_launch with = {.stores = s->stores,
        .delays = s->delays,
        .inputs = s->inputs,
        .stems = s->stems,
        .pokes = s->pokes,
        .layout = s->program->layout,
        .sample = part->sample,
        .frames = part->frames};
    hed_problem problem = group_problem(s->program, s->block, 0);
    uint64_t floats = stem_floats(s), bytes = 4 * part->frames * floats;
    hed_launch(s->stream, s->kernel, &problem, store_launch_arguments(&with, arguments),
        hed_kernel_describe(s->kernel).def->argument_count, error);
    if (!s->stems_seen && bytes)
        hed_read(s->stream, run->stems + part->first * floats, s->stems, 0, bytes, error);
    return synth_wait(s->stream, error);
}

/* ---- operations of a solver ---- */

static hed_status run_block(synth_solver *s, const synth_run *run, hed_error *error)
{
    uint64_t floats = stem_floats(s);
    uint32_t at[SYNTH_INSTANCE_LIMIT], first = 0;
    memcpy(at, run->poke_begin, s->program->instances * sizeof *at);
    while (first < run->frames) {
        /* next part: as long as its pokes fit; without frames if the pokes of a single frame do
         * not fit */
        uint32_t end = run->frames;
        while (end > first && all_due_before(s, run, at, end) > s->poke_room)
            end = first + (end - first) / 2;
        synth_part part = {(uint32_t)(run->sample + first), first, end - first, 0};
        part.pokes = stage(s, run, at, first, end > first ? end : first + 1);

        hed_status status =
            s->resident ? resident_run(s, run, &part, error) : group_launch(s, run, &part, error);
        if (status) return status;
        if (s->stems_seen)
            memcpy(run->stems + first * floats, hed_buffer_describe(s->stems).host,
                4 * part.frames * floats);
        first += part.frames;
    }
    return HED_OK;
}

/* Reads stores and delays. Without `delays`, a single store is only read up to its lists, which
 * do not change. */
static hed_status read_all(synth_solver *s, uint32_t *stores, float *delays, hed_error *error)
{
    const synth_layout *layout = &s->program->layout;
    bool one = !delays && s->program->instances == 1;
    uint64_t words = one ? layout->signals + 2ull * layout->signal_count
                         : (uint64_t)s->program->instances * layout->words;
    uint64_t floats = (uint64_t)s->program->instances * layout->delay_words;
    uint32_t *to = s->resident ? hed_buffer_describe(s->transfer).host : stores;
    float *delays_to = s->resident ? (float *)to + words : delays;
    if (s->resident) resident_ask(s, SYNTH_REQUEST_SAVE, error);
    hed_read(s->stream, to, s->stores, 0, 4 * words, error);
    if (floats && delays) hed_read(s->stream, delays_to, s->delays, 0, 4 * floats, error);
    hed_status status = hed_stream_wait(s->stream, error);
    if (status || !s->resident) return status;
    memcpy(stores, to, 4 * words);
    if (delays) memcpy(delays, delays_to, 4 * floats);
    return HED_OK;
}

static hed_status write_all(
    synth_solver *s, const uint32_t *stores, const float *delays, hed_error *error)
{
    if (!s->resident) return group_upload(s, s->stream, stores, delays, error);
    if (!stores) return resident_ask(s, SYNTH_REQUEST_REST, error);
    uint64_t words = (uint64_t)s->program->instances * s->program->layout.words;
    uint64_t floats = (uint64_t)s->program->instances * s->program->layout.delay_words;
    uint32_t *from = hed_buffer_describe(s->transfer).host;
    memcpy(from, stores, 4 * words);
    memcpy(from + words, delays, 4 * floats);
    group_upload(s, s->stream, from, (const float *)(from + words), error);
    return resident_ask(s, SYNTH_REQUEST_LOAD, error);
}

/* Resets one instance. While a resident kernel runs, only mapped memory can be copied without
 * waiting for the kernel's end. */
static hed_status rest_one(synth_solver *s, uint32_t instance, hed_error *error)
{
    const synth_layout *layout = &s->program->layout;
    uint64_t words = 4 * (uint64_t)layout->words, floats = 4 * (uint64_t)layout->delay_words;
    const uint32_t *from = s->program->image, zero = 0;
    if (s->resident) {
        uint32_t *mapped = hed_buffer_describe(s->transfer).host;
        resident_ask(s, SYNTH_REQUEST_SAVE, error);
        memcpy(mapped, from, words);
        memset(mapped + layout->words, 0, floats);
        from = mapped;
    }
    hed_write(s->stream, s->stores, instance * words, from, words, error);
    if (floats && s->resident)
        hed_write(s->stream, s->delays, instance * floats, from + layout->words, floats, error);
    if (floats && !s->resident)
        hed_fill(s->stream, s->delays, instance * floats, floats, &zero, sizeof zero, error);
    hed_stream_wait(s->stream, error);
    return s->resident ? resident_ask(s, SYNTH_REQUEST_LOAD, error) : error->status;
}

static void group_report(const synth_solver *s, hed_synth_info *to)
{
    hed_kernel_config(s->kernel, &to->configured);
    to->bytes = s->bytes;
}

#define WHAT_BOTH_DO \
    .destroy = group_destroy, .run = run_block, .read = read_all, .write = write_all, \
    .rest = rest_one, .report = group_report
const synth_solver_ops synth_group_ops = {
    .id = HED_SYNTH_SOLVER_GROUP, .valid = group_valid, .create = group_create, WHAT_BOTH_DO};
const synth_solver_ops synth_global_ops = {
    .id = HED_SYNTH_SOLVER_GLOBAL, .valid = global_valid, .create = global_create, WHAT_BOTH_DO};
