/* See page_file.h. */
#include "cli/tune/page_file.h"

#include "heddle/author.h"
#include "support/json.h"

#include <stdio.h>
#include <string.h>

enum { HEAD = 12, VERSION = 1, MOST_THINGS = 1 << 16, MOST_LEVELS = 32, MOST_BINDING = 1 << 20 };

static uint32_t word_at(const char *bytes, size_t at)
{
    const unsigned char *b = (const unsigned char *)bytes + at;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Checks a buffer or texture, whose contents are within `room` bytes. */
static void check_thing(hed_json_node thing, int64_t room)
{
    int64_t at = hed_json_integer(hed_json_member(thing, "at"), 0, room),
            bytes = hed_json_integer(hed_json_member(thing, "bytes"), 0, room);
    hed_json_node size = hed_json_member(thing, "size");
    hed_json_integer(hed_json_member(thing, "usage"), 0, 1 << 20);
    if (at > room - bytes)
        hed_json_reject(thing, "contents end at byte %lld; expected at most %lld",
            (long long)(at + bytes), (long long)room);
    if (hed_json_kind_of(size) == HED_JSON_NUMBER) {
        hed_json_integer(size, 0, bytes + 3);
        return;
    }
    double sides[3];
    hed_json_numbers(size, sides, 3, 1, 1 << 20);
    hed_json_string(hed_json_member(thing, "format"));
    hed_json_string(hed_json_member(thing, "dimension"));
    hed_json_integer(hed_json_member(thing, "levels"), 1, MOST_LEVELS);
    hed_json_count(hed_json_member(thing, "viewFormats"));
}

static void check_shot(hed_json_node shot, size_t things)
{
    hed_json_node groups = hed_json_member(shot, "groups"),
                  indirect = hed_json_member(shot, "indirect");
    for (size_t g = 0; g < hed_json_count(groups); g++) {
        hed_json_node group = hed_json_item(groups, g);
        if (hed_json_kind_of(group) == HED_JSON_NULL) continue;
        hed_json_node entries = hed_json_member(group, "entries");
        hed_json_count(hed_json_member(group, "offsets"));
        for (size_t e = 0; e < hed_json_count(entries); e++) {
            hed_json_node entry = hed_json_item(entries, e);
            hed_json_integer(hed_json_member(entry, "binding"), 0, MOST_BINDING);
            if (hed_json_has(entry, "sampler")) continue;
            hed_json_integer(hed_json_member(entry, "thing"), 0, (int64_t)things - 1);
            for (int k = 0; k < 2; k++) {
                static const char *const keys[] = {"offset", "size"};
                if (hed_json_has(entry, keys[k]))
                    hed_json_integer(hed_json_member(entry, keys[k]), 0, INT64_C(1) << 40);
            }
        }
    }
    if (hed_json_kind_of(indirect) == HED_JSON_NULL) return;
    hed_json_integer(hed_json_member(indirect, "thing"), 0, (int64_t)things - 1);
    hed_json_integer(hed_json_member(indirect, "offset"), 0, INT64_C(1) << 40);
}

static void check_pipeline(hed_json_node pipeline, size_t things)
{
    hed_json_string(hed_json_member(pipeline, "code"));
    hed_json_string(hed_json_member(pipeline, "entry"));
    hed_json_next(hed_json_member(pipeline, "constants"), NULL);
    hed_json_integer(hed_json_member(pipeline, "dispatches"), 0, INT64_C(1) << 52);
    hed_json_count(hed_json_member(pipeline, "stack"));
    hed_json_node keys = hed_json_member(pipeline, "keys");
    for (size_t k = 0; k < hed_json_count(keys); k++) {
        hed_json_node key = hed_json_item(keys, k), shots = hed_json_member(key, "shots");
        double counts[3];
        hed_json_numbers(hed_json_member(key, "counts"), counts, 3, 0, 65535);
        hed_json_integer(hed_json_member(key, "seen"), 0, INT64_C(1) << 52);
        hed_json_count(hed_json_member(key, "stack"));
        for (size_t s = 0; s < hed_json_count(shots); s++)
            check_shot(hed_json_item(shots, s), things);
    }
}

static void check_header(hed_json_node root, int64_t room)
{
    hed_json_node things = hed_json_member(root, "things"),
                  pipelines = hed_json_member(root, "pipelines");
    size_t count = hed_json_count(things);
    hed_json_count(hed_json_member(root, "features"));
    hed_json_string(hed_json_member(root, "page"));
    hed_json_string(hed_json_member(root, "agent"));
    if (count > MOST_THINGS)
        hed_json_reject(
            things, "%zu buffers and textures; expected at most %d", count, MOST_THINGS);
    for (size_t i = 0; i < count && i < MOST_THINGS; i++)
        check_thing(hed_json_item(things, i), room);
    for (size_t i = 0; i < hed_json_count(pipelines); i++)
        check_pipeline(hed_json_item(pipelines, i), count);
}

hed_status page_file_check(const char *name, const char *bytes, size_t size, hed_error *error)
{
    hed_json *json;
    if (size < HEAD || memcmp(bytes, "HREC", 4) != 0)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: no recording of a page; expected a file that heddle-record.js has saved", name);
    if (word_at(bytes, 4) != VERSION)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: version is %u; expected %d. Record the page again", name, word_at(bytes, 4), VERSION);
    size_t length = word_at(bytes, 8);
    if (length > size - HEAD)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: header has %zu bytes, and the file %zu; the file is cut off", name, length, size - HEAD);
    if (hed_json_parse(name, bytes + HEAD, length, &json, error)) return error->status;
    check_header(hed_json_root(json), (int64_t)(size - HEAD - length));
    hed_json_status(json, error);
    hed_json_free(json);
    return error->status;
}
