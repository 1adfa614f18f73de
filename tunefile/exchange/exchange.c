/* The tuning database as JSON, to carry results to another machine or to store them with a source.
 * One table of fields serves reading and writing; exchange.h shows a document. At most one record
 * is in memory at a time. */
#include "heddle/author.h"
#include "support/file.h"
#include "tunefile/exchange/exchange.h"

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the fields of each object ---- */

typedef enum field_kind {
    FIELD_END,
    FIELD_TEXT,
    FIELD_OPTIONAL_TEXT, /* omitted if "" */
    FIELD_NUMBER,        /* omitted if unknown (NAN) */
    FIELD_KNOWN_NUMBER,
    FIELD_COUNT,  /* uint32_t */
    FIELD_TIME,   /* int64_t */
    FIELD_TYPE,   /* type of a device */
    FIELD_DEVICE, /* the object of the device's own fields */
    FIELD_PART    /* read and written by the walk */
} field_kind;

typedef struct field {
    const char *name;
    field_kind kind;
    size_t offset; /* offset of the member in hed_database_entry */
} field;

#define FIELD(name, kind, member) \
    { \
        name, FIELD_##kind, offsetof(hed_database_entry, member) \
    }
#define SESSION_FIELDS \
    FIELD("session", TEXT, session), FIELD("settings", TEXT, settings), \
        FIELD("version", TEXT, version), FIELD("begun", TIME, begun)
#define RESULT_FIELDS \
    FIELD("config", TEXT, config), FIELD("seconds", NUMBER, seconds), FIELD("low", NUMBER, low), \
        FIELD("high", NUMBER, high)

enum { FIELDS_MOST = 12 }; /* fields of one object, including the end */
static const field device_fields[] = {FIELD("backend", TEXT, backend),
    FIELD("platform", TEXT, platform), FIELD("name", TEXT, device), FIELD("vendor", TEXT, vendor),
    FIELD("type", TYPE, type), FIELD("architecture", COUNT, architecture),
    FIELD("compute_units", COUNT, compute_units), {0}};
static const field fact_fields[] = {{"device", FIELD_DEVICE, 0}, FIELD("name", TEXT, name),
    FIELD("value", KNOWN_NUMBER, value), {0}};
static const field key_fields[] = {FIELD("kernel", TEXT, kernel), FIELD("source", TEXT, source),
    FIELD("math", TEXT, math), FIELD("objective", TEXT, objective), {"device", FIELD_DEVICE, 0},
    FIELD("driver", TEXT, driver), FIELD("compiler", TEXT, compiler),
    FIELD("problem", TEXT, problem), {"choice", FIELD_PART, 0}, {"sessions", FIELD_PART, 0}, {0}};
static const field choice_fields[] = {
    SESSION_FIELDS, RESULT_FIELDS, FIELD("default_seconds", NUMBER, default_seconds), {0}};
static const field session_fields[] = {SESSION_FIELDS, {"measurements", FIELD_PART, 0}, {0}};
static const field measurement_fields[] = {FIELD("number", COUNT, number),
    FIELD("outcome", TEXT, outcome), RESULT_FIELDS, FIELD("runs", COUNT, runs),
    FIELD("build_seconds", NUMBER, build_seconds), FIELD("at", NUMBER, at),
    FIELD("deviation", NUMBER, deviation), FIELD("text", OPTIONAL_TEXT, text), {0}};

static const char *const device_types[] = {"cpu", "gpu", "other", NULL};

/* ---- writing ---- */

static json_t *fields_json(const field *f, const hed_database_entry *e)
{
    json_t *object = json_object();
    for (; f->kind; f++) {
        const char *at = (const char *)e + f->offset;
        json_t *value = NULL;
        switch (f->kind) {
        case FIELD_OPTIONAL_TEXT:
            if (!(*(const char *const *)at)[0]) continue;
            /* fall through */
        case FIELD_TEXT:
            value = json_string(*(const char *const *)at);
            /* names of drivers are the vendor's, and may be invalid UTF-8 */
            if (!value) value = json_string("?");
            break;
        case FIELD_NUMBER:
        case FIELD_KNOWN_NUMBER:
            if (!isfinite(*(const double *)at)) continue;
            value = json_real(*(const double *)at);
            break;
        case FIELD_COUNT: value = json_integer(*(const uint32_t *)at); break;
        case FIELD_TIME: value = json_integer(*(const int64_t *)at); break;
        case FIELD_TYPE: value = json_string(device_types[*(const hed_device_type *)at]); break;
        case FIELD_DEVICE: value = fields_json(device_fields, e); break;
        default: continue;
        }
        if (json_object_set_new(object, f->name, value) == 0) continue;
        json_decref(object);
        return NULL;
    }
    return object;
}

typedef struct writing {
    hed_file_writer *file;
    bool (*stop)(void);
    hed_database_changes count;
    /* lists and objects that are open */
    bool facts_open, keys_open, key_open, session_open;
    char session[40]; /* id of the open session */
} writing;

static void writing_put(writing *w, const char *text)
{
    hed_file_writer_put(w->file, text, strlen(text));
}

/* Writes an object, without its closing brace if `open`: members may follow. */
static hed_status writing_object(
    writing *w, const field *fields, const hed_database_entry *e, bool open, hed_error *error)
{
    json_t *object = fields_json(fields, e);
    /* Twelve digits exceed the precision of any clock. */
    char *text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;
    json_decref(object);
    if (!text) return hed_fail(error, HED_ERROR_MEMORY, "out of memory while making JSON");
    if (open) text[strlen(text) - 1] = 0;
    writing_put(w, text);
    free(text);
    return HED_OK;
}

static void writing_end_session(writing *w)
{
    if (w->session_open) writing_put(w, "\n]}");
    w->session_open = false;
}

static void writing_end_key(writing *w)
{
    bool sessions = w->session[0] != 0;
    writing_end_session(w);
    if (w->key_open) writing_put(w, sessions ? "]}" : "}");
    w->session[0] = 0;
    w->key_open = false;
}

static hed_status write_entry(void *user, const hed_database_entry *e, hed_error *error)
{
    writing *w = user;
    if (w->stop && w->stop()) return hed_fail(error, HED_ERROR_TIMEOUT, "interrupted");
    if (e->kind == HED_RECORD_FACT) {
        writing_put(w, w->facts_open ? ",\n" : "\"facts\": [\n");
        w->facts_open = true;
        w->count.facts++;
        return writing_object(w, fact_fields, e, false, error);
    }
    if (e->kind == HED_RECORD_KEY) {
        if (w->facts_open) writing_put(w, "\n],\n");
        w->facts_open = false;
        writing_end_key(w);
        writing_put(w, w->keys_open ? ",\n" : "\"keys\": [\n");
        w->keys_open = w->key_open = true;
        w->count.keys++;
        return writing_object(w, key_fields, e, true, error);
    }
    if (e->kind == HED_RECORD_CHOICE) {
        writing_put(w, ",\n \"choice\":");
        w->count.choices++;
        return writing_object(w, choice_fields, e, false, error);
    }
    /* a line for each measurement */
    hed_status status = HED_OK;
    bool first = strcmp(w->session, e->session) != 0;
    if (first) {
        writing_put(w, w->session[0] ? "" : ",\n \"sessions\":[");
        writing_end_session(w);
        writing_put(w, w->session[0] ? ",\n" : "\n");
        snprintf(w->session, sizeof w->session, "%s", e->session);
        status = writing_object(w, session_fields, e, true, error);
        writing_put(w, ",\"measurements\":[");
        w->session_open = true;
    }
    writing_put(w, first ? "\n  " : ",\n  ");
    w->count.measurements++;
    return status ? status : writing_object(w, measurement_fields, e, false, error);
}

hed_status hed_exchange_export(hed_database *database, const hed_record_filter *filter,
    const char *path, bool (*stop)(void), hed_database_changes *count, hed_error *error)
{
    HED_REQUIRE(database, path);
    writing w = {.stop = stop};
    hed_record_filter wanted = filter ? *filter : (hed_record_filter){0};
    if (wanted.kinds) wanted.kinds |= HED_RECORD_KEY; /* all other records are inside a key */
    hed_status status = hed_file_writer_open(path, &w.file, error);
    if (status) return status;
    writing_put(&w, "{\"format\": \"heddle tuning\", \"version\": 1,\n");
    status = hed_database_each(database, &wanted, write_entry, &w, error);
    if (status) {
        hed_file_writer_abort(w.file);
        return status;
    }
    if (w.facts_open) writing_put(&w, "\n],\n");
    writing_end_key(&w);
    writing_put(&w, w.keys_open ? "\n]}\n" : "\"keys\": []}\n");
    if (count) *count = w.count;
    return hed_file_writer_commit(w.file, error);
}

/* ---- reading ---- */

/* Reads an object's own fields; an object with other fields is refused. */
static void fields_read(const field *fields, hed_json_node node, hed_database_entry *e)
{
    const char *names[FIELDS_MOST] = {NULL};
    for (size_t i = 0; fields[i].kind; i++) names[i] = fields[i].name;
    hed_json_only(node, names);
    for (const field *f = fields; f->kind; f++) {
        char *at = (char *)e + f->offset;
        bool left_out =
            f->kind == FIELD_PART || ((f->kind == FIELD_NUMBER || f->kind == FIELD_OPTIONAL_TEXT) &&
                                         !hed_json_has(node, f->name));
        hed_json_node value = left_out ? node : hed_json_member(node, f->name);
        switch (f->kind) {
        case FIELD_TEXT:
        case FIELD_OPTIONAL_TEXT:
            *(const char **)at = left_out ? "" : hed_json_string(value);
            break;
        case FIELD_NUMBER:
        case FIELD_KNOWN_NUMBER:
            *(double *)at = left_out ? NAN : hed_json_number(value, -DBL_MAX, DBL_MAX);
            break;
        case FIELD_COUNT: *(uint32_t *)at = (uint32_t)hed_json_integer(value, 0, UINT32_MAX); break;
        case FIELD_TIME: *(int64_t *)at = hed_json_integer(value, INT64_MIN, INT64_MAX); break;
        case FIELD_TYPE:
            *(hed_device_type *)at = (hed_device_type)hed_json_choice(value, device_types);
            break;
        case FIELD_DEVICE: fields_read(device_fields, value, e); break;
        default: break;
        }
    }
}

typedef enum stage {
    STAGE_HEAD,
    STAGE_FACTS,
    STAGE_KEYS,
    STAGE_CHOICE,
    STAGE_SESSIONS,
    STAGE_MEASUREMENTS,
    STAGE_END
} stage;

/* Position of the walk through the documents, which passes one entry after another to the
 * database. */
typedef struct reading {
    hed_json *const *documents;
    bool (*stop)(void);
    uint32_t count, document;
    stage stage;
    size_t index[STAGE_END]; /* index of the next element of each stage's list */
    hed_json_node key, session;
    hed_json_node last;      /* source of the last entry */
    hed_database_entry base; /* entry with the fields of the key, and then of its session */
} reading;

/* Reads the next element of a stage's list, which may be missing; false at its end. */
static bool reading_next(reading *r, hed_json_node owner, const char *list, hed_json_node *element)
{
    size_t *index = &r->index[r->stage];
    bool has_element =
        hed_json_has(owner, list) && *index < hed_json_count(hed_json_member(owner, list));
    if (has_element) *element = hed_json_item(hed_json_member(owner, list), (*index)++);
    else *index = 0;
    return has_element;
}

/* Makes an entry of `node`, with the fields of its key and session. */
static bool reading_give(reading *r, hed_json_node node, hed_record_kind kind, const field *fields,
    hed_database_entry *e)
{
    r->last = node;
    *e = r->base;
    e->kind = kind;
    fields_read(fields, node, e);
    return true;
}

/* Makes one step, which returns an entry or moves to another stage. */
static bool reading_step(reading *r, hed_json_node root, hed_database_entry *e)
{
    static const char *const keys[] = {"format", "version", "facts", "keys", NULL};
    switch (r->stage) {
    case STAGE_HEAD:
        if (hed_json_kind_of(root) == HED_JSON_OBJECT &&
            (!hed_json_has(root, "format") ||
                strcmp(hed_json_string(hed_json_member(root, "format")), "heddle tuning") != 0))
            hed_json_reject(
                root, "expected an export of a tuning database (\"format\": \"heddle tuning\")");
        if (hed_json_integer(hed_json_member(root, "version"), 1, INT32_MAX) > 1)
            hed_json_reject(hed_json_member(root, "version"),
                "this Heddle reads version 1; the file was written by a newer one");
        hed_json_only(root, keys);
        hed_json_count(hed_json_member(root, "keys"));
        r->stage = STAGE_FACTS;
        return false;
    case STAGE_FACTS:
        if (reading_next(r, root, "facts", &r->last))
            return reading_give(r, r->last, HED_RECORD_FACT, fact_fields, e);
        r->stage = STAGE_KEYS;
        return false;
    case STAGE_KEYS:
        r->base = (hed_database_entry){0};
        if (!reading_next(r, root, "keys", &r->key)) {
            r->stage = STAGE_END;
            return false;
        }
        reading_give(r, r->key, HED_RECORD_KEY, key_fields, e);
        r->base = *e;
        r->stage = STAGE_CHOICE;
        return true;
    case STAGE_CHOICE:
        r->stage = STAGE_SESSIONS;
        if (!hed_json_has(r->key, "choice")) return false;
        return reading_give(
            r, hed_json_member(r->key, "choice"), HED_RECORD_CHOICE, choice_fields, e);
    case STAGE_SESSIONS:
        if (!reading_next(r, r->key, "sessions", &r->session)) {
            r->stage = STAGE_KEYS;
            return false;
        }
        fields_read(session_fields, r->session, &r->base);
        hed_json_count(hed_json_member(r->session, "measurements"));
        r->stage = STAGE_MEASUREMENTS;
        return false;
    case STAGE_MEASUREMENTS:
        if (reading_next(r, r->session, "measurements", &r->last))
            return reading_give(r, r->last, HED_RECORD_MEASUREMENT, measurement_fields, e);
        r->stage = STAGE_SESSIONS;
        return false;
    default: return false;
    }
}

static hed_status read_entry(void *user, hed_database_entry *e, bool *end, hed_error *error)
{
    reading *r = user;
    if (r->stop && r->stop()) return hed_fail(error, HED_ERROR_TIMEOUT, "interrupted");
    for (; r->document < r->count; r->document++, r->stage = STAGE_HEAD) {
        hed_json *json = r->documents[r->document];
        bool is_found = false;
        while (!is_found && r->stage != STAGE_END && !hed_json_status(json, NULL))
            is_found = reading_step(r, hed_json_root(json), e);
        hed_status status = hed_json_status(json, error);
        if (status || is_found) return status;
    }
    *end = true;
    return HED_OK;
}

hed_status hed_exchange_import_json(hed_database *database, hed_json *const *documents,
    uint32_t count, bool (*stop)(void), hed_database_changes *added, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    reading r = {.documents = documents, .stop = stop, .count = count};
    hed_error cause = {0};
    hed_status status = hed_database_import(database, read_entry, &r, added, &cause);
    /* An entry that the database refuses has a position in the document, too. */
    if (status == HED_ERROR_FORMAT && r.document < count &&
        !hed_json_status(documents[r.document], NULL)) {
        hed_json_reject(r.last, "%s", cause.text);
        return hed_json_status(documents[r.document], error);
    }
    if (status && error) *error = cause;
    return status;
}

hed_status hed_exchange_import(hed_database *database, const char *const *paths, uint32_t count,
    bool (*stop)(void), hed_database_changes *added, hed_error *error)
{
    HED_REQUIRE(database, paths || !count);
    hed_json **documents = calloc(count + 1, sizeof *documents);
    if (!documents) return HED_OUT_OF_MEMORY(error, "%u files", count);
    uint32_t read = 0;
    hed_status status = HED_OK;
    while (read < count && !(status = hed_json_read(paths[read], &documents[read], error))) read++;
    if (read == count)
        status = hed_exchange_import_json(database, documents, count, stop, added, error);
    for (uint32_t i = 0; i < count; i++) hed_json_free(documents[i]);
    free(documents);
    return status;
}
