/* heddle tune replay: quality of the search, on spaces whose configurations have all been
 * measured. */
#include "cli/common/command.h"
#include "heddle/author.h"
#include "cli/common/progress.h"
#include "cli/tune/recorded.h"
#include "cli/common/report.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_SPACES = 256,
    WARM_EVALUATIONS = 25,
    SOURCE_ROWS = 20, /* configurations of each other device */
    FIRST = 10,       /* evaluations of the mean gain */
    EARLY_LEVELS = 4,
    LEVELS = 4
};
static const uint32_t LEVEL[LEVELS] = {25, 50, 100, 200},
                      EARLY_LEVEL[EARLY_LEVELS] = {1, 5, 10, 20};
static const double SUCCESS_FACTOR = 1.03; /* factor on the optimum */

/* A space, the settings of its replay, and its runs. */
typedef struct job {
    hed_recorded_space recorded;
    hed_replay_scale scale;
    hed_search_source sources[MOST_SPACES]; /* sources of a warm start */
    uint32_t source_count;
    uint32_t evaluations; /* evaluations of a run */
    double *best;         /* (seeds x evaluations) */
    double *cold_best;    /* (seeds x evaluations) the same without sources; NULL: no --warm */
    double *seconds;      /* (seeds x evaluations) */
} job;

typedef struct replaying {
    job *jobs; /* (job_count) */
    uint32_t job_count;
    hed_recorded_space *warm_spaces; /* (other_count) spaces of --warm */
    hed_config **best_of;            /* (other_count) best configurations of each */
    uint32_t *best_count;
    uint32_t other_count;
    hed_strategy strategy;
    uint32_t seeds, evaluations; /* evaluations: limit of a run; 0: the space's budget */
    _Atomic uint32_t next, done; /* runs */
    hed_progress progress;
    pthread_mutex_t lock;
    hed_status status; /* the first failure */
    hed_error error;   /* message of the first failure */
} replaying;

/* ---- reading ---- */

static hed_status read_others(replaying *r, const hed_arguments *arguments)
{
    hed_status status = HED_OK;
    const char *path;
    while (!status && (path = hed_text_at(arguments, "warm", r->other_count))) {
        if (r->other_count == MOST_SPACES)
            return hed_fail(
                &r->error, HED_ERROR_LIMIT, "more than %d files after --warm", MOST_SPACES);
        uint32_t i = r->other_count++;
        status = hed_recorded_space_read(path, &r->warm_spaces[i], &r->error);
        if (!status &&
            !(r->best_of[i] = hed_replay_best(&r->warm_spaces[i], SOURCE_ROWS, &r->best_count[i])))
            status = HED_OUT_OF_MEMORY(&r->error, "the best of %s", path);
    }
    return status;
}

/* Selects the files of --warm with the space's parameters, except the space itself. */
static hed_status choose_sources(replaying *r, job *j)
{
    for (uint32_t i = 0; i < r->other_count; i++) {
        const hed_recorded_space *space = &j->recorded, *source = &r->warm_spaces[i];
        bool is_same = space->parameter_count == source->parameter_count;
        for (uint32_t k = 0; is_same && k < space->parameter_count; k++)
            is_same = strcmp(space->parameters[k].name, source->parameters[k].name) == 0;
        if (is_same && strcmp(space->name, source->name) != 0)
            j->sources[j->source_count++] = (hed_search_source){r->best_of[i], r->best_count[i]};
    }
    if (r->other_count > 0 && j->source_count == 0)
        return hed_fail(&r->error, HED_ERROR_ARGUMENT,
            "%s: no file after --warm is of another device and has the same parameters",
            j->recorded.name);
    return HED_OK;
}

static hed_status read_job(replaying *r, const char *path)
{
    if (r->job_count == MOST_SPACES)
        return hed_fail(&r->error, HED_ERROR_LIMIT, "more than %d spaces", MOST_SPACES);
    job *j = &r->jobs[r->job_count++];
    if (hed_recorded_space_read(path, &j->recorded, &r->error) ||
        hed_replay_measure(&j->recorded, &j->scale, &r->error) || choose_sources(r, j))
        return r->error.status;
    j->evaluations = r->other_count > 0 ? WARM_EVALUATIONS : j->scale.budget;
    if (r->evaluations) {
        if (j->scale.budget > r->evaluations) j->scale.budget = r->evaluations;
        j->evaluations = r->evaluations;
    }
    j->best = calloc((size_t)r->seeds * j->evaluations, sizeof *j->best);
    j->seconds = calloc((size_t)r->seeds * j->evaluations, sizeof *j->seconds);
    if (r->other_count > 0)
        j->cold_best = calloc((size_t)r->seeds * j->evaluations, sizeof *j->cold_best);
    return j->best && j->seconds && (j->cold_best || r->other_count == 0)
               ? HED_OK
               : HED_OUT_OF_MEMORY(&r->error, "%u runs", r->seeds);
}

/* ---- running ---- */

static bool run_one(replaying *r, uint32_t number, hed_error *error)
{
    job *j = &r->jobs[number / r->seeds];
    uint32_t seed = number % r->seeds;
    hed_replay_def def = {
        .recorded = &j->recorded, .scale = &j->scale, .strategy = r->strategy, .seed = seed + 1,
        .sources = j->sources, .source_count = j->source_count, .evaluations = j->evaluations,
        .open = 1, .stop = hed_interrupted,
    };
    size_t begin = (size_t)seed * j->evaluations;
    if (j->cold_best) {
        hed_replay_def cold = def;
        cold.source_count = 0;
        if (hed_replay_run(&cold, j->cold_best + begin, j->seconds + begin, error)) return false;
    }
    return hed_replay_run(&def, j->best + begin, j->seconds + begin, error) == HED_OK;
}

static void replay_member(void *user, hed_team *team, uint32_t member)
{
    replaying *r = user;
    hed_error error = {0};
    for (uint32_t number; (number = r->next++) < r->job_count * r->seeds && !hed_interrupted();) {
        bool fine = run_one(r, number, &error);
        r->done++;
        if (!fine) {
            pthread_mutex_lock(&r->lock);
            r->status = error.status;
            r->error = error;
            pthread_mutex_unlock(&r->lock);
            return;
        }
        if (member == 0) hed_progress_update(&r->progress, r->done);
    }
}

static hed_status replay_all(replaying *r, bool quiet)
{
    hed_team *team;
    hed_status status = hed_team_create(NULL, 0, &team, &r->error);
    if (status) return status;
    r->progress = hed_progress_begin("replay", "runs", (uint64_t)r->job_count * r->seeds, quiet);
    hed_team_run(team, replay_member, r);
    hed_progress_end(&r->progress);
    hed_team_destroy(team);
    return r->status;
}

/* ---- results ---- */

typedef struct summary {
    double score;                 /* NAN: undefined for this number of evaluations */
    double early[EARLY_LEVELS];   /* gain over random search after so few evaluations alone */
    double least_gain;            /* the least such gain of the first evaluations */
    double opening, cold_opening; /* mean gain of the first ten; the same without sources */
    double level[LEVELS];         /* mean over the seeds of best / optimum */
    double success_rate;          /* fraction of runs that end within 3 % */
    double mean, p50, p99, max;   /* time of hed_search_ask(), ms */
} summary;

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Mean over the seeds of the best time after each evaluation of a job. */
static void mean_curve(const replaying *r, const job *j, const double *best, double *curve)
{
    for (uint32_t i = 0; i < j->evaluations; i++) curve[i] = 0;
    for (uint32_t seed = 0; seed < r->seeds; seed++)
        for (uint32_t i = 0; i < j->evaluations; i++)
            curve[i] += best[(size_t)seed * j->evaluations + i] / r->seeds;
}

/* Mean gain of the first evaluations of a curve. */
static double first_gain(const job *j, const double *curve)
{
    uint32_t count = j->evaluations < j->scale.budget ? j->evaluations : j->scale.budget;
    double sum = 0;
    if (count > FIRST) count = FIRST;
    for (uint32_t i = 0; i < count; i++) sum += hed_replay_gain(&j->scale, i + 1, curve[i]);
    return sum / count;
}

static summary replay_summarize(const replaying *r, const job *j)
{
    summary s = {.score = NAN};
    double curve[HED_REPLAY_MOST];
    if (j->cold_best) {
        mean_curve(r, j, j->cold_best, curve);
        s.cold_opening = first_gain(j, curve);
    }
    mean_curve(r, j, j->best, curve);
    s.opening = first_gain(j, curve);
    for (uint32_t seed = 0; seed < r->seeds; seed++)
        s.success_rate += (j->best[(size_t)(seed + 1) * j->evaluations - 1] <=
                              SUCCESS_FACTOR * j->scale.optimum) /
                          (double)r->seeds;
    s.least_gain = INFINITY;
    for (uint32_t draws = 1; draws <= EARLY_LEVEL[EARLY_LEVELS - 1]; draws++) {
        if (draws > j->evaluations || draws > j->scale.budget) break;
        double gain = hed_replay_gain(&j->scale, draws, curve[draws - 1]);
        s.least_gain = fmin(s.least_gain, gain);
        for (uint32_t i = 0; i < EARLY_LEVELS; i++)
            if (draws <= EARLY_LEVEL[i]) s.early[i] = gain;
    }
    for (uint32_t i = 0; i < LEVELS; i++)
        s.level[i] =
            curve[(LEVEL[i] < j->evaluations ? LEVEL[i] : j->evaluations) - 1] / j->scale.optimum;
    if (j->evaluations >= j->scale.budget && !r->other_count)
        s.score = hed_replay_score(&j->scale, curve);
    size_t count = (size_t)r->seeds * j->evaluations;
    qsort(j->seconds, count, sizeof *j->seconds, compare_doubles);
    for (size_t i = 0; i < count; i++) s.mean += 1e3 * j->seconds[i] / (double)count;
    s.p50 = 1e3 * j->seconds[count / 2];
    s.p99 = 1e3 * j->seconds[count - 1 - count / 100];
    s.max = 1e3 * j->seconds[count - 1];
    return s;
}

static void replay_add(cli_report *report, const job *j, const summary *s)
{
    static const char *const keys[LEVELS] = {"best25", "best50", "best100", "best200"};
    static const char *const early_keys[EARLY_LEVELS] = {"gain1", "gain5", "gain10", "gain20"};
    static const char *const early_headings[EARLY_LEVELS] = {">GAIN 1", ">5", ">10", ">20"};
    static const char *const headings[LEVELS] = {">BEST 25", ">50", ">100", ">200"};
    cli_report_row(report, CLI_TEXT("space", j->recorded.name, .heading = "SPACE"),
        CLI_WHOLE("budget", j->evaluations, .heading = ">BUDGET"),
        CLI_NUMBER("score", s->score, .heading = ">SCORE", .format = "%.3f"));
    for (uint32_t i = 0; i < EARLY_LEVELS; i++)
        cli_report_more(report,
            CLI_NUMBER(early_keys[i], s->early[i], .heading = early_headings[i], .format = "%.2f"));
    cli_report_more(report,
        CLI_NUMBER("least_gain", s->least_gain, .heading = ">LEAST", .format = "%.2f"),
        CLI_NUMBER("first10", s->opening, .heading = ">MEAN", .format = "%.3f"));
    if (j->cold_best)
        cli_report_more(report,
            CLI_NUMBER("cold_first10", s->cold_opening, .heading = ">COLD", .format = "%.3f"));
    for (uint32_t i = 0; i < LEVELS; i++)
        cli_report_more(
            report, CLI_NUMBER(keys[i], s->level[i], .heading = headings[i], .format = "%.3f",
                        .shown = LEVEL[i] <= j->evaluations || i == 0 ? NULL : ""));
    char rate[16];
    snprintf(rate, sizeof rate, "%.0f %%", 100 * s->success_rate);
    cli_report_more(report,
        CLI_NUMBER("within3percent", s->success_rate, .heading = ">WITHIN 3 %", .shown = rate),
        CLI_NUMBER("ask_ms", s->mean, .heading = ">ASK ms", .format = "%.2f"),
        CLI_NUMBER(NULL, s->p50, .heading = ">p50", .format = "%.2f"),
        CLI_NUMBER("ask_ms_p99", s->p99, .heading = ">p99", .format = "%.2f"),
        CLI_NUMBER("ask_ms_max", s->max, .heading = ">max", .format = "%.2f"));
}

static hed_status replay_print(replaying *r, bool json)
{
    cli_report *report = cli_report_create(json);
    double mean = 0;
    uint32_t reached = 0, improved_count = 0;
    for (uint32_t i = 0; i < r->job_count; i++) {
        summary s = replay_summarize(r, &r->jobs[i]);
        replay_add(report, &r->jobs[i], &s);
        mean += s.score / r->job_count;
        reached += s.success_rate >= 0.5;
        improved_count += s.opening > s.cold_opening;
    }
    if (json) fputs("{\"spaces\": ", stdout);
    hed_status status = cli_report_end(report, HED_OK, &r->error);
    if (json && r->other_count > 0) printf(", \"warm_ahead\": %u", improved_count);
    if (json && isnan(mean)) puts(", \"mean\": null}");
    else if (json) printf(", \"mean\": %.6f}\n", mean);
    else if (!isnan(mean)) printf("mean score %.4f\n", mean);
    if (!json && r->other_count > 0)
        printf("the median run ends within 3 %% of the optimum on %u of %u spaces\n"
               "the other devices' best raise the mean gain of the first %d evaluations on %u of %u\n",
            reached, r->job_count, FIRST, improved_count, r->job_count);
    return status;
}

/* ---- the command ---- */

static void replay_close(replaying *r)
{
    for (uint32_t i = 0; i < r->job_count; i++) {
        hed_recorded_space_free(&r->jobs[i].recorded);
        free(r->jobs[i].best);
        free(r->jobs[i].cold_best);
        free(r->jobs[i].seconds);
    }
    for (uint32_t i = 0; i < r->other_count; i++) {
        hed_recorded_space_free(&r->warm_spaces[i]);
        free(r->best_of[i]);
    }
    free(r->jobs);
    free(r->warm_spaces);
    free(r->best_of);
    free(r->best_count);
    pthread_mutex_destroy(&r->lock);
}

static hed_status replay_open(replaying *r, const hed_arguments *arguments)
{
    const char *path;
    r->jobs = calloc(MOST_SPACES, sizeof *r->jobs);
    r->warm_spaces = calloc(MOST_SPACES, sizeof *r->warm_spaces);
    r->best_of = calloc(MOST_SPACES, sizeof *r->best_of);
    r->best_count = calloc(MOST_SPACES, sizeof *r->best_count);
    if (!r->jobs || !r->warm_spaces || !r->best_of || !r->best_count)
        return HED_OUT_OF_MEMORY(&r->error, "the spaces");
    hed_status status = read_others(r, arguments);
    for (uint32_t i = 0; !status && (path = hed_text_at(arguments, "SPACE.tsv", i)); i++)
        status = read_job(r, path);
    return status;
}

static int replay_run(const hed_arguments *arguments, void *user)
{
    bool json = hed_given(arguments, "json");
    replaying r = {.strategy = (hed_strategy)hed_choice_of(arguments, "strategy"),
        .seeds = (uint32_t)hed_integer_of(arguments, "seeds"),
        .evaluations = hed_given(arguments, "evaluations")
                           ? (uint32_t)hed_integer_of(arguments, "evaluations")
                           : 0};
    pthread_mutex_init(&r.lock, NULL);
    hed_interrupt_install();
    hed_status status = replay_open(&r, arguments);
    if (status == HED_OK) status = replay_all(&r, json || hed_given(arguments, "quiet"));
    if (!hed_interrupted() && status == HED_OK) status = replay_print(&r, json);
    int code = cli_end(status, &r.error);
    replay_close(&r);
    return code;
}

/* Names in the order of hed_strategy. */
static const char *const STRATEGIES[] = {"auto", "random", "exhaustive", "local", NULL};

static const hed_option OPTIONS[] = {
    OPTION("strategy", CHOICE, "NAME", "how to search", .choices = STRATEGIES, .fallback = "auto"),
    OPTION("seeds", INTEGER, "COUNT", "runs of each space", .low = 1, .high = 10000, .fallback = "50"),
    OPTION("evaluations", INTEGER, "COUNT", "evaluations of a run, and of the score (default: BUDGET)", .low = 1, .high = HED_REPLAY_MOST),
    OPTION("warm", FILE, "OTHER.tsv...", "begin with the 20 best of each of these spaces, which are of other devices, and stop after 25 evaluations", .repeated = true, .several = true),
    FLAG("json", "print JSON: one object, nothing else"), {0}};
static const hed_option POSITIONALS[] = {
    {.name = "SPACE.tsv", .kind = HED_OPTION_FILE, .required = true, .repeated = true,
        .help = "recorded spaces, plain or gzipped: tables as below, what "
                "\"heddle tune --csv\" wrote, Kernel Tuner's cache files, or results in T4 or of KTT"},
    {0}};
static const hed_example EXAMPLES[] = {
    {"heddle tune replay spaces/*.tsv.gz --seeds 100", "the search's score, and what an ask costs"},
    {"heddle tune replay gemm_A.tsv --warm gemm_B.tsv gemm_C.tsv",
        "what the best of two other devices are worth"},
    {0}};

const hed_command hed_command_tune_replay = {
    .name = "replay", .summary = "the search's score on recorded spaces",
    .description =
        "Runs the search on spaces of which every configuration was measured before, once for each seed, and "
        "compares with the exact expectation of random search. SCORE is 0 for random search and 1 for the optimum "
        "from the start, meant over the evaluations up to BUDGET: as many as random search needs to come within 5 % "
        "of the way from the optimum to the median, at most 400. BEST is the best time after so many evaluations "
        "over the optimum, meant over the seeds. GAIN is the score after exactly so many evaluations, LEAST the least of "
        "it from 1 to 20, MEAN its mean from 1 to 10, and COLD that mean without --warm. ASK is the processor time of one question.\n\n"
        "A file holds a line \"# domain: NAME=VALUE,...; NAME=...\", a line of column names, and a line for each "
        "configuration, columns parted by tabs; time_ms is a positive number, or \"invalid\". Values may be words.",
    .options = OPTIONS, .positionals = POSITIONALS, .examples = EXAMPLES, .run = replay_run,
};
