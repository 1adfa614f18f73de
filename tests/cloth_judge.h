/* A scene that comes with Heddle, and the judge of its moments: where cloth crosses itself, other
 * cloth and bodies. */
#ifndef HED_TESTS_CLOTH_JUDGE_H
#define HED_TESTS_CLOTH_JUDGE_H

#include "testing.h"

#include "heddle/cloth_check.h"
#include "heddle/cloth_scene.h"

enum { JUDGED_BODIES = 8 };

typedef struct judged {
    const char *name;
    hed_cloth_scene *scene;
    uint32_t vertices;                 /* of all garments */
    float *positions;                  /* (vertices x 3) of the moment; at first the start */
    hed_cloth_check_surface *surfaces; /* of garments, then of bodies */
    uint64_t tests;                    /* of the last look */
} judged;

/* The scene is closed with it. */
static inline judged judged_of(const char *name, hed_cloth_scene *scene)
{
    judged j = {.name = name, .scene = scene};
    uint32_t garments = hed_cloth_scene_garment_count(j.scene);
    for (uint32_t g = 0; g < garments; g++)
        j.vertices += hed_cloth_scene_mesh(j.scene, g)->vertex_count;
    j.surfaces = calloc(garments + JUDGED_BODIES, sizeof *j.surfaces);
    float *positions = j.positions = malloc(3 * (size_t)j.vertices * sizeof *positions);
    hed_cloth_scene_start(j.scene, positions);
    for (uint32_t g = 0; g < garments; g++) {
        const hed_cloth_mesh *mesh = hed_cloth_scene_mesh(j.scene, g);
        uint32_t corners = mesh->face_at[mesh->face_count], count = 0,
                 *triangles = malloc(3 * (size_t)corners * sizeof *triangles);
        for (uint32_t f = 0; f < mesh->face_count; f++)
            for (uint32_t c = mesh->face_at[f] + 2; c < mesh->face_at[f + 1]; c++, count++) {
                triangles[3 * count] = mesh->corners[mesh->face_at[f]];
                triangles[3 * count + 1] = mesh->corners[c - 1];
                triangles[3 * count + 2] = mesh->corners[c];
            }
        j.surfaces[g] =
            (hed_cloth_check_surface){mesh->vertex_count, count, positions, triangles, false};
        positions += 3 * (size_t)mesh->vertex_count;
    }
    return j;
}

/* One of data/scenes. */
static inline judged judged_open(const char *name)
{
    hed_error error = {0};
    hed_cloth_scene *scene;
    char path[64];
    snprintf(path, sizeof path, "data/scenes/%s.json", name);
    OK(hed_cloth_scene_open(path, NULL, &scene, &error));
    return judged_of(name, scene);
}

static inline void judged_close(judged *j)
{
    uint32_t garments = hed_cloth_scene_garment_count(j->scene);
    for (uint32_t g = 0; g < garments; g++) free((void *)j->surfaces[g].triangles);
    free(j->surfaces);
    free(j->positions);
    hed_cloth_scene_close(j->scene);
}

/* `positions` with the bodies of a frame. Which kinds cross, and how often, is told and expected
 * not to be. */
static inline void judged_look(judged *j, const hed_cloth_frame *frame, uint32_t number)
{
    hed_error error = {0};
    uint32_t count = hed_cloth_scene_garment_count(j->scene);
    CHECK_LE(frame->mesh_count, JUDGED_BODIES);
    for (uint32_t b = 0; b < frame->mesh_count; b++)
        j->surfaces[count++] = (hed_cloth_check_surface){frame->meshes[b].vertex_count,
            frame->meshes[b].triangle_count, frame->meshes[b].positions, frame->meshes[b].triangles,
            true};
    hed_cloth_check_def def = {.surfaces = j->surfaces,
        .surface_count = count,
        .shapes = frame->colliders,
        .shape_count = frame->collider_count};
    hed_cloth_crossings found;
    OK(hed_cloth_check(&def, &found, &error));
    for (int kind = 0; kind < HED_CLOTH_CROSSING_KIND_COUNT; kind++)
        EXPECT_EQ(found.count[kind], 0, "%s, frame %u: %s", j->name, number,
            hed_cloth_crossing_kind_name((hed_cloth_crossing_kind)kind));
    j->tests = found.tests;
    hed_cloth_crossings_free(&found);
}

/* Runs a scene on a device and looks at every frame; 0 frames: all that it has. At most the share
 * `most` of the vertices may be cut in a substep. */
static inline void judged_run(hed_device *device, const char *name, uint32_t frames, double most)
{
    hed_error error = {0};
    judged j = judged_open(name);
    hed_cloth_def def = hed_cloth_scene_def(j.scene);
    hed_cloth *cloth;
    hed_cloth_frame frame;
    hed_cloth_metrics q;
    if (frames == 0) frames = hed_cloth_scene_frames(j.scene);
    OK(hed_cloth_create(device, &def, &cloth, &error));
    for (uint32_t f = 0; f < frames; f++) {
        OK(hed_cloth_scene_frame(j.scene, f, hed_cloth_scene_rate(j.scene), &frame, &error));
        OK(hed_cloth_step(cloth, &frame, &error));
        OK(hed_cloth_read(cloth, j.positions, NULL, NULL, &error));
        judged_look(&j, &frame, f + 1);
    }
    OK(hed_cloth_evaluate(cloth, &q, &error));
    double cut = (double)q.contact_cut /
                 ((double)q.contact_substeps * (double)hed_cloth_particle_count(cloth));
    printf("%s: %u frames; %.4f %% cut, %.1f pairs a vertex at most\n", name, frames, 100 * cut,
        (double)q.contact_pairs_most / hed_cloth_particle_count(cloth));
    EXPECT(cut < most, "%s: %g %% of the vertices are cut in a substep", name, 100 * cut);
    EXPECT(q.contact_substeps == (uint64_t)frames * def.substeps && q.contact_still == 0,
        "%s: %llu substeps, %llu stood", name, (unsigned long long)q.contact_substeps,
        (unsigned long long)q.contact_still);
    hed_cloth_destroy(cloth);
    judged_close(&j);
}

#endif
