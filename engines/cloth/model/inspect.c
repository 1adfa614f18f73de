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
    uint8_t *is_removed = calloc((size_t)mesh->face_count + 1, 1);
    uint32_t *face_now = malloc(((size_t)mesh->face_count + 1) * sizeof *face_now);
    cloth_topology topology = {0};
    status = is_removed && face_now
                 ? HED_OK
                 : hed_fail(error, HED_ERROR_MEMORY,
                       "out of memory while a mesh of %u faces was mended", mesh->face_count);
    if (status == HED_OK) {
        drop_repeats(mesh);
        status = cloth_topology_create(mesh, &topology, error);
    }
    if (status == HED_OK) {
        for (uint32_t face = 0; face < mesh->face_count; face++)
            is_removed[face] = topology.fault[face] != 0;
        *removed = compact(mesh, is_removed, face_now);
    }
    cloth_topology_free(&topology);
    free(is_removed);
    free(face_now);
    return status;
}
