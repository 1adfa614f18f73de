/* Memory that runs out in the readers of scenes, maps and arrays: the n-th allocation fails, for
 * every n. */
#include <unistd.h>

#include "failing_malloc.h"
#include "heddle/mppi_scene.h"

static char folder[] = "/tmp/heddle-faults-XXXXXX";
static char paths[4][64];
static const char *const names[4] = {"m.yaml", "m.pgm", "n.npy", "t.h"};

static hed_status try_scene(void)
{
    static const char text[] =
        "{\"model\": {\"source\": \"t.h\", \"states\": [\"x\", \"y\"], \"controls\": [\"u\"], "
        "\"parameters\": {\"a\": 1, \"b\": [1, 2]}, \"pose\": {\"x\": \"x\", \"y\": \"y\"}}, "
        "\"terms\": [{\"term\": \"costmap\"}, {\"term\": \"clearance\"}, {\"term\": \"path_align\"}, "
        "{\"term\": \"obstacles\"}], \"map\": {\"yaml\": \"m.yaml\"}, \"tables\": {\"n\": \"n.npy\"}, "
        "\"path\": {\"points\": [[0, 0], [1, 0]]}, \"obstacles\": [{\"radius\": 1, \"points\": "
        "[[0, 0]]}], \"controller\": {\"covariance\": [1]}}";
    hed_error error = {0};
    hed_mppi_scene *scene;
    hed_status status =
        hed_mppi_scene_parse(text, sizeof text - 1, "s.json", folder, &scene, &error);
    if (status != HED_OK && (scene || !error.text[0])) abort();
    hed_mppi_scene_close(scene);
    /* What jansson makes of a string that it could not keep is some other failure: see
     * support_faults.c. */
    return status != HED_OK && hit ? HED_ERROR_MEMORY : status;
}

static void write_file(int i, const void *bytes, size_t size)
{
    snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
    FILE *file = fopen(paths[i], "w");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) abort();
}

int main(void)
{
    static const char yaml[] = "image: m.pgm\nresolution: 0.5\norigin: [0, 0, 0]\n";
    static const char array[] = "\x93NUMPY\1\0\x38\0{'descr': '<f4', 'fortran_order': False, "
                                "'shape': (1,)}\n\0\0\0\0";
    if (!mkdtemp(folder)) abort();
    write_file(0, yaml, sizeof yaml - 1);
    write_file(1, "P5 2 2 255\n\0\xff\0\xff", 15);
    write_file(2, array, sizeof array - 1);
    write_file(3, "text", 4);
    const fault_case cases[] = {{"scene", try_scene}};
    int bad = try_all(cases, 1);
    for (int i = 0; i < 4; i++) remove(paths[i]);
    rmdir(folder);
    return bad != 0;
}
