/* Weights and the rescaling of sums, in the order of controller.h. One text for OpenCL C, CUDA
 * and C; words.h precedes it. */
#ifndef MPPI_ORDER_H
#define MPPI_ORDER_H

/* Bit of the noise's stream for a second, independent sequence. */
#define MPPI_SECOND_STREAM 0x80000000u

/* Cost of an invalid sample, and the bound beyond which a cost is invalid. */
#define MPPI_OUT 3e38f
#define MPPI_IS_OUT(cost) (!(((cost) < 1e30f) & ((cost) > -1e30f)))

/* Returns the weight of cost S relative to a minimum; `inverse` is 1 / lambda. */
MPPI_FUNCTION float mppi_weight(float minimum, float cost, float inverse)
{
    float weight = mppi_exp((minimum - cost) * inverse);
    return MPPI_IS_OUT(cost) ? 0.0f : weight;
}

#endif
