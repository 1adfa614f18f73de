/* Rows of heddle cloth bench at equal quality, on sheets small enough for a test. */
#include "testing.h"

#include "benchmarks/cloth_gate.h"

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

/* The fabric gives more than a rigid sheet may, as much as its reference. */
Test(bench_cloth, a_mesh_is_judged_by_its_reference)
{
    cloth_gate_row row = row_of(&(cloth_gate_case){.n = 16, CLOTH_GATE_MESH, .lattices = true});
    EXPECT_GT(row.worst, 0.05);
}

Test(bench_cloth, a_folded_sheet_never_crosses_itself)
{
    cloth_gate_row row = row_of(&(cloth_gate_case){.n = 12, CLOTH_GATE_FOLDED, .lattices = true});
    CHECK_EQ(row.crossings, 0);
    EXPECT_LT(row.worst, 0.05);
}
