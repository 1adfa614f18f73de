/* All descriptions of the engine's kernels: what conformance, tuning, benchmarks and the kernel
 * cache go through. */
#include "kernels/kernels.h"

static const hed_kernel_def *const kernels[] = {
    &cloth_integrate_def,
    &cloth_distance_def,
    &cloth_sets_def,
    &cloth_drive_def,
    &cloth_write_back_def,
    &cloth_surface_def,
    &cloth_move_def,
    &cloth_feed_def,
    &cloth_read_def,
    &cloth_self_count_def,
    &cloth_self_scan_def,
    &cloth_self_totals_def,
    &cloth_self_place_def,
    &cloth_self_order_def,
    &cloth_self_near_def,
    &cloth_self_push_def,
    &cloth_mesh_boxes_def,
    &cloth_mesh_find_def,
};

uint32_t hed_cloth_kernel_count(void) { return HED_COUNT(kernels); }

const hed_kernel_def *hed_cloth_kernel_at(uint32_t index)
{
    return index < HED_COUNT(kernels) ? kernels[index] : NULL;
}

/* The four versions of the slides' kernels, chosen by three parameters: what all of their
 * descriptions share. */

static const int64_t version_groups[] = {64, 128, 256, 512};
static const int64_t version_forms[] = {0, 1};
static const char *const version_form_names[] = {"scalar", "vector"};
static const int64_t version_strands[] = {0, 1, CLOTH_STRANDS};
const hed_parameter_def cloth_version_parameters[CLOTH_VERSION_PARAMETERS] = {
    [CLOTH_WG] = {"WG", version_groups, HED_COUNT(version_groups), 256, NULL},
    [CLOTH_VECTOR] = {"VECTOR", version_forms, HED_COUNT(version_forms), 0, version_form_names},
    [CLOTH_TASK] = {"TASK", version_strands, HED_COUNT(version_strands), 0, NULL},
};
const hed_condition cloth_version_conditions[1] = {{"WG", "TASK == 0"}};

static void spread(uint64_t count, uint64_t items, uint64_t group, hed_geometry *layout)
{
    layout->dimensions = 1;
    layout->global[0] = items;
    layout->group[0] = (uint32_t)group;
    layout->native_items = count;
    layout->native_grain = 1 << 11;
}

void cloth_version_geometry(const hed_config *config, uint64_t count, hed_geometry *layout)
{
    uint64_t strand_count = (uint64_t)config->values[CLOTH_TASK];
    uint64_t items = strand_count                   ? strand_count
                     : config->values[CLOTH_VECTOR] ? hed_ceil_divide(count, 4)
                                                    : count;
    spread(count, items, strand_count ? 1 : (uint64_t)config->values[CLOTH_WG], layout);
}

void cloth_plain_geometry(const hed_config *config, uint64_t count, hed_geometry *layout)
{
    spread(count, count, (uint64_t)config->values[CLOTH_WG], layout);
}

/* Sample data: a counter through the finalizer of SplitMix64 (Steele, Lea and Flood 2014), so that
 * element i does not depend on how many are asked for. */

static uint32_t word_at(uint64_t stream, uint64_t index)
{
    uint64_t z = stream + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

void cloth_sample_floats(
    float *values, uint64_t count, uint64_t seed, uint32_t argument, float low, float high)
{
    uint64_t stream = seed * 0xd1342543de82ef95u + argument * 0xda942042e4dd58b5u;
    for (uint64_t i = 0; i < count; i++)
        values[i] = low + (high - low) * ((float)(word_at(stream, i) >> 8) / 16777216.0f);
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
        garments[2 * i] = (float4){0.99f, 0.98f - 0.01f * share, 0.99f, 0.005f + 0.01f * share};
        garments[2 * i + 1] = (float4){0.6f + share, 0.3f * share, 0.5f, 0.0f};
    }
}

void cloth_sample_driver_map(float4 *map, uint64_t count, uint64_t seed)
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

cloth_step cloth_sample_step(uint32_t particles, uint32_t flags)
{
    return (cloth_step){.ratio = 0.9f,
        .fall_y = -1.2e-4f,
        .wind_x = 0.02f,
        .wind_z = 0.01f,
        .gust = 0.5f,
        .time = 3.25f,
        .from = 0.25f,
        .to = 0.5f,
        .stiffness = 90000.0f,
        .longest_move = 0.04f,
        .particles = particles,
        .flags = flags};
}

void cloth_sample_view(cloth_view *view, uint64_t vertices)
{
    static const float matrix[16] = {0.8f, 0.6f, 0.0f, 0.0f, -0.6f, 0.8f, 0.0f, 0.0f, 0.0f, 0.0f,
        1.0f, 0.0f, 0.5f, -0.25f, 2.0f, 1.0f};
    *view = (cloth_view){.vertices = (uint)vertices,
        .flags = CLOTH_VIEW_GATHER | CLOTH_VIEW_COLOURS | CLOTH_VIEW_NORMALS};
    memcpy(view->matrix, matrix, sizeof view->matrix);
    memcpy(view->normals, matrix, sizeof view->normals);
}
