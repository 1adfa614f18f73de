/* Noise as an array, for all samplers except white Gaussian: made by kernels/noise.cl before a
 * round, or copied from the user's array. */
#include "solver/mppi_layout.h"

extern const char hed_mppi_noise_cl[];

enum { NOISE_GROUP = 256, NOISE_MOST_SET = 32, NOISE_NORMALS = 6 /* argument */ };

static const hed_argument_def noise_arguments[] = {HED_OUT(float, noise), HED_IN(float, matrix),
    HED_IN(float, factors), HED_VALUE_STRUCT(mppi_fixed, fixed), HED_VALUE(uint, number),
    HED_VALUE(uint, limit), [NOISE_NORMALS] = HED_ARRAY(float, normals)};

static hed_status noise_upload(hed_mppi *c, hed_stream *stream, hed_buffer **buffer,
    const float *values, uint64_t count, hed_error *error)
{
    hed_buffer_def def = hed_default_buffer_def(4 * (values && count ? count : 4));
    hed_buffer_create(c->device, &def, buffer, error);
    if (values) hed_write(stream, *buffer, 0, values, 4 * count, error);
    return hed_failed(error) ? error->status : HED_OK;
}

static hed_status noise_kernel(
    hed_mppi *c, const mppi_layout *layout, mppi_noise *noise, hed_error *error)
{
    const hed_device_info info = hed_device_describe(c->device);
    uint64_t columns = c->mix ? c->mix_columns : c->def.steps, set = NOISE_MOST_SET;
    uint64_t normals = columns * c->model.controls * sizeof(float);
    while (set > 1 && set * normals + 1024 > info.local_bytes) set /= 2;
    char text[8] = {(char)('0' + set / 10), (char)('0' + set % 10), 0};
    noise->def = (hed_kernel_def){.name = "mppi_noise",
        .summary = "noise of samplers that are correlated, log-normal or splines",
        .arguments = noise_arguments,
        .argument_count = HED_COUNT(noise_arguments)};
    mppi_sources(c, &c->structure.arena, layout, false,
        (hed_source){"noise.cl", hed_mppi_noise_cl, 0}, &noise->def, error);
    hed_kernel_options options = hed_default_kernel_options();
    options.math = c->def.math;
    options.defines = &(hed_define){"SET", text};
    options.define_count = 1;
    hed_geometry_1d(&noise->geometry,
        c->def.count * hed_ceil_divide((uint64_t)c->blocks * c->block, set),
        info.max_group < NOISE_GROUP ? info.max_group : NOISE_GROUP, 0, 0);
    noise->geometry.local_bytes[NOISE_NORMALS] = set * normals;
    return hed_kernel_create(c->device, &noise->def, &options, &noise->kernel, error);
}

hed_status mppi_noise_create(
    hed_mppi *c, const mppi_layout *layout, hed_stream *stream, mppi_noise *noise, hed_error *error)
{
    bool array = mppi_noise_is_array(c), given = c->def.sampler == HED_MPPI_GIVEN;
    uint64_t floats = array ? (uint64_t)layout->scalars * c->blocks * c->block : 4;
    hed_buffer_def def = hed_default_buffer_def(4 * floats * (array && !given ? c->def.count : 1));
    hed_buffer_create(c->device, &def, &noise->array, error);
    noise->fixed = mppi_fixed_of(c, c->def.samples);
    noise->given = UINT32_MAX;
    if (!array || given || hed_failed(error)) return hed_failed(error) ? error->status : HED_OK;
    uint64_t nu = c->model.controls;
    noise_upload(c, stream, &noise->matrix, c->mix ? c->mix : c->factor,
        c->mix ? nu * c->def.steps * c->mix_columns : nu * nu, error);
    noise_upload(c, stream, &noise->factors, c->def.sigma_steps, layout->scalars, error);
    noise_kernel(c, layout, noise, error);
    return hed_stream_wait(stream, error);
}

hed_status mppi_noise_round(const hed_mppi *c, const mppi_layout *layout, hed_stream *stream,
    mppi_noise *noise, uint32_t number, uint32_t limit, hed_error *error)
{
    if (noise->kernel)
        return hed_launch_over(stream, noise->kernel, &noise->geometry,
            HED_ARGS(noise->array, noise->matrix, noise->factors,
                hed_struct_argument(&noise->fixed, sizeof noise->fixed), number, limit,
                hed_local_argument()),
            error);
    if (!c->noise || noise->given == c->noise_number) return HED_OK;
    noise->given = c->noise_number;
    if (c->def.blocks == 1)
        return hed_write(
            stream, noise->array, 0, c->noise, 4ull * layout->scalars * c->def.samples, error);
    for (uint64_t j = 0; j < layout->scalars; j++)
        hed_write(stream, noise->array, 4 * j * noise->fixed.row,
            c->noise + j * c->def.samples + noise->fixed.begin, 4ull * mppi_own_samples(c), error);
    return hed_failed(error) ? error->status : HED_OK;
}

void mppi_noise_destroy(mppi_noise *noise)
{
    hed_kernel_destroy(noise->kernel);
    hed_buffer_destroy(noise->array);
    hed_buffer_destroy(noise->matrix);
    hed_buffer_destroy(noise->factors);
}
