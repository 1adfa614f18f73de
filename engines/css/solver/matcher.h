/* The inside of a matcher, which matcher.c and edit.c share. */
#ifndef HED_CSS_MATCHER_H
#define HED_CSS_MATCHER_H

#include "solver/change.h"
#include "solver/device.h"

struct hed_css_matcher {
    hed_allocator allocator;
    hed_arena arena, shaped; /* shaped: of forest and bound */
    hed_css_document **documents;
    hed_css_sheet **sheets;
    uint32_t document_count, sheet_count;
    bool states_possible, matched;
    uint32_t *first_rule; /* (sheet_count + 1) */
    css_compiled compiled;
    css_forest forest;
    css_bound bound;
    /* results */
    hed_arena found;
    uint32_t *element_class; /* of shaped */
    css_pass pass;
    hed_device *on;     /* the caller's; NULL */
    css_device *device; /* NULL: all is done on the processor */
    bool edited;        /* since it was uploaded */
    bool reshape;       /* forest and bound are to be made: a change has failed */
    css_changer changer;
    bool changes; /* there is a changer */
    uint32_t classes;
    const uint32_t *class_begin, *rule;
    bool by_pass;      /* the results are the processor's */
    double seconds[4]; /* compile, shapes, bind, pass */
};

/* Binds and matches everything, whatever the device. */
hed_status css_match_on_processor(hed_css_matcher *matcher, hed_error *error);
/* Results are what the pass has now. */
void css_take_results(hed_css_matcher *matcher);

#endif
