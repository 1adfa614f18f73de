/* Cases of tests/golden/mppi_nav2.json: futures in tiles, with path, map and parameters of each
 * critic. */
#ifndef HED_TESTS_NAV2_CASES_H
#define HED_TESTS_NAV2_CASES_H

#include <math.h>
#include <stdlib.h>

#include "testing.h"
#include "heddle/mppi_nav2.h"
#include "nav2/nav2_controller.h"
#include "nav2/nav2_file.h"
#include "support/json.h"

static hed_json *cases;

static inline void cases_open(void)
{
    hed_error error = {0};
    OK(hed_json_read("tests/golden/mppi_nav2.json", &cases, &error));
}
static inline void cases_close(void)
{
    hed_error error = {0};
    hed_status status = hed_json_status(cases, &error);
    hed_json_free(cases);
    CHECK_EQ(status, HED_OK, "%s", error.text);
}
/* ---- reading a case ---- */

static inline hed_json_node member(hed_json_node node, const char *key)
{
    return hed_json_member(node, key);
}
static inline double number(hed_json_node node, const char *key)
{
    return hed_json_number(member(node, key), -1e30, 1e30);
}
static inline double number_at(hed_json_node list, size_t i)
{
    return hed_json_number(hed_json_item(list, i), -1e30, 1e30);
}

/* A case with its futures in tiles, each (steps x NAV2_LANES). */
typedef struct nav2_case {
    hed_nav2_config config;
    hed_json_node node;
    nav2_cycle cycle;
    hed_nav2_grid grid;
    uint8_t *cells;
    nav2_tile tile;
    float *data, arc[NAV2_LANES], cost[NAV2_LANES], raw[NAV2_LANES], repulsion[NAV2_LANES];
    uint32_t furthest[2];
} nav2_case;

static const char *const MODELS[] = {"DiffDrive", "Omni", "Ackermann", NULL};

static inline void case_take_map(nav2_case *c)
{
    hed_json_node map = member(c->node, "map"), size = member(map, "size"), rows = member(map, "cells");
    hed_json_node origin = member(map, "origin"), footprint = member(map, "footprint");
    nav2_settings *s = &c->config.settings;
    c->grid = (hed_nav2_grid){(uint32_t)number_at(size, 0), (uint32_t)number_at(size, 1),
        number(map, "resolution"), number_at(origin, 0), number_at(origin, 1), NULL};
    c->grid.cells = c->cells = malloc((size_t)c->grid.width * c->grid.height);
    for (uint32_t y = 0; y < c->grid.height; y++)
        for (uint32_t x = 0; x < c->grid.width; x++)
            c->cells[y * c->grid.width + x] = (uint8_t)number_at(hed_json_item(rows, y), x);
    s->costmap.track_unknown_space = hed_json_boolean(member(map, "track_unknown"));
    s->inflation.cost_scaling_factor = number(map, "cost_scaling_factor");
    s->inflation.inflation_radius = number(map, "inflation_radius");
    s->inscribed = number(map, "inscribed_radius");
    s->circumscribed = number(map, "circumscribed_radius");
    s->vertices = (uint32_t)hed_json_count(footprint);
    for (uint32_t i = 0; i < s->vertices; i++)
        for (size_t k = 0; k < 2; k++)
            s->footprint[i][k] = number_at(hed_json_item(footprint, i), k);
}

static inline void case_take_path(nav2_case *c)
{
    hed_json_node list = member(c->node, "path"), valid = member(c->node, "path_valid");
    nav2_path *p = &c->cycle.path;
    size_t count = hed_json_count(list);
    float *memory = calloc(8 * (count + 8), sizeof *memory);
    *p =
        (nav2_path){(uint32_t)count, memory, memory + count, memory + 2 * count, memory + 3 * count,
            memory + 4 * count, memory + 7 * count + 8, number(c->node, "path_length")};
    c->cycle.align.middle = memory + 5 * count;
    c->cycle.align.first = calloc(NAV2_MOST_ALIGN_CELLS, sizeof(int32_t));
    double along = 0, before[2] = {0};
    for (size_t i = 0; i < count; i++) {
        hed_json_node pose = hed_json_item(list, i);
        double x = number_at(pose, 0), y = number_at(pose, 1);
        if (i) along += nav2_length(x - before[0], y - before[1]);
        before[0] = p->x[i] = (float)x;
        before[0] = x;
        before[1] = y;
        p->y[i] = (float)y;
        p->yaw[i] = (float)number_at(pose, 2);
        p->lengths[i] = (float)along;
        p->valid[i] = i + 1 == count || hed_json_boolean(hed_json_item(valid, i));
    }
    nav2_measure_blocks(p);
}

static inline void case_open(nav2_case *c, size_t index)
{
    *c = (nav2_case){.node = hed_json_item(member(hed_json_root(cases), "cases"), index)};
    nav2_settings *s = &c->config.settings;
    nav2_settings_default(s);
    s->model = (hed_nav2_model)hed_json_choice(member(c->node, "model"), MODELS);
    s->min_turning_r = number(c->node, "min_turning_r");
    s->control.model_dt = number(c->node, "dt");
    hed_json_node pose = member(c->node, "pose"), goal = member(c->node, "goal");
    c->cycle.pose = (hed_nav2_pose){number_at(pose, 0), number_at(pose, 1), number_at(pose, 2)};
    c->cycle.goal = (hed_nav2_pose){number_at(goal, 0), number_at(goal, 1), number_at(goal, 2)};
    case_take_map(c);
    case_take_path(c);
    static const char *const names[] = {"x", "y", "yaw", "vx", "vy", "wz"};
    c->tile.lanes = (uint32_t)hed_json_count(member(c->node, "x"));
    c->tile.steps = (uint32_t)hed_json_count(hed_json_item(member(c->node, "x"), 0));
    s->control.time_steps = c->tile.steps;
    size_t size = (size_t)c->tile.steps * NAV2_LANES;
    const float **arrays[] = {
        &c->tile.x, &c->tile.y, &c->tile.yaw, &c->tile.vx, &c->tile.vy, &c->tile.wz};
    c->data = calloc(6 * size, sizeof *c->data);
    for (size_t k = 0; k < 6; k++) {
        float *to = c->data + k * size;
        *arrays[k] = to;
        for (uint32_t l = 0; l < c->tile.lanes; l++)
            for (uint32_t t = 0; t < c->tile.steps; t++)
                to[t * NAV2_LANES + l] =
                    (float)number_at(hed_json_item(member(c->node, names[k]), l), t);
    }
    if (s->model != HED_NAV2_OMNI) c->tile.vy = NULL;
    for (uint32_t l = 0; l < c->tile.lanes; l++)
        for (uint32_t t = 1; t < c->tile.steps; t++) {
            size_t at = (size_t)t * NAV2_LANES + l;
            c->arc[l] += (float)nav2_length(c->tile.x[at] - c->tile.x[at - NAV2_LANES],
                c->tile.y[at] - c->tile.y[at - NAV2_LANES]);
        }
    c->tile.cost = c->cost;
    c->tile.raw = c->raw;
    c->tile.repulsion = c->repulsion;
    c->cycle.settings = s;
    c->cycle.grid = &c->grid;
    c->furthest[HED_NAV2_LYRICAL] = (uint32_t)number(member(c->node, "furthest"), "lyrical");
    c->furthest[HED_NAV2_JAZZY] = (uint32_t)number(member(c->node, "furthest"), "jazzy");
}

static inline void case_close(nav2_case *c)
{
    free(c->cycle.path.x);
    free(c->cycle.align.first);
    free(c->data);
    free(c->cells);
}

static inline size_t case_count(void) { return hed_json_count(member(hed_json_root(cases), "cases")); }

/* ---- the critics ---- */

/* Sets the parameters of a row of a case. */
static inline int critic_set(nav2_settings *s, hed_json_node row)
{
    const char *name = hed_json_string(member(row, "critic"));
    hed_json_node parameters = member(row, "parameters"), value;
    int index = 0;
    while (index < NAV2_CRITIC_COUNT && strcmp(nav2_critic_blocks[index].name, name) != 0) index++;
    CHECK_LT(index, NAV2_CRITIC_COUNT, "%s", name);
    const nav2_block *block = &nav2_critic_blocks[index];
    s->critics = 1u << index;
    nav2_settings defaults;
    nav2_settings_default(&defaults);
    for (size_t i = 0; i < block->count; i++)
        *nav2_member(s, block, i) = *nav2_member(&defaults, block, i);
    for (const char *key = NULL; value = hed_json_next(parameters, key), value.value;
         key = value.key) {
        const struct {
            const char *key;
            double *value;
        } others[] = {{"vx_max", &s->control.vx_max}, {"vx_min", &s->control.vx_min},
            {"vy_max", &s->control.vy_max}, {"xy_goal_tolerance", &s->goal.xy_goal_tolerance}};
        double *to = NULL;
        if (strcmp(value.key, "deadband_velocities") == 0) {
            double bands[3];
            hed_json_numbers(value, bands, 3, -10, 10);
            s->VelocityDeadbandCritic.deadband_vx = bands[0];
            s->VelocityDeadbandCritic.deadband_vy = bands[1];
            s->VelocityDeadbandCritic.deadband_wz = bands[2];
            continue;
        }
        for (size_t i = 0; i < block->count; i++)
            if (strcmp(block->rows[i].name, value.key) == 0) to = nav2_member(s, block, i);
        for (size_t i = 0; i < HED_COUNT(others); i++)
            if (strcmp(others[i].key, value.key) == 0) to = others[i].value;
        CHECK(to, "%s.%s", name, value.key);
        *to = hed_json_kind_of(value) == HED_JSON_BOOLEAN ? (double)hed_json_boolean(value)
                                                          : hed_json_number(value, -1e12, 1e12);
    }
    return index;
}

#endif
