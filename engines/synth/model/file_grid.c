/* Reading the grids of an instrument file: strings, membranes, plates and lattices. */
#include "model/file_parts.h"

#include <string.h>

const char *const synth_grid_keys[] = {"kind", "name", "size", "origin", "step", "body", "spring",
    "diagonal", "bend", "tune", "rate", "anchor", NULL};
const char *const synth_grid_kinds[] = {"string", "membrane", "plate", "lattice", NULL};
const char *const synth_grid_ends[] = {
    "first_i", "last_i", "first_j", "last_j", "first_k", "last_k", NULL};

/* The definitions of a grid's bodies and springs are theirs alone, without places and ends. */
static const char *const BODY_KEYS[] = {"mass", "damping", "anchored", NULL};
static const char *const SPRING_KEYS[] = {"stiffness", "rest_length", "damping", "cubic", NULL};

hed_synth_grid_def synth_default_grid(synth_grid_kind kind)
{
    hed_synth_grid_def def = hed_default_synth_grid_def();
    bool tight = kind == SYNTH_STRING || kind == SYNTH_MEMBRANE;
    uint32_t axes = kind == SYNTH_STRING ? 1 : 2;
    if (tight) def.spring.rest_length = -0.5f;
    for (uint32_t axis = 0; tight && axis < axes; axis++)
        def.anchor_ends[axis][0] = def.anchor_ends[axis][1] = true;
    return def;
}

static uint32_t axes_of(synth_grid_kind kind)
{
    return kind == SYNTH_STRING ? 1 : kind == SYNTH_LATTICE ? 3 : 2;
}

static void read_size(hed_json_node node, uint32_t axes, hed_synth_grid_def *def)
{
    if (axes == 1) {
        def->size[0] = (uint32_t)hed_json_integer(node, 1, SYNTH_MOST_OF_TYPE);
        return;
    }
    size_t count = hed_json_count(node);
    if (hed_json_kind_of(node) == HED_JSON_ARRAY && count != axes)
        hed_json_reject(node, "expected %u numbers, found %zu", axes, count);
    for (uint32_t axis = 0; axis < axes; axis++)
        def->size[axis] =
            (uint32_t)hed_json_integer(hed_json_item(node, axis), 1, SYNTH_MOST_OF_TYPE);
}

static void read_vector(hed_json_node node, float vector[3])
{
    double values[3];
    hed_json_numbers(node, values, 3, -1e4, 1e4);
    for (uint32_t i = 0; i < 3; i++) vector[i] = (float)values[i];
}

/* A distance along x, y and z, a vector for a string, or a vector for each axis. */
static void read_step(hed_json_node node, uint32_t axes, hed_synth_grid_def *def)
{
    if (hed_json_kind_of(node) == HED_JSON_NUMBER) {
        float distance = (float)hed_json_number(node, 1e-6, 1e4);
        for (uint32_t axis = 0; axis < 3; axis++) def->step[axis][axis] = distance;
    } else if (axes == 1) {
        read_vector(node, def->step[0]);
    } else {
        size_t count = hed_json_count(node);
        if (hed_json_kind_of(node) == HED_JSON_ARRAY && count != axes)
            hed_json_reject(
                node, "expected a distance, or %u vectors, found %zu elements", axes, count);
        for (uint32_t axis = 0; axis < axes; axis++)
            read_vector(hed_json_item(node, axis), def->step[axis]);
    }
}

/* "none", "ends" (both of each axis), or a list of ends. */
static void read_anchor(hed_json_node node, uint32_t axes, hed_synth_grid_def *def)
{
    memset(def->anchor_ends, 0, sizeof def->anchor_ends);
    if (hed_json_kind_of(node) != HED_JSON_ARRAY) {
        bool ends = hed_json_choice(node, (const char *const[]){"none", "ends", NULL}) == 1;
        for (uint32_t axis = 0; axis < axes; axis++)
            def->anchor_ends[axis][0] = def->anchor_ends[axis][1] = ends;
        return;
    }
    size_t count = hed_json_count(node);
    for (size_t i = 0; i < count; i++) {
        hed_json_node item = hed_json_item(node, i);
        uint32_t end = hed_json_choice(item, synth_grid_ends);
        if (end / 2 >= axes) hed_json_reject(item, "this grid has %u axes only", axes);
        def->anchor_ends[end / 2][end & 1] = true;
    }
}

static void read_parts(synth_file_reader *reader, hed_json_node object, hed_synth_grid_def *def)
{
    if (hed_json_has(object, "body")) {
        hed_json_node body = hed_json_member(object, "body");
        hed_json_only(body, BODY_KEYS);
        synth_file_fields(
            reader, body, synth_fields[HED_SYNTH_BODY], &def->body, (const char *const[]){NULL});
    }
    if (hed_json_has(object, "spring")) {
        hed_json_node spring = hed_json_member(object, "spring");
        hed_json_only(spring, SPRING_KEYS);
        synth_file_fields(reader, spring, synth_fields[HED_SYNTH_SPRING], &def->spring,
            (const char *const[]){NULL});
    }
}

static float read_number(hed_json_node object, const char *key, float otherwise, double high)
{
    return hed_json_has(object, key) ? (float)hed_json_number(hed_json_member(object, key), 0, high)
                                     : otherwise;
}

void synth_file_read_grid(synth_file_reader *reader, hed_json_node element)
{
    hed_json_only(element, synth_grid_keys);
    synth_grid_kind kind = hed_json_choice(hed_json_member(element, "kind"), synth_grid_kinds);
    hed_synth_grid_def def = synth_default_grid(kind);
    uint32_t axes = axes_of(kind);
    read_size(hed_json_member(element, "size"), axes, &def);
    if (hed_json_has(element, "origin"))
        read_vector(hed_json_member(element, "origin"), def.origin);
    if (hed_json_has(element, "step")) read_step(hed_json_member(element, "step"), axes, &def);
    read_parts(reader, element, &def);
    def.diagonal = read_number(element, "diagonal", 0, 1e12);
    def.bend = read_number(element, "bend", 0, 1e12);
    def.tune = read_number(element, "tune", 0, 1e6);
    if (hed_json_has(element, "rate"))
        def.rate = hed_json_number(hed_json_member(element, "rate"), 1, 1e7);
    if (hed_json_has(element, "anchor"))
        read_anchor(hed_json_member(element, "anchor"), axes, &def);
    const char *name =
        hed_json_has(element, "name") ? hed_json_string(hed_json_member(element, "name")) : NULL;
    hed_synth_generated generated;
    hed_error error;
    if (synth_file_fine(reader) &&
        hed_synth_instrument_add_grid(reader->instrument, &def, name, &generated, &error) != HED_OK)
        synth_file_refuse(reader, element, &error);
}
