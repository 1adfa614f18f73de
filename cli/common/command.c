/* Contexts, devices and error messages of the commands. */
#include "cli/common/command.h"
#include "cli/common/apart.h"

#include "heddle/canonical.h"
#include "heddle/cloth.h"
#include "heddle/synth.h"
#include "support/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void log_to_stderr(void *user, hed_log_level level, const char *message)
{
    const cli_session *session = user;
    if (level == HED_LOG_DEBUG) cli_crash_step(message);
    if (level > HED_LOG_WARNING || session->quiet) return;
    if (session->before_message) session->before_message(session->user);
    fprintf(stderr, "heddle: %s%s\n", level == HED_LOG_WARNING ? "warning: " : "", message);
}

/* True if a device of OpenGL is named, or a shader that OpenGL may run if there is no Vulkan. */
static bool names_gl(const hed_arguments *arguments)
{
    const char *named, *kernel = NULL;
    if (!hed_has_option(arguments, "device")) return false;
    for (uint32_t i = 0; (named = hed_text_at(arguments, "device", i)); i++)
        if (strncmp(named, "gl", 2) == 0) return true;
    if (hed_has_positional(arguments, "KERNEL")) kernel = hed_text_of(arguments, "KERNEL");
    return !hed_given(arguments, "device") && kernel && hed_is_glsl_path(kernel);
}

/* Contexts of one process that differ in their drivers or their threads: enough for the jobs of a
 * hand, which have one device. */
enum { MOST_KEPT_CONTEXTS = 4, BACKEND_NAME = 16 };

/* A context that is kept open, and the settings that it was opened with. */
typedef struct kept_context {
    hed_context *context;       /* NULL: free */
    char backend[BACKEND_NAME]; /* backend whose drivers alone are loaded; "": all */
    bool is_default;            /* the device of HEDDLE_DEVICE is used */
    uint32_t threads;
    bool gl;
} kept_context;

/* Contexts that are kept open for the further commands of this process. `session` is that of the
 * present command, and receives their messages. */
static struct {
    bool keep;
    kept_context contexts[MOST_KEPT_CONTEXTS];
    cli_session session;
    bool is_file_error; /* last error of the present command: in its words or in a file */
} shared;

void cli_keep_context(void) { shared.keep = true; }
bool cli_keeps_context(void) { return shared.keep; }

/* Finds the kept context with these settings, else a free place for it; NULL: nothing is kept, or
 * all places are taken. */
static kept_context *find_kept(const kept_context *settings)
{
    kept_context *place = NULL;
    for (uint32_t i = 0; i < MOST_KEPT_CONTEXTS && shared.keep; i++) {
        kept_context *entry = &shared.contexts[i];
        if (entry->context && entry->gl == settings->gl && entry->threads == settings->threads &&
            entry->is_default == settings->is_default &&
            strcmp(entry->backend, settings->backend) == 0)
            return entry;
        if (!entry->context && !place) place = entry;
    }
    return place;
}

bool cli_context_is_kept(const hed_context *context)
{
    for (uint32_t i = 0; i < MOST_KEPT_CONTEXTS; i++)
        if (context && shared.contexts[i].context == context) return true;
    return false;
}

void cli_close_kept(void)
{
    shared.keep = false;
    for (uint32_t i = 0; i < MOST_KEPT_CONTEXTS; i++)
        hed_context_destroy(shared.contexts[i].context);
    memset(shared.contexts, 0, sizeof shared.contexts);
}

void cli_begin_kept(void)
{
    shared.is_file_error = false;
    shared.session = (cli_session){0};
    cli_crash_step("none");
}

bool cli_may_go_on(int code)
{
    return !hed_interrupted() && (code == HED_EXIT_OK || shared.is_file_error);
}

static hed_context_def context_def_of(const hed_arguments *arguments, cli_session *session)
{
    hed_context_def def = hed_default_context_def();
    session->quiet = !arguments || hed_given(arguments, "quiet");
    def.logger = (hed_logger){.user = session, .log = log_to_stderr, .level = HED_LOG_DEBUG};
    cli_crash_install();
    if (arguments && hed_has_option(arguments, "threads") && hed_given(arguments, "threads"))
        def.host_threads = (uint32_t)hed_integer_of(arguments, "threads");
    return def;
}

/* Restricts a context to the drivers of one backend. */
static void restrict_to(hed_context_def *def, const char *backend)
{
    bool cuda = strcmp(backend, "cuda") == 0;
    def->gl = strcmp(backend, "gl") == 0;
    if (!def->gl) def->gl_library = "";
    if (!cuda) def->nvrtc_library = "";
    if (!cuda) def->cuda_library = "";
    if (strcmp(backend, "hip") != 0) def->hip_library = "";
    if (strcmp(backend, "opencl") != 0) def->opencl_library = "";
    if (strcmp(backend, "vulkan") != 0) def->vulkan_library = "";
}

/* Devices of a command. */
typedef enum device_scope {
    NAMED,            /* devices of --device; without the option, all */
    NAMED_OR_DEFAULT, /* devices of --device; without the option, the device of HEDDLE_DEVICE */
    WHOLE             /* all, and OpenGL's devices */
} device_scope;

/* Returns the user's name of device `i`; NULL: there is no further one. */
static const char *named_device(const hed_arguments *arguments, device_scope scope, uint32_t i)
{
    if (!arguments || !hed_has_option(arguments, "device")) return NULL;
    const char *named = hed_text_at(arguments, "device", i);
    return named || i || scope != NAMED_OR_DEFAULT ? named : getenv("HEDDLE_DEVICE");
}

/* Writes the backend of the named devices; "" unless all are ids of one backend ("cuda:0", "host"). */
static void named_backend(
    const hed_arguments *arguments, device_scope scope, char backend[BACKEND_NAME])
{
    const char *named = NULL;
    backend[0] = 0;
    for (uint32_t i = 0; (named = named_device(arguments, scope, i)); i++) {
        size_t size = strcspn(named, ":");
        if ((named[size] != ':' && strcmp(named, "host") != 0) || size >= BACKEND_NAME ||
            (i && (strncmp(backend, named, size) != 0 || backend[size]))) {
            backend[0] = 0;
            return;
        }
        memcpy(backend, named, size);
        backend[size] = 0;
    }
}

/* Opens a context with the driver of the named devices alone, as each driver takes up to a second to start.
 * False unless all devices are ids of one backend and are present. */
static bool open_named(const hed_arguments *arguments, device_scope scope, const char *backend,
    const hed_context_def *whole, cli_session *session)
{
    const char *named = NULL;
    hed_context_def def = *whole;
    hed_device *device;
    if (!backend[0]) return false;
    restrict_to(&def, backend);
    /* the device of HEDDLE_DEVICE may be of another backend */
    if (hed_given(arguments, "device")) def.device = "host";
    bool is_open = !hed_context_create(&def, &session->context, NULL);
    for (uint32_t i = 0; is_open && (named = named_device(arguments, scope, i)); i++)
        is_open = !hed_device_find(session->context, named, &device, NULL);
    if (is_open) return true;
    hed_context_destroy(session->context);
    session->context = NULL;
    return false;
}

static hed_status open_context(
    const hed_arguments *arguments, device_scope scope, cli_session *session, hed_error *error)
{
    *session = (cli_session){0};
    hed_context_def def = context_def_of(arguments, session);
    def.gl = scope == WHOLE || (arguments && names_gl(arguments));
    kept_context settings = {.threads = def.host_threads, .gl = def.gl};
    named_backend(arguments, scope, settings.backend);
    settings.is_default = settings.backend[0] && !hed_given(arguments, "device");
    kept_context *place = find_kept(&settings);
    if (place) shared.session = *session; /* a context's messages follow the command's options */
    if (place && place->context) session->context = place->context;
    if (place) def.logger.user = &shared.session;
    hed_status status =
        session->context || open_named(arguments, scope, settings.backend, &def, session)
            ? HED_OK
            : hed_context_create(&def, &session->context, error);
    settings.context = session->context;
    if (place) *place = settings;
    hed_interrupt_install();
    return status;
}

hed_status cli_open_context(const hed_arguments *arguments, cli_session *session, hed_error *error)
{
    return open_context(arguments, NAMED, session, error);
}

hed_status cli_open_whole_context(
    const hed_arguments *arguments, cli_session *session, hed_error *error)
{
    return open_context(arguments, WHOLE, session, error);
}

hed_status cli_open_backend_context(
    const hed_arguments *arguments, const char *backend, cli_session *session, hed_error *error)
{
    *session = (cli_session){0};
    hed_context_def def = context_def_of(arguments, session);
    restrict_to(&def, backend);
    def.device = "host"; /* HEDDLE_DEVICE may name a device of another backend */
    hed_status status = hed_context_create(&def, &session->context, error);
    hed_interrupt_install();
    return status;
}

typedef struct backend_trial {
    const hed_arguments *arguments;
    const char *name;
} backend_trial;

static void try_in_child(void *user, void *opened)
{
    const backend_trial *trial = user;
    cli_session session;
    cli_open_backend_context(trial->arguments, trial->name, &session, NULL);
    *(bool *)opened = true;
}

uint32_t cli_leave_out_dead(const hed_arguments *arguments)
{
    cli_session session;
    char reason[CLI_APART_REASON], remedy[256];
    uint32_t dead = 0;
    if (cli_open_backend_context(arguments, "host", &session, NULL)) return 0;
    for (uint32_t i = 0; i < hed_context_describe(session.context).backends; i++) {
        const char *name = hed_backend_at(session.context, i).name;
        bool opened = false;
        if (hed_interrupted() || cli_apart(try_in_child, &(backend_trial){arguments, name}, &opened,
                                     sizeof opened, reason))
            continue;
        dead++;
        cli_driver_remedy(name, remedy, sizeof remedy);
        if (arguments) fprintf(stderr, "heddle: %s: %s; %s\n", name, reason, remedy);
        cli_driver_switch_off(name);
    }
    hed_context_destroy(session.context);
    return dead;
}

const hed_device_info cli_any_browser = {.id = "browser",
    .backend = "browser",
    .name = "any",
    .max_group = 1024,
    .max_group_size = {1024, 1024, 1024},
    .max_groups = {65535, 65535, 65535},
    .local_bytes = 1 << 20,
    .max_buffer_bytes = UINT64_C(1) << 40,
    .capabilities = HED_CAN_WGSL | HED_CAN_FP16 | HED_CAN_LANES};

hed_status cli_find_device(
    const cli_session *session, const char *selector, hed_device **device, hed_error *error)
{
    if (hed_device_find(session->context, selector, device, error) && selector)
        cli_name_option(error, "device", selector);
    return error->status;
}

static hed_status add_device(cli_session *session, hed_device *device, hed_error *error)
{
    for (uint32_t i = 0; i < session->count; i++)
        if (session->devices[i] == device) return HED_OK;
    if (session->count == CLI_MOST_DEVICES)
        return hed_fail(error, HED_ERROR_LIMIT,
            "--device: %s is device %d of the list; a command takes at most %d",
            hed_device_describe(device).id, CLI_MOST_DEVICES + 1, CLI_MOST_DEVICES);
    session->devices[session->count++] = device;
    return HED_OK;
}

hed_status cli_open_devices(const hed_arguments *arguments, cli_session *session, hed_error *error)
{
    hed_status status = open_context(arguments, NAMED_OR_DEFAULT, session, error);
    for (uint32_t i = 0; status == HED_OK; i++) {
        const char *selector = hed_text_at(arguments, "device", i);
        if (!selector && i > 0) break;
        if (selector && strcmp(selector, "all") == 0) {
            uint32_t devices = hed_context_describe(session->context).devices;
            for (uint32_t j = 0; j < devices && !status; j++)
                status = add_device(session, hed_device_at(session->context, j), error);
            continue;
        }
        hed_device *device;
        status = cli_find_device(session, selector, &device, error);
        if (status == HED_OK) status = add_device(session, device, error);
    }
    if (status != HED_OK) cli_close(session);
    return status;
}

void cli_close(cli_session *session)
{
    if (!cli_context_is_kept(session->context)) hed_context_destroy(session->context);
    *session = (cli_session){0};
}

int cli_fail(const hed_error *error)
{
    shared.is_file_error = error->status == HED_ERROR_ARGUMENT ||
                           error->status == HED_ERROR_FORMAT || error->status == HED_ERROR_IO;
    if (hed_interrupted()) {
        fputs("heddle: interrupted\n", stderr);
        return HED_EXIT_INTERRUPTED;
    }
    fprintf(stderr, "heddle: %s\n", error->text);
    if (error->log[0])
        fprintf(stderr, "%s%s", error->log, error->log[strlen(error->log) - 1] == '\n' ? "" : "\n");
    bool value = error->status == HED_ERROR_ARGUMENT || error->status == HED_ERROR_NO_DEVICE;
    return value && strncmp(error->text, "--", 2) == 0 ? HED_EXIT_USAGE : HED_EXIT_FAILURE;
}

int cli_refuse(const hed_error *error)
{
    int code = cli_fail(error);
    bool value = error->status == HED_ERROR_ARGUMENT || error->status == HED_ERROR_FORMAT;
    return value ? HED_EXIT_USAGE : code;
}

void cli_name_option(hed_error *error, const char *option, const char *value)
{
    char text[HED_ERROR_TEXT - 128]; /* leaves space for the option and its value */
    if (error->status != HED_ERROR_ARGUMENT && error->status != HED_ERROR_NO_DEVICE) return;
    memcpy(text, error->text, sizeof text);
    text[sizeof text - 1] = 0;
    size_t length = strlen(value);
    bool named = strncmp(text, value, length) == 0 && text[length] == ':';
    snprintf(error->text, sizeof error->text, "--%.32s %.64s%s%s", option, named ? "" : value,
        named ? "" : ": ", text);
}

int cli_end(hed_status status, const hed_error *error)
{
    if (status != HED_OK) return cli_fail(error);
    return hed_interrupted() ? HED_EXIT_INTERRUPTED : HED_EXIT_OK;
}

int cli_end_output(int code)
{
    bool failed = ferror(stdout) != 0;
    const char *reason = "not all of it was taken";
    if (fflush(stdout) != 0) {
        failed = true;
        reason = strerror(errno);
    }
    clearerr(stdout);
    if (!failed || code != HED_EXIT_OK) return code;
    fprintf(stderr, "heddle: cannot write the output: %s\n", reason);
    return HED_EXIT_FAILURE;
}

void cli_format_bytes(uint64_t bytes, char *text, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    uint32_t unit = 0;
    while (value >= 1024 && unit < 4) {
        value /= 1024;
        unit++;
    }
    snprintf(text, size, value < 10 && value != (double)(uint64_t)value ? "%.1f %s" : "%.0f %s",
        value, units[unit]);
}

void cli_format_problem(
    const hed_kernel_def *def, const hed_problem *problem, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < problem->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s=%" PRId64, i ? " " : "",
            i < def->dimension_count ? def->dimensions[i] : "?", problem->sizes[i]);
}

/* ---- kernels ---- */

uint32_t cli_kernel_count(void)
{
    return hed_canonical_count() + hed_cloth_kernel_count() + hed_synth_kernel_count();
}

const hed_kernel_def *cli_kernel_at(uint32_t index)
{
    uint32_t cloth = hed_canonical_count(), synth = cloth + hed_cloth_kernel_count();
    if (index < cloth) return hed_canonical_at(index);
    return index < synth ? hed_cloth_kernel_at(index - cloth) : hed_synth_kernel_at(index - synth);
}

const hed_kernel_def *cli_kernel_find(const char *name)
{
    for (uint32_t i = 0; i < cli_kernel_count(); i++)
        if (strcmp(cli_kernel_at(i)->name, name) == 0) return cli_kernel_at(i);
    return NULL;
}

/* ---- names for completion ---- */

static void list_kernels(const hed_names *names, hed_name_function *add, void *user)
{
    for (uint32_t i = 0; i < cli_kernel_count(); i++) add(user, cli_kernel_at(i)->name, NULL);
}

typedef struct device_listing {
    hed_name_function *add;
    void *user;
} device_listing;

static void list_in_child(void *user, void *listed)
{
    const device_listing *to = user;
    cli_session session;
    if (open_context(NULL, NAMED, &session, NULL) != HED_OK) return;
    for (uint32_t i = 0; i < hed_context_describe(session.context).devices; i++) {
        const hed_device_info info = hed_device_describe(hed_device_at(session.context, i));
        to->add(to->user, info.id, info.name);
    }
    *(bool *)listed = true;
}

/* Lists ids in a child process, which prints them; without the drivers that end it, if there
 * are. */
static void list_devices(const hed_names *names, hed_name_function *add, void *user)
{
    device_listing to = {add, user};
    char reason[CLI_APART_REASON];
    bool listed = false;
    if (!cli_apart(list_in_child, &to, &listed, sizeof listed, reason) && cli_leave_out_dead(NULL))
        cli_apart(list_in_child, &to, &listed, sizeof listed, reason);
    add(user, "best", "the first of them");
}

const hed_names cli_kernel_names = {.list = list_kernels},
                cli_device_names = {.list = list_devices};
