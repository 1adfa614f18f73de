/* Reads messages of a page, which are untrusted. */
#include "web/web.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/json.h"

enum { MOST_WIDTH = 1024 }; /* items in a subgroup */

void hed_web_fit(char *to, size_t size, const char *from)
{
    enum { DIGITS = 16 };
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    if (strlen(from) < size) {
        strcpy(to, from);
        return;
    }
    for (const char *c = from; *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    size_t head = size - 2 - DIGITS;
    memcpy(to, from, head);
    snprintf(to + head, size - head, "~%0*" PRIx64, DIGITS, hash);
}

/* Reads a text that fits, and replaces control characters, which a terminal would execute. */
static void read_text(hed_json_node object, const char *key, char *text, size_t size)
{
    text[0] = 0;
    if (!hed_json_has(object, key)) return;
    hed_web_fit(text, size, hed_json_string(hed_json_member(object, key)));
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = ' ';
}

static bool read_flag(hed_json_node object, const char *key)
{
    return hed_json_has(object, key) && hed_json_boolean(hed_json_member(object, key));
}

static double read_number(hed_json_node object, const char *key, double low, double high)
{
    return hed_json_number(hed_json_member(object, key), low, high);
}

static uint32_t read_limit(hed_json_node limits, const char *key)
{
    return (uint32_t)hed_json_integer(hed_json_member(limits, key), 1, UINT32_MAX);
}

static void page_read_limits(hed_json_node root, hed_page *page)
{
    hed_json_node limits = hed_json_member(root, "limits");
    page->max_group = read_limit(limits, "maxComputeInvocationsPerWorkgroup");
    page->max_group_size[0] = read_limit(limits, "maxComputeWorkgroupSizeX");
    page->max_group_size[1] = read_limit(limits, "maxComputeWorkgroupSizeY");
    page->max_group_size[2] = read_limit(limits, "maxComputeWorkgroupSizeZ");
    page->max_groups = read_limit(limits, "maxComputeWorkgroupsPerDimension");
    page->max_storage_buffers = read_limit(limits, "maxStorageBuffersPerShaderStage");
    page->max_uniform_buffers = read_limit(limits, "maxUniformBuffersPerShaderStage");
    page->max_bind_groups = read_limit(limits, "maxBindGroups");
    page->local_bytes = read_limit(limits, "maxComputeWorkgroupStorageSize");
    page->max_buffer =
        (uint64_t)hed_json_integer(hed_json_member(limits, "maxBufferSize"), 1, INT64_C(1) << 53);
    page->max_binding = (uint64_t)hed_json_integer(
        hed_json_member(limits, "maxStorageBufferBindingSize"), 1, INT64_C(1) << 53);
}

hed_status hed_page_read(const char *text, size_t size, hed_page *page, hed_error *error)
{
    hed_json *json;
    *page = (hed_page){0};
    if (hed_json_parse("the page", text, size, &json, error)) return error->status;
    hed_json_node root = hed_json_root(json);
    int64_t version = hed_json_integer(hed_json_member(root, "version"), 0, INT32_MAX);
    read_text(root, "agent", page->agent, sizeof page->agent);
    read_text(root, "error", page->error, sizeof page->error);
    if (version != HED_WEB_VERSION)
        hed_json_reject(
            root, "the page speaks version %lld, expected %d", (long long)version, HED_WEB_VERSION);
    if (!page->error[0] && hed_json_status(json, NULL) == HED_OK) {
        hed_json_node adapter = hed_json_member(root, "adapter");
        read_text(adapter, "vendor", page->vendor, sizeof page->vendor);
        read_text(adapter, "architecture", page->architecture, sizeof page->architecture);
        read_text(adapter, "device", page->device, sizeof page->device);
        read_text(adapter, "description", page->description, sizeof page->description);
        page->fallback = read_flag(adapter, "fallback");
        page->stamps = read_flag(root, "stamps");
        page->halves = read_flag(root, "halves");
        page->subgroups = read_flag(root, "subgroups");
        if (hed_json_has(root, "widths"))
            for (size_t i = 0; i < 2; i++)
                page->widths[i] = (uint32_t)hed_json_integer(
                    hed_json_item(hed_json_member(root, "widths"), i), 0, MOST_WIDTH);
        page->quantum_seconds = read_number(root, "quantum", 0, 1);
        page->floor_seconds = read_number(root, "floor", 0, 10);
        page_read_limits(root, page);
    }
    hed_status status = hed_json_status(json, error);
    hed_json_free(json);
    return status;
}

static void answer_read_trial(hed_json_node node, hed_page_trial *trial)
{
    /* outcomes that a page can report, and their hed_outcome */
    static const char *const outcomes[] = {"measured", "build", "launch", "wrong", "hung", NULL};
    static const hed_outcome values[] = {HED_OUTCOME_MEASURED, HED_OUTCOME_BUILD,
        HED_OUTCOME_LAUNCH, HED_OUTCOME_WRONG, HED_OUTCOME_HUNG};
    *trial = (hed_page_trial){.error = (double)NAN};
    uint32_t outcome = hed_json_choice(hed_json_member(node, "outcome"), outcomes);
    trial->outcome = values[outcome < sizeof values / sizeof *values ? outcome : 0];
    read_text(node, "text", trial->text, sizeof trial->text);
    if (hed_json_has(node, "build")) trial->build_seconds = read_number(node, "build", 0, 1e6);
    if (hed_json_has(node, "error")) trial->error = read_number(node, "error", 0, DBL_MAX);
    if (!hed_json_has(node, "samples")) return;
    hed_json_node samples = hed_json_member(node, "samples");
    size_t count = hed_json_count(samples);
    if (count > HED_WEB_SAMPLES)
        hed_json_reject(samples, "%zu samples, at most %d", count, HED_WEB_SAMPLES);
    for (size_t i = 0; i < count && i < HED_WEB_SAMPLES; i++)
        trial->samples[trial->count++] = hed_json_number(hed_json_item(samples, i), -1e6, 1e6);
}

hed_status hed_page_answer_read(
    const char *text, size_t size, hed_page_answer *answer, hed_error *error)
{
    hed_json *json;
    *answer = (hed_page_answer){0};
    if (hed_json_parse("the page", text, size, &json, error)) return error->status;
    hed_json_node root = hed_json_root(json), trials = hed_json_member(root, "trials");
    answer->id = (uint64_t)hed_json_integer(hed_json_member(root, "id"), 0, INT64_C(1) << 53);
    answer->lost = read_flag(root, "lost");
    answer->dead = read_flag(root, "dead");
    size_t count = hed_json_count(trials);
    if (count > HED_WEB_BATCH)
        hed_json_reject(trials, "%zu candidates, at most %d", count, HED_WEB_BATCH);
    for (size_t i = 0; i < count && i < HED_WEB_BATCH; i++)
        answer_read_trial(hed_json_item(trials, i), &answer->trials[answer->count++]);
    hed_status status = hed_json_status(json, error);
    hed_json_free(json);
    return status;
}
