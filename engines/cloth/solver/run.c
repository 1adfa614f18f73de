/* Launches of the solver's kernels. A native version, which maps its buffers, can replace a kernel
 * at run time. */
#include "kernels/element_patch_kernel.h"
#include "solver/cooperative.h"

#include <string.h>

static const hed_kernel_def *const definitions[CLOTH_KERNEL_COUNT] = {
    [CLOTH_KERNEL_INTEGRATE] = &cloth_integrate_def,
    [CLOTH_KERNEL_DISTANCE] = &cloth_distance_def,
    [CLOTH_KERNEL_SETS] = &cloth_sets_def,
    [CLOTH_KERNEL_LINES] = &cloth_lines_def,
    [CLOTH_KERNEL_ELEMENTS] = &cloth_elements_def,
    [CLOTH_KERNEL_ELEMENT_PATCHES] = &cloth_element_patches_def,
    [CLOTH_KERNEL_CELLS] = &cloth_cells_def,
    [CLOTH_KERNEL_CHAINS] = &cloth_chains_def,
    [CLOTH_KERNEL_PLACES] = &cloth_places_def,
    [CLOTH_KERNEL_SHARES] = &cloth_shares_def,
    [CLOTH_KERNEL_DRIVE] = &cloth_drive_def,
    [CLOTH_KERNEL_WRITE_BACK] = &cloth_write_back_def,
    [CLOTH_KERNEL_SURFACE] = &cloth_surface_def,
    [CLOTH_KERNEL_WIND] = &cloth_wind_def,
    [CLOTH_KERNEL_GAS] = &cloth_gas_def,
    [CLOTH_KERNEL_EXPECT] = &cloth_expect_def,
    [CLOTH_KERNEL_TURN] = &cloth_turn_def,
    [CLOTH_KERNEL_MOVE] = &cloth_move_def,
    [CLOTH_KERNEL_FEED] = &cloth_feed_def,
    [CLOTH_KERNEL_READ] = &cloth_read_def,
};

/* Configuration of a kernel for this cloth, if no tuning has chosen one; false: the default. A processor
 * under OpenCL is fastest with vectors in some strands, a GPU with an item for each element, which
 * is the descriptions' default. A GPU reduces lines in parallel, by groups as long as the longest. */
static bool choose_config(const hed_cloth *cloth, cloth_kernel kernel, hed_config *config)
{
    const hed_device_info info = hed_device_describe(cloth->device);
    bool is_cpu = info.type == HED_DEVICE_CPU, of_chains = kernel == CLOTH_KERNEL_CHAINS;
    if (definitions[kernel]->parameters == cloth_version_parameters) {
        if (!is_cpu || strcmp(info.backend, "opencl") != 0) return false;
        config->values[CLOTH_VECTOR] = 1;
        config->values[CLOTH_TASK] = CLOTH_STRANDS;
        return true;
    }
    if (is_cpu || !(of_chains || kernel == CLOTH_KERNEL_LINES)) return false;
    uint32_t items = cloth_longest_line(cloth, of_chains), group = 32, most = 512;
    if (!of_chains || items > most) items = (items + 1) / 2; /* an item has two rows */
    while (group < items && group < most) group *= 2;
    if (group > info.max_group) return false;
    config->values[CLOTH_SOLVE_WG] = group;
    config->values[CLOTH_SOLVE_HOW] = 1;
    return true;
}

hed_status cloth_kernel_ensure(
    hed_cloth *cloth, cloth_kernel kernel, uint64_t size, hed_error *error)
{
    hed_kernel **kernels = cloth->host->kernels;
    bool is_task = cloth->ops->id == HED_CLOTH_SOLVER_COOPERATIVE &&
                   (kernel <= CLOTH_KERNEL_SHARES || kernel == CLOTH_KERNEL_DRIVE);
    if (kernels[kernel] || is_task) return HED_OK;
    hed_problem problem = hed_problem_1d((int64_t)size);
    hed_kernel_options options = hed_default_kernel_options();
    options.math = cloth->def.math;
    options.problem = &problem;
    hed_kernel_create(cloth->device, definitions[kernel], &options, &kernels[kernel], error);
    if (error->status) return error->status;
    hed_config_origin configured;
    hed_config config = hed_kernel_config(kernels[kernel], &configured);
    if (configured == HED_ORIGIN_DEFAULT && choose_config(cloth, kernel, &config)) {
        options.problem = NULL;
        options.config = &config;
        hed_kernel_reconfigure(kernels[kernel], &options, error);
    }
    return error->status;
}

hed_status cloth_kernels_announced(hed_cloth *cloth, hed_error *error)
{
    cloth_kernel_ensure(cloth, CLOTH_KERNEL_MOVE, cloth->particles, error);
    cloth_kernel_ensure(cloth, CLOTH_KERNEL_READ, cloth->vertices, error);
    if (cloth->has_driver) cloth_kernel_ensure(cloth, CLOTH_KERNEL_FEED, cloth->particles, error);
    if (cloth->has_air) cloth_kernel_ensure(cloth, CLOTH_KERNEL_SURFACE, cloth->particles, error);
    if (cloth->has_field) cloth_kernel_ensure(cloth, CLOTH_KERNEL_WIND, cloth->particles, error);
    if (cloth->gases) cloth_kernel_ensure(cloth, CLOTH_KERNEL_GAS, cloth->gases, error);
    if (cloth->pieces) {
        cloth_kernel_ensure(cloth, CLOTH_KERNEL_EXPECT, cloth->particles, error);
        cloth_kernel_ensure(cloth, CLOTH_KERNEL_TURN, cloth->pieces, error);
    }
    return error->status;
}

static bool wants_native(const hed_cloth *cloth, cloth_kernel kernel)
{
    const bool *native = cloth->host->native;
    switch (kernel) {
    case CLOTH_KERNEL_INTEGRATE: return native[HED_CLOTH_INTEGRATE];
    case CLOTH_KERNEL_DISTANCE:
    case CLOTH_KERNEL_LINES:
    case CLOTH_KERNEL_ELEMENTS:
    case CLOTH_KERNEL_ELEMENT_PATCHES:
    case CLOTH_KERNEL_CELLS:
    case CLOTH_KERNEL_CHAINS:
    case CLOTH_KERNEL_PLACES:
    case CLOTH_KERNEL_SHARES:
    case CLOTH_KERNEL_SETS: return native[HED_CLOTH_DISTANCE];
    case CLOTH_KERNEL_DRIVE: return native[HED_CLOTH_DRIVE];
    case CLOTH_KERNEL_WRITE_BACK: return native[HED_CLOTH_WRITE_BACK];
    default: return false;
    }
}

bool cloth_runs_native(const hed_cloth *cloth)
{
    const bool *native = cloth->host->native;
    return native[HED_CLOTH_INTEGRATE] || native[HED_CLOTH_DISTANCE] || native[HED_CLOTH_DRIVE];
}

/* Maps the buffers of a launch; a buffer that is passed several times is mapped once. */
static hed_status map_argument(hed_cloth *cloth, const hed_argument *arguments, uint32_t index,
    void **mapped, hed_error *error)
{
    hed_buffer *buffer = arguments[index].value.buffer;
    for (uint32_t i = 0; i < index; i++)
        if (arguments[i].kind == HED_BUFFER && arguments[i].value.buffer == buffer) {
            mapped[index] = mapped[i];
            return HED_OK;
        }
    return hed_map(
        cloth->stream, buffer, 0, hed_buffer_describe(buffer).size, &mapped[index], error);
}

static hed_status run_native(hed_cloth *cloth, const hed_kernel_def *def,
    const hed_problem *problem, const hed_argument *arguments, uint32_t count, hed_error *error)
{
    void *arrays[HED_MAX_ARGUMENTS] = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (arguments[i].kind == HED_BUFFER) map_argument(cloth, arguments, i, arrays, error);
        else if (arguments[i].kind == HED_STRUCT)
            arrays[i] = (void *)(uintptr_t)arguments[i].value.bytes;
        else arrays[i] = (void *)(uintptr_t)&arguments[i].value;
    }
    hed_status status = error->status;
    if (!status) {
        hed_config config = hed_config_default(def);
        hed_geometry layout = {0};
        def->geometry(def, &config, problem, &layout);
        hed_native_call call = {.def = def,
            .config = &config,
            .problem = problem,
            .geometry = &layout,
            .arguments = arrays,
            .strict = cloth->def.math == HED_MATH_STRICT};
        def->range(&call, 0, layout.native_items);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (arguments[i].kind != HED_BUFFER) continue;
        hed_buffer *buffer = arguments[i].value.buffer;
        bool is_again = !arrays[i]; /* unmaps each buffer once */
        for (uint32_t k = 0; k < i && !is_again; k++)
            is_again = arguments[k].kind == HED_BUFFER && arguments[k].value.buffer == buffer;
        if (is_again) continue;
        hed_unmap(cloth->stream, buffer, arrays[i], error);
    }
    return error->status;
}

hed_status cloth_run(hed_cloth *cloth, cloth_kernel kernel, uint64_t size,
    const hed_argument *arguments, uint32_t count, hed_error *error)
{
    hed_problem problem = hed_problem_1d((int64_t)size);
    if (hed_failed(error)) return error->status;
    if (cloth->host->gathering) return cloth_gather(cloth, kernel, size, arguments, error);
    if (wants_native(cloth, kernel))
        return run_native(cloth, definitions[kernel], &problem, arguments, count, error);
    cloth_kernel_ensure(cloth, kernel, size, error);
    return hed_launch(
        cloth->stream, cloth->host->kernels[kernel], &problem, arguments, count, error);
}

/* ---- launches over all particles ---- */

HED_VIEW_LAUNCH(cloth_integrate_launch, CLOTH_INTEGRATE)
HED_VIEW_LAUNCH(cloth_drive_launch, CLOTH_DRIVE)

hed_status cloth_integrate_all(
    hed_cloth *cloth, hed_buffer *steps, uint32_t substep, hed_error *error)
{
    const cloth_buffers *b = &cloth->buffers;
    return cloth_run(cloth, CLOTH_KERNEL_INTEGRATE, cloth->particles,
        HED_VIEW_ARGS(cloth_integrate_launch, .position = b->position, .previous = b->previous,
            .carry = b->carry, .garments = b->garments, .air = cloth_or_none(cloth, b->air),
            .tether = cloth_or_none(cloth, b->tether), .anchors = cloth_or_none(cloth, b->anchors),
            .driver_from = cloth_or_none(cloth, b->driver_from),
            .driver_to = cloth_or_none(cloth, b->driver_to),
            .driver_map = cloth_or_none(cloth, b->driver_map), .steps = steps, .substep = substep),
        error);
}

hed_status cloth_drive_all(
    hed_cloth *cloth, hed_buffer *steps, uint32_t substep, uint32_t skipped, hed_error *error)
{
    const cloth_buffers *b = &cloth->buffers;
    return cloth_run(cloth, CLOTH_KERNEL_DRIVE, cloth->particles,
        HED_VIEW_ARGS(cloth_drive_launch, .position = b->position, .previous = b->previous,
            .garments = b->garments, .colliders = cloth_or_none(cloth, b->colliders),
            .contact = cloth_or_none(cloth, b->contact),
            .driver_from = cloth_or_none(cloth, b->driver_from),
            .driver_to = cloth_or_none(cloth, b->driver_to),
            .driver_map = cloth_or_none(cloth, b->driver_map),
            .debug = cloth_or_none(cloth, b->debug), .steps = steps, .substep = substep,
            .skipped = skipped),
        error);
}
