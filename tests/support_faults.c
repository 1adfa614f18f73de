/* Memory that runs out in support/: the n-th allocation fails, for every n, those of jansson and
 * libpng included. Each time the status has to be MEMORY and everything else has to be given
 * back. */
#include <fcntl.h>
#include <unistd.h>

#include "failing_malloc.h"
#include "benchmarks/bench.h"
#include "support/json.h"
#include "cli/common/options.h"
#include "support/png.h"
#include "cli/synth/spectrogram.h"
#include "heddle/tune_file.h"

/* ---- what is tried ---- */

static char path[] = "/tmp/heddle-faults-XXXXXX";

static hed_status try_json(void)
{
    /* The long string finds no room for a byte, and then a number clears errno. */
    static const char text[] =
        "{\"a\": [1, {\"\\u0062\": 3}], \"a string that needs more room than the reader has at first\": 12345}";
    hed_error error = {0};
    hed_json *json;
    hed_status status = hed_json_parse("a.json", text, sizeof text - 1, &json, &error);
    if (status != HED_OK) return status;
    /* A complaint needs memory too, to find its place; without it the place is lost, not the
     * complaint. */
    hed_json_string(
        hed_json_member(hed_json_item(hed_json_member(hed_json_root(json), "a"), 1), "b"));
    if (hed_json_status(json, &error) != HED_ERROR_FORMAT) abort();
    hed_json_free(json);
    return HED_OK;
}

static hed_status try_png(void)
{
    hed_error error = {0};
    hed_image image;
    hed_status status = hed_image_create(30, 20, 3, &image, &error);
    if (status != HED_OK) return status;
    memset(image.pixels, 7, 30 * 20 * 3);
    status = hed_png_write(path, &image, &error);
    hed_image_free(&image);
    if (status == HED_OK) status = hed_png_read(path, &image, &error);
    hed_image_free(&image);
    return status;
}

static hed_status try_spectrogram(void)
{
    float samples[300] = {1};
    hed_spectrogram_def def = hed_default_spectrogram_def();
    def.samples = samples;
    def.frames = 300;
    def.width = def.height = 16;
    def.window = 64;
    hed_image image;
    hed_error error = {0};
    hed_status status = hed_spectrogram_draw(&def, &image, &error);
    hed_image_free(&image);
    return status;
}

static hed_status try_bench(bool json)
{
    hed_error error = {0};
    hed_bench_record record = {"a", "b", "c", 1, "u", 2, 3, "d", 4};
    FILE *stream = fopen("/dev/null", "w");
    if (!stream) return HED_ERROR_MEMORY;
    cli_report *bench = cli_report_create(json);
    for (int i = 0; i < 20; i++) hed_bench_add(bench, &record);
    hed_status status = cli_report_print(bench, stream, &error);
    cli_report_free(bench);
    fclose(stream);
    return status;
}

static hed_status try_records(void) { return try_bench(true); }

static hed_status try_table(void) { return try_bench(false); }

static int run_nothing(const hed_arguments *arguments, void *user)
{
    (void)arguments;
    (void)user;
    return 0;
}

static hed_status try_options(void)
{
    static const hed_command command = {.name = "tool", .summary = "a tool", .run = run_nothing};
    hed_error error = {0};
    hed_arguments arguments;
    char *words[] = {"tool"};
    hed_status status = hed_options_parse(&command, 1, words, &arguments, &error);
    hed_arguments_free(&arguments);
    return status;
}

/* Loads a tune file of this text, which names itself as the kernel's. */
static hed_status try_spec(const char *text)
{
    static const hed_device_info device = {.id = "a device", .max_group = 1024};
    hed_error error = {0};
    hed_tune_file *spec;
    int file = open(path, O_WRONLY | O_TRUNC); /* not stdio: what fails is for the loader */
    if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text)) abort();
    close(file);
    hed_status status = hed_tune_file_open(path, &device, &spec, &error);
    if (status != HED_OK && !error.text[0]) abort();
    hed_tune_file_close(spec);
    return status;
}

static hed_status try_tune_file(void)
{
    char text[2048];
    snprintf(text, sizeof text,
        "{\"kernel\": \"f\", \"source\": \"%s\", \"problem\": {\"n\": 9}, \"parameters\": {\"A\": [1, 2],"
        "\"V\": {\"choices\": [\"x\", \"y\"]}}, \"constraints\": [\"A > 0\"], \"conditions\": {\"A\": \"V == 'x'\"},"
        "\"defines\": {\"D\": 1}, \"group\": [\"A\"], \"work\": {\"bytes\": \"n\"}, \"max_threads\": \"A*2\","
        "\"arguments\": [{\"name\": \"y\", \"type\": \"int\", \"access\": \"read_write\", \"size\": \"n\", \"fill\": \"zeros\"},"
        "{\"name\": \"n\", \"type\": \"long\", \"value\": \"n\"}, {\"name\": \"l\", \"kind\": \"local\", \"type\": \"int\","
        "\"size\": \"A\"}], \"reference\": {\"kernel\": \"g\", \"parameters\": {\"A\": 3}}}",
        strrchr(path, '/') + 1);
    return try_spec(text);
}

static hed_status try_t1(void)
{
    char text[2048];
    snprintf(text, sizeof text,
        "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"A\", \"Type\": \"int\", \"Values\": \"[1] + [2*i for i in"
        " range(3)]\"}, {\"Name\": \"T\", \"Type\": \"string\", \"Values\": \"['a', 'b']\"}], \"Conditions\": [{\"Expression\":"
        "\"A < max(A)\"}]}, \"KernelSpecification\": {\"Language\": \"CUDA\", \"CompilerOptions\": [\"-DX=1\"], \"KernelName\": \"f\","
        "\"KernelFile\": \"%s\", \"LocalSize\": {\"X\": \"A\"}, \"ProblemSize\": [8], \"GridDivX\": [\"A\", 2], \"SharedMemory\": 8,"
        "\"Arguments\": [{\"Type\": \"float\", \"MemoryType\": \"Vector\", \"Name\": \"y\", \"Size\": \"ProblemSize[0]\","
        "\"FillType\": \"Generator\", \"DataSource\": \"i\"}, {\"Type\": \"int8\", \"MemoryType\": \"Scalar\", \"FillValue\": 1}],"
        "\"ReferenceArguments\": [{\"TargetName\": \"y\", \"FillType\": \"Random\"}]}}",
        strrchr(path, '/') + 1);
    return try_spec(text);
}

static const int64_t one = 1;
static const char *const label = "label";
static const hed_parameter_def parameter = {
    .name = "P", .values = &one, .count = 1, .value = 1, .labels = &label};
static const hed_kernel_def kernel = {.name = "k", .parameters = &parameter, .parameter_count = 1};
static hed_evaluation evaluation = {.config = {1, {1}}, .seconds = 1, .drift = 1};
static const hed_tune_result results = {.evaluations = &evaluation, .count = 1};

static hed_status try_t4(void)
{
    hed_error error = {0};
    return hed_tune_report_save(
        &(hed_tune_report_def){.kernel = &kernel, .result = &results}, path, HED_REPORT_T4, &error);
}

static hed_status try_csv(void)
{
    hed_error error = {0};
    return hed_tune_report_save(&(hed_tune_report_def){.kernel = &kernel, .result = &results}, path,
        HED_REPORT_CSV, &error);
}

static hed_status try_report(void)
{
    static const int64_t two[] = {1, 2};
    static const hed_parameter_def wide = {.name = "P", .values = two, .count = 2, .value = 1};
    static const hed_kernel_def described = {
        .name = "k", .parameters = &wide, .parameter_count = 1};
    static const hed_device_info device = {.id = "d", .name = "device"};
    const hed_tune_report_def def = {.kernel = &described, .device = &device, .result = &results};
    hed_error error = {0};
    return hed_tune_report_save(&def, path, HED_REPORT_HTML, &error);
}

static hed_status try_object(void)
{
    hed_error error = {0};
    FILE *stream = fopen("/dev/null", "w");
    if (!stream) return HED_ERROR_MEMORY;
    cli_report *report = cli_report_create(true);
    cli_report_begin(report);
    cli_report_open(report, "inner");
    cli_report_more(report, CLI_WHOLE("a", 1));
    cli_report_close(report);
    cli_report_open_list(report, "list");
    cli_report_row(report, CLI_WHOLE("c", 2));
    cli_report_close(report);
    cli_report_more(report, CLI_TEXT("b", "text"));
    hed_status status = cli_report_print_one(report, stream, &error);
    cli_report_free(report);
    fclose(stream);
    return status;
}

int main(void)
{
    static const fault_case cases[] = {{"json", try_json}, {"png", try_png},
        {"spectrogram", try_spectrogram}, {"records", try_records}, {"table", try_table},
        {"options", try_options}, {"tune file", try_tune_file}, {"T1", try_t1}, {"T4", try_t4},
        {"CSV", try_csv}, {"report", try_report}, {"object", try_object}};
    int file = mkstemp(path);
    if (file < 0) return 1;
    close(file);
    int bad = try_all(cases, sizeof cases / sizeof *cases);
    remove(path);
    return bad != 0;
}
