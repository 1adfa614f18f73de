/* Optional libraries: loaded at the first use; the error of a missing one names its package. */
#include "heddle/library.h"

#include "base/dynlib.h"
#include "base/error.h"
#include "core/objects.h"

#include <stdio.h>
#include <string.h>

/* Reports the defect of `file`, and the remedy. */
static hed_status missed(const hed_library_def *def, const char *file, bool is_override,
    const char *reason, hed_error *error)
{
    char mend[256] = "";
    size_t used = 0;
    if (def->debian)
        used = (size_t)snprintf(mend, sizeof mend, "; on Debian: apt install %s", def->debian);
    if (def->fedora && used < sizeof mend)
        snprintf(mend + used, sizeof mend - used, "; on Fedora: dnf install %s", def->fedora);
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "%s needs %s%s%s, which %s%s", def->purpose, file,
        is_override ? " of " : "", is_override ? def->setting : "", reason, mend);
}

hed_status hed_library_load(const hed_allocator *allocator, const hed_library_def *def,
    const char *const *names, void **functions, size_t count, const char **file, hed_error *error)
{
    HED_REQUIRE(def, names || !count, functions || !count);
    const char *override = def->setting ? hed_environment(def->setting) : NULL;
    const char *const single[] = {override, NULL}, *const *files = override ? single : def->files;
    hed_dynlib *library;
    char reason[512], text[600];
    const char *missing = "";
    hed_status status = hed_dynlib_open(allocator, files, &library, reason, sizeof reason);
    if (status) return hed_fail(error, status, "no memory to load %s", files[0]);
    if (!library) {
        snprintf(text, sizeof text, "does not load (%s)", reason);
        return missed(def, files[0], override != NULL, text, error);
    }
    size_t loaded = 0;
    while (strcmp(files[loaded], hed_dynlib_name(library)) != 0) loaded++;
    bool complete = hed_dynlib_symbols(library, names, functions, count, &missing);
    hed_dynlib_close(allocator, library); /* the library stays loaded: see dynlib.c */
    if (!complete) {
        snprintf(text, sizeof text, "lacks %s", missing);
        return missed(def, files[loaded], override != NULL, text, error);
    }
    if (file) *file = files[loaded];
    return HED_OK;
}
