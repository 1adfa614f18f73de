/* Reading JSON with errors that report the path inside the document, the file, line and column.
 *
 *     springs[12].to: expected a string, found a number (instrument.json:34:11)
 *
 * jansson parses. The accessors below walk its tree. The first accessor that finds a problem
 * records it, and from then on all accessors return 0, "", false and empty arrays, so that a loader
 * reads to the end and checks the status once:
 *
 *     hed_json_node spring = hed_json_item(springs, i);
 *     hed_json_only(spring, (const char *const[]){"from", "to", "stiffness", NULL});
 *     stiffness[i] = hed_json_number(hed_json_member(spring, "stiffness"), 0, 1e9);
 *     ...
 *     status = hed_json_status(json, error);
 *
 * A document belongs to one thread at a time. Duplicate keys are refused; a byte-order mark is
 * skipped. */
#ifndef HED_SUPPORT_JSON_H
#define HED_SUPPORT_JSON_H

#include "heddle/base.h"

#include <stdio.h>

typedef struct hed_json hed_json;

/* A value in a document, valid as long as the document is. */
typedef struct hed_json_node {
    hed_json *json;
    const struct json_t *value; /* NULL: missing, or the document has a problem */
    /* the array or object that contains it; NULL for the whole document */
    const struct json_t *container;
    const char *key; /* name in an object (the caller's string) */
    size_t index;    /* index in an array */
} hed_json_node;

typedef enum hed_json_kind {
    HED_JSON_NOTHING, /* missing */
    HED_JSON_NULL,
    HED_JSON_BOOLEAN,
    HED_JSON_NUMBER,
    HED_JSON_STRING,
    HED_JSON_ARRAY,
    HED_JSON_OBJECT
} hed_json_kind;

/* Reads a file of at most 1 GiB. Errors: IO, LIMIT, MEMORY, FORMAT (not JSON: file, line, column
 * and jansson's message). */
hed_status hed_json_read(const char *path, hed_json **json, hed_error *error);
/* Reads `size` bytes of text; `name` replaces the file's name in messages. Errors: MEMORY,
 * FORMAT. */
hed_status hed_json_parse(
    const char *name, const char *text, size_t size, hed_json **json, hed_error *error);
/* Returns OK, or the document's first problem. */
hed_status hed_json_status(const hed_json *json, hed_error *error);
/* Frees the document and every string returned from it. NULL is allowed. */
void hed_json_free(hed_json *json);

hed_json_node hed_json_root(hed_json *json);
hed_json_kind hed_json_kind_of(hed_json_node node);

/* True if an object has a member; a problem if the node is not an object. */
bool hed_json_has(hed_json_node object, const char *key);
/* Returns a required member; a problem if it is missing. */
hed_json_node hed_json_member(hed_json_node object, const char *key);
/* Iterates over the members of an object in the order of the text: returns the first member for
 * `key` NULL, else the one after `key`; missing after the last. The node's `key` is the member's
 * name. */
hed_json_node hed_json_next(hed_json_node object, const char *key);
/* Checks that the object has no key that is missing in the list, which ends with NULL. */
void hed_json_only(hed_json_node object, const char *const *keys);

/* Returns the length of an array; a problem if the node is not an array. */
size_t hed_json_count(hed_json_node array);
/* Returns element `index`; a problem if the array is shorter. */
hed_json_node hed_json_item(hed_json_node array, size_t index);

/* Returns a number from `low` to `high`, both included. */
double hed_json_number(hed_json_node node, double low, double high);
/* Returns a whole number from `low` to `high`; 3.0 counts as whole. */
int64_t hed_json_integer(hed_json_node node, int64_t low, int64_t high);
bool hed_json_boolean(hed_json_node node);
/* Returns a text without zero bytes, never NULL; it lives as long as the document. */
const char *hed_json_string(hed_json_node node);
/* Reads a string that must be in a list ending with NULL; returns its index in the list. */
uint32_t hed_json_choice(hed_json_node node, const char *const *choices);
/* Reads an array of exactly `count` numbers from `low` to `high`: a vector, a colour, a matrix. */
void hed_json_numbers(hed_json_node array, double *values, size_t count, double low, double high);

/* Sets the document's problem to one that the caller found: "springs[12].to: <formatted text>
 * (instrument.json:34:11)". An earlier problem remains. */
void hed_json_fail(hed_json_node node, hed_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Sets the problem to an error that contains its own position: of a file that the document
 * names. */
void hed_json_fail_as(hed_json_node node, const hed_error *error);
#define hed_json_reject(node, ...) hed_json_fail(node, HED_ERROR_FORMAT, __VA_ARGS__)

#endif
