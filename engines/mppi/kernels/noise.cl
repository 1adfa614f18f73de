/* Noise of every sampler except white Gaussian, which the tiles draw themselves: (scalars x row)
 * of each controller, in units of the controls. A group computes SET samples (a define, limited
 * by local memory): draws their normal numbers into local memory; then, with MIX, applies the
 * sampler's matrix over time, (controls x STEPS x COLUMNS), else FACTOR, the Cholesky factor of
 * the covariance of the controls. Bit for bit as draw_noise() of cpu_roll.c. */
#define NORMALS (COLUMNS * MODEL_CONTROLS)

#if LOG_NORMAL
/* Returns a normal number times a log-normal one, with mean square 1. */
MPPI_FUNCTION float noise_scale(const mppi_fixed *f, uint number, uint stream, uint sample, uint n)
{
    float four[4], s = f->log_sigma, normal;
    mppi_normals(
        sample, n / 4, number, stream | MPPI_SECOND_STREAM, f->seed_low, f->seed_high, four);
    normal = n % 4 == 0 ? four[0] : n % 4 == 1 ? four[1] : n % 4 == 2 ? four[2] : four[3];
    return mppi_exp(hed_fma(s, normal, -(s * s)));
}
#endif

__kernel void mppi_noise(__global float *noise, __global const float *matrix,
    __global const float *factors, const mppi_fixed fixed, uint number, uint limit,
    HED_LOCAL(float, normals))
{
    HED_LOCAL_USE(float, normals);
    const mppi_fixed *f = &fixed;
    uint id = (uint)get_local_id(0), items = (uint)get_local_size(0);
    uint sets = (f->row + SET - 1) / SET;
    uint stream = (uint)get_group_id(0) / sets, first = (uint)get_group_id(0) % sets * SET;
    if (first >= limit) return; /* the whole group: these samples are not rolled out */
    for (uint i = id; i < (NORMALS + 3) / 4 * SET; i += items) {
        float four[4];
        uint k = i % SET, q = i / SET;
        mppi_normals(f->begin + first + k, q, number, stream, f->seed_low, f->seed_high, four);
        for (uint c = 0; c < 4; c++)
            if (4 * q + c < NORMALS) {
                float normal = four[c];
#if LOG_NORMAL
                normal *= noise_scale(f, number, stream, f->begin + first + k, 4 * q + c);
#endif
                normals[(4 * q + c) * SET + k] = normal;
            }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    noise += (size_t)stream * SCALARS * f->row;
    for (uint n = id; n < SCALARS * SET; n += items) {
        uint k = n % SET, j = n / SET, t = j / MODEL_CONTROLS, i = j % MODEL_CONTROLS;
        float e = 0.0f;
#if MIX
        for (uint m = 0; m < COLUMNS; m++)
            e = hed_fma(matrix[(i * STEPS + t) * COLUMNS + m],
                normals[(m * MODEL_CONTROLS + i) * SET + k], e);
#elif FACTOR
        for (uint m = 0; m <= i; m++)
            e = hed_fma(
                matrix[i * MODEL_CONTROLS + m], normals[(t * MODEL_CONTROLS + m) * SET + k], e);
#else
        e = normals[j * SET + k];
#endif
        float sigma = FACTOR ? 1.0f : f->sigma[i];
#if SIGMA_STEPS
        sigma *= factors[j];
#endif
        if (first + k < f->row) noise[(size_t)j * f->row + first + k] = e * sigma;
    }
}
