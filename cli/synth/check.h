/* heddle synth check: what its two halves share. */
#ifndef CLI_SYNTH_CHECK_H
#define CLI_SYNTH_CHECK_H

#include "cli/common/command.h"
#include "heddle/synth_file.h"
#include "support/json.h"
#include "cli/common/table.h"

/* How an instrument runs on one device in one solver. */
typedef struct cli_synth_load {
    hed_synth_solver solver;
    bool runs;      /* false: `reason` says why not */
    bool broke;     /* it ran away, and the breaker opened */
    double load;    /* median time of a block over its length */
    double worst;   /* the same for p99 */
    uint64_t bytes; /* of one instance */
    uint32_t instances;
    char reason[256];
} cli_synth_load;

/* Plays it for a fraction of a second with as many notes as it has voices. Only what is wrong with
 * the machine, not with the pair, is an error. */
hed_status cli_synth_measure(hed_device *device, const hed_synth_instrument *instrument,
    hed_synth_solver solver, double rate, uint32_t block, cli_synth_load *load, hed_error *error);

#endif
