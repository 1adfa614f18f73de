/* Paths on a costmap: the shortest by length and cost (A*, Hart et al. 1968), smoothed; for goals
 * without a planner, and to lead a path around an obstacle that blocks it. */
#include "nav2/nav2_controller.h"

#include <math.h>
#include <stdlib.h>

/* ---- A* ---- */

typedef struct plan_entry {
    float key; /* cost so far, and the distance left */
    uint32_t cell;
} plan_entry;

typedef struct plan_search {
    const hed_nav2_grid *grid;
    float *cost;    /* (cells) smallest cost from the start, in cells */
    uint32_t *from; /* (cells) previous cell */
    plan_entry *heap;
    uint32_t count, capacity, goal;
} plan_search;

static void plan_push(plan_search *s, float key, uint32_t cell)
{
    if (s->count == s->capacity) return; /* each cell enters at most 8 times */
    uint32_t i = s->count++;
    for (; i && s->heap[(i - 1) / 2].key > key; i = (i - 1) / 2) s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = (plan_entry){key, cell};
}

static plan_entry plan_pop(plan_search *s)
{
    plan_entry top = s->heap[0], last = s->heap[--s->count];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < s->count; i = child) {
        if (child + 1 < s->count && s->heap[child + 1].key < s->heap[child].key) child++;
        if (last.key <= s->heap[child].key) break;
        s->heap[i] = s->heap[child];
    }
    s->heap[i] = last;
    return top;
}

/* Cost of a cell's width: 1 in free space, 5 next to the inscribed zone, infinite within. */
static float plan_cell(const hed_nav2_grid *grid, uint32_t cell)
{
    uint8_t cost = grid->cells[cell];
    return cost >= 253 ? INFINITY : 1 + 4 * (float)cost / 252;
}

static void plan_expand(plan_search *s, uint32_t cell)
{
    const hed_nav2_grid *g = s->grid;
    int x = (int)(cell % g->width), y = (int)(cell / g->width);
    int goal_x = (int)(s->goal % g->width), goal_y = (int)(s->goal / g->width);
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int i = x + dx, j = y + dy;
            if (i < 0 || j < 0 || i >= (int)g->width || j >= (int)g->height) continue;
            uint32_t next = (uint32_t)j * g->width + (uint32_t)i;
            float cost = s->cost[cell] + (dx && dy ? 1.41421356f : 1) * plan_cell(g, next);
            if (!(cost < s->cost[next])) continue;
            s->cost[next] = cost;
            s->from[next] = cell;
            float x_left = (float)(i - goal_x), y_left = (float)(j - goal_y);
            plan_push(s, cost + sqrtf(x_left * x_left + y_left * y_left), next);
        }
}

/* Returns the cells from start to goal, goal first; 0 without a path. */
static uint32_t plan_search_cells(plan_search *s, uint32_t start, uint32_t *cells)
{
    size_t cell_count = (size_t)s->grid->width * s->grid->height;
    for (size_t i = 0; i < cell_count; i++) s->cost[i] = INFINITY;
    s->cost[start] = 0;
    s->from[start] = start;
    plan_push(s, 0, start);
    while (s->count) {
        plan_entry entry = plan_pop(s);
        if (entry.cell == s->goal) break;
        plan_expand(s, entry.cell);
    }
    if (!(s->cost[s->goal] < INFINITY)) return 0;
    uint32_t count = 0;
    for (uint32_t cell = s->goal;; cell = s->from[cell]) {
        cells[count++] = cell;
        if (cell == start) return count;
    }
}

/* ---- smoothing ---- */

static double plan_cost_at(const hed_nav2_grid *grid, double x, double y)
{
    return nav2_cell(grid, (float)x, (float)y, 255);
}

/* Draws each point towards the middle of its neighbours, unless it then costs more than before and
 * clearly more than at its first place (`first`, (count)). So many passes round a corner of the grid
 * over half a metre: a robot need not slow down for it. */
static void plan_smooth(const hed_nav2_grid *grid, hed_nav2_pose *p, double *first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) first[i] = plan_cost_at(grid, p[i].x, p[i].y);
    for (int pass = 0; pass < 500; pass++)
        for (uint32_t i = 1; i + 1 < count; i++) {
            double x = p[i].x + 0.3 * (p[i - 1].x + p[i + 1].x - 2 * p[i].x);
            double y = p[i].y + 0.3 * (p[i - 1].y + p[i + 1].y - 2 * p[i].y);
            double cost = plan_cost_at(grid, x, y), before = plan_cost_at(grid, p[i].x, p[i].y);
            if (cost >= 253 || cost > fmax(before, first[i] + 20)) continue;
            p[i].x = x;
            p[i].y = y;
        }
}

static bool plan_cell_of(const hed_nav2_grid *grid, hed_nav2_pose pose, uint32_t *cell)
{
    double column = (pose.x - grid->x) / grid->resolution,
           row = (pose.y - grid->y) / grid->resolution;
    if (!(column >= 0 && row >= 0 && column < grid->width && row < grid->height)) return false;
    *cell = (uint32_t)row * grid->width + (uint32_t)column;
    return true;
}

hed_status hed_nav2_find_path(const hed_nav2_grid *grid, hed_nav2_pose start, hed_nav2_pose goal,
    hed_nav2_pose **poses, uint32_t *count, hed_error *error)
{
    HED_REQUIRE(grid, poses, count);
    *poses = NULL;
    *count = 0;
    uint32_t first;
    plan_search s = {.grid = grid};
    if (!plan_cell_of(grid, start, &first) || !plan_cell_of(grid, goal, &s.goal)) return HED_OK;
    if (plan_cell(grid, s.goal) == INFINITY) return HED_OK;
    size_t cell_count = (size_t)grid->width * grid->height;
    hed_arena arena = {.owner = "the search for a path"};
    s.capacity = (uint32_t)(cell_count < UINT32_MAX / 8 ? 8 * cell_count : UINT32_MAX);
    s.cost = hed_arena_new(&arena, cell_count, sizeof *s.cost, error);
    s.from = hed_arena_new(&arena, cell_count, sizeof *s.from, error);
    s.heap = hed_arena_new(&arena, s.capacity, sizeof *s.heap, error);
    uint32_t *cells = hed_arena_new(&arena, cell_count, sizeof *cells, error);
    uint32_t length = cells ? plan_search_cells(&s, first, cells) : 0;
    double *first_costs = hed_arena_new(&arena, length + 1ull, sizeof *first_costs, error);
    hed_nav2_pose *path = length && first_costs ? malloc((length + 1) * sizeof *path) : NULL;
    hed_status status = !first_costs      ? HED_ERROR_MEMORY
                        : length && !path ? HED_OUT_OF_MEMORY(error, "a path of %u poses", length)
                                          : HED_OK;
    for (uint32_t i = 0; path && i < length; i++) {
        uint32_t cell = cells[length - 1 - i];
        path[i] = (hed_nav2_pose){grid->x + (cell % grid->width + 0.5) * grid->resolution,
            grid->y + (cell / grid->width + 0.5) * grid->resolution, 0};
    }
    if (path) {
        path[0] = start;
        path[length == 1 ? length++ : length - 1] = goal;
        plan_smooth(grid, path, first_costs, length);
    }
    hed_arena_free(&arena);
    if (!path) return status;
    for (uint32_t i = 0; i + 1 < length; i++)
        path[i].yaw = atan2(path[i + 1].y - path[i].y, path[i + 1].x - path[i].x);
    *poses = path;
    *count = length;
    return HED_OK;
}

/* ---- around an obstacle ---- */

/* Replaces poses [from, to) of the path by others. Errors: MEMORY. */
static hed_status plan_splice(nav2_route *r, uint32_t from, uint32_t to, const hed_nav2_pose *poses,
    uint32_t count, hed_error *error)
{
    uint32_t total = r->count - (to - from) + count;
    if (nav2_route_reserve(r, total, error) != HED_OK) return error->status;
    memmove(r->poses + from + count, r->poses + to, (r->count - to) * sizeof *poses);
    memcpy(r->poses + from, poses, count * sizeof *poses);
    r->end += total - r->count;
    r->count = total;
    return HED_OK;
}

/* Returns the last index within `distance` along the path after `i`, below the end of the part. */
static uint32_t plan_walk(const nav2_route *r, uint32_t i, double distance)
{
    for (double walked = 0; i + 1 < r->end; i++) {
        walked += nav2_length(r->poses[i + 1].x - r->poses[i].x, r->poses[i + 1].y - r->poses[i].y);
        if (walked > distance) break;
    }
    return i;
}

/* True if pose i of the path is on the costmap and in no collision. */
static bool plan_is_free(const hed_nav2 *n, uint32_t i)
{
    hed_nav2_pose at = nav2_to_costmap(&n->route, n->route.poses[i]);
    int cost = nav2_cell(n->cycle.grid, (float)at.x, (float)at.y, 254);
    return cost < 253 || (cost == 255 && n->settings.costmap.track_unknown_space != 0);
}

bool nav2_lead_around(hed_nav2 *n, const hed_nav2_grid *grid, hed_error *error)
{
    static const double AFTER = 1.0; /* length for joining the path, m */
    nav2_route *r = &n->route;
    uint32_t end = r->first + r->left_count, blocked = r->first;
    while (blocked < end && plan_is_free(n, blocked)) blocked++;
    if (blocked >= end || blocked >= r->end) return false;
    uint32_t beyond = blocked;
    while (beyond < r->end && !plan_is_free(n, beyond)) beyond++;
    if (beyond >= r->end) return false; /* the goal itself is blocked */
    uint32_t to = plan_walk(r, beyond, AFTER);
    while (to + 1 < r->end && !plan_is_free(n, to)) to++;
    /* begins at the robot: a path that leaves the old one later would have a corner there */
    hed_nav2_pose goal = nav2_to_costmap(r, r->poses[to]), *poses;
    uint32_t count;
    if (hed_nav2_find_path(grid, n->cycle.pose, goal, &poses, &count, error) != HED_OK)
        return false;
    for (uint32_t i = 0; i < count; i++) poses[i] = nav2_to_path(r, poses[i]);
    bool changed = count > 1 && plan_splice(r, r->first, to, poses, count - 1, error) == HED_OK;
    free(poses);
    return changed;
}
