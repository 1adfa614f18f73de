/* Geometry of a launch: open fields are chosen, the rest is checked before it reaches a driver,
 * since some drivers abort the process for a geometry they cannot run. */
#include "core/program.h"
#include "launch/launcher.h"

static uint32_t launch_smaller(uint32_t a, uint64_t b) { return b && b < a ? (uint32_t)b : a; }

/* Chooses a group for a kernel that accepts any: 256 items, or as many as fit; nearly square in two
 * and three dimensions. */
static void choose_group(const hed_device *device, uint32_t limit, hed_geometry *g)
{
    static const uint32_t shapes[3][3] = {{256, 1, 1}, {16, 16, 1}, {8, 8, 4}};
    for (uint32_t i = 0; i < 3; i++) {
        g->group[i] = shapes[g->dimensions - 1][i];
        g->group[i] = launch_smaller(g->group[i], device->info.max_group_size[i]);
    }
    for (uint32_t i = 2; (uint64_t)g->group[0] * g->group[1] * g->group[2] > limit; i = (i + 2) % 3)
        if (g->group[i] > 1) g->group[i] /= 2;
}

static hed_status check_sizes(const hed_kernel_def *def, const hed_geometry *g, hed_error *error)
{
    if (g->dimensions < 1 || g->dimensions > 3)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: launch has %u dimensions; expected 1 to 3",
            def->name, g->dimensions);
    for (uint32_t i = 0; i < g->dimensions; i++)
        if (g->global[i] == 0)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: launch has 0 work items in dimension %u; expected at least 1", def->name, i);
    return HED_OK;
}

static hed_status check_group(const hed_kernel_def *def, const hed_device *device, uint32_t limit,
    const hed_geometry *g, hed_error *error)
{
    const hed_device_info *info = &device->info;
    for (uint32_t i = 0; i < 3; i++)
        if (g->group[i] == 0 || (info->max_group_size[i] && g->group[i] > info->max_group_size[i]))
            return hed_fail(error, HED_ERROR_LIMIT,
                "%s: a group of %u x %u x %u work items: %s allows 1 to %u in dimension %u",
                def->name, g->group[0], g->group[1], g->group[2], info->id, info->max_group_size[i],
                i);
    if ((uint64_t)g->group[0] * g->group[1] * g->group[2] > limit)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%s: a group of %u x %u x %u work items: this kernel on %s allows %u", def->name,
            g->group[0], g->group[1], g->group[2], info->id, limit);
    return HED_OK;
}

static hed_status check_local(const hed_kernel_def *def, const hed_device *device,
    const hed_program *program, const hed_geometry *g, hed_error *error)
{
    uint64_t total = program && program->resources.local_bytes > 0
                         ? (uint64_t)program->resources.local_bytes
                         : 0;
    for (uint32_t i = 0; i < def->argument_count; i++) {
        if (def->arguments[i].kind != HED_LOCAL) continue;
        if (g->local_bytes[i] == 0)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: local array \"%s\" has 0 bytes: geometry() must set them", def->name,
                def->arguments[i].name);
        /* keeps the sum of 32 arrays below overflow */
        if (g->local_bytes[i] > UINT64_MAX / 64) total = UINT64_MAX / 2;
        else total += (g->local_bytes[i] + 15) & ~(uint64_t)15;
    }
    if (total <= device->info.local_bytes) return HED_OK;
    return hed_fail(error, HED_ERROR_LIMIT, "%s: %llu bytes of local memory: %s has %llu",
        def->name, (unsigned long long)total, device->info.id,
        (unsigned long long)device->info.local_bytes);
}

static hed_status round_global(
    const hed_kernel_def *def, const hed_device *device, hed_geometry *g, hed_error *error)
{
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t groups = (g->global[i] - 1) / g->group[i] + 1;
        if (device->info.max_groups[i] && groups > device->info.max_groups[i])
            return hed_fail(error, HED_ERROR_LIMIT,
                "%s: %llu groups in dimension %u: %s allows %llu", def->name,
                (unsigned long long)groups, i, device->info.id,
                (unsigned long long)device->info.max_groups[i]);
        g->global[i] = groups * g->group[i];
    }
    return HED_OK;
}

/* Checks the group against the one fixed in a shader's text. */
static hed_status check_named_group(
    const hed_kernel_def *def, const hed_program *program, const hed_geometry *g, hed_error *error)
{
    const uint32_t *named = program ? program->group : NULL;
    if (!named || !named[0] || memcmp(g->group, named, sizeof program->group) == 0) return HED_OK;
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "%s: the launch has groups of %u x %u x %u work items, the shader says %u x %u x %u: a "
        "shader's group is part of its text (local_size, or local_size_x_id and a parameter)",
        def->name, g->group[0], g->group[1], g->group[2], named[0], named[1], named[2]);
}

hed_status hed_geometry_settle(const hed_kernel_def *def, const hed_device *device,
    const hed_program *program, uint32_t max_threads, hed_geometry *g, hed_error *error)
{
    hed_status status = check_sizes(def, g, error);
    if (status) return status;
    /* maximum number of work items of a group, by all known limits */
    uint32_t limit =
        launch_smaller(device->info.max_group ? device->info.max_group : 1, max_threads);
    if (program && program->resources.max_group > 0)
        limit = launch_smaller(limit, (uint64_t)program->resources.max_group);
    bool open = !g->group[0] && !g->group[1] && !g->group[2];
    for (uint32_t i = g->dimensions; i < 3; i++) {
        g->global[i] = 1;
        if (!open) g->group[i] = 1;
    }
    if (!g->native_items) g->native_items = g->global[0] * g->global[1] * g->global[2];
    if (open && program && program->group[0])
        memcpy(g->group, program->group, sizeof program->group);
    else if (open) choose_group(device, limit, g);
    if ((status = check_group(def, device, limit, g, error)) ||
        (status = check_named_group(def, program, g, error)) ||
        (status = check_local(def, device, program, g, error)) ||
        (status = round_global(def, device, g, error)))
        return status;
    if (g->cluster > 1 && !(device->info.capabilities & HED_CAN_CLUSTERS))
        return hed_fail(
            error, HED_ERROR_UNSUPPORTED, "%s: %s has no clusters", def->name, device->info.id);
    if (g->cluster > 1 && g->global[0] / g->group[0] % g->cluster)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: %llu groups are no multiple of the cluster's %u", def->name,
            (unsigned long long)(g->global[0] / g->group[0]), g->cluster);
    return HED_OK;
}
