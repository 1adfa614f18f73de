/* Descriptions of the kernels of collisions: contact_self.c, contact_mesh.c. */
#ifndef CLOTH_CONTACT_KERNELS_H
#define CLOTH_CONTACT_KERNELS_H

#include "kernels/kernels.h"

#include "kernels/contact_mesh.h"
#include "kernels/contact_self.h"

extern const char hed_cloth_contact_self_h[], hed_cloth_contact_self_cl[],
    hed_cloth_contact_mesh_h[], hed_cloth_contact_mesh_cl[];

/* Cloth against cloth, in this order. Dimensions: cloth_self_scan: buckets; cloth_self_totals:
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

/* The words of a pass. `thinnest` and `widest`: the garments' thickness. */
cloth_self cloth_self_pass(uint32_t particles, float thinnest, float widest);

#endif
