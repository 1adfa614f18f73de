/* Cloth at equal quality: the time of a frame at the fewest substeps that keep a sheet's length. */
#ifndef HED_BENCHMARKS_CLOTH_GATE_H
#define HED_BENCHMARKS_CLOTH_GATE_H

#include "benchmarks/bench.h"

/* True if a sheet's name contains `only`; NULL: all. */
bool cloth_gate_matches(const char *only);
/* Adds a row for each sheet whose name contains `only` (NULL: all). Errors: as hed_cloth_create()
 * and hed_cloth_step(); TIMEOUT with the text "interrupted". */
hed_status cloth_gate_run(hed_device *device, const char *only, cli_report *to, hed_error *error);

#endif
