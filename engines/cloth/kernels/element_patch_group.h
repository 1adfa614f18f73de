/* Solution of a patch of elements by a group, for element_patch.cl and cooperative_tasks.cl. */
#ifndef CLOTH_ELEMENT_PATCH_GROUP_H
#define CLOTH_ELEMENT_PATCH_GROUP_H

/* Bends the elements, colour by colour. `ends`: of the colours. Rows are loaded a colour ahead. */
CLOTH_FUNCTION void patch_bend(uint colours, float give, cloth_element_patches_view view, uint item,
    __local const uint *ends, __local float4 *copies)
{
    cloth_bend_rows rows = cloth_bend_at(ends[0] + item, ends[1], view);
    CLOTH_ROLLED
    for (uint c = 0; c < colours; c++) {
        uint begin = ends[c], end = ends[c + 1u], next = c + 1u < colours ? c + 1u : c;
        cloth_bend_rows ahead = cloth_bend_at(ends[next] + item, ends[next + 1u], view);
        CLOTH_ROLLED
        for (uint i = begin + item; i < end; i += WG) {
            if (i >= begin + WG) rows = cloth_bend_at(i, end, view);
            cloth_bend_patch(rows, give, copies);
        }
        rows = ahead;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* Sweeps over the strains: sweeps [first, last) of a substep. */
CLOTH_FUNCTION void patch_strain(uint colours, uint first, uint last, float give,
    cloth_element_patches_view view, uint item, __local const uint *ends, __local float4 *copies,
    __local float *pulls)
{
    cloth_strain_rows rows = cloth_strain_at(ends[0] + item, ends[1], view);
    CLOTH_ROLLED
    for (uint k = 0; k < (last - first) * colours; k++) {
        uint c = k % colours, begin = ends[c], end = ends[c + 1u], next = (k + 1u) % colours;
        float part = cloth_strain_part(first + k / colours);
        cloth_strain_rows ahead = cloth_strain_at(ends[next] + item, ends[next + 1u], view);
        CLOTH_ROLLED
        for (uint i = begin + item; i < end; i += WG) {
            if (i >= begin + WG) rows = cloth_strain_at(i, end, view);
            cloth_strain_patch(rows, give, part, copies, pulls + i - ends[0]);
        }
        rows = ahead;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* Solves a patch. `memory`: CLOTH_PATCH_ROOM. */
CLOTH_FUNCTION void patch_solve(uint number, cloth_element_patches_view view, float stiffness,
    uint item, __local float4 *memory)
{
    cloth_patch_at patch = cloth_patch_of(number, view);
    __local float *pulls = (__local float *)(memory + CLOTH_PATCH_PULLS);
    __local uint *ends = (__local uint *)(memory + CLOTH_PATCH_ENDS);
    uint count = patch.own_count + patch.ghost_count, half_sweeps = CLOTH_STRAIN_SWEEPS / 2u;
    CLOTH_ROLLED
    for (uint i = item; i < cloth_patch_ends(patch); i += WG)
        ends[i] = cloth_patch_word(view.at.ends + patch.ends + i, view);
    CLOTH_ROLLED
    for (uint i = item; i < count; i += WG)
        memory[i] = view.from[cloth_patch_member(i, patch, view)];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint elements = ends[patch.strain_colours] - ends[0];
    CLOTH_ROLLED
    for (uint i = item; i < 3u * elements; i += WG)
        pulls[i / elements * CLOTH_PATCH_STRAINS + i % elements] =
            view.second ? view.pulled[3u * patch.before + i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    patch_bend(view.second ? 0u : patch.bend_colours, stiffness, view, item,
        ends + patch.strain_colours + 1u, memory);
    patch_strain(patch.strain_colours, view.second * half_sweeps, (view.second + 1u) * half_sweeps,
        stiffness, view, item, ends, memory, pulls);
    CLOTH_ROLLED
    for (uint i = item; i < patch.own_count; i += WG)
        view.to[cloth_patch_member(i, patch, view)] = memory[i];
    CLOTH_ROLLED
    for (uint i = item; i < 3u * elements && view.second == 0u; i += WG)
        view.pulled[3u * patch.before + i] =
            pulls[i / elements * CLOTH_PATCH_STRAINS + i % elements];
    barrier(CLK_LOCAL_MEM_FENCE);
}

#endif
