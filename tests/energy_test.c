/* The counter of energy, with fakes of CUDA and NVML, and the message of a device without a counter; the
 * context that holds the clock of a GPU that Vulkan measures. */
#include "core/backend.h"
#include "measure/runners.h"

#include "fakes.h"

static hed_error error;

typedef struct energy_fakes {
    hed_context *context;
    fake_control *cuda, *nvml;
    test_allocator allocations;
} energy_fakes;

static void open_fakes(energy_fakes *f)
{
    hed_context_def def = fakes_def("cuda");
    def.allocator = test_allocator_of(&f->allocations);
    f->cuda = fakes_load(fakes_path("cuda"));
    f->nvml = fakes_load(fakes_path("nvml"));
    fakes_reset(f->cuda);
    fakes_reset(f->nvml);
    OK(hed_context_create(&def, &f->context, &error));
}

static hed_device *device_of(const energy_fakes *f, const char *id)
{
    hed_device *device;
    OK(hed_device_find(f->context, id, &device, &error));
    return device;
}

static void close_fakes(energy_fakes *f)
{
    hed_context_destroy(f->context);
    EXPECT_EQ(f->allocations.live, 0);
    EXPECT_EQ(f->nvml->live[FAKE_CONTEXT], 0, "NVML is left running");
    EXPECT_EQ(f->nvml->misuses, 0, "%s was given nonsense", f->nvml->misused);
}

/* NVML's order of devices is not CUDA's: each must be found by its address. */
Test(energy, counts_the_device_asked_for)
{
    static const char *const ids[] = {"cuda:0", "cuda:1"};
    energy_fakes f = {0};
    open_fakes(&f);
    for (int i = 0; i < 2; i++) {
        hed_energy *energy;
        double before, after;
        OK(hed_energy_open(device_of(&f, ids[i]), fakes_path("nvml"), &energy, &error));
        OK(hed_energy_read(energy, &before, &error));
        OK(hed_energy_read(energy, &after, &error));
        EXPECT_NEAR(after - before, 0.25, 1e-9, "%g J more", after - before);
        EXPECT(before > 1000.0 * (i + 1) && before < 1000.0 * (i + 1) + 10.0, "%s has taken %g J",
            ids[i], before);
        hed_energy_close(energy);
    }
    hed_energy_close(NULL);
    close_fakes(&f);
}

/* Every call of NVML fails once: the error names it, and nothing is left. */
Test(energy, each_call_fails)
{
    static const char *const calls[] = {
        "nvmlInit_v2", "nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetTotalEnergyConsumption"};
    energy_fakes f = {0};
    open_fakes(&f);
    hed_device *device = device_of(&f, "cuda:0");
    hed_energy *energy;
    for (int i = 0; i < 3; i++) {
        f.nvml->fail_name = calls[i];
        f.nvml->code = 999;
        FAILS(HED_ERROR_DRIVER, hed_energy_open(device, fakes_path("nvml"), &energy, &error));
        EXPECT(strstr(error.text, calls[i]) && strstr(error.text, "999"), "%s", error.text);
    }
    f.nvml->code = 3; /* a GPU without the counter */
    FAILS(HED_ERROR_UNSUPPORTED, hed_energy_open(device, fakes_path("nvml"), &energy, &error));
    EXPECT(strstr(error.text, "Not Supported"), "%s", error.text);
    fakes_reset(f.nvml);
    f.cuda->fail_name = "cuDeviceGetPCIBusId";
    f.cuda->code = 1;
    FAILS(HED_ERROR_DRIVER, hed_energy_open(device, fakes_path("nvml"), &energy, &error));
    fakes_reset(f.cuda);
    OK(hed_energy_open(device, fakes_path("nvml"), &energy, &error));
    f.nvml->fail_name = calls[2];
    f.nvml->code = 15; /* the GPU is lost */
    double joules;
    FAILS(HED_ERROR_DRIVER, hed_energy_read(energy, &joules, &error));
    hed_energy_close(energy);
    close_fakes(&f);
}

Test(energy, libraries_that_are_none)
{
    energy_fakes f = {0};
    open_fakes(&f);
    hed_device *device = device_of(&f, "cuda:0");
    hed_energy *energy;
    FAILS(HED_ERROR_UNSUPPORTED, hed_energy_open(device, "libno-such-library.so", &energy, &error));
    EXPECT(strstr(error.text, "libno-such-library.so"), "%s", error.text);
    FAILS(HED_ERROR_UNSUPPORTED, hed_energy_open(device, fakes_path("nvrtc"), &energy, &error));
    EXPECT(strstr(error.text, "nvmlInit_v2"), "%s", error.text);
    FAILS(HED_ERROR_UNSUPPORTED, hed_energy_open(device_of(&f, "host"), NULL, &energy, &error));
    EXPECT(strstr(error.text, "host has no counter"), "%s", error.text);
    close_fakes(&f);
}

Test(energy, without_memory)
{
    energy_fakes f = {0};
    open_fakes(&f);
    hed_device *device = device_of(&f, "cuda:0");
    hed_driver_handles native;
    /* opened already: only what the counter takes is to fail */
    OK(hed_device_handles(device, &native, &error));
    for (int64_t n = 1;; n++) {
        hed_energy *energy = NULL;
        int64_t live = f.allocations.live;
        f.allocations.fail_at = f.allocations.calls + n;
        hed_error_clear(&error);
        hed_status status = hed_energy_open(device, fakes_path("nvml"), &energy, &error);
        bool failed = f.allocations.calls >= f.allocations.fail_at;
        f.allocations.fail_at = 0;
        CHECK_EQ(status, failed ? HED_ERROR_MEMORY : HED_OK, "allocation %lld: %s", (long long)n,
            hed_status_name(status));
        hed_energy_close(energy);
        CHECK_EQ(f.allocations.live, live, "allocation %lld leaks", (long long)n);
        if (!failed) {
            CHECK_GT(n, 1);
            break;
        }
    }
    close_fakes(&f);
}

/* Live contexts of the fake while a device's clock is held, beyond those before. */
static int64_t held_contexts(energy_fakes *f, const hed_device *device)
{
    const int64_t before = f->cuda->live[FAKE_CONTEXT];
    hed_clock_hold *instance = hed_clock_hold_open(device, fakes_path("cuda"));
    const int64_t held = f->cuda->live[FAKE_CONTEXT] - before;
    EXPECT_EQ(instance != NULL, held > 0);
    hed_clock_hold_close(instance);
    EXPECT_EQ(f->cuda->live[FAKE_CONTEXT], before);
    return held;
}

/* The GPU of a shader's driver is CUDA's with its identity, or with its name where the driver tells none. */
Test(energy, holds_the_clock_of_shaders_gpus)
{
    energy_fakes f = {0};
    open_fakes(&f);
    hed_device shader = *device_of(&f, "cuda:1");
    EXPECT_EQ(held_contexts(&f, &shader), 0, "CUDA holds its own");
    shader.info.backend = "vulkan";
    shader.info.vendor = "NVIDIA";
    memset(shader.uuid, 0x11, sizeof shader.uuid);
    EXPECT_EQ(held_contexts(&f, &shader), 1);
    memset(shader.uuid, 0x77, sizeof shader.uuid);
    EXPECT_EQ(held_contexts(&f, &shader), 0, "another GPU");
    shader.info.backend = "gl";
    shader.info.vendor = "NVIDIA Corporation";
    shader.info.name = "Fake GPU 1/PCIe/SSE2";
    memset(shader.uuid, 0, sizeof shader.uuid);
    EXPECT_EQ(held_contexts(&f, &shader), 1);
    shader.info.name = "Fake GPU 0, Fake GPU 1"; /* cards of one name: the driver does not tell which */
    EXPECT_EQ(held_contexts(&f, &shader), 2);
    shader.info.vendor = "Mesa";
    EXPECT_EQ(held_contexts(&f, &shader), 0);
    EXPECT(!hed_clock_hold_open(&shader, "libabsent.so"));
    hed_clock_hold_close(NULL);
    close_fakes(&f);
}
