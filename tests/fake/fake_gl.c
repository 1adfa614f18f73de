/* A libEGL that is the real one with faults: every function that the backend looks up goes through
 * here, is counted, and can be made to fail (fake.h): a function of EGL gives nothing, one of
 * OpenGL does nothing, and the code is what the next question for an error answers. What is made
 * and destroyed is counted too, as objects of one kind. With the platform "ES" there is no OpenGL but
 * OpenGL ES; a silent one has time stamps that are all the same. Without a real libEGL.so.1 it
 * finds nothing. */
#include "backends/gl/gl_api.h"
#include "fake.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

typedef void *get_function(const char *name);
/* As the functions are called on machines of 64 bits: up to eight words. */
typedef intptr_t any_function(
    intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int egl_pending, gl_pending;

static void *real(const char *name)
{
    void *library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void *found = library ? dlsym(library, name) : NULL;
    get_function *get = library ? (get_function *)dlsym(library, "eglGetProcAddress") : NULL;
    return found ? found : get ? get(name) : NULL;
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static int64_t names_in(intptr_t count, intptr_t list)
{
    int64_t named = 0;
    for (intptr_t i = 0; i < count; i++) named += ((const unsigned *)list)[i] != 0;
    return named;
}

static void count(const char *name, intptr_t a, intptr_t b, intptr_t got)
{
    int64_t change = 0;
    if (begins(name, "glGenBuffers") || begins(name, "glGenQueries")) change = names_in(a, b);
    if (begins(name, "glDeleteBuffers") || begins(name, "glDeleteQueries"))
        change = -names_in(a, b);
    if (begins(name, "glCreate") || begins(name, "glFence") || begins(name, "eglCreate"))
        change = got != 0;
    if (begins(name, "glDeleteShader") || begins(name, "glDeleteProgram") ||
        begins(name, "glDeleteSync"))
        change = -(a != 0);
    if (begins(name, "eglDestroy")) change = -1;
    pthread_mutex_lock(&lock);
    fake_state.live[FAKE_MEMORY] += change;
    pthread_mutex_unlock(&lock);
}

static intptr_t call(
    const char *name, any_function **function, int *pending, bool asks, const intptr_t *w)
{
    int code = fake_enter(name);
    if (!*function) *function = (any_function *)real(name);
    if (asks && *pending) {
        code = *pending;
        *pending = 0;
        return code;
    }
    if (code && !asks) {
        *pending = code;
        return strcmp(name, "glClientWaitSync") == 0 ? GL_WAIT_FAILED : 0;
    }
    if (!*function) return 0;
    bool desktop = strcmp(name, "eglBindAPI") == 0 && w[0] == EGL_OPENGL_API;
    if (desktop && fake_state.platform && strcmp(fake_state.platform, "ES") == 0) return 0;
    if (strstr(name, "Delete")) count(name, w[0], w[1], 0); /* before the names are others' */
    intptr_t got = (*function)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]);
    if (!strstr(name, "Delete")) count(name, w[0], w[1], got & 0xffffffff);
    if (fake_state.silent && strcmp(name, "glGetQueryObjectui64v") == 0) *(uint64_t *)w[2] = 1;
    return got;
}

#define PARAMETERS \
    intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, intptr_t f, intptr_t g, intptr_t h
#define WORDS ((const intptr_t[]){a, b, c, d, e, f, g, h})

#define EGL_WRAPPER(result, name, parameters) \
    FAKE_EXPORT intptr_t egl##name(PARAMETERS); \
    intptr_t egl##name(PARAMETERS) \
    { \
        static any_function *function; \
        return call("egl" #name, &function, &egl_pending, strcmp(#name, "GetError") == 0, WORDS); \
    }
HED_EGL_FUNCTIONS(EGL_WRAPPER)

#define GL_WRAPPER(result, name, parameters) \
    static intptr_t wrapped_##name(PARAMETERS) \
    { \
        static any_function *function; \
        return call("gl" #name, &function, &gl_pending, strcmp(#name, "GetError") == 0, WORDS); \
    }
HED_GL_FUNCTIONS(GL_WRAPPER)
HED_GL_DESKTOP_FUNCTIONS(GL_WRAPPER)

FAKE_EXPORT void *eglGetProcAddress(const char *name);
void *eglGetProcAddress(const char *name)
{
#define FIND(result, function, parameters) \
    if (strcmp(name, "gl" #function) == 0) return (void *)wrapped_##function;
    if (!real(name)) return NULL;
    HED_GL_FUNCTIONS(FIND)
    HED_GL_DESKTOP_FUNCTIONS(FIND)
    return real(name);
}
