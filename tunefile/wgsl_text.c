/* Texts in WGSL that a program puts together: several files, and placeholders as {NAME}, ${NAME} and
 * {{NAME}}, which WGSL does not know. Further files follow the first, since the order of declarations has
 * no meaning in WGSL and the first one's lines keep their numbers. */
#include "tunefile/spec.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_TEXT = 1 << 20, MOST_LISTED = 16 };

/* A placeholder: the whole, and its name. */
typedef struct placeholder {
    const char *at, *name;
    size_t size, length;
} placeholder;

/* ---- placeholders ---- */

/* Returns the end of the comment at `at`; `at`: another text follows. */
static const char *skip_comment(const char *at)
{
    if (at[0] != '/' || (at[1] != '/' && at[1] != '*')) return at;
    if (at[1] == '/') return at + strcspn(at, "\n");
    uint32_t depth = 0;
    for (; *at; at++) {
        bool opens = at[0] == '/' && at[1] == '*', closes = at[0] == '*' && at[1] == '/';
        if (!opens && !closes) continue;
        depth += opens ? 1 : -1u;
        at++;
        if (!depth) return at + 1;
    }
    return at;
}

/* Finds the next placeholder from `at` on; false: there is no other. */
static bool next_placeholder(const char *at, placeholder *found)
{
    while (*at) {
        const char *after = skip_comment(at);
        if (after != at) {
            at = after;
            continue;
        }
        const char *from = at++, *name = from + (*from == '$');
        if (*name != '{') continue;
        bool is_double = name[1] == '{';
        name += is_double ? 2 : 1;
        name += strspn(name, " ");
        size_t length = 0;
        while (isalnum((unsigned char)name[length]) || name[length] == '_') length++;
        const char *end = name + length + strspn(name + length, " ");
        if (!length || isdigit((unsigned char)*name) || *end != '}' || (is_double && end[1] != '}'))
            continue;
        *found = (placeholder){.at = from,
            .name = name,
            .size = (size_t)(end - from) + (is_double ? 2 : 1),
            .length = length};
        return true;
    }
    return false;
}

/* Returns the value of a placeholder in the JSON's "defines"; NULL: it is missing there. */
static const char *value_of(hed_spec_reader *reader, hed_json_node defines, const placeholder *p)
{
    if (hed_json_kind_of(defines) == HED_JSON_NOTHING) return NULL;
    HED_SPEC_EACH(at, defines)
    {
        if (strlen(at.key) != p->length || memcmp(at.key, p->name, p->length) != 0) continue;
        if (hed_json_kind_of(at) != HED_JSON_NUMBER) return hed_json_string(at);
        return hed_spec_text(reader, at, "%.17g", hed_json_number(at, -1e300, 1e300));
    }
    return NULL;
}

/* Refuses a text with placeholders that have no value: all of them, as the comment that gives them. */
static void refuse_placeholders(
    hed_spec_reader *reader, hed_json_node node, hed_json_node defines, const char *text)
{
    char list[1024] = "";
    size_t used = 0;
    placeholder p;
    for (const char *at = text; next_placeholder(at, &p); at = p.at + p.size) {
        char entry[128];
        if (value_of(reader, defines, &p)) continue;
        int length = snprintf(entry, sizeof entry, "\"%.*s\": ", (int)p.length, p.name);
        if (length >= (int)sizeof entry || strstr(list, entry) ||
            used + (size_t)length + 8 > sizeof list)
            continue;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s\"...\"", used ? ", " : "", entry);
    }
    if (used)
        hed_json_reject(node,
            "the text has placeholders of the program that writes it; expected their values. Add the "
            "comment /* heddle {\"defines\": {%s}} */",
            list);
}

/* Refuses a value that no placeholder takes. */
static void refuse_unused(hed_spec_reader *reader, hed_json_node defines, const char *text)
{
    if (hed_json_kind_of(defines) == HED_JSON_NOTHING || !hed_spec_fine(reader)) return;
    HED_SPEC_EACH(at, defines)
    {
        bool is_used = false;
        placeholder p;
        for (const char *from = text; !is_used && next_placeholder(from, &p); from = p.at + p.size)
            is_used = strlen(at.key) == p.length && memcmp(at.key, p.name, p.length) == 0;
        if (!is_used && hed_spec_fine(reader))
            hed_json_reject(at, "the text has no placeholder {%s}; WGSL has no macros, a constant is an "
                                "override", at.key);
    }
}

/* Replaces placeholders by their values. */
static void put_values(
    hed_spec_reader *reader, hed_json_node node, hed_json_node defines, hed_source *source)
{
    char *text = NULL;
    size_t size = 0;
    placeholder p;
    const char *at = source->text;
    refuse_unused(reader, defines, at);
    if (!next_placeholder(at, &p)) return;
    refuse_placeholders(reader, node, defines, at);
    FILE *to = hed_spec_fine(reader) ? open_memstream(&text, &size) : NULL;
    for (; to && next_placeholder(at, &p); at = p.at + p.size)
        fprintf(to, "%.*s%s", (int)(p.at - at), at, value_of(reader, defines, &p));
    if (to) fputs(at, to);
    if (to && !fclose(to)) {
        source->text = hed_spec_text(reader, node, "%s", text);
        source->size = strlen(source->text);
    }
    free(text);
}

/* ---- several files ---- */

void hed_spec_join_wgsl(hed_spec_reader *reader, hed_json_node node, hed_json_node files,
    hed_json_node defines, hed_source *source)
{
    bool is_list = hed_json_kind_of(files) == HED_JSON_ARRAY;
    for (size_t i = 1; is_list && hed_spec_fine(reader) && i < hed_json_count(files); i++) {
        hed_json_node file = hed_json_item(files, i);
        char *text = NULL;
        size_t size = 0;
        if (!hed_spec_read_file(reader, file, hed_json_string(file), 0, LONGEST_TEXT, &text, &size))
            return;
        source->text = hed_spec_text(reader, file, "%s\n%s", source->text, text);
        source->size = strlen(source->text);
    }
    if (hed_spec_fine(reader)) put_values(reader, node, defines, source);
}

/* True if a text in the folder declares a struct or a function of this name. */
static bool declares(const char *path, const char *name, size_t length)
{
    static const char *const kinds[] = {"struct ", "fn ", "alias "};
    char *line = NULL;
    size_t room = 0;
    bool is_found = false;
    FILE *file = fopen(path, "re");
    while (file && !is_found && getline(&line, &room, file) > 0)
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            const char *at = strstr(line, kinds[i]);
            if (!at) continue;
            at += strlen(kinds[i]);
            is_found = is_found || (strncmp(at, name, length) == 0 &&
                                       !isalnum((unsigned char)at[length]) && at[length] != '_');
        }
    free(line);
    if (file) fclose(file);
    return is_found;
}

const char *hed_spec_wgsl_hint(
    hed_spec_reader *reader, hed_json_node node, const char *path, const char *message)
{
    static const char words[] = "expected a type, found \"";
    const char *at = strstr(message, words), *slash = strrchr(path, '/');
    if (!at) return "";
    const char *name = at + sizeof words - 1, *own = slash ? slash + 1 : path;
    size_t length = strcspn(name, "\"");
    const char *folder = slash ? hed_spec_text(reader, node, "%.*s", (int)(slash - path), path) : ".";
    char found[256] = "FILE";
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        size_t size = strlen(entry->d_name);
        bool is_text = size > 5 && size < sizeof found && strcmp(entry->d_name + size - 5, ".wgsl") == 0;
        if (!is_text || strcmp(entry->d_name, own) == 0) continue;
        if (declares(hed_spec_text(reader, node, "%s/%s", folder, entry->d_name), name, length))
            snprintf(found, sizeof found, "%s", entry->d_name);
    }
    if (entries) closedir(entries);
    return hed_spec_text(reader, node,
        ". If the program joins this text with another one%s, name both: /* heddle {\"source\": "
        "[\"%s\", \"%s\"]} */",
        strcmp(found, "FILE") == 0 ? " that declares it" : ", as the one that declares it", own, found);
}
