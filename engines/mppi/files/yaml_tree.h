/* YAML documents as trees: libyaml parses, aliases and merge keys (<<) are resolved, and
 * each node knows its line.
 *
 *     yaml_tree *tree;
 *     status = yaml_tree_parse("params.yaml", text, size, &tree, error);
 *     const yaml_node *origin = yaml_member(yaml_root(tree), "origin");
 *     for (const yaml_node *item = origin ? origin->first : NULL; item; item = item->next) ...
 *
 * A tree has at most 2^16 nodes, counted again for each alias, and 64 levels. */
#ifndef HED_MPPI_YAML_TREE_H
#define HED_MPPI_YAML_TREE_H

#include "heddle/base.h"

typedef enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP } yaml_kind;

typedef struct yaml_node yaml_node;
struct yaml_node {
    yaml_kind kind;
    const char *key;  /* key in a map; NULL in a list and of the root */
    const char *text; /* value of a scalar, "" if it is empty; NULL of a list or a map */
    bool quoted;      /* true: a scalar in quotes, which is a text whatever it looks like */
    uint32_t line;    /* from 1 */
    const yaml_node *first, *next; /* children in the order of the file */
};

typedef struct yaml_tree yaml_tree;

/* Parses the first document of `text` (size bytes); `name` replaces the file's name in messages.
 * Errors: FORMAT (name:line:column and libyaml's message), LIMIT, MEMORY. */
hed_status yaml_tree_parse(
    const char *name, const char *text, size_t size, yaml_tree **tree, hed_error *error);
void yaml_tree_free(yaml_tree *tree);
const yaml_node *yaml_root(const yaml_tree *tree);

/* Returns the last member of a map with this key; NULL without one, and for a node that is no
 * map. */
const yaml_node *yaml_member(const yaml_node *node, const char *key);
/* Reads a finite number, such as "0.5", "5." or ".5e1"; a quoted text is a text. */
bool yaml_number(const yaml_node *node, double *value);
/* Reads true, false, yes, no, on or off, in small, capital or initial letters. */
bool yaml_flag(const yaml_node *node, bool *value);

#endif
