/* libFuzzer harness for source maps of sheets: the first bytes are cuts of a sheet, the rest is its
 * map, in a comment of the sheet, so that nothing is read from the disk. Whatever the bytes, the
 * comment that comes out is one, or there is none. Build with -DHEDDLE_FUZZ=ON. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/css/source_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) abort();
}

enum { CUTS = 4, HEAD = 2 * CUTS };

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char rules[] =
        "a{b:c}\n\303\244{}.x,.y{d:\360\237\230\200}p{}\n\n@media x{q{}}i{}\n";
    if (size < HEAD) return 0;
    char *text = malloc(sizeof rules + 80 + 2 * size);
    must(text != NULL);
    size_t length =
        (size_t)sprintf(text, "%s/*# sourceMappingURL=data:application/json;base64,", rules);
    for (size_t i = HEAD; i < size; i += 3) {
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; k++) bits = bits << 8 | (i + k < size ? data[i + k] : 0);
        for (size_t k = 0; k < 4; k++) text[length++] = digits[bits >> (18 - 6 * k) & 63];
    }
    length += (size_t)sprintf(text + length, " */");
    css_cut cuts[CUTS];
    uint32_t count = 0;
    size_t at = 0;
    for (int i = 0; i < CUTS; i++) {
        size_t begin = at + data[2 * i] % 16, end = begin + data[2 * i + 1] % 16;
        if (end >= sizeof rules) break;
        cuts[count++] = (css_cut){begin, end, 'r', 0, data[2 * i] > 200 ? ";" : NULL};
        at = end;
    }
    const css_file file = {.name = "/fuzz.css", .text = text, .length = length};
    css_map_address address;
    hed_error error = {0};
    must(css_map_find(text, length, &address));
    must(address.begin < address.url && address.url <= address.url_end && address.end == length);
    char *comment = css_map_write(&file, &address, cuts, count, "/fuzz.css", &error);
    must(!comment || (strncmp(comment, "/*# ", 4) == 0 && strstr(comment, " */")));
    must(error.status == HED_OK);
    free(comment);
    free(text);
    return 0;
}
