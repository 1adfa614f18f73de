/* The team: everybody runs once, the barrier holds, ranges are covered, sleepers wake, failures are
 * clean; and the float state. The arrays are plain memory on purpose: under TSan a barrier that
 * does not order is a race. */
#include "heddle/thread.h"

#include "base/clock.h"

#include "testing.h"

#include <dirent.h>
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <float.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MEMBERS_MAX = 8, TIMEOUT = 60 };

static hed_team *make_team(uint32_t threads)
{
    hed_team *team = NULL;
    hed_error error = {0};
    OK(hed_team_create(NULL, threads, &team, &error));
    return team;
}

typedef struct waiting {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done;
} waiting;

static void *wake(void *user)
{
    waiting *w = user;
    pthread_mutex_lock(&w->lock);
    w->done = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

Test(thread, a_condition_is_waited_for_until_it_comes_or_time_is_up, .timeout = TIMEOUT)
{
    waiting w = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    pthread_t other;
    pthread_mutex_lock(&w.lock);
    uint64_t begun = hed_now();
    while (hed_condition_wait(&w.changed, &w.lock, 0.02)) {}
    CHECK_GE(hed_now() - begun, 20000000u, "not before the time is up");
    CHECK(!hed_condition_wait(&w.changed, &w.lock, -1));
    CHECK_EQ(pthread_create(&other, NULL, wake, &w), 0);
    while (!w.done) hed_condition_wait(&w.changed, &w.lock, TIMEOUT);
    pthread_mutex_unlock(&w.lock);
    pthread_join(other, NULL);
}

typedef struct counts {
    unsigned runs[MEMBERS_MAX];
    unsigned rounds;
} counts;

static void count_run(void *user, hed_team *team, uint32_t member)
{
    counts *c = user;
    CHECK_LT(member, hed_team_size(team));
    c->runs[member]++;
}

Test(thread, run_calls_each_member_once, .timeout = TIMEOUT)
{
    /* most of them more than the processors here */
    for (uint32_t size = 1; size <= MEMBERS_MAX; size++) {
        hed_team *team = make_team(size);
        CHECK_EQ(hed_team_size(team), size);
        counts c = {0};
        for (unsigned run = 1; run <= 200; run++) {
            hed_team_run(team, count_run, &c);
            for (uint32_t member = 0; member < MEMBERS_MAX; member++) {
                CHECK_EQ(c.runs[member], member < size ? run : 0u);
            }
        }
        hed_team_destroy(team);
    }
}

Test(thread, size_0_is_one_for_each_processor, .timeout = TIMEOUT)
{
    cpu_set_t set;
    CHECK_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    CHECK_EQ(hed_processor_count(), (uint32_t)CPU_COUNT(&set));
    hed_team *team = make_team(0);
    CHECK_EQ(hed_team_size(team), hed_processor_count());
    hed_team_destroy(team);
    int processor = 0;
    while (!CPU_ISSET(processor, &set)) {
        processor++;
    }
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    CHECK_EQ(sched_setaffinity(0, sizeof set, &set), 0);
    CHECK_EQ(hed_processor_count(), 1u, "a thread bound to one processor has one");
}

static void note_thread(void *user, hed_team *team, uint32_t member)
{
    (void)team;
    ((pid_t *)user)[member] = gettid();
}

Test(thread, caller_is_member_0_and_the_others_are_threads, .timeout = TIMEOUT)
{
    hed_team *team = make_team(3);
    pid_t first[3] = {0}, second[3] = {0};
    hed_team_run(team, note_thread, first);
    hed_team_run(team, note_thread, second);
    CHECK_EQ(first[0], gettid());
    CHECK(first[1] != first[0] && first[2] != first[0] && first[1] != first[2]);
    CHECK_EQ(memcmp(first, second, sizeof first), 0, "a member keeps its thread");
    hed_team_destroy(team);
}

static void cross_barriers(void *user, hed_team *team, uint32_t member)
{
    counts *c = user;
    uint32_t size = hed_team_size(team);
    for (unsigned round = 1; round <= c->rounds; round++) {
        c->runs[member] = round;
        hed_team_barrier(team);
        for (uint32_t other = 0; other < size; other++) {
            CHECK_EQ(c->runs[other], round, "member %u is in round %u, member %u in %u", member,
                round, other, c->runs[other]);
        }
        hed_team_barrier(team);
    }
}

Test(thread, barrier_holds_everybody, .timeout = TIMEOUT)
{
    for (uint32_t size = 1; size <= MEMBERS_MAX; size++) {
        hed_team *team = make_team(size);
        counts c = {.rounds = 100};
        for (int run = 0; run < 3; run++) {
            hed_team_run(team, cross_barriers, &c);
        }
        hed_team_destroy(team);
    }
}

static void cross_barriers_late(void *user, hed_team *team, uint32_t member)
{
    counts *c = user;
    for (unsigned round = 1; round <= c->rounds; round++) {
        if (round % hed_team_size(team) == member) {
            usleep(1000); /* long after the others have gone to sleep */
        }
        c->runs[member] = round;
        hed_team_barrier(team);
        for (uint32_t other = 0; other < hed_team_size(team); other++) {
            CHECK_EQ(c->runs[other], round);
        }
        hed_team_barrier(team);
    }
}

Test(thread, sleepers_wake, .timeout = TIMEOUT)
{
    for (uint32_t size = 2; size <= 3; size++) {
        hed_team *team = make_team(size);
        counts runs = {0}, rounds = {.rounds = 30};
        for (unsigned run = 1; run <= 30; run++) {
            usleep(run % 3 * 300);
            hed_team_run(team, count_run, &runs);
            CHECK(runs.runs[0] == run && runs.runs[size - 1] == run);
        }
        hed_team_run(team, cross_barriers_late, &rounds);
        usleep(1000);
        hed_team_destroy(team); /* while all are asleep */
    }
}

Test(thread, teams_come_and_go, .timeout = TIMEOUT)
{
    for (int index = 0; index < 200; index++) {
        hed_team *team = make_team((uint32_t)(index % 4 + 1));
        counts c = {0};
        if (index % 3 != 0) {
            hed_team_run(team, count_run, &c);
            CHECK_EQ(c.runs[0], 1u);
        }
        hed_team_destroy(team); /* some of them never ran, some threads have not even begun */
    }
    hed_team_destroy(NULL);
}

typedef struct inner {
    hed_team *team;
    counts c;
} inner;

static void run_inner(void *user, hed_team *team, uint32_t member)
{
    (void)team;
    inner *of_member = (inner *)user + member;
    hed_team_run(of_member->team, count_run, &of_member->c);
}

Test(thread, a_member_may_lead_a_team_of_its_own, .timeout = TIMEOUT)
{
    hed_team *team = make_team(2);
    inner teams[2] = {{.team = make_team(2)}, {.team = make_team(3)}};
    for (int run = 0; run < 50; run++) {
        hed_team_run(team, run_inner, teams);
    }
    CHECK(teams[0].c.runs[1] == 50 && teams[1].c.runs[2] == 50);
    hed_team_destroy(teams[0].team);
    hed_team_destroy(teams[1].team);
    hed_team_destroy(team);
}

/* ---- ranges ---- */

enum { RANGE_MAX = 5000 };

typedef struct range {
    uint64_t count, grain;
    unsigned char touched[RANGE_MAX];
    atomic_uint pieces;
} range;

static void touch(void *user, uint64_t begin, uint64_t end)
{
    range *r = user;
    CHECK(begin < end && end <= r->count, "%llu to %llu", (unsigned long long)begin,
        (unsigned long long)end);
    CHECK(end - begin >= r->grain || end - begin == r->count, "a piece of %llu with grain %llu",
        (unsigned long long)(end - begin), (unsigned long long)r->grain);
    for (uint64_t index = begin; index < end; index++) {
        r->touched[index]++;
    }
    atomic_fetch_add(&r->pieces, 1);
}

Test(thread, for_covers_the_range_once, .timeout = TIMEOUT)
{
    const uint64_t ranges[] = {0, 1, 2, 3, 7, 8, 9, 31, 64, 100, 4999, RANGE_MAX};
    const uint64_t grains[] = {0, 1, 2, 3, 10, 100, 3000, UINT64_MAX};
    for (uint32_t size = 1; size <= 4; size++) {
        hed_team *team = make_team(size);
        for (size_t a = 0; a < sizeof ranges / sizeof ranges[0]; a++) {
            for (size_t b = 0; b < sizeof grains / sizeof grains[0]; b++) {
                static range r;
                memset(&r, 0, sizeof r);
                r.count = ranges[a];
                r.grain = grains[b];
                hed_team_for(team, r.count, r.grain, touch, &r);
                for (uint64_t index = 0; index < RANGE_MAX; index++) {
                    CHECK_EQ(r.touched[index], index < r.count, "%llu of %llu",
                        (unsigned long long)index, (unsigned long long)r.count);
                }
                bool divides = r.grain < r.count / 2 && size > 1;
                CHECK(r.count > 0 ? (divides ? r.pieces >= 2 : r.pieces >= 1) : r.pieces == 0);
            }
        }
        hed_team_destroy(team);
    }
}

typedef struct huge {
    atomic_uint_least64_t sum, pieces;
} huge;

static void measure(void *user, uint64_t begin, uint64_t end)
{
    huge *h = user;
    atomic_fetch_add(&h->sum, end - begin);
    atomic_fetch_add(&h->pieces, 1);
}

Test(thread, for_does_not_overflow, .timeout = TIMEOUT)
{
    hed_team *team = make_team(3);
    huge h = {0};
    hed_team_for(team, UINT64_MAX, 1, measure, &h);
    CHECK(h.sum == UINT64_MAX && h.pieces >= 3);
    hed_team_destroy(team);
}

typedef struct meeting {
    pid_t threads[MEMBERS_MAX];
    atomic_uint arrived;
} meeting;

static void meet(void *user, uint64_t begin, uint64_t end)
{
    (void)end;
    meeting *m = user;
    m->threads[begin] = gettid();
    atomic_fetch_add(&m->arrived, 1);
    /* the test's time-out ends this when one thread does it all */
    while (atomic_load(&m->arrived) < 2) {
        sched_yield();
    }
}

Test(thread, for_works_in_several_threads, .timeout = TIMEOUT)
{
    hed_team *team = make_team(2);
    meeting m = {0};
    hed_team_for(team, 2, 1, meet, &m);
    CHECK_NE(m.threads[0], m.threads[1]);
    hed_team_destroy(team);
}

/* ---- signals and failures ---- */

static void note_signals(void *user, hed_team *team, uint32_t member)
{
    (void)team;
    pthread_sigmask(SIG_BLOCK, NULL, (sigset_t *)user + member);
}

Test(thread, members_leave_signals_to_the_program, .timeout = TIMEOUT)
{
    sigset_t before, masks[2];
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    hed_team *team = make_team(2);
    hed_team_run(team, note_signals, masks);
    hed_team_destroy(team);
    const int left[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGUSR1, SIGCHLD, SIGPIPE, SIGRTMIN};
    for (size_t index = 0; index < sizeof left / sizeof left[0]; index++) {
        CHECK(sigismember(&masks[1], left[index]), "signal %d can strike a member", left[index]);
        CHECK_EQ(sigismember(&masks[0], left[index]), sigismember(&before, left[index]),
            "the caller's changed");
    }
    const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t index = 0; index < sizeof faults / sizeof faults[0]; index++) {
        CHECK_NOT(sigismember(&masks[1], faults[index]), "fault %d would pass its handler by",
            faults[index]);
    }
}

Test(thread, each_allocation_may_fail, .timeout = TIMEOUT)
{
    for (int64_t fail_at = 1;; fail_at++) {
        test_allocator state = {.fail_at = fail_at};
        hed_allocator allocator = test_allocator_of(&state);
        hed_team *team = (hed_team *)&team;
        hed_error error = {0};
        hed_error_clear(&error);
        hed_status status = hed_team_create(&allocator, 3, &team, &error);
        if (state.calls < fail_at) {
            CHECK(status == HED_OK && fail_at > 1);
            allocator = (hed_allocator){0}; /* the team keeps a copy */
            hed_team_destroy(team);
            CHECK(state.live == 0 && state.bytes == 0);
            break;
        }
        CHECK(status == HED_ERROR_MEMORY && error.status == HED_ERROR_MEMORY && team == NULL);
        CHECK(state.live == 0 && state.bytes == 0);
    }
    hed_team *team = NULL;
    hed_error error = {0};
    /* at once, not after filling memory */
    FAILS(HED_ERROR_MEMORY, hed_team_create(NULL, UINT32_MAX, &team, &error));
}

static int count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;
    while (readdir(tasks) != NULL) {
        count++;
    }
    closedir(tasks);
    return count - 2;
}

Test(thread, threads_may_run_out, .timeout = TIMEOUT)
{
    /* The limit does not hold for root: become somebody else, who has no other process. */
    if (geteuid() == 0 && setresuid(54321, 54321, 54321) != 0) {
        test_skip("cannot become another user: %s", strerror(errno));
    }
    hed_team_destroy(make_team(2)); /* with its first thread TSan starts one of its own */
    /* a thread that was joined may be listed a moment longer, TSan's own stays */
    for (int wait = 0; wait < 20 && count_threads() > 1; wait++) {
        usleep(1000);
    }
    int before = count_threads();
    struct rlimit limit;
    getrlimit(RLIMIT_NPROC, &limit);
    rlim_t former = limit.rlim_cur;
    limit.rlim_cur = (rlim_t)before + 3;
    CHECK_EQ(setrlimit(RLIMIT_NPROC, &limit), 0);
    test_allocator state = {0};
    hed_allocator allocator = test_allocator_of(&state);
    hed_team *team = NULL;
    hed_error error = {0};
    FAILS(HED_ERROR_MEMORY, hed_team_create(&allocator, 64, &team, &error));
    CHECK(team == NULL && state.live == 0 && state.bytes == 0);
    CHECK(
        strstr(error.text, "64 threads") && strstr(error.text, strerror(EAGAIN)), "%s", error.text);
    for (int wait = 0; wait < 30000 && count_threads() > before; wait++) {
        usleep(1000);
    }
    CHECK_LE(count_threads(), before, "the threads that did start have not ended");
    limit.rlim_cur = former;
    CHECK_EQ(setrlimit(RLIMIT_NPROC, &limit), 0);
    OK(hed_team_create(&allocator, 3, &team, &error));
    hed_team_destroy(team);
}

/* ---- float state ---- */

#if defined(__x86_64__)
#include <xmmintrin.h>
static void flush_denormals(void) { _mm_setcsr(_mm_getcsr() | 0x8040u); }
#else
static void flush_denormals(void)
{
    uint64_t bits;
    __asm__ volatile("mrs %0, fpcr" : "=r"(bits));
    __asm__ volatile("msr fpcr, %0" : : "r"(bits | UINT64_C(1) << 24));
}
#endif

typedef struct behaviour {
    /* a denormal made from a normal number, a normal number made from a denormal */
    float makes, takes;
    float third; /* 1 / 3, rounded */
} behaviour;

static behaviour look(void)
{
    volatile float least = FLT_MIN, denormal = FLT_TRUE_MIN, one = 1.0f, three = 3.0f;
    volatile float half = 0.5f, large = 0x1p100f;
    behaviour b = {.makes = least * half, .takes = denormal * large, .third = one / three};
    return b;
}

static void check_strict(behaviour b)
{
    CHECK_EQ(b.makes, 0x1p-127f);
    CHECK_EQ(b.takes, 0x1p-49f);
    CHECK_EQ(b.third, 0x1.555556p-2f);
}

Test(thread, float_strict_and_back)
{
    check_strict(look());
    flush_denormals();
    fesetround(FE_DOWNWARD);
    behaviour fast = look();
    CHECK(fast.makes == 0.0f && fast.takes == 0.0f && fast.third == 0x1.555554p-2f,
        "this test cannot see it");

    hed_float_state state = hed_float_strict();
    check_strict(look());
    hed_float_state nested = hed_float_strict();
    check_strict(look());
    hed_float_restore(nested);
    check_strict(look());
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_DIVBYZERO);
    hed_float_restore(state);

    CHECK(fetestexcept(FE_DIVBYZERO) != 0, "an exception flag that the work raised is lost");
    behaviour again = look();
    CHECK(again.makes == 0.0f && again.takes == 0.0f && again.third == fast.third);
}
