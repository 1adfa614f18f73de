/* libFuzzer harness for parameter files of Nav2: an error that says something, or a configuration whose remarks
 * are complete and whose controller sends finite commands within its box for a few cycles. Build with
 * -DHEDDLE_FUZZ=ON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/mppi_nav2.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void drive(const hed_nav2_config *config)
{
    enum { SIDE = 60 };
    static uint8_t cells[SIDE * SIDE];
    static const hed_nav2_pose path[] = {
        {0.5, 0.5, 0}, {1, 0.6, 0.2}, {1.5, 0.7, 0.2}, {2, 1, 0.6}, {2.4, 1.6, 1}};
    const hed_nav2_grid grid = {SIDE, SIDE, 0.05, 0, 0, cells};
    for (int i = 0; i < 6; i++) cells[30 * SIDE + 20 + i] = 254;
    hed_nav2 *controller;
    hed_error error = {0};
    if (hed_nav2_create(config, 1, true, &controller, &error) != HED_OK) {
        if (!error.text[0]) abort();
        return;
    }
    if (hed_nav2_set_path(controller, path, 5, NULL) != HED_OK) abort();
    hed_nav2_velocity speed = {0};
    for (int i = 0; i < 3; i++) {
        hed_nav2_result result;
        if (hed_nav2_compute(controller, path[0], speed, &grid, &result, &error) != HED_OK) abort();
        speed = result.command;
        if (!isfinite(speed.vx) || !isfinite(speed.vy) || !isfinite(speed.wz)) abort();
        if (result.outcome != HED_NAV2_VALID && (speed.vx != 0 || speed.vy != 0 || speed.wz != 0))
            abort();
    }
    hed_nav2_destroy(controller);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hed_nav2_config *config;
    hed_error error = {0};
    hed_status status = hed_nav2_config_parse((const char *)data, size, "fuzz.yaml", &config, &error);
    if ((status != HED_OK) != (config == NULL) || (status != HED_OK && !error.text[0])) abort();
    if (!config) return 0;
    const hed_nav2_remark *remark;
    uint32_t count = 0;
    for (; (remark = hed_nav2_config_remark(config, count)); count++)
        if (!remark->key || !remark->value || !remark->text) abort();
    if (count != hed_nav2_config_describe(config).remark_count) abort();
    hed_nav2_config_set(config, "batch_size", "40", NULL);
    hed_nav2_config_set(config, "time_steps", "24", NULL);
    hed_nav2_config_set(config, "iteration_count", "1", NULL);
    hed_nav2_config_set(config, "retry_attempt_limit", "1", NULL);
    drive(config);
    hed_nav2_config_free(config);
    return 0;
}
