/* --explain-contact: the vertices that contact limited in one frame of a run, the pairs that
 * limited them, and the reasons. */
#include "run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERTEX_NAME = 128, PAIR_NAME = 4 * VERTEX_NAME + 32 };

/* ---- the option ---- */

static bool explain_vertex_read(
    const char *text, const cli_cloth_explanation *e, int32_t *vertex, hed_error *error)
{
    const char *slash = strrchr(text, '/'), *number = slash ? slash + 1 : text;
    uint32_t garments = hed_cloth_scene_garment_count(e->scene), g = 0, first_particle, first, end;
    size_t length = slash ? (size_t)(slash - text) : 0;
    while (slash && g < garments) {
        const char *name = hed_cloth_scene_garment_name(e->scene, g);
        if (strlen(name) == length && memcmp(name, text, length) == 0) break;
        g++;
    }
    if (g == garments || (!slash && garments > 1)) {
        hed_fail(error, HED_ERROR_ARGUMENT,
            "--explain-contact: vertex is \"%s\"; expected GARMENT/NUMBER, with the name of one of "
            "the %" PRIu32 " garments of the scene, such as %s/0",
            text, garments, hed_cloth_scene_garment_name(e->scene, 0));
        return false;
    }
    hed_cloth_garment_range(e->cloth, g, &first_particle, &first);
    end = hed_cloth_vertex_count(e->cloth);
    if (g + 1 < garments) hed_cloth_garment_range(e->cloth, g + 1, &first_particle, &end);
    char *rest;
    unsigned long value = strtoul(number, &rest, 10);
    if (*number < '0' || *number > '9' || *rest || value >= end - first) {
        hed_fail(error, HED_ERROR_ARGUMENT,
            "--explain-contact: vertex is \"%s\"; expected 0 to %" PRIu32, number, end - first - 1);
        return false;
    }
    *vertex = (int32_t)(first + value);
    return true;
}

hed_status cli_cloth_explain_open(
    cli_cloth_explanation *e, const char *text, uint32_t first, uint32_t frames, hed_error *error)
{
    if (!text) return HED_OK;
    char *rest;
    unsigned long frame = strtoul(text, &rest, 10);
    if (*text < '0' || *text > '9' || (*rest && *rest != ':') || frame <= first || frame > frames)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--explain-contact: frame is \"%s\"; expected FRAME or FRAME:VERTEX, with a frame of "
            "this run, %" PRIu32 " to %" PRIu32,
            text, first + 1, frames);
    e->vertex = HED_CLOTH_EXPLAIN_ALL;
    if (*rest && !explain_vertex_read(rest + 1, e, &e->vertex, error)) return error->status;
    e->frame = (uint32_t)frame;
    /* tested now, so that the run does not end at that frame */
    hed_cloth_explain_contact(e->cloth, e->vertex, error);
    return hed_cloth_explain_contact(e->cloth, HED_CLOTH_EXPLAIN_NONE, error);
}

hed_status cli_cloth_explain_begin(const cli_cloth_explanation *e, uint32_t frame, hed_error *error)
{
    if (!e->frame || frame != e->frame) return HED_OK;
    return hed_cloth_explain_contact(e->cloth, e->vertex, error);
}

hed_status cli_cloth_explain_end(cli_cloth_explanation *e, uint32_t frame, hed_error *error)
{
    if (hed_failed(error) || !e->frame || frame != e->frame) return error->status;
    const hed_cloth_contact_limit *limits = hed_cloth_contact_limits(e->cloth, &e->count);
    e->limits = calloc((size_t)e->count + 1, sizeof *e->limits);
    if (!e->limits) return HED_OUT_OF_MEMORY(error, "%" PRIu32 " limits of contact", e->count);
    if (limits) memcpy(e->limits, limits, e->count * sizeof *limits);
    return hed_cloth_explain_contact(e->cloth, HED_CLOTH_EXPLAIN_NONE, error);
}

/* ---- the report ---- */

/* Name of a vertex as the option takes it: "17", or "cape/17" with several garments. */
static const char *vertex_name(
    const cli_cloth_explanation *e, int32_t vertex, char name[VERTEX_NAME])
{
    uint32_t garments = hed_cloth_scene_garment_count(e->scene), g = garments, particle, first = 0;
    if (vertex < 0) return "";
    while (g-- > 0) {
        hed_cloth_garment_range(e->cloth, g, &particle, &first);
        if (first <= (uint32_t)vertex) break;
    }
    uint32_t number = (uint32_t)vertex - first;
    if (garments == 1) snprintf(name, VERTEX_NAME, "%" PRIu32, number);
    else
        snprintf(name, VERTEX_NAME, "%.100s/%" PRIu32, hed_cloth_scene_garment_name(e->scene, g), number);
    return name;
}

/* Name of a pair: "vertex 3, triangle 7 8 9"; "" without a pair. */
static const char *pair_name(
    const cli_cloth_explanation *e, const hed_cloth_contact_limit *limit, char name[PAIR_NAME])
{
    char ends[4][VERTEX_NAME];
    const char *text[4];
    if (limit->reason == HED_CLOTH_LIMIT_COVER || limit->reason == HED_CLOTH_LIMIT_CAPACITY)
        return "";
    for (int i = 0; i < 4; i++) text[i] = vertex_name(e, limit->pair[i], ends[i]);
    snprintf(name, PAIR_NAME, limit->edges ? "edge %s %s, edge %s %s" : "vertex %s, triangle %s %s %s",
        text[0], text[1], text[2], text[3]);
    return name;
}

static void explain_limit(
    cli_report *report, const cli_cloth_explanation *e, const hed_cloth_contact_limit *limit)
{
    char vertex[VERTEX_NAME], pair[PAIR_NAME];
    cli_report_row(report, CLI_WHOLE("substep", limit->substep, .heading = ">SUBSTEP"),
        CLI_WHOLE("iteration", limit->iteration, .heading = ">ITERATION"),
        CLI_TEXT("vertex", vertex_name(e, limit->vertex, vertex), .heading = "VERTEX",
            .shown = limit->vertex < 0 ? "all" : NULL),
        CLI_TEXT("reason", hed_cloth_limit_reason_name(limit->reason), .heading = "REASON"),
        CLI_TEXT("pair", pair_name(e, limit, pair), .heading = "PAIR"),
        CLI_NUMBER("gap", limit->gap, .heading = ">GAP (m)", .format = "%.4g"),
        CLI_NUMBER("requested", limit->requested, .heading = ">REQUESTED (m)", .format = "%.4g"),
        CLI_NUMBER("allowed", limit->allowed, .heading = ">ALLOWED (m)", .format = "%.4g"),
        CLI_NUMBER("completed", limit->fraction, .heading = ">COMPLETED", .format = "%.4g"),
        CLI_FLAG("continues", limit->continues, .heading = "THEN",
            .shown = limit->continues ? "continues in the next iteration" : "-"));
}

void cli_cloth_explain_json(const cli_cloth_explanation *e, cli_report *report)
{
    if (!e->frame) return;
    cli_report_open(report, "explained_contact");
    cli_report_more(report, CLI_WHOLE("frame", e->frame));
    cli_report_open_list(report, "limits");
    for (uint32_t i = 0; i < e->count; i++) explain_limit(report, e, e->limits + i);
    cli_report_close(report);
    cli_report_close(report);
}

/* Meaning of a reason, and the remedy. */
static const char *const meanings[HED_CLOTH_LIMIT_REASON_COUNT] = {
    "the pair is listed, and leaves the vertex alone",
    "the pair is nearer than the thickness allows, and pushes the vertex; nothing limits its motion",
    "a plane divides the gap of the pair, and the vertex stays on its side; more substeps help",
    "the gap is the smallest that floats resolve: the pair is frozen until something else parts it; "
    "more distance at the start helps",
    "contacts would push the vertex farther off its motion than the list of pairs covers; the rest "
    "follows in later substeps, more of which help",
    "more pairs could meet than there is capacity for, and all cloth was frozen; the capacity grows "
    "after three frames, and a smaller thickness needs less",
};

hed_status cli_cloth_explain_print(const cli_cloth_explanation *e, hed_error *error)
{
    char name[VERTEX_NAME];
    if (!e->frame) return HED_OK;
    printf("frame %" PRIu32 ": ", e->frame);
    if (e->count == 0 && e->vertex >= 0)
        printf("no pair is near vertex %s, so contact with cloth neither limits nor pushes it\n",
            vertex_name(e, e->vertex, name));
    else if (e->count == 0) puts("contact with cloth limited no vertex");
    else printf("contact with cloth, %" PRIu32 " lines\n", e->count);
    if (e->count == 0) return HED_OK;
    cli_report *report = cli_report_create(false);
    bool has[HED_CLOTH_LIMIT_REASON_COUNT] = {false};
    for (uint32_t i = 0; i < e->count; i++) {
        explain_limit(report, e, e->limits + i);
        has[e->limits[i].reason] = true;
    }
    hed_status status = cli_report_end(report, HED_OK, error);
    for (int r = 0; r < HED_CLOTH_LIMIT_REASON_COUNT; r++)
        if (has[r])
            printf("%s: %s\n", hed_cloth_limit_reason_name((hed_cloth_limit_reason)r), meanings[r]);
    return status;
}
