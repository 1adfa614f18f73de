/* Libraries loaded at run time: the only place that calls dlopen. */
#include "base/dynlib.h"

#include "base/alloc.h"
#include "base/text.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

struct hed_dynlib {
    void *handle;
    char *name;
};

/* True if the loader's message reports that the library itself is absent. The message has three
 * fields: file, operation, reason. If a library exists and needs another one that is absent, the
 * file is the other one. Only the system's own text for the reason is compared, since messages may
 * be translated. */
static bool dynlib_is_absent(const char *message, const char *name)
{
    char buffer[256];
    const char *reason = strerror_r(ENOENT, buffer, sizeof buffer);
    size_t name_length = strlen(name), length = strlen(message), reason_length = strlen(reason);
    return strncmp(message, name, name_length) == 0 && message[name_length] == ':' &&
           length > reason_length && strcmp(message + length - reason_length, reason) == 0;
}

hed_status hed_dynlib_open(const hed_allocator *allocator, const char *const *names,
    hed_dynlib **library, char *reason, size_t size)
{
    *library = NULL;
    bool broken = false; /* `reason` already describes a library that exists and does not load */
    hed_text_copy(reason, size, "no library name to try");
    for (size_t index = 0; names[index]; index++) {
        /* A library is never unloaded: drivers have threads and exit handlers of their own, and
         * leak memory each time they are loaded. */
        void *handle = dlopen(names[index], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (!handle) {
            const char *message = dlerror();
            message = message ? message : "the loader gave no reason";
            bool absent = dynlib_is_absent(message, names[index]);
            if (index == 0 || (!broken && !absent)) hed_text_copy(reason, size, message);
            broken = broken || !absent;
            continue;
        }
        hed_dynlib *object = hed_allocate(allocator, sizeof *object);
        char *name = hed_copy_text(allocator, names[index]);
        if (!object || !name) {
            hed_release(allocator, object, sizeof *object);
            hed_release_text(allocator, name);
            dlclose(handle);
            hed_text_copy(reason, size, "out of memory");
            return HED_ERROR_MEMORY;
        }
        *object = (hed_dynlib){handle, name};
        hed_text_copy(reason, size, "");
        *library = object;
        return HED_OK;
    }
    return HED_OK;
}

void hed_dynlib_close(const hed_allocator *allocator, hed_dynlib *library)
{
    if (!library) return;
    dlclose(library->handle);
    hed_release_text(allocator, library->name);
    hed_release(allocator, library, sizeof *library);
}

static int dynlib_keep(struct dl_phdr_info *info, size_t size, void *parts)
{
    (void)size;
    const char *slash = strrchr(info->dlpi_name, '/');
    for (const char *const *part = parts; slash && *part; part++) {
        if (!strstr(slash, *part)) continue;
        void *handle = dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
        if (handle) dlclose(handle);
    }
    return 0;
}

void hed_dynlib_keep_loaded(const char *const *parts)
{
    dl_iterate_phdr(dynlib_keep, (void *)(uintptr_t)parts);
}

const char *hed_dynlib_name(const hed_dynlib *library) { return library->name; }

void hed_dynlib_folder(const hed_dynlib *library, char *folder, size_t size)
{
    struct link_map *map = NULL;
    hed_text_copy(folder, size, "");
    if (dlinfo(library->handle, RTLD_DI_LINKMAP, &map) != 0 || !map) return;
    const char *slash = strrchr(map->l_name, '/');
    if (slash && (size_t)(slash - map->l_name) < size) {
        memcpy(folder, map->l_name, (size_t)(slash - map->l_name));
        folder[slash - map->l_name] = '\0';
    }
}

void *hed_dynlib_symbol(const hed_dynlib *library, const char *name)
{
    return dlsym(library->handle, name);
}

bool hed_dynlib_symbols(const hed_dynlib *library, const char *const *names, void **slots,
    size_t count, const char **missing)
{
    bool complete = true;
    for (size_t index = 0; index < count; index++) {
        slots[index] = dlsym(library->handle, names[index]);
        if (!slots[index] && complete) {
            complete = false;
            if (missing) *missing = names[index];
        }
    }
    return complete;
}

void *hed_dynlib_open_code(int file, const char *const *names, void **slots, size_t count,
    const char **missing, char *reason, size_t size)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    hed_dynlib library = {.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    if (!library.handle) {
        const char *message = dlerror();
        hed_text_copy(reason, size, message ? message : "the loader gave no reason");
        return NULL;
    }
    if (hed_dynlib_symbols(&library, names, slots, count, missing)) return library.handle;
    dlclose(library.handle);
    return NULL;
}

void hed_dynlib_close_code(void *handle)
{
    if (handle) dlclose(handle);
}
