/* In which step each pair is done. All boundary constraints of a particle come before all others of it, so that a patch can redo its
 * neighbours' boundary constraints without knowing what they do inside (plan_closure.c). That makes two edge colourings, one with
 * deadlines and one with release times, and plan_matchings.c does both:
 *
 *   1. boundary constraints, each particle's before the steps that its others need at the least;
 *   2. what is inside, patch by patch, each particle's after its last boundary constraint.
 *
 * The number of steps begins at its lower bound, the most constraints at one particle, and grows until both succeed. */
#include "solver/plan_parts.h"

#include "solver/plan_matchings.h"

enum { EFFORT = 60, ROUNDS = 8, MOST_STEPS = 65000 };

typedef struct schedule {
    cloth_planner *planner;
    uint32_t steps;
    uint16_t *inside;   /* (particle_count) constraints at each free particle that its patch alone does, outside figures */
    uint16_t *outside;  /* (particle_count) boundary constraints */
    uint16_t *release;  /* (particle_count) step after its last boundary constraint; 0: none */
    uint32_t *size;     /* (patch_count) particles */
    uint8_t *moved;     /* (particle_count) has gone to another patch to ease the boundary */
    uint32_t *vertex;   /* (particle_count) number in the graph at work */
    uint32_t *home_at;  /* (patch_count + 1) in `homes` */
    uint32_t *homes;    /* constraints outside figures, patch by patch; behind the last patch the boundary */
    uint32_t most_edges;
    cloth_matchings matchings; /* memory for the largest graph */
} schedule;

static uint32_t most_constraints(const schedule *s)
{
    const cloth_planner *planner = s->planner;
    uint32_t most = 0;
    for (uint32_t i = 0; i < planner->garment->particle_count; i++) {
        uint32_t count = s->inside[i] + s->outside[i] + (s->outside[i] ? planner->plan->def.early_steps : 0);
        if (count > most) most = count;
    }
    return most;
}

/* Constraints by the patch that does them; boundary ones last. */
static void sort_by_home(schedule *s)
{
    cloth_planner *planner = s->planner;
    uint32_t patches = planner->plan->patch_count, constraints = planner->garment->constraint_count;
    uint32_t *at = s->home_at;
    for (uint32_t p = 0; p <= patches + 1; p++) at[p] = 0;
    for (uint32_t k = 0; k < constraints; k++) {
        if (planner->in_figure[k]) continue;
        at[(planner->home[k] == CLOTH_NONE ? patches : planner->home[k]) + 1]++;
    }
    for (uint32_t p = 0; p <= patches; p++) {
        if (at[p + 1] > s->most_edges) s->most_edges = at[p + 1];
        at[p + 1] += at[p];
    }
    for (uint32_t k = 0; k < constraints; k++) {
        if (planner->in_figure[k]) continue;
        s->homes[at[planner->home[k] == CLOTH_NONE ? patches : planner->home[k]]++] = k;
    }
    for (uint32_t p = patches + 1; p > 0; p--) at[p] = at[p - 1];
    at[0] = 0;
}

static void count_constraints(schedule *s)
{
    const cloth_planner *planner = s->planner;
    const cloth_garment *garment = planner->garment;
    for (uint32_t i = 0; i < garment->particle_count; i++) s->inside[i] = s->outside[i] = 0;
    for (uint32_t k = 0; k < garment->constraint_count; k++) {
        if (planner->in_figure[k]) continue;
        uint16_t *count = planner->home[k] == CLOTH_NONE ? s->outside : s->inside;
        uint32_t ends[2] = {garment->constraints[k].a, garment->constraints[k].b};
        for (uint32_t e = 0; e < 2; e++)
            if (!cloth_is_locked(garment, ends[e])) count[ends[e]]++;
    }
}

static uint32_t vertex_of(const schedule *s, uint32_t particle)
{
    return cloth_is_locked(s->planner->garment, particle) ? CLOTH_NONE : s->vertex[particle];
}

/* ---- 1: the boundary ---- */

/* Gives how many boundary constraints found no step. */
static uint32_t schedule_boundary(schedule *s)
{
    cloth_planner *planner = s->planner;
    const cloth_garment *garment = planner->garment;
    cloth_matchings *m = &s->matchings;
    uint32_t begin = s->home_at[planner->plan->patch_count], early = planner->plan->def.early_steps;
    m->edge_count = s->home_at[planner->plan->patch_count + 1] - begin;
    m->vertex_count = 0;
    for (uint32_t i = 0; i < garment->particle_count; i++) {
        if (!s->outside[i]) continue;
        s->vertex[i] = m->vertex_count;
        m->deadline[m->vertex_count++] = (uint16_t)(s->steps - s->inside[i]);
    }
    for (uint32_t k = 0; k < m->edge_count; k++) {
        const hed_cloth_constraint *c = &garment->constraints[s->homes[begin + k]];
        uint32_t a = s->vertex[c->a], b = s->vertex[c->b];
        uint16_t end = m->deadline[a] < m->deadline[b] ? m->deadline[a] : m->deadline[b];
        m->edges[k] = (cloth_edge){.a = a, .b = b, .first = (uint16_t)early, .end = end};
    }
    for (uint32_t t = 0; t < s->steps; t++) m->room[t] = UINT32_MAX / 2;
    uint32_t left = cloth_match(m, EFFORT);
    if (left) return left;
    for (uint32_t i = 0; i < garment->particle_count; i++) s->release[i] = 0;
    for (uint32_t k = 0; k < m->edge_count; k++) {
        const hed_cloth_constraint *c = &garment->constraints[s->homes[begin + k]];
        uint16_t after = (uint16_t)(m->edges[k].step + 1);
        planner->step[s->homes[begin + k]] = m->edges[k].step;
        if (s->release[c->a] < after) s->release[c->a] = after;
        if (s->release[c->b] < after) s->release[c->b] = after;
    }
    return 0;
}

static uint32_t count_outside(const cloth_planner *planner, uint32_t particle)
{
    uint32_t count = 0;
    for (uint32_t q = planner->incident_at[particle]; q < planner->incident_at[particle + 1]; q++)
        count += planner->part[cloth_other_end(&planner->garment->constraints[planner->incident[q]], particle)] != planner->part[particle];
    return count;
}

/* How hard the boundary constraints around a particle are to put in steps: the most at one particle count by far the most. */
static int64_t crowding(const cloth_planner *planner, uint32_t particle)
{
    int64_t here = count_outside(planner, particle), sum = here * here * here * here;
    for (uint32_t q = planner->incident_at[particle]; q < planner->incident_at[particle + 1]; q++) {
        int64_t count = count_outside(planner, cloth_other_end(&planner->garment->constraints[planner->incident[q]], particle));
        sum += count * count * count * count;
    }
    return sum;
}

static bool may_move(const schedule *s, uint32_t particle)
{
    const cloth_planner *planner = s->planner;
    if (s->moved[particle] || s->size[planner->part[particle]] == 1) return false;
    for (uint32_t q = planner->incident_at[particle]; q < planner->incident_at[particle + 1]; q++)
        if (planner->in_figure[planner->incident[q]]) return false;
    return true;
}

typedef struct move {
    int64_t gain;
    uint32_t particle, patch;
} move;

/* The best patch for a particle among those that it has constraints with. */
static void try_moves(const schedule *s, uint32_t particle, move *best)
{
    const cloth_planner *planner = s->planner;
    if (!may_move(s, particle)) return;
    uint32_t own = planner->part[particle];
    int64_t now = crowding(planner, particle);
    for (uint32_t q = planner->incident_at[particle]; q < planner->incident_at[particle + 1]; q++) {
        uint32_t patch = planner->part[cloth_other_end(&planner->garment->constraints[planner->incident[q]], particle)];
        if (patch == own) continue;
        planner->part[particle] = patch;
        int64_t gain = now - crowding(planner, particle);
        planner->part[particle] = own;
        if (gain > best->gain) *best = (move){gain, particle, patch};
    }
}

/* Where cuts meet a column apart, too many constraints are between patches for their steps to follow one another. Around each that is left
 * over the particle moves whose move gains the most, be it little or less than nothing; none moves twice. */
static void ease_boundary(schedule *s)
{
    cloth_planner *planner = s->planner;
    uint32_t begin = s->home_at[planner->plan->patch_count];
    for (uint32_t p = 0; p < planner->plan->patch_count; p++) s->size[p] = planner->own_at[p + 1] - planner->own_at[p];
    for (uint32_t k = 0; k < s->matchings.edge_count; k++) {
        if (s->matchings.edges[k].step != CLOTH_NO_STEP) continue;
        const hed_cloth_constraint *c = &planner->garment->constraints[s->homes[begin + k]];
        uint32_t centre = count_outside(planner, c->a) > count_outside(planner, c->b) ? c->a : c->b;
        move best = {.gain = INT64_MIN, .particle = CLOTH_NONE};
        try_moves(s, centre, &best);
        for (uint32_t q = planner->incident_at[centre]; q < planner->incident_at[centre + 1]; q++)
            try_moves(s, cloth_other_end(&planner->garment->constraints[planner->incident[q]], centre), &best);
        if (best.particle == CLOTH_NONE) continue;
        s->size[planner->part[best.particle]]--;
        s->size[best.patch]++;
        planner->part[best.particle] = best.patch;
        s->moved[best.particle] = 1;
    }
}

/* ---- 2: the inside of a patch ---- */

/* Room that the boundary constraints of a patch leave in each step. */
static bool find_room(schedule *s, uint32_t patch)
{
    const cloth_planner *planner = s->planner;
    uint32_t limit = planner->plan->def.step_limit;
    uint64_t room = 0;
    for (uint32_t t = 0; t < s->steps; t++) s->matchings.room[t] = limit ? limit : UINT32_MAX / 2;
    for (uint32_t k = planner->redone_at[patch]; k < planner->redone_at[patch + 1] && limit; k++) {
        uint32_t *left = &s->matchings.room[planner->step[planner->redone.items[k]]];
        if (*left) --*left;
    }
    for (uint32_t t = 0; t < s->steps; t++) room += s->matchings.room[t];
    return room >= s->home_at[patch + 1] - s->home_at[patch];
}

static bool schedule_patch(schedule *s, uint32_t patch)
{
    cloth_planner *planner = s->planner;
    const cloth_garment *garment = planner->garment;
    cloth_matchings *m = &s->matchings;
    uint32_t begin = s->home_at[patch], early = planner->plan->def.early_steps;
    if (!find_room(s, patch)) return false;
    m->edge_count = s->home_at[patch + 1] - begin;
    m->vertex_count = 0;
    for (uint32_t k = planner->own_at[patch]; k < planner->own_at[patch + 1]; k++) {
        s->vertex[planner->plan->own[k]] = m->vertex_count;
        m->deadline[m->vertex_count++] = (uint16_t)s->steps;
    }
    for (uint32_t k = 0; k < m->edge_count; k++) {
        const hed_cloth_constraint *c = &garment->constraints[s->homes[begin + k]];
        uint16_t first = s->release[c->a] > s->release[c->b] ? s->release[c->a] : s->release[c->b];
        if (planner->part[c->a] != planner->part[c->b] && first < early) first = (uint16_t)early;
        m->edges[k] = (cloth_edge){.a = vertex_of(s, c->a), .b = vertex_of(s, c->b), .first = first, .end = (uint16_t)s->steps};
    }
    if (cloth_match(m, EFFORT)) return false;
    for (uint32_t k = 0; k < m->edge_count; k++) planner->step[s->homes[begin + k]] = m->edges[k].step;
    return true;
}

/* ---- both ---- */

static hed_status allocate(schedule *s)
{
    cloth_planner *planner = s->planner;
    uint64_t particles = planner->garment->particle_count, patches = planner->plan->patch_count;
    bool there = (s->inside = cloth_plan_temporary(planner, particles, sizeof(uint16_t))) &&
                 (s->outside = cloth_plan_temporary(planner, particles, sizeof(uint16_t))) &&
                 (s->release = cloth_plan_temporary(planner, particles, sizeof(uint16_t))) &&
                 (s->size = cloth_plan_temporary(planner, patches, sizeof(uint32_t))) &&
                 (s->moved = cloth_plan_temporary(planner, particles, sizeof(uint8_t))) &&
                 (s->vertex = cloth_plan_temporary(planner, particles, sizeof(uint32_t))) &&
                 (s->home_at = cloth_plan_temporary(planner, patches + 2, sizeof(uint32_t))) &&
                 (s->homes = cloth_plan_temporary(planner, planner->garment->constraint_count, sizeof(uint32_t)));
    return there ? HED_OK : HED_ERROR_MEMORY;
}

static hed_status allocate_matchings(schedule *s)
{
    cloth_planner *planner = s->planner;
    cloth_matchings *m = &s->matchings;
    uint64_t vertices = 0, rim = 0;
    for (uint32_t p = 0; p < planner->plan->patch_count; p++) {
        uint32_t own = planner->own_at[p + 1] - planner->own_at[p];
        if (own > vertices) vertices = own;
    }
    for (uint32_t i = 0; i < planner->garment->particle_count; i++) rim += s->outside[i] > 0;
    if (rim > vertices) vertices = rim;
    bool there = (m->edges = cloth_plan_temporary(planner, s->most_edges, sizeof *m->edges)) &&
                 (m->left = cloth_plan_temporary(planner, vertices, sizeof *m->left)) &&
                 (m->deadline = cloth_plan_temporary(planner, vertices, sizeof *m->deadline)) &&
                 (m->waiting = cloth_plan_temporary(planner, s->most_edges, sizeof *m->waiting)) &&
                 (m->sorted = cloth_plan_temporary(planner, s->most_edges, sizeof *m->sorted)) &&
                 (m->room = cloth_plan_temporary(planner, s->steps, sizeof *m->room)) &&
                 (m->at = cloth_plan_temporary(planner, vertices * s->steps, sizeof *m->at));
    return there ? HED_OK : HED_ERROR_MEMORY;
}

/* The graph of the parts as they are now. */
static void prepare(schedule *s)
{
    cloth_plan_find_homes(s->planner);
    count_constraints(s);
    sort_by_home(s);
}

/* HED_OK with *done false: not in so few steps. */
static hed_status try_steps(schedule *s, bool *done)
{
    *done = false;
    s->matchings.steps = s->steps;
    s->matchings.random = 88172645463325252ull;
    hed_status status = allocate_matchings(s);
    uint32_t left = status ? 0 : schedule_boundary(s);
    for (uint32_t round = 0; left && left <= 2 + s->planner->plan->boundary / 400 && round < ROUNDS; round++) {
        ease_boundary(s);
        cloth_plan_list_own(s->planner);
        prepare(s);
        if ((status = allocate_matchings(s))) return status;
        left = schedule_boundary(s);
    }
    if (status || left) return status;
    if ((status = cloth_plan_close(s->planner))) return status;
    for (uint32_t p = 0; p < s->planner->plan->patch_count; p++)
        if (!schedule_patch(s, p)) return HED_OK;
    *done = true;
    return HED_OK;
}

hed_status cloth_plan_schedule(cloth_planner *planner)
{
    schedule s = {.planner = planner};
    hed_status status = allocate(&s);
    if (status) return status;
    prepare(&s);
    bool done = false;
    for (s.steps = most_constraints(&s); !done && s.steps <= MOST_STEPS; s.steps++)
        if ((status = try_steps(&s, &done))) return status;
    if (!done)
        return cloth_fail(planner->error, HED_ERROR_LIMIT, "garment \"%s\": no schedule of fewer than %d steps: at most %u constraints in a step are too few, "
                          "or one particle has too many", planner->garment->name, MOST_STEPS, planner->plan->def.step_limit);
    planner->plan->pair_steps = s.steps - 1;
    return HED_OK;
}
