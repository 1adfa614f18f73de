/* Backward speed, m/s. */
MPPI_FUNCTION float term_prefer_forward(const float *x, const float *u, int t, MPPI_WORLD w)
{
    return mppi_max(-x[SPEED], 0.0f);
}
