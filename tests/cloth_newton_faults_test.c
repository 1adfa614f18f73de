/* HED_CLOTH_SOLVER_NEWTON on the fake CUDA, whose groups can meet: driver calls that fail, frames of
 * other lengths, and the next solver of the rule where a mesh has no tables. */
#include "fakes.h"

#include "cloth_meshes.h"
#include "solver/host.h"

enum { SIDE = 32, FRAME_SUBSTEPS = 4 }; /* as many patches as the fake has groups */
static hed_error error;

/* A mesh for the rule, and the fake driver. */
typedef struct fake_mesh {
    fake_control *driver;
    test_allocator counted;
    hed_context *context;
    hed_device *device;
    test_mesh mesh;
    hed_cloth_def def;
} fake_mesh;

static void fake_mesh_open(fake_mesh *f, test_mesh mesh)
{
    *f = (fake_mesh){.driver = fakes_load(fakes_path("cuda")), .mesh = mesh};
    fakes_reset(f->driver);
    hed_context_def def = fakes_def("cuda");
    def.allocator = test_allocator_of(&f->counted);
    OK(hed_context_create(&def, &f->context, &error));
    OK(hed_device_find(f->context, "cuda:0", &f->device, &error));
    CHECK(hed_device_describe(f->device).capabilities & HED_CAN_GRID_BARRIER);
    f->mesh.def.fabric = hed_cloth_fabric_named("cotton");
    f->mesh.def.drag = f->mesh.def.lift = 0;
    f->def = hed_default_cloth_def();
    f->def.garments = &f->mesh.def;
    f->def.garment_count = 1;
    f->def.substeps = FRAME_SUBSTEPS;
    f->def.max_colliders = 0;
}

static void fake_mesh_close(fake_mesh *f)
{
    fakes_reset(f->driver);
    test_mesh_free(&f->mesh);
    hed_context_destroy(f->context);
    EXPECT_EQ(f->counted.live, 0);
    EXPECT_EQ(f->counted.bytes, 0);
}

static hed_cloth *fake_cloth(fake_mesh *f, hed_cloth_solver solver)
{
    hed_cloth *cloth;
    OK(hed_cloth_create(f->device, &f->def, &cloth, &error));
    hed_cloth_info info = hed_cloth_describe(cloth);
    CHECK_EQ(info.solver, solver);
    CHECK(
        solver != HED_CLOTH_SOLVER_NEWTON || strstr(info.choice, "one launch"), "%s", info.choice);
    return cloth;
}

static hed_status step_of(hed_cloth *cloth, double seconds)
{
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.seconds = (float)seconds;
    return hed_cloth_step(cloth, &frame, &error);
}

/* Creation where each driver call fails in turn: an error, and nothing is left. */
Test(cloth_newton_faults, each_driver_call_of_creation, .timeout = 120)
{
    fake_mesh f;
    fake_mesh_open(&f, test_irregular(SIDE, 5, 0.3f));
    hed_cloth_destroy(fake_cloth(&f, HED_CLOTH_SOLVER_NEWTON));
    const int64_t alive = fakes_alive(f.driver), live = f.counted.live;
    uint32_t failures = 0;
    bool ends = false;
    for (int64_t n = 1; !ends; n++) {
        hed_cloth *cloth = NULL;
        CHECK_LT(n, 2000);
        f.driver->calls = 0;
        f.driver->fail_call = n;
        f.driver->code = 2; /* out of memory */
        hed_status status = hed_cloth_create(f.device, &f.def, &cloth, &error);
        ends = f.driver->calls < n;
        failures += status != HED_OK;
        CHECK(!status == !!cloth);
        f.driver->fail_call = 0;
        hed_error_clear(&error);
        hed_cloth_destroy(cloth);
        CHECK_EQ(fakes_alive(f.driver), alive, "call %lld (%s)", (long long)n, f.driver->failed);
        CHECK_EQ(f.counted.live, live, "call %lld", (long long)n);
    }
    EXPECT_GT(failures, 30);
    fake_mesh_close(&f);
}

/* A frame of another length sends another inverse, and does not wait for the device. */
Test(cloth_newton_faults, another_length_of_frame_waits_for_nothing, .timeout = 120)
{
    fake_mesh f;
    fake_mesh_open(&f, test_irregular(SIDE, 5, 0.3f));
    hed_cloth *cloth = fake_cloth(&f, HED_CLOTH_SOLVER_NEWTON);
    OK(step_of(cloth, 1.0 / 60));
    f.driver->code = 999;
    f.driver->fail_name = "cuStreamSynchronize";
    for (int k = 0; k < 4; k++) OK(step_of(cloth, 1.0 / (50 + k)));
    f.driver->fail_name = NULL;
    hed_cloth_destroy(cloth);
    fake_mesh_close(&f);
}

/* Copies to the device in a good frame. */
static int64_t copies_of(fake_mesh *f, hed_cloth *cloth, double seconds)
{
    f->driver->count_name = "cuMemcpyHtoDAsync";
    f->driver->counted = 0;
    OK(step_of(cloth, seconds));
    return f->driver->counted;
}

/* If the inverse for another length of frame does not arrive, the next frame sends it: of the
 * copies that may fail that of the steps alone comes after it. */
Test(cloth_newton_faults, an_inverse_that_was_not_sent_is_sent_again, .timeout = 120)
{
    fake_mesh f;
    fake_mesh_open(&f, test_irregular(SIDE, 5, 0.3f));
    hed_cloth *cloth = fake_cloth(&f, HED_CLOTH_SOLVER_NEWTON);
    uint32_t failures = 0, not_again = 0;
    OK(step_of(cloth, 1.0 / 50));
    const int64_t whole = copies_of(&f, cloth, 1.0 / 60), less = copies_of(&f, cloth, 1.0 / 60);
    CHECK_GT(whole, less);
    for (int64_t n = 1, is_done = 0; !is_done; n++) {
        CHECK_LT(n, 1000);
        OK(step_of(cloth, 1.0 / 50));
        f.driver->failed[0] = 0;
        f.driver->code = 2;
        f.driver->fail_call = f.driver->calls + n;
        bool has_failed = step_of(cloth, 1.0 / 60) != HED_OK;
        is_done = f.driver->calls < f.driver->fail_call;
        f.driver->fail_call = 0;
        hed_error_clear(&error);
        int64_t copies = copies_of(&f, cloth, 1.0 / 60);
        if (!has_failed || strcmp(f.driver->failed, "cuMemcpyHtoDAsync") != 0) continue;
        failures++;
        not_again += copies == less;
    }
    EXPECT_EQ(failures, whole);
    EXPECT_EQ(not_again, 1);
    hed_cloth_destroy(cloth);
    fake_mesh_close(&f);
}

/* A mesh with too many triangles at a particle has no tables: the next solver of the rule has it,
 * with substeps of its own. */
Test(cloth_newton_faults, a_mesh_without_tables_gets_the_next_solver, .timeout = 120)
{
    fake_mesh f;
    fake_mesh_open(&f, test_fan(1200));
    f.def.solver = HED_CLOTH_SOLVER_NEWTON;
    FAILS(HED_ERROR_UNSUPPORTED, hed_cloth_create(f.device, &f.def, &(hed_cloth *){0}, &error));
    hed_error_clear(&error);
    f.def.solver = HED_CLOTH_SOLVER_COLOURS;
    f.def.substeps = 0;
    hed_cloth *cloth = fake_cloth(&f, HED_CLOTH_SOLVER_COLOURS);
    uint32_t substeps = hed_cloth_describe(cloth).substeps;
    hed_cloth_destroy(cloth);
    f.def.solver = HED_CLOTH_SOLVER_AUTO;
    OK(hed_cloth_create(f.device, &f.def, &cloth, &error));
    EXPECT(hed_cloth_describe(cloth).solver != HED_CLOTH_SOLVER_NEWTON);
    EXPECT_EQ(hed_cloth_describe(cloth).substeps, substeps);
    hed_cloth_destroy(cloth);
    fake_mesh_close(&f);
}
