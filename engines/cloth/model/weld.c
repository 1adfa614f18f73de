/* Which vertices are the same particle: a hash grid finds those that lie together (M. Teschner et
 * al., Optimized Spatial Hashing for Collision Detection of Deformable Objects, 2003), the faces
 * tell which of them must stay apart. */
#include "model/mesh.h"

#include "heddle/author.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct welder {
    const hed_cloth_mesh *mesh;
    double distance, cell; /* m; cell 0: only equal coordinates are together, each its own cell */
    uint32_t *particle_of;
    uint32_t *vertex_of;        /* (particles so far) the first vertex of each */
    uint32_t *heads, *next;     /* particles of a bucket of the grid */
    uint64_t buckets;           /* a power of two */
    uint32_t *faces_at, *faces; /* (vertices + 2), (corners): faces around each vertex */
    uint32_t particle_count;
} welder;

/* ---- the grid ---- */

static uint64_t bucket_of(const welder *w, const double *cell)
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

/* Cells that a ball around a vertex reaches into: one or two along each axis. */
static void cells_around(const welder *w, const float *at, double low[3], int count[3])
{
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = w->cell > 0 ? floor((at[axis] - w->distance) / w->cell) : at[axis];
        double high = w->cell > 0 ? floor((at[axis] + w->distance) / w->cell) : at[axis];
        count[axis] = high > low[axis] ? 2 : 1;
    }
}

/* ---- which may be welded ---- */

static bool lie_together(const welder *w, uint32_t a, uint32_t b)
{
    const float *p = w->mesh->positions + 3 * (size_t)a, *q = w->mesh->positions + 3 * (size_t)b;
    double x = (double)p[0] - q[0], y = (double)p[1] - q[1], z = (double)p[2] - q[2];
    return x * x + y * y + z * z <= w->distance * w->distance;
}

/* Whether a face of `vertex` has a corner that is already this particle. */
static bool share_face(const welder *w, uint32_t vertex, uint32_t particle)
{
    for (uint32_t i = w->faces_at[vertex]; i < w->faces_at[vertex + 1]; i++) {
        uint32_t face = w->faces[i];
        for (uint32_t corner = w->mesh->face_at[face]; corner < w->mesh->face_at[face + 1];
             corner++) {
            uint32_t other = w->mesh->corners[corner];
            if (other < vertex && w->particle_of[other] == particle) return true;
        }
    }
    return false;
}

/* The particle with the lowest number that a vertex may become; CLOTH_NO_INDEX: a new one. */
static uint32_t find_particle(const welder *w, uint32_t vertex)
{
    double low[3], cell[3];
    int count[3];
    uint32_t found = CLOTH_NO_INDEX;
    cells_around(w, w->mesh->positions + 3 * (size_t)vertex, low, count);
    for (int i = 0; i < count[0] * count[1] * count[2]; i++) {
        cell[0] = low[0] + i % count[0];
        cell[1] = low[1] + i / count[0] % count[1];
        cell[2] = low[2] + i / count[0] / count[1];
        for (uint32_t particle = w->heads[bucket_of(w, cell)]; particle != CLOTH_NO_INDEX;
             particle = w->next[particle])
            if (particle < found && lie_together(w, vertex, w->vertex_of[particle]) &&
                !share_face(w, vertex, particle))
                found = particle;
    }
    return found;
}

static void add_particle(welder *w, uint32_t vertex)
{
    double cell[3];
    for (int axis = 0; axis < 3; axis++) {
        double at = w->mesh->positions[3 * (size_t)vertex + (size_t)axis];
        cell[axis] = w->cell > 0 ? floor(at / w->cell) : at;
    }
    uint64_t bucket = bucket_of(w, cell);
    uint32_t particle = w->particle_count++;
    w->vertex_of[particle] = vertex;
    w->next[particle] = w->heads[bucket];
    w->heads[bucket] = particle;
}

/* Counted two places ahead and filled one place ahead, so that the starts are in place in the
 * end. */
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
    if (hed_failed(error)) return error->status;
    *particle_count = 0;
    size_t n = mesh->vertex_count, corners = cloth_mesh_corner_count(mesh);
    /* Cells of eight distances: most vertices then look into one alone. */
    welder w = {.mesh = mesh, .distance = distance > 0 ? distance : 0, .particle_of = particle_of,
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
