/* Legs of Newton's method by a group, which has a patch; its items have elements and particles in registers. Text of
 * a group, after newton_coarse.h; C includes it as a group of one item. */
#ifndef CLOTH_NEWTON_GROUP_H
#define CLOTH_NEWTON_GROUP_H

/* Maximum number of an item's elements and particles, which are WG apart. */
#define NEWTON_ELEMENTS_EACH ((CLOTH_NEWTON_ELEMENTS + WG - 1u) / WG)
#define NEWTON_VERTICES_EACH ((CLOTH_NEWTON_LOCAL + WG - 1u) / WG)

/* State of an item. `length`: r u of the last iteration; `step`: its factor. */
typedef struct newton_item {
    cloth_newton_element elements[NEWTON_ELEMENTS_EACH];
    cloth_newton_vertex vertices[NEWTON_VERTICES_EACH];
    float length, step;
} newton_item;

/* A group's patch. */
typedef struct newton_group {
    uint number, item, count; /* `count`: particles, ghosts included */
    float give;
    cloth_newton_patch patch;
} newton_group;

#define NEWTON_EACH_ELEMENT(s, e) \
    for (uint s = 0, e = group->item; s < NEWTON_ELEMENTS_EACH; s++, e += WG) \
        if (e < group->patch.element_count)
#define NEWTON_EACH_VERTEX(s, i, end) \
    for (uint s = 0, i = group->item; s < NEWTON_VERTICES_EACH; s++, i += WG) \
        if (i < (end))

CLOTH_FUNCTION newton_group newton_group_of(uint number, cloth_newton_view view, uint item)
{
    newton_group group;
    group.number = number;
    group.item = item;
    group.patch = cloth_newton_patch_at(number, view.words);
    group.count = group.patch.own_count + group.patch.ghost_count;
    group.give = cloth_stiffness_at(view.steps, view.launch.substep);
    return group;
}

CLOTH_FUNCTION uint newton_particle(const newton_group *group, cloth_newton_view view, uint i)
{
    return cloth_newton_particle(view.words[group->patch.members + i]);
}

/* ---- bending ---- */

/* Bends the patch with its two rings of ghosts, as `cloth_element_patches` does. */
CLOTH_FUNCTION void newton_bend(
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
    cloth_patch_at patch = cloth_patch_of(group->patch.bends, bends);
    __local uint *ends = (__local uint *)(memory + CLOTH_PATCH_ENDS);
    __local float *masses = (__local float *)(memory + CLOTH_PATCH_MASSES);
    CLOTH_ROLLED
    for (uint i = group->item; i < cloth_patch_ends(patch); i += WG)
        ends[i] = cloth_patch_word(bends.at.ends + patch.ends + i, bends);
    CLOTH_ROLLED
    for (uint i = group->item; i < patch.own_count + patch.ghost_count; i += WG) {
        float4 at = bends.from[cloth_patch_member(i, patch, bends)];
        memory[i] = at;
        masses[i] = at.w;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    patch_bend(patch.bend_colours, group->give, bends, group->item,
        ends + patch.strain_colours + 1u, masses, memory);
    CLOTH_ROLLED
    for (uint i = group->item; i < patch.own_count; i += WG)
        bends.to[cloth_patch_member(i, patch, bends)] = memory[i];
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* ---- sums over the elements at a particle ---- */

/* Stores two vectors of an element at its second and third corner. */
CLOTH_FUNCTION void newton_store(newton_memory m, uint element, cloth_newton_pair pair)
{
    m.forces[element] = pair.second;
    m.forces[CLOTH_NEWTON_ELEMENTS + element] = pair.third;
}

/* Sum of the vectors at an own particle. */
CLOTH_FUNCTION float4 newton_gather(newton_memory m, uint own)
{
    float4 sum = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    CLOTH_ROLLED
    for (uint k = m.ends[own]; k < m.ends[own + 1u]; k++) {
        uint element = m.corners[k] & 1023u, corner = (uint)m.corners[k] >> 10;
        float4 third = m.forces[CLOTH_NEWTON_ELEMENTS + element], second = m.forces[element];
        if (corner != 2u) sum = cloth_shift(sum, corner ? 1.0f : -1.0f, second);
        if (corner != 1u) sum = cloth_shift(sum, corner ? 1.0f : -1.0f, third);
    }
    return sum;
}

/* Sums the diagonal blocks of the own particles, the elements' corners one after another. */
CLOTH_FUNCTION void newton_diagonals(const newton_group *group, newton_memory m, newton_item *of)
{
    cloth_newton_block sums[NEWTON_VERTICES_EACH];
    for (uint s = 0; s < NEWTON_VERTICES_EACH; s++)
        sums[s].xx = sums[s].xy = sums[s].xz = sums[s].yy = sums[s].yz = sums[s].zz = 0.0f;
    CLOTH_ROLLED
    for (uint corner = 0; corner < 3u; corner++) {
        NEWTON_EACH_ELEMENT(s, e)
        {
            cloth_newton_block b = cloth_newton_diagonal(&of->elements[s], corner);
            m.forces[e] = hed_f4(b.xx, b.xy, b.xz, b.yy);
            m.forces[CLOTH_NEWTON_ELEMENTS + e] = hed_f4(b.yz, b.zz, 0.0f, 0.0f);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        NEWTON_EACH_VERTEX(s, i, group->patch.own_count)
        CLOTH_ROLLED
        for (uint k = m.ends[i]; k < m.ends[i + 1u]; k++) {
            uint element = m.corners[k] & 1023u;
            if ((uint)m.corners[k] >> 10 != corner) continue;
            float4 a = m.forces[element], b = m.forces[CLOTH_NEWTON_ELEMENTS + element];
            sums[s].xx += a.x;
            sums[s].xy += a.y;
            sums[s].xz += a.z;
            sums[s].yy += a.w;
            sums[s].yz += b.x;
            sums[s].zz += b.y;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    NEWTON_EACH_VERTEX(s, i, group->patch.own_count)
    cloth_newton_set_block(&of->vertices[s], sums[s]);
}

/* ---- the matrix ---- */

/* Loads the tables, the positions after bending, the elements, and masses and slots of the particles. */
CLOTH_FUNCTION void newton_load(
    const newton_group *group, cloth_newton_view view, newton_memory m, newton_item *of)
{
    __local uint *corners = (__local uint *)m.corners;
    uint words = (view.words[group->patch.ends + group->patch.own_count] + 1u) / 2u;
    CLOTH_ROLLED
    for (uint i = group->item; i <= group->patch.own_count; i += WG)
        m.ends[i] = view.words[group->patch.ends + i];
    CLOTH_ROLLED
    for (uint i = group->item; i < words; i += WG)
        corners[i] = view.words[group->patch.corners + i];
    NEWTON_EACH_VERTEX(s, i, group->count)
    {
        float4 at = view.moved[newton_particle(group, view, i)];
        m.places[i] = at;
        of->vertices[s].mass = at.w > 0.0f ? 1.0f / at.w : 0.0f;
        of->vertices[s].slot = cloth_newton_slot(view.words[group->patch.members + i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    NEWTON_EACH_ELEMENT(s, e)
    of->elements[s] = cloth_newton_take(e, group->patch, group->give, view.words, m.places);
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Publishes sums of a leg over own particles, rows `first` to CLOTH_NEWTON_SUMS of `m.values`. */
CLOTH_FUNCTION void newton_publish_sums(
    const newton_group *group, cloth_newton_view view, newton_memory m, uint first, uint leg)
{
    uint half_at = ((leg & 1u) * view.launch.patches + group->number) * CLOTH_NEWTON_SUMS;
    newton_tree(m.values + first * CLOTH_NEWTON_OWN, CLOTH_NEWTON_SUMS - first, CLOTH_NEWTON_OWN,
        group->item);
    for (uint row = first + group->item; row < CLOTH_NEWTON_SUMS; row += WG)
        view.sums[half_at + row] = m.values[row * CLOTH_NEWTON_OWN];
}

/* Clears the values after the own particles, which a sum over CLOTH_NEWTON_OWN adds. */
CLOTH_FUNCTION void newton_clear_values(const newton_group *group, newton_memory m)
{
    CLOTH_ROLLED
    for (uint i = group->item; i < CLOTH_NEWTON_SUMS * CLOTH_NEWTON_OWN; i += WG)
        if (i % CLOTH_NEWTON_OWN >= group->patch.own_count) m.values[i] = 0.0f;
}

/* Makes the matrix: residual and diagonal blocks of own particles, and blocks of the coarse matrix. */
CLOTH_FUNCTION void newton_matrix(
    const newton_group *group, cloth_newton_view view, newton_memory m, newton_item *of)
{
    newton_diagonals(group, m, of);
    NEWTON_EACH_ELEMENT(s, e) newton_store(m, e, cloth_newton_force(&of->elements[s]));
    newton_clear_values(group, m);
    barrier(CLK_LOCAL_MEM_FENCE);
    NEWTON_EACH_VERTEX(s, i, group->patch.own_count)
    {
        cloth_newton_vertex *v = &of->vertices[s];
        uint particle = newton_particle(group, view, i);
        v->residual = cloth_scaled(newton_gather(m, i), v->mass > 0.0f ? -1.0f : 0.0f);
        view.sent[(CLOTH_NEWTON_MATRIX & 1u) * view.launch.particles + particle] = v->residual;
        view.diagonals[2u * particle] = v->inverse;
        view.diagonals[2u * particle + 1u] = hed_f4(v->inverse_yz, v->inverse_zz, 0.0f, 0.0f);
        m.values[CLOTH_NEWTON_OWN + i] = v->mass;
        m.values[2u * CLOTH_NEWTON_OWN + i] = v->residual.x;
        m.values[3u * CLOTH_NEWTON_OWN + i] = v->residual.y;
        m.values[4u * CLOTH_NEWTON_OWN + i] = v->residual.z;
    }
    newton_publish_sums(group, view, m, 1u, CLOTH_NEWTON_MATRIX);
    if (view.launch.refreshes)
        newton_blocks(group->number, group->patch, view, m, group->give, m.values[CLOTH_NEWTON_OWN],
            group->item);
}

/* ---- an iteration ---- */

/* Begins the iterations: the ghosts' residuals and blocks, and the coarse residual. */
CLOTH_FUNCTION void newton_begin(
    const newton_group *group, cloth_newton_view view, newton_memory m, newton_item *of)
{
    float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    uint half_at = CLOTH_NEWTON_MATRIX & 1u;
    NEWTON_EACH_VERTEX(s, i, group->count)
    {
        cloth_newton_vertex *v = &of->vertices[s];
        uint particle = newton_particle(group, view, i);
        v->residual = view.sent[half_at * view.launch.particles + particle];
        v->inverse = view.diagonals[2u * particle];
        float4 others = view.diagonals[2u * particle + 1u];
        v->inverse_yz = others.x;
        v->inverse_zz = others.y;
        v->search = v->search_image = v->moved = zero;
    }
    CLOTH_ROLLED
    for (uint i = group->item; i < CLOTH_NEWTON_COARSE; i += WG) {
        uint at = (half_at * view.launch.patches + i / 3u) * CLOTH_NEWTON_SUMS + 2u + i % 3u;
        m.residual[i] = i < 3u * view.launch.patches ? view.sums[at] : 0.0f;
        m.image[i] = 0.0f;
    }
    of->length = of->step = 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Ends an iteration with the results of all groups, which the leg before published. */
CLOTH_FUNCTION void newton_update(
    const newton_group *group, cloth_newton_view view, newton_memory m, newton_item *of, uint leg)
{
    uint half_at = (leg - 1u) & 1u, is_first = leg == CLOTH_NEWTON_ITERATE + 1u;
    __global const float *sums = view.sums + half_at * view.launch.patches * CLOTH_NEWTON_SUMS;
    CLOTH_ROLLED
    for (uint i = group->item; i < 2u * CLOTH_NEWTON_PATCHES; i += WG) {
        uint patch = i % CLOTH_NEWTON_PATCHES, row = i / CLOTH_NEWTON_PATCHES;
        m.values[i] = patch < view.launch.patches ? sums[patch * CLOTH_NEWTON_SUMS + row] : 0.0f;
    }
    newton_tree(m.values, 2u, CLOTH_NEWTON_PATCHES, group->item);
    float length = m.values[0], across = m.values[CLOTH_NEWTON_PATCHES],
          beta = is_first ? 0.0f : length / of->length,
          step = length / (is_first ? across : across - beta * length / of->step);
    /* a residual of zero, or one that rounding has spoilt: the rest of the iterations change nothing */
    if (!(length > 1e-30f) || !(fabs(step) < 1e30f)) step = beta = 0.0f;
    of->length = length;
    of->step = step;
    CLOTH_ROLLED
    for (uint i = group->item; i < 3u * view.launch.patches; i += WG) {
        m.image[i] = fma(beta, m.image[i], sums[i / 3u * CLOTH_NEWTON_SUMS + 2u + i % 3u]);
        m.residual[i] = fma(-step, m.image[i], m.residual[i]);
    }
    NEWTON_EACH_VERTEX(s, i, group->count)
    {
        if (i >= group->patch.own_count)
            of->vertices[s].image =
                view.sent[half_at * view.launch.particles + newton_particle(group, view, i)];
        cloth_newton_update(&of->vertices[s], step, beta);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Multiplies the rows of the coarse inverse by the coarse residual: a translation of each slot. */
CLOTH_FUNCTION void newton_shift(const newton_group *group, newton_memory m)
{
    uint rows = 3u * group->patch.near_count;
    CLOTH_ROLLED
    for (uint at = group->item; at < 32u * rows; at += WG) {
        uint row = at / 32u, lane = at % 32u;
        float sum = 0.0f;
        for (uint i = lane; i < CLOTH_NEWTON_COARSE; i += 32u)
            sum = fma(m.rows[row * CLOTH_NEWTON_COARSE + i], m.residual[i], sum);
        m.values[at] = sum;
    }
    newton_tree(m.values, rows, 32u, group->item);
    for (uint row = group->item; row < rows; row += WG) m.shifts[row] = m.values[32u * row];
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Preconditions the residual and multiplies the result by A; publishes the image and the sums. */
CLOTH_FUNCTION void newton_multiply(
    const newton_group *group, cloth_newton_view view, newton_memory m, newton_item *of, uint leg)
{
    newton_shift(group, m);
    NEWTON_EACH_VERTEX(s, i, group->count)
    {
        cloth_newton_vertex *v = &of->vertices[s];
        __local const float *shift = m.shifts + 3u * v->slot;
        float part = v->mass > 0.0f ? view.launch.correction : 0.0f;
        v->step =
            cloth_shift(cloth_newton_step(v), part, hed_f4(shift[0], shift[1], shift[2], 0.0f));
        m.places[i] = v->step;
    }
    newton_clear_values(group, m);
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
    NEWTON_EACH_VERTEX(s, i, group->patch.own_count)
    {
        cloth_newton_vertex *v = &of->vertices[s];
        float4 image = cloth_shift(newton_gather(m, i), v->mass, v->step);
        if (!(v->mass > 0.0f)) image = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
        v->image = image;
        view.sent[(leg & 1u) * view.launch.particles + newton_particle(group, view, i)] = image;
        m.values[i] = cloth_inner(v->residual, v->step);
        m.values[CLOTH_NEWTON_OWN + i] = cloth_inner(image, v->step);
        m.values[2u * CLOTH_NEWTON_OWN + i] = image.x;
        m.values[3u * CLOTH_NEWTON_OWN + i] = image.y;
        m.values[4u * CLOTH_NEWTON_OWN + i] = image.z;
    }
    newton_publish_sums(group, view, m, 0u, leg);
}

/* Moves the own particles. A last translation of the patch makes the sums of the residual over patches 0, so that cloth
 * which nothing holds keeps its momentum: forces between particles have no sum. */
CLOTH_FUNCTION void newton_end(
    const newton_group *group, cloth_newton_view view, newton_memory m, const newton_item *of)
{
    newton_shift(group, m);
    float4 shift = hed_f4(m.shifts[0], m.shifts[1], m.shifts[2], 0.0f);
    NEWTON_EACH_VERTEX(s, i, group->patch.own_count)
    {
        uint particle = newton_particle(group, view, i);
        const cloth_newton_vertex *v = &of->vertices[s];
        float4 moved = cloth_shift(v->moved, v->mass > 0.0f ? 1.0f : 0.0f, shift);
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
    for (uint i = group->item; i < 2u * CLOTH_NEWTON_COARSE; i += WG)
        if (stores) coarse[i] = m.residual[i];
        else m.residual[i] = coarse[i];
    if (!stores) {
        of->length = coarse[2u * CLOTH_NEWTON_COARSE];
        of->step = coarse[2u * CLOTH_NEWTON_COARSE + 1u];
    } else if (group->item == 0u) {
        coarse[2u * CLOTH_NEWTON_COARSE] = of->length;
        coarse[2u * CLOTH_NEWTON_COARSE + 1u] = of->step;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
#endif

/* Runs a leg. */
CLOTH_FUNCTION void newton_leg(const newton_group *group, cloth_newton_view view,
    __local float4 *memory, newton_item *of, uint leg)
{
    newton_memory m = newton_memory_of(memory, view.launch);
    uint last = CLOTH_NEWTON_LEGS(view.launch.iterations) - 1u;
    if (leg == CLOTH_NEWTON_BEND) {
        newton_bend(group, view, memory);
        return;
    }
    if (leg == view.launch.begin || leg == CLOTH_NEWTON_MATRIX) newton_load(group, view, m, of);
    if (leg == CLOTH_NEWTON_MATRIX) {
        newton_matrix(group, view, m, of);
        return;
    }
    if (leg == CLOTH_NEWTON_ITERATE || leg == view.launch.begin)
        newton_rows(group->number, group->patch, view, m,
            leg == CLOTH_NEWTON_ITERATE && view.launch.refreshes, group->item);
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
