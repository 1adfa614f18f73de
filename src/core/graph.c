/* Graphs: a chain of steps recorded once. A driver that has graphs of its own replays them;
 * otherwise the steps are enqueued again. A recorded launch owns a copy of its arguments and a
 * reference to its compiled kernel. */
#include <string.h>

#include "core/objects.h"

static hed_variant *variant_of(const hed_step *step)
{
    return (hed_variant *)step->program; /* the program is the variant's first member */
}

static void free_arguments(
    const hed_allocator *allocator, const hed_argument *arguments, uint32_t count)
{
    if (!arguments) return;
    for (uint32_t i = 0; i < count; i++)
        if (arguments[i].kind == HED_STRUCT && arguments[i].value.bytes)
            hed_release(allocator, (void *)(uintptr_t)arguments[i].value.bytes, arguments[i].size);
    hed_release(allocator, (void *)(uintptr_t)arguments, (count ? count : 1) * sizeof *arguments);
}

static hed_argument *copy_arguments(
    const hed_allocator *allocator, const hed_argument *arguments, uint32_t count)
{
    hed_argument *copy = hed_allocate(allocator, (count ? count : 1) * sizeof *copy);
    for (uint32_t i = 0; copy && i < count; i++) {
        copy[i] = arguments[i];
        if (arguments[i].kind != HED_STRUCT) continue;
        void *bytes = hed_allocate(allocator, arguments[i].size);
        copy[i].value.bytes = bytes;
        if (!bytes) {
            free_arguments(allocator, copy, count);
            return NULL;
        }
        memcpy(bytes, arguments[i].value.bytes, arguments[i].size);
    }
    return copy;
}

static hed_status grow(hed_graph *graph, hed_error *error)
{
    if (graph->count < graph->capacity) return HED_OK;
    uint32_t capacity = graph->capacity ? graph->capacity * 2 : 16;
    hed_step *steps = hed_allocate(hed_allocator_of(graph->device), capacity * sizeof *steps);
    if (!steps) return HED_OUT_OF_MEMORY(error, "%u steps of a graph", capacity);
    if (graph->count) memcpy(steps, graph->steps, graph->count * sizeof *steps);
    hed_release(hed_allocator_of(graph->device), graph->steps, graph->capacity * sizeof *steps);
    graph->steps = steps;
    graph->capacity = capacity;
    return HED_OK;
}

hed_status hed_graph_add(hed_graph *graph, const hed_step *step, hed_error *error)
{
    hed_status status = grow(graph, error);
    if (status) return status;
    hed_step *added = &graph->steps[graph->count];
    *added = *step;
    if (step->kind == HED_STEP_LAUNCH) {
        added->arguments = copy_arguments(
            hed_allocator_of(graph->device), step->arguments, step->program->def->argument_count);
        if (!added->arguments)
            return HED_OUT_OF_MEMORY(error, "the arguments of a recorded launch");
        hed_variant_retain(variant_of(step));
    }
    graph->count++;
    return HED_OK;
}

hed_status hed_graph_begin(hed_stream *stream, hed_error *error)
{
    HED_REQUIRE(stream);
    if (stream->recording)
        return hed_fail(error, HED_ERROR_ARGUMENT, "this stream is already recording a graph");
    hed_graph *graph = hed_allocate(&stream->device->settings->allocator, sizeof *graph);
    if (!graph) return HED_OUT_OF_MEMORY(error, "a graph");
    graph->device = stream->device;
    stream->recording = graph;
    return HED_OK;
}

hed_status hed_graph_end(hed_stream *stream, hed_graph **graph, hed_error *error)
{
    if (!stream || !graph) HED_REQUIRE(stream, graph);
    hed_graph *recorded_graph = stream->recording;
    *graph = NULL;
    if (hed_failed(error)) {
        stream->recording = NULL;
        hed_graph_destroy(recorded_graph);
        return error->status;
    }
    if (!recorded_graph) return hed_fail(error, HED_ERROR_ARGUMENT, "this stream is not recording a graph");
    stream->recording = NULL;
    hed_status status = HED_OK;
    if (recorded_graph->count && stream->device->backend->graph_build)
        status = stream->device->backend->graph_build(recorded_graph->device, recorded_graph->steps,
            recorded_graph->count, &recorded_graph->impl, error);
    if (status) hed_graph_destroy(recorded_graph);
    else *graph = recorded_graph;
    return status;
}

uint32_t hed_graph_step_count(const hed_graph *graph) { return graph ? graph->count : 0; }

/* Replaces the arguments of a recorded launch. Called by hed_graph_update() in launch/, which has
 * checked them. */
hed_status hed_graph_set_arguments(
    hed_graph *graph, uint32_t index, const hed_argument *arguments, hed_error *error)
{
    hed_step *step = &graph->steps[index];
    uint32_t count = step->program->def->argument_count;
    const hed_argument *former = step->arguments;
    hed_argument *copy = copy_arguments(hed_allocator_of(graph->device), arguments, count);
    if (!copy) return HED_OUT_OF_MEMORY(error, "the arguments of a recorded launch");
    step->arguments = copy;
    hed_status status = graph->impl ? graph->device->backend->graph_update(
                                          graph->device, graph->impl, graph->steps, index, error)
                                    : HED_OK;
    if (status) step->arguments = former;
    free_arguments(hed_allocator_of(graph->device), status ? copy : former, count);
    return status;
}

void hed_graph_destroy(hed_graph *graph)
{
    if (!graph) return;
    const hed_allocator *allocator = hed_allocator_of(graph->device);
    if (graph->impl) graph->device->backend->graph_destroy(graph->device, graph->impl);
    for (uint32_t i = 0; i < graph->count; i++) {
        const hed_step *step = &graph->steps[i];
        if (step->kind != HED_STEP_LAUNCH) continue;
        free_arguments(allocator, step->arguments, step->program->def->argument_count);
        hed_variant_release(variant_of(step));
    }
    hed_release(allocator, graph->steps, graph->capacity * sizeof *graph->steps);
    hed_release(allocator, graph, sizeof *graph);
}
