/* heddle mppi run of a parameter file of Nav2: its controller in a closed loop on a map. */
#include "nav2_world.h"

#include "heddle/author.h"
#include "cli/common/report.h"
#include "heddle/stats.h"
#include "support/file.h"
#include "support/digits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Moves an exact unicycle; sideways along the mean heading. */
static hed_nav2_pose drive_move(hed_nav2_pose p, hed_nav2_velocity v, double dt)
{
    double half = 0.5 * dt * v.wz, yaw = p.yaw + half;
    double arc = fabs(half) < 1e-9 ? dt : dt * sin(half) / half;
    p.x += arc * (v.vx * cos(yaw) - v.vy * sin(yaw));
    p.y += arc * (v.vx * sin(yaw) + v.vy * cos(yaw));
    p.yaw = remainder(p.yaw + dt * v.wz, 2 * M_PI);
    return p;
}

/* Nav2's SimpleGoalChecker; `reached`: the distance was reached before. */
static bool drive_arrived(const cli_nav2_world *w, const cli_nav2_step *step, bool *reached)
{
    const hed_nav2_config_info *info = &w->info;
    if (step->result.path_length > info->goal_path_length) return false;
    double distance = world_length(w->goal.x - step->pose.x, w->goal.y - step->pose.y);
    bool keeps = info->goal_buffer <= 0 || distance <= info->goal_distance + info->goal_buffer;
    *reached = distance <= info->goal_distance || (*reached && info->goal_is_stateful && keeps);
    double turn = info->goal_is_symmetric ? M_PI : 2 * M_PI;
    return *reached && fabs(remainder(w->goal.yaw - step->pose.yaw, turn)) <= info->goal_angle;
}

/* Keeps some futures of a cycle for the picture. */
static void drive_keep_futures(
    const cli_nav2_world *w, const hed_nav2 *controller, cli_nav2_drive *d, uint32_t step)
{
    size_t size = 2 * (size_t)w->info.steps;
    uint32_t row = d->moment_count * CLI_NAV2_FUTURES, samples = w->info.samples;
    d->moments[d->moment_count++] = step;
    for (uint32_t i = 0; i < CLI_NAV2_FUTURES; i++, row++)
        d->costs[row] =
            hed_nav2_future(controller, i * samples / CLI_NAV2_FUTURES, d->futures + row * size);
}

/* Keeps the critics' costs of a cycle for the picture. */
static void drive_keep_critics(const hed_nav2 *controller, cli_nav2_drive *d, uint32_t step)
{
    const hed_nav2_critic *critic;
    for (uint32_t i = 0; i < CLI_NAV2_CRITICS && (critic = hed_nav2_critic_at(controller, i));
         i++) {
        d->critic_names[i] = critic->name;
        d->critics[step * CLI_NAV2_CRITICS + i] = critic->active ? critic->mean : NAN;
    }
}

/* Returns the reason for which Nav2's server aborts after this cycle; NULL: the task continues. `failing`:
 * time without a valid control, s. */
static const char *drive_abort(
    const cli_nav2_world *w, const hed_nav2_result *result, double *failing)
{
    double tolerance = w->info.failure_tolerance;
    bool is_valid = result->outcome == HED_NAV2_VALID;
    *failing = is_valid ? 0 : *failing + w->info.period;
    if (result->outcome == HED_NAV2_NO_PATH) return "InvalidPath";
    if (is_valid || tolerance < 0) return NULL;
    if (tolerance == 0) return "NoValidControl";
    return *failing > tolerance ? "PatienceExceeded" : NULL;
}

/* Drives until the goal, or for `limit` cycles. Errors: as hed_nav2_compute(). */
static hed_status drive_go(const cli_nav2_world *w, hed_nav2 *controller, uint32_t limit,
    bool pictures, cli_nav2_drive *d, hed_error *error)
{
    hed_nav2_pose pose = w->start;
    hed_nav2_velocity speed = {0};
    uint32_t stride = limit, next = 0;
    double failing = 0;
    bool reached = false;
    if (pictures) stride = w->path_count / CLI_NAV2_MOMENTS * 3 + 1;
    while (d->count < limit && !d->arrived && !d->abort && !hed_interrupted()) {
        cli_nav2_step *step = &d->steps[d->count];
        uint64_t begin = hed_now();
        hed_status status =
            hed_nav2_compute(controller, pose, speed, &w->grid, &step->result, error);
        step->milliseconds = 1e-6 * (double)(hed_now() - begin);
        if (status != HED_OK) return status;
        if (pictures && d->count == next && d->moment_count < CLI_NAV2_MOMENTS) {
            drive_keep_futures(w, controller, d, d->count);
            next += stride;
        }
        if (pictures) drive_keep_critics(controller, d, d->count);
        d->abort = drive_abort(w, &step->result, &failing);
        speed = step->result.command;
        step->pose = pose = drive_move(pose, speed, w->info.period);
        d->count++;
        d->failures += step->result.outcome != HED_NAV2_VALID;
        d->detours += step->result.detour;
        d->guarded += step->result.guarded;
        const hed_nav2_critic *critic;
        for (uint32_t i = 0; (critic = hed_nav2_critic_at(controller, i)); i++)
            d->active += critic->active;
        d->touched = d->touched || hed_nav2_touches(w->config, &w->grid, pose);
        d->arrived = drive_arrived(w, step, &reached);
    }
    return HED_OK;
}

/* ---- reports ---- */

static hed_status drive_write_csv(
    const cli_nav2_world *w, const cli_nav2_drive *d, const char *path, hed_error *error)
{
    static const char *const outcomes[] = {"valid", "all-collide", "plan-collides", "no-path"};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) return HED_OUT_OF_MEMORY(error, "%s", path);
    fprintf(stream, "t,x,y,yaw,vx,vy,wz,outcome,path_length,furthest,colliding,cost,effective,retries,detour,ms\n");
    for (uint32_t i = 0; i < d->count; i++) {
        const cli_nav2_step *s = &d->steps[i];
        const hed_nav2_result *r = &s->result;
        fprintf(stream,
            "%.4f,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%s,%.4g,%" PRIu32 ",%.4g,%.6g,%.4g,%" PRIu32
            ",%d,%.4g\n",
            (i + 1) * w->info.period, s->pose.x, s->pose.y, s->pose.yaw, r->command.vx,
            r->command.vy, r->command.wz, outcomes[r->outcome], r->path_length, r->furthest,
            (double)r->colliding, (double)r->cost, (double)r->effective, r->retries, r->detour,
            s->milliseconds);
    }
    bool whole = fclose(stream) == 0;
    hed_status status =
        whole ? hed_file_write(path, text, size, error) : HED_OUT_OF_MEMORY(error, "%s", path);
    free(text);
    return status;
}

static int drive_by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct drive_figures {
    double p50, p99, p999, max, change_speed, change_turn;
} drive_figures;

static hed_status drive_sum(const cli_nav2_drive *d, drive_figures *f, hed_error *error)
{
    *f = (drive_figures){0};
    double *times = malloc((d->count + 1) * sizeof *times);
    if (!times) return HED_OUT_OF_MEMORY(error, "%u times", d->count);
    for (uint32_t i = 0; i < d->count; i++) {
        hed_nav2_velocity v = d->steps[i].result.command,
                          u = i ? d->steps[i - 1].result.command : v;
        times[i] = d->steps[i].milliseconds;
        f->change_speed += fabs(v.vx - u.vx) / d->count;
        f->change_turn += fabs(v.wz - u.wz) / d->count;
    }
    qsort(times, d->count, sizeof *times, drive_by_size);
    if (d->count) {
        f->p50 = times[d->count / 2];
        f->p99 = times[(uint32_t)(0.99 * (d->count - 1))];
        f->p999 = times[(uint32_t)(0.999 * (d->count - 1))];
        f->max = times[d->count - 1];
    }
    free(times);
    return HED_OK;
}

static const char *const DRIVE_MODELS[] = {"DiffDrive", "Omni", "Ackermann"};
static const char *const DRIVE_RELEASES[] = {"1.3/1.4 (jazzy)", "1.5 (lyrical)"};

/* Returns the step from which on the robot is within `radius` of its last place. */
static uint32_t drive_since(const cli_nav2_drive *d, hed_nav2_pose end, double radius)
{
    uint32_t since = d->count;
    while (since && world_length(d->steps[since - 1].pose.x - end.x,
                        d->steps[since - 1].pose.y - end.y) < radius)
        since--;
    return since;
}

/* Prints the reason for which a robot has not arrived. */
static void drive_tell_end(const cli_nav2_world *w, const cli_nav2_drive *d, hed_nav2_pose end)
{
    static const double REST = 0.1, PROGRESS = 0.5,
                        PATIENCE = 10; /* m, m, s: of Nav2's progress checker */
    uint32_t since = drive_since(d, end, REST), guarded = 0;
    double period = w->info.period;
    bool rests = (d->count - since) * period >= PATIENCE;
    if (!rests) since = drive_since(d, end, PROGRESS);
    for (uint32_t i = since; i < d->count; i++) guarded += d->steps[i].result.guarded;
    if (hed_nav2_touches(w->config, &w->grid, w->start))
        printf("the robot overlaps an obstacle at the start, %g,%g,%g; --start moves it\n",
            w->start.x, w->start.y, w->start.yaw);
    if (d->abort)
        printf("Nav2's server aborts here: %s (failure_tolerance %g s)\n", d->abort, w->info.failure_tolerance);
    else if (!d->arrived && (d->count - since) * period >= PATIENCE)
        printf(
            "%s since %.2f s, %.3f m and %.2f rad from the goal (tolerances %g m, %g rad): %s. Remedies: docs/mppi-nav2.md\n",
            rests ? "at rest" : "within 0.5 m", since * period,
            world_length(w->goal.x - end.x, w->goal.y - end.y),
            fabs(remainder(w->goal.yaw - end.yaw, 2 * M_PI)), w->info.goal_distance,
            w->info.goal_angle,
            2 * guarded > d->count - since
                ? "the robot is kept off an obstacle that it would touch along each plan; Nav2 drives on, as --no-detour does"
            : rests ? "the critics balance, as in Nav2, whose progress checker aborts"
                    : "the robot creeps, and Nav2's progress checker aborts: the noise is large for "
                      "the accelerations, the critics nearly balance, or vx_max is small");
}

static void drive_tell(const cli_nav2_world *w, const hed_nav2 *controller, const cli_nav2_drive *d,
    const drive_figures *f)
{
    const hed_nav2_config_info *info = &w->info;
    const hed_nav2_critic *critic;
    hed_nav2_pose end = d->count ? d->steps[d->count - 1].pose : w->start;
    printf("%s: Nav2 %s, %s, %" PRIu32 " futures of %" PRIu32 " steps of %g s, every %g s\n",
        info->controller, DRIVE_RELEASES[info->release], DRIVE_MODELS[info->model], info->samples,
        info->steps, info->dt, info->period);
    printf("%s after %.2f s at x %.3f, y %.3f, yaw %.3f; %s\n",
        d->arrived ? "arrived" : "not arrived", d->count * info->period, end.x, end.y, end.yaw,
        d->touched ? "the footprint touched an obstacle" : "no contact of the footprint");
    drive_tell_end(w, d, end);
    printf("mean change in a cycle: %.4f m/s, %.4f rad/s; %" PRIu32 " cycles without a valid control; path led around obstacles %" PRIu32
        " times, kept off obstacles in %" PRIu32 " cycles\n", f->change_speed, f->change_turn, d->failures, d->detours, d->guarded);
    printf("critics in the last cycle:");
    for (uint32_t i = 0; (critic = hed_nav2_critic_at(controller, i)); i++)
        critic->active ? printf(" %s %s", critic->name, hed_digits(critic->mean, 3).text)
                       : printf(" (%s off)", critic->name);
    printf(
        "\na cycle: p50 %s ms, p99 %s ms, p99.9 %s ms, max %s ms; critics active in a cycle: %.2f\n",
        hed_digits(f->p50, 3).text, hed_digits(f->p99, 3).text, hed_digits(f->p999, 3).text,
        hed_digits(f->max, 3).text, d->count ? (double)d->active / d->count : 0);
}

static hed_status drive_tell_json(const cli_nav2_world *w, const hed_nav2 *controller,
    const cli_nav2_drive *d, const drive_figures *f, const char *file, hed_error *error)
{
    const hed_nav2_config_info *info = &w->info;
    const hed_nav2_critic *critic;
    hed_nav2_pose end = d->count ? d->steps[d->count - 1].pose : w->start;
    cli_report *c = cli_report_create(true);
    cli_report_row(c, CLI_TEXT("file", file), CLI_TEXT("controller", info->controller),
        CLI_TEXT("release", info->release == HED_NAV2_LYRICAL ? "lyrical" : "jazzy"),
        CLI_TEXT("model", DRIVE_MODELS[info->model]), CLI_WHOLE("samples", info->samples),
        CLI_WHOLE("horizon", info->steps), CLI_NUMBER("dt", info->dt),
        CLI_NUMBER("period", info->period), CLI_FLAG("arrived", d->arrived),
        CLI_TEXT("aborted", d->abort ? d->abort : ""),
        CLI_NUMBER("seconds", d->count * info->period), CLI_WHOLE("steps", d->count),
        CLI_FLAG("touched", d->touched), CLI_WHOLE("failures", d->failures),
        CLI_WHOLE("detours", d->detours), CLI_WHOLE("guarded", d->guarded), CLI_NUMBER("change_of_speed", f->change_speed),
        CLI_NUMBER("change_of_turn", f->change_turn), CLI_NUMBER("p50_ms", f->p50),
        CLI_NUMBER("p99_ms", f->p99), CLI_NUMBER("p999_ms", f->p999),
        CLI_NUMBER("active_critics", d->count ? (double)d->active / d->count : 0), CLI_NUMBER("max_ms", f->max));
    cli_report_open(c, "pose");
    cli_report_more(c, CLI_NUMBER("x", end.x), CLI_NUMBER("y", end.y), CLI_NUMBER("yaw", end.yaw));
    cli_report_close(c);
    cli_report_open_list(c, "critics");
    for (uint32_t i = 0; (critic = hed_nav2_critic_at(controller, i)); i++)
        cli_report_row(c, CLI_TEXT("name", critic->name), CLI_FLAG("active", critic->active),
            CLI_NUMBER("mean", critic->mean));
    cli_report_close(c);
    return cli_report_end(c, HED_OK, error);
}

/* ---- the run ---- */

/* Refuses options that scenes have and parameter files do not. */
static hed_status drive_check_options(const hed_arguments *a, hed_error *error)
{
    static const char *const scene_options[] = {"controller", "solver", "strict", "threads",
        "plant", "disturb", "push", "rate", "deadline"};
    for (size_t i = 0; i < HED_COUNT(scene_options); i++)
        if (hed_given(a, scene_options[i]))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "--%s is an option of scenes; a parameter file of Nav2 takes --device, --samples, --horizon and --set", scene_options[i]);
    if (!hed_given(a, "map"))
        return hed_fail(error, HED_ERROR_ARGUMENT, "no map: give --map FILE, the YAML of a ROS map server");
    return HED_OK;
}

static hed_status drive_set(const hed_arguments *a, cli_nav2_world *w, hed_error *error)
{
    const char *text, *sizes[][2] = {{"samples", "batch_size"}, {"horizon", "time_steps"}};
    char value[32];
    hed_status status = HED_OK;
    for (int i = 0; i < 2 && status == HED_OK; i++) {
        if (!hed_given(a, sizes[i][0])) continue;
        snprintf(value, sizeof value, "%" PRId64, hed_integer_of(a, sizes[i][0]));
        status = hed_nav2_config_set(w->config, sizes[i][1], value, error);
    }
    for (uint32_t i = 0; status == HED_OK && (text = hed_text_at(a, "set", i)); i++) {
        const char *equals = strchr(text, '=');
        char key[128];
        if (!equals || equals - text >= (ptrdiff_t)sizeof key)
            return hed_fail(error, HED_ERROR_ARGUMENT, "--set %s: expected NAME=VALUE, such as vx_max=0.4", text);
        snprintf(key, sizeof key, "%.*s", (int)(equals - text), text);
        status = hed_nav2_config_set(w->config, key, equals + 1, error);
    }
    w->info = hed_nav2_config_describe(w->config);
    return status;
}

/* Moves the controller to the device of --device; none: it stays on the processor. Errors: NO_DEVICE,
 * as hed_nav2_use_device(). */
static hed_status drive_use_device(
    const hed_arguments *a, cli_session *session, hed_nav2 *controller, hed_error *error)
{
    if (!hed_given(a, "device")) return HED_OK;
    if (cli_open_devices(a, session, error) != HED_OK) return error->status;
    if (session->count != 1)
        return hed_fail(error, HED_ERROR_ARGUMENT, "--device: %u devices; a parameter file of Nav2 runs on one", session->count);
    return hed_nav2_use_device(controller, session->devices[0], error);
}

static int drive_end(const hed_arguments *a, const cli_nav2_world *w, const hed_nav2 *controller,
    const cli_nav2_drive *d, const char *file, hed_error *error)
{
    const char *csv = hed_text_of(a, "csv"), *plot = hed_text_of(a, "plot");
    drive_figures figures;
    hed_status status = drive_sum(d, &figures, error);
    if (status == HED_OK && csv) status = drive_write_csv(w, d, csv, error);
    if (status == HED_OK && plot) status = cli_nav2_picture(w, d, plot, error);
    if (status == HED_OK && hed_given(a, "json"))
        status = drive_tell_json(w, controller, d, &figures, file, error);
    else if (status == HED_OK) {
        drive_tell(w, controller, d, &figures);
        if (plot) printf("%s: the picture\n", plot);
        if (csv) printf("%s: %" PRIu32 " rows\n", csv, d->count);
    }
    if (status != HED_OK) return cli_fail(error);
    if (hed_interrupted()) return HED_EXIT_INTERRUPTED;
    return d->arrived && !d->touched ? HED_EXIT_OK : HED_EXIT_FAILURE;
}

int cli_nav2_run(const hed_arguments *a, const char *file)
{
    cli_nav2_world w = {0};
    cli_nav2_drive d = {0};
    cli_session session = {0};
    hed_nav2 *controller = NULL;
    hed_error error = {0};
    uint64_t seed = hed_given(a, "seed") ? (uint64_t)hed_integer_of(a, "seed") : 0;
    uint32_t limit = hed_given(a, "steps") ? (uint32_t)hed_integer_of(a, "steps") : 2400;
    hed_status status = drive_check_options(a, &error);
    if (status == HED_OK) status = cli_nav2_world_open(a, file, &w, &error);
    if (status == HED_OK) status = drive_set(a, &w, &error);
    if (status == HED_OK) status = cli_nav2_world_route(a, &w, &error);
    if (status == HED_OK) status = cli_nav2_world_add_discs(a, &w, &error);
    size_t rows = CLI_NAV2_MOMENTS * CLI_NAV2_FUTURES;
    d.steps = calloc(limit, sizeof *d.steps);
    d.costs = calloc(rows, sizeof *d.costs);
    d.futures = calloc(rows * (w.info.steps + 1), 2 * sizeof *d.futures);
    if (hed_given(a, "plot")) d.critics = calloc((size_t)limit * CLI_NAV2_CRITICS, sizeof *d.critics);
    if (status == HED_OK &&
        (!d.steps || !d.costs || !d.futures || (hed_given(a, "plot") && !d.critics)))
        status = HED_OUT_OF_MEMORY(&error, "a run of %u cycles", limit);
    if (status == HED_OK)
        status = hed_nav2_create(w.config, seed, !hed_given(a, "no-detour"), &controller, &error);
    if (status == HED_OK) status = drive_use_device(a, &session, controller, &error);
    if (status == HED_OK) status = hed_nav2_set_path(controller, w.path, w.path_count, &error);
    hed_interrupt_install();
    if (status == HED_OK) status = drive_go(&w, controller, limit, hed_given(a, "plot"), &d, &error);
    int code = status == HED_OK                ? drive_end(a, &w, controller, &d, file, &error)
               : status == HED_ERROR_ARGUMENT ? cli_refuse(&error)
                                              : cli_fail(&error);
    hed_nav2_destroy(controller);
    cli_close(&session);
    free(d.steps);
    free(d.costs);
    free(d.futures);
    free(d.critics);
    cli_nav2_world_close(&w);
    return code;
}
