/* The instruments that benchmarks of the synth play: made by program, of any size. */
#ifndef HED_BENCHMARKS_INSTRUMENTS_H
#define HED_BENCHMARKS_INSTRUMENTS_H

#include "heddle/synth.h"

/* What a bench plays. */
typedef enum cli_instrument_kind {
    CLI_STRING,   /* size[0] masses between anchored ends */
    CLI_MEMBRANE, /* size[0] x size[1] with an anchored rim */
    CLI_LATTICE,  /* size[0] x size[1] x size[2], anchored at one end */
    /* that, with an eighth of the springs moved to masses nearby: at most six at a mass */
    CLI_IRREGULAR,
    /* that, with every mass a little off its place, so that no two springs are alike */
    CLI_SCATTERED,
    /* an irregular graph with three springs a mass, and a sixteenth as many others of all types */
    CLI_NETWORK,
    CLI_MIXED,  /* that, with as many other entities as masses */
    CLI_COUNTED /* that, with 20 others for 27 masses: with 6 x 6 x 6 of them and the springs,
                 * 1,024 entities */
} cli_instrument_kind;

/* An instrument with a mallet, a microphone or two, and whatever its kind has; notes start it.
 * Every body is damped, every spring's k/m is a twentieth of the stability bound. Errors (and
 * NULL): ARGUMENT and LIMIT (no masses, or more than an instrument holds), MEMORY. */
hed_status cli_instrument(cli_instrument_kind kind, const uint32_t size[3],
    hed_synth_instrument **instrument, hed_error *error);

#endif
