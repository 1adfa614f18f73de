/** @file search.h
 *  Search by ask and tell: which configuration to try next, given the results so far. For a
 *  program's own loop; hed_tune_kernel() is built on it too.
 *
 *      while (hed_search_ask(search, &config, NULL) == HED_OK) {
 *          double seconds = try_it(config);                 // NAN: it does not work
 *          hed_search_tell(search, &config, seconds, NULL);
 *      }
 *
 *  Several questions may be open at once. Configurations that are still being tried are taken into
 *  account: a new question avoids their neighbourhood.
 *
 *  The same seed, answers, order of calls and library give the same questions on one machine. On
 *  another the C library's logarithms may differ in their last bit, and with them a question.
 */
#ifndef HEDDLE_SEARCH_H
#define HEDDLE_SEARCH_H

#include "heddle/space.h"

HED_BEGIN

typedef struct hed_search hed_search;

/** How to look. */
typedef enum hed_strategy {
    /** what is known of other devices and sizes, then spread samples, then models */
    HED_SEARCH_AUTO,
    HED_SEARCH_RANDOM,     /**< without repetition */
    HED_SEARCH_EXHAUSTIVE, /**< every point, in order */
    HED_SEARCH_LOCAL,      /**< spread samples, then hill climbing with restarts */
    HED_STRATEGY_COUNT
} hed_strategy;

/** "auto", "random", "exhaustive", "local"; NULL for none of them. Thread class: any. */
static inline const char *hed_strategy_name(hed_strategy strategy)
{
    static const char *const names[] = {"auto", "random", "exhaustive", "local"};
    return (unsigned)strategy < HED_STRATEGY_COUNT ? names[strategy] : NULL;
}

/** Best configurations of another device or size, best first. Those that are not in the space are
 *  passed over. */
typedef struct hed_search_source {
    const hed_config *configs; /**< (count) */
    uint32_t count;
} hed_search_source;

/** What a search is made of. Start from {0}; the space must outlive it, all else is copied. */
typedef struct hed_search_def {
    const hed_allocator *allocator; /**< NULL: the C library's */
    const hed_space *space;
    hed_strategy strategy;
    uint64_t seed;
    /** (source_count) nearest first; the first 8 that have points of the space are used, by AUTO
     *  alone */
    const hed_search_source *sources;
    uint32_t source_count;
} hed_search_def;

/** Thread class: any. Errors: ARGUMENT (an empty space), MEMORY. */
HED_API hed_status hed_search_create(
    const hed_search_def *def, hed_search **search, hed_error *error);
/** NULL is allowed. Thread class: owner. */
HED_API void hed_search_destroy(hed_search *search);
/** The next configuration to try, never one that was asked or told before. Takes milliseconds at
 *  most, however large the space. After an error the search is as before the call. Thread class:
 *  owner. BOUNDS is an answer: there is none left, and nothing is written to `error`. Errors:
 *  MEMORY. */
HED_API hed_status hed_search_ask(hed_search *search, hed_config *config, hed_error *error);
/** Reports the result of a configuration: any positive finite number, of which less is better, or
 *  NAN if it does not work. Configurations that were never asked for may be told too, such as
 *  earlier results. Telling one again replaces its value. Thread class: owner. Errors: ARGUMENT
 *  (not in the space, or no such number), MEMORY. */
HED_API hed_status hed_search_tell(
    hed_search *search, const hed_config *config, double value, hed_error *error);
/** The best so far; false if nothing has worked yet. Thread class: owner. */
HED_API bool hed_search_best(const hed_search *search, hed_config *config, double *value);
/** Importance of each parameter: its share in the differences between the known times, alone and
 *  together with others; 0 to 1, with the sum 1 (parameter_count). All 0 while fewer than 8
 *  configurations work, or without memory. Takes tens of milliseconds. Thread class: owner. */
HED_API void hed_search_importance(const hed_search *search, double *shares);

HED_END

#endif
