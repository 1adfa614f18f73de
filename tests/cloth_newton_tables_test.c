/* Tables of a mesh for Newton's method (solver/newton_tables.c): each patch has all elements at its own particles
 * with the right corners, one ring of ghosts, and its neighbours. The coarse matrix has the mass of the free particles, and
 * resists no translation of all patches. */
#include "testing.h"

#include "cloth_newton.h"

/* Checks the elements of a patch and the corners at its own particles: those of the garment, in its order. */
static void check_elements(const newton_mesh *m, cloth_newton_patch patch, const uint32_t *members)
{
    const cloth_garment *garment = m->garment;
    const uint32_t *words = m->tables.words, *rows = words + patch.elements;
    const uint16_t *corners = (const uint16_t *)(words + patch.corners);
    uint32_t particles = garment->particle_count, copy = members[0] / particles, found = 0;
    for (uint32_t e = 0; e < garment->element_count; e++) {
        const cloth_element *of = garment->elements + e;
        bool is_here = false;
        for (uint32_t i = 0; i < patch.own_count; i++)
            for (int c = 0; c < 3; c++)
                is_here |= members[i] == copy * particles + of->particle[3 + c];
        if (!is_here) continue;
        CHECK_LT(found, patch.element_count);
        for (uint32_t c = 0; c < 3; c++) {
            uint32_t local = cloth_newton_corner(rows[found], c);
            CHECK_LT(local, patch.own_count + patch.ghost_count);
            CHECK_EQ(members[local], copy * particles + of->particle[3 + c]);
            bool is_listed = local >= patch.own_count;
            for (uint32_t k = words[patch.ends + local];
                 !is_listed && k < words[patch.ends + local + 1]; k++)
                is_listed = corners[k] == (found | c << 10);
            CHECK(is_listed, "corner %u of element %u is not at its particle", c, e);
        }
        float row[CLOTH_NEWTON_ROWS];
        for (uint32_t r = 0; r < CLOTH_NEWTON_ROWS; r++)
            memcpy(row + r, rows + r * patch.element_count + found, sizeof *row);
        EXPECT(row[CLOTH_NEWTON_ROW_WARP + 1] == of->warp[1]);
        EXPECT(row[CLOTH_NEWTON_ROW_WEFT] == of->weft[0]);
        EXPECT(row[CLOTH_NEWTON_ROW_COMPLIANCE + 2] == of->compliance[2]);
        EXPECT(row[CLOTH_NEWTON_ROW_COUPLING] == of->coupling);
        found++;
    }
    EXPECT_EQ(found, patch.element_count);
    EXPECT_LE(words[patch.ends + patch.own_count], 3 * patch.element_count);
}

/* Checks the slots of the members: the patch `near[slot]` owns the particle; and the places of ghosts. */
static void check_slots(const newton_mesh *m, uint32_t number, cloth_newton_patch patch)
{
    const uint32_t *words = m->tables.words;
    EXPECT_EQ(words[patch.near], number);
    for (uint32_t i = 0; i < patch.own_count + patch.ghost_count; i++) {
        uint32_t member = words[patch.members + i], slot = cloth_newton_slot(member);
        CHECK_LT(slot, patch.near_count);
        EXPECT_EQ(slot == 0, i < patch.own_count);
        uint32_t other = words[patch.near + slot];
        cloth_newton_patch owner = cloth_newton_patch_at(other, words);
        bool is_owned = false;
        for (uint32_t k = 0; k < owner.own_count; k++)
            is_owned |=
                cloth_newton_particle(words[owner.members + k]) == cloth_newton_particle(member);
        CHECK(is_owned, "patch %u does not own member %u of patch %u", other, i, number);
        if (i < patch.own_count) continue;
        uint32_t place = words[patch.sources + i - patch.own_count];
        CHECK_EQ(place / CLOTH_NEWTON_OWN, other);
        CHECK_LT(place % CLOTH_NEWTON_OWN, owner.shared_count, "ghosts come first at their owner");
        CHECK_EQ(cloth_newton_particle(words[owner.members + place % CLOTH_NEWTON_OWN]),
            cloth_newton_particle(member));
    }
}

/* Checks the coarse matrix and its inverse. */
static void check_coarse(const newton_mesh *m)
{
    uint32_t n = m->tables.patches;
    const double *mass = m->tables.coarse, *stiffness = mass + n, give = 240.0 * 240.0;
    double free_mass = 0, sum = 0, *matrix = calloc((size_t)n * n, sizeof *matrix);
    float *rows = calloc(CLOTH_NEWTON_PATCHES * CLOTH_NEWTON_PATCHES, sizeof *rows);
    for (uint32_t i = 0; i < m->garment->particle_count; i++)
        if (m->garment->positions[i][3] > 0) free_mass += 1 / (double)m->garment->positions[i][3];
    for (uint32_t k = 0; k < n; k++) sum += mass[k];
    EXPECT_NEAR(sum, m->garment->copies * free_mass, 1e-6 * sum);
    cloth_newton_invert(mass, n, give, matrix, rows);
    for (uint32_t i = 0; i < n; i++) {
        double across = 0;
        for (uint32_t j = 0; j < n; j++) {
            double product = 0;
            across += stiffness[i * n + j];
            EXPECT_NEAR(stiffness[i * n + j], stiffness[j * n + i], 1e-9 * stiffness[i * n + i]);
            for (uint32_t k = 0; k < n; k++)
                product += (stiffness[i * n + k] / give + (i == k ? mass[i] : 0)) *
                           (double)rows[k * CLOTH_NEWTON_PATCHES + j];
            EXPECT_NEAR(product, i == j, 1e-4);
        }
        EXPECT_GT(across, -1e-9 * stiffness[i * n + i], "only pins resist a translation");
    }
    free(matrix);
    free(rows);
}

static void check_tables(test_mesh *mesh, uint32_t copies)
{
    newton_mesh m;
    newton_mesh_make(mesh, copies, &m);
    CHECK_EQ(m.tables.patches, m.elements.patches);
    uint32_t particles = copies * m.garment->particle_count, *owners = calloc(particles, 4);
    for (uint32_t k = 0; k < m.tables.patches; k++) {
        cloth_newton_patch patch = cloth_newton_patch_at(k, m.tables.words);
        uint32_t members[CLOTH_NEWTON_LOCAL];
        CHECK_LE(patch.own_count + patch.ghost_count, CLOTH_NEWTON_LOCAL);
        for (uint32_t i = 0; i < patch.own_count + patch.ghost_count; i++) {
            members[i] = cloth_newton_particle(m.tables.words[patch.members + i]);
            if (i < patch.own_count) owners[members[i]]++;
        }
        check_elements(&m, patch, members);
        check_slots(&m, k, patch);
        for (uint32_t other = 0; other < m.tables.patches; other++) {
            const cloth_newton_patch at = cloth_newton_patch_at(other, m.tables.words);
            uint32_t a = members[0] / m.garment->particle_count,
                     b = cloth_newton_particle(m.tables.words[at.members]) /
                         m.garment->particle_count;
            bool has_part = other >= patch.copy_begin && other < patch.copy_end &&
                            (other - patch.copy_begin) % patch.copies == 0;
            CHECK_EQ(has_part, a == b, "patches %u and %u", k, other);
        }
    }
    for (uint32_t i = 0; i < particles; i++) CHECK_EQ(owners[i], 1, "particle %u", i);
    free(owners);
    check_coarse(&m);
    newton_mesh_free(&m);
}

Test(cloth_newton_tables, have_all_elements_of_their_particles)
{
    test_mesh mesh = test_irregular(40, 5, 0.3f);
    check_tables(&mesh, 1);
    check_tables(&mesh, 3);
    test_mesh_free(&mesh);
}

/* As many particles as the mesh of the benchmarks has. */
Test(cloth_newton_tables, of_a_large_mesh)
{
    test_mesh mesh = test_irregular(173, 7, 0.3f);
    newton_mesh m;
    newton_mesh_make(&mesh, 1, &m);
    EXPECT_EQ(m.tables.patches, 117);
    newton_mesh_free(&m);
    test_mesh_free(&mesh);
}

Test(cloth_newton_tables, of_too_large_a_mesh_are_none)
{
    test_mesh mesh = test_irregular(190, 7, 0.3f);
    newton_mesh m;
    newton_mesh_make(&mesh, 1, &m);
    EXPECT_LT(CLOTH_NEWTON_PATCHES, m.elements.patches);
    EXPECT_EQ(m.tables.patches, 0);
    newton_mesh_free(&m);
    test_mesh_free(&mesh);
}
