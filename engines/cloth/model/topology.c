/* Topology: degenerate and duplicate faces, and the edges of the other faces, found by counting
 * sorts and one hash table, so that time grows only with the number of corners. */
#include "model/mesh.h"
#include "heddle/author.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int inspect_by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts the corners of a face in ascending order; returns their count. */
static uint32_t sort_corners(const hed_cloth_mesh *mesh, uint32_t face, uint32_t *sorted)
{
    uint32_t first = mesh->face_at[face], count = mesh->face_at[face + 1] - first;
    memcpy(sorted, mesh->corners + first, count * sizeof *sorted);
    if (count <= 8) { /* nearly every face */
        for (uint32_t i = 1; i < count; i++)
            for (uint32_t j = i; j > 0 && sorted[j] < sorted[j - 1]; j--) {
                uint32_t swapped = sorted[j];
                sorted[j] = sorted[j - 1];
                sorted[j - 1] = swapped;
            }
    } else {
        qsort(sorted, count, sizeof *sorted, inspect_by_number);
    }
    return count;
}

/* ---- degenerate faces ---- */

/* True if a face has no area: each triangle of its fan is thinner than a ten-millionth of its
 * longest side. */
static bool is_flat(const hed_cloth_mesh *mesh, uint32_t face)
{
    uint32_t first = mesh->face_at[face], end = mesh->face_at[face + 1];
    const float *o = mesh->positions + 3 * (size_t)mesh->corners[first];
    for (uint32_t corner = first + 1; corner + 1 < end; corner++) {
        const float *p = mesh->positions + 3 * (size_t)mesh->corners[corner],
                    *q = mesh->positions + 3 * (size_t)mesh->corners[corner + 1];
        double a[3], b[3], square = 0;
        for (int i = 0; i < 3; i++) {
            a[i] = (double)p[i] - o[i];
            b[i] = (double)q[i] - o[i];
        }
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3;
            double part = a[i] * b[j] - a[j] * b[i];
            square += part * part;
        }
        double aa = a[0] * a[0] + a[1] * a[1] + a[2] * a[2],
               bb = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
        double ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2], cc = aa + bb - 2 * ab;
        /* NaN is another fault */
        if (!(sqrt(square) <= 1e-7 * fmax(fmax(aa, bb), cc))) return false;
    }
    return true;
}

static bool is_degenerate(const hed_cloth_mesh *mesh, uint32_t face, uint32_t *sorted)
{
    uint32_t count = sort_corners(mesh, face, sorted);
    if (count < 3) return true;
    for (uint32_t i = 1; i < count; i++)
        if (sorted[i] == sorted[i - 1]) return true;
    return is_flat(mesh, face);
}

/* Marks each face that has the corners of an earlier face. `table`: (slots, a power of two)
 * faces, all CLOTH_NO_INDEX. */
static void mark_duplicates(const hed_cloth_mesh *mesh, cloth_topology *topology, uint32_t *table,
    uint64_t slots, uint32_t *sorted, uint32_t *earlier_sorted)
{
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        if (topology->fault[face]) continue;
        uint32_t count = sort_corners(mesh, face, sorted);
        uint64_t hash = count;
        for (uint32_t i = 0; i < count; i++) {
            hash = (hash ^ sorted[i]) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 29;
        }
        uint64_t slot = hash & (slots - 1);
        for (; table[slot] != CLOTH_NO_INDEX; slot = (slot + 1) & (slots - 1)) {
            uint32_t earlier = table[slot];
            if (mesh->face_at[earlier + 1] - mesh->face_at[earlier] != count) continue;
            sort_corners(mesh, earlier, earlier_sorted);
            if (memcmp(sorted, earlier_sorted, count * sizeof *sorted) != 0) continue;
            topology->fault[face] = HED_CLOTH_MESH_DUPLICATE_FACE + 1;
            break;
        }
        if (!topology->fault[face]) table[slot] = face;
    }
}

/* ---- edges ---- */

/* Does one pass of a counting sort of corners, by the lower or the higher end of the edge that
 * begins at each corner. */
static void sort_pass(const uint32_t *from, uint32_t *to, uint32_t count, const uint32_t *key,
    uint32_t *starts, uint32_t vertex_count)
{
    memset(starts, 0, ((size_t)vertex_count + 1) * sizeof *starts);
    for (uint32_t i = 0; i < count; i++) starts[key[from[i]] + 1]++;
    for (uint32_t i = 0; i < vertex_count; i++) starts[i + 1] += starts[i];
    for (uint32_t i = 0; i < count; i++) to[starts[key[from[i]]]++] = from[i];
}

typedef struct edge_scratch {
    uint32_t *low, *high;    /* (corners) ends of the edge that begins at a corner */
    uint32_t *order, *other; /* (corners) */
    uint32_t *starts;        /* (vertex_count + 1) */
} edge_scratch;

static void number_edges(
    const hed_cloth_mesh *mesh, cloth_topology *topology, const edge_scratch *scratch)
{
    uint32_t used = 0;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        uint32_t first = mesh->face_at[face], end = mesh->face_at[face + 1];
        for (uint32_t corner = first; corner < end; corner++) {
            uint32_t a = mesh->corners[corner],
                     b = mesh->corners[corner + 1 < end ? corner + 1 : first];
            topology->edge[corner] = CLOTH_NO_INDEX;
            if (topology->fault[face]) continue;
            scratch->low[corner] = a < b ? a : b;
            scratch->high[corner] = a < b ? b : a;
            scratch->order[used++] = corner;
        }
    }
    sort_pass(
        scratch->order, scratch->other, used, scratch->high, scratch->starts, mesh->vertex_count);
    sort_pass(
        scratch->other, scratch->order, used, scratch->low, scratch->starts, mesh->vertex_count);
    topology->edge_count = 0;
    for (uint32_t i = 0; i < used; i++) {
        uint32_t at = scratch->order[i], before = i > 0 ? scratch->order[i - 1] : at;
        bool is_repeat = i > 0 && scratch->low[at] == scratch->low[before] &&
                         scratch->high[at] == scratch->high[before];
        topology->edge_count += !is_repeat;
        topology->edge[at] = topology->edge_count - 1;
    }
}

/* ---- topology ---- */

static bool names_nothing(const uint32_t *corners, uint32_t corner, uint32_t count)
{
    return corners && corners[corner] >= count && corners[corner] != CLOTH_NO_INDEX;
}

hed_status cloth_topology_create(
    const hed_cloth_mesh *mesh, cloth_topology *topology, hed_error *error)
{
    size_t corners = cloth_mesh_corner_count(mesh), largest = 1; /* corners of a face */
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        uint32_t count = mesh->face_at[face + 1] - mesh->face_at[face];
        if (count > largest) largest = count;
    }
    uint64_t slots = 4;
    while (slots < 2 * (uint64_t)mesh->face_count) slots *= 2;
    *topology = (cloth_topology){.fault = calloc((size_t)mesh->face_count + 1, 1),
        .edge = malloc((corners + 1) * sizeof(uint32_t))};
    uint32_t *table = malloc(slots * sizeof *table), *faces = malloc(2 * largest * sizeof *faces);
    uint32_t *scratch = calloc(4 * corners + mesh->vertex_count + 1, sizeof *scratch);
    bool enough = topology->fault && topology->edge && table && faces && scratch;
    if (enough) {
        for (uint32_t face = 0; face < mesh->face_count; face++) {
            for (uint32_t corner = mesh->face_at[face]; corner < mesh->face_at[face + 1]; corner++)
                if (mesh->corners[corner] >= mesh->vertex_count ||
                    names_nothing(mesh->corner_textures, corner, mesh->texture_count) ||
                    names_nothing(mesh->corner_normals, corner, mesh->normal_count))
                    topology->fault[face] = HED_CLOTH_MESH_BAD_INDEX + 1;
            if (!topology->fault[face] && is_degenerate(mesh, face, faces))
                topology->fault[face] = HED_CLOTH_MESH_DEGENERATE_FACE + 1;
        }
        memset(table, 0xff, slots * sizeof *table);
        mark_duplicates(mesh, topology, table, slots, faces, faces + largest);
        number_edges(mesh, topology,
            &(edge_scratch){scratch, scratch + corners, scratch + 2 * corners,
                scratch + 3 * corners, scratch + 4 * corners});
    }
    free(table);
    free(faces);
    free(scratch);
    if (enough) return HED_OK;
    cloth_topology_free(topology);
    return hed_fail(error, HED_ERROR_MEMORY, "out of memory while a mesh of %u faces was looked at",
        mesh->face_count);
}

void cloth_topology_free(cloth_topology *topology)
{
    free(topology->fault);
    free(topology->edge);
    *topology = (cloth_topology){0};
}
