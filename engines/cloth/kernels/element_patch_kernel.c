/* Description, native version and sample of `cloth_element_patches`. */
#include "kernels/element_patch_kernel.h"

/* ---- the native version ---- */

/* Copies the multipliers from the end of the first launch to the start of the second. */
static void keep_pulls(
    cloth_patch_at patch, cloth_element_patches_view view, float *pulls, bool stores)
{
    const uint *ends = (const uint *)view.tables + view.at.ends + patch.ends;
    const uint elements = ends[patch.strain_colours] - ends[0];
    for (uint row = 0; row < 3; row++) {
        float *kept = view.pulled + 3 * patch.before + row * elements,
              *own = pulls + row * CLOTH_PATCH_STRAINS;
        memcpy(stores ? kept : own, stores ? own : kept, elements * sizeof *own);
    }
}

HED_NATIVE_BODY patches_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_element_patches_view view = cloth_element_patches_view_of(call->arguments);
    const uint sweeps = CLOTH_STRAIN_SWEEPS / 2, first = view.second * sweeps;
    const float give = cloth_stiffness_at(view.steps, view.substep);
    for (uint64_t k = begin; k < end; k++) {
        cloth_patch_at patch = cloth_patch_of((uint)k, view);
        const uint *ends = (const uint *)view.tables + view.at.ends + patch.ends,
                   *bend_ends = ends + patch.strain_colours + 1,
                   count = ends[patch.strain_colours] - ends[0];
        float4 copies[CLOTH_PATCH_LOCAL];
        float masses[CLOTH_PATCH_LOCAL];
        float pulls[3 * CLOTH_PATCH_STRAINS] = {0};
        cloth_strain_item of[CLOTH_PATCH_STRAINS];
        for (uint i = 0; i < patch.own_count + patch.ghost_count; i++) {
            copies[i] = view.from[cloth_patch_member(i, patch, view)];
            masses[i] = copies[i].w;
        }
        if (view.second) keep_pulls(patch, view, pulls, false);
        for (uint i = bend_ends[0]; !view.second && i < bend_ends[patch.bend_colours]; i++) {
            const cloth_bend_item bends = cloth_bend_take(i, give, view, masses);
            cloth_bend_patch(&bends, copies);
        }
        for (uint i = 0; i < count; i++) of[i] = cloth_strain_take(ends[0] + i, give, view, masses);
        for (uint sweep = first; sweep < first + sweeps; sweep++)
            for (uint i = 0; i < count; i++)
                cloth_strain_patch(of + i, cloth_strain_part(sweep), copies, pulls + i);
        if (!view.second) keep_pulls(patch, view, pulls, true);
        for (uint i = 0; i < patch.own_count; i++)
            view.to[cloth_patch_member(i, patch, view)] = copies[i];
    }
}
HED_NATIVE_CLONES(patches_native, patches_body)
/* A patch of the sample: 14 particles read, 12 written, 4 strains with 48 bytes, 2 bends with 80;
 * 250 and 320 operations for each of them. */
CLOTH_WORK(patches_work, 26 * 16.0 + 4 * 48.0 + 2 * 80.0, 4 * CLOTH_STRAIN_SWEEPS / 2.0 * 250.0)

/* Geometry of a group for each patch. */
static void patches_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    uint64_t patches = (uint64_t)problem->sizes[0];
    hed_geometry_1d(layout, patches, config->values[0], patches, 4);
}

/* Patch i of the sample owns the particles 12 i to 12 i + 11, with the first two of the next patch as
 * ghosts (samples.c). */
const hed_kernel_def cloth_element_patches_def = {
    .name = "cloth_element_patches",
    .summary = "bending and strain of a fabric's triangles, swept in patches",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"element_patch.h", hed_cloth_element_patch_h, 0},
        {"element_patch_group.h", hed_cloth_element_patch_group_h, 0},
        {"element_patch.cl", hed_cloth_element_patch_cl, 0}),
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_ELEMENT_PATCHES),
        [HED_ROW(cloth_element_patches_view, from)].count = "12*patches",
        [HED_ROW(cloth_element_patches_view, to)].count = "12*patches",
        [HED_ROW(cloth_element_patches_view, tables)].count = "30*patches",
        [HED_ROW(cloth_element_patches_view, pulled)].count = "12*patches",
        [HED_ROW(cloth_element_patches_view, to)].tolerance = 1e-4,
        [HED_ROW(cloth_element_patches_view, pulled)].tolerance = 1e-4),
    HED_PARAMETERS(HED_PARAMETER(WG, 128, 32, 64, 128, 256, 512)),
    .geometry = patches_geometry,
    CLOTH_FOR_EACH("patches", patches),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(63)),
    .sample.bytes = cloth_sample_bytes,
    .sample.benchmark = HED_PROBLEM(1 << 12),
};
