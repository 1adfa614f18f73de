/* Disk cache, see build_cache.h. A file is a header (struct head), the request, the log, the
 * binary; all numbers are little-endian, like the supported machines. The name is 32 hexadecimal
 * digits of the request's hash and ".hedk". */
#include "core/build_cache.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "heddle/cache.h"

enum { ENTRY_LIMIT = 256 << 20 };
static const char magic[16] = "heddle cache 1\n";
static const char ending[] = ".hedk";

struct head {
    char magic[16];
    /* bytes; log_size includes the final zero, 0: no log */
    uint64_t request_size, log_size, binary_size;
    double build_seconds;
    hed_hash checksum; /* hash of the data after the header and of the sizes */
};

static hed_hash checksum_of(
    const struct head *head, const char *request, const char *log, const void *binary)
{
    hed_hash hash = hed_hash_start();
    uint64_t sizes[3] = {head->request_size, head->log_size, head->binary_size};
    hash = hed_hash_bytes(hash, sizes, sizeof sizes);
    hash = hed_hash_bytes(hash, &head->build_seconds, sizeof head->build_seconds);
    hash = hed_hash_bytes(hash, request, head->request_size);
    hash = hed_hash_bytes(hash, log ? log : "", head->log_size);
    return hed_hash_bytes(hash, binary, head->binary_size);
}

static bool entry_path(char *path, const char *folder, const char *request, size_t size)
{
    char name[64], digits[33];
    hed_hash_format(hed_hash_bytes(hed_hash_start(), request, size), digits);
    snprintf(name, sizeof name, "%s%s", digits, ending);
    return folder[0] && hed_path_join(path, folder, name);
}

bool hed_cache_parse(const char *bytes, size_t size, hed_cache_file *file)
{
    struct head head;
    if (size < sizeof head) return false;
    memcpy(&head, bytes, sizeof head);
    uint64_t left = size - sizeof head;
    if (memcmp(head.magic, magic, sizeof magic) || head.request_size > left ||
        head.log_size > left - head.request_size ||
        head.binary_size != left - head.request_size - head.log_size)
        return false;
    const char *request = bytes + sizeof head, *log = request + head.request_size,
               *binary = log + head.log_size;
    hed_hash sum = checksum_of(&head, request, log, binary);
    if (sum.a != head.checksum.a || sum.b != head.checksum.b ||
        (head.log_size && log[head.log_size - 1] != 0))
        return false;
    *file = (hed_cache_file){request, log, binary, head.request_size, head.log_size,
        head.binary_size, head.build_seconds};
    return true;
}

static bool copy_out(
    const hed_settings *settings, const hed_cache_file *file, hed_cache_entry *entry)
{
    *entry = (hed_cache_entry){.build_seconds = file->build_seconds};
    entry->binary.size = file->binary_size;
    entry->binary.bytes = hed_allocate(&settings->allocator, file->binary_size);
    entry->binary.log_size = file->log_size;
    if (file->log_size) entry->binary.log = hed_allocate(&settings->allocator, file->log_size);
    if (!entry->binary.bytes || (file->log_size && !entry->binary.log)) {
        hed_binary_free(settings, &entry->binary);
        return false;
    }
    memcpy(entry->binary.bytes, file->binary, file->binary_size);
    if (file->log_size) memcpy(entry->binary.log, file->log, file->log_size);
    return true;
}

bool hed_cache_load(const hed_settings *settings, const char *folder, const char *request,
    size_t request_size, hed_cache_entry *entry)
{
    char path[HED_PATH_MAX], *bytes;
    size_t size;
    hed_cache_file file;
    if (!entry_path(path, folder, request, request_size) || access(path, R_OK)) return false;
    /* An entry may be machine code. Entries installed with the library are trusted like the
     * library, whichever user has installed them. */
    bool installed = folder == settings->ptx_dir;
    hed_error error = {0};
    hed_status status =
        installed
            ? hed_path_read(&settings->allocator, path, ENTRY_LIMIT, &bytes, &size, &error)
            : hed_path_read_own(&settings->allocator, path, ENTRY_LIMIT, &bytes, &size, &error);
    if (status == HED_ERROR_UNSUPPORTED)
        hed_log_message(&settings->logger, HED_LOG_WARNING, "cache entry %s", error.text);
    if (status) return false;
    bool whole = hed_cache_parse(bytes, size, &file);
    bool ours = whole && file.request_size == request_size &&
                memcmp(file.request, request, request_size) == 0;
    if (!whole)
        hed_log_message(&settings->logger, HED_LOG_WARNING,
            "cache entry %s is damaged: the kernel is compiled again", path);
    bool loaded = ours && copy_out(settings, &file, entry);
    hed_release(&settings->allocator, bytes, size + 1);
    return loaded;
}

hed_status hed_cache_store(const char *folder, const char *request, size_t request_size,
    const hed_cache_entry *entry, hed_error *error)
{
    char path[HED_PATH_MAX];
    if (!entry_path(path, folder, request, request_size))
        return hed_fail(
            error, HED_ERROR_IO, "the cache's folder \"%.200s\" gives no usable path", folder);
    const hed_binary *binary = &entry->binary;
    struct head head = {.request_size = request_size,
        .log_size = binary->log ? binary->log_size : 0,
        .binary_size = binary->size,
        .build_seconds = entry->build_seconds};
    memcpy(head.magic, magic, sizeof magic);
    head.checksum = checksum_of(&head, request, binary->log, binary->bytes);
    const void *parts[] = {&head, request, binary->log, binary->bytes};
    size_t sizes[] = {sizeof head, request_size, head.log_size, binary->size};
    hed_status status = hed_path_make(folder, error);
    return status ? status : hed_path_write_own(path, parts, sizes, 4, error);
}

void hed_binary_free(const hed_settings *settings, hed_binary *binary)
{
    hed_release(&settings->allocator, binary->bytes, binary->size);
    hed_release(&settings->allocator, binary->log, binary->log_size);
    *binary = (hed_binary){0};
}

/* ---- report of `heddle cache` ---- */

typedef hed_status visit_function(const hed_context *context, const char *path, const char *name,
    hed_cache_info *report, hed_error *error);

static bool is_entry(const char *name)
{
    return strspn(name, "0123456789abcdef") == 32 && strcmp(name + 32, ending) == 0;
}

/* True for an entry, and for a file that an interrupted hed_path_write_own() left. Folders and
 * pipes are excluded, whatever their names. */
static bool is_ours(const char *path, const char *name)
{
    struct stat about;
    size_t length = strlen(name);
    bool left = strncmp(name, ".heddle-", 8) == 0 && strcmp(name + length - 4, ".tmp") == 0;
    if (!left && !is_entry(name)) return false;
    return lstat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static hed_status visit_entries(
    const hed_context *context, visit_function *visit, hed_cache_info *report, hed_error *error)
{
    const char *folder = hed_context_describe(context).cache_dir;
    DIR *listing = folder[0] ? opendir(folder) : NULL;
    if (!listing && (!folder[0] || errno == ENOENT)) return HED_OK;
    if (!listing) {
        char reason[256];
        return hed_fail(error, HED_ERROR_IO, "cannot look into the cache %s: %s", folder,
            strerror_r(errno, reason, sizeof reason));
    }
    hed_status first = HED_OK;
    for (struct dirent *file; (file = readdir(listing));) {
        char path[HED_PATH_MAX];
        if (!hed_path_join(path, folder, file->d_name) || !is_ours(path, file->d_name)) continue;
        hed_status status = visit(context, path, file->d_name, report, first ? NULL : error);
        if (!first) first = status;
    }
    closedir(listing);
    return first;
}

/* Adds a file to the report. Another process may remove the file between listing and reading; that
 * is no error. */
static hed_status look_at(const hed_context *context, const char *path, const char *name,
    hed_cache_info *report, hed_error *error)
{
    hed_allocator allocator = hed_context_describe(context).allocator;
    char *bytes;
    size_t size;
    struct stat about;
    char reason[96];
    hed_status status = hed_path_read(&allocator, path, ENTRY_LIMIT, &bytes, &size, error);
    if (status && access(path, F_OK) == 0) return status;
    hed_error_clear(error);
    if (status) return HED_OK;
    if (lstat(path, &about) == 0 &&
        (S_ISLNK(about.st_mode) || !hed_path_is_own(&about, reason, sizeof reason)))
        report->foreign++;
    hed_cache_file file;
    if (is_entry(name) && hed_cache_parse(bytes, size, &file)) report->entries++;
    else report->damaged++;
    report->bytes += size;
    hed_release(&allocator, bytes, size + 1);
    return HED_OK;
}

hed_status hed_cache_measure(const hed_context *context, hed_cache_info *report, hed_error *error)
{
    HED_REQUIRE(context, report);
    *report = (hed_cache_info){.folder = hed_context_describe(context).cache_dir};
    return visit_entries(context, look_at, report, error);
}

static hed_status look_and_remove(const hed_context *context, const char *path, const char *name,
    hed_cache_info *report, hed_error *error)
{
    hed_status status = look_at(context, path, name, report, error);
    if (status == HED_ERROR_MEMORY) return status;
    hed_error_clear(error);
    if (unlink(path) && access(path, F_OK) == 0)
        return hed_fail(
            error, HED_ERROR_IO, "%s cannot be removed: check the permissions of its folder", path);
    return HED_OK;
}

hed_status hed_cache_clear(hed_context *context, hed_cache_info *removed, hed_error *error)
{
    HED_REQUIRE(context);
    hed_cache_info report = {.folder = hed_context_describe(context).cache_dir};
    hed_status status = visit_entries(context, look_and_remove, &report, error);
    if (removed) *removed = report;
    return status;
}
