/* Functions for one particle, one constraint or one vertex, on the arrays of the kernels. The
 * scalar version of each kernel and its native version in C call them in a loop. Included after
 * physics.h and collide.h. */
#ifndef CLOTH_PARTICLE_H
#define CLOTH_PARTICLE_H

#define CLOTH_NONE 0xffffffffu

/* Size of a cloth_step in device memory, float4. */
#define CLOTH_STEP_WORDS 5

CLOTH_FUNCTION float cloth_stiffness_at(__global const float4 *steps, uint substep)
{
    return steps[CLOTH_STEP_WORDS * substep + 2].w;
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
    step.unused = 0.0f;
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
    NEXT(INOUT, float4, previous) NEXT(INOUT, cloth_carry, carry) NEXT(IN, float4, garments) \
        NEXT(IN, float4, air) NEXT(IN, uint2, tether) NEXT(IN, uint, anchors) \
            CLOTH_DRIVER_ARRAYS(NEXT, NEXT) NEXT(IN, float4, steps) NEXT(VALUE, uint, substep)
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

CLOTH_FUNCTION void cloth_integrate_one(uint i, cloth_integrate_view view, cloth_step step)
{
    float4 at = view.position[i], before = view.previous[i];
    if (at.w == 0.0f) {
        cloth_follow(i, before.w, view, step);
        return;
    }
    float4 plate = (step.flags & CLOTH_STEP_AIR) ? view.air[i] : hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    uint2 carried = view.carry[i];
    if (step.gust > 0.0f)
        step = cloth_step_from(step, cloth_origin_at(view.garments, (uint)before.w));
    float4 moved = cloth_integrate(
        at, before, &carried, plate, cloth_garment_at(view.garments, (uint)before.w), step);
    view.carry[i] = carried;
    if (step.flags & CLOTH_STEP_TETHERS) {
        float4 anchor = cloth_anchor_of(i, view, step);
        if (anchor.w >= 0.0f) moved = cloth_tether(moved, anchor, anchor.w);
    }
    view.previous[i] = hed_f4(at.x, at.y, at.z, before.w);
    view.position[i] = moved;
}

/* ---- distance constraints ---- */

/* Constraints of colours and of sets. `pass`: 0: the only iteration, or no constraint has
 * compliance: multipliers are not used; 1: the first of several iterations; 2: a later
 * iteration. */
#define CLOTH_PROJECTION(FIRST, NEXT) \
    FIRST(SHARED, float4, position) \
    NEXT(IN, uint2, ends) NEXT(IN, float, rests) NEXT(IN, ushort, kinds) \
        NEXT(IN, float4, materials) NEXT(INOUT, float, multipliers) NEXT(IN, float4, steps) \
            NEXT(VALUE, uint, substep) NEXT(VALUE, uint, pass)
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

/* ---- bending along a line of a grid, or a strip of its cells, as one system (model/bend.c)
 * ---- */

/* `sums`, one for each row, and `links`, two for each row: results of the forward pass, read by the
 * backward pass. `pulled`: multipliers of the substep's earlier iterations; `pass`: as in
 * CLOTH_PROJECTION. */
#define CLOTH_LINES(FIRST, NEXT) \
    FIRST(SHARED, float4, position) \
    NEXT(IN, uint4, lines) NEXT(IN, float4, weights) NEXT(SCRATCH, float4, sums) \
        NEXT(SCRATCH, float, links) NEXT(SHARED, float4, pulled) NEXT(IN, float4, steps) \
            NEXT(VALUE, uint, substep) NEXT(VALUE, uint, pass) NEXT(VALUE, uint, first)
HED_VIEW(cloth_lines_view, CLOTH_LINES)

/* A line: members of struct cloth_line (model/garment.h), the index of its first row in `weights`
 * (`weights_at`), and in the arrays with an element for each row of all lines (`row`). */
typedef struct cloth_line_at {
    uint first, count, step, across, weights_at, row;
} cloth_line_at;

CLOTH_FUNCTION cloth_line_at cloth_line_at_of(uint4 a, uint4 b)
{
    cloth_line_at line = {a.x, a.y, a.z, a.w, b.x, b.y};
    return line;
}

CLOTH_FUNCTION cloth_line_at cloth_line_of(__global const uint4 *lines, uint i)
{
    return cloth_line_at_of(lines[2 * i], lines[2 * i + 1]);
}

/* `sum`: right side in x y z and the diagonal in w; after the solution, the multipliers in x y z.
 * `one` and `two`: elements left of the diagonal, in the columns of the previous row and of the row
 * before that one; after the factorisation, the elements of L. */
typedef struct cloth_line_row {
    float4 sum;
    float one, two;
} cloth_line_row;

/* Row j of the system. */
CLOTH_FUNCTION cloth_line_row cloth_line_row_of(
    uint j, cloth_line_at line, cloth_lines_view view, float give)
{
    uint at = line.first + j * line.step, next = at + line.step, w = line.weights_at + j;
    float4 k = view.weights[w], l = view.weights[j > 0 ? w - 1 : w],
           m = view.weights[j > 1 ? w - 2 : w];
    float4 a = view.position[at], b = view.position[next],
           c = view.position[next + (line.across ? line.across : line.step)],
           d = view.position[at + line.across], so_far = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    float ka = k.x * a.w, kb = k.y * b.w, kc = k.z * c.w, kd = k.w * d.w;
    cloth_line_row row;
    if (view.pass == 2) so_far = view.pulled[line.row + j];
    row.sum.x = fma(k.x, a.x - b.x, fma(k.z, c.x - b.x, k.w * (d.x - b.x)));
    row.sum.y = fma(k.x, a.y - b.y, fma(k.z, c.y - b.y, k.w * (d.y - b.y)));
    row.sum.z = fma(k.x, a.z - b.z, fma(k.z, c.z - b.z, k.w * (d.z - b.z)));
    row.sum.x = -fma(give, so_far.x, row.sum.x);
    row.sum.y = -fma(give, so_far.y, row.sum.y);
    row.sum.z = -fma(give, so_far.z, row.sum.z);
    row.sum.w = fma(k.x, ka, fma(k.y, kb, fma(k.z, kc, fma(k.w, kd, give))));
    row.one = j > 0 ? fma(ka, l.y, (line.across ? kd : kb) * l.z) : 0.0f;
    row.two = j > 1 && !line.across ? ka * m.z : 0.0f;
    return row;
}

/* State of the solution along a line, forward and backward: the last two rows, L, 1 / D. */
typedef struct cloth_line_pass {
    float4 one, two;
    float near, far, inverse, inverse_before;
} cloth_line_pass;

CLOTH_FUNCTION cloth_line_pass cloth_line_begin(void)
{
    float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    cloth_line_pass state = {zero, zero, 0.0f, 0.0f, 0.0f, 0.0f};
    return state;
}

/* Subtracts the product of L and the last two rows. */
CLOTH_FUNCTION float4 cloth_line_less(const cloth_line_pass *state, float4 sum)
{
    sum.x = fma(-state->near, state->one.x, fma(-state->far, state->two.x, sum.x));
    sum.y = fma(-state->near, state->one.y, fma(-state->far, state->two.y, sum.y));
    sum.z = fma(-state->near, state->one.z, fma(-state->far, state->two.z, sum.z));
    return sum;
}

/* Factorises the next row of L D L' and substitutes forward. */
CLOTH_FUNCTION cloth_line_row cloth_line_forth(cloth_line_pass *state, cloth_line_row row)
{
    float with_one = fma(-row.two, state->near, row.one), inverse;
    state->near = with_one * state->inverse;
    state->far = row.two * state->inverse_before;
    inverse = cloth_inverse(fma(-row.two, state->far, fma(-with_one, state->near, row.sum.w)));
    row.sum = cloth_line_less(state, row.sum);
    state->two = state->one;
    state->one = row.sum;
    state->inverse_before = state->inverse;
    state->inverse = inverse;
    row.sum.x *= inverse;
    row.sum.y *= inverse;
    row.sum.z *= inverse;
    row.one = state->near;
    row.two = state->far;
    return row;
}

/* Substitutes backward in the next row from the end: its multipliers. `inverse` keeps `two` of the
 * last row for one more row, then becomes `far`. */
CLOTH_FUNCTION cloth_line_row cloth_line_back(cloth_line_pass *state, cloth_line_row row)
{
    row.sum = cloth_line_less(state, row.sum);
    state->two = state->one;
    state->one = row.sum;
    state->far = state->inverse;
    state->near = row.one;
    state->inverse = row.two;
    return row;
}

/* Moves a particle by a row's multipliers. `weight`: the row's weight of the particle. */
CLOTH_FUNCTION float4 cloth_line_pull(float4 at, float weight, float4 pull)
{
    float part = weight * at.w;
    at.x = fma(part, pull.x, at.x);
    at.y = fma(part, pull.y, at.y);
    at.z = fma(part, pull.z, at.z);
    return at;
}

/* Moves particle j of a line, j < count + 2, or both particles j of a strip, j < count + 1. `sum`,
 * `last`, `far`: multipliers of rows j, j - 1, j - 2. */
CLOTH_FUNCTION void cloth_line_move_by(
    uint j, cloth_line_at line, cloth_lines_view view, float4 sum, float4 last, float4 far)
{
    __global const float4 *weights = view.weights;
    uint i = line.first + j * line.step, w = line.weights_at + j;
    float4 at = view.position[i];
    if (j < line.count) at = cloth_line_pull(at, weights[w].x, sum);
    if (j > 0 && j <= line.count) at = cloth_line_pull(at, weights[w - 1].y, last);
    if (j > 1 && !line.across) at = cloth_line_pull(at, weights[w - 2].z, far);
    if (at.w > 0.0f) view.position[i] = at;
    if (!line.across) return;
    at = view.position[i + line.across];
    if (j < line.count) at = cloth_line_pull(at, weights[w].w, sum);
    if (j > 0) at = cloth_line_pull(at, weights[w - 1].z, last);
    if (at.w > 0.0f) view.position[i + line.across] = at;
}

/* Moves particle j of a line, or both particles j of a strip, by the multipliers in `sums`. */
CLOTH_FUNCTION void cloth_line_move(uint j, cloth_line_at line, cloth_lines_view view)
{
    __global const float4 *sums = view.sums + line.row;
    float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    cloth_line_move_by(j, line, view, j < line.count ? sums[j] : zero,
        j > 0 && j <= line.count ? sums[j - 1] : zero, j > 1 && !line.across ? sums[j - 2] : zero);
}

/* Stores the sum of a row's multipliers for the next iteration, if `pass` is 1 or 2. */
CLOTH_FUNCTION void cloth_line_keep(uint j, cloth_line_at line, cloth_lines_view view)
{
    float4 pull = view.sums[line.row + j], so_far = view.pulled[line.row + j];
    if (view.pass == 2) {
        pull.x += so_far.x;
        pull.y += so_far.y;
        pull.z += so_far.z;
    }
    if (view.pass > 0) view.pulled[line.row + j] = pull;
}

/* Stores the new position of a particle, unless it is locked. */
CLOTH_FUNCTION void cloth_move_as(__global float4 *to, float4 moved, float4 origin)
{
    float4 at = *to;
    if (at.w > 0.0f) *to = cloth_moved(at, moved, origin);
}

#define CLOTH_ELEMENTS(FIRST, NEXT) \
    FIRST(SHARED, float4, position) \
    NEXT(IN, uint4, elements) NEXT(INOUT, float4, pulled) NEXT(IN, float4, steps) \
        NEXT(VALUE, uint, total) NEXT(VALUE, uint, substep) NEXT(VALUE, uint, pass) \
            NEXT(VALUE, uint, first) NEXT(VALUE, uint, count)
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
    NEXT(IN, uint4, cells) NEXT(INOUT, float4, pulled) NEXT(IN, float4, steps) \
        NEXT(VALUE, uint, total) NEXT(VALUE, uint, substep) NEXT(VALUE, uint, pass) \
            NEXT(VALUE, uint, first) NEXT(VALUE, uint, count)
HED_VIEW(cloth_cells_view, CLOTH_CELLS)

/* Projects cell i of `total` (cloth_diagonals; its rows of four words are `total` apart). `pulled`:
 * multipliers; `pass`: as in CLOTH_PROJECTION, or CLOTH_CELL_PASS. */
CLOTH_FUNCTION void cloth_cell_one(uint i, cloth_cells_view view, float stiffness)
{
    __global float4 *position = view.position;
    uint4 at = view.cells[i], words = view.cells[view.total + i];
    float4 a = position[at.x], b = position[at.y], c = position[at.z], d = position[at.w],
           pull = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    if (view.pass == CLOTH_CELL_PASS) stiffness *= (float)CLOTH_CELL_SWEEPS;
    if (view.pass == 2) pull = view.pulled[i];
    cloth_project_cell(&a, &b, &c, &d,
        hed_f4(as_float(words.x), as_float(words.y), as_float(words.z), as_float(words.w)),
        stiffness, &pull);
    if (view.pass == 1 || view.pass == 2) view.pulled[i] = pull;
    if (a.w > 0.0f) position[at.x] = a;
    if (b.w > 0.0f) position[at.y] = b;
    if (c.w > 0.0f) position[at.z] = c;
    if (d.w > 0.0f) position[at.w] = d;
}

/* ---- colliders, contact planes and the driver ---- */

#define CLOTH_DRIVE(FIRST, NEXT) \
    FIRST(INOUT, float4, position) \
    NEXT(IN, float4, previous) NEXT(IN, float4, garments) NEXT(IN, float4, colliders) \
        NEXT(IN, float4, contact) CLOTH_DRIVER_ARRAYS(NEXT, NEXT) NEXT(OUT, cloth_debug, debug) \
            NEXT(IN, float4, steps) NEXT(VALUE, uint, substep) NEXT(VALUE, uint, skipped)
HED_VIEW(cloth_drive_view, CLOTH_DRIVE)

/* Parameters of a substep without the flags `skipped` (CLOTH_STEP_*). */
CLOTH_FUNCTION cloth_step cloth_drive_step(cloth_drive_view view)
{
    cloth_step step = cloth_step_at(view.steps, view.substep);
    step.flags &= ~view.skipped;
    return step;
}

CLOTH_INLINE void cloth_drive_one(uint i, cloth_drive_view view, cloth_step step)
{
    float4 at = view.position[i], before = view.previous[i], start;
    uint acted = 0;
    if (at.w > 0.0f) {
        cloth_cloth cloth = cloth_garment_at(view.garments, (uint)before.w);
        if (step.colliders > 0)
            at = cloth_collide(at, before, cloth.thickness, cloth.friction,
                cloth_origin_at(view.garments, (uint)before.w), view.colliders, step.colliders,
                step.from, step.to);
        if (step.flags & CLOTH_STEP_CONTACTS)
            at = cloth_touch(at, before, cloth.thickness, cloth.friction, view.contact[2 * i],
                view.contact[2 * i + 1], step.from, step.to);
    }
    start = at;
    if ((step.flags & CLOTH_STEP_DRIVER) && at.w > 0.0f)
        at = cloth_drive(i, at, view.driver_from, view.driver_to, view.driver_map, step.particles,
            step.to, &acted);
    view.position[i] = at;
    if (step.flags & CLOTH_STEP_DRIVER) {
        float moved = sqrt(cloth_square(at.x - start.x, at.y - start.y, at.z - start.z));
        view.debug[i] = hed_u2(cloth_colour(acted), as_uint(moved));
    }
}

/* ---- gas in closed garments ---- */

#define CLOTH_GAS_LANES 256u /* lanes of a volume's sum; a lane adds every 256th triangle */

/* `gases`: garment, first triangle, number of triangles, 0; then bits of the amount, Pa m^3, and of
 * the smallest volume, m^3, 0, 0. `dt_square`: square of the time of a substep, s^2. */
#define CLOTH_GAS(FIRST, NEXT) \
    FIRST(IN, float4, position) \
    NEXT(IN, uint, triangles) \
    NEXT(IN, uint4, gases) NEXT(INOUT, float4, garments) NEXT(VALUE, float, dt_square)
HED_VIEW(cloth_gas_view, CLOTH_GAS)

/* One lane's part of six times the volume enclosed by triangles [first, first + count), m^3. */
CLOTH_FUNCTION float cloth_gas_lane(__global const float4 *position, __global const uint *triangles,
    uint first, uint count, uint lane)
{
    float4 from = position[triangles[3 * first]];
    float sum = 0.0f;
    for (uint t = lane; t < count; t += CLOTH_GAS_LANES) {
        uint at = 3 * (first + t);
        float4 a = cloth_from(position[triangles[at]], from),
               b = cloth_from(position[triangles[at + 1]], from),
               c = cloth_from(position[triangles[at + 2]], from);
        float x = fma(b.y, c.z, -(b.z * c.y)), y = fma(b.z, c.x, -(b.x * c.z)),
              z = fma(b.x, c.y, -(b.y * c.x));
        sum += fma(a.x, x, fma(a.y, y, a.z * z));
    }
    return sum;
}

/* Pressure of a gas * dt^2, kg/m. `amount`: pressure * volume, Pa m^3; `minimum`: lower bound of
 * the volume, m^3. */
CLOTH_FUNCTION float cloth_gas_push(float six_volumes, float amount, float minimum, float dt_square)
{
    return amount * dt_square / hed_max(six_volumes * (1.0f / 6.0f), minimum);
}

/* ---- surfaces ---- */

#define CLOTH_SURFACE(FIRST, NEXT) \
    FIRST(IN, float4, position) \
    NEXT(IN, uint, incident_at) NEXT(IN, uint, incident) NEXT(IN, uint, triangles) \
        NEXT(OUT, float4, air) NEXT(VALUE, uint, particles) NEXT(VALUE, uint, closed)
HED_VIEW(cloth_surface_view, CLOTH_SURFACE)

/* Computes a particle's unit normal and its area / mass: a third of the area of each triangle
 * around it. `closed`: the area is a third of the length of the sum of the triangles' area vectors,
 * which is the gradient of a closed surface's volume, so that pressure does not move the surface as
 * a whole. */
CLOTH_FUNCTION void cloth_surface_one(uint i, cloth_surface_view view)
{
    __global const float4 *position = view.position;
    __global const uint *triangles = view.triangles;
    float x = 0.0f, y = 0.0f, z = 0.0f, area = 0.0f;
    for (uint k = view.incident_at[i]; k < view.incident_at[i + 1]; k++) {
        uint at = 3 * view.incident[k];
        float4 a = position[triangles[at]], b = position[triangles[at + 1]],
               c = position[triangles[at + 2]];
        float ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z, vx = c.x - a.x, vy = c.y - a.y,
              vz = c.z - a.z;
        float nx = fma(uy, vz, -(uz * vy)), ny = fma(uz, vx, -(ux * vz)),
              nz = fma(ux, vy, -(uy * vx));
        x += nx;
        y += ny;
        z += nz;
        area += sqrt(cloth_square(nx, ny, nz));
    }
    if (view.closed) area = sqrt(cloth_square(x, y, z));
    float4 normal = cloth_unit(hed_f4(x, y, z, area * (1.0f / 6.0f) * position[i].w));
    view.air[i] = normal;
}

/* ---- the wind's field ---- */

#define CLOTH_FAN_WORDS 3u

/* Parameters of cloth_wind_one(), passed by value. `low`: first node of the grid, m, from the
 * origin; `rate`: cells in a metre; `dt`: length of a substep, s. */
typedef struct cloth_winds {
    uint particles, fans;
    uint nodes_x, nodes_y, nodes_z; /* 0: no grid */
    float low_x, low_y, low_z, rate_x, rate_y, rate_z;
    float dt;
} cloth_winds;

/* `fans`: position from the origin, radius; direction, speed; spread 0 0 0. `air`: the second half
 * is written. */
#define CLOTH_WIND(FIRST, NEXT) \
    FIRST(IN, float4, position) \
    NEXT(IN, float4, previous) NEXT(IN, float4, garments) NEXT(IN, float4, fans) \
    NEXT(IN, float4, grid) NEXT(OUT, float4, air) NEXT(STRUCT, cloth_winds, winds)
HED_VIEW(cloth_wind_view, CLOTH_WIND)

/* Velocity of a fan's jet at a point, m/s (hed_cloth_fan). */
CLOTH_FUNCTION float4 cloth_jet(float4 at, float4 outlet, float4 axis, float spread)
{
    float x = at.x - outlet.x, y = at.y - outlet.y, z = at.z - outlet.z;
    float along = x * axis.x + y * axis.y + z * axis.z;
    float radius = outlet.w + spread * along;
    x -= along * axis.x;
    y -= along * axis.y;
    z -= along * axis.z;
    float part = (x * x + y * y + z * z) / (radius * radius);
    if (along < 0.0f || part >= 1.0f) return hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    float speed = axis.w * outlet.w / radius * ((1.0f - part) * (1.0f - part));
    return hed_f4(speed * axis.x, speed * axis.y, speed * axis.z, 0.0f);
}

/* Cell of a coordinate, in cells from the first node, and the fraction within the cell; returns 0
 * outside of the grid. */
CLOTH_FUNCTION uint cloth_wind_cell(float at, uint nodes, uint *cell, float *part)
{
    if (!(at >= 0.0f && at <= (float)(nodes - 1u))) return 0;
    *cell = (uint)at;
    if (*cell > nodes - 2u) *cell = nodes - 2u;
    *part = at - (float)*cell;
    return 1;
}

/* Velocity of the grid at a point, m/s. */
CLOTH_FUNCTION float4 cloth_grid_wind(float4 at, __global const float4 *grid, cloth_winds winds)
{
    float4 wind = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    uint x, y, z;
    float u, v, w;
    if (!cloth_wind_cell((at.x - winds.low_x) * winds.rate_x, winds.nodes_x, &x, &u) ||
        !cloth_wind_cell((at.y - winds.low_y) * winds.rate_y, winds.nodes_y, &y, &v) ||
        !cloth_wind_cell((at.z - winds.low_z) * winds.rate_z, winds.nodes_z, &z, &w))
        return wind;
    for (uint corner = 0; corner < 8u; corner++) {
        uint i = corner & 1u, j = corner >> 1 & 1u, k = corner >> 2;
        float share = (i ? u : 1.0f - u) * (j ? v : 1.0f - v) * (k ? w : 1.0f - w);
        float4 node = grid[((z + k) * winds.nodes_y + y + j) * winds.nodes_x + x + i];
        wind.x += share * node.x;
        wind.y += share * node.y;
        wind.z += share * node.z;
    }
    return wind;
}

CLOTH_FUNCTION void cloth_wind_one(uint i, cloth_wind_view view)
{
    cloth_winds winds = view.winds;
    float4 at = view.position[i], wind = hed_f4(0.0f, 0.0f, 0.0f, 0.0f),
           origin = cloth_origin_at(view.garments, (uint)view.previous[i].w);
    winds.low_x -= origin.x;
    winds.low_y -= origin.y;
    winds.low_z -= origin.z;
    if (winds.nodes_x) wind = cloth_grid_wind(at, view.grid, winds);
    for (uint f = 0; f < winds.fans; f++) {
        uint word = CLOTH_FAN_WORDS * f;
        float4 jet = cloth_jet(
            at, cloth_from(view.fans[word], origin), view.fans[word + 1u], view.fans[word + 2u].x);
        wind.x += jet.x;
        wind.y += jet.y;
        wind.z += jet.z;
    }
    view.air[winds.particles + i] =
        hed_f4(wind.x * winds.dt, wind.y * winds.dt, wind.z * winds.dt, 0.0f);
}

/* Parameters of write-back, passed by value. */
typedef struct cloth_view {
    float matrix[16];  /* column by column */
    float normals[12]; /* matrix of normals: three columns of four */
    uint vertices;
    uint flags; /* CLOTH_VIEW_* */
} cloth_view;

#define CLOTH_VIEW_GATHER 1u  /* vertex_particle exists; else vertex i shows particle i */
#define CLOTH_VIEW_COLOURS 2u /* debug exists */
#define CLOTH_VIEW_NORMALS 4u /* air and normals exist */
#define CLOTH_VIEW_APART 8u   /* garments have origins of their own */

CLOTH_FUNCTION float4 cloth_column(const float *matrix, uint column)
{
    return hed_f4(
        matrix[4 * column], matrix[4 * column + 1], matrix[4 * column + 2], matrix[4 * column + 3]);
}

/* Origin of a particle in the program's coordinates. */
CLOTH_FUNCTION float4 cloth_shown_origin(uint particle, __global const float4 *previous,
    __global const float4 *garments, cloth_view view)
{
    float4 last = cloth_column(view.matrix, 3);
    if (!(view.flags & CLOTH_VIEW_APART)) return last;
    return cloth_transform(cloth_origin_at(garments, (uint)previous[particle].w),
        cloth_column(view.matrix, 0), cloth_column(view.matrix, 1), cloth_column(view.matrix, 2),
        last);
}

/* Position of a particle in the program's coordinates, from its origin there. */
CLOTH_FUNCTION float4 cloth_shown(float4 p, float4 origin, cloth_view view)
{
    return cloth_transform(p, cloth_column(view.matrix, 0), cloth_column(view.matrix, 1),
        cloth_column(view.matrix, 2), origin);
}

CLOTH_FUNCTION float4 cloth_shown_normal(float4 normal, cloth_view view)
{
    return cloth_unit(
        cloth_transform(normal, cloth_column(view.normals, 0), cloth_column(view.normals, 1),
            cloth_column(view.normals, 2), hed_f4(0.0f, 0.0f, 0.0f, 0.0f)));
}

/* True if every coordinate is within [-most, most]; false for NaN. */
CLOTH_FUNCTION uint cloth_within(float4 p, float limit)
{
    return fabs(p.x) <= limit && fabs(p.y) <= limit && fabs(p.z) <= limit;
}

CLOTH_FUNCTION uint cloth_finite(float4 p) { return cloth_within(p, 1e30f); }

/* Arrays of which vertices are made. */
#define CLOTH_VERTEX_ARRAYS(FIRST, NEXT) \
    FIRST(IN, float4, position) \
    NEXT(IN, float4, previous) NEXT(IN, float4, garments) NEXT(IN, cloth_debug, debug) \
        NEXT(IN, uint, vertex_particle) NEXT(IN, float4, air)
#define CLOTH_WRITE_BACK(FIRST, NEXT) \
    CLOTH_VERTEX_ARRAYS(FIRST, NEXT) \
    NEXT(OUT, float4, vertices) \
    NEXT(OUT, float4, normals) NEXT(INOUT, uint, broken) NEXT(STRUCT, cloth_view, show)
HED_VIEW(cloth_write_back_view, CLOTH_WRITE_BACK)

CLOTH_FUNCTION void cloth_write_back_one(uint i, cloth_write_back_view view)
{
    uint flags = view.show.flags,
         particle = (flags & CLOTH_VIEW_GATHER) ? view.vertex_particle[i] : i;
    float4 p = view.position[particle];
    if (!cloth_finite(p)) {
        view.broken[0] = 1;
        /* replaced by 0, so that the program gets finite numbers; hed_cloth_wait() returns the
         * error */
        p = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    uint colour = (flags & CLOTH_VIEW_COLOURS) ? view.debug[particle].x : 0xffffffffu;
    float4 vertex = cloth_shown(
        p, cloth_shown_origin(particle, view.previous, view.garments, view.show), view.show);
    view.vertices[i] = hed_f4(vertex.x, vertex.y, vertex.z, as_float(colour));
    if (flags & CLOTH_VIEW_NORMALS)
        view.normals[i] = cloth_shown_normal(view.air[particle], view.show);
}

/* Kinds of data that hed_cloth_read() returns for a vertex: rows of three floats, and colours of
 * four bytes, without gaps. */
#define CLOTH_READ_POSITIONS 1u
#define CLOTH_READ_NORMALS 2u
#define CLOTH_READ_COLOURS 4u

/* `parts`: CLOTH_READ_*. */
#define CLOTH_READ(FIRST, NEXT) \
    CLOTH_VERTEX_ARRAYS(FIRST, NEXT) \
    NEXT(OUT, float, positions) \
    NEXT(OUT, float, normals) \
    NEXT(OUT, uint, colours) NEXT(STRUCT, cloth_view, show) NEXT(VALUE, uint, parts)
HED_VIEW(cloth_read_view, CLOTH_READ)

CLOTH_FUNCTION void cloth_read_one(uint i, cloth_read_view view)
{
    uint flags = view.show.flags,
         particle = (flags & CLOTH_VIEW_GATHER) ? view.vertex_particle[i] : i;
    if (view.parts & CLOTH_READ_POSITIONS) {
        float4 vertex = cloth_shown(view.position[particle],
            cloth_shown_origin(particle, view.previous, view.garments, view.show), view.show);
        view.positions[3 * i] = vertex.x;
        view.positions[3 * i + 1] = vertex.y;
        view.positions[3 * i + 2] = vertex.z;
    }
    if (view.parts & CLOTH_READ_NORMALS) {
        float4 turned = cloth_shown_normal(view.air[particle], view.show);
        view.normals[3 * i] = turned.x;
        view.normals[3 * i + 1] = turned.y;
        view.normals[3 * i + 2] = turned.z;
    }
    if (view.parts & CLOTH_READ_COLOURS)
        view.colours[i] = (flags & CLOTH_VIEW_COLOURS) ? view.debug[particle].x : 0xffffffffu;
}

/* Kinds of driver data that the program passes: rows of three floats, or pairs of position and
 * normal. cloth_feed_one() copies them into the halves that cloth_drive() reads; a half without
 * data keeps its values. */
#define CLOTH_FEED_POSITIONS 1u
#define CLOTH_FEED_NORMALS 2u
#define CLOTH_FEED_PAIRS 4u     /* instead of POSITIONS and NORMALS */
#define CLOTH_FARTHEST_FED 1e6f /* m, as CLOTH_FARTHEST in the checks of the host */

/* Parameters of cloth_feed_one(), passed by value. `x y z`: the origin, to which that of a garment is
 * added. Floats represent the sum exactly: the difference is rounded once, as it would be from
 * double. */
typedef struct cloth_feeding {
    uint parts; /* CLOTH_FEED_* */
    uint particles;
    float x, y, z;
} cloth_feeding;

#define CLOTH_FEED(FIRST, NEXT) \
    FIRST(IN, float, positions) \
    NEXT(IN, float, normals) NEXT(IN, float4, pairs) NEXT(IN, float4, previous) \
        NEXT(IN, float4, garments) NEXT(IN, float4, driver_map) NEXT(INOUT, float4, driver_to) \
            NEXT(STRUCT, cloth_feeding, fed)
HED_VIEW(cloth_feed_view, CLOTH_FEED)

CLOTH_FUNCTION void cloth_feed_one(uint i, cloth_feed_view view)
{
    __global const float *positions = view.positions, *normals = view.normals;
    __global float4 *driver_to = view.driver_to;
    cloth_feeding fed = view.fed;
    if (view.driver_map[i].x == CLOTH_UNDRIVEN) return;
    float4 origin = cloth_origin_at(view.garments, (uint)view.previous[i].w);
    fed.x += origin.x;
    fed.y += origin.y;
    fed.z += origin.z;
    if (fed.parts & CLOTH_FEED_POSITIONS)
        driver_to[i] = hed_f4(positions[3 * i] - fed.x, positions[3 * i + 1] - fed.y,
            positions[3 * i + 2] - fed.z, 0.0f);
    if (fed.parts & CLOTH_FEED_NORMALS)
        driver_to[fed.particles + i] =
            hed_f4(normals[3 * i], normals[3 * i + 1], normals[3 * i + 2], 0.0f);
    if (fed.parts & CLOTH_FEED_PAIRS) {
        float4 place = view.pairs[2 * i], normal = view.pairs[2 * i + 1];
        /* The program's own memory is untrusted: data out of range leave the driver unchanged. */
        if (!cloth_within(place, CLOTH_FARTHEST_FED) || !cloth_within(normal, 1.01f)) return;
        driver_to[i] = hed_f4(place.x - fed.x, place.y - fed.y, place.z - fed.z, 0.0f);
        driver_to[fed.particles + i] = hed_f4(normal.x, normal.y, normal.z, 0.0f);
    }
}

/* Rigid transformation of an array. */
typedef struct cloth_rigid {
    float matrix[16]; /* column by column */
    uint first, count;
    uint mode; /* CLOTH_MOVE_* */
    /* CLOTH_MOVE_LED: rotation of the motions, three columns of four, and a matrix as `matrix`,
     * whose product with the old position is added to the motion */
    float turn[12];
    float lead[16];
} cloth_rigid;

#define CLOTH_MOVE_POINTS 0u
#define CLOTH_MOVE_DIRECTIONS 1u /* translation left out */
#define CLOTH_MOVE_PARTICLES 2u  /* positions; `previous` and `carry` turn too */
#define CLOTH_MOVE_LED 3u        /* positions; motions of free particles by `turn` and `lead` */

CLOTH_FUNCTION float4 cloth_rigidly(float4 p, cloth_rigid rigid, float4 last)
{
    return cloth_transform(p, cloth_column(rigid.matrix, 0), cloth_column(rigid.matrix, 1),
        cloth_column(rigid.matrix, 2), last);
}

#define CLOTH_MOVE(FIRST, NEXT) \
    FIRST(INOUT, float4, array) \
    NEXT(INOUT, float4, previous) NEXT(INOUT, cloth_carry, carry) NEXT(STRUCT, cloth_rigid, rigid)
HED_VIEW(cloth_move_view, CLOTH_MOVE)

CLOTH_FUNCTION void cloth_move_one(uint i, cloth_move_view view)
{
    cloth_rigid rigid = view.rigid;
    uint at = rigid.first + i;
    float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f), p = view.array[at];
    float4 moved = cloth_rigidly(
        p, rigid, rigid.mode == CLOTH_MOVE_DIRECTIONS ? zero : cloth_column(rigid.matrix, 3));
    view.array[at] = hed_f4(moved.x, moved.y, moved.z, p.w);
    if (rigid.mode < CLOTH_MOVE_PARTICLES) return;
    float4 before = view.previous[at], loss = cloth_carry_of(view.carry[at]);
    float4 way =
        hed_f4(p.x - before.x + loss.x, p.y - before.y + loss.y, p.z - before.z + loss.z, 0.0f);
    if (rigid.mode == CLOTH_MOVE_LED) {
        if (p.w == 0.0f) return;
        float4 gain = cloth_transform(p, cloth_column(rigid.lead, 0), cloth_column(rigid.lead, 1),
            cloth_column(rigid.lead, 2), cloth_column(rigid.lead, 3));
        way = cloth_transform(way, cloth_column(rigid.turn, 0), cloth_column(rigid.turn, 1),
            cloth_column(rigid.turn, 2), gain);
    } else {
        way = cloth_rigidly(way, rigid, zero);
    }
    before = hed_f4(moved.x - way.x, moved.y - way.y, moved.z - way.z, before.w);
    view.previous[at] = before;
    view.carry[at] = cloth_carry_pack(hed_f4(way.x - (moved.x - before.x),
        way.y - (moved.y - before.y), way.z - (moved.z - before.z), 0.0f));
}

#endif
