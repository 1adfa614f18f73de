/* Violation of the robot's limits: speed above `fastest` or below `slowest`, m/s, and radius of
 * the curve below `turning_radius`, m. */
MPPI_FUNCTION float term_constraint(const float *x, const float *u, int t, MPPI_WORLD w)
{
    float radius = mppi_divide(mppi_abs(x[SPEED]), mppi_max(mppi_abs(x[TURN]), 1e-6f));
    return mppi_max(x[SPEED] - P(fastest), 0.0f) + mppi_max(P(slowest) - x[SPEED], 0.0f) +
           mppi_max(P(turning_radius) - radius, 0.0f);
}
