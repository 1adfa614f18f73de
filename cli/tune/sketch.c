/* `heddle tune` of a kernel's text without a tune file: a first description of its kernel, made from
 * the parameters in the text, for its author to complete. */
#include "tune_command.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/exit.h"
#include "support/file.h"

enum {
    MOST_PARAMETERS = 64,
    MOST_MACROS = 8,
    MOST_ALIASES = 16,
    ALIAS_WORDS = 5,
    LARGEST_TEXT = 16 << 20
};

/* A parameter of the kernel. */
typedef struct parameter {
    const char *words; /* declaration in the text, up to `end` */
    const char *end;
    const char *name;
    int length;
    const char *type; /* element type, as tune files name it */
    uint32_t lanes;   /* elements of that type in one of the text's */
    bool is_pointer, is_local, is_const;
    bool is_unknown; /* the text alone does not show the type's size */
    bool is_shared;  /* dynamic shared memory of CUDA C, which the kernel's list lacks */
} parameter;

/* A macro with a whole number as its default: #ifndef NAME, #define NAME 128. */
typedef struct macro {
    char name[64];
    int value;
    bool sizes_group; /* the name is one of a group's size */
} macro;

/* A word of a type, and the type as tune files name it, with its elements in one of the word's. */
typedef struct type_word {
    const char *word, *type;
    uint32_t lanes;
} type_word;

/* A name that the text gives to a type: #define REAL float, typedef float real. */
typedef struct alias {
    char name[64];
    const type_word *type;
} alias;

/* Words of types; of several in a declaration the first row counts. */
static const type_word types[] = {{"char", "bytes", 1}, {"short", "bytes", 2},
    {"float", "float", 1}, {"double", "double", 1}, {"ulong", "ulong", 1}, {"long", "long", 1},
    {"uint", "uint", 1}, {"unsigned", "uint", 1}, {"uint32_t", "uint", 1}, {"size_t", "ulong", 1},
    {"uint64_t", "ulong", 1}, {"int64_t", "long", 1}, {"int32_t", "int", 1}, {"int", "int", 1},
    {"uchar", "bytes", 1}, {"ushort", "bytes", 2}, {"half", "bytes", 2}, {"__half", "bytes", 2},
    {"__nv_bfloat16", "bytes", 2}, {"__nv_bfloat162", "bytes", 4}, {"int8_t", "bytes", 1},
    {"uint8_t", "bytes", 1}, {"int16_t", "bytes", 2}, {"uint16_t", "bytes", 2},
    {"bool", "bytes", 1}};

enum { UNKNOWN_BYTES = 16 }; /* size of an element of unknown type */

/* The kernel of a text. */
typedef struct sketch {
    alias aliases[MOST_ALIASES];
    uint32_t alias_count;
    macro macros[MOST_MACROS];
    uint32_t macro_count;
    char *text; /* blanks replace comments and lines of the preprocessor */
    const char *name;
    int length;
    char arguments[256]; /* arguments of the template, as in <float>; "": no template */
    const char *body, *body_end;
    parameter parameters[MOST_PARAMETERS];
    uint32_t count;
    uint32_t dimension_count;
    const parameter *sizes[2]; /* parameter with the size of a dimension, or NULL */
    int groups[2];             /* sizes that the text requires; 0: any size */
    bool is_cuda;
} sketch;

bool cli_is_kernel_text(const char *path)
{
    const char *end = strrchr(path, '.');
    return end && (!strcmp(end, ".cl") || !strcmp(end, ".cu") || !strcmp(end, ".cuh") ||
                      !strcmp(end, ".hip"));
}

/* ---- words ---- */

static bool sketch_letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Replaces comments and lines of the preprocessor by blanks. */
static void sketch_blank(char *text)
{
    bool at_line = true;
    for (char *at = text; *at;) {
        char *end = at;
        if (at[0] == '/' && at[1] == '/') end += strcspn(at, "\n");
        else if (at[0] == '/' && at[1] == '*')
            end = strstr(at + 2, "*/") ? strstr(at + 2, "*/") + 2 : at + strlen(at);
        else if (*at == '#' && at_line)
            while (*end && *end != '\n') end += *end == '\\' && end[1] ? 2 : 1;
        at_line = *at == '\n' || (at_line && (isspace((unsigned char)*at) || end > at));
        if (end == at) at++;
        for (; at < end; at++)
            if (*at != '\n') *at = ' ';
    }
}

/* Finds a word in a range; NULL: not there. */
static const char *sketch_find(const char *from, const char *end, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = from; (at = memmem(at, (size_t)(end - at), word, length)); at += length)
        if (!sketch_letter(at[length]) && (at == from || !sketch_letter(at[-1]))) return at;
    return NULL;
}

/* True if a name contains a word for the size of a group. */
static bool sketch_sizes_group(const char *name)
{
    static const char *const words[] = {"block", "group", "thread", "local", "wg"};
    bool has_word = false;
    for (size_t i = 0; i < HED_COUNT(words); i++) has_word = has_word || strcasestr(name, words[i]);
    return has_word && !strcasestr(name, "per_") && !strcasestr(name, "tile");
}

static bool sketch_has(const parameter *p, const char *word)
{
    return sketch_find(p->words, p->end, word) != NULL;
}

/* ---- macros ---- */

/* Reads the macros that a program may define, which have defaults in the text: they are its
 * parameters. */
static void sketch_macros(sketch *s)
{
    for (const char *at = s->text; (at = strstr(at, "#ifndef")) && s->macro_count < MOST_MACROS;
         at++) {
        macro m = {0};
        char defined[sizeof m.name];
        int end = 0;
        if (sscanf(at, "#ifndef %63[A-Za-z0-9_] # define %63[A-Za-z0-9_] %d%n", m.name, defined,
                &m.value, &end) != 3 ||
            strcmp(m.name, defined) || m.value < 1 || m.value > 1024)
            continue;
        /* neither 3.14 nor 4 * 8 is the whole number at its beginning */
        end += (int)strspn(at + end, "uU");
        end += (int)strspn(at + end, " \t\r");
        if (!strchr("\n", at[end]) && strncmp(at + end, "//", 2) && strncmp(at + end, "/*", 2))
            continue;
        m.sizes_group = sketch_sizes_group(m.name);
        s->macros[s->macro_count++] = m;
    }
}

/* Reads a line that gives a name to a type; several words, as in `unsigned int`, may be the type.
 * Stores the words, of which the last one is a typedef's name and the first one a macro's. Returns their
 * number; 0: another line. */
static uint32_t sketch_definition(const char *line, char words[ALIAS_WORDS][64], bool *is_macro)
{
    char text[512];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n;"), line);
    int begin = 0;
    sscanf(text, " # define %n", &begin);
    *is_macro = begin > 0;
    if (!begin) sscanf(text, " typedef %n", &begin);
    uint32_t count = 0;
    for (int length = 0; begin && count < ALIAS_WORDS; begin += length) {
        if (sscanf(text + begin, "%63[A-Za-z0-9_] %n", words[count], &length) != 1) break;
        count++;
    }
    return count;
}

/* Reads the names that the text gives to types; of several definitions of a name the first one
 * counts. */
static void sketch_aliases(sketch *s)
{
    for (const char *at = s->text; *at && s->alias_count < MOST_ALIASES;
         at += strcspn(at, "\n"), at += *at == '\n') {
        char words[ALIAS_WORDS][64];
        bool is_macro, is_found = false;
        uint32_t count = sketch_definition(at, words, &is_macro), name = is_macro ? 0 : count - 1;
        for (size_t i = 0; count > 1 && !is_found && i < HED_COUNT(types); i++)
            for (uint32_t k = 0; k < count && !is_found; k++) {
                if (k == name || strcmp(types[i].word, words[k])) continue;
                alias *named = &s->aliases[s->alias_count++];
                snprintf(named->name, sizeof named->name, "%s", words[name]);
                named->type = &types[i];
                is_found = true;
            }
    }
}

/* The macro that sizes a dimension of the group, the first or second with such a name; NULL if the
 * text lacks it. */
static const macro *sketch_group(const sketch *s, uint32_t dimension)
{
    for (uint32_t i = 0; i < s->macro_count; i++)
        if (s->macros[i].sizes_group && dimension-- == 0) return &s->macros[i];
    return NULL;
}

static const char *sketch_group_name(const sketch *s, uint32_t dimension)
{
    const macro *m = sketch_group(s, dimension);
    return m ? m->name : dimension == 0 ? "WG" : "WG_Y";
}

/* Writes powers of two around a default, and the default. */
static void sketch_write_range(FILE *to, const char *name, int value, int smallest, int largest)
{
    bool is_first = true;
    fprintf(to, "\"%s\": [", name);
    for (int power = 1; power <= 1024; power *= 2) {
        if (value > power / 2 && value < power && value >= smallest) {
            fprintf(to, "%s%d", is_first ? "" : ", ", value);
            is_first = false;
        }
        if ((power < smallest || power > largest) && power != value) continue;
        fprintf(to, "%s%d", is_first ? "" : ", ", power);
        is_first = false;
    }
    fputc(']', to);
}

/* Writes parameters and their defaults: the group's sizes, then the macros of the text. */
static void sketch_write_parameters(FILE *to, const sketch *s)
{
    bool is_flat = s->dimension_count == 1;
    fputs("  \"parameters\": {", to);
    for (uint32_t i = 0; i < s->dimension_count; i++) {
        const macro *m = sketch_group(s, i);
        int smallest = is_flat ? 32 : i == 0 ? 8 : 1, largest = is_flat ? 256 : i == 0 ? 64 : 16;
        fputs(i ? ", " : "", to);
        if (s->groups[i]) fprintf(to, "\"%s\": [%d]", sketch_group_name(s, i), s->groups[i]);
        else
            sketch_write_range(
                to, sketch_group_name(s, i), m ? m->value : smallest, smallest, largest);
    }
    for (uint32_t i = 0; i < s->macro_count; i++) {
        const macro *m = &s->macros[i];
        if (m == sketch_group(s, 0) || (!is_flat && m == sketch_group(s, 1))) continue;
        fputs(", ", to);
        sketch_write_range(to, m->name, m->value, m->value > 4 ? m->value / 4 : 1, m->value * 4);
    }
    fputs("},\n", to);
    for (uint32_t i = 0; i < s->macro_count; i++)
        fprintf(to, "%s\"%s\": %d%s", i ? ", " : "  \"defaults\": {", s->macros[i].name,
            s->macros[i].value, i + 1 < s->macro_count ? "" : "},\n");
    fprintf(to, "  \"group\": [\"%s\"", sketch_group_name(s, 0));
    if (!is_flat) fprintf(to, ", \"%s\"", sketch_group_name(s, 1));
    fputs("],\n", to);
}

/* ---- the kernel ---- */

static void sketch_parameter(sketch *s, const char *begin, const char *end)
{
    const char *assigned = memchr(begin, '=', (size_t)(end - begin));
    if (assigned) end = assigned; /* a default */
    const char *bracket = memchr(begin, '[', (size_t)(end - begin)),
               *last = bracket ? bracket : end;
    while (last > begin && !sketch_letter(last[-1])) last--;
    const char *first = last;
    while (first > begin && sketch_letter(first[-1])) first--;
    if (first == last || s->count == MOST_PARAMETERS) return;
    parameter *p = &s->parameters[s->count];
    *p = (parameter){.words = begin, .end = first, .name = first, .length = (int)(last - first)};
    if (first == begin) return; /* (void) */
    s->count++;
    p->is_pointer = bracket || memchr(begin, '*', (size_t)(end - begin));
    p->is_local = sketch_has(p, "__local") || sketch_has(p, "local") || sketch_has(p, "HED_LOCAL");
    /* `float *const x` may be written: a const behind the last * is the pointer's */
    const char *star = memrchr(begin, '*', (size_t)(first - begin));
    const parameter element = {.words = begin, .end = star ? star : first};
    p->is_const = sketch_has(&element, "const") || sketch_has(&element, "__constant") ||
                  sketch_has(&element, "constant");
    /* read the type of an element */
    static const char *const lanes[] = {"2", "3", "4", "8", "16"};
    const type_word *row = NULL;
    uint32_t width = 1;
    for (uint32_t i = s->alias_count; i-- > 0;)
        if (sketch_has(p, s->aliases[i].name)) row = s->aliases[i].type;
    for (size_t i = HED_COUNT(types); i-- > 0;) {
        char vector[32];
        if (sketch_has(p, types[i].word)) row = &types[i];
        for (size_t k = 0; k < HED_COUNT(lanes); k++) {
            snprintf(vector, sizeof vector, "%s%s", types[i].word, lanes[k]);
            if (!sketch_has(p, vector)) continue;
            row = &types[i];
            width = (uint32_t)atoi(lanes[k]);
        }
    }
    if (width == 3 && !s->is_cuda) width = 4; /* OpenCL stores three as four */
    p->is_unknown = !row;
    p->type = row ? row->type : "bytes";
    p->lanes = row ? row->lanes * width : UNKNOWN_BYTES;
}

/* Reads a parameter of the kernel's template, and adds its argument: a type is float, and a number
 * becomes a macro, whose name differs from the template's. */
static void sketch_template_parameter(sketch *s, const char *begin, const char *end)
{
    const char *assigned = memchr(begin, '=', (size_t)(end - begin));
    int value = assigned ? atoi(assigned + 1) : 0;
    parameter p = {.words = begin, .end = assigned ? assigned : end};
    const char *last = p.end;
    while (last > begin && !sketch_letter(last[-1])) last--;
    const char *first = last;
    while (first > begin && sketch_letter(first[-1])) first--;
    char name[sizeof s->macros->name], text[sizeof name] = "float";
    snprintf(name, sizeof name, "%.*s", (int)(last - first), first);
    bool is_number = sketch_has(&p, "int") || sketch_has(&p, "unsigned") ||
                     sketch_has(&p, "uint") || sketch_has(&p, "size_t");
    if (sketch_has(&p, "typename") || sketch_has(&p, "class")) {
        if (s->alias_count < MOST_ALIASES) {
            alias *named = &s->aliases[s->alias_count++];
            snprintf(named->name, sizeof named->name, "%s", name);
            for (size_t i = 0; i < HED_COUNT(types); i++)
                if (!strcmp(types[i].word, "float")) named->type = &types[i];
        }
    } else if (is_number && s->macro_count < MOST_MACROS) {
        macro *m = &s->macros[s->macro_count++];
        snprintf(m->name, sizeof m->name, "TEMPLATE_%.50s", name);
        m->value = value > 0 && value <= 1024 ? value : 16;
        m->sizes_group = sketch_sizes_group(name);
        snprintf(text, sizeof text, "%s", m->name);
    } else if (sketch_has(&p, "bool")) {
        snprintf(text, sizeof text, "false");
    } else {
        while (begin < first && isspace((unsigned char)*begin)) begin++;
        while (first > begin && isspace((unsigned char)first[-1])) first--;
        snprintf(text, sizeof text, "(%.*s)0", (int)(first - begin), begin);
    }
    size_t used = strlen(s->arguments);
    snprintf(s->arguments + used, sizeof s->arguments - used, "%s%s", used ? ", " : "<", text);
}

/* Reads the template of the kernel at `mark`, if it is one. */
static void sketch_template(sketch *s, const char *mark)
{
    const char *from = mark;
    while (from > s->text && !strchr(";{}", from[-1])) from--;
    const char *word = sketch_find(from, mark, "template");
    const char *begin = word ? memchr(word, '<', (size_t)(mark - word)) : NULL;
    if (!begin) return;
    int depth = 1;
    for (const char *at = ++begin; at < mark && depth; at++) {
        depth += (*at == '<' || *at == '(') - (*at == '>' || *at == ')');
        if (depth && (depth > 1 || *at != ',')) continue;
        if (at > begin) sketch_template_parameter(s, begin, at);
        begin = at + 1;
    }
    size_t used = strlen(s->arguments);
    if (used && used + 1 < sizeof s->arguments) strcpy(s->arguments + used, ">");
}

/* Reads the sizes of the group that attributes require: numbers, or macros of the text. */
static void sketch_required_group(
    sketch *s, const char *from, const char *end, const char *original)
{
    const char *at = sketch_find(from, end, "reqd_work_group_size");
    char words[2][64];
    if (!at || sscanf(at, "reqd_work_group_size ( %63[A-Za-z0-9_] , %63[A-Za-z0-9_]", words[0],
                   words[1]) != 2)
        return;
    for (int i = 0; i < 2; i++) {
        s->groups[i] = atoi(words[i]);
        bool is_macro = false;
        for (uint32_t k = 0; k < s->macro_count; k++)
            if (!strcmp(s->macros[k].name, words[i])) is_macro = s->macros[k].sizes_group = true;
        for (const char *line = original; !is_macro && (line = strstr(line, "define")); line++) {
            char name[64];
            int value;
            if (sscanf(line, "define %63[A-Za-z0-9_] %d", name, &value) == 2 &&
                !strcmp(name, words[i]))
                s->groups[i] = value;
        }
        if (s->groups[i] < 0 || s->groups[i] > 1024) s->groups[i] = 0;
    }
}

/* Reads name and parameters of the first kernel that `entry` (nullable) allows. */
static bool sketch_kernel(sketch *s, const char *entry, const char *original)
{
    const char *end = s->text + strlen(s->text), *at = s->text;
    static const char *const marks[] = {"__kernel", "kernel", "__global__"};
    while (at < end) {
        const char *mark = NULL;
        for (size_t i = 0; i < HED_COUNT(marks); i++) {
            const char *word = sketch_find(at, end, marks[i]);
            if (word && (!mark || word < mark)) mark = word;
        }
        if (!mark) return false;
        at = mark + strcspn(mark, " \t\r\n");
        /* attributes have parentheses, too: the list is the last one before the body */
        const char *body = at + strcspn(at, "{;"), *close = body;
        while (close > at && *close != ')') close--;
        const char *open = close;
        int depth = 0;
        for (; open > at; open--) {
            depth += (*open == ')') - (*open == '(');
            if (depth == 0) break;
        }
        const char *last = open;
        while (last > at && isspace((unsigned char)last[-1])) last--;
        const char *first = last;
        while (first > at && sketch_letter(first[-1])) first--;
        s->name = first;
        s->length = (int)(last - first);
        at = body;
        if (!s->length || *open != '(' ||
            (entry &&
                (strlen(entry) != (size_t)s->length || strncmp(entry, first, (size_t)s->length))))
            continue;
        sketch_template(s, mark);
        sketch_required_group(s, mark, open, original);
        const char *from = open + 1;
        for (const char *comma = from; comma <= close; comma++) {
            depth += (*comma == '(') - (*comma == ')');
            if (comma < close && (depth || *comma != ',')) continue;
            sketch_parameter(s, from, comma);
            from = comma + 1;
        }
        s->body = body;
        s->body_end = body;
        depth = 0;
        do depth += (*s->body_end == '{') - (*s->body_end == '}');
        while (*s->body_end && depth && *++s->body_end);
        return true;
    }
    return false;
}

/* True if a place in the text belongs to a kernel: to its list or its body. */
static bool sketch_in_kernel(const sketch *s, const char *place)
{
    const char *mark = NULL;
    for (const char *at = s->text; (at = sketch_find(at, place, "__global__")); at++) mark = at;
    int depth = 0;
    bool has_begun = false;
    for (const char *at = mark; at && at < place; at++) {
        depth += (*at == '{') - (*at == '}');
        has_begun = has_begun || *at == '{';
        /* a body that ended, or a declaration without one */
        if (has_begun ? !depth : *at == ';') return false;
    }
    return has_begun;
}

/* Adds the dynamic shared memory of CUDA C as the last argument, if the kernel or a function
 * that is no kernel declares some: a launch without its size writes outside it. */
static void sketch_shared(sketch *s)
{
    const char *end = s->text + strlen(s->text);
    for (const char *at = s->text; (at = sketch_find(at, end, "extern")); at++) {
        const char *stop = at + strcspn(at, ";{");
        if (!sketch_find(at, stop, "__shared__")) continue;
        if ((at < s->body || at >= s->body_end) && sketch_in_kernel(s, at)) continue;
        uint32_t count = s->count;
        sketch_parameter(s, at, stop);
        if (s->count == count) return;
        s->parameters[count].is_local = s->parameters[count].is_shared = true;
        return;
    }
}

/* ---- the description ---- */

/* Writes the name of a dimension. */
static void sketch_write_size(FILE *to, const sketch *s, uint32_t dimension)
{
    static const char *const names[] = {"width", "height"};
    const parameter *p = s->sizes[dimension];
    if (p) fprintf(to, "%.*s", p->length, p->name);
    else fputs(s->dimension_count == 1 ? "n" : names[dimension], to);
}

/* True if a tune file can set the parameter by "value". */
static bool sketch_is_number(const parameter *p)
{
    return !p->is_pointer && p->lanes == 1 && p->type[0] != 'b';
}

/* True if a name says that elements are skipped: it is no size of the problem. */
static bool sketch_is_offset(const parameter *p) { return !strncasecmp(p->name, "off", 3); }

static void sketch_write_argument(FILE *to, const sketch *s, const parameter *p)
{
    bool is_real = p->type[0] == 'f' || p->type[0] == 'd', is_size = false;
    fprintf(to, "    {\"name\": \"%.*s\", ", p->length, p->name);
    for (uint32_t i = 0; i < s->dimension_count; i++) is_size = is_size || s->sizes[i] == p;
    if (p->is_local) {
        fprintf(to, "\"kind\": \"local\", \"type\": \"%s\", \"size\": \"", p->type);
        if (p->lanes > 1) fprintf(to, "%u * ", (unsigned)p->lanes);
        fputs(sketch_group_name(s, 0), to);
        if (s->dimension_count > 1) fprintf(to, " * %s", sketch_group_name(s, 1));
        fputs("\"}", to);
    } else if (p->is_pointer) {
        fprintf(to, "\"type\": \"%s\", \"size\": \"", p->type);
        if (p->lanes > 1) fprintf(to, "%u * ", (unsigned)p->lanes);
        for (uint32_t i = 0; i < s->dimension_count; i++) {
            if (i) fputs(" * ", to);
            sketch_write_size(to, s, i);
        }
        fprintf(to, "\"%s, \"fill\": {%s, \"seed\": %u}}",
            p->is_const ? "" : ", \"access\": \"read_write\"",
            is_real ? "\"uniform\": [-1, 1]" : "\"integers\": [0, 100]",
            (unsigned)(p - s->parameters + 1));
    } else if (is_size) {
        fprintf(to, "\"type\": \"%s\", \"value\": \"%.*s\"}", p->type, p->length, p->name);
    } else if (!sketch_is_number(p)) {
        fprintf(to, "\"kind\": \"struct\", \"file\": \"%.*s.bin\"}", p->length, p->name);
    } else {
        fprintf(to, "\"type\": \"%s\", \"value\": %d}", p->type, !sketch_is_offset(p));
    }
}

static void write_sketch(FILE *to, sketch *s, const char *source)
{
    /* the first whole numbers are sizes of the problem */
    static const char *const row_words[] = {
        "get_global_id(1)", "get_group_id(1)", "get_local_id(1)", "blockIdx.y", "threadIdx.y"};
    s->dimension_count = 1;
    for (size_t i = 0; i < HED_COUNT(row_words); i++)
        if (memmem(s->body, (size_t)(s->body_end - s->body), row_words[i], strlen(row_words[i])))
            s->dimension_count = 2;
    if (s->groups[1] > 1) s->dimension_count = 2;
    for (uint32_t i = 0, k = 0; i < s->count && k < s->dimension_count; i++) {
        const parameter *p = &s->parameters[i];
        bool is_whole = p->type[0] == 'i' || p->type[0] == 'u' || p->type[0] == 'l';
        if (is_whole && sketch_is_number(p) && !sketch_is_offset(p)) s->sizes[k++] = p;
    }
    bool is_flat = s->dimension_count == 1;
    fprintf(to, "{\n  \"kernel\": \"%.*s%s\",\n  \"source\": \"%s\",\n  \"problem\": {", s->length,
        s->name, s->arguments, source);
    for (uint32_t i = 0; i < s->dimension_count; i++) {
        fputs(i ? ", \"" : "\"", to);
        sketch_write_size(to, s, i);
        fprintf(to, "\": %d", is_flat ? 1 << 20 : 1024);
    }
    fputs("},\n", to);
    sketch_write_parameters(to, s);
    fputs("  \"global\": [", to);
    for (uint32_t i = 0; i < s->dimension_count; i++) {
        fputs(i ? ", \"" : "\"", to);
        sketch_write_size(to, s, i);
        fputc('"', to);
    }
    fputs("],\n  \"arguments\": [\n", to);
    for (uint32_t i = 0; i < s->count; i++) {
        sketch_write_argument(to, s, &s->parameters[i]);
        fputs(i + 1 < s->count ? ",\n" : "\n", to);
    }
    fputs("  ]\n}\n", to);
}

/* True if a tune file can describe all parameters; else reports the first one that it cannot. */
static bool sketch_is_possible(const sketch *s, const char *path)
{
    if (s->count > HED_MAX_ARGUMENTS) {
        fprintf(stderr,
            "heddle: %s: %.*s has more than %d arguments; a tune file describes at most %d. "
            "Pass numbers together as a struct, or join buffers in a kernel for the tuning\n",
            path, s->length, s->name, HED_MAX_ARGUMENTS, HED_MAX_ARGUMENTS);
        return false;
    }
    static const char *const words[] = {"sampler_t", "image1d_t", "image1d_buffer_t",
        "image1d_array_t", "image2d_t", "image2d_array_t", "image2d_depth_t", "image3d_t",
        "cudaTextureObject_t", "cudaSurfaceObject_t", "CUtexObject", "CUsurfObject"};
    for (uint32_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < HED_COUNT(words); k++) {
            const parameter *p = &s->parameters[i];
            if (!sketch_has(p, words[k])) continue;
            fprintf(stderr,
                "heddle: %s: %.*s takes %.*s, a %s; expected buffers, numbers and structs. A tune file has no "
                "images, textures and samplers of OpenCL C and CUDA C: let the kernel read a buffer\n",
                path, s->length, s->name, p->length, p->name, words[k]);
            return false;
        }
    return true;
}

/* Prints the parameters whose content or size is a guess that the author alone can correct. */
static void print_guesses(const sketch *s)
{
    for (int is_buffer = 0; is_buffer < 2; is_buffer++) {
        bool has = false;
        for (uint32_t i = 0; i < s->count; i++) {
            const parameter *p = &s->parameters[i];
            bool is_size = p == s->sizes[0] || p == s->sizes[1];
            if (is_buffer ? !p->is_pointer || !p->is_unknown
                          : p->is_pointer || is_size || sketch_is_number(p))
                continue;
            fprintf(stderr, "%s%.*s", has ? ", " : "  ", p->length, p->name);
            has = true;
        }
        if (has && is_buffer)
            fprintf(stderr, ": type unknown here; an element counts as %d bytes\n", UNKNOWN_BYTES);
        else if (has) fputs(": write the bytes of the value into the file\n", stderr);
    }
    const parameter *last = s->count ? &s->parameters[s->count - 1] : NULL;
    if (last && last->is_shared)
        fprintf(stderr,
            "  %.*s: how large is this dynamic shared memory? The text lacks its size; one element "
            "for each thread is a guess, and a kernel that needs more fails\n",
            last->length, last->name);
}

/* The text's name for a description on the standard output: as a tune file in the same folder has
 * it, if the output is a file there, else as the user gave it. */
static const char *source_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *text = realpath(path, NULL), *to = realpath("/proc/self/fd/1", NULL);
    const char *last = text ? strrchr(text, '/') : NULL, *file = to ? strrchr(to, '/') : NULL;
    bool is_beside =
        last && file && last - text == file - to && !memcmp(text, to, (size_t)(file - to));
    free(text);
    free(to);
    return is_beside && slash ? slash + 1 : path;
}

int cli_tune_sketch(const char *path, const char *entry)
{
    hed_error error = {0};
    size_t size;
    char *bytes;
    const char *name = source_name(path);
    if (hed_file_read(path, LARGEST_TEXT, &bytes, &size, &error)) return cli_fail(&error);
    sketch *s = calloc(1, sizeof *s);
    char *original = strdup(bytes);
    if (s) s->text = bytes;
    bool is_read = s && original && !strpbrk(name, "\"\\\n\t");
    if (is_read) {
        s->is_cuda = strcmp(strrchr(path, '.'), ".cl") != 0;
        sketch_macros(s);
        sketch_aliases(s);
        sketch_blank(bytes);
        is_read = sketch_kernel(s, entry, original);
        if (is_read && s->is_cuda) sketch_shared(s);
    }
    bool is_possible = is_read && sketch_is_possible(s, path);
    if (is_possible) {
        write_sketch(stdout, s, name);
        fprintf(stderr,
            "heddle: %s is the text of a kernel: a first tune file of %.*s, which describes it, was "
            "printed. Correct sizes and values, divide \"global\" by the work of an item, add macros without a default to "
            "\"parameters\", and tune it: heddle tune %s > kernel.json; heddle tune kernel.json\n",
            path, s->length, s->name, path);
        print_guesses(s);
    } else if (!is_read) {
        fprintf(stderr,
            "heddle: %s has no kernel%s%s: expected __kernel or __global__; or a tune file, FILE.json\n",
            path, entry ? " " : "", entry ? entry : "");
    }
    free(bytes);
    free(original);
    free(s);
    return is_possible ? HED_EXIT_OK : HED_EXIT_USAGE;
}
