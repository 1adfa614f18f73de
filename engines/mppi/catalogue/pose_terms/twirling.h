/* Magnitude of the turn rate, rad/s. */
MPPI_FUNCTION float term_twirling(const float *x, const float *u, int t, MPPI_WORLD w)
{
    return mppi_abs(x[TURN]);
}
