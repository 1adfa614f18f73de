/* The kernel of lattice.cl as the host launches it. */
#ifndef SYNTH_LATTICE_KERNEL_H
#define SYNTH_LATTICE_KERNEL_H

#include "solver/group/kernels.h"

extern const char hed_synth_lattice_h[], hed_synth_lattice_springs_h[],
    hed_synth_lattice_control_h[], hed_synth_lattice_cl[];

/* Its arguments, in order. */
enum {
    LATTICE_GROUPS,
    LATTICE_TABLE,
    LATTICE_SPRINGS,
    LATTICE_CLASSES,
    LATTICE_PALETTE,
    LATTICE_HALO,
    LATTICE_LINKS,
    LATTICE_STATE,
    LATTICE_PACKETS,
    LATTICE_FLAGS,
    LATTICE_STORE,
    LATTICE_DELAY,
    LATTICE_POKES,
    LATTICE_INPUTS,
    LATTICE_STEMS,
    LATTICE_BUFFERS, /* how many buffers there are */
    LATTICE_STEP = LATTICE_BUFFERS,
    LATTICE_LAYOUT,
    LATTICE_HALO_ROOM,
    LATTICE_BLOCK,
    LATTICE_ARGUMENTS
};

/* Its parameters. */
enum { LATTICE_WG, LATTICE_EACH, LATTICE_RIM, LATTICE_HALO_ROUNDS, LATTICE_PARAMETERS };
enum { LATTICE_MOST_EACH = 16 };

extern const hed_kernel_def synth_lattice_def; /* a launch for each sample */
/* all samples in one launch, packets between groups */
extern const hed_kernel_def synth_lattice_packets_def;

#endif
