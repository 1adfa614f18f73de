/* Vertices that a program holds: their balls around the driver shrink to nothing, and the driver
 * takes them along. */
#include "heddle/cloth_hold.h"

#include "heddle/author.h"

#include <math.h>
#include <string.h>

/* A driver moves evenly from its end in the frame before, so a held particle needs a driver at its
 * own position first: frame MEASURED knows how it moves, frame TRACKED has the driver where that
 * motion leads, and from frame ATTACHED on the particle is grip. */
enum { MEASURED, TRACKED, ATTACHED };

/* A vertex that is held, or will be. */
typedef struct hold_grip {
    uint32_t vertex, particle;
    int stage;
    float place[3], last[3]; /* requested position; position at the frame before, m */
} hold_grip;

struct hed_cloth_hold {
    hed_allocator allocator;
    hed_arena arena;
    hed_cloth_def def;
    hed_cloth_garment_def *garments;    /* (garment_count) */
    uint32_t particles, vertices;       /* numbers of the cloth */
    uint32_t *particle_of, *garment_of; /* (vertices) */
    float *driver;                      /* (particles x 3) m */
    float *limits;                      /* (particles) max_distance as defined, m */
    hold_grip *grips;                   /* (count) capacity: vertices */
    uint32_t count;
};

/* ---- creation ---- */

static uint32_t vertices_of(const hed_cloth_garment_def *garment)
{
    return garment->vertex_count ? garment->vertex_count : garment->particle_count;
}

/* Lists the particles of a garment, from particle `*particle` and vertex `*vertex` on. */
static void hold_list_garment(
    hed_cloth_hold *hold, uint32_t garment, uint32_t *particle, uint32_t *vertex)
{
    const hed_cloth_garment_def *def = &hold->garments[garment];
    for (uint32_t copy = 0; copy < def->copies; copy++) {
        for (uint32_t v = 0; v < vertices_of(def); v++, ++*vertex) {
            hold->particle_of[*vertex] =
                *particle + (def->vertex_count ? def->vertex_particle[v] : v);
            hold->garment_of[*vertex] = garment;
        }
        for (uint32_t i = 0; i < def->particle_count; i++, ++*particle) {
            memcpy(hold->driver + 3 * (size_t)*particle, def->positions + 3 * (size_t)i,
                3 * sizeof *hold->driver);
            hold->limits[*particle] = def->max_distance ? def->max_distance[i] : INFINITY;
        }
    }
}

/* Allocates the arrays and fills them from the definition. */
static hed_status hold_fill(hed_cloth_hold *hold, const hed_cloth_def *def, hed_error *error)
{
    for (uint32_t g = 0; g < def->garment_count; g++) {
        hold->particles += def->garments[g].particle_count * def->garments[g].copies;
        hold->vertices += vertices_of(&def->garments[g]) * def->garments[g].copies;
    }
    hed_arena *arena = &hold->arena;
    hold->garments = hed_arena_new(arena, def->garment_count, sizeof *hold->garments, error);
    hold->particle_of = hed_arena_new(arena, hold->vertices, sizeof *hold->particle_of, error);
    hold->garment_of = hed_arena_new(arena, hold->vertices, sizeof *hold->garment_of, error);
    hold->grips = hed_arena_new(arena, hold->vertices, sizeof *hold->grips, error);
    hold->driver = hed_arena_new(arena, hold->particles, 3 * sizeof *hold->driver, error);
    hold->limits = hed_arena_new(arena, hold->particles, sizeof *hold->limits, error);
    if (arena->failed) return HED_ERROR_MEMORY;
    uint32_t particle = 0, vertex = 0;
    hold->def = *def;
    hold->def.garments = hold->garments;
    for (uint32_t g = 0; g < def->garment_count; g++) {
        hold->garments[g] = def->garments[g];
        hold->garments[g].driven = true;
        hold->garments[g].tear = 0.0f; /* a garment that tears has no driver */
        hold_list_garment(hold, g, &particle, &vertex);
    }
    return HED_OK;
}

hed_status hed_cloth_hold_create(const hed_cloth_def *def, hed_cloth_hold **hold, hed_error *error)
{
    HED_REQUIRE(def, hold);
    const hed_allocator allocator = hed_default_allocator();
    hed_error unreported = {0};
    if (!error) error = &unreported;
    *hold = hed_new(&allocator, 1, sizeof **hold, error);
    if (!*hold) return error->status;
    (*hold)->allocator = allocator;
    (*hold)->arena.owner = "held vertices";
    if (hold_fill(*hold, def, error)) {
        hed_cloth_hold_destroy(*hold);
        *hold = NULL;
    }
    return error->status;
}

void hed_cloth_hold_destroy(hed_cloth_hold *hold)
{
    if (!hold) return;
    hed_allocator allocator = hold->allocator;
    hed_arena_free(&hold->arena);
    hed_delete(&allocator, hold, 1, sizeof *hold);
}

hed_cloth_def hed_cloth_hold_def(const hed_cloth_hold *hold)
{
    return hold ? hold->def : (hed_cloth_def){0};
}

uint32_t hed_cloth_hold_count(const hed_cloth_hold *hold) { return hold ? hold->count : 0; }

/* ---- vertices ---- */

/* True if the particle of a vertex cannot move at all. */
static bool is_locked(const hed_cloth_hold *hold, uint32_t vertex)
{
    const hed_cloth_garment_def *def = &hold->garments[hold->garment_of[vertex]];
    uint32_t particle = hold->particle_of[vertex], first = 0;
    for (uint32_t g = 0; g < hold->garment_of[vertex]; g++)
        first += hold->garments[g].particle_count * hold->garments[g].copies;
    return hold->limits[particle] == 0.0f ||
           (def->inverse_masses &&
               def->inverse_masses[(particle - first) % def->particle_count] == 0.0f);
}

hed_status hed_cloth_hold_vertex(
    hed_cloth_hold *hold, uint32_t vertex, const float place[3], hed_error *error)
{
    HED_REQUIRE(hold, place);
    if (vertex >= hold->vertices)
        return hed_fail(error, HED_ERROR_ARGUMENT, "vertex %u of a cloth of %u", vertex, hold->vertices);
    if (!isfinite(place[0]) || !isfinite(place[1]) || !isfinite(place[2]))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "vertex %u: held at %g %g %g; expected finite numbers", vertex, (double)place[0],
            (double)place[1], (double)place[2]);
    if (is_locked(hold, vertex))
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "vertex %u was created as locked, and cannot be held elsewhere", vertex);
    uint32_t i = 0, particle = hold->particle_of[vertex];
    while (i < hold->count && hold->grips[i].particle != particle) i++;
    if (i == hold->count)
        hold->grips[hold->count++] = (hold_grip){.vertex = vertex, .particle = particle};
    memcpy(hold->grips[i].place, place, sizeof hold->grips[i].place);
    return HED_OK;
}

hed_status hed_cloth_hold_release(
    hed_cloth_hold *hold, hed_cloth *cloth, uint32_t vertex, hed_error *error)
{
    HED_REQUIRE(hold, cloth);
    if (vertex >= hold->vertices)
        return hed_fail(error, HED_ERROR_ARGUMENT, "vertex %u of a cloth of %u", vertex, hold->vertices);
    for (uint32_t i = 0; i < hold->count; i++) {
        const hold_grip grip = hold->grips[i];
        if (grip.particle != hold->particle_of[vertex]) continue;
        hold->grips[i] = hold->grips[--hold->count];
        return grip.stage <= ATTACHED ? HED_OK
                                      : hed_cloth_set_max_distance(cloth, grip.particle,
                                            hold->limits[grip.particle], error);
    }
    return HED_OK;
}

hed_status hed_cloth_hold_frame(hed_cloth_hold *hold, hed_cloth *cloth, const float *positions,
    hed_cloth_frame *frame, hed_error *error)
{
    HED_REQUIRE(hold, cloth, positions, frame);
    hed_error unreported = {0};
    if (!error) error = &unreported;
    if (hold->count == 0) return HED_OK;
    if (frame->driver_positions)
        memcpy(hold->driver, frame->driver_positions,
            3 * (size_t)hold->particles * sizeof *hold->driver);
    for (uint32_t i = 0; i < hold->count; i++) {
        hold_grip *grip = &hold->grips[i];
        const float *at = positions + 3 * (size_t)grip->vertex;
        float *to = hold->driver + 3 * (size_t)grip->particle;
        for (int k = 0; k < 3; k++)
            to[k] = grip->stage == MEASURED  ? at[k]
                    : grip->stage == TRACKED ? 2.0f * at[k] - grip->last[k]
                                             : grip->place[k];
        memcpy(grip->last, at, sizeof grip->last);
        if (grip->stage == ATTACHED &&
            hed_cloth_set_max_distance(cloth, grip->particle, 0.0f, error))
            return error->status;
        if (grip->stage <= ATTACHED) grip->stage++;
    }
    frame->driver_positions = hold->driver;
    return HED_OK;
}
