/* State shared by the files of the search: the table of all points asked or told, random
 * numbers. */
#ifndef HED_SEARCH_SEARCH_STATE_H
#define HED_SEARCH_SEARCH_STATE_H

#include "heddle/search.h"
#include "search/covariance.h"
#include "search/space_rows.h"

/* A point that was asked or told. */
typedef struct hed_observation {
    uint64_t point; /* index in the space */
    double value;   /* NAN: pending or failed */
    bool pending;   /* asked and not yet told */
    hed_place row[HED_MAX_PARAMETERS];
    uint8_t cells[HED_MAX_PARAMETERS]; /* cells of the row, for the models */
} hed_observation;

typedef struct hed_random {
    uint64_t state;
} hed_random;

/* models of the automatic strategy (search_strategies.c) */
typedef struct hed_auto_search hed_auto_search;

struct hed_search {
    hed_allocator allocator;
    const hed_space *space;
    hed_strategy strategy;
    hed_random random;
    hed_observation *observations; /* (count) in the order in which they were asked or told */
    uint32_t count, capacity;
    uint32_t valid, pending; /* number of observations that work; that are not told yet */
    uint32_t best;           /* index of the best observation; undefined while `valid` is 0 */
    /* (slot_count) hash table by point: 1 + index of an observation; 0: free */
    uint32_t *slots;
    uint32_t slot_count;     /* a power of two */
    hed_value_scale *scales; /* (parameter_count) */
    uint32_t spread_count;   /* number of spread samples asked */
    bool begins_with_little; /* spread sample 2 has little work per item, sample 3 has much */
    uint64_t next;           /* exhaustive: first point to examine next */
    uint32_t climb_from;     /* local: index of the observation that the climb starts from */
    uint32_t climb_since;    /* number of observations when the climb began */
    hed_auto_search *models; /* auto; NULL: no models yet */
};

/* ---- random numbers (random.c) ---- */

hed_random hed_random_seed(uint64_t seed);
/* Uniform in [0, 1). */
double hed_random_unit(hed_random *random);
/* Uniform in [0, count). */
uint64_t hed_random_below(hed_random *random, uint64_t count);

/* ---- table of points (observations.c) ---- */

/* Index of a point's observation; UINT32_MAX: never asked or told. */
uint32_t hed_search_seen(const hed_search *search, uint64_t point);
/* Reserves space for one more observation, with at most half of the slots used. Returns false if
 * memory is short; the table is then unchanged. */
bool hed_search_reserve(hed_search *search);
/* Adds a pending observation to reserved space. */
hed_observation *hed_search_add(hed_search *search, uint64_t point);
/* Writes the row (parameter_count) and the cells of a point; `row` may be NULL. */
void hed_search_cells(const hed_search *search, uint64_t point, hed_place *row, uint8_t *cells);
/* A random point that was neither asked nor told; at least one must exist. */
uint64_t hed_search_fresh_point(hed_search *search);
/* Finds points that differ from `row` in one parameter and were neither asked nor told: at most
 * `limit`, a random subset if there are more. Of a parameter with more than HED_MAX_CELLS values
 * the nearest are examined, and an even selection of the rest. Returns their number. */
uint32_t hed_search_fresh_neighbours(
    hed_search *search, const hed_place *row, uint64_t *points, uint32_t limit);

/* ---- strategies (search_strategies.c): the next point; at least one must exist ---- */

/* The next spread sample: the first one is in the middle, samples 2 and 3 have little and much work
 * per item, further samples are as far as possible from all observed points. */
uint64_t hed_search_spread(hed_search *search);
uint64_t hed_search_ask_local(hed_search *search);
/* Errors: MEMORY; the search's state is then unchanged. */
hed_status hed_search_ask_auto(hed_search *search, uint64_t *point, hed_error *error);

/* Creates the models of the automatic strategy. Returns false if memory is short. */
bool hed_search_create_auto(hed_search *search, const hed_search_def *def);
void hed_search_destroy_auto(hed_search *search);

#endif
