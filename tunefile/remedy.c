/* Remedies of a shader's text: declarations and values that the text alone lacks and its reader has
 * found, in files near it or by the use of its names. The text is read again with the comment that
 * would name them, so that one command shows all that is missing, and the comment becomes a
 * note. */
#include "tunefile/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Members of the comment, in the order of hed_spec_remedy.members. */
static const struct {
    const char *name, *opening, *closing;
} members[HED_SPEC_REMEDIES] = {
    {"source", "[", "]"}, {"include", "[", "]"}, {"defines", "{", "}"}, {"kernel", "", ""}};

void hed_spec_add_remedy(hed_spec_reader *reader, const char *member, const char *values)
{
    hed_spec_remedy *remedy = reader->remedy;
    hed_json_node root = hed_json_root(reader->spec->json);
    uint32_t i = 0;
    if (!remedy || !*values) return;
    while (strcmp(members[i].name, member) != 0) i++;
    char *list = remedy->members[i];
    size_t used = strlen(list), size = strlen(values);
    bool is_own = !used && hed_json_has(root, member);
    if (is_own && i == HED_SPEC_DEFINES &&
        hed_json_kind_of(hed_json_member(root, member)) == HED_JSON_OBJECT)
        remedy->adds_defines = true;
    if ((is_own && !remedy->adds_defines) || (used && !*members[i].opening) ||
        used + size + 3 > sizeof remedy->members[i])
        return; /* the comment is the user's own, or too long */
    for (const char *at = values; *at; at += strspn(at, ", ")) { /* no key twice */
        size_t length = strcspn(at, ","), key = strcspn(at, ":");
        bool is_there = used && key < length && memmem(list, used, at, key + 1);
        if (!is_there) {
            used += (size_t)snprintf(list + used, sizeof remedy->members[i] - used, "%s%.*s",
                used ? ", " : "", (int)length, at);
            remedy->is_new = true;
        }
        at += length;
    }
}

void hed_spec_add_source(
    hed_spec_reader *reader, hed_json_node node, const char *base, const char *files)
{
    bool is_first = reader->remedy && !reader->remedy->members[HED_SPEC_SOURCE][0];
    if (is_first) files = hed_spec_text(reader, node, "\"%s\", %s", base, files);
    hed_spec_add_remedy(reader, "source", files);
}

/* Writes the members but `omitted`, as they are in the comment's object. */
static size_t put_members(const hed_spec_remedy *remedy, char *to, size_t size, uint32_t omitted)
{
    size_t used = 0;
    for (uint32_t i = 0; i < HED_SPEC_REMEDIES; i++)
        if (remedy->members[i][0] && i != omitted)
            used += (size_t)snprintf(to + used, size - used, "%s\"%s\": %s%s%s", used ? ", " : "",
                members[i].name, members[i].opening, remedy->members[i], members[i].closing);
    return used;
}

/* Returns the first character that is no blank; }: there is no other one before `end`. */
static char after_blanks(const char *at, const char *end)
{
    while (at < end && strchr(" \t\r\n", *at)) at++;
    return at < end ? *at : '}';
}

char *hed_spec_remedy_json(const hed_spec_remedy *remedy, const char *json, size_t size)
{
    const char *rest = memchr(json, '{', size), *end = json + size;
    enum { ROOM = sizeof remedy->members + 64 };
    char *text = rest ? malloc(size + ROOM) : NULL;
    if (!text) return NULL;
    rest++;
    char *to = mempcpy(text, json, (size_t)(rest - json));
    size_t added =
        put_members(remedy, to, ROOM, remedy->adds_defines ? HED_SPEC_DEFINES : HED_SPEC_REMEDIES);
    to += added;
    if (added && after_blanks(rest, end) != '}') *to++ = ',';
    const char *own =
        remedy->adds_defines ? memmem(rest, (size_t)(end - rest), "\"defines\"", 9) : NULL;
    own = own ? memchr(own, '{', (size_t)(end - own)) : NULL;
    if (own++) {
        to = mempcpy(to, rest, (size_t)(own - rest));
        to = stpcpy(to, remedy->members[HED_SPEC_DEFINES]);
        if (after_blanks(own, end) != '}') *to++ = ',';
        rest = own;
    }
    *(char *)mempcpy(to, rest, (size_t)(end - rest)) = 0;
    return text;
}

void hed_spec_note_remedy(hed_spec_reader *reader, hed_json_node node)
{
    const hed_spec_remedy *remedy = reader->remedy;
    char comment[sizeof remedy->members + 64];
    size_t used = put_members(remedy, comment, sizeof comment, HED_SPEC_REMEDIES);
    if (!used) return;
    hed_spec_add_note(reader, node,
        hed_spec_text(reader, node,
            "the text alone lacks what this comment says, with which it is read: /* heddle {%s} */%s%s%s%s%s%s%s",
            comment,
            remedy->adds_defines ? ", in addition to the \"defines\" of its own comment" : "",
            remedy->members[HED_SPEC_DEFINES][0]
                ? "; \"defines\" are guesses, put the program's values there"
                : "",
            remedy->choices[0] ? "; its program defines one of " : "", remedy->choices,
            remedy->members[HED_SPEC_ENTRY][0] ? "; its entry points are " : "", remedy->entries,
            remedy->members[HED_SPEC_ENTRY][0] ? ": --entry NAME takes another" : ""));
}

void hed_spec_name_remedy(const hed_spec_remedy *remedy, hed_error *error)
{
    char comment[sizeof remedy->members + 64];
    size_t used = strlen(error->text);
    put_members(remedy, comment, sizeof comment, HED_SPEC_REMEDIES);
    snprintf(error->text + used, sizeof error->text - used,
        "; this is with the comment /* heddle {%s} */%s, which says what the text alone lacks%s%s",
        comment, remedy->adds_defines ? " in addition to the \"defines\" of its own" : "",
        remedy->choices[0] ? "; its program defines one of " : "", remedy->choices);
}

void hed_spec_add_note(hed_spec_reader *reader, hed_json_node node, const char *text)
{
    hed_tune_file *spec = reader->spec;
    spec->note = spec->note ? hed_spec_text(reader, node, "%s\n  %s", spec->note, text) : text;
}
