/* docs/cloth-scene.md and data/scenes stay true: the scene in the document loads, every key that
 * the loader knows is told of, and every scene that comes with Heddle opens and moves. */
#include "testing.h"

#include <math.h>

#include "heddle/cloth_scene.h"
#include "files/scene_parts.h"
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

/* Whether a word stands in the text by itself, in back quotes or in quotation marks. */
static bool tells_of(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += length) {
        char before = at > text ? at[-1] : ' ', behind = at[length];
        if ((before == '`' || before == '"') && (behind == '`' || behind == '"')) return true;
    }
    return false;
}

Test(cloth_scene_doc, every_key_is_told)
{
    char *text = NULL;
    read_document(&text);
    for (const cloth_scene_key_list *list = cloth_scene_key_lists; list->name; list++)
        for (const char *const *key = list->keys; *key; key++)
            EXPECT(strcmp(*key, "$schema") == 0 || tells_of(text, *key),
                "\"%s\" at \"%s\" is not in the document", *key, list->name);
    free(text);
}

Test(cloth_scene_doc, scenes_open_and_move)
{
    static const char *const names[] = {"flag", "tablecloth", "garment", "curtain", "folded",
        "wardrobe", "million", "runner", "thrown", "sewn", "fabrics", "cushion", "shirts", "corner",
        "cape"};
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
