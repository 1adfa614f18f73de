/* What the live view of a tuning shows, in the lines that it writes where there is no terminal. */
#include "testing.h"

#include "cli/tune/tune_command.h"

#include <math.h>

static double best_after(cli_tune_view *view, double at, double seconds)
{
    hed_evaluation best = {.outcome = HED_OUTCOME_MEASURED, .seconds = seconds};
    hed_tune_progress progress = {.last = &best, .best = isnan(seconds) ? NULL : &best,
        .done = (uint32_t)at, .total = 9, .space = 9, .seconds = at, .default_seconds = NAN,
        .share = NAN, .stage = "search"};
    cli_tune_view_update(view, &progress);
    return view->progress.best ? view->best.seconds : NAN;
}

/* The tuning's own best may rise, where the pace of the device is told anew. */
static double rate(
    const hed_tune_metric *metric, const hed_config *config, double seconds, double joules)
{
    (void)metric, (void)config, (void)joules;
    return 6 / seconds;
}

/* A line of the progress has the metrics of the best. */
Test(tune_view, metrics_are_shown)
{
    static const hed_kernel_def kernel = {.name = "made up"};
    const hed_tune_metric metrics[] = {{.name = "GB/s", .value = rate}};
    hed_tune_def def = hed_default_tune_def();
    char line[512] = "";
    def.metrics = metrics;
    def.metric_count = 1;
    cli_tune_view view;
    cli_tune_view_open(&view, &kernel, &def, "made up", CLI_VIEW_BESIDE);
    view.stream = tmpfile();
    CHECK(view.stream);
    best_after(&view, 6, 3e-3);
    rewind(view.stream);
    CHECK(fgets(line, sizeof line, view.stream));
    EXPECT(strstr(line, "best 3 ms, 2000 GB/s"), "%s", line);
    fclose(view.stream);
    view.stream = NULL;
    cli_tune_view_close(&view);
}

Test(tune_view, the_best_never_rises)
{
    static const hed_kernel_def kernel = {.name = "made up"};
    const hed_tune_def def = hed_default_tune_def();
    cli_tune_view view;
    cli_tune_view_open(&view, &kernel, &def, "made up", CLI_VIEW_LIVE);
    EXPECT(isnan(best_after(&view, 1, NAN)));
    EXPECT_EQ(best_after(&view, 2, 3e-3), 3e-3);
    EXPECT_EQ(best_after(&view, 3, 4e-3), 3e-3);
    EXPECT_EQ(best_after(&view, 4, NAN), 3e-3);
    EXPECT_EQ(best_after(&view, 5, 2e-3), 2e-3);
    EXPECT_EQ(best_after(&view, 6, 9e-3), 2e-3);
    for (uint32_t i = 1; i < view.history_count; i++)
        EXPECT(view.history[i] <= view.history[i - 1]);
    cli_tune_view_close(&view);
}

static void check_sizes(const char *text, hed_outcome other, const char *words)
{
    static const hed_parameter_def parameter = {.name = "WG_X"};
    static const char *const dimensions[] = {"n"};
    static const hed_kernel_def kernel = {.name = "made up",
        .language = HED_GLSL,
        .dimension_count = 1,
        .dimensions = dimensions,
        .parameters = &parameter,
        .parameter_count = 1};
    hed_evaluation all[4] = {{.outcome = HED_OUTCOME_MEASURED}, {.outcome = other}};
    for (int i = 2; i < 4; i++) all[i].outcome = HED_OUTCOME_WRONG;
    for (int i = 1; i < 4; i++) snprintf(all[i].text, sizeof all[i].text, "%s", text);
    const hed_tune_result result = {.evaluations = all, .count = 4, .elements = 100};
    char *printed = NULL;
    size_t size;
    FILE *to = open_memstream(&printed, &size);
    cli_tune_print_groups(&kernel, &result, to);
    fclose(to);
    if (words) EXPECT(strstr(printed, words), "%s", printed);
    else EXPECT_TEXT(printed, "");
    free(printed);
}

/* Sizes that are all wrong but one have their causes told, by what is wrong about them. */
Test(tune_view, causes_of_wrong_sizes)
{
    check_sizes("y[512] is 38, expected 63", HED_OUTCOME_WRONG, "no other size has these results");
    check_sizes("y[512] is 38, expected 63", HED_OUTCOME_MEASURED, NULL);
    check_sizes("does not write element 7 of y", HED_OUTCOME_WRONG, "\"groups\": [\"ceil_div(n, WG_X)\"]");
}
