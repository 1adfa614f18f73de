/* See shadow.h. */
#include "shadow.h"

#include "states.h"

/* Value of an attribute as a text; NULL: absent. */
static const char *text_of(const hed_css_document *d, uint32_t e, const char *name, size_t *length)
{
    uint32_t number = css_name_find(d->names, name, strlen(name));
    uint32_t value = number == CSS_NONE ? CSS_NONE : css_attribute_value(d, e, number);
    return value == CSS_NONE ? NULL : hed_css_names_text(d->names, value, length);
}

/* ---- trees ---- */

static void set_levels(hed_css_document *d)
{
    d->tree_levels = 0;
    for (uint32_t t = 1; t < d->tree_count; t++) {
        uint32_t level = 0;
        for (uint32_t at = t; at && level < d->tree_count; at = d->tree_of[d->trees[at].host])
            level++;
        d->trees[t].level = level;
        if (level > d->tree_levels) d->tree_levels = level;
    }
}

hed_status css_find_trees(hed_css_document *d, hed_error *error)
{
    uint32_t **arrays[] = {&d->tree_of, &d->shadow_tree, &d->assigned_slot};
    if (!d->tree_count || hed_failed(error)) return error->status;
    for (size_t i = 0; i < HED_COUNT(arrays); i++)
        if (!*arrays[i]) *arrays[i] = hed_arena_new(&d->arena, d->count, sizeof(uint32_t), error);
    if (hed_failed(error)) return error->status;
    memset(d->tree_of, 0, d->count * sizeof *d->tree_of);
    memset(d->shadow_tree, 0, d->count * sizeof *d->shadow_tree);
    for (uint32_t t = d->tree_count; t-- > 1;) {
        const css_shadow_tree *tree = &d->trees[t];
        if (tree->original == t) d->shadow_tree[tree->host] = t;
        for (uint32_t e = tree->root; e < d->end[tree->root]; e++) d->tree_of[e] = t;
    }
    set_levels(d);
    css_assign_slots(d);
    return HED_OK;
}

uint32_t css_including_parent(const hed_css_document *d, uint32_t e)
{
    uint32_t parent = d->parent[e];
    if (parent != CSS_NONE && css_is_shadow_root(d, parent))
        return d->trees[d->tree_of[parent]].host;
    return parent;
}

uint32_t css_flat_parent(const hed_css_document *d, uint32_t e)
{
    if (d->assigned_slot && d->assigned_slot[e] != CSS_NONE) return d->assigned_slot[e];
    return css_including_parent(d, e);
}

bool css_can_host(const hed_css_document *d, uint32_t e, bool custom)
{
    static const char *const hosts[] = {"article", "aside", "blockquote", "body", "div", "footer",
        "h1", "h2", "h3", "h4", "h5", "h6", "header", "main", "nav", "p", "section", "span"};
    if (d->name_space[e] != HED_CSS_HTML) return false;
    const char *tag = hed_css_names_text(d->names, d->tag[e], NULL);
    if (css_is_custom_name(tag)) return true;
    for (size_t i = 0; i < HED_COUNT(hosts) && !custom; i++)
        if (strcmp(tag, hosts[i]) == 0) return true;
    return false;
}

/* ---- slots ---- */

/* Assigns the children of a host to the first slots of their names in its shadow tree. */
static void assign_children(hed_css_document *d, const css_shadow_tree *tree, uint32_t slot_tag,
    uint32_t slot, uint32_t name)
{
    for (uint32_t e = tree->root + 1; e < d->end[tree->root]; e++) {
        if (d->tag[e] != slot_tag || d->name_space[e] != HED_CSS_HTML) continue;
        size_t length = 0, child_length = 0;
        uint32_t value = name == CSS_NONE ? CSS_NONE : css_attribute_value(d, e, name);
        const char *text = value == CSS_NONE ? "" : hed_css_names_text(d->names, value, &length);
        for (uint32_t child = tree->host + 1; child < d->end[tree->host]; child = d->end[child]) {
            uint32_t of = slot == CSS_NONE ? CSS_NONE : css_attribute_value(d, child, slot);
            child_length = 0;
            const char *wish =
                of == CSS_NONE ? "" : hed_css_names_text(d->names, of, &child_length);
            if (d->assigned_slot[child] == CSS_NONE && child_length == length &&
                memcmp(wish, text, length) == 0)
                d->assigned_slot[child] = e;
        }
    }
}

bool css_is_html_slot(const hed_css_document *d, uint32_t e)
{
    return d->name_space[e] == HED_CSS_HTML &&
           strcmp(hed_css_names_text(d->names, d->tag[e], NULL), "slot") == 0;
}

void css_assign_slots(hed_css_document *d)
{
    if (!d->tree_count) return;
    uint32_t slot = css_name_find(d->names, "slot", 4), name = css_name_find(d->names, "name", 4);
    memset(d->assigned_slot, 0xff, d->count * sizeof *d->assigned_slot);
    for (uint32_t t = 1; t < d->tree_count && slot != CSS_NONE; t++)
        if (d->trees[t].original == t) assign_children(d, &d->trees[t], slot, slot, name);
}

/* ---- parts ---- */

static bool is_part_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

static void add_part_name(css_part_context *part, const char *name, size_t length)
{
    for (uint32_t i = 0; i < part->count; i++)
        if (part->lengths[i] == length && memcmp(part->names[i], name, length) == 0) return;
    if (part->count == HED_COUNT(part->names)) {
        part->has_more = true;
        return;
    }
    part->names[part->count] = name;
    part->lengths[part->count++] = length;
}

bool css_part_begin(const hed_css_document *d, uint32_t e, css_part_context *part)
{
    size_t length;
    *part = (css_part_context){.tree = css_tree_of(d, e)};
    const char *text = part->tree ? text_of(d, e, "part", &length) : NULL;
    for (size_t at = 0, begin; text && at < length;) {
        while (at < length && is_part_space(text[at])) at++;
        for (begin = at; at < length && !is_part_space(text[at]);) at++;
        if (at > begin) add_part_name(part, text + begin, at - begin);
    }
    return part->count > 0;
}

/* Adds the name under which one entry of exportparts, "inner" or "inner: outer", exports a part. */
static void export_part(
    const css_part_context *inner, const char *text, size_t length, css_part_context *outer)
{
    const char *colon = memchr(text, ':', length), *end = text + length, *name = text;
    const char *name_end = colon ? colon : end, *to = colon ? colon + 1 : text, *to_end = end;
    while (name < name_end && is_part_space(*name)) name++;
    while (name_end > name && is_part_space(name_end[-1])) name_end--;
    while (to < to_end && is_part_space(*to)) to++;
    while (to_end > to && is_part_space(to_end[-1])) to_end--;
    bool has_name = inner->has_more;
    for (uint32_t i = 0; i < inner->count; i++)
        has_name |= inner->lengths[i] == (size_t)(name_end - name) &&
                    memcmp(inner->names[i], name, inner->lengths[i]) == 0;
    if (has_name && to < to_end) add_part_name(outer, to, (size_t)(to_end - to));
}

bool css_part_outwards(const hed_css_document *d, css_part_context *part)
{
    size_t length;
    uint32_t host = d->trees[part->tree].host;
    css_part_context outer = {.tree = css_tree_of(d, host)};
    const char *text = outer.tree ? text_of(d, host, "exportparts", &length) : NULL;
    for (size_t at = 0; text && at < length;) {
        const char *comma = memchr(text + at, ',', length - at);
        size_t end = comma ? (size_t)(comma - text) : length;
        export_part(part, text + at, end - at, &outer);
        at = end + 1;
    }
    *part = outer;
    return outer.count > 0;
}
