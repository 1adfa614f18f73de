/* YAML documents as trees, from the events of libyaml. */
#include "files/yaml_tree.h"
#include "heddle/author.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { YAML_MOST_NODES = 1 << 16, YAML_MOST_LEVELS = 64, YAML_MOST_ANCHORS = 256 };

typedef struct yaml_anchor {
    const char *name;
    const yaml_node *node;
    uint32_t size; /* nodes below and including it */
} yaml_anchor;

struct yaml_tree {
    hed_arena arena;
    yaml_node *root;
};

typedef struct yaml_builder {
    yaml_parser_t parser;
    yaml_tree *tree;
    const char *name;
    uint32_t nodes, anchor_count;
    yaml_anchor anchors[YAML_MOST_ANCHORS];
    hed_error *error;
} yaml_builder;

static hed_status yaml_refuse(yaml_builder *b, const yaml_event_t *event, const char *problem)
{
    return hed_fail(b->error, HED_ERROR_FORMAT, "%s:%zu:%zu: %s", b->name,
        event->start_mark.line + 1, event->start_mark.column + 1, problem);
}

/* Reads the next event. Errors: FORMAT, MEMORY. */
static hed_status yaml_next(yaml_builder *b, yaml_event_t *event)
{
    if (yaml_parser_parse(&b->parser, event)) return HED_OK;
    if (b->parser.error == YAML_MEMORY_ERROR) return HED_OUT_OF_MEMORY(b->error, "%s", b->name);
    return hed_fail(b->error, HED_ERROR_FORMAT, "%s:%zu:%zu: not YAML: %s", b->name,
        b->parser.problem_mark.line + 1, b->parser.problem_mark.column + 1,
        b->parser.problem ? b->parser.problem : "cannot be read");
}

static yaml_node *yaml_new_node(yaml_builder *b, const yaml_event_t *event)
{
    if (++b->nodes > YAML_MOST_NODES) {
        hed_fail(b->error, HED_ERROR_LIMIT, "%s:%zu: more than %d values", b->name,
            event->start_mark.line + 1, YAML_MOST_NODES);
        return NULL;
    }
    yaml_node *node = hed_arena_new(&b->tree->arena, 1, sizeof *node, b->error);
    if (node) node->line = (uint32_t)event->start_mark.line + 1;
    return node;
}

static yaml_node *yaml_take_alias(yaml_builder *b, const yaml_event_t *event)
{
    for (uint32_t i = b->anchor_count; i-- > 0;) {
        const yaml_anchor *anchor = &b->anchors[i];
        if (strcmp(anchor->name, (const char *)event->data.alias.anchor) != 0) continue;
        b->nodes += anchor->size;
        yaml_node *node = yaml_new_node(b, event);
        if (!node) return NULL;
        *node = *anchor->node;
        node->next = NULL;
        node->key = NULL;
        return node;
    }
    yaml_refuse(b, event, "alias of an unknown anchor");
    return NULL;
}

static yaml_node *yaml_take(yaml_builder *b, yaml_event_t *event, uint32_t level);

/* Adds copies of the members that a map lacks, before its own: of a merge key (<<), whose value is
 * a map, or a list of maps of which the first counts. */
static void yaml_merge(
    yaml_builder *b, const yaml_event_t *event, yaml_node *map, const yaml_node *value)
{
    if (value->kind == YAML_LIST) {
        for (const yaml_node *n = value->first; n && !hed_failed(b->error); n = n->next)
            yaml_merge(b, event, map, n);
    } else if (value->kind != YAML_MAP) {
        yaml_refuse(b, event, "merge key << without a map; expected one, or a list of maps");
    }
    const yaml_node *own = map->first, **end = &map->first;
    for (const yaml_node *n = value->kind == YAML_MAP ? value->first : NULL; n; n = n->next) {
        bool is_given = false;
        for (const yaml_node *k = own; k && !is_given; k = k->next)
            is_given = strcmp(k->key, n->key) == 0;
        yaml_node *copy = is_given ? NULL : yaml_new_node(b, event);
        if (hed_failed(b->error)) return;
        if (!copy) continue;
        *copy = *n;
        copy->next = own;
        *end = copy;
        end = &copy->next;
    }
}

/* Reads the children of a list or a map until its end. */
static hed_status yaml_take_children(yaml_builder *b, yaml_node *parent, uint32_t level)
{
    const yaml_node **end = &parent->first, *merged = NULL;
    const char *key = NULL;
    for (;;) {
        yaml_event_t event;
        if (yaml_next(b, &event) != HED_OK) return b->error->status;
        bool ends = event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        yaml_node *node = ends ? NULL : yaml_take(b, &event, level + 1);
        if (!ends && node && parent->kind == YAML_MAP && !key) {
            if (node->kind == YAML_SCALAR) key = node->text;
            else yaml_refuse(b, &event, "a key is a list or a map; expected a text");
        } else if (node && key && strcmp(key, "<<") == 0) {
            merged = node;
            key = NULL;
        } else if (node) {
            node->key = key;
            key = NULL;
            *end = node;
            end = &node->next;
        }
        if (ends && merged) yaml_merge(b, &event, parent, merged);
        yaml_event_delete(&event);
        if (hed_failed(b->error)) return b->error->status;
        if (ends) return HED_OK;
    }
}

/* Makes the node that an event begins; NULL with an error. */
static yaml_node *yaml_take(yaml_builder *b, yaml_event_t *event, uint32_t level)
{
    if (level > YAML_MOST_LEVELS) {
        hed_fail(b->error, HED_ERROR_LIMIT, "%s:%zu: more than %d levels", b->name,
            event->start_mark.line + 1, YAML_MOST_LEVELS);
        return NULL;
    }
    if (event->type == YAML_ALIAS_EVENT) return yaml_take_alias(b, event);
    uint32_t before = b->nodes;
    yaml_node *node = yaml_new_node(b, event);
    if (!node) return NULL;
    const char *anchor = NULL;
    if (event->type == YAML_SCALAR_EVENT) {
        node->text =
            hed_arena_text(&b->tree->arena, (const char *)event->data.scalar.value, b->error);
        node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
        anchor = (const char *)event->data.scalar.anchor;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        node->kind = YAML_LIST;
        anchor = (const char *)event->data.sequence_start.anchor;
    } else {
        node->kind = YAML_MAP;
        anchor = (const char *)event->data.mapping_start.anchor;
    }
    if (node->kind != YAML_SCALAR && yaml_take_children(b, node, level) != HED_OK) return NULL;
    /* a complete node, which an alias may repeat */
    if (anchor && b->anchor_count < YAML_MOST_ANCHORS)
        b->anchors[b->anchor_count++] = (yaml_anchor){
            hed_arena_text(&b->tree->arena, anchor, b->error), node, b->nodes - before};
    return hed_failed(b->error) ? NULL : node;
}

/* Reads events to the end of the first document. */
static void yaml_read_document(yaml_builder *b)
{
    for (bool ended = false; !ended && !hed_failed(b->error);) {
        yaml_event_t event;
        if (yaml_next(b, &event) != HED_OK) return;
        switch (event.type) {
        case YAML_SCALAR_EVENT:
        case YAML_ALIAS_EVENT:
        case YAML_SEQUENCE_START_EVENT:
        case YAML_MAPPING_START_EVENT: b->tree->root = yaml_take(b, &event, 0); break;
        case YAML_DOCUMENT_END_EVENT:
        case YAML_STREAM_END_EVENT: ended = true; break;
        default: break;
        }
        yaml_event_delete(&event);
    }
}

hed_status yaml_tree_parse(
    const char *name, const char *text, size_t size, yaml_tree **tree, hed_error *error)
{
    *tree = NULL;
    hed_error local_error = {0}; /* the builder tests it */
    if (!error) error = &local_error;
    yaml_builder b = {.name = name, .error = error, .tree = hed_new(NULL, 1, sizeof **tree, error)};
    if (!b.tree) return error->status;
    b.tree->arena.owner = "YAML";
    if (!yaml_parser_initialize(&b.parser)) {
        hed_delete(NULL, b.tree, 1, sizeof **tree);
        return HED_OUT_OF_MEMORY(error, "%s", name);
    }
    yaml_parser_set_input_string(&b.parser, (const unsigned char *)text, size);
    yaml_read_document(&b);
    yaml_parser_delete(&b.parser);
    if (!hed_failed(error) && !b.tree->root)
        hed_fail(error, HED_ERROR_FORMAT, "%s: empty; expected YAML", name);
    if (hed_failed(error)) yaml_tree_free(b.tree);
    else *tree = b.tree;
    return error->status;
}

void yaml_tree_free(yaml_tree *tree)
{
    if (!tree) return;
    hed_arena_free(&tree->arena);
    hed_delete(NULL, tree, 1, sizeof *tree);
}

const yaml_node *yaml_root(const yaml_tree *tree) { return tree->root; }

const yaml_node *yaml_member(const yaml_node *node, const char *key)
{
    const yaml_node *last = NULL;
    if (!node || node->kind != YAML_MAP) return NULL;
    for (const yaml_node *child = node->first; child; child = child->next)
        if (strcmp(child->key, key) == 0) last = child;
    return last;
}

bool yaml_number(const yaml_node *node, double *value)
{
    if (!node || node->kind != YAML_SCALAR || node->quoted || !node->text[0]) return false;
    /* strtod() also reads "0x10", "nan" and "infinity" */
    if (node->text[strspn(node->text, "+-.0123456789eE")]) return false;
    char *end;
    *value = strtod(node->text, &end);
    return !*end && isfinite(*value);
}

bool yaml_flag(const yaml_node *node, bool *value)
{
    static const char *const words[][3] = {{"false", "False", "FALSE"}, {"true", "True", "TRUE"},
        {"no", "No", "NO"}, {"yes", "Yes", "YES"}, {"off", "Off", "OFF"}, {"on", "On", "ON"}};
    if (!node || node->kind != YAML_SCALAR || node->quoted) return false;
    for (size_t i = 0; i < HED_COUNT(words); i++)
        for (int k = 0; k < 3; k++)
            if (strcmp(node->text, words[i][k]) == 0) return *value = i % 2, true;
    return false;
}
