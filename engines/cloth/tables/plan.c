/* Plan of a garment, assembled from its stages: plan.h defines a plan, parts.h the order of the
 * stages. */
#include "tables/parts.h"

#include <string.h>

bool cloth_list_push(cloth_planner *planner, cloth_list *list, uint32_t value)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity ? 2 * list->capacity : 1024;
        uint32_t *items = cloth_plan_new(planner, capacity, sizeof *items);
        if (!items) return false;
        if (list->count) memcpy(items, list->items, list->count * sizeof *items);
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = value;
    return true;
}

/* ---- what surrounds each particle ---- */

hed_status cloth_graph_create(
    cloth_graph *graph, const cloth_garment *garment, hed_arena *arena, hed_error *error)
{
    uint64_t particles = garment->particle_count, constraints = garment->constraint_count;
    graph->neighbour = hed_arena_new(arena, 2 * constraints, sizeof(uint32_t), error);
    if (!graph->neighbour ||
        cloth_garment_around(garment, false, arena, &graph->at, &graph->constraint, error))
        return HED_ERROR_MEMORY;
    for (uint32_t i = 0; i < particles; i++)
        for (uint32_t q = graph->at[i]; q < graph->at[i + 1]; q++)
            graph->neighbour[q] = cloth_other_end(garment->constraints + graph->constraint[q], i);
    return HED_OK;
}

/* Fills sum_home and `inside`. A sum of locked particles alone, which does nothing, belongs to
 * some patch. */
static void find_homes_of_sums(cloth_planner *planner)
{
    const cloth_sums *sums = &planner->sums;
    uint32_t patches = planner->plan->patch_count, *at = planner->inside_at;
    planner->plan->boundary_sums = 0;
    memset(at, 0, (patches + 1) * sizeof *at);
    for (uint32_t k = 0; k < sums->count; k++) {
        const uint32_t *particle = sums->items + (size_t)sums->words * k;
        uint32_t home = planner->part[particle[0]];
        bool has_patch = false;
        for (uint32_t v = 0; v < sums->particles && home != CLOTH_NONE; v++) {
            if (cloth_is_locked(planner->garment, particle[v])) continue;
            home = has_patch && planner->part[particle[v]] != home ? CLOTH_NONE
                                                                   : planner->part[particle[v]];
            has_patch = true;
        }
        planner->sum_home[k] = home;
        if (home == CLOTH_NONE) planner->plan->boundary_sums++;
        else at[home + 1]++;
    }
    for (uint32_t p = 0; p < patches; p++) at[p + 1] += at[p];
    for (uint32_t k = 0; k < sums->count; k++)
        if (planner->sum_home[k] != CLOTH_NONE) planner->inside[at[planner->sum_home[k]]++] = k;
    memmove(at + 1, at, patches * sizeof *at);
    at[0] = 0;
}

/* Fills `home`. A constraint with a locked end changes one particle: that particle's patch does
 * it, and no other patch needs it. */
void cloth_plan_find_homes(cloth_planner *planner)
{
    const cloth_garment *garment = planner->garment;
    planner->plan->boundary = 0;
    for (uint32_t k = 0; k < garment->constraint_count; k++) {
        uint32_t a = garment->constraints[k].a, b = garment->constraints[k].b;
        if (planner->part[a] == planner->part[b]) planner->home[k] = planner->part[a];
        else if (cloth_is_locked(garment, b)) planner->home[k] = planner->part[a];
        else if (cloth_is_locked(garment, a)) planner->home[k] = planner->part[b];
        else planner->home[k] = CLOTH_NONE;
        if (planner->home[k] == CLOTH_NONE) planner->plan->boundary++;
        planner->step[k] = CLOTH_NO_STEP;
    }
    find_homes_of_sums(planner);
}

static hed_status allocate_planner(cloth_planner *planner)
{
    uint64_t particles = planner->garment->particle_count,
             constraints = planner->edges->constraint_count;
    uint64_t patches = planner->plan->patch_count;
    planner->part = cloth_plan_new(planner, particles, sizeof(uint32_t));
    planner->home = cloth_plan_new(planner, constraints, sizeof(uint32_t));
    planner->step = cloth_plan_new(planner, constraints, sizeof(uint16_t));
    planner->in_figure = cloth_plan_new(planner, constraints, sizeof(uint8_t));
    planner->own_at = cloth_plan_new(planner, patches + 1, sizeof(uint32_t));
    planner->size = cloth_plan_new(planner, patches, sizeof(uint32_t));
    planner->moved = cloth_plan_new(planner, particles, sizeof(uint8_t));
    planner->redone_at = cloth_plan_new(planner, patches + 1, sizeof(uint32_t));
    planner->ghosts_at = cloth_plan_new(planner, patches + 1, sizeof(uint32_t));
    planner->sum_colour = cloth_plan_new(planner, planner->sums.count, sizeof(uint16_t));
    planner->sum_home = cloth_plan_new(planner, planner->sums.count, sizeof(uint32_t));
    planner->inside = cloth_plan_new(planner, planner->sums.count, sizeof(uint32_t));
    planner->inside_at = cloth_plan_new(planner, patches + 1, sizeof(uint32_t));
    planner->redone_sums_at = cloth_plan_new(planner, patches + 1, sizeof(uint32_t));
    planner->plan->own =
        hed_arena_new(&planner->plan->arena, particles, sizeof(uint32_t), planner->error);
    if (planner->plan->arena.failed || planner->arena.failed) return HED_ERROR_MEMORY;
    for (uint64_t k = planner->garment->constraint_count; k < constraints; k++)
        planner->home[k] = CLOTH_NONE; /* a loose edge */
    for (uint16_t colour = 0; colour < planner->sums.colours; colour++)
        for (uint32_t k = planner->sums.at[colour]; k < planner->sums.at[colour + 1]; k++)
            planner->sum_colour[k] = colour;
    return cloth_graph_create(&planner->graph, planner->edges, &planner->arena, planner->error);
}

static hed_status plan_make(cloth_planner *planner)
{
    hed_error *error = planner->error;
    if (allocate_planner(planner) || cloth_plan_cut(planner)) return error->status;
    cloth_plan_find_homes(planner);
    if (planner->plan->def.kind == CLOTH_PLAN_FIGURES && cloth_plan_find_figures(planner))
        return error->status;
    if (cloth_plan_schedule(planner) || cloth_plan_make_mutual(planner)) return error->status;
    return cloth_plan_tables(planner);
}

hed_status cloth_plan_create(
    const cloth_garment *garment, const cloth_plan_def *def, cloth_plan **result, hed_error *error)
{
    hed_error local_error = {0};
    if (!error) error = &local_error;
    *result = NULL;
    if (def->patches < 1 || def->patches > garment->particle_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "garment \"%s\": %u patches of %u particles; there can be 1 to as many as particles",
            garment->name, def->patches, garment->particle_count);
    hed_arena arena = {.allocator = garment->arena.allocator, .owner = "a plan of patches"};
    cloth_plan *plan = hed_arena_new(&arena, 1, sizeof *plan, error);
    if (!plan) return HED_ERROR_MEMORY;
    plan->arena = arena;
    plan->def = *def;
    plan->patch_count = def->patches;
    plan->particle_count = garment->particle_count;
    cloth_garment trimmed = *garment;
    trimmed.constraint_count = plan->constraint_count = cloth_kept_constraints(garment);
    cloth_planner planner = {.garment = &trimmed,
        .edges = garment,
        .sums = cloth_sums_of(garment),
        .plan = plan,
        .error = error,
        .arena = {.allocator = garment->arena.allocator, .owner = "planning patches"}};
    hed_status status = plan_make(&planner);
    hed_arena_free(&planner.arena);
    if (status) cloth_plan_destroy(plan);
    else *result = plan;
    return status;
}

void cloth_plan_destroy(cloth_plan *plan)
{
    if (plan) hed_arena_free(&plan->arena);
}

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

/* ---- which patch reads from which ---- */

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
