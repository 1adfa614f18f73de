/* Elements of a buffer that items read where other items may write them. A text in WGSL cannot
 * order items of different groups, so that its result then depends on the size of the group. */
#include "support/wgsl_parse.h"

enum { MOST_WRITES = 16 };

/* One access to an element: name[index], or name.member[index]. */
typedef struct wgsl_access {
    const char *at;
    hed_wgsl_span index;
    bool is_write;
} wgsl_access;

/* Returns the token after the bracket that closes the one at `t`. */
static wgsl_token after_brackets(const struct hed_wgsl_parse *r, wgsl_token t, hed_wgsl_span *index)
{
    uint32_t open = 0;
    index->at = t.at + 1;
    do {
        open += wgsl_token_is(t, "[");
        open -= wgsl_token_is(t, "]");
        index->size = (size_t)(t.at - index->at);
        t = wgsl_token_after(r, t);
    } while (t.size && open);
    return t;
}

/* Reads the access of a name at `t`; false: the name has no index here, or is used as a pointer. */
static bool read_access(
    const struct hed_wgsl_parse *r, wgsl_token before, wgsl_token t, wgsl_access *access)
{
    hed_wgsl_span member;
    wgsl_token next = wgsl_token_after(r, t);
    if (wgsl_token_is(next, ".")) next = wgsl_token_after(r, wgsl_token_after(r, next));
    if (!wgsl_token_is(next, "[") || wgsl_token_is(before, ".") || wgsl_token_is(before, "&"))
        return false;
    access->at = t.at;
    next = after_brackets(r, next, &access->index);
    for (;;) {
        if (wgsl_token_is(next, ".")) next = wgsl_token_after(r, wgsl_token_after(r, next));
        else if (wgsl_token_is(next, "[")) next = after_brackets(r, next, &member);
        else break;
    }
    bool is_compound = next.size == 2 && next.at[1] == '=' && !strchr("=!<>", next.at[0]);
    access->is_write = wgsl_token_is(next, "=") || is_compound;
    return true;
}

/* True if two indices have the same words and signs. */
static bool is_same_index(const struct hed_wgsl_parse *r, hed_wgsl_span a, hed_wgsl_span b)
{
    wgsl_token s = hed_wgsl_token(a.at, r->end), t = hed_wgsl_token(b.at, r->end);
    while (s.size && t.size && s.at < a.at + a.size && t.at < b.at + b.size) {
        if (s.size != t.size || memcmp(s.at, t.at, s.size) != 0) return false;
        s = wgsl_token_after(r, s);
        t = wgsl_token_after(r, t);
    }
    return s.at >= a.at + a.size && t.at >= b.at + b.size;
}

/* Visits the accesses to a buffer in the functions that are reached: lists the indices that are
 * written, or (`reads`) finds the first index that is read and not written. */
static bool visit_accesses(const struct hed_wgsl_parse *r, const char *name, wgsl_access *writes,
    uint32_t *count, wgsl_access *reads)
{
    wgsl_use use = {0};
    while (hed_wgsl_next_use(r, name, &use)) {
        wgsl_access access;
        if (!read_access(r, use.before, use.token, &access)) continue;
        uint32_t k = 0;
        while (k < *count && !is_same_index(r, writes[k].index, access.index)) k++;
        bool is_new = k == *count;
        if (!reads && access.is_write && is_new && k < MOST_WRITES) writes[(*count)++] = access;
        if (!reads || access.is_write || !is_new) continue;
        *reads = access;
        return true;
    }
    return false;
}

void hed_wgsl_find_race(struct hed_wgsl_parse *r)
{
    hed_wgsl *out = r->out;
    for (uint32_t i = 0; i < out->binding_count && !out->race; i++) {
        wgsl_access writes[MOST_WRITES], other;
        uint32_t count = 0;
        if (!out->bindings[i].writable || out->bindings[i].resource) continue;
        visit_accesses(r, out->bindings[i].name, writes, &count, NULL);
        if (!count || !visit_accesses(r, out->bindings[i].name, writes, &count, &other)) continue;
        out->race = out->bindings[i].name;
        out->race_line = hed_wgsl_line(r, other.at);
        out->race_write_line = hed_wgsl_line(r, writes[0].at);
    }
}
