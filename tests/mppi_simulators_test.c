/* Models that are simulated as a whole: by a function of the program's, and by MuJoCo where it is
 * installed. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "heddle/code.h"
#include "heddle/mppi.h"
#include "heddle/mppi_scene.h"
#include "support/optional_libraries.h"
#include "testing.h"

static test_device on;

static void simulators_open(void)
{
    hed_context_def def = hed_default_context_def();
    folder_make();
    setenv("HEDDLE_DEVICE", "host", 1);
    on = test_open(&def);
}

static void simulators_close(void)
{
    test_close(&on);
    folder_remove();
}

TestSuite(mppi_simulators, .init = simulators_open, .fini = simulators_close);

static atomic_int simulations;

/* The double integrator's steps, as a simulation. */
static bool roll_points(const hed_mppi_roll *roll, const hed_mppi_world *world)
{
    const hed_mppi_model *m = hed_mppi_model_find("double_integrator");
    float x[4];
    memcpy(x, roll->x, sizeof x);
    for (uint32_t t = 0; t < roll->steps; t++) {
        m->step(x, roll->controls + 2 * t, world->dt, world);
        memcpy(roll->states + 4 * t, x, sizeof x);
    }
    *roll->cost = 0;
    atomic_fetch_add(&simulations, 1);
    return x[0] < 100;
}

static hed_mppi_def points_def(const hed_mppi_model *model)
{
    hed_mppi_def def = hed_default_mppi_def();
    def.model = model;
    def.terms = hed_mppi_term_find("quadratic");
    def.term_count = 1;
    def.samples = 100;
    def.steps = 25;
    def.delay = 2;
    return def;
}

static void solve_points(const hed_mppi_def *def, float *plan, hed_mppi_stats *stats)
{
    hed_mppi *c = NULL;
    hed_error error = {0};
    const float x[4] = {1, -2, 0.3f, 0};
    OK(hed_mppi_create(on.device, def, &c, &error));
    for (int i = 0; i < 4; i++) {
        OK(hed_mppi_solve(c, x, NULL, stats, &error));
        hed_mppi_shift(c, 1);
    }
    memcpy(plan, hed_mppi_controls(c, 0), def->steps * 2 * sizeof *plan);
    float costs[4], states[4 * 26 * 4];
    OK(hed_mppi_trace(c, 0, 4, true, states, costs, &error));
    for (int i = 0; i < 3; i++) CHECK_LE(costs[i], costs[i + 1], "sample %d", i);
    for (int i = 0; i < 4 * 26 * 4; i++) CHECK(isfinite(states[i]), "state %d", i);
    hed_mppi_destroy(c);
}

Test(mppi_simulators, a_function_of_whole_samples_gives_the_plan_of_steps)
{
    hed_mppi_model own = *hed_mppi_model_find("double_integrator");
    hed_mppi_stats steps, whole;
    float expected[50], plan[50];
    for (int update = HED_MPPI_EXPONENTIAL; update <= HED_MPPI_ELITE; update++) {
        hed_mppi_def def = points_def(hed_mppi_model_find("double_integrator"));
        def.update = (hed_mppi_update)update;
        solve_points(&def, expected, &steps);
        own.step = NULL;
        own.lanes = NULL;
        own.roll = roll_points;
        def.model = &own;
        solve_points(&def, plan, &whole);
        for (int j = 0; j < 50; j++) EXPECT_NEAR(plan[j], expected[j], 2e-5f, "control %d", j);
        EXPECT_NEAR(whole.baseline, steps.baseline, 1e-5f * steps.baseline, "%s", "baseline");
        EXPECT_EQ(whole.samples, 100u, "%s", "samples");
    }
    CHECK_GE(atomic_load(&simulations), 800, "%s", "simulations");
}

Test(mppi_simulators, an_unstable_simulation_is_a_crashed_sample)
{
    hed_mppi_model own = *hed_mppi_model_find("double_integrator");
    hed_mppi_stats stats;
    hed_error error = {0};
    hed_mppi *c = NULL;
    own.roll = roll_points;
    hed_mppi_def def = points_def(&own);
    OK(hed_mppi_create(on.device, &def, &c, &error));
    OK(hed_mppi_solve(c, (const float[]){1000, 0, 0, 0}, NULL, &stats, &error));
    CHECK_EQ(stats.outcome, HED_MPPI_ALL_CRASHED, "crashed %g", (double)stats.crashed);
    OK(hed_mppi_solve(c, (const float[]){1, 0, 0, 0}, NULL, &stats, &error));
    CHECK_EQ(stats.outcome, HED_MPPI_SOLVED, "crashed %g", (double)stats.crashed);
    hed_mppi_destroy(c);
    def.kind = HED_MPPI_TUBE;
    CHECK_EQ(hed_mppi_create(on.device, &def, &c, &error), HED_ERROR_UNSUPPORTED, "%s", error.text);
    CHECK(strstr(error.text, "is simulated as a whole, and the definition has TUBE"), "%s", error.text);
}

/* ---- MuJoCo ---- */

static const char pole[] =
    "<mujoco><option timestep='0.01'/><size nuser_sensor='6'/><custom><numeric name='agent_timestep' data='0.02'/>"
    "<numeric name='agent_horizon' data='0.8'/><numeric name='tip_target' data='0 0 0.5'/></custom>"
    "<default><geom contype='0' conaffinity='0'/></default><worldbody><body><joint name='x' type='slide' axis='1 0 0' "
    "damping='0.1'/><geom type='box' size='.1 .1 .1' mass='1'/><body><joint name='theta' type='hinge' axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 0.5' size='.02' mass='.1'/><site name='tip' pos='0 0 0.5'/></body></body>"
    "</worldbody><actuator><motor name='force' joint='x' ctrllimited='true' ctrlrange='-10 10'/></actuator><sensor>"
    "<framepos name='tip' objtype='site' objname='tip' user='2 5 0 10 0.1'/></sensor><keyframe>"
    "<key name='lean' qpos='0 0.4'/></keyframe></mujoco>";

static void need_mujoco(void)
{
    const char *names[] = {"mj_version"};
    void *functions[1];
    char path[4096];
    hed_error error = {0};
    if (hed_library_load(
            NULL, &hed_optional_libraries[HED_LIBRARY_MUJOCO], names, functions, 1, NULL, &error))
        test_skip("%s", error.text);
    if (!hed_code_compiler(path, sizeof path)) test_skip("no C compiler");
    hed_mppi_scene *scene = NULL;
    if (hed_mppi_scene_open(in_folder("pole.xml"), &scene, &error) == HED_ERROR_UNSUPPORTED)
        test_skip("%s", error.text);
    hed_mppi_scene_close(scene);
}

static void write_model(const char *name, const char *text)
{
    write_file(in_folder(name), text, strlen(text));
}

Test(mppi_simulators, mujoco_holds_a_pole, .timeout = 240)
{
    hed_error error = {0};
    hed_mppi_scene *scene = NULL;
    hed_mppi *c = NULL;
    write_model("pole.xml", pole);
    need_mujoco();
    OK(hed_mppi_scene_open(in_folder("pole.xml"), &scene, &error));
    hed_mppi_def def = hed_mppi_scene_def(scene);
    CHECK_EQ(def.model->states, 4u, "%s", "states");
    CHECK_TEXT(def.model->state_names[1], "theta");
    CHECK_TEXT(def.model->state_names[3], "theta_velocity");
    CHECK_EQ(def.steps, 40u, "%s", "agent_horizon");
    CHECK_NEAR(def.model->dt, 0.02f, 1e-6f, "%s", "agent_timestep");
    CHECK_NEAR(def.model->maximum[0], 10.0f, 0.0f, "%s", "ctrlrange");
    float x[4];
    memcpy(x, hed_mppi_scene_start(scene), sizeof x);
    CHECK_NEAR(x[1], 0.4f, 1e-6f, "%s", "keyframe");
    def.samples = 48;
    OK(hed_mppi_create(on.device, &def, &c, &error));
    for (int k = 0; k < 100; k++) {
        float u[1], next[4], cost;
        OK(hed_mppi_solve(c, x, u, NULL, &error));
        hed_mppi_shift(c, 1);
        const hed_mppi_roll roll = {
            .x = x, .controls = u, .steps = 1, .states = next, .cost = &cost};
        const hed_mppi_world world = {.dt = def.model->dt, .user = def.model->user};
        CHECK(def.model->roll(&roll, &world));
        memcpy(x, next, sizeof x);
    }
    CHECK_GT(cosf(x[1]), 0.95f, "the pole is at %g rad", (double)x[1]);
    hed_mppi_destroy(c);
    hed_mppi_scene_close(scene);
}

/* A scene around a file, with terms over states, and sensors. */
Test(mppi_simulators, mujoco_in_a_scene, .timeout = 240)
{
    static const char text[] =
        "{\"model\": {\"mujoco\": \"pole.xml\", \"keyframe\": \"lean\", \"dt\": 0.03, \"sensors\": {\"tip\": {\"weight\": 3, "
        "\"norm\": \"smooth_abs\", \"p\": 0.2, \"target\": [0.5, 0, 0.5]}}}, \"terms\": [{\"term\": \"quadratic\", "
        "\"parameters\": {\"goal\": 0, \"state\": {\"theta\": 10}}}], \"controller\": {\"samples\": 32, \"steps\": 20}}";
    hed_error error = {0};
    hed_mppi_scene *scene = NULL;
    hed_mppi *c = NULL;
    hed_mppi_stats stats;
    write_model("pole.xml", pole);
    need_mujoco();
    OK(hed_mppi_scene_parse(text, strlen(text), "scene", folder, &scene, &error));
    hed_mppi_def def = hed_mppi_scene_def(scene);
    CHECK_EQ(def.steps, 20u, "%s", "steps");
    CHECK_NEAR(def.model->dt, 0.03f, 1e-6f, "%s", "dt");
    OK(hed_mppi_create(on.device, &def, &c, &error));
    OK(hed_mppi_solve(c, hed_mppi_scene_start(scene), NULL, &stats, &error));
    CHECK_EQ(stats.outcome, HED_MPPI_SOLVED, "%s", "outcome");
    /* the same seed gives the same bits, on any number of threads */
    uint64_t hash = hed_mppi_hash(c);
    hed_mppi_destroy(c);
    OK(hed_mppi_create(on.device, &def, &c, &error));
    OK(hed_mppi_solve(c, hed_mppi_scene_start(scene), NULL, &stats, &error));
    CHECK_EQ(hed_mppi_hash(c), hash, "%s", "hash");
    hed_mppi_destroy(c);
    hed_mppi_scene_close(scene);
}

static void refuse_file(const char *text, hed_status status, const char *message)
{
    hed_error error = {0};
    hed_mppi_scene *scene = NULL;
    write_model("wrong.xml", text);
    EXPECT_EQ(hed_mppi_scene_open(in_folder("wrong.xml"), &scene, &error), status, "%s", error.text);
    EXPECT(strstr(error.text, message), "found \"%s\", expected \"%s\"", error.text, message);
    EXPECT_NULL(scene);
}

Test(mppi_simulators, files_that_are_no_model_are_refused, .timeout = 240)
{
    write_model("pole.xml", pole);
    need_mujoco();
    refuse_file("this is no XML", HED_ERROR_FORMAT, "wrong.xml: MuJoCo does not load it: XML");
    refuse_file("this is no XML", HED_ERROR_FORMAT, "Error="); /* on MuJoCo's second line */
    hed_error error = {0};
    hed_mppi_scene *scene = NULL;
    FAILS(HED_ERROR_IO, hed_mppi_scene_open(in_folder("none.xml"), &scene, &error));
    CHECK(strstr(error.text, "cannot open") && strstr(error.text, "No such file"), "%s", error.text);
    refuse_file("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", HED_ERROR_FORMAT,
        "wrong.xml: MuJoCo does not load it: ");
    refuse_file("<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody></mujoco>",
        HED_ERROR_FORMAT, "wrong.xml: the model has no actuators");
    refuse_file("<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody><actuator>"
                "<motor joint='j'/></actuator></mujoco>",
        HED_ERROR_FORMAT, "there is no cost: no sensor has user=\"NORM WEIGHT\"");
    refuse_file("<mujoco><size nuser_sensor='2'/><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody>"
                "<actuator><motor joint='j'/></actuator><sensor><jointpos name='s' joint='j' user='4 1'/></sensor></mujoco>",
        HED_ERROR_FORMAT, "sensor s: user begins with norm 4");
}

Test(mppi_simulators, a_machine_without_mujoco_is_told_what_to_install)
{
    hed_error error = {0};
    hed_mppi_scene *scene = NULL;
    write_model("pole.xml", pole);
    setenv("HEDDLE_MUJOCO_LIBRARY", "/none/libmujoco.so", 1);
    CHECK_EQ(hed_mppi_scene_open(in_folder("pole.xml"), &scene, &error), HED_ERROR_UNSUPPORTED,
        "%s", error.text);
    CHECK(
        strstr(error.text, "a model of MuJoCo's needs /none/libmujoco.so of HEDDLE_MUJOCO_LIBRARY"),
        "%s", error.text);
    CHECK(strstr(error.text, "apt install libmujoco-dev"), "%s", error.text);
}
