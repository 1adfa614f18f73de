/* Tasks for Heddle's own models: what `heddle mppi run NAME` does without a scene file. One of them
 * is a course: a closed road between walls, on which other cars drive. */
#include "mppi.h"

#include "heddle/author.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const cli_mppi_task cli_mppi_tasks[] = {
    /* swing up, 20 m to the left */
    {"cartpole", {"quadratic"},
        "quadratic.goal.x=-20 quadratic.goal.theta=3.14159265 quadratic.state.x=100 "
        "quadratic.state.velocity=10 quadratic.state.theta=200 quadratic.state.rate=20",
        .samples = 2048, .horizon = 100, .steps = 1000, .dt = 0.01f, .lambda = 0.25f, .sigma = {5}},
    /* round a circular track of 25 cm */
    {"double_integrator", {"circle"}, "", .samples = 1024, .horizon = 50, .steps = 1000,
        .dt = 0.02f, .lambda = 1, .sigma = {1, 1}, .start = {2, 0, 0, 1}},
    /* the torque does not lift it: it has to swing */
    {"pendulum", {"quadratic"},
        "quadratic.goal.angle=3.14159265 quadratic.state.angle=10 quadratic.state.rate=0.3",
        .samples = 1024, .horizon = 50, .steps = 200, .dt = 0.05f, .lambda = 1, .sigma = {3},
        .exponent = 1.5f},
    {"dubins", {"goal", "goal_angle"},
        "goal.x=6 goal.y=4 goal.weight=5 goal_angle.x=6 goal_angle.y=4 goal_angle.angle=1.57",
        .samples = 1024, .horizon = 60, .steps = 150, .dt = 0.05f, .lambda = 0.1f, .sigma = {0.6f}},
    {"differential_drive", {"goal", "goal_angle", "prefer_forward", "twirling"},
        "lag=0.2 goal.x=2 goal.y=1.5 goal.weight=5 goal_angle.x=2 goal_angle.y=1.5 "
        "goal_angle.angle=1.2 goal_angle.weight=0.5 prefer_forward.weight=2 twirling.weight=0.2",
        .samples = 1024, .horizon = 60, .steps = 300, .dt = 0.05f, .lambda = 0.1f,
        .sigma = {0.2f, 0.5f}},
    {"bicycle", {"clearance", "obstacles", "path_follow", "path_align", "speed"},
        "clearance.radius=0.8 clearance.margin=0.8 clearance.weight=20 obstacles.radius=0.8 "
        "obstacles.margin=1 obstacles.weight=20 path_follow.weight=40 path_align.weight=0.3 "
        "speed.wanted=8 speed.weight=0.3",
        .samples = 1024, .horizon = 50, .steps = 300, .dt = 0.05f, .lambda = 0.3f,
        .sigma = {2.5f, 0.2f}, .exponent = 1, .course = true},
    {"quadrotor", {"quadratic"},
        "quadratic.goal.z=1 quadratic.state.x=5 quadratic.state.y=5 quadratic.state.z=10 "
        "quadratic.state.vx=1 quadratic.state.vy=1 quadratic.state.vz=1 quadratic.state.roll=1 "
        "quadratic.state.pitch=1 quadratic.state.yaw=2 quadratic.state.p=0.1 quadratic.state.q=0.1 "
        "quadratic.state.r=0.1",
        .samples = 2048, .horizon = 100, .steps = 400, .dt = 0.02f, .lambda = 0.5f,
        .sigma = {1.5f, 0.01f, 0.01f, 0.005f}, .start = {-2, 1.5f}},
    {0}};

/* ---- the course ---- */

enum {
    POINTS = 120, /* of the middle of the road */
    AHEAD = 30,   /* segments of it that the controller is shown */
    OTHERS = 3,   /* cars */
    GRID_WIDTH = 184,
    GRID_HEIGHT = 116,
    GRID_HEAD = 8, /* as engines/mppi/kernels/words.h has them */
    SEGMENT = 8
};
static const float CELL = 0.25f, ROAD = 3.5f; /* m; half the width of the road */

struct cli_mppi_course {
    float points[POINTS][2];
    float distance[GRID_HEAD + GRID_WIDTH * GRID_HEIGHT];
    float path[AHEAD * SEGMENT];
    float obstacles[4 + 4 * OTHERS * HED_MPPI_MAX_STEPS];
    uint32_t moments;
    float dt;
};

static void course_at(double angle, float place[2])
{
    double radius = 9.6 + 0.8 * cos(3 * angle + 0.4);
    place[0] = (float)(1.7 * radius * cos(angle));
    place[1] = (float)(radius * sin(angle));
}

static uint32_t course_nearest(const cli_mppi_course *c, float x, float y)
{
    uint32_t nearest = 0;
    float least = INFINITY;
    for (uint32_t i = 0; i < POINTS; i++) {
        float far = hypotf(x - c->points[i][0], y - c->points[i][1]);
        if (far < least) least = far, nearest = i;
    }
    return nearest;
}

/* The road from the place nearest to (x, y) on, and the other cars from `seconds` on: they go round
 * at 2 to 3 m/s and swerve. */
static void course_fill(cli_mppi_course *c, double seconds, float x, float y)
{
    uint32_t first = course_nearest(c, x, y);
    float ahead = 0;
    for (uint32_t k = AHEAD; k-- > 0;) {
        const float *a = c->points[(first + k) % POINTS], *b = c->points[(first + k + 1) % POINTS];
        float dx = b[0] - a[0], dy = b[1] - a[1], length = hypotf(dx, dy);
        ahead += length;
        const float segment[SEGMENT] = {
            a[0], a[1], dx, dy, 1 / (length * length), ahead, length, atan2f(dy, dx)};
        memcpy(c->path + SEGMENT * (size_t)k, segment, sizeof segment);
    }
    const float head[4] = {OTHERS, (float)c->moments, 1 / c->dt};
    memcpy(c->obstacles, head, sizeof head);
    for (uint32_t m = 0; m < c->moments; m++)
        for (uint32_t i = 0; i < OTHERS; i++) {
            double time = seconds + m * (double)c->dt, place;
            place = 40 * (i + 0.35) + time * (1.7 + 0.35 * i);
            double share = fmod(place, POINTS), part = share - floor(share);
            const float *a = c->points[(uint32_t)share % POINTS],
                        *b = c->points[((uint32_t)share + 1) % POINTS];
            float dx = b[0] - a[0], dy = b[1] - a[1], length = hypotf(dx, dy);
            float aside = 1.3f * (float)sin(0.8 * time + 2 * i) / length;
            float *disc = c->obstacles + 4 + 4 * (size_t)(m * OTHERS + i);
            disc[0] = a[0] + (float)part * dx - aside * dy;
            disc[1] = a[1] + (float)part * dy + aside * dx;
            disc[2] = 0.9f;
            disc[3] = 0;
        }
}

hed_status cli_mppi_course_open(cli_mppi_subject *s, hed_error *error)
{
    cli_mppi_course *c = s->course = calloc(1, sizeof *c);
    if (!c) return hed_fail(error, HED_ERROR_MEMORY, "out of memory for a course");
    c->moments = s->def.steps + 1;
    if (c->moments > HED_MPPI_MAX_STEPS) c->moments = HED_MPPI_MAX_STEPS;
    c->dt = s->def.dt;
    for (uint32_t i = 0; i < POINTS; i++)
        course_at(2 * 3.14159265358979 * i / POINTS, c->points[i]);
    const float head[GRID_HEAD] = {GRID_WIDTH, GRID_HEIGHT, -0.5f * CELL * (GRID_WIDTH - 1),
        -0.5f * CELL * (GRID_HEIGHT - 1), 1 / CELL};
    memcpy(c->distance, head, sizeof head);
    for (uint32_t row = 0; row < GRID_HEIGHT; row++)
        for (uint32_t column = 0; column < GRID_WIDTH; column++) {
            float x = head[2] + CELL * (float)column, y = head[3] + CELL * (float)row;
            const float *p = c->points[course_nearest(c, x, y)];
            c->distance[GRID_HEAD + row * GRID_WIDTH + column] = ROAD - hypotf(x - p[0], y - p[1]);
        }
    float dx = c->points[1][0] - c->points[0][0], dy = c->points[1][1] - c->points[0][1];
    const float start[6] = {c->points[0][0], c->points[0][1], atan2f(dy, dx), 3};
    memcpy(s->start, start, sizeof start);
    course_fill(c, 0, start[0], start[1]);
    const hed_mppi_table tables[] = {{"distance", c->distance, HED_COUNT(c->distance), 0},
        {"path", c->path, HED_COUNT(c->path), 0},
        {"obstacles", c->obstacles, 4 + 4 * OTHERS * c->moments, 0}};
    memcpy(s->tables, tables, sizeof tables);
    s->def.tables = s->tables;
    s->def.table_count = HED_COUNT(tables);
    s->changing = 1 << 1 | 1 << 2;
    return HED_OK;
}

void cli_mppi_course_update(cli_mppi_subject *subject, double seconds, const float *x)
{
    course_fill(subject->course, seconds, x[0], x[1]);
}

void cli_mppi_course_close(cli_mppi_subject *subject) { free(subject->course); }
