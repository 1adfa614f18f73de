/* Reading JSON so that every complaint names the place: the path inside the document, and file,
 * line and column.
 *
 *     springs[12].to: expected a string, found a number (instrument.json:34:11)
 *
 * jansson parses. The accessors below walk its tree; the first one that finds something wrong
 * explains it, and from then on all of them give 0, "", false and empty arrays, so that a loader
 * reads straight through and asks once:
 *
 *     hed_json_node spring = hed_json_item(springs, i);
 *     hed_json_only(spring, (const char *const[]){"from", "to", "stiffness", NULL});
 *     stiffness[i] = hed_json_number(hed_json_member(spring, "stiffness"), 0, 1e9);
 *     ...
 *     status = hed_json_status(json, error);
 *
 * A document belongs to one thread at a time. Duplicate keys are refused; a byte-order mark is
 * skipped.
 */
#ifndef HED_SUPPORT_JSON_H
#define HED_SUPPORT_JSON_H

#include "heddle/base.h"

#include <stdio.h>

typedef struct hed_json hed_json;

/* A value in a document: a plain value of its own, good as long as the document is. */
typedef struct hed_json_node {
    hed_json *json;
    const struct json_t *value; /* NULL: not there, or something was wrong before */
    /* the array or object that holds it; NULL for the whole document */
    const struct json_t *container;
    const char *key; /* its name in an object (the string that was asked with), */
    size_t index;    /* or its place in an array */
} hed_json_node;

typedef enum hed_json_kind {
    HED_JSON_NOTHING, /* not there */
    HED_JSON_NULL,
    HED_JSON_BOOLEAN,
    HED_JSON_NUMBER,
    HED_JSON_STRING,
    HED_JSON_ARRAY,
    HED_JSON_OBJECT
} hed_json_kind;

/* Reads a file of at most 1 GiB. Errors: IO, LIMIT, MEMORY, FORMAT (not JSON: file, line, column
 * and jansson's words). */
hed_status hed_json_read(const char *path, hed_json **json, hed_error *error);
/* Reads `size` bytes of text; `name` stands for the file's name in messages. Errors: MEMORY,
 * FORMAT. */
hed_status hed_json_parse(
    const char *name, const char *text, size_t size, hed_json **json, hed_error *error);
/* OK, or the first thing that was wrong. */
hed_status hed_json_status(const hed_json *json, hed_error *error);
/* Frees the document and every string that came out of it. NULL is allowed. */
void hed_json_free(hed_json *json);

hed_json_node hed_json_root(hed_json *json);
hed_json_kind hed_json_kind_of(hed_json_node node);

/* Whether an object has a member; wrong if the node is no object. */
bool hed_json_has(hed_json_node object, const char *key);
/* A member that has to be there. */
hed_json_node hed_json_member(hed_json_node object, const char *key);
/* The members of an object in the order in which they were written: the first one for `key` NULL,
 * else the one behind `key`; not there behind the last. Its `key` is its name. */
hed_json_node hed_json_next(hed_json_node object, const char *key);
/* Wrong if the object has any key that is not in the list, which ends with NULL. */
void hed_json_only(hed_json_node object, const char *const *keys);

/* Length of an array; wrong if the node is none. */
size_t hed_json_count(hed_json_node array);
/* Element `index`; wrong if there are not that many. */
hed_json_node hed_json_item(hed_json_node array, size_t index);

/* A number from `low` to `high`, both allowed. */
double hed_json_number(hed_json_node node, double low, double high);
/* A whole number from `low` to `high`; 3.0 counts as one. */
int64_t hed_json_integer(hed_json_node node, int64_t low, int64_t high);
bool hed_json_boolean(hed_json_node node);
/* Text without zero bytes, never NULL; lives as long as the document. */
const char *hed_json_string(hed_json_node node);
/* A string out of a list that ends with NULL: its place in the list. */
uint32_t hed_json_choice(hed_json_node node, const char *const *choices);
/* An array of exactly `count` numbers from `low` to `high`: a vector, a colour, a matrix. */
void hed_json_numbers(hed_json_node array, double *values, size_t count, double low, double high);

/* For what only the caller can know: "springs[12].to: <your words> (instrument.json:34:11)", which
 * is the document's problem from now on unless it has one. */
void hed_json_fail(hed_json_node node, hed_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The first problem is this one, which says itself where it is: of a file that the document names. */
void hed_json_fail_as(hed_json_node node, const hed_error *error);
#define hed_json_reject(node, ...) hed_json_fail(node, HED_ERROR_FORMAT, __VA_ARGS__)

#endif
