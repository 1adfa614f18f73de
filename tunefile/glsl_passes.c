/* Branches of the preprocessor in GLSL by which a program chooses between passes of one text, as by
 * -D of a compiler: the remedy lists the macros that lead to a main(), and branches that the
 * description's macros close are blanked out, so that the group of one pass is found. */
#include "tunefile/spec.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 16, MOST_CONDITIONS = 16, MOST_PASSES = 8, MOST_PRESENT = 32 };

/* A line of the preprocessor: its word, and the text after it. */
typedef struct directive {
    const char *word, *rest, *end;
    size_t length;
} directive;

static bool read_glsl_directive(const char *line, directive *d)
{
    d->end = line + strcspn(line, "\n");
    d->word = line + strspn(line, " \t");
    if (*d->word != '#') return false;
    d->word += 1 + strspn(d->word + 1, " \t");
    for (d->length = 0; isalpha((unsigned char)d->word[d->length]);) d->length++;
    d->rest = d->word + d->length;
    return d->length > 0;
}

static bool directive_is(const directive *d, const char *word)
{
    return d->length == strlen(word) && memcmp(d->word, word, d->length) == 0;
}

static bool opens_branch(const directive *d)
{
    return directive_is(d, "if") || directive_is(d, "ifdef") || directive_is(d, "ifndef");
}

static bool continues_branch(const directive *d)
{
    return directive_is(d, "elif") || directive_is(d, "else");
}

static const char *line_after(const char *end) { return end + (*end == '\n'); }

static size_t name_at(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_') length++;
    return isdigit((unsigned char)*at) ? 0 : length;
}

/* ---- the remedy ---- */

/* A macro of a condition. */
typedef struct tested_macro {
    hed_glsl_word name;
    char number[16]; /* value that meets the condition */
    bool is_negated;
} tested_macro;

/* Reads the macros of a condition. Returns their number. */
static uint32_t parse_condition(const directive *d, tested_macro macros[MOST_CONDITIONS])
{
    bool is_negated = directive_is(d, "ifndef");
    uint32_t count = 0;
    for (const char *at = d->rest; at < d->end && strncmp(at, "//", 2) != 0;) {
        size_t length = name_at(at);
        bool is_word = length == 7 && !memcmp(at, "defined", length);
        if (*at == '!' && at[1] != '=') is_negated = true;
        if (length && !is_word && count < MOST_CONDITIONS && memcmp(at, "GL_", 3) != 0) {
            tested_macro *macro = &macros[count++];
            const char *sign = at + length + strspn(at + length, " ");
            *macro = (tested_macro){{at, length}, "1", is_negated};
            if (!strncmp(sign, "==", 2)) {
                sign += 2 + strspn(sign + 2, " ");
                size_t digits = strspn(sign, "0123456789");
                if (digits && digits < sizeof macro->number)
                    memcpy(macro->number, sign, digits), macro->number[digits] = 0;
            }
        }
        if (length && !is_word) is_negated = directive_is(d, "ifndef");
        while (!length && isalnum((unsigned char)*at) && at + 1 < d->end) at++;
        at += length ? length : 1;
    }
    return count;
}

/* Lists the names of a condition. `is_met`: with values that meet it, without the negated names. */
static void list_condition(hed_spec_name_list *list, const directive *d, bool is_met)
{
    tested_macro macros[MOST_CONDITIONS];
    uint32_t count = parse_condition(d, macros);
    for (uint32_t i = 0; i < count; i++)
        if (!is_met || !macros[i].is_negated)
            hed_spec_list_name(
                list, macros[i].name.at, macros[i].name.size, is_met ? macros[i].number : NULL);
}

/* Branches around a line, with the conditions of each chain up to the line; the last one is the
 * branch's own. */
typedef struct around {
    directive conditions[DEEPEST][MOST_CONDITIONS]; /* (depth, counts) */
    uint32_t counts[DEEPEST], depth;
} around;

static void follow_directive(around *a, const directive *d)
{
    uint32_t last = a->depth - 1;
    if (opens_branch(d) && a->depth < DEEPEST) {
        a->conditions[a->depth][0] = *d;
        a->counts[a->depth++] = 1;
    } else if (continues_branch(d) && a->depth) {
        if (a->counts[last] == MOST_CONDITIONS) a->counts[last]--;
        a->conditions[last][a->counts[last]++] = *d;
    } else if (directive_is(d, "endif") && a->depth) {
        a->depth--;
    }
}

/* True if a line has the word `main` with a bracket after it. */
static bool declares_main(const char *text, const char *line, const char *end)
{
    for (hed_glsl_word w = hed_spec_glsl_next(text, line); w.size && w.at < end;
         w = hed_spec_glsl_next(text, w.at + w.size)) {
        if (w.size != 4 || memcmp(w.at, "main", 4) != 0) continue;
        hed_glsl_word next = hed_spec_glsl_next(text, w.at + w.size);
        if (next.size == 1 && *next.at == '(') return true;
    }
    return false;
}

static const char *passes_hint(
    hed_spec_reader *reader, hed_json_node node, const hed_kernel_def *kernel, const char *text)
{
    around a = {.depth = 0};
    directive d;
    const char *hint = "";
    hed_spec_name_list single = {.used = 0};
    uint32_t number = 1, passes = 0, mains = 0;
    for (const char *line = text; *line; line = line_after(d.end), number++) {
        if (read_glsl_directive(line, &d)) {
            follow_directive(&a, &d);
            continue;
        }
        hed_spec_name_list list = {.used = 0};
        if (passes == MOST_PASSES || !declares_main(text, line, d.end)) continue;
        mains++;
        for (uint32_t i = 0; i < a.depth; i++)
            list_condition(&list, &a.conditions[i][a.counts[i] - 1], true);
        if (!list.used) continue;
        for (uint32_t i = 0; i < kernel->define_count; i++)
            if (strstr(list.text, hed_spec_text(reader, node, "\"%s\":", kernel->defines[i].name)))
                return ""; /* the macro is there: another fault */
        hint = hed_spec_text(reader, node, "%s%s/* heddle {\"defines\": {%s}} */ for line %u", hint,
            passes ? ", " : "", list.text, number);
        if (!passes++) single = list;
    }
    if (passes == 1) hed_spec_add_remedy(reader, "defines", single.text);
    if (passes)
        return hed_spec_text(reader, node,
            "; its program chooses a main() by a macro. Write %s as the first line: %s",
            passes > 1 ? "one of these" : "this", hint);
    return mains ? "" : "; the text has no main(): other texts include it. Name the text that has main()";
}

/* Lists the names of the conditions around each #error. */
static const char *choice_hint(hed_spec_reader *reader, hed_json_node node, const char *text)
{
    around a = {.depth = 0};
    directive d;
    hed_spec_name_list list = {.used = 0};
    for (const char *line = text; *line; line = line_after(d.end)) {
        if (!read_glsl_directive(line, &d)) continue;
        follow_directive(&a, &d);
        for (uint32_t i = 0; i < a.depth && directive_is(&d, "error"); i++)
            for (uint32_t j = 0; j < a.counts[i]; j++)
                list_condition(&list, &a.conditions[i][j], false);
    }
    hed_spec_add_remedy(reader, "defines", list.text);
    return list.used ? hed_spec_text(reader, node,
                           "; its program defines macros that the text tests. Write as the first line /* heddle "
                           "{\"defines\": {%s}} */, with the program's values",
                           list.text)
                     : "";
}

/* ---- macros that open a branch ---- */

static bool text_defines(const char *text, const char *name, size_t length)
{
    directive d;
    for (const char *line = text; *line; line = line_after(d.end)) {
        if (!read_glsl_directive(line, &d) || !directive_is(&d, "define")) continue;
        const char *at = d.rest + strspn(d.rest, " \t");
        if (name_at(at) == length && memcmp(at, name, length) == 0) return true;
    }
    return false;
}

/* The branches that declare one missing name: the best, and the macros of the others. */
typedef struct choice {
    const char *base;             /* name of the file */
    const hed_kernel_def *kernel; /* kernel with the defines so far */
    const char *open;             /* the text without closed branches */
    const char *log;
    hed_glsl_word name;                  /* size 0: no missing name so far */
    hed_glsl_word present[MOST_PRESENT]; /* (present_count) names that an open branch declares */
    uint32_t present_count;
    bool is_searched;                     /* all declarations of the name are read */
    bool is_present;                      /* one of them is in an open branch */
    tested_macro macros[MOST_CONDITIONS]; /* (count) macros that open the best branch */
    uint32_t count;
    bool is_named;    /* a macro of the best branch is in the file's name */
    char others[512]; /* the first macro of each branch */
} choice;

/* True if the file's name has the last words of a macro, as mul_q4_k.comp has the words of
 * DATA_A_Q4_K. */
static bool is_in_file_name(const char *base, hed_glsl_word macro)
{
    for (size_t from = 1; from + 3 <= macro.size; from++) {
        size_t length = macro.size - from;
        for (const char *at = base; macro.at[from - 1] == '_' && strlen(at) >= length; at++) {
            bool is_begun = at > base && isalnum((unsigned char)at[-1]);
            if (!is_begun && !isalnum((unsigned char)at[length]) &&
                !strncasecmp(at, macro.at + from, length))
                return true;
        }
    }
    return false;
}

static bool is_glsl_name_of(hed_glsl_word a, hed_glsl_word b)
{
    return a.size == b.size && !memcmp(a.at, b.at, a.size);
}

/* Adds the macros that meet a condition and are not there yet: of alternatives the one in the
 * file's name, else the first. Returns the new number. */
static uint32_t add_opening(
    const choice *c, const directive *condition, tested_macro *macros, uint32_t count)
{
    tested_macro tested[MOST_CONDITIONS];
    uint32_t kept = count;
    bool has_any = false, has_named = false;
    for (const char *from = condition->rest; from < condition->end;) {
        const char *bar = memmem(from, (size_t)(condition->end - from), "||", 2);
        directive part = *condition;
        part.rest = from;
        part.end = bar ? bar : condition->end;
        uint32_t found = parse_condition(&part, tested), used = count;
        bool is_named = false, is_tested = false;
        from = bar ? bar + 2 : condition->end;
        for (uint32_t i = 0; i < found; i++) {
            if (tested[i].is_negated) continue;
            is_tested = true;
            for (uint32_t k = 0; k < c->kernel->define_count; k++) {
                const char *name = c->kernel->defines[k].name;
                tested[i].is_negated =
                    tested[i].is_negated ||
                    is_glsl_name_of(tested[i].name, (hed_glsl_word){name, strlen(name)});
            }
            is_named =
                is_named || (!tested[i].is_negated && is_in_file_name(c->base, tested[i].name));
        }
        if (has_any && (has_named || !is_named)) continue;
        for (uint32_t i = 0; i < found && used < MOST_CONDITIONS; i++)
            if (!tested[i].is_negated) macros[used++] = tested[i];
        if (is_tested && used == count) return count; /* every macro of the condition is there */
        has_any = has_any || used > count;
        has_named = is_named;
        kept = used;
    }
    return kept;
}

/* Takes a declaration in branches: in a search the first of a missing name, else the further ones
 * of that name. */
static void take_branch_name(choice *c, const around *a, hed_glsl_word name)
{
    tested_macro macros[MOST_CONDITIONS];
    uint32_t count = 0;
    bool is_named = false;
    if (c->is_searched ? !is_glsl_name_of(name, c->name) : c->name.size > 0) return;
    for (uint32_t i = 0; i < a->depth; i++)
        count = add_opening(c, &a->conditions[i][a->counts[i] - 1], macros, count);
    c->is_present = c->is_present || (c->is_searched && !count);
    if (!count) return;
    if (!c->is_searched) {
        bool is_missing =
            hed_spec_glsl_lacks(c->open, name, c->log) && !hed_spec_glsl_may_have(c->open, name);
        for (uint32_t i = 0; i < c->present_count; i++)
            is_missing = is_missing && !is_glsl_name_of(name, c->present[i]);
        if (is_missing) c->name = name;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        is_named = is_named || is_in_file_name(c->base, macros[i].name);
    const char *known = c->others;
    while (
        (known = memmem(known, strlen(known), macros[0].name.at, macros[0].name.size)) != NULL &&
        (isalnum((unsigned char)known[macros[0].name.size]) || known[macros[0].name.size] == '_'))
        known++;
    size_t used = strlen(c->others);
    if (!known && used + macros[0].name.size + 3 < sizeof c->others)
        snprintf(c->others + used, sizeof c->others - used, "%s%.*s", used ? ", " : "",
            (int)macros[0].name.size, macros[0].name.at);
    if (c->count && (is_named < c->is_named || (is_named == c->is_named && count >= c->count)))
        return;
    memcpy(c->macros, macros, sizeof macros);
    c->count = count;
    c->is_named = is_named;
}

static void take_branch_names(choice *c, const char *text)
{
    around a = {.depth = 0};
    directive d;
    for (const char *line = text; *line; line = line_after(d.end)) {
        bool is_directive = read_glsl_directive(line, &d);
        const char *name = is_directive ? d.rest + strspn(d.rest, " \t") : "";
        if (is_directive) follow_directive(&a, &d);
        if (!a.depth) continue;
        if (is_directive && directive_is(&d, "define"))
            take_branch_name(c, &a, (hed_glsl_word){name, name_at(name)});
        hed_glsl_word before = {line, 0};
        for (hed_glsl_word w = hed_spec_glsl_next(text, line);
             !is_directive && w.size && w.at < d.end;
             before = w, w = hed_spec_glsl_next(text, w.at + w.size))
            if (hed_spec_glsl_names(before, hed_spec_glsl_next(text, w.at + w.size)) &&
                name_at(w.at))
                take_branch_name(c, &a, w);
    }
}

const char *hed_spec_glsl_choice_hint(hed_spec_reader *reader, hed_json_node node,
    const hed_kernel_def *kernel, const char *text, const char *open, const char *log)
{
    const char *slash = strrchr(reader->path, '/');
    choice *c = hed_spec_allocate(reader, sizeof *c, node);
    if (!c) return "";
    *c = (choice){
        .base = slash ? slash + 1 : reader->path, .kernel = kernel, .open = open, .log = log};
    do {
        c->name.size = 0;
        c->is_searched = c->is_present = false;
        take_branch_names(c, text);
        c->is_searched = true;
        if (c->name.size) take_branch_names(c, text);
        if (c->is_present) c->present[c->present_count++] = c->name, c->count = 0, c->others[0] = 0;
    } while (c->is_present && c->present_count < MOST_PRESENT);
    hed_spec_name_list list = {.used = 0};
    for (uint32_t i = 0; i < c->count; i++) {
        hed_glsl_word macro = c->macros[i].name;
        const char *type = hed_spec_glsl_type_guess(text, macro);
        hed_spec_list_name(&list, macro.at, macro.size, type ? type : c->macros[i].number);
    }
    hed_spec_add_remedy(reader, "defines", list.text);
    if (reader->remedy && strchr(c->others, ',') && !reader->remedy->choices[0])
        memcpy(reader->remedy->choices, c->others, sizeof c->others);
    return list.used ? hed_spec_text(reader, node,
                           "; \"%.*s\" is declared in branches that the program's macros open. Write as the first line "
                           "/* heddle {\"defines\": {%s}} */; the macros are: %s",
                           (int)c->name.size, c->name.at, list.text, c->others)
                     : "";
}

/* Lists the macros that close the branches with C in a header of C and of
 * shaders: `#ifndef SHADER` and
 * `typedef`. */
static const char *shared_hint(hed_spec_reader *reader, hed_json_node node, const char *text)
{
    static const char *const words[] = {"typedef", "namespace", "using", "template", "class", "static", "inline"};
    around a = {.depth = 0};
    directive d;
    hed_spec_name_list list = {.used = 0};
    for (const char *line = text; *line; line = line_after(d.end)) {
        if (read_glsl_directive(line, &d)) {
            follow_directive(&a, &d);
            continue;
        }
        const char *word = line + strspn(line, " \t");
        bool is_foreign = false;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            is_foreign = is_foreign || (name_at(word) == strlen(words[i]) &&
                                           !strncmp(word, words[i], strlen(words[i])));
        if (!is_foreign || !a.depth) continue;
        const directive *condition = a.conditions[a.depth - 1];
        const char *name = condition->rest + strspn(condition->rest, " \t");
        bool is_first = a.counts[a.depth - 1] == 1,
             is_negated = directive_is(condition, "ifndef") ||
                          memchr(condition->rest, '!', (size_t)(condition->end - condition->rest)),
             is_guard = is_first && text_defines(text, name, name_at(name));
        if (is_guard || (is_first && !is_negated))
            continue; /* the program leaves the branch closed */
        list_condition(&list, condition, !is_first);
    }
    hed_spec_add_remedy(reader, "defines", list.text);
    return list.used ? hed_spec_text(reader, node,
                           "; the text shares lines with C, which its program closes by a macro. Write as the first line "
                           "/* heddle {\"defines\": {%s}} */",
                           list.text)
                     : "";
}

const char *hed_spec_glsl_passes_hint(hed_spec_reader *reader, hed_json_node node,
    const hed_kernel_def *kernel, const char *text, const char *log)
{
    if (strstr(log, "#error")) return choice_hint(reader, node, text);
    if (strstr(log, "Reserved word")) return shared_hint(reader, node, text);
    return strcasestr(log, "missing entry point") ? passes_hint(reader, node, kernel, text) : "";
}

/* ---- closed branches ---- */

typedef enum branch_state { OPEN, CLOSED, UNKNOWN } branch_state;

typedef struct macro_set {
    const char *text;
    const hed_kernel_def *def;
    hed_json_node parameters;
    bool is_unknown; /* a name was met that the text, a parameter or the compiler defines */
} macro_set;

/* Returns the value of a macro; NULL: no macro. user: macro_set. */
static const char *value_of(void *user, const char *name, size_t length)
{
    macro_set *set = user;
    const hed_kernel_def *def = set->def;
    static const char *const prefixes[] = {"GL_", "__", "VULKAN", "HED"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        set->is_unknown =
            set->is_unknown ||
            (length >= strlen(prefixes[i]) && memcmp(name, prefixes[i], strlen(prefixes[i])) == 0);
    set->is_unknown = set->is_unknown || text_defines(set->text, name, length);
    bool has_parameters = hed_json_kind_of(set->parameters) == HED_JSON_OBJECT;
    for (hed_json_node at = has_parameters ? hed_json_next(set->parameters, NULL) : set->parameters;
         has_parameters && at.key; at = hed_json_next(set->parameters, at.key))
        set->is_unknown =
            set->is_unknown || (strlen(at.key) == length && memcmp(at.key, name, length) == 0);
    for (uint32_t i = 0; i < def->define_count; i++)
        if (strlen(def->defines[i].name) == length &&
            memcmp(def->defines[i].name, name, length) == 0)
            return def->defines[i].value;
    return NULL;
}

/* State of a chain of branches. */
typedef struct chain_state {
    branch_state state;
    bool was_open, was_unknown; /* an earlier branch is open, or may be */
} chain_state;

static void enter_branch(macro_set *set, chain_state *chain, const directive *d)
{
    const char *name = d->rest + strspn(d->rest, " \t");
    bool is_met = true, is_read = true;
    set->is_unknown = false;
    if (directive_is(d, "if") || directive_is(d, "elif"))
        is_read = hed_spec_condition(d->rest, (size_t)(d->end - d->rest), value_of, set, &is_met);
    else if (!directive_is(d, "else"))
        is_met = (value_of(set, name, name_at(name)) != NULL) == directive_is(d, "ifdef");
    bool is_unknown = set->is_unknown || !is_read || (is_met && chain->was_unknown);
    chain->state = chain->was_open ? CLOSED : is_unknown ? UNKNOWN : is_met ? OPEN : CLOSED;
    chain->was_open = chain->was_open || chain->state == OPEN;
    chain->was_unknown = chain->was_unknown || chain->state == UNKNOWN;
}

void hed_spec_drop_closed_branches(
    hed_spec_reader *reader, hed_json_node node, const hed_kernel_def *kernel, hed_source *source)
{
    hed_json_node root = hed_json_root(reader->spec->json);
    macro_set set = {.text = source->text, .def = kernel};
    chain_state chains[DEEPEST];
    uint32_t depth = 0;
    directive d;
    if (hed_json_has(root, "parameters")) set.parameters = hed_json_member(root, "parameters");
    else set.parameters = (hed_json_node){.json = root.json};
    char *text = hed_spec_allocate(reader, source->size + 1, node), *to = text;
    if (!text || strlen(source->text) != source->size) return;
    for (const char *line = source->text; *line; line = line_after(d.end)) {
        bool is_directive = read_glsl_directive(line, &d), opens = is_directive && opens_branch(&d),
             is_closed = false;
        if (opens && depth == DEEPEST) return;
        if (opens) chains[depth++] = (chain_state){.state = UNKNOWN};
        if (depth && (opens || (is_directive && continues_branch(&d)))) {
            enter_branch(&set, &chains[depth - 1], &d);
        } else if (is_directive && directive_is(&d, "endif")) {
            if (!depth) return;
            depth--;
        } else {
            for (uint32_t i = 0; i < depth; i++) is_closed = is_closed || chains[i].state == CLOSED;
        }
        size_t size = is_closed ? 0 : (size_t)(d.end - line);
        memcpy(to, line, size);
        to += size;
        if (*d.end) *to++ = '\n';
    }
    if (depth) return;
    *to = 0;
    source->text = text;
    source->size = (size_t)(to - text);
}
