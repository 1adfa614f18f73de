/* Words, numbers, links and files on the demo's page. */
#include "cli/demo/demo.h"

#include "cli/common/base64.h"
#include "support/file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static demo_path path_in(const char *folder, const char *name)
{
    demo_path path;
    snprintf(path.text, sizeof path.text, "%s/%s", folder, name);
    return path;
}

demo_path demo_output(const demo *d, const char *name) { return path_in(d->folder, name); }
demo_path demo_data(const demo *d, const char *name) { return path_in(d->data, name); }

void demo_put_text(FILE *page, const char *text)
{
    for (; *text; text++) switch (*text) {
        case '&': fputs("&amp;", page); break;
        case '<': fputs("&lt;", page); break;
        case '>': fputs("&gt;", page); break;
        case '"': fputs("&quot;", page); break;
        default: fputc(*text, page);
        }
}

void demo_put_count(FILE *page, double count)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%.0f", count);
    for (int i = 0; i < length; i++) {
        fputc(digits[i], page);
        if (i + 1 < length && (length - i - 1) % 3 == 0) fputc(',', page);
    }
}

void demo_put_link(const demo *d, const char *name)
{
    struct stat status;
    char size[32];
    if (stat(demo_output(d, name).text, &status)) return;
    cli_format_bytes((uint64_t)status.st_size, size, sizeof size);
    fprintf(d->page, "<a href=\"%s\">%s</a> (%s)", name, name, size);
}

hed_status demo_put_file(const demo *d, const char *name, hed_error *error)
{
    enum { LIMIT = 256 << 20 };
    char *bytes = NULL;
    size_t size = 0;
    if (hed_file_read(demo_output(d, name).text, LIMIT, &bytes, &size, error)) return error->status;
    cli_base64_put(d->page, (const uint8_t *)bytes, size);
    free(bytes);
    return HED_OK;
}

double demo_number(hed_json_node object, const char *key, const char *inner)
{
    hed_json_node member = hed_json_member(object, key);
    if (inner) member = hed_json_member(member, inner);
    return hed_json_number(member, 0, 1e300);
}
