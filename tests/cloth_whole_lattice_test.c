/* Lattices in HED_CLOTH_SOLVER_GARMENTS, where a group has a whole garment, against
 * HED_CLOTH_SOLVER_COLOURS: copies, pins, fabrics that give, bodies. */
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

/* Lattices of a mesh count on several sweeps over its elements. */
Test(cloth_whole_lattice, meshes_of_fabrics_are_refused)
{
    test_mesh mesh = test_irregular(20, 7, 0.3f);
    make_lattices(&mesh, hed_cloth_fabric_named("cotton"));
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth *cloth;
    def.garments = &mesh.def;
    def.garment_count = 1;
    def.solver = HED_CLOTH_SOLVER_GARMENTS;
    FAILS(HED_ERROR_UNSUPPORTED, hed_cloth_create(here.device, &def, &cloth, &error));
    CHECK(strstr(error.text, "cooperative"), "%s", error.text);
    test_mesh_free(&mesh);
}
