/* Heap of layers: square sheets above each other that fall on a ball and a floor, each in contact with
 * all others. */
#ifndef HED_BENCHMARKS_CLOTH_HEAP_H
#define HED_BENCHMARKS_CLOTH_HEAP_H

#include "benchmarks/bench.h"

#include "heddle/cloth.h"

enum { CLOTH_HEAP_FRAMES = 60 };

/* `layers` sheets of n x n particles. */
typedef struct cloth_heap_case {
    const char *name;
    uint32_t layers, n, substeps;
} cloth_heap_case;

typedef struct cloth_heap_row {
    double seconds[CLOTH_HEAP_FRAMES];
    double p99, worst;  /* maxima of the stretch in all frames */
    uint64_t crossings; /* pairs of triangles of one or two layers, sum of the judged frames */
    double height;      /* mean height at the end, m; the ball's top is at 0 */
    hed_cloth_info info;
} cloth_heap_row;

/* Drops the layers and judges every tenth frame. `contact`: with each other, else with the ball and the
 * floor alone. Errors: as hed_cloth_create() and hed_cloth_step(), MEMORY; TIMEOUT with the text
 * "interrupted". */
hed_status cloth_heap_measure(const cloth_heap_case *c, hed_device *device, bool contact,
    cloth_heap_row *row, hed_error *error);
/* True if a heap's name contains `only`; NULL: all. */
bool cloth_heap_matches(const char *only);
/* Adds a row for each heap whose name contains `only`; NULL: all, on a processor none. Errors: as
 * cloth_heap_measure(). */
hed_status cloth_heap_run(hed_device *device, const char *only, cli_report *to, hed_error *error);

#endif
