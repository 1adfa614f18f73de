/* Worlds of Nav2's controller for `heddle mppi import` and `run`: a parameter file, a map with its
 * costs, a path to follow. */
#ifndef HED_CLI_NAV2_WORLD_H
#define HED_CLI_NAV2_WORLD_H

#include "cli/common/command.h"
#include "heddle/mppi_nav2.h"

#include <math.h>

/* Length of a vector. hypot() would need glibc 2.35. */
static inline double world_length(double x, double y) { return sqrt(x * x + y * y); }

typedef struct cli_nav2_world {
    hed_nav2_config *config;
    hed_nav2_config_info info;
    hed_mppi_map map;
    hed_nav2_grid grid;
    uint8_t *cells;
    hed_nav2_pose start, goal;
    hed_nav2_pose *path; /* (path_count) */
    uint32_t path_count;
} cli_nav2_world;

/* True if a file's name is that of a parameter file. */
bool cli_nav2_is_file(const char *name);
/* Opens the file and, with --map, the map. Errors: IO, FORMAT, ARGUMENT. */
hed_status cli_nav2_world_open(
    const hed_arguments *arguments, const char *file, cli_nav2_world *world, hed_error *error);
/* Sets start, goal and path from the options. Errors: ARGUMENT, IO, FORMAT. */
hed_status cli_nav2_world_route(
    const hed_arguments *arguments, cli_nav2_world *world, hed_error *error);
/* Adds the obstacles of --disc, of which the path does not know. Errors: ARGUMENT, MEMORY. */
hed_status cli_nav2_world_add_discs(
    const hed_arguments *arguments, cli_nav2_world *world, hed_error *error);
void cli_nav2_world_close(cli_nav2_world *world);

/* A closed loop. */
typedef struct cli_nav2_step {
    hed_nav2_pose pose; /* after the command */
    hed_nav2_result result;
    double milliseconds;
} cli_nav2_step;

typedef struct cli_nav2_drive {
    cli_nav2_step *steps; /* (count) */
    uint32_t count, failures, detours, guarded;
    uint32_t active; /* active critics, added up over the cycles */
    bool arrived, touched;
    const char *abort; /* reason for which Nav2's server would abort the task, or NULL */
    /* costs of the critics in each cycle, (capacity x CLI_NAV2_CRITICS), NAN where a gate is shut;
     * NULL without a picture */
    double *critics;
    const char *critic_names[16]; /* NULL after the last */
    /* futures of some cycles: (moment_count x CLI_NAV2_FUTURES x info.steps x 2) */
    float *futures, *costs;
    uint32_t moments[16], moment_count;
} cli_nav2_drive;
enum { CLI_NAV2_FUTURES = 32, CLI_NAV2_MOMENTS = 8, CLI_NAV2_CRITICS = 12 };

/* Runs a parameter file in a closed loop. Returns an exit code. */
int cli_nav2_run(const hed_arguments *arguments, const char *file);
/* Draws map, costs, path, drive, footprints and futures. Errors: MEMORY, IO. */
hed_status cli_nav2_picture(
    const cli_nav2_world *world, const cli_nav2_drive *drive, const char *path, hed_error *error);

#endif
