/* Pitch at rates other than the one that an instrument is tuned for. The integrator turns w of a mode
 * into the frequency f with 2 rate sin(pi f / rate) = w (grid_model.c, damping aside), so that the
 * same springs and masses sound higher the lower the rate is: a mode at 4.2 kHz is 17 cents lower at
 * 96 kHz than at 48 kHz. To keep f, w is multiplied by the quotient of both sides' sinc:
 * sinc(f / rate) / sinc(f / reference). Bodies of a tuned grid have the factor of its pitch in their
 * mass, other bodies of an instrument with voices that of its root note; the dilation of a voice has
 * the rest, for the pitch of its note. */
#include "model/synth_model.h"
#include "support/strict_math.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double TUNED_RATE =
    48000.0;                        /* Hz; rate at which instruments without tuned grids sound */
static const double HIGHEST = 0.45; /* largest frequency that is corrected, of the lower rate */

double synth_rate_factor(double frequency, double reference, double rate)
{
    double f = fmin(frequency, HIGHEST * fmin(reference, rate));
    if (reference == rate || f <= 0) return 1;
    return rate * hed_strict_sin(PI * f / rate) / (reference * hed_strict_sin(PI * f / reference));
}

static double root_frequency(const hed_synth_instrument_def *def)
{
    return 440 * hed_strict_exp2(((double)def->root_note - 69) / 12);
}

double synth_dilation_at(const hed_synth_instrument_def *def, double dilation, double rate)
{
    if (def->mode == HED_SYNTH_SINGLETON || rate == TUNED_RATE) return dilation;
    double root = root_frequency(def);
    return dilation * synth_rate_factor(root * dilation, TUNED_RATE, rate) /
           synth_rate_factor(root, TUNED_RATE, rate);
}

double synth_body_factor(const hed_synth_instrument *instrument, hed_synth_entity body, double rate)
{
    const synth_grid *grid = instrument->grid_count ? synth_grid_of(instrument, body) : NULL;
    double factor = 1;
    if (grid && grid->def.tune > 0)
        factor = synth_rate_factor(grid->def.tune, grid->def.rate, rate);
    else if (instrument->def.mode != HED_SYNTH_SINGLETON)
        factor = synth_rate_factor(root_frequency(&instrument->def), TUNED_RATE, rate);
    return factor * factor;
}
