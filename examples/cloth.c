/* cloth: a cape on a walking body, as in a game. Each frame the program passes the animation
 * (skinned positions of the cape, the body's capsule, the wind), does other work while the device
 * computes, and reads vertices and normals. Once the body is teleported by 20 m, as through a door.
 * HEDDLE_DEVICE chooses the device. */
#include <math.h>
#include <stdio.h>

#include "heddle/cloth.h"
#include "heddle/heddle.h"

enum { COLUMNS = 25, ROWS = 33, PARTICLES = COLUMNS * ROWS, FRAMES = 300, TELEPORT_AT = 150 };

static float rest[PARTICLES][3], rest_normals[PARTICLES][3]; /* shape as modelled */
static float max_distance[PARTICLES], backstop[PARTICLES];
static uint32_t quads[(COLUMNS - 1) * (ROWS - 1)][4];
static float driver[PARTICLES][3], driver_normals[PARTICLES][3]; /* vertices of the present frame */
static float vertices[PARTICLES][3], normals[PARTICLES][3];      /* results */

/* painted value, 0 at the shoulders */
static float hang_of(int p) { return (float)(p / COLUMNS) / (ROWS - 1); }

/* A cape behind the shoulders, a little round the back. A painted map limits the distance of each
 * particle from its skinned position, by its height. */
static hed_cloth_garment_def make_cape(void)
{
    for (int p = 0, q = 0; p < PARTICLES; p++) {
        int i = p % COLUMNS, j = p / COLUMNS;
        float hang = hang_of(p), radius = 0.22f + 0.1f * hang;
        float round = ((float)i / (COLUMNS - 1) - 0.5f) * 2.2f;
        rest_normals[p][0] = sinf(round), rest_normals[p][2] = -cosf(round);
        for (int k = 0; k < 3; k++) rest[p][k] = radius * rest_normals[p][k];
        rest[p][1] = 1.45f - 1.1f * hang;
        max_distance[p] = 0.8f * hang * hang; /* 0 locks the particle */
        backstop[p] = -0.02f * hang;          /* maximum depth inside the body */
        uint32_t corner = (uint32_t)p;
        if (i + 1 == COLUMNS || j + 1 == ROWS) continue;
        quads[q][0] = corner, quads[q][1] = corner + 1;
        quads[q][2] = corner + COLUMNS + 1, quads[q++][3] = corner + COLUMNS;
    }
    hed_cloth_garment_def cape = hed_default_cloth_garment_def();
    cape.name = "cape";
    cape.particle_count = PARTICLES;
    cape.positions = driver[0]; /* starts in the first pose of the animation */
    cape.rest_positions = rest[0];
    cape.quad_count = (COLUMNS - 1) * (ROWS - 1);
    cape.quads = quads[0];
    cape.grid_width = COLUMNS;
    cape.grid_height = ROWS;
    cape.driven = true;
    cape.max_distance = max_distance;
    cape.backstop_distance = backstop;
    cape.tethers = true;
    cape.drag = 1.2f;
    cape.lift = 0.6f;
    cape.damping = 0.2f;
    cape.thickness = 0.01f;
    return cape;
}

/* Places a point or direction of the body, which walks in a circle and continues elsewhere after
 * the teleport. */
static void place(int number, const float local[3], bool direction, float out[3])
{
    float way = 0.02f * (float)number, c = -sinf(way), s = cosf(way); /* faces along the circle */
    float x = 2 * sinf(way) + (number >= TELEPORT_AT ? 20.0f : 0.0f), z = 2 * cosf(way);
    out[0] = c * local[0] + s * local[2] + (direction ? 0 : x);
    out[1] = local[1];
    out[2] = -s * local[0] + c * local[2] + (direction ? 0 : z);
}

/* Computes the pose: the body, and a hem that swings with the steps. */
static void skin(int number)
{
    float swing = 0.05f * sinf(0.25f * (float)number);
    for (int p = 0; p < PARTICLES; p++) {
        place(number, (float[]){rest[p][0], rest[p][1], rest[p][2] + swing * hang_of(p)}, false,
            driver[p]);
        place(number, rest_normals[p], true, driver_normals[p]);
    }
}

static void run_frame(hed_cloth *cloth, int number, hed_error *error)
{
    static const float jump[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 20, 0, 0, 1};
    hed_cloth_collider torso = {
        .shape = HED_CLOTH_CAPSULE, .radius = {0.17f, 0.19f}, .friction = 0.3f};
    place(number, (float[]){0, 0.9f, 0}, false, torso.a);
    place(number, (float[]){0, 1.35f, 0}, false, torso.b);
    skin(number);
    hed_cloth_frame frame = hed_default_cloth_frame(); /* 1/60 s */
    frame.wind[0] = 3 + 2 * sinf(0.03f * (float)number);
    frame.gust = 0.5f;
    frame.driver_positions = driver[0];
    frame.driver_normals = driver_normals[0];
    frame.colliders = &torso;
    frame.collider_count = 1;
    /* moves the cape without a force */
    if (number == TELEPORT_AT) hed_cloth_teleport(cloth, 0, jump, error);
    hed_cloth_step(cloth, &frame, error); /* enqueues and returns; other work of the game is here */
    hed_cloth_read(cloth, vertices[0], normals[0], NULL, error); /* waits for the device */
    if (number % 60 == 59 && !error->status) {
        const float *hem = vertices[PARTICLES - 1 - COLUMNS / 2];
        printf("frame %3d: the middle of the hem is at %6.2f %5.2f %6.2f m\n", number,
            (double)hem[0], (double)hem[1], (double)hem[2]);
    }
}

int main(void)
{
    hed_error error = {0};
    hed_context *context = NULL;
    hed_device *device = NULL;
    hed_cloth *cloth = NULL;
    hed_cloth_metrics quality;
    hed_cloth_garment_def cape = make_cape();
    hed_cloth_def def = hed_default_cloth_def();
    def.garments = &cape;
    def.garment_count = 1;
    skin(0);
    hed_context_create(NULL, &context, &error);
    hed_device_find(context, NULL, &device, &error);
    hed_cloth_create(device, &def, &cloth, &error);
    hed_cloth_enable_normals(cloth, &error);
    uint64_t start = hed_now();
    for (int number = 0; number < FRAMES && !error.status; number++)
        run_frame(cloth, number, &error);
    double seconds = 1e-9 * (double)(hed_now() - start);
    hed_cloth_evaluate(cloth, &quality, &error);
    if (error.status) fprintf(stderr, "%s\n%s", error.text, error.log);
    else
        printf("%s: %d particles, %.3f ms a frame, worst stretch %.1f %%\n",
            hed_device_describe(device).name, PARTICLES, 1e3 * seconds / FRAMES,
            100 * quality.worst_stretch);
    hed_cloth_destroy(cloth);
    hed_context_destroy(context);
    return error.status != HED_OK;
}
