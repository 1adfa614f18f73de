/* Cycles of Nav2's controller with Nav2's defaults, from pose and costmap to the command: 56 steps of
 * 0.05 s, noise drawn in each cycle, gates opened so that all eight critics count; the same without
 * the three critics that look at the path, and with a path ten times as dense. */
#include "benchmarks/mppi_nav2.h"

#include "cli/common/command.h"
#include "heddle/author.h"
#include "heddle/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAV2_SIDE = 160, NAV2_MOST_POSES = 1601, NAV2_WARM = 50 };

typedef struct nav2_problem {
    const char *name, *path_critics; /* names for the list of critics */
    uint32_t segments;               /* in the 2 m of path ahead of the robot */
} nav2_problem;

static const nav2_problem problems[] = {
    {"nav2", "PathAlignCritic, PathAngleCritic, PathFollowCritic, ", 40},
    {"nav2, dense path", "PathAlignCritic, PathAngleCritic, PathFollowCritic, ", 400},
    {"nav2 without path", "", 40}};

/* Costs of a room of 8 x 8 m with pillars of 0.2 m, 1 m beside the path. */
static hed_status nav2_fill_room(const hed_nav2_config *config, uint8_t *cells, hed_error *error)
{
    static float values[NAV2_SIDE * NAV2_SIDE];
    const hed_mppi_map map = {NAV2_SIDE, NAV2_SIDE, 0.05, -4, -4, values};
    for (int i = 0; i < NAV2_SIDE * NAV2_SIDE; i++) {
        int x = i % NAV2_SIDE % 40 - 20, y = i / NAV2_SIDE % 40 - 20;
        values[i] = x * x + y * y < 16 ? 1 : 0;
    }
    return hed_nav2_inflate(config, &map, cells, error);
}

static hed_status nav2_configure(
    const nav2_problem *problem, uint32_t samples, hed_nav2_config **config, hed_error *error)
{
    char text[2048];
    snprintf(text, sizeof text,
        "controller_server: {ros__parameters: {controller_frequency: 20.0, FollowPath: {\n"
        "  plugin: 'nav2_mppi_controller::MPPIController', batch_size: %u, time_steps: 56, model_dt: 0.05,\n"
        "  regenerate_noises: true, motion_model: MotionModel, MotionModel: {plugin: 'mppi::DiffDriveMotionModel'},\n"
        "  critics: [ConstraintCritic, CostCritic, GoalCritic, GoalAngleCritic, %sPreferForwardCritic],\n"
        "  GoalCritic: {threshold_to_consider: 100.0, cost_weight: 0.0001},\n"
        "  GoalAngleCritic: {threshold_to_consider: 100.0, cost_weight: 0.0001},\n"
        "  PathAngleCritic: {max_angle_to_furthest: 0.0}}}}\n"
        "local_costmap: {local_costmap: {ros__parameters: {robot_radius: 0.22,\n"
        "  inflation_layer: {inflation_radius: 0.7, cost_scaling_factor: 3.0}}}}\n",
        samples, problem->path_critics);
    return hed_nav2_config_parse(text, strlen(text), "bench", config, error);
}

static hed_status nav2_cycles(hed_nav2 *controller, const hed_nav2_grid *grid,
    const mppi_nav2_def *def, uint32_t *active, hed_error *error)
{
    const hed_nav2_pose pose = {-3, 0.02, 0.1};
    hed_nav2_velocity speed = {0.4, 0, 0};
    for (uint32_t n = 0; n < NAV2_WARM + def->cycles; n++) {
        hed_nav2_result result;
        uint64_t begin = hed_now();
        if (hed_nav2_compute(controller, pose, speed, grid, &result, error)) return error->status;
        if (n >= NAV2_WARM) def->times[n - NAV2_WARM] = (double)(hed_now() - begin) * 1e-3;
        if (hed_interrupted()) return hed_fail(error, HED_ERROR_TIMEOUT, "interrupted");
    }
    *active = 0;
    for (uint32_t i = 0; hed_nav2_critic_at(controller, i); i++)
        *active += hed_nav2_critic_at(controller, i)->active;
    return HED_OK;
}

static void nav2_add_row(const mppi_nav2_def *def, const nav2_problem *problem, uint32_t samples,
    uint32_t active, cli_report *report)
{
    hed_summary times = hed_summarize(def->times, def->cycles);
    cli_report_row(report, CLI_TEXT("device", hed_device_describe(def->device).id, .heading = "DEVICE"),
        CLI_TEXT("problem", problem->name, .heading = "PROBLEM"),
        CLI_WHOLE("samples", samples, .heading = ">N"),
        CLI_WHOLE("critics", active, .heading = ">CRITICS"),
        CLI_WHOLE("segments", problem->segments, .heading = ">SEGMENTS"),
        CLI_NUMBER("median_us", times.p50, .heading = ">MEDIAN us", .format = "%.2f"),
        CLI_NUMBER("p99_us", times.p99, .heading = ">P99", .format = "%.2f"),
        CLI_NUMBER("max_us", times.maximum, .heading = ">MAX", .format = "%.2f"),
        CLI_NUMBER("min_us", times.minimum, .heading = ">MIN", .format = "%.2f"));
}

static hed_status nav2_case(const mppi_nav2_def *def, const nav2_problem *problem, uint32_t samples,
    cli_report *report, hed_error *error)
{
    static uint8_t cells[NAV2_SIDE * NAV2_SIDE];
    static hed_nav2_pose path[NAV2_MOST_POSES];
    const hed_nav2_grid grid = {NAV2_SIDE, NAV2_SIDE, 0.05, -4, -4, cells};
    hed_nav2_config *config = NULL;
    hed_nav2 *controller = NULL;
    uint32_t active = 0, count = 2 * problem->segments + 1;
    /* a straight path of 4 m, the first 2 m in the problem's segments */
    for (uint32_t i = 0; i < count; i++)
        path[i] = (hed_nav2_pose){-3 + 2.0 * i / problem->segments, 0, 0};
    hed_status status = nav2_configure(problem, samples, &config, error);
    if (!status) status = nav2_fill_room(config, cells, error);
    if (!status) status = hed_nav2_create(config, 1, false, &controller, error);
    if (!status) status = hed_nav2_use_device(controller, def->device, error);
    if (!status) status = hed_nav2_set_path(controller, path, count, error);
    if (!status) status = nav2_cycles(controller, &grid, def, &active, error);
    if (!status) nav2_add_row(def, problem, samples, active, report);
    hed_nav2_destroy(controller);
    hed_nav2_config_free(config);
    return status;
}

hed_status cli_mppi_nav2_bench(const mppi_nav2_def *def, cli_report *report, hed_error *error)
{
    static const uint32_t sizes[] = {2000, 8192, 65536};
    for (size_t n = 0; n < (def->samples ? 1 : HED_COUNT(sizes)); n++)
        for (size_t p = 0; p < HED_COUNT(problems); p++) {
            uint32_t samples = def->samples ? def->samples : sizes[n];
            if (nav2_case(def, &problems[p], samples, report, error)) return error->status;
        }
    return HED_OK;
}
