/* A robot with two driven wheels. x: position m (2), heading rad, speed m/s, turn rate rad/s; u:
 * requested speed m/s and turn rate rad/s. The robot reaches these with a first-order lag
 * (implicit Euler; lag 0: at once): v += (u - v) dt / (lag + dt), then x' = v cos(heading), y' =
 * v sin(heading), heading' = turn rate. */
MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)
{
    float reach = mppi_divide(dt, P(lag) + dt), s, c;
    x[3] = hed_fma(reach, u[0] - x[3], x[3]);
    x[4] = hed_fma(reach, u[1] - x[4], x[4]);
    mppi_sin_cos(x[2], &s, &c);
    x[0] = hed_fma(dt * x[3], c, x[0]);
    x[1] = hed_fma(dt * x[3], s, x[1]);
    x[2] = hed_fma(dt, x[4], x[2]);
}
