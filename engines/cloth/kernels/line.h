/* Bending along a line of a grid, or a strip of its cells, as one system (model/bend.c). Included after
 * particle.h. */
#ifndef CLOTH_LINE_H
#define CLOTH_LINE_H

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

#endif
