/* heddle css bench: what making and matching takes, on one core and on devices, by documents and
 * sheets of the sizes of real ones (css_generate.h). */
#include "benchmarks/css_core.h"
#include "benchmarks/css_device.h"
#include "benchmarks/css_generate.h"
#include "cli/common/command.h"
#include "cli/common/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORE_REPEATS = 15, MAKE_REPEATS = 5, DIFFERENT = 74 };

/* What a sheet is like. */
enum { BENCH_FRAMEWORK, BENCH_STRESS, BENCH_SIBLINGS, BENCH_DEEP };

/* Documents and a sheet. `elements` of each document. */
typedef struct bench_case {
    const char *name;
    uint32_t documents, elements, rules;
    int sheet;
} bench_case;

/* Sizes as those of a specification of 3 MB under a large framework's sheet; of a site of many
 * pages; and of pages between, for which a device pays or does not. */
static const bench_case CASES[] = {{"page of 78,056", 1, 78056, 3560, BENCH_FRAMEWORK},
    {"page of 78,056, stress", 1, 78056, 300, BENCH_STRESS},
    {"1,000 pages", 1000, 586, 3560, BENCH_FRAMEWORK},
    {"100,000 siblings", 1, 300003, 12, BENCH_SIBLINGS}, {"10,000 deep", 1, 10000, 5, BENCH_DEEP},
    {"page of 300", 1, 300, 3560, BENCH_FRAMEWORK},
    {"page of 1,000", 1, 1000, 3560, BENCH_FRAMEWORK},
    {"page of 3,000", 1, 3000, 3560, BENCH_FRAMEWORK},
    {"page of 10,000", 1, 10000, 3560, BENCH_FRAMEWORK},
    {"page of 30,000", 1, 30000, 3560, BENCH_FRAMEWORK},
    {"10,000 elements, 30 rules", 1, 10000, 30, BENCH_FRAMEWORK},
    {"10,000 elements, 300 rules", 1, 10000, 300, BENCH_FRAMEWORK},
    {"10,000 elements, 30,000 rules", 1, 10000, 30000, BENCH_FRAMEWORK}};

typedef struct bench_inputs {
    hed_css_names *names;
    hed_css_document *made[DIFFERENT], **documents; /* those repeated, (documents of the case) */
    uint32_t made_count;
    hed_css_sheet *sheet;
    double sheet_seconds; /* reading it */
} bench_inputs;

static char *case_sheet(const bench_case *c, size_t *length)
{
    static const char siblings[] =
        ".x ~ li p { } .row + .item { } .row ~ .row { } .x + li ~ .row > p { } li:nth-child(3n) { } "
        ".item + .item + .item { } .x ~ .item .x { } li:last-child ~ li { } p + .x { } .row p ~ p { } "
        "li + .row.x { } .x ~ .x ~ .x { }";
    if (c->sheet == BENCH_FRAMEWORK) return css_generate(c->rules, true, 7, length);
    static const char deep[] =
        ".paragraph .sect .paragraph > div { } .sect > .sect p { } div div > p { } "
        ".paragraph > .sect .sect .paragraph .sect { } .sect :not(div) { }";
    if (c->sheet == BENCH_DEEP) {
        *length = sizeof deep - 1;
        return strdup(deep);
    }
    if (c->sheet == BENCH_STRESS) return css_generate_stress(c->rules, 3, length);
    *length = sizeof siblings - 1;
    return strdup(siblings);
}

/* Elements in each other, which readers of HTML do not make so deep. */
static void make_deep(bench_inputs *in, uint32_t depth, hed_error *error)
{
    static const hed_css_attribute classes[] = {{"class", "sect", 0}, {"class", "paragraph", 0}};
    hed_css_element *elements = hed_new(NULL, depth, sizeof *elements, error);
    for (uint32_t i = 0; i < depth && elements; i++)
        elements[i] = (hed_css_element){.parent = i ? i - 1 : HED_CSS_NONE,
            .name = i % 7 ? "div" : "p",
            .attributes = classes + i % 2,
            .attribute_count = i % 5 == 0};
    hed_css_document_create(in->names,
        &(hed_css_document_def){.elements = elements, .element_count = depth},
        &in->made[in->made_count++], error);
    hed_delete(NULL, elements, depth, sizeof *elements);
}

static hed_status inputs_make(bench_inputs *in, const bench_case *c, hed_error *error)
{
    size_t length;
    hed_css_names_create(NULL, &in->names, error);
    char *text = case_sheet(c, &length);
    if (!text) return HED_OUT_OF_MEMORY(error, "a sheet");
    double seconds[MAKE_REPEATS] = {0};
    for (int i = 0; i < MAKE_REPEATS && !hed_failed(error); i++) {
        uint64_t begin = hed_now();
        hed_css_sheet_destroy(in->sheet);
        hed_css_sheet_create(in->names,
            &(hed_css_sheet_def){.text = text, .length = length, .origin = HED_CSS_AUTHOR},
            &in->sheet, error);
        seconds[i] = 1e-9 * (double)(hed_now() - begin);
    }
    in->sheet_seconds = hed_summarize(seconds, MAKE_REPEATS).p50;
    free(text);
    in->documents = hed_new(NULL, c->documents, sizeof(void *), error);
    while (in->made_count < c->documents && in->made_count < DIFFERENT && !hed_failed(error)) {
        uint64_t seed = 1 + in->made_count;
        if (c->sheet == BENCH_DEEP) {
            make_deep(in, c->elements, error);
            continue;
        }
        char *html = c->sheet == BENCH_SIBLINGS
                         ? css_generate_siblings(c->elements / 3, &length)
                         : css_generate_page(c->elements, 22, 129, seed, &length);
        hed_css_document_create(in->names,
            &(hed_css_document_def){.html = html, .html_length = length},
            &in->made[in->made_count++], error);
        free(html);
    }
    for (uint32_t i = 0; i < c->documents && !hed_failed(error); i++)
        in->documents[i] = in->made[i % in->made_count];
    return hed_failed(error) ? error->status : HED_OK;
}

static void inputs_free(bench_inputs *in, const bench_case *c)
{
    for (uint32_t i = 0; i < in->made_count; i++) hed_css_document_destroy(in->made[i]);
    hed_css_sheet_destroy(in->sheet);
    hed_css_names_destroy(in->names);
    hed_delete(NULL, in->documents, c->documents, sizeof(void *));
}

/* One core: making a matcher, then bind and pass, and pairs. */
static hed_status bench_core(
    const hed_css_matcher_def *def, const char *what, cli_report *bench, hed_error *error)
{
    hed_css_matcher *m = NULL;
    double bind[CORE_REPEATS] = {0}, pass[CORE_REPEATS] = {0};
    double compile[MAKE_REPEATS] = {0}, shape[MAKE_REPEATS] = {0};
    for (int i = 0; i < MAKE_REPEATS && !hed_failed(error); i++) {
        hed_css_matcher_destroy(m);
        m = NULL;
        if (hed_css_matcher_create(NULL, def, &m, error)) break;
        hed_css_matcher_info info = hed_css_matcher_describe(m);
        compile[i] = info.compile_seconds;
        shape[i] = info.shape_seconds;
    }
    for (int i = 0; i < CORE_REPEATS && !hed_failed(error); i++) {
        if (hed_interrupted()) return hed_fail(error, HED_ERROR_TIMEOUT, "interrupted");
        if (hed_css_match(m, error)) break;
        hed_css_matcher_info info = hed_css_matcher_describe(m);
        bind[i] = info.bind_seconds;
        pass[i] = info.pass_seconds;
    }
    if (!hed_failed(error)) {
        hed_css_matcher_info info = hed_css_matcher_describe(m);
        hed_css_result r = hed_css_matcher_results(m);
        css_bench_add(bench, what, "elements", r.elements, "");
        css_bench_add(bench, what, "shapes", info.shapes, "");
        css_bench_add(bench, what, "elements asked for their places", info.varying, "");
        css_bench_add(bench, what, "states", info.states, "");
        css_bench_add(bench, what, "classes", r.classes, "");
        css_bench_add(bench, what, "pairs", (double)r.pairs, "");
        css_bench_add(
            bench, what, "sheet compiled", 1e6 * hed_summarize(compile, MAKE_REPEATS).p50, "us");
        css_bench_add(
            bench, what, "shapes made", 1e6 * hed_summarize(shape, MAKE_REPEATS).p50, "us");
        css_bench_add(bench, what, "bind", 1e6 * hed_summarize(bind, CORE_REPEATS).p50, "us");
        css_bench_add(bench, what, "pass", 1e6 * hed_summarize(pass, CORE_REPEATS).p50, "us");
        css_bench_pairs(m, what, bench, error);
    }
    hed_css_matcher_destroy(m);
    return hed_failed(error) ? error->status : HED_OK;
}

static hed_status bench_one(
    const bench_case *c, const cli_session *session, cli_report *bench, hed_error *error)
{
    bench_inputs in = {0};
    inputs_make(&in, c, error);
    const hed_css_matcher_def def = {.documents = in.documents,
        .document_count = c->documents,
        .sheets = &in.sheet,
        .sheet_count = 1};
    if (!hed_failed(error)) {
        css_bench_add(bench, c->name, "sheet read", 1e6 * in.sheet_seconds, "us");
        bench_core(&def, c->name, bench, error);
    }
    for (uint32_t d = 0; d < session->count && !hed_failed(error); d++)
        if (strcmp(hed_device_describe(session->devices[d]).backend, "host"))
            css_bench_device(session->devices[d], &def, c->name, bench, error);
    /* last, as it changes the document */
    const char *class_name = c->sheet == BENCH_SIBLINGS ? "x" : "paragraph";
    if (c->documents == 1 && !hed_failed(error))
        css_bench_changes(&def, class_name, c->name, bench, error);
    inputs_free(&in, c);
    return hed_failed(error) ? error->status : HED_OK;
}

static int bench_command(const hed_arguments *arguments, void *user)
{
    cli_session session;
    hed_error error = {0};
    const char *only = hed_text_of(arguments, "case");
    bool any = !only;
    (void)user;
    for (size_t i = 0; i < HED_COUNT(CASES) && !any; i++) any = strcmp(only, CASES[i].name) == 0;
    if (!any)
        hed_fail(&error, HED_ERROR_ARGUMENT,
            "--case %s: there is no such case; there are \"%s\" and others", only, CASES[0].name);
    if (!any || cli_open_devices(arguments, &session, &error) != HED_OK) return cli_fail(&error);
    bool json = hed_given(arguments, "json");
    cli_report *bench = cli_report_create(json);
    hed_progress progress = hed_progress_begin(
        "css bench", "cases", HED_COUNT(CASES), json || hed_given(arguments, "quiet"));
    for (size_t i = 0; i < HED_COUNT(CASES) && !hed_failed(&error); i++) {
        hed_progress_update(&progress, i);
        if (hed_interrupted()) hed_fail(&error, HED_ERROR_TIMEOUT, "interrupted");
        else if (!only || !strcmp(only, CASES[i].name))
            bench_one(&CASES[i], &session, bench, &error);
    }
    hed_progress_end(&progress);
    cli_report_end(bench, error.status, &error);
    cli_close(&session);
    return cli_end(error.status, &error);
}

const hed_command hed_command_css_bench = {
    .name = "bench",
    .summary = "time matching, by documents and sheets",
    .description =
        "Documents and sheets of the sizes of real ones are generated and matched on one core and on each "
        "device that is no processor of the host: binding the sheet to the shapes of elements, and the pass "
        "over all elements; there also the rules of each element written out, and classes of single elements that "
        "change. On devices by their own events, from the launch to the end of waiting, with the "
        "elements' classes brought down, and with everything brought up before. Reading HTML is in no "
        "figure. Counts and hashes of all rules are compared with those of the core first.",
    .options = (const hed_option[]){CLI_OPTION_JSON(true), CLI_OPTION_DEVICES(true),
        {.name = "case",
            .kind = HED_OPTION_TEXT,
            .value = "NAME",
            .help = "this case alone: \"page of 1,000\""},
        {0}},
    .examples = (const hed_example[]){{"heddle css bench --device cuda:0", "everything a GPU has"},
        {"heddle css bench --case \"page of 1,000\" --json", "one case, for a program"}, {0}},
    .run = bench_command,
};
