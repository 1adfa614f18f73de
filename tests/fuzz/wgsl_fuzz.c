/* libFuzzer harness for the readers of WGSL: any text is read or refused with a place, every expression of a text that
 * is read is translated, the comment of any text is searched, and texts that a program puts together (lines of a
 * preprocessor, placeholders, words of other dialects) are rewritten. */
#include "fuzz.h"

#include "support/wgsl.h"
#include "tunefile/spec.h"

static bool keeps_first(void *user, const char *name)
{
    const hed_wgsl *wgsl = user;
    return wgsl->override_count && strcmp(wgsl->overrides[0].name, name) == 0;
}

/* Texts are rewritten into texts. Lines that name files are left to the tests: files of any folder would be read. */
static void rewrite(const char *text)
{
    static const char json_text[] = "{\"defines\": {\"N\": 64, \"T\": \"f32\", \"M\": \"N * 2\", \"f16\": \"f32\"}}";
    static const char *const files[] = {"include", "import", "use", NULL};
    hed_error error = {0};
    hed_json *json = NULL;
    static hed_tune_file spec;
    for (size_t i = 0; files[i]; i++)
        if (strstr(text, files[i])) return;
    must(hed_json_parse("fuzz", json_text, sizeof json_text - 1, &json, &error) == HED_OK);
    spec.json = json;
    spec.note = NULL;
    hed_spec_reader reader = {.spec = &spec, .path = "fuzz.wgsl"};
    const hed_json_node root = hed_json_root(json);
    hed_source source = {.name = "fuzz.wgsl", .text = text, .size = strlen(text)};
    hed_spec_expand_wgsl(&reader, root, hed_json_member(root, "defines"), "fuzz.wgsl", &source);
    if (hed_spec_fine(&reader)) hed_spec_put_dialect(&reader, root, &source);
    if (hed_spec_fine(&reader)) hed_spec_put_parentheses(&reader, root, &source);
    must(strlen(source.text) == source.size);
    hed_arena_free(&spec.arena);
    hed_json_free(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LONGEST = 4096 };
    /* with nothing behind it: what reads too far is seen */
    char *text = malloc(size ? size : 1);
    if (!text) return 0;
    memcpy(text, data, size);
    hed_wgsl *wgsl = NULL;
    hed_error error = {0};
    hed_wgsl_span comment = hed_wgsl_comment(text, size);
    if (comment.size && (comment.at < text || comment.at + comment.size > text + size)) abort();
    if (hed_wgsl_read("fuzz.wgsl", text, size, NULL, &wgsl, &error)) {
        if (wgsl || !error.text[0]) abort();
    } else {
        for (uint32_t i = 0; i < wgsl->override_count; i++)
            hed_wgsl_expression(wgsl, wgsl->overrides[i].value, keeps_first, wgsl);
        for (uint32_t i = 0; i < wgsl->group_count; i++)
            hed_wgsl_expression(wgsl, wgsl->group[i], keeps_first, wgsl);
        for (uint32_t i = 0; i < wgsl->member_count; i++)
            if (wgsl->members[i].binding >= wgsl->binding_count) abort();
    }
    hed_wgsl_free(wgsl);
    free(text);
    if (size > LONGEST || memchr(data, 0, size)) return 0;
    text = fuzz_copy(data, size);
    rewrite(text);
    free(text);
    return 0;
}
