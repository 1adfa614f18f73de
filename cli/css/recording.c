/* See recording.h. */
#include "cli/css/recording.h"

#include "support/file.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char FORMAT[] = "heddle css recording";

enum {
    MOST_ELEMENTS = 1 << 23, /* elements of all trees */
    MOST_DEPTH = 4096        /* elements around an element */
};

/* ---- collecting ---- */

struct css_recording {
    json_t *nodes;   /* array of the nodes */
    json_t *numbers; /* object: text of a node to its number */
    json_t *pages;   /* object: address to {"url", "quirks", "trees": object of texts} */
    json_t *sheets;  /* object: id to {"url", "text"} */
    json_t
        *documents; /* object: name of a document to an array, its numbers to numbers of `nodes` */
};

hed_status css_recording_create(css_recording **recording, hed_error *error)
{
    css_recording *r = calloc(1, sizeof *r);
    *recording = r;
    if (!r) return HED_OUT_OF_MEMORY(error, "the recording");
    r->nodes = json_array();
    r->numbers = json_object();
    r->pages = json_object();
    r->sheets = json_object();
    r->documents = json_object();
    bool complete = r->nodes && r->numbers && r->pages && r->sheets && r->documents;
    return complete ? HED_OK : HED_OUT_OF_MEMORY(error, "the recording");
}

void css_recording_destroy(css_recording *r)
{
    if (!r) return;
    json_decref(r->nodes);
    json_decref(r->numbers);
    json_decref(r->pages);
    json_decref(r->sheets);
    json_decref(r->documents);
    free(r);
}

/* Replaces a document's own numbers by numbers of the recording. False: a number is unknown. */
static bool renumber(json_t *list, const json_t *numbers)
{
    size_t i;
    json_t *index;
    json_array_foreach(list, i, index)
    {
        json_t *number = json_array_get(numbers, (size_t)json_integer_value(index));
        if (!json_is_integer(index) || !number || json_array_set(list, i, number)) return false;
    }
    return json_is_array(list);
}

/* Adds one node, unless an equal one exists, and notes its number for the document. */
static bool add_node(css_recording *r, const char *text, json_t *numbers)
{
    json_t *node = json_loads(text, 0, NULL);
    bool valid = node && json_array_size(node) == 6 && renumber(json_array_get(node, 4), numbers) &&
                 renumber(json_array_get(node, 5), numbers);
    char *key = valid ? json_dumps(node, JSON_COMPACT) : NULL;
    json_t *number = key ? json_incref(json_object_get(r->numbers, key)) : NULL;
    if (key && !number) {
        number = json_integer((json_int_t)json_array_size(r->nodes));
        valid = number && !json_array_append(r->nodes, node) &&
                !json_object_set(r->numbers, key, number);
    }
    valid = valid && number && !json_array_append(numbers, number);
    json_decref(number);
    json_decref(node);
    free(key);
    return valid;
}

/* The page of an address, created at its first message. */
static json_t *page_of(css_recording *r, const char *url, bool quirks)
{
    json_t *page = json_object_get(r->pages, url);
    if (page) return page;
    page = json_pack("{s:s, s:b, s:{}}", "url", url, "quirks", (int)quirks, "trees");
    if (!page || json_object_set_new(r->pages, url, page)) return NULL;
    return page;
}

static bool add_message(css_recording *r, json_t *message)
{
    const char *url = NULL, *document = NULL;
    json_t *nodes = NULL, *roots = NULL, *item;
    int quirks = 0;
    size_t i;
    if (json_unpack(message, "{s:s, s:s, s:b, s:o, s:o}", "document", &document, "url", &url,
            "quirks", &quirks, "nodes", &nodes, "roots", &roots))
        return false;
    json_t *numbers = json_object_get(r->documents, document), *page = page_of(r, url, quirks);
    if (!numbers) json_object_set_new(r->documents, document, numbers = json_array());
    bool added = numbers && page && json_is_array(nodes) && json_is_array(roots);
    json_array_foreach(nodes, i, item)
    {
        added = added && json_is_string(item) && add_node(r, json_string_value(item), numbers);
    }
    json_array_foreach(roots, i, item)
    {
        char *key = added && renumber(item, numbers) ? json_dumps(item, JSON_COMPACT) : NULL;
        added = key && !json_object_set(json_object_get(page, "trees"), key, item);
        free(key);
    }
    return added;
}

hed_status css_recording_add(css_recording *r, const char *text, hed_error *error)
{
    json_t *message = json_loads(text, 0, NULL);
    bool added = message && add_message(r, message);
    json_decref(message);
    if (added) return HED_OK;
    return hed_fail(error, HED_ERROR_FORMAT,
        "recording: a message of the page is damaged, or memory ran out (%.60s)", text);
}

/* Hosts as an array; NULL: they are unknown, or memory ran out. */
static json_t *host_array(const char *const *hosts, uint32_t count)
{
    json_t *array = count ? json_array() : NULL;
    for (uint32_t i = 0; array && i < count; i++)
        json_array_append_new(array, json_string(hosts[i]));
    return array;
}

hed_status css_recording_set_sheet(
    css_recording *r, const char *id, const css_recorded_sheet *sheet, hed_error *error)
{
    const json_t *former = json_object_get(r->sheets, id);
    const char *url = sheet->url ? sheet->url : json_string_value(json_object_get(former, "url"));
    json_t *hosts = sheet->url ? host_array(sheet->hosts, sheet->host_count)
                               : json_incref(json_object_get(former, "hosts"));
    json_t *item =
        json_pack("{s:s, s:o*, s:s}", "url", url ? url : "", "hosts", hosts, "text", sheet->text);
    if (item && !json_object_set_new(r->sheets, id, item)) return HED_OK;
    return HED_OUT_OF_MEMORY(error, "a sheet of the recording");
}

void css_recording_set_hosts(
    css_recording *r, const char *id, const char *const *hosts, uint32_t count)
{
    json_t *sheet = json_object_get(r->sheets, id);
    json_object_del(sheet, "hosts");
    if (sheet && count) json_object_set_new(sheet, "hosts", host_array(hosts, count));
}

css_recording_counts css_recording_count(const css_recording *r)
{
    css_recording_counts counts = {.pages = json_object_size(r->pages),
        .nodes = json_array_size(r->nodes), .sheets = json_object_size(r->sheets)};
    const char *url;
    json_t *page;
    json_object_foreach(r->pages, url, page)
    {
        counts.trees += json_object_size(json_object_get(page, "trees"));
    }
    return counts;
}

/* The members of an object as an array. */
static json_t *members_of(json_t *object)
{
    json_t *values = json_array(), *value;
    const char *key;
    json_object_foreach(object, key, value) json_array_append(values, value);
    return values;
}

hed_status css_recording_save(const css_recording *r, const char *path, hed_error *error)
{
    json_t *pages = json_array(), *page;
    const char *url;
    json_object_foreach(r->pages, url, page)
    {
        json_array_append_new(pages, json_pack("{s:s, s:O, s:o}", "url", url, "quirks",
            json_object_get(page, "quirks"), "trees", members_of(json_object_get(page, "trees"))));
    }
    json_t *file = json_pack("{s:s, s:i, s:O, s:o, s:o}", "format", FORMAT, "version", 1, "nodes",
        r->nodes, "pages", pages, "sheets", members_of(r->sheets));
    char *text = file ? json_dumps(file, JSON_COMPACT) : NULL;
    hed_status status = text ? hed_file_write(path, text, strlen(text), error)
                             : HED_OUT_OF_MEMORY(error, "the recording");
    free(text);
    json_decref(file);
    return status;
}

/* ---- reading ---- */

bool css_is_recording(const char *bytes, size_t length)
{
    static const char start[] = "{\"format\":\"heddle css recording\"";
    size_t at = 0, k = 0;
    for (; at < length && k < sizeof start - 1; at++) { /* any blanks outside of words */
        if (bytes[at] == start[k]) k++;
        else if (!memchr(" \t\r\n", bytes[at], 4)) return false;
    }
    return k == sizeof start - 1;
}

typedef struct recorded_node {
    const char *name;
    hed_css_attribute *attributes;
    uint32_t attribute_count, child_count, shadow_count;
    uint32_t *children; /* (child_count + shadow_count) */
    uint32_t element;   /* 1 + its first element; 0: none yet */
    hed_css_namespace name_space;
    bool has_text;
} recorded_node;

typedef struct recorded_tree {
    const char *file;
    recorded_node *nodes;
    uint32_t node_count;
    hed_css_element *elements;
    uint32_t element_count, element_room;
} recorded_tree;

static hed_status damaged(const recorded_tree *t, const char *list, size_t index, hed_error *error)
{
    return hed_fail(error, HED_ERROR_FORMAT,
        "%s: %s[%zu] is damaged; record the pages again (heddle css record)", t->file, list, index);
}

/* Reads the numbers of a node's children, which are below `limit`. */
static bool read_children(const json_t *list, uint32_t limit, uint32_t *children)
{
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        json_int_t number = json_is_integer(item) ? json_integer_value(item) : -1;
        if (number < 0 || number >= limit) return false;
        children[i] = (uint32_t)number;
    }
    return true;
}

static bool read_recorded_attributes(recorded_node *node, const json_t *list)
{
    size_t i;
    json_t *item;
    node->attribute_count = (uint32_t)json_array_size(list);
    node->attributes = calloc(node->attribute_count + 1, sizeof *node->attributes);
    if (!node->attributes) return false;
    json_array_foreach(list, i, item)
    {
        hed_css_attribute *attribute = &node->attributes[i];
        attribute->name = json_string_value(json_array_get(item, 0));
        attribute->value = json_string_value(json_array_get(item, 1));
        if (!attribute->name || !attribute->value) return false;
    }
    return json_is_array(list);
}

static bool read_node(recorded_tree *t, const json_t *item)
{
    recorded_node *node = &t->nodes[t->node_count];
    json_int_t space = json_integer_value(json_array_get(item, 1));
    const json_t *children = json_array_get(item, 4), *shadow = json_array_get(item, 5);
    node->name = json_string_value(json_array_get(item, 0));
    node->has_text = json_integer_value(json_array_get(item, 3)) != 0;
    if (!node->name || !*node->name || space < 0 || space > HED_CSS_OTHER) return false;
    node->name_space = (hed_css_namespace)space;
    node->child_count = (uint32_t)json_array_size(children);
    node->shadow_count = (uint32_t)json_array_size(shadow);
    node->children = calloc(node->child_count + node->shadow_count + 1, sizeof *node->children);
    return node->children && read_children(children, t->node_count, node->children) &&
           read_children(shadow, t->node_count, node->children + node->child_count) &&
           read_recorded_attributes(node, json_array_get(item, 2));
}

/* Adds an element; *index: its index. */
static hed_status add_element(
    recorded_tree *t, const hed_css_element *element, uint32_t *index, hed_error *error)
{
    if (t->element_count == MOST_ELEMENTS)
        return hed_fail(error, HED_ERROR_LIMIT, "%s: its trees have more than %u elements", t->file,
            (unsigned)MOST_ELEMENTS);
    if (t->element_count == t->element_room) {
        uint32_t room = t->element_room ? 2 * t->element_room : 4096;
        hed_css_element *elements = realloc(t->elements, room * sizeof *elements);
        if (!elements) return HED_OUT_OF_MEMORY(error, "the elements of %s", t->file);
        t->elements = elements;
        t->element_room = room;
    }
    *index = t->element_count++;
    t->elements[*index] = *element;
    return HED_OK;
}

/* Adds an element and all below it, but its shadow root. */
static hed_status expand_tree(
    recorded_tree *t, uint32_t number, uint32_t parent, uint32_t depth, hed_error *error)
{
    recorded_node *node = &t->nodes[number];
    const hed_css_element element = {.parent = parent,
        .name_space = node->name_space,
        .name = node->name,
        .attributes = node->attributes,
        .attribute_count = node->attribute_count,
        .has_text = node->has_text};
    uint32_t index = 0;
    if (depth == MOST_DEPTH)
        return hed_fail(error, HED_ERROR_LIMIT, "%s: an element is nested deeper than %u", t->file,
            (unsigned)MOST_DEPTH);
    if (add_element(t, &element, &index, error)) return error->status;
    if (!node->element) node->element = index + 1;
    for (uint32_t i = 0; i < node->child_count; i++)
        if (expand_tree(t, node->children[i], index, depth + 1, error)) return error->status;
    return HED_OK;
}

/* Adds the shadow tree of the first element of each node that has one: hosts before the hosts inside
 * of their trees, whose numbers are smaller. */
static hed_status expand_shadow_roots(recorded_tree *t, hed_error *error)
{
    for (uint32_t number = t->node_count; number-- > 0;) {
        const recorded_node *node = &t->nodes[number];
        uint32_t index = 0;
        if (!node->shadow_count || !node->element) continue;
        const hed_css_element root = {.parent = HED_CSS_NONE,
            .name = "#shadow-root",
            .shadow_root = true,
            .host = node->element - 1};
        if (add_element(t, &root, &index, error)) return error->status;
        for (uint32_t i = node->child_count; i < node->child_count + node->shadow_count; i++)
            if (expand_tree(t, node->children[i], index, 1, error)) return error->status;
    }
    return HED_OK;
}

static hed_status expand_pages(
    recorded_tree *t, const json_t *pages, bool *quirks, hed_error *error)
{
    size_t i, k, j;
    json_t *page, *tree, *number;
    json_array_foreach(pages, i, page)
    {
        *quirks = *quirks || json_is_true(json_object_get(page, "quirks"));
        json_array_foreach(json_object_get(page, "trees"), k, tree)
        {
            json_array_foreach(tree, j, number)
            {
                json_int_t node = json_is_integer(number) ? json_integer_value(number) : -1;
                if (node < 0 || node >= t->node_count) return damaged(t, "pages", i, error);
                if (expand_tree(t, (uint32_t)node, HED_CSS_NONE, 0, error)) return error->status;
            }
        }
    }
    return HED_OK;
}

static hed_status read_recorded_nodes(recorded_tree *t, const json_t *nodes, hed_error *error)
{
    size_t i;
    json_t *item;
    t->nodes = calloc(json_array_size(nodes) + 1, sizeof *t->nodes);
    if (!t->nodes) return HED_OUT_OF_MEMORY(error, "the nodes of %s", t->file);
    json_array_foreach(nodes, i, item)
    {
        bool read = read_node(t, item);
        t->node_count++;
        if (!read) return damaged(t, "nodes", i, error);
    }
    return HED_OK;
}

hed_status css_recording_document(hed_css_names *names, const char *file, const char *bytes,
    size_t length, hed_css_document **document, hed_error *error)
{
    recorded_tree t = {.file = file};
    json_error_t failure;
    json_t *root = json_loadb(bytes, length, 0, &failure);
    bool quirks = false;
    if (!root || json_integer_value(json_object_get(root, "version")) != 1)
        hed_fail(error, HED_ERROR_FORMAT, "%s: %s; expected a recording of version 1", file,
            root ? "another version" : failure.text);
    else if (!read_recorded_nodes(&t, json_object_get(root, "nodes"), error) &&
             !expand_pages(&t, json_object_get(root, "pages"), &quirks, error) &&
             !expand_shadow_roots(&t, error)) {
        const hed_css_document_def def = {.file = file,
            .elements = t.elements,
            .element_count = t.element_count,
            .quirks = quirks};
        if (t.element_count) hed_css_document_create(names, &def, document, error);
        else hed_fail(error, HED_ERROR_FORMAT, "%s: the recording has no element", file);
    }
    for (uint32_t i = 0; i < t.node_count; i++) {
        free(t.nodes[i].attributes);
        free(t.nodes[i].children);
    }
    free(t.nodes);
    free(t.elements);
    json_decref(root);
    return error->status;
}

/* Calls `visit` with a sheet of a recording; one whose text or hosts are no texts is skipped, or has
 * unknown hosts. */
static bool visit_sheet(
    const json_t *item, void (*visit)(void *user, const css_recorded_sheet *sheet), void *user)
{
    const char *url = json_string_value(json_object_get(item, "url"));
    const json_t *text = json_object_get(item, "text"), *list = json_object_get(item, "hosts");
    uint32_t count = (uint32_t)json_array_size(list);
    const char **hosts = calloc(count + 1ull, sizeof *hosts);
    css_recorded_sheet sheet = {.url = url ? url : "",
        .hosts = hosts,
        .host_count = count,
        .text = json_string_value(text),
        .length = json_string_length(text)};
    for (uint32_t i = 0; hosts && i < count; i++) {
        hosts[i] = json_string_value(json_array_get(list, i));
        if (!hosts[i]) sheet.host_count = 0;
    }
    if (hosts && sheet.text) visit(user, &sheet);
    free(hosts);
    return hosts != NULL;
}

hed_status css_recording_sheets(const char *file, const char *bytes, size_t length,
    void (*visit)(void *user, const css_recorded_sheet *sheet), void *user, hed_error *error)
{
    json_error_t failure;
    json_t *root = json_loadb(bytes, length, 0, &failure), *item;
    size_t i;
    if (!root)
        return hed_fail(
            error, HED_ERROR_FORMAT, "%s: %s; expected a recording", file, failure.text);
    json_array_foreach(json_object_get(root, "sheets"), i, item)
    {
        if (!visit_sheet(item, visit, user)) HED_OUT_OF_MEMORY(error, "the sheets of %s", file);
    }
    json_decref(root);
    return error->status;
}

/* True if an element has this name; the text of an element starts with it. */
static bool is_named(const hed_css_document *document, uint32_t element, const char *name)
{
    char text[256];
    size_t length = strlen(name);
    hed_css_element_text(document, element, text, sizeof text);
    return strncmp(text, name, length) == 0 && (!text[length] || strchr("#.", text[length]));
}

/* Number of trees of a host; calls `visit`, unless it is NULL, with each of them. */
static uint32_t trees_of_host(const hed_css_document *document, const char *host,
    void (*visit)(void *user, uint32_t tree), void *user)
{
    uint32_t trees = hed_css_document_describe(document).trees, count = 0;
    for (uint32_t tree = 0; tree < trees; tree++) {
        bool has_host =
            tree && *host && is_named(document, hed_css_tree_host(document, tree), host);
        if (!has_host && (tree || *host)) continue;
        if (visit) visit(user, tree);
        count++;
    }
    return count;
}

void css_recording_trees(const hed_css_document *document, const css_recorded_sheet *sheet,
    void (*visit)(void *user, uint32_t tree), void *user)
{
    bool all_exist = sheet->host_count != 0;
    for (uint32_t i = 0; i < sheet->host_count && all_exist; i++)
        all_exist = trees_of_host(document, sheet->hosts[i], NULL, NULL) != 0;
    if (!all_exist) visit(user, HED_CSS_NONE);
    for (uint32_t i = 0; i < sheet->host_count && all_exist; i++)
        trees_of_host(document, sheet->hosts[i], visit, user);
}
