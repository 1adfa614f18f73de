/* ctest: devices full=pocl long */
/* Colliders: the shapes' surfaces against sampled ones, friction on slopes, ways that pass right
 * through thin things, things that pass through cloth; meshes: nearest triangle and side against
 * all triangles, bodies that move, particles that begin inside, and what is wrong with a mesh. */
#include "fixture.h"

#include "cloth_contacts.h"

#include "contact/contact_host.h"

static hed_error error;

TestSuite(cloth_collide, .init = here_open, .fini = here_close);

/* ---- the shapes, as C ---- */

/* Distance to the hull of two balls, from two thousand balls between them. */
static double sampled_height(const float *a, float ra, const float *b, float rb, const double *p)
{
    double least = INFINITY;
    for (int i = 0; i <= 2000; i++) {
        double share = i / 2000.0, square = 0.0;
        for (int k = 0; k < 3; k++) square += pow(p[k] - (a[k] + share * (b[k] - a[k])), 2);
        double height = sqrt(square) - (ra + share * (rb - ra));
        if (height < least) least = height;
    }
    return least;
}

Test(cloth_collide, height_over_tapered_capsules)
{
    uint32_t seed = 3;
    for (int i = 0; i < 300; i++) {
        float v[11];
        for (int k = 0; k < 11; k++)
            v[k] = (float)(seed = seed * 1664525u + 1013904223u) / 4294967296.0f;
        float a[3] = {v[0], v[1], v[2]}, b[3] = {v[3], v[4], v[5]}, ra = 0.4f * v[6],
              rb = 0.4f * v[7];
        double p[3] = {2.0 * v[8] - 0.5, 2.0 * v[9] - 0.5, 2.0 * v[10] - 0.5};
        float4 at = {(float)p[0], (float)p[1], (float)p[2], 1.0f};
        float4 found = cloth_over_balls(
            (float4){a[0], a[1], a[2], ra}, (float4){b[0], b[1], b[2], rb}, 0.01f, at);
        double expected = sampled_height(a, ra, b, rb, p) - 0.01;
        CHECK(fabs(found.w - expected) < 2e-4, "capsule %d: height %g, sampled %g", i, found.w,
            expected);
        CHECK(fabs(cloth_square(found.x, found.y, found.z) - 1.0f) < 1e-5f);
    }
}

/* One collider that goes from one pose to another, as cloth_collide() reads it. */
static void words_of(const hed_cloth_collider *from, const hed_cloth_collider *to, float4 *words)
{
    words[0] = (float4){from->a[0], from->a[1], from->a[2], from->radius[0]};
    words[1] = (float4){from->b[0], from->b[1], from->b[2], from->radius[1]};
    words[2] = (float4){to->a[0], to->a[1], to->a[2], to->radius[0]};
    words[3] = (float4){to->b[0], to->b[1], to->b[2], to->radius[1]};
    words[4] = (float4){(float)to->shape, to->friction, 0.0f, 0.0f};
}

static float4 collide_one(const hed_cloth_collider *from, const hed_cloth_collider *to,
    float4 before, float4 at, float friction)
{
    float4 words[CLOTH_COLLIDER_WORDS];
    words_of(from, to, words);
    return cloth_collide(at, before, 0.002f, friction, (float4){0}, words, 1, 0.0f, 1.0f);
}

/* A capsule of 5 mm in the way of particles that go 20 cm in one substep, from all sides and at all
 * distances from its axis: those that meet it stay on the side that they came from, those that pass
 * it by keep their bits. */
Test(cloth_collide, fast_particles_stop_at_a_thin_capsule)
{
    hed_cloth_collider rod = {
        .shape = HED_CLOTH_CAPSULE, .a = {-1, 0, 0}, .b = {1, 0, 0}, .radius = {0.005f, 0.005f}};
    for (int turn = 0; turn < 24; turn++) {
        float c = cosf((float)turn * 0.2618f), s = sinf((float)turn * 0.2618f);
        for (int i = -6; i <= 6; i++) {
            float beside = 0.002f * (float)i;
            float4 before = {0.1f, 0.1f * c - beside * s, 0.1f * s + beside * c, 1.0f},
                   at = {0.15f, -0.1f * c - beside * s, -0.1f * s + beside * c, 1.0f};
            float4 put = collide_one(&rod, &rod, before, at, 0.0f);
            float side = put.y * c + put.z * s, away = sqrtf(put.y * put.y + put.z * put.z);
            if (fabsf(beside) > 0.0071f)
                CHECK(memcmp(&put, &at, sizeof at) == 0, "turn %d, %g beside it", turn, beside);
            else
                CHECK(
                    away > 0.0069f, "turn %d, %g beside it: %g from the axis", turn, beside, away);
            if (fabsf(beside) < 0.004f)
                CHECK(side > 0.0f, "turn %d, %g beside it: it passed, %g", turn, beside, side);
        }
    }
}

Test(cloth_collide, a_fast_thin_capsule_takes_particles_along)
{
    hed_cloth_collider from = {.shape = HED_CLOTH_CAPSULE,
                           .a = {-1, 0.3f, 0},
                           .b = {1, 0.3f, 0},
                           .radius = {0.004f, 0.006f}},
                       to = from;
    to.a[1] = to.b[1] = -0.3f;
    float4 still = {0.2f, 0.0f, 0.001f, 1.0f}, put = collide_one(&from, &to, still, still, 0.0f);
    EXPECT(put.y < -0.306f, "left behind at %g", put.y);
    float4 locked = {0.2f, 0.0f, 0.001f, 0.0f},
           kept = collide_one(&from, &to, locked, locked, 0.0f);
    EXPECT(memcmp(&kept, &locked, sizeof kept) == 0, "a locked particle moved");
}

Test(cloth_collide, one_inside_comes_out_bit_by_bit)
{
    hed_cloth_collider ball_collider_ = {.shape = HED_CLOTH_SPHERE, .radius = {0.1f}};
    float4 at = {0.0f, 0.05f, 0.0f, 1.0f};
    for (int i = 0; i < 40; i++) {
        float4 put = collide_one(&ball_collider_, &ball_collider_, at, at, 0.0f);
        CHECK(put.y > at.y && put.y - at.y < 0.26f * (0.102f - at.y) + 1e-6f,
            "step %d: from %g to %g", i, at.y, put.y);
        at = put;
        if (at.y > 0.1019f) return;
    }
    FAIL("still inside at %g", at.y);
}

/* ---- friction: a sheet on a slope ---- */

static double slide(hed_device *device, double angle, const hed_cloth_collider *collider, bool mesh,
    uint32_t substeps)
{
    sheet s = sheet_make(5, 0.08f);
    s.def.thickness = 0.01f;
    s.def.friction = 0.5f;
    sheet_put(&s, 0.0101f, 0.0f);
    hed_cloth_def def = dressed_def(&s.def, 1);
    def.substeps = substeps;
    dressed d = dressed_make(device, &def);
    static const float corners[4][3] = {{-5, 0, -5}, {-5, 0, 5}, {5, 0, 5}, {5, 0, -5}};
    static const uint32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    hed_cloth_mesh_collider floor_ = {4, 2, corners[0], triangles[0], 0.5f, NULL};
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.gravity[0] = (float)(-9.81 * sin(angle));
    frame.gravity[1] = (float)(-9.81 * cos(angle));
    frame.colliders = collider;
    frame.collider_count = mesh ? 0 : 1;
    frame.meshes = &floor_;
    frame.mesh_count = mesh ? 1 : 0;
    for (int f = 0; f < 30; f++) dressed_step(&d, &frame);
    double way = s.positions[12][0] - d.positions[12][0];
    dressed_free(&d);
    sheet_free(&s);
    return way;
}

/* Friction 0.5 on 0.5 is 0.5: what slides on a slope of 0.7 goes g (sin - 0.5 cos) t^2 / 2, with any
 * number of substeps. */
Test(cloth_collide, friction_on_a_slope)
{
    hed_cloth_collider plane = {.shape = HED_CLOTH_PLANE, .b = {0, 1, 0}, .friction = 0.5f};
    hed_cloth_collider capsule = {.shape = HED_CLOTH_CAPSULE,
        .a = {0, -100, -1},
        .b = {0, -100, 1},
        .radius = {100, 100},
        .friction = 0.5f};
    double expected = 0.5 * 9.81 * (sin(0.7) - 0.5 * cos(0.7)) * 0.25;
    const uint32_t substeps[] = {4, 10, 60};
    for (int i = 0; i < 9; i++) {
        const hed_cloth_collider *collider = i % 3 == 1 ? &capsule : &plane;
        /* rounding of 100 m is more than gravity's motion in so short a substep */
        if (collider == &capsule && substeps[i / 3] > 10) continue;
        double sticks = slide(here.device, 0.4, collider, i % 3 == 2, substeps[i / 3]),
               slides = slide(here.device, 0.7, collider, i % 3 == 2, substeps[i / 3]);
        printf("%s, %u substeps: %.5f m at 0.4, %.4f m at 0.7, expected %.4f\n",
            i % 3 == 0   ? "plane"
            : i % 3 == 1 ? "capsule"
                         : "mesh",
            substeps[i / 3], sticks, slides, expected);
        EXPECT(fabs(sticks) < 1e-3, "below the angle of friction it slid by %g m", sticks);
        EXPECT(fabs(slides - expected) < 0.08 * expected,
            "above it it slid by %g m, expected was %g m", slides, expected);
    }
}

/* ---- a fast ball through a cloth that is held ---- */

Test(cloth_collide, a_fast_ball_does_not_pass_a_cloth)
{
    sheet s = sheet_make(17, 0.4f);
    for (uint32_t i = 0; i < 17; i++) s.inverse_masses[i] = s.inverse_masses[16 * 17 + i] = 0.0f;
    s.def.thickness = 0.005f;
    hed_cloth_def def = dressed_def(&s.def, 1);
    def.substeps = 1;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_collider shot = {
        .shape = HED_CLOTH_SPHERE, .a = {0.01f, 0.15f, 0.013f}, .radius = {0.03f}};
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.gravity[1] = 0.0f;
    frame.colliders = &shot;
    frame.collider_count = 1;
    dressed_step(&d, &frame);
    for (int f = 0; f < 2;
         f++) { /* from 15 cm above to 5 cm below, in two substeps of 10 cm: it is never near the
                                     cloth at the end of one */
        shot.a[1] -= 0.1f;
        dressed_step(&d, &frame);
    }
    double lowest = 0.0;
    for (uint32_t i = 0; i < d.particles; i++) {
        double square = 0.0;
        for (int k = 0; k < 3; k++) square += pow((double)d.positions[i][k] - shot.a[k], 2);
        EXPECT(
            sqrt(square) > 0.0345, "particle %u is %g m from the ball's centre", i, sqrt(square));
        if (d.positions[i][1] < lowest) lowest = d.positions[i][1];
        /* Beneath the ball's centre line, nothing of the middle of the sheet is above it. */
        double beside = pow((double)d.positions[i][0] - shot.a[0], 2) +
                        pow((double)d.positions[i][2] - shot.a[2], 2);
        EXPECT(beside > 0.02 * 0.02 || d.positions[i][1] < shot.a[1], "particle %u passed the ball",
            i);
    }
    EXPECT(lowest < -0.06, "the cloth was not taken along: %g m", lowest);
    dressed_free(&d);
    sheet_free(&s);
}

/* ---- meshes: the nearest place ---- */

/* A box with flat faces, corners and edges, and of triangles of very different sizes. */
static const float box_corners[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
    {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}};
static const uint32_t box_triangles[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5},
    {0, 5, 4}, {2, 3, 7}, {2, 7, 6}, {1, 2, 6}, {1, 6, 5}, {0, 4, 7}, {0, 7, 3}};

typedef struct placed_tree {
    cloth_tree *tree;
    float4 *places, *boxes;
} placed_tree;

static placed_tree tree_of(const hed_cloth_mesh_collider *mesh)
{
    hed_context *context;
    placed_tree made = {0};
    OK(hed_context_create(NULL, &context, &error));
    hed_allocator allocator = hed_context_describe(context).allocator;
    OK(cloth_tree_create(&allocator, mesh, 1, &made.tree, &error));
    made.places = calloc(mesh->vertex_count, sizeof *made.places);
    made.boxes = calloc(4 * made.tree->leaves, sizeof *made.boxes);
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        made.places[v] = (float4){
            mesh->positions[3 * v], mesh->positions[3 * v + 1], mesh->positions[3 * v + 2], 0.0f};
    const cloth_mesh_boxes_view view = {.boxes = made.boxes,
        .leaf_at = made.tree->leaf_at,
        .triangles = made.tree->triangles,
        .begin = made.places,
        .end = made.places,
        .leaves = made.tree->leaves};
    for (uint32_t node = 2 * made.tree->leaves - 1; node > 0; node--) cloth_box_one(node, view);
    hed_context_destroy(context);
    return made;
}

static void tree_free(placed_tree *made)
{
    cloth_tree_destroy(made->tree);
    free(made->places);
    free(made->boxes);
}

/* Signed distance by the tree and the pseudo-normal. */
static double tree_distance(const placed_tree *made, float4 p)
{
    const cloth_tree *tree = made->tree;
    float best = 1e30f;
    cloth_mesh_view view = {.boxes = made->boxes,
        .leaf_at = tree->leaf_at,
        .triangles = tree->triangles,
        .edges = tree->edges,
        .incident_at = tree->incident_at,
        .incident = tree->incident,
        .begin = made->places,
        .end = made->places};
    uint32_t t = cloth_tree_nearest(
        p, (float4){0}, (float4){0}, &best, view, (cloth_meshes){.leaves = tree->leaves});
    CHECK(t != CLOTH_MESH_NONE);
    uint4 corner = tree->triangles[t];
    cloth_nearest near =
        cloth_nearest_of(p, made->places[corner.x], made->places[corner.y], made->places[corner.z]);
    float4 normal = cloth_pseudo_normal(t, near.region, 0.0f, view);
    return cloth_dot(near.to, normal) <= 0.0f ? sqrt(near.to.w) : -sqrt(near.to.w);
}

/* Finds the plane of a particle at `at` over a mesh that moves by `move` at most in the frame;
 * gravity moves the particle by 20 mm. */
static void find_plane(const placed_tree *made, float4 at, float move,
    float4 planes[CLOTH_CONTACT_WORDS], float4 *anchor)
{
    const float thickness = 0.02f;
    const cloth_tree *tree = made->tree;
    float4 previous = {at.x, at.y, at.z, 0.0f}, kinds[] = {{0.3f, 1.0f, 0.0f, 0.0f}},
           garments[CLOTH_GARMENT_WORDS] = {{0.0f, 0.0f, 0.0f, thickness}};
    cloth_mesh_view view = {.boxes = made->boxes,
        .leaf_at = tree->leaf_at,
        .triangles = tree->triangles,
        .edges = tree->edges,
        .incident_at = tree->incident_at,
        .incident = tree->incident,
        .kinds = kinds,
        .begin = made->places,
        .end = made->places};
    planes[1].w = CLOTH_NO_PLANE;
    *anchor = (float4){0};
    cloth_mesh_find_one(0, view,
        (cloth_mesh_find_view){.position = &at,
            .previous = &previous,
            .garments = garments,
            .contact = planes,
            .anchors = anchor,
            .meshes = {.move = move,
                .fall = 0.02f,
                .until = 1.0f,
                .particles = 1,
                .leaves = tree->leaves}});
}

/* The anchor of a particle has its place, and how far it may move before any triangle is nearer than the
 * thickness; also where no triangle is within reach. */
Test(cloth_collide, anchors_keep_the_thickness_free)
{
    hed_cloth_mesh_collider box = {8, 12, box_corners[0], box_triangles[0], 0.0f, NULL};
    placed_tree made = tree_of(&box);
    float4 planes[CLOTH_CONTACT_WORDS], anchor;
    find_plane(&made, (float4){0.2f, 1.05f, 0.1f, 1.0f}, 0.04f, planes, &anchor);
    CHECK_EQ(planes[1].w, 0.3f);
    EXPECT_NEAR(planes[0].y, 1.0f, 1e-6);
    EXPECT_NEAR(planes[0].w, 1.0f, 1e-6, "at the surface");
    EXPECT_NEAR(anchor.w, 0.05f - 0.02f - 0.04f, 1e-6);
    EXPECT_NEAR(anchor.y, 1.05f, 1e-6);
    find_plane(&made, (float4){0.2f, 1.03f, 0.1f, 1.0f}, 0.0f, planes, &anchor);
    CHECK_EQ(planes[1].w, 0.3f);
    EXPECT_NEAR(anchor.w, 0.03f - 0.02f, 1e-6);
    find_plane(&made, (float4){0.2f, 1.5f, 0.1f, 1.0f}, 0.04f, planes, &anchor);
    CHECK_EQ(planes[1].w, CLOTH_NO_PLANE);
    EXPECT_NEAR(anchor.w, 0.02f, 1e-6, "the reach without the thickness and the mesh's motion");
    EXPECT_NEAR(anchor.y, 1.5f, 1e-6);
    tree_free(&made);
}

Test(cloth_collide, distance_to_a_box)
{
    hed_cloth_mesh_collider box = {8, 12, box_corners[0], box_triangles[0], 0.0f, NULL};
    placed_tree made = tree_of(&box);
    CHECK(made.tree->closed[0]);
    uint32_t seed = 7;
    for (int i = 0; i < 3000; i++) {
        float p[3];
        double outside = 0.0, inside = -INFINITY;
        for (int k = 0; k < 3; k++) {
            p[k] = 4.0f * (float)(seed = seed * 1664525u + 1013904223u) / 4294967296.0f - 2.0f;
            double over = fabs(p[k]) - 1.0;
            outside += over > 0 ? over * over : 0;
            inside = over > inside ? over : inside;
        }
        double expected = inside > 0 ? sqrt(outside) : inside,
               found = tree_distance(&made, (float4){p[0], p[1], p[2], 0});
        CHECK(fabs(found - expected) < 1e-5, "(%g %g %g): %g, expected %g", p[0], p[1], p[2], found,
            expected);
    }
    tree_free(&made);
}

/* Of many triangles, some of them long, the nearest is the one that trying all of them gives; also
 * where vertices come twice. */
Test(cloth_collide, nearest_of_many_triangles)
{
    ball b = ball_make(24, 40);
    ball_put(&b, 0.1f, 0.2f, 0.3f, 1.0f);
    for (uint32_t v = 0; v < b.vertex_count; v++) b.positions[v][0] *= 8.0f;
    /* each triangle with corners of its own */
    float(*split)[3] = calloc(3 * b.triangle_count, sizeof *split);
    uint32_t(*corners)[3] = calloc(b.triangle_count, sizeof *corners);
    for (uint32_t i = 0; i < 3 * b.triangle_count; i++) {
        memcpy(split[i], b.positions[b.triangles[i / 3][i % 3]], sizeof *split);
        corners[i / 3][i % 3] = i;
    }
    hed_cloth_mesh_collider mesh = ball_collider(&b, 0.0f),
                            loose = {.vertex_count = 3 * b.triangle_count,
                                .triangle_count = b.triangle_count,
                                .positions = split[0],
                                .triangles = corners[0]};
    placed_tree made = tree_of(&mesh), welded = tree_of(&loose);
    CHECK(made.tree->closed[0] && welded.tree->closed[0], "a seam opened the mesh");
    uint32_t seed = 5;
    for (int i = 0; i < 500; i++) {
        float v[3];
        for (int k = 0; k < 3; k++)
            v[k] = (float)(seed = seed * 1664525u + 1013904223u) / 4294967296.0f - 0.5f;
        float4 p = {16.0f * v[0], 3.0f * v[1], 3.0f * v[2], 0.0f};
        float least = INFINITY;
        for (uint32_t t = 0; t < made.tree->triangle_count; t++) {
            uint4 c = made.tree->triangles[t];
            least = fminf(least,
                cloth_nearest_of(p, made.places[c.x], made.places[c.y], made.places[c.z]).to.w);
        }
        double found = tree_distance(&made, p);
        CHECK(fabs(fabs(found) - sqrt(least)) <= 1e-6 * sqrt(least),
            "point %d: %g, of all triangles %g", i, found, sqrt(least));
        CHECK(tree_distance(&welded, p) == found, "point %d: %g with seams, %g without", i,
            tree_distance(&welded, p), found);
        double inside = pow((p.x / 8.0 - 0.1), 2) + pow(p.y - 0.2, 2) + pow(p.z - 0.3, 2);
        CHECK((inside > 1.0 && found > 0) || (inside < 0.97 && found < 0) ||
                  (inside <= 1.0 && inside >= 0.97),
            "point %d: side", i);
    }
    tree_free(&made);
    tree_free(&welded);
    free(split);
    free(corners);
    ball_free(&b);
}

/* ---- meshes: cloth over them ---- */

/* Least distance of a particle from a ball's centre. */
static double nearest_to(const dressed *d, float x, float y, float z)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < d->particles; i++) {
        double square = pow((double)d->positions[i][0] - x, 2) +
                        pow((double)d->positions[i][1] - y, 2) +
                        pow((double)d->positions[i][2] - z, 2);
        if (sqrt(square) < least) least = sqrt(square);
    }
    return least;
}

static uint64_t over_a_moving_body(hed_device *device, bool check)
{
    ball b = ball_make(16, 24);
    sheet s = sheet_make(17, 0.5f);
    s.def.thickness = 0.01f;
    sheet_put(&s, 0.22f, 0.0f);
    hed_cloth_def def = dressed_def(&s.def, 1);
    dressed d = dressed_make(device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth_mesh_collider body = ball_collider(&b, 0.8f);
    frame.meshes = &body;
    frame.mesh_count = 1;
    double start = 0.0, end = 0.0;
    for (int f = 0; f < 60; f++) {
        /* 0.3 m/s from the thirtieth frame on */
        float x = f < 30 ? 0.0f : 0.3f * (float)(f - 30) / 60.0f;
        ball_put(&b, x, 0.0f, 0.0f, 0.2f);
        dressed_step(&d, &frame);
        double least = nearest_to(&d, x, 0.0f, 0.0f);
        if (check)
            EXPECT(least > 0.198, "frame %d: a particle is %g m from the centre of a body of 0.2 m",
                f, least);
        if (f == 30) start = d.positions[144][0];
        if (f == 59) end = d.positions[144][0] - x;
    }
    if (check)
        EXPECT(
            fabs(end - start) < 0.03, "the cloth did not go along: %g m on the body", end - start);
    uint64_t hash = dressed_measure(&d).hash;
    dressed_free(&d);
    sheet_free(&s);
    ball_free(&b);
    return hash;
}

Test(cloth_collide, cloth_over_a_moving_body)
{
    hed_device *host;
    OK(hed_device_find(here.context, "host", &host, &error));
    uint64_t own = over_a_moving_body(here.device, true), there = over_a_moving_body(host, false);
    EXPECT(own == there, "%016llx, on the host %016llx", (unsigned long long)own,
        (unsigned long long)there);
}

/* A sheet that begins deep in a body: it comes out, and never fast. */
Test(cloth_collide, deep_inside_comes_out_gently)
{
    ball b = ball_make(16, 24);
    ball_put(&b, 0.0f, 0.06f, 0.0f, 0.1f);
    sheet s = sheet_make(9, 0.06f);
    s.def.thickness = 0.005f;
    hed_cloth_def def = dressed_def(&s.def, 1);
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.gravity[1] = 0.0f;
    hed_cloth_mesh_collider body = ball_collider(&b, 0.0f);
    frame.meshes = &body;
    frame.mesh_count = 1;
    double first = 0.0, fastest = 0.0, last = 0.0, mass = 0.2 * 81 * s.spacing * s.spacing;
    for (int f = 0; f < 90; f++) {
        dressed_step(&d, &frame);
        last = nearest_to(&d, 0.0f, 0.06f, 0.0f);
        if (f == 0) first = last;
        double speed = sqrt(2.0 * dressed_measure(&d).kinetic_energy / mass);
        if (speed > fastest) fastest = speed;
    }
    printf(
        "%.4f m from the centre, %.4f m after 90 frames; at most %.3f m/s\n", first, last, fastest);
    EXPECT(first < 0.07 && last > 0.1, "from %g to %g m", first, last);
    EXPECT(fastest < 0.4, "%g m/s", fastest);
    dressed_free(&d);
    sheet_free(&s);
    ball_free(&b);
}

/* Everything jumps by 10 m in one frame, through the cloth. */
Test(cloth_collide, jumps_of_ten_metres_stay_finite)
{
    ball b = ball_make(8, 12);
    sheet s = sheet_make(9, 0.2f);
    hed_cloth_garment_def garment = s.def;
    garment.self_collision = true;
    hed_cloth_def def = dressed_def(&garment, 1);
    dressed d = dressed_make(here.device, &def);
    hed_cloth_mesh_collider body = ball_collider(&b, 0.5f);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.meshes = &body;
    frame.mesh_count = 1;
    frame.collider_count = 3;
    for (int f = 0; f < 8; f++) {
        float y = f % 2 ? -5.0f : 5.0f;
        hed_cloth_collider colliders[] = {
            {.shape = HED_CLOTH_SPHERE, .a = {0, y, 0}, .radius = {0.1f}, .friction = 1.0f},
            {.shape = HED_CLOTH_CAPSULE,
                .a = {-1, -y, 0},
                .b = {1, y, 0},
                .radius = {0.1f, 0.2f},
                .friction = 1.0f},
            {.shape = HED_CLOTH_PLANE, .a = {0, -5.0f + y, 0}, .b = {0, 1, 0}, .friction = 1.0f}};
        frame.colliders = colliders;
        ball_put(&b, 0.0f, -y, 0.0f, 0.3f);
        dressed_step(&d, &frame);
        hed_cloth_metrics q = dressed_measure(&d);
        EXPECT(fabs(q.high[1]) < 1000.0 && fabs(q.low[1]) < 1000.0, "from %g to %g m", q.low[1],
            q.high[1]);
    }
    dressed_free(&d);
    sheet_free(&s);
    ball_free(&b);
}

/* ---- saved states and errors ---- */

/* A cloth that is given the state of another goes on to the bit, whether it has seen the meshes or
 * not, and whether the frame of reference moves or not. */
static void check_states(const float *motion)
{
    ball b = ball_make(10, 16);
    sheet s = sheet_make(9, 0.3f);
    sheet_put(&s, 0.215f, 0.0f);
    s.def.self_collision = true;
    hed_cloth_def def = dressed_def(&s.def, 1);
    dressed one = dressed_make(here.device, &def), two = dressed_make(here.device, &def);
    hed_cloth_mesh_collider body = ball_collider(&b, 0.8f);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.meshes = &body;
    frame.mesh_count = 1;
    frame.motion = motion;
    void *state = NULL;
    uint64_t size = 0, hash[2];
    for (int f = 0; f < 12; f++) {
        if (f == 6) {
            size = hed_cloth_save_size(one.cloth);
            state = malloc(size);
            OK(hed_cloth_save(one.cloth, state, &error));
        }
        ball_put(&b, 0.005f * (float)f, 0.0f, 0.0f, 0.2f);
        dressed_step(&one, &frame);
    }
    hash[0] = dressed_measure(&one).hash;
    dressed *again[] = {&two, &one};
    for (int i = 0; i < 2; i++) {
        OK(hed_cloth_load(again[i]->cloth, state, size, &error));
        for (int f = 6; f < 12; f++) {
            ball_put(&b, 0.005f * (float)f, 0.0f, 0.0f, 0.2f);
            dressed_step(again[i], &frame);
        }
        hash[1] = dressed_measure(again[i]).hash;
        EXPECT(hash[0] == hash[1], "%s: %016llx, expected %016llx", i ? "the same" : "another",
            (unsigned long long)hash[1], (unsigned long long)hash[0]);
    }
    free(state);
    dressed_free(&one);
    dressed_free(&two);
    sheet_free(&s);
    ball_free(&b);
}

Test(cloth_collide, states_carry_the_meshes)
{
    const float along[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.003f, 0, 0.002f, 1};
    check_states(NULL);
    check_states(along);
}

/* Frames after a state with meshes need not have meshes: nothing is met until a frame brings
 * them. */
Test(cloth_collide, frames_after_a_state_may_have_no_meshes)
{
    ball b = ball_make(10, 16);
    sheet s = sheet_make(9, 0.3f);
    sheet_put(&s, 0.215f, 0.0f);
    hed_cloth_def def = dressed_def(&s.def, 1);
    dressed one = dressed_make(here.device, &def), two = dressed_make(here.device, &def);
    hed_cloth_mesh_collider body = ball_collider(&b, 0.8f);
    hed_cloth_frame frame = hed_default_cloth_frame(), bare = frame;
    frame.meshes = &body;
    frame.mesh_count = 1;
    dressed_step(&one, &frame);
    uint64_t size = hed_cloth_save_size(one.cloth);
    void *state = malloc(size);
    OK(hed_cloth_save(one.cloth, state, &error));
    OK(hed_cloth_load(two.cloth, state, size, &error));
    for (int f = 0; f < 3; f++) dressed_step(&two, &bare);
    hed_cloth_metrics q = dressed_measure(&two);
    EXPECT(fabs(q.high[1]) < 10.0 && fabs(q.low[1]) < 10.0, "from %g to %g m", q.low[1], q.high[1]);
    CHECK_EQ(hed_cloth_save_size(two.cloth), size);
    OK(hed_cloth_save(two.cloth, state, &error));
    OK(hed_cloth_load(one.cloth, state, size, &error));
    dressed_step(&two, &frame);
    free(state);
    dressed_free(&one);
    dressed_free(&two);
    sheet_free(&s);
    ball_free(&b);
}

Test(cloth_collide, what_is_wrong_with_a_mesh_is_said)
{
    ball b = ball_make(4, 6);
    ball_put(&b, 0.0f, 0.0f, 0.0f, 0.2f);
    sheet s = sheet_make(5, 0.1f);
    hed_cloth_def def = dressed_def(&s.def, 1);
    dressed d = dressed_make(here.device, &def);
    hed_cloth_mesh_collider bodies[2] = {ball_collider(&b, 0.0f), ball_collider(&b, 0.0f)};
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.meshes = bodies;
    frame.mesh_count = 1;
    b.triangles[3][1] = 99;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_step(d.cloth, &frame, &error));
    EXPECT(strstr(error.text, "triangle 3 has vertex 99"), "%s", error.text);
    b.triangles[3][1] = b.triangles[3][0]; /* no area: allowed */
    dressed_step(&d, &frame);
    frame.mesh_count = 2;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_step(d.cloth, &frame, &error));
    frame.mesh_count = 1;
    bodies[0].triangle_count--;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_step(d.cloth, &frame, &error));
    bodies[0].triangle_count++;
    dressed_step(&d, &frame);
    frame.mesh_count = 0;
    dressed_step(&d, &frame); /* stands still */
    dressed_measure(&d);
    dressed_free(&d);
    sheet_free(&s);
    ball_free(&b);
}

Test(cloth_collide, every_allocation_may_fail)
{
    ball b = ball_make(4, 6);
    ball_put(&b, 0.0f, 0.0f, 0.0f, 0.2f);
    sheet s = sheet_make(5, 0.1f);
    hed_cloth_def def = dressed_def(&s.def, 1);
    hed_cloth_mesh_collider body = ball_collider(&b, 0.0f);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.meshes = &body;
    frame.mesh_count = 1;
    bool done = false;
    uint32_t refused = 0;
    for (int64_t n = 1; n < 500 && !done; n++) {
        test_allocator memory = {0};
        hed_context_def context = hed_default_context_def();
        context.allocator = test_allocator_of(&memory);
        test_device t = test_open(&context);
        hed_cloth *cloth;
        OK(hed_cloth_create(t.device, &def, &cloth, &error));
        memory.calls = 0;
        memory.fail_at = n;
        hed_error_clear(&error);
        hed_status status = hed_cloth_step(cloth, &frame, &error);
        memory.fail_at = 0;
        done = status == HED_OK;
        CHECK(done || status == HED_ERROR_MEMORY || status == HED_ERROR_DEVICE_MEMORY, "%s: %s",
            hed_status_name(status), error.text);
        hed_cloth_destroy(cloth);
        test_close(&t);
        refused += !done;
        CHECK(memory.live == 0, "%lld blocks are left when allocation %lld fails",
            (long long)memory.live, (long long)n);
    }
    CHECK(done && refused > 1, "%u refused", refused);
    sheet_free(&s);
    ball_free(&b);
}
