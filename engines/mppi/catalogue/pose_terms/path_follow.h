/* Length of a path after its nearest point, m. Table `path`: mppi_path_nearest(). */
MPPI_FUNCTION float term_path_follow(const float *x, const float *u, int t, MPPI_WORLD w)
{
    return mppi_path_nearest(TABLE(path), TABLE_COUNT(path), x[POSE_X], x[POSE_Y]).ahead;
}
