/* heddle css bench on one core, beside matching: pairs, and changes. */
#ifndef HED_BENCHMARKS_CSS_CORE_H
#define HED_BENCHMARKS_CSS_CORE_H

#include "benchmarks/bench.h"
#include "heddle/css.h"

/* Adds a row of the core. */
void css_bench_add(
    cli_report *bench, const char *what, const char *part, double value, const char *unit);
/* How long it takes to write out the rules of each element, 16 bits each. */
hed_status css_bench_pairs(
    const hed_css_matcher *matcher, const char *what, cli_report *bench, hed_error *error);
/* Classes of random elements of a document, set and removed again when all that comes of it has
 * been seen before. These elements have no class in the end. */
hed_status css_bench_changes(const hed_css_matcher_def *def, const char *class_name,
    const char *what, cli_report *bench, hed_error *error);

#endif
