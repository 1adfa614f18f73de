/* Host code in texts in CUDA C: main(), launches by <<<>>>, wrappers around the runtime's API. nvcc
 * compiles it for the processor; NVRTC compiles everything for the device, so functions, classes
 * and declarations that only the host can use are blanked out, line by line. Others without
 * __device__ and __global__ stay: NVRTC takes them as device code.
 *
 * Texture references, which CUDA 12 removed, are refused by name. */
#include "tunefile/spec.h"

#include <ctype.h>
#include <string.h>

enum { MOST_DROPPED = 256, LONGEST_NAME = 96 };

/* A definition at the level of namespaces. */
typedef struct definition {
    const char *begin, *body, *end; /* body: its opening brace */
} definition;

typedef struct host_code {
    hed_spec_reader *reader;
    hed_json_node node;
    char *text;
    char names[MOST_DROPPED][LONGEST_NAME]; /* functions that were removed */
    char classes[MOST_DROPPED]
                [LONGEST_NAME]; /* removed classes, even if another class has the name */
    uint32_t count, class_count;
    bool has_changed;
} host_code;

static bool is_word_letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* End of a comment, a string or a directive that begins at `at`; `at`: it is code. */
static const char *skip_inert(const char *text, const char *at)
{
    if (at[0] == '/' && at[1] == '/') return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (*at == '"' || *at == '\'') {
        const char *end = at + 1;
        while (*end && *end != *at && *end != '\n') end += end[0] == '\\' && end[1] ? 2 : 1;
        return *end ? end + 1 : end;
    }
    const char *line = at;
    while (*at == '#' && line > text && (line[-1] == ' ' || line[-1] == '\t')) line--;
    if (*at != '#' || (line > text && line[-1] != '\n')) return at;
    while (*at && *at != '\n') at += at[0] == '\\' && at[1] ? 2 : 1;
    return at;
}

/* The position after the brace or parenthesis that closes the one at `at`. */
static const char *skip_block(const char *text, const char *at, char open, char close)
{
    int depth = 0;
    while (*at) {
        const char *end = skip_inert(text, at);
        depth += end == at && *at == open;
        depth -= end == at && *at == close;
        at = end == at ? at + 1 : end;
        if (depth == 0) return at;
    }
    return at;
}

/* True if a word that begins like the host's API is of the device: texture and surface objects, and
 * the functions that kernels call. */
static bool is_of_device(const char *word)
{
    static const char *const names[] = {"cudaTextureObject_t", "cudaSurfaceObject_t",
        "cudaBoundaryMode", "cudaGridDependencySynchronize",
        "cudaTriggerProgrammaticLaunchCompletion", "cudaGetParameterBuffer"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(word, names[i], strlen(names[i])) == 0) return true;
    return false;
}

/* Finds a word in a range, outside of comments and strings; a word that ends with * is the
 * beginning of one that continues with a capital letter; one that begins with * is the end of a
 * word. */
static bool has_word(const char *text, const char *from, const char *to, const char *word)
{
    bool ends = word[0] == '*';
    word += ends;
    size_t length = strlen(word);
    bool begins = word[length - 1] == '*', is_name = is_word_letter(word[0]);
    length -= begins;
    while (from < to) {
        const char *end = skip_inert(text, from);
        if (end > from) {
            from = end;
            continue;
        }
        bool fits = strncmp(from, word, length) == 0 &&
                    !(is_name && !ends && from > text && is_word_letter(from[-1]));
        char next = fits ? from[length] : 0;
        if (fits && (begins ? isupper((unsigned char)next) && !is_of_device(from)
                            : !is_name || !is_word_letter(next)))
            return true;
        from++;
    }
    return false;
}

/* Copies the word that ends at `last`. */
static void copy_word(const char *begin, const char *last, char name[LONGEST_NAME])
{
    while (last > begin && isspace((unsigned char)last[-1])) last--;
    const char *first = last;
    while (first > begin && is_word_letter(first[-1])) first--;
    size_t length = (size_t)(last - first);
    if (length >= LONGEST_NAME) length = LONGEST_NAME - 1;
    memcpy(name, first, length);
    name[length] = 0;
}

/* Name of the class that a head declares, "" without a class: the word after `struct` or `class`
 * outside of a template's parameters. */
static void class_name(const definition *d, char name[LONGEST_NAME])
{
    static const char *const kinds[] = {"struct", "class"};
    const char *last = NULL;
    int depth = 0;
    name[0] = 0;
    for (const char *at = d->begin; at < d->body; at++) {
        depth += (*at == '<') - (*at == '>');
        bool is_first = at == d->begin || !is_word_letter(at[-1]);
        if (depth == 0 && is_first && !last && strncmp(at, "enum", 4) == 0) return;
        for (size_t i = 0; i < 2 && depth == 0 && is_first && !last; i++) {
            size_t length = strlen(kinds[i]);
            if (strncmp(at, kinds[i], length) == 0 && isspace((unsigned char)at[length]))
                last = at + length;
        }
        bool is_end = last && at > last && depth == (*at == '<') && (*at == ':' || *at == '<');
        if (is_end || (last && at + 1 == d->body)) {
            copy_word(last, *at == ':' || *at == '<' ? at : d->body, name);
            return;
        }
    }
}

/* Name of the function that a head declares: the word before its first parenthesis; "" of an
 * operator. */
static void function_name(const definition *d, char name[LONGEST_NAME])
{
    const char *open = d->begin;
    while (open < d->body && *open != '(') {
        const char *end = skip_inert(d->begin, open);
        bool is_attribute = strncmp(open, "__launch_bounds__", 17) == 0;
        const char *parameters = is_attribute ? strchr(open, '(') : NULL;
        if (parameters) open = skip_block(d->begin, parameters, '(', ')');
        else open = end > open ? end : open + 1;
    }
    copy_word(d->begin, open, name);
}

/* True if a definition has parameters before its body. */
static bool is_function(const definition *d)
{
    static const char *const last_words[] = {"const", "noexcept"};
    const char *end = d->body;
    for (size_t i = 0; i <= sizeof last_words / sizeof *last_words; i++) {
        while (end > d->begin && isspace((unsigned char)end[-1])) end--;
        size_t length = i ? strlen(last_words[i - 1]) : 0;
        if (length && (size_t)(end - d->begin) > length &&
            strncmp(end - length, last_words[i - 1], length) == 0)
            end -= length;
    }
    while (end > d->begin && isspace((unsigned char)end[-1])) end--;
    return end > d->begin && end[-1] == ')';
}

/* True if a range has a word by which code is known to be the host's alone. */
static bool has_mark(const host_code *host, const char *from, const char *to)
{
    static const char *const marks[] = {"<<<", "cuda*", "cublas*", "curandCreate*", "checkCuda*",
        "cudnn*", "cufft*", "cusparse*", "cusolver*", "nccl*", "nvtx*", "MPI_*", "std::cout",
        "std::cerr", "std::vector", "std::string", "std::chrono", "std::unique_ptr",
        "std::function", "std::mt19937", "std::ostream", "std::exception", "fprintf", "stderr",
        "exit", "fopen", "getenv", "rand", "srand", "gettimeofday", "timeval"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (has_word(host->text, from, to, marks[i])) return true;
    return false;
}

/* True if a range has a word by which code is known to be for a device; macros have names such as
 * CUTLASS_HOST_DEVICE. */
static bool is_for_device(const host_code *host, const char *from, const char *to)
{
    static const char *const words[] = {
        "__device__", "__global__", "*DEVICE", "*DEVICE_INLINE", "constexpr"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_word(host->text, from, to, words[i])) return true;
    return false;
}

/* True if a range has the name of a definition that was removed. */
static bool uses_removed(const host_code *host, const char *from, const char *to)
{
    for (uint32_t i = 0; i < host->count; i++)
        if (has_word(host->text, from, to, host->names[i])) return true;
    return false;
}

/* True if a definition is a function or a class that only the host can use; its name. */
static bool is_host_code(const host_code *host, const definition *d, char name[LONGEST_NAME])
{
    if (!is_function(d)) {
        class_name(d, name);
        if (name[0] && has_word(host->text, d->body, d->end, "<<<")) return true;
        for (uint32_t i = 0; i < host->class_count; i++) /* specializations of a removed class */
            if (strcmp(host->classes[i], name) == 0 && has_mark(host, d->body, d->end)) return true;
        const char *end = name[0] ? d->end : d->body; /* a variable is judged by its type */
        return !is_for_device(host, d->begin, end) && has_mark(host, d->begin, end);
    }
    if (is_for_device(host, d->begin, d->body)) return false;
    function_name(d, name);
    return strcmp(name, "main") == 0 || has_word(host->text, d->begin, d->body, "__host__") ||
           has_mark(host, d->begin, d->end) || uses_removed(host, d->body, d->end);
}

/* True if a text still has a class of this name, as in another namespace. */
static bool is_class_left(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length) {
        const char *before = at;
        if (is_word_letter(at[length]) || at - text < 7) continue;
        while (before > text && isspace((unsigned char)before[-1])) before--;
        if (before < at &&
            (strncmp(before - 5, "class", 5) == 0 || strncmp(before - 6, "struct", 6) == 0))
            return true;
    }
    return false;
}

/* Blanks out a range, and lists the name that it defined ("" for no name). */
static void remove_code(host_code *host, const char *begin, const char *end, const char *name)
{
    for (char *at = host->text + (begin - host->text); at < end; at++)
        if (*at != '\n') *at = ' ';
    host->has_changed = true;
    if (!name[0] || host->count == MOST_DROPPED || is_class_left(host->text, name)) return;
    memcpy(host->names[host->count++], name, LONGEST_NAME);
}

/* Refuses `texture<...> NAME`. */
static void refuse_texture(const host_code *host, const char *begin, const char *end)
{
    const char *last = end;
    while (last > begin && !is_word_letter(last[-1])) last--;
    const char *first = last;
    while (first > begin && is_word_letter(first[-1])) first--;
    hed_json_reject(host->node,
        "\"%.*s\" is a texture reference, which CUDA 12 removed; read an array instead, or pass a "
        "texture object in a program of your own",
        (int)(last - first), first);
}

/* Finds the definitions at the level of namespaces, and removes host code. */
static void walk_definitions(host_code *host)
{
    const char *at = host->text, *begin = NULL;
    while (*at && hed_spec_fine(host->reader)) {
        const char *inert = skip_inert(host->text, at);
        bool is_linkage = inert > at && *at == '"'; /* extern "C" */
        if (inert > at && !is_linkage) {
            at = inert;
            continue;
        }
        if (is_linkage) {
            at = inert;
        } else if (*at == '{') {
            definition d = {begin ? begin : at, at, skip_block(host->text, at, '{', '}')};
            const char *first = memchr(d.begin, '(', (size_t)(at - d.begin));
            bool opens = !first && (has_word(host->text, d.begin, at, "namespace") ||
                                       has_word(host->text, d.begin, at, "extern"));
            char name[LONGEST_NAME];
            bool is_removed = !opens && is_host_code(host, &d, name);
            if (is_removed && name[0] && !is_function(&d) && host->class_count < MOST_DROPPED)
                memcpy(host->classes[host->class_count++], name, LONGEST_NAME);
            if (is_removed) remove_code(host, d.begin, d.end, name);
            at = opens ? at + 1 : d.end;
            begin = NULL;
        } else if (*at == ';' || *at == '}') {
            if (begin && strncmp(begin, "texture<", 8) == 0) refuse_texture(host, begin, at);
            else if (begin && !is_for_device(host, begin, at) &&
                     (has_mark(host, begin, at) || uses_removed(host, begin, at)))
                remove_code(host, begin, at, "");
            begin = NULL;
            at++;
        } else if (*at == '(') {
            at = skip_block(host->text, at, '(', ')');
        } else {
            if (!begin && !isspace((unsigned char)*at)) begin = at;
            at++;
        }
    }
}

void hed_spec_drop_host_code(hed_spec_reader *reader, hed_json_node node, hed_source *source)
{
    size_t size = strlen(source->text);
    if (source->size > 0 && source->size != size) return; /* not a text */
    host_code *host = hed_spec_allocate(reader, sizeof *host, node);
    char *text = hed_spec_allocate(reader, size + 1, node);
    if (!host || !text) return;
    memcpy(text, source->text, size + 1);
    *host = (host_code){.reader = reader, .node = node, .text = text};
    do { /* functions that call a removed one are host code, too */
        host->has_changed = false;
        walk_definitions(host);
    } while (host->has_changed && hed_spec_fine(reader));
    source->text = text;
    source->size = 0;
}
