/* Distance of the position from a goal, m. */
MPPI_FUNCTION float term_goal(const float *x, const float *u, int t, MPPI_WORLD w)
{
    float dx = x[POSE_X] - P(x), dy = x[POSE_Y] - P(y);
    return mppi_sqrt(hed_fma(dx, dx, dy * dy));
}
