/* NVRTC, NVIDIA's run-time compiler, and hipRTC, AMD's, which has the same functions; both need neither a
 * driver nor a device. */
#ifndef HED_BACKENDS_CUDA_NVRTC_H
#define HED_BACKENDS_CUDA_NVRTC_H

#include "core/backend.h"

typedef struct hed_nvrtc hed_nvrtc;

enum {
    HED_NVRTC_TARGET = 64, /* bytes of "compute_120" or "gfx90a:sramecc+:xnack-" and their zero */
    HED_NVRTC_SYMBOL = 512 /* bytes of a symbol's expression and its zero */
};

/* Loads NVRTC of CUDA 11.2 to 13. `library`: one name; NULL: the usual names; "": do not load.
 * `cuda_version` (1000 * major + 10 * minor, 0: any) is the newest version that the driver accepts:
 * a newer major version is tried last. If NVRTC is not found: OK, `*nvrtc` NULL, and the cause in
 * `reason`. Errors: MEMORY. */
hed_status hed_nvrtc_open(const hed_allocator *allocator, const char *library, int cuda_version,
    hed_nvrtc **nvrtc, char *reason, size_t size);
/* Loads hipRTC: from `library`, libamdhip64 (NULL: the usual names), which had it before it became a
 * library of its own, else from libhiprtc. Its targets are AMD's ("gfx1030"), its code objects take
 * the place of cubins, and its log has no report of resources. Results as hed_nvrtc_open(). */
hed_status hed_hiprtc_open(const hed_allocator *allocator, const char *library, hed_nvrtc **nvrtc,
    char *reason, size_t size);
/* Searches for the toolkit's headers (cuda_fp16.h, ...), which NVRTC itself lacks: in `cuda_home`
 * (nullable), around NVRTC's own file, and in the usual folders. Kernels in CUDA C may then include
 * them. */
void hed_nvrtc_find_headers(hed_nvrtc *nvrtc, const char *cuda_home);
/* Returns the folder of the toolkit's headers; "": not found. */
const char *hed_nvrtc_headers(const hed_nvrtc *nvrtc);
void hed_nvrtc_close(hed_nvrtc *nvrtc); /* NULL is allowed */
const char *hed_nvrtc_name(const hed_nvrtc *nvrtc);
int hed_nvrtc_version(const hed_nvrtc *nvrtc); /* 1000 * major + 10 * minor */

/* Writes the best target for an architecture (compute capability * 10, as 90): "sm_90", or the
 * highest "compute_XX" below it if NVRTC is older than the device; false if there is no target. */
bool hed_nvrtc_target(const hed_nvrtc *nvrtc, uint32_t architecture, char target[HED_NVRTC_TARGET]);

/* Writes a symbol's name expression: its address, since NVRTC would take the value of a constant
 * for the name. */
void hed_nvrtc_symbol(const char *name, char expression[HED_NVRTC_SYMBOL]);
/* Finds the lowered name of an expression in a log. In CUDA C the names of the entry and of symbols
 * are C++ expressions ("scale", "ns::scale<float, N>"); the log then begins with the compiler's
 * name for each of them. Cache entries have a log and code, so nothing else has to be stored.
 * False: the log lacks the expression. */
bool hed_nvrtc_lowered(const char *log, const char *expression, char *name, size_t size);

/* Compiles for a target: "sm_90" produces a cubin, "compute_75" PTX with a zero at its end.
 * `build->device` is not read. Errors: BUILD (with the log), MEMORY. */
hed_status hed_nvrtc_compile(const hed_nvrtc *nvrtc, const char *target, const hed_build *build,
    hed_binary *binary, hed_error *error);

/* Writes the options that decide on the code, without the target and the defines. They are the same
 * for every version of NVRTC, so that machines without NVRTC find code that was compiled ahead.
 * Errors: LIMIT. */
hed_status hed_nvrtc_options(const hed_build *build, char *text, size_t size);
hed_status hed_hiprtc_options(const hed_build *build, char *text, size_t size);
/* Returns the text that comes before `build`'s sources: the prelude; for CUDA C the version of its
 * standard headers. */
const char *hed_nvrtc_prelude(const hed_build *build);

/* Version of the texts of hed_standard_headers(), for keys of compiled code. */
extern const char hed_standard_version[];
/* Returns the number of headers that texts in CUDA C may include without a host's compiler; `names` and
 * `texts` (number). */
uint32_t hed_standard_headers(const char *const **names, const char *const **texts);

/* Writes the first line of a log that reports an error, and a remedy if one is known. `headers`: the
 * folder of the toolkit's headers; "": not found. */
void hed_nvrtc_read_error(
    const char *log, const char *entry, const char *headers, char *text, size_t size);
/* Reads registers, stack and spills of kernel `entry` from ptxas's report; a figure that the report
 * lacks stays unchanged. */
void hed_nvrtc_read_log(const char *log, const char *entry, hed_kernel_resources *resources);

#endif
