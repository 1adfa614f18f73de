/* `heddle tune` of a Python file: a script of Kernel Tuner's, run by the Python package with its own
 * tune_kernel() in place of the script's. */
#include "tune_command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/exit.h"

bool cli_is_script(const char *path)
{
    size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".py") == 0;
}

int cli_tune_script(const hed_arguments *arguments, const char *path)
{
    char budget[32], seconds[32];
    char *words[] = {
        "python3", "-m", "heddle", "tune", (char *)(uintptr_t)path, NULL, NULL, NULL, NULL, NULL};
    size_t count = 5;
    if (hed_given(arguments, "budget")) {
        snprintf(budget, sizeof budget, "%lld", (long long)hed_integer_of(arguments, "budget"));
        words[count++] = "--budget";
        words[count++] = budget;
    }
    if (hed_given(arguments, "time")) {
        snprintf(seconds, sizeof seconds, "%.17g", hed_number_of(arguments, "time"));
        words[count++] = "--time";
        words[count++] = seconds;
    }
    if (access(path, R_OK) != 0) {
        fprintf(stderr, "heddle: %s: cannot be read (%s)\n", path, strerrordesc_np(errno));
        return HED_EXIT_FAILURE;
    }
    execvp(words[0], words);
    fprintf(stderr,
        "heddle: %s: python3 cannot be started (%s); scripts need Python with the package heddle\n",
        path, strerrordesc_np(errno));
    return HED_EXIT_FAILURE;
}
