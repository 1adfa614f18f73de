/* heddle demo: each engine on this machine, on one page. */
#include "cli/demo/demo.h"

#include "support/file.h"
#include "support/sources.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

extern const hed_source hed_demo_page_files[]; /* embedded: head.html, viewer.js */

static const struct part {
    const char *id, *title;
    demo_part *make;
} PARTS[] = {
    {"runtime", "Runtime: one kernel, every device", demo_runtime},
    {"tuner", "Tuner: the fastest launch, found by measuring", demo_tuner},
    {"cloth", "Cloth", demo_cloth},
    {"synth", "Synth: instruments of masses and springs", demo_synth},
    {"mppi", "MPPI: control by sampled futures", demo_mppi},
    {"css", "CSS: what a site uses of its style sheet", demo_css},
    {"shaders", "Shaders: a web page, tuned in its browser", demo_shaders},
};

/* Generates a part's text in memory; NULL if memory is short. The caller frees it. */
static char *make_text(const demo *d, const struct part *part, hed_error *error)
{
    char *text = NULL;
    size_t size = 0;
    demo own = *d;
    own.page = open_memstream(&text, &size);
    if (own.page) {
        part->make(&own, error);
        if (fclose(own.page) == 0) return text;
    }
    free(text);
    HED_OUT_OF_MEMORY(error, "the part \"%s\"", part->id);
    return NULL;
}

/* Writes a part, or the reason why it is omitted. Returns false if it failed. */
static bool demo_put_part(const demo *d, const struct part *part)
{
    hed_error error = {0};
    uint64_t begin = hed_now();
    printf("%-8s ", part->id);
    fflush(stdout);
    char *text = make_text(d, part, &error);
    bool left_out = error.status == HED_ERROR_UNSUPPORTED;
    fprintf(d->page, "<section id=\"%s\"><h2>%s</h2>\n", part->id, part->title);
    if (hed_failed(&error)) {
        fprintf(d->page, "<p class=\"absent\">%s: ", left_out ? "Left out" : "This part failed");
        demo_put_text(d->page, error.text);
        fputs(".</p>\n", d->page);
        printf("%s: %s\n", left_out ? "left out" : "failed", error.text);
    } else {
        fputs(text, d->page);
        printf("%.1f s\n", (double)(hed_now() - begin) * 1e-9);
    }
    fputs("</section>\n", d->page);
    free(text);
    return !hed_failed(&error) || left_out;
}

static const char *embedded(const char *name)
{
    const hed_source *file = hed_demo_page_files;
    while (file->name && strcmp(file->name, name) != 0) file++;
    return file->text;
}

/* Writes all parts between the head and the viewer, up to an interrupt. Returns the number of parts
 * that failed. */
static uint32_t put_page(const demo *d)
{
    uint32_t failed = 0;
    fputs(embedded("head.html"), d->page);
    for (size_t i = 0; i < HED_COUNT(PARTS) && !hed_interrupted(); i++)
        failed += !demo_put_part(d, &PARTS[i]);
    fprintf(d->page,
        "</main>\n<footer>Made by <code>heddle demo</code>, version %s.</footer>\n<script>\n%s</script>\n</html>\n",
        hed_version_text(), embedded("viewer.js"));
    return failed;
}

/* Makes the folder and in it a page with the mark of reports: later demos replace the files of a
 * folder with this mark. Other folders with files are rejected, since files could have the names of
 * the demo's files. */
static hed_status begin_folder(const demo *d, hed_error *error)
{
    demo_path path = demo_output(d, "index.html");
    struct dirent **entries = NULL;
    char begin[1024];
    if (mkdir(d->folder, 0777) && errno != EEXIST)
        return hed_fail(
            error, HED_ERROR_IO, "%s: cannot make the folder: %s", d->folder, strerror(errno));
    FILE *former = fopen(path.text, "re");
    size_t size = former ? fread(begin, 1, sizeof begin, former) : 0;
    if (former) fclose(former);
    int count = former ? 0 : scandir(d->folder, &entries, NULL, NULL);
    for (int i = 0; i < count; i++) free(entries[i]);
    free(entries);
    bool is_empty = count <= 2; /* entries "." and ".." alone */
    if (former ? !hed_is_report(begin, size) : !is_empty)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--out %s: the folder has files that are no demo's; expected a new or empty folder, or one with an earlier demo",
            d->folder);
    const char *head = embedded("head.html"); /* has the mark */
    return hed_file_write(path.text, head, strlen(head), error);
}

static hed_status make_demo(demo *d, uint32_t *failed, hed_error *error)
{
    char *text = NULL;
    size_t size = 0;
    if (!cli_data_folder(d->data))
        return hed_fail(error, HED_ERROR_IO,
            "the data are not installed (found no share/heddle beside the command's folder); the package heddle-data has them");
    if (begin_folder(d, error)) return error->status;
    d->page = open_memstream(&text, &size);
    if (!d->page) return HED_OUT_OF_MEMORY(error, "the page");
    *failed = put_page(d);
    demo_path path = demo_output(d, "index.html");
    if (fclose(d->page)) HED_OUT_OF_MEMORY(error, "the page");
    else if (hed_interrupted()) hed_fail(error, HED_ERROR_IO, "interrupted");
    else hed_file_write(path.text, text, size, error);
    free(text);
    if (!hed_failed(error)) printf("\nThe page: %s\n", path.text);
    return error->status;
}

static int demo_run_all(const hed_arguments *arguments, void *user)
{
    demo d = {.folder = hed_text_of(arguments, "out"), .quick = hed_given(arguments, "quick")};
    uint32_t failed = 0;
    hed_error error = {0};
    hed_interrupt_install();
    if (make_demo(&d, &failed, &error)) return cli_fail(&error);
    return failed ? HED_EXIT_FAILURE : HED_EXIT_OK;
}

static const hed_option OPTIONS[] = {{.name = "out",
                                         .letter = 'o',
                                         .kind = HED_OPTION_FOLDER,
                                         .value = "FOLDER",
                                         .help = "folder of the page and its files",
                                         .fallback = "heddle-demo"},
    {.name = "quick",
        .kind = HED_OPTION_FLAG,
        .help = "smaller pictures, fewer frames and configurations, no browser"},
    {0}};
static const hed_example EXAMPLES[] = {
    {"heddle demo", "heddle-demo/index.html, half a minute later"}, {0}};

const hed_command hed_command_demo = {
    .name = "demo",
    .summary = "show each engine on this machine, on one page",
    .description =
        "Makes a page with a sentence and a figure for the runtime, the tuner and each engine: one picture blurred on every "
        "device, a tuning, a flag that moves and turns, a harp to hear, a car among others, a sheet with its unused "
        "rules. A part that this machine cannot show is left out, and the page says why; the exit code is 1 if one "
        "fails.\n\nThe tuning database stays as it is.",
    .options = OPTIONS,
    .commands = (const hed_command *const[]){&demo_command_blur, &demo_command_tiles, NULL},
    .examples = EXAMPLES,
    .run = demo_run_all,
};
