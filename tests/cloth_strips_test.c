/* ctest: devices */
/* A sheet that several devices divide in strips: the bits of one device in strict mode, whatever it
 * is asked for, and refusals that name what cannot be cut. */
#include "cloth_result.h"

#include "heddle/cloth_hold.h"
#include "solver/strips.h"

TestSuite(cloth_strips, .init = here_open, .fini = here_close);

enum { WIDTH = 7, FRAMES = 14, MARGIN = 11, CONTACT_MARGIN = 18 }; /* rows */
static const float spacing = 0.04f;                                /* m */

/* A banner of WIDTH columns that lies at a height of 1 m and is held at one end. */
typedef struct banner {
    uint32_t rows, particles;
    float *positions, *inverse_masses, *max_distance, *driver, *normals;
    hed_cloth_garment_def garment;
    hed_cloth_def def;
} banner;

static void banner_make(banner *b, uint32_t rows)
{
    const uint32_t count = rows * WIDTH;
    *b = (banner){.rows = rows, .particles = count, .def = hed_default_cloth_def()};
    b->positions = malloc(12 * count);
    b->driver = malloc(12 * count);
    b->normals = malloc(12 * count);
    b->inverse_masses = malloc(4 * count);
    b->max_distance = malloc(4 * count);
    for (uint32_t i = 0; i < count; i++) {
        const float place[3] = {
            spacing * (float)(i % WIDTH), 1, spacing * ((float)(i / WIDTH) - 0.5f * (float)rows)};
        memcpy(b->positions + 3 * i, place, sizeof place);
        memcpy(b->normals + 3 * i, (float[]){0, 1, 0}, 12);
        b->inverse_masses[i] = i < WIDTH ? 0.0f : 3000.0f + (float)(i % 5);
        b->max_distance[i] = i < 40 * WIDTH ? 0.3f + 0.01f * (float)(i % 11) : INFINITY;
    }
    b->garment = hed_default_cloth_garment_def();
    b->garment.name = "banner";
    b->garment.particle_count = count;
    b->garment.positions = b->positions;
    b->garment.inverse_masses = b->inverse_masses;
    b->garment.grid_width = WIDTH;
    b->garment.grid_height = rows;
    b->garment.velocity[2] = 0.3f;
    b->garment.family_material[HED_CLOTH_BEND] = (hed_cloth_material){0.9f, 1.0f, 1e-3f};
    b->def.garments = &b->garment;
    b->def.garment_count = 1;
    b->def.substeps = 4;
    b->def.math = HED_MATH_STRICT;
    b->def.max_colliders = 0;
}

/* Everything that moves a sheet: a driver, air, bodies, inertia. */
static void banner_dress(banner *b)
{
    b->garment.driven = true;
    b->garment.max_distance = b->max_distance;
    b->garment.drag = 0.8f;
    b->garment.lift = 0.3f;
    b->garment.linear_inertia = b->garment.angular_inertia = 0.5f;
    b->def.max_colliders = 4;
    b->def.max_collider_triangles = 2;
    b->def.max_fans = 1;
}

static void banner_free(banner *b)
{
    float *arrays[] = {b->positions, b->inverse_masses, b->max_distance, b->driver, b->normals};
    for (int i = 0; i < 5; i++) free(arrays[i]);
}

static hed_cloth *banner_open(const banner *b, hed_device *const *devices, uint32_t count)
{
    hed_cloth_def def = b->def;
    hed_cloth *cloth;
    def.other_devices = devices + 1;
    def.other_device_count = count - 1;
    OK(hed_cloth_create(devices[0], &def, &cloth, &error));
    const hed_cloth_info info = hed_cloth_describe(cloth);
    CHECK_EQ(info.devices, count);
    CHECK_EQ(info.particles, b->particles);
    CHECK_EQ(info.vertices, b->particles);
    return cloth;
}

/* Frame `index` over a body, between thin bars that press, in gusts, with pins that move. */
static void banner_step(const banner *b, hed_cloth *cloth, uint32_t index)
{
    static const float corners[4][3] = {
        {-1, 0.75f, -1}, {-1, 0.7f, 3}, {1, 0.65f, 3}, {1, 0.7f, -1}};
    static const uint32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    const hed_cloth_mesh_collider mesh = {4, 2, corners[0], triangles[0], 0.4f, NULL};
    const float sink = 0.03f * (float)(index % 10);
    const hed_cloth_collider colliders[4] = {
        {.shape = HED_CLOTH_PLANE, .a = {0, 0.2f, 0}, .b = {0, 1, 0}, .friction = 0.5f},
        {HED_CLOTH_CAPSULE, {0.05f, 0.9f, -3}, {0.2f, 0.95f, 3}, {0.005f, 0.01f}, 0.2f},
        {HED_CLOTH_CAPSULE, {0.05f, 1.15f - sink, -3}, {0.2f, 1.15f - sink, 3}, {0.01f, 0.01f}, 0},
        {HED_CLOTH_SPHERE, {0.1f, 0.9f, 0.02f * (float)index}, {0}, {0.08f, 0}, 0.2f}};
    const hed_cloth_fan fan = {{-2, 1, 0}, {1, 0, 0}, 0.5f, 8, 0.2f};
    float motion[16], teleport[16];
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.frames = 1 + index % 2;
    for (uint32_t i = 0; i < 3 * b->particles; i++)
        b->driver[i] = b->positions[i] + (i % 3 == 0 ? 0.01f * (float)(index % 9) : 0);
    rigid_of(motion, 0.02f * (float)index, 0.01f);
    rigid_of(teleport, 0.5f, 0);
    frame.wind[0] = 3.0f;
    frame.gust = 0.5f;
    frame.fans = &fan;
    frame.fan_count = 1;
    frame.driver_positions = b->driver;
    frame.driver_normals = b->normals;
    frame.colliders = colliders;
    frame.collider_count = 4;
    frame.meshes = &mesh;
    frame.mesh_count = 1;
    if (index % 5 == 2) frame.motion = motion;
    if (index == 9) frame.teleports = teleport;
    OK(hed_cloth_step(cloth, &frame, &error));
}

/* ---- the same bits ---- */

Test(cloth_strips, the_same_bits_as_one_device, .timeout = 300)
{
    banner b;
    banner_make(&b, 4 * CONTACT_MARGIN + 3);
    banner_dress(&b);
    hed_device *const devices[] = {here.device, host_device(), here.device, here.device};
    hed_cloth *const cloths[] = {banner_open(&b, devices + 1, 1), banner_open(&b, devices + 2, 2),
        banner_open(&b, devices, 4)};
    cloth_result r[3];
    const float turn[16] = {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0.1f, 0, 0, 1};
    const hed_cloth_info info = hed_cloth_describe(cloths[2]);
    EXPECT(strstr(info.choice, "in 4 strips with margins of 18 rows"), "%s", info.choice);
    for (int c = 0; c < 3; c++) {
        for (uint32_t f = 0; f < FRAMES; f++) {
            banner_step(&b, cloths[c], f);
            if (f == 5) OK(hed_cloth_enable_normals(cloths[c], &error));
            if (f == 7) OK(hed_cloth_teleport(cloths[c], 0, turn, &error));
            /* in two strips: the first row of the second */
            if (f == 9) OK(hed_cloth_set_max_distance(cloths[c], 18 * WIDTH + 2, 0, &error));
            if (f % 4 == 0) OK(hed_cloth_wait(cloths[c], &error));
        }
    }
    expect_equal_results(cloths, r);
    exchange_states(cloths, r);
    for (int c = 0; c < 3; c++)
        for (uint32_t f = 0; f < 8; f++) banner_step(&b, cloths[c], f);
    expect_equal_results(cloths, r);
    destroy_three(cloths, r);
    banner_free(&b);
}

/* Strips as narrow as their margins, of rows that do not divide evenly; the origin follows. */
static void expect_equal_strips(const banner *b, uint32_t count)
{
    test_device second = test_open(NULL); /* another context: copies and events between the two */
    hed_device *const kinds[3] = {here.device, host_device(), second.device};
    hed_device *devices[16];
    cloth_result r[2];
    for (uint32_t i = 0; i < 16; i++) devices[i] = kinds[i % 3];
    for (uint32_t several = 0; several < 2; several++) {
        hed_cloth *cloth = banner_open(b, devices, several ? count : 1);
        hed_cloth_frame frame = hed_default_cloth_frame();
        for (int f = 0; f < 40; f++) OK(hed_cloth_step(cloth, &frame, &error));
        EXPECT_NE(cloth_lead(cloth)->origin[1], 1.0, "followed");
        r[several] = result_of(cloth);
        hed_cloth_destroy(cloth);
    }
    expect_equal(&r[0], &r[1], b->particles);
    result_free(&r[0]);
    result_free(&r[1]);
    test_close(&second);
}

Test(cloth_strips, narrow_strips, .timeout = 300)
{
    banner b;
    banner_make(&b, 9 * MARGIN + 8);
    expect_equal_strips(&b, 9);
    banner_free(&b);
    banner_make(&b, 3 * 21 + 1); /* two iterations, with multipliers */
    b.def.iterations = 2;
    expect_equal_strips(&b, 3);
    banner_free(&b);
}

/* ---- margins ---- */

/* Positions after a substep of a banner that is stretched, in wind, and whose rows [first, end) begin
 * elsewhere; to be freed. */
static float *after_a_substep(banner *b, uint32_t first, uint32_t end)
{
    float *rest = malloc(12 * b->particles), *whole = b->positions;
    for (uint32_t i = 0; i < b->particles; i++) {
        const uint32_t row = i / WIDTH;
        const bool is_moved = row >= first && row < end;
        rest[3 * i] = whole[3 * i];
        rest[3 * i + 1] = whole[3 * i + 1] + (is_moved ? 0.02f + 0.01f * (float)(i % 3) : 0);
        rest[3 * i + 2] = 1.05f * whole[3 * i + 2];
    }
    b->garment.rest_positions = whole;
    b->garment.positions = rest;
    hed_device *const devices[] = {here.device};
    hed_cloth *cloth = banner_open(b, devices, 1);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.wind[0] = 3;
    OK(hed_cloth_step(cloth, &frame, &error));
    float *positions = read_positions(cloth);
    hed_cloth_destroy(cloth);
    b->garment.positions = whole;
    b->garment.rest_positions = NULL;
    free(rest);
    return positions;
}

/* Rows on a side of row `cut` that have other positions after rows that are `margin` away on the
 * other side began elsewhere. */
static uint32_t rows_reached(banner *b, uint32_t cut, uint32_t margin, bool from_below)
{
    const uint32_t first = from_below ? 0 : cut + margin, end = from_below ? cut - margin : b->rows,
                   own = from_below ? cut : 0, own_end = from_below ? b->rows : cut;
    float *still = after_a_substep(b, 0, 0), *moved = after_a_substep(b, first, end);
    uint32_t count = 0;
    for (uint32_t row = own; row < own_end; row++)
        count += memcmp(still + 3 * row * WIDTH, moved + 3 * row * WIDTH, 12 * WIDTH) != 0;
    free(still);
    free(moved);
    return count;
}

/* Margins are as wide as a change travels in a substep, and of one iteration not a row wider: through
 * more constraints it is lost in rounding. */
Test(cloth_strips, a_margin_is_as_wide_as_changes_travel, .timeout = 300)
{
    for (uint32_t iterations = 1; iterations <= 2; iterations++)
        for (uint32_t rows = 120; rows < 128; rows += 2) {
            banner b;
            banner_make(&b, rows);
            b.garment.drag = b.garment.lift = 0.5f;
            b.def.substeps = 1;
            b.def.iterations = iterations;
            hed_device *const devices[] = {here.device, host_device()};
            hed_cloth *cloth = banner_open(&b, devices, 2);
            const uint32_t margin = cloth->strips->margin, cut = rows / 2;
            hed_cloth_destroy(cloth);
            EXPECT_EQ(rows_reached(&b, cut, margin, false), 0, "%u rows", rows);
            EXPECT_EQ(rows_reached(&b, cut, margin, true), 0, "%u rows", rows);
            if (iterations == 1)
                EXPECT_GT(rows_reached(&b, cut, margin - 1, false) +
                              rows_reached(&b, cut, margin - 1, true),
                    0, "%u rows: a margin of %u would do", rows, margin - 1);
            banner_free(&b);
        }
}

/* Fast mode: strips are solved by colours, one device chooses; the drape differs by rounding and
 * order. */
Test(cloth_strips, fast_is_near, .timeout = 300)
{
    banner b;
    banner_make(&b, 3 * MARGIN);
    hed_device *const devices[] = {here.device, here.device, here.device};
    b.def.math = HED_MATH_FAST;
    hed_cloth *one = banner_open(&b, devices, 1), *three = banner_open(&b, devices, 3);
    EXPECT_EQ(hed_cloth_describe(three).solver, HED_CLOTH_SOLVER_COLOURS);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.frames = 10;
    OK(hed_cloth_step(one, &frame, &error));
    OK(hed_cloth_step(three, &frame, &error));
    float *a = read_positions(one), *c = read_positions(three);
    EXPECT_LT(largest_difference(a, c, 3 * b.particles), 5e-3);
    EXPECT_LT(c[3 * b.particles - 2], 0.95f, "m: fallen");
    free(a);
    free(c);
    hed_cloth_destroy(one);
    hed_cloth_destroy(three);
    banner_free(&b);
}

/* A hand holds a vertex of the second strip's first row, which is in the first one's margin. */
Test(cloth_strips, a_hand_holds_a_vertex, .timeout = 300)
{
    banner b;
    banner_make(&b, 2 * CONTACT_MARGIN);
    hed_device *const devices[] = {here.device, here.device};
    const uint32_t vertex = CONTACT_MARGIN * WIDTH + 3;
    cloth_result r[2];
    for (uint32_t several = 0; several < 2; several++) {
        hed_cloth_hold *hold;
        OK(hed_cloth_hold_create(&b.def, &hold, &error));
        banner held = b;
        held.def = hed_cloth_hold_def(hold);
        hed_cloth *cloth = banner_open(&held, devices, several ? 2 : 1);
        hed_cloth_frame frame = hed_default_cloth_frame();
        OK(hed_cloth_hold_vertex(hold, vertex, (const float[]){0.1f, 1.2f, 0.1f}, &error));
        for (int f = 0; f < 20; f++) {
            float *positions = read_positions(cloth);
            if (f == 12) OK(hed_cloth_hold_release(hold, cloth, vertex, &error));
            OK(hed_cloth_hold_frame(hold, cloth, positions, &frame, &error));
            OK(hed_cloth_step(cloth, &frame, &error));
            free(positions);
        }
        r[several] = result_of(cloth);
        hed_cloth_destroy(cloth);
        hed_cloth_hold_destroy(hold);
    }
    expect_equal(&r[0], &r[1], b.particles);
    EXPECT_NE(r[0].positions[3 * vertex + 1], 1.2f, "let go");
    result_free(&r[0]);
    result_free(&r[1]);
    banner_free(&b);
}

/* ---- faults ---- */

/* A broken particle: all strips go back, and the message has the particle's number in the sheet. */
Test(cloth_strips, all_go_back_together, .timeout = 300)
{
    banner b;
    banner_make(&b, 2 * MARGIN);
    hed_device *const devices[] = {here.device, here.device};
    hed_cloth *cloth = banner_open(&b, devices, 2), *one = banner_open(&b, devices, 1);
    hed_cloth_frame frame = hed_default_cloth_frame();
    const uint32_t broken_one = MARGIN * WIDTH + 3; /* of the second strip's first row */
    const float broken[3] = {NAN, NAN, NAN};
    frame.frames = 35;
    OK(hed_cloth_step(cloth, &frame, &error));
    OK(hed_cloth_step(one, &frame, &error));
    OK(hed_cloth_wait(cloth, &error)); /* the good state */
    hed_cloth *part = cloth->parts[1];
    OK(hed_write(part->stream, part->buffers.position,
        16 * (uint64_t)(broken_one - part->base_particle), broken, 12, &error));
    frame.frames = 1;
    OK(hed_cloth_step(cloth, &frame, &error));
    FAILS(HED_ERROR_FORMAT, hed_cloth_wait(cloth, &error));
    EXPECT(strstr(error.text, "at frame 36") && strstr(error.text, "of garment 0") &&
               strstr(error.text, "went back to frame 35"),
        "%s", error.text);
    EXPECT_EQ(hash_of(cloth), hash_of(one));
    OK(hed_cloth_step(cloth, &frame, &error));
    OK(hed_cloth_step(one, &frame, &error));
    EXPECT_EQ(hash_of(cloth), hash_of(one));
    hed_cloth_destroy(cloth);
    hed_cloth_destroy(one);
    banner_free(&b);
}

/* A frame that fails between two strips is refused by name until a reset; creation that fails
 * anywhere frees all. */
Test(cloth_strips, without_memory, .timeout = 300)
{
    test_allocator counting = {0};
    hed_context_def context = hed_default_context_def();
    context.allocator = test_allocator_of(&counting);
    test_device t = test_open(&context);
    banner b;
    banner_make(&b, 2 * MARGIN);
    hed_device *const devices[] = {t.device, t.device};
    hed_cloth *cloth = banner_open(&b, devices, 2), *one = banner_open(&b, devices, 1), *failed;
    hed_cloth_frame frame = hed_default_cloth_frame();
    uint32_t refused = 0;
    frame.seconds = 0.01; /* other materials, which are allocated */
    counting.fail_at = counting.calls + 1;
    FAILS(HED_ERROR_MEMORY, hed_cloth_step(cloth, &frame, &error));
    counting.fail_at = 0;
    FAILS(HED_ERROR_DRIVER, hed_cloth_step(cloth, &frame, &error));
    EXPECT(strstr(error.text, "between the strips of its sheet"), "%s", error.text);
    OK(hed_cloth_reset(cloth, &error));
    OK(hed_cloth_step(cloth, &frame, &error));
    OK(hed_cloth_step(one, &frame, &error));
    EXPECT_EQ(hash_of(cloth), hash_of(one));
    hed_cloth_destroy(cloth);
    hed_cloth_destroy(one);
    b.def.other_devices = devices + 1;
    b.def.other_device_count = 1;
    for (int64_t n = 1, status = 1; status; n += 1 + n / 2, refused++) {
        int64_t live = counting.live;
        error = (hed_error){0};
        counting.fail_at = counting.calls + n;
        status = hed_cloth_create(t.device, &b.def, &failed, &error);
        counting.fail_at = 0;
        if (!status) hed_cloth_destroy(failed);
        else
            CHECK(
                status == HED_ERROR_MEMORY || status == HED_ERROR_DEVICE_MEMORY, "%s", error.text);
        CHECK_EQ(counting.live, live, "allocation %lld", (long long)n);
    }
    EXPECT_GT(refused, 6u);
    banner_free(&b);
    test_close(&t);
    EXPECT_EQ(counting.live, 0);
}

/* ---- refusals ---- */

static void expect_refused(const banner *b, hed_status status, const char *words)
{
    hed_device *const devices[] = {here.device, here.device};
    hed_cloth_def def = b->def;
    hed_cloth *cloth;
    def.other_devices = devices;
    def.other_device_count = 2;
    FAILS(status, hed_cloth_create(here.device, &def, &cloth, &error));
    EXPECT(strstr(error.text, words), "%s", error.text);
}

Test(cloth_strips, refusals_have_names)
{
    static const uint32_t seams[] = {0, 20};
    uint32_t order[WIDTH * 40];
    banner b;
    banner_make(&b, 3 * MARGIN - 1);
    expect_refused(&b, HED_ERROR_ARGUMENT,
        "3 devices for 32 rows are 10 rows for each, and a substep reaches over 11; expected at most 2 devices");
    banner_free(&b);
    banner_make(&b, 40);
    b.garment.tethers = true;
    expect_refused(&b, HED_ERROR_UNSUPPORTED, "its tethers lead across strips");
    b.garment.tethers = false;
    b.garment.fabric = hed_cloth_fabric_named("cotton");
    expect_refused(&b, HED_ERROR_UNSUPPORTED, "its fabric bends along whole columns");
    b.garment.fabric = NULL;
    b.def.substeps = 0;
    expect_refused(&b, HED_ERROR_UNSUPPORTED, "its lattices solve whole columns; expected a number");
    b.def.substeps = 4;
    b.garment.seams = seams;
    b.garment.seam_count = 1;
    b.garment.seam_seconds = 1;
    expect_refused(&b, HED_ERROR_UNSUPPORTED, "its seams lead across strips");
    b.garment.seam_count = 0;
    for (uint32_t i = 0; i < b.particles; i++) order[i] = b.particles - 1 - i;
    b.garment.vertex_count = b.particles;
    b.garment.vertex_particle = order;
    expect_refused(&b, HED_ERROR_UNSUPPORTED, "its vertices are not its particles");
    b.garment.vertex_count = 0;
    b.def.solver = HED_CLOTH_SOLVER_SETS;
    expect_refused(&b, HED_ERROR_UNSUPPORTED, "with solver sets; expected colours");
    b.def.solver = HED_CLOTH_SOLVER_AUTO;
    b.garment.copies = 2;
    expect_refused(&b, HED_ERROR_ARGUMENT, "3 devices for 2 garments, copies included; expected");
    b.garment.copies = 1;
    const uint32_t triangle[3] = {0, 1, WIDTH};
    b.garment.grid_width = b.garment.grid_height = 0;
    b.garment.triangles = triangle;
    b.garment.triangle_count = 1;
    expect_refused(&b, HED_ERROR_UNSUPPORTED, "it is a mesh; expected a grid");
    banner_free(&b);
}
