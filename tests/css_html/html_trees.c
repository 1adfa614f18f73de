/* html_trees COMMAND FILE...: the HTML parser in the forms of the public conformance tests
 * (html5lib).
 *
 *     trees FILE.dat...      parses the texts of files, and compares their trees
 *     tokens FILE.test...    the same for the tokenizer (JSON)
 *     dump FILE...           writes the tree of each page, after a line "#" and its path */
#include <jansson.h>

#include "dump.h"

static int failures, cases;

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb"), *out;
    char *text = NULL;
    if (!file) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(2);
    }
    out = open_memstream(&text, length);
    for (int c; (c = getc(file)) != EOF;) putc(c, out);
    fclose(file);
    fclose(out);
    return text;
}

/* Text of the tree of a page or a fragment. */
static char *tree_of(const char *text, size_t length, const char *context)
{
    hed_css_names *names;
    html_parser p;
    hed_error error = {0};
    char *tree, *copy;
    size_t size, room;
    hed_css_names_create(NULL, &names, &error);
    hed_allocator allocator = hed_default_allocator();
    FILE *out = open_memstream(&tree, &size);
    html_prepare_input(&allocator, text, &length, &copy, &room);
    html_source source = {
        .text = copy ? copy : text, .length = length, .context = context, .keep_all = true};
    if (html_parse(&p, names, &source)) dump_tree(out, &p);
    else fputs("no tree", out);
    fclose(out);
    html_parser_free(&p);
    hed_delete(&allocator, copy, room, 1);
    hed_css_names_destroy(names);
    return tree;
}

/* ---- trees ---- */

/* Position of a line in a test, whose text may have U+0000; NULL: none. */
static char *find_line(char *test, const char *end, const char *line)
{
    return memmem(test, (size_t)(end - test), line, strlen(line));
}

/* Checks the test from `test`, a line "#data", to `end`, a zero. */
static void check_tree(const char *file, char *test, char *end)
{
    char *errors = find_line(test, end, "\n#errors\n"),
         *document = find_line(test, end, "\n#document\n"),
         *fragment = find_line(test, end, "\n#document-fragment\n");
    const char *context = NULL, *data = test + strlen("#data\n");
    if (!errors || !document) {
        fprintf(stderr, "%s: a test without #errors or #document: %.60s\n", file, test);
        failures++;
        return;
    }
    if (find_line(test, document + 1, "\n#script-on\n")) return;
    char *script_off = find_line(test, errors + 1, "\n#script-off\n");
    if (script_off) errors = script_off;
    size_t length = errors < data ? 0 : (size_t)(errors - data);
    if (fragment && fragment < document) {
        context = fragment + strlen("\n#document-fragment\n");
        *strchr(context, '\n') = 0;
    }
    document += strlen("\n#document\n");
    char *tree = tree_of(data, length, context);
    cases++;
    if (strcmp(tree, document)) {
        failures++;
        printf("%s: %.*s\n%s%s\nexpected:\n%sfound:\n%s\n", file, (int)length, data,
            context ? "in " : "", context ? context : "", document, tree);
    }
    free(tree);
}

static void check_trees(const char *file)
{
    size_t length;
    char *text = read_file(file, &length), *end = text + length, *next;
    for (char *test = text; test && test < end; test = next) {
        char *last = end;
        next = find_line(test, end, "\n\n#data\n");
        if (next) {
            last = next + 1;
            next += 2;
        } else if (length >= 2 && end[-1] == '\n' && end[-2] == '\n') last = end - 1;
        *last = 0;
        check_tree(file, test, last);
    }
    free(text);
}

/* ---- tokens ---- */

/* Replaces the escapes \uXXXX of a doubly escaped text. */
static char *unescape(const char *text, size_t length, size_t *size)
{
    char *quoted, *result;
    FILE *out = open_memstream(&quoted, size);
    putc('"', out);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"' || (text[i] == '\\' && text[i + 1] != 'u')) putc('\\', out);
        if ((unsigned char)text[i] < 0x20) fprintf(out, "\\u%04x", text[i]);
        else putc(text[i], out);
    }
    putc('"', out);
    fclose(out);
    json_error_t error;
    json_t *value = json_loads(quoted, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    free(quoted);
    if (!value) return NULL; /* a lone surrogate, which UTF-8 has not */
    *size = json_string_length(value);
    result = malloc(*size + 1);
    memcpy(result, json_string_value(value), *size + 1);
    json_decref(value);
    return result;
}

static json_t *json_bytes(const char *bytes, size_t length, bool replace)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (replace) dump_bytes(out, bytes, length);
    else fwrite(bytes, 1, length, out);
    fclose(out);
    json_t *value = json_stringn(text, size);
    free(text);
    return value;
}

static json_t *json_slice(const html_tokenizer *t, html_text text, bool present)
{
    if (!present) return json_null();
    return json_bytes(html_text_of(t, text), text.length, true);
}

static json_t *json_name(const html_tokenizer *t, uint32_t name)
{
    size_t length;
    const char *text = hed_css_names_text(t->names, name, &length);
    return json_stringn(text, length);
}

/* Name of a document type in lower case. */
static json_t *json_doctype_name(const html_tokenizer *t, const html_token *token)
{
    if (!token->has_name) return json_null();
    size_t length = token->doctype_name.length;
    char *name = malloc(length + 1);
    for (size_t i = 0; i < length; i++)
        name[i] = css_ascii_lower(html_text_of(t, token->doctype_name)[i]);
    json_t *value = json_bytes(name, length, true);
    free(name);
    return value;
}

static void add_token(json_t *tokens, const html_tokenizer *t, const html_token *token)
{
    json_t *attributes = json_object(), *last = json_array_get(tokens, json_array_size(tokens) - 1);
    switch (token->kind) {
    case HTML_CHARACTERS:
    case HTML_NULL: {
        json_t *text = token->kind == HTML_NULL
                           ? json_stringn("", 1)
                           : json_bytes(html_text_of(t, token->text), token->text.length, false);
        if (last && strcmp(json_string_value(json_array_get(last, 0)), "Character") == 0) {
            json_t *before = json_array_get(last, 1);
            char *joined;
            size_t size;
            FILE *out = open_memstream(&joined, &size);
            fwrite(json_string_value(before), 1, json_string_length(before), out);
            fwrite(json_string_value(text), 1, json_string_length(text), out);
            fclose(out);
            json_array_set_new(last, 1, json_stringn(joined, size));
            free(joined);
            json_decref(text);
        } else json_array_append_new(tokens, json_pack("[so]", "Character", text));
        break;
    }
    case HTML_START_TAG:
        for (uint32_t i = 0; i < token->attribute_count; i++) {
            json_t *name = json_name(t, token->attributes[i].name);
            json_object_set_new(attributes, json_string_value(name),
                json_bytes(html_text_of(t, token->attributes[i].value),
                    token->attributes[i].value.length, false));
            json_decref(name);
        }
        if (token->self_closing)
            json_array_append_new(
                tokens, json_pack("[soOb]", "StartTag", json_name(t, token->name), attributes, 1));
        else
            json_array_append_new(
                tokens, json_pack("[soO]", "StartTag", json_name(t, token->name), attributes));
        break;
    case HTML_END_TAG:
        json_array_append_new(tokens, json_pack("[so]", "EndTag", json_name(t, token->name)));
        break;
    case HTML_COMMENT:
        json_array_append_new(
            tokens, json_pack("[so]", "Comment", json_slice(t, token->text, true)));
        break;
    case HTML_DOCTYPE:
        json_array_append_new(tokens,
            json_pack("[sooob]", "DOCTYPE", json_doctype_name(t, token),
                json_slice(t, token->public_id, token->has_public_id),
                json_slice(t, token->system_id, token->has_system_id), !token->force_quirks));
        break;
    case HTML_END_OF_FILE: break;
    }
    json_decref(attributes);
}

static html_state state_of(const char *name)
{
    static const struct {
        const char *name;
        html_state state;
    } states[] = {{"Data state", HTML_DATA_STATE}, {"RCDATA state", HTML_RCDATA_STATE},
        {"RAWTEXT state", HTML_RAWTEXT_STATE}, {"Script data state", HTML_SCRIPT_DATA_STATE},
        {"PLAINTEXT state", HTML_PLAINTEXT_STATE}, {"CDATA section state", HTML_CDATA_SECTION_STATE}};
    for (size_t i = 0; i < HED_COUNT(states); i++)
        if (strcmp(states[i].name, name) == 0) return states[i].state;
    fprintf(stderr, "unknown state: %s\n", name);
    exit(2);
}

/* Tokens of a text from a state on, as the tests write them. */
static json_t *tokens_of(const char *text, size_t length, const char *state, const char *last)
{
    hed_css_names *names;
    html_tokenizer t;
    html_token token = {0};
    hed_error error = {0};
    hed_allocator allocator = hed_default_allocator();
    char *copy;
    size_t room;
    json_t *tokens = json_array();
    hed_css_names_create(NULL, &names, &error);
    html_prepare_input(&allocator, text, &length, &copy, &room);
    html_tokenizer_init(&t, names, copy ? copy : text, length);
    t.state = state_of(state);
    if (last) t.last_name = hed_css_names_add(names, last, strlen(last));
    do {
        html_next(&t, &token);
        add_token(tokens, &t, &token);
    } while (token.kind != HTML_END_OF_FILE);
    html_tokenizer_free(&t);
    hed_delete(&allocator, copy, room, 1);
    hed_css_names_destroy(names);
    return tokens;
}

/* Unescapes the texts of expected tokens, in place; false: one cannot be written in UTF-8. */
static bool unescape_all(json_t **value)
{
    if (json_is_string(*value)) {
        size_t size;
        char *text = unescape(json_string_value(*value), json_string_length(*value), &size);
        if (!text) return false;
        *value = json_stringn(text, size);
        free(text);
        return true;
    }
    if (json_is_array(*value))
        for (size_t i = 0; i < json_array_size(*value); i++) {
            json_t *item = json_array_get(*value, i), *other = item;
            if (!unescape_all(&other)) return false;
            if (other != item) json_array_set_new(*value, i, other);
        }
    return true;
}

static void check_tokens(const char *file)
{
    json_error_t error;
    json_t *root = json_load_file(file, JSON_ALLOW_NUL, &error), *test, *list, *state;
    list = json_object_get(root, "tests");
    size_t i, k;
    if (!root) fprintf(stderr, "%s: %s\n", file, error.text), failures++;
    json_array_foreach(list, i, test)
    {
        json_t *input = json_object_get(test, "input"), *output = json_object_get(test, "output");
        json_t *states = json_object_get(test, "initialStates"), *one = json_pack("[s]", "Data state");
        size_t length = json_string_length(input);
        char *text = NULL;
        if (json_is_true(json_object_get(test, "doubleEscaped"))) {
            text = unescape(json_string_value(input), length, &length);
            if (!text || !unescape_all(&output)) {
                free(text);
                json_decref(one);
                continue;
            }
        }
        json_array_foreach(states ? states : one, k, state)
        {
            json_t *found = tokens_of(text ? text : json_string_value(input), length,
                json_string_value(state), json_string_value(json_object_get(test, "lastStartTag")));
            cases++;
            if (!json_equal(found, output)) {
                char *x = json_dumps(found, 0), *y = json_dumps(output, 0);
                printf("%s: %s (%s)\n  expected %s\n  found    %s\n", file,
                    json_string_value(json_object_get(test, "description")),
                    json_string_value(state), y, x);
                free(x);
                free(y);
                failures++;
            }
            json_decref(found);
        }
        free(text);
        json_decref(one);
    }
    json_decref(root);
}

int main(int count, char **arguments)
{
    if (count < 3) return 2;
    for (int i = 2; i < count; i++) {
        if (strcmp(arguments[1], "trees") == 0) check_trees(arguments[i]);
        else if (strcmp(arguments[1], "tokens") == 0) check_tokens(arguments[i]);
        else {
            size_t length;
            char *text = read_file(arguments[i], &length), *tree = tree_of(text, length, NULL);
            printf("# %s\n%s", arguments[i], tree);
            free(text);
            free(tree);
        }
    }
    if (strcmp(arguments[1], "dump")) printf("%d of %d cases failed\n", failures, cases);
    return failures > 0;
}
