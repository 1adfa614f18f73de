/* What the two files of the fake OpenCL share. */
#ifndef HED_TESTS_FAKE_OPENCL_H
#define HED_TESTS_FAKE_OPENCL_H

#include "backends/opencl/opencl_api.h"
#include "fake.h"

/* Every function that the backend looks up. */
#define FAKE_DECLARE(result, name, parameters) FAKE_EXPORT result name parameters;
HED_CL_FUNCTIONS(FAKE_DECLARE)

#define ENTER(function) \
    do { \
        int enter_code = fake_enter(#function); \
        if (enter_code) return enter_code; \
    } while (0)

/* Of a function that gives an object and puts its code in `*code`. */
#define ENTER_MAKE(function) \
    do { \
        if (code) *code = CL_SUCCESS; \
        int enter_code = fake_enter(#function); \
        if (enter_code) return fake_cl_none(enter_code, code); \
    } while (0)

#define CHECK(function, object, kind, otherwise) \
    do { \
        if (!fake_check(#function, object, kind)) return otherwise; \
    } while (0)

struct hed_cl_context {
    fake_object head;
    cl_device_id device;
};

struct hed_cl_queue {
    fake_object head;
    cl_context context;
    cl_bitfield properties;
};

struct hed_cl_memory {
    fake_object head;
    cl_context context;
    cl_mem whole; /* of a part */
    unsigned char *bytes;
    size_t size;
    bool owned;
    int maps;
};

struct hed_cl_event {
    fake_object head;
    _Atomic cl_int status;
    uint64_t time;
    bool user;
    cl_event on; /* the user event that its command waits for, or NULL */
    hed_cl_event_notify *notify;
    void *notify_user;
};

struct hed_cl_program {
    fake_object head;
    cl_context context;
    char *text; /* with the magic in front */
    const char *log;
    bool binary, built;
};

struct hed_cl_kernel {
    fake_object head;
    bool cycle; /* the kernel that the fake knows; every other does nothing */
    float offset;
    cl_uint count;
    unsigned char arguments[FAKE_ARGUMENTS][sizeof(fake_shift)];
};

static const char fake_cl_magic[] = "fake binary\n";

/* Puts an answer of `bytes` bytes where the caller of a Get...Info function wants it. */
cl_int fake_cl_answer(const void *answer, size_t bytes, size_t size, void *value, size_t *size_out);

/* NULL, and the code where it is wanted. */
static inline void *fake_cl_none(cl_int result, cl_int *code)
{
    if (code) *code = result;
    return NULL;
}

#endif
