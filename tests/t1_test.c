/* Kernel Tuner's T1 files: lists as Python writes them, launches by both rules, every kind of
 * argument, and what is refused. */
#include "folder.h"
#include "testing.h"

#include <math.h>

#include "heddle/tune_file.h"

static hed_error error;
static const hed_device_info DEVICE = {
    .id = "cuda:0", .backend = "cuda", .max_group = 1024, .max_buffer_bytes = (uint64_t)1 << 30};

TestSuite(t1, .init = folder_make, .fini = folder_remove);

typedef struct pieces {
    const char *parameters, *conditions, *specification, *arguments, *more;
} pieces;

#define OUTPUT \
    "{\"Name\": \"y\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"AccessType\": \"WriteOnly\", \"Size\": " \
    "64, \"FillType\": \"Constant\"}"
#define LAUNCH "\"LocalSize\": {\"X\": \"32\"}, \"GlobalSize\": {\"X\": \"64\"}"

/* A T1 file of pieces; what is left out is the least there can be. */
static hed_status load(pieces p, hed_tune_file **spec)
{
    static char text[16384];
    static const char kernel[] = "__kernel void f(__global float *y) {}\n";
    snprintf(text, sizeof text,
        "{%s\"General\": {}, \"ConfigurationSpace\": {\"TuningParameters\": [%s], \"Conditions\": [%s]},\n"
        "\"KernelSpecification\": {\"KernelName\": \"f\", \"KernelFile\": \"f.cl\", %s,\n\"Arguments\": [%s]}}",
        p.more ? p.more : "", p.parameters ? p.parameters : "", p.conditions ? p.conditions : "",
        p.specification ? p.specification : "\"Language\": \"OpenCL\", " LAUNCH,
        p.arguments ? p.arguments : OUTPUT);
    if (access(in_folder("f.cl"), F_OK) != 0) write_file(in_folder("f.cl"), kernel, strlen(kernel));
    write_file(in_folder("t1.json"), text, strlen(text));
    error = (hed_error){0};
    return hed_tune_file_open(in_folder("t1.json"), &DEVICE, spec, &error);
}

static hed_tune_file *loaded(pieces p)
{
    hed_tune_file *spec;
    OK(load(p, &spec));
    return spec;
}

static void refuse(hed_status status, pieces p, const char *words)
{
    hed_tune_file *spec;
    FAILS(status, load(p, &spec));
    EXPECT(strstr(error.text, words), "%s\ninstead of %s", error.text, words);
}

/* ---- values ---- */

static void check_values(const char *python, const char *expected)
{
    char parameter[512], found[512] = "";
    snprintf(parameter, sizeof parameter,
        "{\"Name\": \"A\", \"Type\": \"int\", \"Values\": \"%s\"}", python);
    hed_tune_file *spec = loaded((pieces){.parameters = parameter});
    const hed_parameter_def *p = &hed_tune_file_kernel(spec)->parameters[0];
    for (uint32_t i = 0; i < p->count; i++) {
        size_t used = strlen(found);
        if (p->labels)
            snprintf(found + used, sizeof found - used, "%s%s", i ? " " : "", p->labels[i]);
        else
            snprintf(
                found + used, sizeof found - used, "%s%lld", i ? " " : "", (long long)p->values[i]);
        EXPECT(!p->labels || p->values[i] == i);
    }
    EXPECT_TEXT(found, expected, "%s gives %s, not %s", python, found, expected);
    EXPECT(p->value == p->values[0]);
    hed_tune_file_close(spec);
}

Test(t1, values)
{
    check_values("[1, 2, 4]", "1 2 4");
    check_values(" [ 1,2 , 4 ,] ", "1 2 4");
    check_values("(3, 4)", "3 4");
    check_values("[32 * 2, 2**3, 7 // 2, -1]", "64 8 3 -1");
    check_values("range(3)", "0 1 2");
    check_values("range(1, 4)", "1 2 3");
    check_values("range(5, 1, -2)", "5 3");
    check_values("list(range(32, 128+1, 32))", "32 64 96 128");
    check_values("[1, 2, 4] + list(range(8, 33, 8))", "1 2 4 8 16 24 32");
    check_values("[1] + [2 * i for i in range(1, 4)]", "1 2 4 6");
    check_values("[2**i for i in range(0, 6)]", "1 2 4 8 16 32");
    check_values("[i for i in range(1, 10) if i % 3 == 0]", "3 6 9");
    check_values("[x*x for x in [3, 1, 2]]", "9 1 4");
    check_values("[y + 1 for y in list(range(2)) + [7]]", "1 2 8");
    check_values("[True, False]", "1 0");
    check_values("[1, 1, 2]", "1 2");
    check_values("[1.0, 2.0]", "1 2");
    check_values("['float', 'float4']", "float float4");
    check_values("['a, b', 'c]']", "a, b c]");
    check_values("[\\\"x\\\"]", "x");
}

Test(t1, values_that_are_none)
{
    static const struct {
        const char *python, *words;
    } cases[] = {
        {"\"[]\"", "TuningParameters[0].Values: a parameter needs at least one value"},
        {"\"\"", "expected a list as [1, 2], range(1, 9) or [2**i for i in range(6)], found \"\""},
        {"\"3\"", "expected a list as [1, 2]"},
        {"\"[1, 2\"", "expected a list as [1, 2]"},
        {"\"[1 / 0]\"", "expected numbers, or texts in quotes"},
        {"\"[1e300]\"", "expected numbers, or texts in quotes"},
        {"\"[1, 'a']\"", "expected numbers or texts, found both"},
        {"\"['a', 1]\"", "expected numbers or texts, found both"},
        {"\"[k]\"", "k: column 1: there is no \"k\"; known are: no names at all"},
        {"\"[k for i in range(3)]\"", "there is no \"k\"; known are: i"},
        {"\"[i for in range(3)]\"", "expected [x for name in list]"},
        {"\"[i for i range(3)]\"", "expected [x for name in list]"},
        {"\"range()\"", "column 1: expected a number, a name"},
        {"\"range(1, 5, 0)\"", "expected range(end), range(first, end) or range(first, end, step)"},
        {"\"range(1, 5, 1, 1)\"", "expected range(end), range(first, end)"},
        {"\"range(1000000000)\"", "a parameter has at most 65535 values"},
        {"\"list(list(list(list(list(list(list(list(list([1])))))))))\"",
            "expected lists nested less deeply"},
        {"\"numpy.arange(3)\"", "expected a list as"},
        {"3", "Values: expected a string, found a number"},
        {"[1.5, 1e300]", "Values[1]: expected a number"},
        {"[\"a\", 1]", "Values[1]: expected numbers or texts, found both"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char parameter[512];
        snprintf(parameter, sizeof parameter,
            "{\"Name\": \"A\", \"Type\": \"int\", \"Values\": %s}", cases[i].python);
        refuse(HED_ERROR_FORMAT, (pieces){.parameters = parameter}, cases[i].words);
    }
    refuse(HED_ERROR_FORMAT, (pieces){.parameters = "{\"Name\": \"A b\", \"Values\": \"[1]\"}"},
        "Name: expected a name of letters");
    refuse(HED_ERROR_FORMAT,
        (pieces){
            .parameters =
                "{\"Name\": \"A\", \"Values\": \"[1]\"}, {\"Name\": \"A\", \"Values\": \"[1]\"}"},
        "two parameters of this name");
    refuse(HED_ERROR_FORMAT, (pieces){.parameters = "{\"Name\": \"A\"}"}, "\"Values\" is missing");
}

/* a name of 80 characters */
#define LONG \
    "LONG_LONG_LONG_LONG_LONG_LONG_LONG_LONG_" \
    "LONG_LONG_LONG_LONG_LONG_LONG_LONG_LONG_"

Test(t1, defaults_and_conditions)
{
    hed_tune_file *spec = loaded((pieces){
        .parameters =
            "{\"Name\": \"A\", \"Type\": \"int\", \"Values\": [1, 2, 4], \"Default\": 4},"
            "{\"Name\": \"B\", \"Type\": \"int\", \"Values\": \"[1, 2]\", \"Default\": [2]},"
            "{\"Name\": \"C\", \"Type\": \"int\", \"Values\": \"[10]\", \"Default\": 1},"
            "{\"Name\": \"T\", \"Type\": \"string\", \"Values\": \"['half', 'float']\", \"Default\": \"float\"},"
            "{\"Name\": \"" LONG "\", \"Type\": \"int\", \"Values\": \"[3, 1]\"}",
        .conditions =
            "{\"Expression\": \"A * B < 8 and not (A == 1 and T == 'half')\", \"Parameters\": [\"A\"]}, "
            "{\"Expression\": \"A <= max(B) * 2\"}, {\"Expression\": \"A <= max( " LONG " )\"}"});
    const hed_kernel_def *def = hed_tune_file_kernel(spec);
    static const int64_t defaults[] = {4, 2, 10, 1};
    for (int i = 0; i < 4; i++) EXPECT(def->parameters[i].value == defaults[i], "%d", i);
    CHECK(def->constraint_count == 3);
    CHECK_TEXT(def->constraints[1], "A <= 2 * 2");
    CHECK_TEXT(def->constraints[2], "A <= 3");
    CHECK_TEXT(def->sources[0].text,
        "#if T == 0\n#undef T\n#define T half\n#elif T == 1\n#undef T\n#define T float\n#endif\n");
    CHECK(def->source_count == 2);
    hed_tune_file_close(spec);
    refuse(HED_ERROR_FORMAT, (pieces){.conditions = "{\"Expression\": \"Z > 1\"}"},
        "Conditions[0].Expression: Z > 1: column 1: there is no \"Z\"");
    refuse(HED_ERROR_FORMAT, (pieces){.conditions = "{\"Expression\": 1}"},
        "Conditions[0].Expression: expected a string");
}

/* ---- launches ---- */

static hed_geometry geometry_of(const hed_tune_file *spec, const hed_config *config)
{
    const hed_kernel_def *def = hed_tune_file_kernel(spec);
    hed_tune_def tune = hed_default_tune_def();
    hed_tune_file_apply(spec, &tune);
    hed_geometry geometry = {0};
    def->geometry(def, config, tune.problem, &geometry);
    return geometry;
}

#define BLOCKS \
    "{\"Name\": \"block_size_x\", \"Type\": \"int\", \"Values\": \"[32]\"}, {\"Name\": \"block_size_y\", \"Type\": " \
    "\"int\", \"Values\": \"[4]\"}," \
    "{\"Name\": \"tile\", \"Type\": \"int\", \"Values\": \"[1, 3]\"}"

Test(t1, launch_by_problem_size)
{
    hed_tune_file *spec = loaded((pieces){.parameters = BLOCKS,
        .specification =
            "\"Language\": \"OpenCL\", \"ProblemSize\": [1000, 50], \"LocalSize\": {\"X\": "
            "\"block_size_x\", \"Y\": \"block_size_y\", \"Z\": \"1\"},"
            "\"GlobalSize\": {\"X\": \"(262144 // block_size_x) // tile\"}, \"GlobalSizeType\": \"CUDA\","
            "\"GridDivX\": [\"block_size_x\", \"tile\"], \"GridDivY\": null"});
    hed_geometry g = geometry_of(spec, &(hed_config){3, {32, 4, 3}});
    CHECK(g.dimensions == 2 && g.group[0] == 32 && g.group[1] == 4);
    CHECK(g.global[0] == 11 * 32 && g.global[1] == 13 * 4,
        "GlobalSize is not looked at; y is divided by block_size_y");
    CHECK_TEXT(hed_tune_file_kernel(spec)->dimensions[1], "ProblemSize_1");
    CHECK_TEXT(hed_tune_file_kernel(spec)->max_threads, "block_size_x*block_size_y");
    hed_tune_file_close(spec);
}

Test(t1, launch_by_global_size)
{
    static const struct {
        const char *specification;
        uint64_t x, z;
        uint32_t dimensions;
    } cases[] = {
        {"\"Language\": \"OpenCL\", \"LocalSize\": {\"X\": \"32\"}, \"GlobalSize\": {\"X\": \"256 // tile\"}",
            85, 0, 1},
        {"\"Language\": \"CUDA\", \"LocalSize\": {\"X\": 32}, \"GlobalSize\": {\"X\": \"256 // tile\"}",
            85 * 32, 0, 1},
        {"\"Language\": \"CUDA\", \"GlobalSizeType\": \"OpenCL\", \"LocalSize\": {\"X\": 32}, \"GlobalSize\": "
         "{\"X\": 256, \"Z\": 7}",
            256, 7, 3},
        {"\"Language\": \"OpenCL\", \"GlobalSizeType\": \"CUDA\", \"LocalSize\": {\"X\": \"32\", \"Z\": \"2\"}, "
         "\"GlobalSize\": {\"X\": 2, \"Z\": 7}",
            64, 14, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hed_tune_file *spec =
            loaded((pieces){.parameters = BLOCKS, .specification = cases[i].specification});
        hed_geometry g = geometry_of(spec, &(hed_config){3, {32, 4, 3}});
        EXPECT(g.dimensions == cases[i].dimensions && g.global[0] == cases[i].x &&
                   (g.dimensions < 3 || g.global[2] == cases[i].z),
            "case %zu: %u dimensions, %llu", i, g.dimensions, (unsigned long long)g.global[0]);
        hed_tune_file_close(spec);
    }
    refuse(HED_ERROR_FORMAT,
        (pieces){
            .specification =
                "\"Language\": \"OpenCL\", \"LocalSize\": {\"X\": \"q\"}, \"GlobalSize\": {\"X\": \"1\"}"},
        "KernelSpecification.LocalSize: q: column 1: there is no \"q\"");
    refuse(HED_ERROR_FORMAT,
        (pieces){.specification = "\"Language\": \"OpenCL\", \"LocalSize\": {\"X\": \"1\"}"},
        "\"GlobalSize\" is missing");
    refuse(HED_ERROR_FORMAT,
        (pieces){.specification =
                     "\"Language\": \"OpenCL\", \"LocalSize\": {}, \"GlobalSize\": {\"X\": 1}"},
        "\"X\" is missing");
    refuse(HED_ERROR_FORMAT, (pieces){.specification = "\"Language\": \"Vulkan\", " LAUNCH},
        "Language: expected one of \"OpenCL\", \"CUDA\", \"HIP\"; found \"Vulkan\"");
    refuse(HED_ERROR_FORMAT,
        (pieces){.specification = "\"Language\": \"CUDA\", \"ProblemSize\": [], " LAUNCH},
        "ProblemSize: expected 1 to 3 sizes, found 0");
}

/* ---- texts ---- */

Test(t1, texts_of_cuda)
{
    static const char plain[] = "__global__ void f(float *y) {}\n";
    write_file(in_folder("f.cl"), plain, strlen(plain));
    pieces cuda = {.specification =
                       "\"Language\": \"CUDA\", \"CompilerOptions\": [\"-std=c++11\", \"-DN=3\", "
                       "\"-DX\", \"\", \"-use_fast_math\"], "
                       "\"SharedMemory\": \"4 * 64\", " LAUNCH};
    hed_tune_file *spec = loaded(cuda);
    const hed_kernel_def *def = hed_tune_file_kernel(spec);
    CHECK(def->source_count == 1 && strcmp(def->sources[0].text, plain) == 0);
    CHECK(def->language == HED_CUDA_C && def->define_count == 3);
    CHECK(def->option_count == 1 && strcmp(def->options[0], "-use_fast_math") == 0);
    CHECK_TEXT(def->defines[0].name, "kernel_tuner");
    CHECK_TEXT(def->defines[1].name, "N");
    CHECK_TEXT(def->defines[1].value, "3");
    CHECK_TEXT(def->defines[2].value, "1");
    CHECK(def->argument_count == 2 && def->arguments[1].kind == HED_LOCAL &&
          geometry_of(spec, &(hed_config){0}).local_bytes[1] == 256);
    hed_tune_file_close(spec);
    cuda.specification = "\"Language\": \"CUDA\", \"CompilerOptions\": [\"-arch=sm_80\"], " LAUNCH;
    refuse(HED_ERROR_FORMAT, cuda, "CompilerOptions[0]: \"-arch=sm_80\" is not the file's to say");
    refuse(HED_ERROR_UNSUPPORTED,
        (pieces){.specification = "\"Language\": \"OpenCL\", \"SharedMemory\": 64, " LAUNCH},
        "SharedMemory: shared memory of a size is for CUDA");
}

/* Files of T1 lie in a folder of their own, and name kernels from the folder above. */
Test(t1, kernel_in_the_folder_above)
{
    static const char text[] =
        "{\"ConfigurationSpace\": {\"TuningParameters\": []}, \"KernelSpecification\": {\"KernelName\": \"f\","
        "\"KernelFile\": \"up.cl\", \"Language\": \"OpenCL\", " LAUNCH ", \"Arguments\": [" OUTPUT
        "]}}";
    hed_tune_file *spec;
    CHECK(mkdir(in_folder("t1"), 0755) == 0);
    write_file(in_folder("t1/k.json"), text, strlen(text));
    FAILS(HED_ERROR_IO, hed_tune_file_open(in_folder("t1/k.json"), &DEVICE, &spec, &error));
    write_file(in_folder("up.cl"), "x", 1);
    error = (hed_error){0};
    OK(hed_tune_file_open(in_folder("t1/k.json"), &DEVICE, &spec, &error));
    CHECK_TEXT(hed_tune_file_kernel(spec)->sources[0].text, "x");
    hed_tune_file_close(spec);
}

Test(t1, budget)
{
    hed_tune_def def = hed_default_tune_def();
    hed_tune_file *spec =
        loaded((pieces){.more = "\"Budget\": [{\"Type\": \"ConfigurationCount\", \"BudgetValue\": "
                                "60}, {\"Type\": \"TuningDuration\", \"BudgetValue\": 5}],"});
    hed_tune_file_apply(spec, &def);
    CHECK(def.evaluations == 60 && def.limit_seconds == 5);
    hed_tune_file_close(spec);
}

/* ---- arguments ---- */

#define VECTOR(name, type, more) \
    "{\"Name\": \"" name "\", \"Type\": \"" type "\", \"MemoryType\": \"Vector\", " more "}"

Test(t1, arguments)
{
    static const char specification[] =
        "\"Language\": \"OpenCL\", \"ProblemSize\": 100, \"LocalSize\": {\"X\": \"32\"}, \"ReferenceArguments\": ["
        "{\"Name\": \"r\", \"TargetName\": \"y\", \"FillType\": \"Generator\", \"DataSource\": \"2 * i\","
        " \"ValidationThreshold\": 0.25},"
        "{\"Name\": \"r\", \"TargetName\": \"z\", \"FillType\": \"BinaryRaw\", \"DataSource\": \"x.bin\"}]";
    static const char arguments[] =
        "{\"Name\": \"y\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"AccessType\": \"WriteOnly\","
        " \"FillType\": \"Constant\", \"Size\": \"ProblemSize[0] + max(w) - 1\", \"Output\": 1},"
        "{\"Name\": \"x\", \"Type\": \"float4\", \"MemoryType\": \"Vector\", \"AccessType\": \"ReadOnly\","
        " \"FillType\": \"Random\", \"FillValue\": 20.0, \"Size\": 8, \"RandomSeed\": 3},"
        "{\"Name\": \"z\", \"Type\": \"int32\", \"MemoryType\": \"Vector\", \"AccessType\": \"ReadWrite\","
        " \"FillType\": \"BinaryRaw\", \"DataSource\": \"x.bin\"},"
        "{\"Name\": \"b\", \"Type\": \"uint8\", \"MemoryType\": \"Vector\", \"FillType\": \"Random\", \"FillValue\": "
        "9,"
        " \"Size\": \"10 * min(w)\"},"
        "{\"Name\": \"h\", \"Type\": \"half2\", \"MemoryType\": \"Vector\", \"AccessType\": \"ReadOnly\","
        " \"FillType\": \"Constant\", \"FillValue\": 0, \"Size\": 3},"
        "{\"Name\": \"d\", \"Type\": \"double\", \"MemoryType\": \"Vector\", \"AccessType\": \"ReadOnly\","
        " \"FillType\": \"Constant\", \"FillValue\": 0.5, \"Size\": 2, \"Output\": 1},"
        "{\"Name\": \"n\", \"Type\": \"int32\", \"MemoryType\": \"Scalar\", \"FillValue\": 7},"
        "{\"Name\": \"t\", \"Type\": \"bool\", \"MemoryType\": \"Scalar\", \"FillValue\": 1},"
        "{\"Type\": \"float\", \"MemoryType\": \"Scalar\", \"FillValue\": 0.5},"
        "{\"Name\": \"l\", \"Type\": \"float2\", \"MemoryType\": \"Local\", \"Size\": \"w * 2\"}";
    static const int32_t raw[] = {5, 6, 7};
    write_file(in_folder("x.bin"), raw, sizeof raw);
    hed_tune_file *spec = loaded(
        (pieces){.parameters = "{\"Name\": \"w\", \"Type\": \"int\", \"Values\": \"[3, 5]\"}",
            .specification = specification,
            .arguments = arguments});
    const hed_kernel_def *def = hed_tune_file_kernel(spec);
    hed_tune_def tune = hed_default_tune_def();
    hed_tune_file_apply(spec, &tune);
    const hed_tune_argument *a = tune.arguments;
    const hed_argument_def *d = def->arguments;
    CHECK(def->argument_count == 10);
    CHECK(
        a[0].bytes == 4 * 104 && !a[0].data && d[0].access == HED_WRITE && d[0].tolerance == 0.25);
    CHECK(((const float *)a[0].expected)[3] == 6);
    CHECK(a[1].bytes == 128 && d[1].access == HED_READ && d[1].type == HED_FLOAT);
    for (int i = 0; i < 32; i++)
        CHECK(((const float *)a[1].data)[i] >= 0 && ((const float *)a[1].data)[i] <= 20);
    CHECK(a[2].bytes == 12 && memcmp(a[2].data, raw, 12) == 0 &&
          memcmp(a[2].expected, raw, 12) == 0 && d[2].tolerance == 0);
    CHECK(a[3].bytes == 30 && d[3].type == HED_BYTES && d[3].access == HED_READ_WRITE &&
          ((const uint8_t *)a[3].data)[29] <= 9);
    CHECK(a[4].bytes == 12 && ((const uint8_t *)a[4].data)[11] == 0);
    CHECK(((const double *)a[5].data)[1] == 0.5 && d[5].access == HED_READ_WRITE,
        "an output is not read alone");
    CHECK(d[6].kind == HED_SCALAR && *(const int32_t *)a[6].data == 7);
    CHECK(d[7].kind == HED_STRUCT && d[7].size == 1 && *(const uint8_t *)a[7].data == 1);
    CHECK_TEXT(d[8].name, "argument 8");
    CHECK(geometry_of(spec, &(hed_config){1, {5}}).local_bytes[9] == 80);
    hed_tune_file_close(spec);
}

Test(t1, arguments_are_checked)
{
    static const struct {
        hed_status status;
        const char *argument, *words;
    } cases[] = {
        {HED_ERROR_FORMAT, "{\"MemoryType\": \"Vector\"}", "Arguments[1]: \"Type\" is missing"},
        {HED_ERROR_FORMAT, "{\"Type\": \"float\"}", "Arguments[1]: \"MemoryType\" is missing"},
        {HED_ERROR_FORMAT, "{\"Type\": \"float3\", \"MemoryType\": \"Vector\"}",
            "Arguments[1].Type: \"float3\" is no type of a T1 file"},
        {HED_ERROR_FORMAT, "{\"Type\": \"float\", \"MemoryType\": \"Symbol\"}",
            "symbols are variables of a text in CUDA C"},
        {HED_ERROR_UNSUPPORTED, VECTOR("a", "float", "\"FillType\": \"Script\", \"Size\": 1"),
            "FillType \"Script\" is not read"},
        {HED_ERROR_UNSUPPORTED, VECTOR("a", "half", "\"FillType\": \"Random\", \"Size\": 1"),
            "elements of this type can be zero or come from a file"},
        {HED_ERROR_FORMAT,
            VECTOR("a", "int32", "\"FillType\": \"Constant\", \"FillValue\": 0.5, \"Size\": 1"),
            "cannot be filled so: whole numbers"},
        {HED_ERROR_FORMAT,
            VECTOR("a", "float", "\"FillType\": \"Generator\", \"DataSource\": \"j\", \"Size\": 1"),
            "Arguments[1].DataSource: j: column 1: there is no \"j\"; known are: i"},
        {HED_ERROR_FORMAT,
            VECTOR("a", "float",
                "\"FillType\": \"Generator\", \"DataSource\": \"1 / i\", \"Size\": 1"),
            "cannot be filled so: the numbers must be finite"},
        {HED_ERROR_FORMAT, VECTOR("a", "float", "\"FillType\": \"Generator\", \"Size\": 1"),
            "\"DataSource\" is missing"},
        {HED_ERROR_FORMAT, VECTOR("a", "float", "\"FillType\": \"Constant\""),
            "\"Size\" is missing"},
        {HED_ERROR_FORMAT, VECTOR("a", "float", "\"FillType\": \"Constant\", \"Size\": \"A\""),
            "there is no \"A\""},
        {HED_ERROR_LIMIT, VECTOR("a", "float", "\"FillType\": \"Constant\", \"Size\": 1e18"),
            "more than a buffer of cuda:0 may have"},
        {HED_ERROR_IO,
            VECTOR("a", "float", "\"FillType\": \"BinaryRaw\", \"DataSource\": \"no.bin\""),
            "cannot open"},
        {HED_ERROR_FORMAT, "{\"Type\": \"int8\", \"MemoryType\": \"Scalar\", \"FillValue\": 300}",
            "a scalar of type \"int8\" cannot be 300"},
        {HED_ERROR_UNSUPPORTED,
            "{\"Type\": \"float4\", \"MemoryType\": \"Scalar\", \"FillValue\": 1}",
            "scalars of type \"float4\" are not read"},
        {HED_ERROR_FORMAT, "{\"Type\": \"int32\", \"MemoryType\": \"Scalar\"}",
            "\"FillValue\" is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char arguments[1024];
        snprintf(arguments, sizeof arguments, OUTPUT ", %s", cases[i].argument);
        refuse(cases[i].status, (pieces){.arguments = arguments}, cases[i].words);
    }
    refuse(HED_ERROR_FORMAT,
        (pieces){
            .arguments = "{\"Type\": \"int32\", \"MemoryType\": \"Scalar\", \"FillValue\": 1}"},
        "no argument can be written: none is a vector");
    refuse(HED_ERROR_FORMAT,
        (pieces){.specification =
                     "\"Language\": \"OpenCL\", \"ReferenceArguments\": [{\"Name\": \"r\", "
                     "\"TargetName\": \"q\"}], " LAUNCH},
        "ReferenceArguments[0].TargetName: there is no output called \"q\"");
    refuse(HED_ERROR_UNSUPPORTED,
        (pieces){.specification = "\"Language\": \"CUDA\", " LAUNCH,
            .arguments = OUTPUT ",{\"Type\": \"float\", \"MemoryType\": \"Local\", \"Size\": 4}"},
        "local arrays are no arguments in CUDA C; use SharedMemory");
}
