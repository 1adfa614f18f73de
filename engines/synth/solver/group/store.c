/* Descriptions of `synth_group`, `synth_global` and `synth_resident`: a program run for a block, a
 * work-group for each instance; and the native version, which steps the same rows one entity after
 * the other. */
#include "solver/group/kernels.h"
#include "solver/group/sample.h"

#include "support/words.h"

#include "kernels/physics.h"

#include <string.h>

enum { WG };

/* ---- native ---- */

#define NATIVE_BODY static inline __attribute__((always_inline)) void

/* Pokes from *poke on that are due at `frame`. */
NATIVE_BODY apply(uint *store, const uint *pokes, uint *poke, uint end, uint frame)
{
    for (; *poke < end && pokes[3 * *poke] == frame; ++*poke)
        store[pokes[3 * *poke + 1]] = pokes[3 * *poke + 2];
}

NATIVE_BODY run_instance(const hed_native_call *call, uint instance)
{
    void *const *given = call->arguments;
    const synth_layout *layout = given[SYNTH_STORE_LAYOUT];
    uint sample = *(const uint *)given[SYNTH_STORE_SAMPLE],
         frames = *(const uint *)given[SYNTH_STORE_FRAMES];
    uint instances = (uint)call->geometry->native_items;
    const uint *pokes = given[SYNTH_STORE_POKES];
    uint poke = pokes[instance], end = pokes[instance + 1];
    synth_at at = {.store = (uint *)given[SYNTH_STORE_STORES] + (size_t)instance * layout->words,
        .instance = instance, .frames = frames, .inputs = given[SYNTH_STORE_INPUTS],
        .delay = (float *)given[SYNTH_STORE_DELAYS] + (size_t)instance * layout->delay_words};
    const uint *rows = at.store + layout->rows,
               count = at.store[layout->row_begin + layout->warps] * layout->lanes;
    for (uint frame = 0; frame < frames; frame++) {
        apply(at.store, pokes + instances + 1, &poke, end, frame);
        at.sample = sample + frame;
        at.frame = frame;
        at.read = layout->signals + (at.sample & 1u) * layout->signal_count;
        at.write = layout->signals + (~at.sample & 1u) * layout->signal_count;
        at.stems = (float *)given[SYNTH_STORE_STEMS] +
                   ((size_t)frame * instances + instance) * layout->stems * 2;
        for (uint i = 0; i < count; i++)
            if (rows[i] != SYNTH_EMPTY)
                synth_entity(layout, &at, SYNTH_SEAT_TYPE(rows[i]), SYNTH_SEAT_ENTITY(rows[i]));
    }
    apply(at.store, pokes + instances + 1, &poke, end, frames);
}

NATIVE_BODY body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    for (uint64_t instance = begin; instance < end; instance++) run_instance(call, (uint)instance);
}

/* Without fused multiply-add in hardware fma() is a call; the bits are the same. */
#if defined(__x86_64__)
__attribute__((target("avx2,fma"), flatten)) static void native_avx2(
    const hed_native_call *call, uint64_t begin, uint64_t end)
{
    body(call, begin, end);
}
#endif

static void native(const hed_native_call *call, uint64_t begin, uint64_t end)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        native_avx2(call, begin, end);
        return;
    }
#endif
    body(call, begin, end);
}

/* ---- shape and cost ---- */

static void geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    uint64_t instances = (uint64_t)problem->sizes[SYNTH_STORE_INSTANCES],
             group = (uint64_t)config->values[WG];
    *layout = (hed_geometry){.dimensions = 1, .global = {instances * group},
        .group = {(uint32_t)group}, .native_items = instances};
    if (def->argument_count == SYNTH_RESIDENT_ARGUMENTS)
        layout->local_bytes[SYNTH_RESIDENT_LOCAL] = 4 * (uint64_t)problem->sizes[SYNTH_STORE_WORDS];
    else if (def->argument_count == SYNTH_STORE_ARGUMENTS)
        layout->local_bytes[SYNTH_STORE_LOCAL] = 4 * (uint64_t)problem->sizes[SYNTH_STORE_WORDS];
}

/* Stores are read and written once; an entity takes some 100 operations a sample. */
static void work(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_work *amount)
{
    (void)def, (void)config;
    double instances = (double)problem->sizes[SYNTH_STORE_INSTANCES],
           words = (double)problem->sizes[SYNTH_STORE_WORDS];
    double steps = instances * (double)problem->sizes[SYNTH_STORE_ITEMS] *
                   (double)problem->sizes[SYNTH_STORE_BLOCK];
    *amount =
        (hed_work){.bytes = 8.0 * instances * words, .operations = 100.0 * steps, .items = steps};
}

/* ---- samples: the instrument of sample.c, `items` bodies long ---- */

static uint64_t sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    (void)def, (void)config;
    const int64_t *sizes = problem->sizes;
    return synth_sample_bytes((uint32_t)sizes[SYNTH_STORE_ITEMS],
        (uint32_t)sizes[SYNTH_STORE_INSTANCES], (uint32_t)sizes[SYNTH_STORE_BLOCK], argument);
}

static void sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    (void)def;
    const int64_t *sizes = problem->sizes;
    memset(data, 0, bytes);
    synth_sample_fill((uint32_t)sizes[SYNTH_STORE_ITEMS], (uint32_t)sizes[SYNTH_STORE_INSTANCES],
        (uint32_t)sizes[SYNTH_STORE_BLOCK], argument, data, bytes, seed);
}

static const hed_argument_def arguments[SYNTH_STORE_ARGUMENTS] = {
    /* Numbers and floats side by side: compared in strict mode only. */
    [SYNTH_STORE_STORES] = {.name = "stores", .kind = HED_BUFFER, .type = HED_UINT32,
        .access = HED_READ_WRITE, .tolerance = 1e30},
    [SYNTH_STORE_DELAYS] = {.name = "delays", .kind = HED_BUFFER, .type = HED_FLOAT,
        .access = HED_READ_WRITE, .tolerance = 1e-3},
    [SYNTH_STORE_INPUTS] = {.name = "inputs", .kind = HED_BUFFER, .type = HED_FLOAT},
    [SYNTH_STORE_STEMS] = {.name = "stems", .kind = HED_BUFFER, .type = HED_FLOAT,
        .access = HED_WRITE, .tolerance = 1e-3},
    [SYNTH_STORE_POKES] = {.name = "pokes", .kind = HED_BUFFER, .type = HED_UINT32},
    [SYNTH_STORE_LAYOUT] = {.name = "layout", .kind = HED_STRUCT, .size = sizeof(synth_layout)},
    [SYNTH_STORE_SAMPLE] = {.name = "sample", .kind = HED_SCALAR, .type = HED_UINT32},
    [SYNTH_STORE_FRAMES] = {.name = "frames", .kind = HED_SCALAR, .type = HED_UINT32},
    [SYNTH_STORE_LOCAL] = {.name = "room", .kind = HED_LOCAL},
};
static const hed_source sources[] = {SYNTH_PHYSICS_SOURCES, {"store.cl", hed_synth_store_cl, 0}};
static const int64_t groups[] = {32, 64, 128, 256, 384, 512, 640, 768, 1024};
static const hed_parameter_def parameters[] = {
    {.name = "WG", .values = groups, .count = SYNTH_COUNT(groups), .value = 256}};
static const char *const dimensions[SYNTH_STORE_DIMENSIONS] = {
    "instances", "words", "items", "block"};
static const hed_problem problems[] = {
    {4, {1, 4096, 3, 24}}, {4, {3, 6144, 40, 17}}, {4, {1, 8192, 100, 33}}};
static const hed_argument_def resident_arguments[SYNTH_RESIDENT_ARGUMENTS] = {
    [SYNTH_RESIDENT_MAIL] = {.name = "mail", .kind = HED_BUFFER, .type = HED_UINT32,
        .access = HED_READ_WRITE},
    [SYNTH_RESIDENT_RELAY] = {.name = "relay", .kind = HED_BUFFER, .type = HED_UINT32,
        .access = HED_READ_WRITE},
    [SYNTH_RESIDENT_STORES] = {.name = "stores", .kind = HED_BUFFER, .type = HED_UINT32,
        .access = HED_READ_WRITE},
    [SYNTH_RESIDENT_DELAYS] = {.name = "delays", .kind = HED_BUFFER, .type = HED_FLOAT,
        .access = HED_READ_WRITE},
    [SYNTH_RESIDENT_IMAGE] = {.name = "image", .kind = HED_BUFFER, .type = HED_UINT32},
    [SYNTH_RESIDENT_GIVEN] = {.name = "given", .kind = HED_BUFFER, .type = HED_UINT32},
    [SYNTH_RESIDENT_INPUTS] = {.name = "inputs", .kind = HED_BUFFER, .type = HED_FLOAT,
        .access = HED_READ_WRITE},
    [SYNTH_RESIDENT_STEMS] = {.name = "stems", .kind = HED_BUFFER, .type = HED_FLOAT,
        .access = HED_WRITE},
    [SYNTH_RESIDENT_LAYOUT] = {.name = "layout", .kind = HED_STRUCT, .size = sizeof(synth_layout)},
    [SYNTH_RESIDENT_REQUEST_WORDS] = {.name = "request_words", .kind = HED_SCALAR,
        .type = HED_UINT32},
    [SYNTH_RESIDENT_INPUT_WORDS] = {.name = "input_words", .kind = HED_SCALAR, .type = HED_UINT32},
    [SYNTH_RESIDENT_LOCAL] = {.name = "room", .kind = HED_LOCAL},
};
static const hed_define in_local[] = {{"IN_LOCAL", "1"}, {"SYNTH_SPACE", "__local"}};
static const hed_define in_global[] = {{"IN_LOCAL", "0"}, {"SYNTH_SPACE", "__global"}};

static const hed_define is_resident[] = {
    {"IN_LOCAL", "1"}, {"SYNTH_SPACE", "__local"}, {"RESIDENT", "1"}};

#define COMMON \
    .sources = sources, .source_count = SYNTH_COUNT(sources), .parameters = parameters, \
    .parameter_count = SYNTH_COUNT(parameters), .dimensions = dimensions, \
    .dimension_count = SYNTH_STORE_DIMENSIONS, .max_threads = "WG", .min_groups = 1, \
    .geometry = geometry
#define LAUNCHED \
    .entry = "synth_program", .native_ignores = HED_ALL_PARAMETERS, .arguments = arguments, \
    .range = native, .work = work, .metric = HED_METRIC_ITEMS, .metric_unit = "Gsteps/s", \
    .sample = { \
        problems, SYNTH_COUNT(problems), {4, {264, 11264, 256, 64}}, sample_bytes, sample_fill}

const hed_kernel_def synth_group_def = {.name = "synth_group",
    .summary = "an instrument for a block, each instance in the local memory of a group",
    .argument_count = SYNTH_STORE_ARGUMENTS, .defines = in_local,
    .define_count = SYNTH_COUNT(in_local),
    COMMON,
    LAUNCHED};
const hed_kernel_def synth_global_def = {.name = "synth_global",
    .summary = "an instrument for a block, each instance in global memory",
    .argument_count = SYNTH_STORE_ARGUMENTS - 1, .defines = in_global,
    .define_count = SYNTH_COUNT(in_global),
    COMMON,
    LAUNCHED};
/* `words` of its problem: of a request and a store. */
const hed_kernel_def synth_resident_def = {.name = "synth_resident", .entry = "synth_resident",
    .summary = "an instrument that stays in local memory, each instance in a group",
    .arguments = resident_arguments, .argument_count = SYNTH_RESIDENT_ARGUMENTS,
    .defines = is_resident, .define_count = SYNTH_COUNT(is_resident),
    .needs = HED_CAN_RESIDENT | HED_CAN_COOPERATIVE | HED_CAN_PACKETS | HED_CAN_MAPPED,
    COMMON};
