/* Bending along a line of a grid, or a strip of its cells, as one system (model/bend.c). Included after
 * particle.h. */
#ifndef CLOTH_LINE_H
#define CLOTH_LINE_H

/* `sums` and `links`, one for each row and one more for a line with an odd number of rows: right sides
 * and elements off the diagonal, then `sums` has multipliers. `pulled`: multipliers of the substep's earlier iterations; `pass`: as in
 * CLOTH_PROJECTION. */
#define CLOTH_LINES(FIRST, NEXT) \
    FIRST(SHARED, float4, position) \
    NEXT(IN, uint4, lines) NEXT(IN, float4, weights) NEXT(SCRATCH, float4, sums) \
        NEXT(SCRATCH, float4, links) NEXT(SHARED, float4, pulled) NEXT(IN, float4, steps) \
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

/* `sum`: right side in x y z and the diagonal in w. `one` and `two`: elements left of the diagonal, in
 * the columns of the previous row and of the row before that one. */
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

/* ---- solution by cyclic reduction, two rows at a time (R. W. Hockney, 1965) ---- */

/* Matrices of two rows, (x y) and (z w). */
CLOTH_FUNCTION float4 cloth_line_product(float4 a, float4 b)
{
    return hed_f4(fma(a.x, b.x, a.y * b.z), fma(a.x, b.y, a.y * b.w), fma(a.z, b.x, a.w * b.z),
        fma(a.z, b.y, a.w * b.w));
}

CLOTH_FUNCTION float4 cloth_line_inverse(float4 a)
{
    float part = cloth_inverse(fma(a.x, a.w, -a.y * a.z));
    return hed_f4(a.w * part, -a.y * part, -a.z * part, a.x * part);
}

/* Returns by x + a y for right sides. */
CLOTH_FUNCTION float4 cloth_line_added(float by, float4 x, float a, float4 y)
{
    return hed_f4(fma(by, x.x, a * y.x), fma(by, x.y, a * y.y), fma(by, x.z, a * y.z), 0.0f);
}

/* Two rows of the system, divided by their diagonal block; x, the multipliers of both, are (top,
 * bottom) - before x(two rows before) - after x(next two rows). */
typedef struct cloth_line_pair {
    float4 before, after, top, bottom;
} cloth_line_pair;

/* Multiplies a pair by a matrix. */
CLOTH_FUNCTION cloth_line_pair cloth_line_times(float4 by, cloth_line_pair pair)
{
    cloth_line_pair to;
    to.before = cloth_line_product(by, pair.before);
    to.after = cloth_line_product(by, pair.after);
    to.top = cloth_line_added(by.x, pair.top, by.y, pair.bottom);
    to.bottom = cloth_line_added(by.z, pair.top, by.w, pair.bottom);
    return to;
}

/* Subtracts matrix `by` times the right sides of another pair. */
CLOTH_FUNCTION void cloth_line_subtract(
    cloth_line_pair *pair, float4 by, float4 neighbour_top, float4 neighbour_bottom)
{
    float4 top = cloth_line_added(by.x, neighbour_top, by.y, neighbour_bottom),
           bottom = cloth_line_added(by.z, neighbour_top, by.w, neighbour_bottom);
    pair->top = cloth_line_added(1.0f, pair->top, -1.0f, top);
    pair->bottom = cloth_line_added(1.0f, pair->bottom, -1.0f, bottom);
}

/* Eliminates the pairs `left` and `next` from a pair. */
CLOTH_FUNCTION cloth_line_pair cloth_line_without(
    cloth_line_pair pair, cloth_line_pair left, cloth_line_pair next)
{
    float4 a = cloth_line_product(pair.before, left.after),
           b = cloth_line_product(pair.after, next.before);
    float4 block =
        cloth_line_inverse(hed_f4(1.0f - a.x - b.x, -a.y - b.y, -a.z - b.z, 1.0f - a.w - b.w));
    cloth_line_subtract(&pair, pair.before, left.top, left.bottom);
    cloth_line_subtract(&pair, pair.after, next.top, next.bottom);
    a = cloth_line_product(pair.before, left.before);
    b = cloth_line_product(pair.after, next.after);
    pair.before = hed_f4(-a.x, -a.y, -a.z, -a.w);
    pair.after = hed_f4(-b.x, -b.y, -b.z, -b.w);
    return cloth_line_times(block, pair);
}

CLOTH_FUNCTION cloth_line_row cloth_line_row_or_unit(
    uint j, cloth_line_at line, cloth_lines_view view, float give)
{
    const cloth_line_row unit = {{0.0f, 0.0f, 0.0f, 1.0f}, 0.0f, 0.0f};
    cloth_line_row row = cloth_line_row_of(j < line.count ? j : line.count - 1u, line, view, give);
    return j < line.count ? row : unit; /* no branch: both rows of an item are loaded at once */
}

/* Pair k of a line, not divided, without `after`, which is the transpose of the next pair's `before`.
 * `block`: on the diagonal. */
CLOTH_FUNCTION cloth_line_pair cloth_line_pair_of(
    uint k, cloth_line_at line, cloth_lines_view view, float give, float4 *block)
{
    const float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    cloth_line_row a = cloth_line_row_or_unit(2 * k, line, view, give),
                   b = cloth_line_row_or_unit(2 * k + 1, line, view, give);
    cloth_line_pair pair = {zero, zero, a.sum, b.sum};
    pair.before = hed_f4(a.two, a.one, 0.0f, b.two);
    *block = hed_f4(a.sum.w, b.one, b.one, b.sum.w);
    return pair;
}

CLOTH_FUNCTION uint cloth_line_pairs(cloth_line_at line) { return (line.count + 1u) / 2u; }

/* Pair k in `sums` and `links`; 0 after the last one. */
CLOTH_FUNCTION cloth_line_pair cloth_line_stored(uint k, cloth_line_at line, cloth_lines_view view)
{
    const float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    cloth_line_pair pair = {zero, zero, zero, zero};
    uint row = line.row + 2 * k;
    if (k >= cloth_line_pairs(line)) return pair;
    pair.before = view.links[row];
    pair.after = view.links[row + 1];
    pair.top = view.sums[row];
    pair.bottom = view.sums[row + 1];
    return pair;
}

CLOTH_FUNCTION void cloth_line_store(
    uint k, cloth_line_at line, cloth_lines_view view, cloth_line_pair pair)
{
    uint row = line.row + 2 * k;
    view.links[row] = pair.before;
    view.links[row + 1] = pair.after;
    view.sums[row] = pair.top;
    view.sums[row + 1] = pair.bottom;
}

/* Stores pair k, not divided: the block's diagonal in w of the right sides, its other element in z
 * of `before`, which is 0; and `after` of the pair before. */
CLOTH_FUNCTION void cloth_line_begin(uint k, cloth_line_at line, cloth_lines_view view, float give)
{
    float4 block;
    cloth_line_pair pair = cloth_line_pair_of(k, line, view, give, &block);
    float4 before = pair.before;
    uint row = line.row + 2 * k;
    if (k > 0) view.links[row - 1] = hed_f4(before.x, before.z, before.y, before.w);
    if (k + 1u == cloth_line_pairs(line)) view.links[row + 1] = pair.after;
    before.z = block.y;
    view.links[row] = before;
    view.sums[row] = pair.top;
    view.sums[row + 1] = pair.bottom;
}

/* Divides pair k by its diagonal block, after cloth_line_begin() of all. */
CLOTH_FUNCTION void cloth_line_divide(uint k, cloth_line_at line, cloth_lines_view view)
{
    cloth_line_pair pair = cloth_line_stored(k, line, view);
    float other = pair.before.z;
    pair.before.z = 0.0f;
    cloth_line_store(k, line, view,
        cloth_line_times(
            cloth_line_inverse(hed_f4(pair.top.w, other, other, pair.bottom.w)), pair));
}

/* Eliminates the pairs at distance `step` from pair k, one of cloth_reduced(). */
CLOTH_FUNCTION void cloth_line_reduce(uint k, uint step, cloth_line_at line, cloth_lines_view view)
{
    cloth_line_store(k, line, view,
        cloth_line_without(cloth_line_stored(k, line, view),
            cloth_line_stored(k - step, line, view), cloth_line_stored(k + step, line, view)));
}

/* Computes the multipliers of pair k, one of cloth_solved(), by the multipliers at distance `step`. */
CLOTH_FUNCTION void cloth_line_substitute(
    uint k, uint step, cloth_line_at line, cloth_lines_view view)
{
    const float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    cloth_line_pair pair = cloth_line_stored(k, line, view);
    uint row = line.row + 2 * k, has_left = k >= step, has_next = k + step < cloth_line_pairs(line);
    cloth_line_subtract(&pair, pair.before, has_left ? view.sums[row - 2 * step] : zero,
        has_left ? view.sums[row - 2 * step + 1] : zero);
    cloth_line_subtract(&pair, pair.after, has_next ? view.sums[row + 2 * step] : zero,
        has_next ? view.sums[row + 2 * step + 1] : zero);
    view.sums[row] = pair.top;
    view.sums[row + 1] = pair.bottom;
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
