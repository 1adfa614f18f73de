/* heddle cloth drape: lets a garment come to rest on a body under its own weight. */
#include "run.h"

#include "heddle/author.h"
#include "cli/common/report.h"
#include "cli/common/progress.h"
#include "support/digits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const double RATE = 60; /* frames a second */
/* root mean square below which the garment is at rest, m/s */
static const double RESTING_SPEED = 0.01;
enum { LOOK_EVERY = 15 }; /* frames between two measurements of the speed */

typedef struct drape {
    const hed_arguments *arguments;
    bool quiet, json;
    cli_session session;
    hed_cloth_scene *scene;
    hed_cloth *cloth;
    uint32_t frames; /* number of frames done */
    bool at_rest;
    hed_cloth_metrics quality;
    cli_cloth_judgement crossings; /* crossings of the last frame */
} drape;

/* ---- the scene ---- */

/* Writes a path as a JSON string. */
static void cloth_drape_put_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c == '"' || *c == '\\') fprintf(file, "\\%c", *c);
        else if (*c < 32) fprintf(file, "\\u%04x", *c);
        else fputc(*c, file);
    fputc('"', file);
}

/* Makes and opens the scene that `drape` stands for. Strong damping lets the garment come to
 * rest. */
static hed_status open_scene(drape *d, hed_error *error)
{
    const hed_arguments *a = d->arguments;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file) return HED_OUT_OF_MEMORY(error, "the scene");
    fprintf(file, "{\"unit\": \"%s\", \"up\": \"%s\", \"substeps\": %" PRId64 ",\n \"garments\": [{\"mesh\": ",
        hed_text_of(a, "unit"), hed_text_of(a, "up"),
        hed_given(a, "substeps") ? hed_integer_of(a, "substeps") : 0);
    cloth_drape_put_string(file, hed_text_of(a, "GARMENT"));
    fprintf(file, ",\n  \"fabric\": \"%s\"", hed_text_of(a, "fabric"));
    fputs(
        ",\n  \"damping\": 0.9, \"friction\": 0.5, \"self_collision\": true}],\n \"colliders\": [{\"mesh\": ",
        file);
    cloth_drape_put_string(file, hed_text_of(a, "over"));
    fputs(", \"friction\": 0.5}]}\n", file);
    hed_cloth_scene_options options = {
        .mend = hed_given(a, "mend"), .warn = d->quiet ? NULL : cli_cloth_warn};
    if (fclose(file) != 0) HED_OUT_OF_MEMORY(error, "the scene");
    hed_cloth_scene_parse(text, size, "heddle cloth drape", "", &options, &d->scene, error);
    free(text);
    return error->status;
}

/* ---- falling ---- */

static hed_status fall(drape *d, hed_error *error)
{
    hed_cloth_def def = hed_cloth_scene_def(d->scene);
    double mass = 0; /* mass of the free particles, kg */
    for (uint32_t i = 0; i < def.garments[0].particle_count; i++)
        if (def.garments[0].inverse_masses[i] > 0)
            mass += 1 / (double)def.garments[0].inverse_masses[i];
    uint32_t limit = (uint32_t)ceil(RATE * hed_number_of(d->arguments, "seconds"));
    hed_progress progress = hed_progress_begin("cloth drape", "frames", limit, d->quiet || d->json);
    while (!error->status && d->frames < limit && !d->at_rest && !hed_interrupted()) {
        hed_cloth_frame frame;
        hed_cloth_scene_frame(d->scene, d->frames, RATE, &frame, error);
        if (hed_cloth_step(d->cloth, &frame, error) || ++d->frames % LOOK_EVERY) continue;
        d->at_rest = !hed_cloth_evaluate(d->cloth, &d->quality, error) &&
                     sqrt(2 * d->quality.kinetic_energy / mass) < RESTING_SPEED;
        hed_progress_update(&progress, d->frames);
    }
    hed_progress_end(&progress);
    hed_cloth_frame last;
    if (!hed_cloth_evaluate(d->cloth, &d->quality, error) &&
        !hed_cloth_scene_frame(d->scene, d->frames, RATE, &last, error))
        cli_cloth_judge(d->scene, d->cloth, &last, &d->crossings, error);
    return error->status;
}

/* ---- the result ---- */

static const char *const ENDINGS[] = {".obj", ".ply", ".glb"};
enum { OBJ, PLY, GLB, ENDING_COUNT };

/* Returns the index in ENDINGS; ENDING_COUNT: another ending. */
static int cloth_drape_ending_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    int ending = 0;
    while (dot && ending < ENDING_COUNT && strcasecmp(dot, ENDINGS[ending]) != 0) ending++;
    return dot ? ending : ENDING_COUNT;
}

static hed_status write_garment(drape *d, hed_error *error)
{
    size_t vertices = hed_cloth_vertex_count(d->cloth);
    const hed_cloth_mesh *mesh = hed_cloth_scene_mesh(d->scene, 0);
    float *positions = malloc(vertices * 3 * sizeof *positions),
          *normals = malloc(vertices * 3 * sizeof *normals);
    if (!positions || !normals) HED_OUT_OF_MEMORY(error, "%zu vertices", vertices);
    const char *path = hed_text_of(d->arguments, "out");
    const float *written = mesh->normals ? normals : NULL;
    int ending = cloth_drape_ending_of(path);
    const hed_cloth_stage stage = {
        "", RATE, hed_cloth_scene_unit(d->scene), hed_cloth_scene_def(d->scene).up};
    hed_cloth_read(d->cloth, positions, mesh->normals ? normals : NULL, NULL, error);
    if (ending == PLY) hed_cloth_mesh_save_ply(mesh, path, positions, NULL, error);
    else if (ending == GLB) hed_cloth_mesh_save_glb(mesh, path, &stage, positions, written, error);
    else hed_cloth_mesh_save_obj(mesh, path, positions, written, error);
    free(positions);
    free(normals);
    return error->status;
}

static hed_status cloth_drape_tell(const drape *d, hed_error *error)
{
    const char *out = hed_text_of(d->arguments, "out");
    if (!d->json) {
        printf("%s: %s after %s s; worst stretch %s %%, p99 %s %%, median %s %%\n", out,
            d->at_rest ? "at rest" : "still moving", hed_digits(d->frames / RATE, 2).text,
            hed_digits(100 * d->quality.worst_stretch, 2).text,
            hed_digits(100 * d->quality.stretch_p99, 2).text,
            hed_digits(100 * d->quality.stretch_p50, 2).text);
        printf("%" PRIu64 " pairs of its triangles cross, %" PRIu64 " cross the body\n",
            d->crossings.cloth, d->crossings.bodies);
        return HED_OK;
    }
    const hed_cloth_metrics *q = &d->quality;
    cli_report *report = cli_report_create(true);
    cli_report_row(report, CLI_TEXT("out", out),
        CLI_TEXT("device", hed_device_describe(d->session.devices[0]).id),
        CLI_FLAG("at_rest", d->at_rest), CLI_WHOLE("frames", d->frames),
        CLI_NUMBER("worst_stretch", q->worst_stretch), CLI_NUMBER("stretch_p99", q->stretch_p99),
        CLI_NUMBER("stretch_p50", q->stretch_p50), CLI_NUMBER("residual", q->residual),
        CLI_NUMBER("kinetic_energy", q->kinetic_energy), CLI_WHOLE("crossings", d->crossings.cloth),
        CLI_WHOLE("body_crossings", d->crossings.bodies));
    return cli_report_end(report, HED_OK, error);
}

/* ---- the command ---- */

static int cloth_drape_main(const hed_arguments *arguments, void *user)
{
    (void)user;
    drape d = {.arguments = arguments,
        .quiet = hed_given(arguments, "quiet"),
        .json = hed_given(arguments, "json")};
    hed_error error = {0};
    if (cloth_drape_ending_of(hed_text_of(arguments, "out")) == ENDING_COUNT) {
        fprintf(stderr, "heddle: --out %s: expected a name that ends with .obj, .ply or .glb\n",
            hed_text_of(arguments, "out"));
        return HED_EXIT_USAGE;
    }
    if (cli_open_devices(arguments, &d.session, &error)) return cli_fail(&error);
    if (!open_scene(&d, &error)) {
        hed_cloth_def def = hed_cloth_scene_def(d.scene);
        if (hed_given(arguments, "strict")) def.math = HED_MATH_STRICT;
        def.threads = (uint32_t)hed_integer_of(arguments, "threads");
        hed_cloth_create(d.session.devices[0], &def, &d.cloth, &error);
        if (hed_cloth_scene_mesh(d.scene, 0)->normals) hed_cloth_enable_normals(d.cloth, &error);
        if (!error.status && !d.quiet) cli_cloth_warn_of_crossings(d.scene, d.cloth, RATE, &error);
        if (!error.status && !fall(&d, &error) && !hed_interrupted() && !write_garment(&d, &error))
            cloth_drape_tell(&d, &error);
    }
    if (!error.status && hed_interrupted())
        fprintf(stderr,
            "heddle: interrupted after %s s of the fall: the garment is not at rest, and %s is not "
            "written\n",
            hed_digits(d.frames / RATE, 2).text, hed_text_of(arguments, "out"));
    hed_cloth_destroy(d.cloth);
    hed_cloth_scene_close(d.scene);
    cli_close(&d.session);
    return cli_end(error.status, &error);
}

static const char *const UNITS[] = {"m", "dm", "cm", "mm", "in", "ft", NULL};
static const char *const AXES[] = {"x", "y", "z", NULL};
static const hed_option OPTIONS[] = {
    OPTION("over", FILE, "BODY", "the mesh it falls on, a closed one", .required = true, .names = &cli_data_meshes),
    OPTION("out", OUTPUT, "FILE", "the garment where it came to rest: .obj, .ply or .glb",
        .letter = 'o', .required = true),
    OPTION("unit", CHOICE, "UNIT", "of both meshes", .choices = UNITS, .fallback = "m"),
    OPTION("up", CHOICE, "AXIS", "the axis that points up; gravity acts against it",
        .choices = AXES, .fallback = "y"),
    OPTION("seconds", NUMBER, "TIME", "the longest time to simulate; it ends earlier at rest",
        .fallback = "8", .low = 0.01, .high = 1000),
    OPTION("fabric", TEXT, "NAME", "what it is made of, as in a scene (docs/cloth-stiffness.md)", .fallback = "cotton"),
    OPTION("substeps", INTEGER, "COUNT", "per frame; more of them, less stretch (default: chosen)",
        .low = 1, .high = 1000),
    OPTION("device", TEXT, "ID", "device to use: its id, part of its name, or best", .letter = 'd', .names = &cli_device_names),
    CLI_OPTION_THREADS,
    FLAG("strict", "the same bits on every device"),
    FLAG("mend", "remove the faces of broken meshes where that is safe"),
    FLAG("json", "print JSON: one array with one object, nothing else"),
    {0},
};
static const hed_option POSITIONALS[] = {
    OPTION("GARMENT", FILE, NULL, "its mesh, placed around the body", .required = true, .names = &cli_data_meshes), {0}};
static const hed_example EXAMPLES[] = {
    {"heddle cloth drape shirt.obj --over body.obj --out draped.obj",
        "the shirt as it hangs on the body"},
    {"heddle cloth drape cape.obj --over body.obj --out draped.obj --unit cm --up z",
        "meshes in centimetres, z up"},
    {0}};

const hed_command hed_command_cloth_drape = {
    .name = "drape",
    .summary = "let a garment come to rest on a body",
    .description =
        "Lets a garment fall on a body that stands still, with collisions against it and against itself, "
        "until it lies. The vertices, texture coordinates, materials and groups of the result are those of "
        "the garment's file, in its order.\n\n"
        "For pins, painted maps, several garments or a body that moves write a scene: \"heddle cloth "
        "run\".",
    .options = OPTIONS,
    .positionals = POSITIONALS,
    .examples = EXAMPLES,
    .repeats = true,
    .run = cloth_drape_main,
};
