/* Data, limits and counters of contact between cloth: one text for every device and for C. After
 * physics.h, collide.h and mesh_contact.h. docs/cloth-contact.md has the proof.
 *
 * A substep begins at positions x without a crossing; the solver requests y. A contact pair is a
 * vertex against a triangle, or an edge against an edge, without a common vertex. n is the
 * direction between the pair's closest points at x. The gap is the distance of the two sides
 * along n at x, taken from the vertices themselves, so an error in n only makes the gap smaller.
 *
 *   1. A pair whose sides are separated along n at y too is safe: over the substep the minimum
 *      of the upper side is concave and the maximum of the lower side convex, so a plane that
 *      moves with the sides separates them all the time. Layers that move together are never
 *      slowed, however fast they are.
 *   2. The gap of any other pair is divided by a fixed separating plane, in proportion to the
 *      motion of each side towards it. A vertex completes the fraction t of its motion that
 *      keeps it on its side. Of several pairs the smallest t counts. A fixed plane is valid
 *      whatever fraction of its motion each vertex completes.
 *   3. Rule 1 assumes complete motions. A pair with a vertex that was limited is tested again at
 *      the fractions of the round before, and gets rule 2 if it fails: in rounds, until a round
 *      limits no vertex. If the last round but one still limits a vertex, all pairs get rule 2,
 *      which needs no test.
 *   4. If a plane limited a vertex, a further contact iteration begins at the positions that
 *      were reached, which cross nothing, and ends at the requested ones, with new pairs,
 *      planes and pushes. A vertex mostly gets around a plane of the first iteration so. Without
 *      it the vertex would lag, and the cloth that it hangs on would pull it through ever more
 *      cloth in the next substep. No iteration follows two in which no limited vertex moved:
 *      vertices between frozen ones would be limited in each.
 *
 *   5. A vertex that was limited in CONTACT_RELEASE_AFTER substeps in a row and has an edge longer
 *      than CONTACT_TANGLED_STRETCH times its rest length is stuck: cloth that a fast collider
 *      stretched and tangled pulls on it and never comes to rest. Its pairs no longer limit, the
 *      widest gap first, so that the tangle comes undone; these pairs may cross. Vertices of a heap,
 *      which are limited as long but not stretched, are never released.
 *
 * After Newton's planar truncation (divide and truncate) and Offset Geometric Contact (Chen et
 * al., 2025), whose planes are fixed in the world. Here "fixed" and "frozen" are relative to
 * `shift`, the mean motion of the garments: a shift of all cloth crosses nothing.
 *
 * Friction holds layers at rest because it remembers: each particle has a grip, a position that
 * moves with the garments and that the particle draws along once it is CONTACT_GRIP away. Slip of a pair
 * is measured between particles and grips. So a pass need not remove all slip of a substep.
 *
 * Before motions are limited, contacts push (contact_response.h): XPBD with compliance 0 along
 * n, averaged pair by pair over the contacts of its vertices weighted by depth (Jacobi), with
 * Coulomb friction. So both sides of a pair get equal and opposite pushes. Then both sides of a
 * pair that is not safe are moved to their sides of a plane between them, along n alone, so that
 * sliding is kept. In crowded cloth, where planes limit vertices, each vertex has an average of its
 * own instead: these pushes separate layers faster. Before each separation, edges that pushes and separations
 * made too long are pulled back where the solver holds lengths: it would pull them back in the next
 * substep, and pushes would win again. Each pass ends within the distance from the requested motion for
 * which pairs were found, so that the next pass knows of it. Sums are integers: their bits do not depend on
 * the order of addition. */
#ifndef CLOTH_CONTACT_TYPES_H
#define CLOTH_CONTACT_TYPES_H

#if defined(__OPENCL_C_VERSION__) || defined(__CUDACC_RTC__)
#define cloth_atomic_add(at, value) atomic_add(at, value)
#define cloth_atomic_min(at, value) atomic_min(at, value)
#define cloth_atomic_max(at, value) atomic_max(at, value)
#define cloth_atomic_exchange(at, value) atomic_xchg(at, value)
#define cloth_atomic_load(at) (*(at))
#define cloth_atomic_store(at, value) (*(at) = (value))
#define CLOTH_LOCAL __local
#else
#define cloth_atomic_add(at, value) __atomic_fetch_add(at, value, __ATOMIC_RELAXED)
#define cloth_atomic_exchange(at, value) __atomic_exchange_n(at, value, __ATOMIC_RELAXED)
#define cloth_atomic_load(at) __atomic_load_n(at, __ATOMIC_RELAXED)
#define cloth_atomic_store(at, value) __atomic_store_n(at, value, __ATOMIC_RELAXED)
CLOTH_FUNCTION uint cloth_atomic_min(uint *at, uint value)
{
    uint before = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (value < before &&
           !__atomic_compare_exchange_n(at, &before, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return before;
}
CLOTH_FUNCTION int cloth_atomic_max(int *at, int value)
{
    int before = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (value > before &&
           !__atomic_compare_exchange_n(at, &before, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return before;
}
#define clz(x) ((uint)__builtin_clz(x))
#define CLOTH_LOCAL
#endif

/* ---- limits ---- */

/* Passes of pushes in a contact iteration: mostly, and at most, in the first iteration of crowded
 * cloth. A pass moves a push on by one layer, so a heap would give way layer by layer with few
 * passes. */
#define CONTACT_CALM_PASSES 3u
#define CONTACT_PUSH_PASSES 12u
/* Passes of a round: two of pulls and one of separations. Rounds follow the pushes: separations
 * lengthen edges, and pulls close gaps. The last round is one whose second pull and separation move
 * no vertex. */
#define CONTACT_ROUND_PASSES 3u
#define CONTACT_ROUNDS 4u
#define CONTACT_FIRST_SEPARATION (CONTACT_PUSH_PASSES + CONTACT_ROUND_PASSES - 1u)
#define CONTACT_PASSES (CONTACT_PUSH_PASSES + CONTACT_ROUND_PASSES * CONTACT_ROUNDS)
/* Length of an edge by that at rest, to which a pull limits the stretch by contacts; and from which
 * on rounds after the first pull. With one limit for both an edge would end a little above it after
 * each round, and no round would be the last one. */
#define CONTACT_PULLED_STRETCH 1.015f
#define CONTACT_LONG_STRETCH 1.03f
#define CONTACT_LIMIT_ROUNDS 6u   /* rounds of limiting; the last one needs no test (rule 3) */
#define CONTACT_MAX_ITERATIONS 9u /* contact iterations of a substep */
/* Words of a particle in `fractions`: a fraction for each round, then the substeps in a row in
 * which the particle was limited (rule 5). */
#define CONTACT_FRACTION_WORDS (CONTACT_LIMIT_ROUNDS + 1u)
/* Substeps in a row after which a stuck particle is released: from pairs as far apart as their
 * reach after this many, from pairs that touch after twice as many; after three times as many no
 * longer. */
#define CONTACT_RELEASE_AFTER 240u
/* Length of an edge of a stuck particle by that at rest, from which on it is released. */
#define CONTACT_TANGLED_STRETCH 1.1f
/* Largest distance of a particle from its grip, as a fraction of the thinnest garment's thickness.
 * */
#define CONTACT_GRIP 0.15f
#define CONTACT_MEAN_SAMPLES 256u /* particles of which the mean motion is taken, maximum */

/* Motions are summed as integers: in steps of 1 / CONTACT_MOTION_STEPS m, clamped to 1 m. */
#define CONTACT_MOTION_STEPS 1048576.0f
/* The shift is rounded to 1 / CONTACT_SHIFT_STEPS m: added to coordinates below 256 m, it rounds
 * nothing. */
#define CONTACT_SHIFT_STEPS 65536.0f
/* Weight of a contact in a mean: 1 + min(1, depth / reach) * CONTACT_MAX_WEIGHT. */
#define CONTACT_MAX_WEIGHT 63.0f
#define CONTACT_BALANCE_STEPS 10u /* bisections of contact_balance */

/* Smallest usable gap, m, at distance |x| (maximum norm) from the origin:
 * max(CONTACT_MIN_GAP, CONTACT_ROUNDING |x| + min(read loss along n, CONTACT_MAX_READ_LOSS reach)).
 * Below it rounding (18 of them) decides, so the pair is frozen. */
#define CONTACT_MIN_GAP 5e-6f
#define CONTACT_ROUNDING 1.1e-6f
#define CONTACT_MAX_READ_LOSS 0.25f
/* Gap that a substep leaves, m: max(CONTACT_KEPT_FRACTION min(gap, reach), least), where least
 * is max(CONTACT_MIN_KEPT, CONTACT_KEPT_FACTOR smallest usable gap); a smaller gap is left as it
 * is. */
#define CONTACT_KEPT_FRACTION 0.1f
#define CONTACT_MIN_KEPT 4e-5f
#define CONTACT_KEPT_FACTOR 2.0f
/* Fraction of the gap to leave at which a pair passes its second test: a vertex at its plane passes
 * whatever rounding does. */
#define CONTACT_RETEST_FRACTION 0.9f
/* m; a gap above it is 0 but for rounding. Below it the sides overlap along n, so n separates
 * nothing. */
#define CONTACT_TOUCH_GAP -1e-8f

/* A node of the tree cannot meet itself if lengths in it are at least CONTACT_MIN_STRETCH of the
 * lengths at rest, and at least CONTACT_MIN_SPREAD wherever the list allows its vertices to be. */
#define CONTACT_MIN_STRETCH 0.5f
#define CONTACT_MIN_SPREAD 0.05f

/* ---- data ---- */

#if defined(__CUDACC_RTC__)
#define CONTACT_ALIGNED(bytes) __align__(bytes)
#else
#define CONTACT_ALIGNED(bytes) __attribute__((aligned(bytes)))
#endif

#define CONTACT_EDGES 0x80000000u   /* bit of contact_pair.a: an edge against an edge */
#define CONTACT_NO_LEAF 0xffffffffu /* contact_triangle.a of a leaf without a triangle */

/* Vertex a, the upper side, against triangle b c d; with CONTACT_EDGES edge a b, the upper side,
 * against edge c d. */
typedef struct CONTACT_ALIGNED(16) contact_pair {
    uint a, b, c, d; /* particles */
} contact_pair;

/* Separating direction of a pair at the start of a contact iteration. */
typedef struct CONTACT_ALIGNED(16) contact_plane {
    float4 normal; /* length 1, from the lower side to the upper one; w: gap, m; -1: no direction */
    float reach;   /* m, distance at which contacts begin to push */
    float p, q;    /* closest points: contact_closest */
    float friction;
} contact_plane;

/* Triangle of a leaf. */
typedef struct CONTACT_ALIGNED(16) contact_triangle {
    uint a, b, c; /* particles; a is CONTACT_NO_LEAF in a leaf without a triangle */
    uint owned;   /* bits 0 to 2: vertices a b c; bits 3 to 5: edges ab bc ca */
} contact_triangle;

/* Two leaves whose boxes overlap. */
typedef struct CONTACT_ALIGNED(8) contact_overlap {
    uint leaf, other;
} contact_overlap;

/* Distances of a listed pair, m. */
typedef struct CONTACT_ALIGNED(8) contact_bound {
    float reach; /* contact_plane.reach */
    float gap;   /* lower bound over the motion that the list covers */
} contact_bound;

/* Counters of a contact iteration. */
typedef struct contact_iteration {
    int pairs;          /* above contact_params.capacity: too many */
    int limited_rounds; /* the last round that limited a vertex, plus 1 */
    int limited;       /* vertices that completed a fraction of their motion; last iteration only */
    int motion[3];     /* sums of motions, in steps */
    int spread;        /* bits of a float: m, largest difference of a motion from the first one */
    int list_needed;   /* not 0: a new list is made */
    int plane_limited; /* not 0: planes limited vertices; a further iteration may help */
    int active_passes; /* the last pass that moved a vertex, plus 1 */
    int touching;      /* not 0: the sides of a pair touch, so no separation makes it safe */
    int advanced;      /* not 0: a limited vertex completed a part of its motion */
    int unused[4];
} contact_iteration;

/* Counters since the start or a reset, and state that survives a contact iteration. */
typedef struct contact_totals {
    int limited;
    int frozen; /* contact iterations in which all vertices were frozen, for want of capacity */
    int lists;
    int max_pairs;  /* maximum of a contact iteration */
    int max_listed; /* maximum of a list */
    int last_pairs; /* pairs of the last contact iteration */
    int substeps;
    int listed;             /* pairs in the list; above contact_params.list_capacity: too many */
    float drift[3];         /* m, sum of the shifts since the list was made */
    int overlaps;           /* found while the list was made */
    int slot;               /* 0 or 1: contact_counters.iteration of the next contact iteration */
    int further_iterations; /* beyond the first of each substep */
    int crowded;            /* not 0: a plane limited a vertex, now or earlier in this substep */
    int list_made;          /* not 0: the substep made a list */
} contact_totals;

/* Contact iterations use `iteration` in turn: the end of one clears the counters of the other. */
typedef struct contact_counters {
    contact_iteration iteration[2];
    contact_totals total;
} contact_counters;

/* Parameters of a contact iteration, passed by value to every kernel. Lengths in m. */
typedef struct contact_params {
    /* bounds of `spare`, the distance that contacts may push a particle off its motion: half of
     * contact_iteration.spread within these bounds */
    float min_spare, max_spare;
    float cover; /* distance that a particle may be off the motion that the list covers */
    /* separation of a pair that is too near, in a pass of the first iteration */
    float max_separation;
    float push_steps; /* steps of 1 m in sums of pushes */
    float max_thickness, min_thickness;
    float max_edge; /* longest edge at rest */
    /* loss of distance of two positions that are read as floats of the world: along each axis, and
     * in any direction */
    float read_loss_x, read_loss_y, read_loss_z, read_loss;
    float motion_scale; /* factor from sums of motions to the shift; 0: the shift is 0 */
    /* fractions of the colliders' motion at the substep's start and end */
    float collider_from, collider_to;
    uint particles;
    uint leaves;         /* leaves of the tree: a power of 2 */
    uint capacity;       /* pairs of a contact iteration */
    uint list_capacity;  /* pairs of the list */
    uint new_frame;      /* not 0: a frame begins, and with it a list */
    uint first_particle; /* first one that takes part */
    uint pulls; /* not 0: all garments in contact have lattices, so pulls follow the pushes */
    uint sample_stride; /* one particle in this many counts for the mean motion */
    uint collider_count;
    uint flags;     /* CLOTH_STEP_* */
    uint slot;      /* contact_totals.slot */
    uint iteration; /* index in the substep */
    uint pass;      /* below CONTACT_PASSES */
    uint round;     /* below CONTACT_LIMIT_ROUNDS */
    uint weighs;    /* not 0: the pass sums the weights of pairs and pushes nothing */
    uint
        adds_two; /* not 0: a device may add two sums of a push as one number until they are applied */
    /* arrays of sums, one for each thread of a host that pushes at a time; 0: one thread pushes */
    uint sum_arrays;
} contact_params;

/* Pairs that C processes at once, and words of `marks`. Notes of C in an iteration: for each
 * particle the last pass that moved it, plus 1; the last pass that moved any, plus 1; a bit for
 * each array of sums that a thread has; for each block of pairs the last pass that tested it, plus
 * 1, times 2^16, and a bit for each pair that was not done. 0: no pass. Notes of a substep in one
 * launch: the pairs that a pass weighed, group by group; then a bit for each particle that a round
 * limited. */
#define CONTACT_BLOCK 16u
#define CONTACT_MARKS(particles, pairs) ((uint64_t)(particles) + 1024u + (uint64_t)(pairs))

/* Words of `sums`: pushes and weight of each particle. Threads of a host add to arrays of sums. An
 * array has pushes, four words a particle; pushes of the first array are in the sums of the
 * particles. Weights of all arrays follow. */
#define CONTACT_MAX_SUM_ARRAYS 32u
#define CONTACT_SUMS(particles, arrays) \
    ((uint64_t)(particles) * ((arrays) > 0 ? 5u * (uint64_t)(arrays) : 4u))

/* Words of the structs as they are compared (heddle/author.h). */
#define HED_TYPE_contact_counters HED_INT32
#define HED_TYPE_contact_triangle HED_UINT32
#define HED_TYPE_contact_overlap HED_UINT32
#define HED_TYPE_contact_pair HED_UINT32
#define HED_TYPE_contact_bound HED_UINT32
#define HED_TYPE_contact_plane HED_FLOAT

CLOTH_FUNCTION uint contact_edges(contact_pair pair) { return pair.a & CONTACT_EDGES; }
CLOTH_FUNCTION uint contact_first(contact_pair pair) { return pair.a & ~CONTACT_EDGES; }

/* Number of listed pairs; 0 if the list has no capacity for all. */
CLOTH_FUNCTION uint contact_listed(__global const contact_counters *counters, contact_params params)
{
    uint count = (uint)counters->total.listed;
    return count > params.list_capacity ? 0u : count;
}

/* True if all vertices are frozen, because there is no capacity for all pairs. */
CLOTH_FUNCTION uint contact_frozen(__global const contact_counters *counters, contact_params params)
{
    return (uint)counters->iteration[params.slot].pairs > params.capacity ||
           (uint)counters->total.listed > params.list_capacity;
}

/* Number of pairs of this contact iteration. */
CLOTH_FUNCTION uint contact_count(__global const contact_counters *counters, contact_params params)
{
    return contact_frozen(counters, params) ? 0u : (uint)counters->iteration[params.slot].pairs;
}

#endif
