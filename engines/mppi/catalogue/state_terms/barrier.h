/* Returns 1 if state `i` has limits, 0 if they are equal. */
MPPI_FUNCTION int barrier_has(int i, MPPI_WORLD w) { return P_ARRAY(low)[i] < P_ARRAY(high)[i]; }

/* Penalty of state `i`: with the distance d to the nearer limit, -ln(d / margin) below the margin,
 * else 0; `crash` beyond a limit. */
MPPI_FUNCTION float barrier_of(float x, int i, MPPI_WORLD w)
{
    float low = P_ARRAY(low)[i], high = P_ARRAY(high)[i];
    float at = mppi_nearest_turn(x, 0.5f * (low + high), i);
    float gap = mppi_min(at - low, high - at);
    float share = mppi_min(mppi_divide(mppi_max(gap, 1e-6f), P(margin)), 1.0f);
    float near = -mppi_log(share), beyond = mppi_crash(P(crash));
    return gap <= 0.0f ? beyond : near;
}

/* Penalty near and beyond limits of states. */
MPPI_FUNCTION float term_barrier(const float *x, const float *u, int t, MPPI_WORLD w)
{
    float cost = 0.0f;
    MPPI_UNROLL
    for (int i = 0; i < MODEL_STATES; i++)
        cost += barrier_has(i, w) ? barrier_of(x[i], i, w) : 0.0f;
    return mppi_min(cost, 3e38f);
}
