/* Keeping away from discs that move. The table `obstacles` begins with their number n, the number of
 * moments m, and moments in a second; then for each moment, n times x, y, radius and 0, m. After step
 * t the moment (t + 1) dt counts, and the last one from then on. Each disc costs what an obstacle of
 * the map does in `clearance`. */
MPPI_FUNCTION float term_obstacles(const float *x, const float *u, int t, MPPI_WORLD w)
{
    int count = (int)TABLE(obstacles)[0];
    float moment = (float)(t + 1) * w->dt * TABLE(obstacles)[2] + 0.5f;
    int first = 4 + 4 * count * (int)mppi_min(moment, TABLE(obstacles)[1] - 1.0f);
    float cost = 0.0f, crash = P(crash), inverse = mppi_divide(1.0f, P(margin));
    for (int i = 0; i < count; i++) {
        float dx = x[POSE_X] - TABLE(obstacles)[first + 4 * i];
        float dy = x[POSE_Y] - TABLE(obstacles)[first + 4 * i + 1];
        float apart = P(radius) + TABLE(obstacles)[first + 4 * i + 2];
        float gap = mppi_sqrt(dx * dx + dy * dy) - apart;
        float near = mppi_max(1.0f - gap * inverse, 0.0f);
        cost += gap <= 0.0f ? crash : near * near;
    }
    return cost;
}
