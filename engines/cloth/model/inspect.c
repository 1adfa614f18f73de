/* Faults of a mesh, and their repair if that is safe. */
#include "model/mesh.h"
#include "heddle/author.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *hed_cloth_mesh_fault_name(hed_cloth_mesh_fault fault)
{
    static const char *const names[HED_CLOTH_MESH_FAULT_COUNT] = {
        "coordinate that is no finite number", "index of something that is not there",
        "degenerate face", "duplicate face", "edge of more than two faces",
        "edge with inconsistent winding", "vertex of no face"};
    return (unsigned)fault < HED_CLOTH_MESH_FAULT_COUNT ? names[fault] : "unknown fault";
}

static void note(hed_cloth_mesh_check *check, hed_cloth_mesh_fault fault, uint32_t number)
{
    if (check->count[fault]++ == 0 || number < check->first[fault]) check->first[fault] = number;
}

/* ---- edges ---- */

/* Faces at an edge: counts of the two directions in which they traverse it, and the first of the
 * faces. */
typedef struct edge_use {
    uint32_t up, down, first_face;
} edge_use;

static void count_uses(const hed_cloth_mesh *mesh, const cloth_topology *topology, edge_use *uses)
{
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        uint32_t first = mesh->face_at[face], end = mesh->face_at[face + 1];
        if (topology->fault[face]) continue;
        for (uint32_t corner = first; corner < end; corner++) {
            edge_use *use = &uses[topology->edge[corner]];
            if (use->up + use->down == 0) use->first_face = face;
            if (mesh->corners[corner] < mesh->corners[corner + 1 < end ? corner + 1 : first])
                use->up++;
            else use->down++;
        }
    }
}

hed_status hed_cloth_mesh_inspect(
    const hed_cloth_mesh *mesh, hed_cloth_mesh_check *check, hed_error *error)
{
    HED_REQUIRE(mesh, check);
    *check = (hed_cloth_mesh_check){0};
    cloth_topology topology;
    hed_status status = cloth_topology_create(mesh, &topology, error);
    if (status != HED_OK) return status;
    edge_use *uses = calloc((size_t)topology.edge_count + 1, sizeof *uses);
    uint8_t *used = calloc((size_t)mesh->vertex_count + 1, 1);
    if (uses && used) {
        for (uint32_t corner = 0; corner < cloth_mesh_corner_count(mesh); corner++)
            if (mesh->corners[corner] < mesh->vertex_count) used[mesh->corners[corner]] = 1;
        for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++) {
            const float *at = mesh->positions + 3 * (size_t)vertex;
            if (!isfinite(at[0]) || !isfinite(at[1]) || !isfinite(at[2]))
                note(check, HED_CLOTH_MESH_NOT_FINITE, vertex);
            if (!used[vertex]) note(check, HED_CLOTH_MESH_LOOSE_VERTEX, vertex);
        }
        for (uint32_t face = 0; face < mesh->face_count; face++)
            if (topology.fault[face]) note(check, topology.fault[face] - 1, face);
        count_uses(mesh, &topology, uses);
        for (uint32_t edge = 0; edge < topology.edge_count; edge++) {
            uint32_t count = uses[edge].up + uses[edge].down;
            if (count > 2) note(check, HED_CLOTH_MESH_NON_MANIFOLD_EDGE, uses[edge].first_face);
            else if (uses[edge].up == 2 || uses[edge].down == 2)
                note(check, HED_CLOTH_MESH_INCONSISTENT_WINDING, uses[edge].first_face);
        }
    } else {
        status = hed_fail(error, HED_ERROR_MEMORY,
            "out of memory while a mesh of %u faces was looked at", mesh->face_count);
    }
    free(uses);
    free(used);
    cloth_topology_free(&topology);
    return status;
}

/* ---- messages ---- */

/* Writes "3, 3, 7", counted from 1 as in files. */
static void describe_corners(const hed_cloth_mesh *mesh, uint32_t face, char *text, size_t size)
{
    size_t used = 0;
    uint32_t first = mesh->face_at[face], end = mesh->face_at[face + 1];
    for (uint32_t corner = first; corner < end && used < size; corner++) {
        if (corner - first == 8) {
            snprintf(text + used, size - used, ", ...");
            return;
        }
        int length = snprintf(text + used, size - used, "%s%llu", corner == first ? "" : ", ",
            (unsigned long long)mesh->corners[corner] + 1);
        used += length > 0 ? (size_t)length : 0;
    }
}

hed_status hed_cloth_mesh_require_sound(
    const char *name, const hed_cloth_mesh *mesh, hed_error *error)
{
    HED_REQUIRE(name, mesh);
    static const struct {
        hed_cloth_mesh_fault fault;
        const char *advice;
    } obstacles[] = {
        {HED_CLOTH_MESH_BAD_INDEX,
            "expected numbers of vertices, texture coordinates and normals that are there"},
        {HED_CLOTH_MESH_NOT_FINITE, "expected finite coordinates"},
        {HED_CLOTH_MESH_DEGENERATE_FACE, "a vertex twice, or no area; mending takes it away"},
        {HED_CLOTH_MESH_DUPLICATE_FACE, "the corners of an earlier face; mending takes it away"},
        {HED_CLOTH_MESH_NON_MANIFOLD_EDGE,
            "one of its edges has more than two faces; mending keeps the first two"},
    };
    hed_cloth_mesh_check check;
    hed_status status = hed_cloth_mesh_inspect(mesh, &check, error);
    if (status != HED_OK) return status;
    if (mesh->face_count == 0)
        return hed_fail(
            error, HED_ERROR_FORMAT, "%s: found no face, expected some to make cloth of", name);
    for (size_t i = 0; i < sizeof obstacles / sizeof *obstacles; i++) {
        hed_cloth_mesh_fault fault = obstacles[i].fault;
        if (check.count[fault] == 0) continue;
        uint32_t first = check.first[fault];
        if (fault == HED_CLOTH_MESH_NOT_FINITE)
            return hed_fail(error, HED_ERROR_FORMAT,
                "%s: vertex %llu (counted from 1): found %g %g %g, %s; %u such", name,
                (unsigned long long)first + 1, (double)mesh->positions[3 * (size_t)first],
                (double)mesh->positions[3 * (size_t)first + 1],
                (double)mesh->positions[3 * (size_t)first + 2], obstacles[i].advice,
                check.count[fault]);
        char corners[128];
        describe_corners(mesh, first, corners, sizeof corners);
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: face %llu of vertices %s (in the file's order, counted from 1): %s: %s; %u such",
            name, (unsigned long long)first + 1, corners, hed_cloth_mesh_fault_name(fault),
            obstacles[i].advice, check.count[fault]);
    }
    return HED_OK;
}

/* ---- repair ---- */

static void move_corner(hed_cloth_mesh *mesh, uint32_t to, uint32_t from)
{
    mesh->corners[to] = mesh->corners[from];
    if (mesh->corner_textures) mesh->corner_textures[to] = mesh->corner_textures[from];
    if (mesh->corner_normals) mesh->corner_normals[to] = mesh->corner_normals[from];
}

/* Updates the first face of every span after faces were removed. */
static void move_spans(hed_cloth_mesh_span *spans, uint32_t count, const uint32_t *face_now)
{
    for (uint32_t i = 0; i < count; i++) spans[i].first_face = face_now[spans[i].first_face];
}

/* Keeps the faces that are not removed, in order. Writes to `face_now` (face_count + 1) the new
 * number of each face, or of the next face kept; returns the number of removed faces. */
static uint32_t compact(hed_cloth_mesh *mesh, const uint8_t *is_removed, uint32_t *face_now)
{
    uint32_t faces = 0, corners = 0, begin = 0;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        uint32_t end = mesh->face_at[face + 1];
        face_now[face] = faces;
        for (uint32_t corner = begin; corner < end && !is_removed[face]; corner++)
            move_corner(mesh, corners++, corner);
        if (!is_removed[face]) mesh->face_at[++faces] = corners;
        begin = end;
    }
    face_now[mesh->face_count] = faces;
    move_spans(mesh->materials, mesh->material_count, face_now);
    move_spans(mesh->groups, mesh->group_count, face_now);
    uint32_t removed = mesh->face_count - faces;
    mesh->face_count = faces;
    return removed;
}

/* Removes corners that repeat the corner before them (around the face), as long as three remain. */
static void drop_repeats(hed_cloth_mesh *mesh)
{
    uint32_t corners = 0, begin = 0;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        uint32_t end = mesh->face_at[face + 1], left = end - begin;
        for (uint32_t corner = begin; corner < end; corner++) {
            uint32_t before = corner > begin ? corner - 1 : end - 1;
            if (mesh->corners[corner] == mesh->corners[before] && left > 3) left--;
            else move_corner(mesh, corners++, corner);
        }
        mesh->face_at[face + 1] = corners;
        begin = end;
    }
}

hed_status hed_cloth_mesh_mend(hed_cloth_mesh *mesh, uint32_t *removed, hed_error *error)
{
    HED_REQUIRE(mesh, removed);
    *removed = 0;
    hed_cloth_mesh_check check;
    hed_status status = hed_cloth_mesh_inspect(mesh, &check, error);
    if (status != HED_OK) return status;
    if (check.count[HED_CLOTH_MESH_NOT_FINITE] || check.count[HED_CLOTH_MESH_BAD_INDEX])
        return hed_fail(error, HED_ERROR_FORMAT,
            "this mesh cannot be mended safely: found %u vertices with a %s and %u faces with an %s",
            check.count[HED_CLOTH_MESH_NOT_FINITE],
            hed_cloth_mesh_fault_name(HED_CLOTH_MESH_NOT_FINITE),
            check.count[HED_CLOTH_MESH_BAD_INDEX],
            hed_cloth_mesh_fault_name(HED_CLOTH_MESH_BAD_INDEX));
    size_t corners = cloth_mesh_corner_count(mesh);
    uint8_t *at_edge = calloc(corners + 1, 1),
            *is_removed = calloc((size_t)mesh->face_count + 1, 1);
    uint32_t *face_now = malloc(((size_t)mesh->face_count + 1) * sizeof *face_now);
    cloth_topology topology = {0};
    status = at_edge && is_removed && face_now
                 ? HED_OK
                 : hed_fail(error, HED_ERROR_MEMORY,
                       "out of memory while a mesh of %u faces was mended", mesh->face_count);
    if (status == HED_OK) {
        drop_repeats(mesh);
        status = cloth_topology_create(mesh, &topology, error);
    }
    if (status == HED_OK) {
        /* Removes faces with a fault, then, in order, each face that would be the third at an
         * edge. */
        for (uint32_t face = 0; face < mesh->face_count; face++) {
            is_removed[face] = topology.fault[face] != 0;
            uint32_t first = mesh->face_at[face], end = mesh->face_at[face + 1];
            for (uint32_t corner = first; corner < end && !is_removed[face]; corner++)
                is_removed[face] = at_edge[topology.edge[corner]] == 2;
            for (uint32_t corner = first; corner < end && !is_removed[face]; corner++)
                at_edge[topology.edge[corner]]++;
        }
        *removed = compact(mesh, is_removed, face_now);
    }
    cloth_topology_free(&topology);
    free(at_edge);
    free(is_removed);
    free(face_now);
    return status;
}

/* Topology: degenerate and duplicate faces, and the edges of the other faces, found by counting
 * sorts and one hash table, so that time grows only with the number of corners. */

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
