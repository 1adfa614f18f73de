/* The table of a capture: every valid configuration with its geometry, since the functions that say
 * so cannot travel. Many configurations share a geometry, so each is stored once. */
#include "tune/capture_file.h"

#include <stdlib.h>
#include <string.h>

#include "core/objects.h"

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

/* ---- geometries, each once ---- */

/* Open addressing with linear probing (Knuth, volume 3, 6.4), at most half full. */
typedef struct geometry_set {
    const hed_allocator *allocator;
    uint64_t record; /* bytes of one */
    unsigned char *records;
    uint32_t *slots; /* (2 * capacity) index + 1; 0: free */
    uint32_t count, capacity;
} geometry_set;

static void free_set(geometry_set *set)
{
    hed_release(set->allocator, set->records, set->capacity * set->record);
    hed_release(set->allocator, set->slots, 2 * (size_t)set->capacity * sizeof *set->slots);
}

/* The slot of an equal record, or the free one where it belongs. */
static uint32_t *slot_of(const geometry_set *set, const void *record)
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
        *slot_of(&larger, larger.records + i * set->record) = i + 1;
    free_set(set);
    *set = larger;
    return true;
}

static bool add_geometry(geometry_set *set, const void *record, uint32_t *index)
{
    if (set->count == set->capacity && !grow_set(set)) return false;
    uint32_t *slot = slot_of(set, record);
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

static bool add_config(table *t, const hed_config *config)
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

static bool add_configs(table *t, const hed_space *space)
{
    for (uint64_t i = 0; i < t->capacity; i++) {
        hed_config config = hed_space_at(space, i);
        if (!add_config(t, &config)) return false;
    }
    qsort(t->entries, t->count, sizeof *t->entries, by_rank);
    return true;
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
    if (!t.entries || !add_configs(&t, space) || !put_together(&t, bytes, size))
        status =
            hed_fail(error, HED_ERROR_MEMORY, "no memory for a table of %llu configurations of %s",
                (unsigned long long)t.capacity, def->name);
    free_set(&t.geometries);
    hed_release(t.geometries.allocator, t.entries, t.capacity * sizeof *t.entries);
    hed_space_destroy(space);
    return status;
}
