/* The group's size of a text in GLSL as parameters: where `layout(local_size_x = 64) in` has a
 * number, or a macro or constant that is one, the number becomes a macro of Heddle's. If items of a
 * group work together, other numbers of the text that are equal to the size become the same macro;
 * the comparison of results decides which sizes are right. */
#include "tunefile/spec.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/shader.h"

enum { MOST_EDITS = 128, LEAST_FOUND = 4, DEEPEST_NAME = 4 };

/* A word of the text. */
typedef struct glsl_word {
    const char *at;
    size_t size;
    uint32_t line;
    bool in_macro; /* part of a line of the preprocessor */
} glsl_word;

/* A place of the text that a size replaces. */
typedef struct glsl_edit {
    glsl_word word;
    char text[64];
} glsl_edit;

typedef struct glsl_group {
    const hed_source *source;
    hed_spec_sizes *sizes;
    glsl_word layout, keys[3]; /* first word of the layout, and the key of each dimension */
    glsl_word numbers[3];      /* words that hold the size of each dimension */
    bool is_constant[3];       /* the number is the value of a constant with a type */
    bool is_named[3];          /* the number is a macro or a constant, which all its uses follow */
    bool is_product[3];        /* the number is a product in the layout, as TILE * TILE */
    bool is_repeated;          /* two layouts have one size */
    glsl_edit edits[MOST_EDITS];
    uint32_t edit_count;
    const char *width; /* number that is the width of subgroups, among the edits; or NULL */
    char together[32]; /* first word with which items of a group work together */
    uint32_t together_line;
} glsl_group;

/* ---- words ---- */

static bool word_is(const glsl_word *word, const char *text)
{
    return word->size == strlen(text) && memcmp(word->at, text, word->size) == 0;
}

/* Returns the end of a comment or a blank at `at`; `at`: another text follows. */
static const char *skip_blank(const char *at, const char *end)
{
    if (isspace((unsigned char)*at)) return at + 1;
    bool is_comment = end - at > 1 && at[0] == '/' && (at[1] == '/' || at[1] == '*');
    if (!is_comment) return at;
    const char *stop = at[1] == '/' ? "\n" : "*/",
               *stop_at = memmem(at + 2, (size_t)(end - at - 2), stop, strlen(stop));
    return !stop_at ? end : at[1] == '/' ? stop_at : stop_at + 2;
}

/* Reads the word after `word` (size 0: the first); false: at the end. */
static bool next_word(const hed_source *source, glsl_word *word)
{
    const char *end = source->text + source->size,
               *at = word->size ? word->at + word->size : source->text;
    if (!word->size) word->line = 1;
    for (const char *after; at < end && (after = skip_blank(at, end)) != at; at = after)
        for (const char *c = at; c < after; c++)
            if (*c == '\n') word->line++, word->in_macro = false;
    if (at >= end) return false;
    const char *from = at;
    while (at < end && (isalnum((unsigned char)*at) || *at == '_')) at++;
    if (at == from) at++;
    else if (isdigit((unsigned char)*from))
        while (at < end && (isalnum((unsigned char)*at) || *at == '.')) at++;
    if (*from == '#') word->in_macro = true;
    word->at = from;
    word->size = (size_t)(at - from);
    return true;
}

/* Reads a whole number, as 64 and 64u; false: another word. */
static bool word_number(const glsl_word *word, uint32_t *number)
{
    size_t digits = 0;
    while (digits < word->size && isdigit((unsigned char)word->at[digits])) digits++;
    bool has_suffix =
        digits + 1 == word->size && (word->at[digits] == 'u' || word->at[digits] == 'U');
    if (!digits || digits > 5 || (digits != word->size && !has_suffix)) return false;
    *number = (uint32_t)strtoul(word->at, NULL, 10);
    return *number > 0;
}

/* ---- the sizes ---- */

/* Finds the only number that a macro or constant of this name stands for, also in brackets or
 * through `depth` further names. */
static bool find_named(const glsl_group *g, const glsl_word *name, glsl_word *number,
    bool *is_constant, uint32_t depth)
{
    glsl_word word = {.size = 0}, before[3] = {{.size = 0}, {.size = 0}, {.size = 0}};
    uint32_t matches = 0, value;
    while (next_word(g->source, &word)) {
        bool is_name = word.size == name->size && memcmp(word.at, name->at, word.size) == 0;
        bool is_macro = is_name && word.in_macro && word_is(&before[2], "define");
        bool is_value = is_name && !word.in_macro && word_is(&before[1], "const");
        before[0] = before[1], before[1] = before[2], before[2] = word;
        if (!is_macro && !is_value) continue;
        glsl_word next = word;
        bool is_next = next_word(g->source, &next);
        if (is_value) is_next = is_next && word_is(&next, "=") && next_word(g->source, &next);
        bool has_bracket =
            is_next && is_macro && word_is(&next, "(") && next.at > word.at + word.size;
        if (has_bracket) is_next = next_word(g->source, &next);
        if (!is_next || (is_macro && next.line != word.line)) return false;
        bool is_number = word_number(&next, &value);
        glsl_word after = next;
        bool is_after = next_word(g->source, &after);
        if (has_bracket) is_after = is_after && word_is(&after, ")") && next_word(g->source, &after);
        if (is_after && (is_macro ? after.line == next.line : !word_is(&after, ";"))) return false;
        if (!is_number && (!depth || !find_named(g, &next, &next, is_constant, depth - 1)))
            return false;
        *number = next;
        *is_constant = is_number ? is_value : *is_constant;
        matches++;
    }
    return matches == 1;
}

/* Reads the size of a dimension: a number, a name, or a product of these. `word` becomes its last
 * word. */
static void read_size(glsl_group *g, glsl_word *word, uint32_t i)
{
    uint32_t *value = &g->sizes->values[i], factor;
    const glsl_word first = *word;
    bool is_number = word_number(word, value);
    g->numbers[i] = *word;
    g->is_named[i] = !is_number;
    if (!is_number && (!find_named(g, word, &g->numbers[i], &g->is_constant[i], DEEPEST_NAME) ||
                          !word_number(&g->numbers[i], value)))
        *value = 0;
    for (glsl_word next = *word; next_word(g->source, &next) && word_is(&next, "*");) {
        glsl_word number;
        bool is_constant = false;
        if (!next_word(g->source, &next)) return;
        bool is_factor = word_number(&next, &factor) ||
                         (find_named(g, &next, &number, &is_constant, DEEPEST_NAME) &&
                             word_number(&number, &factor));
        *value = is_factor && factor <= 1024 && *value <= 1024 ? *value * factor : 0;
        *word = next;
        g->numbers[i] = first;
        g->numbers[i].size = (size_t)(next.at + next.size - first.at);
        g->is_product[i] = true;
        g->is_named[i] = false;
    }
}

/* Reads the list of a layout after its bracket; `word` becomes the bracket that ends it. */
static bool read_layout(glsl_group *g, glsl_word *word)
{
    static const char *const keys[] = {"local_size_x", "local_size_y", "local_size_z"};
    bool is_group = false;
    while (next_word(g->source, word) && !word_is(word, ")")) {
        uint32_t i = 0;
        while (i < 3 && !word_is(word, keys[i])) i++;
        if (i == 3) continue;
        g->keys[i] = *word;
        if (!next_word(g->source, word) || !word_is(word, "=") || !next_word(g->source, word))
            continue;
        is_group = true;
        g->is_repeated = g->is_repeated || g->numbers[i].size;
        read_size(g, word, i);
        glsl_word next = *word;
        if (next_word(g->source, &next) && !word_is(&next, ",") && !word_is(&next, ")"))
            g->sizes->values[i] = 0; /* a sum */
    }
    return is_group;
}

/* Finds the group's size: a number for each size that the layouts have. */
static bool find_sizes(glsl_group *g)
{
    glsl_word word = {.size = 0};
    uint32_t layouts = 0, last = 0;
    for (uint32_t i = 0; i < 3; i++) g->sizes->values[i] = 1;
    while (next_word(g->source, &word)) {
        if (!word_is(&word, "layout")) continue;
        const glsl_word first = word;
        if (!next_word(g->source, &word) || !word_is(&word, "(")) continue;
        bool is_group = read_layout(g, &word);
        if (is_group && !layouts) g->layout = first;
        layouts += is_group;
    }
    if (!layouts || g->is_repeated || !g->numbers[0].size) return false;
    for (uint32_t i = 0; i < 3; i++) {
        if (!g->sizes->values[i]) return false;
        if (g->sizes->values[i] > 1 && g->numbers[i].size) last = i;
    }
    g->sizes->dimensions = last + 1;
    return true;
}

/* ---- uses ---- */

/* Finds the dimensions of the launch by the components of ids, and the first word with which items
 * work together. */
static void find_uses(glsl_group *g)
{
    static const char *const shared[] = {"shared", "barrier", "gl_LocalInvocationID",
        "gl_LocalInvocationIndex", "gl_WorkGroupID", "gl_NumWorkGroups", "gl_SubgroupID",
        "gl_SubgroupInvocationID", NULL};
    glsl_word word = {.size = 0};
    while (next_word(g->source, &word)) {
        bool is_id = word_is(&word, "gl_GlobalInvocationID") || word_is(&word, "gl_WorkGroupID");
        glsl_word next = word;
        if (is_id && next_word(g->source, &next) && word_is(&next, ".") &&
            next_word(g->source, &next))
            for (size_t i = 0; i < next.size; i++) {
                const char *components = "xyz", *at = strchr(components, next.at[i]);
                uint32_t dimension = at && *at ? (uint32_t)(at - components) + 1 : 1;
                if (dimension > g->sizes->launch) g->sizes->launch = dimension;
            }
        for (uint32_t i = 0; shared[i] && !g->together[0]; i++)
            if (word_is(&word, shared[i])) {
                snprintf(g->together, sizeof g->together, "%s", shared[i]);
                g->together_line = word.line;
            }
    }
    if (g->sizes->launch < g->sizes->dimensions) g->sizes->launch = g->sizes->dimensions;
}

/* ---- the new text ---- */

static bool has_letters(const glsl_word *word, const char *letters)
{
    size_t size = strlen(letters);
    for (size_t i = 0; i + size <= word->size; i++)
        if (strncasecmp(word->at + i, letters, size) == 0) return true;
    return false;
}

static void add_edit(glsl_group *g, const glsl_word *word, const char *text, bool is_constant)
{
    uint32_t place = g->edit_count;
    for (uint32_t i = 0; i < g->edit_count; i++)
        if (g->edits[i].word.at == word->at) return;
    if (place == MOST_EDITS) return;
    for (; place > 0 && g->edits[place - 1].word.at > word->at; place--)
        g->edits[place] = g->edits[place - 1];
    bool is_unsigned = strchr("uU", word->at[word->size - 1]) != NULL;
    g->edits[place].word = *word;
    snprintf(g->edits[place].text, sizeof g->edits[place].text,
        is_unsigned ? "uint(%s)" : is_constant ? "(%s)" : "%s", text);
    g->edit_count++;
}

/* Names the sizes; equal ones by one name, or with other equal numbers in the text, are one
 * parameter. */
static void name_sizes(hed_spec_reader *reader, hed_json_node node, glsl_group *g)
{
    hed_spec_sizes *sizes = g->sizes;
    bool has_word = memmem(g->source->text, g->source->size, "WG_", 3) != NULL;
    for (uint32_t i = 0; i < sizes->dimensions; i++) {
        sizes->names[i] = hed_spec_text(reader, node, "%sWG_%c", has_word ? "HED_" : "", 'X' + (int)i);
        for (uint32_t j = 0; j < i; j++) {
            bool is_one = g->numbers[i].at == g->numbers[j].at ||
                          (g->together[0] && sizes->values[i] == sizes->values[j]);
            if (is_one && sizes->values[i] > 1) sizes->names[i] = sizes->names[j];
        }
    }
}

/* Finds the macro or constant that is the width of subgroups by its name, as SUBGROUP_SIZE and
 * kWarpSize, in a text that uses subgroups. Its number is the device's, or HED_SUBGROUP_SIZE where
 * the width is a parameter: with another one the text reads and writes over the ends of its
 * arrays. */
static void edit_width(hed_spec_reader *reader, hed_json_node node, glsl_group *g)
{
    const hed_device_info *device = reader->device;
    hed_json_node root = hed_json_root(reader->spec->json);
    if (hed_json_has(root, "parameters") &&
        hed_json_has(hed_json_member(root, "parameters"), HED_SUBGROUP_SIZE))
        return; /* the author varies the width */
    glsl_word word = {.size = 0}, number = {.size = 0};
    bool uses_subgroups = false, is_constant = false;
    uint32_t value = 0;
    while (next_word(g->source, &word)) {
        bool is_operation = word.size > 8 && isupper((unsigned char)word.at[8]);
        uses_subgroups = uses_subgroups || strncmp(word.at, "gl_Subgroup", 11) == 0 ||
                         (is_operation && strncmp(word.at, "subgroup", 8) == 0);
        bool is_width = (has_letters(&word, "subgroup") || has_letters(&word, "warp") ||
                            has_letters(&word, "wave")) &&
                        (has_letters(&word, "size") || has_letters(&word, "width"));
        glsl_word found;
        bool is_number = is_width && strncmp(word.at, "gl_", 3) != 0 && !number.size &&
                         find_named(g, &word, &found, &is_constant, 0) &&
                         word_number(&found, &value);
        if (is_number && value >= LEAST_FOUND && value <= 128 && !(value & (value - 1)))
            number = found;
    }
    g->sizes->names_width = device->capabilities >> HED_SUBGROUP_WIDTHS && number.size;
    if (!uses_subgroups || !number.size || !device->lane_width) g->sizes->names_width = false;
    else if (g->sizes->names_width || device->lane_width != value)
        add_edit(g, &number,
            g->sizes->names_width ? "HED_SUBGROUP_SIZE"
                                  : hed_spec_text(reader, node, "%u", device->lane_width),
            is_constant);
    if (!g->edit_count) return;
    g->width = number.at;
    g->sizes->note = hed_spec_text(reader, node,
        "the width of subgroups in line %u is that of %s, %u%s", number.line, device->id,
        device->lane_width, g->sizes->names_width ? ", and a parameter" : "");
}

/* Replaces numbers that are equal to a size, or to the product of all. */
static void edit_equal_numbers(glsl_group *g)
{
    const hed_spec_sizes *sizes = g->sizes;
    glsl_word word = {.size = 0};
    uint32_t number, total = 1, skip = 0;
    char product[64] = "";
    for (uint32_t i = 0; i < sizes->dimensions; i++) {
        total *= sizes->values[i];
        snprintf(product + strlen(product), sizeof product - strlen(product), "%s%s",
            i ? " * " : "(", sizes->names[i]);
    }
    strcat(product, ")");
    while (next_word(g->source, &word)) {
        if (word_is(&word, "layout")) skip = 1;
        if (word_is(&word, ")")) skip = 0;
        if (skip || word_is(&word, "#")) continue;
        if (!word_number(&word, &number) || number < LEAST_FOUND) continue;
        if (word.in_macro && !word_is(&word, "define")) {
            const char *line = word.at;
            while (line > g->source->text && line[-1] != '\n') line--;
            while (isspace((unsigned char)*line) || *line == '#') line++;
            if (strncmp(line, "define", 6) != 0) continue;
        }
        if (sizes->dimensions > 1 && number == total) {
            add_edit(g, &word, product, false);
            continue;
        }
        for (uint32_t i = 0; i < sizes->dimensions; i++)
            if (number == sizes->values[i] && !g->is_named[i])
                add_edit(g, &word, sizes->names[i], false);
    }
}

static void write_text(
    hed_spec_reader *reader, hed_json_node node, const glsl_group *g, hed_source *source)
{
    size_t room = source->size + MOST_EDITS * sizeof g->edits[0].text, used = 0;
    const char *from = source->text;
    char *text = hed_spec_allocate(reader, room + 1, node);
    if (!text) return;
    for (uint32_t i = 0; i <= g->edit_count; i++) {
        const char *to = i < g->edit_count ? g->edits[i].word.at : source->text + source->size;
        memcpy(text + used, from, (size_t)(to - from));
        used += (size_t)(to - from);
        if (i == g->edit_count) break;
        used += (size_t)snprintf(text + used, room - used, "%s", g->edits[i].text);
        from = to + g->edits[i].word.size;
    }
    source->text = text;
    source->size = used;
}

static void note_sizes(hed_spec_reader *reader, hed_json_node node, const glsl_group *g)
{
    char lines[160] = "", names[96] = "";
    uint32_t last = 0;
    for (uint32_t i = 0; i < g->edit_count && strlen(lines) + 16 < sizeof lines; i++) {
        if (g->edits[i].word.at == g->width) continue;
        if (g->edits[i].word.line != last)
            snprintf(lines + strlen(lines), 16, "%s %u", last ? "," : "", g->edits[i].word.line);
        last = g->edits[i].word.line;
    }
    for (uint32_t i = 0; i < g->sizes->dimensions; i++)
        if (i == 0 || g->sizes->names[i] != g->sizes->names[i - 1])
            snprintf(names + strlen(names), sizeof names - strlen(names), " %s", g->sizes->names[i]);
    const char *note = hed_spec_text(reader, node,
        "the size of the group is written into line%s; to take the answer into the program, write "
        "it there for%s",
        lines, names);
    if (g->together[0])
        note = hed_spec_text(reader, node,
            "%s; items of a group work together (%s in line %u), so only the comparison of results "
            "shows which sizes are right",
            note, g->together, g->together_line);
    g->sizes->note =
        g->sizes->note ? hed_spec_text(reader, node, "%s\n  %s", note, g->sizes->note) : note;
}

/* Makes the sizes specialization constants, so that one compiled module serves all sizes: where
 * items do not work together, and the layout has the numbers. False: the sizes stay macros. */
static bool put_constants(
    hed_spec_reader *reader, hed_json_node node, glsl_group *g, hed_source *source)
{
    enum { FIRST_ID = 1900 };
    const hed_spec_sizes *sizes = g->sizes;
    const char *constants = "", *text = source->text;
    const size_t before = g->layout.size ? (size_t)(g->layout.at - text) : 0;
    bool has_numbers = g->layout.size && !g->together[0] && !g->layout.in_macro && !g->edit_count &&
                       !memmem(text, source->size, "gl_WorkGroupSize", 16) && strlen(text) == source->size;
    for (uint32_t i = 0; i < sizes->dimensions; i++)
        has_numbers = has_numbers && g->numbers[i].size && !g->is_named[i] &&
                      !strchr("uU", g->numbers[i].at[g->numbers[i].size - 1]);
    for (uint32_t i = 0; i < sizes->dimensions && has_numbers; i++) {
        constants = hed_spec_text(reader, node, "%slayout(constant_id = %u) const uint %s = %uu; ",
            constants, FIRST_ID + i, sizes->names[i], sizes->values[i]);
        add_edit(g, &g->keys[i], hed_spec_text(reader, node, "local_size_%c_id", 'x' + (int)i), false);
        add_edit(g, &g->numbers[i], hed_spec_text(reader, node, "%u", FIRST_ID + i), false);
    }
    if (!has_numbers || !hed_spec_fine(reader)) return false;
    write_text(reader, node, g, source);
    source->text = hed_spec_text(
        reader, node, "%.*s%s%s", (int)before, source->text, constants, source->text + before);
    source->size = strlen(source->text);
    return true;
}

void hed_spec_name_glsl_sizes(
    hed_spec_reader *reader, hed_json_node node, hed_source *source, hed_spec_sizes *sizes)
{
    glsl_group *g = hed_spec_allocate(reader, sizeof *g, node);
    *sizes = (hed_spec_sizes){.dimensions = 0};
    if (!g) return;
    *g = (glsl_group){.source = source, .sizes = sizes};
    bool has_sizes = find_sizes(g);
    if (!has_sizes) *sizes = (hed_spec_sizes){.dimensions = 0};
    edit_width(reader, node, g);
    if (!has_sizes) {
        if (g->edit_count) write_text(reader, node, g, source);
        return;
    }
    find_uses(g);
    sizes->is_together = g->together[0] != 0;
    for (uint32_t i = 0; i < sizes->dimensions; i++)
        if (g->is_product[i] && g->together[0]) {
            *sizes = (hed_spec_sizes){.dimensions = 0}; /* the text may use the factors elsewhere */
            return;
        }
    name_sizes(reader, node, g);
    if (put_constants(reader, node, g, source)) {
        note_sizes(reader, node, g);
        return;
    }
    for (uint32_t i = 0; i < sizes->dimensions; i++)
        if (g->numbers[i].size) add_edit(g, &g->numbers[i], sizes->names[i], g->is_constant[i]);
    if (g->together[0]) edit_equal_numbers(g);
    write_text(reader, node, g, source);
    note_sizes(reader, node, g);
}
