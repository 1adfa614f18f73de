/* Choices at random for a controller: how it samples, weighs and smooths, and how it updates. */
#ifndef HED_TESTS_MPPI_RANDOM_H
#define HED_TESTS_MPPI_RANDOM_H

#include "heddle/mppi.h"
#include "transients.h"

static void choose_method(hed_mppi_def *def)
{
    def->scale = transient_choice(2);
    def->lambda = transient_choice(2) ? 1 : 0.1f;
    def->alpha = 0.5f * (float)transient_choice(3);
    def->ess_target = transient_choice(2) ? 0 : 16;
    def->committed = transient_choice(3);
    def->delay = transient_choice(2) ? 0 : transient_choice(4);
    def->tail = transient_choice(2);
    def->smooth = transient_choice(2);
    def->smooth_weight = transient_choice(3) ? 0 : 1;
    def->candidates = 3;
    def->candidate_samples = 16;
    def->nominal_threshold = transient_choice(2) ? 100 : 0;
}

/* After the model and the kind: RMPPI has one update, and no rollouts of a sample. */
static void choose_update(hed_mppi_def *def)
{
    if (def->kind != HED_MPPI_ROBUST) def->update = transient_choice(3);
    if (def->kind != HED_MPPI_ROBUST && transient_choice(4) == 0) {
        def->rollouts = 4;
        def->risk = transient_choice(3);
        for (uint32_t i = 0; i < def->model->states; i++) def->disturbance[i] = 0.1f;
    }
}

#endif
