/* The critics in use: gates once a cycle, then the costs of tiles of futures. */
#include <math.h>
#include "catalogue/mppi_native.h"
#include "nav2/nav2_critics.h"

#define GATE_ALWAYS(name) true
#define GATE_NEAR(name) nav2_is_near(c, s->name.threshold_to_consider)
#define GATE_FAR(name) nav2_is_far(c, s->name.threshold_to_consider)
#define GATE_OWN(name) gate_##name(c, &s->name)

void nav2_gates(nav2_cycle *c, nav2_stage stage)
{
    const nav2_settings *s = c->settings;
    if (stage == NAV2_ROLLED) c->active = 0;
#define GATE(name, parameters, gate, of) \
    if (NAV2_##of == stage && (s->critics >> NAV2_##name & 1) && GATE_##gate(name)) \
        c->active |= 1u << NAV2_##name;
    NAV2_CRITICS(GATE)
}

HED_NATIVE_BODY score_body(const nav2_cycle *c, nav2_tile *tile, nav2_stage stage)
{
    float value[NAV2_LANES];
#define SCORE(name, parameters, gate, of) \
    if (NAV2_##of == stage && (c->active >> NAV2_##name & 1)) { \
        score_##name(c, &c->settings->name, tile, value); \
        NAV2_EACH_LANE tile->cost[l] += value[l]; \
        float sum = 0; \
        for (uint32_t l = 0; l < tile->lanes; l++) sum += value[l]; \
        tile->sums[NAV2_##name] += (double)sum; \
    }
    NAV2_CRITICS(SCORE)
}
HED_NATIVE_BODY rolled_body(const nav2_cycle *c, nav2_tile *tile)
{
    score_body(c, tile, NAV2_ROLLED);
}
HED_NATIVE_BODY reached_body(const nav2_cycle *c, nav2_tile *tile)
{
    score_body(c, tile, NAV2_REACHED);
}
MPPI_CLONES(static, score_rolled, rolled_body, (const nav2_cycle *c, nav2_tile *tile), (c, tile))
MPPI_CLONES(static, score_reached, reached_body, (const nav2_cycle *c, nav2_tile *tile), (c, tile))

void nav2_score_tile(const nav2_cycle *c, nav2_tile *tile, nav2_stage stage)
{
    if (stage == NAV2_ROLLED) score_rolled(c, tile);
    else score_reached(c, tile);
}

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
