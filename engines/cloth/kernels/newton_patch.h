/* Tables of a mesh for Newton's method (solver/newton_tables.c): the patches of
 * solver/element_patches.c with one ring of ghosts. One text for C, OpenCL C and CUDA, after
 * physics.h. */
#ifndef CLOTH_NEWTON_PATCH_H
#define CLOTH_NEWTON_PATCH_H

#define CLOTH_NEWTON_PATCHES 128u  /* maximum of a cloth, each a translation of the coarse system */
#define CLOTH_NEWTON_OWN 256u      /* maximum of a patch's own particles */
#define CLOTH_NEWTON_LOCAL 384u    /* maximum of its particles, ghosts included */
#define CLOTH_NEWTON_ELEMENTS 768u /* maximum of its elements */
#define CLOTH_NEWTON_CORNERS 2048u /* maximum of its elements' corners at its own particles */
#define CLOTH_NEWTON_NEAR 12u      /* maximum of a patch and its neighbours */
#define CLOTH_NEWTON_SLOT_BITS \
    28u /* a member's word: particle, then from this bit on the slot of its owner */

/* A patch: counts, and first words in the tables. `members`: own particles, then ghosts.
 * `elements`: rows of `element_count` words (CLOTH_NEWTON_ROW_*). `ends`: own_count + 1 words,
 * corners before each own particle. `corners`: two corners of elements in each word, element |
 * corner << 10. `near`: numbers of the patch itself and of its neighbours, with which it has
 * elements in common; a slot is a position in this list. The first `shared_count` own particles
 * are ghosts of other patches. `sources`: place of each ghost at its owner, number of the patch *
 * CLOTH_NEWTON_OWN + local number. Each copy of a garment has a system of its own, whose
 * patches are copy_begin, copy_begin + copies and so on before copy_end. */
typedef struct cloth_newton_patch {
    uint members, own_count, ghost_count, elements, element_count, ends, corners, near, near_count,
        shared_count, sources, copy_begin, copy_end, copies;
} cloth_newton_patch;

#define CLOTH_NEWTON_PATCH_WORDS 14u

/* Rows of elements: local numbers of the corners, 10 bits each; coefficients of the displacements
 * to the second and third corner; compliances; coupling (model/garment.h). */
#define CLOTH_NEWTON_ROW_CORNERS 0u
#define CLOTH_NEWTON_ROW_WARP 1u
#define CLOTH_NEWTON_ROW_WEFT 3u
#define CLOTH_NEWTON_ROW_COMPLIANCE 5u
#define CLOTH_NEWTON_ROW_COUPLING 8u
#define CLOTH_NEWTON_ROWS 9u

CLOTH_FUNCTION cloth_newton_patch cloth_newton_patch_at(uint number, __global const uint *words)
{
    __global const uint *of = words + CLOTH_NEWTON_PATCH_WORDS * number;
    cloth_newton_patch patch = {of[0], of[1], of[2], of[3], of[4], of[5], of[6], of[7], of[8],
        of[9], of[10], of[11], of[12], of[13]};
    return patch;
}

/* Particle of a member's word, and the slot of its owner. */
CLOTH_FUNCTION uint cloth_newton_particle(uint member)
{
    return member & ((1u << CLOTH_NEWTON_SLOT_BITS) - 1u);
}

CLOTH_FUNCTION uint cloth_newton_slot(uint member) { return member >> CLOTH_NEWTON_SLOT_BITS; }

/* Local number of corner k of an element. */
CLOTH_FUNCTION uint cloth_newton_corner(uint corners, uint k) { return corners >> 10u * k & 1023u; }

#endif
