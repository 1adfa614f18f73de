/* libFuzzer harness for YAML as trees: whatever the bytes, an error that says something, or a tree whose nodes
 * have keys in maps alone, texts in scalars alone, and ends. Build with -DHEDDLE_FUZZ=ON. */
#include <stdlib.h>
#include <string.h>

#include "files/yaml_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t walk(const yaml_node *node, bool in_map)
{
    uint32_t count = 1;
    double number;
    bool flag;
    if ((node->key != NULL) != in_map || (node->text != NULL) != (node->kind == YAML_SCALAR))
        abort();
    if (node->kind == YAML_SCALAR && node->first) abort();
    (void)yaml_number(node, &number), (void)yaml_flag(node, &flag);
    for (const yaml_node *child = node->first; child; child = child->next) {
        count += walk(child, node->kind == YAML_MAP);
        if (node->kind == YAML_MAP && !yaml_member(node, child->key)) abort();
    }
    if (count > 1u << 17) abort();
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    yaml_tree *tree;
    hed_error error = {0};
    hed_status status = yaml_tree_parse("fuzz.yaml", (const char *)data, size, &tree, &error);
    if ((status != HED_OK) != (tree == NULL) || (status != HED_OK && !error.text[0])) abort();
    if (tree) walk(yaml_root(tree), false);
    yaml_tree_free(tree);
    return 0;
}
