/* What an audio thread may not do, counted over 100,000 runs with random events while another
 * thread loads and saves: memory and locks by functions of their own names, system calls by a
 * filter on that thread alone (seccomp) that traps every one. */
#include "synth_player.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#define VISIBLE __attribute__((visibility("default")))

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *pointer);

static _Thread_local bool playing;
static _Atomic uint32_t memory, locks, calls;
static _Atomic long first_call;

VISIBLE void *malloc(size_t size)
{
    memory += playing;
    return __libc_malloc(size);
}

VISIBLE void *calloc(size_t count, size_t size)
{
    memory += playing;
    return __libc_calloc(count, size);
}

VISIBLE void *realloc(void *pointer, size_t size)
{
    memory += playing;
    return __libc_realloc(pointer, size);
}

VISIBLE void *aligned_alloc(size_t alignment, size_t size)
{
    memory += playing;
    return __libc_memalign(alignment, size);
}

VISIBLE int posix_memalign(void **pointer, size_t alignment, size_t size)
{
    memory += playing;
    *pointer = __libc_memalign(alignment, size);
    return *pointer ? 0 : ENOMEM;
}

VISIBLE void free(void *pointer)
{
    memory += playing && pointer;
    __libc_free(pointer);
}

VISIBLE int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    static int (*real)(pthread_mutex_t *);
    locks += playing;
    if (!real) {
        void *found = dlsym(RTLD_NEXT, "pthread_mutex_lock");
        memcpy(&real, &found, sizeof real);
    }
    return real(mutex);
}

static void trapped(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number, (void)context;
    if (!playing) return;
    if (!calls++) first_call = info->si_syscall;
}

/* From here on every system call of this thread is trapped but its end and the way back out of the
 * handler. */
static bool trap_system_calls(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO};
    sigaction(SIGSYS, &action, NULL);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

enum { RUNS = 100000 };

typedef struct audio {
    hed_synth_player *player;
    _Atomic bool done;
    uint32_t swaps;
    bool filtered, trapped; /* the filter is there; it counted a call made on purpose */
} audio;

static void *play(void *user)
{
    audio *a = user;
    static float left[64], right[64];
    uint32_t seed = 1;
    a->filtered = trap_system_calls();
    playing = true;
    for (uint32_t i = 0; i < RUNS; i++) {
        uint32_t frames = player_draw(&seed, 33);
        for (uint32_t k = player_draw(&seed, 3); k > 0; k--) {
            hed_synth_event event = player_draw_event(&seed, player_draw(&seed, 64));
            hed_synth_player_event(a->player, &event);
        }
        if (i % 1000 == 999) hed_synth_player_turn(a->player, 3, HED_SYNTH_KNOB_GAIN, -1.0f);
        if (i % 5000 == 4999) hed_synth_player_reset(a->player);
        a->swaps += hed_synth_player_run(a->player, frames, NULL, left, right);
    }
    uint32_t before = calls;
    syscall(SYS_getppid);
    a->trapped = calls == before + 1;
    calls = before;
    playing = false;
    atomic_store(&a->done, true);
    return NULL;
}

int main(void)
{
    hed_error error = {0};
    audio a = {0};
    hed_synth_player_def def = hed_default_synth_player_def();
    def.rate = 48000;
    pthread_t thread;
    hed_synth_player_create(&def, &a.player, &error);
    playing = true; /* loading allocates and locks: the counters have to see it */
    hed_synth_player_load_text(a.player, player_voices, strlen(player_voices), "voices", &error);
    playing = false;
    bool counted = memory > 0 && locks > 0;
    memory = locks = 0;
    if (error.status || pthread_create(&thread, NULL, play, &a))
        return fprintf(stderr, "%s\n", error.text), 1;
    uint32_t loads = 0;
    for (; !atomic_load(&a.done) && !error.status; loads++) {
        const char *text = loads % 2 ? player_voices : player_single;
        hed_synth_player_load_text(a.player, text, strlen(text), "other", &error);
        hed_synth_player_save(a.player, NULL, &error);
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
    pthread_join(thread, NULL);
    hed_synth_player_destroy(a.player);
    if (error.status) return fprintf(stderr, "%s\n", error.text), 1;
    printf("%d runs, %u loads, %u runs with something to collect: %u allocations, %u locks, %u system calls%s\n",
        RUNS, loads, a.swaps, memory, locks, calls,
        a.filtered ? "" : " (not counted: seccomp is not allowed here)");
    if (!counted || a.filtered != a.trapped)
        return fprintf(stderr, "the counters do not count what they should\n"), 1;
    if (calls) printf("the first was number %ld\n", first_call);
    return memory || locks || calls || loads < 3 || !a.swaps;
}
