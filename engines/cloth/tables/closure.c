/* Closure: the constraints of other patches that a patch redoes. The closure walks the steps of
 * the boundary constraints from the last to the first: a patch does every boundary constraint at
 * a particle whose value it still needs, and then needs the other end too. All constraints
 * inside a patch wait until their ends have no boundary constraint left (schedule.c), so a patch
 * needs from its neighbours only the positions of their particles at the start of the sweep: one
 * packet each. This is the overlapped halo of temporal blocking, taken exactly instead of by
 * distance. A fabric's boundary sums come before all boundary constraints, colour by colour.
 *
 * Constraints and sums are both links here: constraints by number, then sums, which have the
 * first steps. */
#include "tables/parts.h"

#include <string.h>

/* Memory of the closure, allocated once for a planner: a plan is closed again each time that the
 * steps of its boundary have changed. */
typedef struct cloth_closure {
    const cloth_planner *planner;
    uint32_t last;      /* step after the last boundary step */
    uint32_t room;      /* capacity: ends of boundary links */
    uint32_t *sorted;   /* (room) boundary links by step */
    uint32_t *boundary; /* (room) boundary links at each free particle, by step */
    uint32_t *at;       /* (particle_count + 1) start of each particle in `boundary` */
    /* (particle_count) end of the links in `boundary` that are still to be done */
    uint32_t *cursor;
    uint32_t *needed; /* (particle_count) patch + 1 that has the particle in `list` */
    uint32_t *list;   /* (particle_count) particles that the current patch needs */
    uint32_t count;   /* entries of `list` */
    uint32_t *done;   /* (constraint_count + sums.count) patch + 1 that has done the link */
} cloth_closure;

static uint32_t count_links(const cloth_planner *planner)
{
    return planner->garment->constraint_count + planner->sums.count;
}

static bool is_boundary(const cloth_planner *planner, uint32_t link)
{
    uint32_t constraints = planner->garment->constraint_count;
    return (link < constraints ? planner->home[link] : planner->sum_home[link - constraints]) ==
           CLOTH_NONE;
}

static uint32_t step_of_link(const cloth_planner *planner, uint32_t link)
{
    uint32_t constraints = planner->garment->constraint_count;
    return link < constraints ? planner->sums.colours + planner->step[link]
                              : planner->sum_colour[link - constraints];
}

/* Lists the particles of a link, each once; returns their count. */
static uint32_t ends_of_link(
    const cloth_planner *planner, uint32_t link, uint32_t ends[CLOTH_ELEMENT_PARTICLES])
{
    uint32_t constraints = planner->garment->constraint_count, count = 0;
    if (link < constraints) {
        ends[0] = planner->garment->constraints[link].a;
        ends[1] = planner->garment->constraints[link].b;
        return 2;
    }
    const uint32_t *particle =
        planner->sums.items + (size_t)planner->sums.words * (link - constraints);
    for (uint32_t v = 0; v < planner->sums.particles; v++) {
        uint32_t position = 0;
        while (position < count && ends[position] != particle[v]) position++;
        if (position == count) ends[count++] = particle[v];
    }
    return count;
}

/* Sorts boundary links by step, by counting. */
static hed_status sort_by_step(cloth_planner *planner, cloth_closure *c)
{
    uint32_t links = count_links(planner);
    c->last = 0;
    for (uint32_t k = 0; k < links; k++)
        if (is_boundary(planner, k) && step_of_link(planner, k) + 1 > c->last)
            c->last = step_of_link(planner, k) + 1;
    uint32_t *at = cloth_plan_new(planner, c->last + 1, sizeof *at);
    if (!at) return HED_ERROR_MEMORY;
    for (uint32_t k = 0; k < links; k++)
        if (is_boundary(planner, k)) at[step_of_link(planner, k) + 1]++;
    for (uint32_t s = 0; s < c->last; s++) at[s + 1] += at[s];
    for (uint32_t k = 0; k < links; k++)
        if (is_boundary(planner, k)) c->sorted[at[step_of_link(planner, k)]++] = k;
    return HED_OK;
}

/* Lists the boundary links at each free particle, in the order of their steps. */
static void plan_collect(const cloth_planner *planner, cloth_closure *c)
{
    uint32_t particles = planner->garment->particle_count, ends[CLOTH_ELEMENT_PARTICLES],
             boundary = (uint32_t)(planner->plan->boundary + planner->plan->boundary_sums);
    for (uint32_t i = 0; i <= particles; i++) c->at[i] = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < boundary; k++)
            for (uint32_t v = ends_of_link(planner, c->sorted[k], ends); v-- > 0;) {
                if (cloth_is_locked(planner->garment, ends[v])) continue;
                if (pass) c->boundary[c->cursor[ends[v]]++] = c->sorted[k];
                else c->at[ends[v] + 1]++;
            }
        for (uint32_t i = 0; i < particles && !pass; i++) c->at[i + 1] += c->at[i];
        for (uint32_t i = 0; i < particles && !pass; i++) c->cursor[i] = c->at[i];
    }
}

static void need(cloth_closure *c, uint32_t particle, uint32_t patch, uint32_t before)
{
    if (c->needed[particle] == patch + 1) return;
    c->needed[particle] = patch + 1;
    c->list[c->count++] = particle;
    uint32_t cursor = c->at[particle + 1];
    while (cursor > c->at[particle] && step_of_link(c->planner, c->boundary[cursor - 1]) >= before)
        cursor--;
    c->cursor[particle] = cursor;
}

static bool close_patch(cloth_planner *planner, cloth_closure *c, uint32_t patch)
{
    uint32_t constraints = planner->garment->constraint_count, ends[CLOTH_ELEMENT_PARTICLES];
    c->count = 0;
    for (uint32_t k = planner->own_at[patch]; k < planner->own_at[patch + 1]; k++) {
        uint32_t particle = planner->plan->own[k];
        if (c->at[particle + 1] > c->at[particle]) need(c, particle, patch, UINT32_MAX);
    }
    for (uint32_t s = c->last; s-- > 0;) {
        for (uint32_t k = 0, count = c->count; k < count; k++) {
            uint32_t particle = c->list[k], cursor = c->cursor[particle];
            if (cursor == c->at[particle] || step_of_link(planner, c->boundary[cursor - 1]) != s)
                continue;
            uint32_t link = c->boundary[cursor - 1];
            c->cursor[particle]--;
            if (c->done[link] == patch + 1) continue;
            c->done[link] = patch + 1;
            if (!(link < constraints
                        ? cloth_list_push(planner, &planner->redone, link)
                        : cloth_list_push(planner, &planner->redone_sums, link - constraints)))
                return false;
            for (uint32_t v = ends_of_link(planner, link, ends); v-- > 0;)
                need(c, ends[v], patch, s);
        }
    }
    for (uint32_t k = 0; k < c->count; k++)
        if (planner->part[c->list[k]] != patch &&
            !cloth_list_push(planner, &planner->ghosts, c->list[k]))
            return false;
    return true;
}

/* Adds as ghosts the locked ends that other patches own. */
static bool add_locked_ghosts(cloth_planner *planner, cloth_closure *c, uint32_t patch)
{
    const cloth_sums *sums = &planner->sums;
    for (uint32_t k = planner->inside_at[patch]; k < planner->inside_at[patch + 1]; k++) {
        const uint32_t *particle = sums->items + (size_t)sums->words * planner->inside[k];
        for (uint32_t v = 0; v < sums->particles; v++) {
            if (planner->part[particle[v]] == patch || c->needed[particle[v]] == patch + 1)
                continue;
            c->needed[particle[v]] = patch + 1;
            if (!cloth_list_push(planner, &planner->ghosts, particle[v])) return false;
        }
    }
    for (uint32_t k = planner->own_at[patch]; k < planner->own_at[patch + 1]; k++) {
        uint32_t particle = planner->plan->own[k];
        for (uint32_t q = planner->graph.at[particle]; q < planner->graph.at[particle + 1]; q++) {
            uint32_t neighbour = planner->graph.neighbour[q];
            if (planner->home[planner->graph.constraint[q]] != patch ||
                planner->part[neighbour] == patch || c->needed[neighbour] == patch + 1)
                continue;
            c->needed[neighbour] = patch + 1;
            if (!cloth_list_push(planner, &planner->ghosts, neighbour)) return false;
        }
    }
    return true;
}

static cloth_closure *get_closure(cloth_planner *planner)
{
    uint64_t particles = planner->garment->particle_count,
             ends = 2 * planner->plan->boundary +
                    planner->sums.particles * planner->plan->boundary_sums;
    cloth_closure *c = planner->closure;
    if (!c) {
        c = cloth_plan_new(planner, 1, sizeof *c);
        if (!c) return NULL;
        c->at = cloth_plan_new(planner, particles + 1, sizeof *c->at);
        c->cursor = cloth_plan_new(planner, particles, sizeof *c->cursor);
        c->needed = cloth_plan_new(planner, particles, sizeof *c->needed);
        c->list = cloth_plan_new(planner, particles, sizeof *c->list);
        c->done = cloth_plan_new(planner, count_links(planner), sizeof *c->done);
        if (planner->arena.failed) return NULL;
        c->planner = planner;
        planner->closure = c;
    }
    if (c->room < ends) {
        c->room = (uint32_t)ends;
        c->sorted = cloth_plan_new(planner, c->room, sizeof *c->sorted);
        c->boundary = cloth_plan_new(planner, c->room, sizeof *c->boundary);
        if (!c->sorted || !c->boundary) return NULL;
    }
    return c;
}

hed_status cloth_plan_close(cloth_planner *planner)
{
    cloth_closure *c = get_closure(planner);
    if (!c || sort_by_step(planner, c)) return HED_ERROR_MEMORY;
    plan_collect(planner, c);
    for (uint32_t i = 0; i < planner->garment->particle_count; i++) c->needed[i] = 0;
    for (uint32_t k = 0; k < count_links(planner); k++) c->done[k] = 0;
    planner->redone.count = planner->redone_sums.count = planner->ghosts.count = 0;
    for (uint32_t p = 0; p < planner->plan->patch_count; p++) {
        if (!close_patch(planner, c, p) || !add_locked_ghosts(planner, c, p))
            return HED_ERROR_MEMORY;
        planner->redone_at[p + 1] = planner->redone.count;
        planner->redone_sums_at[p + 1] = planner->redone_sums.count;
        planner->ghosts_at[p + 1] = planner->ghosts.count;
    }
    planner->plan->boundary_steps = planner->plan->boundary ? c->last - planner->sums.colours : 0;
    return HED_OK;
}

/* Lists for each patch the patches that own its ghosts, each once, in `reads`. */
static bool find_reads(
    cloth_planner *planner, uint32_t *reads_at, cloth_list *reads, uint32_t *reader)
{
    for (uint32_t p = 0; p < planner->plan->patch_count; p++) {
        for (uint32_t k = planner->ghosts_at[p]; k < planner->ghosts_at[p + 1]; k++) {
            uint32_t from = planner->part[planner->ghosts.items[k]];
            if (reader[from] == p + 1) continue;
            reader[from] = p + 1;
            if (!cloth_list_push(planner, reads, from)) return false;
        }
        reads_at[p + 1] = reads->count;
    }
    return true;
}

/* Rebuilds the ghosts with particle added[k] for patch reader[k]. */
static hed_status append_ghosts(
    cloth_planner *planner, const cloth_list *reader, const cloth_list *added)
{
    uint32_t patches = planner->plan->patch_count;
    uint32_t *at = cloth_plan_new(planner, patches + 1, sizeof *at),
             *next = cloth_plan_new(planner, patches, sizeof *next);
    cloth_list merged = {.count = planner->ghosts.count + added->count,
        .capacity = planner->ghosts.count + added->count};
    merged.items = cloth_plan_new(planner, merged.count, sizeof *merged.items);
    if (!at || !next || !merged.items) return HED_ERROR_MEMORY;
    for (uint32_t p = 0; p < patches; p++)
        at[p + 1] = planner->ghosts_at[p + 1] - planner->ghosts_at[p];
    for (uint32_t k = 0; k < added->count; k++) at[reader->items[k] + 1]++;
    for (uint32_t p = 0; p < patches; p++) at[p + 1] += at[p];
    for (uint32_t p = 0; p < patches; p++) {
        next[p] = at[p];
        for (uint32_t k = planner->ghosts_at[p]; k < planner->ghosts_at[p + 1]; k++)
            merged.items[next[p]++] = planner->ghosts.items[k];
    }
    for (uint32_t k = 0; k < added->count; k++)
        merged.items[next[reader->items[k]]++] = added->items[k];
    planner->ghosts = merged;
    planner->ghosts_at = at;
    return HED_OK;
}

hed_status cloth_plan_make_mutual(cloth_planner *planner)
{
    uint32_t patches = planner->plan->patch_count;
    uint32_t *reads_at = cloth_plan_new(planner, patches + 1, sizeof *reads_at);
    uint32_t *last_reader = cloth_plan_new(planner, patches, sizeof *last_reader);
    uint8_t *is_sent = cloth_plan_new(planner, planner->garment->particle_count, sizeof *is_sent);
    cloth_list reads = {0}, reader = {0}, added = {0};
    if (!reads_at || !last_reader || !is_sent ||
        !find_reads(planner, reads_at, &reads, last_reader))
        return HED_ERROR_MEMORY;
    for (uint32_t k = 0; k < planner->ghosts.count; k++) is_sent[planner->ghosts.items[k]] = 1;
    for (uint32_t p = 0; p < patches; p++) {
        for (uint32_t k = reads_at[p]; k < reads_at[p + 1]; k++) {
            uint32_t back = reads_at[reads.items[k]];
            while (back < reads_at[reads.items[k] + 1] && reads.items[back] != p) back++;
            if (back < reads_at[reads.items[k] + 1]) continue; /* mutual already */
            /* a particle of p that is sent anyway, else the first of p */
            uint32_t position = planner->own_at[p];
            while (position < planner->own_at[p + 1] && !is_sent[planner->plan->own[position]])
                position++;
            if (position == planner->own_at[p + 1]) position = planner->own_at[p];
            uint32_t particle = planner->plan->own[position];
            if (!cloth_list_push(planner, &reader, reads.items[k]) ||
                !cloth_list_push(planner, &added, particle))
                return HED_ERROR_MEMORY;
            is_sent[particle] = 1;
        }
    }
    return added.count ? append_ghosts(planner, &reader, &added) : HED_OK;
}
