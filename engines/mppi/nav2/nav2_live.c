/* Facts that reach a controller while it runs: paths, frames, costmap and goal checker, parameters. */
#include "nav2/nav2_controller.h"

#include <math.h>

/* ---- paths ---- */

static bool live_is_finite(hed_nav2_pose pose) { return isfinite(pose.x + pose.y + pose.yaw); }

/* Copies a path into the route. Errors: ARGUMENT, MEMORY. */
static hed_status live_take_path(
    nav2_route *r, const hed_nav2_pose *poses, uint32_t count, hed_error *error)
{
    if (count == 0 || count > 1u << 24)
        return hed_fail(error, HED_ERROR_ARGUMENT, "the path has %u poses; expected 1 to 16777216", count);
    for (uint32_t i = 0; i < count; i++)
        if (!live_is_finite(poses[i]))
            return hed_fail(error, HED_ERROR_ARGUMENT, "pose %u of the path is not finite", i);
    r->count = 0;
    hed_status status = nav2_route_reserve(r, count, error);
    if (status != HED_OK) return status;
    memcpy(r->poses, poses, count * sizeof *poses);
    r->count = r->end = count;
    r->first = r->left_count = 0;
    r->is_last = true;
    r->goal = poses[count - 1];
    return HED_OK;
}

hed_status hed_nav2_set_path(
    hed_nav2 *controller, const hed_nav2_pose *poses, uint32_t count, hed_error *error)
{
    HED_REQUIRE(controller, poses);
    hed_status status = live_take_path(&controller->route, poses, count, error);
    if (status != HED_OK) return status;
    controller->route.is_pruned = false;
    nav2_find_constraint(&controller->route, &controller->settings.path);
    return HED_OK;
}

hed_status hed_nav2_set_pruned_path(hed_nav2 *controller, const hed_nav2_pose *poses,
    uint32_t count, hed_nav2_pose goal, hed_error *error)
{
    HED_REQUIRE(controller, poses);
    if (!live_is_finite(goal)) return hed_fail(error, HED_ERROR_ARGUMENT, "the goal is not finite");
    hed_status status = live_take_path(&controller->route, poses, count, error);
    if (status != HED_OK) return status;
    controller->route.is_pruned = true;
    controller->route.goal = goal;
    nav2_set_frame(&controller->route, (hed_nav2_pose){0});
    return HED_OK;
}

void nav2_set_frame(nav2_route *route, hed_nav2_pose frame)
{
    route->frame = frame;
    route->cosine = cos(frame.yaw);
    route->sine = sin(frame.yaw);
}

hed_status hed_nav2_set_frame(hed_nav2 *controller, hed_nav2_pose frame, hed_error *error)
{
    HED_REQUIRE(controller);
    if (!live_is_finite(frame))
        return hed_fail(error, HED_ERROR_ARGUMENT, "the frame of the path is not finite");
    nav2_set_frame(&controller->route, frame);
    return HED_OK;
}

/* ---- costmap and goal checker ---- */

hed_status hed_nav2_set_surroundings(
    hed_nav2 *controller, const hed_nav2_surroundings *surroundings, hed_error *error)
{
    HED_REQUIRE(controller, surroundings);
    const hed_nav2_surroundings *from = surroundings;
    uint32_t count = from->corner_count;
    if (count < 3 || count > NAV2_MOST_VERTICES)
        return hed_fail(error, HED_ERROR_ARGUMENT, "the footprint has %u corners; expected 3 to %d",
            count, NAV2_MOST_VERTICES);
    HED_REQUIRE(from->corners);
    double sum = from->inflation_radius + from->cost_scaling_factor + from->goal_distance;
    for (uint32_t i = 0; i < count; i++) sum += from->corners[i][0] + from->corners[i][1];
    if (!isfinite(sum))
        return hed_fail(error, HED_ERROR_ARGUMENT, "footprint, inflation or tolerance is not finite");
    nav2_settings *s = &controller->settings;
    memcpy(s->footprint, from->corners, count * sizeof *s->footprint);
    s->vertices = count;
    nav2_settings_remove_padding(s);
    s->is_circle = from->is_circle;
    s->inflation.inflation_radius = from->inflation_radius;
    s->inflation.cost_scaling_factor = from->cost_scaling_factor;
    s->costmap.track_unknown_space = from->tracks_unknown;
    if (from->goal_distance >= 0) s->goal.xy_goal_tolerance = from->goal_distance;
    nav2_settings_measure(s);
    return HED_OK;
}

/* ---- parameters ---- */

/* Copies the plan of an axis; a longer horizon repeats its last value. */
static void live_copy_axis(
    nav2_axis *to, uint32_t steps, const nav2_axis *from, uint32_t from_steps)
{
    if (!to->used || !from->used) return;
    for (uint32_t t = 0; t < steps; t++)
        to->plan[t] = from->plan[t < from_steps ? t : from_steps - 1];
    memcpy(to->history, from->history, sizeof to->history);
    to->last = from->last;
    if (to->delay == from->delay) memcpy(to->commands, from->commands, sizeof to->commands);
    else
        for (uint32_t k = 0; k < to->delay; k++) to->commands[k] = from->last;
}

hed_status hed_nav2_adopt(hed_nav2 *controller, const hed_nav2_config *config, hed_error *error)
{
    HED_REQUIRE(controller, config);
    hed_nav2 *replacement = NULL;
    hed_status status =
        hed_nav2_create(config, controller->seed, controller->detour, &replacement, error);
    if (status == HED_OK && controller->device)
        status = hed_nav2_use_device(replacement, controller->accelerator, error);
    if (status != HED_OK) {
        hed_nav2_destroy(replacement);
        return status;
    }
    hed_nav2_set_speed_limit(
        replacement, controller->speed_limit, controller->speed_limit_is_percentage);
    for (int i = 0; i < NAV2_AXES; i++)
        live_copy_axis(
            &replacement->axes[i], replacement->steps, &controller->axes[i], controller->steps);
    replacement->route = controller->route;
    controller->route = (nav2_route){0};
    hed_nav2 before = *controller;
    *controller = *replacement;
    *replacement = before;
    hed_nav2_destroy(replacement);
    nav2_route *r = &controller->route;
    if (r->count && !r->is_pruned) nav2_find_constraint(r, &controller->settings.path);
    return HED_OK;
}
