/* Sheets of the rows at equal quality: 2 m x 2 m of 0.15 kg/m^2, shear 40 N/m, bending 1e-5 N m. */
#include "benchmarks/cloth_gate_sheet.h"

#include <math.h>
#include <string.h>

static const hed_cloth_fabric RIGID = {1e6f, 1e6f, 40.0f, 1e-5f, 1e-5f, 0.15f, 4e-5f},
                              GIVES = {2000.0f, 1500.0f, 40.0f, 1e-5f, 1e-5f, 0.15f, 0.0f};
static const float JITTER = 0.3f;  /* of an irregular mesh, in cells */
static const float UNEVEN = 5e-5f; /* of a sheet over a ball at the start, m */

static float random_between(uint32_t *seed, float low, float high)
{
    *seed = *seed * 1664525u + 1013904223u;
    return low + (high - low) * (float)(*seed >> 8) / 16777216.0f;
}

/* Moves the particles inside the sheet within their cells. */
static void jitter_particles(cloth_gate_sheet *s)
{
    uint32_t n = s->grid.n, seed = 7;
    float way = JITTER * 2.0f / (float)(n - 1);
    for (uint32_t y = 1; y + 1 < n; y++)
        for (uint32_t x = 1; x + 1 < n; x++) {
            float *p = s->grid.positions + 3 * ((size_t)y * n + x);
            p[0] += random_between(&seed, -way, way);
            p[2] += random_between(&seed, -way, way);
        }
}

static float length_between(const float *positions, uint32_t a, uint32_t b)
{
    const float *p = positions + 3 * (size_t)a, *q = positions + 3 * (size_t)b;
    float x = p[0] - q[0], z = p[2] - q[2];
    return sqrtf(x * x + z * z); /* hypotf() would need glibc 2.35 */
}

/* Cuts each cell into two triangles: along its shorter diagonal, or as the engine cuts quads. */
static void cut_cells(cloth_gate_sheet *s, bool shorter)
{
    for (uint32_t q = 0; q < s->garment.quad_count; q++) {
        const uint32_t *v = s->grid.quads + 4 * (size_t)q;
        const float *at = s->grid.positions;
        bool other = shorter && length_between(at, v[1], v[3]) < length_between(at, v[0], v[2]);
        const uint32_t cuts[2][6] = {
            {v[0], v[1], v[2], v[0], v[2], v[3]}, {v[1], v[2], v[3], v[1], v[3], v[0]}};
        memcpy(s->faces + 6 * (size_t)q, cuts[other], sizeof *cuts);
    }
}

/* Makes the grid irregular; each particle carries a third of its triangles. */
static void make_mesh(cloth_gate_sheet *s)
{
    hed_cloth_garment_def *garment = &s->garment;
    float *inverse = s->grid.inverse_masses;
    jitter_particles(s);
    cut_cells(s, true);
    garment->quad_count = garment->grid_width = garment->grid_height = 0;
    garment->quads = NULL;
    garment->triangles = s->faces;
    garment->triangle_count = s->face_count;
    garment->fabric = &GIVES;
    garment->warp_axis[0] = 1;
    for (uint32_t i = 0; i < garment->particle_count; i++) inverse[i] = 0;
    for (uint32_t f = 0; f < s->face_count; f++) {
        const uint32_t *v = s->faces + 3 * (size_t)f;
        const float *a = s->grid.positions + 3 * (size_t)v[0],
                    *b = s->grid.positions + 3 * (size_t)v[1],
                    *c = s->grid.positions + 3 * (size_t)v[2];
        float area = fabsf((b[0] - a[0]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[0] - a[0])) / 2;
        for (int k = 0; k < 3; k++) inverse[v[k]] += GIVES.density * area / 3;
    }
    for (uint32_t i = 0; i < garment->particle_count; i++) inverse[i] = 1 / inverse[i];
    inverse[0] = inverse[s->grid.n - 1] = 0;
}

/* Lays the rear half over the front half, a cell above it, centred over the ball. */
static void fold(cloth_gate_sheet *s)
{
    float *start = s->start;
    uint32_t n = s->grid.n, front = n / 2;
    float step = 2.0f / (float)(n - 1);
    for (uint32_t i = 0; i < n * n; i++) {
        uint32_t row = i / n;
        bool above = row >= front;
        float z = step * (above ? 2.0f * (float)front - 1 - (float)row : (float)row);
        const float position[3] = {s->grid.positions[3 * (size_t)i], above ? step : 0, z - 0.5f};
        memcpy(start + 3 * (size_t)i, position, sizeof position);
    }
    cut_cells(s, false);
    s->garment.self_collision = HED_CLOTH_SELF_TRIANGLES;
    /* or what keeps the middle of a cell's diagonal outside of the ball, with a margin of a fifth */
    s->garment.thickness = fmaxf(
        n > 128 ? 0.003f : 0.004f, 1.2f * 2.0f * step * step / (8.0f * CLOTH_GATE_BALL_RADIUS));
    s->garment.friction = 0.4f;
}

void cloth_gate_sheet_roughen(cloth_gate_sheet *s, uint32_t seed)
{
    for (uint32_t i = 0; i < s->garment.particle_count; i++)
        s->start[3 * (size_t)i + 1] = random_between(&seed, -UNEVEN, UNEVEN);
}

hed_status cloth_gate_sheet_create(
    cloth_gate_kind kind, uint32_t n, cloth_gate_sheet *s, hed_error *error)
{
    bool has_faces = kind == CLOTH_GATE_MESH || kind == CLOTH_GATE_FOLDED;
    *s = (cloth_gate_sheet){.arena = {.owner = "a sheet"}};
    if (cli_sheet_create(n, &s->grid, error)) return error->status;
    float step = 2.0f / (float)(n - 1), inverse_mass = 1 / (RIGID.density * step * step);
    for (uint32_t i = 0; i < n * n; i++) {
        bool is_corner = s->grid.inverse_masses[i] <= 0.0f;
        bool is_pinned = kind == CLOTH_GATE_ROW ? i < n : is_corner && !cloth_gate_falls(kind);
        s->grid.inverse_masses[i] = is_pinned ? 0.0f : inverse_mass;
    }
    s->garment = cli_sheet_garment(&s->grid);
    s->garment.fabric = &RIGID;
    s->face_count = has_faces ? 2 * s->garment.quad_count : 0;
    s->faces = hed_arena_new(&s->arena, s->face_count, 3 * sizeof *s->faces, error);
    s->start = hed_arena_new(
        &s->arena, cloth_gate_falls(kind) ? (size_t)n * n : 0, 3 * sizeof *s->start, error);
    if (error->status) {
        cloth_gate_sheet_free(s);
        return error->status;
    }
    if (cloth_gate_falls(kind)) {
        memcpy(s->start, s->grid.positions, 3 * (size_t)n * n * sizeof *s->start);
        s->garment.rest_positions = s->grid.positions;
        s->garment.positions = s->start;
    }
    if (kind == CLOTH_GATE_MESH) make_mesh(s);
    if (kind == CLOTH_GATE_FOLDED) fold(s);
    return error->status;
}

void cloth_gate_sheet_free(cloth_gate_sheet *s)
{
    hed_arena_free(&s->arena);
    cli_sheet_free(&s->grid);
}
