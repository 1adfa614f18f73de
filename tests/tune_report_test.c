/* The numbers of a tuning's report, and that the page holds them, escaped. tune_report_browser.sh
 * looks at it in a browser, where its script has drawn. */
#include "testing.h"
#include "tune_synthetic.h"

#include "support/file.h"
#include "support/json.h"
#include "tunefile/report/report_numbers.h"

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

/* Accuracy is bought with time: each of the front is the fastest with at most half of the error before it. */
Test(tune_report, the_front_of_time_and_accuracy)
{
    synthetic_tuning t = synthetic_make(500, 7);
    uint32_t front[4], order[500], count = hed_report_top(&t.result, order, 500), measured = 0;
    CHECK(hed_report_front(&t.result, front, 4) == 1 && front[0] == t.result.best);
    while (
        measured < count && t.result.evaluations[order[measured]].outcome == HED_OUTCOME_MEASURED)
        measured++;
    CHECK_GT(measured, 30);
    for (uint32_t i = 0; i < measured; i++) t.result.evaluations[order[i]].error = 1e-3;
    t.result.evaluations[order[5]].error = 6e-4; /* not half of the winner's */
    t.result.evaluations[order[10]].error = 2e-4;
    t.result.evaluations[order[12]].error = 1e-5; /* slower, and at once better than half */
    t.result.evaluations[order[20]].error = 0;
    t.result.evaluations[order[25]].error = 0;
    CHECK_EQ(hed_report_front(&t.result, front, 4), 4u);
    EXPECT(front[1] == order[10] && front[2] == order[12] && front[3] == order[20]);
    CHECK_EQ(hed_report_front(&t.result, front, 2), 2u);
    t.result.evaluations[t.result.best].error = NAN; /* not checked */
    CHECK_EQ(hed_report_front(&t.result, front, 4), 0u);
    synthetic_free(&t);
}

/* No configuration of the front is beaten in both by another one, beyond the counter's accuracy, and each
 * configuration outside is. */
Test(tune_report, the_front_of_time_and_energy)
{
    synthetic_tuning t = synthetic_make(500, 7);
    hed_tune_result *r = &t.result;
    uint32_t front[32];
    CHECK_EQ(hed_report_both(r, front, 32), 0u, "no energy is measured");
    synthetic_energy(&t);
    uint32_t count = hed_report_both(r, front, 32);
    CHECK(count > 3 && count < 32 && front[0] == r->best, "%u", count);
    EXPECT_EQ(hed_report_both(r, front, 2), 2u);
    hed_report_both(r, front, 32);
    for (uint32_t i = 1; i < count; i++) {
        CHECK_GT(hed_report_value(r, front[i]), hed_report_value(r, front[i - 1]));
        CHECK(r->evaluations[front[i]].second <= 0.98 * r->evaluations[front[i - 1]].second);
    }
    for (uint32_t i = 0; i < r->count; i++) {
        bool is_beaten = !(r->evaluations[i].second > 0);
        for (uint32_t j = 0; j < count; j++)
            is_beaten = is_beaten || front[j] == i ||
                        (hed_report_value(r, front[j]) <= hed_report_value(r, i) &&
                            0.98 * r->evaluations[front[j]].second <= r->evaluations[i].second);
        CHECK(is_beaten, "evaluation %u is missing", i);
    }
    CHECK_LT(hed_report_both_count(r), r->count);
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
    second->drift = 3;
    EXPECT_NEAR(hed_report_value(&t.result, order[1]), value, 1e-9 * value);
    uint32_t again[2];
    CHECK(hed_report_top(&t.result, again, 2) == 2 && again[1] == order[1]);
    t.result.evaluations[slow].drift = 2; /* all are told at the pace of the winner's */
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

/* A loaded machine may end the default too early as the reference, and let it run later. */
Test(tune_report, a_default_that_ran_later_is_not_called_broken)
{
    synthetic_tuning t = synthetic_make(10, 7);
    char text[512];
    hed_report_reference(t.def.kernel, &t.result, text, sizeof text);
    EXPECT_TEXT(text, "");
    t.result.reference_config = t.result.evaluations[3].config;
    snprintf(t.result.reference_reason, sizeof t.result.reference_reason, "hung: not done in time");
    t.result.evaluations[0].outcome = HED_OUTCOME_HUNG;
    hed_report_reference(t.def.kernel, &t.result, text, sizeof text);
    EXPECT(strstr(text, ", since the default does not work: hung: not done in time"), "%s", text);
    EXPECT(!strstr(text, "either may be right"), "%s", text);
    t.result.evaluations[0].outcome = HED_OUTCOME_WRONG;
    hed_report_reference(t.def.kernel, &t.result, text, sizeof text);
    EXPECT(strstr(text, ", since the default did not work at first: hung: not done in time; it ran "
                        "later, and gives other results than this reference: either may be right"),
        "%s", text);
    synthetic_free(&t);
}

/* ---- the page ---- */

static char *page;
static hed_json *json;
static hed_json_node data; /* what the page's script reads */

static void write_page(synthetic_tuning *t)
{
    char path[] = "/tmp/heddle-report-XXXXXX";
    hed_error error = {0};
    size_t size;
    int descriptor = mkstemp(path);
    CHECK(descriptor >= 0);
    free(page);
    hed_json_free(json);
    OK(hed_tune_report_save(synthetic_def(t), path, HED_REPORT_HTML, &error));
    OK(hed_file_read(path, 10000000, &page, &size, &error));
    EXPECT(size < 500000, "%zu bytes", size);
    remove(path);
    const char *begin = strstr(page, "id=data>");
    CHECK(begin && strstr(begin, "</script>"));
    begin += strlen("id=data>");
    OK(hed_json_parse("data", begin, (size_t)(strstr(begin, "</script>") - begin), &json, &error));
    data = hed_json_root(json);
}

static size_t count_of(const char *part)
{
    size_t count = 0;
    for (const char *at = page; (at = strstr(at, part)); at += strlen(part)) count++;
    return count;
}

static const char *text_of(const char *key) { return hed_json_string(hed_json_member(data, key)); }

static uint32_t index_of(hed_json_node object, const char *key)
{
    return (uint32_t)hed_json_integer(hed_json_member(object, key), 0, UINT32_MAX);
}

/* What the script draws from is every evaluation, the best ten, and an example of each failure. */
Test(tune_report, every_evaluation_in_a_small_file)
{
    synthetic_tuning t = synthetic_make(7000, 1);
    write_page(&t);
    hed_json_node parameters = hed_json_member(data, "parameters"),
                  outcomes = hed_json_member(data, "outcomes"),
                  values = hed_json_member(data, "values"), top = hed_json_member(data, "top");
    const char *at = text_of("configs");
    CHECK(hed_json_count(values) == 7000 && strlen(at) == 7000 * 15);
    for (uint32_t i = 0; i < 7000; i++) {
        const hed_evaluation *e = &t.result.evaluations[i];
        unsigned place, outcome;
        for (uint32_t p = 0; p < 7; p++, at += 2) {
            CHECK(sscanf(at, "%2x", &place) == 1);
            const char *name =
                hed_json_string(hed_json_item(hed_json_item(parameters, p), 1 + place));
            const hed_parameter_def *parameter = &t.def.kernel->parameters[p];
            if (!parameter->labels) CHECK(atoll(name) == e->config.values[p]);
            else CHECK(parameter->values[place] == e->config.values[p]);
        }
        CHECK(sscanf(at++, "%1x", &outcome) == 1 && outcome == (unsigned)e->outcome);
        hed_json_node value = hed_json_item(values, i);
        if (!hed_report_has_value(e)) CHECK(hed_json_kind_of(value) == HED_JSON_NULL);
        else CHECK(fabs(hed_json_number(value, 0, 1) - e->seconds) <= 1e-5 * e->seconds);
    }
    EXPECT_TEXT(hed_json_string(hed_json_item(outcomes, 0)), "measured");
    EXPECT(index_of(data, "best") == t.result.best && index_of(data, "default") == 0);
    EXPECT(hed_json_kind_of(hed_json_member(data, "stored")) == HED_JSON_NULL);
    uint32_t tied = 0;
    CHECK(hed_json_count(top) == 10);
    EXPECT(index_of(hed_json_item(top, 0), "index") == t.result.best);
    for (uint32_t i = 0; i < 10; i++)
        tied += hed_json_boolean(hed_json_member(hed_json_item(top, i), "tied"));
    EXPECT(tied == 2 && index_of(data, "ties") == 2);
    EXPECT(hed_json_count(hed_json_member(data, "failures")) ==
           HED_OUTCOME_COUNT - HED_OUTCOME_INVALID);
    double share = hed_json_number(hed_json_member(data, "share"), 0, 1);
    EXPECT(share > 0.5 && share < 0.52);
    hed_error error = {0};
    OK(hed_json_status(json, &error));
    EXPECT(count_of("http") == 0 && count_of("src=") == 0, "it fetches something");
    synthetic_free(&t);
}

Test(tune_report, what_comes_from_outside_is_escaped)
{
    synthetic_tuning t = synthetic_make(60, 1);
    hed_kernel_def kernel;
    hed_parameter_def parameters[HED_MAX_PARAMETERS];
    synthetic_hostile(&t, &kernel, parameters);
    write_page(&t);
    EXPECT(count_of("alert(1)") == count_of("\\u003cscript>alert(1)"));
    EXPECT(count_of("<script") == 2 && count_of("</script>") == 2, "ours alone");
    EXPECT(count_of("<b>") == 0 && count_of("<img") == 0 && count_of("<i>") == 0 &&
           count_of("<u>") == 0 && count_of("</pre>") == 0);
    EXPECT_TEXT(text_of("kernel"), kernel.name);
    EXPECT_TEXT(text_of("origin"), "<img src=x>");
    EXPECT_TEXT(text_of("in_process_reason"), "<u>");
    EXPECT_TEXT(
        hed_json_string(hed_json_item(hed_json_item(hed_json_member(data, "parameters"), 0), 0)),
        "A<b>\"&'");
    EXPECT_TEXT(text_of("summary"), "bad ? utf-8 ??? and \x01 control, good \xc3\xa9");
    EXPECT(!strstr(page, "\xed\xa0") && !strchr(page, 1));
    synthetic_free(&t);
}

Test(tune_report, devices_with_their_faults)
{
    synthetic_tuning t = synthetic_make(60, 1);
    write_page(&t);
    EXPECT_EQ(hed_json_count(hed_json_member(data, "devices")), 0);
    synthetic_devices(&t);
    write_page(&t);
    hed_json_node devices = hed_json_member(data, "devices");
    CHECK_EQ(hed_json_count(devices), t.result.device_count);
    hed_json_node lost = hed_json_item(devices, 1);
    EXPECT_TEXT(hed_json_string(hed_json_member(lost, "id")), "node7:cuda:1");
    EXPECT_EQ(hed_json_integer(hed_json_member(lost, "tried"), 0, 100), 21);
    EXPECT_EQ(hed_json_integer(hed_json_member(lost, "losses"), 0, 100), 2);
    EXPECT_TEXT(hed_json_string(hed_json_member(lost, "why")), "it said: <no route>");
    EXPECT_EQ(hed_json_kind_of(hed_json_member(lost, "seconds")), HED_JSON_NULL);
    synthetic_free(&t);
}

/* Counters in words, for people who do not know the names of the metrics. */
Test(tune_report, counters_in_words)
{
    static const char *const rows[][3] = {
        {"warps at work", "61 % of the most possible", "61 % of the most possible"},
        {"a launch's traffic", "1.07 GB read, 537 MB written", "999 B read, 537 MB written"},
        {"memory", "88 % of its peak", "88 % of its peak"},
        {"last-level cache", "3.1 % of accesses find their data", "3.1 % of accesses find their data"},
        {"compute units", "21 % of their peak", "21 % of their peak"},
        {"local memory", "0 % of its cycles are conflicts of banks",
            "97 % of its cycles are conflicts of banks"},
        {"a warp", "issues in 5 %; waits for memory 60 %, for the previous instruction 20 %, for its turn 10 %",
            "issues in 5 %; waits for local memory 60 %, for the previous instruction 20 %, for its turn 10 %"},
    };
    synthetic_tuning t = synthetic_make(60, 1);
    hed_report_counter_row found[HED_REPORT_COUNTERS];
    write_page(&t);
    EXPECT_EQ(hed_json_count(hed_json_member(data, "counters")), 0, "they were not requested");
    EXPECT_TEXT(text_of("counters_reason"), "");
    synthetic_counters(&t);
    write_page(&t);
    hed_json_node list = hed_json_member(data, "counters");
    CHECK_EQ(hed_json_count(list), sizeof rows / sizeof *rows);
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t k = 0; k < 3; k++)
            EXPECT_TEXT(hed_json_string(hed_json_item(hed_json_item(list, i), k)), rows[i][k]);
    /* unknown counters have no row, and a default that is the winner no column */
    t.result.counters.cache_hits = t.result.default_counters.cache_hits = NAN;
    t.result.counters.conflicts = NAN;
    t.result.default_index = t.result.best;
    CHECK_EQ(hed_report_counters(&t.result, found), 5u);
    for (uint32_t i = 0; i < 5; i++) EXPECT_TEXT(found[i].standard, "");
    EXPECT_TEXT(found[3].label, "compute units");
    synthetic_free(&t);
}

Test(tune_report, strange_results_make_a_page_too)
{
    synthetic_tuning t = synthetic_make(60, 1);
    for (int step = 0; step < SYNTHETIC_STRANGE; step++) {
        synthetic_strange(&t, step);
        write_page(&t);
        EXPECT(strstr(page, "</html>"));
        EXPECT(hed_json_count(hed_json_member(data, "values")) == t.result.count);
        EXPECT(hed_json_kind_of(hed_json_member(data, "gain")) == HED_JSON_NULL || step < 1);
        EXPECT((hed_json_kind_of(hed_json_member(data, "best")) == HED_JSON_NULL) == (step > 0));
    }
    synthetic_free(&t);
}

Test(tune_report, a_folder_that_is_not_there)
{
    synthetic_tuning t = synthetic_make(10, 1);
    hed_error error = {0};
    FAILS(HED_ERROR_IO,
        hed_tune_report_save(synthetic_def(&t), "/nowhere/report.html", HED_REPORT_HTML, &error));
    EXPECT(strstr(error.text, "/nowhere"));
    synthetic_free(&t);
}
