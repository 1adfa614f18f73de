/* Matchings: see plan_matchings.h. First a list schedule, step by step, the edge with the least
 * slack first (slack: steps until an end's deadline, less its edges that are left). What is left
 * over is placed by alternating paths (Kempe 1879, as in Vizing's theorem): two steps are exchanged
 * along a path until one is free at both ends. Where no path may be exchanged the edge takes a
 * place by force and those that it throws out wait for theirs; edges that are thrown out often
 * become dear (Morris's breakout, 1993). */
#include "plan/matchings.h"

#include "plan/parts.h"

enum { LONGEST_PATH = 512, SLACK_LEVELS = 32, BUCKETS = SLACK_LEVELS * SLACK_LEVELS };

static bool is_free(const cloth_matchings *m, uint32_t vertex, uint32_t step)
{
    return vertex == CLOTH_NONE || m->at[(size_t)vertex * m->steps + step] == CLOTH_NONE;
}

static void put(cloth_matchings *m, uint32_t edge, uint32_t step)
{
    cloth_edge *e = &m->edges[edge];
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

static void take(cloth_matchings *m, uint32_t edge)
{
    cloth_edge *e = &m->edges[edge];
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

static uint32_t slack_level(const cloth_matchings *m, uint32_t vertex, uint32_t step)
{
    if (vertex == CLOTH_NONE) return SLACK_LEVELS - 1;
    int32_t slack = (int32_t)m->deadline[vertex] - (int32_t)step - (int32_t)m->left[vertex];
    return slack < 0 ? 0 : slack < SLACK_LEVELS ? (uint32_t)slack : SLACK_LEVELS - 1;
}

static uint32_t urgency(const cloth_matchings *m, const cloth_edge *edge, uint32_t step)
{
    uint32_t a = slack_level(m, edge->a, step), b = slack_level(m, edge->b, step);
    return a < b ? a * SLACK_LEVELS + b : b * SLACK_LEVELS + a;
}

/* Those of the waiting that may be in this step, most urgent first, into `sorted`. */
static uint32_t sort_by_urgency(cloth_matchings *m, uint32_t waiting, uint32_t step)
{
    uint32_t at[BUCKETS + 1] = {0};
    for (uint32_t k = 0; k < waiting; k++) {
        const cloth_edge *e = &m->edges[m->waiting[k]];
        if (step >= e->first && step < e->end) at[urgency(m, e, step) + 1]++;
    }
    for (uint32_t b = 0; b < BUCKETS; b++) at[b + 1] += at[b];
    uint32_t count = at[BUCKETS];
    for (uint32_t k = 0; k < waiting; k++) {
        const cloth_edge *e = &m->edges[m->waiting[k]];
        if (step >= e->first && step < e->end) m->sorted[at[urgency(m, e, step)]++] = m->waiting[k];
    }
    return count;
}

/* Gives how many edges are left waiting. */
static uint32_t list_schedule(cloth_matchings *m)
{
    uint32_t waiting = m->edge_count;
    for (uint32_t s = 0; s < m->steps && waiting; s++) {
        uint32_t count = sort_by_urgency(m, waiting, s);
        for (uint32_t k = 0; k < count && m->room[s]; k++) {
            const cloth_edge *e = &m->edges[m->sorted[k]];
            if (is_free(m, e->a, s) && is_free(m, e->b, s)) put(m, m->sorted[k], s);
        }
        uint32_t kept = 0;
        for (uint32_t k = 0; k < waiting; k++)
            if (m->edges[m->waiting[k]].step == CLOTH_NO_STEP) m->waiting[kept++] = m->waiting[k];
        waiting = kept;
    }
    return waiting;
}

/* ---- repair ---- */

static bool place_where_free(cloth_matchings *m, uint32_t edge)
{
    const cloth_edge *e = &m->edges[edge];
    uint32_t best = CLOTH_NONE;
    for (uint32_t s = e->first; s < e->end; s++)
        if (m->room[s] && is_free(m, e->a, s) && is_free(m, e->b, s) &&
            (best == CLOTH_NONE || m->room[s] > m->room[best]))
            best = s;
    if (best == CLOTH_NONE) return false;
    put(m, edge, best);
    return true;
}

/* Exchanges steps `s` and `t` on the path that leaves `from` (where t is free) by its edge in s, so
 * that s becomes free there. Not when the path ends at `to`, leaves an edge's window, or when after
 * that and one more edge in s there is no room. */
static bool exchange(cloth_matchings *m, uint32_t from, uint32_t to, uint32_t s, uint32_t t)
{
    uint32_t path[LONGEST_PATH], length = 0, vertex = from, now = s;
    while (vertex != CLOTH_NONE) {
        uint32_t edge = m->at[(size_t)vertex * m->steps + now];
        if (edge == CLOTH_NONE) break;
        const cloth_edge *e = &m->edges[edge];
        uint32_t then = s + t - now;
        if (length == LONGEST_PATH || then < e->first || then >= e->end) return false;
        path[length++] = edge;
        vertex = e->a == vertex ? e->b : e->a;
        if (vertex == to) return false;
        now = then;
    }
    if (!m->room[length & 1 ? t : s]) return false;
    for (uint32_t k = 0; k < length; k++) take(m, path[k]);
    for (uint32_t k = 0; k < length; k++) put(m, path[k], k & 1 ? s : t);
    return true;
}

static bool place_by_path(cloth_matchings *m, uint32_t edge)
{
    const cloth_edge *e = &m->edges[edge];
    if (e->a == CLOTH_NONE || e->b == CLOTH_NONE) return false;
    uint32_t turn = cloth_random(&m->random), window = (uint32_t)e->end - e->first;
    for (uint32_t k = 0; k < 2 * window; k++) {
        uint32_t s = e->first + (turn + k / 2) % window;
        uint32_t from = k & 1 ? e->a : e->b, to = k & 1 ? e->b : e->a;
        if (!is_free(m, to, s)) continue;
        for (uint32_t t = 0; t < m->steps; t++) {
            if (t == s || !is_free(m, from, t) || !exchange(m, from, to, s, t)) continue;
            put(m, edge, s);
            return true;
        }
    }
    return false;
}

static uint32_t price(const cloth_matchings *m, uint32_t vertex, uint32_t step)
{
    return is_free(m, vertex, step) ? 0
                                    : 1u + m->edges[m->at[(size_t)vertex * m->steps + step]].thrown;
}

/* Takes the cheapest place and gives the edges thrown out of it; at most two. */
static uint32_t place_by_force(cloth_matchings *m, uint32_t edge, uint32_t thrown[2])
{
    const cloth_edge *e = &m->edges[edge];
    uint32_t best = CLOTH_NONE, least = UINT32_MAX, ties = 0, count = 0;
    for (uint32_t s = e->first; s < e->end; s++) {
        uint32_t costs = price(m, e->a, s) + price(m, e->b, s);
        if (costs > least || (!costs && !m->room[s])) continue;
        ties = costs < least ? 1 : ties + 1;
        least = costs;
        if (cloth_random(&m->random) % ties == 0) best = s;
    }
    if (best == CLOTH_NONE) return CLOTH_NONE;
    for (uint32_t end = 0; end < 2; end++) {
        uint32_t vertex = end ? e->b : e->a;
        if (is_free(m, vertex, best)) continue;
        uint32_t other = m->at[(size_t)vertex * m->steps + best];
        take(m, other);
        if (m->edges[other].thrown < UINT16_MAX) m->edges[other].thrown++;
        thrown[count++] = other;
    }
    put(m, edge, best);
    return count;
}

static uint32_t repair(cloth_matchings *m, uint32_t waiting, uint64_t tries)
{
    while (waiting && tries--) {
        uint32_t pick = cloth_random(&m->random) % waiting, edge = m->waiting[pick], thrown[2];
        m->waiting[pick] = m->waiting[--waiting];
        if (place_where_free(m, edge) || place_by_path(m, edge)) continue;
        uint32_t count = place_by_force(m, edge, thrown);
        if (count == CLOTH_NONE) return waiting + 1;
        for (uint32_t k = 0; k < count; k++) m->waiting[waiting++] = thrown[k];
    }
    return waiting;
}

uint32_t cloth_match(cloth_matchings *m, uint32_t effort)
{
    for (uint64_t k = 0; k < (uint64_t)m->vertex_count * m->steps; k++) m->at[k] = CLOTH_NONE;
    for (uint32_t v = 0; v < m->vertex_count; v++) m->left[v] = 0;
    for (uint32_t k = 0; k < m->edge_count; k++) {
        cloth_edge *e = &m->edges[k];
        if (e->a != CLOTH_NONE) m->left[e->a]++;
        if (e->b != CLOTH_NONE) m->left[e->b]++;
        e->step = CLOTH_NO_STEP;
        e->thrown = 0;
        m->waiting[k] = k;
    }
    uint32_t left = list_schedule(m);
    return repair(m, left, (uint64_t)effort * (left + 10));
}
