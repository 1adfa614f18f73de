/* Run of a scene, common to the files run*.c: the output of each frame, the state from which
 * --resume continues, and the figures. */
#ifndef HED_CLI_CLOTH_RUN_H
#define HED_CLI_CLOTH_RUN_H

#include "cli/common/command.h"
#include "cli/common/report.h"
#include "engines/cloth/view/pictures.h"
#include "heddle/cloth_check.h"
#include "heddle/cloth_contact.h"
#include "heddle/cloth_scene.h"
#include "heddle/stats.h"

/* ---- output (run_output.c) ---- */

typedef struct cli_cloth_output cli_cloth_output;

/* Files to write; 0 and NULL: no such file. Frame 0 is the start, as in the files' names and in
 * the caches' samples. */
typedef struct cli_cloth_output_def {
    hed_cloth_scene *scene;
    hed_cloth *cloth;
    const char *cache; /* PC2; other files are named after this one */
    uint32_t obj_every, ply_every, png_every;
    cloth_picture_kind picture_kind;
    const char *glb; /* file of the last frame */
    uint32_t begin;  /* frame that is sample 0 of the caches; 0: the start */
    const float
        *start; /* (vertices x 3) positions of sample 0, in the scene's unit; NULL: the scene's */
} cli_cloth_output_def;

/* Opens the point caches: new caches, with the start as sample 0 and the meshes next to them, or
 * the existing caches, cut after frame `frames` (above 0). */
hed_status cli_cloth_output_open(
    const cli_cloth_output_def *def, uint32_t frames, cli_cloth_output **output, hed_error *error);
/* Announces all files of a run: caches, state and meshes, files of frames `first` + 1 (if
 * `first` is 0, of the start, too) to `frames`, and of `animated` (nullable). A run that would
 * replace a source ends before anything is written. Errors: as hed_output_announce(). */
hed_status cli_cloth_output_announce(const cli_cloth_output_def *def, const char *animated,
    uint32_t first, uint32_t frames, hed_error *error);
/* True if a cache of this name exists, or a mesh that would be written with it. */
bool cli_cloth_output_exists(const cli_cloth_output_def *def);
/* Reads later frames from another cloth of the same scene. */
void cli_cloth_output_use(cli_cloth_output *output, hed_cloth *cloth);
/* Light and ground of the pictures; NULL: there are no pictures. */
cloth_studio *cli_cloth_output_studio(cli_cloth_output *output);
/* Reads the cloth and writes frame `number`. After a failure all caches have exactly the frames
 * before. */
hed_status cli_cloth_output_frame(
    cli_cloth_output *output, uint32_t number, bool last, hed_error *error);
/* Writes all samples of the caches as animated binary glTF files, "x.glb", or as USD, "x.usda", or a
 * file for each of several garments. Requires a cache. */
hed_status cli_cloth_output_animated(
    const cli_cloth_output *output, const char *path, double rate, hed_error *error);
/* Closes the files, which stay readable in any case. NULL is allowed. */
hed_status cli_cloth_output_close(cli_cloth_output *output, hed_error *error);

/* Makes a file name: "flag-0010.png" of "flag.pc2" and "-0010.png". To be freed; NULL: out of
 * memory. */
char *cli_cloth_beside(const char *cache, const char *garment, const char *ending);
/* Names of the point caches of a run, for messages: "x.pc2", or of several garments "x-*.pc2". To be
 * freed; NULL: no memory. */
char *cli_cloth_caches(const char *cache, uint32_t garments);

/* ---- the state (run_state.c) ---- */

/* Origin of a saved state, which the run that resumes from it must match. */
typedef struct cli_cloth_origin {
    uint64_t scene;  /* hash of the scene file and of the options that affect the run */
    char device[64]; /* id of the device: another device may continue, with other bits */
} cli_cloth_origin;

hed_status cli_cloth_origin_of(const char *path, const char *settings, const char *device,
    cli_cloth_origin *origin, hed_error *error);
/* Writes the cloth's state after `frames` frames, and light and ground of its pictures; the file
 * appears whole or not at all. */
hed_status cli_cloth_state_save(const char *path, const cli_cloth_origin *origin, hed_cloth *cloth,
    const cloth_studio *studio, uint32_t frames, hed_error *error);
/* Loads the state into a cloth. `*frames` 0: the file does not exist. `*moved`: the state is
 * from another device. */
hed_status cli_cloth_state_load(const char *path, const cli_cloth_origin *origin, hed_cloth *cloth,
    cloth_studio *studio, uint32_t *frames, bool *moved, hed_error *error);

/* ---- the explanation of contact (run_explain.c) ---- */

/* Contact of one frame, explained. */
typedef struct cli_cloth_explanation {
    const hed_cloth_scene *scene;
    hed_cloth *cloth;
    uint32_t frame;                  /* 0: no frame is explained */
    int32_t vertex;                  /* HED_CLOTH_EXPLAIN_ALL, or one vertex */
    hed_cloth_contact_limit *limits; /* (count) to be freed */
    uint32_t count;
} cli_cloth_explanation;

/* Reads the option's value, "FRAME" or "FRAME:VERTEX", of a run of the frames after `first`; NULL:
 * no frame. */
hed_status cli_cloth_explain_open(cli_cloth_explanation *explanation, const char *text,
    uint32_t first, uint32_t frames, hed_error *error);
/* Before and after each frame, numbered from 1. */
hed_status cli_cloth_explain_begin(
    const cli_cloth_explanation *explanation, uint32_t frame, hed_error *error);
hed_status cli_cloth_explain_end(
    cli_cloth_explanation *explanation, uint32_t frame, hed_error *error);
/* Prints the limits; adds them to the run's report. */
hed_status cli_cloth_explain_print(const cli_cloth_explanation *explanation, hed_error *error);
void cli_cloth_explain_json(const cli_cloth_explanation *explanation, cli_report *report);

/* ---- crossings (run_judge.c) ---- */

/* Pairs that cross at a moment. */
typedef struct cli_cloth_judgement {
    uint64_t cloth;      /* pairs of triangles of cloth */
    uint64_t bodies;     /* pairs of a triangle of cloth and one of a body, or a shape */
    bool has_bodies;     /* true: the frame has bodies */
    const char *garment; /* garment of the first pair; NULL: nothing crosses */
} cli_cloth_judgement;

/* True if cloth of the scene has contact with cloth. */
bool cli_cloth_has_contact(const hed_cloth_scene *scene);
/* Counts the crossings at the cloth's present positions, and with bodies at the frame's end. */
hed_status cli_cloth_judge(const hed_cloth_scene *scene, hed_cloth *cloth,
    const hed_cloth_frame *frame, cli_cloth_judgement *judgement, hed_error *error);
/* Warns of crossings at the start: contact keeps every particle on its side, so that crossing
 * triangles of cloth stay crossed. */
hed_status cli_cloth_warn_of_crossings(
    hed_cloth_scene *scene, hed_cloth *cloth, double rate, hed_error *error);

/* ---- the figures (run_report.c) ---- */

typedef struct cli_cloth_figures {
    const char *scene, *device, *cache; /* cache may be NULL */
    const char *math;
    uint32_t first, frames; /* frames done here: first + 1 to first + frames */
    uint32_t substeps, iterations, garments;
    /* (frames) time of each step, device work included, files not; sorted for the report, s */
    double *seconds;
    hed_cloth_info report;
    hed_cloth_metrics quality;
    bool judged; /* true: cloth has contact with cloth, so that its crossings are reported */
    cli_cloth_judgement crossings; /* crossings of the last frame */
    /* garment whose fabric reaches the smallest part of its stiffness; NULL: no garment has a
     * fabric */
    const char *softest;
    hed_cloth_stiffness stiffness;
    const cli_cloth_explanation *explanation;
} cli_cloth_figures;

hed_status cli_cloth_tell(const cli_cloth_figures *figures, bool json, hed_error *error);

/* Prints a warning of the scene loader. */
void cli_cloth_warn(void *user, const char *text);

#endif
