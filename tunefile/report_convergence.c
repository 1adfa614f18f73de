/* The convergence curve: each evaluation as a mark, failures in a lane for each cause, the best so
 * far as a line. All marks of one kind are one path of points ("M x y h0" with round ends), so that
 * thousands of them stay a small file. The width is the page's: x is counted in evaluations in a
 * view box that is stretched, and strokes are not stretched with it. */
#include "tunefile/report_page.h"

#include <math.h>

enum { PLOT_HEIGHT = 300, LANE_HEIGHT = 18, FEW = 400 }; /* so many marks are drawn larger */

typedef struct curve {
    double low, high; /* of the values shown */
    uint32_t lanes;
    uint32_t height;
} curve;

static double y_of(const curve *c, double value)
{
    return PLOT_HEIGHT * (1 - hed_page_logarithmic(value, c->low, c->high));
}

static curve measure(const hed_page *page)
{
    curve c = {INFINITY, 0, 0, 0};
    for (uint32_t i = 0; i < page->result->count; i++) {
        const hed_evaluation *evaluation = &page->result->evaluations[i];
        if (!hed_report_has_value(evaluation)) continue;
        c.low = fmin(c.low, hed_report_value(page->result, i));
        c.high = fmax(c.high, hed_report_value(page->result, i));
    }
    for (int outcome = HED_OUTCOME_INVALID; outcome < HED_OUTCOME_COUNT; outcome++)
        c.lanes += page->counts[outcome] > 0;
    if (c.high <= 0) c.low = c.high = 1;
    c.low *= 0.95;
    c.high *= 1.05;
    c.height = PLOT_HEIGHT + c.lanes * LANE_HEIGHT + (c.lanes ? 10 : 0);
    return c;
}

/* Middle of the lane of an outcome, counted among those that happened. */
static double lane_of(const hed_page *page, int outcome)
{
    uint32_t lane = 0;
    for (int i = HED_OUTCOME_INVALID; i < outcome; i++) lane += page->counts[i] > 0;
    return PLOT_HEIGHT + 10 + (lane + 0.5) * LANE_HEIGHT;
}

static void put_axes(hed_page *page, const curve *c)
{
    double ticks[HED_PAGE_TICKS];
    uint32_t count = hed_page_ticks(c->low, c->high, ticks);
    for (uint32_t i = 0; i < count; i++) {
        double y = y_of(c, ticks[i]);
        fprintf(page->out,
            "<line class=grid x1=0 x2=100%% y1=%.1f y2=%.1f /><text class=left x=0 dx=-8 y=%.1f dy=.35em>",
            y, y, y);
        hed_page_put_value(page, ticks[i]);
        fputs("</text>\n", page->out);
    }
    for (int outcome = HED_OUTCOME_INVALID; outcome < HED_OUTCOME_COUNT; outcome++)
        if (page->counts[outcome])
            fprintf(page->out, "<text class=left x=0 dx=-8 y=%.1f dy=.35em>%s</text>\n",
                lane_of(page, outcome), hed_outcome_name((hed_outcome)outcome));
    double last = page->result->count ? page->result->count : 1;
    count = hed_page_even_ticks(0, last, ticks);
    for (uint32_t i = 0; i < count; i++)
        fprintf(page->out, "<text class=below x=%.2f%% y=%u dy=1.5em>%.4g</text>\n",
            100 * ticks[i] / last, c->height, ticks[i]);
    fprintf(page->out, "<text class=below x=50%% y=%u dy=3em>evaluation</text>\n", c->height);
}

/* All marks of one outcome. */
static void put_marks(hed_page *page, const curve *c, int outcome)
{
    const hed_tune_result *result = page->result;
    fprintf(page->out, "<path class=\"mark %s\" d=\"", hed_outcome_name((hed_outcome)outcome));
    for (uint32_t i = 0; i < result->count; i++) {
        const hed_evaluation *evaluation = &result->evaluations[i];
        if ((int)evaluation->outcome == outcome)
            fprintf(page->out, "M%u %.0fh0", i,
                hed_report_has_value(evaluation) ? y_of(c, hed_report_value(result, i))
                                                 : lane_of(page, outcome));
    }
    fputs("\"/>\n", page->out);
}

static void put_best_so_far(hed_page *page, const curve *c)
{
    double best = INFINITY;
    fputs("<path class=best d=\"", page->out);
    for (uint32_t i = 0; i < page->result->count; i++) {
        double value = hed_report_value(page->result, i);
        if (!(value < best)) /* NAN: it did not work */
            continue;
        fprintf(page->out, best < INFINITY ? "H%uV%.1f" : "M%u %.1f", i, y_of(c, value));
        best = value;
    }
    if (best < INFINITY) fprintf(page->out, "H%.1f", page->result->count - 0.5);
    fputs("\"/>\n", page->out);
}

/* A level line for a configuration that something else is compared with: behind the marks its line,
 * before them its name. */
static void put_level(
    hed_page *page, const curve *c, uint32_t index, const char *name, bool is_name)
{
    if (index >= page->result->count || !hed_report_has_value(&page->result->evaluations[index]))
        return;
    double y = y_of(c, hed_report_value(page->result, index));
    if (is_name)
        fprintf(
            page->out, "<text class=\"halo right level\" x=100%% y=%.1f>%s</text>\n", y - 4, name);
    else
        fprintf(
            page->out, "<line class=\"level %s\" x1=0 x2=100%% y1=%.1f y2=%.1f />\n", name, y, y);
}

static void put_levels(hed_page *page, const curve *c, bool names)
{
    put_level(page, c, page->result->default_index, "default", names);
    if (page->result->stored_index != page->result->default_index)
        put_level(page, c, page->result->stored_index, "stored", names);
}

void hed_page_convergence(hed_page *page)
{
    const hed_tune_result *result = page->result;
    curve c = measure(page);
    uint32_t count = result->count ? result->count : 1;
    fputs(
        "<section><h2>Convergence</h2>\n<p>One mark for each configuration that was tried, in the order of trying; "
        "lower is better, on a logarithmic "
        "scale. The line is the best so far.</p>\n<div class=plot>",
        page->out);
    fprintf(page->out,
        "<svg class=\"chart%s\" id=convergence height=%u data-low=%.9g data-high=%.9g data-plot=%d role=img "
        "aria-label=\"Convergence: %u "
        "evaluations\">\n",
        result->count <= FEW ? " few" : "", c.height + 44, c.low, c.high, PLOT_HEIGHT,
        result->count);
    put_axes(page, &c);
    put_levels(page, &c, false);
    fprintf(page->out,
        "<svg width=100%% height=%u viewBox=\"-0.5 0 %u %u\" preserveAspectRatio=none>\n", c.height,
        count, c.height);
    for (int outcome = 0; outcome < HED_OUTCOME_COUNT; outcome++)
        if (page->counts[outcome]) put_marks(page, &c, outcome);
    put_best_so_far(page, &c);
    fputs("</svg>", page->out);
    put_levels(page, &c, true);
    fputs(
        "<circle id=pointed r=7 hidden /></svg></div>\n<p class=legend><span class=\"key measured\">measured</span> ",
        page->out);
    if (page->counts[HED_OUTCOME_DROPPED])
        fputs("<span class=\"key dropped\">given up early: clearly slower</span> ", page->out);
    if (page->failed) fputs("<span class=\"key bad\">failed, by cause</span> ", page->out);
    fputs("<output id=told></output></p></section>\n", page->out);
}

/* ---- what the script reads ---- */

/* A JSON string that may stand in a script element. */
static void put_json(hed_page *page, const char *text)
{
    fputc('"', page->out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == '"' || c == '\\' || c == '<' || c == '&')
            fprintf(page->out, "\\u%04x", c);
        else fputc(c, page->out);
    }
    fputc('"', page->out);
}

void hed_page_data(hed_page *page)
{
    const hed_tune_result *result = page->result;
    fputs("<script type=\"application/json\" id=data>{\"parameters\":[", page->out);
    for (uint32_t p = 0; p < page->kernel->parameter_count; p++) {
        fputs(p ? ",[" : "[", page->out);
        put_json(page, page->kernel->parameters[p].name);
        for (uint32_t v = 0; v < page->kernel->parameters[p].count; v++) {
            char text[64];
            hed_report_value_text(page->kernel, p, v, text, sizeof text);
            fputc(',', page->out);
            put_json(page, text);
        }
        fputc(']', page->out);
    }
    fputs("],\"outcomes\":[", page->out);
    for (int outcome = 0; outcome < HED_OUTCOME_COUNT; outcome++)
        fprintf(page->out, "%s\"%s\"", outcome ? "," : "", hed_outcome_name((hed_outcome)outcome));
    /* Two digits, hexadecimal, for the place of each parameter's value; one more for the
     * outcome. */
    fputs("],\"configs\":\"", page->out);
    for (uint32_t i = 0; i < result->count; i++) {
        for (uint32_t p = 0; p < page->kernel->parameter_count; p++)
            fprintf(page->out, "%02x",
                hed_report_place(page->kernel, &result->evaluations[i].config, p) & 0xffu);
        fprintf(page->out, "%x", (unsigned)result->evaluations[i].outcome);
    }
    fputs("\",\"values\":[", page->out);
    for (uint32_t i = 0; i < result->count; i++) {
        if (i) fputc(',', page->out);
        if (hed_report_has_value(&result->evaluations[i]))
            fprintf(page->out, "%.4g", hed_report_value(result, i));
        else fputc('0', page->out);
    }
    fprintf(page->out, "],\"objective\":%d}</script>\n", (int)page->def->objective);
}
