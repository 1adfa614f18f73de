/* Formulas of a particle and of a constraint: one text for OpenCL C, CUDA and C (words.h), placed
 * before each kernel.
 *
 * Positions are float4: x y z, m, from the cloth's origin (solver/origin.c); w: inverse mass, 1/kg,
 * 0 if locked. Previous positions are float4: x y z; w: number of the garment. In strict mode every
 * operation is rounded by itself in the order written here.
 *
 * A particle's motion in a substep is position - previous position + carry. The carry is the
 * rounding error of the addition of the last motion to a position in float. At 200 substeps a frame
 * gravity adds 7e-8 m to a motion, and two floats near 1 m are at least 6e-8 m apart: without the
 * carry gravity would be lost in every substep (error feedback; compare Kahan, Further Remarks on
 * Reducing Truncation Errors, 1965). A carry has eight significant bits: its own rounding error has
 * no preferred sign.
 *
 * Integration: J. Dummer, A Simple Time-Corrected Verlet Integration Method; gravity exact for
 * varying dt (g dt (dt + last dt) / 2). Constraints: Müller et al., Position Based Dynamics (2007);
 * compliance after Macklin, Müller and Chentanez, XPBD (2016). Bending:
 * model/bend.c. Tethers: Kim, Chentanez and Müller, Long Range Attachments (2012). Air: drag and
 * lift of a flat plate, after Wilson (GDC 2014), implicit in the drag. Driver: ball, backstop and
 * spring, as in the cloth of Unity and Unreal. */
#ifndef CLOTH_PHYSICS_H
#define CLOTH_PHYSICS_H
#if !defined(__OPENCL_C_VERSION__) && !defined(__CUDACC_RTC__)
#include "support/words.h"

#include "heddle/view.h"
#endif

#define CLOTH_FUNCTION static inline __attribute__((unused))
/* Function that must be inlined into the version for each instruction set; gcc would not do it by
 * itself. */
#if defined(__OPENCL_C_VERSION__) || defined(__CUDACC_RTC__)
#define CLOTH_INLINE CLOTH_FUNCTION
#else
#define CLOTH_INLINE static inline __attribute__((always_inline, unused))
#endif

/* Prefix of a loop that is long or has a long body: unrolled it would only fill registers and the
 * instruction cache. */
#if defined(__OPENCL_C_VERSION__) || defined(__CUDACC_RTC__)
#define CLOTH_ROLLED _Pragma("unroll 1")
#else
#define CLOTH_ROLLED
#endif

/* Parameters of one substep, passed by value, the same for all garments. */
typedef struct cloth_step {
    float ratio;                  /* dt / the last substep's dt */
    float fall_x, fall_y, fall_z; /* displacement by gravity in this substep, m */
    float wind_x, wind_y, wind_z; /* displacement of the air in this substep, m */
    float gust;                   /* fraction of the wind that varies, 0 to 1 */
    float time;                   /* time of the gusts, s */
    /* fractions of the driver's and the colliders' motion at this substep's start and end, 0 to
     * 1 */
    float from, to;
    float stiffness;    /* 1 / dt^2, 1/s^2; times compliance: a constraint's give */
    float longest_move; /* maximum motion of a particle in this substep, m */
    uint particles;
    uint colliders;
    uint flags;                         /* CLOTH_STEP_* */
    float origin_x, origin_y, origin_z; /* the origin in the world, for gusts, m */
    float recall;                       /* 0, or CLOTH_RECALL where particles remember */
} cloth_step;

/* Parameters of the substep that is `later` substeps after `step`, of a duration of `dt`. */
CLOTH_FUNCTION cloth_step cloth_step_after(cloth_step step, uint later, float dt)
{
    float way = (float)later * (step.to - step.from);
    step.from += way;
    step.to += way;
    if (step.gust > 0.0f) step.time += (float)later * dt;
    return step;
}

#define CLOTH_STEP_TETHERS 1u  /* the cloth has tethers */
#define CLOTH_STEP_DRIVER 2u   /* the driver arrays exist */
#define CLOTH_STEP_AIR 4u      /* the air arrays exist: air acts on the particles */
#define CLOTH_STEP_CONTACTS 8u /* contact planes of mesh colliders exist */
/* the wind's field exists: motion of the air in a substep, m, after the plates of `air` */
#define CLOTH_STEP_FIELD 16u
#define CLOTH_STEP_FAST 32u  /* a collider is fast (collide.h) */
#define CLOTH_STEP_FIRST 64u /* the first substep: particles have nothing to remember */

/* A sheet with lattices that touches nothing (cloth_remembers()) has an integrator of second order. Its
 * previous position is x + RECALL s, of the position x at the substep's start and the difference s between x and the
 * previous position before. The next substep begins with the motion (1 + RECALL) s: the last motion, and a part
 * of its gain over the motion before it. Gravity and constraints act with the rest, 1 / (1 + RECALL) of their
 * effect. Implicit Euler has RECALL 0. With 0.65 sheets of 255 x 255 are unstable with two substeps of 1/60 s, with
 * 0.3 they lag. */
#define CLOTH_RECALL 0.5f
/* False in a cooperative kernel with patches of a mesh (kind 10), which need the registers. */
#if defined(KINDS) && (KINDS >> 10 & 1)
#define CLOTH_REMEMBERS 0
#else
#define CLOTH_REMEMBERS 1
#endif

/* Size of a garment in the array `garments`, float4: its material, and the origin of its positions
 * (cloth_origin_at()). */
#define CLOTH_GARMENT_WORDS 3u

/* Material of a garment. */
typedef struct cloth_cloth {
    float keep_x, keep_y, keep_z; /* fraction of the velocity that remains after dt, by axis */
    float thickness;              /* m */
    float drag, lift;             /* coefficients times half the air's density, kg/m^3 */
    float friction;
    float push; /* pressure * dt^2, kg/m; times area / mass: motion along the normal, m */
} cloth_cloth;

CLOTH_FUNCTION cloth_cloth cloth_garment_at(__global const float4 *garments, uint garment)
{
    float4 a = garments[CLOTH_GARMENT_WORDS * garment],
           b = garments[CLOTH_GARMENT_WORDS * garment + 1];
    cloth_cloth cloth;
    cloth.keep_x = a.x;
    cloth.keep_y = a.y;
    cloth.keep_z = a.z;
    cloth.thickness = a.w;
    cloth.drag = b.x;
    cloth.lift = b.y;
    cloth.friction = b.z;
    cloth.push = b.w;
    return cloth;
}

/* Origin of a garment's positions, m, in the coordinates of colliders, drivers and wind: 0 where the
 * garments have a common one. Multiples of 1/8 m, so that a difference is rounded once. */
CLOTH_FUNCTION float4 cloth_origin_at(__global const float4 *garments, uint garment)
{
    return garments[CLOTH_GARMENT_WORDS * garment + 2];
}

CLOTH_FUNCTION float cloth_square(float x, float y, float z) { return fma(x, x, fma(y, y, z * z)); }

/* ---- distance constraint, weighted by inverse masses, without branches ---- */

/* 1 - (allowed length) / length: 0 within [low, high], above 0 if too long, below 0 if too
 * short. */
CLOTH_FUNCTION float cloth_excess(float square, float low, float high)
{
#if HED_STRICT
    float length = sqrt(square);
    float allowed = hed_min(hed_max(length, low), high);
    return length > 0.0f ? (length - allowed) / length : 0.0f;
#else
    float inverse = hed_near_rsqrt(square + 1e-24f);
    return 1.0f - fmin(fmax(1.0f, low * inverse), high * inverse);
#endif
}

/* Moves both ends so that their distance is within [low, high], m. `give`: compliance / dt^2,
 * 1/kg. */
CLOTH_FUNCTION void cloth_project(float4 *a, float4 *b, float low, float high, float give)
{
    float x = b->x - a->x, y = b->y - a->y, z = b->z - a->z;
    float weight = a->w + b->w + give;
#if HED_STRICT
    float part = weight > 0.0f ? cloth_excess(cloth_square(x, y, z), low, high) / weight : 0.0f;
#else
    float part =
        cloth_excess(cloth_square(x, y, z), low, high) * hed_near_rcp(fmax(weight, 1e-20f));
#endif
    float pa = a->w * part, pb = -(b->w * part);
    a->x = fma(pa, x, a->x);
    a->y = fma(pa, y, a->y);
    a->z = fma(pa, z, a->z);
    b->x = fma(pb, x, b->x);
    b->y = fma(pb, y, b->y);
    b->z = fma(pb, z, b->z);
}

/* Projects a distance constraint in a substep of several iterations (XPBD). `multiplier`: sum of
 * the substep's corrections, below 0 if the constraint pulled, above 0 if it pushed. A constraint
 * that pulled aims at `high`, and its multiplier stops at 0: it never pushes in the same substep;
 * one that pushed aims at `low` and never pulls. */
CLOTH_FUNCTION void cloth_project_again(
    float4 *a, float4 *b, float low, float high, float give, float *multiplier)
{
    if (!(give > 0.0f)) {
        cloth_project(a, b, low, high, give);
        return;
    }
    float x = b->x - a->x, y = b->y - a->y, z = b->z - a->z, so_far = *multiplier;
    float length = sqrt(cloth_square(x, y, z));
    float bound = so_far < 0.0f ? high : so_far > 0.0f ? low : hed_min(hed_max(length, low), high);
    float total = so_far - fma(give, so_far, length - bound) / (a->w + b->w + give);
    total = so_far < 0.0f ? hed_min(total, 0.0f) : so_far > 0.0f ? hed_max(total, 0.0f) : total;
    float part = length > 0.0f ? (total - so_far) / length : 0.0f;
    float pa = -(a->w * part), pb = b->w * part;
    *multiplier = total;
    a->x = fma(pa, x, a->x);
    a->y = fma(pa, y, a->y);
    a->z = fma(pa, z, a->z);
    b->x = fma(pb, x, b->x);
    b->y = fma(pb, y, b->y);
    b->z = fma(pb, z, b->z);
}

/* ---- bending: a weighted sum of four positions is driven to 0 ---- */

/* Projects a bending constraint. `k`: weights of a b c d with sum 0; a spring of 1 N/m acts on the
 * weighted sum, so `give` is 1 / dt^2. XPBD of three constraints, one for each axis, with one
 * gradient; `pulled`: their multipliers in this substep, 0 in the first iteration. */
CLOTH_FUNCTION void cloth_unbend(
    float4 *a, float4 *b, float4 *c, float4 *d, float4 k, float give, float4 *pulled)
{
    float x = fma(k.x, a->x - b->x, fma(k.z, c->x - b->x, k.w * (d->x - b->x)));
    float y = fma(k.x, a->y - b->y, fma(k.z, c->y - b->y, k.w * (d->y - b->y)));
    float z = fma(k.x, a->z - b->z, fma(k.z, c->z - b->z, k.w * (d->z - b->z)));
    float ka = k.x * a->w, kb = k.y * b->w, kc = k.z * c->w, kd = k.w * d->w;
    float weight = fma(k.x, ka, fma(k.y, kb, fma(k.z, kc, fma(k.w, kd, give))));
#if HED_STRICT
    x = -(fma(give, pulled->x, x) / weight);
    y = -(fma(give, pulled->y, y) / weight);
    z = -(fma(give, pulled->z, z) / weight);
#else
    float part = -hed_near_rcp(weight);
    x = fma(give, pulled->x, x) * part;
    y = fma(give, pulled->y, y) * part;
    z = fma(give, pulled->z, z) * part;
#endif
    pulled->x += x;
    pulled->y += y;
    pulled->z += z;
    a->x = fma(ka, x, a->x);
    a->y = fma(ka, y, a->y);
    a->z = fma(ka, z, a->z);
    b->x = fma(kb, x, b->x);
    b->y = fma(kb, y, b->y);
    b->z = fma(kb, z, b->z);
    c->x = fma(kc, x, c->x);
    c->y = fma(kc, y, c->y);
    c->z = fma(kc, z, c->z);
    d->x = fma(kd, x, d->x);
    d->y = fma(kd, y, d->y);
    d->z = fma(kd, z, d->z);
}

/* ---- cells of a grid (model/cell.c) ---- */

/* Sweeps over the cells in a substep in which cloth with lattices may touch anything, each with a
 * part of the compliance's effect. One sweep resists shear with at most density x (a / dt)^2 in cells
 * of size a: 3.3 N/m at 255 x 255 over 2 m with 10 substeps, where a fabric has 40, so that a sheet over
 * a ball folds too late. So corrections are CLOTH_CELL_OVER times as large (over-relaxation), and a
 * cell that gives more than its particles move gets the whole force of its stiffness: the sweeps together
 * then have the requested stiffness, not more. A sheet that hangs has one sweep without: it loses
 * more in tension at its pins than it gains in shear. */
#define CLOTH_CELL_SWEEPS 4u
#define CLOTH_CELL_OVER 1.7f
#define CLOTH_CELL_PASS 3u /* `pass` of such a sweep, which has no multipliers */

/* ---- a triangle of a fabric: strain and bending (model/element.c) ---- */

CLOTH_FUNCTION float cloth_inverse(float value)
{
#if HED_STRICT
    return 1.0f / value;
#else
    return hed_near_rcp(value);
#endif
}

/* Image of a direction of the fabric: g.y (b - a) + g.z (c - a); g.x is -(g.y + g.z). */
CLOTH_FUNCTION float4 cloth_way_of(float4 a, float4 b, float4 c, float4 g)
{
    return hed_f4(fma(g.y, b.x - a.x, g.z * (c.x - a.x)), fma(g.y, b.y - a.y, g.z * (c.y - a.y)),
        fma(g.y, b.z - a.z, g.z * (c.z - a.z)), 0.0f);
}

CLOTH_FUNCTION float4 cloth_shift(float4 at, float share, float4 way)
{
    return hed_f4(fma(share, way.x, at.x), fma(share, way.y, at.y), fma(share, way.z, at.z), at.w);
}

/* Pulls the length of cloth_way_of() to 1. `give`: compliance / dt^2; `pulled`: multiplier in this
 * substep. */
CLOTH_FUNCTION void cloth_strain(
    float4 *a, float4 *b, float4 *c, float4 g, float give, float *pulled)
{
    float4 way = cloth_way_of(*a, *b, *c, g);
    float length = sqrt(cloth_square(way.x, way.y, way.z));
    float weight = fma(g.x * g.x, a->w, fma(g.y * g.y, b->w, fma(g.z * g.z, c->w, give)));
    float pull = -(fma(give, *pulled, length - 1.0f) * cloth_inverse(weight));
    float part = length > 1e-6f ? pull * cloth_inverse(length) : 0.0f;
    *pulled += pull;
    *a = cloth_shift(*a, part * g.x * a->w, way);
    *b = cloth_shift(*b, part * g.y * b->w, way);
    *c = cloth_shift(*c, part * g.z * c->w, way);
}

/* Pulls |v| - 1 + coupling x (|u| - 1) to 0, u and v being the images of g and h. */
CLOTH_FUNCTION void cloth_strain_coupled(
    float4 *a, float4 *b, float4 *c, float4 g, float4 h, float coupling, float give, float *pulled)
{
    float4 u = cloth_way_of(*a, *b, *c, g), v = cloth_way_of(*a, *b, *c, h);
    float long_u = sqrt(cloth_square(u.x, u.y, u.z)), long_v = sqrt(cloth_square(v.x, v.y, v.z)),
          per_u = long_u > 1e-6f ? cloth_inverse(long_u) : 0.0f,
          per_v = long_v > 1e-6f ? cloth_inverse(long_v) : 0.0f,
          uv = fma(u.x, v.x, fma(u.y, v.y, u.z * v.z)) * (per_u * per_v),
          twice = 2.0f * coupling * uv, square = coupling * coupling;
    /* squared gradient |h v / |v| + coupling g u / |u||^2 of each corner, times its inverse mass */
    float weight = fma(a->w, fma(h.x, fma(twice, g.x, h.x), square * (g.x * g.x)), give);
    weight = fma(b->w, fma(h.y, fma(twice, g.y, h.y), square * (g.y * g.y)), weight);
    weight = fma(c->w, fma(h.z, fma(twice, g.z, h.z), square * (g.z * g.z)), weight);
    float excess = fma(coupling, long_u - 1.0f, long_v - 1.0f);
    float pull = -(fma(give, *pulled, excess) * cloth_inverse(weight));
    float part_u = pull * coupling * per_u, part_v = pull * per_v;
    *pulled += pull;
    *a = cloth_shift(cloth_shift(*a, part_v * h.x * a->w, v), part_u * g.x * a->w, u);
    *b = cloth_shift(cloth_shift(*b, part_v * h.y * b->w, v), part_u * g.y * b->w, u);
    *c = cloth_shift(cloth_shift(*c, part_v * h.z * c->w, v), part_u * g.z * c->w, u);
}

/* Pulls the scalar product of two images, u of g and v of h (cloth_way_of()), to 0. */
CLOTH_FUNCTION void cloth_square_up(
    float4 *a, float4 *b, float4 *c, float4 g, float4 h, float give, float *pulled)
{
    float4 u = cloth_way_of(*a, *b, *c, g), v = cloth_way_of(*a, *b, *c, h);
    float uu = cloth_square(u.x, u.y, u.z), vv = cloth_square(v.x, v.y, v.z),
          uv = fma(u.x, v.x, fma(u.y, v.y, u.z * v.z));
    /* squared gradient |h u + g v|^2 of each corner, times its inverse mass */
    float weight = fma(a->w, fma(h.x * h.x, uu, fma(2.0f * g.x * h.x, uv, g.x * g.x * vv)), give);
    weight = fma(b->w, fma(h.y * h.y, uu, fma(2.0f * g.y * h.y, uv, g.y * g.y * vv)), weight);
    weight = fma(c->w, fma(h.z * h.z, uu, fma(2.0f * g.z * h.z, uv, g.z * g.z * vv)), weight);
    float pull = -(fma(give, *pulled, uv) * cloth_inverse(weight));
    *pulled += pull;
    *a = cloth_shift(cloth_shift(*a, pull * h.x * a->w, u), pull * g.x * a->w, v);
    *b = cloth_shift(cloth_shift(*b, pull * h.y * b->w, u), pull * g.y * b->w, v);
    *c = cloth_shift(cloth_shift(*c, pull * h.z * c->w, u), pull * g.z * c->w, v);
}

/* Projects as cloth_unbend(), for six particles. `k`: weights of the corners a b c; `l`: weights of
 * the particles p q r beyond the sides. */
CLOTH_FUNCTION void cloth_flatten(float4 *a, float4 *b, float4 *c, float4 *p, float4 *q, float4 *r,
    float4 k, float4 l, float give, float4 *pulled)
{
    float x = fma(k.y, b->x - a->x,
        fma(k.z, c->x - a->x, fma(l.x, p->x - a->x, fma(l.y, q->x - a->x, l.z * (r->x - a->x)))));
    float y = fma(k.y, b->y - a->y,
        fma(k.z, c->y - a->y, fma(l.x, p->y - a->y, fma(l.y, q->y - a->y, l.z * (r->y - a->y)))));
    float z = fma(k.y, b->z - a->z,
        fma(k.z, c->z - a->z, fma(l.x, p->z - a->z, fma(l.y, q->z - a->z, l.z * (r->z - a->z)))));
    float weight = fma(k.x * k.x, a->w, fma(k.y * k.y, b->w, fma(k.z * k.z, c->w, give)));
    weight = fma(l.x * l.x, p->w, fma(l.y * l.y, q->w, fma(l.z * l.z, r->w, weight)));
    float part = -cloth_inverse(weight);
    float4 pull = hed_f4(fma(give, pulled->x, x) * part, fma(give, pulled->y, y) * part,
        fma(give, pulled->z, z) * part, 0.0f);
    *pulled = hed_f4(pulled->x + pull.x, pulled->y + pull.y, pulled->z + pull.z, 0.0f);
    *a = cloth_shift(*a, k.x * a->w, pull);
    *b = cloth_shift(*b, k.y * b->w, pull);
    *c = cloth_shift(*c, k.z * c->w, pull);
    *p = cloth_shift(*p, l.x * p->w, pull);
    *q = cloth_shift(*q, l.y * q->w, pull);
    *r = cloth_shift(*r, l.z * r->w, pull);
}

/* Solves both diagonals of a cell, a b and c d (model/cell.c): the sum and the difference of their
 * excesses. `of`: lengths at rest, compliances of sum and difference; `pulled`: multipliers of both
 * in this substep; `relaxation`: 0, or CLOTH_CELL_OVER in one of CLOTH_CELL_SWEEPS. */
CLOTH_FUNCTION void cloth_project_cell(float4 *a, float4 *b, float4 *c, float4 *d, float4 of,
    float give, float relaxation, float4 *pulled)
{
    float4 u = hed_f4(b->x - a->x, b->y - a->y, b->z - a->z, 0.0f),
           v = hed_f4(d->x - c->x, d->y - c->y, d->z - c->z, 0.0f);
    float long_u = sqrt(cloth_square(u.x, u.y, u.z)), long_v = sqrt(cloth_square(v.x, v.y, v.z)),
          weight_u = a->w + b->w, weight_v = c->w + d->w, both = weight_u + weight_v,
          sum_give = of.z * give, turn_give = of.w * give, excess = long_u - of.x,
          other = long_v - of.y, sum_weight = both + sum_give, turn_weight = both + turn_give,
          factor = 1.0f;
    if (relaxation > 0.0f) {
        sum_weight = hed_max(both, relaxation * sum_give);
        turn_weight = hed_max(both, relaxation * turn_give);
        factor = relaxation;
    }
    float sum = -(factor * fma(sum_give, pulled->x, excess + other) * cloth_inverse(sum_weight));
    /* the sum's correction changes the difference if the diagonals have different masses */
    float turned = fma(weight_u - weight_v, sum, excess - other);
    float turn = -(factor * fma(turn_give, pulled->y, turned) * cloth_inverse(turn_weight));
    float part_u = long_u > 1e-6f ? (sum + turn) * cloth_inverse(long_u) : 0.0f,
          part_v = long_v > 1e-6f ? (sum - turn) * cloth_inverse(long_v) : 0.0f;
    pulled->x += sum;
    pulled->y += turn;
    *a = cloth_shift(*a, -(part_u * a->w), u);
    *b = cloth_shift(*b, part_u * b->w, u);
    *c = cloth_shift(*c, -(part_v * c->w), v);
    *d = cloth_shift(*d, part_v * d->w, v);
}

CLOTH_FUNCTION float4 cloth_from(float4 at, float4 origin)
{
    return hed_f4(at.x - origin.x, at.y - origin.y, at.z - origin.z, at.w);
}

/* Rows 1 to 7 of a cloth_element, four words each; x and y of r1 are the particles b and c.
 * cloth_element_pull: its multipliers in this substep, curvature in x y z and strain in w. */
typedef struct cloth_element_rows {
    uint4 r1, r2, r3, r4, r5, r6, r7;
} cloth_element_rows;
typedef struct cloth_element_pull {
    float4 warp, twist, weft;
} cloth_element_pull;

/* Runs one iteration of an element. a b c: corners; p q r: particles beyond the opposite sides; all
 * positions relative to a. */
CLOTH_FUNCTION void cloth_project_element(float4 *a, float4 *b, float4 *c, float4 *p, float4 *q,
    float4 *r, cloth_element_rows of, float give, cloth_element_pull *pulled)
{
    float warp_b = as_float(of.r1.z), warp_c = as_float(of.r1.w), weft_b = as_float(of.r2.x),
          weft_c = as_float(of.r2.y);
    float4 warp = hed_f4(-(warp_b + warp_c), warp_b, warp_c, 0.0f),
           weft = hed_f4(-(weft_b + weft_c), weft_b, weft_c, 0.0f);
    float strained = pulled->warp.w, turned = pulled->twist.w, crossed = pulled->weft.w;
    cloth_flatten(a, b, c, p, q, r,
        hed_f4(as_float(of.r4.y), as_float(of.r4.z), as_float(of.r4.w), 0.0f),
        hed_f4(as_float(of.r3.z), as_float(of.r3.w), as_float(of.r4.x), 0.0f), give, &pulled->warp);
    cloth_flatten(a, b, c, p, q, r,
        hed_f4(as_float(of.r5.w), as_float(of.r6.x), as_float(of.r6.y), 0.0f),
        hed_f4(as_float(of.r5.x), as_float(of.r5.y), as_float(of.r5.z), 0.0f), give,
        &pulled->twist);
    cloth_flatten(a, b, c, p, q, r,
        hed_f4(as_float(of.r7.y), as_float(of.r7.z), as_float(of.r7.w), 0.0f),
        hed_f4(as_float(of.r6.z), as_float(of.r6.w), as_float(of.r7.x), 0.0f), give, &pulled->weft);
    cloth_square_up(a, b, c, warp, weft, as_float(of.r3.x) * give, &turned);
    cloth_strain_coupled(
        a, b, c, warp, weft, as_float(of.r3.y), as_float(of.r2.w) * give, &crossed);
    cloth_strain(a, b, c, warp, as_float(of.r2.z) * give, &strained);
    pulled->warp.w = strained;
    pulled->twist.w = turned;
    pulled->weft.w = crossed;
}

/* New position of a particle: `at` before the element; `moved`: its position relative to `origin`
 * after the element. */
CLOTH_FUNCTION float4 cloth_moved(float4 at, float4 moved, float4 origin)
{
    float4 before = cloth_from(at, origin);
    return hed_f4(at.x + (moved.x - before.x), at.y + (moved.y - before.y),
        at.z + (moved.z - before.z), at.w);
}

/* ---- integrator ---- */

/* Parameters of a substep with the wind of particle i. */
CLOTH_FUNCTION cloth_step cloth_blown(uint i, __global const float4 *air, cloth_step step)
{
    if (step.flags & CLOTH_STEP_FIELD) {
        float4 field = air[step.particles + i];
        step.wind_x += field.x;
        step.wind_y += field.y;
        step.wind_z += field.z;
    }
    return step;
}

/* Parameters of a substep for a garment, whose origin gusts have. */
CLOTH_FUNCTION cloth_step cloth_step_from(cloth_step step, float4 origin)
{
    step.origin_x += origin.x;
    step.origin_y += origin.y;
    step.origin_z += origin.z;
    return step;
}

/* Factor of the wind at a position and time: 1 + gust * two waves that travel with the wind. */
CLOTH_FUNCTION float cloth_gust(float4 at, cloth_step step)
{
    float x = at.x + step.origin_x, y = at.y + step.origin_y, z = at.z + step.origin_z;
    float a = hed_sin(1.7f * x + 0.9f * y + 1.3f * z - 5.1f * step.time);
    float b = hed_sin(0.6f * x - 1.1f * y + 0.7f * z - 2.3f * step.time + 1.0f);
    return 1.0f + step.gust * (0.6f * a + 0.4f * b);
}

/* Adds drag and lift to `way`, a particle's motion in this substep, m. `air`: unit normal; w: area
 * / mass, m^2/kg. */
CLOTH_FUNCTION float4 cloth_air(
    float4 way, float4 at, float4 air, cloth_cloth cloth, cloth_step step)
{
    float gust = step.gust > 0.0f ? cloth_gust(at, step) : 1.0f;
    float x = step.wind_x * gust - way.x, y = step.wind_y * gust - way.y,
          z = step.wind_z * gust - way.z;
    float square = cloth_square(x, y, z);
    float speed = sqrt(square);
    if (!(speed > 1e-12f)) return way;
    float facing = (x * air.x + y * air.y + z * air.z) / speed; /* cosine between wind and normal */
    float amount = fabs(facing) * speed * air.w;
    float drag = cloth.drag * amount / (1.0f + cloth.drag * amount);
    /* lift: across the wind, in the plane of wind and normal; at most half the relative speed */
    float lift = cloth.lift * amount * facing;
    float limit = 0.5f * speed;
    lift = hed_min(hed_max(lift * speed, -limit), limit);
    float nx = air.x - facing * x / speed, ny = air.y - facing * y / speed,
          nz = air.z - facing * z / speed;
    return hed_f4(way.x + drag * x + lift * nx, way.y + drag * y + lift * ny,
        way.z + drag * z + lift * nz, way.w);
}

/* Packs a carry for memory: the upper halves of three floats, rounded to nearest; words y x and z
 * 0. */
CLOTH_FUNCTION uint2 cloth_carry_pack(float4 carry)
{
    uint x = as_uint(carry.x) + 0x8000u, y = as_uint(carry.y) + 0x8000u,
         z = as_uint(carry.z) + 0x8000u;
    return hed_u2((y & 0xffff0000u) | x >> 16, z & 0xffff0000u);
}

CLOTH_FUNCTION float4 cloth_carry_of(uint2 packed)
{
    return hed_f4(
        as_float(packed.x << 16), as_float(packed.x & 0xffff0000u), as_float(packed.y), 0.0f);
}

/* Factor of the difference of positions in a substep's motion. */
CLOTH_FUNCTION float cloth_recalled(cloth_step step)
{
    return !CLOTH_REMEMBERS || (step.flags & CLOTH_STEP_FIRST) ? 1.0f : 1.0f + step.recall;
}

/* Motion of the previous position from the substep's start on; `last`: as s in CLOTH_RECALL. Before the first
 * substep a particle moved as if thrown against gravity. */
CLOTH_FUNCTION float4 cloth_remembered(float4 last, cloth_step step)
{
    float part = step.recall * step.ratio, factor = 1.0f + step.recall, gain = 0.0f;
    if (step.flags & CLOTH_STEP_FIRST) {
        part /= factor;
        gain = step.recall * (step.recall - 1.0f) / (factor * factor);
    }
    return hed_f4(part * last.x + gain * step.fall_x, part * last.y + gain * step.fall_y,
        part * last.z + gain * step.fall_z, 0.0f);
}

/* Makes the position at the substep's start the previous one; `carry` takes the part that rounding loses. */
CLOTH_FUNCTION float4 cloth_remember(float4 at, float4 last, float4 *carry, cloth_step step)
{
    float4 way = cloth_remembered(last, step);
    float factor = 1.0f + step.recall;
    float4 before = hed_f4(at.x + way.x, at.y + way.y, at.z + way.z, at.w);
    carry->x += factor * ((before.x - at.x) - way.x);
    carry->y += factor * ((before.y - at.y) - way.y);
    carry->z += factor * ((before.z - at.z) - way.z);
    return before;
}

/* Integrates a free particle over a substep without constraints: returns its new position and
 * stores the new carry and the new previous position, whose w is that of `*before`. */
CLOTH_FUNCTION float4 cloth_integrate(
    float4 at, float4 *before, uint2 *carry, float4 air, cloth_cloth cloth, cloth_step step)
{
    float4 loss = cloth_carry_of(*carry), last = cloth_from(at, *before), start = at;
    float factor = cloth_recalled(step);
    float4 way = hed_f4((factor * last.x + loss.x) * (step.ratio * cloth.keep_x),
        (factor * last.y + loss.y) * (step.ratio * cloth.keep_y),
        (factor * last.z + loss.z) * (step.ratio * cloth.keep_z), 0.0f);
    way.x += step.fall_x;
    way.y += step.fall_y;
    way.z += step.fall_z;
    if (step.flags & CLOTH_STEP_AIR) {
        float push = air.w * cloth.push;
        way.x += air.x * push;
        way.y += air.y * push;
        way.z += air.z * push;
        if (air.w > 0.0f) way = cloth_air(way, at, air, cloth, step);
    }
    float square = cloth_square(way.x, way.y, way.z);
    if (square > step.longest_move * step.longest_move) {
        float scale = step.longest_move / sqrt(square);
        way.x *= scale;
        way.y *= scale;
        way.z *= scale;
    }
    float4 moved = hed_f4(at.x + way.x, at.y + way.y, at.z + way.z, at.w);
    loss =
        hed_f4(way.x - (moved.x - at.x), way.y - (moved.y - at.y), way.z - (moved.z - at.z), 0.0f);
    if (CLOTH_REMEMBERS && step.recall > 0.0f) start = cloth_remember(at, last, &loss, step);
    *carry = cloth_carry_pack(loss);
    *before = hed_f4(start.x, start.y, start.z, before->w);
    return moved;
}

/* Pulls a free particle back to `length` from its anchor. */
CLOTH_FUNCTION float4 cloth_tether(float4 at, float4 anchor, float length)
{
    float x = at.x - anchor.x, y = at.y - anchor.y, z = at.z - anchor.z;
    float square = cloth_square(x, y, z);
    if (square <= length * length) return at;
#if HED_STRICT
    float part = length / sqrt(square);
#else
    float part = length * hed_near_rsqrt(square);
#endif
    return hed_f4(fma(x, part, anchor.x), fma(y, part, anchor.y), fma(z, part, anchor.z), at.w);
}

/* Interpolates from a to b; `fraction`: of the path, 0 to 1; w of a. */
CLOTH_FUNCTION float4 cloth_between(float4 a, float4 b, float fraction)
{
    return hed_f4(fma(b.x - a.x, fraction, a.x), fma(b.y - a.y, fraction, a.y),
        fma(b.z - a.z, fraction, a.z), a.w);
}

/* Scales x y z to length 1, as after cloth_between() of two unit normals; 0 remains 0. */
CLOTH_FUNCTION float4 cloth_unit(float4 v)
{
    float square = cloth_square(v.x, v.y, v.z);
    if (!(square > 0.0f)) return v;
    float length = sqrt(square);
    return hed_f4(v.x / length, v.y / length, v.z / length, v.w);
}

/* ---- driver constraint ---- */

/* Parts of the driver that moved a particle, for the diagnostic colour. */
#define CLOTH_BALL 1u
#define CLOTH_BACKSTOP 2u

/* Diagnostic colour, bytes r g b a: white: not moved; red: moved by the ball; blue: by the
 * backstop; violet: by ball and backstop. */
CLOTH_FUNCTION uint cloth_colour(uint acted)
{
    return acted == 0                ? 0xffffffffu
           : acted == CLOTH_BALL     ? 0xff3030f0u
           : acted == CLOTH_BACKSTOP ? 0xfff04030u
                                     : 0xffd020c0u;
}

/* Limit R of a particle without a driver. */
#define CLOTH_UNDRIVEN (-2.0f)

/* Moves a particle out of its backstop; after the ball, so the backstop takes precedence. `map`: y:
 * backstop offset b, m; z: backstop radius r, m, 0: plane. */
CLOTH_FUNCTION float4 cloth_backstop(
    float4 at, float4 target, float4 normal, float4 map, uint *acted)
{
    if (map.z == 0.0f) {
        float height = (at.x - target.x) * normal.x + (at.y - target.y) * normal.y +
                       (at.z - target.z) * normal.z;
        if (height < map.y) {
            at.x = fma(normal.x, map.y - height, at.x);
            at.y = fma(normal.y, map.y - height, at.y);
            at.z = fma(normal.z, map.y - height, at.z);
            *acted |= CLOTH_BACKSTOP;
        }
        return at;
    }
    float depth = map.z - map.y;
    float4 centre = hed_f4(target.x - normal.x * depth, target.y - normal.y * depth,
        target.z - normal.z * depth, 0.0f);
    float x = at.x - centre.x, y = at.y - centre.y, z = at.z - centre.z;
    float square = cloth_square(x, y, z);
    if (square < map.z * map.z && square > 0.0f) {
        float part = map.z / sqrt(square);
        at.x = fma(x, part, centre.x);
        at.y = fma(y, part, centre.y);
        at.z = fma(z, part, centre.z);
        *acted |= CLOTH_BACKSTOP;
    }
    return at;
}

/* Applies the driver to free particle i of `particles`, with the driver at fraction `to` of its
 * motion. Each array has two halves: positions and normals; limits and ball stiffness k. Limits: R
 * (maximum distance; below 0: no ball), b, r (below 0: no backstop), s (spring). Every particle
 * reads the first halves, 48 bytes; normals are read for a backstop only, and k only when the ball
 * acts, because memory bandwidth bounds a substep of a million particles. */
CLOTH_FUNCTION float4 cloth_drive(uint i, float4 at, __global const float4 *driver_from,
    __global const float4 *driver_to, __global const float4 *driver_map, uint particles, float to,
    uint *acted)
{
    float4 map = driver_map[i], target = cloth_between(driver_from[i], driver_to[i], to);
    if (map.x == CLOTH_UNDRIVEN) return at;
    at.x = fma(map.w, target.x - at.x, at.x);
    at.y = fma(map.w, target.y - at.y, at.y);
    at.z = fma(map.w, target.z - at.z, at.z);
    float x = at.x - target.x, y = at.y - target.y, z = at.z - target.z;
    float square = cloth_square(x, y, z);
    if (map.x >= 0.0f && square > map.x * map.x) {
        float part = map.x / sqrt(square), stiffness = driver_map[particles + i].x;
        at.x = fma(stiffness, fma(x, part, target.x) - at.x, at.x);
        at.y = fma(stiffness, fma(y, part, target.y) - at.y, at.y);
        at.z = fma(stiffness, fma(z, part, target.z) - at.z, at.z);
        *acted |= CLOTH_BALL;
    }
    if (map.z < 0.0f) return at;
    float4 normal =
        cloth_unit(cloth_between(driver_from[particles + i], driver_to[particles + i], to));
    return cloth_backstop(at, target, normal, map, acted);
}

/* ---- write-back ---- */

/* Transforms a point by a 4 x 4 matrix of columns m0 m1 m2 m3; w of the result is 0. */
CLOTH_FUNCTION float4 cloth_transform(float4 p, float4 m0, float4 m1, float4 m2, float4 m3)
{
    return hed_f4(fma(p.z, m2.x, fma(p.y, m1.x, fma(p.x, m0.x, m3.x))),
        fma(p.z, m2.y, fma(p.y, m1.y, fma(p.x, m0.y, m3.y))),
        fma(p.z, m2.z, fma(p.y, m1.z, fma(p.x, m0.z, m3.z))), 0.0f);
}

/* Row k in a step of cyclic reduction: of every 2 `step` rows the last one eliminates the rows at distance `step`
 * from its system. Steps: 1, 2, 4 ... below the number of rows. */
CLOTH_FUNCTION uint cloth_reduced(uint k, uint step) { return 2 * step * k + 2 * step - 1; }

CLOTH_FUNCTION uint cloth_is_reduced(uint row, uint step)
{
    return ((row + 1) & (2 * step - 1)) == 0;
}

/* Row k in a step back, whose unknown follows from the unknowns at distance `step`. Steps: from the first one that
 * is not below the number of rows, down to 1. */
CLOTH_FUNCTION uint cloth_solved(uint k, uint step) { return 2 * step * k + step - 1; }
CLOTH_FUNCTION uint cloth_is_solved(uint row, uint step)
{
    return ((row + 1) & (2 * step - 1)) == step;
}

#endif
