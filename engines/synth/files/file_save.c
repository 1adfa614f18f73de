/* Writer of instrument files. Reading the file returns the same entities in the same order with
 * the same bits. Default values are not written.
 *
 * A grid is written as a grid if the file's order allows it (its bodies follow all other bodies,
 * its springs precede all other springs) and no part of it was removed; its changed parts go
 * into "changes". The bodies and springs of any other grid are written one by one. An entity
 * that is referred to and has no name gets one. */
#include "files/instrument_file.h"

#include "support/file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    const hed_synth_instrument *instrument;
    FILE *stream;
    /* (entity_count + 1) true if a link, modulation or field refers to the entity */
    uint8_t *referred;
    /* index of the first grid that is written as a grid; all later ones are too */
    uint32_t first_grid;
    /* number of quote marks appended to generated grid names to make them unique */
    uint32_t marks;
    bool first; /* the current list or object is still empty */
} writer;

/* ---- text ---- */

static void save_put(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void save_put(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(w->stream, format, arguments);
    va_end(arguments);
}

static void put_string(writer *w, const char *text)
{
    save_put(w, "\"");
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\') save_put(w, "\\%c", *c);
        else if ((uint8_t)*c < 0x20) save_put(w, "\\u%04x", *c);
        else fputc(*c, w->stream);
    }
    save_put(w, "\"");
}

/* Writes digits with a decimal point in every locale; "-0" becomes "-0.0", because only a real
 * number keeps its sign in JSON. */
static void put_digits(writer *w, char *text)
{
    char *comma = strchr(text, ',');
    if (comma) *comma = '.';
    save_put(w, "%s%s", text, strcmp(text, "-0") == 0 ? ".0" : "");
}

/* Writes the fewest digits that identify the float; nine always suffice. */
static void save_put_number(writer *w, float value)
{
    char text[40];
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value) break;
    }
    put_digits(w, text);
}

static void put_vector(writer *w, const float v[3])
{
    for (uint32_t i = 0; i < 3; i++) {
        save_put(w, i ? ", " : "[");
        save_put_number(w, v[i]);
    }
    save_put(w, "]");
}

static void put_key(writer *w, const char *key)
{
    save_put(w, w->first ? "\"%s\": " : ", \"%s\": ", key);
    w->first = false;
}

static void begin_section(writer *w, const char *key)
{
    save_put(w, ",\n  \"%s\": [", key);
    w->first = true;
}

static void begin_element(writer *w)
{
    save_put(w, w->first ? "\n    {" : ",\n    {");
    w->first = true;
}

static void end_element(writer *w)
{
    save_put(w, "}");
    w->first = false;
}

/* ---- names ---- */

/* Makes "body.12", followed by `marks` quote marks that make the name unique. */
static void make_name(const char *type, uint32_t number, uint32_t marks, char *text, size_t size)
{
    int length = snprintf(text, size, "%s.%" PRIu32, type, number);
    for (uint32_t i = 0; i < marks && (size_t)length + 1 < size; i++) text[length++] = '\'';
    text[length] = 0;
}

static void grid_name(const writer *w, const synth_grid *grid, char *text, size_t size)
{
    if (grid->name) snprintf(text, size, "%s", grid->name);
    else make_name("grid", (uint32_t)(grid - w->instrument->grids), w->marks, text, size);
}

/* Finds the smallest number of marks that makes all generated grid names unique. */
static void find_marks(writer *w)
{
    char text[SYNTH_DESCRIPTION];
    for (uint32_t i = w->first_grid; i < w->instrument->grid_count; i++) {
        if (w->instrument->grids[i].name) continue;
        grid_name(w, &w->instrument->grids[i], text, sizeof text);
        if (synth_check_grid_name(w->instrument, text, NULL) == HED_OK) continue;
        w->marks++;
        /* restart: with the new number of marks an earlier name may collide */
        i = w->first_grid - 1;
    }
}

static bool in_kept_grid(const writer *w, hed_synth_entity entity)
{
    const synth_grid *grid = synth_grid_of(w->instrument, entity);
    return grid && grid >= w->instrument->grids + w->first_grid;
}

static void put_reference(writer *w, hed_synth_entity entity)
{
    enum { ROOM = 2 * SYNTH_DESCRIPTION };
    char text[ROOM], name[SYNTH_DESCRIPTION];
    if (synth_name_of(w->instrument, entity, text, sizeof text)) {
        put_string(w, text);
    } else if (in_kept_grid(w, entity)) {
        const synth_grid *grid = synth_grid_of(w->instrument, entity);
        grid_name(w, grid, name, sizeof name);
        synth_part_name(grid, name, entity, text, sizeof text);
        put_string(w, text);
    } else {
        const hed_synth_instrument *instrument = w->instrument;
        const char *type = hed_synth_entity_type_name(synth_find(instrument, entity)->type);
        uint32_t marks = 0;
        do make_name(type, entity, marks++, text, sizeof text);
        while (hed_synth_instrument_find(instrument, text) ||
               synth_find_grid(instrument, text, strlen(text)));
        put_string(w, text);
    }
}

/* ---- definitions ---- */

static void put_value(writer *w, const hed_field *field, const void *at)
{
    uint32_t word = 0;
    memcpy(&word, at, field->size < sizeof word ? field->size : sizeof word);
    switch (field->kind) {
    case HED_FIELD_NUMBER: save_put_number(w, *(const float *)at); break;
    case HED_FIELD_VECTOR: put_vector(w, at); break;
    case HED_FIELD_INTEGER: save_put(w, "%" PRIu32, word); break;
    case HED_FIELD_CHOICE: put_string(w, field->words[word]); break;
    case HED_FIELD_BOOLEAN: save_put(w, "%s", *(const bool *)at ? "true" : "false"); break;
    case HED_FIELD_OBJECT:
        for (const hed_field *part = field->fields->rows; part->key; part++) {
            save_put(w, "%s\"%s\": ", part == field->fields->rows ? "{" : ", ", part->key);
            put_value(w, part, (const char *)at + part->offset);
        }
        save_put(w, "}");
        break;
    default: put_reference(w, word); break;
    }
}

/* Writes the fields that differ from `otherwise`; with `whole` also the fields that a file must
 * have. */
static void put_fields(
    writer *w, const hed_fields *fields, const void *def, const void *otherwise, bool whole)
{
    for (const hed_field *field = fields->rows; field->key; field++) {
        const void *at = (const char *)def + field->offset,
                   *before = (const char *)otherwise + field->offset;
        if (!(whole && field->required) && synth_same_value(field, at, before)) continue;
        put_key(w, field->key);
        put_value(w, field, at);
    }
}

static void put_entities(writer *w, hed_synth_entity_type type)
{
    hed_synth_entity_def otherwise = hed_default_synth_entity_def(type);
    bool begun = false;
    for (uint32_t i = 0; i < w->instrument->counts[type]; i++) {
        hed_synth_entity entity = w->instrument->ids[type][i];
        char name[SYNTH_DESCRIPTION];
        if (type <= HED_SYNTH_SPRING && in_kept_grid(w, entity)) continue;
        if (!begun) begin_section(w, synth_fields[type].name);
        begun = true;
        begin_element(w);
        /* write the name of the entity, the name that its grid gives it, or a generated name if
         * the entity is referred to */
        if (w->referred[entity] || synth_name_of(w->instrument, entity, name, sizeof name)) {
            put_key(w, "name");
            put_reference(w, entity);
        }
        put_fields(
            w, &synth_fields[type], synth_element(w->instrument, type, i), &otherwise.as, true);
        end_element(w);
    }
    if (begun) save_put(w, "\n  ]");
}

/* ---- grids ---- */

static bool contiguous(const hed_synth_instrument *instrument, hed_synth_entity_type type,
    hed_synth_entity first, uint32_t count, uint32_t place)
{
    for (uint32_t i = 0; i < count; i++) {
        const synth_place *found = synth_find(instrument, first + i);
        if (!found || found->type != (uint32_t)type || found->index != place + i) return false;
    }
    return true;
}

/* Sets w->first_grid: from it on all grids are complete, and reading them would restore the same
 * entity numbers. */
static void find_kept_grids(writer *w)
{
    const hed_synth_instrument *instrument = w->instrument;
    uint32_t bodies = instrument->counts[HED_SYNTH_BODY], springs = 0;
    w->first_grid = instrument->grid_count;
    while (w->first_grid > 0) {
        const hed_synth_generated *generated = &instrument->grids[w->first_grid - 1].generated;
        if (generated->bodies > bodies ||
            !contiguous(instrument, HED_SYNTH_BODY, generated->first_body, generated->bodies,
                bodies - generated->bodies))
            break;
        bodies -= generated->bodies;
        w->first_grid--;
    }
    for (uint32_t g = w->first_grid; g < instrument->grid_count; g++) {
        const hed_synth_generated *generated = &instrument->grids[g].generated;
        if (!contiguous(instrument, HED_SYNTH_SPRING, generated->first_spring, generated->springs,
                springs)) {
            w->first_grid = instrument->grid_count;
            return;
        }
        springs += generated->springs;
    }
}

static void put_shape(writer *w, const hed_synth_grid_def *def, uint32_t axes)
{
    put_key(w, "size");
    for (uint32_t axis = 0; axis < axes; axis++)
        save_put(w, "%s%" PRIu32, axis ? ", " : axes > 1 ? "[" : "", def->size[axis]);
    if (axes > 1) save_put(w, "]");
    put_key(w, "origin");
    put_vector(w, def->origin);
    put_key(w, "step");
    for (uint32_t axis = 0; axis < axes; axis++) {
        save_put(w, "%s", axis ? ", " : axes > 1 ? "[" : "");
        put_vector(w, def->step[axis]);
    }
    if (axes > 1) save_put(w, "]");
    put_key(w, "anchor");
    save_put(w, "[");
    w->first = true;
    for (uint32_t end = 0; end < 2 * axes; end++) {
        if (!def->anchor_ends[end / 2][end & 1]) continue;
        save_put(w, "%s\"%s\"", w->first ? "" : ", ", synth_grid_ends[end]);
        w->first = false;
    }
    save_put(w, "]");
    w->first = false;
}

static void put_part(
    writer *w, const char *key, const hed_fields *fields, const void *def, const void *otherwise)
{
    put_key(w, key);
    save_put(w, "{");
    w->first = true;
    put_fields(w, fields, def, otherwise, false);
    save_put(w, "}");
    w->first = false;
}

static void put_positive(writer *w, const char *key, float value)
{
    if (value == 0) return;
    put_key(w, key);
    save_put_number(w, value);
}

static void put_grid(writer *w, const synth_grid *grid)
{
    const hed_synth_grid_def *def = &grid->def;
    synth_grid_kind kind = def->size[2] > 1    ? SYNTH_LATTICE
                           : def->size[1] == 1 ? SYNTH_STRING
                           : def->bend > 0     ? SYNTH_PLATE
                                               : SYNTH_MEMBRANE;
    hed_synth_grid_def otherwise = synth_default_grid(kind);
    char name[SYNTH_DESCRIPTION];
    begin_element(w);
    put_key(w, "kind");
    put_string(w, synth_grid_kinds[kind]);
    grid_name(w, grid, name, sizeof name);
    put_key(w, "name");
    put_string(w, name);
    put_shape(w, def, kind == SYNTH_STRING ? 1 : kind == SYNTH_LATTICE ? 3 : 2);
    put_part(w, "body", &synth_grid_body_fields, &def->body, &otherwise.body);
    put_part(w, "spring", &synth_grid_spring_fields, &def->spring, &otherwise.spring);
    put_positive(w, "diagonal", def->diagonal);
    put_positive(w, "bend", def->bend);
    put_positive(w, "tune", def->tune);
    if (def->tune > 0) {
        put_key(w, "rate");
        char text[40];
        snprintf(text, sizeof text, "%.17g", def->rate);
        put_digits(w, text);
    }
    end_element(w);
}

/* ---- changed parts of grids ---- */

typedef struct change_list {
    writer *w;
    bool begun;
} change_list;

static void put_change(change_list *list, hed_synth_entity_type type, hed_synth_entity entity,
    const void *current, const void *original)
{
    const hed_field *field = synth_fields[type].rows;
    while (field->key && synth_same_value(field, (const char *)current + field->offset,
                             (const char *)original + field->offset))
        field++;
    if (!field->key) return;
    if (!list->begun) begin_section(list->w, "changes");
    list->begun = true;
    begin_element(list->w);
    put_key(list->w, "entity");
    put_reference(list->w, entity);
    put_fields(list->w, &synth_fields[type], current, original, false);
    end_element(list->w);
}

static hed_status put_grid_changes(change_list *list, const synth_grid *grid, hed_error *error)
{
    const hed_synth_instrument *instrument = list->w->instrument;
    const hed_synth_generated *generated = &grid->generated;
    const hed_allocator *allocator = &instrument->allocator;
    hed_synth_grid_def resolved;
    hed_status status = synth_resolve_grid(&grid->def, &resolved, error);
    if (status != HED_OK) return status;
    hed_synth_body_def *bodies = hed_new(allocator, generated->bodies, sizeof *bodies, NULL);
    hed_synth_spring_def *springs = hed_new(allocator, generated->springs, sizeof *springs, NULL);
    if (bodies && springs) {
        synth_fill_grid(&resolved, generated->first_body, bodies, springs);
        for (uint32_t i = 0; i < generated->bodies; i++) {
            const synth_place *place = synth_find(instrument, generated->first_body + i);
            put_change(list, HED_SYNTH_BODY, generated->first_body + i,
                &instrument->bodies[place->index], &bodies[i]);
        }
        for (uint32_t i = 0; i < generated->springs; i++) {
            const synth_place *place = synth_find(instrument, generated->first_spring + i);
            put_change(list, HED_SYNTH_SPRING, generated->first_spring + i,
                &instrument->springs[place->index], &springs[i]);
        }
    } else {
        status = HED_OUT_OF_MEMORY(error, "the changes of a grid of %" PRIu32 " bodies", generated->bodies);
    }
    hed_delete(allocator, bodies, generated->bodies, sizeof *bodies);
    hed_delete(allocator, springs, generated->springs, sizeof *springs);
    return status;
}

/* ---- links and modulations ---- */

/* Counts the links from `at` on that go to all bodies of a grid in order, if that grid is
 * written as a grid; else 0. */
static uint32_t links_to_grid(const writer *w, uint32_t at)
{
    const hed_synth_instrument *instrument = w->instrument;
    const synth_link *link = &instrument->links[at];
    const synth_grid *grid = in_kept_grid(w, link->to) ? synth_grid_of(instrument, link->to) : NULL;
    if (!grid || grid->generated.bodies < 2 || grid->generated.bodies > instrument->link_count - at)
        return 0;
    for (uint32_t i = 0; i < grid->generated.bodies; i++)
        if (link[i].from != link->from || link[i].weight != link->weight ||
            link[i].to != grid->generated.first_body + i)
            return 0;
    return grid->generated.bodies;
}

static void put_links(writer *w)
{
    const hed_synth_instrument *instrument = w->instrument;
    if (instrument->link_count == 0) return;
    begin_section(w, "links");
    for (uint32_t i = 0; i < instrument->link_count;) {
        const synth_link *link = &instrument->links[i];
        uint32_t whole = links_to_grid(w, i);
        char name[SYNTH_DESCRIPTION];
        begin_element(w);
        put_key(w, "from");
        put_reference(w, link->from);
        put_key(w, "to");
        if (whole > 0) {
            grid_name(w, synth_grid_of(instrument, link->to), name, sizeof name);
            put_string(w, name);
        } else {
            put_reference(w, link->to);
        }
        if (link->weight != 1) {
            put_key(w, "weight");
            save_put_number(w, link->weight);
        }
        end_element(w);
        i += whole > 0 ? whole : 1;
    }
    save_put(w, "\n  ]");
}

static void put_modulations(writer *w)
{
    const hed_synth_instrument *instrument = w->instrument;
    if (instrument->modulation_count == 0) return;
    begin_section(w, "modulations");
    for (uint32_t i = 0; i < instrument->modulation_count; i++) {
        const hed_synth_modulation_def *def = &instrument->modulations[i];
        begin_element(w);
        put_key(w, "source");
        put_reference(w, def->source);
        put_key(w, "target");
        put_reference(w, def->entity);
        put_key(w, "parameter");
        put_string(w, hed_synth_target_name(def->target));
        put_key(w, "mode");
        put_string(w, synth_modulation_names[def->mode]);
        put_key(w, "depth");
        save_put_number(w, def->depth);
        if (def->invert) save_put(w, ", \"invert\": true");
        end_element(w);
    }
    save_put(w, "\n  ]");
}

/* Writes the macros up to the last one with a name. */
static void put_macros(writer *w)
{
    uint32_t count = HED_SYNTH_MACROS;
    while (count > 0 && !w->instrument->macros[count - 1][0]) count--;
    for (uint32_t i = 0; i < count; i++) {
        save_put(w, i ? ", " : ",\n  \"macros\": [");
        put_string(w, w->instrument->macros[i]);
    }
    if (count) save_put(w, "]");
}

/* ---- the whole ---- */

static hed_status put_document(writer *w, hed_error *error)
{
    hed_synth_instrument_def otherwise = hed_default_synth_instrument_def();
    save_put(w, "{\n  \"version\": %d,\n  \"instrument\": {", SYNTH_FILE_VERSION);
    w->first = true;
    put_fields(w, &synth_instrument_fields, &w->instrument->def, &otherwise, false);
    save_put(w, "}");
    put_macros(w);
    put_entities(w, HED_SYNTH_BODY);
    bool grids = w->first_grid < w->instrument->grid_count;
    if (grids) begin_section(w, "grids");
    for (uint32_t i = w->first_grid; i < w->instrument->grid_count; i++)
        put_grid(w, &w->instrument->grids[i]);
    if (grids) save_put(w, "\n  ]");
    put_entities(w, HED_SYNTH_SPRING);
    hed_status status = HED_OK;
    change_list changes = {.w = w};
    for (uint32_t i = w->first_grid; i < w->instrument->grid_count && !status; i++)
        status = put_grid_changes(&changes, &w->instrument->grids[i], error);
    if (changes.begun) save_put(w, "\n  ]");
    for (uint32_t type = HED_SYNTH_MICROPHONE; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
        put_entities(w, type);
    put_links(w);
    put_modulations(w);
    save_put(w, "\n}\n");
    return status;
}

/* Writes an instrument of layers, each with its whole instrument. */
static hed_status put_layers(writer *w, hed_error *error)
{
    const hed_synth_instrument *instrument = w->instrument;
    hed_synth_instrument_def otherwise = hed_default_synth_instrument_def();
    save_put(w, "{\n  \"version\": %d,\n  \"instrument\": {", SYNTH_FILE_VERSION);
    w->first = true;
    for (const hed_field *field = synth_instrument_fields.rows; field->key; field++) {
        const void *at = (const char *)&instrument->def + field->offset;
        bool is_default =
            strcmp(field->key, "tempo") == 0
                ? !instrument->has_tempo
                : synth_same_value(field, at, (const char *)&otherwise + field->offset);
        if (is_default || !synth_is_of_whole(field->key)) continue;
        put_key(w, field->key);
        put_value(w, field, at);
    }
    save_put(w, "}");
    begin_section(w, "layers");
    for (uint32_t i = 0; i < instrument->layer_count && !error->status; i++) {
        const synth_layer *layer = &instrument->layers[i];
        hed_synth_instrument *content = NULL;
        char *text = NULL;
        size_t size;
        begin_element(w);
        put_key(w, "name");
        put_string(w, layer->name);
        put_fields(w, &synth_layer_fields, layer, synth_layer_fields.defaults, false);
        put_key(w, "instrument");
        if (!synth_layer_extract(instrument, i, false, &content, error))
            hed_synth_instrument_print(content, &text, &size, error);
        /* six blanks further right, without the last line break */
        for (const char *c = text; c && *c; c++) {
            if (*c != '\n') fputc(*c, w->stream);
            else if (c[1]) save_put(w, "\n      ");
        }
        free(text);
        hed_synth_instrument_destroy(content);
        end_element(w);
    }
    save_put(w, "\n  ]\n}\n");
    return error->status;
}

/* Sets w->referred. */
static void find_referred(writer *w)
{
    const hed_synth_instrument *i = w->instrument;
    for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
        for (const hed_field *field = synth_fields[type].rows; field->key; field++)
            for (uint32_t at = 0; synth_refers(field) && at < i->counts[type]; at++)
                w->referred[synth_referred(i, type, at, field)] = 1;
    for (uint32_t at = 0; at < i->link_count; at++)
        w->referred[i->links[at].from] = w->referred[i->links[at].to] = 1;
    for (uint32_t at = 0; at < i->modulation_count; at++)
        w->referred[i->modulations[at].source] = w->referred[i->modulations[at].entity] = 1;
}

hed_status hed_synth_instrument_print(
    const hed_synth_instrument *instrument, char **text, size_t *size, hed_error *error)
{
    HED_REQUIRE(instrument, text, size);
    error = error ? error : &(hed_error){0};
    if (hed_failed(error)) return error->status;
    const hed_allocator *allocator = &instrument->allocator;
    size_t entities = (size_t)instrument->entity_count + 1;
    writer w = {.instrument = instrument, .referred = hed_new(allocator, entities, 1, NULL)};
    *text = NULL;
    w.stream = w.referred ? open_memstream(text, size) : NULL;
    if (w.stream) {
        find_referred(&w);
        find_kept_grids(&w);
        find_marks(&w);
        if (instrument->layer_count) put_layers(&w, error);
        else put_document(&w, error);
        bool is_cut = ferror(w.stream) != 0;
        if ((fclose(w.stream) || is_cut) && !error->status)
            HED_OUT_OF_MEMORY(error, "the text of an instrument");
    } else {
        HED_OUT_OF_MEMORY(error, "the text of an instrument");
    }
    hed_delete(allocator, w.referred, entities, 1);
    if (error->status) {
        free(*text);
        *text = NULL;
    }
    return error->status;
}

hed_status hed_synth_instrument_save(
    const hed_synth_instrument *instrument, const char *path, hed_error *error)
{
    HED_REQUIRE(instrument, path);
    char *text;
    size_t size;
    hed_status status = hed_synth_instrument_print(instrument, &text, &size, error);
    if (status) return status;
    status = hed_file_write(path, text, size, error);
    free(text);
    return status;
}
