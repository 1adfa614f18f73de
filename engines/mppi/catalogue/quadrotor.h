/* A quadrotor as a rigid body. x: position m (3, z up), velocity m/s (3), roll, pitch, yaw rad
 * (turned by yaw, then pitch, then roll), turn rates of the body rad/s (3); u: thrust beyond that
 * of hovering N, torques about the body's axes N m (3). A pitch of pi/2 is singular. */
MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)
{
    float sr, cr, sp, cp, sy, cy;
    mppi_sin_cos(x[6], &sr, &cr);
    mppi_sin_cos(x[7], &sp, &cp);
    mppi_sin_cos(x[8], &sy, &cy);
    float lift = hed_fma(u[0], mppi_reciprocal(P(mass)), P(gravity)), lean = cr * sp;
    float secant = mppi_reciprocal(cp), p = x[9], q = x[10], r = x[11];
    float yaw = hed_fma(sr, q, cr * r) * secant, pitch = hed_fma(cr, q, -(sr * r));
    x[0] = hed_fma(dt, x[3], x[0]);
    x[1] = hed_fma(dt, x[4], x[1]);
    x[2] = hed_fma(dt, x[5], x[2]);
    x[3] = hed_fma(dt * lift, hed_fma(lean, cy, sr * sy), x[3]);
    x[4] = hed_fma(dt * lift, hed_fma(lean, sy, -(sr * cy)), x[4]);
    x[5] = hed_fma(dt, hed_fma(lift * cr, cp, -P(gravity)), x[5]);
    x[6] = hed_fma(dt, hed_fma(yaw, sp, p), x[6]);
    x[7] = hed_fma(dt, pitch, x[7]);
    x[8] = hed_fma(dt, yaw, x[8]);
    float about_x = hed_fma(P(inertia_y) - P(inertia_z), q * r, u[1]);
    float about_y = hed_fma(P(inertia_z) - P(inertia_x), p * r, u[2]);
    float about_z = hed_fma(P(inertia_x) - P(inertia_y), p * q, u[3]);
    x[9] = hed_fma(dt * mppi_reciprocal(P(inertia_x)), about_x, x[9]);
    x[10] = hed_fma(dt * mppi_reciprocal(P(inertia_y)), about_y, x[10]);
    x[11] = hed_fma(dt * mppi_reciprocal(P(inertia_z)), about_z, x[11]);
}
