/* What harnesses share: the function that libFuzzer calls, a check that ends the process, and a
 * folder for files, which is the harness's alone. */
#ifndef HED_FUZZ_FUZZ_H
#define HED_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process, and libFuzzer keeps the input, where the condition does not hold. */
#define must(condition) ((condition) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #condition))

static inline void fuzz_fail(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: failed: %s\n", file, line, condition);
    abort();
}

static char fuzz_folder_made[64];

static inline void fuzz_folder_remove(void) { rmdir(fuzz_folder_made); }

/* A new folder, which goes with the process where it is empty then. */
static inline const char *fuzz_folder(void)
{
    if (!fuzz_folder_made[0]) {
        strcpy(fuzz_folder_made, "/tmp/heddle-fuzz-XXXXXX");
        must(mkdtemp(fuzz_folder_made) != NULL);
        atexit(fuzz_folder_remove);
    }
    return fuzz_folder_made;
}

/* A copy of exactly these bytes and a zero, so that a sanitizer sees a read behind them. */
static inline char *fuzz_copy(const void *bytes, size_t size)
{
    char *copy = malloc(size + 1);
    must(copy != NULL);
    if (size) memcpy(copy, bytes, size);
    copy[size] = 0;
    return copy;
}

static inline void fuzz_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "w");
    must(file && fwrite(bytes, 1, size, file) == size);
    must(fclose(file) == 0);
}

#endif
