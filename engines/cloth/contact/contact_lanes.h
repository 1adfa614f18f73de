/* Pairs of contact in lanes, for C: the positions of their ends and their planes in arrays, on which
 * compilers run a loop over lanes in vector registers. */
#ifndef CLOTH_CONTACT_LANES_H
#define CLOTH_CONTACT_LANES_H

#include "contact/contact_kernels.h"

enum { BLOCK_LANES = 16, BLOCK_FOUR = 4 };

/* Vectorised loops have functions of their own: compilers fail to vectorise them among other
 * loops. */
#define BLOCK_CLONES(name, parameters, arguments) \
    HED_CLONES(static __attribute__((noinline)), name, name##_body, parameters, arguments)

/* Component of four float4, or one float4. */
typedef float block_four __attribute__((vector_size(16)));

/* Transposes the float4 at `at` of four lanes from `lane` on. */
static inline void block_transpose(
    float (*to)[BLOCK_LANES], uint lane, const float4 *const at[BLOCK_FOUR])
{
    block_four a, b, c, d;
    memcpy(&a, at[0], sizeof a);
    memcpy(&b, at[1], sizeof b);
    memcpy(&c, at[2], sizeof c);
    memcpy(&d, at[3], sizeof d);
    block_four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5),
               cd = __builtin_shufflevector(c, d, 0, 4, 1, 5),
               ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7),
               cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    const block_four rows[4] = {__builtin_shufflevector(ab, cd, 0, 1, 4, 5),
        __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
        __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
        __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
    for (int axis = 0; axis < 4; axis++) memcpy(to[axis] + lane, rows + axis, sizeof *rows);
}

/* Loads the ends of the pairs of four lanes from `lane` on: [end][axis][lane]; axis 3: w. */
static inline void block_load_ends(float (*to)[4][BLOCK_LANES], uint lane,
    const contact_pair *const pairs[BLOCK_FOUR], const float4 *positions)
{
    const contact_pair *a = pairs[0], *b = pairs[1], *c = pairs[2], *d = pairs[3];
    block_transpose(to[0], lane,
        (const float4 *[]){positions + contact_first(*a), positions + contact_first(*b),
            positions + contact_first(*c), positions + contact_first(*d)});
    block_transpose(to[1], lane,
        (const float4 *[]){positions + a->b, positions + b->b, positions + c->b, positions + d->b});
    block_transpose(to[2], lane,
        (const float4 *[]){positions + a->c, positions + b->c, positions + c->c, positions + d->c});
    block_transpose(to[3], lane,
        (const float4 *[]){positions + a->d, positions + b->d, positions + c->d, positions + d->d});
}

static inline contact_ends block_ends(const float (*positions)[4][BLOCK_LANES], int lane)
{
    return (contact_ends){{positions[0][0][lane], positions[0][1][lane], positions[0][2][lane],
                              positions[0][3][lane]},
        {positions[1][0][lane], positions[1][1][lane], positions[1][2][lane],
            positions[1][3][lane]},
        {positions[2][0][lane], positions[2][1][lane], positions[2][2][lane],
            positions[2][3][lane]},
        {positions[3][0][lane], positions[3][1][lane], positions[3][2][lane],
            positions[3][3][lane]}};
}

#endif
