/* Tables of a cloth's meshes for Newton's method (kernels/newton_patch.h), from the patches of
 * element_patches.c. A patch has one ring of ghosts: the other corners of the elements at its own particles. The
 * patches are the coarse unknowns, so their numbers keep the band of the coarse matrix narrow: breadth first,
 * neighbours with few neighbours first (Cuthill and McKee, 1969). */
#include "solver/newton_tables.h"

#include <stdlib.h>
#include <string.h>

enum { NOT_OWNED = UINT32_MAX, NOT_LOCAL = UINT32_MAX };

typedef struct newton_neighbours {
    uint32_t count, of[CLOTH_NEWTON_NEAR]; /* the patch itself is not among them */
} newton_neighbours;

typedef struct newton_maker {
    const hed_cloth *cloth;
    cloth_element_patches_view view; /* patches of elements: tables alone */
    hed_arena *scratch;
    uint32_t patches;
    uint32_t *owner;               /* (particles) patch of elements that owns it */
    uint32_t *around_at, *around;  /* elements at each particle of the garment `garment` */
    newton_neighbours *neighbours; /* (patches) by number among the patches of elements */
    uint32_t *order, *number;      /* (patches) patch with a number, and number of a patch */
    uint32_t *local;               /* (particles) local number in the present patch, or NOT_LOCAL */
    uint32_t garment, first; /* garment of the present patch, and first particle of its copy */
    uint32_t members[CLOTH_NEWTON_LOCAL], own_count, member_count;
    uint32_t elements[CLOTH_NEWTON_ELEMENTS], element_count;
    uint32_t *words; /* NULL: words are counted alone */
    uint64_t at;     /* next word */
} newton_maker;

/* ---- neighbours ---- */

/* Finds the owner of each particle; false: a particle has no owner. */
static bool newton_find_owners(newton_maker *make)
{
    for (uint32_t i = 0; i < make->cloth->particles; i++) make->owner[i] = NOT_OWNED;
    for (uint32_t p = 0; p < make->patches; p++) {
        const cloth_patch_at patch = cloth_patch_of(p, make->view);
        if (patch.own_count > CLOTH_NEWTON_OWN) return false;
        for (uint32_t i = 0; i < patch.own_count; i++)
            make->owner[cloth_patch_member(i, patch, make->view)] = p;
    }
    for (uint32_t i = 0; i < make->cloth->particles; i++)
        if (make->owner[i] == NOT_OWNED) return false;
    return true;
}

/* Adds a neighbour; false: there are too many. */
static bool newton_add_neighbour(newton_neighbours *list, uint32_t patch)
{
    for (uint32_t k = 0; k < list->count; k++)
        if (list->of[k] == patch) return true;
    if (list->count + 1 == CLOTH_NEWTON_NEAR) return false;
    list->of[list->count++] = patch;
    return true;
}

static bool newton_find_neighbours(newton_maker *make)
{
    for (uint32_t g = 0; g < make->cloth->garment_count; g++) {
        const cloth_garment *garment = make->cloth->garments[g];
        for (uint64_t e = 0; e < (uint64_t)garment->copies * garment->element_count; e++) {
            uint32_t first = make->cloth->first_particle[g] +
                             (uint32_t)(e / garment->element_count) * garment->particle_count;
            const uint32_t *corner = garment->elements[e % garment->element_count].particle + 3;
            for (int k = 0; k < 3; k++) {
                uint32_t a = make->owner[first + corner[k]],
                         b = make->owner[first + corner[(k + 1) % 3]];
                if (a != b && !(newton_add_neighbour(make->neighbours + a, b) &&
                                  newton_add_neighbour(make->neighbours + b, a)))
                    return false;
            }
        }
    }
    return true;
}

/* ---- order ---- */

/* Visits the patches that are connected with `start`, breadth first, into order[begin, end); returns `end`.
 * number[p] is the place of a visited patch, NOT_OWNED before. */
static uint32_t newton_visit(newton_maker *make, uint32_t start, uint32_t begin)
{
    uint32_t end = begin;
    make->number[start] = end;
    make->order[end++] = start;
    for (uint32_t at = begin; at < end; at++) {
        const newton_neighbours *list = make->neighbours + make->order[at];
        uint32_t first = end;
        for (uint32_t k = 0; k < list->count; k++) {
            uint32_t patch = list->of[k], to = end;
            if (make->number[patch] != NOT_OWNED) continue;
            while (to > first &&
                   make->neighbours[make->order[to - 1]].count > make->neighbours[patch].count) {
                make->order[to] = make->order[to - 1];
                make->number[make->order[to]] = to;
                to--;
            }
            make->order[to] = patch;
            make->number[patch] = to;
            end++;
        }
    }
    return end;
}

/* Maximum distance between the numbers of two neighbours in order[begin, end). */
static uint32_t newton_band_of(const newton_maker *make, uint32_t begin, uint32_t end)
{
    uint32_t band = 0;
    for (uint32_t at = begin; at < end; at++) {
        const newton_neighbours *list = make->neighbours + make->order[at];
        for (uint32_t k = 0; k < list->count; k++) {
            uint32_t neighbour = make->number[list->of[k]];
            if (neighbour > at && neighbour - at > band) band = neighbour - at;
        }
    }
    return band;
}

static void newton_forget(newton_maker *make, uint32_t begin, uint32_t end)
{
    for (uint32_t at = begin; at < end; at++) make->number[make->order[at]] = NOT_OWNED;
}

/* Numbers the patches; returns the maximum distance between the numbers of two neighbours, or 1. Each patch of a
 * connected part is tried as its first one: the band of a large sheet is 16, from the end of a visit 21. */
static uint32_t newton_number_patches(newton_maker *make)
{
    uint32_t begin = 0, widest = 1;
    memset(make->number, 0xff, make->patches * sizeof *make->number);
    for (uint32_t p = 0; p < make->patches; p++) {
        if (make->number[p] != NOT_OWNED) continue;
        uint32_t end = newton_visit(make, p, begin), best = p,
                 band = newton_band_of(make, begin, end);
        uint32_t part[CLOTH_NEWTON_PATCHES], count = end - begin;
        memcpy(part, make->order + begin, count * sizeof *part);
        for (uint32_t k = 0; k < count; k++) {
            newton_forget(make, begin, end);
            newton_visit(make, part[k], begin);
            uint32_t trial = newton_band_of(make, begin, end);
            if (trial < band) band = trial, best = part[k];
        }
        newton_forget(make, begin, end);
        begin = newton_visit(make, best, begin);
        if (band > widest) widest = band;
    }
    return widest;
}

/* ---- a patch ---- */

static bool newton_take_particle(newton_maker *make, uint32_t particle)
{
    if (make->local[particle] != NOT_LOCAL) return true;
    if (make->member_count == CLOTH_NEWTON_LOCAL) return false;
    make->local[particle] = make->member_count;
    make->members[make->member_count++] = particle;
    return true;
}

static int newton_compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Lists the elements at each particle of a garment. */
static void newton_list_around(newton_maker *make, uint32_t number)
{
    const cloth_garment *garment = make->cloth->garments[number];
    uint32_t *at = make->around_at;
    make->garment = number;
    memset(at, 0, ((uint64_t)garment->particle_count + 1) * sizeof *at);
    for (uint32_t e = 0; e < garment->element_count; e++)
        for (int k = 3; k < CLOTH_ELEMENT_PARTICLES; k++)
            at[garment->elements[e].particle[k] + 1]++;
    for (uint32_t i = 0; i < garment->particle_count; i++) at[i + 1] += at[i];
    for (uint32_t e = 0; e < garment->element_count; e++)
        for (int k = 3; k < CLOTH_ELEMENT_PARTICLES; k++)
            make->around[at[garment->elements[e].particle[k]]++] = e;
    memmove(at + 1, at, garment->particle_count * sizeof *at);
    at[0] = 0;
}

/* Gathers a patch: own particles, elements in the order of the garment, ghosts. False: there are too many. */
static bool newton_gather(newton_maker *make, cloth_patch_at patch)
{
    for (uint32_t k = 0; k < make->member_count; k++) make->local[make->members[k]] = NOT_LOCAL;
    make->member_count = make->element_count = 0;
    make->own_count = patch.own_count;
    for (uint32_t i = 0; i < patch.own_count; i++)
        newton_take_particle(make, cloth_patch_member(i, patch, make->view));
    uint32_t number = 0, particle = make->members[0];
    while (number + 1 < make->cloth->garment_count &&
           make->cloth->first_particle[number + 1] <= particle)
        number++;
    if (number != make->garment) newton_list_around(make, number);
    const cloth_garment *garment = make->cloth->garments[number];
    uint32_t inside = particle - make->cloth->first_particle[number], count = 0;
    make->first = particle - inside % garment->particle_count;
    for (uint32_t i = 0; i < patch.own_count; i++)
        for (uint32_t k = make->around_at[make->members[i] - make->first];
             k < make->around_at[make->members[i] - make->first + 1]; k++) {
            uint32_t element = make->around[k];
            const uint32_t *corner = garment->elements[element].particle + 3;
            /* an element is taken by the first own corner that is met */
            bool is_known = false;
            for (int c = 0; c < 3; c++) is_known |= make->local[make->first + corner[c]] < i;
            if (is_known) continue;
            if (count == CLOTH_NEWTON_ELEMENTS) return false;
            make->elements[count++] = element;
        }
    make->element_count = count;
    qsort(make->elements, count, sizeof *make->elements, newton_compare_numbers);
    for (uint32_t e = 0; e < count; e++)
        for (int c = 0; c < 3; c++)
            if (!newton_take_particle(
                    make, make->first + garment->elements[make->elements[e]].particle[3 + c]))
                return false;
    return true;
}

/* Appends a word; returns its position. */
static uint32_t newton_put(newton_maker *make, uint32_t word)
{
    if (make->words) make->words[make->at] = word;
    return (uint32_t)make->at++;
}

static void newton_put_elements(newton_maker *make, cloth_newton_patch *patch)
{
    const cloth_garment *garment = make->cloth->garments[make->garment];
    patch->elements = (uint32_t)make->at;
    patch->element_count = make->element_count;
    for (uint32_t r = 0; r < CLOTH_NEWTON_ROWS; r++)
        for (uint32_t e = 0; e < make->element_count; e++) {
            const cloth_element *of = garment->elements + make->elements[e];
            uint32_t row[CLOTH_NEWTON_ROWS] = {0};
            for (int c = 0; c < 3; c++)
                row[0] |= make->local[make->first + of->particle[3 + c]] << 10 * c;
            memcpy(row + CLOTH_NEWTON_ROW_WARP, of->warp, sizeof of->warp);
            memcpy(row + CLOTH_NEWTON_ROW_WEFT, of->weft, sizeof of->weft);
            memcpy(row + CLOTH_NEWTON_ROW_COMPLIANCE, of->compliance, sizeof of->compliance);
            memcpy(row + CLOTH_NEWTON_ROW_COUPLING, &of->coupling, sizeof of->coupling);
            newton_put(make, row[r]);
        }
}

/* Appends the corners at each own particle; false: there are too many. */
static bool newton_put_corners(newton_maker *make, cloth_newton_patch *patch)
{
    const cloth_garment *garment = make->cloth->garments[make->garment];
    uint32_t ends[CLOTH_NEWTON_OWN + 1] = {0}, count = 0;
    uint16_t corners[CLOTH_NEWTON_CORNERS + 1] = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t e = 0; e < make->element_count; e++)
            for (uint32_t c = 0; c < 3; c++) {
                uint32_t own =
                    make->local[make->first + garment->elements[make->elements[e]].particle[3 + c]];
                if (own >= make->own_count) continue;
                if (pass) corners[ends[own]++] = (uint16_t)(e | c << 10);
                else if (++count > CLOTH_NEWTON_CORNERS) return false;
                else ends[own + 1]++;
            }
        for (uint32_t i = 0; !pass && i < make->own_count; i++) ends[i + 1] += ends[i];
    }
    patch->ends = newton_put(make, 0);
    for (uint32_t i = 0; i < make->own_count; i++) newton_put(make, ends[i]);
    patch->corners = (uint32_t)make->at;
    for (uint32_t k = 0; k < count; k += 2)
        newton_put(make, corners[k] | (uint32_t)corners[k + 1] << 16);
    return true;
}

/* Slot of a particle's owner in the list of a patch and its neighbours. */
static uint32_t newton_slot_of(const newton_maker *make, uint32_t patch, uint32_t particle)
{
    uint32_t slot = 0, owner = make->owner[particle];
    while (owner != patch && make->neighbours[patch].of[slot++] != owner) continue;
    return slot;
}

/* Appends the elements at the border; false: there are too many. */
static bool newton_put_borders(newton_maker *make, uint32_t number, cloth_newton_patch *patch)
{
    const cloth_garment *garment = make->cloth->garments[make->garment];
    patch->borders = (uint32_t)make->at;
    patch->border_count = 0;
    for (uint32_t e = 0; e < make->element_count; e++) {
        uint32_t word = e, own = 0;
        for (uint32_t c = 0; c < 3; c++) {
            uint32_t corner = garment->elements[make->elements[e]].particle[3 + c];
            bool is_free = garment->positions[corner][3] > 0.0f;
            uint32_t slot =
                is_free ? newton_slot_of(make, number, make->first + corner) : CLOTH_NEWTON_LOCKED;
            own += slot == 0;
            word |= slot << (10 + 4 * c);
        }
        if (own == 0 || own == 3) continue;
        if (++patch->border_count > CLOTH_NEWTON_BORDERS) return false;
        newton_put(make, word);
    }
    return true;
}

/* Appends the arrays of patch `number` of elements, and sets its record; false: it has too many. */
static bool newton_put_patch(newton_maker *make, uint32_t number, cloth_newton_patch *patch)
{
    const newton_neighbours *list = make->neighbours + number;
    if (!newton_gather(make, cloth_patch_of(number, make->view))) return false;
    patch->own_count = make->own_count;
    patch->ghost_count = make->member_count - make->own_count;
    patch->bends = number;
    patch->members = (uint32_t)make->at;
    for (uint32_t i = 0; i < make->member_count; i++)
        newton_put(make, make->members[i] | newton_slot_of(make, number, make->members[i])
                                                << CLOTH_NEWTON_SLOT_BITS);
    patch->near = (uint32_t)make->at;
    patch->near_count = list->count + 1;
    newton_put(make, make->number[number]);
    for (uint32_t k = 0; k < list->count; k++) newton_put(make, make->number[list->of[k]]);
    newton_put_elements(make, patch);
    return newton_put_corners(make, patch) && newton_put_borders(make, number, patch);
}

/* Appends all patches after their records; false: one has too many of something. */
static bool newton_put_patches(newton_maker *make)
{
    make->at = (uint64_t)CLOTH_NEWTON_PATCH_WORDS * make->patches;
    for (uint32_t k = 0; k < make->patches; k++) {
        cloth_newton_patch patch;
        if (!newton_put_patch(make, make->order[k], &patch)) return false;
        if (make->words) memcpy(make->words + CLOTH_NEWTON_PATCH_WORDS * k, &patch, sizeof patch);
    }
    return true;
}

/* Allocates arrays whose size the cloth determines. */
static hed_status newton_make_room(newton_maker *make, hed_error *error)
{
    const hed_cloth *cloth = make->cloth;
    uint64_t particles = 0, elements = 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        if (cloth->garments[g]->particle_count > particles)
            particles = cloth->garments[g]->particle_count;
        if (cloth->garments[g]->element_count > elements)
            elements = cloth->garments[g]->element_count;
    }
#define ROOM(array, count) \
    ((make->array) = hed_arena_new(make->scratch, count, sizeof *(make->array), error))
    ROOM(owner, cloth->particles);
    ROOM(local, cloth->particles);
    ROOM(around_at, particles + 1);
    ROOM(around, 3 * elements);
    ROOM(neighbours, make->patches);
    ROOM(order, make->patches);
    ROOM(number, make->patches);
#undef ROOM
    if (make->scratch->failed) return HED_ERROR_MEMORY;
    memset(make->local, 0xff, cloth->particles * sizeof *make->local);
    return HED_OK;
}

hed_status cloth_newton_tables_make(const hed_cloth *cloth, const cloth_element_patches *elements,
    hed_arena *scratch, cloth_newton_tables *tables, hed_error *error)
{
    newton_maker make = {.cloth = cloth,
        .view = {.tables = elements->words, .at = elements->tables},
        .scratch = scratch,
        .patches = elements->patches,
        .garment = UINT32_MAX};
    *tables = (cloth_newton_tables){0};
    if (!elements->patches || elements->patches > CLOTH_NEWTON_PATCHES ||
        cloth->particles >> CLOTH_NEWTON_SLOT_BITS)
        return HED_OK;
    if (newton_make_room(&make, error)) return error->status;
    if (!newton_find_owners(&make) || !newton_find_neighbours(&make)) return HED_OK;
    uint32_t band = newton_number_patches(&make);
    if (band > CLOTH_NEWTON_BAND || !newton_put_patches(&make)) return HED_OK;
    uint32_t *words = hed_arena_new(scratch, make.at, sizeof *words, error);
    if (!words) return HED_ERROR_MEMORY;
    make.words = words;
    newton_put_patches(&make);
    *tables = (cloth_newton_tables){
        .patches = make.patches, .band = band, .words = words, .word_count = make.at};
    return HED_OK;
}
