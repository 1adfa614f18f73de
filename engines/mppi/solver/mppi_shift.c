/* Shifts of a plan between two solves, by whole steps or by a part of one.
 *
 * A control is held for a step, so step t of a plan that is shifted by a fraction f covers the last
 * 1 - f of step t and the first f of step t + 1: their mean, (1 - f) u_t + f u_(t+1), which is also
 * the plan's linear interpolation. The controls of the past are shifted as the plan is, and the
 * nominal states of TUBE and ROBUST are interpolated. Everything is computed from the plan and
 * history at the last solve: three shifts by a third are one shift by 1, for any plan.
 *
 * After a shift by a fraction, the control that the actuators hold is f steps old: the next control
 * differs from it by at most f times the rate. */
#include <math.h>
#include <string.h>

#include "kernels/words.h"
#include "model/controller.h"

static const double TOLERANCE = 1e-5; /* a shift this close to a whole number of steps is whole */

hed_status mppi_make_shift(hed_mppi *c, hed_error *error)
{
    uint64_t nu = c->model.controls, n = c->systems, plan = n * c->def.steps * nu;
    mppi_shift *s = &c->shift;
    s->plan = hed_arena_new(&c->arena, plan, sizeof(float), error);
    if (c->drive) s->drive = hed_arena_new(&c->arena, plan, sizeof(float), error);
    s->pasts = hed_arena_new(&c->arena, n * c->past * nu, sizeof(float), error);
    s->controls = hed_arena_new(&c->arena, n * nu, sizeof(float), error);
    s->since = 1;
    return hed_failed(error) ? error->status : HED_OK;
}

void mppi_end_shift(hed_mppi *c) { c->shift.steps = c->shift.elapsed = 0; }

/* Returns the value between two, at fraction f. */
static float between(float a, float b, float f) { return f > 0 ? a + f * (b - a) : a; }

void mppi_shift_plan(
    const hed_mppi *c, const float *plan, uint32_t whole, float f, bool zero, float *out)
{
    uint64_t nu = c->model.controls, steps = c->def.steps;
    bool is_empty = zero || whole >= steps;
    for (uint64_t t = 0; t < steps; t++)
        for (uint64_t i = 0; i < nu; i++) {
            uint64_t at = t + whole;
            float last = is_empty ? 0 : plan[(steps - 1) * nu + i];
            float a = at < steps ? plan[at * nu + i] : last;
            out[t * nu + i] = between(a, at + 1 < steps ? plan[(at + 1) * nu + i] : last, f);
        }
}

void mppi_state_at(const hed_mppi *c, const float *states, float step, float *x)
{
    uint64_t nx = c->model.states;
    uint32_t at = step < (float)c->def.steps ? (uint32_t)step : c->def.steps;
    float f = at < c->def.steps ? step - (float)at : 0;
    for (uint64_t n = 0; n < nx; n++) {
        float value = states[at * nx + n];
        if (f > 0)
            value += f * mppi_state_difference(
                             c->model.angles, (int)n, states[(at + 1) * nx + n], value);
        x[n] = value;
    }
}

/* Returns control i that a system's actuators hold in step `step` from the last solve on, which is
 * below 0 in its history. */
static float held_control(const hed_mppi *c, uint32_t system, int64_t step, uint32_t i)
{
    uint64_t nu = c->model.controls, steps = c->def.steps;
    const mppi_shift *s = &c->shift;
    if (step < 0)
        return s->pasts[((uint64_t)system * c->past + (uint64_t)(c->past + step)) * nu + i];
    if (step == 0 && system < c->def.count) return c->applied[system * nu + i];
    uint64_t at = (uint64_t)step < steps ? (uint64_t)step : steps - 1;
    return s->plan[(system * steps + at) * nu + i];
}

/* Shifts the nominal system of a controller: TUBE's state, ROBUST's stride. */
static void shift_nominal(hed_mppi *c, uint32_t index)
{
    uint64_t nx = c->model.states;
    uint32_t nominal = c->def.count + index;
    c->stride[index] = (float)c->shift.elapsed;
    if (c->def.kind != HED_MPPI_TUBE) return;
    mppi_state_at(c, c->states + (uint64_t)nominal * (c->def.steps + 1) * nx, c->stride[index],
        c->state + nominal * nx);
}

static void shift_system(hed_mppi *c, uint32_t system, uint32_t whole, float f)
{
    uint64_t nu = c->model.controls, size = c->def.steps * nu;
    const mppi_shift *s = &c->shift;
    for (uint32_t k = 0; k < c->past; k++)
        for (uint32_t i = 0; i < nu; i++) {
            int64_t step = (int64_t)whole + k - c->past;
            c->pasts[((uint64_t)system * c->past + k) * nu + i] =
                between(held_control(c, system, step, i), held_control(c, system, step + 1, i), f);
        }
    for (uint32_t i = 0; i < nu; i++)
        s->controls[system * nu + i] = held_control(c, system, whole, i);
    if (system >= c->def.count) shift_nominal(c, system - c->def.count);
    bool is_chosen_later = c->def.kind == HED_MPPI_ROBUST && system >= c->def.count;
    if (!is_chosen_later)
        mppi_shift_plan(c, s->plan + system * size, whole, f, c->def.tail == HED_MPPI_ZERO,
            c->plan + system * size);
    if (c->drive)
        mppi_shift_plan(c, s->drive + system * size, whole, f, true, c->drive + system * size);
    mppi_begin_again(c, system);
}

/* Copies the present plan and history, from which shifts begin. */
static void begin_shift(hed_mppi *c)
{
    uint64_t nu = c->model.controls, n = c->systems, plan = n * c->def.steps * nu * sizeof(float);
    mppi_shift *s = &c->shift;
    memcpy(s->plan, c->plan, plan);
    if (c->drive) memcpy(s->drive, c->drive, plan);
    memcpy(s->pasts, c->pasts, n * c->past * nu * sizeof(float));
}

static void shift_by(hed_mppi *c, double steps)
{
    mppi_shift *s = &c->shift;
    if (!(steps > 0)) return;
    if (s->steps == 0) begin_shift(c);
    c->unshifted = false;
    s->steps += steps;
    s->elapsed += steps;
    c->timed.time += steps * (double)c->def.dt;
    if (s->elapsed > c->def.steps) s->elapsed = c->def.steps;
    double total = fmin(s->steps, 1e9), nearest = nearbyint(total);
    if (fabs(total - nearest) < TOLERANCE) total = nearest;
    uint32_t whole = (uint32_t)total;
    float f = (float)(total - whole);
    s->since = f > 0 ? f : 1;
    for (uint32_t i = 0; i < c->systems; i++) shift_system(c, i, whole, f);
}

void hed_mppi_shift(hed_mppi *c, uint32_t steps)
{
    if (c) shift_by(c, steps);
}

void hed_mppi_shift_seconds(hed_mppi *c, double seconds)
{
    if (c) shift_by(c, seconds / (double)c->def.dt);
}

void hed_mppi_set_applied(hed_mppi *c, const float *u)
{
    if (!c || !u) return;
    uint64_t nu = c->model.controls;
    for (uint64_t j = 0; j < c->def.count * nu; j++) {
        if (!isfinite(u[j])) continue;
        if (!c->unshifted)
            c->pasts[(j / nu * c->past + c->past - 1) * nu + j % nu] = c->shift.controls[j] = u[j];
        c->applied[j] = u[j];
    }
    if (!c->unshifted) c->shift.steps = 0; /* later shifts begin from the present plan */
    c->has_history = true;
}
