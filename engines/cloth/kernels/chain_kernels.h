/* Kernels of tension over a whole garment: chains, places of lattices, points that follow them. */
#ifndef CLOTH_CHAIN_KERNELS_H
#define CLOTH_CHAIN_KERNELS_H

#include "kernels/kernels.h"

#include "kernels/chain.h"

extern const char hed_cloth_chain_h[], hed_cloth_chain_group_h[], hed_cloth_chain_cl[],
    hed_cloth_places_cl[];
extern const hed_kernel_def cloth_chains_def; /* chains of one direction */
extern const hed_kernel_def cloth_places_def;
extern const hed_kernel_def cloth_shares_def;

#endif
