/* Wind that differs from place to place: jets of fans, and a grid of velocities. */
#include "model/collider.h"
#include "solver/host.h"

#include <math.h>
#include <stdio.h>

enum { MOST_FANS = 64, MOST_NODES = 1 << 24 };

/* ---- checks ---- */

hed_status cloth_check_wind_grid(const hed_cloth_def *def, hed_error *error)
{
    const hed_cloth_wind_grid *grid = def->wind_grid;
    uint64_t nodes = 1;
    if (hed_failed(error)) return error->status;
    if (def->max_fans > MOST_FANS)
        return hed_fail(error, HED_ERROR_ARGUMENT, "hed_cloth_def.max_fans is %u: 0 to %d",
            def->max_fans, MOST_FANS);
    if (!grid) return HED_OK;
    cloth_check_numbers(grid->low, 3, CLOTH_FARTHEST, "wind_grid.low", error);
    cloth_check_numbers(grid->high, 3, CLOTH_FARTHEST, "wind_grid.high", error);
    if (error->status) return error->status;
    for (int k = 0; k < 3; k++) {
        if (grid->size[k] < 2 || grid->size[k] > 1024)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "wind_grid.size[%d] is %u; expected 2 to 1024 nodes", k, grid->size[k]);
        if (!(grid->high[k] - grid->low[k] >= 1e-3f))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "wind_grid: high[%d] is %g, low[%d] is %g; expected high above low by at least 1e-3 m",
                k, (double)grid->high[k], k, (double)grid->low[k]);
        nodes *= grid->size[k];
    }
    if (nodes > MOST_NODES)
        return hed_fail(error, HED_ERROR_LIMIT, "wind_grid has %llu nodes; expected at most %d",
            (unsigned long long)nodes, MOST_NODES);
    if (!grid->velocities)
        return hed_fail(error, HED_ERROR_ARGUMENT, "wind_grid.velocities is NULL");
    return cloth_check_numbers(grid->velocities, 3 * nodes, 1e3, "wind_grid.velocities", error);
}

static hed_status check_fan(const hed_cloth_fan *fan, uint32_t index, hed_error *error)
{
    char subject[64];
    double square = 0;
    snprintf(subject, sizeof subject, "fan %u", index);
    cloth_check_numbers(fan->position, 3, CLOTH_FARTHEST, subject, error);
    if (cloth_check_numbers(fan->direction, 3, 1.01, subject, error)) return error->status;
    for (int k = 0; k < 3; k++) square += (double)fan->direction[k] * fan->direction[k];
    if (!(square > 0.998 && square < 1.002))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "fan %u: direction has the length %g; expected 1", index, sqrt(square));
    if (!(fan->radius >= 1e-3f && fan->radius <= 1e4f))
        return hed_fail(error, HED_ERROR_ARGUMENT, "fan %u: radius is %g m; expected 1e-3 to 1e4",
            index, (double)fan->radius);
    if (!(fabsf(fan->speed) <= 1e3f))
        return hed_fail(error, HED_ERROR_ARGUMENT, "fan %u: speed is %g m/s; expected -1e3 to 1e3",
            index, (double)fan->speed);
    if (!(fan->spread >= 0.0f && fan->spread <= 10.0f))
        return hed_fail(error, HED_ERROR_ARGUMENT, "fan %u: spread is %g; expected 0 to 10", index,
            (double)fan->spread);
    return HED_OK;
}

hed_status cloth_check_fans(const hed_cloth *cloth, const hed_cloth_frame *frame, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    if (frame->fan_count && !frame->fans)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%u fans at NULL", frame->fan_count);
    if (frame->fan_count > cloth->def.max_fans)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%u fans: this cloth was made for %u (hed_cloth_def.max_fans)", frame->fan_count,
            cloth->def.max_fans);
    for (uint32_t i = 0; i < frame->fan_count; i++)
        if (check_fan(&frame->fans[i], i, error)) return error->status;
    return HED_OK;
}

/* ---- upload ---- */

hed_status cloth_upload_winds(hed_cloth *cloth, const hed_cloth_wind_grid *grid, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    if (!cloth->has_field) return HED_OK;
    if (cloth->def.max_fans)
        cloth_upload(cloth, NULL, cloth->def.max_fans * CLOTH_FAN_WORDS * sizeof(float4),
            &cloth->buffers.fans, error);
    if (!grid) return error->status;
    cloth->host->grid = *grid;
    cloth->host->grid.velocities = NULL;
    uint64_t nodes = (uint64_t)grid->size[0] * grid->size[1] * grid->size[2];
    float4 *rows = hed_new(&cloth->allocator, nodes, sizeof *rows, error);
    if (!rows) return HED_ERROR_MEMORY;
    for (uint64_t i = 0; i < nodes; i++) {
        const float *v = grid->velocities + 3 * i;
        rows[i] = (float4){v[0], v[1], v[2], 0.0f};
    }
    cloth_upload(cloth, rows, nodes * sizeof *rows, &cloth->buffers.grid, error);
    hed_delete(&cloth->allocator, rows, nodes, sizeof *rows);
    return error->status;
}

hed_status cloth_feed_fans(hed_cloth *cloth, const hed_cloth_frame *frame, hed_error *error)
{
    float4 words[CLOTH_FAN_WORDS * MOST_FANS];
    if (hed_failed(error)) return error->status;
    if (!cloth->has_field || !frame->fan_count) return HED_OK;
    for (uint32_t i = 0; i < frame->fan_count; i++) {
        const hed_cloth_fan *fan = &frame->fans[i];
        float4 *word = &words[CLOTH_FAN_WORDS * i];
        word[0] = cloth_from_world(cloth, fan->position, fan->radius);
        word[1] = (float4){fan->direction[0], fan->direction[1], fan->direction[2], fan->speed};
        word[2] = (float4){fan->spread, 0.0f, 0.0f, 0.0f};
    }
    return cloth_send(cloth, cloth->buffers.fans, 0, words,
        frame->fan_count * CLOTH_FAN_WORDS * sizeof *words, error);
}

/* ---- the field ---- */

HED_VIEW_LAUNCH(cloth_wind_launch, CLOTH_WIND)

hed_status cloth_find_wind(hed_cloth *cloth, uint32_t fans, double dt, hed_error *error)
{
    const hed_cloth_wind_grid *grid = &cloth->host->grid;
    float4 low = cloth_from_world(cloth, grid->low, 0.0f);
    float rate[3];
    for (int k = 0; k < 3; k++)
        rate[k] =
            grid->size[k] ? (float)(grid->size[k] - 1) / (grid->high[k] - grid->low[k]) : 0.0f;
    return cloth_run(cloth, CLOTH_KERNEL_WIND, cloth->particles,
        HED_VIEW_ARGS(cloth_wind_launch, .position = cloth->buffers.position,
            .previous = cloth->buffers.previous, .garments = cloth->buffers.garments,
            .fans = cloth_or_none(cloth, cloth->buffers.fans),
            .grid = cloth_or_none(cloth, cloth->buffers.grid), .air = cloth->buffers.air,
            .winds = {cloth->particles, fans, grid->size[0], grid->size[1], grid->size[2], low.x,
                low.y, low.z, rate[0], rate[1], rate[2], (float)dt}),
        error);
}
