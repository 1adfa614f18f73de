/* Springs of places.cl: its compile-time parameters, decoding of half-springs, and the force on
 * a body. Precedes places.cl. */
#ifndef SYNTH_LATTICE_SPRINGS_H
#define SYNTH_LATTICE_SPRINGS_H

/* ---- compile-time parameters ---- */

#ifndef WG
#define WG 64
#endif
#ifndef EACH
#define EACH 2
#endif
#ifndef RIM /* the first RIM of EACH contain every body of the rim */
#define RIM 1
#endif
#ifndef HALO /* packets that an item receives: other groups' bodies and pushes */
#define HALO 1
#endif
#ifndef DEGREE /* even */
#define DEGREE 6
#endif
#ifndef PLACES /* positions of own bodies, halo, and anchors (the last) */
#define PLACES (WG * EACH + WG * HALO + 1)
#endif
#ifndef HELD /* 1: displacements in registers too; pays up to about four bodies an item */
#define HELD 1
#endif
#ifndef SPRINGS
#define SPRINGS SPRINGS_SLOTS
#endif
/* SPRINGS_SLOTS: for each slot the rest vector, its squared length, the rest length L0, and
 * |d0|^2 - L0^2, in units. Literals, since loads of constants would be a tenth of all
 * instructions. */
#ifndef SLOT_X
#define SLOT_X 1.0f, -1.0f, 0.0f, 0.0f, 0.0f, 0.0f
#define SLOT_Y 0.0f, 0.0f, 1.0f, -1.0f, 0.0f, 0.0f
#define SLOT_Z 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, -1.0f
#define SLOT_SQUARE 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f
#define SLOT_REST 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f
#define SLOT_EXCESS 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f
#endif
#ifndef SAME /* 1: all springs have one stiffness, which is in the gain */
#define SAME 0
#endif
#ifndef STRETCH /* L0/|d0| of SPRINGS_KINDS that differ only in their rest vectors */
#define STRETCH 1.0f
#endif
#ifndef KIND_FLOATS /* 4: kinds differ only in their rest vectors; else LATTICE_KIND_FLOATS */
#define KIND_FLOATS LATTICE_KIND_FLOATS
#endif
#ifndef MATERIALS /* number of materials, or of kinds of half-springs */
#define MATERIALS 1
#endif
#ifndef TENSE /* 1: some spring is stretched at rest */
#define TENSE 0
#endif
#ifndef CUBIC
#define CUBIC 0
#endif
#ifndef BODIES
#define BODIES BODIES_CLASSES
#endif
#ifndef CLASSES
#define CLASSES 1
#endif
#ifndef TABLE_LOCAL /* 1: the neighbour table is in local memory; 0: in global memory */
#define TABLE_LOCAL 1
#endif
#ifndef CONTROL_LOCAL /* 1: the store of the control group is in local memory (SYNTH_SPACE) */
#define CONTROL_LOCAL 0
#endif
#ifndef PACKETS
#define PACKETS 0
#endif
#define ROLE_ALL 0 /* the lattice, and one more group, the control group */
/* one of the two: if a launch computes one sample, each has its own kernel */
#define ROLE_LATTICE 1
#define ROLE_CONTROL 2
#ifndef ROLE
#define ROLE ROLE_ALL
#endif

#if HED_STRICT /* syntax test only: the host uses no strict configuration */
#define lattice_sqrt(x) sqrt(x)
#define lattice_rsqrt(x) hed_rsqrt(x)
#define lattice_rcp(x) (1.0f / (x))
#else
#define lattice_sqrt(x) hed_near_sqrt(x)
#define lattice_rsqrt(x) hed_near_rsqrt(x)
#define lattice_rcp(x) hed_near_rcp(x)
#endif

#define OWN (WG * EACH)
#define WORDS (DEGREE / 2)
/* polls before a packet is given up: seconds, where microseconds are usual */
#define POLLS 4000000u
/* Offsets in local memory, floats: displacements, the classes' decay and gain, the materials,
 * the neighbour table. */
#define CLASS_AT (3 * PLACES)
#define MATERIAL_AT ((CLASS_AT + (BODIES == BODIES_CLASSES ? 2 * CLASSES : 0) + 3) / 4 * 4)
#define MATERIAL_FLOATS \
    (SPRINGS == SPRINGS_KINDS                     ? KIND_FLOATS \
        : SPRINGS == SPRINGS_OWN && MATERIALS > 1 ? LATTICE_MATERIAL_FLOATS \
                                                  : 0)
#define TABLE_AT (MATERIAL_AT + MATERIAL_FLOATS * MATERIALS)
/* Words of a group's half-springs. SPRINGS_SLOTS computes every slot, an empty one as a spring
 * to the body itself; if springs pull at rest, the pull of empty slots is subtracted. */
#define HOLES (SPRINGS == SPRINGS_SLOTS && TENSE)
#define SPRING_WORDS \
    (OWN * (SPRINGS == SPRINGS_KINDS    ? LATTICE_KIND_WORDS(DEGREE) \
               : SPRINGS == SPRINGS_OWN ? 2 * DEGREE \
               : HOLES                  ? 3 \
                                        : 0))

#ifdef __CUDACC__
#define LATTICE_FUNCTION __device__ __forceinline__
#else
#define LATTICE_FUNCTION static inline
#endif

/* A neighbour in the table is the byte offset of its x. */
#define NEIGHBOUR(place, axis, byte) \
    (*(__local const float *)((__local const char *)((place) + (axis)*PLACES) + (byte)))

typedef struct lattice_vector {
    float x, y, z;
} lattice_vector;

/* ---- packets ---- */

LATTICE_FUNCTION void lattice_put(__global uint4 *at, float x, float y, float z, uint epoch)
{
    uint4 packet = hed_u4(as_uint(x), as_uint(y), as_uint(z), epoch);
#if PACKETS
    hed_packet_put(at, packet);
#else
    *at = packet;
#endif
}

LATTICE_FUNCTION uint4 lattice_get(__global const uint4 *at)
{
#if PACKETS
    return hed_packet_get(at);
#else
    return *at;
#endif
}

/* Polls until the epoch is right. After POLLS polls it continues with the last value and sets
 * flags[0]; then no group waits any more. */
LATTICE_FUNCTION uint4 lattice_wait(
    __global const uint4 *at, uint4 packet, uint epoch, __global uint *flags)
{
#if PACKETS
    for (uint poll = 0; packet.w != epoch; poll++) {
        if (poll >= POLLS || ((poll & 1023u) == 1023u && flags[0])) {
            flags[0] = 1;
            break;
        }
        packet = hed_packet_get(at);
    }
#else
    if (packet.w != epoch) flags[0] = 1;
    (void)at;
#endif
    return packet;
}

/* ---- springs ---- */

/* Parameters of a spring for its force. */
typedef struct lattice_spring {
    float x, y, z, square, rest, excess, stiffness, cubic;
} lattice_spring;

/* |d0|^2 in |d|^2 is increased by 2^-21, so that rounding never makes it negative, even if both
 * ends meet. */
#define SAFE 1.0000005f

/* Returns the pull of a spring along d, divided by |d|; w = u.(u + 2 d0). */
LATTICE_FUNCTION float lattice_pull(float w, lattice_spring s)
{
    /* |d|^2, |d|^2 - L0^2 */
    float now = fma(s.square, SAFE, w), over = TENSE || CUBIC ? w + s.excess : w;
    /* a palette's rest lengths are increased already; in a short entry s.square is L0^2, from
     * which |d0|^2 follows */
    if ((SPRINGS == SPRINGS_KINDS) & (KIND_FLOATS == 4)) { /* clang warns of && with constants */
        now = fma(s.square, 1.0f / (STRETCH * STRETCH), w);
        over = TENSE ? fma(s.square, 1.0f / (STRETCH * STRETCH) - 1.0f, w) : w;
    }
    /* 1 - L0/|d| */
    float length = lattice_sqrt(now), share = over * lattice_rcp(fma(s.rest, length, now));
    if (CUBIC) {
        float e = share * length;
        return fma(s.cubic * e, e, s.stiffness) * share;
    }
    return SAME ? share : s.stiffness * share;
}

/* Returns slot j; everything except the stiffness is known to the compiler. */
LATTICE_FUNCTION lattice_spring lattice_slot(const lattice_step *step, uint j)
{
    const float x[] = {SLOT_X}, y[] = {SLOT_Y}, z[] = {SLOT_Z}, square[] = {SLOT_SQUARE},
                rest[] = {SLOT_REST}, excess[] = {SLOT_EXCESS};
    lattice_spring s;
    s.x = x[j];
    s.y = y[j];
    s.z = z[j];
    s.square = square[j];
    s.rest = rest[j];
    s.excess = excess[j];
    s.stiffness = SAME ? 1.0f : step->stiffness[j];
    s.cubic = step->cubic[SAME ? 0 : j];
    return s;
}

/* Loads four floats of local memory at once. OpenCL aligns a local array argument only to its
 * element type. */
#ifdef __OPENCL_C_VERSION__
#define LATTICE_FOUR(from) vload4(0, from)
#else
#define LATTICE_FOUR(from) (*(__local const float4 *)(from))
#endif

/* Decodes the half-spring whose kind is byte `j` of a word. */
LATTICE_FUNCTION lattice_spring lattice_of_kind(__local const float *block, uint word, uint j)
{
    const uint width = KIND_FLOATS > 4 ? 5 : 4; /* an entry has 2^width bytes */
    uint byte = (j == 0 ? word << width : word >> (8 * j - width)) & 255u << width;
    __local const float *entry =
        (__local const float *)((__local const char *)(block + MATERIAL_AT) + byte);
    float4 shape = LATTICE_FOUR(entry);
    lattice_spring s;
    s.x = shape.x;
    s.y = shape.y;
    s.z = shape.z;
    s.rest = shape.w;
    s.stiffness = 1.0f;
    s.cubic = s.excess = 0.0f;
    s.square = s.rest * s.rest;
    if (KIND_FLOATS > 4) {
        float4 more = LATTICE_FOUR(entry + 4);
        s.stiffness = more.x;
        s.excess = more.y;
        s.cubic = more.z;
        if (TENSE) s.square = fma(s.rest, s.rest, s.excess);
    }
    return s;
}

/* Converts bits to an integer value: the low bits of a float of that magnitude, without a
 * conversion instruction. */
LATTICE_FUNCTION float lattice_whole(uint bits)
{
    return as_float(bits | 0x4b000000u) - (8388608.0f + 32768.0f);
}

/* Decodes a half-spring with its own rest vector. */
LATTICE_FUNCTION lattice_spring lattice_of_its_own(
    __local const float *block, const lattice_step *step, uint2 word)
{
    lattice_spring s;
    s.x = lattice_whole(word.x & 0xffffu);
    s.y = lattice_whole(word.x >> 16);
    s.z = lattice_whole(word.y & 0xffffu);
    s.square = fma(s.x, s.x, fma(s.y, s.y, s.z * s.z));
    s.rest = s.square * lattice_rsqrt(s.square);
    s.stiffness = 1.0f;
    s.cubic = step->cubic[0];
    /* under tension there are always two materials: the springs', and one without force */
    s.excess = 0.0f;
    if (MATERIALS > 1) {
        __local const float *made = block + MATERIAL_AT + LATTICE_MATERIAL_FLOATS * (word.y >> 16);
        s.stiffness = made[0];
        s.cubic = made[1];
        s.rest *= made[2];
        s.excess = made[3] * s.square;
    }
    return s;
}

#define HAS_PART(part) (SPRINGS != SPRINGS_SLOTS || (part) != 0.0f)

/* Sums the springs' forces on the body at `i`, whose displacement is `at`. */
LATTICE_FUNCTION lattice_vector lattice_force(__local const float *block,
    __global const uint *table, __global const uint *springs, const lattice_step *step, uint i,
    lattice_vector at)
{
    lattice_vector force = {0.0f, 0.0f, 0.0f};
    uint words[WORDS], kinds[LATTICE_KIND_WORDS(DEGREE)];
#pragma unroll
    for (uint k = 0; k < WORDS; k++)
        words[k] = TABLE_LOCAL ? as_uint(block[TABLE_AT + k * OWN + i]) : table[k * OWN + i];
#pragma unroll
    for (uint k = 0; k < LATTICE_KIND_WORDS(DEGREE); k++)
        kinds[k] = SPRINGS == SPRINGS_KINDS ? springs[k * OWN + i] : 0u;
#pragma unroll
    for (uint j = 0; j < DEGREE; j++) {
        uint byte = j & 1u ? words[j / 2] >> 16 : words[j / 2] & 0xfffcu;
        float ux = NEIGHBOUR(block, 0, byte) - at.x, uy = NEIGHBOUR(block, 1, byte) - at.y,
              uz = NEIGHBOUR(block, 2, byte) - at.z;
        lattice_spring s;
        if (SPRINGS == SPRINGS_SLOTS) s = lattice_slot(step, j);
        else if (SPRINGS == SPRINGS_KINDS) s = lattice_of_kind(block, kinds[j / 4], j % 4);
        else s = lattice_of_its_own(block, step, ((__global const uint2 *)springs)[j * OWN + i]);
        /* d, and u + 2 d0 = d + d0; components of a slot that are 0 are known at compile time */
        float dx = HAS_PART(s.x) ? ux + s.x : ux, dy = HAS_PART(s.y) ? uy + s.y : uy,
              dz = HAS_PART(s.z) ? uz + s.z : uz;
        float ex = HAS_PART(s.x) ? dx + s.x : ux, ey = HAS_PART(s.y) ? dy + s.y : uy,
              ez = HAS_PART(s.z) ? dz + s.z : uz;
        float pull = lattice_pull(fma(ux, ex, fma(uy, ey, uz * ez)), s);
        force.x = fma(pull, dx, force.x);
        force.y = fma(pull, dy, force.y);
        force.z = fma(pull, dz, force.z);
    }
    if (HOLES && (words[0] & LATTICE_HOLES)) {
        force.x += as_float(springs[i]);
        force.y += as_float(springs[i + OWN]);
        force.z += as_float(springs[i + 2 * OWN]);
    }
    return force;
}

#endif
