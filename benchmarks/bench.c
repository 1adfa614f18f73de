/* heddle bench: every suite, or one of them. */
#include "bench.h"

int cli_run_bench(const hed_arguments *arguments, cli_suite *const *suites)
{
    cli_session session;
    hed_error error;
    hed_status status = cli_open_devices(arguments, &session, &error);
    if (status != HED_OK) return cli_fail(&error);
    bool json = hed_given(arguments, "json");
    hed_bench *bench = hed_bench_create();
    for (; *suites && status == HED_OK; suites++)
        status = (*suites)(&session, bench, json || hed_given(arguments, "quiet"), &error);
    if (status == HED_OK) status = hed_bench_print(bench, json, stdout, &error);
    hed_bench_free(bench);
    cli_close(&session);
    return cli_end(status, &error);
}

static int run(const hed_arguments *arguments, void *user)
{
    (void)user;
    return cli_run_bench(arguments,
        (cli_suite *const[]){cli_bench_runtime, cli_bench_kernels, cli_bench_pack, NULL});
}

static const hed_command *const COMMANDS[] = {
    &hed_command_bench_runtime, &hed_command_bench_kernels, &hed_command_bench_pack, NULL};

/* Not for the commands below, which have their own of the same names: they can be reached by
 * another path. */
static const hed_option OPTIONS[] = {CLI_OPTION_DEVICES(true), CLI_OPTION_JSON(true), {0}};

static const hed_example EXAMPLES[] = {{"heddle bench", "everything, on the best device"},
    {"heddle bench runtime", "what launching through Heddle costs"},
    {"heddle bench kernels --device all --json", "every device, for programs"}, {0}};

const hed_command hed_command_bench = {
    .name = "bench", .summary = "measure", .description =
        "Measures: one suite, or all of them. Each value is a median; +- is half of its 95 % confidence interval. FLOOR is the physical "
        "bound that was computed, RATIO the value over the same of what AGAINST names: for times less is better, for rates "
        "more.\n\nOf everything one round is thrown away, and what is compared takes turns in the same run.\n\n\"heddle X bench\" "
        "is the same as \"heddle bench X\".",
    .options = OPTIONS, .commands = COMMANDS, .examples = EXAMPLES, .run = run,
};
