/* Common parts of the kernels' descriptions: the parameters of their four versions, and sample
 * data. */
#include "kernels/kernels.h"

const hed_parameter_def cloth_version_parameters[CLOTH_VERSION_PARAMETERS] = {
    [CLOTH_WG] = HED_PARAMETER(WG, 256, 64, 128, 256, 512),
    [CLOTH_VECTOR] = HED_CHOICE(VECTOR, 0, "scalar", "vector"),
    [CLOTH_TASK] = HED_PARAMETER(TASK, 0, 0, 1, CLOTH_STRANDS),
};
const hed_condition cloth_version_conditions[1] = {{"WG", "TASK == 0"}};

void cloth_geometry(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_geometry *layout)
{
    uint64_t count = (uint64_t)problem->sizes[0], items = count;
    bool versions = def->parameter_count == CLOTH_VERSION_PARAMETERS;
    uint64_t strands = versions ? (uint64_t)config->values[CLOTH_TASK] : 0;
    if (strands) items = strands;
    else if (versions && config->values[CLOTH_VECTOR]) items = hed_ceil_divide(count, 4);
    *layout = (hed_geometry){.dimensions = 1,
        .global = {items},
        .group = {strands ? 1 : (uint32_t)config->values[CLOTH_WG]},
        .native_items = count,
        .native_grain = 1 << 11};
}

/* ---- sample data ---- */

_Static_assert(sizeof(cloth_step) == 16 * CLOTH_STEP_WORDS, "steps are read as float4");
enum { SAMPLE_STEPS = 2, SAMPLE_COLLIDERS = 3, SAMPLE_MATERIALS = 3, SAMPLE_ANCHORS = 4 };

void cloth_sample_floats(
    float *values, uint64_t count, uint64_t seed, uint32_t argument, float low, float high)
{
    for (uint64_t i = 0; i < count; i++)
        values[i] =
            low + (high - low) * ((float)(hed_sample_word(seed, argument, i) >> 8) / 16777216.0f);
}

static float4 random4(uint64_t i, uint64_t seed, uint32_t argument)
{
    float random[4];
    cloth_sample_floats(random, 4, seed + i, argument, -1.0f, 1.0f);
    return (float4){random[0], random[1], random[2], random[3]};
}

void cloth_sample_positions(float4 *positions, uint64_t count, uint64_t seed)
{
    for (uint64_t i = 0; i < count; i++) {
        positions[i] = random4(i, seed, 1);
        positions[i].w = i % 7 == 3 ? 0.0f : 3.0f + positions[i].w;
    }
}

void cloth_sample_previous(float4 *previous, uint64_t count, uint64_t seed)
{
    cloth_sample_positions(previous, count, seed);
    for (uint64_t i = 0; i < count; i++) {
        float4 moved = random4(i, seed, 2);
        previous[i].x += 0.02f * moved.x;
        previous[i].y += 0.02f * moved.y;
        previous[i].z += 0.02f * moved.z;
        previous[i].w = (float)(i % CLOTH_SAMPLE_GARMENTS);
    }
}

void cloth_sample_garments(float4 *garments)
{
    for (uint32_t i = 0; i < CLOTH_SAMPLE_GARMENTS; i++) {
        float share = (float)i / CLOTH_SAMPLE_GARMENTS;
        float4 *words = garments + CLOTH_GARMENT_WORDS * i;
        words[0] = (float4){0.99f, 0.98f - 0.01f * share, 0.99f, 0.005f + 0.01f * share};
        words[1] = (float4){0.6f + share, 0.3f * share, 0.5f, 2e-4f * share};
        words[2] = (float4){0.125f * (float)(i / 2), -0.125f * (float)(i % 2), 0.0f, 0.0f};
    }
}

static void sample_driver_map(float4 *map, uint64_t count, uint64_t seed)
{
    for (uint64_t i = 0; i < count; i++) {
        float4 v = random4(i, seed, 3);
        map[i] = (float4){-1.0f, 0.0f, -1.0f, 0.0f};
        map[count + i] = (float4){1.0f, 0.0f, 0.0f, 0.0f};
        if (i % 3 == 0) map[i].x = 0.5f + 0.4f * v.x;
        if (i % 9 == 4) map[i].x = CLOTH_UNDRIVEN;
        if (i % 2 == 0) map[i].y = 0.2f * v.y;
        if (i % 2 == 0) map[i].z = i % 4 == 0 ? 0.0f : 1.0f + 0.5f * v.z;
        if (i % 5 == 0) map[i].w = 0.25f;
        if (i % 6 == 0) map[count + i].x = 0.75f;
    }
}

/* Fills two substeps with all features for which kernel `of` has arguments. */
static void sample_steps(cloth_step *steps, const hed_kernel_def *of, uint64_t particles)
{
    uint flags = 0, colliders = 0;
    if (of == &cloth_integrate_def)
        flags = CLOTH_STEP_TETHERS | CLOTH_STEP_DRIVER | CLOTH_STEP_AIR | CLOTH_STEP_FIELD;
    if (of == &cloth_drive_def) {
        flags = CLOTH_STEP_DRIVER | CLOTH_STEP_CONTACTS;
        colliders = 3;
    }
    for (uint32_t s = 0; s < SAMPLE_STEPS; s++)
        steps[s] = (cloth_step){.ratio = 0.9f,
            .fall_y = -1.2e-4f,
            .wind_x = 0.02f,
            .wind_z = 0.01f,
            .gust = 0.5f,
            .time = 3.25f,
            .from = 0.25f,
            .to = 0.5f,
            .stiffness = 90000.0f,
            .longest_move = 0.04f,
            .particles = (uint)particles,
            .colliders = colliders,
            .flags = flags};
}

/* Number of constraints at even positions of the chain; the constraints at odd positions follow. */
static uint64_t evens(uint64_t n) { return (n + 1) / 2; }

static void sample_ends(uint2 *ends, uint64_t n, const hed_kernel_def *def)
{
    for (uint64_t i = 0; i < n && def == &cloth_sets_def; i++) {
        uint first = (uint)(i < evens(n) ? 2 * i : 2 * (i - evens(n)) + 1);
        ends[i] = (uint2){first, first + 1};
    }
    for (uint64_t i = 0; i <= n && def == &cloth_distance_def; i++) {
        /* A permutation of the pairs, because no problem has an n + 1 that is divisible by 5. */
        uint mixed = (uint)((i * 5 + 2) % (n + 1));
        ends[i] = i % 2 ? (uint2){2 * mixed, 2 * mixed + 1} : (uint2){2 * mixed + 1, 2 * mixed};
    }
}

enum { LINE_PARTICLES = 100 };
static void sample_lines(uint *words, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint at = LINE_PARTICLES * (uint)i;
        const uint kinds[3][4] = {{at, 98, 1, 0}, {at + 1, 48, 2, 0}, {at, 49, 1, 50}};
        memcpy(words + 8 * i, kinds[i % 3], sizeof kinds[0]);
        words[8 * i + 4] = words[8 * i + 5] = at;
    }
}

/* Fills chains, some of edges with a range of lengths; every third chain has every second point. */
static void sample_chains(uint *words, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint at = LINE_PARTICLES * (uint)i;
        const uint kinds[3][4] = {{at, 98, 1, at}, {at + 1, 48, 2, at}, {at, 99, 1, at}};
        memcpy(words + 8 * i, kinds[i % 3], sizeof kinds[0]);
        words[8 * i + 4] = as_uint(i % 2 ? 0.0f : 1.0f);
        words[8 * i + 5] = as_uint(1.0f);
        words[8 * i + 6] = as_uint(i % 2 ? 4.0f : 0.0f);
    }
}

/* Fills the sources of places, or the shares of points: four words, then four more with the parts.
 * A share has four words with its point first. */
static void sample_lattice(uint *words, uint64_t count, uint64_t seed, bool shares)
{
    for (uint64_t i = 0; i < count; i++, words += shares ? 12 : 8) {
        float part[4];
        cloth_sample_floats(part, 4, seed + i, 8, 0.0f, 0.5f);
        uint *place = words + (shares ? 4 : 0);
        words[0] = (uint)i;
        for (uint v = 0; v < 4; v++) {
            place[v] = (uint)((3 * i + v) % count);
            place[4 + v] = as_uint(part[v]);
        }
        if (!shares) place[3] = as_uint(i % 5 ? 1.0f + part[3] : 0.0f);
    }
}

static void sample_weights(float4 *weights, uint64_t count, uint64_t seed)
{
    for (uint64_t i = 0; i < count; i++) {
        float4 v = random4(i, seed, 4);
        float a = 200.0f * v.x, c = 200.0f * v.y,
              d = i / LINE_PARTICLES % 3 == 2 ? 200.0f * v.z : 0.0f;
        weights[i] = (float4){a, -(a + c + d), c, d};
    }
}

/* Fills elements; element i has the particles 6 i to 6 i + 5, every third element is at a border.
 * Rows of four words: six particles, two numbers of the warp and two of the weft, three compliances,
 * the coupling, three times six weights. */
enum { ELEMENT_ROWS = 8, ELEMENT_WARP = 6, ELEMENT_GIVE = 10, ELEMENT_BEND = 14 };
static void sample_elements(uint *words, uint64_t count, uint64_t seed)
{
    for (uint64_t i = 0; i < count; i++) {
        float row_words[4 * ELEMENT_ROWS];
        cloth_sample_floats(row_words + ELEMENT_WARP, 4, seed + i, 5, 0.5f, 2.0f);
        row_words[ELEMENT_WARP + 2] *= -1.0f;
        cloth_sample_floats(row_words + ELEMENT_GIVE, 3, seed + i, 6, 1e-5f, 1e-3f);
        cloth_sample_floats(row_words + ELEMENT_GIVE + 3, 1, seed + i, 8, 0.0f, 0.5f);
        cloth_sample_floats(row_words + ELEMENT_BEND, 18, seed + i, 7, -200.0f, 200.0f);
        for (float *k = row_words + ELEMENT_BEND; k < row_words + 4 * ELEMENT_ROWS; k += 6) {
            if (i % 3 == 1) k[1] = 0.0f;
            k[5] = -(k[0] + k[1] + k[2] + k[3] + k[4]);
        }
        for (uint v = 0; v < 6; v++)
            row_words[v] = as_float(6 * (uint)i + (i % 3 == 1 && v == 1 ? 5 : v));
        for (uint64_t row = 0; row < ELEMENT_ROWS; row++)
            memcpy(words + 4 * (row * count + i), row_words + 4 * row, 16);
    }
}

/* Fills cells, rows of four words: four particles, two lengths and two compliances. */
static void sample_cells(uint *words, uint64_t count, uint64_t seed)
{
    for (uint64_t i = 0; i < count; i++) {
        float numbers[4];
        cloth_sample_floats(numbers, 2, seed + i, 5, 0.5f, 2.0f);
        cloth_sample_floats(numbers + 2, 2, seed + i, 6, 1e-5f, 1e-3f);
        for (uint v = 0; v < 4; v++) words[4 * i + v] = 4 * (uint)i + v;
        memcpy(words + 4 * (count + i), numbers, sizeof numbers);
    }
}

/* Fills sets of eight constraints; returns the number of sets. `set_at`: NULL: counts only. */
static uint sample_sets(uint *set_at, uint64_t n)
{
    uint set = 0;
    for (uint64_t at = 0; at < n; at = at < evens(n) && at + 8 > evens(n) ? evens(n) : at + 8) {
        if (set_at) set_at[set] = (uint)at;
        set++;
    }
    if (set_at) set_at[set] = (uint)n;
    return set;
}

static const float sample_matrix[16] = {0.8f, 0.6f, 0.0f, 0.0f, -0.6f, 0.8f, 0.0f, 0.0f, 0.0f, 0.0f,
    1.0f, 0.0f, 0.5f, -0.25f, 2.0f, 1.0f};

/* Moving plane, sphere and capsule. */
static const float4 sample_colliders[SAMPLE_COLLIDERS][CLOTH_COLLIDER_WORDS] = {
    {{0.0f, -0.5f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f, 0.0f}, {0.0f, -0.45f, 0.0f, 0.0f},
        {0.0f, 1.0f, 0.0f, 0.0f}, {HED_CLOTH_PLANE, 0.5f, 0.0f, 0.0f}},
    {{0.1f, 0.2f, 0.0f, 0.3f}, {0.0f, 0.0f, 0.0f, 0.0f}, {0.15f, 0.2f, 0.1f, 0.3f},
        {0.0f, 0.0f, 0.0f, 0.0f}, {HED_CLOTH_SPHERE, 0.3f, 0.0f, 0.0f}},
    {{-0.5f, 0.0f, 0.0f, 0.2f}, {-0.5f, 0.6f, 0.2f, 0.1f}, {-0.4f, 0.0f, 0.0f, 0.2f},
        {-0.4f, 0.6f, 0.2f, 0.1f}, {HED_CLOTH_CAPSULE, 0.2f, 0.0f, 0.0f}}};

/* Fills an argument that is passed by value. */
static void sample_value(const hed_kernel_def *def, const char *name, void *data, uint64_t n)
{
    if (!strcmp(name, "show")) {
        cloth_view *show = data;
        *show = (cloth_view){.vertices = (uint)n,
            .flags =
                CLOTH_VIEW_GATHER | CLOTH_VIEW_COLOURS | CLOTH_VIEW_NORMALS | CLOTH_VIEW_APART};
        memcpy(show->matrix, sample_matrix, sizeof show->matrix);
        memcpy(show->normals, sample_matrix, sizeof show->normals);
    } else if (!strcmp(name, "rigid")) {
        cloth_rigid *rigid = data; /* the problems cover all four modes */
        *rigid = (cloth_rigid){.first = 1,
            .count = (uint)n,
            .mode = n > 1000 ? CLOTH_MOVE_LED : (uint)((n + 2) % 4 % 3)};
        memcpy(rigid->matrix, sample_matrix, sizeof sample_matrix);
        memcpy(rigid->turn, sample_matrix + 4, sizeof rigid->turn);
        memcpy(rigid->lead, sample_matrix, sizeof sample_matrix);
    } else if (!strcmp(name, "dt_square")) {
        *(float *)data = 1e-4f;
    } else if (!strcmp(name, "winds")) {
        *(cloth_winds *)data = (cloth_winds){
            (uint)n, CLOTH_SAMPLE_FANS, 4, 3, 2, -1.0f, -1.0f, -0.5f, 1.5f, 1.0f, 1.0f, 0.01f};
    } else if (!strcmp(name, "fed")) {
        *(cloth_feeding *)data = (cloth_feeding){
            n % 4 ? (uint)(n % 4) : CLOTH_FEED_PAIRS, (uint)n, 0.125f, -2.5f, 1000.0f};
    } else {
        *(uint *)data = !strcmp(name, "parts")
                            ? CLOTH_READ_POSITIONS | CLOTH_READ_NORMALS | CLOTH_READ_COLOURS
                        : !strcmp(name, "pass")   ? (uint)((def == &cloth_sets_def ? n : n + 1) % 3)
                        : !strcmp(name, "sets")   ? sample_sets(NULL, n)
                        : !strcmp(name, "closed") ? (uint)(n & 1)
                        : !strcmp(name, "total")  ? (uint)n + 1
                        : !strcmp(name, "count") || !strcmp(name, "particles") ? (uint)n
                                                                               : 1;
    }
}

void cloth_sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    uint64_t n = (uint64_t)problem->sizes[0];
    const char *name = def->arguments[argument].name;
    float4 *vectors = data;
    uint *words = data;
#define IS(word) !strcmp(name, word)
    if (def->arguments[argument].kind != HED_BUFFER) {
        sample_value(def, name, data, n);
    } else if (IS("position") || IS("array") || IS("points") || IS("places") || IS("from")) {
        cloth_sample_positions(data, bytes / 16, seed);
        if (def == &cloth_distance_def) vectors[1] = vectors[0]; /* two particles at one position */
        if (def == &cloth_write_back_def && n > 40) vectors[40].y = NAN;
    } else if (IS("previous")) {
        cloth_sample_previous(data, bytes / 16, seed);
    } else if (IS("carry")) {
        for (uint64_t i = 0; i < bytes / 8; i++) {
            float v[3] = {0};
            if (def == &cloth_integrate_def)
                cloth_sample_floats(v, 3, seed + i, argument, -3e-8f, 3e-8f);
            ((uint2 *)data)[i] = cloth_carry_pack(hed_f4(v[0], v[1], v[2], 0.0f));
        }
    } else if (IS("garments")) {
        cloth_sample_garments(data);
    } else if (IS("air") &&
               def == &cloth_integrate_def) { /* about half of the particles have no area */
        for (uint64_t i = 0; i < n; i++) {
            float v[4];
            cloth_sample_floats(v, 4, seed + i, argument, -1.0f, 1.0f);
            vectors[i] = cloth_unit(hed_f4(v[0], v[1], v[2], v[3] > 0.0f ? 4.0f + v[3] : 0.0f));
            vectors[n + i] = (float4){0.01f * v[1], 0.01f * v[2], 0.01f * v[0], 0.0f};
        }
    } else if (IS("fans")) {
        for (uint32_t f = 0; f < CLOTH_SAMPLE_FANS; f++) {
            vectors[CLOTH_FAN_WORDS * f] = (float4){-1.0f, 0.3f * (float)f, 0.1f, 0.8f};
            vectors[CLOTH_FAN_WORDS * f + 1] = (float4){0.6f, 0.0f, 0.8f, 12.0f};
            vectors[CLOTH_FAN_WORDS * f + 2] = (float4){0.2f * (float)f, 0.0f, 0.0f, 0.0f};
        }
    } else if (
        IS("tether")) { /* locked particles 3, 10, 17 and 24 are anchors, if the sample has them */
        for (uint64_t i = 0; i < n; i++)
            ((uint2 *)data)[i] = (uint2){i % 5 == 0 || n < 25 ? CLOTH_NONE : (uint)(i % 4),
                as_uint(0.3f + 0.1f * (float)(i % 11))};
    } else if (IS("anchors")) {
        memcpy(data, (const uint[]){3, 10, 17, 24}, bytes);
    } else if ((IS("driver_from") || IS("driver_to")) && def == &cloth_drive_def) {
        for (uint64_t i = 0; i < n; i++) { /* unit normals after the positions */
            float v[6];
            cloth_sample_floats(v, 6, seed + i, argument, -1.0f, 1.0f);
            vectors[i] = (float4){v[0], v[1], v[2], 0.0f};
            vectors[n + i] = cloth_unit(hed_f4(v[3], v[4] + 2.0f, v[5], 0.0f));
        }
    } else if (IS("driver_map")) {
        sample_driver_map(data, n, seed);
    } else if (IS("contact")) {
        for (uint64_t i = 0; i < n; i++) { /* every third particle has no contact */
            float v[8];
            cloth_sample_floats(v, 8, seed + i, argument, -1.0f, 1.0f);
            vectors[2 * i] = cloth_unit(hed_f4(v[0], v[1], v[2] + 2.0f, 0.3f * v[3]));
            vectors[2 * i + 1] =
                (float4){0.05f * v[4], 0.05f * v[5], 0.05f * v[6], i % 3 == 1 ? -1.0f : 0.4f};
        }
    } else if (IS("colliders")) {
        memcpy(data, sample_colliders, sizeof sample_colliders);
    } else if (IS("steps")) {
        uint64_t particles = def == &cloth_distance_def ? 2 * (n + 1)
                             : def == &cloth_sets_def   ? n + 1
                                                        : n;
        sample_steps(data, def, particles);
    } else if (IS("ends")) {
        sample_ends(data, n, def);
    } else if (IS("rests")) {
        cloth_sample_floats(data, bytes / 4, seed, argument, 0.2f, 1.5f);
    } else if (IS("kinds")) {
        for (uint64_t i = 0; i < bytes / 2; i++) ((ushort *)data)[i] = (ushort)(i % 3);
    } else if (IS("materials")) {
        memcpy(data,
            (const float[]){
                1.0f, 1.0f, 0.0f, 0.0f, 0.8f, 1.1f, 0.0f, 0.0f, 0.9f, 1.0f, 1e-4f, 0.0f},
            bytes);
    } else if (IS("lines")) {
        sample_lines(data, bytes / 32);
    } else if (IS("chains")) {
        sample_chains(data, bytes / 32);
    } else if (IS("sources") || IS("shares")) {
        sample_lattice(data, bytes / (IS("shares") ? 48 : 32), seed, IS("shares"));
    } else if (IS("edges")) {
        for (uint64_t i = 0; i < bytes / 8; i++) {
            cloth_sample_floats((float *)data + 2 * i, 1, seed + i, argument, 0.2f, 1.5f);
            ((float *)data)[2 * i + 1] = i % 3 ? 0.0f : 1e-5f;
        }
    } else if (IS("weights")) {
        sample_weights(data, bytes / 16, seed);
    } else if (IS("elements")) {
        sample_elements(data, bytes / (16 * ELEMENT_ROWS), seed);
    } else if (IS("cells")) {
        sample_cells(data, bytes / 32, seed);
    } else if (IS("multipliers")) {
        cloth_sample_floats(data, bytes / 4, seed, argument, -0.01f, 0.01f);
    } else if (IS("set_at")) {
        sample_sets(data, n);
    } else if (IS("debug") && def != &cloth_drive_def) {
        for (uint64_t i = 0; i < n; i++)
            ((uint2 *)data)[i] = (uint2){cloth_colour((uint)(i % 4)), 0};
    } else if (IS("vertex_particle")) {
        for (uint64_t i = 0; i < n; i++) words[i] = (uint)((i * 11 + 3) % n);
    } else if (IS("incident_at")) { /* the last particle has no triangle */
        for (uint64_t i = 0; i <= n; i++) words[i] = (uint)(6 * (i < n ? i : n - 1));
    } else if (IS("incident")) {
        for (uint64_t i = 0; i < 6 * n; i++) words[i] = (uint)((i * 7 + i / 3) % n);
    } else if (IS("triangles")) {
        for (uint64_t i = 0; i < bytes / 4; i++) words[i] = (uint)((i * 5 + i / 7) % n);
    } else if (IS("gases")) { /* each gas has up to 300 triangles */
        for (uint64_t i = 0; i < n; i++) {
            const uint gas[8] = {(uint)i, 300 * (uint)i, 300 - (uint)i, 0, as_uint(50.0f),
                as_uint(i % 2 ? 0.5f : 100.0f)};
            memcpy(words + 8 * i, gas, sizeof gas);
        }
    } else if (!IS("broken")) {
        cloth_sample_floats(data, bytes / 4, seed, argument, -1.0f, 1.0f);
    }
#undef IS
}

uint64_t cloth_sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    static const struct {
        const char *name;
        uint32_t count, factor; /* elements, for each of the problem's */
    } arrays[] = {{"garments", CLOTH_GARMENT_WORDS * CLOTH_SAMPLE_GARMENTS, 0},
        {"colliders", SAMPLE_COLLIDERS * CLOTH_COLLIDER_WORDS, 0},
        {"steps", SAMPLE_STEPS * CLOTH_STEP_WORDS, 0}, {"materials", SAMPLE_MATERIALS, 0},
        {"anchors", SAMPLE_ANCHORS, 0}, {"driver_from", 0, 2}, {"driver_to", 0, 2},
        {"driver_map", 0, 2}, {"contact", 0, 2}, {"fans", CLOTH_SAMPLE_FANS * CLOTH_FAN_WORDS, 0},
        {"grid", 4 * 3 * 2, 0}};
    const hed_argument_def *a = &def->arguments[argument];
    bool of_field = def == &cloth_integrate_def || def == &cloth_wind_def;
    if (of_field && strcmp(a->name, "air") == 0) /* plates, then the wind's field */
        return 2 * a->size * hed_problem_items(problem);
    for (size_t i = 0; i < HED_COUNT(arrays); i++)
        if (!strcmp(a->name, arrays[i].name))
            return a->size * (arrays[i].count + arrays[i].factor * hed_problem_items(problem));
    return hed_default_sample_bytes(def, config, problem, argument);
}

uint64_t cloth_sample_bytes_of_one_more(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    hed_problem larger = *problem;
    larger.sizes[0]++;
    return cloth_sample_bytes(def, config, &larger, argument);
}
