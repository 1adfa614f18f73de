/* The energy that a device has taken, read from its driver's own counter. */
#ifndef HED_TUNE_ENERGY_H
#define HED_TUNE_ENERGY_H

#include "heddle/device.h"

typedef struct hed_energy hed_energy;

/* The counter is brought up to date every 20 to 100 ms, so that a value is worth something only
 * over so long a time: launches are repeated until they have taken this long together, and their
 * joules divided by their number. */
enum { HED_ENERGY_LEAST_MS = 1000 };

/* Opens a device's counter: NVML's, for CUDA devices. `library`: NULL for the driver's own names.
 * Opens the device. Errors: UNSUPPORTED (the text says what is missing), MEMORY, DRIVER. */
hed_status hed_energy_open(
    hed_device *device, const char *library, hed_energy **energy, hed_error *error);
/* Joules since the driver was loaded; only differences mean something. The whole device's, whoever
 * used it. Errors: DRIVER, UNSUPPORTED (a GPU without the counter). */
hed_status hed_energy_read(const hed_energy *energy, double *joules, hed_error *error);
/* NULL is allowed. */
void hed_energy_close(hed_energy *energy);

#endif
