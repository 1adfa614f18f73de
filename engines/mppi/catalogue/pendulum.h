/* A pendulum with a torque. x: angle rad from hanging down, angular velocity rad/s; u: torque N
 * m. mass length^2 rate' = u - damping rate - mass gravity length sin(angle). */
MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)
{
    float inertia = P(mass) * P(length) * P(length);
    float weight = P(mass) * P(gravity) * P(length) * mppi_sin(x[0]);
    float rate = x[1] + dt * mppi_divide(u[0] - P(damping) * x[1] - weight, inertia);
    x[0] += dt * rate;
    x[1] = rate;
}
