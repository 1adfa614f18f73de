/* Tables of the kernel of patch.cl, from the plans of a cloth's garments. Copies of a garment have
 * common tables; only groups and packets are separate. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/patches.h"
#include "solver/strict_order.h"

#define NONE 0xffffffffu

/* ---- materials ---- */

/* Numbers the materials of a garment's constraints from 0 to 15; equal materials have one number.
 * Finds out if the tables need ranges and compliance; writes `limits` if the block exists. */
static hed_status number_materials(const hed_cloth *cloth, uint32_t g, cloth_patch_tables *tables,
    uint8_t *numbers, hed_error *error)
{
    const cloth_garment *garment = cloth->garments[g];
    uint32_t count = 0;
    float unused[CLOTH_PATCH_MOST_MATERIALS][4],
        (*limits)[4] = tables->block ? tables->limits + CLOTH_PATCH_MOST_MATERIALS * g : unused;
    memset(numbers, 0xff, garment->material_count);
    for (uint32_t c = 0; c < garment->constraint_count; c++) {
        uint32_t material = garment->constraints[c].material, number = 0;
        if (numbers[material] != 0xff) continue;
        const hed_cloth_material *m = &garment->materials[material];
        while (number < count &&
               (limits[number][0] != m->compress || limits[number][1] != m->stretch ||
                   limits[number][2] != m->compliance))
            number++;
        if (number == CLOTH_PATCH_MOST_MATERIALS)
            return hed_fail(error, HED_ERROR_UNSUPPORTED,
                "garment %u (%s) has more than %d different materials", g, garment->name,
                CLOTH_PATCH_MOST_MATERIALS);
        if (number == count) {
            memcpy(limits[count++], (const float[4]){m->compress, m->stretch, m->compliance, 0.0f},
                sizeof *limits);
            tables->ranges = tables->ranges || m->compress != 1.0f || m->stretch != 1.0f;
            tables->compliance = tables->compliance || m->compliance > 0.0f;
        }
        numbers[material] = (uint8_t)number;
    }
    return HED_OK;
}

/* ---- shapes: equal lengths of the figures of a regular mesh ---- */

/* Groups of nearly equal lengths. Lengths of a grid's equal edges differ a little, because they are
 * computed from rounded coordinates. If all lengths of a garment are in a few narrow groups, the
 * middle of its group replaces each length: the error is within the rounding of the coordinates. */
typedef struct length_groups {
    uint32_t count;
    float low[CLOTH_PATCH_MOST_SHAPES], middle[CLOTH_PATCH_MOST_SHAPES];
} length_groups;

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Groups the lengths of a garment's constraints; false if there are too many groups. */
static bool group_lengths(const cloth_garment *garment, float *sorted, length_groups *groups)
{
    float most = 0.0f; /* largest absolute coordinate, m */
    for (uint32_t i = 0; i < garment->particle_count; i++)
        for (int k = 0; k < 3; k++) most = fmaxf(most, fabsf(garment->rest[i][k]));
    float width = 4.0f * (most * FLT_EPSILON);
    for (uint32_t c = 0; c < garment->constraint_count; c++)
        sorted[c] = garment->constraints[c].rest;
    qsort(sorted, garment->constraint_count, sizeof *sorted, compare_floats);
    groups->count = 0;
    for (uint32_t c = 0, next; c < garment->constraint_count; c = next) {
        if (groups->count == CLOTH_PATCH_MOST_SHAPES) return false;
        for (next = c + 1; next < garment->constraint_count && sorted[next] <= sorted[c] + width;)
            next++;
        groups->low[groups->count] = sorted[c];
        groups->middle[groups->count++] = 0.5f * (sorted[c] + sorted[next - 1]);
    }
    return true;
}

/* ---- sizes ---- */

/* Takes an array from the block, aligned to the size of its elements (a power of two). */
static void *patch_tables_take(cloth_patch_tables *tables, uint64_t count, uint64_t size)
{
    uint64_t at = (tables->used + size - 1) / size * size;
    tables->used = at + count * size;
    return tables->block + at;
}

/* Sets the arrays' positions in the block; with `block` NULL only `used`, the required size, is
 * valid. */
static void patch_tables_lay_out(const hed_cloth *cloth, cloth_patch_tables *tables)
{
    uint64_t garments = cloth->garment_count, tethers = cloth->has_tethers ? tables->own_count : 0,
             shapes = tables->figure_count && tables->figure_words == 2
                          ? 2 * CLOTH_PATCH_MOST_SHAPES * garments
                          : 0;
    tables->used = 0;
    tables->groups = patch_tables_take(tables, tables->group_count, sizeof *tables->groups);
    tables->limits =
        patch_tables_take(tables, CLOTH_PATCH_MOST_MATERIALS * garments, sizeof *tables->limits);
    tables->fabric = patch_tables_take(tables, tables->fabric_rows, sizeof *tables->fabric);
    tables->figures = patch_tables_take(tables, tables->figure_count, 4 * tables->figure_words);
    tables->pairs = patch_tables_take(tables, tables->pair_count, sizeof *tables->pairs);
    tables->ghosts = patch_tables_take(tables, tables->ghost_count, sizeof *tables->ghosts);
    tables->tethers = patch_tables_take(tables, tethers, sizeof *tables->tethers);
    tables->own = patch_tables_take(tables, tables->own_count, sizeof *tables->own);
    tables->fabric_steps =
        patch_tables_take(tables, tables->fabric_step_count, sizeof *tables->fabric_steps);
    tables->steps = patch_tables_take(tables, tables->step_count, sizeof *tables->steps);
    tables->shapes = patch_tables_take(tables, shapes, sizeof *tables->shapes);
    tables->anchors = patch_tables_take(tables, tethers, sizeof *tables->anchors);
}

void cloth_patch_tables_destroy(cloth_patch_tables *tables)
{
    hed_delete(&tables->allocator, tables->block, tables->size, 1);
    tables->block = NULL;
}

/* ---- one garment ---- */

/* State of filling: tables, and the next index in each of them. */
typedef struct filling {
    const hed_cloth *cloth;
    cloth_patch_tables *tables;
    uint32_t garment; /* number */
    const cloth_plan *plan;
    uint32_t group, own, anchor, ghost, step, pair, figure, shape, slot, fabric, fabric_step;
    uint32_t anchors_of_patch;
    uint32_t *anchor_place; /* (the garment's anchors) index in the patch's anchors, NONE */
    uint8_t *materials;     /* (the garment's materials) number, below 16 */
    uint32_t *local;        /* (the garment's particles) position in the group of this patch */
    uint32_t sums, middle,
        sum_steps; /* sums, middle and steps of the patch's fabric: patch_fabric */
    bool limited;
    const length_groups *lengths; /* NULL: entries of figures are wide */
} filling;

/* Fills the tethers of a patch and the list of their anchors. */
static void fill_tethers(filling *fill, const cloth_patch *patch)
{
    const cloth_garment *garment = fill->cloth->garments[fill->garment];
    cloth_patch_tables *tables = fill->tables;
    fill->anchors_of_patch = 0;
    if (!fill->cloth->has_tethers) return;
    memset(fill->anchor_place, 0xff, garment->anchor_count * sizeof *fill->anchor_place);
    for (uint32_t i = 0; i < patch->own_count; i++) {
        uint32_t particle = fill->plan->own[patch->own_at + i],
                 *tether = tables->tethers[fill->own + i];
        uint32_t anchor = garment->anchor_count ? garment->tether_anchor[particle] : NONE;
        tether[0] = NONE;
        if (anchor == NONE) continue;
        if (fill->anchor_place[anchor] == NONE) {
            tables->anchors[fill->anchor + fill->anchors_of_patch] = garment->anchors[anchor];
            fill->anchor_place[anchor] = fill->anchors_of_patch++;
        }
        tether[0] = fill->anchor_place[anchor];
        memcpy(&tether[1], &garment->tether_length[particle], sizeof tether[1]);
    }
}

static uint32_t constraint_bits(const filling *fill, uint32_t constraint, bool figure)
{
    const hed_cloth_constraint *c = &fill->cloth->garments[fill->garment]->constraints[constraint];
    float rest = c->rest;
    if (figure && fill->lengths) {
        uint32_t low = 0, high = fill->lengths->count;
        while (high - low > 1) {
            uint32_t middle = (low + high) / 2;
            if (fill->lengths->low[middle] <= rest) low = middle;
            else high = middle;
        }
        rest = fill->lengths->middle[low];
    }
    uint32_t bits;
    memcpy(&bits, &rest, sizeof bits);
    /* if materials have limits, the material's number replaces the last four bits */
    return fill->limited ? cloth_rest_bits(rest) | fill->materials[c->material] : bits;
}

static void patch_tables_fill_pairs(filling *fill, uint32_t patch)
{
    const cloth_plan *plan = fill->plan;
    cloth_patch_tables *tables = fill->tables;
    const uint32_t *at = plan->pair_at + (uint64_t)patch * (plan->pair_steps + 1);
    uint32_t *steps = tables->steps + fill->step;
    uint32_t place = cloth_patch_place(tables, tables->pairs, sizeof *tables->pairs);
    for (uint32_t s = 0; s < plan->pair_steps; s++) {
        uint32_t count = at[s + 1] - at[s];
        steps[s] = place + fill->pair;
        if (count > tables->most_pairs) tables->most_pairs = count;
        for (uint32_t k = 0; k < count; k++) {
            const cloth_pair *pair = &plan->pairs[at[s] + k];
            uint32_t *entry = tables->pairs[fill->pair++];
            entry[0] = (uint32_t)pair->a | (uint32_t)pair->b << 14;
            entry[1] = constraint_bits(fill, pair->constraint, false);
        }
    }
    steps[plan->pair_steps] = place + fill->pair;
}

/* Finds or adds the shape of a figure: its number in the garment; NONE if there are too many
 * shapes. */
static uint32_t shape_number(filling *fill, const uint32_t rests[6])
{
    float(*shapes)[4] = fill->tables->shapes + fill->shape;
    uint32_t count = fill->tables->shape_count - fill->shape, at;
    for (at = 0; at < count; at += 2)
        if (memcmp(shapes[at], rests, 6 * sizeof *rests) == 0) return at / 2;
    if (at == 2 * CLOTH_PATCH_MOST_SHAPES) return NONE;
    memcpy(shapes[at], rests, 6 * sizeof *rests);
    fill->tables->shape_count += 2;
    return at / 2;
}

/* Fills entry `k` of a step with `count` entries at `entries`; false if there are too many
 * shapes. */
static bool fill_figure(filling *fill, const cloth_figure *figure, uint32_t constraints,
    uint32_t *entries, uint32_t k, uint32_t count)
{
    uint32_t rests[6] = {0};
    for (uint32_t c = 0; c < constraints; c++)
        rests[c] = constraint_bits(fill, figure->constraint[c], true);
    uint64_t words = 0;
    for (uint32_t i = 0; i < 4; i++) words |= (uint64_t)figure->particle[i] << 14 * i;
    if (fill->lengths) {
        uint32_t shape = shape_number(fill, rests);
        if (shape == NONE) return false;
        words |= (uint64_t)shape << 56;
        entries[2 * k] = (uint32_t)words;
        entries[2 * k + 1] = (uint32_t)(words >> 32);
        return true;
    }
    uint32_t *head = entries + 4 * k, *tail = entries + 4 * ((uint64_t)count + k);
    head[0] = (uint32_t)words;
    head[1] = (uint32_t)(words >> 32);
    memcpy(head + 2, rests, 2 * sizeof *rests);
    memcpy(tail, rests + 2, 4 * sizeof *rests);
    return true;
}

static bool fill_figures(filling *fill, uint32_t patch)
{
    const cloth_plan *plan = fill->plan;
    const uint32_t *at = plan->figure_at + (uint64_t)patch * (plan->figure_steps + 1);
    uint32_t *steps = fill->tables->steps + fill->step + plan->pair_steps + 1,
             words = fill->tables->figure_words,
             place = cloth_patch_place(fill->tables, fill->tables->figures, 4 * words);
    for (uint32_t s = 0; s < plan->figure_steps; s++) {
        cloth_shape shape = plan->figure_shape[s];
        uint32_t count = at[s + 1] - at[s];
        steps[s] = (place + fill->figure) | (shape == CLOTH_SHAPE_COMPLETE ? 0x80000000u : 0);
        for (uint32_t k = 0; k < count; k++)
            if (!fill_figure(fill, &plan->figures[at[s] + k], cloth_shape_constraints(shape),
                    fill->tables->figures + (uint64_t)words * fill->figure, k, count))
                return false;
        fill->figure += count;
    }
    steps[plan->figure_steps] = steps[plan->figure_steps + 1] = place + fill->figure;
    return true;
}

/* Fills a patch's bending constraints or elements, with particles as positions in the group; skips
 * empty steps. */
static void fill_fabric(filling *fill, uint32_t number)
{
    const cloth_plan *plan = fill->plan;
    const cloth_patch *patch = &plan->patches[number];
    const cloth_sums sums = cloth_sums_of(fill->cloth->garments[fill->garment]);
    uint32_t colours = plan->sum_colours, *step = fill->tables->fabric_steps + fill->fabric_step;
    const uint32_t *at = plan->sum_at + (uint64_t)number * (2 * colours + 1);
    uint32_t count = at[2 * colours] - at[0], (*to)[4] = fill->tables->fabric + fill->fabric;
    fill->sums = count;
    fill->middle = fill->sum_steps = 0;
    for (uint32_t i = 0; i < patch->own_count; i++) fill->local[plan->own[patch->own_at + i]] = i;
    for (uint32_t i = 0; i < patch->ghost_count; i++)
        fill->local[plan->ghosts[patch->ghost_at + i]] = patch->own_count + i;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t *item = sums.items + (size_t)sums.words * plan->sums[at[0] + k];
        for (uint32_t word = 0; word < sums.words; word++)
            to[word / 4 * count + k][word % 4] =
                word < sums.particles ? fill->local[item[word]] : item[word];
    }
    for (uint32_t s = 0; s < 2 * colours; s++) {
        if (at[s + 1] == at[s]) continue;
        fill->middle += s < colours;
        step[fill->sum_steps++] = at[s] - at[0];
    }
    step[fill->sum_steps] = count;
}

static void raise(uint32_t *most, uint32_t value)
{
    if (value > *most) *most = value;
}

/* Fills the groups of a patch, one for each copy. The groups of a copy are consecutive. */
static void fill_groups(filling *fill, const cloth_patch *patch, uint32_t number)
{
    const cloth_plan *plan = fill->plan;
    const cloth_garment *garment = fill->cloth->garments[fill->garment];
    cloth_patch_tables *tables = fill->tables;
#define PLACE(part, at) cloth_patch_place(tables, tables->part + (at), sizeof *tables->part)
    for (uint32_t copy = 0; copy < garment->copies; copy++) {
        uint32_t slots = fill->slot + copy * plan->slot_count;
        tables->groups[fill->group + copy * plan->patch_count + number] = (cloth_patch_record){
            .first = fill->cloth->first_particle[fill->garment] + copy * garment->particle_count,
            .garment = fill->cloth->base_garment + fill->garment,
            .own_at = PLACE(own, fill->own),
            .own_count = patch->own_count,
            .ghost_at = PLACE(ghosts, fill->ghost),
            .ghost_count = patch->ghost_count,
            .send_at = slots + patch->send_at,
            .send_count = patch->send_count,
            .slot_at = slots,
            .step_at = PLACE(steps, fill->step),
            .pair_steps = plan->pair_steps,
            .figure_steps = plan->figure_steps,
            .anchor_at = PLACE(anchors, fill->anchor),
            .anchor_count = fill->anchors_of_patch,
            .shape_at = PLACE(shapes, fill->shape),
            .fabric = {PLACE(fabric, fill->fabric), fill->sums,
                PLACE(fabric_steps, fill->fabric_step), garment->element_count > 0, fill->middle,
                fill->sum_steps, plan->boundary_steps, 0},
        };
    }
#undef PLACE
    raise(&tables->most_own, patch->own_count);
    raise(&tables->most_ghosts, patch->ghost_count);
    raise(&tables->most_places, patch->own_count + patch->ghost_count + fill->anchors_of_patch);
    raise(&tables->most_steps, plan->pair_steps + plan->figure_steps);
    raise(&tables->most_pair_steps, plan->pair_steps);
}

/* Fills the tables of a garment; false if its figures have too many shapes. */
static bool fill_garment(filling *fill)
{
    const cloth_plan *plan = fill->plan;
    cloth_patch_tables *tables = fill->tables;
    const cloth_garment *garment = fill->cloth->garments[fill->garment];
    uint32_t copies = garment->copies, rows = cloth_sums_of(garment).words / 4;
    for (uint32_t p = 0; p < plan->patch_count; p++) {
        const cloth_patch *patch = &plan->patches[p];
        memcpy(tables->own + fill->own, plan->own + patch->own_at,
            patch->own_count * sizeof *tables->own);
        fill_tethers(fill, patch);
        for (uint32_t i = 0; i < patch->ghost_count; i++) {
            tables->ghosts[fill->ghost + i][0] = plan->ghosts[patch->ghost_at + i];
            tables->ghosts[fill->ghost + i][1] = plan->ghost_slot[patch->ghost_at + i];
        }
        patch_tables_fill_pairs(fill, p);
        if (!fill_figures(fill, p)) return false;
        fill_fabric(fill, p);
        fill_groups(fill, patch, p);
        fill->fabric += rows * fill->sums;
        fill->fabric_step += fill->sum_steps + 1;
        fill->own += patch->own_count;
        fill->anchor += fill->anchors_of_patch;
        fill->ghost += patch->ghost_count;
        fill->step += plan->pair_steps + plan->figure_steps + 3;
    }
    uint32_t groups = copies * plan->patch_count;
    for (uint32_t k = 0; k < groups; k++)
        tables->groups[fill->group + k].shape_count = tables->shape_count - fill->shape;
    raise(&tables->most_shapes, tables->shape_count - fill->shape);
    fill->group += groups;
    fill->slot += copies * plan->slot_count;
    fill->shape = tables->shape_count;
    return true;
}

/* ---- complete tables ---- */

static hed_status prepare_garment(
    filling *fill, bool grouped_lengths, length_groups *groups, hed_error *error)
{
    const cloth_garment *garment = fill->cloth->garments[fill->garment];
    const hed_allocator *allocator = &fill->tables->allocator;
    fill->anchor_place =
        hed_new(allocator, garment->anchor_count, sizeof *fill->anchor_place, error);
    fill->materials = hed_new(allocator, garment->material_count, sizeof *fill->materials, error);
    fill->local = hed_new(allocator, garment->particle_count, sizeof *fill->local, error);
    if (!fill->anchor_place || !fill->materials || !fill->local) return HED_ERROR_MEMORY;
    hed_status status =
        number_materials(fill->cloth, fill->garment, fill->tables, fill->materials, error);
    if (status || !grouped_lengths) return status;
    float *sorted = hed_new(allocator, garment->constraint_count, sizeof *sorted, error);
    if (!sorted) return HED_ERROR_MEMORY;
    fill->lengths = group_lengths(garment, sorted, groups) ? groups : NULL;
    hed_delete(allocator, sorted, garment->constraint_count, sizeof *sorted);
    return HED_OK;
}

/* Fills all tables from the beginning. `*few`: in: true to use shapes for figures; out: true if the
 * shapes are few enough. */
static hed_status patch_tables_fill_all(const hed_cloth *cloth, cloth_plan *const *plans,
    cloth_patch_tables *tables, bool *fits, hed_error *error)
{
    bool tried = *fits;
    tables->shape_count = 0;
    tables->figure_words = tried ? 2 : 8;
    tables->block = NULL;
    patch_tables_lay_out(cloth, tables);
    tables->size = tables->used;
    tables->block = hed_new(&tables->allocator, tables->size, 1, error);
    length_groups *groups = hed_new(&tables->allocator, 1, sizeof *groups, error);
    hed_status status = tables->block && groups ? HED_OK : HED_ERROR_MEMORY;
    if (!status) patch_tables_lay_out(cloth, tables);
    filling fill = {
        .cloth = cloth, .tables = tables, .limited = tables->ranges || tables->compliance};
    for (uint32_t g = 0; g < cloth->garment_count && !status && *fits == tried; g++) {
        const cloth_garment *garment = cloth->garments[g];
        fill.garment = g;
        fill.plan = plans[g];
        fill.lengths = NULL;
        status = prepare_garment(&fill, tried, groups, error);
        if (!status && tried && !fill.lengths) *fits = false;
        else if (!status && !fill_garment(&fill)) *fits = false;
        hed_delete(&tables->allocator, fill.anchor_place, garment->anchor_count,
            sizeof *fill.anchor_place);
        hed_delete(
            &tables->allocator, fill.materials, garment->material_count, sizeof *fill.materials);
        hed_delete(&tables->allocator, fill.local, garment->particle_count, sizeof *fill.local);
    }
    tables->used = (uint64_t)((char *)(tables->anchors + fill.anchor) - tables->block);
    hed_delete(&tables->allocator, groups, 1, sizeof *groups);
    return status;
}

/* Finds out if a material of any garment has compliance or a range: then all entries have a
 * material number. */
static hed_status look_at_materials(
    const hed_cloth *cloth, cloth_patch_tables *tables, hed_error *error)
{
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        uint8_t *numbers = hed_new(&tables->allocator, garment->material_count, 1, error);
        hed_status status =
            numbers ? number_materials(cloth, g, tables, numbers, error) : HED_ERROR_MEMORY;
        hed_delete(&tables->allocator, numbers, garment->material_count, 1);
        if (status) return status;
    }
    return HED_OK;
}

hed_status cloth_patch_tables_create(
    const hed_cloth *cloth, cloth_plan *const *plans, cloth_patch_tables *tables, hed_error *error)
{
    *tables = (cloth_patch_tables){.allocator = cloth->allocator};
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_plan *plan = plans[g];
        uint32_t copies = cloth->garments[g]->copies;
        tables->group_count += copies * plan->patch_count;
        tables->own_count += cloth->garments[g]->particle_count;
        tables->ghost_count += plan->ghost_total;
        tables->step_count += plan->patch_count * (plan->pair_steps + plan->figure_steps + 3);
        tables->pair_count += plan->pair_count;
        tables->figure_count += plan->figure_count;
        tables->slot_count += copies * plan->slot_count;
        tables->fabric_rows += cloth_sums_of(cloth->garments[g]).words / 4 * plan->sum_count;
        tables->fabric_step_count += plan->patch_count * (2 * plan->sum_colours + 1);
    }
    bool fits = tables->figure_count > 0, tried = fits;
    /* strict mode rounds rests of all materials */
    tables->ranges = cloth->def.math == HED_MATH_STRICT;
    if (look_at_materials(cloth, tables, error)) return error->status;
    patch_tables_fill_all(cloth, plans, tables, &fits, error);
    if (!error->status && tried && !fits) {
        cloth_patch_tables_destroy(tables);
        patch_tables_fill_all(cloth, plans, tables, &fits, error);
    }
    if (error->status) cloth_patch_tables_destroy(tables);
    return error->status;
}
