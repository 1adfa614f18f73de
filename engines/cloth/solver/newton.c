/* HED_CLOTH_SOLVER_NEWTON: Newton's method for the strains of meshes (kernels/newton.h). A
 * frame is one launch of resident groups, which integrate, bend the mesh and solve its strains
 * together in each substep. If there are colliders, contacts or a driver, each substep is such a
 * launch, and a launch for these: bodies are met before the solution, too
 * (kernels/newton_contact.h), and the launch moves out whatever the solution moves into them. A
 * frame's first substep does not follow a solution, so that a saved state continues alike. On other
 * devices a substep is a launch of the integrator and one for each leg. */
#include "solver/newton_tables.h"

#include "kernels/newton_kernel.h"

#include <stdio.h>
#include <string.h>

enum {
    /* Iterations of a frame of 1/60 s, and the fewest of a substep: in shorter ones strains reach
     * less far. Measured on the mesh of heddle bench, with 3 to 8 substeps, and over a ball, with 6
     * to 20: there with fewer iterations cloth hangs too high. */
    ITERATIONS = 84,
    ITERATIONS_TOUCHED = 192,
    FEWEST = 8,
    MOST = 32,
    FRAMES_A_SECOND = 60,
    INVERSE = CLOTH_NEWTON_PATCHES * CLOTH_NEWTON_PATCHES
};
/* Buffers of the solver and nothing else, so that CLOTH_BUFFERS() lists them. */
typedef struct newton_buffers {
    hed_buffer *moved, *words, *tables, *steps, *sent, *diagonals, *sums, *rows, *contacts, *kept,
        *coarse, *state;
} newton_buffers;

struct cloth_solver {
    newton_buffers b;
    hed_kernel *kernel;
    bool is_joint; /* all legs in one launch */
    uint32_t patches;
    cloth_patched patched;
    double *
        coarse; /* (patches x (1 + 2 patches)) cloth_newton_tables.coarse, and room for its inverse */
    float *inverse; /* (CLOTH_NEWTON_PATCHES squared) content of `rows`, for `give` */
    float give;     /* 1 / dt^2; 0: `rows` has no content */
    uint32_t batch; /* substeps in `steps` */
    cloth_step *next;
};
HED_VIEW_LAUNCH(newton_launch, CLOTH_NEWTON)

/* ---- creation and destruction ---- */

static bool newton_valid(const hed_cloth *cloth, char *reason, size_t size)
{
    const char *text = NULL;
    if (cloth->def.iterations > 1) text = "it has iterations of its own: 1 iteration";
    else if (cloth->has_self) text = "cloth in contact with itself";
    else if (cloth->has_tethers) text = "the cloth has tethers";
    else if (cloth->has_seams) text = "the cloth has seams";
    else if (cloth->has_pressure) text = "the cloth has pressure";
    else if (cloth->tear) text = "the cloth tears";
    for (uint32_t g = 0; g < cloth->garment_count && !text; g++)
        if (!cloth->garments[g]->element_count || cloth_kept_constraints(cloth->garments[g]))
            text = "a garment is no mesh of triangles with a fabric";
    snprintf(reason, size, "%s", text ? text : "");
    return !text;
}

static uint64_t newton_coarse_count(const cloth_solver *s)
{
    return (uint64_t)s->patches * (1 + 2 * (uint64_t)s->patches);
}

static void newton_destroy(hed_cloth *cloth, cloth_solver *s)
{
    hed_kernel_destroy(s->kernel);
    hed_delete(&cloth->allocator, s->coarse, newton_coarse_count(s), sizeof *s->coarse);
    hed_delete(&cloth->allocator, s->inverse, INVERSE, sizeof *s->inverse);
    cloth_buffers_destroy(CLOTH_BUFFERS(&s->b));
    hed_delete(&cloth->allocator, s->next, s->batch, sizeof *s->next);
    hed_delete(&cloth->allocator, s, 1, sizeof *s);
}

/* Creates the kernel; UNSUPPORTED: the device has too little local memory. */
static hed_status newton_make_kernel(hed_cloth *cloth, cloth_solver *s, hed_error *error)
{
    const hed_device_info info = hed_device_describe(cloth->device);
    uint64_t bytes = sizeof(float4) * CLOTH_NEWTON_MEMORY;
    if (error->status) return error->status;
    if (strcmp(info.backend, "host") != 0 && bytes > info.local_bytes)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "solver newton: a group needs %llu bytes of local memory; %s has %llu",
            (unsigned long long)bytes, info.id, (unsigned long long)info.local_bytes);
    hed_kernel_options options = hed_default_kernel_options();
    options.math = cloth->def.math;
    return hed_kernel_create(cloth->device,
        s->is_joint ? &cloth_newton_joint_def : &cloth_newton_def, &options, &s->kernel, error);
}

/* Makes the tables and all buffers. */
static hed_status newton_upload(
    hed_cloth *cloth, cloth_solver *s, hed_arena *scratch, hed_error *error)
{
    const hed_device_info info = hed_device_describe(cloth->device);
    const uint64_t needs = cloth_newton_joint_def.needs;
    cloth_element_patches elements = {0};
    cloth_newton_tables made = {0};
    cloth_element_patches_make(cloth, scratch, &elements, error);
    if (!error->status) cloth_newton_tables_make(cloth, &elements, scratch, &made, error);
    if (error->status) return error->status;
    if (!made.patches)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "solver newton: the mesh has a particle without triangles, too many particles, or too many triangles in one place");
    bool may_touch = cloth->def.max_colliders || cloth->def.max_collider_triangles;
    uint64_t particles = cloth->particles, patches = s->patches = made.patches;
    s->coarse = hed_new(&cloth->allocator, newton_coarse_count(s), sizeof *s->coarse, error);
    s->inverse = hed_new(&cloth->allocator, INVERSE, sizeof *s->inverse, error);
    if (!s->coarse || !s->inverse) return HED_ERROR_MEMORY;
    memcpy(s->coarse, made.coarse, patches * (1 + patches) * sizeof *s->coarse);
    s->patched = elements.tables;
    /* all patches may be resident at once, each with a multiprocessor of its own */
    s->is_joint = (info.capabilities & needs) == needs && made.patches <= info.compute_units;
    const struct {
        hed_buffer **buffer;
        const void *content;
        uint64_t size;
    } arrays[] = {{&s->b.moved, NULL, particles * sizeof(float4)},
        {&s->b.words, made.words, made.word_count * sizeof *made.words},
        {&s->b.tables, elements.words, elements.word_rows * sizeof *elements.words},
        {&s->b.steps, NULL, s->batch * sizeof *s->next},
        {&s->b.sent, NULL, 2 * patches * CLOTH_NEWTON_OWN * sizeof(float4)},
        {&s->b.diagonals, NULL, 3 * patches * CLOTH_NEWTON_OWN * sizeof(float4)},
        {&s->b.sums, NULL, CLOTH_NEWTON_SUM_ROWS * patches * sizeof(float4)},
        {&s->b.rows, NULL, INVERSE * sizeof(float)}, {&s->b.state, NULL, 2 * sizeof(uint32_t)},
        {&s->b.contacts, NULL, (may_touch ? particles : 1) * sizeof(float4)},
        {&s->b.kept, NULL, patches * CLOTH_NEWTON_LOCAL * sizeof(cloth_newton_vertex)},
        {&s->b.coarse, NULL, patches * CLOTH_NEWTON_KEPT * sizeof(float)}};
    size_t count = HED_COUNT(arrays) - (s->is_joint ? 2 : 0); /* the last two are of single legs */
    for (size_t k = 0; k < count; k++)
        cloth_upload(cloth, arrays[k].content, arrays[k].size, arrays[k].buffer, error);
    return error->status;
}

static hed_status newton_make(hed_cloth *cloth, cloth_solver *s, hed_error *error)
{
    hed_arena scratch = {.allocator = cloth->allocator, .owner = "patches of a fabric"};
    s->batch = cloth->def.substeps;
    s->next = hed_new(&cloth->allocator, s->batch, sizeof *s->next, error);
    if (s->next) newton_upload(cloth, s, &scratch, error);
    hed_arena_free(&scratch);
    newton_make_kernel(cloth, s, error);
    cloth_kernel_ensure(cloth, CLOTH_KERNEL_INTEGRATE, cloth->particles, error);
    if (cloth->has_driver || cloth->def.max_colliders || cloth->def.max_collider_triangles)
        cloth_kernel_ensure(cloth, CLOTH_KERNEL_DRIVE, cloth->particles, error);
    return error->status;
}

static hed_status newton_create(hed_cloth *cloth, cloth_solver **solver, hed_error *error)
{
    cloth_solver *s = hed_new(&cloth->allocator, 1, sizeof *s, error);
    if (!s) return HED_ERROR_MEMORY;
    uint32_t substeps = cloth->def.substeps;
    if (cloth->is_chosen) cloth->def.substeps = cloth_choose_newton_substeps(cloth);
    hed_status status = newton_make(cloth, s, error);
    if (!status) {
        /* room for the inverse, so that no frame waits for its copy */
        if (cloth->staging.bytes) cloth->staging.bytes += INVERSE * sizeof *s->inverse;
        *solver = s;
        return HED_OK;
    }
    newton_destroy(cloth, s);
    cloth->def.substeps = substeps;
    return status;
}

/* ---- substeps ---- */

/* Iterations of a substep of `dt` seconds. */
static uint32_t newton_iterations(double dt, bool touches)
{
    double needed = (touches ? ITERATIONS_TOUCHED : ITERATIONS) * FRAMES_A_SECOND * dt;
    return needed < FEWEST ? FEWEST : needed > MOST ? MOST : (uint32_t)(needed + 0.999);
}

/* Enqueues `count` substeps, integration with them, in one launch, or one substep in a launch for
 * each leg. `bodies`: CLOTH_NEWTON_TOUCHES, CLOTH_NEWTON_FOLLOWS. */
static hed_status newton_solve(hed_cloth *cloth, const cloth_solver *s, uint32_t substep,
    uint32_t count, uint32_t iterations, uint32_t bodies, hed_error *error)
{
    const cloth_buffers *b = &cloth->buffers;
    hed_buffer *none = b->none;
    newton_launch launch = {.position = b->position,
        .previous = b->previous,
        .carry = b->carry,
        .garments = b->garments,
        .air = cloth_or_none(cloth, b->air),
        .driver_from = cloth_or_none(cloth, b->driver_from),
        .driver_to = cloth_or_none(cloth, b->driver_to),
        .driver_map = cloth_or_none(cloth, b->driver_map),
        .moved = s->b.moved,
        .words = s->b.words,
        .tables = s->b.tables,
        .steps = s->b.steps,
        .sent = s->b.sent,
        .diagonals = s->b.diagonals,
        .sums = s->b.sums,
        .rows = s->b.rows,
        .kept = s->is_joint ? none : s->b.kept,
        .coarse = s->is_joint ? none : s->b.coarse,
        .state = s->b.state,
        .contacts = s->b.contacts,
        .colliders = cloth_or_none(cloth, b->colliders),
        .contact = cloth_or_none(cloth, b->contact),
        .launch = {.patched = s->patched,
            .iterations = iterations,
            .patches = s->patches,
            .substep = substep,
            .substeps = count,
            .integrates = 1,
            .bodies = bodies}};
    hed_problem problem = HED_PROBLEM(s->patches);
    uint32_t launches = s->is_joint ? 1 : CLOTH_NEWTON_LEGS(iterations);
    if (!s->is_joint) cloth_integrate_all(cloth, s->b.steps, substep, error);
    for (uint32_t leg = 0; leg < launches && !error->status; leg++) {
        launch.launch.leg = leg;
        hed_launch(
            cloth->stream, s->kernel, &problem, HED_VIEW_ARGS_FROM(newton_launch, &launch), error);
    }
    return error->status;
}

static hed_status newton_substeps(hed_cloth *cloth, cloth_solver *s, const cloth_step *first,
    const cloth_step *rest, float dt, uint32_t count, hed_error *error)
{
    bool touches = first->colliders || (first->flags & CLOTH_STEP_CONTACTS);
    uint32_t iterations = newton_iterations((double)dt, touches);
    if (first->stiffness != s->give) { /* the coarse matrix depends on dt alone */
        cloth_newton_invert(s->coarse, s->patches, (double)first->stiffness,
            s->coarse + s->patches * (1 + (size_t)s->patches), s->inverse);
        cloth_send(cloth, s->b.rows, 0, s->inverse, INVERSE * sizeof *s->inverse, error);
        s->give = error->status ? 0 : first->stiffness; /* 0: the next frame sends it */
    }
    for (uint32_t at = 0; at < count && !error->status; at += s->batch) {
        uint32_t batch = count - at < s->batch ? count - at : s->batch;
        for (uint32_t i = 0; i < batch; i++)
            s->next[i] = at + i ? cloth_step_after(*rest, at + i - 1, dt) : *first;
        cloth_send(cloth, s->b.steps, 0, s->next, batch * sizeof *s->next, error);
        bool is_driven = cloth->has_driver || touches;
        uint32_t each = is_driven || !s->is_joint ? 1 : batch;
        for (uint32_t i = 0; i < batch && !error->status; i += each) {
            bool follows = (cloth->frame_at + at + i) % cloth->frame_substeps != 0;
            uint32_t bodies = CLOTH_NEWTON_TOUCHES | (follows ? CLOTH_NEWTON_FOLLOWS : 0u);
            newton_solve(cloth, s, i, each, iterations, touches ? bodies : 0, error);
            if (is_driven) cloth_drive_all(cloth, s->b.steps, i, 0, error);
        }
    }
    return error->status;
}

/* ---- reports ---- */

static void newton_report(const hed_cloth *cloth, const cloth_solver *s, hed_cloth_info *filled)
{
    (void)cloth;
    filled->device_bytes += cloth_buffers_bytes(CLOTH_BUFFERS(&s->b));
    snprintf(filled->choice, sizeof filled->choice, "%s of %u groups",
        s->is_joint ? "one launch" : "launches", s->patches);
}

const cloth_solver_ops cloth_newton_ops = {HED_CLOTH_SOLVER_NEWTON, newton_valid, newton_create,
    newton_destroy, newton_substeps, newton_report};
