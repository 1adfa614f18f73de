/* Reference: integrate, tether, then constraint after constraint, in double and in float. */
#include "model/garment.h"

#include "heddle/math.h"
#include "support/strict_math.h"

#include <math.h>
#include <string.h>

/* Parameters of a substep, in addition to the garment; computed in double for both types. */
typedef struct cloth_substep {
    double dt;        /* s */
    double ratio;     /* dt / dt of the last substep */
    double keep[3];   /* fraction of the velocity kept, by axis */
    double fall[3];   /* displacement by gravity, m */
    double stiffness; /* 1 / dt^2 */
} cloth_substep;

static cloth_substep substep(
    const cloth_garment *garment, const cloth_reference_def *def, double last_dt)
{
    double dt = def->seconds / def->substeps;
    cloth_substep step = {
        .dt = dt, .ratio = last_dt > 0.0 ? dt / last_dt : 1.0, .stiffness = 1.0 / (dt * dt)};
    for (uint32_t axis = 0; axis < 3; axis++) {
        step.keep[axis] = hed_strict_pow(1.0 - garment->damping, dt);
        if (axis == def->up) step.keep[axis] *= hed_strict_pow(1.0 - garment->vertical_damping, dt);
        step.fall[axis] = def->gravity[axis] * dt * (def->slides_form ? dt : 0.5 * (dt + last_dt));
    }
    return step;
}

enum { CLOTH_CHAIN_ROW = 10 }; /* numbers of a row of a chain */

#define REAL double
#define NAME(word) word
#define SQRT(x) sqrt(x)
#define FMA(a, b, c) fma(a, b, c)
#define CARRIED(x) (x)
#include "reference/reference_frames.h"
#undef REAL
#undef NAME
#undef SQRT
#undef FMA
#undef CARRIED

/* Rounds like cloth_carry_pack(). */
static float reference_carried(float excess)
{
    return hed_as_float((hed_as_uint(excess) + 0x8000u) & 0xffff0000u);
}

#define REAL float
#define NAME(word) word##_float
#define SQRT(x) sqrtf(x)
#define FMA(a, b, c) fmaf(a, b, c)
#define CARRIED(x) reference_carried(x)
#include "reference/reference_frames.h"
