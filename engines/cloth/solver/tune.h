/* What measurement has found for a cloth: between tune.c, which finds and keeps it, and the
 * solvers, which are built by it. */
#ifndef CLOTH_TUNE_H
#define CLOTH_TUNE_H

#include "heddle/tune.h"
#include "solver/patches.h"

/* What the database knows for such a cloth on its device; `*configured` is HED_CONFIGURED_DEFAULT
 * where it knows nothing. */
hed_status cloth_tuned_resolve(
    const hed_cloth *cloth, hed_config *tuned, hed_configured *configured, hed_error *error);
/* Its solver; HED_CLOTH_AUTO: as the rules say. */
hed_cloth_solver cloth_tuned_solver(const hed_config *tuned);
/* `rule` with what was found in place of it. `particles` of a patch, `even_step` as the rules have
 * it. */
cloth_patch_choice cloth_tuned_choice(
    const hed_config *tuned, uint32_t particles, uint32_t even_step, cloth_patch_choice rule);
/* As hed_cloth_create(), with this configuration instead of the database's: cloth.c. */
hed_status cloth_create_tuned(hed_device *device, const hed_cloth_def *def, const hed_config *tuned,
    hed_cloth **cloth, hed_error *error);

#endif
