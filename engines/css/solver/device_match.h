/* Matching on a device (kernels/matching.h). Sheet and forest are uploaded once; bind and pass are
 * enqueued, from the second match on as graphs. Buffers have the sizes that the last match
 * required; if the counters report a fault, they are enlarged and the match is repeated. */
#ifndef HED_CSS_DEVICE_H
#define HED_CSS_DEVICE_H

#include "tables/compile.h"
#include "tables/forest.h"

#include "kernels/matching.h"

typedef struct css_device css_device;

/* Limits beyond which the processor matches, as it is faster and a launch would take long: depth of
 * an element, siblings where a predicate counts, acts of a signature. */
enum { CSS_DEVICE_DEPTH = 256, CSS_DEVICE_COUNTED = 4096, CSS_DEVICE_ACTS = 8192 };

/* Result of a match; the arrays are valid until the next match. */
typedef struct css_found {
    uint32_t classes;
    const uint32_t
        *element_class; /* (elements) class; classes are numbered by their first elements */
    const uint32_t *class_begin; /* (classes + 1) */
    const uint32_t *final;       /* finals of each class, ascending; only the first of each rule */
} css_found;

/* Uploads a sheet and a forest; the sheet must outlive the result. *result is NULL without an error
 * if they exceed the device's limits or the processor should match. `wide`: use groups as wide as a
 * GPU's even on a processor. Errors: MEMORY, DEVICE_MEMORY, BUILD, DRIVER ... */
hed_status css_device_create(hed_device *device, hed_allocator allocator,
    const css_compiled *compiled, const css_forest *forest, bool wide, css_device **result,
    hed_error *error);
void css_device_destroy(css_device *device); /* NULL is allowed */

/* Uploads the changes of a forest since the last upload: the ranges that differ. The forest may
 * belong to other documents: kernels and buffers are reused. False: the forest exceeds the device's
 * limits, or an error; the result has to be destroyed. Errors: as css_device_create(). */
bool css_device_update(
    css_device *device, const css_compiled *compiled, const css_forest *forest, hed_error *error);
/* Bytes of the last upload. */
uint64_t css_device_uploaded(const css_device *device);

/* Matches all elements. False: the processor has to match. True with an error: MEMORY,
 * DEVICE_MEMORY, DRIVER, LOST. */
bool css_device_match(css_device *device, css_found *result, hed_error *error);

/* Measures each part of the last match: medians of `repeats` runs, see
 * hed_css_matcher_measure(). */
hed_status css_device_measure(
    css_device *device, uint32_t repeats, hed_css_times *times, hed_error *error);

/* ---- for css_device_measure() ---- */

enum { CSS_REPLAY_UPLOAD = 1, CSS_REPLAY_BIND = 2, CSS_REPLAY_PASS = 4, CSS_REPLAY_CLASSES = 8 };
/* Enqueues steps of the last match again: upload, bind, pass, download of class numbers. */
hed_status css_device_replay(css_device *device, unsigned steps, hed_error *error);
/* Enqueues bind and pass launch by launch. Records marks[0] before the first launch and a mark
 * after each, at most `count`; writes the names of the launches to names[1 ...]. Returns the number
 * of marks. */
uint32_t css_device_marked(css_device *device, hed_event *const *marks, const char **names,
    uint32_t count, hed_error *error);
hed_stream *css_device_stream(const css_device *device);
/* Bytes on the device for each element. */
double css_device_bytes(const css_device *device);

#endif
