/* A tuning as one HTML page: the frame, what stands on top, failures, and how it was measured. */
#include "support/errors.h"
#include "support/file.h"
#include "tunefile/report_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const hed_source hed_report_files[]; /* made by the build: the style, the script */

/* ---- text ---- */

/* Bytes of the UTF-8 character at `text`; 0 where it is none that may stand in a page. */
static size_t character_bytes(const unsigned char *text)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (text[0] < 0x80) return text[0] >= 0x20 || text[0] == '\n' || text[0] == '\t';
    size_t bytes = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    uint32_t code = text[0] & (0x7fu >> bytes);
    if (text[0] < 0xc2 || text[0] > 0xf4) return 0;
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (text[i] & 0x3fu);
    }
    return code < smallest[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0
                                                                                          : bytes;
}

void hed_page_put(hed_page *page, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        size_t bytes = character_bytes(at);
        if (bytes == 0) fputs("&#xfffd;", page->out);
        else if (strchr("<>&\"'", *at)) fprintf(page->out, "&#%d;", *at);
        else fwrite(at, 1, bytes, page->out);
        at += bytes ? bytes : 1;
    }
}

void hed_page_put_config(hed_page *page, const hed_config *config)
{
    char text[1024];
    hed_config_format(page->kernel, config, text, sizeof text);
    hed_page_put(page, text);
}

void hed_page_put_value(hed_page *page, double value)
{
    char text[48];
    hed_report_text(page->def->objective, value, text, sizeof text);
    hed_page_put(page, text);
}

/* ---- scales ---- */

double hed_page_logarithmic(double value, double low, double high)
{
    return log(value / low) / log(high / low);
}

/* Steps of 1, 2 or 5 times a power of ten, about five of them. */
uint32_t hed_page_even_ticks(double low, double high, double ticks[HED_PAGE_TICKS])
{
    double rough = (high - low) / 5, step = pow(10, floor(log10(rough)));
    step *= rough > 5 * step ? 10 : rough > 2 * step ? 5 : rough > step ? 2 : 1;
    uint32_t count = 0;
    for (double tick = ceil(low / step) * step; tick <= high && count < HED_PAGE_TICKS;
         tick += step)
        ticks[count++] = tick;
    return count;
}

uint32_t hed_page_ticks(double low, double high, double ticks[HED_PAGE_TICKS])
{
    static const double steps[] = {1, 2, 5};
    double decades = log10(high / low);
    if (decades < 0.9) return hed_page_even_ticks(low, high, ticks);
    int every = decades > 8 ? (int)ceil(decades / 8) : 1; /* only each so many-th decade */
    uint32_t count = 0;
    for (int power = (int)floor(log10(low)); power <= (int)ceil(log10(high)); power++)
        for (int i = 0; i < (decades > 4 ? 1 : 3); i++) {
            double tick = steps[i] * pow(10, power);
            if (tick >= low && tick <= high && power % every == 0 && count < HED_PAGE_TICKS)
                ticks[count++] = tick;
        }
    return count;
}

/* ---- on top ---- */

static void put_figure(hed_page *page, const char *name, const char *figure, const char *remark)
{
    fprintf(page->out, "<div><dt>%s</dt><dd>", name);
    hed_page_put(page, figure);
    fputs("<small>", page->out);
    hed_page_put(page, remark);
    fputs("</small></dd></div>\n", page->out);
}

static void put_gain(hed_page *page)
{
    const hed_tune_result *result = page->result;
    char figure[48], remark[96] = "the default does not run here";
    if (isfinite(result->gain)) {
        snprintf(figure, sizeof figure, "%.2f times", result->gain);
        hed_report_text(page->def->objective, hed_report_value(result, result->default_index),
            remark, sizeof remark);
        put_figure(page,
            page->def->objective == HED_OBJECTIVE_TIME ? "faster than the default"
                                                       : "better than the default",
            figure, remark);
    } else {
        put_figure(page, "faster than the default", "-", remark);
    }
}

static void put_figures(hed_page *page)
{
    static const char *const names[] = {"time of a launch", "energy of a launch", "metric"};
    const hed_tune_result *result = page->result;
    const hed_evaluation *winner = &result->evaluations[result->best];
    char figure[64], remark[128];
    fputs("<dl class=figures>\n", page->out);
    hed_report_text(page->def->objective, winner->seconds, figure, sizeof figure);
    snprintf(remark, sizeof remark, "median of %u runs, %.1f %% wide", winner->runs,
        100 * (winner->high - winner->low) / winner->seconds);
    put_figure(page, names[page->def->objective], figure,
        isfinite(winner->high - winner->low) ? remark : "");
    put_gain(page);
    if (isfinite(result->share)) {
        snprintf(figure, sizeof figure, "%.0f %%", 100 * result->share);
        put_figure(page, "of the roofline", figure,
            hed_report_bound(result) == HED_BOUND_MEMORY ? "limited by memory"
                                                         : "limited by arithmetic");
    }
    snprintf(figure, sizeof figure, "%u", result->count);
    snprintf(remark, sizeof remark, "of %" PRIu64 " valid ones, in %.3g s", result->space,
        result->seconds);
    put_figure(page, "configurations tried", figure, remark);
    fputs("</dl>\n", page->out);
}

static void put_verdict(hed_page *page)
{
    const hed_tune_result *result = page->result;
    if (result->best >= result->count) {
        fputs(
            "<p class=\"verdict warning\">No configuration works on this device. The failures below say why.</p>\n",
            page->out);
        return;
    }
    fputs("<p class=verdict><code>", page->out);
    hed_page_put_config(page, &result->evaluations[result->best].config);
    fputs("</code></p>\n", page->out);
    if (!result->kept && page->def->database) {
        fputs("<p class=warning>Launches do not use it: ", page->out);
        hed_page_put(page, result->not_kept_reason ? result->not_kept_reason : "it is not kept");
        fputs(".</p>\n", page->out);
    }
    if (result->kept_stored)
        fputs(
            "<p>That is what the database had chosen before: nothing beat it clearly, so it stays.</p>\n",
            page->out);
    if (result->in_process) {
        fputs(
            "<p class=warning>Measured in the tuner's own process, without isolation: ", page->out);
        hed_page_put(page, result->in_process_reason ? result->in_process_reason : "");
        fputs("</p>\n", page->out);
    }
    if (result->reference == HED_REFERENCE_NONE)
        fputs("<p class=warning>Results were not checked.</p>\n", page->out);
    put_figures(page);
}

static void put_header(hed_page *page)
{
    const hed_tune_report_def *def = page->def;
    fputs("<header><h1>", page->out);
    hed_page_put(page, page->kernel->name);
    fputs("</h1>\n<p class=soft>", page->out);
    if (page->kernel->summary) {
        hed_page_put(page, page->kernel->summary);
        fputs("<br>", page->out);
    }
    for (uint32_t i = 0; i < page->result->problem.count && i < page->kernel->dimension_count;
         i++) {
        hed_page_put(page, page->kernel->dimensions[i]);
        fprintf(page->out, "=%" PRId64 " ", page->result->problem.sizes[i]);
    }
    fputs("on ", page->out);
    hed_page_put(page, def->device->name);
    if (def->date) {
        fputs(", ", page->out);
        hed_page_put(page, def->date);
    }
    fputs("</p>\n", page->out);
    put_verdict(page);
    fputs("</header>\n", page->out);
}

/* ---- failures ---- */

static void put_failures(hed_page *page)
{
    static const char *const meanings[HED_OUTCOME_COUNT] = {
        [HED_OUTCOME_INVALID] = "over a limit of the device",
        [HED_OUTCOME_BUILD] = "did not compile",
        [HED_OUTCOME_LAUNCH] = "refused by the driver",
        [HED_OUTCOME_WRONG] = "gave wrong results",
        [HED_OUTCOME_CRASHED] = "ended its process or poisoned the driver",
        [HED_OUTCOME_HUNG] = "not done in time",
        [HED_OUTCOME_IMPOSSIBLE] = "gave a time that cannot be",
    };
    fputs("<section><h2>Failures</h2>\n", page->out);
    if (!page->failed)
        fputs(
            "<p>None: every configuration that was tried compiled, ran, and gave the right answer.</p>\n",
            page->out);
    for (int outcome = HED_OUTCOME_INVALID; outcome < HED_OUTCOME_COUNT; outcome++) {
        if (!page->counts[outcome]) continue;
        const hed_evaluation *example = &page->result->evaluations[page->examples[outcome]];
        fprintf(page->out, "<p><strong>%u %s</strong>, such as <code>", page->counts[outcome],
            meanings[outcome]);
        hed_page_put_config(page, &example->config);
        fputs("</code>:</p>\n<pre>", page->out);
        hed_page_put(page, example->text[0] ? example->text : "(no text)");
        fputs("</pre>\n", page->out);
    }
    fputs("</section>\n", page->out);
}

/* ---- how it was measured, device and settings ---- */

static void put_fact(hed_page *page, const char *name, const char *text)
{
    if (!text || !text[0]) return;
    fprintf(page->out, "<dt>%s</dt><dd>", name);
    hed_page_put(page, text);
    fputs("</dd>\n", page->out);
}

static void put_measuring(hed_page *page)
{
    static const char *const ends[] = {
        [HED_TUNE_EVALUATIONS] = "the number of evaluations was reached",
        [HED_TUNE_SECONDS] = "the time was up",
        [HED_TUNE_GOOD_ENOUGH] = "the share of the roofline that was asked for was reached",
        [HED_TUNE_NO_GAIN] = "nothing better for long",
        [HED_TUNE_EXHAUSTED] = "every configuration is known",
        [HED_TUNE_STOPPED] = "it was stopped",
        [HED_TUNE_LOST] = "a candidate in this process has hung or broken the device",
    };
    const hed_tune_result *result = page->result;
    char text[160];
    fputs("<section><h2>How it was measured</h2>\n<dl class=facts>\n", page->out);
    put_fact(
        page, "clock", result->device_time ? "the device's own" : "the host's, around each launch");
    put_fact(page, "last-level cache",
        page->def->cold_cache ? "emptied before each timed run" : "as the run before left it");
    put_fact(page, "compared with",
        hed_report_compared(page->kernel, page->def->arguments, result->reference));
    put_fact(page, "isolation",
        result->in_process ? "none: in the tuner's own process"
                           : "candidates ran in a worker process");
    snprintf(text, sizeof text,
        "a configuration measured at the start and at the end moved by %.*f %%",
        result->drift < 0.1, 100 * result->drift);
    put_fact(page, "clocks", isfinite(result->drift) ? text : "drift not measured");
    put_fact(page, "mathematics",
        page->def->math == HED_MATH_STRICT ? "strict: the same bits on every device" : "fast");
    put_fact(page, "ended since", ends[result->end]);
    put_fact(page, "settings", page->def->settings);
    put_fact(page, "tuned from", page->def->origin);
    if (page->def->database) put_fact(page, "kept in", page->def->database);
    else {
        snprintf(text, sizeof text, "not kept: %s",
            result->not_kept_reason ? result->not_kept_reason : "not asked for");
        put_fact(page, "kept in", text);
    }
    fputs("</dl></section>\n", page->out);
}

static void put_device(hed_page *page)
{
    const hed_device_info *device = page->def->device;
    char text[160];
    fputs("<section><h2>Device</h2>\n<dl class=facts>\n", page->out);
    put_fact(page, "id", device->id);
    put_fact(page, "name", device->name);
    put_fact(page, "platform", device->platform);
    put_fact(page, "driver", device->driver);
    snprintf(text, sizeof text, "%u compute units, %u lanes, groups of at most %u",
        device->compute_units, device->lane_width, device->max_group);
    put_fact(page, "size", text);
    snprintf(text, sizeof text, "%.1f KiB for each group; cache %.1f MiB; memory %.1f GiB",
        (double)device->local_bytes / 0x1p10, (double)device->cache_bytes / 0x1p20,
        (double)device->memory_bytes / 0x1p30);
    put_fact(page, "local memory", text);
    snprintf(text, sizeof text, "%.3g GB/s in a copy", page->result->bandwidth * 1e-9);
    put_fact(page, "measured", page->result->bandwidth > 0 ? text : "");
    snprintf(text, sizeof text, "%.3g GFLOP/s in multiply-adds", page->result->arithmetic * 1e-9);
    put_fact(page, "", page->result->arithmetic > 0 ? text : "");
    put_fact(page, "Heddle", hed_version_text());
    fputs("</dl></section>\n", page->out);
}

/* ---- the page ---- */

static void put_page(hed_page *page)
{
    const hed_source *style = &hed_report_files[0], *script = &hed_report_files[1];
    fputs("<!doctype html>\n<html lang=en><head><meta charset=utf-8>\n<meta name=viewport "
          "content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=generator content=heddle><title>",
        page->out);
    hed_page_put(page, page->kernel->name);
    fputs(" on ", page->out);
    hed_page_put(page, page->def->device->name);
    fprintf(page->out,
        "</title>\n<link rel=icon href=\"data:,\">\n<style>\n%.*s</style></head><body>\n",
        (int)style->size, style->text);
    put_header(page);
    hed_page_convergence(page);
    hed_page_heat_maps(page);
    hed_page_best(page);
    fputs("<div class=two>", page->out);
    hed_page_importance(page);
    hed_page_roofline(page);
    fputs("</div>\n", page->out);
    put_failures(page);
    fputs("<div class=two>", page->out);
    put_measuring(page);
    put_device(page);
    fputs(
        "</div>\n<footer>Made by heddle tune. Colours: viridis in the maps; blue and orange of Okabe and Ito "
        "elsewhere. Both can be told apart "
        "with any common colour vision, and nothing is said by colour alone.</footer>\n",
        page->out);
    hed_page_data(page);
    fprintf(
        page->out, "<script>\n%.*s</script>\n</body></html>\n", (int)script->size, script->text);
}

static hed_status write_html(const char *path, const hed_tune_report_def *def, hed_error *error)
{
    char *text = NULL;
    size_t size = 0;
    hed_page page = {.def = def, .kernel = def->kernel, .result = def->result};
    page.out = open_memstream(&text, &size);
    if (!page.out)
        return hed_error_set(error, HED_ERROR_MEMORY, "out of memory for the report %s", path);
    hed_report_count(page.result, page.counts, page.examples);
    page.failed = hed_report_failed(page.counts);
    put_page(&page);
    bool whole = !ferror(page.out) && !page.out_of_memory;
    whole = fclose(page.out) == 0 && whole;
    hed_status status =
        whole ? hed_file_write(path, text, size, error)
              : hed_error_set(error, HED_ERROR_MEMORY, "out of memory for the report %s", path);
    free(text);
    return status;
}

hed_status hed_tune_report_write(
    const char *path, hed_report_format format, const hed_tune_report_def *def, hed_error *error)
{
    switch (format) {
    case HED_REPORT_T4: return hed_report_write_t4(path, def, error);
    case HED_REPORT_CSV: return hed_report_write_csv(path, def, error);
    default: return write_html(path, def, error);
    }
}
