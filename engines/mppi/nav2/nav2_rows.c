/* The parameters as tables for the reader, one for each list of nav2_parameters.h. Offsets of rows
 * are within the list's struct; the block has the struct's place in the settings. */
#include "nav2/nav2_file.h"

#include <math.h>
#include <stddef.h>

/* a list of parameters as a struct of rows: the address of a member of nav2_TYPE is its offset */
#define ROW(name, kind, value, low, high) {#name, NAV2_##kind, low, high},
#define ROWS(list, parameters) static const nav2_row list##_rows[] = {parameters(ROW)};
#define CRITIC_ROWS(name, parameters, ...) ROWS(name, parameters)
ROWS(server, NAV2_SERVER)
ROWS(goal, NAV2_GOAL)
ROWS(path, NAV2_PATH)
ROWS(control, NAV2_CONTROL)
ROWS(validator, NAV2_VALIDATOR)
ROWS(costmap, NAV2_COSTMAP)
ROWS(inflation, NAV2_INFLATION)
NAV2_CRITICS(CRITIC_ROWS)

#define BLOCK(list, text) {text, list##_rows, HED_COUNT(list##_rows), offsetof(nav2_settings, list)}
const nav2_block nav2_server_block = BLOCK(server, NULL), nav2_goal_block = BLOCK(goal, NULL),
                 nav2_path_block = BLOCK(path, NULL), nav2_control_block = BLOCK(control, NULL),
                 nav2_validator_block = BLOCK(validator, "TrajectoryValidator"),
                 nav2_costmap_block = BLOCK(costmap, NULL),
                 nav2_inflation_block = BLOCK(inflation, NULL);
#define CRITIC_BLOCK(name, parameters, ...) BLOCK(name, #name),
const nav2_block nav2_critic_blocks[NAV2_CRITIC_COUNT] = {NAV2_CRITICS(CRITIC_BLOCK)};

const char *nav2_row_value(const nav2_row *row, const yaml_node *node, double *value)
{
    bool flag = false;
    if (row->kind == NAV2_FLAG) {
        if (!yaml_flag(node, &flag)) return "true or false";
        *value = flag;
        return NULL;
    }
    double number;
    if (!yaml_number(node, &number)) return "a number";
    if (row->kind == NAV2_WHOLE && number != floor(number)) return "a whole number";
    if (!(number >= row->low && number <= row->high)) return "a number within its limits";
    *value = number;
    return NULL;
}
