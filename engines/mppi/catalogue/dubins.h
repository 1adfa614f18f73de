/* A car of constant speed (Dubins 1957). x: position m (2), heading rad; u: turn rate rad/s. */
MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)
{
    float s, c;
    mppi_sin_cos(x[2], &s, &c);
    x[0] = hed_fma(dt * P(speed), c, x[0]);
    x[1] = hed_fma(dt * P(speed), s, x[1]);
    x[2] = hed_fma(dt, u[0], x[2]);
}
