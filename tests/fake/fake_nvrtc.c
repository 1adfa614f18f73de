/* An NVRTC that compiles nothing: its code is the text itself, with the options in front, in a form
 * that both the backend and the fake driver take for PTX. Text with the word NO_SUCH_THING does not
 * compile. */
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NVRTC_SUCCESS = 0,
    NVRTC_ERROR_OUT_OF_MEMORY = 1,
    NVRTC_ERROR_INVALID_PROGRAM = 4,
    NVRTC_ERROR_COMPILATION = 6
};

typedef struct _nvrtcProgram {
    fake_object head;
    char *text, *code;
    const char *log;
} * nvrtcProgram;

#define NAME_OF(function) #function
#define ENTER(function) \
    do { \
        int enter_code = fake_enter(NAME_OF(function)); \
        if (enter_code) return enter_code; \
    } while (0)

#define CHECK(function, program) \
    do { \
        if (!fake_check(#function, program, FAKE_PROGRAM)) return NVRTC_ERROR_INVALID_PROGRAM; \
    } while (0)

FAKE_EXPORT int nvrtcVersion(int *major, int *minor);
FAKE_EXPORT int nvrtcGetNumSupportedArchs(int *count);
FAKE_EXPORT int nvrtcGetSupportedArchs(int *architectures);
FAKE_EXPORT int nvrtcCreateProgram(nvrtcProgram *program, const char *text, const char *name,
    int header_count, const char *const *headers, const char *const *header_names);
FAKE_EXPORT int nvrtcDestroyProgram(nvrtcProgram *program);
FAKE_EXPORT int nvrtcAddNameExpression(nvrtcProgram program, const char *expression);
FAKE_EXPORT int nvrtcGetLoweredName(
    nvrtcProgram program, const char *expression, const char **name);
FAKE_EXPORT int nvrtcCompileProgram(
    nvrtcProgram program, int option_count, const char *const *options);
FAKE_EXPORT int nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size);
FAKE_EXPORT int nvrtcGetProgramLog(nvrtcProgram program, char *log);
FAKE_EXPORT int nvrtcGetPTXSize(nvrtcProgram program, size_t *size);
FAKE_EXPORT int nvrtcGetPTX(nvrtcProgram program, char *ptx);
FAKE_EXPORT int nvrtcGetCUBINSize(nvrtcProgram program, size_t *size);
FAKE_EXPORT int nvrtcGetCUBIN(nvrtcProgram program, char *cubin);

int nvrtcVersion(int *major, int *minor)
{
    ENTER(nvrtcVersion);
    *major = 12;
    *minor = 4;
    return NVRTC_SUCCESS;
}

static const int architectures_known[] = {70, 80};

int nvrtcGetNumSupportedArchs(int *count)
{
    ENTER(nvrtcGetNumSupportedArchs);
    *count = sizeof architectures_known / sizeof architectures_known[0];
    return NVRTC_SUCCESS;
}

int nvrtcGetSupportedArchs(int *architectures)
{
    ENTER(nvrtcGetSupportedArchs);
    memcpy(architectures, architectures_known, sizeof architectures_known);
    return NVRTC_SUCCESS;
}

int nvrtcCreateProgram(nvrtcProgram *program, const char *text, const char *name, int header_count,
    const char *const *headers, const char *const *header_names)
{
    (void)name;
    (void)header_count;
    (void)headers;
    (void)header_names;
    ENTER(nvrtcCreateProgram);
    nvrtcProgram made = fake_new(FAKE_PROGRAM, sizeof *made);
    if (!made) return NVRTC_ERROR_OUT_OF_MEMORY;
    made->text = strdup(text);
    *program = made;
    return NVRTC_SUCCESS;
}

int nvrtcDestroyProgram(nvrtcProgram *program)
{
    ENTER(nvrtcDestroyProgram);
    CHECK(nvrtcDestroyProgram, *program);
    fake_release(*program);
    free((*program)->text);
    free((*program)->code);
    free(*program);
    *program = NULL;
    return NVRTC_SUCCESS;
}

/* Names are what they are in C; a symbol's expression is its address. */
int nvrtcAddNameExpression(nvrtcProgram program, const char *expression)
{
    (void)expression;
    ENTER(nvrtcAddNameExpression);
    CHECK(nvrtcAddNameExpression, program);
    return NVRTC_SUCCESS;
}

int nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **name)
{
    ENTER(nvrtcGetLoweredName);
    CHECK(nvrtcGetLoweredName, program);
    *name = expression + (expression[0] == '&');
    return NVRTC_SUCCESS;
}

int nvrtcCompileProgram(nvrtcProgram program, int option_count, const char *const *options)
{
    ENTER(nvrtcCompileProgram);
    CHECK(nvrtcCompileProgram, program);
    fake_count_build();
    if (strstr(program->text, "NO_SUCH_THING")) {
        program->log = "text.cl(1): error: identifier \"NO_SUCH_THING\" is undefined\n";
        return NVRTC_ERROR_COMPILATION;
    }
    size_t size = strlen(program->text) + 256;
    for (int i = 0; i < option_count; i++) size += strlen(options[i]) + 4;
    program->log = "text.cl(1): warning: this is a fake\n";
    program->code = calloc(1, size);
    if (!program->code) return NVRTC_ERROR_OUT_OF_MEMORY;
    size_t used = (size_t)snprintf(program->code, size, "// fake PTX\n.version 8.0\n");
    for (int i = 0; i < option_count; i++)
        used += (size_t)snprintf(program->code + used, size - used, "// %s\n", options[i]);
    snprintf(program->code + used, size - used, "%s", program->text);
    return NVRTC_SUCCESS;
}

int nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size)
{
    ENTER(nvrtcGetProgramLogSize);
    CHECK(nvrtcGetProgramLogSize, program);
    *size = strlen(program->log ? program->log : "") + 1;
    return NVRTC_SUCCESS;
}

int nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
    ENTER(nvrtcGetProgramLog);
    CHECK(nvrtcGetProgramLog, program);
    strcpy(log, program->log ? program->log : "");
    return NVRTC_SUCCESS;
}

static int code_size(nvrtcProgram program, size_t *size)
{
    if (!program->code) return NVRTC_ERROR_INVALID_PROGRAM;
    *size = strlen(program->code) + 1;
    return NVRTC_SUCCESS;
}

int nvrtcGetPTXSize(nvrtcProgram program, size_t *size)
{
    ENTER(nvrtcGetPTXSize);
    CHECK(nvrtcGetPTXSize, program);
    return code_size(program, size);
}

int nvrtcGetPTX(nvrtcProgram program, char *ptx)
{
    ENTER(nvrtcGetPTX);
    CHECK(nvrtcGetPTX, program);
    strcpy(ptx, program->code);
    return NVRTC_SUCCESS;
}

int nvrtcGetCUBINSize(nvrtcProgram program, size_t *size)
{
    ENTER(nvrtcGetCUBINSize);
    CHECK(nvrtcGetCUBINSize, program);
    return code_size(program, size);
}

int nvrtcGetCUBIN(nvrtcProgram program, char *cubin)
{
    ENTER(nvrtcGetCUBIN);
    CHECK(nvrtcGetCUBIN, program);
    strcpy(cubin, program->code);
    return NVRTC_SUCCESS;
}
