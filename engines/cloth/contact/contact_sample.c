/* Sample data of the kernels of cloth that never crosses cloth: a strip folded to and fro, whose
 * layers are nearer than their thickness and move into each other, after the native versions of
 * the kernels of the stages before. */
#include "contact/contact_kernels.h"

#include <stdlib.h>
#include <string.h>

#define SPACING 0.01f /* m */
enum { COLUMNS = 8, LAYER_ROWS = 6, PAIR_PARTICLES = 20 * COLUMNS, PAIRS_A_LEAF = 64 };

typedef struct strip {
    contact_params params;
    float4 *start, *position, *previous, *grips, *moved, *rests, *bodies, *boxes, *covers, *ahead,
        *gradients, *slopes, *ranges;
    contact_triangle *triangles;
    contact_pair *pairs, *list;
    contact_plane *planes;
    contact_bound *bounds;
    contact_overlap *overlaps;
    contact_counters *counters;
    uint *fractions, *marks;
    int *sums;
    float *deviations;
    uint32_t *around_at, *around, *convex;
} strip;

static bool pairs_sample_is(const hed_kernel_def *def, uint32_t argument, const char *name)
{
    return strcmp(def->arguments[argument].name, name) == 0;
}

static bool of_leaves(const hed_kernel_def *def)
{
    return def == &cloth_pairs_slopes_def || def == &cloth_pairs_boxes_def ||
           def == &cloth_pairs_find_def || def == &cloth_pairs_pull_def;
}

static bool of_pairs(const hed_kernel_def *def)
{
    return def == &cloth_pairs_list_def || def == &cloth_pairs_take_def ||
           def == &cloth_pairs_push_def || def == &cloth_pairs_part_def ||
           def == &cloth_pairs_cut_def;
}

/* Particles, leaves and capacity of a sample of size n. */
static contact_params strip_size(const hed_kernel_def *def, uint32_t n)
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
    return (contact_params){.min_spare = 0.1f * SPACING,
        .max_spare = 0.3f * SPACING,
        .cover = 0.3f * SPACING,
        .max_separation = 0.02f * SPACING,
        .push_steps = 32768.0f / SPACING,
        .max_thickness = SPACING,
        .min_thickness = SPACING,
        .max_edge = 1.5f * SPACING,
        .read_loss_y = 0.02f * SPACING,
        .read_loss = 0.02f * SPACING,
        .motion_scale = 1.0f / (CONTACT_MOTION_STEPS * (float)particles),
        .collider_from = 0.25f,
        .collider_to = 0.5f,
        .particles = particles,
        .leaves = leaves,
        .capacity = of_pairs(def) ? n : PAIRS_A_LEAF * leaves,
        .list_capacity = of_pairs(def) ? n : PAIRS_A_LEAF * leaves,
        .sample_stride = 1,
        .pulls = 1,
        .collider_count = 1,
        .flags = CLOTH_STEP_CONTACTS | CLOTH_STEP_FAST};
}

/* Rows of COLUMNS; LAYER_ROWS rows forth, as many back above them. Every ninth particle is held. */
static void strip_place(strip *s, uint64_t seed)
{
    for (uint32_t i = 0; i < s->params.particles; i++) {
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
        s->position[i] = s->grips[i] = s->start[i];
        s->grips[i].x += 0.15f * SPACING * (float)(i % 4); /* near, drawn along, dropped */
        if (i % 9 == 4) continue;
        s->position[i].x += random[0];
        s->position[i].y += random[1] - (layer % 2 ? 0.5f * SPACING : 0.0f);
        s->position[i].z += random[2];
    }
    s->bodies[0] = (float4){SPACING, 0.4f, 0.0f, 0.0f};
    uint32_t rows = s->params.particles / COLUMNS, leaf = 0;
    for (uint32_t i = 0; i < s->params.leaves; i++) s->triangles[i].a = CONTACT_NO_LEAF;
    for (uint32_t row = 0; row + 1 < rows; row++)
        for (uint32_t column = 0; column + 1 < COLUMNS; column++) {
            uint32_t a = row * COLUMNS + column, b = a + COLUMNS;
            /* a corner and its two edges; edges of the border have no owner */
            if (leaf < s->params.leaves)
                s->triangles[leaf++] = (contact_triangle){a, a + 1, b + 1, 1 | 8 | 32};
            if (leaf < s->params.leaves) s->triangles[leaf++] = (contact_triangle){a, b + 1, b, 32};
        }
    /* Leaves around a particle: the next few; one node in three may be convex. */
    for (uint32_t i = 0; i < 3 * s->params.leaves; i++) s->around[i] = i / 3 < leaf ? i / 3 : 0;
    for (uint32_t i = 0; i <= s->params.particles; i++)
        s->around_at[i] = 3 * s->params.leaves / s->params.particles * i;
    for (uint32_t i = 0; i < leaf; i++)
        s->gradients[i] = i % 2 ? (float4){1, 0, -1, 1} : (float4){1, -1, 0, 1};
    for (uint32_t i = 0; i < leaf; i++)
        s->gradients[i] = (float4){s->gradients[i].x / SPACING, s->gradients[i].y / SPACING,
            s->gradients[i].z / SPACING, s->gradients[i].w / SPACING};
    for (uint32_t i = 0; i < 2 * s->params.leaves; i++) s->convex[i] = i % 3 == 0;
}

static void strip_free(strip *s)
{
    void *arrays[] = {s->start, s->position, s->previous, s->grips, s->moved, s->rests, s->bodies,
        s->boxes, s->planes, s->triangles, s->pairs, s->fractions, s->sums, s->counters, s->covers,
        s->list, s->bounds, s->ahead, s->overlaps, s->deviations, s->gradients, s->slopes,
        s->ranges, s->around_at, s->around, s->convex, s->marks};
    for (uint32_t i = 0; i < HED_COUNT(arrays); i++) free(arrays[i]);
}

static bool strip_new(strip *s)
{
    uint32_t particles = s->params.particles, leaves = s->params.leaves,
             room = PAIRS_A_LEAF * leaves;
    s->start = calloc(particles, sizeof(float4));
    s->position = calloc(particles, sizeof(float4));
    s->previous = calloc(particles, sizeof(float4));
    s->grips = calloc(particles, sizeof(float4));
    s->moved = calloc(particles, sizeof(float4));
    s->rests = calloc(particles, sizeof(float4));
    s->bodies = calloc(1, sizeof(float4));
    s->boxes = calloc(leaves, 4 * sizeof(float4));
    s->planes = calloc(room, sizeof *s->planes);
    s->triangles = calloc(leaves, sizeof *s->triangles);
    s->pairs = calloc(room, sizeof *s->pairs);
    s->fractions = calloc(particles, CONTACT_FRACTION_WORDS * sizeof(uint));
    s->covers = calloc(particles, 2 * sizeof(float4));
    s->ahead = calloc(particles, sizeof(float4));
    s->deviations = calloc(particles, sizeof(float));
    s->gradients = calloc(leaves, sizeof(float4));
    s->slopes = calloc(leaves, 3 * sizeof(float4));
    s->ranges = calloc(leaves, 8 * sizeof(float4));
    s->around_at = calloc(particles + 1, sizeof(uint32_t));
    s->around = calloc(leaves, 3 * sizeof(uint32_t));
    s->convex = calloc(leaves, 2 * sizeof(uint32_t));
    s->overlaps = calloc(room, 2 * sizeof *s->overlaps);
    s->list = calloc(room, sizeof *s->list);
    s->bounds = calloc(room, sizeof *s->bounds);
    s->sums = calloc(particles, 4 * sizeof(int));
    s->marks = calloc(CONTACT_MARKS(particles, room), sizeof(uint));
    s->counters = calloc(1, sizeof *s->counters);
    return s->start && s->position && s->previous && s->grips && s->moved && s->rests &&
           s->bodies && s->boxes && s->planes && s->triangles && s->pairs && s->fractions &&
           s->sums && s->marks && s->counters && s->covers && s->list && s->bounds && s->ahead &&
           s->deviations && s->overlaps && s->gradients && s->slopes && s->ranges && s->around_at &&
           s->around && s->convex;
}

/* Leaves the edges of the first triangle and of one above it alone: overlaps have any order. */
static void own_few(strip *s)
{
    uint32_t upper = 2 * (COLUMNS - 1) * (2 * LAYER_ROWS - 1);
    for (uint32_t i = 0; i < s->params.leaves; i++)
        s->triangles[i].owned = i == 0 || i == upper ? 56 : 0;
}

/* Leaves one candidate of two triangles alone. */
static void own_one(contact_triangle *a, contact_triangle *b, uint32_t seed)
{
    uint bits = contact_candidates(*a, *b);
    for (uint32_t k = seed % 5; k > 0 && (bits & (bits - 1)); k--) bits &= bits - 1;
    uint candidate = 31u - clz(bits & (0u - bits)), edges = candidate < 6 ? 0 : candidate - 6;
    a->owned = candidate < 3 ? 1u << candidate : candidate < 6 ? 0u : 8u << edges / 3;
    b->owned = candidate < 3 ? 0u : candidate < 6 ? 1u << (candidate - 3) : 8u << edges % 3;
}

/* ---- arrays by their names ---- */

static const float pairs_collider[20] = {0.02f, -0.02f, 0.02f, 0.025f, 0, 0, 0, 0, 0.02f, -0.02f,
    0.02f, 0.025f, 0, 0, 0, 0, 0 /* HED_CLOTH_SPHERE */, 0.4f, 0, 0};

typedef struct pairs_array {
    const char *name;
    const void *data; /* NULL: zeros, or made here */
    uint64_t bytes;
} pairs_array;

static pairs_array array_of(const hed_kernel_def *def, uint32_t argument, const strip *s)
{
    uint64_t particles = s->params.particles, leaves = s->params.leaves, room = s->params.capacity;
    const pairs_array arrays[] = {{"start", s->start, 16 * particles},
        {"grips", s->grips, 16 * particles}, {"position", s->position, 16 * particles},
        {"previous", s->previous, 16 * particles}, {"moved", s->moved, 16 * particles},
        {"fractions", s->fractions, 4 * CONTACT_FRACTION_WORDS * particles},
        {"sums", s->sums, 16 * particles}, {"marks", s->marks, 4 * CONTACT_MARKS(particles, room)},
        {"rests", s->rests, 16 * particles}, {"bodies", s->bodies, 16},
        {"boxes", s->boxes, 64 * leaves}, {"triangles", s->triangles, 16 * leaves},
        {"pairs", s->pairs, 16 * room}, {"planes", s->planes, 32 * room},
        {"covers", s->covers, 32 * particles}, {"gradients", s->gradients, 16 * leaves},
        {"slopes", s->slopes, 48 * leaves}, {"ranges", s->ranges, 128 * leaves},
        {"around_at", s->around_at, 4 * particles + 4}, {"around", s->around, 12 * leaves},
        {"convex", s->convex, 8 * leaves}, {"ahead", s->ahead, 16 * particles},
        {"deviations", s->deviations, 4 * particles}, {"overlaps", s->overlaps, 16 * room},
        {"list", s->list, 16 * room}, {"bounds", s->bounds, 8 * room},
        {"counters", s->counters, sizeof *s->counters},
        {"garments", NULL, 16 * CLOTH_GARMENT_WORDS * CLOTH_SAMPLE_GARMENTS},
        {"colliders", pairs_collider, sizeof pairs_collider},
        {"contact", NULL, 16 * CLOTH_CONTACT_WORDS * particles},
        {"params", &s->params, sizeof s->params}, {"row", &s->params.leaves, 4}};
    for (uint32_t i = 0; i < HED_COUNT(arrays); i++)
        if (pairs_sample_is(def, argument, arrays[i].name)) return arrays[i];
    return (pairs_array){"", NULL, 0};
}

/* ---- stages ---- */

/* Runs the native version of a kernel on the strip's arrays. */
static void strip_native(strip *s, const hed_kernel_def *def, uint64_t size)
{
    hed_config config = hed_config_default(def);
    hed_problem problem = hed_problem_1d((int64_t)size);
    hed_geometry layout = {0};
    void *arguments[HED_MAX_ARGUMENTS];
    for (uint32_t i = 0; i < def->argument_count; i++)
        arguments[i] = (void *)(uintptr_t)array_of(def, i, s).data;
    def->geometry(def, &config, &problem, &layout);
    def->range(
        &(hed_native_call){.arguments = arguments, .config = &config}, 0, layout.native_items);
}

/* Runs the stages before `def`. */
static void strip_run(strip *s, const hed_kernel_def *def, uint32_t seed)
{
    contact_params *params = &s->params;
    contact_iteration *current = &s->counters->iteration[params->slot];
    contact_totals *total = &s->counters->total;
    if (def == &cloth_pairs_begin_def || def == &cloth_pairs_substep_def) return;
    strip_native(s, &cloth_pairs_begin_def, params->particles);
    strip_native(s, &cloth_pairs_check_def, params->particles);
    current->list_needed = def != &cloth_pairs_check_def;
    for (uint32_t i = 0; i < params->particles && !of_leaves(def); i++)
        contact_store_cover(i, s->start, s->ahead, s->covers);
    if (def == &cloth_pairs_check_def) { /* a list made elsewhere is valid for some samples */
        s->covers[0].x += (float)(seed % 2) * SPACING;
        return;
    }
    if (def == &cloth_pairs_slopes_def) return;
    contact_tree tree = {.boxes = s->boxes,
        .triangles = s->triangles,
        .gradients = s->gradients,
        .slopes = s->slopes,
        .ranges = s->ranges,
        .around_at = s->around_at,
        .around = s->around,
        .convex = s->convex,
        .start = s->start,
        .ahead = s->ahead,
        .rests = s->rests,
        .bodies = s->bodies};
    for (uint32_t leaf = 0; leaf < params->leaves; leaf++) contact_slope(leaf, tree, *params);
    if (def == &cloth_pairs_boxes_def) return;
    for (uint32_t node = 2 * params->leaves - 1; node > 0; node--) {
        contact_refit(node, tree, *params);
        contact_prove(node, tree);
    }
    if (def == &cloth_pairs_find_def) {
        own_few(s);
        return;
    }
    uint capacity = params->capacity;
    params->capacity = params->list_capacity = PAIRS_A_LEAF * params->leaves;
    strip_native(s, &cloth_pairs_find_def, params->leaves);
    if (def == &cloth_pairs_list_def) {
        total->overlaps = 1; /* several overlaps, or several pairs of one, have any order */
        s->overlaps[0] = s->overlaps[seed % 7];
        own_one(&s->triangles[s->overlaps[0].leaf], &s->triangles[s->overlaps[0].other], seed);
        params->capacity = params->list_capacity = capacity;
        return;
    }
    strip_native(s, &cloth_pairs_list_def, params->capacity);
    if (of_pairs(def) && (uint)total->listed > capacity) total->listed = (int)capacity;
    if (def == &cloth_pairs_take_def) {
        total->listed = 1;
        current->list_needed = (int)(seed % 2);
        params->capacity = params->list_capacity = capacity;
        return;
    }
    strip_native(s, &cloth_pairs_take_def, params->capacity);
    params->capacity = params->list_capacity = capacity;
    params->iteration = seed % 2 ? 0 : CONTACT_MAX_ITERATIONS - 1;
    if (def == &cloth_pairs_pull_def) { /* edges that pushes stretched */
        for (uint32_t i = 0; i < params->particles; i += 3) {
            s->moved[i].x += 0.2f * SPACING;
            s->marks[i] = 1;
        }
        params->pass = CONTACT_PUSH_PASSES;
        current->active_passes = 1;
        return;
    }
    params->pass = def == &cloth_pairs_part_def ? CONTACT_FIRST_SEPARATION : 0;
    params->weighs = 1;
    strip_native(s, def == &cloth_pairs_part_def ? def : &cloth_pairs_push_def, params->capacity);
    params->weighs = 0;
    current->active_passes = (int)params->pass + 1; /* pairs of this pass are weighed */
    if (def == &cloth_pairs_push_def || def == &cloth_pairs_part_def) return;
    if (def == &cloth_pairs_apply_def) strip_native(s, &cloth_pairs_push_def, params->capacity);
    uint rounds = def == &cloth_pairs_cut_def ? seed % CONTACT_LIMIT_ROUNDS : CONTACT_LIMIT_ROUNDS;
    for (params->round = 0; params->round < rounds && def != &cloth_pairs_apply_def;
         params->round++)
        strip_native(s, &cloth_pairs_cut_def, params->capacity);
    current->limited_rounds = (int)rounds; /* a further round has work */
}

/* ---- for descriptions ---- */

uint64_t cloth_pairs_sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    (void)config;
    strip s = {.params = strip_size(def, (uint32_t)problem->sizes[0])};
    return array_of(def, argument, &s).bytes;
}

void cloth_pairs_sample_fill(const hed_kernel_def *def, const hed_problem *problem,
    uint32_t argument, void *data, uint64_t bytes, uint64_t seed)
{
    strip s = {.params = strip_size(def, (uint32_t)problem->sizes[0])};
    memset(data, 0, bytes);
    if (strip_new(&s)) {
        strip_place(&s, seed);
        strip_run(&s, def, (uint32_t)seed + (uint32_t)problem->sizes[0] % 5);
        pairs_array array = array_of(def, argument, &s);
        if (array.data) memcpy(data, array.data, bytes < array.bytes ? bytes : array.bytes);
    }
    if (pairs_sample_is(def, argument, "garments")) cloth_sample_garments(data);
    for (uint64_t i = 1; i < bytes / 16 && pairs_sample_is(def, argument, "contact");
         i += CLOTH_CONTACT_WORDS)
        ((float4 *)data)[i].w = i % 3 ? CLOTH_NO_PLANE : 0.4f;
    strip_free(&s);
}
