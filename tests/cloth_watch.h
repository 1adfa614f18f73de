/* Cloth that never crosses cloth: sheets and a cape that are watched in every frame. */
#ifndef HED_TESTS_CLOTH_WATCH_H
#define HED_TESTS_CLOTH_WATCH_H

#include "fixture.h"

#include "cloth_contacts.h"

#include "heddle/cloth_check.h"

/* ---- a run, looked at in every frame ---- */

typedef struct watch {
    uint32_t (*triangles)[3], count;
    uint32_t crossing, frames; /* most in a frame; with some */
    double fastest;            /* m/s, of a particle between two frames */
    float (*last)[3];
} watch;

static inline void watch_quads(watch *w, uint32_t first, const uint32_t *quads, uint32_t count)
{
    w->triangles = realloc(w->triangles, (w->count + 2 * count) * sizeof *w->triangles);
    for (uint32_t i = 0; i < count; i++, quads += 4) {
        const uint32_t corners[2][3] = {
            {quads[0], quads[1], quads[2]}, {quads[0], quads[2], quads[3]}};
        for (int t = 0; t < 2; t++, w->count++)
            for (int k = 0; k < 3; k++) w->triangles[w->count][k] = first + corners[t][k];
    }
}

static inline void watch_look(watch *w, const dressed *d)
{
    hed_error error = {0};
    hed_cloth_check_surface surface = {
        d->particles, w->count, &d->positions[0][0], &w->triangles[0][0], false};
    hed_cloth_crossings found;
    OK(hed_cloth_check(
        &(hed_cloth_check_def){.surfaces = &surface, .surface_count = 1}, &found, &error));
    uint32_t crossing = found.pair_count;
    hed_cloth_crossings_free(&found);
    w->frames += crossing > 0;
    if (crossing > w->crossing) w->crossing = crossing;
    for (uint32_t i = 0; w->last && i < d->particles; i++) {
        double square = 0.0;
        for (int k = 0; k < 3; k++) square += pow((double)d->positions[i][k] - w->last[i][k], 2);
        if (60.0 * sqrt(square) > w->fastest) w->fastest = 60.0 * sqrt(square);
    }
    if (!w->last) w->last = calloc(d->particles, sizeof *w->last);
    memcpy(w->last, d->positions, d->particles * sizeof *w->last);
}

static inline void watch_free(watch *w)
{
    free(w->triangles);
    free(w->last);
}

/* No crossing, and of all vertices at most the share `most` cut in a substep. */
static inline void watch_check(const watch *w, dressed *d, const char *what, double most)
{
    hed_cloth_metrics q = dressed_measure(d);
    double cut = (double)q.contact_cut / ((double)q.contact_substeps * d->particles);
    printf("%s: %u crossing at most, in %u frames; %.3f %% cut, %.1f pairs a vertex at most, "
           "%.2f legs, %llu substeps stood; stretch %.0f %%, p99 %.0f %%\n",
        what, w->crossing, w->frames, 100.0 * cut, (double)q.contact_pairs_most / d->particles,
        (double)q.contact_legs / (double)q.contact_substeps, (unsigned long long)q.contact_still,
        100.0 * q.worst_stretch, 100.0 * q.stretch_p99);
    EXPECT(w->crossing == 0, "%s: %u pairs of triangles cross, in %u frames", what, w->crossing,
        w->frames);
    EXPECT(cut < most, "%s: %g %% of the vertices are cut in a substep", what, 100.0 * cut);
    EXPECT(q.contact_substeps > 0 && q.contact_pairs_most > 0, "%s: nothing was looked for", what);
}

static inline hed_cloth_def pairs_def(const hed_cloth_garment_def *garments, uint32_t count)
{
    hed_cloth_def def = dressed_def(garments, count);
    def.max_colliders = 4;
    def.substeps = 12;
    return def;
}

/* ---- sheets that fall ---- */

static inline sheet pairs_sheet(uint32_t n, float size, const double *away)
{
    sheet s = sheet_make(n, size);
    s.def.thickness = 0.4f * s.spacing;
    s.def.self_collision = HED_CLOTH_SELF_TRIANGLES;
    s.def.damping = 0.4f;
    s.def.family_material[HED_CLOTH_BEND] = (hed_cloth_material){0.5f, 1.0f, 5e-4f};
    for (uint32_t i = 0; i < n * n && away; i++)
        for (int k = 0; k < 3; k++) s.positions[i][k] += (float)away[k];
    return s;
}

static inline void fall(const char *what, sheet *sheets, uint32_t count,
    const hed_cloth_collider *bodies, uint32_t body_count, uint32_t frames, const double *away)
{
    hed_cloth_garment_def garments[3];
    watch w = {0};
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; i++) {
        garments[i] = sheets[i].def;
        watch_quads(&w, first, sheets[i].quads[0], sheets[i].def.quad_count);
        first += sheets[i].n * sheets[i].n;
    }
    hed_cloth_def def = pairs_def(garments, count);
    dressed d = dressed_make(here.device, &def);
    hed_cloth_collider there[4];
    for (uint32_t c = 0; c < body_count; c++) {
        there[c] = bodies[c];
        for (int k = 0; k < 3 && away; k++) there[c].a[k] += (float)away[k];
    }
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.colliders = there;
    frame.collider_count = body_count;
    for (uint32_t f = 0; f < frames; f++) {
        dressed_step(&d, &frame);
        watch_look(&w, &d);
    }
    watch_check(&w, &d, what, 1e-3);
    dressed_free(&d);
    watch_free(&w);
}

static const hed_cloth_collider pairs_ground = {
    .shape = HED_CLOTH_PLANE, .b = {0.0f, 1.0f, 0.0f}, .friction = 0.5f};

/* A sheet in two layers falls on a ball on the ground. */
static inline void fold_on_ball(uint32_t n, uint32_t frames, const double *away)
{
    const hed_cloth_collider bodies[] = {pairs_ground,
        {.shape = HED_CLOTH_SPHERE, .a = {0.02f, 0.1f, 0.15f}, .radius = {0.1f}, .friction = 0.3f}};
    sheet s = pairs_sheet(n, 0.6f, NULL);
    sheet_fold(&s, 0.26f, 0.04f);
    for (uint32_t i = 0; i < n * n && away; i++)
        for (int k = 0; k < 3; k++) s.positions[i][k] += (float)away[k];
    fall("fold", &s, 1, bodies, 2, frames, away);
    sheet_free(&s);
}

/* A sheet is thrown into a corner of two walls and the ground. */
static inline void into_a_corner(uint32_t n, uint32_t frames)
{
    const hed_cloth_collider bodies[] = {pairs_ground,
        {.shape = HED_CLOTH_PLANE, .b = {1.0f, 0.0f, 0.0f}, .a = {-0.1f, 0, 0}, .friction = 0.3f},
        {.shape = HED_CLOTH_PLANE, .b = {0.0f, 0.0f, 1.0f}, .a = {0, 0, -0.1f}, .friction = 0.3f}};
    sheet s = pairs_sheet(n, 0.5f, NULL);
    for (uint32_t i = 0; i < n * n; i++) {
        float x = s.rest[i][0], z = s.rest[i][2];
        s.positions[i][0] = x + 0.35f;
        s.positions[i][1] = 0.3f - 0.6f * x;
        s.positions[i][2] = 0.8f * z + 0.2f;
    }
    fall("corner", &s, 1, bodies, 3, frames, NULL);
    sheet_free(&s);
}

/* ---- a cape ---- */

/* How fast the pins go along z from then on, evenly from one to the next; the last one goes on. */
typedef struct cape_speed {
    double time, speed; /* s, m/s */
} cape_speed;

/* 6 m/s within 0.1 s, and stopped within 0.3 s, as a runner stops. */
static const cape_speed cape_run[] = {{0, 0}, {0.1, 6}, {0.5, 6}, {0.8, 0}, {100, 0}};
/* Stopped within 0.05 s, with 12 g, and led back. */
static const cape_speed cape_jerk[] = {
    {0, 0}, {0.1, 6}, {0.3, 6}, {0.35, 0}, {0.45, -6}, {0.65, -6}, {0.7, 0}, {100, 0}};

static inline double cape_at(const cape_speed *speeds, double t)
{
    double z = 0.0;
    for (; t > speeds[0].time; speeds++) {
        double from = speeds[0].time, length = speeds[1].time - from,
               part = fmin(t - from, length) / length,
               last = speeds[0].speed + part * (speeds[1].speed - speeds[0].speed);
        z += 0.5 * (speeds[0].speed + last) * part * length;
    }
    return z;
}

/* Pleats that hang from a row of pins led by a driver. `self`: NONE: the same without contact.
 * Gives the fastest particle until frame `until`. */
static inline double cape(uint32_t n, uint32_t frames, uint32_t substeps, const cape_speed *speeds,
    hed_cloth_self_collision self, uint32_t until, const float *away, double most)
{
    sheet s = pairs_sheet(n, 0.8f, NULL);
    float *limits = calloc(n * n, sizeof *limits), (*driver)[3] = calloc(n * n, sizeof *driver);
    uint32_t pleat = n / 8 > 2 ? n / 8 : 2; /* columns forth, as many back */
    for (uint32_t i = 0; i < n * n; i++) {
        uint32_t column = i % n, along = column % (2 * pleat);
        float back = (float)(along < pleat ? along : 2 * pleat - along);
        s.positions[i][0] = 0.6f * s.spacing * (float)column + away[0];
        s.positions[i][1] = 1.0f - (float)(i / n) * s.spacing + away[1];
        s.positions[i][2] = 0.8f * s.spacing * back + away[2];
        limits[i] = i < n ? 0.0f : INFINITY;
        memcpy(driver[i], s.positions[i], sizeof driver[i]);
    }
    s.def.self_collision = self;
    s.def.driven = true;
    s.def.max_distance = limits;
    s.def.tethers = true;
    hed_cloth_def def = pairs_def(&s.def, 1);
    def.substeps = substeps;
    dressed d = dressed_make(here.device, &def);
    watch w = {0};
    watch_quads(&w, 0, s.quads[0], s.def.quad_count);
    double fastest = 0.0;
    for (uint32_t f = 0; f < frames; f++) {
        hed_cloth_frame frame = hed_default_cloth_frame();
        float z = (float)cape_at(speeds, (f + 1) / 60.0);
        for (uint32_t i = 0; i < n; i++) driver[i][2] = s.positions[i][2] + z;
        frame.driver_positions = driver[0];
        dressed_step(&d, &frame);
        watch_look(&w, &d);
        if (f < until) fastest = w.fastest;
    }
    printf("fastest %.3f m/s\n", w.fastest);
    if (self) watch_check(&w, &d, "cape", most);
    dressed_free(&d);
    watch_free(&w);
    sheet_free(&s);
    free(limits);
    free(driver);
    return fastest;
}

#endif
