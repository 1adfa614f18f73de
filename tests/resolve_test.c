/* ctest: devices */
/* Which configuration a launch runs with: tuned for its size, near it, given, or the default; and
 * constraints and conditions as part of what is valid. The kernel writes down its own parameters,
 * so that what ran is known from its results. */
#include "folder.h"

#include "database/database_file.h"

static hed_error error;
static int warnings;
static char last_warning[2048];

TestSuite(resolve, .init = folder_make, .fini = folder_remove);

static void remember(void *user, hed_log_level level, const char *message)
{
    (void)user;
    if (level > HED_LOG_WARNING) return;
    snprintf(last_warning, sizeof last_warning, "%s", message);
    warnings++;
}

/* ---- the kernel ---- */

static const char text[] = "__kernel void which(__global int *out, int n)\n"
                           "{\n"
                           "#if TILE == 8\n"
                           "#error this one does not build\n"
                           "#endif\n"
                           "    int i = (int)get_global_id(0);\n"
                           "    if (i < n) out[i] = WG * 100 + TILE;\n"
                           "}\n";
static const hed_source source = {"which.cl", text, 0};
static const hed_argument_def arguments[] = {
    {.name = "out", .kind = HED_BUFFER, .type = HED_INT32, .access = HED_WRITE},
    {.name = "n", .kind = HED_SCALAR, .type = HED_INT32}};
static const int64_t groups[] = {16, 32, 64, 128, 1 << 20}, tiles[] = {1, 2, 4, 8},
                     modes[] = {0, 1};
static const hed_parameter_def parameters[] = {
    {"WG", groups, 5, 16, NULL}, {"TILE", tiles, 4, 1, NULL}, {"MODE", modes, 2, 0, NULL}};
static const char *const dimensions[] = {"n"};
static const char *const constraints[] = {"WG * TILE <= 512", "WG <= max_group", "n % TILE == 0"};
static const hed_condition conditions[] = {{"MODE", "TILE > 1"}};

static void which_range(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    int32_t *out = call->arguments[0];
    int64_t value = hed_config_get(call->def, call->config, "WG") * 100 +
                    hed_config_get(call->def, call->config, "TILE");
    for (uint64_t i = begin; i < end; i++) out[i] = (int32_t)value;
}

static void which_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *g)
{
    *g = (hed_geometry){.dimensions = 1, .global = {(uint64_t)problem->sizes[0]},
        .group = {(uint32_t)hed_config_get(def, config, "WG")}};
    g->native_items = (uint64_t)problem->sizes[0];
}

static const hed_kernel_def which = {.name = "which", .sources = &source, .source_count = 1,
    .arguments = arguments, .argument_count = 2, .parameters = parameters, .parameter_count = 3,
    .constraints = constraints, .constraint_count = 3, .conditions = conditions,
    .condition_count = 1, .dimensions = dimensions, .dimension_count = 1,
    .geometry = which_geometry, .range = which_range};

/* ---- a device with a database ---- */

enum { MOST = 4096 };

typedef struct bench {
    test_device t;
    hed_buffer *out;
    bool compiles;
} bench;

static bench bench_open(const char *database)
{
    bench b;
    hed_context_def def = hed_default_context_def();
    hed_buffer_def buffer = hed_default_buffer_def(MOST * sizeof(int32_t));
    def.logger = (hed_logger){.log = remember, .level = HED_LOG_WARNING};
    def.cache_dir = in_folder("cache");
    def.database = database;
    b.t = test_open(&def);
    b.compiles = hed_device_describe(b.t.device).capabilities & HED_CAN_SOURCE;
    warnings = 0;
    OK(hed_buffer_create(b.t.device, &buffer, &b.out, &error));
    return b;
}

static void bench_close(bench *b)
{
    hed_buffer_destroy(b->out);
    test_close(&b->t);
}

/* Puts a choice for a size into the database. `driver` NULL: this one. */
static void choose(bench *b, int64_t n, hed_config config, const char *driver)
{
    hed_problem problem = hed_problem_1d(n);
    hed_tune_key key;
    int64_t session;
    hed_evaluation e = {.config = config, .outcome = HED_OUTCOME_MEASURED, .seconds = 1e-3,
        .low = 1e-3, .high = 1e-3};
    hed_tune_key_of_kernel(
        b->t.device, &which, HED_MATH_FAST, NULL, 0, &problem, HED_OBJECTIVE_TIME, &key);
    hed_device_info other = *key.device;
    if (driver) other.driver = driver;
    key.device = &other;
    OK(hed_database_begin(hed_context_database(b->t.context), &key, "a test", &session, &error));
    OK(hed_database_choose(hed_context_database(b->t.context), session, &key, &e, &error));
}

static hed_config config_of(int64_t group, int64_t tile)
{
    return (hed_config){3, {group, tile, 0}};
}

static hed_kernel *create(bench *b, int64_t n, const hed_config *config)
{
    hed_kernel *kernel;
    hed_problem problem = hed_problem_1d(n);
    hed_kernel_options options = hed_default_kernel_options();
    options.problem = n ? &problem : NULL;
    options.config = config;
    OK(hed_kernel_create(b->t.device, &which, &options, &kernel, &error));
    return kernel;
}

static void launch(bench *b, hed_kernel *kernel, int64_t n)
{
    hed_problem problem = hed_problem_1d(n);
    hed_argument list[] = {hed_buffer_argument(b->out), hed_int_argument((int32_t)n)};
    OK(hed_launch(b->t.stream, kernel, &problem, list, 2, &error));
}

static void expect_ran(bench *b, int64_t n, int64_t group, int64_t tile)
{
    static int32_t values[MOST];
    OK(hed_read(b->t.stream, values, b->out, 0, (uint64_t)n * sizeof values[0], &error));
    OK(hed_stream_wait(b->t.stream, &error));
    for (int64_t i = 0; i < n; i++)
        CHECK_EQ(values[i], group * 100 + tile, "element %lld is %d", (long long)i, values[i]);
}

static void expect_config(const hed_kernel *kernel, int64_t group, hed_config_origin expected)
{
    hed_config_origin configured;
    hed_config config = hed_kernel_config(kernel, &configured);
    EXPECT(config.values[0] == group && configured == expected, "WG=%lld, %s",
        (long long)config.values[0], hed_config_origin_name(configured));
}

/* Launches, waits until whatever that has begun is compiled, and launches again. */
static void launch_settled(bench *b, hed_kernel *kernel, int64_t n)
{
    launch(b, kernel, n);
    while (hed_kernel_ready(kernel, &error) == HED_ERROR_NOT_READY) usleep(1000);
    launch(b, kernel, n);
}

/* ---- tests ---- */

Test(resolve, nothing_is_known)
{
    bench b = bench_open(in_folder("a.db"));
    hed_kernel *kernel = create(&b, 1000, NULL);
    expect_config(kernel, 16, HED_ORIGIN_DEFAULT);
    launch(&b, kernel, 512);
    expect_ran(&b, 512, 16, 1);
    expect_config(kernel, 16, HED_ORIGIN_DEFAULT);
    EXPECT(access(in_folder("a.db"), F_OK) != 0, "launches make no file");
    hed_kernel_destroy(kernel);
    bench_close(&b);
}

Test(resolve, the_tuned_configuration_of_its_size)
{
    bench b = bench_open(in_folder("a.db"));
    choose(&b, 1000, config_of(64, 2), NULL);
    choose(&b, 3000, config_of(32, 4), NULL);
    choose(&b, 2000, config_of(128, 1), "an older driver");
    hed_kernel *kernel = create(&b, 1000, NULL);
    expect_config(kernel, 64, HED_ORIGIN_EXACT);
    launch(&b, kernel, 1000);
    expect_ran(&b, 1000, 64, 2);
    launch(&b, kernel, 900);
    expect_config(kernel, 64, HED_ORIGIN_NEAR_SIZE);
    launch(&b, kernel, 1000);
    expect_config(kernel, 64, HED_ORIGIN_EXACT);
    launch(&b, kernel, 3000); /* what stands in is not what was tuned for this size */
    expect_config(
        kernel, b.compiles ? 64 : 32, b.compiles ? HED_ORIGIN_NEAR_SIZE : HED_ORIGIN_EXACT);
    expect_ran(&b, 3000, b.compiles ? 64 : 32, b.compiles ? 2 : 4);
    launch_settled(&b, kernel, 3000);
    expect_config(kernel, 32, HED_ORIGIN_EXACT);
    expect_ran(&b, 3000, 32, 4);
    launch_settled(&b, kernel, 2000);
    expect_config(kernel, 128, HED_ORIGIN_OTHER_DRIVER);
    expect_ran(&b, 2000, 128, 1);
    for (int i = 0; i < 3; i++) { /* what is compiled is taken at once */
        launch(&b, kernel, 1000);
        expect_config(kernel, 64, HED_ORIGIN_EXACT);
        launch(&b, kernel, 3000);
        expect_config(kernel, 32, HED_ORIGIN_EXACT);
        expect_ran(&b, 3000, 32, 4);
    }
    hed_kernel_destroy(kernel);
    kernel = create(&b, 0, NULL); /* any size is near */
    expect_config(kernel, 32, HED_ORIGIN_NEAR_SIZE);
    launch_settled(&b, kernel, 1000);
    expect_config(kernel, 64, HED_ORIGIN_EXACT);
    hed_kernel_destroy(kernel);
    bench_close(&b);
    EXPECT_EQ(warnings, 0, "%s", last_warning);
}

Test(resolve, a_given_configuration_stays)
{
    bench b = bench_open(in_folder("a.db"));
    hed_config given = config_of(32, 1);
    hed_kernel_options options = hed_default_kernel_options();
    choose(&b, 1000, config_of(64, 2), NULL);
    hed_kernel *kernel = create(&b, 1000, &given);
    for (int64_t n = 1000; n <= 3000; n += 1000) {
        launch_settled(&b, kernel, n);
        expect_config(kernel, 32, HED_ORIGIN_GIVEN);
        expect_ran(&b, n, 32, 1);
    }
    OK(hed_kernel_reconfigure(kernel, &options, &error)); /* now it is free */
    launch_settled(&b, kernel, 1000);
    expect_config(kernel, 64, HED_ORIGIN_EXACT);
    options.config = &given;
    OK(hed_kernel_reconfigure(kernel, &options, &error));
    launch(&b, kernel, 1000);
    expect_config(kernel, 32, HED_ORIGIN_GIVEN);
    hed_kernel_destroy(kernel);
    bench_close(&b);
}

Test(resolve, a_recorded_graph_keeps_what_it_recorded)
{
    bench b = bench_open(in_folder("a.db"));
    hed_graph *graph;
    choose(&b, 1000, config_of(64, 2), NULL);
    choose(&b, 3000, config_of(32, 4), NULL);
    hed_kernel *kernel = create(&b, 1000, NULL);
    OK(hed_graph_begin(b.t.stream, &error));
    launch(&b, kernel, 1000);
    OK(hed_graph_end(b.t.stream, &graph, &error));
    launch_settled(&b, kernel, 3000);
    expect_ran(&b, 3000, 32, 4);
    OK(hed_graph_replay(graph, b.t.stream, &error));
    expect_ran(&b, 1000, 64, 2);
    hed_kernel_destroy(kernel);
    OK(hed_graph_replay(graph, b.t.stream, &error));
    expect_ran(&b, 1000, 64, 2);
    hed_graph_destroy(graph);
    bench_close(&b);
}

/* 1001 is odd: no tile but 1 fits. 2^20 work items fit no device. */
Test(resolve, what_is_not_valid_for_device_or_size_is_passed_over)
{
    bench b = bench_open(in_folder("a.db"));
    choose(&b, 1001, config_of(32, 1), "an older driver");
    choose(&b, 1001, config_of(64, 2), NULL);
    choose(&b, 1000, config_of(1 << 20, 1), NULL);
    hed_kernel *kernel = create(&b, 1001, NULL);
    expect_config(kernel, 32, HED_ORIGIN_OTHER_DRIVER);
    launch_settled(&b, kernel, 1000);
    expect_config(kernel, 64, HED_ORIGIN_NEAR_SIZE);
    launch_settled(&b, kernel, 999);
    expect_config(kernel, 32, HED_ORIGIN_NEAR_SIZE);
    expect_ran(&b, 999, 32, 1);
    hed_kernel_destroy(kernel);
    bench_close(&b);
    EXPECT_EQ(warnings, 0, "%s", last_warning);
}

Test(resolve, what_does_not_build_is_passed_over)
{
    bench b = bench_open(in_folder("a.db"));
    choose(&b, 1000, config_of(32, 8), NULL);
    choose(&b, 1000, config_of(64, 2), "an older driver");
    choose(&b, 2000, config_of(128, 1), NULL);
    for (int background = 0; background < 2; background++) {
        hed_kernel_options options = hed_default_kernel_options();
        hed_problem problem = hed_problem_1d(1000);
        hed_kernel *kernel;
        options.problem = &problem;
        options.background = background;
        warnings = 0;
        OK(hed_kernel_create(b.t.device, &which, &options, &kernel, &error));
        while (hed_kernel_ready(kernel, &error) == HED_ERROR_NOT_READY) usleep(1000);
        expect_config(
            kernel, b.compiles ? 64 : 32, b.compiles ? HED_ORIGIN_OTHER_DRIVER : HED_ORIGIN_EXACT);
        EXPECT_EQ(warnings, b.compiles ? 1 : 0, "%d: %s", warnings, last_warning);
        launch_settled(&b, kernel, 2000);
        expect_ran(&b, 2000, 128, 1);
        launch_settled(&b, kernel, 1000);
        expect_config(
            kernel, b.compiles ? 64 : 32, b.compiles ? HED_ORIGIN_OTHER_DRIVER : HED_ORIGIN_EXACT);
        EXPECT_EQ(warnings, b.compiles ? 1 : 0, "told once: %s", last_warning);
        hed_kernel_destroy(kernel);
    }
    bench_close(&b);
}

Test(resolve, it_fails_while_launches_go_on)
{
    bench b = bench_open(in_folder("a.db"));
    choose(&b, 1000, config_of(64, 2), NULL);
    choose(&b, 2000, config_of(32, 8), NULL);
    hed_kernel *kernel = create(&b, 1000, NULL);
    launch_settled(&b, kernel, 2000);
    if (b.compiles) {
        expect_config(kernel, 64, HED_ORIGIN_NEAR_SIZE);
        expect_ran(&b, 2000, 64, 2);
    }
    EXPECT_EQ(warnings, b.compiles ? 1 : 0, "%s", last_warning);
    hed_kernel_destroy(kernel);
    bench_close(&b);
}

/* Destroyed while something is being built for it. */
Test(resolve, destroyed_while_building)
{
    bench b = bench_open(in_folder("a.db"));
    choose(&b, 1000, config_of(64, 2), NULL);
    choose(&b, 2000, config_of(32, 4), NULL);
    hed_kernel *kernel = create(&b, 1000, NULL);
    launch(&b, kernel, 2000);
    OK(hed_stream_wait(b.t.stream, &error));
    hed_kernel_destroy(kernel);
    bench_close(&b);
}

Test(resolve, strict_and_fast_are_two_keys)
{
    bench b = bench_open(in_folder("a.db"));
    hed_kernel_options options = hed_default_kernel_options();
    hed_problem problem = hed_problem_1d(1000);
    hed_kernel *kernel;
    if (!(hed_device_describe(b.t.device).capabilities & HED_CAN_STRICT))
        test_skip("no strict mode");
    choose(&b, 1000, config_of(64, 2), NULL);
    options.problem = &problem;
    options.math = HED_MATH_STRICT;
    OK(hed_kernel_create(b.t.device, &which, &options, &kernel, &error));
    expect_config(kernel, 16, HED_ORIGIN_DEFAULT);
    hed_kernel_destroy(kernel);
    bench_close(&b);
}

/* Another text, another define: results of the old one are not taken. New values of a parameter
 * change nothing. */
Test(resolve, the_key_is_the_text)
{
    static const int64_t more[] = {8, 16, 32, 64, 128, 256, 1 << 20};
    hed_parameter_def grown[] = {parameters[0], parameters[1], parameters[2]};
    hed_source other_source = {"which.cl",
        "__kernel void which(__global int *out, int n) { out[0] = n + WG + TILE + MODE; }", 0};
    const hed_define define = {"UNUSED", "1"};
    hed_kernel_def changed = which;
    hed_kernel *kernel;
    bench b = bench_open(in_folder("a.db"));
    hed_kernel_options options = hed_default_kernel_options();
    hed_problem problem = hed_problem_1d(1000);
    options.problem = &problem;
    choose(&b, 1000, config_of(64, 2), NULL);
    grown[0].values = more;
    grown[0].count = 7;
    changed.parameters = grown;
    OK(hed_kernel_create(b.t.device, &changed, &options, &kernel, &error));
    expect_config(kernel, 64, HED_ORIGIN_EXACT);
    hed_kernel_destroy(kernel);
    changed.sources = &other_source;
    OK(hed_kernel_create(b.t.device, &changed, &options, &kernel, &error));
    expect_config(kernel, 16, HED_ORIGIN_DEFAULT);
    hed_kernel_destroy(kernel);
    options.defines = &define;
    options.define_count = 1;
    OK(hed_kernel_create(b.t.device, &which, &options, &kernel, &error));
    expect_config(kernel, 16, HED_ORIGIN_DEFAULT);
    hed_kernel_destroy(kernel);
    bench_close(&b);
}

Test(resolve, constraints_and_conditions_are_part_of_what_is_valid)
{
    bench b = bench_open("");
    char reason[512];
    hed_problem odd = hed_problem_1d(1001);
    hed_config config = config_of(128, 8);
    EXPECT(
        !hed_kernel_valid(&which, &config, NULL, b.t.device, HED_MATH_FAST, reason, sizeof reason));
    EXPECT(strstr(reason, "WG * TILE <= 512"), "%s", reason);
    config = config_of(64, 2);
    EXPECT(
        hed_kernel_valid(&which, &config, NULL, b.t.device, HED_MATH_FAST, reason, sizeof reason),
        "%s", reason);
    EXPECT(
        !hed_kernel_valid(&which, &config, &odd, b.t.device, HED_MATH_FAST, reason, sizeof reason));
    EXPECT(strstr(reason, "n % TILE == 0"), "%s", reason);
    config.values[2] = 1;
    EXPECT(
        hed_kernel_valid(&which, &config, NULL, b.t.device, HED_MATH_FAST, reason, sizeof reason),
        "%s", reason);
    config.values[1] = 1;
    EXPECT(
        !hed_kernel_valid(&which, &config, NULL, b.t.device, HED_MATH_FAST, reason, sizeof reason));
    EXPECT(strstr(reason, "MODE=1") && strstr(reason, "TILE > 1"), "%s", reason);
    hed_kernel_def broken = which;
    static const char *const wrong[] = {"WG * * 2"}, *const unknown[] = {"WG < speed_of_light"},
                             *const nothing[] = {NULL};
    const hed_condition nobody = {"NOBODY", "WG > 1"};
    hed_kernel *kernel;
    broken.constraint_count = 1;
    broken.constraints = wrong;
    FAILS(HED_ERROR_FORMAT, hed_kernel_create(b.t.device, &broken, NULL, &kernel, &error));
    broken.constraints = unknown;
    FAILS(HED_ERROR_ARGUMENT, hed_kernel_create(b.t.device, &broken, NULL, &kernel, &error));
    broken.constraints = nothing;
    FAILS(HED_ERROR_ARGUMENT, hed_kernel_create(b.t.device, &broken, NULL, &kernel, &error));
    broken.constraint_count = 0;
    broken.conditions = &nobody;
    FAILS(HED_ERROR_ARGUMENT, hed_kernel_create(b.t.device, &broken, NULL, &kernel, &error));
    bench_close(&b);
}

Test(resolve, the_default_obeys_the_constraints)
{
    static const char *const large[] = {"WG >= 64"};
    hed_kernel_def changed = which;
    hed_kernel *kernel;
    bench b = bench_open("");
    changed.constraints = large;
    changed.constraint_count = 1;
    OK(hed_kernel_create(b.t.device, &changed, NULL, &kernel, &error));
    expect_config(kernel, 64, HED_ORIGIN_DEFAULT);
    hed_kernel_destroy(kernel);
    bench_close(&b);
}

/* A kernel whose texts are files that are gone has no key; it fails as it always did. */
Test(resolve, a_text_that_cannot_be_read)
{
    hed_source gone = {"/nowhere/at/all.cl", NULL, 0};
    hed_kernel_def changed = which;
    hed_kernel *kernel;
    bench b = bench_open(in_folder("a.db"));
    choose(&b, 1000, config_of(64, 2), NULL);
    changed.sources = &gone;
    if (b.compiles)
        FAILS(HED_ERROR_IO, hed_kernel_create(b.t.device, &changed, NULL, &kernel, &error));
    bench_close(&b);
}
