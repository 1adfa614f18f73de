/* Objective of a tuning by its word, for tune files and the command. */
#ifndef HED_TUNEFILE_OBJECTIVE_H
#define HED_TUNEFILE_OBJECTIVE_H

#include "heddle/tune.h"

/* Sets the objective of `def` by a word: "time", "energy", "time,energy" or "energy,time" (the first
 * is minimized, the second measured), or the name of one of def->metrics. Errors: ARGUMENT (lists the
 * words). */
hed_status hed_objective_set(hed_tune_def *def, const char *objective, hed_error *error);

#endif
