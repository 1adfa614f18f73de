/* Features of a frame as kernels read them: balls, capsules with a thin end, edges of meshes. */
#include "cloth_contacts.h"

#include "contact/contact_host.h"

#undef sqrt

Test(cloth_feature_words, bodies_of_a_frame)
{
    static const float corners[3][3] = {{0, -1, 0}, {0.1f, -1, 0}, {0, -1, 0.1f}};
    static const uint32_t triangle[3] = {0, 1, 2};
    const hed_cloth_collider colliders[] = {
        {.shape = HED_CLOTH_SPHERE, {0.3f, -0.5f, 0.1f}, .radius = {0.004f}, .friction = 0.2f},
        {.shape = HED_CLOTH_CAPSULE, {0, -0.5f, 0}, {0, -0.9f, 0}, {0.2f, 0.003f}, 0.4f},
        {.shape = HED_CLOTH_CAPSULE, {0, -0.5f, 0}, {0, -0.9f, 0}, {0.2f, 0.1f}, 0.5f}};
    hed_cloth_mesh_collider mesh = {3, 1, corners[0], triangle, 0.7f, NULL};
    sheet s = sheet_make(25, 0.48f);
    sheet_put(&s, 0, 0);
    s.def.thickness = 0.005f;
    test_device t = test_open(NULL);
    hed_cloth_def def = dressed_def(&s.def, 1);
    dressed d = dressed_make(t.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.colliders = colliders;
    frame.collider_count = HED_COUNT(colliders);
    frame.meshes = &mesh;
    frame.mesh_count = 1;
    dressed_step(&d, &frame);
    const cloth_features *f = d.cloth->contacts->features;
    CHECK_EQ(f->count, 5u, "the ball, the capsule with a thin end, three rims");
    const float4 *round = f->words, *capsule = round + FEATURE_WORDS;
    EXPECT_EQ(round[5].x, 1);
    EXPECT_NEAR(round[1].w, 0.004, 1e-7);
    for (int k = 0; k < 4; k++)
        EXPECT_EQ(memcmp(&round[k], &round[0], sizeof *round), 0, "word %d", k);
    EXPECT_NEAR(round[4].w, 0.2, 1e-7);
    EXPECT_EQ(capsule[5].x, 7);
    EXPECT_NEAR(capsule[0].w, 0.2, 1e-7);
    EXPECT_NEAR(capsule[1].w, 0.003, 1e-7);
    EXPECT_NEAR(capsule[4].w, 0.4, 1e-7);
    uint32_t ends = 0;
    for (uint32_t i = 2; i < 5; i++) {
        const float4 *rim = f->words + FEATURE_WORDS * i;
        EXPECT_NEAR(rim[4].w, 0.7, 1e-7, "friction of the mesh");
        EXPECT_EQ(rim[0].w, 0);
        ends += ((uint32_t)rim[5].x & 1u) + ((uint32_t)rim[5].x >> 1 & 1u);
    }
    EXPECT_EQ(ends, 3u);
    dressed_free(&d);
    test_close(&t);
    sheet_free(&s);
}
