/* ctest: devices */
/* Captures: what is written is read again, byte for byte, and runs; a file that is damaged in any
 * way says where; a full disk, an allocation that fails and a launch that cannot be captured leave
 * nothing behind. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "folder.h"
#include "capture/capture_file.h"
#include "database/keyed_results.h"

static hed_error error;

TestSuite(capture, .init = folder_make, .fini = folder_remove);

/* ---- a kernel that has one of everything ---- */

enum {
    N = 300,
    MORE = 340, /* elements of an output that is written in part */
    BINS = 7
};

typedef struct shape {
    float slope;
    int32_t start;
} shape;

static const char types_text[] = "typedef struct { float slope; int start; } shape;\n";
static const char kernel_text[] =
    "__kernel void bend(__global const float *restrict in, __global float *restrict out, __global int *restrict "
    "bins,\n"
    "                   float scale, shape s, HED_LOCAL(float, row))\n"
    "{\n"
    "    HED_LOCAL_USE(float, row);\n"
    "    uint i = (uint)get_global_id(0), l = (uint)get_local_id(0);\n"
    "    row[l] = i < SIZE ? in[i] : 0.0f;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (i < SIZE) out[i] = row[l] * scale * s.slope + OFFSET + (float)(WAY - WAY);\n"
    "    if (i < 7) bins[i] += s.start;\n"
    "}\n";
static const hed_source sources[] = {
    {"types.cl", types_text, 0}, {"bend.cl", kernel_text, sizeof kernel_text - 1}};

static void bend_range(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const float *in = call->arguments[0], scale = *(const float *)call->arguments[3];
    float *out = call->arguments[1];
    int32_t *bins = call->arguments[2];
    const shape *s = call->arguments[4];
    for (uint64_t i = begin; i < end; i++) {
        out[i] = in[i] * scale * s->slope + 0.5f;
        if (i < BINS) bins[i] += s->start;
    }
}

static void bend_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *g)
{
    uint32_t group = (uint32_t)hed_config_get(def, config, "WG");
    g->dimensions = 1;
    g->global[0] = (uint64_t)problem->sizes[0];
    g->group[0] = group;
    g->local_bytes[5] = group * sizeof(float);
    g->native_items = (uint64_t)problem->sizes[0];
    g->native_grain = 16;
}

static bool bend_valid(
    const hed_kernel_def *def, const hed_config *config, const hed_device_info *device, bool strict)
{
    (void)device;
    (void)strict;
    return hed_config_get(def, config, "WG") != 32 || hed_config_get(def, config, "WAY") != 5;
}

static void bend_work(
    const hed_kernel_def *def, const hed_config *config, const hed_problem *problem, hed_work *work)
{
    (void)def;
    (void)config;
    *work = (hed_work){
        .bytes = 8.0 * (double)problem->sizes[0], .operations = 3.0 * (double)problem->sizes[0]};
}

static const hed_argument_def arguments_def[] = {
    {.name = "in", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "out", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE, .tolerance = 1e-5},
    {.name = "bins", .kind = HED_BUFFER, .type = HED_INT32, .access = HED_READ_WRITE},
    {.name = "scale", .kind = HED_SCALAR, .type = HED_FLOAT},
    {.name = "s", .kind = HED_STRUCT, .size = sizeof(shape)},
    {.name = "row", .kind = HED_LOCAL, .type = HED_FLOAT},
};
static const int64_t groups[] = {16, 32, 64}, ways[] = {-1, 5, 9}, units[] = {1, 2};
static const char *const way_names[] = {"first", "second", "third"};
static const hed_parameter_def parameters[] = {
    {.name = "WG", .values = groups, .count = 3, .value = 64},
    {.name = "WAY", .values = ways, .count = 3, .value = 5, .labels = way_names},
    {.name = "UNIT", .values = units, .count = 2, .value = 1},
};
static const char *const constraints[] = {"WG * UNIT <= 64"};
static const hed_condition conditions[] = {{"UNIT", "WAY == \"third\""}};
static const hed_define defines[] = {{"OFFSET", "123.0f"}, {"SIZE", "300"}},
                        own_defines[] = {{"OFFSET", "0.5f"}};
static const char *const dimensions[] = {"n"};
static const hed_kernel_def bend_def = {
    .name = "bend",
    .summary = "bends a line",
    .sources = sources,
    .source_count = 2,
    .arguments = arguments_def,
    .argument_count = 6,
    .parameters = parameters,
    .parameter_count = 3,
    .constraints = constraints,
    .constraint_count = 1,
    .conditions = conditions,
    .condition_count = 1,
    .defines = defines,
    .define_count = 2,
    .dimensions = dimensions,
    .dimension_count = 1,
    .max_threads = "WG",
    .may_spill = true,
    .metric = HED_METRIC_ITEMS,
    .metric_unit = "points/s",
    .valid = bend_valid,
    .geometry = bend_geometry,
    .range = bend_range,
    .work = bend_work,
};

/* ---- its launch ---- */

typedef struct bench {
    test_device t;
    hed_kernel *kernel;
    hed_buffer *in, *out, *bins;
    hed_argument arguments[6];
    hed_problem problem;
    shape s;
    float input[N], output[MORE];
    int32_t counts[BINS];
} bench;

static hed_status bench_fill(bench *b)
{
    hed_buffer_def in = hed_default_buffer_def(sizeof b->input),
                   out = hed_default_buffer_def(sizeof b->output),
                   bins = hed_default_buffer_def(sizeof b->counts);
    for (int i = 0; i < N; i++) b->input[i] = (float)((i * 37) % 101) * 0.125f - 3.0f;
    for (int i = 0; i < MORE; i++) b->output[i] = -7.0f;
    for (int i = 0; i < BINS; i++) b->counts[i] = 100 * i;
    hed_status status = hed_buffer_create(b->t.device, &in, &b->in, &error);
    if (!status) status = hed_buffer_create(b->t.device, &out, &b->out, &error);
    if (!status) status = hed_buffer_create(b->t.device, &bins, &b->bins, &error);
    if (!status) status = hed_write(b->t.stream, b->in, 0, b->input, sizeof b->input, &error);
    if (!status) status = hed_write(b->t.stream, b->out, 0, b->output, sizeof b->output, &error);
    if (!status) status = hed_write(b->t.stream, b->bins, 0, b->counts, sizeof b->counts, &error);
    return status ? status : hed_stream_wait(b->t.stream, &error);
}

static hed_status bench_open(bench *b, const hed_context_def *def)
{
    hed_kernel_options options = hed_default_kernel_options();
    *b = (bench){.problem = hed_problem_1d(N), .s = {2.0f, 3}};
    b->t = test_open(def);
    options.defines = own_defines;
    options.define_count = 1;
    options.problem = &b->problem;
    hed_status status = hed_kernel_create(b->t.device, &bend_def, &options, &b->kernel, &error);
    if (!status) status = bench_fill(b);
    b->arguments[0] = hed_buffer_argument(b->in);
    b->arguments[1] = hed_buffer_argument(b->out);
    b->arguments[2] = hed_buffer_argument(b->bins);
    b->arguments[3] = hed_float_argument(1.5f);
    b->arguments[4] = hed_struct_argument(&b->s, sizeof b->s);
    b->arguments[5] = hed_local_argument();
    return status;
}

static void bench_close(bench *b)
{
    hed_kernel_destroy(b->kernel);
    hed_buffer_destroy(b->in);
    hed_buffer_destroy(b->out);
    hed_buffer_destroy(b->bins);
    test_close(&b->t);
}

static hed_status bench_capture(bench *b, const char *path)
{
    return hed_capture_launch(b->t.stream, b->kernel, &b->problem, b->arguments, 6, path, &error);
}

/* What the program itself sees after `launches` launches. */
static void bench_check(bench *b, int launches)
{
    OK(hed_read(b->t.stream, b->output, b->out, 0, sizeof b->output, &error));
    OK(hed_read(b->t.stream, b->counts, b->bins, 0, sizeof b->counts, &error));
    OK(hed_stream_wait(b->t.stream, &error));
    for (int i = 0; i < MORE; i++) {
        float want = i < N ? b->input[i] * 3.0f + 0.5f : -7.0f;
        CHECK(b->output[i] > want - 1e-4f && b->output[i] < want + 1e-4f,
            "out[%d] is %g instead of %g", i, (double)b->output[i], (double)want);
    }
    for (int i = 0; i < BINS; i++)
        CHECK_EQ(b->counts[i], 100 * i + 3 * launches, "bins[%d] is %d", i, b->counts[i]);
}

/* ---- what is read is what was written ---- */

#define SAME_TEXT(a, b) \
    CHECK(((a) == NULL) == ((b) == NULL) && (!(a) || strcmp((a), (b)) == 0), \
        "%s: \"%s\" and \"%s\"", #a, (a) ? (a) : "NULL", (b) ? (b) : "NULL")

static void check_description(const hed_kernel_def *def)
{
    SAME_TEXT(def->name, bend_def.name);
    SAME_TEXT(def->summary, bend_def.summary);
    SAME_TEXT(def->entry, bend_def.entry);
    SAME_TEXT(def->max_threads, bend_def.max_threads);
    SAME_TEXT(def->metric_unit, bend_def.metric_unit);
    CHECK(def->language == bend_def.language && def->metric == bend_def.metric && def->may_spill &&
          !def->min_groups);
    CHECK(def->source_count == 2 && def->argument_count == 6 && def->parameter_count == 3 &&
          def->define_count == 2 && def->constraint_count == 1 && def->condition_count == 1 &&
          def->dimension_count == 1);
    for (int i = 0; i < 2; i++) {
        SAME_TEXT(def->sources[i].name, sources[i].name);
        SAME_TEXT(def->sources[i].text, sources[i].text);
        CHECK_EQ(def->sources[i].size, strlen(sources[i].text));
    }
    for (int i = 0; i < 3; i++) {
        SAME_TEXT(def->parameters[i].name, parameters[i].name);
        CHECK(def->parameters[i].value == parameters[i].value &&
              def->parameters[i].count == parameters[i].count);
        CHECK_BYTES(
            def->parameters[i].values, parameters[i].values, parameters[i].count * sizeof(int64_t));
    }
    for (int i = 0; i < 3; i++) SAME_TEXT(def->parameters[1].labels[i], way_names[i]);
    CHECK(!def->parameters[0].labels && !def->range && !def->team);
    SAME_TEXT(def->constraints[0], constraints[0]);
    SAME_TEXT(def->conditions[0].parameter, conditions[0].parameter);
    SAME_TEXT(def->conditions[0].when, conditions[0].when);
    SAME_TEXT(def->defines[0].name, "SIZE");
    SAME_TEXT(def->defines[1].name, "OFFSET");
    SAME_TEXT(def->defines[1].value, "0.5f");
    SAME_TEXT(def->dimensions[0], "n");
}

static void check_arguments(const bench *b, const hed_capture *capture)
{
    const hed_kernel_def *def = hed_capture_describe(capture).kernel;
    const hed_tune_argument *a = hed_capture_describe(capture).arguments;
    /* out is written in part */
    static const hed_access access[] = {HED_READ, HED_READ_WRITE, HED_READ_WRITE};
    for (int i = 0; i < 6; i++) {
        SAME_TEXT(def->arguments[i].name, arguments_def[i].name);
        CHECK(def->arguments[i].kind == arguments_def[i].kind &&
              def->arguments[i].type == arguments_def[i].type &&
              def->arguments[i].size == arguments_def[i].size);
        CHECK(def->arguments[i].tolerance == arguments_def[i].tolerance, "argument %d", i);
        if (i < 3) CHECK_EQ(def->arguments[i].access, access[i], "argument %d", i);
    }
    CHECK(a[0].bytes == sizeof b->input && a[1].bytes == sizeof b->output &&
          a[2].bytes == sizeof b->counts);
    CHECK_BYTES(a[0].data, b->input, sizeof b->input);
    CHECK_BYTES(a[3].data, &b->arguments[3].value.f32, 4);
    CHECK_BYTES(a[4].data, &b->s, sizeof b->s);
    CHECK(!a[0].expected && !a[5].data && a[3].bytes == 4 && a[4].bytes == sizeof b->s &&
          a[5].bytes == 0);
    const float *before = a[1].data, *out = a[1].expected;
    const int32_t *old = a[2].data, *bins = a[2].expected;
    for (int i = 0; i < MORE; i++) {
        float want = b->input[i < N ? i : 0] * 3.0f + 0.5f;
        bool right = i < N ? out[i] > want - 1e-4f && out[i] < want + 1e-4f : out[i] == before[i];
        CHECK(before[i] > 1e37f && right, "out[%d]: %g, then %g", i, (double)before[i],
            (double)out[i]);
    }
    for (int i = 0; i < BINS; i++)
        CHECK(old[i] == 100 * i && bins[i] == 100 * i + 3, "bins[%d]", i);
}

/* Each point of the full product: in the table if and only if it was valid, with the same
 * geometry. */
static void check_table(const bench *b, const hed_capture *capture)
{
    const hed_kernel_def *def = hed_capture_describe(capture).kernel;
    hed_space *here, *there;
    hed_work work = {0};
    OK(hed_space_create_for_kernel(
        b->t.device, &bend_def, &b->problem, HED_MATH_FAST, &here, &error));
    const hed_device_info info = hed_device_describe(b->t.device);
    uint64_t valid = 0;
    for (uint64_t i = 0; i < hed_config_count(def); i++) {
        hed_config config = hed_config_at(def, i);
        hed_geometry found = {0}, wanted = {0};
        bool is_valid = hed_space_find(here, &config) != UINT64_MAX;
        CHECK_EQ(def->valid(def, &config, &info, false), is_valid, "point %d", (int)i);
        def->geometry(def, &config, hed_capture_describe(capture).problem, &found);
        if (is_valid) bend_geometry(&bend_def, &config, &b->problem, &wanted);
        CHECK_BYTES(&found, &wanted, sizeof found);
        valid += is_valid;
    }
    CHECK(valid > 4 && valid < 18 && hed_capture_describe(capture).configurations == valid);
    def->work(def, NULL, NULL, &work);
    CHECK(work.bytes == 8.0 * N && work.operations == 3.0 * N && work.items == 0);
    hed_problem other = hed_problem_1d(N + 1);
    hed_config config = hed_config_default(def);
    hed_geometry none = {0};
    def->geometry(def, &config, &other, &none);
    CHECK_EQ(none.dimensions, 0, "another problem has a geometry");
    hed_space_destroy(here);
    OK(hed_space_create_for_kernel(b->t.device, def, &b->problem, HED_MATH_FAST, &there, &error));
    /* it has no native version */
    bool runs = hed_device_describe(b->t.device).capabilities & HED_CAN_SOURCE;
    CHECK_EQ(hed_space_count(there), runs ? valid : 0);
    hed_space_destroy(there);
}

/* Launches what was read, with what was read. */
static void check_run(const bench *b, const hed_capture *capture)
{
    const hed_kernel_def *def = hed_capture_describe(capture).kernel;
    const hed_tune_argument *content = hed_capture_describe(capture).arguments;
    hed_argument arguments[6] = {
        [3] = b->arguments[3], [4] = b->arguments[4], [5] = b->arguments[5]};
    hed_kernel *kernel;
    hed_buffer *buffers[3];
    float out[MORE];
    int32_t bins[BINS];
    OK(hed_kernel_create(b->t.device, def, NULL, &kernel, &error));
    for (int i = 0; i < 3; i++) {
        hed_buffer_def buffer = hed_default_buffer_def(content[i].bytes);
        OK(hed_buffer_create(b->t.device, &buffer, &buffers[i], &error));
        OK(hed_write(b->t.stream, buffers[i], 0, content[i].data, content[i].bytes, &error));
        arguments[i] = hed_buffer_argument(buffers[i]);
    }
    OK(hed_launch(
        b->t.stream, kernel, hed_capture_describe(capture).problem, arguments, 6, &error));
    OK(hed_read(b->t.stream, out, buffers[1], 0, sizeof out, &error));
    OK(hed_read(b->t.stream, bins, buffers[2], 0, sizeof bins, &error));
    OK(hed_stream_wait(b->t.stream, &error));
    CHECK_BYTES(out, content[1].expected, sizeof out);
    CHECK_BYTES(bins, content[2].expected, sizeof bins);
    for (int i = 0; i < 3; i++) hed_buffer_destroy(buffers[i]);
    hed_kernel_destroy(kernel);
}

Test(capture, what_is_written_is_read_again_and_runs)
{
    bench b;
    hed_capture *capture;
    OK(bench_open(&b, NULL));
    OK(bench_capture(&b, in_folder("bend.hcap")));
    bench_check(&b, 1); /* once, not twice */
    OK(hed_capture_open(b.t.context, in_folder("bend.hcap"), &capture, &error));
    hed_capture_info info = hed_capture_describe(capture);
    SAME_TEXT(info.device, hed_device_describe(b.t.device).id);
    SAME_TEXT(info.name, hed_device_describe(b.t.device).name);
    SAME_TEXT(info.version, hed_version_text());
    CHECK(info.checked && hed_capture_describe(capture).math == HED_MATH_FAST);
    CHECK(hed_capture_describe(capture).problem->count == 1 &&
          hed_capture_describe(capture).problem->sizes[0] == N);
    hed_config in_force = hed_kernel_config(b.kernel, NULL);
    CHECK_BYTES(&info.config, &in_force, sizeof in_force);
    check_description(hed_capture_describe(capture).kernel);
    check_arguments(&b, capture);
    check_table(&b, capture);
    if (hed_device_describe(b.t.device).capabilities & HED_CAN_SOURCE) check_run(&b, capture);
    hed_capture_close(capture);
    bench_close(&b);
}

Test(capture, an_output_that_is_written_whole_stays_one)
{
    bench b;
    hed_capture *capture;
    hed_buffer *part;
    OK(bench_open(&b, NULL));
    OK(hed_buffer_create_sub(b.out, 0, N * sizeof(float), &part, &error));
    b.arguments[1] = hed_buffer_argument(part);
    OK(bench_capture(&b, in_folder("whole.hcap")));
    OK(hed_capture_open(b.t.context, in_folder("whole.hcap"), &capture, &error));
    CHECK_EQ(hed_capture_describe(capture).kernel->arguments[1].access, HED_WRITE);
    CHECK(!hed_capture_describe(capture).arguments[1].data &&
          hed_capture_describe(capture).arguments[1].expected);
    hed_capture_close(capture);
    hed_buffer_destroy(part);
    bench_close(&b);
}

/* Both isolations: in this process, and in workers that get the text, the geometries and the
 * content. */
Test(capture, what_is_read_is_tuned_and_the_result_is_the_kernels_own)
{
    bench b;
    hed_capture *capture;
    hed_tune_key key, captured;
    OK(bench_open(&b, NULL));
    OK(bench_capture(&b, in_folder("tuned.hcap")));
    OK(hed_capture_open(b.t.context, in_folder("tuned.hcap"), &capture, &error));
    hed_tune_key_of_kernel(
        b.t.device, &bend_def, HED_MATH_FAST, own_defines, 1, &b.problem, HED_OBJECTIVE_TIME, &key);
    hed_tune_key_of_kernel(b.t.device, hed_capture_describe(capture).kernel, HED_MATH_FAST, NULL, 0,
        hed_capture_describe(capture).problem, HED_OBJECTIVE_TIME, &captured);
    CHECK_TEXT(captured.kernel, key.kernel);
    CHECK_TEXT(
        captured.source, key.source, "what a capture finds is not found again by the program");
    bool compiles = hed_device_describe(b.t.device).capabilities & HED_CAN_SOURCE;
    for (int isolated = 0; isolated < 2 && compiles; isolated++) {
        hed_tune_def def = hed_default_tune_def();
        hed_tune_result *result;
        def.problem = hed_capture_describe(capture).problem;
        def.arguments = hed_capture_describe(capture).arguments;
        def.math = hed_capture_describe(capture).math;
        def.isolation = isolated ? HED_ISOLATION_WORKER : HED_ISOLATION_NONE;
        def.evaluations = 3;
        def.keep = false;
        OK(hed_tune_kernel(
            b.t.device, hed_capture_describe(capture).kernel, &def, &result, &error));
        CHECK(result->best < result->count && result->in_process == !isolated);
        for (uint32_t i = 0; i < result->count; i++)
            CHECK(result->evaluations[i].outcome == HED_OUTCOME_MEASURED ||
                      result->evaluations[i].outcome == HED_OUTCOME_DROPPED,
                "%s: %s", hed_outcome_name(result->evaluations[i].outcome),
                result->evaluations[i].text);
        hed_tune_result_free(result);
    }
    hed_capture_close(capture);
    bench_close(&b);
}

/* ---- asked for by name ---- */

static char messages[4096];

static void remember(void *user, hed_log_level level, const char *message)
{
    (void)user;
    (void)level;
    size_t used = strlen(messages);
    snprintf(messages + used, sizeof messages - used, "%s\n", message);
}

static hed_context_def listening(void)
{
    hed_context_def def = hed_default_context_def();
    def.logger = (hed_logger){NULL, remember, HED_LOG_INFO};
    messages[0] = 0;
    return def;
}

static void launch(bench *b)
{
    OK(hed_launch(b->t.stream, b->kernel, &b->problem, b->arguments, 6, &error));
}

Test(capture, the_first_launch_of_a_named_kernel)
{
    for (int by_environment = 0; by_environment < 2; by_environment++) {
        bench b;
        hed_capture *capture;
        hed_context_def def = listening();
        CHECK_EQ(chdir(folder), 0);
        unlink("bend.hcap");
        if (by_environment) setenv("HEDDLE_CAPTURE", "bend", 1);
        else def.capture = "bend";
        OK(bench_open(&b, &def));
        launch(&b);
        bench_check(&b, 1);
        CHECK(strstr(messages, "/bend.hcap"), "the log does not say where it lies: %s", messages);
        OK(hed_capture_open(b.t.context, "bend.hcap", &capture, &error));
        hed_capture_close(capture);
        CHECK_EQ(unlink("bend.hcap"), 0);
        launch(&b);
        bench_check(&b, 2);
        CHECK(access("bend.hcap", F_OK) != 0, "the second launch is captured, too");
        bench_close(&b);
    }
}

Test(capture, no_other_kernel_is_captured)
{
    bench b;
    hed_context_def def = listening();
    def.capture = "ben";
    CHECK_EQ(chdir(folder), 0);
    OK(bench_open(&b, &def));
    launch(&b);
    CHECK(access("bend.hcap", F_OK) != 0 && access("ben.hcap", F_OK) != 0);
    bench_close(&b);
}

/* ---- what does not go ---- */

static void limit_files(rlim_t bytes)
{
    signal(SIGXFSZ, SIG_IGN);
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, RLIM_INFINITY}), 0);
}

static int count_files(void)
{
    int count = 0;
    DIR *listing = opendir(folder);
    for (struct dirent *file; (file = readdir(listing));)
        count += strcmp(file->d_name, ".") && strcmp(file->d_name, "..");
    closedir(listing);
    return count;
}

Test(capture, a_full_disk_leaves_nothing_and_stops_no_launch)
{
    bench b;
    hed_context_def def = listening();
    def.capture = "bend";
    CHECK_EQ(chdir(folder), 0);
    OK(bench_open(&b, &def));
    limit_files(1000);
    launch(&b);
    bench_check(&b, 1);
    CHECK(strstr(messages, "not captured"), "%s", messages);
    for (rlim_t size = 1; size < 6000; size += 577) {
        limit_files(size);
        FAILS(HED_ERROR_IO, bench_capture(&b, in_folder("full.hcap")));
    }
    limit_files(RLIM_INFINITY);
    CHECK_EQ(count_files(), 0, "something is left");
    FAILS(HED_ERROR_IO, bench_capture(&b, in_folder("nowhere/bend.hcap")));
    FAILS(HED_ERROR_IO, bench_capture(&b, "/dev/full"));
    bench_check(&b, 1); /* a launch that is not captured is not made */
    bench_close(&b);
}

Test(capture, launches_that_cannot_be_captured)
{
    bench b;
    hed_graph *graph;
    OK(bench_open(&b, NULL));
    OK(hed_graph_begin(b.t.stream, &error));
    FAILS(HED_ERROR_ARGUMENT, bench_capture(&b, in_folder("x.hcap")));
    OK(hed_graph_end(b.t.stream, &graph, &error));
    hed_graph_destroy(graph);
    hed_argument good = b.arguments[0];
    b.arguments[0] = b.arguments[1];
    FAILS(HED_ERROR_UNSUPPORTED, bench_capture(&b, in_folder("x.hcap")));
    CHECK(strstr(error.text, "\"out\""), "%s", error.text);
    b.arguments[0] = hed_buffer_argument(NULL);
    FAILS(HED_ERROR_ARGUMENT, bench_capture(&b, in_folder("x.hcap")));
    b.arguments[0] = hed_int_argument(1);
    FAILS(HED_ERROR_ARGUMENT, bench_capture(&b, in_folder("x.hcap")));
    b.arguments[0] = good;
    b.problem.sizes[0] = 0;
    FAILS(HED_ERROR_ARGUMENT, bench_capture(&b, in_folder("x.hcap")));
    CHECK_EQ(count_files(), 0, "something is left");
    bench_close(&b);
}

Test(capture, parts_of_one_buffer_overlap_or_do_not)
{
    bench b;
    hed_buffer *whole, *parts[3];
    hed_buffer_def def = hed_default_buffer_def(16384);
    OK(bench_open(&b, NULL));
    OK(hed_buffer_create(b.t.device, &def, &whole, &error));
    OK(hed_fill(b.t.stream, whole, 0, 16384, "\0", 1, &error));
    for (int i = 0; i < 3; i++)
        OK(hed_buffer_create_sub(whole, (uint64_t)i * 1024, 2048, &parts[i], &error));
    b.arguments[0] = hed_buffer_argument(parts[0]);
    b.arguments[1] = hed_buffer_argument(parts[1]);
    FAILS(HED_ERROR_UNSUPPORTED, bench_capture(&b, in_folder("x.hcap")));
    b.arguments[1] = hed_buffer_argument(parts[2]);
    OK(bench_capture(&b, in_folder("parts.hcap")));
    for (int i = 0; i < 3; i++) hed_buffer_destroy(parts[i]);
    hed_buffer_destroy(whole);
    bench_close(&b);
}

Test(capture, a_kernel_without_text_has_nothing_to_capture)
{
    test_device t = test_open(NULL);
    if (hed_device_describe(t.device).capabilities & HED_CAN_SOURCE) {
        test_close(&t);
        test_skip("a native kernel runs on host alone");
    }
    hed_kernel_def def = bend_def;
    hed_kernel *kernel;
    hed_problem problem = hed_problem_1d(N);
    hed_argument none[6] = {{0}};
    def.source_count = 0;
    OK(hed_kernel_create(t.device, &def, NULL, &kernel, &error));
    FAILS(HED_ERROR_UNSUPPORTED,
        hed_capture_launch(t.stream, kernel, &problem, none, 6, in_folder("x.hcap"), &error));
    hed_kernel_destroy(kernel);
    test_close(&t);
}

/* ---- damage ---- */

/* The bytes of a capture; as many as `*size`. Freed with free(). */
static unsigned char *captured_bytes(bench *b, size_t *size)
{
    char *bytes;
    hed_allocator allocator = hed_default_allocator();
    OK(bench_capture(b, in_folder("good.hcap")));
    OK(hed_path_read(&allocator, in_folder("good.hcap"), SIZE_MAX, &bytes, size, &error));
    unsigned char *copy = malloc(*size);
    memcpy(copy, bytes, *size);
    allocator.release(allocator.user, bytes, *size + 1);
    return copy;
}

/* From a file in memory, since there are thousands. */
static hed_status open_bytes(bench *b, const unsigned char *bytes, size_t size)
{
    char path[64];
    hed_capture *capture;
    int file = memfd_create("capture", MFD_CLOEXEC);
    CHECK_EQ(write(file, bytes, size), (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    error = (hed_error){0};
    hed_status status = hed_capture_open(b->t.context, path, &capture, &error);
    CHECK((status == HED_OK) == (capture != NULL));
    hed_capture_close(capture);
    close(file);
    return status;
}

Test(capture, a_file_that_is_cut_anywhere)
{
    bench b;
    size_t size;
    OK(bench_open(&b, NULL));
    unsigned char *bytes = captured_bytes(&b, &size);
    for (size_t length = 0; length < size; length += length % 8 == 7 || length < 256 ? 1 : 3) {
        hed_status status = open_bytes(&b, bytes, length);
        CHECK(status == HED_ERROR_FORMAT && strstr(error.text, ": byte "), "cut at %zu: %s", length,
            error.text);
    }
    CHECK_EQ(open_bytes(&b, bytes, size), HED_OK, "%s", error.text);
    free(bytes);
    bench_close(&b);
}

Test(capture, a_file_with_any_byte_changed)
{
    bench b;
    size_t size;
    OK(bench_open(&b, NULL));
    unsigned char *bytes = captured_bytes(&b, &size);
    for (size_t at = 0; at < size; at++) {
        unsigned char flip = (unsigned char)(1u << (at % 8));
        bytes[at] ^= flip;
        hed_status status = open_bytes(&b, bytes, size);
        CHECK(status == HED_ERROR_FORMAT && strstr(error.text, ": byte "), "byte %zu: %s", at,
            error.text);
        bytes[at] ^= flip;
    }
    free(bytes);
    bench_close(&b);
}

/* Finds a section of the file. */
static unsigned char *section_of(
    unsigned char *bytes, size_t size, uint32_t kind, hed_capture_section *head)
{
    for (size_t at = sizeof(hed_capture_head); at < size;
         at += sizeof *head + head->size + hed_capture_tail(head->size)) {
        memcpy(head, bytes + at, sizeof *head);
        if (head->kind == kind) return bytes + at;
    }
    FAIL("no section %u", kind);
    return NULL;
}

static void mend(unsigned char *at)
{
    hed_capture_section head;
    memcpy(&head, at, sizeof head);
    hed_hash hash = hed_hash_bytes(hed_hash_start(), &head, sizeof head);
    if (head.size) hash = hed_hash_bytes(hash, at + sizeof head, head.size);
    memcpy(at + sizeof head + head.size + hed_capture_tail(head.size) - sizeof hash, &hash,
        sizeof hash);
}

/* With hashes that fit, what is inside must still be right. */
Test(capture, hashes_that_fit_and_content_that_does_not)
{
    bench b;
    size_t size;
    hed_capture_section head;
    OK(bench_open(&b, NULL));
    unsigned char *bytes = captured_bytes(&b, &size);
    static const uint32_t kinds[] = {HED_CAPTURE_DESCRIPTION, HED_CAPTURE_CONFIGURATIONS};
    int refused = 0, taken = 0;
    for (int k = 0; k < 2; k++) {
        unsigned char *section = section_of(bytes, size, kinds[k], &head);
        for (size_t at = 0; at < head.size; at++) {
            unsigned char *byte = section + sizeof head + at, former = *byte;
            *byte = 0xff;
            mend(section);
            hed_status status = open_bytes(
                &b, bytes, size); /* a changed letter is another capture, not a wrong one */
            CHECK(status == HED_OK || (status == HED_ERROR_FORMAT && strstr(error.text, ": byte ")),
                "byte %zu of section %u: %s", at, kinds[k], error.text);
            if (status) refused++;
            else taken++;
            *byte = former;
            mend(section);
        }
    }
    CHECK(refused > 300 && taken > 300, "%d refused, %d taken", refused, taken);
    CHECK_EQ(open_bytes(&b, bytes, size), HED_OK, "%s", error.text);
    free(bytes);
    bench_close(&b);
}

Test(capture, files_that_are_none)
{
    bench b;
    hed_capture *capture;
    OK(bench_open(&b, NULL));
    FAILS(HED_ERROR_IO, hed_capture_open(b.t.context, in_folder("missing.hcap"), &capture, &error));
    FAILS(HED_ERROR_IO, hed_capture_open(b.t.context, folder, &capture, &error));
    FAILS(HED_ERROR_IO, hed_capture_open(b.t.context, "/dev/zero", &capture, &error));
    CHECK_EQ(open_bytes(&b, (const unsigned char *)"", 0), HED_ERROR_FORMAT);
    hed_capture_head head = {.magic = HED_CAPTURE_MAGIC, .version = 2};
    CHECK_EQ(open_bytes(&b, (const unsigned char *)&head, sizeof head), HED_ERROR_FORMAT);
    CHECK(strstr(error.text, "newer Heddle"), "%s", error.text);
    hed_capture_close(NULL);
    bench_close(&b);
}

/* ---- memory ---- */

Test(capture, each_allocation_failing)
{
    test_allocator state = {0};
    test_device held = test_open(NULL);
    int64_t n = 0, first = 0, refused = 0;
    do {
        bench b;
        hed_capture *capture = NULL;
        hed_context_def def = hed_default_context_def();
        state = (test_allocator){0};
        def.allocator = test_allocator_of(&state);
        OK(bench_open(&b, &def));
        int64_t before = state.calls;
        if (n == 0) first = before;
        n++;
        state.fail_at = before + n;
        hed_status status = bench_capture(&b, in_folder("memory.hcap"));
        CHECK(status == HED_OK || status == HED_ERROR_MEMORY || status == HED_ERROR_DEVICE_MEMORY,
            "%s", error.text);
        CHECK(status == HED_OK || access(in_folder("memory.hcap"), F_OK) != 0,
            "a half capture is left");
        refused += status != HED_OK;
        if (!status)
            status = hed_capture_open(b.t.context, in_folder("memory.hcap"), &capture, &error);
        CHECK(status == HED_OK || status == HED_ERROR_MEMORY || status == HED_ERROR_DEVICE_MEMORY,
            "%s", error.text);
        hed_capture_close(capture);
        unlink(in_folder("memory.hcap"));
        bench_close(&b);
        CHECK(state.live == 0 && state.bytes == 0, "allocation %lld failing: %lld are left",
            (long long)n, (long long)state.live);
        CHECK(state.calls < state.fail_at || status != HED_OK || n > 8,
            "allocation %lld failing is not noticed", (long long)n);
    } while (state.calls >= state.fail_at);
    CHECK(first > 0 && refused > 8, "%lld of %lld allocations were refused", (long long)refused,
        (long long)n);
    test_close(&held);
}
