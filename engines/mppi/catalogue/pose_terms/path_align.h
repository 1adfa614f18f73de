/* Distance of the position from the nearest segment of a path, m. Table `path`:
 * mppi_path_nearest(). */
MPPI_FUNCTION float term_path_align(const float *x, const float *u, int t, MPPI_WORLD w)
{
    return mppi_path_nearest(TABLE(path), TABLE_COUNT(path), x[POSE_X] - P(x), x[POSE_Y] - P(y))
        .distance;
}
