/* Replay of a recorded graph: by the driver's own graph, or step by step. */
#include "core/objects.h"

hed_status hed_graph_replay(hed_graph *graph, hed_stream *stream, hed_error *error)
{
    HED_REQUIRE(graph, stream);
    if (stream->device != graph->device)
        return hed_fail(error, HED_ERROR_ARGUMENT, "a graph recorded for %s in a stream of %s",
            graph->device->info.id, stream->device->info.id);
    if (stream->recording && graph->count)
        return hed_fail(error, HED_ERROR_ARGUMENT, "a replay cannot be recorded in a graph");
    if (graph->impl) return graph->device->backend->graph_replay(stream, graph->impl, error);
    static const char *const names[] = {"launch", "write", "read", "copy", "fill", "call"};
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < graph->count && !status; i++) {
        hed_step *step = &graph->steps[i];
        bool launch = step->kind == HED_STEP_LAUNCH;
        status = hed_stream_step(
            stream, step, launch ? step->program->def->name : names[step->kind], error);
    }
    return status;
}
