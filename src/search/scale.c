/* Distances between the values of a parameter. */
#include "search/scale.h"

#include <math.h>

#include "base/alloc.h"

enum { MOST_TWOS = 7 };

static uint32_t twos_of(int64_t value)
{
    uint32_t twos = value != 0 ? (uint32_t)__builtin_ctzll((uint64_t)value) : MOST_TWOS;
    return twos < MOST_TWOS ? twos : MOST_TWOS;
}

static bool is_power(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

static void fill(hed_value_scale *scale, const hed_parameter_def *parameter)
{
    bool positive = true;
    uint32_t powers = 0;
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < parameter->count; i++) {
        int64_t value = parameter->values[i];
        positive = positive && value > 0;
        powers += is_power(value);
        low = fmin(low, (double)value);
        high = fmax(high, (double)value);
    }
    scale->count = parameter->count;
    scale->unordered = parameter->labels != NULL;
    scale->has_twos =
        parameter->count > 2 && positive && powers < parameter->count && !scale->unordered;
    for (uint32_t i = 0; i < parameter->count; i++) {
        double by_place = parameter->count > 1 ? (double)i / (parameter->count - 1) : 0;
        bool by_logarithm = positive && high > low;
        scale->position[i] =
            (float)(by_logarithm ? log((double)parameter->values[i] / low) / log(high / low)
                                 : by_place);
        scale->uneven[i] = scale->has_twos && powers > 0 && !is_power(parameter->values[i]);
        scale->twos[i] = (uint8_t)twos_of(parameter->values[i]);
    }
}

hed_value_scale *hed_value_scales_create(const hed_allocator *allocator, const hed_space *space)
{
    hed_value_scale *scales = hed_allocate(allocator, space->parameter_count * sizeof *scales);
    for (uint32_t i = 0; scales && i < space->parameter_count; i++)
        fill(&scales[i], &space->parameters[i]);
    return scales;
}

void hed_value_scales_destroy(
    const hed_allocator *allocator, const hed_space *space, hed_value_scale *scales)
{
    hed_release(allocator, scales, space->parameter_count * sizeof *scales);
}
