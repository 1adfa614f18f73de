/* ctest: devices */
/* Closed loops: random controllers of all models drive disturbed plants from starts in motion, whose angles are
 * wrapped as a localization wraps them. No control is NaN, beyond a limit or a rate; every missed
 * deadline and every solve whose samples all crashed is reported. HEDDLE_TEST_TRANSIENTS="COUNT
 * SEED" takes COUNT steps; loops have a seed each, which a failure names. */
#include "mppi_random.h"

#include "heddle/mppi_scene.h"
#include "model/controller.h"

TestSuite(mppi_loops, .init = here_open, .fini = here_close);

enum { WEIGHTS = 1412, CELLS = 20, TABLES = 4, LOOP_STEPS = 100, TRACED_EVERY = 5, MOST_COUNT = 2 };

static float weights[WEIGHTS], room[HED_MPPI_GRID_HEAD + CELLS * CELLS];
static hed_mppi_table tables[TABLES] = {{.name = "network", .values = weights, .count = WEIGHTS},
    {.name = "obstacles", .count = 12}, {.name = "path", .count = 16},
    {.name = "costmap", .values = room, .count = HED_COUNT(room)}};
static hed_mppi_term terms[5];

/* ---- controllers ---- */

/* A room of 10 x 10 m with walls, in which a tenth of the cells is lethal, or half of them. */
static void fill_tables(void)
{
    static const float obstacles[12] = {2, 1, 1, 0, 3, 3, 0.3f, 0, -3, 2, 0.5f, 0},
                       path[16] = {0, 0, 1, 0, 1, 2, 1, 0, 1, 0, 0, 1, 1, 1, 1, 1.5f};
    static float cells[CELLS * CELLS];
    uint32_t empty = transient_choice(2) ? 2 : 10;
    for (int i = 0; i < WEIGHTS; i++) weights[i] = 0.1f * transient_share();
    for (int i = 0; i < CELLS * CELLS; i++) {
        bool wall =
            i < CELLS || i >= CELLS * (CELLS - 1) || i % CELLS == 0 || i % CELLS == CELLS - 1;
        cells[i] = wall || transient_choice(empty) == 0 ? 1 : 0;
    }
    const hed_mppi_map map = {
        .width = CELLS, .height = CELLS, .resolution = 0.5, .x = -5, .y = -5, .values = cells};
    hed_mppi_map_table(&map, cells, room);
    tables[1].values = obstacles;
    tables[2].values = path;
}

static void choose_terms(hed_mppi_def *def)
{
    static const char *const names[] = {"costmap", "obstacles", "path_align", "goal"};
    const hed_mppi_model *model = def->model;
    bool has_pose = model->pose_x >= 0 && model->pose_heading >= 0 && model->speed >= 0;
    terms[0] = *hed_mppi_term_find("quadratic");
    def->terms = terms;
    def->term_count = 1;
    for (uint32_t i = 0; has_pose && i < HED_COUNT(names); i++)
        if (transient_choice(2)) terms[def->term_count++] = *hed_mppi_term_find(names[i]);
}

static void choose_limits(hed_mppi_def *def)
{
    for (uint32_t i = 0; i < def->model->controls; i++) {
        float low = def->model->minimum[i], high = def->model->maximum[i];
        float range = high > low ? high - low : 2;
        if (transient_choice(4) == 0) { /* narrower, and not about 0 */
            def->minimum[i] = high > low ? low + 0.3f * range : -0.7f;
            def->maximum[i] = def->minimum[i] + 0.5f * range;
        }
        if (transient_choice(16) == 0) def->limits_given |= 1u << i; /* 0 to 0: switched off */
        if (transient_choice(2)) def->rate[i] = range * (0.5f + 2 * fabsf(transient_share()));
        if (transient_choice(3) == 0)
            def->deceleration[i] = range * (1 + 4 * fabsf(transient_share()));
    }
}

static hed_mppi_def choose_def(void)
{
    static const uint64_t deadlines[] = {0, 0, 0, 20000, 200000, 2000000};
    hed_mppi_def def = hed_default_mppi_def();
    uint32_t models = 0;
    while (hed_mppi_model_at(models)) models++;
    def.model = hed_mppi_model_at(transient_choice(models));
    def.tables = tables;
    def.table_count = TABLES;
    def.kind = transient_choice(HED_MPPI_KIND_COUNT);
    def.samples = 64;
    def.steps = 6 + transient_choice(12);
    def.count = 1 + transient_choice(MOST_COUNT);
    def.iterations = 1 + transient_choice(2);
    def.seed = transient_word();
    def.sampler = transient_choice(HED_MPPI_GIVEN);
    def.exponent[0] = def.exponent[1] = (float)transient_choice(3);
    def.knots = 4;
    choose_method(&def);
    def.value_threshold = transient_choice(2) ? 10 : 1e30f;
    def.deadline_ns = deadlines[transient_choice(HED_COUNT(deadlines))];
    choose_update(&def);
    choose_terms(&def);
    choose_limits(&def);
    return def;
}

/* ---- a loop ---- */

typedef struct loop {
    hed_mppi *controller;
    const hed_mppi_def *def; /* completed */
    uint64_t seed;
    uint32_t step;
    float x[MOST_COUNT * HED_MPPI_MAX_STATES], u[MOST_COUNT * HED_MPPI_MAX_CONTROLS];
    float before[MOST_COUNT * HED_MPPI_MAX_CONTROLS]; /* controls that the actuators had last */
    hed_mppi_stats stats[MOST_COUNT];
} loop;

typedef struct tally {
    uint32_t steps, loops, violations, missed, cut, crashed, diverged, checked;
} tally;

static void fault(
    const loop *l, tally *t, const char *rule, uint32_t i, double value, double expected)
{
    t->violations++;
    EXPECT(false, "seed %llu, step %u, %s, kind %d, update %d, sampler %d: %s %u: %g; expected %g",
        (unsigned long long)l->seed, l->step, l->def->model->name, (int)l->def->kind,
        (int)l->def->update, (int)l->def->sampler, rule, i, value, expected);
}

/* Wraps angles to -pi to pi. */
static void wrap(const loop *l, float *x)
{
    uint32_t angles = l->controller->model.angles;
    for (uint32_t i = 0; i < l->def->model->states; i++)
        if (angles >> i & 1) x[i] = (float)remainder((double)x[i], 6.283185307179586);
}

/* Puts robot `i` at a start in motion, sometimes near the seam of its angles. */
static void put(loop *l, uint32_t i)
{
    const hed_mppi_model *model = l->def->model;
    float *x = l->x + i * model->states;
    for (uint32_t n = 0; n < model->states; n++) x[n] = model->start[n] + transient_share();
    for (uint32_t n = 0; n < model->states; n++)
        if (l->controller->model.angles >> n & 1 && transient_choice(2))
            x[n] = (transient_choice(2) ? 3.14f : -3.14f) + 0.01f * transient_share();
    wrap(l, x);
}

/* Limits, then rates, which have precedence: a robot beyond its limits comes back at its rates. */
static float held(const loop *l, uint32_t i, float u, float before)
{
    const hed_mppi_def *d = l->def;
    float up = mppi_reach(l->controller, i), down = mppi_brake(l->controller, i);
    u = fminf(fmaxf(u, d->minimum[i]), d->maximum[i]);
    if (!(up > 0)) return u;
    float fall = before > 0 ? down : up, rise = before < 0 ? down : up;
    return fminf(fmaxf(u, before - fall), before + rise);
}

static void check_controls(loop *l, tally *t)
{
    uint32_t nu = l->def->model->controls;
    for (uint32_t j = 0; j < l->def->count * nu; j++) {
        float u = l->u[j], wanted = held(l, j % nu, u, l->before[j]);
        if (!isfinite(u)) fault(l, t, "control is not finite", j, (double)u, 0);
        else if (fabsf(u - wanted) > 1e-5f * (1 + fabsf(u)))
            fault(l, t, "limits and rates of control", j, (double)u, (double)wanted);
    }
}

/* Between two solves, as a motor loop asks for. */
static void check_between(loop *l, tally *t)
{
    uint32_t nx = l->def->model->states, nu = l->def->model->controls;
    float share = fabsf(transient_share()), u[HED_MPPI_MAX_CONTROLS], x[HED_MPPI_MAX_STATES];
    for (uint32_t i = 0; i < l->def->count; i++) {
        for (uint32_t k = 0; k < nx; k++) x[k] = l->x[i * nx + k] + transient_share();
        hed_mppi_control_at(l->controller, i, share * l->def->dt, x, u);
        for (uint32_t k = 0; k < nu; k++) {
            float first = l->u[i * nu + k], low = fminf(l->def->minimum[k], first),
                  high = fmaxf(l->def->maximum[k], first);
            float most = fmaxf(mppi_reach(l->controller, k), mppi_brake(l->controller, k));
            if (!isfinite(u[k]) || u[k] < low || u[k] > high)
                fault(l, t, "control between solves", k, (double)u[k], (double)first);
            else if (most > 0 && fabsf(u[k] - first) > most * share + 1e-5f * (1 + fabsf(first)))
                fault(l, t, "rate between solves", k, (double)(u[k] - first), (double)(most * share));
        }
    }
}

/* Reports agree with the clock, with the number of samples, and with the samples' costs. */
static void check_reports(loop *l, tally *t, uint64_t took)
{
    uint64_t limit = l->def->deadline_ns;
    for (uint32_t i = 0; i < l->def->count; i++) {
        const hed_mppi_stats *s = &l->stats[i];
        if (s->missed != (limit && s->solve_ns > limit) || took < s->solve_ns)
            fault(l, t, "missed deadline", i, (double)s->solve_ns, (double)limit);
        if (!limit && (s->outcome == HED_MPPI_DEADLINE || s->samples != l->def->samples))
            fault(l, t, "samples without deadline", i, s->samples, l->def->samples);
        if (s->outcome == HED_MPPI_SOLVED && (s->crashed >= 1 || !(s->baseline < 1e30f)))
            fault(l, t, "crashed fraction of a solved round", i, (double)s->crashed, 1);
        t->missed += s->missed;
        t->cut += s->outcome == HED_MPPI_DEADLINE;
        t->crashed += s->outcome == HED_MPPI_ALL_CRASHED;
        t->diverged += s->outcome == HED_MPPI_DIVERGED;
    }
    bool traced = l->def->kind == HED_MPPI_PLAIN && l->def->rollouts == 1 && !limit;
    if (!traced || l->step % TRACED_EVERY) return;
    for (uint32_t i = 0; i < l->def->count; i++) {
        float costs[64];
        hed_error error = {0};
        uint32_t out = 0;
        OK(hed_mppi_trace(l->controller, i, 64, false, NULL, costs, &error));
        for (uint32_t k = 0; k < 64; k++) out += !(costs[k] < 1e30f);
        t->checked++;
        if ((out == 64) != (l->stats[i].outcome == HED_MPPI_ALL_CRASHED))
            fault(l, t, "all samples in collision", i, out, 64);
    }
}

static void move(loop *l)
{
    uint32_t nx = l->def->model->states, nu = l->def->model->controls;
    memcpy(l->before, l->u, l->def->count * nu * sizeof(float));
    if (transient_choice(8) == 0) { /* the actuators did less than they were told */
        for (uint32_t j = 0; j < l->def->count * nu; j++) l->before[j] *= 0.9f;
        hed_mppi_set_applied(l->controller, l->before);
    }
    hed_mppi_shift(l->controller, 1);
    for (uint32_t i = 0; i < l->def->count; i++) {
        float *x = l->x + i * nx;
        bool far = false;
        mppi_step(l->controller, x, l->before + i * nu);
        for (uint32_t k = 0; k < nx; k++) {
            if (transient_choice(16) == 0) x[k] += 0.1f * transient_share(); /* a push */
            far = far || !(fabsf(x[k]) < 100);
        }
        wrap(l, x);
        if (far) put(l, i);
    }
}

/* Runs a loop of a random controller; false: the definition is not allowed. */
static bool run_loop(tally *t)
{
    loop l = {.seed = transient_begin()};
    hed_error error = {0};
    fill_tables();
    hed_mppi_def def = choose_def();
    if (hed_mppi_create(here.device, &def, &l.controller, &error)) {
        CHECK(error.status == HED_ERROR_ARGUMENT || error.status == HED_ERROR_UNSUPPORTED, "%s",
            error.text);
        return false;
    }
    l.def = hed_mppi_describe(l.controller).def;
    for (uint32_t i = 0; i < l.def->count; i++) put(&l, i);
    uint32_t nx = l.def->model->states, nu = l.def->model->controls;
    for (uint32_t j = 0; j < l.def->count * nu; j++) { /* the history that the model measures */
        uint32_t measured = l.def->model->measured_by[j % nu];
        if (measured) l.before[j] = l.x[j / nu * nx + measured - 1];
    }
    for (; l.step < LOOP_STEPS; l.step++, t->steps++) {
        uint64_t begin = hed_now();
        OK(hed_mppi_solve(l.controller, l.x, l.u, l.stats, &error));
        uint64_t took = hed_now() - begin;
        check_controls(&l, t);
        check_between(&l, t);
        check_reports(&l, t, took);
        move(&l);
    }
    t->loops++;
    hed_mppi_destroy(l.controller);
    return true;
}

Test(mppi_loops, limits_hold_and_faults_are_reported, .timeout = 3600)
{
    bool host = !strcmp(hed_device_describe(here.device).backend, "host");
    uint32_t wanted = host ? transient_count(10000) : transient_count(10000) / 100;
    tally t = {0};
    while (t.steps < wanted) run_loop(&t);
    test_note(
        "%u steps of %u loops, seeds up to %llu: %u violations; %u deadlines missed and %u kept with fewer samples, %u "
        "all-collision and %u diverged solves reported, %u compared with their samples",
        t.steps, t.loops, (unsigned long long)(transient_group - 1), t.violations, t.missed, t.cut,
        t.crashed, t.diverged, t.checked);
}
