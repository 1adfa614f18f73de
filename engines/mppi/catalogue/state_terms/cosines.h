/* Sum of `count` cosines (0 to 1,000), for measurements: a cost of any expense. */
MPPI_FUNCTION float term_cosines(const float *x, const float *u, int t, MPPI_WORLD w)
{
    float sum = 0.0f;
    int count = (int)mppi_min(mppi_max(P(count), 0.0f), 1000.0f);
    for (int i = 1; i <= count; i++) sum += mppi_cos(x[MODEL_STATES / 2] * (float)i + x[0]);
    return sum;
}
