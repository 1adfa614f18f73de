/* Keys of heddle-css.json: one row for each. The check of a file, the JSON schema and the table of
 * docs/css.md are made from the rows. */
#include "cli/css/config.h"

static const hed_field rows[] = {{"$schema", "for editors", .kind = HED_FIELD_TEXT},
    {"pages", "HTML files, folders of them, patterns", HED_AS_OTHER("paths", NULL)},
    {"css", "style sheets; without them, the ones that the pages name", HED_AS_OTHER("paths", NULL)},
    {"words", "templates, scripts and texts, or folders of them, whose words keep rules",
        HED_AS_OTHER("paths", NULL)},
    {"skip", "patterns of paths that the patterns of the other lists leave out",
        HED_AS_OTHER("paths", NULL)},
    {"keep", "selectors, keyframes, fonts and custom properties that stay", HED_AS_OTHER("names", NULL)},
    {"remove", "selectors that are removed although elements match", HED_AS_OTHER("names", NULL)},
    {"properties", "remove custom properties that nothing names", .kind = HED_FIELD_BOOLEAN},
    {"out", "reduced sheet, or a folder of reduced sheets", .kind = HED_FIELD_TEXT},
    {"report", "HTML page that shows the use of each rule", .kind = HED_FIELD_TEXT},
    {"failOver", "exit with 1 if more is unused", HED_AS_OTHER("limit", NULL)}, {0}};
const hed_fields css_config_fields = {"", NULL, .rows = rows};

static const hed_form forms[] = {
    {"paths", "list of paths", "'type': 'array', 'items': {'type': 'string', 'minLength': 1}"},
    {"names",
        "list of a name (a class), `.class`, `#id`, `<element>`, `[attribute]`, `[attribute=value]`, `--property`, "
        "`@keyframes NAME`, `@font-face NAME`, `/regular expression/`",
        "'type': 'array', 'items': {'type': 'string', 'minLength': 1}"},
    {"limit", "bytes, or per cent of all bytes: `\"20%\"`",
        "'type': 'string', 'pattern': '^[0-9.]+%?$'"},
    {0}};
static const hed_fields *const tables[] = {&css_config_fields, NULL};
const hed_document css_config_document = {"heddle-css.json",
    "Settings of `heddle css unused`. Paths are relative to the folder of the file; options of the command line "
    "are stronger.",
    tables, forms};
