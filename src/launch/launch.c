/* Launch path: checks arguments against the description and geometry against the device, then adds
 * one step to the stream. */
#include "launch/launcher.h"

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
