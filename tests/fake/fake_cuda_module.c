/* Modules, kernels and launches of the fake libcuda. */
#include "fake_cuda.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the fake NVRTC makes. */
CUresult cuModuleLoadDataEx(
    CUmodule *module, const void *image, unsigned option_count, int *options, void **values)
{
    (void)option_count;
    (void)options;
    (void)values;
    ENTER_CONTEXT(cuModuleLoadDataEx);
    if (fake_refuse_binary() || strncmp(image, "// fake PTX\n", 12))
        return CUDA_ERROR_INVALID_IMAGE;
    CUmodule made = fake_new(FAKE_PROGRAM, sizeof *made);
    if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
    made->text = strdup(image);
    *module = made;
    return CUDA_SUCCESS;
}

static pthread_mutex_t function_lock = PTHREAD_MUTEX_INITIALIZER;
static CUfunction functions;

CUresult cuModuleUnload(CUmodule module)
{
    ENTER_CONTEXT(cuModuleUnload);
    CHECK(cuModuleUnload, module, FAKE_PROGRAM);
    pthread_mutex_lock(&function_lock);
    for (CUfunction *at = &functions; *at;) {
        CUfunction next = *at;
        if (next->module == module) {
            *at = next->next;
            free(next);
        } else {
            at = &next->next;
        }
    }
    pthread_mutex_unlock(&function_lock);
    fake_release(module);
    free(module->text);
    if (module->symbol) cuMemFree(module->symbol);
    free(module);
    return CUDA_SUCCESS;
}

/* A symbol is there if the module's text has its name. */
CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *size, CUmodule module, const char *name)
{
    ENTER_CONTEXT(cuModuleGetGlobal);
    CHECK(cuModuleGetGlobal, module, FAKE_PROGRAM);
    if (!strstr(module->text, name)) return CUDA_ERROR_NOT_FOUND;
    CUresult result = module->symbol ? CUDA_SUCCESS : cuMemAlloc(&module->symbol, FAKE_SYMBOL_SIZE);
    if (result) return result;
    *address = module->symbol;
    *size = FAKE_SYMBOL_SIZE;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    char words[128], cuda_words[128];
    ENTER_CONTEXT(cuModuleGetFunction);
    CHECK(cuModuleGetFunction, module, FAKE_PROGRAM);
    snprintf(words, sizeof words, "__kernel void %s(", name);
    snprintf(cuda_words, sizeof cuda_words, "__global__ void %s(", name);
    if (!strstr(module->text, words) && !strstr(module->text, cuda_words))
        return CUDA_ERROR_NOT_FOUND;
    CUfunction made = calloc(1, sizeof *made);
    if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
    made->module = module;
    made->cycle = strcmp(name, "cycle") == 0;
    made->offset = fake_offset(module->text);
    pthread_mutex_lock(&function_lock);
    made->next = functions;
    functions = made;
    pthread_mutex_unlock(&function_lock);
    *function = made;
    return CUDA_SUCCESS;
}

static bool is_function(const char *name, CUfunction function)
{
    pthread_mutex_lock(&function_lock);
    CUfunction at = functions;
    while (at && at != function) at = at->next;
    pthread_mutex_unlock(&function_lock);
    if (!at) fake_misuse(name);
    return at != NULL;
}

CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function)
{
    ENTER_CONTEXT(cuFuncGetAttribute);
    if (!is_function("cuFuncGetAttribute", function)) return CUDA_ERROR_INVALID_HANDLE;
    *value = attribute == CU_FUNC_MAX_THREADS_PER_BLOCK ? 1024
             : attribute == CU_FUNC_NUM_REGS            ? 8
                                                        : 0;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value)
{
    (void)attribute;
    (void)value;
    ENTER_CONTEXT(cuFuncSetAttribute);
    return is_function("cuFuncSetAttribute", function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, CUfunction function, int block_size, size_t shared_bytes)
{
    (void)shared_bytes;
    ENTER_CONTEXT(cuOccupancyMaxActiveBlocksPerMultiprocessor);
    if (!is_function("cuOccupancyMaxActiveBlocksPerMultiprocessor", function))
        return CUDA_ERROR_INVALID_HANDLE;
    *blocks = 2048 / (block_size > 0 ? block_size : 2048);
    return CUDA_SUCCESS;
}

CUresult fake_cuda_launch(const char *function, CUfunction kernel, void **arguments)
{
    if (!is_function(function, kernel)) return CUDA_ERROR_INVALID_HANDLE;
    if (!kernel->cycle && !kernel->module->symbol) return CUDA_SUCCESS;
    CUdeviceptr out = *(CUdeviceptr *)arguments[0];
    if (!kernel->cycle) return cuMemcpyDtoDAsync(out, kernel->module->symbol, sizeof(float), NULL);
    CUdeviceptr in = *(CUdeviceptr *)arguments[1];
    uint32_t count = *(uint32_t *)arguments[3];
    if (!fake_cuda_range(function, out, count * sizeof(float)) ||
        !fake_cuda_range(function, in, count * sizeof(float)))
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    fake_cycle((float *)(uintptr_t)out, (float *)(uintptr_t)in, *(float *)arguments[2], count,
        arguments[4], kernel->offset);
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
    unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,
    void **arguments, void **extra)
{
    (void)shared_bytes;
    (void)extra;
    ENTER_STREAM(cuLaunchKernel, stream);
    if (!grid_x || !grid_y || !grid_z || !block_x || !block_y || !block_z)
        return CUDA_ERROR_INVALID_VALUE;
    return fake_cuda_launch("cuLaunchKernel", function, arguments);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
    unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
    CUstream stream, void **arguments)
{
    (void)shared_bytes;
    ENTER_STREAM(cuLaunchCooperativeKernel, stream);
    if (!grid_x || !grid_y || !grid_z || !block_x || !block_y || !block_z)
        return CUDA_ERROR_INVALID_VALUE;
    return fake_cuda_launch("cuLaunchCooperativeKernel", function, arguments);
}

CUresult cuLaunchKernelEx(
    const CUlaunchConfig *config, CUfunction function, void **arguments, void **extra)
{
    (void)extra;
    ENTER_STREAM(cuLaunchKernelEx, config->stream);
    return fake_cuda_launch("cuLaunchKernelEx", function, arguments);
}
