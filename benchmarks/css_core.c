/* See css_core.h. */
#include "benchmarks/css_core.h"
#include "heddle/author.h"

#include <math.h>
#include <string.h>

enum { REPEATS = 15, CHANGES = 2000, WARM_ROUNDS = 2 };

void css_bench_add(
    cli_report *bench, const char *what, const char *part, double value, const char *unit)
{
    char name[128];
    snprintf(name, sizeof name, "%s: %s", what, part);
    hed_bench_add(bench, &(hed_bench_record){.suite = "css",
                             .name = name,
                             .device = "host",
                             .value = value,
                             .unit = unit,
                             .floor = NAN,
                             .ratio = NAN,
                             .spread = NAN});
}

static double since(uint64_t begin) { return 1e-9 * (double)(hed_now() - begin); }

hed_status css_bench_pairs(
    const hed_css_matcher *matcher, const char *what, cli_report *bench, hed_error *error)
{
    hed_css_result r = hed_css_matcher_results(matcher);
    double seconds[REPEATS];
    if (hed_failed(error)) return HED_OK;
    uint64_t *begin = hed_new(NULL, r.elements + 1ull, sizeof *begin, error);
    uint32_t *rule = hed_new(NULL, r.pairs + 1, sizeof *rule, error);
    for (int i = 0; i < REPEATS && !hed_failed(error); i++) {
        uint64_t start = hed_now();
        hed_css_matcher_pairs(matcher, begin, rule);
        seconds[i] = since(start);
    }
    if (!hed_failed(error))
        css_bench_add(
            bench, what, "pairs written", 1e6 * hed_summarize(seconds, REPEATS).p50, "us");
    hed_delete(NULL, begin, r.elements + 1ull, sizeof *begin);
    hed_delete(NULL, rule, r.pairs + 1, sizeof *rule);
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status css_bench_changes(const hed_css_matcher_def *def, const char *class_name,
    const char *what, cli_report *bench, hed_error *error)
{
    static double set[CHANGES], removed[CHANGES];
    hed_css_matcher *matcher = NULL;
    if (hed_css_matcher_create(NULL, def, &matcher, error)) return error->status;
    hed_css_match(matcher, error);
    uint32_t elements = hed_css_matcher_results(matcher).elements;
    uint64_t changed = 0, start = hed_now();
    hed_css_changes changes;
    hed_css_set_attribute(matcher, 0, 0, "class", class_name, NULL, error);
    double first = since(start);
    for (int round = 0; round <= WARM_ROUNDS && !hed_failed(error); round++) {
        changed = 0;
        for (int part = 0; part < 2; part++)
            for (uint32_t i = 0; i < CHANGES && !hed_failed(error); i++) {
                uint32_t e = hed_sample_word(5, 0, i) % elements;
                start = hed_now();
                hed_css_set_attribute(
                    matcher, 0, e, "class", part ? NULL : class_name, &changes, error);
                (part ? removed : set)[i] = since(start);
                changed += changes.count;
            }
    }
    hed_css_matcher_destroy(matcher);
    if (hed_failed(error)) return error->status;
    hed_summary on = hed_summarize(set, CHANGES), off = hed_summarize(removed, CHANGES);
    css_bench_add(bench, what, "first change", 1e6 * first, "us");
    css_bench_add(bench, what, "class set, median", 1e6 * on.p50, "us");
    css_bench_add(bench, what, "class set, 90 %", 1e6 * set[CHANGES * 9 / 10], "us");
    css_bench_add(bench, what, "class removed, median", 1e6 * off.p50, "us");
    css_bench_add(bench, what, "class removed, 90 %", 1e6 * removed[CHANGES * 9 / 10], "us");
    css_bench_add(bench, what, "elements a change touches", (double)changed / (2 * CHANGES), "");
    return HED_OK;
}
