/* Keys of our JSON formats: schema files and the documents' tables are those of the tables of
 * fields. With HEDDLE_WRITE_KEYS set (`./dev keys`) the test writes them instead. */
#include "testing.h"

#include "support/fields.h"
#include "support/file.h"

#include <stdlib.h>

extern const hed_document cloth_scene_document, mppi_scene_document, synth_file_document,
    hed_tune_file_document, css_config_document, batch_list_document;

typedef struct key_format {
    const hed_document *document;
    const char *schema, *page; /* files, from the root of the sources */
} key_format;

static const key_format formats[] = {
    {&cloth_scene_document, "engines/cloth/files/scene.schema.json", "docs/cloth-scene.md"},
    {&mppi_scene_document, "engines/mppi/files/scene.schema.json", "docs/mppi-scene.md"},
    {&synth_file_document, "engines/synth/files/instrument.schema.json", "docs/instrument-file.md"},
    {&hed_tune_file_document, "tunefile/tune_file.schema.json", "docs/tune-file.md"},
    {&css_config_document, "docs/heddle-css.schema.json", "docs/css.md"},
    {&batch_list_document, "docs/heddle-batch.schema.json", "docs/scale.md"},
};

static hed_error error;

static void read_text(const char *path, char **text)
{
    size_t size;
    OK(hed_file_read(path, 1 << 20, text, &size, &error));
}

/* Compares a file with the text that it should have, or writes it. */
static void has_text(const char *path, const char *text, size_t size)
{
    if (getenv("HEDDLE_WRITE_KEYS")) {
        OK(hed_file_write(path, text, size, &error));
        return;
    }
    char *found;
    read_text(path, &found);
    size_t line = 1, at = 0;
    for (; found[at] && found[at] == text[at]; at++) line += found[at] == '\n';
    CHECK(found[at] == text[at], "%s:%zu is not as the tables of fields have it: run ./dev keys",
        path, line);
    free(found);
}

Test(keys, schemas_are_those_of_the_tables)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char *text;
        size_t size;
        FILE *file = open_memstream(&text, &size);
        CHECK_NOT_NULL(file);
        hed_document_write_schema(formats[i].document, file);
        fclose(file);
        has_text(formats[i].schema, text, size);
        hed_json *json;
        OK(hed_json_parse(formats[i].schema, text, size, &json, &error));
        hed_json_free(json);
        free(text);
    }
}

/* The document as it should be: its own text around the tables. */
static void has_tables(const key_format *format)
{
    static const char begin[] = "<!-- keys -->\n", end[] = "\n<!-- end -->\n";
    char *page, *text;
    size_t size;
    read_text(format->page, &page);
    char *from = strstr(page, begin), *to = from ? strstr(from, end) : NULL;
    CHECK(to, "%s has a place for the tables", format->page);
    FILE *file = open_memstream(&text, &size);
    CHECK_NOT_NULL(file);
    fwrite(page, 1, (size_t)(from - page) + sizeof begin - 1, file);
    hed_document_write_tables(format->document, file);
    fputs(to, file);
    fclose(file);
    has_text(format->page, text, size);
    free(page);
    free(text);
}

Test(keys, documents_have_the_tables)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) has_tables(&formats[i]);
}
