/* Difference of the heading from that of the nearest segment of a path, rad. Table `path`:
 * mppi_path_nearest(). */
MPPI_FUNCTION float term_path_angle(const float *x, const float *u, int t, MPPI_WORLD w)
{
    mppi_on_path at =
        mppi_path_nearest(TABLE(path), TABLE_COUNT(path), x[POSE_X] - P(x), x[POSE_Y] - P(y));
    return mppi_abs(mppi_wrap(x[POSE_HEADING] - at.heading));
}
