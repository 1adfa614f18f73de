/* What the reader and the writer of instrument files share (docs/instrument-file.md). */
#ifndef SYNTH_FILE_PARTS_H
#define SYNTH_FILE_PARTS_H

#include "heddle/synth_file.h"

#include "model/model.h"
#include "support/json.h"

enum { SYNTH_FILE_VERSION = 1 };

/* The sections of a file, in the order in which they are read. */
extern const char *const synth_file_keys[];
extern const char *const synth_section_names[HED_SYNTH_ENTITY_TYPE_COUNT]; /* "bodies", "springs", ... */
extern const char *const synth_grid_keys[], *const synth_link_keys[],
                                                *const synth_modulation_keys[];

typedef enum synth_grid_kind {
    SYNTH_STRING,
    SYNTH_MEMBRANE,
    SYNTH_PLATE,
    SYNTH_LATTICE
} synth_grid_kind;
extern const char *const synth_grid_kinds[];
/* "first_i", "last_i", ...: two for each axis. */
extern const char *const synth_grid_ends[];
/* What a grid is before the file says anything of it. */
hed_synth_grid_def synth_default_grid(synth_grid_kind kind);

/* One load. The first complaint is kept; from then on readers give 0 and do nothing. */
typedef struct synth_file_reader {
    hed_json *json;
    hed_synth_instrument *instrument;
    /* of the instrument itself, where it is no matter of format; status HED_OK: none */
    hed_error failure;
} synth_file_reader;

bool synth_file_fine(const synth_file_reader *reader);
/* Keeps what a function of the instrument complained of, with its place. */
void synth_file_refuse(synth_file_reader *reader, hed_json_node node, const hed_error *error);
/* Reads the members of an object that are fields, over what is in `def`. `also`: keys that the
 * caller reads (ends with NULL). */
void synth_file_fields(synth_file_reader *reader, hed_json_node object, const synth_field *fields,
    void *def, const char *const *also);
/* What a text refers to. */
synth_reference synth_file_refer(synth_file_reader *reader, hed_json_node text);
/* Goes through a reference, or an array of them: calls `each` for every entity that is there.
 * `object` is for its complaints. */
void synth_file_each(synth_file_reader *reader, hed_json_node list,
    void (*each)(synth_file_reader *reader, hed_json_node node, hed_synth_entity entity, void *user),
    void *user);
/* A section's elements, one after another; a section that is not there has none. */
void synth_file_section(synth_file_reader *reader, hed_json_node root, const char *key,
    void (*read)(synth_file_reader *reader, hed_json_node element));

void synth_file_read_grid(synth_file_reader *reader, hed_json_node element); /* file_grid.c */

#endif
