/* heddle db: the tuning database: what is in it, and carrying it elsewhere. What it shows is in
 * db_show.c. */
#include "db.h"
#include "heddle/tune_file.h"
#include "support/errors.h"
#include "support/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- opening ---- */

static const char *path_of(const hed_arguments *arguments, const cli_session *session)
{
    const char *given = hed_text_of(arguments, "database");
    return given ? given
                 : hed_context_database_path(session->context, hed_given(arguments, "installed"));
}

hed_status cli_open_database(const hed_arguments *arguments, cli_session *session, bool write,
    hed_database **database, hed_error *error)
{
    *database = NULL;
    hed_status status = cli_open_context(arguments, session, error);
    if (status != HED_OK) return status;
    const char *path = path_of(arguments, session);
    if (write && hed_given(arguments, "installed") && !hed_given(arguments, "database"))
        return hed_error_set(error, HED_ERROR_ARGUMENT,
            "the installed database is only read; change your own, without --installed");
    if (!path[0])
        return hed_error_set(error, HED_ERROR_IO, "%s",
            hed_given(arguments, "installed")
                ? "no tuning database came with this installation of Heddle"
                : "there is no tuning database: HEDDLE_DATABASE is none, or HOME is not set");
    if (!write && !hed_given(arguments, "database") && access(path, F_OK) != 0) return HED_OK;
    return hed_database_open(session->context, path, !write, database, error);
}

/* Closes both, and gives the exit code. */
static int finish(
    cli_session *session, hed_database *database, hed_status status, const hed_error *error)
{
    hed_database_close(database);
    cli_close(session);
    return cli_end(status, error);
}

hed_record_filter cli_record_filter(const hed_arguments *arguments, uint32_t kinds)
{
    return (hed_record_filter){.kinds = kinds,
        .kernel = hed_text_of(arguments, "kernel"),
        .device = hed_text_of(arguments, "device")};
}

/* ---- what was done ---- */

static void format_changes(const hed_database_changes *c, char *text, size_t size)
{
    const struct {
        uint64_t count;
        const char *one, *many;
    } parts[] = {{c->keys, "key", "keys"}, {c->measurements, "measurement", "measurements"},
        {c->choices, "choice", "choices"}, {c->facts, "fact", "facts"}};
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && used < size; i++)
        if (parts[i].count)
            used += (size_t)snprintf(text + used, size - used, "%s%" PRIu64 " %s", used ? ", " : "",
                parts[i].count, parts[i].count == 1 ? parts[i].one : parts[i].many);
    if (!used) snprintf(text, size, "nothing");
}

static hed_status print_changes(const hed_arguments *arguments, const hed_database_changes *changes,
    const char *verb, const char *where, const char *path, hed_error *error)
{
    if (hed_given(arguments, "json")) {
        hed_records *records = hed_records_create();
        hed_records_next(records);
        hed_records_text(records, "file", path);
        hed_records_text(records, "action", verb);
        hed_records_integer(records, "keys", changes->keys);
        hed_records_integer(records, "measurements", changes->measurements);
        hed_records_integer(records, "choices", changes->choices);
        hed_records_integer(records, "facts", changes->facts);
        hed_status status = hed_records_print(records, stdout, error);
        hed_records_free(records);
        return status;
    }
    char text[128];
    format_changes(changes, text, sizeof text);
    printf("%s %s %s %s\n", verb, text, where, path);
    return HED_OK;
}

/* ---- export ---- */

static int run_export(const hed_arguments *arguments, void *user)
{
    (void)user;
    cli_session session;
    hed_database *database;
    hed_error error;
    hed_database_changes count = {0};
    const char *file = hed_text_of(arguments, "FILE");
    hed_record_filter filter =
        cli_record_filter(arguments, hed_given(arguments, "choices") ? HED_RECORD_CHOICE : 0);
    hed_status status = cli_open_database(arguments, &session, false, &database, &error);
    if (status == HED_OK && !database)
        status = hed_error_set(&error, HED_ERROR_IO, "%s is not there: nothing was tuned yet",
            path_of(arguments, &session));
    if (status == HED_OK)
        status = hed_exchange_export(database, &filter, file, hed_interrupted, &count, &error);
    if (status == HED_OK) status = print_changes(arguments, &count, "wrote", "to", file, &error);
    return finish(&session, database, status, &error);
}

/* ---- import, merge ---- */

static uint32_t count_values(const hed_arguments *arguments, const char *name)
{
    uint32_t count = 0;
    while (hed_text_at(arguments, name, count)) count++;
    return count;
}

static hed_status import_files(const hed_arguments *arguments, hed_database *database,
    hed_database_changes *added, hed_error *error)
{
    uint32_t count = count_values(arguments, "FILES");
    const char **paths = calloc(count + 1, sizeof *paths);
    if (!paths) return hed_error_set(error, HED_ERROR_MEMORY, "out of memory for %u files", count);
    for (uint32_t i = 0; i < count; i++) paths[i] = hed_text_at(arguments, "FILES", i);
    hed_status status = hed_exchange_import(database, paths, count, hed_interrupted, added, error);
    free(paths);
    return status;
}

static int run_import(const hed_arguments *arguments, void *user)
{
    (void)user;
    cli_session session;
    hed_database *database;
    hed_error error;
    hed_database_changes added = {0};
    hed_status status = cli_open_database(arguments, &session, true, &database, &error);
    if (status == HED_OK) status = import_files(arguments, database, &added, &error);
    if (status == HED_OK)
        status =
            print_changes(arguments, &added, "added", "to", hed_database_path(database), &error);
    return finish(&session, database, status, &error);
}

static int run_merge(const hed_arguments *arguments, void *user)
{
    (void)user;
    cli_session session;
    hed_database *database;
    hed_error error;
    hed_database_changes all = {0}, added;
    hed_status status = cli_open_database(arguments, &session, true, &database, &error);
    for (uint32_t i = 0;
         status == HED_OK && hed_text_at(arguments, "FILES", i) && !hed_interrupted(); i++) {
        status = hed_database_merge(database, hed_text_at(arguments, "FILES", i), &added, &error);
        all.keys += added.keys;
        all.measurements += added.measurements;
        all.choices += added.choices;
        all.facts += added.facts;
    }
    if (status == HED_OK)
        status = print_changes(arguments, &all, "added", "to", hed_database_path(database), &error);
    return finish(&session, database, status, &error);
}

/* ---- prune ---- */

static int run_prune(const hed_arguments *arguments, void *user)
{
    (void)user;
    cli_session session;
    hed_database *database;
    hed_error error;
    hed_database_changes removed = {0};
    hed_prune_def def = {.kernel = hed_text_of(arguments, "kernel"),
        .older_seconds = hed_number_of(arguments, "older-than") * 86400,
        .keep_best = (uint32_t)hed_integer_of(arguments, "keep-best"),
        .dry_run = hed_given(arguments, "dry-run")};
    if (!def.kernel && !hed_given(arguments, "older-than") && !hed_given(arguments, "keep-best")) {
        fputs(
            "heddle: db prune needs to know what to remove: --older-than DAYS, --keep-best N or --kernel NAME\n",
            stderr);
        return HED_EXIT_USAGE;
    }
    hed_status status = cli_open_database(arguments, &session, true, &database, &error);
    if (status == HED_OK) status = hed_database_prune(database, &def, &removed, &error);
    if (status == HED_OK)
        status = print_changes(arguments, &removed, def.dry_run ? "would remove" : "removed",
            "from", hed_database_path(database), &error);
    return finish(&session, database, status, &error);
}

/* ---- path ---- */

static int run_path(const hed_arguments *arguments, void *user)
{
    (void)user;
    cli_session session;
    hed_error error;
    hed_status status = cli_open_context(arguments, &session, &error);
    if (status == HED_OK && hed_given(arguments, "json")) {
        hed_records *records = hed_records_create();
        hed_records_next(records);
        hed_records_text(records, "file", path_of(arguments, &session));
        hed_records_boolean(records, "exists", access(path_of(arguments, &session), F_OK) == 0);
        status = hed_records_print(records, stdout, &error);
        hed_records_free(records);
    } else if (status == HED_OK) {
        const char *path = path_of(arguments, &session);
        printf("%s\n", path[0] ? path : "none");
    }
    return finish(&session, NULL, status, &error);
}

/* ---- the commands ---- */

#define OPTION_KERNEL(words) \
    { \
        .name = "kernel", .letter = 'k', .kind = HED_OPTION_TEXT, .value = "NAME", .help = (words) \
    }
#define OPTION_DEVICE \
    { \
        .name = "device", .letter = 'd', .kind = HED_OPTION_TEXT, .value = "NAME", \
        .help = "only of devices whose name or platform has this in it, or of this backend" \
    }

static const hed_option EXPORT_OPTIONS[] = {OPTION_KERNEL("only this kernel"), OPTION_DEVICE,
    {.name = "choices",
        .kind = HED_OPTION_FLAG,
        .help = "only what launches take, without the measurements"},
    {0}};
static const hed_option PRUNE_OPTIONS[] = {
    {.name = "older-than",
        .kind = HED_OPTION_NUMBER,
        .value = "DAYS",
        .low = 0,
        .high = 1e6,
        .help = "measurements of tunings that began longer ago than this"},
    {.name = "keep-best",
        .kind = HED_OPTION_INTEGER,
        .value = "COUNT",
        .low = 1,
        .high = 1e6,
        .help = "all but so many of each key's configurations, the fastest, and the choice"},
    OPTION_KERNEL("of this kernel; alone: everything of it, choices too"),
    {.name = "dry-run", .letter = 'n', .kind = HED_OPTION_FLAG, .help = "only say what would go"},
    {0}};
static const hed_option EXPORT_POSITIONALS[] = {
    {.name = "FILE", .kind = HED_OPTION_FILE, .required = true, .help = "the JSON file to write"},
    {0}};
static const hed_option IMPORT_POSITIONALS[] = {{.name = "FILES",
                                                    .kind = HED_OPTION_FILE,
                                                    .required = true,
                                                    .repeated = true,
                                                    .help = "files of heddle db export"},
    {0}};
static const hed_option MERGE_POSITIONALS[] = {{.name = "FILES",
                                                   .kind = HED_OPTION_FILE,
                                                   .required = true,
                                                   .repeated = true,
                                                   .help = "tuning.db of other machines"},
    {0}};

static const hed_command EXPORT = {.name = "export",
    .summary = "write results to a JSON file",
    .options = EXPORT_OPTIONS,
    .positionals = EXPORT_POSITIONALS,
    .run = run_export};
static const hed_command IMPORT = {.name = "import",
    .summary = "take in results of JSON files, all or nothing",
    .description =
        "Results that are there already are passed over. A choice that is there stays, unless the new one's "
        "confidence interval lies wholly below its own.",
    .positionals = IMPORT_POSITIONALS,
    .run = run_import};
static const hed_command MERGE = {.name = "merge",
    .summary = "take in another machine's database",
    .description =
        "As import does, from the database itself, which is only read. Merging the same file again adds nothing.",
    .positionals = MERGE_POSITIONALS,
    .run = run_merge};
static const hed_command PRUNE = {.name = "prune",
    .summary = "remove measurements that are not needed any more",
    .description =
        "Choices stay, so launches do what they did before. Configurations that crashed or hung stay with "
        "--keep-best, so that they are never tried again.",
    .options = PRUNE_OPTIONS,
    .run = run_prune};
static const hed_command PATH = {
    .name = "path", .summary = "print where the database lies", .run = run_path};

static const hed_option OPTIONS[] = {{.name = "database",
                                         .kind = HED_OPTION_FILE,
                                         .value = "FILE",
                                         .help = "use this database instead of your own"},
    {.name = "installed",
        .kind = HED_OPTION_FLAG,
        .help = "look into the one that came with Heddle instead of your own"},
    CLI_OPTION_JSON(false), {0}};
static const hed_example EXAMPLES[] = {
    {"heddle db list", "what was tuned, for which device and size, and what it gained"},
    {"heddle db show convolution -d H200", "the ten best configurations of a kernel"},
    {"heddle db export --choices -k blur blur.json", "to ship with a program"},
    {"heddle db merge /mnt/other/tuning.db", "another machine's results beside one's own"},
    {"heddle db prune --older-than 365 --keep-best 20 --dry-run", "what could go"}, {0}};
static const hed_command *const COMMANDS[] = {
    &cli_db_list, &cli_db_show, &EXPORT, &IMPORT, &MERGE, &PRUNE, &PATH, NULL};

const hed_command hed_command_db = {
    .name = "db",
    .summary = "the tuning database: what was measured, and what launches take",
    .description =
        "Every measurement of heddle tune is kept, and for each kernel, device, driver and size the "
        "configuration that "
        "launches take. Your own database lies over one that came with Heddle, which is only read.",
    .options = OPTIONS,
    .commands = COMMANDS,
    .examples = EXAMPLES,
};
