/* Database as records: iteration, import and removal. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "database/database_file.h"

/* ---- iteration ---- */

#define DEVICE_COLUMNS \
    "d.backend, d.platform, d.name, d.vendor, d.type, d.architecture, d.compute_units"

/* A NULL filter accepts all records; a device filter matches a part of the name, ignoring case,
 * like LIKE. */
static const char FACTS[] =
    "SELECT " DEVICE_COLUMNS ", f.name, f.value FROM fact f JOIN device d ON d.id = f.device"
    " ORDER BY d.backend, d.platform, d.name, d.id, f.name";
static const char KEYS[] =
    "SELECT " DEVICE_COLUMNS
    ", k.kernel, k.source, k.math, k.objective, k.driver, k.compiler, k.problem, k.id,"
    "    (SELECT count(*) FROM measurement m JOIN session s ON s.id = m.session WHERE s.key = k.id)"
    " FROM key k JOIN device d ON d.id = k.device"
    " ORDER BY k.kernel, d.backend, d.platform, d.name, d.id, k.problem, k.math, k.objective, k.id";
static const char CHOICES[] =
    "SELECT s.uid, s.settings, s.version, s.begun, c.config, c.seconds, c.low, c.high,"
    "    c.default_seconds FROM choice c JOIN session s ON s.id = c.session WHERE c.key = ?";
static const char MEASUREMENTS[] =
    "SELECT s.uid, s.settings, s.version, s.begun, m.config, m.seconds, m.low, m.high, m.number, m.outcome, m.runs,"
    "    m.build_seconds, m.at, m.deviation, m.text FROM session s JOIN measurement m ON m.session = s.id"
    " WHERE s.key = ? ORDER BY s.id, m.number";

typedef hed_status visit_function(void *user, const hed_database_entry *record, hed_error *error);

typedef struct walk {
    hed_database *database;
    const hed_record_filter *filter;
    visit_function *visit;
    void *user;
} walk;

static bool wants(const walk *w, hed_record_kind kind)
{
    return !w->filter->kinds || (w->filter->kinds & kind);
}

static void read_device(sqlite3_stmt *row, hed_database_entry *r)
{
    r->backend = hed_column_text(row, 0);
    r->platform = hed_column_text(row, 1);
    r->device = hed_column_text(row, 2);
    r->vendor = hed_column_text(row, 3);
    r->type = hed_device_type_read(hed_column_text(row, 4));
    r->architecture = (uint32_t)sqlite3_column_int64(row, 5);
    r->compute_units = (uint32_t)sqlite3_column_int64(row, 6);
}

static bool is_wanted_device(const walk *w, const hed_database_entry *r)
{
    const char *device = w->filter->device;
    return !device || strcmp(device, r->backend) == 0 || hed_text_contains(r->device, device) ||
           hed_text_contains(r->platform, device);
}

static void read_session(sqlite3_stmt *row, hed_database_entry *r)
{
    r->session = hed_column_text(row, 0);
    r->settings = hed_column_text(row, 1);
    r->version = hed_column_text(row, 2);
    r->begun = sqlite3_column_int64(row, 3);
    r->config = hed_column_text(row, 4);
    r->seconds = hed_column_number(row, 5);
    r->low = hed_column_number(row, 6);
    r->high = hed_column_number(row, 7);
}

/* Visits the rows of a statement as records of one kind; `base` provides the other fields. */
static void visit_rows(const walk *w, sqlite3_stmt *row, const hed_database_entry *base,
    hed_record_kind kind, void (*read)(sqlite3_stmt *row, hed_database_entry *record),
    hed_error *error)
{
    while (hed_database_row(w->database, row, error)) {
        hed_database_entry record = *base;
        record.kind = kind;
        record.measurements = 0;
        read(row, &record);
        if (kind == HED_RECORD_FACT && !is_wanted_device(w, &record)) continue;
        error->status = w->visit(w->user, &record, error);
    }
}

static void read_fact(sqlite3_stmt *row, hed_database_entry *r)
{
    read_device(row, r);
    r->name = hed_column_text(row, 7);
    r->value = hed_column_number(row, 8);
}

static void records_read_choice(sqlite3_stmt *row, hed_database_entry *r)
{
    read_session(row, r);
    r->default_seconds = hed_column_number(row, 8);
}

static void read_measurement(sqlite3_stmt *row, hed_database_entry *r)
{
    read_session(row, r);
    r->number = (uint32_t)sqlite3_column_int64(row, 8);
    r->outcome = hed_column_text(row, 9);
    r->runs = (uint32_t)sqlite3_column_int64(row, 10);
    r->build_seconds = sqlite3_column_double(row, 11);
    r->at = sqlite3_column_double(row, 12);
    r->deviation = hed_column_number(row, 13);
    r->text = hed_column_text(row, 14);
}

static void records_read_key(sqlite3_stmt *row, hed_database_entry *r)
{
    *r = (hed_database_entry){.kind = HED_RECORD_KEY};
    read_device(row, r);
    r->kernel = hed_column_text(row, 7);
    r->source = hed_column_text(row, 8);
    r->math = hed_column_text(row, 9);
    r->objective = hed_column_text(row, 10);
    r->driver = hed_column_text(row, 11);
    r->compiler = hed_column_text(row, 12);
    r->problem = hed_column_text(row, 13);
    r->measurements = (uint64_t)sqlite3_column_int64(row, 15);
}

static void visit_keys(const walk *w, hed_error *error)
{
    hed_database *database = w->database;
    sqlite3_stmt *row = hed_database_statement(database, KEYS, "");
    while (hed_database_row(database, row, error)) {
        hed_database_entry key;
        int64_t id = sqlite3_column_int64(row, 14);
        records_read_key(row, &key);
        if (w->filter
                ->kernel) { /* a tune file's kernel has its fixed arguments after its name: "blur radius=2" */
            size_t length = strlen(w->filter->kernel);
            if (strncmp(key.kernel, w->filter->kernel, length) != 0) continue;
            if (key.kernel[length] && key.kernel[length] != ' ') continue;
        }
        if (!is_wanted_device(w, &key)) continue;
        if (wants(w, HED_RECORD_KEY)) error->status = w->visit(w->user, &key, error);
        if (wants(w, HED_RECORD_CHOICE))
            visit_rows(w, hed_database_statement(database, CHOICES, "i", id), &key,
                HED_RECORD_CHOICE, records_read_choice, error);
        if (wants(w, HED_RECORD_MEASUREMENT))
            visit_rows(w, hed_database_statement(database, MEASUREMENTS, "i", id), &key,
                HED_RECORD_MEASUREMENT, read_measurement, error);
    }
}

hed_status hed_database_each(hed_database *database, const hed_record_filter *filter,
    visit_function *visit, void *user, hed_error *error)
{
    HED_REQUIRE(database, visit);
    static const hed_record_filter no_filter = {0};
    const hed_database_entry nothing = {0};
    const walk w = {database, filter ? filter : &no_filter, visit, user};
    error = error ? error : &(hed_error){0};
    if (hed_database_enter(database, error)) return error->status;
    hed_database_write_pending(database, NULL); /* pending results belong to the database */
    hed_database_begin_read(database, error);
    if (wants(&w, HED_RECORD_FACT) && !w.filter->kernel)
        visit_rows(&w, hed_database_statement(database, FACTS, ""), &nothing, HED_RECORD_FACT,
            read_fact, error);
    if (w.filter->kinds != HED_RECORD_FACT) visit_keys(&w, error);
    hed_database_end(database, error);
    hed_database_leave(database);
    return error->status;
}

/* Import of records, all or nothing, from a text file or another machine's database. */

enum { LONGEST_TEXT = 4096 };

/* ---- validation of a record ---- */

static void import_wrong(
    const char *field, const char *expected, const char *actual, hed_error *error)
{
    if (!hed_failed(error))
        hed_fail(error, HED_ERROR_FORMAT, "%s: expected %s, found \"%.60s\"", field, expected, actual);
}

static void check_word(
    const char *field, const char *word, const char *const *words, hed_error *error)
{
    for (; word && *words; words++)
        if (strcmp(word, *words) == 0) return;
    import_wrong(field, "a word of this field", word ? word : "", error);
}

static void check_digits(const char *field, const char *text, hed_error *error)
{
    if (!text || strlen(text) != 32 || strspn(text, "0123456789abcdef") != 32)
        import_wrong(field, "32 hexadecimal digits", text ? text : "", error);
}

enum {
    KEYED = HED_RECORD_KEY | HED_RECORD_MEASUREMENT | HED_RECORD_CHOICE,
    RESULT = HED_RECORD_MEASUREMENT | HED_RECORD_CHOICE,
    EACH_KIND = KEYED | HED_RECORD_FACT
};

/* Texts and numbers of a record, in the order of validation. */
static const struct record_field {
    const char *name;
    size_t offset;
    uint32_t kinds; /* kinds of records with this field */
    bool optional;  /* a text may be "", a number unknown */
} texts[] = {{"backend", offsetof(hed_database_entry, backend), EACH_KIND, false},
    {"platform", offsetof(hed_database_entry, platform), EACH_KIND, true},
    {"device", offsetof(hed_database_entry, device), EACH_KIND, false},
    {"vendor", offsetof(hed_database_entry, vendor), EACH_KIND, true},
    {"kernel", offsetof(hed_database_entry, kernel), KEYED, false},
    {"driver", offsetof(hed_database_entry, driver), KEYED, true},
    {"compiler", offsetof(hed_database_entry, compiler), KEYED, true},
    {"problem", offsetof(hed_database_entry, problem), KEYED, true},
    {"settings", offsetof(hed_database_entry, settings), RESULT, true},
    {"version", offsetof(hed_database_entry, version), RESULT, true},
    {"config", offsetof(hed_database_entry, config), RESULT, true},
    {"text", offsetof(hed_database_entry, text), HED_RECORD_MEASUREMENT, true},
    {"name", offsetof(hed_database_entry, name), HED_RECORD_FACT, false}},
  numbers[] = {{"seconds", offsetof(hed_database_entry, seconds), RESULT, true},
      {"low", offsetof(hed_database_entry, low), RESULT, true},
      {"high", offsetof(hed_database_entry, high), RESULT, true},
      {"default_seconds", offsetof(hed_database_entry, default_seconds), HED_RECORD_CHOICE, true},
      {"build_seconds", offsetof(hed_database_entry, build_seconds), HED_RECORD_MEASUREMENT, false},
      {"at", offsetof(hed_database_entry, at), HED_RECORD_MEASUREMENT, false},
      {"deviation", offsetof(hed_database_entry, deviation), HED_RECORD_MEASUREMENT, true}};

static void check_fields(const hed_database_entry *r, hed_error *error)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !hed_failed(error); i++) {
        const char *text = *(const char *const *)((const char *)r + texts[i].offset);
        if (!(texts[i].kinds & r->kind)) continue;
        if (!text || (!text[0] && !texts[i].optional))
            hed_fail(error, HED_ERROR_FORMAT, "%s: text is missing", texts[i].name);
        else if (strlen(text) > LONGEST_TEXT)
            hed_fail(error, HED_ERROR_FORMAT, "%s: text has %zu bytes; expected at most %d",
                texts[i].name, strlen(text), LONGEST_TEXT);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !hed_failed(error); i++) {
        double number = *(const double *)((const char *)r + numbers[i].offset);
        if (!(numbers[i].kinds & r->kind)) continue;
        /* a result without a finite reference has an infinite deviation */
        if (isinf(number) && numbers[i].offset == offsetof(hed_database_entry, deviation)) continue;
        if (isnan(number) ? !numbers[i].optional : !(number >= 0 && number <= 1e15))
            hed_fail(error, HED_ERROR_FORMAT, "%s: expected a number from 0 to 1e15, found %g",
                numbers[i].name, number);
    }
}

static void import_check(const hed_database_entry *r, hed_error *error)
{
    static const char *const math[] = {"fast", "strict", NULL}, *const objectives[] = {"time",
                                                                    "energy", "metric", NULL};
    hed_outcome outcome = 0;
    if (hed_failed(error)) return;
    if (r->kind != HED_RECORD_KEY && r->kind != HED_RECORD_MEASUREMENT &&
        r->kind != HED_RECORD_CHOICE && r->kind != HED_RECORD_FACT)
        hed_fail(error, HED_ERROR_FORMAT, "kind: %d is not a kind of record", (int)r->kind);
    else if ((unsigned)r->type > HED_DEVICE_OTHER)
        hed_fail(error, HED_ERROR_FORMAT, "type: %d is not a type of device", (int)r->type);
    check_fields(r, error);
    if (r->kind == HED_RECORD_FACT && !isfinite(r->value) && !hed_failed(error))
        hed_fail(error, HED_ERROR_FORMAT, "value: expected a number, found %g", r->value);
    if (r->kind & KEYED) {
        check_digits("source", r->source, error);
        check_word("math", r->math, math, error);
        check_word("objective", r->objective, objectives, error);
    }
    if (!(r->kind & RESULT)) return;
    check_digits("session", r->session, error);
    if (r->kind == HED_RECORD_MEASUREMENT) {
        while (outcome < HED_OUTCOME_COUNT &&
               (!r->outcome || strcmp(r->outcome, hed_outcome_name(outcome)) != 0))
            outcome++;
        if (outcome == HED_OUTCOME_COUNT)
            import_wrong(
                "outcome", "a word such as \"measured\"", r->outcome ? r->outcome : "", error);
        if (!r->number && !hed_failed(error))
            hed_fail(error, HED_ERROR_FORMAT, "number is 0; expected at least 1");
    }
    if (outcome == HED_OUTCOME_MEASURED && (!(r->seconds > 0) || r->low > r->high) &&
        !hed_failed(error))
        hed_fail(error, HED_ERROR_FORMAT, "seconds: %g, between %g and %g, is not a duration",
            r->seconds, r->low, r->high);
}

/* ---- adding a record ---- */

static const char FIND_SESSION[] = "SELECT id FROM session WHERE uid = ? AND key = ?";
static const char ADD_SESSION[] =
    "INSERT INTO session(uid, key, settings, version, begun) VALUES(?, ?, ?, ?, ?)"
    " ON CONFLICT(uid) DO NOTHING RETURNING id";
static const char ADD_MEASUREMENT[] =
    "INSERT OR IGNORE INTO measurement(session, number, config, outcome, seconds, low, high, runs, build_seconds, at,"
    "    deviation, text) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
static const char ADD_FACT[] = "INSERT OR IGNORE INTO fact(device, name, value) VALUES(?, ?, ?)";
/* a new choice replaces an earlier one only if it is certainly faster */
static const char ADD_CHOICE[] =
    "INSERT INTO choice(key, session, config, seconds, low, high, default_seconds) VALUES(?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT(key) DO UPDATE SET session = excluded.session, config = excluded.config, seconds = "
    "excluded.seconds,"
    "    low = excluded.low, high = excluded.high, default_seconds = excluded.default_seconds"
    " WHERE excluded.high < choice.low";

static void import_add_result(hed_database *database, const hed_database_entry *r, int64_t key,
    hed_database_changes *changes, hed_error *error)
{
    int64_t session = 0;
    uint64_t *changed = &changes->choices;
    if (!hed_database_integer(database, &session, error, FIND_SESSION, "ti", r->session, key) &&
        !hed_database_integer(database, &session, error, ADD_SESSION, "titti", r->session, key,
            r->settings, r->version, r->begun) &&
        !hed_failed(error))
        hed_fail(error, HED_ERROR_FORMAT, "session: %s already belongs to another key", r->session);
    if (r->kind == HED_RECORD_CHOICE)
        hed_database_run(database, error, ADD_CHOICE, "iitrrrr", key, session, r->config,
            r->seconds, r->low, r->high, r->default_seconds);
    else {
        changed = &changes->measurements;
        hed_database_run(database, error, ADD_MEASUREMENT, "iittrrrirrrt", session,
            (int64_t)r->number, r->config, r->outcome, r->seconds, r->low, r->high,
            (int64_t)r->runs, r->build_seconds, r->at, r->deviation, r->text);
    }
    if (!hed_failed(error)) *changed += (uint64_t)sqlite3_changes(database->handle);
}

/* Validates a record and adds the rows that the database lacks. */
static void import_add(hed_database *database, const hed_database_entry *r,
    hed_database_changes *changes, hed_error *error)
{
    import_check(r, error);
    if (hed_failed(error)) return;
    if (r->kind == HED_RECORD_FACT) {
        int64_t device = hed_database_put_device(database, r, error);
        if (!hed_database_run(database, error, ADD_FACT, "itr", device, r->name, r->value))
            changes->facts += (uint64_t)sqlite3_changes(database->handle);
        return;
    }
    int64_t before = sqlite3_total_changes64(database->handle);
    int64_t key = hed_database_put_key(database, r, error);
    /* a new device implies a new key */
    changes->keys += sqlite3_total_changes64(database->handle) != before;
    if (r->kind != HED_RECORD_KEY) import_add_result(database, r, key, changes, error);
}

/* ---- import and merge ---- */

typedef hed_status next_function(
    void *user, hed_database_entry *record, bool *end, hed_error *error);

hed_status hed_database_import(hed_database *database, next_function *next, void *user,
    hed_database_changes *changes, hed_error *error)
{
    HED_REQUIRE(database, next);
    hed_database_changes added = {0};
    error = error ? error : &(hed_error){0};
    if (hed_database_enter(database, error)) return error->status;
    hed_database_begin_write(database, error);
    for (bool end = false; !hed_failed(error);) {
        hed_database_entry record = {0};
        error->status = next(user, &record, &end, error);
        if (end) break;
        import_add(database, &record, &added, error);
    }
    hed_database_end(database, error);
    hed_database_leave(database);
    if (changes) *changes = hed_failed(error) ? (hed_database_changes){0} : added;
    return error->status;
}

/* ---- another database ---- */

typedef struct merging {
    hed_database *into;
    hed_database_changes added;
} merging;

static hed_status merge_record(void *user, const hed_database_entry *record, hed_error *error)
{
    merging *m = user;
    import_add(m->into, record, &m->added, error);
    return error->status;
}

hed_status hed_database_merge(
    hed_database *database, const char *path, hed_database_changes *changes, hed_error *error)
{
    HED_REQUIRE(database, path);
    hed_database *source;
    merging m = {.into = database};
    error = error ? error : &(hed_error){0};
    if (hed_failed(error)) return error->status;
    if (changes) *changes = m.added;
    if (hed_database_open(database->context, path, true, &source, error)) return error->status;
    if (!hed_database_enter(database, error)) {
        hed_database_begin_write(database, error);
        hed_database_each(source, NULL, merge_record, &m, error);
        hed_database_end(database, error);
        hed_database_leave(database);
    }
    hed_database_close(source);
    if (!hed_failed(error) && changes) *changes = m.added;
    return error->status;
}

/* ---- removing measurements that are no longer needed ---- */

/* Removal uses temporary tables of rows to keep and to remove. Each key keeps its `?1` fastest
 * configurations, judged by their newest measurements. */
static const char MAKE_BEST[] =
    "CREATE TEMP TABLE IF NOT EXISTS best(key INTEGER, config TEXT, PRIMARY KEY(key, config)) WITHOUT ROWID";
static const char MAKE_GONE[] =
    "CREATE TEMP TABLE IF NOT EXISTS gone(session INTEGER, number INTEGER, PRIMARY KEY(session, number))"
    " WITHOUT ROWID";
static const char CLEAR_BEST[] = "DELETE FROM temp.best";
static const char CLEAR_GONE[] = "DELETE FROM temp.gone";
static const char LIST_BEST[] =
    "WITH newest AS (SELECT s.key AS key, m.config AS config, m.outcome AS outcome, m.seconds AS seconds,"
    "        max(m.session * 1048576 + m.number) AS age"
    "    FROM measurement m JOIN session s ON s.id = m.session GROUP BY s.key, m.config),"
    " ranked AS (SELECT key, config, row_number() OVER (PARTITION BY key ORDER BY seconds, age) AS place FROM newest"
    "    WHERE outcome IN ('measured', 'dropped'))"
    " INSERT INTO temp.best SELECT key, config FROM ranked WHERE place <= ?1"
    " UNION SELECT key, config FROM choice";
static const char LIST_GONE[] =
    "INSERT INTO temp.gone SELECT m.session, m.number FROM measurement m"
    "    JOIN session s ON s.id = m.session JOIN key k ON k.id = s.key"
    " WHERE (?1 = '' OR k.kernel = ?1 OR (k.kernel > ?1 || ' ' AND k.kernel < ?1 || '!')) AND s.begun < ?2"
    "    AND (?3 = 0 OR (NOT EXISTS (SELECT 1 FROM temp.best b WHERE b.key = s.key AND b.config = m.config)"
    "        AND (?4 OR m.outcome NOT IN ('crashed', 'hung'))))";
static const char COUNT[] = "SELECT count(*) FROM temp.gone";
static const char REMOVE[] =
    "DELETE FROM measurement WHERE (session, number) IN (SELECT session, number FROM temp.gone)";
static const char REMOVE_CHOICES[] =
    "DELETE FROM choice WHERE key IN"
    " (SELECT id FROM key WHERE kernel = ?1 OR (kernel > ?1 || ' ' AND kernel < ?1 || '!'))";
static const char REMOVE_SESSIONS[] =
    "DELETE FROM session WHERE id NOT IN (SELECT session FROM measurement)"
    " AND id NOT IN (SELECT session FROM choice)";
static const char REMOVE_KEYS[] = "DELETE FROM key WHERE id NOT IN (SELECT key FROM session)";

static void prune(hed_database *database, const hed_prune_def *def, hed_database_changes *removed,
    hed_error *error)
{
    bool by_age = def->older_seconds > 0, all_of_kernel = def->kernel && !def->keep_best && !by_age;
    int64_t before = by_age ? (int64_t)time(NULL) - (int64_t)def->older_seconds : INT64_MAX,
            count = 0;
    hed_database_run(database, error, MAKE_BEST, "");
    hed_database_run(database, error, MAKE_GONE, "");
    hed_database_begin_write(database, error);
    hed_database_run(database, error, CLEAR_BEST, "");
    hed_database_run(database, error, CLEAR_GONE, "");
    if (def->keep_best) hed_database_run(database, error, LIST_BEST, "i", (int64_t)def->keep_best);
    hed_database_run(database, error, LIST_GONE, "tiii", def->kernel ? def->kernel : "", before,
        (int64_t)def->keep_best, (int64_t)by_age);
    hed_database_integer(database, &count, error, COUNT, "");
    removed->measurements = (uint64_t)count;
    hed_database_run(database, error, REMOVE, "");
    if (all_of_kernel && !hed_database_run(database, error, REMOVE_CHOICES, "t", def->kernel))
        removed->choices = (uint64_t)sqlite3_changes64(database->handle);
    hed_database_run(database, error, REMOVE_SESSIONS, "");
    if (!hed_database_run(database, error, REMOVE_KEYS, ""))
        removed->keys = (uint64_t)sqlite3_changes64(database->handle);
    /* deleting and rolling back gives the exact counts */
    if (def->dry_run && !hed_database_run(database, error, "ROLLBACK", "")) return;
    if (!hed_database_end(database, error) && removed->measurements)
        hed_database_run(database, NULL, "VACUUM", ""); /* if disk space is missing for it: later */
}

hed_status hed_database_prune(hed_database *database, const hed_prune_def *def,
    hed_database_changes *removed, hed_error *error)
{
    HED_REQUIRE(database, def);
    hed_database_changes counted = {0};
    error = error ? error : &(hed_error){0};
    if (hed_failed(error)) return error->status;
    if (removed) *removed = counted;
    if (!def->kernel && !def->keep_best && !(def->older_seconds > 0))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "what to remove from %s? Give a kernel, an age, or how many to keep", database->path);
    if (hed_database_enter(database, error)) return error->status;
    hed_database_write_pending(database, NULL);
    prune(database, def, &counted, error);
    hed_database_leave(database);
    if (!hed_failed(error) && removed) *removed = counted;
    return error->status;
}
