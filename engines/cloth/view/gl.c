/* Loading OpenGL's functions. */
#include "gl.h"

#include "heddle/author.h"

#include <string.h>

hed_status cloth_gl_load(cloth_gl *gl, cloth_gl_get_function *get, hed_error *error)
{
    /* Pointers to functions and to data have one size wherever OpenGL is; memcpy keeps the compiler
     * from guessing. */
#define CLOTH_GL_LOAD(type, name) \
    { \
        void *found = get("gl" #name); \
        if (!found) \
            return hed_fail( \
                error, HED_ERROR_UNSUPPORTED, "this OpenGL has no function gl" #name); \
        memcpy(&gl->name, &found, sizeof found); \
    }
    CLOTH_GL_FUNCTIONS(CLOTH_GL_LOAD)
#undef CLOTH_GL_LOAD
    GLint major = 0, minor = 0;
    gl->GetIntegerv(GL_MAJOR_VERSION, &major);
    gl->GetIntegerv(GL_MINOR_VERSION, &minor);
    if (major * 10 + minor < 33)
        return hed_fail(
            error, HED_ERROR_UNSUPPORTED, "OpenGL %d.%d is here, and 3.3 is needed", major, minor);
    return HED_OK;
}
