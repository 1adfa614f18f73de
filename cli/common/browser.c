/* See browser.h. */
#include "cli/common/browser.h"

#include "heddle/author.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- files ---- */

static hed_status browser_write(const char *path, const char *text, hed_error *error)
{
    FILE *file = fopen(path, "wxe");
    bool written = file && fputs(text, file) >= 0;
    if (file && fclose(file)) written = false;
    return written ? HED_OK : hed_fail(error, HED_ERROR_IO, "cannot write %s", path);
}

/* Creates the private folder of a browser (NULL: the user's own), with a page in it that redirects
 * to `address`. */
static hed_status make_folder(
    cli_browser_process *browser, const char *program, const char *address, hed_error *error)
{
    char path[PATH_MAX + 16], page[512];
    if (cli_browser_make_folder(program, browser->folder, error)) {
        browser->folder[0] = 0;
        return error->status;
    }
    if (!address) {
        snprintf(browser->page, sizeof browser->page, "about:blank");
        return HED_OK;
    }
    snprintf(path, sizeof path, "%s/heddle.html", browser->folder);
    snprintf(page, sizeof page,
        "<!doctype html><meta charset=utf-8><title>Heddle</title>"
        "<script>location.replace('%s')</script><a href=\"%s\">Heddle</a>\n",
        address, address);
    snprintf(browser->page, sizeof browser->page, "file://%s", path);
    return browser_write(path, page, error);
}

static hed_status make_profile(cli_browser_process *browser, bool firefox, hed_error *error)
{
    static const char preferences[] =
        "user_pref(\"dom.webgpu.enabled\", true);\n"
        "user_pref(\"gfx.webgpu.ignore-blocklist\", true);\n"
        "user_pref(\"browser.shell.checkDefaultBrowser\", false);\n"
        "user_pref(\"datareporting.policy.dataSubmissionEnabled\", false);\n"
        "user_pref(\"browser.aboutwelcome.enabled\", false);\n";
    char path[PATH_MAX + 16];
    snprintf(browser->profile, sizeof browser->profile, "%s/profile", browser->folder);
    if (mkdir(browser->profile, 0700))
        return hed_fail(error, HED_ERROR_IO, "cannot make the folder %s", browser->profile);
    if (!firefox) return HED_OK;
    snprintf(path, sizeof path, "%s/user.js", browser->profile);
    return browser_write(path, preferences, error);
}

/* ---- the program ---- */

/* Makes the two pipes: theirs[0] is read by the browser and theirs[1] written. All descriptors are
 * above 9, since the browser gets its ends as 3 and 4. */
static hed_status make_pipes(cli_browser_process *browser, int theirs[2], hed_error *error)
{
    enum { LOWEST = 10 };
    int ends[4] = {-1, -1, -1, -1}; /* read and write: commands, then answers */
    /* a socket for commands: writing to a browser that has ended must not end this process by
     * SIGPIPE */
    bool complete = socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && pipe(ends + 2) == 0;
    for (int i = 0; i < 4; i++) {
        int low = ends[i];
        ends[i] = complete ? fcntl(low, F_DUPFD_CLOEXEC, LOWEST) : -1;
        complete &= ends[i] >= 0;
        if (low >= 0) close(low);
    }
    theirs[0] = ends[0];
    theirs[1] = ends[3];
    browser->to = ends[1];
    browser->from = ends[2];
    return complete ? HED_OK : hed_fail(error, HED_ERROR_IO, "cannot make pipes for the browser");
}

/* Becomes the program, in a child after fork(): only calls that are safe there. `failure` is closed
 * by a successful execve(). */
static void become_program(const char *const *words, char *const *environment, const int *pipes,
    bool ends_with_parent, pid_t parent, int failure)
{
    int null = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3; i++) dup2(null, i);
    if (null > 2) close(null);
    for (int i = 0; i < 2 && pipes; i++) dup2(pipes[i], 3 + i); /* Chromium reads 3 and writes 4 */
    setpgid(0, 0);
    if (ends_with_parent) prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!ends_with_parent || getppid() == parent)
        execve(words[0], (char *const *)(uintptr_t)words, environment);
    (void)!write(failure, "", 1);
    _exit(127);
}

/* Copies the environment with `variable` ("NAME=VALUE") in place of another value of the name. The
 * caller frees the list; NULL: out of memory. */
static char **copy_environment(char *variable)
{
    size_t count = 0, name = strcspn(variable, "=") + 1, used = 0;
    while (environ[count]) count++;
    char **list = malloc((count + 2) * sizeof *list);
    for (size_t i = 0; list && i < count; i++)
        if (strncmp(environ[i], variable, name) != 0) list[used++] = environ[i];
    if (list) list[used++] = variable;
    if (list) list[used] = NULL;
    return list;
}

pid_t cli_program_start(
    const char *const *words, const char *folder, const int *pipes, bool ends_with_parent)
{
    enum { LOWEST = 10 };
    char variable[PATH_MAX + 16];
    int report[2];
    char failed = 0;
    pid_t parent = getpid();
    if (pipe(report)) return 0;
    snprintf(variable, sizeof variable, "TMPDIR=%s", folder ? folder : "");
    char **own = folder ? copy_environment(variable) : NULL;
    int failure = fcntl(report[1], F_DUPFD_CLOEXEC, LOWEST);
    close(report[1]);
    pid_t process = failure < 0 ? -1 : fork();
    if (process == 0) {
        close(report[0]);
        become_program(words, own ? own : environ, pipes, ends_with_parent, parent, failure);
    }
    free(own);
    if (failure >= 0) close(failure);
    bool has_failed = process < 0 || read(report[0], &failed, 1) > 0;
    close(report[0]);
    if (has_failed && process > 0) waitpid(process, NULL, 0);
    return has_failed ? 0 : process;
}

static const char *base_of(const char *name)
{
    return strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
}

bool cli_browser_is_firefox(const char *name) { return strstr(base_of(name), "firefox") != NULL; }

bool cli_browser_is_known(const char *name)
{
    return cli_browser_is_firefox(name) || strcasestr(base_of(name), "chrom") ||
           strcasestr(base_of(name), "edge");
}

/* Sets the options of a browser with a profile of its own. */
static size_t add_options(const cli_browser_process *browser, const cli_browser_def *def,
    bool firefox, const char *profile, const char **words)
{
    size_t count = 1;
    if (def->headless) words[count++] = firefox ? "--headless" : "--headless=new";
    if (firefox) {
        words[count++] = "--no-remote";
        words[count++] = "--profile";
        words[count++] = browser->profile;
        if (def->bidi) words[count++] = "--remote-debugging-port=0";
        return count;
    }
    if (def->headless && geteuid() == 0) words[count++] = "--no-sandbox";
    if (def->devtools) words[count++] = "--remote-debugging-pipe";
    words[count++] = "--enable-unsafe-webgpu";
    words[count++] = "--no-first-run";
    words[count++] = "--no-default-browser-check";
    words[count++] = profile;
    return count;
}

hed_status cli_browser_start(
    cli_browser_process *browser, const cli_browser_def *def, hed_error *error)
{
    static const char *const openers[] = {"xdg-open", "open", NULL};
    const char *name = def->name, *requested[] = {name, NULL},
               *words[16], *const *names = requested;
    char program[PATH_MAX], profile[PATH_MAX + 32];
    int pipes[2] = {-1, -1};
    size_t count = 1;
    *browser = (cli_browser_process){.to = -1, .from = -1};
    bool firefox = name && cli_browser_is_firefox(name),
         chromium = name && !firefox && cli_browser_is_known(name);
    if (!name) names = openers;
    else if (strcmp(name, "firefox") == 0) names = cli_firefoxes;
    else if (strcmp(name, "chromium") == 0) names = cli_chromiums;
    if (def->headless && !firefox && !chromium)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--headless: how %s does without a window is not known: chromium or firefox",
            name ? name : "xdg-open");
    if (def->devtools && !chromium)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--browser: no pipe into it (%s); expected chromium, or a browser made from it", name);
    bool is_installed = cli_browser_find(names, program);
    if (!is_installed && name)
        return hed_fail(error, HED_ERROR_IO, "there is no program \"%s\" on the path", name);
    if (!is_installed) return HED_OK; /* the terminal has the address if there is no opener */
    if (make_folder(browser, name ? program : NULL, def->address, error)) return error->status;
    if ((firefox || chromium) && make_profile(browser, firefox, error)) return error->status;
    snprintf(profile, sizeof profile, "--user-data-dir=%s", browser->profile);
    if (firefox || chromium) count = add_options(browser, def, firefox, profile, words);
    if (def->devtools && make_pipes(browser, pipes, error)) return error->status;
    words[0] = program;
    words[count++] = browser->page;
    words[count] = NULL;
    browser->process = cli_program_start(words, browser->profile[0] ? browser->profile : NULL,
        def->devtools ? pipes : NULL, firefox || chromium);
    for (int i = 0; i < 2; i++)
        if (pipes[i] >= 0) close(pipes[i]);
    if (browser->process || !name) return HED_OK;
    return hed_fail(error, HED_ERROR_IO, "%s: cannot be started", program);
}

uint16_t cli_browser_port(const cli_browser_process *browser)
{
    char path[PATH_MAX + 64], text[512] = "";
    snprintf(path, sizeof path, "%s/WebDriverBiDiServer.json", browser->profile);
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    text[size] = 0;
    const char *key = strstr(text, "\"ws_port\":");
    return key && strchr(key, '}') ? (uint16_t)strtoul(key + sizeof "\"ws_port\":" - 1, NULL, 10)
                                   : 0;
}

bool cli_browser_has_ended(const cli_browser_process *browser, bool by_any_exit)
{
    siginfo_t ended = {0};
    bool is_ours = browser->process && browser->profile[0];
    if (!is_ours || waitid(P_PID, (id_t)browser->process, &ended, WEXITED | WNOHANG | WNOWAIT) ||
        !ended.si_pid)
        return false;
    return by_any_exit || ended.si_code != CLD_EXITED || ended.si_status != 0;
}

bool cli_browser_describe_end(const cli_browser_process *browser, char *text, size_t size)
{
    siginfo_t ended = {0};
    for (int tries = 0; browser->process && browser->profile[0] && tries < 20 && !ended.si_pid;
         tries++) {
        if (tries) nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        if (waitid(P_PID, (id_t)browser->process, &ended, WEXITED | WNOHANG | WNOWAIT))
            return false;
    }
    if (!ended.si_pid) return false;
    snprintf(text, size, "%s %d", ended.si_code == CLD_EXITED ? "exit" : "signal", ended.si_status);
    return true;
}

/* True once the browser itself has ended; its process is not waited for yet. */
static bool has_exited(pid_t process)
{
    siginfo_t ended = {0};
    return waitid(P_PID, (id_t)process, &ended, WEXITED | WNOHANG | WNOWAIT) || ended.si_pid;
}

/* Ends a browser and the processes that it has started, which may write into its profile after its
 * own end. */
static void end_group(pid_t process)
{
    enum { PATIENCE = 60 };
    const struct timespec pause = {.tv_nsec = 50000000};
    for (int tries = 0; tries < PATIENCE && !has_exited(process); tries++) {
        kill(-process, tries < PATIENCE / 2 ? SIGTERM : SIGKILL);
        nanosleep(&pause, NULL);
    }
    kill(-process, SIGKILL);
    waitpid(process, NULL, WNOHANG);
    for (int tries = 0; tries < PATIENCE && kill(-process, 0) == 0; tries++)
        nanosleep(&pause, NULL);
}

void cli_browser_end(cli_browser_process *browser)
{
    bool ours = browser->profile[0] != 0; /* otherwise it may be the user's own browser */
    if (browser->process && ours) end_group(browser->process);
    else if (browser->process) waitpid(browser->process, NULL, WNOHANG);
    if (browser->folder[0]) cli_browser_remove_folder(browser->folder);
    *browser = (cli_browser_process){.to = -1, .from = -1};
}
