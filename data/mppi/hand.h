/* Distance of the hand of arm.h from a point, m. */
MPPI_FUNCTION float term_hand(const float *x, const float *u, int t, MPPI_WORLD w)
{
    float s1, c1, s12, c12;
    mppi_sin_cos(x[0], &s1, &c1);
    mppi_sin_cos(x[0] + x[1], &s12, &c12);
    float dx = P(upper) * s1 + P(lower) * s12 - P(x);
    float dy = P(upper) * c1 + P(lower) * c12 + P(y); /* y is upwards, the angles are from below */
    return mppi_sqrt(dx * dx + dy * dy);
}
