/* An NVML with the two GPUs of the fake CUDA driver, counted the other way round, as NVML may. Each
 * reading of a GPU's counter finds a quarter of a joule more; it starts at 1000 J for the GPU at
 * 0A:00.0 and at 2000 J for the one at 1A:00.0. */
#include "fake.h"

#include <string.h>

enum {
    NVML_SUCCESS = 0,
    NVML_ERROR_UNINITIALIZED = 1,
    NVML_ERROR_INVALID_ARGUMENT = 2,
    NVML_ERROR_NOT_FOUND = 6,
    GPUS = 2
};

typedef struct nvmlDevice_st {
    const char *address;
    unsigned long long millijoules;
} * nvmlDevice_t;

static struct nvmlDevice_st gpus[GPUS] = {{"0000:1A:00.0", 2000000}, {"0000:0A:00.0", 1000000}};

#define ENTER(function) \
    do { \
        int enter_code = fake_enter(#function); \
        if (enter_code) return enter_code; \
        if (!fake_state.live[FAKE_CONTEXT]) { \
            fake_misuse(#function); \
            return NVML_ERROR_UNINITIALIZED; \
        } \
    } while (0)

FAKE_EXPORT int nvmlInit_v2(void);
FAKE_EXPORT int nvmlShutdown(void);
FAKE_EXPORT const char *nvmlErrorString(int code);
FAKE_EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *address, nvmlDevice_t *device);
FAKE_EXPORT int nvmlDeviceGetTotalEnergyConsumption(
    nvmlDevice_t device, unsigned long long *millijoules);

int nvmlInit_v2(void)
{
    int code = fake_enter("nvmlInit_v2");
    if (code == 0) fake_state.live[FAKE_CONTEXT]++; /* users, as NVML counts them */
    return code;
}

int nvmlShutdown(void)
{
    ENTER(nvmlShutdown);
    fake_state.live[FAKE_CONTEXT]--;
    return NVML_SUCCESS;
}

/* Works whatever else fails, and does not know every code. */
const char *nvmlErrorString(int code) { return code == 3 ? "Not Supported" : NULL; }

int nvmlDeviceGetHandleByPciBusId_v2(const char *address, nvmlDevice_t *device)
{
    ENTER(nvmlDeviceGetHandleByPciBusId_v2);
    for (int i = 0; i < GPUS; i++)
        if (strcmp(gpus[i].address, address) == 0) {
            *device = &gpus[i];
            return NVML_SUCCESS;
        }
    return NVML_ERROR_NOT_FOUND;
}

int nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long *millijoules)
{
    ENTER(nvmlDeviceGetTotalEnergyConsumption);
    if (device < gpus || device >= gpus + GPUS) {
        fake_misuse("nvmlDeviceGetTotalEnergyConsumption");
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *millijoules = device->millijoules += 250;
    return NVML_SUCCESS;
}
