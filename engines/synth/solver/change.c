/* A changed instrument, packed anew beside the one that sounds and then swapped in: entities that are in both go on with their state. */
#include "solver/memory.h"
#include "solver/solver.h"

hed_status hed_synth_prepare(const hed_synth *synth, const hed_instrument *instrument, hed_synth_change **change, hed_error *error)
{
    (void)synth;
    (void)instrument;
    *change = NULL;
    return synth_fail(error, HED_ERROR_UNSUPPORTED, "changes: not there yet");
}

hed_status hed_synth_apply(hed_synth *synth, hed_synth_change *change, hed_error *error)
{
    (void)synth;
    (void)change;
    return synth_fail(error, HED_ERROR_UNSUPPORTED, "changes: not there yet");
}

void hed_synth_change_destroy(hed_synth_change *change) { (void)change; }
