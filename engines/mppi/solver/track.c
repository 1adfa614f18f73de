/* Feedback that tracks a trajectory: iterative LQR (Li and Todorov 2004) on
 *
 * sum_t ((x_t - x*_t)' Q (x_t - x*_t) + (u_t - u*_t)' R (u_t - u*_t)) dt + (x_T - x*_T)' Qf (x_T
 * - x*_T)
 *
 * with diagonal Q, R and Qf. The model is linearised by central differences of its C function,
 * in float; the recursion is in double. */
#include <math.h>

#include "model/controller.h"

enum { NX = HED_MPPI_MAX_STATES, NU = HED_MPPI_MAX_CONTROLS };

/* Computes x - y, as mppi_state_difference(), in double. */
static void difference(const hed_mppi *c, const float *x, const float *y, double *d)
{
    const double turn = 6.283185307179586;
    for (uint32_t i = 0; i < c->model.states; i++) {
        d[i] = (double)x[i] - y[i];
        if (c->model.angles >> i & 1) d[i] -= turn * rint(d[i] / turn);
    }
}

/* Copies x with every state at 0 on which the step does not depend but by adding it, as positions in
 * space: added to a position of kilometres, floats lose the small differences of a step. */
static void move_origin(const hed_mppi *c, const float *x, const float *u, float *moved)
{
    uint32_t nx = c->model.states;
    float next[NX], other[NX], v[NU];
    memcpy(moved, x, nx * sizeof *x);
    memcpy(next, x, nx * sizeof *x);
    memcpy(v, u, c->model.controls * sizeof *u);
    mppi_step(c, next, v);
    for (uint32_t i = 0; i < nx; i++) {
        bool is_free = fabsf(x[i]) > 1;
        if (!is_free) continue;
        memcpy(other, x, nx * sizeof *x);
        other[i] = 0;
        mppi_step(c, other, v);
        for (uint32_t k = 0; k < nx; k++) {
            float error = k == i ? 4e-7f * fabsf(x[i]) : 0;
            float change = k == i ? other[i] + x[i] - next[i] : other[k] - next[k];
            is_free = is_free && fabsf(change) <= error;
        }
        if (is_free) moved[i] = 0;
    }
}

/* Computes a: (nx x nx), b: (nx x nu), derivatives of one step by state and control. */
static void linearize(const hed_mppi *c, const float *at_x, const float *u, double *a, double *b)
{
    uint32_t nx = c->model.states, nu = c->model.controls;
    float x[NX];
    move_origin(c, at_x, u, x);
    for (uint32_t j = 0; j < nx + nu; j++) {
        float high[NX], low[NX], v[NU], *moved = j < nx ? &high[j] : &v[j - nx];
        double d[NX];
        memcpy(high, x, nx * sizeof *x);
        memcpy(v, u, nu * sizeof *u);
        float at = *moved, h = 1e-3f * fmaxf(1, fabsf(at)), up = at + h, down = at - h;
        *moved = up;
        mppi_step(c, high, v);
        memcpy(low, x, nx * sizeof *x);
        if (j < nx) low[j] = down;
        else v[j - nx] = down;
        mppi_step(c, low, v);
        difference(c, high, low, d);
        for (uint32_t i = 0; i < nx; i++) {
            double slope = d[i] / ((double)up - down);
            if (j < nx) a[i * nx + j] = slope;
            else b[i * nu + j - nx] = slope;
        }
    }
}

/* Solves m z = r for `count` columns of r (n x count) in place. m (n x n) is symmetric, and
 * destroyed; false if m is not positive definite. */
static bool solve(double *m, uint32_t n, double *r, uint32_t count)
{
    for (uint32_t p = 0; p < n; p++) {
        if (!(m[p * n + p] > 1e-300)) return false;
        for (uint32_t i = p + 1; i < n; i++) {
            double f = m[i * n + p] / m[p * n + p];
            for (uint32_t j = p; j < n; j++) m[i * n + j] -= f * m[p * n + j];
            for (uint32_t j = 0; j < count; j++) r[i * count + j] -= f * r[p * count + j];
        }
    }
    for (uint32_t i = n; i-- > 0;)
        for (uint32_t j = 0; j < count; j++) {
            double s = r[i * count + j];
            for (uint32_t k = i + 1; k < n; k++) s -= m[i * n + k] * r[k * count + j];
            r[i * count + j] = s / m[i * n + i];
        }
    return true;
}

/* Computes gains and feedforward along (states, controls) towards the target. */
static bool backward(hed_mppi *c, const float *states, const float *controls, const float *target,
    const float *target_controls, float *gains, float *forward)
{
    uint32_t nx = c->model.states, nu = c->model.controls, steps = c->def.steps;
    double v[NX * NX] = {0}, slope[NX], d[NX], dt = c->def.dt;
    difference(c, states + (uint64_t)steps * nx, target + (uint64_t)steps * nx, d);
    for (uint32_t i = 0; i < nx; i++) {
        v[i * nx + i] = c->def.track_final[i];
        slope[i] = c->def.track_final[i] * d[i];
    }
    for (uint32_t t = steps; t-- > 0;) {
        double a[NX * NX], b[NX * NU], va[NX * NX], quu[NU * NU], right[NU * (NX + 1)];
        double qx[NX], qxx[NX * NX], vb[NX * NU], qu[NU], qux[NU * NX];
        const float *x = states + (uint64_t)t * nx, *u = controls + (uint64_t)t * nu;
        linearize(c, x, u, a, b);
        difference(c, x, target + (uint64_t)t * nx, d);
        for (uint32_t i = 0; i < nx; i++) {
            for (uint32_t j = 0; j < nx; j++) {
                va[i * nx + j] = 0;
                for (uint32_t k = 0; k < nx; k++) va[i * nx + j] += v[i * nx + k] * a[k * nx + j];
            }
            for (uint32_t j = 0; j < nu; j++) {
                vb[i * nu + j] = 0;
                for (uint32_t k = 0; k < nx; k++) vb[i * nu + j] += v[i * nx + k] * b[k * nu + j];
            }
        }
        for (uint32_t i = 0; i < nx; i++) {
            qx[i] = c->def.track_state[i] * dt * d[i];
            for (uint32_t k = 0; k < nx; k++) qx[i] += a[k * nx + i] * slope[k];
            for (uint32_t j = 0; j < nx; j++) {
                double s = i == j ? c->def.track_state[i] * dt : 0;
                for (uint32_t k = 0; k < nx; k++) s += a[k * nx + i] * va[k * nx + j];
                qxx[i * nx + j] = s;
            }
        }
        for (uint32_t i = 0; i < nu; i++) {
            qu[i] = c->def.track_control[i] * dt *
                    ((double)u[i] - target_controls[(uint64_t)t * nu + i]);
            for (uint32_t k = 0; k < nx; k++) qu[i] += b[k * nu + i] * slope[k];
            for (uint32_t j = 0; j < nu; j++) {
                double s = i == j ? c->def.track_control[i] * dt : 0;
                for (uint32_t k = 0; k < nx; k++) s += b[k * nu + i] * vb[k * nu + j];
                quu[i * nu + j] = s;
            }
            for (uint32_t j = 0; j < nx; j++) {
                double s = 0;
                for (uint32_t k = 0; k < nx; k++) s += b[k * nu + i] * va[k * nx + j];
                qux[i * nx + j] = s;
                right[i * (nx + 1) + j] = -s;
            }
            right[i * (nx + 1) + nx] = -qu[i];
        }
        if (!solve(quu, nu, right, nx + 1)) return false;
        for (uint32_t i = 0; i < nu; i++) {
            for (uint32_t j = 0; j < nx; j++)
                gains[((uint64_t)t * nu + i) * nx + j] = (float)right[i * (nx + 1) + j];
            forward[(uint64_t)t * nu + i] = (float)right[i * (nx + 1) + nx];
        }
        for (uint32_t i = 0; i < nx; i++) {
            slope[i] = qx[i];
            for (uint32_t k = 0; k < nu; k++)
                slope[i] += qux[k * nx + i] * right[k * (nx + 1) + nx];
            for (uint32_t j = 0; j < nx; j++) {
                v[i * nx + j] = qxx[i * nx + j];
                for (uint32_t k = 0; k < nu; k++)
                    v[i * nx + j] += qux[k * nx + i] * right[k * (nx + 1) + j];
            }
        }
        for (uint32_t i = 0; i < nx; i++)
            for (uint32_t j = 0; j < i; j++)
                v[i * nx + j] = v[j * nx + i] = 0.5 * (v[i * nx + j] + v[j * nx + i]);
    }
    return true;
}

static double tracking_cost(const hed_mppi *c, const float *states, const float *controls,
    const float *target, const float *target_controls)
{
    uint32_t nx = c->model.states, nu = c->model.controls, steps = c->def.steps;
    double cost = 0, d[NX];
    for (uint32_t t = 0; t <= steps; t++) {
        const float *q = t < steps ? c->def.track_state : c->def.track_final;
        double dt = t < steps ? c->def.dt : 1;
        difference(c, states + (uint64_t)t * nx, target + (uint64_t)t * nx, d);
        for (uint32_t i = 0; i < nx; i++) cost += q[i] * dt * d[i] * d[i];
        for (uint32_t i = 0; t < steps && i < nu; i++) {
            double du =
                (double)controls[(uint64_t)t * nu + i] - target_controls[(uint64_t)t * nu + i];
            cost += c->def.track_control[i] * dt * du * du;
        }
    }
    return cost;
}

bool mppi_track(hed_mppi *c, const float *x0, const float *target, const float *target_controls,
    uint32_t iterations, float *gains)
{
    uint32_t nx = c->model.states, nu = c->model.controls, steps = c->def.steps;
    uint64_t states = (uint64_t)(steps + 1) * nx, controls = (uint64_t)steps * nu;
    float *x = c->track_states, *u = c->track_controls, *forward = u + 2 * controls;
    float *new_x = x + states, *new_u = u + controls;
    memcpy(x, x0, nx * sizeof *x);
    memcpy(u, target_controls, controls * sizeof *u);
    for (uint32_t t = 0; t < steps; t++) {
        memcpy(x + (uint64_t)(t + 1) * nx, x + (uint64_t)t * nx, nx * sizeof *x);
        mppi_step(c, x + (uint64_t)(t + 1) * nx, u + (uint64_t)t * nu);
    }
    double best = tracking_cost(c, x, u, target, target_controls);
    for (uint32_t n = 0; n < iterations; n++) {
        if (!isfinite(best) || !backward(c, x, u, target, target_controls, gains, forward))
            return false;
        if (n + 1 == iterations) break;
        float share = 1;
        double cost = INFINITY;
        for (; share > 1e-3f; share *= 0.5f) {
            memcpy(new_x, x0, nx * sizeof *x);
            for (uint32_t t = 0; t < steps; t++) {
                double d[NX];
                float *v = new_u + (uint64_t)t * nu, *next = new_x + (uint64_t)(t + 1) * nx;
                difference(c, next - nx, x + (uint64_t)t * nx, d);
                for (uint32_t i = 0; i < nu; i++) {
                    double s = u[(uint64_t)t * nu + i] + share * forward[(uint64_t)t * nu + i];
                    for (uint32_t j = 0; j < nx; j++)
                        s += gains[((uint64_t)t * nu + i) * nx + j] * d[j];
                    v[i] = (float)fmin(fmax(s, c->def.minimum[i]), c->def.maximum[i]);
                }
                memcpy(next, next - nx, nx * sizeof *next);
                mppi_step(c, next, v);
            }
            cost = tracking_cost(c, new_x, new_u, target, target_controls);
            if (cost < best) break;
        }
        if (!(cost < best * (1 - 1e-9))) break; /* converged: the gains belong to x, u */
        best = cost;
        memcpy(x, new_x, states * sizeof *x);
        memcpy(u, new_u, controls * sizeof *u);
    }
    return true;
}
