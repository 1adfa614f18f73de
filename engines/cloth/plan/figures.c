/* Figures of four particles whose constraints a device does in registers, so that four loads and
 * four stores serve six constraints, or four: complete graphs (a grid's cell with its diagonals, a
 * hinge with its bend) and rings of one family (bends round a square).
 *
 * Complete ones are taken along the edges of the mesh first, and only where no shorter one goes
 * through the same edge: those tile a grid like the black fields of a chessboard. Figures are then
 * put in steps, no free particle twice in one; a figure that finds no step stays pairs. */
#include "plan/parts.h"

#include <float.h>
#include <stdlib.h>

enum { MOST_STEPS = 64, MOST_COMMON = 32, RARE = 16, FEW = 256 };

typedef struct finder {
    cloth_planner *planner;
    uint8_t *corner;     /* (particle_count) half its constraints or more lead to other patches */
    uint32_t *pairs;     /* (particle_count) its constraints outside figures */
    uint32_t *mark;      /* (particle_count) constraint + 1 that leads there; 0 */
    uint32_t most_pairs; /* at any particle */
    uint64_t *taken;     /* (particle_count) steps that have it, as bits */
} finder;

/* A particle joined to both ends of an edge. */
typedef struct common {
    uint32_t particle, to_a, to_b; /* and the constraints */
} common;

static bool may_be_in_figure(const cloth_planner *planner, uint32_t k)
{
    const hed_cloth_constraint *c = &planner->garment->constraints[k];
    return planner->part[c->a] == planner->part[c->b];
}

/* The constraint inside a patch that joins two particles, or CLOTH_NONE. */
static uint32_t figures_find_edge(const cloth_planner *planner, uint32_t a, uint32_t b)
{
    for (uint32_t q = planner->incident_at[a]; q < planner->incident_at[a + 1]; q++)
        if (planner->neighbour[q] == b)
            return planner->part[a] == planner->part[b] ? planner->incident[q] : CLOTH_NONE;
    return CLOTH_NONE;
}

static float figures_rest(const cloth_planner *planner, uint32_t constraint)
{
    return planner->garment->constraints[constraint].rest;
}

/* ---- complete figures ---- */

static uint32_t find_common(
    const cloth_planner *planner, uint32_t a, uint32_t b, common found[MOST_COMMON])
{
    uint32_t count = 0;
    for (uint32_t q = planner->incident_at[a];
         q < planner->incident_at[a + 1] && count < MOST_COMMON; q++) {
        uint32_t particle = planner->neighbour[q];
        if (particle == b || planner->part[particle] != planner->part[a]) continue;
        uint32_t to_b = figures_find_edge(planner, b, particle);
        if (to_b != CLOTH_NONE) found[count++] = (common){particle, planner->incident[q], to_b};
    }
    return count;
}

/* Two constraints without a common particle; of a complete figure there are three such pairs. */
typedef struct matching {
    uint32_t partner;    /* of the figure's first particle */
    uint32_t with_first; /* the constraint between the two */
    uint32_t other;
} matching;

/* The sweep ends on the shortest constraints, which are the stiffest: that stretches least. */
static cloth_found make_complete(const cloth_planner *planner, uint32_t ab, uint32_t a, uint32_t b,
    const common *c, const common *d, uint32_t cd)
{
    matching m[3] = {{b, ab, cd}, {c->particle, c->to_a, d->to_b}, {d->particle, d->to_a, c->to_b}};
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t first = k % 2; /* three exchanges sort three */
        float length =
            figures_rest(planner, m[first].with_first) + figures_rest(planner, m[first].other);
        float next = figures_rest(planner, m[first + 1].with_first) +
                     figures_rest(planner, m[first + 1].other);
        if (length >= next) continue;
        matching kept = m[first];
        m[first] = m[first + 1];
        m[first + 1] = kept;
    }
    return (cloth_found){{a, m[0].partner, m[1].partner, m[2].partner},
        {m[0].with_first, m[0].other, m[1].with_first, m[1].other, m[2].with_first, m[2].other},
        CLOTH_COMPLETE, 0};
}

/* The shortest complete figure through a constraint, if none of its constraints is in another
 * yet. */
static bool figures_find_complete(
    const cloth_planner *planner, uint32_t constraint, cloth_found *figure)
{
    const uint8_t *in_figure = planner->in_figure;
    uint32_t a = planner->garment->constraints[constraint].a,
             b = planner->garment->constraints[constraint].b;
    common all[MOST_COMMON];
    uint32_t count = find_common(planner, a, b, all);
    float shortest = FLT_MAX, shortest_free = FLT_MAX;
    for (uint32_t p = 0; p < count; p++) {
        for (uint32_t q = p + 1; q < count; q++) {
            if (all[p].particle == all[q].particle) continue;
            uint32_t cd = figures_find_edge(planner, all[p].particle, all[q].particle);
            if (cd == CLOTH_NONE) continue;
            float length = figures_rest(planner, cd) + figures_rest(planner, all[p].to_a) +
                           figures_rest(planner, all[p].to_b) + figures_rest(planner, all[q].to_a) +
                           figures_rest(planner, all[q].to_b);
            bool taken = in_figure[cd] || in_figure[all[p].to_a] || in_figure[all[p].to_b] ||
                         in_figure[all[q].to_a] || in_figure[all[q].to_b];
            if (length < shortest) shortest = length;
            if (taken || length >= shortest_free) continue;
            shortest_free = length;
            *figure = make_complete(planner, constraint, a, b, &all[p], &all[q], cd);
        }
    }
    return shortest_free < FLT_MAX && shortest_free <= shortest * 1.001f;
}

/* ---- rings ---- */

static bool may_be_in_ring(const cloth_planner *planner, uint32_t k, uint8_t family)
{
    return !planner->in_figure[k] && planner->garment->families[k] == family &&
           may_be_in_figure(planner, k);
}

/* The family's constraints at a particle, marked at their other ends or unmarked again. */
static void mark_family(finder *f, uint32_t particle, uint8_t family, bool marked)
{
    const cloth_planner *planner = f->planner;
    for (uint32_t q = planner->incident_at[particle]; q < planner->incident_at[particle + 1]; q++)
        if (may_be_in_ring(planner, planner->incident[q], family))
            f->mark[planner->neighbour[q]] = marked ? planner->incident[q] + 1 : 0;
}

/* The fourth particle of a ring that has c - a - b: joined to c, and to b by a marked
 * constraint. */
static bool close_ring(
    const finder *f, uint32_t ab, uint32_t ac, uint32_t c, uint8_t family, cloth_found *figure)
{
    const cloth_planner *planner = f->planner;
    uint32_t a = cloth_other_end(&planner->garment->constraints[ac], c),
             b = cloth_other_end(&planner->garment->constraints[ab], a);
    for (uint32_t q = planner->incident_at[c]; q < planner->incident_at[c + 1]; q++) {
        uint32_t cd = planner->incident[q], d = planner->neighbour[q];
        if (!f->mark[d] || d == a || d == b || !may_be_in_ring(planner, cd, family)) continue;
        *figure = (cloth_found){
            {a, b, c, d}, {ab, cd, ac, f->mark[d] - 1, CLOTH_NONE, CLOTH_NONE}, CLOTH_RING, 0};
        return true;
    }
    return false;
}

static bool figures_find_ring(finder *f, uint32_t ab, cloth_found *figure)
{
    const cloth_planner *planner = f->planner;
    uint32_t a = planner->garment->constraints[ab].a, b = planner->garment->constraints[ab].b;
    uint8_t family = planner->garment->families[ab];
    bool found = false;
    mark_family(f, b, family, true);
    for (uint32_t q = planner->incident_at[a]; q < planner->incident_at[a + 1] && !found; q++) {
        uint32_t ac = planner->incident[q], c = planner->neighbour[q];
        if (c != b && may_be_in_ring(planner, ac, family))
            found = close_ring(f, ab, ac, c, family, figure);
    }
    mark_family(f, b, family, false);
    return found;
}

/* ---- finding ---- */

static void figures_add(cloth_planner *planner, const cloth_found *figure)
{
    planner->found[planner->found_count++] = *figure;
    for (uint32_t e = 0; e < figure->kind; e++) planner->in_figure[figure->constraint[e]] = 1;
}

static bool at_corner(const finder *f, uint32_t constraint)
{
    const hed_cloth_constraint *c = &f->planner->garment->constraints[constraint];
    return f->corner[c->a] || f->corner[c->b];
}

static void find_complete_figures(finder *f, bool corners)
{
    cloth_planner *planner = f->planner;
    cloth_found figure;
    for (uint8_t family = 0; family < HED_CLOTH_FAMILY_COUNT; family++) {
        for (uint32_t k = 0; k < planner->garment->constraint_count; k++) {
            if (planner->garment->families[k] != family || planner->in_figure[k] ||
                !may_be_in_figure(planner, k))
                continue;
            if ((!corners || at_corner(f, k)) && figures_find_complete(planner, k, &figure))
                figures_add(planner, &figure);
        }
    }
}

static void find_rings(finder *f, bool corners)
{
    cloth_planner *planner = f->planner;
    cloth_found figure;
    for (uint32_t k = 0; k < planner->garment->constraint_count; k++) {
        if (!may_be_in_ring(planner, k, planner->garment->families[k]) ||
            (corners && !at_corner(f, k)))
            continue;
        if (figures_find_ring(f, k, &figure)) figures_add(planner, &figure);
    }
}

/* ---- steps ---- */

/* First fit; figures of one kind share no step with the other. Those without a step are dropped.
 * Gives the number of steps. */
static uint32_t figures_put_in_steps(finder *f, uint32_t kind, uint32_t first_step)
{
    cloth_planner *planner = f->planner;
    uint32_t steps = 0;
    for (uint32_t i = 0; i < planner->garment->particle_count; i++) f->taken[i] = 0;
    for (uint32_t k = 0; k < planner->found_count; k++) {
        cloth_found *figure = &planner->found[k];
        if (figure->kind != kind) continue;
        uint64_t taken = 0;
        uint32_t step = 0;
        for (uint32_t v = 0; v < 4; v++) taken |= f->taken[figure->particle[v]];
        while (step < MOST_STEPS && taken >> step & 1) step++;
        figure->step = step < MOST_STEPS ? first_step + step : CLOTH_NONE;
        for (uint32_t v = 0; v < 4 && step < MOST_STEPS; v++)
            if (!cloth_is_locked(planner->garment, figure->particle[v]))
                f->taken[figure->particle[v]] |= 1ull << step;
        for (uint32_t e = 0; e < kind; e++)
            planner->in_figure[figure->constraint[e]] = step < MOST_STEPS;
        if (step < MOST_STEPS && step + 1 > steps) steps = step + 1;
    }
    return steps;
}

/* ---- steps that are not worth a barrier ---- */

/* Pairs at each particle, and the most at any. */
static uint32_t figures_count_pairs(finder *f)
{
    const cloth_planner *planner = f->planner;
    uint32_t most = 0;
    for (uint32_t i = 0; i < planner->garment->particle_count; i++) {
        f->pairs[i] = 0;
        if (cloth_is_locked(planner->garment, i)) continue;
        for (uint32_t q = planner->incident_at[i]; q < planner->incident_at[i + 1]; q++)
            f->pairs[i] += !planner->in_figure[planner->incident[q]];
        if (f->pairs[i] > most) most = f->pairs[i];
    }
    return most;
}

/* Makes a figure pairs again where that leaves its particles with about as many pairs as others
 * have anyway. */
static bool dissolve(finder *f, cloth_found *figure)
{
    uint32_t more = figure->kind / 2;
    for (uint32_t v = 0; v < 4; v++) {
        uint32_t particle = figure->particle[v];
        if (!cloth_is_locked(f->planner->garment, particle) &&
            f->pairs[particle] + more > f->most_pairs + 1)
            return false;
    }
    for (uint32_t v = 0; v < 4; v++) f->pairs[figure->particle[v]] += more;
    for (uint32_t e = 0; e < figure->kind; e++) f->planner->in_figure[figure->constraint[e]] = 0;
    figure->step = CLOTH_NONE;
    return true;
}

static bool share_particle(const finder *f, const cloth_found *a, const cloth_found *b)
{
    for (uint32_t v = 0; v < 4; v++)
        for (uint32_t w = 0; w < 4; w++)
            if (a->particle[v] == b->particle[w] &&
                !cloth_is_locked(f->planner->garment, a->particle[v]))
                return true;
    return false;
}

/* Moves a figure to a step where those in its way can be dissolved. */
static void make_way(finder *f, cloth_found *figure, uint32_t step)
{
    cloth_planner *planner = f->planner;
    for (uint32_t k = 0; k < planner->found_count; k++) {
        cloth_found *other = &planner->found[k];
        if (other->step == step && share_particle(f, figure, other) && !dissolve(f, other)) return;
    }
    figure->step = step;
}

/* Where the tilings from two corners of a patch do not fit, a few figures are left to steps of
 * their own. They are dissolved, or, where few of them cannot be, those in their way. */
static void dissolve_rare_steps(finder *f, uint32_t steps)
{
    cloth_planner *planner = f->planner;
    uint32_t count[2 * MOST_STEPS] = {0}, kind[2 * MOST_STEPS], fullest = 0, left = 0;
    f->most_pairs = figures_count_pairs(f);
    for (uint32_t k = 0; k < planner->found_count; k++) {
        uint32_t step = planner->found[k].step;
        if (step == CLOTH_NONE) continue;
        kind[step] = planner->found[k].kind;
        if (++count[step] > fullest) fullest = count[step];
    }
    for (uint32_t k = 0; k < planner->found_count; k++) {
        cloth_found *figure = &planner->found[k];
        if (figure->step != CLOTH_NONE && count[figure->step] * RARE < fullest)
            left += !dissolve(f, figure);
    }
    for (uint32_t k = 0; k < planner->found_count && left <= FEW; k++) {
        cloth_found *figure = &planner->found[k];
        for (uint32_t s = 0;
             s < steps && figure->step != CLOTH_NONE && count[figure->step] * RARE < fullest; s++)
            if (kind[s] == figure->kind && count[s] * RARE >= fullest) make_way(f, figure, s);
    }
}

/* Drops figures and steps that are no more. Gives the number of steps; the first *rings of them are
 * rings. */
static uint32_t renumber_steps(cloth_planner *planner, uint32_t *rings)
{
    uint32_t number[2 * MOST_STEPS] = {0}, kept = 0, steps = 0, ring_steps = 0;
    for (uint32_t k = 0; k < planner->found_count; k++)
        if (planner->found[k].step != CLOTH_NONE) planner->found[kept++] = planner->found[k];
    planner->found_count = kept;
    for (uint32_t k = 0; k < kept; k++) number[planner->found[k].step] = 1;
    for (uint32_t s = 0; s < 2 * MOST_STEPS; s++) {
        if (!number[s]) continue;
        if (s < *rings) ring_steps++;
        number[s] = steps++;
    }
    for (uint32_t k = 0; k < kept; k++) planner->found[k].step = number[planner->found[k].step];
    *rings = ring_steps;
    return steps;
}

/* ---- all ---- */

hed_status cloth_plan_find_figures(cloth_planner *planner)
{
    uint32_t constraints = planner->garment->constraint_count;
    finder f = {.planner = planner};
    f.corner = hed_arena_new(
        &planner->arena, planner->garment->particle_count, sizeof *f.corner, planner->error);
    f.mark = hed_arena_new(
        &planner->arena, planner->garment->particle_count, sizeof *f.mark, planner->error);
    f.pairs = hed_arena_new(
        &planner->arena, planner->garment->particle_count, sizeof *f.pairs, planner->error);
    f.taken = hed_arena_new(
        &planner->arena, planner->garment->particle_count, sizeof *f.taken, planner->error);
    planner->found = hed_arena_new(
        &planner->arena, constraints / CLOTH_RING + 1, sizeof *planner->found, planner->error);
    if (!f.corner || !f.mark || !f.pairs || !f.taken || !planner->found) return HED_ERROR_MEMORY;
    for (uint32_t i = 0; i < planner->garment->particle_count; i++) {
        uint32_t begin = planner->incident_at[i], end = planner->incident_at[i + 1], inside = 0;
        for (uint32_t q = begin; q < end; q++)
            inside += may_be_in_figure(planner, planner->incident[q]);
        f.corner[i] = 2 * inside <= end - begin;
    }
    for (uint32_t corners = 1; corners < 2; corners--) find_complete_figures(&f, corners);
    for (uint32_t corners = 1; corners < 2; corners--) find_rings(&f, corners);
    uint32_t rings = figures_put_in_steps(&f, CLOTH_RING, 0),
             steps = rings + figures_put_in_steps(&f, CLOTH_COMPLETE, rings);
    dissolve_rare_steps(&f, steps);
    steps = renumber_steps(planner, &rings);
    cloth_plan *plan = planner->plan;
    plan->figure_steps = steps;
    plan->figure_kind =
        hed_arena_new(&plan->arena, steps, sizeof *plan->figure_kind, planner->error);
    if (!plan->figure_kind) return HED_ERROR_MEMORY;
    for (uint32_t s = 0; s < steps; s++)
        plan->figure_kind[s] = s < rings ? CLOTH_RING : CLOTH_COMPLETE;
    return HED_OK;
}
