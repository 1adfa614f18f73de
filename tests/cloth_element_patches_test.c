/* Patches of a fabric's elements (solver/element_patches.c): every particle has one owner, which has all
 * elements around it, and no colour has a free particle twice. */
#include "testing.h"

#include "cloth_meshes.h"
#include "solver/element_patches.h"

static hed_error error;

/* Patches of a mesh with two copies; `cloth` has the garment. */
typedef struct patched_mesh {
    hed_allocator allocator;
    cloth_garment *garment;
    uint32_t first[2];
    hed_cloth cloth;
    hed_arena scratch;
    cloth_element_patches patches;
    cloth_element_patches_view view;
} patched_mesh;

static void patch_mesh(test_mesh *mesh, uint32_t copies, patched_mesh *p)
{
    *p = (patched_mesh){.allocator = hed_default_allocator()};
    mesh->def.fabric = hed_cloth_fabric_named("cotton");
    mesh->def.copies = copies;
    OK(cloth_garment_create(&p->allocator, &mesh->def, 0, &p->garment, &error));
    p->cloth = (hed_cloth){.allocator = p->allocator,
        .garment_count = 1,
        .garments = &p->garment,
        .first_particle = p->first};
    p->scratch = (hed_arena){.allocator = p->allocator, .owner = "a test"};
    OK(cloth_element_patches_make(&p->cloth, &p->scratch, &p->patches, &error));
    p->view.tables = p->patches.words;
    p->view.at = p->patches.tables;
}

static void free_patched(patched_mesh *p)
{
    hed_arena_free(&p->scratch);
    cloth_garment_destroy(p->garment);
}

/* Checks that no free particle of three, from word `word` of the rows on, is twice in a colour. */
static void check_colours(const patched_mesh *p, cloth_patch_at patch, const uint *ends,
    uint colours, uint first_row, uint words)
{
    for (uint c = 0; c < colours; c++) {
        bool is_taken[CLOTH_PATCH_LOCAL] = {false};
        EXPECT_LT(ends[c], ends[c + 1]);
        for (uint e = ends[c]; e < ends[c + 1]; e++)
            for (uint k = 0; k < 3 * words; k++) {
                const uint *row = (const uint *)(p->patches.words + first_row + e);
                uint local = row[k / 3] >> 10 * (k % 3) & 1023u;
                CHECK_LT(local, patch.own_count + patch.ghost_count);
                uint member =
                    cloth_patch_member(local, patch, p->view) % p->garment->particle_count;
                bool is_corner_again =
                    k >= 3 && (local == (row[0] & 1023u) || local == (row[0] >> 10 & 1023u) ||
                                  local == row[0] >> 20);
                if (p->garment->positions[member][3] <= 0.0f || is_corner_again) continue;
                CHECK(!is_taken[local], "particle %u twice in colour %u", member, c);
                is_taken[local] = true;
            }
    }
}

/* Counts the elements that an own particle of a patch is part of, over all its particles. */
static uint64_t elements_of_own(const patched_mesh *p, cloth_patch_at patch, const uint *ends)
{
    uint64_t count = 0;
    for (uint e = ends[0]; e < ends[patch.bend_colours]; e++) {
        const uint *row = (const uint *)(p->patches.words + p->view.at.bends + e);
        for (uint k = 0; k < 6; k++)
            count += (row[k / 3] >> 10 * (k % 3) & 1023u) < patch.own_count;
    }
    return count;
}

static void check_patches(test_mesh *mesh, uint32_t copies, uint32_t fewest)
{
    patched_mesh p;
    patch_mesh(mesh, copies, &p);
    uint32_t particles = copies * p.garment->particle_count, *owners = calloc(particles, 4);
    uint64_t parts = 0;
    EXPECT_LE(fewest, p.patches.patches);
    for (uint32_t k = 0; k < p.patches.patches; k++) {
        cloth_patch_at patch = cloth_patch_of(k, p.view);
        const uint *ends = (const uint *)p.patches.words + p.view.at.ends + patch.ends,
                   *bend_ends = ends + patch.strain_colours + 1;
        CHECK_LE(patch.own_count + patch.ghost_count, CLOTH_PATCH_LOCAL);
        CHECK_LE(ends[patch.strain_colours] - ends[0], CLOTH_PATCH_STRAINS);
        for (uint32_t i = 0; i < patch.own_count; i++)
            owners[cloth_patch_member(i, patch, p.view)]++;
        check_colours(&p, patch, ends, patch.strain_colours, p.view.at.strains, 1);
        check_colours(&p, patch, bend_ends, patch.bend_colours, p.view.at.bends, 2);
        parts += elements_of_own(&p, patch, bend_ends);
    }
    for (uint32_t i = 0; i < particles; i++) CHECK_EQ(owners[i], 1, "particle %u", i);
    EXPECT_EQ(parts, 6 * (uint64_t)copies * p.garment->element_count,
        "each particle's owner has all elements around it");
    free(owners);
    free_patched(&p);
}

Test(cloth_element_patches, have_all_elements_of_their_particles)
{
    test_mesh mesh = test_irregular(40, 5, 0.3f);
    check_patches(&mesh, 1, 7);
    check_patches(&mesh, 3, 21);
    test_mesh_free(&mesh);
}

/* A fan of 300 triangles around its middle: all of them are in each patch, so 64 colours are too few. */
Test(cloth_element_patches, a_particle_of_too_many_elements_has_none)
{
    enum { RIM = 300 };
    test_mesh mesh = test_mesh_of(RIM + 1, RIM);
    for (uint32_t k = 0; k < RIM; k++) {
        float angle = 6.2831853f * (float)k / RIM, *at = mesh.positions + 3 * (k + 1);
        at[0] = cosf(angle), at[2] = sinf(angle);
        mesh.inverse_masses[k + 1] = 1;
        const uint32_t face[3] = {0, k + 1, (k + 1) % RIM + 1};
        memcpy(mesh.triangles + 3 * k, face, sizeof face);
    }
    mesh.inverse_masses[0] = 1;
    patched_mesh p;
    patch_mesh(&mesh, 1, &p);
    EXPECT_EQ(p.patches.patches, 0);
    free_patched(&p);
    test_mesh_free(&mesh);
}
