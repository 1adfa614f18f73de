/* Features of meshes: the edges and tips that cloth can cross between its vertices, and the direction out of a
 * mesh at each of them. */
#include "contact/contact_host.h"
#include "testing.h"

#include <math.h>

static hed_error error;

enum { MOST_FEATURES = 64 };

typedef struct selected {
    uint32_t count;
    cloth_mesh_feature features[MOST_FEATURES];
    float4 guards[MOST_FEATURES];
} selected;

/* Features of a mesh whose tree was made of the positions `first`, for cloth with edges of 0.2 m and a thickness
 * of 2 mm. */
static void features_after(const hed_cloth_mesh_collider *mesh, const float *first, selected *found)
{
    hed_cloth_mesh_collider made = *mesh;
    made.positions = first;
    test_allocator counted = {0};
    hed_allocator allocator = test_allocator_of(&counted);
    hed_arena arena = {.allocator = allocator};
    cloth_feature_room room;
    cloth_feature_scale scale = {.edge = 0.2f, .thickness = 0.002f};
    float4 places[16];
    cloth_tree *tree;
    OK(cloth_tree_create(&allocator, &made, 1, &tree, &error));
    for (uint32_t v = 0; v < tree->vertex_count; v++)
        places[v] = (float4){
            mesh->positions[3 * v], mesh->positions[3 * v + 1], mesh->positions[3 * v + 2], 0.0f};
    OK(cloth_feature_room_make(tree, &arena, &room, &error));
    found->count = cloth_feature_select(tree, places, &scale, &room);
    CHECK_LE(found->count, MOST_FEATURES);
    for (uint32_t i = 0; i < found->count; i++) {
        found->features[i] = room.list[i];
        found->guards[i] = cloth_feature_guard(tree, places, room.list + i);
    }
    hed_arena_free(&arena);
    cloth_tree_destroy(tree);
    CHECK_EQ(counted.live, 0);
}

static void features_of(const hed_cloth_mesh_collider *mesh, selected *found)
{
    features_after(mesh, mesh->positions, found);
}

/* A box of which the first two triangles are the side at z = -1. */
static const float corners[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1},
    {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}};
static const uint32_t sides[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5},
    {0, 5, 4}, {2, 3, 7}, {2, 7, 6}, {1, 2, 6}, {1, 6, 5}, {0, 4, 7}, {0, 7, 3}};

/* A cloth that continues a saved state makes the tree of another pose: its features are the same, with ends in
 * the same order, or the next frame would have other bits. */
Test(cloth_features, a_tree_of_another_pose_has_the_same)
{
    float poses[3][8][3];
    for (int axis = 0; axis < 3; axis++)
        for (int v = 0; v < 8; v++)
            for (int k = 0; k < 3; k++) poses[axis][v][k] = corners[v][k] * (k == axis ? 5 : 1);
    const hed_cloth_mesh_collider box = {8, 12, poses[0][0], sides[0], 0.0f, NULL};
    selected own, other;
    features_of(&box, &own);
    for (int axis = 1; axis < 3; axis++) {
        features_after(&box, poses[axis][0], &other);
        CHECK_EQ(own.count, other.count);
        for (uint32_t i = 0; i < own.count; i++) {
            const cloth_mesh_feature *p = own.features + i, *q = other.features + i;
            EXPECT(p->a == q->a && p->b == q->b && p->ends == q->ends,
                "feature %u is the edge %u %u, with a tree of another pose %u %u", i, p->a, p->b,
                q->a, q->b);
            EXPECT(memcmp(own.guards + i, other.guards + i, sizeof own.guards[i]) == 0);
        }
    }
}

/* All convex edges of a box are features, and no diagonal of its flat sides. */
Test(cloth_features, edges_of_a_box)
{
    const hed_cloth_mesh_collider box = {8, 12, corners[0], sides[0], 0.0f, NULL};
    const float half = sqrtf(0.5f);
    selected found;
    features_of(&box, &found);
    CHECK_EQ(found.count, 12u);
    for (uint32_t i = 0; i < found.count; i++) {
        const cloth_mesh_feature *f = found.features + i;
        const float *a = corners[f->a], *b = corners[f->b],
                    guard[3] = {found.guards[i].x, found.guards[i].y, found.guards[i].z};
        EXPECT_NEAR(f->sharpness, 1.5707963, 1e-6);
        EXPECT(f->face != CLOTH_MESH_NONE && f->other != CLOTH_MESH_NONE);
        for (int k = 0; k < 3; k++)
            EXPECT_NEAR(
                guard[k], a[k] == b[k] ? half * a[k] : 0.0f, 1e-6, "edge %u %u", f->a, f->b);
    }
}

/* A rim is sharper than every edge, and has no direction out: cloth may be on either side of it. */
Test(cloth_features, rim_of_an_open_box)
{
    const hed_cloth_mesh_collider open = {8, 10, corners[0], sides[2], 0.0f, NULL};
    selected found;
    features_of(&open, &found);
    CHECK_EQ(found.count, 12u);
    for (uint32_t i = 0; i < found.count; i++) {
        const cloth_mesh_feature *f = found.features + i;
        float4 guard = found.guards[i];
        bool is_rim = corners[f->a][2] < 0 && corners[f->b][2] < 0;
        EXPECT_EQ(is_rim, i < 4, "the sharpest are first");
        EXPECT_EQ(f->other == CLOTH_MESH_NONE, is_rim, "edge %u %u", f->a, f->b);
        EXPECT_EQ(f->sharpness > 3.1415927f, is_rim, "edge %u %u", f->a, f->b);
        EXPECT_NEAR(sqrtf(guard.x * guard.x + guard.y * guard.y + guard.z * guard.z),
            is_rim ? 0 : 1, 1e-6, "edge %u %u", f->a, f->b);
    }
}

/* The four sides of a sheet are features, its diagonal is none. */
Test(cloth_features, rim_of_a_sheet)
{
    const hed_cloth_mesh_collider sheet = {4, 2, corners[0], sides[0], 0.0f, NULL};
    selected found;
    features_of(&sheet, &found);
    CHECK_EQ(found.count, 4u);
    uint32_t ends = 0;
    for (uint32_t i = 0; i < found.count; i++) {
        const cloth_mesh_feature *f = found.features + i;
        EXPECT_EQ(f->other, CLOTH_MESH_NONE);
        EXPECT_EQ((f->a + f->b) % 2, 1u, "%u %u is the diagonal", f->a, f->b);
        ends += (f->ends & 1u) + (f->ends >> 1);
    }
    EXPECT_EQ(ends, 4u, "each end has one owner");
}

enum { CONE_SIDES = 512 };

/* The tip of a cone without a base, whose rim is raised by up to `raised`. */
static cloth_mesh_feature tip_of_cone(float radius, float height, float raised)
{
    static float places[CONE_SIDES + 1][3];
    static uint32_t triangles[CONE_SIDES][3];
    const hed_cloth_mesh_collider cone = {
        CONE_SIDES + 1, CONE_SIDES, places[0], triangles[0], 0.0f, NULL};
    places[CONE_SIDES][1] = height;
    for (uint32_t v = 0; v < CONE_SIDES; v++) {
        double angle = 2 * M_PI * v / CONE_SIDES;
        places[v][0] = radius * (float)cos(angle);
        places[v][1] = 0.5f * raised * (1 + (float)cos(angle));
        places[v][2] = -radius * (float)sin(angle);
        triangles[v][0] = CONE_SIDES;
        triangles[v][1] = v;
        triangles[v][2] = (v + 1) % CONE_SIDES;
    }
    test_allocator counted = {0};
    hed_allocator allocator = test_allocator_of(&counted);
    hed_arena arena = {.allocator = allocator};
    cloth_feature_room room;
    cloth_feature_scale scale = {.edge = 0.2f, .thickness = 0.002f};
    cloth_mesh_feature tip = {0};
    cloth_tree *tree;
    OK(cloth_tree_create(&allocator, &cone, 1, &tree, &error));
    float4 at[CONE_SIDES + 1];
    for (uint32_t v = 0; v <= CONE_SIDES; v++)
        at[v] = (float4){places[v][0], places[v][1], places[v][2], 0.0f};
    OK(cloth_feature_room_make(tree, &arena, &room, &error));
    uint32_t count = cloth_feature_select(tree, at, &scale, &room), tips = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (room.list[i].face != CLOTH_MESH_NONE) continue;
        tip = room.list[i];
        tips++;
    }
    EXPECT_EQ(tips, 1u);
    EXPECT_EQ(tip.a, (uint32_t)CONE_SIDES);
    hed_arena_free(&arena);
    cloth_tree_destroy(tree);
    return tip;
}

/* The cone around the axis of a tip is within the faces. It ends where the body is no longer thin, or at the
 * nearest corner around the tip. */
Test(cloth_features, cone_of_a_tip)
{
    const double edge = 0.2, t = 0.002, kept = 0.15,
                 thick = (edge * edge / 3 - (1 - kept * kept) * t * t) / (2 * (1 - kept) * t),
                 within = cos(M_PI / CONE_SIDES);
    cloth_mesh_feature thin = tip_of_cone(1, 4, 0), wide = tip_of_cone(8, 16, 0),
                       leaning = tip_of_cone(1, 4, 2), flat = tip_of_cone(8, 4, 0);
    EXPECT_NEAR(thin.part, 1, 1e-5);
    EXPECT_NEAR(thin.radius, within, 1e-4);
    EXPECT_NEAR(wide.part, thick / (8 * within), 1e-4);
    EXPECT_NEAR(wide.radius, thick, 1e-3);
    EXPECT_NEAR(leaning.part, 2.0 / 3, 1e-4); /* the rim is 2 m below the tip, its middle 3 */
    EXPECT_EQ(flat.part, 0, "a wide tip is a point");
    EXPECT_EQ(flat.radius, 0);
}
