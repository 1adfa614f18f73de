/* The driver library of CUDA or HIP: loading, the current context, and the meaning of error codes. */
#include "backends/cuda/cuda_driver.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

enum { OLDEST_DRIVER = 11020 };

/* Names of the functions for CUDA and for HIP, in the order of hed_cuda_api. NULL: not loaded. */
typedef struct function_name {
    const char *names[2];
    bool required;
} function_name;
#define REQUIRED(member, symbol, hip, parameters) {{symbol, hip}, true},
#define OPTIONAL(member, symbol, hip, parameters) {{symbol, hip}, false},
#define HIP_ONLY(result, name, parameters) {{NULL, #name}, true},
static const function_name functions[] = {
    HED_CUDA_REQUIRED(REQUIRED) HED_CUDA_OPTIONAL(OPTIONAL) HED_HIP_ONLY(HIP_ONLY)};
enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

static const char driver_remedy[] =
    "apt install nvidia-driver (Debian, component non-free), dnf install akmod-nvidia xorg-x11-drv-nvidia-cuda (Fedora, RPM "
    "Fusion), then restart the machine";
static const char nvrtc_remedy[] =
    "apt install nvidia-cuda-toolkit (Debian, component non-free), or the package cuda-nvrtc of NVIDIA's repository for Debian or "
    "Fedora, or set HEDDLE_NVRTC_LIBRARY to the path of libnvrtc.so";
static const char hip_remedy[] =
    "apt install libamdhip64-5 (Debian), dnf install rocm-hip (Fedora), or AMD's package hip-runtime-amd; the user must be in "
    "the groups render and video; HEDDLE_HIP_LIBRARY names a library in another folder";
static const char hiprtc_remedy[] =
    "apt install libhiprtc-builtins5 (Debian), dnf install rocm-hip (Fedora), or AMD's package hip-runtime-amd";

/* ---- errors ---- */

/* Error codes with a status of their own. After a code that means LOST, every later call in the
 * context fails with the same code. */
static const struct {
    CUresult result;
    hed_status status;
    const char *meaning;
} code_meanings[] = {
    {CUDA_ERROR_OUT_OF_MEMORY, HED_ERROR_DEVICE_MEMORY, "device memory ran out"},
    {CUDA_ERROR_NO_DEVICE, HED_ERROR_NO_DEVICE,
        "no device is there, or CUDA_VISIBLE_DEVICES hides it"},
    {CUDA_ERROR_NOT_READY, HED_ERROR_NOT_READY, "the work is not done yet"},
    {CUDA_ERROR_NOT_SUPPORTED, HED_ERROR_UNSUPPORTED, "this device or driver cannot do it"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, HED_ERROR_LIMIT,
        "the group needs more registers or local memory than there are: take a smaller group"},
    {CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, HED_ERROR_LIMIT,
        "not all groups fit on the device at once: ask hed_kernel_resident_groups()"},
    {CUDA_ERROR_INVALID_CLUSTER_SIZE, HED_ERROR_LIMIT, "no cluster of this size fits"},
    {CUDA_ERROR_ECC_UNCORRECTABLE, HED_ERROR_LOST, "a memory error that could not be corrected"},
    {CUDA_ERROR_NVLINK_UNCORRECTABLE, HED_ERROR_LOST,
        "an NVLink error that could not be corrected"},
    {CUDA_ERROR_CONTAINED, HED_ERROR_LOST,
        "a hardware error that ended this process' work on the device"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, HED_ERROR_LOST, "a kernel read or wrote outside its memory"},
    {CUDA_ERROR_LAUNCH_TIMEOUT, HED_ERROR_LOST,
        "a kernel ran longer than the display's watchdog allows"},
    {CUDA_ERROR_CONTEXT_IS_DESTROYED, HED_ERROR_LOST, "the driver's context was destroyed"},
    {CUDA_ERROR_ASSERT, HED_ERROR_LOST, "an assert failed in a kernel"},
    {CUDA_ERROR_HARDWARE_STACK_ERROR, HED_ERROR_LOST, "a kernel's stack was damaged or too large"},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, HED_ERROR_LOST, "a kernel met an illegal instruction"},
    {CUDA_ERROR_MISALIGNED_ADDRESS, HED_ERROR_LOST,
        "a kernel used an address that is not a multiple of its type's size"},
    {CUDA_ERROR_INVALID_ADDRESS_SPACE, HED_ERROR_LOST,
        "a kernel used an address of the wrong kind of memory"},
    {CUDA_ERROR_INVALID_PC, HED_ERROR_LOST, "a kernel jumped outside its code"},
    {CUDA_ERROR_LAUNCH_FAILED, HED_ERROR_LOST, "a kernel failed; compute-sanitizer may tell where"},
};

hed_status hed_cuda_fail(
    const hed_cuda_api *api, CUresult result, const char *call, hed_error *error)
{
    const char *name = NULL, *text = NULL;
    if (hed_cuda_api_is_hip(api)) {
        call = hed_hip_name(call);
        name = api->hipGetErrorName(result);
        text = api->hipGetErrorString(result);
    } else {
        if (api->cuGetErrorName(result, &name)) name = NULL;
        if (api->cuGetErrorString(result, &text)) text = NULL;
    }
    if (!name) name = "unknown error";
    if (!text) text = "the driver gives no text";
    for (size_t i = 0; i < sizeof code_meanings / sizeof code_meanings[0]; i++) {
        if (code_meanings[i].result != result) continue;
        const char *after = code_meanings[i].status == HED_ERROR_LOST
                                ? "; this process cannot use the device again: restart the program"
                                : "";
        return hed_fail(error, code_meanings[i].status, "%s: %s (%d): %s%s", call, name, result,
            code_meanings[i].meaning, after);
    }
    return hed_fail(error, HED_ERROR_DRIVER, "%s: %s (%d): %s", call, name, result, text);
}

/* ---- the current context ---- */

hed_status hed_cuda_enter(const hed_device *device, CUcontext *previous, hed_error *error)
{
    const hed_cuda_api *api = hed_cuda_api_of(device);
    CUcontext context = hed_cuda_context_of(device), current = NULL;
    *previous = NULL;
    CUresult result = api->cuCtxGetCurrent(&current);
    if (!result && current == context) return HED_OK;
    if (result) return hed_cuda_fail(api, result, "cuCtxGetCurrent", error);
    *previous = current;
    return hed_cuda_check(device, api->cuCtxSetCurrent(context), "cuCtxSetCurrent", error);
}

void hed_cuda_restore(const hed_device *device, CUcontext previous)
{
    if (previous) hed_cuda_api_of(device)->cuCtxSetCurrent(previous);
}

/* ---- memory of other devices ---- */

static void cuda_open_peer(const hed_device *reader, const hed_device *owner)
{
    const hed_cuda_api *api = hed_cuda_api_of(reader);
    hed_cuda_device *to = reader->impl;
    const hed_cuda_device *from = owner->impl;
    const uint64_t bit = 1ull << (from->device % 64);
    CUcontext previous;
    int is_reachable = 0;
    if (atomic_load(&to->peers) & bit || atomic_fetch_or(&to->peers, bit) & bit) return;
    if (api->cuDeviceCanAccessPeer(&is_reachable, to->device, from->device) || !is_reachable)
        return;
    if (hed_cuda_enter(reader, &previous, NULL)) return;
    api->cuCtxEnablePeerAccess(from->context, 0); /* may be enabled already */
    hed_cuda_restore(reader, previous);
}

void hed_cuda_open_peers(const hed_device *a, const hed_device *b)
{
    const hed_cuda_api *api = hed_cuda_api_of(a);
    if (!api->cuDeviceCanAccessPeer || !api->cuCtxEnablePeerAccess) return;
    cuda_open_peer(a, b);
    cuda_open_peer(b, a);
}

/* ---- loading ---- */

static void cuda_set_health(
    hed_backend_slot *slot, hed_backend_state health, const char *reason, const char *remedy)
{
    slot->health = health;
    hed_text_copy(slot->reason, sizeof slot->reason, reason);
    hed_text_copy(slot->remedy, sizeof slot->remedy, remedy);
}

static bool cuda_load_functions(hed_cuda *cuda, hed_backend_slot *slot)
{
    void *slots[FUNCTION_COUNT];
    char reason[256];
    _Static_assert(sizeof cuda->api == sizeof slots, "hed_cuda_api holds function pointers only");
    for (size_t i = 0; i < FUNCTION_COUNT; i++) {
        const char *name = functions[i].names[cuda->hip];
        slots[i] = name ? hed_dynlib_symbol(cuda->library, name) : NULL;
        if (slots[i] || !name || !functions[i].required) continue;
        snprintf(reason, sizeof reason, "%s lacks %s: %s is needed", hed_dynlib_name(cuda->library),
            name, cuda->hip ? "HIP of ROCm 5.2 or later" : "a driver for CUDA 11.2 (460) or later");
        cuda_set_health(slot, HED_BACKEND_FAILED, reason, cuda->hip ? hip_remedy : driver_remedy);
        return false;
    }
    memcpy(&cuda->api, slots, sizeof slots);
    return true;
}

static bool cuda_start(hed_cuda *cuda, hed_backend_slot *slot)
{
    char reason[sizeof slot->reason];
    hed_error error = {0};
    int count = 0;
    const char *call = "cuInit";
    CUresult result = cuda->api.cuInit(0);
    if (!result) result = cuda->api.cuDriverGetVersion(&cuda->version), call = "cuDriverGetVersion";
    if (!result) result = cuda->api.cuDeviceGetCount(&count), call = "cuDeviceGetCount";
    if (result || count < 1) {
        hed_cuda_fail(&cuda->api, result ? result : CUDA_ERROR_NO_DEVICE, call, &error);
        snprintf(reason, sizeof reason, "%s is there and does not work: %.400s",
            hed_dynlib_name(cuda->library), error.text);
        cuda_set_health(slot, HED_BACKEND_FAILED, reason,
            cuda->hip ? "see whether rocminfo lists the device; the user must be in the groups render "
                        "and video"
                      : "see whether nvidia-smi lists the device; else "
                        "apt install nvidia-driver and restart");
        return false;
    }
    cuda->count = (uint32_t)count;
    if (cuda->hip) {
        snprintf(cuda->driver, sizeof cuda->driver, "HIP %d", cuda->version);
        return true;
    }
    if (cuda->version < OLDEST_DRIVER) {
        snprintf(reason, sizeof reason,
            "the driver is for CUDA %d.%d: 11.2 (460) or later is needed", cuda->version / 1000,
            cuda->version % 1000 / 10);
        cuda_set_health(slot, HED_BACKEND_FAILED, reason, driver_remedy);
        return false;
    }
    /* The kernel module's version; the driver library itself reports the CUDA version only. */
    char line[256] = "", module[32] = "", *rest = NULL;
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    if (file) {
        if (!fgets(line, sizeof line, file)) line[0] = 0;
        fclose(file);
    }
    for (char *word = strtok_r(line, " \t\n", &rest); word; word = strtok_r(NULL, " \t\n", &rest)) {
        if (!isdigit((unsigned char)word[0]) || !strchr(word, '.')) continue;
        hed_text_copy(module, sizeof module, word);
        break;
    }
    snprintf(cuda->driver, sizeof cuda->driver, "%s%sCUDA %d.%d", module, module[0] ? ", " : "",
        cuda->version / 1000, cuda->version % 1000 / 10);
    return true;
}

static hed_status cuda_load_compiler(
    const hed_settings *settings, hed_cuda *cuda, hed_backend_slot *slot)
{
    const hed_allocator *allocator = &settings->allocator;
    char loader[256], reason[sizeof slot->reason];
    hed_status status = cuda->hip ? hed_hiprtc_open(allocator, hed_dynlib_name(cuda->library),
                                        &cuda->nvrtc, loader, sizeof loader)
                                  : hed_nvrtc_open(allocator, settings->nvrtc_library,
                                        cuda->version, &cuda->nvrtc, loader, sizeof loader);
    if (status) return status;
    if (cuda->nvrtc && !cuda->hip) hed_nvrtc_find_headers(cuda->nvrtc, settings->cuda_home);
    int version = cuda->nvrtc ? hed_nvrtc_version(cuda->nvrtc) : 0;
    if (cuda->nvrtc) {
        snprintf(slot->library, sizeof slot->library, "%s (%s), %s (%d.%d)",
            hed_dynlib_name(cuda->library), cuda->driver, hed_nvrtc_name(cuda->nvrtc),
            version / 1000, version % 1000 / 10);
        return HED_OK;
    }
    snprintf(slot->library, sizeof slot->library, "%s (%s)", hed_dynlib_name(cuda->library),
        cuda->driver);
    snprintf(reason, sizeof reason, "%s: %s",
        cuda->hip ? "no hipRTC, so no kernel can be compiled"
                  : "no NVRTC, so only kernels compiled ahead run, in their default configurations",
        loader);
    cuda_set_health(slot, HED_BACKEND_LIMITED, reason, cuda->hip ? hiprtc_remedy : nvrtc_remedy);
    return HED_OK;
}

static void cuda_release(const hed_settings *settings, hed_cuda *cuda)
{
    hed_nvrtc_close(cuda->nvrtc);
    hed_dynlib_close(&settings->allocator, cuda->library);
    hed_release(&settings->allocator, cuda, sizeof *cuda);
}

/* `library`: NULL: the usual names. */
static hed_status cuda_open_driver(const hed_settings *settings, const char *library,
    const char *const *usual, bool hip, hed_backend_slot *slot)
{
    const char *const names[] = {library, NULL};
    char reason[sizeof slot->reason];
    hed_cuda *cuda = hed_allocate(&settings->allocator, sizeof *cuda);
    if (!cuda) return HED_ERROR_MEMORY;
    cuda->hip = hip;
    hed_status status = hed_dynlib_open(
        &settings->allocator, library ? names : usual, &cuda->library, reason, sizeof reason);
    if (!cuda->library)
        cuda_set_health(slot, HED_BACKEND_ABSENT, reason, hip ? hip_remedy : driver_remedy);
    if (!cuda->library || !cuda_load_functions(cuda, slot) || !cuda_start(cuda, slot)) {
        cuda_release(settings, cuda);
        return status;
    }
    status = cuda_load_compiler(settings, cuda, slot);
    if (status) cuda_release(settings, cuda);
    else slot->state = cuda;
    return status;
}

hed_status hed_cuda_open_compiler(
    const hed_settings *settings, int version, hed_backend_slot *slot, hed_error *error)
{
    char reason[sizeof slot->reason];
    hed_cuda *cuda = hed_allocate(&settings->allocator, sizeof *cuda);
    if (!cuda) return HED_OUT_OF_MEMORY(error, "a compiler");
    cuda->version = version;
    hed_status status = hed_nvrtc_open(&settings->allocator, settings->nvrtc_library, version,
        &cuda->nvrtc, reason, sizeof reason);
    if (status) HED_OUT_OF_MEMORY(error, "NVRTC");
    else if (!cuda->nvrtc) hed_fail(error, HED_ERROR_UNSUPPORTED, "no NVRTC: %s", reason);
    if (hed_failed(error)) {
        cuda_release(settings, cuda);
        return error->status;
    }
    hed_nvrtc_find_headers(cuda->nvrtc, settings->cuda_home);
    slot->state = cuda;
    return HED_OK;
}

hed_status hed_cuda_open(const hed_settings *settings, hed_backend_slot *slot)
{
    static const char *const usual[] = {"libcuda.so.1", "libcuda.so", NULL};
    slot->health = HED_BACKEND_WORKS;
    if (!settings->cuda_library || settings->cuda_library[0])
        return cuda_open_driver(settings, settings->cuda_library, usual, false, slot);
    cuda_set_health(slot, HED_BACKEND_ABSENT, "not wanted: its library is set to \"\"",
        "unset HEDDLE_CUDA_LIBRARY");
    return HED_OK;
}

/* AMD's libraries load LLVM, which takes a twentieth of a second, so they are loaded only where the
 * kernel driver has a device. */
hed_status hed_hip_open(const hed_settings *settings, hed_backend_slot *slot)
{
    static const char *const usual[] = {
        "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so", NULL};
    slot->health = HED_BACKEND_WORKS;
    if (settings->hip_library && !settings->hip_library[0])
        cuda_set_health(slot, HED_BACKEND_ABSENT, "not wanted: its library is set to \"\"",
            "unset HEDDLE_HIP_LIBRARY");
    else if (!settings->hip_library && access("/dev/kfd", F_OK) != 0)
        cuda_set_health(slot, HED_BACKEND_ABSENT,
            "no /dev/kfd: the kernel driver amdgpu has no device for computing", hip_remedy);
    else return cuda_open_driver(settings, settings->hip_library, usual, true, slot);
    return HED_OK;
}

void hed_cuda_close(const hed_settings *settings, hed_backend_slot *slot)
{
    if (slot->state) cuda_release(settings, slot->state);
    slot->state = NULL;
}
