/* Parameters of a configuration by name: the list for a node that declares them, and changes. */
#include "nav2/nav2_file.h"

#include <stdio.h>
#include <string.h>

/* Lists whose parameters have names below the controller's, critics first. */
static const nav2_block *change_block(const nav2_settings *s, size_t index)
{
    if (index < NAV2_CRITIC_COUNT)
        return s->listed >> index & 1 ? &nav2_critic_blocks[index] : NULL;
    const nav2_block *blocks[] = {&nav2_control_block, &nav2_validator_block, &nav2_path_block};
    bool lyrical = s->release == HED_NAV2_LYRICAL;
    if (index == NAV2_CRITIC_COUNT) return blocks[0];
    return blocks[lyrical ? 1 : 2];
}

bool hed_nav2_config_parameter(
    const hed_nav2_config *config, uint32_t index, hed_nav2_parameter *parameter)
{
    if (!config || !parameter) return false;
    const nav2_settings *s = &config->settings;
    for (size_t n = 0; n < NAV2_CRITIC_COUNT + 2; n++) {
        const nav2_block *block = change_block(s, n);
        for (size_t i = 0; block && i < block->count; i++) {
            const nav2_row *row = &block->rows[i];
            if (row->kind == NAV2_LIST || index-- > 0) continue;
            *parameter = (hed_nav2_parameter){.kind = (hed_nav2_kind)row->kind,
                .value = *((const double *)((const char *)s + block->offset) + i),
                .low = row->low, .high = row->high};
            snprintf(parameter->name, sizeof parameter->name, "%s%s%s",
                block->name ? block->name : "", block->name ? "." : "", row->name);
            return true;
        }
    }
    return false;
}

/* Returns the row of a parameter and sets its place in the settings; NULL without it. */
static const nav2_row *change_find(nav2_settings *s, const char *key, double **value)
{
    const nav2_block *blocks[NAV2_CRITIC_COUNT + 5] = {&nav2_control_block, &nav2_validator_block,
        &nav2_path_block, &nav2_goal_block, &nav2_server_block};
    for (size_t i = 0; i < NAV2_CRITIC_COUNT; i++) blocks[5 + i] = &nav2_critic_blocks[i];
    const char *dot = strchr(key, '.');
    for (size_t n = 0; n < HED_COUNT(blocks); n++) {
        const nav2_block *block = blocks[n];
        size_t length = block->name ? strlen(block->name) : 0;
        if (length != (dot ? (size_t)(dot - key) : 0) ||
            (dot && strncmp(key, block->name, length) != 0))
            continue;
        for (size_t i = 0; i < block->count; i++) {
            if (strcmp(block->rows[i].name, dot ? dot + 1 : key) != 0) continue;
            *value = nav2_member(s, block, i);
            return &block->rows[i];
        }
    }
    return NULL;
}

hed_status hed_nav2_config_set(
    hed_nav2_config *config, const char *key, const char *value, hed_error *error)
{
    HED_REQUIRE(config, key, value);
    const yaml_node node = {.kind = YAML_SCALAR, .text = value};
    nav2_settings changed = config->settings;
    double *at, number;
    const nav2_row *row = change_find(&changed, key, &at);
    if (!row)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "there is no parameter \"%s\" of the controller; \"heddle mppi import FILE\" lists them", key);
    const char *expected = nav2_row_value(row, &node, &number);
    if (expected && row->kind == NAV2_FLAG)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: expected %s, found \"%s\"", key, expected, value);
    if (expected)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: expected %s, from %g to %g, found \"%s\"",
            key, expected, row->low, row->high, value);
    *at = number;
    if (changed.control.vx_max < changed.control.vx_min)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: vx_min would be %g; expected at most vx_max, %g", key, changed.control.vx_min,
            changed.control.vx_max);
    nav2_settings_complete(&changed);
    config->settings = changed;
    return HED_OK;
}
