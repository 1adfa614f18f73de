/* Clearance from moving discs. The table `obstacles` begins with the number n of discs, the
 * number m of moments, and moments in a second; then follow for each moment n times x, y, radius
 * and 0, m. After step t the moment at (t + 1) dt applies, after the last moment the last one. A
 * disc costs as much as an obstacle of the map in `clearance`. */
MPPI_FUNCTION float term_obstacles(const float *x, const float *u, int t, MPPI_WORLD w)
{
    /* no discs if the table is too short, or its head has no discs or no moments */
    float discs_given = TABLE(obstacles)[0], moments_given = TABLE(obstacles)[1];
    float needed = discs_given * moments_given * 4.0f + 4.0f;
    int usable = (int)(discs_given >= 1.0f) & (int)(moments_given >= 1.0f) &
                 (int)(needed <= (float)TABLE_COUNT(obstacles));
    int count = (int)mppi_select(usable, discs_given, 0.0f);
    float moment = (float)(t + 1) * w->dt * TABLE(obstacles)[2] + 0.5f;
    float last = mppi_select(usable, moments_given - 1.0f, 0.0f);
    int first = 4 + 4 * count * (int)mppi_max(mppi_min(moment, last), 0.0f);
    float cost = 0.0f, crash = mppi_crash(P(crash)), radius = P(radius);
    float inverse = mppi_divide(1.0f, P(margin));
    __global const float *discs = TABLE(obstacles) + first;
    float at_x = x[POSE_X] - P(x), at_y = x[POSE_Y] - P(y);
    int i = 0;
    do { /* no branch, as in mppi_path_nearest() */
        float dx = at_x - discs[4 * i];
        float dy = at_y - discs[4 * i + 1];
        float gap = mppi_sqrt(dx * dx + dy * dy) - (radius + discs[4 * i + 2]);
        float closeness = mppi_max(1.0f - gap * inverse, 0.0f);
        closeness = mppi_select(gap <= 0.0f, crash, closeness * closeness);
        cost += mppi_select(i < count, closeness, 0.0f);
    } while (++i < count);
    return mppi_min(cost, 3e38f);
}
