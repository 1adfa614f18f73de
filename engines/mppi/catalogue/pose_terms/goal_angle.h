/* Difference of the heading from the goal's, rad; only near the goal. */
MPPI_FUNCTION float term_goal_angle(const float *x, const float *u, int t, MPPI_WORLD w)
{
    float dx = x[POSE_X] - P(x), dy = x[POSE_Y] - P(y), square = hed_fma(dx, dx, dy * dy);
    float off = mppi_abs(mppi_wrap(x[POSE_HEADING] - P(angle)));
    return square <= P(within) * P(within) ? off : 0.0f;
}
