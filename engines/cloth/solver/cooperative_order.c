/* Order and shares of the tasks of the cooperative solver: half sweeps and sweeps over cells
 * merged, lattices at the same time as the tasks of particles, packets in place of meetings, and
 * the part of each group. */
#include "solver/cooperative_list.h"

#include <inttypes.h>
#include <string.h>

enum {
    WARP_BITS = 5,
    WIDE_BITS = 2,   /* bits of the edges of a lane in wide sweeps */
    COLUMN_RANK = 5, /* rank of tasks along columns: rank_of() */
    CELL_TASKS = 4   /* tasks of a sweep over the cells of a grid */
};

void cloth_take_lattices(cloth_cooperative *c, gathered_task *t, uint32_t lattices)
{
    uint64_t items = (uint64_t)lattices * c->group;
    t->part = LATTICES;
    t->unit = lattices;
    if (c->items < items) c->items = items;
}

/* ---- half sweeps ---- */

static bool is_sweeps(const gathered_task *t)
{
    uint32_t kind = cloth_task_kind(t->task);
    return kind == CLOTH_DO_SWEEPS || kind == CLOTH_DO_WIDE_SWEEPS;
}

static bool is_half_sweep(const cloth_cooperative *c, uint32_t i)
{
    return i < c->count && (c->list[i].task.x & CLOTH_DO_OF_PLACES) &&
           cloth_task_kind(c->list[i].task) == CLOTH_DO_CHAINS;
}

/* True if a group can hold a lattice in local memory: its places, and a float for each edge, whose
 * chains are each in a warp; in strict mode its places, and the rows of chain_solve(). */
static bool fits(const hed_cloth *cloth, const cloth_cooperative *c, const cloth_lattices *of,
    uint32_t chains, uint32_t bits)
{
    bool has_lanes = hed_device_describe(cloth->device).capabilities & HED_CAN_LANES;
    uint32_t between = bits == WARP_BITS ? 4 : 16; /* sweep_wide_place(), cooperative_place() */
    uint64_t places = of->place_count + of->place_count / between + of->count,
             floats = 4 * places + ((uint64_t)chains << bits);
    if (is_strict(cloth))
        return has_lanes && places <= (uint64_t)of->count * (CLOTH_COOPERATIVE_ROOM - 2) * c->group;
    return has_lanes && bits <= WARP_BITS &&
           floats <= (uint64_t)of->count * 4 * CLOTH_COOPERATIVE_ROOM * c->group;
}

/* True if task `i` is on all places, or shares of particles, of a stage. */
static bool is_of_stage(const cloth_cooperative *c, uint32_t i, uint32_t kind, uint32_t first)
{
    const uint4 *task = &c->list[i].task;
    return i < c->count && cloth_task_kind(*task) == kind && task->y == first &&
           !(task->x & CLOTH_DO_OF_PLACES);
}

/* Makes half sweeps over the places of lattices, by turns, one task. Where the places are
 * particles, it samples and moves the particles, too. */
static void merge_half_sweeps(const hed_cloth *cloth, cloth_cooperative *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0, halves; i < c->count; i += halves) {
        gathered_task *t = c->list + count++;
        *t = c->list[i];
        halves = 1;
        if (!is_half_sweep(c, i) || !is_half_sweep(c, i + 1)) continue;
        const uint4 warp = t->task, weft = c->list[i + 1].task;
        uint32_t bits = cooperative_larger(cloth_task_bits(warp), cloth_task_bits(weft));
        const cloth_lattices *stage = c->lengths.lattices;
        while (warp.y >= stage->chain_end) stage++;
        cloth_lattices of = *stage;
        if (of.count > c->most_lattices) of.count = 1;
        uint32_t places = of.place_count / of.count;
        if (weft.y != warp.y + warp.z || places > CLOTH_MOST_PLACES ||
            cooperative_larger(warp.z, weft.z) > CLOTH_MOST_SIDES ||
            !fits(cloth, c, &of, warp.z + weft.z, bits))
            continue;
        while (halves < CLOTH_MOST_SWEEPS && is_half_sweep(c, i + halves) &&
               c->list[i + halves].task.y == (halves % 2 ? weft.y : warp.y))
            halves++;
        uint32_t kind = CLOTH_DO_SWEEPS;
        if (c->grid && bits == WARP_BITS && !is_strict(cloth) &&
            cooperative_larger(warp.z, weft.z) / of.count <= c->group >> (WARP_BITS - WIDE_BITS))
            kind = CLOTH_DO_WIDE_SWEEPS;
        c->kinds |= 1u << kind;
        cloth_take_lattices(c, t, of.count);
        t->task = (uint4){cloth_task_word(kind, cloth_task_pass(warp), warp.x & CLOTH_DO_TURNS,
                              cloth_task_held(halves, places)),
            warp.y, of.places,
            cloth_task_sides(warp.z / of.count, weft.z / of.count, bits, of.count)};
        if (of.at_particles && kind == CLOTH_DO_SWEEPS && places <= c->group && !is_strict(cloth) &&
            count > 1 && is_of_stage(c, count - 2, CLOTH_DO_PLACES, of.places) &&
            is_of_stage(c, i + halves, CLOTH_DO_SHARES, of.shares)) {
            t->task.w |= CLOTH_DO_AT_PARTICLES;
            t[-1] = t[0];
            count--;
            halves++;
        }
    }
    c->count = count;
}

/* ---- bands of cells ---- */

static bool has_packets(const hed_cloth *cloth)
{
    return hed_device_describe(cloth->device).capabilities & HED_CAN_PACKETS;
}

/* True if groups may sweep over bands of a grid's cells, and signal that they have read them. */
static bool sweeps_bands(const hed_cloth *cloth, const cloth_cooperative *c)
{
    return c->grid && c->groups > 1 && has_packets(cloth) && !(c->kinds >> CLOTH_DO_PATCHES & 1);
}

/* True if groups send points in packets. A cluster's groups meet as soon as a packet arrives. */
static bool sends_packets(const hed_cloth *cloth, const cloth_cooperative *c)
{
    return sweeps_bands(cloth, c) && c->compiled_def == &cloth_cooperative_def;
}

/* True if the tasks from `i` on are one of several sweeps over the cells of a grid: two colours of
 * even strips, then of odd ones. */
static bool is_cell_sweep(const cloth_cooperative *c, uint32_t i)
{
    static const task_part parts[CELL_TASKS] = {ROWS, ROWS, ODD_ROWS, ODD_ROWS};
    for (uint32_t k = 0; k < CELL_TASKS; k++) {
        const gathered_task *t = c->list + i + k;
        if (i + k >= c->count || cloth_task_kind(t->task) != CLOTH_DO_CELLS ||
            cloth_task_pass(t->task) != CLOTH_CELL_PASS || t->part != parts[k])
            return false;
    }
    return true;
}

/* Returns the first task of the sweeps over cells that bands may do, or the number of tasks. */
static uint32_t first_cell_sweep(const hed_cloth *cloth, const cloth_cooperative *c)
{
    uint32_t i = 0;
    if (!c->grid || !has_packets(cloth)) return c->count;
    while (i < c->count && !is_cell_sweep(c, i)) i++;
    return i;
}

/* Rows in pairs for each of `groups`. */
static uint32_t pairs_of(const cloth_cooperative *c, uint32_t groups)
{
    return (c->grid->grid_height + 2 * groups - 1) / (2 * groups);
}

/* Makes sweeps over the cells tasks of bands, if the rows of a group and the rows around them fit
 * in local memory. */
static void merge_cells(const hed_cloth *cloth, cloth_cooperative *c)
{
    uint32_t first = first_cell_sweep(cloth, c), end = first, to = first, sweeps = 0;
    if (first == c->count || !sweeps_bands(cloth, c)) return;
    uint32_t width = c->grid->grid_width, rows = 2 * pairs_of(c, c->groups - 1);
    if ((uint64_t)(rows + 4 * CLOTH_BAND_SWEEPS) * width > CLOTH_COOPERATIVE_ROOM * c->group)
        return;
    const gathered_task *of = c->list + first;
    c->launch.bands = (cloth_cell_bands){.even_first = of[0].task.y,
        .even_each = of[0].unit,
        .even_second = of[1].task.y,
        .even_second_each = of[1].unit,
        .odd_first = of[2].task.y,
        .odd_each = of[2].unit,
        .odd_second = of[3].task.y,
        .odd_second_each = of[3].unit,
        .width = width,
        .height = c->grid->grid_height,
        .total = of[0].task.w};
    for (; is_cell_sweep(c, end); end += CELL_TASKS) sweeps++;
    for (uint32_t count; sweeps; sweeps -= count) {
        count = sweeps < CLOTH_BAND_SWEEPS ? sweeps : CLOTH_BAND_SWEEPS;
        c->list[to++] = (gathered_task){
            .task = {cloth_task_word(CLOTH_DO_BANDS, 0, 0, 0), count, c->grid->particle_count, 0},
            .part = ROWS,
            .unit = 2 * width};
    }
    memmove(c->list + to, c->list + end, (c->count - end) * sizeof *c->list);
    c->count -= end - to;
}

/* Rank of a task from the first line that bends to the tension along the weft; 0: another task. */
static uint32_t rank_of(const gathered_task *t)
{
    static const uint32_t ranks[] = {[ROWS] = 1, [ODD_ROWS] = 2, [COLUMNS] = COLUMN_RANK};
    uint32_t kind = cloth_task_kind(t->task);
    if (t->part == ANYWHERE || t->part == LATTICES) return 0;
    if (kind == CLOTH_DO_BANDS) return 3;
    if (kind == CLOTH_DO_CHAINS) return t->part == ROWS ? 4 : COLUMN_RANK;
    return kind == CLOTH_DO_LINES || kind == CLOTH_DO_CELLS ? ranks[t->part] : 0;
}

/* Sorts lines that bend, cells and tension so that groups keep their rows: no order among them is
 * better than another. */
static void sort_tasks(cloth_cooperative *c)
{
    uint32_t last_of_cells = 0;
    for (uint32_t i = 0, start = 0; i < c->count; i++) {
        gathered_task task = c->list[i];
        uint32_t rank = rank_of(&task), at = i;
        if (cloth_task_kind(task.task) == CLOTH_DO_CELLS) {
            if (rank <
                last_of_cells) /* the next sweep over the cells; lines along columns wait for the last */
                for (start = i; start > 0 && rank_of(c->list + start - 1) == COLUMN_RANK;) start--;
            last_of_cells = rank;
        }
        for (; rank && at > start && rank_of(c->list + at - 1) > rank; at--)
            c->list[at] = c->list[at - 1];
        c->list[at] = task;
        if (!rank || (rank == COLUMN_RANK && cloth_task_kind(task.task) == CLOTH_DO_CHAINS))
            start = i + 1;
    }
}

/* ---- lattices beside lines and cells ---- */

static bool is_kind(const cloth_cooperative *c, uint32_t i, uint32_t kind, uint32_t of_places)
{
    return i < c->count && cloth_task_kind(c->list[i].task) == kind &&
           (c->list[i].task.x & CLOTH_DO_OF_PLACES) == of_places;
}

/* Moves a task towards the end of the list. */
static void move_task(cloth_cooperative *c, uint32_t from, uint32_t to)
{
    gathered_task task = c->list[from];
    memmove(c->list + from, c->list + from + 1, (to - from) * sizeof task);
    c->list[to] = task;
}

/* Gives lattices to the first group, and to all others at the same time the lines that bend and the
 * cells: particles follow the lattices right before the tension along lines. So a substep takes the
 * longer of the two and not their sum. With several lattices the finest one comes after the first
 * meeting of the other groups. */
static void overlap_lattices(cloth_cooperative *c)
{
    const uint32_t sample = 1;
    uint32_t follow = sample + 1, sweeps = 0, end, meeting;
    if (!c->grid || c->groups < 2 || !is_kind(c, sample, CLOTH_DO_PLACES, 0)) return;
    for (; c->list[follow].part == LATTICES && c->list[follow].unit == 1; follow++)
        sweeps += is_sweeps(c->list + follow);
    for (end = follow + 1; end < c->count && !is_kind(c, end, CLOTH_DO_CHAINS, 0);) end++;
    if (!sweeps || c->list[follow].part != ROWS || end == c->count || end == follow + 1) return;
    if (is_kind(c, follow, CLOTH_DO_SHARES, 0)) move_task(c, follow, end - 1);
    gathered_task *places = c->list + sample;
    places->part = c->list[0].part;
    places->unit = c->list[0].unit;
    places->task.w = places->task.z;
    places->task.z = c->grid->particle_count;
    for (uint32_t i = sample + 1; i < end; i++)
        c->list[i].side = i < follow ? FIRST_GROUP : i + 1 < end ? OTHER_GROUPS : TOGETHER;
    c->spares_first = pairs_of(c, c->groups - 1) == pairs_of(c, c->groups);
    for (meeting = follow; c->list[meeting].part == c->list[meeting + 1].part;) meeting++;
    if (sweeps > 1)
        for (uint32_t k = 0; k < 2; k++) move_task(c, follow - 2, meeting);
}

/* Gives lattices to the first group, and to all others at the same time the first task of patches
 * of elements, which reads the particles that the lattices have sampled and writes others. */
static void overlap_patches(cloth_cooperative *c)
{
    const uint32_t patches = 1, sample = 2;
    uint32_t end = sample + 1;
    if (c->groups < 2 || !is_kind(c, patches, CLOTH_DO_PATCHES, 0) ||
        !is_kind(c, sample, CLOTH_DO_PLACES, 0))
        return;
    while (end < c->count && c->list[end].part == LATTICES && c->list[end].unit == 1)
        c->list[end++].side = FIRST_GROUP;
    if (end == sample + 1) return;
    c->list[patches].side = OTHER_GROUPS;
    move_task(c, patches, end - 1);
}

/* True if task `i` solves the chains of all rows or columns of the grid, each by more items than it
 * has edges, but by more than a warp. */
static bool solves_lines(const cloth_cooperative *c, uint32_t i)
{
    const uint4 task = c->list[i].task;
    uint32_t bits = cloth_task_bits(task);
    return is_kind(c, i, CLOTH_DO_CHAINS, 0) && c->list[i].part != ANYWHERE && bits > WARP_BITS &&
           cloth_task_longest(task) < 1u << bits;
}

/* True if task `i` bends all columns of the grid, each as one line. */
static bool bends_columns(const cloth_cooperative *c, uint32_t i)
{
    if (!is_kind(c, i, CLOTH_DO_LINES, 0) || c->list[i].part != COLUMNS) return false;
    const uint4 task = c->list[i].task;
    for (uint32_t k = 0; k < task.z; k++)
        if (c->lengths.lines[task.y + k] + 2 != c->grid->grid_height) return false;
    return task.z == c->grid->grid_width;
}

/* True if the groups that solve the columns in task `i` may do the contacts of the task after
 * it, on points in local memory, and send the points: groups have met since the integration,
 * whose old positions contacts read, there is no driver, a group solves all of its columns at
 * once, and chains of rows or the next integration follow. */
static bool touches(const hed_cloth *cloth, const cloth_cooperative *c, uint32_t i)
{
    const gathered_task *t = c->list + i, *drive = t + 1;
    uint32_t width = c->grid->grid_width, columns = (width + c->groups - 1) / c->groups;
    bool has_met = false, has_driver = cloth->has_driver && !(drive->task.w & CLOTH_STEP_DRIVER);
    for (uint32_t k = 0; k < i; k++) has_met |= c->list[k].side == OTHER_GROUPS;
    if (!has_met || has_driver || t->part != COLUMNS || !solves_lines(c, i) ||
        !is_kind(c, i + 1, CLOTH_DO_DRIVE, 0) || drive->part != ROWS ||
        columns << cloth_task_bits(t->task) > c->group)
        return false;
    return i + 2 == c->count ? is_kind(c, 0, CLOTH_DO_INTEGRATE, 0)
                             : solves_lines(c, i + 2) && c->list[i + 2].part == ROWS;
}

/* Gives contacts to the groups that have the columns. */
static void touch_columns(const hed_cloth *cloth, cloth_cooperative *c)
{
    for (uint32_t i = 0; sends_packets(cloth, c) && i + 1 < c->count; i++) {
        gathered_task *t = c->list + i, *drive = t + 1;
        if (!touches(cloth, c, i)) continue;
        t->task.w |= CLOTH_DO_HOLD;
        drive->part = COLUMNS;
        drive->unit = 1;
        drive->task.y = c->grid->grid_height;
        drive->task.z = c->grid->grid_width;
        drive->task.w |= cloth_task_shape(cloth_task_bits(t->task), 0);
    }
}

/* True if task `i` may send its points: chains, or contacts of columns. */
static bool may_send(const cloth_cooperative *c, uint32_t i)
{
    return solves_lines(c, i) || (is_kind(c, i, CLOTH_DO_DRIVE, 0) && c->list[i].part == COLUMNS);
}

/* Lets chains along one direction, and contacts of columns, send their points to lines or
 * chains along the other direction, to contacts or to the next integration, instead of a
 * meeting of all groups. A point has two packets, which tasks fill by turns: a group that
 * fills one again has taken points that all of its readers sent afterwards. */
static void send_points(const hed_cloth *cloth, cloth_cooperative *c)
{
    if (!sends_packets(cloth, c)) return;
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t k = (i + 1) % c->count;
        gathered_task *t = c->list + i, *next = c->list + k;
        bool takes =
            k ? solves_lines(c, k) || bends_columns(c, k) || is_kind(c, k, CLOTH_DO_DRIVE, 0)
              : !solves_lines(c, i);
        if (!may_send(c, i) || !takes || t->part == next->part) continue;
        t->task.w |= CLOTH_DO_SEND;
        next->task.w |= CLOTH_DO_TAKE;
    }
}

/* True if groups with rows nearby can meet after task `i` instead of all groups: both tasks are on
 * rows, and not of the group that has the lattices. */
static bool meets_near_after(const hed_cloth *cloth, const cloth_cooperative *c, uint32_t i)
{
    const gathered_task *t = c->list + i, *next = t + 1, *end = c->list + c->count;
    while (next < end && next->side == FIRST_GROUP) next++;
    return sends_packets(cloth, c) && next < end && t->side == OTHER_GROUPS &&
           next->side == OTHER_GROUPS && (t->part == ROWS || t->part == ODD_ROWS) &&
           (next->part == ROWS || next->part == ODD_ROWS);
}

/* True if the first group alone waits after task `i`, in which the others sample places of
 * lattices: their next task is on the same rows. */
static bool is_for_first(const hed_cloth *cloth, const cloth_cooperative *c, uint32_t i)
{
    const gathered_task *t = c->list + i, *next = t + 1, *end = c->list + c->count;
    if (!c->spares_first || c->groups > c->group || !sends_packets(cloth, c) ||
        !is_kind(c, i, CLOTH_DO_PLACES, 0) || t->part != ROWS || next == end ||
        next->side != FIRST_GROUP)
        return false;
    while (next < end && next->side == FIRST_GROUP) next++;
    return next < end && next->side == OTHER_GROUPS && next->part == ROWS &&
           cloth_task_kind(next->task) == CLOTH_DO_LINES;
}

/* True if groups meet after task `i`. */
static bool meets_after(const hed_cloth *cloth, const cloth_cooperative *c, uint32_t i)
{
    const gathered_task *t = c->list + i, *next = c->list + (i + 1) % c->count;
    bool sends = may_send(c, i) && (t->task.w & CLOTH_DO_SEND);
    if (t->side == FIRST_GROUP || c->groups == 1 || sends || is_for_first(cloth, c, i))
        return false;
    while (t->side == OTHER_GROUPS && next->side == FIRST_GROUP) next++;
    /* a task that moves particles by several lattices: other groups sample them for the next
     * ones */
    bool follows = cloth_task_kind(t->task) == CLOTH_DO_SHARES && !(t->task.x & CLOTH_DO_OF_PLACES),
         moves_at_pins =
             t->part == LATTICES && t->unit > 1 && (follows || (t->task.w & CLOTH_DO_AT_PARTICLES));
    return cloth_task_kind(next->task) == CLOTH_DO_BANDS || t->side != next->side ||
           t->part != next->part || t->part == ANYWHERE || moves_at_pins ||
           (t->part == LATTICES && t->unit != next->unit);
}

/* Lists the tasks of the first group, then the tasks of all other groups. The first group passes
 * other groups' tasks only where all groups meet after them. */
static void list_tasks(cloth_cooperative *c, uint4 *tasks)
{
    cloth_task_list *first = &c->launch.first_group, *others = &c->launch.other_groups;
    uint4 *all = tasks + c->count;
    *first = *others = (cloth_task_list){0};
    c->sends = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t sends = cloth_task_sends(tasks[i]);
        c->sends += sends;
        if (c->list[i].side != FIRST_GROUP) all[others->tasks++] = tasks[i];
        if (c->list[i].side != OTHER_GROUPS || (tasks[i].x & CLOTH_DO_MEET))
            tasks[first->tasks++] = tasks[i];
        else first->skipped += sends;
    }
    others->at = c->count;
}

hed_status cloth_cooperative_divide(
    const hed_cloth *cloth, cloth_cooperative *c, uint4 *tasks, hed_error *error)
{
    uint32_t width = c->grid ? c->grid->grid_width : 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const gathered_task *t = c->list + i;
        bool on_rows = t->part == ROWS || t->part == ODD_ROWS,
             skips_first = t->side == OTHER_GROUPS || (c->spares_first && on_rows);
        uint32_t groups = c->groups - skips_first, share = (t->task.z + groups - 1) / groups;
        if (on_rows) share = pairs_of(c, groups) * t->unit;
        if (t->part == COLUMNS) share = (width + groups - 1) / groups;
        if (t->part == LATTICES) share = t->task.z / t->unit;
        if (share >> (32 - CLOTH_DO_SHARE))
            return hed_fail(error, HED_ERROR_LIMIT, "a group has %" PRIu32 " elements", share);
        bool meets = meets_after(cloth, c, i), is_near = meets && meets_near_after(cloth, c, i);
        tasks[i] = t->task;
        if (is_sweeps(t)) share = 0; /* half sweeps instead */
        tasks[i].x |= share << CLOTH_DO_SHARE | (meets && !is_near ? CLOTH_DO_MEET : 0) |
                      (skips_first ? CLOTH_DO_BESIDE : 0) |
                      cloth_task_word(0, is_for_first(cloth, c, i), 0, 0);
        if (is_near) tasks[i].w |= CLOTH_DO_NEAR;
        if ((skips_first && c->grid) || cloth_task_kind(t->task) == CLOTH_DO_BANDS) {
            uint32_t pairs = pairs_of(c, groups), row_pairs = (c->grid->grid_height + 1) / 2;
            c->launch.bands.groups = c->groups;
            c->launch.bands.first_group = skips_first;
            c->launch.bands.end_group = skips_first + (row_pairs + pairs - 1) / pairs;
        }
    }
    list_tasks(c, tasks);
    return HED_OK;
}

/* ---- all together ---- */

void cloth_cooperative_merge(const hed_cloth *cloth, cloth_cooperative *c)
{
    merge_half_sweeps(cloth, c);
    if (first_cell_sweep(cloth, c) < c->count) c->kinds |= 1u << CLOTH_DO_BANDS;
    if (c->grid && has_packets(cloth)) c->kinds |= 1u << CLOTH_DO_NEARBY;
}

/* Strict mode keeps the order of HED_CLOTH_SOLVER_COLOURS, in which particles of a grid follow
 * lattices right before the tension along lines: cloth_is_sheet(). */
void cloth_cooperative_order(const hed_cloth *cloth, cloth_cooperative *c)
{
    c->spares_first = false;
    merge_cells(cloth, c);
    if (!is_strict(cloth)) sort_tasks(c);
    overlap_lattices(c);
    if (!is_strict(cloth)) overlap_patches(c);
    touch_columns(cloth, c);
    send_points(cloth, c);
}
