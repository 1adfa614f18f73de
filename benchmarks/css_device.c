/* See css_device.h. */
#include "benchmarks/css_device.h"

#include "heddle/author.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 60, CORE_REPEATS = 7 };

/* Whether all rules have the same counts and hashes. */
static hed_status compare(
    const hed_css_matcher *a, const hed_css_matcher *b, const char *what, hed_error *error)
{
    uint32_t rules = hed_css_matcher_results(a).rules;
    uint32_t *numbers = hed_new(NULL, 4ull * rules, sizeof *numbers, error);
    if (!numbers) return error->status;
    hed_css_matcher_counts(a, numbers, numbers + rules);
    hed_css_matcher_counts(b, numbers + 2 * (size_t)rules, numbers + 3 * (size_t)rules);
    for (uint32_t i = 0; i < 2 * rules && !hed_failed(error); i++)
        if (numbers[i] != numbers[i + 2 * (size_t)rules])
            hed_fail(error, HED_ERROR_ARGUMENT, "%s: rule %u matches other elements on the device",
                what, i % rules);
    hed_delete(NULL, numbers, 4ull * rules, sizeof *numbers);
    return hed_failed(error) ? error->status : HED_OK;
}

/* The median of bind and pass on one core, in seconds. */
static double core_seconds(hed_css_matcher *m, hed_error *error)
{
    double seconds[CORE_REPEATS] = {0};
    for (int i = 0; i < CORE_REPEATS && !hed_css_match(m, error); i++) {
        hed_css_matcher_info info = hed_css_matcher_describe(m);
        seconds[i] = info.bind_seconds + info.pass_seconds;
    }
    return hed_summarize(seconds, CORE_REPEATS).p50;
}

static void add(cli_report *bench, const char *what, const char *part, const char *device,
    double value, const char *unit, double other, const char *against)
{
    char name[128];
    snprintf(name, sizeof name, "%s: %s", what, part);
    const hed_bench_record record = {.suite = "css",
        .name = name,
        .device = device,
        .value = value,
        .unit = unit,
        .floor = NAN,
        .ratio = against ? value / other : NAN,
        .against = against,
        .spread = NAN};
    hed_bench_add(bench, &record);
}

hed_status css_bench_device(hed_device *device, const hed_css_matcher_def *def, const char *what,
    cli_report *bench, hed_error *error)
{
    hed_css_matcher *on_device = NULL, *on_core = NULL;
    const char *id = hed_device_describe(device).id;
    static const char CORE[] = "bind and pass on one core";
    hed_css_times t = {0};
    hed_css_matcher_create(device, def, &on_device, error);
    hed_css_match(on_device, error);
    hed_css_matcher_create(NULL, def, &on_core, error);
    double core = hed_failed(error) ? 0 : 1e6 * core_seconds(on_core, error);
    if (!hed_failed(error)) compare(on_device, on_core, what, error);
    bool measured = !hed_failed(error);
    if (measured &&
        hed_css_matcher_measure(on_device, REPEATS, &t, error) == HED_ERROR_UNSUPPORTED) {
        hed_error_clear(error); /* the processor matched instead: no rows of a device */
        measured = false;
    }
    if (measured && !hed_failed(error)) {
        const struct {
            const char *part;
            double seconds;
        } parts[] = {{"pass, kernels", t.pass}, {"pass, launch to synchronised", t.pass_launched},
            {"bind, kernels", t.bind}, {"bind and pass, launch to synchronised", t.both_launched},
            {"pass and classes down", t.down_launched}, {"up, pass, classes down", t.cold},
            {"up, bind, pass, classes down", t.cold_bound}};
        add(bench, what, CORE, "host", core, "us", 1, NULL);
        for (size_t i = 0; i < HED_COUNT(parts); i++)
            add(bench, what, parts[i].part, id, 1e6 * parts[i].seconds, "us", core, CORE);
        for (uint32_t i = 0; i < t.kernel_count; i++)
            add(bench, what, t.kernels[i].name, id, 1e6 * t.kernels[i].seconds, "us", 1, NULL);
        add(bench, what, "memory of an element", id, t.element_bytes, "bytes", 1, NULL);
    }
    hed_css_matcher_destroy(on_device);
    hed_css_matcher_destroy(on_core);
    return hed_failed(error) ? error->status : HED_OK;
}
