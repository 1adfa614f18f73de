/* The inside of a hed_synth_instrument: arrays by type, and a table from entity numbers to places
 * in them. model/instrument.c keeps it. */
#ifndef SYNTH_MODEL_H
#define SYNTH_MODEL_H

#include "heddle/author.h"
#include "heddle/synth.h"
#include "heddle/base.h"

/* Places in an array, found by a hash of what stands there: open addressing, at most half full.
 * What has the same hash is told apart by the caller, who looks at the array. */

typedef struct synth_table {
    /* (capacity) hash in the high half, place + 1 in the low one; 0: free */
    uint64_t *slots;
    uint32_t capacity, count; /* capacity is 0 or a power of two */
} synth_table;

#define SYNTH_NO_PLACE UINT32_MAX

uint32_t synth_hash_text(const char *text, size_t length);
uint32_t synth_hash_pair(uint32_t a, uint32_t b);
/* Adds a place. False: out of memory, and nothing has changed. */
bool synth_table_put(
    synth_table *table, const hed_allocator *allocator, uint32_t hash, uint32_t place);
/* The next place with this hash, SYNTH_NO_PLACE behind the last. `probe` is 0 for the first. */
uint32_t synth_table_next(const synth_table *table, uint32_t hash, uint32_t *probe);
/* Forgets all places; the memory stays. */
void synth_table_clear(synth_table *table);
void synth_table_free(synth_table *table, const hed_allocator *allocator);

enum { SYNTH_LONGEST_MACRO = 63 }; /* bytes of a name */

/* Where an entity is; type HED_SYNTH_ENTITY_TYPE_COUNT: removed. */
typedef struct synth_place {
    uint32_t type, index;
} synth_place;

/* An exciter or microphone to a body, or an audio input to its delay line. */
typedef struct synth_link {
    hed_synth_entity from, to;
    float weight;
} synth_link;

typedef struct synth_name {
    hed_synth_entity entity;
    char *text;
} synth_name;

/* What hed_synth_instrument_add_grid() made. */
typedef struct synth_grid {
    char *name; /* NULL: none */
    hed_synth_grid_def def;
    hed_synth_generated generated;
} synth_grid;

/* The arrays hold definitions in the order they were added; ids[type][i] is the entity of element
 * i. Bodies and springs by the million: so no entity has more than its definition, its number and
 * its place. */
struct hed_synth_instrument {
    hed_allocator allocator;
    hed_synth_instrument_def def;
    uint32_t counts[HED_SYNTH_ENTITY_TYPE_COUNT], capacities[HED_SYNTH_ENTITY_TYPE_COUNT];
    hed_synth_entity *ids[HED_SYNTH_ENTITY_TYPE_COUNT];
    hed_synth_body_def *bodies;
    hed_synth_spring_def *springs;
    hed_synth_microphone_def *microphones;
    hed_synth_mallet_def *mallets;
    hed_synth_plectrum_def *plectrums;
    hed_synth_bow_def *bows;
    hed_synth_oscillator_def *oscillators;
    hed_synth_audio_input_def *audio_inputs;
    hed_synth_lfo_def *lfos;
    hed_synth_envelope_def *envelopes;
    hed_synth_follower_def *followers;
    hed_synth_midi_source_def *midi_sources;
    hed_synth_delay_line_def *delay_lines;
    synth_place *places; /* (entity_count + 1), by entity number */
    uint32_t entity_count, place_capacity;
    synth_link *links; /* (link_count), in the order they were made */
    uint32_t link_count, link_capacity;
    hed_synth_modulation_def *modulations; /* (modulation_count), likewise */
    uint32_t modulation_count, modulation_capacity;
    synth_table link_table; /* links by both ends */
    synth_name *names;      /* (name_count), by entity number */
    uint32_t name_count, name_capacity;
    synth_table name_table; /* names by text */
    /* (grid_count), in the order they were made; their entities may be gone or changed */
    synth_grid *grids;
    uint32_t grid_count, grid_capacity;
    char *file; /* that it was read from, for messages; NULL: none */
    char macros[HED_SYNTH_MACROS][SYNTH_LONGEST_MACRO + 1];
};

/* Remembers the file that it was read from. Errors: MEMORY. */
hed_status synth_name_file(hed_synth_instrument *instrument, const char *file, hed_error *error);

/* Place of an entity, NULL if it is unknown. */
const synth_place *synth_find(const hed_synth_instrument *instrument, hed_synth_entity entity);
/* Rest length in metres, with the meaning of a negative one applied. */
float synth_rest_length(const hed_synth_instrument *instrument, const hed_synth_spring_def *spring);
/* Largest dilation that notes and bends can ask for. */
double synth_largest_dilation(const hed_synth_instrument_def *def);

/* ---- inside the model ---- */

enum {
    SYNTH_MOST_ENTITIES = 1 << 28, /* that ever were */
    SYNTH_MOST_OF_TYPE = 1 << 24,  /* as many as a seat of a row can name */
    SYNTH_LONGEST_NAME = 255,
    SYNTH_LONGEST_GRID_NAME = 200, /* so that "name[1,2,3]" is no longer than a name */
    SYNTH_DESCRIPTION = 320        /* bytes that every hed_synth_instrument_describe() fits in */
};

/* An array that holds `need` elements: `array`, or a larger one with its contents, `array` freed.
 * NULL: out of memory, nothing has changed. */
void *synth_grow(
    const hed_allocator *allocator, void *array, uint32_t *capacity, uint64_t need, size_t size);
char *synth_copy_text(const hed_allocator *allocator, const char *text);
void synth_free_text(const hed_allocator *allocator, char *text);
/* The array of a type's definitions, and one of them. */
void *synth_array(const hed_synth_instrument *instrument, uint32_t type);
void *synth_element(const hed_synth_instrument *instrument, uint32_t type, uint32_t index);
/* Room for `more` entities of a type, for synth_append() to fill with what has been checked.
 * Errors: LIMIT, MEMORY. */
hed_status synth_reserve(
    hed_synth_instrument *instrument, uint32_t type, uint32_t more, hed_error *error);
/* Room in the table of numbers alone. Errors: LIMIT, MEMORY. */
hed_status synth_reserve_places(hed_synth_instrument *instrument, uint32_t more, hed_error *error);
hed_synth_entity synth_append(hed_synth_instrument *instrument, uint32_t type, const void *def);
/* Whether a name is free and well. Errors: ARGUMENT. */
hed_status synth_check_name(
    const hed_synth_instrument *instrument, const char *name, hed_error *error);
/* The same for a grid. */
hed_status synth_check_grid_name(
    const hed_synth_instrument *instrument, const char *name, hed_error *error);
/* Names an entity whose number is larger than that of every named one. Errors: MEMORY. */
hed_status synth_set_name(
    hed_synth_instrument *instrument, hed_synth_entity entity, const char *text, hed_error *error);

/* ---- names (name.c) ---- */

#define SYNTH_GRID_NAME 0x80000000u /* in the name table: with the place of a grid, not of a name */

/* The grid of this name, NULL when there is none. The text need not end with zero. */
const synth_grid *synth_find_grid(
    const hed_synth_instrument *instrument, const char *text, size_t length);
/* The grid that made a body or spring, NULL: none. */
const synth_grid *synth_grid_of(const hed_synth_instrument *instrument, hed_synth_entity entity);
/* What refers to an entity in files: its name, "string1[3]", "string1.springs[3]". False: it has
 * none. */
bool synth_name_of(
    const hed_synth_instrument *instrument, hed_synth_entity entity, char *text, size_t size);

/* The same for a body or spring of a grid, were the grid's name `name`. */
void synth_part_name(
    const synth_grid *grid, const char *name, hed_synth_entity entity, char *text, size_t size);

/* Places of a grid: from `low` to `high`, both included, along each axis. */
typedef struct synth_box {
    uint32_t low[3], high[3];
} synth_box;

/* What a text refers to: an entity, or many of a grid. */
typedef struct synth_reference {
    const synth_grid *grid; /* NULL: a single entity */
    /* it, or the first of the grid's springs; 0: bodies of the grid, in `box` */
    hed_synth_entity first;
    synth_box box;
    uint32_t count;
} synth_reference;

/* Reads a name, "plate", "string1[3]", "string1[0..9]", "plate[*,4]", "string1.springs",
 * "string1.springs[0..2]". On failure `reason` says why. */
bool synth_refer(const hed_synth_instrument *instrument, const char *text,
    synth_reference *reference, char *reason, size_t room);
/* Entity `index` of its `count`; it may have been removed. */
hed_synth_entity synth_reference_at(const synth_reference *reference, uint32_t index);

/* ---- grids (grid.c) ---- */

/* The definition with what `tune` asks for: the stiffness, or where there is no tension the bend.
 * Errors: ARGUMENT. */
hed_status synth_resolve_grid(
    const hed_synth_grid_def *def, hed_synth_grid_def *resolved, hed_error *error);
/* Makes a resolved grid's bodies and springs, in their order, and counts them; `first` is the first
 * body's number. Either array may be NULL. */
hed_synth_generated synth_fill_grid(const hed_synth_grid_def *def, hed_synth_entity first,
    hed_synth_body_def *bodies, hed_synth_spring_def *springs);

/* ---- what a definition holds (entity.c): for checking, reading and writing ---- */

typedef enum synth_field_kind {
    SYNTH_FIELD_NUMBER,    /* float in [low, high] */
    SYNTH_FIELD_VECTOR,    /* float[3] in [low, high] */
    SYNTH_FIELD_DIRECTION, /* float[3], not 0 */
    SYNTH_FIELD_WHOLE,     /* uint32_t in [low, high] */
    SYNTH_FIELD_NOTE,      /* uint8_t up to 127 */
    SYNTH_FIELD_BOOLEAN,
    SYNTH_FIELD_CHOICE, /* an enum, by `choices` */
    SYNTH_FIELD_ENTITY, /* hed_synth_entity of type `refers` */
    SYNTH_FIELD_ADSR,
    SYNTH_FIELD_ROUTE
} synth_field_kind;

typedef struct synth_field {
    const char *key; /* in files; NULL ends a list */
    synth_field_kind kind;
    uint32_t offset; /* in the definition */
    double low, high;
    const char *const *choices; /* ends with NULL */
    hed_synth_entity_type refers;
} synth_field;

extern const synth_field *const synth_fields[HED_SYNTH_ENTITY_TYPE_COUNT]; /* of each type */
extern const synth_field synth_instrument_fields[]; /* of hed_synth_instrument_def */
extern const char *const synth_mode_names[], *const synth_modulation_names[];
extern const size_t synth_def_sizes[HED_SYNTH_ENTITY_TYPE_COUNT];
/* Whether every value of a definition (of these fields, without references) is within its range.
 * Errors: ARGUMENT. */
hed_status synth_check_fields(
    const synth_field *fields, const void *def, const char *what, hed_error *error);
/* Least and largest value of a parameter of an entity, in its definition's unit. */
typedef struct synth_range {
    float low, high;
} synth_range;
/* Range of a parameter that hed_synth_target_of() lists for `type`: that of its field; of a rotation,
 * which has none, 1e4 rad either way. Thread class: rt. */
synth_range synth_target_range(hed_synth_entity_type type, hed_synth_target target);
/* Whether a field has the same bits at both places. (Definitions have padding: as wholes they
 * cannot be compared.) */
bool synth_same_value(const synth_field *field, const void *a, const void *b);
bool synth_is_exciter(hed_synth_entity_type type);
bool synth_is_modulator(hed_synth_entity_type type);

#endif
