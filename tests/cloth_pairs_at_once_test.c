/* ctest: devices */
/* Cloth that never crosses cloth: a substep in one launch gives the same bits as one launch after
 * another. Where there is no barrier over the grid, it is one group. */
#include "fixture.h"

#include "cloth_plain_pairs.h"

static hed_error error;

TestSuite(cloth_pairs_at_once, .init = here_open, .fini = here_close);

enum { PARTICLES = 3000, MOST_BUFFERS = 32, SEED = 5 };
/* Less than the sample's, so that there is room for all pairs. */
#define THICKNESS 0.004f
/* Times the sample's ways: layers go through each other. */
#define FASTER 3.0f

/* Buffers by the names of the arguments of the one launch. */
typedef struct cloth_state {
    hed_buffer *buffers[MOST_BUFFERS];
    contact_params params;
    uint32_t row;
} cloth_state;

static const hed_kernel_def *const whole = &cloth_pairs_substep_def;

static hed_buffer *state_buffer(const cloth_state *state, const char *name)
{
    for (uint32_t i = 0; i < whole->argument_count; i++)
        if (strcmp(whole->arguments[i].name, name) == 0) return state->buffers[i];
    FAIL("no argument %s", name);
    return NULL;
}

static cloth_state state_make(void)
{
    cloth_state made = {.row = 0};
    hed_config config = hed_config_default(whole);
    hed_problem problem = hed_problem_1d(PARTICLES);
    for (uint32_t i = 0; i < whole->argument_count; i++) {
        uint64_t bytes = cloth_pairs_sample_bytes(whole, &config, &problem, i);
        if (whole->arguments[i].kind == HED_STRUCT) {
            cloth_pairs_sample_fill(whole, &problem, i, &made.params, sizeof made.params, SEED);
            continue;
        }
        hed_buffer_def def = hed_default_buffer_def(bytes ? bytes : 8);
        void *data = calloc(1, def.size);
        CHECK(data);
        if (bytes) cloth_pairs_sample_fill(whole, &problem, i, data, bytes, SEED);
        if (strcmp(whole->arguments[i].name, "bodies") == 0) *(float *)data = THICKNESS;
        OK(hed_buffer_create(here.device, &def, &made.buffers[i], &error));
        OK(hed_write(here.stream, made.buffers[i], 0, data, def.size, &error));
        OK(hed_stream_wait(here.stream, &error));
        free(data);
    }
    made.params.cover = 0.35f * THICKNESS;
    float from[4 * PARTICLES], to[4 * PARTICLES];
    hed_buffer *position = state_buffer(&made, "position");
    OK(hed_read(here.stream, from, state_buffer(&made, "start"), 0, sizeof from, &error));
    OK(hed_read(here.stream, to, position, 0, sizeof to, &error));
    OK(hed_stream_wait(here.stream, &error));
    for (uint32_t i = 0; i < 4 * PARTICLES; i++) to[i] = from[i] + FASTER * (to[i] - from[i]);
    OK(hed_write(here.stream, position, 0, to, sizeof to, &error));
    OK(hed_stream_wait(here.stream, &error));
    return made;
}

static hed_argument state_give(cloth_state *state, const hed_argument_def *argument)
{
    if (argument->kind == HED_STRUCT)
        return hed_struct_argument(&state->params, sizeof state->params);
    if (argument->kind == HED_SCALAR) return hed_uint_argument(state->row);
    const char *name = strcmp(argument->name, "overlaps") == 0 ? "pairs" : argument->name;
    return hed_buffer_argument(state_buffer(state, name));
}

static void state_run(cloth_state *state, const hed_kernel_def *def, uint64_t size)
{
    hed_kernel_options options = hed_default_kernel_options();
    hed_problem problem = hed_problem_1d((int64_t)size);
    hed_argument arguments[HED_MAX_ARGUMENTS];
    hed_kernel *kernel;
    options.math = HED_MATH_STRICT;
    OK(hed_kernel_create(here.device, def, &options, &kernel, &error));
    for (uint32_t i = 0; i < def->argument_count; i++)
        arguments[i] = state_give(state, &def->arguments[i]);
    OK(hed_launch(here.stream, kernel, &problem, arguments, def->argument_count, &error));
    OK(hed_stream_wait(here.stream, &error));
    hed_kernel_destroy(kernel);
}

static void state_run_stage(cloth_state *s, const hed_kernel_def *def)
{
    const char *dimension = def->dimensions[0];
    state_run(s, def,
        strcmp(dimension, "row") == 0        ? s->row
        : strcmp(dimension, "leaves") == 0   ? s->params.leaves
        : strcmp(dimension, "capacity") == 0 ? s->params.capacity
                                             : s->params.particles);
}

/* Runs a contact iteration by launches, as contact/contact_launch.c does without a barrier over the
 * grid. */
static void state_iteration(cloth_state *s)
{
    static const hed_kernel_def *const kernels[] = {
        [CONTACT_BEGIN] = &cloth_pairs_begin_def,
        [CONTACT_CHECK] = &cloth_pairs_check_def,
        [CONTACT_SLOPES] = &cloth_pairs_slopes_def,
        [CONTACT_BOXES] = &cloth_pairs_boxes_def,
        [CONTACT_FIND] = &cloth_pairs_find_def,
        [CONTACT_LIST] = &cloth_pairs_list_def,
        [CONTACT_TAKE] = &cloth_pairs_take_def,
        [CONTACT_PUSH] = &cloth_pairs_push_def,
        [CONTACT_SEPARATE] = &cloth_pairs_part_def,
        [CONTACT_PULL] = &cloth_pairs_pull_def,
        [CONTACT_APPLY] = &cloth_pairs_apply_def,
        [CONTACT_LIMIT] = &cloth_pairs_cut_def,
        [CONTACT_FINISH] = &cloth_pairs_finish_def,
    };
    const contact_counters *const unknown = NULL;
#define RUN(stage) state_run_stage(s, kernels[stage])
    CONTACT_ITERATION(RUN, s->params, s->row, 128, unknown, 0);
#undef RUN
    s->params.round = 0;
}

/* Runs a substep by launches. Returns the number of contact iterations. */
static uint32_t state_step(cloth_state *s)
{
    contact_counters counters;
    bool more = true;
    for (s->params.iteration = 0; more; s->params.iteration++) {
        state_iteration(s);
        OK(hed_read(
            here.stream, &counters, state_buffer(s, "counters"), 0, sizeof counters, &error));
        OK(hed_stream_wait(here.stream, &error));
        more = contact_continues(&counters, s->params);
        s->params.slot = (uint)counters.total.slot;
        s->params.new_frame = 0;
    }
    return s->params.iteration;
}

/* What of a buffer does not depend on the order in which pairs were found. */
static void state_same(const cloth_state *a, const cloth_state *b, const char *name)
{
    for (uint32_t i = 0; i < whole->argument_count; i++) {
        if (strcmp(whole->arguments[i].name, name) != 0) continue;
        uint64_t bytes = hed_buffer_describe(a->buffers[i]).size;
        char *one = malloc(bytes), *two = malloc(bytes);
        CHECK(one && two);
        OK(hed_read(here.stream, one, a->buffers[i], 0, bytes, &error));
        OK(hed_read(here.stream, two, b->buffers[i], 0, bytes, &error));
        OK(hed_stream_wait(here.stream, &error));
        EXPECT_BYTES(one, two, bytes, "%s", name);
        const contact_totals *total = &((const contact_counters *)one)->total;
        if (strcmp(name, "counters") == 0)
            EXPECT(total->last_pairs > 0 && total->lists > 0, "%d pairs, %d lists",
                total->last_pairs, total->lists);
        free(one);
        free(two);
    }
}

/* What a buffer holds; NULL where there is none. */
static void *state_read(const cloth_state *state, const char *name)
{
    for (uint32_t i = 0; i < whole->argument_count; i++) {
        if (strcmp(whole->arguments[i].name, name) != 0) continue;
        uint64_t bytes = hed_buffer_describe(state->buffers[i]).size;
        void *data = malloc(bytes);
        CHECK(data);
        OK(hed_read(here.stream, data, state->buffers[i], 0, bytes, &error));
        OK(hed_stream_wait(here.stream, &error));
        return data;
    }
    FAIL("no buffer %s", name);
    return NULL;
}

/* One of what comes in any order. */
typedef struct pairs_entry {
    uint words[12];
} pairs_entry;

static int entry_compare(const void *a, const void *b) { return memcmp(a, b, sizeof(pairs_entry)); }

/* `count` entries of two arrays, so many words of each, in order. */
static pairs_entry *entries_of(
    uint count, const void *first, uint words, const void *second, uint more)
{
    pairs_entry *entries = calloc(count + 1, sizeof *entries);
    CHECK(entries);
    for (uint k = 0; k < count; k++) {
        memcpy(entries[k].words, (const uint *)first + k * words, words * sizeof(uint));
        memcpy(entries[k].words + words, (const uint *)second + k * more, more * sizeof(uint));
    }
    qsort(entries, count, sizeof *entries, entry_compare);
    return entries;
}

/* Two arrays of the device and what the text for one pair has put into two others. */
static void entries_same(const char *what, int count, int expected, const void *const *found,
    const void *const *made, uint words, uint more)
{
    CHECK_EQ(count, expected, "%s", what);
    CHECK_GT(count, 16, "%s: no more than one block", what);
    pairs_entry *one = entries_of((uint)count, found[0], words, found[1], more);
    pairs_entry *two = entries_of((uint)count, made[0], words, made[1], more);
    EXPECT_BYTES(one, two, (uint)count * sizeof *one, "%s", what);
    free(one), free(two);
}

static void state_free(cloth_state *state)
{
    for (uint32_t i = 0; i < whole->argument_count; i++) hed_buffer_destroy(state->buffers[i]);
}

Test(cloth_pairs_at_once, same_bits, .timeout = 600)
{
    hed_kernel_def def = *whole;
    const hed_device_info info = hed_device_describe(here.device);
    bool barrier = (~info.capabilities & whole->needs) == 0;
    if (!barrier) def.needs = 0;
    if (info.type == HED_DEVICE_CPU) {
        CHECK(!barrier);
        test_skip("launch after launch is what there is");
    }
    cloth_state one = state_make(), many = state_make();
    uint32_t iterations = 0;
    for (uint32_t substep = 0; substep < 3; substep++) { /* a list is made, and then it lasts */
        one.params.new_frame = many.params.new_frame = substep == 0;
        iterations += state_step(&many);
        state_run(&one, &def, barrier ? 7 : 1);
        static const char *const names[] = {"position", "start", "counters", "covers", "moved",
            "fractions", "sums", "boxes", "ahead", "ranges"};
        for (size_t i = 0; i < HED_COUNT(names); i++) state_same(&one, &many, names[i]);
    }
    EXPECT(iterations > 3, "nothing was limited, so that no substep had a second iteration");
    state_free(&one);
    state_free(&many);
}

/* Devices go through rows of the tree and through queues, the host through the tree and through
 * blocks of pairs. */
Test(cloth_pairs_at_once, finds_what_is_found_plainly, .timeout = 600)
{
    cloth_state s = state_make();
    contact_params params = s.params;
    uint capacity = params.capacity;
    state_run(&s, &cloth_pairs_begin_def, params.particles);
    state_run(&s, &cloth_pairs_check_def, params.particles);
    state_run(&s, &cloth_pairs_slopes_def, params.leaves);
    for (s.row = params.leaves; s.row > 0; s.row /= 256)
        state_run(&s, &cloth_pairs_boxes_def, s.row);
    float4 *boxes = state_read(&s, "boxes");
    for (uint node = 9; node < params.leaves; node += 7)
        boxes[2 * node].w = 1.0f; /* cannot meet itself */
    OK(hed_write(here.stream, s.buffers[0], 0, boxes, 4 * sizeof *boxes * params.leaves, &error));
    state_run(&s, &cloth_pairs_find_def, params.leaves);
    contact_counters *counters = state_read(&s, "counters");
    void *overlaps = state_read(&s, "pairs"), *triangles = state_read(&s, "triangles"),
         *start = state_read(&s, "start"), *ahead = state_read(&s, "ahead"),
         *rests = state_read(&s, "rests"), *bodies = state_read(&s, "bodies");
    state_run(&s, &cloth_pairs_list_def, params.capacity);
    void *list = state_read(&s, "list"), *bounds = state_read(&s, "bounds");
    state_run(&s, &cloth_pairs_take_def, params.capacity);
    contact_counters *last = state_read(&s, "counters");
    void *found = state_read(&s, "pairs"), *planes = state_read(&s, "planes"),
         *deviations = state_read(&s, "deviations"), *position = state_read(&s, "position");
    contact_overlap *plain_overlaps = calloc(2 * (uint64_t)capacity, sizeof *plain_overlaps);
    contact_pair *plain_list = calloc(capacity, sizeof *plain_list),
                 *plain_found = calloc(capacity, sizeof *plain_found);
    contact_bound *plain_bounds = calloc(capacity, sizeof *plain_bounds);
    contact_plane *plain_planes = calloc(capacity, sizeof *plain_planes);
    CHECK(plain_overlaps && plain_list && plain_found && plain_bounds && plain_planes);
    int count = counters->total.overlaps;
    counters->total.overlaps = 0;
    cloth_plain_find(boxes, triangles, plain_overlaps, counters, params);
    entries_same("overlaps", count, counters->total.overlaps, (const void *[]){overlaps, overlaps},
        (const void *[]){plain_overlaps, plain_overlaps}, 2, 0);
    contact_list_view list_view = {
        triangles, start, ahead, rests, bodies, plain_list, plain_bounds, counters};
    cloth_plain_list(plain_overlaps, list_view, params);
    entries_same("list", last->total.listed, counters->total.listed, (const void *[]){list, bounds},
        (const void *[]){plain_list, plain_bounds}, 4, 2);
    contact_pair_view pair_view = {plain_list, plain_bounds, deviations, start, position, rests,
        bodies, plain_found, plain_planes};
    cloth_plain_take(pair_view, counters, params);
    entries_same("pairs", last->iteration[params.slot].pairs,
        counters->iteration[params.slot].pairs, (const void *[]){found, planes},
        (const void *[]){plain_found, plain_planes}, 4, 8);
    void *all[] = {counters, overlaps, boxes, triangles, start, ahead, rests, bodies, list, bounds,
        last, found, planes, deviations, position, plain_overlaps, plain_list, plain_found,
        plain_bounds, plain_planes};
    for (size_t i = 0; i < HED_COUNT(all); i++) free(all[i]);
    state_free(&s);
}

/* A list covers further motion, unless the substep before made one too; a frame's first always does. */
Test(cloth_pairs_at_once, a_list_that_does_not_last_covers_one_substep, .timeout = 600)
{
    cloth_state s = state_make();
    state_run(&s, &cloth_pairs_begin_def, s.params.particles);
    contact_counters *counters = state_read(&s, "counters");
    float4 *start = state_read(&s, "start"), *position = state_read(&s, "position"), *ahead[3];
    const float4 shift = contact_shift(counters, s.params);
    for (int k = 0; k < 3; k++) {
        counters->total.list_made = k > 0;
        s.params.new_frame = k == 2;
        OK(hed_write(
            here.stream, state_buffer(&s, "counters"), 0, counters, sizeof *counters, &error));
        state_run(&s, &cloth_pairs_check_def, s.params.particles);
        ahead[k] = state_read(&s, "ahead");
    }
    uint32_t further = 0;
    for (uint32_t i = 0; i < s.params.particles; i++) {
        float4 motion = cloth_minus(cloth_minus(position[i], start[i]), shift),
               covered = cloth_minus(ahead[0][i], start[i]),
               once = cloth_minus(ahead[1][i], start[i]), left = cloth_minus(once, motion);
        EXPECT(sqrtf(cloth_dot(left, left)) < 1e-6f, "particle %u: off by %g m", i,
            sqrtf(cloth_dot(left, left)));
        further += cloth_dot(covered, covered) > 1.5f * cloth_dot(once, once);
    }
    EXPECT(further > s.params.particles / 2, "%u particles with further motion", further);
    EXPECT_BYTES(ahead[0], ahead[2], s.params.particles * sizeof(float4), "a frame's first list");
    for (int k = 0; k < 3; k++) free(ahead[k]);
    free(counters), free(start), free(position);
    state_free(&s);
}

Test(cloth_pairs_at_once, a_substep_notes_that_it_made_a_list)
{
    contact_counters counters = {.total.slot = 0};
    contact_params params = {.capacity = 1, .list_capacity = 1};
    static const int needed[] = {1, 0, 0, 0, 1}, made[] = {1, 1, 0, 0, 1};
    static const uint iterations[] = {0, 1, 0, 0, 1};
    for (size_t k = 0; k < HED_COUNT(needed); k++) {
        params.iteration = iterations[k];
        counters.iteration[params.slot].list_needed = needed[k];
        contact_tally(&counters, params);
        EXPECT_EQ(counters.total.list_made, made[k], "iteration %zu", k);
        params.slot = (uint)counters.total.slot;
    }
}
