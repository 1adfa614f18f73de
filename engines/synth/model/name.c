/* Names: of entities, of grids, and of the bodies that a grid made ("string1[3]", "plate[4,7]", "lattice[0..9,*,2]"). */
#include "model/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool same(const char *name, const char *text, size_t length)
{
    return strncmp(name, text, length) == 0 && name[length] == 0;
}

/* Place in the name table: of an entity's name, or with SYNTH_GRID_NAME of a grid. */
static uint32_t find(const hed_instrument *instrument, const char *text, size_t length)
{
    uint32_t probe = 0, hash = synth_hash_text(text, length), place;
    while ((place = synth_table_next(&instrument->name_table, hash, &probe)) != SYNTH_NO_PLACE) {
        const char *name = place & SYNTH_GRID_NAME ? instrument->grids[place & ~SYNTH_GRID_NAME].name : instrument->names[place].text;
        if (same(name, text, length)) break;
    }
    return place;
}

const synth_grid *synth_find_grid(const hed_instrument *instrument, const char *text, size_t length)
{
    uint32_t place = find(instrument, text, length);
    bool found = place != SYNTH_NO_PLACE && place & SYNTH_GRID_NAME;
    return found ? &instrument->grids[place & ~SYNTH_GRID_NAME] : NULL;
}

static uint32_t dimensions(const synth_grid *grid)
{
    return grid->def.size[2] > 1 ? 3 : grid->def.size[1] > 1 ? 2 : 1;
}

/* ---- parts of grids ---- */

/* Digits at `*at`: false where there are none, or too many. */
static bool read_index(const char **at, uint32_t *value)
{
    const char *begin = *at;
    for (*value = 0; **at >= '0' && **at <= '9' && *at - begin < 9; (*at)++)
        *value = 10 * *value + (uint32_t)(**at - '0');
    return *at > begin;
}

/* "*", "3" or "0..9" along one axis. */
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

static bool read_axes(const char *at, const char *text, synth_box *box, char *reason, size_t room)
{
    const uint32_t *size = box->grid->def.size;
    uint32_t count = dimensions(box->grid);
    for (uint32_t axis = 0; axis < count; axis++) {
        if (!read_axis(&at, size[axis], &box->low[axis], &box->high[axis]) || *at != (axis + 1 < count ? ',' : ']')) {
            snprintf(reason, room, "expected %" PRIu32 " of \"3\", \"0..9\" or \"*\" in the brackets of \"%s\", with commas between", count, text);
            return false;
        }
        if (box->high[axis] >= size[axis] || box->low[axis] > box->high[axis]) {
            snprintf(reason, room, "\"%s\" is outside \"%s\", whose places along axis %" PRIu32 " are 0 to %" PRIu32, text, box->grid->name,
                     axis, size[axis] - 1);
            return false;
        }
        at++;
    }
    if (*at == 0) return true;
    snprintf(reason, room, "nothing may stand behind the bracket of \"%s\"", text);
    return false;
}

bool synth_parse_box(const hed_instrument *instrument, const char *text, synth_box *box, char *reason, size_t room)
{
    size_t length = strlen(text);
    const char *bracket = length > 0 && text[length - 1] == ']' ? strrchr(text, '[') : NULL;
    *box = (synth_box){.grid = synth_find_grid(instrument, text, bracket ? (size_t)(bracket - text) : length)};
    if (!box->grid) {
        snprintf(reason, room, "no \"%s\"", text);
        return false;
    }
    for (uint32_t axis = 0; axis < 3; axis++)
        box->high[axis] = box->grid->def.size[axis] - 1;
    return !bracket || read_axes(bracket + 1, text, box, reason, room);
}

hed_entity synth_box_body(const synth_box *box, uint32_t i, uint32_t j, uint32_t k)
{
    const uint32_t *size = box->grid->def.size;
    return box->grid->generated.first_body + (k * size[1] + j) * size[0] + i;
}

hed_entity synth_find_name(const hed_instrument *instrument, const char *text)
{
    uint32_t place = find(instrument, text, strlen(text));
    if (place != SYNTH_NO_PLACE) return place & SYNTH_GRID_NAME ? 0 : instrument->names[place].entity;
    synth_box box;
    char reason[SYNTH_DESCRIPTION];
    if (!strchr(text, '[') || !synth_parse_box(instrument, text, &box, reason, sizeof reason)) return 0;
    if (memcmp(box.low, box.high, sizeof box.low) != 0) return 0;
    hed_entity body = synth_box_body(&box, box.low[0], box.low[1], box.low[2]);
    return synth_find(instrument, body) ? body : 0;
}

/* ---- what to call an entity ---- */

const synth_grid *synth_grid_of(const hed_instrument *instrument, hed_entity body)
{
    uint32_t low = 0, high = instrument->grid_count;
    while (low < high) { /* the last grid that begins at or before it: grids are in the order of their entities */
        uint32_t middle = low + (high - low) / 2;
        if (instrument->grids[middle].generated.first_body <= body) low = middle + 1;
        else high = middle;
    }
    const synth_grid *grid = low > 0 ? &instrument->grids[low - 1] : NULL;
    return grid && body - grid->generated.first_body < grid->generated.bodies ? grid : NULL;
}

const char *synth_describe(const hed_instrument *instrument, hed_entity entity, char *text, size_t size)
{
    const char *name = hed_instrument_name(instrument, entity);
    const synth_grid *grid = synth_grid_of(instrument, entity);
    const synth_place *place = synth_find(instrument, entity);
    if (name[0]) {
        snprintf(text, size, "\"%s\"", name);
    } else if (grid && grid->name) {
        uint32_t at = entity - grid->generated.first_body, nx = grid->def.size[0], ny = grid->def.size[1];
        uint32_t i = at % nx, j = at / nx % ny, k = at / nx / ny;
        if (dimensions(grid) == 1) snprintf(text, size, "\"%s[%" PRIu32 "]\"", grid->name, i);
        else if (dimensions(grid) == 2) snprintf(text, size, "\"%s[%" PRIu32 ",%" PRIu32 "]\"", grid->name, i, j);
        else snprintf(text, size, "\"%s[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]\"", grid->name, i, j, k);
    } else if (place) {
        snprintf(text, size, "%s %" PRIu32, hed_entity_type_name(place->type), place->index);
    } else {
        snprintf(text, size, "entity %" PRIu32 ", which is not there", entity);
    }
    return text;
}
