/* A car whose accelerations a neural network gives (Williams et al., ICRA 2017: 6-32-32-4, tanh).
 * x: position m (2), heading rad, roll rad, forward and sideways speed m/s, turn rate rad/s; u:
 * steering and throttle, each -1 to 1. The network reads roll, both speeds, turn rate, steering and
 * throttle, and gives the rates of change of the first four. Table `network`: for each layer its
 * weights (outputs x inputs), then its biases (outputs); 1,412 numbers. */
MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)
{
    float in[6] = {x[3], x[4], x[5], x[6], u[0], u[1]}, first[32], second[32], rate[4], s, c;
    MPPI_UNROLL
    for (int i = 0; i < 32; i++) {
        float sum = TABLE(network)[192 + i];
        MPPI_UNROLL
        for (int k = 0; k < 6; k++) sum = hed_fma(TABLE(network)[6 * i + k], in[k], sum);
        first[i] = mppi_tanh(sum);
    }
    MPPI_UNROLL
    for (int i = 0; i < 32; i++) {
        float sum = TABLE(network)[1248 + i];
        MPPI_UNROLL
        for (int k = 0; k < 32; k++) sum = hed_fma(TABLE(network)[224 + 32 * i + k], first[k], sum);
        second[i] = mppi_tanh(sum);
    }
    MPPI_UNROLL
    for (int i = 0; i < 4; i++) {
        float sum = TABLE(network)[1408 + i];
        MPPI_UNROLL
        for (int k = 0; k < 32; k++)
            sum = hed_fma(TABLE(network)[1280 + 32 * i + k], second[k], sum);
        rate[i] = sum;
    }
    mppi_sin_cos(x[2], &s, &c);
    x[0] += dt * (x[4] * c - x[5] * s);
    x[1] += dt * (x[4] * s + x[5] * c);
    x[2] += dt * x[6];
    x[3] += dt * rate[0];
    x[4] += dt * rate[1];
    x[5] += dt * rate[2];
    x[6] += dt * rate[3];
}
