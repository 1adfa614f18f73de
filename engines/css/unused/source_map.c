/* See source_map.h. A map is a list of segments: a position in the sheet and a position in a
 * source, stored as differences in base 64 of variable length. Segments inside cuts are dropped;
 * the segment that covers the text after a cut is repeated there. Columns are in UTF-16 units. */
#include "source_map.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

typedef struct segment {
    uint32_t line, column;
    int64_t source, source_line, source_column, name;
    uint8_t fields; /* 1, 4 or 5 */
} segment;

typedef struct segments {
    const hed_allocator *allocator;
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
        list->items =
            css_grow(list->allocator, list->items, &list->room, list->count, sizeof next, error);
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

/* Text of "mappings" in memory of `arena`; NULL: out of memory. */
static char *write_segments(hed_arena *arena, const segments *list, hed_error *error)
{
    uint32_t lines = list->count ? list->items[list->count - 1].line : 0;
    char *text = hed_arena_new(arena, (size_t)list->count * 40 + lines + 1, 1, error);
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
static void move_segments(const css_file *file, const css_reduction *reduction,
    const segments *from, segments *to, hed_error *error)
{
    const css_cut *cuts = reduction->cuts;
    uint32_t cut_count = reduction->cut_count;
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
            to->items =
                css_grow(to->allocator, to->items, &to->room, to->count, sizeof copy, error);
            if (!hed_failed(error)) to->items[to->count++] = copy;
            written = covers;
        }
        if (at == file->length) break;
        pass_byte(&old, (unsigned char)file->text[at]);
        if (!within) pass_byte(&new, (unsigned char)file->text[at]);
    }
}

/* Finds the segments of a map of the whole sheet to itself: one at each line, rule and part, and
 * after each cut. */
static void own_segments(
    const css_file *file, const css_reduction *reduction, segments *list, hed_error *error)
{
    struct place place = {0};
    uint32_t item = 0, cut = 0;
    bool line_begins = true;
    for (size_t at = 0; at < file->length && !hed_failed(error); at++) {
        bool begins = line_begins;
        for (; item < reduction->count && reduction->items[item].begin <= at; item++) begins = true;
        for (; cut < reduction->cut_count && reduction->cuts[cut].end <= at; cut++) begins = true;
        if (begins) {
            list->items = css_grow(
                list->allocator, list->items, &list->room, list->count, sizeof *list->items, error);
            if (hed_failed(error)) return;
            list->items[list->count++] = (segment){.line = place.line,
                .column = place.column,
                .source_line = place.line,
                .source_column = place.column,
                .fields = 4};
        }
        line_begins = file->text[at] == '\n';
        pass_byte(&place, (unsigned char)file->text[at]);
    }
}

/* ---- the map ---- */

/* Prefixes the root of the sources, unless it is absolute. */
static bool move_root(json_t *map, const char *root)
{
    const char *before = json_string_value(json_object_get(map, "sourceRoot"));
    if (!root || (before && (*before == '/' || strstr(before, "://")))) return true;
    return json_object_set_new(
               map, "sourceRoot", json_sprintf("%s%s", root, before ? before : "")) == 0;
}

/* Reads the map of the definition and its segments, or makes one that leads to the sheet. */
static json_t *read_map(const css_file *file, const css_reduction *reduction,
    const hed_css_map_def *def, segments *from, hed_error *error)
{
    json_error_t json_error;
    const char *problem = NULL;
    if (!def->map) {
        own_segments(file, reduction, from, error);
        json_t *map = json_pack("{s:i,s:[s],s:[]}", "version", 3, "sources", file->name, "names");
        if (!map && !hed_failed(error)) HED_OUT_OF_MEMORY(error, "the source map of %s", file->name);
        return map;
    }
    json_t *map = json_loadb(def->map, def->map_length, 0, &json_error);
    const char *mappings = json_string_value(json_object_get(map, "mappings"));
    if (!json_is_object(map)) problem = "it is not JSON";
    else if (json_integer_value(json_object_get(map, "version")) != 3)
        problem = "it is no map of version 3";
    else if (!mappings)
        problem = "it has no mappings of its own (an index of maps is not supported)";
    else if (!read_segments(mappings, from, error))
        problem = hed_failed(error) ? NULL : "its mappings are damaged";
    if (problem) hed_fail(error, HED_ERROR_FORMAT, "the source map of %s: %s", file->name, problem);
    return map;
}

const char *css_map_reduce(hed_arena *arena, const css_file *file, const css_reduction *reduction,
    const hed_css_map_def *def, size_t *length, hed_error *error)
{
    hed_arena scratch = {.allocator = arena->allocator, .owner = "a source map"};
    segments from = {.allocator = &arena->allocator}, to = from;
    json_t *map = read_map(file, reduction, def, &from, error);
    char *text = NULL, *copy = NULL;
    if (!hed_failed(error)) move_segments(file, reduction, &from, &to, error);
    char *mappings = hed_failed(error) ? NULL : write_segments(&scratch, &to, error);
    if (mappings && json_object_set_new(map, "mappings", json_string(mappings)) == 0 &&
        (!def->file || json_object_set_new(map, "file", json_string(def->file)) == 0) &&
        move_root(map, def->root))
        text = json_dumps(map, JSON_COMPACT);
    if (text) copy = hed_arena_text(arena, text, error);
    else if (!hed_failed(error)) HED_OUT_OF_MEMORY(error, "the source map of %s", file->name);
    if (copy && length) *length = strlen(copy);
    free(text);
    json_decref(map);
    hed_arena_free(&scratch);
    hed_delete(from.allocator, from.items, from.room, sizeof *from.items);
    hed_delete(to.allocator, to.items, to.room, sizeof *to.items);
    return copy;
}
