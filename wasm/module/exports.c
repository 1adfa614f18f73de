/* Memory, errors and the device of a module. */
#include "exports.h"

#include <heddle/author.h>

hed_error module_error;

hed_device *module_device(void)
{
    static hed_session session;
    if (session.device) return session.device;
    hed_context_def def = hed_default_context_def();
    def.host_threads = 1;
    def.database = "";
    def.cache_dir = "";
    if (!session.context) hed_context_create(&def, &session.context, &module_error);
    if (!module_error.status)
        hed_device_find(session.context, "host", &session.device, &module_error);
    return session.device;
}

void *module_allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) HED_OUT_OF_MEMORY(&module_error, "%zu bytes", count * size);
    return memory;
}

void module_put_text(FILE *stream, const char *text, size_t length)
{
    fputc('"', stream);
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte == '"' || byte == '\\') fputc('\\', stream);
        if (byte < ' ') fprintf(stream, "\\u%04x", byte);
        else fputc(byte, stream);
    }
    fputc('"', stream);
}

/* Allocates memory for a text or an array of JavaScript; NULL: out of memory. */
EXPORT void *hedw_alloc(uint32_t size) { return malloc(size ? size : 1); }

EXPORT void hedw_free(void *pointer) { free(pointer); }

/* Status of the last failed call, 0 without one. */
EXPORT uint32_t hedw_error_status(void) { return (uint32_t)module_error.status; }

/* Returns the text of the last error and clears it; "" without one. */
EXPORT const char *hedw_error(void)
{
    static char text[sizeof module_error.text];
    memcpy(text, module_error.text, sizeof text);
    if (!module_error.status) text[0] = '\0';
    module_error = (hed_error){0};
    return text;
}
