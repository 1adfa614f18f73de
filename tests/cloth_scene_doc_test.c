/* docs/cloth-scene.md and data/scenes stay true: the scene in the document loads, and every scene
 * that comes with Heddle opens and moves. */
#include "testing.h"

#include <math.h>

#include "heddle/cloth_scene.h"
#include "support/file.h"

static hed_error error;

static void read_document(char **text)
{
    size_t size;
    OK(hed_file_read("docs/cloth-scene.md", 1 << 20, text, &size, &error));
}

Test(cloth_scene_doc, its_scene_loads)
{
    char *text = NULL;
    read_document(&text);
    const char *begin = strstr(text, "\n```json\n");
    CHECK_NOT_NULL(begin);
    const char *end = strstr(begin + 9, "\n```\n");
    CHECK_NOT_NULL(end);
    hed_cloth_scene *scene;
    OK(hed_cloth_scene_parse(begin + 9, (size_t)(end - begin - 9), "docs", "", NULL, &scene, &error));
    EXPECT(hed_cloth_scene_garment_count(scene) == 1);
    hed_cloth_scene_close(scene);
    free(text);
}

Test(cloth_scene_doc, scenes_open_and_move)
{
    static const char *const names[] = {"flag", "tablecloth", "garment", "curtain", "folded",
        "wardrobe", "million", "runner", "thrown", "sewn", "fabrics", "cushion", "shirts", "corner",
        "cape", "fan", "jump"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        hed_cloth_scene *scene;
        hed_cloth_frame frame;
        snprintf(path, sizeof path, "data/scenes/%s.json", names[i]);
        OK(hed_cloth_scene_open(path, NULL, &scene, &error));
        EXPECT(hed_cloth_scene_frames(scene) > 0, "%s says how many frames", path);
        for (uint32_t number = 0; number < 90; number += 30)
            OK(hed_cloth_scene_frame(scene, number, hed_cloth_scene_rate(scene), &frame, &error));
        hed_cloth_scene_close(scene);
    }
}
