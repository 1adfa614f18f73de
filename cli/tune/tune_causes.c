/* Causes of wrong results of a shader, and its remedies: items that race with each other, a number
 * of groups that does not follow the size, invented contents. */
#include "tune_command.h"

#include "support/wgsl.h"

#include <inttypes.h>
#include <string.h>

/* Lists arguments that a shader reads whole numbers from; false: it has no such argument. */
static bool print_arguments(FILE *out, const hed_kernel_def *kernel, hed_argument_kind kind,
    const char *before, const char *after)
{
    enum { MOST_LISTED = 6 };
    uint32_t count = 0;
    for (uint32_t i = 0; i < kernel->argument_count && count < MOST_LISTED; i++) {
        const hed_argument_def *argument = &kernel->arguments[i];
        bool is_whole = argument->type == HED_UINT32 || argument->type == HED_INT32;
        if (argument->kind != kind || !is_whole ||
            (kind == HED_BUFFER && argument->access != HED_READ))
            continue;
        fprintf(out, "%s%s%s%s", count ? ", " : "", before, argument->name, after);
        count++;
    }
    return count > 0;
}

/* Prints other contents for a shader of which several items may write one element. */
static void print_other_contents(FILE *out, const hed_kernel_def *kernel)
{
    static const char sequence[] = "\", \"fill\": {\"sequence\": [0, 1]}}";
    bool has_places = false;
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        const hed_argument_def *argument = &kernel->arguments[i];
        has_places =
            has_places || (argument->kind == HED_BUFFER && argument->access == HED_READ &&
                              (argument->type == HED_UINT32 || argument->type == HED_INT32));
    }
    fputs("If its contents are invented: with random numbers as places several items may write one element, in any order. "
          "Real ones: --input NAME=FILE",
        out);
    if (!has_places) return;
    fputs("; ascending ones: /* heddle {\"arguments\": [", out);
    print_arguments(out, kernel, HED_BUFFER, "{\"name\": \"", sequence);
    fputs("]} */", out);
}

/* Names elements that items of a text in WGSL read where others may write, if sizes were wrong. */
static void print_shared_elements(
    const hed_kernel_def *kernel, const hed_tune_result *result, FILE *out)
{
    const hed_source *source = kernel->sources + kernel->source_count - 1;
    hed_wgsl *shader = NULL;
    hed_error ignored = {0};
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < result->count; i++)
        wrong += result->evaluations[i].outcome == HED_OUTCOME_WRONG;
    if (kernel->language == HED_WGSL && wrong && kernel->source_count &&
        !hed_wgsl_read(source->name, source->text,
            source->size ? source->size : strlen(source->text), kernel->entry, &shader, &ignored) &&
        shader->race)
        fprintf(out,
            "  races      its items read elements of %s (line %u) that others may write (line %u): the order of items then "
            "decides, each size has another one, and \"wrong\" proves little. A second buffer for what is written has no order\n",
            shader->race, shader->race_line, shader->race_write_line);
    hed_wgsl_free(shader);
}

void cli_tune_print_race(const hed_kernel_def *kernel, const hed_tune_result *result, FILE *out)
{
    uint64_t written = result->elements - result->unwritten;
    if (result->unsteady <= written / 10) {
        print_shared_elements(kernel, result, out);
        return;
    }
    if (kernel->language < HED_WGSL) return;
    fprintf(out,
        "  races      its items race with each other: %" PRIu64 " of the %" PRIu64
        " elements that it writes differ from run to run of its own text, so \"wrong\" proves little. ",
        result->unsteady, written);
    print_other_contents(out, kernel);
    fputs("\n", out);
}

void cli_tune_print_groups(const hed_kernel_def *kernel, const hed_tune_result *result, FILE *out)
{
    uint32_t uncovered = 0, right = 0, wrong = 0;
    for (uint32_t i = 0; i < result->count; i++) {
        const hed_evaluation *e = &result->evaluations[i];
        bool is_wrong = e->outcome == HED_OUTCOME_WRONG;
        right += e->outcome == HED_OUTCOME_MEASURED || e->outcome == HED_OUTCOME_DROPPED;
        wrong += is_wrong;
        uncovered += is_wrong && (!strncmp(e->text, "does not write element ", 23) ||
                                     !strncmp(e->text, "writes element ", 15));
    }
    if (kernel->language < HED_WGSL || !wrong || right > 1 || !kernel->parameter_count) return;
    if (!uncovered && wrong > 2 &&
        result->unsteady <= (result->elements - result->unwritten) / 10) {
        fputs(
            "  sizes      no other size has these results: the size is part of what the text computes, or its items read or "
            "write elements of each other. ",
            out);
        print_other_contents(out, kernel);
        fputs("\n", out);
    }
    if (!uncovered) return;
    fputs(
        "  groups     every other size writes too few or too many elements, as a launch does whose number of groups does not "
        "follow the size as it does in your program. Its own: /* heddle {\"groups\": [",
        out);
    for (uint32_t i = 0; i < kernel->dimension_count; i++) {
        uint32_t size = i < kernel->parameter_count ? i : kernel->parameter_count - 1;
        fprintf(out, "%s\"ceil_div(%s, %s)\"", i ? ", " : "", kernel->dimensions[i], kernel->parameters[size].name);
    }
    fputs("]} */\n", out);
}

/* Prints the comment that leaves the output of a wrong result out, if the order of items decides on
 * its elements: numbers that atomic functions hand out, as the first element of each list in one
 * buffer. */
static void print_handed_out(const hed_kernel_def *kernel, const char *wrong)
{
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        const hed_argument_def *argument = &kernel->arguments[i];
        size_t size = strlen(argument->name);
        if (argument->compare == HED_COMPARE_SORTED && !strncmp(wrong, argument->name, size) &&
            wrong[size] == '[')
            fprintf(stderr,
                "  If the elements of %s are numbers that atomic functions hand out, each run has others. Without their "
                "comparison: /* heddle {\"arguments\": [{\"name\": \"%s\", \"tolerance\": 1e9}]} */\n",
                argument->name, argument->name);
    }
}

void cli_tune_print_remedy(
    const hed_kernel_def *kernel, const hed_problem *problem, const hed_error *error)
{
    static const char first_wrong[] = "the first: wrong: ";
    bool is_empty = strstr(error->text, "the reference writes none of its "),
         is_wrong = strstr(error->text, first_wrong),
         is_slow = strstr(error->text, "the first: hung: ") || strstr(error->text, "(hung, in the default");
    if (kernel->language != HED_WGSL && kernel->language != HED_GLSL) return;
    if (is_empty) {
        char large[64];
        double total = 1;
        for (uint32_t i = 0; problem && i < problem->count; i++) total *= (double)problem->sizes[i];
        snprintf(large, sizeof large, "\", \"value\": %.0f}", total);
        fputs("  If the numbers above are invented, one of them ends its items early. Larger ones: /* heddle {\"arguments\": [",
            stderr);
        bool has_numbers = print_arguments(stderr, kernel, HED_SCALAR, "{\"name\": \"", large);
        fprintf(stderr, "%s]} */\n", has_numbers ? "" : "{\"name\": \"NAME\", \"value\": 4096}");
    }
    if (is_wrong) {
        print_handed_out(kernel, strstr(error->text, first_wrong) + sizeof first_wrong - 1);
        fputs("  ", stderr);
        print_other_contents(stderr, kernel);
        fputs(". Else its items read or write elements of other items, and have one result in one order alone\n",
            stderr);
    }
    if (is_slow) {
        fputs("  If the problem above is invented, a smaller one:", stderr);
        for (uint32_t i = 0; i < kernel->dimension_count && problem && i < problem->count; i++) {
            long long size = problem->sizes[i] / (problem->count == 1 ? 16 : 4);
            fprintf(stderr, " --set %s=%lld", kernel->dimensions[i], size ? size : 1);
        }
        fputs("; if its numbers are, one that limits a loop may be too large: ", stderr);
        bool has_numbers = print_arguments(stderr, kernel, HED_SCALAR, "--set ", "=8");
        fputs(has_numbers ? "\n" : "--set NAME=8\n", stderr);
    }
}
