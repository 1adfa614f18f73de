/* Taking records in from elsewhere, all or nothing: from a file of texts, or another machine's
 * database. */
#include <math.h>
#include <string.h>

#include "database/file.h"

enum { LONGEST_TEXT = 4096 };

/* ---- what a record must look like ---- */

static hed_status import_wrong(
    const char *field, const char *wanted, const char *found, hed_error *error)
{
    return hed_fail(
        error, HED_ERROR_FORMAT, "%s: expected %s, found \"%.60s\"", field, wanted, found);
}

static hed_status check_text(
    const char *field, const char *text, bool may_be_empty, hed_error *error)
{
    if (!text || (!text[0] && !may_be_empty))
        return hed_fail(error, HED_ERROR_FORMAT, "%s: expected a text, found none", field);
    if (strlen(text) > LONGEST_TEXT)
        return hed_fail(error, HED_ERROR_FORMAT, "%s: a text of %zu bytes, at most %d are taken",
            field, strlen(text), LONGEST_TEXT);
    return HED_OK;
}

static hed_status check_word(
    const char *field, const char *word, const char *const *words, hed_error *error)
{
    for (; word && *words; words++)
        if (strcmp(word, *words) == 0) return HED_OK;
    return import_wrong(field, "one of this field's words", word ? word : "", error);
}

static hed_status check_digits(const char *field, const char *text, hed_error *error)
{
    bool good = text && strlen(text) == 32 && strspn(text, "0123456789abcdef") == 32;
    return good ? HED_OK : import_wrong(field, "32 hexadecimal digits", text ? text : "", error);
}

/* A number that is known has to be one that can be measured. */
static hed_status import_check_number(
    const char *field, double number, bool known, hed_error *error)
{
    if (isnan(number) ? !known : number >= 0 && number <= 1e15) return HED_OK;
    return hed_fail(
        error, HED_ERROR_FORMAT, "%s: expected a number from 0 to 1e15, found %g", field, number);
}

typedef struct text_field {
    const char *name, *text;
    bool may_be_empty;
} text_field;

static hed_status check_texts(const text_field *fields, size_t count, hed_error *error)
{
    hed_status status = HED_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = check_text(fields[i].name, fields[i].text, fields[i].may_be_empty, error);
    return status;
}

static hed_status import_check_device(const hed_database_entry *r, hed_error *error)
{
    const text_field texts[] = {{"backend", r->backend, false}, {"platform", r->platform, true},
        {"device", r->device, false}, {"vendor", r->vendor, true}};
    if ((unsigned)r->type > HED_DEVICE_OTHER)
        return hed_fail(error, HED_ERROR_FORMAT, "type: %d is no type of a device", (int)r->type);
    return check_texts(texts, sizeof texts / sizeof texts[0], error);
}

static hed_status check_key(const hed_database_entry *r, hed_error *error)
{
    static const char *const math[] = {"fast", "strict", NULL}, *const objectives[] = {"time",
                                                                    "energy", "metric", NULL};
    const text_field texts[] = {{"kernel", r->kernel, false}, {"driver", r->driver, true},
        {"compiler", r->compiler, true}, {"problem", r->problem, true}};
    hed_status status = check_texts(texts, sizeof texts / sizeof texts[0], error);
    if (!status) status = check_digits("source", r->source, error);
    if (!status) status = check_word("math", r->math, math, error);
    return status ? status : check_word("objective", r->objective, objectives, error);
}

static hed_status check_result(const hed_database_entry *r, bool known, hed_error *error)
{
    const text_field texts[] = {{"settings", r->settings, true}, {"version", r->version, true},
        {"config", r->config, true}};
    hed_status status = check_texts(texts, sizeof texts / sizeof texts[0], error);
    if (!status) status = check_digits("session", r->session, error);
    if (!status) status = import_check_number("seconds", r->seconds, known, error);
    if (!status) status = import_check_number("low", r->low, false, error);
    if (!status) status = import_check_number("high", r->high, false, error);
    if (status || !known || (r->seconds > 0 && !(r->low > r->high))) return status;
    return hed_fail(error, HED_ERROR_FORMAT, "seconds: %g, between %g and %g: nothing takes that",
        r->seconds, r->low, r->high);
}

static hed_status check_measurement(const hed_database_entry *r, hed_error *error)
{
    hed_outcome outcome = 0;
    while (outcome < HED_OUTCOME_COUNT &&
           (!r->outcome || strcmp(r->outcome, hed_outcome_name(outcome)) != 0))
        outcome++;
    if (outcome == HED_OUTCOME_COUNT)
        return import_wrong("outcome", "a word such as \"measured\"", r->outcome ? r->outcome : "", error);
    if (!r->number)
        return hed_fail(error, HED_ERROR_FORMAT, "number: expected a place from 1 on, found 0");
    hed_status status = check_result(r, outcome == HED_OUTCOME_MEASURED, error);
    if (!status) status = check_text("text", r->text, true, error);
    if (!status) status = import_check_number("build_seconds", r->build_seconds, true, error);
    if (!status) status = import_check_number("at", r->at, true, error);
    return status ? status
                  : import_check_number(
                        "deviation", isinf(r->deviation) ? NAN : r->deviation, false, error);
}

static hed_status import_check(const hed_database_entry *r, hed_error *error)
{
    hed_status status = import_check_device(r, error);
    if (!status && r->kind != HED_RECORD_FACT) status = check_key(r, error);
    if (status) return status;
    switch (r->kind) {
    case HED_RECORD_KEY: return HED_OK;
    case HED_RECORD_MEASUREMENT: return check_measurement(r, error);
    case HED_RECORD_CHOICE:
        status = check_result(r, true, error);
        return status ? status : import_check_number("default_seconds", r->default_seconds, false, error);
    case HED_RECORD_FACT:
        status = check_text("name", r->name, false, error);
        if (!status && !isfinite(r->value))
            status =
                hed_fail(error, HED_ERROR_FORMAT, "value: expected a number, found %g", r->value);
        return status;
    default:
        return hed_fail(error, HED_ERROR_FORMAT, "kind: %d is no kind of a record", (int)r->kind);
    }
}

/* ---- adding one ---- */

static const char FIND_SESSION[] = "SELECT id, key FROM session WHERE uid = ?";
static const char ADD_SESSION[] =
    "INSERT INTO session(uid, key, settings, version, begun) VALUES(?, ?, ?, ?, ?) RETURNING id";
static const char ADD_MEASUREMENT[] =
    "INSERT OR IGNORE INTO measurement(session, number, config, outcome, seconds, low, high, runs, build_seconds, at,"
    "    deviation, text) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
static const char ADD_FACT[] = "INSERT OR IGNORE INTO fact(device, name, value) VALUES(?, ?, ?)";
/* One that is there stays unless the new one is surely faster. */
static const char ADD_CHOICE[] =
    "INSERT INTO choice(key, session, config, seconds, low, high, default_seconds) VALUES(?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT(key) DO UPDATE SET session = excluded.session, config = excluded.config, seconds = "
    "excluded.seconds,"
    "    low = excluded.low, high = excluded.high, default_seconds = excluded.default_seconds"
    " WHERE excluded.high < choice.low";

static hed_status put_session(
    hed_database *database, const hed_database_entry *r, int64_t key, int64_t *id, hed_error *error)
{
    hed_status status;
    int64_t owner = key;
    sqlite3_stmt *row = hed_database_statement(database, FIND_SESSION, "t", r->session);
    *id = 0;
    while (hed_database_row(database, row, &status, error)) {
        *id = sqlite3_column_int64(row, 0);
        owner = sqlite3_column_int64(row, 1);
    }
    if (status) return status;
    if (owner != key)
        return hed_fail(
            error, HED_ERROR_FORMAT, "session: %s belongs to another key already", r->session);
    if (!*id)
        hed_database_integer(database, id, &status, error, ADD_SESSION, "titti", r->session, key,
            r->settings, r->version, r->begun);
    return status;
}

static hed_status add_fact(hed_database *database, const hed_database_entry *r,
    hed_database_changes *changes, hed_error *error)
{
    int64_t device;
    hed_status status = hed_database_put_device(database, r, &device, error);
    if (!status)
        status = hed_database_run(database, error, ADD_FACT, "itr", device, r->name, r->value);
    if (!status) changes->facts += (uint64_t)sqlite3_changes(database->handle);
    return status;
}

static hed_status import_add_result(hed_database *database, const hed_database_entry *r,
    int64_t key, hed_database_changes *changes, hed_error *error)
{
    int64_t session;
    hed_status status = put_session(database, r, key, &session, error);
    if (status) return status;
    if (r->kind == HED_RECORD_CHOICE) {
        status = hed_database_run(database, error, ADD_CHOICE, "iitrrrr", key, session, r->config,
            r->seconds, r->low, r->high, r->default_seconds);
        if (!status) changes->choices += (uint64_t)sqlite3_changes(database->handle);
        return status;
    }
    status = hed_database_run(database, error, ADD_MEASUREMENT, "iittrrrirrrt", session,
        (int64_t)r->number, r->config, r->outcome, r->seconds, r->low, r->high, (int64_t)r->runs,
        r->build_seconds, r->at, r->deviation, r->text);
    if (!status) changes->measurements += (uint64_t)sqlite3_changes(database->handle);
    return status;
}

static hed_status import_add(hed_database *database, const hed_database_entry *r,
    hed_database_changes *changes, hed_error *error)
{
    int64_t key;
    if (r->kind == HED_RECORD_FACT) return add_fact(database, r, changes, error);
    int64_t before = sqlite3_total_changes64(database->handle);
    hed_status status = hed_database_put_key(database, r, &key, error);
    /* a new device has a new key, too */
    changes->keys += sqlite3_total_changes64(database->handle) != before;
    return status || r->kind == HED_RECORD_KEY
               ? status
               : import_add_result(database, r, key, changes, error);
}

/* ---- many ---- */

typedef hed_status next_function(
    void *user, hed_database_entry *record, bool *end, hed_error *error);

static hed_status add_each(hed_database *database, next_function *next, void *user,
    hed_database_changes *changes, hed_error *error)
{
    for (bool end = false;;) {
        hed_database_entry record = {0};
        hed_status status = next(user, &record, &end, error);
        if (status || end) return status;
        status = import_check(&record, error);
        if (!status) status = import_add(database, &record, changes, error);
        if (status) return status;
    }
}

hed_status hed_database_import(hed_database *database, next_function *next, void *user,
    hed_database_changes *changes, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    hed_database_changes added = {0};
    hed_status status = hed_database_enter(database, error);
    if (status) return status;
    status = hed_database_begin_write(database, error);
    if (!status)
        status = hed_database_end(database, add_each(database, next, user, &added, error), error);
    hed_database_leave(database);
    if (changes) *changes = status ? (hed_database_changes){0} : added;
    return status;
}

/* ---- another database ---- */

typedef struct merging {
    hed_database *into;
    hed_database_changes added;
} merging;

static hed_status merge_record(void *user, const hed_database_entry *record, hed_error *error)
{
    merging *m = user;
    hed_status status = import_check(record, error);
    return status ? status : import_add(m->into, record, &m->added, error);
}

hed_status hed_database_merge(
    hed_database *database, const char *path, hed_database_changes *changes, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    hed_database *other;
    merging m = {.into = database};
    if (changes) *changes = m.added;
    hed_status status = hed_database_open(database->context, path, true, &other, error);
    if (status) return status;
    status = hed_database_enter(database, error);
    if (!status) {
        status = hed_database_begin_write(database, error);
        if (!status)
            status = hed_database_end(
                database, hed_database_each(other, NULL, merge_record, &m, error), error);
        hed_database_leave(database);
    }
    hed_database_close(other);
    if (!status && changes) *changes = m.added;
    return status;
}
