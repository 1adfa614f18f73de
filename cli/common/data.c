/* Files installed with Heddle, by name. */
#include "cli/common/data.h"

#include "heddle/author.h"
#include "support/nearest.h"

#include <assert.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SCENES,
    MESHES,
    INSTRUMENTS,
    SONGS,
    PHRASES,
    CONTROL,
    TUNE_FILES,
    GLSL,
    WGSL,
    PAGES,
    SHEETS,
    EXAMPLES
};
const cli_data_kind cli_data_kinds[] = {
    [SCENES] = {.folder = "scenes",
        .ending = ".json",
        .title = "scenes of cloth",
        .line = "heddle cloth run NAME --out NAME.pc2"},
    [MESHES] = {.folder = "scenes",
        .ending = ".obj",
        .title = "meshes",
        .line = "heddle cloth drape NAME --over body --out NAME.glb"},
    [INSTRUMENTS] = {.folder = "instruments",
        .ending = ".json",
        .title = "instruments",
        .line = "heddle synth render NAME -o NAME.wav"},
    [SONGS] = {.folder = "music",
        .ending = ".mid",
        .title = "songs",
        .line = "heddle synth render consort NAME -o NAME.wav"},
    [PHRASES] = {.folder = "music/phrases",
        .ending = ".mid",
        .title = "phrases, one for each instrument",
        .line = "heddle synth render marimba $(heddle data marimba.mid) -o NAME.wav",
        .keeps_ending = true},
    [CONTROL] = {.folder = "mppi",
        .ending = ".json",
        .title = "scenes of control",
        .line = "heddle mppi run NAME --plot NAME.svg"},
    [TUNE_FILES] = {.folder = "tune",
        .ending = ".json",
        .title = "tune files",
        .line = "heddle tune NAME"},
    [GLSL] = {.folder = "tune",
        .ending = ".comp",
        .title = "shaders in GLSL",
        .line = "heddle tune NAME",
        .keeps_ending = true},
    [WGSL] = {.folder = "tune",
        .ending = ".wgsl",
        .title = "shaders in WGSL",
        .line = "heddle tune NAME",
        .keeps_ending = true},
    [PAGES] = {.folder = "site",
        .ending = ".html",
        .title = "pages",
        .line = "heddle css unused NAME",
        .takes_folders = true,
        .takes_input = true},
    [SHEETS] = {.folder = "site",
        .ending = ".css",
        .title = "style sheets",
        .line = "heddle css match shop NAME",
        .keeps_ending = true,
        .takes_input = true},
    [EXAMPLES] = {.folder = "examples",
        .ending = "",
        .title = "programs in C",
        .line = "cc $(heddle data NAME) $(pkg-config --cflags --libs heddle)"},
    {0},
};

const cli_data_kind *cli_data_kind_of(const char *folder, const char *ending)
{
    const cli_data_kind *kind = cli_data_kinds;
    while (kind->folder && (strcmp(kind->folder, folder) || strcmp(kind->ending, ending))) kind++;
    assert(kind->folder && "a kind that the table does not have");
    return kind;
}

/* ---- the folder ---- */

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool cli_data_folder(char path[PATH_MAX])
{
    char command[PATH_MAX], data[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", command, sizeof command - 1);
    if (length < 0) return false;
    command[length] = 0;
    for (int level = 0; level < 2; level++) { /* remove the file's name, then the folder bin */
        char *slash = strrchr(command, '/');
        if (!slash) return false;
        *slash = 0;
    }
    int size = snprintf(data, sizeof data, "%s/share/heddle", command);
    if (size >= (int)sizeof data || !is_folder(data)) return false;
    memcpy(path, data, (size_t)size + 1);
    return true;
}

bool cli_data_path(const cli_data_kind *kind, const char *name, char path[PATH_MAX])
{
    char data[PATH_MAX], file[2 * PATH_MAX];
    if (!cli_data_folder(data) || strchr(name, '/') || name[0] == '.' || !name[0]) return false;
    if (kind->takes_folders && strcmp(name, kind->folder) == 0)
        return snprintf(path, PATH_MAX, "%s/%s", data, name) < PATH_MAX && is_folder(path);
    const char *const endings[] = {kind->ending, ""};
    for (size_t i = 0; i < HED_COUNT(endings); i++) {
        int size = snprintf(file, sizeof file, "%s/%s/%s%s", data, kind->folder, name, endings[i]);
        struct stat status;
        if (size >= PATH_MAX || stat(file, &status) || !S_ISREG(status.st_mode)) continue;
        memcpy(path, file, (size_t)size + 1);
        return true;
    }
    return false;
}

void cli_data_list(const cli_data_kind *kind, hed_name_function *add, void *user)
{
    char data[PATH_MAX], folder[PATH_MAX + 64];
    struct dirent **entries = NULL;
    if (!cli_data_folder(data)) return;
    snprintf(folder, sizeof folder, "%s/%s", data, kind->folder);
    if (kind->takes_folders && is_folder(folder)) add(user, kind->folder, NULL);
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char *name = entries[i]->d_name;
        size_t length = strlen(name), ending = strlen(kind->ending);
        if (name[0] != '.' && length > ending &&
            strcmp(name + length - ending, kind->ending) == 0) {
            if (!kind->keeps_ending) name[length - ending] = 0;
            add(user, name, NULL);
        }
        free(entries[i]);
    }
    free(entries);
}

/* ---- names in command lines ---- */

enum { MOST_NAMES = 256 };
struct name_list {
    char *names[MOST_NAMES + 1];
    uint32_t count;
};

static void keep_name(void *user, const char *name, const char *explanation)
{
    struct name_list *list = user;
    (void)explanation;
    char *copy = list->count < MOST_NAMES ? strdup(name) : NULL;
    if (copy) list->names[list->count++] = copy;
}

static hed_status refuse_name(const cli_data_kind *kind, const char *text, hed_error *error)
{
    char data[PATH_MAX];
    if (!cli_data_folder(data))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: no such file, and Heddle's data, among them its %s, are not installed; the package heddle-data has them",
            text, kind->title);
    struct name_list list = {0};
    cli_data_list(kind, keep_name, &list);
    const char *nearest = hed_nearest(text, (const char *const *)list.names);
    hed_fail(error, HED_ERROR_ARGUMENT,
        "%s: no such file, and none of the %s in %s/%s (\"heddle data\" lists them)%s%s%s", text,
        kind->title, data, kind->folder, nearest ? "; did you mean " : "", nearest ? nearest : "",
        nearest ? "?" : "");
    for (uint32_t i = 0; i < list.count; i++) free(list.names[i]);
    return error->status;
}

static hed_status data_find(
    const hed_names *names, const char *text, const char *folder, char **file, hed_error *error)
{
    const cli_data_kind *kind = names->of;
    char path[PATH_MAX];
    *file = NULL;
    if (!text[0] || strchr(text, '/')) return HED_OK;
    if (kind->takes_input && strcmp(text, "-") == 0) return HED_OK;
    int size = snprintf(path, sizeof path, "%s/%s", folder, text);
    bool is_there = size < (int)sizeof path && access(path, F_OK) == 0;
    if (is_there && (kind->takes_folders || !is_folder(path))) return HED_OK;
    bool may_be_file = is_there || strchr(text, '.') || strchr(text, ':'); /* the command decides */
    if (!cli_data_path(kind, text, path))
        return may_be_file ? HED_OK : refuse_name(kind, text, error);
    *file = strdup(path);
    return *file ? HED_OK : HED_OUT_OF_MEMORY(error, "the path of %s", text);
}

static void data_list(const hed_names *names, hed_name_function *add, void *user)
{
    cli_data_list(names->of, add, user);
}

#define DATA_NAMES(kind) \
    { \
        .list = data_list, .find = data_find, .of = &cli_data_kinds[kind] \
    }
const hed_names cli_data_scenes = DATA_NAMES(SCENES), cli_data_meshes = DATA_NAMES(MESHES),
                cli_data_instruments = DATA_NAMES(INSTRUMENTS), cli_data_songs = DATA_NAMES(SONGS),
                cli_data_tune_files = DATA_NAMES(TUNE_FILES), cli_data_pages = DATA_NAMES(PAGES),
                cli_data_sheets = DATA_NAMES(SHEETS);
