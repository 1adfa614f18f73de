/* Packing is safe in a real-time thread: it allocates nothing, and a small stack is enough. The
 * stack is painted before and looked at afterwards. */
#include "failing_malloc.h"
#include "heddle/pack.h"

#include <pthread.h>

enum {
    STACK = 1 << 20,
    PROMISED = 100 << 10,
    THREAD = 16 << 10 /* of it the thread's own: thread-local storage, and the C library's frames */
};

static _Alignas(4096) uint8_t stack[STACK];
static hed_pack_piece pieces[8192];

static void *run(void *user)
{
    (void)user;
    uint32_t counts[HED_PACK_MAX_TYPES], bad = 0;
    float costs[HED_PACK_MAX_TYPES];
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t t = 0; t < HED_PACK_MAX_TYPES; t++) {
            counts[t] = (round == 1 ? 130 : 61) * (t + 1) % 97;
            costs[t] = (float)(1 + t * 7 % 11);
        }
        for (uint32_t m = 0; m < HED_PACK_METHOD_COUNT; m++) {
            hed_pack_def def = {
                counts, costs, HED_PACK_MAX_TYPES, round == 2 ? 3 : 64, 32, (hed_pack_method)m};
            hed_pack_layout layout;
            bad += hed_pack(&def, pieces, 8192, &layout) != HED_OK ||
                   layout.piece_count > hed_pack_capacity(&def);
        }
    }
    return bad ? &stack : NULL;
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    void *bad;
    memset(stack, 0xa5, STACK);
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, STACK);
    if (pthread_create(&thread, &attributes, run, NULL) != 0) return 1;
    if (pthread_join(thread, &bad) != 0 || bad) {
        fprintf(stderr, "a layout was not made\n");
        return 1;
    }
    long before = live, used = STACK;
    allocations_left = 0; /* the next allocation fails */
    hit = false;
    run(NULL);
    bool allocates = hit || live != before;
    allocations_left = -1;
    for (uint32_t i = 0; i < STACK && stack[i] == 0xa5; i++) used--;
    printf("%ld KiB of stack%s\n", used >> 10, allocates ? ", and it allocates" : "");
    return allocates || used > PROMISED + THREAD;
}
