/* What the checks of the cloth share: solvers to try, a cloth and the reference running, ropes.
 * `error` is the test's own. */
#ifndef HED_TESTS_CLOTH_CHECKS_H
#define HED_TESTS_CLOTH_CHECKS_H

#include "testing.h"

#include "heddle/cloth.h"
#include "solver/host.h"

#include "kernels/particle.h"

#include "cloth_meshes.h"

#undef sqrt /* double here: words.h has the float of kernels */
#undef fabs
#undef fma

static hed_error error;

/* ---- what is tried ---- */

typedef struct variant {
    const char *name;
    hed_cloth_solver solver;
    hed_math math;
} variant;

/* Up to a row without a name. */
static const variant variants[] = {
    {"colours, strict", HED_CLOTH_SOLVER_COLOURS, HED_MATH_STRICT},
    {"colours, fast", HED_CLOTH_SOLVER_COLOURS, HED_MATH_FAST},
    {"sets, strict", HED_CLOTH_SOLVER_SETS, HED_MATH_STRICT},
    {"sets, fast", HED_CLOTH_SOLVER_SETS, HED_MATH_FAST},
    {"patches, fast", HED_CLOTH_SOLVER_PATCHES, HED_MATH_FAST},
    {"whole, fast", HED_CLOTH_SOLVER_GARMENTS, HED_MATH_FAST},
    {"native, fast", HED_CLOTH_SOLVER_CPU, HED_MATH_FAST},
    {NULL, HED_CLOTH_SOLVER_AUTO, HED_MATH_FAST},
};

/* Substeps of a frame, iterations of a substep, and where it matters patches. */
typedef struct effort {
    uint32_t substeps, iterations, patches;
} effort;

/* NULL where the solver is not valid on the device; colours always are. */
static inline hed_cloth *make(const test_device *t, const hed_cloth_garment_def *garment, effort e,
    bool slides_form, const variant *v)
{
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth *cloth = NULL;
    def.garments = garment;
    def.garment_count = 1;
    def.substeps = e.substeps;
    def.iterations = e.iterations;
    def.patches = e.patches;
    def.slides_form = slides_form;
    def.solver = v->solver;
    def.math = v->math;
    def.set_width = v->solver == HED_CLOTH_SOLVER_SETS ? 8 : 0;
    error = (hed_error){0};
    hed_status status = hed_cloth_create(t->device, &def, &cloth, &error);
    CHECK(status == HED_OK ||
              (status == HED_ERROR_UNSUPPORTED && v->solver != HED_CLOTH_SOLVER_COLOURS),
        "%s: %s: %s\n%s", v->name, hed_status_name(status), error.text, error.log);
    return cloth;
}

static inline void step(hed_cloth *cloth, double seconds, double gravity, uint32_t count)
{
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.seconds = seconds;
    frame.gravity[0] = frame.gravity[2] = 0;
    frame.gravity[1] = (float)gravity;
    for (uint32_t i = 0; i < count; i++) OK(hed_cloth_step(cloth, &frame, &error));
}

static inline float *positions_of(hed_cloth *cloth)
{
    float *positions = malloc(hed_cloth_vertex_count(cloth) * 3 * sizeof *positions);
    CHECK_NOT_NULL(positions);
    OK(hed_cloth_read(cloth, positions, NULL, NULL, &error));
    return positions;
}

/* ---- the reference, running ---- */

typedef struct reference {
    cloth_garment *garment;
    cloth_reference_def def;
    double *positions, *previous, last_dt;
} reference;

static inline reference reference_make(
    const hed_cloth_garment_def *garment, effort e, double seconds, double gravity)
{
    hed_allocator allocator = hed_default_allocator();
    reference r = {.def = {.substeps = e.substeps, .iterations = e.iterations, .seconds = seconds,
                       .gravity = {0, gravity, 0}, .up = 1}};
    OK(cloth_garment_create(&allocator, garment, 0, &r.garment, &error));
    uint32_t count = 3 * garment->particle_count;
    r.positions = malloc(count * sizeof *r.positions);
    r.previous = malloc(count * sizeof *r.previous);
    CHECK(r.positions && r.previous);
    for (uint32_t i = 0; i < count; i++) r.positions[i] = r.previous[i] = garment->positions[i];
    return r;
}

static inline void reference_step(reference *r, uint32_t frames)
{
    CHECK_EQ(cloth_reference_frames(
                 r->garment, &r->def, frames, r->positions, r->previous, NULL, &r->last_dt),
        HED_OK);
}

static inline void reference_free(reference *r)
{
    cloth_garment_destroy(r->garment);
    free(r->positions);
    free(r->previous);
}

/* ---- garments ---- */

/* A rope: particle after particle, each at a distance from the next; compress and stretch are 1. */
typedef struct rope {
    hed_cloth_garment_def def;
    float *positions, *inverse_masses;
    hed_cloth_constraint *constraints;
} rope;

static const hed_cloth_material rod = {.compress = 1, .stretch = 1};

static inline rope rope_make(uint32_t particles)
{
    rope r = {hed_default_cloth_garment_def(), calloc(particles, 12), calloc(particles, 4),
        calloc(particles, sizeof *r.constraints)};
    CHECK(r.positions && r.inverse_masses && r.constraints);
    for (uint32_t i = 0; i < particles; i++) {
        r.inverse_masses[i] = 1;
        r.constraints[i] = (hed_cloth_constraint){i, i + 1, 1, 0};
    }
    r.def.name = "rope";
    r.def.particle_count = particles;
    r.def.positions = r.positions;
    r.def.inverse_masses = r.inverse_masses;
    r.def.constraints = r.constraints;
    r.def.constraint_count = particles - 1;
    r.def.materials = &rod;
    r.def.material_count = 1;
    r.def.damping = r.def.vertical_damping = r.def.drag = r.def.lift = 0;
    return r;
}

static inline void rope_free(rope *r)
{
    free(r->positions);
    free(r->inverse_masses);
    free(r->constraints);
}

#endif
