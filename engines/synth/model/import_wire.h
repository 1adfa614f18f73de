/* Protobuf's wire format, read into structs by tables: three of its wire types (varint, 32 bits,
 * length and bytes); of the fourth (64 bits) it is known how long it is. Fields that no table has
 * are passed over, as it asks. */
#ifndef SYNTH_IMPORT_WIRE_H
#define SYNTH_IMPORT_WIRE_H

#include "heddle/base.h"

typedef enum synth_wire_kind {
    SYNTH_WIRE_FLOAT,
    SYNTH_WIRE_WHOLE,   /* varint, the low 32 bits as int32_t */
    SYNTH_WIRE_FLAG,    /* varint, as bool */
    SYNTH_WIRE_MESSAGE, /* a struct in the struct */
    SYNTH_WIRE_LIST     /* a repeated message: a synth_wire_list */
} synth_wire_kind;

typedef struct synth_wire_message synth_wire_message;

/* A field: its number in the file, and where its value goes. */
typedef struct synth_wire_field {
    uint32_t number; /* 0 ends a table */
    synth_wire_kind kind;
    size_t offset;
    const synth_wire_message *message; /* MESSAGE, LIST */
    /* of a oneof: 1 + offset of the int32_t that keeps its number; 0: none */
    size_t choice;
} synth_wire_field;

struct synth_wire_message {
    const char *name;
    size_t size;
    const synth_wire_field *fields;
};

typedef struct synth_wire_list {
    void *items;
    uint32_t count, capacity;
} synth_wire_list;

enum { SYNTH_WIRE_MOST = 1 << 20 }; /* items of a list */

/* Reads a message into `out`, zero before; synth_wire_free() whatever the outcome.
 * Errors: FORMAT (says at which byte), LIMIT, MEMORY. */
hed_status synth_wire_read(const synth_wire_message *message, const void *bytes, size_t size,
    const char *name, void *out, hed_error *error);
/* Frees the lists in a message. */
void synth_wire_free(const synth_wire_message *message, void *out);

#endif
