/* libFuzzer harness for folders of compiled kernels, as `heddle cache ship` makes them: an entry is
 * put in, its file is changed (three bytes each: place and value; a last odd byte cuts it), and
 * another file stands beside it. A binary that is still found is the one that was put in; the count
 * of the folder agrees with that. */
#include <dirent.h>

#include "core/build_cache.h"
#include "core/objects.h"
#include "fuzz.h"
#include "heddle/cache.h"

static const char request[] = "request", binary[] = "binary, and its end", words[] = "log";

static hed_context *open_context(const char *folder)
{
    hed_context *context;
    hed_error error = {0};
    hed_context_def def = hed_default_context_def();
    def.opencl_library = def.cuda_library = def.nvrtc_library = "";
    def.cache_dir = folder;
    def.database = "";
    def.host_threads = 1;
    must(hed_context_create(&def, &context, &error) == HED_OK);
    return context;
}

/* The path of the one file in the folder. */
static void find_entry(const char *folder, char *path, size_t size)
{
    DIR *opened = opendir(folder);
    must(opened != NULL);
    path[0] = 0;
    for (struct dirent *entry; (entry = readdir(opened));)
        if (entry->d_name[0] != '.') snprintf(path, size, "%s/%s", folder, entry->d_name);
    closedir(opened);
    must(path[0] != 0);
}

static void look(hed_context *context, const char *folder, bool changed)
{
    hed_settings *settings = &context->settings;
    hed_cache_entry entry = {{0}, 0};
    hed_cache_info report;
    hed_error error = {0};
    bool found = hed_cache_load(settings, folder, request, sizeof request, &entry);
    must(found || changed);
    must(!found || (entry.binary.size == sizeof binary &&
                       !memcmp(entry.binary.bytes, binary, sizeof binary)));
    if (found) hed_binary_free(settings, &entry.binary);
    must(hed_cache_measure(context, &report, &error) == HED_OK);
    must(report.entries >= found && report.entries + report.damaged <= 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static hed_context *context;
    static char path[512], beside[600], *whole;
    static size_t whole_size;
    const char *folder = fuzz_folder();
    hed_error error = {0};
    if (!context) {
        context = open_context(folder);
        hed_cache_entry entry = {{0}, 1};
        entry.binary.bytes = (void *)binary;
        entry.binary.size = sizeof binary;
        entry.binary.log = (char *)words;
        entry.binary.log_size = sizeof words;
        must(hed_cache_store(folder, request, sizeof request, &entry, &error) == HED_OK);
        find_entry(folder, path, sizeof path);
        must(hed_path_read(NULL, path, 1 << 20, &whole, &whole_size, &error) == HED_OK);
        snprintf(beside, sizeof beside, "%s", path);
        char *digit = beside + strlen(beside) - strlen("0.hedk");
        *digit = *digit == '0' ? '1' : '0';
        look(context, folder, false);
    }
    char *bytes = fuzz_copy(whole, whole_size);
    for (size_t i = 0; i + 3 <= size; i += 3)
        bytes[((size_t)data[i] << 8 | data[i + 1]) % whole_size] = (char)data[i + 2];
    size_t kept = size % 3 == 1 ? data[size - 1] % whole_size : whole_size;
    fuzz_write(path, bytes, kept);
    fuzz_write(beside, data, size);
    look(context, folder, kept < whole_size || memcmp(bytes, whole, whole_size) != 0);
    unlink(beside);
    unlink(path);
    free(bytes);
    return 0;
}
