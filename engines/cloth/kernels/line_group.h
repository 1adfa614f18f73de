/* Bending along lines, solved by a group with cyclic reduction, for line.cl and cooperative_tasks.cl. */
#ifndef CLOTH_LINE_GROUP_H
#define CLOTH_LINE_GROUP_H

#if SOLVE
/* Matrices of two rows, (x y) and (z w). */
CLOTH_FUNCTION float4 line_product(float4 a, float4 b)
{
    return hed_f4(fma(a.x, b.x, a.y * b.z), fma(a.x, b.y, a.y * b.w), fma(a.z, b.x, a.w * b.z),
        fma(a.z, b.y, a.w * b.w));
}

CLOTH_FUNCTION float4 line_inverse(float4 a)
{
    float part = cloth_inverse(fma(a.x, a.w, -a.y * a.z));
    return hed_f4(a.w * part, -a.y * part, -a.z * part, a.x * part);
}

/* Returns by x + a y for right sides. */
CLOTH_FUNCTION float4 line_added(float by, float4 x, float a, float4 y)
{
    return hed_f4(fma(by, x.x, a * y.x), fma(by, x.y, a * y.y), fma(by, x.z, a * y.z), 0.0f);
}

/* Two rows of the system, divided by their diagonal block; x, the multipliers of both, are (top,
 * bottom) - before x(two rows before) - after x(next two rows). */
typedef struct line_pair {
    float4 before, after, top, bottom;
} line_pair;

/* Multiplies a pair by a matrix. */
CLOTH_FUNCTION line_pair line_times(float4 by, line_pair pair)
{
    line_pair to;
    to.before = line_product(by, pair.before);
    to.after = line_product(by, pair.after);
    to.top = line_added(by.x, pair.top, by.y, pair.bottom);
    to.bottom = line_added(by.z, pair.top, by.w, pair.bottom);
    return to;
}

/* Subtracts matrix `by` times the right sides of another pair. */
CLOTH_FUNCTION void line_subtract(line_pair *pair, float4 by, line_pair neighbour)
{
    float4 top = line_added(by.x, neighbour.top, by.y, neighbour.bottom),
           bottom = line_added(by.z, neighbour.top, by.w, neighbour.bottom);
    pair->top = line_added(1.0f, pair->top, -1.0f, top);
    pair->bottom = line_added(1.0f, pair->bottom, -1.0f, bottom);
}

/* Eliminates the pairs `left` and `next` from a pair. */
CLOTH_FUNCTION line_pair line_without(line_pair pair, line_pair left, line_pair next)
{
    float4 a = line_product(pair.before, left.after), b = line_product(pair.after, next.before);
    float4 block = line_inverse(hed_f4(1.0f - a.x - b.x, -a.y - b.y, -a.z - b.z, 1.0f - a.w - b.w));
    line_subtract(&pair, pair.before, left);
    line_subtract(&pair, pair.after, next);
    a = line_product(pair.before, left.before);
    b = line_product(pair.after, next.after);
    pair.before = hed_f4(-a.x, -a.y, -a.z, -a.w);
    pair.after = hed_f4(-b.x, -b.y, -b.z, -b.w);
    return line_times(block, pair);
}

CLOTH_FUNCTION line_pair line_pair_at(__local float4 *pairs, uint i)
{
    line_pair pair;
    pair.before = pairs[i];
    pair.after = pairs[WG + i];
    pair.top = pairs[2 * WG + i];
    pair.bottom = pairs[3 * WG + i];
    return pair;
}

CLOTH_FUNCTION cloth_line_row line_row_or_unit(
    uint j, cloth_line_at line, cloth_lines_view view, float give)
{
    const cloth_line_row unit = {{0.0f, 0.0f, 0.0f, 1.0f}, 0.0f, 0.0f};
    cloth_line_row row = cloth_line_row_of(min(j, line.count - 1u), line, view, give);
    return j < line.count ? row : unit; /* no branch: both rows of an item are loaded at once */
}

#ifndef LINE_UNCOUPLED
#define LINE_UNCOUPLED 1e-8f /* bound of elements off a diagonal of 1 that change no float */
#endif

CLOTH_FUNCTION uint line_is_coupled(line_pair pair)
{
    float4 a = pair.before, b = pair.after;
    float left = fmax(fmax(fabs(a.x), fabs(a.y)), fmax(fabs(a.z), fabs(a.w))),
          right = fmax(fmax(fabs(b.x), fabs(b.y)), fmax(fabs(b.z), fabs(b.w)));
    return fmax(left, right) > LINE_UNCOUPLED;
}

CLOTH_FUNCTION line_pair line_pair_of(
    cloth_line_at line, cloth_lines_view view, float give, uint lane, float4 *block)
{
    const float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    cloth_line_row a = line_row_or_unit(2 * lane, line, view, give),
                   b = line_row_or_unit(2 * lane + 1, line, view, give);
    line_pair pair = {zero, zero, a.sum, b.sum};
    pair.before = hed_f4(a.two, a.one, 0.0f, b.two);
    *block = hed_f4(a.sum.w, b.one, b.one, b.sum.w);
    return pair;
}

/* True if a pair of the items that meet is coupled with others: `votes` of the group, written before it
 * met, or the lanes'. */
CLOTH_FUNCTION uint line_any_is_coupled(uint width, uint is_coupled, __local const uint *vote)
{
#if HED_HAS_LANES
    if (width <= 32u) return hed_lane_count(is_coupled) > 0;
#endif
    (void)width, (void)is_coupled;
    return *vote;
}

/* Multipliers of row j, from a line's first item on. */
CLOTH_FUNCTION float4 line_sum_at(__local const float4 *pairs, uint j)
{
    return pairs[(j & 1u ? 3 * WG : 2 * WG) + j / 2];
}

/* Solves lines of at most 2 `width` rows by cyclic reduction, two rows in an item, and moves their
 * particles. Soft fabrics need few steps: rows far apart hardly depend on each other. `width`,
 * `longest`: of chain_reduce(); `pairs`: 4 WG; `votes`: 16. */
CLOTH_FUNCTION void line_reduce(cloth_line_at line, cloth_lines_view view, float give, uint width,
    uint longest, uint item, __local float4 *pairs, __local uint *votes)
{
    const float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    uint lane = item & (width - 1u), is_line = line.count > 0;
    line_pair pair = {zero, zero, zero, zero};
    float4 block = hed_f4(1.0f, 0.0f, 0.0f, 1.0f);
    __local float4 *sums = pairs + (item - lane);
    if (item < 16) votes[item] = 0;
    if (is_line) {
        pair = line_pair_of(line, view, give, lane, &block);
        pairs[item] = pair.before;
    }
    cloth_meet(width); /* neighbours have read the particles */
    if (is_line) {
        if (lane + 1u < width) {
            float4 next = pairs[item + 1u];
            pair.after = hed_f4(next.x, next.z, next.y, next.w);
        }
        pair = line_times(line_inverse(block), pair);
    }
    CLOTH_ROLLED
    for (uint step = 1, turn = 0; 2 * step < longest; step *= 2, turn++) {
        uint acts =
            2 * step <= line.count; /* differs from step to step: see chain_solve_in_memory() */
        uint is_coupled = acts && line_is_coupled(pair);
        cloth_meet(width);
        if (acts) {
            pairs[item] = pair.before;
            pairs[WG + item] = pair.after;
            pairs[2 * WG + item] = pair.top;
            pairs[3 * WG + item] = pair.bottom;
            if (is_coupled) votes[turn] = 1;
        }
        cloth_meet(width);
        if (!line_any_is_coupled(width, is_coupled, votes + turn)) break;
        if (acts) {
            line_pair left = {zero, zero, zero, zero}, next = left;
            if (lane >= step) left = line_pair_at(pairs, item - step);
            if (lane + step < width) next = line_pair_at(pairs, item + step);
            pair = line_without(pair, left, next);
        }
    }
    cloth_meet(width);
    pairs[2 * WG + item] = pair.top;
    pairs[3 * WG + item] = pair.bottom;
    pair.top.w = block.x; /* the diagonal, as by elimination */
    pair.bottom.w = block.w;
    for (uint j = 2 * lane; view.pass > 0 && j < 2 * lane + 2 && j < line.count; j++)
        view.sums[line.row + j] = j & 1u ? pair.bottom : pair.top;
    cloth_meet(width);
    for (uint j = lane; is_line && j < line.count + (line.across ? 1u : 2u); j += width)
        cloth_line_move_by(j, line, view, j < line.count ? line_sum_at(sums, j) : zero,
            j > 0 && j <= line.count ? line_sum_at(sums, j - 1) : zero,
            j > 1 ? line_sum_at(sums, j - 2) : zero);
}
#endif

#endif
