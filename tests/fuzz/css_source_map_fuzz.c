/* libFuzzer harness for source maps of sheets: the first bytes are cuts of a sheet, the rest is its
 * map. Whatever the bytes, the result is a map, or an error with a message. Build with
 * -DHEDDLE_FUZZ=ON. */
#include "engines/css/unused/source_map.h"
#include "fuzz.h"

enum { CUTS = 4, HEAD = 2 * CUTS };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char rules[] =
        "a{b:c}\n\303\244{}.x,.y{d:\360\237\230\200}p{}\n\n@media x{q{}}i{}\n";
    if (size < HEAD) return 0;
    css_cut cuts[CUTS];
    uint32_t count = 0;
    size_t at = 0;
    for (int i = 0; i < CUTS; i++) {
        size_t begin = at + data[2 * i] % 16, end = begin + data[2 * i + 1] % 16;
        if (end >= sizeof rules) break;
        cuts[count++] = (css_cut){begin, end, 'r', 0, data[2 * i] > 200 ? ";" : NULL};
        at = end;
    }
    const css_file file = {.name = "/fuzz.css", .text = rules, .length = sizeof rules - 1};
    const css_reduction reduction = {.cuts = cuts, .cut_count = count};
    char *map = fuzz_copy(data + HEAD, size - HEAD);
    hed_arena arena = {.allocator = hed_default_allocator(), .owner = "the fuzzer"};
    for (int own = 0; own < 2; own++) {
        hed_error error = {0};
        size_t length = 0;
        hed_css_map_def def = {
            .map = own ? NULL : map, .map_length = size - HEAD, .file = "b.css", .root = "../"};
        const char *text = css_map_reduce(&arena, &file, &reduction, &def, &length, &error);
        must(text ? text[0] == '{' && text[length - 1] == '}' : error.status && error.text[0]);
        must(text || !own);
    }
    hed_arena_free(&arena);
    free(map);
    return 0;
}
