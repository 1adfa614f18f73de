/* Hand of a batch: runs the commands that a leader sends, one at a time, and reports their ends. A
 * command runs in a child process that dies with the hand, or in a resident child (stay.c). "heddle
 * batch hand" is started by the leader, ssh or heddle-mpi.
 *
 * - hello VERSION MACHINE DEVICE: the first line
 * - job NUMBER FOLDER RESULT STDOUT WORDS...: to the hand; STDOUT empty: into the log
 * - log NUMBER TEXT, alive: from the hand
 * - done NUMBER CODE SECONDS DIGEST [PATH DIGEST]...: CODE < 0: minus the number of a signal;
 *   digests of the result ("-": no result) and of the inputs */
#include "batch.h"

#include "support/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct hand {
    batch_stream in;
    int out;
    char device[128];
    pid_t child;     /* 0: not running */
    int output_pipe; /* pipe of the child's output and errors */
    /* lines to and from a resident child (stay.c); descriptor -1: no resident child */
    batch_stream stay;
    char number[32]; /* number of the current job; empty: idle */
    double begun, beat;
    int sources; /* memory file in which a command stores the names of the files it has read */
    char *folder, *result; /* working folder of the job, and path of its result */
    char **inputs;         /* (input_count) path and digest of each file named in the job's words */
    uint32_t input_count;
} hand;

/* Environment variable of a hand's commands: path of the file for batch_report_sources(). */
static const char SOURCES[] = "HEDDLE_BATCH_SOURCES";

static double hand_now(void) { return (double)hed_now() * 1e-9; }

/* ---- a child ---- */

/* Replaces the child process by the command. `from`: its standard input; -1: no input. */
static void hand_become(
    const char *folder, const char *output, int from, int errors, char *const *words)
{
    sigset_t no_signals;
    sigemptyset(&no_signals);
    sigprocmask(SIG_SETMASK, &no_signals, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    int to = output[0] ? open(output, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0666) : errors;
    if (from < 0) from = open("/dev/null", O_RDONLY);
    if (getppid() == 1 || to < 0 || chdir(folder) || dup2(from, STDIN_FILENO) < 0 ||
        dup2(to, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0) {
        dprintf(errors, "heddle: cannot begin in %s: %s\n", folder, strerrordesc_np(errno));
        _exit(HED_EXIT_FAILURE);
    }
    close_range(STDERR_FILENO + 1, ~0u, 0);
    execv("/proc/self/exe", words);
    dprintf(STDERR_FILENO, "heddle: cannot start: %s\n", strerrordesc_np(errno));
    _exit(127);
}

/* Starts a child. With `stays` the words start a resident child (stay.c). */
static bool hand_start(
    hand *h, const char *folder, const char *output, bool stays, char *const *words)
{
    int pipe_ends[2], sockets[2] = {-1, -1};
    if (pipe2(pipe_ends, O_CLOEXEC)) return false;
    if (stays && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets)) sockets[0] = -2;
    h->child = sockets[0] == -2 ? -1 : fork();
    if (h->child == 0) hand_become(folder, output, sockets[1], pipe_ends[1], words);
    close(pipe_ends[1]);
    if (sockets[1] >= 0) close(sockets[1]);
    h->output_pipe = pipe_ends[0];
    h->stay.descriptor = sockets[0];
    h->stay.begin = h->stay.size = 0;
    if (h->child > 0) {
        setpgid(h->child, h->child); /* the child may set it after a kill() of its group */
        fcntl(h->output_pipe, F_SETFL, O_NONBLOCK);
        return true;
    }
    close(pipe_ends[0]);
    if (sockets[0] >= 0) close(sockets[0]);
    h->child = 0;
    return false;
}

/* Waits for the child. Returns its exit code; < 0: minus the number of a signal. */
static int hand_end_child(hand *h)
{
    int status = 0;
    /* a resident child then exits by itself */
    if (h->stay.descriptor >= 0) close(h->stay.descriptor);
    while (waitpid(h->child, &status, 0) < 0 && errno == EINTR) {}
    kill(-h->child, SIGKILL); /* processes that the child may have started */
    close(h->output_pipe);
    h->child = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Waits for a child that ends by itself. Returns as hand_end_child(); a resident one has not run its
 * job then, so an end without an error counts as one by a signal. */
static int hand_lose_child(hand *h)
{
    bool stays = h->stay.descriptor >= 0;
    int code = hand_end_child(h);
    return stays && code == 0 ? -SIGTERM : code;
}

/* Sends "alive" once a second. */
static void hand_beat(void *user)
{
    hand *h = user;
    if (hand_now() - h->beat < 1) return;
    BATCH_SEND(h->out, "alive");
    h->beat = hand_now();
}

/* ---- digests ---- */

static void hand_forget(hand *h)
{
    for (uint32_t i = 0; i < h->input_count; i++) free(h->inputs[i]);
    free(h->inputs);
    free(h->folder);
    free(h->result);
    h->inputs = NULL;
    h->folder = h->result = NULL;
    h->input_count = 0;
}

/* Adds a file with its present digest to the inputs. Ignores everything but regular files. */
static bool hand_add_input(hand *h, const char *name)
{
    char path[8192], digest[BATCH_DIGEST];
    int size = snprintf(path, sizeof path, "%s%s", name[0] == '/' ? "" : h->folder, name);
    if (size >= (int)sizeof path || !batch_digest_file(path, hand_beat, h, digest)) return true;
    char **grown = realloc(h->inputs, (h->input_count + 2) * sizeof *grown);
    if (!grown) return false;
    h->inputs = grown;
    grown[h->input_count] = strdup(name);
    grown[h->input_count + 1] = strdup(digest);
    h->input_count += 2;
    return grown[h->input_count - 2] && grown[h->input_count - 1];
}

/* Records the files named in the words, before the command reads them. */
static bool hand_note(
    hand *h, const char *folder, const char *result, const hed_arguments *arguments)
{
    hand_forget(h);
    h->folder = strdup(folder);
    h->result = strdup(result);
    bool good = h->folder && h->result && ftruncate(h->sources, 0) == 0;
    for (uint32_t i = 0; i < arguments->count && good; i++)
        if (arguments->values[i].option->kind == HED_OPTION_FILE)
            good = hand_add_input(h, hed_value_text(&arguments->values[i]));
    return good;
}

/* Adds further files that the command has read, such as a scene's meshes or a page's sheets; its
 * own unfinished files do not count. */
static bool hand_note_read(hand *h)
{
    struct stat about;
    uint32_t named = h->input_count;
    bool good = fstat(h->sources, &about) == 0;
    size_t size = good ? (size_t)about.st_size : 0;
    char *names = calloc(size + 1, 1);
    good = names && pread(h->sources, names, size, 0) == (ssize_t)size;
    for (const char *name = names; good && name < names + size; name += strlen(name) + 1) {
        bool skip = strstr(name, "/.heddle-part-") || strncmp(name, ".heddle-part-", 13) == 0;
        for (uint32_t i = 0; i < named && !skip; i += 2) skip = strcmp(h->inputs[i], name) == 0;
        if (!skip) good = hand_add_input(h, name);
    }
    free(names);
    return good;
}

static void hand_write_source(const char *name, void *user)
{
    fwrite(name, 1, strlen(name) + 1, user);
}

void batch_report_sources(const hed_file_register *files)
{
    const char *path = getenv(SOURCES);
    FILE *file = path ? fopen(path, "we") : NULL;
    if (!file) return;
    hed_sources_each(files, hand_write_source, file);
    fclose(file);
}

/* ---- a job ---- */

static bool hand_begin(hand *h, const char **fields, uint32_t count)
{
    enum { BEFORE = 5 }; /* fields before the words */
    const char *folder = fields[2], *result = fields[3], *output = fields[4][0] ? result : "";
    hed_arguments arguments;
    char **words = calloc(count + 1, sizeof *words);
    if (!words) return false;
    words[0] = (char *)(uintptr_t) "heddle";
    for (uint32_t i = BEFORE; i < count; i++) words[i - BEFORE + 1] = (char *)(uintptr_t)fields[i];
    bool stays =
        !hed_options_parse(&hed_command_root, (int)(count - BEFORE + 1), words, &arguments, NULL) &&
        hed_arguments_command(&arguments)->repeats;
    hed_options_find_files(&arguments, folder, NULL);
    bool good = hand_note(h, folder, result, &arguments);
    hed_arguments_free(&arguments);
    snprintf(h->number, sizeof h->number, "%s", fields[1]);
    h->begun = hand_now();
    if (h->child && !stays) hand_end_child(h); /* free its memory and its device for the command */
    char *const staying[] = {
        words[0], (char *)(uintptr_t) "batch", (char *)(uintptr_t) "stay", NULL};
    good = good && (h->child || (stays ? hand_start(h, "/", "", true, staying)
                                       : hand_start(h, folder, output, false, words)));
    /* a dead process is noticed by the end of its output */
    if (good && stays) {
        fields[BEFORE - 2] = folder;
        fields[BEFORE - 1] = output;
        batch_send(h->stay.descriptor, fields + BEFORE - 2, count - (BEFORE - 2));
    }
    free(words);
    return good;
}

/* Forwards the child's output. Returns false at its end. */
static bool hand_forward_output(hand *h)
{
    char text[4096];
    ssize_t got;
    while ((got = read(h->output_pipe, text, sizeof text - 1)) > 0) {
        text[got] = 0;
        for (ssize_t i = 0; i < got; i++)
            if (!text[i]) text[i] = '?';
        if (h->number[0]) BATCH_SEND(h->out, "log", h->number, text);
    }
    return got < 0 && (errno == EINTR || errno == EAGAIN);
}

static bool hand_finish(hand *h, int code)
{
    enum { BEFORE = 5 }; /* fields before the inputs */
    char text[16], seconds[32], number[32], digest[BATCH_DIGEST];
    memcpy(number, h->number, sizeof number);
    h->number[0] = 0;
    if (!number[0]) return true; /* a resident child has died between two jobs */
    snprintf(text, sizeof text, "%d", code);
    snprintf(seconds, sizeof seconds, "%.6f", hand_now() - h->begun);
    if (code || !h->result || !batch_digest_file(h->result, hand_beat, h, digest))
        strcpy(digest, "-");
    if (!code && !hand_note_read(h)) return false;
    const char *head[BEFORE] = {"done", number, text, seconds, digest};
    const char **fields = calloc(BEFORE + h->input_count, sizeof *fields);
    if (!fields) return false;
    memcpy(fields, head, sizeof head);
    for (uint32_t i = 0; i < h->input_count; i++) fields[BEFORE + i] = h->inputs[i];
    bool delivered = batch_send(h->out, fields, BEFORE + h->input_count);
    free(fields);
    hand_forget(h);
    return delivered;
}

/* Handles the reply of a resident child. */
static bool hand_answer(hand *h)
{
    bool has_more = batch_stream_fill(&h->stay);
    uint32_t count = batch_stream_next(&h->stay);
    const char **fields = h->stay.fields.items;
    bool last = count == 2 && strcmp(fields[0], "last") == 0;
    if (last || (count == 2 && strcmp(fields[0], "done") == 0)) {
        int code = (int)strtol(fields[1], NULL, 10);
        hand_forward_output(h); /* forward earlier output first */
        if (last) hand_end_child(h);
        return hand_finish(h, code);
    }
    if (count) kill(-h->child, SIGKILL); /* invalid reply */
    return (has_more && !count) || hand_finish(h, hand_lose_child(h));
}

/* ---- main loop ---- */

static bool hand_obey(hand *h, uint32_t count)
{
    const char **fields = h->in.fields.items;
    if (count < 6 || strcmp(fields[0], "job") != 0) return false;
    return hand_begin(h, fields, count) || hand_finish(h, HED_EXIT_FAILURE);
}

/* Begins the next job if the hand is idle; else waits for the job, for a line of the leader, or for its
 * end. False: the leader has ended, or does not follow the protocol. */
static bool hand_turn(hand *h)
{
    bool good = true, idle = !h->number[0];
    uint32_t count = idle ? batch_stream_next(&h->in) : 0;
    if (count) return hand_obey(h, count);
    /* a job that is sent ahead stays in the stream until the job before it has ended */
    struct pollfd polled[] = {{.fd = STDIN_FILENO, .events = idle ? POLLIN : 0},
        {.fd = h->child ? h->output_pipe : -1, .events = POLLIN},
        {.fd = h->child ? h->stay.descriptor : -1, .events = POLLIN}};
    poll(polled, 3, 1000);
    if (polled[2].revents) good = hand_answer(h);
    else if (polled[1].revents && !hand_forward_output(h))
        good = hand_finish(h, hand_lose_child(h));
    if (good && polled[0].revents) good = idle && batch_stream_fill(&h->in);
    return good;
}

/* Selects the requested device, else the best; `turn` then advances among devices of the same
 * kind. */
static hed_status hand_choose(const hed_arguments *arguments, hand *h, hed_error *error)
{
    cli_session session;
    hed_device *device;
    int64_t turn = hed_integer_of(arguments, "turn");
    const char *selector = hed_text_of(arguments, "device");
    if (selector && strlen(selector) >= sizeof h->device)
        return hed_fail(error, HED_ERROR_LIMIT, "--device has %zu characters; expected at most %zu",
            strlen(selector), sizeof h->device - 1);
    if (selector && !turn) {
        snprintf(h->device, sizeof h->device, "%s", selector);
        return HED_OK;
    }
    if (cli_open_context(arguments, &session, error)) return error->status;
    if (!cli_find_device(&session, selector, &device, error)) {
        const hed_device_info first = hed_device_describe(device);
        uint32_t count = hed_context_describe(session.context).devices, peer_count = 0;
        const char *ids[CLI_MOST_DEVICES];
        for (uint32_t i = 0; i < count && peer_count < CLI_MOST_DEVICES; i++) {
            const hed_device_info info = hed_device_describe(hed_device_at(session.context, i));
            if (strcmp(info.backend, first.backend) == 0 && strcmp(info.name, first.name) == 0)
                ids[peer_count++] = info.id;
        }
        snprintf(h->device, sizeof h->device, "%s", peer_count ? ids[turn % peer_count] : first.id);
    }
    cli_close(&session);
    return error->status;
}

static int hand_run(const hed_arguments *arguments, void *user)
{
    static hand h;
    hed_error error = {0};
    char machine[256] = "", sources[64];
    /* keeps drivers' messages out of the protocol */
    h = (hand){.sources = memfd_create("heddle sources", MFD_CLOEXEC),
        .out = dup(STDOUT_FILENO),
        .output_pipe = -1,
        .stay.descriptor = -1};
    dup2(STDERR_FILENO, STDOUT_FILENO);
    snprintf(sources, sizeof sources, "/proc/%ld/fd/%d", (long)getpid(), h.sources);
    setenv(SOURCES, sources, 1);
    signal(SIGPIPE, SIG_IGN);
    if (hand_choose(arguments, &h, &error)) return cli_fail(&error);
    gethostname(machine, sizeof machine - 1);
    bool good = BATCH_SEND(h.out, "hello", HED_VERSION_TEXT, machine, h.device);
    h.beat = hand_now();
    while (good && !hed_interrupted()) {
        good = hand_turn(&h);
        if (good) hand_beat(&h);
    }
    if (h.child) {
        kill(-h.child, SIGKILL);
        waitpid(h.child, NULL, 0);
    }
    return HED_EXIT_OK;
}

const hed_command hed_command_batch_hand = {
    .name = "hand",
    .summary = "run the jobs of a batch that a leader hands out, over standard input and output",
    .description =
        "What \"heddle batch\" starts for each device, and \"--worker\" on another machine: --worker \"ssh node7 heddle batch hand\". "
        "It communicates only with its leader.",
    .options = (const hed_option[]){OPTION("device", TEXT, "ID", "device that the jobs use",
                                        .letter = 'd', .names = &cli_device_names),
        OPTION("turn", INTEGER, "N", "take the Nth further device of the same kind, in a ring",
            .low = 0, .high = 1e6),
        {0}},
    .hidden = true,
    .run = hand_run,
};
