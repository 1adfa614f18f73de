/* Earlier results that a new tuning reads: the measurements of its own key, and the best
 * configurations of other devices, drivers and sizes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "database/database_file.h"

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
    return HED_OUT_OF_MEMORY(error, "earlier results");
}

/* Newest measurement of each configuration, in the order of rows. */
static const char HISTORY[] =
    "SELECT m.config, m.outcome, m.seconds, m.low, m.high, m.runs, m.build_seconds, m.at, m.deviation, m.text, s.settings,"
    "    max(m.session * 1048576 + m.number) AS age"
    " FROM measurement m JOIN session s ON s.id = m.session WHERE s.key = ? GROUP BY m.config ORDER BY age";

/* True if a session's verdicts are by the key's judge, which its settings end with. */
static bool same_judge(const char *settings, const hed_tune_key *key)
{
    size_t size = strlen(settings), judge_size = strlen(key->judge);
    return size >= judge_size && strcmp(settings + size - judge_size, key->judge) == 0;
}

/* Returns false for a configuration that the parameters no longer allow, and for a wrong result by
 * another judge. */
static bool read_evaluation(sqlite3_stmt *row, const hed_tune_key *key, hed_evaluation *e)
{
    *e = (hed_evaluation){.recalled = true};
    while (e->outcome < HED_OUTCOME_COUNT &&
           strcmp(hed_column_text(row, 1), hed_outcome_name(e->outcome)) != 0)
        e->outcome++;
    if (e->outcome == HED_OUTCOME_COUNT ||
        (e->outcome == HED_OUTCOME_WRONG && !same_judge(hed_column_text(row, 10), key)) ||
        !hed_config_read(
            hed_column_text(row, 0), key->parameters, key->parameter_count, false, &e->config))
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

hed_status hed_database_history(hed_database *database, const hed_tune_key *key,
    hed_evaluation **evaluations, uint32_t *count, hed_error *error)
{
    list history = {.allocator = &database->allocator, .item_bytes = sizeof **evaluations};
    *evaluations = NULL;
    *count = 0;
    error = error ? error : &(hed_error){0};
    if (hed_database_enter(database, error)) return error->status;
    /* pending results are history too; a full disk must not cause a failure */
    hed_database_write_pending(database, NULL);
    sqlite3_busy_timeout(database->handle, HED_READ_PATIENCE);
    int64_t id = hed_database_find_key(database, key, error);
    sqlite3_stmt *row = hed_database_statement(database, HISTORY, "i", id);
    while (hed_database_row(database, row, error)) {
        hed_evaluation evaluation, *added;
        if (!read_evaluation(row, key, &evaluation)) continue;
        added = list_add(&history);
        if (added) *added = evaluation;
        else history_no_memory(error);
    }
    hed_database_leave(database);
    if (!hed_failed(error) && history.count) {
        *evaluations = hed_allocate(&database->allocator, history.count * sizeof **evaluations);
        if (*evaluations) memcpy(*evaluations, history.items, history.count * sizeof **evaluations);
        else history_no_memory(error);
        *count = hed_failed(error) ? 0 : history.count;
    }
    list_free(&history);
    return error->status;
}

/* Another key of this kernel. Keys are compared by `order`, the first field first; smaller values
 * are nearer. */
typedef struct source_key {
    hed_database *database;
    int64_t id;
    /* other text, other math mode, relation of devices, distance of sizes, driver, age */
    double order[6];
    hed_config configs[HED_SOURCE_TOP];
    uint32_t count;
} source_key;

static const char KEYS[] =
    "SELECT k.id, k.source, k.math, k.driver, k.compiler, k.problem, d.backend, d.platform, d.name, d.vendor, d.type,"
    "    d.architecture, d.compute_units"
    " FROM key k JOIN device d ON d.id = k.device WHERE k.kernel = ? AND k.objective = ? AND k.id <> ?";

/* dropped candidates were slower than some others, but their times still rank them */
static const char BEST[] =
    "SELECT config, 0.0 AS best FROM choice WHERE key = ?1 UNION ALL"
    " SELECT * FROM (SELECT config, seconds AS best FROM (SELECT m.config, m.seconds,"
    "        max(m.session * 1048576 + m.number) FROM measurement m JOIN session s ON s.id = m.session"
    "        WHERE s.key = ?1 AND m.outcome IN ('measured', 'dropped') AND m.seconds IS NOT NULL GROUP BY m.config)"
    "    ORDER BY best, config LIMIT 40)";

static void history_place(sqlite3_stmt *row, const hed_tune_key *key, source_key *s)
{
    const hed_database_entry device = {.backend = hed_column_text(row, 6),
        .platform = hed_column_text(row, 7),
        .device = hed_column_text(row, 8),
        .vendor = hed_column_text(row, 9),
        .type = hed_device_type_read(hed_column_text(row, 10)),
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

static void collect_keys(
    hed_database *database, const hed_tune_key *key, list *keys, hed_error *error)
{
    if (hed_database_enter(database, error)) return;
    sqlite3_busy_timeout(database->handle, HED_READ_PATIENCE);
    int64_t own_id = hed_database_find_key(database, key, error);
    sqlite3_stmt *row = hed_database_statement(
        database, KEYS, "tti", key->kernel, hed_objective_word(key->objective), own_id);
    while (hed_database_row(database, row, error)) {
        source_key *s = list_add(keys);
        if (!s) {
            history_no_memory(error);
            continue;
        }
        *s = (source_key){.database = database};
        history_place(row, key, s);
    }
    hed_database_leave(database);
}

/* Reads the choice, then the fastest configurations, each once, without configurations that this
 * kernel's parameters exclude. */
static void read_best(
    hed_database *database, const hed_tune_key *key, source_key *s, hed_error *error)
{
    sqlite3_stmt *row = hed_database_statement(database, BEST, "i", s->id);
    while (hed_database_row(database, row, error)) {
        hed_config config;
        bool skip =
            s->count == HED_SOURCE_TOP || !hed_config_read(hed_column_text(row, 0), key->parameters,
                                              key->parameter_count, true, &config);
        for (uint32_t i = 0; i < s->count && !skip; i++)
            skip = memcmp(s->configs[i].values, config.values,
                       key->parameter_count * sizeof *config.values) == 0;
        if (!skip) s->configs[s->count++] = config;
    }
}

/* Reads the configurations of keys until `limit` of them have some. */
static void collect_configs(const hed_tune_key *key, list *keys, uint32_t limit, hed_error *error)
{
    for (uint32_t i = 0, used = 0; i < keys->count && used < limit; i++) {
        source_key *s = (source_key *)keys->items + i;
        if (hed_database_enter(s->database, error)) return;
        read_best(s->database, key, s, error);
        hed_database_leave(s->database);
        used += s->count > 0;
    }
}

/* Packs the sources and their configurations into one block. */
static void history_pack(const list *source_keys, uint32_t limit, hed_search_source **sources,
    uint32_t *count, size_t *bytes, hed_error *error)
{
    const source_key *keys = (const source_key *)source_keys->items;
    uint32_t used = 0, configs = 0;
    for (uint32_t i = 0; i < source_keys->count && used < limit; i++) {
        used += keys[i].count > 0;
        configs += keys[i].count;
    }
    if (!used || hed_failed(error)) return;
    size_t size = used * sizeof **sources + configs * sizeof(hed_config);
    hed_search_source *block = hed_allocate(source_keys->allocator, size);
    if (!block) {
        history_no_memory(error);
        return;
    }
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
}

hed_status hed_database_sources(hed_database *database, const hed_tune_key *key, uint32_t limit,
    hed_search_source **sources, uint32_t *count, size_t *bytes, hed_error *error)
{
    list keys = {.allocator = &database->allocator, .item_bytes = sizeof(source_key)};
    *sources = NULL;
    *count = 0;
    *bytes = 0;
    error = error ? error : &(hed_error){0};
    collect_keys(database, key, &keys, error);
    hed_database *installed = hed_context_database_found(database->context) == database
                                  ? hed_context_installed(database->context)
                                  : NULL;
    if (installed) collect_keys(installed, key, &keys, error);
    if (keys.count) qsort(keys.items, keys.count, sizeof(source_key), compare_sources);
    collect_configs(key, &keys, limit, error);
    history_pack(&keys, limit, sources, count, bytes, error);
    list_free(&keys);
    return error->status;
}
