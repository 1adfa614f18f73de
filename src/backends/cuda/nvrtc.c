/* NVRTC: loading, the options of strict and fast mode, compiling, and reading ptxas' report.
 * Options and limits are those of the NVRTC documentation, CUDA 11.2 to 13.0. */
#include "backends/cuda/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dynlib.h"
#include "base/text.h"

typedef struct nvrtc_program nvrtc_program; /* nvrtcProgram */

enum {
    NVRTC_OK = 0,
    NVRTC_OUT_OF_MEMORY = 1,
    NVRTC_COMPILATION = 6,
    FIRST_NO_CACHE = 12090,
    MAX_ARCHITECTURES = 128
};

/* NVRTC's functions that we call; every one is there since CUDA 11.2. */
#define NVRTC_FUNCTIONS(X) \
    X(nvrtcVersion, (int *major, int *minor)) \
    X(nvrtcGetNumSupportedArchs, (int *count)) \
    X(nvrtcGetSupportedArchs, (int *architectures)) \
    X(nvrtcCreateProgram, (nvrtc_program * *program, const char *text, const char *name, int header_count, \
                           const char *const *headers, const char *const *header_names)) \
    X(nvrtcDestroyProgram, (nvrtc_program * *program)) \
    X(nvrtcCompileProgram, (nvrtc_program * program, int option_count, const char *const *options)) \
    X(nvrtcGetProgramLogSize, (nvrtc_program * program, size_t * size)) \
    X(nvrtcGetProgramLog, (nvrtc_program * program, char *log)) \
    X(nvrtcGetPTXSize, (nvrtc_program * program, size_t * size)) \
    X(nvrtcGetPTX, (nvrtc_program * program, char *ptx)) \
    X(nvrtcGetCUBINSize, (nvrtc_program * program, size_t * size)) \
    X(nvrtcGetCUBIN, (nvrtc_program * program, char *cubin))
#define NVRTC_MEMBER(name, parameters) int(*name) parameters;
#define NVRTC_NAME(name, parameters) #name,

struct nvrtc_api {
    NVRTC_FUNCTIONS(NVRTC_MEMBER)
};
static const char *const function_names[] = {NVRTC_FUNCTIONS(NVRTC_NAME)};
enum { FUNCTION_COUNT = sizeof function_names / sizeof function_names[0] };

struct hed_nvrtc {
    hed_allocator allocator;
    hed_dynlib *library;
    struct nvrtc_api api;
    int version;
    uint32_t architecture_count;
    uint32_t architectures[MAX_ARCHITECTURES];
};

/* Generated from src/prelude/heddle.clh. */
extern const char hed_prelude_text[];

/* ---- loading ---- */

static hed_status open_library(hed_nvrtc *nvrtc, const char *library, int cuda_version, char *reason,
                               size_t size)
{
    /* The soname of every 11.x from 11.2 on is .11.2. A cubin of a newer major version may not load in an older driver. */
    static const char *const newest_first[] = {"libnvrtc.so.13",
                                               "libnvrtc.so.12",
                                               "libnvrtc.so.11.2",
                                               "libnvrtc.so",
                                               "/usr/local/cuda/lib64/libnvrtc.so",
                                               NULL};
    static const char *const for_12[] = {"libnvrtc.so.12", "libnvrtc.so.11.2",
                                         "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so",
                                         "libnvrtc.so.13", NULL};
    static const char *const for_11[] = {
        "libnvrtc.so.11.2", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so",
        "libnvrtc.so.12", "libnvrtc.so.13", NULL};
    const char *const only[] = {library, NULL};
    if (library) return hed_dynlib_open(&nvrtc->allocator, only, &nvrtc->library, reason, size);
    bool any = cuda_version == 0 || cuda_version >= 13000;
    return hed_dynlib_open(&nvrtc->allocator,
                           any                     ? newest_first
                           : cuda_version >= 12000 ? for_12
                                                   : for_11,
                           &nvrtc->library, reason, size);
}

static bool load_functions(hed_nvrtc *nvrtc, char *reason, size_t size)
{
    void *slots[FUNCTION_COUNT];
    const char *missing = "", *name = hed_dynlib_name(nvrtc->library);
    _Static_assert(sizeof nvrtc->api == sizeof slots, "struct nvrtc_api holds function pointers only");
    if (!hed_dynlib_symbols(nvrtc->library, function_names, slots, FUNCTION_COUNT, &missing)) {
        snprintf(reason, size, "%s lacks %s: NVRTC of CUDA 11.2 or later is needed", name, missing);
        return false;
    }
    memcpy(&nvrtc->api, slots, sizeof slots);
    int major = 0, minor = 0, count = 0, list[MAX_ARCHITECTURES];
    const char *failed = nvrtc->api.nvrtcVersion(&major, &minor)        ? "nvrtcVersion"
                         : nvrtc->api.nvrtcGetNumSupportedArchs(&count) ? "nvrtcGetNumSupportedArchs"
                         : count < 1 || count > MAX_ARCHITECTURES       ? "nvrtcGetNumSupportedArchs"
                         : nvrtc->api.nvrtcGetSupportedArchs(list)      ? "nvrtcGetSupportedArchs"
                                                                        : NULL;
    if (failed) {
        snprintf(reason, size, "%s is there and does not work: %s failed", name, failed);
        return false;
    }
    nvrtc->version = 1000 * major + 10 * minor;
    nvrtc->architecture_count = (uint32_t)count;
    for (int i = 0; i < count; i++) nvrtc->architectures[i] = (uint32_t)list[i];
    return true;
}

hed_status hed_nvrtc_open(const hed_allocator *allocator, const char *library, int cuda_version,
                          hed_nvrtc **nvrtc, char *reason, size_t size)
{
    *nvrtc = NULL;
    if (library && !library[0]) {
        hed_text_copy(reason, size, "NVRTC is not wanted (its library is set to \"\")");
        return HED_OK;
    }
    hed_nvrtc *made = hed_allocate(allocator, sizeof *made);
    if (!made) return HED_ERROR_MEMORY;
    made->allocator = *allocator;
    hed_status status = open_library(made, library, cuda_version, reason, size);
    if (made->library && load_functions(made, reason, size)) *nvrtc = made;
    else hed_nvrtc_close(made);
    return status;
}

void hed_nvrtc_close(hed_nvrtc *nvrtc)
{
    if (!nvrtc) return;
    hed_allocator allocator = nvrtc->allocator;
    hed_dynlib_close(&allocator, nvrtc->library);
    hed_release(&allocator, nvrtc, sizeof *nvrtc);
}

const char *hed_nvrtc_name(const hed_nvrtc *nvrtc) { return hed_dynlib_name(nvrtc->library); }
int hed_nvrtc_version(const hed_nvrtc *nvrtc) { return nvrtc->version; }

bool hed_nvrtc_target(const hed_nvrtc *nvrtc, uint32_t architecture, char target[HED_NVRTC_TARGET])
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < nvrtc->architecture_count; i++)
        if (nvrtc->architectures[i] <= architecture && nvrtc->architectures[i] > best)
            best = nvrtc->architectures[i];
    snprintf(target, HED_NVRTC_TARGET, "%s_%u", best == architecture ? "sm" : "compute", best);
    return best > 0;
}

/* ---- options ---- */

enum { OPTION_COUNT = 12, OPTION_SIZE = 48 };

typedef struct options {
    uint32_t count;
    char words[OPTION_COUNT][OPTION_SIZE];
} options;

static void add_option(options *to, const char *format, uint32_t value)
{
    snprintf(to->words[to->count++], OPTION_SIZE, format, value);
}

/* ptxas gives launch bounds precedence over --maxrregcount, so a limit on registers replaces them; it is then kept low enough
 * for a full group (65,536 registers of a multiprocessor, given out to warps of 32 in eights for each work item). */
static void add_bounds(options *to, const hed_build *build)
{
    uint32_t warps = (build->max_threads + 127) / 128 * 4; /* a quarter of them on each scheduler */
    uint32_t groups = build->min_groups ? build->min_groups : 1;
    if (build->max_registers) {
        uint32_t fitting = warps ? 65536 / (warps * 32 * groups) / 8 * 8 : 255;
        if (fitting < 16) fitting = 16;
        add_option(to, "--maxrregcount=%u", build->max_registers < fitting ? build->max_registers : fitting);
    } else if (build->max_threads) {
        add_option(to, "-DHED_MAX_THREADS=%u", build->max_threads);
        if (build->min_groups) add_option(to, "-DHED_MIN_GROUPS=%u", build->min_groups);
    }
}

static void set_options(options *to, const hed_build *build)
{
    bool strict = build->math == HED_MATH_STRICT;
    to->count = 0;
    add_option(to, "--std=c++17", 0);
    add_option(to, "--device-as-default-execution-space", 0);
    add_option(to, strict ? "--fmad=false" : "--fmad=true", 0);
    add_option(to, strict ? "--ftz=false" : "--ftz=true", 0);
    add_option(to, strict ? "--prec-div=true" : "--prec-div=false", 0);
    add_option(to, strict ? "--prec-sqrt=true" : "--prec-sqrt=false", 0);
    add_option(to, "-DHED_STRICT=%u", strict);
    add_bounds(to, build);
}

hed_status hed_nvrtc_options(const hed_build *build, char *text, size_t size)
{
    options all;
    size_t used = 0;
    set_options(&all, build);
    for (uint32_t i = 0; i < all.count && used < size; i++) {
        int n = snprintf(text + used, size - used, "%s%s", i ? " " : "", all.words[i]);
        used += n > 0 ? (size_t)n : 0;
    }
    return used < size ? HED_OK : HED_ERROR_LIMIT;
}

const char *hed_nvrtc_prelude(const hed_build *build)
{
    return build->def->language == HED_CUDA_C ? "" : hed_prelude_text;
}

/* ---- compiling ---- */

static hed_status no_memory(const hed_build *build, hed_error *error)
{
    return hed_fail(error, HED_ERROR_MEMORY, "no memory to compile %s", build->def->name);
}

/* Every chunk counts its own lines under its own name; the prelude before it comes as a pre-included header. */
static void add_sources(hed_text *text, const hed_build *build)
{
    for (uint32_t i = 0; i < build->source_count; i++) {
        const hed_source *source = &build->sources[i];
        hed_text_add(text, "#line 1 \"");
        for (const char *c = source->name; *c; c++)
            hed_text_add(text, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        hed_text_add(text, "\"\n");
        hed_text_add_bytes(text, source->text, source->size ? source->size : strlen(source->text));
        hed_text_add(text, "\n");
    }
}

/* The first line of a log that tells of an error, for the one-sentence text. */
static void first_error(const char *log, char *line, size_t size)
{
    const char *at = strstr(log, "error");
    const char *begin = at ? at : log;
    while (begin > log && begin[-1] != '\n') begin--;
    size_t length = strcspn(begin, "\n");
    snprintf(line, size, "%.*s", (int)(length < size ? length : size - 1), begin);
}

static hed_status build_failed(const hed_nvrtc *nvrtc, int result, const char *target, const hed_build *build,
                               const char *log, hed_error *error)
{
    char line[256];
    if (result == NVRTC_OUT_OF_MEMORY) return no_memory(build, error);
    first_error(log ? log : "", line, sizeof line);
    hed_fail(error, HED_ERROR_BUILD, "%s does not compile for %s with NVRTC %d.%d%s: %s", build->def->name,
             target, nvrtc->version / 1000, nvrtc->version % 1000 / 10,
             result == NVRTC_COMPILATION ? "" : " (not the text's fault: nvrtcCompileProgram)", line);
    hed_fail_log(error, log);
    return HED_ERROR_BUILD;
}

static hed_status take_log(const hed_nvrtc *nvrtc, nvrtc_program *program, hed_binary *binary)
{
    size_t size = 0;
    if (nvrtc->api.nvrtcGetProgramLogSize(program, &size) || size < 2) return HED_OK; /* 1: the zero alone */
    binary->log = hed_allocate(&nvrtc->allocator, size);
    if (!binary->log) return HED_ERROR_MEMORY;
    binary->log_size = size;
    nvrtc->api.nvrtcGetProgramLog(program, binary->log);
    binary->log[size - 1] = 0;
    return HED_OK;
}

static hed_status no_code(const hed_build *build, const char *call, int result, hed_error *error)
{
    return hed_fail(error, HED_ERROR_BUILD, "NVRTC gives no code for %s: %s (result %d)", build->def->name,
                    call, result);
}

static hed_status take_code(const hed_nvrtc *nvrtc, nvrtc_program *program, bool cubin,
                            const hed_build *build, hed_binary *binary, hed_error *error)
{
    const struct nvrtc_api *api = &nvrtc->api;
    size_t size = 0;
    int result = cubin ? api->nvrtcGetCUBINSize(program, &size) : api->nvrtcGetPTXSize(program, &size);
    if (result || !size)
        return no_code(build, cubin ? "nvrtcGetCUBINSize" : "nvrtcGetPTXSize", result, error);
    binary->bytes = hed_allocate(&nvrtc->allocator, size);
    if (!binary->bytes) return no_memory(build, error);
    binary->size = size;
    result = cubin ? api->nvrtcGetCUBIN(program, binary->bytes) : api->nvrtcGetPTX(program, binary->bytes);
    return result ? no_code(build, cubin ? "nvrtcGetCUBIN" : "nvrtcGetPTX", result, error) : HED_OK;
}

static hed_status run(const hed_nvrtc *nvrtc, const char *target, const hed_build *build, const char *text,
                      const char *const *words, uint32_t count, hed_binary *binary, hed_error *error)
{
    const char *header = hed_nvrtc_prelude(build), *header_name = "heddle.clh";
    nvrtc_program *program = NULL;
    int headers = build->def->language == HED_CUDA_C ? 0 : 1;
    int result = nvrtc->api.nvrtcCreateProgram(&program, text, "heddle.cu", headers, &header, &header_name);
    if (result) return build_failed(nvrtc, result, target, build, "nvrtcCreateProgram failed", error);
    result = nvrtc->api.nvrtcCompileProgram(program, (int)count, words);
    hed_status status = take_log(nvrtc, program, binary);
    if (status) no_memory(build, error);
    else if (result) status = build_failed(nvrtc, result, target, build, binary->log, error);
    else status = take_code(nvrtc, program, strncmp(target, "sm_", 3) == 0, build, binary, error);
    nvrtc->api.nvrtcDestroyProgram(&program);
    return status;
}

/* The defines as one block of words "-DNAME=VALUE", each with its zero. */
static hed_status add_defines(hed_text *block, const hed_build *build, hed_error *error)
{
    for (uint32_t i = 0; i < build->define_count; i++) {
        const hed_define *define = &build->defines[i];
        if (strchr(define->value, '\n'))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                            "define %s of %s has more than one line: give it as a source instead",
                            define->name, build->def->name);
        hed_text_add(block, "-D%s=%s", define->name, define->value);
        hed_text_add_bytes(block, "", 1);
    }
    return block->failed ? no_memory(build, error) : HED_OK;
}

static uint32_t gather_words(const hed_nvrtc *nvrtc, const options *all, const char *target,
                             const hed_build *build, const char *defines, const char **words)
{
    uint32_t count = 0;
    words[count++] = target;
    for (uint32_t i = 0; i < all->count; i++) words[count++] = all->words[i];
    if (build->def->language != HED_CUDA_C) words[count++] = "--pre-include=heddle.clh";
    words[count++] = "--ptxas-options=-v";
    /* Its cache of cubins does not tell -ftz, -prec-div and -prec-sqrt apart; ours does. */
    if (nvrtc->version >= FIRST_NO_CACHE) words[count++] = "--no-cache";
    for (uint32_t i = 0; i < build->define_count; i++, defines += strlen(defines) + 1)
        words[count++] = defines;
    return count;
}

hed_status hed_nvrtc_compile(const hed_nvrtc *nvrtc, const char *target, const hed_build *build,
                             hed_binary *binary, hed_error *error)
{
    hed_text text = {.allocator = &nvrtc->allocator}, defines = {.allocator = &nvrtc->allocator};
    char architecture[32 + HED_NVRTC_TARGET];
    size_t room = (OPTION_COUNT + 4 + (size_t)build->define_count) * sizeof(char *);
    const char **words = hed_allocate(&nvrtc->allocator, room);
    options all;
    *binary = (hed_binary){0};
    snprintf(architecture, sizeof architecture, "--gpu-architecture=%s", target);
    set_options(&all, build);
    add_sources(&text, build);
    hed_status status = add_defines(&defines, build, error);
    if (!status && (!words || text.failed)) status = no_memory(build, error);
    if (!status) {
        uint32_t count = gather_words(nvrtc, &all, architecture, build, defines.bytes, words);
        status = run(nvrtc, target, build, text.bytes ? text.bytes : "", words, count, binary, error);
    }
    hed_release(&nvrtc->allocator, words, room);
    hed_text_free(&defines);
    hed_text_free(&text);
    if (status) {
        hed_release(&nvrtc->allocator, binary->bytes, binary->size);
        hed_release(&nvrtc->allocator, binary->log, binary->log_size);
        *binary = (hed_binary){0};
    }
    return status;
}

/* ---- ptxas' report ---- */

/* The number in front of `words` on one line, -1 if the line has no such words. */
static int64_t number_before(const char *line, size_t length, const char *words)
{
    const char *at = memmem(line, length, words, strlen(words));
    if (!at) return -1;
    while (at > line && at[-1] == ' ') at--;
    const char *end = at;
    while (at > line && at[-1] >= '0' && at[-1] <= '9') at--;
    return at < end ? strtoll(at, NULL, 10) : -1;
}

static void read_line(const char *line, size_t length, hed_kernel_resources *resources)
{
    int64_t registers = number_before(line, length, " registers"),
            stack = number_before(line, length, " bytes stack frame");
    int64_t stores = number_before(line, length, " bytes spill stores"),
            loads = number_before(line, length, " bytes spill loads");
    if (registers >= 0) resources->registers = registers;
    if (stack >= 0) resources->stack_bytes = stack;
    if (stores >= 0 && loads >= 0) resources->spill_bytes = stores + loads;
}

/* ptxas writes "Compiling entry function 'NAME' for 'sm_XX'", then the lines of that kernel, then the next kernel's. The lines
 * of functions that were not inlined stand between ("Function properties for NAME") and are not the kernel's own. */
void hed_nvrtc_read_log(const char *log, const char *entry, hed_kernel_resources *resources)
{
    char wanted[256], properties[256];
    bool ours = false, own_properties = false;
    snprintf(wanted, sizeof wanted, "entry function '%s'", entry);
    snprintf(properties, sizeof properties, "properties for %s", entry);
    for (const char *line = log; line && *line;) {
        size_t length = strcspn(line, "\n"), trimmed = length;
        while (trimmed && (line[trimmed - 1] == ' ' || line[trimmed - 1] == '\r')) trimmed--;
        size_t tail = strlen(properties);
        if (memmem(line, length, "entry function '", 16))
            ours = memmem(line, length, wanted, strlen(wanted)) != NULL;
        else if (memmem(line, length, "properties for ", 15))
            own_properties = trimmed >= tail && memcmp(line + trimmed - tail, properties, tail) == 0;
        else if (ours && (own_properties || memmem(line, length, "Used ", 5)))
            read_line(line, length, resources);
        line += length + (line[length] == '\n');
    }
}
