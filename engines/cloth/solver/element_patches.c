/* Patches of the elements of fabrics: recursive bisection of the rest shape along its longest axis
 * (Berger and Bokhari, 1987). A patch has all elements that one of its own particles is part of,
 * and the elements whose corners all are among its particles (about two rings); it computes its
 * ghosts' motion too, and writes its own particles alone (restricted additive Schwarz: Cai and
 * Sarkis, 1999). The patches depend on the garment alone, so results are the same on every
 * device. */
#include "solver/element_patches.h"

#include <stdlib.h>
#include <string.h>

enum { OWN_PARTICLES = 256, NOT_LOCAL = UINT32_MAX };

/* Elements of a kind in a patch: numbers by colour, and the ends of the colours. */
typedef struct patch_items {
    uint32_t count, colours;
    uint32_t *item; /* (element_count) */
    uint32_t ends[CLOTH_PATCH_COLOURS + 1];
} patch_items;

typedef struct patch_maker {
    const cloth_garment *garment;
    hed_arena *scratch;
    hed_error *error;
    uint32_t *order;              /* (particle_count) own particles of patch after patch */
    uint32_t *around_at, *around; /* elements of each particle, corners or not */
    uint32_t *local;              /* (particle_count) number in the present patch, or NOT_LOCAL */
    uint32_t *stamp;              /* (element_count) last patch that has looked at it */
    uint32_t stamps;
    uint32_t *members; /* (CLOTH_PATCH_LOCAL) of the present patch */
    uint32_t member_count;
    patch_items strains, bends;
    uint32_t *sorted; /* (element_count) */
    uint8_t *colour;  /* (element_count) */
    uint32_t *ends;   /* (particle_count + 1) end of each patch in `order` */
    uint32_t patches;
} patch_maker;

/* Words of all patches of a garment, without copies. */
typedef struct patch_sizes {
    uint64_t patches, own, ghosts, ends, strains, bends, pulls; /* `pulls`: strains of all copies */
} patch_sizes;

/* ---- elements of a patch ---- */

static bool take_member(patch_maker *make, uint32_t particle)
{
    if (make->local[particle] != NOT_LOCAL) return true;
    if (make->member_count == CLOTH_PATCH_LOCAL) return false;
    make->local[particle] = make->member_count;
    make->members[make->member_count++] = particle;
    return true;
}

static bool are_local(const patch_maker *make, const uint32_t *particle, uint32_t count)
{
    for (uint32_t v = 0; v < count; v++)
        if (make->local[particle[v]] == NOT_LOCAL) return false;
    return true;
}

static int compare_elements(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Colours elements in their order in the garment; no free particle of `width` is twice in a
 * colour. */
static bool colour_elements(patch_maker *make, patch_items *items, uint32_t first, uint32_t width)
{
    uint64_t taken[CLOTH_PATCH_LOCAL] = {0};
    uint32_t count[CLOTH_PATCH_COLOURS + 1] = {0};
    qsort(items->item, items->count, sizeof *items->item, compare_elements);
    items->colours = 0;
    for (uint32_t k = 0; k < items->count; k++) {
        const uint32_t *particle = make->garment->elements[items->item[k]].particle + first;
        uint64_t mask = 0;
        for (uint32_t v = 0; v < width; v++)
            if (make->garment->positions[particle[v]][3] > 0.0f)
                mask |= taken[make->local[particle[v]]];
        if (mask == UINT64_MAX) return false;
        uint32_t colour = (uint32_t)__builtin_ctzll(~mask);
        for (uint32_t v = 0; v < width; v++)
            taken[make->local[particle[v]]] |= (uint64_t)1 << colour;
        make->colour[k] = (uint8_t)colour;
        count[colour + 1]++;
        if (colour >= items->colours) items->colours = colour + 1;
    }
    for (uint32_t c = 0; c < items->colours; c++) count[c + 1] += count[c];
    memcpy(items->ends, count, sizeof count);
    for (uint32_t k = 0; k < items->count; k++)
        make->sorted[count[make->colour[k]]++] = items->item[k];
    memcpy(items->item, make->sorted, items->count * sizeof *items->item);
    return true;
}

static bool take_elements(patch_maker *make, uint32_t own)
{
    const cloth_garment *garment = make->garment;
    make->stamps++;
    for (uint32_t i = 0; i < own; i++)
        for (uint32_t k = make->around_at[make->members[i]];
             k < make->around_at[make->members[i] + 1]; k++)
            for (uint32_t v = 0; v < CLOTH_ELEMENT_PARTICLES; v++)
                if (!take_member(make, garment->elements[make->around[k]].particle[v]))
                    return false;
    for (uint32_t i = 0; i < make->member_count; i++)
        for (uint32_t k = make->around_at[make->members[i]];
             k < make->around_at[make->members[i] + 1]; k++) {
            uint32_t element = make->around[k];
            const uint32_t *particle = garment->elements[element].particle;
            if (make->stamp[element] == make->stamps) continue;
            make->stamp[element] = make->stamps;
            if (!are_local(make, particle + 3, 3)) continue;
            if (make->strains.count == CLOTH_PATCH_STRAINS) return false;
            make->strains.item[make->strains.count++] = element;
            if (are_local(make, particle, 3)) make->bends.item[make->bends.count++] = element;
        }
    return colour_elements(make, &make->strains, 3, 3) &&
           colour_elements(make, &make->bends, 0, CLOTH_ELEMENT_PARTICLES);
}

/* Gathers the patch that owns order[begin, end); false: it has too many particles or colours. */
static bool gather_patch(patch_maker *make, uint32_t begin, uint32_t end)
{
    for (uint32_t k = 0; k < make->member_count; k++) make->local[make->members[k]] = NOT_LOCAL;
    make->member_count = make->strains.count = make->bends.count = 0;
    if (end - begin > CLOTH_PATCH_LOCAL) return false;
    for (uint32_t k = begin; k < end; k++) take_member(make, make->order[k]);
    return take_elements(make, end - begin);
}

/* ---- division ---- */

typedef struct axis_place {
    float at;
    uint32_t particle;
} axis_place;

static int along_axis(const void *a, const void *b)
{
    const axis_place *p = a, *q = b;
    if (p->at != q->at) return p->at < q->at ? -1 : 1;
    return p->particle < q->particle ? -1 : p->particle > q->particle;
}

/* Sorts order[begin, end) along the longest axis of the rest shape. */
static void sort_piece(patch_maker *make, axis_place *places, uint32_t begin, uint32_t end)
{
    float(*rest)[3] = make->garment->rest, extent[3];
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        float low = rest[make->order[begin]][k], high = low;
        for (uint32_t i = begin; i < end; i++) {
            float at = rest[make->order[i]][k];
            if (at < low) low = at;
            if (at > high) high = at;
        }
        extent[k] = high - low;
        if (extent[k] > extent[axis]) axis = k;
    }
    for (uint32_t i = begin; i < end; i++)
        places[i] = (axis_place){rest[make->order[i]][axis], make->order[i]};
    qsort(places + begin, end - begin, sizeof *places, along_axis);
    for (uint32_t i = begin; i < end; i++) make->order[i] = places[i].particle;
}

/* Divides order[begin, end) into `parts` patches, or more where one is too large. */
static bool divide_piece(
    patch_maker *make, axis_place *places, uint32_t begin, uint32_t end, uint32_t parts)
{
    if (parts == 1 && gather_patch(make, begin, end)) {
        make->ends[make->patches++] = end;
        return true;
    }
    if (end - begin < 2) return false;
    if (parts == 1) parts = 2;
    sort_piece(make, places, begin, end);
    uint32_t middle = begin + (uint32_t)((uint64_t)(end - begin) * (parts / 2) / parts);
    return divide_piece(make, places, begin, middle, parts / 2) &&
           divide_piece(make, places, middle, end, parts - parts / 2);
}

static void list_elements_around(patch_maker *make)
{
    const cloth_garment *garment = make->garment;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t e = 0; e < garment->element_count; e++)
            for (uint32_t v = 0; v < CLOTH_ELEMENT_PARTICLES; v++) {
                uint32_t particle = garment->elements[e].particle[v];
                if (pass) make->around[make->around_at[particle]++] = e;
                else make->around_at[particle + 1]++;
            }
        if (pass) continue;
        for (uint32_t i = 0; i < garment->particle_count; i++)
            make->around_at[i + 1] += make->around_at[i];
    }
    memmove(
        make->around_at + 1, make->around_at, garment->particle_count * sizeof *make->around_at);
    make->around_at[0] = 0;
}

/* Divides a garment. `*fits`: false if it has no patches. */
static hed_status divide_garment(patch_maker *make, bool *fits)
{
    const cloth_garment *garment = make->garment;
    hed_arena *scratch = make->scratch;
    uint32_t particles = garment->particle_count, elements = garment->element_count;
#define ROOM(array, count) ((array) = hed_arena_new(scratch, count, sizeof *(array), make->error))
    axis_place *places = hed_arena_new(scratch, particles, sizeof *places, make->error);
    ROOM(make->order, particles);
    ROOM(make->around_at, (uint64_t)particles + 1);
    ROOM(make->around, (uint64_t)elements * CLOTH_ELEMENT_PARTICLES);
    ROOM(make->local, particles);
    ROOM(make->stamp, elements);
    ROOM(make->members, CLOTH_PATCH_LOCAL);
    ROOM(make->strains.item, elements);
    ROOM(make->bends.item, elements);
    ROOM(make->sorted, elements);
    ROOM(make->colour, elements);
    ROOM(make->ends, (uint64_t)particles + 1);
#undef ROOM
    if (scratch->failed) return HED_ERROR_MEMORY;
    for (uint32_t i = 0; i < particles; i++) make->order[i] = i, make->local[i] = NOT_LOCAL;
    list_elements_around(make);
    *fits =
        divide_piece(make, places, 0, particles, (particles + OWN_PARTICLES - 1) / OWN_PARTICLES);
    return HED_OK;
}

static patch_sizes sizes_of(patch_maker *make)
{
    patch_sizes sizes = {.patches = make->patches, .own = make->garment->particle_count};
    for (uint32_t p = 0, begin = 0; p < make->patches; begin = make->ends[p++]) {
        gather_patch(make, begin, make->ends[p]);
        sizes.ghosts += make->member_count - (make->ends[p] - begin);
        sizes.ends += make->strains.colours + make->bends.colours + 2;
        sizes.strains += make->strains.count;
        sizes.bends += make->bends.count;
    }
    return sizes;
}

/* ---- tables ---- */

static uint32_t local_corners(const patch_maker *make, const uint32_t *particle)
{
    return make->local[particle[0]] | make->local[particle[1]] << 10 |
           make->local[particle[2]] << 20;
}

static void write_rows(
    uint4 *words, uint64_t first, uint64_t apart, const uint32_t *row, uint32_t rows)
{
    for (uint32_t r = 0; r < rows; r++)
        memcpy(words + first + r * apart, row + 4 * r, sizeof *words);
}

/* Writes the rows of the strains of an element, or of its bends. */
static void write_element(const patch_maker *make, uint32_t element, bool bends,
    const cloth_patched *t, uint64_t at, uint4 *words)
{
    const cloth_element *e = make->garment->elements + element;
    uint32_t row[4 * CLOTH_BEND_ROWS] = {local_corners(make, e->particle + 3)};
    if (bends) {
        row[1] = local_corners(make, e->particle);
        memcpy(row + 2, e->bend, sizeof e->bend);
        write_rows(words, t->bends + at, t->bend_count, row, CLOTH_BEND_ROWS);
        return;
    }
    memcpy(row + 1, e->warp, 2 * sizeof *row);
    memcpy(row + 3, e->weft, 2 * sizeof *row);
    memcpy(row + 5, e->compliance, 3 * sizeof *row);
    memcpy(row + 8, &e->coupling, sizeof *row);
    write_rows(words, t->strains + at, t->strain_count, row, CLOTH_STRAIN_ROWS);
}

/* Writes the patches of a garment; `at`: sizes before it. Copies have members alone of their
 * own. */
static void write_patches(patch_maker *make, const hed_cloth *cloth, uint32_t number,
    uint32_t own_total, const cloth_patched *t, patch_sizes *at, uint4 *words)
{
    uint32_t *flat = (uint32_t *)words, copies = make->garment->copies;
    for (uint32_t p = 0, begin = 0; p < make->patches; begin = make->ends[p++]) {
        uint32_t own = make->ends[p] - begin, ghosts, *ends = flat + t->ends + at->ends;
        gather_patch(make, begin, make->ends[p]);
        ghosts = make->member_count - own;
        for (uint32_t copy = 0; copy < copies; copy++) {
            uint32_t first = cloth->first_particle[number] + copy * make->garment->particle_count;
            const uint32_t record[8] = {(uint32_t)at->own, own, own_total + (uint32_t)at->ghosts,
                ghosts, (uint32_t)at->ends, make->strains.colours, make->bends.colours,
                (uint32_t)at->pulls};
            memcpy(words + 2 * at->patches++, record, sizeof record);
            at->pulls += make->strains.count;
            for (uint32_t k = 0; k < make->member_count; k++) {
                uint64_t to = k < own ? at->own++ : own_total + at->ghosts++;
                flat[t->members + to] = first + make->members[k];
            }
        }
        for (uint32_t c = 0; c <= make->strains.colours; c++)
            *ends++ = (uint32_t)at->strains + make->strains.ends[c];
        for (uint32_t c = 0; c <= make->bends.colours; c++)
            *ends++ = (uint32_t)at->bends + make->bends.ends[c];
        at->ends += make->strains.colours + make->bends.colours + 2;
        for (uint32_t k = 0; k < make->strains.count; k++)
            write_element(make, make->strains.item[k], false, t, at->strains++, words);
        for (uint32_t k = 0; k < make->bends.count; k++)
            write_element(make, make->bends.item[k], true, t, at->bends++, words);
    }
}

/* Sets the positions of the tables. */
static void place_tables(const patch_sizes *sum, cloth_element_patches *result)
{
    uint64_t row = 2 * sum->patches;
    cloth_patched *t = &result->tables;
    t->members = (uint32_t)(4 * row);
    row += (sum->own + sum->ghosts + 3) / 4;
    t->ends = (uint32_t)(4 * row);
    row += (sum->ends + 3) / 4;
    t->strains = (uint32_t)row;
    t->strain_count = (uint32_t)sum->strains;
    row += CLOTH_STRAIN_ROWS * sum->strains;
    t->bends = (uint32_t)row;
    t->bend_count = (uint32_t)sum->bends;
    result->word_rows = row + CLOTH_BEND_ROWS * sum->bends;
}

hed_status cloth_element_patches_make(
    const hed_cloth *cloth, hed_arena *scratch, cloth_element_patches *result, hed_error *error)
{
    patch_sizes sum = {0}, at = {0};
    *result = (cloth_element_patches){0};
    patch_maker *makers = hed_arena_new(scratch, cloth->garment_count, sizeof *makers, error);
    if (!makers) return HED_ERROR_MEMORY;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        patch_maker *make = makers + g;
        bool fits = true;
        *make = (patch_maker){.garment = cloth->garments[g], .scratch = scratch, .error = error};
        if (!make->garment->element_count) continue;
        if (divide_garment(make, &fits)) return error->status;
        if (!fits) return HED_OK;
        const patch_sizes sizes = sizes_of(make);
        uint64_t copies = make->garment->copies;
        sum.patches += copies * sizes.patches;
        sum.own += copies * sizes.own;
        sum.ghosts += copies * sizes.ghosts;
        sum.ends += sizes.ends;
        sum.strains += sizes.strains;
        sum.pulls += copies * sizes.strains;
        sum.bends += sizes.bends;
    }
    place_tables(&sum, result);
    if (result->word_rows > UINT32_MAX / 4) return HED_OK;
    result->words = hed_arena_new(scratch, result->word_rows, sizeof *result->words, error);
    if (!result->words) return HED_ERROR_MEMORY;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        if (makers[g].patches)
            write_patches(
                makers + g, cloth, g, (uint32_t)sum.own, &result->tables, &at, result->words);
    result->pulls = 3 * sum.pulls;
    result->patches = (uint32_t)sum.patches;
    return HED_OK;
}
