/* Values of T1 files: Python's expressions in the syntax of Heddle's, and members that may be
 * null. */
#include "tunefile/spec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool hed_t1_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

/* Reads `max(name)` or `min(name)` at `text`: the extreme of a parameter's values; returns its
 * length, 0 if the text differs. */
static size_t t1_read_extreme(const hed_spec_kernel *kernel, const char *text, int64_t *value)
{
    bool max = strncmp(text, "max(", 4) == 0;
    if (!max && strncmp(text, "min(", 4) != 0) return 0;
    const char *name = text + 4 + strspn(text + 4, " \t"), *end = name;
    while (hed_t1_is_letter(*end)) end++;
    size_t length = (size_t)(end - name);
    end += strspn(end, " \t");
    if (!length || *end != ')') return 0;
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++) {
        const hed_parameter_def *parameter = &kernel->parameters[i];
        if (strlen(parameter->name) != length || memcmp(parameter->name, name, length) != 0)
            continue;
        *value = parameter->values[0];
        for (uint32_t j = 1; j < parameter->count; j++)
            if (max ? parameter->values[j] > *value : parameter->values[j] < *value)
                *value = parameter->values[j];
        return (size_t)(end + 1 - text);
    }
    return 0;
}

const char *hed_t1_rewrite(hed_spec_reader *reader, hed_json_node node, const char *text)
{
    /* min(x), six characters, may become a number of 20 */
    size_t room = strlen(text) * 8 + 1, used = 0;
    char *result = hed_spec_allocate(reader, room, node);
    for (const char *at = text; result && *at;) {
        int64_t value;
        unsigned index;
        int length = 0;
        bool begins = at == text || !hed_t1_is_letter(at[-1]);
        if (begins && sscanf(at, "ProblemSize [ %1u ]%n", &index, &length) == 1 && length > 0) {
            used += (size_t)snprintf(result + used, room - used, "ProblemSize_%u", index);
        } else if (begins &&
                   (length = (int)t1_read_extreme(&reader->spec->kernel, at, &value)) > 0) {
            used += (size_t)snprintf(result + used, room - used, "%" PRId64, value);
        } else {
            result[used++] = *at;
            length = 1;
        }
        at += length;
    }
    return result ? result : "";
}

const char *hed_t1_text(hed_spec_reader *reader, hed_json_node node)
{
    if (hed_json_kind_of(node) == HED_JSON_NUMBER)
        return hed_spec_text(reader, node, "%.17g", hed_json_number(node, -1e300, 1e300));
    return hed_t1_rewrite(reader, node, hed_json_string(node));
}

hed_json_node hed_t1_optional(hed_json_node object, const char *key)
{
    hed_json_node missing = {.json = object.json},
                  node = hed_json_has(object, key) ? hed_json_member(object, key) : missing;
    return hed_json_kind_of(node) == HED_JSON_NULL ? missing : node;
}
