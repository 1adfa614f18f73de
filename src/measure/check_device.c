/* Comparison of large contents on their device: copying them to the host and reading both copies
 * there takes many times as long as a candidate's runs. A comparison that passes here is final. One
 * that does not, or that cannot be made, is repeated on the host, which names the element. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/objects.h"
#include "heddle/launch.h"
#include "measure/check.h"

enum {
    LEAST_BYTES = 1 << 18, /* smaller contents are compared on the host */
    GROUP = 256,
    GROUPS_OF_UNIT = 8,
    MEMORY_PART =
        8, /* the copies take at most this fraction of the device's memory, as a divisor */
};

/* Result of the kernel: `outside` is not 0 if a word differs by more than the bound; `error` has
 * the bits of the largest error, which are in the order of the numbers. */
typedef struct report {
    uint32_t outside, error;
} report;

struct hed_check_device {
    hed_allocator allocator;
    hed_stream *stream; /* the runner's */
    hed_kernel *kernel;
    hed_buffer *report;
    hed_buffer
        *right[HED_MAX_ARGUMENTS]; /* right content of each argument; NULL: compared on the host */
    float bounds[HED_MAX_ARGUMENTS]; /* limits of the error; -1: equal bits */
};

static const char text[] =
    "__kernel void hed_compare(__global const uint *found, __global const uint *right,\n"
    "    __global uint *report, uint words, float bound)\n"
    "{\n"
    "    uint step = (uint)get_global_size(0), outside = 0;\n"
    "    float largest = 0.0f;\n"
    "    for (uint i = (uint)get_global_id(0); i < words; i += step) {\n"
    "        uint a = found[i], b = right[i];\n"
    "        if (a == b) continue;\n"
    "        float y = as_float(b), error = fabs(as_float(a) - y) / fmax(1.0f, fabs(y));\n"
    "        /* no number, or infinite: the host decides */\n"
    "        bool finite = (a & 0x7f800000u) != 0x7f800000u && (b & 0x7f800000u) != 0x7f800000u;\n"
    "        if (!finite || !(error <= bound)) outside = 1;\n"
    "        else largest = fmax(largest, error);\n"
    "    }\n"
    "    if (outside) atomic_or(&report[0], 1u);\n"
    "    if (largest > 0.0f) atomic_max(&report[1], as_uint(largest));\n"
    "}\n";

static const hed_source source = {"compare.cl", text, sizeof text - 1};

static void compare_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    (void)def;
    (void)config;
    geometry->dimensions = 1;
    geometry->global[0] = (uint64_t)problem->sizes[0];
    geometry->group[0] = GROUP;
}

static const hed_argument_def arguments[] = {
    {.name = "found", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_READ},
    {.name = "right", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_READ},
    {.name = "report", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_READ_WRITE},
    {.name = "words", .kind = HED_SCALAR, .type = HED_UINT32},
    {.name = "bound", .kind = HED_SCALAR, .type = HED_FLOAT},
};
static const char *const dimensions[] = {"items"};

static const hed_kernel_def compare = {
    .name = "hed_compare",
    .summary = "comparison of two contents",
    .sources = &source,
    .source_count = 1,
    .arguments = arguments,
    .argument_count = sizeof arguments / sizeof arguments[0],
    .dimensions = dimensions,
    .dimension_count = 1,
    .geometry = compare_geometry,
};

/* ---- creation ---- */

/* The content that an argument must have after a run, if it is compared word by word, all of it. */
static const void *right_content(
    const hed_argument_def *argument, const hed_runner_argument *content)
{
    bool is_buffer = argument->kind == HED_BUFFER,
         is_large = content->bytes >= LEAST_BYTES && content->bytes % sizeof(uint32_t) == 0 &&
                    content->bytes / sizeof(uint32_t) <= INT32_MAX;
    if (!is_buffer || !is_large) return NULL;
    if (!content->expected) return argument->access == HED_READ ? content->data : NULL;
    bool is_each = argument->compare == HED_COMPARE_EACH && !content->marks;
    return is_each && hed_runner_expected_bytes(content) == content->bytes ? content->expected
                                                                           : NULL;
}

static bool copy_right(hed_check_device *check, const hed_runner_def *def, uint32_t index)
{
    const hed_argument_def *argument = &def->kernel->arguments[index];
    const hed_runner_argument *content = &def->arguments[index];
    bool is_bounded = argument->type == HED_FLOAT && content->expected && content->tolerance > 0;
    /* slightly below the tolerance, since fast division rounds */
    double bound = fmin(content->tolerance * (1 - 1e-5), (double)FLT_MAX);
    const hed_buffer_def buffer = hed_default_buffer_def(content->bytes);
    const void *right = right_content(argument, content);
    check->bounds[index] = is_bounded ? (float)bound : -1;
    return !hed_buffer_create(def->device, &buffer, &check->right[index], NULL) &&
           !hed_write(check->stream, check->right[index], 0, right, content->bytes, NULL);
}

hed_check_device *hed_check_device_create(const hed_runner_def *def, hed_stream *stream)
{
    const hed_device_info info = hed_device_describe(def->device);
    const hed_allocator *allocator = hed_allocator_of(def->device);
    const hed_buffer_def buffer = hed_default_buffer_def(sizeof(report));
    uint64_t total = 0;
    for (uint32_t i = 0; i < def->kernel->argument_count; i++)
        if (right_content(&def->kernel->arguments[i], &def->arguments[i]))
            total += def->arguments[i].bytes;
    if (!total || total > info.memory_bytes / MEMORY_PART) return NULL;
    hed_check_device *check = hed_allocate(allocator, sizeof *check);
    if (!check) return NULL;
    check->allocator = *allocator;
    check->stream = stream;
    bool works = !hed_kernel_create(def->device, &compare, NULL, &check->kernel, NULL) &&
                 !hed_buffer_create(def->device, &buffer, &check->report, NULL);
    for (uint32_t i = 0; i < def->kernel->argument_count && works; i++)
        if (right_content(&def->kernel->arguments[i], &def->arguments[i]))
            works = copy_right(check, def, i);
    if (works && !hed_stream_wait(stream, NULL)) return check;
    hed_check_device_destroy(check);
    return NULL;
}

void hed_check_device_destroy(hed_check_device *check)
{
    if (!check) return;
    hed_allocator allocator = check->allocator;
    hed_kernel_destroy(check->kernel);
    hed_buffer_destroy(check->report);
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++) hed_buffer_destroy(check->right[i]);
    hed_release(&allocator, check, sizeof *check);
}

/* ---- comparing ---- */

bool hed_check_device_passes(
    hed_check_device *device, uint32_t index, hed_buffer *content, hed_check *check)
{
    if (!device || !device->right[index]) return false;
    report result = {0};
    hed_error error = {0};
    uint32_t words = (uint32_t)(hed_buffer_describe(content).size / sizeof(uint32_t)),
             units = hed_device_describe(hed_buffer_describe(content).device).compute_units;
    uint64_t limit = (uint64_t)(units ? units : 1) * GROUPS_OF_UNIT,
             groups = (words + GROUP - 1) / GROUP;
    const hed_problem problem =
        hed_problem_1d((int64_t)((groups < limit ? groups : limit) * GROUP));
    const uint32_t zero = 0;
    hed_fill(device->stream, device->report, 0, sizeof result, &zero, sizeof zero, &error);
    hed_launch(device->stream, device->kernel, &problem,
        HED_ARGS(content, device->right[index], device->report, words, device->bounds[index]),
        &error);
    hed_read(device->stream, &result, device->report, 0, sizeof result, &error);
    if (hed_stream_wait(device->stream, &error) || result.outside) return false;
    float largest;
    memcpy(&largest, &result.error, sizeof largest);
    check->error = fmax(check->error, (double)largest);
    return true;
}
