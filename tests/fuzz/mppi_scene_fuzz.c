/* libFuzzer harness for mppi's scenes. Whatever a text holds: an error that says something, or a
 * scene whose definition, start and tables are finite at every time. Build with -DHEDDLE_FUZZ=ON.
 *
 * Scenes may name any file; here only what lies in the harness's own folder can be named: "m.yaml"
 * with "m.pgm", "n.npy" and "t.h". */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/mppi_scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static char folder[] = "/tmp/heddle-fuzz-XXXXXX";
static char paths[4][64];

static void clean_up(void)
{
    for (int i = 0; i < 4; i++) remove(paths[i]);
    rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const struct {
        const char *name, *bytes;
        size_t size;
    } files[4] = {
        {"m.yaml", "image: m.pgm\nresolution: 0.5\norigin: [0, 0, 0]\n", 47},
        {"m.pgm", "P5 2 2 255\n\0\xff\0\xff", 15},
        {"n.npy",
            "\x93NUMPY\1\0\x38\0{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}\n\0\0\0\0",
            70},
        {"t.h", "text", 4},
    };
    (void)argc, (void)argv;
    if (!mkdtemp(folder)) abort();
    for (int i = 0; i < 4; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%s", folder, files[i].name);
        FILE *file = fopen(paths[i], "w");
        if (!file || fwrite(files[i].bytes, 1, files[i].size, file) != files[i].size ||
            fclose(file) != 0)
            abort();
    }
    atexit(clean_up);
    return 0;
}

static void must_be_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i])) abort();
}

/* Looks at everything that a program would. */
static void use(hed_mppi_scene *scene)
{
    hed_mppi_def def = hed_mppi_scene_def(scene);
    const hed_mppi_model *m = def.model;
    if (!m->states || !m->controls || !m->text || !def.term_count) abort();
    if (m->pose_x >= (int)m->states || m->turn >= (int)m->states) abort();
    for (uint32_t i = 0; i < def.term_count; i++)
        if (!def.terms[i].text || !isfinite(def.terms[i].weight)) abort();
    for (uint32_t i = 0; i < def.setting_count; i++)
        if (!def.settings[i].name[0] || !isfinite(def.settings[i].value)) abort();
    for (uint32_t i = 0; i < def.table_count; i++) {
        if (def.tables[i].count > def.tables[i].capacity) abort();
        must_be_finite(def.tables[i].values, def.tables[i].capacity);
    }
    must_be_finite(hed_mppi_scene_start(scene), m->states);
    for (double seconds = 0; seconds < 100; seconds += 33) {
        const hed_mppi_table *tables;
        uint32_t count =
            hed_mppi_scene_tables(scene, seconds, hed_mppi_scene_start(scene), &tables);
        for (uint32_t i = 0; i < count; i++) must_be_finite(tables[i].values, tables[i].count);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (memchr(data, '/', size) || memchr(data, '\\', size)) return 0;
    hed_mppi_scene *scene;
    hed_error error = {0};
    hed_status status =
        hed_mppi_scene_parse((const char *)data, size, "s.json", folder, &scene, &error);
    if (status != HED_OK && (!error.text[0] || scene)) abort();
    if (status == HED_OK) use(scene);
    hed_mppi_scene_close(scene);
    return 0;
}
