/* Sample data of the kernels of collisions. For cloth against cloth: two layers of a sheet that
 * have come too near to each other, taken through the native versions of the kernels that run
 * before. For counting, whose order is free, one particle a bucket. For meshes: a row of tents
 * under particles, as a tree whose leaves have two triangles. */
#include "contact/contact_kernels.h"

#include <stdlib.h>
#include <string.h>

#define SPACING 0.01f    /* m */
#define TENT_LIFT 0.004f /* m, lift in a frame */

static bool is(const hed_kernel_def *def, uint32_t argument, const char *name)
{
    return strcmp(def->arguments[argument].name, name) == 0;
}

/* ---- cloth against cloth ---- */

typedef struct crowd {
    cloth_self self;
    uint32_t count, tiles;
    float4 *position, *previous, *rests, *sorted, *bodies;
    uint *starts, *totals, *slots, *rows, *neighbours, *counts;
    uint2 *entries;
} crowd;

/* Rows of 16 in two layers at 0.7 of the spacing; every fifth particle is locked, every eleventh
 * takes no part. */
static void crowd_place(crowd *sample, uint64_t seed)
{
    for (uint32_t i = 0; i < sample->count; i++) {
        float random[6];
        cloth_sample_floats(random, 6, seed + i, 2, -0.2f * SPACING, 0.2f * SPACING);
        uint32_t layer = i / 16 % 2;
        sample->rests[i] = (float4){(float)(i % 16) * SPACING, (float)(i / 16) * SPACING, 0.0f,
            as_float(i % 11 == 7 ? CLOTH_SELF_NONE : layer)};
        sample->position[i] = (float4){(float)(i % 16) * SPACING + random[0],
            0.7f * SPACING * (float)layer + random[1], (float)(i / 32) * SPACING + random[2],
            i % 5 == 2 ? 0.0f : 3.0f};
        sample->previous[i] = (float4){sample->position[i].x + random[3],
            sample->position[i].y + random[4], sample->position[i].z + random[5], 0.0f};
    }
    sample->bodies[0] = (float4){SPACING, 0.4f, 0.0f, 0.0f};
    sample->bodies[1] = (float4){1.2f * SPACING, 0.5f, 0.0f, 0.0f};
}

static bool crowd_make(crowd *sample, uint32_t count, uint64_t seed)
{
    *sample = (crowd){.self = cloth_self_pass(count, SPACING, 1.2f * SPACING), .count = count};
    uint32_t buckets = sample->self.buckets;
    sample->tiles = buckets / CLOTH_SELF_TILE;
    sample->position = calloc(count, sizeof(float4));
    sample->previous = calloc(count, sizeof(float4));
    sample->rests = calloc(count, sizeof(float4));
    sample->sorted = calloc(count, 2 * sizeof(float4));
    sample->bodies = calloc(2, sizeof(float4));
    sample->starts = calloc(buckets + 1, sizeof(uint));
    sample->totals = calloc(sample->tiles + 1, sizeof(uint));
    sample->slots = calloc(count, sizeof(uint));
    sample->entries = calloc(count, sizeof(uint2));
    sample->rows = calloc(count, sizeof(uint));
    sample->neighbours = calloc((size_t)count * CLOTH_SELF_NEAR, sizeof(uint));
    sample->counts = calloc(count, sizeof(uint));
    if (!sample->position || !sample->previous || !sample->rests || !sample->sorted ||
        !sample->bodies || !sample->starts || !sample->totals || !sample->slots ||
        !sample->entries || !sample->rows || !sample->neighbours || !sample->counts)
        return false;
    sample->self.last = seed % 2 != 0;
    crowd_place(sample, seed);
    cloth_self_count_def.range(
        &(hed_native_call){.arguments = (void *[]){sample->position, sample->previous,
                               sample->rests, sample->starts, sample->entries, &sample->self}},
        0, count);
    cloth_self_scan_def.range(
        &(hed_native_call){.arguments = (void *[]){sample->starts, sample->totals, &buckets}}, 0,
        sample->tiles);
    cloth_self_totals_def.range(
        &(hed_native_call){.arguments = (void *[]){sample->totals, &sample->tiles}}, 0, 1);
    cloth_self_place_def.range(
        &(hed_native_call){.arguments = (void *[]){sample->starts, sample->totals, sample->entries,
                               sample->slots, &sample->self}},
        0, count);
    cloth_self_order_def.range(
        &(hed_native_call){.arguments = (void *[]){sample->position, sample->previous,
                               sample->starts, sample->totals, sample->entries, sample->slots,
                               sample->sorted, sample->rows, &sample->self}},
        0, count);
    cloth_self_near_def.range(
        &(hed_native_call){
            .arguments = (void *[]){sample->starts, sample->totals, sample->sorted, sample->rows,
                sample->rests, sample->bodies, sample->neighbours, sample->counts, &sample->self}},
        0, count);
    return true;
}

static void crowd_fill(const hed_kernel_def *def, uint32_t argument, uint32_t count, void *data,
    uint64_t bytes, uint64_t seed)
{
    crowd sample;
    if (crowd_make(&sample, count, seed)) {
        const struct {
            const char *name;
            const void *from;
        } arrays[] = {{"position", sample.position}, {"previous", sample.previous},
            {"rests", sample.rests}, {"sorted", sample.sorted}, {"bodies", sample.bodies},
            {"starts", sample.starts}, {"totals", sample.totals}, {"slots", sample.slots},
            {"entries", sample.entries}, {"rows", sample.rows}, {"pushed", sample.sorted},
            {"neighbours", sample.neighbours}, {"counts", sample.counts}, {"self", &sample.self}};
        for (uint32_t i = 0; i < HED_COUNT(arrays); i++)
            if (is(def, argument, arrays[i].name)) memcpy(data, arrays[i].from, bytes);
    }
    void *arrays[] = {sample.position, sample.previous, sample.rests, sample.sorted, sample.bodies,
        sample.starts, sample.totals, sample.slots, sample.entries, sample.rows, sample.neighbours,
        sample.counts};
    for (uint32_t i = 0; i < HED_COUNT(arrays); i++) free(arrays[i]);
}

/* Counting: a row of particles along x, one a cube. */
static void line_fill(const hed_kernel_def *def, uint32_t argument, uint32_t count, void *data)
{
    cloth_self self = cloth_self_pass(count, SPACING, SPACING);
    float4 *places = data;
    if (is(def, argument, "self")) memcpy(data, &self, sizeof self);
    for (uint32_t i = 0;
         i < count && (is(def, argument, "position") || is(def, argument, "previous")); i++)
        places[i] = (float4){((float)i + 0.5f) * self.cell, 0.02f, -0.03f, 1.0f};
    for (uint32_t i = 0; i < count && is(def, argument, "rests"); i++)
        places[i].w = as_float(i % 11 == 7 ? CLOTH_SELF_NONE : 0);
}

/* ---- meshes: tents along x; tent i has a ridge from (i, 1, 0) and stands on z = -1 and 1 ---- */

/* Number of leaves: the particles, rounded up to a power of two. */
static uint32_t leaves_of(uint32_t count)
{
    uint32_t leaves = 1;
    while (leaves < count) leaves *= 2;
    return leaves;
}

/* Vertex 3 i + k: ridge, back, front at x = i / 8. Leaf i: two triangles between i and i + 1, on
 * its back or its front in turn. */
static float4 tent_vertex(uint32_t v, float lift)
{
    uint32_t k = v % 3;
    return (float4){0.125f * (float)(v / 3), (k == 0 ? 0.5f : 0.0f) + lift * (float)(v % 5),
        k == 0   ? 0.0f
        : k == 1 ? -0.5f
                 : 0.5f,
        0.0f};
}

static uint4 tent_triangle(uint32_t t)
{
    uint32_t i = t / 2, ridge = 3 * i, foot = ridge + 1 + i % 2;
    bool first = t % 2 == 0, back = i % 2 == 0;
    uint32_t a = ridge, b = first ? foot : foot + 3, c = first ? foot + 3 : ridge + 3;
    return back ? (uint4){a, c, b, 0} : (uint4){a, b, c, 0};
}

/* The two triangles of a leaf have the edge from the ridge to the far foot in common. */
static uint4 tent_edges(uint32_t t)
{
    bool first = t % 2 == 0, back = t / 2 % 2 == 0;
    uint32_t none = CLOTH_MESH_NONE, other = t ^ 1u;
    if (first) return back ? (uint4){other, none, none, t} : (uint4){none, none, other, t};
    return back ? (uint4){none, none, other, t} : (uint4){other, none, none, t};
}

/* Particle i near a tent; every seventh is locked. */
static float4 tent_particle(uint32_t i, uint64_t seed)
{
    float random[3];
    cloth_sample_floats(random, 3, seed + i, 3, -1.0f, 1.0f);
    float z = 0.45f * random[1];
    return (float4){0.125f * ((float)i + 0.5f + 0.4f * random[0]),
        0.5f - (z < 0.0f ? -z : z) + 0.02f * random[2], z, i % 7 == 3 ? 0.0f : 2.0f};
}

static void mesh_floats(const hed_kernel_def *def, uint32_t argument, uint32_t count,
    uint32_t leaves, float4 *floats, uint64_t seed)
{
    for (uint32_t v = 0; v < 3 * leaves + 3; v++) {
        if (is(def, argument, "begin")) floats[v] = tent_vertex(v, 0.0f);
        else if (is(def, argument, "end")) floats[v] = tent_vertex(v, TENT_LIFT);
    }
    if (is(def, argument, "kinds")) floats[0] = (float4){0.5f, 0.0f, 0.0f, 0.0f};
    if (is(def, argument, "garments")) cloth_sample_garments(floats);
    /* every second particle has moved farther than `slip` */
    for (uint32_t i = 0; i < count && is(def, argument, "anchors"); i++) {
        float4 at = tent_particle(i, seed);
        floats[i] = (float4){at.x + (i % 2 ? 0.02f : 0.002f), at.y, at.z, 0.0f};
    }
    for (uint32_t i = 0;
         i < count && (is(def, argument, "position") || is(def, argument, "previous")); i++) {
        float random[3];
        floats[i] = tent_particle(i, seed);
        if (is(def, argument, "position")) continue;
        cloth_sample_floats(random, 3, seed + i, 4, -0.01f, 0.01f);
        floats[i] = (float4){floats[i].x + random[0], floats[i].y + random[1],
            floats[i].z + random[2], (float)(i % 8)};
    }
}

static void mesh_fill(
    const hed_kernel_def *def, uint32_t argument, uint32_t count, void *data, uint64_t seed)
{
    uint32_t leaves = leaves_of(count), *uints = data;
    uint4 *fours = data;
    for (uint32_t i = 0; i <= leaves && is(def, argument, "leaf_at"); i++) uints[i] = 2 * i;
    for (uint32_t t = 0; t < 2 * leaves; t++) {
        if (is(def, argument, "triangles")) fours[t] = tent_triangle(t);
        else if (is(def, argument, "edges")) fours[t] = tent_edges(t);
    }
    if (is(def, argument, "row") || is(def, argument, "leaves")) *uints = leaves;
    if (is(def, argument, "from")) *(float *)data = 0.25f;
    if (is(def, argument, "to")) *(float *)data = 0.75f;
    if (is(def, argument, "meshes"))
        *(cloth_meshes *)data = (cloth_meshes){.slip = seed % 2 ? 0.005f : 0.0f,
            .ahead = 4.0f,
            .fall = 0.002f,
            .move = 0.02f,
            .come_out = 0.008f,
            .fraction = seed % 2 ? 0.25f : 0.0f,
            .until = 1.0f,
            .particles = count,
            .leaves = leaves};
    if (is(def, argument, "boxes") && def == &cloth_mesh_find_def) {
        uint *leaf_at = calloc(leaves + 1, sizeof *leaf_at);
        float4 *places = malloc((3 * leaves + 3) * sizeof *places),
               *ends = malloc((3 * leaves + 3) * sizeof *ends);
        uint4 *triangles = malloc((2 * leaves + 1) * sizeof *triangles);
        if (leaf_at && places && ends && triangles) {
            for (uint32_t i = 0; i <= leaves; i++) leaf_at[i] = 2 * i;
            for (uint32_t v = 0; v < 3 * leaves + 3; v++)
                places[v] = tent_vertex(v, 0.0f), ends[v] = tent_vertex(v, TENT_LIFT);
            for (uint32_t t = 0; t < 2 * leaves; t++) triangles[t] = tent_triangle(t);
            const cloth_mesh_boxes_view view = {.boxes = data,
                .leaf_at = leaf_at,
                .triangles = triangles,
                .begin = places,
                .end = ends,
                .to = 1.0f,
                .leaves = leaves};
            for (uint32_t node = 2 * leaves - 1; node > 0; node--) cloth_box_one(node, view);
        }
        free(leaf_at);
        free(places);
        free(ends);
        free(triangles);
    }
    /* the list around each vertex is empty, so particles nearest to a vertex have no contact;
     * contact tests have real meshes */
    mesh_floats(def, argument, count, leaves, data, seed);
}

/* ---- both ---- */

uint64_t cloth_contact_sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    uint64_t count = (uint64_t)problem->sizes[0],
             buckets = cloth_self_pass((uint32_t)count, SPACING, SPACING).buckets,
             leaves = leaves_of((uint32_t)count);
    bool scan = def == &cloth_self_scan_def, totals = def == &cloth_self_totals_def;
    const struct {
        const char *name;
        uint64_t bytes;
    } arrays[] = {{"position", 16 * count}, {"previous", 16 * count}, {"rests", 16 * count},
        {"starts", 4 * (scan ? count : buckets + 1)},
        {"totals", 4 * (scan        ? hed_ceil_divide(count, CLOTH_SELF_TILE)
                           : totals ? count + 1
                                    : buckets / CLOTH_SELF_TILE + 1)},
        {"entries", 8 * count}, {"slots", 4 * count}, {"sorted", 32 * count},
        {"pushed", 32 * count}, {"rows", 4 * count}, {"neighbours", 4 * count * CLOTH_SELF_NEAR},
        {"counts", 4 * count}, {"bodies", 32}, {"colliders", 64},
        {"contact", 16 * CLOTH_CONTACT_WORDS * (def == &cloth_mesh_find_def ? count : 2)},
        {"garments", 16 * CLOTH_GARMENT_WORDS * CLOTH_SAMPLE_GARMENTS}, {"boxes", 64 * leaves},
        {"leaf_at", 4 * (leaves + 1)}, {"triangles", 32 * leaves}, {"edges", 32 * leaves},
        {"incident_at", 4 * (3 * leaves + 4)}, {"incident", 64}, {"kinds", 16},
        {"anchors", 16 * count}, {"from", 4}, {"to", 4}, {"begin", 16 * (3 * leaves + 3)},
        {"end", 16 * (3 * leaves + 3)}};
    for (uint32_t i = 0; i < HED_COUNT(arrays); i++)
        if (is(def, argument, arrays[i].name)) return arrays[i].bytes;
    return 0;
}

void cloth_contact_sample_fill(const hed_kernel_def *def, const hed_problem *problem,
    uint32_t argument, void *data, uint64_t bytes, uint64_t seed)
{
    uint32_t count = (uint32_t)problem->sizes[0], *uints = data;
    if (def == &cloth_mesh_boxes_def || def == &cloth_mesh_find_def) {
        mesh_fill(def, argument, count, data, seed);
    } else if (def == &cloth_self_scan_def || def == &cloth_self_totals_def) {
        if (def->arguments[argument].kind == HED_SCALAR) *uints = count;
        else
            for (uint64_t i = 0; i < bytes / 4; i++) uints[i] = (uint32_t)(i * 2654435761u >> 29);
    } else if (def == &cloth_self_count_def) {
        line_fill(def, argument, count, data);
    } else {
        crowd_fill(def, argument, count, data, bytes, seed);
    }
}
