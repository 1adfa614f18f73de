/* Members of a matcher, for matcher.c and edit.c. */
#ifndef HED_CSS_MATCHER_H
#define HED_CSS_MATCHER_H

#include "solver/change.h"
#include "solver/device_match.h"
#include "solver/trees.h"

struct hed_css_matcher {
    hed_allocator allocator;
    hed_arena arena, compiled_arena, kinds_arena; /* kinds_arena: of forest and bound */
    hed_css_document **documents;                 /* (document_count) */
    hed_css_sheet **sheets;
    uint32_t document_count, sheet_count;
    bool states_possible, matched;
    uint32_t *first_rule; /* (sheet_count + 1) */
    const bool *without;  /* (rules) true: the rule is ignored; NULL: none is */
    unsigned options;     /* css_compile_options that the documents require */
    bool is_compiled;     /* `compiled` is valid, with the options compiled_options */
    unsigned compiled_options;
    css_compiled compiled;
    css_forest forest;
    css_bound bound;
    /* results */
    hed_arena found;
    uint32_t *element_class; /* memory of kinds_arena */
    css_pass pass;
    hed_device *on;     /* the caller's device; NULL: the processor */
    css_device *device; /* NULL: everything runs on the processor */
    bool edited;        /* a document has changed since the upload */
    bool stale_kinds;   /* a change has failed: forest and bound have to be made again */
    css_changer changer;
    bool changes; /* `changer` is valid */
    uint32_t classes;
    const uint32_t *class_begin, *rule;
    const uint32_t *result_class; /* (elements) element_class or filtered_class */
    hed_arena filtered[2]; /* results that css_filter_results() has changed; the former ones */
    uint32_t filtered_now;
    uint32_t *filtered_class;  /* (elements) NULL: the results of the automaton are final */
    css_membership membership; /* trees of the sheets */
    hed_arena trees_arena;     /* memory of `membership` */
    bool by_pass;              /* the results are from the processor */
    struct {
        double compile, kinds, bind, pass;
    } seconds;
};

/* Binds and matches everything on the processor, even if the matcher has a device. */
hed_status css_match_on_processor(hed_css_matcher *matcher, hed_error *error);
/* Sets the results to the results of the pass. */
void css_take_results(hed_css_matcher *matcher);

/* True if a rule matches an element of a document as the document is, whatever the matcher takes as
 * possible. */
bool css_matches_as_given(
    const hed_css_matcher *matcher, uint32_t document, uint32_t rule, uint32_t element);

/* Restricts and completes the results by scopes and shadow trees (filter.c). */
hed_status css_filter_results(hed_css_matcher *matcher, hed_error *error);

#endif
