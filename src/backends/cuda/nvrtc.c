/* NVRTC and hipRTC: loading, the options of strict and fast mode, and compiling. Options and limits
 * are from the NVRTC documentation, CUDA 11.2 to 13.0, and from hipRTC's, ROCm 5.2 to 6. */
#include "backends/cuda/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dynlib.h"
#include "base/path.h"
#include "base/text.h"

typedef struct nvrtc_program nvrtc_program; /* nvrtcProgram */

enum {
    NVRTC_OK = 0,
    NVRTC_OUT_OF_MEMORY = 1,
    NVRTC_COMPILATION = 6,
    FIRST_NO_CACHE = 12090,
    MAX_ARCHITECTURES = 128
};

/* X(name, hipRTC's name, parameters): functions that Heddle calls; all of them exist since CUDA
 * 11.2. NULL: hipRTC lacks the function. */
#define NVRTC_FUNCTIONS(X) \
    X(nvrtcVersion, "hiprtcVersion", (int *major, int *minor)) \
    X(nvrtcGetNumSupportedArchs, NULL, (int *count)) \
    X(nvrtcGetSupportedArchs, NULL, (int *architectures)) \
    X(nvrtcCreateProgram, "hiprtcCreateProgram", \
        (nvrtc_program * *program, const char *text, const char *name, int header_count, \
            const char *const *headers, const char *const *header_names)) \
    X(nvrtcDestroyProgram, "hiprtcDestroyProgram", (nvrtc_program * *program)) \
    X(nvrtcAddNameExpression, "hiprtcAddNameExpression", \
        (nvrtc_program * program, const char *expression)) \
    X(nvrtcGetLoweredName, "hiprtcGetLoweredName", \
        (nvrtc_program * program, const char *expression, const char **name)) \
    X(nvrtcCompileProgram, "hiprtcCompileProgram", \
        (nvrtc_program * program, int option_count, const char *const *options)) \
    X(nvrtcGetProgramLogSize, "hiprtcGetProgramLogSize", (nvrtc_program * program, size_t * size)) \
    X(nvrtcGetProgramLog, "hiprtcGetProgramLog", (nvrtc_program * program, char *log)) \
    X(nvrtcGetPTXSize, NULL, (nvrtc_program * program, size_t * size)) \
    X(nvrtcGetPTX, NULL, (nvrtc_program * program, char *ptx)) \
    X(nvrtcGetCUBINSize, "hiprtcGetCodeSize", (nvrtc_program * program, size_t * size)) \
    X(nvrtcGetCUBIN, "hiprtcGetCode", (nvrtc_program * program, char *cubin))
#define NVRTC_MEMBER(name, hip, parameters) int(*name) parameters;
#define NVRTC_NAMES(name, hip, parameters) {#name, hip},

struct nvrtc_api {
    NVRTC_FUNCTIONS(NVRTC_MEMBER)
};
static const char *const function_names[][2] = {NVRTC_FUNCTIONS(NVRTC_NAMES)};
enum { FUNCTION_COUNT = sizeof function_names / sizeof function_names[0] };

struct hed_nvrtc {
    hed_allocator allocator;
    hed_dynlib *library;
    struct nvrtc_api api;
    bool hip;
    int version;
    uint32_t architecture_count;
    uint32_t architectures[MAX_ARCHITECTURES];
    char headers[HED_PATH_MAX];         /* the folder of cuda_fp16.h; "": not found */
    char library_headers[HED_PATH_MAX]; /* the folder of cub and cuda/std, if it differs */
};

/* Generated from src/prelude/heddle.clh. */
extern const char hed_prelude_text[];

/* ---- loading ---- */

static hed_status nvrtc_open_library(
    hed_nvrtc *nvrtc, const char *library, int cuda_version, char *reason, size_t size)
{
    /* The soname of every 11.x from 11.2 on is .11.2. A cubin of a newer major version may not load
     * in an older driver. */
    static const char *const newest_first[] = {"libnvrtc.so.13", "libnvrtc.so.12",
        "libnvrtc.so.11.2", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so", NULL};
    static const char *const for_12[] = {"libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so",
        "/usr/local/cuda/lib64/libnvrtc.so", "libnvrtc.so.13", NULL};
    static const char *const for_11[] = {"libnvrtc.so.11.2", "libnvrtc.so",
        "/usr/local/cuda/lib64/libnvrtc.so", "libnvrtc.so.12", "libnvrtc.so.13", NULL};
    const char *const single_name[] = {library, NULL};
    if (library)
        return hed_dynlib_open(&nvrtc->allocator, single_name, &nvrtc->library, reason, size);
    bool accepts_any = cuda_version == 0 || cuda_version >= 13000;
    return hed_dynlib_open(&nvrtc->allocator,
        accepts_any             ? newest_first
        : cuda_version >= 12000 ? for_12
                                : for_11,
        &nvrtc->library, reason, size);
}

/* Returns the compiler's own name of a function of NVRTC. */
static const char *nvrtc_call_name(const hed_nvrtc *nvrtc, const char *call)
{
    for (size_t i = 0; i < FUNCTION_COUNT; i++)
        if (strcmp(function_names[i][0], call) == 0 && function_names[i][nvrtc->hip])
            return function_names[i][nvrtc->hip];
    return call;
}

static bool nvrtc_load_functions(hed_nvrtc *nvrtc, char *reason, size_t size)
{
    void *slots[FUNCTION_COUNT];
    const char *library = hed_dynlib_name(nvrtc->library);
    _Static_assert(
        sizeof nvrtc->api == sizeof slots, "struct nvrtc_api holds function pointers only");
    for (size_t i = 0; i < FUNCTION_COUNT; i++) {
        const char *name = function_names[i][nvrtc->hip];
        slots[i] = name ? hed_dynlib_symbol(nvrtc->library, name) : NULL;
        if (slots[i] || !name) continue;
        snprintf(reason, size, "%s lacks %s: %s is needed", library, name,
            nvrtc->hip ? "hipRTC of ROCm 5.2 or later" : "NVRTC of CUDA 11.2 or later");
        return false;
    }
    memcpy(&nvrtc->api, slots, sizeof slots);
    int major = 0, minor = 0, count = 0, list[MAX_ARCHITECTURES];
    const char *failed = nvrtc->api.nvrtcVersion(&major, &minor) ? "nvrtcVersion"
                         : nvrtc->hip                            ? NULL
                         : nvrtc->api.nvrtcGetNumSupportedArchs(&count)
                             ? "nvrtcGetNumSupportedArchs"
                         : count < 1 || count > MAX_ARCHITECTURES  ? "nvrtcGetNumSupportedArchs"
                         : nvrtc->api.nvrtcGetSupportedArchs(list) ? "nvrtcGetSupportedArchs"
                                                                   : NULL;
    nvrtc->version = 1000 * major + 10 * minor;
    nvrtc->architecture_count = (uint32_t)count;
    for (int i = 0; i < count && !failed; i++) nvrtc->architectures[i] = (uint32_t)list[i];
    if (failed)
        snprintf(reason, size, "%s is there and does not work: %s failed", library,
            nvrtc_call_name(nvrtc, failed));
    return !failed;
}

static hed_nvrtc *nvrtc_new(const hed_allocator *allocator, bool hip)
{
    hed_nvrtc *instance = hed_allocate(allocator, sizeof *instance);
    if (!instance) return NULL;
    instance->allocator = *allocator;
    instance->hip = hip;
    return instance;
}

hed_status hed_nvrtc_open(const hed_allocator *allocator, const char *library, int cuda_version,
    hed_nvrtc **nvrtc, char *reason, size_t size)
{
    *nvrtc = NULL;
    if (library && !library[0]) {
        hed_text_copy(reason, size, "NVRTC is not wanted (its library is set to \"\")");
        return HED_OK;
    }
    hed_nvrtc *instance = nvrtc_new(allocator, false);
    if (!instance) return HED_ERROR_MEMORY;
    hed_status status = nvrtc_open_library(instance, library, cuda_version, reason, size);
    if (instance->library && nvrtc_load_functions(instance, reason, size)) *nvrtc = instance;
    else hed_nvrtc_close(instance);
    return status;
}

hed_status hed_hiprtc_open(const hed_allocator *allocator, const char *library, hed_nvrtc **nvrtc,
    char *reason, size_t size)
{
    static const char *const usual[] = {
        "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so", NULL};
    static const char *const compiler_names[] = {"libhiprtc.so.6", "libhiprtc.so.5", "libhiprtc.so", NULL};
    const char *const single_name[] = {library, NULL};
    const char *const *const places[] = {library ? single_name : usual, compiler_names};
    hed_status status = HED_OK;
    char second_reason[256];
    *nvrtc = NULL;
    for (int i = 0; i < 2 && !*nvrtc && !status; i++) {
        /* the reason is that of the first library */
        char *text = i ? second_reason : reason;
        size_t capacity = i ? sizeof second_reason : size;
        hed_nvrtc *instance = nvrtc_new(allocator, true);
        if (!instance) return HED_ERROR_MEMORY;
        status = hed_dynlib_open(allocator, places[i], &instance->library, text, capacity);
        if (instance->library && nvrtc_load_functions(instance, text, capacity)) *nvrtc = instance;
        else hed_nvrtc_close(instance);
    }
    return status;
}

void hed_nvrtc_close(hed_nvrtc *nvrtc)
{
    if (!nvrtc) return;
    hed_allocator allocator = nvrtc->allocator;
    hed_dynlib_close(&allocator, nvrtc->library);
    hed_release(&allocator, nvrtc, sizeof *nvrtc);
}

/* ---- the toolkit's headers ---- */

/* Writes the path of `folder`/`subfolder`, if `file` can be read there; "" if not. */
static bool nvrtc_has_file(char *path, const char *folder, const char *subfolder, const char *file)
{
    char probe[HED_PATH_MAX];
    if (folder[0] && hed_path_join(path, folder, subfolder) && hed_path_join(probe, path, file) &&
        access(probe, R_OK) == 0)
        return true;
    path[0] = 0;
    return false;
}

void hed_nvrtc_find_headers(hed_nvrtc *nvrtc, const char *cuda_home)
{
    /* folders relative to libnvrtc.so in a toolkit's lib64, in its targets/MACHINE/lib, in a wheel
     * of CUDA 13, and in wheels of CUDA 12 */
    static const char *const around[] = {
        "../include", "../../include", "../../cuda_runtime/include"};
    static const char *const usual[] = {
        "/usr/local/cuda/include", "/usr/include" /* Debian's nvidia-cuda-dev */};
    static const char first[] = "cuda_fp16.h";
    static const char libraries[] = "cuda/std/type_traits";
    char library_folder[HED_PATH_MAX], *to = nvrtc->headers,
                                       *library_headers = nvrtc->library_headers;
    hed_dynlib_folder(nvrtc->library, library_folder, sizeof library_folder);
    bool is_found = nvrtc_has_file(to, cuda_home ? cuda_home : "", "include", first);
    for (size_t i = 0; !is_found && i < sizeof around / sizeof *around; i++)
        is_found = nvrtc_has_file(to, library_folder, around[i], first);
    for (size_t i = 0; !is_found && i < sizeof usual / sizeof *usual; i++)
        is_found = nvrtc_has_file(to, usual[i], ".", first);
    if (is_found && !nvrtc_has_file(library_headers, to, ".", libraries) &&
        !nvrtc_has_file(library_headers, to, "cccl", libraries))
        nvrtc_has_file(library_headers, library_folder, "../../cuda_cccl/include", libraries);
}

const char *hed_nvrtc_headers(const hed_nvrtc *nvrtc) { return nvrtc->headers; }

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

static void nvrtc_add_option(options *to, const char *format, uint32_t value)
{
    snprintf(to->words[to->count++], OPTION_SIZE, format, value);
}

/* True if NVRTC gets this option of the description. Options for OpenCL compilers only permit
 * optimisations that NVRTC applies anyway. */
static bool nvrtc_is_for_nvrtc(const hed_build *build, const char *option)
{
    return build->language == HED_CUDA_C || strncmp(option, "-cl-", 4) != 0;
}

/* AMD's compilers have no limit on registers: launch bounds alone. */
static void hiprtc_set_options(options *to, const hed_build *build)
{
    bool strict = build->math == HED_MATH_STRICT;
    to->count = 0;
    nvrtc_add_option(to, "-std=c++17", 0);
    nvrtc_add_option(to, "-O3", 0);
    nvrtc_add_option(to, strict ? "-ffp-contract=off" : "-ffp-contract=fast", 0);
    nvrtc_add_option(
        to, strict ? "-fno-gpu-flush-denormals-to-zero" : "-fgpu-flush-denormals-to-zero", 0);
    nvrtc_add_option(to, "-DHED_HIP=1", 0);
    nvrtc_add_option(to, "-DHED_STRICT=%u", strict);
    if (build->max_threads) nvrtc_add_option(to, "-DHED_MAX_THREADS=%u", build->max_threads);
}

static void nvrtc_set_options(options *to, const hed_build *build)
{
    bool strict = build->math == HED_MATH_STRICT;
    to->count = 0;
    nvrtc_add_option(to, "--std=c++17", 0);
    nvrtc_add_option(to, "--device-as-default-execution-space", 0);
    nvrtc_add_option(to, strict ? "--fmad=false" : "--fmad=true", 0);
    nvrtc_add_option(to, strict ? "--ftz=false" : "--ftz=true", 0);
    nvrtc_add_option(to, strict ? "--prec-div=true" : "--prec-div=false", 0);
    nvrtc_add_option(to, strict ? "--prec-sqrt=true" : "--prec-sqrt=false", 0);
    nvrtc_add_option(to, "-DHED_STRICT=%u", strict);
    /* ptxas gives launch bounds precedence over --maxrregcount, so a limit on registers replaces
     * the launch bounds. The limit is then low enough for a full group: 65,536 registers of a
     * multiprocessor, allocated to warps of 32 in units of eight for each work item. */
    /* a quarter of the warps on each scheduler */
    uint32_t warps = (build->max_threads + 127) / 128 * 4;
    uint32_t groups = build->min_groups ? build->min_groups : 1;
    if (build->max_registers) {
        uint32_t fitting = warps ? 65536 / (warps * 32 * groups) / 8 * 8 : 255;
        if (fitting < 16) fitting = 16;
        nvrtc_add_option(to, "--maxrregcount=%u",
            build->max_registers < fitting ? build->max_registers : fitting);
    } else if (build->max_threads) {
        nvrtc_add_option(to, "-DHED_MAX_THREADS=%u", build->max_threads);
        if (build->min_groups) nvrtc_add_option(to, "-DHED_MIN_GROUPS=%u", build->min_groups);
    }
}

/* Writes the fixed options, then the description's own. */
static hed_status nvrtc_write_options(
    const options *fixed, const hed_build *build, char *text, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < fixed->count && used < size; i++) {
        int n = snprintf(text + used, size - used, "%s%s", i ? " " : "", fixed->words[i]);
        used += n > 0 ? (size_t)n : 0;
    }
    for (uint32_t i = 0; i < build->def->option_count && used < size; i++)
        if (nvrtc_is_for_nvrtc(build, build->def->options[i]))
            used += (size_t)snprintf(text + used, size - used, " %s", build->def->options[i]);
    return used < size ? HED_OK : HED_ERROR_LIMIT;
}

hed_status hed_nvrtc_options(const hed_build *build, char *text, size_t size)
{
    options fixed;
    nvrtc_set_options(&fixed, build);
    return nvrtc_write_options(&fixed, build, text, size);
}

hed_status hed_hiprtc_options(const hed_build *build, char *text, size_t size)
{
    options fixed;
    hiprtc_set_options(&fixed, build);
    return nvrtc_write_options(&fixed, build, text, size);
}

const char *hed_nvrtc_prelude(const hed_build *build)
{
    return build->language == HED_CUDA_C ? hed_standard_version : hed_prelude_text;
}

/* ---- compiling ---- */

static hed_status nvrtc_no_memory(const hed_build *build, hed_error *error)
{
    return HED_OUT_OF_MEMORY(error, "the compilation of %s", build->def->name);
}

/* True if the prelude, which is included before the text, reads this define. All other defines come
 * after the prelude, since a parameter may have the name of one of its variables. */
static bool nvrtc_is_for_prelude(const hed_define *define)
{
    return strncmp(define->name, "HED_", 4) == 0;
}

/* True if a text has a branch for NVRTC: headers such as CUTLASS's leave <cstdint> out of that
 * branch, and expect the caller's types. */
static bool nvrtc_is_for_rtc(const hed_build *build)
{
    static const char macro[] = "__CUDACC_RTC__";
    for (uint32_t i = 0; i < build->source_count; i++) {
        const hed_source *source = &build->sources[i];
        size_t size = source->size ? source->size : strlen(source->text);
        if (memmem(source->text, size, macro, sizeof macro - 1)) return true;
    }
    return false;
}

/* Assembles the text. Every chunk counts its own lines under its own name; the prelude before the
 * text comes as a pre-included header; hipRTC includes it in a line of its own. */
static void nvrtc_add_sources(hed_text *text, const hed_nvrtc *nvrtc, const hed_build *build)
{
    /* clang's form of NVRTC's --device-as-default-execution-space */
    if (nvrtc->hip) hed_text_add(text, "#pragma clang force_cuda_host_device begin\n");
    if (nvrtc->hip && build->language != HED_CUDA_C) hed_text_add(text, "#include \"heddle.clh\"\n");
    if (!nvrtc->hip && build->language == HED_CUDA_C && nvrtc_is_for_rtc(build))
        hed_text_add(text, "#include <stdint.h>\n");
    for (uint32_t i = 0; i < build->define_count; i++)
        if (!nvrtc_is_for_prelude(&build->defines[i]))
            hed_text_add_define(text, build->defines[i].name, build->defines[i].value);
    for (uint32_t i = 0; i < build->source_count; i++) {
        const hed_source *source = &build->sources[i];
        hed_text_add(text, "#line 1 \"");
        for (const char *c = source->name; *c; c++)
            hed_text_add(text, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        hed_text_add(text, "\"\n");
        hed_text_add_bytes(text, source->text, source->size ? source->size : strlen(source->text));
        hed_text_add(text, "\n");
    }
    if (nvrtc->hip) hed_text_add(text, "#pragma clang force_cuda_host_device end\n");
}

static hed_status nvrtc_build_failed(const hed_nvrtc *nvrtc, int result, const char *target,
    const hed_build *build, const char *log, hed_error *error)
{
    char text[768];
    if (result == NVRTC_OUT_OF_MEMORY) return nvrtc_no_memory(build, error);
    hed_nvrtc_read_error(log ? log : "", build->entry, nvrtc->headers, text, sizeof text);
    hed_fail(error, HED_ERROR_BUILD, "%s does not compile for %s with %s %d.%d%s: %s",
        build->def->name, target, nvrtc->hip ? "hipRTC" : "NVRTC", nvrtc->version / 1000,
        nvrtc->version % 1000 / 10,
        result == NVRTC_COMPILATION ? ""
        : nvrtc->hip                ? " (not the text's fault: hiprtcCompileProgram)"
                                    : " (not the text's fault: nvrtcCompileProgram)",
        text);
    hed_fail_log(error, log);
    return HED_ERROR_BUILD;
}

/* ---- names ---- */

/* Calls `use` for the entry and each symbol of a text in CUDA C; the first result other than 0 ends
 * the loop. Kernels in OpenCL C keep their names. */
static int nvrtc_for_each_name(
    const hed_build *build, int (*use)(void *user, const char *expression), void *user)
{
    const hed_kernel_def *def = build->def;
    if (def->language != HED_CUDA_C) return 0;
    int result = use(user, build->entry);
    for (uint32_t i = 0; i < def->argument_count && !result; i++) {
        char expression[HED_NVRTC_SYMBOL];
        if (!def->arguments[i].symbol) continue;
        hed_nvrtc_symbol(def->arguments[i].name, expression);
        result = use(user, expression);
    }
    return result;
}

void hed_nvrtc_symbol(const char *name, char expression[HED_NVRTC_SYMBOL])
{
    snprintf(expression, HED_NVRTC_SYMBOL, "&%s", name);
}

typedef struct naming {
    const hed_nvrtc *nvrtc;
    nvrtc_program *program;
    hed_text *log;
} naming;

static int nvrtc_add_name(void *user, const char *expression)
{
    const naming *n = user;
    return n->nvrtc->api.nvrtcAddNameExpression(n->program, expression);
}

static const char name_line[] = "name %s = %s\n";

static int nvrtc_log_name(void *user, const char *expression)
{
    const naming *n = user;
    const char *lowered = NULL;
    int result = n->nvrtc->api.nvrtcGetLoweredName(n->program, expression, &lowered);
    if (!result) hed_text_add(n->log, name_line, expression, lowered);
    return result;
}

/* Stores the lowered names (see hed_nvrtc_lowered()), then the compiler's log. */
static hed_status nvrtc_take_log(const hed_nvrtc *nvrtc, nvrtc_program *program,
    const hed_build *build, bool compiled, hed_binary *binary)
{
    hed_text names = {.allocator = &nvrtc->allocator};
    size_t size = 0;
    if (compiled) nvrtc_for_each_name(build, nvrtc_log_name, &(naming){nvrtc, program, &names});
    if (nvrtc->api.nvrtcGetProgramLogSize(program, &size) || size < 1) size = 1;
    bool empty = names.size + size < 2, failed = names.failed; /* 1: the final zero alone */
    if (!failed && !empty) binary->log = hed_allocate(&nvrtc->allocator, names.size + size);
    if (binary->log) {
        if (names.size) memcpy(binary->log, names.bytes, names.size);
        if (size > 1) nvrtc->api.nvrtcGetProgramLog(program, binary->log + names.size);
        binary->log_size = names.size + size;
        binary->log[binary->log_size - 1] = 0;
    }
    hed_text_free(&names);
    return failed || (!empty && !binary->log) ? HED_ERROR_MEMORY : HED_OK;
}

static hed_status nvrtc_no_code(
    const hed_nvrtc *nvrtc, const hed_build *build, const char *call, int result, hed_error *error)
{
    return hed_fail(error, HED_ERROR_BUILD, "%s gives no code for %s: %s (result %d)",
        nvrtc->hip ? "hipRTC" : "NVRTC", build->def->name, nvrtc_call_name(nvrtc, call), result);
}

static hed_status nvrtc_take_code(const hed_nvrtc *nvrtc, nvrtc_program *program, bool cubin,
    const hed_build *build, hed_binary *binary, hed_error *error)
{
    const struct nvrtc_api *api = &nvrtc->api;
    size_t size = 0;
    int result =
        cubin ? api->nvrtcGetCUBINSize(program, &size) : api->nvrtcGetPTXSize(program, &size);
    if (result || !size)
        return nvrtc_no_code(nvrtc, build, cubin ? "nvrtcGetCUBINSize" : "nvrtcGetPTXSize", result, error);
    binary->bytes = hed_allocate(&nvrtc->allocator, size);
    if (!binary->bytes) return nvrtc_no_memory(build, error);
    binary->size = size;
    result = cubin ? api->nvrtcGetCUBIN(program, binary->bytes)
                   : api->nvrtcGetPTX(program, binary->bytes);
    return result ? nvrtc_no_code(nvrtc, build, cubin ? "nvrtcGetCUBIN" : "nvrtcGetPTX", result, error) : HED_OK;
}

static hed_status nvrtc_run(const hed_nvrtc *nvrtc, const char *target, const hed_build *build,
    const char *text, const char *const *words, uint32_t count, hed_binary *binary,
    hed_error *error)
{
    const char *const prelude_name = "heddle.clh", *const prelude = hed_prelude_text,
                      *const *names = &prelude_name, *const *texts = &prelude;
    nvrtc_program *program = NULL;
    uint32_t headers = build->language == HED_CUDA_C ? hed_standard_headers(&names, &texts) : 1;
    int result = nvrtc->api.nvrtcCreateProgram(
        &program, text, nvrtc->hip ? "heddle.hip" : "heddle.cu", (int)headers, texts, names);
    if (result)
        return nvrtc_build_failed(nvrtc, result, target, build,
            nvrtc->hip ? "hiprtcCreateProgram failed" : "nvrtcCreateProgram failed", error);
    result = nvrtc_for_each_name(build, nvrtc_add_name, &(naming){nvrtc, program, NULL});
    if (!result) result = nvrtc->api.nvrtcCompileProgram(program, (int)count, words);
    hed_status status = nvrtc_take_log(nvrtc, program, build, result == 0, binary);
    if (status) nvrtc_no_memory(build, error);
    else if (result) status = nvrtc_build_failed(nvrtc, result, target, build, binary->log, error);
    else
        status = nvrtc_take_code(
            nvrtc, program, nvrtc->hip || strncmp(target, "sm_", 3) == 0, build, binary, error);
    nvrtc->api.nvrtcDestroyProgram(&program);
    return status;
}

/* Appends a word and its zero to a block of words. */
static void nvrtc_add_word(
    hed_text *block, const char *begin, const char *name, const char *between, const char *value)
{
    hed_text_add(block, "%s%s%s%s", begin, name, between, value);
    hed_text_add_bytes(block, "", 1);
}

/* Appends the variable options: defines that the prelude reads, the description's own options, the
 * toolkit's folders. Returns the number of words. */
static uint32_t nvrtc_add_words(const hed_nvrtc *nvrtc, const hed_build *build, hed_text *block)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < build->define_count; i++)
        if (nvrtc_is_for_prelude(&build->defines[i]))
            count++, nvrtc_add_word(block, "-D", build->defines[i].name, "=", build->defines[i].value);
    for (uint32_t i = 0; i < build->def->option_count; i++)
        if (nvrtc_is_for_nvrtc(build, build->def->options[i]))
            count++, nvrtc_add_word(block, build->def->options[i], "", "", "");
    if (build->language != HED_CUDA_C) return count;
    if (nvrtc->headers[0]) count++, nvrtc_add_word(block, "-I", nvrtc->headers, "", "");
    if (nvrtc->library_headers[0])
        count++, nvrtc_add_word(block, "-I", nvrtc->library_headers, "", "");
    return count;
}

static uint32_t nvrtc_gather_words(const hed_nvrtc *nvrtc, const options *fixed, const char *target,
    const hed_build *build, const char *extra, uint32_t extra_count, const char **words)
{
    uint32_t count = 0;
    words[count++] = target;
    for (uint32_t i = 0; i < fixed->count; i++) words[count++] = fixed->words[i];
    for (uint32_t i = 0; i < extra_count; i++, extra += strlen(extra) + 1) words[count++] = extra;
    if (nvrtc->hip) return count;
    if (build->language != HED_CUDA_C) words[count++] = "--pre-include=heddle.clh";
    words[count++] = "--ptxas-options=-v";
    /* NVRTC's cache of cubins does not distinguish -ftz, -prec-div and -prec-sqrt; Heddle's
     * does. */
    if (nvrtc->version >= FIRST_NO_CACHE) words[count++] = "--no-cache";
    return count;
}

hed_status hed_nvrtc_compile(const hed_nvrtc *nvrtc, const char *target, const hed_build *build,
    hed_binary *binary, hed_error *error)
{
    hed_text text = {.allocator = &nvrtc->allocator}, extra = {.allocator = &nvrtc->allocator};
    char architecture[32 + HED_NVRTC_TARGET];
    uint32_t extra_count = nvrtc_add_words(nvrtc, build, &extra);
    size_t room = (OPTION_COUNT + 4 + (size_t)extra_count) * sizeof(char *);
    const char **words = hed_allocate(&nvrtc->allocator, room);
    options fixed;
    *binary = (hed_binary){0};
    snprintf(architecture, sizeof architecture, "%s=%s",
        nvrtc->hip ? "--offload-arch" : "--gpu-architecture", target);
    if (nvrtc->hip) hiprtc_set_options(&fixed, build);
    else nvrtc_set_options(&fixed, build);
    nvrtc_add_sources(&text, nvrtc, build);
    hed_status status =
        !words || text.failed || extra.failed ? nvrtc_no_memory(build, error) : HED_OK;
    if (!status) {
        uint32_t count =
            nvrtc_gather_words(nvrtc, &fixed, architecture, build, extra.bytes, extra_count, words);
        status = nvrtc_run(
            nvrtc, target, build, text.bytes ? text.bytes : "", words, count, binary, error);
    }
    hed_release(&nvrtc->allocator, words, room);
    hed_text_free(&extra);
    hed_text_free(&text);
    if (status) {
        hed_release(&nvrtc->allocator, binary->bytes, binary->size);
        hed_release(&nvrtc->allocator, binary->log, binary->log_size);
        *binary = (hed_binary){0};
    }
    return status;
}
