/* How a cloth is laid over a device with patches or whole garments where nothing was measured, and what is worth measuring. The rules are
 * those that a prototype's measurements on an H200 gave (docs/cloth.md). */
#include <stdio.h>

#include "kernels/kernels.h"
#include "solver/patches.h"
#include "solver/tune.h"

enum {
    REGISTER_TABLE = 1024, /* particles of a patch up to which a table in registers was better */
    STREAM_THREADS = 512,
    SMALL_THREADS = 96, /* where several groups share a compute unit */
    SMALL_GROUPS = 8,
    CPU_THREADS = 32,
    EARLY_FROM = 256, /* particles of a patch from which work while packets travel was worth a step */
    EARLY_STEPS = 3
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
        if (cloth->garments[g]->particle_count > largest) largest = cloth->garments[g]->particle_count;
    return largest;
}

static uint64_t constraints_of(const hed_cloth *cloth)
{
    uint64_t constraints = 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++) constraints += (uint64_t)cloth->garments[g]->constraint_count * cloth->garments[g]->copies;
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

/* So many interior constraints in a step that the steps are evenly full: two more of them than the degree asks for. */
static uint32_t even_step(const hed_cloth *cloth, uint32_t patches)
{
    uint64_t each = constraints_of(cloth) / patches / (degree_of(cloth) + 2u);
    return (uint32_t)(each + each / 40 + 1);
}

static cloth_patch_choice default_whole(const hed_cloth *cloth, const hed_device_info *info)
{
    cloth_patch_choice choice = {.kind = CLOTH_PLAN_FIGURES, .queue = 2, .held = UINT32_MAX, .threads = STREAM_THREADS};
    uint32_t units = info->compute_units ? info->compute_units : 1, copies = copies_of(cloth), largest = largest_garment(cloth);
    if (info->type == HED_DEVICE_CPU) {
        choice.threads = CPU_THREADS;
        choice.held = 0;
    } else if (copies >= 4 * units && largest <= SMALL_THREADS * CLOTH_PATCH_MOST_OWN_EACH / 2) {
        choice.threads = SMALL_THREADS;
        choice.groups = SMALL_GROUPS;
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
        choice.threads = STREAM_THREADS;
    } else if (each >= EARLY_FROM) {
        choice.early_steps = EARLY_STEPS;
        choice.step_limit = even_step(cloth, choice.patches);
    }
    return choice;
}

cloth_patch_choice cloth_patch_default(const hed_cloth *cloth, hed_cloth_structure id)
{
    const hed_device_info *info = hed_device_get_info(cloth->device);
    if (id == HED_CLOTH_WHOLE) return cloth_tuned_choice(&cloth->tuned, largest_garment(cloth), 0, default_whole(cloth, info));
    cloth_patch_choice rule = default_patches(cloth, info);
    return cloth_tuned_choice(&cloth->tuned, cloth->particles / rule.patches, even_step(cloth, rule.patches), rule);
}

/* ---- candidates ---- */

typedef struct candidates {
    cloth_patch_choice *choices;
    uint32_t count, capacity;
} candidates;

static bool same(const cloth_patch_choice *a, const cloth_patch_choice *b)
{
    return a->kind == b->kind && a->patches == b->patches && a->threads == b->threads && a->early_steps == b->early_steps &&
           a->step_limit == b->step_limit && a->queue == b->queue && a->held == b->held && a->groups == b->groups;
}

static void add(candidates *to, cloth_patch_choice choice)
{
    for (uint32_t k = 0; k < to->count && k < to->capacity; k++)
        if (same(&to->choices[k], &choice)) return;
    if (to->count < to->capacity) to->choices[to->count] = choice;
    to->count++;
}

/* Streaming: threads against registers, and how much of the table is fetched ahead. */
static void add_streamed(candidates *to, cloth_patch_choice choice, uint32_t particles)
{
    static const uint32_t threads[] = {96, 128, 192, 256, 384, 512, 640, 1024}, groups[] = {0, 2, 4, 8};
    choice.kind = CLOTH_PLAN_FIGURES;
    choice.early_steps = choice.step_limit = 0;
    for (uint32_t t = 0; t < CLOTH_COUNT(threads); t++)
        for (uint32_t g = 0; g < CLOTH_COUNT(groups); g++) {
            uint32_t each = (particles + threads[t] - 1) / threads[t];
            if (each > CLOTH_PATCH_MOST_OWN_EACH || threads[t] * groups[g] > 2048 || threads[t] > particles) continue;
            if (choice.patches && groups[g] > 1) continue;
            choice.threads = threads[t];
            choice.groups = groups[g];
            for (choice.queue = 1; choice.queue <= 3; choice.queue++) {
                choice.held = UINT32_MAX;
                add(to, choice);
                for (choice.held = 0; choice.held < each && threads[t] * (groups[g] ? groups[g] : 1) >= 512; choice.held += each > 4 ? each / 4 : 1)
                    add(to, choice);
            }
        }
}

static void add_joint(candidates *to, cloth_patch_choice choice, const hed_cloth *cloth)
{
    static const uint32_t early[] = {0, 2, 3};
    choice.kind = CLOTH_PLAN_JOINT;
    choice.held = UINT32_MAX;
    for (uint32_t e = 0; e < CLOTH_COUNT(early); e++)
        for (uint32_t limit = 0; limit < 3; limit++) {
            uint32_t even = even_step(cloth, choice.patches);
            choice.early_steps = early[e];
            choice.step_limit = limit == 0 ? 0 : limit == 1 ? even : even - even / 14;
            choice.threads = 0;
            add(to, choice);
            for (choice.threads = 128; choice.threads <= 512; choice.threads += 128) add(to, choice);
        }
}

uint32_t cloth_patch_candidates(const hed_cloth *cloth, hed_cloth_structure id, cloth_patch_choice *choices, uint32_t capacity)
{
    candidates to = {.choices = choices, .capacity = capacity};
    cloth_patch_choice choice = cloth_patch_default(cloth, id);
    add(&to, choice);
    if (id == HED_CLOTH_WHOLE) {
        add_streamed(&to, choice, largest_garment(cloth));
        return to.count;
    }
    uint32_t copies = copies_of(cloth), most = choice.patches;
    for (uint32_t patches = most; patches >= copies && patches + 4 >= most && patches > 0; patches -= 4) {
        choice.patches = patches;
        if (cloth->particles / patches <= 2 * REGISTER_TABLE) add_joint(&to, choice, cloth);
        if (cloth->particles / patches >= REGISTER_TABLE / 4) add_streamed(&to, choice, cloth->particles / patches);
        if (cloth->def.patches) break; /* given */
    }
    return to.count;
}

void cloth_patch_format(const cloth_patch_choice *choice, char *text, size_t size)
{
    char threads[32] = "threads as needed", held[48] = "", more[96] = "";
    if (choice->threads) snprintf(threads, sizeof threads, "%u threads", choice->threads);
    if (choice->held != UINT32_MAX) snprintf(held, sizeof held, ", %u previous positions held", choice->held);
    if (choice->kind == CLOTH_PLAN_JOINT) snprintf(more, sizeof more, ", %u early steps, step limit %u", choice->early_steps, choice->step_limit);
    else snprintf(more, sizeof more, ", queue %u, %u groups a unit", choice->queue, choice->groups ? choice->groups : 1);
    snprintf(text, size, "%s, %s", choice->kind == CLOTH_PLAN_JOINT ? "joint" : "figures", threads);
    size_t used = 0;
    while (used < size && text[used]) used++;
    if (choice->patches) used += (size_t)snprintf(text + used, size - used, ", %u patches", choice->patches);
    if (used < size) snprintf(text + used, size - used, "%s%s", more, held);
}
