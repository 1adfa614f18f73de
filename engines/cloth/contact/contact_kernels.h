/* Kernels of contact: texts, descriptions (NAME.c or contact_kernels.c for NAME.cl) and sample data. */
#ifndef CLOTH_CONTACT_KERNELS_H
#define CLOTH_CONTACT_KERNELS_H

#include "kernels/kernels.h"

#include "contact/mesh_contact.h"

#include "contact/contact_pair.h"

#include "contact/contact_limit.h"

#include "contact/broad_phase.h"

#include "contact/ball_contact.h"

extern const char hed_cloth_ball_contact_h[], hed_cloth_ball_contact_cl[],
    hed_cloth_mesh_contact_h[], hed_cloth_mesh_contact_cl[], hed_cloth_contact_pair_h[],
    hed_cloth_contact_limit_h[], hed_cloth_broad_phase_h[], hed_cloth_broad_phase_group_h[],
    hed_cloth_contact_substep_cl[];

/* Balls around particles, in this order. Dimensions: cloth_self_scan: buckets; cloth_self_totals:
 * tiles; all others: particles. */
extern const hed_kernel_def cloth_self_count_def;
extern const hed_kernel_def cloth_self_scan_def;
extern const hed_kernel_def cloth_self_totals_def;
extern const hed_kernel_def cloth_self_place_def;
extern const hed_kernel_def cloth_self_order_def;
extern const hed_kernel_def cloth_self_near_def;
extern const hed_kernel_def cloth_self_push_def;

/* Mesh colliders. Dimensions: nodes of the row that a launch begins with; particles. */
extern const hed_kernel_def cloth_mesh_boxes_def;
extern const hed_kernel_def cloth_mesh_find_def;

/* Cloth that never crosses cloth, in this order; push and apply, part and apply, and cut several
 * times. Dimensions: nodes of the row that a launch begins with; leaves; ways through the tree;
 * pairs that there is room for; all others: particles. */
extern const hed_kernel_def cloth_pairs_begin_def;
extern const hed_kernel_def cloth_pairs_check_def;
extern const hed_kernel_def cloth_pairs_slopes_def;
extern const hed_kernel_def cloth_pairs_boxes_def;
extern const hed_kernel_def cloth_pairs_find_def;
extern const hed_kernel_def cloth_pairs_list_def;
extern const hed_kernel_def cloth_pairs_take_def;
extern const hed_kernel_def cloth_pairs_push_def;
extern const hed_kernel_def cloth_pairs_part_def;
extern const hed_kernel_def cloth_pairs_apply_def;
extern const hed_kernel_def cloth_pairs_cut_def;
extern const hed_kernel_def cloth_pairs_finish_def;
/* All of these in one launch of so many groups, on devices with a barrier over all of them. */
extern const hed_kernel_def cloth_pairs_substep_def;

/* The words of a pass. `thinnest` and `widest`: the garments' thickness. */
cloth_self cloth_self_pass(uint32_t particles, float thinnest, float widest);

/* Sample data by the arguments' names: what the kernels before would have made. */
uint64_t cloth_contact_sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument);
void cloth_contact_sample_fill(const hed_kernel_def *def, const hed_problem *problem,
    uint32_t argument, void *data, uint64_t bytes, uint64_t seed);
uint64_t cloth_pairs_sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument);
void cloth_pairs_sample_fill(const hed_kernel_def *def, const hed_problem *problem,
    uint32_t argument, void *data, uint64_t bytes, uint64_t seed);

#endif
