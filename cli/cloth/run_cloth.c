/* heddle cloth run: simulates a scene file frame by frame into a point cache. */
#include "run.h"

#include "heddle/author.h"
#include "cli/common/progress.h"
#include "support/sources.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t SAVE_PAUSE = 10000000000u; /* pause between two saved states, ns */

typedef struct cloth_run {
    const hed_arguments *arguments;
    bool quiet, json;
    cli_session session;
    char devices[256]; /* ids */
    hed_cloth_scene *scene;
    hed_cloth *cloth;
    cli_cloth_output *output;
    const char *path, *cache;
    char *state_path; /* NULL: no cache, no state */
    cli_cloth_origin origin;
    cloth_studio studio; /* light and ground in earlier runs */
    double rate;
    uint32_t first, frames; /* frames done by earlier runs; frames in all */
    uint32_t done, saved;   /* frames in the caches; frames in the state */
    double *seconds;
    cli_cloth_explanation explanation;
} cloth_run;

/* ---- opening ---- */

static hed_status open_cloth(cloth_run *r, hed_error *error)
{
    const hed_arguments *a = r->arguments;
    hed_cloth_scene_options options = {
        .tethers = hed_given(a, "tethers"), .mend = hed_given(a, "mend")};
    options.substeps = (uint32_t)hed_integer_of(a, "substeps");
    options.warn = r->quiet ? NULL : cli_cloth_warn;
    if (hed_cloth_scene_open(r->path, &options, &r->scene, error)) return error->status;
    r->rate = hed_given(a, "fps") ? hed_number_of(a, "fps") : hed_cloth_scene_rate(r->scene);
    r->frames = hed_given(a, "frames") ? (uint32_t)hed_integer_of(a, "frames")
                                       : hed_cloth_scene_frames(r->scene);
    if (r->frames == 0)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--frames is missing: %s has no \"frames\" either; expected their number", r->path);
    hed_cloth_def def = hed_cloth_scene_def(r->scene);
    if (hed_given(a, "strict")) def.math = HED_MATH_STRICT;
    def.threads = (uint32_t)hed_integer_of(a, "threads");
    def.other_devices = r->session.devices + 1;
    def.other_device_count = r->session.count - 1;
    cli_device_ids(r->session.devices, r->session.count, r->devices, sizeof r->devices);
    hed_cloth_create(r->session.devices[0], &def, &r->cloth, error);
    r->explanation.scene = r->scene;
    r->explanation.cloth = r->cloth;
    return error->status;
}

/* Finds the frame to continue from, with --resume. */
static hed_status find_start(cloth_run *r, hed_error *error)
{
    char settings[128];
    const hed_arguments *a = r->arguments;
    snprintf(settings, sizeof settings, " %.17g %d %d %d %" PRId64, r->rate, hed_given(a, "strict"),
        hed_given(a, "tethers"), hed_given(a, "mend"), hed_integer_of(a, "substeps"));
    cli_cloth_origin_of(r->path, settings, r->devices, &r->origin, error);
    r->state_path = r->cache ? cli_cloth_beside(r->cache, NULL, ".state") : NULL;
    if (error->status || !r->cache) return error->status;
    if (!r->state_path) return HED_OUT_OF_MEMORY(error, "a name");
    if (!hed_given(a, "resume")) return HED_OK;
    bool moved;
    if (cli_cloth_state_load(
            r->state_path, &r->origin, r->cloth, &r->studio, &r->first, &moved, error))
        return error->status;
    if (r->first == 0 && !r->quiet)
        fprintf(
            stderr, "heddle: there is no %s to go on from: the run begins anew\n", r->state_path);
    if (moved && !r->quiet)
        fputs(
            "heddle: warning: the run was begun on another device; what follows has other bits than there\n",
            stderr);
    r->done = r->saved = r->first;
    return HED_OK;
}

/* Checks the names of all outputs. */
static hed_status cloth_run_plan_output(
    const cloth_run *r, cli_cloth_output_def *def, hed_error *error)
{
    const hed_arguments *a = r->arguments;
    *def = (cli_cloth_output_def){.scene = r->scene, .cloth = r->cloth, .cache = r->cache};
    def->glb = hed_text_of(a, "glb");
    def->obj_every = (uint32_t)hed_integer_of(a, "obj-every");
    def->ply_every = (uint32_t)hed_integer_of(a, "ply-every");
    def->png_every = (uint32_t)hed_integer_of(a, "png-every");
    def->picture_kind = (cloth_picture_kind)hed_choice_of(a, "pictures");
    struct stat about;
    if (r->cache && stat(r->cache, &about) == 0 && !S_ISREG(about.st_mode))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--out %s: no regular file, and files would appear beside it; expected the name of a point "
            "cache",
            r->cache);
    if (!r->cache && (def->obj_every || def->ply_every || def->png_every))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--obj-every, --ply-every and --png-every name their files "
            "after --out FILE, which is not given");
    if (!r->cache && hed_given(a, "animated"))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--animated is made of the point cache of --out FILE, which is not given");
    const char *animated = hed_text_of(a, "animated"),
               *dot = animated ? strrchr(animated, '.') : NULL;
    if (dot && strcmp(dot, ".usda") == 0 && hed_cloth_scene_def(r->scene).up == 0)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--animated %s: the vertical axis of %s is x, and USD has y and z; expected a .glb or .abc file",
            animated, r->path);
    return cli_cloth_output_announce(def, hed_text_of(a, "animated"), r->first, r->frames, error);
}

static hed_status cloth_run_open_output(
    cloth_run *r, const cli_cloth_output_def *def, hed_error *error)
{
    uint32_t count = r->frames > r->first ? r->frames - r->first : 0;
    r->seconds = calloc((size_t)count + 1, sizeof *r->seconds);
    if (!r->seconds) return HED_OUT_OF_MEMORY(error, "the times of %" PRIu32 " frames", count);
    /* The state of an older run belongs to a cache that is replaced now. A device or a pipe of that
     * name stays: states are written into it. */
    struct stat about;
    if (r->state_path && r->first == 0 && lstat(r->state_path, &about) == 0 &&
        (S_ISREG(about.st_mode) || S_ISLNK(about.st_mode)))
        unlink(r->state_path);
    if (cli_cloth_output_open(def, r->first, &r->output, error)) return error->status;
    if (r->first && cli_cloth_output_studio(r->output))
        *cli_cloth_output_studio(r->output) = r->studio;
    return HED_OK;
}

/* ---- the loop ---- */

static hed_status save(cloth_run *r, hed_error *error)
{
    if (!r->state_path || r->saved == r->done) return HED_OK;
    const cloth_studio *studio = cli_cloth_output_studio(r->output);
    if (!studio) studio = &r->studio; /* no pictures this time */
    if (!cli_cloth_state_save(r->state_path, &r->origin, r->cloth, studio, r->done, error))
        r->saved = r->done;
    return error->status;
}

static hed_status cloth_run_step(cloth_run *r, uint32_t number, hed_error *error)
{
    hed_cloth_frame frame;
    hed_cloth_scene_frame(r->scene, number, r->rate, &frame, error);
    cli_cloth_explain_begin(&r->explanation, number + 1, error);
    uint64_t begin = hed_now();
    hed_cloth_step(r->cloth, &frame, error);
    hed_cloth_wait(r->cloth, error);
    r->seconds[number - r->first] = 1e-9 * (double)(hed_now() - begin);
    if (cli_cloth_explain_end(&r->explanation, number + 1, error) ||
        cli_cloth_output_frame(r->output, number + 1, number + 1 == r->frames, error))
        return error->status;
    r->done = number + 1;
    return HED_OK;
}

static hed_status cloth_run_go(cloth_run *r, hed_error *error)
{
    hed_progress progress =
        hed_progress_begin("cloth run", "frames", r->frames - r->first, r->quiet || r->json);
    uint64_t saved = hed_now();
    for (uint32_t number = r->first; number < r->frames && !error->status && !hed_interrupted();
         number++) {
        cloth_run_step(r, number, error);
        hed_progress_update(&progress, r->done - r->first);
        if (!error->status && hed_now() - saved > SAVE_PAUSE) {
            save(r, error);
            saved = hed_now();
        }
    }
    hed_progress_end(&progress);
    return error->status;
}

/* ---- ending ---- */

static hed_status cloth_run_tell(cloth_run *r, hed_error *error)
{
    hed_cloth_def def = hed_cloth_scene_def(r->scene);
    cli_cloth_figures figures = {
        .scene = r->path,
        .device = r->devices,
        .cache = r->cache,
        .math = hed_given(r->arguments, "strict") ? "strict" : "fast",
        .first = r->first,
        .frames = r->done - r->first,
        .iterations = def.iterations,
        .garments = hed_cloth_scene_garment_count(r->scene),
        .seconds = r->seconds,
        .explanation = &r->explanation,
    };
    figures.report = hed_cloth_describe(r->cloth);
    figures.substeps = figures.report.substeps;
    for (uint32_t g = 0; g < figures.garments; g++) {
        hed_cloth_stiffness stiffness;
        if (!hed_cloth_stiffness_of(r->cloth, g, 1 / r->rate, &stiffness)) continue;
        if (figures.softest && stiffness.part >= figures.stiffness.part) continue;
        figures.softest = hed_cloth_scene_garment_name(r->scene, g);
        figures.stiffness = stiffness;
    }
    if (hed_cloth_evaluate(r->cloth, &figures.quality, error)) return error->status;
    hed_cloth_frame frame;
    figures.judged = cli_cloth_has_contact(r->scene);
    if (r->done > 0 && !hed_cloth_scene_frame(r->scene, r->done - 1, r->rate, &frame, error))
        cli_cloth_judge(r->scene, r->cloth, &frame, &figures.crossings, error);
    if (hed_failed(error)) return error->status;
    return cli_cloth_tell(&figures, r->json, error);
}

/* Runs the scene, with everything open. */
static int run_scene(cloth_run *r, hed_error *error)
{
    hed_status status = cloth_run_go(r, error), closed;
    bool interrupted = status == HED_OK && r->done < r->frames;
    hed_error later = {0};
    const char *animated = hed_text_of(r->arguments, "animated");
    if (status == HED_OK && !interrupted && animated)
        status = cli_cloth_output_animated(r->output, animated, r->rate, error);
    /* after a failure the state is that of a frame with incomplete output: the older file stays */
    if (status == HED_OK) status = save(r, error);
    closed = cli_cloth_output_close(r->output, status == HED_OK ? error : &later);
    r->output = NULL;
    if (status == HED_OK) status = closed;
    if (status == HED_OK && !interrupted) return cli_end(cloth_run_tell(r, error), error);
    if (status != HED_OK) fprintf(stderr, "heddle: %s\n", error->text);
    else
        fprintf(stderr, "heddle: interrupted after frame %" PRIu32 " of %" PRIu32 "\n", r->done,
            r->frames);
    if (r->cache) {
        uint32_t garments = hed_cloth_scene_garment_count(r->scene);
        char *caches = cli_cloth_caches(r->cache, garments);
        fprintf(stderr, "heddle: %s %s the start and the %" PRIu32 " frames that were finished",
            caches ? caches : r->cache, garments > 1 ? "hold" : "holds", r->done);
        free(caches);
        if (r->saved)
            fprintf(stderr, "; the same command with --resume continues after frame %" PRIu32,
                r->saved);
        fputc('\n', stderr);
    }
    return status != HED_OK ? HED_EXIT_FAILURE : HED_EXIT_INTERRUPTED;
}

static int cloth_run_main(const hed_arguments *arguments, void *user)
{
    (void)user;
    if (hed_given(arguments, "schema")) {
        fputs(hed_cloth_scene_schema(), stdout);
        return HED_EXIT_OK;
    }
    if (!hed_given(arguments, "SCENE")) {
        fputs(
            "heddle: name a scene file (see \"heddle cloth run --help\"; --schema prints its format)\n",
            stderr);
        return HED_EXIT_USAGE;
    }
    cloth_run r = {.arguments = arguments, .path = hed_text_of(arguments, "SCENE")};
    r.cache = hed_text_of(arguments, "out");
    r.quiet = hed_given(arguments, "quiet");
    r.json = hed_given(arguments, "json");
    hed_error error = {0};
    if (cli_open_devices_together(arguments, &r.session, &error)) return cli_fail(&error);
    cli_cloth_output_def def;
    int code;
    if (open_cloth(&r, &error) || find_start(&r, &error) ||
        (r.first < r.frames &&
            cli_cloth_explain_open(&r.explanation, hed_text_of(arguments, "explain-contact"),
                r.first, r.frames, &error)) ||
        cloth_run_plan_output(&r, &def, &error) ||
        (r.first == 0 && !r.quiet &&
            cli_cloth_warn_of_crossings(r.scene, r.cloth, r.rate, &error)) ||
        cloth_run_open_output(&r, &def, &error)) {
        code = cli_fail(&error);
    } else if (r.first >= r.frames) {
        fprintf(stderr,
            "heddle: %s holds %" PRIu32 " frames already; --frames gives the total "
            "number\n",
            r.cache, r.first);
        code = HED_EXIT_OK;
    } else {
        code = run_scene(&r, &error);
    }
    cli_cloth_output_close(r.output, NULL);
    free(r.explanation.limits);
    free(r.seconds);
    free(r.state_path);
    hed_cloth_destroy(r.cloth);
    hed_cloth_scene_close(r.scene);
    cli_close(&r.session);
    return code;
}

/* ---- the command ---- */

/* names, sorted as cloth_picture_kind */
static const char *const PICTURE_KINDS[] = {"any", "gl", "software", NULL};
static const hed_option OPTIONS[] = {
    OPTION("frames", INTEGER, "COUNT",
        "total number of frames, after the start, which is sample 0 of the cache (default: from the scene)",
        .letter = 'n', .low = 1, .high = 10000000),
    OPTION("out", OUTPUT, "FILE", "the point cache, FILE.pc2; other files are named after it",
        .letter = 'o', .endings = ".pc2"),
    OPTION("fps", NUMBER, "RATE", "frames per second of the animation (default: from the scene)",
        .low = 1, .high = 10000),
    OPTION("device", TEXT, "ID",
        "device to use: its id, part of its name, best, or all (every GPU once); several divide the garments, or one grid",
        .letter = 'd', .repeated = true, .names = &cli_device_names),
    CLI_OPTION_THREADS,
    FLAG("strict", "the same bits on every device"),
    OPTION("obj-every", INTEGER, "N", "an OBJ file of every Nth frame", .low = 1, .high = 10000000),
    OPTION("ply-every", INTEGER, "N",
        "a PLY file with the driver's debug colours of every Nth frame", .low = 1,
        .high = 10000000),
    OPTION("png-every", INTEGER, "N", "a picture of every Nth frame, drawn without a display",
        .low = 1, .high = 10000000),
    OPTION("pictures", CHOICE, "HOW",
        "how they are drawn: any (OpenGL where a graphics processor has it, else software), gl, or software, "
        "which gives the same bits on every machine",
        .choices = PICTURE_KINDS, .fallback = "any"),
    OPTION("glb", OUTPUT, "FILE", "the last frame as binary glTF", .letter = 0, .endings = ".glb"),
    OPTION("animated", OUTPUT, "FILE",
        "all frames in one file: FILE.abc, an Alembic cache (24 bytes a vertex and frame), or FILE.usda, USD text with "
        "time samples (about 60), which Blender, Houdini and Maya read, or an animated GLB with a morph target for "
        "each frame (24)",
        .endings = ".abc .glb .usda"),
    FLAG("tethers", "tethers for every garment that is held somewhere: less stretch"),
    OPTION("substeps", INTEGER, "COUNT", "per frame (default: from the scene)", .low = 1,
        .high = 1000),
    FLAG("mend", "remove the faces of broken meshes where that is safe"),
    FLAG("resume", "resume after the last saved frame, bit for bit"),
    OPTION("explain-contact", TEXT, "FRAME[:VERTEX]",
        "why did a vertex stop there: the vertices that contact with cloth limited in a frame, the pairs that limited "
        "them and the reasons; or one vertex (NUMBER, or GARMENT/NUMBER) with all pairs near it"),
    FLAG("json", "print JSON: one array with one object, nothing else"),
    FLAG("schema", "print the JSON schema of scene files"),
    {0},
};
static const hed_option POSITIONALS[] = {
    POSITIONAL("SCENE", FILE, "the scene, FILE.json", .names = &cli_data_scenes), {0}};
static const hed_example EXAMPLES[] = {
    {"heddle cloth run flag.json --frames 300 --out flag.pc2",
        "five seconds of a flag, as Blender's Mesh Cache reads it"},
    {"heddle cloth run flag.json --frames 300 --out flag.pc2 --resume",
        "continue after Ctrl-C, or after the disk was full"},
    {"heddle cloth run dress.json --out dress.pc2 --png-every 10 --glb last.glb",
        "pictures on the way, and the last frame as glTF"},
    {"heddle cloth run flag.json --frames 60 --json", "measure the speed, writing no files"}, {0}};

const hed_command hed_command_cloth_run = {
    .name = "run",
    .summary = "simulate a scene into a point cache",
    .description =
        "Reads a scene file and every file it names and writes each frame's vertices, in the order of "
        "the garment's mesh, into a PC2 point cache. With several garments each one has files of its own, "
        "with its name in theirs. Sample 0 is the start, so N frames are N + 1 samples; frame K is sample K and "
        "has K in the names of its files. The mesh at the start is written as NAME-mesh.obj, for the cache "
        "to stand beside.\n\n"
        "Every finished frame is readable at any moment. Every ten seconds, at the end and after Ctrl-C "
        "the state is saved in NAME.state, from which --resume continues with the same bits.",
    .options = OPTIONS,
    .positionals = POSITIONALS,
    .examples = EXAMPLES,
    .repeats = true,
    .run = cloth_run_main,
};
