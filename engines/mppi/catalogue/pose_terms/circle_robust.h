/* Driving round a circular track as `circle`, with squares, and a cost that increases from the
 * middle of the track to its edge: (v - speed)^2 + (x v_y - y v_x - radius speed)^2 + crash
 * min(|r - radius| / half_width, 1). */
MPPI_FUNCTION float term_circle_robust(const float *x, const float *u, int t, MPPI_WORLD w)
{
    float at_x = x[POSE_X] - P(x), at_y = x[POSE_Y] - P(y);
    float r = mppi_sqrt(mppi_square(at_x) + mppi_square(at_y));
    float v = mppi_sqrt(mppi_square(x[VELOCITY_X]) + mppi_square(x[VELOCITY_Y]));
    float momentum = at_x * x[VELOCITY_Y] - at_y * x[VELOCITY_X];
    float off = mppi_divide(mppi_abs(r - P(radius)), P(half_width));
    return mppi_square(v - P(speed)) + mppi_square(momentum - P(radius) * P(speed)) +
           P(crash) * mppi_min(off, 1.0f);
}
