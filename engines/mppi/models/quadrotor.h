/* A quadrotor as a rigid body. x: position m (3, z up), velocity m/s (3), roll, pitch, yaw rad (turned
 * by yaw, then pitch, then roll), turn rates of the body rad/s (3); u: thrust beyond that of hovering
 * N, torques about the body's axes N m (3). A pitch of pi/2 is singular. */
MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)
{
    float sr, cr, sp, cp, sy, cy;
    mppi_sin_cos(x[6], &sr, &cr);
    mppi_sin_cos(x[7], &sp, &cp);
    mppi_sin_cos(x[8], &sy, &cy);
    float lift = P(gravity) + mppi_divide(u[0], P(mass));
    float secant = mppi_divide(1.0f, cp), p = x[9], q = x[10], r = x[11];
    float yaw = (sr * q + cr * r) * secant, pitch = cr * q - sr * r, roll = p + yaw * sp;
    x[0] += dt * x[3];
    x[1] += dt * x[4];
    x[2] += dt * x[5];
    x[3] += dt * lift * (cr * sp * cy + sr * sy);
    x[4] += dt * lift * (cr * sp * sy - sr * cy);
    x[5] += dt * (lift * cr * cp - P(gravity));
    x[6] += dt * roll;
    x[7] += dt * pitch;
    x[8] += dt * yaw;
    x[9] += dt * mppi_divide(u[1] + (P(inertia_y) - P(inertia_z)) * q * r, P(inertia_x));
    x[10] += dt * mppi_divide(u[2] + (P(inertia_z) - P(inertia_x)) * p * r, P(inertia_y));
    x[11] += dt * mppi_divide(u[3] + (P(inertia_x) - P(inertia_y)) * p * q, P(inertia_z));
}
