/* T4 and CSV: what they say of each outcome, letter for letter, and what becomes of a file that
 * cannot be written. */
#include "folder.h"
#include "testing.h"

#include <math.h>

#include "support/file.h"
#include "support/json.h"
#include "heddle/tune_file.h"

static hed_error error;

TestSuite(tune_results, .init = folder_make, .fini = folder_remove);

static const char *const LABELS[] = {"plain", "with, comma \"and\" quotes"};
static const int64_t SIZES[] = {8, 16}, PLACES[] = {0, 1};
static const hed_parameter_def PARAMETERS[] = {
    {.name = "WG", .values = SIZES, .count = 2, .value = 8},
    {.name = "VARIANT", .values = PLACES, .count = 2, .labels = LABELS}};
static const hed_kernel_def KERNEL = {.name = "f", .parameters = PARAMETERS, .parameter_count = 2};

static hed_tune_result result_of(hed_evaluation evaluations[3])
{
    evaluations[0] = (hed_evaluation){.config = {2, {8, 0}},
        .outcome = HED_OUTCOME_MEASURED,
        .seconds = 1.5e-3,
        .low = 1.25e-3,
        .high = 2e-3,
        .runs = 7,
        .build_seconds = 0.5,
        .at = 2,
        .error = 1e-6};
    evaluations[1] = (hed_evaluation){.config = {2, {16, 1}},
        .outcome = HED_OUTCOME_BUILD,
        .seconds = NAN,
        .low = NAN,
        .high = NAN,
        .build_seconds = 0.25,
        .at = 3,
        .error = NAN,
        .recalled = true,
        .text = "line 1: \"x\"\nline 2"};
    evaluations[2] = (hed_evaluation){.config = {2, {16, 0}},
        .outcome = HED_OUTCOME_DROPPED,
        .seconds = 3e-3,
        .low = NAN,
        .high = NAN,
        .runs = 2,
        .at = 4.5};
    return (hed_tune_result){.evaluations = evaluations, .count = 3, .best = 0};
}

static char *contents(const char *name)
{
    char *bytes;
    size_t size;
    OK(hed_file_read(in_folder(name), 1 << 20, &bytes, &size, &error));
    return bytes;
}

Test(tune_results, csv)
{
    hed_evaluation evaluations[3];
    hed_tune_result result = result_of(evaluations);
    hed_tune_report_def def = {.kernel = &KERNEL, .result = &result};
    OK(hed_tune_report_save(&def, in_folder("r.csv"), HED_REPORT_CSV, &error));
    char *text = contents("r.csv");
    EXPECT_TEXT(text,
        "WG,VARIANT,outcome,value,low,high,runs,build_seconds,at,error,recalled,winner,text\n"
        "8,plain,measured,0.0015,0.00125,0.002,7,0.5,2,1e-06,0,1,\n"
        "16,\"with, comma \"\"and\"\" quotes\",build,,,,0,0.25,3,,1,0,\"line 1: \"\"x\"\"\nline 2\"\n"
        "16,plain,dropped,0.003,,,2,0,4.5,0,0,0,\n");
    free(text);
    evaluations[0].second = 0.25;
    OK(hed_tune_report_save(&def, in_folder("r.csv"), HED_REPORT_CSV, &error));
    text = contents("r.csv");
    EXPECT(strstr(text, ",winner,joules,text\n8,plain,measured,0.0015,0.00125,0.002,7,0.5,2,1e-06,0,1,0.25,\n") &&
               strstr(text, ",dropped,0.003,,,2,0,4.5,0,0,0,,\n"),
        "%s", text);
    free(text);
}

static double rate(
    const hed_tune_metric *metric, const hed_config *config, double seconds, double joules)
{
    (void)config, (void)joules;
    return (metric->maximized ? 6 : 5) / seconds;
}

/* A metric that is the objective stands in place of the time, the others in columns of their own. */
Test(tune_results, metrics)
{
    const hed_tune_metric metrics[] = {
        {.name = "GB/s", .value = rate, .maximized = true}, {.name = "op/s", .value = rate}};
    hed_evaluation evaluations[3];
    hed_tune_result result = result_of(evaluations);
    hed_tune_report_def def = {
        .kernel = &KERNEL, .result = &result, .metrics = metrics, .metric_count = 2};
    for (uint32_t i = 0; i < result.count; i++) evaluations[i].drift = 1;
    OK(hed_tune_report_save(&def, in_folder("r.csv"), HED_REPORT_CSV, &error));
    char *text = contents("r.csv");
    EXPECT(strstr(text, ",winner,GB/s,op/s,text\n8,plain,measured,0.0015,") &&
               strstr(text, ",1,4000,3333.33333,\n"),
        "%s", text);
    free(text);
    def.objective = HED_OBJECTIVE_METRIC;
    def.metric = metrics;
    evaluations[0].second = 2e-3;
    OK(hed_tune_report_save(&def, in_folder("r.csv"), HED_REPORT_CSV, &error));
    text = contents("r.csv");
    EXPECT(strstr(text, "8,plain,measured,666.666667,500,800,") && strstr(text, ",1,0.002,2500,\n"),
        "%s", text);
    free(text);
    OK(hed_tune_report_save(&def, in_folder("r.json"), HED_REPORT_T4, &error));
    text = contents("r.json");
    EXPECT(strstr(text, "\"GB/s\"") && strstr(text, "666.66") && strstr(text, "\"op/s\""), "%s", text);
    free(text);
}

Test(tune_results, t4)
{
    static const char *const invalidities[HED_OUTCOME_COUNT] = {"correct", "correct", "constraints",
        "compile", "runtime", "correctness", "runtime", "timeout", "runtime"};
    hed_evaluation evaluations[3];
    hed_tune_result result = result_of(evaluations);
    hed_tune_report_def def = {.kernel = &KERNEL, .result = &result};
    for (int outcome = 0; outcome < HED_OUTCOME_COUNT; outcome++) {
        evaluations[1].outcome = (hed_outcome)outcome;
        OK(hed_tune_report_save(&def, in_folder("r.json"), HED_REPORT_T4, &error));
        hed_json *json;
        OK(hed_json_read(in_folder("r.json"), &json, &error));
        hed_json_node root = hed_json_root(json), list = hed_json_member(root, "results");
        CHECK_TEXT(hed_json_string(hed_json_member(root, "schema_version")), "1.0.0");
        CHECK(hed_json_count(list) == 3);
        hed_json_node first = hed_json_item(list, 0), second = hed_json_item(list, 1);
        hed_json_node configuration = hed_json_member(first, "configuration"),
                      times = hed_json_member(first, "times");
        hed_json_node time = hed_json_item(hed_json_member(first, "measurements"), 0);
        EXPECT(hed_json_integer(hed_json_member(configuration, "WG"), 0, 100) == 8);
        EXPECT_TEXT(hed_json_string(hed_json_member(configuration, "VARIANT")), "plain");
        EXPECT_TEXT(
            hed_json_string(hed_json_member(hed_json_member(second, "configuration"), "VARIANT")),
            LABELS[1]);
        EXPECT(hed_json_number(hed_json_member(times, "compilation_time"), 0, 1e6) == 500);
        EXPECT(
            hed_json_number(hed_json_item(hed_json_member(times, "runtimes"), 0), 0, 1e6) == 1.5);
        EXPECT(hed_json_number(hed_json_member(time, "value"), 0, 1e6) == 1.5);
        EXPECT_TEXT(hed_json_string(hed_json_member(time, "unit")), "ms");
        EXPECT_TEXT(
            hed_json_string(hed_json_item(hed_json_member(first, "objectives"), 0)), "time");
        EXPECT_TEXT(hed_json_string(hed_json_member(first, "invalidity")), "correct");
        EXPECT_TEXT(hed_json_string(hed_json_member(second, "invalidity")), invalidities[outcome],
            "%s", hed_outcome_name(outcome));
        EXPECT(hed_json_integer(hed_json_member(second, "correctness"), 0, 1) ==
               (outcome <= HED_OUTCOME_DROPPED));
        OK(hed_json_status(json, &error));
        hed_json_free(json);
    }
    def.objective = HED_OBJECTIVE_ENERGY;
    evaluations[2].second = 0.125; /* s */
    OK(hed_tune_report_save(&def, in_folder("r.json"), HED_REPORT_T4, &error));
    hed_json *json;
    OK(hed_json_read(in_folder("r.json"), &json, &error));
    hed_json_node last = hed_json_item(hed_json_member(hed_json_root(json), "results"), 2),
                  second = hed_json_item(hed_json_member(last, "measurements"), 1);
    EXPECT_TEXT(hed_json_string(hed_json_member(second, "name")), "time");
    EXPECT(hed_json_number(hed_json_member(second, "value"), 0, 1e6) == 125);
    OK(hed_json_status(json, &error));
    hed_json_free(json);
    char *text = contents("r.json");
    EXPECT(strstr(text, "\"energy\"") && strstr(text, "\"J\"") && strstr(text, "\"failed\"") &&
           !strstr(text, "nan"));
    free(text);
}

Test(tune_results, files_that_cannot_be_written)
{
    hed_evaluation evaluations[3];
    hed_tune_result result = result_of(evaluations);
    hed_tune_report_def def = {.kernel = &KERNEL, .result = &result};
    FAILS(
        HED_ERROR_IO, hed_tune_report_save(&def, in_folder("none/r.csv"), HED_REPORT_CSV, &error));
    FAILS(
        HED_ERROR_IO, hed_tune_report_save(&def, in_folder("none/r.json"), HED_REPORT_T4, &error));
    FAILS(HED_ERROR_IO, hed_tune_report_save(&def, "/dev/full", HED_REPORT_CSV, &error));
    FAILS(HED_ERROR_IO, hed_tune_report_save(&def, "/dev/full", HED_REPORT_T4, &error));
    EXPECT(strstr(error.text, "/dev/full"), "%s", error.text);
}
