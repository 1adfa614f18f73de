/* Sample data of the kernels' arguments: arrays by their names, and values. */
#include "kernels/chain_kernels.h"
#include "kernels/element_patch_kernel.h"

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

cloth_patched cloth_sample_patched(uint n)
{
    return (cloth_patched){.members = 8 * n,
        .ends = 24 * n,
        .strains = 8 * n,
        .strain_count = 4 * n,
        .bends = 20 * n,
        .bend_count = 2 * n};
}

static uint sample_corners(uint a, uint b, uint c) { return a | b << 10 | c << 20; }

/* Fills patches of elements. A patch owns the particles 12 i to 12 i + 11, its ghosts are the first two
 * of the next patch; two colours of strains, with two each, and of bends, with one each. */
static void sample_patches(uint *words, uint n, uint64_t seed)
{
    static const uint strains[4][3] = {{0, 1, 2}, {3, 4, 5}, {2, 3, 6}, {7, 8, 12}},
                      bends[2][6] = {{0, 1, 2, 3, 4, 5}, {4, 6, 7, 9, 10, 13}},
                      ends[6] = {0, 2, 4, 0, 1, 2};
    const cloth_patched at = cloth_sample_patched(n);
    for (uint i = 0; i < n; i++) {
        const uint record[8] = {12 * i, 12, 12 * n + 2 * i, 2, 6 * i, 2, 2, 4 * i};
        memcpy(words + 8 * i, record, sizeof record);
        for (uint k = 0; k < 12; k++) words[at.members + 12 * i + k] = 12 * i + k;
        for (uint k = 0; k < 2; k++) words[at.members + 12 * n + 2 * i + k] = (i + 1) % n * 12 + k;
        for (uint k = 0; k < 6; k++) words[at.ends + 6 * i + k] = ends[k] + (k < 3 ? 4 : 2) * i;
        for (uint k = 0; k < 4; k++) {
            float row[4 * CLOTH_STRAIN_ROWS] = {0};
            row[0] = as_float(sample_corners(strains[k][0], strains[k][1], strains[k][2]));
            cloth_sample_floats(row + 1, 4, seed + 4 * i + k, 5, 0.5f, 2.0f);
            row[3] *= -1.0f;
            cloth_sample_floats(row + 5, 3, seed + 4 * i + k, 6, 1e-5f, 1e-3f);
            cloth_sample_floats(row + 8, 1, seed + 4 * i + k, 8, 0.0f, 0.5f);
            for (uint r = 0; r < CLOTH_STRAIN_ROWS; r++)
                memcpy(words + 4 * (at.strains + r * at.strain_count + 4 * i + k), row + 4 * r, 16);
        }
        for (uint k = 0; k < 2; k++) {
            float row[4 * CLOTH_BEND_ROWS];
            const uint *v = bends[k];
            row[0] = as_float(sample_corners(v[0], v[1], v[2]));
            row[1] = as_float(sample_corners(v[3], v[4], v[5]));
            cloth_sample_floats(row + 2, 18, seed + 2 * i + k, 7, -200.0f, 200.0f);
            for (float *w = row + 2; w < row + 20; w += 6)
                w[5] = -(w[0] + w[1] + w[2] + w[3] + w[4]);
            for (uint r = 0; r < CLOTH_BEND_ROWS; r++)
                memcpy(words + 4 * (at.bends + r * at.bend_count + 2 * i + k), row + 4 * r, 16);
        }
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

/* A turn about no axis of the coordinates, the quaternion (1, 2, 4, 6), and a translation: no two elements
 * are equal, so that none can take another one's place unnoticed. */
static const float sample_matrix[16] = {-47 / 57.0f, 28 / 57.0f, 16 / 57.0f, 0.0f, 4 / 57.0f,
    -23 / 57.0f, 52 / 57.0f, 0.0f, 32 / 57.0f, 44 / 57.0f, 17 / 57.0f, 0.0f, 0.5f, -0.25f, 2.0f,
    1.0f};

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
    } else if (!strcmp(name, "at")) {
        *(cloth_patched *)data = cloth_sample_patched((uint)n);
    } else if (!strcmp(name, "step")) {
        *(cloth_step *)data = (cloth_step){.ratio = 0.9f,
            .fall_y = -1.2e-4f,
            .wind_x = 0.02f,
            .longest_move = 0.04f,
            .particles = (uint)n,
            .flags = CLOTH_STEP_AIR};
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
                        : !strcmp(name, "turns")  ? (uint)(def == &cloth_places_def ? n + 1 : 1)
                        : !strcmp(name, "count") || !strcmp(name, "particles") ? (uint)n
                                                                               : 1;
    }
}

/* ---- arrays by their names ---- */

/* Array to be filled. `n`: first size of the problem. */
typedef struct sample {
    const hed_kernel_def *of;
    void *data;
    uint64_t n, bytes, seed;
    uint32_t argument;
} sample;

static void sampled_position(const sample *s)
{
    float4 *positions = s->data;
    cloth_sample_positions(positions, s->bytes / 16, s->seed);
    if (s->of == &cloth_distance_def) positions[1] = positions[0]; /* two at one position */
    for (uint64_t i = 0; !strcmp(s->of->name, "cloth_turn") && i < s->bytes / 16; i++)
        positions[i].w = 1.0f + 0.1f * (float)(i % 7); /* all are free */
    if (s->of == &cloth_write_back_def && s->n > 40) positions[40].y = NAN;
}

static void sampled_previous(const sample *s)
{
    cloth_sample_previous(s->data, s->bytes / 16, s->seed);
}

static void sampled_carry(const sample *s)
{
    for (uint64_t i = 0; i < s->bytes / 8; i++) {
        float v[3] = {0};
        if (s->of == &cloth_integrate_def)
            cloth_sample_floats(v, 3, s->seed + i, s->argument, -3e-8f, 3e-8f);
        ((uint2 *)s->data)[i] = cloth_carry_pack(hed_f4(v[0], v[1], v[2], 0.0f));
    }
}

static void sampled_garments(const sample *s) { cloth_sample_garments(s->data); }

static void sampled_any(const sample *s)
{
    cloth_sample_floats(s->data, s->bytes / 4, s->seed, s->argument, -1.0f, 1.0f);
}

/* About half of the particles have no area. */
static void sampled_air(const sample *s)
{
    if (s->of != &cloth_integrate_def) {
        sampled_any(s);
        return;
    }
    float4 *air = s->data;
    for (uint64_t i = 0; i < s->n; i++) {
        float v[4];
        cloth_sample_floats(v, 4, s->seed + i, s->argument, -1.0f, 1.0f);
        air[i] = cloth_unit(hed_f4(v[0], v[1], v[2], v[3] > 0.0f ? 4.0f + v[3] : 0.0f));
        air[s->n + i] = (float4){0.01f * v[1], 0.01f * v[2], 0.01f * v[0], 0.0f};
    }
}

static void sampled_fans(const sample *s)
{
    for (uint32_t f = 0; f < CLOTH_SAMPLE_FANS; f++) {
        float4 *fan = (float4 *)s->data + CLOTH_FAN_WORDS * f;
        fan[0] = (float4){-1.0f, 0.3f * (float)f, 0.1f, 0.8f};
        fan[1] = (float4){0.6f, 0.0f, 0.8f, 12.0f};
        fan[2] = (float4){0.2f * (float)f, 0.0f, 0.0f, 0.0f};
    }
}

static void sampled_tether(const sample *s)
{
    for (uint64_t i = 0; i < s->n; i++)
        ((uint2 *)s->data)[i] = (uint2){i % 5 == 0 || s->n < 25 ? CLOTH_NONE : (uint)(i % 4),
            as_uint(0.3f + 0.1f * (float)(i % 11))};
}

/* Locked particles, if the sample has them. */
static void sampled_anchors(const sample *s)
{
    memcpy(s->data, (const uint[SAMPLE_ANCHORS]){3, 10, 17, 24}, s->bytes);
}

/* Unit normals follow the positions. */
static void sampled_driver(const sample *s)
{
    if (s->of != &cloth_drive_def) {
        sampled_any(s);
        return;
    }
    float4 *driver = s->data;
    for (uint64_t i = 0; i < s->n; i++) {
        float v[6];
        cloth_sample_floats(v, 6, s->seed + i, s->argument, -1.0f, 1.0f);
        driver[i] = (float4){v[0], v[1], v[2], 0.0f};
        driver[s->n + i] = cloth_unit(hed_f4(v[3], v[4] + 2.0f, v[5], 0.0f));
    }
}

static void sampled_driver_map(const sample *s) { sample_driver_map(s->data, s->n, s->seed); }

/* Every third particle has no contact, every sixth two planes. */
static void sampled_contact(const sample *s)
{
    float4 *planes = s->data;
    for (uint64_t i = 0; i < s->n; i++) {
        float v[8];
        cloth_sample_floats(v, 8, s->seed + i, s->argument, -1.0f, 1.0f);
        float4 *own = planes + CLOTH_CONTACT_WORDS * i,
               motion = {0.05f * v[4], 0.05f * v[5], 0.05f * v[6], 0};
        own[0] = cloth_unit(hed_f4(v[0], v[1], v[2] + 2.0f, 0.3f * v[3]));
        own[1] = own[3] = motion;
        own[1].w = i % 3 == 1 ? CLOTH_NO_PLANE : i % 6 == 0 ? cloth_two_planes(0.4f) : 0.4f;
        own[2] = (float4){-own[0].x, -own[0].y, -own[0].z, -own[0].w - 0.01f};
    }
}

static void sampled_colliders(const sample *s)
{
    memcpy(s->data, sample_colliders, sizeof sample_colliders);
}

static void sampled_steps(const sample *s)
{
    uint64_t particles = s->of == &cloth_distance_def ? 2 * (s->n + 1)
                         : s->of == &cloth_sets_def   ? s->n + 1
                                                      : s->n;
    sample_steps(s->data, s->of, particles);
}

static void sampled_ends(const sample *s) { sample_ends(s->data, s->n, s->of); }

static void sampled_rests(const sample *s)
{
    cloth_sample_floats(s->data, s->bytes / 4, s->seed, s->argument, 0.2f, 1.5f);
}

static void sampled_kinds(const sample *s)
{
    for (uint64_t i = 0; i < s->bytes / 2; i++) ((ushort *)s->data)[i] = (ushort)(i % 3);
}

static void sampled_materials(const sample *s)
{
    memcpy(s->data,
        (const float[4 * SAMPLE_MATERIALS]){
            1.0f, 1.0f, 0.0f, 0.0f, 0.8f, 1.1f, 0.0f, 0.0f, 0.9f, 1.0f, 1e-4f, 0.0f},
        s->bytes);
}

static void sampled_lines(const sample *s) { sample_lines(s->data, s->bytes / 32); }
static void sampled_chains(const sample *s) { sample_chains(s->data, s->bytes / 32); }
static void sampled_sources(const sample *s)
{
    sample_lattice(s->data, s->bytes / 32, s->seed, false);
}
static void sampled_shares(const sample *s)
{
    sample_lattice(s->data, s->bytes / 48, s->seed, true);
}

static void sampled_edges(const sample *s)
{
    float *edges = s->data;
    for (uint64_t i = 0; i < s->bytes / 8; i++) {
        cloth_sample_floats(edges + 2 * i, 1, s->seed + i, s->argument, 0.2f, 1.5f);
        edges[2 * i + 1] = i % 3 ? 0.0f : 1e-5f;
    }
}

static void sampled_weights(const sample *s) { sample_weights(s->data, s->bytes / 16, s->seed); }

static void sampled_elements(const sample *s)
{
    sample_elements(s->data, s->bytes / (16 * ELEMENT_ROWS), s->seed);
}

static void sampled_patches(const sample *s) { sample_patches(s->data, (uint)s->n, s->seed); }

static void sampled_cells(const sample *s) { sample_cells(s->data, s->bytes / 32, s->seed); }

static void sampled_multipliers(const sample *s)
{
    cloth_sample_floats(s->data, s->bytes / 4, s->seed, s->argument, -0.01f, 0.01f);
}

static void sampled_set_at(const sample *s) { sample_sets(s->data, s->n); }

static void sampled_debug(const sample *s)
{
    if (s->of == &cloth_drive_def) {
        sampled_any(s);
        return;
    }
    for (uint64_t i = 0; i < s->n; i++)
        ((uint2 *)s->data)[i] = (uint2){cloth_colour((uint)(i % 4)), 0};
}

static void sampled_vertex_particle(const sample *s)
{
    for (uint64_t i = 0; i < s->n; i++) ((uint *)s->data)[i] = (uint)((i * 11 + 3) % s->n);
}

/* The last particle has no triangle. */
static void sampled_incident_at(const sample *s)
{
    for (uint64_t i = 0; i <= s->n; i++)
        ((uint *)s->data)[i] = (uint)(6 * (i < s->n ? i : s->n - 1));
}

static void sampled_incident(const sample *s)
{
    for (uint64_t i = 0; i < 6 * s->n; i++) ((uint *)s->data)[i] = (uint)((i * 7 + i / 3) % s->n);
}

static void sampled_triangles(const sample *s)
{
    for (uint64_t i = 0; i < s->bytes / 4; i++)
        ((uint *)s->data)[i] = (uint)((i * 5 + i / 7) % s->n);
}

/* Each gas has up to 300 triangles. */
static void sampled_gases(const sample *s)
{
    for (uint64_t i = 0; i < s->n; i++) {
        const uint gas[8] = {(uint)i, 300 * (uint)i, 300 - (uint)i, 0, as_uint(50.0f),
            as_uint(i % 2 ? 0.5f : 100.0f)};
        memcpy((uint *)s->data + 8 * i, gas, sizeof gas);
    }
}

/* Each piece has up to 300 particles; neighbours in memory belong to one piece. */
static void sampled_pieces(const sample *s)
{
    for (uint64_t i = 0; i < s->n; i++)
        ((uint2 *)s->data)[i] = (uint2){300 * (uint)i, 300 - (uint)i};
}

static void sampled_members(const sample *s)
{
    for (uint64_t i = 0; i < s->bytes / 4; i++)
        ((uint *)s->data)[i] = (uint)(i / 300 * 300 + i % 300 * 7 % 300);
}

static void sampled_nothing(const sample *s) { (void)s; }

void cloth_sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    static const struct {
        const char *name;
        void (*fill)(const sample *s);
    } arrays[] = {{"position", sampled_position}, {"array", sampled_position},
        {"points", sampled_position}, {"places", sampled_position}, {"from", sampled_position},
        {"before", sampled_position}, {"previous", sampled_previous}, {"carry", sampled_carry},
        {"garments", sampled_garments}, {"air", sampled_air}, {"fans", sampled_fans},
        {"tether", sampled_tether}, {"anchors", sampled_anchors}, {"driver_from", sampled_driver},
        {"driver_to", sampled_driver}, {"driver_map", sampled_driver_map},
        {"contact", sampled_contact}, {"colliders", sampled_colliders}, {"steps", sampled_steps},
        {"ends", sampled_ends}, {"rests", sampled_rests}, {"kinds", sampled_kinds},
        {"materials", sampled_materials}, {"lines", sampled_lines}, {"chains", sampled_chains},
        {"sources", sampled_sources}, {"shares", sampled_shares}, {"edges", sampled_edges},
        {"weights", sampled_weights}, {"elements", sampled_elements}, {"tables", sampled_patches},
        {"cells", sampled_cells}, {"multipliers", sampled_multipliers}, {"set_at", sampled_set_at},
        {"debug", sampled_debug}, {"vertex_particle", sampled_vertex_particle},
        {"incident_at", sampled_incident_at}, {"incident", sampled_incident},
        {"triangles", sampled_triangles}, {"gases", sampled_gases}, {"members", sampled_members},
        {"pieces", sampled_pieces}, {"broken", sampled_nothing}};
    const char *name = def->arguments[argument].name;
    sample s = {def, data, (uint64_t)problem->sizes[0], bytes, seed, argument};
    if (def->arguments[argument].kind != HED_BUFFER) {
        sample_value(def, name, data, s.n);
        return;
    }
    for (size_t i = 0; i < HED_COUNT(arrays); i++)
        if (!strcmp(name, arrays[i].name)) {
            arrays[i].fill(&s);
            return;
        }
    sampled_any(&s);
}

/* ---- sizes ---- */

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
        {"driver_map", 0, 2}, {"contact", 0, CLOTH_CONTACT_WORDS},
        {"fans", CLOTH_SAMPLE_FANS * CLOTH_FAN_WORDS, 0}, {"grid", 4 * 3 * 2, 0}};
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
