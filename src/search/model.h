/* A model of a search's times, and what other devices found best, which it starts from. */
#ifndef HED_SEARCH_MODEL_H
#define HED_SEARCH_MODEL_H

#include "search/covariance.h"
#include "search/posterior.h"
#include "search/search.h"

enum { HED_MODEL_ROWS = 448 }; /* observations that a model holds at most */

/* ---- sources (model_sources.c) ---- */

typedef struct hed_model_source {
    uint64_t *points; /* (count) those of its configurations that are in the space, best first */
    uint32_t count;
    uint32_t capacity; /* of `points` */
    uint32_t next;     /* in the opening */
    /* (parameters x HED_MAX_VALUES) how rare a value is among them; a row's sum is 0 to 1 */
    float *dislike;
} hed_model_source;

typedef struct hed_model_sources {
    hed_model_source items[HED_MOST_TRENDS];
    uint32_t count;
    uint32_t turn; /* whose point opens next */
} hed_model_sources;

/* false: no memory. */
bool hed_sources_create(
    const hed_search *search, const hed_search_def *def, hed_model_sources *sources);
void hed_sources_destroy(const hed_search *search, hed_model_sources *sources);
/* The next point to open with; false: there is none left. */
bool hed_sources_open(const hed_search *search, hed_model_sources *sources, uint64_t *point);
/* Point `index` of all sources' points; UINT64_MAX: there are not that many. */
uint64_t hed_sources_point(const hed_model_sources *sources, uint64_t index);
/* What each source says of a row: 0 (all its values are frequent among its best) to 1. `trends`
 * (count). */
void hed_sources_trends(
    const hed_model_sources *sources, uint32_t parameter_count, const uint8_t *row, float *trends);

/* ---- models (model.c) ---- */

/* What is modelled of a time t, with the best time b; less is better. */
typedef enum hed_transform {
    HED_TRANSFORM_GAP,       /* g / (g + s) for g = t - b, s the gap of the median */
    HED_TRANSFORM_LOGARITHM, /* log(t / b) */
    HED_TRANSFORM_RECIPROCAL /* 1 - b / t */
} hed_transform;

/* A posterior with the observations that are in it. */
typedef struct hed_model_view {
    hed_posterior posterior;
    uint32_t *observations; /* (posterior's capacity) numbers of the search's */
    /* that are or shall be in it; those of the search that it was decided about */
    uint32_t planned, taken;
    double gap; /* s of HED_TRANSFORM_GAP, over the best time */
} hed_model_view;

typedef struct hed_model {
    hed_transform transform;
    bool ignores_failures; /* else it keeps away from them beyond what their votes do */
    uint32_t trend_count;
    hed_covariance covariance; /* as last fitted; what the next fit starts from */
    uint32_t fitted;           /* observations that worked when it was fitted; 0: never */
    hed_model_view current;    /* what answers */
    hed_model_view next;       /* under construction */
} hed_model;

/* The one fit or rebuilding that is under way. */
typedef struct hed_model_work {
    hed_model *model; /* NULL: none */
    bool fitting;     /* and not yet building the next view */
    hed_fit fit;
} hed_model_work;

void hed_model_destroy(const hed_allocator *allocator, hed_model *model);
/* Whether a model has too little in it of what is known by now. */
bool hed_model_is_old(const hed_search *search, const hed_model *model);
/* Begins to fit and rebuild a model; nothing else may be under way. false: no memory. */
bool hed_model_begin(
    hed_search *search, const hed_model_sources *sources, hed_model *model, hed_model_work *work);
/* Goes on with it for about `effort` multiplications. false: no memory; it is then abandoned. */
bool hed_model_advance(
    hed_search *search, const hed_model_sources *sources, hed_model_work *work, double effort);
/* Brings what answers up to date with the observations, as far as there is room. */
void hed_model_follow(const hed_search *search, const hed_model_sources *sources, hed_model *model);
/* What is modelled of a time, in what answers. */
double hed_model_value(const hed_search *search, const hed_model *model, double gap, double value);

#endif
