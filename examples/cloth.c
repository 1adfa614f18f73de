/* cloth: a cape on a walking body, as a game has it. Each frame the program feeds what its
 * animation gives (skinned positions of the cape, where the body's capsule is, the wind), lets the
 * device work, does work of its own meanwhile, and reads vertices and normals. The body is once
 * carried off by 20 m, as through a door, and once all begins anew. The device is chosen by
 * HEDDLE_DEVICE. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/cloth.h"
#include "heddle/heddle.h"

enum {
    COLUMNS = 25,
    ROWS = 33,
    PARTICLES = COLUMNS * ROWS,
    FRAMES = 300,
    TELEPORT_AT = 150,
    RESET_AT = 220
};

typedef struct cape {
    float rest[PARTICLES][3], rest_normals[PARTICLES][3];
    float hang[PARTICLES]; /* 0 at the shoulders, 1 at the hem */
    float max_distance[PARTICLES], backstop[PARTICLES];
    uint32_t quads[(COLUMNS - 1) * (ROWS - 1)][4];
    float driver[PARTICLES][3], driver_normals[PARTICLES][3]; /* of the present frame */
    float vertices[PARTICLES][3], normals[PARTICLES][3];      /* what came out */
} cape;

/* Behind the shoulders, a little round the back; how far each particle may leave the skinned place
 * is "painted" by height. */
static void make_cape(cape *c)
{
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++) {
            int p = j * COLUMNS + i;
            float hang = (float)j / (ROWS - 1), radius = 0.22f + 0.1f * hang;
            float round = ((float)i / (COLUMNS - 1) - 0.5f) * 2.2f;
            memcpy(c->rest[p],
                (float[]){radius * sinf(round), 1.45f - 1.1f * hang, -radius * cosf(round)},
                sizeof c->rest[p]);
            memcpy(c->rest_normals[p], (float[]){sinf(round), 0, -cosf(round)},
                sizeof c->rest_normals[p]);
            c->hang[p] = hang;
            c->max_distance[p] = 0.8f * hang * hang; /* 0 holds it fast */
            c->backstop[p] = -0.02f * hang;          /* so far it may sink in, and no further */
        }
    for (int j = 0, q = 0; j + 1 < ROWS; j++)
        for (int i = 0; i + 1 < COLUMNS; i++, q++) {
            uint32_t p = (uint32_t)(j * COLUMNS + i);
            memcpy(c->quads[q], (uint32_t[]){p, p + 1, p + COLUMNS + 1, p + COLUMNS},
                sizeof c->quads[q]);
        }
}

static hed_cloth_garment_def garment_of(const cape *c)
{
    hed_cloth_garment_def g = hed_default_cloth_garment_def();
    g.name = "cape";
    g.particle_count = PARTICLES;
    g.positions = c->rest[0];
    g.quad_count = (COLUMNS - 1) * (ROWS - 1);
    g.quads = c->quads[0];
    g.grid_width = COLUMNS;
    g.grid_height = ROWS;
    g.driven = true;
    g.max_distance = c->max_distance;
    g.backstop_distance = c->backstop;
    g.tethers = true;
    g.drag = 1.2f;
    g.lift = 0.6f;
    g.damping = 0.2f;
    g.thickness = 0.01f;
    return g;
}

/* Where the body is at a time: it walks a circle, which goes on elsewhere after the teleport. */
typedef struct body {
    float x, z, heading;
} body;

static body walk(int frame)
{
    float way = 0.02f * (float)frame;
    return (body){
        2 * sinf(way) + (frame >= TELEPORT_AT ? 20.0f : 0.0f), 2 * cosf(way), way + 1.5707963f};
}

static void place(const body *b, const float local[3], bool direction, float out[3])
{
    float c = cosf(b->heading), s = sinf(b->heading);
    out[0] = c * local[0] + s * local[2] + (direction ? 0 : b->x);
    out[1] = local[1];
    out[2] = -s * local[0] + c * local[2] + (direction ? 0 : b->z);
}

/* The animation's part: two bones, the body and the hem that swings with the steps, mixed by
 * `hang`. */
static void skin(cape *c, const body *b, int frame)
{
    float swing = 0.05f * sinf(0.25f * (float)frame);
    for (int p = 0; p < PARTICLES; p++) {
        float local[3] = {c->rest[p][0], c->rest[p][1], c->rest[p][2] + swing * c->hang[p]};
        place(b, local, false, c->driver[p]);
        place(b, c->rest_normals[p], true, c->driver_normals[p]);
    }
}

/* What else a game does in a frame. */
static void other_work(void)
{
    volatile double sum = 0;
    for (int i = 1; i < 100000; i++) sum = sum + 1.0 / i;
}

typedef struct timings {
    double first;                     /* s, of the frame in which kernels are compiled */
    double feed, work, read, slowest; /* s, of the others: sums but the last */
} timings;

static hed_status run_frame(hed_cloth *cloth, cape *c, int number, timings *t, hed_error *error)
{
    const uint64_t start = hed_now();
    /* of the animation, which begins anew as well */
    const int at = number < RESET_AT ? number : number - RESET_AT;
    body b = walk(at);
    hed_cloth_collider torso = {
        .shape = HED_CLOTH_CAPSULE, .radius = {0.17f, 0.19f}, .friction = 0.3f};
    place(&b, (float[]){0, 0.9f, 0}, false, torso.a);
    place(&b, (float[]){0, 1.35f, 0}, false, torso.b);
    skin(c, &b, at);
    hed_cloth_frame frame = hed_default_cloth_frame(); /* 1/60 s */
    frame.wind[0] = 3 + 2 * sinf(0.03f * (float)at);
    frame.gust = 0.5f;
    frame.driver_positions = c->driver[0];
    frame.driver_normals = c->driver_normals[0];
    frame.colliders = &torso;
    frame.collider_count = 1;
    hed_status status = HED_OK;
    /* carried by 20 m: the cape goes along as it is, and nothing pulls at it */
    if (number == TELEPORT_AT) {
        const float jump[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 20, 0, 0, 1};
        status = hed_cloth_teleport(cloth, 0, jump, error);
    }
    /* back to where it was made, at rest */
    if (number == RESET_AT) status = hed_cloth_reset(cloth, error);
    if (!status) status = hed_cloth_step(cloth, &frame, error); /* enqueues, and returns */
    const uint64_t fed = hed_now();
    if (status) return status;
    other_work();
    const uint64_t worked = hed_now();
    /* waits for the device */
    status = hed_cloth_read(cloth, c->vertices[0], c->normals[0], NULL, error);
    const uint64_t end = hed_now();
    const double whole = 1e-9 * (double)(end - start);
    if (number == 0) {
        t->first = whole;
        return status;
    }
    t->feed += 1e-9 * (double)(fed - start);
    t->work += 1e-9 * (double)(worked - fed);
    t->read += 1e-9 * (double)(end - worked);
    t->slowest = fmax(t->slowest, whole);
    return status;
}

static hed_status run(hed_device *device, cape *c, timings *t, hed_error *error)
{
    hed_cloth_garment_def garment = garment_of(c);
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth *cloth;
    def.garments = &garment;
    def.garment_count = 1;
    body start = walk(0);
    skin(c, &start, 0); /* it begins where the animation has it */
    garment.rest_positions = c->rest[0];
    garment.positions = c->driver[0];
    hed_status status = hed_cloth_create(device, &def, &cloth, error);
    if (status) return status;
    status = hed_cloth_enable_normals(cloth, error);
    for (int number = 0; number < FRAMES && !status; number++) {
        status = run_frame(cloth, c, number, t, error);
        if (number % 60 == 59 && !status) {
            const float *hem = c->vertices[PARTICLES - 1 - COLUMNS / 2];
            printf("frame %3d: the middle of the hem is at %6.2f %5.2f %6.2f m\n", number,
                (double)hem[0], (double)hem[1], (double)hem[2]);
        }
    }
    hed_cloth_metrics quality;
    hed_cloth_info report;
    if (!status) status = hed_cloth_evaluate(cloth, &quality, error);
    if (!status) {
        hed_cloth_report(cloth, &report);
        printf("%s, %s: %llu particles, %llu constraints, worst stretch %.1f %%\n",
            hed_device_describe(device)->name, hed_cloth_solver_name(report.solver),
            (unsigned long long)report.particles, (unsigned long long)report.constraints,
            100 * quality.worst_stretch);
        printf(
            "first frame %.1f ms; then each feeds %.3f ms, works %.3f ms meanwhile, waits and reads %.3f ms; "
            "slowest %.3f ms\n",
            1e3 * t->first, 1e3 * t->feed / (FRAMES - 1), 1e3 * t->work / (FRAMES - 1),
            1e3 * t->read / (FRAMES - 1), 1e3 * t->slowest);
    }
    hed_cloth_destroy(cloth);
    return status;
}

int main(void)
{
    hed_context *context;
    hed_device *device;
    hed_error error = {0};
    timings t = {0};
    cape *c = calloc(1, sizeof *c);
    if (!c || hed_context_create(NULL, &context, &error)) {
        fprintf(stderr, "%s\n", c ? error.text : "no memory");
        return 1;
    }
    make_cape(c);
    hed_status status = hed_device_find(context, NULL, &device, &error);
    if (!status) status = run(device, c, &t, &error);
    if (status) fprintf(stderr, "%s\n%s", error.text, error.log);
    hed_context_destroy(context);
    free(c);
    return status != HED_OK;
}
