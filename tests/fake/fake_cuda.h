/* What the two files of the fake CUDA driver share. */
#ifndef HED_TESTS_FAKE_CUDA_H
#define HED_TESTS_FAKE_CUDA_H

#include "backends/cuda/cuda_api.h"
#include "fake.h"

/* Every function of the driver that the backend looks up, declared under the name of the symbol. */
#ifdef FAKE_HIP /* fake_hip.h has renamed the members */
#define FAKE_DECLARE(member, symbol, hip, parameters) FAKE_EXPORT CUresult member parameters;
#else
#define FAKE_DECLARE(member, symbol, hip, parameters) \
    FAKE_EXPORT CUresult member parameters __asm__(symbol);
#endif
HED_CUDA_REQUIRED(FAKE_DECLARE)
HED_CUDA_OPTIONAL(FAKE_DECLARE)

enum {
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_INVALID_HANDLE = 400,
    MOST_DEVICES = 8
};

#define NAME_OF(function) #function
#define ENTER(function) \
    do { \
        int enter_code = fake_enter(NAME_OF(function)); \
        if (enter_code) return enter_code; \
    } while (0)

#define CHECK(function, object, kind) \
    do { \
        if (!fake_check(#function, object, kind)) return CUDA_ERROR_INVALID_HANDLE; \
    } while (0)

/* A call that works in the thread's current context. */
#define ENTER_CONTEXT(function) \
    do { \
        ENTER(function); \
        if (!fake_cuda_current()) { \
            fake_misuse(#function); \
            return CUDA_ERROR_INVALID_CONTEXT; \
        } \
    } while (0)

/* A command of a stream. */
#define ENTER_STREAM(function, stream) \
    do { \
        ENTER_CONTEXT(function); \
        if (!fake_cuda_is_stream(#function, stream)) return CUDA_ERROR_INVALID_HANDLE; \
    } while (0)

struct CUctx_st {
    fake_object head;
    CUdevice device;
    bool reaches[MOST_DEVICES]; /* memory of these devices, without a way through the host */
};

struct CUstream_st {
    fake_object head;
};

enum { FAKE_SYMBOL_SIZE = 4096 }; /* of every symbol */

struct CUmod_st {
    fake_object head;
    char *text;
    /* what cuModuleGetGlobal() gives away, whatever the symbol's name; made when it is first asked
     * for */
    CUdeviceptr symbol;
};

struct CUfunc_st {
    /* the kernel that the fake knows; of the others, those beside a symbol copy its first float to
     * their first argument */
    bool cycle;
    float offset;
    struct CUfunc_st *next; /* lives as long as its module, kept in a list of the library */
    CUmodule module;
};

CUcontext fake_cuda_current(void);
/* Whether device or pinned memory lies there whole; if not, a misuse of `function`. */
bool fake_cuda_range(const char *function, CUdeviceptr address, size_t size);
/* Runs a kernel; `arguments` as cuLaunchKernel takes them. */
CUresult fake_cuda_launch(const char *function, CUfunction kernel, void **arguments);
CUresult fake_cuda_fill(const char *function, CUdeviceptr to, unsigned value, size_t element,
    size_t pitch, size_t width, size_t height);
bool fake_cuda_is_stream(const char *function, CUstream stream);

#endif
