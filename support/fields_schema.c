/* JSON schema and documentation from tables of fields. */
#include "support/fields.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ---- */

/* Writes a JSON string. */
static void schema_put_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

/* Writes a form's schema, with " in place of '. */
static void schema_put_json(FILE *file, const char *json)
{
    for (; *json; json++) fputc(*json == '\'' ? '"' : *json, file);
}

/* Writes the fewest digits that identify the number, or the float (`narrow`). */
static void schema_put_number(FILE *file, double value, bool narrow)
{
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (narrow ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value) break;
    }
    fputs(text, file);
}

/* Writes the meaning with its unit. */
static void schema_put_help(FILE *file, const hed_field *field)
{
    const char *help = field->help ? field->help : "";
    char text[1024];
    snprintf(text, sizeof text, "%s%s%s", help, *help && field->unit ? ", " : "",
        field->unit ? field->unit : "");
    if (!*text) return;
    fputs(", \"description\": ", file);
    schema_put_text(file, text);
}

/* ---- ranges and defaults ---- */

static bool has_low(const hed_field *field) { return field->low > -HED_FIELD_ANY; }

static bool has_high(const hed_field *field)
{
    return field->high < (field->kind == HED_FIELD_INTEGER ? 9e15 : HED_FIELD_ANY);
}

static void schema_put_range(FILE *file, const hed_field *field)
{
    if (has_low(field)) {
        fputs(", \"minimum\": ", file);
        schema_put_number(file, field->low, false);
    }
    if (has_high(field)) {
        fputs(", \"maximum\": ", file);
        schema_put_number(file, field->high, false);
    }
}

/* Returns the row's default. NULL: unknown, or a value that no file may have, which represents a
 * rule; a member with a reader may have another unit. */
static const void *field_default(const hed_fields *fields, const hed_field *field)
{
    if (!fields->defaults || field->required || field->read || field->size == 0) return NULL;
    const char *at = (const char *)fields->defaults + field->offset;
    double value = 0;
    float narrow;
    uint32_t word;
    switch (field->kind) {
    case HED_FIELD_NUMBER:
        if (field->size == sizeof narrow)
            memcpy(&narrow, at, sizeof narrow), value = (double)narrow;
        else memcpy(&value, at, sizeof value);
        return value >= field->low && value <= field->high ? at : NULL;
    case HED_FIELD_INTEGER:
        if (field->size != sizeof word) return at;
        memcpy(&word, at, sizeof word);
        return word >= field->low && word <= field->high ? at : NULL;
    case HED_FIELD_VECTOR: return field->count ? at : NULL;
    case HED_FIELD_BOOLEAN:
    case HED_FIELD_CHOICE: return at;
    default: return NULL;
    }
}

static void put_float_or_double(FILE *file, const char *at, size_t size)
{
    float narrow;
    double value;
    if (size == sizeof narrow) memcpy(&narrow, at, size), value = (double)narrow;
    else memcpy(&value, at, size);
    schema_put_number(file, value, size == sizeof narrow);
}

/* Writes a value; `quote` surrounds a word. */
static void schema_put_value(FILE *file, const hed_field *field, const char *at, char quote)
{
    uint32_t word;
    uint64_t wide;
    switch (field->kind) {
    case HED_FIELD_INTEGER:
        if (field->size == 1) wide = *(const uint8_t *)at;
        else if (field->size == 4) memcpy(&word, at, 4), wide = word;
        else memcpy(&wide, at, 8);
        fprintf(file, "%" PRIu64, wide);
        break;
    case HED_FIELD_BOOLEAN: fputs(*(const bool *)at ? "true" : "false", file); break;
    case HED_FIELD_CHOICE:
        memcpy(&word, at, sizeof word);
        fprintf(file, "%c%s%c", quote, field->words[word], quote);
        break;
    case HED_FIELD_VECTOR:
        for (uint32_t i = 0; i < field->count; i++) {
            fputs(i ? ", " : "[", file);
            put_float_or_double(
                file, at + i * (field->size / field->count), field->size / field->count);
        }
        fputc(']', file);
        break;
    default: put_float_or_double(file, at, field->size);
    }
}

/* ---- schema ---- */

static void schema_put_reference(FILE *file, const char *name)
{
    fprintf(file, "\"$ref\": \"#/$defs/%s\"", name);
}

static void schema_put_field(FILE *file, const hed_fields *fields, const hed_field *field)
{
    fputc('{', file);
    switch (field->kind) {
    case HED_FIELD_NUMBER:
    case HED_FIELD_INTEGER:
        fprintf(file, "\"type\": \"%s\"", field->kind == HED_FIELD_NUMBER ? "number" : "integer");
        schema_put_range(file, field);
        break;
    case HED_FIELD_BOOLEAN: fputs("\"type\": \"boolean\"", file); break;
    case HED_FIELD_TEXT: fputs("\"type\": \"string\"", file); break;
    case HED_FIELD_CHOICE:
        fputs("\"enum\": [", file);
        for (uint32_t i = 0; field->words[i]; i++) {
            if (i) fputs(", ", file);
            schema_put_text(file, field->words[i]);
        }
        fputc(']', file);
        break;
    case HED_FIELD_VECTOR:
        fputs("\"type\": \"array\"", file);
        if (field->count)
            fprintf(file, ", \"minItems\": %u, \"maxItems\": %u", field->count, field->count);
        fputs(", \"items\": {\"type\": \"number\"", file);
        schema_put_range(file, field);
        fputc('}', file);
        break;
    case HED_FIELD_OBJECT: schema_put_reference(file, field->fields->name); break;
    case HED_FIELD_LIST:
        fputs("\"type\": \"array\"", file);
        if (field->low > 0) fprintf(file, ", \"minItems\": %.0f", field->low);
        if (has_high(field)) fprintf(file, ", \"maxItems\": %.0f", field->high);
        fputs(", \"items\": {", file);
        schema_put_reference(file, field->fields ? field->fields->name : field->form);
        fputc('}', file);
        break;
    case HED_FIELD_OTHER: schema_put_reference(file, field->form); break;
    }
    const char *value = field_default(fields, field);
    if (value) {
        fputs(", \"default\": ", file);
        schema_put_value(file, field, value, '"');
    }
    schema_put_help(file, field);
    fputc('}', file);
}

/* Writes the members of an object's schema; `indent` is that of its keys. */
static void schema_put_object(FILE *file, const hed_fields *fields, const char *indent)
{
    uint32_t required = 0;
    fputs("\"type\": \"object\"", file);
    for (const hed_field *field = fields->rows; field->key; field++) {
        if (!field->required) continue;
        fputs(required++ ? ", " : ", \"required\": [", file);
        schema_put_text(file, field->key);
    }
    if (required) fputc(']', file);
    for (const char *const *key = fields->one_of; key && *key; key++)
        fprintf(file, "%s{\"required\": [\"%s\"]}%s",
            key == fields->one_of ? ", \"oneOf\": [" : ", ", *key, key[1] ? "" : "]");
    if (fields->rule) {
        fputs(", ", file);
        schema_put_json(file, fields->rule);
    }
    fputs(", \"additionalProperties\": false, \"properties\": {\n", file);
    for (const hed_field *field = fields->rows; field->key; field++) {
        fprintf(file, "%s\"%s\": ", indent, field->key);
        schema_put_field(file, fields, field);
        fputs(field[1].key ? ",\n" : "}", file);
    }
}

void hed_document_write_schema(const hed_document *document, FILE *file)
{
    fputs(
        "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"title\": ", file);
    schema_put_text(file, document->title);
    fputs(",\n  \"description\": ", file);
    schema_put_text(file, document->help);
    fputs(",\n  ", file);
    schema_put_object(file, document->tables[0], "    ");
    fputs(",\n  \"$defs\": {", file);
    const char *separator = "";
    for (const hed_form *form = document->forms; form && form->name; form++, separator = ",") {
        fprintf(file, "%s\n    \"%s\": {\"description\": ", separator, form->name);
        schema_put_text(file, form->help);
        fputs(", ", file);
        schema_put_json(file, form->json);
        fputc('}', file);
    }
    for (const hed_fields *const *table = document->tables + 1; *table; table++, separator = ",") {
        fprintf(file, "%s\n    \"%s\": {", separator, (*table)->name);
        if ((*table)->help) {
            fputs("\"description\": ", file);
            schema_put_text(file, (*table)->help);
            fputs(", ", file);
        }
        schema_put_object(file, *table, "      ");
        fputc('}', file);
    }
    fputs("\n  }\n}\n", file);
}

/* ---- tables of keys ---- */

static void tables_put_range(FILE *file, const hed_field *field)
{
    if (has_low(field) && has_high(field))
        fprintf(file, " from %.10g to %.10g", field->low, field->high);
    else if (has_low(field)) fprintf(file, ", at least %.10g", field->low);
    else if (has_high(field)) fprintf(file, ", at most %.10g", field->high);
}

/* Writes the words of a form, or the name of a table. */
static void tables_put_form(FILE *file, const hed_document *document, const char *name)
{
    const hed_form *form = document->forms;
    while (form->name && strcmp(form->name, name) != 0) form++;
    if (form->name) fputs(form->help, file);
    else fprintf(file, "object: `%s`", name);
}

static void tables_put_kind(FILE *file, const hed_document *document, const hed_field *field)
{
    switch (field->kind) {
    case HED_FIELD_NUMBER:
    case HED_FIELD_INTEGER:
        fputs(field->kind == HED_FIELD_NUMBER ? "number" : "integer", file);
        tables_put_range(file, field);
        break;
    case HED_FIELD_BOOLEAN: fputs("boolean", file); break;
    case HED_FIELD_TEXT: fputs("text", file); break;
    case HED_FIELD_CHOICE:
        for (uint32_t i = 0; field->words[i]; i++)
            fprintf(file, "%s`%s`", i ? ", " : "", field->words[i]);
        break;
    case HED_FIELD_VECTOR:
        if (field->count) fprintf(file, "%u numbers", field->count);
        else fputs("list of numbers", file);
        tables_put_range(file, field);
        break;
    case HED_FIELD_OBJECT: fprintf(file, "object: `%s`", field->fields->name); break;
    case HED_FIELD_LIST:
        fputs("list of ", file);
        if (field->fields) fprintf(file, "`%s`", field->fields->name);
        else tables_put_form(file, document, field->form);
        break;
    case HED_FIELD_OTHER: tables_put_form(file, document, field->form); break;
    }
    if (field->unit) fprintf(file, ", %s", field->unit);
}

static void tables_put_row(
    FILE *file, const hed_document *document, const hed_fields *fields, const hed_field *field)
{
    fprintf(file, "| `%s`%s | ", field->key, field->required ? " (required)" : "");
    tables_put_kind(file, document, field);
    const char *value = field_default(fields, field);
    if (value) {
        fputs("; ", file);
        schema_put_value(file, field, value, '`');
    }
    const char *help = field->help ? field->help : field->fields ? field->fields->help : NULL;
    fprintf(file, " | %s", help ? help : "");
    const hed_field *choice = field->with ? hed_fields_find(fields, field->with) : NULL;
    const char *lead = " (only for `";
    for (uint32_t i = 0; choice && choice->words && choice->words[i]; i++) {
        if (!(field->with_values >> i & 1)) continue;
        fprintf(file, "%s%s`", lead, choice->words[i]);
        lead = ", `";
    }
    fprintf(file, "%s |\n", choice && choice->words ? ")" : "");
}

void hed_document_write_tables(const hed_document *document, FILE *file)
{
    for (const hed_fields *const *table = document->tables; *table; table++) {
        if ((*table)->name[0])
            fprintf(file, "\n`%s`%s%s\n", (*table)->name, (*table)->help ? ": " : "",
                (*table)->help ? (*table)->help : "");
        fputs("\n| key | value | meaning |\n|---|---|---|\n", file);
        for (const hed_field *field = (*table)->rows; field->key; field++)
            if (field->key[0] != '$') tables_put_row(file, document, *table, field);
    }
}
