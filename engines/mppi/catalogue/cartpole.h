/* A pole on a cart, moved by a force on the cart (Barto, Sutton and Anderson 1983, without
 * friction). x: position m, velocity m/s, angle rad from hanging down, angular velocity rad/s;
 * u: force N. */
MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)
{
    float s, c;
    mppi_sin_cos(x[2], &s, &c);
    float rate = x[3] * x[3], pull = P(pole) * s, weight = (P(cart) + P(pole)) * P(gravity);
    float inverse = mppi_reciprocal(hed_fma(pull, s, P(cart)));
    float cart = inverse * hed_fma(pull, hed_fma(P(length), rate, P(gravity) * c), u[0]);
    float turn = hed_fma(hed_fma(pull * P(length), rate, u[0]), c, weight * s);
    float pole = inverse * (mppi_reciprocal(-P(length)) * turn);
    x[0] = hed_fma(dt, x[1], x[0]);
    x[1] = hed_fma(dt, cart, x[1]);
    x[2] = hed_fma(dt, x[3], x[2]);
    x[3] = hed_fma(dt, pole, x[3]);
}
