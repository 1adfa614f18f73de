/* Difference of the heading from the goal's, rad: pi from the distance `within` on, and from there
 * linear in the distance to the difference at the goal. An approach therefore never costs. */
MPPI_FUNCTION float term_goal_angle(const float *x, const float *u, int t, MPPI_WORLD w)
{
    float dx = x[POSE_X] - P(x), dy = x[POSE_Y] - P(y), square = hed_fma(dx, dx, dy * dy);
    float off = mppi_abs(mppi_wrap(x[POSE_HEADING] - P(angle)));
    float share = mppi_divide(mppi_sqrt(square), mppi_max(P(within), 1e-6f));
    float closeness = mppi_max(1.0f - share, 0.0f);
    return 3.14159274f - closeness * (3.14159274f - off);
}
