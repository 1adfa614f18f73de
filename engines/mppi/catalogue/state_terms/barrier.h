/* Penalty near and beyond limits of states: with the distance d to the nearer limit, -ln(d /
 * margin) below the margin, else 0; `crash` beyond a limit. A state with equal limits has none. */
MPPI_FUNCTION float term_barrier(const float *x, const float *u, int t, MPPI_WORLD w)
{
    float cost = 0.0f, crash = mppi_crash(P(crash));
    MPPI_UNROLL
    for (int i = 0; i < MODEL_STATES; i++) {
        float low = P_ARRAY(low)[i], high = P_ARRAY(high)[i];
        float at = mppi_nearest_turn(x[i], 0.5f * (low + high), i);
        float gap = mppi_min(at - low, high - at);
        float share = mppi_min(mppi_divide(mppi_max(gap, 1e-6f), P(margin)), 1.0f);
        float barrier = gap <= 0.0f ? crash : -mppi_log(share);
        cost += low < high ? barrier : 0.0f;
    }
    return mppi_min(cost, 3e38f);
}
