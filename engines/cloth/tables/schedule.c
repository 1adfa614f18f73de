/* Schedule: the step of each pair. All boundary constraints of a particle come before its other
 * constraints, so that a patch can redo its neighbours' boundary constraints without their inner
 * constraints (cloth_plan.c). That makes two edge colourings, one with deadlines and one with release
 * times, both solved by matchings_find():
 *
 *   1. boundary constraints, early enough to leave each particle the steps that its other
 *      constraints need at least;
 *   2. constraints inside, patch by patch, after the last boundary constraint of each particle.
 *
 * The number of steps begins at its lower bound, the maximum of constraints at one particle, and
 * grows until both colourings succeed. With a fabric's sums, which come between the boundary
 * pairs and the inner pairs, the two are separate: every inner pair comes after every boundary
 * pair. */
#include "tables/parts.h"

/* ---- matchings: edges of a graph into steps ---- */

/* Edge colouring with release times and deadlines: no vertex twice in a step, each edge within
 * its window of steps, no more edges in a step than its capacity. First a list schedule, step by
 * step, the edge with the least slack first (slack: steps until an end's deadline, less the
 * remaining edges of that end). Remaining edges are placed by alternating paths (Kempe 1879, as
 * in Vizing's theorem): two steps are exchanged along a path until one is free at both ends. If
 * no path may be exchanged, the edge takes a step by force and the edges that it evicts wait for
 * another step; edges that are evicted often become expensive (Morris's breakout, 1993). */
typedef struct schedule_edge {
    uint32_t a, b;       /* vertices; UINT32_MAX: an end without conflicts */
    uint16_t first, end; /* window: steps [first, end) */
    uint16_t step;       /* step of the edge; UINT16_MAX: not placed yet */
    uint16_t thrown;     /* number of evictions */
} schedule_edge;

typedef struct matchings {
    uint32_t vertex_count, edge_count, steps;
    schedule_edge *edges; /* (edge_count) */
    uint32_t *at;       /* (vertex_count x steps) edge of each vertex in each step, or UINT32_MAX */
    uint16_t *left;     /* (vertex_count) edges of the vertex that are not placed yet */
    uint16_t *deadline; /* (vertex_count) step before which the vertex's edges have to be placed */
    uint32_t *room;     /* (steps) remaining capacity, edges */
    uint32_t *waiting;  /* (edge_count) scratch */
    uint32_t *sorted;   /* (edge_count) scratch */
    uint64_t random;    /* not 0 */
} matchings;

enum { LONGEST_PATH = 512, SLACK_LEVELS = 32, BUCKETS = SLACK_LEVELS * SLACK_LEVELS };

static bool edge_fits_vertex(const matchings *m, uint32_t vertex, uint32_t step)
{
    return vertex == CLOTH_NONE || m->at[(size_t)vertex * m->steps + step] == CLOTH_NONE;
}

static void edge_put(matchings *m, uint32_t edge, uint32_t step)
{
    schedule_edge *e = &m->edges[edge];
    e->step = (uint16_t)step;
    m->room[step]--;
    if (e->a != CLOTH_NONE) {
        m->at[(size_t)e->a * m->steps + step] = edge;
        m->left[e->a]--;
    }
    if (e->b != CLOTH_NONE) {
        m->at[(size_t)e->b * m->steps + step] = edge;
        m->left[e->b]--;
    }
}

static void edge_take(matchings *m, uint32_t edge)
{
    schedule_edge *e = &m->edges[edge];
    m->room[e->step]++;
    if (e->a != CLOTH_NONE) {
        m->at[(size_t)e->a * m->steps + e->step] = CLOTH_NONE;
        m->left[e->a]++;
    }
    if (e->b != CLOTH_NONE) {
        m->at[(size_t)e->b * m->steps + e->step] = CLOTH_NONE;
        m->left[e->b]++;
    }
    e->step = CLOTH_NO_STEP;
}

/* ---- the list schedule ---- */

static uint32_t slack_level(const matchings *m, uint32_t vertex, uint32_t step)
{
    if (vertex == CLOTH_NONE) return SLACK_LEVELS - 1;
    int32_t slack = (int32_t)m->deadline[vertex] - (int32_t)step - (int32_t)m->left[vertex];
    return slack < 0 ? 0 : slack < SLACK_LEVELS ? (uint32_t)slack : SLACK_LEVELS - 1;
}

static uint32_t urgency(const matchings *m, const schedule_edge *edge, uint32_t step)
{
    uint32_t a = slack_level(m, edge->a, step), b = slack_level(m, edge->b, step);
    return a < b ? a * SLACK_LEVELS + b : b * SLACK_LEVELS + a;
}

/* Sorts the waiting edges whose window contains this step into `sorted`, most urgent first. */
static uint32_t sort_by_urgency(matchings *m, uint32_t waiting, uint32_t step)
{
    uint32_t at[BUCKETS + 1] = {0};
    for (uint32_t k = 0; k < waiting; k++) {
        const schedule_edge *e = &m->edges[m->waiting[k]];
        if (step >= e->first && step < e->end) at[urgency(m, e, step) + 1]++;
    }
    for (uint32_t b = 0; b < BUCKETS; b++) at[b + 1] += at[b];
    uint32_t count = at[BUCKETS];
    for (uint32_t k = 0; k < waiting; k++) {
        const schedule_edge *e = &m->edges[m->waiting[k]];
        if (step >= e->first && step < e->end) m->sorted[at[urgency(m, e, step)]++] = m->waiting[k];
    }
    return count;
}

/* Returns the number of edges still waiting. */
static uint32_t list_schedule(matchings *m)
{
    uint32_t waiting = m->edge_count;
    for (uint32_t s = 0; s < m->steps && waiting; s++) {
        uint32_t count = sort_by_urgency(m, waiting, s);
        for (uint32_t k = 0; k < count && m->room[s]; k++) {
            const schedule_edge *e = &m->edges[m->sorted[k]];
            if (edge_fits_vertex(m, e->a, s) && edge_fits_vertex(m, e->b, s))
                edge_put(m, m->sorted[k], s);
        }
        uint32_t remaining = 0;
        for (uint32_t k = 0; k < waiting; k++)
            if (m->edges[m->waiting[k]].step == CLOTH_NO_STEP)
                m->waiting[remaining++] = m->waiting[k];
        waiting = remaining;
    }
    return waiting;
}

/* ---- matchings_repair ---- */

static bool place_where_free(matchings *m, uint32_t edge)
{
    const schedule_edge *e = &m->edges[edge];
    uint32_t best = CLOTH_NONE;
    for (uint32_t s = e->first; s < e->end; s++)
        if (m->room[s] && edge_fits_vertex(m, e->a, s) && edge_fits_vertex(m, e->b, s) &&
            (best == CLOTH_NONE || m->room[s] > m->room[best]))
            best = s;
    if (best == CLOTH_NONE) return false;
    edge_put(m, edge, best);
    return true;
}

/* Exchanges steps `s` and `t` on the path that leaves `from` (where t is free) by its edge in s,
 * so that s becomes free there. False, without a change, if the path ends at `to` or leaves an
 * edge's window, or if a step has no capacity for the result and one more edge in s. */
static bool schedule_exchange(matchings *m, uint32_t from, uint32_t to, uint32_t s, uint32_t t)
{
    uint32_t path[LONGEST_PATH], length = 0, vertex = from, step = s;
    while (vertex != CLOTH_NONE) {
        uint32_t edge = m->at[(size_t)vertex * m->steps + step];
        if (edge == CLOTH_NONE) break;
        const schedule_edge *e = &m->edges[edge];
        uint32_t next_step = s + t - step;
        if (length == LONGEST_PATH || next_step < e->first || next_step >= e->end) return false;
        path[length++] = edge;
        vertex = e->a == vertex ? e->b : e->a;
        if (vertex == to) return false;
        step = next_step;
    }
    if (!m->room[length & 1 ? t : s]) return false;
    for (uint32_t k = 0; k < length; k++) edge_take(m, path[k]);
    for (uint32_t k = 0; k < length; k++) edge_put(m, path[k], k & 1 ? s : t);
    return true;
}

static bool place_by_path(matchings *m, uint32_t edge)
{
    const schedule_edge *e = &m->edges[edge];
    if (e->a == CLOTH_NONE || e->b == CLOTH_NONE) return false;
    uint32_t turn = cloth_random(&m->random), window = (uint32_t)e->end - e->first;
    for (uint32_t k = 0; k < 2 * window; k++) {
        uint32_t s = e->first + (turn + k / 2) % window;
        uint32_t from = k & 1 ? e->a : e->b, to = k & 1 ? e->b : e->a;
        if (!edge_fits_vertex(m, to, s)) continue;
        for (uint32_t t = 0; t < m->steps; t++) {
            if (t == s || !edge_fits_vertex(m, from, t) || !schedule_exchange(m, from, to, s, t))
                continue;
            edge_put(m, edge, s);
            return true;
        }
    }
    return false;
}

static uint32_t price(const matchings *m, uint32_t vertex, uint32_t step)
{
    return edge_fits_vertex(m, vertex, step)
               ? 0
               : 1u + m->edges[m->at[(size_t)vertex * m->steps + step]].thrown;
}

/* Takes the cheapest step; returns the number of edges evicted from it, at most two, or
 * CLOTH_NONE if no step has capacity. */
static uint32_t place_by_force(matchings *m, uint32_t edge, uint32_t evicted[2])
{
    const schedule_edge *e = &m->edges[edge];
    uint32_t best = CLOTH_NONE, lowest = UINT32_MAX, ties = 0, count = 0;
    for (uint32_t s = e->first; s < e->end; s++) {
        uint32_t costs = price(m, e->a, s) + price(m, e->b, s);
        if (costs > lowest || (!costs && !m->room[s])) continue;
        ties = costs < lowest ? 1 : ties + 1;
        lowest = costs;
        if (cloth_random(&m->random) % ties == 0) best = s;
    }
    if (best == CLOTH_NONE) return CLOTH_NONE;
    for (uint32_t end = 0; end < 2; end++) {
        uint32_t vertex = end ? e->b : e->a;
        if (edge_fits_vertex(m, vertex, best)) continue;
        uint32_t occupant = m->at[(size_t)vertex * m->steps + best];
        edge_take(m, occupant);
        if (m->edges[occupant].thrown < UINT16_MAX) m->edges[occupant].thrown++;
        evicted[count++] = occupant;
    }
    edge_put(m, edge, best);
    return count;
}

static uint32_t matchings_repair(matchings *m, uint32_t waiting, uint64_t tries)
{
    while (waiting && tries--) {
        uint32_t pick = cloth_random(&m->random) % waiting, edge = m->waiting[pick], evicted[2];
        m->waiting[pick] = m->waiting[--waiting];
        if (place_where_free(m, edge) || place_by_path(m, edge)) continue;
        uint32_t count = place_by_force(m, edge, evicted);
        if (count == CLOTH_NONE) return waiting + 1;
        for (uint32_t k = 0; k < count; k++) m->waiting[waiting++] = evicted[k];
    }
    return waiting;
}

/* Places all edges; returns the number that found no step: 0 is success. `effort`: tries for
 * each edge that the list schedule leaves over. The same input gives the same output. */
static uint32_t matchings_find(matchings *m, uint32_t effort)
{
    for (uint64_t k = 0; k < (uint64_t)m->vertex_count * m->steps; k++) m->at[k] = CLOTH_NONE;
    for (uint32_t v = 0; v < m->vertex_count; v++) m->left[v] = 0;
    for (uint32_t k = 0; k < m->edge_count; k++) {
        schedule_edge *e = &m->edges[k];
        if (e->a != CLOTH_NONE) m->left[e->a]++;
        if (e->b != CLOTH_NONE) m->left[e->b]++;
        e->step = CLOTH_NO_STEP;
        e->thrown = 0;
        m->waiting[k] = k;
    }
    uint32_t left = list_schedule(m);
    return matchings_repair(m, left, (uint64_t)effort * (left + 10));
}

/* ---- the schedule ---- */

enum {
    EFFORT = 60, /* effort of matchings_find() */
    ROUNDS = 8,  /* rounds of ease_boundary() */
    LARGEST_GAP = 3,
    MOST_STEPS = 1024 /* a plan of more steps is useless: every step is a barrier */
};

typedef struct schedule {
    cloth_planner *planner;
    uint32_t steps;
    /* number of steps that a particle may wait among its boundary constraints; LARGEST_GAP: any
     * number */
    uint32_t gap;
    uint32_t more; /* missing steps, at least */
    /* maximum of `inside` if inner pairs come after all boundary pairs; else 0 */
    uint32_t most_inside;
    /* (particle_count) constraints outside figures that the patch of a free particle alone does */
    uint16_t *inside;
    uint16_t *outside; /* (particle_count) boundary constraints */
    /* (particle_count) step after the last boundary constraint; 0: no boundary constraint */
    uint16_t *release;
    uint32_t *vertex;  /* (particle_count) vertex number in the current graph */
    uint32_t *home_at; /* (patch_count + 2) start of each patch, and of the boundary, in `homes` */
    /* constraints outside figures, patch by patch; the boundary constraints after the last patch */
    uint32_t *homes;
    matchings matchings;
    struct {
        uint64_t vertices, edges, steps;
    } room; /* capacity of `matchings` */
} schedule;

static uint32_t most_constraints(const schedule *s)
{
    const cloth_planner *planner = s->planner;
    /* a constraint between locked particles has a step, too */
    uint32_t maximum = s->home_at[planner->plan->patch_count + 1] > 0;
    for (uint32_t i = 0; i < planner->garment->particle_count; i++) {
        uint32_t count = (s->most_inside ? s->most_inside : s->inside[i]) + s->outside[i] +
                         (s->outside[i] ? planner->plan->def.early_steps : 0);
        if (count > maximum) maximum = count;
    }
    return maximum;
}

/* Sorts constraints by the patch that does them; boundary constraints last. */
static void schedule_sort_by_home(schedule *s)
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
    s->most_inside = 0;
    for (uint32_t i = 0; i < garment->particle_count && planner->sums.count; i++)
        if (s->inside[i] > s->most_inside) s->most_inside = s->inside[i];
}

static uint32_t vertex_of(const schedule *s, uint32_t particle)
{
    return cloth_is_locked(s->planner->garment, particle) ? CLOTH_NONE : s->vertex[particle];
}

/* ---- 1: the boundary ---- */

/* Returns the number of boundary constraints that found no step. */
static uint32_t schedule_boundary(schedule *s)
{
    cloth_planner *planner = s->planner;
    const cloth_garment *garment = planner->garment;
    matchings *m = &s->matchings;
    uint32_t begin = s->home_at[planner->plan->patch_count], early = planner->plan->def.early_steps;
    m->edge_count = s->home_at[planner->plan->patch_count + 1] - begin;
    m->vertex_count = 0;
    for (uint32_t i = 0; i < garment->particle_count; i++) {
        if (!s->outside[i]) continue;
        s->vertex[i] = m->vertex_count;
        uint32_t inside = s->most_inside ? s->most_inside : s->inside[i],
                 latest = s->steps - inside, preferred = early + s->outside[i] + s->gap;
        m->deadline[m->vertex_count++] =
            (uint16_t)(s->gap < LARGEST_GAP && preferred < latest ? preferred : latest);
    }
    for (uint32_t k = 0; k < m->edge_count; k++) {
        const hed_cloth_constraint *c = &garment->constraints[s->homes[begin + k]];
        uint32_t a = s->vertex[c->a], b = s->vertex[c->b];
        uint16_t end = m->deadline[a] < m->deadline[b] ? m->deadline[a] : m->deadline[b];
        m->edges[k] = (schedule_edge){.a = a, .b = b, .first = (uint16_t)early, .end = end};
    }
    for (uint32_t t = 0; t < s->steps; t++) m->room[t] = UINT32_MAX / 2;
    uint32_t left = matchings_find(m, EFFORT);
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

/* Moves particles to other patches around the boundary constraints without a step: where cuts
 * meet a column apart, too many constraints of a particle are between patches to follow one
 * another. */
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

/* Finds the capacity that the boundary constraints of a patch leave in each step; false if it is
 * too small. */
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
    uint32_t missing = (uint32_t)((edges - room + limit - 1) / limit);
    if (missing > s->more) s->more = missing;
    return false;
}

static bool schedule_patch(schedule *s, uint32_t patch)
{
    cloth_planner *planner = s->planner;
    const cloth_garment *garment = planner->garment;
    matchings *m = &s->matchings;
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
        if (s->most_inside) first = (uint16_t)planner->plan->boundary_steps;
        m->edges[k] = (schedule_edge){.a = vertex_of(s, c->a),
            .b = vertex_of(s, c->b),
            .first = first,
            .end = (uint16_t)s->steps};
    }
    if (matchings_find(m, EFFORT)) return false;
    for (uint32_t k = 0; k < m->edge_count; k++)
        planner->step[s->homes[begin + k]] = m->edges[k].step;
    return true;
}

/* ---- both ---- */

static hed_status schedule_allocate(schedule *s)
{
    cloth_planner *planner = s->planner;
    uint64_t particles = planner->garment->particle_count, patches = planner->plan->patch_count;
    s->inside = cloth_plan_new(planner, particles, sizeof(uint16_t));
    s->outside = cloth_plan_new(planner, particles, sizeof(uint16_t));
    s->release = cloth_plan_new(planner, particles, sizeof(uint16_t));
    s->vertex = cloth_plan_new(planner, particles, sizeof(uint32_t));
    s->home_at = cloth_plan_new(planner, patches + 2, sizeof(uint32_t));
    s->homes = cloth_plan_new(planner, planner->garment->constraint_count, sizeof(uint32_t));
    return planner->arena.failed ? HED_ERROR_MEMORY : HED_OK;
}

/* Allocates for the largest graph, with a margin: moving particles between patches changes its
 * size a little. */
static hed_status allocate_matchings(schedule *s)
{
    cloth_planner *planner = s->planner;
    matchings *m = &s->matchings;
    uint64_t vertices = 0, boundary = 0, edges = 0;
    for (uint32_t p = 0; p < planner->plan->patch_count; p++)
        if (planner->size[p] > vertices) vertices = planner->size[p];
    for (uint32_t i = 0; i < planner->garment->particle_count; i++) boundary += s->outside[i] > 0;
    for (uint32_t p = 0; p <= planner->plan->patch_count; p++)
        if (s->home_at[p + 1] - s->home_at[p] > edges) edges = s->home_at[p + 1] - s->home_at[p];
    if (boundary > vertices) vertices = boundary;
    if (vertices <= s->room.vertices && edges <= s->room.edges && s->steps <= s->room.steps)
        return HED_OK;
    s->room.vertices = vertices + vertices / 16;
    s->room.edges = edges + edges / 16;
    s->room.steps = s->steps + 2;
    m->edges = cloth_plan_new(planner, s->room.edges, sizeof *m->edges);
    m->left = cloth_plan_new(planner, s->room.vertices, sizeof *m->left);
    m->deadline = cloth_plan_new(planner, s->room.vertices, sizeof *m->deadline);
    m->waiting = cloth_plan_new(planner, s->room.edges, sizeof *m->waiting);
    m->sorted = cloth_plan_new(planner, s->room.edges, sizeof *m->sorted);
    m->room = cloth_plan_new(planner, s->room.steps, sizeof *m->room);
    m->at = cloth_plan_new(planner, s->room.vertices * s->room.steps, sizeof *m->at);
    return planner->arena.failed ? HED_ERROR_MEMORY : HED_OK;
}

/* Counts and sorts the constraints of the current patches. */
static void schedule_prepare(schedule *s)
{
    cloth_plan_find_homes(s->planner);
    count_constraints(s);
    schedule_sort_by_home(s);
}

/* Schedules the boundary; if few constraints are left over, eases the boundary around them and
 * schedules again. */
static hed_status settle_boundary(schedule *s, uint32_t *left)
{
    hed_status status = allocate_matchings(s);
    if (status) return status;
    *left = schedule_boundary(s);
    for (uint32_t round = 0;
         *left && *left <= 2 + s->planner->plan->boundary / 400 && round < ROUNDS; round++) {
        if (s->gap != LARGEST_GAP) return HED_OK;
        ease_boundary(s);
        schedule_prepare(s);
        if ((status = allocate_matchings(s))) return status;
        *left = schedule_boundary(s);
    }
    return HED_OK;
}

/* Schedules with s->steps steps; HED_OK with *done false: too few steps. */
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
    hed_status status = schedule_allocate(&s);
    if (status) return status;
    schedule_prepare(&s);
    bool done = false;
    uint32_t tries = 0;
    for (s.steps = most_constraints(&s); s.steps <= MOST_STEPS; s.steps += s.more) {
        s.more = 1 + tries++ / 4;
        for (s.gap = 1; !done && s.gap <= LARGEST_GAP; s.gap++)
            if ((status = try_steps(&s, &done))) return status;
        if (done) break;
    }
    if (!done)
        return hed_fail(planner->error, HED_ERROR_LIMIT,
            "garment \"%s\": more than %d steps, with at most %u constraints of a patch in a step (0: any) and %u at one "
            "particle: allow more in a step, or use the colours solver",
            planner->garment->name, MOST_STEPS, planner->plan->def.step_limit,
            most_constraints(&s));
    planner->plan->pair_steps = s.steps;
    return HED_OK;
}
