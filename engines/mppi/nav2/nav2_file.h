/* A parameter file while it is read: its sections as flat lists of "name.name" and value. */
#ifndef HED_NAV2_FILE_H
#define HED_NAV2_FILE_H

#include "files/yaml_tree.h"
#include "heddle/author.h"
#include "nav2/nav2_settings.h"

/* A value of a section. */
typedef struct nav2_leaf {
    const char *key; /* name below the section, "FollowPath.vx_max" */
    const yaml_node *node;
    bool used;
} nav2_leaf;

/* Parameters of one node of ROS, over all sections of its name. */
typedef struct nav2_section {
    nav2_leaf *leaves;
    uint32_t count, capacity;
} nav2_section;

typedef struct nav2_file {
    hed_nav2_config *config;
    const char *name; /* file name, for messages */
    nav2_section server, costmap, amcl;
    const char *server_path, *costmap_path,
        *amcl_path; /* sections of the first robot; NULL: not found yet */
    bool has_costmap;
    const char *inflation;      /* name of the inflation layer */
    const char *goal, *handler; /* names of goal checker and path handler */
    hed_error *error;
} nav2_file;

/* Finds a value, the last of this key; NULL without one. A key has at most three parts, of which
 * empty ones are left out. */
nav2_leaf *nav2_find(nav2_section *section, const char *a, const char *b, const char *c);
/* Returns the text of a scalar, and marks it as used; `otherwise` without one. */
const char *nav2_text(
    nav2_section *section, const char *a, const char *b, const char *c, const char *otherwise);

/* Adds a remark. Errors are in the file. */
void nav2_remark(nav2_file *file, hed_nav2_treatment treatment, const char *key, const char *value,
    uint32_t line, const char *format, ...) HED_PRINTF(6, 7);
/* Returns the text of a value for a remark. */
const char *nav2_value_text(nav2_file *file, const yaml_node *node);

/* Collects the sections of a document; the configuration gets the controller's name. */
void nav2_collect(nav2_file *file, const yaml_node *root);
/* Adds remarks on all keys that are not used: without counterpart, or unknown. */
void nav2_remark_unused(nav2_file *file);

/* A parameter (nav2_rows.c). */
typedef enum nav2_kind { NAV2_NUMBER, NAV2_WHOLE, NAV2_FLAG, NAV2_LIST } nav2_kind;
typedef struct nav2_row {
    const char *name;
    nav2_kind kind;
    double low, high;
} nav2_row;
/* A list of parameters: row i is double i at `offset`. */
typedef struct nav2_block {
    const char *name; /* name of a critic; NULL: parameters of the scope itself */
    const nav2_row *rows;
    size_t count, offset; /* offset: in nav2_settings */
} nav2_block;
static inline double *nav2_member(nav2_settings *settings, const nav2_block *block, size_t row)
{
    return (double *)((char *)settings + block->offset) + row;
}
extern const nav2_block nav2_server_block, nav2_goal_block, nav2_path_block, nav2_control_block,
    nav2_validator_block, nav2_costmap_block, nav2_inflation_block,
    nav2_critic_blocks[NAV2_CRITIC_COUNT];

/* Checks a value for a row; returns NULL and sets it, or a description of the value expected. */
const char *nav2_row_value(const nav2_row *row, const yaml_node *node, double *value);

#endif
