/* Squared difference of the speed from the requested one, m^2/s^2. */
MPPI_FUNCTION float term_speed(const float *x, const float *u, int t, MPPI_WORLD w)
{
    return mppi_square(x[SPEED] - P(wanted));
}
