/* The neural network's car on the processor, as the other models in native_models.c. Over lanes each
 * neuron is computed for all samples before the next neuron. Lane by lane, with all loops of the
 * text unrolled, the same network is 40 times the code. */
#include "catalogue/native_texts.h"

#define TERM_LINKAGE static
#define LANES_BEGIN
#define LANE LANE_OF_MODEL

#define MODEL network
#define MODEL_STATES 7
#define MODEL_CONTROLS 2
#define MODEL_ANGLES MPPI_ANGLES_network
#pragma push_macro("MPPI_UNROLL")
#undef MPPI_UNROLL
#define MPPI_UNROLL
#include "catalogue/network.h"
#pragma pop_macro("MPPI_UNROLL")

enum { NETWORK_NEURONS = 32, NETWORK_INPUTS = 6, NETWORK_OUTPUTS = 4 };

/* Adds weight times a row of lanes. */
HED_NATIVE_BODY network_add(float *sum, float weight, const float *row)
{
    for (int lane = 0; lane < MPPI_LANES; lane++) sum[lane] = hed_fma(weight, row[lane], sum[lane]);
}

/* First layer: 6 inputs to 32 neurons. `row`: rows of x and u. */
HED_NATIVE_BODY network_first(
    const float *weights, const float *const *row, float (*neurons)[MPPI_LANES])
{
    for (int n = 0; n < NETWORK_NEURONS; n++) {
        float sum[MPPI_LANES];
        for (int lane = 0; lane < MPPI_LANES; lane++)
            sum[lane] = weights[NETWORK_INPUTS * NETWORK_NEURONS + n];
        for (int k = 0; k < NETWORK_INPUTS; k++)
            network_add(sum, weights[NETWORK_INPUTS * n + k], row[k]);
        for (int lane = 0; lane < MPPI_LANES; lane++) neurons[n][lane] = mppi_tanh(sum[lane]);
    }
}

/* Second layer: 32 neurons to 32, in four independent sums as in the text. */
HED_NATIVE_BODY network_second(
    const float *weights, float (*first)[MPPI_LANES], float (*neurons)[MPPI_LANES])
{
    for (int n = 0; n < NETWORK_NEURONS; n++) {
        float sum[4][MPPI_LANES];
        for (int lane = 0; lane < MPPI_LANES; lane++) {
            sum[0][lane] = weights[NETWORK_NEURONS * NETWORK_NEURONS + n];
            sum[1][lane] = sum[2][lane] = sum[3][lane] = 0;
        }
        for (int k = 0; k < NETWORK_NEURONS; k += 4)
            for (int part = 0; part < 4; part++)
                network_add(sum[part], weights[NETWORK_NEURONS * n + k + part], first[k + part]);
        for (int lane = 0; lane < MPPI_LANES; lane++)
            neurons[n][lane] =
                mppi_tanh((sum[0][lane] + sum[1][lane]) + (sum[2][lane] + sum[3][lane]));
    }
}

/* Last layer: 32 neurons to 4 outputs, summed by halves. */
HED_NATIVE_BODY network_last(
    const float *weights, float (*neurons)[MPPI_LANES], float (*outputs)[MPPI_LANES])
{
    for (int i = 0; i < NETWORK_OUTPUTS; i++) {
        float part[NETWORK_NEURONS][MPPI_LANES];
        for (int k = 0; k < NETWORK_NEURONS; k++)
            for (int lane = 0; lane < MPPI_LANES; lane++)
                part[k][lane] = weights[NETWORK_NEURONS * i + k] * neurons[k][lane];
        for (int half = NETWORK_NEURONS / 2; half > 0; half /= 2)
            for (int k = 0; k < half; k++)
                for (int lane = 0; lane < MPPI_LANES; lane++) part[k][lane] += part[k + half][lane];
        for (int lane = 0; lane < MPPI_LANES; lane++)
            outputs[i][lane] = weights[NETWORK_NEURONS * NETWORK_OUTPUTS + i] + part[0][lane];
    }
}

HED_NATIVE_BODY network_lanes_body(float *x, const float *u, const mppi_lanes_world *world)
{
    const float *weights = world->tables[0], *rows[NETWORK_INPUTS];
    float first[NETWORK_NEURONS][MPPI_LANES], second[NETWORK_NEURONS][MPPI_LANES],
        rates[NETWORK_OUTPUTS][MPPI_LANES], dt = world->dt;
    for (int i = 0; i < NETWORK_INPUTS; i++)
        rows[i] = i < 4 ? x + (3 + i) * MPPI_LANES : u + (i - 4) * MPPI_LANES;
    network_first(weights, rows, first);
    network_second(weights + 224, first, second);
    network_last(weights + 1280, second, rates);
    for (int lane = 0; lane < MPPI_LANES; lane++) {
        float *lanes = x + lane, s, c;
        mppi_sin_cos(lanes[2 * MPPI_LANES], &s, &c);
        lanes[0] += dt * (lanes[4 * MPPI_LANES] * c - lanes[5 * MPPI_LANES] * s);
        lanes[MPPI_LANES] += dt * (lanes[4 * MPPI_LANES] * s + lanes[5 * MPPI_LANES] * c);
        lanes[2 * MPPI_LANES] += dt * lanes[6 * MPPI_LANES];
    }
    for (int i = 0; i < NETWORK_OUTPUTS; i++)
        for (int lane = 0; lane < MPPI_LANES; lane++)
            x[(3 + i) * MPPI_LANES + lane] += dt * rates[i][lane];
}

#define MODEL_HAS_LANES
#include "catalogue/native_model.inc"
