/* Hashes of fused multiply-adds of six ranges of numbers, for comparing WebAssembly with the
 * processor's own: a program, or exported functions. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 6, LANES = 4 };

typedef struct sequence {
    uint64_t state;
    int kind;
} sequence;

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x == x ? bits : 0x7fc00000;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Xorshift (Marsaglia 2003). */
static uint32_t next(sequence *s)
{
    s->state ^= s->state << 13;
    s->state ^= s->state >> 7;
    s->state ^= s->state << 17;
    return (uint32_t)(s->state >> 20);
}

/* A number whose exponent is one of `count` from `first` on, with the digits of `mask`. */
static float within(sequence *s, uint32_t first, uint32_t count, uint32_t mask)
{
    uint32_t bits = next(s) & mask & 0x807fffffu;
    return float_of(bits | (first + next(s) % count) << 23);
}

/* Kind 0: any bits; 1: near 1; 2: small products; 3 to 5: sums among denormal numbers. Every second
 * triple has few digits, so that many sums are halfway between two floats. */
static void take(sequence *s, int odd, float *a, float *b, float *c)
{
    static const uint32_t first[] = {0, 127, 64, 60, 50, 40};
    if (s->kind == 0) {
        *a = float_of(next(s));
        *b = float_of(next(s));
        *c = float_of(next(s));
        return;
    }
    uint32_t count = s->kind >= 3 ? 30 : 8;
    *a = within(s, first[s->kind], count, odd ? 0xffff0000u : 0xffffffffu);
    *b = within(s, first[s->kind], count, odd ? 0xfffff000u : 0xffffffffu);
    *c = within(s, s->kind == 1 ? 127 : 1, count, 0xffffffffu);
}

static uint64_t add(uint64_t hash, float x) { return (hash ^ bits_of(x)) * 0x100000001b3u; }

static uint64_t hash_scalar(int kind, uint32_t count)
{
    sequence s = {88172645463325252u, kind};
    uint64_t hash = 0xcbf29ce484222325u;
    float a, b, c;
    for (uint32_t i = 0; i < count; i++) {
        take(&s, i & 1, &a, &b, &c);
        hash = add(hash, fmaf(a, b, c));
    }
    return hash;
}

#if defined(__wasm__)
#define EXPORT(name) __attribute__((export_name(#name)))

/* Multiply-adds that note their doubts, and are computed again if there are any. */
static v128_t fma_doubted(v128_t a, v128_t b, v128_t c)
{
#if defined(WASM_HAS_DOUBTS)
    wasm_begin_doubts();
    v128_t sum = wasm_fma4_doubted(a, b, c);
    if (!wasm_has_doubts()) return sum;
#endif
    return wasm_fma4(a, b, c);
}

static uint64_t hash_vector(int kind, uint32_t count, v128_t (*fused)(v128_t, v128_t, v128_t))
{
    sequence s = {88172645463325252u, kind};
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < count; i += LANES) {
        float a[LANES], b[LANES], c[LANES], sum[LANES];
        for (int l = 0; l < LANES; l++) take(&s, l & 1, &a[l], &b[l], &c[l]);
        wasm_v128_store(sum, fused(wasm_v128_load(a), wasm_v128_load(b), wasm_v128_load(c)));
        for (int l = 0; l < LANES; l++) hash = add(hash, sum[l]);
    }
    return hash;
}

EXPORT(scalar) uint64_t fma_scalar(int kind, uint32_t count) { return hash_scalar(kind, count); }
EXPORT(vector) uint64_t fma_vector(int kind, uint32_t count)
{
    return hash_vector(kind, count, wasm_fma4);
}
EXPORT(doubted) uint64_t fma_with_doubts(int kind, uint32_t count)
{
    return hash_vector(kind, count, fma_doubted);
}

#else

int main(int count, char **words)
{
    uint32_t triples = count > 1 ? (uint32_t)strtoul(words[1], NULL, 10) : 100000;
    for (int kind = 0; kind < KINDS; kind++)
        printf("%016llx\n", (unsigned long long)hash_scalar(kind, triples));
    return 0;
}

#endif
