/* What the files of the launcher share. */
#ifndef HED_LAUNCH_LAUNCH_H
#define HED_LAUNCH_LAUNCH_H

#include <string.h>

#include "core/objects.h"
#include "database/database.h"

/* ---- rules.c: a description's constraints and conditions ---- */

typedef struct hed_rules hed_rules;
/* `*rules` NULL: there are none. Errors: as hed_expression_create(). */
hed_status hed_rules_create(
    const hed_device *device, const hed_kernel_def *def, hed_rules **rules, hed_error *error);
void hed_rules_destroy(hed_rules *rules);
/* Those that name a size are passed over where `problem` is NULL. `rules` NULL: OK. Errors:
 * UNSUPPORTED (names the rule). */
hed_status hed_rules_check(
    const hed_rules *rules, const hed_config *config, const hed_problem *problem, hed_error *error);

/* ---- resolve.c: what can run ---- */

/* Whether a description is one, and a device can run it at all. */
hed_status hed_description_check(
    const hed_device *device, const hed_kernel_def *def, hed_math math, hed_error *error);
/* Whether a configuration can run, for a problem if that is not NULL. */
hed_status hed_config_check(const hed_device *device, const hed_kernel_def *def,
    const hed_rules *rules, const hed_config *config, const hed_problem *problem, hed_math math,
    hed_error *error);
/* The description's default where it is valid, else the first valid configuration. Errors: why the
 * default is not valid. */
hed_status hed_resolve_default(const hed_device *device, const hed_kernel_def *def,
    const hed_rules *rules, const hed_problem *problem, hed_math math, hed_config *config,
    hed_error *error);

/* ---- choose.c: what a kernel runs with that was not given a configuration ---- */

/* The best known for a size (NULL: any), else the default. */
hed_status hed_kernel_pick(const hed_kernel *kernel, const hed_problem *problem, hed_config *config,
    hed_config_origin *configured, hed_error *error);
/* Puts the best one for a new size in force, or has it built. For kernels with choices. */
hed_status hed_kernel_choose(hed_kernel *kernel, const hed_problem *problem, hed_error *error);
/* A tuned configuration that does not build is not picked again. */
void hed_kernel_refuse(hed_kernel *kernel, const hed_config *config, const hed_error *why);

/* ---- launch.c ---- */

/* Called before the first launch of a kernel that hed_context_def.capture names. Captures launch
 * kernels themselves, so they lie above this room, and src/heddle.c says which function it is. */
typedef void hed_launch_hook(hed_stream *stream, hed_kernel *kernel, const hed_problem *problem,
    const hed_argument *arguments, uint32_t argument_count);
extern hed_launch_hook *const hed_on_first_launch;

/* ---- kernel.c ---- */

/* Swaps a finished background build in. OK; NOT_READY: nothing can run yet; else the build's
 * error. */
hed_status hed_kernel_swap(hed_kernel *kernel, hed_error *error);
/* One of the kernel's variants is the one to run from now on, chosen for `problem` (nullable). */
void hed_kernel_put_in_force(hed_kernel *kernel, hed_variant *variant, hed_config_origin configured,
    const hed_problem *problem);
/* Compiles a picked configuration: in the background (false: that cannot be; a build that is on its
 * way counts as this one's), or at once. A tuned one that does not build is refused, and OK. */
bool hed_kernel_build_in_background(hed_kernel *kernel, const hed_problem *problem,
    const hed_config *config, hed_config_origin configured);
hed_status hed_kernel_build_now(
    hed_kernel *kernel, const hed_config *config, hed_config_origin configured, hed_error *error);

/* geometry.c: fills in what geometry() left open, rounds the global size up to whole groups, and
 * checks it against the device, the launch bound, and the program where there is one already. */
hed_status hed_geometry_settle(const hed_kernel_def *def, const hed_device *device,
    const hed_program *program, uint32_t max_threads, hed_geometry *geometry, hed_error *error);

#endif
