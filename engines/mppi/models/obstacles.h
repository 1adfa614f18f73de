/* Keeping away from discs that move. The table `obstacles` begins with their number n, the number of
 * moments m, and moments in a second; then for each moment, n times x, y, radius and 0, m. After step
 * t the moment (t + 1) dt counts, and the last one from then on. Each disc costs what an obstacle of
 * the map does in `clearance`. */
MPPI_FUNCTION float term_obstacles(const float *x, const float *u, int t, MPPI_WORLD w)
{
    /* no discs where the table is too short, or its head has no discs or no moments */
    float discs_given = TABLE(obstacles)[0], moments_given = TABLE(obstacles)[1];
    float all = discs_given * moments_given * 4.0f + 4.0f;
    int usable = (int)(discs_given >= 1.0f) & (int)(moments_given >= 1.0f) &
                 (int)(all <= (float)TABLE_COUNT(obstacles));
    int count = (int)mppi_select(usable, discs_given, 0.0f);
    float moment = (float)(t + 1) * w->dt * TABLE(obstacles)[2] + 0.5f;
    float last = mppi_select(usable, moments_given - 1.0f, 0.0f);
    int first = 4 + 4 * count * (int)mppi_max(mppi_min(moment, last), 0.0f);
    float cost = 0.0f, crash = P(crash), radius = P(radius);
    float inverse = mppi_divide(1.0f, P(margin));
    __global const float *discs = TABLE(obstacles) + first;
    int i = 0;
    do { /* as in mppi_path_nearest() */
        float dx = x[POSE_X] - discs[4 * i];
        float dy = x[POSE_Y] - discs[4 * i + 1];
        float gap = mppi_sqrt(dx * dx + dy * dy) - (radius + discs[4 * i + 2]);
        float near = mppi_max(1.0f - gap * inverse, 0.0f);
        near = mppi_select(gap <= 0.0f, crash, near * near);
        cost += mppi_select(i < count, near, 0.0f);
    } while (++i < count);
    return cost;
}
