/* Spaces: conversion between points and indices, spaces of given points and from constraints. */
#include "search/space_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "heddle/space.h"

enum { ACCEPT_LIMIT = 1 << 22 }; /* maximum number of points passed to accept() */

/* ---- parameters ---- */

uint32_t hed_parameter_place(const hed_parameter_def *parameter, int64_t value)
{
    enum { SHORT_LIST = 32 };
    const int64_t *values = parameter->values;
    int64_t step, distance;
    /* long lists are nearly always ranges: examine the place that the value has in one */
    if (parameter->count > SHORT_LIST && !__builtin_sub_overflow(values[1], values[0], &step) &&
        step > 0 && !__builtin_sub_overflow(value, values[0], &distance) && distance >= 0 &&
        distance / step < parameter->count && values[distance / step] == value)
        return (uint32_t)(distance / step);
    for (uint32_t place = 0; place < parameter->count; place++)
        if (values[place] == value) return place;
    return parameter->count;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Rejects a value that occurs twice. */
static hed_status check_distinct(
    const hed_allocator *allocator, const hed_parameter_def *parameter, hed_error *error)
{
    size_t size = parameter->count * sizeof(int64_t);
    int64_t *sorted = hed_allocate(allocator, size);
    if (!sorted)
        return HED_OUT_OF_MEMORY(error, "%u values of \"%s\"", parameter->count, parameter->name);
    memcpy(sorted, parameter->values, size);
    qsort(sorted, parameter->count, sizeof *sorted, by_value);
    hed_status status = HED_OK;
    for (uint32_t i = 1; i < parameter->count && !status; i++)
        if (sorted[i] == sorted[i - 1])
            status = hed_fail(error, HED_ERROR_ARGUMENT,
                "parameter \"%s\" has the value %" PRId64 " twice", parameter->name, sorted[i]);
    hed_release(allocator, sorted, size);
    return status;
}

static hed_status check_parameter(const hed_allocator *allocator,
    const hed_parameter_def *parameter, uint32_t index, hed_error *error)
{
    if (!parameter->name)
        return hed_fail(error, HED_ERROR_ARGUMENT, "parameter %u has no name", index);
    if (parameter->count == 0 || parameter->count > HED_MAX_VALUES || !parameter->values)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "parameter \"%s\" has %u values; expected 1 to %d", parameter->name, parameter->count,
            HED_MAX_VALUES);
    return check_distinct(allocator, parameter, error);
}

hed_status hed_space_begin(const hed_allocator *allocator, const hed_parameter_def *parameters,
    uint32_t parameter_count, hed_space **space, hed_error *error)
{
    hed_allocator copy = allocator ? *allocator : hed_default_allocator();
    if (parameter_count > HED_MAX_PARAMETERS)
        return hed_fail(error, HED_ERROR_ARGUMENT, "space has %u parameters; expected at most %d",
            parameter_count, HED_MAX_PARAMETERS);
    for (uint32_t i = 0; i < parameter_count; i++) {
        hed_status status = check_parameter(&copy, &parameters[i], i, error);
        if (status != HED_OK) return status;
    }
    hed_space *instance = hed_allocate(&copy, sizeof *instance);
    if (!instance) return HED_OUT_OF_MEMORY(error, "a space of %u parameters", parameter_count);
    *instance = (hed_space){.allocator = copy,
        .parameters = parameters,
        .parameter_count = parameter_count,
        .count = 1};
    *space = instance;
    return HED_OK;
}

/* Bytes of `count` combinations. */
static size_t rows_size(const hed_component *component, uint64_t count)
{
    return count * component->width * sizeof *component->rows;
}

static void release_components(hed_space *space)
{
    for (uint32_t i = 0; i < space->component_count; i++) {
        hed_component *component = &space->components[i];
        hed_release(&space->allocator, component->rows, rows_size(component, component->capacity));
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
    hed_place *rows = hed_allocate(&space->allocator, rows_size(component, capacity));
    if (!rows) return false;
    if (component->count > 0) memcpy(rows, component->rows, rows_size(component, component->count));
    hed_release(&space->allocator, component->rows, rows_size(component, component->capacity));
    component->rows = rows;
    component->capacity = capacity;
    return true;
}

bool hed_component_add(hed_space *space, hed_component *component, const hed_place *row)
{
    if (component->count == component->capacity &&
        !resize(space, component, component->capacity ? component->capacity * 2 : 64))
        return false;
    memcpy(component->rows + component->count++ * component->width, row, rows_size(component, 1));
    return true;
}

void hed_component_trim(hed_space *space, hed_component *component)
{
    if (component->count > 0 && component->count < component->capacity)
        resize(space, component, component->count);
}

/* Sorts the indices of the rows by a counting sort per column, last column first; `order` and
 * `scratch` (count), `starts` (HED_MAX_VALUES + 2). */
static void sort_rows(
    const hed_component *component, uint32_t *order, uint32_t *scratch, uint32_t *starts)
{
    uint32_t width = component->width, count = (uint32_t)component->count;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    for (uint32_t column = width; column-- > 0;) {
        uint32_t most = 0;
        for (uint32_t i = 0; i < count; i++)
            most = component->rows[(size_t)i * width + column] > most
                       ? component->rows[(size_t)i * width + column]
                       : most;
        memset(starts, 0, (most + 2) * sizeof *starts);
        for (uint32_t i = 0; i < count; i++)
            starts[component->rows[(size_t)i * width + column] + 1]++;
        for (uint32_t value = 0; value <= most; value++) starts[value + 1] += starts[value];
        for (uint32_t i = 0; i < count; i++)
            scratch[starts[component->rows[(size_t)order[i] * width + column]]++] = order[i];
        memcpy(order, scratch, count * sizeof *order);
    }
}

static const hed_place *sorted_row(const hed_component *component, uint64_t rank)
{
    return component->rows +
           (component->sorted ? component->sorted[rank] : rank) * component->width;
}

/* Lexicographic order of two combinations: below, equal to or above 0. */
static int compare_rows(const hed_place *a, const hed_place *b, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Index of a combination; `count` if the component lacks it. */
static uint64_t find_combination(const hed_component *component, const hed_place *row)
{
    uint64_t low = 0, high = component->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        int order = compare_rows(sorted_row(component, middle), row, component->width);
        if (order == 0) return component->sorted ? component->sorted[middle] : middle;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return component->count;
}

/* ---- points ---- */

uint64_t hed_space_count(const hed_space *space) { return space ? space->count : 0; }

void hed_space_row(const hed_space *space, uint64_t index, hed_place *row)
{
    for (uint32_t i = space->component_count; i-- > 0;) {
        const hed_component *component = &space->components[i];
        const hed_place *combination =
            component->rows + index % component->count * component->width;
        for (uint32_t column = 0; column < component->width; column++)
            row[component->parameters[column]] = combination[column];
        index /= component->count;
    }
}

uint64_t hed_space_find_row(const hed_space *space, const hed_place *row)
{
    uint64_t index = 0;
    if (space->count == 0) return UINT64_MAX;
    for (uint32_t i = 0; i < space->component_count; i++) {
        const hed_component *component = &space->components[i];
        hed_place combination[HED_MAX_PARAMETERS];
        for (uint32_t column = 0; column < component->width; column++)
            combination[column] = row[component->parameters[column]];
        uint64_t digit = find_combination(component, combination);
        if (digit == component->count) return UINT64_MAX;
        index = index * component->count + digit;
    }
    return index;
}

static hed_config space_config_of(const hed_space *space, const hed_place *row)
{
    hed_config config = {.count = space->parameter_count};
    for (uint32_t i = 0; i < space->parameter_count; i++)
        config.values[i] = space->parameters[i].values[row[i]];
    return config;
}

hed_config hed_space_at(const hed_space *space, uint64_t index)
{
    if (!space) return (hed_config){0};
    hed_place row[HED_MAX_PARAMETERS] = {0};
    hed_space_row(space, index, row);
    return space_config_of(space, row);
}

uint64_t hed_space_find(const hed_space *space, const hed_config *config)
{
    if (!space || !config) return UINT64_MAX;
    hed_place row[HED_MAX_PARAMETERS];
    if (config->count != space->parameter_count) return UINT64_MAX;
    for (uint32_t i = 0; i < space->parameter_count; i++) {
        uint32_t place = hed_parameter_place(&space->parameters[i], config->values[i]);
        if (place == space->parameters[i].count) return UINT64_MAX;
        row[i] = (hed_place)place;
    }
    return hed_space_find_row(space, row);
}

/* ---- filtering by accept() ---- */

/* A component of all parameters, in their order. */
static hed_component space_whole(const hed_space *space)
{
    hed_component component = {.width = space->parameter_count};
    for (uint32_t i = 0; i < space->parameter_count; i++) component.parameters[i] = (uint8_t)i;
    return component;
}

static hed_status space_out_of_memory(const hed_space *space, uint64_t count, hed_error *error)
{
    return HED_OUT_OF_MEMORY(error, "%" PRIu64 " points of %u parameters", count, space->parameter_count);
}

static hed_status sort_component(hed_space *space, hed_component *component, hed_error *error)
{
    size_t size = component->count * sizeof *component->sorted;
    const size_t starts_size = (HED_MAX_VALUES + 2) * sizeof(uint32_t);
    uint32_t *scratch = hed_allocate(&space->allocator, size),
             *starts = hed_allocate(&space->allocator, starts_size);
    component->sorted = hed_allocate(&space->allocator, size);
    bool allocated = scratch && starts && component->sorted;
    if (allocated) sort_rows(component, component->sorted, scratch, starts);
    hed_release(&space->allocator, scratch, size);
    hed_release(&space->allocator, starts, starts_size);
    return allocated ? HED_OK : space_out_of_memory(space, component->count, error);
}

/* Filters the space by accept(). The result is no product any more: one list of all parameters
 * replaces the components. */
static hed_status filter(hed_space *space, const hed_space_def *def, hed_error *error)
{
    if (space->count > ACCEPT_LIMIT)
        return hed_fail(error, HED_ERROR_LIMIT,
            "the constraints leave %" PRIu64
            " points, and accept() (a kernel's valid(), launch bounds and local memory) is asked "
            "for %d at most: write what it checks as constraints, or give the parameters fewer values",
            space->count, ACCEPT_LIMIT);
    hed_component filtered = space_whole(space);
    hed_place row[HED_MAX_PARAMETERS] = {0};
    hed_status status = HED_OK;
    for (uint64_t i = 0; i < space->count && status == HED_OK; i++) {
        hed_space_row(space, i, row);
        hed_config config = space_config_of(space, row);
        if (def->accept(def->user, &config) && !hed_component_add(space, &filtered, row))
            status = space_out_of_memory(space, filtered.count + 1, error);
    }
    release_components(space);
    hed_component_trim(space, &filtered);
    space->components[space->component_count++] = filtered;
    space->count = filtered.count;
    return status == HED_OK ? sort_component(space, &space->components[0], error) : status;
}

hed_status hed_space_create(const hed_space_def *def, hed_space **space, hed_error *error)
{
    HED_REQUIRE(def, space);
    hed_space *created = NULL;
    *space = NULL;
    hed_status status =
        hed_space_begin(def->allocator, def->parameters, def->parameter_count, &created, error);
    if (status != HED_OK || (status = hed_space_build(created, def, error)) ||
        (def->accept && (status = filter(created, def, error)))) {
        hed_space_destroy(created);
        return status;
    }
    *space = created;
    return HED_OK;
}

/* ---- spaces of given points ---- */

static hed_status add_point(
    hed_space *space, const int64_t *values, uint64_t number, hed_error *error)
{
    hed_place row[HED_MAX_PARAMETERS];
    for (uint32_t i = 0; i < space->parameter_count; i++) {
        const hed_parameter_def *parameter = &space->parameters[i];
        uint32_t place = hed_parameter_place(parameter, values[i]);
        if (place == parameter->count)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "point %" PRIu64 ": \"%s\" has no value %" PRId64, number, parameter->name,
                values[i]);
        row[i] = (hed_place)place;
    }
    return hed_component_add(space, &space->components[0], row)
               ? HED_OK
               : space_out_of_memory(space, number + 1, error);
}

hed_status hed_space_create_list(const hed_allocator *allocator,
    const hed_parameter_def *parameters, uint32_t parameter_count, const int64_t *values,
    uint64_t count, hed_space **space, hed_error *error)
{
    HED_REQUIRE(parameters || !parameter_count, values || !count, space);
    hed_space *created = NULL;
    *space = NULL;
    if (count > UINT32_MAX)
        return hed_fail(error, HED_ERROR_LIMIT, "list has %" PRIu64 " points; expected at most %u",
            count, UINT32_MAX);
    hed_status status = hed_space_begin(allocator, parameters, parameter_count, &created, error);
    if (status != HED_OK) return status;
    created->components[created->component_count++] = space_whole(created);
    if (count > 0 && !resize(created, &created->components[0], count))
        status = space_out_of_memory(created, count, error);
    for (uint64_t i = 0; i < count && status == HED_OK; i++)
        status = add_point(created, values + i * parameter_count, i, error);
    created->count = count;
    if (status == HED_OK) status = sort_component(created, &created->components[0], error);
    const hed_component *list = &created->components[0];
    for (uint64_t i = 1; status == HED_OK && i < list->count; i++)
        if (compare_rows(sorted_row(list, i - 1), sorted_row(list, i), list->width) == 0)
            status = hed_fail(error, HED_ERROR_ARGUMENT, "points %u and %u are the same",
                list->sorted[i - 1], list->sorted[i]);
    if (status != HED_OK) {
        hed_space_destroy(created);
        return status;
    }
    *space = created;
    return HED_OK;
}

/* Spaces from constraints. Parameters with a common constraint are tied into a component; the
 * combinations of a component are found by backtracking, which checks each constraint as soon as
 * all its parameters are set.
 *
 * A condition ("matters only when") is a constraint too: either `when` is true, or the parameter
 * has its default value. */

enum {
    STEP_LIMIT = 1 << 26, /* values tried in one component: seconds */
    ROW_LIMIT = 1 << 24,  /* combinations of one component: hundreds of megabytes */
    NO_PARAMETER = HED_MAX_PARAMETERS
};

/* A constraint, or a condition with the parameter that it guards. */
typedef struct rule {
    hed_expression *expression;
    /* bit set of the parameters that must be set before the rule can be evaluated */
    uint32_t uses;
    uint32_t guarded; /* guarded parameter; NO_PARAMETER: a constraint */
} rule;

typedef struct builder {
    hed_space *space;
    rule *rules;
    uint32_t rule_count, constraint_count;
    double *values; /* values of the parameters, then of the constants */
    uint32_t name_count;
    /* component under construction */
    hed_component *component;
    uint32_t steps;
    const rule **due; /* rules of the component, ordered by the column that completes them */
    /* rules of column c: due[due_end[c] .. due_end[c + 1]) */
    uint32_t due_end[HED_MAX_PARAMETERS + 1];
    hed_place row[HED_MAX_PARAMETERS];
} builder;

/* ---- rules ---- */

static bool space_holds(const builder *b, const rule *r)
{
    double value = hed_expression_value(r->expression, b->values);
    bool true_value = value != 0 && !isnan(value);
    if (r->guarded == NO_PARAMETER || true_value) return true_value;
    return b->values[r->guarded] == (double)b->space->parameters[r->guarded].value;
}

static hed_status space_compile(builder *b, const hed_expression_names *names, const char *text,
    uint32_t guarded, hed_error *error)
{
    rule *r = &b->rules[b->rule_count];
    hed_status status =
        hed_expression_create(&b->space->allocator, text, names, &r->expression, error);
    if (status != HED_OK) return status;
    b->rule_count++;
    r->guarded = guarded;
    for (uint32_t i = 0; i < b->space->parameter_count; i++)
        r->uses |= (uint32_t)hed_expression_uses(r->expression, i) << i;
    if (guarded == NO_PARAMETER) return HED_OK;
    if (r->uses >> guarded & 1)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "the condition of \"%s\" is \"%s\": it may be over other parameters only",
            b->space->parameters[guarded].name, text);
    r->uses |= 1u << guarded;
    return HED_OK;
}

static hed_status compile_condition(
    builder *b, const hed_expression_names *names, const hed_condition *condition, hed_error *error)
{
    const hed_space *space = b->space;
    uint32_t i = 0;
    while (
        i < space->parameter_count && strcmp(space->parameters[i].name, condition->parameter) != 0)
        i++;
    if (i == space->parameter_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "the condition \"%s\" is for a parameter \"%s\", which does not exist", condition->when,
            condition->parameter);
    if (hed_parameter_place(&space->parameters[i], space->parameters[i].value) ==
        space->parameters[i].count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "parameter \"%s\" has a condition, so its default has to be one of its values",
            condition->parameter);
    return space_compile(b, names, condition->when, i, error);
}

static hed_status compile_all(
    builder *b, const hed_space_def *def, const char **names, hed_error *error)
{
    const hed_space *space = b->space;
    for (uint32_t i = 0; i < space->parameter_count; i++) names[i] = space->parameters[i].name;
    for (uint32_t i = 0; i < def->constant_count; i++) {
        names[space->parameter_count + i] = def->constants[i].name;
        b->values[space->parameter_count + i] = def->constants[i].value;
    }
    hed_expression_names expression_names = {
        names, b->name_count, space->parameters, space->parameter_count};
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < def->constraint_count && status == HED_OK; i++)
        status = space_compile(b, &expression_names, def->constraints[i], NO_PARAMETER, error);
    for (uint32_t i = 0; i < def->condition_count && status == HED_OK; i++)
        status = compile_condition(b, &expression_names, &def->conditions[i], error);
    return status;
}

/* ---- components ---- */

/* Bit set of all parameters tied to `first`, directly or through others. */
static uint32_t tied_to(const builder *b, uint32_t first)
{
    uint32_t tied = 1u << first, before;
    do {
        before = tied;
        for (uint32_t i = 0; i < b->rule_count; i++)
            if (b->rules[i].uses & tied) tied |= b->rules[i].uses;
    } while (tied != before);
    return tied;
}

/* Next parameter to set: one of the rule with the fewest unset parameters, so that rules can be
 * checked early. */
static uint32_t next_parameter(const builder *b, uint32_t left)
{
    uint32_t smallest = left;
    for (uint32_t i = 0; i < b->rule_count; i++) {
        uint32_t lacking = b->rules[i].uses & left;
        if (lacking && __builtin_popcount(lacking) < __builtin_popcount(smallest))
            smallest = lacking;
    }
    return (uint32_t)__builtin_ctz(smallest);
}

/* Orders the parameters of a component into columns, and its rules by the column that completes
 * them. */
static void arrange(builder *b, uint32_t tied)
{
    uint32_t left = tied, due = 0;
    b->due_end[0] = 0;
    while (left) {
        uint32_t parameter = next_parameter(b, left);
        left &= ~(1u << parameter);
        b->component->parameters[b->component->width++] = (uint8_t)parameter;
        for (uint32_t i = 0; i < b->rule_count; i++)
            if (b->rules[i].uses >> parameter & 1 && !(b->rules[i].uses & left))
                b->due[due++] = &b->rules[i];
        b->due_end[b->component->width] = due;
    }
}

/* ---- backtracking ---- */

static hed_status too_much(const builder *b, hed_error *error)
{
    char names[512] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < b->component->width && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
            b->space->parameters[b->component->parameters[i]].name);
    return hed_fail(error, HED_ERROR_LIMIT,
        "constraints tie %s together, and after %u tries there are %llu combinations and no end: give "
        "them fewer values, or "
        "constraints over fewer parameters that fail earlier",
        names, b->steps, (unsigned long long)b->component->count);
}

static hed_status extend(builder *b, uint32_t column, hed_error *error)
{
    hed_component *component = b->component;
    if (column == component->width) {
        if (component->count == ROW_LIMIT) return too_much(b, error);
        if (!hed_component_add(b->space, component, b->row))
            return HED_OUT_OF_MEMORY(
                error, "more than %llu combinations", (unsigned long long)component->count);
        return HED_OK;
    }
    const hed_parameter_def *parameter = &b->space->parameters[component->parameters[column]];
    hed_status status = HED_OK;
    for (uint32_t place = 0; place < parameter->count && status == HED_OK; place++) {
        if (++b->steps > STEP_LIMIT) return too_much(b, error);
        b->row[column] = (hed_place)place;
        b->values[component->parameters[column]] = (double)parameter->values[place];
        bool valid = true;
        for (uint32_t i = b->due_end[column]; i < b->due_end[column + 1] && valid; i++)
            valid = space_holds(b, b->due[i]);
        if (valid) status = extend(b, column + 1, error);
    }
    return status;
}

static hed_status space_fill(builder *b, hed_error *error)
{
    hed_space *space = b->space;
    uint32_t done = 0;
    /* rules over constants alone */
    for (uint32_t i = 0; i < b->rule_count; i++)
        if (b->rules[i].uses == 0 && !space_holds(b, &b->rules[i])) space->count = 0;
    for (uint32_t i = 0; i < space->parameter_count; i++) {
        if (done >> i & 1) continue;
        uint32_t tied = tied_to(b, i);
        done |= tied;
        b->component = &space->components[space->component_count++];
        b->steps = 0;
        arrange(b, tied);
        hed_status status = extend(b, 0, error);
        if (status != HED_OK) return status;
        hed_component_trim(space, b->component);
        if (__builtin_mul_overflow(space->count, b->component->count, &space->count))
            return hed_fail(error, HED_ERROR_LIMIT,
                "the space has more than 2^64 points: give the parameters fewer values");
    }
    return HED_OK;
}

hed_status hed_space_build(hed_space *space, const hed_space_def *def, hed_error *error)
{
    const hed_allocator *allocator = &space->allocator;
    uint32_t rules = def->constraint_count + def->condition_count,
             names = def->parameter_count + def->constant_count;
    builder b = {.space = space, .name_count = names};
    b.rules = hed_allocate(allocator, rules * sizeof *b.rules);
    b.due = hed_allocate(allocator, rules * sizeof *b.due);
    b.values = hed_allocate(allocator, names * sizeof *b.values);
    const char **texts = hed_allocate(allocator, names * sizeof *texts);
    hed_status status = b.rules && b.due && b.values && texts
                            ? compile_all(&b, def, texts, error)
                            : HED_OUT_OF_MEMORY(error, "%u constraints and conditions", rules);
    if (status == HED_OK) status = space_fill(&b, error);
    for (uint32_t i = 0; i < b.rule_count; i++) hed_expression_destroy(b.rules[i].expression);
    hed_release(allocator, b.rules, rules * sizeof *b.rules);
    hed_release(allocator, b.due, rules * sizeof *b.due);
    hed_release(allocator, b.values, names * sizeof *b.values);
    hed_release(allocator, texts, names * sizeof *texts);
    return status;
}
