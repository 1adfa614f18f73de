/* Faces of a garment: triangles (quads cut in two), the triangles around each particle, and
 * masses. */
#include "model/garment.h"

#include <math.h>
#include <string.h>

hed_status cloth_faces_create(const hed_allocator *allocator, const hed_cloth_garment_def *def,
    cloth_faces *faces, hed_error *error)
{
    *faces = (cloth_faces){.triangle_count = def->triangle_count,
        .quad_count = def->quad_count,
        .triangles = (const uint32_t(*)[3])def->triangles,
        .quads = (const uint32_t(*)[4])def->quads};
    uint32_t width = def->grid_width, height = def->grid_height;
    if (faces->quad_count || width < 2 || height < 2) return HED_OK;
    faces->quad_count = (width - 1) * (height - 1);
    faces->made = hed_new(allocator, faces->quad_count, sizeof *faces->made, error);
    if (!faces->made) return HED_ERROR_MEMORY;
    uint32_t(*quad)[4] = faces->made;
    for (uint32_t y = 0; y + 1 < height; y++)
        for (uint32_t x = 0; x + 1 < width; x++, quad++) {
            uint32_t at = y * width + x;
            (*quad)[0] = at, (*quad)[1] = at + 1, (*quad)[2] = at + width + 1,
            (*quad)[3] = at + width;
        }
    faces->quads = (const uint32_t(*)[4])faces->made;
    return HED_OK;
}

void cloth_faces_destroy(const hed_allocator *allocator, cloth_faces *faces)
{
    hed_delete(allocator, faces->made, faces->quad_count, sizeof *faces->made);
}

/* Lists the triangles around each particle; filled from the start of each list in counting
 * order, so ascending. */
static hed_status make_incident(cloth_garment *garment, hed_error *error)
{
    uint32_t particles = garment->particle_count, triangles = garment->triangle_count;
    garment->incident_at = hed_arena_new(
        &garment->arena, (uint64_t)particles + 1, sizeof *garment->incident_at, error);
    garment->incident =
        hed_arena_new(&garment->arena, 3 * (uint64_t)triangles, sizeof *garment->incident, error);
    if (!garment->incident_at || !garment->incident) return HED_ERROR_MEMORY;
    uint32_t *at = garment->incident_at;
    const uint32_t *corner = garment->triangles[0];
    for (uint64_t k = 0; k < 3 * (uint64_t)triangles; k++) at[corner[k] + 1]++;
    for (uint32_t i = 0; i < particles; i++) at[i + 1] += at[i];
    for (uint64_t k = 0; k < 3 * (uint64_t)triangles; k++)
        garment->incident[at[corner[k]]++] = (uint32_t)(k / 3);
    memmove(at + 1, at, particles * sizeof *at);
    at[0] = 0;
    return HED_OK;
}

hed_status cloth_make_triangles(cloth_garment *garment, const cloth_faces *faces, hed_error *error)
{
    garment->triangle_count = faces->triangle_count + 2 * faces->quad_count;
    garment->triangles =
        hed_arena_new(&garment->arena, garment->triangle_count, sizeof *garment->triangles, error);
    if (!garment->triangles) return HED_ERROR_MEMORY;
    if (faces->triangle_count)
        memcpy(garment->triangles, faces->triangles,
            faces->triangle_count * sizeof *garment->triangles);
    uint32_t(*triangle)[3] = garment->triangles + faces->triangle_count;
    for (uint32_t q = 0; q < faces->quad_count; q++, triangle += 2) {
        const uint32_t *quad = faces->quads[q];
        triangle[0][0] = quad[0], triangle[0][1] = quad[1], triangle[0][2] = quad[2];
        triangle[1][0] = quad[0], triangle[1][1] = quad[2], triangle[1][2] = quad[3];
    }
    return make_incident(garment, error);
}

/* Computes half the length of the cross product of b - a and d - c. */
static double area(const float (*rest)[3], uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    double x = (double)rest[b][0] - rest[a][0], y = (double)rest[b][1] - rest[a][1],
           z = (double)rest[b][2] - rest[a][2];
    double u = (double)rest[d][0] - rest[c][0], v = (double)rest[d][1] - rest[c][1],
           w = (double)rest[d][2] - rest[c][2];
    double i = y * w - z * v, j = z * u - x * w, k = x * v - y * u;
    return 0.5 * sqrt(i * i + j * j + k * k);
}

/* Computes inverse masses. Each corner gets an equal part of its face; a quad's area is half its
 * diagonals' cross product, so that no diagonal is preferred. */
hed_status cloth_make_masses(cloth_garment *garment, const cloth_faces *faces, float density,
    uint32_t number, hed_error *error)
{
    uint32_t particles = garment->particle_count;
    double *areas = hed_new(&garment->arena.allocator, particles, sizeof *areas, error);
    if (!areas) return HED_ERROR_MEMORY;
    const float(*rest)[3] = (const float(*)[3])garment->rest;
    for (uint32_t t = 0; t < faces->triangle_count; t++) {
        const uint32_t *v = faces->triangles[t];
        double share = area(rest, v[0], v[1], v[0], v[2]) / 3;
        for (int k = 0; k < 3; k++) areas[v[k]] += share;
    }
    for (uint32_t q = 0; q < faces->quad_count; q++) {
        const uint32_t *v = faces->quads[q];
        double share = area(rest, v[0], v[2], v[1], v[3]) / 4;
        for (int k = 0; k < 4; k++) areas[v[k]] += share;
    }
    hed_status status = HED_OK;
    for (uint32_t i = 0; !status && i < particles; i++) {
        bool loose = garment->incident_at[i] == garment->incident_at[i + 1];
        double mass = density * areas[i];
        if (!loose && !(mass >= 1e-12 && mass <= 1e12))
            status = hed_fail(error, HED_ERROR_ARGUMENT,
                "Garment %u (%s): the faces around particle %u leave it an area of %g m^2 at rest, "
                "which makes a mass of %g kg; expected "
                "1e-12 to 1e12 (mend the mesh, or give inverse_masses)",
                number, garment->name, i, areas[i], mass);
        else garment->positions[i][3] = loose ? 0.0f : (float)(1.0 / mass);
    }
    hed_delete(&garment->arena.allocator, areas, particles, sizeof *areas);
    return status;
}
