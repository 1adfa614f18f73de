/* A spring's force, a body's motion and its signal in a microphone, for any kind of numbers: floats,
 * or vectors in the cpu solver (cpu/step.h), with the same operations in the same order, so with
 * equal bits.
 * physics_store.h precedes this text; a file that includes it for other numbers defines the
 * words below, which are undefined at its end.
 *
 * For a spring with rest vector d0 and d = d0 + u between its ends, e = |d| - L0 = (u.(d0 + d) +
 * |d0|^2 - L0^2) / (|d| + L0), which does not cancel; e/|d| is one division. */
#ifndef SYNTH_NUMBER
#define SYNTH_NUMBER float
#define SYNTH_NAMED(name) synth_##name
#define SYNTH_EACH(x) (x) /* a float as SYNTH_NUMBER */
#define SYNTH_FUSED(a, b, c) hed_fma(a, b, c)
#define SYNTH_LARGER(a, b) hed_max(a, b)
#define SYNTH_SMALLER(a, b) hed_min(a, b)
#define SYNTH_QUOTIENT(a, b) synth_quotient(a, b)
#define SYNTH_RECIPROCAL(x) synth_reciprocal(x)
#define SYNTH_ROOT(x) synth_root(x)
#define SYNTH_DRIFT 1e-25f    /* m a sample */
#define SYNTH_SHORTEST 1e-12f /* m^2: minimum of a spring's squared length */

/* Position and characteristics of a microphone. */
typedef struct synth_hearing {
    float x, y, z, nx, ny, nz, directionality, isotropy;
} synth_hearing;
#endif

SYNTH_FUNCTION SYNTH_NUMBER SYNTH_NAMED(dot_more)(SYNTH_NUMBER ax, SYNTH_NUMBER ay, SYNTH_NUMBER az,
    SYNTH_NUMBER bx, SYNTH_NUMBER by, SYNTH_NUMBER bz, SYNTH_NUMBER more)
{
    return SYNTH_FUSED(ax, bx, SYNTH_FUSED(ay, by, SYNTH_FUSED(az, bz, more)));
}

/* Returns the factor of d in the force F = result * d of a spring whose ends are d = d0 + u
 * apart. */
SYNTH_FUNCTION SYNTH_NUMBER SYNTH_NAMED(tension)(SYNTH_NUMBER d0x, SYNTH_NUMBER d0y,
    SYNTH_NUMBER d0z, SYNTH_NUMBER ux, SYNTH_NUMBER uy, SYNTH_NUMBER uz, SYNTH_NUMBER rest,
    SYNTH_NUMBER excess, SYNTH_NUMBER stiffness)
{
    SYNTH_NUMBER dx = d0x + ux, dy = d0y + uy, dz = d0z + uz;
    SYNTH_NUMBER square = SYNTH_NAMED(dot_more)(dx, dy, dz, dx, dy, dz, SYNTH_EACH(SYNTH_TINY));
    /* |d|^2 - L0^2 */
    SYNTH_NUMBER longer = SYNTH_NAMED(dot_more)(ux, uy, uz, d0x + dx, d0y + dy, d0z + dz, excess);
    return stiffness *
           SYNTH_QUOTIENT(longer, SYNTH_LARGER(SYNTH_FUSED(SYNTH_ROOT(square), rest, square),
                                      SYNTH_EACH(SYNTH_SHORTEST)));
}

/* Returns the factor of d in the force, with the cubic term, and with damping for the difference
 * (vx, vy, vz) of the ends' h v. `kinds`, a constant: SYNTH_HAS_... of all springs. A term that no
 * spring has is left out, which changes no bit of a finite motion. */
SYNTH_FUNCTION SYNTH_NUMBER SYNTH_NAMED(tension_more)(SYNTH_NUMBER d0x, SYNTH_NUMBER d0y,
    SYNTH_NUMBER d0z, SYNTH_NUMBER ux, SYNTH_NUMBER uy, SYNTH_NUMBER uz, SYNTH_NUMBER rest,
    SYNTH_NUMBER excess, SYNTH_NUMBER stiffness, SYNTH_NUMBER cubic, SYNTH_NUMBER damping,
    SYNTH_NUMBER vx, SYNTH_NUMBER vy, SYNTH_NUMBER vz, uint kinds)
{
    SYNTH_NUMBER dx = d0x + ux, dy = d0y + uy, dz = d0z + uz;
    SYNTH_NUMBER square = SYNTH_NAMED(dot_more)(dx, dy, dz, dx, dy, dz, SYNTH_EACH(SYNTH_TINY)),
                 length = SYNTH_ROOT(square);
    SYNTH_NUMBER longer = SYNTH_NAMED(dot_more)(ux, uy, uz, d0x + dx, d0y + dy, d0z + dz, excess);
    if (kinds & SYNTH_HAS_CUBIC) {
        SYNTH_NUMBER e = SYNTH_QUOTIENT(longer, SYNTH_LARGER(length + rest, SYNTH_EACH(1e-6f)));
        stiffness = SYNTH_FUSED(cubic, SYNTH_FUSED(e, e, SYNTH_EACH(SYNTH_TINY)), stiffness);
    }
    SYNTH_NUMBER tension =
        stiffness * SYNTH_QUOTIENT(longer, SYNTH_LARGER(SYNTH_FUSED(length, rest, square),
                                               SYNTH_EACH(SYNTH_SHORTEST)));
    if (!(kinds & SYNTH_HAS_DAMPING)) return tension;
    SYNTH_NUMBER along = SYNTH_NAMED(dot_more)(vx, vy, vz, dx, dy, dz, SYNTH_EACH(SYNTH_TINY));
    return SYNTH_FUSED(
        damping, SYNTH_QUOTIENT(along, SYNTH_LARGER(square, SYNTH_EACH(SYNTH_SHORTEST))), tension);
}

/* One axis of a body: effects of force, damping and time. `mobility` is s h^2/m (0: an anchor),
 * `keep` exp(-rate s), `dilation` s. */
SYNTH_FUNCTION SYNTH_NUMBER SYNTH_NAMED(pushed)(
    SYNTH_NUMBER speed, SYNTH_NUMBER force, SYNTH_NUMBER mobility)
{
    return SYNTH_FUSED(mobility, force, speed);
}
SYNTH_FUNCTION SYNTH_NUMBER SYNTH_NAMED(kept)(
    SYNTH_NUMBER speed, SYNTH_NUMBER keep, SYNTH_NUMBER mobility)
{
    return SYNTH_FUSED(speed, keep, SYNTH_SMALLER(mobility, SYNTH_EACH(SYNTH_DRIFT)));
}
SYNTH_FUNCTION SYNTH_NUMBER SYNTH_NAMED(went)(
    SYNTH_NUMBER place, SYNTH_NUMBER speed, SYNTH_NUMBER dilation)
{
    return SYNTH_FUSED(dilation, speed, place);
}

/* Returns the signal of a body at (rx, ry, rz) from the microphone that moves by (u, v, w) a
 * sample. */
SYNTH_FUNCTION SYNTH_NUMBER SYNTH_NAMED(heard)(const synth_hearing *m, SYNTH_NUMBER rx,
    SYNTH_NUMBER ry, SYNTH_NUMBER rz, SYNTH_NUMBER u, SYNTH_NUMBER v, SYNTH_NUMBER w)
{
    SYNTH_NUMBER square = SYNTH_NAMED(dot_more)(rx, ry, rz, rx, ry, rz, SYNTH_EACH(SYNTH_TINY));
    SYNTH_NUMBER near =
        SYNTH_RECIPROCAL(SYNTH_ROOT(SYNTH_LARGER(square, SYNTH_EACH(SYNTH_SHORTEST))));
    SYNTH_NUMBER nx = SYNTH_EACH(m->nx), ny = SYNTH_EACH(m->ny), nz = SYNTH_EACH(m->nz),
                 isotropy = SYNTH_EACH(m->isotropy);
    SYNTH_NUMBER ex = rx * near, ey = ry * near, ez = rz * near;
    SYNTH_NUMBER facing =
        SYNTH_LARGER(SYNTH_FUSED(nx, ex, SYNTH_FUSED(ny, ey, nz * ez)), SYNTH_EACH(0.0f));
    SYNTH_NUMBER factor =
        SYNTH_FUSED(SYNTH_EACH(m->directionality), facing, SYNTH_EACH(1.0f - m->directionality));
    SYNTH_NUMBER ax = SYNTH_FUSED(isotropy, ex - nx, nx), ay = SYNTH_FUSED(isotropy, ey - ny, ny),
                 az = SYNTH_FUSED(isotropy, ez - nz, nz);
    return factor * SYNTH_FUSED(ax, u, SYNTH_FUSED(ay, v, az * w)) *
           SYNTH_SMALLER(near, SYNTH_EACH(1.0f / SYNTH_NEAREST));
}

#undef SYNTH_NUMBER
#undef SYNTH_NAMED
#undef SYNTH_EACH
#undef SYNTH_FUSED
#undef SYNTH_LARGER
#undef SYNTH_SMALLER
#undef SYNTH_QUOTIENT
#undef SYNTH_RECIPROCAL
#undef SYNTH_ROOT
