/* Contents for arrays that nobody recorded: a rule and a seed in place of a file. Each element
 * depends on the rule, the seed and its own place alone, and is the same on every machine. */
#ifndef HED_TUNEFILE_GENERATOR_H
#define HED_TUNEFILE_GENERATOR_H

#include "heddle/kernel.h"

typedef enum hed_generator_kind {
    HED_GENERATE_CONSTANT, /* `first` everywhere */
    HED_GENERATE_SEQUENCE, /* first, first + second, first + 2 * second, ... */
    HED_GENERATE_UNIFORM,  /* numbers from `first` to `second`: of floating-point types */
    HED_GENERATE_NORMAL,   /* mean `first`, standard deviation `second`: of floating-point types */
    HED_GENERATE_INTEGERS  /* whole numbers from `first` to `second`, both among them */
} hed_generator_kind;

typedef struct hed_generator {
    hed_generator_kind kind;
    double first, second;
    uint64_t seed;
} hed_generator;

/* Why a rule cannot fill arrays of this type: "uniform numbers are no ..."; NULL if it can.
 * HED_BYTES stands for 0 to 255. */
const char *hed_generator_wrong(const hed_generator *rule, hed_type type);
/* Fills `count` elements with a rule that is not wrong for the type. */
void hed_generate(const hed_generator *rule, hed_type type, void *data, uint64_t count);

#endif
