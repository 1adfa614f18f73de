/* Groups of HED_CLOTH_SOLVER_COOPERATIVE meet wherever one needs results of another: the lists of tasks of sheets and
 * meshes, divided as on a card, are followed without one (cloth_meetings.h), and a meeting that is left out is found. */
/* ctest: long */
#include "cloth_lattice_sheets.h"
#include "cloth_meetings.h"
#include "fakes.h"

enum { UNITS = 132 }; /* multiprocessors of an H200 */

static hed_context *context;
static hed_device *device;

static void open(void)
{
    hed_context_def def = fakes_def("cuda");
    OK(hed_context_create(&def, &context, &error));
    OK(hed_device_find(context, "cuda:0", &device, &error));
    device->info.compute_units = UNITS;
}

static void close(void) { hed_context_destroy(context); }

TestSuite(cloth_meetings, .init = open, .fini = close);

/* A cloth in one of both modes, which may touch a body or not. */
typedef struct meetings_case {
    const char *name;
    hed_math math;
    bool touched;
} meetings_case;

static const meetings_case cases[] = {{"fast", HED_MATH_FAST, false},
    {"strict", HED_MATH_STRICT, false}, {"fast, touched", HED_MATH_FAST, true},
    {"strict, touched", HED_MATH_STRICT, true}};

static meetings_tables tables_of(const hed_cloth_garment_def *garment, const meetings_case *c)
{
    test_device fake = {.device = device};
    hed_cloth *cloth = layout_cloth_in(
        c->math, &fake, HED_CLOTH_SOLVER_COOPERATIVE, garment, 1, 0, 1, c->touched, 0);
    const hed_cloth_collider ball = {.shape = HED_CLOTH_SPHERE, .a = {0, -9, 0}, .radius = {0.3f}};
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.colliders = &ball;
    frame.collider_count = c->touched;
    OK(hed_cloth_step(cloth, &frame, &error));
    meetings_tables t = meetings_tables_of(cloth);
    hed_cloth_destroy(cloth);
    return t;
}

static test_mesh sheet_of(uint32_t width, uint32_t height)
{
    test_mesh sheet = test_grid(width, height);
    make_lattices(&sheet, &rigid);
    return sheet;
}

/* A sheet that falls, on which groups that solve columns do the contacts. */
static test_mesh free_sheet_of(uint32_t width, uint32_t height)
{
    test_mesh sheet = test_grid(width, height);
    for (uint32_t i = 0; i < width * height; i++) sheet.inverse_masses[i] = 1;
    make_lattices(&sheet, &rigid);
    return sheet;
}

static test_mesh mesh_of(void)
{
    test_mesh mesh = test_irregular(70, 7, 0.3f);
    make_lattices(&mesh, hed_cloth_fabric_named("cotton"));
    return mesh;
}

static void expect_order(test_mesh *mesh)
{
    for (size_t k = 0; k < HED_COUNT(cases); k++) {
        meetings_tables t = tables_of(&mesh->def, cases + k);
        char text[MEETINGS_TEXT];
        for (int backwards = 0; backwards < 2; backwards++) {
            t.backwards = backwards;
            uint32_t conflicts = meetings_run(&t, text);
            EXPECT_EQ(conflicts, 0, "%u particles, %s, %u groups: %s", mesh->def.particle_count,
                cases[k].name, t.groups, text);
        }
        meetings_tables_free(&t);
    }
    test_mesh_free(mesh);
}

/* ---- faults ---- */

static void expect_found(meetings_tables *t, const char *what, uint32_t number, const char *name)
{
    char text[MEETINGS_TEXT];
    EXPECT_GT(meetings_run(t, text), 0, "%s %u of %s is left out", what, number, name);
}

/* Returns the task with meeting `number` in a list, or NULL. */
static uint4 *meeting_of(const meetings_tables *t, cloth_task_list list, uint32_t number)
{
    for (uint32_t i = 0; i < list.tasks; i++)
        if ((t->tasks[list.at + i].x & CLOTH_DO_MEET) && number-- == 0)
            return t->tasks + list.at + i;
    return NULL;
}

static uint32_t leave_out_meetings(meetings_tables *t, const char *name)
{
    const cloth_cooperative_launch *launch = &t->launch;
    uint32_t k = 0;
    for (uint4 *a, *b; (a = meeting_of(t, launch->first_group, k)); k++) {
        CHECK_NOT_NULL(b = meeting_of(t, launch->other_groups, k));
        a->x ^= CLOTH_DO_MEET, b->x ^= CLOTH_DO_MEET;
        expect_found(t, "meeting", k, name);
        a->x ^= CLOTH_DO_MEET, b->x ^= CLOTH_DO_MEET;
    }
    return k;
}

static uint32_t leave_out_signals(meetings_tables *t, const char *name)
{
    uint4 *tasks = t->tasks + t->launch.other_groups.at;
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->launch.other_groups.tasks; i++) {
        if (!cloth_task_meets_near(tasks[i])) continue;
        tasks[i].w ^= CLOTH_DO_NEAR;
        t->launch.first_group.skipped--; /* which counts packets of others' tasks */
        expect_found(t, "signals after task", i, name);
        tasks[i].w ^= CLOTH_DO_NEAR;
        t->launch.first_group.skipped++;
        count++;
    }
    return count;
}

/* Lets tasks take points from memory instead of packets. */
static uint32_t leave_out_packets(meetings_tables *t, const char *name)
{
    uint4 *tasks = t->tasks + t->launch.other_groups.at;
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->launch.other_groups.tasks; i++) {
        uint32_t kind = cloth_task_kind(tasks[i]);
        bool can = kind == CLOTH_DO_LINES || kind == CLOTH_DO_CHAINS || kind == CLOTH_DO_DRIVE ||
                   kind == CLOTH_DO_INTEGRATE;
        if (!can || !(tasks[i].w & CLOTH_DO_TAKE)) continue;
        tasks[i].w ^= CLOTH_DO_TAKE;
        expect_found(t, "packets of task", i, name);
        tasks[i].w ^= CLOTH_DO_TAKE;
        count++;
    }
    return count;
}

/* ---- sheets and meshes ---- */

/* One, two and four pairs of rows a group; more groups than pairs of rows; a single group
 * that has rows. */
Test(cloth_meetings, sheets_are_in_order, .timeout = 400)
{
    const uint32_t sizes[][2] = {{17, 12}, {64, 64}, {50, 120}, {150, 140}, {255, 255}, {255, 40}};
    for (size_t k = 0; k < HED_COUNT(sizes); k++) {
        test_mesh sheet = sheet_of(sizes[k][0], sizes[k][1]);
        expect_order(&sheet);
    }
}

Test(cloth_meetings, sheets_that_fall_are_in_order, .timeout = 400)
{
    const uint32_t sizes[][2] = {{64, 64}, {128, 128}, {255, 255}, {300, 60}};
    for (size_t k = 0; k < HED_COUNT(sizes); k++) {
        test_mesh sheet = free_sheet_of(sizes[k][0], sizes[k][1]);
        expect_order(&sheet);
    }
}

/* The groups of a cluster, which sweep over bands too. */
Test(cloth_meetings, clusters_are_in_order, .timeout = 200)
{
    device->info.capabilities |= HED_CAN_CLUSTERS;
    test_mesh sheet = sheet_of(64, 64), free_sheet = free_sheet_of(60, 90);
    expect_order(&sheet);
    expect_order(&free_sheet);
    free_sheet = free_sheet_of(64, 64);
    meetings_tables t = tables_of(&free_sheet.def, cases + 2);
    uint32_t bands = 0;
    for (uint32_t i = 0; i < t.launch.other_groups.tasks; i++)
        bands += cloth_task_kind(t.tasks[t.launch.other_groups.at + i]) == CLOTH_DO_BANDS;
    EXPECT_GE(bands, 2);
    EXPECT_EQ(leave_out_signals(&t, "a cluster"), 0);
    EXPECT_GE(leave_out_meetings(&t, "a cluster"), 5);
    meetings_tables_free(&t);
    test_mesh_free(&free_sheet);
}

Test(cloth_meetings, meshes_and_copies_are_in_order, .timeout = 200)
{
    test_mesh mesh = mesh_of(), copies = sheet_of(20, 20);
    copies.def.copies = 2;
    expect_order(&mesh);
    expect_order(&copies);
}

Test(cloth_meetings, a_meeting_left_out_is_found, .timeout = 400)
{
    for (size_t k = 0; k < 2 * HED_COUNT(cases); k++) {
        const meetings_case *c = cases + k % HED_COUNT(cases);
        test_mesh sheet = k < HED_COUNT(cases) ? sheet_of(64, 64) : free_sheet_of(64, 64);
        meetings_tables t = tables_of(&sheet.def, c);
        EXPECT_GE(leave_out_meetings(&t, c->name), 1);
        EXPECT_GE(leave_out_signals(&t, c->name), 1);
        EXPECT_GE(leave_out_packets(&t, c->name), 1);
        meetings_tables_free(&t);
        test_mesh_free(&sheet);
    }
}

/* Two sweeps over a band of one pair of rows read rows of groups up to three away: the first of them was written, with
 * the odd row before it, by the third group. */
Test(cloth_meetings, bands_wait_for_three_groups_on_each_side, .timeout = 200)
{
    test_mesh sheet = sheet_of(255, 255);
    meetings_tables t = tables_of(&sheet.def, cases + 2);
    t.near = CLOTH_NEAR_GROUPS - 1;
    expect_found(&t, "group", CLOTH_NEAR_GROUPS, "those nearby");
    meetings_tables_free(&t);
    test_mesh_free(&sheet);
}
