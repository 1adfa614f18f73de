/* A car with slipping tyres: the single-track model, with an implicit step for the slip, which
 * stays stable down to standstill (Ge et al. 2021). x: position m (2), heading rad, forward
 * speed m/s, sideways speed m/s (left), turn rate rad/s; u: acceleration m/s^2, steering angle
 * rad.
 *
 * Sideways forces of the axles, with slip angles a and loads F: k a / sqrt(1 + (k a / (grip
 * F))^2), which is the stiffness k for small slip and the grip of the load for large. The front
 * axle is `front` before the centre of mass, the rear axle `rear` after it. The car does not
 * reverse. */
MPPI_FUNCTION float bicycle_stiffness(float stiffness, float slip, float force)
{
    float share = mppi_divide(stiffness * slip, force);
    return mppi_divide(stiffness, mppi_sqrt(1.0f + share * share));
}

MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)
{
    float speed = x[3], side = x[4], turn = x[5], steer = u[1], s, c;
    float a = P(front), b = P(rear), load = mppi_divide(P(grip) * P(mass) * P(gravity), a + b);
    float inverse = mppi_divide(1.0f, mppi_max(speed, 1.0f));
    float ahead =
        bicycle_stiffness(P(stiffness_front), (side + a * turn) * inverse - steer, load * b);
    float behind = bicycle_stiffness(P(stiffness_rear), (side - b * turn) * inverse, load * a);
    float moment = b * behind - a * ahead, mass = P(mass), inertia = P(inertia);
    float next_side =
        mppi_divide(mass * speed * side +
                        dt * (moment * turn + ahead * steer * speed - mass * speed * speed * turn),
            mass * speed + dt * (ahead + behind));
    float next_turn =
        mppi_divide(inertia * speed * turn + dt * (moment * side + a * ahead * steer * speed),
            inertia * speed + dt * (a * a * ahead + b * b * behind));
    mppi_sin_cos(x[2], &s, &c);
    x[0] += dt * (speed * c - side * s);
    x[1] += dt * (speed * s + side * c);
    x[2] += dt * turn;
    x[3] = mppi_max(speed + dt * (u[0] + side * turn - P(drag) * speed * speed), 0.0f);
    x[4] = next_side;
    x[5] = next_turn;
}
