/* Elements of a fabric in patches (solver/element_patches.c), a group each: its own particles and those
 * that its elements have beside them, the ghosts, are in local memory, where the group bends its elements
 * once and then sweeps over their strains several times. A launch reads all particles from one array and
 * writes each patch's own ones to another, so no group waits for another. Two launches are a substep: the
 * second one starts with ghosts that have moved. One text for C, OpenCL C and CUDA, after particle.h. */
#ifndef CLOTH_ELEMENT_PATCH_H
#define CLOTH_ELEMENT_PATCH_H

#define CLOTH_PATCH_LOCAL 512u    /* maximum of a patch's particles, ghosts included */
#define CLOTH_PATCH_STRAINS 1024u /* maximum of its elements */
#define CLOTH_PATCH_COLOURS 64u
/* Local memory of a group, float4: particles, three multipliers for each element, the ends of colours. */
#define CLOTH_PATCH_PULLS CLOTH_PATCH_LOCAL
#define CLOTH_PATCH_ENDS (CLOTH_PATCH_PULLS + 3u * CLOTH_PATCH_STRAINS / 4u)
#define CLOTH_PATCH_ROOM (CLOTH_PATCH_ENDS + (2u * CLOTH_PATCH_COLOURS + 2u + 3u) / 4u)

/* Sweeps over strains in a substep, half of them in each launch. The first sweep and the last one move
 * particles by a constraint's correction, the others by CLOTH_STRAIN_PART times as much (successive
 * over-relaxation). Measured: docs/cloth-stiffness.md. */
#define CLOTH_STRAIN_SWEEPS 8u
#define CLOTH_STRAIN_PART 1.6f

CLOTH_FUNCTION float cloth_strain_part(uint sweep)
{
    return sweep == 0u || sweep + 1u == CLOTH_STRAIN_SWEEPS ? 1.0f : CLOTH_STRAIN_PART;
}

/* Tables in one array of uint4: two for each patch (cloth_patch_of()), then particles (own ones of
 * patch after patch, then ghosts) from word `members`, ends of colours from word `ends`, rows of strains
 * from `strains` and rows of bends from `bends`; row r of an element is `strain_count` or `bend_count`
 * times r after its first one. */
typedef struct cloth_patched {
    uint members, ends, strains, strain_count, bends, bend_count;
} cloth_patched;

#define CLOTH_STRAIN_ROWS 3u
#define CLOTH_BEND_ROWS 5u

#define CLOTH_ELEMENT_PATCHES(FIRST, NEXT) \
    FIRST(SHARED_IN, float4, from) \
    NEXT(SHARED, float4, to) \
    NEXT(IN, uint4, tables) \
    NEXT(IN, float4, steps) NEXT(SHARED, float, pulled) NEXT(STRUCT, cloth_patched, at) \
        NEXT(VALUE, uint, substep) NEXT(VALUE, uint, second)
HED_VIEW(cloth_element_patches_view, CLOTH_ELEMENT_PATCHES)

/* A patch: its first members and ends of colours; counts of colours; elements of all patches before it,
 * whose multipliers come first in `pulled`. */
typedef struct cloth_patch_at {
    uint own, own_count, ghosts, ghost_count, ends, strain_colours, bend_colours, before;
} cloth_patch_at;

CLOTH_FUNCTION cloth_patch_at cloth_patch_of(uint patch, cloth_element_patches_view view)
{
    uint4 a = view.tables[2 * patch], b = view.tables[2 * patch + 1];
    cloth_patch_at at = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    return at;
}

CLOTH_FUNCTION uint cloth_patch_word(uint at, cloth_element_patches_view view)
{
    return ((__global const uint *)view.tables)[at];
}

/* Particle of local number i. */
CLOTH_FUNCTION uint cloth_patch_member(
    uint i, cloth_patch_at patch, cloth_element_patches_view view)
{
    uint at = i < patch.own_count ? patch.own + i : patch.ghosts + i - patch.own_count;
    return cloth_patch_word(view.at.members + at, view);
}

/* Ends of colours of strains, then of bends: one more than there are colours, each. */
CLOTH_FUNCTION uint cloth_patch_ends(cloth_patch_at patch)
{
    return patch.strain_colours + patch.bend_colours + 2u;
}

/* Stores the new position of a particle, unless it is locked; it moves by `part` times the correction. */
CLOTH_FUNCTION void cloth_patch_move(
    HED_VIEW_LOCAL float4 *to, float4 moved, float4 origin, float part)
{
    float4 at = *to, before = cloth_from(at, origin);
    if (at.w > 0.0f)
        *to = hed_f4(fma(part, moved.x - before.x, at.x), fma(part, moved.y - before.y, at.y),
            fma(part, moved.z - before.z, at.z), at.w);
}

/* Number of a row, or of the last one before `end`, or 0 without rows. */
CLOTH_FUNCTION uint cloth_patch_row(uint at, uint end)
{
    return at < end ? at : end > 0u ? end - 1u : 0u;
}

/* ---- strain ---- */

/* Rows: local numbers of the corners, 10 bits each, and coefficients and compliances as in cloth_element. */
typedef struct cloth_strain_rows {
    uint4 r0, r1, r2;
} cloth_strain_rows;

/* Rows of element `at`: cloth_patch_row(). */
CLOTH_FUNCTION cloth_strain_rows cloth_strain_at(uint at, uint end, cloth_element_patches_view view)
{
    __global const uint4 *row = view.tables + view.at.strains + cloth_patch_row(at, end);
    cloth_strain_rows rows = {row[0], row[view.at.strain_count], row[2u * view.at.strain_count]};
    return rows;
}

/* Projects the three strains of an element. `pulls`: its first multiplier, the others follow
 * CLOTH_PATCH_STRAINS apart. */
CLOTH_FUNCTION void cloth_strain_patch(cloth_strain_rows of, float give, float part,
    HED_VIEW_LOCAL float4 *copies, HED_VIEW_LOCAL float *pulls)
{
    HED_VIEW_LOCAL float4 *first = copies + (of.r0.x & 1023u),
                          *second = copies + (of.r0.x >> 10 & 1023u),
                          *third = copies + (of.r0.x >> 20);
    float warp_b = as_float(of.r0.y), warp_c = as_float(of.r0.z), weft_b = as_float(of.r0.w),
          weft_c = as_float(of.r1.x), was_strained = pulls[0],
          was_turned = pulls[CLOTH_PATCH_STRAINS], was_crossed = pulls[2u * CLOTH_PATCH_STRAINS],
          strained = was_strained, turned = was_turned, crossed = was_crossed;
    float4 origin = *first, a = cloth_from(origin, origin), b = cloth_from(*second, origin),
           c = cloth_from(*third, origin), warp = hed_f4(-(warp_b + warp_c), warp_b, warp_c, 0.0f),
           weft = hed_f4(-(weft_b + weft_c), weft_b, weft_c, 0.0f);
    cloth_square_up(&a, &b, &c, warp, weft, as_float(of.r1.w) * give, &turned);
    cloth_strain_coupled(
        &a, &b, &c, warp, weft, as_float(of.r2.x), as_float(of.r1.z) * give, &crossed);
    cloth_strain(&a, &b, &c, warp, as_float(of.r1.y) * give, &strained);
    pulls[0] = fma(part, strained - was_strained, was_strained);
    pulls[CLOTH_PATCH_STRAINS] = fma(part, turned - was_turned, was_turned);
    pulls[2u * CLOTH_PATCH_STRAINS] = fma(part, crossed - was_crossed, was_crossed);
    cloth_patch_move(first, a, origin, part);
    cloth_patch_move(second, b, origin, part);
    cloth_patch_move(third, c, origin, part);
}

/* ---- bending ---- */

/* Rows: local numbers of the corners and of the particles beyond the sides, 10 bits each, then three
 * times the weights of three particles beyond and three corners. */
typedef struct cloth_bend_rows {
    uint4 r0, r1, r2, r3, r4;
} cloth_bend_rows;

CLOTH_FUNCTION cloth_bend_rows cloth_bend_at(uint at, uint end, cloth_element_patches_view view)
{
    uint each = view.at.bend_count;
    __global const uint4 *row = view.tables + view.at.bends + cloth_patch_row(at, end);
    cloth_bend_rows rows = {row[0], row[each], row[2u * each], row[3u * each], row[4u * each]};
    return rows;
}

/* Projects the three curvatures of an element. A corner replaces a particle beyond a border, with
 * weight 0, so corners are stored last. `give`: 1 / dt^2. */
CLOTH_FUNCTION void cloth_bend_patch(cloth_bend_rows of, float give, HED_VIEW_LOCAL float4 *copies)
{
    HED_VIEW_LOCAL float4 *at[6] = {copies + (of.r0.x & 1023u), copies + (of.r0.x >> 10 & 1023u),
        copies + (of.r0.x >> 20), copies + (of.r0.y & 1023u), copies + (of.r0.y >> 10 & 1023u),
        copies + (of.r0.y >> 20)};
    float4 origin = *at[0], a = cloth_from(origin, origin), b = cloth_from(*at[1], origin),
           c = cloth_from(*at[2], origin), p = cloth_from(*at[3], origin),
           q = cloth_from(*at[4], origin), r = cloth_from(*at[5], origin),
           zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f), warp = zero, twist = zero, weft = zero;
    cloth_flatten(&a, &b, &c, &p, &q, &r,
        hed_f4(as_float(of.r1.y), as_float(of.r1.z), as_float(of.r1.w), 0.0f),
        hed_f4(as_float(of.r0.z), as_float(of.r0.w), as_float(of.r1.x), 0.0f), give, &warp);
    cloth_flatten(&a, &b, &c, &p, &q, &r,
        hed_f4(as_float(of.r2.w), as_float(of.r3.x), as_float(of.r3.y), 0.0f),
        hed_f4(as_float(of.r2.x), as_float(of.r2.y), as_float(of.r2.z), 0.0f), give, &twist);
    cloth_flatten(&a, &b, &c, &p, &q, &r,
        hed_f4(as_float(of.r4.y), as_float(of.r4.z), as_float(of.r4.w), 0.0f),
        hed_f4(as_float(of.r3.z), as_float(of.r3.w), as_float(of.r4.x), 0.0f), give, &weft);
    cloth_patch_move(at[3], p, origin, 1.0f);
    cloth_patch_move(at[4], q, origin, 1.0f);
    cloth_patch_move(at[5], r, origin, 1.0f);
    cloth_patch_move(at[0], a, origin, 1.0f);
    cloth_patch_move(at[1], b, origin, 1.0f);
    cloth_patch_move(at[2], c, origin, 1.0f);
}

#endif
