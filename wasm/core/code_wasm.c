/* C that is compiled at run time, in place of src/core/code.c: a module has no compiler. */
#include "heddle/code.h"

#include "base/error.h"

hed_status hed_code_create(hed_context *context, const hed_code_def *def, void **functions,
    hed_code **code, hed_error *error)
{
    *code = NULL;
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "%s: WebAssembly has no C compiler; expected a model and terms of Heddle's own", def->name);
}

void hed_code_destroy(hed_code *code) {}

bool hed_code_compiler(char *path, size_t size)
{
    if (size) path[0] = 0;
    return false;
}
