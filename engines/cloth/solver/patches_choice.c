/* How a cloth is laid over a device with patches or whole garments where nothing was measured
 * (tune.c has what is worth measuring). The rules are those that a prototype's measurements on an
 * H200 gave (docs/cloth.md). */
#include <stdio.h>

#include "kernels/kernels.h"
#include "solver/patches.h"
#include "solver/tune.h"

enum {
    REGISTER_TABLE = 1024, /* particles of a patch up to which a table in registers was better */
    STREAM_THREADS = 512,
    SMALL_THREADS = 96, /* where several groups share a compute unit */
    SMALL_GROUPS = 8,
    SMALL_HELD = 9, /* previous positions that their 80 registers have room for */
    CPU_THREADS = 32,
    SURROUNDED_THREADS = 768 /* where driver, air or colliders want more loads under way */
};

/* ---- what a cloth is ---- */

static uint32_t copies_of(const hed_cloth *cloth)
{
    uint32_t copies = 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++) copies += cloth->garments[g]->copies;
    return copies;
}

static uint32_t largest_garment(const hed_cloth *cloth)
{
    uint32_t largest = 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        if (cloth->garments[g]->particle_count > largest)
            largest = cloth->garments[g]->particle_count;
    return largest;
}

static uint64_t constraints_of(const hed_cloth *cloth)
{
    uint64_t constraints = 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        constraints += (uint64_t)cloth->garments[g]->constraint_count * cloth->garments[g]->copies;
    return constraints;
}

static uint32_t degree_of(const hed_cloth *cloth)
{
    uint32_t degree = 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        if (cloth->garments[g]->degree > degree) degree = cloth->garments[g]->degree;
    return degree;
}

/* ---- the default ---- */

/* So many interior constraints in a step that the steps are evenly full: two more of these than the
 * degree asks. */
static uint32_t even_step(const hed_cloth *cloth, uint32_t patches)
{
    uint64_t each = constraints_of(cloth) / patches / (degree_of(cloth) + 2u);
    return (uint32_t)(each + each / 40 + 1);
}

static cloth_patch_choice default_whole(const hed_cloth *cloth, const hed_device_info *info)
{
    cloth_patch_choice choice = {
        .kind = CLOTH_PLAN_FIGURES, .queue = 2, .held = UINT32_MAX, .threads = STREAM_THREADS};
    uint32_t units = info->compute_units ? info->compute_units : 1, copies = copies_of(cloth),
             largest = largest_garment(cloth);
    if (info->type == HED_DEVICE_CPU) {
        choice.threads = CPU_THREADS;
        choice.held = 0;
    } else if (copies >= 4 * units && largest <= SMALL_THREADS * CLOTH_PATCH_MOST_OWN_EACH / 2) {
        choice.threads = SMALL_THREADS;
        choice.groups = SMALL_GROUPS;
        choice.queue = 1; /* two would spill */
        choice.held = SMALL_HELD;
    } else if (largest <= 256) {
        choice.threads = 64;
    } else if (largest < 2 * STREAM_THREADS) {
        choice.threads = STREAM_THREADS / 2;
    }
    return choice;
}

static cloth_patch_choice default_patches(const hed_cloth *cloth, const hed_device_info *info)
{
    cloth_patch_choice choice = {.kind = CLOTH_PLAN_JOINT, .queue = 2, .held = UINT32_MAX};
    uint32_t copies = copies_of(cloth), units = info->compute_units ? info->compute_units : 1;
    choice.patches = cloth->def.patches ? cloth->def.patches : units > copies ? units : copies;
    uint32_t each = cloth->particles / choice.patches;
    if (info->type == HED_DEVICE_CPU) {
        choice.kind = CLOTH_PLAN_FIGURES;
        choice.threads = CPU_THREADS;
        choice.held = 0;
    } else if (each > REGISTER_TABLE) {
        choice.kind = CLOTH_PLAN_FIGURES;
        choice.threads = cloth->has_driver || cloth->has_air ? SURROUNDED_THREADS : STREAM_THREADS;
        choice.queue = 3;
    }
    return choice;
}

cloth_patch_choice cloth_patch_default(const hed_cloth *cloth, hed_cloth_solver id)
{
    const hed_device_info *info = hed_device_get_info(cloth->device);
    if (id == HED_CLOTH_GARMENTS)
        return cloth_tuned_choice(
            &cloth->tuned, largest_garment(cloth), 0, default_whole(cloth, info));
    cloth_patch_choice rule = default_patches(cloth, info);
    return cloth_tuned_choice(
        &cloth->tuned, cloth->particles / rule.patches, even_step(cloth, rule.patches), rule);
}

void cloth_patch_format(const cloth_patch_choice *choice, char *text, size_t size)
{
    char threads[32] = "threads as needed", held[48] = "", more[96] = "";
    if (choice->threads) snprintf(threads, sizeof threads, "%u threads", choice->threads);
    if (choice->held != UINT32_MAX)
        snprintf(held, sizeof held, ", %u previous positions held", choice->held);
    if (choice->kind == CLOTH_PLAN_JOINT)
        snprintf(more, sizeof more, ", %u early steps, step limit %u", choice->early_steps,
            choice->step_limit);
    else
        snprintf(more, sizeof more, ", queue %u, %u groups a unit", choice->queue,
            choice->groups ? choice->groups : 1);
    snprintf(text, size, "%s, %s", choice->kind == CLOTH_PLAN_JOINT ? "joint" : "figures", threads);
    size_t used = 0;
    while (used < size && text[used]) used++;
    if (choice->patches)
        used += (size_t)snprintf(text + used, size - used, ", %u patches", choice->patches);
    if (used < size) snprintf(text + used, size - used, "%s%s", more, held);
}
