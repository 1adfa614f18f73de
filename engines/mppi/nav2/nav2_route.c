/* The path handler: the part of a path ahead of the robot, up to the first change of direction. */
#include "nav2/nav2_controller.h"

#include <math.h>

hed_status nav2_route_reserve(nav2_route *r, uint32_t count, hed_error *error)
{
    if (count <= r->capacity) return HED_OK;
    uint32_t capacity = count + count / 2 + 64;
    hed_nav2_pose *poses = hed_new(NULL, capacity, sizeof *poses, error);
    hed_nav2_pose *left = hed_new(NULL, capacity, sizeof *left, error);
    if (!poses || !left) {
        hed_delete(NULL, poses, capacity, sizeof *poses);
        hed_delete(NULL, left, capacity, sizeof *left);
        return HED_OUT_OF_MEMORY(error, "a path of %u poses", count);
    }
    if (r->count) memcpy(poses, r->poses, r->count * sizeof *poses);
    hed_delete(NULL, r->poses, r->capacity, sizeof *poses);
    hed_delete(NULL, r->left, r->capacity, sizeof *left);
    r->poses = poses;
    r->left = left;
    r->left_count = 0;
    r->capacity = capacity;
    return HED_OK;
}

static double route_step(const hed_nav2_pose *a, const hed_nav2_pose *b)
{
    return nav2_length(b->x - a->x, b->y - a->y);
}

void nav2_find_constraint(nav2_route *r, const nav2_path_rules *rules)
{
    static const double SMALLEST_STEP = 1e-4; /* m */
    double turned = 0;
    r->end = r->count;
    r->is_last = true;
    uint32_t before = r->first; /* begin of the last step of some length */
    for (uint32_t i = r->first; i + 1 < r->count; i++) {
        const hed_nav2_pose *a = &r->poses[before], *b = &r->poses[i], *c = &r->poses[i + 1];
        if (route_step(b, c) < SMALLEST_STEP) {
            turned += fabs(remainder(c->yaw - b->yaw, 2 * M_PI));
            if (rules->enforce_path_rotation == 0 || turned <= rules->minimum_rotation_angle)
                continue;
        } else {
            double distance_along = (b->x - a->x) * (c->x - b->x) + (b->y - a->y) * (c->y - b->y);
            turned = 0;
            before = i;
            if (rules->enforce_path_inversion == 0 || distance_along >= 0) continue;
        }
        r->end = i + 1;
        r->is_last = false;
        return;
    }
}

/* Returns the first pose of [from, end) whose distance distance_along the path from `from` exceeds
 * `distance`; a negative distance has no end. */
static uint32_t route_beyond(const nav2_route *r, uint32_t from, double distance)
{
    double distance_along = 0;
    for (uint32_t i = from + 1; i < r->end; i++) {
        distance_along += route_step(&r->poses[i - 1], &r->poses[i]);
        if (distance >= 0 && distance_along > distance) return i;
    }
    return r->end;
}

/* Begins the next part of the path once the robot has arrived at the end of this one. */
static void route_advance(nav2_route *r, const nav2_path_rules *rules, hed_nav2_pose pose)
{
    if (r->is_last) return;
    const hed_nav2_pose *last = &r->poses[r->end - 1];
    if (route_step(last, &pose) > rules->inversion_xy_tolerance ||
        fabs(remainder(last->yaw - pose.yaw, 2 * M_PI)) > rules->inversion_yaw_tolerance)
        return;
    r->first = r->end;
    nav2_find_constraint(r, rules);
}

/* Adds pose i to the pruned path of the cycle. */
static void route_keep(hed_nav2 *n, hed_nav2_pose pose)
{
    nav2_route *r = &n->route;
    if (r->left_count) n->cycle.path.length += route_step(&r->left[r->left_count - 1], &pose);
    r->left[r->left_count++] = pose;
}

bool nav2_prune(hed_nav2 *n, const hed_nav2_grid *grid, hed_nav2_pose pose)
{
    nav2_route *r = &n->route;
    const nav2_path_rules *rules = &n->settings.path;
    r->left_count = 0;
    n->cycle.path.length = 0;
    for (uint32_t i = 0; r->is_pruned && i < r->count; i++) route_keep(n, r->poses[i]);
    if (r->is_pruned) return true;
    pose = nav2_to_path(r, pose);
    uint32_t nearest = r->first,
             bound = route_beyond(r, r->first, rules->max_robot_pose_search_dist);
    double smallest = INFINITY;
    for (uint32_t i = r->first; i < bound; i++) {
        double distance = route_step(&r->poses[i], &pose);
        if (distance <= smallest) {
            smallest = distance;
            nearest = i;
        }
    }
    bool lyrical = n->settings.release == HED_NAV2_LYRICAL;
    if (lyrical && nearest > r->first && nearest + 1 == r->end) nearest--;
    uint32_t end = route_beyond(r, nearest, rules->prune_distance);
    for (uint32_t i = nearest; i < end; i++) {
        hed_nav2_pose at = nav2_to_costmap(r, r->poses[i]);
        if (nav2_cell(grid, (float)at.x, (float)at.y, -1) < 0) break;
        route_keep(n, at);
    }
    r->first = nearest;
    bool rejects = lyrical && rules->reject_unit_path != 0 && r->left_count == 1;
    route_advance(r, rules, pose);
    return r->left_count > 0 && !rejects;
}
