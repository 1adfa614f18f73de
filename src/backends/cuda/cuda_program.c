/* CUDA and HIP programs and launches: compiling through NVRTC, loading cubins and PTX, resource usage
 * reported by the driver, and the launch. */
#include "backends/cuda/cuda_driver.h"
#include "backends/cuda/mangled.h"
#include "base/alloc.h"
#include "base/signature.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum {
    LONGEST_NAME = 4096, /* bytes of the mangled name of a template */
    JIT_LOG = 4096,
    LOCAL_WITHOUT_ASKING = 48 << 10,
    PORTABLE_CLUSTER = 8
};
#define MOST_ITEMS \
    ((uint64_t)1 << 32) /* work items in one dimension: see get_global_id() in prelude/cuda.clh */

/* Writes the options that decide on the code. The folder of the toolkit's headers is one of them,
 * because a text in CUDA C includes these headers. */
hed_status hed_cuda_build_options(const hed_build *build, char *text, size_t size)
{
    const hed_cuda *cuda = build->device->slot->state;
    bool hip = cuda && cuda->hip;
    hed_status status =
        hip ? hed_hiprtc_options(build, text, size) : hed_nvrtc_options(build, text, size);
    if (status || build->language != HED_CUDA_C || !cuda || !cuda->nvrtc || hip) return status;
    size_t used = strlen(text);
    int length = snprintf(text + used, size - used, " headers %s", hed_nvrtc_headers(cuda->nvrtc));
    return (size_t)length < size - used ? HED_OK : HED_ERROR_LIMIT;
}

hed_status hed_cuda_build(const hed_build *build, hed_binary *binary, hed_error *error)
{
    const hed_cuda *cuda = build->device->slot->state;
    if (!cuda->nvrtc || !(build->device->info.capabilities & HED_CAN_SOURCE))
        return hed_fail(error, HED_ERROR_UNSUPPORTED, "%s: nothing can be compiled for %s here: %s",
            build->def->name, build->device->info.id, build->device->slot->remedy);
    return hed_nvrtc_compile(
        cuda->nvrtc, build->device->text[HED_CUDA_TARGET], build, binary, error);
}

/* ---- loading ---- */

static hed_status cuda_load_failed(const hed_cuda_api *api, const hed_build *build, CUresult result,
    const char *log, hed_error *error)
{
    hed_error cause = {0};
    hed_status status = hed_cuda_fail(api, result, "cuModuleLoadDataEx", &cause);
    /* error codes that blame the image: the core compiles it again */
    if (result == CUDA_ERROR_INVALID_IMAGE || result == CUDA_ERROR_NO_BINARY_FOR_GPU ||
        result == CUDA_ERROR_INVALID_PTX || result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
        status = HED_ERROR_FORMAT;
    const char *advice =
        result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION
            ? "; the driver is older than NVRTC: install a newer one, or an older NVRTC"
        : result == CUDA_ERROR_JIT_COMPILER_NOT_FOUND
            ? "; libnvidia-ptxjitcompiler is missing (apt install libnvidia-ptxjitcompiler1)"
            : "";
    hed_fail(error, status, "%s does not load: %.500s%s", build->def->name, cause.text, advice);
    hed_fail_log(error, log);
    return status;
}

/* Writes the name that the entry or a symbol has in the compiled module. */
static bool cuda_name_in_module(const hed_build *build, const hed_binary *binary,
    const char *expression, char name[LONGEST_NAME])
{
    return build->language == HED_CUDA_C
               ? hed_nvrtc_lowered(binary->log, expression, name, LONGEST_NAME)
               : hed_text_copy(name, LONGEST_NAME, expression);
}

/* ---- symbols ---- */

static hed_status cuda_find_symbol(hed_program *program, const hed_build *build,
    const hed_binary *binary, const hed_argument_def *argument, hed_cuda_symbol *symbol,
    hed_error *error)
{
    const hed_cuda_api *api = hed_cuda_api_of(program->device);
    char name[LONGEST_NAME], expression[HED_NVRTC_SYMBOL];
    size_t size = 0;
    CUresult result = CUDA_ERROR_NOT_FOUND;
    if (!api->cuModuleGetGlobal)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s: this driver cannot locate \"%s\" (it lacks cuModuleGetGlobal)", build->def->name,
            argument->name);
    hed_nvrtc_symbol(argument->name, expression);
    if (cuda_name_in_module(build, binary, expression, name))
        result = api->cuModuleGetGlobal(
            &symbol->address, &size, ((hed_cuda_program *)program->impl)->module, name);
    if (result == CUDA_ERROR_NOT_FOUND)
        return hed_fail(error, HED_ERROR_BUILD,
            "%s has no symbol \"%s\": its text must have __constant__ or __device__ TYPE %s",
            build->def->name, argument->name, argument->name);
    if (result) return hed_cuda_check(program->device, result, "cuModuleGetGlobal", error);
    if (size < argument->size)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: the symbol \"%s\" has %zu bytes, its content %zu", build->def->name,
            argument->name, size, argument->size);
    symbol->content = hed_allocate(&program->device->settings->allocator, argument->size);
    return symbol->content ? HED_OK : HED_OUT_OF_MEMORY(error, "symbol \"%s\"", argument->name);
}

static hed_status cuda_find_symbols(
    hed_program *program, const hed_build *build, const hed_binary *binary, hed_error *error)
{
    hed_cuda_program *impl = program->impl;
    const hed_kernel_def *def = build->def;
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < def->argument_count && !status; i++) {
        if (!def->arguments[i].symbol) continue;
        if (!impl->symbols)
            impl->symbols = hed_allocate(
                &program->device->settings->allocator, def->argument_count * sizeof *impl->symbols);
        if (!impl->symbols) return HED_OUT_OF_MEMORY(error, "the symbols of %s", def->name);
        status =
            cuda_find_symbol(program, build, binary, &def->arguments[i], &impl->symbols[i], error);
    }
    return status;
}

static void cuda_free_program(hed_program *program)
{
    const hed_allocator *allocator = &program->device->settings->allocator;
    hed_cuda_program *freed = program->impl;
    const hed_kernel_def *def = program->def;
    for (uint32_t i = 0; freed->symbols && i < def->argument_count; i++)
        hed_release(allocator, freed->symbols[i].content, def->arguments[i].size);
    hed_release(allocator, freed->symbols, def->argument_count * sizeof *freed->symbols);
    hed_release(allocator, freed, sizeof *freed);
    program->impl = NULL;
}

/* Copies an argument into its symbol. All launches of the module read one symbol, so work that may
 * read the old content is waited for. Unchanged content is not written again, so that a launch that
 * changes nothing costs nothing. */
static hed_status cuda_fill_symbol(const hed_device *device, hed_cuda_symbol *symbol,
    const hed_argument *argument, hed_error *error)
{
    const hed_cuda_api *api = hed_cuda_api_of(device);
    if (symbol->filled && memcmp(symbol->content, argument->value.bytes, argument->size) == 0)
        return HED_OK;
    CUresult result = api->cuCtxSynchronize();
    if (!result)
        result =
            api->cuMemcpyHtoDAsync(symbol->address, argument->value.bytes, argument->size, NULL);
    if (!result) result = api->cuCtxSynchronize();
    symbol->filled = !result;
    if (!result) memcpy(symbol->content, argument->value.bytes, argument->size);
    return hed_cuda_check(device, result, "cuMemcpyHtoDAsync (a symbol's content)", error);
}

/* ---- loading a module ---- */

/* Compares the parameter types in the kernel's mangled name with the description. */
static hed_status cuda_check_types(const hed_build *build, const char *entry, hed_error *error)
{
    const hed_kernel_def *def = build->def;
    const hed_signature signature = {
        .def = def, .language = build->language, .entry = build->entry};
    hed_mangled mangled = hed_mangled_open(entry);
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < def->argument_count && !status; i++) {
        char words[128];
        if (def->arguments[i].symbol) continue;
        if (!hed_mangled_next(&mangled, words, sizeof words)) break;
        if (words[0]) status = hed_signature_compare(&signature, i, words, strlen(words), error);
    }
    return status;
}

static hed_status cuda_load_module(
    hed_program *program, const hed_build *build, const hed_binary *binary, hed_error *error)
{
    const hed_cuda_api *api = hed_cuda_api_of(program->device);
    hed_cuda_program *impl = program->impl;
    char jit_log[JIT_LOG] = "", failed[JIT_LOG] = "";
    int options[6] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
        CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_LOG_VERBOSE,
        CU_JIT_MAX_REGISTERS};
    void *values[6] = {jit_log, (void *)(uintptr_t)sizeof jit_log, failed,
        (void *)(uintptr_t)sizeof failed, (void *)1, (void *)(uintptr_t)build->max_registers};
    CUresult result = api->cuModuleLoadDataEx(
        &impl->module, binary->bytes, build->max_registers ? 6 : 5, options, values);
    if (result) return cuda_load_failed(api, build, result, failed, error);
    CUfunction function = NULL;
    char entry[LONGEST_NAME];
    result = cuda_name_in_module(build, binary, build->entry, entry)
                 ? api->cuModuleGetFunction(&function, impl->module, entry)
                 : CUDA_ERROR_NOT_FOUND;
    program->handle = function;
    if (result == CUDA_ERROR_NOT_FOUND)
        return hed_fail(error, HED_ERROR_BUILD,
            "%s has no kernel \"%s\": its text must have %s void %s(...)", build->def->name,
            build->entry, build->language == HED_CUDA_C ? "__global__" : "__kernel", build->entry);
    hed_status status = cuda_check_types(build, entry, error);
    if (status) return status;
    /* One log has a report: NVRTC's ptxas for a cubin, the driver's for PTX. */
    hed_nvrtc_read_log(jit_log, entry, &program->resources);
    hed_nvrtc_read_log(binary->log, entry, &program->resources);
    return hed_cuda_check(program->device, result, "cuModuleGetFunction", error);
}

/* Queries the resource usage of the code that will run; only spills are known from the log
 * alone. */
static hed_status cuda_ask_resources(hed_program *program, hed_error *error)
{
    static const int attributes[4] = {CU_FUNC_NUM_REGS, CU_FUNC_SHARED_SIZE_BYTES,
        CU_FUNC_MAX_THREADS_PER_BLOCK, CU_FUNC_LOCAL_SIZE_BYTES};
    hed_cuda_program *impl = program->impl;
    hed_kernel_resources *resources = &program->resources;
    int values[4] = {0};
    for (int i = 0; i < 4; i++) {
        CUresult result = hed_cuda_api_of(program->device)
                              ->cuFuncGetAttribute(&values[i], attributes[i], program->handle);
        if (result) return hed_cuda_check(program->device, result, "cuFuncGetAttribute", error);
    }
    resources->registers = values[0];
    resources->local_bytes = values[1];
    resources->max_group = values[2];
    if (resources->stack_bytes < 0) resources->stack_bytes = values[3];
    resources->lane_width = program->device->info.lane_width;
    impl->static_bytes = (uint32_t)values[1];
    return HED_OK;
}

hed_status hed_cuda_program_load(
    hed_program *program, const hed_build *build, const hed_binary *binary, hed_error *error)
{
    const uint64_t resident =
        HED_CAN_COOPERATIVE | HED_CAN_GRID_BARRIER | HED_CAN_PACKETS | HED_CAN_RESIDENT;
    hed_cuda_program *impl = hed_allocate(&program->device->settings->allocator, sizeof *impl);
    CUcontext previous;
    if (!impl) return HED_OUT_OF_MEMORY(error, "kernel %s", build->def->name);
    program->impl = impl;
    impl->cooperative = (build->def->needs & resident) != 0;
    hed_status status = hed_cuda_enter(program->device, &previous, error);
    if (!status) {
        if (((status = cuda_load_module(program, build, binary, error)) ||
                (status = cuda_find_symbols(program, build, binary, error)) ||
                (status = cuda_ask_resources(program, error))) &&
            impl->module)
            hed_cuda_api_of(program->device)->cuModuleUnload(impl->module);
        hed_cuda_restore(program->device, previous);
    }
    if (!status) return HED_OK;
    cuda_free_program(program);
    program->handle = NULL;
    return status;
}

void hed_cuda_program_unload(hed_program *program)
{
    hed_cuda_program *freed = program->impl;
    CUcontext previous;
    if (hed_cuda_enter(program->device, &previous, NULL) == HED_OK) {
        hed_cuda_api_of(program->device)->cuModuleUnload(freed->module);
        hed_cuda_restore(program->device, previous);
    }
    cuda_free_program(program);
}

/* ---- launching ---- */

/* Allows the function more than 48 KB of local memory, which takes one call for each function. The
 * device's maximum is allowed at once, so that any thread may do it at any time. */
static hed_status cuda_allow_local(const hed_program *program, uint64_t bytes, hed_error *error)
{
    hed_cuda_program *impl = program->impl;
    const hed_device *device = program->device;
    const hed_cuda_api *api = hed_cuda_api_of(device);
    if (bytes + impl->static_bytes <= LOCAL_WITHOUT_ASKING || impl->local_grown ||
        hed_cuda_api_is_hip(api))
        return HED_OK; /* HIP allows all of it without a call */
    int limit = (int)(device->info.local_bytes - impl->static_bytes);
    CUresult result =
        api->cuFuncSetAttribute(program->handle, CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, limit);
    if (!result) impl->local_grown = true;
    return hed_cuda_check(device, result, "cuFuncSetAttribute (local memory beyond 48 KB)", error);
}

static hed_status cuda_allow_cluster(const hed_program *program, uint32_t cluster, hed_error *error)
{
    hed_cuda_program *impl = program->impl;
    if (cluster <= PORTABLE_CLUSTER || impl->wide_clusters) return HED_OK;
    CUresult result =
        hed_cuda_api_of(program->device)
            ->cuFuncSetAttribute(program->handle, CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    if (!result) impl->wide_clusters = true;
    return hed_cuda_check(program->device, result, "cuFuncSetAttribute (clusters beyond 8)", error);
}

static void *cuda_argument_address(const hed_step *step, uint32_t index, hed_cuda_launch *launch)
{
    const hed_argument *argument = &step->arguments[index];
    if (argument->kind == HED_BUFFER) return &argument->value.buffer->address;
    if (argument->kind == HED_STRUCT) return (void *)(uintptr_t)argument->value.bytes;
    if (argument->kind == HED_SCALAR) return (void *)(uintptr_t)&argument->value;
    launch->offsets[index] = launch->shared_bytes;
    launch->shared_bytes += (unsigned)((step->geometry.local_bytes[index] + 15) & ~(uint64_t)15);
    return &launch->offsets[index];
}

hed_status hed_cuda_prepare(const hed_step *step, hed_cuda_launch *launch, hed_error *error)
{
    const hed_program *program = step->program;
    const hed_geometry *geometry = &step->geometry;
    launch->function = program->handle;
    launch->cooperative = ((const hed_cuda_program *)program->impl)->cooperative;
    launch->cluster = geometry->cluster;
    launch->shared_bytes = 0;
    for (int i = 0; i < 3; i++) {
        if (geometry->global[i] > MOST_ITEMS && program->language == HED_OPENCL_C)
            return hed_fail(error, HED_ERROR_LIMIT,
                "%s: %llu work items in dimension %d: the prelude counts in 32 bits, so 2^32 at most",
                program->def->name, (unsigned long long)geometry->global[i], i);
        launch->block[i] = geometry->group[i];
        launch->grid[i] = (unsigned)(geometry->global[i] / geometry->group[i]);
    }
    hed_status status = HED_OK;
    uint32_t passed = 0;
    for (uint32_t i = 0; i < program->def->argument_count && !status; i++)
        if (program->def->arguments[i].symbol)
            status = cuda_fill_symbol(program->device,
                &((hed_cuda_program *)program->impl)->symbols[i], &step->arguments[i], error);
        else launch->arguments[passed++] = cuda_argument_address(step, i, launch);
    if (status) return status;
    status = cuda_allow_local(program, launch->shared_bytes, error);
    return status ? status : cuda_allow_cluster(program, launch->cluster, error);
}

static CUresult cuda_launch_cluster(const hed_cuda_api *api, hed_cuda_launch *l, CUstream stream)
{
    CUlaunchAttribute attributes[2] = {
        {.id = CU_LAUNCH_CLUSTER_DIMENSION}, {.id = CU_LAUNCH_COOPERATIVE}};
    attributes[0].value.cluster[0] = l->cluster;
    attributes[0].value.cluster[1] = attributes[0].value.cluster[2] = 1;
    attributes[1].value.cooperative = 1;
    CUlaunchConfig config = {.shared_bytes = l->shared_bytes,
        .stream = stream,
        .attributes = attributes,
        .attribute_count = l->cooperative ? 2 : 1};
    memcpy(config.grid, l->grid, sizeof config.grid);
    memcpy(config.block, l->block, sizeof config.block);
    return api->cuLaunchKernelEx(&config, l->function, l->arguments, NULL);
}

hed_status hed_cuda_launch_now(
    const hed_device *device, hed_cuda_launch *l, CUstream stream, hed_error *error)
{
    const hed_cuda_api *api = hed_cuda_api_of(device);
    if (l->cluster > 1)
        return hed_cuda_check(
            device, cuda_launch_cluster(api, l, stream), "cuLaunchKernelEx", error);
    if (l->cooperative) {
        CUresult result =
            api->cuLaunchCooperativeKernel(l->function, l->grid[0], l->grid[1], l->grid[2],
                l->block[0], l->block[1], l->block[2], l->shared_bytes, stream, l->arguments);
        return hed_cuda_check(device, result, "cuLaunchCooperativeKernel", error);
    }
    CUresult result = api->cuLaunchKernel(l->function, l->grid[0], l->grid[1], l->grid[2],
        l->block[0], l->block[1], l->block[2], l->shared_bytes, stream, l->arguments, NULL);
    return hed_cuda_check(device, result, "cuLaunchKernel", error);
}

hed_status hed_cuda_resident_groups(const hed_program *program, uint32_t group_items,
    uint64_t local_bytes, int64_t *groups, hed_error *error)
{
    const hed_device *device = program->device;
    const hed_cuda_program *impl = program->impl;
    CUcontext previous;
    int blocks = 0;
    if (local_bytes + impl->static_bytes > device->info.local_bytes || group_items == 0 ||
        group_items > device->info.max_group)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%s: a group of %u work items with %llu bytes of local memory: %s allows %u and %llu",
            program->def->name, group_items, (unsigned long long)(local_bytes + impl->static_bytes),
            device->info.id, device->info.max_group, (unsigned long long)device->info.local_bytes);
    hed_status status = hed_cuda_enter(device, &previous, error);
    if (status) return status;
    status = cuda_allow_local(program, local_bytes, error);
    if (!status) {
        CUresult result = hed_cuda_api_of(device)->cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, program->handle, (int)group_items, local_bytes);
        status =
            hed_cuda_check(device, result, "cuOccupancyMaxActiveBlocksPerMultiprocessor", error);
    }
    hed_cuda_restore(device, previous);
    *groups = (int64_t)blocks * device->info.compute_units;
    return status;
}

/* ---- ahead of time ---- */

/* Compiles ahead, for machines with a CUDA driver and no NVRTC: PTX for the oldest architecture
 * that has the capabilities that the kernel needs. The driver there compiles the PTX for its own
 * device. */
hed_status hed_cuda_build_ahead(
    const hed_settings *settings, const hed_build *build, hed_binary *binary, hed_error *error)
{
    char reason[512];
    hed_nvrtc *nvrtc = NULL;
    hed_status status = hed_nvrtc_open(
        &settings->allocator, settings->nvrtc_library, 0, &nvrtc, reason, sizeof reason);
    if (status) return hed_fail(error, status, "no memory to load NVRTC");
    if (!nvrtc)
        return hed_fail(error, HED_ERROR_UNSUPPORTED, "%s: compiling ahead needs NVRTC: %.400s",
            build->def->name, reason);
    const char *target = build->def->needs & HED_CAN_CLUSTERS ? "compute_90" : "compute_75";
    status = hed_nvrtc_compile(nvrtc, target, build, binary, error);
    hed_nvrtc_close(nvrtc);
    return status;
}
