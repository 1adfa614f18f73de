/* The kernels that run programs through NVRTC, without a device: groups of up to 1,024 items have
 * the registers they need and neither spill nor have a stack frame on an H200; all compile for
 * older architectures. Skipped where NVRTC is not installed. */

#include "solver/group/group_kernels.h"
#include "solver/solver.h"
#include "nvrtc_testing.h"

static void check(const hed_kernel_def *def, uint32_t group, bool strict, const char *target)
{
    char size[24];
    snprintf(size, sizeof size, "%u", group);
    hed_define defines[8] = {{"WG", size}};
    if (def->define_count) memcpy(defines + 1, def->defines, def->define_count * sizeof *defines);
    hed_build build = {.def = def, .defines = defines, .define_count = 1 + def->define_count,
        .math = strict ? HED_MATH_STRICT : HED_MATH_FAST, .max_threads = group};
    hed_kernel_resources r = resources_of(build, def->name, target);
    if (strcmp(target, "sm_90") != 0) return;
    /* strict divides in a function of its own */
    EXPECT(strict || (r.spill_bytes == 0 && r.stack_bytes == 0),
        "%s of %u, %s: %lld registers, %lld bytes of spills, %lld of stack", def->name, group,
        strict ? "strict" : "fast", (long long)r.registers, (long long)r.spill_bytes,
        (long long)r.stack_bytes);
    EXPECT(r.registers > 0 && r.registers * group <= REGISTERS_OF_A_UNIT,
        "%s of %u: %lld registers", def->name, group, (long long)r.registers);
}

Test(synth_nvrtc, programs_have_their_registers)
{
    check(&synth_group_def, 1024, false, "sm_90");
    check(&synth_group_def, 256, true, "sm_90");
    check(&synth_global_def, 1024, false, "sm_90");
    check(&synth_resident_def, 1024, false, "sm_90");
    check(&synth_awake_def, 32, false, "sm_90");
}

Test(synth_nvrtc, older_architectures)
{
    check(&synth_group_def, 1024, true, "sm_75");
    check(&synth_global_def, 512, false, "sm_80");
}
