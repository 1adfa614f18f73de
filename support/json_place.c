/* Where a value stands in JSON text: a walk through text and tree side by side. The text is known
 * to be valid JSON. */
#include "support/json_place.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct walk {
    const char *at;
    hed_json_place place; /* of `at` */
    const json_t *container;
    const char *key;
    size_t index;
    /* filled from its end to its front while the walk returns from the value that was found */
    char *path;
    size_t begin;
} walk;

static void step(walk *w)
{
    if (*w->at == '\n') {
        w->place.line++;
        w->place.column = 0;
    }
    /* Bytes 10xxxxxx continue a character. */
    w->at++;
    if (((unsigned char)*w->at & 0xc0) != 0x80) w->place.column++;
}

static void skip_space(walk *w)
{
    while (*w->at == ' ' || *w->at == '\t' || *w->at == '\n' || *w->at == '\r') step(w);
}

/* Skips a string or a plain word; containers are walked by find(). */
static void skip_scalar(walk *w)
{
    if (*w->at != '"') {
        while (*w->at && !strchr(",]} \t\r\n", *w->at)) step(w);
        return;
    }
    step(w);
    while (*w->at && *w->at != '"') {
        if (*w->at == '\\' && w->at[1]) step(w);
        step(w);
    }
    if (*w->at) step(w);
}

static void prepend(walk *w, const char *text, size_t size)
{
    if (size > w->begin) {
        text += size - w->begin;
        size = w->begin;
    }
    w->begin -= size;
    memcpy(w->path + w->begin, text, size);
}

static void prepend_index(walk *w, size_t index)
{
    char text[32];
    int size = snprintf(text, sizeof text, "[%zu]", index);
    prepend(w, text, (size_t)size);
}

/* .name where that reads well, else ["name"]. */
static void prepend_key(walk *w, const char *key)
{
    bool plain = isalpha((unsigned char)key[0]) || key[0] == '_';
    for (const char *c = key; *c; c++)
        plain = plain && (isalnum((unsigned char)*c) || *c == '_' || *c == '-');
    if (plain) {
        prepend(w, key, strlen(key));
        prepend(w, ".", 1);
        return;
    }
    prepend(w, "\"]", 2);
    prepend(w, key, strlen(key));
    prepend(w, "[\"", 2);
}

static bool find(walk *w, const json_t *tree);

/* At an element's first byte: is it the one, or in it? If not, goes behind it. */
static bool try_element(
    walk *w, const json_t *tree, const json_t *value, const char *key, size_t index)
{
    if (tree == w->container && (w->key ? key && strcmp(key, w->key) == 0 : index == w->index))
        return true;
    if (json_is_object(value) || json_is_array(value)) return find(w, value);
    skip_scalar(w);
    return false;
}

static bool find_in_object(walk *w, const json_t *tree)
{
    for (;;) {
        skip_space(w);
        if (*w->at != '"') break;
        const char *begin = w->at;
        hed_json_place key_place = w->place;
        skip_scalar(w);
        json_t *decoded = json_loadb(begin, (size_t)(w->at - begin), JSON_DECODE_ANY, NULL);
        const char *key = decoded ? json_string_value(decoded) : "";
        skip_space(w);
        step(w); /* the colon */
        skip_space(w);
        bool found = try_element(w, tree, json_object_get(tree, key), key, 0);
        if (found) {
            /* A member is shown at its name; what is deeper keeps its own place. */
            if (tree == w->container) w->place = key_place;
            prepend_key(w, key);
        }
        json_decref(decoded);
        if (found) return true;
        skip_space(w);
        if (*w->at == ',') step(w);
    }
    return false;
}

static bool find_in_array(walk *w, const json_t *tree)
{
    for (size_t i = 0;; i++) {
        skip_space(w);
        if (*w->at == ']' || !*w->at) return false;
        if (try_element(w, tree, json_array_get(tree, i), NULL, i)) {
            prepend_index(w, i);
            return true;
        }
        skip_space(w);
        if (*w->at == ',') step(w);
    }
}

/* At the bracket that opens `tree`. jansson has limited how deep this can go. */
static bool find(walk *w, const json_t *tree)
{
    step(w);
    if (json_is_object(tree) ? find_in_object(w, tree) : find_in_array(w, tree)) return true;
    if (*w->at) step(w);
    return false;
}

hed_json_place hed_json_find_place(const char *text, const json_t *root, const json_t *container,
    const char *key, size_t index, char *path, size_t size)
{
    walk w = {.at = text, .place = {1, 1}, .container = container, .key = key, .index = index,
        .path = path, .begin = size - 1};
    path[size - 1] = 0;
    skip_space(&w);
    if (container) find(&w, root);
    /* A path begins with a name, not with the dot before it. */
    if (path[w.begin] == '.') w.begin++;
    memmove(path, path + w.begin, size - w.begin);
    return w.place;
}
