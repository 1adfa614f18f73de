/* Begins a text that is compiled at run time for the processor (solver/mppi_code.c): the words of C's
 * headers that Heddle's texts use, without these headers, which are not installed everywhere. The
 * file is not compiled at build time, except MPPI_ALONE_WORLD. */
#ifndef HED_MPPI_ALONE_H
#define HED_MPPI_ALONE_H

/* hed_mppi_world of heddle/mppi.h; mppi_code.c compares the two. */
#define MPPI_ALONE_WORLD(name) \
    typedef struct name { \
        const float *parameters; \
        const float *const *tables; \
        const uint32_t *table_counts; \
        float dt; \
        uint32_t steps; \
        const struct hed_mppi_model *model; \
        const void *user; \
    } name;

#ifdef MPPI_ALONE
typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __SIZE_TYPE__ size_t;
#define NULL ((void *)0)
#define bool _Bool
#define fmaf __builtin_fmaf
#define sqrtf __builtin_sqrtf
#define memcpy __builtin_memcpy
MPPI_ALONE_WORLD(hed_mppi_world)

/* The whole text is compiled for one instruction set, by options. */
#define HED_NATIVE_BODY static inline __attribute__((always_inline)) void
#define CLONES(linkage, name, body, parameters, arguments) \
    linkage void name parameters { body arguments; }
#define LANES_CLONES CLONES
enum { MPPI_LANES = 32 };
#define NAME_JOIN3(a, b, c) a##b##c
#define NAME3(a, b, c) NAME_JOIN3(a, b, c)
#define MODEL own
#define OF_MODEL(name) NAME3(own, name, )
#define MODEL_LINKAGE
#define MODEL_STEP own_step
#define TERM_LINKAGE
#define LANES_BEGIN
#define LANE LANE_OF_MODEL

/* Words of the texts. */
#define P(name) (w->p[parameter_##name])
#define P_ARRAY(name) (w->p + parameter_##name)
#define TABLE(name) (w->tables[table_##name])
#define TABLE_COUNT(name) (w->table_counts[table_##name])
#define STEPS (w->steps)

/* A term for one state, and over lanes; its text is before. */
#define OWN_TERM(name) \
    float NAME3(own, _cost_, name)( \
        const float *x, const float *u, int32_t t, const hed_mppi_world *world) \
    { \
        mppi_world w = scalar_world(world); \
        return NAME3(own, _, name)(x, u, t, &w); \
    } \
    TERM_LANES(name)
#endif

#endif
