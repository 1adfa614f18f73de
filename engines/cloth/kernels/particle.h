/* Functions for one particle or one constraint, on the arrays of the kernels. The scalar version of
 * each kernel and its native version in C call them in a loop. Included after physics.h and
 * collide.h. */
#ifndef CLOTH_PARTICLE_H
#define CLOTH_PARTICLE_H

#define CLOTH_NONE 0xffffffffu

/* Size of a cloth_step in device memory, float4. */
#define CLOTH_STEP_WORDS 5

CLOTH_FUNCTION float cloth_stiffness_at(__global const float4 *steps, uint substep)
{
    return steps[CLOTH_STEP_WORDS * substep + 2].w;
}

CLOTH_FUNCTION float cloth_recall_at(__global const float4 *steps, uint substep)
{
    return steps[CLOTH_STEP_WORDS * substep + 4].w;
}

CLOTH_FUNCTION cloth_step cloth_step_at(__global const float4 *steps, uint substep)
{
    uint at = CLOTH_STEP_WORDS * substep;
    float4 a = steps[at], b = steps[at + 1], c = steps[at + 2], d = steps[at + 3],
           e = steps[at + 4];
    cloth_step step;
    step.ratio = a.x;
    step.fall_x = a.y;
    step.fall_y = a.z;
    step.fall_z = a.w;
    step.wind_x = b.x;
    step.wind_y = b.y;
    step.wind_z = b.z;
    step.gust = b.w;
    step.time = c.x;
    step.from = c.y;
    step.to = c.z;
    step.stiffness = c.w;
    step.longest_move = d.x;
    step.particles = as_uint(d.y);
    step.colliders = as_uint(d.z);
    step.flags = as_uint(d.w);
    step.origin_x = e.x;
    step.origin_y = e.y;
    step.origin_z = e.z;
    step.recall = e.w;
    return step;
}

/* Words of a particle that are compared as floats. */
typedef uint2 cloth_carry; /* cloth_carry_pack() */
typedef uint2 cloth_debug; /* RGBA8, bits of the length moved by the driver */
#define HED_TYPE_cloth_carry HED_FLOAT
#define HED_TYPE_cloth_debug HED_FLOAT

/* ---- integration ---- */

#define CLOTH_DRIVER_ARRAYS(FIRST, NEXT) \
    FIRST(IN, float4, driver_from) NEXT(IN, float4, driver_to) NEXT(IN, float4, driver_map)
#define CLOTH_INTEGRATE(FIRST, NEXT) \
    FIRST(INOUT, float4, position) \
    NEXT(INOUT, float4, previous) \
    NEXT(INOUT, cloth_carry, carry) NEXT(IN, float4, garments) NEXT(IN, float4, air) \
        NEXT(IN, uint2, tether) NEXT(IN, uint, anchors) CLOTH_DRIVER_ARRAYS(NEXT, NEXT) \
            NEXT(IN, float4, steps) NEXT(VALUE, uint, substep)
HED_VIEW(cloth_integrate_view, CLOTH_INTEGRATE)

CLOTH_FUNCTION uint cloth_is_driven(uint i, cloth_integrate_view view, cloth_step step)
{
    return (step.flags & CLOTH_STEP_DRIVER) && view.driver_map[i].x != CLOTH_UNDRIVEN;
}

/* Position of a locked particle's driver at the substep's end. */
CLOTH_FUNCTION float4 cloth_driven_to(uint i, cloth_integrate_view view, cloth_step step)
{
    return cloth_between(view.driver_from[i], view.driver_to[i], step.to);
}

/* Moves a locked particle to its driver; without a driver the particle is never written. */
CLOTH_FUNCTION void cloth_follow(uint i, float garment, cloth_integrate_view view, cloth_step step)
{
    if (!cloth_is_driven(i, view, step)) return;
    float4 to = cloth_driven_to(i, view, step);
    view.position[i] = hed_f4(to.x, to.y, to.z, 0.0f);
    view.previous[i] = hed_f4(to.x, to.y, to.z, garment);
}

/* Position of a tether's anchor at the substep's end; w: length of the tether, m, below 0 for a
 * particle without a tether. The position of a driven anchor is computed and not read, because the same
 * launch writes it. */
CLOTH_FUNCTION float4 cloth_anchor_of(uint i, cloth_integrate_view view, cloth_step step)
{
    uint2 to = view.tether[i];
    if (to.x == CLOTH_NONE) return hed_f4(0.0f, 0.0f, 0.0f, -1.0f);
    uint anchor = view.anchors[to.x];
    float4 place;
    if (cloth_is_driven(anchor, view, step)) place = cloth_driven_to(anchor, view, step);
    else place = view.position[anchor];
    return hed_f4(place.x, place.y, place.z, as_float(to.y));
}

/* Position of free particle i after integration; stores its new carry and previous position. */
CLOTH_FUNCTION float4 cloth_integrated_at(uint i, float4 at, float4 *before, uint2 *carried,
    __global const float4 *garments, __global const float4 *air, cloth_step step)
{
    float4 plate = (step.flags & CLOTH_STEP_AIR) ? air[i] : hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    if (step.gust > 0.0f) step = cloth_step_from(step, cloth_origin_at(garments, (uint)before->w));
    return cloth_integrate(
        at, before, carried, plate, cloth_garment_at(garments, (uint)before->w), step);
}

/* `at`: the particle's position. */
CLOTH_FUNCTION void cloth_integrate_from(
    uint i, float4 at, cloth_integrate_view view, cloth_step step)
{
    float4 before = view.previous[i];
    if (at.w == 0.0f) {
        cloth_follow(i, before.w, view, step);
        return;
    }
    uint2 carried = view.carry[i];
    float4 moved = cloth_integrated_at(i, at, &before, &carried, view.garments, view.air, step);
    view.carry[i] = carried;
    if (step.flags & CLOTH_STEP_TETHERS) {
        float4 anchor = cloth_anchor_of(i, view, step);
        if (anchor.w >= 0.0f) moved = cloth_tether(moved, anchor, anchor.w);
    }
    view.previous[i] = before;
    view.position[i] = moved;
}

CLOTH_FUNCTION void cloth_integrate_one(uint i, cloth_integrate_view view, cloth_step step)
{
    cloth_integrate_from(i, view.position[i], view, step);
}

/* ---- distance constraints ---- */

/* Constraints of colours and of sets. `pass`: 0: the only iteration, or no constraint has
 * compliance: multipliers are not used; 1: the first of several iterations; 2: a later
 * iteration. */
#define CLOTH_PROJECTION(FIRST, NEXT) \
    FIRST(SHARED, float4, position) \
    NEXT(IN, uint2, ends) \
    NEXT(IN, float, rests) NEXT(IN, ushort, kinds) NEXT(IN, float4, materials) \
        NEXT(INOUT, float, multipliers) NEXT(IN, float4, steps) NEXT(VALUE, uint, substep) \
            NEXT(VALUE, uint, pass)
HED_VIEW(cloth_projection, CLOTH_PROJECTION)
#define CLOTH_DISTANCE(FIRST, NEXT) \
    CLOTH_PROJECTION(FIRST, NEXT) NEXT(VALUE, uint, first) NEXT(VALUE, uint, count)
HED_VIEW(cloth_distance_view, CLOTH_DISTANCE)
/* Set s has the constraints [set_at[s], set_at[s + 1]). */
#define CLOTH_SETS(FIRST, NEXT) \
    CLOTH_PROJECTION(FIRST, NEXT) NEXT(IN, uint, set_at) NEXT(VALUE, uint, sets)
HED_VIEW(cloth_sets_view, CLOTH_SETS)

CLOTH_FUNCTION void cloth_distance_one(uint i, cloth_projection view, float stiffness)
{
    uint2 end = view.ends[i];
    float rest = view.rests[i];
    float4 material = view.materials[view.kinds[i]], a = view.position[end.x],
           b = view.position[end.y];
    float give = material.z * stiffness;
    if (view.pass == 0) {
        cloth_project(&a, &b, rest * material.x, rest * material.y, give);
    } else {
        float multiplier = view.pass == 1 ? 0.0f : view.multipliers[i];
        cloth_project_again(&a, &b, rest * material.x, rest * material.y, give, &multiplier);
        view.multipliers[i] = multiplier;
    }
    if (a.w > 0.0f) view.position[end.x] = a; /* constraints of a set may share a locked particle */
    if (b.w > 0.0f) view.position[end.y] = b;
}

/* Stores the new position of a particle, unless it is locked. */
CLOTH_FUNCTION void cloth_move_as(__global float4 *to, float4 moved, float4 origin)
{
    float4 at = *to;
    if (at.w > 0.0f) *to = cloth_moved(at, moved, origin);
}

#define CLOTH_ELEMENTS(FIRST, NEXT) \
    FIRST(SHARED, float4, position) \
    NEXT(IN, uint4, elements) \
    NEXT(INOUT, float4, pulled) NEXT(IN, float4, steps) NEXT(VALUE, uint, total) \
        NEXT(VALUE, uint, substep) NEXT(VALUE, uint, pass) NEXT(VALUE, uint, first) \
            NEXT(VALUE, uint, count)
HED_VIEW(cloth_elements_view, CLOTH_ELEMENTS)

/* Projects element i of `total` (cloth_element; its rows of four words are `total` apart). A corner
 * replaces a particle beyond a border, with weight 0. Positions are relative to the first corner,
 * and all six constraints move a particle at once: with many substeps the correction of one
 * constraint is smaller than the resolution of a position in float. `pulled`: multipliers, three
 * float4 for each element, `total` apart; `pass`: as in CLOTH_PROJECTION. */
CLOTH_FUNCTION void cloth_element_one(uint i, cloth_elements_view view, float stiffness)
{
    __global float4 *position = view.position, *pulled = view.pulled;
    __global const uint4 *elements = view.elements;
    uint count = view.total;
    uint4 r0 = elements[i];
    cloth_element_rows of = {elements[count + i], elements[2 * count + i], elements[3 * count + i],
        elements[4 * count + i], elements[5 * count + i], elements[6 * count + i],
        elements[7 * count + i]};
    float4 origin = position[r0.w], a = cloth_from(origin, origin),
           b = cloth_from(position[of.r1.x], origin), c = cloth_from(position[of.r1.y], origin),
           p = cloth_from(position[r0.x], origin), q = cloth_from(position[r0.y], origin),
           r = cloth_from(position[r0.z], origin), zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    cloth_element_pull pull = {zero, zero, zero};
    if (view.pass == 2) {
        pull.warp = pulled[i];
        pull.twist = pulled[count + i];
        pull.weft = pulled[2 * count + i];
    }
    cloth_project_element(&a, &b, &c, &p, &q, &r, of, stiffness, &pull);
    if (view.pass > 0) {
        pulled[i] = pull.warp;
        pulled[count + i] = pull.twist;
        pulled[2 * count + i] = pull.weft;
    }
    cloth_move_as(position + r0.x, p, origin);
    cloth_move_as(position + r0.y, q, origin);
    cloth_move_as(position + r0.z, r, origin);
    cloth_move_as(position + r0.w, a, origin);
    cloth_move_as(position + of.r1.x, b, origin);
    cloth_move_as(position + of.r1.y, c, origin);
}

#define CLOTH_CELLS(FIRST, NEXT) \
    FIRST(SHARED, float4, position) \
    NEXT(IN, uint4, cells) \
    NEXT(INOUT, float4, pulled) NEXT(IN, float4, steps) NEXT(VALUE, uint, total) \
        NEXT(VALUE, uint, substep) NEXT(VALUE, uint, pass) NEXT(VALUE, uint, first) \
            NEXT(VALUE, uint, count)
HED_VIEW(cloth_cells_view, CLOTH_CELLS)

/* Projects cell i of `total` (cloth_diagonals; its rows of four words are `total` apart). `pulled`:
 * multipliers; `pass`: as in CLOTH_PROJECTION, or CLOTH_CELL_PASS. */
CLOTH_FUNCTION void cloth_cell_one(uint i, cloth_cells_view view, float stiffness)
{
    __global float4 *position = view.position;
    uint4 at = view.cells[i], words = view.cells[view.total + i];
    float4 a = position[at.x], b = position[at.y], c = position[at.z], d = position[at.w],
           pull = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    uint is_swept = view.pass == CLOTH_CELL_PASS;
    if (is_swept) stiffness *= (float)CLOTH_CELL_SWEEPS;
    if (view.pass == 2) pull = view.pulled[i];
    cloth_project_cell(&a, &b, &c, &d,
        hed_f4(as_float(words.x), as_float(words.y), as_float(words.z), as_float(words.w)),
        stiffness, is_swept ? CLOTH_CELL_OVER : 0.0f, &pull);
    if (view.pass == 1 || view.pass == 2) view.pulled[i] = pull;
    if (a.w > 0.0f) position[at.x] = a;
    if (b.w > 0.0f) position[at.y] = b;
    if (c.w > 0.0f) position[at.z] = c;
    if (d.w > 0.0f) position[at.w] = d;
}

/* ---- colliders, contact planes and the driver ---- */

#define CLOTH_DRIVE(FIRST, NEXT) \
    FIRST(INOUT, float4, position) \
    NEXT(IN, float4, previous) \
    NEXT(IN, float4, garments) NEXT(IN, float4, colliders) NEXT(IN, float4, contact) \
        CLOTH_DRIVER_ARRAYS(NEXT, NEXT) NEXT(OUT, cloth_debug, debug) NEXT(IN, float4, steps) \
            NEXT(VALUE, uint, substep) NEXT(VALUE, uint, skipped)
HED_VIEW(cloth_drive_view, CLOTH_DRIVE)

/* Parameters of a substep without the flags `skipped` (CLOTH_STEP_*). */
CLOTH_FUNCTION cloth_step cloth_drive_step(cloth_drive_view view)
{
    cloth_step step = cloth_step_at(view.steps, view.substep);
    step.flags &= ~view.skipped;
    return step;
}

/* Returns a particle, which is out of the colliders, out of its contact plane. */
CLOTH_INLINE float4 cloth_off_plane(
    uint i, float4 at, float4 before, cloth_cloth cloth, cloth_drive_view view, cloth_step step)
{
    if (at.w > 0.0f && (step.flags & CLOTH_STEP_CONTACTS))
        at = cloth_touch_planes(at, before, cloth.thickness, cloth.friction,
            view.contact + CLOTH_CONTACT_WORDS * i, step.from, step.to);
    return at;
}

/* Returns particle i, whose position is `at`, out of the colliders and its contact plane. */
CLOTH_INLINE float4 cloth_off_bodies(uint i, float4 at, cloth_drive_view view, cloth_step step)
{
    float4 before = view.previous[i];
    cloth_cloth cloth = cloth_garment_at(view.garments, (uint)before.w);
    if (step.colliders > 0)
        at = cloth_collide(at, before, cloth.thickness, cloth.friction,
            cloth_origin_at(view.garments, (uint)before.w), view.colliders, step.colliders,
            step.from, step.to);
    return cloth_off_plane(i, at, before, cloth, view, step);
}

/* Moves a particle, which is off all bodies, by its driver. */
CLOTH_INLINE void cloth_drive_free(uint i, float4 at, cloth_drive_view view, cloth_step step)
{
    uint acted = 0;
    float4 start = at;
    if ((step.flags & CLOTH_STEP_DRIVER) && at.w > 0.0f)
        at = cloth_drive(i, at, view.driver_from, view.driver_to, view.driver_map, step.particles,
            step.to, &acted);
    view.position[i] = at;
    if (step.flags & CLOTH_STEP_DRIVER) {
        float moved = sqrt(cloth_square(at.x - start.x, at.y - start.y, at.z - start.z));
        view.debug[i] = hed_u2(cloth_colour(acted), as_uint(moved));
    }
}

/* Moves a particle, which is out of the colliders, out of its contact plane, and by its driver. */
CLOTH_INLINE void cloth_drive_collided(
    uint i, float4 at, float4 before, cloth_cloth cloth, cloth_drive_view view, cloth_step step)
{
    cloth_drive_free(i, cloth_off_plane(i, at, before, cloth, view, step), view, step);
}

/* Colliders, contact plane and driver of particle i, whose position is `at`. */
CLOTH_INLINE void cloth_drive_from(uint i, float4 at, cloth_drive_view view, cloth_step step)
{
    cloth_drive_free(i, cloth_off_bodies(i, at, view, step), view, step);
}

CLOTH_INLINE void cloth_drive_one(uint i, cloth_drive_view view, cloth_step step)
{
    cloth_drive_from(i, view.position[i], view, step);
}

#if defined(__OPENCL_C_VERSION__) || defined(__CUDACC_RTC__)
/* Items of a line or chain meet: in a warp if they are in one, else the group's. */
CLOTH_FUNCTION void cloth_meet(uint width)
{
#if HED_HAS_LANES
    if (width <= 32u) {
        hed_lane_barrier();
        return;
    }
#endif
    (void)width;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
#endif

#endif
