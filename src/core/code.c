/* C text at run time: one process of the machine's C compiler reads the text from a memory file and
 * writes a shared object to another one, which is loaded without a name on disk. The cache keeps the
 * object as it keeps kernels: the request is the compiler, its options and the text. */
#include "heddle/code.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/dynlib.h"
#include "base/error.h"
#include "base/path.h"
#include "base/text.h"
#include "core/build_cache.h"
#include "core/objects.h"

enum { MOST_WORDS = 64, OBJECT_LIMIT = 64 << 20, CODE_OUTPUT = 9 /* number of the output file */ };

struct hed_code {
    hed_allocator allocator;
    void *handle;
    /* open as long as the code is loaded: the loader compares names, and another file of this number
     * would be taken for it */
    int file;
};

/* The compiler and its first options. */
typedef struct code_compiler {
    char setting[HED_PATH_MAX]; /* $CC, with zeros after its words */
    char path[HED_PATH_MAX];
    const char *words[MOST_WORDS];
    uint32_t word_count;
    struct stat about; /* the compiler's file */
} code_compiler;

/* ---- the compiler ---- */

/* Finds a program in $PATH, or as a path. */
static bool code_find_program(const char *name, code_compiler *compiler)
{
    const char *folders = strchr(name, '/') ? "" : hed_environment("PATH");
    for (const char *at = folders; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        int length = (int)strcspn(at, ":");
        int size = strchr(name, '/') ? snprintf(compiler->path, HED_PATH_MAX, "%s", name)
                                     : snprintf(compiler->path, HED_PATH_MAX, "%.*s/%s", length, at, name);
        if (size > 0 && size < HED_PATH_MAX && access(compiler->path, X_OK) == 0 &&
            stat(compiler->path, &compiler->about) == 0 && S_ISREG(compiler->about.st_mode))
            return true;
    }
    compiler->path[0] = 0;
    return false;
}

/* Finds the compiler. False: it is absent; `words` has the name that $CC gives. */
static bool code_find_compiler(code_compiler *compiler)
{
    static const char *const usual[] = {"cc", "gcc", "clang"};
    const char *setting = hed_environment("CC");
    *compiler = (code_compiler){.word_count = 0};
    if (setting && hed_text_copy(compiler->setting, sizeof compiler->setting, setting)) {
        char *rest;
        for (char *word = strtok_r(compiler->setting, " \t", &rest); word;
             word = strtok_r(NULL, " \t", &rest))
            if (compiler->word_count < MOST_WORDS / 2)
                compiler->words[compiler->word_count++] = word;
    }
    if (compiler->word_count) return code_find_program(compiler->words[0], compiler);
    compiler->word_count = 1;
    for (size_t i = 0; i < HED_COUNT(usual); i++) {
        compiler->words[0] = usual[i];
        if (code_find_program(usual[i], compiler)) return true;
    }
    compiler->words[0] = NULL;
    return false;
}

bool hed_code_compiler(char *path, size_t size)
{
    code_compiler compiler;
    if (!path || !size) return false;
    bool exists = code_find_compiler(&compiler);
    return hed_text_copy(path, size, compiler.path) && exists;
}

static hed_status code_lacks_compiler(
    const hed_code_def *def, const code_compiler *compiler, hed_error *error)
{
    static const char remedy[] = "on Debian: apt install gcc; on Fedora: dnf install gcc";
    if (compiler->words[0])
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s needs a C compiler, and $CC is \"%s\", which is no program; %s", def->name,
            compiler->words[0], remedy);
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "%s needs a C compiler, and none of cc, gcc and clang is in $PATH; %s", def->name, remedy);
}

/* ---- the text ---- */

/* Bits are the same as of Heddle's native functions: nothing is contracted or reordered. An unknown
 * function is an error, since it would be one only when the code is loaded. */
static const char *const code_options[] = {"-x", "c", "-std=c17", "-O3", "-fno-trapping-math",
    "-fno-math-errno", "-ffp-contract=off", "-fPIC", "-shared", "-nostdlib",
    "-Werror=implicit-function-declaration", "-Werror=implicit-int", "-Werror=int-conversion",
    "-Werror=incompatible-pointer-types"};

/* Joins the sources; each begins with a line of its own name. */
static void code_join(const hed_code_def *def, hed_text *text)
{
    for (uint32_t i = 0; i < def->source_count; i++) {
        const hed_source *source = &def->sources[i];
        hed_text_add(text, "#line 1 \"");
        for (const char *c = source->name; *c; c++)
            hed_text_add(text, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c == '\n' ? ' ' : *c);
        hed_text_add(text, "\"\n");
        hed_text_add_bytes(text, source->text, source->size ? source->size : strlen(source->text));
        hed_text_add(text, "\n");
    }
}

/* Writes the request of the cache. A compiler is known by its file, as other compiler caches know
 * it: an update changes size or time. */
static void code_request(
    const hed_code_def *def, const code_compiler *compiler, const hed_text *text, hed_text *request)
{
    hed_text_add(request, "C text 1\n%s %lld %lld.%09ld\n", compiler->path,
        (long long)compiler->about.st_size, (long long)compiler->about.st_mtim.tv_sec,
        compiler->about.st_mtim.tv_nsec);
    for (uint32_t i = 1; i < compiler->word_count; i++)
        hed_text_add(request, "%s ", compiler->words[i]);
    for (size_t i = 0; i < HED_COUNT(code_options); i++)
        hed_text_add(request, "%s ", code_options[i]);
    for (uint32_t i = 0; i < def->option_count; i++) hed_text_add(request, "%s ", def->options[i]);
    hed_text_add(request, "\n");
    hed_text_add_bytes(request, text->bytes, text->size);
}

/* ---- the process ---- */

/* Memory files: the compiler's input, its output, and its messages. */
typedef struct code_files {
    int input, output, log;
} code_files;

static int code_spawn(const hed_code_def *def, const code_compiler *compiler,
    const code_files *files, int *exit_status)
{
    const char *words[2 * MOST_WORDS + 8];
    char output[32];
    size_t count = 0;
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    snprintf(output, sizeof output, "/proc/self/fd/%d", CODE_OUTPUT);
    for (uint32_t i = 0; i < compiler->word_count; i++) words[count++] = compiler->words[i];
    for (size_t i = 0; i < HED_COUNT(code_options); i++) words[count++] = code_options[i];
    for (uint32_t i = 0; i < def->option_count; i++) words[count++] = def->options[i];
    words[count++] = "-o";
    words[count++] = output;
    words[count++] = "-";
    words[count] = NULL;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed) return failed;
    posix_spawn_file_actions_adddup2(&actions, files->input, 0);
    posix_spawn_file_actions_adddup2(&actions, files->log, 1);
    posix_spawn_file_actions_adddup2(&actions, files->log, 2);
    posix_spawn_file_actions_adddup2(&actions, files->output, CODE_OUTPUT);
    failed = posix_spawnp(
        &child, compiler->path, &actions, NULL, (char *const *)(uintptr_t)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) return failed;
    while (waitpid(child, exit_status, 0) < 0)
        if (errno != EINTR) return errno;
    return 0;
}

static bool code_write(int file, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t wrote = write(file, (const char *)bytes + done, size - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        done += (size_t)wrote;
    }
    return true;
}

/* Reads a memory file, and adds `zeros` zeros, which `size` counts. */
static hed_status code_read(const hed_allocator *allocator, int file, size_t zeros, void **bytes,
    size_t *size, hed_error *error)
{
    off_t length = lseek(file, 0, SEEK_END);
    size_t content = length > 0 && length <= OBJECT_LIMIT ? (size_t)length : 0;
    *size = content + zeros;
    *bytes = hed_allocate(allocator, *size);
    if (!*bytes) return HED_OUT_OF_MEMORY(error, "the output of the C compiler");
    for (size_t done = 0; done < content;) {
        ssize_t got = pread(file, (char *)*bytes + done, content - done, (off_t)done);
        if (got <= 0) break;
        done += (size_t)got;
    }
    return HED_OK;
}

/* Returns the place, "FILE:LINE:COLUMN: ", of an error in the text of a macro: of its outermost use,
 * which the notes after the error name; NULL: the error is in no macro. */
static const char *code_place(const char *line)
{
    static const char note[] = "note: in expansion of macro";
    const char *place = NULL;
    for (const char *at = line; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const char *mark = strstr(at, note), *end = at + strcspn(at, "\n");
        if (mark && mark < end) place = at;
        else if (at != line && *at != ' ') break;
    }
    return place;
}

/* Reports the first message that is an error, and the log. */
static hed_status code_failed(
    const hed_code_def *def, const code_compiler *compiler, const char *log, hed_error *error)
{
    const char *mark = strstr(log, "error: "), *line = mark ? mark : log;
    while (line > log && line[-1] != '\n') line--;
    const char *place = code_place(line), *colon = place ? strstr(place, ": note: ") : NULL;
    if (colon)
        hed_fail(error, HED_ERROR_BUILD, "%s does not compile with %s: %.*s: %.*s", def->name,
            compiler->path, (int)(colon - place), place, (int)strcspn(mark, "\n"), mark);
    else
        hed_fail(error, HED_ERROR_BUILD, "%s does not compile with %s: %.*s", def->name,
            compiler->path, (int)strcspn(line, "\n"), line);
    hed_fail_log(error, log);
    return HED_ERROR_BUILD;
}

static hed_status code_run(const hed_settings *settings, const hed_code_def *def,
    const code_compiler *compiler, const code_files *files, hed_binary *binary, hed_error *error)
{
    void *log = NULL;
    size_t log_size = 0;
    int exit_status = 0, failed = code_spawn(def, compiler, files, &exit_status);
    if (failed)
        return hed_fail(error, HED_ERROR_IO, "%s: the C compiler %s cannot be run: %s", def->name,
            compiler->path, strerrordesc_np(failed));
    hed_status status = code_read(&settings->allocator, files->log, 1, &log, &log_size, error);
    if (!status && exit_status) status = code_failed(def, compiler, log, error);
    hed_release(&settings->allocator, log, log_size);
    return status ? status
                  : code_read(&settings->allocator, files->output, 0, &binary->bytes, &binary->size,
                        error);
}

static hed_status code_compile(const hed_settings *settings, const hed_code_def *def,
    const code_compiler *compiler, const hed_text *text, hed_binary *binary, hed_error *error)
{
    const code_files files = {memfd_create("heddle-c", MFD_CLOEXEC),
        memfd_create("heddle-code", MFD_CLOEXEC), memfd_create("heddle-log", MFD_CLOEXEC)};
    bool open = files.input >= 0 && files.output >= 0 && files.log >= 0 &&
                code_write(files.input, text->bytes, text->size) &&
                lseek(files.input, 0, SEEK_SET) == 0;
    hed_status status =
        open ? code_run(settings, def, compiler, &files, binary, error)
             : hed_fail(error, HED_ERROR_IO, "%s: no memory file for the C compiler: %s", def->name,
                   strerrordesc_np(errno));
    if (files.input >= 0) close(files.input);
    if (files.output >= 0) close(files.output);
    if (files.log >= 0) close(files.log);
    return status;
}

/* ---- loading ---- */

static hed_status code_load(hed_code *code, const hed_code_def *def, const hed_binary *binary,
    void **functions, hed_error *error)
{
    char reason[256] = "";
    const char *missing = NULL;
    code->file = memfd_create("heddle-code", MFD_CLOEXEC);
    if (code->file < 0 || !code_write(code->file, binary->bytes, binary->size))
        return hed_fail(error, HED_ERROR_IO, "%s: no memory file for machine code: %s", def->name,
            strerrordesc_np(errno));
    code->handle = hed_dynlib_open_code(
        code->file, def->symbols, functions, def->symbol_count, &missing, reason, sizeof reason);
    if (code->handle) return HED_OK;
    if (missing)
        return hed_fail(error, HED_ERROR_BUILD, "%s: the text defines no function %s()", def->name, missing);
    return hed_fail(error, HED_ERROR_BUILD, "%s: the machine code does not load: %s", def->name, reason);
}

/* Obtains the machine code: from the cache, else from the compiler. */
static hed_status code_obtain(hed_context *context, const hed_code_def *def,
    const code_compiler *compiler, hed_cache_entry *entry, hed_error *error)
{
    const hed_settings *settings = &context->settings;
    hed_text text = {.allocator = &settings->allocator},
             request = {.allocator = &settings->allocator};
    hed_status status = HED_OK;
    hed_error cause = {0};
    code_join(def, &text);
    code_request(def, compiler, &text, &request);
    if (text.failed || request.failed) status = HED_OUT_OF_MEMORY(error, "the text of %s", def->name);
    if (!status &&
        !hed_cache_load(settings, settings->cache_dir, request.bytes, request.size, entry)) {
        uint64_t start = settings->clock.now(settings->clock.user);
        status = code_compile(settings, def, compiler, &text, &entry->binary, error);
        entry->build_seconds = (double)(settings->clock.now(settings->clock.user) - start) * 1e-9;
        if (!status && settings->cache_dir[0] &&
            hed_cache_store(settings->cache_dir, request.bytes, request.size, entry, &cause))
            hed_log_message(&settings->logger, HED_LOG_WARNING, "machine code not kept: %s", cause.text);
    }
    hed_text_free(&text);
    hed_text_free(&request);
    return status;
}

hed_status hed_code_create(hed_context *context, const hed_code_def *def, void **functions,
    hed_code **code, hed_error *error)
{
    HED_REQUIRE(context, def, functions, code);
    *code = NULL;
    code_compiler compiler;
    if (def->option_count > MOST_WORDS)
        return hed_fail(error, HED_ERROR_LIMIT, "%s: %u options of the compiler; expected at most %d",
            def->name, def->option_count, MOST_WORDS);
    if (!code_find_compiler(&compiler)) return code_lacks_compiler(def, &compiler, error);
    const hed_allocator *allocator = &context->settings.allocator;
    hed_code *created = hed_allocate(allocator, sizeof *created);
    if (!created) return HED_OUT_OF_MEMORY(error, "%s", def->name);
    *created = (hed_code){.allocator = *allocator, .file = -1};
    hed_cache_entry entry = {{0}, 0};
    hed_status status = code_obtain(context, def, &compiler, &entry, error);
    if (!status) status = code_load(created, def, &entry.binary, functions, error);
    hed_binary_free(&context->settings, &entry.binary);
    if (status) hed_code_destroy(created);
    else *code = created;
    return status;
}

void hed_code_destroy(hed_code *code)
{
    if (!code) return;
    hed_allocator allocator = code->allocator;
    hed_dynlib_close_code(code->handle);
    if (code->file >= 0) close(code->file);
    hed_release(&allocator, code, sizeof *code);
}
