/* What a new tuning reads: what was measured for its very key, and what is known of other devices,
 * drivers and sizes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "database/file.h"

/* ---- lists that grow ---- */

typedef struct list {
    const hed_allocator *allocator;
    unsigned char *items;
    size_t item_bytes;
    uint32_t count, capacity;
} list;

static void *list_add(list *l)
{
    if (l->count == l->capacity) {
        uint32_t capacity = l->capacity ? l->capacity * 2 : 64;
        unsigned char *items = hed_allocate(l->allocator, capacity * l->item_bytes);
        if (!items) return NULL;
        if (l->count) memcpy(items, l->items, l->count * l->item_bytes);
        hed_release(l->allocator, l->items, l->capacity * l->item_bytes);
        l->items = items;
        l->capacity = capacity;
    }
    return l->items + l->count++ * l->item_bytes;
}

static void list_free(list *l) { hed_release(l->allocator, l->items, l->capacity * l->item_bytes); }

static hed_status history_no_memory(hed_error *error)
{
    return hed_fail(error, HED_ERROR_MEMORY, "no memory for earlier results");
}

/* ---- history ---- */

/* The newest of each configuration, in the order of rows. */
static const char HISTORY[] =
    "SELECT m.config, m.outcome, m.seconds, m.low, m.high, m.runs, m.build_seconds, m.at, m.deviation, m.text,"
    "    max(m.session * 1048576 + m.number) AS age"
    " FROM measurement m JOIN session s ON s.id = m.session WHERE s.key = ? GROUP BY m.config ORDER BY age";

static bool read_outcome(const char *name, hed_outcome *outcome)
{
    for (*outcome = 0; *outcome < HED_OUTCOME_COUNT; (*outcome)++)
        if (strcmp(name, hed_outcome_name(*outcome)) == 0) return true;
    return false;
}

/* False: a configuration that the parameters do not have any more. */
static bool read_evaluation(sqlite3_stmt *row, const hed_tune_key *key, hed_evaluation *e)
{
    *e = (hed_evaluation){.recalled = true};
    if (!hed_config_read(
            hed_column_text(row, 0), key->parameters, key->parameter_count, false, &e->config) ||
        !read_outcome(hed_column_text(row, 1), &e->outcome))
        return false;
    e->seconds = hed_column_number(row, 2);
    e->low = hed_column_number(row, 3);
    e->high = hed_column_number(row, 4);
    e->runs = (uint32_t)sqlite3_column_int64(row, 5);
    e->build_seconds = sqlite3_column_double(row, 6);
    e->at = sqlite3_column_double(row, 7);
    e->error = hed_column_number(row, 8);
    hed_text_copy(e->text, sizeof e->text, hed_column_text(row, 9));
    return true;
}

static hed_status read_history(
    hed_database *database, const hed_tune_key *key, list *found, hed_error *error)
{
    int64_t id;
    hed_status status = hed_database_find_key(database, key, &id, error);
    if (status || !id) return status;
    sqlite3_stmt *row = hed_database_statement(database, HISTORY, "i", id);
    while (hed_database_row(database, row, &status, error)) {
        hed_evaluation evaluation, *added;
        if (!read_evaluation(row, key, &evaluation)) continue;
        added = list_add(found);
        if (!added) {
            sqlite3_reset(row);
            return history_no_memory(error);
        }
        *added = evaluation;
    }
    return status;
}

hed_status hed_database_history(hed_database *database, const hed_tune_key *key,
    hed_evaluation **evaluations, uint32_t *count, hed_error *error)
{
    list found = {.allocator = &database->allocator, .item_bytes = sizeof **evaluations};
    *evaluations = NULL;
    *count = 0;
    hed_status status = hed_database_enter(database, error);
    if (status) return status;
    /* what waits is history too; a full disk is no reason to fail */
    hed_database_write_pending(database, NULL);
    sqlite3_busy_timeout(database->handle, HED_READ_PATIENCE);
    status = read_history(database, key, &found, error);
    hed_database_leave(database);
    if (!status && found.count) {
        *evaluations = hed_allocate(&database->allocator, found.count * sizeof **evaluations);
        if (*evaluations) memcpy(*evaluations, found.items, found.count * sizeof **evaluations);
        else status = history_no_memory(error);
        *count = status ? 0 : found.count;
    }
    list_free(&found);
    return status;
}

/* ---- sources ---- */

/* A key of this kernel that is not the one asked for; the less in each field, the nearer, the first
 * fields first. */
typedef struct source_key {
    hed_database *database;
    int64_t id;
    double order
        [6]; /* another text, another math mode, relation of the devices, distance of the sizes, driver, age */
    hed_config configs[HED_SOURCE_TOP];
    uint32_t count;
} source_key;

static const char KEYS[] =
    "SELECT k.id, k.source, k.math, k.driver, k.compiler, k.problem, d.backend, d.platform, d.name, d.vendor, d.type,"
    "    d.architecture, d.compute_units"
    " FROM key k JOIN device d ON d.id = k.device WHERE k.kernel = ? AND k.objective = ? AND k.id <> ?";

/* Those that were dropped early were slower than some others, but what was seen of them still ranks
 * them. */
static const char BEST[] =
    "SELECT config, 0.0 AS best FROM choice WHERE key = ?1 UNION ALL"
    " SELECT * FROM (SELECT config, seconds AS best FROM (SELECT m.config, m.seconds,"
    "        max(m.session * 1048576 + m.number) FROM measurement m JOIN session s ON s.id = m.session"
    "        WHERE s.key = ?1 AND m.outcome IN ('measured', 'dropped') AND m.seconds IS NOT NULL GROUP BY m.config)"
    "    ORDER BY best, config LIMIT 40)";

static void history_place(sqlite3_stmt *row, const hed_tune_key *key, source_key *s)
{
    const hed_database_entry device = {.backend = hed_column_text(row, 6),
        .platform = hed_column_text(row, 7), .device = hed_column_text(row, 8),
        .vendor = hed_column_text(row, 9), .type = hed_device_type_read(hed_column_text(row, 10)),
        .architecture = (uint32_t)sqlite3_column_int64(row, 11),
        .compute_units = (uint32_t)sqlite3_column_int64(row, 12)};
    hed_problem problem;
    bool sized =
        hed_problem_read(hed_column_text(row, 5), key->dimensions, key->dimension_count, &problem);
    s->id = sqlite3_column_int64(row, 0);
    s->order[0] = strcmp(hed_column_text(row, 1), key->source) != 0;
    s->order[1] = strcmp(hed_column_text(row, 2), hed_math_word(key->math)) != 0;
    s->order[2] = hed_device_relation(key->device, &device);
    s->order[3] = sized ? hed_problem_distance(&key->problem, &problem) : INFINITY;
    s->order[4] = strcmp(hed_column_text(row, 3), key->device->driver) ||
                  strcmp(hed_column_text(row, 4), key->compiler);
    s->order[5] = -(double)s->id;
}

static int compare_sources(const void *a, const void *b)
{
    const source_key *x = a, *y = b;
    for (int i = 0; i < 6; i++)
        if (x->order[i] != y->order[i]) return x->order[i] < y->order[i] ? -1 : 1;
    return 0;
}

static hed_status read_keys(
    hed_database *database, const hed_tune_key *key, list *found, hed_error *error)
{
    int64_t own;
    hed_status status = hed_database_find_key(database, key, &own, error);
    if (status) return status;
    sqlite3_stmt *row = hed_database_statement(
        database, KEYS, "tti", key->kernel, hed_objective_word(key->objective), own);
    while (hed_database_row(database, row, &status, error)) {
        source_key *s = list_add(found);
        if (!s) {
            sqlite3_reset(row);
            return history_no_memory(error);
        }
        *s = (source_key){.database = database};
        history_place(row, key, s);
    }
    return status;
}

/* The choice, then what was fastest; each configuration once, and only what this kernel's
 * parameters can say. */
static hed_status read_best(
    hed_database *database, const hed_tune_key *key, source_key *s, hed_error *error)
{
    hed_status status;
    sqlite3_stmt *row = hed_database_statement(database, BEST, "i", s->id);
    while (hed_database_row(database, row, &status, error)) {
        hed_config config;
        bool known =
            s->count == HED_SOURCE_TOP || !hed_config_read(hed_column_text(row, 0), key->parameters,
                                              key->parameter_count, true, &config);
        for (uint32_t i = 0; i < s->count && !known; i++)
            known = memcmp(s->configs[i].values, config.values,
                        key->parameter_count * sizeof *config.values) == 0;
        if (!known) s->configs[s->count++] = config;
    }
    return status;
}

static hed_status collect_keys(
    hed_database *database, const hed_tune_key *key, list *found, hed_error *error)
{
    hed_status status = hed_database_enter(database, error);
    if (status) return status;
    sqlite3_busy_timeout(database->handle, HED_READ_PATIENCE);
    status = read_keys(database, key, found, error);
    hed_database_leave(database);
    return status;
}

/* Until `limit` of them have something to give. */
static hed_status collect_configs(
    const hed_tune_key *key, list *found, uint32_t limit, hed_error *error)
{
    hed_status status = HED_OK;
    for (uint32_t i = 0, used = 0; i < found->count && used < limit && !status; i++) {
        source_key *s = (source_key *)found->items + i;
        status = hed_database_enter(s->database, error);
        if (status) return status;
        status = read_best(s->database, key, s, error);
        hed_database_leave(s->database);
        used += s->count > 0;
    }
    return status;
}

/* One block: the sources, then the configurations that they point to. */
static hed_status history_pack(const list *found, uint32_t limit, hed_search_source **sources,
    uint32_t *count, size_t *bytes, hed_error *error)
{
    const source_key *keys = (const source_key *)found->items;
    uint32_t used = 0, configs = 0;
    for (uint32_t i = 0; i < found->count && used < limit; i++) {
        used += keys[i].count > 0;
        configs += keys[i].count;
    }
    if (!used) return HED_OK;
    size_t size = used * sizeof **sources + configs * sizeof(hed_config);
    hed_search_source *block = hed_allocate(found->allocator, size);
    if (!block) return history_no_memory(error);
    hed_config *next = (hed_config *)(block + used);
    for (uint32_t i = 0, to = 0; to < used; i++) {
        if (!keys[i].count) continue;
        memcpy(next, keys[i].configs, keys[i].count * sizeof *next);
        block[to++] = (hed_search_source){next, keys[i].count};
        next += keys[i].count;
    }
    *sources = block;
    *count = used;
    *bytes = size;
    return HED_OK;
}

hed_status hed_database_sources(hed_database *database, const hed_tune_key *key, uint32_t limit,
    hed_search_source **sources, uint32_t *count, size_t *bytes, hed_error *error)
{
    list found = {.allocator = &database->allocator, .item_bytes = sizeof(source_key)};
    *sources = NULL;
    *count = 0;
    *bytes = 0;
    hed_status status = collect_keys(database, key, &found, error);
    hed_database *installed = hed_context_database_found(database->context) == database
                                  ? hed_context_installed(database->context)
                                  : NULL;
    if (!status && installed) status = collect_keys(installed, key, &found, error);
    if (!status && found.count)
        qsort(found.items, found.count, sizeof(source_key), compare_sources);
    if (!status) status = collect_configs(key, &found, limit, error);
    if (!status) status = history_pack(&found, limit, sources, count, bytes, error);
    list_free(&found);
    return status;
}
