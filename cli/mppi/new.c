/* heddle mppi new: a folder to begin one's own robot from. */
#include "mppi.h"

#include "support/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

extern const hed_source hed_mppi_new_files[]; /* generated from new/ */

/* "main.c" for main.c.in; the model and the scene have the robot's name. */
static const char *new_file_name(const char *template, const char *name, char text[128])
{
    if (!strcmp(template, "model.h.in")) snprintf(text, 128, "%s.h", name);
    else if (!strcmp(template, "scene.json.in")) snprintf(text, 128, "%s.json", name);
    else snprintf(text, 128, "%.*s", (int)(strlen(template) - strlen(".in")), template);
    return text;
}

/* A template with the name in place of @NAME@. */
static hed_status new_write(
    const char *folder, const char *name, const hed_source *template, hed_error *error)
{
    static const char mark[] = "@NAME@";
    char *path = NULL, *text = NULL, file[128];
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream || asprintf(&path, "%s/%s", folder, new_file_name(template->name, name, file)) < 0)
        hed_fail(error, HED_ERROR_MEMORY, "out of memory for %s", template->name);
    for (const char *at = template->text, *next; stream && *at; at = next) {
        const char *found = strstr(at, mark);
        next = found ? found + sizeof mark - 1 : at + strlen(at);
        fprintf(stream, "%.*s%s", (int)(found ? found - at : next - at), at, found ? name : "");
    }
    if (stream && fclose(stream) != 0)
        hed_fail(error, HED_ERROR_MEMORY, "out of memory for %s", template->name);
    if (!hed_failed(error)) hed_file_write(path, text, size, error);
    free(path);
    free(text);
    return error->status;
}

/* The last part of a path as the robot's name: it becomes the name of a program and of files. */
static const char *new_name(const char *folder, hed_error *error)
{
    const char *slash = strrchr(folder, '/'), *name = slash ? slash + 1 : folder;
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (length == 0 || name[length] || length > 64 || (name[0] >= '0' && name[0] <= '9'))
        hed_fail(error, HED_ERROR_ARGUMENT,
            "\"%s\" names no robot: expected a folder whose name is of a-z, 0-9 and _, begins with a "
            "letter, and has at most 64 characters, such as my_robot",
            folder);
    return name;
}

static int new_run(const hed_arguments *arguments, void *user)
{
    (void)user;
    hed_error error = {0};
    const char *folder = hed_text_of(arguments, "FOLDER"), *name = new_name(folder, &error);
    if (!hed_failed(&error) && mkdir(folder, 0777) != 0)
        hed_fail(&error, HED_ERROR_IO, "cannot make the folder %s: %s", folder, strerror(errno));
    for (const hed_source *t = hed_mppi_new_files; t->name && !hed_failed(&error); t++)
        new_write(folder, name, t, &error);
    if (hed_failed(&error)) return cli_fail(&error);
    if (!hed_given(arguments, "quiet"))
        printf("%s: a model, a term, a scene and a program\n"
               "  heddle mppi run %s/%s.json --plot run.svg\n"
               "  cmake -S %s -B %s/build && cmake --build %s/build && %s/build/%s\n",
            folder, folder, name, folder, folder, folder, folder, name);
    return HED_EXIT_OK;
}

const hed_command hed_command_mppi_new = {
    .name = "new",
    .summary = "make a folder with a model, a term, a scene and a program to begin from",
    .description =
        "The folder's name is the robot's. The scene runs at once on a device that compiles texts (a GPU, or this "
        "processor through PoCL); the program builds against the installed library and runs on any processor.",
    .positionals = (const hed_option[]){{.name = "FOLDER",
                                            .kind = HED_OPTION_FOLDER,
                                            .required = true,
                                            .help = "the folder to make"},
        {0}},
    .examples =
        (const hed_example[]){
            {"heddle mppi new my_robot", "my_robot/, for a robot of that name"}, {0}},
    .run = new_run,
};
