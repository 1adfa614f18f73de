/* Reader of captures. The file is mapped and completely checked once; buffers are used in place.
 * The functions of the resulting description look values up in the table. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/objects.h"
#include "capture/capture_file.h"
#include "measure/check.h"

struct hed_capture {
    hed_allocator allocator;
    const unsigned char *bytes; /* the file */
    uint64_t size;
    hed_capture_launched launched;
    hed_arena arena; /* memory of the description */
    hed_tune_argument arguments[HED_MAX_ARGUMENTS];
    hed_capture_table table;
    const unsigned char *geometries;
    const uint64_t *ranks;
    const uint32_t *geometry_of;
};

/* State of the check. `sections[kind][index]`: content, if the file has this section. */
typedef struct reader {
    hed_capture *capture;
    const char *path;
    struct {
        const unsigned char *bytes;
        uint64_t size;
    } sections[HED_CAPTURE_EXPECTED + 1][HED_MAX_ARGUMENTS];
} reader;

static hed_status capture_wrong(
    const reader *r, uint64_t at, hed_error *error, const char *actual, const char *expected)
{
    return hed_fail(error, HED_ERROR_FORMAT, "%s: byte %" PRIu64 ": found %s, expected %s", r->path,
        at, actual, expected);
}

/* ---- sections ---- */

static bool is_zero(const void *bytes, uint64_t size)
{
    const char *at = bytes;
    return size == 0 || (at[0] == 0 && memcmp(at, at + 1, size - 1) == 0);
}

static hed_status check_head(const reader *r, hed_error *error)
{
    hed_capture_head head;
    if (r->capture->size < sizeof head)
        return capture_wrong(
            r, r->capture->size, error, "the end of the file", "a head of 64 bytes");
    memcpy(&head, r->capture->bytes, sizeof head);
    if (memcmp(head.magic, HED_CAPTURE_MAGIC, sizeof head.magic) != 0)
        return capture_wrong(
            r, 0, error, "other bytes", "\"heddle capture\", with which a capture begins");
    if (head.version != HED_CAPTURE_VERSION)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: byte 16: a capture of version %u, this Heddle reads version %d: %s", r->path,
            head.version, HED_CAPTURE_VERSION, "take a newer Heddle, or capture again");
    if (!is_zero(head.zeros, sizeof head.zeros))
        return capture_wrong(r, 20, error, "other bytes", "zeros up to byte 64");
    return HED_OK;
}

static hed_status check_hash(
    const reader *r, const hed_capture_section *head, uint64_t begin, hed_error *error)
{
    const unsigned char *content = r->capture->bytes + begin, *tail = content + head->size;
    uint64_t length = hed_capture_tail(head->size);
    hed_hash stored, hash = hed_hash_bytes(hed_hash_start(), head, sizeof *head);
    for (uint64_t at = 0; at < head->size; at += HED_CAPTURE_PIECE) {
        uint64_t left = head->size - at;
        hash =
            hed_hash_bytes(hash, content + at, left < HED_CAPTURE_PIECE ? left : HED_CAPTURE_PIECE);
    }
    memcpy(&stored, tail + length - sizeof stored, sizeof stored);
    if (!is_zero(tail, length - sizeof stored))
        return capture_wrong(
            r, begin + head->size, error, "other bytes", "zeros behind the section's content");
    if (stored.a == hash.a && stored.b == hash.b) return HED_OK;
    return capture_wrong(r, begin + head->size + length - sizeof stored, error, "another hash",
        "that of the section: the file is damaged");
}

static hed_status take_section(
    reader *r, const hed_capture_section *head, uint64_t at, hed_error *error)
{
    uint64_t begin = at + sizeof *head;
    bool of_argument = head->kind == HED_CAPTURE_DATA || head->kind == HED_CAPTURE_EXPECTED;
    if (head->kind > HED_CAPTURE_EXPECTED)
        return capture_wrong(r, at, error, "a section of an unknown kind", "0 to 4");
    if (head->index >= (of_argument ? (uint32_t)HED_MAX_ARGUMENTS : 1))
        return capture_wrong(r, at + 4, error, "a large index", "that of an argument, or 0");
    if (r->sections[head->kind][head->index].bytes)
        return capture_wrong(r, at, error, "a section a second time", "another one");
    r->sections[head->kind][head->index].bytes = r->capture->bytes + begin;
    r->sections[head->kind][head->index].size = head->size;
    return check_hash(r, head, begin, error);
}

static hed_status read_sections(reader *r, hed_error *error)
{
    uint64_t size = r->capture->size, at = sizeof(hed_capture_head);
    hed_capture_section head = {.kind = UINT32_MAX};
    check_head(r, error);
    while (!hed_failed(error) && head.kind != HED_CAPTURE_END) {
        if (size - at < sizeof head)
            return capture_wrong(
                r, size, error, "the end of the file", "a section: the file is cut");
        memcpy(&head, r->capture->bytes + at, sizeof head);
        uint64_t left = size - at - sizeof head;
        if (head.size > left || hed_capture_tail(head.size) > left - head.size)
            return capture_wrong(
                r, size, error, "the end of the file", "the rest of a section: the file is cut");
        take_section(r, &head, at, error);
        at += sizeof head + head.size + hed_capture_tail(head.size);
    }
    if (hed_failed(error)) return error->status;
    if (head.size != 0) return capture_wrong(r, at, error, "content in the last section", "none");
    return at == size ? HED_OK : capture_wrong(r, at, error, "more bytes", "the end of the file");
}

/* ---- content ---- */

static hed_status read_description(const reader *r, hed_error *error)
{
    hed_capture *c = r->capture;
    const unsigned char *bytes = r->sections[HED_CAPTURE_DESCRIPTION][0].bytes;
    if (!bytes) return capture_wrong(r, c->size, error, "the end of the file", "a description");
    hed_description_reader from = {.path = r->path,
        .bytes = bytes,
        .size = r->sections[HED_CAPTURE_DESCRIPTION][0].size,
        .base = (uint64_t)(bytes - c->bytes),
        .list_limit = HED_CAPTURE_LIST,
        .arena = &c->arena,
        .error = error};
    return hed_capture_unpack(&from, &c->launched);
}

/* Bytes of an argument's content; 0 if it has no content. */
static uint64_t capture_bytes_of(const hed_capture *c, uint32_t i)
{
    const hed_argument_def *argument = &c->launched.def.arguments[i];
    switch (argument->kind) {
    case HED_BUFFER: return c->launched.bytes[i];
    case HED_SCALAR: return hed_check_element_bytes(argument->type);
    case HED_STRUCT: return argument->size;
    default: return 0;
    }
}

static hed_status check_content(
    const reader *r, hed_capture_kind kind, uint32_t i, bool required, hed_error *error)
{
    const unsigned char *bytes = r->sections[kind][i].bytes;
    const char *name = kind == HED_CAPTURE_DATA ? "content" : "expected content";
    uint64_t at = bytes ? (uint64_t)(bytes - r->capture->bytes) : r->capture->size;
    if (!bytes == !required &&
        (!bytes || r->sections[kind][i].size == capture_bytes_of(r->capture, i)))
        return HED_OK;
    return hed_fail(error, HED_ERROR_FORMAT,
        "%s: byte %" PRIu64 ": %s of argument %u: found %" PRIu64 " bytes, expected %" PRIu64,
        r->path, at, name, i, bytes ? r->sections[kind][i].size : 0,
        required ? capture_bytes_of(r->capture, i) : 0);
}

static hed_status capture_read_arguments(const reader *r, hed_error *error)
{
    hed_capture *c = r->capture;
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++) {
        bool exists = i < c->launched.def.argument_count;
        const hed_argument_def *argument = exists ? &c->launched.def.arguments[i] : NULL;
        bool buffer = exists && argument->kind == HED_BUFFER;
        bool data =
            exists && argument->kind != HED_LOCAL && !(buffer && argument->access == HED_WRITE);
        bool written =
            buffer && (argument->access == HED_WRITE || argument->access == HED_READ_WRITE);
        bool expected = written && c->launched.info.checked;
        if (check_content(r, HED_CAPTURE_DATA, i, data, error) ||
            check_content(r, HED_CAPTURE_EXPECTED, i, expected, error))
            return error->status;
        c->arguments[i].data = r->sections[HED_CAPTURE_DATA][i].bytes;
        c->arguments[i].expected = r->sections[HED_CAPTURE_EXPECTED][i].bytes;
        c->arguments[i].bytes = exists ? capture_bytes_of(c, i) : 0;
    }
    return HED_OK;
}

static hed_status check_table(const reader *r, uint64_t at, hed_error *error)
{
    const hed_capture *c = r->capture;
    uint64_t points = hed_config_count(&c->launched.def),
             record = hed_capture_geometry_bytes(c->table.local_count);
    for (uint64_t i = 0; i < c->table.geometries; i++) {
        hed_capture_geometry geometry;
        memcpy(&geometry, c->geometries + i * record, sizeof geometry);
        if (geometry.dimensions < 1 || geometry.dimensions > 3)
            return capture_wrong(
                r, at + i * record, error, "a geometry of another number of dimensions", "1 to 3");
    }
    at += c->table.geometries * record;
    for (uint64_t i = 0; i < c->table.configurations; i++)
        if (c->ranks[i] >= points || (i > 0 && c->ranks[i] <= c->ranks[i - 1]))
            return capture_wrong(r, at + i * sizeof *c->ranks, error,
                "a configuration out of order or of range", "ascending ones");
    at += c->table.configurations * sizeof *c->ranks;
    for (uint64_t i = 0; i < c->table.configurations; i++)
        if (c->geometry_of[i] >= c->table.geometries)
            return capture_wrong(r, at + i * sizeof *c->geometry_of, error,
                "a geometry's index that is out of range", "one of the table");
    return HED_OK;
}

static hed_status read_table(const reader *r, hed_error *error)
{
    hed_capture *c = r->capture;
    const unsigned char *bytes = r->sections[HED_CAPTURE_CONFIGURATIONS][0].bytes;
    uint64_t size = r->sections[HED_CAPTURE_CONFIGURATIONS][0].size, local_count = 0, records,
             ranks;
    for (uint32_t i = 0; i < c->launched.def.argument_count; i++)
        local_count += c->launched.def.arguments[i].kind == HED_LOCAL;
    if (!bytes)
        return capture_wrong(r, c->size, error, "the end of the file", "a table of configurations");
    uint64_t at = (uint64_t)(bytes - c->bytes);
    if (size < sizeof c->table)
        return capture_wrong(
            r, at, error, "a section that is too short", "a table of configurations");
    memcpy(&c->table, bytes, sizeof c->table);
    size -= sizeof c->table;
    if (c->table.local_count != local_count || c->table.zero != 0)
        return capture_wrong(r, at + 16, error, "another number of local arrays",
            "that of the description, and a zero");
    if (__builtin_mul_overflow(
            c->table.geometries, hed_capture_geometry_bytes(local_count), &records) ||
        records > size ||
        __builtin_mul_overflow(
            c->table.configurations, sizeof(uint64_t) + sizeof(uint32_t), &ranks) ||
        ranks != size - records)
        return capture_wrong(r, at, error,
            "counts of configurations and geometries that the section's size does not allow",
            "others");
    c->geometries = bytes + sizeof c->table;
    c->ranks = (const uint64_t *)(const void *)(c->geometries + records);
    c->geometry_of = (const uint32_t *)(const void *)(c->ranks + c->table.configurations);
    return check_table(r, at + sizeof c->table, error);
}

/* ---- the description's functions ---- */

/* Index of a configuration in the table; UINT64_MAX if it is not there. */
static uint64_t capture_find(
    const hed_capture *c, const hed_kernel_def *def, const hed_config *config)
{
    uint64_t rank, low = 0, high = c->table.configurations;
    if (!hed_capture_rank(def, config, &rank)) return UINT64_MAX;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (c->ranks[middle] < rank) low = middle + 1;
        else high = middle;
    }
    return low < c->table.configurations && c->ranks[low] == rank ? low : UINT64_MAX;
}

static bool capture_is_valid(
    const hed_kernel_def *def, const hed_config *config, const hed_device_info *device, bool strict)
{
    (void)device;
    (void)strict;
    return capture_find(def->user, def, config) != UINT64_MAX;
}

/* Another problem or configuration has no geometry; a launch then fails with "0 dimensions". */
static void capture_find_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    const hed_capture *c = def->user;
    uint64_t at = capture_find(c, def, config), local;
    hed_capture_geometry stored;
    for (uint32_t i = 0; i < problem->count; i++)
        if (problem->sizes[i] != c->launched.problem.sizes[i]) return;
    if (at == UINT64_MAX) return;
    const unsigned char *record =
        c->geometries + c->geometry_of[at] * hed_capture_geometry_bytes(c->table.local_count);
    memcpy(&stored, record, sizeof stored);
    memcpy(geometry->global, stored.global, sizeof stored.global);
    memcpy(geometry->group, stored.group, sizeof stored.group);
    geometry->dimensions = stored.dimensions;
    geometry->cluster = stored.cluster;
    geometry->native_items = stored.native_items;
    geometry->native_grain = stored.native_grain;
    record += sizeof stored;
    for (uint32_t i = 0; i < def->argument_count; i++) {
        if (def->arguments[i].kind != HED_LOCAL) continue;
        memcpy(&local, record, sizeof local);
        geometry->local_bytes[i] = local;
        record += sizeof local;
    }
}

static void captured_work(
    const hed_kernel_def *def, const hed_config *config, const hed_problem *problem, hed_work *work)
{
    (void)config;
    (void)problem;
    *work = ((const hed_capture *)def->user)->launched.work;
}

/* ---- opening and closing ---- */

static hed_status fail_file(const char *path, hed_error *error)
{
    char reason[256];
    return hed_fail(
        error, HED_ERROR_IO, "cannot read %s: %s", path, strerror_r(errno, reason, sizeof reason));
}

static hed_status map_file(hed_capture *capture, const char *path, hed_error *error)
{
    struct stat about;
    /* a pipe is rejected without waiting for it */
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return fail_file(path, error);
    void *bytes = MAP_FAILED;
    if (fstat(file, &about) != 0) fail_file(path, error);
    else if (!S_ISREG(about.st_mode))
        hed_fail(error, HED_ERROR_IO, "cannot read %s: it is not a regular file", path);
    else if (about.st_size == 0)
        hed_fail(error, HED_ERROR_FORMAT,
            "%s: byte 0: found the end of the file, expected a capture", path);
    else {
        bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes == MAP_FAILED) fail_file(path, error);
    }
    if (bytes != MAP_FAILED) {
        capture->bytes = bytes;
        capture->size = (uint64_t)about.st_size;
    }
    close(file);
    return error->status;
}

hed_status hed_capture_open(
    hed_context *context, const char *path, hed_capture **capture, hed_error *error)
{
    HED_REQUIRE(context, path, capture);
    error = error ? error : &(hed_error){0};
    if (hed_failed(error)) return error->status;
    hed_allocator allocator = hed_context_describe(context).allocator;
    *capture = NULL;
    hed_capture *opened = hed_allocate(&allocator, sizeof *opened);
    if (!opened) return HED_OUT_OF_MEMORY(error, "%s", path);
    opened->allocator = allocator;
    opened->arena = (hed_arena){.allocator = allocator, .owner = "a capture"};
    reader r = {.capture = opened, .path = path};
    if (map_file(opened, path, error) || read_sections(&r, error) || read_description(&r, error) ||
        capture_read_arguments(&r, error) || read_table(&r, error)) {
        hed_capture_close(opened);
        return error->status;
    }
    hed_kernel_def *def = &opened->launched.def;
    def->valid = capture_is_valid;
    def->geometry = capture_find_geometry;
    def->work = opened->launched.has_work ? captured_work : NULL;
    def->user = opened;
    opened->launched.info.configurations = opened->table.configurations;
    *capture = opened;
    return HED_OK;
}

void hed_capture_close(hed_capture *capture)
{
    if (!capture) return;
    hed_allocator allocator = capture->allocator;
    if (capture->bytes) munmap((void *)(uintptr_t)capture->bytes, capture->size);
    hed_arena_free(&capture->arena);
    hed_release(&allocator, capture, sizeof *capture);
}

hed_capture_info hed_capture_describe(const hed_capture *capture)
{
    if (!capture) return (hed_capture_info){0};
    hed_capture_info info = capture->launched.info;
    info.kernel = &capture->launched.def;
    info.problem = &capture->launched.problem;
    info.arguments = capture->arguments;
    info.math = capture->launched.math;
    return info;
}
