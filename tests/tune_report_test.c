/* The numbers of a tuning's report, and that the page holds them, escaped. tune_report_browser.sh
 * looks at it in a browser. */
#include "testing.h"
#include "tune_synthetic.h"

#include "support/file.h"
#include "tunefile/report_numbers.h"

/* ---- numbers ---- */

Test(tune_report, outcomes_are_counted_with_an_example_each)
{
    synthetic_tuning t = synthetic_make(500, 7);
    uint32_t counts[HED_OUTCOME_COUNT], examples[HED_OUTCOME_COUNT], sum = 0;
    hed_report_count(&t.result, counts, examples);
    for (int outcome = 0; outcome < HED_OUTCOME_COUNT; outcome++) {
        sum += counts[outcome];
        CHECK(counts[outcome] > 0);
        EXPECT((int)t.result.evaluations[examples[outcome]].outcome == outcome);
        for (uint32_t i = 0; i < examples[outcome]; i++)
            EXPECT((int)t.result.evaluations[i].outcome != outcome, "not the first one");
    }
    EXPECT(sum == 500);
    EXPECT(hed_report_failed(counts) ==
           500 - counts[HED_OUTCOME_MEASURED] - counts[HED_OUTCOME_DROPPED]);
    t.result.count = 0;
    hed_report_count(&t.result, counts, examples);
    EXPECT(counts[0] == 0 && examples[0] == 0);
    synthetic_free(&t);
}

Test(tune_report, the_winner_leads_though_another_one_is_faster)
{
    synthetic_tuning t = synthetic_make(500, 7);
    uint32_t order[10], all[500];
    uint32_t best = t.result.best;
    CHECK(hed_report_top(&t.result, order, 10) == 10);
    EXPECT(order[0] == best);
    for (uint32_t i = 1; i < 10; i++)
        EXPECT(
            t.result.evaluations[order[i - 1]].seconds <= t.result.evaluations[order[i]].seconds);
    t.result.best = order[3]; /* a stored choice that was kept */
    CHECK(hed_report_top(&t.result, order, 10) == 10);
    EXPECT(order[0] == t.result.best && order[1] == best);
    uint32_t count = hed_report_top(&t.result, all, 500), counts[HED_OUTCOME_COUNT],
             examples[HED_OUTCOME_COUNT];
    hed_report_count(&t.result, counts, examples);
    EXPECT(count == 500 - hed_report_failed(counts));
    for (uint32_t i = 1; i < count; i++)
        EXPECT(t.result.evaluations[all[i - 1]].outcome <= t.result.evaluations[all[i]].outcome,
            "what was dropped comes last");
    t.result.count = 3;
    t.result.best = 0;
    EXPECT(hed_report_top(&t.result, order, 10) <= 3);
    synthetic_free(&t);
}

Test(tune_report, times_are_compared_at_one_pace)
{
    synthetic_tuning t = synthetic_make(500, 7);
    uint32_t order[2], slow = t.result.best;
    CHECK(hed_report_top(&t.result, order, 2) == 2);
    hed_evaluation *second = &t.result.evaluations[order[1]];
    double value = second->seconds;
    second->seconds *= 3; /* the device had other work just then, and that was seen */
    second->pace = 3;
    EXPECT_NEAR(hed_report_value(&t.result, order[1]), value, 1e-9 * value);
    uint32_t again[2];
    CHECK(hed_report_top(&t.result, again, 2) == 2 && again[1] == order[1]);
    t.result.evaluations[slow].pace = 2; /* all are told at the pace of the winner's */
    EXPECT_NEAR(hed_report_value(&t.result, order[1]), 2 * value, 1e-9 * value);
    EXPECT_NEAR(hed_report_value(&t.result, slow), t.result.evaluations[slow].seconds, 1e-12);
    EXPECT(isnan(hed_report_value(&t.result, t.result.count)));
    synthetic_free(&t);
}

Test(tune_report, axes_are_the_groups_width_and_height)
{
    synthetic_tuning t = synthetic_make(500, 7);
    uint32_t axes[2];
    hed_report_choose_axes(t.def.kernel, &t.result, axes);
    EXPECT_TEXT(t.def.kernel->parameters[axes[0]].name, "WG_X");
    EXPECT_TEXT(t.def.kernel->parameters[axes[1]].name, "WG_Y");
    synthetic_free(&t);
}

Test(tune_report, axes_are_the_most_important_ones_without_a_geometry)
{
    synthetic_tuning t = synthetic_make(500, 7);
    hed_kernel_def kernel = *t.def.kernel;
    uint32_t axes[2], order[HED_MAX_PARAMETERS];
    kernel.geometry = NULL;
    hed_report_choose_axes(&kernel, &t.result, axes);
    EXPECT_TEXT(kernel.parameters[axes[0]].name, "WG_X");
    EXPECT_TEXT(kernel.parameters[axes[1]].name, "TILE_Y");
    hed_report_rank(&kernel, &t.result, order);
    for (uint32_t i = 1; i < kernel.parameter_count; i++)
        EXPECT(t.result.importance[order[i - 1]] >= t.result.importance[order[i]]);
    kernel.parameter_count = 1;
    hed_report_choose_axes(&kernel, &t.result, axes);
    EXPECT(axes[0] == 0 && axes[1] == 1, "there is no second one");
    kernel.parameter_count = 0;
    hed_report_choose_axes(&kernel, &t.result, axes);
    EXPECT(axes[0] == 0 && axes[1] == 0);
    synthetic_free(&t);
}

/* By hand, over all evaluations for each cell. */
Test(tune_report, a_cell_has_the_best_of_its_pair)
{
    synthetic_tuning t = synthetic_make(700, 5);
    const hed_kernel_def *kernel = t.def.kernel;
    uint32_t axes[2] = {0, 3}, columns = kernel->parameters[0].count,
             rows = kernel->parameters[3].count, worked = 0, failed = 0;
    hed_report_cell cells[256];
    CHECK(rows * columns <= 256);
    hed_report_fill(kernel, &t.result, axes, cells);
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t column = 0; column < columns; column++) {
            double best = INFINITY;
            const hed_report_cell *cell = &cells[row * columns + column];
            for (uint32_t i = 0; i < t.result.count; i++) {
                const hed_evaluation *e = &t.result.evaluations[i];
                if (e->config.values[0] == kernel->parameters[0].values[column] &&
                    e->config.values[3] == kernel->parameters[3].values[row] &&
                    e->outcome == HED_OUTCOME_MEASURED)
                    best = fmin(best, e->seconds);
            }
            worked += cell->worked;
            failed += cell->failed;
            if (best < INFINITY) EXPECT(t.result.evaluations[cell->best].seconds == best);
            else
                EXPECT(cell->best == t.result.count ||
                       t.result.evaluations[cell->best].outcome == HED_OUTCOME_DROPPED);
        }
    EXPECT(worked + failed == 700);
    synthetic_free(&t);
}

Test(tune_report, bounds_and_units)
{
    hed_tune_result r = {
        .work = {.bytes = 1e9, .operations = 1e9}, .bandwidth = 1e11, .arithmetic = 1e12};
    EXPECT(hed_report_bound(&r) == HED_BOUND_MEMORY);
    r.work.operations = 1e11;
    EXPECT(hed_report_bound(&r) == HED_BOUND_ARITHMETIC);
    r.arithmetic = 0;
    EXPECT(hed_report_bound(&r) == HED_BOUND_MEMORY);
    r.work.bytes = 0;
    EXPECT(hed_report_bound(&r) == HED_BOUND_UNKNOWN);
    static const struct {
        hed_objective objective;
        double value;
        const char *text;
    } cases[] = {{HED_OBJECTIVE_TIME, 1.2345e-3, "1.23 ms"}, {HED_OBJECTIVE_TIME, 999.6e-6, "1 ms"},
        {HED_OBJECTIVE_TIME, 4e-9, "4 ns"}, {HED_OBJECTIVE_TIME, 12345, "12345 s"},
        {HED_OBJECTIVE_ENERGY, 0.25, "250 mJ"}, {HED_OBJECTIVE_METRIC, 3.14159, "3.142"},
        {HED_OBJECTIVE_TIME, NAN, "-"}, {HED_OBJECTIVE_TIME, 45.67e-6, "45.7 us"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[48];
        hed_report_text(cases[i].objective, cases[i].value, text, sizeof text);
        EXPECT_TEXT(text, cases[i].text);
    }
}

/* ---- the page ---- */

static char *page;

static void write_page(synthetic_tuning *t)
{
    char path[] = "/tmp/heddle-report-XXXXXX";
    hed_error error;
    size_t size;
    int descriptor = mkstemp(path);
    CHECK(descriptor >= 0);
    free(page);
    OK(hed_tune_report_write(path, HED_REPORT_HTML, synthetic_def(t), &error));
    OK(hed_file_read(path, 10000000, &page, &size, &error));
    EXPECT(size < 500000, "%zu bytes", size);
    remove(path);
}

static size_t count_of(const char *part)
{
    size_t count = 0;
    for (const char *at = page; (at = strstr(at, part)); at += strlen(part)) count++;
    return count;
}

Test(tune_report, a_mark_for_each_evaluation_in_a_small_file)
{
    synthetic_tuning t = synthetic_make(7000, 1);
    write_page(&t);
    EXPECT(count_of("h0") == 7000, "%zu", count_of("h0"));
    EXPECT(count_of("class=outline") >= 1);
    EXPECT(count_of("<tr class=winner>") == 1 && count_of("<td>tie</td>") == 2);
    EXPECT(count_of("http") == 0, "it fetches something");
    EXPECT(strstr(page, "51 %") || strstr(page, "50 %"));
    synthetic_free(&t);
}

/* Two parameters of 250 values each: no cell is left with a number in it. */
Test(tune_report, a_map_of_many_cells_is_small_too)
{
    synthetic_tuning t = synthetic_make(7000, 1);
    hed_kernel_def kernel = {.name = "wide", .parameter_count = 2};
    int64_t values[250];
    for (int i = 0; i < 250; i++) values[i] = i;
    kernel.parameters =
        (const hed_parameter_def[]){{"A", values, 250, 0, NULL}, {"B", values, 250, 0, NULL}};
    uint32_t worked = 0;
    for (uint32_t i = 0; i < t.result.count; i++) {
        t.result.evaluations[i].config = (hed_config){2, {i % 250, i / 250}};
        worked += hed_report_has_value(&t.result.evaluations[i]);
    }
    t.def.kernel = &kernel;
    write_page(&t);
    EXPECT(count_of("h1v1h-1z") == worked && count_of("class=number") == 0);
    EXPECT(count_of("class=outline") == 1);
    synthetic_free(&t);
}

Test(tune_report, what_comes_from_outside_is_escaped)
{
    synthetic_tuning t = synthetic_make(60, 1);
    hed_kernel_def kernel = *t.def.kernel;
    hed_parameter_def parameters[HED_MAX_PARAMETERS];
    memcpy(parameters, kernel.parameters, kernel.parameter_count * sizeof *parameters);
    parameters[0].name = "A<b>\"&'";
    parameters[4].labels = (const char *const[]){"</script><b>", "on"};
    kernel.parameters = parameters;
    kernel.name = "</title><script>alert(1)</script>";
    kernel.summary = "bad \x80 utf-8 \xed\xa0\x80 and \x01 control, good \xc3\xa9";
    t.def.kernel = &kernel;
    t.def.origin = "<img src=x>";
    t.def.settings = "<i>";
    t.result.in_process = true;
    t.result.in_process_reason = "<u>";
    t.result.evaluations[5].outcome = HED_OUTCOME_BUILD;
    snprintf(
        t.result.evaluations[5].text, sizeof t.result.evaluations[5].text, "vector<int> & </pre>");
    write_page(&t);
    EXPECT(count_of("alert(1)") == count_of("&#60;script&#62;alert(1)"));
    EXPECT(count_of("<script") == 2 && count_of("</script>") == 2, "ours alone");
    EXPECT(count_of("<b>") == 0 && count_of("<img") == 0 && count_of("<i>") == 0 &&
           count_of("<u>") == 0);
    EXPECT(strstr(page, "vector&#60;int&#62; &#38; &#60;/pre&#62;"));
    EXPECT(strstr(page, "good \xc3\xa9") && !strstr(page, "\xed\xa0") && !strchr(page, 1));
    synthetic_free(&t);
}

Test(tune_report, strange_results_make_a_page_too)
{
    hed_kernel_def bare = {.name = "bare"};
    synthetic_tuning t = synthetic_make(60, 1);
    for (int step = 0; step < 5; step++) {
        if (step == 1) /* nothing worked */
            for (uint32_t i = 0; i < t.result.count; i++)
                t.result.evaluations[i] = (hed_evaluation){.config = t.result.evaluations[i].config,
                    .outcome = HED_OUTCOME_BUILD,
                    .seconds = NAN,
                    .pace = 1};
        if (step == 1) t.result.best = t.result.default_index = t.result.count;
        if (step == 2)
            t.result.best = t.result.default_index = t.result.stored_index = t.result.count = 0;
        if (step == 0 || step == 3) {
            t.result.work = (hed_work){0};
            t.result.share = t.result.gain = NAN;
        }
        if (step == 4) t.def = (hed_tune_report_def){.kernel = &bare};
        write_page(&t);
        EXPECT(strstr(page, "</html>"));
        EXPECT(!strstr(page, "nan") && !strstr(page, "inf%"), "step %d", step);
    }
    synthetic_free(&t);
}

Test(tune_report, one_evaluation_and_equal_times)
{
    synthetic_tuning t = synthetic_make(2, 1);
    for (uint32_t i = 0; i < 2; i++) {
        t.result.evaluations[i].outcome = HED_OUTCOME_MEASURED;
        t.result.evaluations[i].seconds = t.result.evaluations[i].low =
            t.result.evaluations[i].high = 1e-3;
    }
    write_page(&t);
    EXPECT(count_of("h0") == 2 && !strstr(page, "nan"));
    t.result.count = 1;
    t.result.best = 0;
    write_page(&t);
    EXPECT(count_of("h0") == 1 && !strstr(page, "nan"));
    synthetic_free(&t);
}

Test(tune_report, a_folder_that_is_not_there)
{
    synthetic_tuning t = synthetic_make(10, 1);
    hed_error error;
    FAILS(HED_ERROR_IO,
        hed_tune_report_write("/nowhere/report.html", HED_REPORT_HTML, synthetic_def(&t), &error));
    EXPECT(strstr(error.text, "/nowhere"));
    synthetic_free(&t);
}
