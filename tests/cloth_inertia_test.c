/* ctest: devices full=pocl */
/* How garments start, and what they feel of a frame of reference that moves: a throw and a spin
 * against their closed forms, a runner that feels nothing against one that stands, and one that
 * feels all against the world. */
#include "fixture.h"

#include "cloth_contacts.h"

static hed_error error;

TestSuite(cloth_inertia, .init = here_open, .fini = here_close);

/* ---- the start ---- */

/* The middle of all particles. */
static void middle_of(const dressed *d, double middle[3])
{
    for (int k = 0; k < 3; k++) {
        middle[k] = 0.0;
        for (uint32_t i = 0; i < d->particles; i++) middle[k] += d->positions[i][k] / d->particles;
    }
}

/* The parabola, whatever the substeps; and a second time after a reset. */
Test(cloth_inertia, a_throw)
{
    for (uint32_t substeps = 1; substeps <= 20; substeps += 19) {
        sheet s = sheet_make(5, 0.2f);
        s.def.damping = 0.0f;
        memcpy(s.def.velocity, (const float[]){3.0f, 4.0f, -2.0f}, 12);
        hed_cloth_def def = dressed_def(&s.def, 1);
        def.substeps = substeps;
        dressed d = dressed_make(here.device, &def);
        hed_cloth_frame frame = hed_default_cloth_frame();
        double from[3], to[3];
        for (int again = 0; again < 2; again++) {
            OK(hed_cloth_reset(d.cloth, &error));
            OK(hed_cloth_read(d.cloth, &d.positions[0][0], NULL, NULL, &error));
            middle_of(&d, from);
            for (int f = 0; f < 30; f++) dressed_step(&d, &frame);
            middle_of(&d, to);
            EXPECT_NEAR(to[0] - from[0], 1.5, 1e-4);
            EXPECT_NEAR(to[1] - from[1], 2.0 - 0.5 * 9.81 * 0.25, 2e-4, "%u substeps", substeps);
            EXPECT_NEAR(to[2] - from[2], -1.0, 1e-4);
        }
        dressed_free(&d);
        sheet_free(&s);
    }
}

/* Without gravity a sheet that spins keeps its momenta, and its middle its place. */
Test(cloth_inertia, a_spin)
{
    sheet s = sheet_make(9, 0.4f);
    s.def.damping = 0.0f;
    memcpy(s.def.angular_velocity, (const float[]){0.0f, 3.0f, 0.0f}, 12);
    hed_cloth_def def = dressed_def(&s.def, 1);
    def.substeps = 40;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.gravity[1] = 0.0f;
    double from[3], to[3], inertia = 0.0, w = 0.0;
    OK(hed_cloth_read(d.cloth, &d.positions[0][0], NULL, NULL, &error));
    middle_of(&d, from);
    for (uint32_t i = 0; i < 81; i++) {
        double x = d.positions[i][0] - from[0], z = d.positions[i][2] - from[2];
        inertia += x * x + z * z;
    }
    float corner[3], before[81][3];
    memcpy(corner, d.positions[0], sizeof corner);
    for (int f = 0; f < 30; f++) {
        memcpy(before, d.positions, sizeof before);
        dressed_step(&d, &frame);
    }
    middle_of(&d, to);
    for (uint32_t i = 0; i < 81; i++) { /* the moment, by the last frame's ways */
        double x = before[i][0] - from[0], z = before[i][2] - from[2];
        w += 60.0 *
             (z * (d.positions[i][0] - before[i][0]) - x * (d.positions[i][2] - before[i][2]));
    }
    for (int k = 0; k < 3; k++) EXPECT_NEAR(to[k], from[k], 1e-4);
    EXPECT_NEAR(w / inertia, 3.0, 0.01);
    double angle = atan2(-(d.positions[0][2] - to[2]), d.positions[0][0] - to[0]) -
                   atan2(-(corner[2] - from[2]), corner[0] - from[0]);
    EXPECT_NEAR(remainder(angle - 1.5, 2 * acos(-1.0)), 0.0, 0.02, "3 rad/s for half a second");
    dressed_free(&d);
    sheet_free(&s);
}

/* ---- a frame of reference that moves ---- */

/* Where a runner is: along x faster and faster to frame 30, then he stops; and he turns. */
static void pose_of(int number, bool turns, double *x, double *angle)
{
    double t = number / 60.0;
    *x = number <= 30 ? 6.0 * t * t : 1.5;
    *angle = turns ? 2.0 * t + 0.5 * sin(4.0 * t) : 0.0;
}

/* From frame to frame, around him; and where he is. */
static void motion_of(int number, bool turns, float matrix[16], float centre[3])
{
    double x0, a0, x1, a1;
    pose_of(number, turns, &x0, &a0);
    pose_of(number + 1, turns, &x1, &a1);
    double c = cos(a1 - a0), s = sin(a1 - a0);
    const float turn[12] = {(float)c, 0, (float)-s, 0, 0, 1, 0, 0, (float)s, 0, (float)c, 0};
    memcpy(matrix, turn, sizeof turn);
    matrix[12] = (float)(x1 - c * x0);
    matrix[13] = 0;
    matrix[14] = (float)(s * x0);
    matrix[15] = 1;
    memcpy(centre, (const float[]){(float)x0, 0, 0}, 12);
}

typedef struct runner {
    float linear, angular;
    bool runs, turns, held, ball, plane; /* plane: tilted, in place of the ball */
    int save_at;                         /* frames, there it goes through a saved state; 0: no */
} runner;

/* A sheet over a ball or a plane; seen from the runner, if it runs. */
static void let_run(const runner *how, int frames, double (*seen)[3])
{
    sheet s = sheet_make(9, 0.4f);
    s.def.damping = 0.0f;
    s.def.linear_inertia = how->linear;
    s.def.angular_inertia = how->angular;
    if (how->held) s.inverse_masses[0] = s.inverse_masses[8] = 0.0f;
    for (uint32_t i = 0; i < 81 && !how->held && !how->ball && !how->plane; i++)
        s.positions[i][0] += 0.3f; /* beside the middle of the frame's motion */
    hed_cloth_def def = dressed_def(&s.def, 1);
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    if (!how->held && !how->ball && !how->plane) frame.gravity[1] = 0.0f;
    for (int f = 0; f < frames; f++) {
        float matrix[16];
        double x, angle;
        pose_of(f + 1, how->turns, &x, &angle);
        hed_cloth_collider obstacle = {
            .shape = HED_CLOTH_SPHERE, .radius = {0.1f}, .friction = 0.5f};
        const double at[3] = {0.15, -0.12, 0.2};
        if (!how->runs) x = angle = 0.0;
        obstacle.a[0] = (float)(x + cos(angle) * at[0] + sin(angle) * at[2]);
        obstacle.a[1] = (float)at[1];
        obstacle.a[2] = (float)(-sin(angle) * at[0] + cos(angle) * at[2]);
        if (how->plane) {
            const double normal[3] = {0.3, 0.9, 0.3};
            double length = sqrt(0.99);
            obstacle.shape = HED_CLOTH_PLANE;
            obstacle.b[0] = (float)((cos(angle) * normal[0] + sin(angle) * normal[2]) / length);
            obstacle.b[1] = (float)(normal[1] / length);
            obstacle.b[2] = (float)((cos(angle) * normal[2] - sin(angle) * normal[0]) / length);
        }
        frame.colliders = &obstacle;
        frame.collider_count = how->ball || how->plane;
        if (how->runs) {
            motion_of(f, how->turns, matrix, frame.motion_centre);
            frame.motion = matrix;
        }
        if (how->save_at && f == how->save_at) {
            uint64_t size = hed_cloth_save_size(d.cloth);
            void *state = malloc(size);
            OK(hed_cloth_save(d.cloth, state, &error));
            hed_cloth_destroy(d.cloth);
            OK(hed_cloth_create(here.device, &def, &d.cloth, &error));
            OK(hed_cloth_load(d.cloth, state, size, &error));
            free(state);
        }
        dressed_step(&d, &frame);
    }
    double x, angle;
    pose_of(frames, how->turns, &x, &angle);
    if (!how->runs) x = angle = 0.0;
    for (uint32_t i = 0; i < 81; i++) {
        double px = d.positions[i][0] - x, pz = d.positions[i][2];
        seen[i][0] = cos(angle) * px - sin(angle) * pz;
        seen[i][1] = d.positions[i][1];
        seen[i][2] = sin(angle) * px + cos(angle) * pz;
    }
    dressed_free(&d);
    sheet_free(&s);
}

static double farthest_apart(double (*a)[3], double (*b)[3])
{
    double most = 0.0;
    for (uint32_t i = 0; i < 81; i++)
        for (int k = 0; k < 3; k++) most = fmax(most, fabs(a[i][k] - b[i][k]));
    return most;
}

/* A runner whose cloth feels nothing looks as if he stood, to rounding, with what collides, too. */
Test(cloth_inertia, nothing_felt_is_standing)
{
    double standing[81][3], running[81][3], turning[81][3];
    for (int k = 0; k < 4; k++) {
        bool held = k % 2, plane = k / 2;
        runner how = {.ball = !plane, .plane = plane, .held = held};
        let_run(&how, 40, standing);
        how.runs = true;
        let_run(&how, 40, running);
        how.turns = true;
        let_run(&how, 40, turning);
        double apart = farthest_apart(standing, running),
               turned = farthest_apart(standing, turning);
        printf("held %d, plane %d: %.3g m, turning %.3g m\n", held, plane, apart, turned);
        EXPECT_LT(apart, 1e-4);
        EXPECT_LT(turned, 1e-4);
    }
}

/* Angle about the vertical of a sheet's first row. */
static double heading(double (*at)[3]) { return atan2(at[0][2] - at[8][2], at[8][0] - at[0][0]); }

/* What nothing holds stays where it is in the world if all is felt, however the frame turns; half
 * of it, and half of the way. */
Test(cloth_inertia, all_felt_is_the_world)
{
    double world[81][3], free_one[81][3];
    for (int turns = 0; turns < 2; turns++) {
        let_run(&(runner){0}, 40, world);
        let_run(&(runner){.runs = true, .turns = turns, .linear = 1, .angular = 1}, 40, free_one);
        double x, angle, first, apart = 0.0, middle[2] = {0}, begin[2] = {0};
        pose_of(40, turns, &x, &angle);
        pose_of(1, turns, &first, &(double){0});
        for (uint32_t i = 0; i < 81;
             i++) { /* back into the world; it was at rest in the first frame */
            double px = cos(angle) * free_one[i][0] + sin(angle) * free_one[i][2] + x;
            double pz = -sin(angle) * free_one[i][0] + cos(angle) * free_one[i][2];
            if (!turns) apart = fmax(apart, fabs(px - world[i][0] - 40 * first));
            if (!turns) apart = fmax(apart, fabs(pz - world[i][2]));
            middle[0] += px / 81;
            middle[1] += pz / 81;
            begin[0] += world[i][0] / 81;
            begin[1] += world[i][2] / 81;
        }
        if (!turns) EXPECT_LT(apart, 1e-4, "it goes on as in the first frame");
        /* its middle goes on along the chord of the first frame, and it spins on as in that */
        float matrix[16], centre[3];
        motion_of(0, turns, matrix, centre);
        for (int k = 0; k < 2; k++) {
            double chord = (double)matrix[2 * k] * begin[0] + (double)matrix[8 + 2 * k] * begin[1] +
                           (double)matrix[12 + 2 * k] - begin[k];
            EXPECT_NEAR(middle[k], begin[k] + 40 * chord, 1e-4, "turns: %d", turns);
        }
        double spun = angle - 40 * asin((double)matrix[8]) + heading(free_one) - heading(world);
        EXPECT_NEAR(remainder(spun, 2 * M_PI), 0, turns ? 0.2 : 1e-4, "turns: %d", turns);
        double size = 0.0; /* a square of 0.4 m has this diagonal still */
        for (int k = 0; k < 3; k++) size += pow(free_one[0][k] - free_one[80][k], 2);
        EXPECT_NEAR(sqrt(size), 0.4 * sqrt(2.0), 0.01);
    }
}

/* A part of it is that part of the way behind him when he stops. */
Test(cloth_inertia, a_share_is_felt)
{
    double none[81][3], half[81][3], all[81][3];
    let_run(&(runner){.runs = true}, 45, none);
    let_run(&(runner){.runs = true, .linear = 0.5f}, 45, half);
    let_run(&(runner){.runs = true, .linear = 1}, 45, all);
    EXPECT_GT(fabs(all[40][0] - none[40][0]), 0.3);
    EXPECT_NEAR(half[40][0] - none[40][0], 0.5 * (all[40][0] - none[40][0]), 1e-4);
}

Test(cloth_inertia, a_saved_state_goes_on)
{
    double through[81][3], saved[81][3];
    runner how = {.runs = true, .turns = true, .held = true, .linear = 0.6f, .angular = 0.3f};
    let_run(&how, 40, through);
    how.save_at = 20;
    let_run(&how, 40, saved);
    EXPECT_EQ(farthest_apart(through, saved), 0.0);
}

Test(cloth_inertia, what_is_refused)
{
    sheet s = sheet_make(3, 0.1f);
    hed_cloth *cloth;
    const struct {
        float *number, value;
        const char *words;
    } bad[] = {{&s.def.velocity[1], NAN, "velocity is nan"},
        {&s.def.angular_velocity[2], 2000.0f, "angular_velocity is 2000"},
        {&s.def.linear_inertia, 1.5f, "linear_inertia is 1.5"},
        {&s.def.angular_inertia, -0.5f, "angular_inertia is -0.5"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hed_cloth_def def = dressed_def(&s.def, 1);
        *bad[i].number = bad[i].value;
        FAILS(HED_ERROR_ARGUMENT, hed_cloth_create(here.device, &def, &cloth, &error));
        CHECK(strstr(error.text, bad[i].words), "%s", error.text);
        *bad[i].number = 0.0f;
    }
    sheet_free(&s);
}
