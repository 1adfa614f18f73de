/* heddle batch: a list of renders, drapes, cloth runs, pages against sheets and controllers,
 * distributed over all devices. */
#include "batch.h"

#include "cli/common/report.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- places ---- */

static hed_status batch_places(
    const hed_arguments *arguments, batch_place *places, uint32_t *count, hed_error *error)
{
    const char *worker;
    cli_session session;
    *count = 0;
    for (uint32_t i = 0; (worker = hed_text_at(arguments, "worker", i)); i++) {
        if (*count == BATCH_MOST_HANDS)
            return hed_fail(error, HED_ERROR_LIMIT, "more than %d workers", BATCH_MOST_HANDS);
        batch_place *place = &places[(*count)++];
        *place = (batch_place){.descriptor = -1};
        if (!cli_is_socket(worker, &place->descriptor)) place->command = worker;
    }
    if (*count && !hed_given(arguments, "device")) return HED_OK;
    cli_device_group *groups = calloc(HED_TUNE_DEVICES, sizeof *groups);
    uint32_t group_count = 0;
    if (!groups) return HED_OUT_OF_MEMORY(error, "the devices");
    if (!cli_open_context(arguments, &session, error)) {
        cli_device_groups(arguments, &session, groups, &group_count, error);
        for (uint32_t i = 0; i < group_count && !hed_failed(error); i++)
            for (uint32_t j = 0; j < groups[i].count && !hed_failed(error); j++) {
                if (*count == BATCH_MOST_HANDS) {
                    hed_fail(error, HED_ERROR_LIMIT, "more than %d workers and devices",
                        BATCH_MOST_HANDS);
                    break;
                }
                batch_place *place = &places[(*count)++];
                *place = (batch_place){.descriptor = -1};
                snprintf(place->device, sizeof place->device, "%s",
                    hed_device_describe(groups[i].devices[j]).id);
            }
        cli_close(&session);
    }
    free(groups);
    return error->status;
}

/* ---- results ---- */

/* Lists, before the work, jobs that were done in an earlier run and will be run again. */
static void batch_list_repeated(const batch_list *list)
{
    enum { SHOW_LIMIT = 20 };
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const batch_job *job = &list->jobs[i];
        if (!job->repeat_reason[0] || count++ >= SHOW_LIMIT) continue;
        fprintf(stderr, "batch: %s is run again: %s\n", job->name, job->repeat_reason);
    }
    if (count > SHOW_LIMIT) fprintf(stderr, "batch: %u more are run again\n", count - SHOW_LIMIT);
}

static void batch_tell_faults(const batch_list *list, FILE *out)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const batch_job *job = &list->jobs[i];
        if (job->state == BATCH_FAILED) fprintf(out, "  failed     %s: %s\n", job->name, job->failure);
        else if (job->tries > 1)
            fprintf(out, "  %s %s: %s\n", job->state == BATCH_DONE ? "done after" : "waits after",
                job->name, job->failure);
    }
}

static void batch_print(
    const batch_def *def, const batch_result *result, const uint32_t *states, uint32_t before)
{
    printf("%s: %u of %u done%s, %u failed, %u left, in %.1f s\n", def->title, states[BATCH_DONE],
        def->list->count, before ? " (some in earlier runs)" : "", states[BATCH_FAILED],
        states[BATCH_WAITING], result->seconds);
    for (uint32_t i = 0; i < result->hand_count; i++) {
        const batch_hand_view *hand = &result->hands[i];
        printf("  %-28s %u done, %u faults, %.0f %% of the time at work%s%s\n", hand->device,
            hand->done, hand->failed, result->seconds > 0 ? 100 * hand->busy / result->seconds : 0,
            hand->is_lost ? "; " : "", hand->is_lost ? hand->doing : "");
    }
    batch_tell_faults(def->list, stdout);
    printf("  logs       %s\n", def->logs);
    if (def->page) printf("  page       %s\n", def->page);
}

static hed_status batch_print_json(const batch_def *def, const batch_result *result,
    const uint32_t *states, uint32_t before, hed_error *error)
{
    cli_report *report = cli_report_create(true);
    cli_report_row(report, CLI_TEXT("batch", def->title), CLI_WHOLE("jobs", def->list->count),
        CLI_WHOLE("done", states[BATCH_DONE]), CLI_WHOLE("before", before),
        CLI_WHOLE("failed", states[BATCH_FAILED]), CLI_WHOLE("left", states[BATCH_WAITING]),
        CLI_NUMBER("seconds", result->seconds), CLI_FLAG("interrupted", result->stopped));
    cli_report_open_list(report, "devices");
    for (uint32_t i = 0; i < result->hand_count; i++)
        cli_report_row(report, CLI_TEXT("device", result->hands[i].device),
            CLI_WHOLE("done", result->hands[i].done), CLI_WHOLE("faults", result->hands[i].failed),
            CLI_NUMBER("busy", result->hands[i].busy), CLI_FLAG("lost", result->hands[i].is_lost));
    cli_report_close(report);
    cli_report_open_list(report, "again");
    for (uint32_t i = 0; i < def->list->count; i++)
        if (def->list->jobs[i].repeat_reason[0])
            cli_report_row(report, CLI_TEXT("job", def->list->jobs[i].name),
                CLI_TEXT("what", def->list->jobs[i].repeat_reason));
    cli_report_close(report);
    cli_report_open_list(report, "faults");
    for (uint32_t i = 0; i < def->list->count; i++) {
        const batch_job *job = &def->list->jobs[i];
        if (job->state != BATCH_FAILED && job->tries < 2) continue;
        cli_report_row(report, CLI_TEXT("job", job->name), CLI_TEXT("what", job->failure),
            CLI_WHOLE("tries", job->tries), CLI_FLAG("done", job->state == BATCH_DONE));
    }
    cli_report_close(report);
    hed_status status = cli_report_print_one(report, stdout, error);
    cli_report_free(report);
    return status;
}

/* ---- the command ---- */

static int batch_go(const hed_arguments *arguments, batch_list *list, int journal, hed_error *error)
{
    static batch_place places[BATCH_MOST_HANDS];
    static batch_result result;
    const char *path = hed_text_of(arguments, "JOBS"), *logs = hed_text_of(arguments, "logs");
    char folder[4096];
    bool json = hed_given(arguments, "json");
    snprintf(folder, sizeof folder, "%s.logs", path);
    batch_def def = {.title = path,
        .list = list,
        .places = places,
        .journal = journal,
        .logs = logs ? logs : folder,
        .page = hed_text_of(arguments, "page"),
        .patience = hed_number_of(arguments, "patience"),
        .quiet = json || hed_given(arguments, "quiet")};
    if (batch_logs_check(def.logs, list, error) ||
        batch_places(arguments, places, &def.place_count, error))
        return cli_fail(error);
    hed_interrupt_install();
    if (!def.quiet) batch_list_repeated(list);
    hed_status status = batch_lead(&def, &result, error);
    uint32_t states[BATCH_FAILED + 1] = {0}, before = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        states[list->jobs[i].state]++;
        before += list->jobs[i].before;
    }
    hed_error json_error = {0};
    if (!json) batch_print(&def, &result, states, before);
    else if (batch_print_json(&def, &result, states, before, &json_error) && !status)
        status = hed_fail(error, json_error.status, "%s", json_error.text);
    free(result.tries);
    if (result.stopped) return HED_EXIT_INTERRUPTED;
    if (status) return cli_fail(error);
    return states[BATCH_DONE] == list->count ? HED_EXIT_OK : HED_EXIT_FAILURE;
}

static int batch_run(const hed_arguments *arguments, void *user)
{
    hed_error error = {0};
    batch_list list;
    int journal;
    const char *path = hed_text_of(arguments, "JOBS");
    signal(SIGPIPE, SIG_IGN);
    if (batch_list_read(path, &list, &error)) return cli_fail(&error);
    int code = HED_EXIT_FAILURE;
    if (batch_list_check(&list, path, &error) ||
        batch_journal_open(path, &list, hed_given(arguments, "resume"), &journal, &error)) {
        code = cli_fail(&error);
    } else {
        code = batch_go(arguments, &list, journal, &error);
        close(journal);
    }
    batch_list_free(&list);
    return code;
}

static const hed_command *const COMMANDS[] = {
    &hed_command_batch_hand, &hed_command_batch_stay, NULL};

const hed_command hed_command_batch = {
    .name = "batch",
    .summary = "run a list of renders, drapes, pages or controllers on all devices",
    .description =
        "JOBS is a list of commands of heddle's, each with the one file that comes out of it:\n\n"
        "{\"jobs\": [{\"run\": [\"synth\", \"render\", \"harp.json\", \"--out\", \"a.wav\"], \"output\": \"a.wav\", \"cost\": 4}, ...]}\n\n"
        "Instead of \"output\", \"stdout\" names the file for what the command prints. \"name\" and \"cost\" may be left out; "
        "what costs more is handed out earlier. Paths are relative to JOBS.\n\n"
        "Each device runs one command at a time. Renders, drapes, cloth runs, controllers and pages run one after the other in one process, "
        "so that the device's driver starts once. A result is there as a whole or not at all. "
        "JOBS.journal has a line for each command that has ended, with the hash of its result and of the files that it has read. "
        "--resume does the rest, and again each command of which one of them has changed. A command that is killed, or "
        "whose device is lost, is given to another device, twice at most; JOBS.logs has a log for each. "
        "The exit code is 1 if a job has failed or is left, 130 after Ctrl-C.",
    .options =
        (const hed_option[]){
            OPTION("device", TEXT, "ID",
                "device to use: its id, part of its name, best, or all for every GPU; several if given more than once",
                .letter = 'd', .repeated = true, .names = &cli_device_names),
            OPTION("worker", TEXT, "COMMAND",
                "a device elsewhere: a command that runs \"heddle batch hand\" there, as in \"ssh node7 heddle batch hand\"",
                .letter = 'w', .repeated = true),
            FLAG("resume", "go on from JOBS.journal"),
            OPTION("page", OUTPUT, "FILE",
                "write a page with devices, queue, faults and a time line, again and again", .endings = ".html .htm"),
            OPTION("logs", FOLDER, "FOLDER", "where a log of each job goes (default: JOBS.logs)"),
            OPTION("patience", NUMBER, "SECONDS", "time of silence after which a worker is lost",
                .fallback = "30", .low = 0.1, .high = 86400),
            FLAG("json", "print JSON: one object, nothing else"), {0}},
    .positionals = (const hed_option[]){POSITIONAL("JOBS", FILE, "the list, FILE.json", .required = true),
        {0}},
    .commands = COMMANDS,
    .examples = (const hed_example[]){{"heddle batch jobs.json --device all --page batch.html",
                                          "on every GPU of this machine, and a page to watch"},
        {"heddle batch jobs.json --resume", "what an earlier run has left"},
        {"heddle batch jobs.json --worker \"ssh node7 heddle batch hand\" --worker \"ssh node8 heddle batch hand\"",
            "on two machines that share the folder"},
        {0}},
    .run = batch_run,
};
