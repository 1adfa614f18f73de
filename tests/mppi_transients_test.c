/* ctest: devices */
/* Controllers after transients: for one to three solves a parameter, the state, a table, the plan
 * or the noise is at a limit of what is taken, and then as before. No control is ever NaN or
 * infinite, and a controller solves again within T solves. */
#include "mppi_random.h"

#include "model/controller.h"

TestSuite(mppi_transients, .init = here_open, .fini = here_close);

enum { LARGEST_TABLE = 1412, TABLES = 4 };

static hed_error error;

/* ---- definitions ---- */

static float table_values[TABLES][LARGEST_TABLE];
static hed_mppi_table tables[TABLES] = {{.name = "network", .count = LARGEST_TABLE},
    {.name = "obstacles", .count = 12}, {.name = "path", .count = 16},
    {.name = "costmap", .count = 16}};

static void fill_tables(void)
{
    static const float obstacles[12] = {2, 1, 1, 0, 3, 3, 0.3f, 0, -3, 2, 0.5f, 0},
                       path[16] = {0, 0, 1, 0, 1, 2, 1, 0, 1, 0, 0, 1, 1, 1, 1, 1.5f};
    for (int i = 0; i < LARGEST_TABLE; i++) table_values[0][i] = 0.1f * transient_share();
    memcpy(table_values[1], obstacles, sizeof obstacles);
    memcpy(table_values[2], path, sizeof path);
    for (int i = 0; i < TABLES; i++) tables[i].values = table_values[i];
}

/* True if the term runs with the model: it has the states that the term's text reads. */
static bool has_pose(const hed_mppi_model *model)
{
    return model->pose_x >= 0 && model->pose_heading >= 0 && model->speed >= 0 && model->turn >= 0;
}

static hed_mppi_term terms[4];

static void choose_terms(hed_mppi_def *def)
{
    static const char *const names[] = {"obstacles", "path_align", "costmap", "goal"};
    terms[0] = *hed_mppi_term_find("quadratic");
    def->terms = terms;
    def->term_count = 1;
    for (uint32_t i = 0; has_pose(def->model) && i < HED_COUNT(names) && def->term_count < 4; i++)
        if (transient_choice(2)) terms[def->term_count++] = *hed_mppi_term_find(names[i]);
}

static void choose_limits(hed_mppi_def *def)
{
    static const float limits[][2] = {{-3e38f, 3e38f}, {-1, 1}, {-INFINITY, INFINITY}, {-1, 3e38f}};
    uint32_t limit = transient_choice(2 * HED_COUNT(limits));
    for (uint32_t i = 0; i < def->model->controls; i++) {
        if (limit < HED_COUNT(limits)) {
            def->minimum[i] = limits[limit][0];
            def->maximum[i] = limits[limit][1];
        }
        if (transient_choice(4) == 0) def->rate[i] = 10;
    }
}

static hed_mppi_def choose_def(void)
{
    hed_mppi_def def = hed_default_mppi_def();
    uint32_t models = 0;
    while (hed_mppi_model_at(models)) models++;
    def.model = hed_mppi_model_at(transient_choice(models));
    def.tables = tables;
    def.table_count = TABLES;
    def.kind = transient_choice(HED_MPPI_KIND_COUNT);
    def.samples = 64;
    def.steps = 6 + transient_choice(8);
    def.count = 1 + transient_choice(2);
    def.iterations = 1 + transient_choice(2);
    def.seed = transient_word();
    def.sampler = transient_choice(HED_MPPI_SAMPLER_COUNT);
    def.knots = 4;
    choose_method(&def);
    choose_update(&def);
    choose_terms(&def);
    choose_limits(&def);
    return def;
}

/* ---- a closed loop ---- */

typedef struct loop {
    hed_mppi *controller;
    const hed_mppi_def *def; /* completed */
    float x[2 * HED_MPPI_MAX_STATES], u[2 * HED_MPPI_MAX_CONTROLS];
    float *noise; /* GIVEN; else NULL */
    hed_mppi_stats stats[2];
    uint64_t not_finite; /* numbers given out that are not finite */
    const char *where;   /* the first of them */
} loop;

static void see(loop *l, const float *values, uint64_t count, const char *where)
{
    if (!values || transient_finite(values, count) == count) return;
    if (!l->not_finite) l->where = where;
    l->not_finite++;
}

static void loop_start(loop *l)
{
    uint32_t nx = l->def->model->states;
    for (uint32_t i = 0; i < l->def->count; i++)
        memcpy(l->x + i * nx, l->def->model->start, nx * sizeof(float));
}

/* One solve, and all that it gives out. */
static void loop_solve(loop *l)
{
    const hed_mppi_def *def = l->def;
    uint64_t nx = def->model->states, nu = def->model->controls, steps = def->steps;
    float now[HED_MPPI_MAX_CONTROLS];
    OK(hed_mppi_solve(l->controller, l->x, l->u, l->stats, &error));
    see(l, l->u, def->count * nu, "controls to apply");
    for (uint32_t i = 0; i < def->count; i++) {
        const hed_mppi_stats *s = &l->stats[i];
        bool known = s->baseline == s->baseline && s->free_energy == s->free_energy &&
                     isfinite(s->ess) && isfinite(s->normalizer) && isfinite(s->lambda);
        see(l, &(float){known ? 0 : NAN}, 1, "statistics");
    }
    for (uint32_t i = 0; i < def->count; i++) {
        const float *gains = hed_mppi_gains(l->controller, i);
        see(l, hed_mppi_controls(l->controller, i), steps * nu, "plan");
        see(l, hed_mppi_states(l->controller, i), (steps + 1) * nx, "states");
        see(l, gains, steps * nu * nx, "gains");
        hed_mppi_control_at(l->controller, i, def->dt * transient_share() * 20, l->x + i * nx, now);
        see(l, now, nu, "hed_mppi_control_at()");
        float x[HED_MPPI_MAX_STATES], at = transient_choice(2) ? NAN : transient_number(def->dt);
        for (uint64_t k = 0; k < nx; k++) x[k] = transient_number(l->x[k]);
        hed_mppi_control_at(l->controller, i, at, x, now);
        see(l, now, nu, "hed_mppi_control_at() of a state at its limits");
    }
}

/* The model as the plant, back at its start where it left all reason. */
static void loop_move(loop *l)
{
    uint32_t nx = l->def->model->states, nu = l->def->model->controls;
    hed_mppi_shift(l->controller, 1);
    for (uint32_t i = 0; i < l->def->count; i++) {
        float *x = l->x + i * nx;
        bool far = false;
        mppi_step(l->controller, x, l->u + i * nu);
        for (uint32_t k = 0; k < nx; k++) far = far || !(fabsf(x[k]) < 1e3f);
        if (far) memcpy(x, l->def->model->start, nx * sizeof *x);
    }
}

static bool loop_solved(const loop *l)
{
    bool solved = true;
    for (uint32_t i = 0; i < l->def->count; i++)
        solved = solved && l->stats[i].outcome == HED_MPPI_SOLVED;
    return solved;
}

/* ---- transients ---- */

enum { PARAMETER, STATE, TABLE, PLAN, NOISE, SHIFT, KINDS };
static const char *const kind_names[KINDS] = {
    "a parameter", "the state", "a table", "the plan", "the noise", "a shift"};

static float some[1 << 15];

static void give_noise(loop *l, uint32_t broken)
{
    uint32_t count = l->def->steps * l->def->model->controls * l->def->samples;
    CHECK(count <= HED_COUNT(some));
    for (uint32_t i = 0; i < count; i++) {
        some[i] = transient_share() * l->def->sigma[0];
        if (broken && transient_choice(broken) == 0) some[i] = transient_number(some[i]);
    }
    OK(hed_mppi_set_noise(l->controller, some, &error));
}

static void change_table(loop *l, uint32_t at, bool broken)
{
    memcpy(some, table_values[at], tables[at].count * sizeof *some);
    for (uint32_t n = 0; broken && n < 4; n++) {
        uint32_t i = transient_choice(tables[at].count);
        some[i] = transient_number(some[i]);
    }
    OK(hed_mppi_post_table(l->controller, tables[at].name, some, tables[at].count, &error));
}

static void change_plan(loop *l)
{
    uint32_t count = l->def->count * l->def->steps * l->def->model->controls;
    for (uint32_t i = 0; i < count; i++) {
        some[i] = transient_choice(2) ? transient_number(1) : 0;
        if (transient_choice(16) == 0) some[i] = NAN;
    }
    hed_mppi_reset(l->controller, some);
}

/* What `kind` changes, for up to three solves, and back. Gives the parameter. */
static uint32_t transient(loop *l, uint32_t kind, float *value)
{
    float before[HED_MPPI_MAX_PARAMETERS];
    uint32_t parameters = hed_mppi_describe(l->controller).parameter_count, solves, at;
    uint32_t states = l->def->count * l->def->model->states, first = transient_choice(parameters);
    uint32_t table = transient_choice(TABLES);
    for (uint32_t i = 0; i < parameters; i++) hed_mppi_parameter_at(l->controller, i, &before[i]);
    at = first;
    for (solves = 1 + transient_choice(3); solves; solves--) {
        if (kind == PARAMETER) {
            *value = transient_number(before[at]);
            CHECK(hed_mppi_post(l->controller, at, *value));
        }
        for (uint32_t i = 0; kind == STATE && i < states; i++)
            if (transient_choice(2)) l->x[i] = transient_number(l->x[i]);
        if (kind == TABLE) change_table(l, table, true);
        if (kind == PLAN) change_plan(l);
        if (kind == NOISE && l->noise) give_noise(l, 1 + transient_choice(100));
        loop_solve(l);
        uint32_t far = 1u << transient_choice(32);
        hed_mppi_shift(l->controller, kind == SHIFT ? far : transient_choice(3));
    }
    for (uint32_t i = 0; i < parameters; i++) CHECK(hed_mppi_post(l->controller, i, before[i]));
    if (kind == TABLE) change_table(l, table, false);
    if (l->noise) give_noise(l, 0);
    loop_start(l);
    return at;
}

/* ---- the search ---- */

typedef struct tally {
    uint64_t group; /* its seed */
    uint32_t each, done, stuck, broken, slowest, fallen;
} tally;

/* A controller of a definition that solves by itself; NULL: this one does not. */
static bool loop_make(loop *l, const hed_mppi_def *def)
{
    hed_error refused = {0};
    memset(l, 0, sizeof *l);
    if (hed_mppi_create(here.device, def, &l->controller, &refused)) {
        CHECK(refused.status == HED_ERROR_ARGUMENT || refused.status == HED_ERROR_UNSUPPORTED, "%s",
            refused.text);
        return false;
    }
    l->def = hed_mppi_describe(l->controller).def;
    if (def->sampler == HED_MPPI_GIVEN) {
        l->noise = some;
        give_noise(l, 0);
    }
    loop_start(l);
    bool good = true;
    for (uint32_t n = 0; n < 2 * l->def->steps; n++) {
        loop_solve(l);
        good = good && loop_solved(l);
        loop_move(l);
    }
    if (good) return true;
    hed_mppi_destroy(l->controller);
    return false;
}

/* Half a horizon of good solves in a row counts as recovered; gives the solve that they begin
 * with. */
static uint32_t recover(loop *l)
{
    uint32_t steps = l->def->steps, good = 0;
    for (uint32_t n = 1; n <= 2 * steps; n++) {
        loop_solve(l);
        loop_move(l);
        good = loop_solved(l) ? good + 1 : 0;
        if (good == (steps + 1) / 2) return n - good + 1;
    }
    return UINT32_MAX;
}

static void try_one(loop *l, tally *t)
{
    uint32_t kind = transient_choice(KINDS);
    float value = 0;
    l->not_finite = 0;
    uint32_t at = transient(l, kind, &value), needed = recover(l);
    bool stuck = needed > l->def->steps;
    /* One solve without a plan can let the plant fall to where most samples crash. It is put back
     * at its start, where a controller that is stuck fails as well. */
    if (stuck) {
        loop_start(l);
        needed = recover(l);
        stuck = needed > l->def->steps;
        t->fallen += !stuck;
    }
    const char *name = hed_mppi_parameter_at(l->controller, at, NULL);
    t->stuck += stuck;
    t->broken += l->not_finite > 0;
    if (needed > t->slowest && !stuck) t->slowest = needed;
    EXPECT(!stuck && !l->not_finite,
        "transient %u of seed %llu, %s, kind %d, sampler %d: %s%s%s at %g: %s (%u steps), not finite: %s",
        t->done % t->each, (unsigned long long)t->group, l->def->model->name, (int)l->def->kind,
        (int)l->def->sampler, kind_names[kind], kind == PARAMETER ? " " : "",
        kind == PARAMETER ? name : "", (double)value, stuck ? "stuck" : "recovered", l->def->steps,
        l->not_finite ? l->where : "none");
    t->done++;
    if (stuck) {
        hed_mppi_reset(l->controller, NULL);
        for (uint32_t n = 0; n < l->def->steps; n++) loop_solve(l), loop_move(l);
    }
}

Test(mppi_transients, none_outlasts_the_horizon, .timeout = 3600)
{
    bool host = !strcmp(hed_device_describe(here.device).backend, "host");
    uint32_t wanted = host ? transient_count(400) : transient_count(1000) / 100;
    tally t = {.each = host ? 20 : 5};
    while (t.done < wanted) {
        loop l;
        t.group = transient_begin();
        fill_tables();
        hed_mppi_def def = choose_def();
        if (!loop_make(&l, &def)) continue;
        for (uint32_t n = 0; n < t.each; n++) try_one(&l, &t);
        hed_mppi_destroy(l.controller);
    }
    test_note(
        "%u transients: %u stuck, %u with a number out that is not finite, at most %u solves; %u plants fell",
        t.done, t.stuck, t.broken, t.slowest, t.fallen);
}
