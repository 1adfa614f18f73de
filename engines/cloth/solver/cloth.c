/* Creation of a hed_cloth from garments, choice of its solver, destruction. */
#include "object/division.h"
#include "solver/host.h"
#include "solver/patches.h"
#include "solver/strips.h"

#include "model/tear.h"

#include <stdio.h>
#include <string.h>

/* ---- definitions ---- */

static hed_status cloth_check_range(
    const char *name, uint32_t value, uint32_t low, uint32_t high, hed_error *error)
{
    if (error->status || (value >= low && value <= high)) return error->status;
    return hed_fail(
        error, HED_ERROR_ARGUMENT, "hed_cloth_def.%s is %u: %u to %u", name, value, low, high);
}

static hed_status cloth_check_def(
    const hed_device *device, const hed_cloth_def *def, hed_error *error)
{
    if (!device || !def || !def->garments)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "a cloth needs a device, a definition and its garments: one of them is NULL");
    cloth_check_range("garment_count", def->garment_count, 1, 1u << 20, error);
    cloth_check_range("substeps", def->substeps, 0, 1000, error);
    if (!(def->frame_seconds >= 0.0f && def->frame_seconds <= 1.0f) && !error->status)
        hed_fail(error, HED_ERROR_ARGUMENT, "hed_cloth_def.frame_seconds is %g: expected 0 to 1",
            (double)def->frame_seconds);
    cloth_check_range("iterations", def->iterations, 1, 100, error);
    for (uint32_t g = 0; g < def->garment_count && def->iterations > 1 && !error->status; g++)
        if (def->garments[g].lattices)
            hed_fail(error, HED_ERROR_ARGUMENT,
                "hed_cloth_def.iterations is %u and garment %u has lattices; expected 1 iteration",
                def->iterations, g);
    cloth_check_range("up", def->up, 0, 2, error);
    cloth_check_range("math", (uint32_t)def->math, HED_MATH_FAST, HED_MATH_STRICT, error);
    cloth_check_range("solver", (uint32_t)def->solver, 0, HED_CLOTH_SOLVER_COUNT - 1, error);
    cloth_check_range("set_width", def->set_width, 0, 1024, error);
    cloth_check_range("max_colliders", def->max_colliders, 0, 1u << 16, error);
    cloth_check_range("max_collider_triangles", def->max_collider_triangles, 0, 1u << 26, error);
    cloth_check_wind_grid(def, error);
    cloth_check_division(def, error);
    if (!error->status && def->set_width % 4)
        hed_fail(error, HED_ERROR_ARGUMENT, "hed_cloth_def.set_width is %u: 0, or a multiple of 4",
            def->set_width);
    if (!error->status && def->stream && hed_stream_device(def->stream) != device)
        hed_fail(error, HED_ERROR_ARGUMENT, "hed_cloth_def.stream belongs to another device");
    return error->status;
}

/* ---- garments ---- */

/* Sets the flags that describe the garments together. */
static void add_flags(hed_cloth *cloth, const cloth_garment *g)
{
    cloth->has_tethers |= g->anchor_count > 0;
    cloth->has_driver |= g->driven;
    cloth->has_pressure |= g->pressure != 0.0f;
    cloth->has_air |=
        (g->drag > 0.0f || g->lift > 0.0f || g->pressure != 0.0f) && g->triangle_count > 0;
    cloth->has_self |= g->self_collision != HED_CLOTH_SELF_NONE;
    cloth->has_balls |= g->self_collision == HED_CLOTH_SELF_BALLS;
    cloth->has_seams |= g->seam_count > 0;
    cloth->has_inertia |= g->linear_inertia > 0.0f || g->angular_inertia > 0.0f;
}

/* Fills the first particle, vertex, triangle and anchor of each garment, and the ends of the
 * last garment; sets the flags of all garments, of all parts. */
static hed_status place_garments(hed_cloth *cloth, hed_error *error)
{
    uint64_t at[4] = {0};
    uint32_t **firsts[4] = {
        &cloth->first_particle, &cloth->first_vertex, &cloth->first_triangle, &cloth->first_anchor};
    const hed_cloth *whole = cloth_whole(cloth);
    for (int k = 0; k < 4; k++) {
        *firsts[k] = hed_new(&cloth->allocator, cloth->garment_count + 1, sizeof(uint32_t), error);
        if (!*firsts[k]) return HED_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i <= cloth->garment_count; i++) {
        for (int k = 0; k < 4; k++) (*firsts[k])[i] = (uint32_t)at[k];
        if (i == cloth->garment_count) break;
        const cloth_garment *g = cloth->garments[i];
        const uint32_t counts[4] = {
            g->particle_count, g->vertex_count, g->triangle_count, g->anchor_count};
        for (int k = 0; k < 4; k++) {
            at[k] += (uint64_t)g->copies * counts[k];
            if (at[k] > 1u << 28)
                return hed_fail(error, HED_ERROR_LIMIT,
                    "the first %u garments with their copies have more than 2^28 particles, vertices or triangles",
                    i + 1);
        }
        cloth->gases += g->gas != 0.0f;
    }
    for (uint32_t g = 0; g < whole->garment_count; g++) add_flags(cloth, whole->garments[g]);
    cloth->has_field = cloth->has_air && (cloth->def.max_fans || cloth->def.wind_grid);
    cloth->particles = (uint32_t)at[0];
    if (!cloth->own_count) cloth->own_count = cloth->particles; /* no strip */
    cloth->vertices = (uint32_t)at[1];
    cloth->triangles = (uint32_t)at[2];
    return HED_OK;
}

static hed_status make_garments(hed_cloth *cloth, const hed_cloth_def *def, hed_error *error)
{
    const hed_allocator *a = &cloth->allocator;
    cloth->garments = hed_new(a, def->garment_count, sizeof *cloth->garments, error);
    if (!cloth->garments) return HED_ERROR_MEMORY;
    cloth->garment_count = def->garment_count;
    for (uint32_t i = 0; i < def->garment_count; i++) {
        hed_cloth_garment_def garment = def->garments[i];
        garment.lattices |= !def->substeps && def->iterations == 1 && garment.grid_width > 0;
        if (cloth_garment_create(a, &garment, i, &cloth->garments[i], error)) return error->status;
        if (cloth->tear && cloth->tear->garments[i].corner_count)
            cloth->garments[i]->spare_count =
                garment.particle_count - cloth->tear->garments[i].used;
        cloth->garments[i]->reach = cloth_origin_reach(cloth->garments[i]);
    }
    /* the second half: see cloth_upload_start() */
    if (place_garments(cloth, error)) return error->status;
    cloth->body_motion = cloth_choose_body_motion(cloth);
    cloth->is_chosen = !def->substeps;
    if (cloth->is_chosen) cloth->def.substeps = cloth_choose_substeps(cloth);
    if (cloth->tear) cloth->tear->def.substeps = cloth->def.substeps;
    return HED_OK;
}

/* ---- the choice of solver ---- */

static const cloth_solver_ops *const solvers[HED_CLOTH_SOLVER_COUNT] = {
    [HED_CLOTH_SOLVER_COLOURS] = &cloth_colours_ops,
    [HED_CLOTH_SOLVER_SETS] = &cloth_sets_ops,
    [HED_CLOTH_SOLVER_PATCHES] = &cloth_patches_ops,
    [HED_CLOTH_SOLVER_GARMENTS] = &cloth_garments_ops,
    [HED_CLOTH_SOLVER_CPU] = &cloth_cpu_ops,
    [HED_CLOTH_SOLVER_COOPERATIVE] = &cloth_cooperative_ops,
    [HED_CLOTH_SOLVER_NEWTON] = &cloth_newton_ops,
};

/* Creates the solver. If AUTO chose a solver that fails, for example because patches of the mesh
 * are too large, the cloth uses the next one by the rules in place of Newton's method, else that of
 * colours. */
static hed_status create_structure(hed_cloth *cloth, hed_error *error)
{
    hed_status status = cloth->ops->create(cloth, &cloth->solver, error);
    bool is_other =
        status == HED_ERROR_UNSUPPORTED || status == HED_ERROR_LIMIT || status == HED_ERROR_BUILD;
    if (!is_other || cloth->def.solver != HED_CLOTH_SOLVER_AUTO || cloth->ops == &cloth_colours_ops)
        return status;
    hed_error_clear(error);
    if (cloth->ops == &cloth_newton_ops) {
        cloth_choose_structure(cloth, solvers, false, error);
        return error->status ? error->status : create_structure(cloth, error);
    }
    cloth->ops = &cloth_colours_ops;
    return cloth->ops->create(cloth, &cloth->solver, error);
}

/* ---- creation and destruction ---- */

static hed_status cloth_make_host(hed_cloth *cloth, hed_error *error)
{
    const hed_allocator *a = &cloth->allocator;
    cloth_host *host = cloth->host = hed_new(a, 1, sizeof *host, error);
    if (!host) return HED_ERROR_MEMORY;
    uint64_t words = CLOTH_COLLIDER_WORDS * (uint64_t)cloth->def.max_colliders;
    host->colliders = hed_new(a, cloth->def.max_colliders, sizeof *host->colliders, error);
    host->collider_words = host->colliders ? hed_new(a, words, sizeof(float4), error) : NULL;
    host->scratch_words = host->collider_words ? hed_new(a, words, sizeof(float4), error) : NULL;
    const uint32_t homes = cloth_home_count(cloth);
    cloth->homes =
        host->scratch_words ? hed_new(a, 2 * (uint64_t)homes, sizeof *cloth->homes, error) : NULL;
    host->good_homes = cloth->homes ? hed_new(a, homes, sizeof *host->good_homes, error) : NULL;
    cloth_set_view(cloth, NULL);
    return host->good_homes ? HED_OK : HED_ERROR_MEMORY;
}

/* Builds all but the garments. */
static hed_status cloth_build_on_device(hed_cloth *cloth, hed_error *error)
{
    if (cloth_make_host(cloth, error)) return error->status;
    cloth->own_stream = !cloth->stream;
    if (cloth->own_stream && hed_stream_create(cloth->device, NULL, &cloth->stream, error))
        return error->status;

    /* space for one frame's driver, colliders and garments, and for the steps of many substeps */
    uint64_t bytes = (64 << 10) + 48 * (uint64_t)cloth_whole(cloth)->garment_count +
                     sizeof(float4) * CLOTH_COLLIDER_WORDS * (uint64_t)cloth->def.max_colliders;
    if (cloth->has_driver)
        bytes += 24 * (uint64_t)cloth->particles + 128 * (uint64_t)cloth->garment_count;
    bool on_host = strcmp(hed_device_describe(cloth->device).backend, "host") == 0;
    cloth->staging.bytes = on_host ? 0 : bytes;
    if (cloth_upload_all(cloth, error) || cloth_choose_structure(cloth, solvers, true, error))
        return error->status;
    if (cloth->has_self || cloth->def.max_collider_triangles || cloth->def.max_colliders)
        cloth_contacts_create(cloth, &cloth->contacts, error);
    if (error->status || create_structure(cloth, error)) return error->status;
    cloth_kernels_announced(cloth, error);
    cloth_keep_state(cloth, error);
    cloth_show(cloth, error);
    return hed_stream_wait(cloth->stream, error);
}

static hed_cloth *allocate_cloth(hed_device *device, const hed_cloth_def *def,
    const hed_config *tuned, hed_stream *stream, hed_error *error)
{
    hed_allocator allocator = hed_context_describe(hed_device_context(device)).allocator;
    hed_cloth *created = hed_new(&allocator, 1, sizeof *created, error);
    if (!created) return NULL;
    created->allocator = allocator;
    created->device = device;
    created->def = *def;
    created->def.garments = NULL;
    created->tuned = *tuned;
    created->stream = stream;
    return created;
}

/* Makes the part of a device. */
static hed_status make_part(
    hed_cloth *cloth, uint32_t number, hed_device *device, const cloth_cut *cuts, hed_error *error)
{
    hed_stream *stream = number ? NULL : cloth->stream;
    hed_cloth *part = allocate_cloth(device, &cloth->def, &(hed_config){0}, stream, error);
    if (!part) return HED_ERROR_MEMORY;
    cloth->parts[number] = part;
    part->def.other_device_count = 0;
    if (cloth->strips) cloth_take_strip(part, cloth, number, error);
    else cloth_take_garments(part, cloth, cuts + number, error);
    if (error->status || place_garments(part, error)) return error->status;
    return cloth_build_on_device(part, error);
}

/* Makes the parts of a cloth whose garments exist. */
static hed_status cloth_divide(hed_cloth *cloth, const hed_cloth_def *def, hed_error *error)
{
    const uint32_t count = 1 + def->other_device_count;
    cloth_cut cuts[CLOTH_MAX_PARTS + 1];
    if (cloth_copies(cloth) >= count) cloth_deal(cloth, count, cuts);
    else if (cloth_strips_create(cloth, def, count, error)) return error->status;
    cloth->parts = hed_new(&cloth->allocator, count, sizeof *cloth->parts, error);
    if (!cloth->parts) return HED_ERROR_MEMORY;
    cloth->part_count = count;
    for (uint32_t i = 0; i < count && !error->status; i++)
        make_part(cloth, i, i ? def->other_devices[i - 1] : cloth->device, cuts, error);
    cloth->def.wind_grid = NULL; /* the program's */
    cloth->def.other_devices = NULL;
    /* before the first frame, since the first copies between devices take longer */
    if (cloth->strips && !error->status) cloth_strips_exchange(cloth, error);
    return error->status;
}

static hed_status cloth_build(hed_cloth *cloth, const hed_cloth_def *def, hed_error *error)
{
    if (make_garments(cloth, def, error)) return error->status;
    return def->other_device_count ? cloth_divide(cloth, def, error)
                                   : cloth_build_on_device(cloth, error);
}

hed_status hed_cloth_create(
    hed_device *device, const hed_cloth_def *def, hed_cloth **cloth, hed_error *error)
{
    HED_REQUIRE(device, def, cloth);
    return cloth_create_tuned(device, def, &(hed_config){0}, cloth, error);
}

hed_status cloth_create_tuned(hed_device *device, const hed_cloth_def *def, const hed_config *tuned,
    hed_cloth **cloth, hed_error *error)
{
    hed_error unreported = {0};
    if (!error) error = &unreported; /* later calls read its status */
    *cloth = NULL;
    if (cloth_check_def(device, def, error)) return error->status;
    hed_cloth *created = allocate_cloth(device, def, tuned, def->stream, error);
    if (!created) return HED_ERROR_MEMORY;
    bool tears = false;
    for (uint32_t i = 0; i < def->garment_count; i++) tears |= def->garments[i].tear != 0.0f;
    if (tears) cloth_tear_create(&created->allocator, def, &created->tear, error);
    if (error->status || cloth_build(created, created->tear ? &created->tear->def : def, error))
        hed_cloth_destroy(created);
    else *cloth = created;
    return error->status;
}

hed_status cloth_create_torn(const hed_cloth *from, hed_cloth **cloth, hed_error *error)
{
    const hed_cloth_def *def = &from->tear->def;
    *cloth = NULL;
    hed_cloth *created = allocate_cloth(from->device, def, &from->tuned, from->stream, error);
    if (!created) return HED_ERROR_MEMORY;
    created->tear = from->tear;
    if (!cloth_build(created, def, error)) {
        *cloth = created;
        return HED_OK;
    }
    created->tear = NULL; /* owner: `from` */
    hed_cloth_destroy(created);
    return error->status;
}

static void destroy_host(hed_cloth *cloth)
{
    cloth_host *host = cloth->host;
    const hed_allocator *a = &cloth->allocator;
    if (!host) return;
    for (int i = 0; i < CLOTH_KERNEL_COUNT; i++) hed_kernel_destroy(host->kernels[i]);
    cloth_staging_destroy(&cloth->staging);
    for (int i = 0; i < CLOTH_READ_PARTS; i++) hed_buffer_destroy(host->reading.rows[i]);
    for (int i = 0; i < CLOTH_READ_SLOTS; i++) {
        hed_event_destroy(host->reading.arrived[i]);
        hed_buffer_destroy(host->reading.pinned[i]);
    }
    hed_buffer_destroy(host->look.pinned);
    hed_event_destroy(host->look.done);
    uint64_t words = CLOTH_COLLIDER_WORDS * (uint64_t)cloth->def.max_colliders;
    hed_delete(a, host->good_homes, cloth_home_count(cloth), sizeof *host->good_homes);
    hed_delete(a, host->colliders, cloth->def.max_colliders, sizeof *host->colliders);
    hed_delete(a, host->collider_words, words, sizeof(float4));
    hed_delete(a, host->scratch_words, words, sizeof(float4));
    hed_delete(a, host, 1, sizeof *host);
}

/* Waits for the work of a cloth that may be unfinished; a failure is not reported. */
static void wait_for_work(const hed_cloth *cloth)
{
    if (cloth && cloth->stream) hed_stream_wait(cloth->stream, NULL);
}

void hed_cloth_destroy(hed_cloth *cloth)
{
    if (!cloth) return;
    for (uint32_t i = 0; i < cloth->part_count; i++) wait_for_work(cloth->parts[i]);
    cloth_strips_destroy(cloth);
    for (uint32_t i = 0; i < cloth->part_count; i++) hed_cloth_destroy(cloth->parts[i]);
    hed_delete(&cloth->allocator, cloth->parts, cloth->part_count, sizeof *cloth->parts);
    wait_for_work(cloth);
    if (cloth->solver) cloth->ops->destroy(cloth, cloth->solver);
    if (cloth->contacts) cloth_contacts_destroy(cloth, cloth->contacts);
    destroy_host(cloth);
    cloth_buffers_destroy(CLOTH_BUFFERS(&cloth->buffers));
    hed_allocator allocator = cloth->allocator;
    uint32_t *firsts[4] = {
        cloth->first_particle, cloth->first_vertex, cloth->first_triangle, cloth->first_anchor};
    for (uint32_t i = 0; i < cloth->garment_count; i++) {
        cloth_garment *garment = cloth->garments[i];
        if (!cloth->whole) cloth_garment_destroy(garment);
        else if (garment) hed_arena_free(&garment->arena); /* arrays of a part alone */
        if (cloth->whole) hed_delete(&allocator, garment, 1, sizeof *garment);
    }
    for (int k = 0; k < 4; k++)
        hed_delete(&allocator, firsts[k], cloth->garment_count + 1, sizeof(uint32_t));
    hed_delete(&allocator, cloth->garments, cloth->garment_count, sizeof *cloth->garments);
    hed_delete(
        &allocator, cloth->homes, 2 * (uint64_t)cloth_home_count(cloth), sizeof *cloth->homes);
    if (cloth->own_stream) hed_stream_destroy(cloth->stream);
    cloth_tear_destroy(cloth->tear);
    hed_delete(&allocator, cloth, 1, sizeof *cloth);
}

/* ---- description ---- */

uint32_t hed_cloth_particle_count(const hed_cloth *cloth)
{
    if (!cloth) return 0;
    return cloth->particles;
}
uint32_t hed_cloth_vertex_count(const hed_cloth *cloth)
{
    if (!cloth) return 0;
    return cloth->vertices;
}
hed_stream *hed_cloth_stream(const hed_cloth *cloth)
{
    if (!cloth || cloth->parts) return NULL;
    return cloth->stream;
}

void hed_cloth_garment_range(
    const hed_cloth *cloth, uint32_t garment, uint32_t *first_particle, uint32_t *first_vertex)
{
    if (!cloth || !first_particle || !first_vertex) return;
    *first_particle = cloth->first_particle[garment];
    *first_vertex = cloth->first_vertex[garment];
}

static void report_garment(
    const hed_cloth *cloth, uint32_t index, uint32_t largest, hed_cloth_info *report)
{
    const cloth_garment *g = cloth->garments[index];
    uint64_t tethers = 0;
    for (uint32_t i = 0; i < g->particle_count && g->anchor_count; i++)
        tethers += g->tether_anchor[i] != UINT32_MAX;
    report->constraints +=
        g->copies * ((uint64_t)cloth_kept_constraints(g) + cloth_sums_of(g).count);
    report->tethers += g->copies * tethers;
    report->lattices += g->lattice_count > 0;
    if (g->degree > report->degree) report->degree = g->degree;
    /* colours of elements if the garment has elements, else of constraints */
    uint32_t colours = g->element_count ? g->element_colours : g->colour_count;
    const uint32_t *at = g->element_count ? g->element_at : g->colour_at;
    if (index != largest || !colours) return;
    report->colours = colours;
    report->smallest_set = UINT64_MAX;
    for (uint32_t c = 0; c < colours; c++) {
        uint64_t size = at[c + 1] - at[c];
        if (size < report->smallest_set) report->smallest_set = size;
        if (size > report->largest_set) report->largest_set = size;
    }
}

bool hed_cloth_stiffness_of(
    const hed_cloth *cloth, uint32_t garment, double seconds, hed_cloth_stiffness *stiffness)
{
    if (!cloth || !stiffness) return false;
    if (garment >= cloth->garment_count || !cloth->garments[garment]->has_fabric) return false;
    *stiffness = cloth_garment_stiffness(cloth->garments[garment], seconds, cloth->def.substeps,
        cloth->def.iterations, cloth_lead(cloth)->ops->id);
    return true;
}

hed_cloth_info hed_cloth_describe(const hed_cloth *cloth)
{
    if (!cloth) return (hed_cloth_info){0};
    uint32_t largest = 0;
    for (uint32_t i = 1; i < cloth->garment_count; i++)
        if (cloth->garments[i]->constraint_count > cloth->garments[largest]->constraint_count)
            largest = i;
    hed_cloth_info report = {.solver = cloth_lead(cloth)->ops->id,
        .configured = cloth_lead(cloth)->configured,
        .particles = cloth->particles,
        .vertices = cloth->vertices,
        .triangles = cloth->triangles,
        .devices = cloth_part_count(cloth),
        .substeps = cloth->def.substeps,
        .most_substeps = cloth->most_substeps};
    for (uint32_t i = 0; i < cloth->garment_count; i++) report_garment(cloth, i, largest, &report);
    uint64_t boundary = 0;
    for (uint32_t i = report.devices; i-- > 0;) { /* the first part's choice is the last written */
        const hed_cloth *part = cloth->parts ? cloth->parts[i] : cloth;
        report.device_bytes += cloth_buffers_bytes(CLOTH_BUFFERS(&part->buffers)) +
                               cloth_buffers_bytes(part->host->reading.rows, CLOTH_READ_PARTS) +
                               (part->contacts ? cloth_contacts_bytes(part->contacts) : 0);
        report.boundary = 0;
        part->ops->report(part, part->solver, &report);
        boundary += report.boundary;
    }
    report.boundary = boundary;
    if (cloth->strips) {
        const size_t used = strlen(report.choice);
        snprintf(report.choice + used, sizeof report.choice - used,
            ", in %u strips with margins of %u rows", cloth->strips->count, cloth->strips->margin);
    }
    return report;
}
