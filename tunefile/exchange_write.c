/* The tuning database as text: writing. Each measurement is one line, and none is held in
 * memory. */
#include "support/errors.h"
#include "tunefile/exchange.h"
#include "support/file.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct writing {
    hed_file_writer *file;
    bool (*stop)(void);
    hed_database_changes count;
    /* what has been begun and waits for its end */
    bool facts_open, keys_open, key_open, session_open;
    char session[40]; /* of the one that is open */
    uint64_t in_list; /* elements of the list that is open */
} writing;

static void put(writing *w, const char *text) { hed_file_writer_put(w->file, text, strlen(text)); }

/* ---- objects ---- */

static void set_text(json_t *object, const char *name, const char *text)
{
    json_t *value = json_string(text);
    /* Names of drivers are whatever the vendor wrote. */
    json_object_set_new(object, name, value ? value : json_string("?"));
}

static void set_number(json_t *object, const char *name, double number)
{
    if (isfinite(number)) json_object_set_new(object, name, json_real(number));
}

static json_t *make_device(const hed_database_entry *e)
{
    static const char *const types[] = {"cpu", "gpu", "other"};
    json_t *device = json_object();
    set_text(device, "backend", e->backend);
    set_text(device, "platform", e->platform);
    set_text(device, "name", e->device);
    set_text(device, "vendor", e->vendor);
    set_text(device, "type", types[e->type]);
    json_object_set_new(device, "architecture", json_integer(e->architecture));
    json_object_set_new(device, "compute_units", json_integer(e->compute_units));
    return device;
}

static json_t *make_fact(const hed_database_entry *e)
{
    json_t *fact = json_object();
    json_object_set_new(fact, "device", make_device(e));
    set_text(fact, "name", e->name);
    set_number(fact, "value", e->value);
    return fact;
}

static json_t *make_key(const hed_database_entry *e)
{
    json_t *key = json_object();
    set_text(key, "kernel", e->kernel);
    set_text(key, "source", e->source);
    set_text(key, "math", e->math);
    set_text(key, "objective", e->objective);
    json_object_set_new(key, "device", make_device(e));
    set_text(key, "driver", e->driver);
    set_text(key, "compiler", e->compiler);
    set_text(key, "problem", e->problem);
    return key;
}

static json_t *make_session(const hed_database_entry *e)
{
    json_t *session = json_object();
    set_text(session, "session", e->session);
    set_text(session, "settings", e->settings);
    set_text(session, "version", e->version);
    json_object_set_new(session, "begun", json_integer(e->begun));
    return session;
}

static void set_result(json_t *object, const hed_database_entry *e)
{
    set_text(object, "config", e->config);
    set_number(object, "seconds", e->seconds);
    set_number(object, "low", e->low);
    set_number(object, "high", e->high);
}

static json_t *make_choice(const hed_database_entry *e)
{
    json_t *choice = make_session(e);
    set_result(choice, e);
    set_number(choice, "default_seconds", e->default_seconds);
    return choice;
}

static json_t *make_measurement(const hed_database_entry *e)
{
    json_t *measurement = json_object();
    json_object_set_new(measurement, "number", json_integer(e->number));
    set_text(measurement, "outcome", e->outcome);
    set_result(measurement, e);
    json_object_set_new(measurement, "runs", json_integer(e->runs));
    set_number(measurement, "build_seconds", e->build_seconds);
    set_number(measurement, "at", e->at);
    set_number(measurement, "deviation", e->deviation);
    if (e->text[0]) set_text(measurement, "text", e->text);
    return measurement;
}

/* Puts an object down without its closing brace if `open`: members may follow. */
static hed_status put_object(writing *w, json_t *object, bool open, hed_error *error)
{
    /* Twelve digits: more than any clock has. */
    char *text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;
    json_decref(object);
    if (!text) return hed_error_set(error, HED_ERROR_MEMORY, "out of memory while making JSON");
    if (open) text[strlen(text) - 1] = 0;
    put(w, text);
    free(text);
    return HED_OK;
}

/* ---- the document ---- */

static void end_session(writing *w)
{
    if (w->session_open) put(w, "\n]}");
    w->session_open = false;
}

static void end_key(writing *w)
{
    if (!w->key_open) return;
    bool sessions = w->session[0] != 0;
    end_session(w);
    put(w, sessions ? "]}" : "}");
    w->session[0] = 0;
    w->key_open = false;
}

static void end_facts(writing *w)
{
    if (w->facts_open) put(w, "\n],\n");
    w->facts_open = false;
}

static hed_status put_fact(writing *w, const hed_database_entry *e, hed_error *error)
{
    put(w, w->facts_open ? ",\n" : "\"facts\": [\n");
    w->facts_open = true;
    w->count.facts++;
    return put_object(w, make_fact(e), false, error);
}

static hed_status put_key(writing *w, const hed_database_entry *e, hed_error *error)
{
    end_facts(w);
    end_key(w);
    put(w, w->keys_open ? ",\n" : "\"keys\": [\n");
    w->keys_open = w->key_open = true;
    w->count.keys++;
    return put_object(w, make_key(e), true, error);
}

static hed_status put_choice(writing *w, const hed_database_entry *e, hed_error *error)
{
    put(w, ",\n \"choice\":");
    w->count.choices++;
    return put_object(w, make_choice(e), false, error);
}

static hed_status put_measurement(writing *w, const hed_database_entry *e, hed_error *error)
{
    hed_status status = HED_OK;
    bool first = strcmp(w->session, e->session) != 0;
    if (first) {
        put(w, w->session[0] ? "" : ",\n \"sessions\":[");
        end_session(w);
        put(w, w->session[0] ? ",\n" : "\n");
        snprintf(w->session, sizeof w->session, "%s", e->session);
        status = put_object(w, make_session(e), true, error);
        put(w, ",\"measurements\":[");
        w->session_open = true;
    }
    put(w, first ? "\n  " : ",\n  ");
    w->count.measurements++;
    return status == HED_OK ? put_object(w, make_measurement(e), false, error) : status;
}

static hed_status put_entry(void *user, const hed_database_entry *e, hed_error *error)
{
    writing *w = user;
    if (w->stop && w->stop()) return hed_error_set(error, HED_ERROR_TIMEOUT, "interrupted");
    switch (e->kind) {
    case HED_RECORD_FACT: return put_fact(w, e, error);
    case HED_RECORD_KEY: return put_key(w, e, error);
    case HED_RECORD_CHOICE: return put_choice(w, e, error);
    default: return put_measurement(w, e, error);
    }
}

hed_status hed_exchange_export(hed_database *database, const hed_record_filter *filter,
    const char *path, bool (*stop)(void), hed_database_changes *count, hed_error *error)
{
    writing w = {.stop = stop};
    hed_record_filter wanted = filter ? *filter : (hed_record_filter){0};
    if (wanted.kinds) wanted.kinds |= HED_RECORD_KEY; /* which everything else is written into */
    hed_status status = hed_file_writer_open(path, &w.file, error);
    if (status != HED_OK) return status;
    put(&w, "{\"format\": \"heddle tuning\", \"version\": 1,\n");
    status = hed_database_each(database, &wanted, put_entry, &w, error);
    if (status != HED_OK) {
        hed_file_writer_abort(w.file);
        return status;
    }
    end_facts(&w);
    end_key(&w);
    put(&w, w.keys_open ? "\n]}\n" : "\"keys\": []}\n");
    if (count) *count = w.count;
    return hed_file_writer_commit(w.file, error);
}
