/* Clock of an NVIDIA GPU that Vulkan or OpenGL measures. Such a GPU lowers its clock whenever
 * nothing runs, and while candidates are compiled nothing does: on an H200 a launch of 0.28 ms then
 * takes 0.79. A CUDA context holds the clock where its own launches would have it, without any
 * work. The driver is loaded at run time (CUDA Driver API: "Primary Context Management"). */
#include "measure/runners.h"

#include "base/alloc.h"
#include "base/dynlib.h"
#include "base/text.h"
#include "core/backend.h"
#include "heddle/context.h"

#include <string.h>

typedef struct cuda_api {
    int (*init)(unsigned flags);
    int (*count)(int *count);
    int (*name)(char *text, int size, int device);
    int (*uuid)(char uuid[16], int device);
    int (*retain)(void **context, int device);
    int (*release)(int device);
} cuda_api;

static const char *const clock_functions[] = {"cuInit", "cuDeviceGetCount", "cuDeviceGetName",
    "cuDeviceGetUuid", "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2"};
enum { FUNCTION_COUNT = sizeof clock_functions / sizeof clock_functions[0], MOST_HELD = 16 };

struct hed_clock_hold {
    hed_allocator allocator;
    hed_dynlib *library;
    cuda_api api;
    int devices[MOST_HELD]; /* (held) CUdevice, which is its number */
    int held;
};

/* True if CUDA's device is the given one, by its identity if the driver tells it, else by its name,
 * which all cards of one kind have. */
static bool is_gpu_of(const cuda_api *api, int number, const hed_device *device)
{
    static const uint8_t unknown[sizeof device->uuid];
    char uuid[sizeof device->uuid], name[256] = "";
    if (memcmp(device->uuid, unknown, sizeof unknown) != 0)
        return !api->uuid(uuid, number) && !memcmp(uuid, device->uuid, sizeof uuid);
    return !api->name(name, sizeof name, number) && name[0] &&
           hed_text_contains(device->info.name, name);
}

static void retain_contexts(hed_clock_hold *instance, const hed_device *device)
{
    const cuda_api *api = &instance->api;
    int count = 0;
    void *context;
    if (api->init(0) || api->count(&count)) return;
    for (int i = 0; i < count && instance->held < MOST_HELD; i++)
        if (is_gpu_of(api, i, device) && !api->retain(&context, i))
            instance->devices[instance->held++] = i;
}

hed_clock_hold *hed_clock_hold_open(const hed_device *device, const char *library)
{
    static const char *const USUAL[] = {"libcuda.so.1", "libcuda.so", NULL};
    const char *const requested[] = {library, NULL};
    const hed_device_info *info = &device->info;
    hed_allocator allocator = device->settings->allocator;
    const char *missing;
    char reason[256];
    void *slots[FUNCTION_COUNT];
    bool is_shader = !strcmp(info->backend, "vulkan") || !strcmp(info->backend, "gl");
    if (!is_shader || !hed_text_contains(info->vendor, "NVIDIA")) return NULL;
    hed_clock_hold *instance = hed_allocate(&allocator, sizeof *instance);
    if (!instance) return NULL;
    instance->allocator = allocator;
    hed_dynlib_open(
        &allocator, library ? requested : USUAL, &instance->library, reason, sizeof reason);
    if (instance->library &&
        hed_dynlib_symbols(instance->library, clock_functions, slots, FUNCTION_COUNT, &missing)) {
        memcpy(&instance->api, slots, sizeof slots);
        retain_contexts(instance, device);
    }
    if (instance->held) return instance;
    hed_clock_hold_close(instance);
    return NULL;
}

void hed_clock_hold_close(hed_clock_hold *instance)
{
    if (!instance) return;
    while (instance->held) instance->api.release(instance->devices[--instance->held]);
    hed_dynlib_close(&instance->allocator, instance->library);
    hed_allocator allocator = instance->allocator;
    hed_release(&allocator, instance, sizeof *instance);
}
