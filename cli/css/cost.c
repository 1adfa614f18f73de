/* heddle css cost: time of bind and pass with a selector and without it. Selectors are omitted in
 * groups; the group that saves the most time is halved repeatedly, so that most measurements are of
 * expensive selectors. Matches with all selectors and matches without the group alternate, so that
 * a drift of the clock affects both equally. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/progress.h"
#include "cli/common/report.h"
#include "cli/css/cost.h"
#include "heddle/stats.h"

enum { COST_FIRST_GROUPS = 16, COST_MOST_REPEATS = 301 };

/* Neighbouring selectors, and the time that a match saves without them, s. */
typedef struct cost_group {
    uint32_t begin, end;
    double bind, pass;
    bool whole; /* halving has found no saving in either half */
} cost_group;

typedef struct cost {
    site s;
    cli_session session;
    uint32_t rules;
    bool *without; /* (rules) */
    cost_group *groups;
    uint32_t group_count;
    uint32_t repeats; /* matches of a measurement */
    double bind, pass, noise;
    hed_css_matcher_info info;
    uint32_t classes;
} cost;

/* ---- measuring ---- */

static hed_css_matcher *matcher_without(
    cost *c, hed_device *device, const cost_group *group, hed_error *error)
{
    hed_css_matcher *matcher = NULL;
    if (group)
        for (uint32_t i = group->begin; i < group->end; i++) c->without[i] = true;
    const hed_css_matcher_def def = {.documents = c->s.pages,
        .document_count = c->s.page_count,
        .sheets = c->s.sheets,
        .sheet_count = c->s.sheet_count,
        .without = c->without};
    hed_css_matcher_create(device, &def, &matcher, error);
    if (matcher) hed_css_match(matcher, error);
    if (group)
        for (uint32_t i = group->begin; i < group->end; i++) c->without[i] = false;
    return matcher;
}

static void match_times(
    const cost *c, hed_css_matcher *matcher, double *bind, double *pass, hed_error *error)
{
    if (c->s.device) {
        hed_css_times times = {0};
        hed_css_matcher_measure(matcher, 3, &times, error);
        *bind = times.bind;
        *pass = times.pass;
        return;
    }
    hed_css_match(matcher, error);
    hed_css_matcher_info info = hed_css_matcher_describe(matcher);
    *bind = info.bind_seconds;
    *pass = info.pass_seconds;
}

/* The lower quartile, as other work of the machine only adds time. */
static double quartile(double *seconds, uint32_t count)
{
    hed_summarize(seconds, count); /* sorts */
    return seconds[count / 4];
}

/* Measures the time saved without the group, s; NULL: without any selector, which is the noise. */
static double measure_group(cost *c, cost_group *group, hed_error *error)
{
    double bind[2][COST_MOST_REPEATS], pass[2][COST_MOST_REPEATS];
    cost_group nothing = {0};
    cost_group *into = group ? group : &nothing;
    hed_css_matcher *without_group = matcher_without(c, c->s.device, into, error);
    for (uint32_t i = 0; i < c->repeats && !hed_failed(error); i++) {
        match_times(c, c->s.matcher, &bind[0][i], &pass[0][i], error);
        match_times(c, without_group, &bind[1][i], &pass[1][i], error);
    }
    hed_css_matcher_destroy(without_group);
    if (hed_failed(error)) return 0;
    double with_bind = quartile(bind[0], c->repeats), with_pass = quartile(pass[0], c->repeats);
    into->bind = with_bind - quartile(bind[1], c->repeats);
    into->pass = with_pass - quartile(pass[1], c->repeats);
    if (!group) {
        c->bind = with_bind;
        c->pass = with_pass;
    }
    return into->bind + into->pass;
}

static double group_saves(const cost_group *group) { return group->bind + group->pass; }

/* The group that saves the most time among the groups that can be halved; NULL: no group above the
 * noise. */
static cost_group *costliest_group(const cost *c)
{
    cost_group *best = NULL;
    for (uint32_t i = 0; i < c->group_count; i++) {
        cost_group *group = &c->groups[i];
        if (group->whole || group->end - group->begin < 2) continue;
        if (!best || group_saves(group) > group_saves(best)) best = group;
    }
    return best && group_saves(best) > c->noise ? best : NULL;
}

static int by_saving(const void *a, const void *b)
{
    double x = group_saves(a), y = group_saves(b);
    return x < y ? 1 : x > y ? -1 : 0;
}

static hed_status cost_measure(cost *c, double seconds, bool quiet, hed_error *error)
{
    uint64_t begin = hed_now();
    uint32_t first = c->rules < COST_FIRST_GROUPS ? c->rules : COST_FIRST_GROUPS;
    c->groups = calloc(c->rules + 1ull, sizeof *c->groups);
    c->without = calloc(c->rules + 1ull, sizeof *c->without);
    if (!c->groups || !c->without) return HED_OUT_OF_MEMORY(error, "groups of selectors");
    hed_progress progress = hed_progress_begin("css cost", "groups", 0, quiet);
    /* repeats for about sixty measurements in the given time */
    double bind, pass;
    match_times(c, c->s.matcher, &bind, &pass, error);
    double fit = seconds / 60 / (2 * (bind + pass) + 1e-6);
    c->repeats = fit < 9 ? 9 : fit > COST_MOST_REPEATS ? COST_MOST_REPEATS : (uint32_t)fit;
    if (c->s.device) c->repeats = 5; /* each is a median of three */
    /* noise: twice the difference of equal matches, at least one per cent */
    double difference = measure_group(c, NULL, error);
    c->noise = fmax(2 * fabs(difference), 0.01 * (c->bind + c->pass));
    for (uint32_t i = 0; i < first && !hed_failed(error) && !hed_interrupted(); i++) {
        cost_group *group = &c->groups[c->group_count++];
        group->begin = (uint32_t)((uint64_t)c->rules * i / first);
        group->end = (uint32_t)((uint64_t)c->rules * (i + 1) / first);
        measure_group(c, group, error);
    }
    for (cost_group *group; !hed_failed(error) && !hed_interrupted() &&
                            1e-9 * (double)(hed_now() - begin) < seconds &&
                            (group = costliest_group(c));) {
        cost_group halves[2] = {*group, *group};
        halves[0].end = halves[1].begin = group->begin + (group->end - group->begin) / 2;
        measure_group(c, &halves[0], error);
        measure_group(c, &halves[1], error);
        /* a cost common to both halves is saved by neither, so halving finds nothing more */
        double half_saves = fmax(group_saves(&halves[0]), group_saves(&halves[1]));
        if (half_saves < c->noise) {
            /* the measurement of the group may have been disturbed: repeat it */
            cost_group repeated = *group;
            measure_group(c, &repeated, error);
            if (group_saves(&repeated) < group_saves(group)) *group = repeated;
            group->whole = true;
            continue;
        }
        *group = halves[0];
        c->groups[c->group_count++] = halves[1];
        hed_progress_update(&progress, c->group_count);
    }
    hed_progress_end(&progress);
    qsort(c->groups, c->group_count, sizeof *c->groups, by_saving);
    return hed_failed(error) ? error->status : HED_OK;
}

/* ---- reasons of a cost ---- */

/* Counts of a match on the processor that a group adds. */
typedef struct cost_counts {
    int64_t classes, states, signatures, varying, shapes, compounds;
} cost_counts;

static cost_counts count_group(cost *c, const cost_group *group, hed_error *error)
{
    hed_css_matcher *without_group = matcher_without(c, NULL, group, error);
    cost_counts counts = {0};
    if (!hed_failed(error)) {
        hed_css_matcher_info info = hed_css_matcher_describe(without_group);
        counts = (cost_counts){(int64_t)c->classes - hed_css_matcher_results(without_group).classes,
            (int64_t)c->info.states - info.states, (int64_t)c->info.signatures - info.signatures,
            (int64_t)c->info.varying - info.varying, (int64_t)c->info.shapes - info.shapes,
            (int64_t)c->info.compounds - info.compounds};
    }
    hed_css_matcher_destroy(without_group);
    return counts;
}

static void explain_counts(const cost_counts *counts, char *text, size_t size)
{
    const struct {
        int64_t count;
        const char *words;
    } reasons[] = {{counts->varying, "elements whose place is asked for"},
        {counts->shapes, "kinds of elements more"}, {counts->states, "states of ancestors more"},
        {counts->classes, "classes more"}, {counts->signatures, "signatures more"},
        {counts->compounds, "compounds to try"}};
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < HED_COUNT(reasons) && used < size; i++)
        if (reasons[i].count > 0)
            used += (size_t)snprintf(text + used, size - used, "%s%lld %s", used ? ", " : "",
                (long long)reasons[i].count, reasons[i].words);
    if (!used) snprintf(text, size, "shares all its parts with others");
}

static void print_group(cost *c, cli_report *report, const cost_group *group, hed_error *error)
{
    char selector[256], reason[256];
    uint32_t sheet, count = group->end - group->begin;
    hed_css_rule rule = site_rule(&c->s, group->begin, &sheet);
    cost_counts counts = count_group(c, group, error);
    explain_counts(&counts, reason, sizeof reason);
    hed_css_selector_text(&rule, selector, count > 1 ? 60 : sizeof selector);
    if (count > 1) {
        size_t used = strlen(selector);
        snprintf(selector + used, sizeof selector - used, " and %u behind it", count - 1);
    }
    cli_report_row(report,
        CLI_NUMBER("saved_us", 1e6 * group_saves(group), .heading = ">SAVED", .format = "%.1f us"),
        CLI_NUMBER("bind_us", 1e6 * group->bind, .heading = ">BIND", .format = "%.1f"),
        CLI_NUMBER("pass_us", 1e6 * group->pass, .heading = ">PASS", .format = "%.1f"),
        CLI_WHOLE("selectors", count), CLI_WHOLE("varying", counts.varying),
        CLI_WHOLE("shapes", counts.shapes), CLI_WHOLE("states", counts.states),
        CLI_WHOLE("signatures", counts.signatures), CLI_WHOLE("classes", counts.classes),
        CLI_WHOLE("compounds", counts.compounds),
        CLI_TEXT("file", site_file(&c->s, sheet, rule.source), .heading = "FILE"),
        CLI_WHOLE("line", rule.line, .heading = ">LINE"),
        CLI_TEXT("selector", selector, .heading = "SELECTOR"),
        CLI_TEXT("why", reason, .heading = "WHY"));
}

static hed_status cost_print(cost *c, const hed_arguments *arguments, hed_error *error)
{
    bool json = hed_given(arguments, "json");
    cli_report *report = cli_report_create(json);
    uint32_t small = 0;
    const char *device = c->s.device ? hed_device_describe(c->s.device).name : "one core";
    for (uint32_t i = 0; i < c->group_count && !hed_failed(error); i++) {
        const cost_group *group = &c->groups[i];
        if (group_saves(group) > c->noise) print_group(c, report, group, error);
        else small += group->end - group->begin;
    }
    cli_report_end(report, hed_failed(error) ? error->status : HED_OK, error);
    if (hed_failed(error) || json) return hed_failed(error) ? error->status : HED_OK;
    printf("\n%u selectors, %u elements on %u page%s, %s: bind %.1f us, pass %.1f us; %u selectors "
           "without a cost of their own above the noise of %.1f us. These are Heddle's times; "
           "--browser measures Chromium's.\n",
        c->rules, hed_css_matcher_results(c->s.matcher).elements, c->s.page_count,
        c->s.page_count == 1 ? "" : "s", device, 1e6 * c->bind, 1e6 * c->pass, small,
        1e6 * c->noise);
    return HED_OK;
}

/* ---- the command ---- */

static int cost_command(const hed_arguments *arguments, void *user)
{
    cost c = {.s = {.split = true}};
    hed_error error = {0};
    (void)user;
    if (hed_given(arguments, "device")) {
        if (cli_open_devices(arguments, &c.session, &error) != HED_OK) return cli_fail(&error);
        c.s.device = c.session.devices[0];
    }
    hed_interrupt_install();
    if (hed_given(arguments, "browser") && hed_given(arguments, "css"))
        hed_fail(&error, HED_ERROR_ARGUMENT,
            "--browser: the browser uses the page's own sheets; expected no --css");
    else site_open(&c.s, arguments, "PAGE", "css", false, &error);
    if (!hed_failed(&error)) {
        c.rules = hed_css_matcher_results(c.s.matcher).rules;
        hed_css_matcher *counted = matcher_without(&c, NULL, NULL, &error);
        if (!hed_failed(&error)) {
            c.info = hed_css_matcher_describe(counted);
            c.classes = hed_css_matcher_results(counted).classes;
        }
        hed_css_matcher_destroy(counted);
    }
    bool browser = hed_given(arguments, "browser");
    if (!hed_failed(&error) && browser) cost_in_browser(&c.s, hed_given(arguments, "json"), &error);
    if (!hed_failed(&error) && !browser)
        cost_measure(&c, hed_number_of(arguments, "seconds"), hed_given(arguments, "json"), &error);
    if (!hed_failed(&error) && !browser) cost_print(&c, arguments, &error);
    free(c.groups);
    free(c.without);
    site_close(&c.s);
    cli_close(&c.session);
    if (hed_failed(&error)) return cli_end(error.status, &error);
    return hed_interrupted() ? HED_EXIT_INTERRUPTED : 0;
}

const hed_command hed_command_css_cost = {
    .name = "cost",
    .summary = "what each selector costs a match",
    .description =
        "What bind and pass, the two parts of a match, take with a selector and without it, and why: "
        "what it adds to the elements whose place is asked for, to the kinds of elements that have to be "
        "told apart, to states of ancestors, and to classes. Selectors are left out in groups; the group "
        "that saves most is halved until single selectors are found or the time is over. What several "
        "selectors share is saved only without all of them, so single costs do not add up to the whole.",
    .positionals =
        (const hed_option[]){POSITIONAL("PAGE", FILE, "HTML files, which are matched together",
                                 .names = &cli_data_pages, .required = true, .repeated = true),
            {0}},
    .options = (const hed_option[]){SITE_OPTION_SHEETS, CLI_OPTION_DEVICES(true),
        OPTION("seconds", NUMBER, "SECONDS", "how long to look for the costliest", .fallback = "5", .low = 0.1, .high = 3600),
        FLAG("browser", "the costs in Chromium: its own times and counts of each selector on the first page"),
        CLI_OPTION_JSON(true), {0}},
    .examples = (const hed_example[]){{"heddle css cost page.html --css app.css", "on one core"},
        {"heddle css cost site --css app.css --device cuda:0 --seconds 20", "on a GPU"},
        {"heddle css cost page.html --browser", "in Chromium, with the page's own sheets"}, {0}},
    .run = cost_command,
};
