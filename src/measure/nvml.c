/* NVML's counter of a GPU's energy (NVML API reference, "Device Queries":
 * nvmlDeviceGetTotalEnergyConsumption, millijoules since the driver was loaded, Volta and later).
 * The library belongs to the driver and is loaded at run time. NVML counts its devices in another
 * order than CUDA does, and knows nothing of CUDA_VISIBLE_DEVICES: the two meet at the address on
 * the PCI bus. */
#include "measure/runners.h"

#include "base/alloc.h"
#include "base/dynlib.h"
#include "base/error.h"
#include "heddle/context.h"

#include <string.h>

typedef struct nvml_device nvml_device; /* nvmlDevice_t */

enum { NVML_ERROR_NOT_SUPPORTED = 3, PCI_ADDRESS_SIZE = 32 };

typedef struct nvml_api {
    int (*init)(void);
    int (*shutdown)(void);
    const char *(*error_text)(int code);
    int (*find)(const char *pci_address, nvml_device **device);
    int (*energy)(nvml_device *device, unsigned long long *millijoules);
} nvml_api;

static const char *const FUNCTIONS[] = {"nvmlInit_v2", "nvmlShutdown", "nvmlErrorString",
    "nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetTotalEnergyConsumption"};
enum { FUNCTION_COUNT = sizeof FUNCTIONS / sizeof FUNCTIONS[0] };

struct hed_energy {
    hed_allocator allocator;
    hed_dynlib *library;
    nvml_api api;
    bool started;
    nvml_device *device;
};

/* ---- address of the device ---- */

static hed_status pci_address(hed_device *device, char address[PCI_ADDRESS_SIZE], hed_error *error)
{
    int (*get_address)(char *text, int size, int cuda_device) = NULL;
    const char *id = hed_device_describe(device).id;
    void *symbol = hed_device_symbol(device, "cuDeviceGetPCIBusId");
    if (!symbol)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s has no counter of energy: only CUDA devices have, by NVML", id);
    memcpy(&get_address, &symbol, sizeof symbol);
    hed_driver_handles native;
    if (hed_device_handles(device, &native, error)) return error->status;
    int code = get_address(address, PCI_ADDRESS_SIZE, (int)(intptr_t)native.device);
    return code ? hed_fail(
                      error, HED_ERROR_DRIVER, "%s: cuDeviceGetPCIBusId failed with %d", id, code)
                : HED_OK;
}

/* ---- the library ---- */

static hed_status nvml_load(hed_energy *energy, const char *library, hed_error *error)
{
    static const char *const USUAL[] = {"libnvidia-ml.so.1", "libnvidia-ml.so", NULL};
    const char *const requested[] = {library, NULL};
    char reason[256];
    const char *missing = NULL;
    void *slots[FUNCTION_COUNT];
    _Static_assert(sizeof energy->api == sizeof slots, "nvml_api holds function pointers only");
    if (hed_dynlib_open(&energy->allocator, library ? requested : USUAL, &energy->library, reason,
            sizeof reason) != HED_OK)
        return HED_OUT_OF_MEMORY(error, "NVML");
    if (!energy->library)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "energy is read through NVML, a part of NVIDIA's driver, which does not load: %s",
            reason);
    if (!hed_dynlib_symbols(energy->library, FUNCTIONS, slots, FUNCTION_COUNT, &missing))
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s lacks %s: a driver of 2018 or later is needed to read energy",
            hed_dynlib_name(energy->library), missing);
    memcpy(&energy->api, slots, sizeof slots);
    return HED_OK;
}

static hed_status fail_call(
    const hed_energy *energy, hed_status status, const char *function, int code, hed_error *error)
{
    const char *text = energy->api.error_text(code);
    return hed_fail(
        error, status, "%s failed with %d (%s)", function, code, text ? text : "no text");
}

/* ---- the counter ---- */

static hed_status open_counter(
    hed_energy *energy, hed_device *device, const char *library, hed_error *error)
{
    char address[PCI_ADDRESS_SIZE] = "";
    double first;
    if (pci_address(device, address, error) || nvml_load(energy, library, error))
        return error->status;
    int code = energy->api.init();
    if (code) return fail_call(energy, HED_ERROR_DRIVER, FUNCTIONS[0], code, error);
    energy->started = true;
    code = energy->api.find(address, &energy->device);
    if (code) return fail_call(energy, HED_ERROR_DRIVER, FUNCTIONS[3], code, error);
    /* older GPUs have no counter: better known now */
    return hed_energy_read(energy, &first, error);
}

hed_status hed_energy_open(
    hed_device *device, const char *library, hed_energy **energy, hed_error *error)
{
    hed_allocator allocator = hed_context_describe(hed_device_context(device)).allocator;
    *energy = NULL;
    if (hed_failed(error)) return error->status;
    hed_energy *instance = hed_allocate(&allocator, sizeof *instance);
    if (!instance) return HED_OUT_OF_MEMORY(error, "a counter of energy");
    instance->allocator = allocator;
    if (open_counter(instance, device, library, error)) hed_energy_close(instance);
    else *energy = instance;
    return error->status;
}

hed_status hed_energy_read(const hed_energy *energy, double *joules, hed_error *error)
{
    unsigned long long millijoules = 0;
    if (hed_failed(error)) return error->status;
    int code = energy->api.energy(energy->device, &millijoules);
    if (code)
        return fail_call(energy,
            code == NVML_ERROR_NOT_SUPPORTED ? HED_ERROR_UNSUPPORTED : HED_ERROR_DRIVER,
            FUNCTIONS[4], code, error);
    *joules = 1e-3 * (double)millijoules;
    return HED_OK;
}

void hed_energy_close(hed_energy *energy)
{
    if (!energy) return;
    if (energy->started) energy->api.shutdown();
    hed_dynlib_close(&energy->allocator, energy->library);
    hed_allocator allocator = energy->allocator;
    hed_release(&allocator, energy, sizeof *energy);
}
