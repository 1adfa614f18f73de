/* A run of a scene, as the files cloth_run*.c share it: what goes out each frame, the state that
 * --resume goes on from, and the figures. */
#ifndef HED_CLI_CLOTH_RUN_H
#define HED_CLI_CLOTH_RUN_H

#include "cli/common/command.h"
#include "engines/cloth/view/view.h"
#include "heddle/cloth_scene.h"
#include "heddle/stats.h"

/* ---- what goes out (cloth_run_output.c) ---- */

typedef struct cli_cloth_output cli_cloth_output;

/* Which files; the number 0 and NULL: none. Frame 0 is the start, as in the files' names and in the
 * caches' samples. */
typedef struct cli_cloth_output_def {
    hed_cloth_scene *scene;
    hed_cloth *cloth;
    const char *cache; /* PC2; the other files are named after it */
    uint32_t obj_every, ply_every, png_every;
    cloth_picture_kind picture_kind;
    const char *glb; /* of the last frame */
} cli_cloth_output_def;

/* Opens the point caches: new ones, with the start as sample 0 and the meshes beside them, or those
 * that are there, cut behind frame `frames` (above 0). */
hed_status cli_cloth_output_open(
    const cli_cloth_output_def *def, uint32_t frames, cli_cloth_output **output, hed_error *error);
/* Announces all files of a run: caches, state and meshes, those of frames `first` + 1 (with
 * `first` 0 of the start, too) to `frames`, and of `animated` (nullable). A run that would replace a
 * source ends before anything is written. Errors: as hed_output_announce(). */
hed_status cli_cloth_output_announce(const cli_cloth_output_def *def, const char *animated,
    uint32_t first, uint32_t frames, hed_error *error);
/* Reads the cloth and writes frame `number`. When it fails the caches hold the frames before, all
 * of them alike. */
hed_status cli_cloth_output_frame(
    cli_cloth_output *output, uint32_t number, bool last, hed_error *error);
/* Writes all samples of the caches as binary glTF files that play, "x.glb" and so on for several
 * garments. Needs a cache. */
hed_status cli_cloth_output_animated(
    const cli_cloth_output *output, const char *path, double rate, hed_error *error);
/* Closes the files, which stay readable in any case. NULL is allowed. */
hed_status cli_cloth_output_close(cli_cloth_output *output, hed_error *error);

/* "flag.pc2" and "-0010.png": "flag-0010.png". To be freed; NULL when memory runs out. */
char *cli_cloth_beside(const char *cache, const char *garment, const char *ending);

/* ---- the state (cloth_run_state.c) ---- */

/* What a saved state has to agree with. */
typedef struct cli_cloth_origin {
    uint64_t scene;  /* hash of the scene file and of what else decides on the run */
    char device[64]; /* its id: another one goes on as well, with other bits */
} cli_cloth_origin;

hed_status cli_cloth_origin_of(const char *path, const char *settings, const char *device,
    cli_cloth_origin *origin, hed_error *error);
/* Writes the cloth's state behind `frames` frames; the file appears whole or not at all. */
hed_status cli_cloth_state_save(const char *path, const cli_cloth_origin *origin, hed_cloth *cloth,
    uint32_t frames, hed_error *error);
/* Gives it back to a cloth. `*frames` 0: there is no such file. `*moved`: it was another device. */
hed_status cli_cloth_state_load(const char *path, const cli_cloth_origin *origin, hed_cloth *cloth,
    uint32_t *frames, bool *moved, hed_error *error);

/* ---- the figures (cloth_run_report.c) ---- */

typedef struct cli_cloth_figures {
    const char *scene, *device, *cache; /* cache may be NULL */
    const char *math;
    uint32_t first, frames; /* done here: frames first + 1 to first + frames */
    uint32_t substeps, iterations, garments;
    /* (frames) of each step, device work included, files not; sorted for the report */
    double *seconds;
    hed_cloth_info report;
    hed_cloth_metrics quality;
    bool judged;        /* cloth is to be kept from cloth: */
    uint64_t crossings; /* pairs of triangles in the last frame */
    /* the garment whose fabric gets the least of its stiffness; NULL: none has one */
    const char *softest;
    hed_cloth_stiffness stiffness;
} cli_cloth_figures;

hed_status cli_cloth_tell(const cli_cloth_figures *figures, bool json, hed_error *error);

/* Prints a warning of the scene loader. */
void cli_cloth_warn(void *user, const char *text);

#endif
