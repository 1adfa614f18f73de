/* Velocities too small to move the drive: shortfall from `speed`, m/s, and from `turn`, rad/s. */
MPPI_FUNCTION float term_velocity_deadband(const float *x, const float *u, int t, MPPI_WORLD w)
{
    return mppi_max(P(speed) - mppi_abs(x[SPEED]), 0.0f) +
           mppi_max(P(turn) - mppi_abs(x[TURN]), 0.0f);
}
