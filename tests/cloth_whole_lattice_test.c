/* Lattices in HED_CLOTH_SOLVER_GARMENTS, where a group has a whole garment, against
 * HED_CLOTH_SOLVER_COLOURS: copies, pins, meshes with panels, fabrics that give, bodies. */
/* ctest: devices long full=pocl */
#include "cloth_lattice_sheets.h"

static void open(void)
{
    here_open();
    layout_needed(HED_CLOTH_SOLVER_GARMENTS);
}

TestSuite(cloth_whole_lattice, .init = open, .fini = here_close);

Test(cloth_whole_lattice, does_as_colours) { check_sheets(HED_CLOTH_SOLVER_GARMENTS, false); }

Test(cloth_whole_lattice, does_as_colours_over_a_ball)
{
    if (hed_device_describe(here.device).type == HED_DEVICE_CPU)
        test_skip("PoCL's compiler copies code at each barrier: minutes");
    check_sheets(HED_CLOTH_SOLVER_GARMENTS, true);
}

Test(cloth_whole_lattice, meshes_do_as_colours) { check_mesh(HED_CLOTH_SOLVER_GARMENTS); }
