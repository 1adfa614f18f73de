/* Tables of a cloth's meshes for Newton's method (kernels/newton_patch.h), from the patches of
 * element_patches.c, and its coarse matrix. A patch has one ring of ghosts: the other corners of
 * the elements at its own particles. */
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
    uint32_t *owner;    /* (particles) patch of elements that owns it */
    uint8_t *is_shared; /* (particles) other patches have elements at it */
    uint32_t *place;    /* (particles) number of its patch * CLOTH_NEWTON_OWN + local number */
    uint32_t *around_at, *around;  /* elements at each particle of the garment `garment` */
    newton_neighbours *neighbours; /* (patches) */
    uint32_t *local;               /* (particles) local number in the present patch, or NOT_LOCAL */
    uint32_t garment, first; /* garment of the present patch, and first particle of its copy */
    uint32_t members[CLOTH_NEWTON_LOCAL], own_count, shared_count, member_count;
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
                if (a == b) continue;
                if (!newton_add_neighbour(make->neighbours + a, b) ||
                    !newton_add_neighbour(make->neighbours + b, a))
                    return false;
                for (int c = 0; c < 3; c++) make->is_shared[first + corner[c]] = 1;
            }
        }
    }
    return true;
}

/* ---- a patch ---- */

/* Places the own particles of each patch, those first that are ghosts of others. */
static void newton_place(newton_maker *make)
{
    for (uint32_t p = 0; p < make->patches; p++) {
        const cloth_patch_at patch = cloth_patch_of(p, make->view);
        uint32_t place = p * CLOTH_NEWTON_OWN;
        for (uint8_t shared = 2; shared-- > 0;)
            for (uint32_t i = 0; i < patch.own_count; i++) {
                uint32_t particle = cloth_patch_member(i, patch, make->view);
                if (make->is_shared[particle] == shared) make->place[particle] = place++;
            }
    }
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

/* Garment of a particle. */
static uint32_t newton_garment_of(const newton_maker *make, uint32_t particle)
{
    const hed_cloth *cloth = make->cloth;
    uint32_t number = 0;
    while (number + 1 < cloth->garment_count && cloth->first_particle[number + 1] <= particle)
        number++;
    return number;
}

/* Garment of a patch. */
static uint32_t newton_garment_at(const newton_maker *make, uint32_t patch)
{
    return newton_garment_of(
        make, cloth_patch_member(0, cloth_patch_of(patch, make->view), make->view));
}

/* Gathers a patch: own particles, elements in the order of the garment, ghosts. False: there are
 * too many. */
static bool newton_gather(newton_maker *make, cloth_patch_at patch)
{
    for (uint32_t k = 0; k < make->member_count; k++) make->local[make->members[k]] = NOT_LOCAL;
    make->member_count = make->element_count = 0;
    make->own_count = patch.own_count;
    make->shared_count = 0;
    for (uint32_t i = 0; i < patch.own_count; i++) {
        uint32_t own = cloth_patch_member(i, patch, make->view);
        make->shared_count += make->is_shared[own];
        make->local[own] = make->place[own] % CLOTH_NEWTON_OWN;
        make->members[make->local[own]] = own;
    }
    make->member_count = patch.own_count;
    uint32_t number = newton_garment_of(make, make->members[0]), count = 0;
    if (number != make->garment) newton_list_around(make, number);
    const cloth_garment *garment = make->cloth->garments[number];
    uint32_t inside = make->members[0] - make->cloth->first_particle[number];
    make->first = make->members[0] - inside % garment->particle_count;
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
    for (uint32_t k = 0; k < 3 * count; k++) {
        uint32_t corner =
            make->first + garment->elements[make->elements[k / 3]].particle[3 + k % 3];
        if (make->local[corner] != NOT_LOCAL) continue;
        if (make->member_count == CLOTH_NEWTON_LOCAL) return false;
        make->local[corner] = make->member_count;
        make->members[make->member_count++] = corner;
    }
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

/* Appends the arrays of a patch, and sets its record; false: it has too many. */
static bool newton_put_patch(newton_maker *make, uint32_t number, cloth_newton_patch *patch)
{
    const newton_neighbours *list = make->neighbours + number;
    if (!newton_gather(make, cloth_patch_of(number, make->view))) return false;
    patch->own_count = make->own_count;
    patch->ghost_count = make->member_count - make->own_count;
    patch->shared_count = make->shared_count;
    patch->members = (uint32_t)make->at;
    for (uint32_t i = 0; i < make->member_count; i++) {
        uint32_t slot = 0, owner = make->owner[make->members[i]];
        while (owner != number && list->of[slot++] != owner) continue;
        newton_put(make, make->members[i] | slot << CLOTH_NEWTON_SLOT_BITS);
    }
    patch->sources = (uint32_t)make->at;
    for (uint32_t i = make->own_count; i < make->member_count; i++)
        newton_put(make, make->place[make->members[i]]);
    /* patches of the garment, in which the copies of a patch follow each other */
    uint32_t begin = number, end = number + 1;
    while (begin > 0 && newton_garment_at(make, begin - 1) == make->garment) begin--;
    while (end < make->patches && newton_garment_at(make, end) == make->garment) end++;
    patch->copies = make->cloth->garments[make->garment]->copies;
    patch->copy_begin = begin + (number - begin) % patch->copies;
    patch->copy_end = end;
    patch->near = (uint32_t)make->at;
    patch->near_count = list->count + 1;
    newton_put(make, number);
    for (uint32_t k = 0; k < list->count; k++) newton_put(make, list->of[k]);
    newton_put_elements(make, patch);
    return newton_put_corners(make, patch);
}

/* Appends all patches after their records; false: one has too many of something. */
static bool newton_put_patches(newton_maker *make)
{
    make->at = (uint64_t)CLOTH_NEWTON_PATCH_WORDS * make->patches;
    for (uint32_t k = 0; k < make->patches; k++) {
        cloth_newton_patch patch;
        if (!newton_put_patch(make, k, &patch)) return false;
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
    ROOM(is_shared, cloth->particles);
    ROOM(place, cloth->particles);
    ROOM(local, cloth->particles);
    ROOM(around_at, particles + 1);
    ROOM(around, 3 * elements);
    ROOM(neighbours, make->patches);
#undef ROOM
    if (make->scratch->failed) return HED_ERROR_MEMORY;
    memset(make->local, 0xff, cloth->particles * sizeof *make->local);
    return HED_OK;
}

/* ---- the coarse matrix ---- */

/* Fills masses, then stiffnesses: the trace of an element's stiffness between the patches that
 * own its corners, at rest. With the coefficients g and h of warp and weft at a patch's corners
 * it is g g' (k0 + k1 c^2 + k2) + h h' (k1 + k2), as in kernels/newton.h. It is not below the
 * stiffness along any direction, so a correction by it never overshoots. */
static void newton_add_coarse(const newton_maker *make, double *coarse)
{
    const hed_cloth *cloth = make->cloth;
    uint64_t n = make->patches;
    memset(coarse, 0, n * (1 + n) * sizeof *coarse);
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        const uint32_t *owner = make->owner + cloth->first_particle[g];
        for (uint32_t copy = 0; copy < garment->copies; copy++, owner += garment->particle_count) {
            for (uint32_t i = 0; i < garment->particle_count; i++)
                if (garment->positions[i][3] > 0.0f)
                    coarse[owner[i]] += 1 / (double)garment->positions[i][3];
            for (uint32_t e = 0; e < garment->element_count; e++) {
                const cloth_element *of = garment->elements + e;
                const double k1 = 1 / (double)of->compliance[1], c = of->coupling,
                             weft = k1 + 1 / (double)of->compliance[2],
                             warp = 1 / (double)of->compliance[0] + k1 * c * c + weft - k1;
                double g_at[3] = {-((double)of->warp[0] + of->warp[1]), of->warp[0], of->warp[1]},
                       h_at[3] = {-((double)of->weft[0] + of->weft[1]), of->weft[0], of->weft[1]};
                for (int corner = 0; corner < 9; corner++) {
                    uint32_t i = of->particle[3 + corner / 3], j = of->particle[3 + corner % 3];
                    bool are_free =
                        garment->positions[i][3] > 0.0f && garment->positions[j][3] > 0.0f;
                    double part = g_at[corner / 3] * g_at[corner % 3] * warp +
                                  h_at[corner / 3] * h_at[corner % 3] * weft;
                    if (are_free) coarse[n + n * owner[i] + owner[j]] += part;
                }
            }
        }
    }
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
    newton_place(&make);
    if (!newton_put_patches(&make)) return HED_OK;
    uint64_t numbers = (uint64_t)make.patches * (1 + make.patches);
    make.words = hed_arena_new(scratch, make.at, sizeof *make.words, error);
    double *coarse = hed_arena_new(scratch, numbers, sizeof *coarse, error);
    if (!coarse || !make.words) return HED_ERROR_MEMORY;
    newton_put_patches(&make);
    newton_add_coarse(&make, coarse);
    *tables = (cloth_newton_tables){
        .patches = make.patches, .words = make.words, .word_count = make.at, .coarse = coarse};
    return HED_OK;
}

void cloth_newton_invert(
    const double *coarse, uint32_t patches, double give, double *matrix, float *rows)
{
    uint32_t n = patches;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            double *entry = matrix + (size_t)n * i + j;
            *entry = coarse[n + (size_t)n * i + j] / give + (i == j ? coarse[i] : 0);
            if (i == j && !(*entry > 0)) *entry = 1; /* every particle is locked */
        }
    /* Gauss and Jordan, in place: the matrix is symmetric and positive */
    for (uint32_t k = 0; k < n; k++) {
        double *pivot_row = matrix + (size_t)n * k, per = 1 / pivot_row[k];
        pivot_row[k] = 1;
        for (uint32_t j = 0; j < n; j++) pivot_row[j] *= per;
        for (uint32_t i = 0; i < n; i++) {
            double *row = matrix + (size_t)n * i, part = row[k];
            if (i == k || part == 0) continue;
            row[k] = 0;
            for (uint32_t j = 0; j < n; j++) row[j] -= part * pivot_row[j];
        }
    }
    memset(rows, 0, CLOTH_NEWTON_PATCHES * CLOTH_NEWTON_PATCHES * sizeof *rows);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            rows[CLOTH_NEWTON_PATCHES * i + j] = (float)matrix[(size_t)n * i + j];
}
