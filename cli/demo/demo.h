/* heddle demo: parts of the page. Each part runs commands of this program as separate processes, so
 * that a driver crash costs one part, and writes its sentence and its figure. */
#ifndef HED_CLI_DEMO_DEMO_H
#define HED_CLI_DEMO_DEMO_H

#include "cli/common/command.h"
#include "support/json.h"

#include <stdio.h>

typedef struct demo {
    const char *folder;  /* folder of the page */
    char data[PATH_MAX]; /* installed data, share/heddle */
    bool quick;          /* shorter runs, without a browser */
    FILE *page;          /* text of the parts */
} demo;

/* Generates a part: files in the folder, and HTML on the page. Errors: UNSUPPORTED (this machine
 * lacks a requirement: the part is omitted, and the page shows the error's text), any other: the
 * part failed. */
typedef hed_status demo_part(const demo *d, hed_error *error);
demo_part demo_runtime, demo_tuner, demo_cloth, demo_synth, demo_mppi, demo_css, demo_shaders;

/* `heddle demo blur`: the pictures of the part `runtime`; `heddle demo tiles`: a tuning of the
 * processor. */
extern const hed_command demo_command_blur, demo_command_tiles;

/* ---- commands (child.c) ---- */

/* Runs a command line of this program (its first word is "heddle", the last one NULL) and reads the
 * JSON that it prints. Errors: IO (how the command ended, with the last line of its messages),
 * FORMAT (its output), MEMORY. */
hed_status demo_run(const char *const *words, hed_json **answer, hed_error *error);

/* ---- the page (page.c) ---- */

/* A path in the page's folder or in the data. */
typedef struct demo_path {
    char text[PATH_MAX];
} demo_path;
demo_path demo_output(const demo *d, const char *name);
demo_path demo_data(const demo *d, const char *name);

/* Writes text with HTML characters escaped. */
void demo_put_text(FILE *page, const char *text);
/* Writes a count with commas between thousands: 9,792. */
void demo_put_count(FILE *page, double count);
/* Writes a link to a file of the folder, with its size. */
void demo_put_link(const demo *d, const char *name);
/* Writes a file of the folder as base64. Errors: IO, MEMORY. */
hed_status demo_put_file(const demo *d, const char *name, hed_error *error);
/* Number of a member, or of a member's member (`inner` not NULL); at least 0. */
double demo_number(hed_json_node object, const char *key, const char *inner);

/* ---- drawings (draw.c) ---- */

/* Draws the bodies and springs of an instrument, as SVG. Errors: as hed_synth_instrument_read(). */
hed_status demo_draw_instrument(FILE *page, const char *path, hed_error *error);
/* Draws the times of all configurations that a tuning tried, in their order: "results" of a T4
 * file. */
void demo_draw_tuning(FILE *page, hed_json_node results);

#endif
