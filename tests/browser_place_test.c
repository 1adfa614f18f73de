/* Private folders of browsers: one from a snap or a flatpak gets a folder that it can read, any
 * other one a temporary folder. The packages are scripts in a home of the test. */
#include "testing.h"

#include "cli/common/browser.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static hed_error error;
static char home[] = "/tmp/heddle-home-XXXXXX";

static void home_make(void)
{
    CHECK_NOT_NULL(mkdtemp(home));
    setenv("HOME", home, 1);
    setenv("PATH", home, 1);
}

static void home_remove(void) { cli_browser_remove_folder(home); }

TestSuite(browser_place, .init = home_make, .fini = home_remove);

static const char *in_home(const char *name)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", home, name);
    return path;
}

/* Makes a script in the home. */
static void make_script(const char *name, const char *text)
{
    FILE *file = fopen(in_home(name), "w");
    CHECK_NOT_NULL(file);
    fprintf(file, "#!/bin/sh\n%s\n", text);
    CHECK_EQ(fclose(file), 0);
    CHECK_EQ(chmod(in_home(name), 0700), 0);
}

/* Expects that a folder begins with `parent`, and removes it. */
static void expect_parent(const char *folder, const char *parent)
{
    EXPECT(strncmp(folder, parent, strlen(parent)) == 0, "%s is not in %s", folder, parent);
    EXPECT_EQ(access(folder, R_OK | W_OK), 0);
    cli_browser_remove_folder(folder);
    EXPECT_NE(access(folder, F_OK), 0);
}

Test(browser_place, a_program_is_found_by_name_or_path)
{
    char program[PATH_MAX];
    const char *const names[] = {"chromium", "firefox", NULL};
    CHECK(!cli_browser_find(names, program));
    make_script("firefox", "exit 0");
    CHECK(cli_browser_find(names, program));
    EXPECT_TEXT(program, in_home("firefox"));
    CHECK_EQ(mkdir(in_home("chromium"), 0700), 0); /* a folder is no program */
    CHECK(cli_browser_find(names, program));
    EXPECT_TEXT(program, in_home("firefox"));
    const char *const paths[] = {program, NULL};
    char again[PATH_MAX];
    CHECK(cli_browser_find(paths, again));
    EXPECT_TEXT(again, program);
}

Test(browser_place, any_browser_has_a_temporary_folder)
{
    char folder[PATH_MAX];
    make_script("chromium", "exit 0");
    OK(cli_browser_make_folder(in_home("chromium"), folder, &error));
    expect_parent(folder, P_tmpdir "/heddle-browser-");
}

Test(browser_place, a_snap_has_a_folder_that_it_can_read)
{
    char folder[PATH_MAX], program[PATH_MAX], parent[PATH_MAX];
    make_script("firefox", "exec /snap/bin/firefox \"$@\"");
    OK(cli_browser_make_folder(in_home("firefox"), folder, &error));
    snprintf(parent, sizeof parent, "%s", in_home("snap/firefox/common/heddle-browser-"));
    expect_parent(folder, parent);
    /* a link in a folder snap/bin; the folder of the package is there by now, that of another is not */
    snprintf(program, sizeof program, "/nowhere/snap/bin/chromium");
    OK(cli_browser_make_folder(program, folder, &error));
    snprintf(parent, sizeof parent, "%s", in_home("snap/chromium/common/heddle-browser-"));
    expect_parent(folder, parent);
}

Test(browser_place, a_flatpak_has_a_folder_that_it_can_read)
{
    char folder[PATH_MAX], parent[PATH_MAX];
    OK(cli_browser_make_folder(
        "/var/lib/flatpak/exports/bin/org.chromium.Chromium", folder, &error));
    snprintf(parent, sizeof parent, "%s",
        in_home(".var/app/org.chromium.Chromium/cache/heddle-browser-"));
    expect_parent(folder, parent);
    EXPECT(cli_browser_is_known("/var/lib/flatpak/exports/bin/com.google.Chrome"),
        "a capital letter hides a browser");
}

Test(browser_place, the_default_browser_may_be_a_snap)
{
    char folder[PATH_MAX], parent[PATH_MAX];
    make_script("xdg-settings", "echo firefox_firefox.desktop");
    OK(cli_browser_make_folder(NULL, folder, &error)); /* it has never run here */
    expect_parent(folder, P_tmpdir "/heddle-browser-");
    CHECK_EQ(mkdir(in_home("snap"), 0700), 0);
    CHECK_EQ(mkdir(in_home("snap/firefox"), 0700), 0);
    OK(cli_browser_make_folder(NULL, folder, &error));
    snprintf(parent, sizeof parent, "%s", in_home("snap/firefox/common/heddle-browser-"));
    expect_parent(folder, parent);
}

/* The page that redirects, and the profile, are where the browser can read them. */
Test(browser_place, a_started_snap_gets_its_page_and_profile)
{
    cli_browser_process browser;
    make_script("chromium", "[ -f \"${HOME}/never\" ] && exec /snap/bin/chromium\nexec sleep 60");
    setenv("PATH", "/bin:/usr/bin", 1);
    char program[PATH_MAX], parent[PATH_MAX + 8];
    snprintf(program, sizeof program, "%s", in_home("chromium"));
    OK(cli_browser_start(&browser,
        &(cli_browser_def){.name = program, .headless = true, .address = "http://127.0.0.1:1/"},
        &error));
    snprintf(parent, sizeof parent, "file://%s", in_home("snap/chromium/common/heddle-browser-"));
    EXPECT(strncmp(browser.page, parent, strlen(parent)) == 0, "%s", browser.page);
    EXPECT_EQ(access(browser.page + strlen("file://"), R_OK), 0);
    EXPECT(strncmp(browser.profile, parent + strlen("file://"),
               strlen(parent) - strlen("file://")) == 0,
        "%s", browser.profile);
    snprintf(program, sizeof program, "%s", browser.folder);
    cli_browser_end(&browser);
    EXPECT_NE(access(program, F_OK), 0);
}

/* Processes that outlive the browser and heed no SIGTERM are ended too: its folder stays removed. */
Test(browser_place, processes_of_a_browser_end_with_it)
{
    cli_browser_process browser;
    char program[PATH_MAX], path[PATH_MAX + 16];
    make_script("chromium",
        "(trap '' TERM; while :; do mkdir -p \"$TMPDIR\"; date >\"$TMPDIR/late\"; done) &\nexec sleep 60");
    setenv("PATH", "/bin:/usr/bin", 1);
    snprintf(program, sizeof program, "%s", in_home("chromium"));
    OK(cli_browser_start(&browser, &(cli_browser_def){.name = program, .headless = true}, &error));
    snprintf(path, sizeof path, "%s/late", browser.profile);
    for (int tries = 0; tries < 1000 && access(path, F_OK); tries++) usleep(10000);
    EXPECT_EQ(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s", browser.folder);
    cli_browser_end(&browser);
    usleep(300000);
    EXPECT_NE(access(path, F_OK), 0);
    EXPECT_EQ(cli_browser_has_ended(&browser, true), false);
}

/* A folder of a command that was killed is removed by the next one; that of a living command stays. */
Test(browser_place, folders_of_killed_commands_are_removed)
{
    char dead[PATH_MAX], alive[PATH_MAX], next[PATH_MAX], path[PATH_MAX + 16];
    OK(cli_browser_make_folder("chromium", dead, &error));
    OK(cli_browser_make_folder("chromium", alive, &error));
    pid_t child = fork();
    if (child == 0) _exit(0);
    CHECK_EQ(waitpid(child, NULL, 0), child);
    snprintf(path, sizeof path, "%s/owner", dead);
    FILE *file = fopen(path, "w");
    CHECK_NOT_NULL(file);
    fprintf(file, "%ld\n", (long)child);
    CHECK_EQ(fclose(file), 0);
    OK(cli_browser_make_folder("chromium", next, &error));
    EXPECT_NE(access(dead, F_OK), 0);
    EXPECT_EQ(access(alive, F_OK), 0);
    cli_browser_remove_folder(alive);
    cli_browser_remove_folder(next);
}

/* A program ends with the process that started it, even one that was killed. */
Test(browser_place, a_program_ends_with_its_parent)
{
    int report[2];
    pid_t program = 0;
    CHECK_EQ(pipe(report), 0);
    pid_t command = fork();
    if (command == 0) {
        const char *const words[] = {"/bin/sleep", "1000", NULL};
        program = cli_program_start(words, NULL, NULL, true);
        (void)!write(report[1], &program, sizeof program);
        pause();
    }
    CHECK_EQ(read(report[0], &program, sizeof program), (ssize_t)sizeof program);
    CHECK(program > 0);
    EXPECT_EQ(kill(program, 0), 0);
    kill(command, SIGKILL);
    CHECK_EQ(waitpid(command, NULL, 0), command);
    char state[64];
    snprintf(state, sizeof state, "/proc/%ld/stat", (long)program);
    for (int tries = 0; tries < 4000 && kill(program, 0) == 0; tries++) {
        char line[256] = "", *after;
        FILE *file = fopen(state, "r");
        if (file && fgets(line, sizeof line, file) && (after = strrchr(line, ')')) &&
            after[2] == 'Z')
            tries = 4000; /* nobody has waited for it */
        if (file) fclose(file);
        usleep(5000);
        if (tries == 4000) return;
    }
    EXPECT(kill(program, 0) != 0, "the program is alive");
}

/* A browser's temporary files are in its folder, with which they are removed. */
Test(browser_place, a_program_has_a_folder_for_temporary_files)
{
    char folder[] = "/tmp/heddle-test-XXXXXX", path[64];
    CHECK(mkdtemp(folder));
    const char *const words[] = {"/bin/sh", "-c", "echo > \"$TMPDIR/made\"", NULL};
    pid_t program = cli_program_start(words, folder, NULL, true);
    CHECK(program > 0);
    CHECK_EQ(waitpid(program, NULL, 0), program);
    snprintf(path, sizeof path, "%s/made", folder);
    EXPECT_EQ(access(path, F_OK), 0);
    cli_browser_remove_folder(folder);
    EXPECT(access(folder, F_OK) != 0);
}

Test(browser_place, a_program_that_is_not_there)
{
    const char *const words[] = {"/no/such/program", NULL};
    EXPECT_EQ(cli_program_start(words, NULL, NULL, true), 0);
}
