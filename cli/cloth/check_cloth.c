/* heddle cloth check: finds cloth that passes through itself, other cloth or bodies, in every
 * sample of a point cache. */
#include "check_cloth.h"

#include "run.h"

#include "cli/common/progress.h"
#include "cli/common/report.h"
#include "engines/cloth/view/pictures.h"
#include "heddle/author.h"
#include "heddle/thread.h"
#include "support/digits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* places in the text report; places of each sample in the JSON report */
enum { SHOWN_PLACES = 8, LISTED_PLACES = 20 };

/* samples a second of an Alembic cache whose own are not evenly spaced */
#define UNEVEN_RATE 60.0

static hed_status cloth_check_starve(hed_error *error)
{
    return HED_OUT_OF_MEMORY(error, "what is checked");
}

uint64_t cloth_check_pairs(const hed_cloth_crossings *crossings)
{
    uint64_t pairs = 0;
    for (int kind = 0; kind < HED_CLOTH_CROSSING_KIND_COUNT; kind++)
        pairs += crossings->count[kind];
    return pairs;
}

/* ---- opening ---- */

static bool is_cache(const char *path)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    return dot && strcasecmp(dot, ".pc2") == 0;
}

/* True for FILE.abc and FILE.abc#OBJECT. */
static bool check_is_alembic(const char *path)
{
    const char *dot = strstr(path, ".abc");
    return dot && (dot[4] == 0 || dot[4] == '#');
}

/* Cuts the mesh into triangles, and lists the face of each triangle. */
static hed_status cut_faces(cloth_check_input *input, hed_error *error)
{
    const hed_cloth_mesh *mesh = &input->mesh;
    input->triangles = cloth_mesh_triangles(mesh, 0, 1, &input->triangle_count);
    input->face_of = malloc(((size_t)input->triangle_count + 1) * sizeof *input->face_of);
    if (!input->triangles || !input->face_of) return cloth_check_starve(error);
    for (uint32_t face = 0, t = 0; face < mesh->face_count; face++)
        for (uint32_t corner = mesh->face_at[face] + 2; corner < mesh->face_at[face + 1]; corner++)
            input->face_of[t++] = face;
    return HED_OK;
}

static hed_status open_input(
    cloth_check_input *input, const char *path, const char *mesh, bool body, hed_error *error)
{
    *input = (cloth_check_input){.path = path, .body = body};
    char *derived = !is_cache(path) || mesh ? NULL : cli_cloth_beside(path, NULL, "-mesh.obj");
    if (is_cache(path) && !mesh && !derived) return cloth_check_starve(error);
    if (is_cache(path)) hed_cloth_pc2_read(path, &input->cache, error);
    if (check_is_alembic(path)) hed_cloth_alembic_sample(path, UNEVEN_RATE, &input->cache, error);
    if (check_is_alembic(path) && input->cache.frame_count == 1) hed_cloth_pc2_free(&input->cache);
    const char *file = mesh ? mesh : derived ? derived : path;
    hed_cloth_mesh_read(file, &input->mesh, error);
    if (derived && error->status == HED_ERROR_IO && input->cache.positions)
        fprintf(stderr, "heddle: a cache holds no faces: name its mesh behind %s\n", path);
    if (!error->status && is_cache(path) && input->cache.vertex_count != input->mesh.vertex_count)
        hed_fail(error, HED_ERROR_FORMAT,
            "%s has %u vertices, and its mesh %s has %u: it belongs to another mesh", path,
            input->cache.vertex_count, file, input->mesh.vertex_count);
    if (!error->status && is_cache(path) && input->cache.frame_count == 0)
        hed_fail(error, HED_ERROR_FORMAT, "%s has no samples", path);
    if (!error->status) cut_faces(input, error);
    free(derived);
    return error->status;
}

/* Opens a list of meshes and caches, each cache followed by its mesh. */
static hed_status open_list(cloth_check *c, const char *option, bool body, hed_error *error)
{
    const char *path;
    for (uint32_t i = 0; !error->status && (path = hed_text_at(c->arguments, option, i)); i++) {
        cloth_check_input *inputs =
            realloc(c->inputs, ((size_t)c->input_count + 1) * sizeof *inputs);
        if (!inputs) return cloth_check_starve(error);
        c->inputs = inputs;
        const char *mesh = is_cache(path) ? hed_text_at(c->arguments, option, i + 1) : NULL;
        if (is_cache(mesh)) mesh = NULL;
        open_input(&c->inputs[c->input_count++], path, mesh, body, error);
        i += mesh != NULL;
    }
    return error->status;
}

/* Counts the samples: all caches of garments have the same number; caches of bodies may have
 * more. */
static hed_status count_samples(cloth_check *c, hed_error *error)
{
    const cloth_check_input *first = NULL;
    c->samples = 1;
    for (uint32_t i = 0; i < c->input_count; i++) {
        const cloth_check_input *input = &c->inputs[i];
        if (!input->cache.positions) continue;
        if (!first) {
            first = input;
            c->samples = input->cache.frame_count;
        } else if (input->body ? input->cache.frame_count < c->samples
                               : input->cache.frame_count != c->samples) {
            return hed_fail(error, HED_ERROR_FORMAT,
                "%s has %u samples, expected %u as in %s (a mesh alone stands still)", input->path,
                input->cache.frame_count, c->samples, first->path);
        }
    }
    c->found = calloc(c->samples, sizeof *c->found);
    return c->found ? HED_OK : cloth_check_starve(error);
}

static hed_status open_bodies_of_scene(cloth_check *c, hed_error *error)
{
    const char *path = hed_text_of(c->arguments, "scene");
    hed_cloth_scene_options options = {
        .warn = hed_given(c->arguments, "quiet") ? NULL : cli_cloth_warn};
    hed_cloth_frame frame;
    double matrix[12];
    if (!path) return HED_OK;
    if (hed_cloth_scene_open(path, &options, &c->scene, error)) return error->status;
    for (uint32_t i = 0; i < c->input_count; i++)
        if (check_is_alembic(c->inputs[i].path) && hed_cloth_scene_def(c->scene).up != 1)
            return hed_fail(error, HED_ERROR_UNSUPPORTED,
                "%s has y up, and %s does not: check point caches with --scene", c->inputs[i].path,
                path);
    for (uint32_t g = 0; g < hed_cloth_scene_garment_count(c->scene); g++)
        if (hed_cloth_scene_output(c->scene, g, 0, matrix))
            return hed_fail(error, HED_ERROR_UNSUPPORTED,
                "%s has an output_matrix: its caches are not where its bodies are; check without "
                "--scene, and name bodies in the same space with --body",
                path);
    c->rate = hed_given(c->arguments, "fps") ? hed_number_of(c->arguments, "fps")
                                             : hed_cloth_scene_rate(c->scene);
    if (cloth_check_move_scene(c, 0, &frame, error)) return error->status;
    c->unit = frame.transform ? 1 / (double)frame.transform[0] : 1;
    c->scene_surfaces = frame.mesh_count;
    c->scene_shapes = frame.collider_count;
    return HED_OK;
}

/* ---- all samples, in batches ---- */

typedef struct check_batch {
    cloth_check *check;
    cloth_check_moment *moments;
    hed_error *errors;
    uint32_t first;
} check_batch;

static void check_some(void *user, uint64_t begin, uint64_t end)
{
    const check_batch *batch = user;
    for (uint64_t i = begin; i < end; i++) {
        const cloth_check_moment *moment = &batch->moments[i];
        hed_cloth_check_def def = {.surfaces = moment->surfaces,
            .surface_count = moment->surface_count,
            .shapes = moment->shapes,
            .shape_count = moment->shape_count};
        hed_cloth_check(&def, &batch->check->found[batch->first + i], &batch->errors[i]);
    }
}

/* Counts the crossings of a sample; keeps the list of the worst sample complete, and shortens
 * the other lists. */
static void cloth_check_count(cloth_check *c, uint32_t sample)
{
    hed_cloth_crossings *crossings = &c->found[sample];
    uint64_t pairs = cloth_check_pairs(crossings);
    if (pairs == 0) return;
    if (c->crossed++ == 0) c->first = c->worst = sample;
    uint32_t shorter = sample;
    if (pairs > cloth_check_pairs(&c->found[c->worst])) {
        shorter = c->worst;
        c->worst = sample;
    }
    hed_cloth_crossings *trimmed = &c->found[shorter];
    if (shorter == c->worst || trimmed->pair_count <= LISTED_PLACES) return;
    hed_cloth_crossing *pair_list = realloc(trimmed->pairs, LISTED_PLACES * sizeof *pair_list);
    if (pair_list) trimmed->pairs = pair_list;
    trimmed->pair_count = LISTED_PLACES;
}

static hed_status check_samples(cloth_check *c, hed_team *team, hed_error *error)
{
    uint32_t at_once = 4 * hed_team_size(team);
    check_batch batch = {.check = c};
    batch.moments = calloc(at_once, sizeof *batch.moments);
    batch.errors = calloc(at_once, sizeof *batch.errors);
    bool allocated = batch.moments && batch.errors;
    for (uint32_t i = 0; allocated && i < at_once; i++)
        allocated = cloth_check_moment_make(c, &batch.moments[i]);
    if (!allocated) cloth_check_starve(error);
    hed_progress progress = hed_progress_begin("cloth check", "samples", c->samples,
        hed_given(c->arguments, "quiet") || hed_given(c->arguments, "json"));
    while (!error->status && c->checked < c->samples && !hed_interrupted()) {
        uint32_t left = c->samples - c->checked, count = left < at_once ? left : at_once;
        batch.first = c->checked;
        for (uint32_t i = 0; i < count; i++)
            cloth_check_moment_set(c, c->checked + i, &batch.moments[i], error);
        if (!error->status) hed_team_for(team, count, 1, check_some, &batch);
        for (uint32_t i = 0; i < count && !error->status; i++) {
            if (batch.errors[i].status)
                hed_fail(error, batch.errors[i].status, "sample %" PRIu32 ": %s", c->checked,
                    batch.errors[i].text);
            else cloth_check_count(c, c->checked++);
        }
        hed_progress_update(&progress, c->checked);
    }
    hed_progress_end(&progress);
    for (uint32_t i = 0; batch.moments && i < at_once; i++)
        cloth_check_moment_free(&batch.moments[i]);
    free(batch.moments);
    free(batch.errors);
    return error->status;
}

/* ---- the report ---- */

enum { CHECK_NAME = 48 };

/* Returns the name of a pair's side: its file; for a scene's bodies and shapes a number, written
 * to `text`. */
static const char *cloth_check_name(
    const cloth_check *c, const hed_cloth_crossing *pair, int side, char text[CHECK_NAME])
{
    uint32_t surface = pair->surface[side];
    bool shape = side == 1 && pair->kind == HED_CLOTH_CROSSES_SHAPE;
    if (!shape && surface < c->input_count) return c->inputs[surface].path;
    if (shape) snprintf(text, CHECK_NAME, "shape %" PRIu32 " of the scene", surface);
    else snprintf(text, CHECK_NAME, "body %" PRIu32 " of the scene", surface - c->input_count);
    return text;
}

/* Returns the face in its file, from 0; for a scene's body the triangle. */
static uint32_t cloth_check_face(const cloth_check *c, const hed_cloth_crossing *pair, int side)
{
    uint32_t surface = pair->surface[side], triangle = pair->triangle[side];
    if (side == 1 && pair->kind == HED_CLOTH_CROSSES_SHAPE) return 0;
    return surface < c->input_count ? c->inputs[surface].face_of[triangle] : triangle;
}

static const char *const KIND_KEYS[] = {"itself", "cloth", "bodies", "shapes"};

static hed_status cloth_check_tell_json(const cloth_check *c, hed_error *error)
{
    cli_report *report = cli_report_create(true);
    cli_report_row(report, CLI_TEXT("file", c->inputs[0].path), CLI_WHOLE("samples", c->samples),
        CLI_WHOLE("checked", c->checked), CLI_WHOLE("samples_with_crossings", c->crossed));
    if (c->crossed)
        cli_report_more(report, CLI_WHOLE("first_sample", c->first),
            CLI_WHOLE("worst_sample", c->worst),
            CLI_WHOLE("worst_pairs", cloth_check_pairs(&c->found[c->worst])));
    uint64_t tests = 0, exact = 0;
    for (uint32_t i = 0; i < c->checked; i++) {
        tests += c->found[i].tests;
        exact += c->found[i].exact;
    }
    cli_report_more(report, CLI_WHOLE("pairs_tested", tests), CLI_WHOLE("exact_signs", exact));
    cli_report_open_list(report, "crossings");
    for (uint32_t i = 0; i < c->checked; i++) {
        const hed_cloth_crossings *crossings = &c->found[i];
        if (cloth_check_pairs(crossings) == 0) continue;
        cli_report_begin(report);
        cli_report_more(report, CLI_WHOLE("sample", i));
        for (int kind = 0; kind < HED_CLOTH_CROSSING_KIND_COUNT; kind++)
            cli_report_more(report, CLI_WHOLE(KIND_KEYS[kind], crossings->count[kind]));
        cli_report_more(report, CLI_NUMBER("deepest", crossings->deepest));
        cli_report_open_list(report, "places");
        for (uint32_t p = 0; p < crossings->pair_count && p < LISTED_PLACES; p++) {
            const hed_cloth_crossing *pair = &crossings->pairs[p];
            char texts[2][CHECK_NAME];
            const char *names[2];
            for (int side = 0; side < 2; side++)
                names[side] = cloth_check_name(c, pair, side, texts[side]);
            cli_report_begin(report);
            cli_report_more(report, CLI_TEXT("kind", KIND_KEYS[pair->kind]),
                CLI_TEXT("first", names[0]), CLI_WHOLE("first_face", cloth_check_face(c, pair, 0)),
                CLI_TEXT("second", names[1]),
                CLI_WHOLE("second_face", cloth_check_face(c, pair, 1)),
                CLI_NUMBER("x", pair->place[0]), CLI_NUMBER("y", pair->place[1]),
                CLI_NUMBER("z", pair->place[2]), CLI_NUMBER("depth", pair->depth));
        }
        cli_report_close(report);
    }
    cli_report_close(report);
    return cli_report_end(report, HED_OK, error);
}

static void cloth_check_tell(const cloth_check *c)
{
    printf("%s: ", c->inputs[0].path);
    if (c->crossed == 0) {
        printf("nothing crosses in %" PRIu32 " sample%s\n", c->checked, c->checked == 1 ? "" : "s");
        return;
    }
    const hed_cloth_crossings *worst = &c->found[c->worst];
    printf("%" PRIu32 " of %" PRIu32 " samples have crossings, the first is sample %" PRIu32
           "\nsample %" PRIu32 " has most:",
        c->crossed, c->checked, c->first, c->worst);
    const char *comma = "";
    for (int kind = 0; kind < HED_CLOTH_CROSSING_KIND_COUNT; kind++) {
        if (worst->count[kind] == 0) continue;
        bool shape = kind == HED_CLOTH_CROSSES_SHAPE, is_single = worst->count[kind] == 1;
        printf("%s %" PRIu64 " %s%s%s %s", comma, worst->count[kind], shape ? "triangle" : "pair",
            is_single ? "" : "s", shape ? "" : " of triangles",
            hed_cloth_crossing_kind_name((hed_cloth_crossing_kind)kind));
        comma = ",";
    }
    if (worst->deepest > 0) printf(", at most %s deep", hed_digits(worst->deepest, 3).text);
    putchar('\n');
    for (uint32_t p = 0; p < worst->pair_count && p < SHOWN_PLACES; p++) {
        const hed_cloth_crossing *pair = &worst->pairs[p];
        char text[CHECK_NAME];
        const char *second = cloth_check_name(c, pair, 1, text);
        printf("  face %" PRIu32 " of %s and ", cloth_check_face(c, pair, 0),
            c->inputs[pair->surface[0]].path);
        if (pair->kind != HED_CLOTH_CROSSES_SHAPE)
            printf("face %" PRIu32 " of ", cloth_check_face(c, pair, 1));
        printf("%s at %.6g %.6g %.6g\n", second, pair->place[0], pair->place[1], pair->place[2]);
    }
    uint64_t pairs = cloth_check_pairs(worst);
    if (pairs > SHOWN_PLACES) printf("  and %" PRIu64 " more\n", pairs - SHOWN_PLACES);
}

/* ---- the command ---- */

static void cloth_check_close(cloth_check *c)
{
    for (uint32_t i = 0; i < c->input_count; i++) {
        hed_cloth_mesh_free(&c->inputs[i].mesh);
        hed_cloth_pc2_free(&c->inputs[i].cache);
        free(c->inputs[i].triangles);
        free(c->inputs[i].face_of);
    }
    for (uint32_t i = 0; c->found && i < c->samples; i++) hed_cloth_crossings_free(&c->found[i]);
    free(c->found);
    free(c->inputs);
    hed_cloth_scene_close(c->scene);
}

static int cloth_check_main(const hed_arguments *arguments, void *user)
{
    (void)user;
    cloth_check c = {.arguments = arguments};
    hed_error error = {0};
    hed_team *team = NULL;
    const char *picture = hed_text_of(arguments, "picture");
    hed_interrupt_install();
    open_list(&c, "FILE", false, &error);
    open_list(&c, "body", true, &error);
    if (!error.status) count_samples(&c, &error);
    if (!error.status) open_bodies_of_scene(&c, &error);
    if (!error.status)
        hed_team_create(NULL, (uint32_t)hed_integer_of(arguments, "threads"), &team, &error);
    if (!error.status) check_samples(&c, team, &error);
    hed_team_destroy(team);
    bool whole = c.checked == c.samples;
    if (!error.status && hed_given(arguments, "json")) cloth_check_tell_json(&c, &error);
    else if (!error.status) cloth_check_tell(&c);
    if (!error.status && picture) cloth_check_picture(&c, picture, &error);
    if (!error.status && !whole)
        fprintf(stderr, "heddle: interrupted after %" PRIu32 " of %" PRIu32 " samples\n", c.checked,
            c.samples);
    bool bad = c.crossed > 0 && hed_given(arguments, "fail");
    cloth_check_close(&c);
    if (error.status) return cli_fail(&error);
    return !whole ? HED_EXIT_INTERRUPTED : bad ? HED_EXIT_FAILURE : HED_EXIT_OK;
}

static const char *const AXES[] = {"x", "y", "z", NULL};
static const hed_option OPTIONS[] = {
    OPTION("body", FILE, "BODY", "a mesh that stands still, or a cache and its mesh",
        .repeated = true, .several = true),
    OPTION("scene", FILE, "SCENE",
        "the scene of these caches: its colliders are bodies, planes, spheres and capsules too",
        .names = &cli_data_scenes),
    OPTION("fps", NUMBER, "RATE", "frames per second, if the run had others than the scene",
        .low = 1, .high = 10000),
    OPTION("picture", OUTPUT, "FILE", "draw where the worst sample crosses, as PNG",
        .endings = ".png"),
    OPTION("up", CHOICE, "AXIS",
        "the axis that points up in the picture (with --scene: the scene's)", .choices = AXES,
        .fallback = "y"),
    OPTION("threads", INTEGER, "COUNT", "samples at a time (default: one for each processor)",
        .low = 1, .high = 1024),
    FLAG("fail", "exit with 1 if anything crosses, for continuous integration"),
    FLAG("json", "print JSON: one array with one object, nothing else"),
    {0},
};
static const hed_option POSITIONALS[] = {
    OPTION("FILE", FILE, NULL,
        "a point cache and its mesh for each garment; a mesh alone stands still", .required = true,
        .repeated = true),
    {0}};
static const hed_example EXAMPLES[] = {{"heddle cloth check flag.pc2 flag-mesh.obj",
                                           "every sample; -mesh.obj is also found by itself"},
    {"heddle cloth check shirt.pc2 coat.pc2 --body walk.pc2 body.obj --picture where.png",
        "two garments on a body that walks"},
    {"heddle cloth check flag.pc2 --scene flag.json --fail",
        "against the scene's colliders, in CI"},
    {0}};

const hed_command hed_command_cloth_check = {
    .name = "check",
    .summary = "find where cloth passes through itself or through bodies",
    .description =
        "Counts pairs of triangles that cross in every sample of point caches: within a garment, between "
        "garments, and with bodies. An edge passes through a triangle where its ends lie strictly on "
        "both sides, which is decided exactly; what only touches does not cross. With planes, spheres "
        "and capsules of a scene it counts triangles that reach in by more than rounding.\n\n"
        "An Alembic cache (.abc) has its faces with it. Caches of several garments are named one behind "
        "another, and have as many samples. Sample 0 is the start. Faces are counted from 0, as Blender does.",
    .options = OPTIONS,
    .positionals = POSITIONALS,
    .examples = EXAMPLES,
    .run = cloth_check_main,
};
