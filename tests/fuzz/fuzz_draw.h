/* A choice by the bytes of an input, for checks that take longer than the reader under test. */
#ifndef HED_FUZZ_FUZZ_DRAW_H
#define HED_FUZZ_FUZZ_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True for one input of `of`. */
static inline bool fuzz_draws(const uint8_t *data, size_t size, uint32_t of)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ data[i]) * 16777619u;
    return (hash ^ hash >> 15) % of == 0;
}

#endif
