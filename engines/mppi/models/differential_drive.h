/* A robot on two driven wheels. x: position m (2), heading rad, speed m/s, turn rate rad/s; u: speed
 * m/s and turn rate rad/s that are asked for. The robot reaches them with a lag of first order
 * (implicit Euler; lag 0: at once): v += (u - v) dt / (lag + dt), then x' = v cos(heading),
 * y' = v sin(heading), heading' = turn rate. */
MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)
{
    float reach = mppi_divide(dt, P(lag) + dt), s, c;
    x[3] += reach * (u[0] - x[3]);
    x[4] += reach * (u[1] - x[4]);
    mppi_sin_cos(x[2], &s, &c);
    x[0] += dt * x[3] * c;
    x[1] += dt * x[3] * s;
    x[2] += dt * x[4];
}
