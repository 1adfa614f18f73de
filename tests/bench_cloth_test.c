/* Rows of heddle cloth bench at equal quality, on sheets small enough for a test. */
#include "testing.h"

#include "benchmarks/cloth_gate.h"
#include "benchmarks/cloth_heap.h"

static hed_error error;

static cloth_gate_row row_of(const cloth_gate_case *c)
{
    hed_context_def one_thread = hed_default_context_def();
    one_thread.host_threads = 1;
    test_device t = test_open(&one_thread);
    cloth_gate_row row;
    OK(cloth_gate_find(c, t.device, &row, &error));
    test_close(&t);
    CHECK(row.passes, "%u substeps: p99 %g, worst %g, rms %g", row.substeps, row.p99, row.worst,
        row.rms);
    CHECK_EQ(row.frames, CLOTH_GATE_FRAMES);
    EXPECT_LT(row.rise, 1e-3, "energy rose by %g J", row.rise);
    return row;
}

Test(bench_cloth, a_row_of_pins_holds_all_edges)
{
    cloth_gate_row row = row_of(&(cloth_gate_case){.n = 16, CLOTH_GATE_ROW, .lattices = true});
    EXPECT_LT(row.worst, 0.05);
}

/* Edges of lattices that pulled along their directions at a substep's end would damp the swing, as a step of
 * first order does: both need 3 substeps. */
Test(bench_cloth, a_hung_sheet_swings_with_2_substeps)
{
    cloth_gate_row row = row_of(&(cloth_gate_case){.n = 40, CLOTH_GATE_HUNG, .lattices = true});
    EXPECT_LE(row.substeps, 2);
}

/* Cells are swept four times where cloth may touch something: one sweep is too soft in shear for the
 * folds of so few substeps. */
Test(bench_cloth, a_sheet_over_a_ball_passes_with_8_substeps)
{
    cloth_gate_row row =
        row_of(&(cloth_gate_case){.n = 64, CLOTH_GATE_BALL, .lattices = true, .threads = 1});
    EXPECT_LE(row.substeps, 8);
}

/* The judge of a frame: a limit for each of its measures. */
Test(bench_cloth, a_row_is_judged_by_each_of_its_measures)
{
    const cloth_gate_case sheet = {.kind = CLOTH_GATE_HUNG},
                          large = {.kind = CLOTH_GATE_HUNG, .p99_alone = true},
                          mesh = {.kind = CLOTH_GATE_MESH};
    const cloth_gate_row good = {.p99 = 0.019, .worst = 0.049, .rise = 0},
                         reference = {.p99 = 0.03, .worst = 0.3};
    cloth_gate_row row = good;
    EXPECT(cloth_gate_allows(&sheet, &reference, &row));
    row.worst = 0.051;
    EXPECT(!cloth_gate_allows(&sheet, &reference, &row));
    EXPECT(cloth_gate_allows(&large, &reference, &row), "the longest edge decides");
    row.p99 = 0.021;
    EXPECT(!cloth_gate_allows(&large, &reference, &row));
    EXPECT(cloth_gate_allows(&mesh, &reference, &row), "the fabric may give as its reference");
    row.worst = 0.331;
    EXPECT(!cloth_gate_allows(&mesh, &reference, &row));
    row = good;
    row.rise = 2e-3;
    EXPECT(!cloth_gate_allows(&sheet, &reference, &row));
    row = good;
    row.crossings = 1;
    EXPECT(!cloth_gate_allows(&sheet, &reference, &row));
    row.crossings = 0;
    row.ball_crossings = 1;
    EXPECT(!cloth_gate_allows(&sheet, &reference, &row));
}

/* The fabric gives more than a rigid sheet may, as much as its reference. */
Test(bench_cloth, a_mesh_is_judged_by_its_reference)
{
    cloth_gate_row row = row_of(&(cloth_gate_case){.n = 16, CLOTH_GATE_MESH, .lattices = true});
    EXPECT_GT(row.worst, 0.05);
}

/* Crossings and stretch of a folded sheet of n x n in its first frames; `contact`: of cloth with itself, else
 * none. */
static cloth_gate_row folded_row(uint32_t n, uint32_t substeps, uint32_t frames, bool contact)
{
    cloth_gate_row row = {.substeps = substeps, .frames = frames};
    cloth_gate_sheet sheet;
    test_device t = test_open(NULL);
    OK(cloth_gate_sheet_create(CLOTH_GATE_FOLDED, n, &sheet, &error));
    if (!contact) sheet.garment.self_collision = HED_CLOTH_SELF_NONE;
    sheet.garment.lattices = true;
    hed_cloth_def def = hed_default_cloth_def();
    def.garments = &sheet.garment;
    def.garment_count = 1;
    def.substeps = substeps;
    hed_cloth *cloth;
    OK(hed_cloth_create(t.device, &def, &cloth, &error));
    const hed_cloth_collider ball = {HED_CLOTH_SPHERE, {0, -0.42f, 0}, {0}, {0.4f, 0.4f}, 0.4f};
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.colliders = &ball;
    frame.collider_count = 1;
    float *positions = malloc((size_t)n * n * 3 * sizeof *positions);
    CHECK(positions);
    for (uint32_t f = 0; f < frames; f++) {
        hed_cloth_metrics quality = {0};
        OK(hed_cloth_step(cloth, &frame, &error));
        OK(hed_cloth_evaluate(cloth, &quality, &error));
        OK(hed_cloth_read(cloth, positions, NULL, NULL, &error));
        OK(cloth_gate_count(&sheet, positions, &row, &error));
        row.p99 = fmax(row.p99, quality.stretch_p99);
        row.worst = fmax(row.worst, quality.worst_stretch);
    }
    free(positions);
    hed_cloth_destroy(cloth);
    cloth_gate_sheet_free(&sheet);
    test_close(&t);
    return row;
}

/* The layers do touch: without contact they cross. */
Test(bench_cloth, a_folded_sheet_needs_contact)
{
    EXPECT_EQ(folded_row(12, 12, CLOTH_GATE_FRAMES, true).crossings, 0);
    EXPECT_GT(folded_row(12, 12, CLOTH_GATE_FRAMES, false).crossings, 0);
}

static void expect_gate_passed(const cloth_gate_row *row)
{
    printf("%u substeps: p99 %.4f, worst %.4f\n", row->substeps, row->p99, row->worst);
    EXPECT_LT(row->p99, 0.02);
    EXPECT_LT(row->worst, 0.05);
    EXPECT_EQ(row->crossings, 0);
    EXPECT_EQ(row->ball_crossings, 0);
}

/* Contact moves vertices by parts of the thickness, which are a larger part of the edges of a finer sheet:
 * pulls have the last word together with separations, else the edges of a crease become too long. */
Test(bench_cloth, contact_keeps_the_lengths_of_a_folded_sheet, .timeout = 600)
{
    const cloth_gate_row coarse = folded_row(64, 6, 40, true), fine = folded_row(128, 8, 18, true);
    expect_gate_passed(&coarse);
    expect_gate_passed(&fine);
}

Test(bench_cloth, a_folded_sheet_never_crosses_itself)
{
    cloth_gate_row row = row_of(&(cloth_gate_case){.n = 24, CLOTH_GATE_FOLDED, .lattices = true});
    CHECK_EQ(row.crossings, 0);
    CHECK_EQ(row.ball_crossings, 0);
    EXPECT_LT(row.worst, 0.05);
}

/* Layers in a heap do not cross; without contact they do. */
Test(bench_cloth, layers_of_a_heap_never_cross)
{
    const cloth_heap_case small = {"heap of 5 layers of 20 x 20", 5, 20, 20};
    test_device t = test_open(NULL);
    cloth_heap_row row;
    OK(cloth_heap_measure(&small, t.device, true, &row, &error));
    EXPECT_EQ(row.crossings, 0);
    EXPECT_LT(row.worst, 0.05);
    EXPECT_LT(row.height, 0, "not fallen");
    OK(cloth_heap_measure(&small, t.device, false, &row, &error));
    EXPECT_GT(row.crossings, 0);
    test_close(&t);
}
