/* Hardware counters, with fakes of CUDA and CUPTI: the values, every call that fails, and the reasons that a
 * tuning reports. */
#include "measure/runners.h"

#include "cycle.h"
#include "fakes.h"
#include "folder.h"

TestSuite(counters, .init = folder_make, .fini = folder_remove);

static hed_error error;

typedef struct counter_fakes {
    hed_context *context;
    hed_device *device;
    fake_control *cuda, *cupti;
    test_allocator allocations;
    float in[CYCLE_N];
    float a;
    uint32_t n;
    hed_problem problem;
    hed_tune_argument arguments[6];
} counter_fakes;

/* The toolkit's folder contains the fake CUPTI. */
static void counters_open(counter_fakes *f)
{
    CHECK_EQ(mkdir(in_folder("lib64"), 0700), 0);
    CHECK_EQ(symlink(fakes_path("cupti"), in_folder("lib64/libcupti.so")), 0);
    f->cuda = fakes_load(fakes_path("cuda"));
    f->cupti = fakes_load(fakes_path("cupti"));
    fakes_reset(f->cuda);
    fakes_reset(f->cupti);
    hed_context_def def = fakes_def("cuda");
    def.cuda_home = in_folder("");
    def.allocator = test_allocator_of(&f->allocations);
    OK(hed_context_create(&def, &f->context, &error));
    OK(hed_device_find(f->context, "cuda:0", &f->device, &error));
}

static void counters_close(counter_fakes *f)
{
    hed_context_destroy(f->context);
    EXPECT_EQ(f->allocations.live, 0);
    EXPECT_EQ(fakes_alive(f->cupti), 0, "CUPTI is left running");
    EXPECT_EQ(f->cupti->misuses, 0, "%s was given nonsense", f->cupti->misused);
}

/* Opens, measures in passes, and closes. */
static hed_status counters_measure(const counter_fakes *f, hed_counters *counters, uint32_t *passes)
{
    hed_profiler *profiler;
    bool is_done = false;
    hed_error_clear(&error);
    if (hed_profiler_open(f->device, NULL, &profiler, &error)) return error.status;
    hed_profiler_begin(profiler, &error);
    for (*passes = 0; !is_done && !hed_failed(&error); ++*passes) {
        hed_profiler_start_pass(profiler, &error);
        hed_profiler_stop_pass(profiler, &is_done, &error);
    }
    if (hed_failed(&error)) hed_profiler_abandon(profiler);
    else hed_profiler_end(profiler, counters, &error);
    hed_profiler_close(profiler);
    return error.status;
}

static void expect_values(const hed_counters *c)
{
    EXPECT_NEAR(c->occupancy, 0.61, 1e-12);
    EXPECT_NEAR(c->bytes_read, 8e6, 1e-3);
    EXPECT_NEAR(c->bytes_written, 4e6, 1e-3);
    EXPECT_NEAR(c->cache_hits, 0.12, 1e-12);
    EXPECT_NEAR(c->memory_busy, 0.88, 1e-12);
    EXPECT_NEAR(c->units_busy, 0.09, 1e-12);
    EXPECT_NEAR(c->conflicts, 31.0 / 32, 1e-12);
    EXPECT_NEAR(c->issues, 0.05, 1e-12);
    EXPECT_NEAR(c->waits[HED_WAIT_MEMORY], 0.7, 1e-12, "two reasons are one cause");
    EXPECT_NEAR(c->waits[HED_WAIT_TURN], 0.15, 1e-12);
    EXPECT_NEAR(c->waits[HED_WAIT_RESULT], 0.1, 1e-12);
    double sum = c->issues;
    for (int i = 0; i < HED_WAIT_COUNT; i++) sum += c->waits[i];
    EXPECT_NEAR(sum, 1, 1e-12);
}

/* The chip lacks metrics, which must not be requested: CUPTI would refuse everything afterwards. */
Test(counters, read_in_passes)
{
    counter_fakes f = {0};
    hed_counters counters;
    uint32_t passes;
    counters_open(&f);
    for (int i = 0; i < 2; i++) {
        f.cupti->plain_floats = i; /* names of Blackwell */
        counters = hed_counters_unknown();
        OK(counters_measure(&f, &counters, &passes));
        EXPECT_EQ(passes, 3u);
        expect_values(&counters);
    }
    hed_profiler_close(NULL);
    counters_close(&f);
}

Test(counters, each_call_fails)
{
    static const char *const calls[] = {"cuptiProfilerInitialize", "cuptiDeviceGetChipName",
        "cuptiProfilerGetCounterAvailability", "cuptiProfilerHostInitialize",
        "cuptiProfilerHostGetBaseMetrics", "cuptiProfilerHostConfigAddMetrics", "cuptiProfilerHostGetConfigImageSize",
        "cuptiProfilerHostGetConfigImage", "cuptiRangeProfilerEnable",
        "cuptiRangeProfilerGetCounterDataSize", "cuptiRangeProfilerCounterDataImageInitialize",
        "cuptiRangeProfilerSetConfig", "cuptiRangeProfilerStart", "cuptiRangeProfilerPushRange",
        "cuptiRangeProfilerPopRange", "cuptiRangeProfilerStop", "cuptiRangeProfilerDecodeData",
        "cuptiProfilerHostEvaluateToGpuValues"};
    counter_fakes f = {0};
    hed_counters counters;
    uint32_t passes;
    counters_open(&f);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        f.cupti->fail_name = calls[i];
        f.cupti->code = 999;
        FAILS(HED_ERROR_UNSUPPORTED, counters_measure(&f, &counters, &passes));
        EXPECT(strstr(error.text, calls[i]) && strstr(error.text, "CUPTI_ERROR_UNKNOWN"), "%s",
            error.text);
        EXPECT_EQ(fakes_alive(f.cupti), 0, "after %s", calls[i]);
    }
    f.cuda->fail_name = "cuDriverGetVersion";
    f.cuda->code = 1;
    FAILS(HED_ERROR_DRIVER, counters_measure(&f, &counters, &passes));
    fakes_reset(f.cuda);
    fakes_reset(f.cupti);
    OK(counters_measure(&f, &counters, &passes));
    counters_close(&f);
}

/* Each reason says what mends it. */
Test(counters, reasons_in_words)
{
    static const struct {
        const char *call, *text;
        int code;
    } cases[] = {
        {"cuptiProfilerGetCounterAvailability", "NVreg_RestrictProfilingToAdminUsers=0", 35},
        {"cuptiRangeProfilerStart", "ERR_NVGPUCTRPERM", 35},
        {"cuptiProfilerGetCounterAvailability", "ERR_NVGPUCTRPERM", 40},
        {"cuptiProfilerInitialize", "may be newer than the driver, which is of CUDA 12.4", 15},
        {"cuptiProfilerHostInitialize", "a newer CUDA toolkit is needed", 46},
        {"cuptiRangeProfilerStart", "another profiler", 26},
        {"cuptiRangeProfilerStart", "failed with 77 (no text)", 77},
    };
    counter_fakes f = {0};
    hed_counters counters;
    uint32_t passes;
    counters_open(&f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        f.cupti->fail_name = cases[i].call;
        f.cupti->code = cases[i].code;
        FAILS(HED_ERROR_UNSUPPORTED, counters_measure(&f, &counters, &passes));
        EXPECT(strstr(error.text, cases[i].text), "%s", error.text);
    }
    fakes_reset(f.cupti);
    f.cupti->hangs = true;
    FAILS(HED_ERROR_DRIVER, counters_measure(&f, &counters, &passes));
    EXPECT(strstr(error.text, "not done after 256 passes"), "%s", error.text);
    fakes_reset(f.cupti);
    f.cupti->silent = true;
    FAILS(HED_ERROR_DRIVER, counters_measure(&f, &counters, &passes));
    EXPECT(strstr(error.text, "dropped"), "%s", error.text);
    fakes_reset(f.cupti);
    counters_close(&f);
}

Test(counters, libraries_that_are_none)
{
    counter_fakes f = {0};
    hed_profiler *profiler;
    hed_device *host;
    counters_open(&f);
    OK(hed_device_find(f.context, "host", &host, &error));
    FAILS(HED_ERROR_UNSUPPORTED,
        hed_profiler_open(f.device, "libno-such-library.so", &profiler, &error));
    EXPECT(strstr(error.text, "libno-such-library.so") && strstr(error.text, "CUDA toolkit"), "%s",
        error.text);
    FAILS(
        HED_ERROR_UNSUPPORTED, hed_profiler_open(f.device, fakes_path("nvml"), &profiler, &error));
    EXPECT(strstr(error.text, "CUDA 12.6 or later"), "%s", error.text);
    FAILS(HED_ERROR_UNSUPPORTED, hed_profiler_open(host, NULL, &profiler, &error));
    EXPECT(strstr(error.text, "host has no hardware counters"), "%s", error.text);
    counters_close(&f);
}

/* A toolkit has CUPTI in extras/CUPTI/lib64; a package of it, in lib64. */
Test(counters, folders_of_a_toolkit)
{
    counter_fakes f = {0};
    hed_counters counters = hed_counters_unknown();
    uint32_t passes;
    counters_open(&f);
    CHECK(!mkdir(in_folder("extras"), 0700) && !mkdir(in_folder("extras/CUPTI"), 0700) &&
          !mkdir(in_folder("extras/CUPTI/lib64"), 0700));
    CHECK_EQ(rename(in_folder("lib64/libcupti.so"), in_folder("extras/CUPTI/lib64/libcupti.so")), 0);
    OK(counters_measure(&f, &counters, &passes));
    expect_values(&counters);
    CHECK_EQ(symlink(fakes_path("nvml"), in_folder("lib64/libcupti.so")), 0);
    OK(counters_measure(&f, &counters, &passes));
    counters_close(&f);
}

Test(counters, without_memory)
{
    counter_fakes f = {0};
    hed_counters counters;
    hed_driver_handles native;
    uint32_t passes;
    counters_open(&f);
    OK(hed_device_handles(f.device, &native, &error)); /* opened already */
    for (int64_t n = 1;; n++) {
        int64_t live = f.allocations.live;
        f.allocations.fail_at = f.allocations.calls + n;
        hed_status status = counters_measure(&f, &counters, &passes);
        bool failed = f.allocations.calls >= f.allocations.fail_at;
        f.allocations.fail_at = 0;
        CHECK_EQ(status, failed ? HED_ERROR_MEMORY : HED_OK, "allocation %lld: %s", (long long)n,
            error.text);
        CHECK_EQ(f.allocations.live, live, "allocation %lld leaks", (long long)n);
        if (!failed) {
            CHECK_GT(n, 4);
            break;
        }
    }
    counters_close(&f);
}

/* ---- a whole tuning ---- */

static hed_tune_def tune_def_of(counter_fakes *f)
{
    hed_tune_def def = hed_default_tune_def();
    f->a = 2;
    f->n = CYCLE_N;
    for (int i = 0; i < CYCLE_N; i++) f->in[i] = (float)i;
    f->problem = hed_problem_1d(CYCLE_N);
    f->arguments[0] = (hed_tune_argument){.bytes = CYCLE_BYTES};
    f->arguments[1] = (hed_tune_argument){.data = f->in, .bytes = CYCLE_BYTES};
    f->arguments[2] = (hed_tune_argument){.data = &f->a};
    f->arguments[3] = (hed_tune_argument){.data = &f->n};
    f->arguments[4] = (hed_tune_argument){.data = &cycle_moved};
    def.problem = &f->problem;
    def.arguments = f->arguments;
    def.counters = true;
    def.reference = HED_REFERENCE_NONE;
    def.keep = false;
    def.builders = 1;
    return def;
}

Test(counters, of_a_tuning, .timeout = 120)
{
    static const hed_isolation isolations[] = {HED_ISOLATION_NONE, HED_ISOLATION_WORKER};
    counter_fakes f = {0};
    counters_open(&f);
    hed_tune_def def = tune_def_of(&f);
    hed_tune_result *r;
    for (int i = 0; i < 2; i++) {
        def.isolation = isolations[i];
        OK(hed_tune_kernel(f.device, &cycle_def, &def, &r, &error));
        CHECK(r->has_counters, "%s", r->counters_reason);
        EXPECT_TEXT(r->counters_reason, "");
        expect_values(&r->counters);
        expect_values(&r->default_counters);
        hed_tune_result_free(r);
    }
    /* without permission the tuning has its winner, and the reason; 35: in this process alone */
    def.isolation = HED_ISOLATION_NONE;
    f.cupti->fail_name = "cuptiRangeProfilerStart";
    f.cupti->code = 35;
    OK(hed_tune_kernel(f.device, &cycle_def, &def, &r, &error));
    EXPECT(!r->has_counters && r->best < r->count && isnan(r->counters.occupancy));
    EXPECT(strstr(r->counters_reason, "ERR_NVGPUCTRPERM"), "%s", r->counters_reason);
    hed_tune_result_free(r);
    fakes_reset(f.cupti);
    def.counters = false;
    OK(hed_tune_kernel(f.device, &cycle_def, &def, &r, &error));
    EXPECT(!r->has_counters && isnan(r->counters.occupancy) && !r->counters_reason[0]);
    EXPECT_EQ(f.cupti->calls, 0, "nothing is loaded unless it is requested");
    hed_tune_result_free(r);
    counters_close(&f);
}
