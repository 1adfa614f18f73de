/* Programs: compiling text to a binary of the driver, loading a kernel from a binary, and its
 * resource usage. */
#include "backends/opencl/opencl.h"
#include "base/signature.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char hed_prelude_text[]; /* generated from src/prelude */

const char *hed_opencl_prelude(const hed_build *build) { return hed_prelude_text; }

/* Writes the build options. Fast mode allows options that change rounding and denormals, but no
 * option that makes NaN and infinity undefined. The pragma that forbids contraction in strict mode
 * is in the prelude; the flag -cl-fp32-correctly-rounded-divide-sqrt makes NVIDIA divide
 * correctly. */
hed_status hed_opencl_build_options(const hed_build *build, char *text, size_t size)
{
    bool strict = build->math == HED_MATH_STRICT,
         nvidia = hed_opencl_platform_of(build->device) == OPENCL_NVIDIA;
    int used = snprintf(text, size, "-cl-std=CL1.2 -cl-kernel-arg-info %s%s",
        strict ? "-cl-fp32-correctly-rounded-divide-sqrt -DHED_STRICT=1"
               : "-cl-mad-enable -cl-no-signed-zeros -cl-denorms-are-zero",
        nvidia ? " -cl-nv-verbose" : "");
    /* OpenCL C 1.2 has no launch bounds: a full group divides 65,536 registers, allocated in units
     * of eight. */
    /* a quarter of the warps on each scheduler */
    uint32_t warps = (build->max_threads + 127) / 128 * 4;
    uint32_t registers = build->max_registers, fitting = warps ? 65536 / (warps * 32) / 8 * 8 : 255;
    if (fitting < 255 && (!registers || registers > fitting)) registers = fitting;
    if (nvidia && registers && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, " -cl-nv-maxrregcount=%u", registers);
    for (uint32_t i = 0; i < build->def->option_count && (size_t)used < size; i++)
        used += snprintf(text + used, size - (size_t)used, " %s", build->def->options[i]);
    return (size_t)used < size ? HED_OK : HED_ERROR_LIMIT;
}

/* ---- the text ---- */

static void opencl_add_line(hed_text *text, const char *name)
{
    hed_text_add(text, "\n#line 1 \"");
    for (; *name; name++) hed_text_add(text, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
    hed_text_add(text, "\"\n");
}

/* Adds the defines as text and not as options: drivers split options at blanks, each with rules of
 * its own for quotes. The prelude reads HED_ names; all other defines come after the prelude, since
 * a parameter may have the name of one of its variables. */
static void opencl_add_defines(hed_text *text, const hed_build *build, bool ours)
{
    for (uint32_t i = 0; i < build->define_count; i++)
        if ((strncmp(build->defines[i].name, "HED_", 4) == 0) == ours)
            hed_text_add_define(text, build->defines[i].name, build->defines[i].value);
}

static void opencl_assemble(const hed_build *build, hed_text *text)
{
    opencl_add_defines(text, build, true);
    opencl_add_line(text, "heddle.clh");
    hed_text_add_bytes(text, hed_prelude_text, strlen(hed_prelude_text));
    hed_text_add(text, "\n");
    opencl_add_defines(text, build, false);
    for (uint32_t i = 0; i < build->source_count; i++) {
        const hed_source *source = &build->sources[i];
        opencl_add_line(text, source->name);
        hed_text_add_bytes(text, source->text, source->size ? source->size : strlen(source->text));
    }
    hed_text_add(text, "\n");
}

/* True if binaries of this platform are used; otherwise they stay empty. PoCL would compile, for
 * the binary alone, a version for groups of any size, which no launch uses; it keeps the code that
 * it compiles for a launch in a cache of its own. Mesa's rusticl (22.3.6) ends the process when it
 * loads its own binary. */
static bool opencl_gives_binaries(const hed_device *device)
{
    opencl_platform platform = hed_opencl_platform_of(device);
    return platform != OPENCL_POCL && platform != OPENCL_RUSTICL;
}

/* ---- compiling ---- */

/* Compares the kernel's parameters with the description, if the driver reports their types. */
static hed_status opencl_check_types(
    const opencl_device *device, cl_kernel kernel, const hed_build *build, hed_error *error)
{
    const hed_signature signature = {.def = build->def, .entry = build->entry};
    char type[256];
    for (cl_uint i = 0; i < build->def->argument_count; i++) {
        size_t size = 0;
        if (device->api->clGetKernelArgInfo(
                kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, &size) ||
            size < 2)
            continue; /* unknown for a binary; only a struct has a longer name */
        hed_status status = hed_signature_compare(&signature, i, type, size - 1, error);
        if (status) return status;
    }
    return HED_OK;
}

/* Creates the kernel of a program, and checks it against the description. */
static hed_status opencl_make_kernel(const opencl_device *device, cl_program program,
    const hed_build *build, cl_kernel *kernel, hed_error *error)
{
    const hed_kernel_def *def = build->def;
    cl_int code = CL_SUCCESS;
    cl_uint arguments = def->argument_count;
    *kernel = device->api->clCreateKernel(program, build->entry, &code);
    if (code == CL_INVALID_KERNEL_NAME)
        return hed_fail(error, HED_ERROR_BUILD,
            "the text of %s has no kernel named \"%s\" (a built-in function's name is not allowed)",
            def->name, build->entry);
    if (!*kernel) return hed_opencl_fail(error, "clCreateKernel", code, "%s", def->name);
    device->api->clGetKernelInfo(*kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL);
    hed_status status =
        arguments == def->argument_count
            ? opencl_check_types(device, *kernel, build, error)
            : hed_fail(error, HED_ERROR_ARGUMENT,
                  "kernel \"%s\" takes %u arguments in its text and %u in the description of %s",
                  build->entry, arguments, def->argument_count, def->name);
    if (status) device->api->clReleaseKernel(*kernel);
    return status;
}

/* Builds a program. The driver may install signal handlers in a device's first build. */
static cl_int opencl_compile(opencl_device *device, cl_program program, const char *options)
{
    const hed_cl_api *api = device->api;
    if (device->built) return api->clBuildProgram(program, 1, &device->id, options, NULL, NULL);
    opencl_signals signals;
    hed_opencl_signals_keep(&signals);
    cl_int code = api->clBuildProgram(program, 1, &device->id, options, NULL, NULL);
    hed_opencl_signals_restore(&signals);
    device->built = true;
    return code;
}

/* Returns the build log; NULL if it is empty or memory ran out. */
static char *opencl_take_log(const opencl_device *device, cl_program program, size_t *size)
{
    char *log = NULL;
    *size = 0;
    if (device->api->clGetProgramBuildInfo(
            program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, size) ||
        *size < 2)
        *size = 0;
    if (*size) log = hed_allocate(&device->driver->allocator, ++*size);
    if (log)
        device->api->clGetProgramBuildInfo(
            program, device->id, CL_PROGRAM_BUILD_LOG, *size - 1, log, NULL);
    if (log && log[strspn(log, " \n")]) return log;
    hed_release(&device->driver->allocator, log, *size);
    *size = 0;
    return NULL;
}

static hed_status opencl_build_failed(const opencl_device *device, const hed_build *build,
    const char *text, cl_program program, cl_int code, hed_error *error)
{
    const hed_device_info *info = &build->device->info;
    size_t size = 0;
    if (code != CL_BUILD_PROGRAM_FAILURE)
        return hed_opencl_fail(error, "clBuildProgram", code, "%s for %s (%s)", build->def->name,
            info->id, info->name);
    char *log = opencl_take_log(device, program, &size);
    hed_fail(error, HED_ERROR_BUILD, "%s does not compile for %s (%s): see the log",
        build->def->name, info->id, info->name);
    hed_text placed = {.allocator = &device->driver->allocator};
    const char *whole_text =
        hed_opencl_platform_of(build->device) == OPENCL_OCLGRIND ? "input.cl:" : "<kernel>:";
    hed_opencl_place_log(text, whole_text, log ? log : "the compiler gave no reason", &placed);
    hed_fail_log(error, placed.failed ? log : placed.bytes);
    hed_text_free(&placed);
    hed_release(&device->driver->allocator, log, size);
    return HED_ERROR_BUILD;
}

static hed_status opencl_from_source(
    opencl_device *device, const hed_build *build, cl_program *program, hed_error *error)
{
    char options[4096];
    hed_text text = {.allocator = &device->driver->allocator};
    cl_int code = CL_SUCCESS;
    *program = NULL;
    hed_opencl_build_options(build, options, sizeof options);
    opencl_assemble(build, &text);
    if (text.failed) {
        hed_text_free(&text);
        return HED_OUT_OF_MEMORY(error, "the text of %s", build->def->name);
    }
    bool keeps = !opencl_gives_binaries(build->device);
    hed_hash hash = hed_hash_bytes(hed_hash_text(hed_hash_start(), options), text.bytes, text.size);
    if (keeps) *program = hed_opencl_recall(device, hash);
    if (*program) {
        hed_text_free(&text);
        return HED_OK;
    }
    const char *bytes = text.bytes;
    *program =
        device->api->clCreateProgramWithSource(device->context, 1, &bytes, &text.size, &code);
    if (!*program) {
        hed_text_free(&text);
        return hed_opencl_fail(error, "clCreateProgramWithSource", code, "%s", build->def->name);
    }
    code = opencl_compile(device, *program, options);
    hed_status status =
        code ? opencl_build_failed(device, build, text.bytes, *program, code, error) : HED_OK;
    hed_text_free(&text);
    if (!status && keeps) hed_opencl_keep(device, hash, *program);
    if (!status) return HED_OK;
    device->api->clReleaseProgram(*program);
    *program = NULL;
    return status;
}

/* Reads the binary of one device. A program's context may have several devices; the replies have
 * one entry for each. */
static cl_int opencl_take_binary(
    const opencl_device *device, cl_program program, hed_binary *binary)
{
    const hed_cl_api *api = device->api;
    cl_device_id ids[MOST_DEVICES] = {NULL};
    size_t sizes[MOST_DEVICES] = {0}, index = 0;
    unsigned char *binaries[MOST_DEVICES] = {NULL};
    cl_int code = api->clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof ids, ids, NULL);
    if (!code)
        code = api->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL);
    if (code) return code;
    while (index < MOST_DEVICES - 1 && ids[index] != device->id) index++;
    binary->size = sizes[index];
    binary->bytes = hed_allocate(&device->driver->allocator, binary->size);
    if (!binary->bytes) return CL_OUT_OF_HOST_MEMORY;
    binaries[index] = binary->bytes;
    code = api->clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL);
    if (code) hed_release(&device->driver->allocator, binary->bytes, binary->size);
    return code;
}

hed_status hed_opencl_build(const hed_build *build, hed_binary *binary, hed_error *error)
{
    opencl_device *device = hed_opencl_of(build->device);
    cl_program program = NULL;
    cl_kernel kernel = NULL;
    hed_status status = opencl_from_source(device, build, &program, error);
    if (status) return status;
    /* prevents that a cache stores a program without this kernel */
    status = opencl_make_kernel(device, program, build, &kernel, error);
    if (!status) device->api->clReleaseKernel(kernel);
    cl_int code = !status && opencl_gives_binaries(build->device)
                      ? opencl_take_binary(device, program, binary)
                      : CL_SUCCESS;
    if (code) {
        *binary = (hed_binary){0};
        status =
            hed_opencl_fail(error, "clGetProgramInfo", code, "the binary of %s", build->def->name);
    } else if (!status) {
        binary->log = opencl_take_log(device, program, &binary->log_size);
    }
    device->api->clReleaseProgram(program);
    return status;
}

/* ---- loading ---- */

static hed_status opencl_from_binary(opencl_device *device, const hed_build *build,
    const hed_binary *binary, cl_program *program, hed_error *error)
{
    char options[4096];
    const unsigned char *bytes = binary->bytes;
    cl_int code = CL_SUCCESS, fit = CL_SUCCESS;
    hed_opencl_build_options(build, options, sizeof options);
    *program = device->api->clCreateProgramWithBinary(
        device->context, 1, &device->id, &binary->size, &bytes, &fit, &code);
    const char *call = "clCreateProgramWithBinary";
    if (*program && !code)
        code = opencl_compile(device, *program, options), call = "clBuildProgram";
    if (*program && !code) return HED_OK;
    if (*program) device->api->clReleaseProgram(*program);
    hed_error cause = {0}; /* lack of memory and a lost device are no fault of the binary */
    hed_status status = hed_opencl_fail(&cause, call, code, "%s", build->def->name);
    if (status != HED_ERROR_DRIVER && status != HED_ERROR_LIMIT)
        return hed_fail(error, status, "%s", cause.text);
    return hed_fail(error, HED_ERROR_FORMAT,
        "the driver of %s refuses the binary of %s (%zu bytes): %s gives code %d",
        build->device->info.id, build->def->name, binary->size, call, (int)code);
}

/* ---- resource usage ---- */

static int64_t opencl_ask(const opencl_device *device, cl_kernel kernel, cl_uint query)
{
    cl_ulong value = 0;
    return device->api->clGetKernelWorkGroupInfo(
               kernel, device->id, query, sizeof value, &value, NULL)
               ? -1
               : (int64_t)value;
}

/* Returns the number before `words` between `from` and `end`; -1 if the words are missing there. */
static int64_t opencl_number_before(const char *from, const char *end, const char *words)
{
    const char *at = strstr(from, words);
    if (!at || at > end) return -1;
    while (at > from && at[-1] >= '0' && at[-1] <= '9') at--;
    return strtoll(at, NULL, 10);
}

/* Reads the section of ptxas's report that is about this entry point (-cl-nv-verbose). */
static void opencl_read_report(const char *log, const char *entry, hed_kernel_resources *r)
{
    char heading[256];
    snprintf(heading, sizeof heading, "Compiling entry function '%s'", entry);
    const char *from = log ? strstr(log, heading) : NULL;
    if (!from) return;
    from += strlen(heading);
    const char *end = strstr(from, "Compiling entry function");
    if (!end) end = from + strlen(from);
    int64_t stores = opencl_number_before(from, end, " bytes spill stores"),
            loads = opencl_number_before(from, end, " bytes spill loads");
    r->registers = opencl_number_before(from, end, " registers");
    r->stack_bytes = opencl_number_before(from, end, " bytes stack frame");
    r->spill_bytes = stores < 0 || loads < 0 ? -1 : stores + loads;
}

/* Computes the largest group of a kernel; -1: unknown. NVIDIA reports 256 work items for every
 * kernel, but registers are the limit: a processor's are divided among four schedulers, and each
 * warp gets them in units of eight for each work item. The register count is in the build's log,
 * which is empty if the driver took the program from a cache of its own. An unknown count is no
 * limit: the driver refuses a launch that is too large. */
static int64_t opencl_largest_group(const hed_device_info *info, int64_t registers)
{
    if (registers <= 0 || !info->registers) return -1;
    int64_t of_warp = (registers + 7) / 8 * 8 * info->lane_width;
    int64_t warps = info->registers / 4 / of_warp * 4;
    return warps * info->lane_width < info->max_group ? warps * info->lane_width : info->max_group;
}

/* Fills the resource usage. PoCL reports one number for every kernel, and no local memory for
 * arrays in the text. NVIDIA uses at least 4 bytes of local memory where it reports 1. rusticl
 * (22.3.6) reports the width of a subgroup as a kernel's largest group, but launches larger
 * groups. */
static void opencl_fill_resources(
    const opencl_device *device, hed_program *program, const hed_build *build, const char *log)
{
    hed_kernel_resources *r = &program->resources;
    opencl_platform platform = hed_opencl_platform_of(program->device);
    r->max_group = platform == OPENCL_RUSTICL
                       ? program->device->info.max_group
                       : opencl_ask(device, program->handle, CL_KERNEL_WORK_GROUP_SIZE);
    if (platform == OPENCL_POCL) return;
    r->lane_width =
        opencl_ask(device, program->handle, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
    r->local_bytes = opencl_ask(device, program->handle, CL_KERNEL_LOCAL_MEM_SIZE);
    if (platform != OPENCL_NVIDIA) return;
    if (r->local_bytes > 0) r->local_bytes = (r->local_bytes + 3) / 4 * 4;
    opencl_read_report(log, build->entry, r);
    r->max_group = opencl_largest_group(&program->device->info, r->registers);
}

hed_status hed_opencl_program_load(
    hed_program *program, const hed_build *build, const hed_binary *binary, hed_error *error)
{
    opencl_device *device = hed_opencl_of(program->device);
    cl_program loaded = NULL;
    cl_kernel kernel = NULL;
    /* empty: see hed_opencl_build(), or the driver returns no binaries */
    hed_status status = binary->size ? opencl_from_binary(device, build, binary, &loaded, error)
                                     : opencl_from_source(device, build, &loaded, error);
    if (status) return status;
    status = opencl_make_kernel(device, loaded, build, &kernel, error);
    if (status) {
        device->api->clReleaseProgram(loaded);
        return status;
    }
    program->impl = loaded;
    program->handle = kernel;
    opencl_fill_resources(device, program, build, binary->log);
    return HED_OK;
}

void hed_opencl_program_unload(hed_program *program)
{
    const hed_cl_api *api = hed_opencl_of(program->device)->api;
    api->clReleaseKernel(program->handle);
    api->clReleaseProgram(program->impl);
}

/* ---- positions in logs ---- */

/* Build logs with line numbers of the whole text. NVIDIA's compiler ignores #line: it writes
 * "<kernel>:1428:14" where PoCL writes "blur.cl:4:14", and Oclgrind's writes "input.cl:1428:14". */

/* Finds the file and line that the #line directives of `text` assign to its line `number`, from
 * 1. */
static unsigned long opencl_place_of(
    const char *text, unsigned long number, char *name, size_t size)
{
    unsigned long line_number = 1;
    snprintf(name, size, "%s", "kernel");
    for (; number > 1 && text; number--) {
        char file[256];
        unsigned long line;
        int fields = sscanf(text, "#line %lu \"%255[^\"\n]\"", &line, file);
        line_number = fields >= 1 ? line : line_number + 1;
        if (fields == 2) snprintf(name, size, "%s", file);
        text = strchr(text, '\n');
        if (text) text++;
    }
    return line_number;
}

void hed_opencl_place_log(
    const char *text, const char *whole_text, const char *log, hed_text *placed)
{
    for (const char *at; (at = strstr(log, whole_text)); log = at) {
        char name[256], *end;
        hed_text_add_bytes(placed, log, (size_t)(at - log));
        at += strlen(whole_text);
        unsigned long number = strtoul(at, &end, 10);
        unsigned long line = opencl_place_of(text, number, name, sizeof name);
        if (end == at) hed_text_add(placed, "%s", whole_text);
        else hed_text_add(placed, "%s:%lu", name, line);
        at = end;
    }
    hed_text_add(placed, "%s", log);
}
