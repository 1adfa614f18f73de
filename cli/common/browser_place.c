/* See browser_place.h. A browser from a snap or a flatpak has a /tmp of its own and sees no hidden
 * folder of the user but the one of its package. Its files are made there. */
#include "cli/common/browser_place.h"

#include "heddle/author.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const cli_chromiums[] = {"chromium", "chromium-browser", "google-chrome",
    "google-chrome-stable", "/snap/bin/chromium", "/var/lib/flatpak/exports/bin/org.chromium.Chromium",
    "/var/lib/flatpak/exports/bin/com.google.Chrome", NULL};
const char *const cli_firefoxes[] = {"firefox", "firefox-esr", "/snap/bin/firefox",
    "/var/lib/flatpak/exports/bin/org.mozilla.firefox", NULL};

/* ---- programs ---- */

static bool is_program(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

static bool find_on_path(const char *name, char *program)
{
    const char *list = getenv("PATH");
    if (!list) list = "/usr/local/bin:/usr/bin:/bin";
    for (const char *end; *list; list = *end ? end + 1 : end) {
        end = strchrnul(list, ':');
        int length = snprintf(program, PATH_MAX, "%.*s/%s", (int)(end - list), list, name);
        if (end > list && length < PATH_MAX && is_program(program)) return true;
    }
    return false;
}

bool cli_browser_find(const char *const *names, char *program)
{
    for (; *names; names++) {
        if (!strchr(*names, '/')) {
            if (find_on_path(*names, program)) return true;
        } else if (strlen(*names) < PATH_MAX && is_program(*names)) {
            strcpy(program, *names);
            return true;
        }
    }
    return false;
}

/* ---- packages ---- */

enum { PACKAGE = 128 };

/* Copies the name at the beginning of `text`, up to a character that no package has. */
static bool take_package(const char *text, char package[PACKAGE])
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-");
    if (!length || length >= PACKAGE) return false;
    memcpy(package, text, length);
    package[length] = 0;
    return true;
}

/* Finds the snap of a program: a link in a folder snap/bin, or a script that starts one, as
 * Ubuntu's /usr/bin/firefox. */
static bool find_snap(const char *program, char package[PACKAGE])
{
    static const char folder[] = "/snap/bin/";
    char text[4096];
    const char *name = strstr(program, folder);
    if (!name) {
        FILE *file = fopen(program, "re");
        size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
        if (file) fclose(file);
        text[size] = 0;
        name = strncmp(text, "#!", 2) == 0 ? strstr(text, folder) : NULL;
    }
    return name && take_package(name + strlen(folder), package);
}
/* Finds the package of the user's default browser by the name of its desktop file: SNAP_PROGRAM or
 * a flatpak's identifier. */
static bool find_default(const char *home, bool *is_snap, char package[PACKAGE])
{
    char line[PACKAGE] = "", path[PATH_MAX];
    FILE *answer = popen("xdg-settings get default-web-browser 2>/dev/null", "re");
    if (!answer) return false;
    char *got = fgets(line, sizeof line, answer), *end;
    pclose(answer);
    if (!got || !(end = strstr(line, ".desktop"))) return false;
    *end = 0;
    *is_snap = strchr(line, '_') != NULL;
    if (!take_package(line, package)) return false;
    snprintf(path, sizeof path, "%s/%s/%s", home, *is_snap ? "snap" : ".var/app", package);
    return access(path, F_OK) == 0;
}

/* ---- folders ---- */

/* Creates the folder `path` and its missing parents below the first `size` bytes. */
static bool make_parents(char *path, size_t size)
{
    for (char *slash = path + size; slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        bool exists = mkdir(path, 0700) == 0 || errno == EEXIST;
        *slash = '/';
        if (!exists) return false;
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* ---- folders of commands that were killed ---- */

static const char PREFIX[] = "heddle-browser-", OWNER[] = "owner";

/* Writes the process that will remove the folder into it. */
static void write_owner(const char *folder)
{
    char path[PATH_MAX + sizeof OWNER];
    snprintf(path, sizeof path, "%s/%s", folder, OWNER);
    FILE *file = fopen(path, "wxe");
    if (file) fprintf(file, "%ld\n", (long)getpid());
    if (file) fclose(file);
}

/* True if the process that would remove the folder has ended. */
static bool is_left_behind(const char *folder)
{
    char path[PATH_MAX + sizeof OWNER];
    struct stat status;
    long owner = 0;
    if (lstat(folder, &status) || !S_ISDIR(status.st_mode) || status.st_uid != geteuid())
        return false;
    snprintf(path, sizeof path, "%s/%s", folder, OWNER);
    FILE *file = fopen(path, "re");
    bool is_known = file && fscanf(file, "%ld", &owner) == 1 && owner > 0;
    if (file) fclose(file);
    return is_known && kill((pid_t)owner, 0) && errno == ESRCH;
}

static void remove_left_behind(const char *parent)
{
    DIR *entries = opendir(parent);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        char folder[PATH_MAX];
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) != 0) continue;
        int length = snprintf(folder, sizeof folder, "%s/%s", parent, entry->d_name);
        if (length < (int)sizeof folder && is_left_behind(folder))
            cli_browser_remove_folder(folder);
    }
    if (entries) closedir(entries);
}

/* ---- a new folder ---- */

hed_status cli_browser_make_folder(const char *program, char *folder, hed_error *error)
{
    char package[PACKAGE], parent[PATH_MAX - PACKAGE] = P_tmpdir;
    const char *home = getenv("HOME");
    size_t size = home && home[0] == '/' ? strlen(home) : 0;
    if (size && size < sizeof parent - 2 * PACKAGE) {
        bool is_snap = program && find_snap(program, package);
        bool is_flatpak = program && strstr(program, "/flatpak/exports/bin/") &&
                          take_package(strrchr(program, '/') + 1, package);
        bool is_confined =
            is_snap || is_flatpak || (!program && find_default(home, &is_snap, package));
        if (is_confined)
            snprintf(parent, sizeof parent, is_snap ? "%s/snap/%s/common" : "%s/.var/app/%s/cache",
                home, package);
        if (is_confined && !make_parents(parent, size))
            return hed_fail(error, HED_ERROR_IO, "cannot make the folder %s: %s", parent, strerror(errno));
    }
    remove_left_behind(parent);
    snprintf(folder, PATH_MAX, "%s/%sXXXXXX", parent, PREFIX);
    if (mkdtemp(folder)) {
        write_owner(folder);
        return HED_OK;
    }
    return hed_fail(error, HED_ERROR_IO, "cannot make a folder for the browser, as %s: %s", folder, strerror(errno));
}

static int remove_entry(const char *path, const struct stat *about, int type, struct FTW *at)
{
    (void)about, (void)type, (void)at;
    return remove(path);
}

void cli_browser_remove_folder(const char *folder)
{
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
