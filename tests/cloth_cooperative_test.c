/* HED_CLOTH_SOLVER_COOPERATIVE, all substeps in one launch, against HED_CLOTH_SOLVER_COLOURS: copies,
 * pins, meshes with panels, fabrics that give, bodies. Where there is no barrier over the grid, it
 * is one group. */
/* ctest: devices long full=pocl */
#include "cloth_lattice_sheets.h"

static void open(void)
{
    here_open();
    layout_needed(HED_CLOTH_SOLVER_COOPERATIVE);
}

TestSuite(cloth_cooperative, .init = open, .fini = here_close);

Test(cloth_cooperative, sheets_do_as_colours)
{
    if (hed_device_describe(here.device).type == HED_DEVICE_CPU)
        test_skip("PoCL's compiler copies code at each barrier: minutes");
    check_sheets(HED_CLOTH_SOLVER_COOPERATIVE, false);
}

Test(cloth_cooperative, sheets_over_a_ball_do_as_colours)
{
    if (hed_device_describe(here.device).type == HED_DEVICE_CPU)
        test_skip("PoCL's compiler copies code at each barrier: minutes");
    check_sheets(HED_CLOTH_SOLVER_COOPERATIVE, true);
}

Test(cloth_cooperative, meshes_do_as_colours)
{
    if (hed_device_describe(here.device).type == HED_DEVICE_CPU)
        test_skip("PoCL's compiler copies code at each barrier: minutes");
    check_mesh(HED_CLOTH_SOLVER_COOPERATIVE);
}

/* Three levels of lattices, of which the first group solves two alone. */
Test(cloth_cooperative, a_large_sheet_does_as_colours)
{
    if (hed_device_describe(here.device).type == HED_DEVICE_CPU) test_skip("a minute");
    test_mesh sheet = test_grid(255, 255);
    make_lattices(&sheet, &rigid);
    check_against_colours(HED_CLOTH_SOLVER_COOPERATIVE, &sheet.def, 1, false);
    test_mesh_free(&sheet);
}
