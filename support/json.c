/* Reading JSON: jansson's tree, and accessors that report the problem of a value and its
 * position. */
#include "support/json.h"
#include "heddle/author.h"
#include "support/file.h"
#include "support/nearest.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- position of a value: line, column and path ---- */

/* Positions are needed only for an error, so parsing does not record them: the text is walked once
 * more, in parallel with jansson's tree. */
typedef struct json_place {
    size_t line, column; /* numbers from 1; the column counts characters */
} json_place;

typedef struct walk {
    const char *at;
    json_place place; /* position of `at` */
    const json_t *container;
    const char *key;
    size_t index;
    /* filled from its end to its front while the walk returns from the value that was found */
    char *path;
    size_t begin;
} walk;

static void place_step(walk *w)
{
    if (*w->at == '\n') {
        w->place.line++;
        w->place.column = 0;
    }
    /* Bytes 10xxxxxx continue a character. */
    w->at++;
    if (((unsigned char)*w->at & 0xc0) != 0x80) w->place.column++;
}

static void place_skip_space(walk *w)
{
    while (*w->at == ' ' || *w->at == '\t' || *w->at == '\n' || *w->at == '\r') place_step(w);
}

/* Skips a string or a plain word; containers are walked by place_find(). */
static void skip_scalar(walk *w)
{
    if (*w->at != '"') {
        while (*w->at && !strchr(",]} \t\r\n", *w->at)) place_step(w);
        return;
    }
    place_step(w);
    while (*w->at && *w->at != '"') {
        if (*w->at == '\\' && w->at[1]) place_step(w);
        place_step(w);
    }
    if (*w->at) place_step(w);
}

static void place_prepend(walk *w, const char *text, size_t size)
{
    if (size > w->begin) {
        text += size - w->begin;
        size = w->begin;
    }
    w->begin -= size;
    memcpy(w->path + w->begin, text, size);
}

/* Prepends .name if the name is plain, else ["name"]. */
static void prepend_key(walk *w, const char *key)
{
    bool plain = isalpha((unsigned char)key[0]) || key[0] == '_';
    for (const char *c = key; *c; c++)
        plain = plain && (isalnum((unsigned char)*c) || *c == '_' || *c == '-');
    if (plain) {
        place_prepend(w, key, strlen(key));
        place_prepend(w, ".", 1);
        return;
    }
    place_prepend(w, "\"]", 2);
    place_prepend(w, key, strlen(key));
    place_prepend(w, "[\"", 2);
}

static bool place_find(walk *w, const json_t *tree);

/* Visits an element, at its first byte: true if it is the searched one, or contains it; otherwise
 * moves after it. */
static bool try_element(
    walk *w, const json_t *tree, const json_t *value, const char *key, size_t index)
{
    if (tree == w->container && (w->key ? key && strcmp(key, w->key) == 0 : index == w->index))
        return true;
    if (json_is_object(value) || json_is_array(value)) return place_find(w, value);
    skip_scalar(w);
    return false;
}

static bool find_in_object(walk *w, const json_t *tree)
{
    for (;;) {
        place_skip_space(w);
        if (*w->at != '"') break;
        const char *begin = w->at;
        json_place key_place = w->place;
        skip_scalar(w);
        json_t *decoded = json_loadb(begin, (size_t)(w->at - begin), JSON_DECODE_ANY, NULL);
        const char *key = decoded ? json_string_value(decoded) : "";
        place_skip_space(w);
        place_step(w); /* skip the colon */
        place_skip_space(w);
        bool is_found = try_element(w, tree, json_object_get(tree, key), key, 0);
        if (is_found) {
            /* A member's position is that of its name; a value inside it has its own position. */
            if (tree == w->container) w->place = key_place;
            prepend_key(w, key);
        }
        json_decref(decoded);
        if (is_found) return true;
        place_skip_space(w);
        if (*w->at == ',') place_step(w);
    }
    return false;
}

static bool find_in_array(walk *w, const json_t *tree)
{
    for (size_t i = 0;; i++) {
        place_skip_space(w);
        if (*w->at == ']' || !*w->at) return false;
        if (try_element(w, tree, json_array_get(tree, i), NULL, i)) {
            char text[32];
            int size = snprintf(text, sizeof text, "[%zu]", i);
            place_prepend(w, text, (size_t)size);
            return true;
        }
        place_skip_space(w);
        if (*w->at == ',') place_step(w);
    }
}

/* Searches `tree`, at its opening bracket. jansson has limited the depth. */
static bool place_find(walk *w, const json_t *tree)
{
    place_step(w);
    if (json_is_object(tree) ? find_in_object(w, tree) : find_in_array(w, tree)) return true;
    if (*w->at) place_step(w);
    return false;
}

/* Finds member `key` (or element `index` if key is NULL) of `container` in the document `root`,
 * which was parsed from `text`; container NULL: the document itself. Writes the path, such as
 * springs[12].to, cut at the front if it is too long; "" for the document. `container` must be in
 * the document. */
static json_place json_find_place(const char *text, const json_t *root, const json_t *container,
    const char *key, size_t index, char *path, size_t size)
{
    walk w = {.at = text,
        .place = {1, 1},
        .container = container,
        .key = key,
        .index = index,
        .path = path,
        .begin = size - 1};
    path[size - 1] = 0;
    place_skip_space(&w);
    if (container) place_find(&w, root);
    /* A path begins with a name, not with the dot before it. */
    if (path[w.begin] == '.') w.begin++;
    memmove(path, path + w.begin, size - w.begin);
    return w.place;
}

enum { LONGEST_FILE = 1 << 30 };

struct hed_json {
    json_t *root;
    char *text; /* zero-terminated text, for finding positions */
    char *name;
    hed_error problem; /* first problem; status HED_OK: no problem yet */
};

/* ---- documents ---- */

/* Source that passes a text byte by byte. jansson does not always report that memory ran out: it
 * drops the byte of a string and continues. errno has the failure until a number is converted, so
 * it is checked with each byte. */
typedef struct byte_source {
    const char *next, *end;
    bool starved;
} byte_source;

static size_t give_byte(void *to, size_t room, void *user)
{
    byte_source *source = user;
    source->starved = source->starved || errno == ENOMEM;
    if (source->next == source->end || room == 0) return 0;
    *(char *)to = *source->next++;
    return 1;
}

/* Parses `text`, and takes it over in every case. */
static hed_status parse_own(
    const char *name, char *text, size_t size, hed_json **result, hed_error *error)
{
    size_t mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    json_error_t parse_error;
    errno = 0;
    byte_source source = {.next = text + mark, .end = text + size};
    json_t *root = json_load_callback(give_byte, &source, JSON_REJECT_DUPLICATES, &parse_error);
    bool starved = source.starved || errno == ENOMEM;
    hed_json *json = calloc(1, sizeof *json);
    char *copy = strdup(name);
    if (root && json && copy && !starved) {
        memmove(text, text + mark, size - mark + 1);
        *json = (hed_json){.root = root, .text = text, .name = copy};
        *result = json;
        return HED_OK;
    }
    hed_status status = HED_ERROR_MEMORY;
    if (root || starved) {
        hed_fail(error, status, "out of memory while reading %s", name);
    } else if (size == mark) {
        status = hed_fail(error, HED_ERROR_FORMAT, "%s is empty; expected JSON", name);
    } else {
        /* jansson's column is the end of the unexpected token. */
        status = hed_fail(error, HED_ERROR_FORMAT, "%s:%d:%d: not JSON: %s", name, parse_error.line,
            parse_error.column, parse_error.text);
    }
    json_decref(root);
    free(json);
    free(copy);
    free(text);
    return status;
}

hed_status hed_json_parse(
    const char *name, const char *text, size_t size, hed_json **json, hed_error *error)
{
    *json = NULL;
    char *copy = malloc(size + 1);
    if (!copy) return HED_OUT_OF_MEMORY(error, "%zu bytes of %s", size, name);
    if (size > 0) memcpy(copy, text, size);
    copy[size] = 0;
    return parse_own(name, copy, size, json, error);
}

hed_status hed_json_read(const char *path, hed_json **json, hed_error *error)
{
    *json = NULL;
    char *text;
    size_t size;
    hed_status status = hed_file_read(path, LONGEST_FILE, &text, &size, error);
    return status == HED_OK ? parse_own(path, text, size, json, error) : status;
}

hed_status hed_json_status(const hed_json *json, hed_error *error)
{
    if (json->problem.status != HED_OK && error) *error = json->problem;
    return json->problem.status;
}

void hed_json_free(hed_json *json)
{
    if (!json) return;
    json_decref(json->root);
    free(json->text);
    free(json->name);
    free(json);
}

/* ---- errors ---- */

static const char *json_describe(const json_t *value)
{
    if (!value) return "nothing";
    switch (json_typeof(value)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "an array";
    case JSON_STRING: return "a string";
    case JSON_INTEGER:
    case JSON_REAL: return "a number";
    case JSON_TRUE: return "true";
    case JSON_FALSE: return "false";
    default: return "null";
    }
}

void hed_json_fail(hed_json_node node, hed_status status, const char *format, ...)
{
    hed_json *json = node.json;
    if (json->problem.status != HED_OK) return;
    char words[HED_ERROR_TEXT], path[HED_ERROR_TEXT / 4]; /* a remedy is pasted whole */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    json_place place = json_find_place(
        json->text, json->root, node.container, node.key, node.index, path, sizeof path);
    hed_fail(&json->problem, status, "%s: %s (%s:%zu:%zu)", path[0] ? path : "the whole document",
        words, json->name, place.line, place.column);
}

void hed_json_fail_as(hed_json_node node, const hed_error *error)
{
    if (node.json->problem.status == HED_OK) node.json->problem = *error;
}

static hed_json_node nothing(hed_json_node node) { return (hed_json_node){.json = node.json}; }

/* True if the node is of this kind; otherwise sets the document's problem. */
static bool expect(hed_json_node node, hed_json_kind kind, const char *expected)
{
    if (node.json->problem.status != HED_OK) return false;
    if (hed_json_kind_of(node) == kind) return true;
    hed_json_reject(node, "expected %s, found %s", expected, json_describe(node.value));
    return false;
}

/* ---- walking ---- */

hed_json_node hed_json_root(hed_json *json)
{
    return (hed_json_node){.json = json, .value = json->root};
}

hed_json_kind hed_json_kind_of(hed_json_node node)
{
    if (!node.value) return HED_JSON_NOTHING;
    switch (json_typeof(node.value)) {
    case JSON_OBJECT: return HED_JSON_OBJECT;
    case JSON_ARRAY: return HED_JSON_ARRAY;
    case JSON_STRING: return HED_JSON_STRING;
    case JSON_INTEGER:
    case JSON_REAL: return HED_JSON_NUMBER;
    case JSON_TRUE:
    case JSON_FALSE: return HED_JSON_BOOLEAN;
    default: return HED_JSON_NULL;
    }
}

bool hed_json_has(hed_json_node object, const char *key)
{
    return expect(object, HED_JSON_OBJECT, "an object") && json_object_get(object.value, key);
}

hed_json_node hed_json_member(hed_json_node object, const char *key)
{
    if (!expect(object, HED_JSON_OBJECT, "an object")) return nothing(object);
    const json_t *value = json_object_get(object.value, key);
    if (!value) {
        hed_json_reject(object, "\"%s\" is missing", key);
        return nothing(object);
    }
    return (hed_json_node){
        .json = object.json, .value = value, .container = object.value, .key = key};
}

hed_json_node hed_json_next(hed_json_node object, const char *key)
{
    if (!expect(object, HED_JSON_OBJECT, "an object")) return nothing(object);
    /* jansson's iterator requires a mutable tree, but nothing here changes it. */
    json_t *tree = (json_t *)(uintptr_t)object.value;
    void *at =
        key ? json_object_iter_next(tree, json_object_iter_at(tree, key)) : json_object_iter(tree);
    if (!at) return nothing(object);
    return (hed_json_node){.json = object.json,
        .value = json_object_iter_value(at),
        .container = object.value,
        .key = json_object_iter_key(at)};
}

static void json_reject_key(hed_json_node object, const char *key, const char *const *keys)
{
    char list[HED_ERROR_TEXT / 4] = "";
    size_t used = 0;
    for (size_t i = 0; keys[i] && used < sizeof list; i++)
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s\"%s\"", i ? ", " : "", keys[i]);
    const char *nearest = hed_nearest(key, keys);
    hed_json_node member = {.json = object.json, .container = object.value, .key = key};
    if (nearest) hed_json_reject(member, "unknown key; did you mean \"%s\"?", nearest);
    else hed_json_reject(member, "unknown key; the keys here are %s", list);
}

void hed_json_only(hed_json_node object, const char *const *keys)
{
    if (!expect(object, HED_JSON_OBJECT, "an object")) return;
    for (hed_json_node at = hed_json_next(object, NULL); at.key;
         at = hed_json_next(object, at.key)) {
        size_t i = 0;
        while (keys[i] && strcmp(keys[i], at.key) != 0) i++;
        if (!keys[i]) {
            json_reject_key(object, at.key, keys);
            return;
        }
    }
}

size_t hed_json_count(hed_json_node array)
{
    return expect(array, HED_JSON_ARRAY, "an array") ? json_array_size(array.value) : 0;
}

hed_json_node hed_json_item(hed_json_node array, size_t index)
{
    if (!expect(array, HED_JSON_ARRAY, "an array")) return nothing(array);
    const json_t *value = json_array_get(array.value, index);
    if (!value) {
        hed_json_reject(array, "expected more than %zu elements, found %zu", index,
            json_array_size(array.value));
        return nothing(array);
    }
    return (hed_json_node){
        .json = array.json, .value = value, .container = array.value, .index = index};
}

/* ---- values ---- */

double hed_json_number(hed_json_node node, double low, double high)
{
    if (!expect(node, HED_JSON_NUMBER, "a number")) return 0;
    double value = json_number_value(node.value);
    if (value >= low && value <= high) return value;
    if (low <= -DBL_MAX) hed_json_reject(node, "expected a number up to %g, found %g", high, value);
    else if (high >= DBL_MAX)
        hed_json_reject(node, "expected a number from %g on, found %g", low, value);
    else hed_json_reject(node, "expected a number from %g to %g, found %g", low, high, value);
    return 0;
}

int64_t hed_json_integer(hed_json_node node, int64_t low, int64_t high)
{
    if (!expect(node, HED_JSON_NUMBER, "a whole number")) return 0;
    int64_t value;
    if (json_is_integer(node.value)) {
        value = json_integer_value(node.value);
    } else {
        double real = json_real_value(node.value);
        if (real != floor(real) || fabs(real) > 9007199254740992.0) {
            hed_json_reject(node, "expected a whole number, found %g", real);
            return 0;
        }
        value = (int64_t)real;
    }
    if (value >= low && value <= high) return value;
    hed_json_reject(node, "expected a whole number from %" PRId64 " to %" PRId64 ", found %" PRId64,
        low, high, value);
    return 0;
}

bool hed_json_boolean(hed_json_node node)
{
    return expect(node, HED_JSON_BOOLEAN, "true or false") && json_is_true(node.value);
}

const char *hed_json_string(hed_json_node node)
{
    return expect(node, HED_JSON_STRING, "a string") ? json_string_value(node.value) : "";
}

uint32_t hed_json_choice(hed_json_node node, const char *const *choices)
{
    const char *text = hed_json_string(node);
    if (node.json->problem.status != HED_OK) return 0;
    char list[HED_ERROR_TEXT / 4] = "";
    size_t used = 0;
    for (uint32_t i = 0; choices[i]; i++) {
        if (strcmp(choices[i], text) == 0) return i;
        if (used < sizeof list)
            used += (size_t)snprintf(
                list + used, sizeof list - used, "%s\"%s\"", i ? ", " : "", choices[i]);
    }
    hed_json_reject(node, "expected one of %s; found \"%s\"", list, text);
    return 0;
}

void hed_json_numbers(hed_json_node array, double *values, size_t count, double low, double high)
{
    for (size_t i = 0; i < count; i++) values[i] = 0;
    size_t length = hed_json_count(array);
    if (array.json->problem.status == HED_OK && length != count)
        hed_json_reject(
            array, "expected an array of %zu numbers, found %zu elements", count, length);
    for (size_t i = 0; i < count; i++)
        values[i] = hed_json_number(hed_json_item(array, i), low, high);
}
