/* A car on tyres by Pacejka's magic formula (Bakker, Nyborg and Pacejka 1987), as a single-track model.
 * x: position m (2), heading rad, forward and sideways speed m/s, turn rate rad/s; u: acceleration
 * m/s^2, steering angle rad. */
MPPI_FUNCTION float tyre_force(float slip, float load, MPPI_WORLD w)
{
    float b = P(stiffness) * slip;
    float bent = b - P(curvature) * (b - mppi_atan2(b, 1.0f));
    return P(grip) * load * mppi_sin(P(shape) * mppi_atan2(bent, 1.0f));
}

MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)
{
    float s, c, speed = mppi_max(x[3], 3.0f); /* slower, the angles of slip lose their meaning */
    float share = mppi_clamp(x[3], 0.0f, 3.0f) * 0.333333f;
    float a = P(front), b = P(rear), load = mppi_divide(P(mass) * 9.81f, a + b);
    float ahead = u[1] - mppi_atan2(x[4] + a * x[5], speed);
    float behind = -mppi_atan2(x[4] - b * x[5], speed);
    float force_ahead = share * tyre_force(ahead, load * b, w);
    float force_behind = share * tyre_force(behind, load * a, w);
    mppi_sin_cos(x[2], &s, &c);
    x[0] += dt * (x[3] * c - x[4] * s);
    x[1] += dt * (x[3] * s + x[4] * c);
    x[2] += dt * x[5];
    x[3] = mppi_max(x[3] + dt * (u[0] + x[4] * x[5]), 0.0f);
    x[4] += dt * (mppi_divide(force_ahead + force_behind, P(mass)) - x[3] * x[5]);
    x[5] += dt * mppi_divide(a * force_ahead - b * force_behind, P(inertia));
    float keep = 1.0f - (1.0f - share) * 0.3f; /* standing, the tyres hold the car */
    x[4] *= keep;
    x[5] *= keep;
}
