/* Progress line on stderr. */
#include "cli/common/progress.h"
#include "support/digits.h"

#include <inttypes.h>
#include <unistd.h>

static const uint64_t SECOND = 1000000000;

hed_progress hed_progress_begin(const char *label, const char *unit, uint64_t total, bool quiet)
{
    hed_progress progress = {
        .label = label, .unit = unit, .total = total, .clock = hed_default_clock()};
    progress.stream = quiet ? NULL : stderr;
    progress.terminal = isatty(STDERR_FILENO) == 1;
    progress.started = progress.clock.now(progress.clock.user);
    progress.last_drawn = progress.started;
    return progress;
}

void hed_progress_format(const hed_progress *progress, double seconds, char *text, size_t size)
{
    double rate = seconds > 0 ? (double)progress->done / seconds : 0;
    char left[64] = "", share[64] = "";
    if (progress->total > 0) {
        snprintf(share, sizeof share, " of %" PRIu64, progress->total);
        if (progress->done > 0 && progress->done < progress->total) {
            double time = (double)(progress->total - progress->done) / rate;
            double unit = time < 99.5 ? 1 : time < 99.5 * 60 ? 60 : 3600;
            snprintf(left, sizeof left, ", %.0f %%, %.*f %s left",
                100.0 * (double)progress->done / (double)progress->total, unit == 3600, time / unit,
                unit == 1    ? "s"
                : unit == 60 ? "min"
                             : "h");
        }
    }
    snprintf(text, size, "%s: %" PRIu64 "%s %s, %s %s/s%s", progress->label, progress->done, share,
        progress->unit, hed_digits(rate, 3).text, progress->unit, left);
}

void hed_progress_update(hed_progress *progress, uint64_t done)
{
    progress->done = done;
    if (!progress->stream) return;
    uint64_t now = progress->clock.now(progress->clock.user);
    uint64_t pause = !progress->terminal    ? 10 * SECOND
                     : progress->is_visible ? SECOND / 10
                                            : SECOND;
    if (now - progress->last_drawn < pause) return;
    char text[160];
    hed_progress_format(
        progress, (double)(now - progress->started) / (double)SECOND, text, sizeof text);
    /* the terminal's "erase to end of line" removes the rest of a longer line */
    fprintf(progress->stream, progress->terminal ? "\r%.78s\033[K" : "%s\n", text);
    fflush(progress->stream);
    progress->last_drawn = now;
    progress->is_visible = true;
}

void hed_progress_end(hed_progress *progress)
{
    if (progress->stream && progress->is_visible && progress->terminal) {
        fputs("\r\033[K", progress->stream);
        fflush(progress->stream);
    }
    progress->is_visible = false;
}
