/* The kernel of patches and whole garments through NVRTC, without a device: the instances that
 * matter on an H200 neither spill nor have a stack frame, with what may surround a cloth and
 * without; and all compile for older architectures. Skipped where NVRTC is not installed. */

#include "contact/contact_kernels.h"
#include "kernels/cooperative_kernel.h"
#include "kernels/newton_kernel.h"
#include "nvrtc_testing.h"

typedef struct instance {
    /* threads, own, ghosts, steps, shares, early, queue, held */
    int64_t values[CLOTH_PATCH_PARAMETERS];
    const char *exchange, *figures;
    bool fabric; /* if limited; a whole garment without steps in registers is in any case */
    bool lattices;
    hed_math math;
} instance;

enum { MOST_DEFINES = CLOTH_PATCH_PARAMETERS + 17 };

static const char *const surroundings[] = {"TETHERS", "DRIVER", "AIR", "COLLIDERS", "CONTACTS"};
static const char *const materials[] = {"RANGES", "COMPLIANCE", "FABRIC"};

static void add(hed_define *defines, uint32_t *count, const char *const *names, uint32_t number)
{
    for (uint32_t i = 0; i < number; i++) defines[(*count)++] = (hed_define){names[i], "1"};
}

/* `registers`: of a thread at most; 0: as many as the group leaves. */
static void check(
    const instance *made, bool surrounded, bool limited, uint32_t registers, const char *target)
{
    char values[CLOTH_PATCH_PARAMETERS][24], text[256];
    hed_define defines[MOST_DEFINES] = {{"EXCHANGE", made->exchange}, {"FIGURES", made->figures}};
    uint32_t count = 2;
    const hed_kernel_def *def =
        made->exchange[0] == '1' ? &cloth_patch_packets_def : &cloth_patch_def;
    hed_config config = {.count = CLOTH_PATCH_PARAMETERS};
    for (uint32_t p = 0; p < CLOTH_PATCH_PARAMETERS; p++) {
        config.values[p] = made->values[p];
        snprintf(values[p], sizeof values[p], "%lld", (long long)made->values[p]);
        defines[count++] = (hed_define){def->parameters[p].name, values[p]};
    }
    if (made->lattices) defines[count++] = (hed_define){"LATTICES", "1"};
    if (surrounded) add(defines, &count, surroundings, 5);
    bool fabric =
        made->fabric || (made->exchange[0] == '0' && !made->values[CLOTH_PATCH_REGISTER_STEPS]);
    if (limited) add(defines, &count, materials, fabric ? 3 : 2);
    hed_config_format(def, &config, text, sizeof text);
    hed_build build = {.def = def,
        .math = made->math,
        .defines = defines,
        .define_count = count,
        .max_registers = registers,
        .max_threads = (uint32_t)made->values[CLOTH_PATCH_WG]};
    hed_kernel_resources r = resources_of(build, text, target);
    if (strcmp(target, "sm_90") != 0) return;
    EXPECT(r.spill_bytes == 0 && r.stack_bytes == 0,
        "[%s]%s%s: %lld bytes of spills, %lld of stack", text, surrounded ? " surrounded" : "",
        limited ? " limited" : "", (long long)r.spill_bytes, (long long)r.stack_bytes);
    EXPECT(r.registers > 0 && r.registers * made->values[CLOTH_PATCH_WG] <= REGISTERS_OF_A_UNIT,
        "[%s]: %lld registers", text, (long long)r.registers);
}

static const instance joint_255 = {{384, 2, 1, 18, 1, 3, 1, 2}, "1", "0", false, false, 0};
static const instance joint_255_surrounded = {
    {384, 2, 1, 18, 0, 3, 1, 2}, "1", "0", false, false, 0};
static const instance joint_128 = {{160, 1, 1, 16, 1, 0, 1, 1}, "1", "0", false, false, 0};
static const instance joint_128_surrounded = {
    {160, 1, 1, 16, 0, 0, 1, 1}, "1", "0", false, false, 0};
static const instance fabric_255 = {{256, 2, 1, 0, 0, 0, 2, 2}, "1", "0", true, false, 0};
static const instance fabric_1024 = {{384, 21, 3, 0, 0, 0, 2, 0}, "1", "1", true, false, 0};
static const instance figures_1024 = {{512, 16, 2, 0, 0, 0, 2, 16}, "1", "2", false, false, 0};
static const instance figures_1024_wide = {{512, 16, 2, 0, 0, 0, 1, 12}, "1", "1", false, false, 0};
static const instance figures_1024_surrounded = {
    {512, 16, 2, 0, 0, 0, 2, 0}, "1", "2", false, false, 0};
static const instance figures_1024_warps = {{1024, 8, 1, 0, 0, 0, 2, 1}, "1", "2", false, false, 0};
static const instance whole_32 = {{96, 11, 1, 0, 0, 0, 1, 9}, "0", "2", false, false, 0};
static const instance whole_32_surrounded = {{96, 11, 1, 0, 0, 0, 1, 0}, "0", "2", false, false, 0};
static const instance whole_32_lattices = {{96, 11, 1, 0, 0, 0, 1, 0}, "0", "2", true, true, 0};
static const instance whole_64 = {{256, 16, 1, 0, 0, 0, 2, 0}, "0", "2", false, false, 0};

static const instance strict_garment = {
    {512, 4, 1, 0, 0, 0, 2, 4}, "0", "0", false, false, HED_MATH_STRICT};
static const instance strict_patch = {
    {512, 1, 1, 0, 0, 0, 2, 1}, "1", "0", false, false, HED_MATH_STRICT};

Test(cloth_nvrtc, strict)
{
    check(&strict_garment, false, true, 0, "sm_90");
    check(&strict_garment, true, true, 0, "sm_90");
    check(&strict_patch, false, true, 0, "sm_90");
    check(&strict_patch, true, true, 0, "sm_90");
}

Test(cloth_nvrtc, one_of_255_and_128)
{
    check(&joint_255, false, false, 0, "sm_90");
    check(&joint_255, false, true, 0, "sm_90");
    check(&joint_255_surrounded, true, false, 0, "sm_90");
    check(&joint_128, false, false, 0, "sm_90");
    check(&joint_128_surrounded, true, true, 0, "sm_90");
}

Test(cloth_nvrtc, one_of_1024)
{
    check(&figures_1024, false, false, 0, "sm_90");
    check(&figures_1024, false, true, 0, "sm_90");
    check(&figures_1024_wide, false, false, 0, "sm_90");
    check(&figures_1024_warps, false, false, 0, "sm_90");
    check(&figures_1024_surrounded, true, false, 0, "sm_90");
}

Test(cloth_nvrtc, fabrics_in_patches)
{
    check(&fabric_255, true, true, 0, "sm_90");
    check(&fabric_1024, true, true, 0, "sm_90");
}

Test(cloth_nvrtc, many_of_32)
{
    check(&whole_32, false, false, 80, "sm_90");
    check(&whole_32_surrounded, true, true, 0, "sm_90");
    check(&whole_64, false, true, 0, "sm_90");
}

Test(cloth_nvrtc, older_architectures)
{
    check(&joint_128, true, true, 0, "sm_75");
    check(&figures_1024_surrounded, true, false, 0, "sm_80");
}

Test(cloth_nvrtc, lattices_in_garments)
{
    check(&whole_32_lattices, false, true, 0, "sm_90");
    check(&whole_32_lattices, true, true, 0, "sm_90");
}

/* Cloth that never crosses cloth: its kernels are one text, of which these two need most, and all
 * of them in one, of which four groups and more fit a multiprocessor. */
Test(cloth_nvrtc, pairs)
{
    static const hed_kernel_def *const kernels[] = {
        &cloth_pairs_list_def, &cloth_pairs_apply_def, &cloth_pairs_substep_def};
    for (size_t k = 0; k < HED_COUNT(kernels); k++) {
        const hed_kernel_def *def = kernels[k];
        const hed_define defines[] = {{"WG", "128"}, {"CLOTH_PAIRS_AT_ONCE", "1"}};
        hed_build build = {.def = def,
            .math = HED_MATH_STRICT,
            .defines = defines,
            .define_count = 1 + def->define_count,
            .max_threads = 128};
        hed_kernel_resources r = resources_of(build, def->name, "sm_90");
        EXPECT(r.spill_bytes == 0 && r.registers > 0 && r.registers <= 96,
            "%s: %lld registers, %lld bytes of spills", def->name, (long long)r.registers,
            (long long)r.spill_bytes);
    }
}

/* Fabrics and lattices: few registers, so that many groups hide what memory takes. SOLVE: systems
 * along lines by reduction. */
Test(cloth_nvrtc, fabrics)
{
    static const struct {
        const hed_kernel_def *def;
        const char *group, *solve;
        int64_t registers;
    } kernels[] = {{&cloth_lines_def, "256", "0", 80}, {&cloth_lines_def, "256", "1", 128},
        {&cloth_elements_def, "256", "0", 128}, {&cloth_element_patches_def, "256", "0", 128},
        {&cloth_cells_def, "256", "0", 64}, {&cloth_chains_def, "256", "0", 64},
        {&cloth_chains_def, "256", "1", 64}, {&cloth_places_def, "256", "0", 64},
        {&cloth_shares_def, "256", "0", 64}};
    for (size_t k = 0; k < HED_COUNT(kernels); k++)
        for (hed_math math = HED_MATH_FAST; math <= HED_MATH_STRICT; math++) {
            hed_define defines[] = {{"WG", kernels[k].group}, {"SOLVE", kernels[k].solve}};
            hed_build build = {.def = kernels[k].def,
                .math = math,
                .defines = defines,
                .define_count = 2,
                .max_threads = (uint32_t)atoi(kernels[k].group)};
            hed_kernel_resources r = resources_of(build, kernels[k].def->name, "sm_90");
            EXPECT(r.spill_bytes == 0 && r.registers > 0 && r.registers <= kernels[k].registers,
                "%s of %s, %s, SOLVE %s: %lld registers, %lld bytes of spills",
                kernels[k].def->name, kernels[k].group, math ? "strict" : "fast", kernels[k].solve,
                (long long)r.registers, (long long)r.spill_bytes);
        }
}

/* All substeps in one launch, by a group of 512 on each multiprocessor: all kinds of tasks but
 * wide sweeps, and those of sheets, small, large with surroundings and without, and of a mesh. While a patch of a
 * mesh is swept, or a long line solved, values that tasks have in common wait outside of the registers. */
Test(cloth_nvrtc, all_substeps_at_once)
{
    static const char *const kinds[] = {"0x3ff", "0x22f5", "0x3bf5", "0x2af5", "0x6e1"};
    static const int64_t most_spills[] = {16, 0, 64, 0, 256};
    for (size_t k = 0; k < HED_COUNT(kinds); k++)
        for (hed_math math = HED_MATH_FAST; math <= HED_MATH_STRICT; math++) {
            const hed_define defines[] = {{"WG", "512"}, {"KINDS", kinds[k]}, {"SOLVE", "1"},
                {"CLUSTER", k == 1 ? "1" : "0"}};
            hed_build build = {
                .def = k == 1 ? &cloth_cooperative_cluster_def : &cloth_cooperative_def,
                .math = math,
                .defines = defines,
                .define_count = 4,
                .max_threads = 512};
            hed_kernel_resources r = resources_of(build, kinds[k], "sm_90");
            EXPECT(r.spill_bytes <= most_spills[k] && r.registers > 0 && r.registers <= 128,
                "kinds %s, %s: %lld registers, %lld bytes of spills", kinds[k],
                math ? "strict" : "fast", (long long)r.registers, (long long)r.spill_bytes);
        }
}

/* Newton's method: two elements and a particle of each item stay in registers through all legs of a substep. */
Test(cloth_nvrtc, newton)
{
    static const hed_kernel_def *const kernels[] = {&cloth_newton_def, &cloth_newton_joint_def};
    for (size_t k = 0; k < HED_COUNT(kernels); k++)
        for (hed_math math = HED_MATH_FAST; math <= HED_MATH_STRICT; math++) {
            const hed_define defines[] = {{"WG", k ? "384" : "256"}, {"JOINT", k ? "1" : "0"}};
            hed_build build = {.def = kernels[k],
                .math = math,
                .defines = defines,
                .define_count = 2,
                .max_threads = k ? 384 : 256};
            hed_kernel_resources r = resources_of(build, kernels[k]->name, "sm_90");
            EXPECT(r.spill_bytes == 0 && r.stack_bytes == 0 && r.registers > 0 &&
                       r.registers <= (k ? 168 : 255),
                "%s, %s: %lld registers, %lld bytes of spills, %lld of stack", kernels[k]->name,
                math ? "strict" : "fast", (long long)r.registers, (long long)r.spill_bytes,
                (long long)r.stack_bytes);
        }
}
