/* Solution of lines and chains by a group in strict mode, for cooperative_tasks.cl: elimination as in
 * line.cl and chain.cl, to the bit. All rows of a line or chain are in local memory at once; its first
 * item runs the recurrence along them, and loads each row before it needs it. Included after
 * line_group.h and chain_group.h. */
#ifndef CLOTH_STRICT_GROUP_H
#define CLOTH_STRICT_GROUP_H

/* ---- lines ---- */

/* Rows of the lines of a group in local memory: members of cloth_line_row. */
typedef struct strict_rows {
    __local float4 *sums;
    __local float *links, *far_links;
} strict_rows;

CLOTH_FUNCTION cloth_line_row strict_row_at(strict_rows rows, uint j)
{
    cloth_line_row row;
    row.sum = rows.sums[j];
    row.one = rows.links[j];
    row.two = rows.far_links[j];
    return row;
}

CLOTH_FUNCTION void strict_store_row(strict_rows rows, uint j, cloth_line_row row)
{
    rows.sums[j] = row.sum;
    rows.links[j] = row.one;
    rows.far_links[j] = row.two;
}

/* Eliminates along `count` rows from row `first` on: their sums become the multipliers. */
CLOTH_FUNCTION void strict_eliminate_rows(strict_rows rows, uint first, uint count)
{
    cloth_line_pass state = cloth_line_begin();
    cloth_line_row next = strict_row_at(rows, first), row = next;
    CLOTH_ROLLED
    for (uint j = 0; j < count; j++) {
        row = next;
        next = strict_row_at(rows, first + min(j + 1u, count - 1u));
        row = cloth_line_forth(&state, row);
        strict_store_row(rows, first + j, row);
    }
    state = cloth_line_begin();
    next = row;
    CLOTH_ROLLED
    for (uint j = count; j-- > 0;) {
        row = next;
        next = strict_row_at(rows, first + (j > 0 ? j - 1u : 0u));
        rows.sums[first + j] = cloth_line_back(&state, row).sum;
    }
}

/* Solves lines of at most 2 `width` rows, two in an item, and moves their particles. `memory`: 3 WG. */
CLOTH_FUNCTION void strict_line(cloth_line_at line, cloth_lines_view view, float give, uint width,
    uint item, __local float4 *memory)
{
    const float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    __local float *links = (__local float *)(memory + 2 * WG);
    strict_rows rows = {memory, links, links + 2 * WG};
    uint lane = item & (width - 1u), first = 2u * (item - lane);
    __local const float4 *sums = memory + first;
    for (uint j = lane; j < line.count; j += width)
        strict_store_row(rows, first + j, cloth_line_row_of(j, line, view, give));
    cloth_meet(width); /* neighbours have read the particles */
    if (lane == 0 && line.count > 0) strict_eliminate_rows(rows, first, line.count);
    cloth_meet(width);
    for (uint j = lane; line.count > 0 && j < line.count + (line.across ? 1u : 2u); j += width)
        cloth_line_move_by(j, line, view, j < line.count ? sums[j] : zero,
            j > 0 && j <= line.count ? sums[j - 1] : zero,
            j > 1 && !line.across ? sums[j - 2] : zero);
}

/* ---- chains ---- */

/* Rows of the chains of a group in local memory: right sides, members of cloth_chain_row. */
typedef struct strict_links {
    __local float *sides, *diagonals, *links, *upper;
} strict_links;

CLOTH_FUNCTION cloth_chain_row strict_link_at(strict_links rows, uint j)
{
    cloth_chain_row row;
    row.axis = hed_f4(0.0f, 0.0f, 0.0f, rows.sides[j]);
    row.diagonal = rows.diagonals[j];
    row.left = rows.links[j];
    row.upper = rows.upper[j];
    return row;
}

/* Eliminates along `count` rows from row `first` on: right sides become the multipliers. */
CLOTH_FUNCTION void strict_eliminate_chain(strict_links rows, uint first, uint count)
{
    cloth_chain_pass state = {0.0f, 0.0f};
    cloth_chain_row next = strict_link_at(rows, first), row = next;
    CLOTH_ROLLED
    for (uint j = 0; j < count; j++) {
        row = next;
        next = strict_link_at(rows, first + min(j + 1u, count - 1u));
        row = cloth_chain_forth(&state, row);
        rows.sides[first + j] = row.axis.w;
        rows.links[first + j] = row.left;
    }
    state.inverse = 0.0f;
    state.right = 0.0f;
    next = row;
    CLOTH_ROLLED
    for (uint j = count; j-- > 0;) {
        row = next;
        next = strict_link_at(rows, first + (j > 0 ? j - 1u : 0u));
        rows.sides[first + j] = cloth_chain_back(&state, row.axis.w, row.left);
    }
}

/* Returns unit vectors and multipliers of chains. When it returns, items of a chain have read their
 * points. `memory`: 2 WG. */
CLOTH_FUNCTION chain_pulls strict_chain_solve(
    chain_item i, uint pass, float stiffness, __local float4 *memory)
{
    const float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    __local float *sides = (__local float *)(memory + WG);
    strict_links rows = {sides, sides + WG, sides + 2 * WG, sides + 3 * WG};
    uint item = i.item, has_next = i.lane + 1u < i.width;
    float4 unit = chain_unit(i, pass, stiffness), way = chain_axis(i, unit);
    memory[item] = way;
    cloth_meet(i.width); /* neighbours have read the points */
    chain_pulls pulls = {way, i.lane > 0 ? memory[item - 1] : zero};
    cloth_chain_row row = cloth_chain_row_between(
        unit, way, zero, pulls.last, i.a.w, i.b.w, i.edge, i.chain, stiffness);
    rows.sides[item] = unit.w;
    rows.diagonals[item] = row.diagonal;
    rows.links[item] = row.left;
    if (i.lane == 0) rows.upper[item] = 0.0f;
    if (has_next) rows.upper[item + 1] = -i.b.w * cloth_chain_cosine(unit, memory[item + 1]);
    cloth_meet(i.width);
    if (i.lane == 0 && i.is_edge) strict_eliminate_chain(rows, item, i.chain.count);
    cloth_meet(i.width);
    pulls.unit.w = sides[item];
    pulls.last.w = i.lane > 0 ? sides[item - 1] : 0.0f;
    return pulls;
}

/* Solves chains of at most `width` edges, an edge in an item, and moves their points. `longest`: edges of
 * the longest one. */
CLOTH_FUNCTION void strict_chain(cloth_chain_at chain, cloth_chain_edge edge,
    cloth_chains_view view, float stiffness, uint width, uint longest, uint item,
    __local float4 *memory)
{
    chain_item i = chain_item_at(chain, edge, view, item, width);
    chain_pulls pulls = strict_chain_solve(i, view.pass, stiffness, memory);
    chain_apply(i, view, pulls);
    if (view.pass == CLOTH_LIMIT_PASS) chain_shorten(i, view, pulls, stiffness, longest, memory);
}

#endif
