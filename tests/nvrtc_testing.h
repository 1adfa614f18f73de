/* What ptxas says of an engine's kernel, compiled through NVRTC without a device. */
#ifndef NVRTC_TESTING_H
#define NVRTC_TESTING_H

#include "backends/cuda/nvrtc.h"
#include "core/objects.h"
#include "testing.h"

enum { REGISTERS_OF_A_UNIT = 65536 };

/* `build` has def, defines, math and limits; texts and launch bounds are the description's. The
 * test is skipped where NVRTC is not installed. */
static hed_kernel_resources resources_of(hed_build build, const char *what, const char *target)
{
    hed_allocator allocator = hed_default_allocator();
    hed_nvrtc *nvrtc;
    hed_binary binary = {0};
    hed_error error = {0};
    char reason[256] = "";
    CHECK_EQ(hed_nvrtc_open(
                 &allocator, getenv("HEDDLE_NVRTC_LIBRARY"), 0, &nvrtc, reason, sizeof reason),
        HED_OK);
    if (!nvrtc) test_skip("no NVRTC on this machine: %s", reason);
    build.entry = build.def->entry ? build.def->entry : build.def->name;
    build.sources = build.def->sources;
    build.source_count = build.def->source_count;
    build.min_groups = build.def->min_groups;
    CHECK_EQ(hed_nvrtc_compile(nvrtc, target, &build, &binary, &error), HED_OK, "%s for %s: %s\n%s",
        what, target, error.text, error.log);
    hed_kernel_resources found = {.registers = -1, .spill_bytes = -1, .stack_bytes = -1};
    hed_nvrtc_read_log(binary.log, build.entry, &found);
    hed_release(&allocator, binary.bytes, binary.size);
    hed_release(&allocator, binary.log, binary.log_size);
    hed_nvrtc_close(nvrtc);
    return found;
}

#endif
