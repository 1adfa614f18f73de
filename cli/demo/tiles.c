/* heddle demo tiles: tunes a blur in plain C on one core, as a pipeline: loop order, and the size
 * of the tile that remains in the cache. Needs no compiler. */
#include "cli/demo/demo.h"

#include "cli/common/report.h"

#include <math.h>
#include <string.h>

enum {
    SIZE = 256, /* pixels per side: a default of 20 ms, so that 60 configurations take seconds */
    TAPS = 17,
    STRIDE = SIZE + TAPS - 1, /* row length of the source, which has a margin */
};
enum { ORDER, TILE_X, TILE_Y, PARAMETERS };
enum { PIXELS_FIRST, TAPS_FIRST, ROWS_FIRST };

typedef struct blur {
    float source[STRIDE * STRIDE], result[SIZE * SIZE], expected[SIZE * SIZE];
    float weights[TAPS];
    hed_config config;
} blur;

/* A rectangle of the result, given by its first pixel. */
typedef struct tile {
    const float *source;
    float *result;
    int width, height;
} tile;

/* Blurs with the pixel loops outermost: each pixel is finished before the next. */
static void pixels_first(const float *weights, const tile *t)
{
    for (int y = 0; y < t->height; y++)
        for (int x = 0; x < t->width; x++) {
            float sum = 0;
            for (int j = 0; j < TAPS; j++)
                for (int i = 0; i < TAPS; i++)
                    sum += weights[j] * weights[i] * t->source[(y + j) * STRIDE + x + i];
            t->result[y * SIZE + x] = sum;
        }
}

/* Blurs with the tap loops outermost: each tap covers the whole tile. */
static void taps_first(const float *weights, const tile *t)
{
    for (int y = 0; y < t->height; y++) memset(t->result + y * SIZE, 0, (size_t)t->width * 4);
    for (int j = 0; j < TAPS; j++)
        for (int i = 0; i < TAPS; i++)
            for (int y = 0; y < t->height; y++)
                for (int x = 0; x < t->width; x++)
                    t->result[y * SIZE + x] +=
                        weights[j] * weights[i] * t->source[(y + j) * STRIDE + x + i];
}

/* Blurs row by row: each row of taps covers a row of the tile. */
static void rows_first(const float *weights, const tile *t)
{
    for (int y = 0; y < t->height; y++) {
        float *restrict row = t->result + y * SIZE;
        memset(row, 0, (size_t)t->width * sizeof *row);
        for (int j = 0; j < TAPS; j++) {
            const float *restrict from = t->source + (y + j) * STRIDE;
            for (int x = 0; x < t->width; x++) {
                float sum = 0;
                for (int i = 0; i < TAPS; i++) sum += weights[i] * from[x + i];
                row[x] += weights[j] * sum;
            }
        }
    }
}

static void blur_all(blur *b)
{
    static void (*const orders[])(const float *, const tile *) = {
        [PIXELS_FIRST] = pixels_first, [TAPS_FIRST] = taps_first, [ROWS_FIRST] = rows_first};
    int width = (int)b->config.values[TILE_X], height = (int)b->config.values[TILE_Y];
    for (int y = 0; y < SIZE; y += height)
        for (int x = 0; x < SIZE; x += width)
            orders[b->config.values[ORDER]](b->weights,
                &(tile){b->source + y * STRIDE + x, b->result + y * SIZE + x, width, height});
}

/* ---- the pipeline ---- */

static hed_status tiles_prepare(void *user, const hed_config *config, hed_error *error)
{
    blur *b = user;
    b->config = *config;
    return HED_OK;
}

static hed_status tiles_blur(void *user, double *value, hed_error *error)
{
    blur_all(user);
    return HED_OK;
}

static hed_status tiles_check(void *user, hed_error *error)
{
    const blur *b = user;
    for (int i = 0; i < SIZE * SIZE; i++)
        if (!(fabsf(b->result[i] - b->expected[i]) < 1e-5f))
            return hed_fail(error, HED_ERROR_ARGUMENT, "pixel %d is %g; expected %g", i,
                (double)b->result[i], (double)b->expected[i]);
    return HED_OK;
}

static void tiles_fill(blur *b)
{
    float total = 0;
    for (int i = 0; i < TAPS; i++) {
        float x = (float)(i - TAPS / 2) / 3.5f;
        total += b->weights[i] = expf(-x * x / 2);
    }
    for (int i = 0; i < TAPS; i++) b->weights[i] /= total;
    for (int i = 0; i < STRIDE * STRIDE; i++) b->source[i] = (float)(i * 37 % 255) / 255;
    tile whole = {b->source, b->expected, SIZE, SIZE};
    pixels_first(b->weights, &whole);
}

/* ---- the output: JSON like `heddle tune --json`, with results as in a T4 file ---- */

static void tiles_put(
    cli_report *report, const hed_tune_result *result, const hed_device_info *info)
{
    cli_report_row(report, CLI_TEXT("device_name", info->name), CLI_NUMBER("gain", result->gain),
        CLI_NUMBER("seconds", result->evaluations[result->best].seconds),
        CLI_WHOLE("tried", result->count), CLI_WHOLE("space", result->space));
    cli_report_open_list(report, "results");
    for (uint32_t i = 0; i < result->count; i++) {
        const hed_evaluation *evaluation = &result->evaluations[i];
        cli_report_begin(report);
        cli_report_more(
            report, CLI_WHOLE("correctness", evaluation->outcome <= HED_OUTCOME_DROPPED));
        cli_report_open_list(report, "measurements");
        cli_report_row(report, CLI_NUMBER("value", 1e3 * evaluation->seconds));
        cli_report_close(report);
    }
    cli_report_close(report);
}

static hed_status tiles_tune(
    hed_device *device, blur *b, uint32_t budget, cli_report *report, hed_error *error)
{
    /* default: loops in the obvious order, pixel by pixel over the whole picture */
    const hed_parameter_def parameters[PARAMETERS] = {
        [ORDER] = HED_CHOICE(ORDER, PIXELS_FIRST, "pixels", "taps", "rows"),
        [TILE_X] = HED_PARAMETER(TILE_X, SIZE, 8, 16, 32, 64, 128, 256),
        [TILE_Y] = HED_PARAMETER(TILE_Y, SIZE, 1, 2, 4, 8, 16, 32, 64, 128, 256)};
    const hed_pipeline_def pipeline = {.name = "demo-tiles",
        .version = "1",
        .parameters = parameters,
        .parameter_count = PARAMETERS,
        .prepare = tiles_prepare,
        .run = tiles_blur,
        .check = tiles_check,
        .user = b};
    hed_tune_def def = hed_default_tune_def();
    hed_tune_result *result = NULL;
    def.evaluations = budget;
    def.keep = false;
    if (hed_tune_pipeline(device, &pipeline, &def, &result, error)) return error->status;
    const hed_device_info info = hed_device_describe(device);
    if (result->best < result->count) tiles_put(report, result, &info);
    else hed_fail(error, HED_ERROR_ARGUMENT, "no configuration gave the expected picture");
    hed_tune_result_free(result);
    return error->status;
}

static int tiles_run(const hed_arguments *arguments, void *user)
{
    cli_session session;
    hed_device *host = NULL;
    hed_error error = {0};
    cli_report *report = cli_report_create(true);
    cli_open_context(arguments, &session, &error);
    blur *b = hed_new(NULL, 1, sizeof *b, &error);
    if (!hed_failed(&error)) hed_device_find(session.context, "host", &host, &error);
    if (!hed_failed(&error)) {
        tiles_fill(b);
        tiles_tune(host, b, hed_given(arguments, "quick") ? 20 : 60, report, &error);
    }
    hed_status status = cli_report_end(report, error.status, &error);
    hed_delete(NULL, b, 1, sizeof *b);
    cli_close(&session);
    return cli_end(status, &error);
}

const hed_command demo_command_tiles = {
    .name = "tiles",
    .summary = "the tuning of the second part, where no GPU is",
    .hidden = true,
    .run = tiles_run,
};
