/* Changes between two solves: parameters, tables and noise; of all controllers of a fleet, or of
 * one. */
#include <math.h>
#include <string.h>

#include "model/controller.h"

bool hed_mppi_post(hed_mppi *c, uint32_t parameter, float value)
{
    if (!c) return false;
    const mppi_change change = {parameter, value};
    return parameter < c->parameter_count && isfinite(value) && hed_ring_push(c->changes, &change);
}

hed_status hed_mppi_set_noise(hed_mppi *controller, const float *noise, hed_error *error)
{
    HED_REQUIRE(controller, noise);
    uint64_t count =
        (uint64_t)controller->def.steps * controller->model.controls * controller->def.samples;
    if (!controller->noise)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: noise is given, but the sampler of this controller draws it: sampler must be "
            "HED_MPPI_GIVEN");
    for (uint64_t i = 0; i < count; i++)
        if (!isfinite(noise[i]))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "mppi: element %llu of the noise is %g: a finite number is expected",
                (unsigned long long)i, (double)noise[i]);
    memcpy(controller->noise, noise, count * sizeof *noise);
    controller->noise_number++;
    return HED_OK;
}

/* Finds a table, and checks its new content. Errors: ARGUMENT. */
static hed_status check_table(const hed_mppi *controller, const char *name, const float *values,
    uint32_t count, uint32_t *position, hed_error *error)
{
    uint32_t at = 0;
    while (at < controller->def.table_count && strcmp(controller->def.tables[at].name, name)) at++;
    if (at == controller->def.table_count)
        return hed_fail(error, HED_ERROR_ARGUMENT, "mppi: no table \"%s\": the controller has %u",
            name, controller->def.table_count);
    if (count > controller->def.tables[at].capacity)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: %u floats for table %s: it was made for %u", count, name,
            controller->def.tables[at].capacity);
    if (count < controller->table_needs[at])
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: %u floats for table %s: model %s reads %u", count, name, controller->model.name,
            controller->table_needs[at]);
    for (uint32_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "mppi: element %u of table %s is %g: a finite number is expected", i, name,
                (double)values[i]);
    *position = at;
    return HED_OK;
}

hed_status hed_mppi_post_table(
    hed_mppi *controller, const char *name, const float *values, uint32_t count, hed_error *error)
{
    HED_REQUIRE(controller, name, values || !count);
    uint32_t at, spare;
    if (check_table(controller, name, values, count, &at, error)) return HED_ERROR_ARGUMENT;
    for (spare = 0; spare < 2; spare++)
        if (!atomic_load_explicit(&controller->spare_used[at][spare], memory_order_acquire)) break;
    if (spare == 2) return HED_ERROR_NOT_READY;
    memcpy(controller->spare[at][spare], values, count * sizeof *values);
    atomic_store_explicit(&controller->spare_used[at][spare], true, memory_order_relaxed);
    const mppi_table_change change = {at, spare, count};
    /* cannot fail: the ring has space for all spares */
    hed_ring_push(controller->table_changes, &change);
    return HED_OK;
}

/* ---- the owner's changes ---- */

bool hed_mppi_set_parameter(hed_mppi *c, uint32_t index, uint32_t parameter, float value)
{
    if (!c || parameter >= c->parameter_count || !isfinite(value)) return false;
    if (index != HED_MPPI_ALL && index >= c->def.count) return false;
    uint32_t first = index == HED_MPPI_ALL ? 0 : index,
             end = index == HED_MPPI_ALL ? c->def.count : index + 1;
    for (uint32_t i = first; i < end; i++)
        c->parameters[(uint64_t)i * c->parameter_count + parameter] = value;
    return true;
}

void mppi_set_table(
    hed_mppi *c, uint32_t index, uint32_t table, const float *values, uint32_t count)
{
    const hed_mppi_table *t = &c->def.tables[table];
    for (uint32_t i = 0; i < c->def.count; i++) {
        if (index != HED_MPPI_ALL && index != i) continue;
        c->table_counts[i * HED_MPPI_MAX_TABLES + table] = count;
        if (t->per_controller || i == 0)
            memcpy(c->tables[table] + (t->per_controller ? (uint64_t)i * t->capacity : 0), values,
                count * sizeof *values);
        for (uint32_t k = 0; k <= c->def.term_count; k++) {
            mppi_part *part = mppi_text(c, i, k);
            for (uint32_t n = 0; n < part->table_count; n++)
                if (part->table_index[n] == table) part->table_counts[n] = count;
        }
    }
    c->changed_tables |= 1u << table;
}

hed_status hed_mppi_set_table(hed_mppi *controller, uint32_t index, const char *name,
    const float *values, uint32_t count, hed_error *error)
{
    HED_REQUIRE(controller, name, values || !count);
    uint32_t at;
    if (check_table(controller, name, values, count, &at, error)) return HED_ERROR_ARGUMENT;
    if (index != HED_MPPI_ALL && index >= controller->def.count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: table %s of controller %u: there are %u controllers", name, index,
            controller->def.count);
    if (index != HED_MPPI_ALL && controller->def.count > 1 &&
        !controller->def.tables[at].per_controller)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: table %s of controller %u: all controllers share it; expected a table with "
            "`per_controller`",
            name, index);
    mppi_set_table(controller, index, at, values, count);
    return HED_OK;
}

hed_status hed_mppi_set_robot(
    hed_mppi *controller, uint32_t index, const hed_mppi_robot *robot, hed_error *error)
{
    HED_REQUIRE(controller, robot);
    for (uint32_t i = 0; i < robot->setting_count; i++) {
        const hed_mppi_setting *setting = &robot->settings[i];
        uint32_t parameter = hed_mppi_parameter_find(controller, setting->name);
        if (!hed_mppi_set_parameter(controller, index, parameter, setting->value))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "mppi: robot %u, parameter %s = %g: expected the name of a parameter of the model or a "
                "term, a finite number, and a robot below %u",
                index, setting->name, (double)setting->value, controller->def.count);
    }
    for (uint32_t i = 0; i < robot->table_count; i++)
        if (hed_mppi_set_table(controller, index, robot->tables[i].name, robot->tables[i].values,
                robot->tables[i].count, error))
            return error->status;
    return HED_OK;
}
