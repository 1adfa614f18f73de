/* heddle-mpi: tuning and batches over the ranks of an MPI job.
 *
 *     mpirun -n 5 heddle-mpi tune blur.json
 *     mpirun -n 5 heddle-mpi batch jobs.json
 *     mpirun -n 2 heddle-mpi measure          measures the cost of a request
 *
 * Rank 0 runs "heddle tune" or "heddle batch" with a socket for each other rank; the others start a
 * heddle-worker, or a "heddle batch hand". To a rank of its own machine rank 0 passes the other end
 * of the socket, so that the two processes exchange their bytes without MPI: see hand_over(). To
 * other machines MPI forwards the bytes. So a candidate that crashes ends a process of its own and
 * never a rank; heddle does not depend on MPI, and the library never links it.
 *
 * MPI calls that wait keep a core busy, so only non-blocking calls are used. Between ranks of one
 * machine the sender of a message also sends a datagram to a socket that the receiver polls: see
 * ring(). Between machines a rank checks for messages and sleeps in between, for a small fraction
 * of the time that it has waited already: see patience_of(). */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    TAG_BYTES = 1,
    TAG_END = 2,
    TAG_HANDED = 3,
    PIECE = 1 << 16,
    MOST_RANKS = 256,
    FIRST_SOCKET = 3
};
/* times in s: between two heartbeats of rank 0; of silence until it counts as dead; for the ranks
 * to end */
static const double beat_seconds = 2, silence_seconds = 30, end_seconds = 10;

/* One direction of the data forwarded to and from a peer. */
typedef struct channel {
    /* socket of the local process; if the peer's process has its other end: pidfd of the local
     * process, which is readable once that has ended. -1: closed */
    int socket;
    int peer;      /* rank */
    bool ended;    /* the peer has sent TAG_END */
    double heard;  /* time of the last message from it, s */
    bool is_local; /* the peer is on this machine, so that it can be rung */
    struct sockaddr_un bell;
    /* data being sent to the peer; unchanged while `sending` */
    bool sending;
    MPI_Request request;
    char out[PIECE];
    /* received data that the process has not taken yet: [offset, size) */
    char in[PIECE];
    int size, offset;
} channel;

static volatile sig_atomic_t interrupted;

static void interrupt(int number) { interrupted = number; }

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns the time to sleep before the next check of MPI, ns, when nothing has come for `waited`
 * seconds. 0 for the first 100 us, since the next request soon follows the last answer. Then, if
 * all peers ring, 50 ms (a bell ends the sleep); else a 200th of the waited time, up to 1 ms, so
 * that a message is noticed at most half a percent too late. */
static long patience_of(double waited, bool rung)
{
    static const double spin = 100e-6, longest = 1e-3, when_rung = 50e-3;
    if (waited < spin) return 0;
    return (long)(1e9 * (rung ? when_rung : waited / 200 < longest ? waited / 200 : longest));
}

/* ---- ranks of one machine wake each other ---- */

static int doorbell = -1;

/* Returns the address of a rank's bell: an abstract socket, which needs no clean-up. `job`
 * distinguishes jobs of a machine. */
static struct sockaddr_un bell_of(unsigned job, int rank)
{
    struct sockaddr_un bell = {.sun_family = AF_UNIX};
    snprintf(bell.sun_path + 1, sizeof bell.sun_path - 1, "heddle-mpi %08x %d", job, rank);
    return bell;
}

/* Opens a socket with an address; -1 where that fails. */
static int open_at(int kind, const struct sockaddr_un *address)
{
    int opened = socket(AF_UNIX, kind | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (opened < 0 || bind(opened, (const struct sockaddr *)address, sizeof *address) == 0)
        return opened;
    close(opened);
    return -1;
}

/* Rings a peer of this machine, once a message to it has been sent. */
static void ring(channel *c)
{
    if (doorbell < 0) c->is_local = false; /* the peer could not ring back */
    if (!c->is_local) return;
    ssize_t rung = sendto(doorbell, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL,
        (const struct sockaddr *)&c->bell, sizeof c->bell);
    /* EAGAIN: its bell is still ringing */
    if (rung < 0 && errno != EAGAIN && errno != EINTR) c->is_local = false;
}

/* ---- processes of one machine speak without MPI ---- */

/* Socket on which a rank is passed the socket of its process; -1: MPI forwards the bytes. */
static int doorstep = -1;

/* Returns the address of a rank's doorstep, abstract as its bell's. */
static struct sockaddr_un doorstep_of(unsigned job, int rank)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "heddle-mpi %08x %d process", job, rank);
    return address;
}

/* True if the other end of a connection is a process of this user: a socket of a process directs that
 * process. */
static bool is_own(int connection)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           peer.uid == getuid();
}

/* Control data of a message with a descriptor. */
typedef union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
} control;

/* Passes a socket to a rank of this machine. False: the rank is on another one. */
static bool hand_over(unsigned job, int rank, int process)
{
    struct sockaddr_un address = doorstep_of(job, rank);
    control data = {.header = {.cmsg_len = CMSG_LEN(sizeof process),
                        .cmsg_level = SOL_SOCKET,
                        .cmsg_type = SCM_RIGHTS}};
    char byte = 0;
    struct iovec bytes = {.iov_base = &byte, .iov_len = 1};
    const struct msghdr message = {.msg_iov = &bytes,
        .msg_iovlen = 1,
        .msg_control = data.bytes,
        .msg_controllen = sizeof data.bytes};
    memcpy(CMSG_DATA(&data.header), &process, sizeof process);
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool is_handed = connection >= 0 &&
                     connect(connection, (const struct sockaddr *)&address, sizeof address) == 0 &&
                     is_own(connection) && sendmsg(connection, &message, MSG_NOSIGNAL) == 1;
    if (connection >= 0) close(connection);
    return is_handed;
}

/* Reads the descriptor that a connection passes; -1: a message without one. */
static int read_descriptor(int connection)
{
    control data = {.bytes = {0}};
    char byte;
    int descriptor = -1;
    struct iovec bytes = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &bytes,
        .msg_iovlen = 1,
        .msg_control = data.bytes,
        .msg_controllen = sizeof data.bytes};
    if (recvmsg(connection, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) == 1 &&
        CMSG_FIRSTHDR(&message) && data.header.cmsg_type == SCM_RIGHTS)
        memcpy(&descriptor, CMSG_DATA(&data.header), sizeof descriptor);
    return descriptor;
}

/* Returns the socket that rank 0 has passed to this rank; -1: MPI forwards the bytes. */
static int take_over(void)
{
    int is_handed = 0, process = -1, connection = 0;
    MPI_Recv(&is_handed, 1, MPI_INT, 0, TAG_HANDED, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (is_handed && process < 0 &&
           (connection = accept4(doorstep, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        if (is_own(connection)) process = read_descriptor(connection);
        close(connection);
    }
    if (doorstep >= 0) close(doorstep);
    return process;
}

/* Creates bell and doorstep of a rank. After the call all ranks have theirs. `is_remote`: ranks get
 * neither, as if each had a machine of its own. Returns the number of the job. */
static unsigned meet(int rank, bool is_remote)
{
    unsigned job = (unsigned)getpid() ^ (unsigned)(1e6 * seconds_now());
    MPI_Bcast(&job, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
    const struct sockaddr_un bell = bell_of(job, rank), door = doorstep_of(job, rank);
    /* a rank without a bell is never rung and polls */
    if (!is_remote) doorbell = open_at(SOCK_DGRAM, &bell);
    if (!is_remote && rank) doorstep = open_at(SOCK_STREAM, &door);
    if (doorstep >= 0 && listen(doorstep, 8)) {
        close(doorstep);
        doorstep = -1;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return job;
}

/* A descriptor that is readable once a process has ended. */
static int watch(pid_t pid) { return pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1; }

/* ---- forwarding ---- */

/* Forwards from the process to the peer. Returns true if data has moved. */
static bool forward_out(channel *c, bool readable)
{
    if (c->sending) {
        int done = 0;
        if (MPI_Test(&c->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) c->socket = -1;
        c->sending = !done;
        if (!done) return false;
        ring(c); /* the delayed message has now been sent */
    }
    if (c->socket < 0 || !readable) return false;
    /* fails on a pidfd: the process has ended */
    ssize_t got = recv(c->socket, c->out, sizeof c->out, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    bool end = got <= 0;
    MPI_Isend(c->out, end ? 0 : (int)got, MPI_BYTE, c->peer, end ? TAG_END : TAG_BYTES,
        MPI_COMM_WORLD, &c->request);
    c->sending = true;
    ring(c);
    if (end) {
        close(c->socket);
        c->socket = -1;
    }
    return true;
}

/* Forwards from the peer to the process. */
static bool forward_in(channel *c)
{
    MPI_Status status;
    int is_found = 0;
    if (c->size == c->offset && !c->ended &&
        MPI_Iprobe(c->peer, MPI_ANY_TAG, MPI_COMM_WORLD, &is_found, &status) == MPI_SUCCESS &&
        is_found) {
        MPI_Recv(c->in, sizeof c->in, MPI_BYTE, c->peer, status.MPI_TAG, MPI_COMM_WORLD, &status);
        c->offset = 0;
        c->heard = seconds_now();
        MPI_Get_count(&status, MPI_BYTE, &c->size);
        c->ended = status.MPI_TAG == TAG_END;
        if (c->ended && c->socket >= 0) shutdown(c->socket, SHUT_WR);
    }
    if (c->size == c->offset) return is_found;
    if (c->socket < 0) c->offset = c->size; /* no process is left to read it */
    ssize_t sent_bytes = c->size == c->offset
                             ? 0
                             : send(c->socket, c->in + c->offset, (size_t)(c->size - c->offset),
                                   MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent_bytes < 0 && errno != EAGAIN && errno != EINTR) c->offset = c->size;
    if (sent_bytes > 0) c->offset += (int)sent_bytes;
    return sent_bytes > 0 || is_found;
}

/* Sends a message without bytes, so that a rank that receives nothing for long can conclude that
 * rank 0 is dead. */
static void beat(channel *c)
{
    if (c->sending || c->socket < 0) return;
    MPI_Isend(c->out, 0, MPI_BYTE, c->peer, TAG_BYTES, MPI_COMM_WORLD, &c->request);
    c->sending = true;
    ring(c);
}

/* Sleeps until a process of this rank has written data, its bell is rung, or its patience ends. */
static void forward_wait(channel *channels, int count, struct pollfd *polled, double waited)
{
    bool rung = true;
    for (int i = 0; i < count; i++) {
        bool is_polled = channels[i].socket >= 0 && !channels[i].sending;
        polled[i] = (struct pollfd){.fd = is_polled ? channels[i].socket : -1, .events = POLLIN};
        /* data that MPI has not sent, or a process not taken, requires polling */
        rung &=
            channels[i].is_local && !channels[i].sending && channels[i].size == channels[i].offset;
    }
    polled[count] = (struct pollfd){.fd = doorbell, .events = POLLIN};
    const struct timespec patience = {0, patience_of(waited, rung)};
    ppoll(polled, (nfds_t)count + 1, &patience, NULL);
    if (patience.tv_nsec == 0) sched_yield(); /* lets processes of this core with work run */
    char bytes[64];
    while (polled[count].revents && recv(doorbell, bytes, sizeof bytes, 0) >= 0) {}
}

/* Forwards until both ends of every channel are closed. `leader`: rank 0's process; after its end,
 * channels without movement are not waited for. False: the other end is dead. */
static bool forward(channel *channels, int count, pid_t leader)
{
    double moved_at = seconds_now(), beat_at = moved_at;
    struct pollfd polled[MOST_RANKS + 1];
    for (bool open = true; open;) {
        bool moved = false;
        open = false;
        forward_wait(channels, count, polled, seconds_now() - moved_at);
        for (int i = 0; i < count; i++) {
            moved |= forward_in(&channels[i]);
            moved |= forward_out(&channels[i], polled[i].revents != 0);
            open |= channels[i].socket >= 0 || channels[i].sending || !channels[i].ended;
        }
        if (moved) moved_at = seconds_now();
        if (leader && seconds_now() - beat_at > beat_seconds) {
            for (int i = 0; i < count; i++) beat(&channels[i]);
            beat_at = seconds_now();
        }
        if (interrupted && leader) {
            kill(leader, (int)interrupted);
            interrupted = 0;
        }
        siginfo_t end = {0};
        bool over = leader && waitid(P_PID, (id_t)leader, &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                    end.si_pid == leader;
        if (over && seconds_now() - moved_at > end_seconds) return false;
        if (!leader && seconds_now() - channels[0].heard > silence_seconds) return false;
    }
    return true;
}

/* ---- cost of a request ---- */

enum { REQUEST_BYTES = 1024, MEASURED = 400 };
static const double work_seconds = 5e-3; /* duration of a simulated evaluation */

typedef struct measured {
    double work; /* time that the other end was busy, s */
    char rest[REQUEST_BYTES - sizeof(double)];
} measured;

/* Runs a worker that is busy for a while and answers. */
static int measure_follow(void)
{
    measured m;
    while (recv(STDIN_FILENO, &m, sizeof m, MSG_WAITALL) == (ssize_t)sizeof m) {
        double begin = seconds_now();
        nanosleep(&(struct timespec){0, (long)(work_seconds * 1e9)}, NULL);
        m.work = seconds_now() - begin;
        if (send(STDOUT_FILENO, &m, sizeof m, MSG_NOSIGNAL) != (ssize_t)sizeof m) break;
    }
    return 0;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sends requests to the worker of a socket. Computes the median and the ninth decile of the time in
 * addition to the work, s. */
static bool measure_over(int socket, double *median, double *percentile)
{
    static double over[MEASURED];
    measured m = {0};
    for (int i = 0; i < MEASURED; i++) {
        double begin = seconds_now();
        if (send(socket, &m, sizeof m, MSG_NOSIGNAL) != (ssize_t)sizeof m ||
            recv(socket, &m, sizeof m, MSG_WAITALL) != (ssize_t)sizeof m)
            return false;
        over[i] = seconds_now() - begin - m.work;
    }
    qsort(over, MEASURED, sizeof *over, by_size);
    *median = over[MEASURED / 2];
    *percentile = over[MEASURED * 9 / 10];
    return true;
}

/* Measures requests over MPI, and to a process of this machine, which is the cost of a local
 * worker. */
static int measure_lead(void)
{
    double median, percentile, local, local_most;
    int pair[2];
    if (!measure_over(FIRST_SOCKET, &median, &percentile) ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        return 1;
    if (fork() == 0) {
        dup2(pair[1], STDIN_FILENO);
        dup2(pair[1], STDOUT_FILENO);
        close(pair[0]);
        _exit(measure_follow());
    }
    if (!measure_over(pair[0], &local, &local_most)) return 1;
    printf(
        "requests of %d bytes with answers, around %g ms of work each; additional time at the median and 9 of 10:\n"
        "to the rank %.0f us, %.0f us; to a process of this machine %.0f us, %.0f us; MPI adds %.2f %% of the work\n",
        REQUEST_BYTES, 1e3 * work_seconds, 1e6 * median, 1e6 * percentile, 1e6 * local,
        1e6 * local_most, 100 * (median - local) / work_seconds);
    fflush(stdout);
    return 0;
}

/* ---- processes ---- */

/* Returns the program in this program's folder, else the name, for PATH. */
static const char *path_beside(const char *folder, const char *name, char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length > 0) {
        path[length] = 0;
        char *slash = strrchr(path, '/');
        snprintf(slash + 1, size - (size_t)(slash + 1 - path), "%s%s", folder, name);
        if (access(path, X_OK) == 0) return path;
    }
    return name;
}

static const char *find_program(
    const char *const *folders, const char *name, char *path, size_t size)
{
    for (int i = 0; folders[i]; i++)
        if (path_beside(folders[i], name, path, size) == path) return path;
    return name;
}

/* Starts a process that ends with this rank. `sockets` (count) become descriptors from FIRST_SOCKET
 * on, or, for one socket with `standard`, standard input and output. */
static pid_t start(char *const *words, const int *sockets, int count, bool standard)
{
    pid_t parent = getpid(), pid = fork();
    if (pid) return pid;
    prctl(PR_SET_PDEATHSIG, standard ? SIGKILL : SIGTERM);
    if (getppid() != parent) _exit(1);
    signal(SIGPIPE, SIG_DFL);
    if (!standard) setpgid(0, 0); /* Ctrl-C arrives once, through this rank */
    int high[MOST_RANKS];
    for (int i = 0; i < count; i++) high[i] = fcntl(sockets[i], F_DUPFD, FIRST_SOCKET + MOST_RANKS);
    for (int i = 0; i < count; i++) dup2(high[i], standard ? 0 : FIRST_SOCKET + i);
    if (standard) dup2(high[0], 1);
    close_range((unsigned)(standard ? FIRST_SOCKET : FIRST_SOCKET + count), ~0u, 0);
    if (!strcmp(words[1], "measure")) _exit(standard ? measure_follow() : measure_lead());
    execvp(words[0], words);
    fprintf(stderr, "heddle-mpi: cannot start %s: %s\n", words[0], strerror(errno));
    _exit(127);
}

/* Runs rank 0: heddle with a socket for each other rank. Returns its exit code. */
static int lead(int ranks, unsigned job, int argc, char **argv)
{
    static channel channels[MOST_RANKS];
    static const char *const folders[] = {"", "cli/", NULL};
    int theirs[MOST_RANKS] = {0}, count = ranks - 1, used = 0, status = 0;
    char path[4096], **words = calloc((size_t)(argc + 2 * ranks + 2), sizeof *words);
    char *names = calloc((size_t)ranks, 16);
    if (!words || !names) return 1;
    words[used++] = (char *)(uintptr_t)find_program(folders, "heddle", path, sizeof path);
    for (int i = 1; i < argc; i++) words[used++] = argv[i];
    for (int i = 0; i < count; i++) {
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
            fprintf(stderr, "heddle-mpi: no socket: %s\n", strerror(errno));
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        channels[i] = (channel){
            .socket = pair[0], .peer = i + 1, .is_local = true, .bell = bell_of(job, i + 1)};
        ring(&channels[i]); /* clears `is_local` if the peer has no bell */
        int is_handed = channels[i].is_local && hand_over(job, i + 1, pair[0]);
        MPI_Send(&is_handed, 1, MPI_INT, i + 1, TAG_HANDED, MPI_COMM_WORLD);
        if (is_handed) {
            close(pair[0]);
            channels[i].socket = -1;
        }
        theirs[i] = pair[1];
        snprintf(names + 16 * i, 16, "fd:%d", FIRST_SOCKET + i);
        words[used++] = (char *)(uintptr_t) "--worker";
        words[used++] = names + 16 * i;
    }
    pid_t pid = start(words, theirs, count, false);
    for (int i = 0; i < count; i++) {
        close(theirs[i]);
        if (channels[i].socket < 0) channels[i].socket = watch(pid);
    }
    bool whole = pid > 0 && forward(channels, count, pid);
    free(words);
    free(names);
    int code = waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    if (!whole) MPI_Abort(MPI_COMM_WORLD, code); /* MPI_Finalize() would wait for a dead rank */
    return code;
}

/* Says that mpirun or SLURM has bound a rank, and so its compilers, to few processors. */
static void report_binding(void)
{
    cpu_set_t set;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (sched_getaffinity(0, sizeof set, &set) || CPU_COUNT(&set) >= online) return;
    fprintf(stderr,
        "heddle-mpi: a rank is bound to %d of %ld processors, and compiles on these alone; expected all: "
        "mpirun --bind-to none, srun --cpu-bind=none\n",
        CPU_COUNT(&set), online);
}

/* Runs any other rank: a worker with the device of its index on this machine. */
static void follow(const char *command, unsigned job, int turn)
{
    static channel c;
    static const char *const worker_folders[] = {"", "../libexec/heddle/", NULL},
                             *const heddle_folders[] = {"", "cli/", NULL};
    int pair[2] = {-1, take_over()};
    char path[4096], number[16];
    bool tune = strcmp(command, "batch") != 0, is_handed = pair[1] >= 0;
    snprintf(number, sizeof number, "%d", turn);
    if (!is_handed && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) return;
    char *worker[] = {(char *)(uintptr_t)find_program(tune ? worker_folders : heddle_folders,
                          tune ? "heddle-worker" : "heddle", path, sizeof path),
        "--turn", number, NULL};
    char *hand[] = {worker[0], "batch", "hand", "--turn", number, NULL};
    char *echo[] = {worker[0], "measure", NULL};
    pid_t pid = start(!strcmp(command, "measure") ? echo : tune ? worker : hand, &pair[1], 1, true);
    close(pair[1]);
    c = (channel){.socket = is_handed ? watch(pid) : pair[0],
        .peer = 0,
        .heard = seconds_now(),
        .is_local = true,
        .bell = bell_of(job, 0)};
    ring(&c);
    bool whole = forward(&c, 1, 0);
    if (pid > 0) kill(pid, SIGKILL); /* the process has closed its output, or its leader is dead */
    if (pid > 0) waitpid(pid, NULL, 0);
    if (!whole) MPI_Abort(MPI_COMM_WORLD, 1);
}

static int usage(FILE *to)
{
    fputs(
        "usage: mpirun -n RANKS heddle-mpi tune|sweep|batch ARGUMENTS...\n"
        "       mpirun -n 2 heddle-mpi measure    measures the cost of a request\n"
        "Runs \"heddle tune\" (sweep, batch) on the devices of all ranks but rank 0, which leads: ranks on one machine take\n"
        "one device each, in turn. \"heddle tune --help\" explains the arguments. Where mpirun has --enable-recovery, a rank\n"
        "that dies costs what was running on it; elsewhere all end, and --resume does the rest. HEDDLE_MPI_REMOTE=1: ranks behave\n"
        "as if each were on a machine of its own.\n",
        to);
    return to == stderr ? 2 : 0;
}

int main(int argc, char **argv)
{
    int rank, ranks, local, code = 0;
    MPI_Comm machine;
    bool is_command = argc > 1 && (!strcmp(argv[1], "tune") || !strcmp(argv[1], "batch") ||
                                      !strcmp(argv[1], "sweep") || !strcmp(argv[1], "measure"));
    if (argc > 1 && !strcmp(argv[1], "--help")) return usage(stdout);
    if (!is_command) return usage(stderr);
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    /* index of a rank among the ranks that work on its machine */
    MPI_Comm_split_type(
        MPI_COMM_WORLD, rank ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED, rank, MPI_INFO_NULL, &machine);
    if (rank) MPI_Comm_rank(machine, &local);
    unsigned job = meet(rank, getenv("HEDDLE_MPI_REMOTE") != NULL);
    prctl(PR_SET_TIMERSLACK, 1000); /* ns, so that sleeps of 10 us are accurate */
    signal(SIGPIPE, SIG_IGN);
    if (rank == 0) {
        struct sigaction action = {.sa_handler = interrupt};
        sigaction(SIGINT, &action, NULL);
        sigaction(SIGTERM, &action, NULL);
    }
    if (ranks < 2 || ranks > MOST_RANKS) {
        if (rank == 0)
            fprintf(stderr,
                "heddle-mpi: %d rank%s: expected 2 to %d, since rank 0 leads and the others work\n",
                ranks, ranks == 1 ? "" : "s", MOST_RANKS);
        code = 2;
    } else if (rank == 0) {
        code = lead(ranks, job, argc, argv);
    } else {
        if (local == 0 && strcmp(argv[1], "measure")) report_binding();
        follow(argv[1], job, local);
    }
    MPI_Finalize();
    return code;
}
