/* Functions for one particle, one constraint or one vertex, on the arrays of the kernels. The scalar
 * version of each kernel and its native version in C call them in a loop. Included after physics.h
 * and collide.h. */
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

CLOTH_FUNCTION uint cloth_is_driven(uint i, __global const float4 *driver_map, cloth_step step)
{
    return (step.flags & CLOTH_STEP_DRIVER) && driver_map[i].x != CLOTH_UNDRIVEN;
}

/* Position of a locked particle's driver at the substep's end. */
CLOTH_FUNCTION float4 cloth_driven_to(
    uint i, __global const float4 *driver_from, __global const float4 *driver_to, cloth_step step)
{
    return cloth_between(driver_from[i], driver_to[i], step.to);
}

/* Moves a locked particle to its driver; without a driver the particle is never written. */
CLOTH_FUNCTION void cloth_follow(uint i, float garment, __global float4 *position,
    __global float4 *previous, __global const float4 *driver_from, __global const float4 *driver_to,
    __global const float4 *driver_map, cloth_step step)
{
    if (!cloth_is_driven(i, driver_map, step)) return;
    float4 to = cloth_driven_to(i, driver_from, driver_to, step);
    position[i] = hed_f4(to.x, to.y, to.z, 0.0f);
    previous[i] = hed_f4(to.x, to.y, to.z, garment);
}

/* Position of a tether's anchor at the substep's end; w: length of the tether, m, below 0 if the
 * particle has none. The position of a driven anchor is computed and not read, because the same
 * launch writes it. */
CLOTH_FUNCTION float4 cloth_anchor_of(uint i, __global const float4 *position,
    __global const uint2 *tether, __global const uint *anchors, __global const float4 *driver_from,
    __global const float4 *driver_to, __global const float4 *driver_map, cloth_step step)
{
    uint2 to = tether[i];
    if (to.x == CLOTH_NONE) return hed_f4(0.0f, 0.0f, 0.0f, -1.0f);
    uint anchor = anchors[to.x];
    float4 there;
    if (cloth_is_driven(anchor, driver_map, step))
        there = cloth_driven_to(anchor, driver_from, driver_to, step);
    else there = position[anchor];
    return hed_f4(there.x, there.y, there.z, as_float(to.y));
}

CLOTH_FUNCTION void cloth_integrate_one(uint i, __global float4 *position,
    __global float4 *previous, __global uint2 *carry, __global const float4 *garments,
    __global const float4 *air, __global const uint2 *tether, __global const uint *anchors,
    __global const float4 *driver_from, __global const float4 *driver_to,
    __global const float4 *driver_map, cloth_step step)
{
    float4 at = position[i], before = previous[i];
    if (at.w == 0.0f) {
        cloth_follow(i, before.w, position, previous, driver_from, driver_to, driver_map, step);
        return;
    }
    float4 plate = (step.flags & CLOTH_STEP_AIR) ? air[i] : hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    uint2 carried = carry[i];
    float4 moved = cloth_integrate(
        at, before, &carried, plate, cloth_garment_at(garments, (uint)before.w), step);
    carry[i] = carried;
    if (step.flags & CLOTH_STEP_TETHERS) {
        float4 there =
            cloth_anchor_of(i, position, tether, anchors, driver_from, driver_to, driver_map, step);
        if (there.w >= 0.0f) moved = cloth_tether(moved, there, there.w);
    }
    previous[i] = hed_f4(at.x, at.y, at.z, before.w);
    position[i] = moved;
}

/* `pass`: 0: the only iteration, or no constraint has compliance: multipliers are not used; 1: the
 * first of several iterations; 2: a later iteration. */
CLOTH_FUNCTION void cloth_distance_one(uint i, __global float4 *position,
    __global const uint2 *ends, __global const float *rests, __global const ushort *kinds,
    __global const float4 *materials, __global float *multipliers, float stiffness, uint pass)
{
    uint2 end = ends[i];
    float rest = rests[i];
    float4 material = materials[kinds[i]], a = position[end.x], b = position[end.y];
    float give = material.z * stiffness;
    if (pass == 0) {
        cloth_project(&a, &b, rest * material.x, rest * material.y, give);
    } else {
        float multiplier = pass == 1 ? 0.0f : multipliers[i];
        cloth_project_again(&a, &b, rest * material.x, rest * material.y, give, &multiplier);
        multipliers[i] = multiplier;
    }
    if (a.w > 0.0f) position[end.x] = a; /* constraints of a set may share a locked particle */
    if (b.w > 0.0f) position[end.y] = b;
}

/* ---- bending along a line of a grid, or a strip of its cells, as one system (model/bend.c) ---- */

/* A line: members of struct cloth_line (model/garment.h), the index of its first row in `weights`
 * (`weights_at`), and in the arrays with an element for each row of all lines (`row`). */
typedef struct cloth_line_at {
    uint first, count, step, across, weights_at, row;
} cloth_line_at;

CLOTH_FUNCTION cloth_line_at cloth_line_of(__global const uint4 *lines, uint i)
{
    uint4 a = lines[2 * i], b = lines[2 * i + 1];
    cloth_line_at line = {a.x, a.y, a.z, a.w, b.x, b.y};
    return line;
}

/* `sum`: right side in x y z and the diagonal in w; after the solution, the multipliers in x y z.
 * `one` and `two`: elements left of the diagonal, in the columns of the previous row and of the row
 * before that one; after the factorisation, the elements of L. */
typedef struct cloth_line_row {
    float4 sum;
    float one, two;
} cloth_line_row;

/* Row j of the system. `pulled`: multipliers of the substep's earlier iterations; `pass`: as in
 * cloth_distance_one(). */
CLOTH_FUNCTION cloth_line_row cloth_line_row_of(uint j, cloth_line_at line,
    __global const float4 *position, __global const float4 *weights, __global const float4 *pulled,
    float give, uint pass)
{
    uint at = line.first + j * line.step, next = at + line.step, w = line.weights_at + j;
    float4 k = weights[w], l = weights[j > 0 ? w - 1 : w], m = weights[j > 1 ? w - 2 : w];
    float4 a = position[at], b = position[next],
           c = position[next + (line.across ? line.across : line.step)],
           d = position[at + line.across], so_far = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    float ka = k.x * a.w, kb = k.y * b.w, kc = k.z * c.w, kd = k.w * d.w;
    cloth_line_row row;
    if (pass == 2) so_far = pulled[line.row + j];
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
    float4 none = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    cloth_line_pass made = {none, none, 0.0f, 0.0f, 0.0f, 0.0f};
    return made;
}

/* Subtracts the product of L and the last two rows. */
CLOTH_FUNCTION float4 cloth_line_less(const cloth_line_pass *along, float4 sum)
{
    sum.x = fma(-along->near, along->one.x, fma(-along->far, along->two.x, sum.x));
    sum.y = fma(-along->near, along->one.y, fma(-along->far, along->two.y, sum.y));
    sum.z = fma(-along->near, along->one.z, fma(-along->far, along->two.z, sum.z));
    return sum;
}

/* Factorises the next row of L D L' and substitutes forward. */
CLOTH_FUNCTION cloth_line_row cloth_line_forth(cloth_line_pass *along, cloth_line_row row)
{
    float with_one = fma(-row.two, along->near, row.one), inverse;
    along->near = with_one * along->inverse;
    along->far = row.two * along->inverse_before;
    inverse = cloth_inverse(fma(-row.two, along->far, fma(-with_one, along->near, row.sum.w)));
    row.sum = cloth_line_less(along, row.sum);
    along->two = along->one;
    along->one = row.sum;
    along->inverse_before = along->inverse;
    along->inverse = inverse;
    row.sum.x *= inverse;
    row.sum.y *= inverse;
    row.sum.z *= inverse;
    row.one = along->near;
    row.two = along->far;
    return row;
}

/* Substitutes backward in the next row from the end: its multipliers. `inverse` keeps `two` of the
 * last row for one more row, then becomes `far`. */
CLOTH_FUNCTION cloth_line_row cloth_line_back(cloth_line_pass *along, cloth_line_row row)
{
    row.sum = cloth_line_less(along, row.sum);
    along->two = along->one;
    along->one = row.sum;
    along->far = along->inverse;
    along->near = row.one;
    along->inverse = row.two;
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

/* Moves particle j of a line, j < count + 2, or both particles j of a strip, j < count + 1. */
CLOTH_FUNCTION void cloth_line_move(uint j, cloth_line_at line, __global float4 *position,
    __global const float4 *weights, __global const float4 *sums)
{
    uint i = line.first + j * line.step, w = line.weights_at + j, s = line.row + j;
    float4 at = position[i];
    if (j < line.count) at = cloth_line_pull(at, weights[w].x, sums[s]);
    if (j > 0 && j <= line.count) at = cloth_line_pull(at, weights[w - 1].y, sums[s - 1]);
    if (j > 1 && !line.across) at = cloth_line_pull(at, weights[w - 2].z, sums[s - 2]);
    if (at.w > 0.0f) position[i] = at;
    if (!line.across) return;
    at = position[i + line.across];
    if (j < line.count) at = cloth_line_pull(at, weights[w].w, sums[s]);
    if (j > 0) at = cloth_line_pull(at, weights[w - 1].z, sums[s - 1]);
    if (at.w > 0.0f) position[i + line.across] = at;
}

/* Stores the sum of a row's multipliers for the next iteration, if `pass` is 1 or 2. */
CLOTH_FUNCTION void cloth_line_keep(
    uint j, cloth_line_at line, __global const float4 *sums, __global float4 *pulled, uint pass)
{
    float4 pull = sums[line.row + j], so_far = pulled[line.row + j];
    if (pass == 2) {
        pull.x += so_far.x;
        pull.y += so_far.y;
        pull.z += so_far.z;
    }
    if (pass > 0) pulled[line.row + j] = pull;
}

/* Stores the new position of a particle, unless it is locked. */
CLOTH_FUNCTION void cloth_move_as(__global float4 *to, float4 moved, float4 origin)
{
    float4 at = *to;
    if (at.w > 0.0f) *to = cloth_moved(at, moved, origin);
}

/* Projects element i of `count` (cloth_element; its rows of four words are `count` apart). A corner
 * replaces a particle beyond a border, with weight 0. Positions are relative to the first corner, and
 * all six constraints move a particle at once: with many substeps the correction of one constraint
 * is smaller than the resolution of a position in float. `pulled`: multipliers, three float4 for
 * each element, `count` apart; `pass`: as in cloth_distance_one(). */
CLOTH_FUNCTION void cloth_element_one(uint i, __global float4 *position,
    __global const uint4 *elements, uint count, __global float4 *pulled, float stiffness, uint pass)
{
    uint4 r0 = elements[i];
    cloth_element_rows of = {elements[count + i], elements[2 * count + i], elements[3 * count + i],
        elements[4 * count + i], elements[5 * count + i], elements[6 * count + i],
        elements[7 * count + i]};
    float4 origin = position[r0.w], a = cloth_from(origin, origin),
           b = cloth_from(position[of.r1.x], origin), c = cloth_from(position[of.r1.y], origin),
           p = cloth_from(position[r0.x], origin), q = cloth_from(position[r0.y], origin),
           r = cloth_from(position[r0.z], origin), none = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    cloth_element_pull pull = {none, none, none};
    if (pass == 2) {
        pull.warp = pulled[i];
        pull.twist = pulled[count + i];
        pull.weft = pulled[2 * count + i];
    }
    cloth_project_element(&a, &b, &c, &p, &q, &r, of, stiffness, &pull);
    if (pass > 0) {
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

CLOTH_INLINE void cloth_drive_one(uint i, __global float4 *position,
    __global const float4 *previous, __global const float4 *garments,
    __global const float4 *colliders, __global const float4 *contact,
    __global const float4 *driver_from, __global const float4 *driver_to,
    __global const float4 *driver_map, __global uint2 *debug, cloth_step step)
{
    float4 at = position[i], before = previous[i], start;
    uint acted = 0;
    if (at.w > 0.0f) {
        cloth_cloth cloth = cloth_garment_at(garments, (uint)before.w);
        if (step.colliders > 0)
            at = cloth_collide(at, before, cloth.thickness, cloth.friction, colliders,
                step.colliders, step.from, step.to);
        if (step.flags & CLOTH_STEP_CONTACTS)
            at = cloth_touch(at, before, cloth.thickness, cloth.friction, contact[2 * i],
                contact[2 * i + 1], step.from, step.to);
    }
    start = at;
    if ((step.flags & CLOTH_STEP_DRIVER) && at.w > 0.0f)
        at =
            cloth_drive(i, at, driver_from, driver_to, driver_map, step.particles, step.to, &acted);
    position[i] = at;
    if (step.flags & CLOTH_STEP_DRIVER) {
        float moved = sqrt(cloth_square(at.x - start.x, at.y - start.y, at.z - start.z));
        debug[i] = hed_u2(cloth_colour(acted), as_uint(moved));
    }
}

/* ---- gas in closed garments ---- */

#define CLOTH_GAS_LANES 256u /* lanes of a volume's sum; a lane adds every 256th triangle */

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

/* Pressure of a gas * dt^2, kg/m. `amount`: pressure * volume, Pa m^3; `least`: lower bound of the
 * volume, m^3. */
CLOTH_FUNCTION float cloth_gas_push(float six_volumes, float amount, float least, float dt_square)
{
    return amount * dt_square / hed_max(six_volumes * (1.0f / 6.0f), least);
}

/* Computes a particle's unit normal and its area / mass: a third of the area of each triangle around
 * it. `closed`: the area is a third of the length of the sum of the triangles' area vectors, which is
 * the gradient of a closed surface's volume, so that pressure does not move the surface as a whole. */
CLOTH_FUNCTION void cloth_surface_one(uint i, __global const float4 *position,
    __global const uint *incident_at, __global const uint *incident, __global const uint *triangles,
    __global float4 *air, uint closed)
{
    float x = 0.0f, y = 0.0f, z = 0.0f, area = 0.0f;
    for (uint k = incident_at[i]; k < incident_at[i + 1]; k++) {
        uint at = 3 * incident[k];
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
    if (closed) area = sqrt(cloth_square(x, y, z));
    float4 normal = cloth_unit(hed_f4(x, y, z, area * (1.0f / 6.0f) * position[i].w));
    air[i] = normal;
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

CLOTH_FUNCTION float4 cloth_column(const float *matrix, uint column)
{
    return hed_f4(
        matrix[4 * column], matrix[4 * column + 1], matrix[4 * column + 2], matrix[4 * column + 3]);
}

/* Position of a particle in the program's coordinates. */
CLOTH_FUNCTION float4 cloth_shown(float4 p, cloth_view view)
{
    return cloth_transform(p, cloth_column(view.matrix, 0), cloth_column(view.matrix, 1),
        cloth_column(view.matrix, 2), cloth_column(view.matrix, 3));
}

CLOTH_FUNCTION float4 cloth_shown_normal(float4 normal, cloth_view view)
{
    return cloth_unit(
        cloth_transform(normal, cloth_column(view.normals, 0), cloth_column(view.normals, 1),
            cloth_column(view.normals, 2), hed_f4(0.0f, 0.0f, 0.0f, 0.0f)));
}

/* True if every coordinate is within [-most, most]; false for NaN. */
CLOTH_FUNCTION uint cloth_within(float4 p, float most)
{
    return fabs(p.x) <= most && fabs(p.y) <= most && fabs(p.z) <= most;
}

CLOTH_FUNCTION uint cloth_finite(float4 p) { return cloth_within(p, 1e30f); }

CLOTH_FUNCTION void cloth_write_back_one(uint i, __global const float4 *position,
    __global const uint2 *debug, __global const uint *vertex_particle, __global const float4 *air,
    __global float4 *vertices, __global float4 *normals, __global uint *broken, cloth_view view)
{
    uint particle = (view.flags & CLOTH_VIEW_GATHER) ? vertex_particle[i] : i;
    float4 p = position[particle];
    if (!cloth_finite(p)) {
        broken[0] = 1;
        /* replaced by 0, so that the program gets finite numbers; hed_cloth_wait() returns the error */
        p = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    uint colour = (view.flags & CLOTH_VIEW_COLOURS) ? debug[particle].x : 0xffffffffu;
    float4 shown = cloth_shown(p, view);
    vertices[i] = hed_f4(shown.x, shown.y, shown.z, as_float(colour));
    if (view.flags & CLOTH_VIEW_NORMALS) normals[i] = cloth_shown_normal(air[particle], view);
}

/* Kinds of data that hed_cloth_read() returns for a vertex: rows of three floats, and colours of
 * four bytes, without gaps. */
#define CLOTH_READ_POSITIONS 1u
#define CLOTH_READ_NORMALS 2u
#define CLOTH_READ_COLOURS 4u

CLOTH_FUNCTION void cloth_read_one(uint i, __global const float4 *position,
    __global const uint2 *debug, __global const uint *vertex_particle, __global const float4 *air,
    __global float *positions, __global float *normals, __global uint *colours, cloth_view view,
    uint wanted)
{
    uint particle = (view.flags & CLOTH_VIEW_GATHER) ? vertex_particle[i] : i;
    if (wanted & CLOTH_READ_POSITIONS) {
        float4 shown = cloth_shown(position[particle], view);
        positions[3 * i] = shown.x;
        positions[3 * i + 1] = shown.y;
        positions[3 * i + 2] = shown.z;
    }
    if (wanted & CLOTH_READ_NORMALS) {
        float4 turned = cloth_shown_normal(air[particle], view);
        normals[3 * i] = turned.x;
        normals[3 * i + 1] = turned.y;
        normals[3 * i + 2] = turned.z;
    }
    if (wanted & CLOTH_READ_COLOURS)
        colours[i] = (view.flags & CLOTH_VIEW_COLOURS) ? debug[particle].x : 0xffffffffu;
}

/* Kinds of driver data that the program passes: rows of three floats, or pairs of position and
 * normal. cloth_feed_one() copies them into the halves that cloth_drive() reads; a half without data
 * keeps its values. */
#define CLOTH_FEED_POSITIONS 1u
#define CLOTH_FEED_NORMALS 2u
#define CLOTH_FEED_PAIRS 4u     /* instead of POSITIONS and NORMALS */
#define CLOTH_FARTHEST_FED 1e6f /* m, as CLOTH_FARTHEST in the checks of the host */

/* Parameters of cloth_feed_one(), passed by value. `x y z`: the origin, which floats represent
 * exactly: the difference is rounded once, as it would be from double. */
typedef struct cloth_feeding {
    uint given; /* CLOTH_FEED_* */
    uint particles;
    float x, y, z;
} cloth_feeding;

CLOTH_FUNCTION void cloth_feed_one(uint i, __global const float *positions,
    __global const float *normals, __global const float4 *pairs, __global const float4 *driver_map,
    __global float4 *driver_to, cloth_feeding fed)
{
    if (driver_map[i].x == CLOTH_UNDRIVEN) return;
    if (fed.given & CLOTH_FEED_POSITIONS)
        driver_to[i] = hed_f4(positions[3 * i] - fed.x, positions[3 * i + 1] - fed.y,
            positions[3 * i + 2] - fed.z, 0.0f);
    if (fed.given & CLOTH_FEED_NORMALS)
        driver_to[fed.particles + i] =
            hed_f4(normals[3 * i], normals[3 * i + 1], normals[3 * i + 2], 0.0f);
    if (fed.given & CLOTH_FEED_PAIRS) {
        float4 place = pairs[2 * i], normal = pairs[2 * i + 1];
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
    uint what; /* CLOTH_MOVE_* */
    /* CLOTH_MOVE_LED: rotation of the motions, three columns of four, and a matrix as `matrix`, whose
     * product with the old position is added to the motion */
    float turn[12];
    float lead[16];
} cloth_rigid;

#define CLOTH_MOVE_POINTS 0u
#define CLOTH_MOVE_DIRECTIONS 1u /* without the translation */
#define CLOTH_MOVE_PARTICLES 2u  /* positions; `previous` and `carry` turn too */
#define CLOTH_MOVE_LED 3u        /* positions; motions of free particles by `turn` and `lead` */

CLOTH_FUNCTION float4 cloth_rigidly(float4 p, cloth_rigid rigid, float4 last)
{
    return cloth_transform(p, cloth_column(rigid.matrix, 0), cloth_column(rigid.matrix, 1),
        cloth_column(rigid.matrix, 2), last);
}

CLOTH_FUNCTION void cloth_move_one(uint i, __global float4 *array, __global float4 *previous,
    __global uint2 *carry, cloth_rigid rigid)
{
    uint at = rigid.first + i;
    float4 none = hed_f4(0.0f, 0.0f, 0.0f, 0.0f), p = array[at];
    float4 moved = cloth_rigidly(
        p, rigid, rigid.what == CLOTH_MOVE_DIRECTIONS ? none : cloth_column(rigid.matrix, 3));
    array[at] = hed_f4(moved.x, moved.y, moved.z, p.w);
    if (rigid.what < CLOTH_MOVE_PARTICLES) return;
    float4 before = previous[at], lost = cloth_carry_of(carry[at]);
    float4 way =
        hed_f4(p.x - before.x + lost.x, p.y - before.y + lost.y, p.z - before.z + lost.z, 0.0f);
    if (rigid.what == CLOTH_MOVE_LED) {
        if (p.w == 0.0f) return;
        float4 gain = cloth_transform(p, cloth_column(rigid.lead, 0), cloth_column(rigid.lead, 1),
            cloth_column(rigid.lead, 2), cloth_column(rigid.lead, 3));
        way = cloth_transform(way, cloth_column(rigid.turn, 0), cloth_column(rigid.turn, 1),
            cloth_column(rigid.turn, 2), gain);
    } else {
        way = cloth_rigidly(way, rigid, none);
    }
    before = hed_f4(moved.x - way.x, moved.y - way.y, moved.z - way.z, before.w);
    previous[at] = before;
    carry[at] = cloth_carry_pack(hed_f4(way.x - (moved.x - before.x), way.y - (moved.y - before.y),
        way.z - (moved.z - before.z), 0.0f));
}

#endif
