/* Items of a sheet, and the arrays that all readers fill. A prelude, a declaration and a nested
 * rule begin alike, so one reader reads each of them to its end (CSS Syntax 3, section 5.5). */
#include "parser.h"

void *css_push(struct css_array *array, uint32_t more, size_t size, css_parser *p)
{
    if (p->failed) return NULL;
    if (!array->items || array->capacity - array->count < more) {
        uint64_t capacity = array->capacity ? 2 * (uint64_t)array->capacity : 64;
        if (capacity < (uint64_t)array->count + more) capacity = (uint64_t)array->count + more;
        p->limit = capacity >= UINT32_MAX;
        void *items = p->limit ? NULL : hed_new(&p->names->allocator, capacity, size, NULL);
        if (!items) {
            p->failed = true;
            return NULL;
        }
        if (array->count) memcpy(items, array->items, array->count * size);
        hed_delete(&p->names->allocator, array->items, array->capacity, size);
        *array = (struct css_array){items, size, array->count, (uint32_t)capacity};
    }
    array->count += more;
    return (char *)array->items + (array->count - more) * size;
}

void css_free_array(const hed_allocator *allocator, struct css_array *array)
{
    hed_delete(allocator, array->items, array->capacity, array->size);
}

uint32_t css_token_name(css_parser *p, const css_token *token)
{
    const char *text = p->text + token->name;
    size_t length = token->name_end - token->name;
    if (!token->plain) {
        p->scratch.count = 0;
        if (length > UINT32_MAX / 3 - 1) p->failed = p->limit = true;
        char *decoded = css_push(&p->scratch, (uint32_t)length * 3, 1, p);
        if (!decoded) return 0;
        length = css_decode(p->text, token, decoded);
        text = decoded;
    }
    uint32_t name = hed_css_names_add(p->names, text, length);
    if (name != CSS_NONE) return name;
    p->failed = true;
    return 0;
}

void css_pass(css_parser *p, const css_token *token)
{
    uint8_t closer = css_closer(token);
    if (closer) {
        uint8_t *pushed = css_push(&p->brackets, 1, 1, p);
        if (pushed) *pushed = closer;
    } else if (css_closes(p, token)) p->brackets.count--;
}

void css_free_parser(css_parser *p)
{
    struct css_array *arrays[] = {&p->complexes, &p->compounds, &p->simples, &p->declarations,
        &p->prefixes, &p->brackets, &p->scratch};
    for (size_t i = 0; i < HED_COUNT(arrays); i++) css_free_array(&p->names->allocator, arrays[i]);
}

/* ---- items ---- */

/* Extends the value of a declaration by a token, or follows `!important`. *bang: 1 after "!", 2 at
 * the end. */
static void see_value(const css_parser *p, css_item *item, const css_token *token, int *bang)
{
    if (css_is_delim(p->text, token, '!')) {
        item->bad |= *bang > 0;
        *bang = 1;
    } else if (*bang == 1 && token->type == CSS_IDENT && css_is(p->text, token, "important")) {
        *bang = 2;
        item->important = true;
    } else if (*bang) item->bad = true;
    else {
        if (item->value == item->value_end) item->value = token->begin;
        item->value_end = token->end;
    }
}

css_item css_scan_item(css_parser *p, css_tokenizer *t, css_token first, bool semicolon, bool curly)
{
    css_item item = {.begin = first.begin, .end = first.begin, .name = first};
    uint32_t base = p->brackets.count, solid = 0;
    int bang = 0;
    for (css_token token = first;; token = css_next(t)) {
        bool outside = p->brackets.count == base;
        item.stop = token.type;
        if (token.type == CSS_END || p->failed) break;
        if (outside && token.type == CSS_OPEN_CURLY && !(item.word && item.custom && curly)) break;
        if (outside && token.type == CSS_SEMICOLON && semicolon) break;
        if (outside && token.type == CSS_CLOSE_CURLY && curly) {
            t->at = token.begin;
            break;
        }
        if (token.type == CSS_SPACE) continue;
        if (solid == 0 && token.type == CSS_IDENT)
            item.custom = token.end - token.begin > 2 && !memcmp(p->text + token.begin, "--", 2);
        if (solid == 1) item.word = token.type == CSS_COLON && first.type == CSS_IDENT;
        bool opens = css_closer(&token) != 0, closes = css_closes(p, &token);
        item.bad |= token.type == CSS_BAD_STRING || token.type == CSS_BAD_URL;
        item.bad |= !closes && (token.type == CSS_CLOSE_ROUND || token.type == CSS_CLOSE_SQUARE ||
                                   token.type == CSS_CLOSE_CURLY);
        if (solid > 1 && item.word) {
            if (outside) see_value(p, &item, &token, &bang);
            else item.value_end = bang ? item.value_end : token.end;
        }
        if (opens || closes) css_pass(p, &token);
        item.end = token.end;
        solid++;
    }
    p->brackets.count = base;
    item.bad |= !item.word || bang == 1 || (item.value == item.value_end && !item.custom);
    return item;
}

void css_skip_block(css_parser *p, css_tokenizer *t)
{
    uint32_t base = p->brackets.count;
    css_token token = {.type = CSS_OPEN_CURLY};
    for (css_pass(p, &token); p->brackets.count > base && !p->failed; css_pass(p, &token)) {
        token = css_next(t);
        if (token.type == CSS_END) break;
    }
    p->brackets.count = base;
}

bool css_make_declaration(css_parser *p, const css_item *item, css_declaration *declaration)
{
    uint32_t name = css_token_name(p, &item->name);
    if (!item->custom && !p->failed) name = css_name_lower(p->names, name);
    if (name == CSS_NONE) p->failed = true;
    *declaration = (css_declaration){
        name, p->text + item->value, item->value_end - item->value, item->important};
    return !p->failed;
}

bool css_read_declarations(hed_css_names *names, const char *text, size_t length,
    void (*each)(void *user, const css_declaration *declaration), void *user)
{
    css_parser p = {.names = names, .text = text, .failed = length >= UINT32_MAX};
    css_tokenizer t = {text, 0, (uint32_t)length};
    while (!p.failed) {
        css_token token = css_next(&t);
        if (token.type == CSS_END) break;
        if (token.type == CSS_SPACE || token.type == CSS_SEMICOLON) continue;
        css_declaration declaration;
        css_item item = css_scan_item(&p, &t, token, true, false);
        if (item.stop == CSS_OPEN_CURLY) css_skip_block(&p, &t);
        else if (!item.bad && css_make_declaration(&p, &item, &declaration))
            each(user, &declaration);
    }
    css_free_parser(&p);
    return !p.failed;
}
