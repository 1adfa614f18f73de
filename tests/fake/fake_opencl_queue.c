/* Memory, commands and events of the fake OpenCL. */
#include "fake_opencl.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

cl_mem clCreateBuffer(cl_context context, cl_bitfield flags, size_t size, void *host, cl_int *code)
{
    ENTER_MAKE(clCreateBuffer);
    if (!fake_check("clCreateBuffer", context, FAKE_CONTEXT))
        return fake_cl_none(CL_INVALID_CONTEXT, code);
    if (!size || size > fake_state.memory_bytes) return fake_cl_none(CL_INVALID_BUFFER_SIZE, code);
    if (!(flags & CL_MEM_USE_HOST_PTR) != !host) return fake_cl_none(CL_INVALID_HOST_PTR, code);
    if (!host && !fake_take_bytes(size))
        return fake_cl_none(CL_MEM_OBJECT_ALLOCATION_FAILURE, code);
    cl_mem made = fake_new(FAKE_MEMORY, sizeof *made);
    if (!made) return fake_cl_none(CL_OUT_OF_HOST_MEMORY, code);
    made->context = context;
    made->size = size;
    made->owned = !host;
    made->bytes = host ? host : aligned_alloc(256, (size + 255) / 256 * 256);
    if (made->owned) memset(made->bytes, 0xcd, size);
    return made;
}

cl_mem clCreateSubBuffer(
    cl_mem buffer, cl_bitfield flags, cl_uint type, const void *region, cl_int *code)
{
    (void)flags;
    ENTER_MAKE(clCreateSubBuffer);
    const cl_buffer_region *r = region;
    if (!fake_check("clCreateSubBuffer", buffer, FAKE_MEMORY) || buffer->whole)
        return fake_cl_none(CL_INVALID_MEM_OBJECT, code);
    if (type != CL_BUFFER_CREATE_TYPE_REGION || r->origin > buffer->size ||
        r->size > buffer->size - r->origin)
        return fake_cl_none(CL_INVALID_VALUE, code);
    cl_mem made = fake_new(FAKE_MEMORY, sizeof *made);
    if (!made) return fake_cl_none(CL_OUT_OF_HOST_MEMORY, code);
    made->context = buffer->context;
    made->whole = buffer;
    made->bytes = buffer->bytes + r->origin;
    made->size = r->size;
    return made;
}

cl_int clRetainMemObject(cl_mem memory)
{
    ENTER(clRetainMemObject);
    CHECK(clRetainMemObject, memory, FAKE_MEMORY, CL_INVALID_MEM_OBJECT);
    fake_retain(memory);
    return CL_SUCCESS;
}

cl_int clReleaseMemObject(cl_mem memory)
{
    ENTER(clReleaseMemObject);
    CHECK(clReleaseMemObject, memory, FAKE_MEMORY, CL_INVALID_MEM_OBJECT);
    if (!fake_release(memory)) return CL_SUCCESS;
    if (memory->maps && !fake_state.failures) fake_misuse("clReleaseMemObject of mapped memory");
    if (memory->owned) fake_give_bytes(memory->size);
    if (memory->owned) free(memory->bytes);
    free(memory);
    return CL_SUCCESS;
}

cl_int clGetMemObjectInfo(cl_mem memory, cl_uint what, size_t size, void *value, size_t *size_out)
{
    ENTER(clGetMemObjectInfo);
    CHECK(clGetMemObjectInfo, memory, FAKE_MEMORY, CL_INVALID_MEM_OBJECT);
    if (what == CL_MEM_SIZE)
        return fake_cl_answer(&memory->size, sizeof memory->size, size, value, size_out);
    return fake_cl_answer(&memory->context, sizeof memory->context, size, value, size_out);
}

/* ---- events ---- */

static cl_event new_event(bool user)
{
    cl_event made = fake_new(FAKE_EVENT, sizeof *made);
    if (!made) return NULL;
    made->user = user;
    made->status = user ? 2 /* CL_SUBMITTED */ : CL_COMPLETE;
    made->time = fake_now();
    return made;
}

/* Ends every command: checks what it waits for, and gives its event. All are done by now but one
 * that waits for a user event and does nothing else: that one is done when the user event is
 * set. */
static cl_int finish(const char *function, cl_command_queue queue, cl_uint wait_count,
    const cl_event *wait, cl_event *event)
{
    cl_event on = NULL;
    if (!fake_check(function, queue, FAKE_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    for (cl_uint i = 0; i < wait_count; i++) {
        if (!fake_check(function, wait[i], FAKE_EVENT)) return CL_INVALID_EVENT_WAIT_LIST;
        if (wait[i]->status > CL_COMPLETE) on = wait[i];
    }
    if (!event) return CL_SUCCESS;
    *event = new_event(false);
    if (!*event) return CL_OUT_OF_HOST_MEMORY;
    if (on) {
        fake_retain(*event); /* the command's own reference */
        (*event)->on = on;
        (*event)->status = 3; /* CL_QUEUED */
    }
    return CL_SUCCESS;
}

cl_int clWaitForEvents(cl_uint count, const cl_event *events)
{
    ENTER(clWaitForEvents);
    for (cl_uint i = 0; i < count; i++)
        CHECK(clWaitForEvents, events[i], FAKE_EVENT, CL_INVALID_EVENT);
    return CL_SUCCESS;
}

cl_int clGetEventInfo(cl_event event, cl_uint what, size_t size, void *value, size_t *size_out)
{
    ENTER(clGetEventInfo);
    CHECK(clGetEventInfo, event, FAKE_EVENT, CL_INVALID_EVENT);
    if (what != CL_EVENT_COMMAND_EXECUTION_STATUS) return CL_INVALID_VALUE;
    cl_int status = fake_state.hangs ? 1 /* CL_RUNNING */ : event->status;
    return fake_cl_answer(&status, sizeof status, size, value, size_out);
}

cl_int clGetEventProfilingInfo(
    cl_event event, cl_uint what, size_t size, void *value, size_t *size_out)
{
    (void)what;
    ENTER(clGetEventProfilingInfo);
    CHECK(clGetEventProfilingInfo, event, FAKE_EVENT, CL_INVALID_EVENT);
    return event->user ? CL_PROFILING_INFO_NOT_AVAILABLE
                       : fake_cl_answer(&event->time, sizeof event->time, size, value, size_out);
}

cl_int clReleaseEvent(cl_event event)
{
    ENTER(clReleaseEvent);
    CHECK(clReleaseEvent, event, FAKE_EVENT, CL_INVALID_EVENT);
    if (fake_release(event)) free(event);
    return CL_SUCCESS;
}

cl_event clCreateUserEvent(cl_context context, cl_int *code)
{
    ENTER_MAKE(clCreateUserEvent);
    if (!fake_check("clCreateUserEvent", context, FAKE_CONTEXT))
        return fake_cl_none(CL_INVALID_CONTEXT, code);
    cl_event made = new_event(true);
    return made ? made : fake_cl_none(CL_OUT_OF_HOST_MEMORY, code);
}

static bool waits_for(const void *object, const void *key)
{
    return ((const struct hed_cl_event *)object)->on == key;
}

/* Never fails: a driver that does not set the program's own event leaves a queue that waits for
 * ever. */
cl_int clSetUserEventStatus(cl_event event, cl_int status)
{
    CHECK(clSetUserEventStatus, event, FAKE_EVENT, CL_INVALID_EVENT);
    event->status = status;
    for (cl_event reached; (reached = fake_find(FAKE_EVENT, waits_for, event));) {
        reached->on = NULL;
        reached->status = status;
        reached->time = fake_now();
        if (reached->notify) reached->notify(reached, status, reached->notify_user);
        if (fake_release(reached)) free(reached);
    }
    return CL_SUCCESS;
}

/* Where the event is reached already the function is called at once, as the standard allows and
 * PoCL does. */
cl_int clSetEventCallback(cl_event event, cl_int status, hed_cl_event_notify *notify, void *user)
{
    ENTER(clSetEventCallback);
    CHECK(clSetEventCallback, event, FAKE_EVENT, CL_INVALID_EVENT);
    if (event->status <= CL_COMPLETE) {
        notify(event, status, user);
        return CL_SUCCESS;
    }
    event->notify = notify;
    event->notify_user = user;
    return CL_SUCCESS;
}

/* ---- commands ---- */

static bool in_range(const char *function, cl_mem memory, size_t offset, size_t size)
{
    if (!fake_check(function, memory, FAKE_MEMORY)) return false;
    if (size && offset <= memory->size && size <= memory->size - offset) return true;
    fake_misuse(function);
    return false;
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem from, cl_bool blocking, size_t offset,
    size_t size, void *to, HED_CL_WAIT)
{
    (void)blocking;
    ENTER(clEnqueueReadBuffer);
    if (!in_range("clEnqueueReadBuffer", from, offset, size)) return CL_INVALID_VALUE;
    memcpy(to, from->bytes + offset, size);
    return finish("clEnqueueReadBuffer", queue, wait_count, wait, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem to, cl_bool blocking, size_t offset,
    size_t size, const void *from, HED_CL_WAIT)
{
    (void)blocking;
    ENTER(clEnqueueWriteBuffer);
    if (!in_range("clEnqueueWriteBuffer", to, offset, size)) return CL_INVALID_VALUE;
    memcpy(to->bytes + offset, from, size);
    return finish("clEnqueueWriteBuffer", queue, wait_count, wait, event);
}

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
    size_t to_offset, size_t size, HED_CL_WAIT)
{
    ENTER(clEnqueueCopyBuffer);
    if (!in_range("clEnqueueCopyBuffer", from, from_offset, size) ||
        !in_range("clEnqueueCopyBuffer", to, to_offset, size))
        return CL_INVALID_VALUE;
    memcpy(to->bytes + to_offset, from->bytes + from_offset, size);
    return finish("clEnqueueCopyBuffer", queue, wait_count, wait, event);
}

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem to, const void *pattern,
    size_t pattern_size, size_t offset, size_t size, HED_CL_WAIT)
{
    ENTER(clEnqueueFillBuffer);
    if (!in_range("clEnqueueFillBuffer", to, offset, size) || !pattern_size ||
        offset % pattern_size || size % pattern_size)
        return CL_INVALID_VALUE;
    for (size_t i = 0; i < size; i += pattern_size)
        memcpy(to->bytes + offset + i, pattern, pattern_size);
    return finish("clEnqueueFillBuffer", queue, wait_count, wait, event);
}

void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_bitfield flags,
    size_t offset, size_t size, HED_CL_WAIT, cl_int *code)
{
    (void)blocking;
    (void)flags;
    ENTER_MAKE(clEnqueueMapBuffer);
    if (!in_range("clEnqueueMapBuffer", buffer, offset, size))
        return fake_cl_none(CL_INVALID_VALUE, code);
    cl_int result = finish("clEnqueueMapBuffer", queue, wait_count, wait, event);
    if (result) return fake_cl_none(result, code);
    buffer->maps++;
    return buffer->bytes + offset;
}

cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void *pointer, HED_CL_WAIT)
{
    ENTER(clEnqueueUnmapMemObject);
    CHECK(clEnqueueUnmapMemObject, memory, FAKE_MEMORY, CL_INVALID_MEM_OBJECT);
    unsigned char *at = pointer;
    if (!memory->maps || at < memory->bytes || at >= memory->bytes + memory->size)
        return CL_INVALID_VALUE;
    memory->maps--;
    return finish("clEnqueueUnmapMemObject", queue, wait_count, wait, event);
}

cl_int clEnqueueMigrateMemObjects(
    cl_command_queue queue, cl_uint count, const cl_mem *memory, cl_bitfield flags, HED_CL_WAIT)
{
    (void)flags;
    ENTER(clEnqueueMigrateMemObjects);
    for (cl_uint i = 0; i < count; i++)
        CHECK(clEnqueueMigrateMemObjects, memory[i], FAKE_MEMORY, CL_INVALID_MEM_OBJECT);
    return finish("clEnqueueMigrateMemObjects", queue, wait_count, wait, event);
}

/* What cycle() is given, or NULL with a misuse noted. */
static float *floats_of(cl_kernel kernel, int index, uint32_t count)
{
    cl_mem memory;
    memcpy(&memory, kernel->arguments[index], sizeof memory);
    return in_range("clEnqueueNDRangeKernel", memory, 0, count * sizeof(float))
               ? (float *)memory->bytes
               : NULL;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
    const size_t *offset, const size_t *global, const size_t *local, HED_CL_WAIT)
{
    (void)offset;
    ENTER(clEnqueueNDRangeKernel);
    CHECK(clEnqueueNDRangeKernel, kernel, FAKE_KERNEL, CL_INVALID_KERNEL);
    for (cl_uint i = 0; i < dimensions; i++)
        if (!local[i] || !global[i] || global[i] % local[i]) return CL_INVALID_WORK_GROUP_SIZE;
    if (kernel->cycle) {
        float a;
        uint32_t count;
        fake_shift shift;
        memcpy(&a, kernel->arguments[2], sizeof a);
        memcpy(&count, kernel->arguments[3], sizeof count);
        memcpy(&shift, kernel->arguments[4], sizeof shift);
        float *out = floats_of(kernel, 0, count), *in = floats_of(kernel, 1, count);
        if (!out || !in) return CL_INVALID_KERNEL_ARGS;
        fake_cycle(out, in, a, count, &shift, kernel->offset);
    }
    return finish("clEnqueueNDRangeKernel", queue, wait_count, wait, event);
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, HED_CL_WAIT)
{
    ENTER(clEnqueueMarkerWithWaitList);
    return finish("clEnqueueMarkerWithWaitList", queue, wait_count, wait, event);
}

cl_int clEnqueueBarrierWithWaitList(cl_command_queue queue, HED_CL_WAIT)
{
    ENTER(clEnqueueBarrierWithWaitList);
    return finish("clEnqueueBarrierWithWaitList", queue, wait_count, wait, event);
}
