/* HED_CLOTH_SOLVER_COOPERATIVE, all substeps in one launch, against HED_CLOTH_SOLVER_COLOURS: copies,
 * pins, meshes with panels, fabrics that give, bodies, and the rule that chooses it. Where there is
 * no barrier over the grid, it is one group. */
/* ctest: devices long full=pocl */
#include "cloth_lattice_sheets.h"
#include "fakes.h"
#include "solver/colours.h"
#include "solver/cooperative_list.h"

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

Test(cloth_cooperative, large_sheets_do_as_colours)
{
    const hed_cloth_fabric *knit = hed_cloth_fabric_named("interlock");
    if (hed_device_describe(here.device).type == HED_DEVICE_CPU)
        test_skip("PoCL's compiler copies code at each barrier: minutes");
    for (int touched = 0; touched < 2; touched++) {
        check_large_sheet(HED_CLOTH_SOLVER_COOPERATIVE, &rigid, touched);
        check_large_sheet(HED_CLOTH_SOLVER_COOPERATIVE, knit, touched);
    }
}

Test(cloth_cooperative, meshes_do_as_colours)
{
    if (hed_device_describe(here.device).type == HED_DEVICE_CPU)
        test_skip("PoCL's compiler copies code at each barrier: minutes");
    check_mesh(HED_CLOTH_SOLVER_COOPERATIVE);
}

/* The solver chosen for garments that mesh bodies of so many triangles may touch. */
static hed_cloth_solver chosen_for(hed_device *device, const hed_cloth_garment_def *garments,
    uint32_t count, uint32_t triangles, hed_math math)
{
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth *cloth;
    def.garments = garments;
    def.garment_count = count;
    def.max_collider_triangles = triangles;
    def.substeps = 5;
    def.math = math;
    OK(hed_cloth_create(device, &def, &cloth, &error));
    EXPECT_EQ(
        hed_cloth_describe(cloth).lattices > 0, garments->lattices, "the rule is for lattices");
    hed_cloth_solver solver = hed_cloth_describe(cloth).solver;
    hed_cloth_destroy(cloth);
    return solver;
}

/* The rule: one large grid with lattices on a device whose groups can meet, in both modes; a mesh that
 * mesh bodies may touch (newton moves others), or a grid in contact with itself, in fast mode. */
static void check_rule(hed_device *device)
{
    const hed_cloth_solver one_launch = HED_CLOTH_SOLVER_COOPERATIVE;
    bool meets = hed_device_describe(device).capabilities & HED_CAN_GRID_BARRIER;
    for (hed_math math = HED_MATH_FAST; math <= HED_MATH_STRICT; math++) {
        test_mesh sheet = test_grid(128, 128), small = test_grid(20, 20),
                  mesh = test_irregular(70, 7, 0.3f);
        make_lattices(&sheet, &rigid);
        make_lattices(&mesh, hed_cloth_fabric_named("cotton"));
        EXPECT_EQ(chosen_for(device, &mesh.def, 1, 0, math) == HED_CLOTH_SOLVER_NEWTON,
            meets && math == HED_MATH_FAST);
        EXPECT_EQ(chosen_for(device, &mesh.def, 1, 64, math) == one_launch,
            meets && math == HED_MATH_FAST);
        test_mesh_free(&mesh);
        make_lattices(&small, &rigid);
        EXPECT_NE(chosen_for(device, &small.def, 1, 0, math), one_launch);
        test_mesh_free(&small);
        EXPECT_EQ(chosen_for(device, &sheet.def, 1, 0, math) == one_launch, meets);
        sheet.def.self_collision = HED_CLOTH_SELF_TRIANGLES;
        sheet.def.thickness = 0.004f;
        EXPECT_EQ(chosen_for(device, &sheet.def, 1, 0, math) == one_launch,
            meets && math == HED_MATH_FAST);
        sheet.def.self_collision = HED_CLOTH_SELF_NONE;
        hed_cloth_garment_def two[2] = {sheet.def, sheet.def};
        EXPECT_NE(chosen_for(device, two, 2, 0, math), one_launch);
        sheet.def.lattices = false;
        EXPECT_NE(chosen_for(device, &sheet.def, 1, 0, math), one_launch);
        test_mesh_free(&sheet);
    }
}

Test(cloth_cooperative, one_large_sheet_chooses_it) { check_rule(here.device); }

/* The fake CUDA's device; the context is the caller's. */
static hed_device *fake_card(hed_context **context)
{
    hed_context_def def = fakes_def("cuda");
    hed_device *device;
    OK(hed_context_create(&def, context, &error));
    OK(hed_device_find(*context, "cuda:0", &device, &error));
    return device;
}

/* Elsewhere than on a card too: the fake CUDA's groups can meet. */
Test(cloth_cooperative_fake, one_large_sheet_chooses_it, .timeout = 120)
{
    hed_context *context;
    hed_device *device = fake_card(&context);
    CHECK(hed_device_describe(device).capabilities & HED_CAN_GRID_BARRIER);
    check_rule(device);
    hed_context_destroy(context);
}

/* Bands of cells replace tasks of a large grid after these were gathered: each block is released with the size
 * that it was allocated with. */
Test(cloth_cooperative_fake, merged_tasks_release_their_memory, .timeout = 120)
{
    test_allocator counted = {0};
    hed_context_def def = fakes_def("cuda");
    hed_context *context;
    hed_device *device;
    def.allocator = test_allocator_of(&counted);
    OK(hed_context_create(&def, &context, &error));
    OK(hed_device_find(context, "cuda:0", &device, &error));
    CHECK(hed_device_describe(device).capabilities & HED_CAN_PACKETS);
    test_mesh sheet = test_grid(128, 128);
    make_lattices(&sheet, &rigid);
    EXPECT_EQ(chosen_for(device, &sheet.def, 1, 0, HED_MATH_FAST), HED_CLOTH_SOLVER_COOPERATIVE);
    test_mesh_free(&sheet);
    hed_context_destroy(context);
    EXPECT_EQ(counted.live, 0);
    EXPECT_EQ(counted.bytes, 0);
}

/* In a task of sweeps edges give only with multipliers (sweep_wide.h): where the cloth may touch something, a finer
 * lattice has a single sweep, and a knit sheet over a ball was stretched twice as much as by colours. */
Test(cloth_cooperative_fake, edges_of_lattices_give_in_a_single_sweep, .timeout = 120)
{
    hed_context_def def = fakes_def("cuda");
    hed_context *context;
    uint32_t sweeps = 0, single = 0;
    test_device fake = {0};
    OK(hed_context_create(&def, &context, &error));
    OK(hed_device_find(context, "cuda:0", &fake.device, &error));
    test_mesh sheet = test_grid(150, 140);
    make_lattices(&sheet, hed_cloth_fabric_named("interlock"));
    hed_cloth *cloth =
        layout_cloth_among(&fake, HED_CLOTH_SOLVER_COOPERATIVE, &sheet.def, 1, 0, 1, 1, 0);
    const hed_cloth_collider ball = {.shape = HED_CLOTH_SPHERE, .a = {0, -9, 0}, .radius = {0.3f}};
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.colliders = &ball;
    frame.collider_count = 1;
    OK(hed_cloth_step(cloth, &frame, &error));
    const cloth_cooperative *c = cloth->solver->cooperative;
    for (uint32_t i = 0; i < c->count; i++) {
        const uint4 task = c->list[i].task;
        uint32_t kind = cloth_task_kind(task);
        if (kind != CLOTH_DO_SWEEPS && kind != CLOTH_DO_WIDE_SWEEPS) continue;
        sweeps++;
        single += cloth_task_halves(task) == 2;
        EXPECT_EQ(cloth_task_pass(task), 1);
    }
    EXPECT_GT(sweeps, single);
    EXPECT_GT(single, 0);
    hed_cloth_destroy(cloth);
    test_mesh_free(&sheet);
    hed_context_destroy(context);
}

/* Numbers of tasks with contacts, and of those on columns. */
typedef struct contact_tasks {
    uint32_t all, on_columns;
} contact_tasks;

/* Counts the contacts of a sheet of n x n that falls on a ball on the fake CUDA. A task takes
 * points exactly if the one before sent them; contacts have points in local memory exactly if
 * the task before holds them there. */
static contact_tasks count_contacts(hed_device *device, uint32_t n, bool is_driven)
{
    test_device fake = {.device = device};
    test_mesh sheet = test_grid(n, n);
    for (uint32_t i = 0; i < n * n; i++) sheet.inverse_masses[i] = 1;
    make_lattices(&sheet, &rigid);
    sheet.def.driven = is_driven;
    hed_cloth *cloth =
        layout_cloth_among(&fake, HED_CLOTH_SOLVER_COOPERATIVE, &sheet.def, 1, 0, 1, 1, 0);
    const hed_cloth_collider ball = {.shape = HED_CLOTH_SPHERE, .a = {0, -9, 0}, .radius = {0.3f}};
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.colliders = &ball;
    frame.collider_count = 1;
    if (is_driven) frame.driver_positions = sheet.positions;
    OK(hed_cloth_step(cloth, &frame, &error));
    const cloth_cooperative *c = cloth->solver->cooperative;
    contact_tasks found = {0};
    for (uint32_t i = 0; i < c->count; i++) {
        const gathered_task *t = c->list + i, *next = c->list + (i + 1) % c->count;
        uint32_t kind = cloth_task_kind(t->task), next_kind = cloth_task_kind(next->task);
        bool can_send = kind == CLOTH_DO_CHAINS || kind == CLOTH_DO_DRIVE,
             can_take = next_kind == CLOTH_DO_CHAINS || next_kind == CLOTH_DO_LINES ||
                        next_kind == CLOTH_DO_DRIVE || next_kind == CLOTH_DO_INTEGRATE,
             sends = can_send && (t->task.w & CLOTH_DO_SEND),
             takes = can_take && (next->task.w & CLOTH_DO_TAKE),
             holds = kind == CLOTH_DO_CHAINS && (t->task.w & CLOTH_DO_HOLD),
             on_columns = next_kind == CLOTH_DO_DRIVE && next->part == COLUMNS;
        EXPECT_EQ(sends, takes, "task %u of kind %u before kind %u", i, kind, next_kind);
        EXPECT_EQ(holds, on_columns, "task %u of kind %u before kind %u", i, kind, next_kind);
        EXPECT(!holds || !sends);
        EXPECT(!on_columns || (next->task.w & CLOTH_DO_SEND));
        found.all += next_kind == CLOTH_DO_DRIVE;
        found.on_columns += on_columns;
    }
    hed_cloth_destroy(cloth);
    test_mesh_free(&sheet);
    return found;
}

/* Contacts after lines are done by the groups that have the columns, where each has all of
 * its columns at once and no driver acts. */
Test(cloth_cooperative_fake, contacts_are_on_columns, .timeout = 120)
{
    hed_context *context;
    hed_device *device = fake_card(&context);
    contact_tasks free_sheet = count_contacts(device, 64, false),
                  driven = count_contacts(device, 64, true),
                  large = count_contacts(device, 150, false); /* for the fake's 16 groups */
    EXPECT_EQ(free_sheet.all, 2);
    EXPECT_EQ(free_sheet.on_columns, 2);
    EXPECT_EQ(driven.all, 2);
    EXPECT_EQ(driven.on_columns, 1); /* the driver acts after the last contacts */
    EXPECT_EQ(large.all, 2);
    EXPECT_EQ(large.on_columns, 0);
    hed_context_destroy(context);
}

/* The first frame with a body gathers the lattices of colours again. If that fails, the next frame does it. */
Test(cloth_cooperative_fake, lattices_are_gathered_after_a_failure, .timeout = 120)
{
    test_allocator counted = {0};
    hed_context_def fakes = fakes_def("cuda");
    hed_context *context;
    hed_device *device;
    hed_cloth *cloth;
    fakes.allocator = test_allocator_of(&counted);
    OK(hed_context_create(&fakes, &context, &error));
    OK(hed_device_find(context, "cuda:0", &device, &error));
    test_mesh sheet = test_grid(32, 32);
    make_lattices(&sheet, &rigid);
    hed_cloth_def def = hed_default_cloth_def();
    def.garments = &sheet.def;
    def.garment_count = 1;
    def.substeps = 2;
    def.max_colliders = 1;
    def.solver = HED_CLOTH_SOLVER_COLOURS;
    OK(hed_cloth_create(device, &def, &cloth, &error));
    CHECK(strstr(hed_cloth_describe(cloth).choice, "lattices in one launch"));
    const hed_cloth_collider ball = {.shape = HED_CLOTH_SPHERE, .a = {0, -9, 0}, .radius = {0.3f}};
    uint32_t failures = 0;
    bool done = false;
    for (int k = 0; k < 8; k++) { /* memory that stays */
        hed_cloth_frame frame = hed_default_cloth_frame();
        OK(hed_cloth_step(cloth, &frame, &error));
    }
    for (int64_t n = 1; !done; n++) {
        hed_cloth_frame frame = hed_default_cloth_frame();
        CHECK_LT(n, 200);
        OK(hed_cloth_reset(cloth, &error));
        OK(hed_cloth_step(cloth, &frame, &error));
        frame.colliders = &ball;
        frame.collider_count = 1;
        counted.fail_at = counted.calls + n;
        failures += hed_cloth_step(cloth, &frame, &error) != HED_OK;
        done = counted.calls < counted.fail_at;
        counted.fail_at = 0;
        hed_error_clear(&error);
        OK(hed_cloth_step(cloth, &frame, &error));
    }
    EXPECT_GT(failures, 1);
    hed_cloth_destroy(cloth);
    test_mesh_free(&sheet);
    hed_context_destroy(context);
    EXPECT_EQ(counted.bytes, 0);
}

/* Lines of two and of four warps. */
Test(cloth_cooperative, an_oblong_sheet_does_as_colours)
{
    if (hed_device_describe(here.device).type == HED_DEVICE_CPU) test_skip("a minute");
    test_mesh sheet = test_grid(50, 120);
    make_lattices(&sheet, &rigid);
    check_against_colours(HED_CLOTH_SOLVER_COOPERATIVE, &sheet.def, 1, true);
    test_mesh_free(&sheet);
}

/* All contacts of a sheet that falls are on columns where it has enough groups. In strict
 * mode bits are the same. */
Test(cloth_cooperative, a_sheet_that_falls_on_a_ball_does_as_colours)
{
    if (hed_device_describe(here.device).type == HED_DEVICE_CPU) test_skip("a minute");
    hed_cloth_metrics quality;
    test_mesh sheet = test_grid(130, 131);
    for (uint32_t i = 0; i < sheet.def.particle_count; i++) sheet.inverse_masses[i] = 1;
    make_lattices(&sheet, &rigid);
    check_against_colours(HED_CLOTH_SOLVER_COOPERATIVE, &sheet.def, 1, true);
    float *found =
              moved(HED_MATH_STRICT, HED_CLOTH_SOLVER_COOPERATIVE, &sheet.def, 1, true, &quality),
          *expected =
              moved(HED_MATH_STRICT, HED_CLOTH_SOLVER_COLOURS, &sheet.def, 1, true, &quality);
    CHECK_BYTES(found, expected, 3 * sizeof(float) * sheet.def.particle_count);
    free(found), free(expected);
    test_mesh_free(&sheet);
}

/* Three levels of lattices, which the first group holds, and a pin for each of two groups. */
Test(cloth_cooperative, a_large_sheet_does_as_colours)
{
    if (hed_device_describe(here.device).type == HED_DEVICE_CPU) test_skip("a minute");
    test_mesh sheet = test_grid(255, 255);
    make_lattices(&sheet, &rigid);
    check_against_colours(HED_CLOTH_SOLVER_COOPERATIVE, &sheet.def, 1, false);
    test_mesh_free(&sheet);
}

/* Lattices of colours in one launch, of a sheet whose lines have more edges than a group items, against a
 * launch for each half sweep. The sheet touches something or not, one after the other. */
Test(cloth_cooperative, lattices_alone_do_as_a_launch_each)
{
    if (hed_device_describe(here.device).type == HED_DEVICE_CPU)
        test_skip("no barrier over the grid");
    test_mesh sheet = test_grid(600, 40);
    make_lattices(&sheet, &rigid);
    hed_cloth *cloth = layout_cloth(&here, HED_CLOTH_SOLVER_COLOURS, &sheet.def, 1, 0, 1);
    uint64_t can = hed_device_describe(here.device).capabilities;
    bool meets = can & HED_CAN_GRID_BARRIER;
    EXPECT_EQ(strstr(hed_cloth_describe(cloth).choice, "lattices in one launch") != NULL, meets);
    hed_cloth_destroy(cloth);
    for (int touched = 0; touched < 2; touched++) {
        hed_cloth_metrics quality[2];
        float *found =
            moved(HED_MATH_FAST, HED_CLOTH_SOLVER_COLOURS, &sheet.def, 1, touched, &quality[0]);
        here.device->info.capabilities = can & ~(uint64_t)HED_CAN_GRID_BARRIER;
        float *expected =
            moved(HED_MATH_FAST, HED_CLOTH_SOLVER_COLOURS, &sheet.def, 1, touched, &quality[1]);
        here.device->info.capabilities = can;
        check_near(found, expected, quality, &sheet.def, 1);
    }
    test_mesh_free(&sheet);
}
