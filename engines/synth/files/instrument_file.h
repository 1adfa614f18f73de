/* Declarations common to the reader and the writer of instrument files
 * (docs/instrument-file.md). */
#ifndef SYNTH_FILE_PARTS_H
#define SYNTH_FILE_PARTS_H

#include "heddle/synth_file.h"

#include "model/synth_model.h"

enum { SYNTH_FILE_VERSION = 1 };

/* Keys of instrument files; instrument.schema.json and the tables of docs/instrument-file.md are
 * made from them. */
extern const hed_document synth_file_document;

/* Fields of synth_layer in files; "instrument" and "name" have no member. */
extern const hed_fields synth_layer_fields;

typedef enum synth_grid_kind {
    SYNTH_STRING,
    SYNTH_MEMBRANE,
    SYNTH_PLATE,
    SYNTH_LATTICE
} synth_grid_kind;
extern const char *const synth_grid_kinds[];
/* "first_i", "last_i", ...: two for each axis */
extern const char *const synth_grid_ends[];
/* Returns the defaults of a grid of this kind, which the file's values override. */
hed_synth_grid_def synth_default_grid(synth_grid_kind kind);

#endif
