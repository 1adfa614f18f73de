/* Texts in WGSL that a program puts together: several files, names that no file declares, and
 * placeholders as {NAME}, ${NAME}, $[NAME], #{NAME}, {{NAME}} and $NAME$, which WGSL does not know. Further files follow the first, since the order of declarations has
 * no meaning in WGSL and the first one's lines keep their numbers. */
#include "tunefile/spec.h"

#include "support/file.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LONGEST_TEXT = 1 << 20, MOST_LISTED = 16 };

/* A placeholder: the whole, and its name. */
typedef struct placeholder {
    const char *at, *name;
    size_t size, length;
} placeholder;

/* ---- entry points ---- */

/* Adds a name to a list of words, once. */
static void list_plain_word(hed_spec_name_list *list, const char *name, size_t length)
{
    char word[80];
    if ((size_t)snprintf(word, sizeof word, ", %.*s,", (int)length, name) >= sizeof word ||
        list->used + length + 4 > sizeof list->text || (list->used && strstr(list->text, word)))
        return;
    /* the list has a comma at both ends while it grows */
    list->used += (size_t)snprintf(list->text + list->used, sizeof list->text - list->used, "%s",
        list->used ? word + 1 : word);
}

/* Lists the entry points of a text with several, unless the caller has chosen one. */
static void list_entry_points(hed_spec_reader *reader, const char *text, hed_spec_name_list *list)
{
    hed_json_node root = hed_json_root(reader->spec->json);
    uint32_t count = 0;
    if (reader->entry || hed_json_has(root, "kernel")) return;
    for (const char *at = text; at && (at = strstr(at, "@compute")) != NULL; count++) {
        at = strstr(at, "fn ");
        if (!at) break;
        at += 3 + strspn(at + 3, " ");
        list_plain_word(list, at, strcspn(at, " (\n"));
    }
    if (count < 2) list->used = 0;
}

/* ---- placeholders ---- */

/* Makes comments blanks; lines keep their numbers. */
static void blank_comments(char *text)
{
    for (char *at = text; *at;) {
        const char *after = hed_spec_skip_comment(at);
        if (after == at) at++;
        for (; at < after; at++)
            if (*at != '\n') *at = ' ';
    }
}

/* Finds the next placeholder from `at` on; false: there is no other. */
static bool next_placeholder(const char *at, placeholder *found)
{
    while (*at) {
        const char *after = hed_spec_skip_comment(at);
        if (after != at) {
            at = after;
            continue;
        }
        const char *from = at++, *name = from + (*from == '$' || (*from == '#' && *at == '{'));
        bool is_double = name[0] == '{' && name[1] == '{', is_square = *from == '$' && *name == '[',
             is_between = *from == '$' && *name != '{' && !is_square;
        if (*name != '{' && *from != '$') continue;
        name += is_double ? 2 : !is_between;
        name += strspn(name, " ");
        size_t length = 0;
        while (isalnum((unsigned char)name[length]) || name[length] == '_') length++;
        const char *end = name + length + strspn(name + length, " ");
        if (!length || isdigit((unsigned char)*name) ||
            *end != (is_between     ? '$'
                        : is_square ? ']'
                                    : '}') ||
            (is_double && end[1] != '}'))
            continue;
        *found = (placeholder){.at = from,
            .name = name,
            .size = (size_t)(end - from) + (is_double ? 2 : 1),
            .length = length};
        return true;
    }
    return false;
}

/* Returns the value of a placeholder in the JSON's "defines"; NULL: it is missing there. */
static const char *value_of(hed_spec_reader *reader, hed_json_node defines, const placeholder *p)
{
    if (hed_json_kind_of(defines) == HED_JSON_NOTHING) return NULL;
    HED_SPEC_EACH(at, defines)
    {
        if (strlen(at.key) != p->length || memcmp(at.key, p->name, p->length) != 0) continue;
        if (hed_json_kind_of(at) != HED_JSON_NUMBER) return hed_json_string(at);
        return hed_spec_text(reader, at, "%.17g", hed_json_number(at, -1e300, 1e300));
    }
    return NULL;
}

/* Lists the placeholders of a text that have no value. */
static void list_placeholders(
    hed_spec_reader *reader, hed_json_node defines, const char *text, hed_spec_name_list *list)
{
    placeholder p;
    for (const char *at = text; next_placeholder(at, &p); at = p.at + p.size)
        if (!value_of(reader, defines, &p)) hed_spec_list_name(list, p.name, p.length, NULL);
}

/* Refuses a value that nothing in the text takes. */
static void refuse_unused(hed_spec_reader *reader, hed_json_node defines, const char *text)
{
    if (hed_json_kind_of(defines) == HED_JSON_NOTHING || !hed_spec_fine(reader)) return;
    bool has_includes = strstr(text, "include") != NULL;
    HED_SPEC_EACH(at, defines)
    {
        size_t length = strlen(at.key);
        bool is_used = has_includes;
        for (const char *from = text; !is_used && *from; from++) {
            from = hed_spec_skip_comment(from);
            bool is_word = from == text || (!isalnum((unsigned char)from[-1]) && from[-1] != '_');
            is_used = is_word && strncmp(from, at.key, length) == 0 &&
                      !isalnum((unsigned char)from[length]) && from[length] != '_';
            if (!*from) break;
        }
        if (!is_used && hed_spec_fine(reader))
            hed_json_reject(at, "the text has no name and no placeholder \"%s\"", at.key);
    }
}

/* Replaces placeholders that have a value. */
static void put_values(
    hed_spec_reader *reader, hed_json_node node, hed_json_node defines, hed_source *source)
{
    char *text = NULL;
    size_t size = 0;
    placeholder p;
    const char *at = source->text;
    if (!next_placeholder(at, &p)) return;
    FILE *to = open_memstream(&text, &size);
    for (; to && next_placeholder(at, &p); at = p.at + p.size) {
        const char *value = value_of(reader, defines, &p);
        fwrite(at, 1, (size_t)(p.at - at), to);
        if (value) fputs(value, to);
        else fwrite(p.at, 1, p.size, to);
    }
    if (to) fputs(at, to);
    if (to && !fclose(to)) {
        source->text = hed_spec_text(reader, node, "%s", text);
        source->size = strlen(source->text);
    }
    free(text);
}

/* ---- other texts that the program joins ---- */

/* Texts joined with one that uses names it does not declare. */
typedef struct joined_texts {
    const char *folder, *base; /* folder and base name of the first text */
    const char *whole; /* the first text with its comments and imports, which may mention files */
    bool is_mentioned; /* files that the first text mentions come before others */
    char *text;        /* (size) the joined texts; grows */
    size_t size;
    char names[1024];       /* files as a list of JSON */
    uint32_t read;          /* number of files that were searched */
    char searched[1 << 15]; /* words that were searched for, each between blanks */
} joined_texts;

static bool declares_here(const char *text, const char *name, size_t length, const char *word)
{
    size_t before = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL;) {
        at += before;
        if (strncmp(at, name, length) == 0 && !isalnum((unsigned char)at[length]) &&
            at[length] != '_')
            return true;
    }
    return false;
}

/* True if a text declares a name at the level of the module. */
static bool declares(const char *text, const char *name, size_t length)
{
    static const char *const words[] = {"struct ", "fn ", "alias ", "const ", "override ", "var "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (declares_here(text, name, length, words[i])) return true;
    for (const char *at = text; (at = strstr(at, "var<")) != NULL;) {
        at += strcspn(at, ">;");
        const char *found = at + (*at == '>') + strspn(at + (*at == '>'), " \n");
        if (strncmp(found, name, length) == 0 && !isalnum((unsigned char)found[length]) &&
            found[length] != '_')
            return true;
    }
    return false;
}

/* True if a text declares a name anywhere, as a parameter or variable also. */
static bool knows(const char *text, const char *name, size_t length)
{
    if (declares(text, name, length) || declares_here(text, name, length, "let ") ||
        declares_here(text, name, length, "var "))
        return true;
    for (const char *at = text; (at = memmem(at, strlen(at), name, length)) != NULL; at += length) {
        const char *after = at + length + strspn(at + length, " ");
        bool is_word = at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');
        if (is_word && *after == ':') return true;
    }
    return false;
}

/* Returns the next name that a text declares for the whole module, from `at` on; NULL: there is no other. `depth`:
 * braces that are open. */
static const char *next_declared(const char *at, int *depth, size_t *length)
{
    static const char *const words[] = {"struct", "fn", "alias", "const", "override", "var"};
    for (size_t size; *at; at += size ? size : 1) {
        for (size = 0; isalnum((unsigned char)at[size]) || at[size] == '_';) size++;
        *depth += (*at == '{') - (*at == '}');
        for (size_t i = 0; !*depth && i < HED_COUNT(words); i++) {
            if (size != strlen(words[i]) || memcmp(at, words[i], size) != 0) continue;
            const char *name = at + size + strspn(at + size, " ");
            if (*name == '<') name += strcspn(name, ">;");
            name += strspn(name, "> \n");
            for (*length = 0; isalnum((unsigned char)name[*length]) || name[*length] == '_';)
                ++*length;
            if (*length) return name;
        }
    }
    return NULL;
}

/* True if a text declares a name for the whole module, and no name that the joined texts declare too. */
static bool completes(const joined_texts *joined, const char *text, const char *name, size_t length)
{
    int depth = 0;
    bool is_found = false;
    size_t size = 0;
    for (const char *at = text; (at = next_declared(at, &depth, &size)) != NULL; at += size) {
        is_found = is_found || (size == length && !memcmp(at, name, size));
        if (declares(joined->text, at, size)) return false;
    }
    return is_found;
}

static bool join_file(
    joined_texts *joined, const char *path, const char *label, const char *name, size_t length)
{
    hed_error ignored = {0};
    char *text = NULL;
    size_t size = 0, used = strlen(joined->names);
    if (hed_file_read(path, LONGEST_TEXT, &text, &size, &ignored)) return false;
    blank_comments(text);
    bool is_entry =
        strstr(text, "@compute") || strstr(text, "@vertex") || strstr(text, "@fragment");
    bool is_found = !is_entry && completes(joined, text, name, length) &&
                    used + strlen(label) + 8 < sizeof joined->names &&
                    joined->size + size < LONGEST_TEXT;
    char *grown = is_found ? realloc(joined->text, joined->size + size + 2) : NULL;
    if (grown) {
        joined->text = grown;
        grown[joined->size++] = '\n';
        memcpy(grown + joined->size, text, size + 1);
        joined->size += size;
        snprintf(joined->names + used, sizeof joined->names - used, ", \"%s\"", label);
    }
    free(text);
    return grown != NULL;
}

/* True if the first text mentions a file: "use with arith.wgsl", import package::arith::add; */
static bool mentions(const joined_texts *joined, const char *file, size_t length)
{
    const char *whole = joined->whole;
    for (const char *at = whole; (at = memmem(at, strlen(at), file, length)) != NULL;
         at += length) {
        bool is_start = at == whole || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');
        if (is_start && !isalnum((unsigned char)at[length]) && at[length] != '_') return true;
    }
    return false;
}

/* Searches a folder, and `levels` folders deep, for the text that declares a name, and joins it. */
static bool join_from(joined_texts *joined, const char *folder, const char *label, const char *name,
    size_t length, uint32_t levels)
{
    enum { MOST_READ = 40000 };
    bool is_found = false;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && !is_found && (entry = readdir(entries));) {
        size_t size = strlen(entry->d_name);
        char path[1024], relative[512];
        bool fits =
            (size_t)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < sizeof path &&
            (size_t)snprintf(relative, sizeof relative, "%s%s", label, entry->d_name) <
                sizeof relative - 1;
        if (!fits || *entry->d_name == '.' || strcmp(entry->d_name, "node_modules") == 0) continue;
        if (size > 5 && strcmp(entry->d_name + size - 5, ".wgsl") == 0) {
            is_found = (*label || strcmp(entry->d_name, joined->base) != 0) &&
                       (!joined->is_mentioned || mentions(joined, entry->d_name, size - 5)) &&
                       joined->read++ < MOST_READ &&
                       join_file(joined, path, relative, name, length);
        } else if (levels && entry->d_type == DT_DIR) {
            strcat(relative, "/");
            is_found = join_from(joined, path, relative, name, length, levels - 1);
        }
    }
    if (entries) closedir(entries);
    return is_found;
}

/* Joins the texts that declare names of the joined ones. */
static void join_all(hed_spec_reader *reader, hed_json_node node, joined_texts *joined)
{
    const char *parent = hed_spec_text(reader, node, "%s/..", joined->folder),
               *grandparent = hed_spec_text(reader, node, "%s/..", parent);
    struct stat here, above;
    bool is_top = !stat(grandparent, &here) &&
                  !stat(hed_spec_text(reader, node, "%s/..", grandparent), &above) &&
                  here.st_ino == above.st_ino &&
                  here.st_dev == above.st_dev; /* the root is no folder of a program */
    for (size_t at = 0; at < joined->size;) {
        const char *from = joined->text + at, *after = hed_spec_skip_comment(from);
        size_t length = 0;
        if (after != from) {
            at += (size_t)(after - from);
            continue;
        }
        while (isalnum((unsigned char)from[length]) || from[length] == '_') length++;
        bool is_member = at && (from[-1] == '.' || from[-1] == '@'),
             is_name = length && !isdigit((unsigned char)*from) && !is_member;
        char name[64], word[68];
        if (is_name && length < sizeof name) {
            memcpy(name, from, length);
            name[length] = 0;
            snprintf(word, sizeof word, " %s ", name);
            size_t used = strlen(joined->searched);
            bool is_new = !strstr(joined->searched, word);
            if (is_new && used + length + 3 < sizeof joined->searched)
                strcat(joined->searched, word);
            bool is_found = !is_new || knows(joined->text, name, length);
            joined->is_mentioned = true;
            is_found = is_found || join_from(joined, joined->folder, "", name, length, 2);
            joined->is_mentioned = false;
            is_found = is_found || join_from(joined, joined->folder, "", name, length, 0) ||
                       join_from(joined, joined->folder, "", name, length, 2) ||
                       join_from(joined, parent, "../", name, length, 2) ||
                       (!is_top && join_from(joined, grandparent, "../../", name, length, 2));
        }
        at += length ? length : 1;
    }
}

/* True if `at` is after the < of a type whose name begins with `word`, as texture_2d. */
static bool is_in_type(const char *text, const char *at, const char *word)
{
    while (at > text && isspace((unsigned char)at[-1])) at--;
    if (at == text || *--at != '<') return false;
    while (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_')) at--;
    return strncmp(at, word, strlen(word)) == 0;
}

/* Returns a format for the name at `at` of a storage texture's format; NULL: it is a format already, or no place of one. */
static const char *storage_format(const char *text, const char *at, size_t length)
{
    size_t letters = strspn(at, "rgba");
    if (!length || !is_in_type(text, at, "texture_storage_") ||
        (letters && isdigit((unsigned char)at[letters])))
        return NULL;
    const char *access = at + length + strspn(at + length, " ,");
    return strncmp(access, "write", 5) == 0 ? "rgba16float" : "r32float";
}

/* True if a type is expected at `at`: after a colon, an arrow, or the < of a type. */
static bool is_place_of_type(const char *text, const char *at)
{
    static const char *const generic[] = {"array", "atomic", "vec2", "vec3", "vec4", "bitcast"};
    while (at > text && isspace((unsigned char)at[-1])) at--;
    size_t before = (size_t)(at - text);
    if (before < 2) return false;
    if (at[-1] == ':' || (at[-1] == '>' && at[-2] == '-')) return true;
    if (is_in_type(text, at, "texture_") && !is_in_type(text, at, "texture_storage_")) return true;
    for (size_t i = 0; at[-1] == '<' && i < sizeof generic / sizeof *generic; i++) {
        size_t length = strlen(generic[i]);
        if (before > length && !memcmp(at - 1 - length, generic[i], length)) return true;
    }
    return false;
}

/* True if a name is a size of the group twice: @workgroup_size(NAME, NAME). */
static bool is_square_group(const char *text, const char *name, size_t length)
{
    static const char attribute[] = "@workgroup_size(";
    for (const char *at = text; (at = strstr(at, attribute)) != NULL; at++) {
        size_t size = strcspn(at, ")");
        const char *first = memmem(at, size, name, length), *rest = first ? first + length : at;
        if (first && memmem(rest, size - (size_t)(rest - at), name, length)) return true;
    }
    return false;
}

/* True if a name is the length of an array: array<u32, NAME>. */
static bool is_length_of_array(const char *text, const char *at, size_t length)
{
    const char *before = at, *next = at + length + strspn(at + length, " ");
    int depth = 0;
    while (before > text && isspace((unsigned char)before[-1])) before--;
    if (*next != '>' || before == text || before[-1] != ',' || isdigit((unsigned char)*at))
        return false;
    while (before > text && depth >= 0 && before[-1] != ';') {
        before--;
        depth += (*before == '>') - (*before == '<');
    }
    bool is_array = depth < 0 && before - text > 5 && !memcmp(before - 5, "array", 5);
    return is_array && !isalnum((unsigned char)before[-6]) && before[-6] != '_';
}

/* Lists names in capitals that a text uses and does not declare, and `with_types` types whose names begin
 * with a capital. */
static void list_missing(const char *text, bool with_types, hed_spec_name_list *list)
{
    for (const char *at = text; *at;) {
        const char *after = hed_spec_skip_comment(at);
        size_t length = 0;
        if (after != at) {
            at = after;
            continue;
        }
        while (isalnum((unsigned char)at[length]) || at[length] == '_') length++;
        const char *next = at + length + strspn(at + length, " \t\r"), *before = at;
        while (before > text && isspace((unsigned char)before[-1])) before--;
        /* a statement of its own, which the program replaces by others */
        bool is_statement =
            before > text && strchr(";{}", before[-1]) && (*next == '\n' || *next == '}');
        bool is_member = at > text && (at[-1] == '.' || at[-1] == '@');
        bool is_type = length && is_place_of_type(text, at),
             is_length = length && is_length_of_array(text, at, length),
             is_listed = hed_spec_is_in_capitals(at, length) || is_length ||
                         (with_types && is_type && isupper((unsigned char)*at));
        if (length && !is_member && at[length] != '(' && is_listed && !knows(text, at, length))
            hed_spec_list_name(list, at, length,
                is_type                                    ? "f32"
                : is_statement                             ? ""
                : is_length && islower((unsigned char)*at) ? "256"
                : is_square_group(text, at, length)        ? "8"
                                                           : storage_format(text, at, length));
        at += length ? length : 1;
    }
}

/* True for a function of the language, which a file near the text may have another one of. */
static bool is_builtin(const char *name, size_t length)
{
    static const char words[] =
        " abs acos acosh all any array arrayLength asin asinh atan atan2 atanh atomicAdd atomicAnd "
        "atomicCompareExchangeWeak atomicExchange atomicLoad atomicMax atomicMin atomicOr atomicStore "
        "atomicSub atomicXor bitcast bool ceil clamp cos cosh countLeadingZeros countOneBits "
        "countTrailingZeros cross degrees determinant distance dot dot4I8Packed dot4U8Packed dpdx dpdy exp "
        "exp2 extractBits f16 f32 faceForward firstLeadingBit firstTrailingBit floor fma for fract frexp "
        "fwidth i32 if insertBits inverseSqrt ldexp length log log2 loop max min mix modf normalize "
        "pack2x16float pack2x16snorm pack2x16unorm pack4x8snorm pack4x8unorm pow quantizeToF16 radians "
        "reflect refract return reverseBits round saturate select sign sin sinh smoothstep sqrt step "
        "storageBarrier switch tan tanh textureDimensions textureGather textureLoad textureSample "
        "textureSampleLevel textureStore transpose trunc u32 unpack2x16float unpack2x16snorm "
        "unpack2x16unorm unpack4x8snorm unpack4x8unorm vec2 vec3 vec4 while workgroupBarrier "
        "workgroupUniformLoad workgroup_size atomic case const_assert diagnostic dpdxCoarse dpdxFine dpdyCoarse "
        "dpdyFine fwidthCoarse fwidthFine pack4xI8 pack4xI8Clamp pack4xU8 pack4xU8Clamp ptr quadBroadcast "
        "quadSwapDiagonal quadSwapX quadSwapY unpack4xI8 unpack4xU8 ";
    char word[80];
    return (size_t)snprintf(word, sizeof word, " %.*s ", (int)length, name) >= sizeof word ||
           strstr(words, word) || !strncmp(name, "mat", 3) || !strncmp(name, "vec", 3) ||
           !strncmp(name, "texture", 7) || !strncmp(name, "subgroup", 8) ||
           !strncmp(name, "sampler", 7);
}

/* True if a name at `at` is a variable: it has members or elements, or is the texture of a function. */
static bool is_place_of_variable(const char *text, const char *at, const char *next)
{
    if (*next == '[' || (*next == '.' && !isdigit((unsigned char)next[1]))) return true;
    while (at > text && isspace((unsigned char)at[-1])) at--;
    if (at == text || *--at != '(') return false;
    while (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_')) at--;
    return strncmp(at, "texture", 7) == 0 && *next != '(';
}

/* True if a text calls a function, or takes a part of a variable, that it does not declare. */
static bool uses_missing(const char *text)
{
    for (const char *at = text; *at;) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_') length++;
        const char *next = at + length + strspn(at + length, " ");
        bool is_use = length && !isdigit((unsigned char)*at) &&
                      (*next == '(' || is_place_of_variable(text, at, next)) &&
                      !(at > text && (at[-1] == '.' || at[-1] == '@'));
        if (is_use && !is_builtin(at, length) && !knows(text, at, length)) return true;
        at += length ? length : 1;
    }
    return false;
}

/* Writes a type of WGSL for one of HLSL, as vec3<u32> for uint3; false: it is another name. */
static bool shading_type(const char *name, size_t length, char *to, size_t size)
{
    static const char *const names[] = {"float", "int", "uint", "half", "min16float", "min16int",
        "min16uint"},
                             *const types[] = {"f32", "i32", "u32", "f16", "f32", "i32", "u32"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t rest = strlen(names[i]);
        if (length < rest || memcmp(name, names[i], rest) != 0) continue;
        const char *digits = name + rest;
        bool is_vector = length == rest + 1 && strchr("234", *digits),
             is_matrix = i == 0 && length == rest + 3 && strchr("234", *digits) &&
                         digits[1] == 'x' && strchr("234", digits[2]);
        if (length != rest && !is_vector && !is_matrix) continue;
        if (is_vector) snprintf(to, size, "vec%c<%s>", *digits, types[i]);
        else if (is_matrix) snprintf(to, size, "mat%.3s<%s>", digits, types[i]);
        else snprintf(to, size, "%s", types[i]);
        return true;
    }
    return false;
}

/* Lists the names that a joined text uses and no file near it declares: types of HLSL, formats and constants with their
 * values, and variables and functions, which another file has to declare. */
static void list_added(const char *text, hed_spec_name_list *types, hed_spec_name_list *variables,
    hed_spec_name_list *functions)
{
    for (const char *at = text; *at;) {
        size_t length = 0;
        char type[32];
        while (isalnum((unsigned char)at[length]) || at[length] == '_') length++;
        const char *next = at + length + strspn(at + length, " ");
        bool is_name = length && !isdigit((unsigned char)*at) &&
                       !(at > text && (at[-1] == '.' || at[-1] == '@')) &&
                       !is_builtin(at, length) && !hed_spec_is_in_capitals(at, length) &&
                       !knows(text, at, length);
        /* an operand, as a constant is that the program puts before the text */
        const char *before = at;
        while (is_name && before > text && isspace((unsigned char)before[-1])) before--;
        bool is_after = before - text > 1 && strchr("+-*/%", before[-1]) && before[-2] != '/',
             is_operand = islower((unsigned char)*at) &&
                          (is_after || (*next && strchr("+-*/%", *next) && next[1] != '=' &&
                                           next[1] != *next));
        const char *format = is_name ? storage_format(text, at, length) : NULL;
        if (format) hed_spec_list_name(types, at, length, format);
        else if (is_name && shading_type(at, length, type, sizeof type))
            hed_spec_list_name(types, at, length, type);
        else if (is_name && is_place_of_variable(text, at, next))
            list_plain_word(variables, at, length);
        else if (is_name && *next == '(') list_plain_word(functions, at, length);
        else if (is_name && is_operand) hed_spec_list_name(types, at, length, NULL);
        at += length ? length : 1;
    }
}

/* Lists the types of a joined text whose names begin with a capital and that no file near it declares. */
static void list_missing_types(const char *text, hed_spec_name_list *list)
{
    for (const char *at = text; *at;) {
        const char *after = hed_spec_skip_comment(at);
        size_t length = 0;
        while (after == at && (isalnum((unsigned char)at[length]) || at[length] == '_')) length++;
        bool is_type = length && isupper((unsigned char)*at) && is_place_of_type(text, at) &&
                       !hed_spec_is_in_capitals(at, length) && !knows(text, at, length);
        if (is_type) list_plain_word(list, at, length);
        at = after != at ? after : at + (length ? length : 1);
    }
}

/* Refuses a text with placeholders and names that only its program has. Files near it come first, and other names get
 * values. */
static void refuse_missing(hed_spec_reader *reader, hed_json_node node, hed_json_node defines_given,
    const char *path, const char *whole)
{
    char *text = hed_spec_allocate(reader, strlen(whole) + 1, node);
    if (!text) return;
    strcpy(text, whole);
    blank_comments(text);
    hed_spec_name_list list = {.used = 0}, rest = {.used = 0}, types = {.used = 0},
                       variables = {.used = 0}, functions = {.used = 0}, entries = {.used = 0};
    list_placeholders(reader, defines_given, text, &rest);
    bool has_placeholders = rest.used;
    list_missing(text, true, &list);
    list_added(text, &list, &variables, &functions);
    variables = functions = (hed_spec_name_list){.used = 0}; /* names of the text alone */
    bool is_native = strstr(text, "enable wgpu_");           /* native wgpu's own names */
    if (!has_placeholders && (is_native || (!list.used && !uses_missing(text)))) return;
    const char *slash = strrchr(path, '/');
    joined_texts joined = {.base = slash ? slash + 1 : path,
        .folder = slash ? hed_spec_text(reader, node, "%.*s", (int)(slash - path), path) : ".",
        .whole = whole,
        .text = strdup(text),
        .size = strlen(text)};
    if (joined.text) {
        join_all(reader, node, &joined);
        list_placeholders(reader, defines_given, joined.text, &rest);
        list_missing(joined.text, false, &rest);
        list_added(joined.text, &rest, &variables, &functions);
        /* the browser knows all functions of the language, so that one alone is no reason */
        bool has_others = *joined.names || rest.used || variables.used;
        for (const char *at = functions.text; has_others && *at; at += strcspn(at, ",")) {
            at += strspn(at, ", ");
            if (*at) list_plain_word(&variables, at, strcspn(at, ","));
        }
        list_missing_types(joined.text, &types);
        list_entry_points(reader, text, &entries);
    }
    const char *files = *joined.names || variables.used
                            ? hed_spec_text(reader, node, "\"source\": [\"%s\"%s%s]", joined.base,
                                  joined.names, variables.used ? ", \"FILE\"" : "")
                            : "",
               *defines =
                   rest.used ? hed_spec_text(reader, node, "\"defines\": {%s}", rest.text) : "",
               *entry = entries.used ? hed_spec_text(reader, node, ", \"kernel\": \"%.*s\"",
                                           (int)strcspn(entries.text + 2, ","), entries.text + 2)
                                     : "";
    bool is_whole = !variables.used && !types.used;
    if (is_whole && *joined.names) hed_spec_add_source(reader, node, joined.base, joined.names + 2);
    if (is_whole) hed_spec_add_remedy(reader, "defines", rest.text);
    if (*files || *defines)
        hed_json_reject(node,
            "the text %s. Add the comment /* heddle {%s%s%s%s} */%s%s%.*s%s%.*s%s%.*s",
            has_placeholders ? "has placeholders of the program that writes it"
                             : "does not declare names that it uses",
            files, *files && *defines ? ", " : "", defines, entry,
            rest.used ? ", with the program's values" : "",
            variables.used ? ", and a FILE with the program's declarations of" : "",
            (int)(variables.used ? variables.used - 2 : 0), variables.text + 1,
            entries.used ? "; its entry points are" : "",
            (int)(entries.used ? entries.used - 2 : 0), entries.text + 1,
            types.used ? "; no file near it declares the types" : "",
            (int)(types.used ? types.used - 2 : 0), types.text + 1);
    free(joined.text);
}

/* Chooses the first of several entry points, unless the caller has chosen one. */
static void choose_entry(hed_spec_reader *reader, hed_json_node node, const char *whole)
{
    hed_spec_name_list entries = {.used = 0};
    char *text = hed_spec_allocate(reader, strlen(whole) + 1, node);
    if (!text) return;
    strcpy(text, whole);
    blank_comments(text);
    list_entry_points(reader, text, &entries);
    if (!entries.used) return;
    /* the list has a comma at both ends */
    snprintf(reader->remedy->entries, sizeof reader->remedy->entries, "%.*s", (int)entries.used - 3,
        entries.text + 2);
    hed_spec_add_remedy(reader, "kernel",
        hed_spec_text(
            reader, node, "\"%.*s\"", (int)strcspn(entries.text + 2, ","), entries.text + 2));
}

/* ---- texts within other languages ---- */

/* Makes the ends of a raw string of C++, R"(...)", blanks: the text is included by a source file. */
static void unwrap_raw_string(hed_spec_reader *reader, hed_json_node node, hed_source *source)
{
    const char *at = source->text + strspn(source->text, " \t\r\n");
    while (hed_spec_skip_comment(at) != at) {
        at = hed_spec_skip_comment(at);
        at += strspn(at, " \t\r\n");
    }
    size_t name = strncmp(at, "R\"", 2) == 0 ? strcspn(at + 2, "( )\\\n") : 0;
    if (strncmp(at, "R\"", 2) != 0 || at[2 + name] != '(') return;
    char *text = hed_spec_allocate(reader, source->size + 1, node), *last = NULL;
    if (!text) return;
    memcpy(text, source->text, source->size);
    char *from = text + (at - source->text), *end = memrchr(text, ')', source->size);
    if (end && strncmp(end + 1, from + 2, name) == 0 && end[1 + name] == '"') last = end + name + 2;
    memset(from, ' ', name + 3);
    if (last) memset(end, ' ', (size_t)(last - end) + strspn(last, ";"));
    source->text = text;
}

/* ---- several files ---- */

void hed_spec_join_wgsl(hed_spec_reader *reader, hed_json_node node, hed_json_node files,
    hed_json_node defines, const char *path, hed_source *source)
{
    bool is_list = hed_json_kind_of(files) == HED_JSON_ARRAY;
    unwrap_raw_string(reader, node, source);
    for (size_t i = 1; is_list && hed_spec_fine(reader) && i < hed_json_count(files); i++) {
        hed_json_node file = hed_json_item(files, i);
        char *text = NULL;
        size_t size = 0;
        const char *other = hed_spec_path(reader, file, hed_json_string(file), 0);
        if (!hed_spec_read_text(reader, file, other, LONGEST_TEXT, &text, &size)) return;
        source->text = hed_spec_text(reader, file, "%s\n%s", source->text, text);
        source->size = strlen(source->text);
    }
    if (!hed_spec_fine(reader)) return;
    refuse_unused(reader, defines, source->text);
    if (hed_spec_fine(reader)) hed_spec_expand_wgsl(reader, node, defines, path, source);
    if (hed_spec_fine(reader)) put_values(reader, node, defines, source);
    if (hed_spec_fine(reader)) hed_spec_put_dialect(reader, node, source);
    if (hed_spec_fine(reader)) hed_spec_put_parentheses(reader, node, source);
    if (hed_spec_fine(reader)) refuse_missing(reader, node, defines, path, source->text);
    if (hed_spec_fine(reader) && reader->remedy) choose_entry(reader, node, source->text);
}

const char *hed_spec_join_hint(hed_spec_reader *reader, hed_json_node node, const char *path)
{
    const char *slash = strrchr(path, '/');
    hed_error ignored = {0};
    joined_texts joined = {.base = slash ? slash + 1 : path,
        .folder = slash ? hed_spec_text(reader, node, "%.*s", (int)(slash - path), path) : "."};
    if (!hed_file_read(path, LONGEST_TEXT, &joined.text, &joined.size, &ignored)) {
        joined.whole = hed_spec_text(reader, node, "%s", joined.text);
        join_all(reader, node, &joined);
    }
    free(joined.text);
    return hed_spec_text(reader, node,
        ". If the program joins this text with others%s, name all: /* heddle {\"source\": "
        "[\"%s\"%s]} */",
        *joined.names ? ", as those that declare its names" : " that declare it", joined.base,
        *joined.names ? joined.names : ", \"FILE\"");
}

const char *hed_spec_wgsl_hint(
    hed_spec_reader *reader, hed_json_node node, const char *path, const char *message)
{
    static const char *const native[] = {
        "i64", "u64", "f64", "binding_array", "ray_query", "acceleration_structure"};
    const char *found = strstr(message, "expected a type, found \"");
    if (!found) return "";
    found = strchr(found, '"') + 1;
    for (size_t i = 0; i < sizeof native / sizeof *native; i++)
        if (strcspn(found, "\"") == strlen(native[i]) &&
            !strncmp(found, native[i], strlen(native[i])))
            return hed_spec_text(reader, node,
                ". %s is a type of native wgpu that no browser has; expected one of WGSL",
                native[i]);
    return hed_spec_join_hint(reader, node, path);
}
