/* Recorded tuning spaces: every configuration of a kernel with its time, on which searches are
 * replayed.
 *
 * Format, plain or gzipped: comment lines, one of which, "# domain: NAME=VALUE,VALUE,...;
 * NAME=...", lists the parameters with their values; a line of column names; then a line per
 * configuration, with columns separated by tabs. The column time_ms is a positive number or
 * "invalid"; the other columns are parameters. A parameter with a value that is not an integer has
 * texts as values.
 *
 * Output of `heddle tune --csv`, results in the tuners' common format T4 or of KTT, and cache files
 * of Kernel Tuner can be read as well, even if the end of the cache file is missing since the tuning
 * was interrupted. */
#ifndef HED_CLI_RECORDED_H
#define HED_CLI_RECORDED_H

#include "heddle/search.h"
#include "heddle/space.h"

typedef struct hed_recorded_space {
    char *name; /* name of the file, without folder and suffixes */
    hed_parameter_def parameters[HED_MAX_PARAMETERS];
    uint32_t parameter_count;
    hed_space *space; /* points of the space are the file's rows, in order */
    uint64_t count;   /* number of rows */
    double *times;    /* (count) ms; NAN: invalid */
    /* memory of the fields above */
    char *words;
    int64_t *values;
    uint64_t capacity;
} hed_recorded_space;

/* Reads a file. Errors: IO, LIMIT, MEMORY, FORMAT (file and line). */
hed_status hed_recorded_space_read(
    const char *path, hed_recorded_space *recorded, hed_error *error);
/* Parses a text of `size` bytes; `path` names the file in messages. Errors: LIMIT, MEMORY,
 * FORMAT. */
hed_status hed_recorded_space_parse(const char *path, const char *text, size_t size,
    hed_recorded_space *recorded, hed_error *error);
/* Frees a space; a zeroed one is allowed. */
void hed_recorded_space_free(hed_recorded_space *recorded);

/* Replays of searches on recorded spaces, and their score (Willemsen et al., "A Methodology for
 * Comparing Auto-Tuning Optimization Algorithms", 2024, counted in evaluations).
 *
 * Let o be the optimum and m the median of n valid times. If i times, worst first, precede the
 * first that is at most o + 0.05 (m - o), the budget B is ceil(i / (n + 1 - i)) evaluations, at
 * most 400. E(M) is the exact expectation of the best of M different valid times; F(M) is the mean
 * over seeds of the best of a search's first M evaluations (m before one is valid). The score is
 * the mean over M = 1..B of (E - F) / (E - o): 0 for random search, 1 for an immediate optimum. */

enum { HED_REPLAY_MOST = 400 }; /* maximum number of evaluations of a budget */

/* Properties of a space that its score depends on. */
typedef struct hed_replay_scale {
    uint32_t budget;
    double optimum, median;
    double expected[HED_REPLAY_MOST + 1]; /* E(M), M from 1 to budget */
} hed_replay_scale;

/* Computes the scale of a space. Errors: FORMAT (no valid time), MEMORY. */
hed_status hed_replay_measure(
    const hed_recorded_space *recorded, hed_replay_scale *scale, hed_error *error);

/* Settings of a replay. */
typedef struct hed_replay_def {
    const hed_recorded_space *recorded;
    const hed_replay_scale *scale;
    hed_strategy strategy;
    uint64_t seed;
    const hed_search_source *sources; /* (source_count) */
    uint32_t source_count;
    uint32_t evaluations;
    uint32_t open;      /* maximum number of pending asks; 1: each is answered before the next */
    double noise;       /* standard deviation of the log-normal factor on each time; 0: no noise */
    bool (*stop)(void); /* called between evaluations; NULL: never stop */
} hed_replay_def;

/* Replays one run. `best` (evaluations): best time after each evaluation, the median before the
 * first valid one. `seconds` (evaluations): processor time of each call of hed_search_ask(). In a
 * space smaller than `evaluations` the last values are repeated. Errors: MEMORY. */
hed_status hed_replay_run(
    const hed_replay_def *def, double *best, double *seconds, hed_error *error);
/* Gain of the best time after `draws` evaluations (1 to budget) over random search: (E - best) /
 * (E - o), 0 for random search, 1 for the optimum. */
double hed_replay_gain(const hed_replay_scale *scale, uint32_t draws, double best);
/* Score of the mean curve `mean` (budget): the mean of its gains. */
double hed_replay_score(const hed_replay_scale *scale, const double *mean);

/* The best `limit` configurations of a recorded space, best first; free them with free(). NULL if
 * memory is short. */
hed_config *hed_replay_best(const hed_recorded_space *recorded, uint32_t limit, uint32_t *count);

#endif
