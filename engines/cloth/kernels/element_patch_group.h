/* Solution of a patch of elements by a group, for element_patch.cl and cooperative_tasks.cl. */
#ifndef CLOTH_ELEMENT_PATCH_GROUP_H
#define CLOTH_ELEMENT_PATCH_GROUP_H

/* Maximum number of an item's elements, which are WG apart. */
#define PATCH_SLOTS ((CLOTH_PATCH_STRAINS + WG - 1u) / WG)

/* Returns the colour of element `at`; `colours`: there is no such element. */
CLOTH_FUNCTION uint patch_colour(uint at, uint colours, __local const uint *ends)
{
    uint c = 0;
    CLOTH_ROLLED
    while (c < colours && at >= ends[c + 1u]) c++;
    return c;
}

/* Bends the elements, colour by colour, of as many at a time as the group has items. `ends`: of the
 * colours. */
CLOTH_FUNCTION void patch_bend(uint colours, float give, cloth_element_patches_view view, uint item,
    __local const uint *ends, __local const float *masses, __local float4 *copies)
{
    CLOTH_ROLLED
    for (uint begin = ends[0]; begin < ends[colours]; begin += WG) {
        uint own = patch_colour(begin + item, colours, ends);
        cloth_bend_item of =
            cloth_bend_take(min(begin + item, ends[colours] - 1u), give, view, masses);
        CLOTH_ROLLED
        for (uint c = patch_colour(begin, colours, ends); c < colours && ends[c] < begin + WG; c++) {
            if (own == c) cloth_bend_patch(&of, copies);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}

/* Sweeps over the strains: sweeps [first, last) of a substep. */
CLOTH_FUNCTION void patch_strain(uint colours, uint first, uint last, float give,
    cloth_element_patches_view view, uint item, __local const uint *ends,
    __local const float *masses, __local float4 *copies, __local float *pulls)
{
    cloth_strain_item of[PATCH_SLOTS];
    uint colour[PATCH_SLOTS];
    for (uint s = 0; s < PATCH_SLOTS; s++) {
        uint at = ends[0] + item + s * WG;
        colour[s] = patch_colour(at, colours, ends);
        if (colour[s] < colours) of[s] = cloth_strain_take(at, give, view, masses);
    }
    CLOTH_ROLLED
    for (uint sweep = first; sweep < last; sweep++) {
        float part = cloth_strain_part(sweep);
        CLOTH_ROLLED
        for (uint c = 0; c < colours; c++) {
            for (uint s = 0; s < PATCH_SLOTS; s++)
                if (colour[s] == c)
                    cloth_strain_patch(&of[s], part, copies, pulls + item + s * WG);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}

/* Solves a patch. `memory`: CLOTH_PATCH_ROOM. */
CLOTH_FUNCTION void patch_solve(uint number, cloth_element_patches_view view, float stiffness,
    uint item, __local float4 *memory)
{
    cloth_patch_at patch = cloth_patch_of(number, view);
    __local float *masses = (__local float *)(memory + CLOTH_PATCH_MASSES),
                  *pulls = (__local float *)(memory + CLOTH_PATCH_PULLS);
    __local uint *ends = (__local uint *)(memory + CLOTH_PATCH_ENDS);
    uint count = patch.own_count + patch.ghost_count, half_sweeps = CLOTH_STRAIN_SWEEPS / 2u;
    CLOTH_ROLLED
    for (uint i = item; i < cloth_patch_ends(patch); i += WG)
        ends[i] = cloth_patch_word(view.at.ends + patch.ends + i, view);
    CLOTH_ROLLED
    for (uint i = item; i < count; i += WG) {
        float4 at = view.from[cloth_patch_member(i, patch, view)];
        memory[i] = at;
        masses[i] = at.w;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint elements = ends[patch.strain_colours] - ends[0];
    for (uint row = 0; row < 3u; row++) {
        CLOTH_ROLLED
        for (uint i = item; i < elements; i += WG)
            pulls[row * CLOTH_PATCH_STRAINS + i] =
                view.second ? view.pulled[3u * patch.before + row * elements + i] : 0.0f;
    }
    if (!view.second)
        patch_bend(patch.bend_colours, stiffness, view, item, ends + patch.strain_colours + 1u,
            masses, memory);
    patch_strain(patch.strain_colours, view.second * half_sweeps, (view.second + 1u) * half_sweeps,
        stiffness, view, item, ends, masses, memory, pulls);
    CLOTH_ROLLED
    for (uint i = item; i < patch.own_count; i += WG)
        view.to[cloth_patch_member(i, patch, view)] = memory[i];
    for (uint row = 0; row < 3u && !view.second; row++) {
        CLOTH_ROLLED
        for (uint i = item; i < elements; i += WG)
            view.pulled[3u * patch.before + row * elements + i] =
                pulls[row * CLOTH_PATCH_STRAINS + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

#endif
