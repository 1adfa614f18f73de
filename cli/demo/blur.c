/* heddle demo blur: one picture, blurred by one kernel on each device of this machine, and the
 * largest difference between the results. */
#include "cli/demo/demo.h"

#include "cli/common/report.h"
#include "examples/focus.h"
#include "examples/scene.h"

#include <math.h>
#include <string.h>

typedef struct pictures {
    hed_image original;
    float *light, *reference; /* (floats) */
    uint64_t floats;
} pictures;

static hed_status blur_prepare(pictures *p, bool quick, hed_error *error)
{
    uint32_t width = quick ? 480 : 960, height = quick ? 300 : 600;
    p->floats = (uint64_t)FOCUS_LEVELS * FOCUS_CHANNELS * width * height;
    p->light = hed_new(NULL, p->floats, sizeof *p->light, error);
    p->reference = hed_new(NULL, p->floats, sizeof *p->reference, error);
    hed_image_create(width, height, FOCUS_CHANNELS, &p->original, error);
    if (!hed_failed(error)) scene_draw_cloth(&p->original);
    return error->status;
}

static void blur_discard(pictures *p)
{
    hed_delete(NULL, p->light, p->floats, sizeof *p->light);
    hed_delete(NULL, p->reference, p->floats, sizeof *p->reference);
    hed_image_free(&p->original);
}

/* Fills `light` on a device, in strict mode. */
static hed_status blur_on(const pictures *p, hed_device *device, float *light, hed_error *error)
{
    hed_session on = {.device = device};
    focus_linear(&p->original, light);
    if (hed_stream_create(device, NULL, &on.stream, error)) return error->status;
    focus_blur(&on, HED_MATH_STRICT, p->original.width, p->original.height, light, error);
    hed_stream_destroy(on.stream);
    return error->status;
}

static double blur_difference(const pictures *p)
{
    double largest = 0;
    for (uint64_t i = 0; i < p->floats; i++) {
        double difference = fabs((double)p->light[i] - (double)p->reference[i]);
        if (!(difference <= largest)) largest = difference;
    }
    return largest;
}

static hed_status blur_save(const pictures *p, const demo *d, hed_error *error)
{
    hed_image blurred = {0};
    if (hed_image_create(p->original.width, p->original.height, FOCUS_CHANNELS, &blurred, error))
        return error->status;
    focus_mix(p->reference, &blurred);
    hed_png_write(demo_output(d, "woven.png").text, &p->original, error);
    hed_png_write(demo_output(d, "woven-blurred.png").text, &blurred, error);
    hed_image_free(&blurred);
    return error->status;
}

static int blur_run(const hed_arguments *arguments, void *user)
{
    demo d = {.folder = hed_text_of(arguments, "out"), .quick = hed_given(arguments, "quick")};
    cli_session session;
    pictures p = {0};
    hed_device *host = NULL;
    hed_error error = {0};
    cli_report *report = cli_report_create(true);
    cli_open_context(arguments, &session, &error);
    if (!hed_failed(&error)) hed_device_find(session.context, "host", &host, &error);
    if (!hed_failed(&error)) blur_prepare(&p, d.quick, &error);
    if (!hed_failed(&error)) blur_on(&p, host, p.reference, &error);
    if (!hed_failed(&error)) blur_save(&p, &d, &error);
    for (uint32_t i = 0; !hed_failed(&error) && i < hed_context_describe(session.context).devices;
         i++) {
        hed_device *device = hed_device_at(session.context, i);
        const hed_device_info info = hed_device_describe(device);
        hed_error refusal = {0}; /* error of a device that is skipped */
        bool works = device == host || !blur_on(&p, device, p.light, &refusal);
        cli_report_row(report, CLI_TEXT("id", info.id), CLI_TEXT("name", info.name),
            CLI_FLAG("works", works),
            CLI_NUMBER("difference", works && device != host ? blur_difference(&p) : 0),
            CLI_TEXT("error", refusal.text));
    }
    hed_status status = cli_report_end(report, error.status, &error);
    blur_discard(&p);
    cli_close(&session);
    return cli_end(status, &error);
}

const hed_command demo_command_blur = {
    .name = "blur",
    .summary = "the pictures of the first part, and the largest difference between devices",
    .hidden = true,
    .run = blur_run,
};
