/* HED_CLOTH_PATCHES and HED_CLOTH_WHOLE: a whole substep in one launch, particles in local memory. */
#include "solver/solver.h"

#include <stdio.h>

static bool not_valid(const hed_cloth *cloth, char *reason, size_t size)
{
    (void)cloth;
    snprintf(reason, size, "not there yet");
    return false;
}

static hed_status create(hed_cloth *cloth, cloth_structure **structure, hed_error *error)
{
    (void)cloth;
    *structure = NULL;
    return cloth_fail(error, HED_ERROR_UNSUPPORTED, "not there yet");
}

static void destroy(hed_cloth *cloth, cloth_structure *structure)
{
    (void)cloth;
    (void)structure;
}

static hed_status substeps(hed_cloth *cloth, cloth_structure *structure, const cloth_step *first, const cloth_step *rest,
                           float dt, uint32_t count, hed_error *error)
{
    (void)cloth, (void)structure, (void)first, (void)rest, (void)dt, (void)count;
    return cloth_fail(error, HED_ERROR_UNSUPPORTED, "not there yet");
}

static void report(const hed_cloth *cloth, const cloth_structure *structure, hed_cloth_report *filled)
{
    (void)cloth, (void)structure, (void)filled;
}

const cloth_structure_ops cloth_patches_ops = {HED_CLOTH_PATCHES, not_valid, create, destroy, substeps, report};
const cloth_structure_ops cloth_whole_ops = {HED_CLOTH_WHOLE, not_valid, create, destroy, substeps, report};
