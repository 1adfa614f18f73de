/* Legs of Newton's method by a group, which has a patch; its items have elements and particles in
 * registers. Text of a group, after newton_contact.h and newton_exchange.h; C includes it as a group
 * of one item, whose legs are inlined: functions of their own would not have the processor's fma. */
#ifndef CLOTH_NEWTON_GROUP_H
#define CLOTH_NEWTON_GROUP_H

/* Maximum number of an item's elements and particles, which are WG apart. */
#define NEWTON_ELEMENTS_EACH ((CLOTH_NEWTON_ELEMENTS + WG - 1u) / WG)
#define NEWTON_VERTICES_EACH ((CLOTH_NEWTON_LOCAL + WG - 1u) / WG)

#define NEWTON_PATCHES_EACH ((CLOTH_NEWTON_PATCHES + WG - 1u) / WG)
#define NEWTON_PART_WORDS ((NEWTON_PATCHES_EACH + 31u) / 32u)

/* Positions of the first vectors of an own particle in `forces`, two in each word;
 * CLOTH_NEWTON_NOTHING after its last one. */
#define NEWTON_FIRST 8u
typedef struct newton_fan {
    uint at[NEWTON_FIRST / 2u];
} newton_fan;

/* State of an item. `length`: r u of the last iteration; `step`: its factor; `parts`:
 * newton_has_part(). */
typedef struct newton_item {
    cloth_newton_element elements[NEWTON_ELEMENTS_EACH];
    cloth_newton_vertex vertices[NEWTON_VERTICES_EACH];
    newton_fan fans[NEWTON_VERTICES_EACH];
    float length, step;
    uint parts[NEWTON_PART_WORDS];
} newton_item;

/* A group's patch, for its iterations. */
typedef struct newton_group {
    uint number, item, own_count, shared_count, count; /* `count`: particles, ghosts included */
    uint element_count, near_count;
    float give;
} newton_group;

#define NEWTON_EACH_ELEMENT(s, e) \
    for (uint s = 0, e = group->item; s < NEWTON_ELEMENTS_EACH; s++, e += WG) \
        if (e < group->element_count)
#define NEWTON_EACH_VERTEX(s, i, end) \
    for (uint s = 0, i = group->item; s < NEWTON_VERTICES_EACH; s++, i += WG) \
        if (i < (end))

#define NEWTON_EACH_PATCH(s, patch, item) \
    for (uint s = 0, patch = item; s < NEWTON_PATCHES_EACH; s++, patch += WG) \
        if (patch < CLOTH_NEWTON_PATCHES)

CLOTH_FUNCTION newton_group newton_group_of(uint number, cloth_newton_view view, uint item)
{
    cloth_newton_patch patch = cloth_newton_patch_at(number, view.words);
    newton_group group = {number, item, patch.own_count, patch.shared_count,
        patch.own_count + patch.ghost_count, patch.element_count, patch.near_count,
        cloth_stiffness_at(view.steps, view.launch.substep)};
    return group;
}

/* The group as one that the compiler does not know: it computes a leg's addresses in that leg, and
 * does not keep them in registers through the other legs and substeps. */
CLOTH_FUNCTION newton_group newton_anew(newton_group group)
{
#if NEWTON_PACKETS
    asm volatile("" : "+r"(group.number), "+r"(group.item));
#endif
    return group;
}

/* The patch's record, read where it is needed. */
CLOTH_FUNCTION cloth_newton_patch newton_patch_of(const newton_group *group, cloth_newton_view view)
{
    return cloth_newton_patch_at(group->number, view.words);
}

/* True if the item's patch s, of those WG apart, has a part in the group's system. */
CLOTH_FUNCTION uint newton_has_part(const newton_item *of, uint s)
{
    return of->parts[s / 32u] >> s % 32u & 1u;
}

CLOTH_FUNCTION void newton_find_parts(newton_item *of, cloth_newton_patch patch, uint item)
{
    for (uint k = 0; k < NEWTON_PART_WORDS; k++) of->parts[k] = 0u;
    NEWTON_EACH_PATCH(s, k, item)
    if (k >= patch.copy_begin && k < patch.copy_end && (k - patch.copy_begin) % patch.copies == 0u)
        of->parts[s / 32u] |= 1u << s % 32u;
}

#if NEWTON_PACKETS
/* Clears the packets of the last substep. */
CLOTH_FUNCTION void newton_clear(const newton_group *group, cloth_newton_view view)
{
    float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    CLOTH_ROLLED
    for (uint k = group->item; k < 4u * NEWTON_COPIES; k += WG)
        newton_sums(view, NEWTON_OF_STEP, k, k / 4u)[2u * group->number + k / 2u % 2u] = zero;
    CLOTH_ROLLED
    for (uint i = group->item; i < 2u * group->shared_count; i += WG)
        newton_sent(view, i % 2u)[group->number * CLOTH_NEWTON_OWN + i / 2u] = zero;
}
#endif

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
    CLOTH_ROLLED
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
    CLOTH_ROLLED
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

/* Loads the part that does not depend on bending: tables, rows of the coarse inverse, elements and
 * slots of the particles. */
CLOTH_INLINE void newton_load_tables(
    const newton_group *group, cloth_newton_view view, newton_memory m, newton_item *of)
{
    cloth_newton_patch patch = newton_patch_of(group, view);
    __local uint *corners = (__local uint *)m.corners;
    uint words = (view.words[patch.ends + group->own_count] + 1u) / 2u;
    NEWTON_EACH_ELEMENT(s, e) of->elements[s] = cloth_newton_read(e, patch, view.words);
    NEWTON_EACH_VERTEX(s, i, group->count)
    {
        uint member = view.words[patch.members + i];
        of->vertices[s].place =
            (member & ~((1u << CLOTH_NEWTON_SLOT_BITS) - 1u)) |
            (i < group->own_count ? group->number * CLOTH_NEWTON_OWN + i
                                  : view.words[patch.sources + i - group->own_count]);
    }
    CLOTH_ROLLED
    for (uint i = group->item; i <= group->own_count; i += WG)
        m.ends[i] = view.words[patch.ends + i];
    CLOTH_ROLLED
    for (uint i = group->item; i < words; i += WG) corners[i] = view.words[patch.corners + i];
    if (group->item == 0u) m.forces[CLOTH_NEWTON_NOTHING] = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    newton_find_parts(of, patch, group->item);
    newton_load_rows(patch, view, m, group->item);
    NEWTON_EACH_VERTEX(s, i, group->own_count) of->fans[s] = newton_fan_of(m, i);
}

/* Loads the positions after bending, and makes the elements. */
CLOTH_INLINE void newton_load(
    const newton_group *group, cloth_newton_view view, newton_memory m, newton_item *of)
{
    NEWTON_EACH_VERTEX(s, i, group->count)
    {
        uint member = view.words[newton_patch_of(group, view).members + i];
        float4 at = view.moved[cloth_newton_particle(member)];
        m.places[i] = at;
        of->vertices[s].mass = at.w > 0.0f ? 1.0f / at.w : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    NEWTON_EACH_ELEMENT(s, e) cloth_newton_place(&of->elements[s], group->give, m.places);
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Terms of the sums over the own particles: r u, w u and w, or 0, 0 and the first r. */
typedef struct newton_terms {
    float of[CLOTH_NEWTON_SUMS];
} newton_terms;

CLOTH_FUNCTION newton_terms newton_terms_of(const cloth_newton_vertex *v, uint kind)
{
    uint is_step = kind == NEWTON_OF_STEP;
    float4 sent = is_step ? v->image : v->residual;
    newton_terms terms = {{is_step ? cloth_inner(v->residual, v->step) : 0.0f,
        is_step ? cloth_inner(v->image, v->step) : 0.0f, sent.x, sent.y, sent.z}};
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

/* Sums the terms into the first value of each row of `m.values`, as fixed trees; with lanes into
 * eight values. */
CLOTH_FUNCTION void newton_sum_terms(
    const newton_group *group, newton_memory m, const newton_item *of, uint kind)
{
    for (uint s = 0, i = group->item; s < NEWTON_VERTICES_EACH; s++, i += WG) {
        newton_terms terms = {{0.0f, 0.0f, 0.0f, 0.0f, 0.0f}};
        if (i / 32u >= CLOTH_NEWTON_OWN / 32u) break;
        if (i < group->own_count) terms = newton_terms_of(&of->vertices[s], kind);
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
    float4 a = ((__local const float4 *)of)[0], b = ((__local const float4 *)of)[1];
    return ((a.x + a.y) + (a.z + a.w)) + ((b.x + b.y) + (b.z + b.w));
#else
    return of[0];
#endif
}

/* Publishes the group's sums, products and then the vector's. */
CLOTH_FUNCTION void newton_publish_sums(const newton_group *group, cloth_newton_view view,
    newton_memory m, const newton_item *of, uint kind, uint leg)
{
    uint copies = kind == NEWTON_OF_STEP ? NEWTON_COPIES : 1u;
    newton_sum_terms(group, m, of, kind);
    CLOTH_ROLLED
    for (uint k = group->item; k < 2u * copies; k += WG) {
        uint row = k % 2u ? 2u : 0u;
        newton_send(newton_sums(view, kind, leg, k / 2u) + 2u * group->number + k % 2u,
            hed_f4(newton_sum(m, row), newton_sum(m, row + 1u), k % 2u ? newton_sum(m, 4u) : 0.0f,
                0.0f),
            leg);
    }
}

/* Multiplies the vector in `m.places` by A: images of the own particles. */
CLOTH_INLINE void newton_product(const newton_group *group, newton_memory m, newton_item *of)
{
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
        float4 image = cloth_shift(newton_gather(m, &of->fans[s], i), v->mass, m.places[i]);
        image = cloth_scaled(image, v->mass > 0.0f ? 1.0f : 0.0f);
        v->image = cloth_newton_along(v->normal, image);
    }
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
        const cloth_newton_vertex *v = &of->vertices[s];
        uint place = cloth_newton_particle(v->place);
        newton_sent(view, newton_half(CLOTH_NEWTON_MATRIX))[place] = v->residual;
        view.diagonals[3u * place] = v->inverse;
        view.diagonals[3u * place + 1u] = hed_f4(v->inverse_yz, v->inverse_zz, 0.0f, 0.0f);
        view.diagonals[3u * place + 2u] = v->normal;
    }
    newton_publish_sums(group, view, m, of, NEWTON_OF_RESIDUAL, CLOTH_NEWTON_MATRIX);
}

/* ---- an iteration ---- */

/* Receives the sums of all patches, and (`leg`: an iteration) the ghosts' images: products are in
 * `m.dots` then, vectors in `m.coarse`. */
CLOTH_INLINE void newton_take(const newton_group *group, cloth_newton_view view, newton_memory m,
    newton_item *of, uint kind, uint leg)
{
    uint polls = 0u;
    __global const float4 *sums = newton_sums(view, kind, leg, group->number % NEWTON_COPIES);
    NEWTON_EACH_PATCH(s, patch, group->item)
    {
        float4 dots = hed_f4(0.0f, 0.0f, 0.0f, 0.0f), vector = dots;
        uint late = newton_has_part(of, s);
        while (late) {
            dots = newton_receive(sums + 2u * patch);
            vector = newton_receive(sums + 2u * patch + 1u);
            late = kind == NEWTON_OF_STEP &&
                   (newton_is_late(dots, leg) | newton_is_late(vector, leg)) &&
                   ++polls < CLOTH_NEWTON_POLLS;
        }
        newton_put_coarse(m, patch, vector);
        m.dots[patch] = dots.x;
        m.dots[CLOTH_NEWTON_PATCHES + patch] = dots.y;
    }
    NEWTON_EACH_VERTEX(s, i, kind == NEWTON_OF_STEP ? group->count : 0u)
    {
        cloth_newton_vertex *v = &of->vertices[s];
        __global const float4 *sent =
            newton_sent(view, newton_half(leg)) + cloth_newton_particle(v->place);
        uint late = i >= group->own_count;
        while (late) {
            v->image = newton_receive(sent);
            late = newton_is_late(v->image, leg) && ++polls < CLOTH_NEWTON_POLLS;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Sums the products over the patches of the system as fixed trees. */
CLOTH_FUNCTION float4 newton_dots(newton_memory m, uint item)
{
#if HED_HAS_LANES
    __local const float4 *dots = (__local const float4 *)m.dots;
    float4 a = dots[item % 32u], b = dots[CLOTH_NEWTON_PATCHES / 4u + item % 32u];
    float first = (a.x + a.y) + (a.z + a.w), second = (b.x + b.y) + (b.z + b.w);
    for (uint lane = 1; lane < 32u; lane *= 2u) {
        first += hed_lane_xor(first, lane);
        second += hed_lane_xor(second, lane);
    }
    return hed_f4(first, second, 0.0f, 0.0f);
#else
    newton_tree(m.dots, 2u, CLOTH_NEWTON_PATCHES, item);
    float4 sum = hed_f4(m.dots[0], m.dots[CLOTH_NEWTON_PATCHES], 0.0f, 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE); /* the memory has other values next */
    return sum;
#endif
}

/* Begins the iterations: the ghosts' residuals and blocks, and the coarse residual. */
CLOTH_INLINE void newton_begin(
    const newton_group *group, cloth_newton_view view, newton_memory m, newton_item *of)
{
    float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    uint half_at = newton_half(CLOTH_NEWTON_MATRIX);
    newton_take(group, view, m, of, NEWTON_OF_RESIDUAL, CLOTH_NEWTON_MATRIX);
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
    of->length = of->step = 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    newton_shift(m, group->near_count, -1.0f, 0.0f, group->item);
}

/* Ends an iteration with the results of the groups of its system, which the leg before published. */
CLOTH_INLINE void newton_update(
    const newton_group *group, cloth_newton_view view, newton_memory m, newton_item *of, uint leg)
{
    uint is_first = leg == CLOTH_NEWTON_ITERATE + 1u;
    newton_take(group, view, m, of, NEWTON_OF_STEP, leg - 1u);
    float4 total = newton_dots(m, group->item);
    float length = total.x, across = total.y, beta = is_first ? 0.0f : length / of->length,
          step = length / (is_first ? across : across - beta * length / of->step);
    /* a residual of zero, or one that rounding has spoilt: the rest of the iterations change nothing */
    if (!(length > 1e-30f) || !(fabs(step) < 1e30f)) step = beta = 0.0f;
    of->length = length;
    of->step = step;
    NEWTON_EACH_VERTEX(s, i, group->count) { cloth_newton_update(&of->vertices[s], step, beta); }
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
    newton_product(group, m, of);
    NEWTON_EACH_VERTEX(s, i, group->shared_count)
    {
        const cloth_newton_vertex *v = &of->vertices[s];
        newton_send(
            newton_sent(view, newton_half(leg)) + cloth_newton_particle(v->place), v->image, leg);
    }
    newton_publish_sums(group, view, m, of, NEWTON_OF_STEP, leg);
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

#if JOINT
/* Integrates the own particles. */
CLOTH_FUNCTION void newton_integrate(const newton_group *group, cloth_newton_view view)
{
    cloth_step step = cloth_step_at(view.steps, view.launch.substep);
    cloth_integrate_view integrate = {view.position, view.previous, view.carry, view.garments,
        view.air, 0, 0, view.driver_from, view.driver_to, view.driver_map, view.steps,
        view.launch.substep};
    CLOTH_ROLLED
    for (uint i = group->item; i < group->own_count; i += WG)
        cloth_integrate_one(
            cloth_newton_particle(view.words[newton_patch_of(group, view).members + i]), integrate,
            step);
}
#endif

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
#if NEWTON_PACKETS
    if (leg == CLOTH_NEWTON_BEND) newton_clear(group, view);
#endif
    if (leg == CLOTH_NEWTON_BEND) newton_bend(group, view, memory);
    /* all legs in one launch: before the meeting, during which the loads arrive */
    if (leg == (JOINT ? CLOTH_NEWTON_BEND : view.launch.leg)) {
        newton_group anew = newton_anew(*group);
        newton_load_tables(&anew, view, m, of);
    }
    if (leg == CLOTH_NEWTON_BEND) return;
    if (leg == (JOINT ? CLOTH_NEWTON_MATRIX : view.launch.leg)) newton_load(group, view, m, of);
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
