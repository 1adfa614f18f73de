/* libFuzzer harness for JSON reading: every accessor on every value of whatever parses, and the
 * place of every value, which walks the text beside the tree. Build with -DHEDDLE_FUZZ=ON, or
 *     clang -std=c17 -D_GNU_SOURCE -g -fsanitize=fuzzer,address,undefined -Iinclude -I.
 *     tests/fuzz/json_fuzz.c \
 *         support/json.c support/nearest.c support/file.c -lheddle -ljansson -lm
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const KEYS[] = {"a", "b", "key with space", "\xc3\xa9", "", NULL};

/* Complains about one value in a document of its own, so that each complaint is the first. */
static void complain(const uint8_t *data, size_t size, const size_t *path, size_t depth)
{
    hed_json *json;
    hed_error error = {0};
    if (hed_json_parse("fuzz.json", (const char *)data, size, &json, &error) != HED_OK)
        abort(); /* it parsed a moment ago */
    hed_json_node node = hed_json_root(json);
    for (size_t i = 0; i < depth; i++)
        node = path[i] < 1000 ? hed_json_item(node, path[i])
                              : hed_json_member(node, KEYS[path[i] - 1000]);
    hed_json_reject(node, "no");
    if (hed_json_status(json, &error) != HED_ERROR_FORMAT ||
        !strstr(error.text, ": no (fuzz.json:"))
        abort();
    hed_json_free(json);
}

static void visit(hed_json_node node, const uint8_t *data, size_t size, size_t *path, size_t depth)
{
    complain(data, size, path, depth);
    if (depth == 6) return;
    if (hed_json_kind_of(node) == HED_JSON_ARRAY) {
        for (size_t i = 0; i < hed_json_count(node) && i < 5; i++) {
            path[depth] = i;
            visit(hed_json_item(node, i), data, size, path, depth + 1);
        }
    } else if (hed_json_kind_of(node) == HED_JSON_OBJECT) {
        for (size_t i = 0; KEYS[i]; i++) {
            path[depth] = 1000 + i;
            if (hed_json_has(node, KEYS[i]))
                visit(hed_json_member(node, KEYS[i]), data, size, path, depth + 1);
        }
    }
}

/* The accessors, each as the first on a document. */
static void access_all(const uint8_t *data, size_t size)
{
    for (int which = 0; which < 8; which++) {
        hed_json *json;
        double values[3];
        if (hed_json_parse("fuzz.json", (const char *)data, size, &json, NULL) != HED_OK) return;
        hed_json_node root = hed_json_root(json);
        switch (which) {
        case 0: hed_json_number(root, 0, 1); break;
        case 1: hed_json_integer(root, -5, 5); break;
        case 2: hed_json_boolean(root); break;
        case 3: hed_json_string(root); break;
        case 4: hed_json_choice(root, KEYS); break;
        case 5: hed_json_numbers(root, values, 3, 0, 1); break;
        case 6: hed_json_only(root, KEYS); break;
        default: hed_json_integer(hed_json_item(hed_json_member(root, "a"), 0), 0, 9); break;
        }
        hed_json_status(json, NULL);
        hed_json_free(json);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hed_json *json;
    hed_error error = {0};
    size_t path[8];
    if (hed_json_parse("fuzz.json", (const char *)data, size, &json, &error) != HED_OK) return 0;
    visit(hed_json_root(json), data, size, path, 0);
    if (hed_json_status(json, &error) != HED_OK)
        abort(); /* nothing of what was asked for is missing */
    hed_json_free(json);
    access_all(data, size);
    return 0;
}
