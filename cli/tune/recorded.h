/* Recorded tuning spaces: every configuration of a kernel with the time it took, on which searches
 * are replayed.
 *
 * The format, plain or gzipped: lines of comments, of which "# domain: NAME=VALUE,VALUE,...;
 * NAME=..." names the parameters with their values; a line of column names; then a line for each
 * configuration, columns parted by tabs. Besides the parameters, the column time_ms is read: a
 * positive number, or "invalid". A parameter with a value that is no whole number has texts for
 * values.
 *
 * What `heddle tune --csv` writes and Kernel Tuner's cache files are read as well, also one whose
 * end is missing since the tuning was broken off. */
#ifndef HED_CLI_RECORDED_H
#define HED_CLI_RECORDED_H

#include "heddle/search.h"
#include "heddle/space.h"

typedef struct hed_recorded_space {
    char *name; /* of the file, without folder and endings */
    hed_parameter_def parameters[HED_MAX_PARAMETERS];
    uint32_t parameter_count;
    hed_space *space; /* its points are the file's rows, in order */
    uint64_t count;   /* of them */
    double *times;    /* (count) ms; NAN: invalid */
    /* what those consist of */
    char *words;
    int64_t *values;
    uint64_t capacity;
} hed_recorded_space;

/* Reads a file. Errors: IO, LIMIT, MEMORY, FORMAT (file and line). */
hed_status hed_recorded_space_read(
    const char *path, hed_recorded_space *recorded, hed_error *error);
/* Reads a text of `size` bytes; `path` stands for the file in messages. Errors: LIMIT, MEMORY,
 * FORMAT. */
hed_status hed_recorded_space_parse(const char *path, const char *text, size_t size,
    hed_recorded_space *recorded, hed_error *error);
/* Zeroed ones are allowed. */
void hed_recorded_space_free(hed_recorded_space *recorded);

/* Replaying searches on recorded spaces, and the score of that (Willemsen et al., "A Methodology
 * for Comparing Auto-Tuning Optimization Algorithms", 2024, counted in evaluations).
 *
 * For n valid times with optimum o and median m: i of them, worst first, come before the first that
 * is at most o + 0.05 (m - o); the budget B is ceil(i / (n + 1 - i)) evaluations, 400 at most. E(M)
 * is the exact expectation of the best of M different valid times, F(M) the mean over seeds of the
 * best of a search's first M evaluations (m before one is valid). The score is the mean over M =
 * 1..B of (E - F) / (E - o): 0 for random search, 1 for the optimum at once.
 */

enum { HED_REPLAY_MOST = 400 }; /* evaluations of a budget */

/* What the score needs to know of a space. */
typedef struct hed_replay_scale {
    uint32_t budget;
    double optimum, median;
    double expected[HED_REPLAY_MOST + 1]; /* E(M), M from 1 to budget */
} hed_replay_scale;

/* Errors: FORMAT (no valid time), MEMORY. */
hed_status hed_replay_measure(
    const hed_recorded_space *recorded, hed_replay_scale *scale, hed_error *error);

/* How a search is replayed. */
typedef struct hed_replay_def {
    const hed_recorded_space *recorded;
    const hed_replay_scale *scale;
    hed_strategy strategy;
    uint64_t seed;
    const hed_search_source *sources; /* (source_count) */
    uint32_t source_count;
    uint32_t evaluations;
    uint32_t open;      /* questions asked before the first is answered; 1: one at a time */
    double noise;       /* standard deviation of a factor on each answer, log-normal; 0: none */
    bool (*stop)(void); /* asked between evaluations; NULL: never */
} hed_replay_def;

/* One run: the best time after each evaluation (the median before the first valid one) into `best`
 * (evaluations), and the processor time of each ask into `seconds` (evaluations). Spaces that are
 * smaller than `evaluations` repeat their last values. Errors: MEMORY. */
hed_status hed_replay_run(
    const hed_replay_def *def, double *best, double *seconds, hed_error *error);
/* The score of a mean curve, `mean` (budget). */
double hed_replay_score(const hed_replay_scale *scale, const double *mean);

/* The best `most` configurations of a recorded space, best first. NULL: no memory. Released with
 * free(). */
hed_config *hed_replay_best(const hed_recorded_space *recorded, uint32_t most, uint32_t *count);

#endif
