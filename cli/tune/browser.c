/* Shaders in a browser: the server, the browser started for it with its own profile, and its end.
 * Every user of the machine can read a process's arguments, so the browser gets the name of a file
 * that only this user can read; the file redirects to the address with its token. */
#include "tune.h"

#include "heddle/web.h"
#include "support/json.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

bool cli_is_shader(const char *path)
{
    hed_json *json;
    if (ends_with(path, ".wgsl")) return true;
    if (!ends_with(path, ".json") || hed_json_read(path, &json, NULL)) return false;
    hed_json_node root = hed_json_root(json);
    bool object = hed_json_kind_of(root) == HED_JSON_OBJECT,
         named = object && hed_json_has(root, "language");
    hed_json_node node = !object ? root : hed_json_member(root, named ? "language" : "source");
    bool shader = object && hed_json_kind_of(node) == HED_JSON_STRING;
    if (shader)
        shader = named ? strcmp(hed_json_string(node), "wgsl") == 0
                       : ends_with(hed_json_string(node), ".wgsl");
    hed_json_free(json);
    return shader;
}

/* s: a browser's first start is slow on a busy machine; a person needs longer */
static const double START_SECONDS = 90, PERSON_SECONDS = 600;

/* ---- the program ---- */

static int remove_entry(const char *path, const struct stat *about, int type, struct FTW *at)
{
    (void)about, (void)type, (void)at;
    return remove(path);
}

static hed_status browser_write(const char *path, const char *text, hed_error *error)
{
    FILE *file = fopen(path, "wxe");
    bool written = file && fputs(text, file) >= 0;
    if (file && fclose(file)) written = false;
    return written ? HED_OK : hed_fail(error, HED_ERROR_IO, "cannot write %s", path);
}

/* Creates the browser's private folder, with a page in it that redirects to `address`. */
static hed_status make_folder(cli_browser *browser, const char *address, hed_error *error)
{
    char path[128], page[512], folder[] = P_tmpdir "/heddle-browser-XXXXXX";
    if (!mkdtemp(folder))
        return hed_fail(error, HED_ERROR_IO, "cannot make a folder for the browser, as %s", folder);
    snprintf(browser->folder, sizeof browser->folder, "%s", folder);
    snprintf(path, sizeof path, "%s/heddle.html", folder);
    snprintf(page, sizeof page,
        "<!doctype html><meta charset=utf-8><title>Heddle</title>"
        "<script>location.replace('%s')</script><a href=\"%s\">Heddle</a>\n",
        address, address);
    snprintf(browser->page, sizeof browser->page, "file://%s", path);
    return browser_write(path, page, error);
}

static hed_status make_profile(cli_browser *browser, bool firefox, hed_error *error)
{
    static const char preferences[] =
        "user_pref(\"dom.webgpu.enabled\", true);\n"
        "user_pref(\"gfx.webgpu.ignore-blocklist\", true);\n"
        "user_pref(\"browser.shell.checkDefaultBrowser\", false);\n"
        "user_pref(\"datareporting.policy.dataSubmissionEnabled\", false);\n"
        "user_pref(\"browser.aboutwelcome.enabled\", false);\n";
    char path[128];
    snprintf(browser->profile, sizeof browser->profile, "%s/profile", browser->folder);
    if (mkdir(browser->profile, 0700))
        return hed_fail(error, HED_ERROR_IO, "cannot make the folder %s", browser->profile);
    if (!firefox) return HED_OK;
    snprintf(path, sizeof path, "%s/user.js", browser->profile);
    return browser_write(path, preferences, error);
}

/* Starts the first of `names` that exists; its output is discarded. */
static bool start_program(cli_browser *browser, const char *const *names, const char **words)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t process = 0;
    int failed = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    for (int i = 0; i < 3; i++)
        posix_spawn_file_actions_addopen(&actions, i, "/dev/null", i ? O_WRONLY : O_RDONLY, 0);
    /* separate process group: it ends with all its children, and Ctrl-C does not reach it */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    for (; *names && failed; names++) {
        words[0] = *names;
        failed = posix_spawnp(
            &process, *names, &actions, &attributes, (char *const *)(uintptr_t)words, environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    browser->process = failed ? 0 : process;
    return !failed;
}

static const char *base_of(const char *name)
{
    return strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
}

static bool is_firefox(const char *name) { return strstr(base_of(name), "firefox") != NULL; }

/* True if the browser gets its own profile and is ended with the tuning. */
static bool is_known_browser(const char *name)
{
    return is_firefox(name) || strstr(base_of(name), "chrom") || strstr(base_of(name), "edge");
}

static hed_status start_named(
    cli_browser *browser, const char *name, bool headless, hed_error *error)
{
    static const char *const chromiums[] = {
        "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", NULL};
    static const char *const firefoxes[] = {"firefox", "firefox-esr", NULL};
    const char *requested[] = {name, NULL}, *words[16], *const *names = requested;
    char profile[128];
    size_t count = 1;
    bool firefox = is_firefox(name), chromium = !firefox && is_known_browser(name);
    if (strcmp(name, "firefox") == 0) names = firefoxes;
    if (strcmp(name, "chromium") == 0) names = chromiums;
    if (make_folder(browser, hed_web_address(browser->web), error)) return error->status;
    if ((firefox || chromium) && make_profile(browser, firefox, error)) return error->status;
    if (headless && !firefox && !chromium)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--headless: how %s does without a window is not known: chromium or firefox", name);
    snprintf(profile, sizeof profile, "--user-data-dir=%s", browser->profile);
    if (chromium) {
        if (headless) words[count++] = "--headless=new";
        if (headless && geteuid() == 0) words[count++] = "--no-sandbox";
        words[count++] = "--enable-unsafe-webgpu";
        words[count++] = "--no-first-run";
        words[count++] = "--no-default-browser-check";
        words[count++] = profile;
    } else if (firefox) {
        if (headless) words[count++] = "--headless";
        words[count++] = "--no-remote";
        words[count++] = "--profile";
        words[count++] = browser->profile;
    }
    words[count++] = browser->page;
    words[count] = NULL;
    if (start_program(browser, names, words)) return HED_OK;
    return hed_fail(error, HED_ERROR_IO, "there is no program \"%s\" on the path", name);
}

/* ---- the session ---- */

static bool browser_interrupted(void *user)
{
    (void)user;
    return hed_interrupted();
}

/* Ends a browser that was started here, and removes its profile. */
static void browser_stop(cli_browser *browser)
{
    bool ours = browser->profile[0] != 0; /* otherwise it may be the user's own browser */
    for (int tries = 0; browser->process && ours; tries++) {
        enum { PATIENCE = 60 };
        kill(-browser->process, tries < PATIENCE / 2 ? SIGTERM : SIGKILL);
        if (waitpid(browser->process, NULL, WNOHANG) || tries == PATIENCE) break;
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    if (browser->process && !ours) waitpid(browser->process, NULL, WNOHANG);
    if (browser->folder[0]) nftw(browser->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    browser->process = 0;
    browser->folder[0] = browser->profile[0] = 0;
}

/* Restarts the browser, as hed_web_def.restart, if a driver hangs. */
static bool browser_restart(void *user)
{
    cli_browser *browser = user;
    hed_error error = {0};
    browser_stop(browser);
    return !start_named(browser, browser->name, browser->headless, &error);
}

hed_status cli_browser_open(cli_browser *browser, const hed_arguments *arguments,
    hed_context *context, hed_device **device, hed_error *error)
{
    static const char *const openers[] = {"xdg-open", "open", NULL};
    const char *name = hed_text_of(arguments, "browser"), *words[] = {NULL, NULL, NULL};
    bool quiet = hed_given(arguments, "quiet") || hed_given(arguments, "json");
    const hed_web_def def = {.context = context,
        .port = (uint16_t)hed_integer_of(arguments, "port"),
        .idle = browser_interrupted,
        .restart = name && is_known_browser(name) ? browser_restart : NULL,
        .user = browser};
    *browser = (cli_browser){.name = name, .headless = hed_given(arguments, "headless")};
    if (hed_web_create(&def, &browser->web, error)) return error->status;
    const char *address = hed_web_address(browser->web);
    if (name) {
        if (start_named(browser, name, browser->headless, error)) return error->status;
    } else {
        if (make_folder(browser, address, error)) return error->status;
        words[1] = browser->page;
        start_program(browser, openers, words);
    }
    if (!quiet || !name)
        fprintf(
            stderr, "heddle: %s %s\n", name ? "the page is" : "open this in the browser:", address);
    return hed_web_wait(browser->web, name ? START_SECONDS : PERSON_SECONDS, device, error);
}

void cli_browser_use(const cli_browser *browser, hed_tune_def *def)
{
    def->open_runner = hed_web_open_runner;
    def->runner_user = browser->web;
}

void cli_browser_show(void *user, const hed_kernel_def *kernel, const hed_tune_progress *progress)
{
    hed_web_show(user, kernel, progress);
}

void cli_browser_close(cli_browser *browser)
{
    hed_web_destroy(browser->web);
    browser_stop(browser);
    *browser = (cli_browser){0};
}
