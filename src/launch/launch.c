/* Launch path: checks arguments against the description and geometry against the device, then adds
 * one step to the stream. */
#include "launch/launch.h"

#include <string.h>

static const char *const kind_names[] = {"buffer", "scalar", "struct", "local array"};
static const char *const type_names[HED_TYPE_COUNT] = {
    "bytes", "int32", "uint32", "int64", "uint64", "float", "double"};

/* ---- arguments ---- */

static hed_status check_buffer(const hed_kernel_def *def, uint32_t i, const hed_device *device,
    const hed_buffer *buffer, hed_error *error)
{
    const char *name = def->arguments[i].name;
    if (!buffer)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: argument %u \"%s\" is a NULL buffer",
            def->name, i, name);
    if (buffer->device != device)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: buffer \"%s\" belongs to %s, the launch to %s", def->name, name,
            buffer->device->info.id, device->info.id);
    if (buffer->memory == HED_MEMORY_PINNED)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: buffer \"%s\" is pinned host memory, which kernels do not reach: use HED_MEMORY_MAPPED",
            def->name, name);
    return HED_OK;
}

static hed_status check_arguments(const hed_kernel_def *def, const hed_device *device,
    const hed_argument *arguments, uint32_t count, hed_error *error)
{
    if (count != def->argument_count)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s takes %u arguments; %u were given",
            def->name, def->argument_count, count);
    for (uint32_t i = 0; i < count; i++) {
        const hed_argument_def *description = &def->arguments[i];
        const hed_argument *a = &arguments[i];
        if (a->kind != description->kind)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: argument %u \"%s\" is a %s; a %s was given", def->name, i, description->name,
                kind_names[description->kind],
                (unsigned)a->kind <= HED_LOCAL ? kind_names[a->kind] : "value of unknown kind");
        hed_status status = HED_OK;
        if (a->kind == HED_BUFFER) status = check_buffer(def, i, device, a->value.buffer, error);
        if (a->kind == HED_SCALAR && a->type != description->type)
            status = hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: argument %u \"%s\" is of type %s; %s was given", def->name, i,
                description->name, type_names[description->type],
                (unsigned)a->type < HED_TYPE_COUNT ? type_names[a->type] : "an unknown type");
        if (a->kind == HED_STRUCT && (a->size != description->size || !a->value.bytes))
            status = hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: struct \"%s\" has %zu bytes; %zu were given%s", def->name, description->name,
                description->size, a->size, a->value.bytes ? "" : " at NULL");
        if (status) return status;
    }
    return HED_OK;
}

/* ---- launching ---- */

static hed_status launch_prepare(hed_stream *stream, hed_kernel *kernel, hed_error *error)
{
    if (stream->device != kernel->device)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "kernel %s was made for %s, the stream belongs to %s", kernel->def->name,
            kernel->device->info.id, stream->device->info.id);
    bool idle = atomic_load_explicit(&kernel->build, memory_order_relaxed) == HED_BUILD_IDLE;
    return kernel->active && idle ? HED_OK : hed_kernel_swap(kernel, error);
}

static hed_status dispatch(hed_stream *stream, hed_kernel *kernel, hed_step *step,
    const hed_argument *arguments, uint32_t count, hed_error *error)
{
    hed_program *program = &kernel->active->program;
    hed_status status = check_arguments(kernel->def, kernel->device, arguments, count, error);
    if (status) return status;
    status = hed_geometry_settle(
        kernel->def, kernel->device, program, program->max_threads, &step->geometry, error);
    if (status) return status;
    step->kind = HED_STEP_LAUNCH;
    step->program = program;
    step->arguments = arguments;
    return hed_stream_step(stream, step, kernel->def->name, error);
}

static hed_status check_problem(
    const hed_kernel_def *def, const hed_problem *problem, hed_error *error)
{
    if (!def->geometry)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "%s has no geometry(): use hed_launch_over()", def->name);
    if (!problem || problem->count != def->dimension_count)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s has %u problem dimensions; %u were given",
            def->name, def->dimension_count, problem ? problem->count : 0);
    for (uint32_t i = 0; i < problem->count; i++)
        if (problem->sizes[i] < 1)
            return hed_fail(error, HED_ERROR_ARGUMENT, "%s: dimension \"%s\" is %lld; expected at least 1",
                def->name, def->dimensions[i], (long long)problem->sizes[i]);
    return HED_OK;
}

hed_status hed_launch(hed_stream *stream, hed_kernel *kernel, const hed_problem *problem,
    const hed_argument *arguments, uint32_t argument_count, hed_error *error)
{
    HED_REQUIRE(stream, kernel, problem, arguments || !argument_count);
    hed_status status = check_problem(kernel->def, problem, error);
    if (status) return status;
    status = launch_prepare(stream, kernel, error);
    if (!status && kernel->choices && !hed_same_problem(&kernel->resolved, problem))
        status = hed_kernel_choose(kernel, problem, error);
    if (status) return status;
    if (kernel->capture) hed_on_first_launch(stream, kernel, problem, arguments, argument_count);
    hed_step step = {.problem = *problem, .has_problem = true};
    kernel->def->geometry(kernel->def, &kernel->active->program.config, problem, &step.geometry);
    return dispatch(stream, kernel, &step, arguments, argument_count, error);
}

hed_status hed_launch_over(hed_stream *stream, hed_kernel *kernel, const hed_geometry *geometry,
    const hed_argument *arguments, uint32_t argument_count, hed_error *error)
{
    HED_REQUIRE(stream, kernel, geometry, arguments || !argument_count);
    hed_status status = launch_prepare(stream, kernel, error);
    if (status) return status;
    hed_step step = {.geometry = *geometry};
    return dispatch(stream, kernel, &step, arguments, argument_count, error);
}

hed_status hed_graph_update(hed_graph *graph, uint32_t step, const hed_argument *arguments,
    uint32_t argument_count, hed_error *error)
{
    HED_REQUIRE(graph, arguments || !argument_count);
    if (step >= graph->count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "step %u is out of range; the graph has %u steps", step, graph->count);
    if (graph->steps[step].kind != HED_STEP_LAUNCH)
        return hed_fail(error, HED_ERROR_ARGUMENT, "step %u of the graph is not a launch", step);
    hed_status status = check_arguments(
        graph->steps[step].program->def, graph->device, arguments, argument_count, error);
    return status ? status : hed_graph_set_arguments(graph, step, arguments, error);
}

/* Geometry of a launch: open fields are chosen, the rest is checked before it reaches a driver,
 * since some drivers abort the process for a geometry they cannot run. */

static uint32_t launch_smaller(uint32_t a, uint64_t b) { return b && b < a ? (uint32_t)b : a; }

/* Chooses a group for a kernel that accepts any: 256 items, or as many as fit; nearly square in two
 * and three dimensions. */
static void choose_group(const hed_device *device, uint32_t limit, hed_geometry *g)
{
    static const uint32_t shapes[3][3] = {{256, 1, 1}, {16, 16, 1}, {8, 8, 4}};
    for (uint32_t i = 0; i < 3; i++) {
        g->group[i] = shapes[g->dimensions - 1][i];
        g->group[i] = launch_smaller(g->group[i], device->info.max_group_size[i]);
    }
    for (uint32_t i = 2; (uint64_t)g->group[0] * g->group[1] * g->group[2] > limit; i = (i + 2) % 3)
        if (g->group[i] > 1) g->group[i] /= 2;
}

static hed_status check_sizes(const hed_kernel_def *def, const hed_geometry *g, hed_error *error)
{
    if (g->dimensions < 1 || g->dimensions > 3)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: launch has %u dimensions; expected 1 to 3",
            def->name, g->dimensions);
    for (uint32_t i = 0; i < g->dimensions; i++)
        if (g->global[i] == 0)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: launch has 0 work items in dimension %u; expected at least 1", def->name, i);
    return HED_OK;
}

static hed_status check_group(const hed_kernel_def *def, const hed_device *device, uint32_t limit,
    const hed_geometry *g, hed_error *error)
{
    const hed_device_info *info = &device->info;
    for (uint32_t i = 0; i < 3; i++)
        if (g->group[i] == 0 || (info->max_group_size[i] && g->group[i] > info->max_group_size[i]))
            return hed_fail(error, HED_ERROR_LIMIT,
                "%s: a group of %u x %u x %u work items: %s allows 1 to %u in dimension %u",
                def->name, g->group[0], g->group[1], g->group[2], info->id, info->max_group_size[i],
                i);
    if ((uint64_t)g->group[0] * g->group[1] * g->group[2] > limit)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%s: a group of %u x %u x %u work items: this kernel on %s allows %u", def->name,
            g->group[0], g->group[1], g->group[2], info->id, limit);
    return HED_OK;
}

static hed_status check_local(const hed_kernel_def *def, const hed_device *device,
    const hed_program *program, const hed_geometry *g, hed_error *error)
{
    uint64_t total = program && program->resources.local_bytes > 0
                         ? (uint64_t)program->resources.local_bytes
                         : 0;
    for (uint32_t i = 0; i < def->argument_count; i++) {
        if (def->arguments[i].kind != HED_LOCAL) continue;
        if (g->local_bytes[i] == 0)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: local array \"%s\" has 0 bytes: geometry() must set them", def->name,
                def->arguments[i].name);
        /* keeps the sum of 32 arrays below overflow */
        if (g->local_bytes[i] > UINT64_MAX / 64) total = UINT64_MAX / 2;
        else total += (g->local_bytes[i] + 15) & ~(uint64_t)15;
    }
    if (total <= device->info.local_bytes) return HED_OK;
    return hed_fail(error, HED_ERROR_LIMIT, "%s: %llu bytes of local memory: %s has %llu",
        def->name, (unsigned long long)total, device->info.id,
        (unsigned long long)device->info.local_bytes);
}

static hed_status round_global(
    const hed_kernel_def *def, const hed_device *device, hed_geometry *g, hed_error *error)
{
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t groups = (g->global[i] - 1) / g->group[i] + 1;
        if (device->info.max_groups[i] && groups > device->info.max_groups[i])
            return hed_fail(error, HED_ERROR_LIMIT,
                "%s: %llu groups in dimension %u: %s allows %llu", def->name,
                (unsigned long long)groups, i, device->info.id,
                (unsigned long long)device->info.max_groups[i]);
        g->global[i] = groups * g->group[i];
    }
    return HED_OK;
}

/* Checks the group against the one fixed in a shader's text. */
static hed_status check_named_group(
    const hed_kernel_def *def, const hed_program *program, const hed_geometry *g, hed_error *error)
{
    const uint32_t *named = program ? program->group : NULL;
    if (!named || !named[0] || memcmp(g->group, named, sizeof program->group) == 0) return HED_OK;
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "%s: the launch has groups of %u x %u x %u work items, the shader says %u x %u x %u: a "
        "shader's group is part of its text (local_size, or local_size_x_id and a parameter)",
        def->name, g->group[0], g->group[1], g->group[2], named[0], named[1], named[2]);
}

hed_status hed_geometry_settle(const hed_kernel_def *def, const hed_device *device,
    const hed_program *program, uint32_t max_threads, hed_geometry *g, hed_error *error)
{
    hed_status status = check_sizes(def, g, error);
    if (status) return status;
    /* maximum number of work items of a group, by all known limits */
    uint32_t limit =
        launch_smaller(device->info.max_group ? device->info.max_group : 1, max_threads);
    if (program && program->resources.max_group > 0)
        limit = launch_smaller(limit, (uint64_t)program->resources.max_group);
    bool open = !g->group[0] && !g->group[1] && !g->group[2];
    for (uint32_t i = g->dimensions; i < 3; i++) {
        g->global[i] = 1;
        if (!open) g->group[i] = 1;
    }
    if (!g->native_items) g->native_items = g->global[0] * g->global[1] * g->global[2];
    if (open && program && program->group[0])
        memcpy(g->group, program->group, sizeof program->group);
    else if (open) choose_group(device, limit, g);
    if ((status = check_group(def, device, limit, g, error)) ||
        (status = check_named_group(def, program, g, error)) ||
        (status = check_local(def, device, program, g, error)) ||
        (status = round_global(def, device, g, error)))
        return status;
    if (g->cluster > 1 && !(device->info.capabilities & HED_CAN_CLUSTERS))
        return hed_fail(
            error, HED_ERROR_UNSUPPORTED, "%s: %s has no clusters", def->name, device->info.id);
    if (g->cluster > 1 && g->global[0] / g->group[0] % g->cluster)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: %llu groups are no multiple of the cluster's %u", def->name,
            (unsigned long long)(g->global[0] / g->group[0]), g->cluster);
    return HED_OK;
}
