/* Leaves of the tree over the cloth's own triangles. The garments that take part are one set:
 * any of their triangles may meet any other. The tree keeps its shape and its boxes follow, as
 * that of the mesh colliders does. Each vertex and each edge is owned by the first triangle that
 * has it, so that a pair is found once (Curtis, Tamstorf and Manocha, Fast Collision Detection
 * for Deformable Models using Representative-Triangles, 2008). */
#include "contact/contact_host.h"

#include <math.h>
#include <stdlib.h>

typedef struct owned_edge {
    uint32_t low, high;  /* particles, in order */
    uint32_t leaf, edge; /* edge 0 to 2 of the leaf's triangle */
} owned_edge;

static int compare_owned(const void *a, const void *b)
{
    const owned_edge *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    if (p->high != q->high) return p->high < q->high ? -1 : 1;
    return p->leaf < q->leaf ? -1 : p->leaf > q->leaf;
}

bool cloth_garment_pairs(const cloth_garment *garment)
{
    return garment->self_collision == HED_CLOTH_SELF_TRIANGLES && garment->thickness > 0.0f &&
           garment->triangle_count > 0;
}

/* Collects the triangles that take part, and the sums of their vertices at rest, unless
 * `triangles` is NULL. Copies are `spacing` apart in x, so that the tree separates them first.
 * Returns the number of triangles. */
static uint32_t gather_triangles(const hed_cloth *cloth, bool (*takes_part)(const cloth_garment *),
    float spacing, contact_triangle *triangles, float (*centres)[3])
{
    uint32_t count = 0, body = 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        for (uint32_t copy = 0; copy < garment->copies; copy++, body++) {
            uint32_t first = cloth->first_particle[g] + copy * garment->particle_count;
            for (uint32_t t = 0; takes_part(garment) && t < garment->triangle_count; t++) {
                const uint32_t *c = garment->triangles[t];
                if (triangles) {
                    triangles[count] =
                        (contact_triangle){first + c[0], first + c[1], first + c[2], 0};
                    for (int k = 0; k < 3; k++)
                        centres[count][k] = garment->rest[c[0]][k] + garment->rest[c[1]][k] +
                                            garment->rest[c[2]][k];
                    centres[count][0] += spacing * (float)body;
                }
                count++;
            }
        }
    }
    return count;
}

/* Spacing of the sums of three vertices at which no two copies overlap, m. */
static float spacing_at_rest(const hed_cloth *cloth)
{
    float largest = 0.0f;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        for (uint32_t i = 0; i < cloth->garments[g]->particle_count; i++)
            for (int k = 0; k < 3; k++)
                largest = fmaxf(largest, fabsf(cloth->garments[g]->rest[i][k]));
    return 12.0f * largest;
}

float cloth_longest_edge(const hed_cloth *cloth, bool (*takes_part)(const cloth_garment *))
{
    float largest = 0.0f;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        for (uint32_t i = 0; takes_part(garment) && i < 3 * garment->triangle_count; i++) {
            const uint32_t *corners = garment->triangles[i / 3];
            const float *a = garment->rest[corners[i % 3]],
                        *b = garment->rest[corners[(i + 1) % 3]];
            largest = fmaxf(largest, cloth_square(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
        }
    }
    return sqrtf(largest);
}

/* Sets contact_triangle.owned of all leaves. `has_owner`: (particles) zeros. */
static void own_all(
    contact_triangle *triangles, uint32_t leaves, owned_edge *edges, uint8_t *has_owner)
{
    uint32_t count = 0;
    for (uint32_t leaf = 0; leaf < leaves; leaf++) {
        if (triangles[leaf].a == CONTACT_NO_LEAF) continue;
        const uint32_t v[3] = {triangles[leaf].a, triangles[leaf].b, triangles[leaf].c};
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t a = v[k], b = v[(k + 1) % 3];
            if (!has_owner[a]) triangles[leaf].owned |= 1u << k;
            has_owner[a] = 1;
            edges[count++] = (owned_edge){a < b ? a : b, a < b ? b : a, leaf, k};
        }
    }
    qsort(edges, count, sizeof *edges, compare_owned);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || edges[i].low != edges[i - 1].low || edges[i].high != edges[i - 1].high)
            triangles[edges[i].leaf].owned |= 8u << edges[i].edge;
}

static bool part_has_particle(const hed_cloth *part, uint32_t particle)
{
    return particle - part->base_particle < part->particles; /* wraps below the first */
}

/* Keeps the leaves of a part alone, with its own numbers of particles. Edges and corners keep the
 * owners that they have in the whole cloth, since these decide about rounding. Returns the number of
 * leaves. */
static uint32_t keep_own(const hed_cloth *part, contact_triangle *triangles, uint32_t leaves)
{
    const uint32_t base = part->base_particle;
    uint32_t count = 0, own = 1;
    for (uint32_t leaf = 0; leaf < leaves; leaf++) {
        const contact_triangle t = triangles[leaf];
        if (t.a == CONTACT_NO_LEAF || !part_has_particle(part, t.a) ||
            !part_has_particle(part, t.b) || !part_has_particle(part, t.c))
            continue;
        triangles[count++] = (contact_triangle){t.a - base, t.b - base, t.c - base, t.owned};
    }
    while (own < count) own *= 2;
    for (uint32_t leaf = count; leaf < own; leaf++)
        triangles[leaf] = (contact_triangle){CONTACT_NO_LEAF, 0, 0, 0};
    return own;
}

hed_status cloth_contact_leaves(const hed_cloth *cloth, bool (*takes_part)(const cloth_garment *),
    hed_arena *scratch, contact_triangle **triangles, uint32_t *leaf_count, hed_error *error)
{
    const hed_cloth *whole = cloth_whole(cloth);
    uint32_t count = gather_triangles(whole, takes_part, 0.0f, NULL, NULL), leaves = 1;
    while (leaves < count) leaves *= 2;
    contact_triangle *gathered = hed_arena_new(scratch, count, sizeof *gathered, error);
    float(*centres)[3] = hed_arena_new(scratch, count, sizeof *centres, error);
    uint32_t *order = hed_arena_new(scratch, count, sizeof *order, error);
    uint32_t *leaf_at = hed_arena_new(scratch, (uint64_t)leaves + 1, sizeof *leaf_at, error);
    owned_edge *edges = hed_arena_new(scratch, 3 * (uint64_t)count, sizeof *edges, error);
    uint8_t *has_owner = hed_arena_new(scratch, whole->particles, sizeof *has_owner, error);
    *triangles = hed_arena_new(scratch, leaves, sizeof **triangles, error);
    if (scratch->failed) return HED_ERROR_MEMORY;
    gather_triangles(whole, takes_part, spacing_at_rest(whole), gathered, centres);
    for (uint32_t i = 0; i <= leaves; i++) leaf_at[i] = (uint32_t)((uint64_t)count * i / leaves);
    for (uint32_t t = 0; t < count; t++) order[t] = t;
    cloth_tree_order(leaf_at, order, (const float(*)[3])centres, 0, leaves);
    for (uint32_t leaf = 0; leaf < leaves; leaf++)
        (*triangles)[leaf] = leaf_at[leaf] < leaf_at[leaf + 1]
                                 ? gathered[order[leaf_at[leaf]]]
                                 : (contact_triangle){CONTACT_NO_LEAF, 0, 0, 0};
    own_all(*triangles, leaves, edges, has_owner);
    *leaf_count = cloth->whole ? keep_own(cloth, *triangles, leaves) : leaves;
    return HED_OK;
}
