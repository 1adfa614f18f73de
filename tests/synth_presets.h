/* Presets for tests, encoded here by the numbers of Anukari's published schema. */
#ifndef HED_TESTS_SYNTH_PRESETS_H
#define HED_TESTS_SYNTH_PRESETS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A message that is being written, and those around it. */
typedef struct preset {
    uint8_t bytes[1 << 14];
    size_t size, open[8];
    uint32_t depth;
} preset;

static inline void put_varint(preset *p, uint64_t value)
{
    for (; value > 0x7f; value >>= 7) p->bytes[p->size++] = (uint8_t)(value | 0x80);
    p->bytes[p->size++] = (uint8_t)value;
}

static inline void begin(preset *p, uint32_t field)
{
    put_varint(p, field << 3 | 2);
    p->open[p->depth++] = p->size;
    p->size += 2; /* its length, always of two bytes */
}

static inline void end(preset *p)
{
    size_t at = p->open[--p->depth], length = p->size - at - 2;
    if (length >= 1 << 14 || p->size > sizeof p->bytes - 64) abort();
    p->bytes[at] = (uint8_t)(length | 0x80);
    p->bytes[at + 1] = (uint8_t)(length >> 7 & 0x7f);
}

static inline void whole(preset *p, uint32_t field, int64_t value)
{
    put_varint(p, field << 3);
    put_varint(p, (uint64_t)value);
}

static inline void real(preset *p, uint32_t field, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_varint(p, field << 3 | 5);
    for (uint32_t i = 0; i < 4; i++) p->bytes[p->size++] = (uint8_t)(bits >> 8 * i);
}

/* Floats at fields 1, 2, ... of a message. */
static inline void reals(preset *p, uint32_t field, uint32_t count, const float *values)
{
    begin(p, field);
    for (uint32_t i = 0; i < count; i++) real(p, i + 1, values[i]);
    end(p);
}
#define REALS(p, field, ...) \
    reals((p), (field), sizeof((float[]){__VA_ARGS__}) / sizeof(float), (float[]){__VA_ARGS__})

/* Kinds of things in an id. */
enum {
    LINK = 2,
    BODY = 3,
    SENSOR = 4,
    EXCITER = 5,
    MODULATOR = 6,
};

static inline void put_id(preset *p, uint32_t field, uint32_t kind, int32_t number)
{
    begin(p, field);
    whole(p, kind, number);
    end(p);
}

/* ---- things; each is ended by its caller where `open` ---- */

static inline void put_body(preset *p, int32_t id, float y, float mass, float damping, int anchored)
{
    begin(p, 2);
    whole(p, 1, id);
    begin(p, 7);
    REALS(p, 1, 0, y, 0);
    REALS(p, 2, 9, 9, 9); /* where it is now */
    end(p);
    real(p, 3, mass);
    real(p, 4, damping);
    whole(p, 5, anchored);
    end(p);
}

/* Begins a link; the caller says what it is, and ends it. */
static inline void begin_link(
    preset *p, int32_t id, uint32_t kind_a, int32_t a, uint32_t kind_b, int32_t b)
{
    begin(p, 1);
    whole(p, 1, id);
    begin(p, 2);
    put_id(p, 1, kind_a, a);
    put_id(p, 2, kind_b, b);
    end(p);
}

static inline void put_link(
    preset *p, int32_t id, uint32_t kind_a, int32_t a, uint32_t kind_b, int32_t b, uint32_t what)
{
    begin_link(p, id, kind_a, a, kind_b, b);
    begin(p, what);
    end(p);
    end(p);
}

static inline void put_spring(
    preset *p, int32_t id, int32_t a, int32_t b, float stiffness, float length)
{
    begin_link(p, id, BODY, a, BODY, b);
    REALS(p, 3, stiffness, length);
    end(p);
}

static inline void put_modulation(preset *p, int32_t id, int32_t source, uint32_t kind,
    int32_t target, int32_t operand, float depth, int mode)
{
    begin_link(p, id, MODULATOR, source, kind, target);
    begin(p, 6);
    whole(p, 1, operand);
    real(p, 2, depth);
    if (mode == 1) whole(p, 4, 1); /* multiply */
    if (mode == 2) whole(p, 3, 1); /* exponential */
    if (mode == 3) whole(p, 5, 1); /* inverted */
    end(p);
    end(p);
}

static inline void put_turn(preset *p, uint32_t field, float x, float y, float z)
{
    begin(p, field);
    begin(p, 1);
    REALS(p, 1, x, y, z);
    REALS(p, 2, 1, 0, 0); /* tangent */
    end(p);
    end(p);
}

static inline void begin_exciter(preset *p, int32_t id, float sensitivity)
{
    begin(p, 4);
    whole(p, 1, id);
    put_turn(p, 11, 0, 2, 0);
    real(p, 12, sensitivity);
}

static inline void begin_modulator(preset *p, int32_t id, uint32_t what)
{
    begin(p, 10);
    whole(p, 1, id);
    begin(p, what);
}

static inline void end_modulator(preset *p)
{
    end(p);
    end(p);
}

/* A route of channel, what (3: note, 4: controller), number, to one or two things. */
static inline void put_route(preset *p, int32_t channel, uint32_t what, int32_t number,
    uint32_t kind, int32_t first, int32_t second)
{
    begin(p, 6);
    begin(p, 5);
    whole(p, 1, channel);
    whole(p, what, number);
    end(p);
    put_id(p, 4, kind, first);
    if (second) put_id(p, 4, kind, second);
    end(p);
}

/* ---- presets ---- */

/* What is known of the schema's example: a mass between two anchors, a mallet, a microphone. */
static inline void make_example(preset *p)
{
    *p = (preset){.size = 0};
    begin(p, 24);
    memcpy(p->bytes + p->size, "0.9.6", 5), p->size += 5;
    end(p);
    put_body(p, 1, -1, 1, 0.044f, 1);
    put_body(p, 2, 0, 1, 0.01f, 0);
    put_body(p, 3, 1, 1, 0.044f, 1);
    put_spring(p, 1, 1, 2, 2.69e6f, 0.9f);
    put_spring(p, 2, 2, 3, 2.69e6f, 0.9f);
    begin(p, 3);
    whole(p, 1, 1);
    begin(p, 9);
    REALS(p, 1, 0, 0, 1);
    end(p);
    put_turn(p, 10, 0, 0, -1);
    real(p, 4, -65);
    whole(p, 8, 1);
    end(p);
    begin_exciter(p, 1, 0.5f);
    REALS(p, 4, 50, 4, 643, 0.25f);
    end(p);
    put_link(p, 3, SENSOR, 1, BODY, 2, 5);
    put_link(p, 4, BODY, 2, EXCITER, 1, 4);
    put_route(p, 1111111, 3, 1111112, EXCITER, 1, 0);
    whole(p, 16, 1);
    whole(p, 17, 4);
    whole(p, 20, 1);
    whole(p, 21, 2);
    whole(p, 22, 48);
    real(p, 13, 2);
    real(p, 7, -3);
    real(p, 11, -1);
    real(p, 12, 0.1f);
}

static inline void put_exciters(preset *p)
{
    static const float envelope[] = {0.1f, 0.2f, 0.7f, 0.3f};
    begin_exciter(p, 1, 1);
    REALS(p, 4, 2, 100, 1000, 0);
    end(p);
    begin_exciter(p, 2, 0.3f);
    begin(p, 5); /* the input, and two delay lines */
    whole(p, 6, 1);
    whole(p, 1, 1);
    real(p, 2, 20);
    whole(p, 3, 1);
    reals(p, 4, 4, envelope);
    end(p);
    end(p);
    begin_exciter(p, 3, 0.3f);
    begin(p, 6);
    real(p, 1, -20);
    whole(p, 2, 2);
    whole(p, 3, -1);
    whole(p, 4, 7);
    real(p, 5, 5);
    real(p, 6, 0.25f);
    reals(p, 7, 4, envelope);
    end(p);
    end(p);
    begin_exciter(p, 4, 0.4f);
    begin(p, 7);
    real(p, 1, 0.6f);
    real(p, 3, 0.05f);
    real(p, 4, 0.9f);
    reals(p, 2, 4, envelope);
    end(p);
    end(p);
    begin_exciter(p, 5, 0.5f);
    REALS(p, 8, 0.004f, 0.02f);
    end(p);
}

static inline void put_modulators(preset *p)
{
    /* id, what, field of the smoothing */
    static const uint32_t midi[][3] = {
        {1, 4, 2}, {2, 8, 1}, {3, 9, 1}, {4, 10, 1}, {5, 11, 2}, {6, 12, 2}, {7, 13, 1}};
    for (uint32_t i = 0; i < 7; i++) {
        begin_modulator(p, (int32_t)midi[i][0], midi[i][1]);
        if (midi[i][1] == 12) whole(p, 1, 64);
        begin(p, midi[i][2]);
        real(p, 1, 0.01f * (float)(i + 1));
        end(p);
        end_modulator(p);
    }
    begin_modulator(p, 8, 5);
    whole(p, 1, 4);
    real(p, 2, 3);
    real(p, 3, 0.5f);
    whole(p, 4, 10);
    whole(p, 5, 1);
    whole(p, 6, 1);
    real(p, 7, 0.75f);
    whole(p, 8, 1);
    end_modulator(p);
    begin_modulator(p, 9, 6);
    REALS(p, 1, 0.1f, 0.2f, 0.3f, 0.4f);
    end_modulator(p);
    begin_modulator(p, 10, 14);
    real(p, 1, 0.01f);
    real(p, 2, 0.2f);
    end_modulator(p);
}

/* One of everything that has a counterpart, in one instance. */
static inline void make_everything(preset *p)
{
    *p = (preset){.size = 0};
    put_body(p, 10, -1, 2, 0.5f, 1);
    put_body(p, 11, 1, 0.5f, 0.25f, 0);
    put_spring(p, 1, 10, 11, 1000, 1.9f);
    for (int32_t i = 1; i <= 2; i++) {
        begin(p, 3);
        whole(p, 1, i);
        put_turn(p, 10, 0, 0, 1);
        real(p, 6, 0.5f);
        real(p, 11, 0.25f);
        real(p, 12, 0.75f);
        whole(p, 8, i == 1);
        if (i == 1) REALS(p, 7, -12, 4, 0.01f, 0.1f, 6);
        end(p);
        put_link(p, 1 + i, SENSOR, i, BODY, 11, 5);
    }
    put_exciters(p);
    for (int32_t i = 1; i <= 5; i++) put_link(p, 10 + i, EXCITER, i, BODY, 11, 4);
    for (int32_t i = 1; i <= 2; i++) {
        begin_link(p, 20 + i, SENSOR, i, EXCITER, 2);
        REALS(p, 7, 0.125f * (float)i);
        end(p);
    }
    put_modulators(p);
    put_link(p, 30, SENSOR, 2, MODULATOR, 10, 5);
    put_modulation(p, 40, 8, LINK, 1, 6, 0.1f, 1);         /* LFO, stiffness */
    put_modulation(p, 41, 9, EXCITER, 3, 11, 12.0412f, 0); /* envelope, gain in dB */
    put_modulation(p, 42, 1, MODULATOR, 8, 9, 2, 2);       /* controller, frequency of the LFO */
    put_modulation(p, 43, 10, SENSOR, 1, 12, 0.5f, 3);     /* follower, pan */
    put_modulation(p, 44, 7, LINK, 22, 21, 0.01f, 0);      /* host, seconds of a delay line */
    put_route(p, 2, 3, 60, EXCITER, 1, 2);
    put_route(p, 2, 3, 61, EXCITER, 1, 0);
    put_route(p, 2, 3, 70, EXCITER, 1, 3);
    put_route(p, 1111111, 3, 1111112, EXCITER, 4, 5);
    put_route(p, 3, 3, 64, MODULATOR, 9, 8);
    put_route(p, 5, 4, 74, MODULATOR, 1, 0);
    begin(p, 14);
    whole(p, 1, 33);
    put_id(p, 3, MODULATOR, 7);
    end(p);
    begin(p, 25);
    whole(p, 1, 20);
    whole(p, 2, 100);
    end(p);
}

#endif
