/* What the fake drivers have in common. Each is a shared library that a context loads in place of a
 * real driver: memory is malloc, streams are done at once, and the one kernel it knows is the one
 * of tests/cycle.h.
 *
 * A test finds `fake_state` with dlsym and says there which call is to fail; the fake tells what
 * was called, what is alive, and how often it was given a handle that is none of its own (or none
 * any more). */
#ifndef HED_TESTS_FAKE_H
#define HED_TESTS_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAKE_EXPORT __attribute__((visibility("default")))

typedef enum fake_kind {
    FAKE_CONTEXT,
    FAKE_QUEUE, /* streams too */
    FAKE_MEMORY,
    FAKE_EVENT,
    FAKE_PROGRAM, /* modules too */
    FAKE_KERNEL,
    FAKE_GRAPH,
    FAKE_KINDS
} fake_kind;

typedef struct fake_control {
    /* Set by the test. */
    int64_t fail_call;      /* this call, by `calls`, returns `code`; 0: none */
    int64_t fail_from;      /* this call and every later one; 0: none */
    const char *fail_name;  /* every call of this function; NULL: none */
    const char *count_name; /* calls of this function are `counted`; NULL: none */
    int code;               /* what they return */
    int devices;            /* how many there are */
    bool hangs;             /* work is never done, when asked */
    /* OpenCL: its name; NULL: "Fake platform". As "NVIDIA CUDA" it tells of registers. OpenGL:
     * "ES": there is OpenGL ES alone */
    const char *platform;
    bool silent;       /* OpenCL: builds leave no log; OpenGL: time stamps that are all the same */
    bool plain_floats; /* OpenCL: no fma, no exact division: no strict mode */
    int refused_binaries;  /* so many times compiled code does not load */
    uint64_t memory_bytes; /* of a device: more than that is out of memory */
    /* Told by the fake. */
    int64_t calls;    /* since the library was loaded or this was set to 0 */
    int64_t counted;  /* calls of `count_name` */
    int64_t builds;   /* programs compiled from text */
    int64_t misuses;  /* calls with a wrong handle, range or pointer */
    char misused[64]; /* the function of the first of them */
    char failed[64];  /* the function that was made to fail first */
    int64_t failures; /* how many calls were */
    int64_t live[FAKE_KINDS];
    uint64_t bytes; /* of device and pinned memory alive */
} fake_control;

/* The symbol of the fake library; every one has a state of its own. */
extern FAKE_EXPORT fake_control fake_state;

/* ---- for the fakes themselves ---- */

/* First thing in every function of a driver: counts the call and gives the code that it must
 * return, or 0. */
int fake_enter(const char *function);
/* Notes that `function` was given nonsense. */
void fake_misuse(const char *function);

/* First member of every object. */
typedef struct fake_object {
    fake_kind kind;
    int references;
    struct fake_object *next;
} fake_object;

/* A zeroed object with one reference, in the list of what is alive. NULL: out of memory. */
void *fake_new(fake_kind kind, size_t size);
/* Whether it is alive and of this kind; if not, a misuse of `function`. */
bool fake_check(const char *function, const void *object, fake_kind kind);
void fake_retain(void *object);
/* Takes a reference away; true if it was the last: the object is out of the list, and the caller
 * frees what it holds and then the object. */
bool fake_release(void *object);
/* Calls `visit` for every living object of a kind until it returns true; gives that object, or
 * NULL. */
void *fake_find(
    fake_kind kind, bool (*visit)(const void *object, const void *key), const void *key);
/* Takes memory of the device, false where there is not so much; gives it back. */
bool fake_take_bytes(size_t size);
void fake_give_bytes(size_t size);
void fake_count_build(void);
bool fake_refuse_binary(void);
uint64_t fake_now(void); /* nanoseconds */

/* ---- the one kernel ---- */

typedef struct fake_shift {
    float x, y;
    int32_t extra[2];
} fake_shift;

enum { FAKE_ARGUMENTS = 6 };
extern const size_t fake_argument_bytes
    [FAKE_ARGUMENTS]; /* as CUDA passes them: two addresses, float, uint, shift, offset */

/* cycle() of tests/cycle.h over `count` elements. */
void fake_cycle(
    float *out, const float *in, float a, uint32_t count, const fake_shift *shift, float offset);
/* Value of the define OFFSET in compiler options or text; 0 if it is not there. */
float fake_offset(const char *text);

#endif
