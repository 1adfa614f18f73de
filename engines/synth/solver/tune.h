/* What measurement has found for a synth: the structure, the layout and the size of a
 * work-group. */
#ifndef SYNTH_TUNE_H
#define SYNTH_TUNE_H

#include "solver/solver.h"

/* What is known for such an instrument on this device; `configured` is HED_CONFIGURED_DEFAULT where
 * nothing is. */
hed_status synth_tuned_resolve(hed_device *device, const hed_instrument *instrument,
    hed_config *tuned, hed_configured *configured);
/* Puts what `tuned` says into a definition that has left it open, and the items of a work-group (0:
 * by rule). */
void synth_tuned_apply(const hed_config *tuned, hed_synth_def *def, uint32_t *items);
/* synth.c's; `tuned` NULL: by rule. Errors: as hed_synth_create(). */
hed_status synth_create_tuned(hed_device *device, const hed_synth_def *def, const hed_config *tuned,
    hed_synth **synth, hed_error *error);

#endif
