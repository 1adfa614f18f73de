/* The steps of cloth_garment_create(), one file each. All of them fill in a part of the garment;
 * what they leave half-made cloth_garment_destroy() frees. */
#ifndef CLOTH_GARMENT_PARTS_H
#define CLOTH_GARMENT_PARTS_H

#include "model/garment.h"

enum {
    CLOTH_DEGREE_LIMIT =
        16384 /* constraints at one free particle: each of them needs a colour of its own */
};

/* Faces as the definition has them; the cells of a grid that came without quads are made here. */
typedef struct cloth_faces {
    uint32_t triangle_count, quad_count;
    const uint32_t (*triangles)[3];
    const uint32_t (*quads)[4];
    uint32_t (*made)[4]; /* quads made here, or NULL */
} cloth_faces;

/* garment_check.c: counts, pointers, indices, numbers and maps. Errors: ARGUMENT, LIMIT. */
hed_status cloth_check_garment(const hed_cloth_garment_def *def, uint32_t number, hed_error *error);

/* faces.c */
hed_status cloth_faces_create(const hed_allocator *allocator, const hed_cloth_garment_def *def,
    cloth_faces *faces, hed_error *error);
void cloth_faces_destroy(const hed_allocator *allocator, cloth_faces *faces);
/* Triangles and what is incident to each particle. */
hed_status cloth_make_triangles(cloth_garment *garment, const cloth_faces *faces, hed_error *error);
/* Inverse masses from density and areas at rest. A particle of no face is locked. */
hed_status cloth_make_masses(cloth_garment *garment, const cloth_faces *faces, float density,
    uint32_t number, hed_error *error);

/* constraints.c: given, of a grid in closed form, or from faces. In a grid's closed form they come
 * sorted by colour.
 */
hed_status cloth_make_constraints(cloth_garment *garment, const hed_cloth_garment_def *def,
    const cloth_faces *faces, uint32_t number, hed_error *error);

/* colouring.c: sorts garment->constraints into colours, made in the order in which they are.
 * Errors: LIMIT, MEMORY.
 */
hed_status cloth_colour_constraints(cloth_garment *garment, uint32_t number, hed_error *error);
/* Most constraints at one free particle. */
hed_status cloth_count_degree(cloth_garment *garment, uint32_t number, hed_error *error);

/* tether.c: to the nearest locked particle along the cloth at rest. */
hed_status cloth_make_tethers(cloth_garment *garment, float slack, hed_error *error);

#endif
