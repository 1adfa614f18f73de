/* A car whose accelerations a neural network computes (Williams et al., ICRA 2017: 6-32-32-4,
 * tanh). x: position m (2), heading rad, roll rad, forward and sideways speed m/s, turn rate
 * rad/s; u: steering and throttle, each -1 to 1. The network reads roll, both speeds, turn rate,
 * steering and throttle, and returns the rates of change of the first four. Table `network`: for
 * each layer its weights (outputs x inputs), then its biases (outputs); 1,412 numbers. A team
 * divides each layer: a member has every MPPI_TEAM-th neuron. */
#define NETWORK_HALVE(n) \
    MPPI_UNROLL \
    for (int k = 0; k < (n) / MPPI_TEAM; k++) part[k] += part[k + (n) / MPPI_TEAM];
MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)
{
    float in[6] = {x[3], x[4], x[5], x[6], u[0], u[1]}, first[32], own[32 / MPPI_TEAM], s, c;
    MPPI_UNROLL
    for (int i = 0; i < 32 / MPPI_TEAM; i++) {
        int n = mppi_member() + i * MPPI_TEAM;
        float sum = TABLE(network)[192 + n];
        MPPI_UNROLL
        for (int k = 0; k < 6; k++) sum = hed_fma(TABLE(network)[6 * n + k], in[k], sum);
        own[i] = mppi_tanh(sum);
    }
    MPPI_UNROLL
    for (int n = 0; n < 32; n++) first[n] = mppi_of_member(own[n / MPPI_TEAM], n % MPPI_TEAM);
    MPPI_UNROLL
    for (int i = 0; i < 32 / MPPI_TEAM; i++) {
        int n = mppi_member() + i * MPPI_TEAM;
        float sum[4] = {TABLE(network)[1248 + n], 0.0f, 0.0f, 0.0f}; /* independent sums */
        MPPI_UNROLL
        for (int k = 0; k < 32; k++)
            sum[k % 4] = hed_fma(TABLE(network)[224 + 32 * n + k], first[k], sum[k % 4]);
        own[i] = mppi_tanh((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
    MPPI_UNROLL
    for (int i = 0; i < 4; i++) { /* summed by halves, for any team */
        float part[32 / MPPI_TEAM];
        MPPI_UNROLL
        for (int k = 0; k < 32 / MPPI_TEAM; k++)
            part[k] = TABLE(network)[1280 + 32 * i + mppi_member() + k * MPPI_TEAM] * own[k];
        NETWORK_HALVE(16)
        NETWORK_HALVE(8) NETWORK_HALVE(4) NETWORK_HALVE(2) NETWORK_HALVE(1) in[i] =
            TABLE(network)[1408 + i] + mppi_team_sum(part[0]);
    }
    mppi_sin_cos(x[2], &s, &c);
    x[0] += dt * (x[4] * c - x[5] * s);
    x[1] += dt * (x[4] * s + x[5] * c);
    x[2] += dt * x[6];
    for (int i = 0; i < 4; i++) x[3 + i] += dt * in[i];
}
