/* A CUPTI whose counters need three passes, of a chip that lacks most stalls; with
 * `fake_state.plain_floats` its metrics have the names of Blackwell. */
#include "fake.h"

#include <string.h>

enum {
    CUPTI_SUCCESS = 0,
    CUPTI_ERROR_INVALID_PARAMETER = 1,
    CUPTI_ERROR_INVALID_OPERATION = 7,
    PASSES = 3,
    IMAGE = 64, /* bytes of each image */
    MOST_NAMES = 40
};

typedef struct fake_host {
    fake_object head;
    const char *names[MOST_NAMES];
    size_t count;
} fake_host;

typedef struct fake_profiler {
    fake_object head;
    bool has_config, runs, in_range, has_decoded;
    int passes, ranges;
} fake_profiler;

/* The structs begin with their size; the members that follow are those of the CUPTI of CUDA 12.6. */
#define STRUCT(name, ...) \
    typedef struct name { \
        size_t size; \
        void *reserved; \
        __VA_ARGS__ \
    } name
STRUCT(plain, );
STRUCT(of_object, fake_object *object;);
STRUCT(chip, size_t device; const char *name;);
STRUCT(availability, void *context; size_t bytes; unsigned char * image;);
STRUCT(new_host, int type; const char *chip; const unsigned char *availability; fake_host * host;);
STRUCT(names, fake_host *host; const char **names; size_t count;);
STRUCT(base_metrics, fake_host *host; int type; const char **names; size_t count;);
STRUCT(image_size, fake_host *host; size_t bytes;);
STRUCT(image, fake_object *object; size_t bytes; unsigned char * image;);
STRUCT(new_profiler, void *context; fake_profiler * profiler;);
STRUCT(data_size, fake_profiler *profiler; const char **names; size_t count, ranges; uint32_t nodes;
       size_t bytes;);
STRUCT(config, fake_profiler *profiler; size_t config_bytes; const unsigned char *config;
       size_t data_bytes; unsigned char *data; int range, replay; size_t ranges;
       uint16_t levels, least_level; size_t pass; uint16_t level;);
STRUCT(push, fake_profiler *profiler; const char *name;);
STRUCT(stop, fake_profiler *profiler; size_t pass, level; uint8_t is_done;);
STRUCT(decode, fake_profiler *profiler; size_t dropped;);
STRUCT(evaluate, fake_host *host; const unsigned char *data; size_t data_bytes, range;
       const char **names; size_t count; double *values;);

#define STALL(reason) "smsp__average_warps_issue_stalled_" reason "_per_issue_active"
/* Base metrics; the names of two of them changed with Blackwell. */
static const struct {
    const char *names[2];
    int type; /* counter, ratio or throughput */
    double value;
} metrics[] = {
    {{"sm__warps_active", NULL}, 0, 61},
    {{"dram__bytes", NULL}, 0, -1}, /* the beginning of names that the chip lacks */
    {{"dram__bytes_read", "dram__bytes_op_read"}, 0, 8e6},
    {{"dram__bytes_write", "dram__bytes_op_write"}, 0, 4e6},
    {{"lts__t_sector_hit_rate", NULL}, 1, 12},
    {{"dram__throughput", NULL}, 2, 88},
    {{"sm__throughput", NULL}, 2, 9},
    {{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared", NULL}, 0, 31},
    {{"l1tex__data_pipe_lsu_wavefronts_mem_shared", NULL}, 0, 32},
    {{STALL("selected"), NULL}, 1, 1},
    {{STALL("long_scoreboard"), NULL}, 1, 12},
    {{STALL("lg_throttle"), NULL}, 1, 2},
    {{STALL("not_selected"), NULL}, 1, 3},
    {{STALL("wait"), NULL}, 1, 2},
    {{STALL("drain"), NULL}, 1, 0},
};
enum { METRICS = sizeof metrics / sizeof *metrics };

static const char *metric_name(int index)
{
    const char *blackwell = metrics[index].names[1];
    return fake_state.plain_floats && blackwell ? blackwell : metrics[index].names[0];
}

/* Value of a metric, which is a base metric with a suffix; below 0: unknown. */
static double metric_value(const char *name)
{
    for (int i = 0; i < METRICS; i++) {
        size_t length = strlen(metric_name(i));
        if (strncmp(metric_name(i), name, length) == 0 && name[length] == '.')
            return metrics[i].value;
    }
    return -1;
}

#define ENTER(function, type, last) \
    type *p = parameters; \
    do { \
        int enter_code = fake_enter(#function); \
        if (enter_code) return enter_code; \
        if (p->size != offsetof(type, last) + sizeof p->last || p->reserved) { \
            fake_misuse(#function); \
            return CUPTI_ERROR_INVALID_PARAMETER; \
        } \
    } while (0)
#define NEED(function, condition) \
    do { \
        if (!(condition)) { \
            fake_misuse(#function); \
            return CUPTI_ERROR_INVALID_OPERATION; \
        } \
    } while (0)
#define IS_PROFILER(object) fake_check("a range profiler", object, FAKE_QUEUE)
#define IS_HOST(object) fake_check("a host object", object, FAKE_PROGRAM)

#define FUNCTION(name) \
    FAKE_EXPORT int name(void *parameters); \
    int name(void *parameters)

FAKE_EXPORT int cuptiGetResultString(int code, const char **text);

/* Works whatever else fails. */
int cuptiGetResultString(int code, const char **text)
{
    *text = code == 999 ? "CUPTI_ERROR_UNKNOWN" : NULL;
    return *text ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

FUNCTION(cuptiProfilerInitialize)
{
    ENTER(cuptiProfilerInitialize, plain, reserved);
    fake_state.live[FAKE_CONTEXT]++;
    return CUPTI_SUCCESS;
}

FUNCTION(cuptiProfilerDeInitialize)
{
    ENTER(cuptiProfilerDeInitialize, plain, reserved);
    NEED(cuptiProfilerDeInitialize, fake_state.live[FAKE_CONTEXT] > 0);
    fake_state.live[FAKE_CONTEXT]--;
    return CUPTI_SUCCESS;
}

FUNCTION(cuptiDeviceGetChipName)
{
    ENTER(cuptiDeviceGetChipName, chip, name);
    NEED(cuptiDeviceGetChipName, p->device < 2);
    p->name = "FAKE100";
    return CUPTI_SUCCESS;
}

FUNCTION(cuptiProfilerGetCounterAvailability)
{
    ENTER(cuptiProfilerGetCounterAvailability, availability, image);
    NEED(cuptiProfilerGetCounterAvailability, p->context && (!p->image || p->bytes == IMAGE));
    if (p->image) memset(p->image, 1, IMAGE);
    p->bytes = IMAGE;
    return CUPTI_SUCCESS;
}

FUNCTION(cuptiProfilerHostInitialize)
{
    ENTER(cuptiProfilerHostInitialize, new_host, host);
    NEED(cuptiProfilerHostInitialize, p->type == 0 && strcmp(p->chip, "FAKE100") == 0 &&
                                          p->availability && p->availability[0] == 1);
    p->host = fake_new(FAKE_PROGRAM, sizeof *p->host);
    return CUPTI_SUCCESS;
}

FUNCTION(cuptiProfilerHostDeinitialize)
{
    ENTER(cuptiProfilerHostDeinitialize, of_object, object);
    NEED(cuptiProfilerHostDeinitialize, IS_HOST(p->object));
    if (fake_release(p->object)) __builtin_free(p->object);
    return CUPTI_SUCCESS;
}

FUNCTION(cuptiProfilerHostGetBaseMetrics)
{
    static const char *found[METRICS];
    ENTER(cuptiProfilerHostGetBaseMetrics, base_metrics, count);
    NEED(cuptiProfilerHostGetBaseMetrics, IS_HOST(p->host) && p->type >= 0 && p->type < 3);
    p->names = found;
    p->count = 0;
    for (int i = 0; i < METRICS; i++)
        if (metrics[i].type == p->type) found[p->count++] = metric_name(i);
    return CUPTI_SUCCESS;
}

FUNCTION(cuptiProfilerHostConfigAddMetrics)
{
    ENTER(cuptiProfilerHostConfigAddMetrics, names, count);
    NEED(cuptiProfilerHostConfigAddMetrics, IS_HOST(p->host));
    for (size_t i = 0; i < p->count; i++) {
        NEED(cuptiProfilerHostConfigAddMetrics,
            metric_value(p->names[i]) >= 0 && p->host->count < MOST_NAMES);
        p->host->names[p->host->count++] = p->names[i];
    }
    return CUPTI_SUCCESS;
}

FUNCTION(cuptiProfilerHostGetConfigImageSize)
{
    ENTER(cuptiProfilerHostGetConfigImageSize, image_size, bytes);
    NEED(cuptiProfilerHostGetConfigImageSize, IS_HOST(p->host) && p->host->count);
    p->bytes = IMAGE;
    return CUPTI_SUCCESS;
}

FUNCTION(cuptiProfilerHostGetConfigImage)
{
    ENTER(cuptiProfilerHostGetConfigImage, image, image);
    NEED(cuptiProfilerHostGetConfigImage, IS_HOST(p->object) && p->bytes == IMAGE);
    memset(p->image, 2, IMAGE);
    return CUPTI_SUCCESS;
}

FUNCTION(cuptiRangeProfilerEnable)
{
    ENTER(cuptiRangeProfilerEnable, new_profiler, profiler);
    NEED(cuptiRangeProfilerEnable, p->context && !fake_state.live[FAKE_QUEUE]);
    p->profiler = fake_new(FAKE_QUEUE, sizeof *p->profiler);
    return CUPTI_SUCCESS;
}

FUNCTION(cuptiRangeProfilerDisable)
{
    ENTER(cuptiRangeProfilerDisable, of_object, object);
    NEED(cuptiRangeProfilerDisable, IS_PROFILER(p->object));
    if (fake_release(p->object)) __builtin_free(p->object);
    return CUPTI_SUCCESS;
}

FUNCTION(cuptiRangeProfilerGetCounterDataSize)
{
    ENTER(cuptiRangeProfilerGetCounterDataSize, data_size, bytes);
    NEED(cuptiRangeProfilerGetCounterDataSize,
        IS_PROFILER(p->profiler) && p->count && p->ranges == 1 && p->nodes == 1);
    p->bytes = IMAGE;
    return CUPTI_SUCCESS;
}

FUNCTION(cuptiRangeProfilerCounterDataImageInitialize)
{
    ENTER(cuptiRangeProfilerCounterDataImageInitialize, image, image);
    NEED(cuptiRangeProfilerCounterDataImageInitialize, IS_PROFILER(p->object) && p->bytes == IMAGE);
    memset(p->image, 3, IMAGE);
    return CUPTI_SUCCESS;
}

FUNCTION(cuptiRangeProfilerSetConfig)
{
    ENTER(cuptiRangeProfilerSetConfig, config, level);
    NEED(cuptiRangeProfilerSetConfig,
        IS_PROFILER(p->profiler) && p->config_bytes == IMAGE && p->config[0] == 2 &&
            p->data_bytes == IMAGE && p->data[0] == 3 && p->range == 2 && p->replay == 3 &&
            p->ranges == 1 && p->levels == 1 && p->least_level == 1 && p->level == 1);
    p->profiler->has_config = true;
    return CUPTI_SUCCESS;
}

FUNCTION(cuptiRangeProfilerStart)
{
    ENTER(cuptiRangeProfilerStart, of_object, object);
    fake_profiler *profiler = (fake_profiler *)p->object;
    NEED(cuptiRangeProfilerStart, IS_PROFILER(profiler) && profiler->has_config && !profiler->runs);
    profiler->runs = true;
    return CUPTI_SUCCESS;
}

FUNCTION(cuptiRangeProfilerPushRange)
{
    ENTER(cuptiRangeProfilerPushRange, push, name);
    NEED(cuptiRangeProfilerPushRange,
        IS_PROFILER(p->profiler) && p->profiler->runs && !p->profiler->in_range && p->name);
    p->profiler->in_range = true;
    return CUPTI_SUCCESS;
}

FUNCTION(cuptiRangeProfilerPopRange)
{
    ENTER(cuptiRangeProfilerPopRange, of_object, object);
    fake_profiler *profiler = (fake_profiler *)p->object;
    NEED(cuptiRangeProfilerPopRange, IS_PROFILER(profiler) && profiler->in_range);
    profiler->in_range = false;
    profiler->ranges++;
    return CUPTI_SUCCESS;
}

FUNCTION(cuptiRangeProfilerStop)
{
    ENTER(cuptiRangeProfilerStop, stop, is_done);
    NEED(cuptiRangeProfilerStop,
        IS_PROFILER(p->profiler) && p->profiler->runs && !p->profiler->in_range);
    p->profiler->runs = false;
    /* `hangs`: further passes are needed without an end */
    p->is_done = ++p->profiler->passes >= PASSES && !fake_state.hangs;
    return CUPTI_SUCCESS;
}

FUNCTION(cuptiRangeProfilerDecodeData)
{
    ENTER(cuptiRangeProfilerDecodeData, decode, dropped);
    NEED(cuptiRangeProfilerDecodeData,
        IS_PROFILER(p->profiler) && p->profiler->ranges == PASSES && !p->profiler->runs);
    p->dropped = fake_state.silent; /* a range that is lost */
    return CUPTI_SUCCESS;
}

FUNCTION(cuptiProfilerHostEvaluateToGpuValues)
{
    ENTER(cuptiProfilerHostEvaluateToGpuValues, evaluate, values);
    NEED(cuptiProfilerHostEvaluateToGpuValues,
        IS_HOST(p->host) && p->data[0] == 3 && p->range == 0 && p->count == p->host->count);
    for (size_t i = 0; i < p->count; i++) p->values[i] = metric_value(p->names[i]);
    return CUPTI_SUCCESS;
}
