/* The kernels that commands go through. */
#include "cli/common/kernels.h"

#include "heddle/canonical.h"
#include "heddle/cloth.h"
#include "heddle/synth.h"

#include <string.h>

uint32_t cli_kernel_count(void)
{
    return hed_canonical_count() + hed_cloth_kernel_count() + hed_synth_kernel_count();
}

const hed_kernel_def *cli_kernel_at(uint32_t index)
{
    uint32_t cloth = hed_canonical_count(), synth = cloth + hed_cloth_kernel_count();
    if (index < cloth) return hed_canonical_at(index);
    return index < synth ? hed_cloth_kernel_at(index - cloth) : hed_synth_kernel_at(index - synth);
}

const hed_kernel_def *cli_kernel_find(const char *name)
{
    for (uint32_t i = 0; i < cli_kernel_count(); i++)
        if (strcmp(cli_kernel_at(i)->name, name) == 0) return cli_kernel_at(i);
    return NULL;
}
