/* ctest: devices full=pocl */
/* Cloth after transients: for a frame, gravity, wind, time, driver, colliders, frame of reference
 * or a loaded state are at a limit of what is taken, and then as before. The next frame succeeds,
 * and no number that is read is ever NaN or infinite. */
#include "transients.h"

#include "cloth_sheet.h"

TestSuite(cloth_transients, .init = here_open, .fini = here_close);

enum { SIDE = 8, PARTICLES = SIDE * SIDE, COLLIDERS = 3, EACH = 10 };

static float driver[3 * PARTICLES], normals[3 * PARTICLES], pairs[8 * PARTICLES];
static float motion[16], transform[16], positions[3 * PARTICLES], out_normals[3 * PARTICLES];

static const hed_cloth_collider still[COLLIDERS] = {
    {.shape = HED_CLOTH_PLANE, .b = {0, 1, 0}, .friction = 0.5f},
    {.shape = HED_CLOTH_SPHERE, .a = {0.2f, 0.5f, 0}, .radius = {0.3f}},
    {.shape = HED_CLOTH_CAPSULE, .a = {-1, 0.4f, 0}, .b = {1, 0.4f, 0}, .radius = {0.1f, 0.2f}}};

typedef struct show {
    sheet sheet;
    hed_cloth *cloth;
    hed_buffer *fed; /* the driver in device memory */
    unsigned char *good, *state;
    uint64_t size;
} show;

/* In [-most, most], or at its ends, or near 0. */
static float within(float most)
{
    float x = transient_number(1);
    return x > most ? most : x < -most ? -most : x;
}

static void rigid(float *matrix)
{
    float angle = 3.2f * transient_share();
    const float turn[16] = {cosf(angle), 0, -sinf(angle), 0, 0, 1, 0, 0, sinf(angle), 0,
        cosf(angle), 0, within(1e6f), within(1e6f), within(1e6f), 1};
    memcpy(matrix, turn, sizeof turn);
}

static hed_cloth_frame usual(const show *s)
{
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.driver_positions = s->sheet.positions;
    frame.driver_normals = s->sheet.normals;
    frame.colliders = still;
    frame.collider_count = COLLIDERS;
    return frame;
}

enum { FORCES, TIME, DRIVER, FED, BODIES, MOTION, TELEPORT, STATE, KINDS };
static const char *const kind_names[KINDS] = {"forces", "time", "the driver", "the driver's buffer",
    "colliders", "motion", "a teleport", "a state"};

static void move_bodies(hed_cloth_collider *bodies)
{
    memcpy(bodies, still, sizeof still);
    for (int i = 0; i < COLLIDERS; i++) {
        for (int k = 0; k < 3; k++) {
            bodies[i].a[k] = within(1e6f);
            if (i == 2) bodies[i].b[k] = transient_choice(2) ? bodies[i].a[k] : within(1e6f);
        }
        for (int k = 0; k < 2; k++) bodies[i].radius[k] = fabsf(within(1e6f));
        bodies[i].friction = fabsf(within(100));
    }
}

/* FNV-1a over a state whose sum is 0, as hed_cloth_save() writes it. */
static void sign(unsigned char *state, uint64_t size, uint64_t at)
{
    uint64_t sum = 0xcbf29ce484222325u;
    memset(state + at, 0, sizeof sum);
    for (uint64_t i = 0; i < size; i++) sum = (sum ^ state[i]) * 0x100000001b3u;
    memcpy(state + at, &sum, sizeof sum);
}

/* Signs and loads s->state. */
static hed_status load(show *s, hed_error *refused)
{
    enum { SUM_AT = 32 };
    sign(s->state, s->size, SUM_AT);
    return hed_cloth_load(s->cloth, s->state, s->size, refused);
}

/* Loads a state that is sound but for some words: refused, or taken and harmless. */
static void load_broken(show *s)
{
    static const float broken[] = {NAN, INFINITY, -INFINITY, 3e38f, 1e30f};
    memcpy(s->state, s->good, s->size);
    for (uint32_t n = 1 + transient_choice(3); n; n--) {
        uint64_t word = transient_choice((uint32_t)(s->size / 4));
        float value = broken[transient_choice(HED_COUNT(broken))];
        memcpy(s->state + 4 * word, &value, sizeof value);
    }
    hed_error refused = {0};
    hed_status status = load(s, &refused);
    CHECK(!status || status == HED_ERROR_FORMAT, "%s", refused.text);
}

static void transient(show *s, uint32_t kind)
{
    hed_cloth_frame frame = usual(s);
    hed_cloth_collider bodies[COLLIDERS];
    if (kind == STATE) {
        load_broken(s);
        return;
    }
    if (kind == TELEPORT) {
        rigid(motion);
        OK(hed_cloth_teleport(s->cloth, 0, motion, &error));
        return;
    }
    for (int k = 0; kind == FORCES && k < 3; k++) {
        frame.gravity[k] = within(1e4f);
        frame.wind[k] = within(1e3f);
        frame.gust = fabsf(within(1));
    }
    if (kind == TIME) {
        static const double seconds[] = {1e-6, 10, 1e-4, 1};
        frame.seconds = seconds[transient_choice(HED_COUNT(seconds))];
        frame.frames = 1 + transient_choice(3);
    }
    for (uint32_t i = 0; kind == DRIVER && i < 3 * PARTICLES; i++) {
        driver[i] = transient_choice(4) ? within(1e6f) : s->sheet.positions[i];
        normals[i] = within(1);
    }
    if (kind == DRIVER) frame.driver_positions = driver, frame.driver_normals = normals;
    if (kind == FED) {
        for (uint32_t i = 0; i < 8 * PARTICLES; i++)
            pairs[i] = transient_choice(8) ? transient_number(1) : NAN;
        OK(hed_write(here.stream, s->fed, 0, pairs, sizeof pairs, &error));
        OK(hed_stream_wait(here.stream, &error));
        frame.driver_positions = frame.driver_normals = NULL;
        frame.driver_buffer = s->fed;
    }
    if (kind == BODIES) move_bodies(bodies), frame.colliders = bodies;
    if (kind == MOTION) {
        rigid(motion);
        for (int k = 0; k < 3; k++) frame.motion_centre[k] = within(1e6f);
        frame.motion = motion;
        rigid(transform);
        if (transient_choice(2)) frame.transform = transform;
    }
    OK(hed_cloth_step(s->cloth, &frame, &error));
}

/* Reads; false: a number is not finite. What broke is told once, by FORMAT. */
static bool read_all(show *s, bool *told)
{
    hed_error broken = {0};
    hed_status status = hed_cloth_wait(s->cloth, &broken);
    CHECK(!status || status == HED_ERROR_FORMAT, "%s", broken.text);
    *told = status != HED_OK;
    OK(hed_cloth_read(s->cloth, positions, out_normals, NULL, &error));
    return transient_finite(positions, 3 * PARTICLES) == 3 * PARTICLES &&
           transient_finite(out_normals, 3 * PARTICLES) == 3 * PARTICLES;
}

static show show_make(hed_cloth_solver solver, hed_cloth_self_collision self)
{
    show s = {.sheet = sheet_make(SIDE)};
    sheet_dress(&s.sheet);
    s.sheet.garment.self_collision = self;
    s.sheet.garment.thickness = self ? 0.5f : 0.02f;
    hed_cloth_def def = def_of(&s.sheet);
    def.solver = solver;
    def.substeps = 4;
    def.max_colliders = COLLIDERS;
    s.cloth = make(&here, &def);
    hed_buffer_def fed = hed_default_buffer_def(sizeof pairs);
    OK(hed_buffer_create(here.device, &fed, &s.fed, &error));
    hed_cloth_frame frame = usual(&s);
    for (int i = 0; i < 4; i++) OK(hed_cloth_step(s.cloth, &frame, &error));
    OK(hed_cloth_wait(s.cloth, &error));
    s.size = hed_cloth_save_size(s.cloth);
    s.good = malloc(s.size);
    s.state = malloc(s.size);
    OK(hed_cloth_save(s.cloth, s.good, &error));
    return s;
}

static void show_free(show *s)
{
    hed_cloth_destroy(s->cloth);
    hed_buffer_destroy(s->fed);
    sheet_free(&s->sheet);
    free(s->good);
    free(s->state);
}

typedef struct tally {
    uint64_t group; /* its seed */
    uint32_t done, stuck, broken, told;
} tally;

static void try_one(show *s, tally *t)
{
    uint32_t kind = transient_choice(KINDS);
    bool told, again;
    transient(s, kind);
    bool finite = read_all(s, &told);
    hed_cloth_frame frame = usual(s);
    OK(hed_cloth_step(s->cloth, &frame, &error));
    finite = read_all(s, &again) && finite;
    EXPECT(!again && finite, "transient %u of seed %llu, %s: %s, %s", t->done % EACH,
        (unsigned long long)t->group, kind_names[kind],
        again ? "the next frame breaks" : "recovered", finite ? "finite" : "not finite");
    t->done++;
    t->told += told;
    t->stuck += again;
    t->broken += !finite;
    if (again || !finite) OK(hed_cloth_reset(s->cloth, &error));
    /* from time to time from the same place again: transients carry it far away */
    if (transient_choice(8) == 0) OK(hed_cloth_load(s->cloth, s->good, s->size, &error));
}

/* The cloth of a group. One group of 50 has triangles against triangles: those that a transient
 * throws anywhere are all pairs of each other, and slow. */
static show group_show(uint64_t group)
{
    if (group % 50 == 1) return show_make(HED_CLOTH_SOLVER_AUTO, HED_CLOTH_SELF_TRIANGLES);
    switch (group % 3) {
    case 0: return show_make(HED_CLOTH_SOLVER_AUTO, HED_CLOTH_SELF_NONE);
    case 1: return show_make(HED_CLOTH_SOLVER_COLOURS, HED_CLOTH_SELF_NONE);
    default: return show_make(HED_CLOTH_SOLVER_AUTO, HED_CLOTH_SELF_BALLS);
    }
}

Test(cloth_transients, the_next_frame_is_sound, .timeout = 3600)
{
    bool host = !strcmp(hed_device_describe(here.device).backend, "host");
    uint32_t wanted = host ? transient_count(600) : transient_count(1000) / 10;
    tally t = {0};
    while (t.done < wanted) {
        t.group = transient_begin();
        show s = group_show(t.group);
        for (uint32_t n = 0; n < EACH; n++) try_one(&s, &t);
        show_free(&s);
    }
    test_note("%u transients: %u stuck, %u with a number out that is not finite, %u told by FORMAT",
        t.done, t.stuck, t.broken, t.told);
}

/* A state of a cloth without mesh colliders that claims to have some. */
Test(cloth_transients, claimed_meshes_are_refused)
{
    enum { MESHES_AT = 20 };
    show s = show_make(HED_CLOTH_SOLVER_AUTO, HED_CLOTH_SELF_TRIANGLES);
    hed_error refused = {0};
    bool told;
    memcpy(s.state, s.good, s.size);
    s.state[MESHES_AT] = 1;
    EXPECT_EQ(load(&s, &refused), HED_ERROR_FORMAT);
    hed_cloth_frame frame = usual(&s);
    OK(hed_cloth_step(s.cloth, &frame, &error));
    EXPECT(read_all(&s, &told) && !told, "the frame after it is broken");
    show_free(&s);
}
