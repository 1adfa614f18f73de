/* Loading of libmujoco. Its structs differ from version to version, and any version may be
 * installed: so the part that uses them is a text, compiled once by the machine's C compiler
 * against the header that was installed with the library. Offsets for each version would be wrong
 * for the next one. */
#include "mujoco/mujoco_library.h"

#include "heddle/author.h"
#include "heddle/code.h"
#include "support/file.h"
#include "support/optional_libraries.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const char hed_mppi_simulation_h[], hed_mppi_mujoco_calls_h[];

#define MUJOCO_NAME(name) #name,
static const char *const library_names[] = {
    MUJOCO_FUNCTIONS(MUJOCO_NAME) "mj_version", "mju_user_error", "mju_user_warning"};
enum { LIBRARY_COUNT = HED_COUNT(library_names), LIBRARY_VERSION = LIBRARY_COUNT - 3 };

static mujoco_calls library_calls;
static bool library_is_open;
static _Thread_local mujoco_exit *library_exit;

/* ---- fatal errors ---- */

void mujoco_library_catch(mujoco_exit *exit) { library_exit = exit; }

static void library_fail(const char *text)
{
    if (!library_exit) return;
    snprintf(library_exit->text, sizeof library_exit->text, "%s", text);
    longjmp(library_exit->place, 1);
}

/* MuJoCo would write warnings to standard output and a file in the current folder; unstable
 * simulations are seen by its counters. */
static void library_ignore(const char *text) { (void)text; }

/* Sets a handler, unless the program has its own. */
static void library_set_handler(void *symbol, void (*handler)(const char *))
{
    void (**current)(const char *) = (void (**)(const char *))symbol;
    if (!*current) *current = handler;
}

/* ---- the header ---- */

/* Finds the path of the loaded library among the process's mappings; "": unknown. */
static void library_path(char path[PATH_MAX])
{
    char *text = NULL;
    size_t size;
    path[0] = 0;
    if (hed_file_read("/proc/self/maps", 64 << 20, &text, &size, NULL)) return;
    const char *name = strstr(text, "libmujoco"), *begin = name;
    while (begin && begin > text && begin[-1] != '\n' && begin[-1] != ' ') begin--;
    if (begin) snprintf(path, PATH_MAX, "%.*s", (int)strcspn(begin, "\n"), begin);
    free(text);
}

/* Lists options with the folders that may have the header: near the library, as in archives and
 * wheels of MuJoCo, else the compiler's own. Returns their number. */
static uint32_t library_options(char options[3][PATH_MAX + 32], const char *list[3])
{
    static const char *const places[] = {"include", "../include", "../../include"};
    char path[PATH_MAX], header[PATH_MAX + 64];
    uint32_t count = 0;
    library_path(path);
    char *slash = strrchr(path, '/');
    if (!slash) return 0;
    *slash = 0;
    for (size_t i = 0; i < HED_COUNT(places); i++) {
        snprintf(header, sizeof header, "%s/%s/mujoco/mujoco.h", path, places[i]);
        if (access(header, R_OK) != 0) continue;
        snprintf(options[count], sizeof options[0], "-I%s/%s", path, places[i]);
        list[count] = options[count];
        count++;
    }
    return count;
}

/* Adds the remedy to an error of the compiler. */
static hed_status library_explain(int version, hed_error *error)
{
    char log[HED_ERROR_LOG], text[HED_ERROR_TEXT];
    bool lacks_header = strstr(error->log, "mujoco/mujoco.h");
    bool differs = strstr(error->log, "is of another version");
    if (!lacks_header && !differs) return error->status;
    memcpy(log, error->log, sizeof log);
    snprintf(text, sizeof text, "the header mujoco/mujoco.h of MuJoCo %d.%d.%d is %s", version / 100,
        version / 10 % 10, version % 10, differs ? "of another version" : "not installed");
    hed_error_clear(error);
    hed_fail(error, HED_ERROR_UNSUPPORTED,
        "%s: its structs differ from version to version; on Debian: apt install libmujoco-dev; else unpack "
        "MuJoCo's archive and set HEDDLE_MUJOCO_LIBRARY to its lib/libmujoco.so",
        text);
    memcpy(error->log, log, sizeof log);
    return error->status;
}

/* ---- opening ---- */

/* Compiles the text. Its code and the context's cache are the process's. */
static hed_status library_compile(int version, void **functions, hed_error *error)
{
#define CALL_NAME(name) "mujoco_" #name,
    static const char *const symbols[] = {MUJOCO_CALLS(CALL_NAME)};
    char options[3][PATH_MAX + 32], define[64];
    const char *list[3];
    snprintf(define, sizeof define, "#define MUJOCO_VERSION %d\n", version);
    const hed_source sources[] = {{"MuJoCo's version", define, 0},
        {"simulation.h", hed_mppi_simulation_h, 0}, {"mujoco_calls.h", hed_mppi_mujoco_calls_h, 0}};
    const hed_code_def def = {.name = "the text for MuJoCo",
        .sources = sources,
        .source_count = HED_COUNT(sources),
        .options = list,
        .option_count = library_options(options, list),
        .symbols = symbols,
        .symbol_count = HED_COUNT(symbols)};
    hed_context_def context_def = hed_default_context_def();
    context_def.opencl_library = context_def.cuda_library = context_def.vulkan_library = "";
    context_def.device = "host";
    hed_context *context = NULL;
    hed_code *code = NULL;
    if (hed_context_create(&context_def, &context, error)) return error->status;
    hed_status status = hed_code_create(context, &def, functions, &code, error);
    hed_context_destroy(context);
    return status == HED_ERROR_BUILD ? library_explain(version, error) : status;
}

hed_status mujoco_library_open(const mujoco_calls **calls, hed_error *error)
{
    void *symbols[LIBRARY_COUNT], *functions[sizeof(mujoco_calls) / sizeof(void *)];
    *calls = &library_calls;
    if (library_is_open) return HED_OK;
    if (hed_library_load(NULL, &hed_optional_libraries[HED_LIBRARY_MUJOCO], library_names, symbols,
            LIBRARY_COUNT, NULL, error))
        return error->status;
    int (*version)(void) = (int (*)(void))symbols[LIBRARY_VERSION];
    if (library_compile(version(), functions, error)) return error->status;
    memcpy(&library_calls, functions, sizeof library_calls);
    library_calls.use(symbols);
    library_set_handler(symbols[LIBRARY_VERSION + 1], library_fail);
    library_set_handler(symbols[LIBRARY_VERSION + 2], library_ignore);
    library_is_open = true;
    return HED_OK;
}
