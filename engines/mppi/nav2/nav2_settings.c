/* Defaults of Nav2's parameters, and the facts that follow from them. */
#include "nav2/nav2_settings.h"

#include <math.h>
#include <string.h>

#define SET_DEFAULT(name, kind, value, low, high) at->name = (value);
#define SET_DEFAULTS(type, parameters) \
    static void default_##type(nav2_##type *at) { parameters(SET_DEFAULT) }
#define SET_CRITIC(name, parameters, ...) SET_DEFAULTS(name, parameters)
SET_DEFAULTS(server, NAV2_SERVER)
SET_DEFAULTS(goal, NAV2_GOAL)
SET_DEFAULTS(path_rules, NAV2_PATH)
SET_DEFAULTS(control, NAV2_CONTROL)
SET_DEFAULTS(validator, NAV2_VALIDATOR)
SET_DEFAULTS(costmap, NAV2_COSTMAP)
SET_DEFAULTS(inflation, NAV2_INFLATION)
NAV2_CRITICS(SET_CRITIC)

void nav2_settings_default(nav2_settings *s)
{
    *s = (nav2_settings){.release = HED_NAV2_LYRICAL, .min_turning_r = 0.2, .is_circle = true};
    default_server(&s->server);
    default_goal(&s->goal);
    default_path_rules(&s->path);
    default_control(&s->control);
    default_validator(&s->validator);
    default_costmap(&s->costmap);
    default_inflation(&s->inflation);
#define DEFAULT_CRITIC(name, parameters, ...) default_##name(&s->name);
    NAV2_CRITICS(DEFAULT_CRITIC)
}

/* Distance of the origin from the segment between two vertices. */
static double settings_distance(const double *a, const double *b)
{
    double dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy;
    double share = square > 0 ? -(a[0] * dx + a[1] * dy) / square : 0;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return nav2_length(a[0] + share * dx, a[1] + share * dy);
}

void nav2_settings_measure(nav2_settings *s)
{
    s->inscribed = INFINITY;
    s->circumscribed = 0;
    for (uint32_t i = 0; i < s->vertices; i++) {
        const double *a = s->footprint[i], *b = s->footprint[(i + 1) % s->vertices];
        s->inscribed = fmin(s->inscribed, settings_distance(a, b));
        s->circumscribed = fmax(s->circumscribed, nav2_length(a[0], a[1]));
    }
    if (!s->vertices) s->inscribed = 0;
    s->outline_radius = 0;
    for (uint32_t i = 0; i < s->vertices; i++)
        s->outline_radius =
            fmax(s->outline_radius, nav2_length(s->outline[i][0], s->outline[i][1]));
}

void nav2_settings_remove_padding(nav2_settings *s)
{
    double padding = s->costmap.footprint_padding;
    for (uint32_t i = 0; i < s->vertices; i++)
        for (int k = 0; k < 2; k++) {
            double at = s->footprint[i][k];
            s->outline[i][k] = fabs(at) > fabs(padding) + 1e-9 ? at - copysign(padding, at) : at;
        }
}

void nav2_settings_complete(nav2_settings *s)
{
    if (s->is_circle) {
        s->vertices = 16;
        for (uint32_t i = 0; i < s->vertices; i++) {
            double angle = i * 2 * M_PI / s->vertices;
            s->outline[i][0] = s->costmap.robot_radius * cos(angle);
            s->outline[i][1] = s->costmap.robot_radius * sin(angle);
        }
    }
    memcpy(s->footprint, s->outline, sizeof s->footprint);
    /* each coordinate moves outwards by the padding, unless it is 0 */
    for (uint32_t i = 0; i < s->vertices; i++)
        for (int k = 0; k < 2; k++) {
            double *at = &s->footprint[i][k];
            if (fabs(*at) > 1e-9) *at += copysign(s->costmap.footprint_padding, *at);
        }
    nav2_settings_measure(s);
    s->control.ax_max = fabs(s->control.ax_max);
    s->control.ax_min = -fabs(s->control.ax_min);
    s->control.ay_max = fabs(s->control.ay_max);
    s->control.ay_min = -fabs(s->control.ay_min);
    if (s->control.sgf_order != 1) s->control.sgf_order = 2;
    if (s->path.max_robot_pose_search_dist == NAV2_HALF_COSTMAP)
        s->path.max_robot_pose_search_dist = fmax(s->costmap.width, s->costmap.height) / 2;
    s->critics = 0;
#define LISTED(name, ...) \
    if ((s->listed >> NAV2_##name & 1) && s->name.enabled != 0) s->critics |= 1u << NAV2_##name;
    NAV2_CRITICS(LISTED)
}
