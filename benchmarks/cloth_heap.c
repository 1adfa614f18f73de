/* Heap of layers of cotton, 1 m x 1 m, 1 cm above each other and turned against each other, as in the
 * scene of Offset Geometric Contact (Chen et al. 2025: 50 layers, 246,000 vertices). */
#include "benchmarks/cloth_heap.h"
#include "benchmarks/cloth_row.h"

#include "heddle/author.h"
#include "heddle/cloth_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const cloth_heap_case CASES[] = {{"heap of 50 layers of 70 x 70", 50, 70, 20}};
static const float SIDE = 1.0f, GAP = 0.01f, TURN = 0.37f; /* m, m, rad */
static const float RADIUS = 0.2f, FLOOR = -0.35f;          /* m */

enum { JUDGED = 10 }; /* frames from one judged frame to the next */

/* Arrays of a heap. */
typedef struct heap {
    uint32_t layers, n, triangle_count;
    hed_cloth_garment_def *garments;   /* (layers) */
    hed_cloth_check_surface *surfaces; /* (layers) */
    uint32_t *triangles;               /* (triangle_count x 3) of each layer */
    float *positions;                  /* (layers x n x n x 3) m */
    float *inverse_masses;             /* (n x n) 1/kg */
    hed_arena arena;
} heap;

/* Fills the layers' garments; no thinner than that a cell stays outside of the ball. */
static void make_layers(const heap *h, bool contact)
{
    const float step = SIDE / (float)(h->n - 1), sagitta = step * step / (4.0f * RADIUS);
    const hed_cloth_fabric *fabric = hed_cloth_fabric_named("cotton");
    const uint32_t count = h->n * h->n;
    uint32_t *corner = h->triangles;
    for (uint32_t i = 0; i < count; i++) {
        h->inverse_masses[i] = 1.0f / (fabric->density * step * step);
        if (i % h->n + 1 == h->n || i / h->n + 1 == h->n) continue;
        const uint32_t cut[6] = {i, i + h->n, i + h->n + 1, i, i + h->n + 1, i + 1};
        memcpy(corner, cut, sizeof cut);
        corner += 6;
    }
    for (uint32_t layer = 0; layer < h->layers; layer++) {
        hed_cloth_garment_def *garment = h->garments + layer;
        const float angle = TURN * (float)layer, cosine = cosf(angle), sine = sinf(angle);
        float *position = h->positions + 3 * (size_t)layer * count;
        *garment = hed_default_cloth_garment_def();
        garment->name = "layer";
        garment->particle_count = count;
        garment->positions = position;
        garment->inverse_masses = h->inverse_masses;
        garment->grid_width = garment->grid_height = h->n;
        garment->fabric = fabric;
        garment->lattices = true;
        garment->friction = 0.4f;
        garment->self_collision = contact ? HED_CLOTH_SELF_TRIANGLES : HED_CLOTH_SELF_NONE;
        garment->thickness = fmaxf(0.003f, 1.2f * sagitta);
        h->surfaces[layer] = (hed_cloth_check_surface){.vertex_count = count,
            .triangle_count = h->triangle_count,
            .positions = garment->positions,
            .triangles = h->triangles};
        for (uint32_t i = 0; i < count; i++, position += 3) {
            const float x = step * (float)(i % h->n) - 0.5f * SIDE,
                        z = step * (float)(i / h->n) - 0.5f * SIDE;
            position[0] = cosine * x - sine * z;
            position[1] = GAP * (float)(layer + 1);
            position[2] = sine * x + cosine * z;
        }
    }
}

static hed_status heap_create(const cloth_heap_case *c, bool contact, heap *h, hed_error *error)
{
    *h = (heap){.layers = c->layers,
        .n = c->n,
        .triangle_count = 2 * (c->n - 1) * (c->n - 1),
        .arena = {.owner = "a heap"}};
    h->garments = hed_arena_new(&h->arena, c->layers, sizeof *h->garments, error);
    h->surfaces = hed_arena_new(&h->arena, c->layers, sizeof *h->surfaces, error);
    h->triangles = hed_arena_new(&h->arena, h->triangle_count, 3 * sizeof *h->triangles, error);
    h->positions = hed_arena_new(
        &h->arena, (uint64_t)c->layers * c->n * c->n, 3 * sizeof *h->positions, error);
    h->inverse_masses =
        hed_arena_new(&h->arena, (uint64_t)c->n * c->n, sizeof *h->inverse_masses, error);
    if (error->status) hed_arena_free(&h->arena);
    else make_layers(h, contact);
    return error->status;
}

/* Drops the layers; counts the pairs of triangles that cross. */
static hed_status drop_heap(hed_cloth *cloth, const heap *h, cloth_heap_row *row, hed_error *error)
{
    const hed_cloth_collider colliders[2] = {
        {.shape = HED_CLOTH_SPHERE, .a = {0, -RADIUS, 0}, .radius = {RADIUS, 0}, .friction = 0.4f},
        {.shape = HED_CLOTH_PLANE, .a = {0, FLOOR, 0}, .b = {0, 1, 0}, .friction = 0.5f}};
    const hed_cloth_check_def judge = {.surfaces = h->surfaces, .surface_count = h->layers};
    const size_t particles = (size_t)h->layers * h->n * h->n;
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.colliders = colliders;
    frame.collider_count = 2;
    for (int f = 0; f < CLOTH_HEAP_FRAMES && !error->status; f++) {
        hed_cloth_metrics quality = {0};
        const uint64_t start = hed_now();
        hed_cloth_step(cloth, &frame, error);
        hed_cloth_wait(cloth, error);
        row->seconds[f] = (double)(hed_now() - start) * 1e-9;
        hed_cloth_evaluate(cloth, &quality, error);
        row->p99 = fmax(row->p99, quality.stretch_p99);
        row->worst = fmax(row->worst, quality.worst_stretch);
        if ((f + 1) % JUDGED == 0 && !hed_cloth_read(cloth, h->positions, NULL, NULL, error)) {
            hed_cloth_crossings found = {.deepest = 0};
            hed_cloth_check(&judge, &found, error);
            row->crossings +=
                found.count[HED_CLOTH_CROSSES_ITSELF] + found.count[HED_CLOTH_CROSSES_CLOTH];
            hed_cloth_crossings_free(&found);
        }
        if (hed_interrupted() && !error->status) hed_fail(error, HED_ERROR_TIMEOUT, "interrupted");
    }
    for (size_t i = 0; i < particles; i++) row->height += (double)h->positions[3 * i + 1];
    row->height /= (double)particles;
    row->info = hed_cloth_describe(cloth);
    return error->status;
}

hed_status cloth_heap_measure(const cloth_heap_case *c, hed_device *device, bool contact,
    cloth_heap_row *row, hed_error *error)
{
    heap h;
    hed_cloth *cloth = NULL;
    *row = (cloth_heap_row){.crossings = 0};
    if (heap_create(c, contact, &h, error)) return error->status;
    hed_cloth_def def = hed_default_cloth_def();
    def.garments = h.garments;
    def.garment_count = c->layers;
    def.substeps = c->substeps;
    def.max_colliders = 2;
    if (!hed_cloth_create(device, &def, &cloth, error)) drop_heap(cloth, &h, row, error);
    hed_cloth_destroy(cloth);
    hed_arena_free(&h.arena);
    return error->status;
}

/* ---- rows ---- */

static void add_heap_record(const cloth_heap_case *c, const cloth_heap_row *result,
    const hed_device_info *info, cli_report *to)
{
    double seconds[CLOTH_HEAP_FRAMES];
    memcpy(seconds, result->seconds, sizeof seconds);
    const hed_summary times = hed_summarize(seconds, CLOTH_HEAP_FRAMES);
    char name[96], stretch[32];
    snprintf(name, sizeof name, "%s, %u substeps%s", c->name, c->substeps,
        result->crossings ? ": crosses" : "");
    snprintf(stretch, sizeof stretch, "%.2f", 100 * result->worst);
    const cloth_row row = {.device = info->id,
        .name = c->name,
        .shown = name,
        .stretch = stretch,
        .substeps = c->substeps,
        .frames = CLOTH_HEAP_FRAMES,
        .seconds = times.p50,
        .spread = hed_bench_spread(&times),
        .single = times.p50,
        .bound = NAN,
        .worst = result->worst,
        .p99 = result->p99};
    cloth_row_begin(to, &row, &result->info);
    cli_report_more(to, CLI_NUMBER("crossings", (double)result->crossings));
    cloth_row_end(to, &row, &result->info);
}

bool cloth_heap_matches(const char *only)
{
    for (size_t i = 0; i < HED_COUNT(CASES); i++)
        if (!only || strstr(CASES[i].name, only)) return true;
    return false;
}

hed_status cloth_heap_run(hed_device *device, const char *only, cli_report *to, hed_error *error)
{
    const hed_device_info info = hed_device_describe(device);
    for (size_t i = 0; i < HED_COUNT(CASES) && !error->status; i++) {
        cloth_heap_row row;
        if (only ? !strstr(CASES[i].name, only) : info.type == HED_DEVICE_CPU) continue;
        hed_status status = cloth_heap_measure(&CASES[i], device, true, &row, error);
        if (!status) add_heap_record(&CASES[i], &row, &info, to);
        if (status != HED_ERROR_UNSUPPORTED && status != HED_ERROR_DEVICE_MEMORY) continue;
        fprintf(stderr, "heddle: %s on %s: %s\n", CASES[i].name, info.id, error->text);
        hed_error_clear(error);
    }
    return error->status;
}
