/* Costs of sensors. The norms are mujoco_mpc's (Howell et al. 2022, arXiv 2212.00541). */
#include "mujoco/mujoco_cost.h"

#include "support/strict_math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- norms ---- */

/* Returns the norm of one element, for the norms that are sums over elements. */
static double cost_of_element(const mujoco_cost *c, double r)
{
    double p = c->p, q = c->q, size = fabs(r);
    switch (c->norm) {
    case MPPI_NORM_COSH: {
        double e = hed_strict_exp(size / p);
        return p * p * (0.5 * (e + 1 / e) - 1);
    }
    case MPPI_NORM_POWER: return size > 0 ? hed_strict_pow(size, p) : 0;
    case MPPI_NORM_SMOOTH_ABS: return sqrt(r * r + p * p) - p;
    case MPPI_NORM_SMOOTH_ABS2:
        return hed_strict_pow(
                   (size > 0 ? hed_strict_pow(size, q) : 0) + hed_strict_pow(p, q), 1 / q) -
               p;
    case MPPI_NORM_RECTIFY:
        if (!(p > 0)) return r > 0 ? r : 0;
        return r / p >= 4 ? r / p : hed_strict_log(1 + hed_strict_exp(r / p));
    default: return r;
    }
}

static double cost_of(const mujoco_cost *c, const double *sensors)
{
    double squares = 0, sum = 0, p = c->p, q = c->q;
    for (int i = 0; i < c->count; i++) {
        double r = sensors[c->first + i] - c->target[i];
        squares += r * r;
        sum += cost_of_element(c, r);
    }
    if (c->norm == MPPI_NORM_QUADRATIC) return 0.5 * squares;
    if (c->norm == MPPI_NORM_L2) return sqrt(squares + p * p) - p;
    if (c->norm == MPPI_NORM_L22)
        return hed_strict_pow(
                   (squares > 0 ? hed_strict_pow(squares, q / 2) : 0) + hed_strict_pow(p, q),
                   1 / q) -
               p;
    return sum;
}

double mujoco_costs_sum(const double *sensors, const void *costs)
{
    const mujoco_costs *list = costs;
    double sum = 0;
    for (uint32_t i = 0; i < list->count; i++)
        sum += list->costs[i].weight * cost_of(&list->costs[i], sensors);
    return sum;
}

/* ---- the list ---- */

/* Checks the parameters that a norm divides by. */
static hed_status cost_check(
    const mujoco_costs *costs, const mujoco_cost *c, const char *name, hed_error *error)
{
    bool uses_q = c->norm == MPPI_NORM_L22 || c->norm == MPPI_NORM_SMOOTH_ABS2;
    bool needs_p = uses_q || c->norm == MPPI_NORM_COSH || c->norm == MPPI_NORM_POWER;
    if (needs_p && !(c->p > 0))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: sensor %s: parameter p of its norm is %g; expected more than 0", costs->path, name, c->p);
    if (uses_q && !(c->q > 0))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: sensor %s: parameter q of its norm is %g; expected more than 0", costs->path, name, c->q);
    return HED_OK;
}

hed_status mujoco_costs_add(
    mujoco_costs *costs, int sensor, const mppi_sensor_cost *cost, hed_error *error)
{
    mujoco_sensor about;
    costs->calls->sensor_at(costs->model, sensor, &about);
    mujoco_cost c = {.sensor = sensor,
        .first = about.first,
        .count = about.count,
        .norm = cost->norm,
        .weight = cost->weight,
        .p = cost->p,
        .q = cost->q};
    if (about.count > MPPI_MUJOCO_VALUES)
        return hed_fail(error, HED_ERROR_LIMIT, "%s: sensor %s has %d values; a cost has at most %d",
            costs->path, cost->sensor, about.count, MPPI_MUJOCO_VALUES);
    if (cost->target_count > 1 && (int)cost->target_count != about.count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: sensor %s has %d values, and its target %u; expected as many, or one", costs->path,
            cost->sensor, about.count, cost->target_count);
    for (int i = 0; i < about.count && cost->target_count; i++)
        c.target[i] = cost->target[cost->target_count > 1 ? i : 0];
    if (cost_check(costs, &c, cost->sensor, error)) return error->status;
    uint32_t at = 0;
    while (at < costs->count && costs->costs[at].sensor != sensor) at++;
    if (at == MPPI_MUJOCO_SENSORS)
        return hed_fail(error, HED_ERROR_LIMIT, "%s: more than %d sensors have a cost", costs->path,
            MPPI_MUJOCO_SENSORS);
    costs->costs[at] = c;
    if (at == costs->count) costs->count++;
    return HED_OK;
}

hed_status mujoco_costs_open(mujoco_costs *costs, const mujoco_calls *calls, const void *model,
    const mujoco_sizes *sizes, const char *path, hed_error *error)
{
    *costs = (mujoco_costs){.calls = calls, .model = model, .path = path};
    for (int i = 0; i < sizes->sensors && sizes->sensor_user >= 2; i++) {
        char target[256];
        mujoco_sensor about;
        calls->sensor_at(model, i, &about);
        const char *name = calls->name(model, MUJOCO_SENSOR, i);
        double norm = about.user[0], weight = about.user[1];
        if (norm == 0 && weight == 0) continue; /* the sensor has no `user` */
        if (!(norm >= -1 && norm <= 8) || norm != floor(norm) || norm == 4 || !isfinite(weight))
            return hed_fail(error, HED_ERROR_FORMAT,
                "%s: sensor %s: user begins with norm %g and weight %g; expected a norm of mujoco_mpc's "
                "(-1 to 3, 5 to 8) and a number",
                path, name ? name : "without a name", norm, weight);
        mppi_sensor_cost cost = {.sensor = name ? name : "",
            .norm = (mppi_norm)(norm < 4 ? (int)norm + 1 : (int)norm),
            .weight = weight,
            .p = sizes->sensor_user > 4 ? about.user[4] : 0,
            .q = sizes->sensor_user > 5 ? about.user[5] : 0};
        snprintf(target, sizeof target, "%s_target", cost.sensor);
        int count = 0, index = calls->find(model, MUJOCO_NUMERIC, target);
        const double *values = index >= 0 ? calls->numeric(model, index, &count) : NULL;
        cost.target_count = count > MPPI_MUJOCO_VALUES ? MPPI_MUJOCO_VALUES : (uint32_t)count;
        if (values) memcpy(cost.target, values, cost.target_count * sizeof *values);
        if (mujoco_costs_add(costs, i, &cost, error)) return error->status;
    }
    return HED_OK;
}
