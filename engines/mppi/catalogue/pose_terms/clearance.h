/* Clearance from obstacles on a map: the table `distance` is a grid (mppi_grid_at()) of
 * distances to the nearest obstacle, m. With the gap d between a disc of `radius` about the
 * position and the obstacle: (1 - d / margin)^2 below the margin, else 0; `crash` without a gap.
 * Off the map the distance is `outside`. */
MPPI_FUNCTION float term_clearance(const float *x, const float *u, int t, MPPI_WORLD w)
{
    float distance = mppi_grid_at(
        TABLE(distance), TABLE_COUNT(distance), x[POSE_X] - P(x), x[POSE_Y] - P(y), P(outside));
    float gap = distance - P(radius),
          closeness = mppi_max(1.0f - mppi_divide(gap, P(margin)), 0.0f);
    float crash = mppi_crash(P(crash));
    return gap <= 0.0f ? crash : closeness * closeness;
}
