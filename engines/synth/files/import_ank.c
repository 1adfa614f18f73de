/* Import of presets of Anukari's published schema: reads a preset, converts it to an instrument,
 * and reports all parts without a counterpart. The schema names values but not their units or
 * laws; values are taken in SI units, and each further guess is reported. */
#include "files/import_ank.h"

#include "model/synth_model.h"
#include "support/file.h"
#include "support/strict_math.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t largest_file = (size_t)64 << 20;

/* ---- imported entities by the file's numbers ---- */

static int by_number(const void *a, const void *b)
{
    const synth_imported *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
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
        synth_import_fit(&(synth_fitting){im, "instrument: ", field->key}, field, (char *)&def + field->offset);
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
