/* A car of constant speed (Dubins 1957). x: position m (2), heading rad; u: turn rate rad/s. */
MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)
{
    float s, c;
    mppi_sin_cos(x[2], &s, &c);
    x[0] += dt * P(speed) * c;
    x[1] += dt * P(speed) * s;
    x[2] += dt * u[0];
}
