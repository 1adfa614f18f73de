/* Constants of a launch of places.cl, common to the kernel and the host. One text for C, OpenCL
 * C and CUDA. */
#ifndef SYNTH_LATTICE_H
#define SYNTH_LATTICE_H

#define LATTICE_MOST_DEGREE 32

/* A launch of `count` samples. `epoch` numbers the first sample, from 1 after a write of the
 * state. */
typedef struct lattice_step {
    uint epoch, count;
    uint side; /* packets of one parity */
    /* offsets among these of packets to the control group, and from it */
    uint remote, forces;
    uint linked; /* bodies of which the control group has copies */
    /* 1: the state was written, so no packets have been sent yet */
    uint fresh;
    /* groups of the lattice; the next one is the control group */
    uint groups;
    uint sample;              /* number of the first sample, low 32 bits */
    uint frame, frames;       /* first frame of this launch in the block; frames of the block */
    uint poke, poke_end;      /* pokes of this launch */
    float dilation, slowness; /* s, 1/s */
    float unit;               /* m */
    float decay;              /* BODIES_UNIFORM: exp(-2 damping s h) */
    /* BODIES_UNIFORM: decay times s^2 h^2/m, times `common` */
    float gain;
    float common;                         /* the stiffness of all springs, or 1 */
    float stiffness[LATTICE_MOST_DEGREE]; /* SPRINGS_SLOTS: stiffness of each slot / `common` */
    /* cubic term / `common`, 1/units^2, of each slot; else [0], of the single material */
    float cubic[LATTICE_MOST_DEGREE];
} lattice_step;

/* Words of `flags`: LATTICE_FIRST_MARK words, of which the first is 1 if a packet did not come;
 * then a mark for each sample of a block at which the breaker's limits are checked
 * (physics_store.h): the sample's number if a body was beyond a limit, else any value. `sample` is
 * checked, `first` is the block's first sample. */
#define LATTICE_FIRST_MARK 4u
#define LATTICE_MARKS(frames) ((frames) / SYNTH_CHECK + 2u)
#define LATTICE_MARK(sample, first) \
    (LATTICE_FIRST_MARK + ((sample) - ((first) & ~(SYNTH_CHECK - 1u))) / SYNTH_CHECK)

/* Bodies of a group: its own, of which the first `rim` are published and the first `linked` are
 * known to the control group; and the packets that it receives: other groups' bodies, then
 * pushes. Four words. */
typedef struct lattice_group {
    uint own, rim, linked, halo;
} lattice_group;

#define SPRINGS_SLOTS \
    0 /* springs in slot j have one rest vector, rest length and stiffness for all bodies */
#define SPRINGS_KINDS 1 /* each half-spring is one of 256 kinds: a byte, four in a word */
#define SPRINGS_OWN \
    2 /* each half-spring has its own rest vector: two words, 3 x 16 bits, 16 for the material */
#define LATTICE_KIND_WORDS(degree) (((degree) + 3) / 4)
/* Entries of the palette. A kind: rest vector, rest length times 1 + 2^-22; and unless all kinds
 * share them or they follow from these, stiffness, excess, cubic term, 0. A material: stiffness,
 * cubic term, L0/|d0|, 1 - (L0/|d0|)^2. */
#define LATTICE_KIND_FLOATS 8
#define LATTICE_MATERIAL_FLOATS 4

#define BODIES_UNIFORM 0 /* one mass and one damping */
#define BODIES_CLASSES 1 /* a byte for each body selects one of at most 256 classes */

/* Flag in the byte offset of a body's first neighbour, a multiple of 4: the body lacks springs
 * that would pull at rest. */
#define LATTICE_HOLES 1u
#define LATTICE_NOTHING 0xffffffffu
/* A link: the body's element in the control group, the offset of its pushes among the received
 * packets, and a flag for contacts (otherwise only the first packet is sent). */
#define LATTICE_MOST_LINKED 0x1ffffu
#define LATTICE_LINK(element, at) ((element) | (at) << 17)
#define LATTICE_PUSHED 0x80000000u
#define LATTICE_ELEMENT(link) ((link)&0x1ffffu)
#define LATTICE_PUSH_AT(link) ((link) >> 17 & 0x3fffu)

/* Packets of a linked body. To the control group: displacement and h v, m. From the control
 * group: the contacts' map of h v, h v + M (h v) + b: b (multiplied by damping and dilation),
 * then the rows of M. */
#define LATTICE_TOLD 2u
#define LATTICE_PUSHES 4u

/* Arguments of the kernel; solver/grid/grid.h describes the tables. `state`: for each group, OWN
 * floats each of x, y, z and of h v along these axes, in units. */
#define SYNTH_LATTICE(FIRST, NEXT) \
    FIRST(SHARED_IN, uint4, groups) NEXT(SHARED_IN, uint, table) NEXT(SHARED_IN, uint, springs) \
    NEXT(SHARED_IN, uchar, classes) NEXT(SHARED_IN, float, palette) NEXT(SHARED_IN, uint, halo) \
    NEXT(SHARED_IN, uint, links) NEXT(SHARED, float, state) NEXT(SHARED, uint4, packets) \
    NEXT(SHARED, uint, flags) NEXT(SHARED, uint, store) NEXT(SHARED, float, delay) \
    NEXT(SHARED_IN, uint, pokes) NEXT(SHARED_IN, float, inputs) NEXT(SHARED_OUT, float, stems) \
    NEXT(STRUCT, lattice_step, step) NEXT(STRUCT, synth_layout, layout) \
    NEXT(VALUE, uint, halo_room) NEXT(LOCAL, float, block)

#endif
