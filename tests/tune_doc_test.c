/* docs/tune-file.md stays true: each tune file in it loads, with the kernels that stand there, and
 * each key that the loader knows is told of. */
#include "folder.h"
#include "testing.h"

#include "support/file.h"
#include "heddle/tune_file.h"
#include "tunefile/spec.h"

static hed_error error;

TestSuite(tune_doc, .init = folder_make, .fini = folder_remove);

static char *read_document(void)
{
    char *text;
    size_t size;
    OK(hed_file_read("docs/tune-file.md", 1 << 20, &text, &size, &error));
    return text;
}

/* The next block of a language behind `at`; gives the place behind it, NULL if there is none. */
static const char *next_block(const char *at, const char *language, const char **from, size_t *size)
{
    char fence[32];
    snprintf(fence, sizeof fence, "\n```%s\n", language);
    const char *begin = strstr(at, fence),
               *end = begin ? strstr(begin + strlen(fence), "\n```\n") : NULL;
    if (!end) return NULL;
    *from = begin + strlen(fence);
    *size = (size_t)(end + 1 - *from);
    return end;
}

Test(tune_doc, files_load)
{
    static const hed_device_info device = {.id = "a device", .max_group = 1024};
    char *text = read_document();
    const char *from;
    size_t size;
    int kernels = 0, files = 0;
    for (const char *at = text; (at = next_block(at, "c", &from, &size)); kernels++) {
        char name[64];
        CHECK(sscanf(from, "/* %63s */", name) == 1);
        write_file(in_folder(name), from, size);
    }
    for (const char *at = text; (at = next_block(at, "json", &from, &size)); files++) {
        hed_tune_file *spec;
        write_file(in_folder("k.json"), from, size);
        OK(hed_tune_file_open(in_folder("k.json"), &device, &spec, &error));
        if (files == 0)
            EXPECT(hed_config_count(hed_tune_file_kernel(spec)) == 20,
                "the document says 20 configurations");
        hed_tune_file_close(spec);
    }
    CHECK(kernels == 1 && files == 2, "%d kernels, %d files", kernels, files);
    free(text);
}

Test(tune_doc, every_limit_is_told)
{
    char *text = read_document();
    hed_constant limits[HED_DEVICE_CONSTANTS];
    hed_device_constants(&(hed_device_info){0}, limits);
    for (uint32_t i = 0; i < HED_DEVICE_CONSTANTS; i++)
        EXPECT(strstr(text, limits[i].name), "%s", limits[i].name);
    free(text);
}
