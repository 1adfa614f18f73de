/* Drivers that crash: work on a backend in a process of its own, and the last words of a command
 * that a driver ends. */
#ifndef HED_CLI_COMMON_APART_H
#define HED_CLI_COMMON_APART_H

#include <stdbool.h>
#include <stddef.h>

enum { CLI_APART_REASON = 256 };

/* Work of a child process: fills `result`, which the parent receives. */
typedef void cli_apart_work(void *user, void *result);

/* Runs `work` in a child process, and copies its `result` (size bytes) into the caller's. Returns
 * false if the process ended before its result, or had no result within two minutes; `reason`
 * (CLI_APART_REASON) then has the cause, as "its driver ended the process that tried it with signal 11 ...".
 * Install the interrupt flag first: Ctrl-C ends the child. */
bool cli_apart(cli_apart_work *work, void *user, void *result, size_t size, char *reason);
/* Formats the remedy for a backend whose driver crashes. */
void cli_driver_remedy(const char *backend, char *text, size_t size);
/* Makes contexts that this process opens from now on do without a backend. */
void cli_driver_switch_off(const char *backend);

/* Makes a crash print the last step of the drivers before the process ends. */
void cli_crash_install(void);
/* Records a step of the drivers, a debug message of the library. */
void cli_crash_step(const char *message);

#endif
