/* A libOpenCL on the host's processor: see fake.h. One platform; every command is done when the
 * call returns. Commands on buffers are in fake_opencl_queue.c. */
#include "fake_opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hed_cl_platform {
    int unused;
};

struct hed_cl_device {
    int unused;
};

enum { MOST_DEVICES = 80 }; /* more than the backend takes */
static struct hed_cl_platform platform;
static struct hed_cl_device devices[MOST_DEVICES];

cl_int fake_cl_answer(const void *answer, size_t bytes, size_t size, void *value, size_t *size_out)
{
    if (size_out) *size_out = bytes;
    if (value && size < bytes) return CL_INVALID_VALUE;
    if (value) memcpy(value, answer, bytes);
    return CL_SUCCESS;
}

static cl_int answer_text(const char *text, size_t size, void *value, size_t *size_out)
{
    return fake_cl_answer(text, strlen(text) + 1, size, value, size_out);
}

static cl_int answer_number(
    uint64_t number, size_t bytes, size_t size, void *value, size_t *size_out)
{
    return fake_cl_answer(&number, bytes, size, value, size_out); /* little-endian */
}

/* ---- platform and devices ---- */

cl_int clGetPlatformIDs(cl_uint capacity, cl_platform_id *platforms, cl_uint *count)
{
    ENTER(clGetPlatformIDs);
    if (count) *count = 1;
    if (platforms && capacity) platforms[0] = &platform;
    return CL_SUCCESS;
}

cl_int clGetPlatformInfo(
    cl_platform_id asked, cl_uint what, size_t size, void *value, size_t *size_out)
{
    ENTER(clGetPlatformInfo);
    if (asked != &platform) return CL_INVALID_PLATFORM;
    const char *name = fake_state.platform ? fake_state.platform : "Fake platform";
    return answer_text(
        what == CL_PLATFORM_VERSION ? "OpenCL 1.2 fake" : name, size, value, size_out);
}

cl_int clGetDeviceIDs(
    cl_platform_id asked, cl_bitfield type, cl_uint capacity, cl_device_id *ids, cl_uint *count)
{
    (void)type;
    ENTER(clGetDeviceIDs);
    if (asked != &platform) return CL_INVALID_PLATFORM;
    if (count) *count = (cl_uint)fake_state.devices;
    for (cl_uint i = 0; ids && i < capacity && i < (cl_uint)fake_state.devices; i++)
        ids[i] = &devices[i];
    return fake_state.devices ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

static bool is_device(const char *function, cl_device_id device)
{
    if (device >= devices && device < devices + fake_state.devices) return true;
    fake_misuse(function);
    return false;
}

static bool is_nvidia(void)
{
    return fake_state.platform && strcmp(fake_state.platform, "NVIDIA CUDA") == 0;
}

static cl_int device_number(cl_uint what, size_t size, void *value, size_t *size_out)
{
    static const struct {
        cl_uint what;
        size_t bytes;
        uint64_t value;
    } known[] = {
        {CL_DEVICE_TYPE, 8, CL_DEVICE_TYPE_GPU},
        {CL_DEVICE_MAX_COMPUTE_UNITS, 4, 4},
        {CL_DEVICE_MAX_WORK_GROUP_SIZE, 8, 1024},
        {CL_DEVICE_MAX_CLOCK_FREQUENCY, 4, 1000},
        {CL_DEVICE_MAX_PARAMETER_SIZE, 8, 4096},
        {CL_DEVICE_MEM_BASE_ADDR_ALIGN, 4, 1024},
        {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 8, 1 << 20},
        {CL_DEVICE_LOCAL_MEM_SIZE, 8, 48 << 10},
        {CL_DEVICE_AVAILABLE, 4, CL_TRUE},
        {CL_DEVICE_COMPILER_AVAILABLE, 4, CL_TRUE},
        {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 4, 8},
        {CL_DEVICE_WARP_SIZE_NV, 4, 32},
        {CL_DEVICE_REGISTERS_PER_BLOCK_NV, 4, 65536},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].what == what)
            return answer_number(known[i].value, known[i].bytes, size, value, size_out);
    return CL_INVALID_VALUE;
}

cl_int clGetDeviceInfo(
    cl_device_id device, cl_uint what, size_t size, void *value, size_t *size_out)
{
    static const size_t item_sizes[3] = {1024, 1024, 64};
    const void *on = &platform;
    char name[32];
    ENTER(clGetDeviceInfo);
    if (!is_device("clGetDeviceInfo", device)) return CL_INVALID_DEVICE;
    snprintf(name, sizeof name, "Fake accelerator %d", (int)(device - devices));
    switch (what) {
    case CL_DEVICE_NAME: return answer_text(name, size, value, size_out);
    case CL_DEVICE_VENDOR: return answer_text("Fake vendor", size, value, size_out);
    case CL_DRIVER_VERSION: return answer_text("1.0", size, value, size_out);
    case CL_DEVICE_VERSION: return answer_text("OpenCL 1.2 fake", size, value, size_out);
    case CL_DEVICE_EXTENSIONS:
        return answer_text(is_nvidia() ? "cl_khr_fp64 cl_nv_device_attribute_query"
                                       : "cl_khr_fp64 cl_khr_global_int32_base_atomics",
            size, value, size_out);
    case CL_DEVICE_PLATFORM: return fake_cl_answer(&on, sizeof on, size, value, size_out);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return fake_cl_answer(item_sizes, sizeof item_sizes, size, value, size_out);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return answer_number(fake_state.memory_bytes, 8, size, value, size_out);
    case CL_DEVICE_SINGLE_FP_CONFIG:
        return answer_number(
            fake_state.plain_floats ? CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST : 0xff, 8, size, value,
            size_out);
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
        return answer_number(device == devices, 4, size, value, size_out); /* one of each kind */
    default: return device_number(what, size, value, size_out);
    }
}

/* ---- contexts and queues ---- */

cl_context clCreateContext(const intptr_t *properties, cl_uint count, const cl_device_id *ids,
    hed_cl_context_notify *notify, void *user, cl_int *code)
{
    (void)properties;
    (void)notify;
    (void)user;
    ENTER_MAKE(clCreateContext);
    if (count != 1 || !is_device("clCreateContext", ids[0]))
        return fake_cl_none(CL_INVALID_DEVICE, code);
    cl_context made = fake_new(FAKE_CONTEXT, sizeof *made);
    if (made) made->device = ids[0];
    return made ? made : fake_cl_none(CL_OUT_OF_HOST_MEMORY, code);
}

cl_int clRetainContext(cl_context context)
{
    ENTER(clRetainContext);
    CHECK(clRetainContext, context, FAKE_CONTEXT, CL_INVALID_CONTEXT);
    fake_retain(context);
    return CL_SUCCESS;
}

cl_int clReleaseContext(cl_context context)
{
    ENTER(clReleaseContext);
    CHECK(clReleaseContext, context, FAKE_CONTEXT, CL_INVALID_CONTEXT);
    if (fake_release(context)) free(context);
    return CL_SUCCESS;
}

cl_int clGetContextInfo(
    cl_context context, cl_uint what, size_t size, void *value, size_t *size_out)
{
    ENTER(clGetContextInfo);
    CHECK(clGetContextInfo, context, FAKE_CONTEXT, CL_INVALID_CONTEXT);
    if (what == CL_CONTEXT_DEVICES)
        return fake_cl_answer(&context->device, sizeof context->device, size, value, size_out);
    return fake_cl_answer("", 0, size, value, size_out);
}

cl_command_queue clCreateCommandQueue(
    cl_context context, cl_device_id device, cl_bitfield properties, cl_int *code)
{
    ENTER_MAKE(clCreateCommandQueue);
    if (!fake_check("clCreateCommandQueue", context, FAKE_CONTEXT))
        return fake_cl_none(CL_INVALID_CONTEXT, code);
    if (!is_device("clCreateCommandQueue", device)) return fake_cl_none(CL_INVALID_DEVICE, code);
    cl_command_queue made = fake_new(FAKE_QUEUE, sizeof *made);
    if (!made) return fake_cl_none(CL_OUT_OF_HOST_MEMORY, code);
    made->context = context;
    made->properties = properties;
    return made;
}

cl_int clRetainCommandQueue(cl_command_queue queue)
{
    ENTER(clRetainCommandQueue);
    CHECK(clRetainCommandQueue, queue, FAKE_QUEUE, CL_INVALID_COMMAND_QUEUE);
    fake_retain(queue);
    return CL_SUCCESS;
}

cl_int clReleaseCommandQueue(cl_command_queue queue)
{
    ENTER(clReleaseCommandQueue);
    CHECK(clReleaseCommandQueue, queue, FAKE_QUEUE, CL_INVALID_COMMAND_QUEUE);
    if (fake_release(queue)) free(queue);
    return CL_SUCCESS;
}

cl_int clGetCommandQueueInfo(
    cl_command_queue queue, cl_uint what, size_t size, void *value, size_t *size_out)
{
    ENTER(clGetCommandQueueInfo);
    CHECK(clGetCommandQueueInfo, queue, FAKE_QUEUE, CL_INVALID_COMMAND_QUEUE);
    if (what == CL_QUEUE_CONTEXT)
        return fake_cl_answer(&queue->context, sizeof queue->context, size, value, size_out);
    if (what == CL_QUEUE_DEVICE)
        return fake_cl_answer(&queue->context->device, sizeof(cl_device_id), size, value, size_out);
    return fake_cl_answer(&queue->properties, sizeof queue->properties, size, value, size_out);
}

cl_int clFlush(cl_command_queue queue)
{
    ENTER(clFlush);
    CHECK(clFlush, queue, FAKE_QUEUE, CL_INVALID_COMMAND_QUEUE);
    return CL_SUCCESS;
}

cl_int clFinish(cl_command_queue queue)
{
    ENTER(clFinish);
    CHECK(clFinish, queue, FAKE_QUEUE, CL_INVALID_COMMAND_QUEUE);
    return CL_SUCCESS;
}

/* ---- programs: a binary is the text itself; text with the word NO_SUCH_THING does not compile
 * ---- */

static cl_program new_program(cl_context context, bool binary)
{
    cl_program made = fake_new(FAKE_PROGRAM, sizeof *made);
    if (!made) return NULL;
    made->context = context;
    made->binary = binary;
    return made;
}

cl_program clCreateProgramWithSource(
    cl_context context, cl_uint count, const char **strings, const size_t *sizes, cl_int *code)
{
    ENTER_MAKE(clCreateProgramWithSource);
    if (!fake_check("clCreateProgramWithSource", context, FAKE_CONTEXT))
        return fake_cl_none(CL_INVALID_CONTEXT, code);
    if (count != 1) return fake_cl_none(CL_INVALID_VALUE, code);
    cl_program made = new_program(context, false);
    if (!made) return fake_cl_none(CL_OUT_OF_HOST_MEMORY, code);
    size_t size = sizes ? sizes[0] : strlen(strings[0]);
    made->text = calloc(1, size + sizeof fake_cl_magic);
    memcpy(made->text, fake_cl_magic, sizeof fake_cl_magic - 1);
    memcpy(made->text + sizeof fake_cl_magic - 1, strings[0], size);
    return made;
}

cl_program clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id *ids,
    const size_t *sizes, const unsigned char **binaries, cl_int *status, cl_int *code)
{
    ENTER_MAKE(clCreateProgramWithBinary);
    if (!fake_check("clCreateProgramWithBinary", context, FAKE_CONTEXT))
        return fake_cl_none(CL_INVALID_CONTEXT, code);
    if (count != 1 || ids[0] != context->device) return fake_cl_none(CL_INVALID_DEVICE, code);
    size_t length = sizeof fake_cl_magic - 1;
    bool fit = !fake_refuse_binary() && sizes[0] > length &&
               memcmp(binaries[0], fake_cl_magic, length) == 0 && !binaries[0][sizes[0] - 1];
    if (status) *status = fit ? CL_SUCCESS : CL_INVALID_BINARY;
    if (!fit) return fake_cl_none(CL_INVALID_BINARY, code);
    cl_program made = new_program(context, true);
    if (!made) return fake_cl_none(CL_OUT_OF_HOST_MEMORY, code);
    made->text = calloc(1, sizes[0]);
    memcpy(made->text, binaries[0], sizes[0]);
    return made;
}

cl_int clRetainProgram(cl_program program)
{
    ENTER(clRetainProgram);
    CHECK(clRetainProgram, program, FAKE_PROGRAM, CL_INVALID_PROGRAM);
    fake_retain(program);
    return CL_SUCCESS;
}

cl_int clReleaseProgram(cl_program program)
{
    ENTER(clReleaseProgram);
    CHECK(clReleaseProgram, program, FAKE_PROGRAM, CL_INVALID_PROGRAM);
    if (!fake_release(program)) return CL_SUCCESS;
    free(program->text);
    free(program);
    return CL_SUCCESS;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *ids,
    const char *options, hed_cl_program_notify *notify, void *user)
{
    (void)count;
    (void)ids;
    (void)options;
    (void)notify;
    (void)user;
    ENTER(clBuildProgram);
    CHECK(clBuildProgram, program, FAKE_PROGRAM, CL_INVALID_PROGRAM);
    if (!program->binary) fake_count_build();
    bool broken = strstr(program->text, "NO_SUCH_THING") != NULL;
    program->log = broken ? "text.cl:1:1: error: use of undeclared identifier 'NO_SUCH_THING'\n"
                   : fake_state.silent ? ""
                   : is_nvidia() ? "ptxas info    : Compiling entry function 'cycle' for 'sm_90'\n"
                                   "ptxas info    : Used 40 registers, 360 bytes cmem[0]\n"
                                 : "warning: this is a fake\n";
    program->built = !broken;
    return broken ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}

cl_int clGetProgramInfo(
    cl_program program, cl_uint what, size_t size, void *value, size_t *size_out)
{
    ENTER(clGetProgramInfo);
    CHECK(clGetProgramInfo, program, FAKE_PROGRAM, CL_INVALID_PROGRAM);
    size_t bytes = strlen(program->text) + 1;
    switch (what) {
    case CL_PROGRAM_NUM_DEVICES: return answer_number(1, 4, size, value, size_out);
    case CL_PROGRAM_DEVICES:
        return fake_cl_answer(
            &program->context->device, sizeof(cl_device_id), size, value, size_out);
    case CL_PROGRAM_BINARY_SIZES:
        return fake_cl_answer(&bytes, sizeof bytes, size, value, size_out);
    case CL_PROGRAM_BINARIES:
        memcpy(((unsigned char **)value)[0], program->text, bytes);
        return CL_SUCCESS;
    default: return CL_INVALID_VALUE;
    }
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_uint what, size_t size,
    void *value, size_t *size_out)
{
    ENTER(clGetProgramBuildInfo);
    CHECK(clGetProgramBuildInfo, program, FAKE_PROGRAM, CL_INVALID_PROGRAM);
    if (!is_device("clGetProgramBuildInfo", device) || what != CL_PROGRAM_BUILD_LOG)
        return CL_INVALID_VALUE;
    return answer_text(program->log ? program->log : "", size, value, size_out);
}

/* ---- kernels ---- */

/* Parameters of a kernel, by the commas between its parentheses; -1 if the text has no such
 * kernel. */
static int count_parameters(const char *text, const char *name)
{
    char words[128];
    snprintf(words, sizeof words, "__kernel void %s(", name);
    const char *at = strstr(text, words);
    if (!at) return -1;
    int depth = 1, count = 1;
    for (at += strlen(words); *at && depth; at++) {
        depth += (*at == '(') - (*at == ')');
        count += depth == 1 && *at == ',';
    }
    return count;
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *code)
{
    ENTER_MAKE(clCreateKernel);
    if (!fake_check("clCreateKernel", program, FAKE_PROGRAM))
        return fake_cl_none(CL_INVALID_PROGRAM, code);
    if (!program->built) return fake_cl_none(CL_INVALID_PROGRAM_EXECUTABLE, code);
    int count = count_parameters(program->text, name);
    if (count < 0) return fake_cl_none(CL_INVALID_KERNEL_NAME, code);
    cl_kernel made = fake_new(FAKE_KERNEL, sizeof *made);
    if (!made) return fake_cl_none(CL_OUT_OF_HOST_MEMORY, code);
    made->cycle = strcmp(name, "cycle") == 0;
    made->offset = fake_offset(program->text);
    made->count = (cl_uint)count;
    return made;
}

cl_int clReleaseKernel(cl_kernel kernel)
{
    ENTER(clReleaseKernel);
    CHECK(clReleaseKernel, kernel, FAKE_KERNEL, CL_INVALID_KERNEL);
    if (fake_release(kernel)) free(kernel);
    return CL_SUCCESS;
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    ENTER(clSetKernelArg);
    CHECK(clSetKernelArg, kernel, FAKE_KERNEL, CL_INVALID_KERNEL);
    if (index >= kernel->count) return CL_INVALID_ARG_INDEX;
    if (kernel->cycle && index < FAKE_ARGUMENTS - 1 && size != fake_argument_bytes[index])
        return CL_INVALID_ARG_SIZE;
    if (kernel->cycle && index < FAKE_ARGUMENTS - 1) memcpy(kernel->arguments[index], value, size);
    return CL_SUCCESS;
}

cl_int clGetKernelInfo(cl_kernel kernel, cl_uint what, size_t size, void *value, size_t *size_out)
{
    ENTER(clGetKernelInfo);
    CHECK(clGetKernelInfo, kernel, FAKE_KERNEL, CL_INVALID_KERNEL);
    return what == CL_KERNEL_NUM_ARGS
               ? fake_cl_answer(&kernel->count, sizeof kernel->count, size, value, size_out)
               : CL_INVALID_VALUE;
}

/* As of a program that was loaded as a binary. */
cl_int clGetKernelArgInfo(
    cl_kernel kernel, cl_uint index, cl_uint what, size_t size, void *value, size_t *size_out)
{
    ENTER(clGetKernelArgInfo);
    CHECK(clGetKernelArgInfo, kernel, FAKE_KERNEL, CL_INVALID_KERNEL);
    (void)index, (void)what, (void)size, (void)value, (void)size_out;
    return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
}

cl_int clGetKernelWorkGroupInfo(
    cl_kernel kernel, cl_device_id device, cl_uint what, size_t size, void *value, size_t *size_out)
{
    ENTER(clGetKernelWorkGroupInfo);
    CHECK(clGetKernelWorkGroupInfo, kernel, FAKE_KERNEL, CL_INVALID_KERNEL);
    if (!is_device("clGetKernelWorkGroupInfo", device)) return CL_INVALID_DEVICE;
    return answer_number(what == CL_KERNEL_WORK_GROUP_SIZE ? is_nvidia() ? 256 : 1024
                         : what == CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE ? 32
                                                                                : 0,
        8, size, value, size_out);
}
