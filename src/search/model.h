/* Model of a search's times, and the sources it starts from: the best configurations on other
 * devices. */
#ifndef HED_SEARCH_MODEL_H
#define HED_SEARCH_MODEL_H

#include "search/covariance.h"
#include "search/posterior.h"
#include "search/search_state.h"

enum { HED_MODEL_ROWS = 448 }; /* maximum number of observations of a model */

/* ---- sources ---- */

typedef struct hed_model_source {
    /* (count) the source's configurations that are points of the space, best first */
    uint64_t *points;
    uint32_t count;
    uint32_t capacity; /* capacity of `points` */
    uint32_t next;     /* index of the next point of the opening */
    /* (parameters x HED_MAX_CELLS) rarity of each cell in the source; the sum over a row is in
     * [0, 1] */
    float *dislike;
} hed_model_source;

typedef struct hed_model_sources {
    hed_model_source items[HED_MOST_TRENDS];
    uint32_t count;
    uint32_t turn; /* source of the next opening point */
} hed_model_sources;

/* Creates the sources of a search. Returns false if memory is short. */
bool hed_sources_create(
    const hed_search *search, const hed_search_def *def, hed_model_sources *sources);
void hed_sources_destroy(const hed_search *search, hed_model_sources *sources);
/* Returns the next point of the opening; false after the last one. */
bool hed_sources_open(const hed_search *search, hed_model_sources *sources, uint64_t *point);
/* Point `index` of all sources' points; UINT64_MAX if there are fewer points. */
uint64_t hed_sources_point(const hed_model_sources *sources, uint64_t index);
/* Computes each source's trend for a point, given by its cells: 0 (all its values are frequent in
 * the source) to 1. `trends` (count). */
void hed_sources_trends(const hed_model_sources *sources, uint32_t parameter_count,
    const uint8_t *cells, float *trends);

/* ---- models ---- */

/* Modelled function of a time t, with the best time b; less is better. */
typedef enum hed_transform {
    HED_TRANSFORM_GAP,       /* g / (g + s) for g = t - b, s the gap of the median */
    HED_TRANSFORM_LOGARITHM, /* log(t / b) */
    HED_TRANSFORM_RECIPROCAL /* 1 - b / t */
} hed_transform;

/* A posterior and its observations. */
typedef struct hed_model_view {
    hed_posterior posterior;
    uint32_t *observations; /* (posterior's capacity) indices of the search's observations */
    /* number of its present and planned observations; number of the search's observations
     * considered for it */
    uint32_t planned, considered;
    double gap; /* s of HED_TRANSFORM_GAP, relative to the best time */
} hed_model_view;

typedef struct hed_model {
    hed_transform transform;
    /* true: failures reduce only the probability of working; false: they also enter the process */
    bool ignores_failures;
    uint32_t trend_count;
    hed_covariance covariance; /* the last fitted one; the next fit starts from it */
    uint32_t fitted;           /* number of working observations at the last fit; 0: never fitted */
    hed_model_view current;    /* the view that answers queries */
    hed_model_view next;       /* the view under construction */
} hed_model;

/* The fit or rebuild in progress, at most one. */
typedef struct hed_model_work {
    hed_model *model; /* NULL: no work in progress */
    bool fitting;     /* true: in the fit; false: building the next view */
    hed_fit fit;
} hed_model_work;

void hed_model_destroy(const hed_allocator *allocator, hed_model *model);
/* True if a model lacks too many of the observations and should be fitted again. */
bool hed_model_is_old(const hed_search *search, const hed_model *model);
/* Begins to fit and rebuild a model; no other work may be in progress. Returns false if memory is
 * short. */
bool hed_model_begin(
    hed_search *search, const hed_model_sources *sources, hed_model *model, hed_model_work *work);
/* Continues the work for about `effort` multiplications. Returns false if memory is short; the work
 * is then abandoned. */
bool hed_model_advance(
    hed_search *search, const hed_model_sources *sources, hed_model_work *work, double effort);
/* Adds new observations to the current view, up to its capacity. */
void hed_model_follow(const hed_search *search, const hed_model_sources *sources, hed_model *model);
/* Value of the modelled function for a time. */
double hed_model_value(const hed_search *search, const hed_model *model, double gap, double value);

#endif
