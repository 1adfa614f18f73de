/* Reference for one type of number: included by cloth_reference.c with REAL, NAME, SQRT, FMA, CARRIED
 * defined. It does the same operations in the same order as kernels/physics.h in strict mode;
 * `carry` is explained there. */

static REAL NAME(squared)(const REAL way[3])
{
    return FMA(way[0], way[0], FMA(way[1], way[1], way[2] * way[2]));
}

/* Moves a point along a vector. */
static void NAME(move)(REAL *point, REAL share, const REAL way[3])
{
    for (int axis = 0; axis < 3; axis++) point[axis] = FMA(share, way[axis], point[axis]);
}

static void NAME(integrate)(const cloth_garment *garment, const cloth_substep *step,
    REAL *positions, REAL *previous, REAL *carry)
{
    for (uint32_t i = 0; i < garment->particle_count; i++) {
        REAL *at = positions + 3 * (size_t)i, *before = previous + 3 * (size_t)i;
        if (!(garment->positions[i][3] > 0.0f)) {
            for (int axis = 0; axis < 3; axis++) before[axis] = at[axis];
            continue;
        }
        for (int axis = 0; axis < 3; axis++) {
            REAL excess = carry ? carry[3 * (size_t)i + (size_t)axis] : 0;
            REAL way =
                (at[axis] - before[axis] + excess) * ((REAL)step->ratio * (REAL)step->keep[axis]) +
                (REAL)step->fall[axis];
            before[axis] = at[axis];
            at[axis] += way;
            if (carry)
                carry[3 * (size_t)i + (size_t)axis] = CARRIED(way - (at[axis] - before[axis]));
        }
        if (!garment->anchor_count || garment->tether_anchor[i] == UINT32_MAX) continue;
        const REAL *anchor = positions + 3 * (size_t)garment->anchors[garment->tether_anchor[i]];
        REAL length = (REAL)garment->tether_length[i],
             way[3] = {at[0] - anchor[0], at[1] - anchor[1], at[2] - anchor[2]};
        REAL square = NAME(squared)(way);
        if (square <= length * length) continue;
        REAL part = length / SQRT(square);
        for (int axis = 0; axis < 3; axis++) at[axis] = FMA(way[axis], part, anchor[axis]);
    }
}

/* Correction of a constraint's length, divided by its length and the sum of weights;
 * `multiplier` NULL: the only iteration. */
static REAL NAME(correction)(
    REAL length, REAL low, REAL high, REAL weight, REAL give, double *multiplier)
{
    REAL bound = length < low ? low : length;
    if (length > high) bound = high;
    if (!multiplier || !(give > 0))
        return weight > 0 && length > 0 ? (length - bound) / length / weight : 0;
    REAL so_far = (REAL)*multiplier;
    if (so_far != 0) bound = so_far < 0 ? high : low;
    REAL total = so_far - FMA(give, so_far, length - bound) / weight;
    if (so_far != 0 && (so_far < 0) != (total < 0)) total = 0;
    *multiplier = (double)total;
    return length > 0 ? (so_far - total) / length : 0;
}

static void NAME(project)(const cloth_garment *garment, const cloth_substep *step,
    uint32_t constraint, double *multiplier, REAL *positions)
{
    const hed_cloth_constraint *c = garment->constraints + constraint;
    const hed_cloth_material *material = garment->materials + c->material;
    REAL *a = positions + 3 * (size_t)c->a, *b = positions + 3 * (size_t)c->b;
    REAL wa = (REAL)garment->positions[c->a][3], wb = (REAL)garment->positions[c->b][3];
    REAL give = (REAL)material->compliance * (REAL)step->stiffness,
         way[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    REAL low = (REAL)c->rest * (REAL)material->compress,
         high = (REAL)c->rest * (REAL)material->stretch;
    REAL part =
        NAME(correction)(SQRT(NAME(squared)(way)), low, high, wa + wb + give, give, multiplier);
    NAME(move)
    (a, wa * part, way);
    NAME(move)
    (b, -(wb * part), way);
}

/* Solves one bending constraint, as cloth_unbend(); `pulled` NULL: the only iteration. */
static void NAME(bend)(const cloth_garment *garment, const cloth_substep *step, uint32_t number,
    double *pulled, REAL *positions)
{
    const cloth_bend *bend = garment->bends + number;
    REAL k[4], part[4], weight = (REAL)step->stiffness;
    for (int v = 3; v >= 0; v--) {
        k[v] = (REAL)bend->weight[v];
        part[v] = k[v] * (REAL)garment->positions[bend->particle[v]][3];
        weight = FMA(k[v], part[v], weight);
    }
    for (int axis = 0; axis < 3; axis++) {
        REAL at[4];
        for (int v = 0; v < 4; v++) at[v] = positions[3 * (size_t)bend->particle[v] + (size_t)axis];
        REAL sum = FMA(k[0], at[0] - at[1], FMA(k[2], at[2] - at[1], k[3] * (at[3] - at[1])));
        REAL so_far = pulled ? (REAL)pulled[axis] : 0;
        sum = -(FMA((REAL)step->stiffness, so_far, sum) / weight);
        if (pulled) pulled[axis] = (double)(so_far + sum);
        for (int v = 0; v < 4; v++)
            positions[3 * (size_t)bend->particle[v] + (size_t)axis] = FMA(part[v], sum, at[v]);
    }
}

/* Lists the particles of row `j` of a line. */
static void NAME(line_particles)(const cloth_line *line, uint32_t j, uint32_t particle[4])
{
    particle[0] = line->first + j * line->step;
    particle[1] = particle[0] + line->step;
    particle[2] = particle[1] + (line->across ? line->across : line->step);
    particle[3] = particle[0] + line->across;
}

/* Solves a line's constraints as one system, by plain elimination in a band. `band`: three
 * numbers and three right sides for each row; `pulled` NULL: the only iteration. */
static void NAME(line)(const cloth_garment *garment, const cloth_substep *step,
    const cloth_line *line, double *band, double *pulled, REAL *positions)
{
    for (uint32_t j = 0; j < line->count; j++) {
        const float *k = garment->line_weights[line->weights + j];
        double *row = band + 6 * (size_t)j;
        uint32_t particle[4], earlier[4];
        NAME(line_particles)(line, j, particle);
        /* coupling with itself and the two rows before */
        for (uint32_t before = 0; before < 3; before++) {
            const float *l = garment->line_weights[line->weights + j - (j < before ? j : before)];
            row[before] = before ? 0 : step->stiffness;
            if (j < before) continue;
            NAME(line_particles)(line, j - before, earlier);
            for (int v = 0; v < 4; v++)
                for (int u = 0; u < 4; u++)
                    if (particle[v] == earlier[u])
                        row[before] += (double)k[v] * garment->positions[particle[v]][3] * l[u];
        }
        for (int axis = 0; axis < 3; axis++) {
            row[3 + axis] = pulled ? -step->stiffness * pulled[3 * (size_t)j + (size_t)axis] : 0;
            for (int v = 0; v < 4; v++)
                row[3 + axis] -= k[v] * (double)positions[3 * (size_t)particle[v] + (size_t)axis];
        }
        for (uint32_t before = 2; before > 0; before--) { /* L D L', and the right sides after L */
            double *last = row - 6 * (size_t)before;
            if (j < before) continue;
            if (before == 2) row[1] -= row[2] / last[0] * last[7];
            for (int axis = 0; axis < 3; axis++)
                row[3 + axis] -= row[before] / last[0] * last[3 + axis];
            row[0] -= row[before] * row[before] / last[0];
        }
    }
    for (uint32_t j = line->count; j-- > 0;) {
        const float *k = garment->line_weights[line->weights + j];
        uint32_t particle[4];
        NAME(line_particles)(line, j, particle);
        for (int axis = 0; axis < 3; axis++) {
            double *row = band + 6 * (size_t)j, pull = row[3 + axis];
            for (uint32_t after = 1; after < 3 && j + after < line->count; after++)
                pull -= row[6 * after + after] * row[6 * after + 3 + (uint32_t)axis];
            row[3 + axis] = pull /= row[0];
            if (pulled) pulled[3 * (size_t)j + (size_t)axis] += pull;
            for (int v = 0; v < 4; v++)
                positions[3 * (size_t)particle[v] + (size_t)axis] +=
                    (REAL)(k[v] * (double)garment->positions[particle[v]][3] * pull);
        }
    }
}

/* Solves one bending row of an element, as cloth_flatten(). */
static void NAME(flatten)(const cloth_garment *garment, const cloth_substep *step,
    const cloth_element *element, int row, double *pulled, REAL *positions)
{
    REAL part[CLOTH_ELEMENT_PARTICLES], weight = (REAL)step->stiffness;
    for (int v = 0; v < CLOTH_ELEMENT_PARTICLES; v++) {
        part[v] = (REAL)element->bend[row][v] * (REAL)garment->positions[element->particle[v]][3];
        weight = FMA((REAL)element->bend[row][v], part[v], weight);
    }
    for (int axis = 0; axis < 3; axis++) {
        REAL from = positions[3 * (size_t)element->particle[3] + (size_t)axis], sum = 0;
        for (int v = 0; v < CLOTH_ELEMENT_PARTICLES; v++)
            sum = FMA((REAL)element->bend[row][v],
                positions[3 * (size_t)element->particle[v] + (size_t)axis] - from, sum);
        REAL so_far = pulled ? (REAL)pulled[axis] : 0;
        sum = -(FMA((REAL)step->stiffness, so_far, sum) / weight);
        if (pulled) pulled[axis] = (double)(so_far + sum);
        for (int v = 0; v < CLOTH_ELEMENT_PARTICLES; v++) {
            REAL *at = positions + 3 * (size_t)element->particle[v] + axis;
            *at = FMA(part[v], sum, *at);
        }
    }
}

/* Solves one strain of an element: the displacement by `g` gets length 1, as cloth_strain();
 * with `h`, its product with the displacement by `h` becomes 0, as cloth_square_up(). */
static void NAME(strain)(const cloth_garment *garment, const cloth_substep *step,
    const cloth_element *element, const float *g, const float *h, float compliance, double *pulled,
    REAL *positions)
{
    REAL give = (REAL)compliance * (REAL)step->stiffness, u[3] = {0}, v[3] = {0}, weight = give,
         gradient[3][3];
    for (int corner = 0; corner < 3; corner++)
        for (int axis = 0; axis < 3; axis++) {
            REAL at = positions[3 * (size_t)element->particle[3 + corner] + (size_t)axis];
            u[axis] += (corner ? (REAL)g[corner - 1] : -(REAL)g[0] - (REAL)g[1]) * at;
            if (h) v[axis] += (corner ? (REAL)h[corner - 1] : -(REAL)h[0] - (REAL)h[1]) * at;
        }
    REAL length = SQRT(NAME(squared)(u)),
         wrong = h ? FMA(u[0], v[0], FMA(u[1], v[1], u[2] * v[2])) : length - 1;
    for (int corner = 0; corner < 3; corner++) {
        REAL g_weight = corner ? (REAL)g[corner - 1] : -(REAL)g[0] - (REAL)g[1],
             h_weight = !h       ? 0
                        : corner ? (REAL)h[corner - 1]
                                 : -(REAL)h[0] - (REAL)h[1];
        for (int axis = 0; axis < 3; axis++)
            gradient[corner][axis] =
                h ? g_weight * v[axis] + h_weight * u[axis] : g_weight * u[axis] / length;
        weight = FMA((REAL)garment->positions[element->particle[3 + corner]][3],
            NAME(squared)(gradient[corner]), weight);
    }
    REAL so_far = pulled ? (REAL)*pulled : 0, pull = -(FMA(give, so_far, wrong) / weight);
    if (pulled) *pulled = (double)(so_far + pull);
    for (int corner = 0; corner < 3; corner++) NAME(move)
    (positions + 3 * (size_t)element->particle[3 + corner],
        pull * (REAL)garment->positions[element->particle[3 + corner]][3], gradient[corner]);
}

/* Solves an element; `pulled`: 12 numbers, NULL: the only iteration. */
static void NAME(element)(const cloth_garment *garment, const cloth_substep *step, uint32_t number,
    double *pulled, REAL *positions)
{
    const cloth_element *e = garment->elements + number;
    for (int row = 0; row < 3; row++)
        NAME(flatten)(garment, step, e, row, pulled ? pulled + 3 * row : NULL, positions);
    NAME(strain)
    (garment, step, e, e->warp, e->weft, e->compliance[2], pulled ? pulled + 9 : NULL, positions);
    NAME(strain)
    (garment, step, e, e->weft, NULL, e->compliance[1], pulled ? pulled + 10 : NULL, positions);
    NAME(strain)
    (garment, step, e, e->warp, NULL, e->compliance[0], pulled ? pulled + 11 : NULL, positions);
}

/* Solves bending constraint or element `number`; `pulled`: numbers of all of them. */
static void NAME(fabric_sum)(const cloth_garment *garment, const cloth_substep *step,
    uint32_t number, double *pulled, REAL *positions)
{
    if (garment->bend_count) NAME(bend)
    (garment, step, number, pulled ? pulled + 3 * (size_t)number : NULL, positions);
    if (garment->element_count) NAME(element)
    (garment, step, number, pulled ? pulled + 12 * (size_t)number : NULL, positions);
}

hed_status NAME(cloth_reference_frames)(const cloth_garment *garment,
    const cloth_reference_def *def, uint32_t frames, REAL *positions, REAL *previous, REAL *carry,
    REAL *last_dt)
{
    uint32_t count = def->order.constraints ? def->order.count : cloth_kept_constraints(garment);
    bool lines = def->lines && garment->line_rows;
    uint32_t bends = lines ? garment->line_rows : garment->bend_count,
             sums = lines ? 0 : garment->bend_count + garment->element_count,
             longest = garment->grid_width > garment->grid_height ? garment->grid_width
                                                                  : garment->grid_height;
    uint64_t multiplier_count =
        garment->constraint_count + 3 * (uint64_t)bends + 12 * (uint64_t)garment->element_count;
    hed_arena arena = {.allocator = garment->arena.allocator, .owner = "reference of cloth"};
    double *multipliers = NULL, *band = NULL;
    if (lines) band = hed_arena_new(&arena, longest, 6 * sizeof *band, NULL);
    if (def->iterations > 1)
        multipliers = hed_arena_new(&arena, multiplier_count, sizeof *multipliers, NULL);
    if (arena.failed) {
        hed_arena_free(&arena);
        return HED_ERROR_MEMORY;
    }
    double *pulled = multipliers ? multipliers + garment->constraint_count : NULL;
    for (uint64_t s = 0; s < (uint64_t)frames * def->substeps; s++) {
        cloth_substep step = substep(garment, def, (double)*last_dt);
        *last_dt = (REAL)step.dt;
        NAME(integrate)
        (garment, &step, positions, previous, carry);
        if (multipliers) memset(multipliers, 0, multiplier_count * sizeof *multipliers);
        for (uint32_t iteration = 0; iteration < def->iterations; iteration++) {
            for (uint32_t k = 0; k < (lines ? garment->line_at[CLOTH_LINE_SETS] : 0); k++)
                NAME(line)
            (garment, &step, garment->lines + k, band,
                pulled ? pulled + 3 * (size_t)garment->lines[k].weights : NULL, positions);
            for (uint32_t k = 0; k < sums && !def->order.sums; k++) NAME(fabric_sum)
            (garment, &step, k, pulled, positions);
            for (uint32_t k = 0; k < count; k++) {
                uint32_t constraint = def->order.constraints ? def->order.constraints[k] : k;
                bool sum = constraint >= garment->constraint_count;
                if (sum) NAME(fabric_sum)
                (garment, &step, constraint - garment->constraint_count, pulled, positions);
                if (!sum) NAME(project)
                (garment, &step, constraint, multipliers ? multipliers + constraint : NULL,
                    positions);
            }
        }
    }
    hed_arena_free(&arena);
    return HED_OK;
}
