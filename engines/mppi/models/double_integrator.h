/* A point that is accelerated in the plane. x: position m (2), velocity m/s (2); u: acceleration m/s^2 (2). */
MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)
{
    x[0] += dt * x[2];
    x[1] += dt * x[3];
    x[2] += dt * u[0];
    x[3] += dt * u[1];
}
