/* Matching on a device (kernels/matching.h): everything is uploaded once; then bind and pass are
 * graphs that are replayed. Room is what the last match needed; where it does not suffice, the
 * counters say so, it is made larger, and the match is done again. */
#ifndef HED_CSS_DEVICE_H
#define HED_CSS_DEVICE_H

#include "solver/compile.h"
#include "solver/forest.h"

#include "kernels/matching.h"

typedef struct css_device css_device;

/* Beyond these the processor is the better device, and a launch would take long: the deepest element,
 * most siblings where they are counted, most rules and prefixes for an element. */
enum { CSS_DEVICE_DEPTH = 256, CSS_DEVICE_COUNTED = 4096, CSS_DEVICE_ACTS = 8192 };

/* What was found; arrays live until the next match. */
typedef struct css_found {
    uint32_t classes;
    const uint32_t *element_class; /* (elements) numbered in order of their first elements */
    const uint32_t *class_begin;   /* (classes + 1) */
    const uint32_t *final;         /* finals of each class, ascending, of each rule the first */
} css_found;

/* Uploads a sheet and a forest, which are read again later. *made is NULL where they do not fit the
 * device's limits or are a case for the processor; that is no error. `wide`: groups as wide as a
 * GPU's on a processor, too. Errors: MEMORY, DEVICE_MEMORY, BUILD, DRIVER ... */
hed_status css_device_create(hed_device *device, hed_allocator allocator,
    const css_compiled *compiled, const css_forest *forest, bool wide, css_device **made,
    hed_error *error);
void css_device_destroy(css_device *device); /* NULL is allowed */

/* Matches everything. False: it turned out to be a case for the processor. True with an error: MEMORY,
 * DEVICE_MEMORY, DRIVER, LOST. */
bool css_device_match(css_device *device, css_found *found, hed_error *error);

/* Medians of `repeats` runs of each part of a match that has been done: see hed_css_measure(). */
hed_status css_device_measure(
    css_device *device, uint32_t repeats, hed_css_times *times, hed_error *error);

/* ---- for css_device_measure() ---- */

enum { CSS_REPLAY_UPLOAD = 1, CSS_REPLAY_BIND = 2, CSS_REPLAY_PASS = 4, CSS_REPLAY_CLASSES = 8 };
/* Enqueues steps of a match that has been done: all up again, bind, pass, class numbers down. */
hed_status css_device_replay(css_device *device, unsigned steps, hed_error *error);
/* Enqueues bind and pass launch by launch, with a mark before the first and behind each, as far as there
 * are marks; the names of the launches, how many marks. */
uint32_t css_device_marked(css_device *device, hed_event *const *marks, const char **names,
    uint32_t count, hed_error *error);
hed_stream *css_device_stream(const css_device *device);
/* Bytes on the device that grow with the elements, over the elements. */
double css_device_bytes(const css_device *device);

#endif
