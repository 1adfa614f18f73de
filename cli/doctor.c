/* heddle doctor: state of backends, libraries and folders; for each failure the reason and the
 * remedy. */
#include "cli/common/apart.h"
#include "cli/common/command.h"
#include "cli/common/report.h"
#include "heddle/canonical.h"
#include "cli/verify/conformance.h"
#include "support/optional_libraries.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A line of the report. */
typedef struct finding {
    char subject[64]; /* "opencl", "cache folder" */
    const char *state;
    char detail[512]; /* version, path or device that was found */
    char reason[1024];
    char remedy[512];
} finding;

static const char *const STATES[] = {
    [HED_BACKEND_WORKS] = "works",
    [HED_BACKEND_LIMITED] = "limited",
    [HED_BACKEND_ABSENT] = "absent",
    [HED_BACKEND_FAILED] = "failed",
};

/* ---- devices: only a kernel that ran has shown that a driver works ---- */

static void doctor_remember(void *user, const hed_conformance_run *run)
{
    char *text = user;
    if (run->verdict != HED_VERDICT_PASSED && !text[0]) snprintf(text, 512, "%s", run->text);
}

/* Runs the copy kernel on a device; true if the result is right, else the reason is in `text` (512
 * bytes). */
static bool try_device(hed_context *context, hed_device *device, char *text)
{
    hed_error error = {0};
    hed_conformance_def def = {.device = device,
        .kernel = hed_canonical_find("copy"),
        .coverage = HED_COVER_DEFAULT,
        .seed = 1};
    hed_conformance_report report = {0};
    def.each = doctor_remember;
    def.user = text;
    text[0] = 0;
    hed_device_find(context, "host", &def.reference, &error);
    if (hed_conformance(&def, &report, &error)) snprintf(text, 512, "%.500s", error.text);
    return !error.status && report.passed > 0 && report.failed == 0;
}

static void examine_backend(hed_context *context, uint32_t index, finding *result)
{
    hed_backend_info report = hed_backend_at(context, index);
    *result = (finding){.state = STATES[report.state]};
    snprintf(result->subject, sizeof result->subject, "%s", report.name);
    snprintf(result->reason, sizeof result->reason, "%s", report.reason);
    snprintf(result->remedy, sizeof result->remedy, "%s", report.remedy);
    size_t used = (size_t)snprintf(result->detail, sizeof result->detail, "%s", report.library);
    for (uint32_t i = 0; i < hed_context_describe(context).devices; i++) {
        hed_device *device = hed_device_at(context, i);
        const hed_device_info info = hed_device_describe(device);
        char text[512];
        if (strcmp(info.backend, report.name) != 0) continue;
        bool works = try_device(context, device, text);
        if (used < sizeof result->detail)
            used += (size_t)snprintf(result->detail + used, sizeof result->detail - used,
                "%s%s (%s) %s", used ? "; " : "", info.id, info.name,
                works ? "runs kernels" : "does not run kernels");
        if (!works) {
            result->state = STATES[HED_BACKEND_FAILED];
            snprintf(result->reason, sizeof result->reason, "%s: %s", info.id, text);
        }
    }
}

/* ---- a process for each backend: a driver that crashes or hangs costs its own line alone ---- */

typedef struct examination {
    const hed_arguments *arguments;
    const char *name;
    uint32_t index;
} examination;

static void examine_in_child(void *user, void *result)
{
    const examination *e = user;
    finding *f = result;
    cli_session session;
    hed_error error = {0};
    if (!cli_open_backend_context(e->arguments, e->name, &session, &error)) {
        examine_backend(session.context, e->index, f);
        return;
    }
    *f = (finding){.state = STATES[HED_BACKEND_FAILED]};
    snprintf(f->subject, sizeof f->subject, "%s", e->name);
    snprintf(f->reason, sizeof f->reason, "%.1000s", error.text);
}

static void examine_apart(
    const hed_arguments *arguments, const char *name, uint32_t index, finding *result)
{
    char reason[CLI_APART_REASON];
    if (cli_apart(examine_in_child, &(examination){arguments, name, index}, result, sizeof *result,
            reason))
        return;
    *result = (finding){.state = STATES[HED_BACKEND_FAILED]};
    snprintf(result->subject, sizeof result->subject, "%s", name);
    snprintf(result->reason, sizeof result->reason, "%s", reason);
    cli_driver_remedy(name, result->remedy, sizeof result->remedy);
}

/* ---- optional libraries of the engines and of this command ---- */

static void examine_library(const hed_library_def *def, finding *result)
{
    *result = (finding){.state = "works"};
    snprintf(result->subject, sizeof result->subject, "%s", def->name);
    hed_library_def bare = *def; /* packages are reported as the remedy */
    bare.debian = bare.fedora = NULL;
    const char *file;
    hed_error error = {0};
    if (hed_library_load(NULL, &bare, NULL, NULL, 0, &file, &error) == HED_OK) {
        snprintf(result->detail, sizeof result->detail, "%s: %s", file, def->purpose);
        return;
    }
    result->state = "absent";
    snprintf(result->reason, sizeof result->reason, "%.1000s", error.text);
    snprintf(result->remedy, sizeof result->remedy, "apt install %s (Debian), %s%s%sor set %s to its path",
        def->debian, def->fedora ? "dnf install " : "", def->fedora ? def->fedora : "",
        def->fedora ? " (Fedora), " : "", def->setting);
}

/* ---- folders ---- */

/* Checks that files can be created in a folder, or the folder itself if it does not exist. */
static void examine_folder(
    const char *subject, const char *folder, const char *variable, finding *result)
{
    *result = (finding){.state = "works"};
    snprintf(result->subject, sizeof result->subject, "%s", subject);
    if (!folder[0]) {
        result->state = "absent";
        snprintf(result->reason, sizeof result->reason, "there is no home folder to put it in");
        snprintf(result->remedy, sizeof result->remedy, "set %s to a folder that can be written",
            variable);
        return;
    }
    char path[4096];
    snprintf(path, sizeof path, "%s", folder);
    bool exists = access(path, F_OK) == 0;
    while (path[1] && access(path, F_OK) != 0 && errno == ENOENT) {
        char *slash = strrchr(path, '/');
        if (!slash) break;
        slash[slash == path] = 0;
    }
    snprintf(result->detail, sizeof result->detail, "%.480s%s", folder,
        exists ? "" : " (made when it is needed)");
    if (access(path, W_OK | X_OK) == 0) return;
    result->state = "failed";
    snprintf(result->reason, sizeof result->reason, "%.800s cannot be written: %s", path,
        strerror(errno));
    snprintf(result->remedy, sizeof result->remedy, "make it writable, or set %s to another folder",
        variable);
}

/* ---- report ---- */

static int doctor_run(const hed_arguments *arguments, void *user)
{
    cli_session session;
    hed_error error = {0};
    if (cli_open_backend_context(arguments, "host", &session, &error)) return cli_fail(&error);
    bool json = hed_given(arguments, "json"), host_works = false;
    cli_report *report = cli_report_create(json);
    hed_context_info info = hed_context_describe(session.context);
    uint32_t folders = info.backends + HED_OPTIONAL_LIBRARY_COUNT;
    for (uint32_t i = 0; i < folders + 2 && !hed_interrupted(); i++) {
        finding f;
        if (i < info.backends)
            examine_apart(arguments, hed_backend_at(session.context, i).name, i, &f);
        else if (i < folders) examine_library(&hed_optional_libraries[i - info.backends], &f);
        else if (i == folders) examine_folder("cache folder", info.cache_dir, "XDG_CACHE_HOME", &f);
        else
            examine_folder(
                "data folder", hed_context_describe(session.context).data_dir, "XDG_DATA_HOME", &f);
        if (strcmp(f.subject, "host") == 0) host_works = strcmp(f.state, "works") == 0;
        cli_report_row(report, CLI_TEXT("subject", f.subject), CLI_TEXT("state", f.state),
            CLI_TEXT("detail", f.detail), CLI_TEXT("reason", f.reason),
            CLI_TEXT("remedy", f.remedy));
        if (!json) {
            printf("%-14s %s%*s%s\n", f.subject, f.state,
                f.detail[0] ? 9 - (int)strlen(f.state) : 0, "", f.detail);
            if (f.reason[0]) printf("%-14s          why:  %s\n", "", f.reason);
            if (f.remedy[0]) printf("%-14s          mend: %s\n", "", f.remedy);
        }
        fflush(stdout);
    }
    hed_status status = cli_report_end(report, HED_OK, &error);
    cli_close(&session);
    int code = cli_end(status, &error);
    return code == HED_EXIT_OK && !host_works ? HED_EXIT_FAILURE : code;
}

static const hed_option OPTIONS[] = {CLI_OPTION_JSON(false), {0}};
static const hed_example EXAMPLES[] = {
    {"heddle doctor", "why a device is missing from heddle devices"}, {0}};

const hed_command hed_command_doctor = {
    .name = "doctor",
    .summary = "say what works, what does not, and what mends it",
    .description =
        "Says for each backend whether it works, by running a kernel on each of its devices; if not, the reason and the "
        "package or setting that mends it. Likewise for the libraries that sound cards, sound files, pictures and windows "
        "need. Also checks that the folders for compiled kernels and kept data can be written.\n\nA backend or a library "
        "that is absent is no failure: the exit code is 0 unless host, which needs nothing, fails.",
    .options = OPTIONS,
    .examples = EXAMPLES,
    .run = doctor_run,
};
