/* Tables of a mesh for Newton's method (solver/newton_tables.c): each patch has all elements at its own particles
 * with the right corners, one ring of ghosts, and its neighbours; the numbers keep the coarse matrix narrow. */
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

/* Checks the slots of the members: the patch `near[slot]` owns the particle. */
static void check_slots(const newton_mesh *m, uint32_t number, cloth_newton_patch patch)
{
    const uint32_t *words = m->tables.words;
    EXPECT_EQ(words[patch.near], number);
    for (uint32_t i = 0; i < patch.own_count + patch.ghost_count; i++) {
        uint32_t member = words[patch.members + i], slot = cloth_newton_slot(member);
        CHECK_LT(slot, patch.near_count);
        EXPECT_EQ(slot == 0, i < patch.own_count);
        uint32_t other = words[patch.near + slot];
        EXPECT_LE(other > number ? other - number : number - other, m->tables.band);
        cloth_newton_patch owner = cloth_newton_patch_at(other, words);
        bool is_owned = false;
        for (uint32_t k = 0; k < owner.own_count; k++)
            is_owned |=
                cloth_newton_particle(words[owner.members + k]) == cloth_newton_particle(member);
        CHECK(is_owned, "patch %u does not own member %u of patch %u", other, i, number);
    }
}

/* Counts the borders that an element of a patch should have. */
static void check_borders(const newton_mesh *m, cloth_newton_patch patch)
{
    const uint32_t *words = m->tables.words;
    uint32_t at = 0;
    for (uint32_t e = 0; e < patch.element_count; e++) {
        uint32_t own = 0, word = e;
        for (uint32_t c = 0; c < 3; c++) {
            uint32_t member =
                words[patch.members + cloth_newton_corner(words[patch.elements + e], c)];
            uint32_t particle = cloth_newton_particle(member) % m->garment->particle_count;
            bool is_free = m->garment->positions[particle][3] > 0.0f;
            uint32_t slot = is_free ? cloth_newton_slot(member) : CLOTH_NEWTON_LOCKED;
            own += slot == 0;
            word |= slot << (10 + 4 * c);
        }
        if (own > 0 && own < 3) EXPECT_EQ(words[patch.borders + at++], word);
    }
    EXPECT_EQ(at, patch.border_count);
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
        check_borders(&m, patch);
    }
    for (uint32_t i = 0; i < particles; i++) CHECK_EQ(owners[i], 1, "particle %u", i);
    free(owners);
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
Test(cloth_newton_tables, of_a_large_mesh_have_a_narrow_band)
{
    test_mesh mesh = test_irregular(173, 7, 0.3f);
    newton_mesh m;
    newton_mesh_make(&mesh, 1, &m);
    EXPECT_EQ(m.tables.patches, 117);
    EXPECT_LE(m.tables.band, 16);
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
