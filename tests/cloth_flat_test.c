/* Which parts of cloth cannot cross themselves, shown from how their triangles lie: convex ones at
 * rest are found, and where the proof says so, no two points are nearer than it says, wherever
 * within their bounds the vertices are. */
#include "cloth_sheet.h"

#include "contact/contact_host.h"

enum { N = 9, LEAVES = 128, CELLS = (N - 1) * (N - 1) };

typedef struct flat_sheet {
    hed_cloth *cloth;
    hed_arena scratch;
    contact_triangle triangles[LEAVES];
    cloth_flat flat;
} flat_sheet;

/* A sheet of which some quads are left out, each leaf a triangle, in rows. */
static void flat_open(flat_sheet *f, const test_device *t, const bool *without)
{
    sheet s = sheet_make(N);
    uint32_t quads = 0, leaf = 0;
    s.garment.self_collision = HED_CLOTH_SELF_TRIANGLES;
    s.garment.thickness = 0.05f;
    s.garment.grid_width = s.garment.grid_height = 0;
    *f = (flat_sheet){.scratch = {.allocator = hed_default_allocator(), .owner = "test"}};
    for (uint32_t i = 0; i < LEAVES; i++) f->triangles[i].a = CONTACT_NO_LEAF;
    for (uint32_t q = 0; q < CELLS; q++) {
        if (without && without[q]) continue;
        const uint32_t *c = s.quads + 4 * q;
        f->triangles[leaf++] = (contact_triangle){c[0], c[1], c[2], 0};
        f->triangles[leaf++] = (contact_triangle){c[0], c[2], c[3], 0};
        memmove(s.quads + 4 * quads++, c, 16);
    }
    s.garment.quad_count = quads;
    hed_cloth_def def = def_of(&s);
    OK(hed_cloth_create(t->device, &def, &f->cloth, &error));
    OK(cloth_flat_make(f->cloth, f->triangles, LEAVES, &f->scratch, &f->flat, &error));
    sheet_free(&s);
}

static void flat_close(flat_sheet *f)
{
    hed_arena_free(&f->scratch);
    hed_cloth_destroy(f->cloth);
}

Test(cloth_flat, a_square_is_convex_and_its_rows_are)
{
    test_device t = test_open(NULL);
    flat_sheet f;
    flat_open(&f, &t, NULL);
    for (uint32_t node = 1; node < LEAVES; node *= 2) /* halves, quarters, ..., triangles */
        for (uint32_t i = node; i < 2 * node; i++) CHECK(f.flat.convex[i], "node %u", i);
    CHECK(f.flat.gradients[0].x != 0.0f || f.flat.gradients[0].y != 0.0f);
    flat_close(&f);
    test_close(&t);
}

Test(cloth_flat, a_notch_and_a_hole_are_not)
{
    test_device t = test_open(NULL);
    for (int hole = 0; hole < 2; hole++) {
        bool without[CELLS] = {false};
        flat_sheet f;
        without[hole ? CELLS / 2 + (N - 1) / 2 : 0] = true;
        flat_open(&f, &t, without);
        for (uint32_t i = 1; i < 2 * LEAVES; i++) CHECK(!f.flat.convex[i], "node %u", i);
        flat_close(&f);
    }
    test_close(&t);
}

static float flat_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 8388608.0f - 1.0f;
}

/* The least distance of two points over that at rest. */
static double flat_nearest(const float4 *places, const float4 *rest, uint32_t *state, int points)
{
    double least = 1e9;
    for (int i = 0; i < points; i++) {
        double at[2][3] = {{0}}, was[2][3] = {{0}};
        for (int k = 0; k < 2; k++) {
            uint32_t x = (uint32_t)((flat_random(state) + 1.0f) * 0.5f * (N - 1)),
                     y = (uint32_t)((flat_random(state) + 1.0f) * 0.5f * (N - 1)),
                     v = (y < N - 1 ? y : N - 2) * N + (x < N - 1 ? x : N - 2);
            double a = (flat_random(state) + 1.0) / 2.0, b = (flat_random(state) + 1.0) / 2.0;
            if (b > a) { /* as the quads are cut: v, v + N, v + N + 1 */
                double swap = a;
                a = b;
                b = swap;
            }
            const uint32_t corner[3] = {v, v + N, v + N + 1};
            const double share[3] = {1.0 - a, a - b, b};
            for (int c = 0; c < 3; c++) {
                const float4 *p = &places[corner[c]], *r = &rest[corner[c]];
                const double here[3] = {p->x, p->y, p->z}, there[3] = {r->x, r->y, r->z};
                for (int l = 0; l < 3; l++) {
                    at[k][l] += share[c] * here[l];
                    was[k][l] += share[c] * there[l];
                }
            }
        }
        double now = 0.0, then = 0.0;
        for (int l = 0; l < 3; l++) {
            now += (at[0][l] - at[1][l]) * (at[0][l] - at[1][l]);
            then += (was[0][l] - was[1][l]) * (was[0][l] - was[1][l]);
        }
        if (then > 1e-8 && now / then < least) least = now / then;
    }
    return sqrt(least);
}

/* Whether the whole sheet is shown not to meet itself. */
static bool flat_shown(contact_tree tree, float cover)
{
    contact_params params = {.leaves = LEAVES, .cover = cover};
    for (uint32_t leaf = 0; leaf < LEAVES; leaf++) contact_slope(leaf, tree, params);
    for (uint32_t node = 2 * LEAVES - 1; node > 0; node--) {
        contact_refit(node, tree, params);
        contact_prove(node, tree);
    }
    return tree.boxes[2].w > 0.0f;
}

/* Columns 0.25 m apart: each is let off by nearly the half of that, or they go ways to and fro, or
 * every other gap is a tenth as wide. */
Test(cloth_flat, what_may_meet_is_not_shown)
{
    test_device t = test_open(NULL);
    flat_sheet f;
    flat_open(&f, &t, NULL);
    static float4 rest[N * N], start[N * N], ahead[N * N], boxes[4 * LEAVES], slopes[3 * LEAVES],
        ranges[8 * LEAVES], bodies[1] = {{0.05f, 0, 0, 0}};
    contact_tree tree = {boxes, f.triangles, f.flat.gradients, slopes, ranges, f.flat.around_at,
        f.flat.around, f.flat.convex, start, ahead, rest, bodies};
    for (uint32_t way = 0; way < 3; way++)
        for (uint32_t narrow = 0; narrow < 2; narrow++) {
            for (uint32_t i = 0; i < N * N; i++) {
                float to = i % N % 2 ? -0.1125f : 0.1125f;
                start[i] = (float4){0.25f * (float)(i % N), 1.0f, 0.25f * (float)(i / N), 1.0f};
                if (narrow) start[i].x += to;
                ahead[i] = start[i];
                ahead[i].x += (float)way * to;
            }
            EXPECT(
                flat_shown(tree, 0.001f) == (way + narrow == 0), "ways %u, narrow %u", way, narrow);
            EXPECT(!flat_shown(tree, 0.12f), "far off, ways %u, narrow %u", way, narrow);
        }
    flat_close(&f);
    test_close(&t);
}

/* Sheets that are rolled up and wrinkled more and more, whose vertices go ways and leave them. */
Test(cloth_flat, what_is_shown_holds)
{
    enum { SHEETS = 400, TRIES = 20 };
    test_device t = test_open(NULL);
    flat_sheet f;
    flat_open(&f, &t, NULL);
    static float4 rest[N * N], start[N * N], ahead[N * N], at[N * N], boxes[4 * LEAVES],
        slopes[3 * LEAVES], ranges[8 * LEAVES], bodies[1] = {{0.05f, 0, 0, 0}};
    contact_tree tree = {boxes, f.triangles, f.flat.gradients, slopes, ranges, f.flat.around_at,
        f.flat.around, f.flat.convex, start, ahead, rest, bodies};
    uint32_t state = 5, shown = 0, crossing = 0;
    for (uint32_t i = 0; i < N * N; i++)
        rest[i] = (float4){0.25f * (float)(i % N), 0.0f, 0.25f * (float)(i / N), 0.0f};
    for (uint32_t made = 0; made < SHEETS; made++) {
        float rolled = 0.01f + 4.0f * (float)(made % 20) / 20.0f,
              wrinkled = 0.004f * (float)(made / 20 % 10), way = 0.02f * (float)(made % 7);
        float cover = 0.01f * (float)(made % 3);
        for (uint32_t i = 0; i < N * N; i++) {
            float turn = rolled * (rest[i].x - 1.0f);
            start[i] = (float4){sinf(turn) / rolled + wrinkled * flat_random(&state),
                cosf(turn) / rolled + wrinkled * flat_random(&state),
                rest[i].z + wrinkled * flat_random(&state), 1.0f};
            ahead[i] = (float4){start[i].x + way * flat_random(&state),
                start[i].y + way * flat_random(&state), start[i].z + way * flat_random(&state),
                1.0f};
        }
        bool root = flat_shown(tree, cover);
        double middle = 0.0, least = 1e9;
        for (int k = 0; k < TRIES; k++) {
            for (uint32_t i = 0; i < N * N; i++) {
                float share = k ? 0.5f + 0.5f * flat_random(&state) : 0.5f,
                      off = k ? cover / 1.7321f : 0.0f; /* in a ball */
                at[i] = (float4){start[i].x + share * (ahead[i].x - start[i].x),
                    start[i].y + share * (ahead[i].y - start[i].y),
                    start[i].z + share * (ahead[i].z - start[i].z), 1.0f};
                at[i].x += off * flat_random(&state);
                at[i].y += off * flat_random(&state);
                at[i].z += off * flat_random(&state);
            }
            double nearest = flat_nearest(at, rest, &state, 500);
            if (k == 0) middle = nearest;
            least = fmin(least, nearest);
        }
        crossing += least < CONTACT_MIN_SPREAD;
        if (!root) continue;
        shown++;
        EXPECT(middle >= CONTACT_MIN_STRETCH && least >= CONTACT_MIN_SPREAD,
            "sheet %u: %g of the distance at rest in the middle, %g at the least", made, middle,
            least);
    }
    printf("%u of %u sheets shown to be free of contact, %u are not\n", shown, SHEETS, crossing);
    EXPECT(shown > SHEETS / 40 && shown + crossing <= SHEETS && crossing > 0);
    flat_close(&f);
    test_close(&t);
}
