/* libFuzzer harness for command lines: words that end with zero bytes, behind "heddle". A line that is
 * understood has values of the kinds that its options are; nothing is run. The same words are
 * completed, as a shell asks. */
#include <math.h>

#include "cli/common/command.h"
#include "fuzz.h"

enum { WORDS = 32 };

static void check_value(const hed_arguments *arguments, const hed_value *value)
{
    const hed_option *option = value->option;
    bool limited = option->low != 0 || option->high != 0;
    must(option->kind == HED_OPTION_FLAG || value->text != NULL);
    if (option->repeated) return; /* the last value alone is looked at below */
    if (option->kind == HED_OPTION_INTEGER) {
        int64_t number = hed_integer_of(arguments, option->name);
        must(!limited || ((double)number >= option->low && (double)number <= option->high));
    } else if (option->kind == HED_OPTION_NUMBER) {
        double number = hed_number_of(arguments, option->name);
        must(isfinite(number));
        must(!limited || (number >= option->low && number <= option->high));
    } else if (option->kind == HED_OPTION_CHOICE) {
        must(option->choices[hed_choice_of(arguments, option->name)] != NULL);
    }
}

/* Completion opens devices, and drivers leak (tests/leaks_of_drivers.txt). */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libpocl\nleak:libLLVM\nleak:libOpenCL\nleak:libcuda\nleak:libnvidia\nleak:libvulkan\nleak:libEGL\n";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *nowhere;
    char *text = fuzz_copy(data, size), *words[WORDS + 2] = {"heddle"};
    int count = 1;
    if (!nowhere) must((nowhere = fopen("/dev/null", "w")) != NULL);
    for (size_t at = 0; at < size && count <= WORDS; at += strlen(text + at) + 1)
        words[count++] = text + at;
    hed_arguments arguments;
    hed_error error = {0};
    hed_status status = hed_options_parse(&hed_command_root, count, words, &arguments, &error);
    must(status == HED_OK || (status == HED_ERROR_ARGUMENT && error.text[0]));
    must(arguments.depth >= 1 && hed_arguments_command(&arguments) != NULL);
    for (uint32_t i = 0; status == HED_OK && !arguments.help && i < arguments.count; i++)
        check_value(&arguments, &arguments.values[i]);
    hed_options_help(&arguments, nowhere);
    hed_arguments_free(&arguments);
    hed_options_complete(
        &hed_command_root, (const char *const *)words + 1, (uint32_t)count - 1, nowhere);
    free(text);
    return 0;
}
