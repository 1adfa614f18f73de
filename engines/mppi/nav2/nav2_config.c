/* Parameter files of Nav2: the sections of the controller, its costmap, path handler and goal
 * checker become settings; each key becomes a remark. */
#include "nav2/nav2_file.h"

#include "support/file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

/* Fails with "FILE:LINE: KEY: ..."; without a file with "KEY: ...". */
static void HED_PRINTF(4, 5)
    config_fail(nav2_file *f, uint32_t line, const char *key, const char *format, ...)
{
    char text[256], place[192] = "";
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (f->name) snprintf(place, sizeof place, "%.150s:%u: ", f->name, line);
    hed_fail(f->error, HED_ERROR_FORMAT, "%s%s: %s", place, key, text);
}

/* True for a value that a launch file replaces. */
static bool config_is_filled_in(const yaml_node *node)
{
    return node->kind == YAML_SCALAR && (strstr(node->text, "$(") || strchr(node->text, '<'));
}

/* Reads the parameters of a block below `scope` and the block's name. */
static void config_take(nav2_file *f, nav2_section *s, const char *scope, const nav2_block *block)
{
    const char *name = block->name ? block->name : "";
    for (size_t i = 0; i < block->count && !hed_failed(f->error); i++) {
        const nav2_row *row = &block->rows[i];
        double *value = nav2_member(&f->config->settings, block, i);
        char key[512], text[64];
        if (row->kind == NAV2_LIST) continue;
        snprintf(key, sizeof key, "%s%s%s%s%s%s", s == &f->costmap ? "local_costmap." : "", scope,
            *scope ? "." : "", name, *name ? "." : "", row->name);
        nav2_leaf *leaf = nav2_find(s, scope, name, row->name);
        if (leaf) leaf->used = true;
        if (!leaf || config_is_filled_in(leaf->node)) {
            if (*value == NAV2_HALF_COSTMAP) snprintf(text, sizeof text, "half the costmap's side");
            else snprintf(text, sizeof text,
                row->kind == NAV2_FLAG ? *value != 0 ? "true" : "false" : "%g", *value);
            nav2_remark(f, leaf ? HED_NAV2_UNKNOWN : HED_NAV2_DEFAULT, key, text,
                leaf ? leaf->node->line : 0, "%s",
                leaf ? "a launch file fills it in; Nav2's default is used" : "");
            continue;
        }
        const char *expected = nav2_row_value(row, leaf->node, value);
        if (expected && row->kind != NAV2_FLAG && yaml_number(leaf->node, value))
            config_fail(f, leaf->node->line, key, "%.60s; expected %s from %g to %g",
                leaf->node->text, row->kind == NAV2_WHOLE ? "a whole number" : "a number", row->low,
                row->high);
        else if (expected)
            config_fail(f, leaf->node->line, key, "expected %s, found \"%.60s\"", expected,
                nav2_value_text(f, leaf->node));
        else {
            bool whole = row->kind == NAV2_NUMBER && !strpbrk(leaf->node->text, ".eE");
            nav2_remark(f, HED_NAV2_READ, key, leaf->node->text, leaf->node->line, "%s",
                whole ? "ROS 2 refuses a whole number here: write it with .0" : "");
        }
    }
}

/* ---- the controller ---- */

static void config_take_model(nav2_file *f)
{
    static const char *const types[] = {"DiffDrive", "Omni", "Ackermann"};
    const char *controller = f->config->controller;
    nav2_settings *s = &f->config->settings;
    const char *name = nav2_text(&f->server, controller, "motion_model", "", NULL);
    const char *type = name ? nav2_text(&f->server, controller, name, "plugin", NULL) : NULL;
    bool has_prune = nav2_find(&f->server, controller, "prune_distance", "") != NULL;
    bool has_handler = nav2_find(&f->server, f->handler, "plugin", "") != NULL;
    s->release = type || (!has_prune && has_handler) || (!name && !has_prune) ? HED_NAV2_LYRICAL
                                                                              : HED_NAV2_JAZZY;
    if (s->release == HED_NAV2_JAZZY) s->path.prune_distance = 1.5;
    bool is_known = false;
    for (int i = 0; i < 3; i++)
        if (strstr(type ? type : name ? name : "DiffDrive", types[i])) {
            s->model = (hed_nav2_model)i;
            is_known = true;
        }
    if (!is_known && !type && name && strcmp(name, "diff_drive") == 0) is_known = true;
    nav2_leaf *leaf = nav2_find(&f->server, controller, "motion_model", "");
    nav2_remark(f, is_known ? leaf ? HED_NAV2_READ : HED_NAV2_DEFAULT : HED_NAV2_UNKNOWN,
        "motion_model", types[s->model], leaf ? leaf->node->line : 0, "%s",
        is_known ? "" : "an own motion model cannot be loaded; DiffDrive is used");
    const char *radius_of = type ? name : "AckermannConstraints";
    leaf = nav2_find(&f->server, controller, radius_of, "min_turning_r");
    if (!leaf) return;
    leaf->used = true;
    if (!yaml_number(leaf->node, &s->min_turning_r) || s->min_turning_r < 0)
        config_fail(f, leaf->node->line, leaf->key, "expected metres, at least 0, found \"%.60s\"",
            nav2_value_text(f, leaf->node));
    else nav2_remark(f, HED_NAV2_READ, leaf->key, leaf->node->text, leaf->node->line, "%s", "");
}

static void config_take_deadband(nav2_file *f)
{
    nav2_VelocityDeadbandCritic *p = &f->config->settings.VelocityDeadbandCritic;
    double *values[] = {&p->deadband_vx, &p->deadband_vy, &p->deadband_wz};
    nav2_leaf *leaf = nav2_find(&f->server, f->config->controller, "VelocityDeadbandCritic", "deadband_velocities");
    if (!leaf) return;
    leaf->used = true;
    const yaml_node *item = leaf->node->first;
    for (int i = 0; i < 3; i++, item = item ? item->next : NULL)
        if (!item || !yaml_number(item, values[i])) {
            config_fail(f, leaf->node->line, leaf->key,
                "expected three numbers, [vx, vy, wz], found \"%.60s\"",
                nav2_value_text(f, leaf->node));
            return;
        }
    nav2_remark(
        f, HED_NAV2_READ, leaf->key, nav2_value_text(f, leaf->node), leaf->node->line, "%s", "");
}

/* Switches on the critics of the list. */
static void config_take_critics(nav2_file *f)
{
    nav2_settings *s = &f->config->settings;
    const char *controller = f->config->controller;
    nav2_leaf *list = nav2_find(&f->server, controller, "critics", "");
    if (!list || list->node->kind != YAML_LIST) {
        nav2_remark(f, HED_NAV2_UNKNOWN, "critics", "[]", 0, "no list of critics: nothing guides the robot");
        return;
    }
    list->used = true;
    nav2_remark(
        f, HED_NAV2_READ, list->key, nav2_value_text(f, list->node), list->node->line, "%s", "");
    for (const yaml_node *n = list->node->first; n && !hed_failed(f->error); n = n->next) {
        size_t i = 0;
        if (!n->text) continue;
        while (i < NAV2_CRITIC_COUNT && strcmp(n->text, nav2_critic_blocks[i].name) != 0) i++;
        if (i == NAV2_CRITIC_COUNT)
            nav2_remark(f, HED_NAV2_UNKNOWN, "critics", n->text, n->line,
                "an own critic cannot be loaded and is left out");
        else if (s->listed >> i & 1)
            nav2_remark(f, HED_NAV2_UNKNOWN, "critics", n->text, n->line,
                "twice in the list: Nav2 adds its cost twice, Heddle once");
        else s->listed |= 1u << i;
    }
    for (size_t i = 0; i < NAV2_CRITIC_COUNT; i++)
        if (s->listed >> i & 1) config_take(f, &f->server, controller, &nav2_critic_blocks[i]);
    if (s->listed >> NAV2_VelocityDeadbandCritic & 1) config_take_deadband(f);
}

/* ---- the costmap ---- */

/* Reads "[[x, y], [x, y], ...]". */
static void config_take_footprint(nav2_file *f)
{
    nav2_settings *s = &f->config->settings;
    nav2_leaf *leaf = nav2_find(&f->costmap, "footprint", "", "");
    if (!leaf || config_is_filled_in(leaf->node)) return;
    leaf->used = true;
    yaml_tree *tree = NULL;
    const yaml_node *list = leaf->node;
    if (list->kind == YAML_SCALAR) {
        if (!list->text[0]) return;
        if (yaml_tree_parse("footprint", list->text, strlen(list->text), &tree, NULL) == HED_OK)
            list = yaml_root(tree);
    }
    bool valid = list->kind == YAML_LIST;
    for (const yaml_node *n = list->first; n && valid; n = n->next) {
        double *at = s->outline[s->vertices < NAV2_MOST_VERTICES ? s->vertices : 0];
        valid = s->vertices++ < NAV2_MOST_VERTICES && n->kind == YAML_LIST &&
                yaml_number(n->first, &at[0]) && yaml_number(n->first->next, &at[1]) &&
                !n->first->next->next && fabs(at[0]) < 1e4 && fabs(at[1]) < 1e4;
    }
    valid = valid && (s->vertices == 0 || s->vertices >= 3);
    yaml_tree_free(tree);
    if (!valid)
        config_fail(f, leaf->node->line, "local_costmap.footprint",
            "expected three to %d corners, \"[[x, y], [x, y], ...]\", found \"%.60s\"",
            NAV2_MOST_VERTICES, nav2_value_text(f, leaf->node));
    else nav2_remark(f, HED_NAV2_READ, "local_costmap.footprint", nav2_value_text(f, leaf->node),
            leaf->node->line, "%s", "");
    s->is_circle = s->vertices == 0;
}

/* ---- the file ---- */

/* Adds a remark on a value that Nav2 refuses or replaces because of another one. */
static void HED_PRINTF(4, 5)
    config_complain(nav2_file *f, const char *critic, const char *name, const char *format, ...)
{
    char text[256];
    nav2_leaf *leaf = nav2_find(&f->server, *critic ? f->config->controller : "", critic, name);
    if (!leaf) leaf = nav2_find(&f->server, f->config->controller, name, "");
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    nav2_remark(f, HED_NAV2_UNKNOWN, leaf ? leaf->key : name,
        leaf ? nav2_value_text(f, leaf->node) : "default", leaf ? leaf->node->line : 0, "%s", text);
}

/* Remarks on combinations that Nav2 refuses when it is configured, or changes silently. */
static void config_check_pairs(nav2_file *f)
{
    const nav2_settings *s = &f->config->settings;
    double period = 1 / s->server.controller_frequency, dt = s->control.model_dt;
    bool outlines[] = {s->CostCritic.consider_footprint != 0 && (s->listed >> NAV2_CostCritic & 1),
        s->ObstaclesCritic.consider_footprint != 0 && (s->listed >> NAV2_ObstaclesCritic & 1)};
    if (period > dt + 1e-6)
        config_complain(f, "", "controller_frequency",
            "a period of %g s, above model_dt, %g s: Nav2 refuses to start, and so does Heddle", period, dt);
    else if (period < dt - 1e-6)
        config_complain(f, "", "controller_frequency",
            "a period of %g s, below model_dt, %g s: the plan is not shifted, as in Nav2", period, dt);
    for (int i = 0; i < 2; i++)
        if (outlines[i] && s->is_circle)
            config_complain(f, i ? "ObstaclesCritic" : "CostCritic", "consider_footprint",
                "Nav2 refuses to start with robot_radius; here the circle is a polygon of 16 corners");
    if (s->control.ax_min > 0) config_complain(f, "", "ax_min", "above 0: Nav2 and Heddle use its negative");
    if (s->control.ay_min > 0) config_complain(f, "", "ay_min", "above 0: Nav2 and Heddle use its negative");
}

/* Reads the goal checker. A kind that Heddle does not have is replaced by SimpleGoalChecker, of which
 * PositionGoalChecker is the form for any angle. */
static void config_take_goal(nav2_file *f)
{
    nav2_leaf *leaf = nav2_find(&f->server, f->goal, "plugin", "");
    const char *kind = leaf && leaf->node->text ? leaf->node->text : "SimpleGoalChecker";
    bool any_angle = strstr(kind, "PositionGoalChecker") != NULL;
    config_take(f, &f->server, f->goal, &nav2_goal_block);
    if (any_angle) f->config->settings.goal.yaw_goal_tolerance = M_PI;
    if (!leaf || hed_failed(f->error)) return;
    leaf->used = true;
    if (any_angle || strstr(kind, "SimpleGoalChecker"))
        nav2_remark(f, HED_NAV2_READ, leaf->key, kind, leaf->node->line, "%s",
            any_angle ? "the angle at the goal does not count" : "");
    else nav2_remark(f, HED_NAV2_UNKNOWN, leaf->key, kind, leaf->node->line,
        "this goal checker cannot be loaded; a run ends by the rules of SimpleGoalChecker");
}

static void config_take_all(nav2_file *f)
{
    nav2_settings *s = &f->config->settings;
    const char *controller = f->config->controller;
    config_take_model(f);
    bool lyrical = s->release == HED_NAV2_LYRICAL;
    config_take(f, &f->server, controller, &nav2_control_block);
    config_take(f, &f->server, controller, &nav2_validator_block);
    config_take_critics(f);
    config_take(f, &f->server, lyrical ? f->handler : controller, &nav2_path_block);
    config_take_goal(f);
    config_take(f, &f->server, "", &nav2_server_block);
    config_take(f, &f->costmap, "", &nav2_costmap_block);
    config_take(f, &f->costmap, f->inflation, &nav2_inflation_block);
    config_take_footprint(f);
    if (hed_failed(f->error)) return;
    if (!f->has_costmap)
        nav2_remark(f, HED_NAV2_UNKNOWN, "local_costmap", "", 0,
            "no such section in the file: robot_radius and inflation are Nav2's defaults");
    if (hed_failed(f->error)) return;
    config_check_pairs(f);
    nav2_remark_unused(f);
    const char *names[] = {"x", "y", "yaw"};
    f->config->has_start = true;
    for (int i = 0; i < 3; i++) {
        nav2_leaf *leaf = nav2_find(&f->amcl, "initial_pose", names[i], "");
        if (!leaf || !yaml_number(leaf->node, &f->config->start[i])) f->config->has_start = false;
    }
    nav2_leaf *lowest = nav2_find(&f->server, controller, "vx_min", "");
    if (s->control.vx_max < s->control.vx_min)
        config_fail(f, lowest ? lowest->node->line : 0, "vx_min", "%g; expected at most vx_max, %g",
            s->control.vx_min, s->control.vx_max);
    else nav2_settings_complete(s);
}

hed_status hed_nav2_config_parse(
    const char *text, size_t size, const char *name, hed_nav2_config **config, hed_error *error)
{
    HED_REQUIRE(text, config);
    *config = NULL;
    hed_error local_error = {0};
    if (!error) error = &local_error;
    yaml_tree *tree;
    if (yaml_tree_parse(name ? name : "parameters", text, size, &tree, error) != HED_OK)
        return error->status;
    hed_nav2_config *c = hed_new(NULL, 1, sizeof *c, error);
    if (c) {
        c->arena.owner = "Nav2's parameters";
        nav2_settings_default(&c->settings);
        nav2_file file = {.config = c, .name = name, .error = error};
        nav2_collect(&file, yaml_root(tree));
        if (!hed_failed(error)) config_take_all(&file);
    }
    yaml_tree_free(tree);
    if (hed_failed(error)) hed_nav2_config_free(c);
    else *config = c;
    return error->status;
}

hed_status hed_nav2_config_read(const char *path, hed_nav2_config **config, hed_error *error)
{
    HED_REQUIRE(path, config);
    *config = NULL;
    char *text;
    size_t size;
    hed_status status = hed_file_read(path, 1 << 24, &text, &size, error);
    if (status != HED_OK) return status;
    status = hed_nav2_config_parse(text, size, path, config, error);
    free(text);
    return status;
}

void hed_nav2_config_free(hed_nav2_config *config)
{
    if (!config) return;
    hed_arena_free(&config->arena);
    hed_delete(NULL, config, 1, sizeof *config);
}

hed_nav2_config_info hed_nav2_config_describe(const hed_nav2_config *c)
{
    if (!c) return (hed_nav2_config_info){0};
    const nav2_settings *s = &c->settings;
    return (hed_nav2_config_info){.controller = c->controller,
        .release = s->release,
        .model = s->model,
        .samples = (uint32_t)s->control.batch_size,
        .steps = (uint32_t)s->control.time_steps,
        .dt = s->control.model_dt,
        .period = 1 / s->server.controller_frequency,
        .goal_distance = s->goal.xy_goal_tolerance,
        .goal_angle = s->goal.yaw_goal_tolerance,
        .goal_path_length = s->goal.path_length_tolerance,
        .goal_is_stateful = s->goal.stateful != 0,
        .goal_buffer = s->goal.xy_goal_tolerance_buffer,
        .goal_is_symmetric = s->goal.symmetric_yaw_tolerance != 0,
        .failure_tolerance = s->server.failure_tolerance,
        .start = {c->start[0], c->start[1], c->start[2]},
        .has_start = c->has_start,
        .remark_count = c->remark_count};
}

const hed_nav2_remark *hed_nav2_config_remark(const hed_nav2_config *config, uint32_t index)
{
    return config && index < config->remark_count ? &config->remarks[index] : NULL;
}
