/* HED_CLOTH_SOLVER_PATCHES and HED_CLOTH_SOLVER_GARMENTS: one or several frames in one launch of
 * the kernel of patch.cl, with particles in local memory. On a device without packets PATCHES has a
 * launch for each exchange, which are still far fewer launches than one for each colour. */
#include "solver/patches.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernels/kernels.h"
#include "solver/strict_order.h"
#include "solver/tension.h"

enum {
    VARIANTS = 64,
    COLLIDERS_BIT = 32,
    MOST_LOCAL = 16384,
    REGISTER_PLACES = 4096,
    FLOAT4 = 16,
    MOST_COLLIDERS = 256,
    FEW_PARTICLES = 4
};

/* EXCHANGE of patch.cl. */
typedef enum exchange { NO_EXCHANGE, BY_PACKETS, BY_LAUNCHES } exchange;

struct cloth_solver {
    cloth_patch_choice choice;
    exchange by;
    bool ranges, compliance, bends;
    uint32_t figures; /* FIGURES of patch.cl */
    uint32_t group_count, slot_count, places, palette, local_steps;
    hed_config config;
    hed_buffer *tables, *packets;
    cloth_tension *tension;       /* NULL: no lattices */
    uint32_t tether_at, limit_at; /* members of cloth_patch_launch */
    uint8_t *seam_number;         /* (garment_count) number of the seams' material, below 16 */
    /* index: flags CLOTH_STEP_* and COLLIDERS_BIT of the cloth's surroundings; created on first
     * use */
    hed_kernel *kernels[VARIANTS];
    /* reported by hed_cloth_describe() */
    uint32_t patches, most_own;
    uint64_t boundary, bytes;
};

static uint32_t ceil_to(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit * unit; }
static uint32_t patches_smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t at_least_one(uint32_t value) { return value ? value : 1; }

/* ---- conditions of the solvers ---- */

static bool patches_refuse(char *reason, size_t size, const char *text)
{
    snprintf(reason, size, "%s", text);
    return false;
}

/* True if the cloth satisfies the conditions of both solvers. */
static bool both_valid(const hed_cloth *cloth, char *reason, size_t size)
{
    const hed_device_info info = hed_device_describe(cloth->device);
    for (uint32_t g = 0; g < cloth->garment_count && cloth->def.math == HED_MATH_STRICT; g++) {
        const cloth_garment *garment = cloth->garments[g];
        if (!cloth_is_planned(cloth, garment))
            return patches_refuse(reason, size,
                "strict mode: a garment has the order of its colours (docs/cloth-solvers.md): use \"colours\"");
        if (garment->material_count > CLOTH_PATCH_MOST_MATERIALS)
            return patches_refuse(
                reason, size, "strict mode: a garment has more than 16 materials: use \"colours\"");
    }
    if (strcmp(info.backend, "host") == 0)
        return patches_refuse(
            reason, size, "the kernel has no native version: use \"cpu\" on host");
    if (cloth->def.max_colliders > MOST_COLLIDERS)
        return patches_refuse(
            reason, size, "a group's local memory has room for 256 colliders: lower max_colliders");
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        if (cloth->garments[g]->element_count && cloth_has_tension(cloth_whole(cloth)))
            return patches_refuse(reason, size,
                "a mesh of a fabric is swept several times beside lattices: use \"cooperative\" or \"colours\"");
    for (uint32_t g = 0; g < cloth->garment_count && cloth->def.iterations > 1; g++) {
        const cloth_garment *garment = cloth->garments[g];
        for (uint32_t c = 0; c < garment->constraint_count; c++)
            if (garment->materials[garment->constraints[c].material].compliance > 0.0f)
                return patches_refuse(reason, size,
                    "compliance and several iterations need a multiplier for each constraint: \"colours\"");
    }
    return true;
}

static bool whole_valid(const hed_cloth *cloth, char *reason, size_t size)
{
    const hed_device_info info = hed_device_describe(cloth->device);
    if (!both_valid(cloth, reason, size)) return false;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        if (cloth->def.math == HED_MATH_STRICT && cloth_strict_plan(garment).patches > 1)
            return patches_refuse(
                reason, size, "strict mode: a garment has several patches: use \"patches\"");
        uint64_t bytes = (uint64_t)FLOAT4 * (garment->particle_count + garment->anchor_count);
        if (garment->particle_count > MOST_LOCAL || bytes > info.local_bytes) {
            snprintf(reason, size,
                "garment %u (%s): %u particles: a group has local memory for %llu, and indices for %d",
                g, garment->name, garment->particle_count,
                (unsigned long long)(info.local_bytes / FLOAT4), MOST_LOCAL);
            return false;
        }
    }
    return true;
}

static bool patches_valid(const hed_cloth *cloth, char *reason, size_t size)
{
    const hed_device_info info = hed_device_describe(cloth->device);
    if (!both_valid(cloth, reason, size)) return false;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        if (cloth->garments[g]->lattice_count)
            return patches_refuse(reason, size,
                "a lattice crosses all patches: use \"colours\", or \"garments\" if each fits a group");
    cloth_patch_choice choice = cloth_patch_default(cloth, HED_CLOTH_SOLVER_PATCHES);
    if (cloth->def.math == HED_MATH_STRICT && info.type != HED_DEVICE_CPU &&
        choice.patches > info.compute_units) {
        snprintf(reason, size, "strict mode: %u patches for %u compute units: use \"colours\"",
            choice.patches, info.compute_units);
        return false;
    }
    uint64_t each = cloth->particles / choice.patches;
    if (each > MOST_LOCAL || each * FLOAT4 > info.local_bytes) {
        snprintf(reason, size,
            "%u patches of %llu particles: a group has local memory for %llu, and indices for %d",
            choice.patches, (unsigned long long)each,
            (unsigned long long)(info.local_bytes / FLOAT4), MOST_LOCAL);
        return false;
    }
    return true;
}

static hed_status make_plans(
    const hed_cloth *cloth, const cloth_solver *made, cloth_plan **plans, hed_error *error)
{
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        /* a garment's patches, in proportion to its particles: at least one for each copy, at most
         * one for each particle */
        const cloth_garment *garment = cloth->garments[g];
        uint64_t patches = made->choice.patches,
                 part = cloth->garment_count == 1
                            ? patches / garment->copies
                            : patches * garment->particle_count / cloth->particles;
        if (part > garment->particle_count) part = garment->particle_count;
        cloth_plan_def def = {.kind = made->choice.kind,
            .patches = made->by == NO_EXCHANGE ? 1 : at_least_one((uint32_t)part),
            .step_limit = made->choice.step_limit,
            .early_steps = made->choice.early_steps};
        if (cloth->def.math == HED_MATH_STRICT) def = cloth_strict_plan(garment);
        if (cloth_plan_create(garment, &def, &plans[g], error)) return error->status;
        cloth_plan_pack_banks(plans[g]);
    }
    return HED_OK;
}

/* ---- the kernel ---- */

/* Bytes of local memory for the carries of the items' first `held` particles. */
static uint64_t carry_bytes(const cloth_solver *made, uint32_t held)
{
    uint64_t kept = (uint64_t)held * made->choice.threads;
    return ceil_to(
        8 * at_least_one(kept < made->most_own ? (uint32_t)kept : made->most_own), FLOAT4);
}

/* Bytes of local memory of a group, without colliders. */
static uint64_t local_bytes(const cloth_solver *made, uint32_t held)
{
    return (uint64_t)FLOAT4 * (made->places + made->palette) +
           ceil_to(4 * made->local_steps, FLOAT4) + carry_bytes(made, held);
}

/* Selects the smallest instance of the kernel that fits the tables. */
static hed_status configure(
    const hed_cloth *cloth, cloth_solver *made, const cloth_patch_tables *tables, hed_error *error)
{
    uint64_t room = hed_device_describe(cloth->device).local_bytes;
    cloth_patch_choice *choice = &made->choice;
    /* sums of a fabric are solved between the pairs and need registers, as do strict divisions */
    bool registers = choice->kind == CLOTH_PLAN_JOINT && !made->bends &&
                     cloth->def.math == HED_MATH_FAST &&
                     tables->most_pair_steps <= CLOTH_PATCH_MOST_STEPS &&
                     tables->most_places <= REGISTER_PLACES && tables->most_pairs <= 1024;
    if (!choice->threads) choice->threads = registers ? tables->most_pairs : 256;
    if (registers && choice->threads < tables->most_pairs) choice->threads = tables->most_pairs;
    uint32_t least = (tables->most_own + CLOTH_PATCH_MOST_OWN_EACH - 1) / CLOTH_PATCH_MOST_OWN_EACH,
             others = (tables->most_ghosts + CLOTH_PATCH_MOST_GHOSTS_EACH - 1) /
                      CLOTH_PATCH_MOST_GHOSTS_EACH;
    if (least < others) least = others;
    if (choice->threads < least) choice->threads = least;
    choice->threads = patches_smaller(ceil_to(at_least_one(choice->threads), 32), 1024);
    uint32_t own = at_least_one((tables->most_own + choice->threads - 1) / choice->threads);
    uint32_t ghosts = at_least_one((tables->most_ghosts + choice->threads - 1) / choice->threads);
    if (own > CLOTH_PATCH_MOST_OWN_EACH || ghosts > CLOTH_PATCH_MOST_GHOSTS_EACH)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%u threads for %u particles and %u of the neighbours': at most %d and %d for each thread",
            choice->threads, tables->most_own, tables->most_ghosts, CLOTH_PATCH_MOST_OWN_EACH,
            CLOTH_PATCH_MOST_GHOSTS_EACH);
    made->config = (hed_config){.count = CLOTH_PATCH_PARAMETERS};
    int64_t *values = made->config.values;
    values[CLOTH_PATCH_WG] = choice->threads;
    values[CLOTH_PATCH_OWN_EACH] = own;
    values[CLOTH_PATCH_GHOSTS_EACH] = ghosts;
    values[CLOTH_PATCH_REGISTER_STEPS] = registers ? tables->most_pair_steps : 0;
    values[CLOTH_PATCH_REGISTER_SHARES] = registers;
    if (registers && made->by != NO_EXCHANGE)
        values[CLOTH_PATCH_EARLY] = patches_smaller(
            patches_smaller(choice->early_steps, CLOTH_PATCH_MOST_EARLY), tables->most_pair_steps);
    values[CLOTH_PATCH_QUEUE] =
        patches_smaller(at_least_one(choice->queue), CLOTH_PATCH_MOST_QUEUE);
    uint32_t held = patches_smaller(choice->held, own);
    while (held > 0 && local_bytes(made, held) > room) held--;
    values[CLOTH_PATCH_HELD] = held;
    return HED_OK;
}

/* Bytes of local memory for the colliders posed for a substep. */
static uint64_t posed_bytes(const hed_cloth *cloth, uint32_t variant)
{
    return variant & COLLIDERS_BIT ? (uint64_t)FLOAT4 * CLOTH_POSED_WORDS * cloth->def.max_colliders
                                   : 0;
}

static uint32_t held_by(const hed_kernel *kernel)
{
    return (uint32_t)hed_kernel_config(kernel, NULL).values[CLOTH_PATCH_HELD];
}

/* Checks that all groups are resident at once: a patch waits for packets of other groups. */
static hed_status patches_check_resident(const hed_cloth *cloth, const cloth_solver *made,
    uint32_t variant, const hed_kernel *kernel, hed_error *error)
{
    int64_t resident;
    uint64_t local = local_bytes(made, held_by(kernel)) + posed_bytes(cloth, variant);
    if (made->by != BY_PACKETS) return HED_OK;
    if (hed_kernel_resident_groups(kernel, made->choice.threads, local, &resident, error))
        return error->status;
    if (resident < 0 || resident >= (int64_t)made->group_count) return HED_OK;
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "%u patches of %u threads and %" PRIu64 " bytes of local memory: only %" PRId64
        " are resident at once",
        made->group_count, made->choice.threads, local, resident);
}

static hed_status patches_create_kernel(const hed_cloth *cloth, const cloth_solver *made,
    uint32_t variant, const hed_kernel_options *options, hed_kernel **kernel, hed_error *error)
{
    const hed_kernel_def *def =
        made->by == BY_PACKETS ? &cloth_patch_packets_def : &cloth_patch_def;
    if (hed_kernel_create(cloth->device, def, options, kernel, error)) return error->status;
    if (patches_check_resident(cloth, made, variant, *kernel, error)) hed_kernel_destroy(*kernel);
    return error->status;
}

/* Reduces the registers that an instance with spills uses, or removes its limit; false if there is
 * nothing left to change. A cloth without surroundings keeps its choice, because choices are
 * measured without surroundings. */
static bool relax(hed_config *config, hed_kernel_options *options, bool surrounded)
{
    int64_t *values = config->values;
    if (values[CLOTH_PATCH_REGISTER_SHARES]) values[CLOTH_PATCH_REGISTER_SHARES] = 0;
    else if (surrounded && values[CLOTH_PATCH_HELD]) values[CLOTH_PATCH_HELD] = 0;
    else if (surrounded && options->max_registers) options->max_registers = 0;
    else return false;
    return true;
}

/* Finds or creates the kernel for the surroundings of a launch (`variant`). If the previous
 * positions of a thread's many particles were in registers, the code of the surroundings would be
 * repeated for each particle and would not fit the instruction cache. An element of a fabric needs
 * 100 registers. */
static hed_status kernel_for(
    hed_cloth *cloth, cloth_solver *made, uint32_t variant, hed_kernel **kernel, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    char by[12], figures[12], iterations[12], colliders[12];
    snprintf(by, sizeof by, "%d", (int)made->by);
    snprintf(figures, sizeof figures, "%u", made->figures);
    snprintf(iterations, sizeof iterations, "%u", cloth->def.iterations);
    snprintf(
        colliders, sizeof colliders, "%u", variant & COLLIDERS_BIT ? cloth->def.max_colliders : 0);
#define FLAG(condition) ((condition) ? "1" : "0")
    const hed_define defines[] = {
        {"EXCHANGE", by},
        {"FIGURES", figures},
        {"ITERATIONS", iterations},
        {"RANGES", FLAG(made->ranges)},
        {"COMPLIANCE", FLAG(made->compliance)},
        {"FABRIC", FLAG(made->bends)},
        {"LATTICES", FLAG(made->tension)},
        {"SHORT_MOVES", FLAG(cloth->has_balls || cloth->def.math == HED_MATH_STRICT)},
        {"TETHERS", FLAG(variant & CLOTH_STEP_TETHERS)},
        {"DRIVER", FLAG(variant & CLOTH_STEP_DRIVER)},
        {"AIR", FLAG(variant & CLOTH_STEP_AIR)},
        {"FIELD", FLAG(variant & CLOTH_STEP_FIELD)},
        {"CONTACTS", FLAG(variant & CLOTH_STEP_CONTACTS)},
        {"COLLIDERS", colliders},
    };
    hed_kernel_options options = hed_default_kernel_options();
    hed_config config = made->config;
    options.config = &config;
    options.math = cloth->def.math;
    options.defines = defines;
    options.define_count = HED_COUNT(defines);
    const cloth_patch_choice *choice = &made->choice;
    uint32_t registers = hed_device_describe(cloth->device).registers;
    if (choice->groups &&
        registers) { /* registers of a thread with `groups` groups on a compute unit */
        uint32_t limit = registers / (choice->groups * choice->threads) / 8 * 8;
        options.max_registers = limit < 255 ? limit : 0;
    }
    *kernel = made->kernels[variant];
    if (*kernel) return HED_OK;
    bool surrounded = made->bends || (variant & ~CLOTH_STEP_TETHERS);
    if (surrounded && config.values[CLOTH_PATCH_OWN_EACH] > FEW_PARTICLES)
        config.values[CLOTH_PATCH_HELD] = 0;
    hed_status status = patches_create_kernel(cloth, made, variant, &options, kernel, error);
    hed_kernel_resources resources;
    while (!status && !hed_kernel_measure_resources(*kernel, &resources, NULL) &&
           resources.spill_bytes > 0 && relax(&config, &options, surrounded)) {
        hed_kernel_destroy(*kernel);
        status = patches_create_kernel(cloth, made, variant, &options, kernel, error);
    }
    if (!status) made->kernels[variant] = *kernel;
    return status;
}

/* ---- creation and destruction ---- */

static void patches_destroy(hed_cloth *cloth, cloth_solver *made)
{
    if (!made) return;
    for (uint32_t i = 0; i < VARIANTS; i++) hed_kernel_destroy(made->kernels[i]);
    hed_buffer_destroy(made->tables);
    hed_buffer_destroy(made->packets);
    cloth_tension_destroy(cloth, made->tension);
    hed_delete(&cloth->allocator, made->seam_number, cloth->garment_count, 1);
    hed_delete(&cloth->allocator, made, 1, sizeof *made);
}

static void patches_describe(const hed_cloth *cloth, cloth_solver *made, cloth_plan *const *plans,
    const cloth_patch_tables *tables)
{
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        if (plans[g]->patch_count > made->patches) made->patches = plans[g]->patch_count;
        made->boundary +=
            (plans[g]->boundary + plans[g]->boundary_sums) * cloth->garments[g]->copies;
    }
    made->ranges = tables->ranges;
    made->compliance = tables->compliance;
    made->bends = cloth_has_fabric_sums(cloth);
    made->figures = tables->figure_count == 0 ? 0 : tables->figure_words == 2 ? 2 : 1;
    made->group_count = tables->group_count;
    made->slot_count = tables->slot_count;
    made->places = tables->most_places;
    made->palette = CLOTH_PATCH_MOST_MATERIALS + tables->most_shapes;
    made->local_steps = tables->most_steps + 3;
    made->most_own = tables->most_own;
    made->tether_at = cloth_patch_place(tables, tables->tethers, sizeof *tables->tethers) -
                      cloth_patch_place(tables, tables->own, sizeof *tables->own);
    made->limit_at = cloth_patch_place(tables, tables->limits, sizeof *tables->limits);
}

static uint32_t surroundings(const hed_cloth *cloth)
{
    return (cloth->has_tethers ? CLOTH_STEP_TETHERS : 0) |
           (cloth->has_driver ? CLOTH_STEP_DRIVER : 0) | (cloth->has_air ? CLOTH_STEP_AIR : 0) |
           (cloth->has_field ? CLOTH_STEP_FIELD : 0);
}

static hed_status patches_build(hed_cloth *cloth, const cloth_patch_choice *choice, bool whole,
    cloth_solver **solver, hed_error *error)
{
    bool has_packets = (~hed_device_describe(cloth->device).capabilities &
                           (HED_CAN_PACKETS | HED_CAN_COOPERATIVE)) == 0;
    cloth_solver *made = hed_new(&cloth->allocator, 1, sizeof *made, error);
    cloth_plan **plans = hed_new(&cloth->allocator, cloth->garment_count, sizeof *plans, error);
    cloth_patch_tables tables = {0};
    hed_kernel *kernel;
    *solver = NULL;
    if (!error->status) {
        made->choice = *choice;
        if (cloth_has_fabric_sums(cloth)) made->choice.early_steps = 0;
        made->by = whole ? NO_EXCHANGE : has_packets ? BY_PACKETS : BY_LAUNCHES;
        make_plans(cloth, made, plans, error);
    }
    if (!error->status)
        made->seam_number = hed_new(&cloth->allocator, cloth->garment_count, 1, error);
    if (!error->status && !cloth_patch_tables_create(cloth, plans, &tables, error)) {
        patches_describe(cloth, made, plans, &tables);
        for (uint32_t g = 0; g < cloth->garment_count;
             g++) /* a limit below 0 is the seams' limit */
            for (uint8_t m = 0; m < CLOTH_PATCH_MOST_MATERIALS; m++)
                if (tables.limits[CLOTH_PATCH_MOST_MATERIALS * g + m][0] < 0.0f)
                    made->seam_number[g] = m;
        configure(cloth, made, &tables, error);
        if (whole) cloth_tension_create(cloth, &made->tension, error);
        uint64_t packets = (uint64_t)FLOAT4 * (made->group_count + 2 * (uint64_t)made->slot_count);
        made->bytes = tables.used + packets + cloth_tension_bytes(made->tension);
        cloth_upload(cloth, tables.block, tables.used, &made->tables, error);
        cloth_upload(cloth, NULL, packets, &made->packets, error);
        kernel_for(cloth, made, surroundings(cloth), &kernel, error);
        cloth_patch_tables_destroy(&tables);
    }
    for (uint32_t g = 0; plans && g < cloth->garment_count; g++) cloth_plan_destroy(plans[g]);
    hed_delete(&cloth->allocator, plans, cloth->garment_count, sizeof *plans);
    if (error->status) patches_destroy(cloth, made);
    else *solver = made;
    return error->status;
}

/* Creates the kernels for frames with the colliders that the definition announces, in addition to
 * the kernel of patches_build(), so that no step compiles. A kernel that this device does not
 * support is an error of the first step that needs it. */
static hed_status compile_announced(hed_cloth *cloth, cloth_solver *made, hed_error *error)
{
    uint32_t variant = surroundings(cloth),
             colliders = cloth->def.max_colliders ? COLLIDERS_BIT : 0;
    hed_kernel *kernel;
    if (colliders) kernel_for(cloth, made, variant | colliders, &kernel, error);
    if (cloth->def.max_collider_triangles)
        kernel_for(cloth, made, variant | CLOTH_STEP_CONTACTS | colliders, &kernel, error);
    if (error->status != HED_ERROR_UNSUPPORTED && error->status != HED_ERROR_LIMIT)
        return error->status;
    hed_error_clear(error);
    return HED_OK;
}

static hed_status patches_create(hed_cloth *cloth, cloth_solver **solver, hed_error *error)
{
    hed_cloth_solver id = cloth->ops->id;
    cloth_patch_choice choice = cloth_patch_default(cloth, id);
    if (patches_build(cloth, &choice, id == HED_CLOTH_SOLVER_GARMENTS, solver, error) ||
        !compile_announced(cloth, *solver, error))
        return error->status;
    patches_destroy(cloth, *solver);
    *solver = NULL;
    return error->status;
}

hed_status cloth_patch_rebuild(hed_cloth *cloth, const cloth_patch_choice *choice, hed_error *error)
{
    cloth_solver *made;
    bool whole = cloth->ops == &cloth_garments_ops;
    if (!whole && cloth->ops != &cloth_patches_ops)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "this cloth is laid out as \"%s\", which takes no such choice",
            hed_cloth_solver_name(cloth->ops->id));
    if (patches_build(cloth, choice, whole, &made, error) || hed_stream_wait(cloth->stream, error))
        return error->status;
    patches_destroy(cloth, cloth->solver);
    cloth->solver = made;
    return HED_OK;
}

hed_buffer *cloth_patch_packets(const hed_cloth *cloth) { return cloth->solver->packets; }

HED_VIEW_LAUNCH(patches_launch, CLOTH_PATCH)

static patches_launch launch_of(const hed_cloth *cloth, const cloth_solver *made)
{
    const cloth_buffers *b = &cloth->buffers;
    cloth_tension_view t = cloth_tension_describe(cloth, made->tension);
    return (patches_launch){.tasks = t.tasks,
        .sources = t.sources,
        .samples = t.samples,
        .from = t.from,
        .shares = t.shares,
        .chains = t.chains,
        .edges = t.edges,
        .units = t.units,
        .links = t.links,
        .pulls = t.pulls,
        .pulled = t.pulled,
        .position = b->position,
        .previous = b->previous,
        .carry = b->carry,
        .garments = b->garments,
        .tables = made->tables,
        .packets = cloth_or_none(cloth, made->packets),
        .air = cloth_or_none(cloth, b->air),
        .driver_from = cloth_or_none(cloth, b->driver_from),
        .driver_to = cloth_or_none(cloth, b->driver_to),
        .driver_map = cloth_or_none(cloth, b->driver_map),
        .debug = cloth_or_none(cloth, b->debug),
        .colliders = cloth_or_none(cloth, b->colliders),
        .contact = cloth_or_none(cloth, b->contact),
        .flags = cloth_or_none(cloth, b->flags)};
}

static hed_geometry geometry_of(
    const hed_cloth *cloth, const cloth_solver *made, uint32_t variant, const hed_kernel *kernel)
{
    hed_geometry geometry = {.dimensions = 1,
        .global = {(uint64_t)made->group_count * made->choice.threads},
        .group = {made->choice.threads, 1, 1}};
    geometry.local_bytes[HED_ROW(cloth_patch_view, place)] = (uint64_t)FLOAT4 * made->places;
    geometry.local_bytes[HED_ROW(cloth_patch_view, palette)] =
        (uint64_t)FLOAT4 * made->palette + posed_bytes(cloth, variant);
    geometry.local_bytes[HED_ROW(cloth_patch_view, steps)] = (uint64_t)4 * made->local_steps;
    geometry.local_bytes[HED_ROW(cloth_patch_view, carries)] = carry_bytes(made, held_by(kernel));
    return geometry;
}

/* Uploads the limits of seams, which change each frame (cloth_set_seams()). */
static hed_status send_seams(hed_cloth *cloth, const cloth_solver *made, hed_error *error)
{
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        if (!garment->seam_count) continue;
        const hed_cloth_material *seam = garment->materials + garment->material_count - 1;
        const float limit[4] = {seam->compress, seam->stretch, seam->compliance, 0.0f};
        uint64_t place = made->limit_at + CLOTH_PATCH_MOST_MATERIALS * g + made->seam_number[g];
        cloth_send(cloth, made->tables, place * sizeof limit, limit, sizeof limit, error);
    }
    return error->status;
}

static hed_status patches_substeps(hed_cloth *cloth, cloth_solver *made, const cloth_step *first,
    const cloth_step *rest, float dt, uint32_t count, hed_error *error)
{
    uint32_t total = count * cloth->def.iterations, end = 2 * total;
    /* keep the code for simple colliders in a kernel with mesh colliders: it costs little, and no
     * further kernel is needed */
    bool colliders =
        rest->colliders || ((rest->flags & CLOTH_STEP_CONTACTS) && cloth->def.max_colliders);
    uint32_t variant = (rest->flags & (COLLIDERS_BIT - 1)) | (colliders ? COLLIDERS_BIT : 0);
    hed_kernel *kernel;
    hed_status status = kernel_for(cloth, made, variant, &kernel, error);
    if (!status && cloth->has_seams) status = send_seams(cloth, made, error);
    if (status) return status;
    hed_geometry geometry = geometry_of(cloth, made, variant, kernel);
    patches_launch with = launch_of(cloth, made);
    cloth_tension_view tension = cloth_tension_describe(cloth, made->tension);
    with.launch = (cloth_patch_launch){.first = *first,
        .rest = *rest,
        .dt = dt,
        .slot_count = made->slot_count,
        .total = total,
        .tether_at = made->tether_at,
        .limit_at = made->limit_at,
        .gives = 2 * tension.turns + tension.gives};
    if (made->tension) memcpy(with.launch.tasks, tension.task_at, sizeof with.launch.tasks);
    for (uint32_t begin = 0, next; begin < end && !status; begin = next) {
        next = made->by != BY_LAUNCHES ? end : begin == 0 ? 1 : patches_smaller(begin + 2, end);
        with.launch.begin = begin;
        with.launch.end = next;
        status = hed_launch_over(
            cloth->stream, kernel, &geometry, HED_VIEW_ARGS_FROM(patches_launch, &with), error);
    }
    return status;
}

static void patches_report(const hed_cloth *cloth, const cloth_solver *made, hed_cloth_info *filled)
{
    filled->patches = made->by == NO_EXCHANGE ? 0 : made->patches;
    filled->boundary = made->boundary;
    filled->device_bytes += made->bytes;
    cloth_patch_format(&made->choice, filled->choice, sizeof filled->choice);
}

const cloth_solver_ops cloth_patches_ops = {HED_CLOTH_SOLVER_PATCHES, patches_valid, patches_create,
    patches_destroy, patches_substeps, patches_report};
const cloth_solver_ops cloth_garments_ops = {HED_CLOTH_SOLVER_GARMENTS, whole_valid, patches_create,
    patches_destroy, patches_substeps, patches_report};
