/* A mesh with its tables for Newton's method, for tests of the tables and of the kernel. */
#ifndef CLOTH_NEWTON_TESTING_H
#define CLOTH_NEWTON_TESTING_H

#include "testing.h"

#include "cloth_meshes.h"
#include "solver/newton_tables.h"

/* Tables of a mesh of cotton with copies; `cloth` has the garment alone. */
typedef struct newton_mesh {
    hed_allocator allocator;
    cloth_garment *garment;
    uint32_t first[2];
    hed_cloth cloth;
    hed_arena scratch;
    cloth_element_patches elements;
    cloth_newton_tables tables;
    bool is_at_rest; /* a test's positions are the garment's */
    bool is_spoilt;  /* a test's second copy has positions that are no numbers */
    bool touches;    /* a test's ball holds some of its particles */
} newton_mesh;

static void newton_mesh_make(test_mesh *mesh, uint32_t copies, newton_mesh *m)
{
    hed_error error = {0};
    *m = (newton_mesh){.allocator = hed_default_allocator()};
    mesh->def.fabric = hed_cloth_fabric_named("cotton");
    mesh->def.copies = copies;
    OK(cloth_garment_create(&m->allocator, &mesh->def, 0, &m->garment, &error));
    m->first[1] = copies * m->garment->particle_count;
    m->cloth = (hed_cloth){.allocator = m->allocator,
        .garment_count = 1,
        .garments = &m->garment,
        .first_particle = m->first,
        .particles = m->first[1]};
    m->scratch = (hed_arena){.allocator = m->allocator, .owner = "a test"};
    OK(cloth_element_patches_make(&m->cloth, &m->scratch, &m->elements, &error));
    OK(cloth_newton_tables_make(&m->cloth, &m->elements, &m->scratch, &m->tables, &error));
}

static void newton_mesh_free(newton_mesh *m)
{
    hed_arena_free(&m->scratch);
    cloth_garment_destroy(m->garment);
}

#endif
