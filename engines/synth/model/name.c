/* Names of entities, of grids, and of parts of grids ("string1[3]", "plate[4,*]",
 * "string1.springs[0..2]"). */
#include "model/synth_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Finds a text in the name table: returns the index of an entity's name, or a grid's index with
 * SYNTH_GRID_NAME. */
static uint32_t names_find(const hed_synth_instrument *instrument, const char *text, size_t length)
{
    uint32_t probe = 0, hash = synth_hash_text(text, length), place;
    while ((place = synth_table_next(&instrument->name_table, hash, &probe)) != SYNTH_NO_PLACE) {
        const char *name = place & SYNTH_GRID_NAME
                               ? instrument->grids[place & ~SYNTH_GRID_NAME].name
                               : instrument->names[place].text;
        if (strncmp(name, text, length) == 0 && name[length] == 0) break;
    }
    return place;
}

const synth_grid *synth_find_grid(
    const hed_synth_instrument *instrument, const char *text, size_t length)
{
    uint32_t place = names_find(instrument, text, length);
    bool is_grid = place != SYNTH_NO_PLACE && place & SYNTH_GRID_NAME;
    return is_grid ? &instrument->grids[place & ~SYNTH_GRID_NAME] : NULL;
}

static uint32_t names_dimensions(const synth_grid *grid)
{
    return grid->def.size[2] > 1 ? 3 : grid->def.size[1] > 1 ? 2 : 1;
}

/* ---- parts of grids ---- */

/* Reads digits at `*at`; false if there are none or too many. */
static bool read_index(const char **at, uint32_t *value)
{
    const char *begin = *at;
    for (*value = 0; **at >= '0' && **at <= '9' && *at - begin < 9; (*at)++)
        *value = 10 * *value + (uint32_t)(**at - '0');
    return *at > begin;
}

/* Reads "*", "3" or "0..9" along one axis. */
static bool read_axis(const char **at, uint32_t size, uint32_t *low, uint32_t *high)
{
    *low = 0;
    *high = size - 1;
    if (**at == '*') {
        (*at)++;
        return true;
    }
    if (!read_index(at, low)) return false;
    *high = *low;
    if (strncmp(*at, "..", 2) != 0) return true;
    *at += 2;
    return read_index(at, high);
}

static bool read_axes(const char *at, const char *text, const synth_grid *grid, synth_box *box,
    char *reason, size_t room)
{
    const uint32_t *size = grid->def.size;
    uint32_t count = names_dimensions(grid);
    for (uint32_t axis = 0; axis < count; axis++) {
        if (!read_axis(&at, size[axis], &box->low[axis], &box->high[axis]) ||
            *at != (axis + 1 < count ? ',' : ']')) {
            snprintf(reason, room,
                "expected %" PRIu32
                " of \"3\", \"0..9\" or \"*\" in the brackets of \"%s\", with commas between",
                count, text);
            return false;
        }
        if (box->high[axis] >= size[axis] || box->low[axis] > box->high[axis]) {
            snprintf(reason, room,
                "\"%s\" is outside \"%s\", whose places along axis %" PRIu32 " are 0 to %" PRIu32,
                text, grid->name, axis, size[axis] - 1);
            return false;
        }
        at++;
    }
    if (*at == 0) return true;
    snprintf(reason, room, "nothing may stand behind the bracket of \"%s\"", text);
    return false;
}

/* Reads "springs", "springs[3]" or "springs[0..9]", the text after a grid's name and a point. */
static bool read_springs(
    const char *at, const char *text, synth_reference *reference, char *reason, size_t room)
{
    const hed_synth_generated *generated = &reference->grid->generated;
    uint32_t low = 0, high = generated->springs - 1;
    bool is_valid = strncmp(at, "springs", 7) == 0 && generated->springs > 0;
    at += is_valid ? 7 : 0;
    if (is_valid && *at == '[') {
        at++;
        is_valid = read_axis(&at, generated->springs, &low, &high) && *at++ == ']';
    }
    reference->first = generated->first_spring + low;
    reference->count = high - low + 1;
    if (is_valid && *at == 0 && low <= high && high < generated->springs) return true;
    snprintf(reason, room,
        "\"%s\" is none of \"%s\"'s %" PRIu32
        " springs; expected something like \"%s.springs[0..9]\"",
        text, reference->grid->name, generated->springs, reference->grid->name);
    return false;
}

bool synth_refer(const hed_synth_instrument *instrument, const char *text,
    synth_reference *reference, char *reason, size_t room)
{
    *reference = (synth_reference){.count = 1};
    uint32_t place = names_find(instrument, text, strlen(text));
    if (place != SYNTH_NO_PLACE && !(place & SYNTH_GRID_NAME)) {
        reference->first = instrument->names[place].entity;
        return true;
    }
    /* a grid's name may contain points and brackets: only the last ones end it */
    size_t length = strlen(text);
    const char *point = strstr(text, ".springs"),
               *bracket = length > 0 && text[length - 1] == ']' ? strrchr(text, '[') : NULL;
    size_t end = point ? (size_t)(point - text) : bracket ? (size_t)(bracket - text) : length;
    reference->grid = place != SYNTH_NO_PLACE ? &instrument->grids[place & ~SYNTH_GRID_NAME]
                                              : synth_find_grid(instrument, text, end);
    if (!reference->grid) {
        snprintf(reason, room, "nothing has the name \"%s\"", text);
        return false;
    }
    if (place == SYNTH_NO_PLACE && point)
        return read_springs(point + 1, text, reference, reason, room);
    synth_box *box = &reference->box;
    for (uint32_t axis = 0; axis < 3; axis++) box->high[axis] = reference->grid->def.size[axis] - 1;
    if (place == SYNTH_NO_PLACE && bracket &&
        !read_axes(bracket + 1, text, reference->grid, box, reason, room))
        return false;
    reference->count = 1;
    for (uint32_t axis = 0; axis < 3; axis++)
        reference->count *= box->high[axis] - box->low[axis] + 1;
    return true;
}

hed_synth_entity synth_reference_at(const synth_reference *reference, uint32_t index)
{
    if (!reference->grid || reference->first) return reference->first + index;
    const uint32_t *size = reference->grid->def.size, *low = reference->box.low,
                   *high = reference->box.high;
    uint32_t nx = high[0] - low[0] + 1, ny = high[1] - low[1] + 1;
    uint32_t i = low[0] + index % nx, j = low[1] + index / nx % ny, k = low[2] + index / nx / ny;
    return reference->grid->generated.first_body + (k * size[1] + j) * size[0] + i;
}

hed_synth_entity hed_synth_instrument_find(const hed_synth_instrument *instrument, const char *name)
{
    if (!instrument || !name) return 0;
    synth_reference reference;
    char reason[SYNTH_DESCRIPTION];
    if (!synth_refer(instrument, name, &reference, reason, sizeof reason) || reference.count != 1)
        return 0;
    hed_synth_entity entity = synth_reference_at(&reference, 0);
    return synth_find(instrument, entity) ? entity : 0;
}

/* ---- text for an entity ---- */

const synth_grid *synth_grid_of(const hed_synth_instrument *instrument, hed_synth_entity entity)
{
    uint32_t low = 0, high = instrument->grid_count;
    /* find the last grid that begins at or before the entity; grids are sorted by entity number */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (instrument->grids[middle].generated.first_body <= entity) low = middle + 1;
        else high = middle;
    }
    const synth_grid *grid = low > 0 ? &instrument->grids[low - 1] : NULL;
    return grid && entity - grid->generated.first_body <
                       grid->generated.bodies + grid->generated.springs
               ? grid
               : NULL;
}

void synth_part_name(
    const synth_grid *grid, const char *name, hed_synth_entity entity, char *text, size_t size)
{
    uint32_t at = entity - grid->generated.first_body, nx = grid->def.size[0],
             ny = grid->def.size[1];
    uint32_t i = at % nx, j = at / nx % ny, k = at / nx / ny;
    if (entity >= grid->generated.first_spring)
        snprintf(
            text, size, "%s.springs[%" PRIu32 "]", name, entity - grid->generated.first_spring);
    else if (names_dimensions(grid) == 1) snprintf(text, size, "%s[%" PRIu32 "]", name, i);
    else if (names_dimensions(grid) == 2) snprintf(text, size, "%s[%" PRIu32 ",%" PRIu32 "]", name, i, j);
    else snprintf(text, size, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", name, i, j, k);
}

bool synth_name_of(
    const hed_synth_instrument *instrument, hed_synth_entity entity, char *text, size_t size)
{
    const char *name = hed_synth_instrument_name(instrument, entity);
    const synth_grid *grid = name[0] ? NULL : synth_grid_of(instrument, entity);
    text[0] = 0;
    if (name[0]) snprintf(text, size, "%s", name);
    else if (grid && grid->name) synth_part_name(grid, grid->name, entity, text, size);
    return text[0] != 0;
}

const char *hed_synth_instrument_describe(
    const hed_synth_instrument *instrument, hed_synth_entity entity, char *text, size_t size)
{
    if (!instrument || (!text && size)) return "";
    const synth_place *place = synth_find(instrument, entity);
    char name[SYNTH_DESCRIPTION - 2];
    if (synth_name_of(instrument, entity, name, sizeof name)) snprintf(text, size, "\"%s\"", name);
    else if (place)
        snprintf(text, size, "%s %" PRIu32, hed_synth_entity_type_name(place->type), place->index);
    else snprintf(text, size, "entity %" PRIu32 " (there is none)", entity);
    return text;
}

/* Hash table of indices: linear probing, power-of-two capacity. */

uint32_t synth_hash_text(const char *text, size_t length)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < length; i++) hash = (hash ^ (uint8_t)text[i]) * 16777619u;
    return hash;
}

uint32_t synth_hash_pair(uint32_t a, uint32_t b)
{
    /* finalizer of SplitMix64: every bit of the pair affects every bit of the hash */
    uint64_t x = (uint64_t)a << 32 | b;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)(x ^ x >> 31);
}

static void insert(synth_table *table, uint64_t slot)
{
    uint32_t at = (uint32_t)(slot >> 32) & (table->capacity - 1);
    while (table->slots[at]) at = (at + 1) & (table->capacity - 1);
    table->slots[at] = slot;
}

static bool names_grow(synth_table *table, const hed_allocator *allocator)
{
    synth_table larger = {
        .capacity = table->capacity ? 2 * table->capacity : 16, .count = table->count};
    larger.slots = hed_new(allocator, larger.capacity, sizeof *larger.slots, NULL);
    if (!larger.slots) return false;
    for (uint32_t i = 0; i < table->capacity; i++)
        if (table->slots[i]) insert(&larger, table->slots[i]);
    synth_table_free(table, allocator);
    *table = larger;
    return true;
}

bool synth_table_put(
    synth_table *table, const hed_allocator *allocator, uint32_t hash, uint32_t place)
{
    if (2 * (uint64_t)table->count >= table->capacity &&
        (table->capacity == 1u << 31 || !names_grow(table, allocator)))
        return false;
    insert(table, (uint64_t)hash << 32 | (place + 1));
    table->count++;
    return true;
}

uint32_t synth_table_next(const synth_table *table, uint32_t hash, uint32_t *probe)
{
    while (table->capacity) {
        uint64_t slot = table->slots[(hash + (*probe)++) & (table->capacity - 1)];
        if (!slot) break;
        if (slot >> 32 == hash) return (uint32_t)slot - 1;
    }
    return SYNTH_NO_PLACE;
}

void synth_table_clear(synth_table *table)
{
    if (table->slots) memset(table->slots, 0, table->capacity * sizeof *table->slots);
    table->count = 0;
}

void synth_table_free(synth_table *table, const hed_allocator *allocator)
{
    hed_delete(allocator, table->slots, table->capacity, sizeof *table->slots);
    *table = (synth_table){0};
}

const char *hed_synth_solver_name(hed_synth_solver solver)
{
    static const char *const names[] = {"auto", "cpu", "group", "global", "grid"};
    return (unsigned)solver < HED_SYNTH_SOLVER_COUNT ? names[solver] : "unknown";
}

const synth_place *synth_find(const hed_synth_instrument *instrument, hed_synth_entity entity)
{
    if (entity == 0 || entity > instrument->entity_count) return NULL;
    const synth_place *place = &instrument->places[entity];
    return place->type < HED_SYNTH_ENTITY_TYPE_COUNT ? place : NULL;
}

const char *hed_synth_instrument_name(
    const hed_synth_instrument *instrument, hed_synth_entity entity)
{
    if (!instrument) return "";
    uint32_t low = 0, high = instrument->name_count; /* names are sorted by entity number */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (instrument->names[middle].entity < entity) low = middle + 1;
        else high = middle;
    }
    return low < instrument->name_count && instrument->names[low].entity == entity
               ? instrument->names[low].text
               : "";
}
