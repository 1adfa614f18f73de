/* Driving round a circular track about (x, y), counter-clockwise: deviations of speed and
 * angular momentum, and a crash off the track. |v - speed| + |x v_y - y v_x - radius speed| +
 * crash (if |r - radius| > half_width). */
MPPI_FUNCTION float term_circle(const float *x, const float *u, int t, MPPI_WORLD w)
{
    float at_x = x[POSE_X] - P(x), at_y = x[POSE_Y] - P(y);
    float r = mppi_sqrt(mppi_square(at_x) + mppi_square(at_y));
    float v = mppi_sqrt(mppi_square(x[VELOCITY_X]) + mppi_square(x[VELOCITY_Y]));
    float momentum = at_x * x[VELOCITY_Y] - at_y * x[VELOCITY_X];
    float crash = mppi_crash(P(crash)),
          off = mppi_abs(r - P(radius)) > P(half_width) ? crash : 0.0f;
    return mppi_abs(v - P(speed)) + mppi_abs(momentum - P(radius) * P(speed)) + off;
}
