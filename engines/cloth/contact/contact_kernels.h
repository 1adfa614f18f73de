/* Kernels of contact: texts, descriptions (NAME.c or contact_kernels.c for NAME.cl) and sample
 * data. */
#ifndef CLOTH_CONTACT_KERNELS_H
#define CLOTH_CONTACT_KERNELS_H

#include "kernels/kernels.h"

#include "contact/mesh_contact.h"

#include "contact/contact_types.h"

#include "contact/contact_geometry.h"

#include "contact/contact_motion.h"

#include "contact/contact_tree.h"

#include "contact/broad_phase.h"

#include "contact/contact_response.h"

#include "contact/contact_limit.h"

#include "contact/contact_stages.h"

#include "contact/ball_contact.h"

#include "contact/feature_contact.h"

extern const char hed_cloth_ball_contact_h[], hed_cloth_ball_contact_cl[],
    hed_cloth_mesh_contact_h[], hed_cloth_mesh_contact_cl[], hed_cloth_contact_types_h[],
    hed_cloth_contact_geometry_h[], hed_cloth_contact_motion_h[], hed_cloth_contact_tree_h[],
    hed_cloth_broad_phase_h[], hed_cloth_contact_response_h[], hed_cloth_contact_limit_h[],
    hed_cloth_contact_stages_h[], hed_cloth_broad_phase_group_h[], hed_cloth_contact_substep_cl[],
    hed_cloth_feature_contact_h[], hed_cloth_feature_contact_cl[];

/* Balls around particles, in the order of their launches. Dimensions: cloth_self_scan, buckets;
 * cloth_self_totals, tiles; all others, particles. */
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

/* Thin features of bodies. Dimension: triangles of the cloth. */
extern const hed_kernel_def cloth_feature_find_def;
extern const hed_kernel_def cloth_feature_solve_def;

/* Cloth that never crosses cloth: one kernel for each of contact_stage. Dimensions: slopes,
 * find and pull, leaves; boxes, nodes of the row that a launch begins with; list, take, push, part and
 * cut, capacity in pairs; all others, particles. */
extern const hed_kernel_def cloth_pairs_begin_def;
extern const hed_kernel_def cloth_pairs_check_def;
extern const hed_kernel_def cloth_pairs_slopes_def;
extern const hed_kernel_def cloth_pairs_boxes_def;
extern const hed_kernel_def cloth_pairs_find_def;
extern const hed_kernel_def cloth_pairs_list_def;
extern const hed_kernel_def cloth_pairs_take_def;
extern const hed_kernel_def cloth_pairs_push_def;
extern const hed_kernel_def cloth_pairs_part_def;
extern const hed_kernel_def cloth_pairs_pull_def;
extern const hed_kernel_def cloth_pairs_apply_def;
extern const hed_kernel_def cloth_pairs_cut_def;
extern const hed_kernel_def cloth_pairs_finish_def;
/* A whole substep in one launch, on devices with a barrier over all groups. Dimension: groups. */
extern const hed_kernel_def cloth_pairs_substep_def;

/* Parameters of a pass. `thinnest` and `widest`: smallest and largest thickness of the garments,
 * m. */
cloth_self cloth_self_pass(uint32_t particles, float thinnest, float widest);

/* Sample data by the arguments' names, as the kernels before would write them. */
uint64_t cloth_contact_sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument);
void cloth_contact_sample_fill(const hed_kernel_def *def, const hed_problem *problem,
    uint32_t argument, void *data, uint64_t bytes, uint64_t seed);
uint64_t cloth_feature_sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument);
void cloth_feature_sample_fill(const hed_kernel_def *def, const hed_problem *problem,
    uint32_t argument, void *data, uint64_t bytes, uint64_t seed);
uint64_t cloth_pairs_sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument);
void cloth_pairs_sample_fill(const hed_kernel_def *def, const hed_problem *problem,
    uint32_t argument, void *data, uint64_t bytes, uint64_t seed);

#endif
