/* A drone in wind: thrust along its axis, drag against the air that moves. x: position m (3, z up),
 * velocity m/s (3), roll and pitch rad; u: thrust beyond its weight N, rates of roll and pitch rad/s. */
MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)
{
    float sr, cr, sp, cp;
    mppi_sin_cos(x[6], &sr, &cr);
    mppi_sin_cos(x[7], &sp, &cp);
    float lift = mppi_divide(u[0], P(mass)) + 9.81f;
    float ax = x[3] - P(wind_x), ay = x[4] - P(wind_y), az = x[5];
    float drag = mppi_divide(P(drag), P(mass)) * mppi_sqrt(ax * ax + ay * ay + az * az);
    x[0] += dt * x[3];
    x[1] += dt * x[4];
    x[2] += dt * x[5];
    x[3] += dt * (lift * cr * sp - drag * ax);
    x[4] += dt * (-lift * sr - drag * ay);
    x[5] += dt * (lift * cr * cp - 9.81f - drag * az);
    x[6] += dt * u[1];
    x[7] += dt * u[2];
}
