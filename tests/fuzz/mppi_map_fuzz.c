/* libFuzzer harness for maps: up to the first zero byte the YAML of a ROS map server, the rest its
 * image, "m.pgm". Whatever they hold: an error that says something, or a map whose values, distances
 * and table are finite. Build with -DHEDDLE_FUZZ=ON. */
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
static char yaml_path[64], image_path[64];

static void clean_up(void)
{
    remove(yaml_path);
    remove(image_path);
    rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    if (!mkdtemp(folder)) abort();
    snprintf(yaml_path, sizeof yaml_path, "%s/m.yaml", folder);
    snprintf(image_path, sizeof image_path, "%s/m.pgm", folder);
    atexit(clean_up);
    return 0;
}

static void write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "w");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
}

static void use(const hed_mppi_map *map)
{
    size_t cells = (size_t)map->width * map->height;
    float *distances = malloc(cells * sizeof *distances);
    float *table = malloc((cells + HED_MPPI_GRID_HEAD) * sizeof *table);
    if (!distances || !table) abort();
    for (size_t i = 0; i < cells; i++)
        if (!(map->values[i] >= -1 && map->values[i] <= 1)) abort();
    if (hed_mppi_map_distances(map, 0.5f, distances, NULL) != HED_OK) abort();
    hed_mppi_map_table(map, distances, table);
    for (size_t i = 0; i < cells + HED_MPPI_GRID_HEAD; i++)
        if (!isfinite(table[i])) abort();
    free(distances);
    free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = data + size, *image = memchr(data, 0, size);
    size_t length = image ? (size_t)(image - data) : size;
    if (memchr(data, '/', length)) return 0; /* files in the harness's own folder alone */
    image = image ? image + 1 : end;
    write_file(yaml_path, data, length);
    write_file(image_path, image, (size_t)(end - image));
    hed_mppi_map map;
    hed_error error = {0};
    hed_status status = hed_mppi_map_read(yaml_path, &map, &error);
    if ((status != HED_OK) != (map.values == NULL) || (status != HED_OK && !error.text[0])) abort();
    if (status == HED_OK) use(&map);
    hed_mppi_map_free(&map);
    return 0;
}
