/* Tension over a whole garment: chains of points whose distances are one system each, places of
 * lattices, and the points that follow them (model/lattice.c). One text for OpenCL C, CUDA and C. */
#ifndef CLOTH_CHAIN_H
#define CLOTH_CHAIN_H

/* If cloth touches anything, a particle stops within a substep, and one linear solution of a
 * line leaves the motion of its neighbours across the edge. So lines are solved twice, and once more
 * between two passes of contacts: edges that are longer than CLOTH_LIMIT and the length that their force
 * explains are shortened. */
#define CLOTH_TOUCHED_PASSES 2u
#define CLOTH_LIMIT 1.01f /* length / rest length */
/* A line's edges turn while the system moves their ends, so in a sharp fold the longest of
 * them remain too long: 10 % at 255 x 255 with 10 substeps. So after the limits every second edge of a
 * line that is longer than its limit, then each of the others, is shortened to that by itself, as many
 * times as CLOTH_SHORTENINGS says: 6, 12 and 24 times at 64, 128 and 255 points, since excess length moves on
 * by an edge or two each time. `edges`: of the line. */
#define CLOTH_SHORTENINGS(pass, edges) \
    (CLOTH_REMEMBERS && (pass) > CLOTH_LIMIT_PASS ? CLOTH_HUNG_SHORTENINGS \
        : (edges) < 64u                           ? 6u \
                                                  : ((edges) + 2u) * 3u / 32u)
#define CLOTH_LIMIT_PASS 3u
/* A sheet that remembers (CLOTH_RECALL) has, in place of sweeps at its pins, tension along the warp again and
 * then limits along the weft, both with few shortenings to CLOTH_LIMIT times the maximum. Without the second tension
 * it is unstable with two substeps; with tension along the weft its longest edges, at pins, are 7 % too long. */
#define CLOTH_HUNG_PASS 4u
#define CLOTH_HUNG_SHORTENINGS 4u
#define CLOTH_SHORTENED(pass) (CLOTH_REMEMBERS && (pass) > CLOTH_LIMIT_PASS ? CLOTH_LIMIT : 1.0f)

/* ---- chains ---- */

#define CLOTH_CHAIN_SCALE \
    1.001f /* factor of the diagonal: CLOTH_CHAIN_DIAGONAL of model/garment.h */

/* `chains`: two uint4 each (cloth_chain_of()). `edges`: rest length, m, and compliance, m/N, of each
 * edge. `units` and `pulls`, one for each edge, and `links`, two for each: the system and its solution. `pulled`: multipliers of earlier sweeps; `pass`: 0: one sweep, 1: the first, 2: a
 * later one, CLOTH_LIMIT_PASS: limits, whose maximum length is that of `high` and of the force in `pulled`,
 * after which edges are shortened.
 * `before`: points as they were at the substep's start, from number `turns` on; 0: edges pull along
 * themselves (cloth_chain_axis()). */
#define CLOTH_CHAINS(FIRST, NEXT) \
    FIRST(SHARED, float4, points) \
    NEXT(SHARED_IN, float4, before) \
    NEXT(IN, uint4, chains) \
    NEXT(IN, float, edges) \
    NEXT(SCRATCH, float4, units) \
    NEXT(SCRATCH, float, links) NEXT(SCRATCH, float, pulls) NEXT(SHARED, float, pulled) \
        NEXT(IN, float4, steps) NEXT(VALUE, uint, substep) NEXT(VALUE, uint, pass) \
            NEXT(VALUE, uint, turns) NEXT(VALUE, uint, first)
HED_VIEW(cloth_chains_view, CLOTH_CHAINS)

/* Chain of `count` edges between points first + j step; `low`, `high`: minimum and maximum length /
 * rest length; `soften`: of cloth_chains (model/garment.h). */
typedef struct cloth_chain_at {
    uint first, count, step, edges;
    float low, high, soften;
} cloth_chain_at;

CLOTH_FUNCTION cloth_chain_at cloth_chain_at_of(uint4 a, uint4 b)
{
    cloth_chain_at chain = {a.x, a.y, a.z, a.w, as_float(b.x), as_float(b.y), as_float(b.z)};
    return chain;
}

CLOTH_FUNCTION cloth_chain_at cloth_chain_of(__global const uint4 *chains, uint i)
{
    return cloth_chain_at_of(chains[2 * i], chains[2 * i + 1]);
}

/* Give of an edge between points of inverse masses that add up to `weight`. */
CLOTH_FUNCTION float cloth_chain_give(float compliance, float stiffness, float soften, float weight)
{
    float give = compliance * stiffness;
    return fma(give * give * soften, cloth_inverse(hed_max(weight, 1e-20f)), give);
}

/* Edge of a chain: rest length, m, compliance, m/N, and multipliers of earlier sweeps. */
typedef struct cloth_chain_edge {
    float rest, compliance, pulled;
} cloth_chain_edge;

CLOTH_FUNCTION cloth_chain_edge cloth_chain_edge_of(uint e, cloth_chains_view view)
{
    cloth_chain_edge edge = {view.edges[2 * e], view.edges[2 * e + 1], 0.0f};
    if (view.pass >= 2) edge.pulled = view.pulled[e];
    return edge;
}

/* Shortens an edge between two points to its limit, `high` and `stretch`, m. */
CLOTH_FUNCTION void cloth_chain_shorten(float4 *a, float4 *b, float high, float stretch)
{
    float4 way = cloth_from(*b, *a);
    float length = sqrt(cloth_square(way.x, way.y, way.z) + 1e-24f), limit = high + stretch,
          share = (length - limit) * cloth_inverse(hed_max(a->w + b->w, 1e-20f) * length);
    if (!(length > limit)) return;
    float share_a = a->w * share, share_b = -(b->w * share);
    a->x = fma(share_a, way.x, a->x);
    a->y = fma(share_a, way.y, a->y);
    a->z = fma(share_a, way.z, a->z);
    b->x = fma(share_b, way.x, b->x);
    b->y = fma(share_b, way.y, b->y);
    b->z = fma(share_b, way.z, b->z);
}

/* Length that the force of earlier sweeps explains. `weight`: sum of the inverse masses of its ends. */
CLOTH_FUNCTION float cloth_chain_stretch(
    cloth_chain_edge edge, cloth_chain_at chain, uint pass, float stiffness, float weight)
{
    if (pass < 2) return 0.0f;
    return cloth_chain_give(edge.compliance, stiffness, chain.soften, weight) *
           (pass >= CLOTH_LIMIT_PASS ? hed_max(edge.pulled, 0.0f) : edge.pulled);
}

/* Unit vector and right side of an edge from point `a` to point `b`. `pass`: of CLOTH_CHAINS. */
CLOTH_FUNCTION float4 cloth_chain_unit(
    float4 a, float4 b, cloth_chain_edge edge, cloth_chain_at chain, uint pass, float stiffness)
{
    float4 way = cloth_from(b, a);
    float rest = edge.rest, stretch = cloth_chain_stretch(edge, chain, pass, stiffness, a.w + b.w),
          length = sqrt(cloth_square(way.x, way.y, way.z) + 1e-24f);
    float low = chain.low * rest, high = chain.high * rest;
    if (pass >= CLOTH_LIMIT_PASS) high += stretch;
    float bound = hed_min(hed_max(length, low), high), right = length - bound;
    if (pass == 2) right -= stretch;
    float part = low < high && right == 0.0f ? 0.0f : 1.0f / length;
    return hed_f4(way.x * part, way.y * part, way.z * part, right);
}

/* Returns the vector along which an edge pulls: the mean of its unit vector `unit` and of its direction
 * at the substep's start, from point `a` to point `b`, with a component of 1 along `unit`; `unit` if that
 * is 0 or the edge has turned by more than 60 degrees. Implicit Euler pulls along the direction at the
 * end, and so damps motions that turn edges. */
CLOTH_FUNCTION float4 cloth_chain_axis(float4 unit, float4 a, float4 b)
{
    float4 past = cloth_from(b, a);
    float part = 1.0f / sqrt(cloth_square(past.x, past.y, past.z) + 1e-24f);
    past.x *= part;
    past.y *= part;
    past.z *= part;
    float turn = fma(unit.x, past.x, fma(unit.y, past.y, unit.z * past.z));
    if (!(turn > 0.5f)) return unit;
    part = 1.0f / (1.0f + turn);
    return hed_f4(
        (unit.x + past.x) * part, (unit.y + past.y) * part, (unit.z + past.z) * part, unit.w);
}

CLOTH_FUNCTION float cloth_chain_cosine(float4 a, float4 b)
{
    return fma(a.x, b.x, fma(a.y, b.y, a.z * b.z));
}

/* Row of an edge, divided by its diagonal: its multiplier is right - before x (that of the row before)
 * - after x (that of the next row). */
typedef struct cloth_chain_row {
    float before, after, right;
} cloth_chain_row;

/* Element on the diagonal in the row of an edge. `weight`: sum of the inverse masses of its ends. */
CLOTH_FUNCTION float cloth_chain_diagonal(
    float weight, cloth_chain_edge edge, cloth_chain_at chain, float stiffness)
{
    return fma(weight, CLOTH_CHAIN_SCALE,
        1e-20f + cloth_chain_give(edge.compliance, stiffness, chain.soften, weight));
}

/* Row of an edge between points of inverse masses `wa` and `wb`. `unit`: its unit vector, or 0; w: right
 * side; `last`, `next`: cloth_chain_axis() of the edges before and after it, or 0; `inverse`: 1 /
 * cloth_chain_diagonal(). */
CLOTH_FUNCTION cloth_chain_row cloth_chain_row_of(
    float4 unit, float4 last, float4 next, float wa, float wb, float inverse)
{
    cloth_chain_row row;
    row.before = -wa * cloth_chain_cosine(unit, last) * inverse;
    row.after = -wb * cloth_chain_cosine(next, unit) * inverse;
    row.right = unit.w * inverse;
    return row;
}

/* Eliminates the rows `left` and `next` from a row. */
CLOTH_FUNCTION cloth_chain_row cloth_chain_without(
    cloth_chain_row me, cloth_chain_row left, cloth_chain_row next)
{
    float inverse = cloth_inverse(fma(-me.before, left.after, fma(-me.after, next.before, 1.0f)));
    me.right = inverse * fma(-me.before, left.right, fma(-me.after, next.right, me.right));
    me.before *= -left.before * inverse;
    me.after *= -next.after * inverse;
    return me;
}

/* Multiplier of a row. `left`, `next`: multipliers of the rows before and after it, or 0. */
CLOTH_FUNCTION float cloth_chain_multiplier(cloth_chain_row row, float left, float next)
{
    return fma(-row.before, left, fma(-row.after, next, row.right));
}

/* ---- solution by cyclic reduction in `units`, `links` and `pulls` (R. W. Hockney, 1965) ---- */

CLOTH_FUNCTION float4 cloth_chain_unit_of(
    uint j, cloth_chain_at chain, cloth_chains_view view, float stiffness)
{
    uint at = chain.first + j * chain.step;
    return cloth_chain_unit(view.points[at], view.points[at + chain.step],
        cloth_chain_edge_of(chain.edges + j, view), chain, view.pass, stiffness);
}

/* Stores the vector along which edge j pulls; w: right side. */
CLOTH_FUNCTION void cloth_chain_aim(
    uint j, cloth_chain_at chain, cloth_chains_view view, float stiffness)
{
    float4 unit = cloth_chain_unit_of(j, chain, view, stiffness);
    if (view.turns) {
        __global const float4 *before = view.before + view.turns + chain.first + j * chain.step;
        unit = cloth_chain_axis(unit, before[0], before[chain.step]);
    }
    view.units[chain.edges + j] = unit;
}

/* Stores the row of edge j, after cloth_chain_aim() of all. */
CLOTH_FUNCTION void cloth_chain_begin(
    uint j, cloth_chain_at chain, cloth_chains_view view, float stiffness)
{
    const float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    uint e = chain.edges + j, at = chain.first + j * chain.step;
    float4 unit = view.turns ? cloth_chain_unit_of(j, chain, view, stiffness) : view.units[e];
    float wa = view.points[at].w, wb = view.points[at + chain.step].w,
          inverse = cloth_inverse(
              cloth_chain_diagonal(wa + wb, cloth_chain_edge_of(e, view), chain, stiffness));
    cloth_chain_row row = cloth_chain_row_of(unit, j > 0 ? view.units[e - 1] : zero,
        j + 1 < chain.count ? view.units[e + 1] : zero, wa, wb, inverse);
    view.links[2 * e] = row.before;
    view.links[2 * e + 1] = row.after;
    view.pulls[e] = row.right;
}

/* Row of edge j; 0 after the last one. */
CLOTH_FUNCTION cloth_chain_row cloth_chain_stored(
    uint j, cloth_chain_at chain, cloth_chains_view view)
{
    cloth_chain_row row = {0.0f, 0.0f, 0.0f};
    uint e = chain.edges + j;
    if (j >= chain.count) return row;
    row.before = view.links[2 * e];
    row.after = view.links[2 * e + 1];
    row.right = view.pulls[e];
    return row;
}

/* Eliminates the rows at distance `step` from row j, one of cloth_reduced(). */
CLOTH_FUNCTION void cloth_chain_reduce(
    uint j, uint step, cloth_chain_at chain, cloth_chains_view view)
{
    uint e = chain.edges + j;
    cloth_chain_row row = cloth_chain_without(cloth_chain_stored(j, chain, view),
        cloth_chain_stored(j - step, chain, view), cloth_chain_stored(j + step, chain, view));
    view.links[2 * e] = row.before;
    view.links[2 * e + 1] = row.after;
    view.pulls[e] = row.right;
}

/* Stores the multiplier of row j, one of cloth_solved(). */
CLOTH_FUNCTION void cloth_chain_substitute(
    uint j, uint step, cloth_chain_at chain, cloth_chains_view view)
{
    uint e = chain.edges + j;
    view.pulls[e] = cloth_chain_multiplier(cloth_chain_stored(j, chain, view),
        j >= step ? view.pulls[e - step] : 0.0f,
        j + step < chain.count ? view.pulls[e + step] : 0.0f);
}

/* ---- motion of the points ---- */

/* Moves a free point by the edges after and before it: unit vectors, with their multipliers in w;
 * 0: no edge. */
CLOTH_FUNCTION float4 cloth_chain_moved(float4 at, float4 next, float4 last)
{
    float x = next.w * next.x, y = next.w * next.y, z = next.w * next.z;
    x = fma(-last.w, last.x, x);
    y = fma(-last.w, last.y, y);
    z = fma(-last.w, last.z, z);
    at.x = fma(at.w, x, at.x);
    at.y = fma(at.w, y, at.y);
    at.z = fma(at.w, z, at.z);
    return at;
}

CLOTH_FUNCTION float4 cloth_chain_pull(uint e, cloth_chains_view view)
{
    float4 unit = view.units[e];
    return hed_f4(unit.x, unit.y, unit.z, view.pulls[e]);
}

/* Moves point j of a chain, j <= count, unless it is locked. */
CLOTH_FUNCTION void cloth_chain_move(uint j, cloth_chain_at chain, cloth_chains_view view)
{
    uint i = chain.first + j * chain.step, e = chain.edges + j;
    float4 at = view.points[i], next = hed_f4(0.0f, 0.0f, 0.0f, 0.0f), last = next;
    if (!(at.w > 0.0f)) return;
    if (j < chain.count) next = cloth_chain_pull(e, view);
    if (j > 0) last = cloth_chain_pull(e - 1, view);
    view.points[i] = cloth_chain_moved(at, next, last);
}

/* Stores the sum of an edge's multipliers for later sweeps. */
CLOTH_FUNCTION void cloth_chain_keep(uint e, float pull, cloth_chains_view view)
{
    view.pulled[e] = (view.pass == 2 ? view.pulled[e] : 0.0f) + pull;
}

#define CLOTH_CHAINS_KEEP(pass) ((pass) == 1 || (pass) == 2)

/* Shortens edge j of a chain. */
CLOTH_FUNCTION void cloth_chain_shorten_at(
    uint j, cloth_chain_at chain, cloth_chains_view view, float stiffness)
{
    uint i = chain.first + j * chain.step;
    cloth_chain_edge edge = cloth_chain_edge_of(chain.edges + j, view);
    float4 a = view.points[i], b = view.points[i + chain.step];
    cloth_chain_shorten(&a, &b, CLOTH_SHORTENED(view.pass) * (chain.high * edge.rest),
        cloth_chain_stretch(edge, chain, view.pass, stiffness, a.w + b.w));
    if (a.w > 0.0f) view.points[i] = a;
    if (b.w > 0.0f) view.points[i + chain.step] = b;
}

/* Solves a chain by one item. */
CLOTH_FUNCTION void cloth_chain_solve(cloth_chain_at chain, cloth_chains_view view, float stiffness)
{
    uint step = 1;
    CLOTH_ROLLED
    for (uint j = 0; j < chain.count; j++) cloth_chain_aim(j, chain, view, stiffness);
    CLOTH_ROLLED
    for (uint j = 0; j < chain.count; j++) cloth_chain_begin(j, chain, view, stiffness);
    CLOTH_ROLLED
    for (; step < chain.count; step *= 2)
        for (uint j = cloth_reduced(0, step); j < chain.count; j += 2 * step)
            cloth_chain_reduce(j, step, chain, view);
    CLOTH_ROLLED
    for (; step > 0; step /= 2)
        for (uint j = cloth_solved(0, step); j < chain.count; j += 2 * step)
            cloth_chain_substitute(j, step, chain, view);
    CLOTH_ROLLED
    for (uint j = 0; j <= chain.count; j++) cloth_chain_move(j, chain, view);
    CLOTH_ROLLED
    for (uint e = chain.edges; CLOTH_CHAINS_KEEP(view.pass) && e < chain.edges + chain.count; e++)
        cloth_chain_keep(e, view.pulls[e], view);
    CLOTH_ROLLED
    for (uint k = 0;
         view.pass >= CLOTH_LIMIT_PASS && k < 2u * CLOTH_SHORTENINGS(view.pass, chain.count); k++)
        for (uint j = k % 2; j < chain.count; j += 2)
            cloth_chain_shorten_at(j, chain, view, stiffness);
}

/* ---- lattices ---- */

/* `sources`, two uint4 for each place: particles and bits of the inverse mass, bits of the parts.
 * `from`: places before they move, and if `turns` is not 0, from number `turns` on at the substep's
 * start, which `previous` has of particles. */
#define CLOTH_PLACES(FIRST, NEXT) \
    FIRST(IN, float4, position) \
    NEXT(IN, float4, previous) \
    NEXT(IN, uint4, sources) \
    NEXT(SHARED, float4, places) NEXT(SHARED, float4, from) NEXT(VALUE, uint, turns) \
        NEXT(VALUE, float, recall) NEXT(VALUE, uint, first) NEXT(VALUE, uint, count)
HED_VIEW(cloth_places_view, CLOTH_PLACES)

/* Returns a place sampled from an array of particles. */
CLOTH_FUNCTION float4 cloth_place_of(
    uint i, __global const float4 *position, cloth_places_view view)
{
    uint4 particle = view.sources[2 * i], bits = view.sources[2 * i + 1];
    float4 a = position[particle.x], b = position[particle.y], c = position[particle.z];
    float u = as_float(bits.x), v = as_float(bits.y), w = as_float(bits.z);
    a.x = fma(u, a.x, fma(v, b.x, w * c.x));
    a.y = fma(u, a.y, fma(v, b.y, w * c.y));
    a.z = fma(u, a.z, fma(v, b.z, w * c.z));
    a.w = as_float(particle.w);
    return a;
}

/* Returns a place at the substep's start, but for the motion by gravity, of its place `previous` in previous
 * positions and its place `place` after the integration: CLOTH_RECALL. */
CLOTH_FUNCTION float4 cloth_place_past(float4 previous, float4 place, float recall)
{
    if (!CLOTH_REMEMBERS || recall == 0.0f) return previous;
    float factor = 1.0f + recall;
    return hed_f4(factor * previous.x - recall * place.x, factor * previous.y - recall * place.y,
        factor * previous.z - recall * place.z, previous.w);
}

CLOTH_FUNCTION void cloth_place_one(uint i, cloth_places_view view)
{
    float4 place = cloth_place_of(i, view.position, view);
    view.places[i] = place;
    view.from[i] = place;
    if (view.turns)
        view.from[view.turns + i] =
            cloth_place_past(cloth_place_of(i, view.previous, view), place, view.recall);
}

/* `shares`, three uint4 each: the point, places, bits of the places' parts. */
#define CLOTH_SHARES(FIRST, NEXT) \
    FIRST(SHARED, float4, points) \
    NEXT(IN, uint4, shares) \
    NEXT(SHARED_IN, float4, places) NEXT(SHARED_IN, float4, from) NEXT(VALUE, uint, first) \
        NEXT(VALUE, uint, count)
HED_VIEW(cloth_shares_view, CLOTH_SHARES)

CLOTH_FUNCTION float4 cloth_place_moved(uint place, float part, float4 sum, cloth_shares_view view)
{
    float4 to = view.places[place], from = view.from[place];
    sum.x = fma(part, to.x - from.x, sum.x);
    sum.y = fma(part, to.y - from.y, sum.y);
    sum.z = fma(part, to.z - from.z, sum.z);
    return sum;
}

/* Returns point i of the shares, moved by the motions of four places, and its number. */
CLOTH_FUNCTION float4 cloth_share_of(uint i, cloth_shares_view view, uint *point)
{
    uint4 place = view.shares[3 * i + 1], bits = view.shares[3 * i + 2];
    *point = view.shares[3 * i].x;
    float4 at = view.points[*point], sum = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    sum = cloth_place_moved(place.x, as_float(bits.x), sum, view);
    sum = cloth_place_moved(place.y, as_float(bits.y), sum, view);
    sum = cloth_place_moved(place.z, as_float(bits.z), sum, view);
    sum = cloth_place_moved(place.w, as_float(bits.w), sum, view);
    at.x += sum.x;
    at.y += sum.y;
    at.z += sum.z;
    return at;
}

/* Moves point i unless it is locked. */
CLOTH_FUNCTION void cloth_share_one(uint i, cloth_shares_view view)
{
    uint point;
    float4 at = cloth_share_of(i, view, &point);
    if (at.w > 0.0f) view.points[point] = at;
}

#endif
