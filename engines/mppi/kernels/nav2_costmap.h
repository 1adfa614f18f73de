/* Cells of the costmap below poses and below the outline of the footprint. nav2_words.h precedes
 * it; nav2/nav2_critics.h and nav2/nav2_grid.c have the same formulas. */

/* Cost of a cell inside the map; a cell that no future can reach is not in the buffer. */
MPPI_FUNCTION int nav2_cell_at(NAV2_INPUT, int column, int row)
{
    uint c = (uint)(column - (int)f->first_column), r = (uint)(row - (int)f->first_row);
    if (c >= f->columns || r >= f->rows) return 255;
    return (int)(inputs[f->cells + r * ((f->columns + 3) / 4) + c / 4] >> (8 * (c & 3)) & 255u);
}
/* Cost of the cell at a position; 255 off the map. */
MPPI_FUNCTION float nav2_cost_at(NAV2_INPUT, float x, float y, int *inside)
{
    float across = (x - f->left) * f->per_metre, up = (y - f->low) * f->per_metre;
    *inside = across >= 0.0f && up >= 0.0f && across < (float)f->width && up < (float)f->height;
    return *inside ? (float)nav2_cell_at(inputs, f, (int)across, (int)up) : 255.0f;
}

/* Largest cost along the cells of a line; 254 ends the search. */
MPPI_FUNCTION int nav2_line_cost(NAV2_INPUT, int x, int y, int end_x, int end_y)
{
    int dx = abs(end_x - x), dy = abs(end_y - y), step_x = end_x >= x ? 1 : -1;
    int step_y = end_y >= y ? 1 : -1, longer = dx >= dy ? dx : dy, shorter = dx >= dy ? dy : dx;
    int largest = 0, error = longer / 2;
    for (int n = 0; n <= longer; n++) {
        int cost = nav2_cell_at(inputs, f, x, y);
        if (cost == 254) return 254;
        largest = cost > largest ? cost : largest;
        error += shorter;
        int diagonal = error >= longer;
        if (diagonal) error -= longer;
        if (dx >= dy || diagonal) x += step_x;
        if (dx < dy || diagonal) y += step_y;
    }
    return largest;
}
/* Cell of vertex i of the footprint at a pose; false off the map. */
MPPI_FUNCTION int nav2_vertex(
    NAV2_INPUT, uint i, float x, float y, float cosine, float sine, int *column, int *row)
{
    float px = NAV2_FLOATS(f->footprint)[2 * i], py = NAV2_FLOATS(f->footprint)[2 * i + 1];
    float across = (x + px * cosine - py * sine - f->left) * f->per_metre;
    float up = (y + px * sine + py * cosine - f->low) * f->per_metre;
    *column = (int)across;
    *row = (int)up;
    return across >= 0.0f && up >= 0.0f && across < (float)f->width && up < (float)f->height;
}
/* Largest cost below the outline; 254 if a vertex is off the map. The closing edge begins at the
 * first vertex as well. */
MPPI_FUNCTION float nav2_outline_at(NAV2_INPUT, float x, float y, float yaw)
{
    float sine, cosine;
    int largest = 0, first_x, first_y, from_x, from_y, to_x, to_y;
    mppi_sin_cos(mppi_wrap(yaw), &sine, &cosine);
    if (!nav2_vertex(inputs, f, 0, x, y, cosine, sine, &first_x, &first_y)) return 254.0f;
    from_x = first_x;
    from_y = first_y;
    for (uint i = 1; i <= f->vertices; i++) {
        to_x = from_x;
        to_y = from_y;
        if (i == f->vertices) {
            from_x = first_x;
            from_y = first_y;
        } else if (!nav2_vertex(inputs, f, i, x, y, cosine, sine, &to_x, &to_y)) return 254.0f;
        int cost = nav2_line_cost(inputs, f, from_x, from_y, to_x, to_y);
        if (cost == 254) return 254.0f;
        largest = cost > largest ? cost : largest;
        from_x = to_x;
        from_y = to_y;
    }
    return (float)largest;
}

MPPI_FUNCTION int nav2_collides(__global const nav2_frame *f, float cost, uint footprint)
{
    return cost == 254.0f || (cost == 253.0f && !footprint) ||
           (cost == 255.0f && !f->tracks_unknown);
}
