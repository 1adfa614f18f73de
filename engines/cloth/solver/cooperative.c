/* Tasks of the cooperative kernel: gathered from the launches of the solver of colours. */
#include "solver/cooperative_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { GROUP = 512, GROUP_OF_PROCESSOR = 128, SHORTEST_BITS = 3, FEW = 4 };

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
    if (count / lattices <= FEW * c->group) cloth_take_lattices(c, t, lattices);
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
    cloth_cooperative_merge(cloth, c);
    if (make_kernel(cloth, c, error)) return error->status;
    cloth_cooperative_order(cloth, c);
    uint4 *tasks = hed_new(&cloth->allocator, 2 * c->count, sizeof *tasks, error);
    if (!tasks) return HED_ERROR_MEMORY;
    hed_stream_wait(cloth->stream, error);
    hed_buffer_destroy(c->tasks);
    c->tasks = NULL;
    hed_buffer_destroy(c->packets);
    c->packets = NULL;
    if (!cloth_cooperative_divide(cloth, c, tasks, error))
        cloth_upload(cloth, tasks, 2 * c->count * sizeof *tasks, &c->tasks, error);
    if (c->sends)
        cloth_upload(cloth, NULL,
            (2 * (uint64_t)cloth->particles + CLOTH_DO_SIGNALS * c->groups) * sizeof(uint4),
            &c->packets, error);
    hed_delete(&cloth->allocator, tasks, 2 * c->count, sizeof *tasks);
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
