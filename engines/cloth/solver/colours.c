/* HED_CLOTH_SOLVER_COLOURS and HED_CLOTH_SOLVER_SETS: every device, every feature. A substep is a
 * launch of the integrator, then for each iteration the lines of grids that bend (a launch for each
 * set), the elements of fabrics (a launch for each colour), the distance constraints (a launch for
 * each colour; or for sets one launch of one group, with a barrier after each set) and, if there
 * are colliders, contacts or a driver, a launch for these.
 *
 * The substeps of a frame are recorded once in a graph and replayed. Data that change between
 * frames are in buffers that the kernels read, so the graph does not change: replaying 65 nodes
 * costs the driver one call. */
#include "solver/colours.h"
#include "solver/second_order.h"
#include "solver/strict_order.h"

#include <stdio.h>
#include <string.h>

enum { NODES_AT_MOST = 4096 }; /* nodes of a graph: building larger ones takes long */

/* ---- creation and destruction ---- */

static bool colours_valid(const hed_cloth *cloth, char *reason, size_t size)
{
    snprintf(reason, size, "%s", "");
    return true;
}

static void colours_destroy(hed_cloth *cloth, cloth_solver *s)
{
    const hed_allocator *a = &cloth->allocator;
    cloth_colours_end_plan(cloth, s);
    hed_graph_destroy(s->graph);
    cloth_cooperative_destroy(cloth, s->cooperative);
    cloth_cooperative_destroy(cloth, s->lattices);
    cloth_cooperative_destroy(cloth, s->pins);
    hed_delete(a, s->line_lengths, s->line_at[CLOTH_LINE_SETS], sizeof *s->line_lengths);
    cloth_tension_destroy(cloth, s->tension);
    cloth_buffers_destroy(CLOTH_BUFFERS(&s->b));
    hed_delete(a, s->colour_at, s->colour_room, sizeof *s->colour_at);
    hed_delete(a, s->elements.at, s->elements.colours + 1, sizeof *s->elements.at);
    hed_delete(a, s->cells.at, s->cells.colours + 1, sizeof *s->cells.at);
    hed_delete(a, s->written, s->batch, sizeof *s->written);
    hed_delete(a, s->next, s->batch, sizeof *s->next);
    hed_delete(a, s, 1, sizeof *s);
}

/* Chooses the group's size: the number of constraints of a set, limited by the device and by the
 * driver's limit for the compiled kernel. */
static hed_status make_sets_kernel(hed_cloth *cloth, const cloth_solver *s, hed_error *error)
{
    const hed_parameter_def *groups = &cloth_sets_def.parameters[0];
    hed_kernel **kernel = &cloth->host->kernels[CLOTH_KERNEL_SETS];
    hed_config config = hed_config_default(&cloth_sets_def);
    hed_kernel_options options = hed_default_kernel_options();
    options.math = cloth->def.math;
    options.config = &config;
    uint32_t choice = 0;
    for (uint32_t i = 1; i < groups->count && groups->values[i - 1] < s->width; i++) {
        config.values[0] = groups->values[i];
        if (hed_kernel_valid(
                &cloth_sets_def, &config, NULL, cloth->device, cloth->def.math, NULL, 0))
            choice = i;
    }
    for (;; choice--) {
        hed_kernel_resources resources;
        config.values[0] = groups->values[choice];
        hed_kernel_create(cloth->device, &cloth_sets_def, &options, kernel, error);
        if (hed_kernel_measure_resources(*kernel, &resources, error) || resources.max_group < 0 ||
            resources.max_group >= config.values[0] || choice == 0)
            return error->status;
        hed_kernel_destroy(*kernel);
        *kernel = NULL;
    }
}

static hed_status colours_gather(
    hed_cloth *cloth, cloth_solver *s, const graph_key *key, hed_error *error);

/* Makes the tasks and the kernel for frames with the surroundings that the definition announces. */
static hed_status colours_make_cooperative(hed_cloth *cloth, cloth_solver *s, hed_error *error)
{
    uint32_t lines = s->line_at[CLOTH_LINE_SETS], at = 0;
    bool touches = cloth->def.max_colliders || cloth->def.max_collider_triangles;
    graph_key key = {.acts = cloth->has_driver || touches, .touches = touches};
    if (error->status) return error->status;
    s->line_lengths = hed_new(&cloth->allocator, lines, sizeof *s->line_lengths, error);
    if (!s->line_lengths) return HED_ERROR_MEMORY;
    for (uint32_t set = 0; set < CLOTH_LINE_SETS; set++)
        for (uint32_t g = 0; g < cloth->garment_count; g++) {
            const cloth_garment *garment = cloth->garments[g];
            for (uint32_t copy = 0; copy < garment->copies; copy++)
                for (uint32_t i = garment->line_at[set]; i < garment->line_at[set + 1]; i++)
                    s->line_lengths[at++] = garment->lines[i].count;
        }
    cloth_lengths lengths = {.lines = s->line_lengths,
        .chains = cloth_tension_lengths(s->tension),
        .line_at = s->line_at};
    lengths.lattices = cloth_tension_lattices(s->tension, &lengths.stages);
    if (cloth_cooperative_create(cloth, lengths, &s->cooperative, error)) return error->status;
    return colours_gather(cloth, s, &key, error);
}

/* Gathers the lattices over garments for cloth that may touch something, or that may not. */
static hed_status gather_lattices(hed_cloth *cloth, cloth_solver *s, bool touched, hed_error *error)
{
    hed_graph_destroy(s->graph);
    s->graph = NULL;
    s->lattices_touch = touched;
    cloth_cooperative_begin(cloth, s->lattices);
    cloth_tension_solve_lattices(cloth, s->tension, touched, s->b.steps, 0, error);
    s->is_gathered = !cloth_cooperative_end(cloth, s->lattices, error);
    return error->status;
}

/* Makes one launch of all lattices, and one of those at pins: a half sweep over their few places takes
 * less time than a launch. */
static hed_status make_lattices(hed_cloth *cloth, cloth_solver *s, hed_error *error)
{
    cloth_lengths lengths = {.chains = cloth_tension_lengths(s->tension)};
    lengths.lattices = cloth_tension_lattices(s->tension, &lengths.stages);
    if (error->status || !cloth_lattices_fit(cloth, lengths.lattices, lengths.stages))
        return error->status;
    if (cloth_tension_has_lattices(s->tension) &&
        !cloth_cooperative_create(cloth, lengths, &s->lattices, error))
        gather_lattices(cloth, s, false, error);
    if (cloth_tension_has_pins(s->tension) &&
        !cloth_cooperative_create(cloth, lengths, &s->pins, error)) {
        cloth_cooperative_begin(cloth, s->pins);
        cloth_tension_solve_pins(cloth, s->tension, s->b.steps, 0, error);
        cloth_cooperative_end(cloth, s->pins, error);
    }
    return error->status;
}

static hed_status colours_make(hed_cloth *cloth, cloth_solver *s, hed_error *error)
{
    const hed_allocator *a = &cloth->allocator;
    if (cloth_colours_plan(cloth, s, error)) return error->status;
    s->colour_room = s->colours + 1;
    if (cloth_tension_create(cloth, &s->tension, error)) return error->status;
    s->has_tension = cloth_has_tension(cloth_whole(cloth));
    s->is_sheet = cloth_is_sheet(cloth);
    uint32_t nodes = 1 + cloth_tension_launches(s->tension) +
                     cloth->def.iterations * (s->colours + CLOTH_LINE_SETS + s->elements.colours +
                                                 s->cells.colours + 1);
    s->batch =
        NODES_AT_MOST / nodes < cloth->def.substeps ? NODES_AT_MOST / nodes : cloth->def.substeps;
    /* self-collision is a pass of its own after each substep, as is the exchange of strips */
    if (cloth->ops->id == HED_CLOTH_SOLVER_COOPERATIVE) s->batch = cloth->def.substeps;
    if (cloth->has_self || cloth_is_strip(cloth) || s->batch < 1) s->batch = 1;
    s->colour_at = hed_new(a, s->colour_room, sizeof *s->colour_at, error);
    s->written = hed_new(a, s->batch, sizeof *s->written, error);
    s->next = hed_new(a, s->batch, sizeof *s->next, error);
    if (!s->next) return HED_ERROR_MEMORY;
    cloth_colours_upload(cloth, s, error);
    cloth_upload(cloth, NULL, s->batch * sizeof(cloth_step), &s->b.steps, error);
    cloth_kernel_ensure(cloth, CLOTH_KERNEL_INTEGRATE, cloth->particles, error);
    if (cloth->has_driver || cloth->def.max_colliders || cloth->def.max_collider_triangles)
        cloth_kernel_ensure(cloth, CLOTH_KERNEL_DRIVE, cloth->particles, error);
    if (cloth->ops->id == HED_CLOTH_SOLVER_COOPERATIVE)
        return colours_make_cooperative(cloth, s, error);
    if (cloth->ops->id == HED_CLOTH_SOLVER_COLOURS) make_lattices(cloth, s, error);
    if (error->status || !s->constraints) return error->status;
    if (cloth->ops->id == HED_CLOTH_SOLVER_COLOURS)
        return cloth_kernel_ensure(cloth, CLOTH_KERNEL_DISTANCE, s->colour_at[1], error);
    s->width = cloth->def.set_width ? cloth->def.set_width : s->constraints;
    if (cloth_colours_upload_sets(cloth, s, error)) return error->status;
    return make_sets_kernel(cloth, s, error);
}

static hed_status colours_create(hed_cloth *cloth, cloth_solver **solver, hed_error *error)
{
    cloth_solver *s = hed_new(&cloth->allocator, 1, sizeof *s, error);
    if (!s) return HED_ERROR_MEMORY;
    hed_status status = colours_make(cloth, s, error);
    if (status) colours_destroy(cloth, s);
    else *solver = s;
    return status;
}

/* ---- substeps ---- */

/* A pass over the distance constraints. */
typedef struct colours_pass {
    hed_buffer *position, *ends, *rests, *kinds, *materials, *multipliers, *steps, *set_at;
    uint32_t substep, pass, first, count, sets;
} colours_pass;
HED_VIEW_BIND(colours_distance, CLOTH_DISTANCE, colours_pass)
HED_VIEW_BIND(colours_sets, CLOTH_SETS, colours_pass)
HED_VIEW_LAUNCH(cloth_lines_launch, CLOTH_LINES)
HED_VIEW_LAUNCH(cloth_elements_launch, CLOTH_ELEMENTS)
HED_VIEW_LAUNCH(cloth_element_patches_launch, CLOTH_ELEMENT_PATCHES)
HED_VIEW_LAUNCH(cloth_cells_launch, CLOTH_CELLS)

/* Solves the elements in patches: the first or the second of two launches. */
static void solve_patches(
    hed_cloth *cloth, const cloth_solver *s, uint32_t substep, uint32_t second, hed_error *error)
{
    hed_buffer *position = cloth->buffers.position;
    cloth_run(cloth, CLOTH_KERNEL_ELEMENT_PATCHES, s->patches,
        HED_VIEW_ARGS(cloth_element_patches_launch, .from = second ? s->b.moved : position,
            .to = second ? position : s->b.moved, .tables = s->b.elements, .steps = s->b.steps,
            .pulled = s->b.element_pulled, .at = s->patched, .substep = substep, .second = second),
        error);
}

/* Solves the lines of a set. `again`: 1: the first iteration, 2: a later one. */
static void solve_lines(hed_cloth *cloth, const cloth_solver *s, uint32_t set, uint32_t substep,
    uint32_t again, hed_error *error)
{
    uint32_t lines = s->line_at[set + 1] - s->line_at[set];
    if (lines)
        cloth_run(cloth, CLOTH_KERNEL_LINES, lines,
            HED_VIEW_ARGS(cloth_lines_launch, .position = cloth->buffers.position,
                .lines = s->b.lines, .weights = s->b.weights, .sums = s->b.sums,
                .links = s->b.links, .pulled = cloth_or_none(cloth, s->b.pulled),
                .steps = s->b.steps, .substep = substep, .pass = s->b.pulled ? again : 0,
                .first = s->line_at[set]),
            error);
}

/* Solves elements; `again`: as in solve_lines(). */
static void solve_elements(
    hed_cloth *cloth, const cloth_solver *s, uint32_t substep, uint32_t again, hed_error *error)
{
    if (s->patches && !s->patches_first) solve_patches(cloth, s, substep, 0, error);
    if (s->patches) solve_patches(cloth, s, substep, 1, error);
    for (uint32_t c = 0; c < s->elements.colours && !s->patches; c++)
        cloth_run(cloth, CLOTH_KERNEL_ELEMENTS, s->elements.at[c + 1] - s->elements.at[c],
            HED_VIEW_ARGS(cloth_elements_launch, .position = cloth->buffers.position,
                .elements = s->b.elements, .pulled = cloth_or_none(cloth, s->b.element_pulled),
                .steps = s->b.steps, .total = s->elements.count, .substep = substep,
                .pass = s->b.element_pulled ? again : 0, .first = s->elements.at[c],
                .count = s->elements.at[c + 1] - s->elements.at[c]),
            error);
}

/* Returns the number of colours of all sweeps over cells; `touched`: cloth with lattices may touch
 * something. */
static uint32_t cell_colours(const cloth_solver *s, bool touched)
{
    return s->cells.colours * (touched ? CLOTH_CELL_SWEEPS : 1);
}

/* Solves colours [from, to) of the sweeps over cells; `again`: as in solve_lines(). */
static void solve_cells(hed_cloth *cloth, const cloth_solver *s, uint32_t from, uint32_t to,
    bool touched, uint32_t substep, uint32_t again, hed_error *error)
{
    for (uint32_t k = from; k < to; k++) {
        const uint32_t *at = s->cells.at + k % s->cells.colours;
        cloth_run(cloth, CLOTH_KERNEL_CELLS, at[1] - at[0],
            HED_VIEW_ARGS(cloth_cells_launch, .position = cloth->buffers.position,
                .cells = s->b.cells, .pulled = cloth_or_none(cloth, s->b.cell_pulled),
                .steps = s->b.steps, .total = s->cells.count, .substep = substep,
                .pass = touched            ? CLOTH_CELL_PASS
                        : s->b.cell_pulled ? again
                                           : 0,
                .first = at[0], .count = at[1] - at[0]),
            error);
    }
}

/* Solves distances; `again`: as in solve_lines(). */
static void solve_distances(
    hed_cloth *cloth, const cloth_solver *s, uint32_t substep, uint32_t again, hed_error *error)
{
    colours_pass pass = {.position = cloth->buffers.position,
        .ends = s->b.ends,
        .rests = s->b.rests,
        .kinds = s->b.kinds,
        .materials = s->b.materials,
        .multipliers = cloth_or_none(cloth, s->b.multipliers),
        .steps = s->b.steps,
        .set_at = s->b.set_at,
        .substep = substep,
        .pass = s->b.multipliers ? again : 0,
        .sets = s->sets};
    if (s->sets)
        cloth_run(cloth, CLOTH_KERNEL_SETS, s->constraints, HED_VIEW_ARGS_FROM(colours_sets, &pass),
            error);
    for (uint32_t c = 0; c < s->colours && !s->sets; c++) {
        pass.first = s->colour_at[c];
        pass.count = s->colour_at[c + 1] - pass.first;
        if (pass.count)
            cloth_run(cloth, CLOTH_KERNEL_DISTANCE, pass.count,
                HED_VIEW_ARGS_FROM(colours_distance, &pass), error);
    }
}

/* Enqueues an iteration of all constraints; `touched`: as in cell_colours(). */
static void colours_project(hed_cloth *cloth, const cloth_solver *s, bool touched, uint32_t substep,
    uint32_t iteration, hed_error *error)
{
    uint32_t again = iteration ? 2 : 1;
    for (uint32_t set = 0; set < CLOTH_LINE_SETS; set++)
        solve_lines(cloth, s, set, substep, again, error);
    solve_elements(cloth, s, substep, again, error);
    solve_cells(cloth, s, 0, cell_colours(s, touched), touched, substep, again, error);
    solve_distances(cloth, s, substep, again, error);
}

/* Enqueues all constraints between lattices and pins of a sheet: cloth_is_sheet(). */
static void project_sheet(hed_cloth *cloth, const cloth_solver *s, bool touched, uint32_t passes,
    uint32_t substep, hed_error *error)
{
    uint32_t colours = cell_colours(s, touched), even = touched ? 0 : s->cells.colours / 2;
    solve_lines(cloth, s, CLOTH_LINES_WARP, substep, 1, error);
    solve_lines(cloth, s, CLOTH_STRIPS_EVEN, substep, 1, error);
    solve_cells(cloth, s, 0, even, touched, substep, 1, error);
    solve_lines(cloth, s, CLOTH_STRIPS_ODD, substep, 1, error);
    solve_cells(cloth, s, even, colours, touched, substep, 1, error);
    solve_distances(cloth, s, substep, 1, error);
    cloth_tension_follow(cloth, s->tension, cloth->buffers.position, error);
    cloth_tension_solve_lines(cloth, s->tension, passes, 0, 1, s->b.steps, substep, error);
    solve_lines(cloth, s, CLOTH_LINES_WEFT, substep, 1, error);
    cloth_tension_solve_lines(cloth, s->tension, passes, 1, 2 * passes, s->b.steps, substep, error);
}

/* Enqueues contacts and limits of the stretch that they leave: all but the last contacts. The
 * driver, which may be a spring, acts once, at the end. */
static void limit_stretch(
    hed_cloth *cloth, const cloth_solver *s, bool touches, uint32_t substep, hed_error *error)
{
    if (touches) cloth_drive_all(cloth, s->b.steps, substep, CLOTH_STEP_DRIVER, error);
    cloth_tension_limit(cloth, s->tension, s->b.steps, substep, error);
}

/* Enqueues `count` substeps, from substep `first` on, of tasks that were gathered. */
static hed_status run_gathered(hed_cloth *cloth, const cloth_solver *s, cloth_cooperative *gathered,
    uint32_t first, uint32_t count, hed_error *error)
{
    const cloth_buffers *b = &cloth->buffers;
    cloth_tension_view t = cloth_tension_describe(cloth, s->tension);
    hed_buffer *absent = cloth_or_none(cloth, NULL);
    const cloth_cooperative_arrays arrays = {.position = b->position,
        .previous = b->previous,
        .carry = b->carry,
        .garments = b->garments,
        .air = cloth_or_none(cloth, b->air),
        .driver_from = cloth_or_none(cloth, b->driver_from),
        .driver_to = cloth_or_none(cloth, b->driver_to),
        .driver_map = cloth_or_none(cloth, b->driver_map),
        .colliders = cloth_or_none(cloth, b->colliders),
        .contact = cloth_or_none(cloth, b->contact),
        .debug = cloth_or_none(cloth, b->debug),
        .ends = s->constraints ? s->b.ends : absent,
        .rests = s->constraints ? s->b.rests : absent,
        .kinds = s->constraints ? s->b.kinds : absent,
        .materials = s->constraints ? s->b.materials : absent,
        .lines = cloth_or_none(cloth, s->b.lines),
        .weights = cloth_or_none(cloth, s->b.weights),
        .sums = cloth_or_none(cloth, s->b.sums),
        .elements = cloth_or_none(cloth, s->b.elements),
        .moved = cloth_or_none(cloth, s->b.moved),
        .cells = cloth_or_none(cloth, s->b.cells),
        .chains = t.chains,
        .edges = t.edges,
        .pulled = t.pulled,
        .sources = t.sources,
        .places = t.samples,
        .from = t.from,
        .shares = t.shares,
        .steps = s->b.steps};
    return cloth_cooperative_run(cloth, gathered, &arrays, first, count, error);
}

static hed_status colours_enqueue(
    hed_cloth *cloth, const cloth_solver *s, const graph_key *key, uint32_t count, hed_error *error)
{
    uint32_t passes = key->acts ? CLOTH_TOUCHED_PASSES : 1;
    bool is_native = cloth_runs_native(cloth);
    for (uint32_t substep = 0; substep < count && !error->status; substep++) {
        cloth_integrate_all(cloth, s->b.steps, substep, error);
        if (s->patches_first) solve_patches(cloth, s, substep, 0, error);
        if (s->lattices && !is_native) run_gathered(cloth, s, s->lattices, substep, 1, error);
        else cloth_tension_solve_lattices(cloth, s->tension, key->acts, s->b.steps, substep, error);
        if (!s->is_sheet)
            cloth_tension_follow(
                cloth, s->tension, s->patches_first ? s->b.moved : cloth->buffers.position, error);
        for (uint32_t i = 0; i < cloth->def.iterations; i++) {
            bool touched = key->acts && s->has_tension;
            if (s->is_sheet) project_sheet(cloth, s, touched, passes, substep, error);
            else colours_project(cloth, s, touched, substep, i, error);
            if (i + 1 == cloth->def.iterations) {
                if (!s->is_sheet)
                    cloth_tension_solve_lines(
                        cloth, s->tension, passes, 0, 2 * passes, s->b.steps, substep, error);
                if (s->pins && !is_native) run_gathered(cloth, s, s->pins, substep, 1, error);
                else cloth_tension_solve_pins(cloth, s->tension, s->b.steps, substep, error);
            }
            if (!key->acts && cloth_remembers(cloth))
                cloth_tension_limit(cloth, s->tension, s->b.steps, substep, error);
            if (!key->acts) continue;
            if (s->has_tension) limit_stretch(cloth, s, key->touches, substep, error);
            cloth_drive_all(cloth, s->b.steps, substep, 0, error);
        }
    }
    return error->status;
}

/* A kernel must exist before a recording starts. */
static hed_status record(hed_cloth *cloth, cloth_solver *s, const graph_key *key, hed_error *error)
{
    hed_graph *made = NULL;
    hed_graph_destroy(s->graph);
    s->graph = NULL;
    if (key->acts) cloth_kernel_ensure(cloth, CLOTH_KERNEL_DRIVE, cloth->particles, error);
    if (hed_graph_begin(cloth->stream, error)) return error->status;
    colours_enqueue(cloth, s, key, s->batch, error);
    hed_graph_end(cloth->stream, &made, error->status ? NULL : error);
    if (error->status) hed_graph_destroy(made);
    else s->graph = made, s->key = *key;
    return error->status;
}

static hed_status colours_gather(
    hed_cloth *cloth, cloth_solver *s, const graph_key *key, hed_error *error)
{
    cloth_cooperative_begin(cloth, s->cooperative);
    colours_enqueue(cloth, s, key, 1, error);
    s->key = *key;
    s->is_gathered = !cloth_cooperative_end(cloth, s->cooperative, error);
    return error->status;
}

static hed_status run_batch(hed_cloth *cloth, cloth_solver *s, uint32_t count, hed_error *error)
{
    bool touches = s->next[0].colliders || (s->next[0].flags & CLOTH_STEP_CONTACTS);
    graph_key key = {.acts = cloth->has_driver || touches,
        .touches = touches,
        .contact = cloth->buffers.contact};
    if (count != s->written_count || memcmp(s->next, s->written, count * sizeof *s->next) != 0) {
        memcpy(s->written, s->next, count * sizeof *s->next);
        s->written_count = count;
        cloth_send(cloth, s->b.steps, 0, s->written, count * sizeof *s->next, error);
    }
    if (error->status) return error->status;
    if (s->cooperative) {
        if (!s->is_gathered || s->key.acts != key.acts || s->key.touches != key.touches)
            colours_gather(cloth, s, &key, error);
        return error->status ? error->status
                             : run_gathered(cloth, s, s->cooperative, 0, count, error);
    }
    if (s->lattices && (!s->is_gathered || s->lattices_touch != key.acts))
        gather_lattices(cloth, s, key.acts, error);
    if (error->status) return error->status;
    if (count != s->batch || cloth_runs_native(cloth))
        return colours_enqueue(cloth, s, &key, count, error);
    if (!s->graph || s->key.acts != key.acts || s->key.touches != key.touches ||
        s->key.contact != key.contact)
        record(cloth, s, &key, error);
    return hed_graph_replay(s->graph, cloth->stream, error);
}

static hed_status colours_substeps(hed_cloth *cloth, cloth_solver *s, const cloth_step *first,
    const cloth_step *rest, float dt, uint32_t count, hed_error *error)
{
    if (cloth->has_seams && cloth_colours_send_materials(cloth, s, error)) return error->status;
    for (uint32_t at = 0; at < count && !error->status; at += s->batch) {
        uint32_t batch_count = count - at < s->batch ? count - at : s->batch;
        for (uint32_t i = 0; i < batch_count; i++) {
            uint32_t index = at + i;
            s->next[i] = index ? cloth_step_after(*rest, index - 1, dt) : *first;
        }
        run_batch(cloth, s, batch_count, error);
    }
    return error->status;
}

/* ---- reports ---- */

static void colours_report(const hed_cloth *cloth, const cloth_solver *s, hed_cloth_info *filled)
{
    char config[128] = "no constraints", form[64];
    hed_kernel *kernel = cloth->host->kernels[s->sets ? CLOTH_KERNEL_SETS : CLOTH_KERNEL_DISTANCE];
    filled->device_bytes += cloth_buffers_bytes(CLOTH_BUFFERS(&s->b)) +
                            cloth_tension_bytes(s->tension) +
                            cloth_cooperative_bytes(s->cooperative) +
                            cloth_cooperative_bytes(s->lattices) + cloth_cooperative_bytes(s->pins);
    if (kernel) {
        hed_config used = hed_kernel_config(kernel, NULL);
        hed_config_format(hed_kernel_describe(kernel).def, &used, config, sizeof config);
    }
    if (s->sets) snprintf(form, sizeof form, "%u sets by one group", s->sets);
    else if (s->cooperative)
        snprintf(
            form, sizeof form, "one launch of %u groups", cloth_cooperative_groups(s->cooperative));
    else
        snprintf(form, sizeof form, "a launch for each of %u colours",
            s->colours + s->elements.colours + s->cells.colours);
    snprintf(filled->choice, sizeof filled->choice, "%s%s%s, %s", form,
        s->b.lines ? ", four of lines that bend" : "",
        s->lattices  ? ", lattices in one launch"
        : s->tension ? ", lattices"
                     : "",
        config);
}

const cloth_solver_ops cloth_colours_ops = {HED_CLOTH_SOLVER_COLOURS, colours_valid, colours_create,
    colours_destroy, colours_substeps, colours_report};
const cloth_solver_ops cloth_cooperative_ops = {HED_CLOTH_SOLVER_COOPERATIVE,
    cloth_cooperative_valid, colours_create, colours_destroy, colours_substeps, colours_report};
const cloth_solver_ops cloth_sets_ops = {HED_CLOTH_SOLVER_SETS, colours_valid, colours_create,
    colours_destroy, colours_substeps, colours_report};
