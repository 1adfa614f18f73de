/* ctest: devices full=pocl */
/* Cloth that tears: a strip at its limit in closed form, a painted line, energy, equal bits on every
 * device, saved states, and contact of both sides. */
#include "fixture.h"

#include "cloth_contacts.h"

#include "heddle/cloth_check.h"

static hed_error error;

TestSuite(cloth_tear, .init = here_open, .fini = here_close);

enum { N = 9, CORNERS = 4 * (N - 1) * (N - 1) };

/* A square strip that hangs from its first row and carries a load on its last. */
typedef struct strip {
    sheet s;
    hed_cloth_fabric fabric;
    float strength[N * N];
    uint32_t corners[N * N]; /* of each particle */
    bool across;             /* columns are the rows of what follows */
} strip;

static const float stiffness = 40.0f, width = 0.16f, load = 0.1f; /* N/m, m, kg */

/* Row from the top of a particle. */
static uint32_t row_of(const strip *p, uint32_t particle)
{
    return p->across ? particle % N : particle / N;
}

static strip strip_make(float tear, bool across)
{
    strip p = {.s = sheet_make(N, width),
        .fabric = {stiffness, stiffness, 20.0f, 1e-5f, 1e-5f, 0.0f, 0.0f},
        .across = across};
    for (uint32_t i = 0; i < N * N; i++) {
        float *at = p.s.positions[i];
        at[1] = across ? -at[0] : -at[2];
        if (across) at[0] = at[2];
        at[2] = 0;
        uint32_t column = across ? i / N : i % N;
        bool border = column == 0 || column == N - 1;
        if (row_of(&p, i) == N - 1)
            p.s.inverse_masses[i] = (border ? 2 : 1) * (float)(N - 1) / load;
        if (row_of(&p, i) == 0) p.s.inverse_masses[i] = 0;
        p.strength[i] = 1;
    }
    for (uint32_t c = 0; c < CORNERS; c++) p.corners[p.s.quads[c / 4][c % 4]]++;
    p.s.def.rest_positions = NULL;
    p.s.def.grid_width = p.s.def.grid_height = 0;
    p.s.def.damping = 0.99f;
    p.s.def.tear = tear;
    return p;
}

static hed_cloth_def strip_def(strip *p)
{
    p->s.def.fabric = &p->fabric;
    p->s.def.tear_strength = p->strength;
    hed_cloth_def def = dressed_def(&p->s.def, 1);
    def.substeps = 40;
    return def;
}

/* Counts the particles, by row, whose corners are apart. `parts`: most places of one particle. */
static uint32_t count_torn(const strip *p, const dressed *d, uint32_t rows[N], uint32_t *parts)
{
    uint32_t places[N * N] = {0}, torn = 0;
    float(*at)[4][3] = calloc(N * N, sizeof *at);
    memset(rows, 0, N * sizeof *rows);
    for (uint32_t c = 0; c < CORNERS; c++) {
        uint32_t i = p->s.quads[c / 4][c % 4], k = 0;
        while (k < places[i] && memcmp(at[i][k], d->positions[c], sizeof at[i][k]) != 0) k++;
        if (k == places[i]) memcpy(at[i][places[i]++], d->positions[c], sizeof at[i][k]);
    }
    *parts = 0;
    for (uint32_t i = 0; i < N * N; i++) {
        torn += places[i] > 1;
        rows[row_of(p, i)] += places[i] > 1;
        if (places[i] > *parts) *parts = places[i];
    }
    free(at);
    return torn;
}

/* Hangs a strip, whose weight comes within a second, and returns how many of its particles tear. */
static uint32_t hang(strip *p, double *stretch, uint32_t rows[N], uint32_t *parts)
{
    hed_cloth_def def = strip_def(p);
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    uint32_t torn = 0;
    EXPECT_EQ(hed_cloth_vertex_count(d.cloth), CORNERS);
    for (int f = 0; f < 110 && !torn; f++) {
        frame.gravity[1] = -9.81f * fminf((float)f / 60, 1);
        dressed_step(&d, &frame);
        torn = count_torn(p, &d, rows, parts);
    }
    for (int f = 0; f < 20 && torn; f++) dressed_step(&d, &frame);
    torn = count_torn(p, &d, rows, parts);
    double bottom = 0;
    for (uint32_t c = CORNERS - 4 * (N - 1); c < CORNERS; c += 4) bottom += d.positions[c + 1][1];
    *stretch = (width / 2 - bottom / (N - 1)) / width - 1;
    EXPECT_EQ(hed_cloth_vertex_count(d.cloth), CORNERS);
    dressed_free(&d);
    return torn;
}

Test(cloth_tear, a_strip_tears_at_its_limit_and_not_below)
{
    double expected = 9.81 * load / (stiffness * width), stretch;
    uint32_t rows[N], parts;
    strip strong = strip_make((float)(1.3 * expected), false),
          weak = strip_make((float)(0.9 * expected), false);
    EXPECT_EQ(hang(&strong, &stretch, rows, &parts), 0);
    printf("load / (stiffness x width) is %g, the strip's stretch %g\n", expected, stretch);
    EXPECT(fabs(stretch / expected - 1) < 0.1, "%g for %g", stretch, expected);
    EXPECT(hang(&weak, &stretch, rows, &parts) >= N, "%s", "expected a tear across the strip");
    sheet_free(&weak.s);
    sheet_free(&strong.s);
}

/* Along a row and along a column of the mesh; what is above the line stays in one piece, and what is
 * below. */
Test(cloth_tear, a_painted_line_tears)
{
    enum { LINE = 4 };
    double expected = 9.81 * load / (stiffness * width), stretch;
    for (int across = 0; across < 2; across++) {
        uint32_t rows[N], parts, all;
        strip p = strip_make((float)(2 * expected), across);
        for (uint32_t i = 0; i < N * N; i++)
            if (row_of(&p, i) == LINE) p.strength[i] = 0.3f;
        all = hang(&p, &stretch, rows, &parts);
        EXPECT(all == N && rows[LINE] == N, "%u particles tear, %u of the line", all, rows[LINE]);
        EXPECT_EQ(parts, 2, "across: %d", across);
        sheet_free(&p.s);
    }
}

/* Kinetic and potential energy, J; each corner of a particle has the same part of its mass. */
static double energy_of(strip *p, dressed *d)
{
    double energy = dressed_measure(d).kinetic_energy;
    for (uint32_t c = 0; c < CORNERS; c++) {
        uint32_t i = p->s.quads[c / 4][c % 4];
        if (p->s.inverse_masses[i] > 0)
            energy += 9.81 * (d->positions[c][1] - p->s.positions[i][1]) / p->s.inverse_masses[i] /
                      p->corners[i];
    }
    return energy;
}

Test(cloth_tear, energy_is_never_above_the_start)
{
    strip p = strip_make(0.1f, false);
    p.s.def.damping = 0;
    hed_cloth_def def = strip_def(&p);
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    double most = -INFINITY;
    uint32_t rows[N], parts;
    for (int f = 0; f < 40; f++) {
        dressed_step(&d, &frame);
        most = fmax(most, energy_of(&p, &d));
    }
    EXPECT(count_torn(&p, &d, rows, &parts) >= N && most < 1e-5, "%g J at most", most);
    dressed_free(&d);
    sheet_free(&p.s);
}

/* Runs a strip that tears; `saved` NULL: at once, else with a state in the middle that another cloth
 * loads. */
static uint64_t torn_hash(hed_device *device, bool saved)
{
    strip p = strip_make(0.1f, false);
    hed_cloth_def def = strip_def(&p);
    dressed d = dressed_make(device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    uint32_t rows[N], parts;
    for (int f = 0; f < 24; f++) {
        dressed_step(&d, &frame);
        if (f != 17 || !saved) continue;
        CHECK(count_torn(&p, &d, rows, &parts) > 0);
        uint64_t size = hed_cloth_save_size(d.cloth);
        void *state = malloc(size);
        OK(hed_cloth_save(d.cloth, state, &error));
        dressed_free(&d);
        d = dressed_make(device, &def);
        OK(hed_cloth_load(d.cloth, state, size, &error));
        free(state);
    }
    CHECK(count_torn(&p, &d, rows, &parts) > 0);
    uint64_t hash = dressed_measure(&d).hash;
    OK(hed_cloth_reset(d.cloth, &error));
    OK(hed_cloth_read(d.cloth, d.positions[0], NULL, NULL, &error));
    EXPECT_EQ(count_torn(&p, &d, rows, &parts), 0);
    dressed_free(&d);
    sheet_free(&p.s);
    return hash;
}

Test(cloth_tear, equal_bits_on_every_device_and_after_a_saved_state)
{
    hed_device *host;
    OK(hed_device_find(here.context, "host", &host, &error));
    uint64_t hash = torn_hash(here.device, false);
    EXPECT_EQ(hash, torn_hash(host, false));
    EXPECT_EQ(hash, torn_hash(here.device, true));
}

/* Chosen substeps follow fast bodies after a tear as before it, and their maximum stays known. */
Test(cloth_tear, fast_bodies_have_more_substeps_after_a_tear)
{
    strip p = strip_make(0.3f, false);
    hed_cloth_def def = strip_def(&p);
    hed_cloth_collider body = {
        .shape = HED_CLOTH_SPHERE, .a = {0, 9, 0}, .radius = {0.05f}, .friction = 0.3f};
    hed_cloth_frame frame = hed_default_cloth_frame();
    uint32_t rows[N], parts, torn = 0;
    def.substeps = 0;
    def.max_colliders = 1;
    dressed d = dressed_make(here.device, &def);
    frame.colliders = &body;
    frame.collider_count = 1;
    frame.gravity[1] = 0;
    dressed_step(&d, &frame);
    body.a[1] += 10;
    dressed_step(&d, &frame);
    uint32_t before = hed_cloth_describe(d.cloth).most_substeps;
    EXPECT_GT(before, hed_cloth_describe(d.cloth).substeps);
    for (int f = 0; f < 300 && !torn; f++) {
        frame.gravity[1] = -30 * fminf((float)f / 60, 1);
        dressed_step(&d, &frame);
        torn = count_torn(&p, &d, rows, &parts);
    }
    EXPECT(torn > 0, "%s", "expected a tear");
    EXPECT_EQ(hed_cloth_describe(d.cloth).most_substeps, before, "%s", "so far");
    frame.frames = 2; /* so that more than in the first frame cannot be needed */
    frame.seconds *= 2;
    body.a[1] += 1000;
    dressed_step(&d, &frame);
    EXPECT_GT(hed_cloth_describe(d.cloth).most_substeps, before);
    dressed_free(&d);
    sheet_free(&p.s);
}

Test(cloth_tear, both_sides_do_not_cross)
{
    strip p = strip_make(0.1f, false);
    for (uint32_t i = 0; i < N * N; i++) p.strength[i] = i % N == N / 2 ? 0.2f : 1;
    for (uint32_t i = 1; i + 1 < N; i++) p.s.inverse_masses[i] = p.s.inverse_masses[2 * N];
    p.s.def.self_collision = HED_CLOTH_SELF_TRIANGLES;
    p.s.def.thickness = 0.004f;
    hed_cloth_def def = strip_def(&p);
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    uint32_t triangles[CORNERS / 4][2][3], rows[N], parts, crossings = 0;
    for (uint32_t q = 0; q < CORNERS / 4; q++)
        memcpy(triangles[q],
            (uint32_t[2][3]){{4 * q, 4 * q + 1, 4 * q + 2}, {4 * q, 4 * q + 2, 4 * q + 3}},
            sizeof triangles[q]);
    hed_cloth_check_surface surface = {
        CORNERS, CORNERS / 2, d.positions[0], triangles[0][0], false};
    hed_cloth_check_def judge = {.surfaces = &surface, .surface_count = 1};
    for (int f = 0; f < 30; f++) {
        hed_cloth_crossings found;
        frame.gravity[2] = f < 15 ? 3.0f : -6.0f;
        dressed_step(&d, &frame);
        OK(hed_cloth_check(&judge, &found, &error));
        for (int kind = 0; kind < HED_CLOTH_CROSSING_KIND_COUNT; kind++)
            crossings += (uint32_t)found.count[kind];
        hed_cloth_crossings_free(&found);
    }
    uint32_t torn = count_torn(&p, &d, rows, &parts);
    printf("%u particles torn, %u crossings\n", torn, crossings);
    EXPECT(torn >= 3 && crossings == 0, "%u torn, %u crossings", torn, crossings);
    dressed_free(&d);
    sheet_free(&p.s);
}

Test(cloth_tear, what_is_refused)
{
    strip p = strip_make(0.1f, false);
    hed_cloth *cloth;
    hed_cloth_def def = strip_def(&p);
    p.s.def.lattices = true;
    FAILS(HED_ERROR_UNSUPPORTED, hed_cloth_create(here.device, &def, &cloth, &error));
    CHECK(strstr(error.text, "it tears and has lattices"), "%s", error.text);
    p.s.def.lattices = false;
    p.strength[3] = 0;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_create(here.device, &def, &cloth, &error));
    CHECK(strstr(error.text, "tear_strength"), "%s", error.text);
    p.strength[3] = 1;
    p.s.def.tear = -1;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_create(here.device, &def, &cloth, &error));
    sheet_free(&p.s);
}
