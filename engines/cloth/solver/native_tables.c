/* Tables of HED_CLOTH_SOLVER_CPU: bands of the whole cloth, and packs of its figures by step and
 * band. The figures of a pack have the same materials. Empty lanes of a pack repeat its first
 * figure: the same numbers give the same result again. */
#include "solver/native.h"
#include "solver/tension.h"

#include <stdlib.h>
#include <string.h>

enum {
    BAND_PARTICLES = 512
}; /* minimum of a band: a few packs of each step; several bands fit into the second-level cache */

typedef struct entry {
    uint32_t figure, garment, first_particle, cell;
    uint64_t signature; /* hash of its materials and even weight */
} entry;

typedef struct builder {
    const hed_cloth *cloth;
    cloth_native_tables *result;
    cloth_figures **figures;  /* (garment_count) */
    uint32_t *first_level;    /* (garment_count + 1) levels of all copies */
    uint32_t *first_material; /* (garment_count) */
    uint32_t *material;       /* (materials of all garments) first equal material */
    uint32_t material_count;
    uint32_t *band; /* (levels of all garments) */
    uint32_t first_step[CLOTH_SHAPE_COUNT];
    entry *entries, *sorted; /* (count) */
    uint64_t count;
    uint64_t *cell_at; /* (cells + 1) */
    hed_arena scratch;
} builder;

/* ---- bands ---- */

/* Joins consecutive levels to bands of at least BAND_PARTICLES particles. */
static hed_status make_bands(builder *b, hed_error *error)
{
    const hed_cloth *cloth = b->cloth;
    uint32_t levels = b->first_level[cloth->garment_count], bands = 0, held = 0;
    uint32_t *count = hed_arena_new(&b->scratch, levels, sizeof *count, error);
    b->band = hed_arena_new(&b->scratch, levels, sizeof *b->band, error);
    if (!b->scratch.failed) {
        for (uint32_t g = 0; g < cloth->garment_count; g++)
            for (uint32_t copy = 0; copy < cloth->garments[g]->copies; copy++)
                for (uint32_t i = 0; i < cloth->garments[g]->particle_count; i++)
                    count[b->first_level[g] + copy * b->figures[g]->level_count +
                          b->figures[g]->level[i]]++;
        for (uint32_t l = 0; l < levels; l++) {
            b->band[l] = bands;
            held += count[l];
            if (held < BAND_PARTICLES && l + 1 < levels) continue;
            bands++;
            held = 0;
        }
    }
    b->result->band_count = bands;
    return bands ? HED_OK : HED_ERROR_MEMORY;
}

static uint32_t band_of(const builder *b, uint32_t garment, uint32_t copy, uint32_t particle)
{
    return b->band[b->first_level[garment] + copy * b->figures[garment]->level_count +
                   b->figures[garment]->level[particle]];
}

/* Finds runs of consecutive particles with one band and garment: counts the runs of each band, or
 * with `write` writes them. */
static void list_particles(builder *b, bool write)
{
    cloth_native_tables *result = b->result;
    const hed_cloth *cloth = b->cloth;
    uint32_t last = CLOTH_NONE, last_garment = CLOTH_NONE;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        for (uint32_t copy = 0; copy < cloth->garments[g]->copies; copy++)
            for (uint32_t i = 0; i < cloth->garments[g]->particle_count; i++) {
                uint32_t band = band_of(b, g, copy, i),
                         particle = cloth->first_particle[g] +
                                    copy * cloth->garments[g]->particle_count + i;
                bool again = band == last && g == last_garment;
                last = band, last_garment = g;
                if (!write) result->particles_at[band + 1] += !again;
                else if (again) result->particles[result->particles_at[band] - 1].count++;
                else
                    result->particles[result->particles_at[band]++] =
                        (cloth_particles){particle, 1, cloth->base_garment + g};
            }
}

static hed_status make_particles(builder *b, hed_error *error)
{
    cloth_native_tables *result = b->result;
    result->particles_at = hed_arena_new(
        &result->arena, (uint64_t)result->band_count + 1, sizeof *result->particles_at, error);
    if (!result->particles_at) return HED_ERROR_MEMORY;
    list_particles(b, false);
    for (uint32_t k = 0; k < result->band_count; k++)
        result->particles_at[k + 1] += result->particles_at[k];
    result->particle_runs = result->particles_at[result->band_count];
    result->particles =
        hed_arena_new(&result->arena, result->particle_runs, sizeof *result->particles, error);
    if (!result->particles) return HED_ERROR_MEMORY;
    list_particles(b, true);
    memmove(result->particles_at + 1, result->particles_at,
        result->band_count * sizeof *result->particles_at);
    result->particles_at[0] = 0;
    return HED_OK;
}

/* ---- figures by step and band ---- */

/* Common inverse mass of the particles of a rigid figure, 1/kg; 0: inverse masses differ or the
 * figure is not rigid. Even figures have a shorter formula and packs of their own, so that the
 * formula of a figure does not depend on the other figures of the cloth. */
static float even_weight(const cloth_garment *garment, const cloth_found *figure)
{
    if (figure->shape < CLOTH_SHAPE_RING) return 0.0f;
    float weight = garment->positions[figure->particle[0]][3];
    for (uint32_t v = 1; v < cloth_shape_particles(figure->shape); v++)
        if (garment->positions[figure->particle[v]][3] != weight) return 0.0f;
    for (uint32_t e = 0; e < cloth_shape_constraints(figure->shape); e++) {
        const hed_cloth_material *m =
            garment->materials + garment->constraints[figure->constraint[e]].material;
        if (m->compress != 1.0f || m->stretch != 1.0f || m->compliance != 0.0f) return 0.0f;
    }
    return weight;
}

static uint64_t signature_of(const builder *b, uint32_t garment, const cloth_found *figure)
{
    uint64_t signature = hed_as_uint(even_weight(b->cloth->garments[garment], figure));
    for (uint32_t e = 0; e < cloth_shape_constraints(figure->shape); e++) {
        uint32_t material =
            b->material[b->first_material[garment] +
                        b->cloth->garments[garment]->constraints[figure->constraint[e]].material];
        signature = (signature ^ material) * 0x9e3779b97f4a7c15u;
    }
    return signature;
}

static int compare_entries(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    if (a->signature != b->signature) return a->signature < b->signature ? -1 : 1;
    if (a->first_particle != b->first_particle)
        return a->first_particle < b->first_particle ? -1 : 1;
    return a->figure < b->figure ? -1 : a->figure > b->figure;
}

static void list_entries(builder *b)
{
    const hed_cloth *cloth = b->cloth;
    uint64_t at = 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        for (uint32_t copy = 0; copy < cloth->garments[g]->copies; copy++)
            for (uint32_t k = 0; k < b->figures[g]->count; k++) {
                const cloth_found *figure = b->figures[g]->figures + k;
                uint32_t first =
                    cloth->first_particle[g] + copy * cloth->garments[g]->particle_count;
                /* first band of its particles; all of them are in this band or the next */
                uint32_t band = CLOTH_NONE;
                for (uint32_t v = 0; v < cloth_shape_particles(figure->shape); v++) {
                    uint32_t other = band_of(b, g, copy, figure->particle[v]);
                    if (other < band) band = other;
                }
                uint32_t cell =
                    (b->first_step[figure->shape] + figure->step) * b->result->band_count + band;
                b->entries[at++] = (entry){k, g, first, cell, signature_of(b, g, figure)};
                b->cell_at[cell + 1]++;
            }
}

static void sort_entries(builder *b)
{
    uint64_t cells = (uint64_t)b->result->step_count * b->result->band_count;
    for (uint64_t c = 0; c < cells; c++) b->cell_at[c + 1] += b->cell_at[c];
    for (uint64_t k = 0; k < b->count; k++)
        b->sorted[b->cell_at[b->entries[k].cell]++] = b->entries[k];
    memmove(b->cell_at + 1, b->cell_at, cells * sizeof *b->cell_at);
    b->cell_at[0] = 0;
    for (uint64_t c = 0; c < cells; c++) {
        bool mixed = false;
        for (uint64_t k = b->cell_at[c] + 1; k < b->cell_at[c + 1]; k++)
            mixed |= b->sorted[k].signature != b->sorted[k - 1].signature;
        if (mixed)
            qsort(b->sorted + b->cell_at[c], b->cell_at[c + 1] - b->cell_at[c], sizeof *b->sorted,
                compare_entries);
    }
}

/* ---- packs ---- */

static const cloth_found *figure_of(const builder *b, const entry *e)
{
    return b->figures[e->garment]->figures + e->figure;
}

static uint32_t material_of(const builder *b, const entry *e, uint32_t edge)
{
    return b->material[b->first_material[e->garment] +
                       b->cloth->garments[e->garment]
                           ->constraints[figure_of(b, e)->constraint[edge]]
                           .material];
}

static float even_weight_of(const builder *b, const entry *e)
{
    return even_weight(b->cloth->garments[e->garment], figure_of(b, e));
}

/* True if one pack may contain both figures. */
static bool go_together(const builder *b, const entry *a, const entry *e)
{
    if (even_weight_of(b, a) != even_weight_of(b, e)) return false;
    for (uint32_t k = 0; k < cloth_shape_constraints(figure_of(b, a)->shape); k++)
        if (material_of(b, a, k) != material_of(b, e, k)) return false;
    return true;
}

/* Number of entries from `at` on that fit into one pack. */
static uint32_t pack_fill(const builder *b, uint64_t at, uint64_t end)
{
    uint32_t count = 1;
    while (count < CLOTH_LANES && at + count < end &&
           go_together(b, b->sorted + at, b->sorted + at + count))
        count++;
    return count;
}

static void write_pack(const builder *b, uint32_t *words, const entry *entries, uint32_t count)
{
    cloth_shape shape = figure_of(b, entries)->shape;
    uint32_t particles = cloth_shape_particles(shape), *offsets = words + CLOTH_LANES,
             *rests = offsets + CLOTH_LANES * particles;
    for (uint32_t e = 0; e < cloth_shape_constraints(shape); e++)
        words[e] = material_of(b, entries, e);
    for (uint32_t lane = 0; lane < CLOTH_LANES; lane++) {
        const entry *from = entries + (lane < count ? lane : 0);
        const cloth_garment *garment = b->cloth->garments[from->garment];
        const cloth_found *figure = figure_of(b, from);
        for (uint32_t v = 0; v < particles; v++) {
            offsets[CLOTH_LANES * v + lane] =
                (uint32_t)((from->first_particle + figure->particle[v]) * sizeof(float4));
            words[CLOTH_LOCKED] |= !(garment->positions[figure->particle[v]][3] > 0.0f);
        }
        const cloth_sums sums =
            shape == CLOTH_SHAPE_ELEMENT ? cloth_elements_of(garment) : cloth_cells_of(garment);
        for (uint32_t k = particles; shape < CLOTH_SHAPE_RING && k < sums.words; k++)
            rests[CLOTH_LANES * (k - particles) + lane] =
                sums.items[(size_t)sums.words * figure->constraint[0] + k];
        for (uint32_t e = 0; e < cloth_shape_constraints(shape); e++)
            rests[CLOTH_LANES * e + lane] =
                hed_as_uint(garment->constraints[figure->constraint[e]].rest);
    }
    words[CLOTH_EVEN] = hed_as_uint(even_weight_of(b, entries));
}

static hed_status make_packs(builder *b, hed_error *error)
{
    cloth_native_tables *result = b->result;
    uint64_t cells = (uint64_t)result->step_count * result->band_count;
    result->packs = hed_arena_new(&result->arena, cells, sizeof *result->packs, error);
    if (!result->packs) return HED_ERROR_MEMORY;
    for (uint64_t c = 0; c < cells; c++) {
        result->packs[c].shape = result->shape[c / result->band_count];
        for (uint64_t k = b->cell_at[c]; k < b->cell_at[c + 1];
             k += pack_fill(b, k, b->cell_at[c + 1]))
            result->packs[c].count++;
        result->word_count +=
            (uint64_t)result->packs[c].count * cloth_pack_words(result->packs[c].shape);
    }
    result->words = hed_arena_new(&result->arena, result->word_count, sizeof *result->words, error);
    if (!result->words) return HED_ERROR_MEMORY;
    uint32_t *words = result->words;
    bool is_swept = cloth_has_tension(b->cloth);
    for (uint64_t c = 0; c < cells; c++) {
        cloth_packs *packs = result->packs + c;
        packs->words = words;
        if (is_swept && packs->shape == CLOTH_SHAPE_ELEMENT && packs->count)
            packs->pulled = hed_arena_new(&result->arena, (uint64_t)packs->count * 3 * CLOTH_LANES,
                sizeof *packs->pulled, error);
        for (uint64_t k = b->cell_at[c]; k < b->cell_at[c + 1];
             words += cloth_pack_words(result->packs[c].shape)) {
            uint32_t count = pack_fill(b, k, b->cell_at[c + 1]);
            write_pack(b, words, b->sorted + k, count);
            k += count;
        }
    }
    return result->arena.failed ? HED_ERROR_MEMORY : HED_OK;
}

/* ---- lines ---- */

/* Counts the packs of one set of a garment's lines, including copies; with `write` writes them. */
static void list_lines(builder *b, uint32_t g, uint32_t set, bool write)
{
    cloth_native_tables *result = b->result;
    const cloth_garment *garment = b->cloth->garments[g];
    uint32_t first = garment->line_at[set], each = garment->line_at[set + 1] - first,
             count = each * garment->copies;
    for (uint32_t k = 0; k < count; k += CLOTH_LANES) {
        const cloth_line *any = garment->lines + first; /* all lines of a set have the same shape */
        uint32_t *words = result->line_words + result->line_word_count,
                 pack = result->line_pack_at[set + 1]++;
        result->line_word_count += CLOTH_LANES * (1 + 4 * (uint64_t)any->count);
        if (any->count > result->longest_line) result->longest_line = any->count;
        if (!write) continue;
        result->line_packs[pack] = (cloth_line_pack){words, any->count,
            (uint32_t)(any->step * sizeof(float4)), (uint32_t)(any->across * sizeof(float4))};
        for (uint32_t lane = 0; lane < CLOTH_LANES; lane++) {
            uint32_t number = k + lane < count ? k + lane : k;
            const cloth_line *line = any + number % each;
            words[lane] = (uint32_t)((b->cloth->first_particle[g] +
                                         number / each * garment->particle_count + line->first) *
                                     sizeof(float4));
            for (uint32_t j = 0; j < 4 * line->count; j++)
                words[CLOTH_LANES * (1 + j) + lane] =
                    hed_as_uint(garment->line_weights[line->weights + j / 4][j % 4]);
        }
    }
}

static hed_status make_line_packs(builder *b, hed_error *error)
{
    cloth_native_tables *result = b->result;
    for (int write = 0; write < 2; write++) {
        for (uint32_t set = 0; set < CLOTH_LINE_SETS; set++) {
            result->line_pack_at[set + 1] = result->line_pack_at[set];
            for (uint32_t g = 0; g < b->cloth->garment_count; g++) list_lines(b, g, set, write);
        }
        if (write) break;
        result->line_packs = hed_arena_new(&result->arena, result->line_pack_at[CLOTH_LINE_SETS],
            sizeof *result->line_packs, error);
        result->line_words = hed_arena_new(
            &result->arena, result->line_word_count, sizeof *result->line_words, error);
        if (result->arena.failed) return HED_ERROR_MEMORY;
        result->line_word_count = 0;
    }
    return HED_OK;
}

/* ---- complete tables ---- */

/* Finds equal materials of a garment, so that packs can mix families of constraints. */
static hed_status find_same_materials(builder *b, hed_error *error)
{
    const hed_cloth *cloth = b->cloth;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        b->material_count += cloth->garments[g]->material_count;
    b->material = hed_arena_new(&b->scratch, b->material_count, sizeof *b->material, error);
    if (!b->material) return HED_ERROR_MEMORY;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const hed_cloth_material *own = cloth->garments[g]->materials;
        for (uint32_t m = 0; m < cloth->garments[g]->material_count; m++) {
            uint32_t same = 0;
            while (own[same].compress != own[m].compress || own[same].stretch != own[m].stretch ||
                   own[same].compliance != own[m].compliance)
                same++;
            b->material[b->first_material[g] + m] = b->first_material[g] + same;
        }
    }
    return HED_OK;
}

static hed_status cpu_tables_make_figures(builder *b, hed_error *error)
{
    const hed_cloth *cloth = b->cloth;
    uint32_t garments = cloth->garment_count, materials = 0;
    b->figures = hed_arena_new(&b->scratch, garments, sizeof *b->figures, error);
    b->first_level =
        hed_arena_new(&b->scratch, (uint64_t)garments + 1, sizeof *b->first_level, error);
    b->first_material = hed_arena_new(&b->scratch, garments, sizeof *b->first_material, error);
    if (b->scratch.failed) return HED_ERROR_MEMORY;
    uint32_t steps[CLOTH_SHAPE_COUNT] = {0};
    for (uint32_t g = 0; g < garments; g++) {
        hed_status status = cloth_figures_create(cloth->garments[g], b->figures + g, error);
        if (status) return status;
        const cloth_figures *figures = b->figures[g];
        b->first_level[g + 1] =
            b->first_level[g] + figures->level_count * cloth->garments[g]->copies;
        b->first_material[g] = materials;
        materials += cloth->garments[g]->material_count;
        b->count += (uint64_t)figures->count * cloth->garments[g]->copies;
        for (int s = 0; s < CLOTH_SHAPE_COUNT; s++)
            if (figures->steps[s] > steps[s]) steps[s] = figures->steps[s];
    }
    cloth_native_tables *result = b->result;
    for (int s = 0; s < CLOTH_SHAPE_COUNT; s++) {
        b->first_step[s] = result->step_count;
        result->step_count += steps[s];
    }
    result->shape = hed_arena_new(&result->arena, result->step_count, sizeof *result->shape, error);
    if (!result->shape) return HED_ERROR_MEMORY;
    for (int shape = 0; shape < CLOTH_SHAPE_COUNT; shape++)
        for (uint32_t s = b->first_step[shape]; s < result->step_count; s++)
            result->shape[s] = (cloth_shape)shape;
    return HED_OK;
}

static hed_status cpu_tables_build(builder *b, hed_error *error)
{
    if (cpu_tables_make_figures(b, error) || find_same_materials(b, error) ||
        make_bands(b, error) || make_particles(b, error))
        return error->status;
    uint64_t cells = (uint64_t)b->result->step_count * b->result->band_count;
    b->entries = hed_arena_new(&b->scratch, b->count, sizeof *b->entries, error);
    b->sorted = hed_arena_new(&b->scratch, b->count, sizeof *b->sorted, error);
    b->cell_at = hed_arena_new(&b->scratch, cells + 1, sizeof *b->cell_at, error);
    if (b->scratch.failed) return HED_ERROR_MEMORY;
    list_entries(b);
    sort_entries(b);
    hed_status status = make_packs(b, error);
    return status ? status : make_line_packs(b, error);
}

hed_status cloth_native_tables_create(
    const hed_cloth *cloth, cloth_native_tables **tables, hed_error *error)
{
    *tables = NULL;
    hed_arena arena = {.allocator = cloth->allocator, .owner = "tables of cloth"};
    cloth_native_tables *result = hed_arena_new(&arena, 1, sizeof *result, error);
    if (!result) return HED_ERROR_MEMORY;
    result->arena = arena;
    builder b = {.cloth = cloth,
        .result = result,
        .scratch = {.allocator = cloth->allocator, .owner = "tables of cloth"}};
    hed_status status = cpu_tables_build(&b, error);
    for (uint32_t g = 0; b.figures && g < cloth->garment_count; g++)
        cloth_figures_destroy(b.figures[g]);
    hed_arena_free(&b.scratch);
    if (status) cloth_native_tables_destroy(result);
    else *tables = result;
    return status;
}

void cloth_native_tables_destroy(cloth_native_tables *tables)
{
    if (tables) hed_arena_free(&tables->arena);
}
