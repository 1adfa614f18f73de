/* Tables of the solver of colours: constraints in order of colour or of a plan, lines, elements, cells and
 * materials of all garments. */
#include "solver/colours.h"

#include <inttypes.h>
#include <string.h>

/* ---- plans and counts ---- */

static uint32_t colours_of(const cloth_garment *garment, const cloth_plan *plan)
{
    return plan ? plan->pair_steps : garment->colour_count;
}

static cloth_sums sums_of(const cloth_garment *garment, bool cells)
{
    return cells ? cloth_cells_of(garment) : cloth_elements_of(garment);
}

static void count_sums(const hed_cloth *cloth, bool cells, sum_list *list, uint64_t *count)
{
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        cloth_sums sums = sums_of(cloth->garments[g], cells);
        *count += (uint64_t)cloth->garments[g]->copies * sums.count;
        if (sums.colours > list->colours) list->colours = sums.colours;
    }
    list->count = (uint32_t)*count;
}

static hed_status colours_count_all(const hed_cloth *cloth, cloth_solver *s, hed_error *error)
{
    uint64_t constraints = 0, materials = 0, elements = 0, cells = 0;
    count_sums(cloth, false, &s->elements, &elements);
    count_sums(cloth, true, &s->cells, &cells);
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        constraints +=
            (uint64_t)cloth->garments[g]->copies * cloth_kept_constraints(cloth->garments[g]);
        materials += cloth->garments[g]->material_count;
    }
    if (constraints > 1u << 30)
        return hed_fail(
            error, HED_ERROR_LIMIT, "%" PRIu64 " constraints: at most 2^30", constraints);
    if (elements > 1u << 28) /* eight rows for each element */
        return hed_fail(
            error, HED_ERROR_LIMIT, "%" PRIu64 " triangles of fabrics: at most 2^28", elements);
    if (cells > 1u << 30)
        return hed_fail(
            error, HED_ERROR_LIMIT, "%" PRIu64 " cells of fabrics: at most 2^30", cells);
    if (materials > 1u << 16)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%" PRIu64 " materials of all garments: at most 65536", materials);
    s->constraints = (uint32_t)constraints;
    s->materials_count = (uint32_t)materials;
    s->colours = 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        if (colours_of(cloth->garments[g], s->plans[g]) > s->colours)
            s->colours = colours_of(cloth->garments[g], s->plans[g]);
    return HED_OK;
}

static hed_status make_orders(hed_cloth *cloth, cloth_solver *s, hed_error *error)
{
    s->plans = hed_new(&cloth->allocator, cloth->garment_count, sizeof *s->plans, error);
    for (uint32_t g = 0; g < cloth->garment_count && !error->status; g++) {
        cloth_plan_def def = cloth_strict_plan(cloth->garments[g]);
        if (cloth_is_planned(cloth, cloth->garments[g]))
            cloth_plan_create(cloth->garments[g], &def, &s->plans[g], error);
    }
    return error->status;
}

void cloth_colours_end_plan(hed_cloth *cloth, cloth_solver *s)
{
    for (uint32_t g = 0; s->plans && g < cloth->garment_count; g++) cloth_plan_destroy(s->plans[g]);
    hed_delete(&cloth->allocator, s->plans, cloth->garment_count, sizeof *s->plans);
    s->plans = NULL;
}

hed_status cloth_colours_plan(hed_cloth *cloth, cloth_solver *s, hed_error *error)
{
    return make_orders(cloth, s, error) ? error->status : colours_count_all(cloth, s, error);
}

/* ---- tables ---- */

typedef struct tables {
    uint2 *ends;
    float *rests;
    ushort *kinds;
    float4 *materials;
    uint32_t at; /* constraints so far */
} tables;

/* Fills colour c of a garment, or step c of its plan, for all of its copies. */
static void colours_add_colour(const hed_cloth *cloth, const cloth_plan *plan, uint32_t garment,
    uint32_t colour, uint32_t first_material, tables *t)
{
    const cloth_garment *g = cloth->garments[garment];
    const uint32_t *at = plan ? plan->step_at : g->colour_at;
    for (uint32_t copy = 0; copy < g->copies; copy++) {
        uint32_t first = cloth->first_particle[garment] + copy * g->particle_count;
        for (uint32_t i = at[colour]; i < at[colour + 1]; i++, t->at++) {
            const hed_cloth_constraint *c = &g->constraints[plan ? plan->order[i] : i];
            uint32_t bits = cloth_rest_bits(c->rest);
            t->ends[t->at] = (uint2){first + c->a, first + c->b};
            t->rests[t->at] = c->rest;
            if (plan) memcpy(t->rests + t->at, &bits, sizeof bits);
            t->kinds[t->at] = (ushort)(first_material + c->material);
        }
    }
}

static void fill_materials(const hed_cloth *cloth, float4 *materials)
{
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        for (uint32_t m = 0; m < cloth->garments[g]->material_count; m++) {
            const hed_cloth_material *material = &cloth->garments[g]->materials[m];
            *materials++ =
                (float4){material->compress, material->stretch, material->compliance, 0.0f};
        }
}

/* Fills the constraints of all garments in order of colour, and the materials of all garments. */
static void colours_fill_tables(const hed_cloth *cloth, cloth_solver *s, tables *t)
{
    for (uint32_t c = 0; c < s->colours; c++) {
        uint32_t first_material = 0;
        s->colour_at[c] = t->at;
        for (uint32_t g = 0; g < cloth->garment_count; g++) {
            if (c < colours_of(cloth->garments[g], s->plans[g]))
                colours_add_colour(cloth, s->plans[g], g, c, first_material, t);
            first_material += cloth->garments[g]->material_count;
        }
    }
    s->colour_at[s->colours] = t->at;
    fill_materials(cloth, t->materials);
}

static hed_status upload_tables(hed_cloth *cloth, cloth_solver *s, hed_error *error)
{
    const hed_allocator *a = &cloth->allocator;
    uint64_t n = s->constraints;
    tables t = {.ends = hed_new(a, n, sizeof *t.ends, error)};
    t.rests = hed_new(a, n, sizeof *t.rests, error);
    t.kinds = hed_new(a, n, sizeof *t.kinds, error);
    t.materials = hed_new(a, s->materials_count, sizeof *t.materials, error);
    if (t.materials) colours_fill_tables(cloth, s, &t);
    cloth_upload(cloth, t.ends, n * sizeof *t.ends, &s->b.ends, error);
    cloth_upload(cloth, t.rests, n * sizeof *t.rests, &s->b.rests, error);
    cloth_upload(cloth, t.kinds, n * sizeof *t.kinds, &s->b.kinds, error);
    cloth_upload(
        cloth, t.materials, s->materials_count * sizeof *t.materials, &s->b.materials, error);
    hed_delete(a, t.materials, s->materials_count, sizeof *t.materials);
    hed_delete(a, t.kinds, n, sizeof *t.kinds);
    hed_delete(a, t.rests, n, sizeof *t.rests);
    hed_delete(a, t.ends, n, sizeof *t.ends);
    return error->status;
}

/* Fills the lines of all garments in order of set, copy after copy, and the weights of each
 * garment. */
static void fill_lines(const hed_cloth *cloth, cloth_solver *s, uint4 *lines, float (*weights)[4])
{
    uint32_t at = 0, row = 0;
    for (uint32_t set = 0; set < CLOTH_LINE_SETS; set++, s->line_at[set] = at)
        for (uint32_t g = 0, first_row = 0; g < cloth->garment_count; g++) {
            const cloth_garment *garment = cloth->garments[g];
            for (uint32_t copy = 0; copy < garment->copies; copy++) {
                uint32_t first = cloth->first_particle[g] + copy * garment->particle_count;
                for (uint32_t i = garment->line_at[set]; i < garment->line_at[set + 1]; i++, at++) {
                    const cloth_line *line = garment->lines + i;
                    lines[2 * at] =
                        (uint4){first + line->first, line->count, line->step, line->across};
                    lines[2 * at + 1] = (uint4){first_row + line->weights, row, 0, 0};
                    row += line->count + line->count % 2;
                }
            }
            if (set == 0 && garment->line_rows)
                memcpy(weights + first_row, garment->line_weights,
                    garment->line_rows * sizeof *weights);
            first_row += garment->line_rows;
        }
}

static hed_status upload_lines(hed_cloth *cloth, cloth_solver *s, hed_error *error)
{
    const hed_allocator *a = &cloth->allocator;
    uint64_t rows = 0, weight_rows = 0, count = 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        rows += (uint64_t)garment->copies * garment->line_rows;
        weight_rows += garment->line_rows;
        count += (uint64_t)garment->copies * garment->line_at[CLOTH_LINE_SETS];
    }
    if (!rows || error->status) return error->status;
    if (rows > 1u << 30)
        return hed_fail(
            error, HED_ERROR_LIMIT, "%" PRIu64 " bending constraints: at most 2^30", rows);
    uint64_t even_rows = rows + count;
    uint4 *lines = hed_new(a, 2 * count, sizeof *lines, error);
    float(*weights)[4] = hed_new(a, weight_rows, sizeof *weights, error);
    if (lines && weights) fill_lines(cloth, s, lines, weights);
    cloth_upload(cloth, lines, 2 * count * sizeof *lines, &s->b.lines, error);
    cloth_upload(cloth, weights, weight_rows * sizeof *weights, &s->b.weights, error);
    cloth_upload(cloth, NULL, even_rows * sizeof(float4), &s->b.sums, error);
    cloth_upload(cloth, NULL, even_rows * sizeof(float4), &s->b.links, error);
    if (cloth->def.iterations > 1)
        cloth_upload(cloth, NULL, even_rows * sizeof(float4), &s->b.pulled, error);
    hed_delete(a, weights, weight_rows, sizeof *weights);
    hed_delete(a, lines, 2 * count, sizeof *lines);
    return cloth_kernel_ensure(cloth, CLOTH_KERNEL_LINES, (uint32_t)count, error);
}

/* Fills the sums of all garments in order of colour; row r of all sums before row r + 1. */
static void fill_sums(const hed_cloth *cloth, bool cells, sum_list *list, uint4 *rows)
{
    uint32_t at = 0;
    for (uint32_t colour = 0; colour < list->colours; colour++, list->at[colour] = at)
        for (uint32_t g = 0; g < cloth->garment_count; g++) {
            const cloth_garment *garment = cloth->garments[g];
            cloth_sums sums = sums_of(garment, cells);
            for (uint32_t copy = 0; colour < sums.colours && copy < garment->copies; copy++) {
                uint32_t first = cloth->first_particle[g] + copy * garment->particle_count;
                for (uint32_t i = sums.at[colour]; i < sums.at[colour + 1]; i++, at++) {
                    uint32_t item[CLOTH_ELEMENT_WORDS];
                    memcpy(item, sums.items + (size_t)sums.words * i, sums.words * sizeof *item);
                    for (uint32_t v = 0; v < sums.particles; v++) item[v] += first;
                    for (uint64_t row = 0; row < sums.words / 4; row++)
                        memcpy(rows + row * list->count + at, item + 4 * row, sizeof *rows);
                }
            }
        }
}

static hed_status upload_sums(hed_cloth *cloth, bool cells, sum_list *list, hed_buffer **buffer,
    hed_buffer **pulled, hed_error *error)
{
    uint64_t n = list->count, size = cells ? sizeof(cloth_diagonals) : sizeof(cloth_element);
    if (!n) return error->status;
    uint4 *rows = hed_new(&cloth->allocator, n, size, error);
    list->at = hed_new(&cloth->allocator, list->colours + 1, sizeof *list->at, error);
    if (rows && list->at) fill_sums(cloth, cells, list, rows);
    cloth_upload(cloth, rows, n * size, buffer, error);
    if (cloth->def.iterations > 1)
        cloth_upload(cloth, NULL, (cells ? 1 : 3) * n * sizeof(float4), pulled, error);
    hed_delete(&cloth->allocator, rows, n, size);
    return cloth_kernel_ensure(
        cloth, cells ? CLOTH_KERNEL_CELLS : CLOTH_KERNEL_ELEMENTS, n / list->colours, error);
}

/* Uploads the elements in patches, if lattices move the cloth; they need one iteration. */
static hed_status upload_patches(hed_cloth *cloth, cloth_solver *s, hed_error *error)
{
    hed_arena scratch = {.allocator = cloth->allocator, .owner = "patches of a fabric"};
    cloth_element_patches made = {0};
    if (s->has_tension && s->elements.count && !error->status)
        cloth_element_patches_make(cloth, &scratch, &made, error);
    if (made.patches && !error->status) {
        s->patches = made.patches;
        s->patches_first = true;
        for (uint32_t g = 0; g < cloth->garment_count; g++)
            s->patches_first &= cloth->garments[g]->element_count > 0;
        s->patched = made.tables;
        cloth_upload(cloth, made.words, made.word_rows * sizeof *made.words, &s->b.elements, error);
        uint64_t pulls = made.pulls * sizeof(float), positions = cloth->particles * sizeof(float4);
        bool is_task = cloth->ops->id == HED_CLOTH_SOLVER_COOPERATIVE;
        cloth_upload(cloth, NULL, positions + (is_task ? pulls : 0), &s->b.moved, error);
        if (!is_task) cloth_upload(cloth, NULL, pulls, &s->b.element_pulled, error);
        cloth_kernel_ensure(cloth, CLOTH_KERNEL_ELEMENT_PATCHES, s->patches, error);
    }
    hed_arena_free(&scratch);
    return error->status;
}

/* True if constraints need multipliers (XPBD): several iterations, and some compliance. */
static bool needs_multipliers(const hed_cloth *cloth)
{
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        for (uint32_t m = 0; m < cloth->garments[g]->material_count; m++)
            if (cloth->garments[g]->materials[m].compliance > 0.0f)
                return cloth->def.iterations > 1;
    return false;
}

hed_status cloth_colours_upload(hed_cloth *cloth, cloth_solver *s, hed_error *error)
{
    upload_tables(cloth, s, error);
    cloth_colours_end_plan(cloth, s);
    upload_lines(cloth, s, error);
    if (!upload_patches(cloth, s, error) && !s->patches)
        upload_sums(cloth, false, &s->elements, &s->b.elements, &s->b.element_pulled, error);
    upload_sums(cloth, true, &s->cells, &s->b.cells, &s->b.cell_pulled, error);
    if (needs_multipliers(cloth))
        cloth_upload(cloth, NULL, s->constraints * sizeof(float), &s->b.multipliers, error);
    return error->status;
}

hed_status cloth_colours_upload_sets(hed_cloth *cloth, cloth_solver *s, hed_error *error)
{
    uint64_t count = 0;
    for (uint32_t c = 0; c < s->colours; c++)
        count += (s->colour_at[c + 1] - s->colour_at[c] + s->width - 1) / s->width;
    uint32_t *set_at = hed_new(&cloth->allocator, count + 1, sizeof *set_at, error);
    if (!set_at) return HED_ERROR_MEMORY;
    for (uint32_t c = 0; c < s->colours; c++)
        for (uint32_t at = s->colour_at[c]; at < s->colour_at[c + 1]; at += s->width)
            set_at[s->sets++] = at;
    set_at[s->sets] = s->constraints;
    hed_status status =
        cloth_upload(cloth, set_at, (count + 1) * sizeof *set_at, &s->b.set_at, error);
    hed_delete(&cloth->allocator, set_at, count + 1, sizeof *set_at);
    return status;
}

hed_status cloth_colours_send_materials(hed_cloth *cloth, const cloth_solver *s, hed_error *error)
{
    float4 *materials = hed_new(&cloth->allocator, s->materials_count, sizeof *materials, error);
    if (!materials) return HED_ERROR_MEMORY;
    fill_materials(cloth, materials);
    cloth_send(cloth, s->b.materials, 0, materials, s->materials_count * sizeof *materials, error);
    hed_delete(&cloth->allocator, materials, s->materials_count, sizeof *materials);
    return error->status;
}
