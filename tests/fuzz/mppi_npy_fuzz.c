/* libFuzzer harness for arrays (npy files) of mppi. Whatever a file holds: an error that says
 * something, or finite numbers. Build with -DHEDDLE_FUZZ=ON. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "heddle/mppi_scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static char path[] = "/tmp/heddle-fuzz-XXXXXX";

static void clean_up(void) { remove(path); }

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    int file = mkstemp(path);
    if (file < 0 || close(file) != 0) abort();
    atexit(clean_up);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "w");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
    float *values;
    uint32_t count;
    hed_error error = {0};
    hed_status status = hed_mppi_npy_read(path, &values, &count, &error);
    if ((status != HED_OK) != (values == NULL) || (status != HED_OK && !error.text[0])) abort();
    for (uint32_t i = 0; values && i < count; i++)
        if (!isfinite(values[i])) abort();
    free(values);
    return 0;
}
