/* ctest: devices full=pocl */
/* Layers that fall over each other. On the floor contact keeps them most of a thickness apart.
 * Over a ball contact keeps the lengths of their edges: without pulls (CONTACT_PULL) the creases of the
 * layers would be longest. */
#include "fixture.h"

#include "cloth_contacts.h"

#include "heddle/cloth_check.h"

TestSuite(cloth_heap, .init = here_open, .fini = here_close);

enum {
    LAYERS = 16,
    SIDE = 8,
    EACH = SIDE * SIDE,
    FRAMES = 30,
    FACES = 2 * (SIDE - 1) * (SIDE - 1)
};
static const float THICKNESS = 0.004f; /* m */

static int float_compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Pairs of triangles of the layers that cross. */
static uint32_t layer_crossings(const sheet *s, float (*positions)[3])
{
    uint32_t triangles[FACES][3], t = 0;
    hed_cloth_check_surface surfaces[LAYERS];
    for (uint32_t i = 0; i < FACES / 2; i++) {
        const uint32_t *q = s->quads[i];
        memcpy(triangles[t++], (uint32_t[]){q[0], q[1], q[2]}, 12);
        memcpy(triangles[t++], (uint32_t[]){q[0], q[2], q[3]}, 12);
    }
    for (uint32_t layer = 0; layer < LAYERS; layer++)
        surfaces[layer] =
            (hed_cloth_check_surface){EACH, FACES, positions[layer * EACH], triangles[0], false};
    hed_error error = {0};
    hed_cloth_crossings found;
    OK(hed_cloth_check(
        &(hed_cloth_check_def){.surfaces = surfaces, .surface_count = LAYERS}, &found, &error));
    uint32_t pairs = found.pair_count;
    hed_cloth_crossings_free(&found);
    return pairs;
}

/* Drops layers `gap` m above each other on the floor. Returns the least median, of all frames, of the
 * heights of vertices over those of the layer below, m. */
static float least_distance(float gap)
{
    const hed_cloth_collider ground = {
        .shape = HED_CLOTH_PLANE, .b = {0.0f, 1.0f, 0.0f}, .friction = 0.5f};
    sheet layers[LAYERS];
    hed_cloth_garment_def defs[LAYERS];
    for (uint32_t i = 0; i < LAYERS; i++) {
        layers[i] = sheet_make(SIDE, 0.2f);
        sheet_put(&layers[i], 0.1f + gap * (float)i, 0.0f);
        layers[i].def.self_collision = HED_CLOTH_SELF_TRIANGLES;
        layers[i].def.thickness = THICKNESS;
        layers[i].def.friction = 0.4f;
        defs[i] = layers[i].def;
    }
    hed_cloth_def def = dressed_def(defs, LAYERS);
    def.substeps = 10;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.colliders = &ground;
    frame.collider_count = 1;
    float least = INFINITY;
    for (uint32_t f = 0; f < FRAMES; f++) {
        dressed_step(&d, &frame);
        CHECK_EQ(layer_crossings(&layers[0], d.positions), 0, "frame %u", f);
        float distances[(LAYERS - 1) * EACH];
        const uint32_t count = HED_COUNT(distances);
        for (uint32_t i = 0; i < count; i++)
            distances[i] = d.positions[i + EACH][1] - d.positions[i][1];
        qsort(distances, count, sizeof *distances, float_compare);
        least = fminf(least, distances[count / 2]);
    }
    dressed_free(&d);
    for (uint32_t i = 0; i < LAYERS; i++) sheet_free(&layers[i]);
    return least;
}

/* The least distance of one start is 0.5 to 0.9 of the thickness by chance: the mean of ten starts counts. */
Test(cloth_heap, layers_keep_their_distance, .timeout = 600)
{
    enum { STARTS = 10 };
    float mean = 0.0f;
    for (uint32_t k = 0; k < STARTS; k++)
        mean += least_distance(0.0055f + 0.0001f * (float)k) / STARTS;
    printf("least distance of layers: %.2f of the thickness\n", (double)(mean / THICKNESS));
    EXPECT_GT(mean, 0.7f * THICKNESS);
}

Test(cloth_heap, pushes_keep_lengths, .timeout = 300)
{
    enum { OVER_BALL = 4, BALL_SIDE = 30, BALL_FRAMES = 24, HALF = BALL_FRAMES / 2 };
    const hed_cloth_collider colliders[] = {
        {.shape = HED_CLOTH_SPHERE, .a = {0, -0.2f, 0}, .radius = {0.2f, 0}, .friction = 0.4f},
        {.shape = HED_CLOTH_PLANE, .a = {0, -0.35f, 0}, .b = {0, 1, 0}, .friction = 0.5f}};
    sheet layers[OVER_BALL];
    hed_cloth_garment_def defs[OVER_BALL];
    for (uint32_t i = 0; i < OVER_BALL; i++) {
        layers[i] = sheet_make(BALL_SIDE, 1.0f);
        sheet_put(&layers[i], 0.01f * (float)(i + 1), 0.37f * (float)i);
        layers[i].def.fabric = hed_cloth_fabric_named("cotton");
        layers[i].def.lattices = true;
        layers[i].def.self_collision = HED_CLOTH_SELF_TRIANGLES;
        layers[i].def.thickness = 0.003f;
        layers[i].def.friction = 0.4f;
        defs[i] = layers[i].def;
    }
    hed_cloth_def def = dressed_def(defs, OVER_BALL);
    def.substeps = 10;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.colliders = colliders;
    frame.collider_count = HED_COUNT(colliders);
    double longest = 0; /* mean of the second half of the frames */
    for (uint32_t f = 0; f < BALL_FRAMES; f++) {
        dressed_step(&d, &frame);
        const hed_cloth_metrics quality = dressed_measure(&d);
        if (f < HALF) continue;
        EXPECT_GT(quality.contact_pairs, 700); /* 895 to 9,344 */
        longest += quality.worst_stretch / HALF;
    }
    printf("longest edge: %.2f %% above its length at rest\n", 100 * longest);
    EXPECT_LT(longest, 0.032); /* 0.0225; 0.0401 without pulls */
    dressed_free(&d);
    for (uint32_t i = 0; i < OVER_BALL; i++) sheet_free(&layers[i]);
}
