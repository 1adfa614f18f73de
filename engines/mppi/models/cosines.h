/* A sum of cosines, for measurements: makes a cost as expensive as one wants. */
MPPI_FUNCTION float term_cosines(const float *x, const float *u, int t, MPPI_WORLD w)
{
    float sum = 0.0f;
    int count = (int)P(count);
    for (int i = 1; i <= count; i++) sum += mppi_cos(x[MODEL_STATES / 2] * (float)i + x[0]);
    return sum;
}
