/* Live view of a tuning. On a terminal a few lines are redrawn in place, without changing the
 * terminal's state (cursor, alternate screen), so that no end of the program has to restore it. On
 * other streams a plain line is printed at intervals. */
#include "tunefile/report/report_numbers.h"
#include "tune_command.h"

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double DRAW_EVERY = 0.1; /* s */
static const double SAY_EVERY = 5;
static const double SAY_BEST_EVERY = 1;
enum { BAR = 24 };

/* ---- opening and closing ---- */

void cli_tune_view_open(cli_tune_view *view, const hed_kernel_def *kernel, const hed_tune_def *def,
    const char *title, cli_view_kind kind)
{
    *view = (cli_tune_view){.kernel = kernel, .def = def, .stride = 1, .last_best = INFINITY};
    view->best.seconds = INFINITY;
    view->stream = kind == CLI_VIEW_SILENT ? NULL : stderr;
    view->shares_terminal = kind == CLI_VIEW_BESIDE;
    view->terminal = !view->shares_terminal && isatty(STDERR_FILENO) == 1;
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    view->blocks = view->terminal && locale && strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
    if (locale) freelocale(locale);
    snprintf(view->title, sizeof view->title, "%s", title);
    pthread_mutex_init(&view->lock, NULL);
}

static struct winsize view_window(const cli_tune_view *view)
{
    struct winsize window = {0};
    if (ioctl(fileno(view->stream), TIOCGWINSZ, &window) != 0 || window.ws_col == 0)
        window = (struct winsize){.ws_row = 24, .ws_col = 80};
    return window;
}

static void view_erase(cli_tune_view *view)
{
    /* a window that became narrower may have wrapped the lines */
    uint32_t columns = view->lines ? view_window(view).ws_col : 1, rows = 0;
    for (uint32_t i = 0; i < view->lines; i++)
        rows += view->widths[i] <= columns ? 1 : (view->widths[i] + columns - 1) / columns;
    if (view->lines) fprintf(view->stream, "\r\033[%uA\033[J", rows);
    view->lines = 0;
}

void cli_tune_view_clear(void *user)
{
    cli_tune_view *view = user;
    if (!view->stream || !view->terminal) return;
    pthread_mutex_lock(&view->lock);
    view_erase(view);
    fflush(view->stream);
    pthread_mutex_unlock(&view->lock);
}

void cli_tune_view_close(cli_tune_view *view)
{
    cli_tune_view_clear(view);
    pthread_mutex_destroy(&view->lock);
}

/* ---- state of the tuning ---- */

/* Adds the best time to the small curve; a full curve drops every second step. */
static void add_history(cli_tune_view *view)
{
    if (++view->in_step < view->stride) return;
    view->in_step = 0;
    if (view->history_count == CLI_VIEW_HISTORY) {
        for (uint32_t i = 0; i < CLI_VIEW_HISTORY / 2; i++)
            view->history[i] = view->history[2 * i + 1];
        view->history_count /= 2;
        view->stride *= 2;
    }
    view->history[view->history_count++] = view->best.seconds;
}

static void view_take(cli_tune_view *view, const hed_tune_progress *progress)
{
    bool is_new = progress->last && progress->done != view->progress.done;
    view->progress = *progress;
    /* the estimated drift of a device changes, and with it the best time; the best reported time
     * must not get worse */
    if (progress->best && !(view->best.seconds <= progress->best->seconds))
        view->best = *progress->best;
    if (isfinite(view->best.seconds)) view->progress.best = &view->best;
    if (!is_new) return;
    view->recalled += progress->last->recalled;
    if (view->progress.done == view->recalled + 1) view->begun = progress->seconds;
    view->failures[progress->last->outcome]++;
    if (progress->best) add_history(view);
}

static double rate_of(const cli_tune_view *view)
{
    double seconds = view->progress.seconds - view->begun,
           new_count = view->progress.done - fmin(view->recalled, view->progress.done);
    return seconds > 0 && new_count > 1 ? (new_count - 1) / seconds : 0;
}

/* ---- lines ---- */

/* Cuts a line to the window and prints it; counts characters, not bytes. */
static void put_line(cli_tune_view *view, uint32_t columns, const char *text)
{
    uint32_t width = 0;
    const char *at = text;
    for (; *at; at++) {
        width += ((unsigned char)*at & 0xc0) != 0x80;
        if (width >= columns) break;
    }
    fprintf(view->stream, "%.*s\n", (int)(at - text), text);
    view->widths[view->lines++] = width < columns ? width : columns - 1;
}

static void put_bar(const cli_tune_view *view, double share, char *text, size_t size)
{
    uint32_t full = (uint32_t)lround(fmin(fmax(share, 0), 1) * BAR);
    size_t used = 0;
    for (uint32_t i = 0; i < BAR && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s",
            view->blocks ? i < full ? "█" : "░"
            : i < full   ? "#"
                         : ".");
}

/* Draws the best time as a small falling curve, on a logarithmic scale. */
static void put_curve(const cli_tune_view *view, char *text, size_t size)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const letters[] = {"_", ".", "-", "=", "+", "*", "%", "#"};
    size_t used = 0;
    text[0] = 0;
    if (view->history_count == 0) return;
    double high = log(view->history[0]), low = log(view->history[view->history_count - 1]),
           range = high - low;
    for (uint32_t i = 0; i < view->history_count && used < size; i++) {
        double height = range > 1e-9 ? (log(view->history[i]) - low) / range : 0;
        uint32_t level = (uint32_t)lround(fmin(fmax(height, 0), 1) * 7);
        used += (size_t)snprintf(
            text + used, size - used, "%s", (view->blocks ? blocks : letters)[level]);
    }
}

/* Formats the failures: "12: 8 invalid, 3 build, 1 crashed". */
static void put_failures(const cli_tune_view *view, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%u", view->progress.failed);
    const char *between = ": ";
    for (int outcome = HED_OUTCOME_INVALID; outcome < HED_OUTCOME_COUNT && used < size; outcome++) {
        if (!view->failures[outcome]) continue;
        used += (size_t)snprintf(text + used, size - used, "%s%u %s", between,
            view->failures[outcome], hed_outcome_name((hed_outcome)outcome));
        between = ", ";
    }
}

/* The objective of the values that progress has: a tuning for energy searches by time. */
static hed_objective shown_objective(const cli_tune_view *view)
{
    return view->def->objective == HED_OBJECTIVE_METRIC ? HED_OBJECTIVE_METRIC : HED_OBJECTIVE_TIME;
}

/* Formats the best value, and its metrics: "1.23 ms, 120 GFLOP/s". */
static void put_value(const cli_tune_view *view, char *text, size_t size)
{
    const hed_tune_def *def = view->def;
    hed_report_value_text(shown_objective(view), def->metric, view->best.seconds, text, size);
    /* a result of this evaluation alone, at its own pace */
    hed_evaluation best = view->best;
    best.drift = 1;
    const hed_tune_result single = {.evaluations = &best, .count = 1};
    for (uint32_t i = 0; i < def->metric_count; i++) {
        double value = hed_report_metric(&def->metrics[i], shown_objective(view), &single, 0);
        size_t used = strlen(text);
        if (&def->metrics[i] != def->metric && isfinite(value))
            snprintf(text + used, size - used, ", %.4g %s", value, def->metrics[i].name);
    }
}

static void put_gain(const cli_tune_view *view, char *text, size_t size)
{
    text[0] = 0;
    if (view->progress.best && isfinite(view->progress.default_seconds))
        snprintf(text, size, ", %.2f times as %s as the default",
            view->progress.default_seconds / view->best.seconds,
            hed_report_good(shown_objective(view), view->def->metric));
}

/* Formats the time until the first limit is reached; "" if it is unknown. */
static void put_left(const cli_tune_view *view, char *text, size_t size)
{
    double rate = rate_of(view), left = NAN;
    if (rate > 0 && view->progress.total >= view->progress.done)
        left = (view->progress.total - view->progress.done) / rate;
    if (view->progress.limit > 0)
        left = fmin(left, fmax(0, view->progress.limit - view->progress.seconds));
    text[0] = 0;
    if (isfinite(left))
        snprintf(text, size, left < 99.5 ? ", %.0f s left" : ", %.0f min left",
            left < 99.5 ? left : left / 60);
}

/* ---- drawing ---- */

static void draw_best(cli_tune_view *view, uint32_t columns)
{
    char line[1024], value[192], gain[96], curve[CLI_VIEW_HISTORY * 4], config[512];
    if (!view->progress.best) {
        put_line(view, columns, "  best    none yet");
        return;
    }
    put_value(view, value, sizeof value);
    put_gain(view, gain, sizeof gain);
    snprintf(line, sizeof line, "  best    %s%s", value, gain);
    put_line(view, columns, line);
    hed_config_format(view->kernel, &view->best.config, config, sizeof config);
    snprintf(line, sizeof line, "          %s", config);
    put_line(view, columns, line);
    put_curve(view, curve, sizeof curve);
    snprintf(line, sizeof line, "          %s", curve);
    put_line(view, columns, line);
}

static void draw_devices(cli_tune_view *view, uint32_t columns)
{
    char line[256];
    for (uint32_t i = 0; i < view->progress.device_count && i < CLI_VIEW_DEVICES; i++) {
        const hed_tune_on *on = &view->progress.devices[i];
        snprintf(line, sizeof line, "  %-12s %-12s %5u tried, %u failed, drift %.3f", on->device,
            on->doing, on->done, on->failed, on->drift);
        put_line(view, columns, line);
    }
}

static void view_draw(cli_tune_view *view)
{
    struct winsize window = view_window(view);
    uint32_t columns = window.ws_col > 1 ? window.ws_col : 2;
    bool room = window.ws_row > CLI_VIEW_LINES + view->progress.device_count;
    char line[1024], bar[BAR * 4], part[256];
    view_erase(view);
    snprintf(line, sizeof line, "%s: %s", view->title,
        view->progress.stage ? view->progress.stage : "starting");
    put_line(view, columns, line);
    if (room) {
        draw_best(view, columns);
        if (isfinite(view->progress.share)) {
            put_bar(view, view->progress.share, bar, sizeof bar);
            snprintf(line, sizeof line, "  peak    %s %.0f %% of what the device allows", bar,
                100 * view->progress.share);
            put_line(view, columns, line);
        }
    }
    put_bar(view, view->progress.total ? (double)view->progress.done / view->progress.total : 0,
        bar, sizeof bar);
    snprintf(line, sizeof line, "  tried   %s %u of %u, %.3g/s, %u compiling", bar,
        view->progress.done, view->progress.total, rate_of(view), view->progress.building);
    put_line(view, columns, line);
    put_left(view, part, sizeof part);
    snprintf(line, sizeof line, "  time    %.0f s%s", view->progress.seconds, part);
    put_line(view, columns, line);
    if (view->progress.failed && room) {
        put_failures(view, part, sizeof part);
        snprintf(line, sizeof line, "  failed  %s", part);
        put_line(view, columns, line);
    }
    if (room) draw_devices(view, columns);
}

/* Formats the devices: ", opencl:0:0 12 (measuring), opencl:0:1 lost". */
static void format_devices(const cli_tune_view *view, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < view->progress.device_count && used < size; i++) {
        const hed_tune_on *on = &view->progress.devices[i];
        used += (size_t)snprintf(text + used, size - used, "%s %s %u (%s)", i ? "," : ";",
            on->device, on->done, on->doing);
    }
}

/* Prints one line for a log: at a new best, and at intervals. */
static void say(cli_tune_view *view)
{
    char devices[1024];
    format_devices(view, devices, sizeof devices);
    char value[192] = "none", gain[96], left[48], failures[256];
    if (view->progress.best) put_value(view, value, sizeof value);
    put_gain(view, gain, sizeof gain);
    put_left(view, left, sizeof left);
    put_failures(view, failures, sizeof failures);
    fprintf(view->stream, "%s: %s, %.0f s%s, %u of %u tried, best %s%s%s%s%s\n",
        view->shares_terminal ? view->title : view->kernel->name,
        view->progress.stage ? view->progress.stage : "starting", view->progress.seconds, left,
        view->progress.done, view->progress.total, value, gain,
        view->progress.failed ? ", failed " : "", view->progress.failed ? failures : "", devices);
    view->last_best = view->progress.best ? view->best.seconds : INFINITY;
}

void cli_tune_view_update(void *user, const hed_tune_progress *progress)
{
    cli_tune_view *view = user;
    if (view->second_display) view->second_display(view->also_user, view->kernel, progress);
    if (!view->stream) return;
    pthread_mutex_lock(&view->lock);
    view_take(view, progress);
    bool better = progress->best && progress->best->seconds < view->last_best;
    double pause = view->terminal ? DRAW_EVERY : better ? SAY_BEST_EVERY : SAY_EVERY;
    if (progress->seconds - view->last_drawn >= pause) {
        if (view->terminal) view_draw(view);
        else say(view);
        fflush(view->stream);
        view->last_drawn = progress->seconds;
    }
    pthread_mutex_unlock(&view->lock);
}
