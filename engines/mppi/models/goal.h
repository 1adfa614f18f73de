/* Distance of the position from a goal, m. */
MPPI_FUNCTION float term_goal(const float *x, const float *u, int t, MPPI_WORLD w)
{
    return mppi_sqrt(mppi_square(x[POSE_X] - P(x)) + mppi_square(x[POSE_Y] - P(y)));
}
