/* `heddle tune PAGE`: the compute pipelines of a live web page. */
#ifndef HED_CLI_TUNE_PAGE_H
#define HED_CLI_TUNE_PAGE_H

#include "cli/common/command.h"
#include "cli/tune/page_session.h"

/* Tunes if the subject is a web page (an address, a folder, an HTML file, a recording), or writes the
 * recorder for pages; otherwise rejects options that require a page. True: done, with the exit code. */
bool cli_tune_page(const hed_arguments *arguments, int *code);

#define CLI_TUNE_PAGE_OPTIONS \
    OPTION("pipeline", TEXT, "NAME", \
        "compute pipeline of a page to tune: entry point, label or hash; those with 90 % of the time unless given", \
        .repeated = true), \
        OPTION("wait", NUMBER, "SECONDS", "time of recording a page, from its first dispatch on", \
            .fallback = "3", .low = 0, .high = 86400), \
        OPTION("drive", FILE, "FILE", "a script that uses the page while it is recorded"), \
        OPTION("memory", INTEGER, "MIB", "most copies of a page's buffers and textures", \
            .fallback = "512", .low = 1, .high = 1 << 20), \
        OPTION("patch", OUTPUT, "FILE", "write the changes of a page's sources as a patch", \
            .endings = ".patch .diff"), \
        OPTION("module", OUTPUT, "FILE", \
            "write a module that chooses the sizes of a page by device, limits and size of the data; adds to one that is there", \
            .endings = ".js .mjs"), \
        OPTION("recorder", OUTPUT, "FILE", \
            "write the module with which a page records itself: import { record } from './heddle-record.js'", \
            .endings = ".js .mjs"), \
        FLAG("list", "list the compute pipelines of a page, and tune none")

/* Pipelines of a page, and their results. */
typedef struct page_tuning {
    const hed_arguments *arguments;
    const char *origin; /* argument as typed */
    page_session session;
    json_t *device;    /* object; NULL: unknown */
    json_t *pipelines; /* array of objects, by time descending; "realm": index in session.realms */
    double total;      /* time of all dispatches seen, ms */
    json_t *tables;    /* array, of the module of --module; NULL: not given */
} page_tuning;

/* Prints the table of all pipelines (page_print.c). */
hed_status page_print_list(const page_tuning *tuning, hed_error *error);
/* Prints the lines to change, "changes" of a pipeline. */
void page_print_changes(const json_t *pipeline);
/* Prints a line for each pipeline of the module at `path`, with the lines that use it. */
void page_print_module(const page_tuning *tuning, const char *path);
/* Prints the result "tuned" of a pipeline. */
void page_print_tuned(const page_tuning *tuning, const json_t *pipeline);
/* Prints everything as one JSON object. */
hed_status page_print_json(const page_tuning *tuning, hed_error *error);

#endif
