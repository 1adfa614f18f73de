/* libFuzzer harness for scenes and for the files they name. Text up to the first zero byte is the
 * scene; up to the second one "m.obj", the rest "m.pc2". Whatever they hold: an error that says
 * something, or a scene whose frames hold no number that is not finite. Build with
 * -DHEDDLE_FUZZ=ON.
 *
 * Scenes may name any file; here only what lies in the harness's own folder can be named, since
 * texts with a '/' (or a '\', which could spell one) are left out. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/cloth_scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static char folder[] = "/tmp/heddle-fuzz-XXXXXX";
static char mesh_path[64], cache_path[64];

static void clean_up(void)
{
    remove(mesh_path);
    remove(cache_path);
    rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    if (!mkdtemp(folder)) abort();
    snprintf(mesh_path, sizeof mesh_path, "%s/m.obj", folder);
    snprintf(cache_path, sizeof cache_path, "%s/m.pc2", folder);
    atexit(clean_up);
    return 0;
}

static void write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "w");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
}

static void must_be_finite(const float *values, size_t count)
{
    for (size_t i = 0; values && i < count; i++)
        if (!isfinite(values[i])) abort();
}

/* Whether a number has three digits before its point, or an exponent: large scenes are for the
 * tests. */
static bool has_large_number(const uint8_t *text, size_t length)
{
    size_t digits = 0;
    for (size_t i = 0; i < length; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';
        if (digits > 0 && (text[i] == 'e' || text[i] == 'E')) return true;
        if (!digit) digits = 0;
        else if (digits > 0 || i == 0 || text[i - 1] != '.') digits++;
        if (digits > 2) return true;
    }
    return false;
}

/* Looks at everything that a program would. */
static void use(hed_cloth_scene *scene)
{
    hed_cloth_def def = hed_cloth_scene_def(scene);
    size_t particles = 0;
    for (uint32_t g = 0; g < def.garment_count; g++) {
        const hed_cloth_garment_def *garment = &def.garments[g];
        size_t count = garment->particle_count;
        particles += count * garment->copies;
        must_be_finite(garment->positions, 3 * count);
        must_be_finite(garment->rest_positions, 3 * count);
        must_be_finite(garment->inverse_masses, count);
        must_be_finite(garment->max_distance, count);
        must_be_finite(garment->backstop_distance, count);
        for (size_t i = 0; i < 3 * (size_t)garment->triangle_count; i++)
            if (garment->triangles[i] >= count) abort();
        for (size_t i = 0; i < 4 * (size_t)garment->quad_count; i++)
            if (garment->quads[i] >= count) abort();
        if (!hed_cloth_scene_garment_name(scene, g)[0] || !hed_cloth_scene_mesh(scene, g)) abort();
    }
    for (uint32_t number = 0; number < 100; number += 33) {
        hed_cloth_frame frame;
        if (hed_cloth_scene_frame(scene, number, hed_cloth_scene_rate(scene), &frame, NULL) !=
            HED_OK)
            abort();
        must_be_finite(frame.driver_positions, 3 * particles);
        for (uint32_t i = 0; i < frame.collider_count; i++) must_be_finite(frame.colliders[i].a, 3);
        for (uint32_t i = 0; i < frame.mesh_count; i++)
            must_be_finite(frame.meshes[i].positions, 3 * (size_t)frame.meshes[i].vertex_count);
    }
    for (uint32_t i = 0; i < hed_cloth_scene_prop_count(scene); i++) {
        hed_cloth_prop prop = hed_cloth_scene_prop(scene, i);
        must_be_finite(prop.positions, 3 * (size_t)prop.vertex_count);
        for (size_t k = 0; k < 3 * (size_t)prop.triangle_count; k++)
            if (prop.triangles[k] >= prop.vertex_count) abort();
    }
    hed_cloth_camera camera = hed_cloth_scene_camera(scene);
    must_be_finite(camera.eye, 3);
    if (!camera.width || !camera.height) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = data + size, *mesh = memchr(data, 0, size);
    size_t length = mesh ? (size_t)(mesh - data) : size;
    if (memchr(data, '/', length) || memchr(data, '\\', length) || has_large_number(data, length))
        return 0;
    mesh = mesh ? mesh + 1 : end;
    const uint8_t *cache = memchr(mesh, 0, (size_t)(end - mesh));
    write_file(mesh_path, mesh, (size_t)((cache ? cache : end) - mesh));
    write_file(cache_path, cache ? cache + 1 : end, cache ? (size_t)(end - cache - 1) : 0);
    hed_cloth_scene_options options = {.mend = size % 2};
    hed_cloth_scene *scene;
    hed_error error = {0};
    hed_status status = hed_cloth_scene_parse(
        (const char *)data, length, "s.json", folder, &options, &scene, &error);
    if (status != HED_OK && (!error.text[0] || scene)) abort();
    if (status == HED_OK) use(scene);
    hed_cloth_scene_close(scene);
    return 0;
}
