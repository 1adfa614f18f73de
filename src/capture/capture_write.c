/* Writer of captures. The launch runs over copies of its outputs; buffers that it only writes are
 * poisoned first, so the file has exactly the results of this launch. Buffers are copied from the
 * device to the file in pieces. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "core/objects.h"
#include "core/program.h"
#include "capture/capture_file.h"
#include "measure/check.h"

/* State of one recording. */
typedef struct recorder {
    hed_stream *stream;
    hed_kernel *kernel;
    const hed_argument *arguments;
    hed_scratch scratch;
    hed_argument_def described[HED_MAX_ARGUMENTS];
    hed_capture_launched launched;
    hed_build_text text;
    hed_path_writer file;
    hed_hash hash;        /* hash of the section being written */
    unsigned char *piece; /* (HED_CAPTURE_PIECE) */
} recorder;

/* ---- sections ---- */

static void recorder_begin_section(
    recorder *r, hed_capture_kind kind, uint32_t index, uint64_t size, hed_error *error)
{
    hed_capture_section head = {.kind = kind, .index = index, .size = size};
    r->hash = hed_hash_bytes(hed_hash_start(), &head, sizeof head);
    if (!hed_failed(error)) hed_path_add(&r->file, &head, sizeof head, error);
}

/* Adds a piece of a section; all pieces but the last have HED_CAPTURE_PIECE bytes. */
static void add_piece(recorder *r, const void *bytes, uint64_t size, hed_error *error)
{
    r->hash = hed_hash_bytes(r->hash, bytes, size);
    if (!hed_failed(error)) hed_path_add(&r->file, bytes, size, error);
}

static void end_section(recorder *r, uint64_t size, hed_error *error)
{
    unsigned char tail[HED_CAPTURE_ALIGN + sizeof(hed_hash)] = {0};
    uint64_t length = hed_capture_tail(size);
    memcpy(tail + length - sizeof r->hash, &r->hash, sizeof r->hash);
    if (!hed_failed(error)) hed_path_add(&r->file, tail, length, error);
}

/* Writes a section from memory; `bytes` NULL: a section of poison. */
static void put_memory(recorder *r, hed_capture_kind kind, uint32_t index, const void *bytes,
    uint64_t size, hed_error *error)
{
    recorder_begin_section(r, kind, index, size, error);
    if (!bytes) memset(r->piece, HED_SCRATCH_POISON, HED_CAPTURE_PIECE);
    for (uint64_t at = 0; at < size && !hed_failed(error); at += HED_CAPTURE_PIECE) {
        uint64_t left = size - at;
        add_piece(r, bytes ? (const unsigned char *)bytes + at : r->piece,
            left < HED_CAPTURE_PIECE ? left : HED_CAPTURE_PIECE, error);
    }
    end_section(r, size, error);
}

/* True if an element still equals the poison. A result that happens to equal it does no harm. */
static bool has_poison(const unsigned char *bytes, uint64_t size, uint32_t element)
{
    unsigned char poison[sizeof(double)];
    memset(poison, HED_SCRATCH_POISON, sizeof poison);
    for (uint64_t i = 0; i + element <= size; i += element)
        if (memcmp(bytes + i, poison, element) == 0) return true;
    return size % element != 0;
}

/* Writes a section from a buffer; sets `*poisoned` (nullable) if part of the buffer was not
 * written. */
static void put_buffer(recorder *r, hed_capture_kind kind, uint32_t index, hed_buffer *buffer,
    bool *poisoned, hed_error *error)
{
    uint32_t element = hed_check_element_bytes(r->described[index].type);
    recorder_begin_section(r, kind, index, buffer->size, error);
    for (uint64_t at = 0; at < buffer->size && !hed_failed(error); at += HED_CAPTURE_PIECE) {
        uint64_t left = buffer->size - at,
                 size = left < HED_CAPTURE_PIECE ? left : HED_CAPTURE_PIECE;
        hed_read(r->stream, r->piece, buffer, at, size, error);
        if (hed_stream_wait(r->stream, error)) return;
        if (poisoned) *poisoned = *poisoned || has_poison(r->piece, size, element);
        add_piece(r, r->piece, size, error);
    }
    end_section(r, buffer->size, error);
}

/* ---- arguments ---- */

static void put_inputs(recorder *r, hed_error *error)
{
    const hed_kernel_def *def = r->kernel->def;
    for (uint32_t i = 0; i < def->argument_count; i++) {
        const hed_argument *a = &r->arguments[i];
        if (a->kind == HED_STRUCT)
            put_memory(r, HED_CAPTURE_DATA, i, a->value.bytes, a->size, error);
        if (a->kind == HED_SCALAR)
            put_memory(r, HED_CAPTURE_DATA, i, &a->value, hed_check_element_bytes(a->type), error);
        if (a->kind != HED_BUFFER) continue;
        r->launched.bytes[i] = a->value.buffer->size;
        if (def->arguments[i].access != HED_WRITE)
            put_buffer(r, HED_CAPTURE_DATA, i, a->value.buffer, NULL, error);
    }
}

/* Writes the outputs. An output that the launch writes in part is recorded as changed in place,
 * with poison as its initial content: a tuning then checks that unwritten elements stay
 * unchanged. */
static void put_outputs(recorder *r, hed_error *error)
{
    for (uint32_t i = 0; i < r->kernel->def->argument_count; i++) {
        hed_argument_def *argument = &r->described[i];
        if (!hed_scratch_is_output(argument)) continue;
        bool poisoned = false, partly = argument->access == HED_WRITE;
        put_buffer(
            r, HED_CAPTURE_EXPECTED, i, r->scratch.buffers[i], partly ? &poisoned : NULL, error);
        if (!poisoned) continue;
        argument->access = HED_READ_WRITE;
        put_memory(r, HED_CAPTURE_DATA, i, NULL, r->launched.bytes[i], error);
    }
}

/* ---- the description ---- */

static void check_limits(const hed_kernel_def *def, hed_error *error)
{
    uint32_t counts[] = {def->source_count, def->constraint_count, def->condition_count,
        def->define_count, def->option_count};
    static const char *const names[] = {
        "sources", "constraints", "conditions", "defines", "compiler options"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i] > HED_CAPTURE_LIST)
            hed_fail(error, HED_ERROR_LIMIT, "%s: a capture has at most %d %s; found %u", def->name,
                HED_CAPTURE_LIST, names[i], counts[i]);
    for (uint32_t i = 0; i < def->parameter_count; i++)
        if (def->parameters[i].count > HED_CAPTURE_VALUES)
            hed_fail(error, HED_ERROR_LIMIT,
                "%s: a capture has at most %d values of a parameter; %s has %u", def->name,
                HED_CAPTURE_VALUES, def->parameters[i].name, def->parameters[i].count);
}

/* Fills in the description. Texts from files and the options' defines become part of it. */
static void recorder_describe(recorder *r, const hed_problem *problem, hed_error *error)
{
    hed_capture_launched *launched = &r->launched;
    const hed_kernel_def *def = r->kernel->def;
    const hed_device *device = r->kernel->device;
    hed_capture_info *info = &launched->info;
    if (hed_failed(error)) return;
    info->version = hed_version_text();
    info->device = device->info.id;
    info->name = device->info.name;
    info->driver = device->info.driver;
    info->config = hed_kernel_config(r->kernel, &info->configured);
    /* Trusted configurations: measured and verified on this device, the description's default, the
     * caller's own, and native C, which is the reference. */
    info->checked = info->configured == HED_ORIGIN_GIVEN || info->configured == HED_ORIGIN_EXACT ||
                    info->configured == HED_ORIGIN_OTHER_DRIVER ||
                    info->configured == HED_ORIGIN_DEFAULT || !device->backend->build;
    launched->math = r->kernel->math;
    launched->problem = *problem;
    if (def->work) def->work(def, &info->config, problem, &launched->work);
    launched->has_work = launched->work.bytes >= 0 && launched->work.operations >= 0 &&
                         launched->work.items >= 0 && def->work;
    if (!launched->has_work) launched->work = (hed_work){0};
    if (hed_build_text_make(&r->text, r->kernel->device, def, r->kernel->math, &info->config,
            r->kernel->defines, r->kernel->define_count, 0, error))
        return;
    launched->def = *def;
    /* other devices may read parameters that this device ignores */
    launched->def.native_ignores = 0;
    launched->def.arguments = r->described;
    hed_build_text_describe(&r->text, &launched->def);
    launched->def.defines = r->text.build.defines + def->parameter_count;
    launched->def.define_count = r->text.build.define_count - def->parameter_count;
    check_limits(&launched->def, error);
}

static void put_description(recorder *r, hed_error *error)
{
    hed_text bytes = {.allocator = &r->kernel->device->settings->allocator};
    hed_capture_pack(&bytes, &r->launched);
    if (bytes.failed) HED_OUT_OF_MEMORY(error, "the description of %s", r->launched.def.name);
    else put_memory(r, HED_CAPTURE_DESCRIPTION, 0, bytes.bytes, bytes.size, error);
    hed_text_free(&bytes);
}

static void put_table(recorder *r, hed_error *error)
{
    void *bytes;
    uint64_t size = 0;
    if (hed_capture_table_make(r->kernel->device, &r->launched, &bytes, &size, error)) return;
    put_memory(r, HED_CAPTURE_CONFIGURATIONS, 0, bytes, size, error);
    hed_release(&r->kernel->device->settings->allocator, bytes, size);
}

/* ---- recording ---- */

static hed_status recorder_check(const recorder *r, uint32_t argument_count, hed_error *error)
{
    const hed_kernel_def *def = r->kernel->def;
    if (r->stream->recording)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: a launch that is recorded in a graph cannot be captured", def->name);
    if (def->source_count == 0)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s has no kernel text, and so cannot run anywhere else", def->name);
    if (hed_scratch_check(def, r->kernel->device, r->arguments, argument_count, error))
        return error->status;
    uint32_t overlap = hed_scratch_overlap(def, r->arguments);
    if (overlap == UINT32_MAX) return HED_OK;
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "%s: \"%s\" shares memory with another argument: a capture holds each alone", def->name,
        def->arguments[overlap].name);
}

/* Runs the launch over copies and waits for it. */
static void launch_over_copies(recorder *r, const hed_problem *problem, hed_error *error)
{
    const hed_kernel_def *def = r->kernel->def;
    hed_argument replaced[HED_MAX_ARGUMENTS];
    uint64_t sizes[HED_MAX_ARGUMENTS];
    hed_scratch_sizes(def, r->arguments, HED_SCRATCH_WRITTEN, sizes);
    hed_scratch_reserve(&r->scratch, r->kernel->device, sizes, error);
    hed_scratch_fill(&r->scratch, r->stream, def, r->arguments, error);
    hed_scratch_replace(&r->scratch, def, r->arguments, replaced);
    hed_launch(r->stream, r->kernel, problem, replaced, def->argument_count, error);
    /* after a failure too, since the copies are freed */
    hed_stream_wait(r->stream, hed_failed(error) ? NULL : error);
}

static void recorder_write_file(recorder *r, const char *path, hed_error *error)
{
    hed_capture_head head = {.magic = HED_CAPTURE_MAGIC, .version = HED_CAPTURE_VERSION};
    if (hed_failed(error) || hed_path_begin(&r->file, path, error)) return;
    hed_path_add(&r->file, &head, sizeof head, error);
    put_inputs(r, error);
    if (r->launched.info.checked) put_outputs(r, error);
    put_table(r, error);
    put_description(r, error);
    put_memory(r, HED_CAPTURE_END, 0, "", 0, error);
    if (hed_failed(error)) hed_path_abandon(&r->file);
    else hed_path_commit(&r->file, error);
}

static hed_status recorder_record(hed_stream *stream, hed_kernel *kernel,
    const hed_problem *problem, const hed_argument *arguments, uint32_t argument_count,
    const char *path, hed_error *error)
{
    const hed_allocator *allocator = &kernel->device->settings->allocator;
    recorder *r = hed_allocate(allocator, sizeof *r);
    if (!r) return HED_OUT_OF_MEMORY(error, "the capture of %s", kernel->def->name);
    r->stream = stream;
    r->kernel = kernel;
    r->arguments = arguments;
    if (!recorder_check(r, argument_count, error)) {
        memcpy(r->described, kernel->def->arguments, argument_count * sizeof *r->described);
        r->piece = hed_allocate(allocator, HED_CAPTURE_PIECE);
        if (!r->piece) HED_OUT_OF_MEMORY(error, "the capture of %s", kernel->def->name);
    }
    if (!hed_stream_wait(stream, error)) launch_over_copies(r, problem, error);
    recorder_describe(r, problem, error);
    recorder_write_file(r, path, error);
    if (r->text.allocator.release) hed_build_text_free(&r->text);
    hed_scratch_free(&r->scratch);
    hed_release(allocator, r->piece, HED_CAPTURE_PIECE);
    hed_release(allocator, r, sizeof *r);
    return error->status;
}

hed_status hed_capture_launch(hed_stream *stream, hed_kernel *kernel, const hed_problem *problem,
    const hed_argument *arguments, uint32_t argument_count, const char *path, hed_error *error)
{
    HED_REQUIRE(stream, kernel, problem, arguments || !argument_count, path);
    error = error ? error : &(hed_error){0};
    if (hed_failed(error)) return error->status;
    recorder_record(stream, kernel, problem, arguments, argument_count, path, error);
    return hed_launch(stream, kernel, problem, arguments, argument_count, error);
}

void hed_capture_first(hed_stream *stream, hed_kernel *kernel, const hed_problem *problem,
    const hed_argument *arguments, uint32_t argument_count)
{
    const hed_logger *logger = &kernel->device->settings->logger;
    char path[256], whole[PATH_MAX];
    hed_error error = {0};
    if (stream->recording) return;
    kernel->capture = false;
    if (atomic_exchange(&kernel->device->context->captured, 1)) return;
    snprintf(path, sizeof path, "%.240s.hcap", kernel->def->name);
    for (char *at = path; *at; at++)
        if (*at == '/') *at = '_';
    hed_status status =
        recorder_record(stream, kernel, problem, arguments, argument_count, path, &error);
    if (status)
        hed_log_message(logger, HED_LOG_WARNING, "the launch of %s is not captured: %s",
            kernel->def->name, error.text);
    else
        hed_log_message(logger, HED_LOG_INFO, "the launch of %s is captured in %s",
            kernel->def->name, realpath(path, whole) ? whole : path);
}

/* Table of a capture: every valid configuration with its geometry, since the description's
 * functions cannot be stored. Many configurations share a geometry, so each geometry is stored
 * once. */

bool hed_capture_rank(const hed_kernel_def *def, const hed_config *config, uint64_t *rank)
{
    *rank = 0;
    if (config->count != def->parameter_count) return false;
    for (uint32_t i = 0; i < def->parameter_count; i++) {
        const hed_parameter_def *parameter = &def->parameters[i];
        uint32_t at = 0;
        while (at < parameter->count && parameter->values[at] != config->values[i]) at++;
        if (at == parameter->count) return false;
        *rank = *rank * parameter->count + at;
    }
    return true;
}

/* ---- set of distinct geometries ---- */

/* Open addressing with linear probing (Knuth, volume 3, 6.4), at most half full. */
typedef struct geometry_set {
    const hed_allocator *allocator;
    uint64_t record; /* bytes of a record */
    unsigned char *records;
    uint32_t *slots; /* (2 * capacity) index + 1; 0: free */
    uint32_t count, capacity;
} geometry_set;

static void free_set(geometry_set *set)
{
    hed_release(set->allocator, set->records, set->capacity * set->record);
    hed_release(set->allocator, set->slots, 2 * (size_t)set->capacity * sizeof *set->slots);
}

/* Slot of an equal record, or the free slot for it. */
static uint32_t *recorder_slot_of(const geometry_set *set, const void *record)
{
    uint64_t mask = 2 * (uint64_t)set->capacity - 1,
             at = hed_hash_bytes(hed_hash_start(), record, set->record).a & mask;
    while (set->slots[at] &&
           memcmp(set->records + (set->slots[at] - 1) * set->record, record, set->record) != 0)
        at = (at + 1) & mask;
    return &set->slots[at];
}

static bool grow_set(geometry_set *set)
{
    geometry_set larger = {.allocator = set->allocator, .record = set->record, .count = set->count};
    larger.capacity = set->capacity ? 2 * set->capacity : 256;
    larger.records = hed_allocate(set->allocator, larger.capacity * set->record);
    larger.slots = hed_allocate(set->allocator, 2 * (size_t)larger.capacity * sizeof *larger.slots);
    if (!larger.records || !larger.slots) {
        free_set(&larger);
        return false;
    }
    if (set->count) memcpy(larger.records, set->records, set->count * set->record);
    for (uint32_t i = 0; i < set->count; i++)
        *recorder_slot_of(&larger, larger.records + i * set->record) = i + 1;
    free_set(set);
    *set = larger;
    return true;
}

static bool add_geometry(geometry_set *set, const void *record, uint32_t *index)
{
    if (set->count == set->capacity && !grow_set(set)) return false;
    uint32_t *slot = recorder_slot_of(set, record);
    if (!*slot) {
        memcpy(set->records + set->count * set->record, record, set->record);
        *slot = ++set->count;
    }
    *index = *slot - 1;
    return true;
}

/* ---- the table ---- */

typedef struct entry {
    uint64_t rank;
    uint32_t geometry;
} entry;

typedef struct table {
    const hed_capture_launched *launched;
    geometry_set geometries;
    entry *entries;
    uint64_t count, capacity, local_count;
} table;

static bool recorder_add_config(table *t, const hed_config *config)
{
    const hed_kernel_def *def = &t->launched->def;
    hed_geometry geometry = {0};
    struct {
        hed_capture_geometry head;
        uint64_t local[HED_MAX_ARGUMENTS];
    } record = {0};
    uint32_t local = 0;
    def->geometry(def, config, &t->launched->problem, &geometry);
    memcpy(record.head.global, geometry.global, sizeof geometry.global);
    memcpy(record.head.group, geometry.group, sizeof geometry.group);
    record.head.dimensions = geometry.dimensions;
    record.head.cluster = geometry.cluster;
    record.head.native_items = geometry.native_items;
    record.head.native_grain = geometry.native_grain;
    for (uint32_t i = 0; i < def->argument_count; i++)
        if (def->arguments[i].kind == HED_LOCAL) record.local[local++] = geometry.local_bytes[i];
    entry *next = &t->entries[t->count++];
    return hed_capture_rank(def, config, &next->rank) &&
           add_geometry(&t->geometries, &record, &next->geometry);
}

static int by_rank(const void *a, const void *b)
{
    uint64_t left = ((const entry *)a)->rank, right = ((const entry *)b)->rank;
    return (left > right) - (left < right);
}

static bool put_together(const table *t, void **bytes, uint64_t *size)
{
    hed_capture_table head = {t->count, t->geometries.count, t->local_count, 0};
    uint64_t records = head.geometries * t->geometries.record;
    *size = sizeof head + records + t->count * (sizeof(uint64_t) + sizeof(uint32_t));
    unsigned char *at = *bytes = hed_allocate(t->geometries.allocator, *size);
    if (!at) return false;
    memcpy(at, &head, sizeof head);
    at += sizeof head;
    if (records) memcpy(at, t->geometries.records, records);
    at += records;
    for (uint64_t i = 0; i < t->count; i++, at += sizeof(uint64_t))
        memcpy(at, &t->entries[i].rank, sizeof(uint64_t));
    for (uint64_t i = 0; i < t->count; i++, at += sizeof(uint32_t))
        memcpy(at, &t->entries[i].geometry, sizeof(uint32_t));
    return true;
}

hed_status hed_capture_table_make(hed_device *device, const hed_capture_launched *launched,
    void **bytes, uint64_t *size, hed_error *error)
{
    const hed_kernel_def *def = &launched->def;
    hed_space *space = NULL;
    *bytes = NULL;
    if (hed_config_count(def) == UINT64_MAX)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%s: the values of its parameters have more than 2^64 combinations", def->name);
    hed_status status =
        hed_space_create_for_kernel(device, def, &launched->problem, launched->math, &space, error);
    if (status) return status;
    table t = {.launched = launched, .geometries = {.allocator = &device->settings->allocator}};
    for (uint32_t i = 0; i < def->argument_count; i++)
        t.local_count += def->arguments[i].kind == HED_LOCAL;
    t.geometries.record = hed_capture_geometry_bytes(t.local_count);
    t.capacity = hed_space_count(space);
    t.entries = hed_allocate(t.geometries.allocator, t.capacity * sizeof *t.entries);
    bool good = t.entries;
    for (uint64_t i = 0; i < t.capacity && good; i++) {
        hed_config config = hed_space_at(space, i);
        good = recorder_add_config(&t, &config);
    }
    if (good) qsort(t.entries, t.count, sizeof *t.entries, by_rank);
    if (!good || !put_together(&t, bytes, size))
        status = HED_OUT_OF_MEMORY(error, "a table of %" PRIu64 " configurations of %s", t.capacity, def->name);
    free_set(&t.geometries);
    hed_release(t.geometries.allocator, t.entries, t.capacity * sizeof *t.entries);
    hed_space_destroy(space);
    return status;
}
