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

/* Image of a direction `g` of an element (physics.h). */
static void NAME(image)(
    const cloth_element *element, const float *g, const REAL *positions, REAL image[3])
{
    const REAL *origin = positions + 3 * (size_t)element->particle[3];
    for (uint32_t axis = 0; axis < 3; axis++) {
        image[axis] = 0;
        for (int corner = 1; corner < 3; corner++)
            image[axis] +=
                (REAL)g[corner - 1] *
                (positions[3 * (size_t)element->particle[3 + corner] + axis] - origin[axis]);
    }
}

/* Solves one strain of an element. `kind`: 0: |U| - 1, as cloth_strain(); 1: |V| - 1 + coupling x
 * (|U| - 1), as cloth_strain_coupled(); 2: U . V, as cloth_square_up(). */
static void NAME(strain)(const cloth_garment *garment, const cloth_substep *step,
    const cloth_element *element, int kind, double *pulled, REAL *positions)
{
    REAL give = (REAL)element->compliance[kind] * (REAL)step->stiffness, u[3], v[3], weight = give,
         gradient[3][3], coupling = (REAL)element->coupling;
    NAME(image)(element, element->warp, positions, u);
    NAME(image)(element, element->weft, positions, v);
    REAL long_u = SQRT(NAME(squared)(u)), long_v = SQRT(NAME(squared)(v)), excess = long_u - 1;
    if (kind == 1) excess = long_v - 1 + coupling * (long_u - 1);
    if (kind == 2) excess = FMA(u[0], v[0], FMA(u[1], v[1], u[2] * v[2]));
    for (int corner = 0; corner < 3; corner++) {
        const float *g = element->warp, *h = element->weft;
        REAL warp_part = corner ? (REAL)g[corner - 1] : -(REAL)g[0] - (REAL)g[1],
             weft_part = corner ? (REAL)h[corner - 1] : -(REAL)h[0] - (REAL)h[1];
        for (int axis = 0; axis < 3; axis++) {
            REAL of_u = warp_part * u[axis] / long_u, of_v = weft_part * v[axis] / long_v;
            gradient[corner][axis] = kind ? of_v + coupling * of_u : of_u;
            if (kind == 2) gradient[corner][axis] = warp_part * v[axis] + weft_part * u[axis];
        }
        weight = FMA((REAL)garment->positions[element->particle[3 + corner]][3],
            NAME(squared)(gradient[corner]), weight);
    }
    REAL so_far = pulled ? (REAL)*pulled : 0, pull = -(FMA(give, so_far, excess) / weight);
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
    for (int kind = 2; kind >= 0; kind--) NAME(strain)
    (garment, step, e, kind, pulled ? pulled + 11 - kind : NULL, positions);
}

/* Solves both diagonals of a cell, as cloth_project_cell(); `pulled`: two numbers. */
static void NAME(diagonals)(const cloth_garment *garment, const cloth_substep *step,
    uint32_t number, double *pulled, REAL *positions)
{
    const cloth_diagonals *cell = garment->cells + number;
    REAL way[2][3], excess[2], weight[2], pull[2], sums[2];
    for (int k = 0; k < 2; k++) {
        const uint32_t *ends = cell->particle + 2 * k;
        weight[k] = (REAL)garment->positions[ends[0]][3] + (REAL)garment->positions[ends[1]][3];
        for (uint32_t axis = 0; axis < 3; axis++)
            way[k][axis] =
                positions[3 * (size_t)ends[1] + axis] - positions[3 * (size_t)ends[0] + axis];
        excess[k] = SQRT(NAME(squared)(way[k])) - (REAL)cell->rest[k];
    }
    sums[0] = excess[0] + excess[1];
    sums[1] = excess[0] - excess[1];
    for (int k = 0; k < 2; k++) {
        REAL give = (REAL)cell->compliance[k] * (REAL)step->stiffness,
             so_far = pulled ? (REAL)pulled[k] : 0;
        if (k) sums[1] = FMA(weight[0] - weight[1], pull[0], sums[1]);
        pull[k] = -(FMA(give, so_far, sums[k]) / (weight[0] + weight[1] + give));
        if (pulled) pulled[k] = (double)(so_far + pull[k]);
    }
    for (int k = 0; k < 2; k++) {
        REAL length = SQRT(NAME(squared)(way[k])),
             part = length > 0 ? (k ? pull[0] - pull[1] : pull[0] + pull[1]) / length : 0;
        for (int end = 0; end < 2; end++) NAME(move)
        (positions + 3 * (size_t)cell->particle[2 * k + end],
            (end ? part : -part) * (REAL)garment->positions[cell->particle[2 * k + end]][3],
            way[k]);
    }
}

/* Solves sum `number`: a bending constraint, a cell or an element. `pulled`: numbers of all of
 * them; the numbers of cells begin after `bend_rows` bending constraints or rows of lines. */
static void NAME(fabric_sum)(const cloth_garment *garment, const cloth_substep *step,
    uint32_t number, uint32_t bend_rows, double *pulled, REAL *positions)
{
    uint32_t bends = garment->bend_count, cell = number - bends;
    if (garment->element_count) NAME(element)
    (garment, step, number, pulled ? pulled + 12 * (size_t)number : NULL, positions);
    else if (number < bends)
        NAME(bend)(garment, step, number, pulled ? pulled + 3 * (size_t)number : NULL, positions);
    else NAME(diagonals)(
        garment, step, cell, pulled ? pulled + 3 * ((size_t)bend_rows + cell) : NULL, positions);
}

/* ---- chains and lattices ---- */

/* Points of chains: positions of particles or places, and their inverse masses. */
typedef struct NAME(chain_points) {
    REAL *at;
    REAL *inverse_mass;
    const REAL *before; /* points at the substep's start; NULL: edges pull along themselves */
    REAL *pulled;       /* (edges) multipliers; NULL: solved once */
    REAL *rows; /* (longest chain x CLOTH_CHAIN_ROW) vector along which the edge pulls, link to
                         * the row before, right side / pivot, 1 / pivot, right side, unit vector */
} NAME(chain_points);

/* Fills row j of a chain's system and eliminates it with the row before. */
static void NAME(chain_row)(const NAME(chain_points) * points, const cloth_chains *chains,
    const cloth_chain *chain, uint32_t j, REAL stiffness)
{
    enum { LINK = 3, SOLVED, INVERSE, RIGHT, UNIT };
    uint32_t a = chain->first + j * chain->step, b = a + chain->step;
    const cloth_edge *edge = chains->edges + chain->edges + j;
    REAL *row = points->rows + CLOTH_CHAIN_ROW * (size_t)j, *last = row - CLOTH_CHAIN_ROW;
    REAL wa = points->inverse_mass[a], wb = points->inverse_mass[b], way[3];
    for (int k = 0; k < 3; k++)
        way[k] = points->at[3 * (size_t)b + (size_t)k] - points->at[3 * (size_t)a + (size_t)k];
    REAL length = SQRT(NAME(squared)(way) + (REAL)1e-24), give = (REAL)edge->compliance * stiffness,
         weight = wa + wb > (REAL)1e-20 ? wa + wb : (REAL)1e-20,
         so_far = points->pulled ? points->pulled[chain->edges + j] : 0,
         low = (REAL)chains->low * (REAL)edge->rest, high = (REAL)chains->high * (REAL)edge->rest,
         bound = length < low ? low : length, right;
    if (length > high) bound = high;
    give += (REAL)chains->soften * give * give / weight;
    right = length - bound - give * so_far;
    bool is_free = chains->low < chains->high && length == bound && so_far == 0;
    for (int k = 0; k < 3; k++) row[UNIT + k] = is_free ? 0 : way[k] / length;
    REAL past[3], turn = 0; /* direction at the start, its cosine with the edge */
    for (size_t k = 0; k < 3; k++) {
        row[k] = past[k] = row[UNIT + k];
        if (points->before)
            past[k] = points->before[3 * (size_t)b + k] - points->before[3 * (size_t)a + k];
    }
    REAL size = SQRT(NAME(squared)(past) + (REAL)1e-24);
    for (int k = 0; k < 3; k++) turn += row[UNIT + k] * past[k] / size;
    for (int k = 0; k < 3 && points->before && turn > (REAL)0.5; k++)
        row[k] = (row[UNIT + k] + past[k] / size) / (1 + turn);
    REAL diagonal = (wa + wb) * (REAL)CLOTH_CHAIN_DIAGONAL + give + (REAL)1e-20;
    if (is_free) right = 0;
    row[LINK] = 0;
    if (j > 0) {
        REAL left = 0, upper = 0;
        for (int k = 0; k < 3; k++) {
            left -= wa * row[UNIT + k] * last[k];
            upper -= wa * last[UNIT + k] * row[k];
        }
        row[LINK] = upper * last[INVERSE];
        diagonal -= left * row[LINK];
        right -= left * last[INVERSE] * last[RIGHT];
    }
    row[INVERSE] = 1 / diagonal;
    row[RIGHT] = right;
    row[SOLVED] = right / diagonal;
}

/* Solves the distances along a chain as one linear system, and moves its points. */
static void NAME(chain)(const NAME(chain_points) * points, const cloth_chains *chains,
    const cloth_chain *chain, REAL stiffness)
{
    enum { LINK = 3, SOLVED };
    REAL later[3] = {0}, pull = 0, link = 0;
    for (uint32_t j = 0; j < chain->count; j++)
        NAME(chain_row)(points, chains, chain, j, stiffness);
    for (uint32_t j = chain->count + 1; j-- > 0;) {
        uint32_t point = chain->first + j * chain->step;
        const REAL *row = points->rows + CLOTH_CHAIN_ROW * ((size_t)j - 1);
        if (j > 0) {
            pull = row[SOLVED] - link * pull;
            link = row[LINK];
            if (points->pulled) points->pulled[chain->edges + j - 1] += pull;
        }
        for (int k = 0; k < 3; k++) {
            REAL force = j > 0 ? pull * row[k] : 0;
            points->at[3 * (size_t)point + (size_t)k] +=
                points->inverse_mass[point] * (later[k] - force);
            later[k] = force;
        }
    }
}

/* Scratch memory of lattices and chains. */
typedef struct NAME(lattice_memory) {
    REAL *inverse_mass; /* (particles) */
    /* (places x 3) of a lattice and of the next coarser one, in turn */
    REAL *at[2], *from[2];
    REAL *before;     /* (places x 3) at the substep's start */
    REAL *place_mass; /* (places) inverse */
    REAL *pulled;     /* (edges) */
    REAL *rows;
} NAME(lattice_memory);

/* Moves points by the motions of a lattice's places. `inverse_mass`: of the points. */
static void NAME(follow)(const cloth_lattice *lattice, const REAL *at, const REAL *from,
    const REAL *inverse_mass, REAL *points)
{
    for (uint32_t k = 0; k < lattice->share_count; k++) {
        const cloth_share *share = lattice->shares + k;
        for (uint32_t axis = 0; axis < 3; axis++) {
            REAL motion = 0;
            for (int v = 0; v < 4; v++) {
                size_t place = 3 * (size_t)share->place[v] + axis;
                motion += (REAL)share->part[v] * (at[place] - from[place]);
            }
            if (!inverse_mass || inverse_mass[share->point] > 0)
                points[3 * (size_t)share->point + axis] += motion;
        }
    }
}

/* Solves lattice `k` of a list, coarse first. The places start with the motion of the next coarser
 * lattice; the particles follow the finest. `previous`: positions at the substep's start; NULL: edges
 * pull along themselves. */
static void NAME(lattice)(const cloth_lattice *lattices, uint32_t k, REAL stiffness,
    const NAME(lattice_memory) * memory, const REAL *previous, REAL *positions)
{
    const cloth_lattice *lattice = lattices + k;
    const cloth_chains *chains = &lattice->chains;
    REAL *at = memory->at[k & 1], *from = memory->from[k & 1];
    NAME(chain_points) points = {at, memory->place_mass, previous ? memory->before : NULL,
        memory->pulled, memory->rows};
    memset(memory->pulled, 0, chains->edge_count * sizeof *memory->pulled);
    for (uint32_t p = 0; p < lattice->place_count; p++) {
        const cloth_place *place = lattice->places + p;
        memory->place_mass[p] = (REAL)place->inverse_mass;
        for (uint32_t axis = 0; axis < 3; axis++) {
            REAL sum = 0, past = 0;
            for (int v = 0; v < 3; v++) {
                size_t of = 3 * (size_t)place->particle[v] + axis;
                sum += (REAL)place->part[v] * positions[of];
                if (previous) past += (REAL)place->part[v] * previous[of];
            }
            at[3 * (size_t)p + axis] = from[3 * (size_t)p + axis] = sum;
            memory->before[3 * (size_t)p + axis] = past;
        }
    }
    if (k > 0 && lattice[-1].is_inner) NAME(follow)
    (lattice - 1, memory->at[!(k & 1)], memory->from[!(k & 1)], NULL, at);
    for (uint32_t sweep = 0; sweep < lattice->sweeps; sweep++)
        for (uint32_t c = 0; c < chains->at[2]; c++)
            NAME(chain)(&points, chains, chains->chains + c, stiffness);
    if (!lattice->is_inner) NAME(follow)(lattice, at, from, memory->inverse_mass, positions);
}

/* Solves the tension along the lines of a grid, then the lattices of pins. */
static void NAME(tension)(const cloth_garment *garment, REAL stiffness,
    const NAME(lattice_memory) * memory, REAL *positions)
{
    NAME(chain_points) points = {positions, memory->inverse_mass, NULL, NULL, memory->rows};
    for (uint32_t k = 0; k < garment->tension.at[2]; k++)
        NAME(chain)(&points, &garment->tension, garment->tension.chains + k, stiffness);
    for (uint32_t k = 0; k < garment->pin_lattice_count; k++)
        NAME(lattice)(garment->pin_lattices, k, stiffness, memory, NULL, positions);
}

static hed_status NAME(lattice_memory_create)(
    const cloth_garment *garment, hed_arena *arena, NAME(lattice_memory) * memory)
{
    uint32_t places = 0, edges = 0, longest = garment->particle_count;
    for (uint32_t k = 0; k < garment->lattice_count + garment->pin_lattice_count; k++) {
        const cloth_lattice *lattice = k < garment->lattice_count
                                           ? garment->lattices + k
                                           : garment->pin_lattices + k - garment->lattice_count;
        if (lattice->place_count > places) places = lattice->place_count;
        if (lattice->chains.edge_count > edges) edges = lattice->chains.edge_count;
    }
    if (!places) return HED_OK;
    memory->inverse_mass =
        hed_arena_new(arena, garment->particle_count, sizeof *memory->inverse_mass, NULL);
    for (int k = 0; k < 2; k++) {
        memory->at[k] = hed_arena_new(arena, 3 * (uint64_t)places, sizeof(REAL), NULL);
        memory->from[k] = hed_arena_new(arena, 3 * (uint64_t)places, sizeof(REAL), NULL);
    }
    memory->before = hed_arena_new(arena, 3 * (uint64_t)places, sizeof(REAL), NULL);
    memory->place_mass = hed_arena_new(arena, places, sizeof *memory->place_mass, NULL);
    memory->pulled = hed_arena_new(arena, edges, sizeof *memory->pulled, NULL);
    memory->rows =
        hed_arena_new(arena, CLOTH_CHAIN_ROW * (uint64_t)longest, sizeof *memory->rows, NULL);
    for (uint32_t i = 0; i < garment->particle_count && !arena->failed; i++)
        memory->inverse_mass[i] = (REAL)garment->positions[i][3];
    return arena->failed ? HED_ERROR_MEMORY : HED_OK;
}

hed_status NAME(cloth_reference_frames)(const cloth_garment *garment,
    const cloth_reference_def *def, uint32_t frames, REAL *positions, REAL *previous, REAL *carry,
    REAL *last_dt)
{
    uint32_t count = def->order.constraints ? def->order.count : cloth_kept_constraints(garment);
    bool lines = def->lines && garment->line_rows;
    uint32_t bends = lines ? garment->line_rows : garment->bend_count,
             first_sum = lines ? garment->bend_count : 0, sums = cloth_sums_of(garment).count,
             longest = garment->grid_width > garment->grid_height ? garment->grid_width
                                                                  : garment->grid_height;
    uint64_t multiplier_count = garment->constraint_count +
                                3 * ((uint64_t)bends + garment->cell_count) +
                                12 * (uint64_t)garment->element_count;
    hed_arena arena = {.allocator = garment->arena.allocator, .owner = "reference of cloth"};
    double *multipliers = NULL, *band = NULL;
    NAME(lattice_memory) memory = {0};
    NAME(lattice_memory_create)(garment, &arena, &memory);
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
        for (uint32_t k = 0; k < garment->lattice_count; k++)
            NAME(lattice)(garment->lattices, k, (REAL)step.stiffness, &memory, previous, positions);
        if (multipliers) memset(multipliers, 0, multiplier_count * sizeof *multipliers);
        for (uint32_t iteration = 0; iteration < def->iterations; iteration++) {
            for (uint32_t k = 0; k < (lines ? garment->line_at[CLOTH_LINE_SETS] : 0); k++)
                NAME(line)
            (garment, &step, garment->lines + k, band,
                pulled ? pulled + 3 * (size_t)garment->lines[k].weights : NULL, positions);
            for (uint32_t k = first_sum; k < sums && !def->order.sums; k++) NAME(fabric_sum)
            (garment, &step, k, bends, pulled, positions);
            for (uint32_t k = 0; k < count; k++) {
                uint32_t constraint = def->order.constraints ? def->order.constraints[k] : k;
                bool sum = constraint >= garment->constraint_count;
                if (sum) NAME(fabric_sum)
                (garment, &step, constraint - garment->constraint_count, bends, pulled, positions);
                if (!sum) NAME(project)
                (garment, &step, constraint, multipliers ? multipliers + constraint : NULL,
                    positions);
            }
        }
        NAME(tension)(garment, (REAL)step.stiffness, &memory, positions);
    }
    hed_arena_free(&arena);
    return HED_OK;
}
