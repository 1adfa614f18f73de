/* heddle bench: the group of the benches. */
#include "command.h"

static const hed_command *const COMMANDS[] = {&hed_command_bench_runtime, &hed_command_bench_kernels, NULL};

static const hed_example EXAMPLES[] = {{"heddle bench runtime", "what launching through Heddle costs"},
                                       {"heddle bench kernels --device all --json", "every device, for programs"},
                                       {0}};

const hed_command hed_command_bench = {
    .name = "bench",
    .summary = "measure",
    .description =
        "Measures. Each value is a median; +- is half of its 95 % confidence interval. FLOOR is the physical bound that was computed, "
        "RATIO the value over the same of what AGAINST names: for times less is better, for rates more.\n\nOf everything one "
        "round is thrown away, and what is compared takes turns in the same run.\n\n\"heddle X bench\" is the same as \"heddle bench X\".",
    .commands = COMMANDS,
    .examples = EXAMPLES,
};
