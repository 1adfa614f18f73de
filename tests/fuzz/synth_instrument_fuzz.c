/* libFuzzer harness for instrument files: whatever the text, an error that says something, or an
 * instrument that is saved and loaded to the same file again, and whose stability can be told.
 * Build with -DHEDDLE_FUZZ=ON. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/synth_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

enum { LARGEST = 1 << 22 };
static char folder[] = "/tmp/heddle-fuzz-XXXXXX";
static char paths[2][64];

static void clean_up(void)
{
    remove(paths[0]);
    remove(paths[1]);
    rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    if (!mkdtemp(folder)) abort();
    for (int i = 0; i < 2; i++) snprintf(paths[i], sizeof paths[i], "%s/%d.json", folder, i);
    atexit(clean_up);
    return 0;
}

/* Whether a number has three digits before its point, or an exponent: large grids are for the
 * tests. */
static bool has_large_number(const uint8_t *text, size_t length)
{
    size_t digits = 0;
    for (size_t i = 0; i < length; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';
        if (digits > 0 && (text[i] == 'e' || text[i] == 'E')) return true;
        if (!digit) digits = 0;
        else if (digits > 0 || i == 0 || text[i - 1] != '.') digits++;
        if (digits > 2) return true;
    }
    return false;
}

static size_t read_whole(const char *path, char *text)
{
    FILE *file = fopen(path, "r");
    if (!file) abort();
    size_t size = fread(text, 1, LARGEST, file);
    fclose(file);
    return size;
}

static void use(hed_synth_instrument *instrument)
{
    static char first[LARGEST], second[LARGEST];
    hed_error error = {0};
    hed_synth_instrument *loaded;
    hed_synth_stability stability;
    if (hed_synth_instrument_stability(instrument, 48000, &stability, &error) != HED_OK ||
        isnan(stability.worst))
        abort();
    if (hed_synth_instrument_save(instrument, paths[0], &error) != HED_OK) abort();
    if (hed_synth_instrument_read(paths[0], &loaded, &error) != HED_OK) {
        fprintf(stderr, "%s\n", error.text);
        abort();
    }
    if (hed_synth_instrument_save(loaded, paths[1], &error) != HED_OK) abort();
    size_t size = read_whole(paths[0], first);
    if (size != read_whole(paths[1], second) || memcmp(first, second, size) != 0) abort();
    hed_synth_instrument_destroy(loaded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (has_large_number(data, size)) return 0;
    hed_synth_instrument *instrument;
    hed_error error = {0};
    hed_status status =
        hed_synth_instrument_parse((const char *)data, size, "i.json", &instrument, &error);
    if (status != HED_OK && (!error.text[0] || instrument)) abort();
    if (status == HED_OK) use(instrument);
    hed_synth_instrument_destroy(instrument);
    return 0;
}
