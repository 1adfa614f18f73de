/* Welding of vertices into particles: a hash grid finds vertices close together (M. Teschner et
 * al., Optimized Spatial Hashing for Collision Detection of Deformable Objects, 2003), and the
 * faces decide which of them must stay separate. */
#include "model/mesh.h"
#include "heddle/author.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct welder {
    const hed_cloth_mesh *mesh;
    /* m; cell 0: only vertices with equal coordinates are welded, each its own cell */
    double distance, cell;
    uint32_t *particle_of;
    uint32_t *vertex_of;        /* (particles so far) the first vertex of each particle */
    uint32_t *heads, *next;     /* particles of a bucket of the grid */
    uint64_t buckets;           /* a power of two */
    uint32_t *faces_at, *faces; /* (vertices + 2), (corners): faces around each vertex */
    uint32_t particle_count;
} welder;

/* ---- the grid ---- */

static uint64_t mesh_bucket_of(const welder *w, const double *cell)
{
    uint64_t hash = 0;
    for (int axis = 0; axis < 3; axis++) {
        double whole = cell[axis] + 0.0; /* -0 becomes 0 */
        uint64_t bits;
        memcpy(&bits, &whole, sizeof bits);
        hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash & (w->buckets - 1);
}

/* ---- conditions of welding ---- */

/* True if a face of `vertex` has a corner that is already this particle. */
static bool share_face(const welder *w, uint32_t vertex, uint32_t particle)
{
    for (uint32_t i = w->faces_at[vertex]; i < w->faces_at[vertex + 1]; i++) {
        uint32_t face = w->faces[i];
        for (uint32_t corner = w->mesh->face_at[face]; corner < w->mesh->face_at[face + 1];
             corner++) {
            uint32_t neighbour = w->mesh->corners[corner];
            if (neighbour < vertex && w->particle_of[neighbour] == particle) return true;
        }
    }
    return false;
}

/* Finds the particle with the lowest number that a vertex may become; CLOTH_NO_INDEX: a new
 * particle. */
static uint32_t find_particle(const welder *w, uint32_t vertex)
{
    double low[3], cell[3];
    int count[3];
    uint32_t best = CLOTH_NO_INDEX;
    /* cells that a ball around the vertex reaches: one or two along each axis */
    const float *at = w->mesh->positions + 3 * (size_t)vertex;
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = w->cell > 0 ? floor((at[axis] - w->distance) / w->cell) : at[axis];
        double high = w->cell > 0 ? floor((at[axis] + w->distance) / w->cell) : at[axis];
        count[axis] = high > low[axis] ? 2 : 1;
    }
    for (int i = 0; i < count[0] * count[1] * count[2]; i++) {
        cell[0] = low[0] + i % count[0];
        cell[1] = low[1] + i / count[0] % count[1];
        cell[2] = low[2] + i / count[0] / count[1];
        for (uint32_t particle = w->heads[mesh_bucket_of(w, cell)]; particle != CLOTH_NO_INDEX;
             particle = w->next[particle]) {
            const float *candidate = w->mesh->positions + 3 * (size_t)w->vertex_of[particle];
            double x = (double)at[0] - candidate[0], y = (double)at[1] - candidate[1],
                   z = (double)at[2] - candidate[2];
            if (particle < best && x * x + y * y + z * z <= w->distance * w->distance &&
                !share_face(w, vertex, particle))
                best = particle;
        }
    }
    return best;
}

static void add_particle(welder *w, uint32_t vertex)
{
    double cell[3];
    for (int axis = 0; axis < 3; axis++) {
        double at = w->mesh->positions[3 * (size_t)vertex + (size_t)axis];
        cell[axis] = w->cell > 0 ? floor(at / w->cell) : at;
    }
    uint64_t bucket = mesh_bucket_of(w, cell);
    uint32_t particle = w->particle_count++;
    w->vertex_of[particle] = vertex;
    w->next[particle] = w->heads[bucket];
    w->heads[bucket] = particle;
}

/* Lists the faces around each vertex. Counts are stored two positions ahead and filled one
 * position ahead, so that faces_at has the starts in the end. */
static void gather_faces(welder *w)
{
    const hed_cloth_mesh *mesh = w->mesh;
    for (uint32_t corner = 0; corner < cloth_mesh_corner_count(mesh); corner++)
        if (mesh->corners[corner] < mesh->vertex_count)
            w->faces_at[(size_t)mesh->corners[corner] + 2]++;
    for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++)
        w->faces_at[(size_t)vertex + 1] += w->faces_at[vertex];
    for (uint32_t face = 0; face < mesh->face_count; face++)
        for (uint32_t corner = mesh->face_at[face]; corner < mesh->face_at[face + 1]; corner++)
            if (mesh->corners[corner] < mesh->vertex_count)
                w->faces[w->faces_at[(size_t)mesh->corners[corner] + 1]++] = face;
}

hed_status hed_cloth_mesh_weld(const hed_cloth_mesh *mesh, float distance, uint32_t *particle_of,
    uint32_t *particle_count, hed_error *error)
{
    HED_REQUIRE(mesh, particle_of, particle_count);
    *particle_count = 0;
    size_t n = mesh->vertex_count, corners = cloth_mesh_corner_count(mesh);
    /* Cells of eight distances: most vertices then search only one cell. */
    welder w = {.mesh = mesh,
        .distance = distance > 0 ? distance : 0,
        .particle_of = particle_of,
        .buckets = 4};
    w.cell = 8 * w.distance;
    while (w.buckets < n) w.buckets *= 2;
    uint32_t *memory = malloc((2 * n + w.buckets + corners + 1) * sizeof *memory);
    w.faces_at = calloc(n + 2, sizeof *w.faces_at);
    if (memory && w.faces_at) {
        w.vertex_of = memory;
        w.next = w.vertex_of + n;
        w.heads = w.next + n;
        w.faces = w.heads + w.buckets;
        memset(w.heads, 0xff, w.buckets * sizeof *w.heads);
        gather_faces(&w);
        for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++) {
            particle_of[vertex] = find_particle(&w, vertex);
            if (particle_of[vertex] != CLOTH_NO_INDEX) continue;
            particle_of[vertex] = w.particle_count;
            add_particle(&w, vertex);
        }
    }
    bool enough = memory && w.faces_at;
    free(memory);
    free(w.faces_at);
    if (!enough)
        return hed_fail(error, HED_ERROR_MEMORY, "out of memory while %u vertices were welded",
            mesh->vertex_count);
    *particle_count = w.particle_count;
    return HED_OK;
}
