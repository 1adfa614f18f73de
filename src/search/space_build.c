/* Spaces from constraints: parameters that share one are tied into a component, and the
 * combinations of a component are found by backtracking, in which each constraint is looked at as
 * soon as all of its parameters are set.
 *
 * A condition ("matters only when") is a constraint too: either `when` holds, or the parameter has
 * its default value.
 */
#include "search/space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

enum {
    STEP_LIMIT = 1 << 26, /* values tried in one component: seconds */
    ROW_LIMIT = 1 << 24,  /* combinations of one component: hundreds of megabytes */
    NO_PARAMETER = HED_MAX_PARAMETERS
};

/* A constraint, or with a parameter that it guards a condition. */
typedef struct rule {
    hed_expression *expression;
    uint32_t uses;    /* bits of the parameters that have to be set before it can be looked at */
    uint32_t guarded; /* NO_PARAMETER: a constraint */
} rule;

typedef struct builder {
    hed_space *space;
    rule *rules;
    uint32_t rule_count, constraint_count;
    double *values; /* of the parameters, then of the constants */
    uint32_t name_count;
    /* the component in work */
    hed_component *component;
    uint32_t steps;
    const rule **due; /* its rules, by the column that completes them */
    /* those of column c: due[due_end[c] .. due_end[c + 1]) */
    uint32_t due_end[HED_MAX_PARAMETERS + 1];
    uint8_t row[HED_MAX_PARAMETERS];
} builder;

/* ---- rules ---- */

static bool holds(const builder *b, const rule *r)
{
    double value = hed_expression_value(r->expression, b->values);
    bool true_value = value != 0 && !isnan(value);
    if (r->guarded == NO_PARAMETER || true_value) return true_value;
    return b->values[r->guarded] == (double)b->space->parameters[r->guarded].value;
}

static hed_status compile(builder *b, const hed_expression_names *names, const char *text,
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
            "the condition \"%s\" is for a parameter \"%s\", which there is not", condition->when,
            condition->parameter);
    if (hed_parameter_place(&space->parameters[i], space->parameters[i].value) ==
        space->parameters[i].count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "parameter \"%s\" has a condition, so its default has to be one of its values",
            condition->parameter);
    return compile(b, names, condition->when, i, error);
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
    hed_expression_names known = {names, b->name_count, space->parameters, space->parameter_count};
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < def->constraint_count && status == HED_OK; i++)
        status = compile(b, &known, def->constraints[i], NO_PARAMETER, error);
    for (uint32_t i = 0; i < def->condition_count && status == HED_OK; i++)
        status = compile_condition(b, &known, &def->conditions[i], error);
    return status;
}

/* ---- components ---- */

/* All parameters that are tied to `first`, directly or through others. */
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

/* The next parameter to set: one of the rule that lacks the fewest, so that rules come due
 * early. */
static uint32_t next_parameter(const builder *b, uint32_t left)
{
    uint32_t wanted = left;
    for (uint32_t i = 0; i < b->rule_count; i++) {
        uint32_t lacking = b->rules[i].uses & left;
        if (lacking && __builtin_popcount(lacking) < __builtin_popcount(wanted)) wanted = lacking;
    }
    return (uint32_t)__builtin_ctz(wanted);
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
            return hed_fail(error, HED_ERROR_MEMORY, "no memory for more than %llu combinations",
                (unsigned long long)component->count);
        return HED_OK;
    }
    const hed_parameter_def *parameter = &b->space->parameters[component->parameters[column]];
    hed_status status = HED_OK;
    for (uint32_t place = 0; place < parameter->count && status == HED_OK; place++) {
        if (++b->steps > STEP_LIMIT) return too_much(b, error);
        b->row[column] = (uint8_t)place;
        b->values[component->parameters[column]] = (double)parameter->values[place];
        bool valid = true;
        for (uint32_t i = b->due_end[column]; i < b->due_end[column + 1] && valid; i++)
            valid = holds(b, b->due[i]);
        if (valid) status = extend(b, column + 1, error);
    }
    return status;
}

static hed_status fill(builder *b, hed_error *error)
{
    hed_space *space = b->space;
    uint32_t done = 0;
    for (uint32_t i = 0; i < b->rule_count; i++)
        if (b->rules[i].uses == 0 && !holds(b, &b->rules[i])) /* over constants alone */
            space->count = 0;
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
    hed_status status = HED_OK;
    if (!b.rules || !b.due || !b.values || !texts)
        status =
            hed_fail(error, HED_ERROR_MEMORY, "no memory for %u constraints and conditions", rules);
    if (status == HED_OK) status = compile_all(&b, def, texts, error);
    if (status == HED_OK) status = fill(&b, error);
    for (uint32_t i = 0; i < b.rule_count; i++) hed_expression_destroy(b.rules[i].expression);
    hed_release(allocator, b.rules, rules * sizeof *b.rules);
    hed_release(allocator, b.due, rules * sizeof *b.due);
    hed_release(allocator, b.values, names * sizeof *b.values);
    hed_release(allocator, texts, names * sizeof *texts);
    return status;
}
