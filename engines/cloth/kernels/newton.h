/* One step of Newton's method for the strains of a mesh, in each substep: from y, the positions
 * after integration and bending, to the minimum of 1/2 |x - y|^2 M + dt^2 W(x). Its linear system
 * A d = -dt^2 W'(y) is solved by conjugate gradients (Chronopoulos and Gear, 1989: one meeting of
 * all groups an iteration), preconditioned by the blocks of the diagonal and by a translation of
 * each patch (Nicolaides, 1987).
 *
 * W is the sum over elements of
 *     k0 (|U| - 1)^2 / 2 + k1 (|V| - 1 + c (|U| - 1))^2 / 2 + k2 (U V)^2 / 2
 * with the images U and V of a metre of warp and of weft, and the coupling c. With coefficients g
 * and h of U and V at the corners, A between corners i and j is
 *     g_i g_j HA + h_i h_j HD + g_i h_j HB + h_i g_j HB'
 *     HA = (k0 + k1 c^2 - |f0|) U U' / |U|^2 + |f0| I + k2 V V'
 *     HD = (k1 - |f1|) V V' / |V|^2 + |f1| I + k2 U U'
 *     HB = k2 V U' + k1 c U V' / (|U| |V|)
 * Pushes have the stiffness |f| across as pulls have, although theirs is -|f|: A stays positive,
 * and folds do not turn too far. One text for C, OpenCL C and CUDA, after element_patch.h and
 * newton_patch.h. */
#ifndef CLOTH_NEWTON_H
#define CLOTH_NEWTON_H

/* Legs of a substep, between which all groups meet: bending, the matrix, then iterations; the leg
 * after the last one moves the particles. */
#define CLOTH_NEWTON_BEND 0u
#define CLOTH_NEWTON_MATRIX 1u
#define CLOTH_NEWTON_ITERATE 2u /* first iteration */
#define CLOTH_NEWTON_LEGS(iterations) (CLOTH_NEWTON_ITERATE + (iterations) + 1u)

/* Maximum of an item's polls for packets in a leg, after which it continues without them: a tenth of
 * a second. */
#define CLOTH_NEWTON_POLLS 200000u
#define CLOTH_NEWTON_SUMS \
    5u /* r u, w u, and w summed over a patch, or r in the leg of the matrix */
#define CLOTH_NEWTON_COPIES 4u                                /* of an iteration's sums */
#define CLOTH_NEWTON_SUM_ROWS (2u + 4u * CLOTH_NEWTON_COPIES) /* float4 of `sums` for a patch */
#define CLOTH_NEWTON_SHIFTS \
    (3u * CLOTH_NEWTON_NEAR) /* coordinates of translations of a group's slots */
#define CLOTH_NEWTON_KEPT \
    (2u * CLOTH_NEWTON_SHIFTS + 2u) /* floats: shifts, their images, r u, step */

/* Bits of cloth_newton_launch.bodies: bodies act in this substep; `contacts` has the displacements
 * of the last substep's solution. */
#define CLOTH_NEWTON_TOUCHES 1u
#define CLOTH_NEWTON_FOLLOWS 2u

/* Leg `leg` of substep `substep`, or (JOINT) `substeps` whole substeps from it, `integrates`: with
 * their integration. `bodies`: CLOTH_NEWTON_TOUCHES, CLOTH_NEWTON_FOLLOWS; then one substep. */
typedef struct cloth_newton_launch {
    cloth_patched patched;
    uint leg, iterations, patches, substep, substeps, integrates, bodies;
} cloth_newton_launch;

/* State of a particle of a patch: r, u, w, the sums p, s and d of conjugate gradients, inverse of
 * the block of the diagonal (xx xy xz yy, then yz zz), unit normal of the contact that holds it
 * (0: none), mass (0: locked), place at its owner and slot (cloth_newton_particle(),
 * cloth_newton_slot()). */
typedef struct cloth_newton_vertex {
    float4 residual, step, image, search, search_image, moved, inverse, normal;
    float inverse_yz, inverse_zz, mass;
    uint place;
} cloth_newton_vertex;

/* `moved`: positions after bending. Published by the groups, a half for each of two legs by
 * turns: `sent`, r or w of each particle that other patches have (all of them in the leg of the
 * matrix), at its place (newton_patch.h); `sums` (newton_exchange.h). `diagonals`: three float4 of
 * each particle, inverse and normal. `contacts`: the displacement of each particle by the last
 * solution, and from bending to the solution its contact (newton_contact.h); not read where no body
 * acts, nor are `colliders` and `contact`. `previous` to `driver_map`: as the integrator takes them.
 * `rows`: the inverse of the coarse matrix, CLOTH_NEWTON_PATCHES squared. `kept`, `coarse`:
 * states between launches of single legs. */
#define CLOTH_NEWTON(FIRST, NEXT) \
    FIRST(SHARED, float4, position) \
    NEXT(INOUT, float4, previous) \
    NEXT(INOUT, cloth_carry, carry) \
    NEXT(IN, float4, garments) \
    NEXT(IN, float4, air) \
    CLOTH_DRIVER_ARRAYS(NEXT, NEXT) \
    NEXT(SHARED, float4, moved) \
    NEXT(IN, uint, words) \
    NEXT(IN, uint4, tables) \
    NEXT(IN, float4, steps) \
    NEXT(SHARED, float4, sent) \
    NEXT(SHARED, float4, diagonals) \
    NEXT(SHARED, float4, sums) \
    NEXT(IN, float4, rows) \
    NEXT(SHARED, cloth_newton_vertex, kept) \
    NEXT(SHARED, float, coarse) \
    NEXT(SHARED, float4, contacts) \
    NEXT(IN, float4, colliders) \
    NEXT(IN, float4, contact) \
    NEXT(SCRATCH, uint, state) NEXT(STRUCT, cloth_newton_launch, launch) NEXT(LOCAL, float4, memory)
HED_VIEW(cloth_newton_view, CLOTH_NEWTON)

/* Local memory of a group, float4: a vector of each particle; three of each element, and one that
 * is zero; values that are summed; x, y and z of the coarse image; rows of the inverse; ends and
 * corners of the tables; the correction of each slot and its image. */
#define CLOTH_NEWTON_AT_FORCES CLOTH_NEWTON_LOCAL
#define CLOTH_NEWTON_NOTHING (3u * CLOTH_NEWTON_ELEMENTS)
#define CLOTH_NEWTON_AT_VALUES (CLOTH_NEWTON_AT_FORCES + CLOTH_NEWTON_NOTHING + 1u)
#define CLOTH_NEWTON_AT_COARSE (CLOTH_NEWTON_AT_VALUES + CLOTH_NEWTON_SUMS * CLOTH_NEWTON_OWN / 4u)
#define CLOTH_NEWTON_AT_ROWS (CLOTH_NEWTON_AT_COARSE + 3u * CLOTH_NEWTON_PATCHES / 4u)
#define CLOTH_NEWTON_AT_ENDS (CLOTH_NEWTON_AT_ROWS + CLOTH_NEWTON_NEAR * CLOTH_NEWTON_PATCHES / 4u)
#define CLOTH_NEWTON_AT_CORNERS (CLOTH_NEWTON_AT_ENDS + CLOTH_NEWTON_OWN / 4u + 1u)
#define CLOTH_NEWTON_AT_SHIFTS (CLOTH_NEWTON_AT_CORNERS + CLOTH_NEWTON_CORNERS / 8u)
#define CLOTH_NEWTON_SOLVES (CLOTH_NEWTON_AT_SHIFTS + 2u * CLOTH_NEWTON_SHIFTS / 4u)
/* The same of bending: the patch's particles with two rings of ghosts, their inverse masses, ends
 * of the colours, floats of the elements (corners, particles beyond, weights, inverses, between;
 * an odd number), of which so many are taken at a time. */
#define CLOTH_NEWTON_BENDS 768u
#define CLOTH_NEWTON_BEND_FLOATS 27u
#define CLOTH_NEWTON_BEND_MASSES CLOTH_PATCH_LOCAL
#define CLOTH_NEWTON_BEND_ENDS (CLOTH_NEWTON_BEND_MASSES + CLOTH_PATCH_LOCAL / 4u)
#define CLOTH_NEWTON_BEND_ITEMS (CLOTH_NEWTON_BEND_ENDS + (CLOTH_PATCH_COLOURS + 1u + 3u) / 4u)
#define CLOTH_NEWTON_BENDING \
    (CLOTH_NEWTON_BEND_ITEMS + CLOTH_NEWTON_BENDS * CLOTH_NEWTON_BEND_FLOATS / 4u)
#define CLOTH_NEWTON_MEMORY \
    (CLOTH_NEWTON_SOLVES > CLOTH_NEWTON_BENDING ? CLOTH_NEWTON_SOLVES : CLOTH_NEWTON_BENDING)

/* ---- an element ---- */

/* `warp_pull`, `weft_pull`: coefficients of U U' and V V' in HA and HD; `warp_force`,
 * `weft_force`: f0 and f1; `shear`: k2; `coupled`: k1 c / (|U| |V|). */
typedef struct cloth_newton_element {
    uint corners;
    float warp_b, warp_c, weft_b, weft_c;
    float warp_pull, weft_pull, warp_force, weft_force, shear, coupled;
    float4 u, v;
} cloth_newton_element;

/* Reads element `at` of a patch; compliances are in `warp_force`, `weft_force` and `shear`, the
 * coupling in `coupled`, until cloth_newton_place() takes them. */
CLOTH_FUNCTION cloth_newton_element cloth_newton_read(
    uint at, cloth_newton_patch patch, __global const uint *words)
{
    __global const uint *row = words + patch.elements + at;
    uint each = patch.element_count;
    cloth_newton_element e;
    e.corners = row[0];
    e.warp_b = as_float(row[each * CLOTH_NEWTON_ROW_WARP]);
    e.warp_c = as_float(row[each * (CLOTH_NEWTON_ROW_WARP + 1u)]);
    e.weft_b = as_float(row[each * CLOTH_NEWTON_ROW_WEFT]);
    e.weft_c = as_float(row[each * (CLOTH_NEWTON_ROW_WEFT + 1u)]);
    e.warp_force = as_float(row[each * CLOTH_NEWTON_ROW_COMPLIANCE]);
    e.weft_force = as_float(row[each * (CLOTH_NEWTON_ROW_COMPLIANCE + 1u)]);
    e.shear = as_float(row[each * (CLOTH_NEWTON_ROW_COMPLIANCE + 2u)]);
    e.coupled = as_float(row[each * CLOTH_NEWTON_ROW_COUPLING]);
    return e;
}

/* Makes an element that was read. `give`: 1 / dt^2; `places`: positions of the patch's particles. */
CLOTH_FUNCTION void cloth_newton_place(
    cloth_newton_element *e, float give, HED_VIEW_LOCAL const float4 *places)
{
    float4 a = places[cloth_newton_corner(e->corners, 0u)],
           b = places[cloth_newton_corner(e->corners, 1u)],
           c = places[cloth_newton_corner(e->corners, 2u)];
    float k0 = cloth_inverse(give * e->warp_force), k1 = cloth_inverse(give * e->weft_force),
          coupling = e->coupled;
    e->shear = cloth_inverse(give * e->shear);
    e->u = cloth_way_of(a, b, c, hed_f4(0.0f, e->warp_b, e->warp_c, 0.0f));
    e->v = cloth_way_of(a, b, c, hed_f4(0.0f, e->weft_b, e->weft_c, 0.0f));
    float per_u = cloth_per_length(e->u), per_v = cloth_per_length(e->v),
          strain = fma(cloth_inner(e->u, e->u), per_u, -1.0f),
          cross = fma(coupling, strain, fma(cloth_inner(e->v, e->v), per_v, -1.0f));
    e->warp_force = fma(k0, strain, k1 * coupling * cross) * per_u;
    e->weft_force = k1 * cross * per_v;
    e->warp_pull = (fma(k1 * coupling, coupling, k0) - fabs(e->warp_force)) * (per_u * per_u);
    e->weft_pull = (k1 - fabs(e->weft_force)) * (per_v * per_v);
    e->coupled = k1 * coupling * (per_u * per_v);
}

/* Vectors at the second and third corner of an element; the first one has minus their sum. */
typedef struct cloth_newton_pair {
    float4 second, third;
} cloth_newton_pair;

CLOTH_FUNCTION cloth_newton_pair cloth_newton_spread(
    const cloth_newton_element *e, float4 warp, float4 weft)
{
    float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    cloth_newton_pair pair;
    pair.second = cloth_add_both(zero, e->warp_b, warp, e->weft_b, weft);
    pair.third = cloth_add_both(zero, e->warp_c, warp, e->weft_c, weft);
    return pair;
}

/* dt^2 W'(y) at the corners. */
CLOTH_FUNCTION cloth_newton_pair cloth_newton_force(const cloth_newton_element *e)
{
    float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    float sheared = e->shear * cloth_inner(e->u, e->v);
    return cloth_newton_spread(e, cloth_add_both(zero, e->warp_force, e->u, sheared, e->v),
        cloth_add_both(zero, e->weft_force, e->v, sheared, e->u));
}

/* The element's part of A times vectors a, b and c at the corners. */
CLOTH_FUNCTION cloth_newton_pair cloth_newton_multiply(
    const cloth_newton_element *e, float4 a, float4 b, float4 c)
{
    float4 x = cloth_way_of(a, b, c, hed_f4(0.0f, e->warp_b, e->warp_c, 0.0f)),
           y = cloth_way_of(a, b, c, hed_f4(0.0f, e->weft_b, e->weft_c, 0.0f));
    float ux = cloth_inner(e->u, x), vy = cloth_inner(e->v, y),
          turn = e->shear * (cloth_inner(e->v, x) + cloth_inner(e->u, y));
    float4 warp = cloth_add_both(cloth_scaled(x, fabs(e->warp_force)),
               fma(e->warp_pull, ux, e->coupled * vy), e->u, turn, e->v),
           weft = cloth_add_both(cloth_scaled(y, fabs(e->weft_force)),
               fma(e->weft_pull, vy, e->coupled * ux), e->v, turn, e->u);
    return cloth_newton_spread(e, warp, weft);
}

/* Symmetric 3 x 3 matrix. */
typedef struct cloth_newton_block {
    float xx, xy, xz, yy, yz, zz;
} cloth_newton_block;

/* The element's part of the block of A at corner k. */
CLOTH_FUNCTION cloth_newton_block cloth_newton_diagonal(const cloth_newton_element *e, uint k)
{
    float g = k == 0u   ? -(e->warp_b + e->warp_c)
              : k == 1u ? e->warp_b
                        : e->warp_c,
          h = k == 0u   ? -(e->weft_b + e->weft_c)
              : k == 1u ? e->weft_b
                        : e->weft_c,
          uu = fma(g * g, e->warp_pull, h * h * e->shear),
          vv = fma(h * h, e->weft_pull, g * g * e->shear), uv = g * h * (e->shear + e->coupled),
          all = fma(g * g, fabs(e->warp_force), h * h * fabs(e->weft_force));
    float4 u = e->u, v = e->v, by_u = cloth_add_both(cloth_scaled(u, uu), uv, v, 0.0f, v),
           by_v = cloth_add_both(cloth_scaled(v, vv), uv, u, 0.0f, u);
    cloth_newton_block block;
    block.xx = fma(u.x, by_u.x, fma(v.x, by_v.x, all));
    block.xy = fma(u.x, by_u.y, v.x * by_v.y);
    block.xz = fma(u.x, by_u.z, v.x * by_v.z);
    block.yy = fma(u.y, by_u.y, fma(v.y, by_v.y, all));
    block.yz = fma(u.y, by_u.z, v.y * by_v.z);
    block.zz = fma(u.z, by_u.z, fma(v.z, by_v.z, all));
    return block;
}

CLOTH_FUNCTION cloth_newton_block cloth_newton_inverse(cloth_newton_block m)
{
    float x = fma(m.yy, m.zz, -(m.yz * m.yz)), y = fma(m.yz, m.xz, -(m.xy * m.zz)),
          z = fma(m.xy, m.yz, -(m.yy * m.xz)), per = 1.0f / fma(m.xx, x, fma(m.xy, y, m.xz * z));
    cloth_newton_block inverse;
    inverse.xx = x * per;
    inverse.xy = y * per;
    inverse.xz = z * per;
    inverse.yy = fma(m.xx, m.zz, -(m.xz * m.xz)) * per;
    inverse.yz = fma(m.xy, m.xz, -(m.xx * m.yz)) * per;
    inverse.zz = fma(m.xx, m.yy, -(m.xy * m.xy)) * per;
    return inverse;
}

/* ---- a particle ---- */

/* Preconditioned residual, without the coarse correction. */
CLOTH_FUNCTION float4 cloth_newton_step(const cloth_newton_vertex *v)
{
    float4 r = v->residual;
    return hed_f4(fma(v->inverse.x, r.x, fma(v->inverse.y, r.y, v->inverse.z * r.z)),
        fma(v->inverse.y, r.x, fma(v->inverse.w, r.y, v->inverse_yz * r.z)),
        fma(v->inverse.z, r.x, fma(v->inverse_yz, r.y, v->inverse_zz * r.z)), 0.0f);
}

/* A vector without its part along a unit normal; a normal of 0 leaves the vector. */
CLOTH_FUNCTION float4 cloth_newton_along(float4 normal, float4 vector)
{
    return cloth_shift(vector, -cloth_inner(normal, vector), normal);
}

/* Takes motions along a unit normal out of an inverse block. */
CLOTH_FUNCTION cloth_newton_block cloth_newton_hold(cloth_newton_block m, float4 normal)
{
    float x = fma(m.xx, normal.x, fma(m.xy, normal.y, m.xz * normal.z)),
          y = fma(m.xy, normal.x, fma(m.yy, normal.y, m.yz * normal.z)),
          z = fma(m.xz, normal.x, fma(m.yz, normal.y, m.zz * normal.z)),
          across = fma(normal.x, x, fma(normal.y, y, normal.z * z));
    if (!(across > 0.0f)) return m;
    float per = -1.0f / across;
    cloth_newton_block held = {fma(per * x, x, m.xx), fma(per * x, y, m.xy), fma(per * x, z, m.xz),
        fma(per * y, y, m.yy), fma(per * y, z, m.yz), fma(per * z, z, m.zz)};
    return held;
}

/* Sets the block of the diagonal, `sum` of the elements' parts. */
CLOTH_FUNCTION void cloth_newton_set_block(cloth_newton_vertex *v, cloth_newton_block sum)
{
    sum.xx += v->mass;
    sum.yy += v->mass;
    sum.zz += v->mass;
    cloth_newton_block inverse = cloth_newton_hold(cloth_newton_inverse(sum), v->normal);
    if (!(v->mass > 0.0f))
        inverse.xx = inverse.xy = inverse.xz = inverse.yy = inverse.yz = inverse.zz = 0.0f;
    v->inverse = hed_f4(inverse.xx, inverse.xy, inverse.xz, inverse.yy);
    v->inverse_yz = inverse.yz;
    v->inverse_zz = inverse.zz;
}

/* Moves a particle's state by a step: `beta` of the last direction, `alpha` of the new one. */
CLOTH_FUNCTION void cloth_newton_update(cloth_newton_vertex *v, float alpha, float beta)
{
    v->search = cloth_shift(v->step, beta, v->search);
    v->search_image = cloth_shift(v->image, beta, v->search_image);
    v->moved = cloth_shift(v->moved, alpha, v->search);
    v->residual = cloth_shift(v->residual, -alpha, v->search_image);
}

#endif
