/* A pole on a cart, both moved by a force on the cart (Barto, Sutton and Anderson 1983, without
 * friction). x: position m, velocity m/s, angle rad from hanging down, angular velocity rad/s; u: force N. */
MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)
{
    float s, c;
    mppi_sin_cos(x[2], &s, &c);
    float rate = x[3] * x[3];
    float inverse = mppi_divide(1.0f, P(cart) + P(pole) * s * s);
    float cart = inverse * (u[0] + P(pole) * s * (P(length) * rate + P(gravity) * c));
    float turn = -u[0] * c - P(pole) * P(length) * rate * c * s;
    turn -= (P(cart) + P(pole)) * P(gravity) * s;
    float pole = inverse * (mppi_divide(1.0f, P(length)) * turn);
    x[0] += dt * x[1];
    x[1] += dt * cart;
    x[2] += dt * x[3];
    x[3] += dt * pole;
}
