/* What the kernel of lattice.cl and the host share: the constants of a launch. C, OpenCL C and CUDA
 * read this. */
#ifndef SYNTH_LATTICE_H
#define SYNTH_LATTICE_H

#define LATTICE_MOST_DEGREE 32

/* A launch of `count` samples. `epoch`, the number of the first, counts from 1 since the state was
 * last written. */
typedef struct lattice_step {
    uint epoch, count;
    uint side; /* packets of one parity */
    /* where among them are those to the control group, and those from it */
    uint remote, forces;
    uint linked; /* bodies that the control group knows */
    /* 1: the state was written, so no body has sent anything yet */
    uint fresh;
    /* of the lattice; the one behind them is the control group */
    uint groups;
    uint sample;              /* number of the first sample, low 32 bits */
    uint frame, frames;       /* of the block: the first of this launch, and all */
    uint poke, poke_end;      /* pokes of this launch */
    float dilation, slowness; /* s, 1/s */
    float unit;               /* m */
    float decay;              /* BODIES_UNIFORM: exp(-2 damping s h) */
    /* BODIES_UNIFORM: that times s^2 h^2/m, and times `common` */
    float gain;
    float common;                         /* the stiffness that all springs have, or 1 */
    float stiffness[LATTICE_MOST_DEGREE]; /* SPRINGS_SLOTS: of each slot over `common`, N/m */
    /* likewise the cubic term, by units^2; else [0], of the single material */
    float cubic[LATTICE_MOST_DEGREE];
} lattice_step;

/* Words of `flags`: 1 if a packet did not come, LATTICE_FIRST_MARK words in all; then a mark for each
 * sample of a block at which the breaker's limits are checked (physics_store.h): the number of that
 * sample if a body was beyond them, else anything. `sample` is checked, `first` the block's first. */
#define LATTICE_FIRST_MARK 4u
#define LATTICE_MARKS(frames) ((frames) / SYNTH_CHECK + 2u)
#define LATTICE_MARK(sample, first) \
    (LATTICE_FIRST_MARK + ((sample) - ((first) & ~(SYNTH_CHECK - 1u))) / SYNTH_CHECK)

/* How many bodies a group has: of its own, of which the first `rim` are published and the first
 * `linked` are known to the control group; and packets that it receives: of others' bodies, and
 * behind those of pushes. Four words each. */
typedef struct lattice_group {
    uint own, rim, linked, halo;
} lattice_group;

#define SPRINGS_SLOTS \
    0 /* springs in slot j have one rest vector, rest length and stiffness, whatever body has one */
#define SPRINGS_KINDS \
    1 /* each half-spring is of one of 256 kinds of these: a byte, four to the word */
#define SPRINGS_OWN \
    2 /* each has its own rest vector: two words, 16 + 16 + 16 bits, and 16 of the material */
#define LATTICE_KIND_WORDS(degree) (((degree) + 3) / 4)
/* Entries of the palette. A kind: rest vector, rest length times 1 + 2^-22; and unless they are the
 * same for all, or follow from these, stiffness, excess, cubic term, 0. A material: stiffness,
 * cubic term, L0/|d0|, 1 - the square of that. */
#define LATTICE_KIND_FLOATS 8
#define LATTICE_MATERIAL_FLOATS 4

#define BODIES_UNIFORM 0 /* one mass and one damping */
#define BODIES_CLASSES 1 /* a byte for each body says which of at most 256 */

/* Of a body's first neighbour, whose byte is a multiple of 4: the body lacks springs that would
 * pull at rest. */
#define LATTICE_HOLES 1u
#define LATTICE_NOTHING 0xffffffffu
/* A link: the body's number with the control group, where its pushes are among the others' bodies,
 * and whether there are contacts (else the first packet alone is sent). */
#define LATTICE_MOST_LINKED 0x1ffffu
#define LATTICE_LINK(element, at) ((element) | (at) << 17)
#define LATTICE_PUSHED 0x80000000u
#define LATTICE_ELEMENT(link) ((link)&0x1ffffu)
#define LATTICE_PUSH_AT(link) ((link) >> 17 & 0x3fffu)

/* Packets of a linked body: displacement and h v, m, to the control group; and from it what
 * contacts make of its h v, which is h v + M (h v) + b: b (times what damping and dilation do to
 * it), then the rows of M. */
#define LATTICE_TOLD 2u
#define LATTICE_PUSHES 4u

#endif
