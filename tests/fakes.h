/* Finding the fake driver libraries, and what a test says to them. */
#ifndef HED_TESTS_FAKES_H
#define HED_TESTS_FAKES_H

#include "base/dynlib.h"
#include "base/path.h"
#include "fake/fake.h"
#include "testing.h"

/* "libfake_cuda.so" and the like lie in the folder `fake` beside the test program. */
static inline const char *fakes_path(const char *name)
{
    static char paths[4][HED_PATH_MAX];
    static int used;
    /* found once: a test that gives up its rights may not be able to look again */
    static char folder[HED_PATH_MAX];
    char file[HED_PATH_MAX];
    char *path = paths[used++ % 4];
    if (!folder[0]) hed_path_of_library(folder, sizeof folder);
    snprintf(file, sizeof file, "fake/libfake_%s.so", name);
    CHECK(hed_path_join(path, folder, file));
    return path;
}

/* A fake stays loaded when it is closed, as every driver does, so that its state outlives the
 * contexts that use it. */
static inline fake_control *fakes_load(const char *path)
{
    const char *const names[] = {path, NULL};
    char reason[512];
    hed_dynlib *library;
    CHECK(hed_dynlib_open(NULL, names, &library, reason, sizeof reason) == HED_OK && library, "%s",
        reason);
    fake_control *control = hed_dynlib_symbol(library, "fake_state");
    CHECK_NOT_NULL(control, "%s is no fake", path);
    hed_dynlib_close(NULL, library);
    return control;
}

/* Forgets the faults and the counts of calls; what is alive stays counted. */
static inline void fakes_reset(fake_control *f)
{
    f->fail_call = f->fail_from = f->calls = f->builds = f->misuses = f->failures = f->counted = 0;
    f->fail_name = f->count_name = NULL;
    f->code = 0;
    f->devices = 2;
    f->hangs = f->plain_floats = f->silent = false;
    f->platform = NULL;
    f->refused_binaries = 0;
    f->failed[0] = f->misused[0] = 0;
}

static inline int64_t fakes_alive(const fake_control *f)
{
    int64_t alive = 0;
    for (int i = 0; i < FAKE_KINDS; i++) alive += f->live[i];
    return alive;
}

/* A context that sees one driver only: the fake of `backend` ("cuda", "hip", "opencl", "vulkan", "gl"),
 * beside host. */
static inline hed_context_def fakes_def(const char *backend)
{
    hed_context_def def = hed_default_context_def();
    bool cuda = strcmp(backend, "cuda") == 0, vulkan = strcmp(backend, "vulkan") == 0,
         hip = strcmp(backend, "hip") == 0;
    def.gl = strcmp(backend, "gl") == 0;
    def.gl_library = def.gl ? fakes_path("gl") : "";
    def.vulkan_library = vulkan ? fakes_path("vulkan") : "";
    def.opencl_library = cuda || hip || vulkan || def.gl ? "" : fakes_path("opencl");
    def.hip_library = hip ? fakes_path("hip") : "";
    def.cuda_library = cuda ? fakes_path("cuda") : "";
    def.nvrtc_library = cuda ? fakes_path("nvrtc") : "";
    def.cache_dir = "";
    def.host_threads = 1;
    return def;
}

#endif
