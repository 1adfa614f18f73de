/* The roofline (Williams, Waterman, Patterson 2009): the rate that the device's memory and
 * arithmetic allow for each operation count per byte, as both were measured on it, and where the
 * winner and the default lie under it. */
#include "tunefile/report_page.h"

#include <math.h>

enum { HEIGHT = 260, NAMES_APART = 17 };

typedef struct roof {
    double bandwidth, arithmetic; /* bytes/s, operations/s */
    double x_low, x_high, y_low, y_high;
} roof;

static double x_of(const roof *r, double intensity)
{
    return 100 * hed_page_logarithmic(intensity, r->x_low, r->x_high);
}

static double y_of(const roof *r, double rate)
{
    return HEIGHT * (1 - hed_page_logarithmic(rate, r->y_low, r->y_high));
}

/* "30.4 TFLOP/s". */
static void put_rate(FILE *out, double value, const char *unit)
{
    static const char prefixes[][2] = {"", "k", "M", "G", "T", "P"};
    uint32_t prefix = 0;
    for (; value >= 999.5 && prefix < 5; prefix++) value /= 1000;
    fprintf(out, "%.3g %s%s", value, prefixes[prefix], unit);
}

/* ---- the plot, where both sides are known ---- */

static roof make_roof(const hed_tune_result *result)
{
    roof r = {.bandwidth = result->bandwidth, .arithmetic = result->arithmetic};
    double intensity = result->work.operations / result->work.bytes,
           ridge = r.arithmetic / r.bandwidth;
    double slowest = fmax(
        hed_report_value(result, result->best), hed_report_value(result, result->default_index));
    if (isnan(slowest)) slowest = hed_report_value(result, result->best);
    r.x_low = fmin(intensity, ridge) / 8;
    r.x_high = fmax(intensity, ridge) * 8;
    r.y_high =
        fmax(r.arithmetic, result->work.operations / hed_report_value(result, result->best)) * 2;
    r.y_low = fmin(result->work.operations / slowest, r.bandwidth * r.x_low) / 2;
    return r;
}

/* Its name lies `lift` pixels above it. */
static void put_point(hed_page *page, const roof *r, double seconds, double lift, const char *name)
{
    if (isnan(seconds)) return;
    const hed_work *work = &page->result->work;
    double x = x_of(r, work->operations / work->bytes), y = y_of(r, work->operations / seconds);
    bool left = x > 50;
    fprintf(page->out,
        "<circle class=\"point %s\" cx=%.2f%% cy=%.1f r=6 /><text class=\"halo%s\" x=%.2f%% dx=%d y=%.1f "
        "dy=.35em>%s ",
        name, x, y, left ? " right" : "", x, left ? -12 : 12, y - lift, name);
    put_rate(page->out, work->operations / seconds, "FLOP/s");
    fputs("</text>\n", page->out);
}

static void put_plot(hed_page *page)
{
    const hed_tune_result *result = page->result;
    roof r = make_roof(result);
    double ridge = r.arithmetic / r.bandwidth, ticks[HED_PAGE_TICKS];
    fprintf(page->out,
        "<p class=axis>&#8593; FLOP/s</p><div class=plot><svg class=chart height=%d role=img aria-label=Roofline>\n",
        HEIGHT + 44);
    uint32_t count = hed_page_ticks(r.y_low, r.y_high, ticks);
    for (uint32_t i = 0; i < count; i++) {
        double y = y_of(&r, ticks[i]);
        fprintf(page->out,
            "<line class=grid x1=0 x2=100%% y1=%.1f y2=%.1f /><text class=left x=0 dx=-8 y=%.1f dy=.35em>",
            y, y, y);
        put_rate(page->out, ticks[i], "");
        fputs("</text>\n", page->out);
    }
    count = hed_page_ticks(r.x_low, r.x_high, ticks);
    for (uint32_t i = 0; i < count; i++)
        fprintf(page->out, "<text class=below x=%.2f%% y=%d dy=1.5em>%.3g</text>\n",
            x_of(&r, ticks[i]), HEIGHT, ticks[i]);
    fprintf(page->out, "<text class=below x=50%% y=%d dy=3em>operations for each byte</text>\n",
        HEIGHT);
    fprintf(page->out,
        "<line class=roof x1=0 y1=%.1f x2=%.2f%% y2=%.1f /><line class=roof x1=%.2f%% y1=%.1f x2=100%% y2=%.1f />\n",
        y_of(&r, r.bandwidth * r.x_low), x_of(&r, ridge), y_of(&r, r.arithmetic), x_of(&r, ridge),
        y_of(&r, r.arithmetic), y_of(&r, r.arithmetic));
    double winner = hed_report_value(result, result->best),
           other = result->default_index != result->best
                       ? hed_report_value(result, result->default_index)
                       : NAN;
    double distance =
        fabs(y_of(&r, 1 / winner) -
             y_of(&r, 1 / other)); /* NAN without a default: then nothing is in the way */
    double lift = distance < NAMES_APART ? (NAMES_APART - distance) / 2 : 0;
    put_point(page, &r, other, -lift, "default");
    put_point(page, &r, winner, lift, "winner");
    fputs("</svg></div>\n", page->out);
}

/* ---- words, and a bar for each side that is known ---- */

static void put_side(hed_page *page, const char *name, double amount, double peak, const char *unit)
{
    if (amount <= 0 || peak <= 0) return;
    double rate = amount / hed_report_value(page->result, page->result->best),
           share = 100 * rate / peak;
    fprintf(page->out,
        "<tr><th>%s</th><td><svg height=16 role=img aria-label=\"%.0f %%\"><rect class=track width=100%% "
        "height=16 rx=2 /><rect "
        "class=bar width=%.2f%% height=16 rx=2 /></svg></td><td class=value>%.0f %%</td><td class=value>",
        name, share, fmin(share, 100), share);
    put_rate(page->out, rate, unit);
    fputs(" of ", page->out);
    put_rate(page->out, peak, unit);
    fputs("</td></tr>\n", page->out);
}

void hed_page_roofline(hed_page *page)
{
    const hed_tune_result *result = page->result;
    fputs("<section><h2>How near to what the device can do</h2>\n", page->out);
    hed_bound bound = hed_report_bound(result);
    if (bound == HED_BOUND_UNKNOWN || page->def->objective != HED_OBJECTIVE_TIME ||
        isnan(hed_report_value(result, result->best))) {
        fputs(
            "<p>Not known: the description does not say how much work a launch is, or the device's own rates were "
            "not measured.</p></section>\n",
            page->out);
        return;
    }
    fprintf(page->out,
        "<p>The %s is what limits this kernel: by the description's own count of its work, and by the rates that "
        "this device "
        "reached in a plain copy and in multiply-adds.</p>\n",
        bound == HED_BOUND_MEMORY ? "device's memory" : "device's arithmetic");
    if (result->share > 1)
        fputs(
            "<p>More than 100 %: the data stay in a cache, or the rates were measured while the device had other "
            "work.</p>\n",
            page->out);
    fputs("<div class=scroll><table class=bars>\n", page->out);
    put_side(page, "memory", result->work.bytes, result->bandwidth, "B/s");
    put_side(page, "arithmetic", result->work.operations, result->arithmetic, "FLOP/s");
    fputs("</table></div>\n", page->out);
    if (result->work.bytes > 0 && result->work.operations > 0 && result->bandwidth > 0 &&
        result->arithmetic > 0)
        put_plot(page);
    fputs("</section>\n", page->out);
}
