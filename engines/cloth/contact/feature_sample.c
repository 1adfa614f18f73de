/* Sample data of the kernels of thin features: rows of triangles that fall on lines between their
 * vertices, each a cluster of its own, so that pairs have one order. */
#include "contact/contact_kernels.h"

#include <stdlib.h>
#include <string.h>

#define SPACING 0.01f /* m */

typedef struct row {
    feature_params params;
    float4 *features, *boxes, *garments, *previous, *position;
    contact_triangle *triangles;
    uint *cluster_at, *clusters, *fractions;
    feature_pair *pairs;
    feature_touch *touches;
    int *sums;
    feature_counters *counters;
} row;

static void row_free(row *r)
{
    void *arrays[] = {r->features, r->boxes, r->garments, r->previous, r->position, r->triangles,
        r->cluster_at, r->clusters, r->fractions, r->pairs, r->touches, r->sums, r->counters};
    for (uint32_t i = 0; i < HED_COUNT(arrays); i++) free(arrays[i]);
}

static bool row_new(row *r, uint32_t count)
{
    *r = (row){.params = {.from = 0.25f,
                   .to = 0.5f,
                   .max_thickness = SPACING,
                   .max_edge = 2.0f * SPACING,
                   .triangles = count,
                   .leaves = 1,
                   .capacity = 4 * count,
                   .own_count = 3 * count}};
    r->features = calloc(FEATURE_WORDS, sizeof(float4));
    r->boxes = calloc(4, sizeof(float4));
    r->garments = calloc(CLOTH_SAMPLE_GARMENTS, CLOTH_GARMENT_WORDS * sizeof(float4));
    r->previous = calloc(3 * count, sizeof(float4));
    r->position = calloc(3 * count, sizeof(float4));
    r->triangles = calloc(count, sizeof *r->triangles);
    r->cluster_at = calloc(count + 2, sizeof(uint));
    r->clusters = calloc(3 * count, sizeof(uint));
    r->fractions = calloc(3 * count, sizeof(uint));
    r->pairs = calloc(4 * count, sizeof *r->pairs);
    r->touches = calloc(4 * count, sizeof *r->touches);
    r->sums = calloc(3 * count, 4 * sizeof(int));
    r->counters = calloc(1, sizeof *r->counters);
    return r->features && r->boxes && r->garments && r->previous && r->position && r->triangles &&
           r->cluster_at && r->clusters && r->fractions && r->pairs && r->touches && r->sums &&
           r->counters;
}

/* Triangles side by side along z over a line along z. */
static void row_fill(row *r, uint64_t seed)
{
    uint32_t count = r->params.triangles;
    float length = SPACING * (float)count;
    cloth_sample_garments(r->garments);
    for (uint32_t i = 0; i < CLOTH_SAMPLE_GARMENTS; i++) {
        r->garments[CLOTH_GARMENT_WORDS * i].w = 0.3f * SPACING;
        r->garments[CLOTH_GARMENT_WORDS * i + 2] = (float4){0};
    }
    for (uint32_t k = 0; k < 4; k++)
        r->features[k] = (float4){0.1f * SPACING, k > 1 ? 0.3f * SPACING : 0.0f,
            k % 2 ? length : -SPACING, 0.1f * SPACING};
    r->features[4] = (float4){0.0f, 0.0f, 0.0f, 0.3f};
    r->features[5] = (float4){7.0f, 0.0f, 0.0f, 0.0f};
    r->boxes[2] = (float4){-SPACING, -SPACING, -2 * SPACING, 0.0f};
    r->boxes[3] = (float4){SPACING, SPACING, length + SPACING, SPACING};
    for (uint32_t i = 0; i < 3 * count; i++) {
        float random[3];
        cloth_sample_floats(random, 3, seed + i, 2, -0.1f * SPACING, 0.1f * SPACING);
        r->previous[i] = (float4){(i % 3 == 0 ? -0.4f : i % 3 == 1 ? 0.6f : 0.1f) * SPACING,
            0.9f * SPACING + random[0],
            SPACING * ((float)(i / 3) + (i % 3 == 2 ? 0.7f : 0.0f)) + random[1],
            (float)(i / 3 % CLOTH_SAMPLE_GARMENTS)};
        r->position[i] = r->previous[i];
        r->position[i].w = i % 7 == 3 ? 0.0f : 2.0f;
        if (i % 7 != 3) r->position[i].y -= (0.5f + (float)(i / 3 % 4)) * SPACING + random[2];
        r->clusters[i] = i;
        r->fractions[i] = FEATURE_FREE;
    }
    for (uint32_t t = 0; t < count; t++)
        r->triangles[t] = (contact_triangle){3 * t, 3 * t + 1, 3 * t + 2, 63};
    for (uint32_t k = 0; k <= (count + CLOTH_FEATURE_CLUSTER - 1) / CLOTH_FEATURE_CLUSTER; k++)
        r->cluster_at[k] =
            3 * (k * CLOTH_FEATURE_CLUSTER < count ? k * CLOTH_FEATURE_CLUSTER : count);
    feature_find_view view = {.features = r->features,
        .boxes = r->boxes,
        .garments = r->garments,
        .previous = r->previous,
        .triangles = r->triangles,
        .position = r->position,
        .pairs = r->pairs,
        .touches = r->touches,
        .counters = r->counters,
        .params = r->params};
    for (uint32_t t = 0; t < count; t++) feature_find(t, view);
}

typedef struct row_array {
    const char *name;
    const void *data;
    uint64_t bytes;
} row_array;

static row_array row_array_of(const hed_kernel_def *def, uint32_t argument, const row *r)
{
    uint64_t count = r->params.triangles;
    const row_array arrays[] = {{"features", r->features, 16 * FEATURE_WORDS},
        {"boxes", r->boxes, 64}, {"garments", r->garments, 16 * CLOTH_GARMENT_WORDS * CLOTH_SAMPLE_GARMENTS},
        {"previous", r->previous, 48 * count}, {"position", r->position, 48 * count},
        {"triangles", r->triangles, sizeof *r->triangles * count},
        {"cluster_at", r->cluster_at, 4 * (count + 2)}, {"clusters", r->clusters, 12 * count},
        {"fractions", r->fractions, 12 * count}, {"pairs", r->pairs, 4 * sizeof *r->pairs * count},
        {"touches", r->touches, 4 * sizeof *r->touches * count}, {"sums", r->sums, 48 * count},
        {"counters", r->counters, sizeof *r->counters}, {"params", &r->params, sizeof r->params}};
    for (uint32_t i = 0; i < HED_COUNT(arrays); i++)
        if (strcmp(def->arguments[argument].name, arrays[i].name) == 0) return arrays[i];
    return (row_array){"", NULL, 0};
}

static bool has_argument(const hed_kernel_def *def, const char *name)
{
    for (uint32_t i = 0; i < def->argument_count; i++)
        if (strcmp(def->arguments[i].name, name) == 0) return true;
    return false;
}

uint64_t cloth_feature_sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    (void)config;
    row r = {.params.triangles = (uint)problem->sizes[0]};
    return row_array_of(def, argument, &r).bytes;
}

void cloth_feature_sample_fill(const hed_kernel_def *def, const hed_problem *problem,
    uint32_t argument, void *data, uint64_t bytes, uint64_t seed)
{
    row r;
    if (row_new(&r, (uint32_t)problem->sizes[0])) {
        row_fill(&r, seed);
        if (!has_argument(def, "sums")) memset(r.counters, 0, sizeof *r.counters); /* finds */
        row_array from = row_array_of(def, argument, &r);
        if (from.data) memcpy(data, from.data, bytes);
    }
    row_free(&r);
}
