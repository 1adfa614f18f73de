/* Spaces: points by index, indices by point, and spaces of given points. space_build.c makes them
 * from constraints.
 */
#include "search/space.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

enum { ACCEPT_LIMIT = 1 << 22 }; /* points that accept() is asked for at most */

/* ---- parameters ---- */

uint32_t hed_parameter_place(const hed_parameter_def *parameter, int64_t value)
{
    for (uint32_t place = 0; place < parameter->count; place++)
        if (parameter->values[place] == value) return place;
    return parameter->count;
}

static hed_status check_parameter(
    const hed_parameter_def *parameter, uint32_t index, hed_error *error)
{
    if (!parameter->name)
        return hed_fail(error, HED_ERROR_ARGUMENT, "parameter %u has no name", index);
    if (parameter->count == 0 || parameter->count > HED_MAX_VALUES || !parameter->values)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "parameter \"%s\" has %u values: a space takes 1 to %d", parameter->name,
            parameter->count, HED_MAX_VALUES);
    for (uint32_t i = 0; i < parameter->count; i++)
        if (hed_parameter_place(parameter, parameter->values[i]) != i)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "parameter \"%s\" has the value %" PRId64 " twice", parameter->name,
                parameter->values[i]);
    return HED_OK;
}

hed_status hed_space_begin(const hed_allocator *allocator, const hed_parameter_def *parameters,
    uint32_t parameter_count, hed_space **space, hed_error *error)
{
    hed_allocator own = allocator ? *allocator : hed_default_allocator();
    if (parameter_count > HED_MAX_PARAMETERS)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%u parameters: a space takes at most %d",
            parameter_count, HED_MAX_PARAMETERS);
    for (uint32_t i = 0; i < parameter_count; i++) {
        hed_status status = check_parameter(&parameters[i], i, error);
        if (status != HED_OK) return status;
    }
    hed_space *made = hed_allocate(&own, sizeof *made);
    if (!made)
        return hed_fail(
            error, HED_ERROR_MEMORY, "no memory for a space of %u parameters", parameter_count);
    *made = (hed_space){
        .allocator = own, .parameters = parameters, .parameter_count = parameter_count, .count = 1};
    *space = made;
    return HED_OK;
}

static void release_components(hed_space *space)
{
    for (uint32_t i = 0; i < space->component_count; i++) {
        hed_component *component = &space->components[i];
        hed_release(&space->allocator, component->rows, component->capacity * component->width);
        hed_release(
            &space->allocator, component->sorted, component->count * sizeof *component->sorted);
    }
    space->component_count = 0;
}

void hed_space_destroy(hed_space *space)
{
    if (!space) return;
    hed_allocator allocator = space->allocator;
    release_components(space);
    hed_release(&allocator, space, sizeof *space);
}

/* ---- lists of combinations ---- */

static bool resize(hed_space *space, hed_component *component, uint64_t capacity)
{
    uint8_t *rows = hed_allocate(&space->allocator, capacity * component->width);
    if (!rows) return false;
    if (component->count > 0) memcpy(rows, component->rows, component->count * component->width);
    hed_release(&space->allocator, component->rows, component->capacity * component->width);
    component->rows = rows;
    component->capacity = capacity;
    return true;
}

bool hed_component_add(hed_space *space, hed_component *component, const uint8_t *row)
{
    if (component->count == component->capacity &&
        !resize(space, component, component->capacity ? component->capacity * 2 : 64))
        return false;
    memcpy(component->rows + component->count++ * component->width, row, component->width);
    return true;
}

void hed_component_trim(hed_space *space, hed_component *component)
{
    if (component->count > 0 && component->count < component->capacity)
        resize(space, component, component->count);
}

/* Sorts the numbers of the rows by a counting sort for each column, the last one first; `order` and
 * `scratch` (count). */
static void sort_rows(const hed_component *component, uint32_t *order, uint32_t *scratch)
{
    uint32_t width = component->width, count = (uint32_t)component->count;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    for (uint32_t column = width; column-- > 0;) {
        uint32_t starts[HED_MAX_VALUES + 2] = {0};
        for (uint32_t i = 0; i < count; i++)
            starts[component->rows[(size_t)i * width + column] + 1]++;
        for (uint32_t value = 0; value <= HED_MAX_VALUES; value++)
            starts[value + 1] += starts[value];
        for (uint32_t i = 0; i < count; i++)
            scratch[starts[component->rows[(size_t)order[i] * width + column]]++] = order[i];
        memcpy(order, scratch, count * sizeof *order);
    }
}

static const uint8_t *sorted_row(const hed_component *component, uint64_t rank)
{
    return component->rows +
           (component->sorted ? component->sorted[rank] : rank) * component->width;
}

/* The combination's number; the component's count where it has none such. */
static uint64_t find_combination(const hed_component *component, const uint8_t *row)
{
    uint64_t low = 0, high = component->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        int order = memcmp(sorted_row(component, middle), row, component->width);
        if (order == 0) return component->sorted ? component->sorted[middle] : middle;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return component->count;
}

/* ---- points ---- */

uint64_t hed_space_count(const hed_space *space) { return space->count; }

void hed_space_row(const hed_space *space, uint64_t index, uint8_t *row)
{
    for (uint32_t i = space->component_count; i-- > 0;) {
        const hed_component *component = &space->components[i];
        const uint8_t *combination = component->rows + index % component->count * component->width;
        for (uint32_t column = 0; column < component->width; column++)
            row[component->parameters[column]] = combination[column];
        index /= component->count;
    }
}

uint64_t hed_space_find_row(const hed_space *space, const uint8_t *row)
{
    uint64_t index = 0;
    if (space->count == 0) return UINT64_MAX;
    for (uint32_t i = 0; i < space->component_count; i++) {
        const hed_component *component = &space->components[i];
        uint8_t combination[HED_MAX_PARAMETERS];
        for (uint32_t column = 0; column < component->width; column++)
            combination[column] = row[component->parameters[column]];
        uint64_t found = find_combination(component, combination);
        if (found == component->count) return UINT64_MAX;
        index = index * component->count + found;
    }
    return index;
}

static hed_config config_of(const hed_space *space, const uint8_t *row)
{
    hed_config config = {.count = space->parameter_count};
    for (uint32_t i = 0; i < space->parameter_count; i++)
        config.values[i] = space->parameters[i].values[row[i]];
    return config;
}

hed_config hed_space_at(const hed_space *space, uint64_t index)
{
    uint8_t row[HED_MAX_PARAMETERS];
    hed_space_row(space, index, row);
    return config_of(space, row);
}

uint64_t hed_space_find(const hed_space *space, const hed_config *config)
{
    uint8_t row[HED_MAX_PARAMETERS];
    if (config->count != space->parameter_count) return UINT64_MAX;
    for (uint32_t i = 0; i < space->parameter_count; i++) {
        uint32_t place = hed_parameter_place(&space->parameters[i], config->values[i]);
        if (place == space->parameters[i].count) return UINT64_MAX;
        row[i] = (uint8_t)place;
    }
    return hed_space_find_row(space, row);
}

/* ---- constraints, and what accept() leaves of them ---- */

/* A component that ties all parameters, in their order. */
static hed_component whole(const hed_space *space)
{
    hed_component component = {.width = space->parameter_count};
    for (uint32_t i = 0; i < space->parameter_count; i++) component.parameters[i] = (uint8_t)i;
    return component;
}

static hed_status out_of_memory(const hed_space *space, uint64_t count, hed_error *error)
{
    return hed_fail(error, HED_ERROR_MEMORY, "no memory for %" PRIu64 " points of %u parameters",
        count, space->parameter_count);
}

static hed_status sort_component(hed_space *space, hed_component *component, hed_error *error)
{
    size_t size = component->count * sizeof *component->sorted;
    uint32_t *scratch = hed_allocate(&space->allocator, size);
    component->sorted = hed_allocate(&space->allocator, size);
    bool there = scratch && component->sorted;
    if (there) sort_rows(component, component->sorted, scratch);
    hed_release(&space->allocator, scratch, size);
    return there ? HED_OK : out_of_memory(space, component->count, error);
}

/* What accept() takes is no product any more: one list of all parameters takes the components'
 * place. */
static hed_status filter(hed_space *space, const hed_space_def *def, hed_error *error)
{
    if (space->count > ACCEPT_LIMIT)
        return hed_fail(error, HED_ERROR_LIMIT,
            "the constraints leave %" PRIu64
            " points, and accept() (a kernel's valid(), launch bounds and local memory) is asked "
            "for %d at most: write what it checks as constraints, or give the parameters fewer values",
            space->count, ACCEPT_LIMIT);
    hed_component kept = whole(space);
    uint8_t row[HED_MAX_PARAMETERS];
    hed_status status = HED_OK;
    for (uint64_t i = 0; i < space->count && status == HED_OK; i++) {
        hed_space_row(space, i, row);
        hed_config config = config_of(space, row);
        if (def->accept(def->user, &config) && !hed_component_add(space, &kept, row))
            status = out_of_memory(space, kept.count + 1, error);
    }
    release_components(space);
    hed_component_trim(space, &kept);
    space->components[space->component_count++] = kept;
    space->count = kept.count;
    return status == HED_OK ? sort_component(space, &space->components[0], error) : status;
}

hed_status hed_space_create(const hed_space_def *def, hed_space **space, hed_error *error)
{
    hed_space *made = NULL;
    *space = NULL;
    hed_status status =
        hed_space_begin(def->allocator, def->parameters, def->parameter_count, &made, error);
    if (status == HED_OK) status = hed_space_build(made, def, error);
    if (status == HED_OK && def->accept) status = filter(made, def, error);
    if (status != HED_OK) {
        hed_space_destroy(made);
        return status;
    }
    *space = made;
    return HED_OK;
}

/* ---- given points ---- */

static hed_status add_point(
    hed_space *space, const int64_t *values, uint64_t number, hed_error *error)
{
    uint8_t row[HED_MAX_PARAMETERS];
    for (uint32_t i = 0; i < space->parameter_count; i++) {
        const hed_parameter_def *parameter = &space->parameters[i];
        uint32_t place = hed_parameter_place(parameter, values[i]);
        if (place == parameter->count)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "point %" PRIu64 ": \"%s\" has no value %" PRId64, number, parameter->name,
                values[i]);
        row[i] = (uint8_t)place;
    }
    return hed_component_add(space, &space->components[0], row)
               ? HED_OK
               : out_of_memory(space, number + 1, error);
}

static hed_status refuse_twice(const hed_component *list, hed_error *error)
{
    for (uint64_t i = 1; i < list->count; i++)
        if (memcmp(sorted_row(list, i - 1), sorted_row(list, i), list->width) == 0)
            return hed_fail(error, HED_ERROR_ARGUMENT, "points %u and %u are the same",
                list->sorted[i - 1], list->sorted[i]);
    return HED_OK;
}

hed_status hed_space_create_list(const hed_allocator *allocator,
    const hed_parameter_def *parameters, uint32_t parameter_count, const int64_t *values,
    uint64_t count, hed_space **space, hed_error *error)
{
    hed_space *made = NULL;
    *space = NULL;
    if (count > UINT32_MAX)
        return hed_fail(
            error, HED_ERROR_LIMIT, "a list of %" PRIu64 " points: at most %u", count, UINT32_MAX);
    hed_status status = hed_space_begin(allocator, parameters, parameter_count, &made, error);
    if (status != HED_OK) return status;
    made->components[made->component_count++] = whole(made);
    if (count > 0 && !resize(made, &made->components[0], count))
        status = out_of_memory(made, count, error);
    for (uint64_t i = 0; i < count && status == HED_OK; i++)
        status = add_point(made, values + i * parameter_count, i, error);
    made->count = count;
    if (status == HED_OK) status = sort_component(made, &made->components[0], error);
    if (status == HED_OK) status = refuse_twice(&made->components[0], error);
    if (status != HED_OK) {
        hed_space_destroy(made);
        return status;
    }
    *space = made;
    return HED_OK;
}
