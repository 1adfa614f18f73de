/* Tasks of the cooperative kernel: gathered from the launches of the solver of colours. */
#include "solver/cooperative.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_TASKS = 1024,
    GROUP = 512,
    GROUP_OF_PROCESSOR = 128,
    SHORTEST_BITS = 3,
    FEW = 4,
    WARP_BITS = 5,
    WIDE_BITS = 2,   /* bits of the edges of a lane in wide sweeps */
    COLUMN_RANK = 5, /* rank of tasks along columns: rank_of() */
    CELL_TASKS = 4   /* tasks of a sweep over the cells of a grid */
};

/* Part of the cloth in which a group works alone: rows of a grid in pairs, from an even or an odd
 * row on; columns; a lattice, number g by group g. */
typedef enum task_part { ANYWHERE, ROWS, ODD_ROWS, COLUMNS, LATTICES } task_part;

/* Groups of a task: all, or the first one and at the same time all others (overlap_lattices()). */
typedef enum task_side { TOGETHER, FIRST_GROUP, OTHER_GROUPS } task_side;

/* `unit`: elements of two rows or of a column; number of lattices. */
typedef struct gathered_task {
    uint4 task;
    task_part part;
    uint32_t unit;
    task_side side;
} gathered_task;

struct cloth_cooperative {
    cloth_lengths lengths;
    const cloth_garment *grid; /* NULL: the cloth is not one grid */
    gathered_task *list;       /* (MOST_TASKS) */
    uint32_t count;
    uint32_t lines_of_tension; /* tasks: along the warp and the weft by turns */
    uint64_t items;            /* items of the largest task */
    uint32_t kinds, compiled_kinds;
    uint32_t most_lattices; /* maximum for groups at once */
    uint32_t group, groups; /* items of a group; groups of a launch */
    hed_buffer *tasks, *state, *packets;
    uint32_t sends; /* tasks of a substep that send packets */
    hed_kernel *kernel;
    const hed_kernel_def *compiled_def;
    cloth_cooperative_launch launch;
};

/* Edges of the longest chain of a lattice. */
static uint32_t longest_of_lattices(const hed_cloth *cloth)
{
    uint32_t longest = 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        for (uint32_t k = 0; k < garment->lattice_count; k++) {
            const cloth_chains *of = &garment->lattices[k].chains;
            for (uint32_t i = 0; i < of->at[2]; i++)
                if (of->chains[i].count > longest) longest = of->chains[i].count;
        }
    }
    return longest;
}

uint32_t cloth_longest_line(const hed_cloth *cloth, bool chains)
{
    uint32_t longest = chains ? longest_of_lattices(cloth) : 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        for (uint32_t i = 0; !chains && i < garment->line_at[CLOTH_LINE_SETS]; i++)
            if (garment->lines[i].count > longest) longest = garment->lines[i].count;
        for (uint32_t i = 0; chains && i < garment->tension.at[2]; i++)
            if (garment->tension.chains[i].count > longest)
                longest = garment->tension.chains[i].count;
    }
    return longest;
}

static uint32_t cooperative_larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

static bool is_strict(const hed_cloth *cloth) { return cloth->def.math == HED_MATH_STRICT; }

static bool has_grid_barrier(const hed_cloth *cloth)
{
    const uint64_t needs = cloth_cooperative_def.needs;
    return (hed_device_describe(cloth->device).capabilities & needs) == needs;
}

bool cloth_lattices_fit(const hed_cloth *cloth, const cloth_lattices *lattices, uint32_t stages)
{
    const hed_device_info info = hed_device_describe(cloth->device);
    for (uint32_t k = 0; k < stages; k++)
        if (lattices[k].place_count > (uint64_t)info.compute_units * GROUP) return false;
    return !is_strict(cloth) && has_grid_barrier(cloth) && longest_of_lattices(cloth) <= GROUP &&
           GROUP <= info.max_group &&
           CLOTH_COOPERATIVE_ROOM * GROUP * sizeof(float4) <= info.local_bytes;
}

/* Items of a group: as many as the longest chain has edges, or half of the longest line rows. */
static uint32_t cooperative_group(const hed_cloth *cloth)
{
    uint32_t longest = cloth_longest_line(cloth, true), lines = cloth_longest_line(cloth, false);
    uint32_t group = has_grid_barrier(cloth) ? GROUP : GROUP_OF_PROCESSOR;
    if (longest < (lines + 1) / 2) longest = (lines + 1) / 2;
    while (group < longest) group *= 2;
    return group;
}

bool cloth_cooperative_valid(const hed_cloth *cloth, char *reason, size_t size)
{
    const hed_device_info info = hed_device_describe(cloth->device);
    const char *reason_text = NULL;
    uint32_t group = cooperative_group(cloth);
    if (strcmp(info.backend, "host") == 0)
        reason_text = is_strict(cloth) ? "host has no kernels: use \"colours\""
                                       : "host has no kernels: use \"cpu\"";
    else if (info.type == HED_DEVICE_CPU && !is_strict(cloth))
        reason_text = "a processor has no resident groups";
    else if (cloth->def.iterations > 1) reason_text = "several iterations need multipliers";
    else if (cloth->has_field) reason_text = "the wind has fans or a grid";
    else if (cloth->has_tethers) reason_text = "the cloth has tethers";
    else if (group > info.max_group || group > GROUP)
        reason_text = "a line has more edges than a group items";
    else if (cooperative_larger(CLOTH_COOPERATIVE_ROOM * group, CLOTH_PATCH_ROOM) * sizeof(float4) >
             info.local_bytes)
        reason_text = "a group has too little local memory";
    snprintf(reason, size, "%s", reason_text ? reason_text : "");
    return !reason_text;
}

hed_status cloth_cooperative_create(
    hed_cloth *cloth, cloth_lengths lengths, cloth_cooperative **cooperative, hed_error *error)
{
    cloth_cooperative *c = hed_new(&cloth->allocator, 1, sizeof *c, error);
    *cooperative = c;
    if (!c) return HED_ERROR_MEMORY;
    c->lengths = lengths;
    c->group = lengths.line_at ? cooperative_group(cloth) : GROUP;
    const hed_device_info info = hed_device_describe(cloth->device);
    bool are_many = has_grid_barrier(cloth) && info.compute_units >= CLOTH_CLUSTER;
    c->most_lattices = are_many ? CLOTH_CLUSTER : 1;
    if (lengths.line_at && cloth_copies(cloth) == 1 && cloth_is_grid(cloth->garments[0]))
        c->grid = cloth->garments[0];
    c->list = hed_new(&cloth->allocator, MOST_TASKS, sizeof *c->list, error);
    return cloth_upload(cloth, NULL, 2 * sizeof(uint32_t), &c->state, error);
}

void cloth_cooperative_destroy(hed_cloth *cloth, cloth_cooperative *c)
{
    if (!c) return;
    hed_kernel_destroy(c->kernel);
    hed_buffer_destroy(c->tasks);
    hed_buffer_destroy(c->state);
    hed_buffer_destroy(c->packets);
    hed_delete(&cloth->allocator, c->list, MOST_TASKS, sizeof *c->list);
    hed_delete(&cloth->allocator, c, 1, sizeof *c);
}

uint64_t cloth_cooperative_bytes(const cloth_cooperative *c)
{
    uint64_t bytes = c && c->tasks ? hed_buffer_describe(c->tasks).size : 0;
    return c && c->packets ? bytes + hed_buffer_describe(c->packets).size : bytes;
}

uint32_t cloth_cooperative_groups(const cloth_cooperative *c) { return c->groups; }

/* ---- gathering ---- */

void cloth_cooperative_begin(hed_cloth *cloth, cloth_cooperative *c)
{
    c->count = c->kinds = c->lines_of_tension = 0;
    c->items = 0;
    cloth->host->gathering = c;
}

/* Returns the cells of a strip if those in [first, first + count) are of every other strip, from
 * the first or second one on, as many in each; else 0. */
static uint32_t cells_of_strip(const cloth_garment *grid, uint32_t first, uint32_t count)
{
    const cloth_diagonals *cells = grid->cells + first;
    uint32_t width = grid->grid_width, from = cells->particle[0] / width, each = 0;
    while (each < count && cells[each].particle[0] / width == from) each++;
    for (uint32_t k = 0; k < count; k++)
        if (from > 1 || cells[k].particle[0] / width != from + 2 * (k / each)) return 0;
    return each;
}

/* Finds the part of a task on a grid. */
static void find_part(cloth_cooperative *c, uint32_t kind, gathered_task *t)
{
    uint32_t width = c->grid->grid_width, particles = c->grid->particle_count;
    bool of_places = t->task.x & CLOTH_DO_OF_PLACES;
    if (kind == CLOTH_DO_INTEGRATE || kind == CLOTH_DO_DRIVE ||
        (kind == CLOTH_DO_SHARES && !of_places && t->task.z == particles)) {
        t->part = ROWS;
        t->unit = 2 * width;
    } else if (kind == CLOTH_DO_LINES) {
        static const task_part parts[CLOTH_LINE_SETS] = {ROWS, COLUMNS, ROWS, ODD_ROWS};
        uint32_t set = 0;
        while (c->lengths.line_at[set + 1] <= t->task.y) set++;
        t->part = parts[set];
        t->unit = set == CLOTH_LINES_WARP ? 2 : 1;
    } else if (kind == CLOTH_DO_CHAINS && !of_places) {
        bool weft = c->lines_of_tension++ % 2;
        t->part = weft ? COLUMNS : ROWS;
        t->unit = weft ? 1 : 2;
    } else if (kind == CLOTH_DO_CELLS) {
        t->unit = cells_of_strip(c->grid, t->task.y, t->task.z);
        bool odd = c->grid->cells[t->task.y].particle[0] >= width;
        if (t->unit) t->part = odd ? ODD_ROWS : ROWS;
    }
}

/* Gives each of `lattices` to a group. */
static void take_lattices(cloth_cooperative *c, gathered_task *t, uint32_t lattices)
{
    uint64_t items = (uint64_t)lattices * c->group;
    t->part = LATTICES;
    t->unit = lattices;
    if (c->items < items) c->items = items;
}

/* Finds the lattices of a task on places; groups take small ones. */
static void find_lattices(cloth_cooperative *c, uint32_t kind, gathered_task *t)
{
    uint32_t first = t->task.y, count = t->task.z, lattices = 1;
    for (uint32_t k = 0; k < c->lengths.stages; k++) {
        const cloth_lattices *of = c->lengths.lattices + k;
        bool is_all = kind == CLOTH_DO_PLACES ? of->places == first && of->place_count == count
                                              : of->shares == first && of->share_count == count;
        if (is_all) lattices = of->count;
    }
    if (lattices > c->most_lattices) lattices = 1;
    if (count / lattices <= FEW * c->group) take_lattices(c, t, lattices);
}

static hed_status add_task(
    cloth_cooperative *c, uint32_t kind, uint4 task, uint64_t items, hed_error *error)
{
    gathered_task t = {.task = task};
    if (c->count >= MOST_TASKS)
        return hed_fail(error, HED_ERROR_LIMIT,
            "a substep has more than %d tasks: use the solver \"colours\"", MOST_TASKS);
    if (c->grid) find_part(c, kind, &t);
    if (!t.part && (kind == CLOTH_DO_PLACES || kind == CLOTH_DO_SHARES)) find_lattices(c, kind, &t);
    c->list[c->count++] = t;
    c->kinds |= 1u << kind;
    if (items > c->items) c->items = items;
    return HED_OK;
}

/* Shape of the lines or chains [first, first + count), `rows` rows for each item. */
static uint32_t shape_of(const uint32_t *lengths, uint32_t first, uint64_t count, uint32_t rows)
{
    uint32_t longest = 1, bits = SHORTEST_BITS;
    for (uint64_t k = 0; lengths && k < count; k++)
        if (lengths[first + k] > longest) longest = lengths[first + k];
    while (rows << bits < longest) bits++;
    return cloth_task_shape(bits, longest);
}

hed_status cloth_gather(hed_cloth *cloth, cloth_kernel kernel, uint64_t size,
    const hed_argument *arguments, hed_error *error)
{
    cloth_cooperative *c = cloth->host->gathering;
    uint32_t kind = 0, first = 0, argument = 0, pass = 0, flags = 0, turns = 0;
    uint64_t items = size;
#define OF(view, row) arguments[HED_ROW(view, row)].value
    switch (kernel) {
    case CLOTH_KERNEL_INTEGRATE: kind = CLOTH_DO_INTEGRATE; break;
    case CLOTH_KERNEL_DISTANCE:
        kind = CLOTH_DO_DISTANCE;
        first = OF(cloth_distance_view, first).u32;
        break;
    case CLOTH_KERNEL_LINES:
        kind = CLOTH_DO_LINES;
        first = OF(cloth_lines_view, first).u32;
        argument = shape_of(c->lengths.lines, first, size, 2);
        items <<= argument >> 16;
        break;
    case CLOTH_KERNEL_ELEMENTS:
        kind = CLOTH_DO_ELEMENTS;
        first = OF(cloth_elements_view, first).u32;
        argument = OF(cloth_elements_view, total).u32;
        break;
    case CLOTH_KERNEL_ELEMENT_PATCHES:
        kind = CLOTH_DO_PATCHES;
        pass = OF(cloth_element_patches_view, second).u32;
        memcpy(
            &c->launch.patched, OF(cloth_element_patches_view, at).bytes, sizeof c->launch.patched);
        items *= c->group;
        break;
    case CLOTH_KERNEL_CELLS:
        kind = CLOTH_DO_CELLS;
        first = OF(cloth_cells_view, first).u32;
        pass = OF(cloth_cells_view, pass).u32;
        argument = OF(cloth_cells_view, total).u32;
        break;
    case CLOTH_KERNEL_CHAINS:
        kind = CLOTH_DO_CHAINS;
        first = OF(cloth_chains_view, first).u32;
        pass = OF(cloth_chains_view, pass).u32;
        if (OF(cloth_chains_view, points).buffer != cloth->buffers.position)
            flags |= CLOTH_DO_OF_PLACES;
        turns = OF(cloth_chains_view, turns).u32;
        argument = shape_of(c->lengths.chains, first, size, 1);
        items <<= argument >> 16;
        break;
    case CLOTH_KERNEL_PLACES:
        kind = CLOTH_DO_PLACES;
        first = OF(cloth_places_view, first).u32;
        turns = OF(cloth_places_view, turns).u32;
        break;
    case CLOTH_KERNEL_SHARES:
        kind = CLOTH_DO_SHARES;
        first = OF(cloth_shares_view, first).u32;
        if (OF(cloth_shares_view, points).buffer == OF(cloth_shares_view, places).buffer)
            flags |= CLOTH_DO_OF_PLACES;
        else pass = OF(cloth_shares_view, points).buffer != cloth->buffers.position;
        break;
    case CLOTH_KERNEL_DRIVE:
        kind = CLOTH_DO_DRIVE;
        argument = OF(cloth_drive_view, skipped).u32;
        break;
    default: break;
    }
#undef OF
    if (turns) {
        flags |= CLOTH_DO_TURNS;
        c->launch.turns = turns;
    }
    uint4 task = {cloth_task_word(kind, pass, flags, 0), first, (uint32_t)size, argument};
    return add_task(c, kind, task, items, error);
}

/* ---- order and shares ---- */

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
 * chains are each in a warp; in strict mode its places, and the rows of strict_chain_solve(). */
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

/* Makes half sweeps over the places of lattices, by turns, one task. Where the places are particles, it
 * samples and moves the particles, too. */
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
        take_lattices(c, t, of.count);
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

/* True if groups send packets on a grid. A cluster's groups meet as soon as a packet arrives. */
static bool sends_packets(const hed_cloth *cloth, const cloth_cooperative *c)
{
    return c->grid && c->groups > 1 && !is_strict(cloth) && has_packets(cloth) &&
           c->compiled_def == &cloth_cooperative_def && !(c->kinds >> CLOTH_DO_PATCHES & 1);
}

/* True if the tasks from `i` on are one of several sweeps over the cells of a grid: two colours of even
 * strips, then of odd ones. */
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
    if (!c->grid || is_strict(cloth) || !has_packets(cloth)) return c->count;
    while (i < c->count && !is_cell_sweep(c, i)) i++;
    return i;
}

/* Rows in pairs for each of `groups`. */
static uint32_t pairs_of(const cloth_cooperative *c, uint32_t groups)
{
    return (c->grid->grid_height + 2 * groups - 1) / (2 * groups);
}

/* Makes sweeps over the cells tasks of bands, if the rows of a group and the rows around them fit in
 * local memory. */
static void merge_cells(const hed_cloth *cloth, cloth_cooperative *c)
{
    uint32_t first = first_cell_sweep(cloth, c), end = first, to = first, sweeps = 0;
    if (first == c->count || !sends_packets(cloth, c)) return;
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
    gathered_task *places = c->list + sample;
    places->part = c->list[0].part;
    places->unit = c->list[0].unit;
    places->task.w = places->task.z;
    places->task.z = c->grid->particle_count;
    for (uint32_t i = sample + 1; i < end; i++)
        c->list[i].side = i < follow ? FIRST_GROUP : i > follow ? OTHER_GROUPS : TOGETHER;
    move_task(c, follow, end - 1);
    for (meeting = follow; c->list[meeting].part == c->list[meeting + 1].part;) meeting++;
    if (sweeps > 1)
        for (uint32_t k = 0; k < 2; k++) move_task(c, follow - 2, meeting);
}

/* Gives lattices to the first group, and to all others at the same time the first task of patches of
 * elements, which reads the particles that the lattices have sampled and writes others. */
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

/* True if task `i` solves the chains of all rows or columns of the grid, each by more items than it has
 * edges, but by more than a warp. */
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

/* Lets chains along one direction send their points to lines or chains along the other one, or to contacts,
 * instead of a meeting of all groups. A point has two packets, which tasks fill by turns: a group that
 * fills one again has taken points that all of its readers sent afterwards. */
static void send_points(const hed_cloth *cloth, cloth_cooperative *c)
{
    c->sends = 0;
    if (!sends_packets(cloth, c)) return;
    for (uint32_t i = 0; i < c->count; i++) c->sends += is_kind(c, i, CLOTH_DO_BANDS, 0);
    for (uint32_t i = 0; i + 1 < c->count; i++) {
        gathered_task *t = c->list + i, *next = t + 1;
        bool takes = solves_lines(c, i + 1) || bends_columns(c, i + 1) ||
                     is_kind(c, i + 1, CLOTH_DO_DRIVE, 0);
        if (!solves_lines(c, i) || !takes || t->part == next->part) continue;
        t->task.w |= CLOTH_DO_SEND;
        next->task.w |= CLOTH_DO_TAKE;
        c->sends++;
    }
}

/* True if groups with rows nearby can meet after task `i` instead of all groups: both tasks are on rows, and not
 * of the group that has the lattices. */
static bool meets_near_after(const hed_cloth *cloth, const cloth_cooperative *c, uint32_t i)
{
    const gathered_task *t = c->list + i, *next = t + 1, *end = c->list + c->count;
    while (next < end && next->side == FIRST_GROUP) next++;
    return sends_packets(cloth, c) && next < end && t->side == OTHER_GROUPS &&
           next->side == OTHER_GROUPS && (t->part == ROWS || t->part == ODD_ROWS) &&
           (next->part == ROWS || next->part == ODD_ROWS);
}

/* True if groups meet after task `i`. */
static bool meets_after(const cloth_cooperative *c, uint32_t i)
{
    const gathered_task *t = c->list + i, *next = c->list + (i + 1) % c->count;
    bool sends = cloth_task_kind(t->task) == CLOTH_DO_CHAINS && (t->task.w & CLOTH_DO_SEND);
    if (t->side == FIRST_GROUP || c->groups == 1 || sends) return false;
    while (t->side == OTHER_GROUPS && next->side == FIRST_GROUP) next++;
    /* a task that moves particles by several lattices: other groups sample them for the next ones */
    bool follows = cloth_task_kind(t->task) == CLOTH_DO_SHARES && !(t->task.x & CLOTH_DO_OF_PLACES),
         moves_at_pins =
             t->part == LATTICES && t->unit > 1 && (follows || (t->task.w & CLOTH_DO_AT_PARTICLES));
    return cloth_task_kind(next->task) == CLOTH_DO_BANDS || t->side != next->side ||
           t->part != next->part || t->part == ANYWHERE || moves_at_pins ||
           (t->part == LATTICES && t->unit != next->unit);
}

/* Divides each task among the groups, which meet between tasks on different parts. */
static hed_status divide_tasks(
    const hed_cloth *cloth, cloth_cooperative *c, uint4 *tasks, hed_error *error)
{
    uint32_t width = c->grid ? c->grid->grid_width : 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const gathered_task *t = c->list + i;
        bool skips_first = t->side == OTHER_GROUPS;
        uint32_t groups = c->groups - skips_first, share = (t->task.z + groups - 1) / groups;
        if (t->part == ROWS || t->part == ODD_ROWS) share = pairs_of(c, groups) * t->unit;
        if (t->part == COLUMNS) share = (width + groups - 1) / groups;
        if (t->part == LATTICES) share = t->task.z / t->unit;
        if (share >> (32 - CLOTH_DO_SHARE))
            return hed_fail(error, HED_ERROR_LIMIT, "a group has %" PRIu32 " elements", share);
        bool meets = meets_after(c, i), is_near = meets && meets_near_after(cloth, c, i);
        tasks[i] = t->task;
        if (is_sweeps(t)) share = 0; /* half sweeps instead */
        tasks[i].x |= share << CLOTH_DO_SHARE | (meets && !is_near ? CLOTH_DO_MEET : 0) |
                      (skips_first ? CLOTH_DO_BESIDE : 0);
        if (is_near) tasks[i].w |= CLOTH_DO_NEAR;
        c->sends += is_near;
        if ((skips_first && c->grid) || cloth_task_kind(t->task) == CLOTH_DO_BANDS) {
            uint32_t pairs = pairs_of(c, groups), row_pairs = (c->grid->grid_height + 1) / 2;
            c->launch.bands.groups = c->groups;
            c->launch.bands.first_group = skips_first;
            c->launch.bands.end_group = skips_first + (row_pairs + pairs - 1) / pairs;
        }
    }
    return HED_OK;
}

/* ---- the kernel ---- */

/* Compiles the kernel for the kinds of tasks of the list and of earlier ones. Groups of one cluster
 * meet sooner than resident ones. */
static hed_status make_kernel(hed_cloth *cloth, cloth_cooperative *c, hed_error *error)
{
    uint64_t groups = (c->items + c->group - 1) / c->group;
    bool has_clusters = hed_device_describe(cloth->device).capabilities & HED_CAN_CLUSTERS;
    const hed_kernel_def *def = &cloth_cooperative_def;
    if (!has_grid_barrier(cloth)) def = &cloth_cooperative_group_def;
    else if (has_clusters && groups <= CLOTH_CLUSTER) def = &cloth_cooperative_cluster_def;
    hed_config config = hed_config_default(def);
    int64_t resident = -1;
    bool is_compiled = c->kernel && c->compiled_def == def && !(c->kinds & ~c->compiled_kinds);
    if (!is_compiled && !error->status) {
        char kinds[16];
        hed_kernel_destroy(c->kernel);
        c->kernel = NULL;
        c->compiled_def = def;
        c->compiled_kinds |= c->kinds;
        snprintf(kinds, sizeof kinds, "0x%x", c->compiled_kinds);
        const hed_define defines[] = {{"KINDS", kinds}};
        hed_kernel_options options = hed_default_kernel_options();
        config.values[CLOTH_COOPERATIVE_WG] = c->group;
        options.math = cloth->def.math;
        options.config = &config;
        options.defines = defines;
        options.define_count = 1;
        hed_kernel_create(cloth->device, def, &options, &c->kernel, error);
    }
    if (error->status) return error->status;
    if (def == &cloth_cooperative_group_def || !groups) groups = 1;
    if (def == &cloth_cooperative_def) {
        /* one of them has the lattices */
        groups += c->grid != NULL || (c->kinds >> CLOTH_DO_PATCHES & 1);
        hed_kernel_resident_groups(c->kernel, c->group, 0, &resident, error);
        if (resident > 0 && groups > (uint64_t)resident) groups = (uint64_t)resident;
    }
    c->groups = (uint32_t)groups;
    return error->status;
}

hed_status cloth_cooperative_end(hed_cloth *cloth, cloth_cooperative *c, hed_error *error)
{
    cloth->host->gathering = NULL;
    if (hed_failed(error)) return error->status;
    merge_half_sweeps(cloth, c);
    if (first_cell_sweep(cloth, c) < c->count) c->kinds |= 1u << CLOTH_DO_BANDS;
    if (c->grid && has_packets(cloth)) c->kinds |= 1u << CLOTH_DO_NEARBY;
    if (make_kernel(cloth, c, error)) return error->status;
    merge_cells(cloth, c);
    uint4 *tasks = hed_new(&cloth->allocator, c->count, sizeof *tasks, error);
    if (!tasks) return HED_ERROR_MEMORY;
    /* Strict mode keeps the order of HED_CLOTH_SOLVER_COLOURS. */
    if (!is_strict(cloth)) sort_tasks(c);
    if (!is_strict(cloth)) overlap_lattices(c);
    if (!is_strict(cloth)) overlap_patches(c);
    send_points(cloth, c);
    hed_stream_wait(cloth->stream, error);
    hed_buffer_destroy(c->tasks);
    c->tasks = NULL;
    hed_buffer_destroy(c->packets);
    c->packets = NULL;
    if (!divide_tasks(cloth, c, tasks, error))
        cloth_upload(cloth, tasks, c->count * sizeof *tasks, &c->tasks, error);
    if (c->sends)
        cloth_upload(cloth, NULL,
            (2 * (uint64_t)cloth->particles + CLOTH_DO_SIGNALS * c->groups) * sizeof(uint4),
            &c->packets, error);
    hed_delete(&cloth->allocator, tasks, c->count, sizeof *tasks);
    c->launch.tasks = c->count;
    return error->status;
}

hed_status cloth_cooperative_run(hed_cloth *cloth, cloth_cooperative *c,
    const cloth_cooperative_arrays *arrays, uint32_t first, uint32_t substeps, hed_error *error)
{
    cloth_cooperative_arrays bound = *arrays;
    hed_problem problem = hed_problem_1d((int64_t)c->groups);
    if (hed_failed(error)) return error->status;
    bound.tasks = c->tasks;
    bound.state = c->state;
    if (c->packets) bound.moved = c->packets;
    bound.launch = c->launch;
    bound.launch.first = first;
    bound.launch.substeps = substeps;
    bound.launch.moved = cloth->particles;
    c->launch.posts += substeps * c->sends;
    return hed_launch(cloth->stream, c->kernel, &problem,
        HED_VIEW_ARGS_FROM(cloth_cooperative_arrays, &bound), error);
}
