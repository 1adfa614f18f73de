/* Tune files: every key of Heddle's own format and of T1, what must be refused and in which words,
 * and the schema's keys. The examples run in tune_examples_test.c. */
#include "folder.h"
#include "testing.h"

#include "support/file.h"
#include "heddle/tune_file.h"
#include "tunefile/objective.h"
#include "tunefile/spec.h"

static hed_error error;
static const hed_device_info DEVICE = {.id = "opencl:0:0",
    .backend = "opencl",
    .name = "a device",
    .compute_units = 8,
    .lane_width = 32,
    .max_group = 1024,
    .max_group_size = {1024, 1024, 64},
    .local_bytes = 49152,
    .memory_bytes = (uint64_t)8 << 30,
    .max_buffer_bytes = (uint64_t)1 << 30,
    .cache_bytes = 4 << 20,
    .registers = 65536,
    .architecture = 90};

TestSuite(tune_spec, .init = folder_make, .fini = folder_remove);

static const char KERNEL[] = "__kernel void f(__global float *y) { y[get_global_id(0)] = 1; }\n";

static void write_text(const char *name, const char *text)
{
    write_file(in_folder(name), text, strlen(text));
}

static hed_status load(const char *text, hed_tune_file **spec)
{
    write_text("f.cl", KERNEL);
    write_text("k.json", text);
    error = (hed_error){0};
    return hed_tune_file_open(in_folder("k.json"), &DEVICE, spec, &error);
}

static hed_tune_file *loaded(const char *text)
{
    hed_tune_file *spec;
    OK(load(text, &spec));
    return spec;
}

/* The shortest file, with what is tried put in. */
#define OUTPUT "{\"name\": \"y\", \"type\": \"float\", \"access\": \"write\", \"size\": 64}"
#define SHORT(more, arguments) \
    "{\"kernel\": \"f\", \"source\": \"f.cl\", \"problem\": {\"n\": 64, \"m\": 3},\n\"group\": [32]" more \
    ",\n\"arguments\": [" arguments "]}"

static void refuse(hed_status status, const char *text, const char *words)
{
    hed_tune_file *spec = (hed_tune_file *)&error;
    FAILS(status, load(text, &spec));
    EXPECT(!spec);
    EXPECT(strstr(error.text, words), "%s\nis refused with   %s\ninstead of        %s", text,
        error.text, words);
}

/* ---- what a file says ---- */

Test(tune_spec, shortest_file)
{
    hed_tune_file *spec = loaded(SHORT("", OUTPUT));
    const hed_kernel_def *def = hed_tune_file_kernel(spec);
    hed_tune_def tune = hed_default_tune_def();
    hed_tune_file_apply(spec, &tune);
    CHECK_TEXT(def->name, "f");
    CHECK_TEXT(def->entry, "f");
    CHECK(def->source_count == 1 && strcmp(def->sources[0].name, "f.cl") == 0 &&
          strcmp(def->sources[0].text, KERNEL) == 0);
    CHECK(def->language == HED_OPENCL_C && def->parameter_count == 0 && def->argument_count == 1 &&
          !def->work);
    CHECK(def->dimension_count == 2 && strcmp(def->dimensions[1], "m") == 0);
    CHECK_TEXT(def->max_threads, "32");
    CHECK(tune.problem->count == 2 && tune.problem->sizes[0] == 64 && tune.problem->sizes[1] == 3);
    CHECK(tune.math == HED_MATH_FAST && tune.reference == HED_REFERENCE_DEFAULT &&
          !tune.reference_kernel);
    CHECK(!tune.arguments[0].data && tune.arguments[0].bytes == 256 && !tune.arguments[0].expected);
    CHECK(def->arguments[0].access == HED_WRITE && def->arguments[0].type == HED_FLOAT &&
          def->arguments[0].tolerance == 1e-4);
    hed_geometry geometry = {0};
    hed_config config = hed_config_default(def);
    def->geometry(def, &config, tune.problem, &geometry);
    CHECK(geometry.dimensions == 1 && geometry.group[0] == 32 && geometry.global[0] == 64,
        "the problem's sizes are the work items");
    hed_tune_file_close(spec);
    hed_tune_file_close(NULL);
}

Test(tune_spec, parameters_of_every_kind)
{
    hed_tune_file *spec = loaded(SHORT(
        ", \"parameters\": {\"A\": [4, -1, 8], \"B\": {\"range\": [3, 10, 3]}, \"C\": {\"powers_of_two\": [1, 16]},"
        "\"V\": {\"choices\": [\"one\", \"two words\", \"three\"]}, \"D\": {\"range\": [-1, 1]}},"
        "\"defaults\": {\"A\": 8, \"V\": \"three\", \"D\": 0}",
        OUTPUT));
    static const int64_t a[] = {4, -1, 8}, b[] = {3, 6, 9}, c[] = {1, 2, 4, 8, 16}, v[] = {0, 1, 2},
                         d[] = {-1, 0, 1};
    static const struct {
        const char *name;
        const int64_t *values;
        uint32_t count;
        int64_t value;
    } expected[] = {{"A", a, 3, 8}, {"B", b, 3, 3}, {"C", c, 5, 1}, {"V", v, 3, 2}, {"D", d, 3, 0}};
    const hed_kernel_def *def = hed_tune_file_kernel(spec);
    CHECK(def->parameter_count == 5);
    for (uint32_t i = 0; i < 5; i++) {
        const hed_parameter_def *p = &def->parameters[i];
        EXPECT_TEXT(p->name, expected[i].name);
        EXPECT(p->count == expected[i].count && p->value == expected[i].value, "%s", p->name);
        EXPECT(memcmp(p->values, expected[i].values, p->count * sizeof *p->values) == 0, "%s",
            p->name);
    }
    CHECK_TEXT(def->parameters[3].labels[1], "two words");
    CHECK(def->define_count == 3,
        "labels that are names become macros, and the prelude is told of a user's text");
    CHECK_TEXT(def->defines[2].name, "HED_OPENCL_TEXT");
    CHECK_TEXT(def->defines[1].name, "V_three");
    CHECK_TEXT(def->defines[1].value, "2");
    hed_tune_file_close(spec);
}

/* As many values as a parameter may have, by a rule and as numbers that are listed. */
Test(tune_spec, of_65535_values)
{
    enum { MOST = 65535 };
    static char list[8 * MOST] = "";
    char *at = list;
    for (int i = 1; i <= MOST; i++) at += sprintf(at, "%s%d", i > 1 ? ", " : "", i);
    for (int listed = 0; listed < 2; listed++) {
        size_t size = sizeof list + 512;
        char *json = malloc(size);
        snprintf(json, size, SHORT(", \"parameters\": {\"A\": %s%s%s}", OUTPUT), listed ? "[" : "",
            listed ? list : "{\"range\": [1, 65535]}", listed ? "]" : "");
        hed_tune_file *spec = loaded(json);
        const hed_parameter_def *p = &hed_tune_file_kernel(spec)->parameters[0];
        CHECK(p->count == MOST && p->values[0] == 1 && p->values[MOST - 1] == MOST);
        hed_tune_file_close(spec);
        free(json);
    }
}

Test(tune_spec, rules_launch_and_work)
{
    hed_tune_file *spec = loaded(
        "{\"$schema\": \"x\", \"kernel\": \"f\", \"source\": [\"f.cl\", \"f.cl\"], \"language\": \"cuda\","
        "\"problem\": {\"width\": 100, \"height\": 50},"
        "\"parameters\": {\"X\": [8, 16], \"Y\": [4], \"V\": {\"choices\": [\"a\", \"b\"]}, \"P\": [0, 1]},"
        "\"constraints\": [\"X * Y <= max_group\", \"V == 'b' or X > 4\"], \"conditions\": {\"P\": \"V == 'b'\"},"
        "\"group\": [\"X\", \"Y\"], \"groups\": [\"ceil_div(width, X * 2)\", \"height / Y\"],"
        "\"defines\": {\"K\": 7, \"T\": \"float4\"}, \"math\": \"strict\","
        "\"arguments\": [" OUTPUT ", {\"name\": \"t\", \"kind\": \"local\", \"type\": \"double\","
        " \"size\": \"X * Y if V == 'b' else 0\"}],"
        "\"work\": {\"bytes\": \"8 * width * height\", \"operations\": \"X\"}}");
    const hed_kernel_def *def = hed_tune_file_kernel(spec);
    hed_tune_def tune = hed_default_tune_def();
    hed_tune_file_apply(spec, &tune);
    CHECK(def->source_count == 2 && def->language == HED_CUDA_C && tune.math == HED_MATH_STRICT);
    CHECK(def->constraint_count == 2 && def->condition_count == 1 &&
          def->metric == HED_METRIC_OPERATIONS);
    CHECK_TEXT(def->constraints[1], "V == 'b' or X > 4");
    CHECK_TEXT(def->conditions[0].parameter, "P");
    CHECK_TEXT(def->max_threads, "X*Y");
    CHECK(def->define_count == 4 && strcmp(def->defines[0].name, "K") == 0 &&
          strcmp(def->defines[0].value, "7") == 0);
    CHECK_TEXT(def->defines[1].value, "float4");
    CHECK_TEXT(def->defines[2].name, "V_a");
    hed_geometry geometry = {0};
    hed_work work;
    hed_config config = {4, {16, 4, 1, 0}};
    def->geometry(def, &config, tune.problem, &geometry);
    CHECK(geometry.dimensions == 2 && geometry.group[0] == 16 && geometry.group[1] == 4);
    CHECK(geometry.global[0] == 4 * 16 && geometry.global[1] == 13 * 4, "%llu %llu",
        (unsigned long long)geometry.global[0], (unsigned long long)geometry.global[1]);
    CHECK(geometry.local_bytes[1] == 64 * 8);
    config.values[2] = 0;
    def->geometry(def, &config, tune.problem, &geometry);
    CHECK(geometry.local_bytes[1] == 8, "a local array of no elements has room for one");
    def->work(def, &config, tune.problem, &work);
    CHECK(work.bytes == 40000 && work.operations == 16);
    hed_tune_file_close(spec);
}

/* A launch that makes no sense is one that no device allows: never a division by zero, never the
 * whole number next to it. */
Test(tune_spec, launches_without_sense_are_refused_later)
{
    hed_tune_file *spec = loaded(SHORT(", \"parameters\": {\"A\": [0, 3, 1]}", OUTPUT));
    hed_tune_file_close(spec);
    spec = loaded(
        "{\"kernel\": \"f\", \"source\": \"f.cl\", \"problem\": {\"n\": 64}, \"parameters\": {\"A\": [0, 3, 1, -1]},"
        "\"group\": [\"32 / A\"], \"global\": [\"n // A\"], \"arguments\": [" OUTPUT
        ", {\"name\": \"l\", \"kind\": \"local\","
        "\"type\": \"int\", \"size\": \"8 / A\"}]}");
    const hed_kernel_def *def = hed_tune_file_kernel(spec);
    static const struct {
        int64_t a;
        uint32_t group;
        uint64_t global, local;
    } cases[] = {{0, UINT32_MAX, 0, UINT64_MAX / 2}, {3, UINT32_MAX, 21, 12}, {1, 32, 64, 32},
        {-1, UINT32_MAX, 0, UINT64_MAX / 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hed_geometry geometry = {0};
        hed_config config = {1, {cases[i].a}};
        hed_problem problem = hed_problem_1d(64);
        def->geometry(def, &config, &problem, &geometry);
        EXPECT(geometry.group[0] == cases[i].group && geometry.global[0] == cases[i].global &&
                   geometry.local_bytes[1] == cases[i].local,
            "A = %lld: %u %llu %llu", (long long)cases[i].a, geometry.group[0],
            (unsigned long long)geometry.global[0], (unsigned long long)geometry.local_bytes[1]);
    }
    CHECK(!def->max_threads);
    hed_tune_file_close(spec);
}

Test(tune_spec, launch_bounds)
{
    static const struct {
        const char *more, *bound;
    } cases[] = {{", \"parameters\": {\"X\": [8]}, \"max_threads\": \"X * 4\"", "X*4"},
        {", \"max_threads\": 256", "256"}};
    for (size_t i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text,
            "{\"kernel\": \"f\", \"source\": \"f.cl\", \"problem\": {\"n\": 64}, \"group\": [\"4 * 8\"]%s, "
            "\"arguments\": [%s]}",
            cases[i].more, OUTPUT);
        hed_tune_file *spec = loaded(text);
        EXPECT_TEXT(hed_tune_file_kernel(spec)->max_threads, cases[i].bound);
        hed_tune_file_close(spec);
    }
    refuse(HED_ERROR_FORMAT, SHORT(", \"max_threads\": \"X*4\"", OUTPUT),
        "max_threads: expected parameters and numbers with * between them, found \"X\" (");
    refuse(HED_ERROR_FORMAT, SHORT(", \"max_threads\": \"4*\"", OUTPUT), "found \"\"");
    refuse(HED_ERROR_FORMAT, SHORT(", \"max_threads\": \"0\"", OUTPUT), "found \"0\"");
}

/* ---- arguments ---- */

static void write_npy(
    const char *name, const char *descr, const char *shape, const void *data, size_t size)
{
    char file[512];
    int length = snprintf(
        file + 10, 200, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape);
    memcpy(file, "\x93NUMPY\x01\x00", 8);
    file[8] = (char)length;
    file[9] = 0;
    memcpy(file + 10 + length, data, size);
    write_file(in_folder(name), file, 10 + (size_t)length + size);
}

Test(tune_spec, arguments_of_every_kind)
{
    static const float numbers[] = {1, 2, 3, 4, 5, 6};
    static const int64_t large[] = {INT64_MAX, -1};
    write_npy("x.npy", "<f4", "(2, 3)", numbers, sizeof numbers);
    write_file(in_folder("x.raw"), numbers, sizeof numbers);
    write_file(in_folder("l.bin"), large, sizeof large);
    hed_tune_file *spec = loaded(SHORT("",
        "{\"name\": \"x\", \"type\": \"float\", \"file\": \"x.npy\"},"
        "{\"name\": \"z\", \"type\": \"float\", \"file\": \"x.raw\", \"size\": 6, \"access\": \"read_write\", "
        "\"tolerance\": 0},"
        "{\"name\": \"y\", \"type\": \"float\", \"access\": \"write\", \"size\": \"2 * m\", \"expected\": "
        "\"x.npy\", \"tolerance\": 0.5},"
        "{\"name\": \"l\", \"type\": \"long\", \"file\": \"l.bin\"},"
        "{\"name\": \"n\", \"type\": \"uint\", \"value\": \"n + m\"}, {\"name\": \"big\", \"type\": \"long\", "
        "\"value\": -9007199254740995},"
        "{\"name\": \"a\", \"type\": \"double\", \"value\": 0.1, \"kind\": \"scalar\"},"
        "{\"name\": \"f\", \"type\": \"float\", \"value\": \"1 / 3\"},"
        "{\"name\": \"s\", \"kind\": \"struct\", \"file\": \"l.bin\"},"
        "{\"name\": \"i\", \"type\": \"int\", \"size\": 100, \"fill\": {\"integers\": [-3, 3], \"seed\": 5}},"
        "{\"name\": \"b\", \"type\": \"bytes\", \"size\": 10, \"fill\": {\"sequence\": [250, 1]}},"
        "{\"name\": \"k\", \"type\": \"ulong\", \"size\": 3, \"fill\": \"zeros\", \"kind\": \"buffer\"}"));
    const hed_kernel_def *def = hed_tune_file_kernel(spec);
    hed_tune_def tune = hed_default_tune_def();
    hed_tune_file_apply(spec, &tune);
    const hed_tune_argument *a = tune.arguments;
    CHECK(def->argument_count == 12);
    CHECK(a[0].bytes == sizeof numbers && memcmp(a[0].data, numbers, sizeof numbers) == 0 &&
          def->arguments[0].access == HED_READ);
    CHECK(a[1].bytes == sizeof numbers && memcmp(a[1].data, numbers, sizeof numbers) == 0);
    CHECK(def->arguments[1].access == HED_READ_WRITE && def->arguments[1].tolerance == 0);
    CHECK(a[2].bytes == sizeof numbers && memcmp(a[2].expected, numbers, sizeof numbers) == 0 &&
          def->arguments[2].tolerance == 0.5);
    CHECK(a[3].bytes == 16 && memcmp(a[3].data, large, 16) == 0);
    CHECK(def->arguments[4].kind == HED_SCALAR && *(const uint32_t *)a[4].data == 67);
    CHECK(*(const int64_t *)a[5].data == INT64_C(-9007199254740995),
        "no number goes through a double that does not hold it");
    CHECK(*(const double *)a[6].data == 0.1 && *(const float *)a[7].data == 1.0f / 3);
    CHECK(def->arguments[8].kind == HED_STRUCT && def->arguments[8].size == 16 &&
          memcmp(a[8].data, large, 16) == 0);
    CHECK(a[9].bytes == 400 && def->arguments[9].type == HED_INT32);
    for (int i = 0; i < 100; i++)
        CHECK(((const int32_t *)a[9].data)[i] >= -3 && ((const int32_t *)a[9].data)[i] <= 3);
    CHECK(((const uint8_t *)a[10].data)[5] == 255 && ((const uint8_t *)a[10].data)[6] == 0);
    CHECK(a[11].bytes == 24 && ((const uint64_t *)a[11].data)[2] == 0);
    hed_tune_file_close(spec);
}

/* ---- the reference ---- */

Test(tune_spec, metrics_and_the_objective)
{
    static const char text[] = SHORT(
        ", \"work\": {\"bytes\": \"4 * n\", \"operations\": \"n * WG\"}, \"parameters\": {\"WG\": [8, 32]},"
        "\"metrics\": {\"GB/s\": \"bytes / time / 1e9\", \"items\": \"time * WG\", \"W\": \"energy / time\","
        "\"op/J\": \"operations / energy\", \"groups\": \"n / WG\"}, \"objective\": \"GB/s\"",
        OUTPUT);
    hed_tune_file *spec = loaded(text);
    hed_tune_def def = hed_default_tune_def();
    hed_tune_file_apply(spec, &def);
    CHECK_EQ(def.metric_count, 5u);
    const hed_tune_metric *rate = &def.metrics[0], *items = &def.metrics[1],
                          *power = &def.metrics[2], *frugal = &def.metrics[3],
                          *groups = &def.metrics[4];
    hed_config config = {.count = 1, .values = {32}};
    CHECK_TEXT(rate->name, "GB/s");
    EXPECT_NEAR(rate->value(rate, &config, 1e-6, NAN), 0.256, 1e-12);
    EXPECT_NEAR(items->value(items, &config, 0.5, NAN), 16, 1e-12);
    EXPECT_NEAR(power->value(power, &config, 0.5, 3), 6, 1e-12);
    EXPECT_NEAR(frugal->value(frugal, &config, 0.5, 2), 1024, 1e-9);
    EXPECT(isnan(power->value(power, &config, 0.5, NAN)), "the energy is unknown");
    EXPECT(rate->maximized && !items->maximized && frugal->maximized && !groups->maximized);
    EXPECT(!rate->uses_energy && power->uses_energy && frugal->uses_energy);
    EXPECT(def.objective == HED_OBJECTIVE_METRIC && def.metric == rate && !def.two_objectives);
    OK(hed_objective_set(&def, "items", &error));
    EXPECT(def.metric == items);
    OK(hed_objective_set(&def, "energy,time", &error));
    EXPECT(def.objective == HED_OBJECTIVE_ENERGY && !def.metric && def.two_objectives);
    OK(hed_objective_set(&def, "time,energy", &error));
    EXPECT(def.objective == HED_OBJECTIVE_TIME && def.two_objectives);
    OK(hed_objective_set(&def, "energy", &error));
    EXPECT(def.objective == HED_OBJECTIVE_ENERGY && !def.two_objectives);
    FAILS(HED_ERROR_ARGUMENT, hed_objective_set(&def, "W", &error));
    EXPECT(strstr(error.text, "metric W uses the energy"), "%s", error.text);
    error = (hed_error){0};
    FAILS(HED_ERROR_ARGUMENT, hed_objective_set(&def, "time,", &error));
    EXPECT(strstr(error.text, "\"time,\"; expected time, energy, time,energy, energy,time, GB/s, items"),
        "%s", error.text);
    hed_tune_file_close(spec);

    static const struct {
        const char *more, *words;
    } wrong[] = {
        {", \"metrics\": {\"a\": \"1 / tim\"}", "metrics.a"},
        {", \"metrics\": {\"a\": \"1 / tim\"}", "tim"},
        {", \"metrics\": {\"a\": \"(time\"}", "metrics.a"},
        {", \"metrics\": {\"a\": 3}", "metrics.a"},
        {", \"metrics\": [\"time\"]", "metrics"},
        {", \"metrics\": {\"time\": \"2 * time\"}", "another name than the objective"},
        {", \"metrics\": {\"a\": \"bytes / time\"}", "uses the work of a launch"},
        {", \"metrics\": {\"a\": \"time / (n - 64)\"}", "has no value"},
        {", \"objective\": \"speed\"", "objective \"speed\"; expected time"},
        {", \"metrics\": {\"W\": \"energy / time\"}, \"objective\": \"W\"", "uses the energy"},
    };
    for (size_t i = 0; i < HED_COUNT(wrong); i++) {
        char whole[1024];
        snprintf(whole, sizeof whole,
            "{\"kernel\": \"f\", \"source\": \"f.cl\", \"problem\": {\"n\": 64, \"m\": 3},\n\"group\": [32]%s"
            ",\n\"arguments\": [" OUTPUT "]}",
            wrong[i].more);
        refuse(HED_ERROR_FORMAT, whole, wrong[i].words);
        EXPECT(strstr(error.text, "k.json:2:"), "%s", error.text);
    }
}

Test(tune_spec, references)
{
    hed_tune_def tune = hed_default_tune_def();
    hed_tune_file *spec = loaded(SHORT(", \"reference\": \"none\"", OUTPUT));
    hed_tune_file_apply(spec, &tune);
    CHECK(tune.reference == HED_REFERENCE_NONE);
    hed_tune_file_close(spec);

    write_text("g.cl", "other text");
    spec = loaded(SHORT(
        ", \"parameters\": {\"A\": [4, 8]}, \"defaults\": {\"A\": 8}, \"global\": [\"n * A\"], "
        "\"defines\": {\"Z\": 1},"
        "\"reference\": {\"kernel\": \"g\", \"source\": \"g.cl\", \"group\": [\"A\"]}",
        OUTPUT ",{\"name\": \"l\", \"kind\": \"local\", \"type\": \"int\", \"size\": \"A\"}"));
    hed_tune_file_apply(spec, &tune);
    const hed_kernel_def *g = tune.reference_kernel;
    CHECK(tune.reference == HED_REFERENCE_KERNEL && g);
    CHECK_TEXT(g->name, "g");
    CHECK_TEXT(g->sources[0].text, "other text");
    CHECK(g->parameter_count == 1 && g->parameters[0].value == 8 && g->argument_count == 2 &&
          g->define_count == 2);
    CHECK(g->arguments == hed_tune_file_kernel(spec)->arguments && g->dimension_count == 2 &&
          g->constraint_count == 0);
    hed_geometry geometry = {0};
    hed_config config = hed_config_default(g);
    g->geometry(g, &config, tune.problem, &geometry);
    CHECK(geometry.group[0] == 8 && geometry.global[0] == 512 && geometry.local_bytes[1] == 32);
    hed_tune_file_close(spec);

    spec = loaded(SHORT(
        ", \"parameters\": {\"A\": [4, 8]}, \"groups\": [\"n / A\"],"
        "\"reference\": {\"kernel\": \"g\", \"parameters\": {\"B\": 2, \"A\": 16}, \"global\": [\"n "
        "* B\"], \"language\": \"cuda\"}",
        OUTPUT));
    hed_tune_file_apply(spec, &tune);
    g = tune.reference_kernel;
    config = hed_config_default(g);
    g->geometry(g, &config, tune.problem, &geometry);
    CHECK(g->parameter_count == 2 && config.values[0] == 2 && geometry.global[0] == 128 &&
          geometry.group[0] == 32);
    CHECK(g->language == HED_CUDA_C && hed_tune_file_kernel(spec)->language == HED_OPENCL_C);
    hed_tune_file_close(spec);
    refuse(HED_ERROR_FORMAT, SHORT(", \"reference\": {\"grup\": [1]}", OUTPUT),
        "reference.grup: unknown key; did you mean \"group\"?");
    refuse(HED_ERROR_FORMAT, SHORT(", \"reference\": \"some\"", OUTPUT),
        "expected one of \"default\", \"none\"; found \"some\"");
    refuse(HED_ERROR_IO, SHORT(", \"reference\": {\"source\": \"not.cl\"}", OUTPUT),
        "reference.source: cannot open ");
    refuse(HED_ERROR_FORMAT,
        SHORT(", \"parameters\": {\"A\": [4]}, \"reference\": {\"parameters\": {}}",
            OUTPUT ",{\"name\": \"l\", \"kind\": \"local\", \"type\": \"int\", \"size\": \"A\"}"),
        "arguments[1].size: A: column 1: there is no \"A\"");
}

/* ---- what is wrong ---- */

Test(tune_spec, the_whole_is_checked)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"[]", "the whole document: expected an object, found an array ("},
        {"{}", "the whole document: \"kernel\" is missing ("},
        {"{\"kernel\": \"f\", \"source\": \"f.cl\", \"arguments\": []}",
            "the whole document: \"group\" is missing"},
        {SHORT(", \"paramters\": {}", OUTPUT),
            "paramters: unknown key; did you mean \"parameters\"? ("},
        {SHORT(", \"zzz\": {}", OUTPUT),
            "zzz: unknown key; the keys here are \"$schema\", \"kernel\""},
        {SHORT(", \"language\": \"hip\"", OUTPUT),
            "language: expected one of \"opencl\", \"cuda\", \"wgsl\", \"glsl\", \"spirv\"; found \"hip\" ("},
        {SHORT(", \"math\": 3", OUTPUT), "math: expected a string, found a number ("},
        {SHORT(", \"groups\": [1], \"global\": [1]", OUTPUT),
            "\"global\" and \"groups\" say the same in two ways"},
        {SHORT(", \"global\": [1, 2]", OUTPUT),
            "global: expected as many sizes as \"group\" has: 1 ("},
        {SHORT(", \"global\": [\"q\"]", OUTPUT),
            "global[0]: q: column 1: there is no \"q\"; known are: n, m, max_group, "},
        {SHORT(", \"work\": {\"bytes\": \"n +\"}", OUTPUT),
            "work.bytes: n +: column 4: expected a number, a name, a label or (, found the end ("},
        {SHORT(", \"work\": {\"byte\": 1}", OUTPUT),
            "work.byte: unknown key; did you mean \"bytes\"?"},
        {SHORT(", \"defines\": {\"1\": 1}", OUTPUT), "defines[\"1\"]: expected a name of letters"},
        {SHORT(", \"defines\": {\"A\": []}", OUTPUT),
            "defines.A: expected a string, found an array"},
        {SHORT(", \"constraints\": \"n\"", OUTPUT),
            "constraints: expected an array, found a string"},
        {SHORT(", \"constraints\": [\"k > 1\"]", OUTPUT),
            "constraints[0]: k > 1: column 1: there is no \"k\""},
        {SHORT(", \"conditions\": {\"A\": \"1\"}", OUTPUT),
            "conditions.A: there is no parameter of this name"},
        {SHORT(", \"parameters\": {\"A\": [1]}, \"conditions\": {\"A\": \"A > 1\"}", OUTPUT),
            "whether A matters cannot depend on itself"},
        {"{\"kernel\": \"a b\", \"source\": \"f.cl\", \"group\": [1], \"problem\": {\"n\": 1}, \"arguments\": []}",
            "kernel: expected the name of a kernel"},
        {"{\"kernel\": \"f\", \"source\": [], \"group\": [1], \"problem\": {\"n\": 1}, \"arguments\": []}",
            "source: expected at least one file"},
        {"{\"kernel\": \"f\", \"source\": \"f.cl\", \"group\": [], \"arguments\": []}",
            "group: expected 1 to 3 sizes, found 0"},
        {"{\"kernel\": \"f\", \"source\": \"f.cl\", \"group\": [1, 1, 1, 1], \"arguments\": []}",
            "group: expected 1 to 3 sizes, found 4"},
        {"{\"kernel\": \"f\", \"source\": \"f.cl\", \"group\": [1], \"arguments\": []}",
            "\"global\" is missing: the problem has 0 sizes, the group 1"},
        {"{\"kernel\": \"f\", \"source\": \"f.cl\", \"group\": [1], \"problem\": {\"n\": 0}, \"arguments\": []}",
            "problem.n: expected a whole number from 1"},
        {"{\"kernel\": \"f\", \"source\": \"f.cl\", \"group\": [1], \"problem\": {\"in\": 1}, \"arguments\": []}",
            "problem.in: expected a name"},
        {"{\"kernel\": \"f\", \"source\": \"f.cl\", \"group\": [1], \"problem\": {\"registers\": 1}, \"arguments\": "
         "[]}",
            "problem.registers: this is the name of a device limit"},
        {"{\"kernel\": \"f\", \"source\": \"f.cl\", \"group\": [1], \"problem\": "
         "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1}, "
         "\"arguments\": []}",
            "problem.i: a problem has at most 8 sizes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse(HED_ERROR_FORMAT, cases[i].text, cases[i].words);
}

/* Numbers with fractions are texts of the kernel, whole ones beside them too. */
Test(tune_spec, fractions_are_values)
{
    hed_tune_file *spec = loaded(
        SHORT(", \"parameters\": {\"A\": [0.5, 2, 1e-5]}, \"defaults\": {\"A\": 2}", OUTPUT));
    const hed_parameter_def *p = &hed_tune_file_kernel(spec)->parameters[0];
    CHECK(p->count == 3 && p->value == 1 && p->labels);
    CHECK_TEXT(p->labels[0], "0.5");
    CHECK_TEXT(p->labels[1], "2.0");
    CHECK_TEXT(p->labels[2], "1e-05");
    hed_tune_file_close(spec);
}

/* T1's lists of numbers with fractions; BAT's budget, which is an object. */
Test(tune_spec, fractions_and_a_budget_of_t1)
{
    hed_tune_file *spec = loaded(
        "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"B\", \"Type\": \"int\", \"Values\": "
        "\"[32, 64]\"}, {\"Name\": \"A\", \"Type\": \"float\", \"Values\": \"[1, 0.5, 2]\", \"Default\": 0.5}], "
        "\"Conditions\": []}, \"Budget\": {\"BudgetValue\": 10, \"Type\": \"ConfigurationCount\"}, "
        "\"KernelSpecification\": {\"Language\": \"OpenCL\", \"KernelName\": \"f\", \"KernelFile\": \"f.cl\", "
        "\"LocalSize\": {\"X\": \"B\"}, \"GlobalSize\": {\"X\": \"64\"}, \"Arguments\": [{\"Name\": \"y\", "
        "\"Type\": \"float\", \"MemoryType\": \"Vector\", \"AccessType\": \"WriteOnly\", \"Size\": 64}]}}");
    const hed_parameter_def *p = &hed_tune_file_kernel(spec)->parameters[1];
    hed_tune_def def = hed_default_tune_def();
    CHECK(p->count == 3 && p->labels);
    CHECK_TEXT(p->labels[0], "1.0");
    CHECK_TEXT(p->labels[p->value], "0.5");
    hed_tune_file_apply(spec, &def);
    CHECK_EQ(def.evaluations, 10);
    hed_tune_file_close(spec);
}

Test(tune_spec, a_byte_order_mark_is_no_text)
{
    hed_tune_file *spec;
    write_text("f.cl", "\xef\xbb\xbf__kernel void f(__global float *y) { y[get_global_id(0)] = 1; }\n");
    write_text("k.json", SHORT("", OUTPUT));
    OK(hed_tune_file_open(in_folder("k.json"), &DEVICE, &spec, &error));
    const hed_kernel_def *def = hed_tune_file_kernel(spec);
    for (uint32_t i = 0; i < def->source_count; i++) CHECK_NULL(strstr(def->sources[i].text, "\xef\xbb\xbf"));
    hed_tune_file_close(spec);
}

/* Host code of a CUDA file is blanked out, line by line; device code stays as it is. */
Test(tune_spec, host_code_is_ignored)
{
    static const char text[] =
        "#include <stdio.h>\n"
        "#define CHECK(x) do { if ((x) != cudaSuccess) exit(1); } while (0)\n"
        "struct pair { int a; float b; };\n"
        "__device__ float half_of(float x) { return x / 2; }\n"
        "float third_of(float x) { return x / 3; } // main() {\n"
        "template <typename T> __global__ void __launch_bounds__(256) scale(T *x) { x[threadIdx.x] *= 2; }\n"
        "extern \"C\" __global__ void f(float *y) { y[threadIdx.x] = half_of(third_of(1.0f)); }\n"
        "static void report(const char *s) { fprintf(stderr, \"%s {\", s); }\n"
        "extern \"C\" float run(float *y)\n"
        "{\n"
        "    f<<<1, 64>>>(y);\n"
        "    return 0;\n"
        "}\n"
        "namespace app {\n"
        "void all() { run(0); }\n"
        "__constant__ float table[4];\n"
        "}\n"
        "int main(int argc, char **argv)\n"
        "{\n"
        "    app::all(); report(\"}\");\n"
        "}\n"
        "__global__ void last(float *y) { y[0] = 1; }\n";
    static const char *const kept[] = {"struct pair", "half_of(float", "third_of(float", "scale(T",
        "void f(float", "__constant__ float table[4]", "namespace app {", "void last("},
                             *const gone[] = {"main(int", "<<<", "report", "run", "all()"};
    hed_tune_file *spec;
    write_text("g.cu", text);
    write_text("k.json", "{\"kernel\": \"f\", \"source\": \"g.cu\", \"problem\": {\"n\": 64}, \"group\": [64], "
                         "\"arguments\": [" OUTPUT "]}");
    OK(hed_tune_file_open(in_folder("k.json"), &DEVICE, &spec, &error));
    const hed_kernel_def *def = hed_tune_file_kernel(spec);
    const char *found = def->sources[def->source_count - 1].text;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        EXPECT(strstr(found, kept[i]), "%s is gone from\n%s", kept[i], found);
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        EXPECT(!strstr(found, gone[i]), "%s is left in\n%s", gone[i], found);
    uint32_t lines = 0;
    for (const char *at = strstr(found, "struct pair"); (at = strchr(at, '\n')); at++) lines++;
    EXPECT_EQ(lines, 20);
    hed_tune_file_close(spec);
    write_text("g.cu", "texture<float, 2> image;\n__global__ void f(float *y) { y[0] = tex2D(image, 0, 0); }\n");
    FAILS(HED_ERROR_FORMAT, hed_tune_file_open(in_folder("k.json"), &DEVICE, &spec, &error));
    CHECK(strstr(error.text, "\"image\" is a texture reference"), "%s", error.text);
}

Test(tune_spec, parameters_are_checked)
{
    static const struct {
        const char *parameters, *words;
    } cases[] = {
        {"\"A\": []", "parameters.A: a parameter needs at least one value"},
        {"\"A\": {}", "parameters.A: expected exactly one of \"range\""},
        {"\"A\": {\"range\": [1, 2], \"choices\": []}", "parameters.A: expected exactly one of"},
        {"\"A\": {\"rnge\": [1, 2]}", "parameters.A.rnge: unknown key; did you mean \"range\"?"},
        {"\"A\": 3", "parameters.A: expected an object, found a number"},
        {"\"A\": [1.5, 1, 1.0]", "parameters.A[2]: 1.0 is there twice"},
        {"\"A\": [\"x\"]",
            "parameters.A[0]: expected a whole number; names go into {\"choices\": [...]}"},
        {"\"A\": [1, 2, 1]", "parameters.A[2]: 1 is there twice"},
        {"\"A\": {\"range\": [1]}",
            "parameters.A.range: expected [first, last] or [first, last, step], found 1 elements"},
        {"\"A\": {\"range\": [3, 1]}", "parameters.A.range[1]: expected a whole number from 3"},
        {"\"A\": {\"range\": [1, 3, 0]}", "parameters.A.range[2]: expected a whole number from 1"},
        {"\"A\": {\"range\": [1, 65536]}", "parameters.A.range: a parameter has at most 65535 values"},
        {"\"A\": {\"range\": [1, 9007199254740992]}", "a parameter has at most 65535 values"},
        {"\"A\": {\"powers_of_two\": [1, 12]}",
            "parameters.A.powers_of_two[1]: expected a power of two, found 12"},
        {"\"A\": {\"powers_of_two\": [0, 8]}",
            "parameters.A.powers_of_two[0]: expected a whole number from 1"},
        {"\"A\": {\"powers_of_two\": [1]}", "expected [first, last], found 1 elements"},
        {"\"A\": {\"choices\": [\"a\", \"a\"]}", "parameters.A.choices[1]: \"a\" is there twice"},
        {"\"A\": {\"choices\": [\"\"]}", "parameters.A.choices[0]: expected a name, found \"\""},
        {"\"A\": {\"choices\": [1]}", "parameters.A.choices[0]: expected a string, found a number"},
        {"\"A B\": [1]", "parameters[\"A B\"]: expected a name"},
        {"\"n\": [1]", "parameters.n: this is the name of a problem size, too"},
        {"\"max_group\": [1]", "parameters.max_group: this is the name of a device limit"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, SHORT(", \"parameters\": {%s}", OUTPUT), cases[i].parameters);
        refuse(HED_ERROR_FORMAT, text, cases[i].words);
    }
    refuse(HED_ERROR_FORMAT,
        SHORT(", \"parameters\": {\"A\": [1]}, \"defaults\": {\"A\": 2}", OUTPUT),
        "defaults.A: this is not among the parameter's values");
    refuse(HED_ERROR_FORMAT,
        SHORT(", \"parameters\": {\"A\": [1]}, \"defaults\": {\"A\": \"x\"}", OUTPUT),
        "defaults.A: expected a whole number, found a string");
    refuse(HED_ERROR_FORMAT,
        SHORT(", \"parameters\": {\"A\": [1]}, \"defaults\": {\"B\": 2}", OUTPUT),
        "defaults.B: there is no parameter of this name");
    refuse(HED_ERROR_FORMAT,
        SHORT(", \"parameters\": {\"V\": {\"choices\": [\"a\"]}}, \"defaults\": {\"V\": \"b\"}",
            OUTPUT),
        "defaults.V: this is not among");
    char many[2048] = "", text[4096];
    for (int i = 0; i < 25; i++) sprintf(many + strlen(many), "%s\"P%d\": [1]", i ? "," : "", i);
    snprintf(text, sizeof text, SHORT(", \"parameters\": {%s}", OUTPUT), many);
    refuse(HED_ERROR_FORMAT, text, "parameters.P24: a kernel has at most 24 parameters");
}

Test(tune_spec, arguments_are_checked)
{
    static const float numbers[] = {1, 2, 3};
    static const struct {
        hed_status status;
        const char *argument, *words;
    } cases[] = {
        {HED_ERROR_FORMAT, "3", "arguments[1]: expected an object, found a number"},
        {HED_ERROR_FORMAT, "{\"type\": \"int\"}", "arguments[1]: \"name\" is missing"},
        {HED_ERROR_FORMAT, "{\"name\": \"a\"}", "arguments[1]: \"type\" is missing"},
        {HED_ERROR_FORMAT, "{\"name\": \"y\", \"type\": \"int\", \"value\": 1}",
            "there are two arguments called \"y\""},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"type\": \"float4\"}",
            "arguments[1].type: expected one of \"bytes\", \"int\""},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"type\": \"int\", \"siz\": 3}",
            "arguments[1].siz: unknown key; did you mean \"size\"?"},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"type\": \"int\", \"value\": 3, \"size\": 3}",
            "arguments[1].size: no effect with \"kind\": \"scalar\"; expected \"buffer\" or \"local\""},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"type\": \"int\", \"size\": 3}",
            "arguments[1]: expected either \"fill\" or \"file\""},
        {HED_ERROR_FORMAT,
            "{\"name\": \"a\", \"type\": \"int\", \"size\": 3, \"fill\": \"zeros\", \"file\": \"x\"}",
            "expected either \"fill\" or \"file\""},
        {HED_ERROR_FORMAT,
            "{\"name\": \"a\", \"type\": \"int\", \"size\": 3, \"fill\": \"zeros\", \"access\": \"write\"}",
            "a buffer that is only written has no first content"},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"type\": \"int\", \"fill\": \"zeros\"}",
            "arguments[1]: \"size\" is missing"},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"type\": \"int\", \"size\": 0, \"fill\": \"zeros\"}",
            "arguments[1].size: expected a whole number of elements from 1 on, found 0"},
        {HED_ERROR_FORMAT,
            "{\"name\": \"a\", \"type\": \"int\", \"size\": \"n / 7\", \"fill\": \"zeros\"}",
            "expected a whole number of elements from 1 on, found 9.14"},
        {HED_ERROR_FORMAT,
            "{\"name\": \"a\", \"type\": \"int\", \"size\": \"n / 0\", \"fill\": \"zeros\"}",
            "arguments[1].size: \"n / 0\" has no value here"},
        {HED_ERROR_FORMAT,
            "{\"name\": \"a\", \"type\": \"int\", \"size\": \"A\", \"fill\": \"zeros\"}",
            "arguments[1].size: A: column 1: there is no \"A\""},
        {HED_ERROR_LIMIT,
            "{\"name\": \"a\", \"type\": \"int\", \"size\": 268435457, \"fill\": \"zeros\"}",
            "more than a buffer of opencl:0:0 may have (1073741824 bytes)"},
        {HED_ERROR_LIMIT,
            "{\"name\": \"a\", \"type\": \"int\", \"size\": \"2**62\", \"fill\": \"zeros\"}",
            "more than a buffer of"},
        {HED_ERROR_LIMIT,
            "{\"name\": \"a\", \"type\": \"int\", \"size\": 1e300, \"fill\": \"zeros\"}",
            "more than a buffer of"},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"type\": \"int\", \"size\": 3, \"fill\": \"ones\"}",
            "arguments[1].fill: expected one of \"zeros\"; found \"ones\""},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"type\": \"int\", \"size\": 3, \"fill\": {}}",
            "arguments[1].fill: expected exactly one of \"constant\""},
        {HED_ERROR_FORMAT,
            "{\"name\": \"a\", \"type\": \"int\", \"size\": 3, \"fill\": {\"seed\": 1}}",
            "arguments[1].fill: expected exactly one of \"constant\""},
        {HED_ERROR_FORMAT,
            "{\"name\": \"a\", \"type\": \"int\", \"size\": 3, \"fill\": {\"unifrm\": [0, 1]}}",
            "arguments[1].fill.unifrm: unknown key; did you mean \"uniform\"?"},
        {HED_ERROR_FORMAT,
            "{\"name\": \"a\", \"type\": \"int\", \"size\": 3, \"fill\": {\"uniform\": [0, 1]}}",
            "an array of type \"int\" cannot be filled so: this is for float and double"},
        {HED_ERROR_FORMAT,
            "{\"name\": \"a\", \"type\": \"float\", \"size\": 3, \"fill\": {\"uniform\": [1, 0]}}",
            "the first number is the lower end"},
        {HED_ERROR_FORMAT,
            "{\"name\": \"a\", \"type\": \"float\", \"size\": 3, \"fill\": {\"normal\": [1, -1]}}",
            "a standard deviation is not negative"},
        {HED_ERROR_FORMAT,
            "{\"name\": \"a\", \"type\": \"float\", \"size\": 3, \"fill\": {\"uniform\": [1]}}",
            "expected an array of 2 numbers, found 1 elements"},
        {HED_ERROR_FORMAT,
            "{\"name\": \"a\", \"type\": \"int\", \"size\": 3, \"fill\": {\"integers\": [0, 4294967296]}}",
            "the type does not hold these numbers"},
        {HED_ERROR_FORMAT,
            "{\"name\": \"a\", \"type\": \"uint\", \"size\": 3, \"fill\": {\"constant\": -1}}",
            "the type does not hold these numbers"},
        {HED_ERROR_FORMAT,
            "{\"name\": \"a\", \"type\": \"int\", \"size\": 3, \"fill\": {\"constant\": 1.5}}",
            "whole numbers are needed"},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"type\": \"int\", \"value\": 1.5}",
            "arguments[1].value: a scalar of type \"int\" cannot be 1.5"},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"type\": \"uint\", \"value\": -1}",
            "a scalar of type \"uint\" cannot be -1"},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"type\": \"ulong\", \"value\": -1}",
            "arguments[1].value: expected a whole number from 0"},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"type\": \"int\", \"value\": \"2**31\"}",
            "a scalar of type \"int\" cannot be 2147483648"},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"type\": \"bytes\", \"value\": 1}",
            "a scalar needs a type of a number"},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"kind\": \"scalar\", \"type\": \"int\"}",
            "arguments[1]: \"value\" is missing"},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"kind\": \"local\", \"type\": \"int\"}",
            "arguments[1]: \"size\" is missing"},
        {HED_ERROR_FORMAT,
            "{\"name\": \"a\", \"kind\": \"local\", \"type\": \"int\", \"size\": \"q\"}",
            "arguments[1].size: q: column 1: there is no \"q\""},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"kind\": \"struct\"}",
            "arguments[1]: \"file\" is missing"},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"kind\": \"struct\", \"type\": \"int\"}",
            "arguments[1].type: no effect with \"kind\": \"struct\"; expected \"buffer\" or \"scalar\""},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"kind\": \"struct\", \"file\": \"large.raw\"}",
            "a struct of 5000 bytes; at most 4096"},
        {HED_ERROR_IO, "{\"name\": \"a\", \"type\": \"int\", \"file\": \"not.raw\"}",
            "arguments[1].file: cannot open "},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"type\": \"int\", \"file\": \"empty.raw\"}",
            "arguments[1].file: empty.raw has no elements"},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"type\": \"int\", \"file\": \"odd.raw\"}",
            "odd.raw holds 7 bytes; the argument has 4"},
        {HED_ERROR_FORMAT,
            "{\"name\": \"a\", \"type\": \"int\", \"file\": \"odd.raw\", \"size\": 2}",
            "odd.raw holds 7 bytes; the argument has 8"},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"type\": \"int\", \"file\": \"x.npy\"}",
            "x.npy holds elements of type \"float\"; the argument's type is \"int\""},
        {HED_ERROR_FORMAT, "{\"name\": \"a\", \"type\": \"int\", \"file\": \"odd.npy\"}",
            "arguments[1].file: odd.npy is no npy file"},
        {HED_ERROR_FORMAT,
            "{\"name\": \"a\", \"type\": \"float\", \"access\": \"write\", \"size\": 4, \"expected\": \"x.npy\"}",
            "arguments[1].expected: x.npy holds 12 bytes; the argument has 16"},
        {HED_ERROR_FORMAT,
            "{\"name\": \"a\", \"type\": \"float\", \"file\": \"x.npy\", \"expected\": \"x.npy\"}",
            "a buffer that is only read has neither \"expected\" nor \"compare\" nor \"tolerance\""},
        {HED_ERROR_FORMAT,
            "{\"name\": \"a\", \"type\": \"float\", \"access\": \"write\", \"size\": 4, \"tolerance\": -1}",
            "arguments[1].tolerance: expected a number from 0"},
    };
    char large[5000] = "";
    write_npy("x.npy", "<f4", "(3,)", numbers, sizeof numbers);
    write_file(in_folder("large.raw"), large, sizeof large);
    write_file(in_folder("empty.raw"), "", 0);
    write_file(in_folder("odd.raw"), "1234567", 7);
    write_file(in_folder("odd.npy"), "1234567", 7);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text, SHORT("", OUTPUT ", %s"), cases[i].argument);
        refuse(cases[i].status, text, cases[i].words);
    }
    refuse(HED_ERROR_FORMAT, SHORT("", "{\"name\": \"a\", \"type\": \"int\", \"value\": 1}"),
        "arguments: no argument is written");
    refuse(HED_ERROR_FORMAT,
        SHORT(", \"language\": \"cuda\"",
            "{\"name\": \"a\", \"kind\": \"local\", \"type\": \"int\", \"size\": 1}, " OUTPUT),
        "arguments[0]: in CUDA C the local array is the launch's dynamic shared memory");
    char many[8192] = OUTPUT, text[9000];
    for (int i = 0; i < 32; i++)
        sprintf(many + strlen(many), ",{\"name\": \"a%d\", \"type\": \"int\", \"value\": 1}", i);
    snprintf(text, sizeof text, SHORT("", "%s"), many);
    refuse(HED_ERROR_FORMAT, text,
        "arguments: 33 arguments; a kernel has at most 32. Pass numbers together as a struct");
}

Test(tune_spec, files_that_are_not_there)
{
    hed_tune_file *spec;
    FAILS(HED_ERROR_IO, hed_tune_file_open(in_folder("none.json"), &DEVICE, &spec, &error));
    CHECK(strstr(error.text, "none.json"), "%s", error.text);
    FAILS(HED_ERROR_IO, hed_tune_file_open(folder, &DEVICE, &spec, &error));
    static const char *const names[] = {"none.json", "none.wgsl", "none.spv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) /* and for those who want no words */
        CHECK_EQ(hed_tune_file_open(in_folder(names[i]), &DEVICE, &spec, NULL), HED_ERROR_IO);
    refuse(HED_ERROR_IO,
        "{\"kernel\": \"f\", \"source\": \"g.cl\", \"group\": [1], \"problem\": {\"n\": 1}, \"arguments\": []}",
        "source: cannot open ");
    CHECK(strstr(error.text, "k.json:1:"), "%s", error.text);
}

/* A file cut anywhere is a FORMAT, or (in the blanks at its end) still whole. */
Test(tune_spec, cut_anywhere)
{
    static const char text[] = SHORT(
        ", \"parameters\": {\"A\": {\"range\": [1, 3]}}, \"constraints\": [\"A > 0\"]", OUTPUT);
    write_text("f.cl", KERNEL);
    for (size_t length = 0; length < sizeof text - 1; length++) {
        hed_tune_file *spec;
        write_file(in_folder("k.json"), text, length);
        FAILS(HED_ERROR_FORMAT, hed_tune_file_open(in_folder("k.json"), &DEVICE, &spec, &error));
    }
}

/* ---- from memory ---- */

/* Texts are copied, contents are used where they are; what is not in memory is read from the
 * disk. */
Test(tune_spec, from_memory)
{
    static const char text[] =
        "{\"kernel\": \"f\", \"source\": \"g.cl\", \"problem\": {\"n\": 4}, \"group\": [4],"
        "\"arguments\": [{\"name\": \"y\", \"type\": \"float\", \"access\": \"read_write\", \"file\": \"y\","
        " \"expected\": \"y.npy\"}, {\"name\": \"x\", \"type\": \"float\", \"file\": \"x.raw\"}]}";
    static const char source[] = "#include \"h.h\"\n__kernel void f(__global float *y) {}";
    float y[4] = {1, 2, 3, 4}, right[4] = {2, 4, 6, 8}, x[4] = {5, 6, 7, 8};
    write_file(in_folder("x.raw"), (const char *)x, sizeof x);
    const hed_tune_memory files[] = {{"y", y, sizeof y}, {"y.npy", right, sizeof right},
        {"g.cl", source, sizeof source - 1}, {"h.h", "int h;", 6}};
    char name[300];
    snprintf(name, sizeof name, "%s", in_folder("k.json"));
    hed_tune_text_def def = {
        .name = name, .text = text, .size = sizeof text - 1, .files = files, .file_count = 4};
    hed_tune_file *spec;
    error = (hed_error){0};
    OK(hed_tune_file_parse(&def, &DEVICE, &spec, &error));
    hed_tune_def tune = hed_default_tune_def();
    hed_tune_file_apply(spec, &tune);
    CHECK(tune.arguments[0].data == y && tune.arguments[0].bytes == sizeof y);
    CHECK(tune.arguments[0].expected == right && tune.arguments[0].expected_bytes == sizeof right);
    CHECK_BYTES(tune.arguments[1].data, x, sizeof x);
    const hed_kernel_def *kernel = hed_tune_file_kernel(spec);
    CHECK(strstr(kernel->sources[0].text, "int h;") && strstr(kernel->sources[0].text, "void f"));
    hed_tune_file_close(spec);

    def.file_count = 3; /* without h.h, which the compiler then looks for; without y: an error */
    OK(hed_tune_file_parse(&def, &DEVICE, &spec, &error));
    hed_tune_file_close(spec);
    def.files++, def.file_count--;
    FAILS(HED_ERROR_IO, hed_tune_file_parse(&def, &DEVICE, &spec, &error));
    CHECK(!spec && strstr(error.text, "arguments[0].file: cannot open"), "%s", error.text);
}

/* Bytes that do not fit, text that is none, and no name for messages. */
Test(tune_spec, from_memory_what_is_wrong)
{
    static const char text[] = SHORT("", "{\"name\": \"y\", \"type\": \"float\", \"access\": "
                                         "\"read_write\", \"size\": 2, \"file\": \"y\"}");
    const hed_tune_memory files[] = {
        {"f.cl", KERNEL, sizeof KERNEL - 1}, {"y", KERNEL, 12}, {"y", NULL, 0}};
    hed_tune_text_def def = {
        .text = text, .size = sizeof text - 1, .files = files, .file_count = 2};
    hed_tune_file *spec;
    FAILS(HED_ERROR_FORMAT, hed_tune_file_parse(&def, &DEVICE, &spec, &error));
    CHECK(strstr(error.text, "y holds 12 bytes") && strstr(error.text, "(tune file:3"), "%s",
        error.text);
    hed_tune_memory empty[] = {files[0], files[2]};
    def.files = empty;
    error = (hed_error){0};
    FAILS(HED_ERROR_FORMAT, hed_tune_file_parse(&def, &DEVICE, &spec, &error));
    CHECK(strstr(error.text, "y has no elements"), "%s", error.text);
    for (size_t length = 0; length < sizeof text - 1; length++) {
        char *exact = malloc(length + 1); /* nothing behind its end is read */
        memcpy(exact, text, length);
        def.text = exact, def.size = length;
        FAILS(HED_ERROR_FORMAT, hed_tune_file_parse(&def, &DEVICE, &spec, &error));
        free(exact);
    }
}
