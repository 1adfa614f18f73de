/* Tension over a whole garment: chains of points whose distances are one system each, places of
 * lattices, and the points that follow them (model/lattice.c). One text for OpenCL C, CUDA and C. */
#ifndef CLOTH_CHAIN_H
#define CLOTH_CHAIN_H

/* If cloth touches anything, a particle stops within a substep, and one linear solution of a
 * line leaves the motion of its neighbours across the edge. So lines are solved twice, and after
 * the contacts lines of edges that are longer than CLOTH_LIMIT, without the length that their force
 * explains, in turn with the contacts. */
#define CLOTH_TOUCHED_PASSES 2u
#define CLOTH_LIMIT_SWEEPS 3u
#define CLOTH_LIMIT 1.01f /* length / rest length */

/* ---- chains ---- */

#define CLOTH_CHAIN_SCALE \
    1.001f /* factor of the diagonal: CLOTH_CHAIN_DIAGONAL of model/garment.h */

/* `chains`: two uint4 each (cloth_chain_of()). `edges`: rest length, m, and compliance, m/N, of each
 * edge. `units`, `links` and `pulls`, one for each edge: results of the forward pass, read by the
 * backward pass. `pulled`: multipliers of earlier sweeps; `pass`: 0: one sweep, 1: the first, 2: a
 * later one, 3: limits, whose maximum length is that of `high` and of the force in `pulled`. */
#define CLOTH_CHAINS(FIRST, NEXT) \
    FIRST(SHARED, float4, points) \
    NEXT(IN, uint4, chains) \
    NEXT(IN, float, edges) NEXT(SHARED, float4, units) NEXT(SCRATCH, float, links) \
        NEXT(SHARED, float, pulls) NEXT(SHARED, float, pulled) NEXT(IN, float4, steps) \
            NEXT(VALUE, uint, substep) NEXT(VALUE, uint, pass) NEXT(VALUE, uint, first)
HED_VIEW(cloth_chains_view, CLOTH_CHAINS)

/* Chain of `count` edges between points first + j step; `low`, `high`: minimum and maximum length /
 * rest length; `soften`: of cloth_chains (model/garment.h). */
typedef struct cloth_chain_at {
    uint first, count, step, edges;
    float low, high, soften;
} cloth_chain_at;

CLOTH_FUNCTION cloth_chain_at cloth_chain_of(__global const uint4 *chains, uint i)
{
    uint4 a = chains[2 * i], b = chains[2 * i + 1];
    cloth_chain_at chain = {a.x, a.y, a.z, a.w, as_float(b.x), as_float(b.y), as_float(b.z)};
    return chain;
}

/* Row of a chain's system. `unit`: unit vector of the edge, 0 if it is not part of the system; w:
 * right side. `left`: element left of the diagonal; after the factorisation, that of L. */
typedef struct cloth_chain_row {
    float4 unit;
    float diagonal, left;
} cloth_chain_row;

/* Give of an edge between points of inverse masses that add up to `weight`. */
CLOTH_FUNCTION float cloth_chain_give(float compliance, float stiffness, float soften, float weight)
{
    float give = compliance * stiffness;
    return fma(give * give * soften, cloth_inverse(hed_max(weight, 1e-20f)), give);
}

/* Length that the force of earlier sweeps explains. `give`: of the edge. */
CLOTH_FUNCTION float cloth_chain_stretch(uint e, cloth_chains_view view, float give)
{
    float pulled = view.pulled[e];
    return give * (view.pass == 3 ? hed_max(pulled, 0.0f) : pulled);
}

/* Unit vector and right side of edge j. */
CLOTH_FUNCTION float4 cloth_chain_edge(
    uint j, cloth_chain_at chain, cloth_chains_view view, float stiffness)
{
    uint at = chain.first + j * chain.step, e = chain.edges + j;
    float4 a = view.points[at], b = view.points[at + chain.step], way = cloth_from(b, a);
    float rest = view.edges[2 * e], stretch = 0.0f,
          length = sqrt(cloth_square(way.x, way.y, way.z) + 1e-24f);
    if (view.pass >= 2)
        stretch = cloth_chain_stretch(
            e, view, cloth_chain_give(view.edges[2 * e + 1], stiffness, chain.soften, a.w + b.w));
    float low = chain.low * rest, high = chain.high * rest;
    if (view.pass == 3) high += stretch;
    float bound = hed_min(hed_max(length, low), high), right = length - bound;
    if (view.pass == 2) right -= stretch;
    float part = low < high && right == 0.0f ? 0.0f : 1.0f / length;
    return hed_f4(way.x * part, way.y * part, way.z * part, right);
}

CLOTH_FUNCTION cloth_chain_row cloth_chain_row_of(
    uint j, cloth_chain_at chain, cloth_chains_view view, float stiffness)
{
    uint at = chain.first + j * chain.step;
    float wa = view.points[at].w, wb = view.points[at + chain.step].w;
    cloth_chain_row row;
    row.unit = cloth_chain_edge(j, chain, view, stiffness);
    row.diagonal = fma(wa + wb, CLOTH_CHAIN_SCALE,
        1e-20f + cloth_chain_give(
                     view.edges[2 * (chain.edges + j) + 1], stiffness, chain.soften, wa + wb));
    row.left = 0.0f;
    if (j > 0) {
        float4 last = cloth_chain_edge(j - 1, chain, view, stiffness);
        row.left = -wa * fma(row.unit.x, last.x, fma(row.unit.y, last.y, row.unit.z * last.z));
    }
    return row;
}

/* State of the solution along a chain: forward, 1 / pivot and right side of the row before;
 * backward, L and multiplier of the row after. */
typedef struct cloth_chain_pass {
    float inverse, right;
} cloth_chain_pass;

/* Factorises the next row and substitutes forward: L in `left`, right side / pivot in `unit.w`. */
CLOTH_FUNCTION cloth_chain_row cloth_chain_forth(cloth_chain_pass *state, cloth_chain_row row)
{
    float link = row.left * state->inverse, right = fma(-link, state->right, row.unit.w);
    state->inverse = cloth_inverse(fma(-row.left, link, row.diagonal));
    state->right = right;
    row.left = link;
    row.unit.w = right * state->inverse;
    return row;
}

/* Substitutes backward in the next row from the end; returns its multiplier. */
CLOTH_FUNCTION float cloth_chain_back(cloth_chain_pass *state, float solved, float link)
{
    float pull = fma(-state->inverse, state->right, solved);
    state->inverse = link;
    state->right = pull;
    return pull;
}

/* A row divided by its diagonal, in cyclic reduction: its multiplier is right - before x (that of
 * the row before) - after x (that of the next row). */
typedef struct cloth_chain_reduced {
    float before, after, right;
} cloth_chain_reduced;

/* `left`: element of the next row left of its diagonal. */
CLOTH_FUNCTION cloth_chain_reduced cloth_chain_begin(cloth_chain_row row, float left)
{
    float inverse = cloth_inverse(row.diagonal);
    cloth_chain_reduced me = {row.left * inverse, left * inverse, row.unit.w * inverse};
    return me;
}

/* Takes the rows `left` and `next` out of a row. */
CLOTH_FUNCTION cloth_chain_reduced cloth_chain_without(
    cloth_chain_reduced me, cloth_chain_reduced left, cloth_chain_reduced next)
{
    float inverse = cloth_inverse(fma(-me.before, left.after, fma(-me.after, next.before, 1.0f)));
    me.right = inverse * fma(-me.before, left.right, fma(-me.after, next.right, me.right));
    me.before *= -left.before * inverse;
    me.after *= -next.after * inverse;
    return me;
}

/* Moves point j of a chain, j <= count, unless it is locked. */
CLOTH_FUNCTION void cloth_chain_move(uint j, cloth_chain_at chain, cloth_chains_view view)
{
    uint i = chain.first + j * chain.step, e = chain.edges + j;
    float4 at = view.points[i], unit;
    float x = 0.0f, y = 0.0f, z = 0.0f;
    if (!(at.w > 0.0f)) return;
    if (j < chain.count) {
        unit = view.units[e];
        x = view.pulls[e] * unit.x;
        y = view.pulls[e] * unit.y;
        z = view.pulls[e] * unit.z;
    }
    if (j > 0) {
        unit = view.units[e - 1];
        x = fma(-view.pulls[e - 1], unit.x, x);
        y = fma(-view.pulls[e - 1], unit.y, y);
        z = fma(-view.pulls[e - 1], unit.z, z);
    }
    at.x = fma(at.w, x, at.x);
    at.y = fma(at.w, y, at.y);
    at.z = fma(at.w, z, at.z);
    view.points[i] = at;
}

/* Stores the sum of an edge's multipliers for later sweeps. */
CLOTH_FUNCTION void cloth_chain_keep(uint j, cloth_chain_at chain, cloth_chains_view view)
{
    uint e = chain.edges + j;
    view.pulled[e] = (view.pass == 2 ? view.pulled[e] : 0.0f) + view.pulls[e];
}

#define CLOTH_CHAINS_KEEP(pass) ((pass) == 1 || (pass) == 2)

/* Solves a chain by one item. */
CLOTH_FUNCTION void cloth_chain_solve(cloth_chain_at chain, cloth_chains_view view, float stiffness)
{
    cloth_chain_pass state = {0.0f, 0.0f};
    CLOTH_ROLLED
    for (uint j = 0; j < chain.count; j++) {
        cloth_chain_row row = cloth_chain_row_of(j, chain, view, stiffness);
        view.units[chain.edges + j] = row.unit;
        row = cloth_chain_forth(&state, row);
        view.links[chain.edges + j] = row.left;
        view.pulls[chain.edges + j] = row.unit.w;
    }
    state.inverse = 0.0f;
    state.right = 0.0f;
    CLOTH_ROLLED
    for (uint e = chain.edges + chain.count; e-- > chain.edges;)
        view.pulls[e] = cloth_chain_back(&state, view.pulls[e], view.links[e]);
    CLOTH_ROLLED
    for (uint j = 0; j <= chain.count; j++) cloth_chain_move(j, chain, view);
    CLOTH_ROLLED
    for (uint j = 0; CLOTH_CHAINS_KEEP(view.pass) && j < chain.count; j++)
        cloth_chain_keep(j, chain, view);
}

/* ---- lattices ---- */

/* `sources`, two uint4 for each place: particles and bits of the inverse mass, bits of the parts.
 * `from`: places before they move. */
#define CLOTH_PLACES(FIRST, NEXT) \
    FIRST(IN, float4, position) \
    NEXT(IN, uint4, sources) NEXT(SHARED, float4, places) NEXT(SHARED, float4, from) \
        NEXT(VALUE, uint, first) NEXT(VALUE, uint, count)
HED_VIEW(cloth_places_view, CLOTH_PLACES)

/* Samples a place. */
CLOTH_FUNCTION void cloth_place_one(uint i, cloth_places_view view)
{
    uint4 particle = view.sources[2 * i], bits = view.sources[2 * i + 1];
    float4 a = view.position[particle.x], b = view.position[particle.y],
           c = view.position[particle.z];
    float u = as_float(bits.x), v = as_float(bits.y), w = as_float(bits.z);
    a.x = fma(u, a.x, fma(v, b.x, w * c.x));
    a.y = fma(u, a.y, fma(v, b.y, w * c.y));
    a.z = fma(u, a.z, fma(v, b.z, w * c.z));
    a.w = as_float(particle.w);
    view.places[i] = a;
    view.from[i] = a;
}

/* `shares`, three uint4 each: the point, places, bits of the places' parts. */
#define CLOTH_SHARES(FIRST, NEXT) \
    FIRST(SHARED, float4, points) \
    NEXT(IN, uint4, shares) NEXT(SHARED_IN, float4, places) NEXT(SHARED_IN, float4, from) \
        NEXT(VALUE, uint, first) NEXT(VALUE, uint, count)
HED_VIEW(cloth_shares_view, CLOTH_SHARES)

CLOTH_FUNCTION float4 cloth_place_moved(uint place, float part, float4 sum, cloth_shares_view view)
{
    float4 to = view.places[place], from = view.from[place];
    sum.x = fma(part, to.x - from.x, sum.x);
    sum.y = fma(part, to.y - from.y, sum.y);
    sum.z = fma(part, to.z - from.z, sum.z);
    return sum;
}

/* Moves point i by the motions of four places, unless it is locked. */
CLOTH_FUNCTION void cloth_share_one(uint i, cloth_shares_view view)
{
    uint point = view.shares[3 * i].x;
    uint4 place = view.shares[3 * i + 1], bits = view.shares[3 * i + 2];
    float4 at = view.points[point], sum = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    if (!(at.w > 0.0f)) return;
    sum = cloth_place_moved(place.x, as_float(bits.x), sum, view);
    sum = cloth_place_moved(place.y, as_float(bits.y), sum, view);
    sum = cloth_place_moved(place.z, as_float(bits.z), sum, view);
    sum = cloth_place_moved(place.w, as_float(bits.w), sum, view);
    at.x += sum.x;
    at.y += sum.y;
    at.z += sum.z;
    view.points[point] = at;
}

#endif
