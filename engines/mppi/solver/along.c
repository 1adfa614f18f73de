/* States along the plan for models without a C function (kernels/along.cl). A separate
 * submission, after the last round's: between the two the host smooths and limits the plan. */
#include "solver/mppi_layout.h"

extern const char hed_mppi_along_cl[];

enum { ALONG_BLOCK = 4 /* argument */ };

static const hed_argument_def along_arguments[] = {HED_IN(uint, inputs), HED_OUT(float, states),
    HED_IN(float, tables),
    HED_VALUE_STRUCT(mppi_fixed, fixed), [ALONG_BLOCK] = HED_ARRAY(float, block)};

hed_status mppi_along_create(
    hed_mppi *c, const mppi_layout *layout, hed_buffer *tables, mppi_along *a, hed_error *error)
{
    bool lanes = hed_device_describe(c->device).capabilities & HED_CAN_LANES;
    if (c->model.step || hed_failed(error)) return hed_failed(error) ? error->status : HED_OK;
    a->layout = *layout;
    mppi_layout_trace(c, &a->layout);
    a->fixed = mppi_fixed_of(c, c->def.samples);
    a->tables = tables;
    a->def = (hed_kernel_def){.name = "mppi_along",
        .summary = "states along the plan",
        .arguments = along_arguments,
        .argument_count = HED_COUNT(along_arguments),
        .parameters = mppi_tile_parameters,
        .parameter_count = TILE_PARAMETERS,
        .max_threads = "GROUP",
        .may_spill = true,
        .needs = lanes ? HED_CAN_LANES : 0};
    mppi_sources(c, &c->structure.arena, &a->layout, true,
        (hed_source){"along.cl", hed_mppi_along_cl, 0}, &a->def, error);
    hed_kernel_options options = hed_default_kernel_options();
    options.math = c->def.math;
    options.config = &a->layout.config;
    hed_kernel_create(c->device, &a->def, &options, &a->kernel, error);
    hed_stream_create(c->device, NULL, &a->stream, error);
    hed_geometry_1d(&a->geometry, c->systems, (uint64_t)a->layout.config.values[TILE_GROUP], 0, 0);
    a->geometry.local_bytes[ALONG_BLOCK] = a->layout.local_bytes;
    const uint64_t bytes[] = {4ull * c->systems * a->layout.inputs,
        4ull * c->systems * (c->def.steps + 1) * c->model.states};
    for (uint32_t i = 0; i < 2; i++) {
        hed_buffer_def def = hed_default_buffer_def(bytes[i]);
        hed_buffer_create(c->device, &def, &a->buffers[i], error);
        def.memory = HED_MEMORY_PINNED;
        hed_buffer_create(c->device, &def, &a->staging[i], error);
    }
    if (hed_failed(error)) return error->status;
    uint32_t *inputs = hed_buffer_describe(a->staging[0]).host;
    hed_graph_begin(a->stream, error);
    hed_write(a->stream, a->buffers[0], 0, inputs, bytes[0], error);
    hed_launch_over(a->stream, a->kernel, &a->geometry,
        HED_ARGS(a->buffers[0], a->buffers[1], tables,
            hed_struct_argument(&a->fixed, sizeof a->fixed), hed_local_argument()),
        error);
    hed_read(a->stream, hed_buffer_describe(a->staging[1]).host, a->buffers[1], 0, bytes[1], error);
    return hed_graph_end(a->stream, &a->graph, error);
}

hed_status mppi_along_run(hed_mppi *c, mppi_along *a, hed_error *error)
{
    const mppi_sampling round = {.state = c->state,
        .plan = c->plan,
        .past = c->pasts,
        .ratio = c->ratio,
        .parameters = c->parameters,
        .fraction = 1};
    uint32_t *inputs = hed_buffer_describe(a->staging[0]).host;
    for (uint32_t system = 0; system < c->systems; system++) {
        uint32_t *at = inputs + (size_t)system * a->layout.inputs;
        mppi_section sections[MPPI_SECTIONS];
        uint32_t count = mppi_list_inputs(c, &a->layout, &round, system, sections);
        for (uint32_t n = 0; n < count; n++)
            memcpy(at + sections[n].at, sections[n].from, sections[n].count * sizeof *at);
    }
    hed_graph_replay(a->graph, a->stream, error);
    if (hed_stream_wait(a->stream, error)) return error->status;
    memcpy(c->states, hed_buffer_describe(a->staging[1]).host,
        sizeof(float) * c->systems * (c->def.steps + 1) * c->model.states);
    return HED_OK;
}

void mppi_along_destroy(mppi_along *a)
{
    hed_graph_destroy(a->graph);
    hed_stream_destroy(a->stream);
    hed_kernel_destroy(a->kernel);
    for (uint32_t i = 0; i < 2; i++) {
        hed_buffer_destroy(a->buffers[i]);
        hed_buffer_destroy(a->staging[i]);
    }
}
