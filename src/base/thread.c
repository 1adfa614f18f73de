/* A team of threads with a barrier. Members wait by spinning a short while on a word with a cache
 * line of its own and then sleep in the kernel on the same word (Drepper, "Futexes are tricky",
 * 2011). The spin time adapts to the duration of earlier waits (Karlin, Li, Manasse and Owicki,
 * "Empirical studies of competitive spinning", 1991): on a busy machine the awaited thread is often
 * not running, and spinning would only take the processor from it. The barrier is the central one
 * that counts arrivals and then advances a phase (Mellor-Crummey and Scott 1991, section 3.1, with
 * a counter for the sense). Ranges are done without the members that have not come when no piece is
 * left. */
#include "heddle/thread.h"

#include "base/alloc.h"
#include "base/error.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    LINE = 64,
    SPIN_MOST_NS = 50000, /* approximate cost of sleeping and waking together */
    SPIN_LEAST_NS = 2000,
    SPINS_BY_CLOCK = 64, /* reads of the word between two reads of the clock */
    /* pieces of hed_team_for() for each member, so that a late member does not delay the others */
    PIECES_BY_MEMBER = 8,
    THREADS_MAX = 1 << 22 /* Linux has no more, on any machine */
};

/* A counter on which threads wait. */
typedef struct gate {
    _Alignas(LINE) atomic_uint value;
    atomic_uint sleepers;
    atomic_uint spin_ns; /* estimate of the useful spin time, ns; any waiter may change it */
} gate;

typedef struct member {
    hed_team *team;
    pthread_t thread;
    uint32_t index;
} member;

struct hed_team {
    hed_allocator allocator;
    uint32_t size;
    uint32_t threads; /* number of threads started, without member 0 */
    bool spin;        /* each member has a processor of its own */
    bool running;
    atomic_bool ending; /* read by threads that look late at a run, too */
    void (*function)(void *user, hed_team *team, uint32_t member);
    void *user;
    member *members; /* (size) members; the first is the caller's and not used */
    gate start;      /* incremented at the start of each run */
    gate phase;      /* incremented when all members have reached the barrier */
    /* incremented when the last thread has ended a run */
    gate done;
    _Alignas(LINE) atomic_uint arrived; /* members that have reached the barrier */
    _Alignas(LINE) atomic_uint busy;    /* members that have not ended the run */
    /* number of the run, value of `start`, in the upper half; DOOR_CLOSED; threads that have joined */
    _Alignas(LINE) atomic_uint_least64_t door;
};

#define DOOR_CLOSED (UINT64_C(1) << 31)

static void pause_processor(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory"); /* `yield` does nothing at all on most cores */
#endif
}

/* True if the gate's value differs from `last_value`; reads it a few times. */
static bool gate_look(const gate *at, unsigned last_value)
{
    for (int look = 0; look < SPINS_BY_CLOCK; look++) {
        if (atomic_load_explicit(&at->value, memory_order_acquire) != last_value) return true;
        pause_processor();
    }
    return false;
}

static void gate_sleep(gate *at, unsigned last_value)
{
    /* Either gate_turn() sees this sleeper, or the kernel sees the new value and does not put the
     * thread to sleep: each side writes its word before it reads the other's, all in one total
     * order. */
    atomic_fetch_add_explicit(&at->sleepers, 1, memory_order_seq_cst);
    while (atomic_load_explicit(&at->value, memory_order_seq_cst) == last_value)
        syscall(SYS_futex, &at->value, FUTEX_WAIT_PRIVATE, last_value, NULL, NULL, 0);
    atomic_fetch_sub_explicit(&at->sleepers, 1, memory_order_relaxed);
}

/* Returns once the gate's value differs from `last_value`. */
static void gate_wait(gate *at, unsigned last_value, bool spin)
{
    if (!spin) {
        gate_sleep(at, last_value);
        return;
    }
    bool turned = gate_look(at, last_value), short_wait = true;
    unsigned limit = atomic_load_explicit(&at->spin_ns, memory_order_relaxed);
    if (!turned) {
        uint64_t begin = hed_now();
        do {
            turned = gate_look(at, last_value);
        } while (!turned && hed_now() - begin < limit);
        if (!turned) {
            gate_sleep(at, last_value);
            /* true: spinning would have been better */
            short_wait = hed_now() - begin < SPIN_MOST_NS;
        }
    }
    unsigned next = short_wait ? limit * 2 : limit / 2;
    next = next > SPIN_MOST_NS ? SPIN_MOST_NS : next < SPIN_LEAST_NS ? SPIN_LEAST_NS : next;
    if (next != limit) atomic_store_explicit(&at->spin_ns, next, memory_order_relaxed);
}

/* Wakes all threads that wait at the gate. Only one thread at a time increments a gate. */
static void gate_turn(gate *at)
{
    unsigned next = atomic_load_explicit(&at->value, memory_order_relaxed) + 1;
    atomic_store_explicit(&at->value, next, memory_order_seq_cst);
    if (atomic_load_explicit(&at->sleepers, memory_order_seq_cst) > 0)
        syscall(SYS_futex, &at->value, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

uint32_t hed_processor_count(void)
{
    /* The calling thread's processor set, which the threads that it starts inherit. */
    for (size_t processors = 1024; processors <= (size_t)1 << 20; processors *= 2) {
        cpu_set_t *set = CPU_ALLOC(processors);
        if (!set) break;
        size_t size = CPU_ALLOC_SIZE(processors);
        int failed = sched_getaffinity(0, size, set), code = errno;
        int count = failed == 0 ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (count > 0) return (uint32_t)count;
        /* EINVAL: the kernel has more processors than the set can represent */
        if (failed == 0 || code != EINVAL) break;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}

/* Joins run `run`; false: the run is closed, or a later one has begun. */
static bool team_join(hed_team *team, unsigned run)
{
    uint64_t door = atomic_load_explicit(&team->door, memory_order_acquire);
    while (door >> 32 == run && !(door & DOOR_CLOSED))
        if (atomic_compare_exchange_weak_explicit(
                &team->door, &door, door + 1, memory_order_acquire, memory_order_acquire))
            return true;
    return false;
}

static void *team_run_member(void *argument)
{
    member *self = argument;
    hed_team *team = self->team;
    unsigned run = 0; /* latest run that this member has seen */
    for (;;) {
        gate_wait(&team->start, run, team->spin);
        run = atomic_load_explicit(&team->start.value, memory_order_acquire);
        if (team->ending) return NULL;
        if (!team_join(team, run)) continue;
        team->function(team->user, team, self->index);
        if (atomic_fetch_sub_explicit(&team->busy, 1, memory_order_acq_rel) == 1)
            gate_turn(&team->done);
    }
}

/* Starts a thread for each member except the first. Returns 0 or the error number. */
static int team_start_threads(hed_team *team)
{
    /* Signals belong to the program's own threads. Faults are not blocked: a fault hits the thread
     * that caused it, and a blocked fault would end the process without the handlers of debuggers
     * and sanitizers. */
    sigset_t blocked, former;
    sigfillset(&blocked);
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    for (size_t index = 0; index < sizeof faults / sizeof faults[0]; index++)
        sigdelset(&blocked, faults[index]);
    pthread_sigmask(SIG_SETMASK, &blocked, &former);
    int code = 0;
    for (uint32_t index = 1; index < team->size && code == 0; index++) {
        member *next = &team->members[index];
        *next = (member){.team = team, .index = index};
        code = pthread_create(&next->thread, NULL, team_run_member, next);
        if (code == 0) {
            char name[16]; /* the kernel's limit */
            snprintf(name, sizeof name, "heddle-%u", index % THREADS_MAX);
            pthread_setname_np(next->thread, name);
            team->threads++;
        }
    }
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    return code;
}

hed_status hed_team_create(
    const hed_allocator *allocator, uint32_t threads, hed_team **team, hed_error *error)
{
    HED_REQUIRE(team);
    assert(team);
    *team = NULL;
    uint32_t processors = hed_processor_count();
    uint32_t size = threads > 0 ? threads : processors;
    hed_team *new_team = size <= THREADS_MAX ? hed_allocate(allocator, sizeof *new_team) : NULL;
    member *members = new_team ? hed_allocate(allocator, size * sizeof *members) : NULL;
    if (!members) {
        hed_release(allocator, new_team, sizeof *new_team);
        return HED_OUT_OF_MEMORY(error, "a team of %u threads", size);
    }
    new_team->allocator = allocator ? *allocator : hed_default_allocator();
    new_team->size = size;
    new_team->spin = size <= processors;
    new_team->members = members;
    int code = team_start_threads(new_team);
    if (code != 0) {
        uint32_t started = new_team->threads + 1;
        hed_team_destroy(new_team);
        char buffer[256];
        return hed_fail(error, HED_ERROR_MEMORY,
            "a team of %u threads: the system gave %u (%s); ask for fewer or raise the limit (ulimit -u)",
            size, started, strerror_r(code, buffer, sizeof buffer));
    }
    *team = new_team;
    return HED_OK;
}

void hed_team_destroy(hed_team *team)
{
    if (!team) return;
    assert(!team->running);
    team->ending = true;
    gate_turn(&team->start);
    for (uint32_t index = 1; index <= team->threads; index++)
        pthread_join(team->members[index].thread, NULL);
    hed_allocator allocator = team->allocator;
    hed_release(&allocator, team->members, team->size * sizeof *team->members);
    hed_release(&allocator, team, sizeof *team);
}

uint32_t hed_team_size(const hed_team *team) { return team ? team->size : 0; }

/* Begins a run of all members, which the threads join; returns the value of `done` that a waiter needs. */
static unsigned team_begin(
    hed_team *team, void (*function)(void *user, hed_team *team, uint32_t member), void *user)
{
    assert(!team->running); /* not from inside a run, not from two threads */
    team->running = true;
    team->function = function;
    team->user = user;
    atomic_store_explicit(&team->busy, team->size, memory_order_relaxed);
    unsigned next = atomic_load_explicit(&team->start.value, memory_order_relaxed) + 1;
    atomic_store_explicit(&team->door, (uint64_t)next << 32, memory_order_release);
    unsigned last_value = atomic_load_explicit(&team->done.value, memory_order_relaxed);
    gate_turn(&team->start);
    return last_value;
}

/* Ends the caller's part of a run, and waits for the threads. `absent`: threads that do not join. */
static void team_end(hed_team *team, uint32_t absent, unsigned last_value)
{
    uint32_t ended = absent + 1;
    if (atomic_fetch_sub_explicit(&team->busy, ended, memory_order_acq_rel) != ended)
        gate_wait(&team->done, last_value, team->spin);
    team->running = false;
}

void hed_team_run(
    hed_team *team, void (*function)(void *user, hed_team *team, uint32_t member), void *user)
{
    if (!team || !function) return;
    if (team->size == 1) {
        assert(!team->running);
        function(user, team, 0);
        return;
    }
    unsigned last_value = team_begin(team, function, user);
    function(user, team, 0);
    team_end(team, 0, last_value);
}

void hed_team_barrier(hed_team *team)
{
    if (!team) return;
    if (team->size == 1) return;
    unsigned last_value = atomic_load_explicit(&team->phase.value, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acq_rel) + 1 < team->size) {
        gate_wait(&team->phase, last_value, team->spin);
        return;
    }
    /* no thread arrives again before the increment */
    atomic_store_explicit(&team->arrived, 0, memory_order_relaxed);
    gate_turn(&team->phase);
}

/* A range in pieces of nearly the same length, which the members take as they become free. */
typedef struct pieces {
    void (*function)(void *user, uint64_t begin, uint64_t end);
    void *user;
    uint64_t length, longer; /* the first `longer` pieces have one element more than `length` */
    uint64_t total;
    _Alignas(LINE) atomic_uint_least64_t next;
} pieces;

static void team_take_pieces(void *user, hed_team *team, uint32_t member_index)
{
    pieces *work = user;
    for (;;) {
        uint64_t piece = atomic_fetch_add_explicit(&work->next, 1, memory_order_relaxed);
        if (piece >= work->total) return;
        uint64_t begin = piece * work->length + (piece < work->longer ? piece : work->longer);
        uint64_t end = begin + work->length + (piece < work->longer ? 1 : 0);
        work->function(work->user, begin, end);
    }
}

void hed_team_for(hed_team *team, uint64_t count, uint64_t grain,
    void (*function)(void *user, uint64_t begin, uint64_t end), void *user)
{
    if (!team || !function) return;
    /* number of pieces of at least `grain` elements */
    uint64_t limit = count / (grain > 0 ? grain : 1);
    uint64_t target = (uint64_t)team->size * PIECES_BY_MEMBER;
    uint64_t total = limit < target ? limit : target;
    if (team->size == 1 || total < 2) {
        if (count > 0) function(user, 0, count);
        return;
    }
    pieces work = {.function = function, .user = user, .length = count / total,
        .longer = count % total, .total = total};
    unsigned last_value = team_begin(team, team_take_pieces, &work);
    team_take_pieces(&work, team, 0);
    /* no piece is left for a thread that sleeps, or whose processor has other work */
    uint64_t door = atomic_fetch_or_explicit(&team->door, DOOR_CLOSED, memory_order_acq_rel);
    team_end(team, team->threads - (uint32_t)(door & (DOOR_CLOSED - 1)), last_value);
}
