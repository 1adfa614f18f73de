/* Value of a map at the position: table `costmap` (mppi_grid_at()), between cells by bilinear
 * interpolation; `crash` where the value is lethal. Off the map the value is `outside`. */
MPPI_FUNCTION float term_costmap(const float *x, const float *u, int t, MPPI_WORLD w)
{
    float value = mppi_grid_at(
        TABLE(costmap), TABLE_COUNT(costmap), x[POSE_X] - P(x), x[POSE_Y] - P(y), P(outside));
    float crash = mppi_crash(P(crash));
    return value >= P(lethal) ? crash : value;
}
