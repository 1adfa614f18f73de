/* See source_map.h. A map is a list of segments: a position in the sheet and a position in a
 * source, stored as differences in base 64 of variable length. Segments inside cuts are dropped;
 * the segment that covers the text after a cut is repeated there. Columns are in UTF-16 units. */
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/css/site.h"
#include "cli/css/source_map.h"
#include "support/file.h"

enum { MOST_MAP_BYTES = 256 << 20 };

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

typedef struct segment {
    uint32_t line, column;
    int64_t source, source_line, source_column, name;
    uint8_t fields; /* 1, 4 or 5 */
} segment;

typedef struct segments {
    segment *items;
    uint32_t count, room;
} segments;

bool css_map_find(const char *text, size_t length, css_map_address *address)
{
    static const char word[] = "sourceMappingURL=";
    for (size_t at = length; at-- > 0;) {
        if (length - at < 3 + sizeof word || memcmp(text + at, "/*", 2) != 0) continue;
        if ((text[at + 2] != '#' && text[at + 2] != '@') ||
            memcmp(text + at + 4, word, sizeof word - 1) != 0)
            continue;
        const char *end = strstr(text + at + 4, "*/");
        if (!end) return false;
        *address = (css_map_address){at, (size_t)(end - text) + 2, at + 3 + sizeof word, 0};
        size_t stop = address->url;
        while (text + stop < end && (unsigned char)text[stop] > ' ') stop++;
        address->url_end = stop;
        return true;
    }
    return false;
}

/* ---- base 64 ---- */

/* Reads a number and adds it to *value. False: it is incomplete, or the sum is no 32-bit number. */
static bool read_number(const char **at, int64_t *value)
{
    uint64_t sum = 0;
    for (unsigned shift = 0; shift < 40; shift += 5) {
        const char *position = **at ? strchr(digits, **at) : NULL;
        if (!position) return false;
        uint32_t digit = (uint32_t)(position - digits);
        ++*at;
        sum |= (uint64_t)(digit & 31) << shift;
        if (digit & 32) continue;
        *value += sum & 1 ? -(int64_t)(sum >> 1) : (int64_t)(sum >> 1);
        return *value >= 0 && *value < UINT32_MAX;
    }
    return false;
}

/* Reads the segments of "mappings", which must be ascending. */
static bool read_segments(const char *text, segments *list, hed_error *error)
{
    segment next = {0};
    int64_t column = 0;
    for (const char *at = text; *at && !hed_failed(error);) {
        if (*at == ';') {
            next.line++;
            column = 0;
        }
        if (*at == ';' || *at == ',') {
            at++;
            continue;
        }
        int64_t *fields[] = {
            &column, &next.source, &next.source_line, &next.source_column, &next.name};
        uint32_t before = list->count && list->items[list->count - 1].line == next.line
                              ? list->items[list->count - 1].column
                              : 0;
        next.fields = 0;
        while (*at && *at != ',' && *at != ';')
            if (next.fields == 5 || !read_number(&at, fields[next.fields++])) return false;
        if (next.fields == 2 || next.fields == 3 || column < before) return false;
        next.column = (uint32_t)column;
        list->items = css_more(list->items, &list->room, list->count, sizeof next, error);
        if (!hed_failed(error)) list->items[list->count++] = next;
    }
    return !hed_failed(error);
}

static size_t write_number(char *text, int64_t value)
{
    uint64_t rest = value < 0 ? (uint64_t)-value << 1 | 1 : (uint64_t)value << 1;
    size_t length = 0;
    do {
        text[length++] = digits[(rest & 31) | (rest > 31 ? 32 : 0)];
        rest >>= 5;
    } while (rest);
    return length;
}

/* Text of "mappings"; NULL: out of memory. */
static char *write_segments(const segments *list)
{
    uint32_t lines = list->count ? list->items[list->count - 1].line : 0;
    char *text = malloc((size_t)list->count * 40 + lines + 1);
    size_t length = 0;
    segment last = {0};
    for (uint32_t i = 0; text && i < list->count; i++) {
        const segment *s = &list->items[i];
        if (i && s->line == last.line) text[length++] = ',';
        for (; last.line < s->line; last.line++, last.column = 0) text[length++] = ';';
        length += write_number(text + length, (int64_t)s->column - last.column);
        last.column = s->column;
        if (s->fields == 1) continue;
        length += write_number(text + length, s->source - last.source);
        length += write_number(text + length, s->source_line - last.source_line);
        length += write_number(text + length, s->source_column - last.source_column);
        last.source = s->source;
        last.source_line = s->source_line;
        last.source_column = s->source_column;
        if (s->fields == 5) {
            length += write_number(text + length, s->name - last.name);
            last.name = s->name;
        }
    }
    if (text) text[length] = 0;
    return text;
}

static size_t encode_bytes(const char *bytes, size_t size, char *text)
{
    size_t length = 0;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (i + k < size ? (unsigned char)bytes[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            text[length++] = i + k > size ? '=' : digits[bits >> (18 - 6 * k) & 63];
    }
    text[length] = 0;
    return length;
}

/* ---- the walk over the sheet ---- */

/* Position in a text. */
struct place {
    uint32_t line, column;
};

static void pass_byte(struct place *place, unsigned char c)
{
    if (c == '\n') *place = (struct place){place->line + 1, 0};
    else if (c < 0x80 || c >= 0xc0) place->column += c >= 0xf0 ? 2 : 1;
}

/* Finds the segments of the reduced sheet from those of the whole sheet. */
static void move_segments(const css_file *file, const segments *from, const css_cut *cuts,
    uint32_t cut_count, segments *to, hed_error *error)
{
    struct place old = {0}, new = {0};
    uint32_t next = 0, index = 0;
    const segment *covers = NULL,
                  *written = NULL; /* segment of the position; segment written last */
    size_t bom = file->length >= 3 && memcmp(file->text, "\357\273\277", 3) == 0 ? 3 : 0;
    for (size_t at = bom; at <= file->length && !hed_failed(error); at++) {
        for (; index < cut_count && cuts[index].end <= at; index++)
            for (const char *c = cuts[index].instead; c && *c; c++)
                pass_byte(&new, (unsigned char)*c);
        bool within = index < cut_count && cuts[index].begin <= at;
        bool after_cut = index > 0 && cuts[index - 1].end == at;
        bool line_ends = at == file->length || file->text[at] == '\n';
        while (
            next < from->count && (from->items[next].line < old.line ||
                                      (from->items[next].line == old.line &&
                                          (from->items[next].column <= old.column || line_ends))))
            covers = &from->items[next++];
        if (covers && covers->line != old.line) covers = NULL;
        bool begins = covers && covers->column == old.column && covers != written;
        if (!within &&
            (begins || (after_cut && covers != written && new.column + (covers != NULL)))) {
            segment copy = {.fields = 1};
            if (covers) copy = *covers;
            copy.line = new.line;
            copy.column = new.column;
            to->items = css_more(to->items, &to->room, to->count, sizeof copy, error);
            if (!hed_failed(error)) to->items[to->count++] = copy;
            written = covers;
        }
        if (at == file->length) break;
        pass_byte(&old, (unsigned char)file->text[at]);
        if (!within) pass_byte(&new, (unsigned char)file->text[at]);
    }
}

/* ---- the map ---- */

/* Prefixes the root of the sources with the path from the new map's folder to the old map's. */
static void move_root(json_t *map, const char *old, const char *path)
{
    char prefix[3 * PATH_MAX];
    const char *before = json_string_value(json_object_get(map, "sourceRoot"));
    css_relative(path, old, prefix, sizeof prefix);
    char *slash = strrchr(prefix, '/');
    if (!slash || (before && (*before == '/' || strstr(before, "://")))) return;
    slash[1] = 0;
    json_object_set_new(map, "sourceRoot", json_sprintf("%s%s", prefix, before ? before : ""));
}

/* Rewrites a map; returns the reason if that is not possible, or NULL. */
static const char *rewrite_map(json_t *map, const css_file *file, const css_cut *cuts,
    uint32_t cut_count, const char *path, hed_error *error)
{
    segments from = {0}, to = {0};
    const char *slash = strrchr(path, '/'), *problem = NULL;
    const char *mappings = json_string_value(json_object_get(map, "mappings"));
    if (json_integer_value(json_object_get(map, "version")) != 3)
        problem = "it is no map of version 3";
    else if (!mappings)
        problem = "it has no mappings of its own (an index of maps is not supported)";
    else if (!read_segments(mappings, &from, error))
        problem = hed_failed(error) ? error->text : "its mappings are damaged";
    if (!problem) {
        move_segments(file, &from, cuts, cut_count, &to, error);
        char *text = hed_failed(error) ? NULL : write_segments(&to);
        if (!text || json_object_set_new(map, "mappings", json_string(text)) != 0 ||
            json_object_set_new(map, "file", json_string(slash ? slash + 1 : path)) != 0)
            HED_OUT_OF_MEMORY(error, "the source map of %s", file->name);
        free(text);
    }
    free(from.items);
    free(to.items);
    return problem;
}

/* Makes the comment with the map, or writes the map to a file and makes the comment with its
 * name. */
static char *write_comment(const char *map, const char *path, bool inside, hed_error *error)
{
    static const char begin[] = "/*# sourceMappingURL=", data[] = "data:application/json;base64,";
    size_t length = strlen(map), size = strlen(path) + 64 + (inside ? length / 3 * 4 + 8 : 0);
    const char *slash = strrchr(path, '/');
    char *comment = malloc(size), name[PATH_MAX + 8];
    if (!comment) {
        HED_OUT_OF_MEMORY(error, "the source map of %s", path);
        return NULL;
    }
    if (inside) {
        size_t at = (size_t)snprintf(comment, size, "%s%s", begin, data);
        at += encode_bytes(map, length, comment + at);
        snprintf(comment + at, size - at, " */");
        return comment;
    }
    snprintf(name, sizeof name, "%s.map", path);
    hed_file_write(name, map, length, error);
    snprintf(comment, size, "%s%s.map */", begin, slash ? slash + 1 : path);
    return comment;
}

char *css_map_write(const css_file *file, const css_map_address *address, const css_cut *cuts,
    uint32_t cut_count, const char *path, hed_error *error)
{
    char old[PATH_MAX], label[8], *bytes = NULL, *comment = NULL;
    const char *problem = NULL;
    const css_origin origin = {file->from, file->base};
    size_t size = 0;
    hed_error local = {0};
    char *url = strndup(file->text + address->url, address->url_end - address->url);
    bool data = url && css_address_is_data(url);
    snprintf(old, sizeof old, "%s", file->name);
    if (!url) {
        HED_OUT_OF_MEMORY(error, "the source map of %s", path);
        return NULL;
    }
    if (data) css_address_data(url, &bytes, &size, label, sizeof label, &local);
    else problem = css_address_file(&origin, url, old, sizeof old);
    if (!data && !problem) hed_file_read(old, MOST_MAP_BYTES, &bytes, &size, &local);
    if (hed_failed(&local)) problem = local.text;
    if (data) url[strlen("data:")] = 0; /* the name in messages */
    json_error_t json_error;
    json_t *map = bytes ? json_loadb(bytes, size, 0, &json_error) : NULL;
    if (!problem && !json_is_object(map)) problem = "it is not JSON";
    if (!problem) problem = rewrite_map(map, file, cuts, cut_count, path, error);
    if (problem)
        fprintf(stderr, "heddle: warning: %s: its source map %s is left out of %s: %s\n",
            file->name, url, path, problem);
    else if (!hed_failed(error)) {
        move_root(map, old, path);
        char *text = json_dumps(map, JSON_COMPACT);
        if (text) comment = write_comment(text, path, data, error);
        else HED_OUT_OF_MEMORY(error, "the source map of %s", path);
        free(text);
    }
    json_decref(map);
    free(bytes);
    free(url);
    return comment;
}
