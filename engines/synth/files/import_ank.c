/* Import of presets of Anukari's published schema: reads a preset, converts it to an instrument,
 * and reports all parts without a counterpart. The schema names values but not their units or
 * laws; values are taken in SI units, and each further guess is reported. */
#include "files/import_ank.h"

#include "model/model.h"
#include "support/file.h"
#include "support/strict_math.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t largest_file = (size_t)64 << 20;

/* ---- the report ---- */

static void add_line(hed_synth_import_info *report, const char *format, va_list arguments)
{
    char line[HED_ERROR_TEXT + 64];
    size_t used = strlen(report->text);
    int written = vsnprintf(line, sizeof line - 1, format, arguments);
    size_t length = written < 0                         ? 0
                    : (size_t)written < sizeof line - 1 ? (size_t)written
                                                        : sizeof line - 2;
    if (report->unlisted || used + length + 2 > sizeof report->text) {
        report->unlisted++;
        return;
    }
    memcpy(report->text + used, line, length);
    memcpy(report->text + used + length, "\n", 2);
}

void synth_import_tell(synth_import *im, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_line(im->report, format, arguments);
    va_end(arguments);
    im->report->changed++;
}

void synth_import_leave_out(synth_import *im, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_line(im->report, format, arguments);
    va_end(arguments);
    im->report->left_out++;
}

/* ---- imported entities by the file's numbers ---- */

static int by_number(const void *a, const void *b)
{
    const synth_imported *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

synth_imported *synth_imported_find(const synth_import *im, synth_ank_id id)
{
    if (id.kind <= ANK_NOTHING || id.kind >= ANK_KINDS) return NULL;
    synth_imported *items = im->imported[id.kind];
    uint32_t low = 0, high = im->counts[id.kind];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (items[middle].number < id.number) low = middle + 1;
        else high = middle;
    }
    return low < im->counts[id.kind] && items[low].number == id.number ? &items[low] : NULL;
}

/* Indexes the items of a list by their numbers; every item begins with its number. */
static void number_kind(
    synth_import *im, synth_ank_kind kind, const synth_wire_list *list, size_t size)
{
    if (hed_failed(im->error)) return;
    synth_imported *numbered = im->imported[kind] =
        calloc(list->count ? list->count : 1, sizeof *numbered);
    if (!numbered) {
        hed_fail(im->error, HED_ERROR_MEMORY, "%s: no memory for %u numbers", im->name, list->count);
        return;
    }
    im->counts[kind] = list->count;
    for (uint32_t i = 0; i < list->count; i++) {
        memcpy(
            &numbered[i].number, (const char *)list->items + i * size, sizeof numbered[i].number);
        numbered[i].place = i;
    }
    if (list->count) qsort(numbered, list->count, sizeof *numbered, by_number);
}

/* ---- adding ---- */

/* A value that is being clamped to its range, and its owner for the report. */
typedef struct fitting {
    synth_import *im;
    const char *of, *key;
} fitting;

static void fit(const fitting *f, const char *part, float *value, double low, double high)
{
    float before = *value;
    if (!(*value >= (float)low)) *value = (float)low; /* NaN too */
    if (*value > (float)high) *value = (float)high;
    if (memcmp(&before, value, sizeof before) != 0)
        synth_import_tell(f->im, "%s%s%s %g -> %g, the nearest in its range", f->of, f->key, part,
            (double)before, (double)*value);
}

static void fit_vector(const fitting *f, float v[3], const hed_field *field)
{
    static const char *const parts[] = {".x", ".y", ".z"};
    for (uint32_t i = 0; i < 3; i++) fit(f, parts[i], &v[i], field->low, field->high);
    if (field->tag != SYNTH_FIELD_DIRECTION || v[0] != 0.0f || v[1] != 0.0f || v[2] != 0.0f) return;
    v[2] = 1.0f;
    synth_import_tell(f->im, "%s%s 0, 0, 0 -> 0, 0, 1", f->of, f->key);
}

static void fit_field(const fitting *f, const hed_field *field, void *at)
{
    if (field->kind == HED_FIELD_NUMBER) fit(f, "", at, field->low, field->high);
    if (field->kind == HED_FIELD_VECTOR) fit_vector(f, at, field);
    if (field->kind == HED_FIELD_INTEGER && field->size == sizeof(uint32_t)) {
        uint32_t *whole = at, before = *whole;
        if (*whole < (uint32_t)field->low) *whole = (uint32_t)field->low;
        if (*whole > (uint32_t)field->high) *whole = (uint32_t)field->high;
        if (*whole != before)
            synth_import_tell(
                f->im, "%s%s %u -> %u, the nearest in its range", f->of, f->key, before, *whole);
    }
    if (field->fields != &synth_adsr_fields) return;
    for (const hed_field *part = field->fields->rows; part->key; part++) {
        char name[32];
        snprintf(name, sizeof name, ".%s", part->key);
        fit(f, name, (float *)((char *)at + part->offset), part->low, part->high);
    }
}

hed_status synth_import_add(synth_import *im, synth_imported *imported, hed_synth_entity_def *def,
    const hed_synth_route *routes, uint32_t copies)
{
    const char *type = hed_synth_entity_type_name(def->type);
    char of[64];
    snprintf(of, sizeof of, "%s%d: ", type, imported->number);
    for (const hed_field *field = synth_fields[def->type].rows; field->key; field++)
        fit_field(&(fitting){im, of, field->key}, field, (char *)&def->as + field->offset);
    for (uint32_t i = 0; i < copies; i++) {
        char name[64];
        hed_synth_entity entity;
        hed_error error = {0};
        for (const hed_field *field = synth_fields[def->type].rows; routes && field->key; field++)
            if (field->fields == &synth_route_fields)
                memcpy((char *)&def->as + field->offset, &routes[i], sizeof *routes);
        snprintf(name, sizeof name, i ? "%s%d_%u" : "%s%d", type, imported->number, i + 1);
        hed_status status = hed_synth_instrument_add(im->instrument, def, name, &entity, &error);
        if (status == HED_ERROR_ARGUMENT) {
            synth_import_leave_out(im, "%s: %s", name, error.text);
            return HED_OK;
        }
        if (status) return hed_fail(im->error, status, "%s: %s: %s", im->name, name, error.text);
        if (i == 0) imported->first = entity;
        imported->copies = i + 1;
    }
    im->report->entities++;
    return HED_OK;
}

/* ---- the whole ---- */

static hed_synth_instrument_def make_def(synth_import *im)
{
    const synth_ank_model *m = im->model;
    hed_synth_instrument_def def = hed_default_synth_instrument_def();
    if (m->mode >= HED_SYNTH_SINGLETON && m->mode <= HED_SYNTH_VOICES_MPE)
        def.mode = (hed_synth_voice_mode)m->mode;
    else synth_import_tell(im, "MIDI mode %d is not known: one instance", m->mode);
    if (m->voices > 0) def.voices = (uint32_t)m->voices;
    else if (def.mode != HED_SYNTH_SINGLETON)
        synth_import_tell(im, "%d voices: not told, or none; %u", m->voices, def.voices);
    if (m->ranged && m->notes.low >= 0 && m->notes.low <= m->notes.high && m->notes.high <= 127) {
        def.low = (uint8_t)m->notes.low;
        def.high = (uint8_t)m->notes.high;
    } else if (m->ranged) {
        synth_import_tell(im, "notes %d to %d: all are heard", m->notes.low, m->notes.high);
    }
    def.bend_range = m->bends ? (float)m->bend_semitones : 0.0f;
    def.note_bend_range = (float)m->note_bend_semitones;
    if (m->beats_a_second > 0.0f) def.tempo = 60.0f * m->beats_a_second;
    def.gain = m->gain;
    def.limit = m->limit;
    if (m->limit_release > 0.0f) def.limit_release = m->limit_release;
    if (m->pan != 0.0f) synth_import_tell(im, "master pan %g: there is none here", (double)m->pan);
    if (m->wet != 0.0f && m->wet != 1.0f)
        synth_import_tell(
            im, "master dry and wet %g: there is no such mix here, all is wet", (double)m->wet);
    if (def.mode == HED_SYNTH_VOICES_MPE && m->zone)
        synth_import_tell(im, "MPE zone: the lower one, until MIDI says otherwise");
    if (def.mode != HED_SYNTH_SINGLETON)
        synth_import_tell(im, "root note: the format has none; %g", (double)def.root_note);
    for (const hed_field *field = synth_instrument_fields.rows; field->key; field++)
        fit_field(&(fitting){im, "instrument: ", field->key}, field, (char *)&def + field->offset);
    return def;
}

/* Lowers the highest note until the instrument is proven stable at 48 kHz: a stiff instrument
 * loses its high notes instead of failing. */
static hed_status limit_notes(synth_import *im)
{
    if (hed_failed(im->error)) return im->error->status;
    hed_synth_instrument_def def = *hed_synth_instrument_definition(im->instrument);
    hed_synth_stability stability;
    hed_status status =
        hed_synth_instrument_stability(im->instrument, 48000.0, &stability, im->error);
    if (status || !stability.unsafe || def.mode == HED_SYNTH_SINGLETON) return status;
    double semitones = 6.0 * hed_strict_log2(stability.worst / 2.0);
    double high = floor(def.high - semitones - 1e-6);
    /* even the lowest note is not proven stable: the cause is not dilation */
    if (!(high >= def.low)) return HED_OK;
    synth_import_tell(
        im, "notes above %.0f, of %u: not proven stable at 48 kHz, not played", high, def.high);
    def.high = (uint8_t)high;
    return hed_synth_instrument_set_def(im->instrument, &def, im->error);
}

static hed_status convert(synth_import *im)
{
    const synth_ank_model *m = im->model;
    if (m->bodies.count == 0)
        return hed_fail(im->error, HED_ERROR_FORMAT,
            "%s has no body: this is no preset, or an empty one", im->name);
    hed_synth_instrument_def def = make_def(im);
    hed_synth_instrument_create(NULL, &def, &im->instrument, im->error);
    synth_name_file(im->instrument, im->name, im->error);
    number_kind(im, ANK_BODY, &m->bodies, sizeof(synth_ank_body));
    number_kind(im, ANK_SENSOR, &m->sensors, sizeof(synth_ank_sensor));
    number_kind(im, ANK_EXCITER, &m->exciters, sizeof(synth_ank_exciter));
    number_kind(im, ANK_MODULATOR, &m->modulators, sizeof(synth_ank_modulator));
    number_kind(im, ANK_LINK, &m->links, sizeof(synth_ank_link));
    synth_import_sort_routes(im);
    synth_import_entities(im);
    synth_import_links(im);
    hed_status status = limit_notes(im);
    for (uint32_t kind = 0; kind < ANK_KINDS; kind++) free(im->imported[kind]);
    free(im->targets);
    if (!status) return HED_OK;
    hed_synth_instrument_destroy(im->instrument);
    im->instrument = NULL;
    return status;
}

hed_status hed_synth_instrument_parse_ank(const void *bytes, size_t size, const char *name,
    hed_synth_instrument **instrument, hed_synth_import_info *report, hed_error *error)
{
    HED_REQUIRE(bytes || !size, name, instrument);
    hed_error local_error = {0};
    if (!error)
        error = &local_error; /* later steps test `error` to see whether an earlier one failed */
    hed_synth_import_info unread;
    synth_ank_model model = {0};
    synth_import im = {
        .model = &model, .report = report ? report : &unread, .name = name, .error = error};
    *im.report = (hed_synth_import_info){0};
    hed_status status = synth_wire_read(&synth_ank_schema, bytes, size, name, &model, error);
    if (!status) status = convert(&im);
    synth_wire_free(&synth_ank_schema, &model);
    *instrument = im.instrument;
    return status;
}

hed_status hed_synth_instrument_read_ank(const char *path, hed_synth_instrument **instrument,
    hed_synth_import_info *report, hed_error *error)
{
    HED_REQUIRE(path, instrument);
    *instrument = NULL;
    char *bytes;
    size_t size;
    hed_status status = hed_file_read(path, largest_file, &bytes, &size, error);
    if (status) return status;
    status = hed_synth_instrument_parse_ank(bytes, size, path, instrument, report, error);
    free(bytes);
    return status;
}
