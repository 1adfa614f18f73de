/* Sections of a parameter file as flat lists, and the names of the plugins in use. */
#include "nav2/nav2_file.h"

#include "support/nearest.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists of values ---- */

static void leaf_add(nav2_file *f, nav2_section *s, const char *key, const yaml_node *node)
{
    if (s->count == s->capacity) {
        uint32_t capacity = s->capacity ? 2 * s->capacity : 64;
        nav2_leaf *leaves = hed_arena_new(&f->config->arena, capacity, sizeof *leaves, f->error);
        if (!leaves) return;
        if (s->count) memcpy(leaves, s->leaves, s->count * sizeof *leaves);
        s->leaves = leaves;
        s->capacity = capacity;
    }
    s->leaves[s->count++] =
        (nav2_leaf){hed_arena_text(&f->config->arena, key, f->error), node, false};
    if (hed_failed(f->error)) s->count--;
}

/* Adds the values below a map, with keys after `prefix`. */
static void leaf_add_all(nav2_file *f, nav2_section *s, const char *prefix, const yaml_node *map)
{
    char key[512];
    for (const yaml_node *n = map->first; n && !hed_failed(f->error); n = n->next) {
        int length = snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "." : "", n->key);
        if (length < 0 || (size_t)length >= sizeof key) continue;
        if (n->kind == YAML_MAP && n->first) leaf_add_all(f, s, key, n);
        else leaf_add(f, s, key, n);
    }
}

nav2_leaf *nav2_find(nav2_section *s, const char *a, const char *b, const char *c)
{
    char key[1024];
    snprintf(
        key, sizeof key, "%s%s%s%s%s", a, *a && *b ? "." : "", b, *c && (*a || *b) ? "." : "", c);
    for (uint32_t i = s->count; i-- > 0;)
        if (strcmp(s->leaves[i].key, key) == 0) return &s->leaves[i];
    return NULL;
}

const char *nav2_text(
    nav2_section *s, const char *a, const char *b, const char *c, const char *otherwise)
{
    nav2_leaf *leaf = nav2_find(s, a, b, c);
    if (!leaf || leaf->node->kind != YAML_SCALAR) return otherwise;
    leaf->used = true;
    return leaf->node->text;
}

/* ---- remarks ---- */

void nav2_remark(nav2_file *f, hed_nav2_treatment treatment, const char *key, const char *value,
    uint32_t line, const char *format, ...)
{
    hed_nav2_config *config = f->config;
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (config->remark_count == config->remark_capacity) {
        uint32_t capacity = config->remark_capacity ? 2 * config->remark_capacity : 128;
        hed_nav2_remark *remarks =
            hed_arena_new(&config->arena, capacity, sizeof *remarks, f->error);
        if (!remarks) return;
        if (config->remark_count)
            memcpy(remarks, config->remarks, config->remark_count * sizeof *remarks);
        config->remarks = remarks;
        config->remark_capacity = capacity;
    }
    config->remarks[config->remark_count] =
        (hed_nav2_remark){treatment, hed_arena_text(&config->arena, key, f->error),
            hed_arena_text(&config->arena, value, f->error), line,
            hed_arena_text(&config->arena, text, f->error)};
    if (!hed_failed(f->error)) config->remark_count++;
}

const char *nav2_value_text(nav2_file *f, const yaml_node *node)
{
    char text[160] = "";
    if (node->kind == YAML_SCALAR) return node->text;
    size_t used = (size_t)snprintf(text, sizeof text, "[");
    for (const yaml_node *n = node->first; n && used < sizeof text; n = n->next)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", n->text ? n->text : "...",
            n->next ? ", " : "]");
    if (!node->first) snprintf(text, sizeof text, node->kind == YAML_MAP ? "{}" : "[]");
    const char *copy = hed_arena_text(&f->config->arena, text, f->error);
    return copy ? copy : "";
}

/* ---- sections ---- */

/* True if the name of a node of ROS, such as "/robot1/controller_server", ends with `name`. */
static bool collect_is(const char *key, const char *name)
{
    const char *slash = strrchr(key, '/');
    return strcmp(slash ? slash + 1 : key, name) == 0 || strcmp(key, "/**") == 0;
}

/* True if a section is read: of all robots, or of the first robot that the file has. */
static bool collect_is_first(
    nav2_file *f, const char **first, const char *path, const yaml_node *map)
{
    if (strncmp(path, "/**", 3) == 0) return true;
    if (*path == '/') path++;
    if (!*first) *first = hed_arena_text(&f->config->arena, path, f->error);
    if (hed_failed(f->error) || strcmp(*first, path) == 0) return true;
    nav2_remark(f, HED_NAV2_UNKNOWN, path, "", map->line, "of another robot: %s is read", *first);
    return false;
}

/* Adds each map "ros__parameters" to the lists that its node's name selects. `path`: the names
 * above it. */
static void collect_sections(
    nav2_file *f, const yaml_node *map, const char *owner, const char *path)
{
    for (const yaml_node *n = map->first; n && !hed_failed(f->error); n = n->next) {
        if (n->kind != YAML_MAP || !n->key) continue;
        if (strcmp(n->key, "ros__parameters") != 0) {
            char below[512];
            snprintf(
                below, sizeof below, "%s%s%s", path, *path && *n->key != '/' ? "/" : "", n->key);
            collect_sections(f, n, n->key, below);
            continue;
        }
        if (collect_is(owner, "controller_server") && collect_is_first(f, &f->server_path, path, n))
            leaf_add_all(f, &f->server, "", n);
        if (collect_is(owner, "amcl") && collect_is_first(f, &f->amcl_path, path, n))
            leaf_add_all(f, &f->amcl, "", n);
        if (collect_is(owner, "local_costmap") && collect_is_first(f, &f->costmap_path, path, n)) {
            f->has_costmap = f->has_costmap || strcmp(owner, "/**") != 0;
            leaf_add_all(f, &f->costmap, "", n);
        }
    }
}

static bool collect_is_mppi(const nav2_leaf *leaf, const char **dot)
{
    *dot = strrchr(leaf->key, '.');
    if (!*dot || leaf->node->kind != YAML_SCALAR) return false;
    if (strcmp(*dot, ".plugin") != 0 && strcmp(*dot, ".primary_controller") != 0) return false;
    return strstr(leaf->node->text, "mppi_controller") != NULL ||
           strstr(leaf->node->text, "MPPIController") != NULL;
}

/* True if the server loads the controller that the leaf's key names: it is in the list, or no list
 * is in the file. */
static bool collect_is_loaded(const yaml_node *list, const char *key, const char *dot)
{
    size_t length = (size_t)(dot - key);
    if (!list) return true;
    for (const yaml_node *n = list->first; n; n = n->next)
        if (n->text && strlen(n->text) == length && strncmp(n->text, key, length) == 0) return true;
    return false;
}

/* Finds the first controller that the server loads and that is Nav2's MPPI, or a wrapper around it. */
static void collect_controller(nav2_file *f)
{
    char plugin_text[160] = "";
    nav2_leaf *plugins = nav2_find(&f->server, "controller_plugins", "", "");
    const yaml_node *list = plugins && plugins->node->kind == YAML_LIST ? plugins->node : NULL;
    for (uint32_t i = 0; i < f->server.count && !f->config->controller; i++) {
        const char *dot, *key = f->server.leaves[i].key;
        if (!collect_is_mppi(&f->server.leaves[i], &dot)) continue;
        if (!collect_is_loaded(list, key, dot)) continue;
        char *name = hed_arena_text(&f->config->arena, key, f->error);
        if (name) name[dot - key] = 0;
        f->config->controller = name;
    }
    if (f->config->controller || hed_failed(f->error)) return;
    /* a wrapper has its controller's plugin under a name of its own */
    nav2_leaf *primary = nav2_find(&f->server, "FollowPath", "primary_controller", "");
    nav2_leaf *plugin = primary ? primary : nav2_find(&f->server, "FollowPath", "plugin", "");
    const char *dot;
    if (plugin && plugin->node->text && !collect_is_mppi(plugin, &dot))
        snprintf(plugin_text, sizeof plugin_text, "FollowPath is %.100s", plugin->node->text);
    hed_fail(f->error, HED_ERROR_FORMAT,
        "%s: no controller with plugin nav2_mppi_controller::MPPIController (%s); expected one below "
        "controller_server: ros__parameters",
        f->name,
        *plugin_text      ? plugin_text
        : f->server.count ? "controller_plugins of controller_server names none"
                          : "there is no section controller_server");
}

/* Returns the first name of a list of plugins. */
static const char *collect_first(
    nav2_file *f, nav2_section *s, const char *key, const char *otherwise)
{
    nav2_leaf *leaf = nav2_find(s, key, "", "");
    (void)f;
    if (!leaf) return otherwise;
    leaf->used = true;
    const yaml_node *first = leaf->node->kind == YAML_LIST ? leaf->node->first : leaf->node;
    return first && first->text && *first->text ? first->text : otherwise;
}

static void collect_inflation(nav2_file *f)
{
    for (uint32_t i = 0; i < f->costmap.count && !f->inflation; i++) {
        const nav2_leaf *leaf = &f->costmap.leaves[i];
        const char *dot = strrchr(leaf->key, '.');
        bool is_layer = dot && strcmp(dot, ".plugin") == 0 && leaf->node->text &&
                        strstr(leaf->node->text, "InflationLayer");
        char *name = is_layer ? hed_arena_text(&f->config->arena, leaf->key, f->error) : NULL;
        if (name) name[dot - leaf->key] = 0;
        f->inflation = name;
    }
    if (!f->inflation) f->inflation = "inflation_layer";
}

void nav2_collect(nav2_file *f, const yaml_node *root)
{
    collect_sections(f, root, "", "");
    if (hed_failed(f->error)) return;
    collect_controller(f);
    f->goal = collect_first(f, &f->server, "goal_checker_plugins", "goal_checker");
    f->handler = collect_first(f, &f->server, "path_handler_plugins", "PathHandler");
    collect_inflation(f);
}

/* ---- keys that nothing reads ---- */

typedef struct unread_key {
    const char *key; /* name, or its beginning if it ends with '*' */
    const char *reason;
} unread_key;

/* below the controller */
static const unread_key UNREAD[] = {{"plugin", "names the controller"},
    {"visualize", "for display: hed_nav2_future()"},
    {"publish_*", "for display: hed_nav2_plan(), hed_nav2_critic_at()"},
    {"critic_index_to_visualize", "for display"}, {"TrajectoryVisualizer*", "for display"},
    {"TrajectoryValidator.plugin", "the default validator"},
    {"transform_tolerance", "no tf: path and pose are in the costmap's frame"},
    {"primary_controller", "names the controller behind a wrapper"},
    {"angular_*", "of RotationShimController"},
    {"forward_sampling_distance", "of RotationShimController"},
    {"rotate_to_*", "of RotationShimController"},
    {"max_angular_accel", "of RotationShimController"},
    {"simulate_ahead_time", "of RotationShimController"},
    {"closed_loop", "of RotationShimController"},
    {"reset_period", "of release 1.1: a pause resets the plan"},
    {"PathAngleCritic.forward_preference", "of release 1.1: true is mode 0, which is the default"},
    {"ObstaclesCritic.inflation_radius", "Nav2 reads it from the inflation layer"},
    {"ObstaclesCritic.cost_scaling_factor", "Nav2 reads it from the inflation layer"},
    {"CostCritic.inflation_layer_name", "the costmap has one inflation layer"},
    {"ObstaclesCritic.inflation_layer_name", "the costmap has one inflation layer"},
    {"speed_limit_topic", "no topics: hed_nav2_set_speed_limit()"},
    {"lookahead_distance", "ignored by Nav2's MPPI"}, {NULL, NULL}};

/* Returns the parameter whose name is nearest, for "did you mean". */
static const char *unread_near(const char *key)
{
    const char *words[64] = {0}, *dot = strchr(key, '.');
    const nav2_block *block = &nav2_control_block;
    for (size_t i = 0; dot && i < NAV2_CRITIC_COUNT; i++)
        if (strncmp(nav2_critic_blocks[i].name, key, (size_t)(dot - key)) == 0 &&
            nav2_critic_blocks[i].name[dot - key] == 0)
            block = &nav2_critic_blocks[i];
    if (dot && block == &nav2_control_block) {
        for (size_t i = 0; i < NAV2_CRITIC_COUNT; i++) words[i] = nav2_critic_blocks[i].name;
        words[NAV2_CRITIC_COUNT] = "AckermannConstraints";
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)(dot - key), key);
        return hed_nearest(name, words);
    }
    for (size_t i = 0; i < block->count && i < HED_COUNT(words) - 1; i++)
        words[i] = block->rows[i].name;
    return hed_nearest(dot ? dot + 1 : key, words);
}

/* True for the parameters of a critic that is known, but not in the list. */
static bool unread_is_idle(const hed_nav2_config *config, const char *key)
{
    for (size_t i = 0; i < NAV2_CRITIC_COUNT; i++) {
        size_t length = strlen(nav2_critic_blocks[i].name);
        if (strncmp(key, nav2_critic_blocks[i].name, length) == 0 && key[length] == '.')
            return !(config->settings.listed >> i & 1);
    }
    return false;
}

/* True if a parameter of the controller is written as one of the server. */
static bool unread_is_misplaced(const char *key)
{
    size_t length = strcspn(key, ".");
    if (key[length] != '.') return false;
    for (size_t i = 0; i < NAV2_CRITIC_COUNT; i++)
        if (strlen(nav2_critic_blocks[i].name) == length &&
            strncmp(key, nav2_critic_blocks[i].name, length) == 0)
            return true;
    return strncmp(key, "AckermannConstraints.", length + 1) == 0;
}

static void unread_remark(nav2_file *f, const nav2_leaf *leaf, const char *key)
{
    const char *value = nav2_value_text(f, leaf->node), *reason = NULL, *nearest;
    for (const unread_key *k = UNREAD; k->key && !reason; k++) {
        size_t length = strlen(k->key);
        bool begins = k->key[length - 1] == '*';
        if (begins ? strncmp(key, k->key, length - 1) == 0 : strcmp(key, k->key) == 0)
            reason = k->reason;
    }
    if (!reason && unread_is_idle(f->config, key)) reason = "of a critic that is not in use";
    if (reason) nav2_remark(f, HED_NAV2_WITHOUT, leaf->key, value, leaf->node->line, "%s", reason);
    else if ((nearest = unread_near(key)))
        nav2_remark(f, HED_NAV2_UNKNOWN, leaf->key, value, leaf->node->line,
            "Nav2 ignores it; did you mean %s?", nearest);
    else nav2_remark(f, HED_NAV2_UNKNOWN, leaf->key, value, leaf->node->line, "Nav2 ignores it");
}

void nav2_remark_unused(nav2_file *f)
{
    size_t length = strlen(f->config->controller);
    const char *dot;
    for (uint32_t i = 0; i < f->server.count && !hed_failed(f->error); i++) {
        const nav2_leaf *leaf = &f->server.leaves[i];
        if (leaf->used) continue;
        const nav2_leaf *last = nav2_find(&f->server, leaf->key, "", "");
        if (last && last != leaf)
            nav2_remark(f, HED_NAV2_UNKNOWN, leaf->key, nav2_value_text(f, leaf->node),
                leaf->node->line, "given again in line %u, which counts", last->node->line);
        else if (strncmp(leaf->key, f->config->controller, length) == 0 && leaf->key[length] == '.')
            unread_remark(f, leaf, leaf->key + length + 1);
        else if (unread_is_misplaced(leaf->key))
            nav2_remark(f, HED_NAV2_UNKNOWN, leaf->key, nav2_value_text(f, leaf->node),
                leaf->node->line, "Nav2 ignores it here; expected below %s", f->config->controller);
        else
            nav2_remark(f, HED_NAV2_WITHOUT, leaf->key, nav2_value_text(f, leaf->node),
                leaf->node->line, "%s",
                collect_is_mppi(leaf, &dot)
                    ? "another MPPI controller: Heddle reads the first in use"
                    : "of the server or another plugin");
    }
    for (uint32_t i = 0; i < f->costmap.count && !hed_failed(f->error); i++) {
        const nav2_leaf *leaf = &f->costmap.leaves[i];
        char key[512];
        snprintf(key, sizeof key, "local_costmap.%s", leaf->key);
        if (!leaf->used)
            nav2_remark(f, HED_NAV2_WITHOUT, key, nav2_value_text(f, leaf->node), leaf->node->line,
                "the costmap comes from the caller or --map");
    }
}
