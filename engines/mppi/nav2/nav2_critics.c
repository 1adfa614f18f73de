/* The critics in use: gates once a cycle, then the costs of tiles of futures. */
#include <math.h>
#include "catalogue/mppi_native.h"
#include "nav2/nav2_critics.h"

static bool gate_always(const nav2_cycle *c) { return c != NULL; }

#define GATE_ALWAYS(name) gate_always(c)
#define GATE_NEAR(name) nav2_is_near(c, s->name.threshold_to_consider)
#define GATE_FAR(name) nav2_is_far(c, s->name.threshold_to_consider)
#define GATE_OWN(name) gate_##name(c, &s->name)

void nav2_gates(nav2_cycle *c)
{
    const nav2_settings *s = c->settings;
    c->active = 0;
#define GATE(name, parameters, gate) \
    if ((s->critics >> NAV2_##name & 1) && GATE_##gate(name)) c->active |= 1u << NAV2_##name;
    NAV2_CRITICS(GATE)
}

HED_NATIVE_BODY score_body(const nav2_cycle *c, nav2_tile *tile)
{
    float value[NAV2_LANES];
#define SCORE(name, parameters, gate) \
    if (c->active >> NAV2_##name & 1) { \
        score_##name(c, &c->settings->name, tile, value); \
        NAV2_EACH_LANE tile->cost[l] += value[l]; \
        float sum = 0; \
        for (uint32_t l = 0; l < tile->lanes; l++) sum += value[l]; \
        tile->sums[NAV2_##name] += (double)sum; \
    }
    NAV2_CRITICS(SCORE)
}
MPPI_CLONES(/* external linkage */, nav2_score_tile, score_body,
    (const nav2_cycle *c, nav2_tile *tile), (c, tile))

double nav2_finish_obstacles(
    const nav2_cycle *c, const float *raw, float *repulsion, uint32_t count, float *cost)
{
    const nav2_ObstaclesCritic *p = &c->settings->ObstaclesCritic;
    float smallest = INFINITY, steps = (float)c->settings->control.time_steps;
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        if (repulsion[i] < smallest) smallest = repulsion[i];
    for (uint32_t i = 0; i < count; i++) {
        float value = (float)p->critical_weight * raw[i] +
                      (float)p->repulsion_weight * (repulsion[i] - smallest) / steps;
        float powered = value;
        for (int n = 1; n < (int)p->cost_power; n++) powered *= value;
        cost[i] += powered;
        sum += (double)powered;
    }
    return sum;
}
