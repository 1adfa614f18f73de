/* Keeping away from what stands on a map: the table `distance` is a grid (mppi_grid_at()) of distances
 * to the nearest obstacle, m. Of a disc of `radius` about the position, with the gap d between it and
 * the obstacle: (1 - d / margin)^2 below the margin, else 0; `crash` where there is no gap. Off the
 * map the distance is `outside`. */
MPPI_FUNCTION float term_clearance(const float *x, const float *u, int t, MPPI_WORLD w)
{
    float distance =
        mppi_grid_at(TABLE(distance), TABLE_COUNT(distance), x[POSE_X], x[POSE_Y], P(outside));
    float gap = distance - P(radius), near = mppi_max(1.0f - mppi_divide(gap, P(margin)), 0.0f);
    float crash = P(crash);
    return gap <= 0.0f ? crash : near * near;
}
