/* Tearing: garments whose vertices split where edges are too long.
 *
 * Every corner of a face is a vertex of such a garment, so the number of vertices never changes, and
 * point caches show a tear. At first the corners at one position show one particle. A split gives some
 * of them a spare particle, of which there are as many as splits can need; spares follow the
 * garment's own particles, locked, and part of no face until then. A garment is made again from
 * these faces after each opening, so every solver, device and contact has its present form. */
#ifndef CLOTH_TEAR_H
#define CLOTH_TEAR_H

#include "model/garment.h"

/* A garment of a cloth with tears. */
typedef struct cloth_tear_garment {
    uint32_t corner_count; /* triangles, then quads; 0: the garment does not tear */
    uint32_t face_count;
    uint32_t *face_at;  /* (face_count + 1) first corner of each face */
    uint32_t *original; /* (corner_count) particle without tears */
    uint32_t *present;  /* (corner_count) particle now */
    uint32_t *mate;     /* (corner_count) corner at which the same edge starts in the next face */
    float *parts;       /* (corner_count) part of its face's area, m^2 */
    float *inverse;     /* (initial_count) inverse mass before any split, 1/kg; 0: held */
    double *whole;      /* (initial_count) area around a particle before any split, m^2 */
    double *areas;      /* (particle_count) area around a particle now, m^2 */
    uint32_t *owner;    /* (particle_count) own particle at whose corners it is; itself */
    uint32_t initial_count; /* particles of the definition */
    uint32_t used;          /* number of own particles and of spares in use */
} cloth_tear_garment;

typedef struct cloth_tear {
    hed_arena arena;
    hed_cloth_def def;            /* definition of the program, with `defs` as its garments */
    hed_cloth_garment_def *defs;  /* (garment_count) copies in their present form, with spares */
    cloth_tear_garment *garments; /* (garment_count) */
} cloth_tear;

/* A particle that a split adds, at the position of another one. */
typedef struct cloth_tear_split {
    uint32_t particle, from; /* indices in the garment */
    float shift[3];          /* m, towards its faces */
} cloth_tear_split;

/* Copies a definition with a garment that tears. Errors: ARGUMENT, UNSUPPORTED (a property that
 * excludes tears), MEMORY. */
hed_status cloth_tear_create(
    const hed_allocator *allocator, const hed_cloth_def *def, cloth_tear **tear, hed_error *error);
void cloth_tear_destroy(cloth_tear *tear);
/* Makes the faces and masses of a garment's definition from `present`. */
void cloth_tear_update(cloth_tear *tear, uint32_t garment);
/* Splits particles of a garment at the ends of edges that are too long, and writes the splits:
 * (particle_count - used) capacity. Positions: x y z, inverse mass
 * (particle_count); new particles get theirs. Returns the number of
 * splits. Errors: MEMORY. */
uint32_t cloth_tear_split_all(cloth_tear *tear, uint32_t garment, float (*positions)[4],
    cloth_tear_split *splits, hed_error *error);
/* Words of cloth_tear_garment.present of all garments. */
uint64_t cloth_tear_words(const cloth_tear *tear);
void cloth_tear_write(const cloth_tear *tear, uint32_t *words);
/* Takes such words over. False: they are not of this cloth, and nothing has changed. `changed`: they
 * differ from the present ones. */
bool cloth_tear_read(cloth_tear *tear, const uint32_t *words, bool *changed, hed_error *error);
/* Forgets all tears. Returns false if no vertex was split. */
bool cloth_tear_mend(cloth_tear *tear);

#endif
