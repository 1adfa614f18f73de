/* heddle mppi new: a folder with the beginnings of a user's own robot. */
#include "subcommands.h"

#include "heddle/author.h"
#include "support/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const hed_source hed_mppi_new_files[]; /* generated from new/ */

/* Returns the file name of a template: "main.c" for main.c.in; model and scene get the robot's
 * name. */
static const char *new_file_name(const char *template, const char *name, char text[128])
{
    if (!strcmp(template, "model.h.in")) snprintf(text, 128, "%s.h", name);
    else if (!strcmp(template, "scene.json.in")) snprintf(text, 128, "%s.json", name);
    else snprintf(text, 128, "%.*s", (int)(strlen(template) - strlen(".in")), template);
    return text;
}

/* Writes a template with @NAME@ replaced by the name. */
static hed_status new_write(
    const char *folder, const char *name, const hed_source *template, hed_error *error)
{
    static const char mark[] = "@NAME@";
    char *path = NULL, *text = NULL, file[128];
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream || asprintf(&path, "%s/%s", folder, new_file_name(template->name, name, file)) < 0)
        HED_OUT_OF_MEMORY(error, "%s", template->name);
    for (const char *at = template->text, *next; stream && *at; at = next) {
        const char *mark_at = strstr(at, mark);
        next = mark_at ? mark_at + sizeof mark - 1 : at + strlen(at);
        fprintf(stream, "%.*s%s", (int)(mark_at ? mark_at - at : next - at), at, mark_at ? name : "");
    }
    if (stream && fclose(stream) != 0) HED_OUT_OF_MEMORY(error, "%s", template->name);
    if (!hed_failed(error)) hed_file_write(path, text, size, error);
    free(path);
    free(text);
    return error->status;
}

/* Writes the whole folder, or nothing: it is removed if a file cannot be written. */
static hed_status new_make(const char *folder, const char *name, hed_error *error)
{
    char file[128], path[PATH_MAX];
    if (mkdir(folder, 0777) != 0)
        return hed_fail(error, HED_ERROR_IO, "cannot make the folder %s: %s", folder, strerror(errno));
    for (const hed_source *t = hed_mppi_new_files; t->name && !hed_failed(error); t++)
        new_write(folder, name, t, error);
    if (!hed_failed(error)) return HED_OK;
    for (const hed_source *t = hed_mppi_new_files; t->name; t++) {
        snprintf(path, sizeof path, "%s/%s", folder, new_file_name(t->name, name, file));
        unlink(path);
    }
    rmdir(folder);
    return error->status;
}

/* Returns the robot's name, the last part of a path: it becomes the name of a program and of
 * files. */
static const char *new_name(const char *folder, hed_error *error)
{
    const char *slash = strrchr(folder, '/'), *name = slash ? slash + 1 : folder;
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (length == 0 || name[length] || length > 64 || (name[0] >= '0' && name[0] <= '9'))
        hed_fail(error, HED_ERROR_ARGUMENT,
            "\"%s\" names no robot: expected a folder whose name is of a-z, 0-9 and _, begins with a "
            "letter, and has at most 64 characters, such as my_robot",
            folder);
    return hed_failed(error) ? NULL : name;
}

/* ---- commands that run on this machine ---- */

/* Finds the option of the device that runs the scene's text: none for the best device, else the first
 * that compiles texts. False: no device does. */
static bool new_find_device(const hed_arguments *arguments, char *option, size_t size)
{
    cli_session session;
    hed_error error = {0};
    hed_device *best = NULL;
    bool found = false;
    option[0] = 0;
    if (cli_open_context(arguments, &session, &error)) return false;
    if (!hed_device_find(session.context, NULL, &best, &error)) found = cli_mppi_runs_texts(best);
    for (uint32_t i = 0; !found && i < hed_context_describe(session.context).devices; i++) {
        found = cli_mppi_runs_texts(hed_device_at(session.context, i));
        if (found)
            snprintf(option, size, " --device %s",
                hed_device_describe(hed_device_at(session.context, i)).id);
    }
    cli_close(&session);
    return found;
}

/* Finds the folder of this program's installation, for CMake; "" if CMake finds it itself.
 * False: the files for building programs are not installed. */
static bool new_find_prefix(char *prefix, size_t size)
{
    static const char *const libraries[] = {"lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"};
    char path[PATH_MAX], config[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    prefix[0] = 0;
    if (length <= 0) return false;
    path[length] = 0;
    for (int i = 0; i < 2; i++) { /* PREFIX/bin/heddle */
        char *slash = strrchr(path, '/');
        if (slash) *slash = 0;
    }
    for (size_t i = 0; i < HED_COUNT(libraries); i++) {
        snprintf(config, sizeof config, "%s/%s/cmake/heddle/heddle-config.cmake", path, libraries[i]);
        if (access(config, R_OK) != 0) continue;
        if (strcmp(path, "/usr") != 0 && strcmp(path, "/usr/local") != 0)
            snprintf(prefix, size, " -DCMAKE_PREFIX_PATH=%s", path);
        return true;
    }
    return false;
}

static void new_tell(const hed_arguments *arguments, const char *folder, const char *name)
{
    char device[160], prefix[PATH_MAX + 32];
    printf("%s: a model, a term, a scene and a program\n", folder);
    if (new_find_device(arguments, device, sizeof device))
        printf("  heddle mppi run %s/%s.json%s --plot run.svg\n", folder, name, device);
    else
        printf("  the scene needs a C compiler (Debian: apt install gcc) or a GPU, and there is neither here: "
               "\"heddle doctor\" lists the devices\n");
    if (new_find_prefix(prefix, sizeof prefix))
        printf("  cmake -S %s -B %s/build%s && cmake --build %s/build && %s/build/%s\n", folder,
            folder, prefix, folder, folder, name);
    else
        printf("  the program is built where the files for programs are installed (libheddle-dev): "
               "%s/README.md\n", folder);
}

static int new_run(const hed_arguments *arguments, void *user)
{
    (void)user;
    hed_error error = {0};
    const char *folder = hed_text_of(arguments, "FOLDER"), *name = new_name(folder, &error);
    if (hed_failed(&error) || new_make(folder, name, &error)) {
        int code = cli_fail(&error);
        return name ? code : HED_EXIT_USAGE;
    }
    if (!hed_given(arguments, "quiet")) new_tell(arguments, folder, name);
    return HED_EXIT_OK;
}

const hed_command hed_command_mppi_new = {
    .name = "new",
    .summary = "make a folder with a model, a term, a scene and a program to begin from",
    .description =
        "The folder's name is the robot's. The scene runs at once: on a GPU, or on this processor, whose C compiler "
        "(cc, gcc or clang) compiles the texts; the program builds against the installed library.",
    .positionals = (const hed_option[]){POSITIONAL("FOLDER", FOLDER, "the folder to make", .required = true),
        {0}},
    .examples =
        (const hed_example[]){
            {"heddle mppi new my_robot", "my_robot/, for a robot of that name"}, {0}},
    .run = new_run,
};
