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
