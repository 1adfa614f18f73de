/* hed_cloth_create() compiles all that frames of its definition may need: no step does, whatever it
 * feeds, and no reading. On the fake CUDA driver, whose kernels do nothing but are counted. */
#include "cloth_sheet.h"
#include "fakes.h"

/* A frame with all that the definition announced. */
static void busy_step(hed_cloth *cloth, const sheet *s, bool driven)
{
    static const float motion[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.1f, 0, 0, 1};
    static const float corners[4][3] = {{-2, -1, -2}, {2, -1, -2}, {2, -1, 2}, {-2, -1, 2}};
    static const uint32_t faces[2][3] = {{0, 2, 1}, {0, 3, 2}};
    hed_cloth_collider ball = {.shape = HED_CLOTH_SPHERE, .radius = {0.3f}, .friction = 0.2f};
    hed_cloth_mesh_collider mesh = {.vertex_count = 4, .triangle_count = 2, .positions = corners[0],
        .triangles = faces[0], .friction = 0.4f};
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.wind[0] = 3.0f;
    frame.motion = motion;
    frame.colliders = &ball;
    frame.collider_count = 1;
    frame.meshes = &mesh;
    frame.mesh_count = 1;
    frame.driver_positions = driven ? s->positions : NULL;
    OK(hed_cloth_step(cloth, &frame, &error));
    OK(hed_cloth_wait(cloth, &error));
}

static void plain_step(hed_cloth *cloth)
{
    hed_cloth_frame frame = hed_default_cloth_frame();
    OK(hed_cloth_step(cloth, &frame, &error));
    OK(hed_cloth_wait(cloth, &error));
}

static void check(hed_cloth_solver solver, bool dressed)
{
    hed_context_def context = fakes_def("cuda");
    fake_control *nvrtc = fakes_load(context.nvrtc_library);
    test_device t = {0};
    OK(hed_context_create(&context, &t.context, &error));
    OK(hed_device_find(t.context, "cuda:0", &t.device, &error));
    sheet s = sheet_make(8);
    if (dressed) sheet_dress(&s);
    s.garment.self_collision = dressed;
    s.garment.thickness = 0.3f;
    hed_cloth_def def = def_of(&s);
    def.solver = solver;
    def.max_collider_triangles = 2;
    fakes_reset(nvrtc);
    hed_cloth *cloth = make(&t, &def);
    int64_t builds = nvrtc->builds;
    CHECK_GT(builds, 3);
    float positions[3 * 64];
    plain_step(cloth);
    EXPECT_EQ(nvrtc->builds, builds, "%s: the first step compiles %lld kernels",
        hed_cloth_solver_name(solver), (long long)(nvrtc->builds - builds));
    builds = nvrtc->builds;
    busy_step(cloth, &s, dressed);
    EXPECT_EQ(nvrtc->builds, builds, "%s: the first busy step compiles %lld kernels",
        hed_cloth_solver_name(solver), (long long)(nvrtc->builds - builds));
    plain_step(cloth);
    OK(hed_cloth_read(cloth, positions, NULL, NULL, &error));
    EXPECT_EQ(nvrtc->builds, builds, "%s: then %lld", hed_cloth_solver_name(solver),
        (long long)(nvrtc->builds - builds));
    OK(hed_cloth_enable_normals(cloth, &error));
    builds = nvrtc->builds;
    plain_step(cloth);
    EXPECT_EQ(
        nvrtc->builds, builds, "%s: a step with normals compiles", hed_cloth_solver_name(solver));
    hed_cloth_destroy(cloth);
    sheet_free(&s);
    hed_context_destroy(t.context);
}

Test(cloth_announced, no_step_compiles)
{
    static const hed_cloth_solver solvers[] = {HED_CLOTH_SOLVER_COLOURS, HED_CLOTH_SOLVER_SETS,
        HED_CLOTH_SOLVER_PATCHES, HED_CLOTH_SOLVER_GARMENTS};
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++)
        for (int dressed = 0; dressed < 2; dressed++) check(solvers[k], dressed);
}
