/* Internals of hed_synth_instrument: arrays by entity type, and a table from entity numbers to
 * array positions. Implemented in model/instrument.c. */
#ifndef SYNTH_MODEL_H
#define SYNTH_MODEL_H

#include "heddle/author.h"
#include "heddle/synth.h"
#include "heddle/base.h"
#include "model/entity_list.h"
#include "support/fields.h"

#include <string.h>

/* Hash table of array indices: open addressing, at most half full. Entries with equal hashes are
 * distinguished by the caller, who compares the array's elements. */

typedef struct synth_table {
    /* (capacity) hash in the high half, index + 1 in the low half; 0: free */
    uint64_t *slots;
    uint32_t capacity, count; /* capacity is 0 or a power of two */
} synth_table;

#define SYNTH_NO_PLACE UINT32_MAX

uint32_t synth_hash_text(const char *text, size_t length);
uint32_t synth_hash_pair(uint32_t a, uint32_t b);
/* Adds an index. False: out of memory, table unchanged. */
bool synth_table_put(
    synth_table *table, const hed_allocator *allocator, uint32_t hash, uint32_t place);
/* Returns the next index with this hash, or SYNTH_NO_PLACE after the last. `probe`: 0 at first,
 * then as this function left it. */
uint32_t synth_table_next(const synth_table *table, uint32_t hash, uint32_t *probe);
/* Removes all indices; keeps the memory. */
void synth_table_clear(synth_table *table);
void synth_table_free(synth_table *table, const hed_allocator *allocator);

enum { SYNTH_LONGEST_MACRO = 63 }; /* bytes of a name */

/* Position of an entity; type HED_SYNTH_ENTITY_TYPE_COUNT: removed. */
typedef struct synth_place {
    uint32_t type, index;
} synth_place;

/* Link from an exciter or microphone to a body, or from an audio input to its delay line. */
typedef struct synth_link {
    hed_synth_entity from, to;
    float weight;
} synth_link;

typedef struct synth_name {
    hed_synth_entity entity;
    char *text;
} synth_name;

/* A grid added by hed_synth_instrument_add_grid(). */
typedef struct synth_grid {
    char *name; /* NULL: no name */
    hed_synth_grid_def def;
    hed_synth_generated generated;
} synth_grid;

enum {
    SYNTH_MOST_LAYERS = 8,
    SYNTH_LONGEST_LAYER = 40, /* bytes of a name */
};

/* An instrument in a larger one (instrument_layers.c). */
typedef struct synth_layer {
    char name[SYNTH_LONGEST_LAYER + 1];
    float gain;                          /* dB */
    uint8_t low, high;                   /* notes */
    uint8_t velocity_low, velocity_high; /* velocities of notes that start */
    /* the layer's own; set by synth_layer_add(), as are the members below */
    hed_synth_instrument_def def;
    char macros[HED_SYNTH_MACROS][SYNTH_LONGEST_MACRO + 1];
    hed_synth_entity first; /* number of its first entity */
    /* number of its first control of the host, and of controls */
    uint32_t first_control, controls;
} synth_layer;

/* Arrays hold definitions in the order in which they were added; ids[type][i] is the entity of
 * element i. An instrument may have millions of bodies and springs, so an entity costs only its
 * definition, its number and its position. */
struct hed_synth_instrument {
    hed_allocator allocator;
    hed_synth_instrument_def def;
    uint32_t counts[HED_SYNTH_ENTITY_TYPE_COUNT], capacities[HED_SYNTH_ENTITY_TYPE_COUNT];
    hed_synth_entity *ids[HED_SYNTH_ENTITY_TYPE_COUNT];
#define ARRAY(TYPE, name, plural, ...) hed_synth_##name##_def *plural;
    SYNTH_ENTITIES(ARRAY)
#undef ARRAY
    synth_place *places; /* (entity_count + 1), by entity number */
    uint32_t entity_count, place_capacity;
    synth_link *links; /* (link_count), in order of creation */
    uint32_t link_count, link_capacity;
    hed_synth_modulation_def *modulations; /* (modulation_count), in order of creation */
    uint32_t modulation_count, modulation_capacity;
    synth_table link_table; /* links by both ends */
    synth_name *names;      /* (name_count), by entity number */
    uint32_t name_count, name_capacity;
    synth_table name_table; /* names by text */
    /* (grid_count), in order of creation; entities of a grid may have been removed or changed */
    synth_grid *grids;
    uint32_t grid_count, grid_capacity;
    char *file; /* path of its file, for messages; NULL: none */
    char macros[HED_SYNTH_MACROS][SYNTH_LONGEST_MACRO + 1];
    synth_layer layers[SYNTH_MOST_LAYERS];
    uint32_t layer_count; /* 0: all entities are one instrument */
    bool has_tempo;       /* true: def.tempo replaces the layers' tempos */
    /* true, and the ratio of samples to frames, for a layer that synth_layer_extract() made to sound */
    bool is_layer;
    uint32_t layer_samples, layer_frames;
};

/* Remembers the path of the instrument's file. Errors: MEMORY. */
hed_status synth_name_file(hed_synth_instrument *instrument, const char *file, hed_error *error);

/* Returns the position of an entity, NULL if it is unknown. */
const synth_place *synth_find(const hed_synth_instrument *instrument, hed_synth_entity entity);
/* Returns the rest length, m; a negative definition is a multiple of the ends' distance. */
float synth_rest_length(const hed_synth_instrument *instrument, const hed_synth_spring_def *spring);
/* Returns the largest dilation that notes and bends can reach. */
double synth_largest_dilation(const hed_synth_instrument_def *def);

/* ---- layers (instrument_layers.c, layer_ranges.c) ---- */

/* Adds the entities of an instrument as a layer: name, gain and ranges are the caller's. After a
 * failure the instrument can only be destroyed. Errors: ARGUMENT (no note left, a name in use, layers
 * in layers), LIMIT, MEMORY. */
hed_status synth_layer_add(hed_synth_instrument *instrument, const synth_layer *layer,
    const hed_synth_instrument *content, hed_error *error);
/* Makes the instrument of a layer. `sounds`: for a synth, with the numbers and names of the whole,
 * its gain, notes and tempo; else as the layer was read. Errors: MEMORY. */
hed_status synth_layer_extract(const hed_synth_instrument *instrument, uint32_t index, bool sounds,
    hed_synth_instrument **content, hed_error *error);
/* Returns the layer of an entity, also of the next one to be added; 0 without layers. */
uint32_t synth_layer_of(const hed_synth_instrument *instrument, hed_synth_entity entity);
/* Returns the number after a layer's last entity. */
hed_synth_entity synth_layer_end(const hed_synth_instrument *instrument, uint32_t layer);
/* True if a key of an instrument's properties is of a whole with layers, and not of each layer. */
bool synth_is_of_whole(const char *key);
/* Checks that two entities belong to one layer. Errors: ARGUMENT (names `b`). */
hed_status synth_check_layers(const hed_synth_instrument *instrument, hed_synth_entity a,
    hed_synth_entity b, hed_error *error);

/* ---- pitch at any rate (rate_pitch.c) ---- */

/* Returns the factor of a mode's w that gives the mode at `rate` the frequency that it has at
 * `reference`, Hz. */
double synth_rate_factor(double frequency, double reference, double rate);
/* Returns the dilation that at `rate` has the pitch that `dilation` has at 48 kHz. Thread class: rt. */
double synth_dilation_at(const hed_synth_instrument_def *def, double dilation, double rate);
/* Returns the factor of a body's 1/mass at `rate`: 1 at the rate that its pitch is tuned for. */
double synth_body_factor(
    const hed_synth_instrument *instrument, hed_synth_entity body, double rate);

/* ---- internals of the model ---- */

enum {
    SYNTH_MOST_ENTITIES = 1 << 28, /* ever created, including removed ones */
    SYNTH_MOST_OF_TYPE = 1 << 24,  /* limit of the index in a row's seat */
    SYNTH_LONGEST_NAME = 255,
    SYNTH_LONGEST_GRID_NAME = 200, /* leaves space for "[1,2,3]" within SYNTH_LONGEST_NAME */
    SYNTH_DESCRIPTION = 320        /* bytes that every hed_synth_instrument_describe() fits in */
};

/* Grows an array to at least `need` elements: returns `array`, or a larger copy after freeing
 * `array`. NULL: out of memory, nothing has changed. */
void *synth_grow(
    const hed_allocator *allocator, void *array, uint32_t *capacity, uint64_t need, size_t size);
char *synth_copy_text(const hed_allocator *allocator, const char *text);
void synth_free_text(const hed_allocator *allocator, char *text);
/* Return the array of a type's definitions, and one element of it. */
void *synth_array(const hed_synth_instrument *instrument, uint32_t type);
void *synth_element(const hed_synth_instrument *instrument, uint32_t type, uint32_t index);
/* Reserves space for `more` entities of a type; synth_append() then stores checked definitions
 * and cannot fail. Errors: LIMIT, MEMORY. */
hed_status synth_reserve(
    hed_synth_instrument *instrument, uint32_t type, uint32_t more, hed_error *error);
/* Reserves space in the table of positions only. Errors: LIMIT, MEMORY. */
hed_status synth_reserve_places(hed_synth_instrument *instrument, uint32_t more, hed_error *error);
hed_synth_entity synth_append(hed_synth_instrument *instrument, uint32_t type, const void *def);
/* Checks that a name is valid and unused. Errors: ARGUMENT. */
hed_status synth_check_name(
    const hed_synth_instrument *instrument, const char *name, hed_error *error);
/* Checks that a grid's name is valid and unused. Errors: ARGUMENT. */
hed_status synth_check_grid_name(
    const hed_synth_instrument *instrument, const char *name, hed_error *error);
/* Names an entity whose number is larger than that of every named one. Errors: MEMORY. */
hed_status synth_set_name(
    hed_synth_instrument *instrument, hed_synth_entity entity, const char *text, hed_error *error);

/* ---- names (name.c) ---- */

/* flag in the name table: the index is a grid's, not a name's */
#define SYNTH_GRID_NAME 0x80000000u

/* Finds a grid by name; NULL: none. `text` need not end with zero. */
const synth_grid *synth_find_grid(
    const hed_synth_instrument *instrument, const char *text, size_t length);
/* Returns the grid that made a body or spring; NULL: none. */
const synth_grid *synth_grid_of(const hed_synth_instrument *instrument, hed_synth_entity entity);
/* Writes the text by which files refer to an entity: its name, "string1[3]",
 * "string1.springs[3]". False: it has none. */
bool synth_name_of(
    const hed_synth_instrument *instrument, hed_synth_entity entity, char *text, size_t size);

/* Writes the text by which files would refer to a body or spring of a grid named `name`. */
void synth_part_name(
    const synth_grid *grid, const char *name, hed_synth_entity entity, char *text, size_t size);

/* Positions in a grid: from `low` to `high`, inclusive, along each axis. */
typedef struct synth_box {
    uint32_t low[3], high[3];
} synth_box;

/* Entities that a text refers to: a single entity, or many entities of a grid. */
typedef struct synth_reference {
    const synth_grid *grid; /* NULL: a single entity */
    /* the entity, or the first of the grid's springs; 0: bodies of the grid, in `box` */
    hed_synth_entity first;
    synth_box box;
    uint32_t count;
} synth_reference;

/* Parses a name, "plate", "string1[3]", "string1[0..9]", "plate[*,4]", "string1.springs",
 * "string1.springs[0..2]". On failure writes the cause to `reason` (`room` bytes). */
bool synth_refer(const hed_synth_instrument *instrument, const char *text,
    synth_reference *reference, char *reason, size_t room);
/* Returns entity `index` of `count`; it may have been removed. */
hed_synth_entity synth_reference_at(const synth_reference *reference, uint32_t index);

/* ---- grids (grid.c) ---- */

/* Copies the definition and sets the value that `tune` selects: the stiffness, or the bend if
 * there is no tension. Errors: ARGUMENT. */
hed_status synth_resolve_grid(
    const hed_synth_grid_def *def, hed_synth_grid_def *resolved, hed_error *error);
/* Fills in the bodies and springs of a resolved grid, in order, and counts them; `first` is the
 * number of the first body. Either array may be NULL. */
hed_synth_generated synth_fill_grid(const hed_synth_grid_def *def, hed_synth_entity first,
    hed_synth_body_def *bodies, hed_synth_spring_def *springs);

/* ---- fields of definitions (entity.c), for checking, reading and writing ---- */

enum { SYNTH_FIELD_DIRECTION = 1 }; /* tag of a VECTOR that must not be 0 */

/* Fields of each type, named as its section of a file. A row without a member is the name; one with
 * a member and a form refers to an entity of the type in its tag. */
extern const hed_fields synth_fields[HED_SYNTH_ENTITY_TYPE_COUNT];
extern const hed_fields synth_instrument_fields; /* hed_synth_instrument_def */
extern const hed_fields synth_adsr_fields, synth_route_fields, synth_grid_body_fields,
    synth_grid_spring_fields;
extern const char *const synth_modulation_names[], *const synth_target_names[];
extern const size_t synth_def_sizes[HED_SYNTH_ENTITY_TYPE_COUNT];
/* Checks that every value of a definition is within its range; references are not checked.
 * Errors: ARGUMENT. */
hed_status synth_check_fields(
    const hed_fields *fields, const void *def, const char *subject, hed_error *error);
/* Least and largest value of a parameter of an entity, in its definition's unit. */
typedef struct synth_range {
    float low, high;
} synth_range;
/* Returns the range of a parameter that hed_synth_target_of() lists for `type`: its field's range;
 * for a rotation, which has no field, 1e4 rad in both directions. Thread class: rt. */
synth_range synth_target_range(hed_synth_entity_type type, hed_synth_target target);
/* True if a row refers to an entity. */
static inline bool synth_refers(const hed_field *field)
{
    return field->kind == HED_FIELD_OTHER && field->size > 0;
}
/* Returns the entity that a row with synth_refers() refers to, of element `index` of a type. */
static inline hed_synth_entity synth_referred(
    const hed_synth_instrument *instrument, uint32_t type, uint32_t index, const hed_field *field)
{
    hed_synth_entity entity;
    memcpy(&entity, (const char *)synth_element(instrument, type, index) + field->offset,
        sizeof entity);
    return entity;
}
/* True if a field has the same bits in both values. (Whole definitions cannot be compared: they
 * have padding.) */
static inline bool synth_same_value(const hed_field *field, const void *a, const void *b)
{
    return memcmp(a, b, field->size) == 0;
}
bool synth_is_exciter(hed_synth_entity_type type);
bool synth_is_modulator(hed_synth_entity_type type);

#endif
