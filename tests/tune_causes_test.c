/* What is printed of a shader whose default has no result that can be compared, or whose sizes are wrong. */
#include "testing.h"

#include "cli/tune/tune_command.h"

#include <unistd.h>

/* Returns the text that a remedy prints to the terminal. */
static const char *remedy_of(const hed_kernel_def *kernel, const char *message)
{
    static char text[4096];
    hed_error error = {.status = HED_ERROR_ARGUMENT};
    FILE *to = tmpfile();
    int terminal = dup(STDERR_FILENO);
    CHECK(to && terminal >= 0);
    snprintf(error.text, sizeof error.text, "%s", message);
    fflush(stderr);
    dup2(fileno(to), STDERR_FILENO);
    cli_tune_print_remedy(kernel, NULL, &error);
    fflush(stderr);
    dup2(terminal, STDERR_FILENO);
    close(terminal);
    rewind(to);
    text[fread(text, 1, sizeof text - 1, to)] = 0;
    fclose(to);
    return text;
}

/* Numbers that atomic functions hand out: the output whose element differs first is named, and no other one. */
Test(tune_causes, numbers_that_atomics_hand_out)
{
    const hed_argument_def arguments[] = {{.name = "cell",
                                              .kind = HED_BUFFER,
                                              .type = HED_UINT32,
                                              .access = HED_WRITE,
                                              .compare = HED_COMPARE_SORTED},
        {.name = "cells",
            .kind = HED_BUFFER,
            .type = HED_UINT32,
            .access = HED_WRITE,
            .compare = HED_COMPARE_SORTED},
        {.name = "sums", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_WRITE}};
    const hed_kernel_def kernel = {
        .name = "cull", .language = HED_GLSL, .arguments = arguments, .argument_count = 3};
    static const char comment[] =
        "/* heddle {\"arguments\": [{\"name\": \"cells\", \"tolerance\": 1e9}]} */";
    const char *text = remedy_of(&kernel,
        "cull: none of 4 configurations works; the first: wrong: cells[7] is 3, expected 5");
    CHECK(strstr(text, comment) && !strstr(text, "\"cell\""), "%s", text);
    text = remedy_of(&kernel,
        "cull: none of 4 configurations works; the first: wrong: sums[7] is 3, expected 5");
    CHECK(!strstr(text, "tolerance") && strstr(text, "Real ones: --input"), "%s", text);
}

static void check_sizes(const char *text, hed_outcome other, const char *words)
{
    static const hed_parameter_def parameter = {.name = "WG_X"};
    static const char *const dimensions[] = {"n"};
    static const hed_kernel_def kernel = {.name = "made up",
        .language = HED_GLSL,
        .dimension_count = 1,
        .dimensions = dimensions,
        .parameters = &parameter,
        .parameter_count = 1};
    hed_evaluation all[4] = {{.outcome = HED_OUTCOME_MEASURED}, {.outcome = other}};
    for (int i = 2; i < 4; i++) all[i].outcome = HED_OUTCOME_WRONG;
    for (int i = 1; i < 4; i++) snprintf(all[i].text, sizeof all[i].text, "%s", text);
    const hed_tune_result result = {.evaluations = all, .count = 4, .elements = 100};
    char *printed = NULL;
    size_t size;
    FILE *to = open_memstream(&printed, &size);
    cli_tune_print_groups(&kernel, &result, to);
    fclose(to);
    if (words) EXPECT(strstr(printed, words), "%s", printed);
    else EXPECT_TEXT(printed, "");
    free(printed);
}

/* Sizes that are all wrong but one have their causes told, by what is wrong about them. */
Test(tune_causes, causes_of_wrong_sizes)
{
    check_sizes("y[512] is 38, expected 63", HED_OUTCOME_WRONG, "no other size has these results");
    check_sizes("y[512] is 38, expected 63", HED_OUTCOME_MEASURED, NULL);
    check_sizes("does not write element 7 of y", HED_OUTCOME_WRONG, "\"groups\": [\"ceil_div(n, WG_X)\"]");
}
