/* GLSL to SPIR-V: glslangValidator or glslc as a child process, which takes 0.1 s. A macro that the
 * text declares as a specialization constant is not defined, so that one module serves all its
 * values; the other macros are inserted after `#version`. */
#include "shader/glsl.h"

#include <ctype.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/path.h"

enum { MOST_OPTIONS = 32 };

/* ---- the text ---- */

static bool glsl_is_constant(const hed_glsl_def *def, const char *name)
{
    hed_glsl_constant constant;
    for (uint32_t i = 0; i < def->source_count; i++) {
        const char *text = def->sources[i].text;
        hed_glsl_scanner s = {text, text + hed_glsl_size(&def->sources[i]), text, ""};
        while (hed_glsl_next_constant(&s, &constant))
            if (strlen(name) == constant.length &&
                memcmp(name, constant.name, constant.length) == 0)
                return true;
    }
    return false;
}

/* Returns the offset after the line with `#version`, which must be the first line that is not a
 * comment; 0: there is no such line. */
static size_t glsl_after_version(const hed_source *source, unsigned *line)
{
    const char *at = source->text, *end = at + hed_glsl_size(source);
    for (*line = 1; at < end; ++*line) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        next = next ? next + 1 : end;
        while (at < next && isspace((unsigned char)*at)) at++;
        if (next - at > 8 && strncmp(at, "#version", 8) == 0) {
            ++*line;
            return (size_t)(next - source->text);
        }
        at = next;
    }
    *line = 1;
    return 0;
}

void hed_glsl_assemble(const hed_glsl_def *def, hed_text *text)
{
    const hed_source *first = &def->sources[0];
    unsigned line;
    size_t head = glsl_after_version(first, &line);
    if (head) hed_text_add_bytes(text, first->text, head);
    else hed_text_add(text, "#version 450");
    hed_text_add(text, "\n");
    for (uint32_t i = 0; i < def->define_count; i++)
        if (!glsl_is_constant(def, def->defines[i].name))
            hed_text_add_define(text, def->defines[i].name, def->defines[i].value);
    for (uint32_t i = 0; i < def->source_count; i++) {
        const hed_source *source = &def->sources[i];
        size_t from = i == 0 ? head : 0;
        hed_text_add(text, "\n#line %u %u\n", i == 0 ? line : 1, i);
        hed_text_add_bytes(text, source->text + from, hed_glsl_size(source) - from);
    }
    hed_text_add(text, "\n");
}

/* ---- logs ---- */

/* Adds the name of source number `number`: one of the sources, or a file that a `#line 1 NUMBER // NAME`
 * of the text names. Returns false for an unknown number. */
static bool add_source_name(const hed_glsl_def *def, unsigned number, hed_text *placed)
{
    char words[48];
    if (number < def->source_count) {
        hed_text_add(placed, "%s", def->sources[number].name);
        return true;
    }
    int length = snprintf(words, sizeof words, "#line 1 %u // ", number);
    for (uint32_t i = 0; i < def->source_count; i++) {
        const char *text = def->sources[i].text, *end = text + hed_glsl_size(&def->sources[i]),
                   *at = memmem(text, (size_t)(end - text), words, (size_t)length);
        if (!at) continue;
        at += length;
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        hed_text_add_bytes(placed, at, (size_t)((stop ? stop : end) - at));
        return true;
    }
    return false;
}

/* Adds the text of a line: a syntax error of glslangValidator does not name the unknown word. Of
 * several lines with its number the last one counts: lines put before a text have numbers, too. */
static void add_line(const hed_glsl_def *def, unsigned source, unsigned line, hed_text *placed)
{
    enum { LONGEST = 120 };
    const char *result = NULL, *result_end = NULL;
    for (uint32_t i = 0; i < def->source_count; i++) {
        const char *at = def->sources[i].text, *end = at + hed_glsl_size(&def->sources[i]);
        unsigned number = i, count = 1;
        while (at < end) {
            const char *newline = memchr(at, '\n', (size_t)(end - at)),
                       *stop = newline ? newline : end;
            char start[48];
            unsigned next, file = number;
            snprintf(start, sizeof start, "%.*s", stop - at < 47 ? (int)(stop - at) : 47, at);
            if (number == source && count == line) {
                result = at;
                result_end = stop;
            }
            count++;
            if (sscanf(start, "#line %u %u", &next, &file) > 0) {
                number = file + (next >> HED_GLSL_LINE_BITS);
                count = next & ((1u << HED_GLSL_LINE_BITS) - 1);
            }
            at = stop + 1;
        }
    }
    if (!result) return;
    while (result < result_end && (*result == ' ' || *result == '\t')) result++;
    size_t length = (size_t)(result_end - result);
    hed_text_add(placed, " in: ");
    hed_text_add_bytes(placed, result, length < LONGEST ? length : LONGEST);
}

void hed_glsl_place_log(const hed_glsl_def *def, const char *log, hed_text *placed)
{
    static const char syntax_error[] = "'' :  syntax error, unexpected IDENTIFIER";
    for (const char *next; *log; log = next) {
        size_t length = strcspn(log, "\n");
        const char *kind = strncmp(log, "ERROR: ", 7) == 0     ? "error: "
                           : strncmp(log, "WARNING: ", 9) == 0 ? "warning: "
                                                               : "";
        const char *at = log + (kind[0] ? strlen(kind) : 0);
        unsigned source = 0, line = 0;
        int used = 0;
        next = log + length + (log[length] == '\n');
        if (sscanf(at, "%u:%u: %n", &source, &line, &used) < 2 || !used)
            if (sscanf(at, "%u:%u(%*u): %n", &source, &line, &used) < 2 || !used)
                sscanf(at, "%u(%u) : %n", &source, &line, &used);
        source += line >> HED_GLSL_LINE_BITS;
        line &= (1u << HED_GLSL_LINE_BITS) - 1;
        if (used && used <= (int)length && add_source_name(def, source, placed)) {
            hed_text_add(placed, ":%u: %s%.*s", line, kind,
                (int)(length - (size_t)(at - log)) - used, at + used);
            if (!strncmp(at + used, syntax_error, sizeof syntax_error - 1))
                add_line(def, source, line, placed);
            hed_text_add(placed, "\n");
        } else if (strncmp(log, "stdin", length) != 0 || length == 0)
            hed_text_add(placed, "%.*s\n", (int)length, log);
    }
}

/* ---- the child process ---- */

/* Memory files: the compiler's input, its output under /proc/self/fd, and its messages. */
typedef struct glsl_files {
    int input, output, log;
} glsl_files;
enum { OUTPUT_NUMBER = 9 };

static void glsl_close(const glsl_files *files)
{
    if (files->input >= 0) close(files->input);
    if (files->output >= 0) close(files->output);
    if (files->log >= 0) close(files->log);
}

static bool glsl_open(glsl_files *files, const hed_text *text)
{
    *files = (glsl_files){memfd_create("heddle-glsl", MFD_CLOEXEC),
        memfd_create("heddle-spirv", MFD_CLOEXEC), memfd_create("heddle-log", MFD_CLOEXEC)};
    if (files->input < 0 || files->output < 0 || files->log < 0) return false;
    for (size_t done = 0; done < text->size;) {
        ssize_t wrote = write(files->input, text->bytes + done, text->size - done);
        if (wrote <= 0) return false;
        done += (size_t)wrote;
    }
    return lseek(files->input, 0, SEEK_SET) == 0;
}

static hed_status glsl_read_back(
    const hed_allocator *allocator, int file, char **bytes, size_t *size, hed_error *error)
{
    off_t length = lseek(file, 0, SEEK_END);
    if (length < 0 || length > 64 << 20) length = 0;
    *size = (size_t)length;
    *bytes = hed_allocate(allocator, *size + 1);
    if (!*bytes) return HED_OUT_OF_MEMORY(error, "the GLSL compiler's output");
    for (size_t done = 0; done < *size;) {
        ssize_t got = pread(file, *bytes + done, *size - done, (off_t)done);
        if (got <= 0) {
            memset(*bytes + done, 0, *size - done);
            break;
        }
        done += (size_t)got;
    }
    (*bytes)[*size] = 0;
    return HED_OK;
}

static int glsl_spawn(const hed_glsl_def *def, const char *compiler, const char *vulkan,
    const glsl_files *files, int *exit_status)
{
    const char *slash = strrchr(compiler, '/'), *name = slash ? slash + 1 : compiler;
    bool glslc = strncmp(name, "glslc", 5) == 0;
    char environment[40];
    snprintf(environment, sizeof environment, "--target-env=%s", def->opengl ? "opengl" : vulkan);
    const char *words[MOST_OPTIONS + 16] = {compiler};
    size_t count = 1;
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    if (glslc) {
        words[count++] = "-fshader-stage=compute";
        words[count++] = environment;
        if (def->opengl) words[count++] = "-fauto-bind-uniforms";
        if (def->opengl) words[count++] = "-fauto-map-locations";
    } else {
        words[count++] = "--stdin"; /* first, so that -S replaces the file's extension */
        words[count++] = def->opengl ? "-G" : "-V";
        words[count++] = "--target-env";
        words[count++] = def->opengl ? "opengl" : vulkan;
        if (def->opengl) words[count++] = "--auto-map-bindings";
        if (def->opengl) words[count++] = "--auto-map-locations";
        words[count++] = "-S";
        words[count++] = "comp";
    }
    for (uint32_t i = 0; i < def->option_count; i++) words[count++] = def->options[i];
    words[count++] = "-o";
    words[count++] = "/proc/self/fd/9";
    if (glslc) words[count++] = "-";
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed) return failed;
    posix_spawn_file_actions_adddup2(&actions, files->input, 0);
    posix_spawn_file_actions_adddup2(&actions, files->log, 1);
    posix_spawn_file_actions_adddup2(&actions, files->log, 2);
    posix_spawn_file_actions_adddup2(&actions, files->output, OUTPUT_NUMBER);
    failed =
        posix_spawnp(&child, compiler, &actions, NULL, (char *const *)(uintptr_t)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) return failed;
    while (waitpid(child, exit_status, 0) < 0)
        if (errno != EINTR) return errno;
    return 0;
}

static hed_status glsl_failed(
    const hed_glsl_def *def, const char *compiler, const char *log, hed_error *error)
{
    hed_text placed = {.allocator = &def->allocator};
    hed_fail(
        error, HED_ERROR_BUILD, "%s does not compile with %s: see the log", def->name, compiler);
    hed_glsl_place_log(def, log, &placed);
    hed_fail_log(error, placed.failed || !placed.size ? log : placed.bytes);
    hed_text_free(&placed);
    return HED_ERROR_BUILD;
}

/* Compiles for a version of Vulkan, as "vulkan1.1". */
static hed_status glsl_compile_for(const hed_glsl_def *def, const hed_text *text,
    const char *vulkan, void **words, size_t *size, hed_error *error)
{
    static const char *const usual[] = {"glslangValidator", "glslc"};
    const char *setting = def->compiler ? def->compiler : hed_environment("HEDDLE_GLSL_COMPILER");
    const char *compiler = setting ? setting : usual[0];
    const hed_allocator *allocator = &def->allocator;
    glsl_files files;
    int exit_status = 0;
    char *log = NULL, *made = NULL;
    size_t log_size = 0;
    hed_status status = HED_OK;
    *words = NULL;
    if (def->option_count > MOST_OPTIONS)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%s: %u options for the GLSL compiler; expected at most %d", def->name,
            def->option_count, MOST_OPTIONS);
    bool open = glsl_open(&files, text);
    int failed = open ? glsl_spawn(def, compiler, vulkan, &files, &exit_status) : errno;
    if (failed == ENOENT && !setting)
        failed = glsl_spawn(def, compiler = usual[1], vulkan, &files, &exit_status);
    if (!open || failed)
        status = hed_fail(error, HED_ERROR_IO,
            "%s: the GLSL compiler %s cannot be run: %s (Debian: apt install glslang-tools)",
            def->name, compiler, strerrordesc_np(failed));
    if (!status) status = glsl_read_back(allocator, files.log, &log, &log_size, error);
    if (!status && exit_status) status = glsl_failed(def, compiler, log, error);
    if (!status) status = glsl_read_back(allocator, files.output, &made, size, error);
    if (log) hed_release(allocator, log, log_size + 1);
    glsl_close(&files);
    *words = made;
    return status;
}

hed_status hed_glsl_compile_text(
    const hed_glsl_def *def, const hed_text *text, void **words, size_t *size, hed_error *error)
{
    /* features of SPIR-V 1.4 and 1.5; every text has the older version that can express it */
    static const char *const newer[] = {
        "argument must be compile-time constant", "targeted SPIR-V version"};
    hed_status status = glsl_compile_for(def, text, "vulkan1.1", words, size, error);
    bool is_newer = false;
    for (size_t i = 0; status == HED_ERROR_BUILD && i < sizeof newer / sizeof *newer; i++)
        is_newer = is_newer || strstr(error->log, newer[i]);
    if (!is_newer || def->opengl) return status;
    hed_error_clear(error);
    return glsl_compile_for(def, text, "vulkan1.2", words, size, error);
}

hed_status hed_shader_compile_glsl(
    const hed_glsl_def *def, void **words, size_t *size, hed_error *error)
{
    HED_REQUIRE(def, words, size);
    hed_glsl_def settled = *def;
    if (!settled.allocator.allocate) settled.allocator = hed_default_allocator();
    hed_text text = {.allocator = &settled.allocator};
    hed_glsl_assemble(&settled, &text);
    hed_status status = text.failed ? HED_OUT_OF_MEMORY(error, "the text of %s", def->name)
                                    : hed_glsl_compile_text(&settled, &text, words, size, error);
    hed_text_free(&text);
    return status;
}
