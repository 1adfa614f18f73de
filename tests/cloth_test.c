/* ctest: devices long */
/* hed_cloth: its life, frames, reading, states, jumps, native stand-ins, copies, strict mode. */
#include "cloth_sheet.h"
#include "fixture.h"

TestSuite(cloth, .init = here_open, .fini = here_close);

/* ---- a life ---- */

static int compare_doubles(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Worst, 99th percentile and median of the stretch of neighbours along rows and columns, sorted
 * here. */
static void expect_stretch(const sheet *s, const float *positions, const hed_cloth_metrics *quality)
{
    enum { SIDE = 17, EDGES = 2 * SIDE * (SIDE - 1) };
    double stretch[EDGES];
    size_t count = 0;
    for (size_t i = 0; i < SIDE * SIDE; i++)
        for (size_t along = 0; along < 2; along++) {
            size_t j = i + (along ? SIDE : 1);
            if (along ? i / SIDE == SIDE - 1 : i % SIDE == SIDE - 1) continue;
            double length = 0, rest = 0;
            for (size_t k = 0; k < 3; k++) {
                length += pow((double)positions[3 * i + k] - positions[3 * j + k], 2);
                rest += pow((double)s->positions[3 * i + k] - s->positions[3 * j + k], 2);
            }
            stretch[count++] = sqrt(length / rest) - 1;
        }
    CHECK_EQ(count, EDGES);
    qsort(stretch, EDGES, sizeof *stretch, compare_doubles);
    CHECK_NEAR(quality->worst_stretch, stretch[EDGES - 1], 1e-5);
    CHECK_NEAR(quality->stretch_p99, stretch[(EDGES * 99 + 99) / 100 - 1], 1e-5);
    CHECK_NEAR(quality->stretch_p50, stretch[(EDGES + 1) / 2 - 1], 1e-5);
}

Test(cloth, a_sheet_falls_and_is_held)
{
    sheet s = sheet_make(17);
    hed_cloth_def def = def_of(&s);
    hed_cloth *cloth = make(&here, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    for (int i = 0; i < 60; i++) OK(hed_cloth_step(cloth, &frame, &error));
    hed_cloth_metrics quality;
    OK(hed_cloth_evaluate(cloth, &quality, &error));
    float *positions = read_positions(cloth);
    CHECK(quality.low[1] < 0.2 && quality.low[1] > -2.0, "lowest at %g", quality.low[1]);
    CHECK(quality.worst_stretch < 0.2, "stretched by %g", quality.worst_stretch);
    CHECK(quality.kinetic_energy > 0.1, "energy %g", quality.kinetic_energy);
    expect_stretch(&s, positions, &quality);
    CHECK(memcmp(positions, s.positions, 12) == 0, "a held corner moved");
    free(positions);
    hed_cloth_destroy(cloth);
    sheet_free(&s);
}

Test(cloth, takes_at_most_200_bytes_a_particle)
{
    sheet s = sheet_make(255);
    hed_cloth_def def = def_of(&s);
    hed_cloth *cloth = make(&here, &def);
    hed_cloth_info report;
    report = hed_cloth_describe(cloth);
    CHECK(report.solver == HED_CLOTH_SOLVER_COLOURS && report.configured == HED_ORIGIN_GIVEN);
    CHECK(report.particles == 65025 && report.constraints == 387602 && report.colours == 12 &&
          report.degree == 12);
    CHECK(report.smallest_set > 31000 && report.largest_set < 33000);
    double each = (double)report.device_bytes / (double)report.particles;
    CHECK(each > 128.0 && each <= 200.0, "%g bytes a particle", each);
    hed_cloth_destroy(cloth);
    sheet_free(&s);
}

Test(cloth, a_structure_is_chosen)
{
    sheet s = sheet_make(9);
    hed_cloth_def def = def_of(&s);
    hed_cloth_frame frame = hed_default_cloth_frame();
    def.solver = HED_CLOTH_SOLVER_AUTO;
    hed_cloth *cloth = make(&here, &def);
    hed_cloth_info report;
    report = hed_cloth_describe(cloth);
    CHECK(report.solver > HED_CLOTH_SOLVER_AUTO && report.solver < HED_CLOTH_SOLVER_COUNT &&
          report.choice[0]);
    OK(hed_cloth_step(cloth, &frame, &error));
    OK(hed_cloth_wait(cloth, &error));
    hed_cloth_destroy(cloth);
    def.math = HED_MATH_STRICT;
    cloth = make(&here, &def);
    report = hed_cloth_describe(cloth);
    CHECK(report.solver == HED_CLOTH_SOLVER_COLOURS);
    hed_cloth_destroy(cloth);
    def.solver = HED_CLOTH_SOLVER_PATCHES;
    FAILS(HED_ERROR_UNSUPPORTED, hed_cloth_create(here.device, &def, &cloth, &error));
    CHECK_NULL(cloth);
    sheet_free(&s);
}

/* ---- reading ---- */

Test(cloth, what_is_read_is_what_the_device_shows)
{
    static const float turn[16] = {
        0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 3, 2, 1, 1, /* a quarter about y, then away */
    };
    sheet s = sheet_make(9);
    hed_cloth_def def = def_of(&s);
    hed_cloth *cloth = make(&here, &def);
    uint32_t count = hed_cloth_vertex_count(cloth);
    float *positions = read_positions(cloth), *normals = malloc(12 * count),
          (*vertices)[4] = malloc(16 * count);
    uint8_t *colours = malloc(4 * count);
    CHECK(memcmp(positions, s.positions, 12 * count) == 0, "not where it starts");
    CHECK_NULL(hed_cloth_normal_buffer(cloth));
    OK(hed_cloth_enable_normals(cloth, &error));
    hed_buffer *former = hed_cloth_vertex_buffer(cloth);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.transform = turn;
    OK(hed_cloth_step(cloth, &frame, &error));
    CHECK(hed_cloth_vertex_buffer(cloth) != former, "the two buffers do not take turns");
    OK(hed_cloth_read(cloth, positions, normals, colours, &error));
    OK(hed_read(
        hed_cloth_stream(cloth), vertices, hed_cloth_vertex_buffer(cloth), 0, 16 * count, &error));
    OK(hed_stream_wait(hed_cloth_stream(cloth), &error));
    for (uint32_t i = 0; i < count; i++) {
        CHECK(largest_difference(vertices[i], positions + 3 * i, 3) < 1e-6);
        CHECK(memcmp(&vertices[i][3], "\xff\xff\xff\xff", 4) == 0 &&
              memcmp(colours + 4 * i, "\xff\xff\xff\xff", 4) == 0);
    }
    OK(hed_read(
        hed_cloth_stream(cloth), vertices, hed_cloth_normal_buffer(cloth), 0, 16 * count, &error));
    OK(hed_stream_wait(hed_cloth_stream(cloth), &error));
    for (uint32_t i = 0; i < count; i++)
        CHECK(largest_difference(vertices[i], normals + 3 * i, 3) < 1e-5);
    CHECK_NEAR(positions[0], 2.0f, 1e-6f, "x comes from z: %g", positions[0]);
    CHECK_NEAR(positions[2], 2.0f, 1e-6f);
    CHECK(
        normals[3 * 40 + 1] > 0.99f, "the sheet lies with its normal up: %g", normals[3 * 40 + 1]);
    free(positions);
    free(normals);
    free(vertices);
    free(colours);
    hed_cloth_destroy(cloth);
    sheet_free(&s);
}

/* Rows in more chunks than there are places for on the way, in every combination; what was read
 * once is read again without an allocation. */
Test(cloth, much_is_read_often_without_an_allocation)
{
    enum { N = 50, COPIES = 112, COUNT = N * N * COPIES };
    test_allocator counted = {0};
    hed_context_def context = hed_default_context_def();
    context.allocator = test_allocator_of(&counted);
    test_device t = test_open(&context);
    sheet s = sheet_make(N);
    s.garment.copies = COPIES;
    hed_cloth_def def = def_of(&s);
    hed_cloth *cloth = make(&t, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    OK(hed_cloth_enable_normals(cloth, &error));
    for (int i = 0; i < 3; i++) OK(hed_cloth_step(cloth, &frame, &error));
    float *rows[2] = {malloc(12 * COUNT), malloc(12 * COUNT)}, *shown = malloc(16 * COUNT);
    uint8_t *bytes = malloc(4 * COUNT + 1), *colours = bytes + 1; /* need not be aligned */
    OK(hed_cloth_read(cloth, rows[0], rows[1], colours, &error));
    int64_t calls = counted.calls;
    for (uint32_t wanted = 0; wanted < 8; wanted++) {
        for (int i = 0; i < 2; i++) memset(rows[i], 0x7f, 12 * COUNT);
        memset(bytes, 0x7f, 4 * COUNT + 1);
        OK(hed_cloth_read(cloth, wanted & 1 ? rows[0] : NULL, wanted & 2 ? rows[1] : NULL,
            wanted & 4 ? colours : NULL, &error));
        EXPECT_EQ(counted.calls, calls, "combination %u: %lld allocations", wanted,
            (long long)(counted.calls - calls));
        calls = counted.calls;
        hed_buffer *const buffers[2] = {
            hed_cloth_vertex_buffer(cloth), hed_cloth_normal_buffer(cloth)};
        for (uint32_t i = 0; i < 2; i++) {
            if (!(wanted & 1u << i)) continue;
            OK(hed_read(hed_cloth_stream(cloth), shown, buffers[i], 0, 16 * COUNT, &error));
            OK(hed_stream_wait(hed_cloth_stream(cloth), &error));
            for (uint32_t v = 0; v < COUNT; v++)
                CHECK(largest_difference(shown + 4 * v, rows[i] + 3 * v, 3) < 1e-5,
                    "array %u, vertex %u", i, v);
        }
        for (uint32_t v = 0; v < 4 * COUNT && wanted & 4; v++) CHECK_EQ(colours[v], 0xff);
    }
    free(rows[0]);
    free(rows[1]);
    free(shown);
    free(bytes);
    hed_cloth_destroy(cloth);
    sheet_free(&s);
    test_close(&t);
}

Test(cloth, vertices_show_particles_and_go_where_the_program_wants)
{
    sheet s = sheet_make(5);
    uint32_t shown[40];
    for (uint32_t i = 0; i < 40; i++) shown[i] = (i * 7) % 25;
    s.garment.vertex_count = 40;
    s.garment.vertex_particle = shown;
    hed_cloth_def def = def_of(&s);
    hed_cloth *cloth = make(&here, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_buffer *into[3];
    for (int i = 0; i < 3; i++) {
        hed_buffer_def size = hed_default_buffer_def(i < 2 ? 16 * 40 : 16 * 39);
        OK(hed_buffer_create(here.device, &size, &into[i], &error));
    }
    FAILS(HED_ERROR_BOUNDS, hed_cloth_set_vertex_buffers(cloth, into[0], into[2], &error));
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_set_vertex_buffers(cloth, into[0], NULL, &error));
    OK(hed_cloth_set_vertex_buffers(cloth, into[0], into[1], &error));
    for (uint32_t k = 0; k < 3; k++) {
        float vertices[40][4], *positions;
        OK(hed_cloth_step(cloth, &frame, &error));
        CHECK(hed_cloth_vertex_buffer(cloth) == into[k % 2]);
        positions = read_positions(cloth);
        OK(hed_read(hed_cloth_stream(cloth), vertices, into[k % 2], 0, sizeof vertices, &error));
        OK(hed_stream_wait(hed_cloth_stream(cloth), &error));
        for (uint32_t i = 0; i < 40; i++) {
            CHECK(largest_difference(vertices[i], positions + 3 * i, 3) == 0.0);
            if (i >= 25)
                CHECK(largest_difference(vertices[i], vertices[i - 25], 3) == 0.0,
                    "both show particle %u", shown[i]);
        }
        free(positions);
    }
    OK(hed_cloth_set_vertex_buffers(cloth, NULL, NULL, &error));
    OK(hed_cloth_step(cloth, &frame, &error));
    CHECK(hed_cloth_vertex_buffer(cloth) != into[0] && hed_cloth_vertex_buffer(cloth) != into[1]);
    hed_cloth_destroy(cloth);
    for (int i = 0; i < 3; i++) hed_buffer_destroy(into[i]);
    sheet_free(&s);
}

/* ---- the same again ---- */

Test(cloth, strict_bits_are_those_of_host)
{
    test_device t = test_open(NULL), host = t;
    OK(hed_device_find(t.context, "host", &host.device, &error));
    sheet s = sheet_make(20);
    sheet_dress(&s);
    hed_cloth_def def = def_of(&s);
    def.math = HED_MATH_STRICT;
    def.iterations = 3; /* with compliance: multipliers */
    for (int fabric = 0; fabric < 3; fabric++) {
        uint64_t hashes[2];
        if (fabric) s.garment.fabric = hed_cloth_fabric_named("leather");
        if (fabric == 2) { /* a mesh whose edges run askew to the threads */
            s.garment.grid_width = s.garment.grid_height = 0;
            memcpy(s.garment.warp_axis, (const float[3]){1, 0, 0.6f}, sizeof s.garment.warp_axis);
        }
        for (int k = 0; k < 2; k++) {
            hed_cloth *cloth = make(k ? &t : &host, &def);
            for (uint32_t i = 0; i < 40; i++) full_frame(cloth, &s, i);
            hashes[k] = hash_of(cloth);
            hed_cloth_destroy(cloth);
        }
        CHECK(hashes[0] == hashes[1], "fabric %d: host %016llx, here %016llx", fabric,
            (unsigned long long)hashes[0], (unsigned long long)hashes[1]);
    }
    sheet_free(&s);
    test_close(&t);
}

Test(cloth, sets_of_every_width_are_the_colours)
{
    sheet s = sheet_make(20);
    sheet_dress(&s);
    hed_cloth_def def = def_of(&s);
    def.math = HED_MATH_STRICT;
    uint64_t expected = 0;
    static const uint32_t widths[] = {0, 4, 8, 128, 0};
    for (int k = 0; k < 5; k++) {
        def.solver = k ? HED_CLOTH_SOLVER_SETS : HED_CLOTH_SOLVER_COLOURS;
        def.set_width = widths[k];
        hed_cloth *cloth = make(&here, &def);
        for (uint32_t i = 0; i < 8; i++) full_frame(cloth, &s, i);
        uint64_t hash = hash_of(cloth);
        if (k == 0) expected = hash;
        CHECK(hash == expected, "sets of %u: other bits", widths[k]);
        hed_cloth_destroy(cloth);
    }
    sheet_free(&s);
}

Test(cloth, native_functions_stand_in_frame_by_frame)
{
    sheet s = sheet_make(20);
    sheet_dress(&s);
    for (int math = 0; math < 2; math++) {
        hed_cloth_def def = def_of(&s);
        def.math = (hed_math)math;
        hed_cloth *plain = make(&here, &def), *mixed = make(&here, &def);
        for (uint32_t i = 0; i < 16; i++) {
            for (int a = 0; a < HED_CLOTH_ALGORITHM_COUNT; a++)
                OK(hed_cloth_use_native(
                    mixed, (hed_cloth_algorithm)a, i >> a & 1, &error)); /* all sixteen mixtures */
            full_frame(plain, &s, i);
            full_frame(mixed, &s, i);
        }
        float *a = read_positions(plain), *b = read_positions(mixed);
        double apart = largest_difference(a, b, 3 * hed_cloth_vertex_count(plain));
        if (math == HED_MATH_STRICT)
            CHECK(hash_of(plain) == hash_of(mixed), "strict: %g m apart", apart);
        CHECK(apart < 2e-3, "%g m apart", apart);
        free(a);
        free(b);
        hed_cloth_destroy(plain);
        hed_cloth_destroy(mixed);
    }
    sheet_free(&s);
}

Test(cloth, copies_are_bit_equal_to_one)
{
    sheet s = sheet_make(12);
    sheet_dress(&s);
    s.garment.copies = 3;
    hed_cloth_garment_def both[2] = {s.garment, s.garment};
    both[1].copies = 1;
    hed_cloth_def def = def_of(&s);
    def.garments = both;
    def.garment_count = 2;
    hed_cloth *cloth = make(&here, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.wind[0] = 3.0f;
    for (int i = 0; i < 20; i++) OK(hed_cloth_step(cloth, &frame, &error));
    float *positions = read_positions(cloth);
    uint32_t particle, vertex;
    hed_cloth_garment_range(cloth, 1, &particle, &vertex);
    CHECK(particle == 3 * 144 && vertex == 3 * 144 && hed_cloth_particle_count(cloth) == 4 * 144);
    for (uint32_t copy = 1; copy < 4; copy++)
        CHECK(memcmp(positions, positions + copy * 3 * 144, 12 * 144) == 0,
            "copy %u went another way", copy);
    CHECK(positions[3 * 100 + 1] != s.positions[3 * 100 + 1], "nothing moved");
    free(positions);
    hed_cloth_destroy(cloth);
    sheet_free(&s);
}

/* Another garment beside it, with copies of its own, changes no bit of a garment. */
Test(cloth, garments_do_not_see_each_other)
{
    sheet s = sheet_make(9), other = sheet_make(12);
    sheet_dress(&s);
    sheet_dress(&other);
    s.garment.copies = 2;
    other.garment.copies = 3;
    other.garment.tethers = false;
    hed_cloth_garment_def both[2] = {other.garment, s.garment};
    hed_cloth_def def = def_of(&s);
    def.math = HED_MATH_STRICT;
    hed_cloth *alone = make(&here, &def);
    def.garments = both;
    def.garment_count = 2;
    hed_cloth *together = make(&here, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.wind[0] = 3.0f;
    for (int i = 0; i < 12; i++) {
        OK(hed_cloth_step(alone, &frame, &error));
        OK(hed_cloth_step(together, &frame, &error));
    }
    float *a = read_positions(alone), *b = read_positions(together);
    CHECK(memcmp(a, b + 3 * 3 * 144, 12 * 2 * 81) == 0);
    free(a);
    free(b);
    hed_cloth_destroy(alone);
    hed_cloth_destroy(together);
    sheet_free(&s);
    sheet_free(&other);
}

Test(cloth, many_frames_in_one_submission_are_as_many_submissions)
{
    sheet s = sheet_make(12);
    hed_cloth_def def = def_of(&s);
    s.garment.tethers = true;
    def.math = HED_MATH_STRICT;
    hed_cloth *one = make(&here, &def), *many = make(&here, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    for (int i = 0; i < 7; i++) OK(hed_cloth_step(one, &frame, &error));
    frame.frames = 7;
    OK(hed_cloth_step(many, &frame, &error));
    CHECK(hash_of(one) == hash_of(many));
    hed_cloth_destroy(one);
    hed_cloth_destroy(many);
    sheet_free(&s);
}

/* ---- states and jumps ---- */

Test(cloth, a_saved_state_goes_on_to_the_bit)
{
    sheet s = sheet_make(16);
    sheet_dress(&s);
    hed_cloth_def def = def_of(&s);
    hed_cloth *cloth = make(&here, &def), *other = make(&here, &def);
    for (uint32_t i = 0; i < 6; i++) full_frame(cloth, &s, i);
    uint64_t size = hed_cloth_save_size(cloth);
    unsigned char *state = malloc(size);
    OK(hed_cloth_save(cloth, state, &error));
    for (uint32_t i = 6; i < 12; i++) full_frame(cloth, &s, i);
    OK(hed_cloth_load(other, state, size, &error));
    for (uint32_t i = 6; i < 12; i++) full_frame(other, &s, i);
    CHECK(hash_of(cloth) == hash_of(other), "it went on another way");
    OK(hed_cloth_load(cloth, state, size, &error));
    for (uint32_t i = 6; i < 12; i++) full_frame(cloth, &s, i);
    CHECK(hash_of(cloth) == hash_of(other), "back in the same cloth it went on another way");
    free(state);
    hed_cloth_destroy(cloth);
    hed_cloth_destroy(other);
    sheet_free(&s);
}

Test(cloth, a_damaged_state_is_refused)
{
    sheet s = sheet_make(6), other_sheet = sheet_make(7);
    hed_cloth_def def = def_of(&s), other_def = def_of(&other_sheet);
    hed_cloth *cloth = make(&here, &def), *other = make(&here, &other_def);
    uint64_t size = hed_cloth_save_size(cloth), before = hash_of(cloth);
    unsigned char *state = malloc(size);
    OK(hed_cloth_save(cloth, state, &error));
    for (uint64_t at = 0; at < size; at += at < 64 ? 1 : 97) {
        state[at] ^= 0x10;
        FAILS(HED_ERROR_FORMAT, hed_cloth_load(cloth, state, size, &error));
        state[at] ^= 0x10;
    }
    for (uint64_t cut = 0; cut < size; cut += 61)
        FAILS(HED_ERROR_FORMAT, hed_cloth_load(cloth, state, cut, &error));
    FAILS(HED_ERROR_FORMAT, hed_cloth_load(other, state, size, &error));
    CHECK(hash_of(cloth) == before);
    OK(hed_cloth_load(cloth, state, size, &error));
    free(state);
    hed_cloth_destroy(cloth);
    hed_cloth_destroy(other);
    sheet_free(&s);
    sheet_free(&other_sheet);
}

/* Sets the checksum of a state, FNV-1a with its own place as 0. */
static void state_set_sum(unsigned char *state, uint64_t size)
{
    enum { SUM_AT = 32 };
    uint64_t sum = 0xcbf29ce484222325u;
    memset(state + SUM_AT, 0, sizeof sum);
    for (uint64_t i = 0; i < size; i++) sum = (sum ^ state[i]) * 0x100000001b3u;
    memcpy(state + SUM_AT, &sum, sizeof sum);
}

Test(cloth, a_state_of_wild_numbers_is_refused_though_its_checksum_fits)
{
    enum { SIDE = 6, HEAD = 208 + 72, PREVIOUS = HEAD + 16 * SIDE * SIDE };
    static const struct {
        uint32_t at; /* byte of the state */
        float number;
    } cases[] = {{HEAD, NAN}, {HEAD + 4, INFINITY}, {HEAD + 12, -1}, {HEAD + 12, NAN},
        {PREVIOUS + 8, NAN}, {PREVIOUS + 12, 1}, {PREVIOUS + 12, 1e17f}, {PREVIOUS + 12, -1},
        {48, NAN}, {48, -1}, {88, NAN}, {104, NAN}, {116, NAN}, {208 + 28, NAN}, {208 + 64, NAN},
        {20, 1}}; /* last_dt, middle, substeps, driver, home, meshes without places */
    sheet s = sheet_make(SIDE);
    hed_cloth_def def = def_of(&s);
    hed_cloth *cloth = make(&here, &def);
    uint64_t size = hed_cloth_save_size(cloth), before = hash_of(cloth);
    unsigned char *state = malloc(size), *wild = malloc(size);
    OK(hed_cloth_save(cloth, state, &error));
    for (uint32_t i = 0; i < HED_COUNT(cases); i++) {
        memcpy(wild, state, size);
        memcpy(wild + cases[i].at, &cases[i].number, sizeof cases[i].number);
        state_set_sum(wild, size);
        FAILS(HED_ERROR_FORMAT, hed_cloth_load(cloth, wild, size, &error));
        CHECK(hash_of(cloth) == before, "case %u", i);
    }
    memcpy(wild, state, size);
    state_set_sum(wild, size);
    OK(hed_cloth_load(cloth, wild, size, &error));
    free(state);
    free(wild);
    hed_cloth_destroy(cloth);
    sheet_free(&s);
}

Test(cloth, reset_begins_again)
{
    sheet s = sheet_make(12);
    sheet_dress(&s);
    hed_cloth_def def = def_of(&s);
    hed_cloth *cloth = make(&here, &def);
    uint64_t start = hash_of(cloth), hashes[2];
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < 9; i++) full_frame(cloth, &s, i);
        hashes[k] = hash_of(cloth);
        OK(hed_cloth_reset(cloth, &error));
        CHECK(hash_of(cloth) == start);
    }
    CHECK(hashes[0] == hashes[1] && hashes[0] != start);
    hed_cloth_destroy(cloth);
    sheet_free(&s);
}

/* Its driver goes along: positions are turned and shifted, normals only turned; the garment before
 * it stays. */
Test(cloth, teleport_takes_the_driver_along)
{
    enum { EACH = 64 };
    static const float turn[16] = {0.6f, 0, -0.8f, 0, 0, 1, 0, 0, 0.8f, 0, 0.6f, 0, 5, 2, -3, 1};
    sheet s = sheet_make(8);
    sheet_dress(&s);
    hed_cloth_garment_def garments[2] = {s.garment, s.garment};
    hed_cloth_def def = def_of(&s);
    def.garments = garments;
    def.garment_count = 2;
    hed_cloth *stays = make(&here, &def), *jumps = make(&here, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    float normals[6 * EACH];
    for (int i = 0; i < 6 * EACH; i++) normals[i] = (const float[]){0.6f, 0.8f, 0}[i % 3];
    frame.driver_normals = normals;
    for (int i = 0; i < 20; i++) {
        OK(hed_cloth_step(stays, &frame, &error));
        OK(hed_cloth_step(jumps, &frame, &error));
        if (i == 9) OK(hed_cloth_teleport(jumps, 1, turn, &error));
        frame.driver_normals = NULL;
    }
    float *a = read_positions(stays), *b = read_positions(jumps);
    /* But for rounding: the origin follows both. */
    CHECK(largest_difference(a, b, 3 * EACH) < 1e-5, "the other garment moved");
    for (uint32_t i = EACH; i < 2 * EACH; i++) {
        const float *p = a + 3 * i;
        const float expected[3] = {
            0.6f * p[0] + 0.8f * p[2] + 5, p[1] + 2, -0.8f * p[0] + 0.6f * p[2] - 3};
        CHECK(largest_difference(expected, b + 3 * i, 3) < 1e-3, "particle %u", i);
    }
    free(a);
    free(b);
    hed_cloth_destroy(stays);
    hed_cloth_destroy(jumps);
    sheet_free(&s);
}

/* Turned about y, gravity does not tell the difference: who is moved in between goes the same way,
 * turned. */
Test(cloth, teleport_takes_the_motion_along)
{
    static const float turn[16] = {0.6f, 0, -0.8f, 0, 0, 1, 0, 0, 0.8f, 0, 0.6f, 0, 5, 2, -3, 1};
    sheet s = sheet_make(12);
    hed_cloth_def def = def_of(&s);
    hed_cloth *stays = make(&here, &def), *jumps = make(&here, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    for (int i = 0; i < 20; i++) {
        OK(hed_cloth_step(stays, &frame, &error));
        OK(hed_cloth_step(jumps, &frame, &error));
        if (i == 9) OK(hed_cloth_teleport(jumps, 0, turn, &error));
    }
    float *a = read_positions(stays), *b = read_positions(jumps);
    for (uint32_t i = 0; i < 144; i++) {
        const float *p = a + 3 * i;
        const float expected[3] = {
            0.6f * p[0] + 0.8f * p[2] + 5, p[1] + 2, -0.8f * p[0] + 0.6f * p[2] - 3};
        CHECK(largest_difference(expected, b + 3 * i, 3) < 1e-3, "particle %u", i);
    }
    free(a);
    free(b);
    float stretched[16];
    memcpy(stretched, turn, sizeof turn);
    stretched[5] = 1.1f;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_teleport(jumps, 0, stretched, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_teleport(jumps, 1, turn, &error));
    hed_cloth_destroy(stays);
    hed_cloth_destroy(jumps);
    sheet_free(&s);
}

Test(cloth, a_frame_of_reference_carries_cloth_along)
{
    static const float away[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.25f, 0, 0, 1};
    sheet s = sheet_make(8);
    hed_cloth_def def = def_of(&s);
    hed_cloth *cloth = make(&here, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    memset(frame.gravity, 0, sizeof frame.gravity);
    frame.motion = away;
    for (int i = 0; i < 4; i++) OK(hed_cloth_step(cloth, &frame, &error));
    float *positions = read_positions(cloth);
    for (uint32_t i = 0; i < 64; i++)
        CHECK_NEAR(positions[3 * i], s.positions[3 * i] + 1.0f, 1e-5f);
    free(positions);
    hed_cloth_destroy(cloth);
    sheet_free(&s);
}

/* ---- physics that belongs to the solver alone ---- */

/* A weight on a springy constraint: at rest it hangs lower by weight * compliance, however many
 * iterations there are.
 */
Test(cloth, compliance_does_not_depend_on_iterations)
{
    const float positions[6] = {0, 0, 0, 0, -1, 0}, inverse_masses[2] = {0, 0.5f};
    const hed_cloth_constraint constraint = {0, 1, 1.0f, 0};
    const hed_cloth_material material = {0.0f, 1.0f, 2e-3f};
    hed_cloth_garment_def garment = hed_default_cloth_garment_def();
    garment.particle_count = 2;
    garment.positions = positions;
    garment.inverse_masses = inverse_masses;
    garment.constraints = &constraint;
    garment.constraint_count = 1;
    garment.materials = &material;
    garment.material_count = 1;
    garment.damping = 0.99f;
    hed_cloth_def def = hed_default_cloth_def();
    def.garments = &garment;
    def.garment_count = 1;
    def.substeps = 5;
    def.solver = HED_CLOTH_SOLVER_COLOURS;
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.frames = 300;
    for (uint32_t iterations = 1; iterations <= 16; iterations *= 4) {
        float at[6];
        def.iterations = iterations;
        hed_cloth *cloth = make(&here, &def);
        OK(hed_cloth_step(cloth, &frame, &error));
        OK(hed_cloth_read(cloth, at, NULL, NULL, &error));
        CHECK_NEAR(at[4], -1.0f - 2.0f * 9.81f * 2e-3f, 2e-4f, "%u iterations: hangs at %g",
            iterations, at[4]);
        hed_cloth_destroy(cloth);
    }
}

Test(cloth, locked_particles_follow_their_driver_evenly)
{
    sheet s = sheet_make(6);
    s.garment.driven = true;
    hed_cloth_def def = def_of(&s);
    hed_cloth *cloth = make(&here, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    float driver[108];
    memcpy(driver, s.positions, sizeof driver);
    driver[0] += 0.5f;
    driver[1] += 0.25f;
    frame.driver_positions = driver;
    for (int i = 0; i < 2; i++) {
        OK(hed_cloth_step(cloth, &frame, &error));
        float *positions = read_positions(cloth);
        CHECK(largest_difference(positions, driver, 3) < 1e-6, "the held corner is at %g %g",
            positions[0], positions[1]);
        CHECK(positions[3 * 5] == s.positions[3 * 5], "the other one moved");
        free(positions);
        frame.driver_positions = NULL; /* stays where it is */
    }
    hed_cloth_destroy(cloth);
    sheet_free(&s);
}

/* Two sheets, of which the second is driven; what the buffer has for the first, nobody reads. */
Test(cloth, a_driver_in_a_buffer_is_the_one_in_host_memory)
{
    enum { EACH = 36, BOTH = 2 * EACH };
    sheet s = sheet_make(6);
    hed_cloth_garment_def garments[2] = {s.garment};
    sheet_dress(&s);
    garments[1] = s.garment;
    hed_cloth_def def = def_of(&s);
    def.garments = garments;
    def.garment_count = 2;
    def.math = HED_MATH_STRICT;
    hed_cloth *cloths[2] = {make(&here, &def), make(&here, &def)};
    hed_cloth_frame frames[2] = {hed_default_cloth_frame(), hed_default_cloth_frame()};
    float positions[3 * BOTH], normals[3 * BOTH], pairs[8 * BOTH];
    for (uint32_t i = 0; i < BOTH; i++) {
        bool driven = i >= EACH;
        for (uint32_t k = 0; k < 8; k++)
            pairs[8 * i + k] = driven ? (const float[8]){0, 0, 0, 0, 0.6f, 0.8f}[k] : NAN;
        for (uint32_t k = 0; k < 3 && driven; k++)
            pairs[8 * i + k] = s.positions[3 * (i - EACH) + k] + 0.1f;
        memcpy(positions + 3 * i, pairs + 8 * i, 12);
        memcpy(normals + 3 * i, pairs + 8 * i + 4, 12);
    }
    hed_buffer_def room = hed_default_buffer_def(sizeof pairs);
    OK(hed_buffer_create(here.device, &room, &frames[0].driver_buffer, &error));
    OK(hed_write(here.stream, frames[0].driver_buffer, 0, pairs, sizeof pairs, &error));
    OK(hed_stream_wait(here.stream, &error));
    frames[1].driver_positions = positions;
    frames[1].driver_normals = normals;
    for (int i = 0; i < 10; i++)
        for (int c = 0; c < 2; c++) OK(hed_cloth_step(cloths[c], &frames[c], &error));
    CHECK(hash_of(cloths[0]) == hash_of(cloths[1]));
    float *found = read_positions(cloths[0]);
    CHECK(found[3 * EACH] == pairs[8 * EACH], "the held corner is at %g", found[3 * EACH]);
    CHECK(found[0] == s.positions[0], "the corner that nobody drives is at %g", found[0]);
    free(found);
    for (int c = 0; c < 2; c++) hed_cloth_destroy(cloths[c]);
    hed_buffer_destroy(frames[0].driver_buffer);
    sheet_free(&s);
}

Test(cloth, driver_limits_hold_and_are_shown)
{
    sheet s = sheet_make(10);
    sheet_dress(&s);
    hed_cloth_def def = def_of(&s);
    hed_cloth *cloth = make(&here, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    for (int i = 0; i < 30; i++) OK(hed_cloth_step(cloth, &frame, &error));
    float positions[300];
    uint8_t colours[400];
    uint32_t acted = 0;
    OK(hed_cloth_read(cloth, positions, NULL, colours, &error));
    for (uint32_t i = 0; i < 100; i++) {
        const float *p = positions + 3 * i, *d = s.positions + 3 * i;
        double x = (double)p[0] - d[0], y = (double)p[1] - d[1], z = (double)p[2] - d[2];
        acted += memcmp(colours + 4 * i, "\xff\xff\xff\xff", 4) != 0;
        CHECK(y >= s.backstop[i] - 1e-6, "particle %u is %g m below its backstop", i,
            s.backstop[i] - y);
        CHECK(sqrt(x * x + y * y + z * z) <= s.max_distance[i] * (1 + 2e-6),
            "particle %u left its ball", i);
    }
    CHECK(acted > 50, "the colours of only %u particles tell that the driver acted", acted);
    hed_cloth_destroy(cloth);
    sheet_free(&s);
}
