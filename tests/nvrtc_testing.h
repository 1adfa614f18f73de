/* Reports of ptxas on an engine's kernel, compiled through NVRTC without a device, and through hipRTC
 * where it is installed. */
#ifndef NVRTC_TESTING_H
#define NVRTC_TESTING_H

#include "backends/cuda/nvrtc.h"
#include "base/text.h"
#include "core/build_cache.h"
#include "core/objects.h"
#include "testing.h"

enum { REGISTERS_OF_A_UNIT = 65536 };

/* Opens NVRTC; the test is skipped where it is not installed. */
static hed_nvrtc *nvrtc_open_or_skip(const hed_allocator *allocator)
{
    char reason[256] = "";
    hed_nvrtc *nvrtc;
    CHECK_EQ(
        hed_nvrtc_open(allocator, getenv("HEDDLE_NVRTC_LIBRARY"), 0, &nvrtc, reason, sizeof reason),
        HED_OK);
    if (!nvrtc) test_skip("no NVRTC on this machine: %s", reason);
    return nvrtc;
}

/* Writes everything that decides on the compiler's report. */
static void nvrtc_request(
    const hed_nvrtc *nvrtc, const hed_build *build, const char *target, hed_text *request)
{
    char options[4096] = "";
    hed_nvrtc_options(build, options, sizeof options);
    hed_text_add(request, "report of %s %d\n%s\n%s\n%u threads, %u groups\n%s\n%s\n",
        hed_nvrtc_name(nvrtc), hed_nvrtc_version(nvrtc), target, options, build->max_threads,
        build->min_groups, build->entry, hed_nvrtc_prelude(build));
    for (uint32_t i = 0; i < build->define_count; i++)
        hed_text_add(request, "%s %s\n", build->defines[i].name, build->defines[i].value);
    for (uint32_t i = 0; i < build->source_count; i++) {
        const hed_source *source = &build->sources[i];
        hed_text_add(request, "%s\n", source->name);
        hed_text_add_bytes(
            request, source->text, source->size ? source->size : strlen(source->text));
    }
}

/* Compiles, and reads registers, spills and stack from the report. The report is kept in the cache
 * of the tests, if there is one: the same text is compiled once. */
static hed_kernel_resources nvrtc_report(
    const hed_nvrtc *nvrtc, const hed_build *build, const char *what, const char *target)
{
    hed_settings settings = {.allocator = hed_default_allocator()};
    hed_text request = {.allocator = &settings.allocator};
    hed_cache_entry entry = {{0}, 0};
    hed_error error = {0};
    const char *caches = getenv("XDG_CACHE_HOME");
    char folder[4096];
    bool keeps = caches && snprintf(folder, sizeof folder, "%s/nvrtc", caches) < (int)sizeof folder;
    nvrtc_request(nvrtc, build, target, &request);
    CHECK(!request.failed);
    if (!keeps || !hed_cache_load(&settings, folder, request.bytes, request.size, &entry)) {
        CHECK_EQ(hed_nvrtc_compile(nvrtc, target, build, &entry.binary, &error), HED_OK,
            "%s for %s: %s\n%s", what, target, error.text, error.log);
        if (keeps) hed_cache_store(folder, request.bytes, request.size, &entry, &(hed_error){0});
    }
    hed_kernel_resources found = {.registers = -1, .spill_bytes = -1, .stack_bytes = -1};
    hed_nvrtc_read_log(entry.binary.log, build->entry, &found);
    hed_binary_free(&settings, &entry.binary);
    hed_text_free(&request);
    return found;
}

/* Compiles for an AMD device too, where hipRTC is installed and its prelude has the capabilities: the
 * first of consecutive configurations of a kernel. */
static void hiprtc_compile(const hed_build *build, const char *what)
{
    static hed_nvrtc *hiprtc;
    static bool searched;
    static char compiled[128];
    const uint64_t lacking = HED_CAN_PACKETS | HED_CAN_MAPPED | HED_CAN_RESIDENT |
                             HED_CAN_CLUSTERS | HED_CAN_NAMED_BARRIERS;
    hed_settings settings = {.allocator = hed_default_allocator()};
    hed_binary binary = {0};
    hed_error error = {0};
    char reason[256];
    if (!searched)
        CHECK_EQ(hed_hiprtc_open(&settings.allocator, getenv("HEDDLE_HIP_LIBRARY"), &hiprtc, reason,
                     sizeof reason),
            HED_OK);
    searched = true;
    if (!hiprtc || build->def->needs & lacking || !strcmp(compiled, build->def->name)) return;
    snprintf(compiled, sizeof compiled, "%s", build->def->name);
    CHECK_EQ(hed_nvrtc_compile(hiprtc, "gfx1030", build, &binary, &error), HED_OK,
        "%s for gfx1030: %s\n%s", what, error.text, error.log);
    hed_binary_free(&settings, &binary);
}

/* `build` has def, defines, math and limits; texts and launch bounds are the description's. */
static inline hed_kernel_resources resources_of(
    hed_build build, const char *what, const char *target)
{
    hed_allocator allocator = hed_default_allocator();
    build.entry = build.def->entry ? build.def->entry : build.def->name;
    build.sources = build.def->sources;
    build.source_count = build.def->source_count;
    build.min_groups = build.def->min_groups;
    if (strcmp(target, "sm_90") == 0) hiprtc_compile(&build, what);
    hed_nvrtc *nvrtc = nvrtc_open_or_skip(&allocator);
    hed_kernel_resources found = nvrtc_report(nvrtc, &build, what, target);
    hed_nvrtc_close(nvrtc);
    return found;
}

#endif
