/* Legs of Newton's method by a group, which has a patch; its items have elements and particles in
 * registers. Text of a group, after newton_coarse.h and newton_contact.h; C includes it as a group
 * of one item, whose legs are inlined: functions of their own would not have the processor's fma. */
#ifndef CLOTH_NEWTON_GROUP_H
#define CLOTH_NEWTON_GROUP_H

/* Maximum number of an item's elements and particles, which are WG apart. */
#define NEWTON_ELEMENTS_EACH ((CLOTH_NEWTON_ELEMENTS + WG - 1u) / WG)
#define NEWTON_VERTICES_EACH ((CLOTH_NEWTON_LOCAL + WG - 1u) / WG)
#define NEWTON_PATCHES_EACH ((CLOTH_NEWTON_PATCHES + WG - 1u) / WG)

/* Positions of the first vectors of an own particle in `forces`, two in each word;
 * CLOTH_NEWTON_NOTHING after its last one. */
#define NEWTON_FIRST 8u
typedef struct newton_fan {
    uint at[NEWTON_FIRST / 2u];
} newton_fan;

/* State of an item. `length`: r u of the last iteration; `step`: its factor; `polls`: for packets
 * that were late. */
typedef struct newton_item {
    cloth_newton_element elements[NEWTON_ELEMENTS_EACH];
    cloth_newton_vertex vertices[NEWTON_VERTICES_EACH];
    newton_fan fans[NEWTON_VERTICES_EACH];
    float length, step;
    uint polls;
} newton_item;

/* A group's patch, for its iterations, and the patches whose sums it adds. */
typedef struct newton_group {
    uint number, item, own_count, shared_count, count; /* `count`: particles, ghosts included */
    uint element_count, near_count, copy_begin, copy_end, copies;
    float give;
} newton_group;

#define NEWTON_EACH_ELEMENT(s, e) \
    for (uint s = 0, e = group->item; s < NEWTON_ELEMENTS_EACH; s++, e += WG) \
        if (e < group->element_count)
#define NEWTON_EACH_VERTEX(s, i, end) \
    for (uint s = 0, i = group->item; s < NEWTON_VERTICES_EACH; s++, i += WG) \
        if (i < (end))

CLOTH_FUNCTION newton_group newton_group_of(uint number, cloth_newton_view view, uint item)
{
    cloth_newton_patch patch = cloth_newton_patch_at(number, view.words);
    newton_group group = {number, item, patch.own_count, patch.shared_count,
        patch.own_count + patch.ghost_count, patch.element_count, patch.near_count,
        patch.copy_begin, patch.copy_end, patch.copies,
        cloth_stiffness_at(view.steps, view.launch.substep)};
    return group;
}

/* The patch's record, read where it is needed. */
CLOTH_FUNCTION cloth_newton_patch newton_patch_of(const newton_group *group, cloth_newton_view view)
{
    return cloth_newton_patch_at(group->number, view.words);
}

/* True if a patch has a part in the group's system. */
CLOTH_FUNCTION uint newton_has_part(const newton_group *group, uint patch)
{
    return patch >= group->copy_begin && patch < group->copy_end &&
           (patch - group->copy_begin) % group->copies == 0u;
}

/* ---- exchanges of an iteration ---- */

/* All legs in one launch: the exchanged float4 are packets, whose w is the number of the leg that
 * sent them, so no barrier is needed. The groups of single legs have other launches between. */
#define NEWTON_PACKETS (JOINT && HED_HAS_PACKETS)

/* Half of the arrays to which a leg publishes. */
CLOTH_FUNCTION uint newton_half(uint leg) { return leg & 1u; }

/* Values of a half at the particles' places. */
CLOTH_FUNCTION __global float4 *newton_sent(cloth_newton_view view, uint half_at)
{
    return view.sent + half_at * view.launch.patches * CLOTH_NEWTON_OWN;
}

CLOTH_FUNCTION void newton_send(__global float4 *at, float4 value, uint leg)
{
#if NEWTON_PACKETS
    hed_packet_put(
        (__global uint4 *)at, hed_u4(as_uint(value.x), as_uint(value.y), as_uint(value.z), leg));
#else
    (void)leg;
    *at = value;
#endif
}

CLOTH_FUNCTION float4 newton_receive(__global const float4 *at)
{
#if NEWTON_PACKETS
    uint4 packet = hed_packet_get((__global const uint4 *)at);
    return hed_f4(as_float(packet.x), as_float(packet.y), as_float(packet.z), as_float(packet.w));
#else
    return *at;
#endif
}

/* True if a received value is not of the leg. */
CLOTH_FUNCTION uint newton_is_late(float4 value, uint leg)
{
#if NEWTON_PACKETS
    return as_uint(value.w) != leg;
#else
    (void)value;
    (void)leg;
    return 0u;
#endif
}

/* Clears the numbers of the legs, which the last launch left. */
CLOTH_FUNCTION void newton_clear(const newton_group *group, cloth_newton_view view)
{
    float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    for (uint half_at = 0; half_at < 2u; half_at++) {
        for (uint k = group->item; k < 2u; k += WG)
            view.sums[2u * (half_at * view.launch.patches + group->number) + k] = zero;
        for (uint i = group->item; i < group->shared_count; i += WG)
            newton_sent(view, half_at)[group->number * CLOTH_NEWTON_OWN + i] = zero;
    }
}

/* ---- bending ---- */

/* Elements that bend are taken into local memory, and three items move one, each a coordinate:
 * colours are small, and the coordinates do not depend on each other. */

CLOTH_FUNCTION void newton_bend_store(const cloth_bend_item *of, __local float *to)
{
    to[0] = as_float(of->corners);
    to[1] = as_float(of->beyond);
    for (uint k = 0; k < 18u; k++) to[2u + k] = of->weights[k / 6u][k % 6u];
    for (uint k = 0; k < 3u; k++) {
        to[20u + k] = of->inverse[k];
        to[23u + k] = of->between[k];
    }
}

/* Moves a coordinate of the particles of an element, as cloth_bend_patch() does. Everything is
 * loaded before the first store, behind which a compiler may not move a load. */
CLOTH_FUNCTION void newton_bend_move(
    __local const float *of, uint coordinate, __local float *places)
{
    uint corners = as_uint(of[0]), beyond = as_uint(of[1]), at[6];
    float origin = places[4u * (corners & 1023u) + coordinate], place[6], mass[6], curve[3],
          weights[18], others[6];
    for (uint k = 0; k < 18u; k++) weights[k] = of[2u + k];
    for (uint k = 0; k < 6u; k++) {
        others[k] = of[20u + k];
        at[k] = 4u * cloth_bend_particle(k, corners, beyond);
        place[k] = places[at[k] + coordinate];
        mass[k] = places[at[k] + 3u];
    }
    for (uint m = 0; m < 3u; m++) {
        curve[m] = 0.0f;
        for (uint k = 0; k < 6u; k++)
            curve[m] = fma(weights[6u * m + k], place[k] - origin, curve[m]);
    }
    float first = curve[0] * others[0], second = fma(others[3], first, curve[1]) * others[1],
          third = fma(others[4], first, fma(others[5], second, curve[2])) * others[2];
    for (uint k = 0; k < 6u; k++) {
        float to =
            fma(mass[k] * weights[k], first, fma(mass[k] * weights[6u + k], second, place[k]));
        if (mass[k] > 0.0f) places[at[k] + coordinate] = fma(mass[k] * weights[12u + k], third, to);
    }
}

/* Bends the patch with its two rings of ghosts, colour by colour. */
CLOTH_INLINE void newton_bend(
    const newton_group *group, cloth_newton_view view, __local float4 *memory)
{
    cloth_element_patches_view bends;
    bends.from = view.position;
    bends.to = view.moved;
    bends.tables = view.tables;
    bends.steps = view.steps;
    bends.pulled = 0;
    bends.at = view.launch.patched;
    bends.substep = view.launch.substep;
    bends.second = 0;
    cloth_patch_at patch = cloth_patch_of(group->number, bends);
    __local uint *ends = (__local uint *)(memory + CLOTH_NEWTON_BEND_ENDS);
    __local float *places = (__local float *)memory,
                  *masses = (__local float *)(memory + CLOTH_NEWTON_BEND_MASSES),
                  *elements = (__local float *)(memory + CLOTH_NEWTON_BEND_ITEMS);
    for (uint i = group->item; i <= patch.bend_colours; i += WG)
        ends[i] =
            cloth_patch_word(bends.at.ends + patch.ends + patch.strain_colours + 1u + i, bends);
    for (uint i = group->item; i < patch.own_count + patch.ghost_count; i += WG) {
        float4 at = bends.from[cloth_patch_member(i, patch, bends)];
        memory[i] = at;
        masses[i] = at.w;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    CLOTH_ROLLED
    for (uint begin = ends[0]; begin < ends[patch.bend_colours]; begin += CLOTH_NEWTON_BENDS) {
        uint end = min(begin + CLOTH_NEWTON_BENDS, ends[patch.bend_colours]);
        CLOTH_ROLLED
        for (uint at = begin + group->item; at < end; at += WG) {
            cloth_bend_item of = cloth_bend_take(at, group->give, bends, masses);
            newton_bend_store(&of, elements + CLOTH_NEWTON_BEND_FLOATS * (at - begin));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        CLOTH_ROLLED
        for (uint c = 0; c < patch.bend_colours; c++) {
            uint low = max(ends[c], begin), high = min(ends[c + 1u], end);
            if (low >= high) continue;
            CLOTH_ROLLED
            for (uint at = group->item; at < 3u * (high - low); at += WG)
                newton_bend_move(
                    elements + CLOTH_NEWTON_BEND_FLOATS * (low - begin + at / 3u), at % 3u, places);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    CLOTH_ROLLED
    for (uint i = group->item; i < patch.own_count; i += WG) {
        uint particle = cloth_patch_member(i, patch, bends);
        bends.to[particle] =
            view.launch.bodies ? newton_meet(particle, memory[i], view) : memory[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* ---- sums over the elements at a particle ---- */

/* Stores the vectors of an element at its corners. */
CLOTH_FUNCTION void newton_store(newton_memory m, uint element, cloth_newton_pair pair)
{
    float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    m.forces[element] = cloth_add_both(zero, -1.0f, pair.second, -1.0f, pair.third);
    m.forces[CLOTH_NEWTON_ELEMENTS + element] = pair.second;
    m.forces[2u * CLOTH_NEWTON_ELEMENTS + element] = pair.third;
}

/* Position of a corner's vector in `forces`. */
CLOTH_FUNCTION uint newton_at(uint corner)
{
    return (corner >> 10) * CLOTH_NEWTON_ELEMENTS + (corner & 1023u);
}

CLOTH_FUNCTION newton_fan newton_fan_of(newton_memory m, uint own)
{
    newton_fan fan;
    uint begin = m.ends[own], end = m.ends[own + 1u];
    for (uint k = 0; k < NEWTON_FIRST; k++) {
        uint at = begin + k < end ? newton_at(m.corners[begin + k]) : CLOTH_NEWTON_NOTHING;
        fan.at[k / 2u] = k % 2u ? fan.at[k / 2u] | at << 16 : at;
    }
    return fan;
}

/* Sum of the vectors at an own particle. */
CLOTH_FUNCTION float4 newton_gather(newton_memory m, const newton_fan *fan, uint own)
{
    float4 parts[NEWTON_FIRST], sum;
    for (uint k = 0; k < NEWTON_FIRST; k++)
        parts[k] = m.forces[fan->at[k / 2u] >> 16u * (k % 2u) & 65535u];
    sum = parts[0];
    for (uint k = 1; k < NEWTON_FIRST; k++)
        sum =
            hed_f4(sum.x + parts[k].x, sum.y + parts[k].y, sum.z + parts[k].z, sum.w + parts[k].w);
    CLOTH_ROLLED
    for (uint k = m.ends[own] + NEWTON_FIRST; k < m.ends[own + 1u]; k++) {
        float4 part = m.forces[newton_at(m.corners[k])];
        sum = hed_f4(sum.x + part.x, sum.y + part.y, sum.z + part.z, sum.w + part.w);
    }
    return sum;
}

/* Sums the diagonal blocks of the own particles, four elements of the blocks and then two. */
CLOTH_INLINE void newton_diagonals(const newton_group *group, newton_memory m, newton_item *of)
{
    cloth_newton_block sums[NEWTON_VERTICES_EACH];
    for (uint pass = 0; pass < 2u; pass++) {
        NEWTON_EACH_ELEMENT(s, e)
        for (uint corner = 0; corner < 3u; corner++) {
            cloth_newton_block b = cloth_newton_diagonal(&of->elements[s], corner);
            m.forces[corner * CLOTH_NEWTON_ELEMENTS + e] =
                pass ? hed_f4(b.yz, b.zz, 0.0f, 0.0f) : hed_f4(b.xx, b.xy, b.xz, b.yy);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        NEWTON_EACH_VERTEX(s, i, group->own_count)
        {
            float4 sum = newton_gather(m, &of->fans[s], i);
            if (pass) sums[s].yz = sum.x, sums[s].zz = sum.y;
            else sums[s].xx = sum.x, sums[s].xy = sum.y, sums[s].xz = sum.z, sums[s].yy = sum.w;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    NEWTON_EACH_VERTEX(s, i, group->own_count)
    cloth_newton_set_block(&of->vertices[s], sums[s]);
}

/* ---- the matrix ---- */

/* Loads the tables, the positions after bending, the elements, and masses and slots of the
 * particles. */
CLOTH_INLINE void newton_load(
    const newton_group *group, cloth_newton_view view, newton_memory m, newton_item *of)
{
    __local uint *corners = (__local uint *)m.corners;
    uint words = (view.words[newton_patch_of(group, view).ends + group->own_count] + 1u) / 2u;
    CLOTH_ROLLED
    for (uint i = group->item; i <= group->own_count; i += WG)
        m.ends[i] = view.words[newton_patch_of(group, view).ends + i];
    CLOTH_ROLLED
    for (uint i = group->item; i < words; i += WG)
        corners[i] = view.words[newton_patch_of(group, view).corners + i];
    NEWTON_EACH_VERTEX(s, i, group->count)
    {
        uint member = view.words[newton_patch_of(group, view).members + i];
        float4 at = view.moved[cloth_newton_particle(member)];
        m.places[i] = at;
        of->vertices[s].mass = at.w > 0.0f ? 1.0f / at.w : 0.0f;
        of->vertices[s].place =
            (member & ~((1u << CLOTH_NEWTON_SLOT_BITS) - 1u)) |
            (i < group->own_count
                    ? group->number * CLOTH_NEWTON_OWN + i
                    : view.words[newton_patch_of(group, view).sources + i - group->own_count]);
    }
    if (group->item == 0u) m.forces[CLOTH_NEWTON_NOTHING] = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    NEWTON_EACH_VERTEX(s, i, group->own_count) of->fans[s] = newton_fan_of(m, i);
    NEWTON_EACH_ELEMENT(s, e)
    of->elements[s] =
        cloth_newton_take(e, newton_patch_of(group, view), group->give, view.words, m.places);
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Terms of the sums over the own particles: mass and residual in the leg of the matrix; else r u,
 * w u and w. */
typedef struct newton_terms {
    float of[CLOTH_NEWTON_SUMS];
} newton_terms;

CLOTH_FUNCTION newton_terms newton_terms_of(const cloth_newton_vertex *v, uint leg)
{
    uint begins = leg == CLOTH_NEWTON_MATRIX;
    float4 sent = begins ? v->residual : v->image;
    newton_terms terms = {{begins ? 0.0f : cloth_inner(v->residual, v->step),
        begins ? v->mass : cloth_inner(v->image, v->step), sent.x, sent.y, sent.z}};
    return terms;
}

#if HED_HAS_LANES
#define NEWTON_CHUNKS (CLOTH_NEWTON_OWN / 32u) /* sums of 32 lanes each in a row of `values` */
#else
#define NEWTON_CHUNKS CLOTH_NEWTON_OWN
#endif

#if HED_HAS_LANES
/* Sums of the terms over 32 lanes, as the tree of newton_tree(). With each step a lane goes on
 * with fewer of them: lanes 0, 2 and 4 return the first three sums, lanes 1 and 3 the others. */
CLOTH_FUNCTION float newton_lane_sum(newton_terms terms, uint lane)
{
    uint is_odd = lane & 1u, has_second = lane & 2u, has_third = !is_odd && !has_second;
    const float *of = terms.of;
    float first = hed_lane_xor(is_odd ? of[0] : of[3], 1u),
          second = hed_lane_xor(is_odd ? of[1] : of[4], 1u),
          third = hed_lane_xor(of[2], 1u) + of[2];
    first += is_odd ? of[3] : of[0];
    second += is_odd ? of[4] : of[1];
    float sum = hed_lane_xor(has_second ? first : second, 2u) + (has_second ? second : first);
    third += hed_lane_xor(third, 2u);
    float other = hed_lane_xor(has_third && !(lane & 4u) ? third : sum, 4u);
    sum = other + (has_third && (lane & 4u) ? third : sum);
    sum += hed_lane_xor(sum, 8u);
    return sum + hed_lane_xor(sum, 16u);
}
#endif

/* Sums the terms of a leg into the first value of each row of `m.values`, as fixed trees; with
 * lanes into eight values. */
CLOTH_FUNCTION void newton_sum_terms(
    const newton_group *group, newton_memory m, const newton_item *of, uint leg)
{
    for (uint s = 0, i = group->item; s < NEWTON_VERTICES_EACH; s++, i += WG) {
        newton_terms terms = {{0.0f, 0.0f, 0.0f, 0.0f, 0.0f}};
        if (i / 32u >= CLOTH_NEWTON_OWN / 32u) break;
        if (i < group->own_count) terms = newton_terms_of(&of->vertices[s], leg);
#if HED_HAS_LANES
        uint lane = i % 32u, row = lane % 2u ? 3u + lane / 2u : lane / 2u;
        float sum = newton_lane_sum(terms, lane);
        if (lane < CLOTH_NEWTON_SUMS) m.values[row * NEWTON_CHUNKS + i / 32u] = sum;
#else
        for (uint row = 0; row < CLOTH_NEWTON_SUMS; row++)
            m.values[row * NEWTON_CHUNKS + i] = terms.of[row];
#endif
    }
#if HED_HAS_LANES
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    newton_tree(m.values, CLOTH_NEWTON_SUMS, CLOTH_NEWTON_OWN, group->item);
#endif
}

CLOTH_FUNCTION float newton_sum(newton_memory m, uint row)
{
    __local const float *of = m.values + row * NEWTON_CHUNKS;
#if HED_HAS_LANES
    return ((of[0] + of[1]) + (of[2] + of[3])) + ((of[4] + of[5]) + (of[6] + of[7]));
#else
    return of[0];
#endif
}

/* Publishes the sums of a leg. */
CLOTH_FUNCTION void newton_publish_sums(const newton_group *group, cloth_newton_view view,
    newton_memory m, const newton_item *of, uint leg)
{
    __global float4 *to = view.sums + 2u * (newton_half(leg) * view.launch.patches + group->number);
    newton_sum_terms(group, m, of, leg);
    for (uint k = group->item; k < 2u; k += WG)
        newton_send(to + k,
            k ? hed_f4(newton_sum(m, 2u), newton_sum(m, 3u), newton_sum(m, 4u), 0.0f)
              : hed_f4(newton_sum(m, 0u), newton_sum(m, 1u), 0.0f, 0.0f),
            leg);
}

/* Makes the matrix: residual, contact and diagonal blocks of own particles. */
CLOTH_INLINE void newton_matrix(
    const newton_group *group, cloth_newton_view view, newton_memory m, newton_item *of)
{
    NEWTON_EACH_ELEMENT(s, e) newton_store(m, e, cloth_newton_force(&of->elements[s]));
    barrier(CLK_LOCAL_MEM_FENCE);
    NEWTON_EACH_VERTEX(s, i, group->own_count)
    {
        cloth_newton_vertex *v = &of->vertices[s];
        float4 contact = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
        uint member = newton_patch_of(group, view).members + i;
        if (view.launch.bodies) contact = view.contacts[cloth_newton_particle(view.words[member])];
        v->residual = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
        if (v->mass > 0.0f) v->residual = cloth_scaled(newton_gather(m, &of->fans[s], i), -1.0f);
        v->normal = newton_held(contact, v);
        v->residual = cloth_newton_along(v->normal, v->residual);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    newton_diagonals(group, m, of);
    NEWTON_EACH_VERTEX(s, i, group->own_count)
    {
        cloth_newton_vertex *v = &of->vertices[s];
        uint place = cloth_newton_particle(v->place);
        newton_sent(view, newton_half(CLOTH_NEWTON_MATRIX))[place] = v->residual;
        view.diagonals[3u * place] = v->inverse;
        view.diagonals[3u * place + 1u] = hed_f4(v->inverse_yz, v->inverse_zz, 0.0f, 0.0f);
        view.diagonals[3u * place + 2u] = v->normal;
    }
    newton_publish_sums(group, view, m, of, CLOTH_NEWTON_MATRIX);
}

/* ---- an iteration ---- */

/* Begins the iterations: the ghosts' residuals and blocks, and the coarse residual. */
CLOTH_INLINE void newton_begin(
    const newton_group *group, cloth_newton_view view, newton_memory m, newton_item *of)
{
    float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    uint half_at = newton_half(CLOTH_NEWTON_MATRIX);
    NEWTON_EACH_VERTEX(s, i, group->count)
    {
        cloth_newton_vertex *v = &of->vertices[s];
        uint place = cloth_newton_particle(v->place);
        v->residual = newton_sent(view, half_at)[place];
        v->inverse = view.diagonals[3u * place];
        float4 others = view.diagonals[3u * place + 1u];
        v->inverse_yz = others.x;
        v->inverse_zz = others.y;
        v->normal = view.diagonals[3u * place + 2u];
        v->search = v->search_image = v->moved = zero;
    }
    for (uint i = group->item; i < CLOTH_NEWTON_SHIFTS; i += WG) m.shifts[i] = m.images[i] = 0.0f;
    for (uint k = group->item; k < CLOTH_NEWTON_PATCHES; k += WG)
        newton_put_coarse(m, k,
            newton_has_part(group, k) ? view.sums[2u * (half_at * view.launch.patches + k) + 1u]
                                      : zero);
    of->length = of->step = 0.0f;
    of->polls = 0u;
    barrier(CLK_LOCAL_MEM_FENCE);
    newton_shift(m, group->near_count, -1.0f, 0.0f, group->item);
}

/* Sums r u and w u over the patches of the system as fixed trees. */
CLOTH_FUNCTION float4 newton_dots(newton_memory m, const float4 *sums, uint item)
{
#if HED_HAS_LANES
    __local float *values =
        m.values + CLOTH_NEWTON_SUMS * NEWTON_CHUNKS; /* others still read the sums */
    if (item < CLOTH_NEWTON_PATCHES) {
        float length = sums[0].x, across = sums[0].y;
        for (uint lane = 1; lane < 32u; lane *= 2u) {
            length += hed_lane_xor(length, lane);
            across += hed_lane_xor(across, lane);
        }
        if (item % 32u == 0u) {
            values[item / 32u] = length;
            values[4u + item / 32u] = across;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return hed_f4((values[0] + values[1]) + (values[2] + values[3]),
        (values[4] + values[5]) + (values[6] + values[7]), 0.0f, 0.0f);
#else
    for (uint s = 0, patch = item; s < NEWTON_PATCHES_EACH; s++, patch += WG) {
        if (patch >= CLOTH_NEWTON_PATCHES) break;
        m.values[patch] = sums[s].x;
        m.values[CLOTH_NEWTON_PATCHES + patch] = sums[s].y;
    }
    newton_tree(m.values, 2u, CLOTH_NEWTON_PATCHES, item);
    float4 sum = hed_f4(m.values[0], m.values[CLOTH_NEWTON_PATCHES], 0.0f, 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE); /* others use the values next */
    return sum;
#endif
}

/* Ends an iteration with the results of the groups of its system, which the leg before published. */
CLOTH_INLINE void newton_update(
    const newton_group *group, cloth_newton_view view, newton_memory m, newton_item *of, uint leg)
{
    uint half_at = newton_half(leg - 1u), is_first = leg == CLOTH_NEWTON_ITERATE + 1u, late;
    __global const float4 *sums = view.sums + 2u * half_at * view.launch.patches;
    float4 dots[NEWTON_PATCHES_EACH], images[NEWTON_PATCHES_EACH];
    do {
        late = 0;
        for (uint s = 0, patch = group->item; s < NEWTON_PATCHES_EACH; s++, patch += WG) {
            dots[s] = images[s] = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
            if (!newton_has_part(group, patch)) continue;
            dots[s] = newton_receive(sums + 2u * patch);
            images[s] = newton_receive(sums + 2u * patch + 1u);
            late |= newton_is_late(dots[s], leg - 1u) | newton_is_late(images[s], leg - 1u);
        }
        NEWTON_EACH_VERTEX(s, i, group->count)
        {
            cloth_newton_vertex *v = &of->vertices[s];
            if (i < group->own_count) continue;
            v->image = newton_receive(newton_sent(view, half_at) + cloth_newton_particle(v->place));
            late |= newton_is_late(v->image, leg - 1u);
        }
    } while (late && ++of->polls < CLOTH_NEWTON_POLLS);
    for (uint s = 0, patch = group->item; s < NEWTON_PATCHES_EACH; s++, patch += WG)
        if (patch < CLOTH_NEWTON_PATCHES) newton_put_coarse(m, patch, images[s]);
    float4 total = newton_dots(m, dots, group->item);
    float length = total.x, across = total.y, beta = is_first ? 0.0f : length / of->length,
          step = length / (is_first ? across : across - beta * length / of->step);
    /* a residual of zero, or one that rounding has spoilt: the rest of the iterations change nothing */
    if (!(length > 1e-30f) || !(fabs(step) < 1e30f)) step = beta = 0.0f;
    of->length = length;
    of->step = step;
    NEWTON_EACH_VERTEX(s, i, group->count) cloth_newton_update(&of->vertices[s], step, beta);
    newton_shift(m, group->near_count, step, beta, group->item);
}

/* Preconditions the residual and multiplies the result by A; publishes the image and the sums. */
CLOTH_INLINE void newton_multiply(
    const newton_group *group, cloth_newton_view view, newton_memory m, newton_item *of, uint leg)
{
    NEWTON_EACH_VERTEX(s, i, group->count)
    {
        cloth_newton_vertex *v = &of->vertices[s];
        __local const float *shift = m.shifts + 3u * cloth_newton_slot(v->place);
        float part = v->mass > 0.0f ? 1.0f : 0.0f;
        v->step = cloth_shift(cloth_newton_step(v), part,
            cloth_newton_along(v->normal, hed_f4(shift[0], shift[1], shift[2], 0.0f)));
        m.places[i] = v->step;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    NEWTON_EACH_ELEMENT(s, e)
    {
        const cloth_newton_element *element = &of->elements[s];
        newton_store(m, e,
            cloth_newton_multiply(element, m.places[cloth_newton_corner(element->corners, 0u)],
                m.places[cloth_newton_corner(element->corners, 1u)],
                m.places[cloth_newton_corner(element->corners, 2u)]));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    NEWTON_EACH_VERTEX(s, i, group->own_count)
    {
        cloth_newton_vertex *v = &of->vertices[s];
        float4 image = cloth_shift(newton_gather(m, &of->fans[s], i), v->mass, v->step);
        if (!(v->mass > 0.0f)) image = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
        v->image = image = cloth_newton_along(v->normal, image);
        if (i < group->shared_count)
            newton_send(
                newton_sent(view, newton_half(leg)) + cloth_newton_particle(v->place), image, leg);
    }
    newton_publish_sums(group, view, m, of, leg);
}

/* Moves the own particles. A last translation of the patches makes the residual's sum over the mesh
 * 0, as the coarse matrix resists no common translation, so that cloth which nothing holds keeps its
 * momentum: forces between particles have no sum. */
CLOTH_INLINE void newton_end(
    const newton_group *group, cloth_newton_view view, newton_memory m, const newton_item *of)
{
    float4 shift = hed_f4(m.shifts[0], m.shifts[1], m.shifts[2], 0.0f);
    NEWTON_EACH_VERTEX(s, i, group->own_count)
    {
        const cloth_newton_vertex *v = &of->vertices[s];
        uint particle = cloth_newton_particle(view.words[newton_patch_of(group, view).members + i]);
        float4 moved = cloth_shift(
            v->moved, v->mass > 0.0f ? 1.0f : 0.0f, cloth_newton_along(v->normal, shift));
        if (view.launch.bodies) view.contacts[particle] = moved;
        view.position[particle] = cloth_shift(view.moved[particle], 1.0f, moved);
    }
}

/* ---- legs ---- */

#if !JOINT
/* Copies the state between a group and memory, which keeps it from launch to launch. */
CLOTH_FUNCTION void newton_keep(const newton_group *group, cloth_newton_view view, newton_memory m,
    newton_item *of, uint stores)
{
    __global cloth_newton_vertex *kept = view.kept + group->number * CLOTH_NEWTON_LOCAL;
    __global float *coarse = view.coarse + group->number * CLOTH_NEWTON_KEPT;
    NEWTON_EACH_VERTEX(s, i, group->count)
    {
        if (stores) kept[i] = of->vertices[s];
        else of->vertices[s] = kept[i];
    }
    CLOTH_ROLLED
    for (uint i = group->item; i < 2u * CLOTH_NEWTON_SHIFTS; i += WG)
        if (stores) coarse[i] = m.shifts[i];
        else m.shifts[i] = coarse[i];
    if (!stores) {
        of->length = coarse[2u * CLOTH_NEWTON_SHIFTS];
        of->step = coarse[2u * CLOTH_NEWTON_SHIFTS + 1u];
    } else if (group->item == 0u) {
        coarse[2u * CLOTH_NEWTON_SHIFTS] = of->length;
        coarse[2u * CLOTH_NEWTON_SHIFTS + 1u] = of->step;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
#endif

/* Runs a leg. */
CLOTH_INLINE void newton_leg(const newton_group *group, cloth_newton_view view,
    __local float4 *memory, newton_item *of, uint leg)
{
    newton_memory m = newton_memory_of(memory);
    uint last = CLOTH_NEWTON_LEGS(view.launch.iterations) - 1u;
    if (leg == CLOTH_NEWTON_BEND) {
#if NEWTON_PACKETS
        newton_clear(group, view);
#endif
        newton_bend(group, view, memory);
        return;
    }
    if (leg == (JOINT ? CLOTH_NEWTON_MATRIX : view.launch.begin))
        newton_load_rows(newton_patch_of(group, view), view, m, group->item);
    if ((!JOINT && leg == view.launch.begin) || leg == CLOTH_NEWTON_MATRIX)
        newton_load(group, view, m, of);
    if (leg == CLOTH_NEWTON_MATRIX) {
        newton_matrix(group, view, m, of);
        return;
    }
#if !JOINT
    if (leg > CLOTH_NEWTON_ITERATE) newton_keep(group, view, m, of, 0u);
#endif
    if (leg == CLOTH_NEWTON_ITERATE) newton_begin(group, view, m, of);
    else newton_update(group, view, m, of, leg);
    if (leg == last) newton_end(group, view, m, of);
    else newton_multiply(group, view, m, of, leg);
#if !JOINT
    newton_keep(group, view, m, of, 1u);
#endif
}

#endif
