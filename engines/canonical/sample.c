/* Sample data: a counter through the finalizer of SplitMix64 (Steele, Lea and Flood 2014), so that
 * element i of a sequence does not depend on how many are asked for. */
#include "canonical_kernels.h"

static uint32_t word_at(uint64_t stream, uint64_t index)
{
    uint64_t z = stream + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

static uint64_t stream_of(uint64_t seed, uint32_t argument)
{
    return seed * 0xd1342543de82ef95u + argument * 0xda942042e4dd58b5u;
}

void hed_canonical_fill_words(uint32_t *words, uint64_t count, uint64_t seed, uint32_t argument)
{
    uint64_t stream = stream_of(seed, argument);
    for (uint64_t i = 0; i < count; i++) words[i] = word_at(stream, i);
}

void hed_canonical_fill_floats(float *values, uint64_t count, uint64_t seed, uint32_t argument)
{
    uint64_t stream = stream_of(seed, argument);
    /* An odd number below 2^24, less 2^23, over 2^23: exact, and odd numbers are not zero. */
    for (uint64_t i = 0; i < count; i++)
        values[i] = ((float)((word_at(stream, i) >> 9) * 2 + 1) - 8388608.0f) / 8388608.0f;
}
