/** @file search.h
 *  Search for the best configuration, by ask and tell: hed_search_ask() returns the next
 *  configuration to try, hed_search_tell() receives its result. It is for loops of your own;
 *  hed_tune_kernel() uses it too.
 *
 *     while (hed_search_ask(search, &config, NULL) == HED_OK) {
 *         double seconds = try_it(config);                 // NAN: it does not work
 *         hed_search_tell(search, &config, seconds, NULL);
 *     }
 *
 *  Several configurations may be tried at once: a new one avoids the neighbourhood of those without
 *  a result.
 *
 *  Seed, results, order of calls and library determine the configurations on one machine. On
 *  another, the C library's logarithms may differ in their last bit, and with them a
 *  configuration. */
#ifndef HEDDLE_SEARCH_H
#define HEDDLE_SEARCH_H

#include "heddle/space.h"

HED_BEGIN

typedef struct hed_search hed_search;

/** Strategy of a search. */
typedef enum hed_strategy {
    /** configurations known from other devices and sizes, then spread samples, then models */
    HED_SEARCH_AUTO,
    HED_SEARCH_RANDOM,     /**< random points without repetition */
    HED_SEARCH_EXHAUSTIVE, /**< every point, in order */
    HED_SEARCH_LOCAL,      /**< spread samples, then hill climbing with restarts */
    HED_STRATEGY_COUNT
} hed_strategy;

/** Returns the name of a strategy: "auto", "random", "exhaustive", "local"; NULL: none.
 *  Thread class: any. */
static inline const char *hed_strategy_name(hed_strategy strategy)
{
    static const char *const names[] = {"auto", "random", "exhaustive", "local"};
    return (unsigned)strategy < HED_STRATEGY_COUNT ? names[strategy] : NULL;
}

/** Best configurations of another device or size, best first. Configurations outside the space are
 *  skipped. */
typedef struct hed_search_source {
    const hed_config *configs; /**< (count) */
    uint32_t count;
} hed_search_source;

/** Definition of a search. Start from {0}; the space must outlive the search, everything else is
 *  copied. */
typedef struct hed_search_def {
    const hed_allocator *allocator; /**< NULL: the C library's */
    const hed_space *space;
    hed_strategy strategy;
    uint64_t seed;
    /** (source_count) nearest first; only AUTO uses them, the first 8 that have points of the
     *  space */
    const hed_search_source *sources;
    uint32_t source_count;
} hed_search_def;

/** Creates a search. Thread class: any. Errors: ARGUMENT (an empty space), MEMORY. */
HED_API hed_status hed_search_create(
    const hed_search_def *def, hed_search **search, hed_error *error);
/** Destroys a search. NULL is allowed. Thread class: owner. */
HED_API void hed_search_destroy(hed_search *search);
/** Returns the next configuration to try, never one that was returned or reported before. Takes at
 *  most milliseconds, at any size of the space. BOUNDS is a result: no configuration is left, and
 *  nothing is written to `error`. After an error the search is as before the call.
 *  Thread class: owner. Errors: MEMORY. */
HED_API hed_status hed_search_ask(hed_search *search, hed_config *config, hed_error *error);
/** Reports the result of a configuration: a positive finite number, less is better, or NAN if it
 *  does not work. The configuration may also come from elsewhere, such as earlier results. A second
 *  report replaces the first.
 *  Thread class: owner. Errors: ARGUMENT (not in the space, or no such number), MEMORY. */
HED_API hed_status hed_search_tell(
    hed_search *search, const hed_config *config, double value, hed_error *error);
/** Returns the best configuration so far. False: none has worked yet. Thread class: owner. */
HED_API bool hed_search_best(const hed_search *search, hed_config *config, double *value);
/** Computes the importance of each parameter: the fraction of the differences between the known
 *  times that it explains, alone and together with others. `shares`: (parameter_count) 0 to 1, with
 *  the sum 1; all 0 while fewer than 8 configurations work, or without memory. Takes tens of
 *  milliseconds.
 *  Thread class: owner. */
HED_API void hed_search_importance(const hed_search *search, double *shares);

HED_END

#endif
