/* Entities of an import: found by the file's numbers, fitted into Heddle's ranges, added; and the
 * report of the parts without a counterpart. */
#include "files/import_ank.h"
#include "model/synth_model.h"
#include "support/strict_math.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void fit(const synth_fitting *f, const char *part, float *value, double low, double high)
{
    float before = *value;
    if (!(*value >= (float)low)) *value = (float)low; /* NaN too */
    if (*value > (float)high) *value = (float)high;
    if (memcmp(&before, value, sizeof before) != 0)
        synth_import_tell(f->im, "%s%s%s %g -> %g, the nearest in its range", f->of, f->key, part,
            (double)before, (double)*value);
}

static void fit_vector(const synth_fitting *f, float v[3], const hed_field *field)
{
    static const char *const parts[] = {".x", ".y", ".z"};
    for (uint32_t i = 0; i < 3; i++) fit(f, parts[i], &v[i], field->low, field->high);
    if (field->tag != SYNTH_FIELD_DIRECTION || v[0] != 0.0f || v[1] != 0.0f || v[2] != 0.0f) return;
    v[2] = 1.0f;
    synth_import_tell(f->im, "%s%s 0, 0, 0 -> 0, 0, 1", f->of, f->key);
}

void synth_import_fit(const synth_fitting *f, const hed_field *field, void *at)
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
        synth_import_fit(
            &(synth_fitting){im, of, field->key}, field, (char *)&def->as + field->offset);
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
