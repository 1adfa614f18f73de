/* ctest: devices */
/* A cloth whose garments several devices divide: the bits of one device in strict mode, whatever it
 * is asked for, and refusals that name what cannot be divided. */
#include "cloth_result.h"
#include "fixture.h"

#include "heddle/cloth_contact.h"
#include "heddle/cloth_hold.h"
#include "object/division.h"

TestSuite(cloth_devices, .init = here_open, .fini = here_close);

/* ---- a wardrobe ---- */

enum { GARMENTS = 5, FRAMES = 24, LAST_TELEPORT = 20 };

/* Garments of all kinds, 11 with their copies: in the air, with a driver, with a lattice, with a
 * fabric, sewn. */
typedef struct wardrobe {
    sheet sheets[GARMENTS];
    hed_cloth_garment_def garments[GARMENTS];
    hed_cloth_def def;
    float *driver, *normals;
    uint32_t particles;
} wardrobe;

static void wardrobe_make(wardrobe *w)
{
    static const uint32_t sides[GARMENTS] = {9, 7, 11, 6, 8}, copies[GARMENTS] = {3, 2, 1, 4, 1};
    static const uint32_t seams[] = {7, 63, 6, 62};
    *w = (wardrobe){.def = hed_default_cloth_def()};
    for (int g = 0; g < GARMENTS; g++) {
        sheet *s = &w->sheets[g];
        *s = sheet_make(sides[g]);
        if (g == 1) sheet_dress(s);
        s->garment.copies = copies[g];
        s->garment.linear_inertia = s->garment.angular_inertia = g == 2 ? 0.5f : 0;
        w->particles += copies[g] * s->garment.particle_count;
        w->garments[g] = s->garment;
    }
    memset(w->sheets[0].inverse_masses, 0x41, 4 * 81); /* 12: nothing of it is held */
    w->garments[2].lattices = true;
    w->garments[2].drag = w->garments[2].lift = 0.5f;
    w->garments[3].fabric = hed_cloth_fabric_named("cotton");
    w->garments[3].grid_width = w->garments[3].grid_height = 0;
    w->garments[4].seams = seams;
    w->garments[4].seam_count = 2;
    w->garments[4].seam_seconds = 0.2f;
    w->def.garments = w->garments;
    w->def.garment_count = GARMENTS;
    w->def.substeps = 4;
    w->def.math = HED_MATH_STRICT;
    w->def.max_colliders = 3;
    w->def.max_collider_triangles = 2;
    w->def.max_fans = 1;
    w->driver = malloc(12 * w->particles);
    w->normals = malloc(12 * w->particles);
}

static void wardrobe_free(wardrobe *w)
{
    for (int g = 0; g < GARMENTS; g++) sheet_free(&w->sheets[g]);
    free(w->driver);
    free(w->normals);
}

static hed_cloth *wardrobe_open(const wardrobe *w, hed_device *const *devices, uint32_t count)
{
    hed_cloth_def def = w->def;
    hed_cloth *cloth;
    def.other_devices = devices + 1;
    def.other_device_count = count - 1;
    OK(hed_cloth_create(devices[0], &def, &cloth, &error));
    CHECK_EQ(hed_cloth_describe(cloth).devices, count);
    return cloth;
}

/* Frame `index` with everything that moves cloth: a driver, gusts, a fan, a plane, a thin capsule, a
 * mesh, a moving frame of reference, jumps of one garment, of two and of all. */
static void wardrobe_step(const wardrobe *w, hed_cloth *cloth, uint32_t index)
{
    static const float corners[4][3] = {
        {-1, 0.55f, -1}, {-1, 0.5f, 1}, {1, 0.45f, 1}, {1, 0.5f, -1}};
    static const uint32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    const hed_cloth_mesh_collider mesh = {4, 2, corners[0], triangles[0], 0.4f, NULL};
    const hed_cloth_collider colliders[2] = {
        {.shape = HED_CLOTH_PLANE, .a = {0, 0.2f, 0}, .b = {0, 1, 0}, .friction = 0.5f},
        {HED_CLOTH_CAPSULE, {-1, 0.7f, 0.1f}, {1, 0.8f, 0}, {0.01f, 0.02f}, 0.2f}};
    const hed_cloth_fan fan = {{-2, 1, 0}, {1, 0, 0}, 0.5f, 8, 0.2f};
    float motion[16], teleports[GARMENTS][16];
    hed_cloth_frame frame = hed_default_cloth_frame();
    uint32_t at = 0;
    for (int g = 0; g < GARMENTS; g++)
        for (uint32_t i = 0; i < w->garments[g].copies * w->garments[g].particle_count; i++, at++) {
            const float *from = w->sheets[g].positions + 3 * (i % w->garments[g].particle_count);
            const float moved[3] = {from[0] + 0.01f * (float)(index % 9), from[1], from[2]};
            memcpy(w->driver + 3 * at, moved, sizeof moved);
            memcpy(w->normals + 3 * at, (float[]){0, 1, 0}, 12);
        }
    rigid_of(motion, 0.02f * (float)index, 0.01f);
    for (int g = 0; g < GARMENTS; g++)
        rigid_of(teleports[g], index == LAST_TELEPORT || g == 3 || g == 0 ? 0.5f : 0, 0);
    frame.frames = 1 + index % 2;
    frame.wind[0] = 3.0f;
    frame.gust = 0.5f;
    frame.fans = &fan;
    frame.fan_count = 1;
    frame.driver_positions = w->driver;
    frame.driver_normals = w->normals;
    frame.colliders = colliders;
    frame.collider_count = 2;
    frame.meshes = &mesh;
    frame.mesh_count = 1;
    if (index % 5 == 2) frame.motion = motion;
    if (index == 9 || index == LAST_TELEPORT) frame.teleports = teleports[0];
    OK(hed_cloth_step(cloth, &frame, &error));
}

Test(cloth_devices, the_same_bits_as_one_device, .timeout = 300)
{
    wardrobe w;
    wardrobe_make(&w);
    hed_device *const devices[] = {here.device, host_device(), here.device, here.device};
    hed_cloth *const cloths[] = {wardrobe_open(&w, devices + 1, 1),
        wardrobe_open(&w, devices + 2, 2), wardrobe_open(&w, devices, 4)};
    cloth_result r[3];
    const float turn[16] = {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0.1f, 0, 0, 1};
    for (int c = 0; c < 3; c++) {
        CHECK_EQ(hed_cloth_vertex_count(cloths[c]), w.particles);
        for (uint32_t f = 0; f < FRAMES; f++) {
            wardrobe_step(&w, cloths[c], f);
            if (f == 5) OK(hed_cloth_enable_normals(cloths[c], &error));
            if (f == 7) OK(hed_cloth_teleport(cloths[c], 3, turn, &error));
            if (f == 11) OK(hed_cloth_set_max_distance(cloths[c], 3 * 81 + 60, 0, &error));
            if (f % 4 == 0) OK(hed_cloth_wait(cloths[c], &error));
        }
    }
    expect_equal_results(cloths, r);
    exchange_states(cloths, r);
    for (int c = 0; c < 3; c++)
        for (uint32_t f = 0; f < 20; f++) wardrobe_step(&w, cloths[c], f);
    expect_equal_results(cloths, r);
    destroy_three(cloths, r);
    wardrobe_free(&w);
}

/* The origin follows the first garments of all parts while they fall; garments far from each other
 * have origins of their own on all devices. `apart`: m between two garments, times their numbers. */
static void expect_falling_together(float apart, bool has_homes)
{
    wardrobe w;
    wardrobe_make(&w);
    hed_device *const devices[] = {here.device, here.device, here.device};
    cloth_result r[2];
    for (int g = 0; g < GARMENTS; g++) {
        for (uint32_t i = 0; i < w.garments[g].particle_count; i++) {
            w.sheets[g].inverse_masses[i] = 12;
            w.sheets[g].positions[3 * i + 2] += apart * (float)(g * g);
        }
        w.garments[g].driven = w.garments[g].tethers = false;
        w.garments[g].drag = w.garments[g].lift = 0;
        w.garments[g].seam_count = 0;
    }
    for (uint32_t several = 0; several < 2; several++) {
        hed_cloth *cloth = wardrobe_open(&w, devices, several ? 3 : 1);
        hed_cloth_frame frame = hed_default_cloth_frame();
        for (int f = 0; f < 45; f++) OK(hed_cloth_step(cloth, &frame, &error));
        const hed_cloth *lead = cloth_lead(cloth);
        EXPECT_EQ(lead->is_apart, has_homes);
        EXPECT_LT(lead->homes[4].origin[1], 0.5, "followed");
        EXPECT_EQ(lead->homes[0].origin[2] < lead->homes[4].origin[2], has_homes);
        r[several] = result_of(cloth);
        if (several) {
            OK(hed_cloth_load(cloth, r[0].state, r[0].size, &error));
            cloth_result again = result_of(cloth);
            expect_equal(&r[0], &r[1], w.particles);
            EXPECT_BYTES(r[0].state, again.state, again.size);
            result_free(&again);
        }
        hed_cloth_destroy(cloth);
    }
    result_free(&r[0]);
    result_free(&r[1]);
    wardrobe_free(&w);
}

Test(cloth_devices, the_origin_follows_all, .timeout = 120)
{
    expect_falling_together(0.125f, false);
    expect_falling_together(10.0f, true);
}

/* Fast mode: each part chooses its own solver; the drape differs by rounding and order. */
Test(cloth_devices, fast_is_near, .timeout = 300)
{
    wardrobe w;
    wardrobe_make(&w);
    hed_device *const devices[] = {here.device, here.device};
    w.def.math = HED_MATH_FAST;
    w.def.garment_count = 1; /* in the air, without order */
    w.particles = 3 * 81;
    hed_cloth *one = wardrobe_open(&w, devices, 1), *two = wardrobe_open(&w, devices, 2);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.frames = 10;
    OK(hed_cloth_step(one, &frame, &error));
    OK(hed_cloth_step(two, &frame, &error));
    float *a = read_positions(one), *b = read_positions(two);
    EXPECT_LT(largest_difference(a, b, 3 * w.particles), 1e-3);
    EXPECT_LT(a[1], 0.95f, "m: fallen");
    free(a);
    free(b);
    hed_cloth_destroy(one);
    hed_cloth_destroy(two);
    wardrobe_free(&w);
}

/* ---- a hand ---- */

Test(cloth_devices, a_hand_holds_a_vertex, .timeout = 300)
{
    wardrobe w;
    wardrobe_make(&w);
    hed_device *const devices[] = {here.device, here.device, here.device};
    hed_cloth_hold *hold;
    cloth_result r[2];
    const float place[3] = {0.1f, 1.4f, 0.2f};
    for (uint32_t several = 0; several < 2; several++) {
        OK(hed_cloth_hold_create(&w.def, &hold, &error));
        wardrobe held = w;
        held.def = hed_cloth_hold_def(hold);
        hed_cloth *cloth = wardrobe_open(&held, devices, several ? 3 : 1);
        hed_cloth_frame frame = hed_default_cloth_frame();
        OK(hed_cloth_hold_vertex(hold, w.particles - 90, place, &error));
        for (int f = 0; f < 12; f++) {
            float *positions = read_positions(cloth);
            OK(hed_cloth_hold_frame(hold, cloth, positions, &frame, &error));
            OK(hed_cloth_step(cloth, &frame, &error));
            free(positions);
        }
        r[several] = result_of(cloth);
        EXPECT_NEAR(r[several].positions[3 * (w.particles - 90) + 1], 1.4f, 1e-3);
        hed_cloth_destroy(cloth);
        hed_cloth_hold_destroy(hold);
    }
    expect_equal(&r[0], &r[1], w.particles);
    result_free(&r[0]);
    result_free(&r[1]);
    wardrobe_free(&w);
}

/* ---- faults ---- */

/* A particle of the second device is broken: the first goes back, too, and the message has the
 * garment's number and the particle's of the whole cloth. */
Test(cloth_devices, all_go_back_together, .timeout = 300)
{
    wardrobe w;
    wardrobe_make(&w);
    hed_device *const devices[] = {here.device, here.device};
    hed_cloth *cloth = wardrobe_open(&w, devices, 2), *one = wardrobe_open(&w, devices, 1);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.frames = 35;
    OK(hed_cloth_step(cloth, &frame, &error));
    OK(hed_cloth_step(one, &frame, &error));
    OK(hed_cloth_wait(cloth, &error)); /* the good state */
    frame.frames = 1;
    OK(hed_cloth_step(cloth, &frame, &error));
    hed_cloth *part = cloth->parts[1];
    const float broken[3] = {NAN, NAN, NAN};
    OK(hed_write(part->stream, part->buffers.position,
        16 * (uint64_t)(part->first_particle[part->garment_count] - 5), broken, 12, &error));
    OK(hed_cloth_step(cloth, &frame, &error));
    FAILS(HED_ERROR_FORMAT, hed_cloth_wait(cloth, &error));
    EXPECT(strstr(error.text, "at frame 37") && strstr(error.text, "of garment 4") &&
               strstr(error.text, "went back to frame 35"),
        "%s", error.text);
    EXPECT_EQ(hash_of(cloth), hash_of(one));
    OK(hed_cloth_step(cloth, &frame, &error));
    OK(hed_cloth_step(one, &frame, &error));
    EXPECT_EQ(hash_of(cloth), hash_of(one));
    hed_cloth_destroy(cloth);
    hed_cloth_destroy(one);
    wardrobe_free(&w);
}

/* A frame that fails after the first device has begun it leaves the devices at different frames,
 * which is refused by name until a reset. */
Test(cloth_devices, a_frame_that_failed_halfway, .timeout = 300)
{
    test_allocator counting = {0};
    hed_context_def context = hed_default_context_def();
    context.allocator = test_allocator_of(&counting);
    test_device t = test_open(&context);
    wardrobe w;
    wardrobe_make(&w);
    hed_device *const devices[] = {t.device, t.device};
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth *cloth = wardrobe_open(&w, devices, 2);
    uint32_t refused = 0;
    for (int64_t n = 1; !refused; n++) {
        CHECK_LT(n, 200);
        OK(hed_cloth_reset(cloth, &error));
        frame.seconds = 1e-3 * (double)n; /* other materials, which are allocated */
        counting.fail_at = counting.calls + n;
        error = (hed_error){0};
        hed_status status = hed_cloth_step(cloth, &frame, &error);
        counting.fail_at = 0;
        if (!status || cloth->parts[0]->frame == cloth->parts[1]->frame) continue;
        FAILS(HED_ERROR_DRIVER, hed_cloth_step(cloth, &frame, &error));
        EXPECT(strstr(error.text, "at frame 1 and") && strstr(error.text, "at frame 0"), "%s",
            error.text);
        unsigned char *state = malloc(hed_cloth_save_size(cloth));
        FAILS(HED_ERROR_DRIVER, hed_cloth_save(cloth, state, &error));
        free(state);
        refused++;
    }
    hed_cloth *one = wardrobe_open(&w, devices, 1);
    OK(hed_cloth_reset(cloth, &error));
    OK(hed_cloth_step(cloth, &frame, &error));
    OK(hed_cloth_step(one, &frame, &error));
    EXPECT_EQ(hash_of(cloth), hash_of(one));
    hed_cloth_destroy(one);
    hed_cloth_destroy(cloth);
    wardrobe_free(&w);
    test_close(&t);
    EXPECT_EQ(counting.live, 0);
}

/* Parts that are there already are freed, wherever creation fails. */
Test(cloth_devices, creation_without_memory, .timeout = 300)
{
    test_allocator counting = {0};
    hed_context_def context = hed_default_context_def();
    context.allocator = test_allocator_of(&counting);
    test_device t = test_open(&context);
    wardrobe w;
    wardrobe_make(&w);
    hed_device *const devices[] = {t.device, t.device, t.device};
    hed_cloth_destroy(wardrobe_open(&w, devices, 3)); /* programs that the device keeps */
    uint32_t refused = 0;
    w.def.other_devices = devices + 1;
    w.def.other_device_count = 2;
    for (int64_t n = 1, status = 1; status; n += 1 + n / 2, refused++) {
        hed_cloth *cloth;
        int64_t live = counting.live;
        error = (hed_error){0};
        counting.fail_at = counting.calls + n;
        status = hed_cloth_create(t.device, &w.def, &cloth, &error);
        counting.fail_at = 0;
        if (!status) hed_cloth_destroy(cloth);
        else
            CHECK(
                status == HED_ERROR_MEMORY || status == HED_ERROR_DEVICE_MEMORY, "%s", error.text);
        CHECK_EQ(counting.live, live, "allocation %lld", (long long)n);
    }
    EXPECT_GT(refused, 8u);
    wardrobe_free(&w);
    test_close(&t);
    EXPECT_EQ(counting.live, 0);
}

/* ---- refusals ---- */

#define REFUSED(status, call, words) \
    do { \
        FAILS(status, call); \
        EXPECT(strstr(error.text, words), "%s", error.text); \
    } while (0)

Test(cloth_devices, refusals_have_names, .timeout = 120)
{
    wardrobe w;
    wardrobe_make(&w);
    hed_device *const devices[] = {here.device, here.device, here.device, NULL};
    hed_cloth *cloth = NULL;
    hed_cloth_def def = w.def;
    def.other_devices = devices + 1;
    def.other_device_count = 3;
    REFUSED(HED_ERROR_ARGUMENT, hed_cloth_create(here.device, &def, &cloth, &error),
        "other_devices: device 2 is NULL");
    def.other_device_count = 64;
    REFUSED(HED_ERROR_ARGUMENT, hed_cloth_create(here.device, &def, &cloth, &error),
        "other_device_count is 64; expected at most 63");
    def.other_device_count = 2;
    w.garments[3].self_collision = HED_CLOTH_SELF_BALLS;
    REFUSED(HED_ERROR_UNSUPPORTED, hed_cloth_create(here.device, &def, &cloth, &error),
        "garment 3 (sheet): it has self_collision");
    w.garments[3].self_collision = HED_CLOTH_SELF_NONE;
    w.garments[2].tear = 0.5f;
    REFUSED(HED_ERROR_UNSUPPORTED, hed_cloth_create(here.device, &def, &cloth, &error),
        "garment 2 (sheet): it tears");
    w.garments[2].tear = 0;
    hed_tune_result *tuned;
    REFUSED(HED_ERROR_UNSUPPORTED, hed_cloth_tune(here.device, &def, NULL, &tuned, &error),
        "other_device_count is 2");
    def.garment_count = 1;
    w.garments[0].copies = 2;
    REFUSED(HED_ERROR_ARGUMENT, hed_cloth_create(here.device, &def, &cloth, &error),
        "3 devices for 2 garments");
    def.garment_count = GARMENTS;
    OK(hed_cloth_create(here.device, &def, &cloth, &error));
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.driver_buffer = cloth->parts[0]->buffers.position;
    REFUSED(HED_ERROR_UNSUPPORTED, hed_cloth_step(cloth, &frame, &error), "driver_buffer");
    REFUSED(HED_ERROR_UNSUPPORTED,
        hed_cloth_set_vertex_buffers(cloth, frame.driver_buffer, frame.driver_buffer, &error),
        "hed_cloth_set_vertex_buffers(): the cloth is on 3 devices");
    REFUSED(HED_ERROR_UNSUPPORTED, hed_cloth_explain_contact(cloth, HED_CLOTH_EXPLAIN_ALL, &error),
        "no garment has contact");
    EXPECT_NULL(hed_cloth_vertex_buffer(cloth));
    EXPECT_NULL(hed_cloth_normal_buffer(cloth));
    EXPECT_NULL(hed_cloth_stream(cloth));
    OK(hed_cloth_use_native(cloth, HED_CLOTH_INTEGRATE, true, &error));
    hed_cloth_destroy(cloth);
    wardrobe_free(&w);
}

/* ---- dealing ---- */

static void expect_deal(
    const uint32_t (*garments)[2], uint32_t count, uint32_t parts, const uint32_t *loads)
{
    cloth_garment made[4] = {0}, *pointers[4];
    hed_cloth whole = {.garments = pointers, .garment_count = count};
    cloth_cut cuts[5];
    for (uint32_t g = 0; g < count; g++) {
        pointers[g] = &made[g];
        made[g].particle_count = garments[g][0];
        made[g].copies = garments[g][1];
        whole.particles += garments[g][0] * garments[g][1];
    }
    cloth_deal(&whole, parts, cuts);
    for (uint32_t part = 0; part < parts; part++) {
        uint32_t load = 0;
        for (uint32_t g = cuts[part].garment; g <= cuts[part + 1].garment && g < count; g++) {
            uint32_t from = g == cuts[part].garment ? cuts[part].copy : 0,
                     to = g == cuts[part + 1].garment ? cuts[part + 1].copy : garments[g][1];
            load += garments[g][0] * (to - from);
        }
        EXPECT_EQ(load, loads[part], "part %u", part);
    }
}

Test(cloth_devices, dealing)
{
    expect_deal(
        (const uint32_t[][2]){{100, 1000}}, 1, 4, (const uint32_t[]){25000, 25000, 25000, 25000});
    expect_deal((const uint32_t[][2]){{10, 1}, {1, 2}}, 2, 3, (const uint32_t[]){10, 1, 1});
    expect_deal((const uint32_t[][2]){{1, 2}, {10, 1}}, 2, 3, (const uint32_t[]){1, 1, 10});
    expect_deal((const uint32_t[][2]){{3, 3}, {1, 3}}, 2, 2, (const uint32_t[]){6, 6});
    expect_deal((const uint32_t[][2]){{5, 1}, {2, 7}, {9, 1}}, 3, 3, (const uint32_t[]){9, 10, 9});
}
