/* In which step each pair is done. All boundary constraints of a particle come before all others of
 * it, so that a patch can redo its neighbours' boundary constraints without knowing what they do
 * inside (plan_closure.c). That makes two edge colourings, one with deadlines and one with release
 * times, and plan_matchings.c does both:
 *
 *   1. boundary constraints, each particle's before the steps that its others need at the least;
 *   2. what is inside, patch by patch, each particle's after its last boundary constraint.
 *
 * The number of steps begins at its lower bound, the most constraints at one particle, and grows
 * until both succeed. */
#include "plan/parts.h"

#include "plan/matchings.h"

enum {
    EFFORT = 60, /* of a matching, see plan_matchings.h */
    ROUNDS = 8,  /* of easing the boundary */
    LARGEST_GAP = 3,
    MOST_STEPS = 1024 /* a plan of more is of no use: every step is a barrier */
};

typedef struct schedule {
    cloth_planner *planner;
    uint32_t steps;
    /* steps that a particle may wait among its boundary constraints; LARGEST_GAP: any number */
    uint32_t gap;
    uint32_t more; /* steps that are missing at the least */
    /* (particle_count) constraints at each free particle that its patch alone does, outside figures
     * */
    uint16_t *inside;
    uint16_t *outside; /* (particle_count) boundary constraints */
    uint16_t *release; /* (particle_count) step after its last boundary constraint; 0: none */
    uint32_t *vertex;  /* (particle_count) number in the graph at work */
    uint32_t *home_at; /* (patch_count + 1) in `homes` */
    /* constraints outside figures, patch by patch; behind the last patch the boundary */
    uint32_t *homes;
    cloth_matchings matchings;
    struct {
        uint64_t vertices, edges, steps;
    } room; /* that `matchings` has memory for */
} schedule;

static uint32_t most_constraints(const schedule *s)
{
    const cloth_planner *planner = s->planner;
    /* between locked particles, a constraint still has a step */
    uint32_t most = s->home_at[planner->plan->patch_count + 1] > 0;
    for (uint32_t i = 0; i < planner->garment->particle_count; i++) {
        uint32_t count =
            s->inside[i] + s->outside[i] + (s->outside[i] ? planner->plan->def.early_steps : 0);
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
    for (uint32_t p = 0; p <= patches; p++) at[p + 1] += at[p];
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
        uint32_t latest = s->steps - s->inside[i], wanted = early + s->outside[i] + s->gap;
        m->deadline[m->vertex_count++] =
            (uint16_t)(s->gap < LARGEST_GAP && wanted < latest ? wanted : latest);
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

/* Where cuts meet a column apart, too many constraints are between patches for their steps to
 * follow one another. */
static void ease_boundary(schedule *s)
{
    cloth_planner *planner = s->planner;
    uint32_t begin = s->home_at[planner->plan->patch_count];
    for (uint32_t k = 0; k < s->matchings.edge_count; k++) {
        const hed_cloth_constraint *c = &planner->garment->constraints[s->homes[begin + k]];
        if (s->matchings.edges[k].step == CLOTH_NO_STEP)
            cloth_plan_ease(planner, s->outside[c->a] > s->outside[c->b] ? c->a : c->b);
    }
    cloth_plan_list_own(planner);
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
    uint64_t edges = s->home_at[patch + 1] - s->home_at[patch];
    if (room >= edges) return true;
    uint32_t more = (uint32_t)((edges - room + limit - 1) / limit);
    if (more > s->more) s->more = more;
    return false;
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
        m->edges[k] = (cloth_edge){.a = vertex_of(s, c->a), .b = vertex_of(s, c->b), .first = first,
            .end = (uint16_t)s->steps};
    }
    if (cloth_match(m, EFFORT)) return false;
    for (uint32_t k = 0; k < m->edge_count; k++)
        planner->step[s->homes[begin + k]] = m->edges[k].step;
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
                 (s->vertex = cloth_plan_temporary(planner, particles, sizeof(uint32_t))) &&
                 (s->home_at = cloth_plan_temporary(planner, patches + 2, sizeof(uint32_t))) &&
                 (s->homes = cloth_plan_temporary(
                      planner, planner->garment->constraint_count, sizeof(uint32_t)));
    return there ? HED_OK : HED_ERROR_MEMORY;
}

/* Makes room for the largest graph; moving particles between patches changes it a little. */
static hed_status allocate_matchings(schedule *s)
{
    cloth_planner *planner = s->planner;
    cloth_matchings *m = &s->matchings;
    uint64_t vertices = 0, rim = 0, edges = 0;
    for (uint32_t p = 0; p < planner->plan->patch_count; p++)
        if (planner->size[p] > vertices) vertices = planner->size[p];
    for (uint32_t i = 0; i < planner->garment->particle_count; i++) rim += s->outside[i] > 0;
    for (uint32_t p = 0; p <= planner->plan->patch_count; p++)
        if (s->home_at[p + 1] - s->home_at[p] > edges) edges = s->home_at[p + 1] - s->home_at[p];
    if (rim > vertices) vertices = rim;
    if (vertices <= s->room.vertices && edges <= s->room.edges && s->steps <= s->room.steps)
        return HED_OK;
    s->room.vertices = vertices + vertices / 16;
    s->room.edges = edges + edges / 16;
    s->room.steps = s->steps + 2;
    bool there =
        (m->edges = cloth_plan_temporary(planner, s->room.edges, sizeof *m->edges)) &&
        (m->left = cloth_plan_temporary(planner, s->room.vertices, sizeof *m->left)) &&
        (m->deadline = cloth_plan_temporary(planner, s->room.vertices, sizeof *m->deadline)) &&
        (m->waiting = cloth_plan_temporary(planner, s->room.edges, sizeof *m->waiting)) &&
        (m->sorted = cloth_plan_temporary(planner, s->room.edges, sizeof *m->sorted)) &&
        (m->room = cloth_plan_temporary(planner, s->room.steps, sizeof *m->room)) &&
        (m->at = cloth_plan_temporary(planner, s->room.vertices * s->room.steps, sizeof *m->at));
    return there ? HED_OK : HED_ERROR_MEMORY;
}

/* The graph of the parts as they are now. */
static void prepare(schedule *s)
{
    cloth_plan_find_homes(s->planner);
    count_constraints(s);
    sort_by_home(s);
}

/* Steps for the boundary; where few constraints are left over, again after easing the places where
 * they are. */
static hed_status settle_boundary(schedule *s, uint32_t *left)
{
    hed_status status = allocate_matchings(s);
    if (status) return status;
    *left = schedule_boundary(s);
    for (uint32_t round = 0;
         *left && *left <= 2 + s->planner->plan->boundary / 400 && round < ROUNDS; round++) {
        if (s->gap != LARGEST_GAP) return HED_OK;
        ease_boundary(s);
        prepare(s);
        if ((status = allocate_matchings(s))) return status;
        *left = schedule_boundary(s);
    }
    return HED_OK;
}

/* HED_OK with *done false: not in so few steps. */
static hed_status try_steps(schedule *s, bool *done)
{
    uint32_t left;
    *done = false;
    s->matchings.steps = s->steps;
    s->matchings.random = 88172645463325252ull;
    hed_status status = settle_boundary(s, &left);
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
    uint32_t tries = 0;
    for (s.steps = most_constraints(&s); s.steps <= MOST_STEPS; s.steps += s.more) {
        s.more = 1 + tries++ / 4;
        for (s.gap = 1; !done && s.gap <= LARGEST_GAP; s.gap++)
            if ((status = try_steps(&s, &done))) return status;
        if (done) break;
    }
    if (!done)
        return cloth_fail(planner->error, HED_ERROR_LIMIT,
            "garment \"%s\": more than %d steps, with at most %u constraints of a patch in a step (0: any) and %u at one "
            "particle: allow more in a step, or use the colours structure",
            planner->garment->name, MOST_STEPS, planner->plan->def.step_limit,
            most_constraints(&s));
    planner->plan->pair_steps = s.steps;
    return HED_OK;
}
