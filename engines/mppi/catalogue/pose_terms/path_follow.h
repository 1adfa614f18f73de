/* Difference of the length of a path after its nearest point from `left`, m: with a timeline of
 * `left` a schedule along the path. Table `path`: mppi_path_nearest(). */
MPPI_FUNCTION float term_path_follow(const float *x, const float *u, int t, MPPI_WORLD w)
{
    mppi_on_path at =
        mppi_path_nearest(TABLE(path), TABLE_COUNT(path), x[POSE_X] - P(x), x[POSE_Y] - P(y));
    return mppi_abs(at.ahead - P(left));
}
