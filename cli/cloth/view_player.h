/* The page of heddle cloth view: a scene that is played, changed and recorded (view_player.c), and
 * the server that shows it (cloth_page.c). */
#ifndef HED_CLI_CLOTH_VIEW_PLAYER_H
#define HED_CLI_CLOTH_VIEW_PLAYER_H

#include "cli/cloth/run.h"
#include "heddle/cloth_hold.h"

/* Properties that the page may change while the cloth moves. */
typedef struct view_settings {
    char fabric[32];   /* fabric of all garments; "": the scene's */
    double thickness;  /* thickness of all garments, m; below 0: the scene's */
    double gravity;    /* along the scene's gravity, m/s^2; below 0: the scene's */
    bool has_wind;     /* false: the scene's wind */
    float wind[3];     /* m/s */
    uint32_t substeps; /* 0: as opened */
} view_settings;

/* A vertex in the page's hand. */
typedef struct view_grip {
    uint32_t vertex;
    float place[3]; /* position, in the scene's unit */
} view_grip;

/* A cloth of the scene with the present settings; the arrays of its definition. */
typedef struct view_cloth {
    hed_arena arena;
    hed_cloth_hold *hold;
    hed_cloth *cloth;
} view_cloth;

typedef struct view_player {
    hed_cloth_scene *scene;
    hed_device *device;
    bool strict;
    uint32_t threads;
    view_settings settings;
    view_cloth present;
    uint32_t vertices, number;  /* vertices of the cloth; frames since the start */
    float *positions, *normals; /* (vertices x 3) after the last frame, in the scene's unit */
    float *metres;              /* (vertices x 3) the same positions, m */
    float scale;                /* scene's units in a metre */
    view_grip *grips;           /* (grip_count) */
    uint32_t grip_count;
    double milliseconds; /* time of a frame, averaged */
    bool has_contact;    /* cloth has contact with cloth */
    /* figures of frame `measured`; 0: not measured */
    uint32_t measured;
    uint64_t next_measure; /* ns */
    hed_cloth_metrics quality;
    cli_cloth_judgement crossings;
    /* recording; NULL: nothing is recorded */
    cli_cloth_output *output;
    const char *cache;        /* name that is requested for caches */
    char recording[PATH_MAX]; /* cache that is written, or was written last */
    uint32_t recorded;        /* frames in that cache after its sample 0 */
} view_player;

enum { VIEW_MAX_GRIPS = 64 };

/* Opens the scene of the command's arguments at its start. Errors: as hed_cloth_scene_open() and
 * hed_cloth_create(). */
hed_status view_player_open(
    const hed_arguments *arguments, hed_device *device, view_player *player, hed_error *error);
/* Ends a recording, whose files stay, and closes the scene. */
hed_status view_player_close(view_player *player, hed_error *error);
/* Changes settings; the cloth continues its motion. After an error the former settings stay.
 * Errors: ARGUMENT (no such fabric), and as hed_cloth_create(). */
hed_status view_player_set(view_player *player, const view_settings *settings, hed_error *error);
/* Holds these vertices, and lets all others go. Errors: as hed_cloth_hold_vertex(). */
hed_status view_player_hold(
    view_player *player, const view_grip *grips, uint32_t count, hed_error *error);
/* Simulates a frame, and records it. Errors: as hed_cloth_step(), hed_cloth_wait() and
 * cli_cloth_output_frame(). */
hed_status view_player_step(view_player *player, hed_error *error);
/* Returns to the start, and ends a recording. Errors: as hed_cloth_reset(). */
hed_status view_player_restart(view_player *player, hed_error *error);
/* Begins a recording, from the present positions on, in a file that does not exist yet; or ends
 * it. Errors: as cli_cloth_output_open(). */
hed_status view_player_record(view_player *player, bool records, hed_error *error);

/* Serves the page until Ctrl-C. Returns an exit code. */
int cloth_page_main(const hed_arguments *arguments);

#endif
