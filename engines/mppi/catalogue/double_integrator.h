/* A point with acceleration in the plane. x: position m (2), velocity m/s (2); u: acceleration
 * m/s^2 (2). */
MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)
{
    x[0] = hed_fma(dt, x[2], x[0]);
    x[1] = hed_fma(dt, x[3], x[1]);
    x[2] = hed_fma(dt, u[0], x[2]);
    x[3] = hed_fma(dt, u[1], x[3]);
}
