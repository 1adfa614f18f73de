/* Sample data of the kernels that keep cloth from crossing cloth: a strip folded to and fro, whose
 * layers lie nearer than their thickness and want to go into each other, taken through the native
 * versions of the kernels that run before. */
#include "contact/contact_kernels.h"

#include <stdlib.h>
#include <string.h>

#define SPACING 0.01f /* m */
enum { COLUMNS = 8, LAYER_ROWS = 6, PAIR_PARTICLES = 20 * COLUMNS, PAIRS_A_LEAF = 64 };

typedef struct strip {
    cloth_pairs pairs;
    float4 *start, *position, *previous, *moved, *rests, *bodies, *boxes, *planes, *covers, *ahead,
        *gradients, *slopes, *ranges;
    uint4 *corners, *found, *list;
    uint2 *kept, *near;
    uint *shares;
    int *sums, *counters;
    float *offs;
    uint32_t *around_at, *around, *convex;
} strip;

static bool pairs_sample_is(const hed_kernel_def *def, uint32_t argument, const char *name)
{
    return strcmp(def->arguments[argument].name, name) == 0;
}

static bool of_leaves(const hed_kernel_def *def)
{
    return def == &cloth_pairs_slopes_def || def == &cloth_pairs_boxes_def ||
           def == &cloth_pairs_find_def;
}

static bool of_pairs(const hed_kernel_def *def)
{
    return def == &cloth_pairs_list_def || def == &cloth_pairs_take_def ||
           def == &cloth_pairs_push_def || def == &cloth_pairs_part_def ||
           def == &cloth_pairs_cut_def;
}

/* Particles, leaves and room for pairs of a sample of size n. */
static cloth_pairs strip_size(const hed_kernel_def *def, uint32_t n)
{
    uint32_t particles = of_pairs(def) ? PAIR_PARTICLES : n, leaves = 1;
    if (of_leaves(def)) {
        while (leaves < n) leaves *= 2;
        if (def == &cloth_pairs_slopes_def) leaves = n; /* each for itself */
        particles = (leaves / (2 * (COLUMNS - 1)) + 2) * COLUMNS;
    } else {
        uint32_t rows = (particles + COLUMNS - 1) / COLUMNS;
        while (leaves < 2 * (COLUMNS - 1) * rows) leaves *= 2;
    }
    return (cloth_pairs){.spare_least = 0.1f * SPACING,
        .spare_most = 0.3f * SPACING,
        .cover = 0.3f * SPACING,
        .undo = 0.02f * SPACING,
        .steps = 32768.0f / SPACING,
        .widest = SPACING,
        .longest = 1.5f * SPACING,
        .read_y = 0.02f * SPACING,
        .read = 0.02f * SPACING,
        .mean = 1.0f / (CLOTH_PAIRS_WAY * (float)particles),
        .from = 0.25f,
        .to = 0.5f,
        .particles = particles,
        .leaves = leaves,
        .capacity = of_pairs(def) ? n : PAIRS_A_LEAF * leaves,
        .list_room = of_pairs(def) ? n : PAIRS_A_LEAF * leaves,
        .stride = 1,
        .colliders = 1,
        .flags = CLOTH_STEP_CONTACTS};
}

/* Rows of COLUMNS; LAYER_ROWS rows forth, as many back above them. Every ninth particle is held. */
static void strip_place(strip *s, uint64_t seed)
{
    for (uint32_t i = 0; i < s->pairs.particles; i++) {
        uint32_t row = i / COLUMNS, layer = row / LAYER_ROWS, along = row % LAYER_ROWS;
        float random[6];
        cloth_sample_floats(random, 6, seed + i, 2, -0.3f * SPACING, 0.3f * SPACING);
        float z = (float)(layer % 2 ? LAYER_ROWS - along : along);
        s->rests[i] =
            (float4){(float)(i % COLUMNS) * SPACING, (float)row * SPACING, 0.0f, as_float(0u)};
        s->start[i] = (float4){(float)(i % COLUMNS) * SPACING + 0.1f * random[3],
            1.2f * SPACING * (float)layer + 0.2f * random[4], z * SPACING + 0.1f * random[5],
            i % 9 == 4 ? 0.0f : 3.0f};
        s->previous[i] = s->start[i];
        s->previous[i].w = (float)(i % CLOTH_SAMPLE_GARMENTS);
        s->position[i] = s->start[i];
        if (i % 9 == 4) continue;
        s->position[i].x += random[0];
        s->position[i].y += random[1] - (layer % 2 ? 0.5f * SPACING : 0.0f);
        s->position[i].z += random[2];
    }
    s->bodies[0] = (float4){SPACING, 0.4f, 0.0f, 0.0f};
    uint32_t rows = s->pairs.particles / COLUMNS, leaf = 0;
    for (uint32_t i = 0; i < s->pairs.leaves; i++) s->corners[i].x = CLOTH_PAIR_NONE;
    for (uint32_t row = 0; row + 1 < rows; row++)
        for (uint32_t column = 0; column + 1 < COLUMNS; column++) {
            uint32_t a = row * COLUMNS + column, b = a + COLUMNS;
            /* a corner and its two edges, the border has none */
            if (leaf < s->pairs.leaves) s->corners[leaf++] = (uint4){a, a + 1, b + 1, 1 | 8 | 32};
            if (leaf < s->pairs.leaves) s->corners[leaf++] = (uint4){a, b + 1, b, 32};
        }
    /* Around every particle the next few leaves; one node in three may be convex. */
    for (uint32_t i = 0; i < 3 * s->pairs.leaves; i++) s->around[i] = i / 3;
    for (uint32_t i = 0; i <= s->pairs.particles; i++)
        s->around_at[i] = 3 * s->pairs.leaves / s->pairs.particles * i;
    for (uint32_t i = 0; i < leaf; i++)
        s->gradients[i] = i % 2 ? (float4){1, 0, -1, 1} : (float4){1, -1, 0, 1};
    for (uint32_t i = 0; i < leaf; i++)
        s->gradients[i] = (float4){s->gradients[i].x / SPACING, s->gradients[i].y / SPACING,
            s->gradients[i].z / SPACING, s->gradients[i].w / SPACING};
    for (uint32_t i = 0; i < 2 * s->pairs.leaves; i++) s->convex[i] = i % 3 == 0;
}

static void strip_free(strip *s)
{
    void *all[] = {s->start, s->position, s->previous, s->moved, s->rests, s->bodies, s->boxes,
        s->planes, s->corners, s->found, s->shares, s->sums, s->counters, s->covers, s->list,
        s->kept, s->ahead, s->near, s->offs, s->gradients, s->slopes, s->ranges, s->around_at,
        s->around, s->convex};
    for (uint32_t i = 0; i < HED_COUNT(all); i++) free(all[i]);
}

static bool strip_new(strip *s)
{
    uint32_t particles = s->pairs.particles, leaves = s->pairs.leaves, room = PAIRS_A_LEAF * leaves;
    s->start = calloc(particles, sizeof(float4));
    s->position = calloc(particles, sizeof(float4));
    s->previous = calloc(particles, sizeof(float4));
    s->moved = calloc(particles, sizeof(float4));
    s->rests = calloc(particles, sizeof(float4));
    s->bodies = calloc(1, sizeof(float4));
    s->boxes = calloc(leaves, 4 * sizeof(float4));
    s->planes = calloc(room, 2 * sizeof(float4));
    s->corners = calloc(leaves, sizeof(uint4));
    s->found = calloc(room, sizeof(uint4));
    s->shares = calloc(particles, CLOTH_PAIRS_ROUNDS * sizeof(uint));
    s->covers = calloc(particles, 2 * sizeof(float4));
    s->ahead = calloc(particles, sizeof(float4));
    s->offs = calloc(particles, sizeof(float));
    s->gradients = calloc(leaves, sizeof(float4));
    s->slopes = calloc(leaves, 3 * sizeof(float4));
    s->ranges = calloc(leaves, 8 * sizeof(float4));
    s->around_at = calloc(particles + 1, sizeof(uint32_t));
    s->around = calloc(leaves, 3 * sizeof(uint32_t));
    s->convex = calloc(leaves, 2 * sizeof(uint32_t));
    s->near = calloc(room, 2 * sizeof(uint2));
    s->list = calloc(room, sizeof(uint4));
    s->kept = calloc(room, sizeof(uint2));
    s->sums = calloc(particles, 4 * sizeof(int));
    s->counters = calloc(CLOTH_PAIRS_COUNTERS, sizeof(int));
    return s->start && s->position && s->previous && s->moved && s->rests && s->bodies &&
           s->boxes && s->planes && s->corners && s->found && s->shares && s->sums && s->counters &&
           s->covers && s->list && s->kept && s->ahead && s->offs && s->near && s->gradients &&
           s->slopes && s->ranges && s->around_at && s->around && s->convex;
}

/* What is near comes in any order: only the first triangle's edges and those of one above it. */
static void own_few(strip *s)
{
    uint32_t above = 2 * (COLUMNS - 1) * (2 * LAYER_ROWS - 1);
    for (uint32_t i = 0; i < s->pairs.leaves; i++) s->corners[i].w = i == 0 || i == above ? 56 : 0;
}

/* Leaves to two triangles one of their pairs. */
static void own_one(uint4 *one, uint4 *two, uint32_t seed)
{
    uint left = cloth_candidates(*one, *two);
    for (uint32_t k = seed % 5; k > 0 && (left & (left - 1)); k--) left &= left - 1;
    uint which = 31u - clz(left & (0u - left)), edges = which < 6 ? 0 : which - 6;
    one->w = which < 3 ? 1u << which : which < 6 ? 0u : 8u << edges / 3;
    two->w = which < 3 ? 0u : which < 6 ? 1u << (which - 3) : 8u << edges % 3;
}

/* Runs the native version of a kernel. */
static void strip_native(const hed_kernel_def *def, uint64_t size, void **arguments)
{
    hed_config config = hed_config_default(def);
    hed_problem problem = hed_problem_1d((int64_t)size);
    hed_geometry layout = {0};
    def->geometry(def, &config, &problem, &layout);
    def->range(
        &(hed_native_call){.arguments = arguments, .config = &config}, 0, layout.native_items);
}

/* Up to where `def` begins. */
static void strip_run(strip *s, const hed_kernel_def *def, uint32_t seed)
{
    cloth_pairs *pairs = &s->pairs;
    int *count = &s->counters[CLOTH_PAIRS_COUNT], *listed = &s->counters[CLOTH_PAIRS_LISTED],
        *near = &s->counters[CLOTH_PAIRS_NEAR];
    if (def == &cloth_pairs_begin_def || def == &cloth_pairs_substep_def) return;
    for (uint32_t i = 0; i < pairs->particles; i++)
        cloth_pairs_begin_one(i, s->start, s->position, s->moved, s->shares, s->counters, *pairs);
    for (uint32_t i = 0; i < pairs->particles; i++)
        cloth_pairs_check_one(
            i, s->start, s->position, s->covers, s->ahead, s->offs, s->counters, *pairs);
    s->counters[pairs->bank + CLOTH_PAIRS_NEED] = def != &cloth_pairs_check_def;
    for (uint32_t i = 0; i < pairs->particles && !of_leaves(def); i++)
        cloth_pairs_cover_one(i, s->start, s->ahead, s->covers);
    if (def == &cloth_pairs_check_def) { /* a list made elsewhere holds for some */
        s->covers[0].x += (float)(seed % 2) * SPACING;
        return;
    }
    if (def == &cloth_pairs_slopes_def) return;
    cloth_pairs_tree tree = {s->boxes, s->corners, s->gradients, s->slopes, s->ranges, s->around_at,
        s->around, s->convex, s->start, s->ahead, s->rests, s->bodies};
    for (uint32_t leaf = 0; leaf < pairs->leaves; leaf++) cloth_pairs_slope_one(leaf, tree, *pairs);
    if (def == &cloth_pairs_boxes_def) return;
    for (uint32_t node = 2 * pairs->leaves - 1; node > 0; node--)
        cloth_pairs_box_one(node, tree, *pairs);
    if (def == &cloth_pairs_find_def) {
        own_few(s);
        return;
    }
    uint room = pairs->capacity;
    pairs->capacity = pairs->list_room = PAIRS_A_LEAF * pairs->leaves;
    strip_native(&cloth_pairs_find_def, pairs->leaves,
        (void *[]){s->boxes, s->corners, s->near, s->counters, pairs});
    if (def == &cloth_pairs_list_def) {
        *near = 1; /* of several, and of several pairs of one, the order is free */
        s->near[0] = s->near[seed % 7];
        own_one(&s->corners[s->near[0].x], &s->corners[s->near[0].y], seed);
        pairs->capacity = pairs->list_room = room;
        return;
    }
    strip_native(&cloth_pairs_list_def, pairs->capacity,
        (void *[]){s->near, s->corners, s->start, s->ahead, s->rests, s->bodies, s->list, s->kept,
            s->covers, s->counters, pairs});
    if (of_pairs(def) && (uint)*listed > room) *listed = (int)room;
    if (def == &cloth_pairs_take_def) {
        *listed = 1;
        s->counters[pairs->bank + CLOTH_PAIRS_NEED] = (int)(seed % 2);
        pairs->capacity = pairs->list_room = room;
        return;
    }
    strip_native(&cloth_pairs_take_def, pairs->capacity,
        (void *[]){s->list, s->kept, s->offs, s->start, s->position, s->rests, s->bodies, s->found,
            s->planes, s->counters, pairs});
    pairs->capacity = pairs->list_room = room;
    pairs->last = seed % 2;
    pairs->leg = seed % 2 ? 0 : CLOTH_PAIRS_LEGS - 1;
    pairs->pass = def == &cloth_pairs_part_def ? CLOTH_PAIRS_PUSHES : 0;
    if (def == &cloth_pairs_push_def || def == &cloth_pairs_part_def) return;
    for (uint32_t k = 0; k < (uint)*count && def == &cloth_pairs_apply_def; k++)
        cloth_pairs_push_one(
            k, s->found, s->planes, s->start, s->moved, s->sums, s->counters, *pairs);
    uint round = def == &cloth_pairs_cut_def ? seed % CLOTH_PAIRS_ROUNDS : CLOTH_PAIRS_ROUNDS;
    for (pairs->round = 0; pairs->round < round && def != &cloth_pairs_apply_def; pairs->round++)
        for (uint32_t k = 0; k < cloth_pairs_to_cut(s->counters, *pairs); k++)
            cloth_pairs_cut_one(
                k, s->found, s->planes, s->start, s->moved, s->shares, s->counters, *pairs);
    s->counters[pairs->bank + CLOTH_PAIRS_LATE] = (int)round; /* so that there is something to do */
}

/* ---- for descriptions ---- */

static const float pairs_collider[20] = {0.02f, -0.02f, 0.02f, 0.025f, 0, 0, 0, 0, 0.02f, -0.02f,
    0.02f, 0.025f, 0, 0, 0, 0, 0 /* HED_CLOTH_SPHERE */, 0.4f, 0, 0};

typedef struct pairs_array {
    const char *name;
    const void *data; /* NULL: zeros, or made here */
    uint64_t bytes;
} pairs_array;

static pairs_array array_of(const hed_kernel_def *def, uint32_t argument, const strip *s)
{
    uint64_t particles = s->pairs.particles, leaves = s->pairs.leaves, room = s->pairs.capacity;
    const pairs_array all[] = {{"start", s->start, 16 * particles},
        {"position", s->position, 16 * particles}, {"previous", s->previous, 16 * particles},
        {"moved", s->moved, 16 * particles},
        {"shares", s->shares, 4 * CLOTH_PAIRS_ROUNDS * particles},
        {"sums", s->sums, 16 * particles}, {"rests", s->rests, 16 * particles},
        {"bodies", s->bodies, 16}, {"boxes", s->boxes, 64 * leaves},
        {"corners", s->corners, 16 * leaves}, {"found", s->found, 16 * room},
        {"planes", s->planes, 32 * room}, {"covers", s->covers, 32 * particles},
        {"gradients", s->gradients, 16 * leaves}, {"slopes", s->slopes, 48 * leaves},
        {"ranges", s->ranges, 128 * leaves}, {"around_at", s->around_at, 4 * particles + 4},
        {"around", s->around, 12 * leaves}, {"convex", s->convex, 8 * leaves},
        {"ahead", s->ahead, 16 * particles}, {"offs", s->offs, 4 * particles},
        {"near", s->near, 16 * room}, {"list", s->list, 16 * room}, {"kept", s->kept, 8 * room},
        {"counters", s->counters, CLOTH_PAIRS_COUNTERS * sizeof(int)}, {"garments", NULL, 256},
        {"colliders", pairs_collider, sizeof pairs_collider}, {"contact", NULL, 32 * particles},
        {"pairs", &s->pairs, sizeof s->pairs}, {"row", &s->pairs.leaves, 4}};
    for (uint32_t i = 0; i < HED_COUNT(all); i++)
        if (pairs_sample_is(def, argument, all[i].name)) return all[i];
    return (pairs_array){"", NULL, 0};
}

uint64_t cloth_pairs_sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    (void)config;
    strip s = {.pairs = strip_size(def, (uint32_t)problem->sizes[0])};
    return array_of(def, argument, &s).bytes;
}

void cloth_pairs_sample_fill(const hed_kernel_def *def, const hed_problem *problem,
    uint32_t argument, void *data, uint64_t bytes, uint64_t seed)
{
    strip s = {.pairs = strip_size(def, (uint32_t)problem->sizes[0])};
    memset(data, 0, bytes);
    if (strip_new(&s)) {
        strip_place(&s, seed);
        strip_run(&s, def, (uint32_t)seed + (uint32_t)problem->sizes[0] % 5);
        pairs_array array = array_of(def, argument, &s);
        if (array.data) memcpy(data, array.data, bytes < array.bytes ? bytes : array.bytes);
    }
    if (pairs_sample_is(def, argument, "garments")) cloth_sample_garments(data);
    for (uint64_t i = 0; i < bytes / 32 && pairs_sample_is(def, argument, "contact"); i++)
        ((float4 *)data)[2 * i + 1].w = i % 3 ? -1.0f : 0.4f; /* below 0: no contact */
    strip_free(&s);
}
