/* Cloth at equal quality: the time of a frame at the fewest substeps that keep a sheet's length. */
#ifndef HED_BENCHMARKS_CLOTH_GATE_H
#define HED_BENCHMARKS_CLOTH_GATE_H

#include "benchmarks/bench.h"
#include "benchmarks/cloth_gate_sheet.h"

enum { CLOTH_GATE_FRAMES = 60 };

/* A sheet whose row the gate decides. */
typedef struct cloth_gate_case {
    const char *name;
    uint32_t n; /* particles a side */
    cloth_gate_kind kind;
    bool lattices;    /* off for comparison */
    uint32_t threads; /* 0: as the engine chooses */
    bool p99_alone;   /* the longest edge has no limit */
    bool is_slow;     /* minutes on a processor */
} cloth_gate_case;

/* Result at the fewest substeps that pass; if none pass, at the most, until a frame fails. */
typedef struct cloth_gate_row {
    uint32_t substeps, frames;
    bool passes;
    double seconds[CLOTH_GATE_FRAMES];
    double p99, worst, rise; /* maxima of all frames: stretch, and J above the start */
    /* distance from the reference's drape, over a ball of the means of their mirror images, m; NAN: a
     * frame fails */
    double rms;
    uint64_t crossings;      /* pairs of triangles of a FOLDED sheet, sum of all frames */
    uint64_t ball_crossings; /* its triangles that enter the ball, sum of all frames */
    hed_cloth_info info;
} cloth_gate_row;

/* True if stretch, energy and crossings of a row's frames are within the limits of a sheet. `reference`: the
 * row of its reference. */
bool cloth_gate_allows(
    const cloth_gate_case *c, const cloth_gate_row *reference, const cloth_gate_row *row);
/* Finds the row of a sheet. Errors: as hed_cloth_create() and hed_cloth_step(); TIMEOUT with the
 * text "interrupted". */
hed_status cloth_gate_find(
    const cloth_gate_case *c, hed_device *device, cloth_gate_row *row, hed_error *error);
/* Adds the crossings of a sheet at a moment, (particles x 3) m, with itself and with the ball. */
hed_status cloth_gate_count(
    const cloth_gate_sheet *sheet, const float *positions, cloth_gate_row *row, hed_error *error);
/* True if a sheet's name contains `only`; NULL: all. */
bool cloth_gate_matches(const char *only);
/* Adds a row for each sheet whose name contains `only`; NULL: all, except the slow ones on a
 * processor. Errors: as cloth_gate_find(). */
hed_status cloth_gate_run(hed_device *device, const char *only, cli_report *to, hed_error *error);

#endif
