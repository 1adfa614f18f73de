/* Members of a matcher, for matcher.c and edit.c. */
#ifndef HED_CSS_MATCHER_H
#define HED_CSS_MATCHER_H

#include "solver/change.h"
#include "solver/device_match.h"

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
    const uint32_t *result_class; /* (elements) element_class or scoped_class */
    hed_arena scoped[2];          /* results of sheets with scopes, and the former results */
    uint32_t scoped_now;
    uint32_t *scoped_class; /* (elements) NULL: no sheet has scopes */
    bool by_pass;           /* the results are from the processor */
    struct {
        double compile, kinds, bind, pass;
    } seconds;
};

/* Binds and matches everything on the processor, even if the matcher has a device. */
hed_status css_match_on_processor(hed_css_matcher *matcher, hed_error *error);
/* Sets the results to the results of the pass. */
void css_take_results(hed_css_matcher *matcher);

/* Restricts the results to the elements in scope, if a sheet has an @scope (scoped.c). */
hed_status css_filter_scopes(hed_css_matcher *matcher, hed_error *error);

#endif
