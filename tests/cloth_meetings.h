/* For the test of the meetings of HED_CLOTH_SOLVER_COOPERATIVE: runs the groups of a launch on the lists of tasks
 * and on the tables that a card gets, without arithmetic, and counts accesses of two groups to an element without
 * an order between them, of which one writes. Each group has clocks of all groups (C. J. Fidge, Timestamps in
 * message-passing systems, 1988), one for each meetings_order. */
#ifndef HED_TESTS_CLOTH_MEETINGS_H
#define HED_TESTS_CLOTH_MEETINGS_H

#include "cloth_layouts.h"
#include "solver/colours.h"
#include "solver/cooperative_list.h"

enum { MEETINGS_SUBSTEPS = 3, MEETINGS_TIMES = 4096, MEETINGS_TEXT = 200 };

/* Arrays whose elements are checked. `from` has places before they move, then at the substep's start. */
typedef enum meetings_array {
    OF_POSITION,
    OF_PREVIOUS,
    OF_MOVED,
    OF_PATCHES, /* multipliers of a patch */
    OF_PLACES,
    OF_FROM,
    OF_PULLED,
    OF_PACKETS, /* of points, two each */
    OF_SIGNALS,
    MEETINGS_ARRAYS
} meetings_array;

static const char *const meetings_names[MEETINGS_ARRAYS] = {"position", "previous", "moved",
    "multipliers of patch", "place", "place before", "multiplier", "packet", "signal"};

/* Tables of a launch. `count`: elements of each array; `near`: groups on each side with which a group meets;
 * `backwards`: groups do their last lines and chains first. */
typedef struct meetings_tables {
    cloth_cooperative_launch launch;
    uint32_t groups, near, task_count, count[MEETINGS_ARRAYS];
    bool strict, backwards;
    uint4 *tasks, *lines, *cells, *chains, *sources, *shares, *elements;
    float4 *position;
    void *all[8]; /* to be released */
    uint32_t all_count;
} meetings_tables;

/* Order of accesses of a group before those of another one, which has read a packet: loads are over before stores,
 * in any case; stores come before stores, if the sender has a fence before the packet; stores are seen by loads,
 * if both have one. */
typedef enum meetings_order {
    LOADS_OVER,
    STORES_DONE,
    STORES_SEEN,
    MEETINGS_ORDERS
} meetings_order;

/* Elements of an array: time of the last write, its group, and the last read of each group, (count x groups); of a
 * packet, its number and order. */
typedef struct meetings_log {
    uint32_t *writes, *writers, *reads, *numbers, *orders;
} meetings_log;

/* A group: its substep, its next task and the part of it that comes next, number of its tasks that sent packets. */
typedef struct meetings_group {
    uint32_t substep, task, part, number, time;
} meetings_group;

typedef struct meetings {
    const meetings_tables *t;
    meetings_log log[MEETINGS_ARRAYS];
    uint32_t *clocks[MEETINGS_ORDERS]; /* (groups x groups) */
    uint32_t **sent
        [MEETINGS_ORDERS]; /* (groups x MEETINGS_TIMES) clocks at the ends of times; NULL: not sent */
    bool *is_sent;         /* (particles) the latest position is in a packet alone */
    meetings_group *groups;
    uint32_t conflicts;
    char first[MEETINGS_TEXT]; /* the first conflict */
} meetings;

/* ---- tables ---- */

static inline void *meetings_read(
    meetings_tables *t, hed_cloth *cloth, hed_buffer *buffer, uint32_t each, uint32_t *count)
{
    uint64_t size = buffer ? hed_buffer_describe(buffer).size : 0;
    void *to = calloc(size + 1, 1);
    if (size) OK(hed_read(cloth->stream, to, buffer, 0, size, &error));
    CHECK_LT(t->all_count, HED_COUNT(t->all));
    if (count) *count = (uint32_t)(size / each);
    return t->all[t->all_count++] = to;
}

/* Reads the tables of a cloth after its first frame. */
static inline meetings_tables meetings_tables_of(hed_cloth *cloth)
{
    const cloth_solver *s = cloth->solver;
    const cloth_cooperative *c = s->cooperative;
    cloth_tension_view tension = cloth_tension_describe(cloth, s->tension);
    meetings_tables t = {.launch = c->launch,
        .groups = c->groups,
        .near = CLOTH_NEAR_GROUPS,
        .strict = cloth->def.math == HED_MATH_STRICT};
    t.tasks = meetings_read(&t, cloth, c->tasks, sizeof(uint4), &t.task_count);
    t.lines = meetings_read(&t, cloth, s->b.lines, 1, NULL);
    t.cells = meetings_read(&t, cloth, s->b.cells, 1, NULL);
    t.chains = meetings_read(&t, cloth, tension.chains, 1, NULL);
    t.sources = meetings_read(&t, cloth, tension.sources, 1, NULL);
    t.shares = meetings_read(&t, cloth, tension.shares, 1, NULL);
    t.elements = meetings_read(&t, cloth, s->b.elements, 1, NULL);
    t.position = meetings_read(&t, cloth, cloth->buffers.position, 1, NULL);
    t.count[OF_POSITION] = t.count[OF_PREVIOUS] = cloth->particles;
    t.count[OF_PATCHES] = s->patches;
    t.count[OF_MOVED] = s->patches ? cloth->particles : 0;
    t.count[OF_PLACES] = (uint32_t)(hed_buffer_describe(tension.samples).size / sizeof(float4));
    t.count[OF_FROM] = (uint32_t)(hed_buffer_describe(tension.from).size / sizeof(float4));
    t.count[OF_PULLED] = (uint32_t)(hed_buffer_describe(tension.pulled).size / sizeof(float));
    t.count[OF_PACKETS] = 2 * cloth->particles;
    t.count[OF_SIGNALS] = CLOTH_DO_SIGNALS * t.groups;
    t.launch.posts = 0;
    return t;
}

static inline void meetings_tables_free(meetings_tables *t)
{
    for (uint32_t k = 0; k < t->all_count; k++) free(t->all[k]);
}

/* ---- accesses ---- */

static inline uint4 meetings_task(const meetings *m, uint32_t group)
{
    const cloth_cooperative_launch *launch = &m->t->launch;
    return m->t
        ->tasks[(group ? launch->other_groups.at : launch->first_group.at) + m->groups[group].task];
}

static inline void meetings_conflict(meetings *m, const char *what, uint32_t group, uint32_t other,
    meetings_array array, uint32_t at)
{
    const meetings_group *g = m->groups + group;
    if (m->conflicts++ > 0) return;
    snprintf(m->first, sizeof m->first,
        "substep %u, task %u (kind %u): group %u %s %s %u without an order after group %u",
        g->substep, g->task, cloth_task_kind(meetings_task(m, group)), group, what,
        meetings_names[array], at, other);
}

/* True if a group's access comes after all that `other` did up to `time`. */
static inline bool meetings_is_after(
    const meetings *m, meetings_order order, uint32_t group, uint32_t other, uint32_t time)
{
    return group == other || m->clocks[order][(size_t)group * m->t->groups + other] >= time;
}

static inline void meetings_load(meetings *m, uint32_t group, meetings_array array, uint32_t at)
{
    const meetings_log *log = m->log + array;
    CHECK_LT(at, m->t->count[array]);
    if (array == OF_POSITION && m->is_sent[at])
        meetings_conflict(m, "reads instead of a packet", group, group, array, at);
    if (!meetings_is_after(m, STORES_SEEN, group, log->writers[at], log->writes[at]))
        meetings_conflict(m, "reads", group, log->writers[at], array, at);
    log->reads[(size_t)at * m->t->groups + group] = m->groups[group].time;
}

static inline void meetings_store(meetings *m, uint32_t group, meetings_array array, uint32_t at)
{
    const meetings_log *log = m->log + array;
    CHECK_LT(at, m->t->count[array]);
    const uint32_t *reads = log->reads + (size_t)at * m->t->groups;
    /* packets are stored whole, in one order */
    meetings_order order = array == OF_PACKETS || array == OF_SIGNALS ? LOADS_OVER : STORES_DONE;
    if (!meetings_is_after(m, order, group, log->writers[at], log->writes[at]))
        meetings_conflict(m, "writes", group, log->writers[at], array, at);
    for (uint32_t other = 0; other < m->t->groups; other++)
        if (!meetings_is_after(m, LOADS_OVER, group, other, reads[other]))
            meetings_conflict(m, "overwrites", group, other, array, at);
    log->writes[at] = m->groups[group].time;
    log->writers[at] = group;
    if (array == OF_POSITION) m->is_sent[at] = false;
}

/* Moves a point, unless it is a locked particle. */
static inline void meetings_move(meetings *m, uint32_t group, meetings_array array, uint32_t at)
{
    meetings_load(m, group, array, at);
    if (array == OF_PLACES || m->t->position[at].w > 0.0f) meetings_store(m, group, array, at);
}

/* ---- packets ---- */

static inline void meetings_join(uint32_t *clock, const uint32_t *other, uint32_t groups)
{
    for (uint32_t g = 0; g < groups; g++)
        if (other[g] > clock[g]) clock[g] = other[g];
}

/* Ends a time of a group, whose packets bring this state to their readers. */
static inline void meetings_tick(meetings *m, uint32_t group)
{
    uint32_t groups = m->t->groups, time = m->groups[group].time++;
    CHECK_LT(time, MEETINGS_TIMES);
    for (uint32_t k = 0; k < MEETINGS_ORDERS; k++) {
        uint32_t *clock = m->clocks[k] + (size_t)group * groups,
                 *sent = calloc(groups, sizeof *sent);
        clock[group] = time;
        m->sent[k][(size_t)group * MEETINGS_TIMES + time] =
            memcpy(sent, clock, groups * sizeof *sent);
    }
}

static inline void meetings_send(meetings *m, uint32_t group, meetings_array array, uint32_t at,
    uint32_t number, meetings_order order)
{
    meetings_store(m, group, array, at);
    m->log[array].numbers[at] = number;
    m->log[array].orders[at] = order;
}

/* Returns false if the packet is not there. */
static inline bool meetings_wait(
    meetings *m, uint32_t group, meetings_array array, uint32_t at, uint32_t number)
{
    const meetings_log *log = m->log + array;
    uint32_t groups = m->t->groups, from = log->writers[at];
    if (log->numbers[at] != number) return false;
    for (uint32_t k = 0; k <= log->orders[at] && from != group; k++) {
        const uint32_t *sent = m->sent[k][(size_t)from * MEETINGS_TIMES + log->writes[at]];
        CHECK_NOT_NULL(sent);
        meetings_join(m->clocks[k] + (size_t)group * groups, sent, groups);
    }
    log->reads[(size_t)at * groups + group] = m->groups[group].time;
    return true;
}

static inline uint32_t meetings_packet(const meetings *m, uint32_t point, uint32_t number)
{
    return (number & 1u) * m->t->count[OF_POSITION] + point;
}

/* Waits for the packets of `count` points. */
static inline bool meetings_take(
    meetings *m, uint32_t group, uint32_t first, uint32_t step, uint32_t count)
{
    uint32_t number = m->groups[group].number;
    for (uint32_t j = 0; j < count; j++)
        if (!meetings_wait(
                m, group, OF_PACKETS, meetings_packet(m, first + j * step, number), number))
            return false;
    return true;
}

/* Waits for the signals of the groups with rows nearby, which begin with signal `first`. */
static inline bool meetings_wait_near(meetings *m, uint32_t group, uint32_t first, uint32_t number)
{
    const cloth_cell_bands *bands = &m->t->launch.bands;
    for (uint32_t k = 0; k <= 2 * m->t->near; k++) {
        uint32_t other = group + k - m->t->near; /* wraps below 0 */
        if (other < bands->first_group || other >= bands->end_group) continue;
        if (!meetings_wait(m, group, OF_SIGNALS, first + other, number)) return false;
    }
    return true;
}

/* ---- tasks ---- */

static inline uint32_t meetings_begin(uint4 task, uint32_t group)
{
    uint32_t skips_first = task.x & CLOTH_DO_BESIDE,
             at = (skips_first ? group - 1 : group) * cloth_task_share(task);
    return (skips_first && group == 0) || at > task.z ? task.z : at;
}

static inline bool meetings_line(meetings *m, uint32_t group, uint4 task, uint32_t number)
{
    cloth_line_at line = cloth_line_of(m->t->lines, task.y + number);
    bool takes = task.w & CLOTH_DO_TAKE;
    uint32_t points = line.count + (line.across ? 1 : 2);
    if (!line.count) return true;
    if (takes && !meetings_take(m, group, line.first, line.step, line.count + 2)) return false;
    for (uint32_t j = 0; takes && j < line.count + 2; j++)
        meetings_store(m, group, OF_POSITION, line.first + j * line.step);
    for (uint32_t j = 0; j < points; j++) {
        meetings_move(m, group, OF_POSITION, line.first + j * line.step);
        if (line.across)
            meetings_move(m, group, OF_POSITION, line.first + j * line.step + line.across);
    }
    return true;
}

static inline bool meetings_chain(meetings *m, uint32_t group, uint4 task, uint32_t number)
{
    cloth_chain_at chain = cloth_chain_of(m->t->chains, task.y + number);
    bool of_places = task.x & CLOTH_DO_OF_PLACES, sends = task.w & CLOTH_DO_SEND,
         takes = task.w & CLOTH_DO_TAKE, holds = task.w & CLOTH_DO_HOLD;
    uint32_t pass = cloth_task_pass(task), turns = m->t->launch.turns;
    meetings_array points = of_places ? OF_PLACES : OF_POSITION;
    if (takes && !meetings_take(m, group, chain.first, chain.step, chain.count + 1)) return false;
    for (uint32_t j = 0; j <= chain.count; j++) {
        uint32_t at = chain.first + j * chain.step;
        if (!takes) meetings_load(m, group, points, at);
        if (task.x & CLOTH_DO_TURNS) meetings_load(m, group, OF_FROM, turns + at);
        if (j < chain.count && pass >= 2) meetings_load(m, group, OF_PULLED, chain.edges + j);
        if (j < chain.count && CLOTH_CHAINS_KEEP(pass))
            meetings_store(m, group, OF_PULLED, chain.edges + j);
        uint32_t sent = m->groups[group].number + 1;
        if (sends) {
            meetings_send(m, group, OF_PACKETS, meetings_packet(m, at, sent), sent,
                takes ? LOADS_OVER : STORES_DONE);
            m->is_sent[at] = m->t->position[at].w > 0.0f;
        } else if (holds) { /* contacts of the group's columns send it */
            m->is_sent[at] = m->t->position[at].w > 0.0f;
        } else if (of_places || m->t->position[at].w > 0.0f) meetings_store(m, group, points, at);
    }
    if (sends) meetings_tick(m, group);
    return true;
}

static inline void meetings_cell(meetings *m, uint32_t group, uint32_t number)
{
    uint4 at = m->t->cells[number];
    meetings_move(m, group, OF_POSITION, at.x);
    meetings_move(m, group, OF_POSITION, at.y);
    meetings_move(m, group, OF_POSITION, at.z);
    meetings_move(m, group, OF_POSITION, at.w);
}

static inline void meetings_place(meetings *m, uint32_t group, uint4 task, uint32_t place)
{
    uint4 from = m->t->sources[2 * place];
    const uint32_t particles[] = {from.x, from.y, from.z};
    bool turns = task.x & CLOTH_DO_TURNS;
    for (uint32_t k = 0; k < 3; k++) {
        meetings_load(m, group, OF_POSITION, particles[k]);
        if (turns) meetings_load(m, group, OF_PREVIOUS, particles[k]);
    }
    meetings_store(m, group, OF_PLACES, place);
    meetings_store(m, group, OF_FROM, place);
    if (turns) meetings_store(m, group, OF_FROM, m->t->launch.turns + place);
}

static inline void meetings_share(meetings *m, uint32_t group, uint4 task, uint32_t number)
{
    uint4 place = m->t->shares[3 * number + 1];
    const uint32_t places[] = {place.x, place.y, place.z, place.w};
    for (uint32_t k = 0; k < 4; k++) {
        meetings_load(m, group, OF_PLACES, places[k]);
        meetings_load(m, group, OF_FROM, places[k]);
    }
    meetings_move(m, group,
        task.x & CLOTH_DO_OF_PLACES ? OF_PLACES
        : cloth_task_pass(task)     ? OF_MOVED
                                    : OF_POSITION,
        m->t->shares[3 * number].x);
}

/* Contacts of a column, whose points the task before holds. */
static inline void meetings_drive_column(meetings *m, uint32_t group, uint4 task, uint32_t column)
{
    const meetings_group *g = m->groups + group;
    const cloth_task_list *list = group ? &m->t->launch.other_groups : &m->t->launch.first_group;
    bool ends = g->substep + 1 == MEETINGS_SUBSTEPS && g->task + 1 == list->tasks;
    uint32_t sent = g->number + 1;
    for (uint32_t row = 0; row < task.y; row++) {
        uint32_t at = column + row * task.z;
        meetings_load(m, group, OF_PREVIOUS, at);
        meetings_send(m, group, OF_PACKETS, meetings_packet(m, at, sent), sent, LOADS_OVER);
        if (ends && m->t->position[at].w > 0.0f) meetings_store(m, group, OF_POSITION, at);
    }
    meetings_tick(m, group);
}

static inline bool meetings_drive(meetings *m, uint32_t group, uint4 task, uint32_t particle)
{
    if (task.y) {
        meetings_drive_column(m, group, task, particle);
        return true;
    }
    if (!(task.w & CLOTH_DO_TAKE)) meetings_load(m, group, OF_POSITION, particle);
    else if (!meetings_take(m, group, particle, 0, 1)) return false;
    meetings_load(m, group, OF_PREVIOUS, particle);
    meetings_store(m, group, OF_POSITION, particle);
    return true;
}

/* Integrates a particle, which the last task of the substep before may have sent. */
static inline bool meetings_integrate(meetings *m, uint32_t group, uint4 task, uint32_t particle)
{
    bool takes = (task.w & CLOTH_DO_TAKE) && m->groups[group].substep > 0;
    if (takes && !meetings_take(m, group, particle, 0, 1)) return false;
    if (!takes) meetings_load(m, group, OF_POSITION, particle);
    if (m->t->position[particle].w > 0.0f) meetings_store(m, group, OF_POSITION, particle);
    meetings_load(m, group, OF_PREVIOUS, particle);
    meetings_store(m, group, OF_PREVIOUS, particle);
    return true;
}

/* Sweeps of a group over the lattice of its number. */
static inline void meetings_sweeps(meetings *m, uint32_t group, uint4 task)
{
    uint32_t places = cloth_task_places(task), base = task.z + group * places,
             lattices = cloth_task_lattices(task), warps = cloth_task_warp(task),
             wefts = cloth_task_weft(task), warp_at = task.y + group * warps,
             weft_at = task.y + lattices * warps + group * wefts;
    bool at_particles = !m->t->strict && cloth_task_kind(task) == CLOTH_DO_SWEEPS &&
                        (task.w & CLOTH_DO_AT_PARTICLES);
    if (group >= lattices) return;
    for (uint32_t i = base; i < base + places; i++) {
        if (task.x & CLOTH_DO_TURNS) meetings_load(m, group, OF_FROM, m->t->launch.turns + i);
        if (at_particles) meetings_move(m, group, OF_POSITION, m->t->sources[2 * i].x);
        else meetings_move(m, group, OF_PLACES, i);
    }
    for (uint32_t k = 0; k < warps + wefts && m->t->strict && cloth_task_pass(task); k++) {
        cloth_chain_at chain =
            cloth_chain_of(m->t->chains, k < warps ? warp_at + k : weft_at + k - warps);
        for (uint32_t e = chain.edges; e < chain.edges + chain.count; e++)
            meetings_store(m, group, OF_PULLED, e);
    }
}

static inline void meetings_patch(meetings *m, uint32_t group, uint4 task, uint32_t number)
{
    cloth_element_patches_view view = {.tables = m->t->elements, .at = m->t->launch.patched};
    cloth_patch_at patch = cloth_patch_of(number, view);
    bool second = cloth_task_pass(task);
    for (uint32_t i = 0; i < patch.own_count + patch.ghost_count; i++)
        meetings_load(
            m, group, second ? OF_MOVED : OF_POSITION, cloth_patch_member(i, patch, view));
    if (second) meetings_load(m, group, OF_PATCHES, number);
    else meetings_store(m, group, OF_PATCHES, number);
    for (uint32_t i = 0; i < patch.own_count; i++)
        meetings_store(
            m, group, second ? OF_POSITION : OF_MOVED, cloth_patch_member(i, patch, view));
}

/* Bands: part 0 loads rows and signals, part 1 waits for others, which have loaded theirs, and stores. */
static inline bool meetings_band(meetings *m, uint32_t group, uint4 task)
{
    const cloth_cell_bands *bands = &m->t->launch.bands;
    uint32_t begin = meetings_begin(task, group), end = begin + cloth_task_share(task),
             reach = 2 * task.y * bands->width, number = m->groups[group].number + 1,
             total = bands->height * bands->width;
    if (end > task.z) end = task.z;
    if (begin >= end) return true;
    if (m->groups[group].part == 0) {
        for (uint32_t i = begin > reach ? begin - reach : 0; i < end + reach && i < total; i++)
            meetings_load(m, group, OF_POSITION, i);
        meetings_send(m, group, OF_SIGNALS, group, number, LOADS_OVER);
        meetings_tick(m, group);
        m->groups[group].part = 1;
    }
    if (!meetings_wait_near(m, group, 0, number)) return false;
    for (uint32_t i = begin; i < end; i++)
        if (m->t->position[i].w > 0.0f) meetings_store(m, group, OF_POSITION, i);
    return true;
}

/* Does element `i` of a group's task. Returns false if a packet is not there. */
static inline bool meetings_element(meetings *m, uint32_t group, uint4 task, uint32_t i)
{
    switch (cloth_task_kind(task)) {
    case CLOTH_DO_INTEGRATE: return meetings_integrate(m, group, task, i);
    case CLOTH_DO_LINES: return meetings_line(m, group, task, i);
    case CLOTH_DO_CHAINS: return meetings_chain(m, group, task, i);
    case CLOTH_DO_CELLS: meetings_cell(m, group, task.y + i); return true;
    case CLOTH_DO_PATCHES: meetings_patch(m, group, task, i); return true;
    case CLOTH_DO_PLACES: meetings_place(m, group, task, task.y + i); return true;
    case CLOTH_DO_SHARES: meetings_share(m, group, task, task.y + i); return true;
    case CLOTH_DO_DRIVE: return meetings_drive(m, group, task, i);
    default: CHECK(false, "a kind of tasks that is not followed: %u", cloth_task_kind(task));
    }
    return true;
}

static inline bool meetings_do_task(meetings *m, uint32_t group, uint4 task)
{
    uint32_t kind = cloth_task_kind(task), begin = meetings_begin(task, group),
             end = begin + cloth_task_share(task), count;
    if (kind == CLOTH_DO_BANDS) return meetings_band(m, group, task);
    if (kind == CLOTH_DO_SWEEPS || kind == CLOTH_DO_WIDE_SWEEPS) {
        meetings_sweeps(m, group, task);
        return true;
    }
    if (end > task.z) end = task.z;
    if (kind == CLOTH_DO_PLACES && task.w) { /* places at the group's particles */
        for (uint32_t i = 0; i < task.w; i++) {
            uint32_t particle = m->t->sources[2 * (task.y + i)].x;
            if (particle >= begin && particle < end) meetings_place(m, group, task, task.y + i);
        }
        return true;
    }
    count = end - begin;
    for (uint32_t k = 0; k < count; k++)
        if (!meetings_element(m, group, task, m->t->backwards ? end - 1 - k : begin + k))
            return false;
    return true;
}

/* ---- the launch ---- */

enum { MEETINGS_WAIT_ALL = 2, MEETINGS_AFTER, MEETINGS_WAIT_NEAR, MEETINGS_WAIT_FIRST };

/* Signals after a task. Returns false if others' are not there. */
static inline bool meetings_end_task(meetings *m, uint32_t group, uint4 task)
{
    const cloth_cell_bands *bands = &m->t->launch.bands;
    meetings_group *g = m->groups + group;
    uint32_t near = (1 + (g->number & 1)) * bands->groups, groups = bands->groups;
    bool has_rows = group >= bands->first_group && group < bands->end_group;
    if (g->part == MEETINGS_AFTER && cloth_task_meets_near(task)) {
        meetings_send(m, group, OF_SIGNALS, near + group, g->number, STORES_SEEN);
        meetings_tick(m, group);
    }
    if (g->part == MEETINGS_AFTER) g->part = MEETINGS_WAIT_NEAR;
    if (g->part == MEETINGS_WAIT_NEAR) {
        if (cloth_task_meets_near(task) && has_rows &&
            !meetings_wait_near(m, group, near, g->number))
            return false;
        g->part = MEETINGS_WAIT_FIRST;
        if (cloth_task_is_for_first(task) && group > 0) {
            meetings_send(m, group, OF_SIGNALS, 3 * groups + group, g->substep + 1, STORES_SEEN);
            meetings_tick(m, group);
        }
    }
    for (uint32_t other = 1; cloth_task_is_for_first(task) && group == 0 && other < groups; other++)
        if (!meetings_wait(m, group, OF_SIGNALS, 3 * groups + other, g->substep + 1)) return false;
    return true;
}

/* Runs a group until it waits. Returns false if it has done nothing. */
static inline bool meetings_run_group(meetings *m, uint32_t group)
{
    meetings_group *g = m->groups + group;
    const cloth_task_list *list = group ? &m->t->launch.other_groups : &m->t->launch.first_group;
    uint32_t start = g->time, substep = g->substep, task_at = g->task, part = g->part;
    while (g->substep < MEETINGS_SUBSTEPS && g->part != MEETINGS_WAIT_ALL) {
        uint4 task = meetings_task(m, group);
        if (g->task == 0 && g->part == 0 && start == g->time + 1) break;
        if (g->part < MEETINGS_WAIT_ALL) {
            if (!meetings_do_task(m, group, task)) break;
            g->number += cloth_task_sends(task);
            g->part = task.x & CLOTH_DO_MEET ? MEETINGS_WAIT_ALL : MEETINGS_AFTER;
            if (task.x & CLOTH_DO_MEET) break;
        }
        if (!meetings_end_task(m, group, task)) break;
        g->part = 0;
        if (++g->task == list->tasks) {
            g->task = 0;
            if (++g->substep < MEETINGS_SUBSTEPS) g->number += list->skipped;
        }
    }
    return start != g->time || substep != g->substep || task_at != g->task || part != g->part;
}

/* Lets all groups, which wait for each other, go on. */
static inline void meetings_all_meet(meetings *m)
{
    uint32_t groups = m->t->groups, *all = calloc(groups, sizeof *all);
    for (uint32_t g = 0; g < groups; g++) {
        all[g] = m->groups[g].time;
        meetings_tick(m, g);
        m->groups[g].part = MEETINGS_AFTER;
    }
    for (uint32_t k = 0; k < MEETINGS_ORDERS; k++)
        for (uint32_t g = 0; g < groups; g++)
            memcpy(m->clocks[k] + (size_t)g * groups, all, groups * sizeof *all);
    free(all);
}

static inline void meetings_free(meetings *m)
{
    for (uint32_t k = 0; k < MEETINGS_ORDERS; k++) {
        for (size_t i = 0; i < (size_t)m->t->groups * MEETINGS_TIMES; i++) free(m->sent[k][i]);
        free(m->sent[k]), free(m->clocks[k]);
    }
    for (uint32_t a = 0; a < MEETINGS_ARRAYS; a++) {
        meetings_log *log = m->log + a;
        free(log->writes), free(log->writers), free(log->reads), free(log->numbers),
            free(log->orders);
    }
    free(m->is_sent), free(m->groups);
}

/* Runs some substeps. Returns the number of conflicts, among them groups that wait for ever; `text`: (MEETINGS_TEXT)
 * the first one. */
static inline uint32_t meetings_run(const meetings_tables *t, char *text)
{
    size_t groups = t->groups;
    meetings m = {.t = t,
        .is_sent = calloc(t->count[OF_POSITION], sizeof *m.is_sent),
        .groups = calloc(groups, sizeof *m.groups)};
    for (uint32_t a = 0; a < MEETINGS_ARRAYS; a++) {
        size_t count = t->count[a] + (size_t)1;
        m.log[a] = (meetings_log){calloc(count, 4), calloc(count, 4), calloc(count * groups, 4),
            calloc(count, 4), calloc(count, 4)};
    }
    for (uint32_t k = 0; k < MEETINGS_ORDERS; k++) {
        m.clocks[k] = calloc(groups * groups, sizeof **m.clocks);
        m.sent[k] = calloc(groups * MEETINGS_TIMES, sizeof **m.sent);
    }
    for (uint32_t g = 0; g < groups; g++) {
        m.groups[g].time = 1;
        m.groups[g].number = (g ? t->launch.other_groups : t->launch.first_group).skipped;
    }
    for (bool moves = true; moves;) {
        uint32_t waiting = 0;
        moves = false;
        for (uint32_t g = 0; g < groups; g++) {
            moves |= meetings_run_group(&m, g);
            waiting += m.groups[g].part == MEETINGS_WAIT_ALL;
        }
        if (waiting < groups) continue;
        meetings_all_meet(&m);
        moves = true;
    }
    for (uint32_t g = 0; g < groups; g++)
        if (m.groups[g].substep < MEETINGS_SUBSTEPS && !m.conflicts++)
            snprintf(m.first, sizeof m.first,
                "group %u waits for ever in substep %u, after task %u", g, m.groups[g].substep,
                m.groups[g].task);
    memcpy(text, m.first, sizeof m.first);
    meetings_free(&m);
    return m.conflicts;
}

#endif
