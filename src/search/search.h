/* What the search's files share: the table of all points asked or told, distances between
 * values, random numbers. */
#ifndef HED_SEARCH_SEARCH_H
#define HED_SEARCH_SEARCH_H

#include "heddle/search.h"
#include "search/covariance.h"
#include "search/space.h"

/* A point that was asked or told. */
typedef struct hed_observation {
    uint64_t point; /* index in the space */
    double value;   /* NAN: pending, or it does not work */
    bool pending;   /* asked and not yet told */
    uint8_t row[HED_MAX_PARAMETERS];
} hed_observation;

typedef struct hed_random {
    uint64_t state;
} hed_random;

typedef struct hed_auto_search hed_auto_search; /* search_auto.c */

struct hed_search {
    hed_allocator allocator;
    const hed_space *space;
    hed_strategy strategy;
    hed_random random;
    hed_observation *observations; /* (count) in the order in which they were asked or told */
    uint32_t count, capacity;
    uint32_t valid, pending; /* how many of them work, and are still open */
    uint32_t best;           /* among them; meaningless while `valid` is 0 */
    /* (slot_count) hash table: 1 + place in observations, by point; 0: free */
    uint32_t *slots;
    uint32_t slot_count;     /* a power of two */
    hed_value_scale *scales; /* (parameter_count) */
    uint64_t next;           /* exhaustive: where to look for the next point */
    uint32_t climb_from;     /* local: the observation that is climbed from, */
    uint32_t climb_since;    /* and the number of observations when its climb began */
    hed_auto_search *models; /* auto; NULL: none yet */
};

/* ---- random numbers (search_random.c): SplitMix64's increment with a mixer of two multiplications
 * ---- */

hed_random hed_random_seed(uint64_t seed);
/* Evenly from [0, 1). */
double hed_random_unit(hed_random *random);
/* Evenly from [0, count). */
uint64_t hed_random_below(hed_random *random, uint64_t count);

/* ---- what the strategies ask of the table (search.c) ---- */

/* Place of a point among the observations; UINT32_MAX: never asked nor told. */
uint32_t hed_search_seen(const hed_search *search, uint64_t point);
/* A random point that was neither asked nor told. There must be one. */
uint64_t hed_search_fresh_point(hed_search *search);
/* Points that differ from `row` in one parameter and were neither asked nor told: at most `limit`
 * of them, a random choice where there are more. Their number. */
uint32_t hed_search_fresh_neighbours(
    hed_search *search, const uint8_t *row, uint64_t *points, uint32_t limit);

/* ---- strategies: the next point. There must be one. ---- */

/* A point that is as far as can be from all that were asked or told; the first one in the middle
 * (search_spread.c).
 */
uint64_t hed_search_spread(hed_search *search);
uint64_t hed_search_ask_local(hed_search *search);
/* Errors: MEMORY; the search then goes on as if it had not been asked. */
hed_status hed_search_ask_auto(hed_search *search, uint64_t *point, hed_error *error);

/* What auto keeps beyond the table. false: no memory. */
bool hed_search_create_auto(hed_search *search, const hed_search_def *def);
void hed_search_destroy_auto(hed_search *search);

#endif
