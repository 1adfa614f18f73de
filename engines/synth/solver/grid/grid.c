/* Solver grid: one instance over the whole device. The bodies are divided into groups that keep
 * them in local memory and exchange boundary positions as packets; one more group runs all other
 * entities as a program without bodies (places.cl). On devices with packets a block is one
 * launch (more if the dilation changes); elsewhere each sample is a launch. */
#include "solver/grid/grid.h"
#include "support/words.h"
#include "kernels/layout.h"
#include "kernels/lattice.h"
#include "support/strict_math.h"

#include <math.h>
#include <stdio.h>

/* Kernel of solver grid. Only this file launches it, since it builds the tables; there is no
 * native version, because HED_SYNTH_SOLVER_CPU does this work on `host`. */

#define UP_TO_16 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, LATTICE_MOST_EACH
static const hed_parameter_def parameters[] = {
    [LATTICE_WG] = HED_PARAMETER(WG, 64, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024),
    [LATTICE_EACH] = HED_PARAMETER(EACH, 2, UP_TO_16),
    [LATTICE_RIM] = HED_PARAMETER(RIM, 1, UP_TO_16),
    [LATTICE_HALO_ROUNDS] = HED_PARAMETER(HALO, 1, UP_TO_16),
};
static const hed_source sources[] = {
    SYNTH_PHYSICS_SOURCES,
    {"lattice.h", hed_synth_lattice_h, 0},
    {"lattice_springs.h", hed_synth_lattice_springs_h, 0},
    {"lattice_control.h", hed_synth_lattice_control_h, 0},
    {"places.cl", hed_synth_lattice_cl, 0},
};

/* The control group is one of a hundred and may spill; the lattice's own loop does not
 * (tests/synth_grid_nvrtc_test.c). */
#define COMMON \
    .entry = "synth_lattice", .sources = sources, .source_count = HED_COUNT(sources), \
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(SYNTH_LATTICE)), .parameters = parameters, \
    .parameter_count = LATTICE_PARAMETERS, HED_CONSTRAINTS("RIM <= EACH"), .max_threads = "WG", \
    .may_spill = true

const hed_kernel_def synth_lattice_def = {
    .name = "synth_lattice", .summary = "a sample of a large network and of what plays on it",
    COMMON,
};

const hed_kernel_def synth_lattice_packets_def = {
    .name = "synth_lattice_packets",
    .summary = "samples of a large network and of what plays on it, packets between its groups",
    .needs = HED_CAN_COOPERATIVE | HED_CAN_PACKETS,
    COMMON,
};

enum { POKES_AT_FIRST = 4096, FEW_EACH = 4, PORTABLE_THREADS = 256, PORTABLE_EACH = 2 };

/* ---- validity ---- */

static bool lattice_refuse(char *reason, size_t size, const char *text)
{
    snprintf(reason, size, "%s", text);
    return false;
}

/* Returns the limits of a device. All groups are resident at once, each with a whole
 * multiprocessor; the control group needs one too, and so does a warp that keeps the device
 * awake. */
static synth_grid_limits limits_of(const hed_device_info *info, bool packets, bool awake)
{
    uint32_t threads = packets ? 1024 : PORTABLE_THREADS;
    if (info->max_group < threads) threads = info->max_group;
    uint32_t each = packets ? (SYNTH_MOST_PLACES - 1) / threads : PORTABLE_EACH;
    return (synth_grid_limits){.groups = packets ? info->compute_units - 1 - awake : 0,
        .threads = threads, .each = each < LATTICE_MOST_EACH ? each : LATTICE_MOST_EACH,
        .table_local = packets, /* a launch of one sample reads the table once */
        .local_bytes = info->local_bytes};
}

bool synth_grid_has_packets(const hed_device_info *info)
{
    return (~info->capabilities & (HED_CAN_PACKETS | HED_CAN_COOPERATIVE)) == 0 &&
           info->compute_units > 2;
}

static bool valid(const hed_synth *synth, char *reason, size_t size)
{
    const hed_device_info info = hed_device_describe(synth->device);
    if (strcmp(info.backend, "host") == 0)
        return lattice_refuse(reason, size, "the kernel has no native version: use \"cpu\" on host");
    if (synth->def.math == HED_MATH_STRICT)
        return lattice_refuse(
            reason, size, "strict mode needs the program's order of sums; the grid has its own");
    if (!synth_network_valid(synth->def.instrument, reason, size)) return false;
    synth_grid_limits limits =
        limits_of(&info, synth_grid_has_packets(&info), synth->def.keep_awake);
    uint64_t places = (uint64_t)limits.groups * limits.threads * limits.each,
             room = limits.local_bytes / 12 *
                    limits.groups; /* upper bound: halos need space in addition */
    uint32_t bodies = synth->def.instrument->counts[HED_SYNTH_BODY];
    if (limits.groups && (bodies > places || bodies > room)) {
        snprintf(reason, size, "%u bodies: %u groups have room for %llu", bodies, limits.groups,
            (unsigned long long)(places < room ? places : room));
        return false;
    }
    return true;
}

/* ---- the constants of a launch ---- */

/* A half-spring as a palette or the kernel's text describes it; lengths in m. */
typedef struct kind {
    /* divided by the common stiffness */
    double x, y, z, square, rest, excess, stiffness, cubic;
} kind;

/* Returns a kind; the one after the last has the rest vector 0 and no force. */
static kind lattice_kind_of(const synth_network *network, uint32_t index)
{
    if (index >= network->material_count) return (kind){.square = 1.0, .rest = 1.0};
    const synth_material *material = &network->materials[index];
    const double *v = network->vectors[index];
    double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2], rest = material->rest * sqrt(square);
    return (kind){.x = v[0], .y = v[1], .z = v[2], .square = square, .rest = rest,
        .excess = material->rest == 1.0 ? 0.0 : square - rest * rest,
        .stiffness = material->stiffness / synth_network_common(network),
        .cubic = material->cubic / synth_network_common(network)};
}

static void set_stiffness(synth_solver *solver)
{
    const synth_network *network = &solver->network;
    double area = network->unit * network->unit;
    solver->step.common = (float)synth_network_common(network);
    for (uint32_t j = 0; j < LATTICE_MOST_DEGREE && j < network->material_count; j++) {
        solver->step.stiffness[j] =
            (float)(network->materials[j].stiffness / synth_network_common(network));
        solver->step.cubic[j] =
            (float)(network->materials[j].cubic * area / synth_network_common(network));
    }
}

/* Counts the palette's entries after the classes. The last one has no force. */
static uint32_t palette_entries(const synth_network *network)
{
    if (network->form == SPRINGS_SLOTS) return 1;
    return network->material_count + (network->form == SPRINGS_KINDS || network->tense ? 1 : 0);
}

static uint32_t kind_floats(const synth_network *network)
{
    return network->plain ? 4 : LATTICE_KIND_FLOATS;
}

static float *fill_entry(const synth_network *network, uint32_t index, float *palette)
{
    bool is_null = index >= network->material_count;
    if (network->form == SPRINGS_KINDS) {
        kind k = lattice_kind_of(network, index);
        const double values[LATTICE_KIND_FLOATS] = {
            k.x, k.y, k.z, k.rest * (1.0 + 0x1p-22), k.stiffness, k.excess, k.cubic, 0.0};
        for (uint32_t i = 0; i < kind_floats(network); i++) *palette++ = (float)values[i];
    } else if (network->form == SPRINGS_OWN) {
        const synth_material m =
            is_null ? (synth_material){0.0f, 0.0f, 1.0} : network->materials[index];
        *palette++ = (float)(m.stiffness / synth_network_common(network));
        *palette++ =
            (float)(m.cubic * network->unit * network->unit / synth_network_common(network));
        *palette++ = (float)m.rest;
        *palette++ = (float)(1.0 - m.rest * m.rest);
    }
    return palette;
}

/* ---- creation ---- */

static hed_status lattice_make_tables(
    synth_solver *solver, const hed_synth_instrument *instrument, double rate, hed_error *error)
{
    const hed_device_info info = hed_device_describe(solver->device);
    synth_grid_limits limits = limits_of(&info, solver->packets, solver->awake);
    if (synth_network_create(&solver->arena.allocator, instrument, rate, &solver->network, error))
        return error->status;
    /* free body of each body of the control group; flag: contacts push it */
    const synth_program *program = solver->program;
    uint32_t count = program->layout.type[SYNTH_BODY].count,
             lengths = program->layout.type[SYNTH_BODY].forces + count;
    synth_linked *linked = hed_new(&solver->arena.allocator, count, sizeof *linked, error);
    if (!linked) return HED_ERROR_MEMORY;
    for (uint32_t e = 0; e < count; e++)
        linked[e] = (synth_linked){
            .body =
                solver->network.free[instrument->places[program->entities[SYNTH_BODY][e]].index],
            .pushed = program->image[lengths + e] > 0,
        };
    synth_grid_tables_create(&solver->network, &limits, linked, count, &solver->tables, error);
    hed_delete(&solver->arena.allocator, linked, count, sizeof *linked);
    solver->entities =
        hed_arena_new(&solver->arena, solver->network.count, sizeof *solver->entities, error);
    if (!solver->entities) return error->status;
    for (uint32_t i = 0; i < solver->network.count; i++)
        solver->entities[i] = instrument->ids[HED_SYNTH_BODY][solver->network.body[i]];
    solver->springs = instrument->counts[HED_SYNTH_SPRING];
    solver->uniform = solver->network.class_count <= 1;
    return HED_OK;
}

static void make_buffer(synth_solver *solver, hed_stream *stream, uint32_t index,
    const void *content, uint64_t size, hed_error *error)
{
    hed_buffer_def def = hed_default_buffer_def(size ? size : 16);
    const uint32_t zero = 0;
    hed_buffer_create(solver->device, &def, &solver->buffers[index], error);
    solver->bytes += def.size;
    if (content && size) hed_write(stream, solver->buffers[index], 0, content, size, error);
    else hed_fill(stream, solver->buffers[index], 0, def.size & ~3ull, &zero, sizeof zero, error);
}

static uint32_t flag_words(const synth_solver *solver)
{
    return LATTICE_FIRST_MARK + LATTICE_MARKS(solver->block);
}

static hed_status lattice_upload(synth_solver *solver, hed_stream *stream, hed_error *error)
{
    const synth_grid_tables *t = &solver->tables;
    const synth_layout *layout = &solver->program->layout;
    const synth_network *network = &solver->network;
    uint64_t groups = t->shape.groups, own = t->own, degree = t->shape.degree;
    uint64_t floats =
        2ull * network->class_count + (uint64_t)LATTICE_KIND_FLOATS * (network->material_count + 1);
    float *palette = hed_new(&solver->arena.allocator, floats, sizeof *palette, error);
    if (!palette) return error->status;
    float *entry = palette;
    for (uint32_t k = 0; k < network->class_count; k++) {
        *entry++ = network->class_weight[k];
        *entry++ = network->class_rate[k];
    }
    for (uint32_t k = 0; k < palette_entries(network); k++) entry = fill_entry(network, k, entry);
    const struct {
        const void *content;
        uint64_t size;
    } parts[LATTICE_BUFFERS] = {
        [LATTICE_ROW(groups)] = {t->groups, groups * sizeof *t->groups},
        [LATTICE_ROW(table)] = {t->table, groups * (degree / 2) * own * 4},
        [LATTICE_ROW(springs)] = {t->springs, groups * t->spring_words * 4},
        [LATTICE_ROW(classes)] = {t->classes, groups * own},
        [LATTICE_ROW(palette)] = {palette, floats * sizeof *palette},
        [LATTICE_ROW(halo)] = {t->halo, groups * t->halo_room * 4},
        [LATTICE_ROW(links)] = {t->links, groups * t->shape.threads * 4},
        [LATTICE_ROW(state)] = {NULL, groups * 6 * own * sizeof(float)},
        [LATTICE_ROW(packets)] = {NULL, 2ull * SYNTH_PACKET_BYTES * solver->step.side},
        [LATTICE_ROW(flags)] = {NULL, 4ull * flag_words(solver)},
        [LATTICE_ROW(store)] = {solver->program->image, 4ull * layout->words},
        [LATTICE_ROW(delay)] = {NULL, 4ull * layout->delay_words},
        [LATTICE_ROW(pokes)] = {NULL, solver->poke_room * sizeof(synth_poke)},
        [LATTICE_ROW(inputs)] = {NULL, 4ull * solver->inputs * solver->block},
        [LATTICE_ROW(stems)] = {NULL, 8ull * layout->stems * solver->block},
    };
    for (uint32_t i = 0; i < LATTICE_BUFFERS; i++)
        make_buffer(solver, stream, i, parts[i].content, parts[i].size, error);
    synth_wait(stream, error);
    hed_delete(&solver->arena.allocator, palette, floats, sizeof *palette);
    return error->status;
}

static void set_sizes(synth_solver *solver)
{
    const synth_grid_shape *shape = &solver->tables.shape;
    lattice_step *step = &solver->step;
    step->linked = solver->program->layout.type[SYNTH_BODY].count;
    step->groups = shape->groups;
    step->remote = shape->groups * shape->rim * shape->threads;
    step->forces = step->remote + LATTICE_TOLD * step->linked;
    step->side = step->forces + LATTICE_PUSHES * step->linked;
    step->unit = (float)solver->network.unit;
    step->epoch = step->fresh = 1;
    solver->poke_room = POKES_AT_FIRST;
    uint64_t local = shape->local_bytes, store = 4ull * solver->program->layout.words;
    const hed_device_info info = hed_device_describe(solver->device);
    solver->control_local = solver->packets && store <= info.local_bytes;
    if (solver->control_local && store > local) local = store;
    uint64_t groups[2] = {shape->groups + (solver->packets ? 1 : 0), 1},
             bytes[2] = {(local + 15) / 16 * 16, 16};
    uint32_t control = limits_of(&info, solver->packets, solver->awake).threads,
             threads[2] = {shape->threads, control};
    for (uint32_t k = 0; k < 2; k++) {
        solver->geometries[k] = (hed_geometry){
            .dimensions = 1, .global = {groups[k] * threads[k]}, .group = {threads[k], 1, 1}};
        solver->geometries[k].local_bytes[LATTICE_ROW(block)] = bytes[k];
    }
}

/* Values of the slots, as literals for the kernel's text. */
enum { SLOT_VALUES = 6, SLOT_TEXT = 20 * LATTICE_MOST_DEGREE };
typedef struct slot_texts {
    char text[SLOT_VALUES][SLOT_TEXT];
} slot_texts;

static uint32_t add_slots(const synth_solver *solver, slot_texts *texts, hed_define *defines)
{
    static const char *const names[SLOT_VALUES] = {
        "SLOT_X", "SLOT_Y", "SLOT_Z", "SLOT_SQUARE", "SLOT_REST", "SLOT_EXCESS"};
    if (solver->network.form != SPRINGS_SLOTS) return 0;
    for (uint32_t v = 0; v < SLOT_VALUES; v++) {
        size_t length = 0;
        for (uint32_t j = 0; j < solver->tables.shape.degree; j++) {
            kind k = lattice_kind_of(&solver->network, j);
            const double values[SLOT_VALUES] = {k.x, k.y, k.z, k.square, k.rest, k.excess};
            length += (size_t)snprintf(texts->text[v] + length, SLOT_TEXT - length, "%s%.9ef",
                j ? "," : "", (float)values[v]);
        }
        defines[v] = (hed_define){names[v], texts->text[v]};
    }
    return SLOT_VALUES;
}

/* Checks that all groups are resident at once, because a group waits for packets of others. */
static hed_status check_resident(const synth_solver *solver, hed_error *error)
{
    int64_t resident;
    uint64_t local = solver->geometries[0].local_bytes[LATTICE_ROW(block)];
    uint32_t groups = solver->tables.shape.groups + 1, threads = solver->tables.shape.threads;
    if (hed_kernel_resident_groups(solver->kernels[0], threads, local, &resident, error))
        return error->status;
    if (resident < 0 || resident >= (int64_t)groups) return HED_OK;
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "solver grid: %u groups of %u threads and %llu bytes of local memory: %lld are resident",
        groups, threads, (unsigned long long)local, (long long)resident);
}

enum { ROLE_ALL, ROLE_LATTICE, ROLE_CONTROL }; /* values of places.cl */
enum { MOST_NUMBERS = 16, MOST_DEFINES = MOST_NUMBERS + SLOT_VALUES + 2 };

/* Defines of the kernel, and the texts of numbers. */
typedef struct definition {
    hed_define defines[MOST_DEFINES];
    uint32_t count;
    char numbers[MOST_NUMBERS][12], stretch[24];
    slot_texts slots;
} definition;

static void define_number(definition *text, const char *name, uint32_t value)
{
    snprintf(text->numbers[text->count], sizeof text->numbers[text->count], "%u", value);
    text->defines[text->count] = (hed_define){name, text->numbers[text->count]};
    text->count++;
}

static void define_lattice(const synth_solver *solver, definition *text)
{
    const synth_network *network = &solver->network;
    const synth_grid_shape *shape = &solver->tables.shape;
    define_number(text, "DEGREE", shape->degree);
    define_number(text, "PLACES", shape->places);
    define_number(text, "HELD", shape->each <= FEW_EACH);
    define_number(text, "SPRINGS", network->form);
    define_number(text, "MATERIALS", palette_entries(network));
    define_number(text, "KIND_FLOATS", kind_floats(network));
    define_number(text, "TENSE", network->tense);
    define_number(text, "CUBIC", network->cubic);
    define_number(text, "SAME", network->same);
    define_number(text, "BODIES", solver->uniform ? BODIES_UNIFORM : BODIES_CLASSES);
    define_number(text, "CLASSES", network->class_count);
    define_number(text, "TABLE_LOCAL", shape->table_local);
    snprintf(text->stretch, sizeof text->stretch, "%.9ef",
        network->material_count ? network->materials[0].rest : 1.0);
    text->count += add_slots(solver, &text->slots, text->defines + text->count);
    text->defines[text->count++] = (hed_define){"STRETCH", text->stretch};
}

/* Makes the kernel of one role. The control group's is the same for all instruments. */
static hed_status make_kernel(
    synth_solver *solver, uint32_t role, hed_kernel **kernel, hed_error *error)
{
    const synth_grid_shape *shape = &solver->tables.shape;
    hed_config config = {
        LATTICE_PARAMETERS, {solver->geometries[role == ROLE_CONTROL].group[0], 1, 1, 1}};
    hed_kernel_options options = hed_default_kernel_options();
    definition text;
    text.count = 0;
    define_number(&text, "ROLE", role);
    define_number(&text, "PACKETS", solver->packets);
    define_number(&text, "CONTROL_LOCAL", solver->control_local);
    if (role != ROLE_CONTROL) {
        define_lattice(solver, &text);
        config.values[LATTICE_EACH] = shape->each;
        config.values[LATTICE_RIM] = shape->rim;
        config.values[LATTICE_HALO_ROUNDS] = shape->halo;
    }
    text.defines[text.count++] =
        (hed_define){"SYNTH_SPACE", solver->control_local ? "__local" : "__global"};
    options.config = &config;
    options.defines = text.defines;
    options.define_count = text.count;
    return hed_kernel_create(solver->device,
        solver->packets ? &synth_lattice_packets_def : &synth_lattice_def, &options, kernel, error);
}

static void lattice_destroy(synth_solver *solver)
{
    if (!solver) return;
    for (uint32_t k = 0; k < 2; k++) hed_kernel_destroy(solver->kernels[k]);
    for (uint32_t i = 0; i < LATTICE_BUFFERS; i++) hed_buffer_destroy(solver->buffers[i]);
    synth_grid_tables_destroy(&solver->tables);
    synth_network_destroy(&solver->network);
    hed_arena_free(&solver->arena);
}

/* Builds the solver. Uploads use a separate stream: another thread may be playing in the
 * synth's. */
static hed_status lattice_build(synth_solver *solver, const hed_synth *synth, hed_error *error)
{
    hed_stream *stream = NULL;
    if (lattice_make_tables(solver, synth->def.instrument, synth->def.rate, error))
        return error->status;
    set_sizes(solver);
    set_stiffness(solver);
    synth_grid_set_dilation(solver, hed_as_float(solver->program->image[SYNTH_DILATION]));
    if (!hed_stream_create(solver->device, NULL, &stream, error))
        lattice_upload(solver, stream, error);
    hed_stream_destroy(stream);
    make_kernel(solver, solver->packets ? ROLE_ALL : ROLE_LATTICE, &solver->kernels[0], error);
    if (solver->packets) check_resident(solver, error);
    else make_kernel(solver, ROLE_CONTROL, &solver->kernels[1], error);
    synth_network_trim(&solver->network);
    synth_grid_tables_trim(&solver->tables);
    return error->status;
}

static hed_status lattice_create(
    const hed_synth *synth, const synth_program *program, synth_solver **solver, hed_error *error)
{
    *solver = NULL;
    hed_arena arena = {.allocator = synth->allocator, .owner = "solver grid"};
    synth_solver *created = hed_arena_new(&arena, 1, sizeof *created, error);
    if (!created) return HED_ERROR_MEMORY;
    created->arena = arena;
    created->device = synth->device;
    created->stream = synth->stream;
    created->program = program;
    const hed_device_info info = hed_device_describe(synth->device);
    created->packets = synth_grid_has_packets(&info);
    created->awake = synth->def.keep_awake;
    created->block = synth->def.block;
    created->inputs = synth->def.inputs;
    created->flags =
        hed_arena_new(&created->arena, flag_words(created), sizeof *created->flags, error);
    hed_status status = created->flags ? lattice_build(created, synth, error) : error->status;
    if (status) lattice_destroy(created);
    else *solver = created;
    return status;
}

/* ---- running ---- */

static void write_pokes(
    synth_solver *solver, const synth_poke *pokes, uint32_t count, hed_error *error)
{
    if (count > solver->poke_room) {
        hed_buffer *larger;
        hed_buffer_def def = hed_default_buffer_def(2ull * count * sizeof *pokes);
        if (hed_buffer_create(solver->device, &def, &larger, error)) return;
        hed_buffer_destroy(solver->buffers[LATTICE_ROW(pokes)]);
        solver->buffers[LATTICE_ROW(pokes)] = larger;
        solver->poke_room = 2ull * count;
    }
    if (count)
        hed_write(solver->stream, solver->buffers[LATTICE_ROW(pokes)], 0, pokes,
            count * sizeof *pokes, error);
}

HED_VIEW_LAUNCH(lattice_launch, SYNTH_LATTICE)

/* Launches `count` samples. */
static void launch_samples(synth_solver *solver, uint32_t count, hed_error *error)
{
    hed_buffer *const *b = solver->buffers;
    solver->step.count = count;
    const lattice_launch with = {.groups = b[LATTICE_ROW(groups)],
        .table = b[LATTICE_ROW(table)],
        .springs = b[LATTICE_ROW(springs)],
        .classes = b[LATTICE_ROW(classes)],
        .palette = b[LATTICE_ROW(palette)],
        .halo = b[LATTICE_ROW(halo)],
        .links = b[LATTICE_ROW(links)],
        .state = b[LATTICE_ROW(state)],
        .packets = b[LATTICE_ROW(packets)],
        .flags = b[LATTICE_ROW(flags)],
        .store = b[LATTICE_ROW(store)],
        .delay = b[LATTICE_ROW(delay)],
        .pokes = b[LATTICE_ROW(pokes)],
        .inputs = b[LATTICE_ROW(inputs)],
        .stems = b[LATTICE_ROW(stems)],
        .step = solver->step,
        .layout = solver->program->layout,
        .halo_room = solver->tables.halo_room};
    /* control group first: bodies read its contact forces at this sample */
    for (uint32_t k = 2; k-- > 0;)
        if (solver->kernels[k])
            hed_launch_over(solver->stream, solver->kernels[k], &solver->geometries[k],
                HED_VIEW_ARGS_FROM(lattice_launch, &with), error);
    solver->step.fresh = 0;
    solver->step.epoch += count;
    solver->step.sample += count;
    solver->step.frame += count;
}

/* Returns the number of samples of a launch: up to the next change of the dilation, which is a
 * constant of the lattice. Pokes at `frame` apply at once. */
static uint32_t launch_length(
    synth_solver *solver, const synth_poke *pokes, uint32_t end, uint32_t frame, uint32_t frames)
{
    lattice_step *step = &solver->step;
    uint32_t next = solver->packets ? frames : frame + 1;
    step->poke = step->poke_end;
    for (; step->poke_end < end && pokes[step->poke_end].frame < next; step->poke_end++) {
        const synth_poke *poke = &pokes[step->poke_end];
        if (poke->word != SYNTH_DILATION) continue;
        if (poke->frame > frame) next = poke->frame;
        else if (hed_as_float(poke->value) != step->dilation)
            synth_grid_set_dilation(solver, hed_as_float(poke->value));
        if (poke->frame > frame) break;
    }
    return next - frame;
}

/* Sets the sound to NaN at samples after which bodies are beyond the breaker's limits. */
static void lattice_break(const synth_solver *solver, const synth_run *block)
{
    uint32_t first = (uint32_t)block->sample, channels = 2 * solver->program->layout.stems;
    for (uint32_t frame = SYNTH_CHECK - 1 - first % SYNTH_CHECK; frame < block->frames;
         frame += SYNTH_CHECK)
        if (solver->flags[LATTICE_MARK(first + frame, first)] == first + frame)
            block->stems[(uint64_t)frame * channels] = hed_as_float(HED_NAN_BITS);
}

static hed_status lattice_run_block(synth_solver *solver, const synth_run *block, hed_error *error)
{
    const synth_poke *pokes = block->pokes + block->poke_begin[0];
    uint32_t poke_count = block->poke_begin[1] - block->poke_begin[0];
    lattice_step *step = &solver->step;
    step->sample = (uint32_t)block->sample;
    step->frames = block->frames;
    step->frame = step->poke = step->poke_end = 0;
    write_pokes(solver, pokes, poke_count, error);
    const uint32_t zero = 0;
    hed_buffer *inputs = solver->buffers[LATTICE_ROW(inputs)];
    uint64_t size = 4ull * block->frames;
    if (solver->inputs && !block->inputs)
        hed_fill(solver->stream, inputs, 0, size * solver->inputs, &zero, sizeof zero, error);
    for (uint32_t c = 0; block->inputs && c < solver->inputs; c++)
        hed_write(solver->stream, inputs, c * size, block->inputs[c], size, error);
    while (!error->status && step->frame < block->frames)
        launch_samples(
            solver, launch_length(solver, pokes, poke_count, step->frame, block->frames), error);
    uint64_t stems = 8ull * solver->program->layout.stems * block->frames;
    if (stems)
        hed_read(
            solver->stream, block->stems, solver->buffers[LATTICE_ROW(stems)], 0, stems, error);
    hed_read(solver->stream, solver->flags, solver->buffers[LATTICE_ROW(flags)], 0,
        flag_words(solver) * sizeof *solver->flags, error);
    if (synth_wait(solver->stream, error)) return error->status;
    if (solver->flags[0])
        return hed_fail(
            error, HED_ERROR_TIMEOUT, "solver grid: a group waited for a packet that did not come");
    if (stems) lattice_break(solver, block);
    return HED_OK;
}

static void lattice_report(const synth_solver *solver, hed_synth_info *filled)
{
    filled->groups = solver->tables.shape.groups + 1;
    filled->partition_cut = (uint32_t)solver->tables.cut;
    filled->bytes = solver->bytes;
    filled->entities[HED_SYNTH_BODY] = solver->network.all;
    filled->entities[HED_SYNTH_SPRING] = solver->springs;
    hed_kernel_config(solver->kernels[0], &filled->configured);
}

const synth_solver_ops synth_grid_ops = {
    .id = HED_SYNTH_SOLVER_GRID,
    .valid = valid,
    .create = lattice_create,
    .destroy = lattice_destroy,
    .run = lattice_run_block,
    .read = synth_grid_read,
    .write = synth_grid_write,
    .report = lattice_report,
    .bodies = synth_grid_bodies,
    .carry = synth_grid_carry,
};
