/* An instrument becomes a program: who sits where, and what the store holds at rest. */
#include "solver/program.h"

const float synth_costs[SYNTH_TYPES] = {10, 2, 9, 14, 12, 20, 16, 6, 7, 6, 5, 5, 4, 2};

hed_status synth_program_create(const hed_allocator *allocator, const synth_program_def *def, synth_program **program, hed_error *error)
{
    (void)allocator;
    (void)def;
    *program = NULL;
    return synth_fail(error, HED_ERROR_UNSUPPORTED, "programs: not there yet");
}

void synth_program_destroy(synth_program *program) { (void)program; }

uint32_t synth_program_set(const synth_program *program, hed_entity entity, hed_parameter parameter, float value,
                           synth_poke *pokes, uint32_t capacity)
{
    (void)program;
    (void)entity;
    (void)parameter;
    (void)value;
    (void)pokes;
    (void)capacity;
    return 0;
}

void synth_program_carry(const synth_program *from, const uint32_t *old_store, const float *old_delay, const synth_program *to,
                         uint32_t *store, float *delay)
{
    (void)from;
    (void)old_store;
    (void)old_delay;
    (void)to;
    (void)store;
    (void)delay;
}
