/* The tuning database as text: reading. A document is walked entry by entry, as the database asks
 * for them. */
#include "support/errors.h"
#include "tunefile/exchange.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum stage {
    STAGE_FACTS,
    STAGE_KEYS,
    STAGE_CHOICE,
    STAGE_SESSIONS,
    STAGE_MEASUREMENTS
} stage;

/* Where the walk is. */
typedef struct reading {
    hed_json *const *documents;
    bool (*stop)(void);
    uint32_t count, document;
    bool begun; /* the document's head has been looked at */
    stage stage;
    size_t fact, key, session, measurement;
    hed_json_node last;      /* what the last entry was made from */
    hed_database_entry base; /* of the key, then of its session too */
} reading;

/* ---- parts of an entry ---- */

static const char *const DEVICE_KEYS[] = {
    "backend", "platform", "name", "vendor", "type", "architecture", "compute_units", NULL};
static const char *const FACT_KEYS[] = {"device", "name", "value", NULL};
static const char *const KEY_KEYS[] = {"kernel", "source", "math", "objective", "device", "driver",
    "compiler", "problem", "choice", "sessions", NULL};
static const char *const CHOICE_KEYS[] = {"session", "settings", "version", "begun", "config",
    "seconds", "low", "high", "default_seconds", NULL};
static const char *const SESSION_KEYS[] = {
    "session", "settings", "version", "begun", "measurements", NULL};
static const char *const MEASUREMENT_KEYS[] = {"number", "outcome", "config", "seconds", "low",
    "high", "runs", "build_seconds", "at", "deviation", "text", NULL};

static const char *text_of(hed_json_node object, const char *name)
{
    return hed_json_string(hed_json_member(object, name));
}

/* A number that may be left out. */
static double number_of(hed_json_node object, const char *name)
{
    return hed_json_has(object, name)
               ? hed_json_number(hed_json_member(object, name), -DBL_MAX, DBL_MAX)
               : NAN;
}

static uint32_t count_of(hed_json_node object, const char *name)
{
    return (uint32_t)hed_json_integer(hed_json_member(object, name), 0, UINT32_MAX);
}

static void read_device(hed_json_node device, hed_database_entry *e)
{
    static const char *const types[] = {"cpu", "gpu", "other", NULL};
    hed_json_only(device, DEVICE_KEYS);
    e->backend = text_of(device, "backend");
    e->platform = text_of(device, "platform");
    e->device = text_of(device, "name");
    e->vendor = text_of(device, "vendor");
    e->type = (hed_device_type)hed_json_choice(hed_json_member(device, "type"), types);
    e->architecture = count_of(device, "architecture");
    e->compute_units = count_of(device, "compute_units");
}

static void read_fact(hed_json_node fact, hed_database_entry *e)
{
    hed_json_only(fact, FACT_KEYS);
    e->kind = HED_RECORD_FACT;
    read_device(hed_json_member(fact, "device"), e);
    e->name = text_of(fact, "name");
    e->value = hed_json_number(hed_json_member(fact, "value"), -DBL_MAX, DBL_MAX);
}

static void read_key(hed_json_node key, hed_database_entry *e)
{
    hed_json_only(key, KEY_KEYS);
    e->kind = HED_RECORD_KEY;
    read_device(hed_json_member(key, "device"), e);
    e->kernel = text_of(key, "kernel");
    e->source = text_of(key, "source");
    e->math = text_of(key, "math");
    e->objective = text_of(key, "objective");
    e->driver = text_of(key, "driver");
    e->compiler = text_of(key, "compiler");
    e->problem = text_of(key, "problem");
}

static void read_session(hed_json_node session, hed_database_entry *e)
{
    e->session = text_of(session, "session");
    e->settings = text_of(session, "settings");
    e->version = text_of(session, "version");
    e->begun = hed_json_integer(hed_json_member(session, "begun"), INT64_MIN, INT64_MAX);
}

static void read_result(hed_json_node result, hed_database_entry *e)
{
    e->config = text_of(result, "config");
    e->seconds = number_of(result, "seconds");
    e->low = number_of(result, "low");
    e->high = number_of(result, "high");
}

static void read_choice(hed_json_node choice, hed_database_entry *e)
{
    hed_json_only(choice, CHOICE_KEYS);
    e->kind = HED_RECORD_CHOICE;
    read_session(choice, e);
    read_result(choice, e);
    e->default_seconds = number_of(choice, "default_seconds");
}

static void read_measurement(hed_json_node measurement, hed_database_entry *e)
{
    hed_json_only(measurement, MEASUREMENT_KEYS);
    e->kind = HED_RECORD_MEASUREMENT;
    e->number = count_of(measurement, "number");
    e->outcome = text_of(measurement, "outcome");
    read_result(measurement, e);
    e->runs = count_of(measurement, "runs");
    e->build_seconds = number_of(measurement, "build_seconds");
    e->at = number_of(measurement, "at");
    e->deviation = number_of(measurement, "deviation");
    e->text = hed_json_has(measurement, "text") ? text_of(measurement, "text") : "";
}

/* ---- the walk ---- */

static void look_at_head(hed_json_node root)
{
    static const char *const keys[] = {"format", "version", "facts", "keys", NULL};
    if (hed_json_kind_of(root) == HED_JSON_OBJECT &&
        (!hed_json_has(root, "format") || strcmp(text_of(root, "format"), "heddle tuning") != 0))
        hed_json_reject(
            root, "expected an export of a tuning database (\"format\": \"heddle tuning\")");
    if (hed_json_integer(hed_json_member(root, "version"), 1, INT32_MAX) > 1)
        hed_json_reject(hed_json_member(root, "version"),
            "this Heddle reads version 1: it was written by a newer one");
    hed_json_only(root, keys);
}

/* Takes the next step that gives an entry; false at the end of the document, or where something is
 * wrong with it. */
static bool step(reading *r, hed_json_node root, hed_database_entry *e)
{
    hed_json_node key, session;
    switch (r->stage) {
    case STAGE_FACTS:
        if (!hed_json_has(root, "facts") ||
            r->fact >= hed_json_count(hed_json_member(root, "facts"))) {
            r->stage = STAGE_KEYS;
            return false;
        }
        r->last = hed_json_item(hed_json_member(root, "facts"), r->fact++);
        read_fact(r->last, e);
        return true;
    case STAGE_KEYS:
        r->last = hed_json_item(hed_json_member(root, "keys"), r->key);
        r->base = (hed_database_entry){0};
        read_key(r->last, &r->base);
        *e = r->base;
        r->stage = STAGE_CHOICE;
        return true;
    case STAGE_CHOICE:
        key = hed_json_item(hed_json_member(root, "keys"), r->key);
        r->stage = STAGE_SESSIONS;
        r->session = 0;
        if (!hed_json_has(key, "choice")) return false;
        r->last = hed_json_member(key, "choice");
        *e = r->base;
        read_choice(r->last, e);
        return true;
    case STAGE_SESSIONS:
        key = hed_json_item(hed_json_member(root, "keys"), r->key);
        if (!hed_json_has(key, "sessions") ||
            r->session >= hed_json_count(hed_json_member(key, "sessions"))) {
            r->stage = STAGE_KEYS;
            r->key++;
            return false;
        }
        session = hed_json_item(hed_json_member(key, "sessions"), r->session);
        hed_json_only(session, SESSION_KEYS);
        read_session(session, &r->base);
        r->stage = STAGE_MEASUREMENTS;
        r->measurement = 0;
        return false;
    default:
        key = hed_json_item(hed_json_member(root, "keys"), r->key);
        session = hed_json_item(hed_json_member(key, "sessions"), r->session);
        if (r->measurement >= hed_json_count(hed_json_member(session, "measurements"))) {
            r->stage = STAGE_SESSIONS;
            r->session++;
            return false;
        }
        r->last = hed_json_item(hed_json_member(session, "measurements"), r->measurement++);
        *e = r->base;
        read_measurement(r->last, e);
        return true;
    }
}

static bool at_end(const reading *r, hed_json_node root)
{
    return r->stage == STAGE_KEYS && r->key >= hed_json_count(hed_json_member(root, "keys"));
}

static hed_status next_entry(void *user, hed_database_entry *e, bool *end, hed_error *error)
{
    reading *r = user;
    if (r->stop && r->stop()) return hed_error_set(error, HED_ERROR_TIMEOUT, "interrupted");
    while (r->document < r->count) {
        hed_json *json = r->documents[r->document];
        hed_json_node root = hed_json_root(json);
        if (!r->begun) look_at_head(root);
        r->begun = true;
        bool found = false;
        while (!found && hed_json_status(json, error) == HED_OK && !at_end(r, root))
            found = step(r, root, e);
        hed_status status = hed_json_status(json, error);
        if (status != HED_OK || found) return status;
        *r = (reading){.documents = r->documents,
            .stop = r->stop,
            .count = r->count,
            .document = r->document + 1};
    }
    *end = true;
    return HED_OK;
}

hed_status hed_exchange_import_json(hed_database *database, hed_json *const *documents,
    uint32_t count, bool (*stop)(void), hed_database_changes *added, hed_error *error)
{
    reading r = {.documents = documents, .stop = stop, .count = count};
    hed_error found;
    hed_status status = hed_database_import(database, next_entry, &r, added, &found);
    /* What the database refuses has a place in the document, too. */
    if (status == HED_ERROR_FORMAT && r.document < count &&
        hed_json_status(documents[r.document], NULL) == HED_OK) {
        hed_json_reject(r.last, "%s", found.text);
        return hed_json_status(documents[r.document], error);
    }
    if (status != HED_OK && error) *error = found;
    return status;
}

hed_status hed_exchange_import(hed_database *database, const char *const *paths, uint32_t count,
    bool (*stop)(void), hed_database_changes *added, hed_error *error)
{
    hed_json **documents = calloc(count + 1, sizeof *documents);
    if (!documents)
        return hed_error_set(error, HED_ERROR_MEMORY, "out of memory for %u files", count);
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < count && status == HED_OK; i++)
        status = hed_json_read(paths[i], &documents[i], error);
    if (status == HED_OK)
        status = hed_exchange_import_json(database, documents, count, stop, added, error);
    for (uint32_t i = 0; i < count; i++) hed_json_free(documents[i]);
    free(documents);
    return status;
}
