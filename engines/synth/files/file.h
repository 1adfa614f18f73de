/* Declarations common to the reader and the writer of instrument files
 * (docs/instrument-file.md). */
#ifndef SYNTH_FILE_PARTS_H
#define SYNTH_FILE_PARTS_H

#include "heddle/synth_file.h"

#include "model/model.h"
#include "support/json.h"

enum { SYNTH_FILE_VERSION = 1 };

/* keys of the document, in reading order */
extern const char *const synth_file_keys[];
extern const char
    *const synth_section_names[HED_SYNTH_ENTITY_TYPE_COUNT]; /* "bodies", "springs", ... */
extern const char *const synth_grid_keys[], *const synth_link_keys[],
                                                *const synth_modulation_keys[];

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
