/** @file space.h
 *  Expressions over parameters, and the set of configurations that they allow.
 *
 *  An expression is arithmetic on numbers as in C and Python: + - * / % // **, comparisons (chained
 *  as in Python: 32 <= WG <= 1024), && || ! and or not, c ? a : b, a if c else b, x in (1, 2), x
 *  not in [1, 2], min max abs ceil floor round log2 ceil_div(a, b), and "label" for a parameter's
 *  named choice. If C and Python differ, the meaning is Python's: / divides real numbers, // and %
 *  round down, ** binds tighter than a sign on its left, round() goes to the even neighbour; ! is
 *  C's and binds tighter than a comparison, as not does not. Truth is 1 and 0. A name is a
 *  parameter, a constant of the definition, or for kernels a problem dimension or a device limit:
 *  max_group, max_group_x, max_group_y, max_group_z, local_bytes, lane_width, compute_units,
 *  registers, cache_bytes, memory_bytes, architecture. A label compared with a parameter (VARIANT
 *  == "vector", VARIANT in ("scalar", "vector")) is that parameter's value of this name; elsewhere
 *  it must have one value among all parameters.
 *
 *  An undefined result (a division by zero, log2(0)) is NAN and propagates, through comparisons
 *  too. `and`, `or`, `in` and the conditional evaluate only the operands that they need: n != 0 and
 *  m / n > 2. A constraint that is NAN is not met.
 *
 *  A space is built without enumerating the full product: parameters without a common constraint
 *  are treated separately, and among the others a value is dropped as soon as one constraint
 *  fails. */
#ifndef HEDDLE_SPACE_H
#define HEDDLE_SPACE_H

#include "heddle/kernel.h"

HED_BEGIN

/* ---- expressions ---- */

typedef struct hed_expression hed_expression;

/** Names that an expression may use. */
typedef struct hed_expression_names {
    /** (count) names; the index of a name is its slot in `values` below */
    const char *const *names;
    uint32_t count;
    const hed_parameter_def *parameters; /**< (parameter_count) whose labels may appear in quotes */
    uint32_t parameter_count;
} hed_expression_names;

/** Compiles an expression. `allocator` NULL: the C library's.
 *  Thread class: any. Errors: FORMAT (the error has the column and the expected syntax; over 16,384
 *  bytes, or nested too deep), ARGUMENT (an unknown name or label: the error lists the known ones),
 *  MEMORY. */
HED_API hed_status hed_expression_create(const hed_allocator *allocator, const char *text,
    const hed_expression_names *names, hed_expression **expression, hed_error *error);
/** Returns the value of an expression; truth is 1 and 0; NAN: undefined. `values`: (names->count),
 *  by slot.
 *  Thread class: rt. */
HED_API double hed_expression_value(const hed_expression *expression, const double *values);
/** True if an expression reads a slot. Thread class: rt. */
HED_API bool hed_expression_uses(const hed_expression *expression, uint32_t slot);
/** Destroys an expression. NULL is allowed. Thread class: owner. */
HED_API void hed_expression_destroy(hed_expression *expression);

/* ---- spaces ---- */

typedef struct hed_space hed_space;

/** A named number for constraints. */
typedef struct hed_constant {
    const char *name;
    double value;
} hed_constant;

enum { HED_DEVICE_CONSTANTS = 11 };
/** Lists a device's limits under their names in a kernel's expressions, which the top of this file
 *  lists. Returns their number.
 *  Thread class: rt. */
static inline uint32_t hed_device_constants(
    const hed_device_info *info, hed_constant constants[HED_DEVICE_CONSTANTS])
{
    if (!info || !constants) return 0;
    const hed_constant all[HED_DEVICE_CONSTANTS] = {{"max_group", (double)info->max_group},
        {"max_group_x", (double)info->max_group_size[0]},
        {"max_group_y", (double)info->max_group_size[1]},
        {"max_group_z", (double)info->max_group_size[2]},
        {"local_bytes", (double)info->local_bytes}, {"lane_width", (double)info->lane_width},
        {"compute_units", (double)info->compute_units}, {"registers", (double)info->registers},
        {"cache_bytes", (double)info->cache_bytes}, {"memory_bytes", (double)info->memory_bytes},
        {"architecture", (double)info->architecture}};
    for (uint32_t i = 0; i < HED_DEVICE_CONSTANTS; i++) constants[i] = all[i];
    return HED_DEVICE_CONSTANTS;
}

/** Definition of a space. Start from {0}. Parameters must outlive the space. */
typedef struct hed_space_def {
    const hed_allocator *allocator;      /**< NULL: the C library's */
    const hed_parameter_def *parameters; /**< (parameter_count), at most 65,535 values each */
    uint32_t parameter_count;
    const char *const *constraints; /**< (constraint_count) expressions that must not be 0 */
    uint32_t constraint_count;
    /** (condition_count) conditions of parameters that matter only in some configurations */
    const hed_condition *conditions;
    uint32_t condition_count;
    const hed_constant *constants; /**< (constant_count) */
    uint32_t constant_count;
    /** Predicate for rules that no expression can state; called for each point that meets the
     *  constraints, at most 2^22 times. NULL: accepts all. */
    bool (*accept)(void *user, const hed_config *config);
    void *user;
} hed_space_def;

/** Builds a space, which may be empty. A constraint without a value (a division by zero) is not
 *  met.
 *  Thread class: any. Errors: ARGUMENT (parameters, unknown names), FORMAT (an expression), MEMORY,
 *  LIMIT (too many combinations to enumerate, or to call accept() for; the text has the remedy). */
HED_API hed_status hed_space_create(const hed_space_def *def, hed_space **space, hed_error *error);
/** Creates a space of given points, which keep their order. `values`: (count x parameter_count).
 *  Thread class: any. Errors: ARGUMENT (a value that the parameter does not have, a point given
 *  twice), LIMIT (2^32 points), MEMORY. */
HED_API hed_status hed_space_create_list(const hed_allocator *allocator,
    const hed_parameter_def *parameters, uint32_t parameter_count, const int64_t *values,
    uint64_t count, hed_space **space, hed_error *error);
/** Creates the space of the configurations that hed_kernel_valid() accepts on a device for a
 *  problem. Parameters that the kernel ignores there (hed_kernel_ignores()) keep their default, or
 *  if that is never valid, their value in the first valid configuration.
 *  Thread class: any. Errors: as hed_space_create(). */
HED_API hed_status hed_space_create_for_kernel(hed_device *device, const hed_kernel_def *def,
    const hed_problem *problem, hed_math math, hed_space **space, hed_error *error);
/** Destroys a space. NULL is allowed. Thread class: owner. */
HED_API void hed_space_destroy(hed_space *space);

/** Returns the number of points. Thread class: rt. */
HED_API uint64_t hed_space_count(const hed_space *space);
/** Returns point `index` < hed_space_count(). Thread class: rt. */
HED_API hed_config hed_space_at(const hed_space *space, uint64_t index);
/** Returns the index of a configuration; UINT64_MAX: it is not in the space. Thread class: rt. */
HED_API uint64_t hed_space_find(const hed_space *space, const hed_config *config);

HED_END

#endif
