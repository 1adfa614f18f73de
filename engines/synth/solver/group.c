/* Structures group and global: a work-group for each instance runs the program; its store in local or in global memory (kernels/store.cl). */
#include "kernels/kernels.h"
#include "solver/memory.h"
#include "solver/solver.h"

#include <stdio.h>

struct synth_structure {
    hed_allocator allocator;
    hed_device *device;
    hed_stream *stream;
    const synth_program *program;
    hed_kernel *kernel;
    hed_buffer *stores, *delays, *inputs, *pokes, *stems;
    uint32_t block, channels;
    uint32_t poke_room; /* pokes that the buffer and `staged` have room for */
    uint32_t *staged;   /* (instances + 1 + 3 poke_room) what the buffer holds, or is to hold */
    bool has_pokes, has_inputs; /* the buffers hold some: they are emptied once */
    uint64_t bytes;
};

enum { FIRST_POKES = 256, POKE_WORDS = sizeof(synth_poke) / 4 };
_Static_assert(sizeof(synth_poke) == 12, "the kernel reads pokes as three words");

/* ---- where it can run ---- */

static const hed_kernel_def *def_of(hed_synth_structure id) { return id == HED_SYNTH_GROUP ? &synth_group_def : &synth_global_def; }

static hed_problem problem_of(const synth_program *program, uint32_t block)
{
    const synth_layout *layout = &program->layout;
    int64_t items = (int64_t)layout->warps * layout->lanes;
    return (hed_problem){SYNTH_STORE_DIMENSIONS, {program->instances, layout->words, items, block}};
}

/* The smallest group with a lane for each item, or the largest that the device takes. */
static bool choose_config(const hed_synth *synth, hed_synth_structure id, const synth_program *program, hed_config *config, char *reason, size_t size)
{
    const hed_kernel_def *def = def_of(id);
    hed_problem problem = problem_of(program, synth->def.block);
    bool found = false;
    for (uint32_t i = 0; i < def->parameters[0].count; i++) {
        hed_config tried = {1, {def->parameters[0].values[i]}};
        if (tried.values[0] < program->layout.lanes || !hed_kernel_valid(def, &tried, &problem, synth->device, synth->def.math, reason, size)) continue;
        *config = tried;
        found = true;
        if (tried.values[0] >= problem.sizes[SYNTH_STORE_ITEMS]) break;
    }
    return found;
}

static bool is_valid(const hed_synth *synth, hed_synth_structure id, char *reason, size_t size)
{
    hed_config config;
    if (synth->def.resident) {
        snprintf(reason, size, "a resident kernel for it: not there yet");
        return false;
    }
    return choose_config(synth, id, synth->program, &config, reason, size);
}

static bool group_valid(const hed_synth *synth, char *reason, size_t size) { return is_valid(synth, HED_SYNTH_GROUP, reason, size); }
static bool global_valid(const hed_synth *synth, char *reason, size_t size) { return is_valid(synth, HED_SYNTH_GLOBAL, reason, size); }

/* ---- life ---- */

static void destroy(synth_structure *s)
{
    hed_kernel_destroy(s->kernel);
    hed_buffer_destroy(s->stores);
    hed_buffer_destroy(s->delays);
    hed_buffer_destroy(s->inputs);
    hed_buffer_destroy(s->pokes);
    hed_buffer_destroy(s->stems);
    hed_allocator allocator = s->allocator;
    synth_release(&allocator, s->staged, s->program->instances + 1 + (uint64_t)POKE_WORDS * s->poke_room, sizeof *s->staged);
    synth_release(&allocator, s, 1, sizeof *s);
}

/* At least one element, since no buffer is empty. */
static hed_status make_buffer(synth_structure *s, hed_memory memory, uint64_t words, hed_buffer **buffer, hed_error *error)
{
    hed_buffer_def def = hed_default_buffer_def(4 * (words ? words : 1));
    def.memory = memory;
    s->bytes += def.size;
    return hed_buffer_create(s->device, &def, buffer, error);
}

static hed_status make_pokes(synth_structure *s, uint32_t room, hed_error *error)
{
    uint64_t begins = s->program->instances + 1;
    uint32_t *staged = synth_new(&s->allocator, begins + (uint64_t)POKE_WORDS * room, sizeof *staged);
    if (!staged) return synth_fail(error, HED_ERROR_MEMORY, "no memory for %u pokes", room);
    hed_buffer *buffer;
    hed_status status = make_buffer(s, HED_MEMORY_DEVICE, begins + (uint64_t)POKE_WORDS * room, &buffer, error);
    if (status) {
        synth_release(&s->allocator, staged, begins + (uint64_t)POKE_WORDS * room, sizeof *staged);
        return status;
    }
    synth_release(&s->allocator, s->staged, begins + (uint64_t)POKE_WORDS * s->poke_room, sizeof *staged);
    hed_buffer_destroy(s->pokes);
    s->staged = staged;
    s->pokes = buffer;
    s->poke_room = room;
    s->has_pokes = true;
    return HED_OK;
}

/* Stores and delay memories in `stream`; NULL: as at rest. Waits. */
static hed_status upload(synth_structure *s, hed_stream *stream, const uint32_t *stores, const float *delays, hed_error *error)
{
    const synth_layout *layout = &s->program->layout;
    uint64_t words = 4 * (uint64_t)layout->words, floats = 4 * (uint64_t)layout->delay_words, instances = s->program->instances;
    const uint32_t zero = 0;
    hed_status status = HED_OK;
    if (stores) status = hed_write(stream, s->stores, 0, stores, instances * words, error);
    for (uint64_t i = 0; !stores && !status && i < instances; i++) status = hed_write(stream, s->stores, i * words, s->program->image, words, error);
    if (!status && floats && delays) status = hed_write(stream, s->delays, 0, delays, instances * floats, error);
    if (!status && floats && !delays) status = hed_fill(stream, s->delays, 0, instances * floats, &zero, sizeof zero, error);
    return status ? status : hed_stream_wait(stream, error);
}

static hed_status fill(const hed_synth *synth, hed_synth_structure id, synth_structure *s, hed_error *error)
{
    const synth_program *program = s->program;
    const synth_layout *layout = &program->layout;
    char reason[256];
    hed_config config;
    hed_problem problem = problem_of(program, synth->def.block);
    hed_kernel_options options = hed_default_kernel_options();
    if (!choose_config(synth, id, program, &config, reason, sizeof reason))
        return synth_fail(error, HED_ERROR_UNSUPPORTED, "structure %s: %s", hed_synth_structure_name(id), reason);
    options.math = synth->def.math;
    options.config = &config;
    options.problem = &problem;
    uint64_t instances = program->instances;
    hed_status status = hed_kernel_create(s->device, def_of(id), &options, &s->kernel, error);
    if (!status) status = make_buffer(s, HED_MEMORY_DEVICE, instances * layout->words, &s->stores, error);
    if (!status) status = make_buffer(s, HED_MEMORY_DEVICE, instances * layout->delay_words, &s->delays, error);
    if (!status) status = make_buffer(s, HED_MEMORY_DEVICE, (uint64_t)s->channels * s->block, &s->inputs, error);
    if (!status) status = make_buffer(s, HED_MEMORY_MAPPED, instances * layout->stems * 2 * s->block, &s->stems, error);
    if (!status) status = make_pokes(s, FIRST_POKES, error);
    if (status) return status;
    s->has_inputs = true;
    /* Another thread may be playing in the synth's stream. */
    hed_stream_def def = hed_default_stream_def();
    hed_stream *stream;
    status = hed_stream_create(s->device, &def, &stream, error);
    if (status) return status;
    status = upload(s, stream, NULL, NULL, error);
    hed_stream_destroy(stream);
    return status;
}

static hed_status create(const hed_synth *synth, hed_synth_structure id, const synth_program *program, synth_structure **structure, hed_error *error)
{
    synth_structure *s = synth_new(&synth->allocator, 1, sizeof *s);
    if (!s) return synth_fail(error, HED_ERROR_MEMORY, "no memory for a structure");
    s->allocator = synth->allocator;
    s->device = synth->device;
    s->stream = synth->stream;
    s->program = program;
    s->block = synth->def.block;
    s->channels = synth->def.inputs;
    hed_status status = fill(synth, id, s, error);
    if (status) destroy(s);
    else *structure = s;
    return status;
}

static hed_status group_create(const hed_synth *synth, const synth_program *program, synth_structure **structure, hed_error *error)
{
    return create(synth, HED_SYNTH_GROUP, program, structure, error);
}

static hed_status global_create(const hed_synth *synth, const synth_program *program, synth_structure **structure, hed_error *error)
{
    return create(synth, HED_SYNTH_GLOBAL, program, structure, error);
}

/* ---- a block ---- */

static hed_status send_pokes(synth_structure *s, const synth_run *run, hed_error *error)
{
    uint32_t instances = s->program->instances, count = run->poke_begin[instances];
    if (count == 0 && !s->has_pokes) return HED_OK;
    if (count > s->poke_room) {
        hed_status status = make_pokes(s, count < UINT32_MAX / 2 ? 2 * count : count, error);
        if (status) return status;
    }
    memcpy(s->staged, run->poke_begin, (instances + 1u) * sizeof *s->staged);
    if (count) memcpy(s->staged + instances + 1, run->pokes, count * sizeof *run->pokes);
    s->has_pokes = count > 0;
    return hed_write(s->stream, s->pokes, 0, s->staged, 4 * (instances + 1 + (uint64_t)POKE_WORDS * count), error);
}

/* Channels lie one behind another, each as long as this run. Those that are not given are silent. */
static hed_status send_inputs(synth_structure *s, const synth_run *run, hed_error *error)
{
    const uint32_t zero = 0;
    hed_status status = HED_OK;
    if (s->channels == 0 || (!run->inputs && !s->has_inputs)) return HED_OK;
    s->has_inputs = run->inputs != NULL;
    if (!run->inputs) return hed_fill(s->stream, s->inputs, 0, 4 * (uint64_t)s->channels * s->block, &zero, sizeof zero, error);
    for (uint32_t i = 0; !status && i < s->channels; i++)
        status = hed_write(s->stream, s->inputs, 4 * (uint64_t)i * run->frames, run->inputs[i], 4 * (uint64_t)run->frames, error);
    return status;
}

static hed_status run_block(synth_structure *s, const synth_run *run, hed_error *error)
{
    const synth_layout *layout = &s->program->layout;
    hed_status status = send_pokes(s, run, error);
    if (!status) status = send_inputs(s, run, error);
    if (status) return status;
    hed_argument arguments[SYNTH_STORE_ARGUMENTS] = {
        [SYNTH_STORE_STORES] = hed_buffer_argument(s->stores),
        [SYNTH_STORE_DELAYS] = hed_buffer_argument(s->delays),
        [SYNTH_STORE_INPUTS] = hed_buffer_argument(s->inputs),
        [SYNTH_STORE_STEMS] = hed_buffer_argument(s->stems),
        [SYNTH_STORE_POKES] = hed_buffer_argument(s->pokes),
        [SYNTH_STORE_LAYOUT] = hed_struct_argument(layout, sizeof *layout),
        [SYNTH_STORE_SAMPLE] = hed_uint_argument((uint32_t)run->sample),
        [SYNTH_STORE_FRAMES] = hed_uint_argument(run->frames),
        [SYNTH_STORE_LOCAL] = hed_local_argument(),
    };
    hed_problem problem = problem_of(s->program, run->frames);
    status = hed_launch(s->stream, s->kernel, &problem, arguments, hed_kernel_get_def(s->kernel)->argument_count, error);
    if (!status) status = hed_stream_wait(s->stream, error);
    if (!status) memcpy(run->stems, hed_buffer_host(s->stems), 8 * (uint64_t)run->frames * s->program->instances * layout->stems);
    return status;
}

static hed_status read_all(synth_structure *s, uint32_t *stores, float *delays, hed_error *error)
{
    const synth_layout *layout = &s->program->layout;
    uint64_t instances = s->program->instances;
    hed_status status = hed_read(s->stream, stores, s->stores, 0, 4 * instances * layout->words, error);
    if (!status && layout->delay_words) status = hed_read(s->stream, delays, s->delays, 0, 4 * instances * layout->delay_words, error);
    return status ? status : hed_stream_wait(s->stream, error);
}

static hed_status write_all(synth_structure *s, const uint32_t *stores, const float *delays, hed_error *error)
{
    return upload(s, s->stream, stores, delays, error);
}

static void report(const synth_structure *s, hed_synth_report *to)
{
    hed_kernel_config(s->kernel, &to->configured);
    to->bytes = s->bytes;
}

const synth_structure_ops synth_group_ops = {HED_SYNTH_GROUP, group_valid, group_create, destroy, run_block, read_all, write_all, report, NULL, NULL};
const synth_structure_ops synth_global_ops = {HED_SYNTH_GLOBAL, global_valid, global_create, destroy, run_block, read_all, write_all, report, NULL, NULL};
