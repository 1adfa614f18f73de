/* Player of the page of heddle cloth view: frames, settings, held vertices and recordings. */
#include "view_player.h"

#include "heddle/author.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Drag and lift of a garment that has neither, in a wind of the page. */
static const float DRAG = 1.0f, LIFT = 0.3f;
/* Pause between two measurements: at least this long, and this many times their duration. */
static const uint64_t MEASURE_PAUSE = 400000000, MEASURE_SHARE = 10;

/* ---- the cloth ---- */

static void view_cloth_close(view_cloth *cloth)
{
    hed_cloth_destroy(cloth->cloth);
    hed_cloth_hold_destroy(cloth->hold);
    hed_arena_free(&cloth->arena);
    *cloth = (view_cloth){0};
}

/* Gives a garment another fabric, whose density changes its masses. */
static hed_status view_dress(view_cloth *cloth, hed_cloth_garment_def *garment,
    const hed_cloth_fabric *fabric, hed_error *error)
{
    float *masses = hed_arena_new(&cloth->arena, garment->particle_count, sizeof *masses, error);
    if (!masses) return HED_ERROR_MEMORY;
    for (uint32_t i = 0; i < garment->particle_count; i++)
        masses[i] = garment->inverse_masses[i] * garment->density / fabric->density;
    garment->inverse_masses = masses;
    garment->density = fabric->density;
    garment->fabric = fabric;
    return HED_OK;
}

/* Copies the scene's garments and changes them by the settings. */
static hed_status view_define(
    view_cloth *cloth, const view_settings *settings, hed_cloth_def *def, hed_error *error)
{
    hed_cloth_garment_def *garments =
        hed_arena_new(&cloth->arena, def->garment_count, sizeof *garments, error);
    if (!garments) return HED_ERROR_MEMORY;
    const hed_cloth_fabric *fabric =
        settings->fabric[0] ? hed_cloth_fabric_named(settings->fabric) : NULL;
    if (settings->fabric[0] && !fabric)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: no such fabric", settings->fabric);
    for (uint32_t g = 0; g < def->garment_count; g++) {
        garments[g] = def->garments[g];
        if (fabric && view_dress(cloth, &garments[g], fabric, error)) return error->status;
        if (settings->thickness >= 0) garments[g].thickness = (float)settings->thickness;
        if (settings->has_wind && garments[g].drag == 0 && garments[g].lift == 0) {
            garments[g].drag = DRAG;
            garments[g].lift = LIFT;
        }
    }
    def->garments = garments;
    /* the scene's substeps suit its own fabrics; a lighter one would burst under pressure */
    if (settings->substeps || fabric) def->substeps = settings->substeps;
    return HED_OK;
}

/* Creates the cloth of the scene with settings. */
static hed_status view_cloth_open(
    const view_player *player, const view_settings *settings, view_cloth *cloth, hed_error *error)
{
    hed_cloth_def def = hed_cloth_scene_def(player->scene);
    *cloth = (view_cloth){.arena = {.owner = "the view"}};
    if (!view_define(cloth, settings, &def, error) &&
        !hed_cloth_hold_create(&def, &cloth->hold, error)) {
        def = hed_cloth_hold_def(cloth->hold);
        if (player->strict) def.math = HED_MATH_STRICT;
        def.threads = player->threads;
        if (!hed_cloth_create(player->device, &def, &cloth->cloth, error))
            hed_cloth_enable_normals(cloth->cloth, error);
    }
    if (hed_failed(error)) view_cloth_close(cloth);
    return error->status;
}

hed_status view_player_set(view_player *player, const view_settings *settings, hed_error *error)
{
    const view_settings *before = &player->settings;
    bool needs_cloth =
        strcmp(before->fabric, settings->fabric) != 0 || before->thickness != settings->thickness ||
        before->substeps != settings->substeps || before->has_wind != settings->has_wind;
    if (needs_cloth) {
        view_cloth next;
        if (view_cloth_open(player, settings, &next, error)) return error->status;
        if (player->number > 0 && hed_cloth_continue(next.cloth, player->present.cloth, error)) {
            view_cloth_close(&next);
            return error->status;
        }
        view_cloth_close(&player->present);
        player->present = next;
        player->measured = 0;
        player->grip_count = 0;
        if (player->output) cli_cloth_output_use(player->output, next.cloth);
    }
    player->settings = *settings;
    return HED_OK;
}

/* ---- opening ---- */

hed_status view_player_open(
    const hed_arguments *arguments, hed_device *device, view_player *player, hed_error *error)
{
    hed_cloth_scene_options options = {
        .warn = hed_given(arguments, "quiet") ? NULL : cli_cloth_warn};
    *player = (view_player){.device = device,
        .strict = hed_given(arguments, "strict"),
        .threads = (uint32_t)hed_integer_of(arguments, "threads"),
        .settings = {.thickness = -1, .gravity = -1},
        .scale = 1};
    if (hed_cloth_scene_open(hed_text_of(arguments, "SCENE"), &options, &player->scene, error) ||
        view_cloth_open(player, &player->settings, &player->present, error))
        return error->status;
    player->vertices = hed_cloth_vertex_count(player->present.cloth);
    player->has_contact = cli_cloth_has_contact(player->scene);
    size_t bytes = 3 * (size_t)player->vertices * sizeof(float);
    player->positions = malloc(bytes + 1);
    player->normals = malloc(bytes + 1);
    player->metres = malloc(bytes + 1);
    player->grips = calloc(VIEW_MAX_GRIPS, sizeof *player->grips);
    if (!player->positions || !player->normals || !player->metres || !player->grips)
        return HED_OUT_OF_MEMORY(error, "the view");
    hed_cloth_frame frame;
    if (hed_cloth_scene_frame(player->scene, 0, hed_cloth_scene_rate(player->scene), &frame, error))
        return error->status;
    if (frame.transform) player->scale = frame.transform[0];
    return view_player_restart(player, error);
}

hed_status view_player_close(view_player *player, hed_error *error)
{
    hed_status status = cli_cloth_output_close(player->output, error);
    player->output = NULL;
    view_cloth_close(&player->present);
    hed_cloth_scene_close(player->scene);
    free(player->positions);
    free(player->normals);
    free(player->metres);
    free(player->grips);
    return status;
}

hed_status view_player_restart(view_player *player, hed_error *error)
{
    if (view_player_record(player, false, error)) return error->status;
    view_player_hold(player, NULL, 0, error);
    if (hed_cloth_reset(player->present.cloth, error) ||
        hed_cloth_read(player->present.cloth, NULL, player->normals, NULL, error))
        return error->status;
    hed_cloth_scene_start(player->scene, player->positions);
    player->number = player->measured = 0;
    return HED_OK;
}

/* ---- frames ---- */

hed_status view_player_hold(
    view_player *player, const view_grip *grips, uint32_t count, hed_error *error)
{
    view_cloth *present = &player->present;
    for (uint32_t i = 0; i < player->grip_count; i++) {
        bool stays = false;
        for (uint32_t k = 0; k < count; k++) stays |= grips[k].vertex == player->grips[i].vertex;
        if (!stays)
            hed_cloth_hold_release(present->hold, present->cloth, player->grips[i].vertex, error);
    }
    player->grip_count = 0;
    for (uint32_t k = 0; k < count && k < VIEW_MAX_GRIPS; k++) {
        float place[3];
        for (int axis = 0; axis < 3; axis++) place[axis] = grips[k].place[axis] / player->scale;
        hed_error cause = {0};
        hed_status status = hed_cloth_hold_vertex(present->hold, grips[k].vertex, place, &cause);
        if (status == HED_OK) player->grips[player->grip_count++] = grips[k];
        else if (status != HED_ERROR_UNSUPPORTED) /* a pin of the scene stays where it is */
            return hed_fail(error, status, "%s", cause.text);
    }
    return error->status;
}

/* Adds the page's gravity, wind and hand to the input of a frame. */
static hed_status view_add_input(view_player *player, hed_cloth_frame *frame, hed_error *error)
{
    const view_settings *settings = &player->settings;
    const uint32_t up = hed_cloth_scene_def(player->scene).up;
    if (settings->has_wind) memcpy(frame->wind, settings->wind, sizeof frame->wind);
    if (settings->gravity >= 0) {
        float *g = frame->gravity, size = sqrtf(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
        if (size == 0) g[up] = size = -1;
        for (int k = 0; k < 3; k++) g[k] *= (float)settings->gravity / fabsf(size);
    }
    if (player->grip_count)
        for (size_t i = 0; i < 3 * (size_t)player->vertices; i++)
            player->metres[i] = player->positions[i] / player->scale;
    return hed_cloth_hold_frame(
        player->present.hold, player->present.cloth, player->metres, frame, error);
}

/* Measures stretch and crossings now and then: a measurement reads all positions. The hand, which
 * stops where the cloth is stretched, needs the stretch of every frame. */
static hed_status view_measure(view_player *player, const hed_cloth_frame *frame, hed_error *error)
{
    uint64_t begin = hed_now();
    bool is_due = begin >= player->next_measure;
    if (!is_due && player->grip_count == 0) return HED_OK;
    if (hed_cloth_evaluate(player->present.cloth, &player->quality, error)) return error->status;
    player->measured = player->number;
    if (!is_due) return HED_OK;
    if (player->has_contact)
        cli_cloth_judge(player->scene, player->present.cloth, frame, &player->crossings, error);
    uint64_t end = hed_now(), share = MEASURE_SHARE * (end - begin);
    player->next_measure = end + (share > MEASURE_PAUSE ? share : MEASURE_PAUSE);
    return error->status;
}

hed_status view_player_step(view_player *player, hed_error *error)
{
    static const double weight = 0.1; /* weight of the newest frame in the average */
    hed_cloth *cloth = player->present.cloth;
    hed_cloth_frame frame;
    if (hed_cloth_scene_frame(
            player->scene, player->number, hed_cloth_scene_rate(player->scene), &frame, error) ||
        view_add_input(player, &frame, error))
        return error->status;
    uint64_t begin = hed_now();
    if (hed_cloth_step(cloth, &frame, error) || hed_cloth_wait(cloth, error)) return error->status;
    double milliseconds = 1e-6 * (double)(hed_now() - begin);
    player->milliseconds +=
        player->milliseconds > 0 ? weight * (milliseconds - player->milliseconds) : milliseconds;
    player->number++;
    if (hed_cloth_read(cloth, player->positions, player->normals, NULL, error))
        return error->status;
    if (player->output && !cli_cloth_output_frame(player->output, player->number, false, error))
        player->recorded++;
    return hed_failed(error) ? error->status : view_measure(player, &frame, error);
}

/* ---- recording ---- */

/* Finds a name for a cache: the requested one, or, where that file exists, with a number. */
static hed_status view_name_recording(
    view_player *player, cli_cloth_output_def *def, hed_error *error)
{
    enum { MAX_RECORDINGS = 9999 };
    const char *ending = strrchr(player->cache, '.');
    int stem = (int)(ending && strcmp(ending, ".pc2") == 0 ? (size_t)(ending - player->cache)
                                                           : strlen(player->cache));
    for (int number = 1; number <= MAX_RECORDINGS; number++) {
        if (number == 1) snprintf(player->recording, PATH_MAX, "%.*s.pc2", stem, player->cache);
        else snprintf(player->recording, PATH_MAX, "%.*s-%d.pc2", stem, player->cache, number);
        def->cache = player->recording;
        if (!cli_cloth_output_exists(def)) return HED_OK;
    }
    return hed_fail(error, HED_ERROR_IO, "%s: %d caches of this name exist", player->cache, MAX_RECORDINGS);
}

hed_status view_player_record(view_player *player, bool records, hed_error *error)
{
    if (records == (player->output != NULL)) return HED_OK;
    if (!records) {
        cli_cloth_output *output = player->output;
        player->output = NULL;
        return cli_cloth_output_close(output, error);
    }
    cli_cloth_output_def def = {.scene = player->scene,
        .cloth = player->present.cloth,
        .begin = player->number,
        .start = player->number ? player->positions : NULL};
    player->recorded = 0;
    if (view_name_recording(player, &def, error) ||
        cli_cloth_output_announce(&def, NULL, 0, 0, error))
        return error->status;
    return cli_cloth_output_open(&def, 0, &player->output, error);
}
