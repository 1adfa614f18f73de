/* An arm of two links in a vertical plane, with its masses at the elbow and the hand (Murray, Li and
 * Sastry 1994). x: angle of the first link from hanging down, angle of the second from the first, rad;
 * their rates rad/s; u: torques of shoulder and elbow, N m. */
MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)
{
    float l1 = P(upper), l2 = P(lower), m2 = P(hand), sum = P(elbow) + m2;
    float s1, c1, s2, c2, s12, c12;
    mppi_sin_cos(x[0], &s1, &c1);
    mppi_sin_cos(x[1], &s2, &c2);
    mppi_sin_cos(x[0] + x[1], &s12, &c12);
    float a = sum * l1 * l1, b = m2 * l2 * l2, c = m2 * l1 * l2 * c2, h = m2 * l1 * l2 * s2;
    float m11 = a + b + 2.0f * c, m12 = b + c, m22 = b;
    float weight = m2 * P(gravity) * l2 * s12;
    float f1 = u[0] - P(friction) * x[2] + h * x[3] * (2.0f * x[2] + x[3]) -
               sum * P(gravity) * l1 * s1 - weight;
    float f2 = u[1] - P(friction) * x[3] - h * x[2] * x[2] - weight;
    float inverse = mppi_reciprocal(m11 * m22 - m12 * m12);
    x[2] += dt * inverse * (m22 * f1 - m12 * f2);
    x[3] += dt * inverse * (m11 * f2 - m12 * f1);
    x[0] += dt * x[2];
    x[1] += dt * x[3];
}
