/* Interfaces between the files of the launcher. */
#ifndef HED_LAUNCH_LAUNCHER_H
#define HED_LAUNCH_LAUNCHER_H

#include <string.h>

#include "core/objects.h"
#include "database/keyed_results.h"

/* ---- rules.c: a description's constraints and conditions ---- */

typedef struct hed_rules hed_rules;
/* Compiles the rules; `*rules` NULL: the description has no rules. Errors: as
 * hed_expression_create(). */
hed_status hed_rules_create(
    const hed_device *device, const hed_kernel_def *def, hed_rules **rules, hed_error *error);
void hed_rules_destroy(hed_rules *rules);
/* Checks a configuration against the rules. Without `problem`, rules that use a size are skipped.
 * `rules` NULL: OK. Errors: UNSUPPORTED (names the rule). */
hed_status hed_rules_check(
    const hed_rules *rules, const hed_config *config, const hed_problem *problem, hed_error *error);

/* ---- geometry.c ---- */

/* Fills in the fields that geometry() left open, rounds the global size up to whole
 * groups, and checks it against the device, the launch bound, and the program if it is compiled
 * already. */
hed_status hed_geometry_settle(const hed_kernel_def *def, const hed_device *device,
    const hed_program *program, uint32_t max_threads, hed_geometry *geometry, hed_error *error);

/* ---- valid.c: validity of descriptions and configurations ---- */

/* Checks that a description is well-formed and that the device can run it. */
hed_status hed_description_check(
    const hed_device *device, const hed_kernel_def *def, hed_math math, hed_error *error);
/* Checks that a configuration can run, for `problem` if that is not NULL. */
hed_status hed_config_check(const hed_device *device, const hed_kernel_def *def,
    const hed_rules *rules, const hed_config *config, const hed_problem *problem, hed_math math,
    hed_error *error);
/* The description's default if it is valid, else the first valid configuration. Errors: the reason
 * why the default is invalid. */
hed_status hed_resolve_default(const hed_device *device, const hed_kernel_def *def,
    const hed_rules *rules, const hed_problem *problem, hed_math math, hed_config *config,
    hed_error *error);

/* ---- pick.c, resolve.c: configuration of kernels that were not given one ---- */

/* The best known configuration for a size (NULL: any), else the default. */
hed_status hed_kernel_pick(const hed_kernel *kernel, const hed_problem *problem, hed_config *config,
    hed_config_origin *configured, hed_error *error);
/* Excludes a tuned configuration that failed to build from further picks. */
void hed_kernel_refuse(hed_kernel *kernel, const hed_config *config, const hed_error *cause);
/* Puts the best configuration for a new size in force, or starts building it. For kernels with
 * choices. */
hed_status hed_kernel_choose(hed_kernel *kernel, const hed_problem *problem, hed_error *error);

/* ---- launch.c ---- */

/* Called before the first launch of a kernel named by hed_context_def.capture. Captures launch
 * kernels themselves, so they depend on this room, and src/heddle.c defines the function. */
typedef void hed_launch_hook(hed_stream *stream, hed_kernel *kernel, const hed_problem *problem,
    const hed_argument *arguments, uint32_t argument_count);
extern hed_launch_hook *const hed_on_first_launch;

/* ---- kernel.c ---- */

/* Activates a finished background build. Returns OK; NOT_READY if nothing can run yet; else the
 * build's error. */
hed_status hed_kernel_swap(hed_kernel *kernel, hed_error *error);
/* Puts one of the kernel's variants in force, chosen for `problem` (nullable). */
void hed_kernel_put_in_force(hed_kernel *kernel, hed_variant *variant, hed_config_origin configured,
    const hed_problem *problem);
/* Compiles a picked configuration: in the background (false: impossible; a pending build counts as
 * this one), or at once. A tuned configuration that fails to build is excluded, with status OK. */
bool hed_kernel_build_in_background(hed_kernel *kernel, const hed_problem *problem,
    const hed_config *config, hed_config_origin configured);
hed_status hed_kernel_build_now(
    hed_kernel *kernel, const hed_config *config, hed_config_origin configured, hed_error *error);

#endif
