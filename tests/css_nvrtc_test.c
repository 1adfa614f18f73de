/* The kernels of css through NVRTC, without a device: neither spills nor a stack frame on an H200,
 * and registers that leave room for many groups. Skipped where NVRTC is not installed. */
#include "nvrtc_testing.h"
#include "solver/device_kernels.h"

#include <stdio.h>

static void compile(css_kernel which, const char *group)
{
    hed_kernel_def named = css_kernel_defs[which], *def = &named;
    named.entry = named.name;
    hed_build build = {.def = def,
        .defines = &(hed_define){"GROUP", group},
        .define_count = 1,
        .max_threads = (uint32_t)strtoul(group, NULL, 10)};
    hed_kernel_resources r = resources_of(build, def->name, "sm_90");
    printf("%s, groups of %s: %lld registers, %lld bytes of spills, %lld of stack\n", def->name,
        group, (long long)r.registers, (long long)r.spill_bytes, (long long)r.stack_bytes);
    EXPECT(r.spill_bytes == 0 && r.stack_bytes == 0, "%s: %lld bytes of spills, %lld of stack",
        def->name, (long long)r.spill_bytes, (long long)r.stack_bytes);
    EXPECT_LE(r.registers * (long long)build.max_threads, REGISTERS_OF_A_UNIT);
}

Test(css_nvrtc, neither_spills_nor_stack, .timeout = 240)
{
    static const char *const groups[CSS_KERNELS] = {[CSS_PRESENCE] = "128",
        [CSS_PRUNE] = "1024",
        [CSS_ACTS] = "128",
        [CSS_KINDS] = "128",
        [CSS_BITS] = "256",
        [CSS_PATHS] = "32",
        [CSS_CLASSES] = "32"};
    for (css_kernel i = 0; i < CSS_KERNELS; i++) compile(i, groups[i]);
}
