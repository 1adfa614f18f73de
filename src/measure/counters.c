/* Hardware counters of an NVIDIA GPU, read through CUPTI's range profiler (CUPTI documentation 13.0,
 * "CUPTI Range Profiling API" and "CUPTI Profiler Host API"; CUDA 12.6 and later, Turing and later).
 * A launch is a range. The counters do not fit into one run, so the launch is repeated, and each
 * pass counts some of them ("user replay").
 *
 * CUPTI is loaded at run time. Each of its functions takes one struct, which begins with its own size:
 * later versions append members, so the declarations here, of the members that Heddle uses, stay
 * valid. Names of metrics: as in Nsight Compute. */
#include "measure/counters.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dynlib.h"
#include "base/error.h"
#include "core/objects.h"

/* ---- CUPTI ---- */

enum {
    RANGE_PROFILER = 0, /* CUpti_ProfilerType */
    METRIC_TYPES = 3,   /* number of CUpti_MetricType: counter, ratio, throughput */
    USER_RANGE = 2,     /* CUpti_ProfilerRange */
    USER_REPLAY = 3     /* CUpti_ProfilerReplayMode */
};

/* Functions of CUPTI with one struct as the argument. */
typedef enum cupti_function {
    INITIALIZE,
    DEINITIALIZE,
    CHIP_NAME,
    AVAILABILITY,
    HOST_INITIALIZE,
    HOST_DEINITIALIZE,
    BASE_METRICS,
    ADD_METRICS,
    CONFIG_SIZE,
    CONFIG,
    ENABLE,
    DISABLE,
    DATA_SIZE,
    DATA_INITIALIZE,
    SET_CONFIG,
    START,
    PUSH_RANGE,
    POP_RANGE,
    STOP,
    DECODE,
    EVALUATE,
    FUNCTION_COUNT
} cupti_function;

static const char *const cupti_function_names[FUNCTION_COUNT] = {
    [INITIALIZE] = "cuptiProfilerInitialize",
    [DEINITIALIZE] = "cuptiProfilerDeInitialize",
    [CHIP_NAME] = "cuptiDeviceGetChipName",
    [AVAILABILITY] = "cuptiProfilerGetCounterAvailability",
    [HOST_INITIALIZE] = "cuptiProfilerHostInitialize",
    [HOST_DEINITIALIZE] = "cuptiProfilerHostDeinitialize",
    [BASE_METRICS] = "cuptiProfilerHostGetBaseMetrics",
    [ADD_METRICS] = "cuptiProfilerHostConfigAddMetrics",
    [CONFIG_SIZE] = "cuptiProfilerHostGetConfigImageSize",
    [CONFIG] = "cuptiProfilerHostGetConfigImage",
    [ENABLE] = "cuptiRangeProfilerEnable",
    [DISABLE] = "cuptiRangeProfilerDisable",
    [DATA_SIZE] = "cuptiRangeProfilerGetCounterDataSize",
    [DATA_INITIALIZE] = "cuptiRangeProfilerCounterDataImageInitialize",
    [SET_CONFIG] = "cuptiRangeProfilerSetConfig",
    [START] = "cuptiRangeProfilerStart",
    [PUSH_RANGE] = "cuptiRangeProfilerPushRange",
    [POP_RANGE] = "cuptiRangeProfilerPopRange",
    [STOP] = "cuptiRangeProfilerStop",
    [DECODE] = "cuptiRangeProfilerDecodeData",
    [EVALUATE] = "cuptiProfilerHostEvaluateToGpuValues",
};

/* First members of every struct. `size` ends with the last member, without padding. */
typedef struct cupti_head {
    size_t size;
    void *reserved;
} cupti_head;
#define CUPTI_HEAD(type, last) {.size = offsetof(type, last) + sizeof(((type *)0)->last)}

typedef struct cupti_chip {
    cupti_head head;
    size_t device;
    const char *name; /* result */
} cupti_chip;

typedef struct cupti_availability {
    cupti_head head;
    void *context;
    size_t bytes; /* input and output */
    uint8_t *image;
} cupti_availability;

typedef struct cupti_host {
    cupti_head head;
    int type;
    const char *chip;
    const uint8_t *availability;
    void *host; /* result */
} cupti_host;

/* A struct that names the host object or the range profiler alone. */
typedef struct cupti_object {
    cupti_head head;
    void *object;
} cupti_object;

typedef struct cupti_base {
    cupti_head head;
    void *host;
    int type;
    const char *const *names; /* result */
    size_t count;             /* result */
} cupti_base;

typedef struct cupti_names {
    cupti_head head;
    void *host;
    const char *const *names;
    size_t count;
} cupti_names;

typedef struct cupti_image {
    cupti_head head;
    void *object;
    size_t bytes;
    uint8_t *image;
} cupti_image;

typedef struct cupti_size {
    cupti_head head;
    void *object;
    size_t bytes; /* result */
} cupti_size;

typedef struct cupti_enable {
    cupti_head head;
    void *context;
    void *profiler; /* result */
} cupti_enable;

typedef struct cupti_data_size {
    cupti_head head;
    void *profiler;
    const char *const *names;
    size_t count, ranges;
    uint32_t nodes;
    size_t bytes; /* result */
} cupti_data_size;

typedef struct cupti_config {
    cupti_head head;
    void *profiler;
    size_t config_bytes;
    const uint8_t *config;
    size_t data_bytes;
    uint8_t *data;
    int range, replay;
    size_t ranges;
    uint16_t levels, least_level;
    size_t pass;
    uint16_t level;
} cupti_config;

typedef struct cupti_stop {
    cupti_head head;
    void *profiler;
    size_t pass, level; /* result */
    uint8_t is_done;    /* result: all passes have run */
} cupti_stop;

typedef struct cupti_push {
    cupti_head head;
    void *profiler;
    const char *name;
} cupti_push;

typedef struct cupti_decode {
    cupti_head head;
    void *profiler;
    size_t dropped; /* result */
} cupti_decode;

typedef struct cupti_evaluate {
    cupti_head head;
    void *host;
    const uint8_t *data;
    size_t data_bytes, range;
    const char *const *names;
    size_t count;
    double *values;
} cupti_evaluate;

/* ---- metrics ---- */

/* Metrics that are read; the stalls follow. */
enum {
    OCCUPANCY,
    READ,
    WRITTEN,
    HITS,
    MEMORY,
    UNITS,
    CONFLICTS,
    WAVEFRONTS,
    READ_BLACKWELL, /* Blackwell's GPUs for graphics have other names for the memory's bytes */
    WRITTEN_BLACKWELL,
    ISSUES,
    FIRST_STALL,
    STALLS = 18,
    METRICS = FIRST_STALL + STALLS
};

#define STALL(reason) "smsp__average_warps_issue_stalled_" reason "_per_issue_active.ratio"
static const char *const metric_names[METRICS] = {
    [OCCUPANCY] = "sm__warps_active.avg.pct_of_peak_sustained_active",
    [READ] = "dram__bytes_read.sum",
    [WRITTEN] = "dram__bytes_write.sum",
    [HITS] = "lts__t_sector_hit_rate.pct",
    [MEMORY] = "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    [UNITS] = "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    [CONFLICTS] = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    [WAVEFRONTS] = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    [READ_BLACKWELL] = "dram__bytes_op_read.sum",
    [WRITTEN_BLACKWELL] = "dram__bytes_op_write.sum",
    /* the mean number of warps in each state, for each issued instruction */
    [ISSUES] = STALL("selected"),
    STALL("long_scoreboard"),
    STALL("lg_throttle"),
    STALL("tex_throttle"),
    STALL("short_scoreboard"),
    STALL("mio_throttle"),
    STALL("barrier"),
    STALL("membar"),
    STALL("math_pipe_throttle"),
    STALL("gmma"),
    STALL("wait"),
    STALL("not_selected"),
    STALL("no_instruction"),
    STALL("branch_resolving"),
    STALL("imc_miss"),
    STALL("drain"),
    STALL("dispatch_stall"),
    STALL("sleeping"),
    STALL("misc"),
};
/* (STALLS) in the order of metric_names */
static const hed_wait stall_waits[STALLS] = {HED_WAIT_MEMORY, HED_WAIT_MEMORY, HED_WAIT_MEMORY,
    HED_WAIT_LOCAL, HED_WAIT_LOCAL, HED_WAIT_BARRIER, HED_WAIT_BARRIER, HED_WAIT_ARITHMETIC,
    HED_WAIT_ARITHMETIC, HED_WAIT_RESULT, HED_WAIT_TURN, HED_WAIT_CODE, HED_WAIT_CODE,
    HED_WAIT_CONSTANT, HED_WAIT_END, HED_WAIT_OTHER, HED_WAIT_OTHER, HED_WAIT_OTHER};

hed_counters hed_counters_unknown(void)
{
    double values[HED_COUNTER_VALUES];
    hed_counters counters;
    for (int i = 0; i < HED_COUNTER_VALUES; i++) values[i] = (double)NAN;
    memcpy(&counters, values, sizeof counters);
    return counters;
}

/* Computes the counters from the metrics; NAN stays unknown. */
static hed_counters counters_of(const double metrics[METRICS])
{
    hed_counters c = hed_counters_unknown();
    c.occupancy = metrics[OCCUPANCY] / 100;
    bool is_blackwell = isnan(metrics[READ]);
    c.bytes_read = metrics[is_blackwell ? READ_BLACKWELL : READ];
    c.bytes_written = metrics[is_blackwell ? WRITTEN_BLACKWELL : WRITTEN];
    c.cache_hits = metrics[HITS] / 100;
    c.memory_busy = metrics[MEMORY] / 100;
    c.units_busy = metrics[UNITS] / 100;
    if (metrics[WAVEFRONTS] > 0) c.conflicts = metrics[CONFLICTS] / metrics[WAVEFRONTS];
    double sum = metrics[ISSUES];
    for (int i = 0; i < STALLS; i++)
        if (metrics[FIRST_STALL + i] >= 0) sum += metrics[FIRST_STALL + i];
    if (!(sum > 0)) return c;
    c.issues = metrics[ISSUES] / sum;
    for (int i = 0; i < HED_WAIT_COUNT; i++) c.waits[i] = 0;
    for (int i = 0; i < STALLS; i++)
        if (metrics[FIRST_STALL + i] >= 0)
            c.waits[stall_waits[i]] += metrics[FIRST_STALL + i] / sum;
    return c;
}

/* ---- a profiler ---- */

enum { MOST_PASSES = 256 };

struct hed_profiler {
    hed_allocator allocator;
    hed_dynlib *library;
    int (*functions[FUNCTION_COUNT])(void *parameters);
    int (*result_text)(int code, const char **text);
    int driver_version; /* 1000 * major + 10 * minor of CUDA */
    bool is_initialized;
    void *context;
    void *host;  /* CUPTI's object that knows the metrics of the chip */
    void *range; /* CUPTI's range profiler; NULL: no measurement runs */
    uint8_t *availability, *config, *data;
    size_t availability_bytes, config_bytes, data_bytes;
    uint32_t metric_count, passes;
    const char *names[METRICS]; /* (metric_count) metrics that the chip has */
    uint32_t metrics[METRICS];  /* (metric_count) their indices */
};

static const char permission[] =
    "no permission to read counters (ERR_NVGPUCTRPERM): run as root, or load the driver with the option "
    "NVreg_RestrictProfilingToAdminUsers=0 (a line \"options nvidia NVreg_RestrictProfilingToAdminUsers=0\" in "
    "/etc/modprobe.d/, then restart); a container needs --cap-add SYS_ADMIN as well";

static const struct {
    int code; /* CUptiResult */
    const char *meaning;
} cupti_meanings[] = {
    {26, "another profiler reads the counters, such as ncu or DCGM"},
    {27, "this device has no counters for CUPTI"},
    {33, "a virtual GPU, which has no counters"},
    {35, permission},
    {40, permission},
    {41, "counters cannot be read in confidential computing"},
    {43, "counters of a MIG instance cannot be read"},
    {45, "counters cannot be read in WSL"},
    {46, "this CUPTI does not know the chip: a newer CUDA toolkit is needed"},
};

static hed_status profiler_fail(
    const hed_profiler *p, cupti_function function, int code, hed_error *error)
{
    const char *text = NULL, *name = hed_dynlib_name(p->library);
    for (size_t i = 0; i < sizeof cupti_meanings / sizeof cupti_meanings[0] && !text; i++)
        if (cupti_meanings[i].code == code) text = cupti_meanings[i].meaning;
    if (!text && (p->result_text(code, &text) || !text)) text = "no text";
    /* CUPTI reports a driver that is too old for it in several ways, all at the start */
    if (function == INITIALIZE)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s failed with %d (%s); %s may be newer than the driver, which is of CUDA %d.%d",
            cupti_function_names[function], code, text, name, p->driver_version / 1000,
            p->driver_version % 1000 / 10);
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "%s failed with %d (%s)",
        cupti_function_names[function], code, text);
}

static hed_status profiler_call(
    const hed_profiler *p, cupti_function function, void *parameters, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    int code = p->functions[function](parameters);
    return code ? profiler_fail(p, function, code, error) : HED_OK;
}

/* ---- opening ---- */

/* Adds the library of a toolkit's folder to a list of names. */
static uint32_t add_cupti_paths(
    char paths[][HED_PATH_MAX], const char *folder, const char **names, uint32_t count)
{
    static const char *const places[] = {"extras/CUPTI/lib64/libcupti.so", "lib64/libcupti.so"};
    for (size_t i = 0; i < sizeof places / sizeof places[0] && folder && folder[0]; i++)
        if (hed_path_join(paths[i], folder, places[i])) names[count++] = paths[i];
    return count;
}

/* Loads CUPTI; the version of the driver's CUDA before others. */
static hed_status load_cupti(
    hed_profiler *p, const char *library, const char *cuda_home, hed_error *error)
{
    char home[2][HED_PATH_MAX], usual[2][HED_PATH_MAX], versioned[32], reason[256];
    const char *names[9] = {NULL}, *const requested[] = {library, NULL};
    uint32_t count = add_cupti_paths(home, cuda_home, names, 0);
    snprintf(versioned, sizeof versioned, "libcupti.so.%d", p->driver_version / 1000);
    names[count++] = versioned;
    count = add_cupti_paths(usual, "/usr/local/cuda", names, count);
    names[count++] = "libcupti.so";
    names[count++] = "libcupti.so.12";
    names[count] = "libcupti.so.13";
    if (hed_dynlib_open(
            &p->allocator, library ? requested : names, &p->library, reason, sizeof reason))
        return HED_OUT_OF_MEMORY(error, "CUPTI");
    if (p->library) return HED_OK;
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "hardware counters are read through CUPTI, a part of the CUDA toolkit, which does not load (%s): install "
        "libcupti-dev (Debian) or cuda-cupti of NVIDIA's repository; CUDA_HOME names a toolkit in another folder",
        reason);
}

static hed_status load_cupti_functions(hed_profiler *p, hed_error *error)
{
    const char *missing = NULL;
    void *slots[FUNCTION_COUNT], *text = hed_dynlib_symbol(p->library, "cuptiGetResultString");
    if (!text) missing = "cuptiGetResultString";
    if (missing ||
        !hed_dynlib_symbols(p->library, cupti_function_names, slots, FUNCTION_COUNT, &missing))
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s lacks %s: CUPTI of CUDA 12.6 or later is needed for hardware counters",
            hed_dynlib_name(p->library), missing);
    memcpy(p->functions, slots, sizeof slots);
    memcpy(&p->result_text, &text, sizeof text);
    return HED_OK;
}

static hed_status profiler_find_device(
    hed_profiler *p, hed_device *device, int *cuda_device, hed_error *error)
{
    int (*get_version)(int *version) = NULL;
    hed_driver_handles native;
    const char *id = hed_device_describe(device).id;
    void *symbol = hed_device_symbol(device, "cuDriverGetVersion");
    if (!symbol)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s has no hardware counters that Heddle reads: only CUDA devices have, by CUPTI", id);
    memcpy(&get_version, &symbol, sizeof symbol);
    if (hed_device_handles(device, &native, error)) return error->status;
    p->context = native.context;
    *cuda_device = (int)(intptr_t)native.device;
    int code = get_version(&p->driver_version);
    return code ? hed_fail(
                      error, HED_ERROR_DRIVER, "%s: cuDriverGetVersion failed with %d", id, code)
                : HED_OK;
}

/* Reads the list of the counters that this user may read on the device. */
static hed_status get_availability(hed_profiler *p, hed_error *error)
{
    cupti_availability get = {CUPTI_HEAD(cupti_availability, image), p->context, 0, NULL};
    if (profiler_call(p, AVAILABILITY, &get, error)) return error->status;
    p->availability = hed_allocate(&p->allocator, get.bytes);
    if (!p->availability) return HED_OUT_OF_MEMORY(error, "the list of counters");
    p->availability_bytes = get.bytes;
    get.image = p->availability;
    return profiler_call(p, AVAILABILITY, &get, error);
}

/* Finds the metrics that the chip has: one that it lacks would spoil the host object. */
static hed_status choose_metrics(hed_profiler *p, hed_error *error)
{
    bool is_known[METRICS] = {false};
    for (int type = 0; type < METRIC_TYPES; type++) {
        cupti_base base = {CUPTI_HEAD(cupti_base, count), p->host, type, NULL, 0};
        if (profiler_call(p, BASE_METRICS, &base, error)) return error->status;
        for (size_t i = 0; i < base.count; i++) {
            size_t length = strlen(base.names[i]); /* a metric's name continues with a dot */
            for (int m = 0; m < METRICS; m++)
                is_known[m] = is_known[m] || (!strncmp(metric_names[m], base.names[i], length) &&
                                                 metric_names[m][length] == '.');
        }
    }
    for (uint32_t i = 0; i < METRICS; i++) {
        if (!is_known[i]) continue;
        p->metrics[p->metric_count] = i;
        p->names[p->metric_count++] = metric_names[i];
    }
    return HED_OK;
}

/* Makes the schedule of the metrics' passes. */
static hed_status make_config(hed_profiler *p, hed_error *error)
{
    cupti_size size = {CUPTI_HEAD(cupti_size, bytes), p->host, 0};
    cupti_names add = {CUPTI_HEAD(cupti_names, count), p->host, p->names, p->metric_count};
    profiler_call(p, ADD_METRICS, &add, error);
    if (profiler_call(p, CONFIG_SIZE, &size, error)) return error->status;
    p->config = hed_allocate(&p->allocator, size.bytes);
    if (!p->config) return HED_OUT_OF_MEMORY(error, "the schedule of counters");
    p->config_bytes = size.bytes;
    cupti_image get = {CUPTI_HEAD(cupti_image, image), p->host, size.bytes, p->config};
    return profiler_call(p, CONFIG, &get, error);
}

static hed_status open_profiler(
    hed_profiler *p, hed_device *device, const char *library, hed_error *error)
{
    int cuda_device = 0;
    cupti_head initialize = {.size = sizeof initialize};
    if (profiler_find_device(p, device, &cuda_device, error) ||
        load_cupti(p, library, device->settings->cuda_home, error) ||
        load_cupti_functions(p, error) || profiler_call(p, INITIALIZE, &initialize, error))
        return error->status;
    p->is_initialized = true;
    cupti_chip chip = {CUPTI_HEAD(cupti_chip, name), (size_t)cuda_device, NULL};
    if (profiler_call(p, CHIP_NAME, &chip, error) || get_availability(p, error))
        return error->status;
    cupti_host host = {
        CUPTI_HEAD(cupti_host, host), RANGE_PROFILER, chip.name, p->availability, NULL};
    if (profiler_call(p, HOST_INITIALIZE, &host, error)) return error->status;
    p->host = host.host;
    choose_metrics(p, error);
    return make_config(p, error);
}

hed_status hed_profiler_open(
    hed_device *device, const char *library, hed_profiler **profiler, hed_error *error)
{
    hed_allocator allocator = hed_context_describe(hed_device_context(device)).allocator;
    *profiler = NULL;
    if (hed_failed(error)) return error->status;
    hed_profiler *instance = hed_allocate(&allocator, sizeof *instance);
    if (!instance) return HED_OUT_OF_MEMORY(error, "a reader of hardware counters");
    instance->allocator = allocator;
    if (open_profiler(instance, device, library, error)) hed_profiler_close(instance);
    else *profiler = instance;
    return error->status;
}

void hed_profiler_close(hed_profiler *p)
{
    if (!p) return;
    cupti_object host = {CUPTI_HEAD(cupti_object, object), p->host};
    cupti_head end = {.size = sizeof end};
    hed_profiler_abandon(p);
    if (p->host) p->functions[HOST_DEINITIALIZE](&host);
    if (p->is_initialized) p->functions[DEINITIALIZE](&end);
    hed_release(&p->allocator, p->config, p->config_bytes);
    hed_release(&p->allocator, p->availability, p->availability_bytes);
    hed_dynlib_close(&p->allocator, p->library);
    hed_allocator allocator = p->allocator;
    hed_release(&allocator, p, sizeof *p);
}

/* ---- a measurement ---- */

static hed_status profiler_make_data(hed_profiler *p, hed_error *error)
{
    cupti_data_size size = {
        CUPTI_HEAD(cupti_data_size, bytes), p->range, p->names, p->metric_count, 1, 1, 0};
    if (profiler_call(p, DATA_SIZE, &size, error)) return error->status;
    p->data = hed_allocate(&p->allocator, size.bytes);
    if (!p->data) return HED_OUT_OF_MEMORY(error, "hardware counters");
    p->data_bytes = size.bytes;
    cupti_image initialize = {CUPTI_HEAD(cupti_image, image), p->range, size.bytes, p->data};
    return profiler_call(p, DATA_INITIALIZE, &initialize, error);
}

hed_status hed_profiler_begin(hed_profiler *p, hed_error *error)
{
    cupti_enable enable = {CUPTI_HEAD(cupti_enable, profiler), p->context, NULL};
    if (profiler_call(p, ENABLE, &enable, error)) return error->status;
    p->range = enable.profiler;
    p->passes = 0;
    profiler_make_data(p, error);
    cupti_config config = {.head = CUPTI_HEAD(cupti_config, level),
        .profiler = p->range,
        .config_bytes = p->config_bytes,
        .config = p->config,
        .data_bytes = p->data_bytes,
        .data = p->data,
        .range = USER_RANGE,
        .replay = USER_REPLAY,
        .ranges = 1,
        .levels = 1,
        .least_level = 1,
        .level = 1};
    if (profiler_call(p, SET_CONFIG, &config, error)) hed_profiler_abandon(p);
    return error->status;
}

hed_status hed_profiler_start_pass(hed_profiler *p, hed_error *error)
{
    cupti_object start = {CUPTI_HEAD(cupti_object, object), p->range};
    cupti_push push = {CUPTI_HEAD(cupti_push, name), p->range, "launch"};
    profiler_call(p, START, &start, error);
    return profiler_call(p, PUSH_RANGE, &push, error);
}

hed_status hed_profiler_stop_pass(hed_profiler *p, bool *is_done, hed_error *error)
{
    cupti_object pop = {CUPTI_HEAD(cupti_object, object), p->range};
    cupti_stop stop = {CUPTI_HEAD(cupti_stop, is_done), p->range, 0, 0, 0};
    profiler_call(p, POP_RANGE, &pop, error);
    if (profiler_call(p, STOP, &stop, error)) return error->status;
    *is_done = stop.is_done;
    if (*is_done || ++p->passes < MOST_PASSES) return HED_OK;
    return hed_fail(error, HED_ERROR_DRIVER, "CUPTI is not done after %d passes; expected some 20",
        MOST_PASSES);
}

hed_status hed_profiler_end(hed_profiler *p, hed_counters *counters, hed_error *error)
{
    double sums[METRICS] = {0}, metrics[METRICS];
    cupti_decode decode = {CUPTI_HEAD(cupti_decode, dropped), p->range, 0};
    cupti_evaluate evaluate = {CUPTI_HEAD(cupti_evaluate, values), p->host, p->data, p->data_bytes,
        0, p->names, p->metric_count, sums};
    profiler_call(p, DECODE, &decode, error);
    if (!hed_failed(error) && decode.dropped)
        hed_fail(error, HED_ERROR_DRIVER, "CUPTI has dropped the counters of a launch");
    profiler_call(p, EVALUATE, &evaluate, error);
    for (int i = 0; i < METRICS; i++) metrics[i] = (double)NAN;
    for (uint32_t i = 0; i < p->metric_count; i++) metrics[p->metrics[i]] = sums[i];
    if (!hed_failed(error)) *counters = counters_of(metrics);
    hed_profiler_abandon(p);
    return error->status;
}

void hed_profiler_abandon(hed_profiler *p)
{
    cupti_object disable = {CUPTI_HEAD(cupti_object, object), p->range};
    if (p->range) p->functions[DISABLE](&disable);
    p->range = NULL;
    hed_release(&p->allocator, p->data, p->data_bytes);
    p->data = NULL;
    p->data_bytes = 0;
}
