/* The ten best with their confidence intervals, and how much each parameter matters. */
#include "tunefile/report_page.h"

#include <math.h>

enum { TOP = 10 };
static const double NOTICED = 0.01; /* drift that is worth a word */

/* ---- the ten best ---- */

typedef struct range {
    double low, high;
} range;

/* At the pace of the winner's, as hed_report_value(). */
static range interval_of(const hed_tune_result *result, uint32_t index)
{
    const hed_evaluation *evaluation = &result->evaluations[index];
    bool known = isfinite(evaluation->low) && isfinite(evaluation->high) && evaluation->low > 0;
    double value = hed_report_value(result, index), scale = value / evaluation->seconds;
    return known ? (range){evaluation->low * scale, evaluation->high * scale}
                 : (range){value, value};
}

/* The scale of the drawing: wide enough for every median, and for intervals up to twice that. */
static range range_of(const hed_tune_result *result, const uint32_t *order, uint32_t count)
{
    range all = {INFINITY, 0};
    double lowest = INFINITY, highest = 0;
    for (uint32_t i = 0; i < count; i++) {
        range one = interval_of(result, order[i]);
        all.low = fmin(all.low, one.low);
        all.high = fmax(all.high, one.high);
        lowest = fmin(lowest, hed_report_value(result, order[i]));
        highest = fmax(highest, hed_report_value(result, order[i]));
    }
    double room = fmax(highest - lowest, highest * 0.02);
    all = (range){fmax(all.low, lowest - room), fmin(all.high, highest + room)};
    double margin = (all.high - all.low) * 0.04 + all.high * 1e-4;
    return (range){all.low - margin, all.high + margin};
}

static void put_bar(hed_page *page, double x1, double x2, int y1, int y2)
{
    fprintf(page->out, "<line x1=%.2f%% x2=%.2f%% y1=%d y2=%d />", x1, x2, y1, y2);
}

/* A line from end to end with the median on it; an end that lies outside the scale has no stroke
 * across it. */
static void put_interval(hed_page *page, uint32_t index, const range *all)
{
    range one = interval_of(page->result, index);
    double percent = 100 / (all->high - all->low), low = (one.low - all->low) * percent,
           high = (one.high - all->low) * percent;
    fputs("<td><svg class=interval height=18 role=img aria-label=\"95 % confidence interval\">",
        page->out);
    put_bar(page, fmax(low, 0), fmin(high, 100), 9, 9);
    if (low >= 0) put_bar(page, low, low, 5, 13);
    if (high <= 100) put_bar(page, high, high, 5, 13);
    fprintf(page->out, "<circle cx=%.2f%% cy=9 r=4 /><title>",
        (hed_report_value(page->result, index) - all->low) * percent);
    hed_page_put_value(page, one.low);
    fputs(" to ", page->out);
    hed_page_put_value(page, one.high);
    fputs("</title></svg></td>", page->out);
}

/* What distinguishes this one, in words. */
static void put_remark(hed_page *page, uint32_t index)
{
    const hed_tune_result *result = page->result;
    const char *between = "";
    fputs("<td>", page->out);
    if (index == result->best) {
        fputs("winner", page->out);
        between = ", ";
    } else if (result->evaluations[index].tied) {
        fputs("tie", page->out);
        between = ", ";
    }
    if (result->evaluations[index].outcome == HED_OUTCOME_DROPPED) {
        fputs("given up early", page->out);
        between = ", ";
    }
    if (index == result->default_index) {
        fprintf(page->out, "%sdefault", between);
        between = ", ";
    }
    if (index == result->stored_index) fprintf(page->out, "%sstored before", between);
    fputs("</td>", page->out);
}

static void put_row(hed_page *page, uint32_t index, uint32_t rank, const range *all)
{
    const hed_tune_result *result = page->result;
    const hed_evaluation *evaluation = &result->evaluations[index],
                         *winner = &result->evaluations[result->best];
    fprintf(page->out, "<tr%s><td>%u</td><td class=value>",
        index == result->best ? " class=winner" : "", rank + 1);
    hed_page_put_value(page, hed_report_value(result, index));
    fprintf(page->out, "</td><td class=value>%.3f</td>",
        hed_report_value(result, index) / winner->seconds);
    put_interval(page, index, all);
    put_remark(page, index);
    for (uint32_t p = 0; p < page->kernel->parameter_count; p++) {
        char text[64];
        hed_report_value_text(page->kernel, p,
            hed_report_place(page->kernel, &evaluation->config, p), text, sizeof text);
        fputs(evaluation->config.values[p] == winner->config.values[p]
                  ? "<td class=value>"
                  : "<td class=\"value other\">",
            page->out);
        hed_page_put(page, text);
        fputs("</td>", page->out);
    }
    fprintf(page->out, "<td class=value>%u</td></tr>\n", evaluation->runs);
}

void hed_page_best(hed_page *page)
{
    uint32_t order[TOP], count = hed_report_top(page->result, order, TOP);
    if (!count || page->result->best >= page->result->count) return;
    range all = range_of(page->result, order, count);
    fputs(
        "<section><h2>The best</h2>\n<p>Medians with their 95 % confidence intervals, drawn on one scale. What "
        "differs from the winner is set "
        "in bold.",
        page->out);
    if (page->result->ties)
        fprintf(page->out, " %u %s the winner in these measurements: a tie.", page->result->ties,
            page->result->ties == 1 ? "other configuration cannot be told from"
                                    : "others cannot be told from");
    if (page->result->drift > NOTICED)
        fprintf(page->out,
            " The device's pace changed by %.0f %% meanwhile; all times are told at the pace of the winner's.",
            100 * page->result->drift);
    fputs(
        "</p>\n<div class=scroll><table><thead><tr><th></th><th class=value>median</th><th class=value>times "
        "best</th><th>interval</th><th></th>",
        page->out);
    for (uint32_t p = 0; p < page->kernel->parameter_count; p++) {
        fputs("<th class=value>", page->out);
        hed_page_put(page, page->kernel->parameters[p].name);
        fputs("</th>", page->out);
    }
    fputs("<th class=value>runs</th></tr></thead><tbody>\n", page->out);
    for (uint32_t i = 0; i < count; i++) put_row(page, order[i], i, &all);
    fputs("</tbody></table></div></section>\n", page->out);
}

/* ---- importance ---- */

void hed_page_importance(hed_page *page)
{
    uint32_t ranked[HED_MAX_PARAMETERS], count = page->kernel->parameter_count;
    hed_report_rank(page->kernel, page->result, ranked);
    if (!count || page->result->importance[ranked[0]] <= 0) return;
    fputs(
        "<section><h2>What matters</h2>\n<p>Share of each parameter in what is known of the times: the one on top "
        "is the one to choose "
        "with care.</p>\n<table class=bars>\n",
        page->out);
    /* 0: it was never varied */
    for (uint32_t i = 0; i < count && page->result->importance[ranked[i]] > 0; i++) {
        double share = 100 * page->result->importance[ranked[i]];
        fputs("<tr><th>", page->out);
        hed_page_put(page, page->kernel->parameters[ranked[i]].name);
        fprintf(page->out,
            "</th><td><svg height=16 role=img aria-label=\"%.0f %%\"><rect class=track width=100%% height=16 "
            "rx=2 /><rect class=bar width=%.2f%% height=16 rx=2 /></svg></td><td "
            "class=value>%.*f %%</td></tr>\n",
            share, share, share < 9.95 && share > 0 ? 1 : 0, share);
    }
    fputs("</table></section>\n", page->out);
}
