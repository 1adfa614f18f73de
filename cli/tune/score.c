/* Replay of searches on recorded spaces. */
#include "cli/tune/recorded.h"

#include "heddle/author.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* ---- the scale ---- */

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

hed_status hed_replay_measure(
    const hed_recorded_space *recorded, hed_replay_scale *scale, hed_error *error)
{
    double *sorted = malloc((recorded->count + 1) * sizeof *sorted);
    uint64_t count = 0; /* number of valid times */
    for (uint64_t i = 0; sorted && i < recorded->count; i++)
        if (!isnan(recorded->times[i])) sorted[count++] = recorded->times[i];
    if (!sorted) return HED_OUT_OF_MEMORY(error, "%s", recorded->name);
    if (count == 0) {
        free(sorted);
        return hed_fail(error, HED_ERROR_FORMAT, "%s: not one of its configurations has a time",
            recorded->name);
    }
    qsort(sorted, count, sizeof *sorted, compare_times);
    *scale = (hed_replay_scale){.optimum = sorted[0]};
    scale->median =
        count % 2 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
    double target = scale->optimum + 0.05 * (scale->median - scale->optimum);
    uint64_t good = 0;
    while (good < count && sorted[good] <= target) good++;
    uint64_t evaluations = count / (good + 1);
    scale->budget = evaluations < 1                 ? 1
                    : evaluations < HED_REPLAY_MOST ? (uint32_t)evaluations
                                                    : HED_REPLAY_MOST;
    for (uint32_t draws = 1; draws <= scale->budget; draws++) {
        /* The best of M draws without replacement is the first of n with the probability M/n, and
         * the following one with (n - M - k) / (n - 1 - k) of the probability before. */
        double probability = (double)draws / (double)count, sum = 0;
        for (uint64_t k = 0; k < count && probability > 0; k++) {
            sum += probability * sorted[k];
            if (k + 1 < count)
                probability *=
                    ((double)count - draws - (double)k) / ((double)count - 1 - (double)k);
        }
        scale->expected[draws] = draws < count ? sum : sorted[0];
    }
    free(sorted);
    return HED_OK;
}

double hed_replay_gain(const hed_replay_scale *scale, uint32_t draws, double best)
{
    double range = scale->expected[draws] - scale->optimum;
    /* random search is at the optimum too: no gain is possible */
    return range > 0 ? (scale->expected[draws] - best) / range : best <= scale->optimum;
}

double hed_replay_score(const hed_replay_scale *scale, const double *mean)
{
    double sum = 0;
    for (uint32_t draws = 1; draws <= scale->budget; draws++)
        sum += hed_replay_gain(scale, draws, mean[draws - 1]);
    return sum / scale->budget;
}

/* ---- a run ---- */

typedef struct question {
    hed_config config;
    double time;
} question;

/* Log-normal factor of the noise, by Box and Muller, from the run's own random state. */
static double noise_factor(uint64_t *state, double deviation)
{
    double parts[2];
    for (int i = 0; i < 2; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        parts[i] = ((double)(*state >> 33) + 0.5) * 0x1p-31;
    }
    return exp(deviation * sqrt(-2 * log(parts[0])) * cos(6.283185307179586 * parts[1]));
}

/* Processor time of this thread, independent of other threads and programs. */
static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static hed_status replay(const hed_replay_def *def, hed_search *search, question *open,
    double *best, double *seconds, hed_error *error)
{
    uint64_t noise = def->seed * 0x9e3779b97f4a7c15u + 1;
    double minimum = INFINITY;
    uint32_t ask_count = 0;
    bool has_more = true; /* until the end of the space */
    for (uint32_t done = 0; done < def->evaluations; done++) {
        while (has_more && ask_count < def->evaluations && ask_count < done + def->open) {
            question *next = &open[ask_count % def->open];
            double began = processor_seconds();
            hed_status status = hed_search_ask(search, &next->config, error);
            seconds[ask_count] = processor_seconds() - began;
            has_more = !status;
            if (status == HED_ERROR_BOUNDS) break;
            if (status) return status;
            next->time = def->recorded->times[hed_space_find(def->recorded->space, &next->config)];
            ask_count++;
        }
        if (done < ask_count) {
            const question *answered = &open[done % def->open];
            double measured = answered->time;
            if (def->noise > 0 && !isnan(measured)) measured *= noise_factor(&noise, def->noise);
            hed_status status = hed_search_tell(search, &answered->config, measured, error);
            if (status) return status;
            minimum = fmin(minimum, answered->time); /* fmin() ignores a NAN */
        } else {
            seconds[done] = 0;
        }
        best[done] = isinf(minimum) ? def->scale->median : minimum;
        if (def->stop && def->stop()) return HED_OK;
    }
    return HED_OK;
}

hed_status hed_replay_run(
    const hed_replay_def *def, double *best, double *seconds, hed_error *error)
{
    hed_search_def search_def = {
        .space = def->recorded->space,
        .strategy = def->strategy,
        .seed = def->seed,
        .sources = def->sources,
        .source_count = def->source_count,
    };
    hed_search *search = NULL;
    question *open = malloc(def->open * sizeof *open);
    hed_status status = open ? hed_search_create(&search_def, &search, error)
                             : HED_OUT_OF_MEMORY(error, "%u questions", def->open);
    if (status == HED_OK) status = replay(def, search, open, best, seconds, error);
    hed_search_destroy(search);
    free(open);
    return status;
}

/* ---- sources ---- */

typedef struct timed_row {
    double time;
    uint64_t row;
} timed_row;

static int compare_rows(const void *a, const void *b)
{
    const timed_row *x = a, *y = b;
    return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
                              : (x->row > y->row) - (x->row < y->row);
}

hed_config *hed_replay_best(const hed_recorded_space *recorded, uint32_t limit, uint32_t *count)
{
    timed_row *rows = malloc((recorded->count + 1) * sizeof *rows);
    hed_config *configs = malloc((limit + 1) * sizeof *configs);
    uint64_t valid = 0;
    *count = 0;
    for (uint64_t i = 0; rows && i < recorded->count; i++)
        if (!isnan(recorded->times[i])) rows[valid++] = (timed_row){recorded->times[i], i};
    if (rows && configs) {
        qsort(rows, valid, sizeof *rows, compare_rows);
        for (; *count < limit && *count < valid; ++*count)
            configs[*count] = hed_space_at(recorded->space, rows[*count].row);
    } else {
        free(configs);
        configs = NULL;
    }
    free(rows);
    return configs;
}
