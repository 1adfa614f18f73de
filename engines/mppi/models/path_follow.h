/* How much of a path lies still ahead of the point of it that is nearest, m. Table `path`:
 * mppi_path_nearest(). */
MPPI_FUNCTION float term_path_follow(const float *x, const float *u, int t, MPPI_WORLD w)
{
    return mppi_path_nearest(TABLE(path), TABLE_COUNT(path), x[POSE_X], x[POSE_Y]).ahead;
}
