/* Table of the engine's kernels for conformance tests, tuning, benchmarks and the kernel cache. */
#include "contact/contact_kernels.h"

#include "kernels/chain_kernels.h"
#include "kernels/newton_kernel.h"

static const hed_kernel_def *const kernels[] = {
    &cloth_integrate_def,
    &cloth_distance_def,
    &cloth_sets_def,
    &cloth_lines_def,
    &cloth_elements_def,
    &cloth_element_patches_def,
    &cloth_newton_def,
    &cloth_cells_def,
    &cloth_chains_def,
    &cloth_places_def,
    &cloth_shares_def,
    &cloth_drive_def,
    &cloth_write_back_def,
    &cloth_surface_def,
    &cloth_wind_def,
    &cloth_gas_def,
    &cloth_expect_def,
    &cloth_turn_def,
    &cloth_move_def,
    &cloth_feed_def,
    &cloth_read_def,
    &cloth_self_count_def,
    &cloth_self_scan_def,
    &cloth_self_totals_def,
    &cloth_self_place_def,
    &cloth_self_order_def,
    &cloth_self_near_def,
    &cloth_self_push_def,
    &cloth_mesh_boxes_def,
    &cloth_mesh_find_def,
    &cloth_feature_find_def,
    &cloth_feature_solve_def,
    &cloth_pairs_begin_def,
    &cloth_pairs_check_def,
    &cloth_pairs_slopes_def,
    &cloth_pairs_boxes_def,
    &cloth_pairs_find_def,
    &cloth_pairs_list_def,
    &cloth_pairs_take_def,
    &cloth_pairs_push_def,
    &cloth_pairs_part_def,
    &cloth_pairs_pull_def,
    &cloth_pairs_apply_def,
    &cloth_pairs_cut_def,
    &cloth_pairs_finish_def,
};

uint32_t hed_cloth_kernel_count(void) { return HED_COUNT(kernels); }

const hed_kernel_def *hed_cloth_kernel_at(uint32_t index)
{
    return index < HED_COUNT(kernels) ? kernels[index] : NULL;
}
