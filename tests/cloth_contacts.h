/* Sheets, a cloth of them and what is measured of it, for tests of collisions. */
#ifndef HED_TESTS_CLOTH_CONTACTS_H
#define HED_TESTS_CLOTH_CONTACTS_H

#include <math.h>

#include "testing.h"

#include "heddle/cloth.h"

/* A square sheet of n x n particles in the xz plane, flat at rest, as quads and as triangles. */
typedef struct sheet {
    uint32_t n;
    float spacing;
    float (*positions)[3], (*rest)[3], *inverse_masses;
    uint32_t (*quads)[4];
    hed_cloth_garment_def def; /* points at the above */
} sheet;

static inline sheet sheet_make(uint32_t n, float size)
{
    sheet s = {.n = n, .spacing = size / (float)(n - 1)};
    s.positions = calloc(n * n, sizeof *s.positions);
    s.rest = calloc(n * n, sizeof *s.rest);
    s.inverse_masses = calloc(n * n, sizeof *s.inverse_masses);
    s.quads = calloc((n - 1) * (n - 1), sizeof *s.quads);
    for (uint32_t i = 0; i < n * n; i++) {
        s.rest[i][0] = s.positions[i][0] = (float)(i % n) * s.spacing - 0.5f * size;
        s.rest[i][2] = s.positions[i][2] = (float)(i / n) * s.spacing - 0.5f * size;
        s.inverse_masses[i] = 1.0f / (0.2f * s.spacing * s.spacing);
    }
    for (uint32_t q = 0; q < (n - 1) * (n - 1); q++) {
        uint32_t a = q / (n - 1) * n + q % (n - 1);
        memcpy(s.quads[q], (uint32_t[]){a, a + n, a + n + 1, a + 1}, sizeof s.quads[q]);
    }
    s.def = hed_default_cloth_garment_def();
    s.def.particle_count = n * n;
    s.def.positions = s.positions[0];
    s.def.rest_positions = s.rest[0];
    s.def.inverse_masses = s.inverse_masses;
    s.def.grid_width = s.def.grid_height = n;
    s.def.quads = s.quads[0];
    s.def.quad_count = (n - 1) * (n - 1);
    s.def.thickness = s.spacing;
    s.def.friction = 0.5f;
    for (int f = 0; f < HED_CLOTH_FAMILY_COUNT; f++) s.def.family[f] = true;
    return s;
}

static inline void sheet_free(sheet *s)
{
    free(s->positions);
    free(s->rest);
    free(s->inverse_masses);
    free(s->quads);
}

/* Up by `height` and turned by `angle` about y. */
static inline void sheet_put(sheet *s, float height, float angle)
{
    for (uint32_t i = 0; i < s->n * s->n; i++) {
        float x = s->rest[i][0], z = s->rest[i][2];
        s->positions[i][0] = cosf(angle) * x - sinf(angle) * z;
        s->positions[i][1] = s->rest[i][1] + height;
        s->positions[i][2] = sinf(angle) * x + cosf(angle) * z;
    }
}

/* Folded in the middle of z: a half, half a turn of the given gap, the other half above. */
static inline void sheet_fold(sheet *s, float height, float gap)
{
    float size = s->spacing * (float)(s->n - 1), radius = 0.5f * gap, arc = 3.14159265f * radius,
          half = 0.5f * (size - arc);
    for (uint32_t i = 0; i < s->n * s->n; i++) {
        float along = s->rest[i][2] + 0.5f * size, angle = (along - half) / radius;
        float *p = s->positions[i];
        p[0] = s->rest[i][0];
        p[1] = height + (along < half            ? 0.0f
                            : along < half + arc ? radius - radius * cosf(angle)
                                                 : gap);
        p[2] = along < half         ? along
               : along < half + arc ? half + radius * sinf(angle)
                                    : half - (along - half - arc);
    }
}

typedef struct dressed {
    hed_cloth *cloth;
    uint32_t particles;
    float (*positions)[3];
} dressed;

/* Strict, in colours: what is expected holds for every device alike. */
static inline hed_cloth_def dressed_def(const hed_cloth_garment_def *garments, uint32_t count)
{
    hed_cloth_def def = hed_default_cloth_def();
    def.substeps = 5;
    def.garments = garments;
    def.garment_count = count;
    def.math = HED_MATH_STRICT;
    def.solver = HED_CLOTH_SOLVER_COLOURS;
    def.max_collider_triangles = 20000;
    return def;
}

static inline dressed dressed_make(hed_device *device, const hed_cloth_def *def)
{
    hed_error error = {0};
    dressed d = {0};
    OK(hed_cloth_create(device, def, &d.cloth, &error));
    d.particles = hed_cloth_particle_count(d.cloth);
    d.positions = calloc(d.particles, sizeof *d.positions);
    return d;
}

static inline void dressed_free(dressed *d)
{
    hed_cloth_destroy(d->cloth);
    free(d->positions);
}

/* Making a cloth when one allocation after another fails: an error that says so, and nothing is
 * left. */
static inline void dressed_starves(const hed_cloth_def *def)
{
    bool made = false;
    uint32_t refused = 0;
    for (int64_t n = 1; n < 2000 && !made; n++) {
        test_allocator memory = {0};
        hed_context_def context = hed_default_context_def();
        context.allocator = test_allocator_of(&memory);
        test_device t = test_open(&context);
        hed_cloth *cloth = NULL;
        memory.calls = 0;
        memory.fail_at = n;
        hed_error failed = {0};
        hed_status status = hed_cloth_create(t.device, def, &cloth, &failed);
        memory.fail_at = 0;
        made = status == HED_OK;
        CHECK(made || status == HED_ERROR_MEMORY || status == HED_ERROR_DEVICE_MEMORY, "%s: %s",
            hed_status_name(status), failed.text);
        hed_cloth_destroy(cloth);
        test_close(&t);
        refused += !made;
        CHECK(memory.live == 0, "%lld blocks are left when allocation %lld fails",
            (long long)memory.live, (long long)n);
    }
    CHECK(made && refused > 20, "%u allocations were refused", refused);
}

static inline void dressed_step(dressed *d, const hed_cloth_frame *frame)
{
    hed_error error = {0};
    OK(hed_cloth_step(d->cloth, frame, &error));
    OK(hed_cloth_read(d->cloth, d->positions[0], NULL, NULL, &error));
}

static inline hed_cloth_metrics dressed_measure(dressed *d)
{
    hed_error error = {0};
    hed_cloth_metrics quality;
    OK(hed_cloth_evaluate(d->cloth, &quality, &error));
    CHECK(quality.not_finite == 0, "%llu particles are not finite",
        (unsigned long long)quality.not_finite);
    return quality;
}

/* A closed ball of triangles: 2 x rings x slices. */
typedef struct ball {
    uint32_t vertex_count, triangle_count;
    float (*positions)[3], (*unit)[3];
    uint32_t (*triangles)[3];
} ball;

static inline void ball_put(ball *b, float x, float y, float z, float radius)
{
    for (uint32_t v = 0; v < b->vertex_count; v++) {
        b->positions[v][0] = x + radius * b->unit[v][0];
        b->positions[v][1] = y + radius * b->unit[v][1];
        b->positions[v][2] = z + radius * b->unit[v][2];
    }
}

static inline ball ball_make(uint32_t rings, uint32_t slices)
{
    ball b = {.vertex_count = 2 + (rings - 1) * slices, .triangle_count = 2 * (rings - 1) * slices};
    b.positions = calloc(b.vertex_count, sizeof *b.positions);
    b.unit = calloc(b.vertex_count, sizeof *b.unit);
    b.triangles = calloc(b.triangle_count, sizeof *b.triangles);
    uint32_t south = b.vertex_count - 1, t = 0;
    b.unit[0][1] = 1.0f;
    b.unit[south][1] = -1.0f;
    for (uint32_t i = 0; i < (rings - 1) * slices; i++) {
        double down = M_PI * (1 + i / slices) / rings, around = 2 * M_PI * (i % slices) / slices;
        b.unit[1 + i][0] = (float)(sin(down) * cos(around));
        b.unit[1 + i][1] = (float)cos(down);
        b.unit[1 + i][2] = (float)(sin(down) * sin(around));
    }
    for (uint32_t s = 0; s < slices; s++) {
        uint32_t next = (s + 1) % slices, last = 1 + (rings - 2) * slices;
        memcpy(b.triangles[t++], (uint32_t[]){0, 1 + next, 1 + s}, 12);
        memcpy(b.triangles[t++], (uint32_t[]){south, last + s, last + next}, 12);
        for (uint32_t r = 0; r + 2 < rings; r++) {
            uint32_t a = 1 + r * slices + s, c = 1 + r * slices + next;
            memcpy(b.triangles[t++], (uint32_t[]){a, c, c + slices}, 12);
            memcpy(b.triangles[t++], (uint32_t[]){a, c + slices, a + slices}, 12);
        }
    }
    CHECK(t == b.triangle_count);
    return b;
}

static inline void ball_free(ball *b)
{
    free(b->positions);
    free(b->unit);
    free(b->triangles);
}

static inline hed_cloth_mesh_collider ball_collider(const ball *b, float friction)
{
    return (hed_cloth_mesh_collider){
        b->vertex_count, b->triangle_count, b->positions[0], b->triangles[0], friction, NULL};
}

#endif
