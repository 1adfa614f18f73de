/* Elements of a fabric in patches (solver/element_patches.c), a group each: its own particles and the
 * ghosts, particles of its elements that other patches own, are in local memory, where the group bends its
 * elements once and then sweeps over their strains several times. A launch reads all particles from one array and
 * writes each patch's own ones to another, so no group waits for another. Two launches are a substep: the
 * second one starts with ghosts that have moved. One text for C, OpenCL C and CUDA, after particle.h. */
#ifndef CLOTH_ELEMENT_PATCH_H
#define CLOTH_ELEMENT_PATCH_H

#define CLOTH_PATCH_LOCAL 512u    /* maximum of a patch's particles, ghosts included */
#define CLOTH_PATCH_STRAINS 1024u /* maximum of its elements */
#define CLOTH_PATCH_COLOURS 64u
/* Local memory of a group, float4: particles, their inverse masses, three multipliers for each element, the ends of
 * colours. Masses are apart because items read them for their elements while others move the particles. */
#define CLOTH_PATCH_MASSES CLOTH_PATCH_LOCAL
#define CLOTH_PATCH_PULLS (CLOTH_PATCH_MASSES + CLOTH_PATCH_LOCAL / 4u)
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

/* ---- strain ---- */

/* Strains of an element, which an item of a group keeps for all its sweeps: local numbers of the corners,
 * 10 bits each; images of a metre of warp and of weft, as sums over the corners (cloth_way_of()); sums of
 * inverse masses times the squares of the two images' coefficients and times their products; compliances / dt^2. */
typedef struct cloth_strain_item {
    uint corners;
    float warp_b, warp_c, weft_b, weft_c, warps, mixed, wefts, coupling;
    float strain_give, cross_give, turn_give;
} cloth_strain_item;

/* Takes element `at` of the tables. `give`: 1 / dt^2; `masses`: inverse masses of the patch's particles. */
CLOTH_FUNCTION cloth_strain_item cloth_strain_take(
    uint at, float give, cloth_element_patches_view view, HED_VIEW_LOCAL const float *masses)
{
    __global const uint4 *row = view.tables + view.at.strains + at;
    uint4 r0 = row[0], r1 = row[view.at.strain_count], r2 = row[2u * view.at.strain_count];
    float g_b = as_float(r0.y), g_c = as_float(r0.z), h_b = as_float(r0.w), h_c = as_float(r1.x),
          g_a = -(g_b + g_c), h_a = -(h_b + h_c), a = masses[r0.x & 1023u],
          b = masses[r0.x >> 10 & 1023u], c = masses[r0.x >> 20];
    cloth_strain_item item = {r0.x, g_b, g_c, h_b, h_c,
        fma(a, g_a * g_a, fma(b, g_b * g_b, c * (g_c * g_c))),
        fma(a, g_a * h_a, fma(b, g_b * h_b, c * (g_c * h_c))),
        fma(a, h_a * h_a, fma(b, h_b * h_b, c * (h_c * h_c))), as_float(r2.x),
        as_float(r1.y) * give, as_float(r1.z) * give, as_float(r1.w) * give};
    return item;
}

/* 1 / length of a vector; 0 of a vector that is shorter than a micrometre for each metre. */
CLOTH_FUNCTION float cloth_per_length(float4 v)
{
    float square = cloth_square(v.x, v.y, v.z);
    if (!(square > 1e-12f)) return 0.0f;
#if HED_STRICT
    return 1.0f / sqrt(square);
#else
    return hed_near_rsqrt(square);
#endif
}

CLOTH_FUNCTION float cloth_inner(float4 a, float4 b)
{
    return fma(a.x, b.x, fma(a.y, b.y, a.z * b.z));
}

/* Adds m a + n b to a vector. */
CLOTH_FUNCTION float4 cloth_add_both(float4 to, float m, float4 a, float n, float4 b)
{
    return hed_f4(fma(m, a.x, fma(n, b.x, to.x)), fma(m, a.y, fma(n, b.y, to.y)),
        fma(m, a.z, fma(n, b.z, to.z)), to.w);
}

CLOTH_FUNCTION float4 cloth_scaled(float4 v, float factor)
{
    return hed_f4(v.x * factor, v.y * factor, v.z * factor, 0.0f);
}

/* Moves a corner by g `warp` + h `weft`, times its inverse mass, unless it is locked. */
CLOTH_FUNCTION void cloth_strain_move(
    HED_VIEW_LOCAL float4 *corner, float4 at, float g, float h, float4 warp, float4 weft)
{
    if (at.w > 0.0f) *corner = cloth_add_both(at, at.w * g, warp, at.w * h, weft);
}

/* Projects the three strains of an element, one after another, as cloth_square_up(),
 * cloth_strain_coupled() and cloth_strain() do. All three move corners along the images u and v of warp
 * and weft alone, so these are moved, and the corners once, by `part` times the correction. `pulls`: its
 * first multiplier, the others follow CLOTH_PATCH_STRAINS apart. */
CLOTH_FUNCTION void cloth_strain_patch(const cloth_strain_item *of, float part,
    HED_VIEW_LOCAL float4 *copies, HED_VIEW_LOCAL float *pulls)
{
    HED_VIEW_LOCAL float4 *first = copies + (of->corners & 1023u),
                          *second = copies + (of->corners >> 10 & 1023u),
                          *third = copies + (of->corners >> 20);
    float4 a = *first, b = *second, c = *third, zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f),
           u = cloth_way_of(a, b, c, hed_f4(0.0f, of->warp_b, of->warp_c, 0.0f)),
           v = cloth_way_of(a, b, c, hed_f4(0.0f, of->weft_b, of->weft_c, 0.0f));
    float strained = pulls[0], turned = pulls[CLOTH_PATCH_STRAINS],
          crossed = pulls[2u * CLOTH_PATCH_STRAINS], uv = cloth_inner(u, v),
          weight = fma(of->wefts, cloth_inner(u, u),
              fma(2.0f * of->mixed, uv, fma(of->warps, cloth_inner(v, v), of->turn_give))),
          turn = -(fma(of->turn_give, turned, uv) * cloth_inverse(weight));
    float4 u1 = cloth_add_both(u, turn * of->warps, v, turn * of->mixed, u),
           v1 = cloth_add_both(v, turn * of->mixed, v, turn * of->wefts, u);
    float per_u = cloth_per_length(u1), per_v = cloth_per_length(v1),
          long_u = cloth_inner(u1, u1) * per_u, long_v = cloth_inner(v1, v1) * per_v,
          cosine = cloth_inner(u1, v1) * (per_u * per_v);
    weight = fma(of->coupling, fma(2.0f * of->mixed, cosine, of->coupling * of->warps),
        of->wefts + of->cross_give);
    float cross = -(fma(of->cross_give, crossed,
                        fma(of->coupling, long_u - 1.0f, long_v - 1.0f)) *
                    cloth_inverse(weight)),
          cross_u = cross * of->coupling * per_u, cross_v = cross * per_v;
    float4 u2 = cloth_add_both(u1, of->warps * cross_u, u1, of->mixed * cross_v, v1);
    float per = cloth_per_length(u2),
          strain = -(fma(of->strain_give, strained, fma(cloth_inner(u2, u2), per, -1.0f)) *
                     cloth_inverse(of->warps + of->strain_give));
    float4 warp = cloth_add_both(zero, turn * part, v, strain * per * part, u2),
           weft = cloth_add_both(zero, turn * part, u, cross_v * part, v1);
    warp = cloth_add_both(warp, cross_u * part, u1, 0.0f, zero);
    pulls[0] = fma(part, strain, strained);
    pulls[CLOTH_PATCH_STRAINS] = fma(part, turn, turned);
    pulls[2u * CLOTH_PATCH_STRAINS] = fma(part, cross, crossed);
    cloth_strain_move(first, a, -(of->warp_b + of->warp_c), -(of->weft_b + of->weft_c), warp, weft);
    cloth_strain_move(second, b, of->warp_b, of->weft_b, warp, weft);
    cloth_strain_move(third, c, of->warp_c, of->weft_c, warp, weft);
}

/* ---- bending ---- */

/* Bends of an element, which an item of a group keeps: local numbers of the corners and of the particles
 * beyond the sides, 10 bits each; for each of three curvatures the weights of the three particles beyond and
 * of the corners, and the inverse of its diagonal; `between`: sums of inverse masses times the products of
 * the weights of the first and second, first and third, second and third curvature. */
typedef struct cloth_bend_item {
    uint corners, beyond;
    float weights[3][6], inverse[3], between[3];
} cloth_bend_item;

CLOTH_FUNCTION uint cloth_bend_particle(uint k, uint corners, uint beyond)
{
    return (k < 3u ? beyond : corners) >> 10u * (k % 3u) & 1023u;
}

/* Takes element `at` of the tables, as cloth_strain_take(). */
CLOTH_FUNCTION cloth_bend_item cloth_bend_take(
    uint at, float give, cloth_element_patches_view view, HED_VIEW_LOCAL const float *masses)
{
    __global const uint4 *row = view.tables + view.at.bends + at;
    uint each = view.at.bend_count;
    uint4 r0 = row[0], r1 = row[each], r2 = row[2u * each], r3 = row[3u * each], r4 = row[4u * each];
    cloth_bend_item item = {r0.x, r0.y,
        {{as_float(r0.z), as_float(r0.w), as_float(r1.x), as_float(r1.y), as_float(r1.z),
             as_float(r1.w)},
            {as_float(r2.x), as_float(r2.y), as_float(r2.z), as_float(r2.w), as_float(r3.x),
                as_float(r3.y)},
            {as_float(r3.z), as_float(r3.w), as_float(r4.x), as_float(r4.y), as_float(r4.z),
                as_float(r4.w)}},
        {give, give, give}, {0.0f, 0.0f, 0.0f}};
    for (uint k = 0; k < 6u; k++) {
        float mass = masses[cloth_bend_particle(k, r0.x, r0.y)], first = mass * item.weights[0][k],
              second = mass * item.weights[1][k], third = mass * item.weights[2][k];
        item.inverse[0] = fma(first, item.weights[0][k], item.inverse[0]);
        item.inverse[1] = fma(second, item.weights[1][k], item.inverse[1]);
        item.inverse[2] = fma(third, item.weights[2][k], item.inverse[2]);
        item.between[0] = fma(first, item.weights[1][k], item.between[0]);
        item.between[1] = fma(first, item.weights[2][k], item.between[1]);
        item.between[2] = fma(second, item.weights[2][k], item.between[2]);
    }
    for (uint m = 0; m < 3u; m++) item.inverse[m] = -cloth_inverse(item.inverse[m]);
    return item;
}

/* Projects the three curvatures of an element, one after another, as cloth_flatten() does: each changes the
 * next ones, and the particles move once. A corner replaces a particle beyond a border, with weight 0,
 * so corners are stored last. */
CLOTH_FUNCTION void cloth_bend_patch(const cloth_bend_item *of, HED_VIEW_LOCAL float4 *copies)
{
    float4 at[6], origin = copies[of->corners & 1023u], curve[3];
    for (uint k = 0; k < 6u; k++)
        at[k] = copies[cloth_bend_particle(k, of->corners, of->beyond)];
    for (uint m = 0; m < 3u; m++) {
        float4 sum = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
        for (uint k = 0; k < 6u; k++)
            sum = cloth_shift(sum, of->weights[m][k], cloth_from(at[k], origin));
        curve[m] = sum;
    }
    float4 first = cloth_scaled(curve[0], of->inverse[0]),
           second = cloth_scaled(cloth_shift(curve[1], of->between[0], first), of->inverse[1]),
           third = cloth_scaled(cloth_add_both(curve[2], of->between[1], first, of->between[2], second),
               of->inverse[2]);
    for (uint k = 0; k < 6u; k++) {
        float4 to = cloth_add_both(at[k], at[k].w * of->weights[0][k], first,
            at[k].w * of->weights[1][k], second);
        if (at[k].w > 0.0f)
            copies[cloth_bend_particle(k, of->corners, of->beyond)] =
                cloth_shift(to, at[k].w * of->weights[2][k], third);
    }
}

#endif
