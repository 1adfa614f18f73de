/* Register of the files that a command reads and writes; see sources.h. */
#include "support/sources.h"

#include "heddle/author.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A source or an output. */
typedef struct known_file {
    dev_t device;
    ino_t inode;
    const char *base; /* name in the folder of the inode; "": the inode is the file's own */
    bool written;     /* the command has already written this output */
    char name[];      /* label, space, path */
} known_file;

static int compare_files(const void *a, const void *b)
{
    const known_file *x = a, *y = b;
    if (x->device != y->device) return x->device < y->device ? -1 : 1;
    if (x->inode != y->inode) return x->inode < y->inode ? -1 : 1;
    return strcmp(x->base, y->base);
}

static hed_file_register *current_register(void)
{
    return &hed_command_register ? hed_command_register : NULL;
}

/* ---- identity ---- */

/* Identifies a regular file, or a name that does not exist yet. False for devices, pipes, folders,
 * and names in a missing folder: writing never replaces these. */
static bool identify(const char *path, known_file *file)
{
    struct stat about;
    char folder[PATH_MAX];
    *file = (known_file){.base = ""};
    bool exists = stat(path, &about) == 0;
    if (exists && !S_ISREG(about.st_mode)) return false;
    if (!exists) {
        const char *slash = strrchr(path, '/');
        size_t length = slash ? (size_t)(slash - path) + 1 : 0;
        if (errno != ENOENT || length >= sizeof folder) return false;
        memcpy(folder, length ? path : "./", length ? length : 2);
        folder[length ? length : 2] = 0;
        file->base = path + length;
        if (!*file->base || stat(folder, &about) != 0) return false;
    }
    file->device = about.st_dev;
    file->inode = about.st_ino;
    return true;
}

/* Finds a file in a tree; NULL: not found. */
static known_file *find_file(void *const *tree, const known_file *file)
{
    known_file *const *entry = tfind(file, tree, compare_files);
    return entry ? *entry : NULL;
}

static hed_status add_file(
    void **tree, const known_file *file, const char *label, const char *path, hed_error *error)
{
    size_t base = strlen(file->base) + 1, size = (label ? strlen(label) + 1 : 0) + strlen(path) + 1;
    if (find_file(tree, file)) return HED_OK;
    known_file *copy = malloc(sizeof *copy + size + base);
    if (copy) {
        *copy =
            (known_file){.device = file->device, .inode = file->inode, .base = copy->name + size};
        snprintf(copy->name, size, "%s%s%s", label ? label : "", label ? " " : "", path);
        memcpy(copy->name + size, file->base, base);
    }
    if (copy && tsearch(copy, tree, compare_files)) return HED_OK;
    free(copy);
    return HED_OUT_OF_MEMORY(error, "the name of %s", path);
}

/* ---- refusing ---- */

bool hed_is_report(const char *text, size_t size)
{
    return memmem(text, size < 1024 ? size : 1024, HED_REPORT_MARK, strlen(HED_REPORT_MARK)) !=
           NULL;
}

/* True if the file at `path` is one of Heddle's own pages. */
static bool report_at(const char *path)
{
    char text[1024];
    struct stat about;
    bool is_regular = stat(path, &about) == 0 && S_ISREG(about.st_mode);
    int file = is_regular ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    ssize_t size = file >= 0 ? pread(file, text, sizeof text, 0) : -1;
    if (file >= 0) close(file);
    return size > 0 && hed_is_report(text, (size_t)size);
}

static hed_status refuse_output(
    const char *label, const char *output, const char *source, const char *role, hed_error *error)
{
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "%s%s%s: this output would replace %s, %s; expected another file", label ? label : "",
        label ? " " : "", output, source, role);
}

static const char SOURCE[] = "a file that the command reads",
                  OUTPUT[] = "another output of the command";

int hed_open_descriptor(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
    for (size_t i = 0; i < HED_COUNT(folders); i++) {
        const char *number = path + strlen(folders[i]);
        if (strncmp(path, folders[i], strlen(folders[i])) || !isdigit((unsigned char)*number))
            continue;
        char *end;
        long descriptor = strtol(number, &end, 10);
        if (!*end && descriptor <= INT_MAX) return (int)descriptor;
    }
    return -1;
}

/* Refuses a symbolic link as the last component of an output's name: every user who may write the
 * folder could redirect the output to any file. */
static hed_status source_refuse_link(const char *label, const char *path, hed_error *error)
{
    struct stat about;
    char target[PATH_MAX];
    bool link = lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
    if (!link || hed_open_descriptor(path) >= 0) return HED_OK;
    ssize_t length = readlink(path, target, sizeof target - 1);
    target[length > 0 ? length : 0] = 0;
    return hed_fail(error, HED_ERROR_IO,
        "cannot write %s%s%s: it is a symbolic link (to %s); expected the file's own name",
        label ? label : "", label ? " " : "", path, target);
}

/* ---- sources ---- */

static hed_status note_source(
    hed_file_register *files, const known_file *file, const char *path, hed_error *error)
{
    pthread_mutex_lock(&files->lock);
    const known_file *output = find_file(&files->outputs, file);
    bool replaced = output && !output->written && !report_at(path);
    hed_status status = HED_OK;
    if (!output || replaced) status = add_file(&files->sources, file, NULL, path, error);
    if (replaced && status == HED_OK)
        status = refuse_output(NULL, output->name, path, SOURCE, error);
    pthread_mutex_unlock(&files->lock);
    return status;
}

hed_status hed_source_note(int file, const char *path, hed_error *error)
{
    hed_file_register *files = current_register();
    struct stat about;
    if (!files || fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) return HED_OK;
    known_file identity = {.device = about.st_dev, .inode = about.st_ino, .base = ""};
    return note_source(files, &identity, path, error);
}

hed_status hed_source_note_path(const char *path, hed_error *error)
{
    hed_file_register *files = current_register();
    known_file identity;
    if (!files || !identify(path, &identity)) return HED_OK;
    return note_source(files, &identity, path, error);
}

void hed_source_forget(const char *path)
{
    hed_file_register *files = current_register();
    known_file identity;
    if (!files || !identify(path, &identity)) return;
    pthread_mutex_lock(&files->lock);
    known_file *entry = find_file(&files->sources, &identity);
    if (entry) tdelete(entry, &files->sources, compare_files);
    free(entry);
    pthread_mutex_unlock(&files->lock);
}

/* ---- outputs ---- */

hed_status hed_output_announce(const char *label, const char *path, hed_error *error)
{
    hed_file_register *files = current_register();
    known_file identity;
    if (!files) return HED_OK;
    hed_status status = source_refuse_link(label, path, error);
    if (status != HED_OK || !identify(path, &identity)) return status;
    pthread_mutex_lock(&files->lock);
    const known_file *source = find_file(&files->sources, &identity),
                     *output = find_file(&files->outputs, &identity);
    if (source && !report_at(path))
        status = refuse_output(label, path, source->name, SOURCE, error);
    else if (output) status = refuse_output(label, path, output->name, OUTPUT, error);
    else status = add_file(&files->outputs, &identity, label, path, error);
    pthread_mutex_unlock(&files->lock);
    return status;
}

hed_status hed_output_begin(const char *path, hed_error *error)
{
    hed_file_register *files = current_register();
    known_file identity;
    hed_status status = source_refuse_link(NULL, path, error);
    if (status != HED_OK || !files || !identify(path, &identity)) return status;
    pthread_mutex_lock(&files->lock);
    const known_file *source = find_file(&files->sources, &identity);
    if (source && !report_at(path)) status = refuse_output(NULL, path, source->name, SOURCE, error);
    pthread_mutex_unlock(&files->lock);
    return status;
}

void hed_output_written(const char *path)
{
    hed_file_register *files = current_register();
    known_file identity;
    if (!files || !identify(path, &identity)) return;
    pthread_mutex_lock(&files->lock);
    known_file *output = find_file(&files->outputs, &identity);
    if (output) output->written = true;
    pthread_mutex_unlock(&files->lock);
}

typedef struct source_visit {
    void (*visit)(const char *name, void *user);
    void *user;
} source_visit;

static void visit_source(const void *node, VISIT order, void *user)
{
    const source_visit *v = user;
    const known_file *file = *(known_file *const *)node;
    if (order == postorder || order == leaf) v->visit(file->name, v->user);
}

void hed_sources_each(
    const hed_file_register *files, void (*visit)(const char *name, void *user), void *user)
{
    source_visit v = {visit, user};
    twalk_r(files->sources, visit_source, &v);
}

void hed_file_register_clear(hed_file_register *files)
{
    tdestroy(files->sources, free);
    tdestroy(files->outputs, free);
    files->sources = files->outputs = NULL;
}
