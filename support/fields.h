/* Tables of fields: one row for each key of a JSON object. Reading, checking, the JSON schema and
 * the documentation's tables of keys come from the same row.
 *
 *     static const hed_field push_rows[] = {
 *         {"at", "time from the start of the run", HED_AS_NUMBER(push, seconds, 0, 1e9, "s"),
 *             .required = true},
 *         {"change", "addition to the states", HED_AS_OTHER("states", read_change), .required = true},
 *         {0},
 *     };
 *     static const hed_fields push_fields = {"push", "disturbance of the plant", .rows = push_rows};
 *     ...
 *     hed_fields_read(&push_fields, node, &pushes[i], reader);
 *
 * Rows are read in the order of their table, whatever the order in the file: a row may rely on the
 * rows before it. Errors are as in json.h. */
#ifndef HED_SUPPORT_FIELDS_H
#define HED_SUPPORT_FIELDS_H

#include "support/json.h"

#include <stddef.h>

/* Largest limit of a number that is not a limit: every finite float. */
#define HED_FIELD_ANY 3e38

typedef enum hed_field_kind {
    HED_FIELD_NUMBER,  /* float or double, by its size */
    HED_FIELD_INTEGER, /* unsigned, by its size */
    HED_FIELD_BOOLEAN,
    HED_FIELD_TEXT,   /* const char *, which lives as long as the document */
    HED_FIELD_CHOICE, /* enumerator: index in `words` */
    HED_FIELD_VECTOR, /* `count` floats or doubles */
    HED_FIELD_OBJECT, /* struct with a table of its own */
    HED_FIELD_LIST,   /* array of `low` to `high` objects of a table, or values of a form */
    HED_FIELD_OTHER   /* value of a form */
} hed_field_kind;

typedef struct hed_field hed_field;
typedef struct hed_fields hed_fields;

/* Reads a value to `at`, the row's member; `user` is the reader's. */
typedef void hed_field_read(const hed_field *field, hed_json_node node, void *at, void *user);

struct hed_field {
    const char *key;  /* NULL ends a table */
    const char *help; /* meaning, for the schema and the documents: a phrase without a full stop */
    hed_field_kind kind;
    uint32_t offset, size; /* member of the struct, bytes; size 0: the value is only checked */
    double low, high;
    const char *unit;         /* NULL: no unit */
    const char *const *words; /* CHOICE: end with NULL */
    uint32_t count;           /* VECTOR: 0: any number of elements */
    const hed_fields *fields; /* OBJECT, LIST */
    uint32_t second;          /* offset of another member that `read` sets, as a list's length */
    const char *form;         /* LIST, OTHER: name of a form of the document */
    /* NULL: by kind; LIST and OTHER without it are left to the caller */
    hed_field_read *read;
    bool required;
    /* key of a CHOICE or INTEGER of the same table, and one bit for each of its values with which
     * this row has an effect; bit 31: all values from 31 on. NULL: always */
    const char *with;
    uint32_t with_values;
    uint32_t tag; /* free for the table's users */
};

struct hed_fields {
    const char *name; /* name in the schema's $defs; "" for the whole document */
    const char *help;
    const hed_field *rows;
    const void *defaults;      /* struct with the values of missing keys; NULL: unknown */
    const char *const *one_of; /* exactly one of these keys is required; NULL: no such rule */
    const char *rule; /* more members of the schema's object, as in hed_form; may be NULL */
};

#define HED_MEMBER(type, member) \
    .offset = offsetof(type, member), .size = sizeof(((type *)NULL)->member)
#define HED_AS_NUMBER(type, member, least, most, units) \
    .kind = HED_FIELD_NUMBER, HED_MEMBER(type, member), .low = (least), .high = (most), \
    .unit = (units)
#define HED_AS_INTEGER(type, member, least, most) \
    .kind = HED_FIELD_INTEGER, HED_MEMBER(type, member), .low = (double)(least), \
    .high = (double)(most)
#define HED_AS_BOOLEAN(type, member) .kind = HED_FIELD_BOOLEAN, HED_MEMBER(type, member)
#define HED_AS_TEXT(type, member) .kind = HED_FIELD_TEXT, HED_MEMBER(type, member)
#define HED_AS_CHOICE(type, member, list) \
    .kind = HED_FIELD_CHOICE, HED_MEMBER(type, member), .words = (list)
#define HED_AS_VECTOR(type, member, length, least, most, units) \
    .kind = HED_FIELD_VECTOR, HED_MEMBER(type, member), .count = (length), .low = (least), \
    .high = (most), .unit = (units)
#define HED_AS_OBJECT(type, member, table) \
    .kind = HED_FIELD_OBJECT, HED_MEMBER(type, member), .fields = (table)
/* Object that `function` reads; NULL: its fields are members of the same struct. */
#define HED_AS_PART(table, function) .kind = HED_FIELD_OBJECT, .fields = (table), .read = (function)
#define HED_AS_LIST(table, least, most, function) \
    .kind = HED_FIELD_LIST, .fields = (table), .low = (least), .high = (most), .read = (function)
#define HED_AS_OTHER(name, function) .kind = HED_FIELD_OTHER, .form = (name), .read = (function)

/* Reads the members of an object into `into`, over the values that it has. Records a problem for an
 * unknown key (with the nearest known one), a missing required key, and a key without effect. */
void hed_fields_read(const hed_fields *fields, hed_json_node object, void *into, void *user);
/* Checks the keys of an object: no unknown one, no missing one. */
void hed_fields_only(const hed_fields *fields, hed_json_node object);
/* Reads one value by the row's kind. */
void hed_field_read_value(const hed_field *field, hed_json_node node, void *at, void *user);
/* Returns the second member of a row. */
static inline void *hed_field_second(const hed_field *field, void *at)
{
    return (char *)at - field->offset + field->second;
}
/* Returns the length of the array of a LIST; a problem if it is outside of the row's limits. */
size_t hed_field_length(const hed_field *field, hed_json_node array);
/* Finds the member of `one_of` that is present; returns its index. A problem if no member or
 * several are present. */
uint32_t hed_fields_which(const hed_fields *fields, hed_json_node object);
const hed_field *hed_fields_find(const hed_fields *fields, const char *key);

/* Checks numbers and enumerators of a struct that a program has filled: the same ranges as in a
 * file. `subject` begins the message. Errors: ARGUMENT. */
hed_status hed_fields_check(
    const hed_fields *fields, const void *values, const char *subject, hed_error *error);

/* ---- schema and documents (fields_schema.c) ---- */

/* A kind of value that is no plain field, or the common value of several rows. `json` is its
 * schema, with ' in place of ". */
typedef struct hed_form {
    const char *name; /* NULL ends a list */
    const char *help; /* phrase for the documents, such as "number, or list of numbers" */
    const char *json;
} hed_form;

typedef struct hed_document {
    const char *title, *help;
    const hed_fields *const *tables; /* end with NULL; the first is the whole document */
    const hed_form *forms;
} hed_document;

/* Writes the JSON schema (draft 2020-12): one line for each key. */
void hed_document_write_schema(const hed_document *document, FILE *file);
/* Writes Markdown tables of all keys, object by object. */
void hed_document_write_tables(const hed_document *document, FILE *file);

#endif
