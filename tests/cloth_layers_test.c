/* Garments over each other at the start: tubes that lie in each other, in the wrong order or within
 * a body begin outside of each other by the thickness, and come to rest without a crossing; what is
 * right already stays to the bit; what cannot be set right is refused by name. */
#include "cloth_contacts.h"
#include "cloth_judge.h"

#include "heddle/cloth_layers.h"

static hed_error error;

/* ---- tubes around the y axis ---- */

enum { AROUND = 24, ROWS = 13, PARTICLES = AROUND * ROWS, QUADS = AROUND * (ROWS - 1) };

typedef struct tube {
    float positions[PARTICLES][3], inverse_masses[PARTICLES];
    uint32_t quads[QUADS][4], triangles[2 * QUADS][3];
    hed_cloth_garment_def def; /* points at the above */
} tube;

static tube *tube_make(const char *name, uint32_t layer, float radius, float length, float x)
{
    tube *t = calloc(1, sizeof *t);
    for (uint32_t i = 0; i < PARTICLES; i++) {
        double angle = 2 * M_PI * (i % AROUND) / AROUND;
        t->positions[i][0] = x + radius * (float)sin(angle);
        t->positions[i][1] = length * (0.5f - (float)(i / AROUND) / (ROWS - 1));
        t->positions[i][2] = radius * (float)cos(angle);
        t->inverse_masses[i] = 2000;
    }
    for (uint32_t q = 0; q < QUADS; q++) {
        uint32_t a = q, b = q / AROUND * AROUND + (q + 1) % AROUND;
        const uint32_t corners[] = {a, a + AROUND, b + AROUND, b};
        memcpy(t->quads[q], corners, sizeof corners);
        memcpy(t->triangles[2 * q], corners, sizeof t->triangles[0]);
        memcpy(t->triangles[2 * q + 1], (uint32_t[]){corners[0], corners[2], corners[3]},
            sizeof t->triangles[0]);
    }
    t->def = hed_default_cloth_garment_def();
    t->def.name = name;
    t->def.layer = layer;
    t->def.particle_count = PARTICLES;
    t->def.positions = t->positions[0];
    t->def.inverse_masses = t->inverse_masses;
    t->def.quads = t->quads[0];
    t->def.quad_count = QUADS;
    t->def.thickness = 0.01f;
    t->def.self_collision = HED_CLOTH_SELF_TRIANGLES;
    t->def.damping = 0.5f;
    return t;
}

/* Pairs that cross of some tubes at `positions` and a ball (NULL: none). */
static uint64_t crossings_of(
    tube *const *tubes, uint32_t count, const float (*positions)[3], const ball *body)
{
    hed_cloth_check_surface surfaces[4];
    hed_cloth_crossings found;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        surfaces[i] = (hed_cloth_check_surface){
            PARTICLES, 2 * QUADS, positions[(size_t)i * PARTICLES], tubes[i]->triangles[0], false};
    if (body)
        surfaces[count] = (hed_cloth_check_surface){
            body->vertex_count, body->triangle_count, body->positions[0], body->triangles[0], true};
    OK(hed_cloth_check(
        &(hed_cloth_check_def){.surfaces = surfaces, .surface_count = count + (body != NULL)},
        &found, &error));
    for (int kind = 0; kind < HED_CLOTH_CROSSING_KIND_COUNT; kind++) sum += found.count[kind];
    hed_cloth_crossings_free(&found);
    return sum;
}

static hed_status lay(tube *const *tubes, uint32_t count, const ball *body, float (*positions)[3],
    hed_cloth_laid *laid)
{
    hed_cloth_garment_def garments[4];
    hed_cloth_mesh_collider mesh;
    if (body) mesh = ball_collider(body, 0.3f);
    for (uint32_t i = 0; i < count; i++) garments[i] = tubes[i]->def;
    return hed_cloth_lay(garments, count,
        body ? &(hed_cloth_frame){.meshes = &mesh, .mesh_count = 1} : NULL, positions[0], laid,
        &error);
}

static hed_status lay_on_shapes(tube *const *tubes, uint32_t count,
    const hed_cloth_collider *shapes, uint32_t shape_count, float (*positions)[3],
    hed_cloth_laid *laid)
{
    hed_cloth_garment_def garments[4];
    for (uint32_t i = 0; i < count; i++) garments[i] = tubes[i]->def;
    return hed_cloth_lay(garments, count,
        &(hed_cloth_frame){.colliders = shapes, .collider_count = shape_count}, positions[0], laid,
        &error);
}

/* How far from the axis the particles of a tube's middle rows are. */
static void radii_of(const float (*positions)[3], double *least, double *most)
{
    *least = INFINITY;
    *most = 0;
    for (uint32_t i = 3 * AROUND; i < PARTICLES - 3 * AROUND; i++) {
        double r = sqrt(
            (double)positions[i][0] * positions[i][0] + (double)positions[i][2] * positions[i][2]);
        *least = fmin(*least, r);
        *most = fmax(*most, r);
    }
}

/* ---- what is set right ---- */

/* The outermost is the smallest, and all reach through a ball. */
Test(cloth_layers, the_wrong_order)
{
    ball body = ball_make(12, 24);
    ball_put(&body, 0, 0, 0, 0.1f);
    tube *tubes[] = {tube_make("coat", 3, 0.085f, 0.3f, 0.004f),
        tube_make("vest", 1, 0.09f, 0.3f, 0), tube_make("shirt", 2, 0.095f, 0.3f, -0.004f)};
    static float positions[3 * PARTICLES][3];
    hed_cloth_laid laid[3];
    for (int i = 0; i < 3; i++)
        memcpy(positions[i * PARTICLES], tubes[i]->positions, sizeof tubes[i]->positions);
    EXPECT_GT(crossings_of(tubes, 3, (const float(*)[3])positions, &body), 500);
    OK(lay(tubes, 3, &body, positions, laid));
    EXPECT_EQ(crossings_of(tubes, 3, (const float(*)[3])positions, &body), 0);
    double least[3], most[3];
    for (int i = 0; i < 3; i++) {
        radii_of((const float(*)[3])positions + i * PARTICLES, &least[i], &most[i]);
        EXPECT(laid[i].moved > PARTICLES / 2 && laid[i].farthest > 0.01, "%d: %u, %g m", i,
            laid[i].moved, laid[i].farthest);
        EXPECT_LT(laid[i].farthest, 0.08); /* and not much further than they have to */
    }
    printf("vest %.4f to %.4f, shirt %.4f to %.4f, coat %.4f to %.4f m\n", least[1], most[1],
        least[2], most[2], least[0], most[0]);
    /* each by the thickness over the one before, less what a chord is below its circle */
    EXPECT_GT(least[2], least[1] + 0.008);
    EXPECT_GT(least[0], least[2] + 0.008);
    for (int i = 0; i < 3; i++) free(tubes[i]);
    ball_free(&body);
}

/* The same tube three times. */
Test(cloth_layers, all_at_one_place)
{
    tube *tubes[3];
    static float positions[3 * PARTICLES][3];
    for (uint32_t i = 0; i < 3; i++) tubes[i] = tube_make("tube", i + 1, 0.1f, 0.3f, 0);
    OK(lay(tubes, 3, NULL, positions, NULL));
    EXPECT_EQ(crossings_of(tubes, 3, (const float(*)[3])positions, NULL), 0);
    EXPECT_EQ(memcmp(positions, tubes[0]->positions, sizeof tubes[0]->positions), 0);
    for (uint32_t i = 0; i < 2 * PARTICLES; i++) {
        double way = 0;
        for (int k = 0; k < 3; k++)
            way += pow((double)positions[i + PARTICLES][k] - positions[i][k], 2);
        /* beyond the borders there is no side: they go with their neighbours */
        if (i % PARTICLES >= AROUND && i % PARTICLES < PARTICLES - AROUND)
            EXPECT(way > 0.0099 * 0.0099, "particle %u: %g m", i, sqrt(way));
    }
    for (int i = 0; i < 3; i++) free(tubes[i]);
}

/* How high a place is over a capsule: by trying out balls along its axis. */
static double over_capsule(const hed_cloth_collider *c, const float *place)
{
    double least = INFINITY;
    for (int i = 0; i <= 4000; i++) {
        double share = i / 4000.0, square = 0;
        for (int k = 0; k < 3; k++)
            square += pow(place[k] - (c->a[k] + share * ((double)c->b[k] - c->a[k])), 2);
        least = fmin(
            least, sqrt(square) - (c->radius[0] + share * ((double)c->radius[1] - c->radius[0])));
    }
    return least;
}

/* Bodies of capsules, balls and planes: a tube that reaches through a leaning tapered capsule, with
 * another one in the same place on the layer above, a ball in the capsule's side and the ground. */
Test(cloth_layers, out_of_capsules_balls_and_planes)
{
    tube *tubes[] = {
        tube_make("vest", 1, 0.085f, 0.3f, 0), tube_make("shirt", 2, 0.085f, 0.3f, 0.002f)};
    const hed_cloth_collider shapes[] = {
        {.shape = HED_CLOTH_CAPSULE, {0.01f, -0.1f, 0}, {-0.01f, 0.1f, 0}, {0.1f, 0.08f}},
        {.shape = HED_CLOTH_SPHERE, {0.05f, 0.02f, 0}, .radius = {0.06f}},
        {.shape = HED_CLOTH_PLANE, {5, -0.14f, 5}, {0, 1, 0}}};
    static float positions[2 * PARTICLES][3];
    hed_cloth_laid laid[2];
    OK(lay_on_shapes(tubes, 2, shapes, 3, positions, laid));
    hed_cloth_check_surface surfaces[2];
    hed_cloth_crossings found;
    for (int i = 0; i < 2; i++) {
        surfaces[i] = (hed_cloth_check_surface){
            PARTICLES, 2 * QUADS, positions[i * PARTICLES], tubes[i]->triangles[0], false};
        EXPECT(laid[i].moved > PARTICLES / 2 && laid[i].farthest < 0.06, "%d: %u, %g m", i,
            laid[i].moved, laid[i].farthest);
    }
    hed_cloth_check_def check = {
        .surfaces = surfaces, .surface_count = 2, .shapes = shapes, .shape_count = 3};
    OK(hed_cloth_check(&check, &found, &error));
    EXPECT_EQ(found.pair_count, 0);
    hed_cloth_crossings_free(&found);
    double nearest[3] = {INFINITY, INFINITY, INFINITY};
    for (uint32_t i = 0; i < 2 * PARTICLES; i++) {
        const float *p = positions[i];
        double x = p[0] - 0.05, y = p[1] - 0.02;
        nearest[0] = fmin(nearest[0], over_capsule(&shapes[0], p));
        nearest[1] = fmin(nearest[1], sqrt(x * x + y * y + p[2] * p[2]) - 0.06);
        nearest[2] = fmin(nearest[2], p[1] + 0.14);
    }
    printf("nearest to capsule, ball, plane: %g %g %g m; moved at most %g and %g m\n", nearest[0],
        nearest[1], nearest[2], laid[0].farthest, laid[1].farthest);
    for (int k = 0; k < 3; k++) EXPECT_NEAR(nearest[k], 0.01, 2e-4, "collider %d", k);
    for (int i = 0; i < 2; i++) free(tubes[i]);
}

/* What is right already stays, and so does what is on no layer. */
Test(cloth_layers, what_is_right_stays)
{
    tube *tubes[] = {tube_make("vest", 1, 0.1f, 0.3f, 0), tube_make("shirt", 2, 0.115f, 0.3f, 0),
        tube_make("cape", 0, 0.1f, 0.3f, 0.05f)};
    ball body = ball_make(12, 24);
    ball_put(&body, 0, 0, 0, 0.08f);
    static float positions[3 * PARTICLES][3];
    hed_cloth_laid laid[3];
    OK(lay(tubes, 3, &body, positions, laid));
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(memcmp(positions[i * PARTICLES], tubes[i]->positions, sizeof tubes[i]->positions),
            0, "%s", tubes[i]->def.name);
        EXPECT_EQ(laid[i].moved, 0);
        free(tubes[i]);
    }
    ball_free(&body);
}

/* From the laid start on nothing crosses, the layers stay in their order, and nothing is thrown. */
Test(cloth_layers, they_come_to_rest, .timeout = 300)
{
    tube *tubes[] = {tube_make("vest", 1, 0.1f, 0.3f, 0), tube_make("shirt", 2, 0.1f, 0.3f, 0)};
    ball body = ball_make(12, 24);
    ball_put(&body, 0, 0, 0, 0.095f);
    static float positions[2 * PARTICLES][3];
    OK(lay(tubes, 2, &body, positions, NULL));
    test_device t = test_open(NULL);
    hed_cloth_garment_def garments[2];
    for (int i = 0; i < 2; i++) {
        garments[i] = tubes[i]->def;
        garments[i].positions = positions[i * PARTICLES];
        garments[i].rest_positions = tubes[i]->positions[0];
    }
    hed_cloth_def def = dressed_def(garments, 2);
    def.substeps = 10;
    dressed d = dressed_make(t.device, &def);
    hed_cloth_mesh_collider mesh = ball_collider(&body, 0.5f);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.meshes = &mesh;
    frame.mesh_count = 1;
    frame.gravity[1] = 0;
    double fastest = 0;
    for (int f = 0; f < 60; f++) {
        memcpy(positions, d.positions, sizeof positions);
        dressed_step(&d, &frame);
        EXPECT_EQ(crossings_of(tubes, 2, (const float(*)[3])d.positions, NULL), 0, "frame %d", f);
        for (uint32_t i = 0; i < 2 * PARTICLES && f > 0; i++) {
            double way = 0;
            for (int k = 0; k < 3; k++) way += pow((double)d.positions[i][k] - positions[i][k], 2);
            fastest = fmax(fastest, 60 * sqrt(way));
        }
    }
    hed_cloth_metrics q = dressed_measure(&d);
    printf("at most %.3f m/s\n", fastest);
    EXPECT(fastest < 3, "thrown at %g m/s", fastest);
    EXPECT(q.contact_pairs > 0, "they do not touch");
    dressed_free(&d);
    test_close(&t);
    for (int i = 0; i < 2; i++) free(tubes[i]);
    ball_free(&body);
}

/* ---- automatic garments ---- */

static const hed_cloth_collider ARM = {
    .shape = HED_CLOTH_CAPSULE, {0, -0.4f, 0}, {0, 0.4f, 0}, {0.1f, 0.1f}};

/* A wide tube that begins 20 mm deep in one side of an arm moves aside and keeps its lengths; a tight
 * one is too small by what its radius lacks. */
Test(cloth_layers, a_deep_start_is_moved_out)
{
    tube *wide = tube_make("wide", HED_CLOTH_LAYER_AUTO, 0.125f, 0.3f, 0.045f),
         *tight = tube_make("tight", HED_CLOTH_LAYER_AUTO, 0.08f, 0.3f, 0);
    static float positions[PARTICLES][3];
    hed_cloth_laid laid;
    tight->def.thickness = wide->def.thickness = 0.005f;
    OK(lay_on_shapes(&wide, 1, &ARM, 1, positions, &laid));
    printf("wide: %u particles, %g m deep, moved %g m, stretch %g\n", laid.within, laid.deepest,
        laid.farthest, laid.stretch_p99);
    EXPECT(laid.within > 40 && laid.within < PARTICLES / 2, "%u within", laid.within);
    EXPECT_NEAR(laid.deepest, 0.02, 1e-4);
    EXPECT(
        laid.moved > PARTICLES / 2 && laid.farthest < 0.035, "%u, %g m", laid.moved, laid.farthest);
    EXPECT_LT(laid.stretch_p99, 0.02);
    EXPECT_EQ(laid.crossings, 0);
    for (uint32_t i = 0; i < PARTICLES; i++) {
        double r = sqrt(
            (double)positions[i][0] * positions[i][0] + (double)positions[i][2] * positions[i][2]);
        EXPECT(r > 0.1049, "particle %u: %g m from the axis", i, r);
    }
    OK(lay_on_shapes(&tight, 1, &ARM, 1, positions, &laid));
    EXPECT_EQ(laid.within, PARTICLES);
    EXPECT_EQ(laid.crossings, 0);
    EXPECT(laid.stretch_p99 > 0.25 && laid.stretch_p99 < 0.45, "stretch %g", laid.stretch_p99);
    free(wide);
    free(tight);
}

/* A side of a tube begins in an arm beyond its middle: what is nearest to it is behind it. */
Test(cloth_layers, a_sleeve_goes_around_its_arm)
{
    ball body = ball_make(12, 24);
    ball_put(&body, 0, 0, 0, 0.05f);
    for (uint32_t v = 0; v < body.vertex_count; v++) body.positions[v][1] *= 10;
    tube *sleeve = tube_make("sleeve", HED_CLOTH_LAYER_AUTO, 0.09f, 0.3f, 0.1f);
    static float positions[PARTICLES][3];
    hed_cloth_laid laid;
    OK(lay(&sleeve, 1, &body, positions, &laid));
    EXPECT_EQ(laid.crossings, 0);
    EXPECT_EQ(crossings_of(&sleeve, 1, (const float(*)[3])positions, &body), 0);
    float least = INFINITY;
    for (uint32_t i = 0; i < PARTICLES; i++) least = fminf(least, positions[i][0]);
    EXPECT(least < -0.055f, "it lies beside the arm, from %g m on", (double)least);
    free(sleeve);
    ball_free(&body);
}

/* A double cone (2 rings) or a rod with `sides` sides, of radius 0.1 around the y axis. */
static ball sharp_body(uint32_t rings, uint32_t sides)
{
    ball body = ball_make(rings, sides);
    ball_put(&body, 0, 0, 0, 0.1f);
    for (uint32_t v = 0; v < body.vertex_count && rings > 2; v++) body.positions[v][1] *= 3;
    return body;
}

/* Lays an automatic tube on a body; with `every` above 0, each particle with such a number is locked. */
static hed_cloth_laid lay_sharp(
    const ball *body, float radius, float x, uint32_t every, float (*positions)[3])
{
    tube *t = tube_make("tube", HED_CLOTH_LAYER_AUTO, radius, 0.3f, x);
    hed_cloth_laid laid;
    t->def.thickness = 0.005f;
    for (uint32_t i = 0; every > 0 && i < PARTICLES; i += every) t->inverse_masses[i] = 0;
    OK(lay(&t, 1, body, positions, &laid));
    EXPECT_EQ(crossings_of(&t, 1, (const float(*)[3])positions, body) == 0, laid.crossings == 0);
    laid.moved = memcmp(positions, t->positions, sizeof t->positions) != 0;
    free(t);
    return laid;
}

/* Over a sharp edge a triangle may cross with all corners outside, so these stay further out. Lengths are
 * regained with the distance that this needs and no more: with none, each round crossed again and none was kept. */
Test(cloth_layers, lengths_are_regained_over_sharp_edges, .timeout = 120)
{
    static float positions[PARTICLES][3];
    for (uint32_t sides = 6; sides <= 12; sides += 2) {
        ball body = sharp_body(2, sides);
        hed_cloth_laid laid = lay_sharp(&body, 0.13f, 0.04f, 0, positions);
        printf("cone, %u sides: moved %g m, stretch %g\n", sides, laid.farthest, laid.stretch_p99);
        EXPECT_EQ(laid.crossings, 0, "%u sides", sides);
        EXPECT_LT(laid.farthest, 0.017, "%u sides", sides);
        EXPECT_LT(laid.stretch_p99, 0.035, "%u sides", sides);
        ball_free(&body);
    }
    for (uint32_t x = 1; x <= 2; x++) {
        ball body = sharp_body(10, 4);
        hed_cloth_laid laid = lay_sharp(&body, 0.13f, 0.04f * (float)x, 0, positions);
        printf("rod: moved %g m, stretch %g\n", laid.farthest, laid.stretch_p99);
        EXPECT_EQ(laid.crossings, 0);
        EXPECT_LT(laid.stretch_p99, 0.08);
        ball_free(&body);
    }
}

/* Of all rounds the positions with the fewest crossings are kept, then those with the least stretch: the last round of a
 * tube that is too small stretches it by 82 %, and moves around locked particles only add crossings. */
Test(cloth_layers, the_best_round_is_kept, .timeout = 120)
{
    static float positions[PARTICLES][3];
    ball body = sharp_body(10, 6), round = sharp_body(10, 10);
    hed_cloth_laid laid = lay_sharp(&body, 0.07f, 0, 0, positions);
    EXPECT_EQ(laid.crossings, 0);
    EXPECT(laid.stretch_p99 > 0.4 && laid.stretch_p99 < 0.65, "stretch %g", laid.stretch_p99);
    laid = lay_sharp(&round, 0.07f, 0.04f, 7, positions);
    EXPECT(laid.crossings > 0 && !laid.moved, "%llu crossings, %s",
        (unsigned long long)laid.crossings, laid.moved ? "moved" : "as it was");
    ball_free(&body);
    ball_free(&round);
}

/* Beside a body, barely in it, or without a layer: to the bit. Held in it: as it is, and told. */
Test(cloth_layers, automatic_garments_stay_where_they_can)
{
    tube *tubes[] = {tube_make("beside", HED_CLOTH_LAYER_AUTO, 0.1f, 0.3f, 0.3f),
        tube_make("barely", HED_CLOTH_LAYER_AUTO, 0.0995f, 0.3f, 0),
        tube_make("none", 0, 0.09f, 0.3f, 0)};
    tube *held = tube_make("held", HED_CLOTH_LAYER_AUTO, 0.1f, 0.3f, 0.1f);
    static float positions[3 * PARTICLES][3];
    hed_cloth_laid laid[3];
    OK(lay_on_shapes(tubes, 3, &ARM, 1, positions, laid));
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(laid[i].moved, 0);
        EXPECT_EQ(memcmp(positions[i * PARTICLES], tubes[i]->positions, sizeof tubes[i]->positions),
            0, "%s", tubes[i]->def.name);
    }
    memset(held->inverse_masses, 0, sizeof held->inverse_masses / 2);
    held->def.thickness = 0.005f;
    OK(lay_on_shapes(&held, 1, &ARM, 1, positions, laid));
    printf("held: %u within, %u moved by %g m, %llu cross\n", laid->within, laid->moved,
        laid->farthest, (unsigned long long)laid->crossings);
    EXPECT(laid->crossings > 0 && laid->farthest < 0.15, "%g m", laid->farthest);
    EXPECT_EQ(memcmp(positions, held->positions, sizeof held->positions / 2), 0, "what is held");
    for (int i = 0; i < 3; i++) free(tubes[i]);
    free(held);
}

/* Two automatic garments: one begins in the body, the other beside it, where the first is moved to. */
Test(cloth_layers, the_next_garment_makes_room)
{
    tube *tubes[] = {tube_make("coat", HED_CLOTH_LAYER_AUTO, 0.104f, 0.3f, 0),
        tube_make("shirt", HED_CLOTH_LAYER_AUTO, 0.09f, 0.3f, 0)};
    static float positions[2 * PARTICLES][3];
    hed_cloth_laid laid[2];
    OK(lay_on_shapes(tubes, 2, &ARM, 1, positions, laid));
    double least[2], most[2];
    for (int i = 0; i < 2; i++)
        radii_of((const float(*)[3])positions + i * PARTICLES, &least[i], &most[i]);
    EXPECT(laid[0].moved > 0 && laid[1].moved > 0, "%u, %u", laid[0].moved, laid[1].moved);
    EXPECT_GT(least[0], most[1] + 0.005);
    EXPECT_EQ(crossings_of(tubes, 2, (const float(*)[3])positions, NULL), 0);
    for (int i = 0; i < 2; i++) free(tubes[i]);
}

/* ---- what is refused ---- */

Test(cloth_layers, what_is_refused)
{
    static float positions[2 * PARTICLES][3];
    tube *tubes[] = {tube_make("vest", 2, 0.1f, 0.3f, 0), tube_make("shirt", 2, 0.1f, 0.3f, 0.03f)};
    /* locked in its place, through the other one, which comes first on the same layer */
    memset(tubes[1]->inverse_masses, 0, sizeof tubes[1]->inverse_masses);
    FAILS(HED_ERROR_ARGUMENT, lay(tubes, 2, NULL, positions, NULL));
    CHECK(strstr(error.text, "Garment 1 (shirt): on layer 2"), "%s", error.text);
    CHECK(strstr(error.text, "it still crosses garment 0 (vest) in "), "%s", error.text);
    tubes[0]->def.density = NAN; /* not sound */
    tubes[0]->def.inverse_masses = NULL;
    FAILS(HED_ERROR_ARGUMENT, lay(tubes, 2, NULL, positions, NULL));
    tubes[0]->def.inverse_masses = tubes[0]->inverse_masses;
    hed_cloth_collider shapes[] = {
        {.shape = HED_CLOTH_PLANE, .b = {0, 1, 0}}, {.shape = HED_CLOTH_SPHERE, .radius = {NAN}}};
    FAILS(HED_ERROR_ARGUMENT, lay_on_shapes(&tubes[1], 1, shapes, 1, positions, NULL));
    CHECK(strstr(error.text, "it still crosses collider 0 in "), "%s", error.text);
    FAILS(HED_ERROR_ARGUMENT, lay_on_shapes(&tubes[1], 1, shapes, 2, positions, NULL));
    CHECK(strstr(error.text, "collider 1"), "%s", error.text);
    ball body = ball_make(4, 4);
    body.triangles[3][1] = body.vertex_count;
    FAILS(HED_ERROR_ARGUMENT, lay(tubes, 2, &body, positions, NULL));
    CHECK(strstr(error.text, "surface 0, triangle 3"), "%s", error.text);
    ball_free(&body);
    for (int i = 0; i < 2; i++) free(tubes[i]);
}

/* ---- in a scene ---- */

static char warnings[1024];

static void keep_warning(void *user, const char *text)
{
    (void)user;
    snprintf(warnings + strlen(warnings), sizeof warnings - strlen(warnings), "%s\n", text);
}

/* In centimetres; the outer one begins within the inner one. */
static hed_status open_scene(const char *layers, hed_cloth_scene **scene)
{
    char text[1024];
    hed_cloth_scene_options options = {.warn = keep_warning};
    snprintf(text, sizeof text,
        "{\"unit\": \"cm\", \"garments\": ["
        "{\"name\": \"inner\", \"sleeve\": {\"radius\": 10, \"length\": 30, \"around\": 24, \"rows\": 13}%s, "
        "\"thickness\": 1, \"self_collision\": true},"
        "{\"name\": \"outer\", \"sleeve\": {\"radius\": 9, \"length\": 28, \"around\": 24, \"rows\": 13, "
        "\"origin\": [0, -1, 0]}%s, \"thickness\": 1, \"self_collision\": true}]}",
        *layers ? ", \"layer\": 1" : "", layers);
    return hed_cloth_scene_parse(text, strlen(text), "layers", "", &options, scene, &error);
}

Test(cloth_layers, a_scene_begins_right)
{
    hed_cloth_scene *plain, *scene;
    OK(open_scene("", &plain));
    CHECK_TEXT(warnings, "");
    OK(open_scene(", \"layer\": 2", &scene));
    CHECK(strstr(warnings, "\"outer\" on layer 2: 312 of 312 particles begin further out"), "%s",
        warnings);
    hed_cloth_def before = hed_cloth_scene_def(plain), after = hed_cloth_scene_def(scene);
    EXPECT_EQ(after.garments[1].layer, 2);
    EXPECT_EQ(memcmp(after.garments[0].positions, before.garments[0].positions, 12 * 312), 0);
    for (uint32_t i = 0; i < 312; i++) {
        const float *p = after.garments[1].positions + 3 * (size_t)i;
        double r = sqrt((double)p[0] * p[0] + (double)p[2] * p[2]);
        if (i >= 24 && i < 312 - 24) EXPECT(r > 0.108 && r < 0.14, "particle %u: %g m", i, r);
    }
    static float start[2 * 312][3]; /* in centimetres */
    hed_cloth_scene_start(scene, start[0]);
    EXPECT_NEAR(start[312 + 100][0], 100 * after.garments[1].positions[300], 1e-4);
    hed_cloth_scene_close(plain);
    hed_cloth_scene_close(scene);
    error = (hed_error){0};
    FAILS(HED_ERROR_ARGUMENT,
        open_scene(", \"layer\": 1, \"pins\": [{\"box\": {\"low\": [-9, -99, -9], "
                   "\"high\": [9, 99, 9]}}]",
            &scene));
}

/* In a body of a ball and the ground, in centimetres. */
Test(cloth_layers, a_scene_begins_out_of_a_ball_and_the_ground)
{
    static const char text[] =
        "{\"unit\": \"cm\", \"garments\": [{\"name\": \"skirt\", \"sleeve\": {\"radius\": 10, "
        "\"length\": 30, \"around\": 24, \"rows\": 13}, \"layer\": 1, \"thickness\": 1}],"
        "\"ground\": {\"height\": -14}, \"colliders\": [{\"sphere\": {\"centre\": [0, 0, 0], "
        "\"radius\": 11}}]}";
    hed_cloth_scene *scene;
    hed_cloth_scene_options options = {.warn = keep_warning};
    *warnings = 0;
    OK(hed_cloth_scene_parse(text, sizeof text - 1, "ball", "", &options, &scene, &error));
    CHECK(strstr(warnings, "\"skirt\" on layer 1"), "%s", warnings);
    judged j = judged_of("a skirt in a ball", scene);
    hed_cloth_frame frame;
    OK(hed_cloth_scene_frame(scene, 0, 1e12, &frame, &error));
    frame.transform = NULL;
    for (uint32_t i = 0; i < 3 * j.vertices; i++) j.positions[i] *= 0.01f; /* as the frame has it */
    judged_look(&j, &frame, 0);
    judged_close(&j);
}

/* Without the key a garment that begins in a ball is moved out of it and told of, whether it keeps its
 * lengths or is too small; "layer": 0 is left where it is. */
Test(cloth_layers, a_scene_without_layers)
{
    static const char text[] =
        "{\"unit\": \"cm\", \"garments\": [{\"name\": \"skirt\", \"sleeve\": {\"radius\": %s, "
        "\"length\": 30, \"around\": 24, \"rows\": 13}%s, \"thickness\": 0.5}],"
        "\"colliders\": [{\"sphere\": {\"centre\": [%s, -15, 0], \"radius\": 11}}]}";
    const struct {
        const char *radius, *layer, *x, *told;
        bool moved, own;
    } cases[] = {{"14", "", "4", "begins within a body", true, true},
        {"10", "", "0", "too small for the body", true, false},
        {"10", ", \"layer\": 0", "0", "", false, true}, {"14", "", "0", "", false, true}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char scene_text[512];
        hed_cloth_scene *scene;
        hed_cloth_scene_options options = {.warn = keep_warning};
        *warnings = 0;
        snprintf(scene_text, sizeof scene_text, text, cases[c].radius, cases[c].layer, cases[c].x);
        OK(hed_cloth_scene_parse(
            scene_text, strlen(scene_text), "ball", "", &options, &scene, &error));
        if (*cases[c].told) CHECK(strstr(warnings, cases[c].told), "%s", warnings);
        else CHECK_TEXT(warnings, "");
        const hed_cloth_garment_def *def = hed_cloth_scene_def(scene).garments;
        float most = 0; /* radius at rest */
        const float *rest = def->rest_positions ? def->rest_positions : def->positions;
        for (uint32_t i = 0; i < def->particle_count; i++)
            most =
                fmaxf(most, sqrtf(rest[3 * i] * rest[3 * i] + rest[3 * i + 2] * rest[3 * i + 2]));
        EXPECT_EQ(most < 0.01f * (float)atof(cases[c].radius) + 1e-5f, cases[c].own,
            "case %zu: %g m", c, (double)most);
        EXPECT_EQ(def->rest_positions && def->rest_positions != def->positions,
            cases[c].moved && cases[c].own, "case %zu", c);
        hed_cloth_scene_close(scene);
    }
}

/* Three T-shirts cut from one surface, of which the shortest lies on the body and the longest
 * outside: folds come up at the armpits, where both sides of a crease come out. */
Test(cloth_layers, shirts_in_the_wrong_order)
{
    static const char text[] =
        "{\"garments\": [{\"name\": \"a\", \"mesh\": \"data/scenes/shirt-inner.obj\", \"layer\": 3},"
        "{\"name\": \"b\", \"mesh\": \"data/scenes/shirt-middle.obj\", \"layer\": 2},"
        "{\"name\": \"c\", \"mesh\": \"data/scenes/shirt-outer.obj\", \"layer\": 1}],"
        "\"colliders\": [{\"mesh\": \"data/scenes/body.obj\"}]}";
    hed_cloth_scene *scene;
    OK(hed_cloth_scene_parse(text, sizeof text - 1, "shirts", "", NULL, &scene, &error));
    judged j = judged_of("shirts in the wrong order", scene);
    hed_cloth_frame frame;
    OK(hed_cloth_scene_frame(scene, 0, 1e12, &frame, &error));
    judged_look(&j, &frame, 0);
    EXPECT_GT(j.tests, 1000);
    judged_close(&j);
}
