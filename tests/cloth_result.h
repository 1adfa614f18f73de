/* All that a cloth returns, for tests that compare a cloth on several devices with one. */
#ifndef HED_TESTS_CLOTH_RESULT_H
#define HED_TESTS_CLOTH_RESULT_H

#include "cloth_sheet.h"
#include "fixture.h"

/* All that a cloth returns. */
typedef struct cloth_result {
    uint64_t size;
    unsigned char *state;
    float *positions, *normals;
    uint8_t *colours;
    hed_cloth_metrics quality;
} cloth_result;

static inline cloth_result result_of(hed_cloth *cloth)
{
    const size_t count = hed_cloth_vertex_count(cloth);
    cloth_result r = {.size = hed_cloth_save_size(cloth),
        .positions = malloc(12 * count),
        .normals = malloc(12 * count),
        .colours = malloc(4 * count)};
    r.state = malloc(r.size);
    OK(hed_cloth_read(cloth, r.positions, r.normals, r.colours, &error));
    OK(hed_cloth_save(cloth, r.state, &error));
    OK(hed_cloth_evaluate(cloth, &r.quality, &error));
    return r;
}

static inline void result_free(cloth_result *r)
{
    free(r->state);
    free(r->positions);
    free(r->normals);
    free(r->colours);
}

static inline void expect_equal(const cloth_result *a, const cloth_result *b, size_t vertices)
{
    CHECK_EQ(a->size, b->size);
    EXPECT_EQ(a->quality.hash, b->quality.hash);
    EXPECT_EQ(a->quality.kinetic_energy, b->quality.kinetic_energy);
    EXPECT_EQ(a->quality.residual, b->quality.residual);
    EXPECT_EQ(a->quality.worst_stretch, b->quality.worst_stretch);
    EXPECT_EQ(a->quality.stretch_p99, b->quality.stretch_p99);
    EXPECT_EQ(a->quality.not_finite, 0u);
    EXPECT_BYTES(a->state, b->state, a->size);
    EXPECT_BYTES(a->positions, b->positions, 12 * vertices);
    EXPECT_BYTES(a->normals, b->normals, 12 * vertices);
    EXPECT_BYTES(a->colours, b->colours, 4 * vertices);
}

/* ---- three cloths of one motion ---- */

/* Reads the results of three cloths, which are equal. */
static inline void expect_equal_results(hed_cloth *const cloths[3], cloth_result r[3])
{
    for (int c = 0; c < 3; c++) {
        r[c] = result_of(cloths[c]);
        if (c > 0) expect_equal(&r[0], &r[c], hed_cloth_vertex_count(cloths[0]));
    }
}

/* Each cloth continues from the state of another one, the second after a reset. Frees the results. */
static inline void exchange_states(hed_cloth *const cloths[3], cloth_result r[3])
{
    EXPECT_GT(r[0].quality.kinetic_energy, 0.01);
    EXPECT_GT(r[0].quality.body_pressed, 0u);
    for (int c = 1; c < 3; c++) EXPECT_EQ(r[0].quality.body_pressed, r[c].quality.body_pressed);
    OK(hed_cloth_load(cloths[0], r[2].state, r[2].size, &error));
    OK(hed_cloth_continue(cloths[2], cloths[1], &error));
    OK(hed_cloth_reset(cloths[1], &error));
    OK(hed_cloth_load(cloths[1], r[0].state, r[0].size, &error));
    for (int c = 0; c < 3; c++) result_free(&r[c]);
}

static inline void destroy_three(hed_cloth *const cloths[3], cloth_result r[3])
{
    for (int c = 0; c < 3; c++) {
        result_free(&r[c]);
        hed_cloth_destroy(cloths[c]);
    }
}

/* ---- devices and motions ---- */

static inline hed_device *host_device(void)
{
    hed_device *host;
    OK(hed_device_find(here.context, "host", &host, &error));
    return host;
}

static inline void rigid_of(float *matrix, float x, float y)
{
    const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, 0, 1};
    memcpy(matrix, identity, sizeof identity);
}

#endif
